/** One run of the server: its process and the language client that speaks to it. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import type { CancellationToken } from "vscode";
import {
	CloseAction,
	ErrorAction,
	ExecuteCommandRequest,
	LanguageClient,
	type LanguageClientOptions,
	type Middleware,
	ResponseError,
	RevealOutputChannelOn,
	WorkDoneProgress,
	type WorkDoneProgressBegin,
	type WorkDoneProgressEnd,
	type WorkDoneProgressReport,
} from "vscode-languageclient";
import { type InitializeParams, StreamMessageReader, StreamMessageWriter } from "vscode-languageserver-protocol/node";
import type { Log } from "../log";
import {
	type CompleteParams,
	type CompleteResult,
	errorMessage,
	type Method,
	type Notifications,
	type Requests,
} from "../protocol";
import { SECTION, type SettingsTree } from "../settings";
import { type Launch, wayOutOf } from "./launch";
import { isLost } from "./lost";
import { CannotStart } from "./problem";
import { pythonEnvironment } from "./run";
import { type Connection, type OnProgress, ServerDown } from "./server";

/** How long the server may take to answer `shutdown`; the editor gives a closing extension five seconds in all. */
const STOP_MILLISECONDS = 2_000;
/** How long it may take to be gone after `exit` before it is killed. */
const EXIT_MILLISECONDS = 1_500;
/** How long a server may take to answer `initialize`; a cold disk is slow. */
const INITIALIZE_MILLISECONDS = 60_000;
/** Lines of the server's errors that are kept to explain why it ended. */
const KEPT_LINES = 5;

/** LSP's code for a request that is well formed but cannot be done. */
const REQUEST_FAILED = -32803;

export interface ConnectionParts {
	readonly log: Log;
	/** A folder outside every workspace: the server must not import, nor lock, what lies in one. */
	readonly cwd: string;
	readonly trusted: () => boolean;
	readonly settings: (scopeUri?: string) => SettingsTree;
	/** Answers `model/complete`; what it rejects with may have a `kind` for the server. */
	readonly complete: (params: CompleteParams, token: CancellationToken) => Promise<CompleteResult>;
	/** What the server offers to complete passes through it. */
	readonly completion: NonNullable<Middleware["provideCompletionItem"]>;
	/** Commands that the extension has itself; the server's of the same name are for editors without it. */
	readonly ownCommands: ReadonlySet<string>;
}

/**
 * The client of the library's platform-free half: the process is ours to start and to end, and the other half, which
 * does that too, is a tenth of the bundle.
 */
class Client extends LanguageClient {
	/** For the log alone: what the user can do about it is told by whoever started this. */
	override error(message: string, data?: unknown): void {
		super.error(message, data, false);
	}

	/** The server ends when this process is gone. */
	protected override fillInitializeParams(params: InitializeParams): void {
		super.fillInitializeParams(params);
		params.processId = process.pid;
	}
}

