import { beforeEach, describe, expect, it } from "vitest";
import { capture } from "../src/chat/capture";
import { ModelLender, NotLent } from "../src/lending";
import type { Log } from "../src/log";
import type { CompleteParams, Memory, Send } from "../src/protocol";
import { CancellationTokenSource, desk, LanguageModelError } from "./vscode";

beforeEach(() => desk.reset());

const log = { info() {}, debug() {} } as unknown as Log;
const PARAMS: CompleteParams = {
	purpose: "capture memories",
	messages: [
		{ role: "system", text: "rules" },
		{ role: "user", text: "data" },
		{ role: "assistant", text: "before" },
	],
	maxTokens: 10,
};

/** What is kept between windows. */
function memento(kept: Record<string, unknown> = {}) {
	return {
		kept,
		get: (key: string) => kept[key],
		update: async (key: string, value: unknown) => {
			kept[key] = value;
		},
		keys: () => Object.keys(kept),
	};
}

/** A model of the editor that answers with these parts, and keeps what it was sent. */
function model(id: string, parts: string[] | Error = ["{}"], over: object = {}) {
	const sent: { role: string; content: unknown }[][] = [];
	const tokens: CancellationTokenSource["token"][] = [];
	return {
		id,
		family: id,
		maxInputTokens: 100_000,
		sent,
		tokens,
		async sendRequest(messages: never, _options: unknown, token: CancellationTokenSource["token"]) {
			sent.push(messages);
			tokens.push(token);
			if (parts instanceof Error) {
				throw parts;
			}
			return {
				text: (async function* () {
					yield* parts;
				})(),
			};
		},
		...over,
	};
}

function lender(answers = memento()) {
	const made = new ModelLender(answers as never, log);
	return { answers, made, ask: (token = new CancellationTokenSource().token) => made.complete(PARAMS, token as never) };
}

const set = (value: string) => {
	desk.configuration["vademecum.lendModel"] = { default: "ask", global: value };
};

describe("lending a model", () => {
	it("asks once, in a modal, and remembers the answer for all windows", async () => {
		desk.models = [model("m", ["a", "b"])];
		desk.answer = "Lend It";
		const first = lender();
		expect(await first.ask()).toEqual({ text: "ab" });
		expect(await first.ask()).toEqual({ text: "ab" });
		expect(await lender(first.answers).ask()).toEqual({ text: "ab" });
		expect(desk.messages).toHaveLength(1);
	});

	it("asks nobody again who said never", async () => {
		const only = model("m");
		desk.models = [only];
		desk.answer = "Never";
		const first = lender();
		await expect(first.ask()).rejects.toBeInstanceOf(NotLent);
		desk.answer = "Lend It";
		await expect(first.ask()).rejects.toBeInstanceOf(NotLent);
		await expect(lender(first.answers).ask()).rejects.toBeInstanceOf(NotLent);
		expect(desk.messages).toHaveLength(1);
		expect(only.sent).toEqual([]);
	});

	it("takes a closed question for no, and asks again only in another window", async () => {
		desk.models = [model("m")];
		const first = lender();
		await expect(first.ask()).rejects.toMatchObject({ kind: "noModel" });
		await expect(first.ask()).rejects.toBeInstanceOf(NotLent);
		expect(desk.messages).toHaveLength(1);
		expect(first.answers.kept).toEqual({});
		desk.answer = "Lend It";
		expect(await lender(first.answers).ask()).toEqual({ text: "{}" });
	});

	it("asks one question for requests that come together", async () => {
		desk.models = [model("m")];
		desk.answer = "Lend It";
		const { ask } = lender();
		await Promise.all([ask(), ask(), ask()]);
		expect(desk.messages).toHaveLength(1);
	});

	it("follows the setting before any answer", async () => {
		desk.models = [model("m")];
		set("never");
		await expect(lender(memento({ lendModel: true })).ask()).rejects.toBeInstanceOf(NotLent);
		set("always");
		expect(await lender(memento({ lendModel: false })).ask()).toEqual({ text: "{}" });
		expect(desk.messages).toEqual([]);
	});

	it("asks nothing where there is no model, or none that is large enough", async () => {
		desk.models = [model("m", ["{}"], { maxInputTokens: 4_000 })];
		await expect(lender().ask()).rejects.toMatchObject({ kind: "noModel" });
		expect(desk.messages).toEqual([]);
	});

	it("prefers the model of the last message, then a small one, then any", async () => {
		set("always");
		const [big, small, other] = [model("gpt-5"), model("gpt-5-mini"), model("other")];
		desk.models = [big, small, other];
		const { made, ask } = lender();
		await ask();
		expect(small.sent).toHaveLength(1);
		made.used({ id: "other" });
		await ask();
		expect(other.sent).toHaveLength(1);
		desk.models = [big];
		await ask();
		expect(big.sent).toHaveLength(1);
	});

	it("sends the server's rules as the user's, in their order", async () => {
		set("always");
		const only = model("m");
		desk.models = [only];
		await lender().ask();
		expect(only.sent[0]?.map(({ role, content }) => [role, content])).toEqual([
			["user", "rules"],
			["user", "data"],
			["assistant", "before"],
		]);
	});

	it("passes cancelling on to the model", async () => {
		set("always");
		const source = new CancellationTokenSource();
		const only = model("m", [], {});
		only.sendRequest = async (_messages: never, _options: unknown, token: CancellationTokenSource["token"]) => {
			only.tokens.push(token);
			source.cancel();
			return {
				text: (async function* () {
					yield "late";
				})(),
			};
		};
		desk.models = [only];
		await expect(lender().ask(source.token)).rejects.toThrow("Cancelled");
		expect(only.tokens[0]?.isCancellationRequested).toBe(true);
	});

	it("stops a model that goes on and on", async () => {
		set("always");
		const endless = model(
			"m",
			Array.from({ length: 1_000 }, () => "x".repeat(50)),
		);
		desk.models = [endless];
		const { text } = await lender().ask();
		expect(text.length).toBeLessThanOrEqual(150);
		expect(endless.tokens[0]?.isCancellationRequested).toBe(true);
	});

	it("tells the server that none is lent when the editor does not allow it, and of other failures as such", async () => {
		set("always");
		desk.models = [model("m", LanguageModelError.NoPermissions("no"))];
		await expect(lender().ask()).rejects.toMatchObject({ kind: "noModel" });
		desk.models = [model("m", LanguageModelError.Blocked("filtered"))];
		await expect(lender().ask()).rejects.not.toHaveProperty("kind");
	});
});

