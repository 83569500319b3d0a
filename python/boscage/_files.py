"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import stat
import threading
from typing import Any


def write_whole(path: Any, data: bytes) -> None:
    """Writes a file through a temporary one beside it; a failure leaves the file of before."""
    path = os.path.realpath(os.fsdecode(path))  # the file behind a link
    mode = os.stat(path).st_mode if os.path.exists(path) else None
    if mode is not None and not stat.S_ISREG(mode):  # a pipe or a device
        with open(path, "wb") as file:
            file.write(data)
        return
    temporary = f"{path}.{os.getpid()}.{threading.get_ident()}.tmp"  # threads may save to one path
    try:
        with open(temporary, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(temporary, stat.S_IMODE(mode))
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.remove(temporary)
        raise
