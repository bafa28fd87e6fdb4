/** *Search Workspace*: results while typing, and the file at the hit. */
import type { QuickPickItem } from "vscode";
import { toRange } from "../evidenceMarks";
import { errorMessage, isCancelled, newsOf, type SearchItem, type Send, type Range as WireRange } from "../protocol";
import { tokenOf } from "../search/cancelling";
import { commands, env, ThemeIcon, Uri, ViewColumn, window, workspace } from "../vscodeapi";

/** Typing rests this long before a query is sent, in milliseconds. */
const DEBOUNCE = 120;
const LIMIT = 30;

const COPY = { iconPath: new ThemeIcon("quote"), tooltip: "Copy evidence reference" };
const BESIDE = { iconPath: new ThemeIcon("split-horizontal"), tooltip: "Open to the side" };
const IN_VIEW = { iconPath: new ThemeIcon("list-selection"), tooltip: "Show in the Search view" };

interface Result extends QuickPickItem {
	readonly hit?: SearchItem;
}

export async function searchWorkspace(send: Send): Promise<void> {
	const pick = window.createQuickPick<Result>();
	pick.title = "Search Workspace";
	pick.placeholder = "A name, some words, or a question";
	pick.buttons = [IN_VIEW];
	let timer: NodeJS.Timeout | undefined;
	let running: AbortController | undefined;

	const query = async (text: string) => {
		const mine = new AbortController();
		running = mine;
		pick.busy = true;
		try {
			const answer = await send("search/query", { query: text, limit: LIMIT }, tokenOf(mine.signal));
			if (mine.signal.aborted) {
				return;
			}
			pick.items = answer.items.length ? answer.items.map(resultOf) : [saying("Nothing found")];
			pick.title = ["Search Workspace", ...newsOf(answer.notices)].join(" · ");
		} catch (error) {
			if (!mine.signal.aborted && !isCancelled(error)) {
				pick.items = [saying(errorMessage(error))];
			}
		} finally {
			if (running === mine) {
				pick.busy = false;
			}
		}
	};

	pick.onDidChangeValue((value) => {
		clearTimeout(timer);
		running?.abort();
		const text = value.trim();
		if (text) {
			timer = setTimeout(() => void query(text), DEBOUNCE);
		} else {
			pick.items = [];
		}
	});
	pick.onDidAccept(() => {
		const hit = pick.selectedItems[0]?.hit;
		if (hit) {
			pick.hide();
			void openHit(hit);
		}
	});
	pick.onDidTriggerItemButton(({ item, button }) => {
		if (item.hit && button === COPY) {
			void env.clipboard.writeText(item.hit.reference);
		} else if (item.hit) {
			void openHit(item.hit, "beside");
		}
	});
	pick.onDidTriggerButton(() => {
		const text = pick.value.trim();
		pick.hide();
		void commands.executeCommand("vademecum.search.find", text);
	});
	pick.onDidHide(() => {
		clearTimeout(timer);
		running?.abort();
		pick.dispose();
	});
	pick.show();
}

/**
 * Opens the file with the cursor on the best match.
 *
 * @param how `peek` leaves the focus where it is.
 * @param line from 1, to open it there instead.
 */
export async function openHit(
	hit: SearchItem,
	how: "here" | "beside" | "peek" = "here",
	line = matchOf(hit).start.line + 1,
): Promise<void> {
	try {
		const document = await workspace.openTextDocument(Uri.parse(hit.uri, true));
		const match = matchOf(hit);
		const start = { line: line - 1, character: 0 };
		await window.showTextDocument(document, {
			selection: toRange(match.start.line === start.line ? match : { start, end: start }),
			...(how === "beside" ? { viewColumn: ViewColumn.Beside } : {}),
			...(how === "peek" ? { preserveFocus: true } : {}),
		});
	} catch (error) {
		void window.showWarningMessage(`Cannot be opened: ${errorMessage(error)}`);
	}
}

function matchOf({ match, range }: SearchItem): WireRange {
	return match ?? { start: range.start, end: range.start };
}

/**
 * One entry of the list. Every result is shown, in the server's order. The list would put those first whose label holds
 * what was typed, so the label holds no text.
 */
export function resultOf(hit: SearchItem): Result {
	const matched = hit.match ? hit.match.start.line - hit.range.start.line : 0;
	const lines = (hit.snippet ?? "").split("\n");
	const shown = (lines[matched]?.trim() ? lines[matched] : lines.find((line) => line.trim()))?.trim();
	const line = (hit.match ?? hit.range).start.line + 1;
	return {
		label: `$(${iconOf(hit.kind)})`,
		description: `${hit.path}:${line}${hit.stale ? " · changed since indexed" : ""}`,
		detail: shown || hit.symbol || hit.path,
		alwaysShow: true,
		buttons: [COPY, BESIDE],
		hit,
	};
}

function iconOf(kind: string | null | undefined): string {
	switch (kind) {
		case "class":
		case "struct":
		case "interface":
		case "enum":
			return `symbol-${kind}`;
		case "function":
		case "method":
			return "symbol-method";
		case "section":
		case "heading":
			return "book";
		default:
			return "file";
	}
}

function saying(text: string): Result {
	return { label: text, alwaysShow: true };
}

export function registerSearchCommand(send: Send) {
	return commands.registerCommand("vademecum.searchWorkspace", () => searchWorkspace(send));
}
