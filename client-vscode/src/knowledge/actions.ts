/** What is done to documents: publish, withdraw, attach, detach, remove, refresh; each for one or several. */

import { brief } from "../brief";
import type { Log } from "../log";
import { errorKind, errorMessage } from "../protocol";
import type { Server } from "../server/server";
import { window } from "../vscodeapi";
import type { KnownDocument } from "./protocol";
import type { Reviews } from "./review";
import type { KnowledgeStore } from "./store";
import type { CurrentTask } from "./task";
import { counted, namesOf, revisionToReview } from "./words";

export interface KnowledgeParts {
	/** Tells how far it is, too, where somebody wants to know. */
	readonly send: Server["send"];
	readonly store: KnowledgeStore;
	readonly task: CurrentTask;
	readonly reviews: Reviews;
	readonly log: Log;
}

const REVIEW = "Review";
const REVIEW_AGAIN = "Review Again";
const PUBLISH = "Publish";
const ATTACH = "Attach";
const REMOVE = "Remove";

/** Opens the first: several at once would be a wall of editors. */
export async function review({ reviews }: KnowledgeParts, documents: readonly KnownDocument[]): Promise<void> {
	const [document] = documents;
	if (!document) {
		return;
	}
	try {
		await reviews.review(document);
	} catch (error) {
		void window.showWarningMessage(`Cannot be opened: ${errorMessage(error)}`);
	}
}

/** Publishes what was reviewed. What was not, is asked about; what changed since, is not published. */
export async function publish(parts: KnowledgeParts, documents: readonly KnownDocument[]): Promise<void> {
	const unseen = documents.filter(({ id }) => parts.reviews.reviewed(id) === undefined);
	if (unseen.length > 0) {
		const choice = await window.showWarningMessage(
			`You have not reviewed ${namesOf(unseen)} in this window. What is published is told to chats.`,
			...(unseen.length === 1 ? [REVIEW] : []),
			PUBLISH,
		);
		if (choice === REVIEW) {
			await review(parts, unseen);
		}
		if (choice !== PUBLISH) {
			return;
		}
	}
	const published: KnownDocument[] = [];
	for (const document of documents) {
		const revision = parts.reviews.reviewed(document.id) ?? revisionToReview(document);
		const done = await publishRevision(parts, document, revision);
		if (done) {
			published.push(done);
		}
	}
	if (published.length > 0) {
		await offerToAttach(parts, published);
	}
}

async function publishRevision(
	parts: KnowledgeParts,
	document: KnownDocument,
	revision: string,
): Promise<KnownDocument | undefined> {
	try {
		const done = await parts.send("knowledge/publish", { id: document.id, revision });
		parts.reviews.forget(document.id);
		return done;
	} catch (error) {
		void explain(parts, document, error);
		return undefined;
	}
}

/** A revision that changed after it was reviewed is to be reviewed again; for the rest, the server says why. */
async function explain(parts: KnowledgeParts, document: KnownDocument, error: unknown): Promise<void> {
	if (errorKind(error) !== "conflict") {
		void window.showErrorMessage(`“${brief(document.title)}” is not published: ${errorMessage(error)}`);
		return;
	}
	const choice = await window.showWarningMessage(
		`“${brief(document.title)}” is not published: it changed after you reviewed it.`,
		REVIEW_AGAIN,
	);
	if (choice === REVIEW_AGAIN) {
		await parts.store.load();
		const now = parts.store.document(document.id);
		await review(parts, now ? [now] : []);
	}
}

async function offerToAttach(parts: KnowledgeParts, published: readonly KnownDocument[]): Promise<void> {
	const detached = published.filter(({ id }) => !parts.store.isAttached(id));
	const message = `Published: ${namesOf(published)}.`;
	if (detached.length === 0) {
		void window.showInformationMessage(`${message} It is seen from the next question on.`);
		return;
	}
	const choice = await window.showInformationMessage(
		`${message} Attach it, so that ${parts.task.words} sees it?`,
		ATTACH,
	);
	if (choice === ATTACH) {
		await attach(parts, detached);
	}
}

