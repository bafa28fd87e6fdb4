import { beforeEach, describe, expect, it } from "vitest";
import { MemoryBlocks } from "../src/chat/memoryBlock";
import { type Answered, answer, exchangesOf, savedNotice } from "../src/chat/participant";
import { converse, MAX_ROUNDS } from "../src/chat/toolLoop";
import { DOCUMENT_TOOL } from "../src/knowledgeTool";
import type { Memory, Send } from "../src/protocol";
import { createTools } from "../src/tools";
import {
	desk,
	EventEmitter,
	LanguageModelError,
	LanguageModelTextPart,
	LanguageModelToolCallPart,
	LanguageModelToolResult,
	MarkdownString,
	Uri,
} from "./vscode";

beforeEach(() => desk.reset());

const memory = (over: Partial<Memory> = {}): Memory => ({
	id: "m1",
	title: "Use pnpm",
	content: "Use pnpm, never npm",
	category: "Rule",
	type: "project",
	scope: "project",
	status: "active",
	created: "2026-01-01T10:00:00.000Z",
	updated: "",
	revision: "0",
	evidence: [],
	uri: "file:///m1.md",
	...over,
});

/** A server that answers from a table and keeps what it was asked. */
function scripted(answers: Record<string, unknown>) {
	const asked: [string, unknown][] = [];
	const send = (async (method: string, params: unknown) => {
		asked.push([method, params]);
		const found = answers[method];
		const value = typeof found === "function" ? found(params) : found;
		if (value instanceof Error) {
			throw value;
		}
		return value;
	}) as unknown as Send;
	return { send, asked };
}

const serverError = (message: string, kind: string) => Object.assign(new Error(message), { data: { kind } });

type Reply = (string | LanguageModelToolCallPart)[];

/** A model that answers by script, and keeps what it was sent. */
function model(replies: Reply[] | ((round: number) => Reply)) {
	const sent: { messages: { role: string; content: unknown }[]; tools: string[] }[] = [];
	return {
		sent,
		maxInputTokens: 100_000,
		async sendRequest(messages: never[], options: { tools?: { name: string }[] }) {
			sent.push({ messages: [...messages], tools: (options.tools ?? []).map(({ name }) => name) });
			const reply = typeof replies === "function" ? replies(sent.length) : (replies[sent.length - 1] ?? []);
			return {
				stream: (async function* () {
					for (const part of reply) {
						yield typeof part === "string" ? new LanguageModelTextPart(part) : part;
					}
				})(),
			};
		},
	};
}

const token = () => ({ isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) });

function stream() {
	const shown: string[] = [];
	return {
		shown,
		markdown: (text: string | MarkdownString) => void shown.push(typeof text === "string" ? text : text.value),
		progress: () => undefined,
		reference: () => undefined,
	};
}

const block = (over = {}) => ({ text: "BLOCK", snapshot: "s1", entries: [], omitted: 0, characters: 5, ...over });
const NO_SOURCE = async () => undefined;
const toolsOf = (send: Send) => createTools(send, () => "default", NO_SOURCE);
const DESCRIPTIONS = Object.keys(toolsOf(scripted({}).send)).map((name) => ({ name, description: name }));

function desktop(answers: Record<string, unknown>) {
	const server = scripted({ "memory/prompt": block(), "memory/changes": { text: "" }, ...answers });
	const silent = { on: () => ({ dispose() {} }), onDidChangeState: () => ({ dispose() {} }) };
	const blocks = new MemoryBlocks(silent as never, server.send);
	const log = { error: () => undefined } as never;
	const forgotten: string[] = [];
	const forget = (session: string) => void forgotten.push(session);
	const answersTold: Answered[] = [];
	const answered = (each: Answered) => void answersTold.push(each);
	const seesDocuments = async () => "knowledge/ask" in answers;
	const tools = toolsOf(server.send);
	const parts = { blocks, tools, descriptions: DESCRIPTIONS, log, seesDocuments, forget, answered };
	return { ...server, blocks, parts, forgotten, answers: answersTold };
}

type Talk = { model: ReturnType<typeof model>; prompt?: string; history?: unknown[]; cancelled?: boolean };

async function talk(
	parts: ReturnType<typeof desktop>["parts"],
	{ model, prompt = "hello", history = [], cancelled }: Talk,
) {
	const out = stream();
	const request = { prompt, model, references: [], toolReferences: [], toolInvocationToken: "T" };
	const asking = { ...token(), isCancellationRequested: cancelled === true };
	const result = await answer(parts, request as never, { history } as never, out as never, asking as never);
	return { result, shown: out.shown.join("") };
}

