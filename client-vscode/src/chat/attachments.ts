/** Files and selections that the user attached to a message, as text. */
import type { ChatPromptReference } from "vscode";
import { fenced } from "../commands/memory";
import { Location, Uri, workspace } from "../vscodeapi";

/** Characters of one attachment; the rest is left out with a notice. */
const CHARACTERS = 20_000;

export async function attachmentTexts(references: readonly ChatPromptReference[]): Promise<string[]> {
	return (await Promise.all(references.map(attachmentText))).filter((text) => text !== "");
}

async function attachmentText(reference: ChatPromptReference): Promise<string> {
	const { value } = reference;
	if (typeof value === "string") {
		return `Attached by the user: ${value}`;
	}
	if (value instanceof Uri) {
		return fileText(value);
	}
	if (value instanceof Location) {
		return fileText(value.uri, value);
	}
	return "";
}

async function fileText(uri: Uri, location?: Location): Promise<string> {
	const path = workspace.asRelativePath(uri);
	try {
		const document = await workspace.openTextDocument(uri);
		const whole = document.getText(location?.range);
		const text = whole.slice(0, CHARACTERS);
		const from = location ? `, from line ${location.range.start.line + 1}` : "";
		const cut = text.length < whole.length ? "\n(The rest is left out.)" : "";
		return `Attached by the user: ${path}${from}\n${fenced(text, document.languageId)}${cut}`;
	} catch {
		return `Attached by the user: ${path} (cannot be read as text)`;
	}
}
