/** *Upgrade or Repair Server Environment*: a new private environment beside the one in use, then the server from it. */
import type { CancellationToken } from "vscode";
import type { Log } from "../log";
import { errorMessage } from "../protocol";
import { commands, ProgressLocation, window } from "../vscodeapi";
import type { Launch } from "./launch";
import type { Server } from "./server";

export interface RepairParts {
	readonly server: Pick<Server, "state" | "restart">;
	/** The version that the extension carries. */
	readonly carried: string;
	/** What was found to be the server when it was last looked for; undefined before, and when there is none. */
	readonly launch: () => Launch | undefined;
	/** The program that the user's settings name as the server; empty when they leave it to the extension. */
	readonly named: () => string;
	/** Makes the environment; the server takes it when it is started the next time. */
	readonly make: (report: (message: string) => void, signal: AbortSignal) => Promise<unknown>;
	readonly log: Log;
}

const GO = "Make a New One";

/** Asks, makes, and starts the server anew. While it is made the server works on. */
export async function repairServer(parts: RepairParts): Promise<void> {
	const { server, log } = parts;
	const launch = parts.launch();
	const own = launch && launch.origin !== "private environment" ? launch.command : parts.named();
	if (own) {
		const yours = `The server is your own (${own}), which is yours to upgrade: pip install --upgrade vademecum.`;
		if ((await window.showInformationMessage(yours, "Open Settings")) !== undefined) {
			await commands.executeCommand("workbench.action.openSettings", "vademecum.server");
		}
		return;
	}
	const running = server.state.kind === "running" ? server.state.version : undefined;
	const detail = [
		running ? `The server that runs is ${running}.` : "No server is running.",
		`The extension carries ${parts.carried}.`,
		"A new Python environment is made beside the one in use, and the server is started from it when it is complete.",
		"Search models are installed into it afterwards, in the background.",
		"Your memories, documents and settings are not touched.",
	].join(" ");
	const question = "Upgrade or repair the server's environment?";
	if ((await window.showInformationMessage(question, { modal: true, detail }, GO)) !== GO) {
		return;
	}
	const options = { location: ProgressLocation.Notification, title: "Vademecum", cancellable: true };
	try {
		await window.withProgress(options, async (progress, token) => {
			await parts.make((message) => progress.report({ message }), signalOf(token));
			progress.report({ message: "starting the server" });
			await server.restart();
		});
	} catch (error) {
		if ((error as Error).name === "AbortError") {
			void window.showInformationMessage("Nothing was changed: the server has the environment that it had.");
			return;
		}
		log.error(errorMessage(error));
		void window.showErrorMessage(`Vademecum: ${errorMessage(error)} Nothing was changed.`);
		return;
	}
	if (server.state.kind === "running") {
		void window.showInformationMessage(`The server ${server.state.version ?? ""} runs from a new environment.`);
	}
}

/** Aborts when the user cancels. */
export function signalOf(token: CancellationToken): AbortSignal {
	const abort = new AbortController();
	if (token.isCancellationRequested) {
		abort.abort();
	}
	token.onCancellationRequested(() => abort.abort());
	return abort.signal;
}
