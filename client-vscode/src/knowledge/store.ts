/** What the server has of documents, kept current: all of them, and which are attached to the current task. */
import type { Disposable, Event } from "vscode";
import type { Log } from "../log";
import { errorMessage } from "../protocol";
import type { Server } from "../server/server";
import { EventEmitter } from "../vscodeapi";
import type { KnownDocument } from "./protocol";
import type { CurrentTask } from "./task";

/** Documents that the server gives in one answer, at most. */
const PAGE = 2_000;
/** Changes that come together are one, within so many milliseconds. */
const SETTLE = 100;

export type Holding =
	| { readonly kind: "unknown" }
	| { readonly kind: "failed"; readonly why: string }
	| { readonly kind: "known"; readonly documents: readonly KnownDocument[]; readonly attached: ReadonlySet<string> };

export class KnowledgeStore implements Disposable {
	private readonly changed = new EventEmitter<void>();
	/** The documents, or what is known of them, changed. */
	readonly onDidChange: Event<void> = this.changed.event;

	private current: Holding = { kind: "unknown" };
	/** Nothing is asked of the server before somebody wants to see documents. */
	private wanted = false;
	private running: Promise<void> | undefined;
	private again = false;
	private disposed = false;
	private settling: NodeJS.Timeout | undefined;
	private readonly listeners: Disposable[];

	constructor(
		private readonly server: Pick<Server, "send" | "on" | "onDidChangeState" | "state">,
		private readonly task: CurrentTask,
		private readonly log: Log,
	) {
		this.listeners = [
			server.on("knowledge/didChange", () => this.soon()),
			server.onDidChangeState(({ kind }) => {
				if (kind === "starting") {
					this.enter({ kind: "unknown" });
				} else if (this.wanted) {
					void this.load();
				}
			}),
			task.onDidChange(() => this.soon()),
		];
	}

	get holding(): Holding {
		return this.current;
	}

	get documents(): readonly KnownDocument[] {
		return this.current.kind === "known" ? this.current.documents : [];
	}

	isAttached(id: string): boolean {
		return this.current.kind === "known" && this.current.attached.has(id);
	}

	/** The document as it is known now. */
	document(id: string): KnownDocument | undefined {
		return this.documents.find((document) => document.id === id);
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

	dispose(): void {
		this.disposed = true;
		clearTimeout(this.settling);
		for (const listener of this.listeners) {
			listener.dispose();
		}
		this.changed.dispose();
	}

	private soon(): void {
		if (this.wanted) {
			clearTimeout(this.settling);
			this.settling = setTimeout(() => void this.load(), SETTLE);
		}
	}

	private async work(): Promise<void> {
		do {
			this.again = false;
			try {
				const holding = await this.ask();
				if (!this.again) {
					this.enter(holding);
				}
			} catch (error) {
				this.log.debug(`documents: ${errorMessage(error)}`);
				if (!this.again) {
					this.enter({ kind: "failed", why: errorMessage(error) });
				}
			}
		} while (this.again && !this.disposed);
	}

	private async ask(): Promise<Holding> {
		const documents: KnownDocument[] = [];
		for (;;) {
			const { items, total } = await this.server.send("knowledge/list", { offset: documents.length, limit: PAGE });
			documents.push(...items);
			if (items.length === 0 || documents.length >= total) {
				break;
			}
		}
		// Attaching nothing changes nothing, and tells what is attached.
		const { attached } = await this.server.send("knowledge/attach", { ids: [], task: this.task.name });
		return { kind: "known", documents, attached: new Set(attached) };
	}

	private enter(holding: Holding): void {
		if (!this.disposed) {
			this.current = holding;
			this.changed.fire();
		}
	}
}
