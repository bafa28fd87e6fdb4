/** Which windows are open on this storage, and which environment each uses: a file for each, named after its process. */
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { isAlive } from "./lock";

const FOLDER = "windows";
/** A window of another machine (a home on the network, a container) is taken for gone after so long. */
const UNSEEN_DAYS = 14;

/** Says that this window uses the environment, and no other one, or `also` those that it used before. */
export async function signIn(storage: string, environment: string, also = false): Promise<void> {
	const folder = join(storage, FOLDER);
	await mkdir(folder, { recursive: true, mode: 0o700 });
	const path = join(folder, `${process.pid}@${hostname()}`);
	const before = also ? await usedBy(path) : [];
	await writeFile(`${path}.new`, [...before, environment].join("\n"));
	await rename(`${path}.new`, path);
}

/** The environments that open windows use; what windows that are gone left here is removed. */
export async function environmentsInUse(storage: string): Promise<ReadonlySet<string>> {
	const folder = join(storage, FOLDER);
	const used = new Set<string>();
	for (const name of await readdir(folder).catch(() => [])) {
		const path = join(folder, name);
		if (await isOpen(name, path)) {
			for (const environment of await usedBy(path)) {
				used.add(environment);
			}
		} else {
			await rm(path, { force: true });
		}
	}
	return used;
}

async function usedBy(path: string): Promise<readonly string[]> {
	return (await readFile(path, "utf8").catch(() => "")).split("\n").filter(Boolean);
}

async function isOpen(name: string, path: string): Promise<boolean> {
	const [pid = "", host = ""] = name.replace(/\.new$/, "").split("@");
	if (host === hostname()) {
		return isAlive(Number(pid));
	}
	const seen = await stat(path).catch(() => undefined);
	return seen !== undefined && Date.now() - seen.mtimeMs < UNSEEN_DAYS * 24 * 60 * 60 * 1_000;
}
