"""What it means for a user that an index cannot be written, told by the error that some layer below has raised."""

import errno


def reason(error: Exception) -> str:
    """Why, and what a person can do about it; a clause without a full stop."""
    if _is_full(error):
        return "the disk is full; free some space, and indexing goes on by itself"
    if _is_closed(error):
        return "the cache folder cannot be written; check its permissions"
    if isinstance(error, FileNotFoundError):
        return str(error)
    return f"indexing failed and will be tried again: {error}"


def is_of_the_disk(error: Exception) -> bool:
    """Whether it is for want of room or of permission, so that what is there already is none the worse."""
    return _is_full(error) or _is_closed(error)


def _is_full(error: Exception) -> bool:
    text = str(error).lower()
    return getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT) or "no space" in text or "is full" in text


def _is_closed(error: Exception) -> bool:
    text = str(error).lower()
    return isinstance(error, PermissionError | NotADirectoryError | FileExistsError) or any(
        words in text for words in ("permission denied", "readonly", "read-only")
    )
