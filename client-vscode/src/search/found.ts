/** Results that are shown: how they stand later, and how they are taken from their files again. */
import { errorKind, type SearchItem, type Send, type Verdict } from "../protocol";
import type { Asked, ShownResult, ShownSignal } from "./messages";
import { linesOf } from "./preview";
import { queryParams, relocated, sameLines, within } from "./questions";
import { lostBy } from "./words";

/** Hits in one file that are looked at for the one that is to be refreshed. */
const IN_FILE = 20;
const INVALID_PARAMS = -32602;

export interface Folder {
	readonly uri: string;
	readonly name: string;
}

export interface Found {
	readonly id: number;
	item: SearchItem;
	/** Where the page begins that it came with. */
	readonly offset: number;
	verdict?: Verdict;
	signals?: readonly ShownSignal[];
}

interface Parts {
	readonly send: Send;
	readonly folderOf: (uri: string) => Folder | undefined;
}

/** @param folder name of its folder, where several are open. */
export function shownOf(
	{ id, item, verdict, signals }: Found,
	terms: readonly string[],
	folder: string | undefined,
): ShownResult {
	const lost = verdict && lostBy(verdict);
	return {
		id,
		path: item.path,
		...(folder ? { folder } : {}),
		line: (item.match ?? item.range).start.line + 1,
		...(item.symbol ? { symbol: item.symbol } : {}),
		...(item.kind ? { kind: item.kind } : {}),
		lines: linesOf(item, terms),
		...(lost ? { lost } : {}),
		...(item.stale ? { note: "Changed since it was indexed; these lines are today’s." } : {}),
		...(signals ? { signals } : {}),
	};
}

/**
 * Asks whether results still hold.
 *
 * @returns what marks those that do not, and shows what has only moved where it is now.
 */
export async function judged({ send, folderOf }: Parts, found: readonly Found[]): Promise<() => void> {
	const byFolder = new Map<string | undefined, Found[]>();
	for (const one of found) {
		const folder = folderOf(one.item.uri)?.uri;
		byFolder.set(folder, [...(byFolder.get(folder) ?? []), one]);
	}
	const changes: (() => void)[] = [];
	for (const [folder, all] of byFolder) {
		const references = [...new Set(all.map(({ item }) => item.reference))];
		const { items } = await send("evidence/verify", { references, ...(folder ? { workspace: folder } : {}) });
		for (const { reference, verdict, relocatedTo } of items) {
			for (const one of all) {
				if (verdict && one.item.reference === reference) {
					changes.push(() => {
						// One that was refreshed meanwhile is another.
						if (one.item.reference === reference) {
							one.item = verdict === "relocated" && relocatedTo ? relocated(one.item, relocatedTo) : one.item;
							one.verdict = verdict;
						}
					});
				}
			}
		}
	}
	return () => {
		for (const change of changes) {
			change();
		}
	};
}

/**
 * A result as its file has it now.
 *
 * @param asked what it was found by; undefined where it was found as similar code.
 * @returns undefined when it is not there any more.
 */
export async function takenAnew(
	{ send, folderOf }: Parts,
	{ id, item }: Found,
	found: readonly Found[],
	asked: Asked | undefined,
): Promise<SearchItem | undefined> {
	const folder = folderOf(item.uri)?.uri;
	const where = folder ? { workspace: folder } : {};
	if (!asked) {
		try {
			const { reference, snippet } = await send("evidence/cite", { uri: item.uri, range: item.range, ...where });
			const { match: _match, stale: _stale, ...rest } = item;
			return { ...rest, reference, snippet };
		} catch (error) {
			// The server itself says that the file, or those lines of it, are gone.
			if (isRefusal(error)) {
				return undefined;
			}
			throw error;
		}
	}
	const inFile = { ...queryParams(asked), paths: [within(item.path)], limit: IN_FILE, ...where };
	const { items } = await send("search/query", inFile);
	const others = found.filter((one) => one.id !== id && one.item.uri === item.uri).map((one) => one.item);
	const free = items.filter((fresh) => fresh.uri === item.uri && !others.some((other) => sameLines(other, fresh)));
	return (
		free.find(({ symbol, kind }) => symbol && symbol === item.symbol && kind === item.kind) ??
		free.find((fresh) => sameLines(fresh, item)) ??
		free[0]
	);
}

/** Whether the server answered that it cannot or will not, rather than that something broke. */
export function isRefusal(error: unknown): boolean {
	return errorKind(error) !== undefined || (error as { code?: unknown } | undefined)?.code === INVALID_PARAMS;
}
