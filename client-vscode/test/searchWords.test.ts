import { describe, expect, it } from "vitest";
import type { SearchItem, SearchStatus } from "../src/protocol";
import { pageOf } from "../src/search/page";
import { linesOf, termsOf } from "../src/search/preview";
import { listed, relocated, within } from "../src/search/questions";
import { entriesOf, showSkipped } from "../src/search/skipped";
import { indexOf, noticesOf } from "../src/search/words";
import { describeIndex, describe as describeStatus } from "../src/status";
import { desk, Uri } from "./vscode";

function hit(snippet: string, first: number, match?: [line: number, from: number, to: number]): SearchItem {
	const count = snippet.split("\n").length;
	return {
		uri: "file:///a.py",
		path: "a.py",
		range: { start: { line: first - 1, character: 0 }, end: { line: first + count - 2, character: 0 } },
		...(match
			? {
					match: {
						start: { line: match[0] - 1, character: match[1] },
						end: { line: match[0] - 1, character: match[2] },
					},
				}
			: {}),
		language: "python",
		score: 1,
		reference: `a.py:${first}-${first + count - 1}@0123456789abcdef`,
		snippet,
	};
}

describe("what is marked in a line", () => {
	it("is every word of the query and every part of its names, but for words that stand everywhere", () => {
		expect(termsOf("where is the priceOf a HTTPServer?")).toEqual(["httpserver", "priceof", "server", "price", "http"]);
		expect(termsOf("is the of")).toEqual([]);
		expect(termsOf("茶叶价格")).toEqual(["茶叶价格", "茶叶", "叶价", "价格"]);
	});

	it("is the best match where the words themselves do not stand", () => {
		const [line] = linesOf(hit("    costs = 3", 1, [1, 4, 9]), termsOf("price"));
		expect(line).toEqual({ number: 1, text: "costs = 3", marks: [[0, 5]], near: true });
	});

	it("takes any text as it is: no pattern, no markup", () => {
		const [line] = linesOf(hit("a.*b <b>x</b>", 1), termsOf("a.*b $x [x"));
		expect(line?.text).toBe("a.*b <b>x</b>");
		expect(line?.marks).toEqual([]);
	});
});

describe("the lines of a result", () => {
	const long = Array.from({ length: 20 }, (_, at) => `\t\tline ${at + 1}${at === 11 ? " price" : ""}`).join("\n");

	it("are those around the match of a long one, and the one that says what it is", () => {
		const lines = linesOf({ ...hit(long, 101, [112, 2, 6]), symbol: "of a.line" }, termsOf("price"));
		expect(lines).toHaveLength(20);
		expect(lines.filter(({ near }) => near).map(({ number }) => number)).toEqual([101, 111, 112, 113, 114, 115]);
		expect(lines[0]?.text).toBe("line 1");
	});

	it("begin and end with one that is not empty, and name the symbol by its whole name", () => {
		const text = ["# Orders.", "", "", "class Order:", "", "", "", "    tea: str", "", "", "x", "y"].join("\n");
		const lines = linesOf({ ...hit(text, 1, [8, 4, 7]), symbol: "Order" }, termsOf("tea"));
		expect(lines.filter(({ near }) => near).map(({ number }) => number)).toEqual([4, 8, 9, 10, 11]);
	});

	it("are all of a short one, without what they are all indented by, and without an empty end", () => {
		const lines = linesOf(hit("  if x:\n\n    y\n\n", 5), []);
		expect(lines.map(({ number, text }) => [number, text])).toEqual([
			[5, "if x:"],
			[6, ""],
			[7, "  y"],
		]);
		expect(lines.every(({ near }) => near)).toBe(true);
	});

	it("are cut where they are endless", () => {
		expect(linesOf(hit("x".repeat(5_000), 1), termsOf("x y"))[0]?.text).toHaveLength(400);
	});
});

describe("what is asked", () => {
	it("splits lists at commas, but not within braces", () => {
		expect(listed(" a/**, {b,c}/*.py ,, !d ")).toEqual(["a/**", "{b,c}/*.py", "!d"]);
		expect(listed(" ")).toEqual([]);
	});

	it("names one file by a pattern that no other matches", () => {
		expect(within("src/[id]/{x}*.ts")).toBe("/src/\\[id\\]/\\{x\\}\\*.ts");
	});

	it("moves a result to where a reference names it", () => {
		const moved = relocated(hit("a\nb", 5, [6, 1, 2]), "dir:1/a.py:15-16@0123456789abcdef");
		expect(moved).toMatchObject({ range: { start: { line: 14 }, end: { line: 15 } }, match: { start: { line: 15 } } });
		expect(relocated(moved, "nonsense")).toBe(moved);
	});
});

