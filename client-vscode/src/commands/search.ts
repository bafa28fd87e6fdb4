/** *Search Workspace*: results while typing, and the file at the hit. */
import { toRange } from "../evidenceMarks";
import { type Found, findWhileTyping, saying } from "../finding";
import { errorMessage, newsOf, type SearchItem, type Send, type Range as WireRange } from "../protocol";
import { commands, env, ThemeIcon, Uri, ViewColumn, window, workspace } from "../vscodeapi";

const LIMIT = 30;

const COPY = { iconPath: new ThemeIcon("quote"), tooltip: "Copy evidence reference" };
const BESIDE = { iconPath: new ThemeIcon("split-horizontal"), tooltip: "Open to the side" };
const IN_VIEW = { iconPath: new ThemeIcon("list-selection"), tooltip: "Show in the Search view" };

export async function searchWorkspace(send: Send): Promise<void> {
	const pick = window.createQuickPick<Found<SearchItem>>();
	pick.title = "Search Workspace";
	pick.placeholder = "A name, some words, or a question";
	pick.buttons = [IN_VIEW];
	pick.onDidTriggerButton(() => {
		const text = pick.value.trim();
		pick.hide();
		void commands.executeCommand("vademecum.search.find", text);
	});
	findWhileTyping(pick, {
		find: async (text, token) => {
			const answer = await send("search/query", { query: text, limit: LIMIT }, token);
			if (!token.isCancellationRequested) {
				pick.title = ["Search Workspace", ...newsOf(answer.notices)].join(" · ");
			}
			return answer.items.length ? answer.items.map(resultOf) : [saying("Nothing found")];
		},
		open: (hit) => void openHit(hit),
		press: (hit, button) => {
			if (button === COPY) {
				void env.clipboard.writeText(hit.reference);
			} else {
				void openHit(hit, "beside");
			}
		},
	});
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
export function resultOf(hit: SearchItem): Found<SearchItem> {
	const matched = hit.match ? hit.match.start.line - hit.range.start.line : 0;
	const lines = (hit.snippet ?? "").split("\n");
	const shown = (lines[matched]?.trim() ? lines[matched] : lines.find((line) => line.trim()))?.trim();
	const line = (hit.match ?? hit.range).start.line + 1;
	return {
		label: `$(${iconOf(hit.kind)})`,
		description: `${inOrder(hit.path)}:${line}${hit.stale ? " · changed since indexed" : ""}`,
		detail: shown || hit.symbol || hit.path,
		alwaysShow: true,
		buttons: [COPY, BESIDE],
		hit,
	};
}

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const LEFT_TO_RIGHT_MARK = "\u200e";

/** A path whose parts are shown one after the other: two that are read from the right would change places. */
function inOrder(path: string): string {
	return RIGHT_TO_LEFT.test(path) ? `${path.replaceAll("/", `/${LEFT_TO_RIGHT_MARK}`)}${LEFT_TO_RIGHT_MARK}` : path;
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

export function registerSearchCommand(send: Send) {
	return commands.registerCommand("vademecum.searchWorkspace", () => searchWorkspace(send));
}
