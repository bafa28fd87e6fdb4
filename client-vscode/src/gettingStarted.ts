/**
 * The walkthrough of the first steps. The editor opens it when the extension is installed by hand, unless the user has
 * switched that off for all extensions; later, a command does. A step is done by what happens, not by what is clicked.
 */
import type { Disposable } from "vscode";
import type { Server } from "./server/server";
import { commands } from "./vscodeapi";

const WALKTHROUGH = "getStarted";
/** Set once something is remembered, and once `@vademecum` has answered: steps wait for these. */
const REMEMBERS_CONTEXT = "vademecum.remembers";
const ANSWERED_CONTEXT = "vademecum.answered";

export interface GettingStarted extends Disposable {
	/** A message to `@vademecum` was answered. */
	answered(): void;
}

export function registerGettingStarted(
	server: Pick<Server, "send" | "on" | "onDidChangeState">,
	extension: string,
): GettingStarted {
	let remembers = false;
	const look = async () => {
		if (remembers) {
			return;
		}
		try {
			const { total } = await server.send("memory/list", { limit: 1 });
			if (total > 0) {
				remembers = true;
				await commands.executeCommand("setContext", REMEMBERS_CONTEXT, true);
			}
		} catch {
			// Memory is off, or the server is not there; neither finishes a step.
		}
	};
	const parts = [
		server.onDidChangeState(({ kind }) => kind === "running" && void look()),
		server.on("memory/didChange", () => void look()),
		commands.registerCommand("vademecum.getStarted", () =>
			commands.executeCommand("workbench.action.openWalkthrough", `${extension}#${WALKTHROUGH}`, false),
		),
	];
	return {
		answered: () => void commands.executeCommand("setContext", ANSWERED_CONTEXT, true),
		dispose() {
			for (const part of parts) {
				part.dispose();
			}
		},
	};
}
