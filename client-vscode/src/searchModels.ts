/**
 * Sees to it that a private server gets its models: once, in the background, after everything else works. A server that
 * the user named is never added to.
 */
import type { Disposable, Event } from "vscode";
import type { Log } from "./log";
import { errorMessage } from "./protocol";
import type { Launch } from "./server/launch";
import { type Extra, type Installed, installModels, type ModelParts, modelsIn } from "./server/models";
import type { Server } from "./server/server";
import type { modelSettings } from "./settings";
import { EventEmitter, ProgressLocation, window } from "./vscodeapi";

/** What failed because of the network is tried again so often while the window is open. */
export const RETRY_MINUTES = 15;

export type ModelsState =
	/** Not known yet, or the server is down. */
	| { readonly kind: "unknown" }
	/** The server is not the private one, so its models are its owner's business. */
	| { readonly kind: "elsewhere"; readonly launch: Launch }
	/** Not there, and not wanted unless the user asks. */
	| { readonly kind: "left" }
	| { readonly kind: "installing" }
	| Exclude<Installed, { kind: "absent" }>;

export interface SearchModelsParts {
	/** Holds the wheels that the extension carries. */
	readonly wheels: string;
	readonly log: Log;
	readonly settings: typeof modelSettings;
	/** Stand-ins for tests. */
	readonly modelsIn?: typeof modelsIn;
	readonly installModels?: typeof installModels;
}

export class SearchModels implements Disposable {
	private readonly changed = new EventEmitter<ModelsState>();
	readonly onDidChange: Event<ModelsState> = this.changed.event;
	private current: ModelsState = { kind: "unknown" };
	private installing: Promise<Installed | undefined> | undefined;
	/** What failed in this window, by interpreter: it is not tried again unless somebody asks. */
	private readonly failed = new Map<string, Installed>();
	private retry: NodeJS.Timeout | undefined;
	private readonly abort = new AbortController();
	private readonly listening: Disposable;

	constructor(
		private readonly server: Pick<Server, "state" | "onDidChangeState" | "restart">,
		private readonly parts: SearchModelsParts,
	) {
		this.listening = server.onDidChangeState(() => void this.look());
	}

	get state(): ModelsState {
		return this.current;
	}

	dispose(): void {
		clearTimeout(this.retry);
		this.abort.abort();
		this.listening.dispose();
		this.changed.dispose();
	}

	/** Looks at what the server that runs has, and installs what is wanted and was not tried yet. */
	async look(): Promise<void> {
		const launch = this.launch();
		if (this.installing) {
			return;
		}
		if (launch?.origin !== "private environment") {
			this.enter(launch ? { kind: "elsewhere", launch } : { kind: "unknown" });
			return;
		}
		const { inBackground, extras } = this.parts.settings();
		const look = this.parts.modelsIn ?? modelsIn;
		const kept = await look(launch.command, extras);
		const found = kept.kind === "absent" ? (this.failed.get(launch.command) ?? kept) : kept;
		if (this.installing || this.launch() !== launch) {
			return;
		}
		if (found.kind === "absent" && inBackground) {
			await this.install(launch, extras, false);
		} else {
			this.enter(found.kind === "absent" ? { kind: "left" } : found);
		}
	}

	/** *Install Search Models*: what the settings name, also what failed before. */
	async installNow(): Promise<void> {
		const launch = this.launch();
		if (launch === undefined) {
			void window.showInformationMessage("The server is not running; its models can be installed when it is.");
		} else if (launch.origin !== "private environment") {
			void window.showInformationMessage(`This server is your own: ${howToInstall(launch)}.`);
		} else {
			const installed = await this.install(launch, this.parts.settings().extras, true);
			if (installed?.kind === "installed") {
				void window.showInformationMessage("The search models are installed.");
			} else if (installed?.kind === "failed") {
				void window.showWarningMessage(`The search models could not be installed: ${installed.reason}.`);
			}
		}
	}

	/** One at a time: whoever comes second is told how the first one went. Undefined when the window closed meanwhile. */
	private install(launch: Launch, extras: readonly Extra[], again: boolean): Promise<Installed | undefined> {
		this.installing ??= this.run(launch, extras, again).finally(() => {
			this.installing = undefined;
			// Another server may have come meanwhile.
			if (this.launch() !== launch) {
				void this.look();
			}
		});
		return this.installing;
	}

	private async run(launch: Launch, extras: readonly Extra[], again: boolean): Promise<Installed | undefined> {
		const { log } = this.parts;
		clearTimeout(this.retry);
		this.enter({ kind: "installing" });
		let installed: Installed;
		try {
			installed = await this.show({ interpreter: launch.command, wheels: this.parts.wheels, extras }, again);
		} catch (error) {
			if (this.abort.signal.aborted) {
				return undefined;
			}
			installed = { kind: "failed", reason: errorMessage(error) };
		}
		if (installed.kind === "failed") {
			const next = installed.passing ? ` It is tried again in ${RETRY_MINUTES} minutes.` : "";
			log.warn(`the search models could not be installed: ${installed.reason}. Search goes by words.${next}`);
			this.failed.set(launch.command, installed);
			if (installed.passing) {
				this.retry = setTimeout(() => {
					this.failed.delete(launch.command);
					void this.look();
				}, RETRY_MINUTES * 60_000);
			}
		}
		this.enter(installed.kind === "absent" ? { kind: "left" } : installed);
		if (installed.kind === "installed" && this.launch()?.origin === launch.origin) {
			log.info("the search models are installed; the server is restarted, to take them");
			void this.server.restart();
		}
		return installed;
	}

	/** Installs, shown in the status bar alone: nobody has to wait for it. */
	private async show(parts: Omit<ModelParts, "report" | "log">, again: boolean): Promise<Installed> {
		const options = { location: ProgressLocation.Window, title: "Vademecum: installing search models" };
		return window.withProgress(options, (progress) => {
			const report = (message: string) => progress.report({ message });
			const log = (line: string) => this.parts.log.info(line);
			return (this.parts.installModels ?? installModels)({ ...parts, report, log }, again, this.abort.signal);
		});
	}

	private launch(): Launch | undefined {
		return this.server.state.kind === "running" ? this.server.state.launch : undefined;
	}

	private enter(state: ModelsState): void {
		this.current = state;
		this.changed.fire(state);
	}
}

/** What the owner of a server does to give it models, without a full stop. */
export function howToInstall(launch: Launch, packages = "vademecum[vectors]"): string {
	const pip = `pip install "${packages}"`;
	return launch.origin === "setting interpreter"
		? `run ${launch.command} -m ${pip}, then restart the server`
		: `run ${pip} for the Python that it is installed in, then restart the server`;
}
