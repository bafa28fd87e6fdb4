/** Importing documents: files, folders, the text of an editor. Whatever is imported waits for review. */
import type { CancellationToken, Uri as UriType } from "vscode";
import type { Log } from "../log";
import { errorMessage, isCancelled } from "../protocol";
import type { OnProgress } from "../server/server";
import { commands, ProgressLocation, ThemeIcon, window, workspace } from "../vscodeapi";
import { type KnowledgeParts, review } from "./actions";
import type { DocumentOwner, ImportedFolder, KnownDocument } from "./protocol";
import { counted, namesOf } from "./words";

/** The server's limit of a title, in characters. */
const TITLE_CHARACTERS = 200;
const FILTERS = {
	"Markdown and text": ["md", "markdown", "mdown", "mkd", "mkdn", "mdx", "txt"],
	"All files": ["*"],
};
const REVIEW = "Review";
const SHOW = "Show";
const SHOW_LOG = "Show Log";

/** What became of all that was named. */
interface Harvest {
	readonly documents: KnownDocument[];
	unchanged: number;
	readonly skipped: { readonly path: string; readonly reason: string }[];
	followed: boolean;
}

export async function importFiles(parts: KnowledgeParts, owner?: DocumentOwner): Promise<void> {
	const title = owner === "system" ? "Import Documents for the Team" : "Import Documents";
	const chosen = await window.showOpenDialog({ title, openLabel: "Import", canSelectMany: true, filters: FILTERS });
	await importSources(parts, chosen ?? [], owner === undefined ? {} : { owner });
}

export async function importFolder(parts: KnowledgeParts, owner?: DocumentOwner): Promise<void> {
	const chosen = await window.showOpenDialog({
		title: "Import a Folder of Documents",
		openLabel: "Import",
		canSelectFiles: false,
		canSelectFolders: true,
	});
	const [folder] = chosen ?? [];
	if (folder) {
		await importChosenFolder(parts, folder, owner);
	}
}

/** A folder that is named already; whether it is followed is asked. */
export async function importChosenFolder(parts: KnowledgeParts, folder: UriType, owner?: DocumentOwner): Promise<void> {
	const how = await window.showQuickPick(
		[
			{
				iconPath: new ThemeIcon("sync"),
				label: "Follow the folder",
				description: "what changes in it later waits for your review, too",
				follow: true,
			},
			{
				iconPath: new ThemeIcon("arrow-down"),
				label: "Import once",
				description: "later changes are not noticed",
				follow: false,
			},
		],
		{ title: "Import a Folder of Documents", placeHolder: "Markdown and .txt in the folder and those below it" },
	);
	if (how) {
		await importSources(parts, [folder], { follow: how.follow, ...(owner === undefined ? {} : { owner }) });
	}
}

/** For the system documents of a team; the server says so where there is no shared folder. */
export async function importShared(parts: KnowledgeParts): Promise<void> {
	const what = await window.showQuickPick(
		[
			{ iconPath: new ThemeIcon("file"), label: "Files…", run: importFiles },
			{ iconPath: new ThemeIcon("folder"), label: "A folder…", run: importFolder },
		],
		{ title: "Import Documents for the Team", placeHolder: "They go into the folder that knowledge.shared names" },
	);
	await what?.run(parts, "system");
}

/** What is selected in the explorer: files, or one folder. */
export async function importResources(parts: KnowledgeParts, uris: readonly UriType[]): Promise<void> {
	const [first] = uris;
	if (first && uris.length === 1 && (await isFolder(first))) {
		await importChosenFolder(parts, first);
	} else {
		await importSources(parts, uris, {});
	}
}

/** The selected text, or all of the active editor, saved or not. */
export async function importText(parts: KnowledgeParts): Promise<void> {
	const editor = window.activeTextEditor;
	const selected = editor?.document.getText(editor.selection) ?? "";
	const text = selected.trim() ? selected : (editor?.document.getText() ?? "");
	if (!editor || !text.trim()) {
		void window.showInformationMessage("Open the text that is to be a document first, or select it.");
		return;
	}
	const title = await window.showInputBox({
		title: "Import Text as Document",
		prompt: selected.trim() ? "What is the selected text called?" : "What is the text of this editor called?",
		value: titleOf(text),
		ignoreFocusOut: true,
		validateInput: (value) =>
			[...value.trim()].length > TITLE_CHARACTERS ? `At most ${TITLE_CHARACTERS} characters.` : undefined,
	});
	if (!title?.trim()) {
		return;
	}
	try {
		const document = await parts.send("knowledge/import", { text, title: title.trim() });
		await tell(parts, { documents: [document as KnownDocument], unchanged: 0, skipped: [], followed: false });
	} catch (error) {
		void window.showErrorMessage(`Not imported: ${errorMessage(error)}`);
	}
}

