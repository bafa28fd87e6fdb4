import { beforeEach, describe, expect, it } from "vitest";
import { fenced, remember, rememberSelection, shortened } from "../src/commands/memory";
import { openHit, resultOf } from "../src/commands/search";
import type { SearchItem, SearchStatus, Send } from "../src/protocol";
import type { ModelsState } from "../src/searchModels";
import { installProgress } from "../src/server/progress";
import type { State } from "../src/server/server";
import { describe as describeStatus, type MemoryFacts } from "../src/status";
import { createTools, passage } from "../src/tools";
import { desk, Range, Uri } from "./vscode";

beforeEach(() => desk.reset());

const hit: SearchItem = {
	uri: "file:///project/src/a.py",
	path: "src/a.py",
	range: { start: { line: 8, character: 0 }, end: { line: 11, character: 0 } },
	match: { start: { line: 9, character: 4 }, end: { line: 9, character: 9 } },
	symbol: "parse",
	kind: "function",
	language: "python",
	score: 1,
	reference: "src/a.py:9-11@0123456789abcdef",
	snippet: "def parse(text):\n    split(text)\n    return text",
};

describe("a passage for a model", () => {
	it("has the file's own line numbers, aligned, and the reference", () => {
		expect(passage(hit)).toBe(
			[
				"src/a.py:9 function parse",
				"reference: src/a.py:9-11@0123456789abcdef",
				" 9| def parse(text):",
				"10|     split(text)",
				"11|     return text",
			].join("\n"),
		);
	});

	it("says when the index is behind", () => {
		expect(passage({ ...hit, stale: true })).toContain("changed since it was indexed");
	});

	it("is named alone when it was given before", () => {
		expect(passage({ ...hit, snippet: null, reused: true })).toBe(
			"src/a.py:9 function parse (its text was given before)\nreference: src/a.py:9-11@0123456789abcdef",
		);
	});

	it("keeps the file's line numbers in an outline", () => {
		const snippet = "class A:\n    … 1 line\n    def f(self):\n        … 95 lines\n        return 1";
		const outline = { ...hit, snippet, skeleton: true, kind: "class", symbol: "A" };
		expect(passage(outline).split("\n").slice(2)).toEqual([
			"  9| class A:",
			"   |     … 1 line",
			" 11|     def f(self):",
			"   |         … 95 lines",
			"107|         return 1",
		]);
		expect(passage(outline)).toContain("src/a.py:9 class A (in outline; … stands for lines left out)");
		// In a file's own text, such a line is a line.
		expect(passage({ ...outline, skeleton: false })).toContain("10|     … 1 line");
	});
});

describe("the tools", () => {
	const asking = (result: unknown) => {
		const asked: unknown[] = [];
		const send = (async (_method: string, params: unknown) => {
			asked.push(params);
			return result;
		}) as unknown as Send;
		return {
			tools: createTools(
				send,
				() => "release",
				async (id) => (id === "a1" ? "file:///hand.md" : undefined),
			),
			asked,
		};
	};

	it("bound a search by default, and pass on what the model asks for", async () => {
		const { tools, asked } = asking({
			items: [],
			notices: [
				{ kind: "noModel", message: "no model" },
				{ kind: "vectorsPending", message: "12 of 40" },
				{ kind: "partial", message: "still indexing" },
			],
		});
		const outcome = await tools.vademecum_searchWorkspace.run({ query: "x", limit: 3 }, undefined, { tokens: 1_000 });
		expect(asked).toEqual([{ query: "x", limit: 3, tokenBudget: 1_000 }]);
		expect(outcome.text).toBe("Nothing found.\n\nNote: still indexing");
	});

	it("tell what was given before and is no longer so, in the session that the caller names alone", async () => {
		const invalidated = [{ reference: "src/b.py:1-2@00", verdict: "changed" }];
		const { tools, asked } = asking({ items: [hit], notices: [], memory: { invalidated } });
		const room = { session: "answer-1" };
		const outcome = await tools.vademecum_searchWorkspace.run({ query: "x", session: "forged" }, undefined, room);
		expect(asked).toEqual([{ query: "x", session: "answer-1", limit: 8, tokenBudget: 4_000 }]);
		expect(outcome.text).toMatch(/^No longer as given before.*: src\/b\.py:1-2@00 \(changed\)\n\nsrc\/a\.py:9/);
	});

	it("show what a memory rests on, and what became of it", async () => {
		const evidence = [
			{ reference: "a.py:1-2@00" },
			{ reference: "b.py:1-2@00", verdict: "relocated", relocatedTo: "b.py:5-6@00" },
			{ reference: "c.py:1-2@00", verdict: "deleted" },
		];
		const memory = { id: "m", title: "T", content: "C", category: "Rule", scope: "project", status: "stale", evidence };
		const { tools } = asking({ items: [{ memory, score: 1 }], total: 1 });
		expect((await tools.vademecum_searchMemory.run({})).text).toBe(
			"[m] T (project, Rule, stale)\nC\nrests on: a.py:1-2@00, b.py:5-6@00, c.py:1-2@00 (deleted)",
		);
	});

	it("send a note of the project to the folder in front when several are open, one of the user to none", async () => {
		desk.folders = [{ uri: Uri.file("/one") }, { uri: Uri.file("/two") }];
		desk.editor = { document: { uri: Uri.file("/two/a.ts") } };
		const { tools, asked } = asking({ known: true });
		await tools.vademecum_remember.run({ note: "n" });
		await tools.vademecum_remember.run({ note: "n", scope: "user" });
		expect(asked).toEqual([
			{ note: "n", workspace: "file:///two" },
			{ note: "n", scope: "user" },
		]);
	});

	it("show what would change before a memory is changed", async () => {
		const { tools } = asking({ id: "m", title: "Tabs", content: "Use tabs", category: "Rule", scope: "user" });
		const { confirm } = tools.vademecum_updateMemory;
		const { title, message } = (await confirm?.({ id: "m", content: "Use ```spaces```", scope: "user" })) ?? {};
		expect(title).toBe("Change what is remembered: Tabs?");
		expect(message?.value).toBe("**content**\n```\nUse tabs\n```\nbecomes\n````\nUse ```spaces```\n````");
	});
});

