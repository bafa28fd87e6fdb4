import { execFileSync } from "node:child_process";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { edited, exclude } from "../src/otherChats/gitExclude";
import { HOOK, hookCommand, hookText } from "../src/otherChats/hook";
import { blockIn, INSTRUCTIONS, instructionsText } from "../src/otherChats/instructions";
import { NotOurs, removeManaged, writeManaged } from "../src/otherChats/managedFile";
import { McpServers, mcpCommand, registerMcpServers } from "../src/otherChats/mcp";
import { OtherChats } from "../src/otherChats/telling";
import type { Launch } from "../src/server/launch";
import type { State } from "../src/server/server";
import { desk, EventEmitter, Uri, window as vscodeWindow } from "./vscode";

let folder: string;

beforeEach(() => {
	desk.reset();
	folder = mkdtempSync(join(tmpdir(), "other-chats-"));
});

const file = () => join(folder, INSTRUCTIONS.path);
const writeInstructions = (folder: string, block: string) =>
	writeManaged(folder, INSTRUCTIONS, instructionsText(block));
const removeInstructions = (folder: string) => removeManaged(folder, INSTRUCTIONS);
const log = { warn: () => undefined, debug: () => undefined, info: () => undefined } as never;

describe("the instructions file", () => {
	it("holds the prompt block to the letter, for its user alone, and is written only when it changes", async () => {
		const block = "<vademecum-memory>\n| Use pnpm\n</vademecum-memory>\n";
		expect(await writeInstructions(folder, block)).toBe(true);
		const text = readFileSync(file(), "utf8");
		expect(text).toMatch(/^---\napplyTo: "\*\*"\n/);
		expect(blockIn(text)).toBe(block);
		expect(statSync(file()).mode & 0o777).toBe(0o600);
		expect(await writeInstructions(folder, block)).toBe(false);
		expect(await writeInstructions(folder, "other")).toBe(true);
		expect(blockIn(readFileSync(file(), "utf8"))).toBe("other");
		expect(readdirSync(join(folder, ".github/instructions"))).toHaveLength(1);
	});

	it("is removed with the folders that were made for it, and no others", async () => {
		await writeInstructions(folder, "block");
		expect(await removeInstructions(folder)).toBe(true);
		expect(existsSync(join(folder, ".github"))).toBe(false);
		expect(await removeInstructions(folder)).toBe(false);
		mkdirSync(join(folder, ".github"));
		writeFileSync(join(folder, ".github/CODEOWNERS"), "");
		await writeInstructions(folder, "block");
		await removeInstructions(folder);
		expect(readdirSync(join(folder, ".github"))).toEqual(["CODEOWNERS"]);
	});

	it("is never written over a file of somebody else, nor through a link", async () => {
		mkdirSync(join(folder, ".github/instructions"), { recursive: true });
		writeFileSync(file(), "mine");
		await expect(writeInstructions(folder, "block")).rejects.toThrow(NotOurs);
		await expect(removeInstructions(folder)).rejects.toThrow(NotOurs);
		expect(readFileSync(file(), "utf8")).toBe("mine");

		const elsewhere = mkdtempSync(join(tmpdir(), "elsewhere-"));
		const linked = mkdtempSync(join(tmpdir(), "linked-"));
		symlinkSync(elsewhere, join(linked, ".github"));
		await expect(writeInstructions(linked, "block")).rejects.toThrow(NotOurs);
		expect(existsSync(join(elsewhere, "instructions/vademecum.instructions.md"))).toBe(false);
	});
});

describe("keeping it out of git", () => {
	it("adds one line and takes it back, whatever else is there", () => {
		const before = "# mine\n*.log";
		const after = edited(before, "/a.md", true);
		expect(after).toMatch(/^# mine\n\*\.log\n# Vademecum.*\n\/a\.md\n$/);
		expect(edited(after, "/a.md", true)).toBe(after);
		expect(edited(after, "/a.md", false)).toBe(`${before}\n`);
		expect(edited("", "/a.md", false)).toBe("");
	});

	it("is done for a folder within a repository, and nothing happens outside of one", async () => {
		const inner = join(folder, "packages", "w");
		mkdirSync(inner, { recursive: true });
		await exclude(inner, INSTRUCTIONS.path, true);
		const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, encoding: "utf8" });
		git("init", "-q");
		await exclude(inner, INSTRUCTIONS.path, true);
		await writeInstructions(inner, "block");
		expect(git("status", "--porcelain")).toBe("");
		await exclude(inner, INSTRUCTIONS.path, false);
		expect(git("status", "--porcelain", "-uall")).toContain("vademecum.instructions.md");
	});
});

