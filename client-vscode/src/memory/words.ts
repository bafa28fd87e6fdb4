/** How memories and their groups are put into words; nothing here asks the server. */
import { brief } from "../brief";
import { counted } from "../knowledge/words";
import type { Category, Evidence, Scope } from "../protocol";
import type { MemoryHead, WholeMemory } from "./protocol";
import type { KnownMemory, MemoryFolder } from "./store";

/** Lines and characters of a memory's text that its tooltip shows. */
const SHOWN_LINES = 12;
const SHOWN_CHARACTERS = 800;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const CATEGORIES: readonly Category[] = ["Rule", "Knowledge", "Experience"];

const PLURALS: Readonly<Record<Category, string>> = { Rule: "Rules", Knowledge: "Facts", Experience: "Lessons" };
const SINGULARS: Readonly<Record<Category, string>> = { Rule: "rule", Knowledge: "fact", Experience: "lesson" };

/** Memories of one category in one scope, or of one folder where several are open. */
export interface CategoryGroup {
	readonly category: Category;
	readonly memories: readonly KnownMemory[];
}

/** What is remembered everywhere, or in a project; and what waits for the user's word first. */
export interface ScopeGroup {
	/** Names it among the groups. */
	readonly key: string;
	readonly label: string;
	readonly memories: readonly KnownMemory[];
	/** None where it is not told by categories. */
	readonly categories: readonly CategoryGroup[];
	/** What is added here goes there. */
	readonly scope?: Scope;
	readonly folder?: MemoryFolder;
}

/** The memories by scope and category, pinned ones first, then by title; groups without any are left out. */
export function groupsOf(memories: readonly KnownMemory[]): ScopeGroup[] {
	const waiting = memories.filter(waitsForReview);
	const told = memories.filter((memory) => !waitsForReview(memory));
	const groups: ScopeGroup[] = [
		{ key: "waiting", label: "Waiting for Review", memories: waiting, categories: [] },
		...projectGroups(told.filter(({ scope }) => scope === "project")),
		scopeGroup(
			"user",
			"Everywhere",
			"user",
			told.filter(({ scope }) => scope === "user"),
		),
	];
	return groups.filter((group) => group.memories.length > 0);
}

function projectGroups(memories: readonly KnownMemory[]): ScopeGroup[] {
	const folders = new Map(memories.map(({ folder }) => [folder?.workspace, folder]));
	return [...folders].map(([workspace, folder]) =>
		scopeGroup(
			`project:${workspace ?? ""}`,
			folder ? folder.name : "This Project",
			"project",
			memories.filter((memory) => memory.folder?.workspace === workspace),
			folder,
		),
	);
}

function scopeGroup(
	key: string,
	label: string,
	scope: Scope,
	memories: readonly KnownMemory[],
	folder?: MemoryFolder,
): ScopeGroup {
	const categories = CATEGORIES.map((category) => ({
		category,
		memories: sorted(memories.filter((memory) => memory.category === category)),
	})).filter((group) => group.memories.length > 0);
	return { key, label, scope, memories, categories, ...(folder ? { folder } : {}) };
}

/** By title rather than by time, so that nothing changes its place when it is edited. */
function sorted(memories: readonly KnownMemory[]): KnownMemory[] {
	return [...memories].sort(
		(one, other) =>
			Number(other.pinned) - Number(one.pinned) || one.title.localeCompare(other.title, undefined, { numeric: true }),
	);
}

export function waitsForReview({ status }: Pick<MemoryHead, "status">): boolean {
	return status === "pending";
}

export function categoryLabel(category: Category): string {
	return PLURALS[category];
}

/** What it is and where it holds: `rule, everywhere`. */
export function kindOf({ category, scope, folder }: Pick<KnownMemory, "category" | "scope" | "folder">): string {
	const where = scope === "user" ? "everywhere" : folder ? `in ${folder.name}` : "in this project";
	return `${SINGULARS[category]} ${where}`;
}

/** What is worth knowing of a memory beside its title, the important first, where its group does not say it. */
export function marksOf(memory: KnownMemory): string[] {
	const marks: string[] = waitsForReview(memory) ? [kindOf(memory)] : [];
	if (memory.status === "stale") {
		marks.push("stale");
	}
	if (memory.origin === "repository") {
		marks.push("repository");
	} else if (memory.place === "shared") {
		marks.push("shared");
	}
	if (memory.pinned) {
		marks.push("pinned");
	}
	return marks;
}

