import { beforeEach, describe, expect, it } from "vitest";
import type { Send } from "../src/protocol";
import { rebuildIndex } from "../src/search/rebuilding";
import { desk, Uri } from "./vscode";

beforeEach(() => desk.reset());

/** A server whose answer is this, and what it was asked. */
function server(answer: unknown) {
	const asked: unknown[][] = [];
	const send = async (...request: unknown[]) => {
		asked.push(request.slice(0, 2));
		if (answer instanceof Error) {
			throw answer;
		}
		return answer;
	};
	return { send: send as unknown as Send, asked };
}

describe("rebuilding the index", () => {
	it("makes that of every open folder from nothing, and says what it holds", async () => {
		desk.folders = [{ uri: Uri.file("/one") }, { uri: Uri.file("/two") }];
		const { send, asked } = server({ files: 1_234, chunks: 9_000, seconds: 3.21 });
		await rebuildIndex(send);
		expect(asked).toEqual([["search/reindex", { force: true }]]);
		expect(desk.messages).toEqual(["The search index was rebuilt: 1,234 files in 3.2 s."]);
	});

	it("asks nothing where no folder is open", async () => {
		const { send, asked } = server({});
		await rebuildIndex(send);
		expect(asked).toEqual([]);
		expect(desk.messages).toEqual(["No folder is open, so there is no index to rebuild."]);
	});

	it("says why it failed, and nothing when it was stopped", async () => {
		desk.folders = [{ uri: Uri.file("/one") }];
		await rebuildIndex(server(new Error("The disk is full.")).send);
		expect(desk.messages).toEqual(["The search index was not rebuilt: The disk is full."]);
		await rebuildIndex(server(Object.assign(new Error("Cancelled"), { code: -32800 })).send);
		expect(desk.messages).toHaveLength(1);
	});
});
