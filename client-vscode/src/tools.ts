/**
 * What a model may call: the server's table of tools, under the names and with the schemas that the manifest has of it
 * (docs/contributed_tools.py writes it). The server checks the input and names each wrong field, so that a model can
 * correct itself.
 */
import type {
	CancellationToken,
	Disposable,
	LanguageModelTool,
	LanguageModelToolInvocationOptions,
	PreparedToolInvocation,
} from "vscode";
import { brief } from "./brief";
import { located } from "./chat/places";
import { fenced, undoRemember } from "./commands/memory";
import { currentFolder } from "./folders";
import { DOCUMENT_TOOL, documentTool, type SourceOf } from "./knowledge/tool";
import { errorMessage, type Send } from "./protocol";
import type { Input, Outcome, Saved, Tool } from "./tool";
import { LanguageModelTextPart, LanguageModelToolResult, lm, MarkdownString, window } from "./vscodeapi";

/** Characters that stand for a token, where an answer is to fit so many of them. */
const CHARACTERS_PER_TOKEN = 4;
/** An answer is never made to fit fewer tokens. */
const LEAST_TOKENS = 200;

/** By its id: the revision of a memory that the user was shown last. It is this one that may be changed or deleted. */
export type ShownRevisions = Map<string, string>;

export type ToolName =
	| "vademecum_remember"
	| "vademecum_searchMemory"
	| "vademecum_updateMemory"
	| "vademecum_deleteMemory"
	| typeof RECALL_TOOL
	| "vademecum_searchWorkspace"
	| "vademecum_findRelated"
	| "vademecum_verifyEvidence"
	| "vademecum_indexStatus"
	| typeof DOCUMENT_TOOL;

/** Of the names of our own tools; those of other systems have none. */
export const PREFIX = "vademecum_";

/** For other chats: what fits a message to the participant is recalled with it, unasked. */
export const RECALL_TOOL = "vademecum_recallMemory";

export const MEMORY_TOOLS: ReadonlySet<string> = new Set<ToolName>([
	"vademecum_remember",
	"vademecum_searchMemory",
	"vademecum_updateMemory",
	"vademecum_deleteMemory",
	RECALL_TOOL,
]);

/** A tool of the server's table. */
export interface TableTool {
	readonly tool: string;
	readonly doing: string;
	/** The table's arguments for what the model gave, where they differ. */
	readonly shape?: (input: Input) => Input;
	/** It is about one project: with several folders open, that of the editor in front unless the model names one. */
	readonly inOneFolder?: true;
	/** It leaves out what a session was given. */
	readonly reuses?: true;
	/** It changes or deletes a memory that the user is shown before. */
	readonly isConfirmed?: true;
}

const SEARCH_MEMORY: TableTool = {
	tool: "manage_core_memory",
	doing: "Searching memory",
	inOneFolder: true,
	shape: ({ id, scope, ...input }) => ({ ...input, action: "search", memory: given({ id, scope }) }),
};

const TABLE: Readonly<Record<Exclude<ToolName, typeof DOCUMENT_TOOL>, TableTool>> = {
	vademecum_remember: { tool: "remember", doing: "Remembering", inOneFolder: true },
	vademecum_searchMemory: SEARCH_MEMORY,
	vademecum_updateMemory: {
		tool: "manage_core_memory",
		doing: "Updating a memory",
		inOneFolder: true,
		isConfirmed: true,
		shape: (memory) => ({ action: "update", memory }),
	},
	vademecum_deleteMemory: {
		tool: "manage_core_memory",
		doing: "Deleting a memory",
		inOneFolder: true,
		isConfirmed: true,
		shape: (memory) => ({ action: "delete", memory }),
	},
	[RECALL_TOOL]: { tool: "memory_recall", doing: "Recalling", inOneFolder: true },
	vademecum_searchWorkspace: { tool: "search_workspace", doing: "Searching the workspace", reuses: true },
	vademecum_findRelated: { tool: "find_related", doing: "Finding code like it", reuses: true },
	vademecum_verifyEvidence: { tool: "verify_evidence", doing: "Verifying" },
	vademecum_indexStatus: { tool: "index_status", doing: "Looking at the index" },
};

