/** Shows that the server is being installed: nothing at all when it already is. */
import { ProgressLocation, window } from "../vscodeapi";
import { CannotStart } from "./problem";

/**
 * Runs `work`; its first step opens a notification, which is gone when the work is done, and has a button that stops it.
 *
 * @param report also told of each step.
 * @param closing stops it, too. Throws CannotStart when the user did.
 */
export async function installProgress<T>(
	report: (doing: string) => void,
	closing: AbortSignal,
	work: (step: (message: string) => void, signal: AbortSignal) => Promise<T>,
): Promise<T> {
	const stopped = new AbortController();
	let show: ((message: string) => void) | undefined;
	let close: () => void = () => undefined;
	const step = (message: string) => {
		report(message);
		if (show) {
			show(message);
			return;
		}
		show = () => undefined;
		const options = { location: ProgressLocation.Notification, title: "Vademecum", cancellable: true };
		void window.withProgress(options, (progress, token) => {
			token.onCancellationRequested(() => stopped.abort());
			show = (next) => progress.report({ message: next });
			show(message);
			return new Promise<void>((resolve) => {
				close = resolve;
			});
		});
	};
	try {
		return await work(step, AbortSignal.any([closing, stopped.signal]));
	} catch (error) {
		if (stopped.signal.aborted && !closing.aborted) {
			throw new CannotStart("The installation of the server was stopped.", "retry");
		}
		throw error;
	} finally {
		close();
	}
}