describe("the words of the view", () => {
	const running = { kind: "running", launch: { command: "", args: [], origin: "PATH" } } as const;
	const index: SearchStatus = {
		state: "ready",
		files: 1204,
		chunks: 9000,
		pending: 0,
		watcher: { state: "watching" },
		model: { name: "minilm", state: "ready", embedded: 368, total: 368 },
	};
	const far = (...all: SearchStatus[]) => indexOf(running, all, "en");

	it("say how far the index is, and what it finds by", () => {
		expect(far(index)).toEqual({ text: "1,204 files · by words and meaning" });
		expect(far({ ...index, state: "indexing", files: 1 })).toEqual({ text: "Indexing: 1 file so far", progress: null });
		const walked = { ...index, state: "indexing", files: 32, pending: 40, counted: false } as const;
		expect(far(walked)).toEqual({ text: "Indexing: 32 files so far", progress: null });
		expect(far(index, { ...index, state: "indexing", files: 0, pending: 1204 })).toEqual({
			text: "Indexing: 1,204 of 2,408 files",
			progress: 50,
		});
		expect(far({ ...index, model: { ...index.model, state: "embedding", embedded: 92 } })).toEqual({
			text: "1,204 files · by meaning: 92 of 368",
			progress: 25,
		});
		expect(far({ ...index, model: { ...index.model, state: "none" } }).text).toBe("1,204 files · by words");
		expect(far({ ...index, refusal: "the home folder is not indexed" }).text).toBe("the home folder is not indexed");
		expect(indexOf({ kind: "starting", doing: "installing" }, [])).toEqual({
			text: "The server is starting: installing",
			progress: null,
		});
	});

	it("give each notice what can be done about it", () => {
		expect(
			noticesOf([
				{ kind: "noModel", message: 'By words alone: (pip install "x").' },
				{ kind: "noModel", message: "By words alone: it is switched off." },
				{ kind: "partial", message: "Not complete." },
			]),
		).toEqual([
			{ text: 'By words alone: (pip install "x").', way: "models" },
			{ text: "By words alone: it is switched off.", way: "settings" },
			{ text: "Not complete." },
		]);
	});

	it("tell in the status item what is searched, with how far that is and what limits it", () => {
		expect(describeIndex([], "en")).toBeUndefined();
		expect(describeIndex([index], "en")).toMatchObject({
			text: "Searched: 1,204 files",
			detail: "9,000 passages",
			busy: false,
		});
		const busy = { ...index, state: "indexing", pending: 100, notice: "git cannot be asked" } as const;
		expect(describeStatus(running, [busy], undefined, { kind: "installed" }, "en").detail).toBe(
			"indexing: 1,204 of 1,304 · search by meaning (minilm)",
		);
		expect(describeIndex([busy], "en")).toMatchObject({
			text: "Searched: 1,204 of 1,304 files",
			detail: "9,000 passages · git cannot be asked",
			busy: true,
		});
	});

	it("list what is not searched by its reason, the rare ones first", () => {
		const skipped = {
			items: [
				{ path: "build", reason: "ignored" },
				{ path: "key.pem", reason: "secretName" },
				{ path: "out", reason: "ignored" },
				{ path: "x", reason: "news" },
			],
			total: 4,
		};
		const entries = entriesOf([{ uri: Uri.file("/shop") as never, name: "shop", skipped }]);
		expect(entries.map(({ label, detail }) => [label, detail])).toEqual([
			["may hold secrets (1)", undefined],
			["key.pem", "may hold secrets"],
			["news (1)", undefined],
			["x", "news"],
			["ignored by git, by an ignore file or by your settings (2)", undefined],
			["build", "ignored by git, by an ignore file or by your settings"],
			["out", "ignored by git, by an ignore file or by your settings"],
		]);
		expect(entries[1]?.description).toBe("shop");
	});

	it("claim nothing of folders where none is open", async () => {
		desk.reset();
		await showSkipped((async () => ({ items: [], total: 0 })) as never);
		expect(desk.messages).toEqual(["No folder is open, so no files are searched."]);
	});
});

describe("the page", () => {
	it("lets nothing run or load but the extension's own, under a new nonce each time", () => {
		const parts = { script: "https://x/searchPage.js", style: "https://x/searchPage.css", source: "https://x" };
		const [one, other] = [pageOf(parts), pageOf(parts)];
		const nonce = /nonce-([^']+)'/.exec(one)?.[1];
		expect(one).toContain(`default-src 'none'; style-src https://x; script-src 'nonce-${nonce}'`);
		expect(one).toContain(`<script nonce="${nonce}" src="https://x/searchPage.js"></script>`);
		expect(one.match(/<script/g)).toHaveLength(1);
		expect(one).not.toContain("unsafe");
		expect(other).not.toBe(one);
	});
});
