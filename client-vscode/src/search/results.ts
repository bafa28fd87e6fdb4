/** What the Search view shows, and how it comes about: asked, paged, explained, judged again, refreshed in place. */
import type { Disposable, Event } from "vscode";
import { shortened } from "../brief";
import { counted } from "../knowledge/words";
import { errorMessage, type SearchAnswer, type SearchItem, type Send } from "../protocol";
import { EventEmitter } from "../vscodeapi";
import { tokenOf } from "./cancelling";
import { type Folder, type Found, isRefusal, judged, shownOf, takenAnew } from "./found";
import type { Indexes } from "./indexes";
import { type Asked, NOTHING_ASKED, type Shown, type ShownNotice } from "./messages";
import { termsOf } from "./preview";
import { type Place, queryParams } from "./questions";
import { indexOf, lostBy, noticesOf, saidOf, signalsOf } from "./words";

/** Results of one page. */
const PAGE = 20;
const HISTORY = 50;
/** Of a query so much is read out with its results, in characters: somebody may have pasted a whole file. */
const SAID = 80;

export interface Remembered {
	readonly asked: Asked;
	readonly history: readonly string[];
}

export interface SearchParts {
	readonly send: Send;
	readonly indexes: Pick<Indexes, "state" | "all">;
	/** The open folder that a file is in; undefined where there are not several to tell apart. */
	readonly folderOf: (uri: string) => Folder | undefined;
	/** Whether any folder is open. */
	readonly hasFolder: () => boolean;
	/** What was asked when the window was open last. */
	readonly remembered: Remembered | undefined;
	readonly remember: (remembered: Remembered) => void;
}

/** Code that like code is looked for. */
export interface Like extends Place {
	readonly label: string;
}

export class SearchResults implements Disposable {
	private readonly changed = new EventEmitter<void>();
	readonly onDidChange: Event<void> = this.changed.event;

	private asked: Asked;
	private history: readonly string[];
	private asking = Date.now();
	private like: Like | undefined;
	private found: Found[] = [];
	private notices: readonly ShownNotice[] = [];
	private nextOffset: number | undefined;
	private partial = false;
	private stage: Shown["stage"] = "nothing";
	private problem: Shown["problem"];
	private said = { number: 0, text: "" };
	private running: AbortController | undefined;
	private judging = 0;
	private ids = 0;
	/** What the results are an answer to. */
	private answered = "";
	/** Files and folders that are not searched, where that was asked. */
	private skipped: number | undefined;

	constructor(private readonly parts: SearchParts) {
		this.asked = { ...NOTHING_ASKED, ...parts.remembered?.asked };
		this.history = parts.remembered?.history ?? [];
	}

	dispose(): void {
		this.running?.abort();
		this.changed.dispose();
	}

	get shown(): Shown {
		const { indexes, hasFolder } = this.parts;
		const problem = hasFolder()
			? this.problem
			: ({ text: "No folder is open, so there is nothing to search.", ways: ["openFolder"] } as const);
		const index = indexOf(indexes.state, indexes.all);
		const down = indexes.state.kind === "failed" ? indexes.state.problem.message : undefined;
		const terms = this.like ? [] : termsOf(this.asked.query);
		return {
			asking: this.asking,
			asked: this.asked,
			...(this.like ? { like: this.like.label } : {}),
			busy: this.running !== undefined,
			stage: problem || down ? "failed" : this.stage,
			results: this.found.map((one) => shownOf(one, terms, this.parts.folderOf(one.item.uri)?.name)),
			more: this.nextOffset !== undefined,
			notices: this.notices,
			...(down ? { problem: { text: down, ways: ["restart", "log"] } } : problem ? { problem } : {}),
			index: { ...index, ...(this.skipped ? { skipped: this.skipped } : {}) },
			history: this.history,
			said: this.said,
		};
	}

