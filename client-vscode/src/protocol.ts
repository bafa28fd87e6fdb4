/** The requests and notifications of the server that this client uses, with their types. See docs/protocol.md. */
import type { CancellationToken } from "vscode";
import type { ChatRequests } from "./chat/requests";
import type { KnowledgeRequests } from "./knowledge/protocol";
import type { Category, Evidence, InWorkspace, Memory, Position, Range, Scope, Verdict } from "./values";

export type { Category, Evidence, Memory, Position, Range, Scope, Verdict } from "./values";

export interface PromptBlock {
	readonly text: string;
	/** Names these bytes: another snapshot for the same session means that something was withdrawn from it. */
	readonly snapshot: string;
	/** `stale`: its lines are not there now, whatever they were when the block was made. */
	readonly entries: readonly {
		readonly id: string;
		readonly scope: Scope;
		readonly title: string;
		readonly stale?: boolean;
	}[];
	readonly omitted: number;
	readonly characters: number;
}

export interface MemoryChanges {
	/** Ready to be told to a model; empty when nothing changed. */
	readonly text: string;
	/** What was told before, each in its place; empty where it is not to be told again. */
	readonly earlier: readonly string[];
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
	/** What each stage of the ranking said, where that was asked. */
	readonly signals?: Readonly<Record<string, number>> | null;
	readonly reference: string;
	/** Null when the session was given it before. */
	readonly snippet: string | null;
	/** The file changed since it was indexed; the lines are today's all the same. */
	readonly stale?: boolean | null;
	/** The session holds this very text already. */
	readonly reused?: boolean | null;
	/** The snippet is an outline of its lines, with what is left out counted in lines that begin with `…`. */
	readonly skeleton?: boolean | null;
}

/** What an answer says of itself. Closed but for kinds that a newer server may add. */
export type NoticeKind =
	| "notIndexed"
	| "noReuse"
	| "partial"
	| "noModel"
	| "modelChanged"
	| "vectorsPending"
	| "watcherFailed"
	| "indexerFailed"
	| "truncated"
	| "disabled";

export interface Notice {
	readonly kind: NoticeKind;
	readonly message: string;
}

/** What a session was given and is no longer so; told once. */
export interface SessionNews {
	readonly invalidated: readonly { readonly reference: string; readonly verdict: Verdict }[];
}

export interface SearchAnswer {
	readonly items: readonly SearchItem[];
	readonly nextOffset?: number | null;
	readonly partial: boolean;
	readonly notices: readonly Notice[];
	readonly memory?: SessionNews;
}

/** The model that finds by meaning, and how many texts have their vectors. */
export interface ModelReport {
	readonly name: string | null;
	/** `waiting` while words are indexed; `none`: then `reason` says why. */
	readonly state: "waiting" | "embedding" | "ready" | "none";
	readonly embedded: number;
	readonly total: number;
	readonly failed?: number;
	/** The model before, while the vectors of this one are being made. */
	readonly former?: string;
	readonly reason?: string;
}

export interface SearchStatus {
	readonly workspace?: string | null;
	readonly state: "starting" | "indexing" | "ready";
	readonly files: number;
	readonly chunks: number;
	readonly pending: number;
	/** False until every file was seen once: `files` and `pending` are not all there are. */
	readonly counted?: boolean;
	readonly watcher: { readonly state: "watching" | "polling" | "failed"; readonly reason?: string | null };
	readonly model: ModelReport;
	/** What limits the answers here. */
	readonly notice?: string | null;
	/** Why nothing is indexed here, when that is so. */
	readonly refusal?: string | null;
}

interface InSession {
	/** A word for one conversation whose context still holds what was given under it. */
	readonly session?: string;
}

/** One exchange of a conversation, as `memory/capture` takes it. */
export interface Turn {
	readonly user: string;
	readonly assistant: string;
	/** Names of the tools that were called for the answer. */
	readonly tools: readonly string[];
}

/** What the server asks of a lent model. */
export interface CompleteParams {
	readonly purpose: string;
	readonly messages: readonly { readonly role: "system" | "user" | "assistant"; readonly text: string }[];
	readonly maxTokens: number;
}

export interface CompleteResult {
	readonly text: string;
}

