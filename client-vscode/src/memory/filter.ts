/** *Filter Memories…*: a box that narrows the tree while one types; what is in it stays until it is emptied. */

import { errorMessage } from "../protocol";
import { window } from "../vscodeapi";
import type { MemoryParts } from "./actions";

/** Typing rests this long before the tree is narrowed, in milliseconds. */
const DEBOUNCE = 150;
/** The server's limit of a query, in characters. */
const QUERY_CHARACTERS = 1_000;

export function filterMemories({ store, log }: MemoryParts): void {
	const before = store.filter?.text ?? "";
	const box = window.createInputBox();
	box.title = "Filter Memories";
	box.placeholder = "Words of a title, a text or a keyword";
	box.prompt = "The view shows what fits while you type.";
	box.value = before;
	let timer: NodeJS.Timeout | undefined;
	let kept = false;
	const find = async (text: string) => {
		box.busy = true;
		try {
			await store.find([...text].slice(0, QUERY_CHARACTERS).join(""));
			box.validationMessage = undefined;
		} catch (error) {
			log.debug(`filter: ${errorMessage(error)}`);
			box.validationMessage = errorMessage(error);
		} finally {
			box.busy = false;
		}
	};
	box.onDidChangeValue((value) => {
		clearTimeout(timer);
		timer = setTimeout(() => void find(value), DEBOUNCE);
	});
	box.onDidAccept(() => {
		clearTimeout(timer);
		kept = true;
		void find(box.value).then(() => box.hide());
	});
	box.onDidHide(() => {
		clearTimeout(timer);
		box.dispose();
		if (!kept) {
			void store.find(before).catch((error) => log.debug(`filter: ${errorMessage(error)}`));
		}
	});
	void store.load();
	box.show();
}
