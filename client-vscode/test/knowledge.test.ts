import { describe, expect, it } from "vitest";
import { answerText, citationText, nothingFound } from "../src/knowledge/find";
import type { KnownDocument, SectionCitation } from "../src/knowledge/protocol";
import { shownBy } from "../src/knowledge/review";
import { CurrentTask, problemOfName } from "../src/knowledge/task";
import { revisionOf, textOfRevision } from "../src/knowledge/text";
import { KnowledgeTree } from "../src/knowledge/tree";
import { foldersOf } from "../src/knowledge/watching";
import {
	groupLabel,
	groupsOf,
	marksOf,
	type NestedSection,
	nested,
	spokenDocument,
	tooltipOf,
} from "../src/knowledge/words";
import { base, failure, known, memento, section } from "./knowledge";
import type { TreeItem } from "./vscode";

describe("groups", () => {
	it("are by owner and status, and those without documents are left out", () => {
		const documents = [
			known({ id: "1", status: "ready" }),
			known({ id: "2", status: "pending" }),
			known({ id: "3", owner: "system" }),
			known({ id: "4", status: "pending" }),
		];
		const groups = groupsOf(documents);
		expect(groups.map((group) => [groupLabel(group), group.documents.map(({ id }) => id)])).toEqual([
			["Waiting for Review", ["2", "4"]],
			["Published", ["1"]],
			["System: Published", ["3"]],
		]);
		expect(groupsOf([])).toEqual([]);
	});
});

describe("what is said of a document", () => {
	it("names what matters, in words as well as by icon", () => {
		const document = known({ pendingRevision: "r2", sourceState: "changed", redacted: 2, writable: false });
		expect(marksOf(document, true)).toEqual(["attached", "newer revision waits", "2 secrets left out", "read-only"]);
		expect(marksOf(known({ sourceState: "changed" }), false)).toEqual(["source changed"]);
		expect(marksOf(known({ sourceState: "missing", redacted: 1 }), false)).toEqual([
			"source is gone",
			"1 secret left out",
		]);
		expect(spokenDocument(known({ status: "pending", sections: 1 }), false)).toBe(
			"Handbook, waits for review, 1 section",
		);
		const tip = tooltipOf(known({ summary: "How it is run." }), true, "the current task", "en-US");
		expect(tip).toContain("How it is run.");
		expect(tip).toContain("From /papers/hand book.md");
		expect(tip).toContain("4 sections, 1,200 characters, about 300 tokens");
		expect(tooltipOf(known({ source: "text", updated: "?" }), false, "the task “x”")).toContain("some time ago");
	});
});

describe("an outline", () => {
	it("is nested by levels, skipped ones and what stands before the first heading too", () => {
		const sections = [
			section("", 0, 1),
			section("A", 1, 2),
			section("B", 3, 4),
			section("C", 2, 6),
			section("D", 1, 8),
		];
		const shape = (nodes: readonly NestedSection[]): unknown[] =>
			nodes.map((node) => [node.section.title, ...shape(node.children)]);
		expect(shape(nested(sections))).toEqual([[""], ["A", ["B"], ["C"]], ["D"]]);
	});
});

describe("a revision", () => {
	const text = "---\ntitle: mine\n---\n# Handbook\n";

	it("is named as the server names it", () => {
		// What the server makes of them.
		expect(revisionOf("# Guide\n")).toBe("ca85e859db5c1f8a");
		expect(revisionOf("# Guide")).toBe("ca85e859db5c1f8a");
		expect(revisionOf("")).toBe("e3b0c44298fc1c14");
	});

	it("is found behind the server's front matter, whatever the line ends, and in the source itself", () => {
		const revision = revisionOf(text);
		const kept = new TextEncoder().encode(`---\nid: a1\nrevision: ${revision}\n---\n${text}`);
		expect(textOfRevision(kept, revision)).toBe(text);
		const source = new TextEncoder().encode(`\ufeff${text.replace(/\n/g, "\r\n")}`);
		expect(textOfRevision(source, revision)).toBe(text);
	});

	it("is not made up of another one", () => {
		expect(textOfRevision(new TextEncoder().encode(`${text}more\n`), revisionOf(text))).toBeUndefined();
	});
});

