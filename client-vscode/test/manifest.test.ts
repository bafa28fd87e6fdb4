import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DOCUMENT_TOOL } from "../src/knowledge/tool";
import { createTools, MEMORY_TOOLS, PREFIX } from "../src/tools";

const root = join(__dirname, "..");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
	.filter((name) => name.endsWith(".ts"))
	.map((name) => ({ name, text: readFileSync(join(root, "src", name), "utf8") }));

describe("the manifest", () => {
	it("contributes exactly the tools that are implemented", () => {
		const contributed = manifest.contributes.languageModelTools.map((tool: { name: string }) => tool.name);
		const never = () => Promise.reject(new Error("not asked"));
		const own = contributed.filter((name: string) => name.startsWith(PREFIX));
		expect(Object.keys(createTools(never, () => "default", never)).sort()).toEqual(own.sort());
		expect(contributed).toEqual(expect.arrayContaining([...MEMORY_TOOLS]));
	});

	it("offers memory tools only while memory is on, and documents only while there are any", () => {
		for (const tool of manifest.contributes.languageModelTools) {
			expect(tool.canBeReferencedInPrompt).toBe(true);
			if (!tool.name.startsWith(PREFIX)) {
				expect(tool.when).toBe(`vademecum.offers.${tool.name}`);
			} else if (MEMORY_TOOLS.has(tool.name)) {
				expect(tool.when).toBe("vademecum.memoryEnabled");
			} else if (tool.name === DOCUMENT_TOOL) {
				expect(tool.when).toBe("vademecum.seesDocuments");
			} else {
				expect(tool.when).toMatch(/^workspaceFolderCount > 0/);
			}
		}
	});

	it("contributes only commands that are registered", () => {
		const all = sources.map(({ text }) => text).join("\n");
		for (const { command } of manifest.contributes.commands) {
			expect(all).toContain(`registerCommand("${command}"`);
		}
	});

	it("lets no workspace say what program is started", () => {
		const settings = manifest.contributes.configuration.flatMap((group: { properties: object }) =>
			Object.entries(group.properties),
		) as [string, { scope: string }][];
		const starting = settings.filter(([name]) => name.startsWith("vademecum.server."));
		expect(starting.length).toBeGreaterThan(0);
		for (const [name, { scope }] of starting) {
			expect(scope).toBe("machine");
			expect(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations).toContain(name);
		}
	});

	it("has a way by keys to everything that a view offers", () => {
		const { menus, keybindings } = manifest.contributes;
		const hidden = menus.commandPalette.filter((item: { when: string }) => item.when === "false");
		const inMenus = menus["view/item/context"].filter((item: { group: string }) => !item.group.startsWith("inline"));
		// The buttons of an entry are for the mouse; its menu opens by a key.
		for (const { command, when } of menus["view/item/context"]) {
			expect(inMenus.filter((item: { command: string }) => item.command === command)).not.toEqual([]);
			expect(when).toMatch(/^view == vademecum\./);
		}
		for (const { command } of menus["view/title"]) {
			expect(hidden.map((item: { command: string }) => item.command)).not.toContain(command);
		}
		for (const { when } of keybindings) {
			expect(when).toMatch(/^focusedView == vademecum\.\w+ && !inputFocus/);
		}
	});

	it("has a colour for each kind of theme, and draws in no other", () => {
		const colors = manifest.contributes.colors as { id: string; defaults: Record<string, string> }[];
		for (const { defaults } of colors) {
			expect(Object.keys(defaults).sort()).toEqual(["dark", "highContrast", "highContrastLight", "light"]);
		}
		const all = sources.map(({ text }) => text).join("\n");
		const drawn = [...all.matchAll(/(?:ThemeColor\(|color: )"([^"]+)"/g)].map(([, id]) => id);
		expect([...new Set(drawn)].sort()).toEqual(colors.map(({ id }) => id).sort());
	});

	it("keeps the types at the oldest editor that is promised", () => {
		expect(`^${manifest.devDependencies["@types/vscode"]}`).toBe(manifest.engines.vscode);
	});

	it("needs nothing at run time but the language client, and the protocol that it speaks", () => {
		expect(Object.keys(manifest.dependencies)).toEqual(["vscode-languageclient", "vscode-languageserver-protocol"]);
	});
});

describe("a workspace without files on a disk", () => {
	it("is left out, and the editor says why, and what to do instead", () => {
		const { supported, description } = manifest.capabilities.virtualWorkspaces;
		expect(supported).toBe(false);
		expect(description).toMatch(/has none.*Clone the repository/);
	});
});

describe("the sources", () => {
	it("put no icon into the label of an entry that has words: a screen reader would spell it", () => {
		const found = sources.flatMap(({ name, text }) =>
			[...text.matchAll(/label: .*\$\([^)]*\)+ /g)].map(([line]) => `${name}: ${line}`),
		);
		expect(found).toEqual([]);
	});

	it("take values of the editor's API from one module", () => {
		const others = sources
			.filter(({ name }) => name !== "vscodeapi.ts")
			.filter(({ text }) => /^import (?!type )[^;]*from "vscode";/m.test(text))
			.map(({ name }) => name);
		expect(others).toEqual([]);
	});
});
