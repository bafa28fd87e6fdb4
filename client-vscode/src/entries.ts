/** What a command of a view is for: the entries that it was called on, else what the user picks. */
import type { QuickPickItem } from "vscode";
import { window } from "./vscodeapi";

/** Something to be done to entries: which of them it is for, and what is asked where none is named. */
export interface Action<P, E> {
	readonly work: (parts: P, entries: readonly E[]) => Promise<void>;
	readonly fits: (entry: E) => boolean;
	readonly question: string;
	/** Said where there is no such entry. */
	readonly none: string;
	/** It is for one alone. */
	readonly one?: boolean;
}

/** What there is to act on, and how it is named. */
export interface Entries<E, N> {
	/** Returns when it is known what there is; at once, where it is known already. */
	readonly ready: () => Promise<void>;
	readonly all: () => readonly E[];
	readonly entry: (id: string) => E | undefined;
	/** The ids of the entries that a node of the tree stands for; none for a group or a remark. */
	readonly idsOf: (node: N) => readonly string[];
	/** The nodes that are selected in the tree. */
	readonly selection: () => readonly N[];
	readonly item: (entry: E) => QuickPickItem;
	/** Said of an entry that is not there any more. */
	readonly gone: string;
	/** Why nothing is known of any; undefined where that is known. */
	readonly trouble: () => string | undefined;
	/** The id that an argument of another kind names, such as the document of an editor. */
	readonly other?: (target: unknown) => string | undefined;
}

/**
 * What the keybindings of the manifest hand over. The editor puts the entry of that tree in its place that has the focus:
 * arrows move the focus alone, and whoever walks by keys means what they hear, not what they selected before.
 */
interface Focused {
	readonly $treeViewId: string;
}

/** What is registered as the command of an action. */
export function acting<P, E, N>(
	parts: P,
	entries: Entries<E, N>,
	action: Action<P, E>,
): (...given: unknown[]) => Promise<void> {
	return async (...given) => {
		const chosen = await choose(entries, action, given);
		if (chosen.length > 0) {
			await action.work(parts, chosen);
		}
	};
}

async function choose<P, E, N>(
	entries: Entries<E, N>,
	action: Action<P, E>,
	given: readonly unknown[],
): Promise<readonly E[]> {
	await entries.ready();
	const named = namedBy(given, entries);
	if (named) {
		const known = named.map(entries.entry).filter((entry) => entry !== undefined);
		const fit = known.filter(action.fits);
		if (named.length > 0 && fit.length === 0) {
			void window.showInformationMessage(known.length ? action.none : entries.gone);
		}
		return fit;
	}
	const items = entries
		.all()
		.filter(action.fits)
		.map((entry) => ({ ...entries.item(entry), entry }));
	if (items.length === 0) {
		void window.showInformationMessage(entries.trouble() ?? action.none);
		return [];
	}
	const options = {
		title: action.question,
		matchOnDescription: true,
		matchOnDetail: true,
		// The editor forgets the entry of a menu that was open while the tree was drawn anew.
		...(given.length > 0 ? { placeHolder: "The view has changed meanwhile. Which one is meant?" } : {}),
	};
	const picked = action.one
		? await window.showQuickPick(items, options)
		: await window.showQuickPick(items, { ...options, canPickMany: true });
	return [picked ?? []].flat().map(({ entry }) => entry);
}

/** Ids that a command's arguments name; undefined when they name nothing, as from the palette. */
export function namedBy<E, N>(
	[target, all]: readonly unknown[],
	{ idsOf, selection, other }: Pick<Entries<E, N>, "idsOf" | "selection" | "other">,
): readonly string[] | undefined {
	const shown = other?.(target);
	if (shown !== undefined) {
		return [shown];
	}
	const ids = [...new Set(meant(target, all, selection()).flatMap((node) => (node ? idsOf(node) : [])))];
	return ids.length > 0 ? ids : undefined;
}

/** The nodes that are meant: those that were named, and all that are selected where it is one of them. */
function meant<N>(target: unknown, all: unknown, selected: readonly N[]): readonly N[] {
	if (Array.isArray(all) && all.length > 0) {
		return all;
	}
	return selected.includes(target as N) || isUnresolved(target) ? selected : [target as N];
}

/** The one node that a command was called on, by a menu or a key. */
export function nodeNamedBy<N>(target: N | Focused | undefined, selected: readonly N[]): N | undefined {
	return isUnresolved(target) ? selected[0] : target;
}

/** An editor that does not know which entry has the focus leaves the argument as it is. */
function isUnresolved(target: unknown): target is Focused {
	return typeof (target as Focused | undefined)?.$treeViewId === "string";
}