describe("the current task", () => {
	it("is kept, and those before it are offered again", async () => {
		const values = {};
		const task = new CurrentTask(memento(values));
		expect([task.name, task.words]).toEqual(["default", "the current task"]);
		let told = 0;
		task.onDidChange(() => {
			told += 1;
		});
		await task.choose("release");
		await task.choose("release");
		expect(told).toBe(1);
		expect(new CurrentTask(memento(values)).name).toBe("release");
		expect(task.recent).toEqual(["release", "default"]);
		expect(task.words).toBe("the task “release”");
	});

	it("has a name of 1 to 200 characters", () => {
		expect(problemOfName("  ")).toBeTruthy();
		expect(problemOfName("𝒳".repeat(200))).toBeUndefined();
		expect(problemOfName("x".repeat(201))).toBeTruthy();
	});
});

describe("the store", () => {
	it("asks nothing before somebody wants to see documents, then follows every change", async () => {
		const documents = [known()];
		const { server, store, task } = base(documents, ["a1"]);
		server.handlers.get("knowledge/didChange")?.({ ids: ["a1"] });
		server.states.fire({ kind: "running" });
		await new Promise((resolve) => setTimeout(resolve, 150));
		expect(server.asked).toEqual([]);
		await store.load();
		expect(store.isAttached("a1")).toBe(true);
		documents.push(known({ id: "b2", title: "Guide" }));
		const drawn = new Promise<void>((resolve) => store.onDidChange(resolve));
		server.handlers.get("knowledge/didChange")?.({ ids: ["b2"] });
		await drawn;
		expect(store.documents.map(({ title }) => title)).toEqual(["Handbook", "Guide"]);
		await task.choose("other");
		await new Promise<void>((resolve) => store.onDidChange(resolve));
		expect(server.asked.at(-1)).toEqual(["knowledge/attach", { ids: [], task: "other" }]);
	});

	it("takes all pages", async () => {
		const { store } = base(Array.from({ length: 4_100 }, (_, at) => known({ id: String(at) })));
		await store.load();
		expect(store.documents).toHaveLength(4_100);
	});

	it("says why there is nothing to see, and what comes late does not take its place", async () => {
		const { server, store } = base([]);
		server.answers["knowledge/list"] = () => {
			throw failure("storeUnreadable", "The folder of documents cannot be read.");
		};
		await store.load();
		expect(store.holding).toEqual({ kind: "failed", why: "The folder of documents cannot be read." });
		let free: (value: unknown) => void = () => {};
		server.answers["knowledge/list"] = () => new Promise((resolve) => (free = resolve));
		const first = store.load();
		const late = free;
		server.answers["knowledge/list"] = () => ({ items: [known()], total: 1 });
		void store.load();
		late({ items: [], total: 0 });
		await first;
		expect(store.documents).toHaveLength(1);
		server.states.fire({ kind: "starting" });
		expect(store.holding.kind).toBe("unknown");
	});
});

