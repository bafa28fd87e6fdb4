/** The requests and notifications of the server that this client uses, with their types. See docs/protocol.md. */
import type { CancellationToken } from "vscode";

export interface Position {
	readonly line: number;
	readonly character: number;
}

export interface Range {
	readonly start: Position;
	readonly end: Position;
}

export type Scope = "user" | "project";
export type Category = "Knowledge" | "Rule" | "Experience";

export interface Memory {
	readonly id: string;
	readonly title: string;
	readonly content: string;
	readonly category: Category;
	readonly type: string;
	readonly scope: Scope;
	readonly status: "active" | "pending" | "stale" | "superseded";
	readonly created: string;
	readonly updated: string;
	readonly revision: string;
	readonly uri: string;
	/** In an answer of `memory/remember`: the note was known already, and nothing was written. */
	readonly known?: boolean;
}

export interface PromptBlock {
	readonly text: string;
	/** Names these bytes: another snapshot for the same session means that something was withdrawn from it. */
	readonly snapshot: string;
	readonly entries: readonly { readonly id: string; readonly scope: Scope; readonly title: string }[];
	readonly omitted: number;
	readonly characters: number;
}

export interface MemoryChanges {
	/** Ready to be told to a model; empty when nothing changed. */
	readonly text: string;
}

export interface MemoryStatus {
	readonly enabled: boolean;
}

export interface SearchItem {
	readonly uri: string;
	readonly path: string;
	readonly range: Range;
	readonly match?: Range | null;
	readonly symbol?: string | null;
	readonly kind?: string | null;
	readonly language: string;
	readonly score: number;
	readonly reference: string;
	readonly snippet: string | null;
	readonly stale?: boolean | null;
}

export interface Notice {
	readonly kind: string;
	readonly message: string;
}

export interface SearchAnswer {
	readonly items: readonly SearchItem[];
	readonly nextOffset?: number | null;
	readonly partial: boolean;
	readonly notices: readonly Notice[];
}

export interface SearchStatus {
	readonly workspace?: string | null;
	readonly state: "starting" | "indexing" | "ready";
	readonly files: number;
	readonly chunks: number;
	readonly pending: number;
	readonly watcher: { readonly state: "watching" | "polling" | "failed"; readonly reason?: string | null };
	/** Why nothing is indexed here, when that is so. */
	readonly refusal?: string | null;
}

interface InWorkspace {
	/** URI of the folder that is meant. */
	readonly workspace?: string;
}

/** Method → params and result. */
export interface Requests {
	"memory/prompt": [InWorkspace & { session?: string }, PromptBlock];
	"memory/changes": [InWorkspace & { session: string }, MemoryChanges];
	"memory/remember": [InWorkspace & { note: string; scope?: Scope; category?: Category }, Memory];
	"memory/add": [
		InWorkspace & { title: string; content: string; category: Category; scope: Scope; evidence?: readonly string[] },
		Memory,
	];
	"memory/update": [
		InWorkspace & {
			id: string;
			title?: string;
			content?: string;
			category?: Category;
			scope?: Scope;
			revision?: string;
		},
		Memory,
	];
	"memory/delete": [InWorkspace & { id: string }, { readonly id: string }];
	"memory/get": [InWorkspace & { id: string }, Memory];
	"memory/list": [InWorkspace & { limit?: number }, { readonly items: readonly unknown[]; readonly total: number }];
	"memory/search": [
		InWorkspace & { query?: string; scope?: Scope; limit?: number },
		{ readonly items: readonly { readonly memory: Memory; readonly score: number }[]; readonly total: number },
	];
	"memory/status": [InWorkspace, MemoryStatus];
	"search/query": [
		InWorkspace & {
			query: string;
			limit?: number;
			content?: "code" | "docs" | "all";
			paths?: readonly string[];
			languages?: readonly string[];
			tokenBudget?: number;
		},
		SearchAnswer,
	];
	"search/status": [InWorkspace, SearchStatus];
	"evidence/cite": [
		InWorkspace & { uri: string; range: Range },
		{ readonly reference: string; readonly snippet: string },
	];
}

export interface Notifications {
	"memory/didChange": { readonly scope: Scope; readonly ids: readonly string[] };
	"search/didChangeStatus": SearchStatus;
}

export type Method = keyof Requests;

/** Sends a request and waits for its answer. Rejects with the server's error, or with ServerDown. */
export type Send = <M extends Method>(
	method: M,
	params: Requests[M][0],
	token?: CancellationToken,
) => Promise<Requests[M][1]>;

/** What is worth telling with each answer: a model that is not there is a state, not news. */
export function newsOf(notices: readonly Notice[]): string[] {
	return notices.filter(({ kind }) => kind !== "noModel").map(({ message }) => message);
}

/** JSON-RPC's code for a request that its sender cancelled. */
const REQUEST_CANCELLED = -32800;

/** Why the server could not do it (`data.kind`), when the error is the server's. */
export function errorKind(error: unknown): string | undefined {
	const data = (error as { data?: { kind?: unknown } } | undefined)?.data;
	return typeof data?.kind === "string" ? data.kind : undefined;
}

/** A sentence for a person. */
export function errorMessage(error: unknown): string {
	return error instanceof Error && error.message ? error.message : String(error);
}

/** Whether this is only our own cancelling, which nobody needs to be told of. */
export function isCancelled(error: unknown): boolean {
	const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
	return code === REQUEST_CANCELLED || name === "Canceled" || name === "CancellationError" || name === "AbortError";
}
