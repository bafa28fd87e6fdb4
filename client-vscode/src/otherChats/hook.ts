/**
 * The hook that the editor's agents run when a session starts: it puts what is remembered at the head of it, as it is then.
 * The file holds the command alone, and the command names a program on this machine, so that it is for nobody else.
 *
 * The form is that of the editor's agent hooks (https://code.visualstudio.com/docs/agent-customization/hooks).
 */
import type { Launch } from "../server/launch";
import type { ManagedFile } from "./managedFile";

/** The editor looks for hooks there. */
export const HOOK: ManagedFile = { path: ".github/hooks/vademecum.json", marker: '"managed": "by Vademecum' };

/** Characters of the text that the hook gives at most, unless its command says otherwise; see `vademecum prompt --hook`. */
export const HOOK_CHARACTERS = 9_500;

/** A cold disk is slow, and a session waits no longer for it. */
const SECONDS = 30;

/** The whole file, for the program that this window's server was started by. */
export function hookText(launch: Launch, platform: NodeJS.Platform): string {
	const command = { [platform === "win32" ? "windows" : "command"]: hookCommand(launch, platform) };
	const hook = { type: "command", ...command, env: { PYTHONUTF8: "1", PYTHONSAFEPATH: "1" }, timeout: SECONDS };
	const managed = "by Vademecum: “Vademecum: Stop Telling Other Chats” removes this file";
	return `${JSON.stringify({ version: 1, managed, hooks: { SessionStart: [hook] } }, undefined, 2)}\n`;
}

/** The command line, for the shell that the editor gives it to: PowerShell on Windows, `sh` elsewhere. */
export function hookCommand({ command, args }: Launch, platform: NodeJS.Platform): string {
	const before = args.slice(0, args.indexOf("serve"));
	// The hook runs in the repository, and nothing that lies in it may be taken for a module of ours.
	const safe = before[0] === "-m" ? ["-P", ...before] : before;
	const words = [command, ...safe, "prompt", "--hook"];
	return platform === "win32"
		? `& ${words.map((word) => `'${word.replaceAll("'", "''")}'`).join(" ")}`
		: words.map((word) => (/^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}