describe("capture after an answer", () => {
	const memory = (id: string, status = "pending") =>
		({ id, content: `Fact ${id}`, scope: "user", status }) as unknown as Memory;

	function server(memories: { action: string; memory: Memory }[]) {
		const asked: [string, unknown][] = [];
		const send = (async (method: string, params: unknown) => {
			asked.push([method, params]);
			return method === "memory/capture" ? { outcome: "saved", memories } : {};
		}) as unknown as Send;
		return { asked, send };
	}

	const turn = (user: string) => ({ user, assistant: "", tools: [] });

	it("sends the last exchanges and asks what is to be done with each memory that waits", async () => {
		desk.answer = "Keep";
		const { asked, send } = server([
			{ action: "added", memory: memory("a") },
			{ action: "known", memory: memory("b") },
			{ action: "updated", memory: memory("c") },
			{ action: "added", memory: memory("d", "active") },
		]);
		await capture(send, log, "chat", ["1", "2", "3", "4"].map(turn));
		expect(asked).toEqual([
			["memory/capture", { session: "chat", turns: ["2", "3", "4"].map(turn) }],
			["memory/review", { id: "a", verdict: "accept" }],
			["memory/review", { id: "c", verdict: "accept" }],
		]);
		expect(desk.messages).toEqual(["Remember everywhere? Fact a", "Remember everywhere? Fact c"]);
	});

	it("discards, and leaves waiting what was not answered", async () => {
		const { asked, send } = server([{ action: "added", memory: memory("a") }]);
		await capture(send, log, "chat", [turn("x")]);
		expect(asked).toHaveLength(1);
		desk.answer = "Discard";
		await capture(send, log, "chat", [turn("x")]);
		expect(asked.at(-1)).toEqual(["memory/review", { id: "a", verdict: "reject" }]);
	});

	it("says so when the answer comes late, which was given elsewhere", async () => {
		desk.answer = "Discard";
		const late = (async (method: string) => {
			if (method === "memory/review") {
				throw Object.assign(new Error("waits for no review"), { data: { kind: "conflict" } });
			}
			return { outcome: "saved", memories: [{ action: "added", memory: memory("a") }] };
		}) as unknown as Send;
		await capture(late, log, "chat", [turn("x")]);
		expect(desk.messages.at(-1)).toMatch(/answered already/);
	});

	it("never fails", async () => {
		const failing = (async () => {
			throw new Error("down");
		}) as unknown as Send;
		await capture(failing, log, "chat", [turn("x")]);
	});
});
