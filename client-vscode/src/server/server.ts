/** The server's life: started once, restarted one after the other, stopped when the window closes. */
import type { CancellationToken, Disposable, Event } from "vscode";
import { errorMessage, type Method, type Notifications, type Requests } from "../protocol";
import { EventEmitter } from "../vscodeapi";
import { type Launch, wayOutOf } from "./launch";
import { CannotStart } from "./problem";

/** A server that ended by itself this often within CRASH_WINDOW is not started again by us. */
const CRASHES_ALLOWED = 4;
const CRASH_WINDOW_MILLISECONDS = 3 * 60_000;
const FIRST_BACKOFF_MILLISECONDS = 250;
/** A restart lets requests that are underway be answered for so long. */
const DRAIN_MILLISECONDS = 1_500;

export type State =
	| { readonly kind: "starting"; readonly doing?: string }
	| { readonly kind: "running"; readonly launch: Launch; readonly version?: string }
	| { readonly kind: "failed"; readonly problem: Error }
	| { readonly kind: "stopped" };

/** Told how far a request is: a sentence, and per cent where that is known. */
export type OnProgress = (message: string, percentage: number | undefined) => void;

/** One run of the server. */
export interface Connection {
	start(signal: AbortSignal): Promise<{ readonly version?: string | undefined }>;
	/** Returns when the process is gone. */
	stop(): Promise<void>;
	send<M extends Method>(
		method: M,
		params: Requests[M][0],
		token?: CancellationToken,
		told?: OnProgress,
	): Promise<Requests[M][1]>;
	on<N extends keyof Notifications>(method: N, handler: (params: Notifications[N]) => void): void;
}

export interface ServerParts {
	resolve(signal: AbortSignal, report: (doing: string) => void): Promise<Launch>;
	connect(launch: Launch, onLost: (reason: string) => void): Promise<Connection>;
	/** Tells the user that the server is down, and what to do. */
	complain(problem: Error): void;
	now?(): number;
}

/** A request was made while there is no server; the message says why. */
export class ServerDown extends Error {
	constructor(why: string) {
		super(`The Vademecum server is not running: ${why}`);
		this.name = "ServerDown";
	}
}

type Handler<N extends keyof Notifications> = (params: Notifications[N]) => void;

export class Server implements Disposable {
	private readonly changed = new EventEmitter<State>();
	readonly onDidChangeState: Event<State> = this.changed.event;

	private current: State = { kind: "stopped" };
	private connection: Connection | undefined;
	/** The end of the queue: starts and stops never overlap. */
	private tail: Promise<void> = Promise.resolve();
	private queuedRestart: Promise<void> | undefined;
	private closing = false;
	private readonly abort = new AbortController();
	private readonly handlers = new Map<keyof Notifications, Set<Handler<keyof Notifications>>>();
	private readonly underway = new Set<Promise<unknown>>();
	private crashes: number[] = [];
	private backoff: NodeJS.Timeout | undefined;

	constructor(private readonly parts: ServerParts) {}

	get state(): State {
		return this.current;
	}

	start(): Promise<void> {
		return this.restart();
	}

	/** Stops the server if it runs and starts it; requests for it that come meanwhile are one. */
	restart(): Promise<void> {
		if (this.closing) {
			return Promise.resolve();
		}
		clearTimeout(this.backoff);
		this.queuedRestart ??= this.enqueue(async () => {
			this.queuedRestart = undefined;
			await this.end();
			await this.begin();
		});
		// Whoever asks from now on is answered by the server that is to come.
		if (this.current.kind !== "starting") {
			this.enter({ kind: "starting" });
		}
		return this.queuedRestart;
	}

	/** Ends the server for good, whatever it is doing; returns when its process is gone. */
	stop(): Promise<void> {
		this.closing = true;
		clearTimeout(this.backoff);
		this.abort.abort();
		return this.enqueue(async () => {
			await this.end();
			this.enter({ kind: "stopped" });
		});
	}

	dispose(): void {
		void this.stop();
	}

