import { beforeEach, describe, expect, it, vi } from "vitest";
import { fenced, remember, rememberSelection } from "../src/commands/memory";
import { openHit, resultOf } from "../src/commands/search";
import type { SearchItem, SearchStatus, Send } from "../src/protocol";
import type { ModelsState } from "../src/searchModels";
import { installProgress } from "../src/server/progress";
import type { State } from "../src/server/server";
import { describe as describeStatus, type MemoryFacts } from "../src/status";
import { createTools } from "../src/tools";
import { desk, Range, Uri, window as vscodeWindow } from "./vscode";

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

describe("the tools", () => {
	const asking = (result: unknown) => {
		const asked: unknown[] = [];
		const send = (async (_method: string, params: unknown) => {
			asked.push(params);
			return result;
		}) as unknown as Send;
		const sourceOf = async () => undefined;
		return { tools: createTools(send, () => "release", sourceOf), asked };
	};
	const answer = (items: unknown[] = []) => ({ text: "TEXT", result: { items } });

	it("are the server's, with the model's own words as arguments", async () => {
		const { tools, asked } = asking(answer());
		await tools.vademecum_searchMemory.run({ query: "tea", scope: "user", limit: 3 });
		await tools.vademecum_searchMemory.run({ id: "m1" });
		await tools.vademecum_updateMemory.run({ id: "m1", title: "T" });
		await tools.vademecum_deleteMemory.run({ id: "m1" });
		await tools.vademecum_findRelated.run({ path: "a.py", line: 3 });
		const task = "release";
		expect(asked).toEqual([
			{
				name: "manage_core_memory",
				arguments: { action: "search", query: "tea", limit: 3, memory: { scope: "user" } },
				task,
			},
			{ name: "manage_core_memory", arguments: { action: "search", memory: { id: "m1" } }, task },
			{ name: "manage_core_memory", arguments: { action: "update", memory: { id: "m1", title: "T" } }, task },
			{ name: "manage_core_memory", arguments: { action: "delete", memory: { id: "m1" } }, task },
			{ name: "find_related", arguments: { path: "a.py", line: 3 }, task },
		]);
	});

	it("search in the session that the caller names alone", async () => {
		const { tools, asked } = asking(answer());
		await tools.vademecum_searchWorkspace.run({ query: "x", session: "forged" }, undefined, { session: "answer-1" });
		await tools.vademecum_searchWorkspace.run({ query: "x", session: "forged" });
		await tools.vademecum_verifyEvidence.run({ session: "forged" }, undefined, { session: "answer-1" });
		expect(asked.map((each) => (each as { arguments: unknown }).arguments)).toEqual([
			{ query: "x", session: "answer-1" },
			{ query: "x" },
			{},
		]);
	});

	it("fit what room there is, with a word on what is left out", async () => {
		const { tools } = asking({ text: "line of text\n".repeat(200), result: { items: [] } });
		const { text } = await tools.vademecum_searchWorkspace.run({ query: "x" }, undefined, { tokens: 250 });
		expect(text.length).toBeLessThan(1_100);
		expect(text).toMatch(/line of text\n\(The rest had no room; ask for less at once\.\)$/);
		expect((await tools.vademecum_searchWorkspace.run({ query: "x" })).text).toHaveLength(2_600);
	});

	it("tell the places of what they found, in the folder that is meant", async () => {
		desk.folders = [{ uri: Uri.file("/one") }, { uri: Uri.file("/two") }];
		desk.files.add("file:///one/a.py").add("file:///two/a.py");
		const items = [
			{ path: "a.py", start: 3, end: 5, folder: "/two" },
			{ path: "gone.py", start: 1, end: 2, folder: "/two" },
			{ id: "m1", title: "a memory has no place" },
		];
		const { tools } = asking(answer(items));
		const { hits } = await tools.vademecum_searchWorkspace.run({ query: "x" });
		expect(hits).toEqual([{ uri: "file:///two/a.py", range: new Range(2, 0, 5, 0) }]);
	});

	it("are about the folder in front when several are open, where they are about one project", async () => {
		desk.folders = [{ uri: Uri.file("/one") }, { uri: Uri.file("/two") }];
		desk.editor = { document: { uri: Uri.file("/two/a.ts") } };
		const { tools, asked } = asking({ text: "", result: { memory: { id: "m", title: "T" }, known: true } });
		expect((await tools.vademecum_remember.run({ note: "n" })).saved).toBeUndefined();
		await tools.vademecum_searchWorkspace.run({ query: "x" });
		expect(asked.map((each) => (each as { workspace?: string }).workspace)).toEqual(["file:///two", undefined]);
	});

	it("show what would change before a memory is changed", async () => {
		const kept = { id: "m", title: "Tabs", content: "Use tabs", category: "Rule", scope: "user", keywords: ["a", "b"] };
		const { tools, asked } = asking(kept);
		const { confirm } = tools.vademecum_updateMemory;
		const input = { id: "m", content: "Use ```spaces```", scope: "user", keywords: ["a", "b"] };
		const { title, message } = (await confirm?.(input)) ?? {};
		expect(asked).toEqual([{ id: "m" }]);
		expect(title).toBe("Change what is remembered: Tabs?");
		expect(message?.value).toBe("**content**\n```\nUse tabs\n```\nbecomes\n````\nUse ```spaces```\n````");
	});

	it("change and delete a memory only as the user was shown it", async () => {
		const { tools, asked } = asking({ id: "m", title: "T", content: "C", revision: "r1", text: "", result: {} });
		for (const name of ["vademecum_updateMemory", "vademecum_deleteMemory"] as const) {
			await tools[name].confirm?.({ id: "m" });
			await tools[name].run({ id: "m" });
			await tools[name].run({ id: "other" });
		}
		const sent = asked as { name?: string; revision?: string }[];
		expect(sent.filter(({ name }) => name).map(({ revision }) => revision)).toEqual(["r1", undefined, "r1", undefined]);
	});

	it("ask before they change or delete, and never before they add or read", () => {
		const { tools } = asking(answer());
		const asks = Object.entries(tools).filter(([, tool]) => tool.confirm);
		expect(asks.map(([name]) => name)).toEqual(["vademecum_updateMemory", "vademecum_deleteMemory"]);
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

	it("show the parts of a path in their order, also of those that are read from the right", () => {
		const { description } = resultOf({ ...hit, path: "src/תה/מחיר" });
		expect(description).toBe("src/\u200eתה/\u200eמחיר\u200e:10");
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

	it("is for the folder that was in front when it began, and says which, where several are open", async () => {
		const [one, two] = [Uri.file("/one"), Uri.file("/two")];
		desk.folders = [
			{ uri: one, name: "one" },
			{ uri: two, name: "two" },
		];
		desk.editor = { document: { uri: Uri.file("/two/a.py") } };
		desk.input = "Use pnpm";
		const asked: unknown[] = [];
		const send = (async (_method: string, params: unknown) => {
			asked.push(params);
			return { title: "Use pnpm", scope: "project" };
		}) as unknown as Send;
		const pick = vi.spyOn(vscodeWindow, "showQuickPick").mockImplementation(async (items) => {
			expect((items as { label: string }[]).map(({ label }) => label)).toEqual([
				"Rule for two",
				"Fact about two",
				"Rule everywhere",
				"Fact everywhere",
			]);
			desk.editor = { document: { uri: Uri.file("/one/b.py") } };
			return items[0];
		});
		await remember(send);
		pick.mockRestore();
		expect(asked).toEqual([{ note: "Use pnpm", scope: "project", category: "Rule", workspace: two.toString() }]);
		expect(desk.messages).toEqual(["Remembered in two: Use pnpm"]);
	});

	it("tells of a long one by its beginning", async () => {
		desk.input = "Answer in English";
		const title = `Answer in English${", and keep it short".repeat(9)}`;
		await remember((async () => ({ title, known: true })) as unknown as Send);
		expect(desk.messages).toEqual(["Already remembered: Answer in English, and keep it short, and keep it short…"]);
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
	it("a fence is longer than any inside", () => {
		expect(fenced("a ```` b", "md")).toBe("`````md\na ```` b\n`````");
	});

	it("nothing is shown for an install that is not needed", async () => {
		expect(
			await installProgress(
				() => undefined,
				new AbortController().signal,
				async () => 7,
			),
		).toBe(7);
	});
});
