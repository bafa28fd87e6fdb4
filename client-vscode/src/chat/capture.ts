/** After an answer: what the user said that is worth keeping is found, and the user says whether it is kept. */
import type { Log } from "../log";
import { errorKind, errorMessage, type Memory, type Send, type Turn } from "../protocol";
import { commands, window } from "../vscodeapi";

const KEEP = "Keep";
const DISCARD = "Discard";
const OPEN = "Open";
/** Exchanges that are sent; the server looks at no more. */
const TURNS = 3;

/** Has the end of a conversation looked through. Returns when the user has answered; never rejects. */
export async function capture(send: Send, log: Log, session: string, turns: readonly Turn[]): Promise<void> {
	try {
		const { outcome, memories } = await send("memory/capture", { session, turns: turns.slice(-TURNS) });
		log.debug(`capture: ${outcome}`);
		for (const { action, memory } of memories) {
			if (memory.status === "pending" && (action === "added" || action === "updated")) {
				await review(send, memory);
			}
		}
	} catch (error) {
		log.info(`capture: ${errorMessage(error)}`);
	}
}

/** Asks without a modal: who does not answer leaves the memory waiting. */
async function review(send: Send, memory: Memory): Promise<void> {
	const where = memory.scope === "project" ? "for this project" : "everywhere";
	const answer = await window.showInformationMessage(`Remember ${where}? ${memory.content}`, KEEP, DISCARD, OPEN);
	if (answer === KEEP || answer === DISCARD) {
		await judge(send, memory.id, answer === KEEP ? "accept" : "reject");
	} else if (answer === OPEN) {
		await commands.executeCommand("vademecum.openMemory", memory.id);
	}
}

/** The offer stays until it is answered, and may be answered elsewhere meanwhile. */
async function judge(send: Send, id: string, verdict: "accept" | "reject"): Promise<void> {
	try {
		await send("memory/review", { id, verdict });
	} catch (error) {
		const kind = errorKind(error);
		const isLate = kind === "conflict" || kind === "notFound";
		const why = isLate ? "It was answered already, in the Memory view or in another window." : errorMessage(error);
		void window.showWarningMessage(why);
	}
}
