/** The tree of documents: groups, the documents in them, and under each its sections. */
import type { Event, TreeDataProvider } from "vscode";
import { Drawing, type Part } from "../drawing";
import { errorKind, errorMessage, type Send } from "../protocol";
import { ThemeIcon, TreeItem, TreeItemCollapsibleState } from "../vscodeapi";
import type { KnownDocument } from "./protocol";
import type { KnowledgeStore } from "./store";
import type { CurrentTask } from "./task";
import {
	counted,
	type DocumentGroup,
	groupLabel,
	groupsOf,
	linesOf,
	marksOf,
	type NestedSection,
	nested,
	sectionTitle,
	spokenDocument,
	spokenSection,
	tooltipOf,
	waitsForReview,
} from "./words";

export interface GroupNode {
	readonly kind: "group";
	readonly group: DocumentGroup;
}

export interface DocumentNode {
	readonly kind: "document";
	readonly document: KnownDocument;
}

export interface SectionNode {
	readonly kind: "section";
	readonly document: KnownDocument;
	readonly nested: NestedSection;
	readonly parent: DocumentNode | SectionNode;
}

/** A sentence where sections would be. */
export interface RemarkNode {
	readonly kind: "remark";
	readonly text: string;
	readonly parent: DocumentNode;
	/** What changes that, for the document above. */
	readonly command?: { readonly command: string; readonly title: string };
}

export type KnowledgeNode = GroupNode | DocumentNode | SectionNode | RemarkNode;

interface Outline {
	/** What it was made of: another revision, task or state has another one. */
	readonly key: string;
	readonly nodes: readonly (SectionNode | RemarkNode)[];
}

export class KnowledgeTree implements TreeDataProvider<KnowledgeNode> {
	private readonly drawing = new Drawing<KnowledgeNode>();
	readonly onDidChangeTreeData: Event<KnowledgeNode[] | undefined> = this.drawing.onDidChange;
	private readonly outlines = new Map<string, Outline>();

	constructor(
		private readonly store: KnowledgeStore,
		private readonly task: CurrentTask,
		private readonly send: Send,
	) {}

	/** Draws what has changed. */
	redraw(): void {
		const known = new Set(this.store.documents.map(({ id }) => id));
		for (const id of this.outlines.keys()) {
			if (!known.has(id)) {
				this.outlines.delete(id);
			}
		}
		this.drawing.draw(groupsOf(this.store.documents).map((group) => this.groupPart(group)));
	}

	async getChildren(node?: KnowledgeNode): Promise<KnowledgeNode[]> {
		switch (node?.kind) {
			case undefined:
				if (this.store.holding.kind === "unknown") {
					// While it is waited for, the editor shows that.
					await this.store.load();
				}
				this.redraw();
				return this.drawing.top;
			case "group":
				return this.drawing.within(node);
			case "document":
				return [...(await this.outlineOf(node))];
			case "section":
				return node.nested.children.map((child) => sectionNode(node.document, child, node));
			case "remark":
				return [];
		}
	}

	getParent(node: KnowledgeNode): KnowledgeNode | undefined {
		return node.kind === "section" || node.kind === "remark" ? node.parent : this.drawing.parent(node);
	}

	getTreeItem(node: KnowledgeNode): TreeItem {
		switch (node.kind) {
			case "group":
				return groupItem(node.group);
			case "document":
				return this.documentItem(node.document);
			case "section":
				return sectionItem(node);
			case "remark":
				return remarkItem(node);
		}
	}

	dispose(): void {
		this.drawing.dispose();
	}

	private groupPart(group: DocumentGroup): Part<KnowledgeNode> {
		const parts = group.documents.map((document): Part<KnowledgeNode> => {
			const look = JSON.stringify([document, this.store.isAttached(document.id), this.task.name]);
			return { id: document.id, node: { kind: "document", document }, look, parts: [] };
		});
		const look = String(group.documents.length);
		return { id: `${group.owner}:${group.status}`, node: { kind: "group", group }, look, parts };
	}

	private documentItem(document: KnownDocument): TreeItem {
		const attached = this.store.isAttached(document.id);
		const item = new TreeItem(document.title, TreeItemCollapsibleState.Collapsed);
		item.id = `document:${document.id}`;
		item.description = marksOf(document, attached).join(" · ");
		item.tooltip = tooltipOf(document, attached, this.task.words);
		item.iconPath = new ThemeIcon(iconOf(document, attached));
		item.contextValue = contextOf(document, attached);
		item.accessibilityInformation = { label: spokenDocument(document, attached) };
		item.command = {
			command: "vademecum.documents.review",
			title: waitsForReview(document) ? "Review" : "Open",
			arguments: [{ kind: "document", document }],
		};
		return item;
	}

