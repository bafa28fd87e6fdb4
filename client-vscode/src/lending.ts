/**
 * Lends one of the editor's language models to the server (`model/complete`), for what it cannot judge without: whether
 * something said in a chat is worth keeping, what a document is about, which memories fit a message. Only after the user agreed, and until they say no.
 */
import type { CancellationToken, LanguageModelChat, Memento } from "vscode";
import type { Log } from "./log";
import type { CompleteParams, CompleteResult } from "./protocol";
import {
	CancellationTokenSource,
	LanguageModelChatMessage,
	LanguageModelError,
	lm,
	window,
	workspace,
} from "./vscodeapi";

export type Lending = "ask" | "never" | "always";

/** Under this the user's answer is kept, for all windows. */
const ANSWER_KEY = "lendModel";
/** A model must take at least so many tokens; the server sends about ten thousand at most. */
const LEAST_INPUT_TOKENS = 8_000;
/** Characters that are taken for each token that was asked for. */
const CHARACTERS_PER_TOKEN = 8;
/** What makers call their small models: quick, cheap, and good enough for these questions. */
const SMALL = /mini|haiku|flash|small|lite|nano|fast/i;

const LEND = "Lend It";
const NEVER = "Never";

/** No model is lent; told to the server as `noModel`. */
export class NotLent extends Error {
	readonly kind = "noModel";
}

export function lendingSetting(): Lending {
	const set = workspace.getConfiguration("vademecum").get<string>("lendModel", "ask");
	return set === "never" || set === "always" ? set : "ask";
}

export class ModelLender {
	/** The model that the user chose for their last message: it is used where it is there. */
	private chosen: string | undefined;
	private asking: Promise<boolean> | undefined;
	/** The question was closed without an answer; it is not put again in this window. */
	private closed = false;

	/** @param answers keeps the user's answer. */
	constructor(
		private readonly answers: Memento,
		private readonly log: Log,
	) {}

	/** Notes which model a chat went to. */
	used(model: Pick<LanguageModelChat, "id">): void {
		this.chosen = model.id;
	}

	/** Answers the server. Rejects with NotLent when the user does not want that, or there is no model. */
	readonly complete = async (params: CompleteParams, token: CancellationToken): Promise<CompleteResult> => {
		const models = (await lm.selectChatModels()).filter((model) => model.maxInputTokens >= LEAST_INPUT_TOKENS);
		const model = this.pick(models);
		if (!model) {
			throw new NotLent("The editor has no language model.");
		}
		if (!(await this.allowed())) {
			throw new NotLent("The user lends no language model.");
		}
		if (token.isCancellationRequested) {
			throw new Error("Cancelled");
		}
		this.log.info(`lending ${model.id}, to ${params.purpose}`);
		try {
			return { text: await said(model, params, token) };
		} catch (error) {
			if (error instanceof LanguageModelError && REFUSALS.has(error.code)) {
				throw new NotLent(error.message);
			}
			throw error;
		}
	};

	private pick(models: readonly LanguageModelChat[]): LanguageModelChat | undefined {
		return (
			models.find(({ id }) => id === this.chosen) ??
			models.find(({ id, family }) => SMALL.test(`${family} ${id}`)) ??
			models[0]
		);
	}

	private async allowed(): Promise<boolean> {
		const setting = lendingSetting();
		if (setting !== "ask") {
			return setting === "always";
		}
		const answer = this.answers.get<boolean>(ANSWER_KEY);
		if (answer !== undefined || this.closed) {
			return answer ?? false;
		}
		// Whoever comes while the question stands waits for its answer.
		this.asking ??= this.ask().finally(() => {
			this.asking = undefined;
		});
		return this.asking;
	}

	private async ask(): Promise<boolean> {
		const detail =
			"It would read the end of your @vademecum chats, and documents that you import, to tell what is worth remembering " +
			"and what a document is about; and, only where memory.recallModel is switched on, your messages with the titles of what is " +
			"remembered, to choose what fits. This goes to a model that you have in the editor and may count towards its quota; " +
			"secrets are taken out. What is found in a chat waits for your yes. Everything else works without. You can change " +
			"your mind in the setting vademecum.lendModel.";
		const answer = await window.showInformationMessage(
			"May Vademecum use a language model of this editor?",
			{ modal: true, detail },
			LEND,
			NEVER,
		);
		if (answer === undefined) {
			this.closed = true;
			return false;
		}
		await this.answers.update(ANSWER_KEY, answer === LEND);
		return answer === LEND;
	}
}

const REFUSALS: ReadonlySet<string> = new Set([
	LanguageModelError.NoPermissions().code,
	LanguageModelError.NotFound().code,
]);

/** What the model says, cut where it goes on far beyond what was asked for. */
async function said(model: LanguageModelChat, params: CompleteParams, token: CancellationToken): Promise<string> {
	const stop = new CancellationTokenSource();
	const listening = token.onCancellationRequested(() => stop.cancel());
	try {
		// The editor knows no messages of the system; the user's come nearest.
		const messages = params.messages.map(({ role, text }) =>
			role === "assistant" ? LanguageModelChatMessage.Assistant(text) : LanguageModelChatMessage.User(text),
		);
		const justification = `To ${params.purpose}, as agreed.`;
		const response = await model.sendRequest(messages, { justification }, stop.token);
		let text = "";
		for await (const part of response.text) {
			text += part;
			if (token.isCancellationRequested) {
				throw new Error("Cancelled");
			}
			if (text.length > params.maxTokens * CHARACTERS_PER_TOKEN) {
				stop.cancel();
				break;
			}
		}
		return text;
	} finally {
		listening.dispose();
		stop.dispose();
	}
}
