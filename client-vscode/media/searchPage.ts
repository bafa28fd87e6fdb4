/**
 * The Search view's page: it draws what the extension tells it (`Shown`) and tells the extension what is wanted. All text
 * of files is set as text, never as markup.
 */
import {
	type Asked,
	type FromPage,
	NOTHING_ASKED,
	type Shown,
	type ShownResult,
	type ToPage,
	type Way,
} from "../src/search/messages";
import { type Child, element, keyed } from "./elements";
import { Fields, filtered } from "./fields";
import { Grid } from "./grid";
import { drawRow } from "./resultRow";

declare function acquireVsCodeApi(): {
	postMessage(message: FromPage): void;
	getState(): Kept | undefined;
	setState(state: Kept): void;
};

/** What the page itself remembers while it is hidden: the rest is told to it. */
interface Kept {
	readonly asked: Asked;
	readonly asking: number | undefined;
	readonly filters: boolean;
	readonly unfolded: readonly number[];
	readonly explained: readonly number[];
	readonly at: number | undefined;
	readonly top: number;
}

/** Typing rests this long before a query is sent, in milliseconds. */
const DEBOUNCE = 200;

const WAYS: Readonly<Record<Way, string>> = {
	restart: "Restart Server",
	log: "Show Log",
	models: "Install Search Models",
	skipped: "What Is Not Searched",
	settings: "Open the Settings",
	openFolder: "Open a Folder",
};

const api = acquireVsCodeApi();
const before = api.getState();
const send = (message: FromPage) => api.postMessage(message);

let shown: Shown | undefined;
let asking = before?.asking;
const unfolded = new Set(before?.unfolded);
const explained = new Set(before?.explained);

const fields = new Fields(() => keep());
const { form, query } = fields;

// Searching.

let timer: ReturnType<typeof setTimeout> | undefined;
/** Where in the history the field is; -1: at what is being typed. */
let past = -1;
let draft = "";

function search(kept: boolean): void {
	clearTimeout(timer);
	keep();
	fields.draw();
	send({ kind: "search", asked: fields.asked, kept });
}

function soon(): void {
	clearTimeout(timer);
	if (shown?.busy) {
		send({ kind: "cancel" });
	}
	keep();
	timer = setTimeout(() => search(false), DEBOUNCE);
}

form.addEventListener("submit", (event) => {
	event.preventDefault();
	past = -1;
	search(true);
});
form.addEventListener("input", () => {
	past = -1;
	soon();
});
form.addEventListener("keydown", (event) => {
	if (event.key === "Enter" && event.target instanceof HTMLInputElement && !event.isComposing) {
		event.preventDefault();
		past = -1;
		search(true);
	}
});
query.addEventListener("keydown", (event) => {
	const history = shown?.history ?? [];
	if (event.key === "ArrowUp" && past + 1 < history.length) {
		// What stands there already is no step back.
		const next = past < 0 && history[0] === query.value ? 1 : past + 1;
		if (next < history.length) {
			event.preventDefault();
			draft = past < 0 ? query.value : draft;
			remembered(next, history);
		}
	} else if (event.key === "ArrowDown") {
		event.preventDefault();
		if (past >= 0) {
			remembered(past - 1, history);
		} else {
			grid.enter();
		}
	}
});

function remembered(at: number, history: readonly string[]): void {
	past = at;
	query.value = at < 0 ? draft : (history[at] ?? "");
	query.setSelectionRange(query.value.length, query.value.length);
	soon();
}

// What is found.

const bar = element("div", { id: "bar", role: "progressbar", "aria-label": "Index" }, element("div", {}));
const problem = element("div", { id: "problem", role: "alert" });
const like = element("div", { id: "like" });
const empty = element("div", { id: "empty" });
const list = element("div", { id: "results", role: "grid", "aria-label": "Results" });
const more = element("button", { id: "more", className: "wide" }, "More Results");
const notices = element("ul", { id: "notices", "aria-label": "About this answer" });
const index = element("footer", {});
const said = element("div", { className: "unseen", role: "status", "aria-live": "polite" });
/** Where the next page begins: who asked for it goes on there. */
let next: number | undefined;
more.addEventListener("click", () => {
	next = shown?.results.length;
	send({ kind: "more" });
});

const grid = new Grid(list, {
	out: () => query.focus(),
	moved: () => keep(),
	pressed: (id, event) => {
		const one = shown?.results.find((result) => result.id === id);
		if (!one) {
			return false;
		}
		if (event.key === "Enter") {
			send({ kind: "open", id, how: event.ctrlKey || event.metaKey ? "beside" : "here" });
		} else if (event.key === " ") {
			send({ kind: "open", id, how: "peek" });
		} else if (
			event.key.toLowerCase() === "c" &&
			(event.ctrlKey || event.metaKey) &&
			getSelection()?.isCollapsed !== false
		) {
			copy(id);
		} else {
			return false;
		}
		return true;
	},
});

function copy(id: number): void {
	send({ kind: "copy", id });
	announce("Reference copied");
}

function flip(set: Set<number>, id: number): void {
	if (!set.delete(id)) {
		set.add(id);
	}
	keep();
	draw();
}

function stateOf({ id }: ShownResult) {
	return { unfolded: unfolded.has(id), explained: explained.has(id) };
}

