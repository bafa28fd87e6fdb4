/** Whether the other chats of this editor are told what is remembered: switched on and off by folder, and kept true. */
import type { Disposable, Memento, WorkspaceFolder } from "vscode";
import type { Log } from "../log";
import { errorKind, errorMessage } from "../protocol";
import type { Server } from "../server/server";
import { commands, ThemeIcon, Uri, window, workspace } from "../vscodeapi";
import { exclude } from "./gitExclude";
import { HOOK, HOOK_CHARACTERS, hookText } from "./hook";
import { INSTRUCTIONS, instructionsText } from "./instructions";
import { type ManagedFile, removeManaged, writeManaged } from "./managedFile";

/** Folder's URI → how it is told. Kept by the workspace: no setting of a repository can switch it on. */
const KEY = "toldFolders";
/** Changes that come together are one, within so many milliseconds. */
const SETTLE = 300;

/**
 * `private`: by the instructions file, which git is kept from. `shared`: by the same, there for git to take. `hook`: by a
 * hook that is run when a session starts, which git is kept from.
 */
type Telling = "private" | "shared" | "hook";

/** What the chats of one folder are given, to be shown. */
export interface Given {
	/** The file that they read; undefined where a hook gives it. */
	readonly file: Uri | undefined;
	readonly folder: WorkspaceFolder;
}

export interface TellingParts {
	readonly server: Pick<Server, "send" | "on" | "onDidChangeState" | "state">;
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

	/** What other chats are given, of the open folders that are told. */
	get given(): Given[] {
		return this.told().map(({ folder, telling }) => ({
			folder,
			file: telling === "hook" ? undefined : Uri.joinPath(folder.uri, INSTRUCTIONS.path),
		}));
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
				...hookChoice(),
			],
			{
				title: "Tell Other Chats What Is Remembered",
				placeHolder: `${INSTRUCTIONS.path} holds the prompt block, and follows every change`,
			},
		);
		if (!how) {
			return;
		}
		try {
			const { file, other } = filesOf(how.telling);
			await this.queued(() => removeManaged(folder.uri.fsPath, other));
			await exclude(folder.uri.fsPath, other.path, false);
			await exclude(folder.uri.fsPath, file.path, how.telling !== "shared");
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
			await this.show(folder, filesOf(how.telling).file);
		}
	}

	/** *Stop Telling Other Chats*. */
	async stop(): Promise<void> {
		const told = this.told();
		for (const { folder, telling } of told) {
			const { file } = filesOf(telling);
			await this.keep(folder, undefined);
			try {
				await this.queued(() => removeManaged(folder.uri.fsPath, file));
				await exclude(folder.uri.fsPath, file.path, false);
			} catch (error) {
				void window.showWarningMessage(`The file could not be removed: ${errorMessage(error)}.`);
			}
		}
		void window.showInformationMessage(
			told.length ? "Other chats are told nothing any more." : "Other chats were told nothing.",
		);
	}

	/** Opens the file as other chats read it. */
	private async show({ uri }: WorkspaceFolder, { path }: ManagedFile): Promise<void> {
		try {
			const document = await workspace.openTextDocument(Uri.joinPath(uri, path));
			await window.showTextDocument(document, { preview: false });
		} catch {
			void window.showInformationMessage("There is nothing to tell yet: the file comes with the first memory.");
		}
	}

	/** Brings every file up to date. Rejects only where `isAsked`, by what went wrong first. */
	update(isAsked = false): Promise<void> {
		return this.queued(async () => {
			for (const { folder, telling } of this.told()) {
				try {
					await (telling === "hook" ? this.bringHook(folder) : this.bringInstructions(folder));
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

	/** The program may be another one since, as after an upgrade. */
	private async bringHook({ uri }: WorkspaceFolder): Promise<void> {
		const { state } = this.parts.server;
		if (state.kind !== "running") {
			throw new Error("the server is not running");
		}
		await writeManaged(uri.fsPath, HOOK, hookText(state.launch, process.platform));
	}

	private async bringInstructions({ uri }: WorkspaceFolder): Promise<void> {
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
			await writeManaged(uri.fsPath, INSTRUCTIONS, instructionsText(block));
		} else {
			await removeManaged(uri.fsPath, INSTRUCTIONS);
		}
	}

	/** The folders that are told. What is remembered is written into none that is not trusted. */
	private told(): { readonly folder: WorkspaceFolder; readonly telling: Telling }[] {
		const kept = this.kept();
		const told = here().map((folder) => ({ folder, telling: kept[folder.uri.toString()] }));
		return workspace.isTrusted ? told.flatMap(({ folder, telling }) => (telling ? [{ folder, telling }] : [])) : [];
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

/** The file of a way of telling, and that of the other, which would tell the same once more. */
function filesOf(telling: Telling): { readonly file: ManagedFile; readonly other: ManagedFile } {
	return telling === "hook" ? { file: HOOK, other: INSTRUCTIONS } : { file: INSTRUCTIONS, other: HOOK };
}

/** Where the editor knows hooks. */
function hookChoice() {
	const isOn = workspace.getConfiguration("chat").get<boolean>("useHooks");
	if (isOn === undefined) {
		return [];
	}
	return [
		{
			iconPath: new ThemeIcon("play"),
			label: "Run a hook when a session starts",
			description: isOn ? "its text is in no file; for agents on this machine" : "the setting chat.useHooks is off",
			detail: `${HOOK.path}, kept out of git, names this machine's program; ${HOOK_CHARACTERS.toLocaleString()} characters at most`,
			telling: "hook" as const,
		},
	];
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
