/** What a memory is and where it lies: asked when one is added, and changed by moving it. */
import type { QuickPickItem } from "vscode";
import type { Category, Scope } from "../protocol";
import { errorMessage } from "../protocol";
import { ThemeIcon, Uri, window } from "../vscodeapi";
import { each, type MemoryParts, offerUndo, openFile, restoreAll, TITLE_CHARACTERS, update } from "./actions";
import type { MemoryChange, ProjectPlace } from "./protocol";
import { type KnownMemory, type MemoryFolder, openFolders } from "./store";
import { CATEGORIES, capitalised, kindOf, namesOf } from "./words";

const OPEN = "Open";

/** What is known already of a memory that is to be added, by the group that it is added to. */
export interface Wanted {
	readonly category?: Category;
	readonly scope?: Scope;
	readonly folder?: MemoryFolder;
}

interface KindItem extends QuickPickItem {
	readonly category: Category;
	readonly scope: Scope;
	readonly folder?: MemoryFolder;
}

const ICONS: Readonly<Record<Category, string>> = { Rule: "law", Knowledge: "info", Experience: "lightbulb" };

const SAID: Readonly<Record<Category, string>> = {
	Rule: "chats follow it",
	Knowledge: "chats know it",
	Experience: "a lesson that chats are told of",
};

/** Asks what it is, where that is not known, then for its title and its text. */
export async function add(parts: MemoryParts, wanted: Wanted): Promise<void> {
	const kind = await kindOfNew(wanted);
	if (!kind) {
		return;
	}
	const what = kindOf(kind);
	const said = await window.showInputBox({
		title: `Add Memory: ${what}`,
		prompt: "What should later chats know? One fact, rule or lesson.",
		placeHolder: "This repository uses pnpm, never npm",
		ignoreFocusOut: true,
	});
	const title = said?.trim();
	if (!title) {
		return;
	}
	const more = await window.showInputBox({
		title: `Add Memory: ${what}`,
		prompt: "What else belongs to it, such as why? Leave it empty if nothing does.",
		ignoreFocusOut: true,
	});
	if (more === undefined) {
		return;
	}
	const short = [...title].slice(0, TITLE_CHARACTERS).join("");
	const content = more.trim() ? (short === title ? more.trim() : `${title}\n\n${more.trim()}`) : title;
	const where = kind.folder?.workspace === undefined ? {} : { workspace: kind.folder.workspace };
	try {
		const { category, scope } = kind;
		const memory = await parts.send("memory/add", { title: short, content, category, scope, ...where });
		const near = memory.contradicts?.length
			? " It says otherwise than another one; Audit Memories shows both."
			: memory.similar?.length
				? " It comes close to another one; Audit Memories shows both."
				: "";
		const message = `Remembered: ${namesOf([memory])}, ${what}.${near}`;
		const undo = async () => {
			await parts.send("memory/delete", { id: memory.id, ...where });
			void window.showInformationMessage("Forgotten again.");
		};
		if ((await offerUndo(message, undo, OPEN)) === OPEN) {
			await openFile(Uri.parse(memory.uri, true));
		}
	} catch (error) {
		void window.showErrorMessage(`Not remembered: ${errorMessage(error)}`);
	}
}

async function kindOfNew({ category, scope, folder }: Wanted): Promise<KindItem | undefined> {
	const kinds = kindsFor(openFolders()).filter(
		(kind) =>
			(category === undefined || kind.category === category) &&
			(scope === undefined || kind.scope === scope) &&
			(folder === undefined || kind.folder?.workspace === folder.workspace),
	);
	return kinds.length === 1 ? kinds[0] : window.showQuickPick(kinds, { title: "What is it?", ignoreFocusOut: true });
}

function kindsFor(folders: readonly MemoryFolder[]): KindItem[] {
	const several = folders.length > 1;
	const projects = folders.map((folder) =>
		several ? { scope: "project" as const, folder } : { scope: "project" as const },
	);
	return [...projects, { scope: "user" as const }].flatMap((where) =>
		CATEGORIES.map((category) => ({
			iconPath: new ThemeIcon(ICONS[category]),
			label: capitalised(kindOf({ category, ...where })),
			description: SAID[category],
			category,
			...where,
		})),
	);
}

/** Changes what they are: rules, facts or lessons. */
export async function categorize(parts: MemoryParts, memories: readonly KnownMemory[]): Promise<void> {
	const items = CATEGORIES.filter((category) => memories.some((memory) => memory.category !== category)).map(
		(category) => ({
			iconPath: new ThemeIcon(ICONS[category]),
			label: capitalised(NAMES[category]),
			description: SAID[category],
			category,
		}),
	);
	const picked = await window.showQuickPick(items, { title: `What is ${namesOf(memories)}?` });
	if (!picked) {
		return;
	}
	const { category } = picked;
	const others = memories.filter((memory) => memory.category !== category);
	const done = await each(others, "changed", (memory) => update(parts, memory, { category }));
	if (done.length > 0) {
		await offerUndo(`Now ${NAMES[category]}: ${namesOf(done)}.`, () => restoreAll(parts, done));
	}
}

const NAMES: Readonly<Record<Category, string>> = { Rule: "a rule", Knowledge: "a fact", Experience: "a lesson" };

interface Target extends QuickPickItem {
	readonly change: MemoryChange & { readonly workspace?: string };
	/** Whether the memory can go there, and is not there already: none goes from one project into another. */
	readonly takes: (memory: KnownMemory) => boolean;
	readonly done: string;
}

/** Between everywhere and a project, and between the home and the repository. */
export async function move(parts: MemoryParts, memories: readonly KnownMemory[]): Promise<void> {
	const targets = targetsFor(openFolders()).filter(({ takes }) => memories.some(takes));
	if (targets.length === 0) {
		void window.showInformationMessage(`${namesOf(memories)} can go nowhere else: open the folder of a project first.`);
		return;
	}
	const target = await window.showQuickPick(targets, { title: `Move ${namesOf(memories)}`, placeHolder: "Where to?" });
	if (!target) {
		return;
	}
	const moving = memories.filter(target.takes);
	const done = await each(moving, "moved", (memory) => update(parts, memory, target.change));
	if (done.length > 0) {
		await offerUndo(`Moved ${target.done}: ${namesOf(done)}.`, () => restoreAll(parts, done));
	}
}

function targetsFor(folders: readonly MemoryFolder[]): Target[] {
	const everywhere: Target = {
		iconPath: new ThemeIcon("globe"),
		label: "Everywhere",
		description: "told in all your projects, kept in your home",
		change: { scope: "user" },
		takes: ({ scope }) => scope !== "user",
		done: "to everywhere",
	};
	return [everywhere, ...folders.flatMap((folder) => [target(folder, "private"), target(folder, "shared")])];
}

function target(folder: MemoryFolder, place: ProjectPlace): Target {
	const project = folder.workspace === undefined ? "This project" : folder.name;
	const where = folder.workspace === undefined ? {} : { workspace: folder.workspace };
	const shared = place === "shared";
	return {
		iconPath: new ThemeIcon(shared ? "repo" : "home"),
		label: shared ? `${project}, in the repository` : `${project}, in your home`,
		description: shared ? "its .vademecum; with git to everyone who has it" : "for you alone",
		change: { scope: "project", place, ...where },
		takes: (memory) =>
			memory.scope === "user" || (memory.folder?.workspace === folder.workspace && memory.place !== place),
		done: shared ? "into the repository" : "to your home, for this project",
	};
}
