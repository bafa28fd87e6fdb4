/** What the server has of documents, kept current: all of them, and which are attached to the current task. */
import type { Disposable, Event } from "vscode";
import { Kept } from "../kept";
import type { Log } from "../log";
import { errorMessage } from "../protocol";
import type { Server } from "../server/server";
import type { KnownDocument } from "./protocol";
import type { CurrentTask } from "./task";

/** Documents that the server gives in one answer, at most. */
const PAGE = 2_000;

export type Holding =
	| { readonly kind: "unknown" }
	| { readonly kind: "failed"; readonly why: string }
	| {
			readonly kind: "known";
			readonly documents: readonly KnownDocument[];
			/** The task that was asked about, and what is attached to it. */
			readonly task: string;
			readonly attached: ReadonlySet<string>;
	  };

export class KnowledgeStore implements Disposable {
	private readonly kept: Kept<Holding>;
	/** The documents, or what is known of them, changed. */
	readonly onDidChange: Event<void>;
	private readonly listening: Disposable;

	constructor(
		private readonly server: Pick<Server, "send" | "on" | "onDidChangeState" | "state">,
		private readonly task: CurrentTask,
		log: Log,
	) {
		this.kept = new Kept<Holding>({
			server,
			announced: "knowledge/didChange",
			unknown: { kind: "unknown" },
			ask: () => this.ask(),
			failed: (error) => {
				log.debug(`documents: ${errorMessage(error)}`);
				return { kind: "failed", why: errorMessage(error) };
			},
		});
		this.onDidChange = this.kept.onDidChange;
		this.listening = task.onDidChange(() => this.kept.soon());
	}

	get holding(): Holding {
		return this.kept.value;
	}

	get documents(): readonly KnownDocument[] {
		return this.holding.kind === "known" ? this.holding.documents : [];
	}

	isAttached(id: string): boolean {
		return this.holding.kind === "known" && this.holding.attached.has(id);
	}

	/** The document as it is known now. */
	document(id: string): KnownDocument | undefined {
		return this.documents.find((document) => document.id === id);
	}

	/** Asks the server; returns when what was asked for by then is there. Never rejects. */
	load(): Promise<void> {
		return this.kept.load();
	}

	dispose(): void {
		this.listening.dispose();
		this.kept.dispose();
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
		const task = this.task.name;
		const { attached } = await this.server.send("knowledge/attach", { ids: [], task });
		return { kind: "known", documents, task, attached: new Set(attached) };
	}
}
