/** *Rebuild Search Index*: for an index that is in doubt; otherwise it keeps itself current. */
import { counted } from "../knowledge/words";
import { errorMessage, isCancelled, type Send } from "../protocol";
import { ProgressLocation, window, workspace } from "../vscodeapi";

/** Makes the index of every open folder from nothing. Searches are answered meanwhile. */
export async function rebuildIndex(send: Send): Promise<void> {
	if ((workspace.workspaceFolders ?? []).length === 0) {
		void window.showInformationMessage("No folder is open, so there is no index to rebuild.");
		return;
	}
	const options = { location: ProgressLocation.Notification, title: "Rebuilding the search index", cancellable: true };
	try {
		const { files, seconds } = await window.withProgress(options, (_progress, token) =>
			send("search/reindex", { force: true }, token),
		);
		void window.showInformationMessage(
			`The search index was rebuilt: ${counted(files, "file", "files")} in ${seconds.toFixed(1)} s.`,
		);
	} catch (error) {
		if (!isCancelled(error)) {
			void window.showErrorMessage(`The search index was not rebuilt: ${errorMessage(error)}`);
		}
	}
}
