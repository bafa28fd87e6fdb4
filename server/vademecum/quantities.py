"""Quantities in words."""


def counted(count: int, one: str, many: str | None = None) -> str:
    """`count` of something: `1 file`, `1,204 files`.

    :param many: what more or fewer than one are called, where it is not `one` with an `s`.
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def size(count: int) -> str:
    """Bytes in the largest decimal unit that leaves at least one: `1.4 MB`."""
    amount = float(count)
    for unit in ("bytes", "kB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1000
    raise AssertionError("unreachable")
