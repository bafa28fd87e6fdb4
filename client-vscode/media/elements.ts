/** Elements without markup: all text is set as text. */

export type Child = Node | string;

/** Makes an element; what is no property of it (`aria-…`, `role`) is set as an attribute. */
export function element<K extends keyof HTMLElementTagNameMap>(
	tag: K,
	given: Readonly<Record<string, string | number | boolean>>,
	...children: readonly Child[]
): HTMLElementTagNameMap[K] {
	const made = document.createElement(tag);
	for (const [name, value] of Object.entries(given)) {
		if (name in made && name !== "role") {
			Object.assign(made, { [name]: value });
		} else {
			made.setAttribute(name, String(value));
		}
	}
	made.append(...children);
	return made;
}

/** Strokes in a square of 16. */
const ICONS = {
	filter: "M2 3.5h12M4.5 8h7M7 12.5h2",
	quote: "M6 3.5H3v4h3v1.5c0 1.5-.7 2.6-2.5 3M13 3.5h-3v4h3v1.5c0 1.5-.7 2.6-2.5 3",
	split: "M2.5 3h11v10h-11zM8 3v10",
	like: "M2.5 2.5h7v7h-7zM6.5 11.5v2h7v-7h-2",
	why: "M8 7.5v4M8 4.6v.8M8 1.8a6.2 6.2 0 1 0 .01 0z",
	unfold: "M4 6l4 4 4-4",
	refresh: "M12.8 5.6A5.3 5.3 0 1 0 13.3 8M13.2 2.6v3.2H10",
} as const;

export function icon(name: keyof typeof ICONS): SVGElement {
	const space = "http://www.w3.org/2000/svg";
	const made = document.createElementNS(space, "svg");
	made.setAttribute("viewBox", "0 0 16 16");
	made.setAttribute("aria-hidden", "true");
	const path = document.createElementNS(space, "path");
	path.setAttribute("d", ICONS[name]);
	made.append(path);
	return made;
}

/** @param pressed for one that stays down: whether it is. */
export function iconButton(
	name: keyof typeof ICONS,
	title: string,
	act: () => void,
	pressed?: boolean,
): HTMLButtonElement {
	const made = element("button", { type: "button", className: "icon", title, "aria-label": title }, icon(name));
	if (pressed !== undefined) {
		made.setAttribute("aria-expanded", String(pressed));
	}
	made.addEventListener("click", act);
	return made;
}

const stamps = new WeakMap<Element, string>();

/** Draws a list; what is as before stays the very element that it was, and so do focus and selection in it. */
export function keyed<T>(
	parent: HTMLElement,
	all: readonly T[],
	stamp: (one: T) => readonly [key: string, whole: unknown],
	make: (one: T) => HTMLElement,
): void {
	const known = new Map([...parent.children].map((child) => [(child as HTMLElement).dataset.id ?? "", child]));
	const wanted = all.map((one) => {
		const [key, whole] = stamp(one);
		const text = JSON.stringify(whole);
		const old = known.get(key);
		if (old && stamps.get(old) === text) {
			return old;
		}
		const made = make(one);
		stamps.set(made, text);
		return made;
	});
	const keep = new Set<Element>(wanted);
	const focused = focusOf(parent);
	for (const child of [...parent.children]) {
		if (!keep.has(child)) {
			child.remove();
		}
	}
	for (const [at, child] of wanted.entries()) {
		if (parent.children[at] !== child) {
			parent.insertBefore(child, parent.children[at] ?? null);
		}
	}
	focused?.();
}

/** What gives the focus back to where it is now, in elements that are made anew. */
function focusOf(parent: HTMLElement): (() => void) | undefined {
	const active = document.activeElement;
	const row = active instanceof HTMLElement ? active.closest<HTMLElement>("[data-id]") : undefined;
	if (!(active instanceof HTMLElement) || !row || !parent.contains(row)) {
		return undefined;
	}
	const place = [...parent.children].indexOf(row);
	const { id } = row.dataset;
	const label = active.getAttribute("aria-label");
	return () => {
		if (active.isConnected) {
			return;
		}
		const rows = [...parent.children] as HTMLElement[];
		const now = rows.find((one) => one.dataset.id === id);
		const same = [...(now?.querySelectorAll<HTMLElement>("button") ?? [])].find(
			(one) => one.getAttribute("aria-label") === label,
		);
		const near = now ?? rows[Math.min(place, rows.length - 1)];
		(same ?? near?.querySelector<HTMLElement>(".main"))?.focus();
	};
}
