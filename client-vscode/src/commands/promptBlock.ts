/** *Show Prompt Block*: exactly what a new chat is told, as a document that cannot be edited and stays current. */
import type { Disposable, TextDocumentContentProvider } from "vscode";
import { errorMessage, type Send } from "../protocol";
import type { Server } from "../server/server";
import { commands, EventEmitter, languages, Uri, window, workspace } from "../vscodeapi";

const SCHEME = "vademecum-prompt";

export async function promptText(send: Send): Promise<string> {
	try {
		const block = await send("memory/prompt", {});
		return block.text || "Nothing is remembered yet. *Vademecum: Remember…* adds the first memory.\n";
	} catch (error) {
		return `The prompt block cannot be shown: ${errorMessage(error)}\n`;
	}
}

export function registerPromptBlock(server: Server): Disposable[] {
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
			changed.fire(uri);
			const document = await workspace.openTextDocument(uri);
			await languages.setTextDocumentLanguage(document, "markdown");
			await window.showTextDocument(document, { preview: false });
		}),
	];
}
