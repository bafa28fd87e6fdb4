/** `/memory`: what is kept as a whole, by the words that users of CodeWhale know. */
import { openMemory } from "../commands/memory";
import { inCurrentFolder } from "../folders";
import { errorKind } from "../protocol";
import type { Asked, Done } from "./asked";
import { queryOf, showMemory } from "./lookups";
import { code, escaped, link, trusted } from "./markdown";
import { deleteMemories } from "./memoryDeletion";
import { exportMemories, importMemories } from "./memoryTransfer";
import { remember } from "./remembering";
import type { MemoryReport } from "./requests";

/** Memories that one search shows. */
const FOUND = 20;

export const SUBCOMMANDS = [
	"status",
	"path",
	"remember",
	"search",
	"get",
	"edit",
	"import",
	"export",
	"reindex",
	"delete",
	"help",
] as const;

export type Subcommand = (typeof SUBCOMMANDS)[number];

/** Words that mean the same; the habits of others cost nothing. */
const SYNONYMS: Readonly<Record<string, Subcommand>> = {
	show: "search",
	list: "search",
	clear: "delete",
	forget: "delete",
};

/** The subcommand and what is written behind it; `native` of CodeWhale's `/memory native status` is passed over. */
export function subcommandOf(prompt: string): { readonly name: Subcommand; readonly rest: string } | undefined {
	const text = prompt
		.trim()
		.replace(/^native\s+remember\s+workspace(?=\s)/, "remember --project")
		.replace(/^native(?=\s|$)\s*/, "");
	const [word = ""] = text.split(/\s/, 1);
	if (word === "") {
		return { name: "status", rest: "" };
	}
	const name =
		SUBCOMMANDS.find((each) => each === word) ?? (Object.hasOwn(SYNONYMS, word) ? SYNONYMS[word] : undefined);
	return name && { name, rest: text.slice(word.length).trim() };
}

export async function manage(asked: Asked): Promise<Done> {
	const found = subcommandOf(asked.prompt);
	switch (found?.name) {
		case undefined:
			asked.stream.markdown(`${code(asked.prompt.trim())} is nothing that ${code("/memory")} knows.\n\n`);
			return help(asked);
		case "help":
			return help(asked);
		case "status":
			return status(asked);
		case "path":
			return path(asked);
		case "remember":
			return remember(asked, found.rest);
		case "search":
			return search(asked, found.rest);
		case "get":
			return get(asked, found.rest);
		case "edit":
			return edit(asked, found.rest);
		case "import":
			return importMemories(asked, found.rest);
		case "export":
			return exportMemories(asked, found.rest);
		case "reindex":
			return reindex(asked);
		case "delete":
			return deleteMemories(asked, found.rest);
	}
}

const HELP = `| | |
|---|---|
| \`/memory status\` | how much there is, and what is amiss |
| \`/memory path\` | the folders that it lies in |
| \`/memory remember NOTE\` | as \`/remember NOTE\`: \`--rule\`, \`--lesson\`, \`--user\`, \`--project\` before it say what it is |
| \`/memory search WORDS\` | memories by words; without any, all |
| \`/memory get ID\` | one memory, whole |
| \`/memory edit ID\` | opens its file |
| \`/memory import [PATH]\` | from another system, an instructions file or an archive; you see what would come first |
| \`/memory export [user, project, all] [list, codebuddy, archive] [PATH]\` | as text, or into a new file |
| \`/memory reindex\` | reads all files anew |
| \`/memory delete ID\`, \`/memory delete user, project, all\` | asks first |
`;

async function help({ stream }: Asked): Promise<Done> {
	stream.markdown(HELP);
	return { brief: "(The subcommands of /memory were shown.)" };
}

