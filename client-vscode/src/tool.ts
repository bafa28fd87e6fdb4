/** What a tool is: something that a model may call, and what comes of it. */
import type { CancellationToken, MarkdownString } from "vscode";
import type { Memory, SearchItem } from "./protocol";

export type Input = Record<string, unknown>;

export interface Outcome {
	/** For the model. */
	readonly text: string;
	/** A memory that is new by this call. */
	readonly saved?: Saved;
	/** Passages that the text quotes. */
	readonly hits?: readonly Cited[];
}

/** What is told of a memory that was saved. */
export type Saved = Pick<Memory, "id" | "title">;

/** Lines of a file that an answer rests on. */
export type Cited = Pick<SearchItem, "uri" | "range">;

/** What an answer may be made to fit. */
export interface Room {
	/** Tokens it may take. */
	readonly tokens?: number | undefined;
	/** Names the messages that every earlier answer under this name is still in; what they hold is not given again. */
	readonly session?: string;
}

export interface Tool {
	run(input: Input, token?: CancellationToken, room?: Room): Promise<Outcome>;
	/** What is shown while it runs. */
	readonly doing: string;
	/** What the user is asked before it runs; tools without it run unasked. */
	confirm?(input: Input, token?: CancellationToken): Promise<{ title: string; message: MarkdownString }>;
}
