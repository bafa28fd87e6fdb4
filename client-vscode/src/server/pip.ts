/** Runs pip, which ends when this process does, however that ends. */
import { lastLine, run } from "./run";

/** After so long pip is stopped. */
export const INSTALL_SECONDS = 900;

export interface PipOptions {
	readonly signal: AbortSignal;
	readonly seconds: number;
	/** Called with each line of output. */
	readonly onLine: (line: string) => void;
	/** The wheel of pip itself, where the interpreter has none yet. */
	readonly wheel?: string | undefined;
}

/** Standard input is a pipe that nobody writes to; it is closed when the window's process is gone. */
export const UNTIL_CLOSED = `
import os, runpy, sys, threading

def watch():
    os.read(0, 1)
    os._exit(1)

threading.Thread(target=watch, daemon=True).start()
wheel, *arguments = sys.argv[1:]
if wheel:
    sys.path.insert(0, wheel)
sys.argv = ["pip", *arguments]
runpy.run_module("pip", run_name="__main__", alter_sys=True)
`;

/** Throws with the end of pip's output when it fails or is stopped. */
export function pipInstall(interpreter: string, args: readonly string[], options: PipOptions): Promise<string> {
	const { wheel = "", ...rest } = options;
	const install = ["install", "--no-input", "--disable-pip-version-check", ...args];
	return run(interpreter, ["-c", UNTIL_CLOSED, wheel, ...install], { ...rest, input: "pipe" });
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
