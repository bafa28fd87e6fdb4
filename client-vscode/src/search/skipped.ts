/** *What Is Not Searched*: the files and folders that the index leaves out, by the reason. */
import type { QuickPickItem } from "vscode";
import { counted } from "../knowledge/words";
import { errorMessage, type Requests, type Send } from "../protocol";
import { commands, QuickPickItemKind, Uri, window, workspace } from "../vscodeapi";
import { reasonOf } from "./words";

/** So many are listed for a folder; the rest is counted. */
const LIMIT = 2_000;

interface Entry extends QuickPickItem {
	readonly path?: string;
	readonly folder?: Uri;
}

export interface SkippedIn {
	/** Where several folders are open. */
	readonly name?: string;
	readonly uri: Uri;
	readonly skipped: Requests["search/skipped"][1];
}

/** The entries, those of one reason together; the reason with the fewest first, since it is the rare ones that surprise. */
export function entriesOf(folders: readonly SkippedIn[]): Entry[] {
	const byReason = new Map<string, Entry[]>();
	for (const { name, uri, skipped } of folders) {
		for (const { path, reason } of skipped.items) {
			const entry = { label: path, ...(name ? { description: name } : {}), path, folder: uri };
			byReason.set(reason, [...(byReason.get(reason) ?? []), entry]);
		}
	}
	return [...byReason]
		.sort(([, one], [, other]) => one.length - other.length)
		.flatMap(([reason, entries]) => [
			{ label: `${reasonOf(reason)} (${entries.length})`, kind: QuickPickItemKind.Separator },
			// The separator scrolls away, and a screen reader does not read it with each entry.
			...entries.map((entry) => ({ ...entry, detail: reasonOf(reason) })),
		]);
}

export async function showSkipped(send: Send): Promise<void> {
	const open = workspace.workspaceFolders ?? [];
	if (open.length === 0) {
		void window.showInformationMessage("No folder is open, so no files are searched.");
		return;
	}
	try {
		const folders = await Promise.all(
			open.map(async ({ uri, name }): Promise<SkippedIn> => {
				const asked = { limit: LIMIT, ...(open.length > 1 ? { workspace: uri.toString() } : {}) };
				return { uri, ...(open.length > 1 ? { name } : {}), skipped: await send("search/skipped", asked) };
			}),
		);
		const total = folders.reduce((sum, { skipped }) => sum + skipped.total, 0);
		const listed = folders.reduce((sum, { skipped }) => sum + skipped.items.length, 0);
		if (total === 0) {
			void window.showInformationMessage("Everything in the open folders is searched.");
			return;
		}
		const picked = await window.showQuickPick(entriesOf(folders), {
			title: `Not Searched: ${counted(total, "file or folder", "files and folders")}`,
			placeHolder: listed < total ? `The first ${listed.toLocaleString()} of them; type to narrow` : "Type to narrow",
			matchOnDetail: true,
			matchOnDescription: true,
		});
		if (picked?.path !== undefined && picked.folder) {
			await reveal(picked.folder, picked.path);
		}
	} catch (error) {
		void window.showWarningMessage(`What is not searched cannot be told: ${errorMessage(error)}`);
	}
}

/** Paths are relative to the repository, whose top may lie above the open folder. */
async function reveal(folder: Uri, path: string): Promise<void> {
	for (let base = folder; ; base = Uri.joinPath(base, "..")) {
		const uri = Uri.joinPath(base, path);
		try {
			await workspace.fs.stat(uri);
			return void (await commands.executeCommand("revealInExplorer", uri));
		} catch {
			if (base.path === "/" || base.path === Uri.joinPath(base, "..").path) {
				return;
			}
		}
	}
}
