/** Places in files, as the chat shows them: each is a link to its lines. */
import type { ChatResponseStream } from "vscode";
import type { Cited } from "../tool";
import { Location, Range, Uri, workspace } from "../vscodeapi";

/** Folders above an open one in which a repository may begin, at most. */
const ABOVE = 8;

/** `path:start-end`, with or without the hash of the lines. */
const REFERENCE = /(?<path>[^\s`"'<>|*()[\]]+?):(?<start>\d+)-(?<end>\d+)(?:@[0-9a-f]{16})?(?![\w@])/g;

export interface Reference {
	/** As it was written. */
	readonly text: string;
	readonly path: string;
	/** From 1, both included. */
	readonly start: number;
	readonly end: number;
}

/** The references in a text, each once. */
export function referencesIn(text: string): Reference[] {
	const found = new Map<string, Reference>();
	for (const match of text.matchAll(REFERENCE)) {
		const { path = "", start = "", end = "" } = match.groups ?? {};
		found.set(match[0], { text: match[0], path, start: Number(start), end: Number(end) });
	}
	return [...found.values()];
}

export function locationOf({ uri, range: { start, end } }: Cited): Location {
	return new Location(Uri.parse(uri, true), new Range(start.line, start.character, end.line, end.character));
}

/**
 * The lines of a reference as a place in an open folder; undefined where no such file is there.
 *
 * @param root the folder that is meant, where several are open.
 */
export async function located(
	{ path, start, end }: Omit<Reference, "text">,
	root?: string,
): Promise<Location | undefined> {
	const open = (workspace.workspaceFolders ?? []).map(({ uri }) => uri);
	for (const uri of root === undefined ? open : [Uri.file(root)]) {
		// Paths are relative to the repository, which may begin above the folder that is open.
		let folder = uri;
		for (let level = 0; level <= ABOVE; level++) {
			const file = Uri.joinPath(folder, path);
			if (await isThere(file)) {
				return new Location(file, new Range(start - 1, 0, end, 0));
			}
			const above = Uri.joinPath(folder, "..");
			if (above.toString() === folder.toString()) {
				break;
			}
			folder = above;
		}
	}
	return undefined;
}

async function isThere(file: Uri): Promise<boolean> {
	try {
		await workspace.fs.stat(file);
		return true;
	} catch {
		return false;
	}
}

/** A link to a place within the answer, and an entry in the list of what the answer rests on. */
export function showPlace(stream: ChatResponseStream, place: Location, title: string): void {
	stream.anchor(place, title);
	stream.reference(place);
}
