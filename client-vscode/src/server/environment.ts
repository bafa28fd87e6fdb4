/**
 * The server's private Python environment, in the extension's own storage, made from the wheel that the extension
 * carries. One folder for each set of wheels, so that an update never changes what a running window uses.
 */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CannotStart } from "./launch";
import { underLock } from "./lock";
import { findPython, OLDEST } from "./python";
import { lastLine, run } from "./run";

const MARKER = "complete.json";
const LOCK = "making.lock";
const CREATE_SECONDS = 120;
export const INSTALL_SECONDS = 900;
export const PIP_INSTALL = ["-m", "pip", "install", "--no-input", "--disable-pip-version-check"] as const;
/** An environment that no window has used for so many days is removed. */
const UNUSED_DAYS = 14;

export interface EnvironmentParts {
	/** Holds `vademecum-*.whl`, and perhaps wheels of what it needs. */
	readonly wheels: string;
	/** Where environments are kept. */
	readonly storage: string;
	readonly platform: NodeJS.Platform;
	readonly report: (message: string) => void;
	readonly log: (line: string) => void;
}

/** The Python of the environment, which is made now if need be. Throws CannotStart. */
export async function privateInterpreter(parts: EnvironmentParts, signal: AbortSignal): Promise<string> {
	const names = await wheelNames(parts.wheels);
	const wheel = names.find(isServer);
	if (wheel === undefined) {
		throw new CannotStart(
			"This build of the extension carries no server. Install the server yourself (pip install vademecum) and name it in the settings.",
			"openSettings",
			"vademecum.server.path",
		);
	}
	const folder = join(parts.storage, `environment-${await fingerprint(parts.wheels, names)}`);
	const interpreter = interpreterIn(folder, parts.platform);
	await mkdir(parts.storage, { recursive: true, mode: 0o700 });
	if (!(await isComplete(folder))) {
		const onWait = () => parts.report("waiting for another window that is installing the server");
		const waiting = { signal, staleSeconds: CREATE_SECONDS + INSTALL_SECONDS, onWait };
		await underLock(join(parts.storage, LOCK), waiting, async () => {
			if (!(await isComplete(folder))) {
				await make(folder, join(parts.wheels, wheel), parts, signal);
			}
		});
	}
	const now = new Date();
	await utimes(join(folder, MARKER), now, now);
	await removeUnused(parts.storage, folder);
	return interpreter;
}

async function make(folder: string, wheel: string, parts: EnvironmentParts, signal: AbortSignal): Promise<void> {
	parts.report("looking for Python");
	const python = await usablePython(parts.platform, signal);
	await rm(folder, { recursive: true, force: true });
	try {
		parts.report(`making an environment with Python ${python.version}`);
		const onLine = parts.log;
		await run(python.executable, ["-m", "venv", folder], { signal, seconds: CREATE_SECONDS, onLine });
		parts.report("installing the server");
		const install = [...PIP_INSTALL, "--prefer-binary", "--find-links", parts.wheels, wheel];
		await run(interpreterIn(folder, parts.platform), install, { signal, seconds: INSTALL_SECONDS, onLine });
		const temporary = join(folder, `${MARKER}.new`);
		await writeFile(temporary, JSON.stringify({ python: python.version, wheel }));
		await rename(temporary, join(folder, MARKER));
	} catch (error) {
		await rm(folder, { recursive: true, force: true });
		signal.throwIfAborted();
		throw new CannotStart(
			`The server could not be installed: ${lastLine((error as Error).message)}. The log has the whole output.`,
			"retry",
		);
	}
}

async function usablePython(platform: NodeJS.Platform, signal: AbortSignal) {
	const search = await findPython(platform, signal);
	if (search.usable) {
		return search.usable;
	}
	const needed = `Vademecum needs Python ${OLDEST.major}.${OLDEST.minor} or newer`;
	if (search.withoutVenv) {
		throw new CannotStart(
			`Python ${search.withoutVenv} is here, but its "venv" module is not. On Debian and Ubuntu: sudo apt install python3-venv.`,
			"retry",
		);
	}
	if (search.tooOld) {
		throw new CannotStart(`${needed}; of the one found, ${search.tooOld}`, "installPython");
	}
	throw new CannotStart(`${needed}, and none was found on this machine.`, "installPython");
}

export function interpreterIn(folder: string, platform: NodeJS.Platform): string {
	return platform === "win32" ? join(folder, "Scripts", "python.exe") : join(folder, "bin", "python");
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

/** Names the set of wheels by their bytes: a rebuilt wheel of the same version is another environment. */
async function fingerprint(folder: string, names: readonly string[]): Promise<string> {
	const hash = createHash("sha256");
	for (const name of names) {
		hash.update(`${name}\0`).update(await readFile(join(folder, name)));
	}
	return hash.digest("hex").slice(0, 12);
}

async function isComplete(folder: string): Promise<boolean> {
	return stat(join(folder, MARKER)).then(
		() => true,
		() => false,
	);
}

async function removeUnused(storage: string, current: string): Promise<void> {
	const limit = Date.now() - UNUSED_DAYS * 24 * 60 * 60 * 1_000;
	for (const name of await readdir(storage)) {
		const folder = join(storage, name);
		if (!name.startsWith("environment-") || folder === current) {
			continue;
		}
		const used = await stat(join(folder, MARKER)).catch(() => undefined);
		if (used !== undefined && used.mtimeMs < limit) {
			await rm(folder, { recursive: true, force: true }).catch(() => undefined);
		}
	}
}
