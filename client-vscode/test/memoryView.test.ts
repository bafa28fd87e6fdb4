import { beforeEach, describe, expect, it } from "vitest";
import { namedBy, nodeNamedBy } from "../src/entries";
import { badgeOf, badgeUri, lettersOf } from "../src/memory/badges";
import { previewOf } from "../src/memory/import";
import { MemoryTree, type MemoryTreeNode } from "../src/memory/tree";
import { wantedBy } from "../src/memory/view";
import { watchedOf } from "../src/memory/watching";
import { ageOf, groupsOf, marksOf, spokenMemory, tooltipOf } from "../src/memory/words";
import { failure } from "./knowledge";
import { base, kept, report, whole } from "./memoryView";
import { desk, Uri } from "./vscode";

beforeEach(() => desk.reset());

const NOW = Date.parse("2026-11-30T08:00:00.000Z");

describe("the store of memories", () => {
	it("asks nothing before somebody wants to see memories, then follows every change, and tells it once", async () => {
		const memories = [kept()];
		const { server, store } = base(memories);
		server.handlers.get("memory/didChange")?.({ scope: "project", ids: [] });
		await new Promise((resolve) => setTimeout(resolve, 150));
		expect(server.asked).toEqual([]);
		await store.load();
		let told = 0;
		store.onDidChange(() => {
			told += 1;
		});
		await store.load();
		expect(told).toBe(0);
		memories.push(kept({ id: "m2", title: "Use cents" }));
		server.handlers.get("memory/didChange")?.({ scope: "project", ids: ["m2"] });
		server.handlers.get("memory/didChange")?.({ scope: "project", ids: ["m2"] });
		await new Promise((resolve) => setTimeout(resolve, 150));
		expect(store.memories.map(({ id }) => id)).toEqual(["m1", "m2"]);
		expect(told).toBe(1);
	});

	it("says that memory is off, and why there is nothing else", async () => {
		const { server, store } = base([]);
		server.answers["memory/list"] = () => {
			throw failure("memoryDisabled", "Memory is off.");
		};
		await store.load();
		expect(store.holding).toEqual({ kind: "off" });
		server.answers["memory/list"] = () => {
			throw failure("storeUnreadable", "No room.");
		};
		await store.load();
		expect(store.holding).toEqual({ kind: "failed", why: "No room." });
	});

	it("asks each of several folders for its own", async () => {
		desk.folders = [
			{ uri: Uri.parse("file:///shop"), name: "shop" },
			{ uri: Uri.parse("file:///till"), name: "till" },
		] as never;
		const { server, store } = base([]);
		server.answers["memory/list"] = (params: { scope: string; workspace?: string }) => {
			const items = [kept({ id: params.workspace ?? "me", scope: params.scope as "user" })];
			return { items, total: 1 };
		};
		await store.load();
		expect(groupsOf(store.memories).map(({ label }) => label)).toEqual(["shop", "till", "Everywhere"]);
		expect(store.memory("file:///till")?.folder).toEqual({ name: "till", workspace: "file:///till" });
	});

	it("filters by what the server finds, and by the titles of what the server never finds", async () => {
		const { server, store } = base([
			kept(),
			kept({ id: "m2", title: "Cents" }),
			kept({ id: "m3", title: "Pnpm it is", status: "pending" }),
		]);
		await store.load();
		server.answers["memory/search"] = () => ({ items: [{ memory: whole({ id: "m2" }), score: 1 }], total: 1 });
		await store.find(" pnpm ");
		expect(store.filter?.text).toBe("pnpm");
		expect(store.visible.map(({ id }) => id)).toEqual(["m1", "m2", "m3"]);
		server.answers["memory/search"] = () => ({ items: [], total: 0 });
		await store.find("cents");
		expect(store.visible.map(({ id }) => id)).toEqual(["m2"]);
		await store.find("");
		expect(store.visible).toHaveLength(3);
	});
});

