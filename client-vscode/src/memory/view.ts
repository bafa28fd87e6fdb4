/** The Memory view: the tree, what it says of itself, and the commands on it. */
import type { Disposable, TreeView, Uri as UriType } from "vscode";
import { counted } from "../knowledge/words";
import type { Log } from "../log";
import type { Server } from "../server/server";
import { SECTION } from "../settings";
import { commands, Uri, window, workspace } from "../vscodeapi";
import { accept, edit, type MemoryParts, open, openFile, pin, purge, reject, remove, rename, unpin } from "./actions";
import { audit } from "./audit";
import { registerMemoryBadges } from "./badges";
import { exportMemories } from "./export";
import { filterMemories } from "./filter";
import { forgetEverything } from "./forget";
import { history, restoreVersion } from "./history";
import { importMemories } from "./import";
import { add, categorize, move, type Wanted } from "./kinds";
import { sendingMemories } from "./protocol";
import { type KnownMemory, MemoryStore } from "./store";
import { ReadOnlyTexts, versionShownBy } from "./texts";
import { MemoryTree, type MemoryTreeNode } from "./tree";
import { watchMemories } from "./watching";
import { aboutOf, waitsForReview } from "./words";

const VIEW = "vademecum.memory";
/** What the view's welcome goes by: `unknown`, `off`, `failed`, `none` or `some`. */
const STATE_CONTEXT = "vademecum.memories";
const FILTER_CONTEXT = "vademecum.memoriesFiltered";

/** An action on memories: which of them it is for, and what the palette asks where none is named. */
interface Action {
	readonly work: (parts: MemoryParts, memories: readonly KnownMemory[]) => Promise<void>;
	readonly fits: (memory: KnownMemory) => boolean;
	readonly question: string;
	/** Said where there is no such memory. */
	readonly none: string;
	readonly one?: boolean;
}

const NONE = "Nothing is remembered yet.";
const any = () => true;

const ACTIONS = {
	open: { work: open, fits: any, question: "Open Memory", none: NONE, one: true },
	rename: { work: rename, fits: any, question: "Rename Memory", none: NONE, one: true },
	edit: { work: edit, fits: any, question: "Edit Memory", none: NONE, one: true },
	history: { work: history, fits: any, question: "History of Memory", none: NONE, one: true },
	move: { work: move, fits: any, question: "Move Memories", none: NONE },
	categorize: { work: categorize, fits: any, question: "Change Category of Memories", none: NONE },
	pin: { work: pin, fits: ({ pinned }) => !pinned, question: "Pin Memories", none: "All memories are pinned." },
	unpin: { work: unpin, fits: ({ pinned }) => pinned, question: "Unpin Memories", none: "No memory is pinned." },
	remove: { work: remove, fits: any, question: "Delete Memories", none: NONE },
	purge: { work: purge, fits: any, question: "Delete Memories for Good", none: NONE },
	accept: { work: accept, fits: waitsForReview, question: "Accept Memories", none: "No memory waits for your review." },
	reject: { work: reject, fits: waitsForReview, question: "Reject Memories", none: "No memory waits for your review." },
} satisfies Record<string, Action>;

export function registerMemoryView(server: Server, log: Log): Disposable[] {
	const send = sendingMemories(server.send);
	const store = new MemoryStore(server, log);
	const texts = new ReadOnlyTexts();
	const parts: MemoryParts = { send, store, texts, log };
	const tree = new MemoryTree(store, send);
	const view = window.createTreeView<MemoryTreeNode>(VIEW, {
		treeDataProvider: tree,
		canSelectMany: true,
		showCollapseAll: true,
	});
	const draw = () => {
		tree.redraw();
		tell(view, store);
	};
	const look = () => {
		if (view.visible) {
			void store.load();
		}
	};
	draw();
	look();
	return [
		store,
		texts,
		tree,
		view,
		store.onDidChange(draw),
		watchMemories(store),
		registerMemoryBadges(),
		view.onDidChangeVisibility(look),
		// What other programs did is seen when one comes back from them.
		window.onDidChangeWindowState(({ focused }) => focused && look()),
		workspace.onDidChangeWorkspaceFolders(() => store.soon()),
		workspace.onDidChangeConfiguration((change) => change.affectsConfiguration(`${SECTION}.memory`) && store.soon()),
		commands.registerCommand("vademecum.memories.open", on(parts, view, ACTIONS.open)),
		commands.registerCommand("vademecum.memories.rename", on(parts, view, ACTIONS.rename)),
		commands.registerCommand("vademecum.memories.edit", on(parts, view, ACTIONS.edit)),
		commands.registerCommand("vademecum.memories.history", on(parts, view, ACTIONS.history)),
		commands.registerCommand("vademecum.memories.move", on(parts, view, ACTIONS.move)),
		commands.registerCommand("vademecum.memories.categorize", on(parts, view, ACTIONS.categorize)),
		commands.registerCommand("vademecum.memories.pin", on(parts, view, ACTIONS.pin)),
		commands.registerCommand("vademecum.memories.unpin", on(parts, view, ACTIONS.unpin)),
		commands.registerCommand("vademecum.memories.delete", on(parts, view, ACTIONS.remove)),
		commands.registerCommand("vademecum.memories.purge", on(parts, view, ACTIONS.purge)),
		commands.registerCommand("vademecum.memories.accept", on(parts, view, ACTIONS.accept)),
		commands.registerCommand("vademecum.memories.reject", on(parts, view, ACTIONS.reject)),
		commands.registerCommand("vademecum.memories.add", (node?: MemoryTreeNode) => add(parts, wantedBy(node))),
		commands.registerCommand("vademecum.memories.restoreVersion", (uri?: UriType) =>
			restoreVersion(parts, versionShownBy(uri ?? window.activeTextEditor?.document.uri)),
		),
		commands.registerCommand("vademecum.memories.audit", async () => {
			await store.load();
			await audit(parts);
		}),
		commands.registerCommand("vademecum.memories.import", () => importMemories(parts)),
		commands.registerCommand("vademecum.memories.export", () => exportMemories(parts)),
		commands.registerCommand("vademecum.memories.forgetEverything", () => forgetEverything(parts)),
		commands.registerCommand("vademecum.memories.filter", () => filterMemories(parts)),
		commands.registerCommand("vademecum.memories.clearFilter", () => store.find("")),
		commands.registerCommand("vademecum.memories.refresh", () => store.load()),
		commands.registerCommand("vademecum.memories.openFile", (path: string) => openFile(Uri.file(path))),
	];
}

