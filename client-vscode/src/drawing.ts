/**
 * What a tree shows, drawn anew where it changed and nowhere else. While an entry is drawn, the editor has forgotten it:
 * a menu that is open on it, or a key pressed on it, would come without it.
 */
import type { Event } from "vscode";
import { EventEmitter } from "./vscodeapi";

/** An entry as it is to be shown, with those in it. */
export interface Part<N> {
	/** Names it among those beside it. */
	readonly id: string;
	readonly node: N;
	/** Changes with whatever is shown of the entry itself. */
	readonly look: string;
	/** None as well where they are not known yet; those are up to whoever asks for them. */
	readonly parts: readonly Part<N>[];
}

interface Shown<N> {
	readonly node: N;
	readonly look: string;
	readonly parts: ReadonlyMap<string, Shown<N>>;
}

export class Drawing<N extends object> {
	private readonly changed = new EventEmitter<N[] | undefined>();
	readonly onDidChange: Event<N[] | undefined> = this.changed.event;
	private shown: ReadonlyMap<string, Shown<N>> = new Map();

	/** Shows these from now on. Entries that stay where they are stay the same objects, which is how the editor knows them. */
	draw(parts: readonly Part<N>[]): void {
		const before = this.shown;
		this.shown = keep(before, parts);
		const changed = changes(before, this.shown);
		if (changed === undefined || changed.length > 0) {
			this.changed.fire(changed);
		}
	}

	/** The entries at the top. */
	get top(): N[] {
		return nodesOf(this.shown);
	}

	/** The entries in one; none where it is not shown any more. */
	within(node: N): N[] {
		return nodesOf(find(this.shown, node)?.parts ?? new Map());
	}

	/** The entry that one is in; undefined at the top, and where it is not shown any more. */
	parent(node: N, shown: ReadonlyMap<string, Shown<N>> = this.shown): N | undefined {
		for (const each of shown.values()) {
			const found = nodesOf(each.parts).includes(node) ? each.node : this.parent(node, each.parts);
			if (found) {
				return found;
			}
		}
		return undefined;
	}

	dispose(): void {
		this.changed.dispose();
	}
}

function keep<N extends object>(
	before: ReadonlyMap<string, Shown<N>> | undefined,
	parts: readonly Part<N>[],
): ReadonlyMap<string, Shown<N>> {
	return new Map(
		parts.map(({ id, node, look, parts: inner }) => {
			const known = before?.get(id);
			return [id, { node: known ? Object.assign(known.node, node) : node, look, parts: keep(known?.parts, inner) }];
		}),
	);
}

/** The entries to be drawn anew; undefined for all of them. */
function changes<N>(before: ReadonlyMap<string, Shown<N>>, now: ReadonlyMap<string, Shown<N>>): N[] | undefined {
	if (!sameKeys(before, now)) {
		return undefined;
	}
	return [...now].flatMap(([id, { node, look, parts }]) => {
		const known = before.get(id);
		return known?.look === look ? (changes(known.parts, parts) ?? [node]) : [node];
	});
}

function sameKeys(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): boolean {
	return one.size === other.size && [...one.keys()].join("\n") === [...other.keys()].join("\n");
}

function nodesOf<N>(shown: ReadonlyMap<string, Shown<N>>): N[] {
	return [...shown.values()].map(({ node }) => node);
}

function find<N>(shown: ReadonlyMap<string, Shown<N>>, node: N): Shown<N> | undefined {
	for (const each of shown.values()) {
		const found = each.node === node ? each : find(each.parts, node);
		if (found) {
			return found;
		}
	}
	return undefined;
}
