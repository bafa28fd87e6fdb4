/** What other programs do to the folders that documents are kept in, as far as the editor notices. */
import type { Disposable } from "vscode";
import { RelativePattern, Uri, workspace } from "../vscodeapi";
import type { KnowledgeStore } from "./store";

/** Writers put several files there one after the other; within so many milliseconds they are one change. */
const SETTLE = 300;

/** The folders that these files lie in, and those beside them for revisions that wait. */
export function foldersOf(files: readonly string[]): string[] {
	const folders = files.map((uri) => uri.slice(0, uri.lastIndexOf("/")));
	return [...new Set(folders.flatMap((folder) => [folder, `${folder}/pending`]))];
}

/** Has the store look again when a file of theirs changes. The server tells only what it did itself. */
export function watchFolders(store: KnowledgeStore): Disposable {
	const watched = new Map<string, Disposable>();
	let timer: NodeJS.Timeout | undefined;
	const soon = () => {
		clearTimeout(timer);
		timer = setTimeout(() => void store.load(), SETTLE);
	};
	const follow = () => {
		if (store.holding.kind !== "known") {
			return;
		}
		for (const folder of foldersOf(store.documents.map(({ uri }) => uri))) {
			if (!watched.has(folder)) {
				// One folder without those below it is all that a pattern without a slash makes the editor watch.
				const watcher = workspace.createFileSystemWatcher(new RelativePattern(Uri.parse(folder, true), "*.md"));
				watched.set(
					folder,
					both(watcher, watcher.onDidCreate(soon), watcher.onDidChange(soon), watcher.onDidDelete(soon)),
				);
			}
		}
	};
	const listening = store.onDidChange(follow);
	follow();
	return {
		dispose() {
			clearTimeout(timer);
			listening.dispose();
			for (const watcher of watched.values()) {
				watcher.dispose();
			}
		},
	};
}

function both(...parts: Disposable[]): Disposable {
	return {
		dispose() {
			for (const part of parts) {
				part.dispose();
			}
		},
	};
}