/** Builds the connection; nothing runs until its `start`. */
export function connect(launch: Launch, parts: ConnectionParts, onLost: (reason: string) => void): Connection {
	const { log } = parts;
	let child: ChildProcess | undefined;
	let exited: Promise<void> = Promise.resolve();
	let ending = "it closed its output";
	let settled = false;
	const lastLines: string[] = [];

	const launchProcess = async () => {
		const process = spawn(launch.command, launch.args, {
			cwd: parts.cwd,
			env: pythonEnvironment(),
			stdio: ["pipe", "pipe", "pipe"],
			windowsHide: true,
		});
		child = process;
		exited = new Promise((resolve) => {
			process.once("exit", (code, signal) => {
				ending = signal ? `it was ended by ${signal}` : `it ended with code ${code}`;
				log.info(`server ${process.pid}: ${ending}`);
				resolve();
			});
			process.once("error", () => resolve());
		});
		await new Promise<void>((resolve, reject) => {
			process.once("spawn", resolve);
			process.once("error", reject);
		});
		log.info(`server ${process.pid}: ${[launch.command, ...launch.args].join(" ")} (from ${launch.origin})`);
		// A pipe that breaks because the server died is told by `closed` below.
		process.stdin.on("error", (error) => log.debug(`writing to the server: ${error.message}`));
		createInterface({ input: process.stderr }).on("line", (line) => {
			lastLines.push(line);
			lastLines.splice(0, lastLines.length - KEPT_LINES);
			log.info(`[server] ${line}`);
		});
		return { reader: new StreamMessageReader(process.stdout), writer: new StreamMessageWriter(process.stdin) };
	};

	const options: LanguageClientOptions = {
		documentSelector: [{ scheme: "file" }, { scheme: "untitled" }],
		outputChannel: log,
		traceOutputChannel: log,
		revealOutputChannelOn: RevealOutputChannelOn.Never,
		initializationOptions: () => ({ settings: parts.settings(), trusted: parts.trusted() }),
		initializationFailedHandler: () => false,
		synchronize: { configurationSection: SECTION },
		errorHandler: {
			error: () => ({ action: ErrorAction.Continue, handled: true }),
			closed: async () => {
				// The exit code follows the closed pipe by a moment.
				await Promise.race([exited, delay(EXIT_MILLISECONDS)]);
				if (settled) {
					onLost(explain());
				}
				// It is we who start another one; the client's own words for the log say that nobody does.
				const message = "The connection to the server has ended.";
				return { action: CloseAction.DoNotRestart, message, handled: true };
			},
		},
		middleware: {
			provideCompletionItem: parts.completion,
			workspace: {
				configuration: (params, token, next) =>
					params.items.every((item) => item.section === SECTION)
						? params.items.map((item) => parts.settings(item.scopeUri))
						: next(params, token),
				didChangeConfiguration: () =>
					client.sendNotification("workspace/didChangeConfiguration", { settings: { [SECTION]: parts.settings() } }),
			},
		},
	};
	const client = new Client(SECTION, "Vademecum", launchProcess, options);
	client.registerFeature({
		fillClientCapabilities(capabilities) {
			const others = (capabilities.experimental ?? {}) as object;
			capabilities.experimental = { ...others, vademecum: { model: true, commands: "return" } };
		},
		initialize() {},
		getState: () => ({ kind: "static" }),
		clear() {},
	});
	leaveOut(client, parts.ownCommands);
	client.onRequest("model/complete", async (params: CompleteParams, token: CancellationToken) => {
		try {
			return await parts.complete(params, token);
		} catch (error) {
			log.info(`model/complete: ${errorMessage(error)}`);
			const kind = (error as { kind?: unknown }).kind;
			return new ResponseError(REQUEST_FAILED, errorMessage(error), kind === undefined ? undefined : { kind });
		}
	});

	const explain = () => [ending, ...lastLines.slice(-1)].join(": ");

	const endProcess = async () => {
		await Promise.race([exited, delay(EXIT_MILLISECONDS)]);
		if (child && child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
			log.warn(`server ${child.pid}: does not end, killing it`);
			child.kill("SIGKILL");
		}
	};

	return {
		async start(signal: AbortSignal) {
			const giveUp = () => child?.kill("SIGKILL");
			const timer = setTimeout(giveUp, INITIALIZE_MILLISECONDS);
			signal.addEventListener("abort", giveUp);
			try {
				signal.throwIfAborted();
				await client.start();
				settled = true;
				return { version: client.initializeResult?.serverInfo?.version };
			} catch (error) {
				const pid = child?.pid;
				await endProcess();
				signal.throwIfAborted();
				const why = pid === undefined ? (error as Error).message : explain();
				const own = launch.origin === "private environment";
				const which = own ? "in its private environment" : `"${launch.command}"`;
				// Python begins with its own path, which nobody needs to read twice.
				const short = why.replace(`${launch.command}: `, "").replace(/\.$/, "");
				throw new CannotStart(`The server ${which} did not start: ${short}.`, wayOutOf(launch));
			} finally {
				clearTimeout(timer);
				signal.removeEventListener("abort", giveUp);
			}
		},
		async stop() {
			settled = false;
			try {
				await client.stop(STOP_MILLISECONDS);
			} catch (error) {
				log.debug(`stopping: ${(error as Error).message}`);
			}
			await endProcess();
		},
		async send<M extends Method>(
			method: M,
			params: Requests[M][0],
			token?: CancellationToken,
			told?: OnProgress,
		): Promise<Requests[M][1]> {
			const workDoneToken = randomUUID();
			const listening = told && client.onProgress(WorkDoneProgress.type, workDoneToken, tellTo(told));
			const asked = told ? { ...params, workDoneToken } : params;
			try {
				// An undefined token would be sent as a second param.
				return await (token ? client.sendRequest(method, asked, token) : client.sendRequest(method, asked));
			} catch (error) {
				if (isLost(error)) {
					throw new ServerDown("it ended before it answered. See the log for why.");
				}
				throw error;
			} finally {
				listening?.dispose();
			}
		},
		on<N extends keyof Notifications>(method: N, handler: (params: Notifications[N]) => void) {
			client.onNotification(method, handler);
		},
	};
}

/** The end of a progress says nothing that the answer does not. */
function tellTo(told: OnProgress) {
	return (value: WorkDoneProgressBegin | WorkDoneProgressReport | WorkDoneProgressEnd) => {
		if (value.kind !== "end") {
			told(value.message ?? "", value.percentage);
		}
	};
}

/** Two commands of one name are refused by the editor, and the server would not start. */
function leaveOut(client: LanguageClient, own: ReadonlySet<string>): void {
	const feature = client.getFeature(ExecuteCommandRequest.method);
	const register = feature.register.bind(feature);
	feature.register = (data) => {
		const commands = data.registerOptions.commands.filter((command) => !own.has(command));
		register({ ...data, registerOptions: { ...data.registerOptions, commands } });
	};
}

function delay(milliseconds: number): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
