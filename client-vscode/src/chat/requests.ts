/** The requests about memory as a whole that the chat's commands send, with their types. See docs/protocol.md. */
import type {
	Exported as ExportCounts,
	ExportFormat,
	Imported,
	Span,
	MemoryReport as StoreReports,
} from "../memory/protocol";
import type { InWorkspace, Memory } from "../values";

export interface Recall {
	/** Best first; none where nothing fits. */
	readonly items: readonly {
		readonly memory: Memory;
		readonly score: number;
		/** `picked`: the lent model chose it. */
		readonly why: { readonly words: readonly string[]; readonly meaning?: number; readonly picked?: true };
		/** The id of the one of these that contradicts it and holds. */
		readonly contradictedBy?: string;
	}[];
	/** The same as text for a model; empty where nothing fits. */
	readonly text: string;
	/** Why the lent model did not choose, where it was to. */
	readonly notices?: readonly { readonly kind: string; readonly message: string }[];
}

export interface MemoryReport extends StoreReports {
	readonly counts: Readonly<Record<Memory["status"], number>>;
}

export interface Exported extends ExportCounts {
	readonly bytes: number;
	/** The archive, where no target was named. */
	readonly text?: string;
	readonly path?: string;
}

/** Method → params and result. */
export interface ChatRequests {
	"memory/recall": [
		InWorkspace & {
			readonly prompt: string;
			readonly session?: string;
			readonly limit?: number;
			readonly model?: boolean;
		},
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
