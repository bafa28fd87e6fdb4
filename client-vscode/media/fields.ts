/** The fields of the Search view: what is looked for, and where. */
import type { Asked } from "../src/search/messages";
import { element, iconButton } from "./elements";

export class Fields {
	readonly query = element("input", {
		id: "query",
		type: "text",
		maxLength: 1000,
		placeholder: "A name, some words, or a question",
		"aria-label": "Search code and documents. Up and down: queries before this one",
		autocomplete: "off",
		spellcheck: false,
	});
	readonly form: HTMLFormElement;

	private readonly mode = select("Find by", [
		["hybrid", "Words and meaning"],
		["lexical", "Words"],
		["semantic", "Meaning"],
	]);
	private readonly content = select("In", [
		["all", "Code and documents"],
		["code", "Code"],
		["docs", "Documents"],
	]);
	private readonly paths = field("Paths", "src/**, !**/test*/**");
	private readonly languages = field("Languages", "python, ts");
	private readonly filters: HTMLElement;
	private readonly toggle: HTMLButtonElement;

	/** @param opened called when the filters were opened or closed. */
	constructor(opened: () => void) {
		const { mode, content, paths, languages } = this;
		this.filters = element("div", { id: "filters" }, mode.row, content.row, paths.row, languages.row);
		this.toggle = iconButton("filter", "Filters", () => {
			this.open = !this.open;
			opened();
		});
		this.toggle.setAttribute("aria-controls", "filters");
		const box = element("div", { className: "box" }, this.query, this.toggle);
		this.form = element("form", { role: "search" }, box, this.filters);
	}

	/** Whether the filters are to be seen. */
	get open(): boolean {
		return !this.filters.hidden;
	}

	set open(open: boolean) {
		this.filters.hidden = !open;
		this.draw();
	}

	get asked(): Asked {
		return {
			query: this.query.value,
			mode: this.mode.input.value as Asked["mode"],
			content: this.content.input.value as Asked["content"],
			paths: this.paths.input.value,
			languages: this.languages.input.value,
		};
	}

	set asked(values: Asked) {
		this.query.value = values.query;
		this.mode.input.value = values.mode;
		this.content.input.value = values.content;
		this.paths.input.value = values.paths;
		this.languages.input.value = values.languages;
		this.draw();
	}

	/** Tells by the button whether a filter is set that nobody may see. */
	draw(): void {
		const on = filtered(this.asked);
		this.toggle.setAttribute("aria-expanded", String(this.open));
		this.toggle.classList.toggle("on", on);
		this.toggle.title = on ? "Filters (some are set)" : "Filters";
		this.toggle.setAttribute("aria-label", this.toggle.title);
	}
}

export function filtered({ mode, content, paths, languages }: Asked): boolean {
	return mode !== "hybrid" || content !== "all" || Boolean(paths.trim() || languages.trim());
}

function select(label: string, options: readonly (readonly [string, string])[]) {
	const input = element("select", {}, ...options.map(([value, text]) => element("option", { value }, text)));
	return { input, row: labelled(label, input) };
}

function field(label: string, placeholder: string) {
	const input = element("input", { type: "text", placeholder, autocomplete: "off", spellcheck: false });
	return { input, row: labelled(label, input) };
}

function labelled(label: string, input: HTMLElement): HTMLElement {
	input.id = `filter-${label.replace(" ", "-")}`;
	return element("div", { className: "field" }, element("label", { htmlFor: input.id }, label), input);
}
