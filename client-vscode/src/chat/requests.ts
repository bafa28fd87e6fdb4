/** The requests about memory as a whole that the chat's commands send, with their types. See docs/protocol.md. */
import type { Span, MemoryReport as StoreReports } from "../memory/protocol";
import type { Memory, Scope } from "../protocol";

export type ExportFormat = "archive" | "codebuddy" | "list";

export interface Recall {
	/** Best first; none where nothing fits. */
	readonly items: readonly {
		readonly memory: Memory;
		readonly score: number;
		readonly why: { readonly words: readonly string[]; readonly meaning?: number };
	}[];
	/** The same as text for a model; empty where nothing fits. */
	readonly text: string;
}

export interface MemoryReport extends StoreReports {
	readonly counts: Readonly<Record<Memory["status"], number>>;
}

export interface ImportedItem {
	readonly action: "add" | "similar" | "same" | "skip" | "refuse";
	/** Its place in the source. */
	readonly where: string;
	/** Names the item; empty for what is no memory. */
	readonly key: string;
	readonly title?: string;
	readonly scope?: Scope;
	readonly reason?: string;
}

export interface Imported {
	readonly format: string;
	readonly items: readonly ImportedItem[];
	readonly added: number;
	readonly same: number;
	readonly refused: number;
	readonly skipped: number;
}

export interface Exported {
	readonly format: ExportFormat;
	readonly memories: number;
	readonly bytes: number;
	readonly text?: string;
	readonly path?: string;
}

interface InWorkspace {
	/** URI of the folder that is meant. */
	readonly workspace?: string;
}

/** Method → params and result. */
export interface ChatRequests {
	"memory/recall": [
		InWorkspace & { readonly prompt: string; readonly session?: string; readonly limit?: number },
		Recall,
	];
	"memory/status": [InWorkspace, MemoryReport];
	"memory/clear": [InWorkspace & { readonly scope: Span; readonly confirm: true }, { readonly removed: number }];
	"memory/restore": [InWorkspace & { readonly id: string; readonly revision?: string }, Memory];
	"memory/import": [
		InWorkspace & { readonly source: string; readonly dryRun?: boolean; readonly only?: readonly string[] },
		Imported,
	];
	"memory/export": [
		InWorkspace & { readonly format?: ExportFormat; readonly scope?: Span; readonly target?: string },
		Exported,
	];
	"memory/reindex": [InWorkspace, { readonly memories: number; readonly unreadable: number }];
}
