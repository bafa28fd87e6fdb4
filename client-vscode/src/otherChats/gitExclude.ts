/** Keeps a file out of git by the repository's own `info/exclude`, which is nobody else's and is never committed. */
import { execFile } from "node:child_process";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const GIT_MILLISECONDS = 10_000;
const COMMENT = "# Vademecum: what is remembered, for other chats";

/**
 * Excludes a file, or takes that back. Nothing happens outside of a repository, and where there is no git.
 *
 * @param file below `folder`, with `/`.
 */
export async function exclude(folder: string, file: string, isExcluded: boolean): Promise<void> {
	const repository = await repositoryOf(folder);
	if (!repository) {
		return;
	}
	const path = join(repository.excludes);
	const before = await readFile(path, "utf8").catch(() => "");
	const after = edited(before, `/${repository.prefix}${file}`, isExcluded);
	if (after === before) {
		return;
	}
	await mkdir(dirname(path), { recursive: true });
	await writeFile(`${path}.vademecum`, after);
	await rename(`${path}.vademecum`, path);
}

/** The text with the line, or without it; all else stays as it is. */
export function edited(text: string, line: string, isThere: boolean): string {
	const lines = text.split("\n");
	const rest = lines.filter((each, at) => each !== line && !(each === COMMENT && lines[at + 1] === line)).join("\n");
	if (!isThere) {
		return rest;
	}
	const end = rest === "" || rest.endsWith("\n") ? "" : "\n";
	return lines.includes(line) ? text : `${rest}${end}${COMMENT}\n${line}\n`;
}

async function repositoryOf(folder: string): Promise<{ excludes: string; prefix: string } | undefined> {
	try {
		const options = { cwd: folder, timeout: GIT_MILLISECONDS, windowsHide: true };
		const { stdout } = await promisify(execFile)(
			"git",
			["rev-parse", "--path-format=absolute", "--git-path", "info/exclude", "--show-prefix"],
			options,
		);
		const [excludes = "", prefix = ""] = stdout.split("\n");
		return excludes ? { excludes, prefix } : undefined;
	} catch {
		return undefined;
	}
}
