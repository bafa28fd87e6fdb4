/** The text of a revision, found in the bytes of a file: what is shown is what its revision names, or nothing. */
import { createHash } from "node:crypto";

/** Hex digits of the SHA-256 that name a revision. */
const REVISION_DIGITS = 16;
const FRONT_MATTER = /^---[ \t]*\n(?:[\s\S]*?\n)??(?:---|\.\.\.)[ \t]*(?:\n|$)/;

/** What names a text with LF line ends; a final line end counts for nothing. As the server has it. */
export function revisionOf(text: string): string {
	const named = text.endsWith("\n") ? text.slice(0, -1) : text;
	return createHash("sha256").update(named, "utf8").digest("hex").slice(0, REVISION_DIGITS);
}

/** The bytes of a file as text: UTF-8 without its mark, with LF for every line end. */
function normalised(bytes: Uint8Array): string {
	return new TextDecoder("utf-8").decode(bytes).replace(/\r\n?/g, "\n");
}

/**
 * The text of `revision` in a file: a source is that text as it is, and where the server keeps it, it follows the
 * server's front matter. Undefined when the file holds another revision by now.
 */
export function textOfRevision(bytes: Uint8Array, revision: string): string | undefined {
	const whole = normalised(bytes);
	const texts = [whole.replace(FRONT_MATTER, ""), whole];
	return texts.find((text) => revisionOf(text) === revision);
}