/** The first heading of Markdown, else the first line. */
export function titleOf(text: string): string {
	const lines = text.split(/\r\n|\r|\n/).map((line) => line.trim());
	const heading = lines.find((line) => /^#{1,6}\s+\S/.test(line));
	const line = heading?.replace(/^#+\s+|\s+#+$/g, "") ?? lines.find(Boolean) ?? "";
	return [...line].slice(0, TITLE_CHARACTERS).join("");
}

async function importSources(
	parts: KnowledgeParts,
	uris: readonly UriType[],
	how: { readonly owner?: DocumentOwner; readonly follow?: boolean },
): Promise<void> {
	if (uris.length === 0) {
		return;
	}
	const before = new Map(parts.store.documents.map((document) => [document.id, document.revision]));
	const harvest: Harvest = { documents: [], unchanged: 0, skipped: [], followed: false };
	const options = {
		location: ProgressLocation.Notification,
		title: `Importing ${uris.length === 1 ? workspace.asRelativePath(uris[0] as UriType) : `${uris.length} files`}`,
		cancellable: true,
	};
	const stopped = await window.withProgress(options, async (progress, token) => {
		for (const uri of uris) {
			if (token.isCancellationRequested) {
				return true;
			}
			if (uris.length > 1) {
				progress.report({ message: workspace.asRelativePath(uri), increment: 100 / uris.length });
			}
			// One folder has a progress of its own; of several files each is a step.
			let reached = 0;
			const told = (message: string, percentage: number | undefined) => {
				progress.report({ message, increment: Math.max(0, (percentage ?? 0) - reached) });
				reached = Math.max(reached, percentage ?? 0);
			};
			if (await importOne(parts, uri, how, harvest, before, token, uris.length === 1 ? told : undefined)) {
				return true;
			}
		}
		return false;
	});
	if (stopped && harvest.documents.length === 0) {
		return;
	}
	await tell(parts, harvest);
}

/** True when it was cancelled. */
async function importOne(
	{ send }: KnowledgeParts,
	uri: UriType,
	how: { readonly owner?: DocumentOwner; readonly follow?: boolean },
	harvest: Harvest,
	before: ReadonlyMap<string, string>,
	token: CancellationToken,
	told: OnProgress | undefined,
): Promise<boolean> {
	try {
		const result = await send("knowledge/import", { source: uri.toString(), ...how }, token, told);
		if (isImportedFolder(result)) {
			harvest.documents.push(...result.documents);
			harvest.unchanged += result.unchanged;
			harvest.skipped.push(...result.skipped);
			harvest.followed ||= result.followed;
		} else if (before.get(result.id) === result.revision) {
			harvest.unchanged += 1;
		} else {
			harvest.documents.push(result);
		}
		return false;
	} catch (error) {
		if (isCancelled(error)) {
			return true;
		}
		harvest.skipped.push({ path: workspace.asRelativePath(uri), reason: errorMessage(error) });
		return false;
	}
}

function isImportedFolder(result: KnownDocument | ImportedFolder): result is ImportedFolder {
	return "documents" in result;
}

async function tell(parts: KnowledgeParts, harvest: Harvest): Promise<void> {
	const { documents, skipped } = harvest;
	note(parts.log, harvest);
	const message = outcomeOf(harvest);
	const actions = [
		...(documents.length === 1 ? [REVIEW] : documents.length > 1 ? [SHOW] : []),
		...(skipped.length > 1 ? [SHOW_LOG] : []),
	];
	const show = documents.length > 0 || skipped.length === 0 ? window.showInformationMessage : window.showErrorMessage;
	const choice = await show(message, ...actions);
	if (choice === REVIEW) {
		await review(parts, documents);
	} else if (choice === SHOW) {
		await commands.executeCommand("vademecum.knowledge.focus");
	} else if (choice === SHOW_LOG) {
		parts.log.show();
	}
}

/** One sentence for each kind of outcome. */
export function outcomeOf({ documents, unchanged, skipped, followed }: Harvest): string {
	const sentences: string[] = [];
	if (documents.length > 0) {
		const wait = documents.length === 1 ? "It waits" : "They wait";
		sentences.push(`Imported: ${namesOf(documents)}. ${wait} for your review.`);
	}
	if (unchanged > 0) {
		sentences.push(`${counted(unchanged, "document is", "documents are")} as before.`);
	}
	const [first] = skipped;
	if (skipped.length === 1 && first) {
		sentences.push(`Not imported: ${first.path}: ${first.reason}`);
	} else if (skipped.length > 1) {
		sentences.push(`Not imported: ${skipped.length} files; the log says why.`);
	}
	if (sentences.length === 0) {
		sentences.push("There is no Markdown or text in it.");
	}
	if (followed) {
		sentences.push("The folder is followed.");
	}
	return sentences.join(" ");
}

function note(log: Log, { skipped }: Harvest): void {
	for (const { path, reason } of skipped) {
		log.info(`not imported: ${path}: ${reason}`);
	}
}

async function isFolder(uri: UriType): Promise<boolean> {
	try {
		return ((await workspace.fs.stat(uri)).type & FOLDER) !== 0;
	} catch {
		return false;
	}
}

/** `FileType.Directory`. */
const FOLDER = 2;
