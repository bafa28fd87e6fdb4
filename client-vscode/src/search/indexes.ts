/** What the server last told of each open folder's index, for all who show it. */
import type { Disposable, Event } from "vscode";
import type { SearchStatus } from "../protocol";
import type { Server, State } from "../server/server";
import { EventEmitter, workspace } from "../vscodeapi";

const NO_FOLDER = "";

export class Indexes implements Disposable {
	private readonly changed = new EventEmitter<void>();
	readonly onDidChange: Event<void> = this.changed.event;

	private readonly told = new Map<string, SearchStatus>();
	private readonly listeners: Disposable[];

	constructor(private readonly server: Pick<Server, "state" | "on" | "onDidChangeState">) {
		this.listeners = [
			server.onDidChangeState(({ kind }) => {
				if (kind !== "running") {
					this.told.clear();
				}
				this.changed.fire();
			}),
			server.on("search/didChangeStatus", (status) => {
				// That no folder is open holds until one is, and nothing beside it.
				if (status.workspace) {
					this.told.delete(NO_FOLDER);
				} else {
					this.told.clear();
				}
				this.told.set(status.workspace ?? NO_FOLDER, status);
				this.changed.fire();
			}),
			workspace.onDidChangeWorkspaceFolders(({ removed }) => {
				for (const { uri } of removed) {
					this.told.delete(uri.toString());
				}
				this.changed.fire();
			}),
		];
	}

	get state(): State {
		return this.server.state;
	}

	get all(): readonly SearchStatus[] {
		return [...this.told.values()];
	}

	dispose(): void {
		for (const listener of this.listeners) {
			listener.dispose();
		}
		this.changed.dispose();
	}
}
