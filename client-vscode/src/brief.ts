/** Long texts, made short enough for the place where they are shown. */

/** A title of a sentence is shown whole in a notification; of a longer one, its beginning. In code points. */
const BRIEF_CHARACTERS = 60;
/** A word that would leave less than this part of the room is cut itself: a path, an address, a line of code. */
const LEAST_PART = 2 / 3;

/** What a reader takes for one character, such as a letter with its accents or a family of emoji. */
const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const words = new Intl.Segmenter(undefined, { granularity: "word" });

/** At most `limit` code points. */
export function shortened(text: string, limit: number): string {
	const points = [...text];
	return points.length <= limit ? text : `${points.slice(0, limit - 1).join("")}…`;
}

/** A title on one line of about 60 characters, cut at the end of a word: for notifications and for questions. */
export function brief(title: string): string {
	const line = title.trim().replace(/\s+/gu, " ");
	if ([...line].length <= BRIEF_CHARACTERS) {
		return line;
	}
	const room = roomIn(line, BRIEF_CHARACTERS - 1);
	// Not one that hangs in the air, such as a comma, a dash or a bracket that is opened.
	return `${line.slice(0, endIn(line, room)).replace(/[\s\p{Pd}\p{Ps}\p{Pi},;:、，；：؛،]+$/u, "")}…`;
}

/** How much of a line, in code units, is at most so many code points and ends with a whole character. */
function roomIn(line: string, limit: number): number {
	let points = 0;
	let end = 0;
	for (const { segment } of characters.segment(line)) {
		points += [...segment].length;
		if (points > limit) {
			break;
		}
		end += segment.length;
	}
	return end;
}

/** Where to cut: before a space, where there is one near; else after a word, since not every script has spaces. */
function endIn(line: string, room: number): number {
	const space = line.lastIndexOf(" ", room);
	if (space >= room * LEAST_PART) {
		return space;
	}
	const ends = [...words.segment(line)]
		.filter(({ isWordLike }) => isWordLike)
		.map(({ index, segment }) => index + segment.length)
		.filter((end) => end <= room && end >= room * LEAST_PART);
	return ends.at(-1) ?? room;
}
