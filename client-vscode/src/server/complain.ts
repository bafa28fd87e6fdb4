/** Tells the user that the server is down, with a way out. */
import { commands, env, Uri, window } from "../vscodeapi";
import { CannotStart } from "./launch";

const PYTHON_DOWNLOADS = "https://www.python.org/downloads/";

export async function complain(problem: Error, restart: () => Promise<void>): Promise<void> {
	const wayOut = problem instanceof CannotStart ? problem.wayOut : "retry";
	const first = { openSettings: "Open Settings", installPython: "Get Python", retry: "Try Again" }[wayOut];
	const choices = [...new Set([first, "Try Again", "Show Log"])];
	switch (await window.showErrorMessage(`Vademecum: ${problem.message}`, ...choices)) {
		case "Open Settings": {
			const setting = problem instanceof CannotStart ? problem.setting : undefined;
			await commands.executeCommand("workbench.action.openSettings", setting ?? "vademecum.server");
			break;
		}
		case "Get Python":
			await env.openExternal(Uri.parse(PYTHON_DOWNLOADS));
			break;
		case "Try Again":
			await restart();
			break;
		case "Show Log":
			await commands.executeCommand("vademecum.showLog");
			break;
	}
}
