// Bundles the extension into one file.
import { context } from "esbuild";
import { bundling } from "./bundling.mjs";

const watch = process.argv.includes("--watch");
const bundle = await context({ ...bundling(watch), logLevel: "info" });
if (watch) {
	await bundle.watch();
} else {
	await bundle.rebuild();
	await bundle.dispose();
}
