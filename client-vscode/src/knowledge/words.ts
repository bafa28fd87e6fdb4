/** How documents, their groups and their sections are put into words; nothing here asks the server. */
import { brief } from "../brief";
import type { DocumentOwner, DocumentStatus, KnownDocument, OutlineSection } from "./protocol";

export interface DocumentGroup {
	readonly owner: DocumentOwner;
	readonly status: DocumentStatus;
	readonly documents: readonly KnownDocument[];
}

const ORDER: readonly (readonly [DocumentOwner, DocumentStatus])[] = [
	["personal", "pending"],
	["personal", "ready"],
	["system", "pending"],
	["system", "ready"],
];

/** The documents by owner and status, in the server's order; groups without any are left out. */
export function groupsOf(documents: readonly KnownDocument[]): DocumentGroup[] {
	return ORDER.map(([owner, status]) => ({
		owner,
		status,
		documents: documents.filter((document) => document.owner === owner && document.status === status),
	})).filter((group) => group.documents.length > 0);
}

export function groupLabel({ owner, status }: Pick<DocumentGroup, "owner" | "status">): string {
	const words = status === "pending" ? "Waiting for Review" : "Published";
	return owner === "system" ? `System: ${words}` : words;
}

/** Whether anything of it waits for its owner's word. */
export function waitsForReview(document: KnownDocument): boolean {
	return document.status === "pending" || document.pendingRevision !== undefined;
}

/** The revision that is published next: the newer one, where one waits. */
export function revisionToReview(document: KnownDocument): string {
	return document.pendingRevision ?? document.revision;
}

/** What is worth knowing of a document beside its title, the important first. */
export function marksOf(document: KnownDocument, attached: boolean): string[] {
	const marks: string[] = [];
	if (attached) {
		marks.push("attached");
	}
	if (document.pendingRevision !== undefined) {
		marks.push("newer revision waits");
	} else if (document.sourceState === "changed") {
		marks.push("source changed");
	}
	if (document.sourceState === "missing") {
		marks.push("source is gone");
	} else if (document.sourceState === "unreachable") {
		marks.push("source does not answer");
	}
	if (document.redacted > 0) {
		marks.push(`${counted(document.redacted, "secret", "secrets")} left out`);
	}
	if (!document.writable) {
		marks.push("read-only");
	}
	return marks;
}

/** Everything that is known of a document, in plain text. */
export function tooltipOf(document: KnownDocument, attached: boolean, task: string, locale?: string): string {
	const size = [
		counted(document.sections, "section", "sections", locale),
		counted(document.characters, "character", "characters", locale),
		`about ${counted(document.tokens, "token", "tokens", locale)}`,
	];
	const served =
		document.status === "pending"
			? "Waits for review: nothing of it is told to a chat."
			: document.pendingRevision === undefined
				? "Published."
				: "Published; a newer revision waits for review and is not told yet.";
	const lines = [
		document.title,
		...(document.summary ? ["", document.summary] : []),
		"",
		served,
		attached ? `Attached to ${task}.` : `Not attached to ${task}, which does not see it.`,
		...(document.sourceState === "missing" ? ["Its source is gone; what was imported is kept."] : []),
		...(document.redacted > 0
			? [`${counted(document.redacted, "secret is", "secrets are")} left out of everything that is told of it.`]
			: []),
		...(document.writable ? [] : ["The shared folder is read-only for you."]),
		"",
		size.join(", "),
		`From ${document.source === "text" ? "a text" : readable(document.source)}`,
		`Imported ${dateOf(document.updated, locale)}, revision ${document.revision}`,
	];
	return lines.join("\n");
}

/** What a screen reader says of a document. */
export function spokenDocument(document: KnownDocument, attached: boolean): string {
	const state = document.status === "pending" ? "waits for review" : "published";
	const sections = counted(document.sections, "section", "sections");
	return [document.title, state, ...marksOf(document, attached), sections].join(", ");
}

export function spokenSection(section: OutlineSection): string {
	const level = section.level > 0 ? `, level ${section.level}` : "";
	return `${sectionTitle(section)}${level}, ${linesOf(section)}`;
}

export function sectionTitle(section: OutlineSection): string {
	return section.level === 0 ? "(before the first heading)" : section.title || "(no title)";
}

export function linesOf({ lines }: Pick<OutlineSection, "lines">): string {
	return lines.start === lines.end ? `line ${lines.start}` : `lines ${lines.start}–${lines.end}`;
}

export interface NestedSection {
	readonly section: OutlineSection;
	readonly children: readonly NestedSection[];
}

/** Sections in one another by the levels of their headings, as the server's anchors have them. */
export function nested(sections: readonly OutlineSection[]): NestedSection[] {
	const top: NestedSection[] = [];
	const open: { section: OutlineSection; children: NestedSection[] }[] = [];
	for (const section of sections) {
		while ((open.at(-1)?.section.level ?? -1) >= section.level) {
			open.pop();
		}
		const made = { section, children: [] };
		(open.at(-1)?.children ?? top).push(made);
		// What stands before the first heading holds no other section.
		if (section.level > 0) {
			open.push(made);
		}
	}
	return top;
}

export function counted(value: number, one: string, many: string, locale?: string): string {
	return `${value.toLocaleString(locale)} ${value === 1 ? one : many}`;
}

/** A title in quotation marks, or how many there are. */
export function namesOf(documents: readonly Pick<KnownDocument, "title">[]): string {
	const [first] = documents;
	return documents.length === 1 && first
		? `“${brief(first.title)}”`
		: counted(documents.length, "document", "documents");
}

function readable(uri: string): string {
	try {
		return decodeURIComponent(uri.replace(/^file:\/\//, ""));
	} catch {
		return uri;
	}
}

function dateOf(iso: string, locale?: string): string {
	const time = new Date(iso);
	return Number.isNaN(time.getTime()) ? "some time ago" : time.toLocaleString(locale);
}