describe("memories in words", () => {
	it("come by what waits, then scope and category, pinned ones first", () => {
		const groups = groupsOf([
			kept({ id: "1", title: "b 10" }),
			kept({ id: "2", title: "b 9" }),
			kept({ id: "3", title: "z", pinned: true }),
			kept({ id: "4", category: "Experience" }),
			kept({ id: "5", scope: "user", category: "Knowledge", place: "user" }),
			kept({ id: "6", status: "pending" }),
		]);
		expect(groups.map(({ label, memories }) => [label, memories.length])).toEqual([
			["Waiting for Review", 1],
			["This Project", 4],
			["Everywhere", 1],
		]);
		expect(groups[1]?.categories.map(({ category, memories }) => [category, memories.map(({ id }) => id)])).toEqual([
			["Rule", ["3", "2", "1"]],
			["Experience", ["4"]],
		]);
	});

	it("are marked as they stand", () => {
		expect(marksOf(kept())).toEqual([]);
		expect(marksOf(kept({ status: "pending", scope: "user" }))).toEqual(["rule everywhere"]);
		expect(spokenMemory(kept({ status: "pending" }))).toBe("Use pnpm, waits for review, rule in this project");
		expect(marksOf(kept({ status: "stale", origin: "repository", place: "shared", pinned: true }))).toEqual([
			"stale",
			"repository",
			"pinned",
		]);
		expect(marksOf(kept({ place: "shared" }))).toEqual(["shared"]);
		expect(spokenMemory(kept({ pinned: true }))).toBe("Use pnpm, rule in this project, pinned");
	});

	it("have a badge where somebody should look", () => {
		const query = lettersOf({ status: "stale", origin: "repository" }).join("");
		expect(badgeOf({ scheme: "vademecum-memory", query })?.badge).toBe("SR");
		expect(badgeOf({ scheme: "vademecum-memory", query: "W" })?.tooltip).toBe("Waits for your review");
		expect(badgeOf({ scheme: "vademecum-memory", query: "x" })).toBeUndefined();
		expect(badgeOf({ scheme: "file", query: "W" })).toBeUndefined();
		expect(badgeUri(kept())).toBeUndefined();
	});

	it("have a tooltip with text, age, use and what they rest on", () => {
		const memory = kept({
			evidence: [
				{ reference: "a.py:1-2@11", verdict: "valid" },
				{ reference: "b.py:1-2@22", verdict: "changed" },
				{ reference: "c.py:1-2@33", verdict: "relocated", relocatedTo: "c.py:5-6@33" },
				{ reference: "d.py:1-2@44" },
			],
		});
		const text = tooltipOf(memory, whole({ recallCount: 2, lastRecalledAt: "2026-11-30T07:00:00Z" }), NOW, "en");
		expect(text.split("\n")).toEqual([
			"Use pnpm",
			"",
			"The lockfile is pnpm's.",
			"",
			"Rule in this project, kept in your home.",
			"Kept 3 days ago",
			"Recalled 2 times, last 1 hour ago.",
			"✓ Rests on a.py:1-2@11, which is as it was.",
			"✗ Rests on b.py:1-2@22, which changed since.",
			"↷ Rests on c.py:1-2@33, which is now c.py:5-6@33.",
			"? Rests on d.py:1-2@44, which cannot be looked at.",
		]);
		const long = tooltipOf(kept(), whole({ content: "𝒳\n".repeat(100) }), NOW, "en");
		expect(long.match(/𝒳/gu)).toHaveLength(12);
	});

	it("are as old as they are", () => {
		const ages = ["2026-11-30T07:59:40Z", "2026-11-30T07:59:00Z", "2026-11-30T06:00:00Z", "2026-11-01T00:00:00Z", "?"];
		expect(ages.map((iso) => ageOf(iso, NOW, "en"))).toEqual([
			"just now",
			"1 minute ago",
			"2 hours ago",
			"29 days ago",
			"some time ago",
		]);
		expect(ageOf("2026-01-05T12:00:00Z", NOW, "en-GB")).toBe("on 05/01/2026");
	});
});

