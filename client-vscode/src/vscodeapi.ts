/**
 * The part of VS Code's API that this extension uses, in one place: unit tests replace it by replacing `vscode`, and a
 * reader sees at a glance what the extension can touch. Other modules import types from `vscode`, values from here.
 */
export {
	CancellationTokenSource,
	chat,
	commands,
	EventEmitter,
	env,
	LanguageModelChatMessage,
	LanguageModelChatToolMode,
	LanguageModelError,
	LanguageModelTextPart,
	LanguageModelToolCallPart,
	LanguageModelToolResult,
	LanguageModelToolResultPart,
	LanguageStatusSeverity,
	Location,
	languages,
	lm,
	MarkdownString,
	Position,
	ProgressLocation,
	Range,
	Selection,
	ThemeIcon,
	TreeItem,
	TreeItemCollapsibleState,
	Uri,
	ViewColumn,
	window,
	workspace,
} from "vscode";
