import { beforeEach, describe, expect, it } from "vitest";
import manifest from "../package.json";
import type { Asked } from "../src/chat/asked";
import { COMMANDS, commandOf } from "../src/chat/commands";
import { exchangesOf, turnsOf } from "../src/chat/history";
import { code, escaped, quoted } from "../src/chat/markdown";
import { SUBCOMMANDS, subcommandOf } from "../src/chat/memoryCommand";
import { exportOf, placed, takeImport } from "../src/chat/memoryTransfer";
import { noteOf } from "../src/chat/note";
import { followups } from "../src/chat/participant";
import { located, referencesIn } from "../src/chat/places";
import { kindAndNote } from "../src/chat/remembering";
import { desk, type Location, MarkdownString, Uri } from "./vscode";

beforeEach(() => desk.reset());

const memory = (over = {}) => ({
	id: "m1",
	title: "Use pnpm",
	content: "Use pnpm, never npm",
	category: "Rule",
	type: "project",
	scope: "project",
	status: "active",
	evidence: [],
	uri: "file:///m1.md",
	...over,
});

/** A server that answers from a table, and an answer that is written down. */
function talking(answers: Record<string, unknown>) {
	const asked: [string, unknown][] = [];
	const said: string[] = [];
	const anchors: { uri: string; title: string | undefined }[] = [];
	const buttons: { command: string; arguments?: unknown[] }[] = [];
	const send = async (method: string, params: unknown) => {
		asked.push([method, params]);
		const value = answers[method];
		if (value instanceof Error) {
			throw value;
		}
		return value;
	};
	const stream = {
		markdown: (text: string | MarkdownString) => void said.push(typeof text === "string" ? text : text.value),
		progress: () => undefined,
		reference: () => undefined,
		button: (button: never) => void buttons.push(button),
		anchor: (place: Location, title?: string) => void anchors.push({ uri: place.uri.toString(), title }),
	};
	const documents = { task: () => "release", sourceOf: async () => "file:///papers/handbook.md" };
	const run = async (command: string | undefined, prompt: string, history: unknown[] = []) => {
		const request = { command, prompt };
		const parts = { send, documents, prompt, request, context: { history }, stream, token: {} };
		return commandOf(request)?.(parts as unknown as Asked);
	};
	return { run, asked, said: () => said.join(""), anchors, buttons };
}

describe("a note", () => {
	it("is one line that begins with a number sign and a blank", () => {
		expect(noteOf("# the kettle is descaled on Mondays ")).toBe("the kettle is descaled on Mondays");
		for (const other of ["## Heading", "#!", "#! /bin/sh", "#tag", "#", "# ", "# one\ntwo", "say # this", ""]) {
			expect(noteOf(other), other).toBeUndefined();
		}
	});

	it("is kept and no model is asked; behind a command it is what is written there", async () => {
		const { run, asked, said } = talking({ "memory/remember": memory() });
		const done = await run(undefined, "# --rule is a word here");
		expect(asked).toEqual([["memory/remember", { note: "--rule is a word here" }]]);
		expect(said()).toContain("Remembered: Use pnpm [Undo](command:vademecum.undoRemember");
		expect(done?.brief).toBe("(Kept as memory m1.)");
		expect(commandOf({ command: "search", prompt: "# x" })).not.toBe(commandOf({ command: undefined, prompt: "# x" }));
		expect(commandOf({ command: undefined, prompt: "hello" })).toBeUndefined();
	});
});

describe("/remember", () => {
	it("takes words that say what it is", async () => {
		expect(kindAndNote("--rule --user  Answer in English")).toEqual({
			note: "Answer in English",
			kind: { scope: "user", category: "Rule" },
		});
		desk.folders = [{ uri: Uri.file("/one") }, { uri: Uri.file("/two") }];
		const { run, asked } = talking({ "memory/remember": memory() });
		await run("remember", "--user Answer in English");
		await run("remember", "Use pnpm");
		expect(asked.map(([, params]) => params)).toEqual([
			{ note: "Answer in English", scope: "user" },
			{ note: "Use pnpm", workspace: "file:///one" },
		]);
	});

	it("offers no undo for what was known, and names what says the opposite", async () => {
		const known = talking({ "memory/remember": memory({ known: true }) });
		await known.run("remember", "Use pnpm");
		expect(known.said()).not.toContain("Undo");
		const opposite = talking({ "memory/remember": memory({ contradicts: ["m9"] }) });
		const done = await opposite.run("remember", "Use npm");
		expect(opposite.said()).toContain("opposite of [m9](command:vademecum.openMemory");
		expect(done?.next).toEqual([{ prompt: "get m9", command: "memory", label: "Show m9" }]);
	});

	it("says how it is used when there is nothing to keep", async () => {
		const { run, asked, said } = talking({});
		await run("remember", " --rule ");
		expect(asked).toEqual([]);
		expect(said()).toContain("/remember This repository uses pnpm");
	});
});

