import { describe, expect, it } from "vitest";
import { guidance } from "../src/chat/guidance";
import { type Conversation, compose, withoutCommandLinks } from "../src/chat/messages";

const first: Conversation = {
	block: "BLOCK",
	guidance: "GUIDE",
	history: [],
	changes: "",
	recalled: "",
	attachments: [],
	prompt: "one",
};

describe("what a model is sent", () => {
	it("begins with the prompt block and ends with the prompt", () => {
		const sent = compose({ ...first, changes: "CHANGED", attachments: ["FILE"] }, 1_000);
		expect(sent.map(({ text }) => text)).toEqual(["BLOCK", "GUIDE", "CHANGED", "FILE", "one"]);
	});

	it("keeps every earlier message where it was, so that a provider's cache holds", () => {
		const one = compose({ ...first, changes: "A" }, 1_000);
		const history = [{ prompt: "one", answer: "first answer", changes: "A" }];
		const two = compose({ ...first, history, changes: "B", prompt: "two" }, 1_000);
		expect(two.slice(0, one.length)).toEqual(one);
		expect(two.slice(one.length).map(({ text }) => text)).toEqual(["first answer", "B", "two"]);
	});

	it("leaves out the oldest exchanges when it is too much, never the block nor the prompt", () => {
		const history = ["a", "b", "c"].map((name) => ({ prompt: name.repeat(100), answer: name.repeat(100) }));
		const sent = compose({ ...first, history, prompt: "now" }, 450).map(({ text }) => text);
		expect(sent).toEqual(["BLOCK", "GUIDE", ..."bc".split("").flatMap((n) => [n.repeat(100), n.repeat(100)]), "now"]);
		expect(compose({ ...first, history }, 1).map(({ text }) => text)).toEqual(["BLOCK", "GUIDE", "one"]);
	});

	it("has no empty message when there is no memory", () => {
		expect(compose({ ...first, block: "" }, 1_000).map(({ text }) => text)).toEqual(["GUIDE", "one"]);
	});
});

describe("guidance", () => {
	it("speaks only of what is offered", () => {
		expect(guidance({ memory: false, search: false, documents: false })).not.toMatch(/vademecum_/);
		expect(guidance({ memory: true, search: false, documents: false })).not.toContain("searchWorkspace");
		expect(guidance({ memory: true, search: true, documents: false })).toMatch(
			/vademecum_remember[\s\S]*vademecum_searchWorkspace/,
		);
	});
});

describe("links of the editor", () => {
	it("are not part of an earlier answer", () => {
		const answer = "Done.\n\n$(bookmark) Remembered: Use pnpm [Undo](command:x?%5B%221%22%5D) · [Open](command:y)\n\n";
		expect(withoutCommandLinks(answer)).toBe("Done.\n\n$(bookmark) Remembered: Use pnpm");
		expect(withoutCommandLinks("see [docs](https://example.org)")).toBe("see [docs](https://example.org)");
	});
});
