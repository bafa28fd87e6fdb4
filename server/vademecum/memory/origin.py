"""The address of a remote in one normal form, so that every way of writing it names one project."""

import os
import re
from pathlib import Path
from urllib.parse import unquote

_SCHEME = re.compile(r"^(?:git\+)?([a-z][a-z0-9.-]*)(?:\+git|\+ssh)?://(.*)$", re.IGNORECASE | re.DOTALL)
_DRIVE = re.compile(r"^[A-Za-z]:[\\/]")
#: `user@host:path` or `host:path`; a slash before the colon makes it a local path, as git itself decides.
_SCP = re.compile(r"^(?:[^/@:]+@)?(\[[^\]]+\]|[^/:@]+):(.*)$", re.DOTALL)
_PORT = re.compile(r":(\d*)$")

#: Ports that say nothing, by scheme.
_DEFAULT_PORTS = {"ssh": "22", "https": "443", "http": "80", "git": "9418"}

#: Hosts that serve ssh on the https port, for people behind firewalls, and whom they stand for (the forges' manuals).
_SSH_OVER_HTTPS = {
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
}


def normalise_origin(address: str, folder: Path) -> str | None:
    """Return `host/path` (or `file:/path` for a local remote): the same for https, ssh and scp forms.

    Credentials, default ports, the case of the host, `.git` and slashes at the end are dropped; the case of the path
    stays, since hosts may tell it apart.

    :param folder: the repository, which a relative local address is relative to.
    :return: None when there is nothing in it.
    """
    address = address.strip()
    if not address or "\0" in address:
        return None
    if not _DRIVE.match(address):
        if found := _SCHEME.match(address):
            return _from_url(found[1].lower(), found[2], folder)
        if (found := _SCP.match(address)) and not address.startswith((".", "/")):
            return _join(found[1].lower(), "", found[2])
    return _local(address, folder)


def _from_url(scheme: str, rest: str, folder: Path) -> str | None:
    if scheme == "file":
        return _local(unquote(rest.removeprefix("localhost")), folder)
    authority, _, path = rest.partition("/")
    host = authority.rpartition("@")[2].lower()
    port = ""
    if found := _PORT.search(host):
        host = host[: found.start()]
        port = "" if found[1] == _DEFAULT_PORTS.get(scheme) else found[1]
    if scheme == "ssh" and host in _SSH_OVER_HTTPS and port == "443":
        port = ""
    return _join(host, port, unquote(path))


def _join(host: str, port: str, path: str) -> str | None:
    host = _SSH_OVER_HTTPS.get(host, host).rstrip(".")
    parts = [part for part in path.split("/") if part]
    if parts:
        parts[-1] = parts[-1].removesuffix(".git") or parts[-1]
    if not host or not parts:
        return None
    return f"{host}{':' + port if port else ''}/{'/'.join(parts)}"


def _local(path: str, folder: Path) -> str | None:
    if "\0" in path:
        return None
    real = os.path.realpath(folder / path)
    return f"file:{real.removesuffix('/.git').removesuffix('.git').rstrip('/')}"
