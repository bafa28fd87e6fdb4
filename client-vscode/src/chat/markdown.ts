/** Markdown of the chat's own answers: remembered text cannot add links or formatting of its own. */
import type { Memory } from "../protocol";
import { MarkdownString } from "../vscodeapi";

/** Commands that links in an answer may run. */
export const LINKED = [
	"vademecum.undoRemember",
	"vademecum.openMemory",
	"vademecum.chat.restore",
	"vademecum.remember",
] as const;

export type LinkedCommand = (typeof LINKED)[number];

/** Markdown in which the links of `link` work, and no others. */
export function trusted(text = ""): MarkdownString {
	const markdown = new MarkdownString(text, true);
	markdown.isTrusted = { enabledCommands: LINKED.filter((command) => text.includes(`](command:${command}?`)) };
	return markdown;
}

export function link(title: string, command: LinkedCommand, ...args: readonly string[]): string {
	return `[${title}](command:${command}?${encodeURIComponent(JSON.stringify(args))})`;
}

/** Plain text in Markdown. The editor's own `appendText` makes every space a no-break one, so that a title cannot wrap. */
export function escaped(text: string): string {
	return text.replace(/\s+/g, " ").replace(/[\\`*_{}[\]()<>&#+\-!~|$]/g, "\\$&");
}

/** Text in a code span, whatever it holds. */
export function code(text: string): string {
	const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map((match) => match[0].length));
	const fence = "`".repeat(longest + 1);
	const pad = text.startsWith("`") || text.endsWith("`") ? " " : "";
	return `${fence}${pad}${text.replace(/\s+/g, " ")}${pad}${fence}`;
}

/** Lines of text as a quotation; none of it is formatted. */
export function quoted(text: string): string {
	return text
		.trim()
		.split(/\r\n|[\r\n]/)
		.map((line) => `> ${escaped(line)}`)
		.join("  \n");
}

/** Where a memory holds. */
export function placeOf({ scope }: Pick<Memory, "scope">): string {
	return scope === "user" ? "everywhere" : "in this project";
}

/** Says what was saved, with a way back. */
export function savedNotice(memory: Pick<Memory, "id" | "title">): MarkdownString {
	return trusted(
		`\n\n$(bookmark) Remembered: ${escaped(memory.title)}` +
			` ${link("Undo", "vademecum.undoRemember", memory.id)} · ${link("Open", "vademecum.openMemory", memory.id)}\n\n`,
	);
}
