/** In the head of a memory's file the list of what may be written opens as in any file with a schema. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { CompletionItem, TextDocument, TextDocumentChangeEvent } from "vscode";
import { HeadTyping } from "../src/memory/typing";
import { commands, desk, Position, Range, Uri, workspace } from "./vscode";

type Middleware = HeadTyping["complete"];

const opened: unknown[][] = [];
let tell: (event: TextDocumentChangeEvent) => void = () => {};
let typing: HeadTyping;

beforeEach(() => {
	opened.length = 0;
	vi.spyOn(commands, "executeCommand").mockImplementation(async (...args: unknown[]) => void opened.push(args));
	vi.spyOn(workspace, "onDidChangeTextDocument").mockImplementation(((listener: typeof tell) => {
		tell = listener;
		return { dispose() {} };
	}) as never);
	typing = new HeadTyping();
});

afterEach(() => {
	vi.restoreAllMocks();
	desk.reset();
});

function file(text: string, path = "/home/me/.vademecum/memory/one.md"): TextDocument {
	const lines = text.split("\n");
	const document = { uri: Uri.parse(`file://${path}`), lineAt: (line: number) => ({ text: lines[line] ?? "" }) };
	desk.editor = { document };
	return document as unknown as TextDocument;
}

/** The last character before `|` was just typed. */
function type(text: string, path?: string, more: object = {}): TextDocument {
	const [before = ""] = text.split("|");
	const line = before.split("\n").length - 1;
	const character = (before.split("\n").at(-1) ?? "").length - 1;
	const document = file(text.replace("|", ""), path);
	const range = new Range(line, character, line, character);
	tell({ document, contentChanges: [{ range, text: before.at(-1) }], ...more } as unknown as TextDocumentChangeEvent);
	return document;
}

async function offered(document: TextDocument, line: number, triggerCharacter: string | undefined, data: unknown) {
	const items = [{ label: "x", data }] as unknown as CompletionItem[];
	const context = { triggerCharacter } as Parameters<Middleware>[2];
	const answer = typing.complete(document, new Position(line, 9) as never, context, {} as never, () => items);
	expect(await answer).toBe(items);
	return items[0];
}

describe("typing in a memory's file", () => {
	it("opens the list at the first letter of a key", () => {
		type("---\nt|\n---\n");
		expect(opened).toEqual([["editor.action.triggerSuggest", { auto: true }]]);
		type("---\ntitle: x\n# note\nc|"); // not ended yet
		expect(opened).toHaveLength(2);
	});

	it("stays quiet everywhere else", () => {
		type("---\nti|\n---\n"); // the list is open, or was closed
		type("---\ntitle: x\n---\nt|\n");
		type("t|\n");
		type("# Notes\nt|\n");
		type("---\n1|\n---\n");
		type("---\nt|\n---\n", "/repo/docs/one.md");
		type("---\nt|\n---\n", undefined, { reason: 1 });
		expect(opened).toEqual([]);
	});

	it("opens it again at the blank after a colon, where there was something to choose", async () => {
		const document = file("---\ncategory:\n---\n");
		await offered(document, 1, ":", { memory: { more: false } });
		type("---\ncategory: |\n---\n");
		expect(opened).toHaveLength(1);
		type("---\ncategory: |\n---\n"); // it was closed since
		await offered(document, 1, ":", undefined);
		type("---\ntitle: |\n---\n");
		await offered(document, 1, undefined, { memory: { more: false } });
		type("---\ncategory: |\n---\n");
		expect(opened).toHaveLength(1);
	});

	it("opens what comes next when a key was chosen", async () => {
		const document = file("---\nca\n---\n");
		const key = await offered(document, 1, undefined, { memory: { more: true } });
		expect(key?.command).toMatchObject({ command: "editor.action.triggerSuggest" });
		const value = await offered(document, 1, undefined, { memory: { more: false } });
		expect(value?.command).toBeUndefined();
	});
});
