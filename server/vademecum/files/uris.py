"""Paths as clients name them: `file:` URIs."""

import os
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from vademecum.errors import InvalidField

LONGEST_PATH = 32_767 if os.name == "nt" else 4_096
"""Bytes that a path may have in any call of the system: Windows' own bound, and `PATH_MAX` of Linux, which is the
largest elsewhere. What is longer names nothing, and would be taken apart folder by folder all the same.
"""


def path_of_uri(uri: str, field: str) -> Path:
    """The path that a `file:` URI (or an absolute path) names.

    :param field: the wire name of the field, for the error.
    :raises InvalidField: when it is neither.
    """
    if "://" not in uri and Path(uri).is_absolute():
        text = uri
    else:
        try:
            # Some clients leave `#` as it is, and no file has a fragment.
            parts = urlsplit(uri, allow_fragments=False)
        except ValueError:
            raise InvalidField(field, "must be a file: URI") from None
        if parts.scheme != "file":
            raise InvalidField(field, "must be a file: URI")
        text = unquote(parts.path, errors="surrogateescape")
        if parts.netloc not in ("", "localhost"):
            text = f"//{parts.netloc}{text}"
    if os.name == "nt":
        text = text.removeprefix("/") if re.match("/[A-Za-z]:", text) else text
    elif text.startswith("//"):
        raise InvalidField(field, "must be a file: URI of this machine")
    try:
        size = len(os.fsencode(text))
    except UnicodeEncodeError:
        raise InvalidField(field, "must be a file: URI; it holds half a character") from None
    if size > LONGEST_PATH:
        raise InvalidField(field, f"is longer than any path: it has {size:,} bytes")
    if "\0" in text or not Path(text).is_absolute():
        raise InvalidField(field, "must be a file: URI of an absolute path")
    return Path(os.path.normpath(text))
