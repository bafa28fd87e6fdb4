"""What a check finds."""

from enum import StrEnum

from attrs import frozen


class Level(StrEnum):
    """How well it is."""

    OK = "ok"
    WARN = "warn"
    """It works, but not as well as it could."""
    FAIL = "fail"
    """It does not work."""


@frozen
class Check:
    """One thing that was looked at."""

    level: Level
    subject: str
    message: str
    advice: str | None = None
    """What to do about it; always there where it is not well."""


def ok(subject: str, message: str) -> Check:
    """It is well."""
    return Check(Level.OK, subject, message)


def warn(subject: str, message: str, advice: str) -> Check:
    """It works, but something should be done."""
    return Check(Level.WARN, subject, message, advice)


def fail(subject: str, message: str, advice: str) -> Check:
    """It does not work until something is done."""
    return Check(Level.FAIL, subject, message, advice)
