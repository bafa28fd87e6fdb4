import { beforeEach, describe, expect, it } from "vitest";
import { citeSelection, findingsText } from "../src/commands/evidence";
import { markOf, standings } from "../src/evidenceMarks";
import type { Send, Verdict } from "../src/protocol";
import { desk, languages, Range, Uri } from "./vscode";

beforeEach(() => desk.reset());

function at(line: number) {
	return { start: { line, character: 4 }, end: { line, character: 40 } };
}

describe("the mark of a reference", () => {
	it("is a sign for each verdict there is", () => {
		const verdicts: Verdict[] = ["valid", "relocated", "changed", "deleted", "ambiguous", "excluded", "unreadable"];
		expect(verdicts.map(markOf)).toEqual(["valid", "moved", "lost", "lost", "unsure", "unsure", "unsure"]);
	});

	it("is the diagnostic's word where there is one, and only what is verified to hold is marked so", async () => {
		desk.diagnostics = [
			{ range: new Range(2, 4, 2, 40), code: "changed", source: "vademecum" },
			{ range: new Range(0, 4, 0, 40), code: "spelling", source: "another" },
		];
		const asked: unknown[] = [];
		const send = (async (method: string, params: unknown) => {
			asked.push([method, params]);
			return method === "textDocument/documentLink"
				? [0, 1, 2].map((line) => ({ range: at(line), data: { reference: `r${line}` } }))
				: {
						items: [
							{ reference: "r0", verdict: "valid" },
							{ reference: "r1", verdict: "deleted" },
						],
						allValid: false,
					};
		}) as unknown as Send;
		const found = await standings(send, { uri: Uri.parse("file:///notes.md") } as never);
		expect(found.map(({ range, verdict }) => [range.start.line, verdict])).toEqual([
			[2, "changed"],
			[0, "valid"],
		]);
		expect(asked[1]).toEqual(["evidence/verify", { references: ["r0", "r1"] }]);
		expect(languages.getDiagnostics()).toHaveLength(2);
	});
});

describe("verifying all", () => {
	it("is told in one sentence", () => {
		const told = (files: number, verdicts: [Verdict, number][], missed: string[] = []) =>
			findingsText({ files, verdicts: new Map(verdicts), missed });
		expect(told(0, [])).toBe("There are no references in the texts of this workspace.");
		expect(told(1, [["valid", 1]])).toBe("1 reference in 1 file: all hold.");
		expect(
			told(2, [
				["changed", 1],
				["valid", 3],
				["relocated", 2],
				["deleted", 1],
			]),
		).toBe("7 references in 2 files: 2 moved, 1 changed, 1 gone.");
		// What nobody could look at may hold any reference.
		const down = "The Vademecum server is not running: it was stopped.";
		expect(told(0, [], [down, down])).toBe(`2 files could not be looked at: ${down}`);
		expect(told(1, [["valid", 1]], [down])).toBe(
			`1 reference in 1 file: all hold. 1 file could not be looked at: ${down}`,
		);
	});
});

describe("citing", () => {
	it("copies the reference, or says why there is none", async () => {
		await citeSelection((() => Promise.reject(new Error("not asked"))) as Send);
		const selection = new Range(0, 0, 2, 0);
		desk.editor = { document: { uri: Uri.parse("vademecum-block:/Prompt Block.md") }, selection };
		await citeSelection((() => Promise.reject(new Error("not asked"))) as Send);
		const first = "Open the file whose lines are to be cited first.";
		expect(desk.messages).toEqual([first, first]);
		desk.editor = { document: { uri: Uri.parse("file:///a.py") }, selection };
		await citeSelection((async () => ({ reference: "a.py:1-2@0123456789abcdef", snippet: "" })) as unknown as Send);
		expect(desk.clipboard).toBe("a.py:1-2@0123456789abcdef");
		await citeSelection((() => Promise.reject(new Error("The file is ignored."))) as Send);
		expect(desk.messages.slice(2)).toEqual(["Copied: a.py:1-2@0123456789abcdef", "Not cited: The file is ignored."]);
	});
});
