import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { interpreterIn, privateInterpreter } from "../src/server/environment";
import { findPython } from "../src/server/python";

const signal = () => new AbortController().signal;
let folder: string;
let steps: string[];

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "vademecum-environment-"));
	steps = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

let python: string;

beforeAll(async () => {
	const found = await findPython(process.platform, signal());
	expect(found.usable, "a Python that can make environments").toBeDefined();
	python = found.usable?.executable ?? "";
});

/** A real wheel, with nothing in it but a module that says which build it is. */
function wheel(build: string): void {
	const script = `
import sys, zipfile
folder, build = sys.argv[1:]
info = "vademecum-0.1.0.dist-info"
with zipfile.ZipFile(f"{folder}/vademecum-0.1.0-py3-none-any.whl", "w") as wheel:
    wheel.writestr("vademecum/__init__.py", f"BUILD = {build!r}\\n")
    wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\\nName: vademecum\\nVersion: 0.1.0\\n")
    wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(f"{info}/RECORD", f"vademecum/__init__.py,,\\n{info}/METADATA,,\\n{info}/WHEEL,,\\n{info}/RECORD,,\\n")
`;
	mkdirSync(join(folder, "wheel"), { recursive: true });
	execFileSync(python, ["-c", script, join(folder, "wheel"), build]);
}

function parts() {
	return {
		wheels: join(folder, "wheel"),
		storage: join(folder, "storage"),
		platform: process.platform,
		report: (message: string) => void steps.push(message),
		log: () => undefined,
	};
}

const built = (interpreter: string) =>
	execFileSync(interpreter, ["-P", "-c", "import vademecum; print(vademecum.BUILD)"], { encoding: "utf8" }).trim();

describe("the private environment", () => {
	it("cannot be made by a build without a server, which says what to do", async () => {
		await expect(privateInterpreter(parts(), signal())).rejects.toMatchObject({
			wayOut: "openSettings",
			message: expect.stringContaining("carries no server"),
		});
	});

	it("leaves a lock of a live window alone, and stops waiting when it is told to", async () => {
		wheel("one");
		mkdirSync(join(folder, "storage", "making.lock"), { recursive: true });
		writeFileSync(join(folder, "storage", "making.lock", "owner"), String(process.pid));
		const abort = new AbortController();
		const waiting = privateInterpreter(parts(), abort.signal);
		setTimeout(() => abort.abort(), 50);
		await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
		expect(steps).toEqual(["waiting for another window that is installing the server"]);
	});
});

describe("the private environment, made for real", () => {
	it("is made once by two windows, kept while in use, and made anew for another build", {
		timeout: 120_000,
	}, async () => {
		wheel("one");
		// Left by a window that died.
		mkdirSync(join(folder, "storage", "making.lock"), { recursive: true });
		writeFileSync(join(folder, "storage", "making.lock", "owner"), "2147483646");
		const [first, second] = await Promise.all([
			privateInterpreter(parts(), signal()),
			privateInterpreter(parts(), signal()),
		]);
		expect(second).toBe(first);
		expect(built(first)).toBe("one");
		expect(steps.filter((step) => step === "installing the server")).toHaveLength(1);

		steps = [];
		expect(await privateInterpreter(parts(), signal())).toBe(first);
		expect(steps).toEqual([]);

		wheel("two");
		const other = await privateInterpreter(parts(), signal());
		expect(other).not.toBe(first);
		expect(built(other)).toBe("two");
		expect(built(first)).toBe("one");

		const marker = join(first, "..", "..", "complete.json");
		const longAgo = new Date(Date.now() - 30 * 24 * 60 * 60 * 1_000);
		utimesSync(marker, longAgo, longAgo);
		await privateInterpreter(parts(), signal());
		expect(existsSync(first)).toBe(false);
		expect(existsSync(other)).toBe(true);
		expect(readdirSync(join(folder, "storage"))).toHaveLength(1);
	});

	it("leaves nothing behind when the install fails", { timeout: 60_000 }, async () => {
		mkdirSync(join(folder, "wheel"));
		writeFileSync(join(folder, "wheel", "vademecum-0.1.0-py3-none-any.whl"), "not a wheel");
		await expect(privateInterpreter(parts(), signal())).rejects.toMatchObject({
			wayOut: "retry",
			message: expect.stringContaining("could not be installed"),
		});
		expect(readdirSync(join(folder, "storage"))).toEqual([]);
	});
});

it("knows where an interpreter lies", () => {
	expect(interpreterIn("env", "linux")).toBe(join("env", "bin", "python"));
	expect(interpreterIn("env", "win32")).toBe(join("env", "Scripts", "python.exe"));
});