const LAUNCH: Launch = { command: "/opt/my python", args: ["-m", "vademecum", "serve", "--stdio"], origin: "PATH" };

describe("the hook", () => {
	it("runs the program of this window's server, quoted for the shell it is given to", () => {
		expect(hookCommand(LAUNCH, "linux")).toBe("'/opt/my python' -P -m vademecum prompt --hook");
		const odd = { ...LAUNCH, command: "/o'brien/vademecum", args: ["serve"] };
		expect(hookCommand(odd, "darwin")).toBe("'/o'\\''brien/vademecum' prompt --hook");
		expect(hookCommand({ ...odd, command: "C:\\o'b\\v.exe" }, "win32")).toBe("& 'C:\\o''b\\v.exe' 'prompt' '--hook'");
		expect(JSON.parse(hookText(odd, "win32")).hooks.SessionStart[0].command).toBeUndefined();
	});

	it("is in the editor's own form, and says that it is ours", async () => {
		const { version, hooks } = JSON.parse(hookText(LAUNCH, "linux"));
		expect([version, Object.keys(hooks)]).toEqual([1, ["SessionStart"]]);
		expect(hooks.SessionStart[0]).toMatchObject({
			type: "command",
			command: hookCommand(LAUNCH, "linux"),
			timeout: 30,
		});
		expect(await writeManaged(folder, HOOK, hookText(LAUNCH, "linux"))).toBe(true);
		writeFileSync(join(folder, HOOK.path), "{}");
		await expect(removeManaged(folder, HOOK)).rejects.toThrow(NotOurs);
	});
});

describe("telling other chats", () => {
	const telling = (answer: () => unknown) => {
		const changes = new EventEmitter<object>();
		const kept = new Map<string, unknown>();
		const send = async () => {
			const value = answer();
			if (value instanceof Error) {
				throw value;
			}
			return value;
		};
		const others = new OtherChats({
			server: {
				send,
				on: (_: string, handler: never) => changes.event(handler),
				onDidChangeState: () => ({ dispose() {} }),
				state: { kind: "running", launch: LAUNCH },
			} as never,
			kept: {
				get: (key: string, otherwise: unknown) => kept.get(key) ?? otherwise,
				update: async (key: string, value: unknown) => void kept.set(key, value),
			} as never,
			log,
		});
		return { others, changes };
	};
	const until = async (holds: () => boolean) => {
		const deadline = Date.now() + 5_000;
		while (!holds()) {
			expect(Date.now()).toBeLessThan(deadline);
			await new Promise((resolve) => setTimeout(resolve, 20));
		}
	};

	it("begins when it is asked for, follows memory, and ends without a trace", async () => {
		desk.folders = [{ uri: Uri.file(folder) }];
		let block = "one";
		const { others, changes } = telling(() => ({ text: block }));
		await others.update();
		expect(existsSync(file())).toBe(false);
		await others.start();
		expect(blockIn(readFileSync(file(), "utf8"))).toBe("one");
		expect(others.given.map(({ file }) => String(file))).toEqual([`file://${file()}`]);
		block = "two";
		changes.fire({});
		await until(() => blockIn(readFileSync(file(), "utf8")) === "two");
		await others.stop();
		expect(readdirSync(folder)).toEqual([]);
		expect(others.given).toEqual([]);
		others.dispose();
	});

	it("takes the file away when memory is off or empty, and leaves it when nobody can tell", async () => {
		desk.folders = [{ uri: Uri.file(folder) }];
		let answer: unknown = { text: "one" };
		const { others } = telling(() => answer);
		await others.start();
		answer = new Error("the server is down");
		await others.update();
		expect(existsSync(file())).toBe(true);
		answer = Object.assign(new Error("off"), { data: { kind: "memoryDisabled" } });
		await others.update();
		expect(existsSync(file())).toBe(false);
		answer = { text: "one" };
		await others.update();
		expect(existsSync(file())).toBe(true);
		answer = { text: "" };
		await others.update();
		expect(existsSync(file())).toBe(false);
		others.dispose();
	});

	it("tells by a hook instead, in whose file nothing of memory stands, and never by both", async () => {
		desk.folders = [{ uri: Uri.file(folder) }];
		desk.configuration["chat.useHooks"] = { default: true };
		const { others } = telling(() => ({ text: "one" }));
		await others.start();
		expect(existsSync(file())).toBe(true);
		const pick = vi.spyOn(vscodeWindow, "showQuickPick").mockImplementation(async (items) => items.at(-1));
		await others.start();
		expect(existsSync(file())).toBe(false);
		expect(readFileSync(join(folder, HOOK.path), "utf8")).toBe(hookText(LAUNCH, process.platform));
		expect(others.given.map(({ file }) => file)).toEqual([undefined]);
		pick.mockRestore();
		await others.stop();
		expect(readdirSync(folder)).toEqual([]);
		others.dispose();
	});

	it("writes into no folder that is not trusted", async () => {
		desk.folders = [{ uri: Uri.file(folder) }];
		desk.trusted = false;
		const { others } = telling(() => ({ text: "one" }));
		await others.start();
		expect(readdirSync(folder)).toEqual([]);
		expect(desk.messages[0]).toMatch(/not trusted/);
		others.dispose();
	});
});

