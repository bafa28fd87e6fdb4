/** The language status items: whether memory and search are there, how much they hold, and how far the index is. */
import type { Disposable, LanguageStatusItem } from "vscode";
import { counted } from "./knowledge/words";
import type { Log } from "./log";
import { errorMessage, type SearchStatus } from "./protocol";
import type { Indexes } from "./search/indexes";
import { progressOf } from "./search/words";
import { howToInstall, type ModelsState, RETRY_MINUTES, type SearchModels } from "./searchModels";
import type { Server, State } from "./server/server";
import { SECTION } from "./settings";
import { commands, LanguageStatusSeverity, languages, workspace } from "./vscodeapi";

/** Set while memory is on, so that its tools are offered only then. */
const MEMORY_ENABLED_CONTEXT = "vademecum.memoryEnabled";

/** The server takes changed settings without saying when it has. */
const SETTLE_MILLISECONDS = 1_000;

const DOCUMENTS = [{ scheme: "file" }, { scheme: "untitled" }];
const SEVERITIES = {
	information: LanguageStatusSeverity.Information,
	warning: LanguageStatusSeverity.Warning,
	error: LanguageStatusSeverity.Error,
};

export interface MemoryFacts {
	readonly enabled: boolean;
	readonly count: number;
}

export interface Description {
	readonly text: string;
	readonly detail: string;
	readonly severity: "information" | "warning" | "error";
	readonly busy: boolean;
}

/** What the item says, from what is known. */
export function describe(
	state: State,
	indexes: readonly SearchStatus[],
	memory: MemoryFacts | undefined,
	models: ModelsState,
	locale?: string,
): Description {
	const count = (value: number, one: string, many: string) => counted(value, one, many, locale);
	if (state.kind === "failed") {
		return { text: "Vademecum is down", detail: state.problem.message, severity: "error", busy: false };
	}
	if (state.kind === "stopped") {
		return { text: "Vademecum is stopped", detail: "", severity: "warning", busy: false };
	}
	if (state.kind === "starting") {
		return { text: "Vademecum", detail: state.doing ?? "starting", severity: "information", busy: true };
	}
	const { files, total, busy } = progressOf(indexes);
	const details: string[] = [];
	if (memory) {
		details.push(memory.enabled ? count(memory.count, "memory", "memories") : "memory is off");
	}
	if (busy) {
		details.push(
			total > files
				? `indexing: ${files.toLocaleString(locale)} of ${total.toLocaleString(locale)}`
				: `indexing: ${files.toLocaleString(locale)} so far`,
		);
	}
	const refusal = indexes.find((index) => index.refusal)?.refusal;
	const blind = indexes.find((index) => index.watcher.state === "failed");
	if (refusal) {
		details.push(refusal);
	} else if (blind) {
		details.push(`changes are not noticed${blind.watcher.reason ? `: ${blind.watcher.reason}` : ""}`);
	}
	const meaning = meaningOf(indexes, models, locale);
	if (meaning) {
		details.push(meaning);
	}
	return {
		text: indexes.length ? `Vademecum: ${count(files, "file", "files")}` : "Vademecum",
		detail: details.join(" · "),
		severity: blind && !refusal ? "warning" : "information",
		busy,
	};
}

/** How search goes by meaning, or why it goes by words alone; undefined while there is nothing to say. */
function meaningOf(indexes: readonly SearchStatus[], models: ModelsState, locale?: string): string | undefined {
	const reports = indexes.filter(({ refusal }) => !refusal).map(({ model }) => model);
	const lacking = reports.find(({ state }) => state === "none");
	if (models.kind === "installing") {
		return "search by meaning: its models are being installed";
	}
	if (lacking) {
		return `search by words: ${whyByWords(lacking.reason ?? "there is no model", models)}`;
	}
	const unfinished = reports.filter(({ state }) => state !== "ready");
	const sum = (of: "embedded" | "total") => reports.reduce((all, report) => all + report[of], 0);
	if (unfinished.length === 0) {
		const names = [...new Set(reports.map(({ name }) => name))].filter(Boolean);
		return names.length ? `search by meaning (${names.join(", ")})` : undefined;
	}
	const reason = unfinished.find((report) => report.reason)?.reason;
	const far = sum("total")
		? `search by meaning: ${sum("embedded").toLocaleString(locale)} of ${sum("total").toLocaleString(locale)}`
		: "";
	return [far, reason].filter(Boolean).join(", ") || undefined;
}