describe("the tree", () => {
	async function children(documents: KnownDocument[], attached: string[] = []) {
		const made = base(documents, attached);
		made.server.answers["knowledge/outline"] = () => ({ sections: [section("A", 1, 1), section("B", 2, 3)] });
		await made.store.load();
		const tree = new KnowledgeTree(made.store, made.task, made.server.send);
		const [group] = await tree.getChildren();
		const [document] = await tree.getChildren(group);
		if (!document) {
			throw new Error("no document");
		}
		return { ...made, tree, document, below: await tree.getChildren(document) };
	}

	it("has the sections of what the task sees, and asks for them once", async () => {
		const { tree, document, below, server } = await children([known()], ["a1"]);
		expect(below.map((node) => tree.getTreeItem(node).label)).toEqual(["A"]);
		const [inner] = await tree.getChildren(below[0]);
		const item = tree.getTreeItem(inner as never) as unknown as TreeItem;
		expect(item.command?.arguments).toEqual(["a1", 3]);
		expect(item.accessibilityInformation?.label).toBe("B, level 2, lines 3–4");
		expect(tree.getParent(inner as never)).toBe(below[0]);
		await tree.getChildren(document);
		expect(server.methods().filter((method) => method === "knowledge/outline")).toHaveLength(1);
	});

	it("says why there are none, and what to do", async () => {
		const pending = await children([known({ status: "pending" })], ["a1"]);
		expect(pending.below).toMatchObject([{ kind: "remark", command: { command: "vademecum.documents.review" } }]);
		const detached = await children([known()]);
		expect(detached.below).toMatchObject([{ kind: "remark", command: { command: "vademecum.documents.attach" } }]);
		expect(pending.server.methods()).not.toContain("knowledge/outline");
		const seen = await children([known()], ["a1"]);
		seen.server.answers["knowledge/outline"] = () => {
			throw failure("notPublished", "The document waits for review.");
		};
		const tree = new KnowledgeTree(seen.store, seen.task, seen.server.send);
		expect(await tree.getChildren(seen.document)).toMatchObject([
			{ text: expect.stringContaining("Waits for your review") },
		]);
	});

	it("asks for the documents when it is looked at first", async () => {
		const { store, task, server } = base([known()]);
		expect(await new KnowledgeTree(store, task, server.send).getChildren()).toMatchObject([{ kind: "group" }]);
	});

	it("tells menus what may be done", async () => {
		const { tree, document } = await children([known({ pendingRevision: "r2", writable: false })], ["a1"]);
		expect(tree.getTreeItem(document).contextValue).toBe("document ready attached waits");
	});
});

describe("answers and citations", () => {
	const citation: SectionCitation = {
		id: "a1",
		document: "Handbook",
		path: ["Handbook", "Tea"],
		anchor: "handbook/tea",
		revision: "r1",
		lines: { start: 13, end: 15 },
	};

	it("name the places, with a link where there is a file", () => {
		const answer = { answer: "At 70 degrees [1].", citations: [citation], gaps: ["Who pays."] };
		const text = answerText("How is it brewed?", answer, () => "file:///papers/handbook.md", "Nothing found");
		expect(text).toContain("1. Handbook › Handbook › Tea, lines 13–15 <file:///papers/handbook.md#L13>");
		expect(text).toContain("## What the documents do not tell\n\n- Who pays.");
		const none = answerText(
			"How?",
			{ answer: null, citations: [], gaps: [], notice: "No model." },
			() => "text",
			"Nothing found",
		);
		expect(none).toBe("# How?\n\n> No model.\n\nNothing found.\n");
	});

	it("are copied as a reference where there is one", () => {
		expect(citationText(citation)).toBe("Handbook › Handbook › Tea, lines 13–15 (revision r1)");
		expect(citationText({ ...citation, reference: "handbook.md:13-15@0123456789abcdef" })).toBe(
			"handbook.md:13-15@0123456789abcdef",
		);
	});

	it("tell nothing attached from nothing found", async () => {
		const { store, task } = base([known()]);
		expect(nothingFound({ store, task })).toBe("Nothing found");
		await store.load();
		expect(nothingFound({ store, task })).toBe("No published document is attached to the current task");
	});
});

describe("the folders that are watched", () => {
	it("are those that documents lie in, each once, with that of revisions that wait", () => {
		expect(foldersOf(["file:///h/knowledge/a.md", "file:///h/knowledge/b.md", "file:///srv/team/c.md"])).toEqual([
			"file:///h/knowledge",
			"file:///h/knowledge/pending",
			"file:///srv/team",
			"file:///srv/team/pending",
		]);
	});
});

describe("the URI of a shown revision", () => {
	it("says which it is, and others say nothing", () => {
		const query = JSON.stringify({ id: "a1", revision: "r1", file: "file:///x.md" });
		expect(shownBy({ scheme: "vademecum-review", query })).toEqual({ id: "a1", revision: "r1", file: "file:///x.md" });
		expect(shownBy({ scheme: "file", query })).toBeUndefined();
		expect(shownBy({ scheme: "vademecum-document", query: "not JSON" })).toBeUndefined();
		expect(shownBy({ scheme: "vademecum-document", query: "{}" })).toBeUndefined();
	});
});
