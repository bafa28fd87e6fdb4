/** What a model is sent, in an order that keeps earlier bytes the same from turn to turn. */

export interface Message {
	readonly role: "user" | "assistant";
	readonly text: string;
}

/** One exchange of the conversation so far. */
export interface Exchange {
	readonly prompt: string;
	readonly answer: string;
	/** Changes of memory that were told just before this exchange's prompt. */
	readonly changes?: string;
	/** What was recalled for this exchange, by name. */
	readonly recalled?: string;
}

export interface Conversation {
	/** The prompt block; empty when there is no memory. */
	readonly block: string;
	readonly guidance: string;
	readonly history: readonly Exchange[];
	/** Changes of memory since the last exchange; empty when there are none. */
	readonly changes: string;
	/** Memories that fit the prompt, whole; empty when none does that is not told already. */
	readonly recalled: string;
	/** Files and selections that the user attached. */
	readonly attachments: readonly string[];
	readonly prompt: string;
}

/**
 * The block at the head, then the guidance, the history, what changed, what was recalled, and the prompt. When it is too much, the oldest
 * exchanges are left out; the block and the prompt never are.
 *
 * @param characters how much the model takes, in UTF-16 units.
 */
export function compose(conversation: Conversation, characters: number): Message[] {
	const head = texts("user", conversation.block, conversation.guidance);
	const tail = texts(
		"user",
		conversation.changes,
		conversation.recalled,
		...conversation.attachments,
		conversation.prompt,
	);
	let room = characters - size(head) - size(tail);
	const exchanges: Message[][] = [];
	for (const exchange of [...conversation.history].reverse()) {
		const messages = [
			...texts("user", exchange.changes ?? "", exchange.recalled ?? "", exchange.prompt),
			...texts("assistant", exchange.answer),
		];
		room -= size(messages);
		if (room < 0) {
			break;
		}
		exchanges.unshift(messages);
	}
	return [...head, ...exchanges.flat(), ...tail];
}

function texts(role: Message["role"], ...all: string[]): Message[] {
	return all.filter((text) => text.trim() !== "").map((text) => ({ role, text }));
}

function size(messages: readonly Message[]): number {
	return messages.reduce((sum, message) => sum + message.text.length, 0);
}

/** What an answer says to a reader, without the links that only the editor can follow. */
export function withoutCommandLinks(markdown: string): string {
	return markdown.replace(/\s*(?:·\s*)?\[[^\]]*\]\(command:[^)]*\)/g, "").trim();
}