/** The server says which package it lacks; what to do about it depends on whose server it is. */
function whyByWords(reason: string, models: ModelsState): string {
	const packages = /pip install "([^"]+)"/.exec(reason)?.[1];
	switch (models.kind) {
		case "failed":
			return models.passing
				? `the models for search by meaning are missing (${models.reason}); this is tried again every ${RETRY_MINUTES} minutes`
				: `the models could not be installed (${models.reason}); “Install Search Models” tries again`;
		case "left":
			return packages ? "“Install Search Models” adds search by meaning" : reason;
		case "elsewhere":
			return packages ? `${howToInstall(models.launch, packages)}, for search by meaning` : reason;
		default:
			return reason;
	}
}

/** What is searched, and what limits that, in the second item; undefined while there is nothing to say. */
export function describeIndex(indexes: readonly SearchStatus[], locale?: string): Description | undefined {
	if (indexes.length === 0) {
		return undefined;
	}
	const { files, total, busy } = progressOf(indexes);
	const passages = indexes.reduce((sum, index) => sum + index.chunks, 0);
	const notices = [...new Set(indexes.flatMap(({ notice, refusal }) => refusal ?? notice ?? []))];
	const far = total > files ? `${files.toLocaleString(locale)} of ${total.toLocaleString(locale)} files` : undefined;
	return {
		text: `Searched: ${far ?? counted(files, "file", "files", locale)}`,
		detail: [counted(passages, "passage", "passages", locale), ...notices].join(" · "),
		severity: "information",
		busy,
	};
}

/** Keeps the items current. */
export function showStatus(server: Server, indexes: Indexes, models: SearchModels, log: Log): Disposable {
	const item = languages.createLanguageStatusItem("vademecum.status", DOCUMENTS);
	item.name = "Vademecum";
	const searched = new SearchedItem();
	let memory: MemoryFacts | undefined;
	let recount: NodeJS.Timeout | undefined;

	const draw = () => {
		const { text, detail, severity, busy } = describe(server.state, indexes.all, memory, models.state);
		item.text = text;
		item.detail = detail;
		item.accessibilityInformation = { label: [text, detail].filter(Boolean).join(", ") };
		item.busy = busy;
		item.severity = SEVERITIES[severity];
		if (server.state.kind === "failed") {
			item.command = { command: "vademecum.restartServer", title: "Restart" };
		} else if (models.state.kind === "failed" || models.state.kind === "left") {
			item.command = { command: "vademecum.installSearchModels", title: "Install Search Models" };
		} else {
			item.command = { command: "vademecum.showLog", title: "Show Log" };
		}
	};

	const countMemories = async () => {
		try {
			const { enabled } = await server.send("memory/status", {});
			const count = enabled ? (await server.send("memory/list", { limit: 1 })).total : 0;
			memory = { enabled, count };
		} catch (error) {
			memory = undefined;
			log.debug(`memory status: ${errorMessage(error)}`);
		}
		await commands.executeCommand("setContext", MEMORY_ENABLED_CONTEXT, memory?.enabled === true);
		draw();
	};

	const listeners = [
		server.onDidChangeState((state) => {
			if (state.kind !== "running") {
				memory = undefined;
			} else {
				void countMemories();
			}
			draw();
		}),
		indexes.onDidChange(() => {
			searched.draw(indexes.all);
			draw();
		}),
		searched,
		models.onDidChange(draw),
		server.on("memory/didChange", () => void countMemories()),
		workspace.onDidChangeConfiguration((change) => {
			if (change.affectsConfiguration(`${SECTION}.memory`) && server.state.kind === "running") {
				clearTimeout(recount);
				recount = setTimeout(() => void countMemories(), SETTLE_MILLISECONDS);
			}
		}),
	];
	draw();
	return {
		dispose() {
			clearTimeout(recount);
			for (const listener of listeners) {
				listener.dispose();
			}
			item.dispose();
		},
	};
}

/** The item of the index: there while a folder is indexed, since it leads to what is not. */
class SearchedItem implements Disposable {
	private item: LanguageStatusItem | undefined;

	draw(indexes: readonly SearchStatus[]): void {
		const description = describeIndex(indexes);
		if (!description) {
			this.dispose();
			return;
		}
		if (!this.item) {
			this.item = languages.createLanguageStatusItem("vademecum.index", DOCUMENTS);
			this.item.name = "Vademecum: Index";
			this.item.command = { command: "vademecum.search.skipped", title: "Not Searched…" };
		}
		const { text, detail, severity, busy } = description;
		const accessibilityInformation = { label: `${text}, ${detail}` };
		Object.assign(this.item, { text, detail, busy, accessibilityInformation, severity: SEVERITIES[severity] });
	}

	dispose(): void {
		this.item?.dispose();
		this.item = undefined;
	}
}
