import { describe, expect, it } from "vitest";
import { MemoryBlocks } from "../src/chat/memoryBlock";
import { converse, MAX_ROUNDS } from "../src/chat/toolLoop";
import { block, model, scripted, token } from "./chatting";
import { EventEmitter, LanguageModelTextPart, LanguageModelToolCallPart } from "./vscode";

describe("the block of the next chat", () => {
	it("is made when the server is there, anew when memory changes before the chat begins, and never told unasked", async () => {
		const states = new EventEmitter<{ kind: string }>();
		const changes = new EventEmitter<object>();
		let version = 0;
		let text = "";
		const { send, asked: all } = scripted({
			"memory/prompt": () => block({ text: `v${++version}` }),
			"memory/changes": () => ({ text, earlier: [] }),
		});
		const asked = () => all.filter(([method]) => method === "memory/prompt").map(([, params]) => params);
		const blocks = new MemoryBlocks(
			{ onDidChangeState: states.event, on: (_: string, handler: never) => changes.event(handler) } as never,
			send,
		);
		states.fire({ kind: "starting" });
		expect(all).toHaveLength(0);
		states.fire({ kind: "running" });
		changes.fire({});
		expect(asked()).toHaveLength(2);
		const begun = await blocks.begin();
		expect(asked()).toHaveLength(3);
		expect(asked()[2]).toEqual(asked()[1]);
		expect(asked()[1]).not.toEqual(asked()[0]);
		expect(begun.block?.text).toBe("v3");
		// What another window changed meanwhile is told by no event.
		changes.fire({});
		text = "CHANGED ELSEWHERE";
		const next = await blocks.begin();
		expect(next.block?.text).toBe("v5");
		expect(asked()[4]).not.toEqual(asked()[3]);
		blocks.dispose();
		changes.fire({});
		expect(asked()).toHaveLength(5);
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
