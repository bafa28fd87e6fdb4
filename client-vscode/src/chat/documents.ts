/** `/docs`: which documents the current task sees, and answers from them. */
import type { ChatResponseStream } from "vscode";
import type { SectionCitation } from "../knowledge/protocol";
import type { SourceOf } from "../knowledge/tool";
import { linesOf } from "../knowledge/words";
import { Location, Range, Uri } from "../vscodeapi";
import type { Asked, Done } from "./asked";
import { code, escaped, quoted } from "./markdown";
import { showPlace } from "./places";

/** The server's limit of a question, in characters. */
const QUESTION_CHARACTERS = 1_000;
/** Documents that are listed. */
const LISTED = 50;

/** Answers a question, with the places that the answer rests on; without one, lists what can be asked. */
export async function askDocuments(asked: Asked): Promise<Done> {
	const { send, documents, stream, token } = asked;
	const task = documents.task();
	const question = [...asked.prompt.trim()].slice(0, QUESTION_CHARACTERS).join("");
	const { items: seen } = await send("knowledge/map", { task }, token);
	if (seen.length === 0) {
		stream.markdown("No published document is attached to the current task, so there is none to ask.");
		stream.button({ command: "vademecum.knowledge.focus", title: "Open the Documents View" });
		return { brief: "(There are no documents to ask.)" };
	}
	if (question === "") {
		const lines = seen.slice(0, LISTED).map(({ title }) => `- ${escaped(title)}`);
		stream.markdown(`Documents that can be asked:\n\n${lines.join("\n")}\n`);
		return { brief: `(Shown: the titles of ${seen.length} documents.)` };
	}
	stream.progress("Asking the documents…");
	const answer = await send("knowledge/ask", { question, task }, token);
	const sections = answer.items ?? [];
	if (answer.answer !== null) {
		stream.markdown(`${answer.answer}\n\n`);
	} else {
		stream.markdown(`${answer.notice ? `> ${escaped(answer.notice)}\n\n` : ""}${best(sections.length)}\n\n`);
	}
	for (const [at, citation] of answer.citations.entries()) {
		stream.markdown(`${at + 1}. `);
		await showCitation(stream, documents.sourceOf, citation, citation.lines.start);
	}
	for (const { citation, line, excerpt } of answer.answer === null ? sections : []) {
		stream.markdown("- ");
		await showCitation(stream, documents.sourceOf, citation, line);
		stream.markdown(`${quoted(excerpt).replace(/^/gm, "  ")}\n\n`);
	}
	if (answer.gaps.length) {
		const gaps = answer.gaps.map((gap) => `- ${escaped(gap)}`).join("\n");
		stream.markdown(`\n\nThe documents do not tell:\n\n${gaps}\n`);
	}
	const cited = answer.answer === null ? sections.map(({ citation }) => citation) : answer.citations;
	const names = cited.map(({ document, path }) => [document, ...path].join(" › "));
	const brief = names.length
		? `(Answered from the documents: ${names.join("; ")}.)`
		: "(The documents tell nothing of it.)";
	return { brief, next: [{ prompt: asked.prompt, label: "Answer this with everything that is known" }] };
}

function best(sections: number): string {
	return sections ? "These sections match best:" : "The documents hold nothing on that.";
}

async function showCitation(
	stream: ChatResponseStream,
	sourceOf: SourceOf,
	citation: SectionCitation,
	line: number,
): Promise<void> {
	const own = citation.path[0] === citation.document; // most documents are called by their first heading
	const title = (own ? citation.path : [citation.document, ...citation.path]).join(" › ");
	const source = await sourceOf(citation.id);
	if (source) {
		showPlace(stream, new Location(Uri.parse(source, true), new Range(line - 1, 0, line - 1, 0)), title);
	} else {
		stream.markdown(escaped(title));
	}
	stream.markdown(`, ${linesOf(citation)}${citation.reference ? ` ${code(citation.reference)}` : ""}\n`);
}
