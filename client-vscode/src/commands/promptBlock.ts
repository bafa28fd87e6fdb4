/**
 * *Show Prompt Block*: exactly what a new chat is told, as a document that cannot be edited and stays current; and the
 * files that other chats read, where there are any.
 */
import type { Disposable, TextDocumentContentProvider, Uri as UriType } from "vscode";
import { HOOK_CHARACTERS } from "../otherChats/hook";
import type { Given } from "../otherChats/telling";
import { errorMessage, type Send } from "../protocol";
import type { Server } from "../server/server";
import { commands, EventEmitter, languages, ThemeIcon, Uri, window, workspace } from "../vscodeapi";

const SCHEME = "vademecum-prompt";

/** @param hooked the folder whose hook gives it, rather than `@vademecum`. */
export async function promptText(send: Send, hooked = ""): Promise<string> {
	try {
		const budget = { characters: HOOK_CHARACTERS };
		const block = await send("memory/prompt", hooked ? { workspace: hooked, budget } : {});
		return block.text || "Nothing is remembered yet. *Vademecum: Remember…* adds the first memory.\n";
	} catch (error) {
		return `The prompt block cannot be shown: ${errorMessage(error)}\n`;
	}
}

/** Asks whose, where other chats are told too. */
async function askWhose(uri: UriType, given: readonly Given[]): Promise<UriType | undefined> {
	if (given.length === 0) {
		return uri;
	}
	const own = { iconPath: new ThemeIcon("comment-discussion"), label: "What a chat with @vademecum is given", uri };
	const others = given.map(({ file, folder }) =>
		file
			? {
					iconPath: new ThemeIcon("file"),
					label: "What other chats are given",
					description: workspace.asRelativePath(file),
					uri: file,
				}
			: {
					iconPath: new ThemeIcon("play"),
					label: "What an agent's session that starts now is given",
					description: folder.name,
					uri: hookedUri(folder.uri),
				},
	);
	return (await window.showQuickPick([own, ...others], { title: "Show Prompt Block" }))?.uri;
}

function hookedUri(folder: UriType): UriType {
	return Uri.from({ scheme: SCHEME, path: "/Session Start.md", query: folder.toString() });
}

/** @param given what other chats are given. */
export function registerPromptBlock(server: Server, given: () => readonly Given[]): Disposable[] {
	const uri = Uri.from({ scheme: SCHEME, path: "/Prompt Block.md" });
	const changed = new EventEmitter<Uri>();
	const provider: TextDocumentContentProvider = {
		onDidChange: changed.event,
		provideTextDocumentContent: ({ query }) => promptText(server.send, query),
	};
	const change = () => {
		for (const each of [uri, ...given().map(({ folder }) => hookedUri(folder.uri))]) {
			changed.fire(each);
		}
	};
	return [
		changed,
		workspace.registerTextDocumentContentProvider(SCHEME, provider),
		server.on("memory/didChange", change),
		server.onDidChangeState((state) => {
			if (state.kind === "running") {
				change();
			}
		}),
		commands.registerCommand("vademecum.showPromptBlock", async () => {
			const whose = await askWhose(uri, given());
			if (!whose) {
				return;
			}
			change();
			const document = await workspace.openTextDocument(whose);
			await languages.setTextDocumentLanguage(document, "markdown");
			await window.showTextDocument(document, { preview: false });
		}),
	];
}
