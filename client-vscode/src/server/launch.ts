/** Which program is the server: the order in which it is looked for. */
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, extname, isAbsolute, join } from "node:path";
import type { LaunchSettings } from "../settings";
import { CannotStart, type WayOut } from "./problem";
import { checkPython } from "./python";

/** Names a `vademecum` program, for development and for machines set up by others. */
export const ENVIRONMENT_VARIABLE = "VADEMECUM_SERVER";

export type Origin = "setting path" | "setting interpreter" | "environment" | "PATH" | "private environment";

export interface Launch {
	readonly command: string;
	readonly args: readonly string[];
	readonly origin: Origin;
}

/** What can be done about a program that was found and does not work. */
export function wayOutOf(launch: Launch): WayOut {
	return launch.origin === "private environment" ? "repair" : "retry";
}

export interface Surroundings {
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly platform: NodeJS.Platform;
	/** Gives the Python of the private environment, making it when it is not there yet. */
	readonly privateInterpreter: (signal: AbortSignal) => Promise<string>;
}

/** Resolves the program to start. Throws CannotStart. */
export async function resolveLaunch(
	settings: LaunchSettings,
	around: Surroundings,
	signal: AbortSignal,
): Promise<Launch> {
	const serve = ["serve", "--stdio", ...settings.arguments];
	const module = ["-m", "vademecum", ...serve];
	if (settings.path) {
		const command = expandHome(settings.path);
		await mustBeExecutable(command, "vademecum.server.path", around.platform);
		return { command, args: serve, origin: "setting path" };
	}
	if (settings.interpreter) {
		const command = expandHome(settings.interpreter);
		await mustBeExecutable(command, "vademecum.server.interpreter", around.platform);
		await mustHaveServer(command, signal);
		return { command, args: module, origin: "setting interpreter" };
	}
	const named = around.env[ENVIRONMENT_VARIABLE];
	if (named) {
		const command = expandHome(named);
		await mustBeExecutable(command, ENVIRONMENT_VARIABLE, around.platform);
		return { command, args: serve, origin: "environment" };
	}
	const found = await onPath("vademecum", around);
	if (found) {
		return { command: found, args: serve, origin: "PATH" };
	}
	return { command: await around.privateInterpreter(signal), args: module, origin: "private environment" };
}

function expandHome(path: string): string {
	return path === "~" || path.startsWith("~/") || path.startsWith("~\\") ? join(homedir(), path.slice(1)) : path;
}

/** A relative path would depend on where the editor was started, and could point into a workspace. */
async function mustBeExecutable(path: string, source: string, platform: NodeJS.Platform): Promise<void> {
	const setting = source.includes(".") ? source : undefined;
	if (!isAbsolute(path)) {
		throw new CannotStart(`${source} is "${path}"; give an absolute path.`, "openSettings", setting);
	}
	if (!(await isExecutable(path, platform))) {
		throw new CannotStart(`${source} names "${path}", which is no program that can be run.`, "openSettings", setting);
	}
}

async function mustHaveServer(interpreter: string, signal: AbortSignal): Promise<void> {
	const setting = "vademecum.server.interpreter";
	const python = await checkPython([interpreter], signal);
	if (python.kind !== "usable") {
		throw new CannotStart(`${setting} names "${interpreter}": ${python.reason}`, "openSettings", setting);
	}
	if (!python.hasServer) {
		throw new CannotStart(
			`${setting} names "${interpreter}" (Python ${python.version}), which has no vademecum installed. ` +
				`Run "${interpreter} -m pip install vademecum", or clear the setting.`,
			"openSettings",
			setting,
		);
	}
}

async function isExecutable(path: string, platform: NodeJS.Platform): Promise<boolean> {
	try {
		const found = await stat(path);
		if (!found.isFile()) {
			return false;
		}
		if (platform !== "win32") {
			await access(path, constants.X_OK);
		}
		return true;
	} catch {
		return false;
	}
}

/** The absolute path of a program on PATH; relative parts of PATH are not looked at. */
async function onPath(name: string, around: Surroundings): Promise<string | undefined> {
	const { env, platform } = around;
	// Only real executables: Node cannot start the `.cmd` and `.bat` wrappers of Windows without a shell.
	const names = platform === "win32" && !extname(name) ? [`${name}.exe`] : [name];
	for (const folder of (env.PATH ?? env.Path ?? "").split(delimiter)) {
		if (!isAbsolute(folder)) {
			continue;
		}
		for (const candidate of names) {
			const path = join(folder, candidate);
			if (await isExecutable(path, platform)) {
				return path;
			}
		}
	}
	return undefined;
}
