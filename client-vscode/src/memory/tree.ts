/** The tree of memories: what waits, then scopes, their categories, and the memories in them. */
import type { CancellationToken, Event, TreeDataProvider } from "vscode";
import { Drawing, type Part } from "../drawing";
import { counted } from "../knowledge/words";
import { ThemeColor, ThemeIcon, TreeItem, TreeItemCollapsibleState } from "../vscodeapi";
import { badgeUri } from "./badges";
import type { MemorySend } from "./sending";
import { type KnownMemory, type MemoryStore, whereOf } from "./store";
import {
	type CategoryGroup,
	categoryLabel,
	groupsOf,
	marksOf,
	type ScopeGroup,
	spokenMemory,
	tooltipOf,
	waitsForReview,
} from "./words";

export interface ScopeNode {
	readonly kind: "scope";
	readonly group: ScopeGroup;
}

export interface CategoryNode {
	readonly kind: "category";
	readonly group: CategoryGroup;
	readonly parent: ScopeNode;
}

export interface MemoryNode {
	readonly kind: "memory";
	readonly memory: KnownMemory;
	readonly parent: ScopeNode | CategoryNode;
}

/** A sentence below the memories. */
export interface RemarkNode {
	readonly kind: "remark";
	readonly text: string;
	readonly icon: string;
	/** What can be done about it. */
	readonly command?: { readonly command: string; readonly title: string; readonly arguments?: unknown[] };
}

export type MemoryTreeNode = ScopeNode | CategoryNode | MemoryNode | RemarkNode;

export class MemoryTree implements TreeDataProvider<MemoryTreeNode> {
	private readonly drawing = new Drawing<MemoryTreeNode>();
	readonly onDidChangeTreeData: Event<MemoryTreeNode[] | undefined> = this.drawing.onDidChange;

	constructor(
		private readonly store: MemoryStore,
		private readonly send: MemorySend,
	) {}

	/** Draws what has changed. */
	redraw(): void {
		this.drawing.draw([...groupsOf(this.store.visible).map(scopePart), ...this.remarks().map(remarkPart)]);
	}

	async getChildren(node?: MemoryTreeNode): Promise<MemoryTreeNode[]> {
		if (node) {
			return this.drawing.within(node);
		}
		if (this.store.holding.kind === "unknown") {
			// While it is waited for, the editor shows that.
			await this.store.load();
		}
		this.redraw();
		return this.drawing.top;
	}

	getParent(node: MemoryTreeNode): MemoryTreeNode | undefined {
		return this.drawing.parent(node);
	}

	getTreeItem(node: MemoryTreeNode): TreeItem {
		switch (node.kind) {
			case "scope":
				return scopeItem(node.group);
			case "category":
				return categoryItem(node);
			case "memory":
				return memoryItem(node.memory);
			case "remark":
				return remarkItem(node);
		}
	}

	/** The tooltip of a memory holds its text and how often it was of use, which is asked for when it is looked at. */
	async resolveTreeItem(item: TreeItem, node: MemoryTreeNode, token: CancellationToken): Promise<TreeItem> {
		if (node.kind === "memory") {
			try {
				const whole = await this.send("memory/get", { id: node.memory.id, ...whereOf(node.memory) }, token);
				item.tooltip = tooltipOf(node.memory, whole);
			} catch {
				item.tooltip = tooltipOf(node.memory);
			}
		}
		return item;
	}

	dispose(): void {
		this.drawing.dispose();
	}

	private remarks(): RemarkNode[] {
		const { holding, filter, visible } = this.store;
		if (holding.kind !== "known") {
			return [];
		}
		const { withheld, unreadable } = holding.report;
		const remarks: RemarkNode[] = [];
		if (filter && visible.length === 0 && holding.memories.length > 0) {
			const command = { command: "vademecum.memories.clearFilter", title: "Show All" };
			remarks.push({ kind: "remark", text: `Nothing found for “${filter.text}”; show all`, icon: "search", command });
		}
		if (withheld > 0) {
			const came = counted(withheld, "memory came", "memories came");
			remarks.push({
				kind: "remark",
				text: `${came} with this repository, not used until you trust the folder`,
				icon: "shield",
				command: { command: "workbench.trust.manage", title: "Manage Workspace Trust" },
			});
		}
		for (const { path, reason } of unreadable) {
			const command = { command: "vademecum.memories.openFile", title: "Open", arguments: [path] };
			remarks.push({ kind: "remark", text: `Left alone: ${baseName(path)}: ${reason}`, icon: "warning", command });
		}
		return remarks;
	}
}

