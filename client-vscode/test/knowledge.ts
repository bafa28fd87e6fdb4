/** Documents, a task and a server that answers by a table, for the tests of the view of documents. */
import type { KnownDocument, OutlineSection } from "../src/knowledge/protocol";
import { Reviews } from "../src/knowledge/review";
import { KnowledgeStore } from "../src/knowledge/store";
import { CurrentTask } from "../src/knowledge/task";
import type { Log } from "../src/log";
import type { Send } from "../src/protocol";
import { EventEmitter } from "./vscode";

const log = { debug() {}, info() {}, show() {} } as unknown as Log;

export function known(change: Partial<KnownDocument> = {}): KnownDocument {
	return {
		id: "a1",
		title: "Handbook",
		owner: "personal",
		source: "file:///papers/hand%20book.md",
		form: "markdown",
		status: "ready",
		revision: "r1",
		sections: 4,
		characters: 1200,
		tokens: 300,
		updated: "2026-11-30T08:00:00.000Z",
		uri: "file:///home/knowledge/handbook-a1.md",
		writable: true,
		redacted: 0,
		...change,
	};
}

export function section(title: string, level: number, start: number): OutlineSection {
	return { anchor: title.toLowerCase(), title, level, lines: { start, end: start + 1 }, characters: 1, tokens: 1 };
}

/** A server that answers by a table, and says what it was asked. */
export class FakeServer {
	readonly asked: [string, unknown][] = [];
	readonly handlers = new Map<string, (params: unknown) => void>();
	readonly states = new EventEmitter<{ kind: string }>();
	readonly onDidChangeState = this.states.event;
	readonly state = { kind: "running" };
	answers: Record<string, (params: never) => unknown> = {};
	readonly send = (async (method: string, params: never) => {
		this.asked.push([method, params]);
		const answer = this.answers[method];
		if (!answer) {
			throw new Error(`not expected: ${method}`);
		}
		return answer(params);
	}) as unknown as Send;
	on(method: string, handler: (params: never) => void) {
		this.handlers.set(method, handler as (params: unknown) => void);
		return { dispose: () => this.handlers.delete(method) };
	}
	methods() {
		return this.asked.map(([method]) => method);
	}
}

export function failure(kind: string, message: string) {
	return Object.assign(new Error(message), { data: { kind } });
}

export function memento(values: Record<string, unknown> = {}) {
	return {
		keys: () => Object.keys(values),
		get: (key: string, fallback?: unknown) => values[key] ?? fallback,
		update: async (key: string, value: unknown) => {
			values[key] = value;
		},
	} as never;
}

export function base(documents: KnownDocument[], attached: string[] = []) {
	const server = new FakeServer();
	server.answers = {
		"knowledge/list": ({ offset, limit }: { offset: number; limit: number }) => ({
			items: documents.slice(offset, offset + limit),
			total: documents.length,
		}),
		"knowledge/attach": ({ ids }: { ids: string[] }) => ({ task: "default", attached: [...attached, ...ids] }),
	};
	const task = new CurrentTask(memento());
	const store = new KnowledgeStore(server as never, task, log);
	const reviews = new Reviews();
	return { server, task, store, reviews, parts: { send: server.send, store, task, reviews, log } };
}