describe("looking things up", () => {
	const hit = {
		uri: "file:///w/src/a.py",
		path: "src/a.py",
		range: { start: { line: 8, character: 0 }, end: { line: 11, character: 0 } },
		language: "python",
		kind: "function",
		symbol: "parse",
		reference: "src/a.py:9-11@0123456789abcdef",
		snippet: "def parse(text):\n    return text",
	};

	it("shows places as links, and leaves their references behind rather than their text", async () => {
		const { run, anchors, said } = talking({ "search/query": { items: [hit], notices: [] } });
		const done = await run("search", "parse");
		expect(anchors).toEqual([{ uri: "file:///w/src/a.py", title: "src/a.py:9" }]);
		expect(said()).toContain("function parse\n\n```python\ndef parse(text):\n    return text\n```");
		expect(done?.brief).toBe("(Shown from the workspace: src/a.py:9-11@0123456789abcdef.)");
		expect(done?.next?.[0]).toEqual({ prompt: "parse", label: "Answer this from the code" });
	});

	it("recalls what fits, and lists what there is without a question", async () => {
		const found = { items: [{ memory: memory({ content: "[x](command:evil)" }), score: 1 }] };
		const { run, asked, said } = talking({ "memory/recall": found, "memory/search": { items: [], total: 0 } });
		expect((await run("recall", "how to install?"))?.brief).toBe("(Shown from memory, by id: m1.)");
		expect(said()).toContain("> \\[x\\]\\(command:evil\\)");
		expect((await run("recall", ""))?.next).toEqual([]);
		expect(asked.map(([method]) => method)).toEqual(["memory/recall", "memory/search"]);
	});

	it("says which of what is recalled the model chose, and what holds against what", async () => {
		const items = [
			{ memory: memory(), score: 0.4, why: { words: [], picked: true } },
			{ memory: memory({ id: "m2" }), score: 0.3, why: { words: ["npm"] }, contradictedBy: "m1" },
		];
		const { run, said } = talking({ "memory/recall": { items, text: "" } });
		await run("recall", "how to install?");
		const [first, second] = said().split("`m2`");
		expect(first).toContain("(Rule, in this project, chosen by the language model) `m1`");
		expect(first).not.toContain("Contradicted");
		expect(second).toContain("Contradicted by [m1](command:vademecum.openMemory");
		expect(said().split("chosen by")).toHaveLength(2);
	});

	it("says why no model chose what is recalled, also where nothing is", async () => {
		const notices = [{ kind: "modelFailed", message: "The lent *model* failed." }];
		const found = talking({ "memory/recall": { items: [{ memory: memory(), score: 1 }], text: "", notices } });
		await found.run("recall", "how to install?");
		expect(found.said()).toMatch(/Use pnpm[\s\S]*\*The lent \\\*model\\\* failed\.\*$/);
		const nothing = talking({ "memory/recall": { items: [], text: "", notices } });
		expect((await nothing.run("recall", "how to install?"))?.brief).toBe("(Nothing was found in memory.)");
		expect(nothing.said()).toBe("Nothing that is remembered fits this.\n\n*The lent \\*model\\* failed.*");
	});

	it("verifies the references of the message, else those that this chat showed", async () => {
		desk.folders = [{ uri: Uri.file("/repository/packages/w") }];
		desk.files.add("file:///repository/src/a.py");
		const items = [
			{ reference: hit.reference, verdict: "relocated", relocatedTo: "src/a.py:19-21@0123456789abcdef" },
			{ reference: "gone.py:1-2@0123456789abcdef", verdict: "deleted" },
		];
		const { run, asked, anchors, said } = talking({ "evidence/verify": { items, allValid: false } });
		const history = [
			{ prompt: "parse", command: "search" },
			{ response: [], result: { metadata: { brief: `(Shown from the workspace: ${hit.reference}.)` } } },
		];
		await run("verify", "", history);
		await run("verify", "is `gone.py:1-2@0123456789abcdef` there?", history);
		expect(asked.map(([, params]) => params)).toEqual([
			{ references: [hit.reference] },
			{ references: ["gone.py:1-2@0123456789abcdef"] },
		]);
		expect(anchors[0]).toEqual({ uri: "file:///repository/src/a.py", title: "src/a.py:19-21" });
		expect(said()).toContain("`gone.py:1-2@0123456789abcdef` ✗ is gone");
	});

	it("does not verify the example by which it says how references are written", async () => {
		const { run, asked, said } = talking({});
		await run("verify", "");
		const example = referencesIn(said()).map(({ text }) => text);
		expect(example).toHaveLength(1);
		const response = [{ value: { value: said() } }];
		await run("verify", "", [
			{ prompt: "", command: "verify" },
			{ response, result: {} },
		]);
		expect(said().match(/none is in this chat/g)).toHaveLength(2);
		expect(asked).toEqual([]);
	});

	it("finds references in text, and their files from the repository on", async () => {
		const text = "see src/a.py:9-11@0123456789abcdef, (b.ts:1-2) and http://x:80 or 10:30-11:00";
		expect(referencesIn(text).map(({ text: each }) => each)).toEqual([
			"src/a.py:9-11@0123456789abcdef",
			"b.ts:1-2",
			"10:30-11",
		]);
		expect(await located({ path: "b.ts", start: 1, end: 2 })).toBeUndefined();
	});

	it("asks the documents of the current task, and links the places of the answer", async () => {
		const citation = {
			id: "d",
			document: "Handbook",
			path: ["Handbook", "Sessions"],
			anchor: "sessions",
			revision: "r",
			lines: { start: 5, end: 7 },
		};
		const { run, asked, anchors, said } = talking({
			"knowledge/map": { items: [{ id: "d", title: "Handbook" }] },
			"knowledge/ask": { answer: "Half an hour [1].", citations: [citation], gaps: ["*who* decides"] },
		});
		const done = await run("docs", "How long?");
		expect(asked[1]).toEqual(["knowledge/ask", { question: "How long?", task: "release" }]);
		expect(anchors).toEqual([{ uri: "file:///papers/handbook.md", title: "Handbook › Sessions" }]);
		expect(said()).toMatch(/Half an hour \[1\]\.\n\n1\. , lines 5–7\n[\s\S]*- \\\*who\\\* decides/);
		expect(done?.brief).toContain("Handbook › Handbook › Sessions");
	});

	it("says when there are no documents, and lists them without a question", async () => {
		const none = talking({ "knowledge/map": { items: [] } });
		await none.run("docs", "How long?");
		expect(none.asked).toHaveLength(1);
		expect(none.buttons).toHaveLength(1);
		const some = talking({ "knowledge/map": { items: [{ id: "d", title: "Handbook" }] } });
		await some.run("docs", " ");
		expect(some.said()).toContain("- Handbook");
	});
});

