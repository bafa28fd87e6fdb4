import { beforeEach, describe, expect, it } from "vitest";
import { accept, edit, offerUndo, purge, remove, rename, undoLast } from "../src/memory/actions";
import { apply, audit } from "../src/memory/audit";
import { forgetEverything, whatGoes } from "../src/memory/forget";
import { restoreVersion, textOf } from "../src/memory/history";
import { previewed } from "../src/memory/import";
import { add, categorize, move } from "../src/memory/kinds";
import { versionShownBy } from "../src/memory/texts";
import { failure } from "./knowledge";
import { base, kept, report, whole } from "./memoryView";
import { desk, Uri, window } from "./vscode";

beforeEach(() => desk.reset());

describe("deleting", () => {
	it("asks nothing, and brings back what it deleted", async () => {
		const { server, parts } = base([]);
		server.answers["memory/delete"] = ({ id }: { id: string }) => ({ id });
		server.answers["memory/restore"] = () => whole();
		desk.answer = "Undo";
		await remove(parts, [kept(), kept({ id: "m2", title: "Use cents" })]);
		expect(server.asked).toEqual([
			["memory/delete", { id: "m1" }],
			["memory/delete", { id: "m2" }],
			["memory/restore", { id: "m1" }],
			["memory/restore", { id: "m2" }],
		]);
		expect(desk.messages).toEqual(["Deleted: 2 memories. No chat is told of it any more.", "As before: 2 memories."]);
	});

	it("names the folder of a memory, and tells of what could not be deleted", async () => {
		const { server, parts } = base([]);
		server.answers["memory/delete"] = () => {
			throw failure("notFound", "No such memory.");
		};
		await remove(parts, [kept({ folder: { name: "shop", workspace: "file:///shop" } })]);
		expect(server.asked).toEqual([["memory/delete", { id: "m1", workspace: "file:///shop" }]]);
		expect(desk.messages).toEqual(["“Use pnpm” not deleted: it is not there any more."]);
	});

	it("is for good only after a question", async () => {
		const { server, parts } = base([]);
		await purge(parts, [kept()]);
		expect(server.asked).toEqual([]);
		desk.answer = "Delete for Good";
		server.answers["memory/purge"] = () => ({ ids: ["m1"], versions: 1 });
		await purge(parts, [kept()]);
		// The server does not tell of it, so the view asks.
		expect(server.methods()).toEqual(["memory/purge", "memory/list", "memory/status"]);
	});
});

