/** Why there is no server, for the person who can do something about it. */

/** What a user can do about a server that does not start. */
export type WayOut = "openSettings" | "installPython" | "repair" | "retry";

/** The server cannot be started; the message says why and what to do. */
export class CannotStart extends Error {
	constructor(
		message: string,
		readonly wayOut: WayOut,
		readonly setting?: string,
	) {
		super(message);
		this.name = "CannotStart";
	}
}
