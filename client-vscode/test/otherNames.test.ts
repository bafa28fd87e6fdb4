import { beforeEach, describe, expect, it } from "vitest";
import { OfferedNames, toolsNamed } from "../src/otherNames";
import { scripted } from "./chatting";
import { desk, EventEmitter } from "./vscode";

beforeEach(() => desk.reset());

describe("tools under the names of other systems", () => {
	const memory = { id: "m", title: "Tabs", content: "Use tabs", revision: "r1" };

	it("are the server's own of these names, with the model's words as they are", async () => {
		const { send, asked } = scripted({ "tools/call": { text: "T", result: {} }, "memory/get": memory });
		const tools = toolsNamed(["memory_search", "search_code", "memory_forget", "memory_save"], send, () => "release");
		await tools.search_code?.run({ query: "x", session: "forged" });
		expect(asked[0]).toEqual(["tools/call", { name: "search_code", arguments: { query: "x" }, task: "release" }]);
		const asks = Object.entries(tools).filter(([, { confirm }]) => confirm);
		expect(asks.map(([name]) => name)).toEqual(["memory_forget", "memory_save"]);

		// What the user was shown is what goes.
		expect((await tools.memory_forget?.confirm?.({ id: "m" }))?.title).toBe("Forget: Tabs?");
		await tools.memory_forget?.run({ id: "m" });
		expect(asked.at(-1)?.[1]).toMatchObject({ name: "memory_forget", arguments: { id: "m" }, revision: "r1" });
		expect((await tools.memory_save?.confirm?.({ name: "Tabs", content: "c" }))?.title).toBe("Remember as: Tabs?");
	});

	it("forget by its name the memory that the user was shown", async () => {
		const { send, asked } = scripted({
			"tools/call": { text: "T", result: { items: [{ id: "m" }] } },
			"memory/get": memory,
		});
		const { memory_forget: forget } = toolsNamed(["memory_forget"], send, () => "release");
		expect((await forget?.confirm?.({ name: "tabs", scope: "user" }))?.title).toBe("Forget: Tabs?");
		expect(asked[0]?.[1]).toMatchObject({ name: "memory_get", arguments: { name: "tabs", scope: "user" } });
		await forget?.run({ name: "tabs", scope: "user" });
		expect(asked.at(-1)?.[1]).toMatchObject({ name: "memory_forget", arguments: { id: "m" }, revision: "r1" });
		// One that nobody was asked about goes by its own words.
		await forget?.run({ name: "other" });
		expect(asked.at(-1)?.[1]).toEqual({ name: "memory_forget", arguments: { name: "other" }, task: "release" });
	});

	it("are offered as the server offers them, and not while nobody can tell", async () => {
		const states = new EventEmitter<{ kind: string }>();
		let items: unknown = [{ name: "remember" }, { name: "memory_save" }];
		const { send } = scripted({ "tools/list": () => (items instanceof Error ? items : { items }) });
		const server = { send, onDidChangeState: states.event };
		const offered = new OfferedNames(["memory_save"], server as never, { debug: () => undefined } as never);
		expect(offered.has("memory_save")).toBe(false);
		states.fire({ kind: "running" });
		await new Promise((resolve) => setTimeout(resolve));
		expect(offered.has("memory_save")).toBe(true);
		items = new Error("down");
		await offered.look();
		expect(offered.has("memory_save")).toBe(true);
		items = [{ name: "remember" }];
		await offered.look();
		expect(offered.has("memory_save")).toBe(false);
		offered.dispose();
	});
});
