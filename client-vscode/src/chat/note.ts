/** Notes: a message of one line that begins with `# ` is kept, and no model is asked. */

/** The note in a message, if it is one. `## Heading`, `#!` and what has more than one line are messages like others. */
export function noteOf(prompt: string): string | undefined {
	const line = prompt.trim();
	if (/[\r\n]/.test(line)) {
		return undefined;
	}
	const note = /^#\s+(?<note>\S.*)$/.exec(line)?.groups?.note;
	return note?.trim();
}
