"""Where calls run: the CPU or a CUDA device, with how many threads, on which stream."""

from __future__ import annotations

import os
from typing import Any, Callable, NamedTuple, Optional

from . import _core
from ._numbers import whole

MOST_THREADS = 4096  # of the library

Progress = Optional[Callable[[str, float], Any]]


class Place(NamedTuple):
    """A backend, and one of its devices."""

    backend: str
    device: int = 0

    def __str__(self) -> str:
        return self.backend if self.backend == "cpu" else f"{self.backend}:{self.device}"


CPU = Place("cpu")

_default = CPU
_threads = 0
_wheres: dict[tuple, _core.Where] = {}


def place(device: Any = None) -> Place:
    """The place named by a word: "cpu", "cuda", "cuda:1", "auto"; None: the one in use."""
    if device is None:
        return _default
    if isinstance(device, Place):
        return device
    if not isinstance(device, str):
        raise TypeError(f"device: a word such as 'cpu' or 'cuda:0' is needed, not {type(device).__name__}")
    name, _, number = device.partition(":")
    if name == "auto" and not number:
        return Place("cuda") if _core.device_count() > 0 else CPU
    if name not in ("cpu", "cuda") or (number and not number.isdecimal()) or (name == "cpu" and number):
        raise ValueError(f"device: {device!r} is not 'cpu', 'cuda', 'cuda:N' or 'auto'")
    return Place(name, int(number or 0))


class use:
    """Chooses where structures of NumPy arrays are made from now on.

    As a context manager it does so until the block ends.

    Parameters
    ----------
    device : str
        ``"cpu"`` (the default of the package), ``"cuda"``, ``"cuda:N"``, or ``"auto"``: a GPU where there is one.
    threads : int, optional
        Threads of the CPU; 0 means as many as OpenMP would use.

    Notes
    -----
    Arrays on a GPU stay there, whatever is in use. Structures stay where they were made.

    Examples
    --------
    >>> import boscage
    >>> with boscage.use("cpu", threads=1):
    ...     boscage.spatial.cKDTree([[0.0, 0.0], [3.0, 4.0]]).query([3.0, 3.0])
    (1.0, 1)
    """

    def __init__(self, device: str = "auto", threads: int = 0):
        global _default, _threads
        where = place(device)
        threads = whole(threads, "threads", "int32")
        if not 0 <= threads <= MOST_THREADS:
            raise ValueError(f"threads: {threads} is not in 0 to {MOST_THREADS}")
        if where.backend == "cuda":
            reason = _core.backend_reason("cuda")
            if reason:
                raise RuntimeError(f"cuda: {reason}")
        self._before = (_default, _threads)
        _default, _threads = where, threads

    def __enter__(self) -> "use":
        return self

    def __exit__(self, *exc: object) -> None:
        global _default, _threads
        _default, _threads = self._before

    def __repr__(self) -> str:
        return f"boscage.use({str(_default)!r}, threads={_threads})"


def threads_of(workers: Optional[int]) -> int:
    """Threads for scipy's workers and scikit-learn's n_jobs; None: those in use."""
    if workers is None:
        return _threads
    workers = whole(workers, "workers", "int32")
    if workers == -1:
        if os.cpu_count() is None:
            raise NotImplementedError("Cannot determine the number of CPUs")
        return 0
    if workers < 1:
        raise ValueError(f"workers: {workers} is neither -1 nor 1 or more")
    if workers > MOST_THREADS:
        raise ValueError(f"workers: {workers} is more than {MOST_THREADS}")
    return workers


def where(at: Place, stream: int = 0, workers: Optional[int] = None, progress: Progress = None) -> _core.Where:
    """The first argument of every call of the extension."""
    key = (at, stream, threads_of(workers))
    if progress is not None:
        return _core.Where(at.backend, at.device, key[2], stream, progress)
    found = _wheres.get(key)
    if found is None:
        found = _wheres[key] = _core.Where(at.backend, at.device, key[2], stream)
    return found
