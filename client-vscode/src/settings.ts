/** The `vademecum` section of the settings: what starts the server, and what is handed to it. */
import type { ConfigurationScope } from "vscode";
import type { Extra } from "./server/models";
import { workspace } from "./vscodeapi";

export const SECTION = "vademecum";

/** Settings that only this client reads; the server is not sent them. */
const OWN_GROUPS: ReadonlySet<string> = new Set(["server", "trace"]);

export interface LaunchSettings {
	readonly path: string;
	readonly interpreter: string;
	/** What the private environment is made with; empty to look for one. */
	readonly python: string;
	readonly arguments: readonly string[];
}

export function launchSettings(): LaunchSettings {
	const section = workspace.getConfiguration(`${SECTION}.server`);
	return {
		path: section.get<string>("path", "").trim(),
		interpreter: section.get<string>("interpreter", "").trim(),
		python: section.get<string>("python", "").trim(),
		arguments: section.get<string[]>("arguments", []),
	};
}

/** Which models the settings name, and whether they are to be installed unasked. */
export function modelSettings(): { readonly inBackground: boolean; readonly extras: readonly Extra[] } {
	const model = workspace.getConfiguration(`${SECTION}.search`).get<string>("model", "auto");
	const when = workspace.getConfiguration(`${SECTION}.server`).get<string>("models", "background");
	return {
		inBackground: when === "background" && model !== "none",
		extras: model === "multilingual" ? ["vectors", "multilingual"] : ["vectors"],
	};
}

/** Group → name → value. */
export type SettingsTree = Record<string, Record<string, unknown>>;

/**
 * The settings somebody has set, as a tree. Defaults are left out: they are the server's own, and sending them would
 * overrule the user's `config.toml`.
 *
 * @param keys full names of the contributed settings, such as `vademecum.memory.enabled`.
 * @param told names of settings that this server was told of before. They are told for as long as it runs, since one
 *   that is taken back must take effect too; those told now are added.
 */
export function serverSettings(keys: readonly string[], told: Set<string>, scope?: ConfigurationScope): SettingsTree {
	const configuration = workspace.getConfiguration(undefined, scope);
	const tree: SettingsTree = {};
	for (const key of keys) {
		const [section, group, name] = key.split(".");
		if (section !== SECTION || group === undefined || name === undefined || OWN_GROUPS.has(group)) {
			continue;
		}
		const found = configuration.inspect(key);
		const set = [
			found?.globalValue,
			found?.workspaceValue,
			found?.workspaceFolderValue,
			found?.globalLanguageValue,
			found?.workspaceLanguageValue,
			found?.workspaceFolderLanguageValue,
		];
		if (told.has(key) || set.some((value) => value !== undefined)) {
			told.add(key);
			tree[group] = { ...tree[group], [name]: configuration.get(key) };
		}
	}
	return tree;
}

/** The names of all settings that the manifest contributes. */
export function contributedKeys(manifest: { contributes?: { configuration?: unknown } }): string[] {
	const groups = [manifest.contributes?.configuration ?? []].flat() as { properties?: object }[];
	return groups.flatMap((group) => Object.keys(group.properties ?? {}));
}
