import { describe, expect, it, vi } from "vitest";
import type { Launch } from "../src/server/launch";
import { type Connection, Server, ServerDown, type ServerParts, type State } from "../src/server/server";
import { EventEmitter } from "./vscode";

const LAUNCH: Launch = { command: "/bin/server", args: [], origin: "PATH" };

/** Servers that take a moment to start and stop, and tell when two of them are alive at once. */
function bench(over: Partial<ServerParts> = {}) {
	const seen = { alive: 0, most: 0, started: 0, complaints: [] as string[], states: [] as string[] };
	const losing: ((reason: string) => void)[] = [];
	const pause = () => new Promise((resolve) => setTimeout(resolve, 5));
	const handlers = new Map<string, (params: never) => void>();
	const parts: ServerParts = {
		resolve: async () => LAUNCH,
		connect: async (_launch, onLost): Promise<Connection> => {
			losing.push(onLost);
			return {
				async start() {
					seen.alive += 1;
					seen.started += 1;
					seen.most = Math.max(seen.most, seen.alive);
					await pause();
					return { version: "1" };
				},
				async stop() {
					await pause();
					seen.alive -= 1;
				},
				send: async (method: string) => ({ method, run: seen.started }) as never,
				on: (method, handler) => void handlers.set(method, handler as never),
			};
		},
		complain: (problem) => void seen.complaints.push(problem.message),
		...over,
	};
	const server = new Server(parts);
	server.onDidChangeState((state) => seen.states.push(state.kind));
	return { server, seen, losing, handlers };
}

async function until(server: Server, kind: State["kind"]) {
	await vi.waitFor(() => expect(server.state.kind).toBe(kind), { timeout: 5_000 });
}

describe("the server's life", () => {
	it("never has two servers, however often it is restarted, and does not restart for each asking", async () => {
		const { server, seen } = bench();
		await Promise.all([server.start(), server.restart(), server.restart()]);
		void server.restart();
		await server.restart();
		expect(seen.most).toBe(1);
		expect(seen.started).toBe(2);
		expect(server.state.kind).toBe("running");
		await server.stop();
		expect(seen.alive).toBe(0);
	});

	it("lets a request wait for a server that is starting", async () => {
		const { server } = bench();
		const asked = server.send("memory/status", {});
		void server.start();
		await expect(asked).rejects.toBeInstanceOf(ServerDown);
		await expect(server.send("memory/status", {})).resolves.toMatchObject({ method: "memory/status" });
		void server.restart();
		await expect(server.send("memory/status", {})).resolves.toMatchObject({ run: 2 });
	});

	it("lets what is underway be answered before it restarts", async () => {
		const order: string[] = [];
		let answer: (value: string) => void = () => undefined;
		const connect = async (): Promise<Connection> => ({
			start: async () => ({}),
			stop: async () => void order.push("stopped"),
			send: () => new Promise((resolve) => (answer = resolve as never)),
			on: () => undefined,
		});
		const { server } = bench({ connect });
		await server.start();
		const asked = server.send("memory/status", {}).then(() => order.push("answered"));
		const restarted = server.restart();
		setTimeout(() => answer("yes"), 20);
		await Promise.all([asked, restarted]);
		expect(order).toEqual(["answered", "stopped"]);
	});

	it("rejects a waiting request when it is cancelled", async () => {
		const { server } = bench({ resolve: () => new Promise(() => undefined) });
		void server.start();
		const cancel = new EventEmitter<void>();
		const token = { isCancellationRequested: false, onCancellationRequested: cancel.event };
		const asked = server.send("memory/status", {}, token as never);
		token.isCancellationRequested = true;
		cancel.fire();
		await expect(asked).rejects.toMatchObject({ name: "Canceled" });
	});

	it("says why there is none, and is there again after a restart", async () => {
		let broken = true;
		const resolve = async () => {
			if (broken) {
				throw new Error("no Python");
			}
			return LAUNCH;
		};
		const { server, seen } = bench({ resolve });
		await server.start();
		expect(seen.complaints).toEqual(["no Python"]);
		await expect(server.send("memory/status", {})).rejects.toThrow(/not running: no Python/);
		broken = false;
		await server.restart();
		await expect(server.send("memory/status", {})).resolves.toBeDefined();
	});

	it("starts a server again that ended by itself, and gives up on one that keeps ending", async () => {
		vi.useFakeTimers();
		try {
			const { server, seen, losing } = bench();
			const started = server.start();
			await vi.runAllTimersAsync();
			await started;
			for (let crash = 1; crash <= 5; crash++) {
				losing.at(-1)?.("it ended with code 1");
				await vi.runAllTimersAsync();
			}
			expect(seen.started).toBe(5);
			expect(seen.most).toBe(1);
			expect(seen.complaints).toEqual([expect.stringContaining("it ended with code 1")]);
			expect(server.state.kind).toBe("failed");
		} finally {
			vi.useRealTimers();
		}
	});

	it("does not take the end of a stopped server for a crash", async () => {
		const { server, seen, losing } = bench();
		await server.start();
		await server.restart();
		losing[0]?.("it ended with code 0");
		await server.stop();
		losing[1]?.("it ended with code 0");
		expect(seen.complaints).toEqual([]);
		expect(seen.started).toBe(2);
		expect(server.state.kind).toBe("stopped");
	});

	it("stops at once while it is still installing", async () => {
		const { server } = bench({
			resolve: (signal) =>
				new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted")))),
		});
		void server.start();
		await until(server, "starting");
		await server.stop();
		expect(server.state.kind).toBe("stopped");
		await server.restart();
		expect(server.state.kind).toBe("stopped");
	});

	it("hands on notifications across restarts, until nobody listens", async () => {
		const { server, handlers } = bench();
		const told: string[] = [];
		const listening = server.on("memory/didChange", ({ ids }) => told.push(...ids));
		await server.start();
		await server.restart();
		const notify = handlers.get("memory/didChange") as unknown as (params: object) => void;
		notify({ scope: "user", ids: ["a"] });
		listening.dispose();
		notify({ scope: "user", ids: ["b"] });
		expect(told).toEqual(["a"]);
	});
});
