/** Texts to look at, read-only, for as long as the window lives: prior versions, and what an import would bring. */
import type { Disposable, TextDocumentContentProvider, Uri as UriType } from "vscode";
import { brief } from "../brief";
import { Uri, workspace } from "../vscodeapi";

/** What there is, or would be. */
export const LOOK_SCHEME = "vademecum-look";
/** A prior version of a memory; the editor's title offers to restore it. */
export const VERSION_SCHEME = "vademecum-version";

/** Texts that can still be gone back to. */
const KEPT = 40;

/** Which version an editor shows. */
export interface ShownVersion {
	readonly id: string;
	readonly revision: string;
	readonly title: string;
	readonly workspace?: string;
}

export class ReadOnlyTexts implements Disposable {
	private readonly kept = new Map<string, string>();
	private number = 0;
	private readonly providers: Disposable[];

	constructor() {
		const provider: TextDocumentContentProvider = {
			provideTextDocumentContent: (uri) =>
				this.kept.get(keyOf(uri)) ?? "This text is not kept any more. Open it again from the Memory view.\n",
		};
		this.providers = [LOOK_SCHEME, VERSION_SCHEME].map((scheme) =>
			workspace.registerTextDocumentContentProvider(scheme, provider),
		);
	}

	/** The URI of a Markdown text; `version` says which version it is. */
	keep(name: string, text: string, version?: ShownVersion): UriType {
		this.number += 1;
		const title = brief(name.replace(/[\\/:*?"<>|#]+/g, "-")) || "Memory";
		const uri = Uri.from({
			scheme: version ? VERSION_SCHEME : LOOK_SCHEME,
			path: `/${this.number}/${title}.md`,
			query: version ? JSON.stringify(version) : "",
		});
		this.kept.set(keyOf(uri), text);
		for (const key of [...this.kept.keys()].slice(0, -KEPT)) {
			this.kept.delete(key);
		}
		return uri;
	}

	dispose(): void {
		for (const provider of this.providers) {
			provider.dispose();
		}
	}
}

function keyOf({ scheme, path }: UriType): string {
	return `${scheme}:${path}`;
}

/** What the URI of a version says of it; undefined where that is none of ours. */
export function versionShownBy(uri: Pick<UriType, "scheme" | "query"> | undefined): ShownVersion | undefined {
	if (uri?.scheme !== VERSION_SCHEME) {
		return undefined;
	}
	try {
		const shown = JSON.parse(uri.query) as Partial<ShownVersion>;
		const { id, revision, title, workspace: folder } = shown;
		if (typeof id !== "string" || typeof revision !== "string" || typeof title !== "string") {
			return undefined;
		}
		return { id, revision, title, ...(folder === undefined ? {} : { workspace: folder }) };
	} catch {
		return undefined;
	}
}
