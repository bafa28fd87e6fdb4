/** The turns of a chat so far, as the editor keeps them, and as a model and the capture are told of them. */
import type { ChatContext, ChatRequestTurn, ChatResponseTurn } from "vscode";
import type { Turn } from "../protocol";
import { type Exchange, withoutCommandLinks } from "./messages";

/** What a person may ask next, with one click. */
export interface Next {
	readonly prompt: string;
	readonly label: string;
	readonly command?: string;
}

/** Kept by the editor with each answer: ties the turns of one chat together, across reloads too. */
export interface TurnMetadata {
	readonly session?: string;
	/** Changes of memory were told before this turn: their place among all that the chat was told. The server has the text. */
	readonly changes?: number;
	/** Ids of the memories that were recalled for this turn; their texts were told with it alone. */
	readonly recalled?: readonly string[];
	/** Names of the tools that were called for the answer. */
	readonly tools?: readonly string[];
	/** What later turns are told of the answer in place of its text; there when no model gave it. */
	readonly brief?: string;
	readonly next?: readonly Next[];
}

/** The session of a chat that goes on. */
export function sessionOf(context: ChatContext): string | undefined {
	for (const turn of [...context.history].reverse()) {
		const session = isResponse(turn) ? metadataOf(turn).session : undefined;
		if (session) {
			return session;
		}
	}
	return undefined;
}

/**
 * The exchanges so far. What the server took back of the changes that were told, because something in them or in the block
 * was deleted, is not told again. Of what was recalled, and of what a command showed, only the names
 * are told again: it may be out of date by now, and is found by them.
 */
export function exchangesOf(context: ChatContext, changes: readonly string[]): Exchange[] {
	return paired(context).map(({ asked, answer, metadata }) => {
		const change = metadata.changes === undefined ? undefined : changes[metadata.changes];
		const told = change ? { changes: change } : {};
		const recalled = metadata.recalled?.length ? { recalled: namesOf(metadata.recalled) } : {};
		const said = metadata.brief ?? textOf(answer);
		const prompt = asked.command ? `/${asked.command} ${asked.prompt}`.trim() : asked.prompt;
		return { prompt, answer: said, ...told, ...recalled };
	});
}

/** The conversation so far, as it is looked through for what is worth keeping: without what no model was asked. */
export function turnsOf(context: ChatContext): Turn[] {
	return paired(context)
		.filter(({ metadata }) => metadata.brief === undefined)
		.map(({ asked, answer, metadata }) => ({
			user: asked.prompt,
			assistant: textOf(answer),
			tools: metadata.tools ?? [],
		}));
}

/** The texts of all answers so far, and what was told of them. */
export function answersOf(context: ChatContext): string[] {
	return paired(context).map(({ answer, metadata }) => [textOf(answer), metadata.brief ?? ""].join("\n"));
}

export function metadataOf({ result }: Pick<ChatResponseTurn, "result">): TurnMetadata {
	return result.metadata ?? {};
}

function namesOf(ids: readonly string[]): string {
	return `(Recalled from memory for the next message, by id: ${ids.join(", ")}. The texts are not repeated here.)`;
}

interface Pair {
	readonly asked: ChatRequestTurn;
	readonly answer: ChatResponseTurn;
	readonly metadata: TurnMetadata;
}

function paired(context: ChatContext): Pair[] {
	const pairs: Pair[] = [];
	let asked: ChatRequestTurn | undefined;
	for (const turn of context.history) {
		if (!isResponse(turn)) {
			asked = turn;
		} else if (asked !== undefined) {
			pairs.push({ asked, answer: turn, metadata: metadataOf(turn) });
			asked = undefined;
		}
	}
	return pairs;
}

function isResponse(turn: ChatRequestTurn | ChatResponseTurn): turn is ChatResponseTurn {
	return "response" in turn;
}

function textOf(turn: ChatResponseTurn): string {
	const parts = turn.response.map((part) => {
		const { value } = part as { value?: { value?: unknown } };
		return typeof value?.value === "string" ? value.value : "";
	});
	return withoutCommandLinks(parts.join(""));
}
