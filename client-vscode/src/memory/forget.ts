/** *Forget Everything…*: removes memories for good, once the user has typed that they mean it. */
import { counted } from "../knowledge/words";
import { errorMessage } from "../protocol";
import { ThemeIcon, window } from "../vscodeapi";
import { type MemoryParts, nothingToUndo } from "./actions";
import type { MemoryReport, Span } from "./protocol";
import { openFolders } from "./store";

/** What is to be typed. */
export const WORDS: Readonly<Record<Span, string>> = {
	all: "forget everything",
	project: "forget this project",
	user: "forget me",
};

export async function forgetEverything(parts: MemoryParts): Promise<void> {
	const chosen = await chosenPart();
	if (!chosen) {
		return;
	}
	const { span, where } = chosen;
	try {
		const report = await parts.send("memory/status", where);
		const typed = await window.showInputBox({
			title: "Forget for Good",
			prompt: `${whatGoes(report, span)} Type “${WORDS[span]}” to go on.`,
			placeHolder: WORDS[span],
			ignoreFocusOut: true,
			validateInput: (value) => (isMeant(value, span) ? undefined : `Type “${WORDS[span]}”, or press Escape.`),
		});
		if (typed === undefined || !isMeant(typed, span)) {
			return;
		}
		const { ids, versions } = await parts.send("memory/purge", { scope: span, ...where });
		nothingToUndo();
		const gone = `${counted(ids.length, "memory", "memories")} and ${counted(versions, "prior version", "prior versions")}`;
		void window.showInformationMessage(`Forgotten for good: ${gone}.`);
	} catch (error) {
		void window.showErrorMessage(`Not forgotten: ${errorMessage(error)}`);
	}
	// The server tells nobody of a purge.
	await parts.store.load();
}

/** What is removed and what is not, before it is. */
export function whatGoes({ stores }: MemoryReport, span: Span): string {
	const meant = stores.filter(({ scope }) => span === "all" || scope === span);
	const count = meant.reduce((sum, { memories }) => sum + memories, 0);
	const chats = span === "all" ? ", and the chat histories that were kept here" : "";
	const git = meant.some(({ kind, memories }) => kind === "shared" && memories > 0)
		? " What git has of the shared ones stays in git."
		: "";
	const others = span === "user" ? "" : " Other projects are left alone.";
	return (
		`${counted(count, "memory is", "memories are")} removed from the disk, with prior versions and what was deleted before${chats}. ` +
		`There is no way back. USER.md, PROJECT.md and documents stay.${git}${others}`
	);
}

function isMeant(value: string, span: Span): boolean {
	return value.trim().toLowerCase() === WORDS[span];
}

interface Part {
	readonly span: Span;
	/** The folder whose project is meant. */
	readonly where: { readonly workspace?: string };
}

/** With several open folders each is named: nobody should have to guess which one is meant. */
async function chosenPart(): Promise<Part | undefined> {
	const folders = openFolders();
	const projects = folders.map(({ name, workspace }) => ({
		iconPath: new ThemeIcon("root-folder"),
		label: workspace === undefined ? "This project" : `The project ${name}`,
		description: "what holds in it alone",
		span: "project" as const,
		where: workspace === undefined ? {} : { workspace },
	}));
	const me = {
		iconPath: new ThemeIcon("person"),
		label: "What holds everywhere",
		description: "about you",
		span: "user" as const,
		where: {},
	};
	if (projects.length === 0) {
		return me;
	}
	const all = {
		iconPath: new ThemeIcon("trash"),
		label: "Everything",
		description: projects.length > 1 ? "about you, and of all open folders" : "about you, and of the open folder",
		span: "all" as const,
		where: {},
	};
	const options = { title: "Forget for Good", placeHolder: "What is to be forgotten?" };
	return window.showQuickPick([all, ...projects, me], options);
}
