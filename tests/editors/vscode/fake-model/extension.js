// A language model for tests. In the folder $SCRIPTED_MODEL_DIR:
//   script.json     an array of replies, the next one first; each is an array of parts,
//                   {"text": "…"} or {"tool": "name", "input": {…}}; with {"told": "…", "otherwise": "…"} the text
//                   is said only if that stands in what it was sent, and else the other
//   requests.jsonl  one line for each request: {"messages": [{role, parts}], "tools": [names]}
//   settings.json   what the command *Scripted: Apply Settings* sets for the user, by full name; null takes it back
//   models.json     ids of the models that the editor knows of this vendor, once it has looked for them
//   folders.json    URIs of the folders that the command *Scripted: Open Folders* has open
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");

const folder = process.env.SCRIPTED_MODEL_DIR;

const MODEL = {
	id: "scripted-1",
	name: "Scripted",
	family: "scripted",
	version: "1",
	maxInputTokens: 100_000,
	maxOutputTokens: 10_000,
	// Not in the stable API; without it the model is not offered in the picker of some versions.
	isUserSelectable: true,
	capabilities: { toolCalling: true },
};

function plain(part) {
	if (part instanceof vscode.LanguageModelTextPart) {
		return { text: part.value };
	}
	if (part instanceof vscode.LanguageModelToolCallPart) {
		return { tool: part.name, input: part.input, callId: part.callId };
	}
	if (part instanceof vscode.LanguageModelToolResultPart) {
		return { callId: part.callId, result: part.content.map(plain) };
	}
	return { other: typeof part };
}

function nextReply() {
	const file = path.join(folder, "script.json");
	const script = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : [];
	const reply = script.shift() ?? [{ text: "(The script is at its end.)" }];
	fs.writeFileSync(file, JSON.stringify(script));
	return reply;
}

let calls = 0;

const provider = {
	provideLanguageModelChatInformation: () => [MODEL],
	provideTokenCount: async (_model, text) => Math.ceil(JSON.stringify(text).length / 4),
	async provideLanguageModelChatResponse(_model, messages, options, progress) {
		const request = {
			messages: messages.map(({ role, content }) => ({
				role: role === vscode.LanguageModelChatMessageRole.User ? "user" : "assistant",
				parts: [...content].map(plain),
			})),
			tools: (options.tools ?? []).map(({ name }) => name),
		};
		fs.appendFileSync(path.join(folder, "requests.jsonl"), `${JSON.stringify(request)}\n`);
		const sent = request.messages.flatMap(({ parts }) => parts.map((part) => JSON.stringify(part))).join("\n");
		for (const part of nextReply()) {
			const text = part.told && !sent.includes(part.told) ? part.otherwise : part.text;
			progress.report(
				part.tool
					? new vscode.LanguageModelToolCallPart(`call-${++calls}`, part.tool, part.input)
					: new vscode.LanguageModelTextPart(text),
			);
		}
	},
};

async function applySettings() {
	const settings = JSON.parse(fs.readFileSync(path.join(folder, "settings.json"), "utf8"));
	for (const [name, value] of Object.entries(settings)) {
		const target = vscode.ConfigurationTarget.Global;
		await vscode.workspace.getConfiguration().update(name, value ?? undefined, target);
	}
}

// Folders that lie on no disk, as those of a repository that is looked at on its host.
const refuse = () => {
	throw vscode.FileSystemError.NoPermissions();
};
const onNoDisk = {
	createDirectory: refuse,
	writeFile: refuse,
	delete: refuse,
	rename: refuse,
	onDidChangeFile: () => ({ dispose() {} }),
	watch: () => ({ dispose() {} }),
	stat: ({ path: place }) => ({
		type: place === "/" ? vscode.FileType.Directory : vscode.FileType.File,
		ctime: 0,
		mtime: 0,
		size: 0,
	}),
	readDirectory: () => [["nowhere.md", vscode.FileType.File]],
	readFile: () => new Uint8Array(),
};

function openFolders() {
	const folders = JSON.parse(fs.readFileSync(path.join(folder, "folders.json"), "utf8"));
	const open = vscode.workspace.workspaceFolders?.length ?? 0;
	vscode.workspace.updateWorkspaceFolders(0, open, ...folders.map((each) => ({ uri: vscode.Uri.parse(each) })));
}

exports.activate = (context) => {
	context.subscriptions.push(vscode.commands.registerCommand("scripted.applySettings", applySettings));
	context.subscriptions.push(vscode.workspace.registerFileSystemProvider("nowhere", onNoDisk, { isReadonly: true }));
	context.subscriptions.push(vscode.commands.registerCommand("scripted.openFolders", openFolders));
	context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider("scripted", provider));
	// Nothing else in an offline window makes the editor look for models before the first message needs one.
	const ask = async () => {
		const known = await vscode.lm.selectChatModels({ vendor: "scripted" });
		fs.writeFileSync(path.join(folder, "models.json"), JSON.stringify(known.map(({ id }) => id)));
	};
	context.subscriptions.push(vscode.workspace.onDidGrantWorkspaceTrust(() => void ask()));
	void ask();
};
