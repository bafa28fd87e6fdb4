/**
 * What a model may call. Descriptions and schemas are in the manifest, once; here is what each tool does. The server
 * checks the input and names each wrong field, so that a model can correct itself.
 */
import type {
	CancellationToken,
	Disposable,
	LanguageModelTool,
	LanguageModelToolInvocationOptions,
	PreparedToolInvocation,
} from "vscode";
import { fenced, shortened, undoRemember } from "./commands/memory";
import { currentFolder } from "./folders";
import { DOCUMENT_TOOL, documentTool, type SourceOf } from "./knowledgeTool";
import {
	type Evidence,
	errorMessage,
	type Memory,
	type Method,
	newsOf,
	type Requests,
	type SearchItem,
	type Send,
} from "./protocol";
import { LanguageModelTextPart, LanguageModelToolResult, lm, MarkdownString, window } from "./vscodeapi";

/** Characters of one memory's text in an answer to a model; a longer one is cut with a notice. */
const MEMORY_CHARACTERS = 2_000;
const MEMORY_LIMIT = 10;
const SEARCH_LIMIT = 8;
/** Tokens of a workspace search's answer, unless the caller says. */
const SEARCH_TOKENS = 4_000;

export interface Outcome {
	/** For the model. */
	readonly text: string;
	/** A memory that is new by this call. */
	readonly saved?: Memory;
	/** Passages that the text quotes. */
	readonly hits?: readonly Cited[];
}

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
	run(input: Record<string, unknown>, token?: CancellationToken, room?: Room): Promise<Outcome>;
	/** What is shown while it runs. */
	readonly doing: string;
	/** What the user is asked before it runs; tools without it run unasked. */
	confirm?(
		input: Record<string, unknown>,
		token?: CancellationToken,
	): Promise<{ title: string; message: MarkdownString }>;
}

export type ToolName =
	| "vademecum_remember"
	| "vademecum_searchMemory"
	| "vademecum_updateMemory"
	| "vademecum_deleteMemory"
	| "vademecum_searchWorkspace"
	| typeof DOCUMENT_TOOL;

export const MEMORY_TOOLS: ReadonlySet<string> = new Set<ToolName>([
	"vademecum_remember",
	"vademecum_searchMemory",
	"vademecum_updateMemory",
	"vademecum_deleteMemory",
]);

/** A model's input as params: the server is who checks them. */
function params<M extends Method>(input: Record<string, unknown>): Requests[M][0] {
	return input as unknown as Requests[M][0];
}

/**
 * @param task gives the name of the task whose documents are asked.
 * @param sourceOf says which file a document came from.
 */
export function createTools(send: Send, task: () => string, sourceOf: SourceOf): Readonly<Record<ToolName, Tool>> {
	return {
		[DOCUMENT_TOOL]: documentTool(send, task, sourceOf),
		vademecum_remember: {
			doing: "Remembering",
			async run(input, token) {
				const folder = input.scope === "user" ? undefined : currentFolder();
				const note = params<"memory/remember">({ ...input, ...(folder ? { workspace: folder } : {}) });
				const memory = await send("memory/remember", note, token);
				return memory.known
					? { text: `Already remembered as ${named(memory)}; nothing was added.` }
					: { text: `Remembered as ${named(memory)}.`, saved: memory };
			},
		},
		vademecum_searchMemory: {
			doing: "Searching memory",
			async run(input, token) {
				const query = params<"memory/search">({ limit: MEMORY_LIMIT, ...input });
				const { items, total } = await send("memory/search", query, token);
				if (items.length === 0) {
					return { text: "Nothing is remembered about that." };
				}
				const shown = items.map(({ memory }) => memoryText(memory)).join("\n\n");
				const more = total > items.length ? `\n\n(${total - items.length} more; narrow the query.)` : "";
				return { text: `${shown}${more}` };
			},
		},
		vademecum_updateMemory: {
			doing: "Updating a memory",
			async run(input, token) {
				const memory = await send("memory/update", params<"memory/update">(input), token);
				return { text: `Updated: ${memoryText(memory)}` };
			},
			async confirm(input, token) {
				const memory = await send("memory/get", { id: String(input.id) }, token);
				const changes = (["title", "content", "category", "scope"] as const)
					.filter((field) => typeof input[field] === "string" && input[field] !== memory[field])
					.map((field) => `**${field}**\n${fenced(memory[field], "")}\nbecomes\n${fenced(String(input[field]), "")}`);
				const message = new MarkdownString(changes.length ? changes.join("\n\n") : "Nothing changes.");
				return { title: `Change what is remembered: ${memory.title}?`, message };
			},
		},
		vademecum_deleteMemory: {
			doing: "Deleting a memory",
			async run(input, token) {
				const { id } = await send("memory/delete", params<"memory/delete">(input), token);
				return { text: `Deleted ${id}.` };
			},
			async confirm(input, token) {
				const memory = await send("memory/get", { id: String(input.id) }, token);
				return { title: `Forget: ${memory.title}?`, message: new MarkdownString(fenced(memory.content, "")) };
			},
		},
		vademecum_searchWorkspace: {
			doing: "Searching the workspace",
			async run(input, token, room = {}) {
				const bounds = { limit: SEARCH_LIMIT, tokenBudget: Math.max(200, room.tokens ?? SEARCH_TOKENS) };
				const session = room.session === undefined ? {} : { session: room.session };
				const query = params<"search/query">({ ...bounds, ...input, ...session });
				const { items, notices, memory } = await send("search/query", query, token);
				const parts = items.map(passage);
				if (parts.length === 0) {
					parts.push("Nothing found.");
				}
				if (memory?.invalidated.length) {
					const gone = memory.invalidated.map(({ reference, verdict }) => `${reference} (${verdict})`);
					parts.unshift(`No longer as given before; disregard the earlier text of: ${gone.join(", ")}`);
				}
				parts.push(...newsOf(notices).map((message) => `Note: ${message}`));
				return { text: parts.join("\n\n"), hits: items };
			},
		},
	};
}

