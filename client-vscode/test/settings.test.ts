import { beforeEach, describe, expect, it } from "vitest";
import { contributedKeys, launchSettings, modelSettings, serverSettings } from "../src/settings";
import { desk } from "./vscode";

beforeEach(() => desk.reset());

describe("settings for the server", () => {
	it("are those that somebody set, and none that only this client reads", () => {
		desk.configuration = {
			"vademecum.memory.enabled": { default: true },
			"vademecum.memory.promptEntries": { default: 32, global: 8 },
			"vademecum.search.enabled": { default: true, global: true, workspace: false },
			"vademecum.server.path": { default: "", global: "/opt/vademecum" },
		};
		expect(serverSettings(Object.keys(desk.configuration), new Set())).toEqual({
			memory: { promptEntries: 8 },
			search: { enabled: false },
		});
	});

	it("are told again when they are taken back", () => {
		const told = new Set<string>();
		desk.configuration = { "vademecum.memory.enabled": { default: true, global: false } };
		expect(serverSettings(["vademecum.memory.enabled"], told)).toEqual({ memory: { enabled: false } });
		desk.configuration = { "vademecum.memory.enabled": { default: true } };
		expect(serverSettings(["vademecum.memory.enabled"], told)).toEqual({ memory: { enabled: true } });
		expect(serverSettings(["vademecum.memory.enabled"], new Set())).toEqual({});
	});

	it("are named in the manifest", () => {
		const group = (name: string) => ({ properties: { [name]: {} } });
		expect(contributedKeys({ contributes: { configuration: [group("a.b.c"), group("d.e.f")] } })).toEqual([
			"a.b.c",
			"d.e.f",
		]);
		expect(contributedKeys({})).toEqual([]);
	});

	it("leave the launch to the client", () => {
		desk.configuration = { "vademecum.server.path": { global: "  /opt/vademecum " } };
		expect(launchSettings()).toEqual({ path: "/opt/vademecum", interpreter: "", python: "", arguments: [] });
	});

	it("name the models, which are installed unasked unless somebody says otherwise", () => {
		expect(modelSettings()).toEqual({ inBackground: true, extras: ["vectors"] });
		desk.configuration = { "vademecum.server.models": { global: "never" } };
		expect(modelSettings()).toEqual({ inBackground: false, extras: ["vectors"] });
		desk.configuration = { "vademecum.search.model": { global: "none" } };
		expect(modelSettings().inBackground).toBe(false);
		desk.configuration = { "vademecum.search.model": { global: "multilingual" } };
		expect(modelSettings()).toEqual({ inBackground: true, extras: ["vectors", "multilingual"] });
	});
});
