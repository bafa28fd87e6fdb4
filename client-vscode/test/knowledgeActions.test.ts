import { beforeEach, describe, expect, it } from "vitest";
import { publish, refresh, remove } from "../src/knowledge/actions";
import { outcomeOf, titleOf } from "../src/knowledge/import";
import { base, failure, known } from "./knowledge";
import { desk } from "./vscode";

beforeEach(() => desk.reset());

describe("publishing", () => {
	it("takes the revision that was reviewed", async () => {
		const { server, store, reviews, parts } = base([known({ pendingRevision: "r2" })], ["a1"]);
		await store.load();
		server.answers["knowledge/publish"] = () => known({ revision: "r2" });
		reviews.note({ id: "a1", revision: "r2", file: "" });
		await publish(parts, store.documents);
		expect(server.asked.at(-1)).toEqual(["knowledge/publish", { id: "a1", revision: "r2" }]);
		expect(desk.messages).toEqual(["Published: “Handbook”. It is seen from the next question on."]);
		expect(reviews.reviewed("a1")).toBeUndefined();
	});

	it("says so when it changed after the review", async () => {
		const { server, store, reviews, parts } = base([known({ status: "pending" })]);
		await store.load();
		server.answers["knowledge/publish"] = () => {
			throw failure("conflict", "Another revision waits by now.");
		};
		reviews.note({ id: "a1", revision: "r0", file: "" });
		await publish(parts, store.documents);
		expect(desk.messages).toEqual(["“Handbook” is not published: it changed after you reviewed it."]);
	});

	it("asks about what nobody reviewed, and publishes nothing without an answer", async () => {
		const { server, store, parts } = base([known({ status: "pending" }), known({ id: "b2", status: "pending" })]);
		await store.load();
		await publish(parts, store.documents);
		expect(server.methods()).not.toContain("knowledge/publish");
		expect(desk.messages[0]).toContain("You have not reviewed 2 documents in this window");
	});

	it("tells what a read-only folder answers", async () => {
		const { server, store, reviews, parts } = base([known({ status: "pending", owner: "system" })]);
		await store.load();
		server.answers["knowledge/publish"] = () => {
			throw failure("storeUnreadable", "The shared folder cannot be written by you: Permission denied.");
		};
		reviews.note({ id: "a1", revision: "r1", file: "" });
		await publish(parts, store.documents);
		expect(desk.messages).toEqual([
			"“Handbook” is not published: The shared folder cannot be written by you: Permission denied.",
		]);
	});
});

describe("removing", () => {
	it("removes nothing that is not confirmed, and tells of those that could not be", async () => {
		const { server, store, parts } = base([known(), known({ id: "b2", title: "Guide" })]);
		await store.load();
		await remove(parts, store.documents);
		expect(server.methods()).not.toContain("knowledge/remove");
		desk.answer = "Remove";
		server.answers["knowledge/remove"] = ({ id }: { id: string }) => {
			if (id === "b2") {
				throw failure("busy", "Another program writes.");
			}
			return { id };
		};
		await remove(parts, store.documents);
		expect(desk.messages.slice(1)).toEqual([
			"Remove 2 documents?",
			"“Guide” not removed: Another program writes.",
			"Removed: “Handbook”.",
		]);
	});
});

describe("refreshing", () => {
	it("says what became of it", async () => {
		const { server, parts } = base([]);
		server.answers["knowledge/refresh"] = () => ({ documents: [], folders: 0, skipped: [] });
		await refresh(parts);
		server.answers["knowledge/refresh"] = () => ({ documents: [], folders: 1, skipped: [] });
		await refresh(parts);
		server.answers["knowledge/refresh"] = () => ({
			documents: [known()],
			folders: 1,
			skipped: [{ path: "x.md", reason: "It is binary." }],
		});
		await refresh(parts);
		server.answers["knowledge/refresh"] = () => ({
			documents: [known({ sourceState: "missing" })],
			folders: 1,
			skipped: [],
		});
		await refresh(parts);
		expect(desk.messages).toEqual([
			"No folder is followed; the list is as it is on the disk.",
			"Nothing changed in 1 followed folder.",
			"New or changed: “Handbook”. Not imported: 1; the log says why.",
			"Nothing changed in 1 followed folder. The source is gone, what was imported is kept: “Handbook”.",
		]);
	});
});

describe("importing", () => {
	it("says what became of everything that was named", () => {
		const nothing = { documents: [], unchanged: 0, skipped: [], followed: false };
		expect(outcomeOf(nothing)).toBe("There is no Markdown or text in it.");
		expect(outcomeOf({ ...nothing, unchanged: 2 })).toBe("2 documents are as before.");
		expect(
			outcomeOf({
				documents: [known(), known()],
				unchanged: 1,
				skipped: [{ path: "a.pdf", reason: "PDF." }],
				followed: true,
			}),
		).toBe(
			"Imported: 2 documents. They wait for your review. 1 document is as before. Not imported: a.pdf: PDF. The folder is followed.",
		);
	});

	it("offers the first heading as a title, else the first line", () => {
		expect(titleOf("\n\nfirst\n## Tea ##\n")).toBe("Tea");
		expect(titleOf("\r\n  plain text\r\nmore")).toBe("plain text");
		expect([...titleOf("𝒳".repeat(300))]).toHaveLength(200);
	});
});
