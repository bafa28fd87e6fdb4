/** *Search Documents* and *Ask Documents*: in what the current task sees, each find with the place it is from. */
import type { Disposable } from "vscode";
import { type Found, findWhileTyping, saying } from "../finding";
import { errorMessage, isCancelled } from "../protocol";
import { EventEmitter, env, ProgressLocation, ThemeIcon, Uri, window, workspace } from "../vscodeapi";
import type { KnowledgeParts } from "./actions";
import type { Answer, SectionCitation, SectionHit } from "./protocol";
import { linesOf } from "./words";

const LIMIT = 30;
/** The server's limit of a question, in characters. */
const QUESTION_CHARACTERS = 1_000;
const ANSWER_SCHEME = "vademecum-answer";
/** Answers that can still be gone back to. */
const ANSWERS_KEPT = 20;

const COPY = { iconPath: new ThemeIcon("quote"), tooltip: "Copy citation" };

/** Opens the section of a document at a line (from 1). */
export async function openSection({ store, reviews }: KnowledgeParts, id: string, line: number): Promise<void> {
	if (store.holding.kind !== "known") {
		await store.load();
	}
	const document = store.document(id);
	if (!document) {
		void window.showWarningMessage("The document is not there any more.");
		return;
	}
	try {
		await reviews.openAt(document, line);
	} catch (error) {
		void window.showWarningMessage(`Cannot be opened: ${errorMessage(error)}`);
	}
}

/** Sections while typing, and the place in the source. */
export function searchDocuments(parts: KnowledgeParts): void {
	const { send, task } = parts;
	const pick = window.createQuickPick<Found<SectionHit>>();
	pick.title = `Search Documents of ${task.words}`;
	pick.placeholder = 'Words, or "words in quotation marks" that must stand there';
	// Whether anything is attached at all is worth knowing when nothing is found.
	void parts.store.load();
	findWhileTyping(pick, {
		find: async (text, token) => {
			const { items } = await send("knowledge/search", { query: text, task: task.name, limit: LIMIT }, token);
			return items.length ? items.map(findOf) : [saying(nothingFound(parts))];
		},
		open: (hit) => void openSection(parts, hit.id, hit.line),
		press: (hit) => void env.clipboard.writeText(citationText(hit.citation)),
	});
}

/** One entry: the list would put those first whose label holds what was typed, so the label holds no text. */
export function findOf(hit: SectionHit): Found<SectionHit> {
	const where = [hit.citation.document, ...hit.citation.path].join(" › ");
	return {
		label: "$(book)",
		description: `${where}:${hit.line}`,
		detail: hit.excerpt.trim() || hit.title,
		alwaysShow: true,
		buttons: [COPY],
		hit,
	};
}

/** Nothing found, or nothing there that could be. */
export function nothingFound({ store, task }: Pick<KnowledgeParts, "store" | "task">): string {
	const { holding } = store;
	const sees =
		holding.kind !== "known" ||
		holding.documents.some(({ id, status }) => status === "ready" && holding.attached.has(id));
	return sees ? "Nothing found" : `No published document is attached to ${task.words}`;
}

/** A citation as it is pasted into a text: by its reference where there is one, else by title, headings and lines. */
export function citationText(citation: SectionCitation): string {
	const place = [citation.document, ...citation.path].join(" › ");
	return citation.reference ?? `${place}, ${linesOf(citation)} (revision ${citation.revision})`;
}

/** Answers, each a document that cannot be edited. */
export class Answers implements Disposable {
	private readonly texts = new Map<string, string>();
	private readonly changed = new EventEmitter<Uri>();
	private readonly provider: Disposable;
	private count = 0;

	constructor() {
		this.provider = workspace.registerTextDocumentContentProvider(ANSWER_SCHEME, {
			onDidChange: this.changed.event,
			provideTextDocumentContent: (uri) => this.texts.get(uri.path) ?? "This answer is not kept any more; ask again.\n",
		});
	}

	async show(text: string): Promise<void> {
		this.count += 1;
		const path = `/Answer ${this.count}.md`;
		this.texts.set(path, text);
		for (const old of [...this.texts.keys()].slice(0, -ANSWERS_KEPT)) {
			this.texts.delete(old);
		}
		const uri = Uri.from({ scheme: ANSWER_SCHEME, path });
		await window.showTextDocument(await workspace.openTextDocument(uri), { preview: false });
	}

	dispose(): void {
		this.provider.dispose();
		this.changed.dispose();
	}
}

/** Asks a question; the answer names the sections that it rests on. */
export async function askDocuments(parts: KnowledgeParts, answers: Answers): Promise<void> {
	const { send, store, task } = parts;
	const question = await window.showInputBox({
		title: `Ask Documents of ${task.words}`,
		prompt: "The answer rests on published documents that are attached, and names the places.",
		placeHolder: "How long is a session kept?",
		ignoreFocusOut: true,
		validateInput: (value) =>
			[...value.trim()].length > QUESTION_CHARACTERS ? `At most ${QUESTION_CHARACTERS} characters.` : undefined,
	});
	if (!question?.trim()) {
		return;
	}
	const options = { location: ProgressLocation.Notification, title: "Asking the documents", cancellable: true };
	try {
		const answer = await window.withProgress(options, (_progress, token) =>
			send("knowledge/ask", { question: question.trim(), task: task.name }, token),
		);
		await store.load();
		await answers.show(answerText(question.trim(), answer, (id) => store.document(id)?.source, nothingFound(parts)));
	} catch (error) {
		if (!isCancelled(error)) {
			void window.showErrorMessage(`No answer: ${errorMessage(error)}`);
		}
	}
}

/**
 * The answer in Markdown.
 *
 * @param sourceOf the URI or path that a document came from.
 * @param nothing what is said where there is neither an answer nor a section.
 */
export function answerText(
	question: string,
	answer: Answer,
	sourceOf: (id: string) => string | undefined,
	nothing: string,
): string {
	const place = (citation: SectionCitation, line: number) => {
		const source = sourceOf(citation.id);
		const link = source?.startsWith("file:") ? ` <${source}#L${line}>` : "";
		return `${[citation.document, ...citation.path].join(" › ")}, ${linesOf(citation)}${link}`;
	};
	const parts = [`# ${question.replace(/\s+/g, " ")}`];
	if (answer.answer !== null) {
		parts.push(answer.answer);
		const sources = answer.citations.map((citation, at) => `${at + 1}. ${place(citation, citation.lines.start)}`);
		parts.push(...(sources.length ? [`## Sources\n\n${sources.join("\n")}`] : []));
	} else {
		const items = answer.items ?? [];
		parts.push(...(answer.notice ? [`> ${answer.notice}`] : []));
		parts.push(
			items.length
				? `## The best sections\n\n${items.map((hit) => `- ${place(hit.citation, hit.line)}\n  ${hit.excerpt.trim()}`).join("\n")}`
				: `${nothing}.`,
		);
	}
	if (answer.gaps.length > 0) {
		parts.push(`## What the documents do not tell\n\n${answer.gaps.map((gap) => `- ${gap}`).join("\n")}`);
	}
	return `${parts.join("\n\n")}\n`;
}