/** Everything that is known of a memory, in plain text; its own text too, where that was asked for. */
export function tooltipOf(memory: KnownMemory, whole?: WholeMemory, now = Date.now(), locale?: string): string {
	const said = memory.description && memory.description !== memory.title ? ["", memory.description] : [];
	const text = whole?.content.trim() && whole.content.trim() !== memory.title ? ["", beginning(whole.content)] : [];
	const changed = memory.updated === memory.created ? [] : [`changed ${ageOf(memory.updated, now, locale)}`];
	const lines = [
		memory.title,
		...said,
		...text,
		"",
		`${capitalised(kindOf(memory))}, ${placeOf(memory)}.`,
		...(waitsForReview(memory) ? ["Found in a chat; it waits for your review, and no chat is told of it."] : []),
		...(memory.pinned ? ["Pinned: told before others."] : []),
		...(memory.origin === "repository" ? ["It came with the repository: told as background, not as your wish."] : []),
		[`Kept ${ageOf(memory.created, now, locale)}`, ...changed].join(", "),
		...(whole ? [useOf(whole, now, locale)] : []),
		...memory.evidence.map(verdictOf),
	];
	return lines.join("\n");
}

/** What it is, where it holds, and what else is worth knowing. */
export function aboutOf(memory: KnownMemory): string {
	const first = waitsForReview(memory) ? "waits for review" : kindOf(memory);
	return [first, ...marksOf(memory)].join(", ");
}

/** What a screen reader says of a memory. */
export function spokenMemory(memory: KnownMemory): string {
	return `${memory.title}, ${aboutOf(memory)}`;
}

export function placeOf({ place, origin }: Pick<MemoryHead, "place" | "origin">): string {
	if (place !== "shared") {
		return "kept in your home";
	}
	return origin === "repository" ? "kept in the repository" : "kept in the repository, shared by git";
}

function useOf({ recallCount, lastRecalledAt }: WholeMemory, now: number, locale?: string): string {
	if (recallCount === 0) {
		return "Not recalled yet.";
	}
	const last = lastRecalledAt ? `, last ${ageOf(lastRecalledAt, now, locale)}` : "";
	return `Recalled ${counted(recallCount, "time", "times", locale)}${last}.`;
}

function verdictOf({ reference, verdict, relocatedTo }: Evidence): string {
	switch (verdict) {
		case "valid":
			return `✓ Rests on ${reference}, which is as it was.`;
		case "relocated":
			return `↷ Rests on ${reference}, which is now ${relocatedTo ?? "elsewhere"}.`;
		case "ambiguous":
		case "changed":
			return `✗ Rests on ${reference}, which changed since.`;
		case "deleted":
			return `✗ Rests on ${reference}, which is gone.`;
		default:
			return `? Rests on ${reference}, which cannot be looked at.`;
	}
}

function beginning(text: string): string {
	const lines = text.trim().split(/\r\n|\r|\n/);
	const shown = [...lines.slice(0, SHOWN_LINES).join("\n")];
	const cut = lines.length > SHOWN_LINES || shown.length > SHOWN_CHARACTERS;
	return `${shown.slice(0, SHOWN_CHARACTERS).join("")}${cut ? " …" : ""}`;
}

/** How long ago that was: `3 days ago`; the date where that is longer ago than a month. */
export function ageOf(iso: string, now = Date.now(), locale?: string): string {
	const time = new Date(iso).getTime();
	if (Number.isNaN(time)) {
		return "some time ago";
	}
	const past = Math.max(0, now - time);
	if (past < MINUTE) {
		return "just now";
	}
	if (past < HOUR) {
		return `${counted(Math.floor(past / MINUTE), "minute", "minutes", locale)} ago`;
	}
	if (past < DAY) {
		return `${counted(Math.floor(past / HOUR), "hour", "hours", locale)} ago`;
	}
	const days = Math.floor(past / DAY);
	return days <= 31 ? `${counted(days, "day", "days", locale)} ago` : `on ${new Date(time).toLocaleDateString(locale)}`;
}

/** A title in quotation marks, or how many there are. */
export function namesOf(memories: readonly Pick<MemoryHead, "title">[]): string {
	const [first] = memories;
	return memories.length === 1 && first ? `“${brief(first.title)}”` : counted(memories.length, "memory", "memories");
}

export function capitalised(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}
