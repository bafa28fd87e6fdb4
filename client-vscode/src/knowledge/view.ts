/** The Documents view: the tree, what it says of itself, and the commands on it. */
import type { Disposable, TreeView, Uri as UriType } from "vscode";
import { commands, window } from "../vscodeapi";
import { attach, detach, type KnowledgeParts, publish, refresh, remove, review, withdraw } from "./actions";
import { Answers, askDocuments, openSection, searchDocuments } from "./find";
import { importFiles, importFolder, importResources, importShared, importText } from "./import";
import type { KnownDocument } from "./protocol";
import { Reviews, registerReviewedTexts, shownBy } from "./review";
import type { KnowledgeStore } from "./store";
import { type CurrentTask, DEFAULT_TASK } from "./task";
import { type KnowledgeNode, KnowledgeTree } from "./tree";
import { watchFolders } from "./watching";
import { counted, marksOf, waitsForReview } from "./words";

const VIEW = "vademecum.knowledge";
/** What the view's welcome goes by: `unknown`, `failed`, `none` or `some`. */
const STATE_CONTEXT = "vademecum.documents";

type Work = (parts: KnowledgeParts, documents: readonly KnownDocument[]) => Promise<void>;

/** An action on documents: which of them it is for, and what the palette asks where none is named. */
interface Action {
	readonly work: Work;
	readonly fits: (document: KnownDocument, attached: boolean) => boolean;
	readonly question: string;
	/** Said where there is no such document. */
	readonly none: string;
	readonly one?: boolean;
}

const ACTIONS = {
	review: { work: review, fits: () => true, question: "Review Document", none: "There are no documents.", one: true },
	publish: {
		work: publish,
		fits: (document) => waitsForReview(document) && document.writable,
		question: "Publish Documents",
		none: "No document waits for your review.",
	},
	withdraw: {
		work: withdraw,
		fits: ({ status, writable }) => status === "ready" && writable,
		question: "Withdraw Documents",
		none: "No document of yours is published.",
	},
	attach: {
		work: attach,
		fits: (_document, attached) => !attached,
		question: "Attach Documents",
		none: "There is no document that is not attached.",
	},
	detach: {
		work: detach,
		fits: (_document, attached) => attached,
		question: "Detach Documents",
		none: "No document is attached.",
	},
	remove: {
		work: remove,
		fits: ({ writable }) => writable,
		question: "Remove Documents",
		none: "There is no document that you could remove.",
	},
} satisfies Record<string, Action>;

export function registerKnowledgeView(given: Omit<KnowledgeParts, "reviews">): Disposable[] {
	const { send, store, task } = given;
	const reviews = new Reviews();
	const parts: KnowledgeParts = { ...given, reviews };
	const tree = new KnowledgeTree(store, task, send);
	const answers = new Answers();
	const view = window.createTreeView<KnowledgeNode>(VIEW, {
		treeDataProvider: tree,
		canSelectMany: true,
		showCollapseAll: true,
	});
	const draw = () => {
		tree.redraw();
		tell(view, store, task);
	};
	const look = () => {
		if (view.visible) {
			void store.load();
		}
	};
	draw();
	look();
	return [
		tree,
		answers,
		view,
		store.onDidChange(draw),
		watchFolders(store),
		view.onDidChangeVisibility(look),
		// What other programs did is seen when one comes back from them.
		window.onDidChangeWindowState(({ focused }) => focused && look()),
		...registerReviewedTexts(reviews),
		commands.registerCommand("vademecum.documents.review", on(parts, view, ACTIONS.review)),
		commands.registerCommand("vademecum.documents.publish", on(parts, view, ACTIONS.publish)),
		commands.registerCommand("vademecum.documents.withdraw", on(parts, view, ACTIONS.withdraw)),
		commands.registerCommand("vademecum.documents.attach", on(parts, view, ACTIONS.attach)),
		commands.registerCommand("vademecum.documents.detach", on(parts, view, ACTIONS.detach)),
		commands.registerCommand("vademecum.documents.remove", on(parts, view, ACTIONS.remove)),
		commands.registerCommand("vademecum.documents.importFile", () => importFiles(parts)),
		commands.registerCommand("vademecum.documents.importFolder", () => importFolder(parts)),
		commands.registerCommand("vademecum.documents.importText", () => importText(parts)),
		commands.registerCommand("vademecum.documents.importShared", () => importShared(parts)),
		commands.registerCommand("vademecum.documents.importResource", (uri?: UriType, all?: readonly UriType[]) =>
			importResources(parts, all?.length ? all : uri ? [uri] : []),
		),
		commands.registerCommand("vademecum.documents.search", () => searchDocuments(parts)),
		commands.registerCommand("vademecum.documents.ask", () => askDocuments(parts, answers)),
		commands.registerCommand("vademecum.documents.refresh", () => refresh(parts)),
		commands.registerCommand("vademecum.documents.chooseTask", () => task.ask()),
		commands.registerCommand("vademecum.documents.openSection", (id: string, line: number) =>
			openSection(parts, id, line),
		),
	];
}

