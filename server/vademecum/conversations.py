"""What is kept for conversations: values for a while, and what was said. Each is built when it is first asked for.

What they are kept under, a folder's key or `''` where none is open, is the business of `workspaces`.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from vademecum.errors import VademecumError
from vademecum.settings import Settings

if TYPE_CHECKING:  # loaded when one is built, so that a server can answer `initialize` before
    from vademecum.session.cache import SessionCache
    from vademecum.session.history import ChatHistory
    from vademecum.session.settings import SessionSettings

logger = logging.getLogger(__name__)


class Conversations:
    """The values and the histories of all conversations. Safe for use from several threads.

    :param state: the folder that histories are kept in.
    :param settings: tells the settings as they are now.
    """

    def __init__(self, state: Path, settings: Callable[[], Settings]) -> None:
        self._state = state
        self._settings = settings
        self._lock = threading.Lock()
        self._cache: SessionCache | None = None
        self._chats: ChatHistory | None = None

    @property
    def cache(self) -> "SessionCache":
        """The values that conversations keep for a while."""
        with self._lock:
            if self._cache is None:
                from vademecum.session.cache import SessionCache

                self._cache = SessionCache()
            return self._cache

    @property
    def chats(self) -> "ChatHistory":
        """What was said in conversations, kept in the state directory."""
        with self._lock:
            if self._chats is None:
                from vademecum.session.history import ChatHistory

                self._chats = ChatHistory(self._state, self._session_settings)
            return self._chats

    def left(self, place: str) -> None:
        """Let go of the values of a folder that is not open any more; its histories stay."""
        with self._lock:
            cache = self._cache
        if cache is not None:
            cache.drop(place)

    def forget(self, places: Sequence[str]) -> None:
        """Remove every history and value of these places.

        :raises VademecumError: `storeUnreadable` or `busy`.
        """
        for place in places:
            self.cache.drop(place)
        self.chats.clear(places)

    def drop_old(self) -> None:
        """Remove the histories whose time is over."""
        try:
            self.chats.collect()
        except VademecumError as error:
            logger.warning("old chat histories could not be removed: %s", error.message)

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            chats = self._chats
        if chats is not None:
            chats.close()

    def _session_settings(self) -> "SessionSettings":
        settings = self._settings()
        return attrs.evolve(settings.session, history=settings.session.history and settings.memory.enabled)
