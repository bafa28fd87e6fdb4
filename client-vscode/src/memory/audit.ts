/** *Audit Memories*: what is amiss, and the fixes that the user picks, one after the other. */
import type { QuickPickItem } from "vscode";
import { currentFolder } from "../folders";
import { counted } from "../knowledge/words";
import { errorKind, errorMessage, isCancelled } from "../protocol";
import { ProgressLocation, ThemeIcon, window } from "../vscodeapi";
import { type MemoryParts, nothingToUndo, open } from "./actions";
import type { AuditFinding, AuditFix, FixRequest } from "./protocol";
import type { MemorySend } from "./sending";

/** Findings that are asked for at once. */
const LIMIT = 200;

const APPLY = "Apply";

const ICONS: Readonly<Record<string, string>> = {
	secret: "key",
	instruction: "shield",
	contradiction: "git-compare",
	nearCopies: "copy",
	staleEvidence: "warning",
	neverRecalled: "clock",
};

interface FindingItem extends QuickPickItem {
	readonly finding: AuditFinding;
}

interface FixItem extends QuickPickItem {
	readonly fix?: AuditFix;
}

/** Shows findings until the user leaves, or nothing is amiss any more. */
export async function audit(parts: MemoryParts): Promise<void> {
	let said: string | undefined;
	for (;;) {
		const result = await look(parts);
		if (!result) {
			return;
		}
		const { findings, total, checked } = result;
		if (findings.length === 0) {
			const all = checked
				? `Nothing is amiss with ${counted(checked, "memory", "memories")}.`
				: "There are no memories to audit.";
			void window.showInformationMessage(said ? `${said} ${all}` : all);
			return;
		}
		const picked = await window.showQuickPick(
			findings.map((finding) => itemOf(parts, finding)),
			{
				title: `Audit: ${counted(total, "finding", "findings")} in ${counted(checked, "memory", "memories")}`,
				placeHolder: said ?? "Which one do you want to mend? Nothing changes before you pick a fix.",
				matchOnDescription: true,
				matchOnDetail: true,
				ignoreFocusOut: true,
			},
		);
		if (!picked) {
			return;
		}
		const outcome = await mend(parts, picked.finding);
		if (outcome === undefined) {
			return;
		}
		said = outcome;
	}
}

async function look({ send }: MemoryParts) {
	const folder = currentFolder();
	const options = { location: ProgressLocation.Notification, title: "Looking the memories over", cancellable: true };
	try {
		return await window.withProgress(options, (_progress, token) =>
			send("memory/audit", { limit: LIMIT, ...(folder === undefined ? {} : { workspace: folder }) }, token),
		);
	} catch (error) {
		if (!isCancelled(error)) {
			void window.showErrorMessage(`Not audited: ${errorMessage(error)}`);
		}
		return undefined;
	}
}

function itemOf({ store }: MemoryParts, finding: AuditFinding): FindingItem {
	const titles = finding.ids.map((id) => store.memory(id)?.title ?? id);
	const [best] = finding.fixes;
	return {
		iconPath: new ThemeIcon(ICONS[finding.kind] ?? "lightbulb"),
		label: `${titles.map((title) => `“${title}”`).join(", ")}`,
		description: finding.message,
		...(best ? { detail: `Fix: ${best.title}` } : {}),
		finding,
	};
}

/** What was done, for the next list; undefined when the user leaves the audit. */
async function mend(parts: MemoryParts, finding: AuditFinding): Promise<string | undefined> {
	const items: FixItem[] = [
		...finding.fixes.map((fix) => ({ iconPath: new ThemeIcon("wrench"), label: fix.title, ...warningOf(fix), fix })),
		{ iconPath: new ThemeIcon("go-to-file"), label: "Open the memory", description: "and mend it by hand" },
	];
	const picked = await window.showQuickPick(items, { title: finding.message, ignoreFocusOut: true });
	if (!picked) {
		return "Nothing was changed.";
	}
	if (!picked.fix) {
		const memory = parts.store.memory(finding.ids[0] ?? "");
		await open(parts, memory ? [memory] : []);
		return undefined;
	}
	if (isFinal(picked.fix) && !(await confirmed(picked.fix))) {
		return "Nothing was changed.";
	}
	const outcome = await apply(parts.send, picked.fix);
	nothingToUndo();
	await parts.store.load();
	return outcome;
}

/** Sends the requests of a fix in their order, and stops at the first that fails. */
export async function apply(send: MemorySend, fix: AuditFix): Promise<string> {
	for (const request of fix.requests) {
		try {
			await sendFix(send, request);
		} catch (error) {
			return errorKind(error) === "conflict"
				? "It was changed meanwhile, and is left alone; this is how it is now."
				: `Not done: ${errorMessage(error)}`;
		}
	}
	return `Done: ${fix.title}.`;
}

/** The server made the params for that very method. */
function sendFix(send: MemorySend, { method, params }: FixRequest): Promise<unknown> {
	return (send as (method: string, params: object) => Promise<unknown>)(method, params);
}

function isFinal({ requests }: AuditFix): boolean {
	return requests.some(({ method }) => method === "memory/purge");
}

function warningOf(fix: AuditFix): { readonly description?: string } {
	return isFinal(fix) ? { description: "there is no way back" } : {};
}

async function confirmed({ title }: AuditFix): Promise<boolean> {
	const detail = "What is removed for good, its prior versions too, cannot be brought back.";
	return (await window.showWarningMessage(`${title}?`, { modal: true, detail }, APPLY)) === APPLY;
}
