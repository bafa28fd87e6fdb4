// What the bundle is made of. The language client brings every feature of the protocol; those of which the server
// offers nothing (leftOut.json: the client's module, and what a server that offers it announces) are left out. Their
// places are taken by a feature that does nothing, so that the client does not claim to the server to have them either.
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const leftOut = Object.keys(JSON.parse(await readFile(join(here, "leftOut.json"), "utf8")));

const NOTHING = `class LeftOut {
	fillClientCapabilities() {}
	initialize() {}
	getState() { return { kind: "static" }; }
	clear() {}
}`;

const withoutUnusedFeatures = {
	name: "without unused features",
	setup(build) {
		const found = new Set();
		const filter = new RegExp(`vscode-languageclient[\\\\/]lib[\\\\/]common[\\\\/](${leftOut.join("|")})\\.js$`);
		build.onLoad({ filter }, async ({ path }) => {
			found.add(basename(path, ".js"));
			const names = [...(await readFile(path, "utf8")).matchAll(/^exports\.(\w+) = \1;$/gm)].map(([, name]) => name);
			const others = names.filter((name) => !name.endsWith("Feature"));
			if (names.length === 0 || others.length > 0) {
				return { errors: [{ text: `${path} has more than features: ${others.join(", ")}` }] };
			}
			return { contents: [NOTHING, ...names.map((name) => `exports.${name} = LeftOut;`)].join("\n"), loader: "js" };
		});
		// A newer client may have another layout: that must not make the bundle bigger in silence.
		build.onEnd(() => {
			const missed = leftOut.filter((name) => !found.has(name));
			return missed.length ? { errors: [{ text: `the language client has no ${missed.join(", ")}` }] } : {};
		});
	},
};

/** Options for esbuild; `vscode` is given by the host. */
export function bundling(watch = false) {
	return {
		absWorkingDir: here,
		// The pages of web views are scripts of a browser; they import nothing that only node has.
		entryPoints: [
			{ in: "src/extension.ts", out: "extension" },
			{ in: "media/searchPage.ts", out: "searchPage" },
			{ in: "media/searchPage.css", out: "searchPage" },
		],
		outdir: "dist",
		bundle: true,
		external: ["vscode"],
		format: "cjs",
		platform: "node",
		target: "node20",
		charset: "utf8",
		minify: !watch,
		sourcemap: watch,
		plugins: [withoutUnusedFeatures],
	};
}
