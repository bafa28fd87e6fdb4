/** How the view sends its requests about memories. */
import type { CancellationToken } from "vscode";
import type { Send } from "../protocol";
import type { MemoryRequests } from "./protocol";

/** As `Send`, with all that this view wants to know of memories. */
export type MemorySend = <M extends keyof MemoryRequests>(
	method: M,
	params: MemoryRequests[M][0],
	token?: CancellationToken,
) => Promise<MemoryRequests[M][1]>;

/** The same requests, by the fuller types. */
export function sendingMemories(send: Send): MemorySend {
	return send as unknown as MemorySend;
}
