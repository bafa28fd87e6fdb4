/** A list of what is found while somebody types, of which the last text alone counts. */
import type { CancellationToken, QuickInputButton, QuickPick, QuickPickItem } from "vscode";
import { errorMessage, isCancelled } from "./protocol";
import { CancellationTokenSource } from "./vscodeapi";

/** Typing rests this long before a query is sent, in milliseconds. */
const DEBOUNCE = 120;

/** An entry: something that was found, or a sentence where there is nothing. */
export interface Found<H> extends QuickPickItem {
	readonly hit?: H;
}

export interface Finding<H> {
	/** Asks for what the text finds. */
	readonly find: (text: string, token: CancellationToken) => Promise<readonly Found<H>[]>;
	/** Goes to one; the list is closed then. */
	readonly open: (hit: H) => void;
	/** A button of an entry was pressed. */
	readonly press: (hit: H, button: QuickInputButton) => void;
}

/** Shows the list; it is disposed of when it closes. */
export function findWhileTyping<H>(pick: QuickPick<Found<H>>, { find, open, press }: Finding<H>): void {
	let timer: NodeJS.Timeout | undefined;
	let running: CancellationTokenSource | undefined;

	const query = async (text: string) => {
		const mine = new CancellationTokenSource();
		running = mine;
		pick.busy = true;
		try {
			const found = await find(text, mine.token);
			if (running === mine) {
				pick.items = found;
			}
		} catch (error) {
			if (running === mine && !isCancelled(error)) {
				pick.items = [saying(errorMessage(error))];
			}
		} finally {
			if (running === mine) {
				pick.busy = false;
			}
		}
	};
	const stop = () => {
		clearTimeout(timer);
		running?.cancel();
		running = undefined;
	};

	pick.onDidChangeValue((value) => {
		stop();
		const text = value.trim();
		if (text) {
			timer = setTimeout(() => void query(text), DEBOUNCE);
		} else {
			pick.busy = false;
			pick.items = [];
		}
	});
	pick.onDidAccept(() => {
		const hit = pick.selectedItems[0]?.hit;
		if (hit) {
			pick.hide();
			open(hit);
		}
	});
	pick.onDidTriggerItemButton(({ item, button }) => {
		if (item.hit) {
			press(item.hit, button);
		}
	});
	pick.onDidHide(() => {
		stop();
		pick.dispose();
	});
	pick.show();
}

/** A sentence in the place of entries. */
export function saying(text: string): QuickPickItem {
	return { label: text, alwaysShow: true };
}
