import { posix } from "node:path";

/**
 * A small `vscode` for unit tests: values that behave like the editor's where the code under test looks, and hooks to
 * see what it did. What needs the editor itself is tested in the editor (tests/editors).
 */

export class EventEmitter<T> {
	private readonly listeners = new Set<(value: T) => void>();
	readonly event = (listener: (value: T) => void) => {
		this.listeners.add(listener);
		return { dispose: () => this.listeners.delete(listener) };
	};
	fire(value: T) {
		for (const listener of [...this.listeners]) {
			listener(value);
		}
	}
	dispose() {
		this.listeners.clear();
	}
}

export class CancellationTokenSource {
	private readonly cancelled = new EventEmitter<void>();
	readonly token = {
		isCancellationRequested: false,
		onCancellationRequested: this.cancelled.event,
	};
	cancel() {
		this.token.isCancellationRequested = true;
		this.cancelled.fire();
	}
	dispose() {
		this.cancelled.dispose();
	}
}

export class Position {
	constructor(
		readonly line: number,
		readonly character: number,
	) {}
}

export class Range {
	readonly start: Position;
	readonly end: Position;
	constructor(startLine: number, startCharacter: number, endLine: number, endCharacter: number) {
		this.start = new Position(startLine, startCharacter);
		this.end = new Position(endLine, endCharacter);
	}
}

export class Selection extends Range {}

export class Uri {
	private constructor(private readonly text: string) {}
	static parse(text: string) {
		return new Uri(text);
	}
	static file(path: string) {
		return new Uri(`file://${path}`);
	}
	static from(parts: { scheme: string; path: string }) {
		return new Uri(`${parts.scheme}:${parts.path}`);
	}
	static joinPath(base: Uri, ...parts: string[]) {
		const [head = "", path = ""] = /^(\w+:\/\/)(.*)$/.exec(base.text)?.slice(1) ?? [];
		return new Uri(`${head}${posix.join(path, ...parts)}`);
	}
	toString() {
		return this.text;
	}
	get scheme() {
		return this.text.split(":", 1)[0];
	}
	get fsPath() {
		return this.text.replace(/^file:\/\//, "");
	}
}

export class Location {
	constructor(
		readonly uri: Uri,
		readonly range: Range,
	) {}
}

export class MarkdownString {
	isTrusted: unknown;
	constructor(
		public value = "",
		readonly supportThemeIcons = false,
	) {}
	appendMarkdown(text: string) {
		this.value += text;
		return this;
	}
}

export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 };

export class McpStdioServerDefinition {
	constructor(
		readonly label: string,
		readonly command: string,
		readonly args: string[],
		readonly env: object,
		readonly version?: string,
	) {}
}

export class TreeItem {
	id?: string;
	description?: string;
	tooltip?: string;
	contextValue?: string;
	iconPath?: ThemeIcon;
	command?: { command: string; arguments?: unknown[] };
	accessibilityInformation?: { label: string };
	constructor(
		readonly label: string,
		readonly collapsibleState: number,
	) {}
}

export class ThemeIcon {
	constructor(readonly id: string) {}
}

export class ThemeColor {
	constructor(readonly id: string) {}
}

export class LanguageModelTextPart {
	constructor(readonly value: string) {}
}

export class LanguageModelToolCallPart {
	constructor(
		readonly callId: string,
		readonly name: string,
		readonly input: object,
	) {}
}

export class LanguageModelToolResultPart {
	constructor(
		readonly callId: string,
		readonly content: unknown[],
	) {}
}

export class LanguageModelToolResult {
	constructor(readonly content: unknown[]) {}
}

export class LanguageModelChatMessage {
	private constructor(
		readonly role: "user" | "assistant",
		readonly content: unknown,
	) {}
	static User(content: unknown) {
		return new LanguageModelChatMessage("user", content);
	}
	static Assistant(content: unknown) {
		return new LanguageModelChatMessage("assistant", content);
	}
}

export const LanguageModelChatToolMode = { Auto: 1, Required: 2 };

export class LanguageModelError extends Error {
	constructor(
		message?: string,
		readonly code = "Unknown",
	) {
		super(message);
	}
	static NoPermissions(message?: string) {
		return new LanguageModelError(message, "NoPermissions");
	}
	static NotFound(message?: string) {
		return new LanguageModelError(message, "NotFound");
	}
	static Blocked(message?: string) {
		return new LanguageModelError(message, "Blocked");
	}
}

