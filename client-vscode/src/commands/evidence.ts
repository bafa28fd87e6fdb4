/** *Cite Selection* and *Verify All References*. */
import type {
	CancellationToken,
	CodeAction,
	DiagnosticCollection,
	Diagnostic as DiagnosticType,
	Disposable,
	Progress,
	Uri as UriType,
} from "vscode";
import { SOURCE, toRange } from "../evidenceMarks";
import { counted } from "../knowledge/words";
import type { Log } from "../log";
import { errorMessage, isCancelled, type Send, type Verdict } from "../protocol";
import {
	CodeActionKind,
	commands,
	Diagnostic,
	env,
	languages,
	ProgressLocation,
	Range,
	window,
	workspace,
} from "../vscodeapi";

/** Files in which references are looked for. */
const TEXTS = "**/*.{md,markdown,mdx,txt,rst,adoc,org}";
const NOT_LOOKED_INTO = "**/{node_modules,.git,.venv,venv,dist,build}/**";
const MOST_FILES = 5_000;
/** Larger files are left out, in bytes. */
const LARGEST_FILE = 2_000_000;
/** By its end a reference is known. */
const REFERENCE = /:\d+-\d+@[0-9a-f]{16}/;

const SHOW_PROBLEMS = "Show Problems";
const RELOCATE = "Relocate What Moved";

/** Copies a reference to the selected lines, or to the line of the cursor. */
export async function citeSelection(send: Send): Promise<void> {
	const editor = window.activeTextEditor;
	if (editor?.document.uri.scheme !== "file") {
		void window.showInformationMessage("Open the file whose lines are to be cited first.");
		return;
	}
	const { document, selection } = editor;
	const range = {
		start: { line: selection.start.line, character: selection.start.character },
		end: { line: selection.end.line, character: selection.end.character },
	};
	try {
		const { reference } = await send("evidence/cite", { uri: document.uri.toString(), range });
		await env.clipboard.writeText(reference);
		void window.showInformationMessage(`Copied: ${reference}`);
	} catch (error) {
		void window.showErrorMessage(`Not cited: ${errorMessage(error)}`);
	}
}

/** What verifying found. */
export interface Findings {
	files: number;
	/** How many references stand in each way. */
	readonly verdicts: Map<Verdict, number>;
	readonly wrong: Map<string, { readonly uri: UriType; readonly diagnostics: DiagnosticType[] }>;
	/** Why files could not be looked at, one for each. */
	readonly missed: string[];
}

const WORDS: Readonly<Record<Exclude<Verdict, "valid">, string>> = {
	relocated: "moved",
	changed: "changed",
	deleted: "gone",
	ambiguous: "ambiguous",
	excluded: "excluded",
	unreadable: "unreadable",
};

/** One sentence, and another one where there is something that nobody looked at. */
export function findingsText({ files, verdicts, missed }: Pick<Findings, "files" | "verdicts" | "missed">): string {
	const [why] = missed;
	const left = why ? `${counted(missed.length, "file", "files")} could not be looked at: ${why}` : "";
	const total = [...verdicts.values()].reduce((sum, count) => sum + count, 0);
	if (total === 0) {
		return left || "There are no references in the texts of this workspace.";
	}
	const wrong = (Object.keys(WORDS) as (keyof typeof WORDS)[])
		.filter((verdict) => verdicts.get(verdict))
		.map((verdict) => `${verdicts.get(verdict)} ${WORDS[verdict]}`);
	const judged = `${counted(total, "reference", "references")} in ${counted(files, "file", "files")}`;
	return `${judged}: ${wrong.length === 0 ? "all hold" : wrong.join(", ")}.${left && ` ${left}`}`;
}

/** Judges every reference in the texts of the open folders; what does not hold is listed under *Problems*. */
export async function verifyAll(send: Send, log: Log, collection: DiagnosticCollection): Promise<void> {
	const options = { location: ProgressLocation.Notification, title: "Verifying references", cancellable: true };
	let findings: Findings | undefined;
	try {
		findings = await window.withProgress(options, (progress, token) => look(send, log, progress, token));
	} catch (error) {
		if (!isCancelled(error)) {
			void window.showErrorMessage(`Not verified: ${errorMessage(error)}`);
		}
	}
	if (!findings) {
		return;
	}
	collection.clear();
	const visible = new Set(window.visibleTextEditors.map(({ document }) => document.uri.toString()));
	for (const [key, { uri, diagnostics }] of findings.wrong) {
		// Those of a text that is shown are there already.
		if (!visible.has(key)) {
			collection.set(uri, diagnostics);
		}
	}
	const message = findingsText(findings);
	const actions = [
		...(findings.wrong.size > 0 ? [SHOW_PROBLEMS] : []),
		...(findings.verdicts.get("relocated") ? [RELOCATE] : []),
	];
	const show =
		findings.wrong.size + findings.missed.length > 0 ? window.showWarningMessage : window.showInformationMessage;
	const choice = await show(message, ...actions);
	if (choice === SHOW_PROBLEMS) {
		await commands.executeCommand("workbench.actions.view.problems");
	} else if (choice === RELOCATE) {
		await relocate([...findings.wrong.values()].map(({ uri }) => uri));
	}
}

