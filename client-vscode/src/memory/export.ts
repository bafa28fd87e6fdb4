/** *Export Memories…*: an archive of everything, or a form that other systems read, into a file that the user names. */
import { homedir } from "node:os";
import type { QuickPickItem, Uri as UriType } from "vscode";
import { hasFolder, inCurrentFolder } from "../folders";
import { counted } from "../knowledge/words";
import { errorMessage, isCancelled } from "../protocol";
import { commands, ProgressLocation, ThemeIcon, Uri, window, workspace } from "../vscodeapi";
import type { MemoryParts } from "./actions";
import type { ExportFormat, Span } from "./protocol";

const REVEAL = "Open";

interface Form extends QuickPickItem {
	readonly format: ExportFormat;
	readonly name: string;
	readonly ends: string;
}

const FORMS: readonly Form[] = [
	{
		iconPath: new ThemeIcon("archive"),
		label: "Archive",
		description: "everything, with prior versions and charters; can be imported again, byte for byte",
		format: "archive",
		name: "vademecum-memories.json",
		ends: "json",
	},
	{
		iconPath: new ThemeIcon("list-unordered"),
		label: "List",
		description: "Markdown as in AGENTS.md or CLAUDE.md; what a chat is told",
		format: "list",
		name: "memories.md",
		ends: "md",
	},
	{
		iconPath: new ThemeIcon("json"),
		label: "CodeBuddy's memory.json",
		description: "what a chat is told",
		format: "codebuddy",
		name: "memory.json",
		ends: "json",
	},
];

export async function exportMemories(parts: MemoryParts): Promise<void> {
	const form = await window.showQuickPick(FORMS, { title: "Export Memories", placeHolder: "In which form?" });
	const span = form && (await chosenSpan(form.format));
	if (!form || !span) {
		return;
	}
	const target = await window.showSaveDialog({
		title: "Export Memories",
		saveLabel: "Export",
		defaultUri: Uri.joinPath(Uri.file(homedir()), form.name),
		filters: { [form.ends === "md" ? "Markdown" : "JSON"]: [form.ends] },
	});
	if (!target) {
		return;
	}
	try {
		const { memories } = await write(parts, target, form.format, span);
		const message = `Exported: ${counted(memories, "memory", "memories")}, to ${target.fsPath}. The file is yours alone to read.`;
		if ((await window.showInformationMessage(message, REVEAL)) === REVEAL) {
			await commands.executeCommand("vscode.open", target);
		}
	} catch (error) {
		if (!isCancelled(error)) {
			void window.showErrorMessage(`Not exported: ${errorMessage(error)}`);
		}
	}
}

async function chosenSpan(format: ExportFormat): Promise<Span | undefined> {
	const all =
		format === "archive" ? "about you, and of every project that was ever opened" : "about you, and of this project";
	const spans: { label: string; description: string; span: Span }[] = [
		{ label: "All memories", description: all, span: "all" },
		{ label: "Those that hold everywhere", description: "about you", span: "user" },
	];
	if (hasFolder()) {
		spans.push({ label: "Those of this project", description: "", span: "project" });
	}
	return (await window.showQuickPick(spans, { title: "Export Memories", placeHolder: "Which ones?" }))?.span;
}

/** The server writes over nothing; what the user agreed to replace is replaced when the new file is whole. */
async function write({ send }: MemoryParts, target: UriType, format: ExportFormat, scope: Span) {
	const there = await exists(target);
	const written = there ? target.with({ path: `${target.path}.${Date.now()}.new` }) : target;
	const options = { location: ProgressLocation.Notification, title: "Exporting memories", cancellable: true };
	const request = { format, scope, target: written.toString(), ...(scope === "all" ? {} : inCurrentFolder()) };
	const exported = await window.withProgress(options, (_progress, token) => send("memory/export", request, token));
	if (there) {
		await workspace.fs.rename(written, target, { overwrite: true });
	}
	return exported;
}

async function exists(uri: UriType): Promise<boolean> {
	try {
		await workspace.fs.stat(uri);
		return true;
	} catch {
		return false;
	}
}