describe("search results", () => {
	it("show the matched line, and are never filtered by the list", () => {
		expect(resultOf(hit)).toMatchObject({
			label: "$(symbol-method)",
			description: "src/a.py:10",
			detail: "split(text)",
			alwaysShow: true,
		});
	});

	it("do without symbol, match or snippet", () => {
		const bare = { ...hit, match: null, snippet: null };
		expect(resultOf(bare)).toMatchObject({ detail: "parse", description: "src/a.py:9" });
		expect(resultOf({ ...bare, symbol: null, kind: null })).toMatchObject({ detail: "src/a.py", label: "$(file)" });
	});

	it("open at the match", async () => {
		await openHit(hit);
		expect(desk.opened).toEqual([{ uri: hit.uri, selection: new Range(9, 4, 9, 9) }]);
	});
});

describe("Remember…", () => {
	it("offers nothing of a project where no folder is open", async () => {
		desk.input = "Answer in English";
		const asked: unknown[] = [];
		const send = (async (_method: string, params: unknown) => {
			asked.push(params);
			return { title: "t", known: true };
		}) as unknown as Send;
		await remember(send);
		expect(asked).toEqual([{ note: "Answer in English", scope: "user", category: "Rule" }]);
		expect(desk.messages).toEqual(["Already remembered: t"]);
	});
});

describe("Remember Selection", () => {
	const editor = (text: string) => ({
		document: { uri: Uri.file("/w/a.py"), languageId: "python", getText: () => text },
		selection: { start: { line: 1, character: 0 }, end: { line: 2, character: 3 } },
	});

	it("keeps lines with a reference to them, and can be undone", async () => {
		desk.folders = [{ uri: Uri.file("/w") }];
		desk.editor = editor("def f():\n  pass");
		desk.input = "f does nothing on purpose";
		desk.answer = "Undo";
		const asked: [string, unknown][] = [];
		const send = (async (method: string, params: unknown) => {
			asked.push([method, params]);
			return method === "evidence/cite" ? { reference: "a.py:2-3@00" } : { id: "m", title: "t" };
		}) as unknown as Send;
		await rememberSelection(send);
		expect(asked.map(([method]) => method)).toEqual(["evidence/cite", "memory/add", "memory/delete"]);
		expect(asked[1]?.[1]).toEqual({
			title: "f does nothing on purpose",
			content: "f does nothing on purpose\n\n```python\ndef f():\n  pass\n```",
			category: "Rule",
			scope: "project",
			evidence: ["a.py:2-3@00"],
		});
	});

	it("asks for a selection when there is none", async () => {
		desk.editor = editor("");
		await rememberSelection((() => Promise.reject(new Error("asked"))) as never);
		expect(desk.messages).toEqual([expect.stringContaining("Select the text")]);
	});
});

