import { describe, expect, it, vi } from "vitest";
import type { SearchAnswer, SearchItem, SearchStatus, Send } from "../src/protocol";
import { NOTHING_ASKED } from "../src/search/messages";
import { type Remembered, SearchResults } from "../src/search/results";
import type { State } from "../src/server/server";
import { READY } from "./searching";

const item = (path: string, line: number, more: Partial<SearchItem> = {}): SearchItem => ({
	uri: `file:///shop/${path}`,
	path,
	range: { start: { line: line - 1, character: 0 }, end: { line: line + 1, character: 0 } },
	match: { start: { line, character: 4 }, end: { line, character: 9 } },
	symbol: "price_of",
	kind: "function",
	language: "python",
	score: 1,
	reference: `${path}:${line}-${line + 2}@0123456789abcdef`,
	snippet: "def price_of(tea):\n    price = PRICES[tea]\n    return price",
	...more,
});
const answer = (items: SearchItem[], more: Partial<SearchAnswer> = {}): SearchAnswer => ({
	items,
	partial: false,
	notices: [],
	...more,
});
/** A view whose server answers as the test says, and remembers what it was asked. */
function bench(
	replies: Partial<Record<string, (params: never, token?: AbortToken) => unknown>>,
	folders: string[] = [],
) {
	const asked: [string, Record<string, unknown>][] = [];
	const told: Remembered[] = [];
	const indexes = {
		state: { kind: "running", launch: { command: "", args: [], origin: "PATH" } } as State,
		all: [READY] as SearchStatus[],
	};
	const send = (async (method: string, params: never, token?: AbortToken) => {
		asked.push([method, params]);
		const reply = replies[method];
		if (!reply) {
			throw new Error(`nobody answers ${method}`);
		}
		return reply(params, token);
	}) as unknown as Send;
	const results = new SearchResults({
		send,
		indexes,
		folderOf: (uri) => {
			const name = folders.find((folder) => uri.startsWith(`file:///${folder}/`));
			return name === undefined ? undefined : { uri: `file:///${name}`, name };
		},
		hasFolder: () => true,
		remembered: undefined,
		remember: (remembered) => void told.push(remembered),
	});
	const search = (query: string, more = {}) => results.search({ ...NOTHING_ASKED, query, ...more }, false);
	return { results, asked, told, indexes, search, shown: () => results.shown };
}

interface AbortToken {
	isCancellationRequested: boolean;
	onCancellationRequested(listener: () => void): unknown;
}

const paths = ({ results }: SearchResults["shown"]) => results.map(({ path, line }) => `${path}:${line}`);

