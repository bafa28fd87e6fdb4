import { beforeEach, describe, expect, it, vi } from "vitest";
import { RETRY_MINUTES, SearchModels } from "../src/searchModels";
import type { Launch, Origin } from "../src/server/launch";
import type { Installed } from "../src/server/models";
import type { State } from "../src/server/server";
import { desk, EventEmitter } from "./vscode";

beforeEach(() => desk.reset());

/** A server whose state the test sets, and installations that end when the test says. */
function bench(kept: Installed = { kind: "absent" }, inBackground = true) {
	const changed = new EventEmitter<State>();
	const told = { restarts: 0, log: [] as string[], asked: [] as { again: boolean; extras: readonly string[] }[] };
	const endings: { resolve(installed: Installed): void; reject(error: Error): void }[] = [];
	const server = {
		state: { kind: "starting" } as State,
		onDidChangeState: changed.event,
		restart: async () => {
			told.restarts += 1;
		},
	};
	let found = kept;
	const line = (text: string) => void told.log.push(text);
	const models = new SearchModels(server, {
		wheels: "/wheels",
		log: { info: line, warn: line, error: line } as never,
		settings: () => ({ inBackground, extras: ["vectors"] }),
		modelsIn: async () => found,
		installModels: ({ extras }, again) => {
			told.asked.push({ again, extras });
			return new Promise((resolve, reject) => endings.push({ resolve, reject }));
		},
	});
	const enter = (state: State) => {
		server.state = state;
		changed.fire(state);
	};
	const run = (origin: Origin = "private environment") => {
		const launch: Launch = { command: "/env/bin/python", args: [], origin };
		enter({ kind: "running", launch });
	};
	const end = async (installed: Installed) => {
		found = installed.kind === "installed" ? installed : found;
		endings.shift()?.resolve(installed);
		await vi.waitFor(() => expect(models.state.kind).toBe(installed.kind));
	};
	const until = (kind: string) => vi.waitFor(() => expect(models.state.kind).toBe(kind));
	return { models, told, enter, run, end, until, endings };
}

describe("search models", () => {
	it("are installed once the private server runs, which is then restarted to take them", async () => {
		const { models, told, run, end, until, enter } = bench();
		expect(models.state.kind).toBe("unknown");
		expect(told.asked).toEqual([]);
		run();
		await until("installing");
		run();
		await end({ kind: "installed" });
		expect(told.restarts).toBe(1);
		enter({ kind: "starting" });
		run();
		await until("installed");
		expect(told.asked).toEqual([{ again: false, extras: ["vectors"] }]);
		expect(told.restarts).toBe(1);
		expect(desk.messages).toEqual([]);
	});

	it("are nobody's business in a server of the user's own, which is told how", async () => {
		for (const origin of ["setting path", "setting interpreter", "environment", "PATH"] as const) {
			const { models, told, run, until } = bench();
			run(origin);
			await until("elsewhere");
			desk.reset();
			await models.installNow();
			expect(told.asked).toEqual([]);
			expect(desk.messages).toEqual([expect.stringContaining('pip install "vademecum[vectors]"')]);
		}
	});

	it("that failed are told once, in the log, and tried again when somebody asks", async () => {
		const { models, told, run, end, until } = bench();
		run();
		await until("installing");
		await end({ kind: "failed", reason: "no build" });
		run();
		await until("failed");
		expect(told.asked).toHaveLength(1);
		expect(told.log.filter((line) => line.includes("no build"))).toHaveLength(1);
		expect(desk.messages).toEqual([]);
		const asking = models.installNow();
		await until("installing");
		await end({ kind: "installed" });
		await asking;
		expect(told.asked[1]).toEqual({ again: true, extras: ["vectors"] });
		expect(told.restarts).toBe(1);
		expect(desk.messages).toEqual(["The search models are installed."]);
	});

	it("that failed for want of a network are tried again after a while, unasked", async () => {
		vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
		try {
			const { models, told, run, end } = bench();
			run();
			await vi.waitFor(() => expect(models.state.kind).toBe("installing"));
			await end({ kind: "failed", reason: "the package index cannot be reached", passing: true });
			expect(told.log.join()).toContain("tried again in 15 minutes");
			expect(told.asked).toHaveLength(1);
			await vi.advanceTimersByTimeAsync(RETRY_MINUTES * 60_000);
			await vi.waitFor(() => expect(told.asked).toHaveLength(2));
			await end({ kind: "installed" });
			expect(told.restarts).toBe(1);
		} finally {
			vi.useRealTimers();
		}
	});

	it("that failed in an earlier window are left until somebody asks", async () => {
		const { told, run, until } = bench({ kind: "failed", reason: "no build" });
		run();
		await until("failed");
		expect(told.asked).toEqual([]);
	});

	it("are left to the command where the settings say so", async () => {
		const { models, told, run, end, until } = bench({ kind: "absent" }, false);
		run();
		await until("left");
		const asking = models.installNow();
		await until("installing");
		await end({ kind: "failed", reason: "no build" });
		await asking;
		expect(told.asked).toHaveLength(1);
		expect(desk.messages).toEqual(["The search models could not be installed: no build."]);
	});

	it("restart no other server than the one they were installed for", async () => {
		const { told, run, until, endings } = bench();
		run();
		await until("installing");
		run("PATH");
		endings[0]?.resolve({ kind: "installed" });
		await until("elsewhere");
		expect(told.restarts).toBe(0);
	});

	it("that cannot even be begun are a failure, and one that ends with the window is none", async () => {
		const first = bench();
		first.run();
		await first.until("installing");
		first.endings[0]?.reject(new Error("EACCES"));
		await first.until("failed");
		expect(first.told.log).toEqual([expect.stringContaining("EACCES")]);

		const second = bench();
		second.run();
		await second.until("installing");
		second.models.dispose();
		second.endings[0]?.reject(new Error("aborted"));
		await new Promise((resolve) => setImmediate(resolve));
		expect(second.told.log).toEqual([]);
	});
});
