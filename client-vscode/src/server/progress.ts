/** Shows that the server is being installed: nothing at all when it already is. */
import { ProgressLocation, window } from "../vscodeapi";

/**
 * Runs `work`; its first step opens a notification, which is gone when the work is done.
 *
 * @param report also told of each step.
 */
export async function installProgress<T>(
	report: (doing: string) => void,
	work: (step: (message: string) => void) => Promise<T>,
): Promise<T> {
	let show: ((message: string) => void) | undefined;
	let close: () => void = () => undefined;
	const step = (message: string) => {
		report(message);
		if (show) {
			show(message);
			return;
		}
		show = () => undefined;
		const options = { location: ProgressLocation.Notification, title: "Vademecum" };
		void window.withProgress(options, (progress) => {
			show = (next) => progress.report({ message: next });
			show(message);
			return new Promise<void>((resolve) => {
				close = resolve;
			});
		});
	};
	try {
		return await work(step);
	} finally {
		close();
	}
}
