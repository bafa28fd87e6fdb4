"""Settings of chat histories; folded together by `vademecum.settings`, owned here."""

from attrs import field, frozen, validators


@frozen
class SessionSettings:
    """Whether and for how long chat histories are kept.

    A value that cannot be used raises ValueError naming the field.
    """

    history: bool = True
    """Whether clients may keep chat histories here; off with memory, too. `session/history/clear` always works."""

    history_days: int = field(default=30, validator=[validators.ge(1), validators.le(3_650)])
    """Days after which an entry of a chat history is removed."""

    history_entries: int = field(default=20_000, validator=[validators.ge(100), validators.le(1_000_000)])
    """Entries that the chat histories of one workspace hold together; the oldest go first."""
