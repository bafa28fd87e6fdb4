/** The Documents view: the tree, what it says of itself, and the commands on it. */
import type { Disposable, TreeView, Uri as UriType } from "vscode";
import { type Action, acting, type Entries } from "../entries";
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

/** A document, and whether the current task sees it. */
interface Entry {
	readonly document: KnownDocument;
	readonly attached: boolean;
}

type DocumentAction = Action<KnowledgeParts, Entry>;
type Work = (parts: KnowledgeParts, documents: readonly KnownDocument[]) => Promise<void>;

/** An action by what it does to documents. */
function documentAction(action: Omit<DocumentAction, "work"> & { readonly work: Work }): DocumentAction {
	return {
		...action,
		work: (parts, entries) =>
			action.work(
				parts,
				entries.map(({ document }) => document),
			),
	};
}

const ACTIONS = {
	review: documentAction({
		work: review,
		fits: () => true,
		question: "Review Document",
		none: "There are no documents.",
		one: true,
	}),
	publish: documentAction({
		work: publish,
		fits: ({ document }) => waitsForReview(document) && document.writable,
		question: "Publish Documents",
		none: "No document waits for your review.",
	}),
	withdraw: documentAction({
		work: withdraw,
		fits: ({ document }) => document.status === "ready" && document.writable,
		question: "Withdraw Documents",
		none: "No document of yours is published.",
	}),
	attach: documentAction({
		work: attach,
		fits: ({ attached }) => !attached,
		question: "Attach Documents",
		none: "There is no document that is not attached.",
	}),
	detach: documentAction({
		work: detach,
		fits: ({ attached }) => attached,
		question: "Detach Documents",
		none: "No document is attached.",
	}),
	remove: documentAction({
		work: remove,
		fits: ({ document }) => document.writable,
		question: "Remove Documents",
		none: "There is no document that you could remove.",
	}),
};

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
	const entries = entriesOf(parts, view);
	const on = (action: DocumentAction) => acting(parts, entries, action);
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
		commands.registerCommand("vademecum.documents.review", on(ACTIONS.review)),
		commands.registerCommand("vademecum.documents.publish", on(ACTIONS.publish)),
		commands.registerCommand("vademecum.documents.withdraw", on(ACTIONS.withdraw)),
		commands.registerCommand("vademecum.documents.attach", on(ACTIONS.attach)),
		commands.registerCommand("vademecum.documents.detach", on(ACTIONS.detach)),
		commands.registerCommand("vademecum.documents.remove", on(ACTIONS.remove)),
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

function entriesOf({ store, reviews }: KnowledgeParts, view: TreeView<KnowledgeNode>): Entries<Entry, KnowledgeNode> {
	const entry = (document: KnownDocument) => ({ document, attached: store.isAttached(document.id) });
	return {
		ready: async () => {
			if (store.holding.kind !== "known") {
				await store.load();
			}
		},
		all: () => store.documents.map(entry),
		entry: (id) => {
			const document = store.document(id);
			return document && entry(document);
		},
		idsOf: (node) => (node.kind === "document" || node.kind === "section" ? [node.document.id] : []),
		selection: () => view.selection,
		item: ({ document, attached }) => ({
			label: document.title,
			description: [
				document.status === "pending" ? "waits for review" : "published",
				...marksOf(document, attached),
			].join(" · "),
		}),
		gone: "The document is not there any more.",
		trouble: () => (store.holding.kind === "failed" ? store.holding.why : undefined),
		other: (target) => {
			const shown = isUri(target) ? shownBy(target) : undefined;
			if (shown) {
				// What is in front of the user is what they mean, whichever revision they looked at last.
				reviews.note(shown);
			}
			return shown?.id;
		},
	};
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
