/** The chat participant `@vademecum`. */
import { randomUUID } from "node:crypto";
import type {
	CancellationToken,
	ChatContext,
	ChatRequest,
	ChatRequestTurn,
	ChatResponseStream,
	ChatResponseTurn,
	ChatResult,
	Disposable,
	LanguageModelChatTool,
	LanguageModelToolResult,
} from "vscode";
import { hasFolder } from "../folders";
import { DOCUMENT_TOOL } from "../knowledgeTool";
import type { Log } from "../log";
import { errorMessage, isCancelled, type Memory, type Turn } from "../protocol";
import { type Cited, MEMORY_TOOLS, type Outcome, runForModel, type Tool, type ToolName } from "../tools";
import {
	chat,
	LanguageModelError,
	LanguageModelTextPart,
	Location,
	lm,
	MarkdownString,
	Range,
	Uri,
} from "../vscodeapi";
import { attachmentTexts } from "./attachments";
import { guidance, type Has } from "./guidance";
import type { ChatMemory, MemoryBlocks } from "./memoryBlock";
import { compose, type Exchange, withoutCommandLinks } from "./messages";
import { converse } from "./toolLoop";

const ID = "vademecum.chat";
/** Characters sent for each token the model takes; few enough for code and for other scripts than Latin. */
const CHARACTERS_PER_TOKEN = 2;

/** Kept by the editor with each answer: ties the turns of one chat together, across reloads too. */
interface TurnMetadata {
	readonly session?: string;
	readonly snapshot?: string;
	/** Changes of memory told before this turn. */
	readonly changes?: string;
	/** Names of the tools that were called for the answer. */
	readonly tools?: readonly string[];
}

/** A message was answered. */
export interface Answered {
	/** Undefined while memory is not there. */
	readonly session: string | undefined;
	readonly model: ChatRequest["model"];
	/** The conversation with this exchange, oldest first. */
	readonly turns: readonly Turn[];
}

export interface ParticipantParts {
	readonly blocks: MemoryBlocks;
	readonly tools: Readonly<Record<ToolName, Tool>>;
	/** The contributed tools as a model is told of them. */
	readonly descriptions: readonly LanguageModelChatTool[];
	readonly log: Log;
	/** Whether there are documents to ask. */
	readonly seesDocuments: () => Promise<boolean>;
	/** Has the server forget what an answer was given, which is over now; returns at once. */
	readonly forget: (session: string) => void;
	/** Told of each message that was answered; returns at once. */
	readonly answered: (answered: Answered) => void;
}

export function registerParticipant(parts: ParticipantParts, icon: Uri): Disposable {
	const participant = chat.createChatParticipant(ID, (request, context, stream, token) =>
		answer(parts, request, context, stream, token),
	);
	participant.iconPath = icon;
	return participant;
}

/** Answers one message. */
export async function answer(
	parts: ParticipantParts,
	request: ChatRequest,
	context: ChatContext,
	stream: ChatResponseStream,
	token: CancellationToken,
): Promise<ChatResult> {
	const memory = await memoryOf(parts.blocks, context);
	const changes = memory.block ? await parts.blocks.changes(memory.session) : "";
	const snapshot = memory.block?.snapshot;
	const metadata: TurnMetadata = {
		session: memory.session,
		...(snapshot ? { snapshot } : {}),
		...(changes ? { changes } : {}),
	};
	// An answer's tool results are gone from the context when the next message comes: only within one answer is what was
	// given still there.
	const reading = `${memory.session}/${randomUUID()}`;
	if (memory.problem) {
		stream.markdown(`> Memory is not there for this answer: ${memory.problem}\n\n`);
	}
	try {
		const documents = await parts.seesDocuments();
		const has = { memory: memory.block !== undefined, search: hasFolder(), documents };
		const messages = compose(
			{
				block: memory.block?.text ?? "",
				guidance: guidance(has),
				history: exchangesOf(context, snapshot),
				changes,
				attachments: await attachmentTexts(request.references),
				prompt: request.prompt,
			},
			request.model.maxInputTokens * CHARACTERS_PER_TOKEN,
		);
		const called: string[] = [];
		let text = "";
		await converse(messages, {
			model: request.model,
			tools: takesTools(request.model) ? offered(parts, request, has) : [],
			call: (name, input) => {
				called.push(name);
				return call(parts, request, stream, reading, name, input as Record<string, unknown>, token);
			},
			onText: (part) => {
				text += part;
				stream.markdown(part);
			},
			token,
		});
		const turns = [...turnsOf(context), { user: request.prompt, assistant: text, tools: called }];
		parts.answered({ session: memory.block && memory.session, model: request.model, turns });
		return { metadata: called.length > 0 ? { ...metadata, tools: called } : metadata };
	} catch (error) {
		if (token.isCancellationRequested || isCancelled(error)) {
			return { metadata };
		}
		parts.log.error(`chat: ${errorMessage(error)}`);
		return { metadata, errorDetails: { message: explain(error) } };
	} finally {
		parts.forget(reading);
	}
}

function memoryOf(blocks: MemoryBlocks, context: ChatContext): Promise<ChatMemory> {
	for (const turn of [...context.history].reverse()) {
		const session = isResponse(turn) ? metadataOf(turn).session : undefined;
		if (session) {
			return blocks.resume(session);
		}
	}
	return blocks.begin();
}

/**
 * The exchanges so far. Changes that were told with another snapshot are not told again: that one was withdrawn
 * because something in it, or in them, was deleted.
 */
