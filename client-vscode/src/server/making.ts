/** Making an environment: from the wheels that the extension carries, and with the package index for what it lacks. */
import { join } from "node:path";
import { explain, INSTALL_SECONDS, pipInstall, stepOf } from "./pip";
import { CannotStart } from "./problem";
import type { Base } from "./python";
import { run } from "./run";

const CREATE_SECONDS = 120;
/** Nobody is at it for longer, so that an older lock is of a window that died. */
export const LONGEST_SECONDS = CREATE_SECONDS + INSTALL_SECONDS;

/** The wheels in the extension. */
export interface Carried {
	/** The folder. */
	readonly wheels: string;
	readonly names: readonly string[];
	readonly server: string;
	/** pip itself; without it, Python must bring its own. */
	readonly installer: string | undefined;
}

export interface Target {
	readonly folder: string;
	/** The Python that will be in it. */
	readonly interpreter: string;
	/** The Python to make it with. */
	readonly python: Base;
}

export interface Watching {
	readonly report: (message: string) => void;
	readonly log: (line: string) => void;
	readonly signal: AbortSignal;
}

/** Makes an environment with the server in it. Throws CannotStart; what it made so far is then the caller's to remove. */
export async function install(into: Target, carried: Carried, watching: Watching): Promise<void> {
	const { report, log, signal } = watching;
	const { python, folder, interpreter } = into;
	const path = (name: string) => join(carried.wheels, name);
	const wheel = carried.installer && path(carried.installer);
	const onLine = (line: string) => {
		log(line);
		const doing = stepOf(line);
		if (doing) {
			report(doing);
		}
	};
	try {
		report(`making an environment with Python ${python.version}`);
		const without = wheel ? ["--without-pip"] : [];
		await run(python.executable, ["-m", "venv", ...without, folder], { signal, seconds: CREATE_SECONDS, onLine });
		report("installing the server");
		const options = { signal, seconds: INSTALL_SECONDS, onLine };
		// Python compiles what it runs when it first does, which is a fraction of what there is.
		const given = ["--no-compile", "--find-links", carried.wheels];
		const alone = [...given, "--no-index", "--isolated"];
		const installer = wheel ? [wheel] : [];
		try {
			await pipInstall(interpreter, [...alone, ...installer, path(carried.server)], { ...options, wheel });
		} catch (error) {
			signal.throwIfAborted();
			if (!/No matching distribution found/.test((error as Error).message)) {
				throw error;
			}
			log(`not all of it is carried for Python ${python.version} on this machine: the package index is asked`);
			report("installing the server from the package index");
			if (wheel) {
				await pipInstall(interpreter, [...alone, wheel], { ...options, wheel });
			}
			await pipInstall(interpreter, [...given, "--prefer-binary", path(carried.server)], options);
		}
	} catch (error) {
		signal.throwIfAborted();
		const { reason, passing } = explain((error as Error).message);
		const helps = passing
			? "This build of the extension does not carry all that it needs for this machine and its Python, so the index is asked once."
			: "The log has the whole output.";
		throw new CannotStart(`The server could not be installed: ${reason}. ${helps}`, "retry");
	}
}
