/** Finding a Python that is new enough, and asking one what it can do. */
import { run } from "./run";

/** The oldest Python the server runs on; `requires-python` of its package. */
export const OLDEST = { major: 3, minor: 11 } as const;

/** A Python that takes longer to say its version is not one to build upon. */
const ASK_SECONDS = 20;

const QUESTION = [
	"import importlib.util as u, json, sys",
	"found = lambda name: u.find_spec(name) is not None",
	"print(json.dumps([list(sys.version_info[:3]), sys.executable, found('vademecum'), found('venv') and found('ensurepip')]))",
].join("\n");

export type Python =
	| {
			readonly kind: "usable";
			readonly executable: string;
			readonly version: string;
			readonly hasServer: boolean;
			readonly hasVenv: boolean;
	  }
	| { readonly kind: "tooOld" | "missing"; readonly reason: string };

/** Asks a Python for its version and for what is installed, without reading the current folder or user settings. */
export async function checkPython(command: readonly string[], signal: AbortSignal): Promise<Python> {
	const [program = "", ...args] = command;
	let answer: string;
	try {
		answer = await run(program, [...args, "-c", QUESTION], { signal, seconds: ASK_SECONDS });
	} catch (error) {
		signal.throwIfAborted();
		return { kind: "missing", reason: `it does not run (${(error as Error).message.split("\n")[0]}).` };
	}
	try {
		const [numbers, executable, hasServer, hasVenv] = JSON.parse(answer.trim().split("\n").at(-1) ?? "") as [
			[number, number, number],
			string,
			boolean,
			boolean,
		];
		const [major, minor] = numbers;
		const version = numbers.join(".");
		if (major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor)) {
			return { kind: "tooOld", reason: `it is Python ${version}; ${OLDEST.major}.${OLDEST.minor} or newer is needed.` };
		}
		return { kind: "usable", executable, version, hasServer, hasVenv };
	} catch {
		return { kind: "missing", reason: "it does not answer like a Python." };
	}
}

/** The commands under which a Python may be found, newest first where the name says so. */
export function candidates(platform: NodeJS.Platform): readonly (readonly string[])[] {
	const versioned = ["3.14", "3.13", "3.12", "3.11"];
	if (platform === "win32") {
		return [...versioned.map((version) => ["py", `-${version}`]), ["py", "-3"], ["python"], ["python3"]];
	}
	return [["python3"], ...versioned.map((version) => [`python${version}`]), ["python"]];
}

export interface Search {
	/** The Python to build upon: the first that can make environments. */
	readonly usable?: { readonly executable: string; readonly version: string };
	/** New enough, but without `venv`; Debian and Ubuntu package that apart. */
	readonly withoutVenv?: string;
	/** The newest of those that are too old, in words. */
	readonly tooOld?: string;
}

export async function findPython(platform: NodeJS.Platform, signal: AbortSignal): Promise<Search> {
	let withoutVenv: string | undefined;
	let tooOld: string | undefined;
	for (const command of candidates(platform)) {
		const python = await checkPython(command, signal);
		if (python.kind === "usable" && python.hasVenv) {
			return { usable: { executable: python.executable, version: python.version } };
		}
		if (python.kind === "usable") {
			withoutVenv ??= python.version;
		} else if (python.kind === "tooOld") {
			tooOld ??= python.reason;
		}
	}
	return { ...(withoutVenv ? { withoutVenv } : {}), ...(tooOld ? { tooOld } : {}) };
}
