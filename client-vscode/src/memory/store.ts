/** What the server has of memories, kept current: those about the user, and those of each open folder. */
import type { Disposable, Event } from "vscode";
import { Kept } from "../kept";
import type { Log } from "../log";
import { errorKind, errorMessage } from "../protocol";
import type { Server } from "../server/server";
import { workspace } from "../vscodeapi";
import type { MemoryHead, MemoryReport } from "./protocol";
import { type MemorySend, sendingMemories } from "./sending";

/** Memories that the server gives in one answer, at most. */
const PAGE = 2_000;

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
	private readonly kept: Kept<Holding>;
	/** The memories, what is known of them, or which are shown changed. */
	readonly onDidChange: Event<void>;

	private readonly send: MemorySend;
	private shown: Filter | undefined;

	constructor(server: Pick<Server, "send" | "on" | "onDidChangeState">, log: Log) {
		this.send = sendingMemories(server.send);
		this.kept = new Kept<Holding>({
			server,
			announced: "memory/didChange",
			unknown: { kind: "unknown" },
			ask: () => this.askAndMatch(),
			failed: (error) => {
				log.debug(`memories: ${errorMessage(error)}`);
				const off = errorKind(error) === "memoryDisabled";
				return off ? { kind: "off" } : { kind: "failed", why: errorMessage(error) };
			},
		});
		this.onDidChange = this.kept.onDidChange;
	}

	get holding(): Holding {
		return this.kept.value;
	}

	get memories(): readonly KnownMemory[] {
		return this.holding.kind === "known" ? this.holding.memories : [];
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
		this.kept.tell();
	}

	/** Asks the server; returns when what was asked for by then is there. Never rejects. */
	load(): Promise<void> {
		return this.kept.load();
	}

	/** Asks the server in a moment, if anybody has asked before. */
	soon(): void {
		this.kept.soon();
	}

	dispose(): void {
		this.kept.dispose();
	}

	private async askAndMatch(): Promise<Holding> {
		const holding = await this.ask();
		const { shown } = this;
		if (shown) {
			const ids = await this.matches(shown.text, holding);
			// Somebody may have looked for something else meanwhile.
			if (this.shown === shown && [...ids].join() !== [...shown.ids].join()) {
				this.shown = { ...shown, ids };
				this.kept.tell();
			}
		}
		return holding;
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

	private async matches(text: string, holding: Holding = this.holding): Promise<ReadonlySet<string>> {
		const needle = text.toLowerCase();
		const known = holding.kind === "known" ? holding.memories : [];
		const held = known.filter(({ title, description, keywords, type }) =>
			[title, description, type, ...keywords].some((each) => each.toLowerCase().includes(needle)),
		);
		// What waits for review is never in the answer of a search.
		const { items } = await this.send("memory/search", { query: text, limit: 200 });
		return new Set([...held.map(({ id }) => id), ...items.map(({ memory }) => memory.id)]);
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
