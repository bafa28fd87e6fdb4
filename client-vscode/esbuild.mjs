// Bundles the extension into one file; `vscode` is given by the host.
import { context } from "esbuild";

const watch = process.argv.includes("--watch");

const bundle = await context({
	entryPoints: ["src/extension.ts"],
	outfile: "dist/extension.js",
	bundle: true,
	external: ["vscode"],
	format: "cjs",
	platform: "node",
	target: "node20",
	minify: !watch,
	sourcemap: watch,
	logLevel: "info",
});
if (watch) {
	await bundle.watch();
} else {
	await bundle.rebuild();
	await bundle.dispose();
}
