/**
 * References in a text, each with a mark of how it stands: what still holds can be told at a glance, not only what does
 * not. What is wrong is the server's diagnostics' word; what is right is asked for.
 */
import type { Disposable, TextDocument, TextEditor } from "vscode";
import type { Log } from "./log";
import { errorMessage, type Send, type Verdict, type Range as WireRange } from "./protocol";
import type { Server } from "./server/server";
import { languages, Range, ThemeColor, window, workspace } from "./vscodeapi";

/** Typing rests this long before a text is looked at again, in milliseconds. */
const DEBOUNCE = 300;
const SETTING = "vademecum.markReferences";
/** What the server's diagnostics name as their source. */
export const SOURCE = "vademecum";

/** A reference of a document, where it stands in the text. */
export interface Standing {
	readonly range: WireRange;
	readonly verdict: Verdict;
}

/** One mark for each way to stand. The manifest has a colour for each kind of theme; the sign says the same without. */
const MARKS = {
	valid: { sign: "✓", color: "vademecum.referenceHolds" },
	moved: { sign: "↷", color: "vademecum.referenceMoved" },
	unsure: { sign: "?", color: "vademecum.referenceUnsure" },
	lost: { sign: "✗", color: "vademecum.referenceLost" },
} as const;

const VERDICTS: ReadonlySet<unknown> = new Set<Verdict>([
	"relocated",
	"changed",
	"ambiguous",
	"deleted",
	"excluded",
	"unreadable",
]);

type Mark = keyof typeof MARKS;

export function markOf(verdict: Verdict): Mark {
	switch (verdict) {
		case "valid":
			return "valid";
		case "relocated":
			return "moved";
		case "changed":
		case "deleted":
			return "lost";
		case "ambiguous":
		case "excluded":
		case "unreadable":
			return "unsure";
	}
}

/** What is known of the references in an open text. */
export async function standings(send: Send, document: TextDocument): Promise<Standing[]> {
	const uri = document.uri.toString();
	const links = (await send("textDocument/documentLink", { textDocument: { uri } })) ?? [];
	const told = languages
		.getDiagnostics(document.uri)
		.filter(({ source, code }) => source === SOURCE && VERDICTS.has(code)) // others are about a memory's file
		.map(({ range, code }) => ({ range, verdict: code as Verdict }));
	const unsaid = links.filter(({ range }) => !told.some((one) => sameStart(one.range, range)));
	const references = [...new Set(unsaid.flatMap(({ data }) => data?.reference ?? []))];
	const verdicts = new Map<string, Verdict>();
	if (references.length > 0) {
		const { items } = await send("evidence/verify", { references });
		for (const { reference, verdict } of items) {
			if (verdict) {
				verdicts.set(reference, verdict);
			}
		}
	}
	// A reference that fails here and has no diagnostic is about to get one, and is marked then.
	const valid = unsaid.filter(({ data }) => data?.reference !== undefined && verdicts.get(data.reference) === "valid");
	return [...told, ...valid.map(({ range }) => ({ range, verdict: "valid" as const }))];
}

function sameStart(one: WireRange, other: WireRange): boolean {
	return one.start.line === other.start.line && one.start.character === other.start.character;
}

/** Keeps the marks in all visible editors current. */
export function showReferenceMarks(server: Server, log: Log): Disposable {
	const types = Object.fromEntries(
		Object.entries(MARKS).map(([mark, { sign, color }]) => [
			mark,
			window.createTextEditorDecorationType({
				after: { contentText: sign, color: new ThemeColor(color), margin: "0 0 0 0.3em" },
			}),
		]),
	) as Record<Mark, ReturnType<typeof window.createTextEditorDecorationType>>;
	const timers = new Map<string, NodeJS.Timeout>();

	const enabled = () => workspace.getConfiguration().get<boolean>(SETTING, true);
	const draw = (editor: TextEditor, found: readonly Standing[]) => {
		for (const mark of Object.keys(MARKS) as Mark[]) {
			const ranges = found.filter(({ verdict }) => markOf(verdict) === mark).map(({ range }) => toRange(range));
			editor.setDecorations(types[mark], ranges);
		}
	};
	const look = async (document: TextDocument) => {
		const editors = () => window.visibleTextEditors.filter((editor) => editor.document === document);
		if (editors().length === 0) {
			return;
		}
		try {
			const { version } = document;
			const found = enabled() && server.state.kind === "running" ? await standings(server.send, document) : [];
			// What was found of an older text would stand at wrong places; a later look is on its way.
			if (document.version === version) {
				for (const editor of editors()) {
					draw(editor, found);
				}
			}
		} catch (error) {
			log.debug(`references in ${document.uri}: ${errorMessage(error)}`);
		}
	};
	const soon = (document: TextDocument, wait = DEBOUNCE) => {
		if (document.uri.scheme !== "file" && document.uri.scheme !== "untitled") {
			return;
		}
		const key = document.uri.toString();
		clearTimeout(timers.get(key));
		const timer = setTimeout(() => {
			timers.delete(key);
			void look(document);
		}, wait);
		timers.set(key, timer);
	};
	const all = () => {
		for (const { document } of window.visibleTextEditors) {
			soon(document);
		}
	};

	const listeners = [
		...Object.values(types),
		window.onDidChangeVisibleTextEditors(all),
		workspace.onDidChangeTextDocument(({ document }) => soon(document)),
		languages.onDidChangeDiagnostics(({ uris }) => {
			const changed = new Set(uris.map(String));
			for (const { document } of window.visibleTextEditors) {
				if (changed.has(document.uri.toString())) {
					soon(document);
				}
			}
		}),
		server.onDidChangeState(({ kind }) => kind !== "starting" && all()),
		workspace.onDidChangeConfiguration((change) => change.affectsConfiguration(SETTING) && all()),
	];
	all();
	return {
		dispose() {
			for (const timer of timers.values()) {
				clearTimeout(timer);
			}
			for (const listener of listeners) {
				listener.dispose();
			}
		},
	};
}

export function toRange({ start, end }: WireRange): Range {
	return new Range(start.line, start.character, end.line, end.character);
}
