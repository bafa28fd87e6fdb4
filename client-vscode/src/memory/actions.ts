/** What is done to memories: open, rename, edit, pin, move, delete, accept, reject; each for one or several. */
import { brief } from "../brief";
import type { Log } from "../log";
import { errorKind, errorMessage } from "../protocol";
import { Uri, window, workspace } from "../vscodeapi";
import type { MemoryChange } from "./protocol";
import type { MemorySend } from "./sending";
import { type KnownMemory, type MemoryStore, whereOf } from "./store";
import type { ReadOnlyTexts } from "./texts";
import { namesOf } from "./words";

export interface MemoryParts {
	readonly send: MemorySend;
	readonly store: MemoryStore;
	readonly texts: ReadOnlyTexts;
	readonly log: Log;
}

export const UNDO = "Undo";
/** The server's limit of a title, in characters. */
export const TITLE_CHARACTERS = 200;
const DELETE = "Delete for Good";

/** Opens the file of the first: several at once would be a wall of editors. */
export async function open(_parts: MemoryParts, memories: readonly KnownMemory[]): Promise<void> {
	const [memory] = memories;
	if (memory) {
		await openFile(Uri.parse(memory.uri, true));
	}
}

export async function openFile(uri: Uri): Promise<void> {
	try {
		await window.showTextDocument(await workspace.openTextDocument(uri));
	} catch (error) {
		void window.showWarningMessage(`Cannot be opened: ${errorMessage(error)}`);
	}
}

export async function rename(parts: MemoryParts, memories: readonly KnownMemory[]): Promise<void> {
	const [memory] = memories;
	if (!memory) {
		return;
	}
	const title = await window.showInputBox({
		title: "Rename Memory",
		prompt: "What is it called? Chats are told its title with its text.",
		value: memory.title,
		ignoreFocusOut: true,
		validateInput: (value) => (value.trim() ? titleFault(value) : "A memory needs a title."),
	});
	if (title?.trim() && title.trim() !== memory.title) {
		await changeOne(parts, memory, { title: title.trim() }, "Renamed");
	}
}

/** A text of one line is changed in a box, a longer one in its file. */
export async function edit(parts: MemoryParts, memories: readonly KnownMemory[]): Promise<void> {
	const [memory] = memories;
	if (!memory) {
		return;
	}
	let content: string;
	let revision: string;
	try {
		({ content, revision } = await parts.send("memory/get", { id: memory.id, ...whereOf(memory) }));
	} catch (error) {
		void window.showErrorMessage(`Cannot be edited: ${errorMessage(error)}`);
		return;
	}
	if (/[\r\n]/.test(content.trim())) {
		await open(parts, [memory]);
		return;
	}
	const text = await window.showInputBox({
		title: `Edit: ${brief(memory.title)}`,
		prompt: "What should later chats know? For more than a line, open the file instead.",
		value: content.trim(),
		ignoreFocusOut: true,
		validateInput: (value) => (value.trim() ? undefined : "Say something, or delete the memory instead."),
	});
	if (text?.trim() && text.trim() !== content.trim()) {
		await changeOne(parts, memory, { content: text.trim(), revision }, "Changed");
	}
}

export function titleFault(value: string): string | undefined {
	return [...value.trim()].length > TITLE_CHARACTERS ? `At most ${TITLE_CHARACTERS} characters.` : undefined;
}

/** The former version comes back with Undo. */
async function changeOne(parts: MemoryParts, memory: KnownMemory, change: MemoryChange, done: string): Promise<void> {
	try {
		const based = { revision: memory.revision, ...change };
		const now = await parts.send("memory/update", { id: memory.id, ...based, ...whereOf(memory) });
		await offerUndo(`${done}: ${namesOf([now])}.`, () => restoreAll(parts, [memory]));
	} catch (error) {
		void window.showErrorMessage(`“${brief(memory.title)}” is not changed: ${whyNot(error)}`);
		void parts.store.load();
	}
}

/** What the server says of an id is for those who send one; a person is told what became of the memory. */
function whyNot(error: unknown): string {
	switch (errorKind(error)) {
		case "conflict":
			return "it was changed meanwhile. Look at it, and try again.";
		case "notFound":
			return "it is not there any more.";
		default:
			return errorMessage(error);
	}
}

export async function pin(parts: MemoryParts, memories: readonly KnownMemory[]): Promise<void> {
	await each(memories, "pinned", (memory) => update(parts, memory, { pinned: true }));
}

export async function unpin(parts: MemoryParts, memories: readonly KnownMemory[]): Promise<void> {
	await each(memories, "unpinned", (memory) => update(parts, memory, { pinned: false }));
}

