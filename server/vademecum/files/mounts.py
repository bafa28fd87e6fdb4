"""Linux: file systems whose changes the kernel does not see when another machine makes them."""

from pathlib import Path

_REMOTE = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre", "vboxsf", "prl_fs", "virtiofs"}
)
_LOCAL_FUSE = frozenset({"fuse.fuse-overlayfs", "fuse.encfs", "fuse.gocryptfs", "fuse.ntfs-3g"})
_MOUNTS = Path("/proc/self/mountinfo")


def remote_file_system(folder: Path, mounts: Path = _MOUNTS) -> str | None:
    """Return the type of the remote file system that `folder` (absolute) lies on; None when it is local or unknown.

    :param mounts: the kernel's table, as `proc(5)` describes it.
    """
    try:
        lines = mounts.read_text("utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    depth, kind = -1, ""
    for line in lines:
        fields, _, after = line.partition(" - ")
        words = fields.split(" ")
        if len(words) < 5 or not after:
            continue
        point = Path(_unescaped(words[4]))
        if (folder == point or point in folder.parents) and len(point.parts) >= depth:  # the last of equals is on top
            depth, kind = len(point.parts), after.split(" ")[0]
    remote = kind in _REMOTE or (kind.startswith("fuse.") and kind not in _LOCAL_FUSE)
    return kind if remote else None


def _unescaped(text: str) -> str:
    for code in ("040", "011", "012", "134"):
        text = text.replace(f"\\{code}", chr(int(code, 8)))
    return text
