/** What is done to the files of memories by hand or by other programs, as far as the editor notices. */
import { basename, dirname } from "node:path";
import type { Disposable } from "vscode";
import { RelativePattern, Uri, workspace } from "../vscodeapi";
import type { StoreReport } from "./protocol";
import type { MemoryStore } from "./store";

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
	const watched = new Map<string, Disposable[]>();
	const soon = () => store.soon();
	const follow = () => {
		if (store.holding.kind !== "known") {
			return;
		}
		for (const report of store.holding.report.stores) {
			const { folder, pattern } = watchedOf(report);
			const key = `${folder}/${pattern}`;
			// A folder that is not there is not noticed when it comes; what is kept in it, the server tells.
			if (report.exists && !watched.has(key)) {
				const watcher = workspace.createFileSystemWatcher(new RelativePattern(Uri.file(folder), pattern));
				watched.set(key, [watcher, watcher.onDidCreate(soon), watcher.onDidChange(soon), watcher.onDidDelete(soon)]);
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
			for (const each of [...listeners, ...[...watched.values()].flat()]) {
				each.dispose();
			}
		},
	};
}