describe("the MCP server", () => {
	const launch: Launch = {
		command: "/py",
		args: ["-m", "vademecum", "serve", "--stdio"],
		origin: "setting interpreter",
	};
	const serverOf = (started: Launch) => ({
		state: { kind: "running", launch: started, version: "1.0" } as const,
		onDidChangeState: () => ({ dispose() {} }),
	});

	it("is started by the program of the window's own server, for the open folders", () => {
		expect(mcpCommand(launch, ["/a", "/b"])).toEqual(["/py", "-m", "vademecum", "mcp", "-C", "/a", "-C", "/b"]);
		const program: Launch = { command: "/bin/vademecum", args: ["serve", "--stdio", "--x"], origin: "PATH" };
		expect(mcpCommand(program, [])).toEqual(["/bin/vademecum", "mcp"]);
	});

	it("is offered only where the user's setting says so", () => {
		desk.folders = [{ uri: Uri.file("/work") }];
		const servers = new McpServers({ server: serverOf(launch), wheels: "", log });
		expect(servers.provideMcpServerDefinitions()).toEqual([]);
		desk.configuration = { "vademecum.mcpServer": { global: true } };
		expect(servers.provideMcpServerDefinitions()).toMatchObject([
			{ label: "Vademecum", command: "/py", args: ["-m", "vademecum", "mcp", "-C", "/work"] },
		]);
		servers.dispose();
	});

	it("has another version when another program runs or other folders are open, and the editor is told", () => {
		desk.configuration = { "vademecum.mcpServer": { global: true } };
		const changed = new EventEmitter<State>();
		const server = { state: serverOf(launch).state as State, onDidChangeState: changed.event };
		const enter = (state: State) => {
			server.state = state;
			changed.fire(state);
		};
		const servers = new McpServers({ server, wheels: "", log });
		const offers: unknown[] = [];
		const offered = () => servers.provideMcpServerDefinitions()[0];
		servers.onDidChangeMcpServerDefinitions(() => offers.push(offered()?.version));
		const before = offered()?.version;
		expect(before).toMatch(/^1\.0\+[0-9a-f]{8}$/);

		// What is offered stays while the server is replaced; otherwise the editor would end what agents are using.
		enter({ kind: "starting" });
		expect(offered()).toMatchObject({ command: "/py", version: before });
		enter({ kind: "running", launch, version: "1.0" });
		expect(offers).toEqual([before]);

		const other = { ...launch, command: "/environment-2/bin/python" };
		enter({ kind: "running", launch: other, version: "1.0" });
		expect(offered()?.command).toBe(other.command);
		desk.folders = [{ uri: Uri.file("/work") }];
		expect(new Set([...offers, offered()?.version]).size).toBe(3);
		enter({ kind: "failed", problem: new Error("gone") });
		expect(offered()).toBeUndefined();
		servers.dispose();
	});

	it("has what it needs installed into the private environment alone, and does not start without", async () => {
		const asked: unknown[] = [];
		let outcome: { kind: "installed" } | { kind: "failed"; reason: string } = { kind: "installed" };
		const install = (async ({ extras }: { extras: unknown }) => {
			asked.push(extras);
			return outcome;
		}) as never;
		const definition = { label: "Vademecum", command: "/py" } as never;
		const own = new McpServers({ server: serverOf(launch), wheels: "", log, install });
		expect(await own.resolveMcpServerDefinition(definition)).toBe(definition);
		expect(asked).toEqual([]);
		const server = serverOf({ ...launch, origin: "private environment" });
		const servers = new McpServers({ server, wheels: "", log, install });
		expect(await servers.resolveMcpServerDefinition(definition)).toBe(definition);
		outcome = { kind: "failed", reason: "no network" };
		expect(await servers.resolveMcpServerDefinition(definition)).toBeUndefined();
		expect(asked).toEqual([["mcp"], ["mcp"]]);
		expect(desk.messages).toEqual(["The MCP server cannot be started: no network."]);
	});

	it("is not offered where the editor takes none", () => {
		expect(registerMcpServers({ server: serverOf(launch), wheels: "", log })).toEqual([]);
	});
});
