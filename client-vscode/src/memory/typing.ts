/**
 * Typing in the head of a memory's file. What may be written there the server offers; but in Markdown the editor opens no
 * list by itself, so that prose is not disturbed, and a head is no prose.
 */
import type { CompletionItem, CompletionList, Disposable, TextDocument, TextDocumentChangeEvent } from "vscode";
import type { Middleware } from "vscode-languageclient";
import { commands, window, workspace } from "../vscodeapi";

/** A file that may be a memory's; the server knows which are. */
const FILE = /[\\/]memory[\\/][^\\/]+\.md$/i;
/** Heads are short; a text that has no end of one by then has none. */
const LONGEST_HEAD = 200;

/** What the server says of what it offers in a head: whether the next thing can be chosen, too. */
type Offered = CompletionItem & { readonly data?: { readonly memory?: { readonly more: boolean } } };

const OPEN = "editor.action.triggerSuggest";
/** So that nothing is shown where there is nothing. */
const BY_ITSELF = { auto: true };

export class HeadTyping implements Disposable {
	/** The line on which values were offered right after a colon; the blank that is usually typed next closes the list. */
	private choosing: string | undefined;
	private readonly listener = workspace.onDidChangeTextDocument((event) => this.typed(event));

	/** What the server offers passes through here. */
	readonly complete: NonNullable<Middleware["provideCompletionItem"]> = async (
		document,
		position,
		context,
		token,
		next,
	) => {
		const found = await next(document, position, context, token);
		const offered = itemsOf(found).filter(({ data }) => data?.memory !== undefined);
		const isAfterColon = offered.length > 0 && context.triggerCharacter === ":";
		this.choosing = isAfterColon ? placeOf(document, position.line) : undefined;
		for (const item of offered) {
			if (item.data?.memory?.more) {
				item.command = { command: OPEN, title: "", arguments: [BY_ITSELF] };
			}
		}
		return found;
	};

	dispose(): void {
		this.listener.dispose();
	}

	private typed({ contentChanges, document, reason }: TextDocumentChangeEvent): void {
		const [change] = contentChanges;
		const isHere = document === window.activeTextEditor?.document && FILE.test(document.uri.fsPath);
		if (!isHere || change === undefined || contentChanges.length > 1 || reason !== undefined) {
			return;
		}
		const { line, character } = change.range.start;
		const isBlank = change.text === " " && this.choosing === placeOf(document, line);
		const isFirst = character === 0 && /^[a-z]$/i.test(change.text) && document.lineAt(line).text === change.text;
		if (isBlank || (isFirst && isInHead(document, line))) {
			void commands.executeCommand(OPEN, BY_ITSELF);
		}
		this.choosing = undefined;
	}
}

function itemsOf(found: CompletionItem[] | CompletionList | null | undefined): Offered[] {
	return (Array.isArray(found) ? found : (found?.items ?? [])) as Offered[];
}

function placeOf(document: TextDocument, line: number): string {
	return `${document.uri}#${line}`;
}

/** Whether a line is of the front matter, also of one that is not ended yet. */
function isInHead(document: TextDocument, line: number): boolean {
	if (line === 0 || line > LONGEST_HEAD || !/^---\s*$/.test(document.lineAt(0).text)) {
		return false;
	}
	for (let above = 1; above < line; above++) {
		if (/^(---|\.\.\.)\s*$/.test(document.lineAt(above).text)) {
			return false;
		}
	}
	return true;
}
