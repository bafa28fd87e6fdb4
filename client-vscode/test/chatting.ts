/** What the chat's tests share: a server, a model and an answer that are scripted, and write down what they are given. */
import { MemoryBlocks } from "../src/chat/memoryBlock";
import { type Answered, answer } from "../src/chat/participant";
import type { Memory, Send } from "../src/protocol";
import { createTools } from "../src/tools";
import { LanguageModelTextPart, type LanguageModelToolCallPart, MarkdownString } from "./vscode";

export const memory = (over: Partial<Memory> = {}): Memory => ({
	id: "m1",
	title: "Use pnpm",
	content: "Use pnpm, never npm",
	category: "Rule",
	type: "project",
	scope: "project",
	status: "active",
	created: "2026-01-01T10:00:00.000Z",
	updated: "",
	revision: "0",
	evidence: [],
	uri: "file:///m1.md",
	...over,
});

/** A server that answers from a table and keeps what it was asked. */
export function scripted(answers: Record<string, unknown>) {
	const asked: [string, unknown][] = [];
	const send = (async (method: string, params: unknown) => {
		asked.push([method, params]);
		const found = answers[method];
		const value = typeof found === "function" ? found(params) : found;
		if (value instanceof Error) {
			throw value;
		}
		return value;
	}) as unknown as Send;
	return { send, asked };
}

export const serverError = (message: string, kind: string) => Object.assign(new Error(message), { data: { kind } });

export type Reply = (string | LanguageModelToolCallPart)[];

/** A model that answers by script, and keeps what it was sent. */
export function model(replies: Reply[] | ((round: number) => Reply)) {
	const sent: { messages: { role: string; content: unknown }[]; tools: string[] }[] = [];
	return {
		sent,
		maxInputTokens: 100_000,
		async sendRequest(messages: never[], options: { tools?: { name: string }[] }) {
			sent.push({ messages: [...messages], tools: (options.tools ?? []).map(({ name }) => name) });
			const reply = typeof replies === "function" ? replies(sent.length) : (replies[sent.length - 1] ?? []);
			return {
				stream: (async function* () {
					for (const part of reply) {
						yield typeof part === "string" ? new LanguageModelTextPart(part) : part;
					}
				})(),
			};
		},
	};
}

export const token = () => ({ isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) });

export function stream() {
	const shown: string[] = [];
	return {
		shown,
		markdown: (text: string | MarkdownString) => void shown.push(typeof text === "string" ? text : text.value),
		progress: () => undefined,
		reference: () => undefined,
	};
}

export const block = (over = {}) => ({
	text: "BLOCK",
	snapshot: "s1",
	entries: [],
	omitted: 0,
	characters: 5,
	...over,
});
export const NO_SOURCE = async () => undefined;
export const toolsOf = (send: Send) => createTools(send, () => "default", NO_SOURCE);
export const DESCRIPTIONS = Object.keys(toolsOf(scripted({}).send)).map((name) => ({ name, description: name }));

export function desktop(answers: Record<string, unknown>) {
	const server = scripted({
		"memory/prompt": block(),
		"memory/changes": { text: "", earlier: [] },
		"memory/recall": { items: [], text: "" },
		...answers,
	});
	const silent = { on: () => ({ dispose() {} }), onDidChangeState: () => ({ dispose() {} }) };
	const blocks = new MemoryBlocks(silent as never, server.send);
	const log = { error: () => undefined, info: () => undefined } as never;
	const forgotten: string[] = [];
	const forget = (session: string) => void forgotten.push(session);
	const answersTold: Answered[] = [];
	const answered = (each: Answered) => void answersTold.push(each);
	const seesDocuments = async () => "knowledge/ask" in answers;
	const tools = toolsOf(server.send);
	const { send } = server;
	const documents = { task: () => "default", sourceOf: async () => undefined };
	const offers = () => false;
	const parts = {
		send,
		documents,
		blocks,
		tools,
		offers,
		descriptions: DESCRIPTIONS,
		log,
		seesDocuments,
		forget,
		answered,
	};
	return { ...server, blocks, parts, forgotten, answers: answersTold };
}

export type Talk = { model: ReturnType<typeof model>; prompt?: string; history?: unknown[]; cancelled?: boolean };

export async function talk(
	parts: ReturnType<typeof desktop>["parts"],
	{ model, prompt = "hello", history = [], cancelled }: Talk,
) {
	const out = stream();
	const request = { prompt, model, references: [], toolReferences: [], toolInvocationToken: "T" };
	const asking = { ...token(), isCancellationRequested: cancelled === true };
	const result = await answer(parts, request as never, { history } as never, out as never, asking as never);
	return { result, shown: out.shown.join("") };
}

export const turns = (prompt: string, text: string, metadata: object) => [
	{ prompt },
	{ response: [{ value: new MarkdownString(text) }], result: { metadata } },
];