describe("/memory", () => {
	const report = {
		enabled: true,
		message: "Memory is on.",
		stores: [
			{ kind: "home", scope: "user", path: "/h/memory", exists: true, memories: 2, writes: true },
			{ kind: "private", scope: "project", path: "/p/memory", exists: false, memories: 0, writes: true },
		],
		counts: { active: 1, pending: 1, stale: 0, superseded: 0 },
		withheld: 0,
		unreadable: [],
		health: ["A charter is too long."],
	};

	it("knows the words of other systems", () => {
		expect(subcommandOf("")).toEqual({ name: "status", rest: "" });
		expect(subcommandOf("native search  cents")).toEqual({ name: "search", rest: "cents" });
		expect(subcommandOf("show")).toEqual({ name: "search", rest: "" });
		expect(subcommandOf("clear workspace")).toEqual({ name: "delete", rest: "workspace" });
		expect(subcommandOf("toString")).toBeUndefined();
		for (const name of SUBCOMMANDS) {
			expect(subcommandOf(name)?.name).toBe(name);
		}
	});

	it("tells how memory is, and where it lies", async () => {
		const { run, said } = talking({ "memory/status": report });
		await run("memory", "status");
		expect(said()).toContain("Memory is on.");
		expect(said()).toContain("1 active, 1 pending");
		expect(said()).toContain("A charter is too long.");
		await run("memory", "path");
		expect(said()).toContain("- user: `/h/memory` (new ones go here)");
		expect(said()).toContain("`/p/memory` (new ones go here; not there yet)");
	});

	it("deletes a scope, or one, only when the user says so", async () => {
		const answers = {
			"memory/status": report,
			"memory/get": memory(),
			"memory/clear": { removed: 2 },
			"memory/delete": { id: "m1" },
		};
		const { run, asked, said } = talking(answers);
		await run("memory", "delete global");
		await run("memory", "delete m1");
		expect(asked.map(([method]) => method)).toEqual(["memory/status", "memory/get"]);
		expect(desk.messages).toEqual(["Delete all 2 of the memories about you, in every project?", "Forget: Use pnpm?"]);
		await run("memory", "delete all");
		desk.folders = [{ uri: Uri.file("/w") }];
		await run("memory", "delete all");
		expect(desk.messages.slice(2)).toEqual([
			"Delete all 2 of the memories about you, in every project?",
			expect.stringMatching(/^Delete all \d of the memories about you and of this project\?$/),
		]);
		asked.splice(2);
		desk.messages.splice(2);
		desk.answer = "Delete";
		await run("memory", "delete user");
		await run("memory", "delete m1");
		expect(asked).toContainEqual(["memory/clear", { scope: "user", confirm: true }]);
		expect(asked).toContainEqual(["memory/delete", { id: "m1" }]);
		expect(said()).toContain("Forgotten: Use pnpm [Undo](command:vademecum.chat.restore");
	});

	it("deletes nothing where there is nothing, or where it is not said what", async () => {
		desk.answer = "Delete";
		const { run, asked } = talking({ "memory/status": report });
		await run("memory", "delete project");
		await run("memory", "delete");
		await run("memory", "delete all of it");
		expect(asked.map(([method]) => method)).toEqual(["memory/status"]);
		expect(desk.messages).toEqual([]);
	});

	it("shows what an import would bring, and takes exactly that", async () => {
		const items = [
			{ action: "add", where: "line 1", key: "k1", title: "One" },
			{ action: "same", where: "line 2", key: "k2", title: "Two" },
			{ action: "refuse", where: "line 3", key: "k3", reason: "holds a secret" },
		];
		const imported = { format: "list", items, added: 1, same: 1, refused: 1, skipped: 0 };
		const { run, asked, said, buttons } = talking({ "memory/import": imported });
		await run("memory", "import /notes/CLAUDE.md");
		expect(asked).toEqual([["memory/import", { source: "file:///notes/CLAUDE.md", dryRun: true }]]);
		expect(said()).toContain("- ✗ line 3: holds a secret");
		expect(buttons).toEqual([
			{ command: "vademecum.chat.import", title: "Import 1", arguments: ["file:///notes/CLAUDE.md", ["k1"]] },
		]);
		const sent: unknown[] = [];
		await takeImport((async (_: string, params: unknown) => sent.push(params) && imported) as never, "s", ["k1"]);
		expect(sent).toEqual([{ source: "s", only: ["k1"] }]);
		expect(desk.messages).toEqual(["Imported 1 memory; 1 could not be taken."]);
	});

	it("exports as text, or into a file", async () => {
		expect(exportOf("project codebuddy out put.json")).toEqual({
			scope: "project",
			format: "codebuddy",
			path: "out put.json",
		});
		const { run, asked } = talking({ "memory/export": { format: "list", memories: 1, bytes: 1, text: "- One" } });
		await run("memory", "export user");
		await run("memory", "export /backup/all.json");
		expect(asked.map(([, params]) => params)).toEqual([
			{ format: "list", scope: "user" },
			{ format: "archive", scope: "all", target: "file:///backup/all.json" },
		]);
		desk.folders = [{ uri: Uri.file("/w") }];
		expect(placed("'notes/a b.md'")).toBe("file:///w/notes/a b.md");
	});

	it("offers to bring back what is not there", async () => {
		const gone = Object.assign(new Error("not there"), { data: { kind: "notFound" } });
		const { run, said } = talking({ "memory/get": gone });
		await run("memory", "get m5");
		expect(said()).toContain("[Bring it back](command:vademecum.chat.restore?%5B%22m5%22%5D)");
	});
});

