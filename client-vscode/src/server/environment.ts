/**
 * The server's private Python environment, in the extension's own storage. There may be several: one is never changed
 * once it is complete (the models are added to it, see models.ts), so that an update or a repair makes another beside
 * it, and a window goes on with what it runs until it starts its server anew.
 */
import { createHash, randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ifUnlocked, underLock } from "./lock";
import { type Carried, install, LONGEST_SECONDS } from "./making";
import { CannotStart } from "./problem";
import { pythonFor } from "./python";
import { environmentsInUse, signIn } from "./windows";

const MARKER = "complete.json";
const LOCK = "making.lock";
const PREFIX = "environment-";

export interface EnvironmentParts {
	/** Holds `vademecum-*.whl`, and perhaps wheels of what it needs. */
	readonly wheels: string;
	/** Where environments are kept. */
	readonly storage: string;
	/** The Python that the user wants it to be made with, or empty. */
	readonly python: string;
	readonly platform: NodeJS.Platform;
	readonly report: (message: string) => void;
	readonly log: (line: string) => void;
}

/** Kept in an environment when it is complete. */
interface Marker {
	readonly python: string;
	/** The real path of its interpreter: another one, once the system has replaced that Python. */
	readonly base: string;
	/** Milliseconds since the epoch; of two, the later is taken. */
	readonly made: number;
}

/** The Python of the environment, which is made now if need be. Throws CannotStart. */
export async function privateInterpreter(parts: EnvironmentParts, signal: AbortSignal): Promise<string> {
	return takeOrMake(parts, signal, false);
}

/** As privateInterpreter, but an environment is made in any case; whoever uses another goes on with it. */
export async function newInterpreter(parts: EnvironmentParts, signal: AbortSignal): Promise<string> {
	return takeOrMake(parts, signal, true);
}

async function takeOrMake(parts: EnvironmentParts, signal: AbortSignal, anew: boolean): Promise<string> {
	const { storage, platform } = parts;
	const carried = await carriedIn(parts.wheels);
	const prefix = `${PREFIX}${await fingerprint(carried, parts.python)}-`;
	await mkdir(storage, { recursive: true, mode: 0o700 });
	let taken = anew ? undefined : await take(storage, prefix, platform);
	if (taken === undefined) {
		const onWait = () => parts.report("waiting for another window that is installing the server");
		const waiting = { signal, staleSeconds: LONGEST_SECONDS, onWait };
		taken = await underLock(join(storage, LOCK), waiting, async () => {
			const there = anew ? undefined : await take(storage, prefix, platform);
			return there ?? (await make(join(storage, `${prefix}${randomBytes(3).toString("hex")}`), carried, parts, signal));
		});
	}
	// Nobody waits for it, and who cannot now does it the next time.
	removeOthers(storage, taken).catch((error: Error) => parts.log(`clearing up: ${error.message}`));
	return interpreterIn(join(storage, taken), platform);
}

/**
 * Takes the newest complete environment for this window.
 *
 * A window that clears up takes the marker away before it looks who uses what, and this one signs in before it looks
 * for the marker: one of them sees the other, whatever the order.
 */
async function take(storage: string, prefix: string, platform: NodeJS.Platform): Promise<string | undefined> {
	const complete: { name: string; made: number }[] = [];
	for (const name of await readdir(storage)) {
		const marker = name.startsWith(prefix) ? await markerOf(join(storage, name)) : undefined;
		if (marker && marker.base === (await baseOf(join(storage, name), platform))) {
			complete.push({ name, made: marker.made });
		}
	}
	const newest = complete.sort((one, other) => other.made - one.made)[0]?.name;
	if (newest === undefined) {
		return undefined;
	}
	await signIn(storage, newest);
	return (await markerOf(join(storage, newest))) ? newest : undefined;
}

async function make(folder: string, carried: Carried, parts: EnvironmentParts, signal: AbortSignal): Promise<string> {
	const { report, log, platform, storage } = parts;
	report("looking for Python");
	const python = await pythonFor({ named: parts.python, platform, ...carried }, signal);
	const name = folder.slice(storage.length + 1);
	// What this window's server runs from meanwhile is kept, too.
	await signIn(storage, name, true);
	try {
		const into = { folder, interpreter: interpreterIn(folder, platform), python };
		await install(into, carried, { report, log, signal });
		const marker: Marker = { python: python.version, base: await baseOf(folder, platform), made: Date.now() };
		await writeMarker(folder, marker);
	} catch (error) {
		await rm(folder, { recursive: true, force: true });
		throw error;
	}
	return name;
}

/** Removes what no open window uses: older environments, and what a window that died left half made. */
async function removeOthers(storage: string, current: string): Promise<void> {
	const others = (await readdir(storage)).filter((name) => name.startsWith(PREFIX) && name !== current);
	if (others.length === 0) {
		return;
	}
	await ifUnlocked(join(storage, LOCK), async () => {
		for (const name of others) {
			const folder = join(storage, name);
			const marker = await markerOf(folder);
			await rm(join(folder, MARKER), { force: true });
			if (!(await environmentsInUse(storage)).has(name)) {
				await rm(folder, { recursive: true, force: true }).catch(() => undefined);
			} else if (marker) {
				await writeMarker(folder, marker);
			}
		}
	});
}

export function interpreterIn(folder: string, platform: NodeJS.Platform): string {
	return platform === "win32" ? join(folder, "Scripts", "python.exe") : join(folder, "bin", "python");
}

/** What the extension carries. Throws CannotStart when there is no server in it. */
async function carriedIn(wheels: string): Promise<Carried> {
	const names = await wheelNames(wheels);
	const server = names.find(isServer);
	if (server === undefined) {
		throw new CannotStart(
			"This build of the extension carries no server. Install the server yourself (pip install vademecum) and name it in the settings.",
			"openSettings",
			"vademecum.server.path",
		);
	}
	return { wheels, names, server, installer: names.find((name) => name.startsWith("pip-")) };
}

/** The wheel of the server among those that the extension carries. */
export async function serverWheel(wheels: string): Promise<string | undefined> {
	const name = (await wheelNames(wheels)).find(isServer);
	return name === undefined ? undefined : join(wheels, name);
}

function isServer(name: string): boolean {
	return name.startsWith("vademecum-");
}

async function wheelNames(folder: string): Promise<string[]> {
	try {
		return (await readdir(folder)).filter((name) => name.endsWith(".whl")).sort();
	} catch {
		return [];
	}
}

/** Names the set of wheels: a rebuilt server of the same version is another one. The others' names have their versions. */
async function fingerprint({ wheels, names, server }: Carried, python: string): Promise<string> {
	const hash = createHash("sha256").update(await readFile(join(wheels, server)));
	for (const part of [...names, python]) {
		hash.update(`\0${part}`);
	}
	return hash.digest("hex").slice(0, 12);
}

async function markerOf(folder: string): Promise<Marker | undefined> {
	try {
		return JSON.parse(await readFile(join(folder, MARKER), "utf8")) as Marker;
	} catch {
		return undefined;
	}
}

async function writeMarker(folder: string, marker: Marker): Promise<void> {
	const temporary = join(folder, `${MARKER}.new`);
	await writeFile(temporary, JSON.stringify(marker));
	await rename(temporary, join(folder, MARKER));
}

/** Empty when the Python that it was made with is gone. */
async function baseOf(folder: string, platform: NodeJS.Platform): Promise<string> {
	const interpreter = interpreterIn(folder, platform);
	return stat(interpreter).then(
		() => realpath(interpreter),
		() => "",
	);
}
