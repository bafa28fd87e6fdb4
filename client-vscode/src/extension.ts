/** Wires the parts together; nothing here waits for the server. */
import type { ExtensionContext, LanguageModelChatTool } from "vscode";
import { capture } from "./chat/capture";
import { MemoryBlocks } from "./chat/memoryBlock";
import { registerRestore } from "./chat/memoryDeletion";
import { registerImport } from "./chat/memoryTransfer";
import { type Answered, registerParticipant } from "./chat/participant";
import { registerEvidenceCommands } from "./commands/evidence";
import { registerMemoryCommands } from "./commands/memory";
import { registerPromptBlock } from "./commands/promptBlock";
import { registerSearchCommand } from "./commands/search";
import { showReferenceMarks } from "./evidenceMarks";
import { registerGettingStarted } from "./gettingStarted";
import { KnowledgeStore } from "./knowledge/store";
import { CurrentTask } from "./knowledge/task";
import { SeenDocuments, sourceIn } from "./knowledge/tool";
import { registerKnowledgeView } from "./knowledge/view";
import { lendingSetting, ModelLender } from "./lending";
import { createLog } from "./log";
import { HeadTyping } from "./memory/typing";
import { registerMemoryView } from "./memory/view";
import { registerMcpServers } from "./otherChats/mcp";
import { registerOtherChats } from "./otherChats/telling";
import { OfferedNames, toolsNamed } from "./otherNames";
import { errorMessage } from "./protocol";
import { Indexes } from "./search/indexes";
import { registerSearchView } from "./search/view";
import { SearchModels } from "./searchModels";
import type { Server } from "./server/server";
import { createServer, wheelsOf } from "./server/window";
import { launchSettings, modelSettings, SECTION } from "./settings";
import { showStatus } from "./status";
import { createTools, registerTools } from "./tools";
import { commands, Uri, workspace } from "./vscodeapi";

let server: Server | undefined;

export function activate(context: ExtensionContext): void {
	const log = createLog();
	const lender = new ModelLender(context.globalState, log);
	const heads = new HeadTyping();
	const [started, repairing] = createServer(context, log, lender, heads.complete);
	server = started;
	const { send } = started;
	const task = new CurrentTask(context.workspaceState);
	const documents = new KnowledgeStore(started, task, log);
	const seen = new SeenDocuments(started, task, log);
	const asked = { task: () => task.name, sourceOf: sourceIn(documents) };
	const own = createTools(send, asked.task, asked.sourceOf);
	const blocks = new MemoryBlocks(started, send);
	const indexes = new Indexes(started);
	const models = new SearchModels(started, { wheels: wheelsOf(context), log, settings: modelSettings });
	const chats = registerOtherChats({ server: started, kept: context.workspaceState, log });
	const forget = (session: string) => {
		send("evidence/forget", { session }).catch((error) => log.debug(`forgetting ${session}: ${errorMessage(error)}`));
	};
	const first = registerGettingStarted(started, context.extension.id);
	const answered = ({ session, model, turns }: Answered) => {
		first.answered();
		lender.used(model);
		if (session !== undefined && lendingSetting() !== "never") {
			void capture(send, log, session, turns);
		}
	};
	let launchedWith = JSON.stringify(launchSettings());
	const descriptions = toolDescriptions(context.extension.packageJSON);
	const otherNames = descriptions.map(({ name }) => name).filter((name) => !Object.hasOwn(own, name));
	const tools = { ...own, ...toolsNamed(otherNames, send, asked.task) };
	const offered = new OfferedNames(otherNames, started, log);
	const offers = (name: string) => offered.has(name);
	context.subscriptions.push(
		log,
		started,
		repairing,
		blocks,
		models,
		first,
		indexes,
		showStatus(started, indexes, models, log),
		registerParticipant(
			{ send, documents: asked, blocks, tools, offers, descriptions, log, seesDocuments: seen.look, forget, answered },
			Uri.joinPath(context.extensionUri, "images", "icon.png"),
		),
		registerRestore(send),
		registerImport(send),
		registerSearchCommand(send),
		...registerSearchView({
			send,
			indexes,
			kept: context.workspaceState,
			extensionUri: context.extensionUri,
			log,
		}),
		...registerTools(tools, send),
		offered,
		...registerMemoryCommands(send),
		...registerPromptBlock(started, () => chats.others.given),
		...chats.all,
		...registerMcpServers({ server: started, wheels: wheelsOf(context), log }),
		...registerEvidenceCommands(send, log),
		showReferenceMarks(started, log),
		heads,
		task,
		documents,
		seen,
		...registerMemoryView(started, log),
		...registerKnowledgeView({ send, store: documents, task, log }),
		commands.registerCommand("vademecum.installSearchModels", () => models.installNow()),
		commands.registerCommand("vademecum.restartServer", () => started.restart()),
		commands.registerCommand("vademecum.showLog", () => log.show()),
		workspace.onDidGrantWorkspaceTrust(() => started.restart()),
		workspace.onDidChangeConfiguration((change) => {
			if (
				change.affectsConfiguration(`${SECTION}.server.models`) ||
				change.affectsConfiguration(`${SECTION}.search.model`)
			) {
				void models.look();
			}
			// The editor also tells of changes that change nothing, such as settings that arrive late from a remote.
			const now = JSON.stringify(launchSettings());
			if (now !== launchedWith) {
				launchedWith = now;
				log.info("the settings that name the server changed");
				void started.restart();
			}
		}),
	);
	void started.start();
}

export function deactivate(): Promise<void> | undefined {
	return server?.stop();
}

/** The manifest's tools as a model is told of them. */
function toolDescriptions(manifest: {
	contributes: { languageModelTools: readonly { name: string; modelDescription: string; inputSchema: object }[] };
}): LanguageModelChatTool[] {
	return manifest.contributes.languageModelTools.map(({ name, modelDescription, inputSchema }) => ({
		name,
		description: modelDescription,
		inputSchema,
	}));
}