function scopePart(group: ScopeGroup): Part<MemoryTreeNode> {
	const node: ScopeNode = { kind: "scope", group };
	return {
		id: `scope:${group.key}`,
		node,
		look: `${group.label} ${group.memories.length}`,
		parts:
			group.categories.length > 0
				? group.categories.map((category) => categoryPart({ kind: "category", group: category, parent: node }))
				: group.memories.map((memory) => memoryPart(memory, node)),
	};
}

function categoryPart(node: CategoryNode): Part<MemoryTreeNode> {
	const { category, memories } = node.group;
	const look = `${node.parent.group.label} ${memories.length}`;
	return { id: category, node, look, parts: memories.map((memory) => memoryPart(memory, node)) };
}

function memoryPart(memory: KnownMemory, parent: ScopeNode | CategoryNode): Part<MemoryTreeNode> {
	const id = `memory:${memory.folder?.workspace ?? ""}:${memory.id}`;
	return { id, node: { kind: "memory", memory, parent }, look: JSON.stringify(memory), parts: [] };
}

function remarkPart(node: RemarkNode): Part<MemoryTreeNode> {
	return { id: `remark:${node.text}`, node, look: "", parts: [] };
}

function scopeItem(group: ScopeGroup): TreeItem {
	const item = new TreeItem(group.label, TreeItemCollapsibleState.Expanded);
	item.id = `scope:${group.key}`;
	item.description = group.memories.length.toLocaleString();
	item.contextValue = group.scope ? `scope ${group.scope}` : "waiting";
	item.accessibilityInformation = { label: `${group.label}, ${counted(group.memories.length, "memory", "memories")}` };
	return item;
}

function categoryItem({ group, parent }: CategoryNode): TreeItem {
	const label = categoryLabel(group.category);
	const item = new TreeItem(label, TreeItemCollapsibleState.Expanded);
	item.id = `category:${parent.group.key}:${group.category}`;
	item.description = group.memories.length.toLocaleString();
	item.contextValue = `category ${parent.group.scope ?? ""}`;
	const spoken = `${label}, ${parent.group.label}, ${counted(group.memories.length, "memory", "memories")}`;
	item.accessibilityInformation = { label: spoken };
	return item;
}

function memoryItem(memory: KnownMemory): TreeItem {
	const item = new TreeItem(memory.title, TreeItemCollapsibleState.None);
	item.id = `memory:${memory.folder?.workspace ?? ""}:${memory.id}`;
	item.description = marksOf(memory).join(" · ");
	item.iconPath = iconOf(memory);
	const badge = badgeUri(memory);
	if (badge) {
		item.resourceUri = badge;
	}
	item.contextValue = contextOf(memory);
	item.accessibilityInformation = { label: spokenMemory(memory) };
	item.command = { command: "vademecum.memories.open", title: "Open", arguments: [{ kind: "memory", memory }] };
	return item;
}

function remarkItem({ text, icon, command }: RemarkNode): TreeItem {
	const item = new TreeItem(text, TreeItemCollapsibleState.None);
	item.id = `remark:${text}`;
	item.iconPath = new ThemeIcon(icon);
	item.contextValue = "remark";
	item.tooltip = text;
	item.accessibilityInformation = { label: text };
	if (command) {
		item.command = command;
	}
	return item;
}

function iconOf(memory: KnownMemory): ThemeIcon {
	if (waitsForReview(memory)) {
		return new ThemeIcon("eye");
	}
	if (memory.status === "stale") {
		return new ThemeIcon("warning", new ThemeColor("vademecum.staleMemory"));
	}
	if (memory.pinned) {
		return new ThemeIcon("pinned");
	}
	return new ThemeIcon(memory.place === "shared" || memory.origin === "repository" ? "repo" : "bookmark");
}

/** Words that the manifest's menus look for. */
function contextOf(memory: KnownMemory): string {
	return ["memory", memory.status, memory.pinned ? "pinned" : "unpinned", memory.place].join(" ");
}

function baseName(path: string): string {
	return path.split(/[\\/]/).at(-1) || path;
}
