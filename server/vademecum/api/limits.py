"""Bounds that several families of requests share."""

from vademecum.errors import InvalidField


def between(name: str, value: int, low: int, high: int) -> int:
    """`value`, when it lies between `low` and `high`, both included.

    :raises InvalidField: naming the field; a limit beyond its maximum is refused rather than cut, so that nobody
        takes a cut answer for the whole.
    """
    if not low <= value <= high:
        raise InvalidField(name, f"must be between {low:,} and {high:,}")
    return value
