/** The server of this window: where it is looked for, how it is installed, and what is said when there is none. */
import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Disposable, ExtensionContext } from "vscode";
import type { ModelLender } from "../lending";
import type { Log } from "../log";
import { contributedKeys, launchSettings, serverSettings } from "../settings";
import { commands, Uri, workspace } from "../vscodeapi";
import { complain } from "./complain";
import type { ConnectionParts } from "./connection";
import { newInterpreter, privateInterpreter, serverWheel } from "./environment";
import { type Launch, resolveLaunch } from "./launch";
import { installProgress } from "./progress";
import { repairServer } from "./repair";
import { Server } from "./server";

/** Builds the server, and the command that repairs it; nothing runs until its `start`. */
export function createServer(
	context: ExtensionContext,
	log: Log,
	lender: ModelLender,
	completion: ConnectionParts["completion"],
): [Server, Disposable] {
	const storage = context.globalStorageUri.fsPath;
	const keys = contributedKeys(context.extension.packageJSON);
	const ownCommands = commandNames(context.extension.packageJSON);
	let last: Launch | undefined;
	const environment = (report: (message: string) => void) => ({
		wheels: wheelsOf(context),
		storage,
		python: launchSettings().python,
		platform: process.platform,
		report,
		log: (line: string) => log.info(line),
	});
	const server: Server = new Server({
		async resolve(signal, report) {
			await mkdir(storage, { recursive: true });
			last = undefined;
			last = await resolveLaunch(
				launchSettings(),
				{
					env: process.env,
					platform: process.platform,
					privateInterpreter: (closing) =>
						installProgress(report, closing, (step, either) => privateInterpreter(environment(step), either)),
				},
				signal,
			);
			return last;
		},
		async connect(launch, onLost) {
			// The language client is half of all code; nothing needs it before there is a server to talk to.
			const { connect } = await import("./connection.js");
			const told = new Set<string>();
			const settings = (scopeUri?: string) =>
				serverSettings(keys, told, scopeUri === undefined ? undefined : Uri.parse(scopeUri));
			const { complete } = lender;
			const trusted = () => workspace.isTrusted;
			return connect(launch, { log, cwd: storage, trusted, settings, complete, completion, ownCommands }, onLost);
		},
		complain: (problem) => {
			log.error(problem.message);
			void complain(problem, () => server.restart());
		},
	});
	const repair = async () => {
		const wheel = await serverWheel(wheelsOf(context));
		const carried = wheel === undefined ? "none" : (basename(wheel).split("-")[1] ?? "");
		const make = (report: (message: string) => void, signal: AbortSignal) =>
			newInterpreter(environment(report), signal);
		const named = () => launchSettings().path || launchSettings().interpreter;
		await repairServer({ server, carried, launch: () => last, named, make, log });
	};
	return [server, commands.registerCommand("vademecum.repairServer", repair)];
}

/** Where the wheels lie that the extension carries. */
export function wheelsOf(context: ExtensionContext): string {
	return join(context.extensionPath, "wheel");
}

function commandNames(manifest: { contributes: { commands: readonly { command: string }[] } }): ReadonlySet<string> {
	return new Set(manifest.contributes.commands.map(({ command }) => command));
}
