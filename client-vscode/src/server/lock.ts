/** A lock between the windows of one user, which a window that died does not hold for ever. */
import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

const LOCK_POLL_MILLISECONDS = 500;

export interface Waiting {
	readonly signal: AbortSignal;
	/** A lock this old was left by a window that died. */
	readonly staleSeconds: number;
	/** Called now and then while another window has the lock. */
	readonly onWait: () => void;
}

/** Lets one window install while the others wait; the lock is a folder, whose making is one step everywhere. */
export async function underLock<T>(path: string, waiting: Waiting, work: () => Promise<T>): Promise<T> {
	for (;;) {
		waiting.signal.throwIfAborted();
		if (await take(path)) {
			break;
		}
		if (await isAbandoned(path, waiting.staleSeconds)) {
			await rm(path, { recursive: true, force: true });
			continue;
		}
		waiting.onWait();
		await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MILLISECONDS));
	}
	return holding(path, work);
}

/** Does the work unless another window has the lock. */
export async function ifUnlocked(path: string, work: () => Promise<void>): Promise<void> {
	if (await take(path)) {
		await holding(path, work);
	}
}

async function take(path: string): Promise<boolean> {
	try {
		await mkdir(path);
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "EEXIST") {
			return false;
		}
		throw error;
	}
}

async function holding<T>(path: string, work: () => Promise<T>): Promise<T> {
	try {
		await writeFile(join(path, "owner"), String(process.pid));
		return await work();
	} finally {
		await rm(path, { recursive: true, force: true });
	}
}

async function isAbandoned(path: string, staleSeconds: number): Promise<boolean> {
	try {
		const age = (Date.now() - (await stat(path)).mtimeMs) / 1_000;
		if (age > staleSeconds) {
			return true;
		}
		const pid = Number(await readFile(join(path, "owner"), "utf8"));
		return pid > 0 && !isAlive(pid);
	} catch {
		// Just taken and not signed yet, or just released: look again.
		return false;
	}
}

/** Whether there is a process of that number on this machine. */
export function isAlive(pid: number): boolean {
	if (!Number.isInteger(pid) || pid <= 0) {
		return false;
	}
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "EPERM";
	}
}