export const LanguageStatusSeverity = { Information: 0, Warning: 1, Error: 2 };
export const QuickPickItemKind = { Separator: -1, Default: 0 };
export const ProgressLocation = { Window: 10, Notification: 15 };
export const ViewColumn = { Active: -1, Beside: -2 };

/** What a test sets up, and what the code under test did. */
export const desk = {
	configuration: {} as Record<string, { default?: unknown; global?: unknown; workspace?: unknown }>,
	folders: [] as { uri: Uri; name?: string }[],
	trusted: true as boolean,
	/** URIs of the files that are there. */
	files: new Set<string>(),
	tools: [] as { name: string; description: string; inputSchema?: object }[],
	invokeTool: async (_name: string, _options: unknown): Promise<LanguageModelToolResult> => {
		throw new Error("no such tool");
	},
	/** The editor's language models. */
	models: [] as unknown[],
	messages: [] as string[],
	progress: [] as string[],
	answer: undefined as string | undefined,
	input: undefined as string | undefined,
	opened: [] as { uri: string; selection?: Range }[],
	editor: undefined as unknown,
	diagnostics: [] as { range: Range; code: string; source: string }[],
	clipboard: "",
	reset() {
		this.configuration = {};
		this.folders = [];
		this.trusted = true;
		this.files.clear();
		this.tools = [];
		this.models = [];
		this.messages = [];
		this.progress = [];
		this.answer = undefined;
		this.input = undefined;
		this.opened = [];
		this.editor = undefined;
		this.diagnostics = [];
		this.clipboard = "";
	},
};

const show = async (message: string) => {
	desk.messages.push(message);
	return desk.answer;
};

export const window = {
	get activeTextEditor() {
		return desk.editor;
	},
	onDidChangeWindowState: () => ({ dispose() {} }),
	showInformationMessage: show,
	showWarningMessage: show,
	showErrorMessage: show,
	showInputBox: async () => desk.input,
	showQuickPick: async (items: unknown[]) => items[0],
	withProgress: (_options: unknown, task: (progress: { report(value: { message: string }): void }) => unknown) =>
		task({ report: ({ message }) => void desk.progress.push(message) }),
	showTextDocument: async (document: { uri: Uri }, options?: { selection?: Range }) => {
		desk.opened.push({ uri: document.uri.toString(), ...options });
	},
};

const never = () => ({ dispose() {} });

export const workspace = {
	get isTrusted() {
		return desk.trusted;
	},
	onDidChangeWorkspaceFolders: never,
	onDidChangeConfiguration: never,
	onDidChangeTextDocument: never,
	get workspaceFolders() {
		return desk.folders;
	},
	getWorkspaceFolder: (uri: Uri) => desk.folders.find((folder) => uri.toString().startsWith(folder.uri.toString())),
	fs: {
		stat: async (uri: Uri) => {
			if (!desk.files.has(uri.toString())) {
				throw new Error("not there");
			}
		},
	},
	openTextDocument: async (uri: Uri) => ({ uri, getText: () => "", languageId: "plaintext" }),
	asRelativePath: (uri: Uri) => uri.toString(),
	getConfiguration(prefix?: string) {
		const full = (key: string) => (prefix ? `${prefix}.${key}` : key);
		const value = (key: string) => {
			const found = desk.configuration[full(key)];
			return found?.workspace ?? found?.global ?? found?.default;
		};
		return {
			get: (key: string, fallback?: unknown) => value(key) ?? fallback,
			inspect: (key: string) => {
				const found = desk.configuration[full(key)];
				return found && { defaultValue: found.default, globalValue: found.global, workspaceValue: found.workspace };
			},
		};
	},
};

export const lm = {
	get tools() {
		return desk.tools;
	},
	invokeTool: (name: string, options: unknown) => desk.invokeTool(name, options),
	selectChatModels: async () => desk.models,
};

export const commands = { executeCommand: async () => undefined, registerCommand: () => ({ dispose() {} }) };
export const languages = { getDiagnostics: () => desk.diagnostics };
export const chat = {};
export const env = {
	clipboard: {
		writeText: async (text: string) => {
			desk.clipboard = text;
		},
	},
};