	/** What somebody looks for now; a request that is under way for something else is cancelled. */
	async search(asked: Asked, kept: boolean): Promise<void> {
		this.asked = asked;
		this.like = undefined;
		if (kept && asked.query.trim()) {
			this.keep(asked.query.trim());
		}
		this.parts.remember({ asked, history: this.history });
		await this.again();
	}

	/** As `search`, but from elsewhere than the view, whose fields follow. */
	async searchFor(query: string): Promise<void> {
		this.asking += 1;
		await this.search({ ...this.asked, query }, true);
	}

	async searchLike(like: Like): Promise<void> {
		this.like = like;
		await this.again();
	}

	/** From similar code to what was asked before. */
	async back(): Promise<void> {
		this.like = undefined;
		await this.again();
	}

	/** Asks the same once more. */
	async again(): Promise<void> {
		this.cancel();
		if (!this.like && !this.asked.query.trim()) {
			this.found = [];
			this.notices = [];
			this.nextOffset = undefined;
			this.partial = false;
			this.problem = undefined;
			this.stage = "nothing";
			this.changed.fire();
			return;
		}
		await this.run(async (signal) => {
			const answer = await this.page(0, signal);
			if (!signal.aborted) {
				// Asked once more, what is found again is the same result: it keeps its place, and what was unfolded of it.
				const question = JSON.stringify(this.like ?? this.asked);
				const known = question === this.answered ? this.found : [];
				this.answered = question;
				this.found = [];
				this.stage = "answered";
				this.take(answer, 0, known);
				const about = this.like ? `like ${this.like.label}` : `for “${shortened(this.asked.query.trim(), SAID)}”`;
				this.say(saidOf(this.found.length, this.nextOffset !== undefined, about));
			}
		});
	}

	async more(): Promise<void> {
		const offset = this.nextOffset;
		if (offset === undefined || this.running) {
			return;
		}
		await this.run(async (signal) => {
			const answer = await this.page(offset, signal);
			if (!signal.aborted) {
				const before = this.found.length;
				this.take(answer, offset);
				this.say(saidOf(this.found.length - before, this.nextOffset !== undefined, "more"));
			}
		});
	}

	/** Ends what is under way: something else is being typed. */
	cancel(): void {
		this.running?.abort();
		if (this.running) {
			this.running = undefined;
			this.changed.fire();
		}
	}

	/** Nothing is shown or asked any more; with `history`, nor is it known what was. */
	async clear(history = false): Promise<void> {
		this.asking += 1;
		this.history = history ? [] : this.history;
		await this.search({ ...this.asked, query: "" }, false);
	}

	item(id: number): SearchItem | undefined {
		return this.one(id)?.item;
	}

	/** Whether anything of a file is shown. */
	shows(uri: string): boolean {
		return this.found.some(({ item }) => item.uri === uri);
	}

	/** A result was of use: its query is worth finding again. */
	used(): void {
		if (!this.like && this.asked.query.trim()) {
			this.keep(this.asked.query.trim());
			this.parts.remember({ asked: this.asked, history: this.history });
			this.changed.fire();
		}
	}

	/** Has the server say what the scores of a result's page are made of. */
	async explain(id: number): Promise<void> {
		const offset = this.one(id)?.offset;
		if (offset === undefined) {
			return;
		}
		try {
			const { items } = await this.page(offset, undefined, true);
			for (const item of items) {
				const one = this.found.find(({ item: { reference } }) => reference === item.reference);
				if (one && item.signals) {
					one.signals = signalsOf(item.signals, item.score);
				}
			}
			const one = this.one(id);
			if (one && !one.signals) {
				one.signals = [{ label: "It is not found any more; search again.", value: "" }];
			}
			this.changed.fire();
		} catch (error) {
			this.fail(error);
		}
	}

	/** Whether what is shown still holds; what has only moved is shown where it is. */
	async judge(): Promise<void> {
		this.judging += 1;
		const mine = this.judging;
		try {
			const apply = await judged(this.parts, this.found);
			if (mine === this.judging) {
				const before = this.found.filter(isLost).length;
				apply();
				const lost = this.found.filter(isLost).length;
				if (lost > before) {
					this.say(`${counted(lost, "result does", "results do")} not hold any more`);
				}
				this.changed.fire();
			}
		} catch {
			// Nobody can tell now; the next change of the index is the next occasion.
		}
	}

