"""What is answered to a line that is no message: the library drops it, and the agent would wait in vain."""

import json

import mcp.types as types

_NO_JSON = "This line is no JSON. A message is one JSON object on one line of UTF-8."
_NO_REQUEST = (
    'This is no request: it is one JSON object with "jsonrpc": "2.0", a method and, where there are any, params that '
    "are an object; its id is a text or a whole number. Batches are not served."
)


def refusal(line: str) -> types.JSONRPCError | None:
    """The error that answers a line from an agent; None when it is a message, or an answer that nobody waits for.

    By JSON-RPC: `Parse error` where it is no JSON and `Invalid Request` where it is no request, under the id that it
    has, or null where no usable one can be told. A request whose id can be no id is told, too: taken for a
    notification, it would never be answered.
    """
    try:
        message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        if not (isinstance(message, types.JSONRPCNotification) and '"id"' in line):
            return None
        said = json.loads(line)
        if "id" not in said:
            return None
    except ValueError:
        try:
            said = json.loads(line)
        except (ValueError, RecursionError):
            return _error(None, types.PARSE_ERROR, _NO_JSON)
    given = said if isinstance(said, dict) else {}
    if "method" not in given and ("result" in given or "error" in given):
        return None
    known = given.get("id")
    usable = known if isinstance(known, str) or (isinstance(known, int) and not isinstance(known, bool)) else None
    return _error(usable, types.INVALID_REQUEST, _NO_REQUEST)


def _error(known: str | int | None, code: int, message: str) -> types.JSONRPCError:
    return types.JSONRPCError(jsonrpc="2.0", id=known, error=types.ErrorData(code=code, message=message))
