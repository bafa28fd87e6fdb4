/** `/recall`, `/search` and `/verify`: what is known, where it is in the code, and whether it is still so. */
import type { ChatResponseStream } from "vscode";
import { fenced } from "../commands/memory";
import { inCurrentFolder } from "../folders";
import { type Evidence, type Memory, newsOf, type SearchItem, type Verdict } from "../protocol";
import { Location, Uri } from "../vscodeapi";
import type { Asked, Done } from "./asked";
import { answersOf } from "./history";
import { code, escaped, link, placeOf, quoted, trusted } from "./markdown";
import { located, locationOf, referencesIn, showPlace } from "./places";
import type { Recall } from "./requests";

/** Memories that are listed where nothing was asked. */
const NEWEST = 10;
/** Passages of an answer, those of which lines are shown, and how many: enough to see which one is meant. */
const PASSAGES = 8;
const WITH_LINES = 3;
const LINES = 6;
/** References that are judged at once. */
const REFERENCES = 200;
/** Says how references are written; lines of no file that anybody means. */
const EXAMPLE = "src/shapes.py:10-20@3f9a2c1b7d4e8a90";
/** The server's limit of a query, in characters. */
const QUERY_CHARACTERS = 1_000;

/** As much of a text as the server takes for a query. */
export function queryOf(text: string): string {
	return [...text.trim()].slice(0, QUERY_CHARACTERS).join("");
}

/** Shows what of memory fits a question; without one, what was remembered last. */
export async function recall({ send, prompt, stream, token }: Asked): Promise<Done> {
	stream.progress("Looking into memory…");
	const { items, notices }: Known = prompt.trim()
		? await send("memory/recall", { prompt, ...inCurrentFolder() }, token)
		: await send("memory/search", { limit: NEWEST, ...inCurrentFolder() }, token);
	if (items.length === 0) {
		stream.markdown(prompt.trim() ? "Nothing that is remembered fits this." : "Nothing is remembered yet.");
	}
	for (const { memory, why, contradictedBy } of items) {
		showMemory(stream, memory, why?.picked ? ["chosen by the language model"] : [], contradictedBy);
	}
	for (const { message } of notices ?? []) {
		stream.markdown(`\n\n*${escaped(message)}*`);
	}
	if (items.length === 0) {
		const words = { prompt: `search ${prompt}`, command: "memory", label: "Search memory by words" };
		return { brief: "(Nothing was found in memory.)", next: prompt.trim() ? [words] : [] };
	}
	return { brief: `(Shown from memory, by id: ${items.map(({ memory }) => memory.id).join(", ")}.)` };
}

/** What is recalled, or only listed. */
type Known = {
	readonly items: readonly (Pick<Recall["items"][number], "memory"> & Partial<Recall["items"][number]>)[];
	readonly notices?: Recall["notices"];
};

/** A memory with its text, the file that keeps it, what it rests on, and the one that holds against it. */
export function showMemory(
	stream: ChatResponseStream,
	memory: Memory,
	also: readonly string[] = [],
	contradictedBy?: string,
): void {
	const status = memory.status === "active" ? [] : [memory.status];
	const marks = [memory.category, placeOf(memory), ...status, ...also].join(", ");
	const open = link("Open", "vademecum.openMemory", memory.id);
	const head = `**${escaped(memory.title)}** (${marks}) ${code(memory.id)} ${open}`;
	// A note's title is its first sentence; where that is all, it is not said twice.
	const says = memory.content.trim() === memory.title.trim() ? "" : `\n\n${quoted(memory.content)}`;
	const rests = memory.evidence.map(
		({ reference, verdict }) => `${code(reference)}${verdict ? ` ${SIGNS[verdict]}` : ""}`,
	);
	const lost = contradictedBy
		? `\n\nContradicted by ${link(contradictedBy, "vademecum.openMemory", contradictedBy)}, which holds.`
		: "";
	const ground = rests.length ? `\n\nRests on ${rests.join(", ")}` : "";
	stream.markdown(trusted(`\n\n${head}${says}${lost}${ground}\n\n`));
	stream.reference(Uri.parse(memory.uri, true));
}