function given(fields: Input): Input {
	return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/**
 * @param task gives the name of the task whose documents are asked.
 * @param sourceOf says which file a document came from.
 */
export function createTools(send: Send, task: () => string, sourceOf: SourceOf): Readonly<Record<ToolName, Tool>> {
	const shown: ShownRevisions = new Map();
	const tabled = Object.entries(TABLE).map(([name, tool]) => [name, runner(send, task, tool, shown)]);
	const tools = Object.fromEntries(tabled) as Record<keyof typeof TABLE, Tool>;
	return {
		...tools,
		vademecum_updateMemory: {
			...tools.vademecum_updateMemory,
			confirm: (...asked) => confirmChange(send, shown, ...asked),
		},
		vademecum_deleteMemory: {
			...tools.vademecum_deleteMemory,
			confirm: (...asked) => confirmDeletion(send, shown, ...asked),
		},
		[DOCUMENT_TOOL]: documentTool(send, task, sourceOf),
	};
}

/** The tool of the table, run for a model. */
export function runner(send: Send, task: () => string, table: TableTool, shown: ShownRevisions): Tool {
	const { tool, doing, shape, inOneFolder, reuses, isConfirmed } = table;
	return {
		doing,
		async run(input, token, room = {}) {
			// Only who knows what is still in the context may name a session.
			const { session: _, ...asked } = input;
			const session = reuses && room.session !== undefined ? { session: room.session } : {};
			const folder = inOneFolder ? currentFolder() : undefined;
			const revision = isConfirmed ? shown.get(String(input.id)) : undefined;
			const answer = await send(
				"tools/call",
				{
					name: tool,
					arguments: { ...(shape ? shape(asked) : asked), ...session },
					task: task(),
					...(folder ? { workspace: folder } : {}),
					...(revision ? { revision } : {}),
				},
				token,
			);
			return outcomeOf(answer, room.tokens);
		},
	};
}

/** What the results of the table's tools may hold that is shown to the user. */
interface Result {
	readonly memory?: Saved;
	readonly known?: boolean;
	readonly items?: readonly {
		readonly path?: string;
		readonly start?: number;
		readonly end?: number;
		readonly folder?: string;
	}[];
}

async function outcomeOf(answer: { text: string; result: unknown }, tokens: number | undefined): Promise<Outcome> {
	const { memory, known, items = [] } = (answer.result ?? {}) as Result;
	const places = await Promise.all(
		items.map(async ({ path, start, end, folder }) =>
			path !== undefined && start !== undefined && end !== undefined
				? located({ path, start, end }, folder)
				: undefined,
		),
	);
	const hits = places.filter((place) => place !== undefined).map(({ uri, range }) => ({ uri: uri.toString(), range }));
	return {
		text: fitted(answer.text, tokens),
		...(memory && known === false ? { saved: memory } : {}),
		...(hits.length ? { hits } : {}),
	};
}

/** A text of about so many tokens at most, cut between lines. */
function fitted(text: string, tokens: number | undefined): string {
	const room = tokens === undefined ? text.length : Math.max(LEAST_TOKENS, tokens) * CHARACTERS_PER_TOKEN;
	if (text.length <= room) {
		return text;
	}
	const end = text.lastIndexOf("\n", room);
	return `${text.slice(0, end > 0 ? end : room)}\n(The rest had no room; ask for less at once.)`;
}

const CHANGEABLE = ["title", "content", "category", "scope", "type", "description", "keywords", "evidence"] as const;

/** What would change, field by field. */
async function confirmChange(send: Send, shown: ShownRevisions, input: Input, token?: CancellationToken) {
	const memory = await read(send, shown, input, token);
	const evidence = memory.evidence?.map(({ reference }) => reference);
	const before: Readonly<Record<string, unknown>> = { ...memory, evidence };
	const changes = CHANGEABLE.filter(
		(name) => input[name] !== undefined && words(input[name]) !== words(before[name]),
	).map((name) => `**${name}**\n${fenced(words(before[name]), "")}\nbecomes\n${fenced(words(input[name]), "")}`);
	const message = new MarkdownString(changes.length ? changes.join("\n\n") : "Nothing changes.");
	return { title: `Change what is remembered: ${brief(memory.title)}?`, message };
}

function words(value: unknown): string {
	return Array.isArray(value) ? value.join(", ") : String(value ?? "");
}

/** What is asked before a memory is deleted. */
export async function confirmDeletion(send: Send, shown: ShownRevisions, input: Input, token?: CancellationToken) {
	const memory = await read(send, shown, input, token);
	return { title: `Forget: ${brief(memory.title)}?`, message: new MarkdownString(fenced(memory.content, "")) };
}

/** The memory as the user is shown it. */
async function read(send: Send, shown: ShownRevisions, input: Input, token?: CancellationToken) {
	const memory = await send("memory/get", { id: String(input.id) }, token);
	shown.set(String(input.id), memory.revision);
	return memory;
}

/** Registers the tools with the editor, for every chat panel and agent. */
export function registerTools(tools: Readonly<Record<string, Tool>>, send: Send): Disposable[] {
	return Object.entries(tools).map(([name, tool]) => lm.registerTool(name, offered(tool, send)));
}

function offered(tool: Tool, send: Send): LanguageModelTool<Input> {
	return {
		async prepareInvocation({ input }, token): Promise<PreparedToolInvocation> {
			const confirmation = await tool.confirm?.(input, token);
			return {
				invocationMessage: tool.doing,
				...(confirmation ? { confirmationMessages: confirmation } : {}),
			};
		},
		async invoke(options: LanguageModelToolInvocationOptions<Input>, token) {
			const outcome = await tool.run(options.input, token, { tokens: options.tokenizationOptions?.tokenBudget });
			if (outcome.saved) {
				void offerUndo(outcome.saved, send);
			}
			return new LanguageModelToolResult([new LanguageModelTextPart(outcome.text)]);
		},
	};
}

async function offerUndo(memory: Saved, send: Send): Promise<void> {
	const choice = await window.showInformationMessage(`Remembered: ${brief(memory.title)}`, "Undo");
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
