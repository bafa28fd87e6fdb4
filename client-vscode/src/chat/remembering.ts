/** `/remember`, `# note` and `/memory remember`: a note is kept, and no model is asked. */
import { inCurrentFolder } from "../folders";
import type { Category, Scope } from "../protocol";
import type { Asked, Done } from "./asked";
import { code, escaped, link, savedNotice, trusted } from "./markdown";

interface Kind {
	readonly scope?: Scope;
	readonly category?: Category;
}

const FLAGS: Readonly<Record<string, Kind>> = {
	"--user": { scope: "user" },
	"--everywhere": { scope: "user" },
	"--project": { scope: "project" },
	"--rule": { category: "Rule" },
	"--lesson": { category: "Experience" },
};

/** The words before a note that say what it is, and the note. */
export function kindAndNote(text: string): { readonly note: string; readonly kind: Kind } {
	let note = text.trim();
	let kind: Kind = {};
	for (;;) {
		const [word = ""] = note.split(/\s/, 1);
		const told = FLAGS[word];
		if (!told) {
			return { note, kind };
		}
		kind = { ...kind, ...told };
		note = note.slice(word.length).trim();
	}
}

/** Keeps a note. Without `given` the words before it say what it is. */
export async function remember({ send, stream, token }: Asked, text: string, given?: Kind): Promise<Done> {
	const { note, kind } = given ? { note: text, kind: given } : kindAndNote(text);
	if (note === "") {
		const ask = link("Remember…", "vademecum.remember");
		stream.markdown(
			trusted(
				`Write what is worth knowing later behind it: ${code("/remember This repository uses pnpm")}. ` +
					`${code("--rule")} makes it a rule that chats follow, ${code("--user")} keeps it for every project. ${ask}`,
			),
		);
		return { brief: "(Nothing was kept: there was no note.)" };
	}
	const folder = kind.scope === "user" ? {} : inCurrentFolder();
	const memory = await send("memory/remember", { note, ...kind, ...folder }, token);
	if (memory.known) {
		stream.markdown(
			trusted(`Already remembered: ${escaped(memory.title)} ${link("Open", "vademecum.openMemory", memory.id)}`),
		);
	} else {
		stream.markdown(savedNotice(memory));
	}
	const opposite = memory.contradicts ?? [];
	if (opposite.length) {
		const links = opposite.map((id) => link(id, "vademecum.openMemory", id)).join(", ");
		stream.markdown(trusted(`It says the opposite of ${links}, or differs in a number or a choice: keep one of them.`));
	}
	const next = opposite.map((id) => ({ prompt: `get ${id}`, command: "memory", label: `Show ${id}` }));
	return { brief: `(Kept as memory ${memory.id}.)`, next };
}
