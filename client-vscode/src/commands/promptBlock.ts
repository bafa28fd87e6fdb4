/**
 * *Show Prompt Block*: exactly what a new chat is told, as a document that cannot be edited and stays current; and the
 * files that other chats read, where there are any.
 */
import type { Disposable, TextDocumentContentProvider, Uri as UriType } from "vscode";
import { errorMessage, type Send } from "../protocol";
import type { Server } from "../server/server";
import { commands, EventEmitter, languages, ThemeIcon, Uri, window, workspace } from "../vscodeapi";

const SCHEME = "vademecum-prompt";

export async function promptText(send: Send): Promise<string> {
	try {
		const block = await send("memory/prompt", {});
		return block.text || "Nothing is remembered yet. *Vademecum: Remember…* adds the first memory.\n";
	} catch (error) {
		return `The prompt block cannot be shown: ${errorMessage(error)}\n`;
	}
}

/** Asks whose, where other chats are told too: undefined for `@vademecum`'s own. */
async function askWhose(files: readonly UriType[]): Promise<{ readonly file: UriType | undefined } | undefined> {
	if (files.length === 0) {
		return { file: undefined };
	}
	const own = {
		iconPath: new ThemeIcon("comment-discussion"),
		label: "What a chat with @vademecum is given",
		file: undefined,
	};
	const others = files.map((file) => ({
		iconPath: new ThemeIcon("file"),
		label: "What other chats are given",
		description: workspace.asRelativePath(file),
		file,
	}));
	return window.showQuickPick([own, ...others], { title: "Show Prompt Block" });
}

/** @param files those that other chats read. */
export function registerPromptBlock(server: Server, files: () => readonly UriType[]): Disposable[] {
	const uri = Uri.from({ scheme: SCHEME, path: "/Prompt Block.md" });
	const changed = new EventEmitter<Uri>();
	const provider: TextDocumentContentProvider = {
		onDidChange: changed.event,
		provideTextDocumentContent: () => promptText(server.send),
	};
	return [
		changed,
		workspace.registerTextDocumentContentProvider(SCHEME, provider),
		server.on("memory/didChange", () => changed.fire(uri)),
		server.onDidChangeState((state) => {
			if (state.kind === "running") {
				changed.fire(uri);
			}
		}),
		commands.registerCommand("vademecum.showPromptBlock", async () => {
			const whose = await askWhose(files());
			if (!whose) {
				return;
			}
			changed.fire(uri);
			const document = await workspace.openTextDocument(whose.file ?? uri);
			await languages.setTextDocumentLanguage(document, "markdown");
			await window.showTextDocument(document, { preview: false });
		}),
	];
}
