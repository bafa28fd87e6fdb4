/** The participant's commands: what a person asks for by name is done at once, and no model is asked. */
import type { ChatRequest } from "vscode";
import type { Asked, Done } from "./asked";
import { askDocuments } from "./documents";
import { recall, search, verify } from "./lookups";
import { manage } from "./memoryCommand";
import { noteOf } from "./note";
import { remember } from "./remembering";

export const COMMANDS = ["remember", "recall", "search", "verify", "docs", "memory"] as const;

export type CommandName = (typeof COMMANDS)[number];

type Command = (asked: Asked) => Promise<Done>;

const RUN: Readonly<Record<CommandName, Command>> = {
	remember: (asked) => remember(asked, asked.prompt),
	recall,
	search,
	verify,
	docs: askDocuments,
	memory: manage,
};

/** The command that a message is, if it is one. */
export function commandOf({ command, prompt }: Pick<ChatRequest, "command" | "prompt">): Command | undefined {
	const named = COMMANDS.find((name) => name === command);
	if (named) {
		return RUN[named];
	}
	const note = command === undefined ? noteOf(prompt) : undefined;
	return note === undefined ? undefined : (asked) => remember(asked, note, {});
}
