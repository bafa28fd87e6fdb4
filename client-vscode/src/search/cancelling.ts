/** Requests that are cancelled the way the platform does it. */
import type { CancellationToken } from "vscode";

export function tokenOf(signal: AbortSignal): CancellationToken {
	return {
		get isCancellationRequested() {
			return signal.aborted;
		},
		onCancellationRequested(listener: (event: undefined) => unknown) {
			const fire = () => void listener(undefined);
			signal.addEventListener("abort", fire, { once: true });
			return { dispose: () => signal.removeEventListener("abort", fire) };
		},
	};
}
