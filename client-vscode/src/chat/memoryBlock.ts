/** The prompt block of each chat: made ahead for the next one, the same bytes for the whole of a chat. */
import { randomUUID } from "node:crypto";
import type { Disposable } from "vscode";
import { errorKind, errorMessage, type MemoryChanges, type PromptBlock, type Send } from "../protocol";
import type { Server } from "../server/server";

export const NO_CHANGES: MemoryChanges = { text: "", earlier: [] };

/** A chat's memory, or why there is none. */
export interface ChatMemory {
	readonly session: string;
	readonly block?: PromptBlock;
	/** Memory is switched off: no block and no tools, and nothing to complain of. */
	readonly off?: true;
	readonly problem?: string;
}

export class MemoryBlocks implements Disposable {
	private ahead: Promise<ChatMemory> | undefined;
	private readonly listeners: readonly Disposable[];

	constructor(
		server: Pick<Server, "on" | "onDidChangeState">,
		private readonly send: Send,
	) {
		this.listeners = [
			server.onDidChangeState((state) => {
				if (state.kind === "running") {
					this.prefetch();
				}
			}),
			// A chat that has not begun yet starts with what is true then.
			server.on("memory/didChange", () => this.prefetch()),
		];
	}

	dispose(): void {
		for (const listener of this.listeners) {
			listener.dispose();
		}
	}

	/** Has the block of the next chat made, so that its first message waits for nothing. */
	prefetch(): void {
		this.ahead = this.fetch(randomUUID());
	}

	/** The memory of a chat that begins now. */
	async begin(): Promise<ChatMemory> {
		const ahead = this.ahead;
		this.ahead = undefined;
		const memory = await ahead;
		// What another window keeps or changes, this window's server tells only when it is asked.
		const isTrue = memory?.block !== undefined && (await this.changes(memory.session)).text === "";
		// Asked for again: the block may have been withdrawn since, when something was deleted or memory switched off.
		return this.fetch(isTrue ? memory.session : randomUUID());
	}

	/**
	 * The memory of a chat that goes on. It is asked for each time, since the server withdraws a block from which
	 * something was deleted.
	 */
	resume(session: string): Promise<ChatMemory> {
		return this.fetch(session);
	}

	/** What changed since the chat's block, each change once, and what was told of changes before. */
	async changes(session: string): Promise<MemoryChanges> {
		try {
			return await this.send("memory/changes", { session });
		} catch {
			return NO_CHANGES;
		}
	}

	private async fetch(session: string): Promise<ChatMemory> {
		try {
			return { session, block: await this.send("memory/prompt", { session }) };
		} catch (error) {
			return errorKind(error) === "memoryDisabled" ? { session, off: true } : { session, problem: errorMessage(error) };
		}
	}
}
