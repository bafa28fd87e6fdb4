/** Files below a folder that we write for others to read: ours as long as they say so, and no other file is written over. */
import { randomUUID } from "node:crypto";
import { lstat, mkdir, readFile, realpath, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";

/** One such file, whichever folder it is in. */
export interface ManagedFile {
	/** Below the folder, with `/`. */
	readonly path: string;
	/** Stands in every text of it that we ever wrote, and in no other. */
	readonly marker: string;
}

/** A file of that name is there and is not ours, or is no plain file of the folder. */
export class NotOurs extends Error {
	constructor(path: string) {
		super(`${path} is there and was not written by Vademecum; it is left alone`);
		this.name = "NotOurs";
	}
}

/** Writes the file whole or not at all, for its user alone. Returns whether anything changed. Throws NotOurs. */
export async function writeManaged(folder: string, file: ManagedFile, text: string): Promise<boolean> {
	const path = join(folder, file.path);
	const there = await readOurs(path, file);
	if (there === text) {
		return false;
	}
	await mkdir(dirname(path), { recursive: true });
	await mustBeInside(folder, path, file);
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
export async function removeManaged(folder: string, file: ManagedFile): Promise<boolean> {
	const path = join(folder, file.path);
	if ((await readOurs(path, file)) === undefined) {
		return false;
	}
	await mustBeInside(folder, path, file);
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
async function readOurs(path: string, { marker }: ManagedFile): Promise<string | undefined> {
	try {
		if (!(await lstat(path)).isFile()) {
			throw new NotOurs(path);
		}
		const text = await readFile(path, "utf8");
		if (!text.includes(marker)) {
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
async function mustBeInside(folder: string, path: string, file: ManagedFile): Promise<void> {
	const inside = relative(await realpath(folder), await realpath(dirname(path)));
	if (inside !== dirname(file.path).split("/").join(sep)) {
		throw new NotOurs(path);
	}
}
