/** Tells the user that the server is down, with a way out. Nothing is tried again unless they say so. */
import { ConfigurationTarget, commands, env, Uri, window, workspace } from "../vscodeapi";
import { CannotStart } from "./problem";
import { checkPython } from "./python";

const PYTHON_DOWNLOADS = "https://www.python.org/downloads/";

const CHOOSE = "Choose Python…";
const REPAIR = "Repair…";

export async function complain(problem: Error, restart: () => Promise<void>): Promise<void> {
	const wayOut = problem instanceof CannotStart ? problem.wayOut : "retry";
	const first = {
		openSettings: ["Open Settings"],
		installPython: [CHOOSE, "How to Install"],
		repair: [REPAIR],
		retry: [],
	}[wayOut];
	switch (await window.showErrorMessage(`Vademecum: ${problem.message}`, ...first, "Try Again", "Show Log")) {
		case "Open Settings": {
			const setting = problem instanceof CannotStart ? problem.setting : undefined;
			await commands.executeCommand("workbench.action.openSettings", setting ?? "vademecum.server");
			break;
		}
		case CHOOSE:
			await choosePython();
			break;
		case "How to Install":
			await env.openExternal(Uri.parse(PYTHON_DOWNLOADS));
			break;
		case REPAIR:
			await commands.executeCommand("vademecum.repairServer");
			break;
		case "Try Again":
			await restart();
			break;
		case "Show Log":
			await commands.executeCommand("vademecum.showLog");
			break;
	}
}

/** Lets the user name the Python that the private environment is made with; the changed setting starts the server. */
export async function choosePython(): Promise<void> {
	for (;;) {
		const [file] = (await window.showOpenDialog({ title: "Python 3.11 or Newer", openLabel: "Use This Python" })) ?? [];
		if (file === undefined) {
			return;
		}
		const python = await checkPython([file.fsPath], new AbortController().signal);
		if (python.kind === "usable") {
			const settings = workspace.getConfiguration("vademecum.server");
			await settings.update("python", file.fsPath, ConfigurationTarget.Global);
			return;
		}
		const again = await window.showErrorMessage(`Vademecum: "${file.fsPath}": ${python.reason}`, CHOOSE);
		if (again !== CHOOSE) {
			return;
		}
	}
}