async function look(
	send: Send,
	log: Log,
	progress: Progress<{ message?: string; increment?: number }>,
	token: CancellationToken,
): Promise<Findings | undefined> {
	const findings: Findings = { files: 0, verdicts: new Map(), wrong: new Map(), missed: [] };
	const files = await workspace.findFiles(TEXTS, NOT_LOOKED_INTO, MOST_FILES, token);
	for (const uri of files) {
		if (token.isCancellationRequested) {
			return undefined;
		}
		progress.report({ message: workspace.asRelativePath(uri), increment: 100 / files.length });
		try {
			if (await mentionsAny(uri)) {
				await judge(send, uri, findings, token);
			}
		} catch (error) {
			if (isCancelled(error)) {
				return undefined;
			}
			findings.missed.push(errorMessage(error));
			log.info(`references in ${uri}: ${errorMessage(error)}`);
		}
	}
	return findings;
}

async function mentionsAny(uri: UriType): Promise<boolean> {
	const { size } = await workspace.fs.stat(uri);
	if (size > LARGEST_FILE) {
		return false;
	}
	return REFERENCE.test(new TextDecoder().decode(await workspace.fs.readFile(uri)));
}

/** The server judges what the editor has open; a text that is opened and not shown is closed by the editor in time. */
async function judge(send: Send, uri: UriType, findings: Findings, token: CancellationToken): Promise<void> {
	const document = await workspace.openTextDocument(uri);
	const textDocument = { uri: document.uri.toString() };
	const { items } = await send("textDocument/diagnostic", { textDocument }, token);
	const links = (await send("textDocument/documentLink", { textDocument }, token)) ?? [];
	const starts = new Set(
		[...links, ...(items ?? [])].map(({ range }) => `${range.start.line}:${range.start.character}`),
	);
	if (starts.size === 0) {
		return;
	}
	findings.files += 1;
	const count = (verdict: Verdict, by: number) =>
		findings.verdicts.set(verdict, (findings.verdicts.get(verdict) ?? 0) + by);
	for (const { code } of items ?? []) {
		count(code, 1);
	}
	count("valid", starts.size - (items?.length ?? 0));
	if (items?.length) {
		const diagnostics = items.map(({ range, message, severity, code }) => {
			// LSP counts severities from 1, the editor from 0.
			const diagnostic = new Diagnostic(toRange(range), message, severity - 1);
			diagnostic.source = SOURCE;
			diagnostic.code = code;
			return diagnostic;
		});
		findings.wrong.set(textDocument.uri, { uri, diagnostics });
	}
}

/** Has the server mend what only moved; the files are left unsaved, to be looked at. */
async function relocate(uris: readonly UriType[]): Promise<void> {
	let mended = 0;
	try {
		for (const uri of uris) {
			const document = await workspace.openTextDocument(uri);
			const whole = new Range(0, 0, document.lineCount, 0);
			const kind = CodeActionKind.SourceFixAll.append("vademecum").value;
			const actions = await commands.executeCommand<CodeAction[]>(
				"vscode.executeCodeActionProvider",
				uri,
				whole,
				kind,
				1,
			);
			const edit = actions?.find((action) => action.edit)?.edit;
			if (edit && (await workspace.applyEdit(edit))) {
				mended += 1;
				await window.showTextDocument(document, { preview: false });
			}
		}
	} catch (error) {
		void window.showErrorMessage(`Not relocated: ${errorMessage(error)}`);
		return;
	}
	void window.showInformationMessage(
		mended ? `Relocated in ${counted(mended, "file", "files")}; save what is right.` : "Nothing could be relocated.",
	);
}

export function registerEvidenceCommands(send: Send, log: Log): Disposable[] {
	const collection = languages.createDiagnosticCollection("vademecum.verified");
	const forgetShown = () => {
		for (const { document } of window.visibleTextEditors) {
			collection.delete(document.uri);
		}
	};
	return [
		collection,
		// The server's own take their place, and follow what happens from then on.
		window.onDidChangeVisibleTextEditors(forgetShown),
		workspace.onDidChangeTextDocument(({ document }) => collection.delete(document.uri)),
		commands.registerCommand("vademecum.citeSelection", () => citeSelection(send)),
		commands.registerCommand("vademecum.verifyAll", () => verifyAll(send, log, collection)),
	];
}
