import { describe, expect, it } from "vitest";
import { Drawing, type Part } from "../src/drawing";

interface Node {
	readonly name: string;
}

function part(id: string, look = "", parts: readonly Part<Node>[] = []): Part<Node> {
	return { id, node: { name: `${id}${look}` }, look, parts };
}

function drawn(first: readonly Part<Node>[], second: readonly Part<Node>[]) {
	const drawing = new Drawing<Node>();
	drawing.draw(first);
	const before = drawing.top;
	const told: (string[] | undefined)[] = [];
	drawing.onDidChange((nodes) => told.push(nodes?.map(({ name }) => name)));
	drawing.draw(second);
	return { drawing, before, told };
}

describe("a tree that changes", () => {
	it("draws nothing anew where all is as before", () => {
		const parts = () => [part("a", "1", [part("b"), part("c")])];
		expect(drawn(parts(), parts()).told).toEqual([]);
	});

	it("draws one entry anew where that one changed, and keeps the others known", () => {
		const { drawing, before, told } = drawn(
			[part("a", "", [part("b", "1"), part("c")])],
			[part("a", "", [part("b", "2"), part("c")])],
		);
		expect(told).toEqual([["b2"]]);
		expect(drawing.top[0]).toBe(before[0]);
		expect(drawing.parent(drawing.within(drawing.top[0] as Node)[0] as Node)).toBe(before[0]);
	});

	it("draws a group anew where something comes, goes or changes its place in it", () => {
		const group = (...names: string[]) => [
			part(
				"a",
				"",
				names.map((name) => part(name)),
			),
			part("z", "", [part("y")]),
		];
		expect(drawn(group("b"), group("b", "c")).told).toEqual([["a"]]);
		expect(drawn(group("b", "c"), group("c", "b")).told).toEqual([["a"]]);
		expect(drawn(group("b", "c"), group()).told).toEqual([["a"]]);
	});

	it("draws a group anew with all in it where the group itself looks different", () => {
		const { told } = drawn([part("a", "1", [part("b", "1")])], [part("a", "2", [part("b", "2")])]);
		expect(told).toEqual([["a2"]]);
	});

	it("draws all anew where the groups are others", () => {
		expect(drawn([part("a")], [part("a"), part("b")]).told).toEqual([undefined]);
		expect(drawn([part("a")], []).told).toEqual([undefined]);
	});

	it("knows nothing of an entry that is gone", () => {
		const { drawing, before } = drawn([part("a", "", [part("b")])], []);
		expect(drawing.within(before[0] as Node)).toEqual([]);
		expect(drawing.parent(before[0] as Node)).toBeUndefined();
	});
});
