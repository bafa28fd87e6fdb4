/** `/memory import` and `/memory export`: what would come is shown first, and nothing that is there is written over. */
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Disposable } from "vscode";
import { fenced } from "../commands/memory";
import { inCurrentFolder } from "../folders";
import type { ExportFormat, Imported, Span } from "../memory/protocol";
import { errorMessage, type Send } from "../protocol";
import { commands, Uri, window, workspace } from "../vscodeapi";
import type { Asked, Done } from "./asked";
import { code, escaped } from "./markdown";

/** Items of a preview that are shown. */
const SHOWN = 50;

const SPANS: readonly Span[] = ["user", "project", "all"];
const FORMATS: readonly ExportFormat[] = ["archive", "codebuddy", "list"];

/** Shows what a source would bring, with a button that takes it. */
export async function importMemories({ send, stream, token }: Asked, path: string): Promise<Done> {
	const source = path ? placed(path) : await chosenSource();
	if (!source) {
		stream.markdown("Nothing was chosen.");
		return { brief: "(Nothing was imported.)" };
	}
	stream.progress("Reading what is there…");
	const preview = await send("memory/import", { source, dryRun: true, ...inCurrentFolder() }, token);
	const new_ = preview.items.filter(({ action }) => action === "add" || action === "similar");
	stream.markdown(`${escaped(said(preview))}\n\n${listed(preview)}`);
	if (new_.length) {
		stream.button({
			command: "vademecum.chat.import",
			title: `Import ${new_.length}`,
			arguments: [source, new_.map(({ key }) => key)],
		});
	}
	return { brief: `(A preview of an import was shown: ${new_.length} new memories.)` };
}

function said({ format, added, same, refused }: Imported): string {
	const parts = [
		`${added} new`,
		...(same ? [`${same} there already`] : []),
		...(refused ? [`${refused} that cannot be taken`] : []),
	];
	return `Read as ${format}: ${parts.join(", ")}.`;
}

const SIGNS = { add: "+", similar: "+", same: "=", skip: "–", refuse: "✗" } as const;

function listed({ items }: Imported): string {
	const lines = items.slice(0, SHOWN).map(({ action, title, where, reason }) => {
		const near = action === "similar" ? " (comes close to others)" : "";
		return `- ${SIGNS[action]} ${escaped(title || where)}${near}${reason ? `: ${escaped(reason)}` : ""}`;
	});
	const more = items.length > SHOWN ? [`- … ${items.length - SHOWN} more`] : [];
	return `${[...lines, ...more].join("\n")}\n`;
}

async function chosenSource(): Promise<string | undefined> {
	const [chosen] =
		(await window.showOpenDialog({
			title: "Import Memories",
			openLabel: "Look at It",
			canSelectFiles: true,
			canSelectFolders: true,
		})) ?? [];
	return chosen?.toString();
}

/** Takes exactly what the preview showed. */
export async function takeImport(send: Send, source: string, only: readonly string[]): Promise<void> {
	try {
		const { added, refused } = await send("memory/import", { source, only, ...inCurrentFolder() });
		const left = refused ? `; ${refused} could not be taken` : "";
		void window.showInformationMessage(`Imported ${added} ${added === 1 ? "memory" : "memories"}${left}.`);
	} catch (error) {
		void window.showErrorMessage(`Not imported: ${errorMessage(error)}`);
	}
}

/** What is exported, in which form, and where to. */
export function exportOf(text: string): {
	readonly scope: Span;
	readonly format?: ExportFormat;
	readonly path: string;
} {
	let rest = text.trim();
	let scope: Span = "all";
	let format: ExportFormat | undefined;
	for (;;) {
		const [word = ""] = rest.split(/\s/, 1);
		const span = SPANS.find((each) => each === word);
		const form = FORMATS.find((each) => each === word);
		if (!span && !form) {
			return { scope, ...(format ? { format } : {}), path: rest };
		}
		scope = span ?? scope;
		format = form ?? format;
		rest = rest.slice(word.length).trim();
	}
}

/** Exports into a file that is not there yet; a list without a file is shown. */
export async function exportMemories({ send, stream, token }: Asked, text: string): Promise<Done> {
	const wanted = exportOf(text);
	const format = wanted.format ?? (wanted.path ? "archive" : "list");
	const target = wanted.path ? placed(wanted.path) : format === "list" ? undefined : await chosenTarget(format);
	if (format !== "list" && !target) {
		stream.markdown("Nothing was chosen.");
		return { brief: "(Nothing was exported.)" };
	}
	stream.progress("Exporting…");
	const params = { format, scope: wanted.scope, ...(target ? { target } : {}), ...inCurrentFolder() };
	const done = await send("memory/export", params, token);
	const count = `${done.memories} ${done.memories === 1 ? "memory" : "memories"}`;
	if (done.path) {
		stream.markdown(`Exported ${count} to ${code(done.path)}. The file is yours alone to read.`);
	} else {
		stream.markdown(`${count}:\n\n${fenced(done.text ?? "", "markdown")}\n`);
	}
	return { brief: `(Exported ${count}.)` };
}

async function chosenTarget(format: ExportFormat): Promise<string | undefined> {
	const name = format === "archive" ? "vademecum-memory.json" : "memory.json";
	const chosen = await window.showSaveDialog({
		title: "Export Memories",
		defaultUri: Uri.file(join(homedir(), name)),
		saveLabel: "Export",
	});
	return chosen?.toString();
}

/** A path as it is written by hand: from home, from the open folder, or whole. */
export function placed(path: string): string {
	const plain = path.replace(/^(["'`])(?<inside>.*)\1$/, "$<inside>");
	if (/^file:/.test(plain)) {
		return plain;
	}
	if (plain === "~" || plain.startsWith("~/")) {
		return Uri.file(join(homedir(), plain.slice(1))).toString();
	}
	const folder = workspace.workspaceFolders?.[0]?.uri;
	return isAbsolute(plain) || !folder ? Uri.file(plain).toString() : Uri.joinPath(folder, plain).toString();
}

export function registerImport(send: Send): Disposable {
	return commands.registerCommand("vademecum.chat.import", (source: string, only: readonly string[]) =>
		takeImport(send, source, only),
	);
}
