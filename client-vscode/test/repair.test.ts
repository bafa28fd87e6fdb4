import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { complain } from "../src/server/complain";
import type { Launch } from "../src/server/launch";
import { CannotStart, type WayOut } from "../src/server/problem";
import { installProgress } from "../src/server/progress";
import { repairServer } from "../src/server/repair";
import { CancellationTokenSource, commands, desk, window } from "./vscode";

let source: CancellationTokenSource;

beforeEach(() => {
	desk.reset();
	source = new CancellationTokenSource();
	vi.spyOn(window, "withProgress").mockImplementation(((_options: unknown, task: (...given: unknown[]) => unknown) =>
		task({ report: ({ message }: { message: string }) => void desk.progress.push(message) }, source.token)) as never);
});
afterEach(() => vi.restoreAllMocks());

const PRIVATE: Launch = { command: "/storage/python", args: [], origin: "private environment" };

/** What is done, in order. */
function bench(launch: Launch | undefined, make: (signal: AbortSignal) => Promise<void> = async () => undefined) {
	const done: string[] = [];
	const repair = (named = "") =>
		repairServer({
			server: {
				state: { kind: "running", launch: PRIVATE, version: "0.2.0" },
				restart: async () => void done.push("restart"),
			},
			carried: "0.2.0",
			launch: () => launch,
			named: () => named,
			make: async (report, signal) => {
				report("making");
				done.push("make");
				await make(signal);
			},
			log: { error: () => undefined } as never,
		});
	return { done, repair };
}

describe("Upgrade or Repair Server Environment", () => {
	it("leaves a server alone that is the user's own, also one that does not start", async () => {
		const { done, repair } = bench({ ...PRIVATE, command: "/usr/bin/vademecum", origin: "PATH" });
		await repair();
		await bench(undefined).repair("/opt/python");
		expect(done).toEqual([]);
		expect(desk.messages[0]).toContain("your own (/usr/bin/vademecum)");
		expect(desk.messages[1]).toContain("your own (/opt/python)");
	});

	it("does nothing that was not agreed to", async () => {
		const { done, repair } = bench(PRIVATE);
		await repair();
		expect(done).toEqual([]);
	});

	it("makes the environment while the server works, and only then starts it anew", async () => {
		desk.answer = "Make a New One";
		const { done, repair } = bench(PRIVATE);
		await repair();
		expect(done).toEqual(["make", "restart"]);
		expect(desk.progress).toEqual(["making", "starting the server"]);
		expect(desk.messages.at(-1)).toContain("0.2.0 runs from a new environment");
	});

	it("changes nothing when it is cancelled or fails", async () => {
		desk.answer = "Make a New One";
		const cancelled = bench(PRIVATE, async (signal) => {
			source.cancel();
			signal.throwIfAborted();
		});
		await cancelled.repair();
		expect(cancelled.done).toEqual(["make"]);
		expect(desk.messages.at(-1)).toContain("Nothing was changed");
		source = new CancellationTokenSource();
		const failing = bench(undefined, async () => {
			throw new CannotStart("The disk is full.", "retry");
		});
		await failing.repair();
		expect(failing.done).toEqual(["make"]);
		expect(desk.messages.at(-1)).toBe("Vademecum: The disk is full. Nothing was changed.");
	});
});

describe("the first installation", () => {
	const closing = new AbortController();
	const untilStopped = (step: (message: string) => void, signal: AbortSignal) =>
		new Promise<never>((_, reject) => {
			signal.addEventListener("abort", () => reject(signal.reason));
			step("installing the server");
		});

	it("shows nothing when there is nothing to do", async () => {
		expect(
			await installProgress(
				() => undefined,
				closing.signal,
				async () => "there",
			),
		).toBe("there");
		expect(window.withProgress).not.toHaveBeenCalled();
	});

	it("can be stopped, and says so", async () => {
		const stopped = installProgress(() => undefined, closing.signal, untilStopped);
		source.cancel();
		await expect(stopped).rejects.toMatchObject({ wayOut: "retry", message: expect.stringContaining("was stopped") });
	});

	it("ends without a word when the window closes", async () => {
		const closed = installProgress(() => undefined, closing.signal, untilStopped);
		closing.abort();
		await expect(closed).rejects.toMatchObject({ name: "AbortError" });
	});
});

describe("a server that cannot be started", () => {
	const offered = async (wayOut: WayOut, answer?: string) => {
		const shown = vi.spyOn(window, "showErrorMessage").mockResolvedValue(answer);
		const run = vi.spyOn(commands, "executeCommand");
		const restart = vi.fn(async () => undefined);
		await complain(new CannotStart("It is not there.", wayOut), restart);
		expect(shown).toHaveBeenCalledTimes(1);
		return { buttons: (shown.mock.calls[0] as unknown as string[]).slice(1), restart, run };
	};

	it("comes with a way out for each kind of reason, and nothing is tried unless somebody says so", async () => {
		const always = ["Try Again", "Show Log"];
		for (const [wayOut, first] of [
			["installPython", ["Choose Python…", "How to Install"]],
			["openSettings", ["Open Settings"]],
			["repair", ["Repair…"]],
			["retry", []],
		] as const) {
			const { buttons, restart } = await offered(wayOut);
			expect(buttons).toEqual([...first, ...always]);
			expect(restart).not.toHaveBeenCalled();
			vi.restoreAllMocks();
		}
		const again = await offered("installPython", "Try Again");
		expect(again.restart).toHaveBeenCalledTimes(1);
		vi.restoreAllMocks();
		const repair = await offered("repair", "Repair…");
		expect(repair.run).toHaveBeenCalledWith("vademecum.repairServer");
	});
});
