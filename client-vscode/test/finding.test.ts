import { describe, expect, it, vi } from "vitest";
import type { QuickPick } from "vscode";
import { type Found, findWhileTyping } from "../src/finding";
import { EventEmitter } from "./vscode";

/** A quick pick that somebody types into. */
class Pick {
	readonly typed = new EventEmitter<string>();
	readonly accepted = new EventEmitter<void>();
	readonly pressed = new EventEmitter<{ item: Found<string>; button: unknown }>();
	readonly hidden = new EventEmitter<void>();
	readonly onDidChangeValue = this.typed.event;
	readonly onDidAccept = this.accepted.event;
	readonly onDidTriggerItemButton = this.pressed.event;
	readonly onDidHide = this.hidden.event;
	items: readonly Found<string>[] = [];
	selectedItems: readonly Found<string>[] = [];
	busy = false;
	shown = false;
	show() {
		this.shown = true;
	}
	hide() {
		this.shown = false;
		this.hidden.fire();
	}
	dispose() {}
}

function finding() {
	const pick = new Pick();
	const opened: string[] = [];
	const asked: { text: string; token: { isCancellationRequested: boolean }; answer: (labels: string[]) => void }[] = [];
	findWhileTyping(pick as unknown as QuickPick<Found<string>>, {
		find: (text, token) =>
			new Promise((resolve) => {
				asked.push({ text, token, answer: (labels) => resolve(labels.map((label) => ({ label, hit: label }))) });
			}),
		open: (hit) => opened.push(hit),
		press: (hit) => opened.push(`${hit}!`),
	});
	return { pick, opened, asked };
}

describe("finding while typing", () => {
	it("asks once for what is typed in one go, and takes no answer that comes late", async () => {
		const { pick, asked } = finding();
		pick.typed.fire("ta");
		pick.typed.fire("tax");
		await vi.waitFor(() => expect(asked.map(({ text }) => text)).toEqual(["tax"]));
		pick.typed.fire("tax rate");
		expect(asked[0]?.token.isCancellationRequested).toBe(true);
		await vi.waitFor(() => expect(asked).toHaveLength(2));
		asked[1]?.answer(["new"]);
		await vi.waitFor(() => expect(pick.items).toMatchObject([{ label: "new" }]));
		asked[0]?.answer(["old"]);
		await new Promise((resolve) => setTimeout(resolve, 0));
		expect(pick.items).toMatchObject([{ label: "new" }]);
		expect(pick.busy).toBe(false);
	});

	it("shows nothing for no text, also when an answer to what was there is on its way", async () => {
		const { pick, asked } = finding();
		pick.typed.fire("tax");
		await vi.waitFor(() => expect(asked).toHaveLength(1));
		pick.typed.fire("  ");
		asked[0]?.answer(["late"]);
		await new Promise((resolve) => setTimeout(resolve, 0));
		expect([pick.items, pick.busy]).toEqual([[], false]);
	});

	it("opens what is chosen, and closes; a sentence is nothing to choose", () => {
		const { pick, opened } = finding();
		pick.selectedItems = [{ label: "Nothing found" }];
		pick.accepted.fire();
		expect([opened, pick.shown]).toEqual([[], true]);
		pick.selectedItems = [{ label: "tax", hit: "tax" }];
		pick.accepted.fire();
		expect([opened, pick.shown]).toEqual([["tax"], false]);
		pick.pressed.fire({ item: { label: "tax", hit: "tax" }, button: {} });
		expect(opened).toEqual(["tax", "tax!"]);
	});
});
