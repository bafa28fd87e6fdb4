/** Letters at the end of an entry of the Memory view, which stay to be seen where the view is narrow. */
import type { Disposable, FileDecoration, Uri as UriType } from "vscode";
import { ThemeColor, Uri, window } from "../vscodeapi";
import type { KnownMemory } from "./store";
import { waitsForReview } from "./words";

const SCHEME = "vademecum-memory";

/** Two are shown at most. */
const BADGES = {
	W: "Waits for your review",
	S: "Stale: the lines that it rests on changed",
	R: "Came with the repository",
} as const;

type Letter = keyof typeof BADGES;

/** The letters that a memory has, the important first. */
export function lettersOf(memory: Pick<KnownMemory, "status" | "origin">): Letter[] {
	return [
		...(waitsForReview(memory) ? (["W"] as const) : []),
		...(memory.status === "stale" ? (["S"] as const) : []),
		...(memory.origin === "repository" ? (["R"] as const) : []),
	];
}

/** What the editor asks the badge of; undefined where there is none. */
export function badgeUri(memory: KnownMemory): UriType | undefined {
	const letters = lettersOf(memory);
	return letters.length > 0 ? Uri.from({ scheme: SCHEME, path: `/${memory.id}`, query: letters.join("") }) : undefined;
}

/** The badge of such a URI: other letters are another URI, so that none ever changes. */
export function badgeOf(uri: Pick<UriType, "scheme" | "query">): FileDecoration | undefined {
	if (uri.scheme !== SCHEME) {
		return undefined;
	}
	const letters = [...uri.query].filter((letter): letter is Letter => letter in BADGES);
	if (letters.length === 0) {
		return undefined;
	}
	const color = letters.includes("S") ? { color: new ThemeColor("vademecum.staleMemory") } : {};
	return { badge: letters.join("").slice(0, 2), tooltip: letters.map((each) => BADGES[each]).join(", "), ...color };
}

export function registerMemoryBadges(): Disposable {
	return window.registerFileDecorationProvider({ provideFileDecoration: badgeOf });
}
