/** The chat participant `@vademecum`. */
import { randomUUID } from "node:crypto";
import type {
	CancellationToken,
	ChatContext,
	ChatFollowup,
	ChatRequest,
	ChatResponseStream,
	ChatResult,
	Disposable,
	LanguageModelChatTool,
	LanguageModelToolResult,
} from "vscode";
import { hasFolder } from "../folders";
import { DOCUMENT_TOOL } from "../knowledge/tool";
import type { Log } from "../log";
import { errorMessage, isCancelled, type Send, type Turn } from "../protocol";
import type { Outcome, Tool } from "../tool";
import { MEMORY_TOOLS, PREFIX, RECALL_TOOL, runForModel } from "../tools";
import { chat, LanguageModelError, LanguageModelTextPart, lm, type Uri } from "../vscodeapi";
import type { DocumentParts } from "./asked";
import { attachmentTexts } from "./attachments";
import { commandOf } from "./commands";
import { guidance, type Has } from "./guidance";
import { exchangesOf, type Next, sessionOf, type TurnMetadata, turnsOf } from "./history";
import { savedNotice } from "./markdown";
import { type ChatMemory, type MemoryBlocks, NO_CHANGES } from "./memoryBlock";
import { compose } from "./messages";
import { locationOf } from "./places";
import { recalledFor } from "./recalled";
import { converse } from "./toolLoop";

const ID = "vademecum.chat";
/** Characters sent for each token the model takes; few enough for code and for other scripts than Latin. */
const CHARACTERS_PER_TOKEN = 2;

/** A message was answered. */
export interface Answered {
	/** Undefined while memory is not there. */
	readonly session: string | undefined;
	readonly model: ChatRequest["model"];
	/** The conversation with this exchange, oldest first. */
	readonly turns: readonly Turn[];
}

export interface ParticipantParts {
	readonly send: Send;
	readonly documents: DocumentParts;
	readonly blocks: MemoryBlocks;
	readonly tools: Readonly<Record<string, Tool>>;
	/** Whether a tool that has the name of another system is offered. */
	readonly offers: (name: string) => boolean;
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
	participant.followupProvider = { provideFollowups: (result) => followups(result) };
	return participant;
}

/** What may be asked next, as the answer left it. */
export function followups({ metadata }: ChatResult): ChatFollowup[] {
	return [...((metadata as TurnMetadata | undefined)?.next ?? [])];
}

/** Answers one message: by itself where that is a command or a note, else by the model. */
export async function answer(
	parts: ParticipantParts,
	request: ChatRequest,
	context: ChatContext,
	stream: ChatResponseStream,
	token: CancellationToken,
): Promise<ChatResult> {
	const command = commandOf(request);
	if (!command) {
		return converseAbout(parts, request, context, stream, token);
	}
	const session = sessionOf(context);
	const metadata: TurnMetadata = session === undefined ? {} : { session };
	try {
		const { send, documents } = parts;
		const done = await command({ send, documents, prompt: request.prompt, request, context, stream, token });
		return { metadata: { ...metadata, ...done } };
	} catch (error) {
		const left = { metadata: { ...metadata, brief: "(It could not be done.)" } };
		if (token.isCancellationRequested || isCancelled(error)) {
			return left;
		}
		parts.log.info(`chat command: ${errorMessage(error)}`);
		return { ...left, errorDetails: { message: errorMessage(error) } };
	}
}

async function converseAbout(
	parts: ParticipantParts,
	request: ChatRequest,
	context: ChatContext,
	stream: ChatResponseStream,
	token: CancellationToken,
): Promise<ChatResult> {
	const memory = await memoryOf(parts.blocks, context);
	const [changes, recalled] = memory.block
		? await Promise.all([parts.blocks.changes(memory.session), recalledFor(parts, memory.block, request.prompt, token)])
		: [NO_CHANGES, { ids: [], text: "" }];
	const metadata: TurnMetadata = {
		session: memory.session,
		...(changes.text ? { changes: changes.earlier.length } : {}),
		...(recalled.ids.length ? { recalled: recalled.ids } : {}),
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
				history: exchangesOf(context, changes.earlier),
				changes: changes.text,
				recalled: recalled.text,
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
		return {
			metadata: {
				...metadata,
				...(called.length ? { tools: called } : {}),
				next: nextOf(request, recalled.ids, called),
			},
		};
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

/** What follows an answer well: what it rests on. */
function nextOf({ prompt }: ChatRequest, recalled: readonly string[], called: readonly string[]): Next[] {
	return [
		...(recalled.length ? [{ prompt, command: "recall", label: "What was recalled for this?" }] : []),
		...(called.includes("vademecum_searchWorkspace")
			? [{ prompt, command: "search", label: "Show the places in the code" }]
			: []),
	];
}

function memoryOf(blocks: MemoryBlocks, context: ChatContext): Promise<ChatMemory> {
	const session = sessionOf(context);
	return session ? blocks.resume(session) : blocks.begin();
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
		if (MEMORY_TOOLS.has(name)) {
			return has.memory;
		}
		return name.startsWith(PREFIX) ? has.search : parts.offers(name);
	};
	const own = parts.descriptions.filter(({ name }) => name !== RECALL_TOOL && isThere(name));
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

function isOwn(parts: ParticipantParts, name: string): boolean {
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