function drawResult(one: ShownResult): HTMLElement {
	const { id } = one;
	return drawRow(one, stateOf(one), {
		open: (how, line) => send({ kind: "open", id, how, ...(line ? { line } : {}) }),
		copy: () => copy(id),
		like: () => send({ kind: "like", id }),
		explain: () => explain(one),
		unfold: () => flip(unfolded, id),
		refresh: () => send({ kind: "refresh", id }),
	});
}

function explain(one: ShownResult): void {
	if (!one.signals) {
		send({ kind: "explain", id: one.id });
	}
	flip(explained, one.id);
}

function draw(): void {
	if (!shown) {
		return;
	}
	const { results, stage, busy } = shown;
	document.body.setAttribute("aria-busy", String(busy));
	document.body.classList.toggle("busy", busy);
	drawBar(shown);
	const ways = (shown.problem?.ways ?? []).map((way) => wayButton(way));
	const text = shown.problem ? [element("p", {}, shown.problem.text), ...ways] : [];
	change(problem, text);
	const { like: place } = shown;
	const back = shown.asked.query.trim() ? `Back to “${shown.asked.query.trim()}”` : "Close";
	change(like, place ? [`Similar to ${place} `, button(back, goBack)] : []);
	keyed(list, results, (one) => [String(one.id), [one, stateOf(one)]], drawResult);
	list.hidden = results.length === 0;
	grid.settle();
	if (next !== undefined && results.length > next) {
		grid.enter(results[next]?.id);
		next = undefined;
	}
	more.hidden = !shown.more;
	change(empty, results.length > 0 || stage === "failed" ? [] : stage === "nothing" ? START : nothing(shown));
	change(
		notices,
		shown.notices.map(({ text, way }) => element("li", {}, `${text} `, way ? wayButton(way) : "")),
	);
	const left = shown.index.skipped;
	change(index, [
		shown.index.text,
		...(left
			? [" · ", button(`${left.toLocaleString()} not searched`, () => send({ kind: "way", way: "skipped" }))]
			: []),
	]);
}

const START: readonly Child[] = [
	element("p", {}, "Finds code and documents of the open folders by names, by words and by what they mean."),
	element("p", {}, "Enter opens a result, Ctrl+Enter opens it to the side, Space shows it and stays here."),
];

/** The button goes, and would take the focus with it. */
function goBack(): void {
	query.focus();
	send({ kind: "back" });
}

function nothing(state: Shown): Child[] {
	if (state.busy) {
		return [];
	}
	const about = state.like ? "Nothing is like it." : `Nothing found for “${state.asked.query.trim()}”.`;
	const unset = () => {
		fields.asked = { ...NOTHING_ASKED, query: query.value };
		query.focus();
		search(false);
	};
	return [
		element("p", {}, about),
		!state.like && filtered(state.asked) ? button("Search without Filters", unset) : "",
		" ",
		state.index.progress === undefined ? wayButton("skipped") : element("p", {}, "The index is not complete yet."),
	];
}

function drawBar({ index: { progress, text }, busy }: Shown): void {
	const on = progress !== undefined || busy;
	bar.classList.toggle("on", on);
	bar.setAttribute("aria-hidden", String(!on));
	bar.classList.toggle("unknown", busy || progress === null);
	bar.setAttribute("aria-valuetext", text);
	const far = typeof progress === "number" ? progress : 0;
	(bar.firstElementChild as HTMLElement).style.width = busy || progress === null ? "" : `${far}%`;
	if (typeof progress === "number") {
		bar.setAttribute("aria-valuenow", String(far));
	} else {
		bar.removeAttribute("aria-valuenow");
	}
}

/** Sets children only where they say something else than before: a screen reader would read the same again. */
function change(parent: HTMLElement, children: readonly Child[]): void {
	const made = element("div", {}, ...children);
	if (made.textContent !== parent.dataset.was || made.childElementCount !== parent.childElementCount) {
		parent.dataset.was = made.textContent;
		parent.replaceChildren(...made.childNodes);
	}
	parent.hidden = children.length === 0;
}

function wayButton(way: Way): HTMLElement {
	return button(WAYS[way], () => send({ kind: "way", way }));
}

function button(text: string, pressed: () => void): HTMLElement {
	const made = element("button", { type: "button", className: "link" }, text);
	made.addEventListener("click", pressed);
	return made;
}

let told = 0;
function announce(text: string): void {
	// The same words again are read only when they are another text.
	said.textContent = said.textContent === text ? `${text}\u00a0` : text;
}

function keep(): void {
	api.setState({
		asked: fields.asked,
		asking,
		filters: fields.open,
		unfolded: [...unfolded],
		explained: [...explained],
		at: grid.at,
		top: scrollY,
	});
}

document.body.append(form, bar, problem, like, list, more, empty, notices, index, said);
if (before?.asked) {
	fields.asked = before.asked;
}
fields.open = before?.filters ?? false;

let first = true;
addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
	if (data.kind === "focus") {
		query.focus();
		query.select();
		return;
	}
	shown = data.shown;
	if (shown.asking !== asking) {
		asking = shown.asking;
		fields.asked = shown.asked;
		unfolded.clear();
		explained.clear();
	}
	draw();
	if (first) {
		first = false;
		told = shown.said.number;
		grid.at = before?.at;
		grid.settle();
		scrollTo(0, before?.top ?? 0);
	} else if (shown.said.number !== told) {
		told = shown.said.number;
		announce(shown.said.text);
	}
	keep();
});
addEventListener("scroll", () => keep(), { passive: true });
send({ kind: "ready" });
