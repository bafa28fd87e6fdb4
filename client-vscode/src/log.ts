/** The one log of the extension; the server's own lines go there too. */
import type { LogOutputChannel } from "vscode";
import { window } from "./vscodeapi";

export type Log = LogOutputChannel;

export function createLog(): Log {
	return window.createOutputChannel("Vademecum", { log: true });
}
