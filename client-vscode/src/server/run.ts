/** Runs a program to its end. */
import { spawn } from "node:child_process";

/** Output kept for a message, in characters; the end is what says why. */
const KEPT = 4_000;

export interface RunOptions {
	readonly signal: AbortSignal;
	/** After so long the program is killed. */
	readonly seconds: number;
	/** Called with each line of output. */
	readonly onLine?: (line: string) => void;
	/** Its standard input: nothing, or a pipe that is closed when this process is gone. */
	readonly input?: "ignore" | "pipe";
}

/** The environment in which Python never imports from the folder it is started in, and speaks UTF-8. */
export function pythonEnvironment(): NodeJS.ProcessEnv {
	const environment: NodeJS.ProcessEnv = { ...process.env, PYTHONSAFEPATH: "1", PYTHONUTF8: "1" };
	// Those of another Python would break this one.
	delete environment.PYTHONHOME;
	delete environment.PYTHONPATH;
	return environment;
}

/** The program's standard output. Throws with the end of its output when it fails, is killed or cannot be started. */
export function run(command: string, args: readonly string[], options: RunOptions): Promise<string> {
	const { signal } = options;
	return new Promise((resolve, reject) => {
		signal.throwIfAborted();
		const child = spawn(command, args, {
			env: pythonEnvironment(),
			timeout: options.seconds * 1_000,
			killSignal: "SIGKILL",
			stdio: [options.input ?? "ignore", "pipe", "pipe"],
			windowsHide: true,
		});
		let output = "";
		let tail = "";
		const take = (chunk: string) => {
			tail = (tail + chunk).slice(-KEPT);
			for (const line of chunk.split(/\r?\n/)) {
				if (line.trim()) {
					options.onLine?.(line.trimEnd());
				}
			}
		};
		child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
			output += chunk;
			take(chunk);
		});
		child.stderr?.setEncoding("utf8").on("data", take);
		const stop = () => child.kill("SIGKILL");
		signal.addEventListener("abort", stop);
		child.on("error", (error) => {
			signal.removeEventListener("abort", stop);
			reject(error);
		});
		child.on("close", (code, killed) => {
			signal.removeEventListener("abort", stop);
			if (signal.aborted) {
				reject(signal.reason);
			} else if (code === 0) {
				resolve(output);
			} else {
				reject(new Error(`${tail.trim() || command} (ended with ${killed ?? code})`));
			}
		});
	});
}

/** The last line of a program's output, which most often says what went wrong. */
export function lastLine(text: string): string {
	return text.trim().split("\n").at(-1)?.trim() ?? text;
}
