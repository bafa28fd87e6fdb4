"""The model that the client lends: `model/complete`, sent to it when it announced that it answers.

One request at a time: a model costs its owner money, and a client that is slow must not be given a heap of them. Others
wait for their turn within their own time, but for those that can do without (`IMPATIENT`). Whatever comes back is a
stranger's text and is only bounded here; what it says is judged by whoever asked.
"""

import threading
import time
import uuid
from collections.abc import Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TooLate
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from vademecum.errors import ErrorKind, VademecumError
from vademecum.model import Lack, Message, Purpose, lacking
from vademecum.work import Cancel, Cancelled

if TYPE_CHECKING:
    from vademecum.lsp.server import VademecumServer

MODEL_COMPLETE = "model/complete"

#: An answer may hold this many characters for each token that was asked for; tokens of real text hold about four.
CHARACTERS_PER_TOKEN = 16
_POLL_SECONDS = 0.05

#: What is refused as `busy` at once, rather than wait for its turn: a chat waits for it and has another way. A capture
#: takes many seconds, and begins just when its user writes the next message.
IMPATIENT = frozenset({Purpose.RECALL})


def is_lent(capabilities: types.ClientCapabilities) -> bool:
    """Whether the client announced that it answers `model/complete` (`experimental.vademecum.model`)."""
    experimental = capabilities.experimental
    ours = experimental.get("vademecum") if isinstance(experimental, dict) else None
    return isinstance(ours, dict) and ours.get("model") is True


class LentModel:
    """Asks the client; a `vademecum.model.Complete`. Called on worker threads, never on the event loop's."""

    def __init__(self, server: "VademecumServer") -> None:
        self._server = server
        self._turn = threading.Lock()

    def __call__(self, purpose: Purpose, messages: Sequence[Message], max_tokens: int, cancel: Cancel) -> str:
        """Return the client's answer; see `Complete` for what is raised."""
        seconds = self._server.workspaces.settings.model.timeout_seconds
        end = time.monotonic() + seconds
        while not self._turn.acquire(timeout=_POLL_SECONDS):
            cancel.check()
            if purpose in IMPATIENT or time.monotonic() > end:
                raise VademecumError(ErrorKind.BUSY, "The lent language model is still answering; try again later.")
        try:
            cancel.check()
            return _text(self._ask(purpose, messages, max_tokens, cancel, end), max_tokens)
        finally:
            self._turn.release()

    def _ask(
        self, purpose: Purpose, messages: Sequence[Message], max_tokens: int, cancel: Cancel, end: float
    ) -> object:
        params = {
            "purpose": purpose.value,
            "messages": [{"role": message.role.value, "text": message.text} for message in messages],
            "maxTokens": max_tokens,
        }
        msg_id = f"model-{uuid.uuid4()}"
        answer: Future[Any] = Future()
        self._server.on_loop(self._send, msg_id, params, answer)
        while True:
            try:
                return answer.result(_POLL_SECONDS)
            except TooLate:
                if cancel.is_set:
                    self._server.on_loop(self._give_up, msg_id)
                    raise Cancelled from None
                if time.monotonic() > end:
                    self._server.on_loop(self._give_up, msg_id)
                    raise lacking(Lack.NO_ANSWER, "The lent language model did not answer in time.") from None
            except VademecumError:
                raise
            except Exception as error:
                # The client's words may hold anything, so they go no further.
                raise _refused(error) from None

    def _send(self, msg_id: str, params: dict[str, Any], answer: "Future[Any]") -> None:
        def hand_on(done: "Future[Any]") -> None:
            if not answer.done():
                error = done.exception()
                if error is not None:
                    answer.set_exception(error)
                else:
                    answer.set_result(done.result())

        self._server.protocol.send_request(MODEL_COMPLETE, params, msg_id=msg_id).add_done_callback(hand_on)

    def _give_up(self, msg_id: str) -> None:
        """Tell the client that nobody waits any more; should it answer all the same, the answer is dropped."""
        protocol = self._server.protocol
        protocol._request_futures.pop(msg_id, None)
        protocol._result_types.pop(msg_id, None)
        protocol.notify(types.CANCEL_REQUEST, types.CancelParams(msg_id))


def _refused(error: Exception) -> VademecumError:
    data = getattr(error, "data", None)
    kind = data.get("kind") if isinstance(data, dict) else None
    code = getattr(error, "code", None)
    if kind == ErrorKind.NO_MODEL.value or code == types.ErrorCodes.MethodNotFound:
        return lacking(Lack.NOT_LENT, "No language model is lent.")
    if kind == ErrorKind.BUSY.value:
        return VademecumError(ErrorKind.BUSY, "The lent language model is busy; try again later.")
    return lacking(Lack.NO_ANSWER, "The lent language model failed.")


def _text(answer: object, max_tokens: int) -> str:
    text = answer.get("text") if isinstance(answer, dict) else None
    if not isinstance(text, str):
        raise lacking(Lack.MALFORMED, "The client's answer to model/complete holds no text.")
    if len(text) > max_tokens * CHARACTERS_PER_TOKEN:
        raise lacking(Lack.MALFORMED, "The client's answer to model/complete is far longer than was asked for.")
    return text.encode("utf-8", "replace").decode("utf-8")  # JSON may hold halves of characters, which no file can