	/** Sends a request as soon as the server is there. Rejects with ServerDown when it cannot be started. */
	readonly send = async <M extends Method>(
		method: M,
		params: Requests[M][0],
		token?: CancellationToken,
		told?: OnProgress,
	): Promise<Requests[M][1]> => {
		const connection = this.connection && this.current.kind === "running" ? this.connection : await this.ready(token);
		const answer = connection.send(method, params, token, told);
		this.underway.add(answer);
		try {
			return await answer;
		} finally {
			this.underway.delete(answer);
		}
	};

	/** Listens to a notification, across restarts. */
	on<N extends keyof Notifications>(method: N, handler: Handler<N>): Disposable {
		const set = this.handlers.get(method) ?? new Set();
		this.handlers.set(method, set);
		set.add(handler as Handler<keyof Notifications>);
		return { dispose: () => set.delete(handler as Handler<keyof Notifications>) };
	}

	private enqueue(work: () => Promise<void>): Promise<void> {
		this.tail = this.tail.then(work, work);
		return this.tail;
	}

	private enter(state: State): void {
		this.current = state;
		this.changed.fire(state);
	}

	private async begin(): Promise<void> {
		if (this.closing) {
			return;
		}
		this.enter({ kind: "starting" });
		try {
			const launch = await this.parts.resolve(this.abort.signal, (doing) => this.enter({ kind: "starting", doing }));
			const connection: Connection = await this.parts.connect(launch, (reason) =>
				this.lost(connection, launch, reason),
			);
			for (const method of ["memory/didChange", "knowledge/didChange", "search/didChangeStatus"] as const) {
				connection.on(method, (params) => {
					for (const handler of this.handlers.get(method) ?? []) {
						handler(params);
					}
				});
			}
			const { version } = await connection.start(this.abort.signal);
			this.connection = connection;
			this.enter({ kind: "running", launch, ...(version === undefined ? {} : { version }) });
		} catch (error) {
			if (!this.closing) {
				this.fail(error instanceof Error ? error : new Error(errorMessage(error)));
			}
		}
	}

	private async end(): Promise<void> {
		const connection = this.connection;
		this.connection = undefined;
		if (!this.closing && this.underway.size > 0) {
			const answered = Promise.allSettled(this.underway);
			await Promise.race([answered, new Promise((resolve) => setTimeout(resolve, DRAIN_MILLISECONDS))]);
		}
		await connection?.stop();
	}

	private fail(problem: Error): void {
		this.enter({ kind: "failed", problem });
		this.parts.complain(problem);
	}

	/** The server ended by itself: started again, later each time, until that is clearly of no use. */
	private lost(connection: Connection, launch: Launch, reason: string): void {
		if (this.closing || this.connection !== connection) {
			return;
		}
		const now = this.parts.now?.() ?? Date.now();
		this.crashes = [...this.crashes.filter((time) => now - time < CRASH_WINDOW_MILLISECONDS), now];
		if (this.crashes.length > CRASHES_ALLOWED) {
			this.crashes = [];
			const often = `The server ended ${CRASHES_ALLOWED + 1} times within minutes; the last time, ${reason}.`;
			this.fail(new CannotStart(often, wayOutOf(launch)));
			return;
		}
		this.enter({ kind: "starting", doing: "the server ended, starting it again" });
		const wait = FIRST_BACKOFF_MILLISECONDS * 2 ** (this.crashes.length - 1);
		this.backoff = setTimeout(() => void this.restart(), wait);
	}

	private ready(token?: CancellationToken): Promise<Connection> {
		return new Promise((resolve, reject) => {
			const listeners: Disposable[] = [];
			const settle = () => {
				if (this.connection && this.current.kind === "running") {
					resolve(this.connection);
				} else if (this.current.kind === "failed") {
					reject(new ServerDown(this.current.problem.message));
				} else if (this.current.kind === "stopped") {
					reject(new ServerDown("it was stopped."));
				} else if (token?.isCancellationRequested) {
					reject(Object.assign(new Error("Cancelled"), { name: "Canceled" }));
				} else {
					return false;
				}
				for (const listener of listeners) {
					listener.dispose();
				}
				return true;
			};
			if (!settle()) {
				listeners.push(this.onDidChangeState(settle));
				if (token) {
					listeners.push(token.onCancellationRequested(settle));
				}
			}
		});
	}
}
