/** The Search view: its page, what the page asks for, and the commands on it. */
import type { Disposable, Memento, TextDocumentChangeEvent, Webview, WebviewView } from "vscode";
import { openHit } from "../commands/search";
import type { Log } from "../log";
import { errorMessage, type Send } from "../protocol";
import { SECTION } from "../settings";
import { commands, env, Position, Uri, window, workspace } from "../vscodeapi";
import type { Indexes } from "./indexes";
import type { FromPage, ToPage, Way } from "./messages";
import { pageOf } from "./page";
import { rebuildIndex } from "./rebuilding";
import { type Remembered, SearchResults } from "./results";
import { showSkipped } from "./skipped";

const VIEW = "vademecum.search";
const REMEMBERED = "vademecum.search";
/** Changes are gathered for so long before what is shown is judged again, in milliseconds. */
const SETTLE = 400;

export interface SearchViewParts {
	readonly send: Send;
	readonly indexes: Indexes;
	readonly kept: Memento;
	readonly extensionUri: Uri;
	readonly log: Log;
}

export function registerSearchView({ send, indexes, kept, extensionUri, log }: SearchViewParts): Disposable[] {
	let view: WebviewView | undefined;
	let timer: NodeJS.Timeout | undefined;
	/** Whether something changed while nobody looked. */
	let missed = false;
	/** Told to the page as soon as it listens. */
	let focus = false;
	let loaded = false;

	const results = new SearchResults({
		send,
		indexes,
		folderOf,
		hasFolder: () => (workspace.workspaceFolders ?? []).length > 0,
		remembered: kept.get<Remembered>(REMEMBERED),
		remember: (remembered) => void kept.update(REMEMBERED, remembered),
	});
	const tell = (message: ToPage) => void view?.webview.postMessage(message);
	const draw = () => {
		if (loaded && view?.visible) {
			tell({ kind: "show", shown: results.shown });
		}
	};
	const soon = () => {
		missed = true;
		// Not put off by further changes: an index that is being made tells of some all the time.
		timer ??= setTimeout(() => {
			timer = undefined;
			if (view?.visible) {
				missed = false;
				void results.follow();
				void results.countSkipped();
			}
		}, SETTLE);
	};
	const show = async () => {
		focus = true;
		await commands.executeCommand(`${VIEW}.focus`);
		if (loaded) {
			focus = false;
			tell({ kind: "focus" });
		}
	};
	const act = async (message: FromPage): Promise<void> => {
		switch (message.kind) {
			case "ready":
				loaded = true;
				draw();
				if (focus) {
					focus = false;
					tell({ kind: "focus" });
				}
				return;
			case "search":
				return results.search(message.asked, message.kept);
			case "cancel":
				return results.cancel();
			case "more":
				return results.more();
			case "back":
				return results.back();
			case "explain":
				return results.explain(message.id);
			case "refresh":
				return results.refresh(message.id);
			case "way":
				return go(message.way);
			default: {
				const item = results.item(message.id);
				if (item && message.kind === "open") {
					results.used();
					await openHit(item, message.how, message.line);
				} else if (item && message.kind === "copy") {
					await env.clipboard.writeText(item.reference);
				} else if (item && message.kind === "like") {
					const position = (item.match ?? item.range).start;
					await results.searchLike({ uri: item.uri, position, label: `${item.path}:${position.line + 1}` });
				}
			}
		}
	};

	const provider = {
		resolveWebviewView(resolved: WebviewView) {
			view = resolved;
			loaded = false;
			const media = Uri.joinPath(extensionUri, "dist");
			resolved.webview.options = { enableScripts: true, localResourceRoots: [media] };
			resolved.webview.onDidReceiveMessage((message: FromPage) => {
				act(message).catch((error) => log.error(`search view: ${errorMessage(error)}`));
			});
			resolved.onDidChangeVisibility(() => {
				// A page that was hidden is made anew, and says so.
				loaded &&= resolved.visible;
				if (resolved.visible && missed) {
					soon();
				}
			});
			resolved.onDidDispose(() => {
				view = undefined;
				loaded = false;
			});
			resolved.webview.html = html(resolved.webview, media);
			// What was asked before the window was reloaded; later, this is where it was.
			if (results.shown.stage === "nothing") {
				void results.again();
			}
			soon();
		},
	};

	return [
		results,
		{ dispose: () => clearTimeout(timer) },
		results.onDidChange(draw),
		indexes.onDidChange(() => {
			draw();
			soon();
		}),
		window.registerWebviewViewProvider(VIEW, provider),
		workspace.onDidChangeTextDocument(({ document, contentChanges }: TextDocumentChangeEvent) => {
			if (contentChanges.length > 0 && results.shows(document.uri.toString())) {
				soon();
			}
		}),
		workspace.onDidChangeWorkspaceFolders(() => view && void results.again()),
		// What other programs did is seen when one comes back from them.
		window.onDidChangeWindowState(({ focused }) => focused && view?.visible && soon()),
		commands.registerCommand("vademecum.search.find", async (query?: string) => {
			if (query) {
				void results.searchFor(query);
			}
			await show();
		}),
		commands.registerCommand("vademecum.search.again", async () => {
			const asking = results.again();
			if (!view?.visible || results.shown.stage === "nothing") {
				await show();
			}
			await asking;
		}),
		commands.registerCommand("vademecum.search.clear", () => results.clear()),
		commands.registerCommand("vademecum.search.clearHistory", async () => {
			await results.clear(true);
			void window.showInformationMessage("What was searched for in this workspace is forgotten.");
		}),
		commands.registerCommand("vademecum.search.skipped", () => showSkipped(send)),
		commands.registerCommand("vademecum.search.rebuild", () => rebuildIndex(send)),
		commands.registerCommand("vademecum.search.similar", async () => {
			const editor = window.activeTextEditor;
			if (editor?.document.uri.scheme !== "file") {
				void window.showInformationMessage("Open a file, and put the cursor where the code is.");
				return;
			}
			const { line } = editor.selection.active;
			const { uri } = editor.document;
			const label = `${workspace.asRelativePath(uri)}:${line + 1}`;
			void results.searchLike({ uri: uri.toString(), position: new Position(line, 0), label });
			await show();
		}),
	];
}

function html(webview: Webview, media: Uri): string {
	const at = (name: string) => webview.asWebviewUri(Uri.joinPath(media, name)).toString();
	return pageOf({ script: at("searchPage.js"), style: at("searchPage.css"), source: webview.cspSource });
}

/** The folder that a file is in, where several are open. */
function folderOf(uri: string): { uri: string; name: string } | undefined {
	if ((workspace.workspaceFolders ?? []).length < 2) {
		return undefined;
	}
	const folder = workspace.getWorkspaceFolder(Uri.parse(uri));
	return folder && { uri: folder.uri.toString(), name: folder.name };
}

async function go(way: Way): Promise<void> {
	const [command, ...args] = WAYS[way];
	await commands.executeCommand(command, ...args);
}

const WAYS: Readonly<Record<Way, readonly [string, ...string[]]>> = {
	restart: ["vademecum.restartServer"],
	log: ["vademecum.showLog"],
	models: ["vademecum.installSearchModels"],
	skipped: ["vademecum.search.skipped"],
	settings: ["workbench.action.openSettings", `${SECTION}.search.`],
	openFolder: ["workbench.action.files.openFolder"],
};