describe("the results of the Search view", () => {
	it("are told without all of a query that somebody pasted", async () => {
		const { search, shown } = bench({ "search/query": () => answer([item("prices.py", 7)]) });
		await search("茶".repeat(12_000));
		expect(shown().said.text).toBe(`1 result for “${"茶".repeat(79)}…”`);
	});

	it("ask with what stands in the fields, and show each with its lines", async () => {
		const { asked, search, shown } = bench({ "search/query": () => answer([item("prices.py", 7)]) });
		await search(" price ", { mode: "lexical", content: "code", paths: "src/{a,b}/**, !**/test*", languages: "py,ts" });
		expect(asked).toEqual([
			[
				"search/query",
				{
					query: "price",
					mode: "lexical",
					content: "code",
					paths: ["src/{a,b}/**", "!**/test*"],
					languages: ["py", "ts"],
					limit: 20,
					offset: 0,
				},
			],
		]);
		expect(shown()).toMatchObject({
			busy: false,
			stage: "answered",
			more: false,
			said: { text: "1 result for “price”" },
		});
		expect(shown().results).toMatchObject([{ path: "prices.py", line: 8, symbol: "price_of" }]);
		expect(shown().results[0]?.lines).toMatchObject([
			{ number: 7, marks: [[4, 9]] },
			{
				number: 8,
				text: "    price = PRICES[tea]",
				marks: [
					[4, 9],
					[12, 17],
				],
			},
			{ number: 9 },
		]);
	});

	it("cancel the request that is under way when something else is asked, and never show its answer", async () => {
		const cancelled: string[] = [];
		const { search, shown } = bench({
			"search/query": ({ query }: { query: string }, token?: AbortToken) =>
				query === "slow"
					? new Promise((_resolve, reject) => {
							token?.onCancellationRequested(() => {
								cancelled.push(query);
								reject(Object.assign(new Error("cancelled"), { code: -32800 }));
							});
						})
					: answer([item("quick.py", 1)]),
		});
		const slow = search("slow");
		expect(shown().busy).toBe(true);
		await search("quick");
		await slow;
		expect(cancelled).toEqual(["slow"]);
		expect(shown()).toMatchObject({ busy: false, stage: "answered" });
		expect(shown().problem).toBeUndefined();
		expect(paths(shown())).toEqual(["quick.py:2"]);
	});

	it("keep their places when the same is asked once more, and not the marks of what holds again", async () => {
		let verdict = "changed";
		const { results, search, shown } = bench({
			"search/query": ({ query, explain }: { query: string; explain?: boolean }) =>
				answer([item(`${query}.py`, 1, explain ? { signals: { lexical: 1 } } : {})]),
			"evidence/verify": ({ references }: { references: string[] }) => ({
				items: references.map((reference) => ({ reference, verdict })),
				allValid: false,
			}),
		});
		await search("price");
		const id = shown().results[0]?.id ?? 0;
		await results.explain(id);
		await results.judge();
		expect(shown().results[0]?.lost?.mark).toBe("changed");
		verdict = "valid";
		await results.again();
		expect(shown().results).toMatchObject([{ id, signals: [{ value: "1.00" }, {}] }]);
		expect(shown().results[0]?.lost).toBeUndefined();
		await search("tea");
		expect(shown().results[0]?.id).not.toBe(id);
		expect(shown().results[0]?.signals).toBeUndefined();
	});

	it("go on where a page ends, without showing anything twice", async () => {
		const { results, asked, search, shown } = bench({
			"search/query": ({ offset }: { offset: number }) =>
				offset === 0
					? answer([item("a.py", 1)], { nextOffset: 1 })
					: answer([item("a.py", 1), item("b.py", 5)], { notices: [{ kind: "truncated", message: "Cut." }] }),
		});
		await search("price");
		expect(shown()).toMatchObject({ more: true, said: { text: "1 result for “price”; there are more" } });
		await results.more();
		expect(asked[1]?.[1]).toMatchObject({ offset: 1 });
		expect(paths(shown())).toEqual(["a.py:2", "b.py:6"]);
		expect(shown()).toMatchObject({ more: false, notices: [{ text: "Cut." }] });
		await results.more();
		expect(asked).toHaveLength(2);
	});

	it("explain a score by asking for the same page once more", async () => {
		const { results, asked, search, shown } = bench({
			"search/query": ({ explain }: { explain?: boolean }) =>
				answer([item("a.py", 1, explain ? { score: 1.4, signals: { lexical: 1, path: 0.5, "role:docs": 0.7 } } : {})]),
		});
		await search("price");
		await results.explain(shown().results[0]?.id ?? 0);
		expect(asked[1]?.[1]).toMatchObject({ explain: true, offset: 0, limit: 20 });
		expect(shown().results[0]?.signals).toEqual([
			{ label: "Words in common", value: "1.00" },
			{ label: "Words in its path", value: "+ 0.50" },
			{ label: "Its file is of the kind “docs”", value: "× 0.70" },
			{ label: "Score", value: "1.40" },
		]);
	});

	it("follow lines that moved, and mark those that changed or are gone, folder by folder", async () => {
		const found = [item("a.py", 1), item("b.py", 1), item("c.py", 1, { uri: "file:///till/c.py" })];
		const { results, asked, search, shown } = bench(
			{
				"search/query": () => answer(found),
				"evidence/verify": ({ references }: { references: string[] }) => ({
					allValid: false,
					items: references.map((reference) =>
						reference.startsWith("a")
							? { reference, verdict: "relocated", relocatedTo: "a.py:11-13@0123456789abcdef" }
							: { reference, verdict: reference.startsWith("b") ? "changed" : "deleted" },
					),
				}),
			},
			["shop", "till"],
		);
		await search("price");
		await results.judge();
		expect(asked.slice(1).map(([, params]) => params.workspace)).toEqual(["file:///shop", "file:///till"]);
		expect(shown().results).toMatchObject([
			{ path: "a.py", line: 12, folder: "shop" },
			{ path: "b.py", lost: { mark: "changed" } },
			{ path: "c.py", folder: "till", lost: { mark: "deleted" } },
		]);
		expect(shown().results[0]?.lost).toBeUndefined();
		expect(shown().results[0]?.lines[0]?.number).toBe(11);
		expect(shown().said.text).toBe("2 results do not hold any more");
		const { number } = shown().said;
		await results.judge();
		expect(shown().said.number).toBe(number);
	});

	it("take one that changed from its file again, by its symbol, and no other", async () => {
		const changed = item("src/[a].py", 5, { symbol: "price_of", snippet: "def price_of(name):\n    pass" });
		const { results, asked, search, shown } = bench({
			"search/query": ({ paths: globs }: { paths?: string[] }) =>
				answer(
					globs ? [item("src/[a].py", 1, { symbol: "other" }), changed] : [item("src/[a].py", 3), item("b.py", 1)],
				),
		});
		await search("price");
		await results.refresh(shown().results[0]?.id ?? 0);
		expect(asked[1]?.[1]).toMatchObject({ paths: ["/src/\\[a\\].py"] });
		expect(paths(shown())).toEqual(["src/[a].py:6", "b.py:2"]);
		expect(shown().results[0]?.lines[0]?.text).toBe("def price_of(name):");
	});

	it("drop one that is not there any more, and say so", async () => {
		const { results, search, shown } = bench({
			"search/query": ({ paths: globs }: { paths?: string[] }) =>
				answer(globs ? [] : [item("a.py", 1), item("b.py", 1)]),
		});
		await search("price");
		await results.refresh(shown().results[0]?.id ?? 0);
		expect(paths(shown())).toEqual(["b.py:2"]);
		expect(shown().said.text).toBe("It is not there any more: a.py");
	});

	it("are those like a place, until somebody goes back", async () => {
		const { results, asked, search, shown } = bench({
			"search/query": () => answer([item("a.py", 1)]),
			"search/related": ({ offset, explain }: { offset: number; explain?: boolean }) => {
				const found = item(offset ? "variant.py" : "copy.py", 1);
				return answer([explain ? { ...found, signals: { lexical: 1 } } : found], offset ? {} : { nextOffset: 1 });
			},
			"evidence/cite": () => Promise.reject(Object.assign(new Error("gone"), { data: { kind: "notFound" } })),
		});
		await search("price");
		await results.searchLike({ uri: "file:///shop/a.py", position: { line: 1, character: 0 }, label: "a.py:2" });
		expect(asked[1]).toEqual([
			"search/related",
			{ uri: "file:///shop/a.py", position: { line: 1, character: 0 }, limit: 20, offset: 0 },
		]);
		expect(shown()).toMatchObject({ like: "a.py:2", more: true, results: [{ path: "copy.py" }] });
		await results.more();
		expect(shown().more).toBe(false);
		expect(paths(shown())).toEqual(["copy.py:2", "variant.py:2"]);
		await results.explain(shown().results[1]?.id ?? 0);
		expect(asked.at(-1)).toMatchObject(["search/related", { offset: 1, explain: true }]);
		expect(shown().results[1]?.signals).toBeDefined();
		await results.refresh(shown().results[0]?.id ?? 0);
		expect(paths(shown())).toEqual(["variant.py:2"]);
		await results.back();
		expect(shown().like).toBeUndefined();
		expect(paths(shown())).toEqual(["a.py:2"]);
	});

	it("say what is wrong: what the server refuses, and that it is down, with what can be done", async () => {
		const refused = Object.assign(new Error("languages: does not know 'klingon'"), { code: -32602 });
		const { results, search, shown, indexes } = bench({
			"search/query": ({ languages }: { languages?: string[] }) =>
				Promise.reject(languages ? refused : new Error("the pipe is closed")),
		});
		await search("price", { languages: "klingon" });
		expect(shown()).toMatchObject({ stage: "failed", problem: { text: refused.message, ways: [] } });
		await search("price");
		expect(shown().problem?.ways).toEqual(["restart", "log"]);
		indexes.state = { kind: "failed", problem: new Error("no Python") };
		expect(shown().problem).toEqual({ text: "no Python", ways: ["restart", "log"] });
		await results.clear();
		indexes.state = { kind: "stopped" };
		expect(shown()).toMatchObject({ stage: "nothing", index: { text: "" } });
	});

	it("are asked for again when the index is complete, or the server is back", async () => {
		let partial = true;
		const { results, asked, search, indexes, shown } = bench({
			"search/query": () => {
				if (indexes.all.length === 0) {
					throw new Error("the pipe is closed");
				}
				return answer([item("a.py", 1)], { partial });
			},
			"evidence/verify": () => ({ items: [], allValid: true }),
		});
		indexes.all = [{ ...READY, state: "indexing", files: 3, pending: 9 }];
		await search("price");
		expect(shown().index).toEqual({ text: "Indexing: 3 of 12 files", progress: 25 });
		await results.follow();
		expect(asked.filter(([method]) => method === "search/query")).toHaveLength(1);
		partial = false;
		indexes.all = [READY];
		await results.follow();
		expect(asked.filter(([method]) => method === "search/query")).toHaveLength(2);
		indexes.all = [];
		await search("price");
		indexes.all = [READY];
		await results.follow();
		expect(shown()).toMatchObject({ stage: "answered", results: [{ path: "a.py" }] });
	});

	it("are asked for again when search was switched off, and is on", async () => {
		let on = false;
		const { results, search, shown } = bench({
			"search/query": () =>
				on ? answer([item("a.py", 1)]) : answer([], { notices: [{ kind: "disabled", message: "Off." }] }),
		});
		await search("price");
		expect(shown().notices).toEqual([{ text: "Off.", way: "settings" }]);
		on = true;
		await results.follow();
		expect(shown()).toMatchObject({ notices: [], results: [{ path: "a.py" }] });
	});

	it("keep a history of what was meant, without doubles, and forget it", async () => {
		const { results, told, shown } = bench({ "search/query": () => answer([item("a.py", 1)]) });
		const ask = (query: string, kept: boolean) => results.search({ ...NOTHING_ASKED, query }, kept);
		await ask("pri", false);
		await ask("price", true);
		await ask("tea", false);
		results.used();
		await ask("price", true);
		expect(shown().history).toEqual(["price", "tea"]);
		expect(told.at(-1)).toEqual({ asked: { ...NOTHING_ASKED, query: "price" }, history: ["price", "tea"] });
		await results.clear(true);
		expect(told.at(-1)).toMatchObject({ asked: { query: "" }, history: [] });
		expect(shown()).toMatchObject({ stage: "nothing", results: [], history: [] });
	});

	it("leave a judgement that came too late to the one that was asked for after it", async () => {
		const waiting: ((value: unknown) => void)[] = [];
		const { results, search, shown } = bench({
			"search/query": () => answer([item("a.py", 1)]),
			"evidence/verify": () => new Promise((resolve) => waiting.push(resolve)),
		});
		await search("price");
		const told = (verdict: string) => ({ items: [{ reference: item("a.py", 1).reference, verdict }], allValid: false });
		const [first, second] = [results.judge(), results.judge()];
		await vi.waitFor(() => expect(waiting).toHaveLength(2));
		waiting[1]?.(told("valid"));
		waiting[0]?.(told("changed"));
		await Promise.all([first, second]);
		expect(shown().results[0]?.lost).toBeUndefined();
	});
});
