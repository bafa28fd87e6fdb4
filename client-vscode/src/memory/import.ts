/** *Import Memories…*: what a source would bring is shown first, item by item; what the user then picks is imported. */
import type { CancellationToken, QuickPickItem, Uri as UriType } from "vscode";
import { inCurrentFolder } from "../folders";
import { counted } from "../knowledge/words";
import { errorMessage, isCancelled } from "../protocol";
import { commands, languages, ProgressLocation, ThemeIcon, window, workspace } from "../vscodeapi";
import { each, type MemoryParts, nothingToUndo, offerUndo } from "./actions";
import type { Imported, ImportedItem } from "./protocol";
import { whereOf } from "./store";
import { capitalised } from "./words";

const SHOW = "Show";

const FORMATS: Readonly<Record<string, string>> = {
	archive: "an archive of Vademecum",
	codebuddy: "memories of CodeBuddy",
	codewhale: "memories of CodeWhale",
	yottacode: "memories of YottaCode",
	claudeCode: "memories of Claude Code",
	list: "a list of instructions",
};

const SECTIONS: readonly (readonly [ImportedItem["action"], string])[] = [
	["add", "New"],
	["similar", "New, but close to what is there"],
	["same", "There already"],
	["skip", "Left out"],
	["refuse", "Cannot be taken"],
];

interface ItemPick extends QuickPickItem {
	readonly key: string;
}

/** A file or a folder: lists of instructions, other systems' memories, or an archive. */
export async function importMemories(parts: MemoryParts): Promise<void> {
	const source = await chosenSource();
	if (!source) {
		return;
	}
	const request: ImportRequest = { source: source.toString(), ...inCurrentFolder() };
	try {
		const preview = await previewed(parts, request);
		if (!preview) {
			return;
		}
		const text = previewOf(preview, workspace.asRelativePath(source));
		const document = await workspace.openTextDocument(parts.texts.keep("Import Preview", text));
		await languages.setTextDocumentLanguage(document, "markdown");
		await window.showTextDocument(document, { preview: true, preserveFocus: true });
		const only = await chosenItems(preview);
		if (!only) {
			return;
		}
		const done = await progressing("Importing memories", (token) =>
			parts.send("memory/import", { ...request, format: preview.format, only }, token),
		);
		await parts.store.load();
		await tell(parts, done);
	} catch (error) {
		if (!isCancelled(error)) {
			void window.showErrorMessage(`Not imported: ${errorMessage(error)}`);
		}
	}
}

interface ImportRequest {
	readonly source: string;
	readonly format?: string;
	readonly workspace?: string;
}

/** What would come of a source. Where the server cannot tell what it is, the user is asked; undefined if they leave. */
export async function previewed(
	parts: Pick<MemoryParts, "send">,
	request: ImportRequest,
): Promise<Imported | undefined> {
	try {
		return await progressing("Looking at what would be imported", (token) =>
			parts.send("memory/import", { ...request, dryRun: true }, token),
		);
	} catch (error) {
		if (request.format !== undefined || !isUntold(error)) {
			throw error;
		}
	}
	const items = Object.entries(FORMATS).map(([format, label]) => ({ label: capitalised(label), format }));
	const picked = await window.showQuickPick(items, {
		title: "Import Memories",
		placeHolder: "It does not look like any that is known. What is it?",
		ignoreFocusOut: true,
	});
	return picked && previewed(parts, { ...request, format: picked.format });
}

/** Whether it is only the format that the server must be told. */
function isUntold(error: unknown): boolean {
	const fields = (error as { data?: { fields?: unknown } } | undefined)?.data?.fields;
	return Array.isArray(fields) && fields.length === 1 && fields[0]?.field === "format";
}

async function chosenSource(): Promise<UriType | undefined> {
	const what = await window.showQuickPick(
		[
			{
				iconPath: new ThemeIcon("file"),
				label: "A file…",
				description: "CLAUDE.md, AGENTS.md, MEMORY.md, memory.json, an archive",
				folder: false,
			},
			{
				iconPath: new ThemeIcon("folder"),
				label: "A folder…",
				description: "in which another system keeps its memories",
				folder: true,
			},
		],
		{ title: "Import Memories", placeHolder: "It is only read, and you see what it would bring first" },
	);
	const [chosen] =
		(what &&
			(await window.showOpenDialog({
				title: "Import Memories",
				openLabel: "Preview",
				canSelectFiles: !what.folder,
				canSelectFolders: what.folder,
			}))) ??
		[];
	return chosen;
}

function progressing<T>(title: string, work: (token: CancellationToken) => Promise<T>): Thenable<T> {
	const options = { location: ProgressLocation.Notification, title, cancellable: true };
	return window.withProgress(options, (_progress, token) => work(token));
}

/** What would be done, as Markdown. */
export function previewOf(preview: Imported, source: string): string {
	const { items } = preview;
	const parts = SECTIONS.flatMap(([action, label]) => {
		const those = items.filter((item) => item.action === action);
		return those.length ? ["", `## ${label} (${those.length.toLocaleString()})`, "", ...those.map(lineOf)] : [];
	});
	return [
		"# Import preview",
		"",
		`Nothing is imported yet. \`${source}\` was read as ${FORMATS[preview.format] ?? preview.format}.`,
		...(items.length === 0 ? ["", "There is nothing in it that could be remembered."] : parts),
		"",
	].join("\n");
}

function lineOf({ title, where, scope, reason }: ImportedItem): string {
	const told = scope === undefined ? "" : scope === "user" ? ", everywhere" : ", in this project";
	return `- ${title || "(no title)"} — ${where}${told}${reason ? `: ${reason}` : ""}`;
}

/** The keys of what the user wants; undefined when it is nothing. */
async function chosenItems({ items }: Imported): Promise<string[] | undefined> {
	const fresh = items.filter(({ action }) => action === "add" || action === "similar");
	if (fresh.length === 0) {
		void window.showInformationMessage("There is nothing new in it; the preview says why.");
		return undefined;
	}
	const picks: ItemPick[] = fresh.map(({ key, title, where, action }) => ({
		label: title || where,
		description: [where, ...(action === "similar" ? ["comes close to what is there"] : [])].join(" · "),
		picked: true,
		key,
	}));
	const picked = await window.showQuickPick(picks, {
		title: `Import ${counted(fresh.length, "memory", "memories")}?`,
		placeHolder: "Take out what you do not want, then confirm",
		canPickMany: true,
		ignoreFocusOut: true,
	});
	return picked?.length ? picked.map(({ key }) => key) : undefined;
}

async function tell(parts: MemoryParts, { added, same, refused, ids }: Imported): Promise<void> {
	const message = [
		`Imported: ${counted(added, "memory", "memories")}.`,
		...(same ? [`There already: ${same.toLocaleString()}.`] : []),
		...(refused ? [`Not taken: ${refused.toLocaleString()}; the preview says why.`] : []),
	].join(" ");
	const made = (ids ?? []).map((id) => parts.store.memory(id)).filter((memory) => memory !== undefined);
	const undo = async () => {
		const gone = await each(made, "deleted", (memory) =>
			parts.send("memory/delete", { id: memory.id, ...whereOf(memory) }),
		);
		void window.showInformationMessage(`Taken out again: ${counted(gone.length, "memory", "memories")}.`);
	};
	const all = made.length === added && added > 0;
	if (!all) {
		nothingToUndo();
	}
	const choice = await (all ? offerUndo(message, undo, SHOW) : window.showInformationMessage(message, SHOW));
	if (choice === SHOW) {
		await commands.executeCommand("vademecum.memory.focus");
	}
}
