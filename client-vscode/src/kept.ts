/** What the server has of something, kept current: asked for once somebody wants to see it, and again when it changes. */
import type { Disposable } from "vscode";
import type { Notifications } from "./protocol";
import type { Server } from "./server/server";
import { EventEmitter } from "./vscodeapi";

/** Changes that come together are one, within so many milliseconds. */
const SETTLE = 100;

export interface Asking<T> {
	readonly server: Pick<Server, "on" | "onDidChangeState">;
	/** What the server says when it has changed what is kept. */
	readonly announced: keyof Notifications;
	/** What is known before anything was asked, and while the server starts. */
	readonly unknown: T;
	/** Asks the server. */
	readonly ask: () => Promise<T>;
	/** What is known when it could not be asked. */
	readonly failed: (error: unknown) => T;
}

export class Kept<T> implements Disposable {
	private readonly changed = new EventEmitter<void>();
	readonly onDidChange = this.changed.event;

	private current: T;
	private told = "";
	/** Nothing is asked of the server before somebody wants to see it. */
	private wanted = false;
	private running: Promise<void> | undefined;
	private again = false;
	private disposed = false;
	private settling: NodeJS.Timeout | undefined;
	private readonly listeners: Disposable[];

	constructor(private readonly asking: Asking<T>) {
		const { server, announced, unknown } = asking;
		this.current = unknown;
		this.listeners = [
			server.on(announced, () => this.soon()),
			server.onDidChangeState(({ kind }) => {
				if (kind === "starting") {
					this.enter(unknown);
				} else if (this.wanted) {
					void this.load();
				}
			}),
		];
	}

	get value(): T {
		return this.current;
	}

	/** Asks the server; returns when what was asked for by then is there. Never rejects. */
	load(): Promise<void> {
		this.wanted = true;
		if (this.running) {
			this.again = true;
			return this.running;
		}
		this.running = this.work().finally(() => {
			this.running = undefined;
		});
		return this.running;
	}

	/** Asks the server in a moment, once for all changes until then, if anybody has asked before. */
	soon(): void {
		if (this.wanted) {
			clearTimeout(this.settling);
			this.settling = setTimeout(() => void this.load(), SETTLE);
		}
	}

	/** Tells that it is to be shown in another way. */
	tell(): void {
		this.changed.fire();
	}

	dispose(): void {
		this.disposed = true;
		clearTimeout(this.settling);
		for (const listener of this.listeners) {
			listener.dispose();
		}
		this.changed.dispose();
	}

	private async work(): Promise<void> {
		do {
			this.again = false;
			const { ask, failed } = this.asking;
			const found = await ask().catch(failed);
			if (!this.again) {
				this.enter(found);
			}
		} while (this.again && !this.disposed);
	}

	/** What is as before is not told again: whoever shows it would draw it anew for nothing. */
	private enter(found: T): void {
		const told = JSON.stringify(found, (_key, value) => (value instanceof Set ? [...value] : value));
		if (!this.disposed && told !== this.told) {
			this.told = told;
			this.current = found;
			this.changed.fire();
		}
	}
}
