/** One result as a row of the grid: what it is, its lines, and what can be done with it. */
import type { ShownLine, ShownResult } from "../src/search/messages";
import { type Child, element, iconButton } from "./elements";

export interface RowState {
	readonly unfolded: boolean;
	readonly explained: boolean;
}

export interface RowActions {
	open(how: "here" | "beside", line?: number): void;
	copy(): void;
	like(): void;
	explain(): void;
	unfold(): void;
	refresh(): void;
}

export function drawRow(one: ShownResult, { unfolded, explained }: RowState, act: RowActions): HTMLElement {
	const code = `code-${one.id}`;
	const lines = one.lines.filter(({ near }) => near || unfolded);
	const main = element(
		"div",
		{ className: "main", role: "gridcell", tabIndex: -1, "aria-label": spoken(one), "aria-describedby": code },
		headOf(one),
		element("div", { className: "code", id: code }, ...linesOf(lines, one.line)),
	);
	main.addEventListener("click", (event) => {
		// Who selects text in it wants the text.
		if (getSelection()?.isCollapsed !== false) {
			const line = Number((event.target as Element).closest<HTMLElement>(".line")?.dataset.line);
			act.open(event.ctrlKey || event.metaKey ? "beside" : "here", line || undefined);
		}
	});
	const folds = one.lines.some(({ near }) => !near);
	const buttons = [
		...(one.lost ? [iconButton("refresh", "Refresh This Result", act.refresh)] : []),
		iconButton("quote", "Copy Reference", act.copy),
		iconButton("split", "Open to the Side", () => act.open("beside")),
		iconButton("like", "Similar Code", act.like),
		iconButton("why", "Explain Score", act.explain, explained),
		...(folds ? [iconButton("unfold", `Show All ${one.lines.length} Lines`, act.unfold, unfolded)] : []),
	];
	const cells = buttons.map((button) => {
		button.tabIndex = -1;
		return element("div", { role: "gridcell" }, button);
	});
	const row = element(
		"div",
		{ className: one.lost ? "result gone" : "result", role: "row" },
		main,
		element("div", { className: "tools", role: "presentation" }, ...cells),
		explained && one.signals ? whyOf(one.signals) : "",
	);
	row.dataset.id = String(one.id);
	return row;
}

function headOf(one: ShownResult): HTMLElement {
	const folders = one.path.split("/");
	const name = folders.pop() ?? "";
	return element(
		"div",
		{ className: "head" },
		element("span", { className: "name" }, name, element("span", { className: "at" }, `:${one.line}`)),
		one.symbol ? element("span", { className: "symbol" }, one.symbol) : "",
		one.kind ? element("span", { className: "kind" }, one.kind) : "",
		one.lost ? element("span", { className: "lost", title: one.lost.why }, one.lost.mark) : "",
		one.note && !one.lost ? element("span", { className: "note", title: one.note }, "newer than the index") : "",
		element("span", { className: "folder" }, [one.folder, folders.join("/")].filter(Boolean).join(" · ")),
	);
}

function linesOf(lines: readonly ShownLine[], best: number): HTMLElement[] {
	return lines.flatMap((line, at) => {
		const parts: Child[] = [];
		let done = 0;
		for (const [from, to] of line.marks) {
			parts.push(line.text.slice(done, from), element("mark", {}, line.text.slice(from, to)));
			done = to;
		}
		const drawn = element(
			"div",
			{ className: line.number === best ? "line best" : "line" },
			element("span", { className: "number", "aria-hidden": "true" }, String(line.number)),
			element("span", { className: "text" }, ...parts, line.text.slice(done)),
		);
		drawn.dataset.line = String(line.number);
		const before = lines[at - 1];
		const gap = before && line.number > before.number + 1;
		return gap ? [element("div", { className: "gap", "aria-hidden": "true" }, "⋯"), drawn] : [drawn];
	});
}

function whyOf(signals: NonNullable<ShownResult["signals"]>): HTMLElement {
	const list = signals.flatMap(({ label, value }) => [element("dt", {}, label), element("dd", {}, value)]);
	return element("div", { className: "why", role: "gridcell", tabIndex: -1 }, element("dl", {}, ...list));
}

function spoken({ symbol, kind, path, folder, line, lost, note }: ShownResult): string {
	return [symbol, symbol && kind, `${path} line ${line}`, folder, lost?.why ?? note].filter(Boolean).join(", ");
}