export async function withdraw(parts: KnowledgeParts, documents: readonly KnownDocument[]): Promise<void> {
	const done = await each(documents, "withdrawn", ({ id }) => parts.send("knowledge/withdraw", { id }));
	if (done.length > 0) {
		void window.showInformationMessage(`Withdrawn: ${namesOf(done)}. Nothing of it is told any more.`);
	}
}

export async function attach(parts: KnowledgeParts, documents: readonly KnownDocument[]): Promise<void> {
	await change(parts, "attach", documents);
}

export async function detach(parts: KnowledgeParts, documents: readonly KnownDocument[]): Promise<void> {
	await change(parts, "detach", documents);
}

async function change(
	{ send, task }: KnowledgeParts,
	what: "attach" | "detach",
	documents: readonly KnownDocument[],
): Promise<void> {
	if (documents.length === 0) {
		return;
	}
	try {
		await send(`knowledge/${what}`, { ids: documents.map(({ id }) => id), task: task.name });
	} catch (error) {
		void window.showErrorMessage(`Not ${what}ed: ${errorMessage(error)}`);
		return;
	}
	const waiting = documents.filter(({ status }) => status === "pending").length;
	const later = what === "attach" && waiting > 0 ? " It is seen once it is published." : "";
	const done = what === "attach" ? `Attached to ${task.words}` : `Detached from ${task.words}`;
	void window.showInformationMessage(`${done}: ${namesOf(documents)}.${later}`);
}

/** Removes what the user confirms. */
export async function remove(parts: KnowledgeParts, documents: readonly KnownDocument[]): Promise<void> {
	if (documents.length === 0) {
		return;
	}
	const sources = documents.length === 1 ? "The file that it came from stays." : "The files that they came from stay.";
	const detail = `What was imported is removed for every task, with all that was made of it. ${sources}`;
	const answer = await window.showWarningMessage(`Remove ${namesOf(documents)}?`, { modal: true, detail }, REMOVE);
	if (answer !== REMOVE) {
		return;
	}
	const done = await each(documents, "removed", ({ id }) => parts.send("knowledge/remove", { id }));
	for (const { id } of done) {
		parts.reviews.forget(id);
	}
	if (done.length > 0) {
		void window.showInformationMessage(`Removed: ${namesOf(done)}.`);
	}
}

/** Looks at the followed folders, and at what other programs did. */
export async function refresh({ send, store, log }: KnowledgeParts): Promise<void> {
	try {
		const { documents, folders, skipped } = await send("knowledge/refresh", {});
		for (const { path, reason } of skipped) {
			log.info(`not imported: ${path}: ${reason}`);
		}
		const gone = documents.filter((each) => each.sourceState === "missing");
		const changed = documents.filter((each) => each.sourceState !== "missing");
		const news =
			changed.length === 0
				? folders === 0
					? "No folder is followed; the list is as it is on the disk."
					: `Nothing changed in ${counted(folders, "followed folder", "followed folders")}.`
				: `New or changed: ${namesOf(changed)}.`;
		const lost = gone.length ? ` The source is gone, what was imported is kept: ${namesOf(gone)}.` : "";
		const left = skipped.length ? ` Not imported: ${skipped.length}; the log says why.` : "";
		void window.showInformationMessage(`${news}${lost}${left}`);
	} catch (error) {
		void window.showErrorMessage(`Not refreshed: ${errorMessage(error)}`);
	}
	await store.load();
}

/** Does it to each; those that could not be are told of, the first with its reason. */
async function each(
	documents: readonly KnownDocument[],
	done: string,
	work: (document: KnownDocument) => Promise<unknown>,
): Promise<KnownDocument[]> {
	const worked: KnownDocument[] = [];
	const failed: { document: KnownDocument; why: string }[] = [];
	for (const document of documents) {
		try {
			await work(document);
			worked.push(document);
		} catch (error) {
			failed.push({ document, why: errorMessage(error) });
		}
	}
	const [first] = failed;
	if (first) {
		void window.showErrorMessage(`${namesOf(failed.map(({ document }) => document))} not ${done}: ${first.why}`);
	}
	return worked;
}