/** What a command does that is called on entries of the tree, or for one editor, or from anywhere. */
function on(parts: KnowledgeParts, view: TreeView<KnowledgeNode>, action: Action) {
	return async (target?: unknown, all?: unknown): Promise<void> => {
		const documents = await documentsFor(parts, view, action, target, all);
		if (documents.length > 0) {
			await action.work(parts, documents);
		}
	};
}

/**
 * The documents that a command is for: those of the tree's entries, of the editor whose title it was called from, of
 * the tree's selection (a key), else those that the user picks.
 */
async function documentsFor(
	parts: KnowledgeParts,
	view: TreeView<KnowledgeNode>,
	action: Action,
	target: unknown,
	all: unknown,
): Promise<KnownDocument[]> {
	const { store, reviews } = parts;
	if (store.holding.kind !== "known") {
		await store.load();
	}
	const fitting = (document: KnownDocument) => action.fits(document, store.isAttached(document.id));
	const shown = isUri(target) ? shownBy(target) : undefined;
	if (shown) {
		// What is in front of the user is what they mean, whichever revision they looked at last.
		reviews.note(shown);
	}
	const named = shown ? [shown.id] : namedBy(target, all, view.selection);
	if (named) {
		const known = named.map((id) => store.document(id)).filter((document) => document !== undefined);
		const fit = known.filter(fitting);
		if (named.length > 0 && fit.length === 0) {
			void window.showInformationMessage(known.length ? action.none : "The document is not there any more.");
		}
		return fit;
	}
	const items = store.documents.filter(fitting).map((document) => ({
		label: document.title,
		description: [
			document.status === "pending" ? "waits for review" : "published",
			...marksOf(document, store.isAttached(document.id)),
		].join(" · "),
		document,
	}));
	if (items.length === 0) {
		const { holding } = store;
		void window.showInformationMessage(holding.kind === "failed" ? holding.why : action.none);
		return [];
	}
	const picked = action.one
		? await window.showQuickPick(items, { title: action.question })
		: await window.showQuickPick(items, { title: action.question, canPickMany: true });
	return [picked ?? []].flat().map(({ document }) => document);
}

/** Ids that a command's arguments name; undefined when they name nothing, as from the palette. */
function namedBy(target: unknown, all: unknown, selection: readonly KnowledgeNode[]): string[] | undefined {
	if (target === "selection") {
		return idsOf(selection);
	}
	const nodes = Array.isArray(all) && all.length > 0 ? all : target === undefined ? [] : [target];
	const ids = idsOf(nodes as KnowledgeNode[]);
	return ids.length > 0 ? ids : undefined;
}

function idsOf(nodes: readonly KnowledgeNode[]): string[] {
	const ids = nodes.flatMap((node) =>
		node?.kind === "document" || node?.kind === "section" ? [node.document.id] : [],
	);
	return [...new Set(ids)];
}

function isUri(value: unknown): value is UriType {
	return typeof (value as UriType | undefined)?.scheme === "string";
}

/** What the view says of itself beside its tree. */
function tell(view: TreeView<KnowledgeNode>, store: KnowledgeStore, task: CurrentTask): void {
	const { holding } = store;
	const waiting = store.documents.filter(waitsForReview).length;
	view.description = task.name === DEFAULT_TASK ? "" : `task: ${task.name}`;
	view.badge = waiting
		? { value: waiting, tooltip: `${counted(waiting, "document waits", "documents wait")} for your review` }
		: undefined;
	const state = holding.kind === "known" ? (holding.documents.length ? "some" : "none") : holding.kind;
	view.message = holding.kind === "failed" ? `The documents cannot be shown: ${holding.why}` : "";
	void commands.executeCommand("setContext", STATE_CONTEXT, state);
}
