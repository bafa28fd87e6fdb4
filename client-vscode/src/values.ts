/** What requests of every family are about: places in files, memories, the folder that is meant. */
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

export type Verdict = "valid" | "relocated" | "changed" | "ambiguous" | "deleted" | "excluded" | "unreadable";

/** A reference to lines that a memory rests on, and whether they are there. */
export interface Evidence {
	readonly reference: string;
	/** Left out where nobody can tell. */
	readonly verdict?: Verdict;
	/** The same lines where they are now. */
	readonly relocatedTo?: string;
}

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
	readonly evidence: readonly Evidence[];
	readonly uri: string;
	/** In an answer of `memory/remember`: the note was known already, and nothing was written. */
	readonly known?: boolean;
	/** In an answer of `memory/remember`: ids of memories that come close to it. */
	readonly similar?: readonly string[];
	/** In an answer of `memory/remember`: ids of those that say the opposite. */
	readonly contradicts?: readonly string[];
}

export interface InWorkspace {
	/** URI of the folder that is meant. */
	readonly workspace?: string;
}