const turns = (prompt: string, text: string, metadata: object) => [
	{ prompt },
	{ response: [{ value: new MarkdownString(text) }], result: { metadata } },
];

describe("@vademecum", () => {
	it("puts the prompt block first, and offers memory and search", async () => {
		desk.folders = [{ uri: Uri.file("/work") }];
		const { parts } = desktop({});
		const llm = model([["Hello."]]);
		const { result, shown } = await talk(parts, { model: llm });
		expect(llm.sent[0]?.messages[0]).toMatchObject({ role: "user", content: "BLOCK" });
		expect(llm.sent[0]?.messages.at(-1)).toMatchObject({ role: "user", content: "hello" });
		expect(llm.sent[0]?.tools).toEqual(DESCRIPTIONS.map(({ name }) => name).filter((name) => name !== DOCUMENT_TOOL));
		expect(shown).toBe("Hello.");
		expect(result.metadata).toMatchObject({ session: expect.any(String), snapshot: "s1" });
	});

	it("tells of each answer with the conversation and the tools that were called, and keeps their names", async () => {
		const { parts, answers } = desktop({ "memory/search": { items: [], total: 0 } });
		const first = model([[new LanguageModelToolCallPart("1", "vademecum_searchMemory", {})], ["One."]]);
		const { result } = await talk(parts, { model: first, prompt: "first" });
		expect(result.metadata).toMatchObject({ tools: ["vademecum_searchMemory"] });
		await talk(parts, {
			model: model([["Two."]]),
			prompt: "second",
			history: turns("first", "One.", result.metadata ?? {}),
		});
		expect(answers.map(({ turns }) => turns)).toEqual([
			[{ user: "first", assistant: "One.", tools: ["vademecum_searchMemory"] }],
			[
				{ user: "first", assistant: "One.", tools: ["vademecum_searchMemory"] },
				{ user: "second", assistant: "Two.", tools: [] },
			],
		]);
		expect(answers[0]?.session).toBe((result.metadata as { session: string }).session);
		expect(answers[0]?.model).toBe(first);
	});

	it("tells of no answer that was cancelled or failed", async () => {
		const { parts, answers } = desktop({});
		await talk(parts, {
			model: model(() => {
				throw new Error("broken");
			}),
		});
		expect(answers).toEqual([]);
	});

	it("keeps the session of a chat, appends what changed, and tells it again in its place", async () => {
		const { parts, asked } = desktop({ "memory/changes": { text: "CHANGED" } });
		const first = model([["One."]]);
		const { result } = await talk(parts, { model: first });
		const second = model([["Two."]]);
		await talk(parts, { model: second, prompt: "again", history: turns("hello", "One.", result.metadata ?? {}) });
		const texts = second.sent[0]?.messages.map(({ content }) => content);
		expect(texts?.[0]).toBe("BLOCK");
		expect(texts?.slice(2)).toEqual(["CHANGED", "hello", "One.", "CHANGED", "again"]);
		const sessions = asked.filter(([method]) => method === "memory/prompt").map(([, params]) => params);
		expect(new Set(sessions.map((params) => JSON.stringify(params))).size).toBe(1);
	});

	it("gives two chats two sessions", async () => {
		const { parts } = desktop({});
		const one = await talk(parts, { model: model([["x"]]) });
		const two = await talk(parts, { model: model([["x"]]) });
		expect(one.result.metadata?.session).not.toBe(two.result.metadata?.session);
	});

	it("never tells again what a withdrawn block or its changes said", () => {
		const history = turns("hello", "One.", { session: "a", snapshot: "s1", changes: "SECRET PLAN" });
		expect(exchangesOf({ history } as never, "s1")).toEqual([
			{ prompt: "hello", answer: "One.", changes: "SECRET PLAN" },
		]);
		expect(exchangesOf({ history } as never, "s2")).toEqual([{ prompt: "hello", answer: "One." }]);
	});

	it("saves for the model, shows it with an undo, and answers on", async () => {
		const { parts, asked } = desktop({ "memory/remember": memory() });
		const call = new LanguageModelToolCallPart("c1", "vademecum_remember", { note: "Use pnpm, never npm" });
		const llm = model([[call], ["Noted."]]);
		const { shown } = await talk(parts, { model: llm, prompt: "remember that we use pnpm" });
		expect(asked).toContainEqual(["memory/remember", { note: "Use pnpm, never npm" }]);
		expect(shown).toMatch(
			/Remembered: Use pnpm \[Undo\]\(command:vademecum\.undoRemember\?%5B%22m1%22%5D\)[\s\S]*Noted\./,
		);
		const results = llm.sent[1]?.messages.at(-1)?.content as { callId: string; content: { value: string }[] }[];
		expect(results[0]).toMatchObject({ callId: "c1", content: [{ value: expect.stringContaining("[m1]") }] });
	});

	it("searches in a session of each answer, since the next one no longer has what this one was given", async () => {
		desk.folders = [{ uri: Uri.file("/work") }];
		const { parts, asked, forgotten } = desktop({ "search/query": { items: [], notices: [], partial: false } });
		const search = (query: string) => new LanguageModelToolCallPart("c1", "vademecum_searchWorkspace", { query });
		const { result } = await talk(parts, { model: model([[search("a")], [search("b")], ["One."]]) });
		const history = turns("hello", "One.", result.metadata ?? {});
		await talk(parts, { model: model([[search("c")], ["Two."]]), history });
		const sessions = asked
			.filter(([method]) => method === "search/query")
			.map(([, params]) => (params as { session: string }).session);
		const [a, b, c] = sessions;
		expect(a).toBe(b);
		expect(c).not.toBe(a);
		for (const session of [a, c]) {
			expect(session).toMatch(new RegExp(`^${result.metadata?.session}/`));
			expect(session?.length).toBeLessThanOrEqual(200);
		}
		expect(forgotten).toEqual([a, c]);
	});

	it("offers to ask documents while there are any", async () => {
		const { parts, asked } = desktop({ "knowledge/ask": { answer: "70 degrees.", citations: [], gaps: [] } });
		const call = new LanguageModelToolCallPart("c1", DOCUMENT_TOOL, { question: "How hot?" });
		const llm = model([[call], ["At 70 degrees."]]);
		await talk(parts, { model: llm });
		expect(llm.sent[0]?.tools).toContain(DOCUMENT_TOOL);
		expect(asked).toContainEqual(["knowledge/ask", { question: "How hot?", task: "default" }]);
	});

	it("offers no undo for what was known before", async () => {
		const { parts } = desktop({ "memory/remember": memory({ known: true }) });
		const call = new LanguageModelToolCallPart("c1", "vademecum_remember", { note: "Use pnpm, never npm" });
		const { shown } = await talk(parts, { model: model([[call], ["Known."]]) });
		expect(shown).toBe("Known.");
	});

	it("lets the editor ask before a memory is changed or deleted", async () => {
		const { parts, asked } = desktop({ "memory/delete": { id: "m1" } });
		const invoked: unknown[] = [];
		desk.invokeTool = async (name, options) => {
			invoked.push([name, options]);
			return new LanguageModelToolResult([new LanguageModelTextPart("Deleted m1.")]);
		};
		const call = new LanguageModelToolCallPart("c1", "vademecum_deleteMemory", { id: "m1" });
		await talk(parts, { model: model([[call], ["Gone."]]) });
		expect(invoked).toEqual([["vademecum_deleteMemory", { input: { id: "m1" }, toolInvocationToken: "T" }]]);
		expect(asked.map(([method]) => method)).not.toContain("memory/delete");
	});

	it("hands the server's refusal to the model, so that it can do better", async () => {
		const { parts } = desktop({ "memory/remember": serverError("note holds a secret (private key)", "secret") });
		const call = new LanguageModelToolCallPart("c1", "vademecum_remember", { note: "…" });
		const llm = model([[call], ["I cannot keep that."]]);
		const { shown } = await talk(parts, { model: llm });
		expect(JSON.stringify(llm.sent[1]?.messages.at(-1))).toContain("Error: note holds a secret");
		expect(shown).toBe("I cannot keep that.");
	});

	it("goes without memory where it is off, and without its tools", async () => {
		const { parts } = desktop({ "memory/prompt": serverError("memory is off", "memoryDisabled") });
		const llm = model([["Hello."]]);
		const { shown } = await talk(parts, { model: llm });
		expect(llm.sent[0]?.tools).toEqual([]);
		expect(JSON.stringify(llm.sent[0]?.messages)).not.toContain("vademecum_");
		expect(shown).toBe("Hello.");
	});

	it("offers no tools to a model that cannot call them", async () => {
		const { parts } = desktop({});
		const llm = { ...model([["Hello."]]), capabilities: { supportsToolCalling: false } };
		await talk(parts, { model: llm });
		expect(llm.sent[0]?.tools).toEqual([]);
	});

	it("says so when memory should be there and is not, and answers all the same", async () => {
		const { parts } = desktop({ "memory/prompt": new Error("The Vademecum server is not running: no Python") });
		const { shown } = await talk(parts, { model: model([["Hello."]]) });
		expect(shown).toMatch(/Memory is not there for this answer: .*no Python[\s\S]*Hello\./);
	});

	it("says in words what the model's error means, and keeps the session", async () => {
		const { parts } = desktop({});
		const failing = (error: Error) => ({ ...model([]), sendRequest: () => Promise.reject(error) });
		const denied = await talk(parts, { model: failing(LanguageModelError.NoPermissions()) as never });
		expect(denied.result.errorDetails?.message).toMatch(/not allowed to use this language model/);
		const broken = await talk(parts, { model: failing(new Error("socket hang up")) as never });
		expect(broken.result.errorDetails?.message).toMatch(/could not be answered: socket hang up/);
		expect(broken.result.metadata?.session).toBeDefined();
	});

	it("is silent when cancelled", async () => {
		const { parts } = desktop({});
		const { result, shown } = await talk(parts, { model: model([["never"]]), cancelled: true });
		expect(result.errorDetails).toBeUndefined();
		expect(shown).toBe("");
	});
});

