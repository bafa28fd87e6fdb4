/** How the Search view puts things into words; nothing here asks the server. */
import { counted } from "../knowledge/words";
import type { Notice, NoticeKind, SearchStatus, Verdict } from "../protocol";
import type { State } from "../server/server";
import type { ShownIndex, ShownNotice, ShownResult, ShownSignal, Way } from "./messages";

/** Each is something that the answer's reader can do about it. */
const WAYS: Partial<Record<NoticeKind, Way>> = {
	indexerFailed: "log",
	watcherFailed: "log",
	disabled: "settings",
};

export function noticesOf(notices: readonly Notice[]): ShownNotice[] {
	return notices.map(({ kind, message }) => {
		// What is installed and not wanted is a matter of the settings; the server names the package that it lacks.
		const lacking = message.includes("pip install") ? "models" : "settings";
		const way = kind === "noModel" ? lacking : WAYS[kind];
		return { text: message, ...(way ? { way } : {}) };
	});
}

const LOST: Partial<Record<Verdict, NonNullable<ShownResult["lost"]>>> = {
	changed: { mark: "changed", why: "These lines have changed since they were found." },
	deleted: { mark: "deleted", why: "The file is gone." },
	ambiguous: { mark: "moved", why: "These lines now stand at several places of the file." },
	excluded: { mark: "excluded", why: "The file is not to be read any more." },
	unreadable: { mark: "unreadable", why: "The file cannot be read." },
};

/** What is amiss with a result that was judged; undefined where it holds. */
export function lostBy(verdict: Verdict): ShownResult["lost"] {
	return LOST[verdict];
}

const SIGNALS: Readonly<Record<string, string>> = {
	lexical: "Words in common",
	semantic: "Alike in meaning",
	definition: "Defines what was asked for",
	path: "Words in its path",
	coherence: "More hits in the same file",
	further: "Not the first of its file",
	perFile: "Many hits of one file",
	diversity: "Like a result above it",
	decay: "Not changed for long",
	rerank: "Judged by the second model",
};

/** Those that a score is multiplied by; the others are added to it, or are its beginning. */
const FACTORS = new Set(["further", "decay"]);
const LOSSES = new Set(["perFile", "diversity"]);
const BEGINNINGS = new Set(["lexical", "semantic", "rerank"]);

export function signalsOf(signals: Readonly<Record<string, number>>, score: number): ShownSignal[] {
	const told = Object.entries(signals).map(([name, value]) => {
		const role = /^role:(.*)$/.exec(name)?.[1];
		const label = role === undefined ? (SIGNALS[name] ?? name) : `Its file is of the kind “${role}”`;
		const sign =
			role !== undefined || FACTORS.has(name) ? "× " : LOSSES.has(name) ? "− " : BEGINNINGS.has(name) ? "" : "+ ";
		return { label, value: `${sign}${rounded(value)}` };
	});
	return [...told, { label: "Score", value: rounded(score) }];
}

function rounded(value: number): string {
	return value.toFixed(2);
}

/** What a screen reader is told of an answer. */
export function saidOf(results: number, more: boolean, about: string): string {
	const number = results === 0 ? "Nothing found" : counted(results, "result", "results");
	return `${number} ${about}${more ? "; there are more" : ""}`;
}

/** How far the folders' indexes are, in one line. */
export function indexOf(state: State, indexes: readonly SearchStatus[], locale?: string): ShownIndex {
	if (state.kind === "starting") {
		return { text: `The server is starting${state.doing ? `: ${state.doing}` : ""}`, progress: null };
	}
	if (state.kind !== "running" || indexes.length === 0) {
		return { text: "" };
	}
	const refusal = indexes.find((index) => index.refusal)?.refusal;
	const { files, total, busy } = progressOf(indexes);
	if (busy) {
		const far = total > files ? `${files.toLocaleString(locale)} of ${counted(total, "file", "files", locale)}` : "";
		return {
			text: `Indexing: ${far || `${counted(files, "file", "files", locale)} so far`}`,
			progress: total > files ? Math.floor((100 * files) / total) : null,
		};
	}
	const models = indexes.map(({ model }) => model);
	const embedding = models.filter((model) => model.state === "embedding");
	const sum = (of: "embedded" | "total") => models.reduce((all, model) => all + model[of], 0);
	const found = counted(files, "file", "files", locale);
	if (embedding.length > 0 && sum("total") > 0) {
		return {
			text: `${found} · by meaning: ${sum("embedded").toLocaleString(locale)} of ${sum("total").toLocaleString(locale)}`,
			progress: Math.floor((100 * sum("embedded")) / sum("total")),
		};
	}
	const how = models.every((model) => model.state === "ready") ? "by words and meaning" : "by words";
	return { text: refusal ?? `${found} · ${how}` };
}

/** Files that are indexed, all there are (as far as that is known), and whether the difference is being worked on. */
export function progressOf(indexes: readonly SearchStatus[]) {
	const files = indexes.reduce((sum, index) => sum + index.files, 0);
	const pending = indexes.reduce((sum, index) => sum + index.pending, 0);
	const busy = indexes.some((index) => index.state !== "ready" || index.pending > 0);
	const whole = indexes.every((index) => index.counted !== false);
	return { files, total: whole ? files + pending : files, busy };
}

/** Reasons of `search/skipped`, for a person. */
const REASONS: Readonly<Record<string, string>> = {
	outside: "leads out of the folder",
	symlink: "a link to another place",
	ignored: "ignored by git, by an ignore file or by your settings",
	versionControl: "belongs to version control",
	worktree: "another worktree of the repository",
	own: "Vademecum’s own files",
	dependency: "a dependency, not your code",
	secretName: "may hold secrets",
	badName: "its name cannot be handled",
	binary: "not text",
	encoding: "not UTF-8 text",
	tooLarge: "too large",
	minified: "minified or generated: very long lines",
	special: "no regular file",
	noPermission: "may not be read by you",
	missing: "gone",
	unreadable: "cannot be read",
	silent: "lies on a disk that does not answer",
};

export function reasonOf(reason: string): string {
	return REASONS[reason] ?? reason;
}
