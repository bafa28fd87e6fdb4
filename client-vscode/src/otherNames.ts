/**
 * The tools under the names of other systems: offered where the server offers them, by the setting `tools.aliases` of the
 * user's `config.toml` or of the editor. The manifest has them all, each with a `when` on what is set here.
 */
import type { CancellationToken, Disposable } from "vscode";
import { fenced } from "./commands/memory";
import { currentFolder } from "./folders";
import type { Log } from "./log";
import { errorMessage, type Send } from "./protocol";
import type { Server } from "./server/server";
import { SECTION } from "./settings";
import type { Input, Tool } from "./tool";
import { confirmDeletion, runner, type ShownRevisions } from "./tools";
import { commands, MarkdownString, workspace } from "./vscodeapi";

/** Before a tool's name: the context that its `when` goes by. */
const CONTEXT = "vademecum.offers.";
/** Deletes a memory by its id or its name. */
const FORGET = "memory_forget";
/** Reads one by its id or its name. */
const GET = "memory_get";
/** Keeps a memory by its name, and changes the one that has it. */
const SAVE = "memory_save";
/** The server takes changed settings without saying when it has, within so many milliseconds. */
const SETTLE = 1_000;

/** The tools of these names. Each is the server's own of that name, with the model's words as arguments. */
export function toolsNamed(names: readonly string[], send: Send, task: () => string): Readonly<Record<string, Tool>> {
	const shown: ShownRevisions = new Map();
	const tools = names.map((name): [string, Tool] => {
		const ofMemory = name.startsWith("memory_") ? { inOneFolder: true as const } : {};
		const confirmed = name === FORGET ? { isConfirmed: true as const } : {};
		const doing = `Running ${name}`;
		const tool = runner(send, task, { tool: name, doing, ...ofMemory, ...confirmed }, shown);
		if (name === SAVE) {
			return [name, { ...tool, confirm: confirmSave }];
		}
		return [name, name === FORGET ? forgetting(tool, send, shown) : tool];
	});
	return Object.fromEntries(tools);
}

/** What the user is shown is what goes: a name stands for the memory that had it when they were asked. */
function forgetting(tool: Tool, send: Send, shown: ShownRevisions): Tool {
	const meant = new Map<string, string>();
	const key = ({ name, scope }: Input) => JSON.stringify([name, scope]);
	return {
		...tool,
		async confirm(input: Input, token?: CancellationToken) {
			if (input.id !== undefined) {
				return confirmDeletion(send, shown, input, token);
			}
			const folder = currentFolder();
			const where = folder ? { workspace: folder } : {};
			const { result } = await send("tools/call", { name: GET, arguments: input, ...where }, token);
			const id = (result as { items?: readonly { id: string }[] }).items?.[0]?.id ?? "";
			meant.set(key(input), id);
			return confirmDeletion(send, shown, { id }, token);
		},
		run(input, ...rest) {
			const id = input.id === undefined ? meant.get(key(input)) : undefined;
			return tool.run(id === undefined ? input : { id }, ...rest);
		},
	};
}

async function confirmSave({ name, content }: Input) {
	const message = new MarkdownString(`A memory of this name is changed.\n${fenced(String(content ?? ""), "")}`);
	return { title: `Remember as: ${String(name ?? "")}?`, message };
}

/** Which of the names are offered now. */
export class OfferedNames implements Disposable {
	private offered: ReadonlySet<string> = new Set();
	private settling: NodeJS.Timeout | undefined;
	private readonly listeners: readonly Disposable[];

	constructor(
		private readonly names: readonly string[],
		private readonly server: Pick<Server, "send" | "onDidChangeState">,
		private readonly log: Log,
	) {
		this.listeners = [
			server.onDidChangeState(({ kind }) => kind === "running" && void this.look()),
			workspace.onDidChangeConfiguration((change) => {
				if (change.affectsConfiguration(SECTION)) {
					clearTimeout(this.settling);
					this.settling = setTimeout(() => void this.look(), SETTLE);
				}
			}),
		];
	}

	has(name: string): boolean {
		return this.offered.has(name);
	}

	async look(): Promise<void> {
		try {
			const { items } = await this.server.send("tools/list", {});
			this.offered = new Set(items.map(({ name }) => name));
		} catch (error) {
			this.log.debug(`the tools that are offered: ${errorMessage(error)}`);
			return;
		}
		for (const name of this.names) {
			void commands.executeCommand("setContext", CONTEXT + name, this.offered.has(name));
		}
	}

	dispose(): void {
		clearTimeout(this.settling);
		for (const listener of this.listeners) {
			listener.dispose();
		}
	}
}