describe("what later turns are told of a command", () => {
	const history = [
		{ prompt: "parse", command: "search" },
		{ response: [{ value: new MarkdownString("def parse…") }], result: { metadata: { brief: "(Shown: a.py:1-2.)" } } },
		{ prompt: "thanks" },
		{ response: [{ value: new MarkdownString("Welcome.") }], result: { metadata: {} } },
	];

	it("is its names and not its text, and it is not looked through for what to keep", () => {
		expect(exchangesOf({ history } as never, [])).toEqual([
			{ prompt: "/search parse", answer: "(Shown: a.py:1-2.)" },
			{ prompt: "thanks", answer: "Welcome." },
		]);
		expect(turnsOf({ history } as never)).toEqual([{ user: "thanks", assistant: "Welcome.", tools: [] }]);
	});

	it("may be asked next with a click", () => {
		const next = [{ prompt: "x", label: "X" }];
		expect(followups({ metadata: { next } })).toEqual(next);
		expect(followups({})).toEqual([]);
	});
});

it("the manifest tells of exactly the commands that there are, each with what it does and an example", () => {
	const told = manifest.contributes.chatParticipants[0]?.commands ?? [];
	expect(told.map(({ name }) => name)).toEqual([...COMMANDS]);
	for (const { description, sampleRequest } of told) {
		expect(description && sampleRequest).toBeTruthy();
	}
});

it("text that is remembered cannot format an answer", () => {
	expect(escaped("*a*\n[b](c)")).toBe("\\*a\\* \\[b\\]\\(c\\)");
	expect(code("a `b` c`")).toBe("`` a `b` c` ``");
	expect(quoted("# a\n<b>")).toBe("> \\# a  \n> \\<b\\>");
});
