/** Whether the other chats of this editor are told what is remembered: switched on and off by folder, and kept true. */
import type { Disposable, Memento, WorkspaceFolder } from "vscode";
import type { Log } from "../log";
import { errorKind, errorMessage } from "../protocol";
import type { Server } from "../server/server";
import { commands, ThemeIcon, Uri, window, workspace } from "../vscodeapi";
import { exclude } from "./gitExclude";
import { INSTRUCTIONS, removeInstructions, writeInstructions } from "./instructions";

/** Folder's URI → how it is told. Kept by the workspace: no setting of a repository can switch it on. */
const KEY = "toldFolders";
/** Changes that come together are one, within so many milliseconds. */
const SETTLE = 300;

/** `private`: git is kept from the file. `shared`: it is there for git to take. */
type Telling = "private" | "shared";

export interface TellingParts {
	readonly server: Pick<Server, "send" | "on" | "onDidChangeState">;
	readonly kept: Memento;
	readonly log: Log;
}

export class OtherChats implements Disposable {
	private readonly listeners: Disposable[];
	private settling: NodeJS.Timeout | undefined;
	/** The end of the queue: two never write at once. */
	private tail: Promise<void> = Promise.resolve();

	constructor(private readonly parts: TellingParts) {
		const soon = () => {
			clearTimeout(this.settling);
			this.settling = setTimeout(() => void this.update(), SETTLE);
		};
		this.listeners = [
			parts.server.on("memory/didChange", soon),
			parts.server.onDidChangeState(({ kind }) => kind === "running" && soon()),
			// What another program remembers meanwhile is not told by the server.
			window.onDidChangeWindowState(({ focused }) => focused && soon()),
			workspace.onDidChangeWorkspaceFolders(soon),
			workspace.onDidChangeConfiguration((change) => change.affectsConfiguration("vademecum.memory") && soon()),
		];
	}

	/** The files that other chats read, of the open folders that are told. */
	get files(): Uri[] {
		return this.told().map(({ uri }) => Uri.joinPath(uri, INSTRUCTIONS));
	}

	/** *Tell Other Chats What Is Remembered*. */
	async start(): Promise<void> {
		const folder = await this.ask("Which folder's chats?");
		if (!folder) {
			return;
		}
		const how = await window.showQuickPick(
			[
				{
					iconPath: new ThemeIcon("lock"),
					label: "Keep the file out of git",
					description: "for your chats on this machine",
					telling: "private" as const,
				},
				{
					iconPath: new ThemeIcon("git-commit"),
					label: "Let git have the file",
					description: "whoever has the repository reads it, what is about you too",
					telling: "shared" as const,
				},
			],
			{
				title: `Tell Other Chats: ${INSTRUCTIONS}`,
				placeHolder: "It holds the prompt block, and follows every change",
			},
		);
		if (!how) {
			return;
		}
		try {
			await exclude(folder.uri.fsPath, INSTRUCTIONS, how.telling === "private");
			await this.keep(folder, how.telling);
			await this.update(true);
		} catch (error) {
			await this.keep(folder, undefined);
			void window.showErrorMessage(`Other chats are not told: ${errorMessage(error)}.`);
			return;
		}
		const choice = await window.showInformationMessage(
			"Other chats are told what is remembered from now on.",
			"Show It",
		);
		if (choice === "Show It") {
			await this.show(folder);
		}
	}

	/** *Stop Telling Other Chats*. */
	async stop(): Promise<void> {
		const told = this.told();
		for (const folder of told) {
			await this.keep(folder, undefined);
			try {
				await this.queued(() => removeInstructions(folder.uri.fsPath));
				await exclude(folder.uri.fsPath, INSTRUCTIONS, false);
			} catch (error) {
				void window.showWarningMessage(`The file could not be removed: ${errorMessage(error)}.`);
			}
		}
		void window.showInformationMessage(
			told.length ? "Other chats are told nothing any more." : "Other chats were told nothing.",
		);
	}

	/** Opens the file as other chats read it. */
	private async show(folder: WorkspaceFolder): Promise<void> {
		try {
			const file = Uri.joinPath(folder.uri, INSTRUCTIONS);
			await window.showTextDocument(await workspace.openTextDocument(file), { preview: false });
		} catch {
			void window.showInformationMessage("There is nothing to tell yet: the file comes with the first memory.");
		}
	}

	/** Brings every file up to date. Rejects only where `isAsked`, by what went wrong first. */
	update(isAsked = false): Promise<void> {
		return this.queued(async () => {
			for (const folder of this.told()) {
				try {
					await this.bring(folder);
				} catch (error) {
					this.parts.log.warn(`telling other chats in ${folder.name}: ${errorMessage(error)}`);
					if (isAsked) {
						throw error;
					}
				}
			}
		});
	}

	dispose(): void {
		clearTimeout(this.settling);
		for (const listener of this.listeners) {
			listener.dispose();
		}
	}

	private async bring({ uri }: WorkspaceFolder): Promise<void> {
		let block = "";
		try {
			block = (await this.parts.server.send("memory/prompt", { workspace: uri.toString() })).text;
		} catch (error) {
			// Off means off, in the file as well.
			if (errorKind(error) !== "memoryDisabled") {
				throw error;
			}
		}
		if (block.trim()) {
			await writeInstructions(uri.fsPath, block);
		} else {
			await removeInstructions(uri.fsPath);
		}
	}

	/** The folders that are told. What is remembered is written into none that is not trusted. */
	private told(): WorkspaceFolder[] {
		const kept = this.kept();
		return workspace.isTrusted ? here().filter(({ uri }) => kept[uri.toString()]) : [];
	}

	private async ask(title: string): Promise<WorkspaceFolder | undefined> {
		const folders = here();
		if (!workspace.isTrusted || folders.length === 0) {
			const why = folders.length ? "This folder is not trusted" : "Open a folder first";
			void window.showWarningMessage(`${why}: other chats are told by a file in it.`);
			return undefined;
		}
		if (folders.length === 1) {
			return folders[0];
		}
		const picked = await window.showQuickPick(
			folders.map((folder) => ({ label: folder.name, folder })),
			{ title },
		);
		return picked?.folder;
	}

	private kept(): Readonly<Record<string, Telling>> {
		return this.parts.kept.get(KEY, {});
	}

	private async keep({ uri }: WorkspaceFolder, telling: Telling | undefined): Promise<void> {
		const { [uri.toString()]: _, ...others } = this.kept();
		await this.parts.kept.update(KEY, telling ? { ...others, [uri.toString()]: telling } : others);
	}

	private queued<T>(work: () => Promise<T>): Promise<T> {
		const done = this.tail.then(work);
		this.tail = done.then(
			() => undefined,
			() => undefined,
		);
		return done;
	}
}

function here(): WorkspaceFolder[] {
	return (workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
}

export function registerOtherChats(parts: TellingParts): { readonly others: OtherChats; readonly all: Disposable[] } {
	const others = new OtherChats(parts);
	return {
		others,
		all: [
			others,
			commands.registerCommand("vademecum.tellOtherChats", () => others.start()),
			commands.registerCommand("vademecum.stopTellingOtherChats", () => others.stop()),
		],
	};
}
