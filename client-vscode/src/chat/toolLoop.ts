/** Lets a model call tools until it has answered. */
import type {
	CancellationToken,
	LanguageModelChat,
	LanguageModelChatTool,
	LanguageModelToolResult,
	LanguageModelToolResultPart as ToolResultPart,
} from "vscode";
import {
	LanguageModelChatMessage,
	LanguageModelChatToolMode,
	LanguageModelTextPart,
	LanguageModelToolCallPart,
	LanguageModelToolResultPart,
} from "../vscodeapi";
import type { Message } from "./messages";

/** A model that still calls tools after so many rounds is asked to answer without them. */
export const MAX_ROUNDS = 10;

export interface LoopParts {
	readonly model: Pick<LanguageModelChat, "sendRequest">;
	readonly tools: readonly LanguageModelChatTool[];
	/** Never rejects but for cancellation: what went wrong is an answer that the model can act upon. */
	readonly call: (name: string, input: object) => Promise<LanguageModelToolResult["content"]>;
	readonly onText: (text: string) => void;
	readonly token: CancellationToken;
}

/** Runs the conversation to the model's last word. Rejects with the model's error. */
export async function converse(start: readonly Message[], parts: LoopParts): Promise<void> {
	const messages = start.map(({ role, text }) =>
		role === "user" ? LanguageModelChatMessage.User(text) : LanguageModelChatMessage.Assistant(text),
	);
	for (let round = 1; !parts.token.isCancellationRequested; round++) {
		const last = round > MAX_ROUNDS;
		const offered = last ? [] : [...parts.tools];
		if (last) {
			messages.push(LanguageModelChatMessage.User("No more tool calls: answer now with what you have."));
		}
		const options = offered.length ? { tools: offered, toolMode: LanguageModelChatToolMode.Auto } : {};
		const response = await parts.model.sendRequest(messages, options, parts.token);
		const said: (LanguageModelTextPart | LanguageModelToolCallPart)[] = [];
		const calls: LanguageModelToolCallPart[] = [];
		for await (const part of response.stream) {
			if (part instanceof LanguageModelTextPart) {
				parts.onText(part.value);
				said.push(part);
			} else if (part instanceof LanguageModelToolCallPart) {
				said.push(part);
				calls.push(part);
			}
		}
		if (calls.length === 0 || last) {
			return;
		}
		const results: ToolResultPart[] = [];
		for (const call of calls) {
			if (parts.token.isCancellationRequested) {
				return;
			}
			results.push(new LanguageModelToolResultPart(call.callId, await parts.call(call.name, call.input)));
		}
		messages.push(LanguageModelChatMessage.Assistant(said), LanguageModelChatMessage.User(results));
	}
}
