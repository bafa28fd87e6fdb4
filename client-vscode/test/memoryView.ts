/** Memories and a server that answers by a table, for the tests of the view of memories. */
import type { Log } from "../src/log";
import type { MemoryParts } from "../src/memory/actions";
import type { MemoryReport, WholeMemory } from "../src/memory/protocol";
import type { MemorySend } from "../src/memory/sending";
import { type KnownMemory, MemoryStore } from "../src/memory/store";
import { FakeServer } from "./knowledge";

export const log = { debug() {}, info() {}, show() {} } as unknown as Log;

export function kept(change: Partial<KnownMemory> = {}): KnownMemory {
	return {
		id: "m1",
		title: "Use pnpm",
		description: "",
		category: "Rule",
		type: "project",
		keywords: [],
		scope: "project",
		pinned: false,
		provenance: "manual",
		origin: "user",
		status: "active",
		created: "2026-11-27T08:00:00.000Z",
		updated: "2026-11-27T08:00:00.000Z",
		revision: "r1",
		evidence: [],
		place: "private",
		uri: "file:///home/projects/shop/memory/use-pnpm-m1.md",
		...change,
	};
}

export function whole(change: Partial<WholeMemory> = {}): WholeMemory {
	return { ...kept(), content: "The lockfile is pnpm's.", recallCount: 0, lastRecalledAt: null, ...change };
}

export function report(change: Partial<MemoryReport> = {}): MemoryReport {
	return { enabled: true, message: "", stores: [], withheld: 0, unreadable: [], health: [], ...change };
}

export function base(memories: KnownMemory[], told: MemoryReport = report()) {
	const server = new FakeServer();
	server.answers = {
		"memory/list": ({ offset, limit }: { offset: number; limit: number }) => ({
			items: memories.slice(offset, offset + limit),
			total: memories.length,
		}),
		"memory/status": () => told,
	};
	const store = new MemoryStore(server as never, log);
	const send = server.send as unknown as MemorySend;
	const parts: MemoryParts = { send, store, texts: undefined as never, log };
	return { server, store, send, parts };
}
