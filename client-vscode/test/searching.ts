/** What the tests of search take for granted. */
import type { SearchStatus } from "../src/protocol";

/** An index that is complete. */
export const READY: SearchStatus = {
	state: "ready",
	files: 12,
	chunks: 40,
	pending: 0,
	watcher: { state: "watching" },
	model: { name: "minilm", state: "ready", embedded: 40, total: 40 },
};
