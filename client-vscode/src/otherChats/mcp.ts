/**
 * `vademecum mcp`, offered to chats that take their tools from MCP servers rather than from extensions. Off unless the
 * user's own setting says otherwise, since a chat that takes both would have every tool twice.
 */
import type { CancellationToken, McpStdioServerDefinition as Definition, Disposable } from "vscode";
import type { Log } from "../log";
import { errorMessage } from "../protocol";
import type { Launch } from "../server/launch";
import { installModels } from "../server/models";
import type { Server } from "../server/server";
import { SECTION } from "../settings";
import { EventEmitter, lm, McpStdioServerDefinition, ProgressLocation, window, workspace } from "../vscodeapi";

const ID = "vademecum.mcp";
const LABEL = "Vademecum";
const SETTING = "mcpServer";
/** As the window's own server has it: nothing is imported from the folder that it is started in. */
const ENVIRONMENT = { PYTHONSAFEPATH: "1", PYTHONUTF8: "1", PYTHONHOME: null, PYTHONPATH: null };

export interface McpParts {
	readonly server: Pick<Server, "state" | "onDidChangeState">;
	/** Holds the wheels that the extension carries. */
	readonly wheels: string;
	readonly log: Log;
	/** Stands in for tests. */
	readonly install?: typeof installModels;
}

/** What starts the agent's server by the program that this window's server was started by. */
export function mcpCommand(launch: Launch, folders: readonly string[]): readonly string[] {
	const serve = launch.args.indexOf("serve");
	return [launch.command, ...launch.args.slice(0, serve), "mcp", ...folders.flatMap((folder) => ["-C", folder])];
}

export class McpServers implements Disposable {
	private readonly changed = new EventEmitter<void>();
	private readonly abort = new AbortController();
	private readonly disposables: Disposable[];

	readonly onDidChangeMcpServerDefinitions = this.changed.event;

	constructor(private readonly parts: McpParts) {
		const tell = () => this.changed.fire();
		this.disposables = [
			this.changed,
			parts.server.onDidChangeState(({ kind }) => kind === "running" && tell()),
			workspace.onDidChangeWorkspaceFolders(tell),
			workspace.onDidChangeConfiguration((change) => change.affectsConfiguration(`${SECTION}.${SETTING}`) && tell()),
		];
	}

	provideMcpServerDefinitions(): Definition[] {
		const { state } = this.parts.server;
		if (state.kind !== "running" || !workspace.getConfiguration(SECTION).get<boolean>(SETTING, false)) {
			return [];
		}
		const folders = (workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
		const [program = "", ...args] = mcpCommand(
			state.launch,
			folders.map(({ uri }) => uri.fsPath),
		);
		return [new McpStdioServerDefinition(LABEL, program, args, { ...ENVIRONMENT }, state.version)];
	}

	/** Before it is started: the private environment gets what only agents need, once. */
	async resolveMcpServerDefinition(
		definition: Definition,
		_token?: CancellationToken,
	): Promise<Definition | undefined> {
		const { server, wheels, log, install = installModels } = this.parts;
		const { state } = server;
		if (state.kind !== "running" || state.launch.origin !== "private environment") {
			return definition; // who set up the server says what is in it; what is missing is told in the MCP server's output
		}
		const options = { location: ProgressLocation.Window, title: "Vademecum: installing what agents need" };
		const installed = await window.withProgress(options, async (progress) => {
			const report = (message: string) => progress.report({ message });
			const asked = { interpreter: definition.command, wheels, extras: ["mcp"] as const, report };
			try {
				return await install({ ...asked, log: (line) => log.info(line) }, true, this.abort.signal);
			} catch (error) {
				return { kind: "failed", reason: errorMessage(error) } as const;
			}
		});
		if (installed.kind === "failed") {
			void window.showWarningMessage(`The MCP server cannot be started: ${installed.reason}.`);
			return undefined;
		}
		return definition;
	}

	dispose(): void {
		this.abort.abort();
		for (const disposable of this.disposables) {
			disposable.dispose();
		}
	}
}

/** Registers the offer; nothing where the editor knows no such thing. */
export function registerMcpServers(parts: McpParts): Disposable[] {
	if (typeof lm.registerMcpServerDefinitionProvider !== "function") {
		parts.log.debug("this editor takes no MCP servers from extensions");
		return [];
	}
	const servers = new McpServers(parts);
	return [servers, lm.registerMcpServerDefinitionProvider(ID, servers)];
}
