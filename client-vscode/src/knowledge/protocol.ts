/** The requests about documents (`knowledge/*`) that this client sends, with their types. See docs/protocol.md. */

export type DocumentStatus = "pending" | "ready";
export type DocumentOwner = "personal" | "system";

/** A document as its owner sees it: without its text. */
export interface KnownDocument {
	readonly id: string;
	readonly title: string;
	readonly owner: DocumentOwner;
	/** The URI of a file, the path within the imported folder for a system document, or `text`. */
	readonly source: string;
	readonly form: "markdown" | "text";
	readonly status: DocumentStatus;
	/** Names the text that is served, or would be. */
	readonly revision: string;
	readonly sections: number;
	readonly characters: number;
	readonly tokens: number;
	readonly updated: string;
	/** The file that keeps it. */
	readonly uri: string;
	/** Whether this user may publish, withdraw and remove it. */
	readonly writable: boolean;
	/** Secrets in the text, which are left out of everything that is told of it. */
	readonly redacted: number;
	readonly summary?: string;
	/** A newer revision that waits for review while this one is served. */
	readonly pendingRevision?: string;
	readonly pendingUri?: string;
	/** How the source is, where that is known. */
	readonly sourceState?: "current" | "changed" | "missing" | "unreachable";
}

export interface SkippedSource {
	readonly path: string;
	readonly reason: string;
}

export interface ImportedFolder {
	readonly documents: readonly KnownDocument[];
	readonly unchanged: number;
	readonly skipped: readonly SkippedSource[];
	/** Files that are no documents at all, or that ignore rules leave out. */
	readonly ignored: number;
	readonly followed: boolean;
}

/** From 1, both included. */
export interface Lines {
	readonly start: number;
	readonly end: number;
}

export interface OutlineSection {
	readonly anchor: string;
	readonly title: string;
	/** Of its heading, 1 to 6; 0 for what stands before the first one. */
	readonly level: number;
	readonly lines: Lines;
	readonly characters: number;
	readonly tokens: number;
}

export interface OutlinePage {
	readonly id: string;
	readonly title: string;
	readonly revision: string;
	readonly sections: readonly OutlineSection[];
	readonly total: number;
}

export interface SectionCitation {
	/** The document's. */
	readonly id: string;
	/** The document's title. */
	readonly document: string;
	/** The headings from the top down to the section's own. */
	readonly path: readonly string[];
	readonly anchor: string;
	readonly revision: string;
	readonly lines: Lines;
	/** An evidence reference, where the source lies in an open folder. */
	readonly reference?: string;
}

export interface SectionHit {
	readonly id: string;
	readonly anchor: string;
	readonly title: string;
	/** The headings above it. */
	readonly path: readonly string[];
	/** The line that matches best, from 1. */
	readonly line: number;
	readonly excerpt: string;
	readonly score: number;
	readonly citation: SectionCitation;
}

export interface Answer {
	/** With numbers in brackets, each the place in `citations`, from 1; null where no model answered. */
	readonly answer: string | null;
	readonly citations: readonly SectionCitation[];
	/** What the documents do not tell. */
	readonly gaps: readonly string[];
	/** The best sections, where there is no answer. */
	readonly items?: readonly SectionHit[];
	/** Why there is no answer. */
	readonly notice?: string;
}

interface ForTask {
	/** A name of the caller's: what is attached to it is what it sees. */
	readonly task?: string;
}

export interface ImportSource {
	readonly source: string;
	readonly owner?: DocumentOwner;
	readonly follow?: boolean;
}

export interface ImportText {
	readonly text: string;
	readonly title: string;
	readonly owner?: DocumentOwner;
}

/** Method → params and result. */
export interface KnowledgeRequests {
	"knowledge/import": [ImportSource | ImportText, KnownDocument | ImportedFolder];
	"knowledge/publish": [{ readonly id: string; readonly revision?: string }, KnownDocument];
	"knowledge/withdraw": [{ readonly id: string }, KnownDocument];
	"knowledge/remove": [{ readonly id: string }, { readonly id: string }];
	"knowledge/list": [
		{ readonly status?: DocumentStatus; readonly offset?: number; readonly limit?: number },
		{ readonly items: readonly KnownDocument[]; readonly total: number },
	];
	"knowledge/refresh": [
		object,
		{
			readonly documents: readonly KnownDocument[];
			readonly folders: number;
			readonly skipped: readonly SkippedSource[];
		},
	];
	"knowledge/attach": [ForTask & { readonly ids: readonly string[] }, { readonly attached: readonly string[] }];
	"knowledge/detach": [ForTask & { readonly ids: readonly string[] }, { readonly attached: readonly string[] }];
	"knowledge/outline": [ForTask & { readonly id: string }, OutlinePage];
	"knowledge/search": [
		ForTask & { readonly query: string; readonly limit?: number },
		{ readonly items: readonly SectionHit[] },
	];
	"knowledge/map": [ForTask, { readonly items: readonly { readonly id: string; readonly title: string }[] }];
	"knowledge/readSection": [
		ForTask & { readonly id: string; readonly anchor: string; readonly cursor?: string },
		{ readonly text: string; readonly citation: SectionCitation; readonly cursor?: string },
	];
	"knowledge/ask": [ForTask & { readonly question: string }, Answer];
}
