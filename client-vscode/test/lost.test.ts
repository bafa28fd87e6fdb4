import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import {
	createMessageConnection,
	ResponseError,
	StreamMessageReader,
	StreamMessageWriter,
} from "vscode-languageserver-protocol/node";
import { isLost } from "../src/server/lost";

/** A connection to a server that answers nothing. */
function connected() {
	const from = new PassThrough();
	const connection = createMessageConnection(new StreamMessageReader(from), new StreamMessageWriter(new PassThrough()));
	connection.listen();
	return { connection, from };
}

const failing = (asked: Promise<unknown>) => asked.then(() => undefined).catch((error: unknown) => error);

describe("a server that went away", () => {
	it("is told from one that answers, whether it went before, while or after it was asked", async () => {
		const { connection } = connected();
		const pending = failing(connection.sendRequest("memory/status"));
		connection.dispose();
		expect(isLost(await pending)).toBe(true);
		expect(isLost(await failing(Promise.resolve().then(() => connection.sendRequest("memory/status"))))).toBe(true);

		const ended = connected();
		const closed = new Promise<void>((resolve) => void ended.connection.onClose(() => resolve()));
		ended.from.end();
		ended.from.destroy();
		await closed;
		expect(isLost(await failing(Promise.resolve().then(() => ended.connection.sendRequest("memory/status"))))).toBe(
			true,
		);

		expect(isLost(new ResponseError(-32803, "There is no memory with this id here."))).toBe(false);
		expect(isLost(undefined)).toBe(false);
	});
});