/** What a command does that is called on entries of the tree, or from anywhere. */
function on(parts: MemoryParts, view: TreeView<MemoryTreeNode>, action: Action) {
	return async (target?: unknown, all?: unknown): Promise<void> => {
		const memories = await memoriesFor(parts, view, action, target, all);
		if (memories.length > 0) {
			await action.work(parts, memories);
		}
	};
}

/** The memories that a command is for: those of the tree's entries, of its selection (a key), else what is picked. */
async function memoriesFor(
	{ store }: MemoryParts,
	view: TreeView<MemoryTreeNode>,
	action: Action,
	target: unknown,
	all: unknown,
): Promise<KnownMemory[]> {
	if (store.holding.kind !== "known") {
		await store.load();
	}
	const named = namedBy(target, all, view.selection);
	if (named) {
		const known = named.map((id) => store.memory(id)).filter((memory) => memory !== undefined);
		const fit = known.filter(action.fits);
		if (named.length > 0 && fit.length === 0) {
			void window.showInformationMessage(known.length ? action.none : "The memory is not there any more.");
		}
		return fit;
	}
	const items = store.memories.filter(action.fits).map((memory) => ({
		label: memory.title,
		description: aboutOf(memory),
		detail: memory.description,
		memory,
	}));
	if (items.length === 0) {
		const { holding } = store;
		void window.showInformationMessage(
			holding.kind === "failed" ? holding.why : holding.kind === "off" ? "Memory is off." : action.none,
		);
		return [];
	}
	const options = { title: action.question, matchOnDescription: true, matchOnDetail: true };
	const picked = action.one
		? await window.showQuickPick(items, options)
		: await window.showQuickPick(items, { ...options, canPickMany: true });
	return [picked ?? []].flat().map(({ memory }) => memory);
}

/** Ids that a command's arguments name; undefined when they name nothing, as from the palette. */
export function namedBy(target: unknown, all: unknown, selection: readonly MemoryTreeNode[]): string[] | undefined {
	if (target === "selection") {
		return idsOf(selection);
	}
	const nodes = Array.isArray(all) && all.length > 0 ? all : target === undefined ? [] : [target];
	const ids = idsOf(nodes as MemoryTreeNode[]);
	return ids.length > 0 ? ids : undefined;
}

function idsOf(nodes: readonly MemoryTreeNode[]): string[] {
	return [...new Set(nodes.flatMap((node) => (node?.kind === "memory" ? [node.memory.id] : [])))];
}

/** What a new memory is to be, by the group that it is added to. */
export function wantedBy(node: MemoryTreeNode | undefined): Wanted {
	const group = node?.kind === "scope" ? node.group : node?.kind === "category" ? node.parent.group : undefined;
	return {
		...(node?.kind === "category" ? { category: node.group.category } : {}),
		...(group?.scope ? { scope: group.scope } : {}),
		...(group?.folder ? { folder: group.folder } : {}),
	};
}

/** What the view says of itself beside its tree. */
function tell(view: TreeView<MemoryTreeNode>, store: MemoryStore): void {
	const { holding, filter, memories, visible } = store;
	const waiting = memories.filter(waitsForReview).length;
	view.badge = waiting
		? { value: waiting, tooltip: `${counted(waiting, "memory waits", "memories wait")} for your review` }
		: undefined;
	view.description = filter ? `“${filter.text}”: ${visible.length} of ${memories.length}` : "";
	view.message = holding.kind === "failed" ? `The memories cannot be shown: ${holding.why}` : "";
	const empty =
		holding.kind === "known" &&
		memories.length === 0 &&
		holding.report.withheld === 0 &&
		holding.report.unreadable.length === 0;
	const state = holding.kind === "known" ? (empty ? "none" : "some") : holding.kind;
	void commands.executeCommand("setContext", STATE_CONTEXT, state);
	void commands.executeCommand("setContext", FILTER_CONTEXT, filter !== undefined);
}
