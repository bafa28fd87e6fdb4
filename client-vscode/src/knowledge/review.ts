/**
 * Documents to look at, read-only: the one that waits for review, beside the one that is served where there are both,
 * and a section at its line. What is shown is exactly the revision that is published or served, or a word why not.
 */
import type { Disposable, TextDocumentContentProvider, Uri as UriType } from "vscode";
import { brief } from "../brief";
import { errorMessage } from "../protocol";
import { commands, Range, Uri, ViewColumn, window, workspace } from "../vscodeapi";
import type { KnownDocument } from "./protocol";
import { textOfRevision } from "./text";

/** A revision that waits; the editor's title offers to publish it. */
export const REVIEW_SCHEME = "vademecum-review";
/** A revision that is served. */
export const SERVED_SCHEME = "vademecum-document";

/** One revision of a document, and the file that it is in. */
export interface Shown {
	readonly id: string;
	readonly revision: string;
	readonly file: string;
}

/** What a document's URI says of it; undefined where that is none of ours. */
export function shownBy(uri: Pick<UriType, "scheme" | "query">): Shown | undefined {
	if (uri.scheme !== REVIEW_SCHEME && uri.scheme !== SERVED_SCHEME) {
		return undefined;
	}
	try {
		const { id, revision, file } = JSON.parse(uri.query) as Record<string, unknown>;
		const all = typeof id === "string" && typeof revision === "string" && typeof file === "string";
		return all ? { id, revision, file } : undefined;
	} catch {
		return undefined;
	}
}

/** The revision's text; undefined when its file holds another one by now. Rejects when the file cannot be read. */
async function read(uri: string, revision: string): Promise<string | undefined> {
	return textOfRevision(await workspace.fs.readFile(Uri.parse(uri, true)), revision);
}

/** Opens documents, and remembers which revision of each was shown for review. */
export class Reviews {
	private readonly shown = new Map<string, string>();

	/** The revision that was shown last, in this window. */
	reviewed(id: string): string | undefined {
		return this.shown.get(id);
	}

	/** Whoever opens a restored editor, too, has the revision before them. */
	note({ id, revision }: Shown): void {
		this.shown.set(id, revision);
	}

	forget(id: string): void {
		this.shown.delete(id);
	}

	/** Shows what waits for review beside the editor that is active: what is new of it, where an older one is served. */
	async review(document: KnownDocument): Promise<void> {
		const { id, pendingRevision, pendingUri } = document;
		const first = { id, revision: document.revision, file: document.uri };
		if (pendingRevision === undefined || pendingUri === undefined) {
			await this.readable(document, first);
			const uri = uriOf(document, first, document.status === "pending" ? REVIEW_SCHEME : SERVED_SCHEME);
			await window.showTextDocument(await workspace.openTextDocument(uri), { viewColumn: besideWork() });
			this.note(first);
			return;
		}
		const newer = { id, revision: pendingRevision, file: pendingUri };
		await this.readable(document, first);
		await this.readable(document, newer);
		await commands.executeCommand(
			"vscode.diff",
			uriOf(document, first, SERVED_SCHEME),
			uriOf(document, newer, REVIEW_SCHEME),
			`${brief(document.title)}: published ↔ waiting for review`,
			{ viewColumn: besideWork() },
		);
		this.note(newer);
	}

	/** Opens the source at a line (from 1) where it still is what is served, else the text that is served. */
	async openAt(document: KnownDocument, line: number): Promise<void> {
		const served = { id: document.id, revision: document.revision, file: document.uri };
		let uri: UriType;
		if (await isAsImported(document)) {
			uri = Uri.parse(document.source, true);
		} else {
			await this.readable(document, served);
			uri = uriOf(document, served, SERVED_SCHEME);
		}
		const opened = await workspace.openTextDocument(uri);
		await window.showTextDocument(opened, { selection: new Range(line - 1, 0, line - 1, 0) });
	}

	/** Throws what to tell the user when a revision cannot be shown. */
	private async readable(document: KnownDocument, { revision, file }: Shown): Promise<void> {
		if ((await read(file, revision)) === undefined) {
			throw new Error(`“${brief(document.title)}” was changed just now; try again.`);
		}
	}
}

async function isAsImported(document: KnownDocument): Promise<boolean> {
	if (!document.source.startsWith("file:")) {
		return false;
	}
	try {
		return (await read(document.source, document.revision)) !== undefined;
	} catch {
		return false;
	}
}

/** Beside what the user works on; in its place where that is a document to look at already, or nothing. */
function besideWork(): ViewColumn {
	const input = window.tabGroups.activeTabGroup.activeTab?.input as { uri?: UriType; modified?: UriType } | undefined;
	const shown = input?.uri ?? input?.modified;
	return input === undefined || (shown && shownBy(shown)) ? ViewColumn.Active : ViewColumn.Beside;
}

/** The name of a tab: the title, without what ends a path's part. */
function uriOf(document: KnownDocument, shown: Shown, scheme: string): UriType {
	const name = brief(document.title.replace(/[\\/:*?"<>|#]+/g, "-")) || "Document";
	const ending = document.form === "text" ? ".txt" : ".md";
	return Uri.from({ scheme, path: `/${name}${ending}`, query: JSON.stringify(shown) });
}

/** The text behind such a URI; a sentence where it is not there any more, as in an editor that was restored. */
async function contentOf(uri: UriType, reviews: Reviews): Promise<string> {
	const shown = shownBy(uri);
	if (!shown) {
		return "";
	}
	try {
		const text = await read(shown.file, shown.revision);
		if (text === undefined) {
			return "This revision is not kept any more. Open the document again from the Documents view.\n";
		}
		if (uri.scheme === REVIEW_SCHEME) {
			reviews.note(shown);
		}
		return text;
	} catch (error) {
		return `The document cannot be read: ${errorMessage(error)}\n`;
	}
}

export function registerReviewedTexts(reviews: Reviews): Disposable[] {
	const provider: TextDocumentContentProvider = {
		provideTextDocumentContent: (uri) => contentOf(uri, reviews),
	};
	return [REVIEW_SCHEME, SERVED_SCHEME].map((scheme) =>
		workspace.registerTextDocumentContentProvider(scheme, provider),
	);
}
