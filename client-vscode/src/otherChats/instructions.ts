/**
 * The instructions file that other chats of the editor read by themselves: what is remembered, as a new chat of
 * `@vademecum` is told it.
 */
import type { ManagedFile } from "./managedFile";

/** The editor looks for instructions there. */
export const INSTRUCTIONS: ManagedFile = {
	path: ".github/instructions/vademecum.instructions.md",
	marker: "<!-- Managed by Vademecum",
};

const HEAD = `---
applyTo: "**"
description: What Vademecum remembers about the user and this project
---

${INSTRUCTIONS.marker}: written anew whenever memory changes, so changes made here are lost.
"Vademecum: Stop Telling Other Chats" removes this file. -->

`;

/** The whole file. What follows the head is the prompt block, to the letter. */
export function instructionsText(block: string): string {
	return HEAD + block;
}

/** The prompt block in such a file; undefined when it is not ours. */
export function blockIn(text: string): string | undefined {
	return text.startsWith(HEAD) ? text.slice(HEAD.length) : undefined;
}