export function exchangesOf(context: ChatContext, snapshot: string | undefined): Exchange[] {
	const exchanges: Exchange[] = [];
	let prompt: string | undefined;
	for (const turn of context.history) {
		if (!isResponse(turn)) {
			prompt = turn.prompt;
		} else if (prompt !== undefined) {
			const metadata = metadataOf(turn);
			const told = metadata.changes && metadata.snapshot === snapshot ? { changes: metadata.changes } : {};
			exchanges.push({ prompt, answer: textOf(turn), ...told });
			prompt = undefined;
		}
	}
	return exchanges;
}

/** The conversation so far, as it is looked through for what is worth keeping. */
function turnsOf(context: ChatContext): Turn[] {
	const turns: Turn[] = [];
	let user: string | undefined;
	for (const turn of context.history) {
		if (!isResponse(turn)) {
			user = turn.prompt;
		} else if (user !== undefined) {
			turns.push({ user, assistant: textOf(turn), tools: metadataOf(turn).tools ?? [] });
			user = undefined;
		}
	}
	return turns;
}

function isResponse(turn: ChatRequestTurn | ChatResponseTurn): turn is ChatResponseTurn {
	return "response" in turn;
}

function metadataOf(turn: ChatResponseTurn): TurnMetadata {
	return turn.result.metadata ?? {};
}

function textOf(turn: ChatResponseTurn): string {
	const parts = turn.response.map((part) => {
		const { value } = part as { value?: { value?: unknown } };
		return typeof value?.value === "string" ? value.value : "";
	});
	return withoutCommandLinks(parts.join(""));
}

/** The oldest editor that is supported does not say; then tools are offered, and the model's error is shown. */
function takesTools(model: ChatRequest["model"]): boolean {
	const { capabilities } = model as { capabilities?: { supportsToolCalling?: boolean } };
	return capabilities?.supportsToolCalling !== false;
}

function offered(parts: ParticipantParts, request: ChatRequest, has: Has): LanguageModelChatTool[] {
	const isThere = (name: string) => {
		if (name === DOCUMENT_TOOL) {
			return has.documents;
		}
		return MEMORY_TOOLS.has(name) ? has.memory : has.search;
	};
	const own = parts.descriptions.filter(({ name }) => isThere(name));
	const named = new Set(request.toolReferences.map(({ name }) => name));
	const others = lm.tools.filter(({ name }) => named.has(name) && !isOwn(parts, name));
	return [
		...own,
		...others.map(({ name, description, inputSchema }) => ({
			name,
			description,
			...(inputSchema ? { inputSchema } : {}),
		})),
	];
}

function isOwn(parts: ParticipantParts, name: string): name is ToolName {
	return Object.hasOwn(parts.tools, name);
}

async function call(
	parts: ParticipantParts,
	request: ChatRequest,
	stream: ChatResponseStream,
	session: string,
	name: string,
	input: Record<string, unknown>,
	token: CancellationToken,
): Promise<LanguageModelToolResult["content"]> {
	const tool = isOwn(parts, name) ? parts.tools[name] : undefined;
	if (tool && !tool.confirm) {
		stream.progress(`${tool.doing}…`);
		const outcome = await runForModel(() => tool.run(input, token, { session }));
		show(outcome, stream);
		return [new LanguageModelTextPart(outcome.text)];
	}
	try {
		// Through the editor, which asks the user first where the tool says so.
		const { toolInvocationToken } = request;
		return (await lm.invokeTool(name, { input, toolInvocationToken }, token)).content;
	} catch (error) {
		const why = isCancelled(error) ? "the user did not allow it." : errorMessage(error);
		return [new LanguageModelTextPart(`Error: ${why}`)];
	}
}

function show(outcome: Outcome, stream: ChatResponseStream): void {
	if (outcome.saved) {
		stream.markdown(savedNotice(outcome.saved));
	}
	for (const hit of outcome.hits ?? []) {
		stream.reference(locationOf(hit));
	}
}

/** Says what was saved, with a way back. */
export function savedNotice(memory: Memory): MarkdownString {
	const notice = new MarkdownString(undefined, true);
	notice.isTrusted = { enabledCommands: ["vademecum.undoRemember", "vademecum.openMemory"] };
	const link = (title: string, command: string) =>
		`[${title}](command:${command}?${encodeURIComponent(JSON.stringify([memory.id]))})`;
	notice.appendMarkdown(`\n\n$(bookmark) Remembered: ${escaped(memory.title)}`);
	notice.appendMarkdown(` ${link("Undo", "vademecum.undoRemember")} · ${link("Open", "vademecum.openMemory")}\n\n`);
	return notice;
}

/** Plain text in Markdown. The editor's own `appendText` makes every space a no-break one, so that a title cannot wrap. */
function escaped(text: string): string {
	return text.replace(/\s+/g, " ").replace(/[\\`*_{}[\]()<>&#+\-!~|$]/g, "\\$&");
}

function locationOf(hit: Cited): Location {
	const { start, end } = hit.range;
	return new Location(Uri.parse(hit.uri, true), new Range(start.line, start.character, end.line, end.character));
}

function explain(error: unknown): string {
	if (error instanceof LanguageModelError) {
		switch (error.code) {
			case LanguageModelError.NoPermissions().code:
				return "Vademecum was not allowed to use this language model. Allow it when asked, or pick another model.";
			case LanguageModelError.NotFound().code:
				return "This language model is not there any more. Pick another one below the message box.";
			case LanguageModelError.Blocked().code:
				return `The language model does not take this request: ${error.message}`;
			default:
				return `The language model failed: ${error.message}`;
		}
	}
	return `This message could not be answered: ${errorMessage(error)}`;
}
