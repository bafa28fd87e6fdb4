/** Which of the open folders a request means. */
import { window, workspace } from "./vscodeapi";

/**
 * The URI to send as `workspace`: that of the active editor's folder, else of the first. Undefined with one folder or
 * none, where there is nothing to choose.
 */
export function currentFolder(): string | undefined {
	const folders = workspace.workspaceFolders ?? [];
	if (folders.length < 2) {
		return undefined;
	}
	const active = window.activeTextEditor?.document.uri;
	const folder = (active && workspace.getWorkspaceFolder(active)) ?? folders[0];
	return folder?.uri.toString();
}

/** `{workspace}` for a request that writes, or nothing where there is no choice. */
export function inCurrentFolder(): { workspace?: string } {
	const folder = currentFolder();
	return folder === undefined ? {} : { workspace: folder };
}

export function hasFolder(): boolean {
	return (workspace.workspaceFolders ?? []).length > 0;
}