describe("changing", () => {
	it("is based on what was seen", async () => {
		const { server, parts } = base([kept()]);
		server.answers["memory/update"] = () => whole({ title: "Use pnpm 10" });
		desk.input = " Use pnpm 10 ";
		await rename(parts, [kept()]);
		expect(server.asked).toEqual([["memory/update", { id: "m1", revision: "r1", title: "Use pnpm 10" }]]);
		expect(desk.messages).toEqual(["Renamed: “Use pnpm 10”."]);
	});

	it("says so when it was changed meanwhile", async () => {
		const { server, parts } = base([kept()]);
		server.answers["memory/get"] = () => whole({ revision: "r2" });
		server.answers["memory/update"] = () => {
			throw failure("conflict", "Another revision.");
		};
		desk.input = "Else.";
		await edit(parts, [kept()]);
		expect(server.asked[1]).toEqual(["memory/update", { id: "m1", revision: "r2", content: "Else." }]);
		expect(desk.messages).toEqual(["“Use pnpm” is not changed: it was changed meanwhile. Look at it, and try again."]);
	});

	it("of a text of several lines happens in its file", async () => {
		const { server, parts } = base([kept()]);
		server.answers["memory/get"] = () => whole({ content: "One.\n\nTwo." });
		await edit(parts, [kept()]);
		expect(desk.opened.map(({ uri }) => uri)).toEqual([kept().uri]);
	});

	it("moves only what is not there already", async () => {
		const { server, parts } = base([]);
		server.answers["memory/update"] = () => whole();
		await move(parts, [kept(), kept({ id: "m2", scope: "user", place: "user" })]);
		expect(server.asked).toEqual([["memory/update", { id: "m1", scope: "user" }]]);
		server.asked.length = 0;
		await categorize(parts, [kept({ category: "Knowledge" }), kept({ id: "m2" })]);
		expect(server.asked).toEqual([["memory/update", { id: "m1", category: "Rule" }]]);
		expect(desk.messages).toEqual(["Moved to everywhere: “Use pnpm”.", "Now a rule: “Use pnpm”."]);
	});

	it("moves nothing from one project into another", async () => {
		desk.folders = [
			{ uri: Uri.parse("file:///shop"), name: "shop" },
			{ uri: Uri.parse("file:///till"), name: "till" },
		] as never;
		const { parts } = base([]);
		const offered: string[][] = [];
		const pick = window.showQuickPick;
		window.showQuickPick = (async (items: { label: string }[]) => {
			offered.push(items.map(({ label }) => label));
		}) as never;
		try {
			await move(parts, [kept({ folder: { name: "shop", workspace: "file:///shop" } })]);
			await move(parts, [kept({ scope: "user", place: "user" })]);
		} finally {
			window.showQuickPick = pick;
		}
		expect(offered[0]).toEqual(["Everywhere", "shop, in the repository"]);
		expect(offered[1]).toHaveLength(4);
	});

	it("says so where there is nowhere to move to", async () => {
		const { server, parts } = base([]);
		await move(parts, [kept({ scope: "user", place: "user" })]);
		expect(server.asked).toEqual([]);
		expect(desk.messages).toEqual(["“Use pnpm” can go nowhere else: open the folder of a project first."]);
	});

	it("takes no empty title, and says why", async () => {
		const { parts } = base([]);
		const ask = window.showInputBox;
		const said: unknown[] = [];
		window.showInputBox = (async ({ validateInput }: { validateInput(value: string): unknown }) => {
			said.push(validateInput(" "), validateInput("Use pnpm 10"), validateInput("x".repeat(201)));
		}) as never;
		try {
			await rename(parts, [kept()]);
		} finally {
			window.showInputBox = ask;
		}
		expect(said).toEqual(["A memory needs a title.", undefined, "At most 200 characters."]);
	});

	it("accepts several", async () => {
		const { server, parts } = base([]);
		server.answers["memory/review"] = () => whole();
		await accept(parts, [kept(), kept({ id: "m2" })]);
		expect(server.asked[1]).toEqual(["memory/review", { id: "m2", verdict: "accept" }]);
		expect(desk.messages).toEqual(["Accepted: 2 memories. Chats know it from now on."]);
	});
});

describe("prior versions", () => {
	it("are told by their editors' URIs, whatever those hold", () => {
		const shown = { id: "m1", revision: "r0", title: "Use pnpm" };
		expect(versionShownBy({ scheme: "vademecum-version", query: JSON.stringify(shown) })).toEqual(shown);
		expect(versionShownBy({ scheme: "vademecum-version", query: "{" })).toBeUndefined();
		expect(versionShownBy({ scheme: "vademecum-version", query: '{"id": 1}' })).toBeUndefined();
		expect(versionShownBy({ scheme: "file", query: JSON.stringify(shown) })).toBeUndefined();
		expect(textOf({ title: "T", content: "c\n\n" })).toBe("# T\n\nc\n");
	});

	it("are restored, and so is what they replaced", async () => {
		const { server, parts } = base([]);
		server.answers["memory/restore"] = () => whole();
		desk.answer = "Undo";
		await restoreVersion(parts, { id: "m1", revision: "r0", title: "Use pnpm" });
		expect(server.asked).toEqual([
			["memory/restore", { id: "m1", revision: "r0" }],
			["memory/restore", { id: "m1" }],
		]);
	});
});

describe("an audit", () => {
	const requests = [
		{ method: "memory/update" as const, params: { id: "m1", content: "x", revision: "r1" } },
		{ method: "memory/delete" as const, params: { id: "m2" } },
	];

	it("sends the requests of a fix in their order", async () => {
		const { server, send } = base([]);
		server.answers["memory/update"] = () => whole();
		server.answers["memory/delete"] = () => ({ id: "m2" });
		expect(await apply(send, { action: "merge", title: "Keep one", requests })).toBe("Done: Keep one.");
		expect(server.methods()).toEqual(["memory/update", "memory/delete"]);
	});

	it("claims nothing of memories where there are none", async () => {
		const { server, parts } = base([]);
		server.answers["memory/audit"] = () => ({ findings: [], total: 0, checked: 0 });
		await audit(parts);
		expect(desk.messages).toEqual(["There are no memories to audit."]);
	});

	it("stops where something changed meanwhile", async () => {
		const { server, send } = base([]);
		server.answers["memory/update"] = () => {
			throw failure("conflict", "Another revision.");
		};
		expect(await apply(send, { action: "merge", title: "Keep one", requests })).toContain("changed meanwhile");
		expect(server.methods()).toEqual(["memory/update"]);
	});
});