/** Deletes without a question, since Undo brings everything back. */
export async function remove(parts: MemoryParts, memories: readonly KnownMemory[]): Promise<void> {
	const done = await each(memories, "deleted", (memory) =>
		parts.send("memory/delete", { id: memory.id, ...whereOf(memory) }),
	);
	if (done.length > 0) {
		await offerUndo(`Deleted: ${namesOf(done)}. No chat is told of it any more.`, () => restoreAll(parts, done));
	}
}

/** Removes what the user confirms, with all that was kept of it. */
export async function purge(parts: MemoryParts, memories: readonly KnownMemory[]): Promise<void> {
	if (memories.length === 0) {
		return;
	}
	const detail = "Its file, its prior versions and all that was made of it are removed. There is no way back.";
	const question = `Delete ${namesOf(memories)} for good?`;
	if ((await window.showWarningMessage(question, { modal: true, detail }, DELETE)) !== DELETE) {
		return;
	}
	const done = await each(memories, "deleted", (memory) =>
		parts.send("memory/purge", { id: memory.id, ...whereOf(memory) }),
	);
	nothingToUndo();
	// The server tells nobody of a purge.
	await parts.store.load();
	if (done.length > 0) {
		void window.showInformationMessage(`Deleted for good: ${namesOf(done)}.`);
	}
}

export async function accept(parts: MemoryParts, memories: readonly KnownMemory[]): Promise<void> {
	const done = await each(memories, "accepted", (memory) =>
		parts.send("memory/review", { id: memory.id, verdict: "accept", ...whereOf(memory) }),
	);
	if (done.length > 0) {
		nothingToUndo();
		void window.showInformationMessage(`Accepted: ${namesOf(done)}. Chats know it from now on.`);
	}
}

export async function reject(parts: MemoryParts, memories: readonly KnownMemory[]): Promise<void> {
	const done = await each(memories, "rejected", (memory) =>
		parts.send("memory/review", { id: memory.id, verdict: "reject", ...whereOf(memory) }),
	);
	if (done.length > 0) {
		await offerUndo(`Rejected: ${namesOf(done)}. It is not found in chats again.`, () => restoreAll(parts, done));
	}
}

/** The way back from what was done last; undefined where there is none. */
let wayBack: (() => Promise<void>) | undefined;

/**
 * Says what was done, with a way back, which a command goes, too: a notification is soon out of sight.
 *
 * @param others further buttons, before that of undoing.
 * @returns the button that was pressed.
 */
export async function offerUndo(
	message: string,
	undo: () => Promise<void>,
	...others: readonly string[]
): Promise<string | undefined> {
	let gone = false;
	const once = async () => {
		if (!gone) {
			gone = true;
			wayBack = wayBack === once ? undefined : wayBack;
			try {
				await undo();
			} catch (error) {
				void window.showErrorMessage(`Not undone: ${whyNot(error)}`);
			}
		}
	};
	wayBack = once;
	const choice = await window.showInformationMessage(message, ...others, UNDO);
	if (choice === UNDO) {
		await once();
	}
	return choice;
}

/** Something was done last that cannot be undone; going back to before would undo another change than is meant. */
export function nothingToUndo(): void {
	wayBack = undefined;
}

export async function undoLast(): Promise<void> {
	if (wayBack) {
		await wayBack();
	} else {
		void window.showInformationMessage("There is no change of memories to undo in this window.");
	}
}

/** Brings back the version before the last change of each, or what was deleted. */
export async function restoreAll(parts: MemoryParts, memories: readonly KnownMemory[]): Promise<void> {
	const done = await each(memories, "brought back", (memory) =>
		parts.send("memory/restore", { id: memory.id, ...whereOf(memory) }),
	);
	if (done.length > 0) {
		void window.showInformationMessage(`As before: ${namesOf(done)}.`);
	}
}

/** A change of a memory that is as it was looked at. */
export function update({ send }: MemoryParts, memory: KnownMemory, change: MemoryChange): Promise<unknown> {
	return send("memory/update", { id: memory.id, ...change, ...whereOf(memory) });
}

/** Does it to each; those that could not be are told of, the first with its reason. */
export async function each(
	memories: readonly KnownMemory[],
	done: string,
	work: (memory: KnownMemory) => Promise<unknown>,
): Promise<KnownMemory[]> {
	const worked: KnownMemory[] = [];
	const failed: { memory: KnownMemory; why: string }[] = [];
	for (const memory of memories) {
		try {
			await work(memory);
			worked.push(memory);
		} catch (error) {
			failed.push({ memory, why: whyNot(error) });
		}
	}
	const [first] = failed;
	if (first) {
		void window.showErrorMessage(`${namesOf(failed.map(({ memory }) => memory))} not ${done}: ${first.why}`);
	}
	return worked;
}
