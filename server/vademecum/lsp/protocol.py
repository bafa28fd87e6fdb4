"""JSON-RPC as this server speaks it, on top of pygls: every request gets exactly one reply.

pygls lets a request go without an answer when its params cannot be read, when it has none, or when any object inside
them has a key named `jsonrpc`; it puts tracebacks into errors; it serves requests before `initialize` and is silent
after `shutdown`. All of that is mended in this one place. A message is read as a whole, judged here, and only then
turned into types. `_send_response` is the only way out, and it lets one reply through for each request.
"""

import asyncio
import contextvars
import json
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import cattrs
from attrs import frozen
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol

from vademecum.api.calls import Call, Method, Turn
from vademecum.api.dispatch import METHODS
from vademecum.api.errors import Code, Failure, FieldError, InvalidParams, failure
from vademecum.api.wire import structure, unstructure
from vademecum.lsp.commands import NAMES, params_of
from vademecum.lsp.editor.remembering import REMEMBER_SELECTION
from vademecum.lsp.progress import CallProgress
from vademecum.lsp.stdio import BadFrame
from vademecum.work import Cancel

if TYPE_CHECKING:
    from vademecum.lsp.server import VademecumServer

logger = logging.getLogger(__name__)

MessageId = str | int


@frozen
class _Running:
    turn: Turn
    token: types.ProgressToken | None


