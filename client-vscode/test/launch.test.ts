import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { resolveLaunch } from "../src/server/launch";
import { CannotStart } from "../src/server/problem";
import type { LaunchSettings } from "../src/settings";

const NONE: LaunchSettings = { path: "", interpreter: "", python: "", arguments: [] };
const signal = new AbortController().signal;
let folder: string;

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "vademecum-launch-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function program(name: string, text: string, mode = 0o755): string {
	const path = join(folder, name);
	mkdirSync(join(path, ".."), { recursive: true });
	writeFileSync(path, `#!/bin/sh\n${text}\n`);
	chmodSync(path, mode);
	return path;
}

/** Answers as a Python would that asks itself (see python.ts). */
function python(name: string, version: number[], hasServer: boolean): string {
	const path = join(folder, name);
	return program(name, `echo '${JSON.stringify([version, path, hasServer, true, true])}'`);
}

function resolve(settings: Partial<LaunchSettings>, env: Record<string, string> = {}) {
	const around = { env, platform: process.platform, privateInterpreter: async () => "/private/python" };
	return resolveLaunch({ ...NONE, ...settings }, around, signal);
}

describe.skipIf(process.platform === "win32")("the server that is started", () => {
	it("is the first of: path, interpreter, environment, PATH, private environment", async () => {
		const path = program("a/vademecum", "");
		const interpreter = python("b/python", [3, 12, 1], true);
		const named = program("c/server", "");
		const onPath = program("d/vademecum", "");
		const env = { VADEMECUM_SERVER: named, PATH: join(folder, "d") };
		const serve = ["serve", "--stdio"];
		expect(await resolve({ path, interpreter }, env)).toEqual({ command: path, args: serve, origin: "setting path" });
		expect(await resolve({ interpreter }, env)).toEqual({
			command: interpreter,
			args: ["-m", "vademecum", ...serve],
			origin: "setting interpreter",
		});
		expect(await resolve({}, env)).toEqual({ command: named, args: serve, origin: "environment" });
		expect(await resolve({}, { PATH: env.PATH })).toEqual({ command: onPath, args: serve, origin: "PATH" });
		expect(await resolve({}, { PATH: "" })).toEqual({
			command: "/private/python",
			args: ["-m", "vademecum", ...serve],
			origin: "private environment",
		});
	});

	it("gets the further arguments", async () => {
		const path = program("vademecum", "");
		expect((await resolve({ path, arguments: ["--log", "debug"] })).args).toEqual([
			"serve",
			"--stdio",
			"--log",
			"debug",
		]);
	});

	it("is never looked for in a relative part of PATH, nor in a file that cannot be run", async () => {
		program("plain/vademecum", "", 0o644);
		const env = { PATH: ["", ".", "bin", join(folder, "plain")].join(delimiter) };
		expect((await resolve({}, env)).origin).toBe("private environment");
	});

	it.each([
		["a relative path", { path: "bin/vademecum" }, /absolute path/],
		["a path to nothing", { path: "/nowhere/vademecum" }, /no program/],
		["a folder", { path: "/tmp" }, /no program/],
	])("is refused with a way out: %s", async (_what, settings, message) => {
		const refusal = await resolve(settings).catch((error) => error);
		expect(refusal).toBeInstanceOf(CannotStart);
		expect(refusal).toMatchObject({ wayOut: "openSettings", setting: "vademecum.server.path" });
		expect(refusal.message).toMatch(message);
	});

	it("needs an interpreter that is new enough, is a Python, and has the server", async () => {
		const refused = (interpreter: string) => resolve({ interpreter }).catch((error) => error.message);
		expect(await refused(python("old", [3, 9, 2], true))).toMatch(/Python 3\.9\.2; 3\.11 or newer/);
		expect(await refused(python("bare", [3, 13, 0], false))).toMatch(/no vademecum installed.*pip install/);
		expect(await refused(program("other", "echo hello"))).toMatch(/does not answer like a Python/);
		expect(await refused(program("broken", "exit 3"))).toMatch(/does not run/);
	});
});
