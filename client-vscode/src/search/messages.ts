/** What the Search view's page and the extension tell each other. The page is drawn from `Shown` and nothing else. */

export type Mode = "hybrid" | "lexical" | "semantic";
export type Content = "all" | "code" | "docs";

/** What is looked for, as it stands in the fields. */
export interface Asked {
	readonly query: string;
	readonly mode: Mode;
	readonly content: Content;
	/** Globs, with commas between them. */
	readonly paths: string;
	/** Names of languages, with commas between them. */
	readonly languages: string;
}

export interface ShownLine {
	/** From 1. */
	readonly number: number;
	readonly text: string;
	/** Where something that was asked for stands: first character, and the one behind the last. */
	readonly marks: readonly (readonly [number, number])[];
	/** Shown before its result is unfolded. */
	readonly near: boolean;
}

/** Something that a stage of the ranking said of a result. */
export interface ShownSignal {
	readonly label: string;
	readonly value: string;
}

export interface ShownResult {
	readonly id: number;
	readonly path: string;
	/** Name of its folder, where several are open. */
	readonly folder?: string;
	/** Of the best match, from 1. */
	readonly line: number;
	readonly symbol?: string;
	/** Of the symbol, in words. */
	readonly kind?: string;
	readonly lines: readonly ShownLine[];
	/** Set once it no longer holds as it is shown: a word for it, and a sentence. */
	readonly lost?: { readonly mark: string; readonly why: string };
	/** A sentence, where something is worth knowing of it though it holds. */
	readonly note?: string;
	readonly signals?: readonly ShownSignal[];
}

/** What a button in a message does. */
export type Way = "restart" | "log" | "models" | "skipped" | "settings" | "openFolder";

export interface ShownNotice {
	readonly text: string;
	readonly way?: Way;
}

/** How far the index is. */
export interface ShownIndex {
	readonly text: string;
	/** While something is being made: per cent, or null where nobody knows. */
	readonly progress?: number | null;
	/** How many files and folders are not searched. */
	readonly skipped?: number;
}

export interface Shown {
	/**
	 * Another number after every search that was begun by other means than the page's fields, which then take `asked`; and
	 * in every window, whose results have nothing to do with those that a page may remember.
	 */
	readonly asking: number;
	readonly asked: Asked;
	/** Set while what is shown is like the code at a place: that place. */
	readonly like?: string;
	readonly busy: boolean;
	/** `nothing`: nothing was asked yet. */
	readonly stage: "nothing" | "answered" | "failed";
	readonly results: readonly ShownResult[];
	readonly more: boolean;
	readonly notices: readonly ShownNotice[];
	/** Why there is no answer. */
	readonly problem?: { readonly text: string; readonly ways: readonly Way[] };
	readonly index: ShownIndex;
	/** The last queries, the newest first. */
	readonly history: readonly string[];
	/** For screen readers: said whenever its number changes. */
	readonly said: { readonly number: number; readonly text: string };
}

export type ToPage = { readonly kind: "show"; readonly shown: Shown } | { readonly kind: "focus" };

export type FromPage =
	| { readonly kind: "ready" }
	/** `kept`: it was meant, and belongs to the history. */
	| { readonly kind: "search"; readonly asked: Asked; readonly kept: boolean }
	| { readonly kind: "cancel" }
	| { readonly kind: "more" }
	| { readonly kind: "back" }
	| { readonly kind: "open"; readonly id: number; readonly how: "here" | "beside" | "peek"; readonly line?: number }
	| { readonly kind: "copy" | "like" | "explain" | "refresh"; readonly id: number }
	| { readonly kind: "way"; readonly way: Way };

export const NOTHING_ASKED: Asked = { query: "", mode: "hybrid", content: "all", paths: "", languages: "" };
