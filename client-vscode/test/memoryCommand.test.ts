import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Asked } from "../src/chat/asked";
import { manage, subcommandOf } from "../src/chat/memoryCommand";
import { desk, type MarkdownString, workspace } from "./vscode";

beforeEach(() => desk.reset());

const memory = {
	id: "m1",
	title: "Tabs",
	content: "Use tabs",
	category: "Rule",
	scope: "project",
	status: "active",
	evidence: [],
	uri: "file:///m1.md",
};

/** `/memory PROMPT`, with what was asked of the server and said to the user. */
async function run(prompt: string, answers: Record<string, unknown>) {
	const asked: [string, unknown][] = [];
	const said: string[] = [];
	const send = async (method: string, params: unknown) => {
		asked.push([method, params]);
		if (answers[method] instanceof Error) {
			throw answers[method];
		}
		return answers[method];
	};
	const stream = {
		markdown: (text: string | MarkdownString) => void said.push(typeof text === "string" ? text : text.value),
		reference: () => undefined,
	};
	const done = await manage({ send, prompt, stream, token: {} } as unknown as Asked);
	return { asked, said: said.join(""), done };
}

describe("/memory remember", () => {
	it("keeps a note, as /remember does", async () => {
		const { asked, said } = await run("remember --rule Use tabs", { "memory/remember": memory });
		expect(asked).toEqual([["memory/remember", { note: "Use tabs", category: "Rule" }]]);
		expect(said).toContain("Remembered: Tabs");
	});

	it("knows CodeWhale's word for the project, in CodeWhale's own command alone", () => {
		expect(subcommandOf("native remember workspace Use tabs")).toEqual({
			name: "remember",
			rest: "--project Use tabs",
		});
		expect(subcommandOf("remember workspace trust is off")?.rest).toBe("workspace trust is off");
		expect(subcommandOf("native remember Use tabs")?.rest).toBe("Use tabs");
	});
});

describe("/memory edit", () => {
	it("shows the memory and opens its file", async () => {
		const open = vi.spyOn(workspace, "openTextDocument");
		const { said, done } = await run("edit m1", { "memory/get": memory });
		expect(said).toContain("Use tabs");
		expect(done.brief).toContain("m1");
		expect(String(open.mock.calls[0]?.[0])).toBe("file:///m1.md");
	});

	it("opens nothing where there is none, and says how to name one", async () => {
		const open = vi.spyOn(workspace, "openTextDocument");
		open.mockClear();
		const gone = Object.assign(new Error("not there"), { data: { kind: "notFound" } });
		expect((await run("edit m9", { "memory/get": gone })).said).toContain("There is no memory `m9`");
		expect((await run("edit", {})).said).toContain("/memory get");
		expect(open).not.toHaveBeenCalled();
	});
});
