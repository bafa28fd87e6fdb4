import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
	chmodSync,
	copyFileSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { hostname, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { interpreterIn, newInterpreter, privateInterpreter } from "../src/server/environment";
import { isAlive } from "../src/server/lock";
import { UNTIL_CLOSED } from "../src/server/pip";
import { findPython, pythonFor } from "../src/server/python";

/** A number that no process has. */
const GONE = "2147483646";

const signal = () => new AbortController().signal;
let folder: string;
let steps: string[];

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "vademecum-environment-"));
	steps = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

let python: string;
/** The wheel of pip that this Python brings; the extension carries one as well. */
let installer: string;

beforeAll(async () => {
	const found = await findPython({ platform: process.platform, names: [], installer: undefined }, signal());
	expect(found.usable, "a Python that can make environments").toBeDefined();
	python = found.usable?.executable ?? "";
	const ask =
		"import ensurepip; print(ensurepip._get_packages()['pip'].wheel_path or ensurepip.__path__[0] + '/_bundled/' + ensurepip._get_packages()['pip'].wheel_name)";
	installer = execFileSync(python, ["-c", ask], { encoding: "utf8" }).trim();
});

/** A real wheel, with nothing in it but a module that says which build it is. */
function wheel(build: string, needs = ""): void {
	const script = `
import sys, zipfile
folder, build, needs = sys.argv[1:]
info = "vademecum-0.1.0.dist-info"
with zipfile.ZipFile(f"{folder}/vademecum-0.1.0-py3-none-any.whl", "w") as wheel:
    wheel.writestr("vademecum/__init__.py", f"BUILD = {build!r}\\n")
    wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\\nName: vademecum\\nVersion: 0.1.0\\n{needs}")
    wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(f"{info}/RECORD", f"vademecum/__init__.py,,\\n{info}/METADATA,,\\n{info}/WHEEL,,\\n{info}/RECORD,,\\n")
`;
	mkdirSync(join(folder, "wheel"), { recursive: true });
	execFileSync(python, ["-c", script, join(folder, "wheel"), build, needs]);
	copyFileSync(installer, join(folder, "wheel", basename(installer)));
}

function parts() {
	return {
		wheels: join(folder, "wheel"),
		storage: join(folder, "storage"),
		python: "",
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
		const report = (message: string) => {
			steps.push(message);
			abort.abort();
		};
		const waiting = privateInterpreter({ ...parts(), report }, abort.signal);
		await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
		expect(steps).toEqual(["waiting for another window that is installing the server"]);
	});
});

const poll = (condition: () => boolean, what: string) =>
	vi.waitUntil(condition, { timeout: 20_000 }).catch(() => expect.fail(what));
const environmentOf = (interpreter: string) => join(interpreter, "..", "..");
const environments = () => readdirSync(join(folder, "storage")).filter((name) => name.startsWith("environment-"));

