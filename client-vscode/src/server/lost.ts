/** What a request is answered with when its server went away. */
import { ConnectionErrors, ErrorCodes } from "vscode-languageserver-protocol/node";

/** The last two are from the moment in which the process is gone and nobody has noticed yet. */
const CODES: ReadonlySet<unknown> = new Set([
	ErrorCodes.PendingResponseRejected,
	ErrorCodes.ConnectionInactive,
	ConnectionErrors.Closed,
	ConnectionErrors.Disposed,
]);

/** Whether a request failed because its server is gone, rather than by an answer. */
export function isLost(error: unknown): boolean {
	return CODES.has((error as { code?: unknown } | undefined)?.code);
}
