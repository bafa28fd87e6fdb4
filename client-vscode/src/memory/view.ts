/** The Memory view: the tree, what it says of itself, and the commands on it. */
import type { Disposable, TreeView, Uri as UriType } from "vscode";
import { type Action, acting, type Entries, nodeNamedBy } from "../entries";
import { counted } from "../knowledge/words";
import type { Log } from "../log";
import type { Server } from "../server/server";
import { SECTION } from "../settings";
import { commands, Uri, window, workspace } from "../vscodeapi";
import {
	accept,
	edit,
	type MemoryParts,
	open,
	openFile,
	pin,
	purge,
	reject,
	remove,
	rename,
	undoLast,
	unpin,
} from "./actions";
import { audit } from "./audit";
import { registerMemoryBadges } from "./badges";
import { exportMemories } from "./export";
import { filterMemories } from "./filter";
import { forgetEverything } from "./forget";
import { history, restoreVersion } from "./history";
import { importMemories } from "./import";
import { add, categorize, move, type Wanted } from "./kinds";
import { sendingMemories } from "./sending";
import { type KnownMemory, MemoryStore } from "./store";
import { ReadOnlyTexts, versionShownBy } from "./texts";
import { MemoryTree, type MemoryTreeNode } from "./tree";
import { watchMemories } from "./watching";
import { aboutOf, waitsForReview } from "./words";

const VIEW = "vademecum.memory";
/** What the view's welcome goes by: `unknown`, `off`, `failed`, `none` or `some`. */
const STATE_CONTEXT = "vademecum.memories";
/** Said of a folder that is not trusted. */
const RESTRICTED =
	"This folder is not trusted. Your own memories, your documents and search work; memories and settings that came with it " +
	"are not used, and no file is written for other chats.";
const FILTER_CONTEXT = "vademecum.memoriesFiltered";

const NONE = "Nothing is remembered yet.";
const any = () => true;

const ACTIONS = {
	open: { work: open, fits: any, question: "Open Memory", none: NONE, one: true },
	rename: { work: rename, fits: any, question: "Rename Memory", none: NONE, one: true },
	edit: { work: edit, fits: any, question: "Edit Memory", none: NONE, one: true },
	history: { work: history, fits: any, question: "History of Memory", none: NONE, one: true },
	move: { work: move, fits: any, question: "Move Memories", none: NONE },
	categorize: { work: categorize, fits: any, question: "Change Category of Memories", none: NONE },
	pin: {
		work: pin,
		fits: ({ pinned }) => !pinned,
		question: "Pin Memories",
		none: "There is no memory that is not pinned.",
	},
	unpin: { work: unpin, fits: ({ pinned }) => pinned, question: "Unpin Memories", none: "No memory is pinned." },
	remove: { work: remove, fits: any, question: "Delete Memories", none: NONE },
	purge: { work: purge, fits: any, question: "Delete Memories for Good", none: NONE },
	accept: { work: accept, fits: waitsForReview, question: "Accept Memories", none: "No memory waits for your review." },
	reject: { work: reject, fits: waitsForReview, question: "Reject Memories", none: "No memory waits for your review." },
} satisfies Record<string, Action<MemoryParts, KnownMemory>>;

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
	const entries = entriesOf(store, view);
	const on = (action: Action<MemoryParts, KnownMemory>) => acting(parts, entries, action);
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
		commands.registerCommand("vademecum.memories.open", on(ACTIONS.open)),
		commands.registerCommand("vademecum.memories.rename", on(ACTIONS.rename)),
		commands.registerCommand("vademecum.memories.edit", on(ACTIONS.edit)),
		commands.registerCommand("vademecum.memories.history", on(ACTIONS.history)),
		commands.registerCommand("vademecum.memories.move", on(ACTIONS.move)),
		commands.registerCommand("vademecum.memories.categorize", on(ACTIONS.categorize)),
		commands.registerCommand("vademecum.memories.pin", on(ACTIONS.pin)),
		commands.registerCommand("vademecum.memories.unpin", on(ACTIONS.unpin)),
		commands.registerCommand("vademecum.memories.delete", on(ACTIONS.remove)),
		commands.registerCommand("vademecum.memories.purge", on(ACTIONS.purge)),
		commands.registerCommand("vademecum.memories.accept", on(ACTIONS.accept)),
		commands.registerCommand("vademecum.memories.reject", on(ACTIONS.reject)),
		commands.registerCommand("vademecum.memories.add", (node?: MemoryTreeNode) =>
			add(parts, wantedBy(nodeNamedBy(node, view.selection))),
		),
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
		commands.registerCommand("vademecum.memories.undo", undoLast),
		commands.registerCommand("vademecum.memories.refresh", async () => {
			await store.load();
			const trouble = entries.trouble();
			// The view says so itself where it is in sight.
			if (trouble && !view.visible) {
				void window.showWarningMessage(`The memories cannot be shown: ${trouble}`);
			}
		}),
		commands.registerCommand("vademecum.memories.openFile", (path: string) => openFile(Uri.file(path))),
	];
}

function entriesOf(store: MemoryStore, view: TreeView<MemoryTreeNode>): Entries<KnownMemory, MemoryTreeNode> {
	return {
		ready: async () => {
			if (store.holding.kind !== "known") {
				await store.load();
			}
		},
		all: () => store.memories,
		entry: (id) => store.memory(id),
		idsOf: (node) => (node.kind === "memory" ? [node.memory.id] : []),
		selection: () => view.selection,
		item: (memory) => ({ label: memory.title, description: aboutOf(memory), detail: memory.description }),
		gone: "The memory is not there any more.",
		trouble: () => {
			const { holding } = store;
			return holding.kind === "failed" ? holding.why : holding.kind === "off" ? "Memory is off." : undefined;
		},
	};
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
	view.message =
		holding.kind === "failed" ? `The memories cannot be shown: ${holding.why}` : workspace.isTrusted ? "" : RESTRICTED;
	const empty =
		holding.kind === "known" &&
		memories.length === 0 &&
		holding.report.withheld === 0 &&
		holding.report.unreadable.length === 0;
	const state = holding.kind === "known" ? (empty ? "none" : "some") : holding.kind;
	void commands.executeCommand("setContext", STATE_CONTEXT, state);
	void commands.executeCommand("setContext", FILTER_CONTEXT, filter !== undefined);
}
