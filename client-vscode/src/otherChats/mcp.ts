/**
 * `vademecum mcp`, offered to chats that take their tools from MCP servers rather than from extensions. Off unless the
 * user's own setting says otherwise, since a chat that takes both would have every tool twice.
 */
import { createHash } from "node:crypto";
import type { CancellationToken, McpStdioServerDefinition as Definition, Disposable } from "vscode";
import type { Log } from "../log";
import { errorMessage } from "../protocol";
import type { Launch } from "../server/launch";
import { installModels } from "../server/models";
import type { Server, State } from "../server/server";
import { SECTION } from "../settings";
import { EventEmitter, lm, McpStdioServerDefinition, ProgressLocation, window, workspace } from "../vscodeapi";

const ID = "vademecum.mcp";
const LABEL = "Vademecum";
const SETTING = "mcpServer";
/** As the window's own server has it: nothing is imported from the folder that it is started in. */
const ENVIRONMENT = { PYTHONSAFEPATH: "1", PYTHONUTF8: "1", PYTHONHOME: null, PYTHONPATH: null };

type Running = Extract<State, { readonly kind: "running" }>;

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

/**
 * Another one wherever another program or other folders are to be served: a server that was started before goes on with
 * what it has, and it is by this that the editor offers to start it anew.
 */
export function mcpVersion(server: string | undefined, command: readonly string[]): string {
	const digest = createHash("sha256").update(JSON.stringify(command)).digest("hex").slice(0, 8);
	return [server, digest].filter(Boolean).join("+");
}

export class McpServers implements Disposable {
	private readonly changed = new EventEmitter<void>();
	private readonly abort = new AbortController();
	private readonly disposables: Disposable[];
	private last: Running | undefined;

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
		const running = this.running();
		if (running === undefined || !workspace.getConfiguration(SECTION).get<boolean>(SETTING, false)) {
			return [];
		}
		const folders = (workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
		const command = mcpCommand(
			running.launch,
			folders.map(({ uri }) => uri.fsPath),
		);
		const [program = "", ...args] = command;
		return [
			new McpStdioServerDefinition(LABEL, program, args, { ...ENVIRONMENT }, mcpVersion(running.version, command)),
		];
	}

	/** Before it is started: the private environment gets what only agents need, once. */
	async resolveMcpServerDefinition(
		definition: Definition,
		_token?: CancellationToken,
	): Promise<Definition | undefined> {
		const { wheels, log, install = installModels } = this.parts;
		if (this.running()?.launch.origin !== "private environment") {
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

	/** The window's server: while another is started, the one before, so that agents keep theirs meanwhile. */
	private running(): Running | undefined {
		const { state } = this.parts.server;
		if (state.kind !== "starting") {
			this.last = state.kind === "running" ? state : undefined;
		}
		return this.last;
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
