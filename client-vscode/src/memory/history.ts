/** *History of Memory…*: its prior versions, each compared with what it is now, and restored. */
import type { QuickPickItem } from "vscode";
import { brief } from "../brief";
import { errorMessage } from "../protocol";
import { commands, window } from "../vscodeapi";
import { type MemoryParts, offerUndo } from "./actions";
import type { MemoryVersion } from "./protocol";
import { type KnownMemory, whereOf } from "./store";
import type { ShownVersion } from "./texts";
import { ageOf } from "./words";

const RESTORE = "Restore";

const REASONS: Readonly<Record<MemoryVersion["reason"], string>> = {
	updated: "until it was changed",
	moved: "until it was moved",
	deleted: "until it was deleted",
	superseded: "until another one replaced it",
	restored: "until an older version was restored",
};

interface VersionItem extends QuickPickItem {
	readonly version: MemoryVersion;
}

/** Shows the version that is picked beside the present one, and offers to restore it. */
export async function history(parts: MemoryParts, memories: readonly KnownMemory[]): Promise<void> {
	const [memory] = memories;
	if (!memory) {
		return;
	}
	try {
		const { items } = await parts.send("memory/history", { id: memory.id, ...whereOf(memory) });
		if (items.length === 0) {
			void window.showInformationMessage(`“${brief(memory.title)}” has no prior version: it was never changed.`);
			return;
		}
		const picked = await window.showQuickPick(items.map(itemOf), {
			title: `History: ${brief(memory.title)}`,
			placeHolder: "Which version do you want to look at?",
			matchOnDetail: true,
		});
		if (picked) {
			await compare(parts, memory, picked.version);
		}
	} catch (error) {
		void window.showErrorMessage(`No history of “${brief(memory.title)}”: ${errorMessage(error)}`);
	}
}

function itemOf(version: MemoryVersion): VersionItem {
	return {
		label: version.title,
		description: `${REASONS[version.reason]} ${ageOf(version.replaced)}`,
		detail: version.content.trim().split(/\r\n|\r|\n/)[0] ?? "",
		version,
	};
}

async function compare(parts: MemoryParts, memory: KnownMemory, version: MemoryVersion): Promise<void> {
	const now = await parts.send("memory/get", { id: memory.id, ...whereOf(memory) });
	const shown: ShownVersion = {
		id: memory.id,
		revision: version.revision,
		title: memory.title,
		...whereOf(memory),
	};
	await commands.executeCommand(
		"vscode.diff",
		parts.texts.keep(memory.title, textOf(now)),
		parts.texts.keep(memory.title, textOf(version), shown),
		`${brief(memory.title)}: now ↔ ${REASONS[version.reason]} ${ageOf(version.replaced)}`,
	);
	const message = `Restore this version of “${brief(memory.title)}”?`;
	if ((await window.showInformationMessage(message, RESTORE)) === RESTORE) {
		await restoreVersion(parts, shown);
	}
}

/** A version as it is compared: title and text. */
export function textOf({ title, content }: Pick<MemoryVersion, "title" | "content">): string {
	return `# ${title}\n\n${content.trimEnd()}\n`;
}

/** Brings back a version; the one that it replaces is kept, and comes back with Undo. */
export async function restoreVersion(parts: MemoryParts, shown: ShownVersion | undefined): Promise<void> {
	if (!shown) {
		void window.showInformationMessage("Open the history of a memory first, and a version in it.");
		return;
	}
	const { id, revision, title, workspace } = shown;
	const of = { id, ...(workspace === undefined ? {} : { workspace }) };
	try {
		await parts.send("memory/restore", { ...of, revision });
	} catch (error) {
		void window.showErrorMessage(`“${brief(title)}” is not restored: ${errorMessage(error)}`);
		return;
	}
	await offerUndo(`Restored: “${brief(title)}”.`, async () => {
		try {
			await parts.send("memory/restore", of);
			void window.showInformationMessage(`As before: “${brief(title)}”.`);
		} catch (error) {
			void window.showErrorMessage(`Not undone: ${errorMessage(error)}`);
		}
	});
}
