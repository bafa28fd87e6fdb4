/** `/memory delete`: one memory or a scope, after a real question; and the way back for one. */
import type { Disposable } from "vscode";
import { brief } from "../brief";
import { hasFolder, inCurrentFolder } from "../folders";
import type { Span } from "../memory/protocol";
import { errorMessage, type Send } from "../protocol";
import { commands, window } from "../vscodeapi";
import type { Asked, Done } from "./asked";
import { code, escaped, link, trusted } from "./markdown";

const DELETE = "Delete";

/** What users of other systems call the scopes. */
const SPANS: Readonly<Record<string, Span>> = {
	user: "user",
	global: "user",
	project: "project",
	workspace: "project",
	all: "all",
};

const WORDS: Readonly<Record<Span, string>> = {
	user: "memories about you, in every project",
	project: "memories of this project",
	all: "memories about you and of this project",
};

/** What a scope holds: where no folder is open, there is nothing of a project in it. */
function wordsOf(scope: Span): string {
	return WORDS[scope === "all" && !hasFolder() ? "user" : scope];
}

export async function deleteMemories(asked: Asked, what: string): Promise<Done> {
	if (Object.hasOwn(SPANS, what)) {
		return deleteScope(asked, SPANS[what] as Span);
	}
	if (what && !/\s/.test(what)) {
		return deleteOne(asked, what);
	}
	asked.stream.markdown(
		`Say what: ${code("/memory delete user")}, ${code("/memory delete project")}, ${code("/memory delete all")}, ` +
			`or one by its id. You are asked before anything is deleted.`,
	);
	return { brief: "(Nothing was deleted: it was not said what.)" };
}

async function deleteScope({ send, stream, token }: Asked, scope: Span): Promise<Done> {
	const { stores } = await send("memory/status", inCurrentFolder(), token);
	const meant = stores.filter((store) => scope === "all" || store.scope === scope);
	const count = meant.reduce((sum, { memories }) => sum + memories, 0);
	if (count === 0) {
		stream.markdown(`There are no ${wordsOf(scope)}.`);
		return { brief: "(There was nothing to delete.)" };
	}
	const question = `Delete ${count === 1 ? "the one" : `all ${count}`} of the ${wordsOf(scope)}?`;
	const places = meant.filter(({ memories }) => memories).map(({ path }) => path);
	if (!(await allowed(question, `They are told to no chat from then on. They lie in ${places.join(", ")}.`))) {
		stream.markdown("Nothing was deleted.");
		return { brief: "(The user chose to delete nothing.)" };
	}
	const { removed } = await send("memory/clear", { scope, confirm: true, ...inCurrentFolder() });
	stream.markdown(
		`Deleted ${removed} of the ${wordsOf(scope)}. Earlier texts can still be restored one by one, by id.`,
	);
	return { brief: `(Deleted ${removed} of the ${wordsOf(scope)}.)` };
}

async function deleteOne({ send, stream, token }: Asked, id: string): Promise<Done> {
	const memory = await send("memory/get", { id, ...inCurrentFolder() }, token);
	if (!(await allowed(`Forget: ${brief(memory.title)}?`, memory.content))) {
		stream.markdown("Nothing was deleted.");
		return { brief: "(The user chose to delete nothing.)" };
	}
	await send("memory/delete", { id: memory.id, ...inCurrentFolder() });
	const undo = link("Undo", "vademecum.chat.restore", memory.id);
	stream.markdown(trusted(`$(trash) Forgotten: ${escaped(memory.title)} ${undo}`));
	return { brief: `(Memory ${memory.id} was deleted.)` };
}

async function allowed(question: string, detail: string): Promise<boolean> {
	return (await window.showWarningMessage(question, { modal: true, detail }, DELETE)) === DELETE;
}

/** Brings back what was deleted. */
export async function restore(send: Send, id: string): Promise<void> {
	try {
		const { title } = await send("memory/restore", { id, ...inCurrentFolder() });
		void window.showInformationMessage(`Remembered again: ${brief(title)}`);
	} catch (error) {
		void window.showWarningMessage(`Not brought back: ${errorMessage(error)}`);
	}
}

export function registerRestore(send: Send): Disposable {
	return commands.registerCommand("vademecum.chat.restore", (id: string) => restore(send, id));
}
