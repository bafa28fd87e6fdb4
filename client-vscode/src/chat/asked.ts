/** What the participant's commands are given, and what they leave behind. */
import type { CancellationToken, ChatContext, ChatRequest, ChatResponseStream } from "vscode";
import type { SourceOf } from "../knowledge/tool";
import type { Send } from "../protocol";
import type { Next } from "./history";

/** Where documents are asked. */
export interface DocumentParts {
	/** The name of the task whose documents are asked. */
	readonly task: () => string;
	readonly sourceOf: SourceOf;
}

/** What a command is given. */
export interface Asked {
	readonly send: Send;
	readonly documents: DocumentParts;
	/** What was written behind the command. */
	readonly prompt: string;
	readonly request: ChatRequest;
	readonly context: ChatContext;
	readonly stream: ChatResponseStream;
	readonly token: CancellationToken;
}

/** What a command leaves behind. */
export interface Done {
	/** What later turns are told of it: names, not texts. */
	readonly brief: string;
	readonly next?: readonly Next[];
}
