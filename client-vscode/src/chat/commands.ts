/** The participant's commands: what a person asks for by name is done at once, and no model is asked. */
import type { ChatRequest } from "vscode";
import { inCurrentFolder } from "../folders";
import type { Category, Scope } from "../protocol";
import type { Asked, Done } from "./asked";
import { askDocuments } from "./documents";
import { recall, search, verify } from "./lookups";
import { code, escaped, link, savedNotice, trusted } from "./markdown";
import { manage } from "./memoryCommand";
import { noteOf } from "./note";

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

interface Kind {
	readonly scope?: Scope;
	readonly category?: Category;
}

const FLAGS: Readonly<Record<string, Kind>> = {
	"--user": { scope: "user" },
	"--everywhere": { scope: "user" },
	"--project": { scope: "project" },
	"--rule": { category: "Rule" },
	"--lesson": { category: "Experience" },
};

/** The words before a note that say what it is, and the note. */
export function kindAndNote(text: string): { readonly note: string; readonly kind: Kind } {
	let note = text.trim();
	let kind: Kind = {};
	for (;;) {
		const [word = ""] = note.split(/\s/, 1);
		const told = FLAGS[word];
		if (!told) {
			return { note, kind };
		}
		kind = { ...kind, ...told };
		note = note.slice(word.length).trim();
	}
}

/** Keeps a note. Without `given` the words before it say what it is. */
async function remember({ send, stream, token }: Asked, text: string, given?: Kind): Promise<Done> {
	const { note, kind } = given ? { note: text, kind: given } : kindAndNote(text);
	if (note === "") {
		const ask = link("Remember…", "vademecum.remember");
		stream.markdown(
			trusted(
				`Write what is worth knowing later behind it: ${code("/remember This repository uses pnpm")}. ` +
					`${code("--rule")} makes it a rule that chats follow, ${code("--user")} keeps it for every project. ${ask}`,
			),
		);
		return { brief: "(Nothing was kept: there was no note.)" };
	}
	const folder = kind.scope === "user" ? {} : inCurrentFolder();
	const memory = await send("memory/remember", { note, ...kind, ...folder }, token);
	if (memory.known) {
		stream.markdown(
			trusted(`Already remembered: ${escaped(memory.title)} ${link("Open", "vademecum.openMemory", memory.id)}`),
		);
	} else {
		stream.markdown(savedNotice(memory));
	}
	const opposite = memory.contradicts ?? [];
	if (opposite.length) {
		const links = opposite.map((id) => link(id, "vademecum.openMemory", id)).join(", ");
		stream.markdown(trusted(`It says the opposite of ${links}, or differs in a number or a choice: keep one of them.`));
	}
	const next = opposite.map((id) => ({ prompt: `get ${id}`, command: "memory", label: `Show ${id}` }));
	return { brief: `(Kept as memory ${memory.id}.)`, next };
}
