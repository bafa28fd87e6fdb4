/** What of memory fits a message and is not in the chat's block: it is told with that message, whole. */
import type { CancellationToken } from "vscode";
import { inCurrentFolder } from "../folders";
import type { Log } from "../log";
import { errorMessage, type Memory, type PromptBlock, type Send } from "../protocol";
import { CancellationTokenSource, workspace } from "../vscodeapi";

export interface Recalled {
	/** Of the memories in the text. */
	readonly ids: readonly string[];
	/** Ready to be told to a model; empty when there is nothing to tell. */
	readonly text: string;
}

const NOTHING: Recalled = { ids: [], text: "" };

/** A message waits no longer for what may fit it: the model of meaning may be loading. */
const PATIENCE_MILLISECONDS = 2_000;
/** Where the user has a lent model choose, which the server gives four seconds before it goes by its ranking. */
const PATIENCE_WITH_MODEL_MILLISECONDS = 6_000;

/**
 * Never rejects, and soon returns: a message is answered without what could not be recalled. Asked without a session, since a later
 * message carries the ids of what was recalled for this one and not the texts, which are recalled again when they fit.
 */
export async function recalledFor(
	{ send, log }: { readonly send: Send; readonly log: Pick<Log, "info"> },
	block: PromptBlock,
	prompt: string,
	token: CancellationToken,
): Promise<Recalled> {
	if (!prompt.trim()) {
		return NOTHING;
	}
	const waiting = new CancellationTokenSource();
	// Set elsewhere (config.toml) it holds for others: nobody has told us to wait so long, and who gives up is told nothing.
	const byModel = workspace.getConfiguration("vademecum.memory").get<string>("recallModel") === "auto";
	const timer = setTimeout(() => waiting.cancel(), byModel ? PATIENCE_WITH_MODEL_MILLISECONDS : PATIENCE_MILLISECONDS);
	const listening = token.onCancellationRequested(() => waiting.cancel());
	try {
		const asked = { prompt, ...(byModel ? {} : { model: false }), ...inCurrentFolder() };
		const { items, text } = await send("memory/recall", asked, waiting.token);
		const untold = items.filter(({ memory }) => !isToldWhole(block, memory));
		return untold.length ? { ids: items.map(({ memory }) => memory.id), text } : NOTHING;
	} catch (error) {
		log.info(`recall: ${errorMessage(error)}`);
		return NOTHING;
	} finally {
		clearTimeout(timer);
		listening.dispose();
		waiting.dispose();
	}
}

/** Whether the block has a memory's every line; some are told by their description alone. */
function isToldWhole(block: PromptBlock, { id, content }: Memory): boolean {
	const lines = content.split(/\r\n|[\r\n]/).map((line) => line.trim());
	return block.entries.some((entry) => entry.id === id) && lines.every((line) => block.text.includes(line));
}