/** Finds code and documents of the open folders; each passage is a link to its lines. */
export async function search({ send, prompt, stream, token }: Asked): Promise<Done> {
	if (!prompt.trim()) {
		stream.markdown(`Write a name, some words or a question behind it: ${code("/search where are prices rounded")}.`);
		return { brief: "(Nothing was searched: there was no query.)" };
	}
	stream.progress("Searching the workspace…");
	const { items, notices } = await send("search/query", { query: queryOf(prompt), limit: PASSAGES }, token);
	if (items.length === 0) {
		stream.markdown("Nothing was found.");
	}
	for (const [at, hit] of items.entries()) {
		const place = locationOf(hit);
		const what = [hit.kind, hit.symbol].filter(Boolean).join(" ");
		showPlace(stream, place, `${hit.path}:${hit.range.start.line + 1}`);
		stream.markdown(
			`${what ? ` ${escaped(what)}` : ""}${hit.stale ? " (changed since it was indexed)" : ""}\n${at < WITH_LINES ? excerpt(hit) : "\n"}`,
		);
	}
	for (const message of newsOf(notices)) {
		stream.markdown(`\n\n*${escaped(message)}*`);
	}
	const references = items.map(({ reference }) => reference);
	return {
		brief: references.length ? `(Shown from the workspace: ${references.join(", ")}.)` : "(Nothing was found.)",
		next: references.length ? [{ prompt, label: "Answer this from the code" }] : [],
	};
}

/** The lines around the best match. */
function excerpt(hit: SearchItem): string {
	const lines = (hit.snippet ?? "").split("\n");
	const matched = hit.match && !hit.skeleton ? hit.match.start.line - hit.range.start.line : 0;
	const from = Math.max(0, Math.min(matched - 2, lines.length - LINES));
	const shown = lines.slice(from, from + LINES).join("\n");
	return shown.trim() ? `\n${fenced(shown, hit.language)}\n\n` : "\n\n";
}

const SIGNS: Readonly<Record<Verdict, string>> = {
	valid: "✓ holds",
	relocated: "↷ moved",
	changed: "✗ changed",
	ambiguous: "? is there more than once",
	deleted: "✗ is gone",
	excluded: "? may not be read",
	unreadable: "? cannot be read",
};

/** Judges the references of the message, else those of this chat. */
export async function verify({ send, prompt, context, stream, token }: Asked): Promise<Done> {
	const written = referencesIn(prompt);
	const said = referencesIn(answersOf(context).join("\n")).filter(({ text }) => text !== EXAMPLE);
	const all = written.length ? written : said;
	const references = all.slice(0, REFERENCES).map(({ text }) => text);
	if (references.length === 0) {
		stream.markdown("No reference was given, and none is in this chat. Lines are named as ");
		stream.markdown(`${code(EXAMPLE)}.`);
		stream.button({ command: "vademecum.verifyAll", title: "Verify All References of the Workspace" });
		return { brief: "(No reference was there to be verified.)" };
	}
	stream.progress("Verifying…");
	const { items, allValid } = await send("evidence/verify", { references }, token);
	stream.markdown(allValid ? "All of it holds.\n\n" : "");
	for (const item of items) {
		stream.markdown("- ");
		await showVerdict(stream, item);
	}
	const told = items.map(({ reference, verdict, error }) => `${reference} (${verdict ?? error?.kind ?? "unknown"})`);
	return { brief: `(Verified: ${told.join(", ")}.)` };
}

async function showVerdict(
	stream: ChatResponseStream,
	item: Evidence & { readonly movedTo?: string; readonly error?: { readonly message: string } },
): Promise<void> {
	const [now] = referencesIn(item.relocatedTo ?? item.reference);
	const holds = item.verdict === "valid" || item.verdict === "relocated";
	const place = now && holds ? await located(now) : undefined;
	if (place instanceof Location && now) {
		showPlace(stream, place, `${now.path}:${now.start}-${now.end}`);
	} else {
		stream.markdown(code(item.reference));
	}
	const said = item.verdict ? SIGNS[item.verdict] : (item.error?.message ?? "nobody can tell");
	const moved = item.movedTo ? `, perhaps to ${code(item.movedTo)}` : "";
	const renamed = item.relocatedTo ? `: ${code(item.relocatedTo)}` : "";
	stream.markdown(` ${escaped(said)}${renamed}${moved}\n`);
}