describe("the private environment, made for real", { timeout: 120_000 }, () => {
	it("is made once by two windows, kept while in use, and made anew for another build and by a repair", async () => {
		wheel("one");
		// Left by windows that died.
		mkdirSync(join(folder, "storage", "making.lock"), { recursive: true });
		writeFileSync(join(folder, "storage", "making.lock", "owner"), GONE);
		mkdirSync(join(folder, "storage", "environment-half"), { recursive: true });
		mkdirSync(join(folder, "storage", "windows"));
		writeFileSync(join(folder, "storage", "windows", `${GONE}@${hostname()}`), "environment-half");
		const [first, second] = await Promise.all([
			privateInterpreter(parts(), signal()),
			privateInterpreter(parts(), signal()),
		]);
		expect(second).toBe(first);
		expect(built(first)).toBe("one");
		expect(steps.filter((step) => step === "installing the server")).toHaveLength(1);
		await poll(() => environments().length === 1, "what a dead window left");
		expect(readdirSync(join(folder, "storage", "windows"))).toEqual([`${process.pid}@${hostname()}`]);

		steps = [];
		expect(await privateInterpreter(parts(), signal())).toBe(first);
		expect(steps).toEqual([]);

		// Another window has the older one, too, as long as it is open.
		const other = spawn(process.execPath, ["-e", "setInterval(() => undefined, 1_000)"]);
		writeFileSync(join(folder, "storage", "windows", `${other.pid}@${hostname()}`), basename(environmentOf(first)));
		wheel("two");
		const newer = await privateInterpreter(parts(), signal());
		expect(newer).not.toBe(first);
		expect(built(newer)).toBe("two");
		await poll(() => !existsSync(join(folder, "storage", "making.lock")), "the end of clearing up");
		expect(built(first)).toBe("one");

		const ended = once(other, "exit");
		other.kill();
		await ended;
		// The one that was just made may still be clearing up; then the next one does.
		const cleared = async () => {
			expect(await privateInterpreter(parts(), signal())).toBe(newer);
			expect(existsSync(first), "the environment that no window has").toBe(false);
		};
		await vi.waitFor(cleared, { timeout: 20_000, interval: 200 });
		expect(existsSync(newer)).toBe(true);

		// A repair makes another beside it, which is taken when the server is started.
		const repaired = await newInterpreter(parts(), signal());
		expect(repaired).not.toBe(newer);
		await poll(() => !existsSync(join(folder, "storage", "making.lock")), "the end of clearing up");
		expect(built(newer)).toBe("two");
		expect(built(repaired)).toBe("two");
		// One whose Python the system has replaced is never taken.
		const marker = join(environmentOf(repaired), "complete.json");
		const kept = readFileSync(marker, "utf8");
		writeFileSync(marker, JSON.stringify({ ...JSON.parse(kept), base: "/usr/bin/python3.10" }));
		await poll(() => !existsSync(join(folder, "storage", "making.lock")), "the end of clearing up");
		expect(await privateInterpreter(parts(), signal())).toBe(newer);
	});

	it("leaves nothing behind when it is stopped, nor when the install fails", async () => {
		wheel("one");
		const abort = new AbortController();
		const stopping = { ...parts(), report: (step: string) => step === "installing the server" && abort.abort() };
		await expect(privateInterpreter(stopping, abort.signal)).rejects.toMatchObject({ name: "AbortError" });
		expect(environments()).toEqual([]);
		writeFileSync(join(folder, "wheel", "vademecum-0.1.0-py3-none-any.whl"), "not a wheel");
		await expect(privateInterpreter(parts(), signal())).rejects.toMatchObject({
			wayOut: "retry",
			message: expect.stringContaining("could not be installed"),
		});
		expect(readdirSync(join(folder, "storage"))).toEqual(["windows"]);
	});

	it("asks the package index for what is not carried, and says so when that cannot be reached", async () => {
		wheel("one", "Requires-Dist: made-up-nowhere\n");
		const unreachable = { PIP_INDEX_URL: "http://127.0.0.1:9/simple", PIP_RETRIES: "1", PIP_CONFIG_FILE: "/dev/null" };
		const before = { ...process.env };
		Object.assign(process.env, unreachable);
		try {
			await expect(privateInterpreter(parts(), signal())).rejects.toMatchObject({
				wayOut: "retry",
				message: expect.stringMatching(/index cannot be reached.+does not carry all that it needs/),
			});
		} finally {
			process.env = before;
		}
		expect(steps).toContain("installing the server from the package index");
		expect(environments()).toEqual([]);
	});

	it("is not made any further when the window that makes it is killed", async () => {
		wheel("one", "Requires-Dist: made-up-nowhere\n");
		// An index that takes the question and never answers.
		const index = createServer(() => undefined).listen(0, "127.0.0.1");
		await once(index, "listening");
		const { port } = index.address() as AddressInfo;
		const asked = once(index, "connection");
		const program = join(folder, "window.mjs");
		writeFileSync(
			program,
			`import { spawn } from "node:child_process";
			const pip = spawn(process.argv[2], ["-c", ...process.argv.slice(3)], { stdio: ["pipe", "ignore", "ignore"] });
			process.stdout.write(String(pip.pid));`,
		);
		const window = spawn(process.execPath, [
			...[program, python, UNTIL_CLOSED, installer, "install", "--isolated", "--target", join(folder, "target")],
			...["--index-url", `http://127.0.0.1:${port}/simple`, "made-up-nowhere"],
		]);
		const [pid] = (await once(window.stdout, "data")).map(Number) as [number];
		await asked;
		expect(isAlive(pid)).toBe(true);
		window.kill("SIGKILL");
		await poll(() => !isAlive(pid), "the end of pip");
		index.close();
	});
});

describe.skipIf(process.platform === "win32")("the Python that it is made with", () => {
	const path = process.env.PATH;
	afterEach(() => {
		process.env.PATH = path;
	});

	/** Answers as a Python would that asks itself (see python.ts). */
	function fake(name: string, version: number[], hasVenv = true, hasInstaller = true): void {
		const file = join(folder, name);
		writeFileSync(file, `#!/bin/sh\necho '${JSON.stringify([version, file, false, hasVenv, hasInstaller])}'\n`);
		chmodSync(file, 0o755);
		process.env.PATH = `${folder}:/nowhere`;
	}

	const found = (names: string[], installer?: string) => findPython({ platform: "linux", names, installer }, signal());
	const wheels = [
		"tantivy-0.27.0-cp311-abi3-linux.whl",
		...["311", "312"].map((tag) => `x-1-cp${tag}-cp${tag}-linux.whl`),
	];

	it("is one for which there are wheels, before one that is newer", async () => {
		fake("python3", [3, 15, 0]);
		fake("python3.12", [3, 12, 4]);
		expect((await found(wheels)).usable?.version).toBe("3.12.4");
		expect((await found(["vademecum-0.1.0-py3-none-any.whl"])).usable?.version).toBe("3.15.0");
	});

	it("needs no installer of its own where the extension carries one", async () => {
		fake("python3", [3, 11, 2], true, false);
		expect(await found(wheels)).toEqual({ withoutVenv: "3.11.2" });
		expect((await found(wheels, "pip-26.3-py3-none-any.whl")).usable?.version).toBe("3.11.2");
	});

	it("is refused with the reason when it is too old, and when the one that was named is not there", async () => {
		fake("python3", [3, 9, 18]);
		const wanted = { platform: "linux", names: [], installer: undefined } as const;
		const tooOld = { wayOut: "installPython", message: expect.stringContaining("it is Python 3.9.18") };
		await expect(pythonFor({ ...wanted, named: "" }, signal())).rejects.toMatchObject(tooOld);
		await expect(pythonFor({ ...wanted, named: join(folder, "python3") }, signal())).rejects.toMatchObject(tooOld);
		await expect(pythonFor({ ...wanted, named: "python3" }, signal())).rejects.toThrow("give an absolute path");
		await expect(pythonFor({ ...wanted, named: "/nowhere/python" }, signal())).rejects.toThrow("it does not run");
	});
});

it("knows where an interpreter lies", () => {
	expect(interpreterIn("env", "linux")).toBe(join("env", "bin", "python"));
	expect(interpreterIn("env", "win32")).toBe(join("env", "Scripts", "python.exe"));
});