describe("forgetting everything", () => {
	it("removes only what was typed, and looks again", async () => {
		const { server, parts } = base([]);
		desk.input = "yes";
		await forgetEverything(parts);
		expect(server.methods()).not.toContain("memory/purge");
		desk.input = " Forget me ";
		server.answers["memory/purge"] = () => ({ ids: ["m1"], versions: 2 });
		await forgetEverything(parts);
		expect(server.asked.find(([method]) => method === "memory/purge")?.[1]).toEqual({ scope: "user" });
		expect(desk.messages).toEqual(["Forgotten for good: 1 memory and 2 prior versions."]);
	});

	it("says what goes and what stays", () => {
		const store = { exists: true, writes: true };
		const stores = [
			{ ...store, kind: "user" as const, scope: "user" as const, path: "/h/memory", memories: 2 },
			{ ...store, kind: "shared" as const, scope: "project" as const, path: "/w/.vademecum/memory", memories: 1 },
		];
		const all = whatGoes(report({ stores }), "all");
		expect(all).toContain("3 memories are removed");
		expect(all).toContain("chat histories");
		expect(all).toContain("stays in git");
		const me = whatGoes(report({ stores }), "user");
		expect(me).toContain("2 memories are removed");
		expect(me).not.toContain("git");
	});
});

describe("importing", () => {
	const untold = () =>
		Object.assign(new Error("format: cannot be told"), { data: { fields: [{ field: "format", message: "" }] } });

	it("asks what a source is where the server cannot tell", async () => {
		const { server, parts } = base([]);
		server.answers["memory/import"] = ({ format }: { format?: string }) => {
			if (!format) {
				throw untold();
			}
			return { format, items: [], added: 0, same: 0, refused: 0, skipped: 0 };
		};
		expect((await previewed(parts, { source: "file:///notes.json" }))?.format).toBe("archive");
		expect(server.asked).toEqual([
			["memory/import", { source: "file:///notes.json", dryRun: true }],
			["memory/import", { source: "file:///notes.json", format: "archive", dryRun: true }],
		]);
	});

	it("asks once at most", async () => {
		const { server, parts } = base([]);
		server.answers["memory/import"] = () => {
			throw untold();
		};
		await expect(previewed(parts, { source: "file:///notes.json" })).rejects.toThrow("cannot be told");
		expect(server.asked).toHaveLength(2);
	});
});

describe("undoing what was done last", () => {
	it("goes back once, whether by its notification or by the command", async () => {
		let undone = 0;
		const undo = async () => {
			undone += 1;
		};
		desk.answer = "Undo";
		await offerUndo("Changed.", undo);
		await undoLast();
		expect(undone).toBe(1);
		desk.answer = undefined;
		await offerUndo("Changed again.", undo);
		await undoLast();
		expect(undone).toBe(2);
		await undoLast();
		expect(undone).toBe(2);
		expect(desk.messages.at(-1)).toBe("There is no change of memories to undo in this window.");
	});

	it("says what happened where that cannot be, and never that what was kept is not", async () => {
		const { server, parts } = base([]);
		server.answers["memory/add"] = () => whole();
		server.answers["memory/delete"] = () => {
			throw failure("notFound", "No such memory.");
		};
		desk.answer = "Undo";
		desk.input = "Use pnpm";
		await add(parts, { category: "Rule", scope: "user" });
		expect(desk.messages).toEqual([expect.stringMatching(/^Remembered: /), "Not undone: it is not there any more."]);
		desk.messages.length = 0;
		server.answers["memory/delete"] = () => ({ id: "m1" });
		await add(parts, { category: "Rule", scope: "user" });
		expect(desk.messages[1]).toBe("Forgotten again.");
	});
});
