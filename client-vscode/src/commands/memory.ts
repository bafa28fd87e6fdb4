/** *Remember…*, *Remember Selection*, and what follows a save: undo and open. */
import type { QuickPickItem, TextEditor } from "vscode";
import { brief, shortened } from "../brief";
import { currentProject, hasFolder, type Project } from "../folders";
import { offerUndo } from "../memory/actions";
import { type Category, errorKind, errorMessage, type Memory, type Scope, type Send } from "../protocol";
import { commands, ThemeIcon, Uri, window, workspace } from "../vscodeapi";

/** What the server takes as a title, in characters. */
const TITLE_CHARACTERS = 200;

/** Asks for a note and keeps it. */
export async function remember(send: Send): Promise<void> {
	const note = await window.showInputBox({
		title: "Remember",
		prompt: "What should later chats know? One fact, rule or lesson.",
		placeHolder: "This repository uses pnpm, never npm",
		ignoreFocusOut: true,
	});
	if (!note?.trim()) {
		return;
	}
	const project = currentProject();
	const kind = await pickKind(project);
	if (kind) {
		await announce(send, project, () => send("memory/remember", { note: note.trim(), ...kind, ...project.params }));
	}
}

/** Keeps what is selected, with a reference to its lines so that it is noticed when they change. */
export async function rememberSelection(send: Send): Promise<void> {
	const editor = window.activeTextEditor;
	const text = editor?.document.getText(editor.selection).trim();
	if (!editor || !text) {
		void window.showInformationMessage("Select the text that is worth remembering first.");
		return;
	}
	const oneLine = !/[\r\n]/.test(text);
	const title = await window.showInputBox({
		title: "Remember Selection",
		prompt: oneLine
			? "Change it until it is understood on its own."
			: "What do these lines say? They are kept with it.",
		value: oneLine ? text : "",
		ignoreFocusOut: true,
	});
	if (!title?.trim()) {
		return;
	}
	const project = currentProject();
	const kind = await pickKind(project);
	if (!kind) {
		return;
	}
	const content = oneLine ? title.trim() : `${title.trim()}\n\n${fenced(text, editor.document.languageId)}`;
	const evidence = kind.scope === "project" ? await cite(send, editor) : undefined;
	await announce(send, project, () =>
		send("memory/add", {
			title: shortened(title.trim(), TITLE_CHARACTERS),
			content,
			...kind,
			...(evidence ? { evidence: [evidence] } : {}),
			...project.params,
		}),
	);
}

/** Deletes a memory that was just saved. */
export async function undoRemember(send: Send, id: string): Promise<void> {
	try {
		await send("memory/delete", { id });
		void window.showInformationMessage("Forgotten again.");
	} catch (error) {
		void window.showWarningMessage(
			errorKind(error) === "notFound" ? "It is not there any more." : `Not undone: ${errorMessage(error)}`,
		);
	}
}

/** Opens the file a memory is kept in. */
export async function openMemory(send: Send, id: string): Promise<void> {
	try {
		const { uri } = await send("memory/get", { id });
		await window.showTextDocument(await workspace.openTextDocument(Uri.parse(uri, true)));
	} catch (error) {
		void window.showWarningMessage(`Cannot be opened: ${errorMessage(error)}`);
	}
}

async function announce(send: Send, project: Project, save: () => Promise<Memory>): Promise<void> {
	let memory: Memory;
	try {
		memory = await save();
	} catch (error) {
		void window.showErrorMessage(`Not remembered: ${errorMessage(error)}`);
		return;
	}
	// Undoing must never delete a memory that was there before.
	const fresh = !memory.known;
	const where = memory.scope === "user" ? "everywhere" : `in ${project.name}`;
	const message = `${fresh ? `Remembered ${where}` : "Already remembered"}: ${brief(memory.title)}`;
	const undo = () => undoRemember(send, memory.id);
	const choice = await (fresh ? offerUndo(message, undo, "Open") : window.showInformationMessage(message, "Open"));
	if (choice === "Open") {
		await openMemory(send, memory.id);
	}
}

interface Kind {
	readonly scope: Scope;
	readonly category: Category;
}

interface KindItem extends QuickPickItem, Kind {}

/** Rules are told to a model as such, facts as background that it is free to weigh. */
function kindsFor({ name }: Project): readonly KindItem[] {
	const rule = { iconPath: new ThemeIcon("law"), category: "Rule" } as const;
	const fact = { iconPath: new ThemeIcon("info"), category: "Knowledge" } as const;
	return [
		{ ...rule, label: `Rule for ${name}`, description: `chats in ${name} follow it`, scope: "project" },
		{ ...fact, label: `Fact about ${name}`, description: `chats in ${name} know it`, scope: "project" },
		{ ...rule, label: "Rule everywhere", description: "all your chats follow it", scope: "user" },
		{ ...fact, label: "Fact everywhere", description: "all your chats know it", scope: "user" },
	];
}

async function pickKind(project: Project): Promise<Kind | undefined> {
	const kinds = kindsFor(project).filter(({ scope }) => scope === "user" || hasFolder());
	const picked = await window.showQuickPick(kinds, { title: "What is it?", ignoreFocusOut: true });
	return picked && { scope: picked.scope, category: picked.category };
}

/** The reference to the selected lines; none for a file that the server may not cite. */
async function cite(send: Send, editor: TextEditor): Promise<string | undefined> {
	const { document, selection } = editor;
	try {
		const range = {
			start: { line: selection.start.line, character: selection.start.character },
			end: { line: selection.end.line, character: selection.end.character },
		};
		return (await send("evidence/cite", { uri: document.uri.toString(), range })).reference;
	} catch {
		return undefined;
	}
}

/** A code block whose fence is longer than any in the text. */
export function fenced(text: string, language: string): string {
	const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((match) => match[0].length));
	const fence = "`".repeat(longest + 1);
	return `${fence}${language}\n${text}\n${fence}`;
}

export function registerMemoryCommands(send: Send) {
	return [
		commands.registerCommand("vademecum.remember", () => remember(send)),
		commands.registerCommand("vademecum.rememberSelection", () => rememberSelection(send)),
		commands.registerCommand("vademecum.undoRemember", (id: string) => undoRemember(send, id)),
		commands.registerCommand("vademecum.openMemory", (id: string) => openMemory(send, id)),
	];
}
