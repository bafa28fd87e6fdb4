"""Quantities in words."""


def size(count: int) -> str:
    """Bytes in the largest decimal unit that leaves at least one: `1.4 MB`."""
    amount = float(count)
    for unit in ("bytes", "kB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1000
    raise AssertionError("unreachable")