class VademecumProtocol(LanguageServerProtocol):
    """The protocol object of one connection; lives on the event loop's thread alone."""

    _server: "VademecumServer"

    def __init__(self, server: "VademecumServer", converter: cattrs.Converter) -> None:
        super().__init__(server, converter)
        self._open: set[MessageId] = set()
        self._running: dict[MessageId, _Running] = {}
        self._initialize_seen = False
        # What stands here is announced to the client; `_take_request` answers the commands before pygls would.
        self.fm.commands.update(dict.fromkeys(NAMES, self._execute_command))

    # In ------------------------------------------------------------------------------------------------------------

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Leave what JSON gave as it is: types are for whole messages, and any text may hold any JSON."""
        return data

    def handle_message(self, message: object) -> None:
        """Take one decoded message, or what could not be decoded, from the reader."""
        if isinstance(message, BadFrame):
            self._refuse(None, Code.PARSE_ERROR, str(message))
        elif not isinstance(message, dict):
            self._refuse(None, Code.INVALID_REQUEST, "A message must be one JSON object; LSP has no batches.")
        elif "method" not in message:
            self._take_response(message)
        elif "id" in message:
            self._take_request(message)
        else:
            self._take_notification(message)

    def _take_request(self, message: dict[str, Any]) -> None:
        msg_id, method = message["id"], message["method"]
        if isinstance(msg_id, bool) or not isinstance(msg_id, str | int):
            self._refuse(None, Code.INVALID_REQUEST, "The id of a request must be a string or an integer.")
            return
        if msg_id in self._open:
            logger.warning("A request came with the id of another that is still open; it is not served")
            self._refuse(None, Code.INVALID_REQUEST, "A request with this id is still open.")
            return
        self._open.add(msg_id)
        if message.get("jsonrpc") != self.VERSION:
            self._refuse(msg_id, Code.INVALID_REQUEST, 'jsonrpc must be "2.0".')
        elif not isinstance(method, str):
            self._refuse(msg_id, Code.INVALID_REQUEST, "method must be a string.")
        elif self._shutdown:
            self._refuse(msg_id, Code.INVALID_REQUEST, "The server is shutting down and takes no more requests.")
        elif method == types.INITIALIZE and self._initialize_seen:
            self._refuse(msg_id, Code.INVALID_REQUEST, "The server is initialized already.")
        elif method != types.INITIALIZE and not self._initialize_seen:
            self._refuse(msg_id, Code.SERVER_NOT_INITIALIZED, "Send initialize first.")
        elif method in METHODS:
            self._start(msg_id, METHODS[method], message.get("params"))
        elif method == types.WORKSPACE_EXECUTE_COMMAND:
            self._execute_command(msg_id, message.get("params"))
        elif method in self.fm.builtin_features or method in self.fm.features:
            self._standard_request(msg_id, method, message)
        else:
            self._refuse(msg_id, Code.METHOD_NOT_FOUND, f"Vademecum has no method {method[:100]!r}.")

    def _standard_request(self, msg_id: MessageId, method: str, message: dict[str, Any]) -> None:
        message.setdefault("params", None)
        try:
            typed = LanguageServerProtocol.structure_message(self, message)
        except JsonRpcException as error:
            self._send_failure(msg_id, failure(_standard_error(error)))
            return
        if method == types.INITIALIZE:
            self._initialize_seen = True
        contextvars.copy_context().run(self._handle_request, msg_id, method, typed.params)

    def _take_notification(self, message: dict[str, Any]) -> None:
        method = message["method"]
        if method == types.EXIT:
            self._server.stop("The client said exit", 0 if self._shutdown else 1)
            return
        if not self._initialize_seen or self._shutdown or not isinstance(method, str):
            return
        if method == types.CANCEL_REQUEST:
            params = message.get("params")
            self._cancel(params.get("id") if isinstance(params, dict) else None)
            return
        if method == types.WINDOW_WORK_DONE_PROGRESS_CANCEL:
            params = message.get("params")
            self._cancel_by_token(params.get("token") if isinstance(params, dict) else None)
            return
        if method not in self.fm.builtin_features and method not in self.fm.features:
            return
        message.setdefault("params", None)
        try:
            typed = LanguageServerProtocol.structure_message(self, message)
        except JsonRpcException:
            logger.warning("A %s notification could not be read and is ignored", method)
            return
        contextvars.copy_context().run(self._handle_notification, method, typed.params)

    def _take_response(self, message: dict[str, Any]) -> None:
        msg_id = message.get("id")
        if not isinstance(msg_id, str | int):
            return
        future = self._request_futures.pop(msg_id, None)
        if future is None or future.done():
            return
        result_type = self._result_types.pop(msg_id, None)
        error = message.get("error")
        if error is not None:
            code = error.get("code") if isinstance(error, dict) else None
            text = str(error.get("message", "")) if isinstance(error, dict) else ""
            data = error.get("data") if isinstance(error, dict) else None
            code = code if isinstance(code, int) else int(Code.INTERNAL_ERROR)
            future.set_exception(JsonRpcException(text, code, data))
            return
        if result_type is None:
            future.set_result(message.get("result"))
            return
        try:
            future.set_result(
                self._converter.structure({"jsonrpc": "2.0", "result": None, **message}, result_type).result
            )
        except Exception as problem:  # whatever a client answers, whoever asked must hear of it
            future.set_exception(problem)

    # Our own methods ----------------------------------------------------------------------------------------------

    def _execute_command(self, msg_id: MessageId, params: object) -> None:
        """Every method is a command too (`vademecum.memory.add`), for editors that can send no custom requests."""
        if not isinstance(params, dict) or not isinstance(params.get("command"), str):
            self._send_failure(msg_id, failure(InvalidParams([FieldError("command", "must be a string")])))
            return
        name = params["command"]
        method = self._server.commands.get(name)
        if method is None:
            problem = FieldError("command", f"{name[:100]!r} is not a command of Vademecum")
            self._send_failure(msg_id, failure(InvalidParams([problem])))
            return
        # What a code action does has no other sign than what the server shows.
        shown = self._server.editor.can.shows or name == REMEMBER_SELECTION
        try:
            given = params_of(method, params.get("arguments"))
        except InvalidParams as error:
            told = failure(error)
            self._send_failure(msg_id, told)
            if shown:
                self._server.showing.failed(told)
            return
        token = {key: params[key] for key in ("workDoneToken",) if key in params}
        self._start(msg_id, method, {**given, **token} if isinstance(given, dict) else given, shown)

    def _start(self, msg_id: MessageId, method: Method[Any, Any], params: object, shown: bool = False) -> None:
        token = params.get("workDoneToken") if isinstance(params, dict) else None
        if isinstance(token, bool) or not isinstance(token, str | int):
            token = None
        cancel = Cancel()
        turn = Turn(cancel, method.writes)
        progress = CallProgress(self._server, token, method.name)
        call = Call(self._server.workspaces, cancel, progress, self._server.encoding, turn.settle)
        running = self._running[msg_id] = _Running(turn, token)

        def work() -> tuple[Any, BaseException | None]:
            # Caught here, since a future cannot carry every exception (StopIteration), and then nobody would answer.
            try:
                turn.begin()
                return unstructure(method.run(call, structure(params, method.params))), None
            except BaseException as error:
                return None, error

        future = asyncio.get_running_loop().run_in_executor(self._server.pool_for(method), work)

        def done(finished: asyncio.Future[tuple[Any, BaseException | None]]) -> None:
            progress.end()
            result, error = finished.result()
            if self._running.get(msg_id) is not running:
                return  # answered when it was cancelled; by now the id may be another request's
            del self._running[msg_id]
            if error is not None:
                told = failure(error)
                if told.code is Code.INTERNAL_ERROR:
                    logger.error("%s failed", method.name, exc_info=error)
                self._send_failure(msg_id, told)
                if shown:
                    self._server.showing.failed(told)
            else:
                self._send_response(msg_id, result)
                if shown:
                    self._server.showing.result(method.name, result)

        future.add_done_callback(done)

    def _cancel(self, msg_id: object) -> None:
        if isinstance(msg_id, bool) or not isinstance(msg_id, str | int):
            return
        if (running := self._running.get(msg_id)) is not None:
            if running.turn.cancel():
                del self._running[msg_id]
                self._refuse(msg_id, Code.REQUEST_CANCELLED, "The request was cancelled.")
        elif msg_id in self._open:
            self._handle_cancel_notification(msg_id)

    def _cancel_by_token(self, token: object) -> None:
        for msg_id, running in list(self._running.items()):
            if running.token is not None and running.token == token:
                self._cancel(msg_id)

    # Out -----------------------------------------------------------------------------------------------------------

    def _refuse(self, msg_id: MessageId | None, code: Code, message: str) -> None:
        if msg_id is None:  # JSON-RPC 2.0: the reply to what has no readable id carries null
            self._send_body({"jsonrpc": self.VERSION, "id": None, "error": {"code": int(code), "message": message}})
        else:
            self._send_failure(msg_id, Failure(code, message))

    def _send_failure(self, msg_id: MessageId, told: Failure) -> None:
        self._send_response(msg_id, None, types.ResponseError(int(told.code), told.message, told.data))

    def _send_response(
        self, msg_id: MessageId, result: Any | None = None, error: types.ResponseError | None = None
    ) -> None:
        """Send the reply to a request, if it has not been sent."""
        if msg_id not in self._open:
            return
        self._open.discard(msg_id)
        reply: dict[str, Any] = {"jsonrpc": self.VERSION, "id": msg_id}
        if error is None:
            reply["result"] = result
        else:
            reply["error"] = {"code": error.code, "message": error.message}
            if isinstance(error.data, Mapping) and "traceback" not in error.data:
                reply["error"]["data"] = dict(error.data)
            elif error.code == Code.INTERNAL_ERROR:
                reply["error"]["message"] = "Vademecum failed in a way it should not. The log has the details."
        try:
            self._send_body(reply)
        except (TypeError, ValueError):
            logger.exception("A reply could not be written as JSON")
            told = failure(TypeError())
            body = {"code": int(told.code), "message": told.message}
            self._send_body({"jsonrpc": self.VERSION, "id": msg_id, "error": body})

    def _send_data(self, data: Any) -> None:
        """Send a notification or a request of ours; never logged, since it can hold what is remembered."""
        if data:
            self._send_body(data)

    def _send_body(self, data: Any) -> None:
        if self.writer is None:
            return
        body = json.dumps(data, default=self._serialize_message).encode(self.CHARSET)
        self.writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def _serialize_message(self, data: Any) -> Any:
        if isinstance(data, Mapping):
            return dict(data)
        if isinstance(data, str | int | float | bool | list | tuple | None):
            return data
        return super()._serialize_message(data)


def _standard_error(error: JsonRpcException) -> Exception:
    """What was wrong with the params of a standard request, field by field where that is known."""
    cause = error.__cause__
    if not isinstance(cause, Exception):
        return InvalidParams([FieldError("params", "cannot be read")])
    fields = []
    for text in cattrs.transform_error(cause):
        message, _, path = text.partition(" @ $")
        fields.append(FieldError(path.removeprefix(".").removeprefix("params").removeprefix(".") or "params", message))
    return InvalidParams(fields)
