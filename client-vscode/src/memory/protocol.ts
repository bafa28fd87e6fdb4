/** The requests about memories (`memory/*`) that the view of them sends, with their types. See docs/protocol.md. */
import type { Category, Evidence, InWorkspace, Memory, Scope } from "../values";

/** Where a memory lies: `shared` in the repository, the others in the home. */
export type MemoryPlace = "user" | "private" | "shared";
export type ProjectPlace = "private" | "shared";
export type Span = Scope | "all";

/** A memory without its text, as lists have it. */
export interface MemoryHead {
	readonly id: string;
	readonly title: string;
	readonly description: string;
	readonly category: Category;
	readonly type: string;
	readonly keywords: readonly string[];
	readonly scope: Scope;
	readonly pinned: boolean;
	/** `auto`: found in a conversation. */
	readonly provenance: "manual" | "auto";
	/** Whose words these are. */
	readonly origin: "user" | "repository";
	readonly status: Memory["status"];
	readonly created: string;
	readonly updated: string;
	readonly revision: string;
	readonly evidence: readonly Evidence[];
	readonly place: MemoryPlace;
	/** The file that it is in. */
	readonly uri: string;
}

export interface WholeMemory extends MemoryHead {
	readonly content: string;
	readonly recallCount: number;
	readonly lastRecalledAt: string | null;
	/** In an answer of `memory/add`: ids of memories that come close to it. */
	readonly similar?: readonly string[];
	/** In an answer of `memory/add`: ids of memories that say the opposite. */
	readonly contradicts?: readonly string[];
}

export interface MemoryVersion {
	readonly revision: string;
	readonly title: string;
	readonly content: string;
	readonly reason: "updated" | "moved" | "deleted" | "superseded" | "restored";
	/** When it was replaced. */
	readonly replaced: string;
}

export interface StoreReport {
	readonly kind: MemoryPlace;
	readonly scope: Scope;
	readonly path: string;
	readonly exists: boolean;
	readonly memories: number;
	readonly writes: boolean;
}

export interface MemoryReport {
	readonly enabled: boolean;
	readonly message: string;
	readonly stores: readonly StoreReport[];
	/** Memories that came with a repository that is not trusted; they are not used. */
	readonly withheld: number;
	/** Files that were left alone, and why. */
	readonly unreadable: readonly { readonly path: string; readonly reason: string }[];
	readonly health: readonly string[];
}

export interface FixRequest {
	readonly method: "memory/add" | "memory/update" | "memory/delete" | "memory/purge";
	readonly params: Readonly<Record<string, unknown>>;
}

export interface AuditFix {
	readonly action: "update" | "delete" | "merge" | "move" | "renew" | "pin" | "replace" | "purge";
	/** What it does, for a button or a question. */
	readonly title: string;
	/** To be sent in this order. */
	readonly requests: readonly FixRequest[];
}

export interface AuditFinding {
	readonly kind: string;
	readonly ids: readonly string[];
	readonly message: string;
	/** The best one first. */
	readonly fixes: readonly AuditFix[];
}

export interface ImportedItem {
	readonly action: "add" | "similar" | "same" | "skip" | "refuse";
	/** Its place in the source. */
	readonly where: string;
	/** Names the item; empty for what is no memory. */
	readonly key: string;
	readonly title?: string;
	readonly scope?: Scope;
	readonly similar?: readonly string[];
	/** Why it is refused, for a person. */
	readonly reason?: string;
}

export interface Imported {
	readonly format: string;
	readonly items: readonly ImportedItem[];
	readonly added: number;
	readonly same: number;
	readonly refused: number;
	readonly skipped: number;
	readonly ids?: readonly string[];
}

export type ExportFormat = "archive" | "codebuddy" | "list";

export interface Exported {
	readonly format: ExportFormat;
	readonly memories: number;
	readonly versions: number;
	readonly charters: number;
}

interface OfMemory extends InWorkspace {
	readonly id: string;
}

/** Fields of a memory that can be changed; one that is left out stays. */
export interface MemoryChange {
	readonly title?: string;
	readonly content?: string;
	readonly category?: Category;
	readonly scope?: Scope;
	readonly place?: ProjectPlace;
	readonly pinned?: boolean;
	/** The revision that the change is based on. */
	readonly revision?: string;
}

/** Method → params and result. */
export interface MemoryRequests {
	"memory/list": [
		InWorkspace & { readonly scope?: Scope; readonly offset?: number; readonly limit?: number },
		{ readonly items: readonly MemoryHead[]; readonly total: number; readonly notices?: readonly string[] },
	];
	"memory/status": [InWorkspace, MemoryReport];
	"memory/get": [OfMemory, WholeMemory];
	"memory/search": [
		InWorkspace & { readonly query: string; readonly limit?: number },
		{ readonly items: readonly { readonly memory: WholeMemory; readonly score: number }[]; readonly total: number },
	];
	"memory/add": [
		InWorkspace & {
			readonly title: string;
			readonly content: string;
			readonly category: Category;
			readonly scope: Scope;
		},
		WholeMemory,
	];
	"memory/update": [OfMemory & MemoryChange, WholeMemory];
	"memory/delete": [OfMemory, { readonly id: string }];
	"memory/review": [OfMemory & { readonly verdict: "accept" | "reject" }, { readonly id: string }];
	"memory/history": [OfMemory, { readonly items: readonly MemoryVersion[] }];
	"memory/restore": [OfMemory & { readonly revision?: string }, WholeMemory];
	"memory/purge": [
		InWorkspace & { readonly id?: string; readonly scope?: Span },
		{ readonly ids: readonly string[]; readonly versions: number },
	];
	"memory/audit": [
		InWorkspace & { readonly limit?: number },
		{ readonly findings: readonly AuditFinding[]; readonly total: number; readonly checked: number },
	];
	"memory/import": [
		InWorkspace & {
			readonly source: string;
			/** Told by the server where it can be, and named where it cannot. */
			readonly format?: string;
			readonly scope?: Scope;
			readonly dryRun?: boolean;
			readonly only?: readonly string[];
		},
		Imported,
	];
	"memory/export": [
		InWorkspace & { readonly format: ExportFormat; readonly scope: Span; readonly target: string },
		Exported,
	];
}