/** Method → params and result. */
export interface Requests extends KnowledgeRequests, ChatRequests {
	"memory/prompt": [InWorkspace & { session?: string; budget?: { characters: number } }, PromptBlock];
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
	"memory/capture": [
		InWorkspace & { session?: string; turns: readonly Turn[] },
		{
			readonly outcome: string;
			readonly memories: readonly {
				readonly action: "added" | "updated" | "known" | "protected";
				readonly memory: Memory;
			}[];
		},
	];
	"memory/review": [InWorkspace & { id: string; verdict: "accept" | "reject" }, { readonly id: string }];
	"search/query": [
		InWorkspace &
			InSession & {
				query: string;
				limit?: number;
				offset?: number;
				mode?: "hybrid" | "lexical" | "semantic";
				explain?: boolean;
				content?: "code" | "docs" | "all";
				paths?: readonly string[];
				languages?: readonly string[];
				tokenBudget?: number;
				purpose?: "find" | "explain";
			},
		SearchAnswer,
	];
	"search/related": [
		InWorkspace & InSession & { uri: string; position: Position; limit?: number; offset?: number; explain?: boolean },
		SearchAnswer,
	];
	"search/status": [InWorkspace, SearchStatus];
	"search/reindex": [
		InWorkspace & { force?: boolean },
		{ readonly files: number; readonly chunks: number; readonly seconds: number },
	];
	"search/skipped": [
		InWorkspace & { offset?: number; limit?: number },
		{ readonly items: readonly { readonly path: string; readonly reason: string }[]; readonly total: number },
	];
	"evidence/cite": [
		InWorkspace & InSession & { uri: string; range: Range },
		{
			readonly reference: string;
			readonly snippet: string | null;
			readonly reused?: boolean;
			readonly memory?: SessionNews;
			readonly notices?: readonly Notice[];
		},
	];
	"evidence/verify": [
		InWorkspace & InSession & { references?: readonly string[] },
		{
			readonly items: readonly (Evidence & {
				/** Where the file seems to have gone; a hint. */
				readonly movedTo?: string;
				readonly error?: { readonly kind: string; readonly message: string };
			})[];
			readonly allValid: boolean;
		},
	];
	/** LSP's own; the links are references whose file is there. */
	"textDocument/documentLink": [
		{ readonly textDocument: { readonly uri: string } },
		readonly { readonly range: Range; readonly data?: { readonly reference?: string } }[] | null,
	];
	/** LSP's own; one for each reference that does not hold as it stands. */
	"textDocument/diagnostic": [
		{ readonly textDocument: { readonly uri: string } },
		{
			readonly items?: readonly {
				readonly range: Range;
				readonly message: string;
				readonly severity: 1 | 2 | 3 | 4;
				readonly code: Verdict;
			}[];
		},
	];
	"tools/list": [InWorkspace, { readonly items: readonly { readonly name: string }[] }];
	"tools/call": [
		InWorkspace & {
			name: string;
			arguments?: Readonly<Record<string, unknown>>;
			task?: string;
			/** Of the memory that is changed or deleted, as the user was shown it. */
			revision?: string;
		},
		/** `result` is as the tool's output schema says. */
		{ readonly text: string; readonly result: unknown },
	];
	"evidence/forget": [
		InWorkspace & InSession & { all?: true },
		{ readonly sessions: number; readonly deliveries: number },
	];
}

export interface Notifications {
	"memory/didChange": { readonly scope: Scope; readonly ids: readonly string[] };
	"knowledge/didChange": { readonly ids: readonly string[] };
	"search/didChangeStatus": SearchStatus;
}

export type Method = keyof Requests;

/** Sends a request and waits for its answer. Rejects with the server's error, or with ServerDown. */
export type Send = <M extends Method>(
	method: M,
	params: Requests[M][0],
	token?: CancellationToken,
) => Promise<Requests[M][1]>;

/** States of the search by meaning, which the status item tells; not news to an answer. */
const STATES: ReadonlySet<NoticeKind> = new Set(["noModel", "vectorsPending", "modelChanged"]);

/** What is worth telling with each answer. */
export function newsOf(notices: readonly Notice[]): string[] {
	return notices.filter(({ kind }) => !STATES.has(kind)).map(({ message }) => message);
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
