/** The Search view's page before its script has drawn anything. */
import { randomBytes } from "node:crypto";

export interface PageParts {
	/** Addresses that the page may load from. */
	readonly script: string;
	readonly style: string;
	/** The editor's own source for such addresses, in the policy's words. */
	readonly source: string;
}

/** Nothing but the extension's own script and style may run or be loaded, and nothing is ever sent anywhere. */
export function pageOf({ script, style, source }: PageParts): string {
	const nonce = randomBytes(16).toString("base64");
	const policy = `default-src 'none'; style-src ${source}; script-src 'nonce-${nonce}'`;
	return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${style}">
<title>Search</title>
</head>
<body>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>`;
}
