/**
 * The instructions file that other chats of the editor read by themselves: what is remembered, as a new chat of
 * `@vademecum` is told it. It is ours as long as it says so, and no other file is ever written over.
 */
import { randomUUID } from "node:crypto";
import { lstat, mkdir, readFile, realpath, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";

/** Below the folder; the editor looks for instructions there. */
export const INSTRUCTIONS = ".github/instructions/vademecum.instructions.md";

const MARKER = "<!-- Managed by Vademecum";
const HEAD = `---
applyTo: "**"
description: What Vademecum remembers about the user and this project
---

${MARKER}: written anew whenever memory changes, so changes made here are lost.
"Vademecum: Stop Telling Other Chats" removes this file. -->

`;

/** A file of that name is there and is not ours, or is no plain file of the folder. */
export class NotOurs extends Error {
	constructor(path: string) {
		super(`${path} is there and was not written by Vademecum; it is left alone`);
		this.name = "NotOurs";
	}
}

/** The whole file. What follows the head is the prompt block, to the letter. */
export function instructionsText(block: string): string {
	return HEAD + block;
}

/** The prompt block in such a file; undefined when it is not ours. */
export function blockIn(text: string): string | undefined {
	return text.startsWith(HEAD) ? text.slice(HEAD.length) : undefined;
}

/** Writes the file whole or not at all, for its user alone. Returns whether anything changed. Throws NotOurs. */
export async function writeInstructions(folder: string, block: string): Promise<boolean> {
	const path = join(folder, INSTRUCTIONS);
	const text = instructionsText(block);
	const there = await readOurs(path);
	if (there === text) {
		return false;
	}
	await mkdir(dirname(path), { recursive: true });
	await mustBeInside(folder, path);
	const temporary = `${path}.${randomUUID()}.new`;
	try {
		await writeFile(temporary, text, { mode: 0o600, flag: "wx" });
		await rename(temporary, path);
	} finally {
		await rm(temporary, { force: true });
	}
	return true;
}

/** Removes the file, and the folders that are empty without it. Returns whether it was there. Throws NotOurs. */
export async function removeInstructions(folder: string): Promise<boolean> {
	const path = join(folder, INSTRUCTIONS);
	if ((await readOurs(path)) === undefined) {
		return false;
	}
	await mustBeInside(folder, path);
	await rm(path, { force: true });
	for (let above = dirname(path); above !== folder; above = dirname(above)) {
		try {
			await rmdir(above);
		} catch {
			break; // others have files there
		}
	}
	return true;
}

/** The text of the file; undefined when it is not there. Throws NotOurs. */
async function readOurs(path: string): Promise<string | undefined> {
	try {
		if (!(await lstat(path)).isFile()) {
			throw new NotOurs(path);
		}
		const text = await readFile(path, "utf8");
		// Also an older head of ours.
		if (!text.includes(MARKER)) {
			throw new NotOurs(path);
		}
		return text;
	} catch (error) {
		if ((error as { code?: unknown }).code === "ENOENT") {
			return undefined;
		}
		throw error;
	}
}

/** A link within a repository must not lead our writing out of it. */
async function mustBeInside(folder: string, path: string): Promise<void> {
	const inside = relative(await realpath(folder), await realpath(dirname(path)));
	if (inside !== dirname(INSTRUCTIONS).split("/").join(sep)) {
		throw new NotOurs(path);
	}
}
