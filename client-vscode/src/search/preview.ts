/** The lines of a result as the view shows them, with what was asked for marked in them. */
import type { SearchItem } from "../protocol";
import type { ShownLine } from "./messages";

/** So many lines are shown whole; of longer ones, those around the match. */
const SHORT = 7;
const BEFORE = 1;
const AFTER = 3;
/** Characters of a line that are shown: enough to read, and no megabytes in the page. */
const LINE_CHARACTERS = 400;
/** Marks in one line at most. */
const LINE_MARKS = 20;

/** Words of a question that stand everywhere and say nothing of a line. */
const COMMON = new Set(
	(
		"a all an and any are as at be by can do does each for from has have how if in into is it its no not of on or " +
		"that the their then there this to was we what when where which who why will with you"
	).split(" "),
);
const CJK = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;

/** What to mark: the words of a query, and the parts of the identifiers in it. */
export function termsOf(query: string): string[] {
	const terms = new Set<string>();
	for (const word of query.match(/[\p{L}\p{N}_$]+/gu) ?? []) {
		if (CJK.test(word)) {
			const characters = [...word];
			for (let at = 0; at + 1 < characters.length; at += 1) {
				terms.add(characters.slice(at, at + 2).join(""));
			}
			terms.add(word);
			continue;
		}
		const parts = word.match(/\p{Lu}?[\p{Ll}\p{N}]+|\p{Lu}+(?!\p{Ll})|\p{Lo}+/gu) ?? [];
		for (const term of [word, ...parts].map((part) => part.toLowerCase())) {
			if (term.length > 1 && !COMMON.has(term)) {
				terms.add(term);
			}
		}
	}
	return [...terms].sort((one, other) => other.length - one.length);
}

/** The lines of a hit, without the indentation that all of them have. */
export function linesOf(hit: SearchItem, terms: readonly string[]): ShownLine[] {
	const lines = (hit.snippet ?? "").trimEnd().split("\n");
	const first = hit.range.start.line;
	const indent = commonIndent(lines);
	const wanted = terms.length ? new RegExp(terms.map(escaped).join("|"), "giu") : undefined;
	const drawn = lines.map((line, at) => {
		const text = line.slice(indent, indent + LINE_CHARACTERS);
		const marks = wanted
			? [...text.matchAll(wanted)].map(({ 0: { length }, index }) => [index, index + length] as const)
			: [];
		const { match } = hit;
		if (marks.length === 0 && match && match.start.line === first + at && match.end.line === match.start.line) {
			const [from, to] = [match.start.character - indent, match.end.character - indent];
			if (0 <= from && from < to && to <= text.length) {
				marks.push([from, to]);
			}
		}
		return { number: first + at + 1, text, marks: marks.slice(0, LINE_MARKS) };
	});
	const marked = drawn.findIndex(({ marks }) => marks.length > 0);
	const focus = hit.match ? hit.match.start.line - first : Math.max(0, marked);
	const from = edge(lines, Math.max(0, focus - BEFORE), focus, 1);
	const to = edge(lines, Math.min(lines.length - 1, focus + AFTER), focus, -1);
	// Of a definition, the line that says what it is.
	const name = hit.symbol?.split(/\W+/).findLast(Boolean);
	const whole = name ? new RegExp(`(?<![\\p{L}\\p{N}_])${escaped(name)}(?![\\p{L}\\p{N}_])`, "u") : undefined;
	const naming = whole ? lines.findIndex((line) => whole.test(line)) : -1;
	const near = (at: number) => lines.length <= SHORT || (from <= at && at <= to) || at === naming;
	return drawn.map((line, at) => ({ ...line, near: near(at) }));
}

/** The first line that is not empty, from the edge of what is shown to its middle. */
function edge(lines: readonly string[], from: number, to: number, step: number): number {
	let at = from;
	while (at !== to && !lines[at]?.trim()) {
		at += step;
	}
	return at;
}

function commonIndent(lines: readonly string[]): number {
	let common: string | undefined;
	for (const line of lines) {
		if (line.trim()) {
			const indent = /^[ \t]*/.exec(line)?.[0] ?? "";
			common ??= indent;
			while (!indent.startsWith(common)) {
				common = common.slice(0, -1);
			}
		}
	}
	return common?.length ?? 0;
}

function escaped(text: string): string {
	return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
