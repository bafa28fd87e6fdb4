/** Finding a Python that is new enough, and asking one what it can do. */
import { isAbsolute } from "node:path";
import { CannotStart } from "./problem";
import { run } from "./run";

/** The oldest Python the server runs on; `requires-python` of its package. */
export const OLDEST = { major: 3, minor: 11 } as const;

/** A Python that takes longer to say its version is not one to build upon. */
const ASK_SECONDS = 20;

const QUESTION = [
	"import importlib.util as u, json, sys",
	"found = lambda name: u.find_spec(name) is not None",
	"print(json.dumps([list(sys.version_info[:3]), sys.executable, found('vademecum'), found('venv'), found('ensurepip')]))",
].join("\n");

export type Python =
	| {
			readonly kind: "usable";
			readonly executable: string;
			readonly version: string;
			readonly hasServer: boolean;
			readonly hasVenv: boolean;
			/** It can put pip into an environment by itself. */
			readonly hasInstaller: boolean;
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
		const [numbers, executable, hasServer, hasVenv, hasInstaller] = JSON.parse(
			answer.trim().split("\n").at(-1) ?? "",
		) as [[number, number, number], string, boolean, boolean, boolean];
		const [major, minor] = numbers;
		const version = numbers.join(".");
		if (major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor)) {
			return { kind: "tooOld", reason: `it is Python ${version}; ${OLDEST.major}.${OLDEST.minor} or newer is needed.` };
		}
		return { kind: "usable", executable, version, hasServer, hasVenv, hasInstaller };
	} catch {
		return { kind: "missing", reason: "it does not answer like a Python." };
	}
}

/**
 * The commands under which a Python may be found, newest first where the name says so. The folders are those that an
 * editor started from the desktop does not have on PATH.
 */
export function candidates(platform: NodeJS.Platform): readonly (readonly string[])[] {
	const versioned = ["3.14", "3.13", "3.12", "3.11"];
	if (platform === "win32") {
		return [...versioned.map((version) => ["py", `-${version}`]), ["py", "-3"], ["python"], ["python3"]];
	}
	const names = ["python3", ...versioned.map((version) => `python${version}`), "python"];
	const folders = platform === "darwin" ? ["/opt/homebrew/bin/", "/usr/local/bin/"] : ["/usr/local/bin/"];
	return ["", ...folders].flatMap((folder) => names.map((name) => [`${folder}${name}`]));
}

/** A Python to make an environment with. */
export interface Base {
	readonly executable: string;
	readonly version: string;
}

export interface Wanted {
	/** The one that the user named, or empty: then one is looked for. */
	readonly named: string;
	readonly platform: NodeJS.Platform;
	/** The wheels that the extension carries. */
	readonly names: readonly string[];
	/** The wheel of pip among them. */
	readonly installer: string | undefined;
}

const SETTING = "vademecum.server.python";
const NEEDED = `Vademecum needs Python ${OLDEST.major}.${OLDEST.minor} or newer`;

/** The Python to make an environment with. Throws CannotStart. */
export async function pythonFor(wanted: Wanted, signal: AbortSignal): Promise<Base> {
	if (wanted.named) {
		return namedPython(wanted, signal);
	}
	const search = await findPython(wanted, signal);
	if (search.usable) {
		return search.usable;
	}
	if (search.withoutVenv) {
		throw new CannotStart(
			`Python ${search.withoutVenv} is here, but its "venv" module is not. On Debian and Ubuntu: sudo apt install python3-venv.`,
			"installPython",
		);
	}
	if (search.tooOld) {
		throw new CannotStart(`${NEEDED}; of the one found, ${search.tooOld}`, "installPython");
	}
	throw new CannotStart(`${NEEDED}, and none was found on this machine.`, "installPython");
}

async function namedPython({ named, installer }: Wanted, signal: AbortSignal): Promise<Base> {
	const refuse = (why: string) => new CannotStart(`${SETTING} names "${named}": ${why}`, "installPython", SETTING);
	if (!isAbsolute(named)) {
		throw refuse("give an absolute path.");
	}
	const python = await checkPython([named], signal);
	if (python.kind !== "usable") {
		throw refuse(python.reason);
	}
	if (!canMake(python, installer)) {
		throw refuse('its "venv" module is not there.');
	}
	return python;
}

export interface Search {
	/** The Python to build upon: the first that can make environments, and for which wheels are carried, if there is one. */
	readonly usable?: Base;
	/** New enough, but without `venv`; Debian and Ubuntu package that apart. */
	readonly withoutVenv?: string;
	/** The newest of those that are too old, in words. */
	readonly tooOld?: string;
}

export async function findPython(wanted: Omit<Wanted, "named">, signal: AbortSignal): Promise<Search> {
	const { platform, names, installer } = wanted;
	const carriedFor = pythonsOf(names);
	let second: Base | undefined;
	let withoutVenv: string | undefined;
	let tooOld: string | undefined;
	for (const command of candidates(platform)) {
		const python = await checkPython(command, signal);
		if (python.kind === "usable" && canMake(python, installer)) {
			const { executable, version } = python;
			if (carriedFor.size === 0 || carriedFor.has(version.split(".").slice(0, 2).join("."))) {
				return { usable: { executable, version } };
			}
			second ??= { executable, version };
		} else if (python.kind === "usable") {
			withoutVenv ??= python.version;
		} else if (python.kind === "tooOld") {
			tooOld ??= python.reason;
		}
	}
	if (second) {
		return { usable: second };
	}
	return { ...(withoutVenv ? { withoutVenv } : {}), ...(tooOld ? { tooOld } : {}) };
}

function canMake(python: Extract<Python, { kind: "usable" }>, installer: string | undefined): boolean {
	return python.hasVenv && (installer !== undefined || python.hasInstaller);
}

/** The versions for which there are wheels of their own, such as 3.12; none where all are for any Python. */
function pythonsOf(names: readonly string[]): ReadonlySet<string> {
	const tags = names.map((name) => /-cp(3)(\d+)-cp3\d+-/.exec(name)).filter((tag) => tag !== null);
	return new Set(tags.map(([, major, minor]) => `${major}.${minor}`));
}
