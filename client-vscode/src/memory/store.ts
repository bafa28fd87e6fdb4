/** What the server has of memories, kept current: those about the user, and those of each open folder. */
import type { Disposable, Event } from "vscode";
import type { Log } from "../log";
import { errorKind, errorMessage } from "../protocol";
import type { Server } from "../server/server";
import { EventEmitter, workspace } from "../vscodeapi";
import type { MemoryHead, MemoryReport, MemorySend } from "./protocol";
import { sendingMemories } from "./protocol";

/** Memories that the server gives in one answer, at most. */
const PAGE = 2_000;
/** Changes that come together are one, within so many milliseconds. */
const SETTLE = 100;

/** An open folder. */
export interface MemoryFolder {
	readonly name: string;
	/** The URI to send as `workspace`; left out where there is nothing to choose. */
	readonly workspace?: string;
}

/** A memory, and the folder that it belongs to where several are open. */
export interface KnownMemory extends MemoryHead {
	readonly folder?: MemoryFolder;
}

export type Holding =
	| { readonly kind: "unknown" }
	| { readonly kind: "off" }
	| { readonly kind: "failed"; readonly why: string }
	| {
			readonly kind: "known";
			readonly memories: readonly KnownMemory[];
			readonly report: MemoryReport;
	  };

/** What is shown: everything, or what a text finds. */
export interface Filter {
	readonly text: string;
	readonly ids: ReadonlySet<string>;
}

export class MemoryStore implements Disposable {
	private readonly changed = new EventEmitter<void>();
	/** The memories, what is known of them, or which are shown changed. */
	readonly onDidChange: Event<void> = this.changed.event;

	private readonly send: MemorySend;
	private current: Holding = { kind: "unknown" };
	private shown: Filter | undefined;
	private told = "";
	/** Nothing is asked of the server before somebody wants to see memories. */
	private wanted = false;
	private running: Promise<void> | undefined;
	private again = false;
	private disposed = false;
	private settling: NodeJS.Timeout | undefined;
	private readonly listeners: Disposable[];

	constructor(
		server: Pick<Server, "send" | "on" | "onDidChangeState">,
		private readonly log: Log,
	) {
		this.send = sendingMemories(server.send);
		this.listeners = [
			server.on("memory/didChange", () => this.soon()),
			server.onDidChangeState(({ kind }) => {
				if (kind === "starting") {
					this.enter({ kind: "unknown" });
				} else if (this.wanted) {
					void this.load();
				}
			}),
		];
	}

	get holding(): Holding {
		return this.current;
	}

	get memories(): readonly KnownMemory[] {
		return this.current.kind === "known" ? this.current.memories : [];
	}

	get filter(): Filter | undefined {
		return this.shown;
	}

	/** The memories that the filter lets through; all without one. */
	get visible(): readonly KnownMemory[] {
		const { shown } = this;
		return shown ? this.memories.filter(({ id }) => shown.ids.has(id)) : this.memories;
	}

	/** The memory as it is known now. */
	memory(id: string): KnownMemory | undefined {
		return this.memories.find((memory) => memory.id === id);
	}

	/** Shows what the text finds by the server's search, or holds in a title, a description or a keyword. */
	async find(text: string): Promise<void> {
		const filter = text.trim() ? { text: text.trim(), ids: await this.matches(text.trim()) } : undefined;
		this.shown = filter;
		this.changed.fire();
	}

	/** Asks the server; returns when what was asked for by then is there. Never rejects. */
	load(): Promise<void> {
		this.wanted = true;
		if (this.running) {
			this.again = true;
			return this.running;
		}
		this.running = this.work().finally(() => {
			this.running = undefined;
		});
		return this.running;
	}

	/** Asks the server in a moment, once for all changes until then, if anybody has asked before. */
	soon(): void {
		if (this.wanted) {
			clearTimeout(this.settling);
			this.settling = setTimeout(() => void this.load(), SETTLE);
		}
	}

	dispose(): void {
		this.disposed = true;
		clearTimeout(this.settling);
		for (const listener of this.listeners) {
			listener.dispose();
		}
		this.changed.dispose();
	}

	private async work(): Promise<void> {
		do {
			this.again = false;
			let holding: Holding;
			try {
				holding = await this.ask();
				if (this.shown) {
					this.shown = { ...this.shown, ids: await this.matches(this.shown.text, holding) };
				}
			} catch (error) {
				this.log.debug(`memories: ${errorMessage(error)}`);
				const off = errorKind(error) === "memoryDisabled";
				holding = off ? { kind: "off" } : { kind: "failed", why: errorMessage(error) };
			}
			if (!this.again) {
				this.enter(holding);
			}
		} while (this.again && !this.disposed);
	}

	private async ask(): Promise<Holding> {
		const folders = openFolders();
		const [first] = folders;
		if (folders.length < 2 || !first) {
			const [memories, report] = await Promise.all([this.list({}), this.send("memory/status", {})]);
			return { kind: "known", memories, report };
		}
		const memories = [await this.list({ scope: "user" })];
		for (const folder of folders) {
			const { workspace: uri } = folder;
			const own = uri === undefined ? [] : await this.list({ scope: "project", workspace: uri });
			memories.push(own.map((memory) => ({ ...memory, folder })));
		}
		return { kind: "known", memories: memories.flat(), report: await this.send("memory/status", {}) };
	}

	private async list(of: { readonly scope?: "user" | "project"; readonly workspace?: string }): Promise<MemoryHead[]> {
		const memories: MemoryHead[] = [];
		for (;;) {
			const { items, total } = await this.send("memory/list", { ...of, offset: memories.length, limit: PAGE });
			memories.push(...items);
			if (items.length === 0 || memories.length >= total) {
				return memories;
			}
		}
	}

	private async matches(text: string, holding: Holding = this.current): Promise<ReadonlySet<string>> {
		const needle = text.toLowerCase();
		const known = holding.kind === "known" ? holding.memories : [];
		const held = known.filter(({ title, description, keywords, type }) =>
			[title, description, type, ...keywords].some((each) => each.toLowerCase().includes(needle)),
		);
		// What waits for review is never in the answer of a search.
		const { items } = await this.send("memory/search", { query: text, limit: 200 });
		return new Set([...held.map(({ id }) => id), ...items.map(({ memory }) => memory.id)]);
	}

	/** What is as before is not told again: while a tree is drawn anew, the editor does not know its entries. */
	private enter(holding: Holding): void {
		const told = JSON.stringify([holding, this.shown && [...this.shown.ids]]);
		if (!this.disposed && told !== this.told) {
			this.told = told;
			this.current = holding;
			this.changed.fire();
		}
	}
}

/** The open folders; with a URI to choose by where there are several. */
export function openFolders(): readonly MemoryFolder[] {
	const folders = workspace.workspaceFolders ?? [];
	return folders.map(({ name, uri }) => (folders.length > 1 ? { name, workspace: uri.toString() } : { name }));
}

/** `{workspace}` for a request about this memory, or nothing where there is no choice. */
export function whereOf({ folder }: Pick<KnownMemory, "folder">): { readonly workspace?: string } {
	return folder?.workspace === undefined ? {} : { workspace: folder.workspace };
}
