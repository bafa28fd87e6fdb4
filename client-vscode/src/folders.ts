/** Which of the open folders a request means. */
import type { WorkspaceFolder } from "vscode";
import { window, workspace } from "./vscodeapi";

/** The project that something new is for, as it is when it is asked for: the editor in front may be another one later. */
export interface Project {
	/** To follow “in” and “for”; with several folders open, which of them it is. */
	readonly name: string;
	/** For a request that writes; empty where there is no choice. */
	readonly params: { readonly workspace?: string };
}

export function currentProject(): Project {
	const folder = folderInFront();
	return folder
		? { name: folder.name, params: { workspace: folder.uri.toString() } }
		: { name: "this project", params: {} };
}

/**
 * The URI to send as `workspace`: that of the active editor's folder, else of the first. Undefined with one folder or
 * none, where there is nothing to choose.
 */
export function currentFolder(): string | undefined {
	return folderInFront()?.uri.toString();
}

function folderInFront(): WorkspaceFolder | undefined {
	const folders = workspace.workspaceFolders ?? [];
	if (folders.length < 2) {
		return undefined;
	}
	const active = window.activeTextEditor?.document.uri;
	return (active && workspace.getWorkspaceFolder(active)) ?? folders[0];
}

/** `{workspace}` for a request that writes, or nothing where there is no choice. */
export function inCurrentFolder(): { workspace?: string } {
	const folder = currentFolder();
	return folder === undefined ? {} : { workspace: folder };
}

export function hasFolder(): boolean {
	return (workspace.workspaceFolders ?? []).length > 0;
}
