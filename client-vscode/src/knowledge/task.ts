/** The current task: documents are attached to it, and what is attached is what it sees. */
import type { Disposable, Event, Memento } from "vscode";
import { EventEmitter, ThemeIcon, window } from "../vscodeapi";

/** What the server, the terminal and the chat take where nobody names a task. */
export const DEFAULT_TASK = "default";
/** The server's limit of a task's name, in characters. */
const NAME_CHARACTERS = 200;
/** Names that are offered again, at most. */
const RECENT = 10;

const CURRENT_KEY = "task";
const RECENT_KEY = "recentTasks";

/** One task for each workspace; it is kept until another one is chosen. */
export class CurrentTask implements Disposable {
	private readonly changed = new EventEmitter<void>();
	readonly onDidChange: Event<void> = this.changed.event;

	/** @param kept what this workspace keeps. */
	constructor(private readonly kept: Memento) {}

	get name(): string {
		return this.kept.get<string>(CURRENT_KEY, DEFAULT_TASK);
	}

	/** How a message calls it. */
	get words(): string {
		return this.name === DEFAULT_TASK ? "the current task" : `the task “${this.name}”`;
	}

	/** The tasks that were current here, the last one first; the default one is always among them. */
	get recent(): readonly string[] {
		return [...new Set([this.name, ...this.kept.get<string[]>(RECENT_KEY, []), DEFAULT_TASK])];
	}

	async choose(name: string): Promise<void> {
		if (name === this.name) {
			return;
		}
		const recent = [...new Set([name, ...this.recent])].slice(0, RECENT);
		await this.kept.update(CURRENT_KEY, name);
		await this.kept.update(RECENT_KEY, recent);
		this.changed.fire();
	}

	/** Asks which task is meant from now on. */
	async ask(): Promise<void> {
		const another = { iconPath: new ThemeIcon("add"), label: "Another Task…", name: undefined };
		const known = this.recent.map((name) => ({
			label: name,
			...(name === this.name ? { description: "current" } : {}),
			name,
		}));
		const picked = await window.showQuickPick([...known, another], {
			title: "Task",
			placeHolder: "Documents are attached to a task; it sees those and no others",
		});
		if (!picked) {
			return;
		}
		const name = picked.name ?? (await askName());
		if (name) {
			await this.choose(name);
		}
	}

	dispose(): void {
		this.changed.dispose();
	}
}

async function askName(): Promise<string | undefined> {
	const name = await window.showInputBox({
		title: "Another Task",
		prompt: "A name for what you are working on.",
		placeHolder: "release 2.0",
		validateInput: problemOfName,
	});
	return name?.trim();
}

/** What is wrong with a name, if anything is. */
export function problemOfName(name: string): string | undefined {
	const length = [...name.trim()].length;
	if (length === 0) {
		return "A task needs a name.";
	}
	return length > NAME_CHARACTERS ? `At most ${NAME_CHARACTERS} characters.` : undefined;
}