describe("the status item", () => {
	const launch = { command: "", args: [], origin: "PATH" } as const;
	const running = { kind: "running", launch } as const;
	const vectors = { name: "minilm", state: "ready", embedded: 368, total: 368 } as const;
	const ready = { state: "ready", files: 1204, chunks: 1, pending: 0, watcher: { state: "watching" } } as const;
	const index: SearchStatus = { ...ready, model: vectors };
	const on = { enabled: true, count: 12 };
	const installed = { kind: "installed" } as const;
	const statusOf = (state: State, indexes: SearchStatus[], memory?: MemoryFacts, models: ModelsState = installed) =>
		describeStatus(state, indexes, memory, models, "en");

	it("says what there is", () => {
		expect(statusOf(running, [index], on)).toEqual({
			text: "Vademecum: 1,204 files",
			detail: "12 memories · search by meaning (minilm)",
			severity: "information",
			busy: false,
		});
		expect(statusOf(running, [{ ...index, files: 1 }], { enabled: true, count: 1 })).toMatchObject({
			text: "Vademecum: 1 file",
			detail: expect.stringMatching(/^1 memory ·/),
		});
	});

	it("is busy while indexing, and counts all folders", () => {
		const two = [index, { ...index, files: 1, state: "indexing" } as const];
		expect(statusOf(running, two, on)).toMatchObject({ text: "Vademecum: 1,205 files", busy: true });
	});

	it("is an error when the server is down, with the reason", () => {
		const failed = { kind: "failed", problem: new Error("no Python") } as const;
		expect(statusOf(failed, [])).toMatchObject({ severity: "error", detail: "no Python" });
	});

	it("says that memory is off, why nothing is indexed, and that changes are not noticed", () => {
		const refused = { ...index, refusal: "the home folder is not indexed" };
		expect(statusOf(running, [refused], { enabled: false, count: 0 }).detail).toBe(
			"memory is off · the home folder is not indexed",
		);
		const blind = { ...index, watcher: { state: "failed", reason: "inotify limit" } } as const;
		expect(statusOf(running, [blind], on)).toMatchObject({
			severity: "warning",
			detail: "12 memories · changes are not noticed: inotify limit · search by meaning (minilm)",
		});
	});

	it("says how far the search by meaning is, over all folders, without being busy", () => {
		const half = { ...index, model: { ...vectors, state: "embedding", embedded: 120 } } as const;
		expect(statusOf(running, [index, half])).toMatchObject({
			detail: "search by meaning: 488 of 736",
			busy: false,
		});
		const waiting = { ...index, model: { name: null, state: "waiting", embedded: 0, total: 0 } } as const;
		expect(statusOf(running, [waiting]).detail).toBe("");
		const stuck = { ...half, model: { ...half.model, reason: "the disk is full" } };
		expect(statusOf(running, [stuck]).detail).toBe("search by meaning: 120 of 368, the disk is full");
	});

	it("says why there is no search by meaning, and what to do about it, by whose server it is", () => {
		const reason = 'the package wordllama is not installed (pip install "vademecum[vectors]")';
		const without = { ...index, model: { name: null, state: "none", embedded: 0, total: 0, reason } } as const;
		const told = (models: ModelsState) => statusOf(running, [without], undefined, models).detail;
		expect(told({ kind: "installing" })).toBe("search by meaning: its models are being installed");
		expect(told({ kind: "failed", reason: "no build" })).toBe(
			"search by words: the models could not be installed (no build); “Install Search Models” tries again",
		);
		expect(told({ kind: "left" })).toBe("search by words: “Install Search Models” adds search by meaning");
		expect(told({ kind: "elsewhere", launch: { ...launch, origin: "setting interpreter", command: "/py" } })).toBe(
			'search by words: run /py -m pip install "vademecum[vectors]", then restart the server, for search by meaning',
		);
		expect(told({ kind: "elsewhere", launch })).toMatch(/pip install "vademecum\[vectors\]" for the Python/);
		expect(told(installed)).toBe(`search by words: ${reason}`);
		const off = "search by meaning is switched off (search.model is none)";
		const switched = { ...without, model: { ...without.model, reason: off } };
		for (const models of [{ kind: "left" }, { kind: "elsewhere", launch }] as const) {
			expect(statusOf(running, [switched], undefined, models).detail).toBe(`search by words: ${off}`);
		}
	});
});

describe("small things", () => {
	it("a fence is longer than any inside, a title is cut between characters", () => {
		expect(fenced("a ```` b", "md")).toBe("`````md\na ```` b\n`````");
		expect(shortened("😀😀😀", 3)).toBe("😀😀😀");
		expect(shortened("😀😀😀😀", 3)).toBe("😀😀…");
	});

	it("nothing is shown for an install that is not needed", async () => {
		expect(
			await installProgress(
				() => undefined,
				async () => 7,
			),
		).toBe(7);
	});
});
