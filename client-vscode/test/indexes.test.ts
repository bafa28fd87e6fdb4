import { describe, expect, it } from "vitest";
import type { SearchStatus } from "../src/protocol";
import { Indexes } from "../src/search/indexes";
import type { State } from "../src/server/server";
import { READY } from "./searching";

/** Indexes of a server that tells what the test says. */
function bench() {
	let tell: (status: SearchStatus) => void = () => {};
	const indexes = new Indexes({
		state: { kind: "running", launch: { command: "", args: [], origin: "PATH" } } as State,
		on: ((_: string, heard: (status: SearchStatus) => void) => {
			tell = heard;
			return { dispose: () => {} };
		}) as never,
		onDidChangeState: () => ({ dispose: () => {} }),
	});
	return { indexes, tell: (status: Partial<SearchStatus>) => tell({ ...READY, ...status }) };
}

describe("what is told of indexes", () => {
	it("forgets that no folder was open once one is, and the folders once none is", () => {
		const { indexes, tell } = bench();
		tell({ files: 0 });
		expect(indexes.all.map(({ files }) => files)).toEqual([0]);
		tell({ workspace: "file:///shop" });
		tell({ workspace: "file:///till", files: 3 });
		expect(indexes.all.map(({ files }) => files)).toEqual([12, 3]);
		tell({ files: 0 });
		expect(indexes.all.map(({ files }) => files)).toEqual([0]);
	});
});