	private async outlineOf(node: DocumentNode): Promise<readonly KnowledgeNode[]> {
		const { document } = node;
		const attached = this.store.isAttached(document.id);
		const key = JSON.stringify([document.revision, document.status, attached, this.task.name]);
		const known = this.outlines.get(document.id);
		if (known?.key === key) {
			return known.nodes;
		}
		if (document.status === "pending") {
			return [waiting(node)];
		}
		if (!attached) {
			return [notAttached(node, this.task.words)];
		}
		try {
			const { sections } = await this.send("knowledge/outline", { id: document.id, task: this.task.name });
			const nodes = nested(sections).map((section) => sectionNode(document, section, node));
			this.outlines.set(document.id, { key, nodes });
			return nodes.length ? nodes : [{ kind: "remark", text: "It has no sections", parent: node }];
		} catch (error) {
			// What the tree knew may have changed a moment ago.
			switch (errorKind(error)) {
				case "notPublished":
					return [waiting(node)];
				case "notAttached":
					return [notAttached(node, this.task.words)];
				default:
					return [{ kind: "remark", text: errorMessage(error), parent: node }];
			}
		}
	}
}

function sectionNode(document: KnownDocument, section: NestedSection, parent: DocumentNode | SectionNode): SectionNode {
	return { kind: "section", document, nested: section, parent };
}

function waiting(parent: DocumentNode): RemarkNode {
	return {
		kind: "remark",
		text: "Waits for your review; its sections are shown once it is published",
		parent,
		command: { command: "vademecum.documents.review", title: "Review" },
	};
}

function notAttached(parent: DocumentNode, task: string): RemarkNode {
	return {
		kind: "remark",
		text: `Not attached to ${task}; its sections are shown once it is`,
		parent,
		command: { command: "vademecum.documents.attach", title: "Attach" },
	};
}

function groupItem(group: DocumentGroup): TreeItem {
	const label = groupLabel(group);
	const item = new TreeItem(label, TreeItemCollapsibleState.Expanded);
	item.id = `group:${group.owner}:${group.status}`;
	item.description = group.documents.length.toLocaleString();
	item.contextValue = "group";
	item.accessibilityInformation = { label: `${label}, ${counted(group.documents.length, "document", "documents")}` };
	return item;
}

function sectionItem(node: SectionNode): TreeItem {
	const { section, children } = node.nested;
	const state = children.length
		? isWhole(node)
			? TreeItemCollapsibleState.Expanded
			: TreeItemCollapsibleState.Collapsed
		: TreeItemCollapsibleState.None;
	const item = new TreeItem(sectionTitle(section), state);
	item.id = `section:${node.document.id}:${section.anchor}`;
	item.description = String(section.lines.start);
	item.tooltip = `${section.anchor}\n${linesOf(section)}`;
	item.contextValue = "section";
	item.accessibilityInformation = { label: spokenSection(section) };
	item.command = {
		command: "vademecum.documents.openSection",
		title: "Open",
		arguments: [node.document.id, section.lines.start],
	};
	return item;
}

/** Most documents have one heading above all others: whoever opens the document wants to see what is below that. */
function isWhole({ document, nested: { section }, parent }: SectionNode): boolean {
	return parent.kind === "document" && section.title === document.title;
}

function remarkItem({ text, command, parent }: RemarkNode): TreeItem {
	const item = new TreeItem(text, TreeItemCollapsibleState.None);
	item.id = `remark:${parent.document.id}`;
	item.iconPath = new ThemeIcon("info");
	item.contextValue = "remark";
	item.tooltip = text;
	item.accessibilityInformation = { label: text };
	if (command) {
		item.command = { ...command, arguments: [parent] };
	}
	return item;
}

function iconOf(document: KnownDocument, attached: boolean): string {
	if (waitsForReview(document)) {
		return "eye";
	}
	return attached ? "link" : "book";
}

/** Words that the manifest's menus look for. */
function contextOf(document: KnownDocument, attached: boolean): string {
	return [
		"document",
		document.status,
		attached ? "attached" : "detached",
		...(waitsForReview(document) ? ["waits"] : []),
		...(document.writable ? ["writable"] : []),
	].join(" ");
}