describe("the block of the next chat", () => {
	it("is made when the server is there, anew when memory changes before the chat begins, and never told unasked", async () => {
		const states = new EventEmitter<{ kind: string }>();
		const changes = new EventEmitter<object>();
		let version = 0;
		const { send, asked } = scripted({ "memory/prompt": () => block({ text: `v${++version}` }) });
		const blocks = new MemoryBlocks(
			{ onDidChangeState: states.event, on: (_: string, handler: never) => changes.event(handler) } as never,
			send,
		);
		states.fire({ kind: "starting" });
		expect(asked).toHaveLength(0);
		states.fire({ kind: "running" });
		changes.fire({});
		expect(asked).toHaveLength(2);
		const begun = await blocks.begin();
		expect(asked).toHaveLength(3);
		expect(asked[2]).toEqual(asked[1]);
		expect(asked[1]).not.toEqual(asked[0]);
		expect(begun.block?.text).toBe("v3");
		blocks.dispose();
		changes.fire({});
		expect(asked).toHaveLength(3);
	});
});

describe("the tool loop", () => {
	const run = (llm: ReturnType<typeof model>, cancelAt = Number.POSITIVE_INFINITY) => {
		const asking = { ...token() };
		let calls = 0;
		const said: string[] = [];
		const done = converse([{ role: "user", text: "hi" }], {
			model: llm as never,
			tools: [{ name: "t", description: "t" }],
			call: async () => {
				calls += 1;
				asking.isCancellationRequested = calls >= cancelAt;
				return [new LanguageModelTextPart("result")] as never;
			},
			onText: (text) => said.push(text),
			token: asking as never,
		});
		return { done, calls: () => calls, said };
	};
	const calling = () => new LanguageModelToolCallPart("c", "t", {});

	it("ends a model that never stops calling, with an answer", async () => {
		const llm = model((round) => (round > MAX_ROUNDS ? ["at last"] : [calling()]));
		const { done, calls, said } = run(llm);
		await done;
		expect(calls()).toBe(MAX_ROUNDS);
		expect(llm.sent.at(-1)?.tools).toEqual([]);
		expect(said).toEqual(["at last"]);
	});

	it("runs several calls of one round in order, and answers each", async () => {
		const llm = model([[calling(), "thinking", calling()], ["done"]]);
		const { done, said } = run(llm);
		await done;
		expect(llm.sent[1]?.messages.at(-1)?.content).toHaveLength(2);
		expect(said).toEqual(["thinking", "done"]);
	});

	it("stops between calls when cancelled", async () => {
		const llm = model([[calling(), calling()], ["never"]]);
		const { done, calls } = run(llm, 1);
		await done;
		expect(calls()).toBe(1);
		expect(llm.sent).toHaveLength(1);
	});
});

it("a saved memory's title cannot add links of its own", () => {
	const notice = savedNotice(memory({ title: "[x](command:evil)\n\n$(flame) <b>" }));
	expect(notice.value).toContain("Remembered: \\[x\\]\\(command:evil\\) \\$\\(flame\\) \\<b\\> [Undo](");
	expect(notice.isTrusted).toEqual({ enabledCommands: ["vademecum.undoRemember", "vademecum.openMemory"] });
});
