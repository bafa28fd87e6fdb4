/** What is typed into the Search view as params of `search/query`, and references as ranges. */
import type { Position, Requests, SearchItem } from "../protocol";
import type { Asked } from "./messages";

export interface Place {
	readonly uri: string;
	readonly position: Position;
}

/** Params for what stands in the fields; those at their defaults are left out. */
export function queryParams({ query, mode, content, paths, languages }: Asked): Requests["search/query"][0] {
	const globs = listed(paths);
	const names = listed(languages);
	return {
		query: query.trim(),
		...(mode === "hybrid" ? {} : { mode }),
		...(content === "all" ? {} : { content }),
		...(globs.length ? { paths: globs } : {}),
		...(names.length ? { languages: names } : {}),
	};
}

/** The parts of a list, but for commas between braces, which belong to a glob. */
export function listed(text: string): string[] {
	return text
		.split(/,(?![^{]*\})/)
		.map((part) => part.trim())
		.filter(Boolean);
}

/** The glob that one file matches and no other. */
export function within(path: string): string {
	return `/${path.replace(/[*?[\]{}!\\,]/g, "\\$&")}`;
}

/** The item at the lines that a reference to the same text names. */
export function relocated(item: SearchItem, reference: string): SearchItem {
	const start = Number(/:(\d+)-\d+@[0-9a-f]+$/.exec(reference)?.[1]);
	if (!start) {
		return item;
	}
	const by = start - 1 - item.range.start.line;
	const moved = ({ line, character }: Position) => ({ line: line + by, character });
	const { match, range } = item;
	return {
		...item,
		reference,
		range: { start: moved(range.start), end: moved(range.end) },
		...(match ? { match: { start: moved(match.start), end: moved(match.end) } } : {}),
	};
}

/** Whether two items of one file have lines in common. */
export function sameLines(one: SearchItem, other: SearchItem): boolean {
	return one.range.start.line <= other.range.end.line && other.range.start.line <= one.range.end.line;
}
