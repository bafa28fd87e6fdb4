import { readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { listFiles, PackageManager } from "@vscode/vsce";
import { build } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
// @ts-expect-error: plain JavaScript, since it configures the build itself
import { bundling } from "../bundling.mjs";

/** What users download and the extension host reads: all code, that of web views too, without the server's wheels. */
const LIMIT_BYTES = 600_000;
const root = join(__dirname, "..");

describe("the bundle", () => {
	let bundled: { readonly name: string; readonly text: string; readonly bytes: number }[];

	beforeAll(async () => {
		const built = await build({ ...bundling(), write: false, logLevel: "silent" });
		bundled = (built.outputFiles ?? []).map(({ path, text, contents }) => ({
			name: basename(path),
			text,
			bytes: contents.length,
		}));
	});

	it("is small, with everything else that is shipped as code", async ({ annotate }) => {
		const shipped = await listFiles({ cwd: root, packageManager: PackageManager.None });
		expect(shipped).toContain("package.json");
		const others = shipped
			.filter((path) => /\.(m?js|cjs|css|html|wasm)$/.test(path) && !path.startsWith("dist"))
			.map((path) => statSync(join(root, path)).size);
		const bytes = [...bundled.map((file) => file.bytes), ...others].reduce((sum, size) => sum + size, 0);
		await annotate(`${bytes.toLocaleString("en")} of ${LIMIT_BYTES.toLocaleString("en")} bytes`);
		expect(bytes).toBeLessThanOrEqual(LIMIT_BYTES);
	});

	it("is shipped as a whole", () => {
		const shipped = readFileSync(join(root, ".vscodeignore"), "utf8").split("\n");
		expect(bundled.length).toBeGreaterThan(0);
		expect(bundled.map(({ name }) => name).filter((name) => !shipped.includes(`!dist/${name}`))).toEqual([]);
	});

	it("has no feature of the protocol in it that it says to leave out", () => {
		const text = bundled.map((file) => file.text).join("\n");
		const leftOut = JSON.parse(readFileSync(join(root, "leftOut.json"), "utf8"));
		expect(Object.keys(leftOut).length).toBeGreaterThan(15);
		for (const call of ["registerRenameProvider", "registerInlayHintsProvider", "registerDocumentSemanticTokens"]) {
			expect(text).not.toContain(call);
		}
		for (const call of ["registerHoverProvider", "registerCompletionItemProvider", "registerCodeActionsProvider"]) {
			expect(text).toContain(call);
		}
	});
});
