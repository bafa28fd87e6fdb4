"""A drive that hangs, for real: a file system in user space (FUSE) that nobody answers for."""

import ctypes
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from vademecum.files import disks

_DETACH = 2  # MNT_DETACH of <sys/mount.h>


@contextmanager
def hung_mount(folder: Path) -> Iterator[Path]:
    """Mount it at `folder`; every look below waits until the end. Skips the test where this user may not mount."""
    if not sys.platform.startswith("linux"):
        pytest.skip("mounts of Linux")
    library = ctypes.CDLL(None, use_errno=True)
    folder.mkdir(exist_ok=True)
    target = os.fsencode(folder)
    try:
        device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        pytest.skip(f"no FUSE here: {error.strerror}")
    try:
        options = f"fd={device},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}"
        if library.mount(b"hung", target, b"fuse", 0, options.encode()) != 0:
            pytest.skip(f"this user may not mount: {os.strerror(ctypes.get_errno())}")
        disks._known = (-disks._MOUNTS_SECONDS, {})
        try:
            yield folder
        finally:
            library.umount2(target, _DETACH)
    finally:
        os.close(device)  # ends every look that waits
        disks._known = (time.monotonic() - disks._MOUNTS_SECONDS, {})
