import { beforeEach, describe, expect, it, vi } from "vitest";
import { exchangesOf } from "../src/chat/history";
import { savedNotice } from "../src/chat/markdown";
import { DOCUMENT_TOOL } from "../src/knowledge/tool";
import { RECALL_TOOL } from "../src/tools";
import { block, DESCRIPTIONS, desktop, memory, model, serverError, talk, turns } from "./chatting";
import {
	desk,
	LanguageModelError,
	LanguageModelTextPart,
	LanguageModelToolCallPart,
	LanguageModelToolResult,
	Uri,
} from "./vscode";

beforeEach(() => desk.reset());

describe("@vademecum", () => {
	it("puts the prompt block first, and offers memory and search", async () => {
		desk.folders = [{ uri: Uri.file("/work") }];
		const { parts } = desktop({});
		const llm = model([["Hello."]]);
		const { result, shown } = await talk(parts, { model: llm });
		expect(llm.sent[0]?.messages[0]).toMatchObject({ role: "user", content: "BLOCK" });
		expect(llm.sent[0]?.messages.at(-1)).toMatchObject({ role: "user", content: "hello" });
		// There are no documents; and what fits a message is recalled with it, unasked.
		const not: readonly string[] = [DOCUMENT_TOOL, RECALL_TOOL];
		expect(llm.sent[0]?.tools).toEqual(DESCRIPTIONS.map(({ name }) => name).filter((name) => !not.includes(name)));
		expect(shown).toBe("Hello.");
		expect(result.metadata).toMatchObject({ session: expect.any(String) });
	});

	it("tells of each answer with the conversation and the tools that were called, and keeps their names", async () => {
		const { parts, answers } = desktop({ "tools/call": { text: "Nothing.", result: { items: [] } } });
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
		const answers = [
			{ text: "CHANGED", earlier: [] },
			{ text: "AND AGAIN", earlier: ["CHANGED"] },
		];
		const { parts, asked } = desktop({ "memory/changes": () => answers.shift() });
		const first = model([["One."]]);
		const { result } = await talk(parts, { model: first });
		const second = model([["Two."]]);
		await talk(parts, { model: second, prompt: "again", history: turns("hello", "One.", result.metadata ?? {}) });
		const texts = second.sent[0]?.messages.map(({ content }) => content);
		expect(texts?.[0]).toBe("BLOCK");
		expect(texts?.slice(2)).toEqual(["CHANGED", "hello", "One.", "AND AGAIN", "again"]);
		const sessions = asked.filter(([method]) => method === "memory/prompt").map(([, params]) => params);
		expect(new Set(sessions.map((params) => JSON.stringify(params))).size).toBe(1);
	});

	it("tells what fits a message with it, once, and later only its ids", async () => {
		const items = [
			{ memory: memory({ id: "m7", content: "Deploys go out on Tuesdays" }), score: 1, why: { words: [] } },
		];
		const { parts, asked } = desktop({ "memory/recall": { items, text: "RECALLED m7" } });
		const first = model([["One."]]);
		const { result } = await talk(parts, { model: first });
		expect(first.sent[0]?.messages.slice(-2).map(({ content }) => content)).toEqual(["RECALLED m7", "hello"]);
		expect(asked).toContainEqual(["memory/recall", { prompt: "hello", model: false }]);
		const second = model([["Two."]]);
		await talk(parts, { model: second, prompt: "again", history: turns("hello", "One.", result.metadata ?? {}) });
		const texts = second.sent[0]?.messages.map(({ content }) => String(content)) ?? [];
		expect(texts.filter((text) => text === "RECALLED m7")).toHaveLength(1);
		expect(texts.at(-2)).toBe("RECALLED m7");
		expect(texts[texts.indexOf("hello") - 1]).toMatch(/by id: m7\./);
	});

	it("does not recall what the chat's block tells whole", async () => {
		const items = [{ memory: memory({ content: "Use pnpm,\nnever npm" }), score: 1, why: { words: [] } }];
		const entries = [{ id: "m1", scope: "project", title: "Use pnpm" }];
		const recall = { "memory/recall": { items, text: "RECALLED" } };
		const whole = desktop({ ...recall, "memory/prompt": block({ text: "| Use pnpm,\n| never npm", entries }) });
		const llm = model([["One."]]);
		expect((await talk(whole.parts, { model: llm })).result.metadata).not.toHaveProperty("recalled");
		expect(JSON.stringify(llm.sent)).not.toContain("RECALLED");
		const inPart = desktop({ ...recall, "memory/prompt": block({ text: "| Use pnpm,", entries }) });
		expect((await talk(inPart.parts, { model: model([["One."]]) })).result.metadata?.recalled).toEqual(["m1"]);
	});

	it("answers a message without what could not be recalled", async () => {
		const { parts } = desktop({ "memory/recall": serverError("busy", "busy") });
		expect((await talk(parts, { model: model([["Hello."]]) })).shown).toBe("Hello.");
	});

	it("waits for what may be recalled for two seconds at most", async () => {
		vi.useFakeTimers();
		try {
			const { parts } = desktop({});
			const { send } = parts;
			const slow = (method: string, params: never, asking?: { onCancellationRequested(cancel: () => void): void }) =>
				method === "memory/recall"
					? new Promise((_, reject) => asking?.onCancellationRequested(() => reject(new Error("cancelled"))))
					: send(method as never, params);
			const answered = talk({ ...parts, send: slow as never }, { model: model([["Hello."]]) });
			await vi.advanceTimersByTimeAsync(2_000);
			expect((await answered).shown).toBe("Hello.");
		} finally {
			vi.useRealTimers();
		}
	});

	it("waits for a model's choice where the user has one choose, and says so by asking for no less", async () => {
		desk.configuration["vademecum.memory.recallModel"] = { default: "off", global: "auto" };
		vi.useFakeTimers();
		try {
			const items = [
				{ memory: memory({ id: "m7", content: "On Tuesdays" }), score: 1, why: { words: [], picked: true } },
			];
			const asked: unknown[] = [];
			const { parts } = desktop({});
			const slow = (method: string, params: never) => {
				if (method !== "memory/recall") {
					return parts.send(method as never, params);
				}
				asked.push(params);
				return new Promise((answer) => setTimeout(() => answer({ items, text: "RECALLED m7" }), 5_000));
			};
			const answered = talk({ ...parts, send: slow as never }, { model: model([["Hello."]]) });
			await vi.advanceTimersByTimeAsync(5_000);
			expect((await answered).result.metadata?.recalled).toEqual(["m7"]);
			expect(asked).toEqual([{ prompt: "hello" }]);
		} finally {
			vi.useRealTimers();
		}
	});

	it("gives two chats two sessions", async () => {
		const { parts } = desktop({});
		const one = await talk(parts, { model: model([["x"]]) });
		const two = await talk(parts, { model: model([["x"]]) });
		expect(one.result.metadata?.session).not.toBe(two.result.metadata?.session);
	});

	it("tells changes again from the server alone, and never those that it took back", () => {
		const history = turns("hello", "One.", { session: "a", changes: 1 });
		expect(exchangesOf({ history } as never, ["OTHER", "SECRET PLAN"])).toEqual([
			{ prompt: "hello", answer: "One.", changes: "SECRET PLAN" },
		]);
		for (const earlier of [["", ""], []]) {
			expect(exchangesOf({ history } as never, earlier)).toEqual([{ prompt: "hello", answer: "One." }]);
		}
	});

	it("saves for the model, shows it with an undo, and answers on", async () => {
		const { parts, asked } = desktop({
			"tools/call": { text: "Remembered as [m1].", result: { memory: memory(), known: false } },
		});
		const call = new LanguageModelToolCallPart("c1", "vademecum_remember", { note: "Use pnpm, never npm" });
		const llm = model([[call], ["Noted."]]);
		const { shown } = await talk(parts, { model: llm, prompt: "remember that we use pnpm" });
		const tool = { name: "remember", arguments: { note: "Use pnpm, never npm" }, task: "default" };
		expect(asked).toContainEqual(["tools/call", tool]);
		expect(shown).toMatch(
			/Remembered: Use pnpm \[Undo\]\(command:vademecum\.undoRemember\?%5B%22m1%22%5D\)[\s\S]*Noted\./,
		);
		const results = llm.sent[1]?.messages.at(-1)?.content as { callId: string; content: { value: string }[] }[];
		expect(results[0]).toMatchObject({ callId: "c1", content: [{ value: expect.stringContaining("[m1]") }] });
	});

	it("searches in a session of each answer, since the next one no longer has what this one was given", async () => {
		desk.folders = [{ uri: Uri.file("/work") }];
		const { parts, asked, forgotten } = desktop({ "tools/call": { text: "", result: { items: [] } } });
		const search = (query: string) => new LanguageModelToolCallPart("c1", "vademecum_searchWorkspace", { query });
		const { result } = await talk(parts, { model: model([[search("a")], [search("b")], ["One."]]) });
		const history = turns("hello", "One.", result.metadata ?? {});
		await talk(parts, { model: model([[search("c")], ["Two."]]), history });
		const sessions = asked
			.filter(([method]) => method === "tools/call")
			.map(([, params]) => (params as { arguments: { session: string } }).arguments.session);
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
		const { parts } = desktop({ "tools/call": { text: "Known.", result: { memory: memory(), known: true } } });
		const call = new LanguageModelToolCallPart("c1", "vademecum_remember", { note: "Use pnpm, never npm" });
		const { shown } = await talk(parts, { model: model([[call], ["Known."]]) });
		expect(shown).toBe("Known.");
	});

	it("lets the editor ask before a memory is changed or deleted", async () => {
		const { parts, asked } = desktop({});
		const invoked: unknown[] = [];
		desk.invokeTool = async (name, options) => {
			invoked.push([name, options]);
			return new LanguageModelToolResult([new LanguageModelTextPart("Deleted m1.")]);
		};
		const call = new LanguageModelToolCallPart("c1", "vademecum_deleteMemory", { id: "m1" });
		await talk(parts, { model: model([[call], ["Gone."]]) });
		expect(invoked).toEqual([["vademecum_deleteMemory", { input: { id: "m1" }, toolInvocationToken: "T" }]]);
		expect(asked.map(([method]) => method)).not.toContain("tools/call");
	});

	it("hands the server's refusal to the model, so that it can do better", async () => {
		const { parts } = desktop({ "tools/call": serverError("note holds a secret (private key)", "secret") });
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

it("a saved memory's title cannot add links of its own", () => {
	const notice = savedNotice(memory({ title: "[x](command:evil)\n\n$(flame) <b>" }));
	expect(notice.value).toContain("Remembered: \\[x\\]\\(command:evil\\) \\$\\(flame\\) \\<b\\> [Undo](");
	expect(notice.isTrusted).toEqual({ enabledCommands: ["vademecum.undoRemember", "vademecum.openMemory"] });
});
