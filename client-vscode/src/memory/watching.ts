/** What is done to the files of memories by hand or by other programs, as far as the editor notices. */
import { unwatchFile, watchFile } from "node:fs";
import { basename, dirname } from "node:path";
import type { Disposable } from "vscode";
import { RelativePattern, Uri, workspace } from "../vscodeapi";
import type { StoreReport } from "./protocol";
import type { MemoryStore } from "./store";

/** How often it is looked whether a folder has come that was not there, in milliseconds. */
const AWAIT_MILLISECONDS = 1_000;

export interface Watched {
	readonly folder: string;
	/** A pattern without a slash: the editor then watches the folder without those below it. */
	readonly pattern: string;
}

/** A place of memories is a folder of Markdown, or one file of JSON. */
export function watchedOf({ path }: Pick<StoreReport, "path">): Watched {
	return path.endsWith(".json")
		? { folder: dirname(path), pattern: basename(path) }
		: { folder: path, pattern: "*.md" };
}

/** Has the store look again when a file of theirs changes. The server tells only what it did itself. */
export function watchMemories(store: MemoryStore): Disposable {
	const watched = new Map<string, { readonly exists: boolean; readonly all: readonly Disposable[] }>();
	const soon = () => store.soon();
	const follow = () => {
		if (store.holding.kind !== "known") {
			return;
		}
		for (const report of store.holding.report.stores) {
			const { folder, pattern } = watchedOf(report);
			const key = `${folder}/${pattern}`;
			const before = watched.get(key);
			if (before?.exists !== report.exists) {
				disposeAll(before?.all ?? []);
				const all = report.exists ? watchFolder(folder, pattern, soon) : awaitPlace(report.path, soon);
				watched.set(key, { exists: report.exists, all });
			}
		}
	};
	const listeners = [
		store.onDidChange(follow),
		workspace.onDidSaveTextDocument(({ uri }) => {
			const kept = store.memories.some((memory) => memory.uri === uri.toString());
			// A memory may rest on the lines that were changed.
			if (
				kept ||
				watched.has(`${dirname(uri.fsPath)}/*.md`) ||
				store.memories.some(({ evidence }) => evidence.length)
			) {
				soon();
			}
		}),
	];
	follow();
	return {
		dispose() {
			disposeAll([...listeners, ...[...watched.values()].flatMap(({ all }) => all)]);
		},
	};
}

function watchFolder(folder: string, pattern: string, told: () => void): Disposable[] {
	const watcher = workspace.createFileSystemWatcher(new RelativePattern(Uri.file(folder), pattern));
	return [watcher, watcher.onDidCreate(told), watcher.onDidChange(told), watcher.onDidDelete(told)];
}

/** The editor does not notice when a place comes that was not there, such as by what another window remembers. */
function awaitPlace(path: string, told: () => void): Disposable[] {
	watchFile(path, { interval: AWAIT_MILLISECONDS, persistent: false }, told);
	told(); // for the moment until then
	return [{ dispose: () => unwatchFile(path, told) }];
}

function disposeAll(all: readonly Disposable[]): void {
	for (const each of all) {
		each.dispose();
	}
}