/** Registers the tools with the editor, for every chat panel and agent. */
export function registerTools(tools: Readonly<Record<ToolName, Tool>>, send: Send): Disposable[] {
	return Object.entries(tools).map(([name, tool]) => lm.registerTool(name, offered(tool, send)));
}

function offered(tool: Tool, send: Send): LanguageModelTool<Record<string, unknown>> {
	return {
		async prepareInvocation({ input }, token): Promise<PreparedToolInvocation> {
			const confirmation = await tool.confirm?.(input, token);
			return {
				invocationMessage: tool.doing,
				...(confirmation ? { confirmationMessages: confirmation } : {}),
			};
		},
		async invoke(options: LanguageModelToolInvocationOptions<Record<string, unknown>>, token) {
			const outcome = await tool.run(options.input, token, { tokens: options.tokenizationOptions?.tokenBudget });
			if (outcome.saved) {
				void offerUndo(outcome.saved, send);
			}
			return new LanguageModelToolResult([new LanguageModelTextPart(outcome.text)]);
		},
	};
}

async function offerUndo(memory: Memory, send: Send): Promise<void> {
	const choice = await window.showInformationMessage(`Remembered: ${memory.title}`, "Undo");
	if (choice === "Undo") {
		await undoRemember(send, memory.id);
	}
}

/** Runs a tool for a model: what went wrong is an answer too. */
export async function runForModel(work: () => Promise<Outcome>): Promise<Outcome> {
	try {
		return await work();
	} catch (error) {
		return { text: `Error: ${errorMessage(error)}` };
	}
}

function named(memory: Memory): string {
	return `[${memory.id}] "${memory.title}" (${memory.scope}, ${memory.category})`;
}

function memoryText(memory: Memory): string {
	const marks = memory.status === "active" ? "" : `, ${memory.status}`;
	const content = shortened(memory.content.trim(), MEMORY_CHARACTERS);
	const lines = [`[${memory.id}] ${memory.title} (${memory.scope}, ${memory.category}${marks})`, content];
	if (memory.evidence.length) {
		lines.push(`rests on: ${memory.evidence.map(standing).join(", ")}`);
	}
	return lines.join("\n");
}

/** A reference that a memory rests on: where its lines are, or what became of them. */
function standing({ reference, verdict, relocatedTo }: Evidence): string {
	if (verdict === "relocated" && relocatedTo) {
		return relocatedTo;
	}
	return verdict === undefined || verdict === "valid" ? reference : `${reference} (${verdict})`;
}

/** A passage with its lines numbered as the file's are; by name alone when its text was given before. */
export function passage(item: SearchItem): string {
	const first = item.range.start.line + 1;
	const what = [item.kind, item.symbol].filter(Boolean).join(" ");
	const marks = [
		...(item.stale ? ["changed since it was indexed; these are today's lines"] : []),
		...(item.skeleton ? ["in outline; … stands for lines left out"] : []),
		...(item.reused ? ["its text was given before"] : []),
	];
	const head = `${item.path}:${first}${what ? ` ${what}` : ""}${marks.length ? ` (${marks.join("; ")})` : ""}`;
	const body = item.snippet === null ? [] : [numbered(item.snippet.split("\n"), first, item)];
	return [head, `reference: ${item.reference}`, ...body].join("\n");
}

/** A line of an outline that stands for as many lines as it says. */
const LEFT_OUT = /^\s*… (\d+) lines?$/;

function numbered(lines: readonly string[], first: number, item: SearchItem): string {
	const countOf = (line: string) => (item.skeleton ? Number(LEFT_OUT.exec(line)?.[1] ?? 0) : 0);
	const last = lines.reduce((sum, line) => sum + (countOf(line) || 1), first) - 1;
	const width = String(last).length;
	let number = first;
	return lines
		.map((line) => {
			const leftOut = countOf(line);
			const shown = leftOut ? "" : String(number);
			number += leftOut || 1;
			return `${shown.padStart(width)}| ${line}`;
		})
		.join("\n");
}