	/** Takes a result that does not hold any more from its file again, or away when it is not there. */
	async refresh(id: number): Promise<void> {
		const one = this.one(id);
		if (!one) {
			return;
		}
		try {
			const item = await takenAnew(this.parts, one, this.found, this.like ? undefined : this.asked);
			const place = this.found.indexOf(one);
			if (place < 0) {
				return;
			}
			if (item) {
				one.item = item;
				delete one.verdict;
				delete one.signals;
				this.say(`Refreshed: ${item.path}`);
			} else {
				this.found.splice(place, 1);
				this.say(`It is not there any more: ${one.item.path}`);
			}
			this.changed.fire();
		} catch (error) {
			this.fail(error);
		}
	}

	/** The server, or an index, is in another state than before. */
	async follow(): Promise<void> {
		const { state, all } = this.parts.indexes;
		if (state.kind === "running" && all.length > 0 && !this.running) {
			const ready = all.every((index) => index.state === "ready" && index.pending === 0);
			if ((this.stage === "answered" && this.partial && ready) || this.problem?.ways.includes("restart")) {
				return this.again();
			}
			await this.judge();
		}
		this.changed.fire();
	}

	/** Asks how much is not searched. */
	async countSkipped(): Promise<void> {
		try {
			this.skipped = (await this.parts.send("search/skipped", { limit: 1 })).total;
		} catch {
			this.skipped = undefined;
		}
		this.changed.fire();
	}

	private page(offset: number, signal?: AbortSignal, explain = false): Promise<SearchAnswer> {
		const page = { limit: PAGE, offset, ...(explain ? { explain } : {}) };
		const token = signal && tokenOf(signal);
		return this.like
			? this.parts.send("search/related", { ...placeOf(this.like), ...page }, token)
			: this.parts.send("search/query", { ...queryParams(this.asked), ...page }, token);
	}

	private async run(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
		const mine = new AbortController();
		this.running = mine;
		this.changed.fire();
		try {
			await work(mine.signal);
		} catch (error) {
			if (!mine.signal.aborted) {
				this.found = [];
				this.notices = [];
				this.nextOffset = undefined;
				this.stage = "failed";
				this.fail(error);
			}
		} finally {
			if (this.running === mine) {
				this.running = undefined;
				this.changed.fire();
			}
		}
	}

	private take(answer: SearchAnswer, offset: number, before: readonly Found[] = []): void {
		const same = (item: SearchItem) => (one: Found) =>
			one.item.uri === item.uri && one.item.reference === item.reference;
		for (const item of answer.items.filter((each) => !this.found.some(same(each)))) {
			const known = before.find(same(item));
			this.ids += known ? 0 : 1;
			const { id, signals } = known ?? { id: this.ids };
			this.found.push({ id, item, offset, ...(signals ? { signals } : {}) });
		}
		this.notices = noticesOf(answer.notices);
		this.nextOffset = answer.nextOffset ?? undefined;
		// One of an index that is switched off, too, is another once it is there.
		this.partial = answer.partial || answer.notices.some(({ kind }) => kind === "disabled");
		this.problem = undefined;
	}

	private fail(error: unknown): void {
		this.problem = { text: errorMessage(error), ways: isRefusal(error) ? [] : ["restart", "log"] };
		this.changed.fire();
	}

	private say(text: string): void {
		this.said = { number: this.said.number + 1, text };
	}

	private keep(query: string): void {
		this.history = [query, ...this.history.filter((other) => other !== query)].slice(0, HISTORY);
	}

	private one(id: number): Found | undefined {
		return this.found.find((one) => one.id === id);
	}
}

function isLost({ verdict }: Found): boolean {
	return verdict !== undefined && lostBy(verdict) !== undefined;
}

function placeOf({ uri, position }: Place): Place {
	return { uri, position };
}