describe("the tree of memories", () => {
	it("says what it leaves out and what can be done about it", async () => {
		const unreadable = [{ path: "/home/memory/broken.md", reason: "it is no text." }];
		const { server, store, send } = base([kept()], report({ withheld: 2, unreadable }));
		const tree = new MemoryTree(store, send);
		const top = await tree.getChildren();
		expect(top.map((node) => tree.getTreeItem(node).label)).toEqual([
			"This Project",
			"2 memories came with this repository, not used until you trust the folder",
			"Left alone: broken.md: it is no text.",
		]);
		expect(tree.getTreeItem(top[1] as MemoryTreeNode).command?.command).toBe("workbench.trust.manage");
		server.answers["memory/search"] = () => ({ items: [], total: 0 });
		await store.find("coffee");
		const [first] = await tree.getChildren();
		expect(tree.getTreeItem(first as MemoryTreeNode).label).toBe("Nothing found for “coffee”; show all");
	});

	it("has an entry for each memory, which menus and screen readers know", async () => {
		const { store, send, server } = base([kept({ pinned: true, status: "stale" })]);
		const tree = new MemoryTree(store, send);
		const [scope] = await tree.getChildren();
		const [category] = await tree.getChildren(scope);
		const [entry] = await tree.getChildren(category);
		const item = tree.getTreeItem(entry as MemoryTreeNode);
		expect(item.contextValue).toBe("memory stale pinned private");
		expect(item.description).toBe("stale · pinned");
		expect(item.accessibilityInformation?.label).toBe("Use pnpm, rule in this project, stale, pinned");
		expect(tree.getTreeItem(category as MemoryTreeNode).accessibilityInformation?.label).toBe(
			"Rules, This Project, 1 memory",
		);
		expect(tree.getParent(entry as MemoryTreeNode)).toBe(category);
		server.answers["memory/get"] = () => whole({ recallCount: 1 });
		await tree.resolveTreeItem(item, entry as MemoryTreeNode, {} as never);
		expect(item.tooltip).toContain("Recalled 1 time.");

		// What commands are called with.
		const tellingIds = {
			idsOf: (node: MemoryTreeNode) => (node.kind === "memory" ? [node.memory.id] : []),
			selection: () => [scope, entry] as MemoryTreeNode[],
		};
		const another = { kind: "memory", memory: kept({ id: "m2" }), parent: category } as MemoryTreeNode;
		const focused = { $treeViewId: "vademecum.memory", $focusedTreeItem: true };
		expect(namedBy([entry, [entry, another]], tellingIds)).toEqual(["m1", "m2"]);
		// A key means what has the focus, with all that is selected where it is one of them.
		expect(namedBy([another], tellingIds)).toEqual(["m2"]);
		expect(namedBy([entry], { ...tellingIds, selection: () => [entry as MemoryTreeNode, another] })).toEqual([
			"m1",
			"m2",
		]);
		expect(namedBy([focused], tellingIds)).toEqual(["m1"]);
		expect(nodeNamedBy(focused, [another])).toBe(another);
		expect(nodeNamedBy(entry, [another])).toBe(entry);
		expect(namedBy([category], tellingIds)).toBeUndefined();
		expect(namedBy([], tellingIds)).toBeUndefined();
		expect(wantedBy(category)).toEqual({ category: "Rule", scope: "project" });
		expect(wantedBy(scope)).toEqual({ scope: "project" });
		expect(wantedBy(undefined)).toEqual({});
	});
});

describe("what surrounds them", () => {
	it("watches the folder of Markdown, or the file of JSON", () => {
		expect(watchedOf({ path: "/home/memory" })).toEqual({ folder: "/home/memory", pattern: "*.md" });
		expect(watchedOf({ path: "/home/memory.json" })).toEqual({ folder: "/home", pattern: "memory.json" });
	});

	it("previews an import by what would become of each item", () => {
		const items = [
			{ action: "add" as const, where: "AGENTS.md:3", key: "k1", title: "Use pnpm", scope: "project" as const },
			{ action: "refuse" as const, where: "AGENTS.md:4", key: "", title: "", reason: "It holds a secret." },
		];
		const preview = { format: "list", items, added: 1, same: 0, refused: 1, skipped: 0 };
		expect(previewOf(preview, "AGENTS.md")).toBe(
			[
				"# Import preview",
				"",
				"Nothing is imported yet. `AGENTS.md` was read as a list of instructions.",
				"",
				"## New (1)",
				"",
				"- Use pnpm — AGENTS.md:3, in this project",
				"",
				"## Cannot be taken (1)",
				"",
				"- (no title) — AGENTS.md:4: It holds a secret.",
				"",
			].join("\n"),
		);
	});
});
