import { describe, expect, it } from "vitest";
import { brief, shortened } from "../src/brief";

const points = (text: string) => [...text].length;

describe("a brief title", () => {
	it("is the title itself, on one line, where that is short", () => {
		expect(brief("Use pnpm")).toBe("Use pnpm");
		expect(brief(" Use\n\tpnpm ")).toBe("Use pnpm");
		expect(brief("x".repeat(60))).toBe("x".repeat(60));
		expect(brief("😀".repeat(60))).toBe("😀".repeat(60));
		expect(brief("")).toBe("");
	});

	it("ends with a word, and with nothing that hangs in the air", () => {
		const title = "Prices are kept in cents, as whole numbers, since the tax office (and";
		expect(brief(`${title} nobody else) asked for it`)).toBe(
			"Prices are kept in cents, as whole numbers, since the tax…",
		);
		expect(brief("One two three four five six seven eight nine ten eleven — twelve thirteen")).toBe(
			"One two three four five six seven eight nine ten eleven…",
		);
		// The word that ends with the room is kept.
		expect(brief(`${"word ".repeat(11)}four more and more`)).toBe(`${"word ".repeat(11)}four…`);
		for (const length of [61, 75, 200]) {
			expect(points(brief("ab cde fghi ".repeat(40).slice(0, length).trim()))).toBeLessThanOrEqual(60);
		}
	});

	it("cuts what is one long word, and no character in two", () => {
		expect(brief(`https://example.org/${"a".repeat(180)}`)).toBe(`https://example.org/${"a".repeat(39)}…`);
		expect(brief("😀".repeat(61))).toBe(`${"😀".repeat(59)}…`);
		const family = "👩‍👩‍👧‍👦";
		expect(points(family)).toBe(7);
		expect(brief(family.repeat(20))).toBe(`${family.repeat(8)}…`);
		const accented = "e\u0301";
		expect(brief(accented.repeat(100))).toBe(`${accented.repeat(29)}…`);
		expect(brief("🇳🇴".repeat(100))).toBe(`${"🇳🇴".repeat(29)}…`);
	});

	it("ends with a word of a script that has no spaces, too", () => {
		const chinese = "这个项目使用数据库来保存所有的价格，".repeat(8);
		const short = brief(chinese);
		expect(points(short)).toBeLessThanOrEqual(60);
		expect(points(short)).toBeGreaterThan(40);
		expect(chinese.startsWith(short.slice(0, -1))).toBe(true);
		const ends = [...new Intl.Segmenter("zh", { granularity: "word" }).segment(chinese)].map(
			({ index, segment }) => index + segment.length,
		);
		expect(ends).toContain(short.length - 1);
		expect(short).not.toMatch(/，…$/);
		expect(brief("価格はセント単位の整数で保存します。".repeat(8))).toMatch(/^価格は.*…$/u);
	});

	it("may be right to left", () => {
		const hebrew = "המחירים נשמרים באגורות שלמות ".repeat(8).trim();
		const short = brief(hebrew);
		expect(points(short)).toBeLessThanOrEqual(60);
		expect(hebrew.startsWith(`${short.slice(0, -1)} `)).toBe(true);
	});
});

describe("a shortened text", () => {
	it("is counted in code points", () => {
		expect(shortened("😀😀😀", 3)).toBe("😀😀😀");
		expect(shortened("😀😀😀😀", 3)).toBe("😀😀…");
	});
});