async function status({ send, stream, token }: Asked): Promise<Done> {
	const report = await send("memory/status", inCurrentFolder(), token);
	stream.markdown(`${escaped(report.message)}\n\n${counted(report)}`);
	const amiss = [
		...(report.withheld ? [`${report.withheld} came with a repository that is not trusted, and are not used.`] : []),
		...report.unreadable.map(({ path, reason }) => `${path}: ${reason}`),
		...report.health,
	];
	if (amiss.length) {
		stream.markdown(`\n\nWorth a look:\n\n${[...new Set(amiss)].map((each) => `- ${escaped(each)}`).join("\n")}\n`);
	}
	return {
		brief: "(The status of memory was shown.)",
		next: [
			{ prompt: "search", command: "memory", label: "List what is remembered" },
			{ prompt: "path", command: "memory", label: "Where does it lie?" },
		],
	};
}

function counted({ counts, stores }: MemoryReport): string {
	const kinds = (["active", "pending", "stale", "superseded"] as const).filter((kind) => counts[kind]);
	const rows = stores
		.filter(({ memories }) => memories)
		.map((store) => `| ${store.scope} | ${store.kind} | ${store.memories} |`);
	const table = rows.length ? `\n\n| scope | kept in | memories |\n|---|---|---|\n${rows.join("\n")}\n` : "";
	return `${kinds.map((kind) => `${counts[kind]} ${kind}`).join(", ") || "Nothing is remembered yet."}${table}`;
}

async function path({ send, stream, token }: Asked): Promise<Done> {
	const { stores } = await send("memory/status", inCurrentFolder(), token);
	for (const store of stores) {
		const marks = [...(store.writes ? ["new ones go here"] : []), ...(store.exists ? [] : ["not there yet"])];
		stream.markdown(`- ${store.scope}: ${code(store.path)}${marks.length ? ` (${marks.join("; ")})` : ""}\n`);
	}
	return { brief: "(The folders of memory were shown.)" };
}

async function search({ send, stream, token }: Asked, query: string): Promise<Done> {
	const params = { ...(query ? { query: queryOf(query) } : {}), limit: FOUND, ...inCurrentFolder() };
	const { items, total } = await send("memory/search", params, token);
	if (items.length === 0) {
		stream.markdown(query ? "Nothing is remembered about that." : "Nothing is remembered yet.");
		return { brief: "(Nothing was found in memory.)" };
	}
	for (const { memory } of items) {
		showMemory(stream, memory);
	}
	if (total > items.length) {
		stream.markdown(`\n\n${total - items.length} more; narrow the search.`);
	}
	return { brief: `(Shown from memory, by id: ${items.map(({ memory }) => memory.id).join(", ")}.)` };
}

async function get({ send, stream, token }: Asked, id: string): Promise<Done> {
	if (!id) {
		stream.markdown(
			`Name a memory by its id: ${code("/memory get 7k2m9p4x1qd8")}. ${code("/memory search")} tells them.`,
		);
		return { brief: "(No memory was named.)" };
	}
	try {
		const memory = await send("memory/get", { id, ...inCurrentFolder() }, token);
		showMemory(stream, memory);
		return {
			brief: `(Shown from memory, by id: ${memory.id}.)`,
			next: [{ prompt: `delete ${memory.id}`, command: "memory", label: "Delete it…" }],
		};
	} catch (error) {
		if (errorKind(error) !== "notFound") {
			throw error;
		}
		const restore = link("Bring it back", "vademecum.chat.restore", id);
		stream.markdown(trusted(`There is no memory ${code(id)}. If it was deleted: ${restore}.`));
		return { brief: `(There is no memory ${id}.)` };
	}
}

async function edit(asked: Asked, id: string): Promise<Done> {
	const shown = await get(asked, id);
	if (shown.next) {
		// there is such a memory
		await openMemory(asked.send, id);
	}
	return shown;
}

async function reindex({ send, stream, token }: Asked): Promise<Done> {
	stream.progress("Reading all memories anew…");
	const { memories, unreadable } = await send("memory/reindex", inCurrentFolder(), token);
	const left = unreadable ? ` ${unreadable} could not be read; ${code("/memory status")} tells which.` : "";
	stream.markdown(`Read anew: ${memories} ${memories === 1 ? "memory" : "memories"}.${left}`);
	return { brief: "(The index of memory was rebuilt.)" };
}
