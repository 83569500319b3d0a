"""Communicators: one rank's end each, for threads, for processes of MPI or PyTorch, and for functions of the caller."""

from __future__ import annotations

import os
import threading
import time
from datetime import timedelta
from typing import Any, Callable, Optional

import numpy as np

from . import _core
from ._arrays import NUMPY, Space, place_for
from ._numbers import real, whole
from ._where import Place, place, where

CHUNK = 1 << 30  # bytes of a message: MPI counts by 32 bits
TIMEOUT = 300.0  # seconds, as in the library
MOST_RANKS = 4096  # threads of a communicator, as in the extension


class Communicator:
    """One rank's end, from `threads`, `run`, `from_mpi`, `from_torch` or `from_functions`.

    Attributes
    ----------
    rank, size : int
        This rank's number, from 0, and the number of ranks.
    device : str
        Where this rank computes.

    Examples
    --------
    >>> from boscage.ranks import threads
    >>> [comm.rank for comm in threads(3)]
    [0, 1, 2]
    """

    def __init__(self, handle: Any, device: Any = None, workers: Optional[int] = None):
        self._handle = handle
        self._place = place(device)
        self._workers = workers
        about = handle.info()
        self.rank, self.size = about["rank"], about["size"]

    def _at(self, space: Space = NUMPY) -> Any:
        return where(place_for(space, self._place), space.stream(), self._workers)

    @property
    def device(self) -> str:
        return str(self._place)

    @property
    def info(self) -> dict[str, Any]:
        """Rank, size, exchanges so far, bytes sent, seconds in exchanges, and whether a rank was lost."""
        return self._handle.info()

    def barrier(self) -> None:
        """Waits until all ranks have called it."""
        self._handle.barrier(self._at())

    def bounds(self, n: int) -> tuple[int, int]:
        """The first row of this rank's slice of n rows, and the row after its last."""
        return self.rank * n // self.size, (self.rank + 1) * n // self.size

    def slice(self, x: Any) -> Any:
        """This rank's share of the rows of an array that all ranks have."""
        begin, end = self.bounds(len(x))
        return x[begin:end]

    def close(self) -> None:
        """Frees this end, and this rank's share of structures; other ranks that wait for it get an exception."""
        self._handle.close()

    def __enter__(self) -> "Communicator":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<boscage.ranks.Communicator: rank {self.rank} of {self.size}, on {self._place}>"


def _places(devices: Any) -> list[Place]:
    """The place of each rank: of a number of ranks, or of a list of devices."""
    numbered = isinstance(devices, (int, np.integer)) and not isinstance(devices, bool)
    devices = devices if numbered else list(devices)
    count = whole(devices, "devices") if numbered else len(devices)
    if not 1 <= count <= MOST_RANKS:
        raise ValueError(f"devices: {count} ranks, not 1 to {MOST_RANKS}")
    if numbered:
        return [place()] * count
    places = [place(f"cuda:{d}" if isinstance(d, (int, np.integer)) else d) for d in devices]
    if len({p.backend for p in places}) > 1:
        raise ValueError("devices: CPUs and GPUs in one communicator")
    return places


def threads(devices: Any, *, timeout: float = TIMEOUT, workers: Optional[int] = None) -> list[Communicator]:
    """Makes a communicator whose ranks are threads of this process.

    Parameters
    ----------
    devices : int, or sequence
        Ranks on the device in use; or the device of each rank: "cuda:1", the number of a GPU, or "cpu".
    timeout : float
        Seconds that a rank waits for another one.
    workers : int, optional
        Threads of the CPU in each rank. Default: an equal share.

    Returns
    -------
    list of Communicator
        One for each thread: a thread uses its own, and no other.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> from boscage.ranks import reduce, threads
    >>> with ThreadPoolExecutor(2) as pool:
    ...     list(pool.map(lambda comm: int(reduce(comm, [comm.rank + 1])), threads(2)))
    [3, 3]
    """
    places = _places(devices)
    ends = _core.create_threads(_core.Where(), len(places), real(timeout, "timeout"))
    workers = max(1, (os.cpu_count() or 1) // len(places)) if workers is None else workers
    return [Communicator(end, at, workers) for end, at in zip(ends, places)]


def run(
    program: Callable[..., Any],
    devices: Any,
    *arguments: Any,
    timeout: float = TIMEOUT,
    workers: Optional[int] = None,
) -> list[Any]:
    """Runs a program on ranks, each a thread of this process.

    Parameters
    ----------
    program : callable
        Called as ``program(comm, *arguments)`` by each rank.
    devices, timeout, workers
        As those of `threads`.
    *arguments
        The same for all ranks; `Communicator.slice` takes a rank's rows.

    Returns
    -------
    list
        What each rank returned.

    Raises
    ------
    Exception
        The first one of a rank. Ranks that wait for a failed one end with a `ConnectionError`.

    Examples
    --------
    >>> import numpy as np
    >>> from boscage.ranks import KDTree, run
    >>> def nearest(comm, points):
    ...     tree = KDTree(comm, comm.slice(points))
    ...     return tree.query(comm.slice(points), k=2)[1][:, 1]
    >>> np.concatenate(run(nearest, 3, np.array([[0.0], [1.0], [5.0], [5.5], [9.0]])))
    array([1, 0, 3, 2, 3])
    """
    comms = threads(devices, timeout=timeout, workers=workers)
    results: list[Any] = [None] * len(comms)
    errors: list[BaseException] = []  # in the order of time

    def work(comm: Communicator) -> None:
        try:
            results[comm.rank] = program(comm, *arguments)
        except BaseException as error:
            errors.append(error)
        finally:
            comm.close()

    ranks = [threading.Thread(target=work, args=(comm,), name=f"rank {comm.rank}") for comm in comms]
    for thread in ranks:
        thread.start()
    for thread in ranks:
        thread.join()
    if errors:  # the cause rather than its effects
        causes = [error for error in errors if not isinstance(error, ConnectionError)]
        raise (causes or errors)[0]
    return results


def from_functions(
    all_gather: Callable[..., Any],
    all_to_all: Callable[..., Any],
    rank: int,
    size: int,
    *,
    device: Any = None,
    timeout: float = TIMEOUT,
    workers: Optional[int] = None,
) -> Communicator:
    """Makes this rank's end of a communicator over functions that move bytes between ranks.

    Parameters
    ----------
    all_gather : callable
        ``all_gather(sent, received, timeout)``: sends the bytes of `sent` to all ranks. `received` is a memoryview of
        size times as many, those of rank r at ``r * len(sent)``.
    all_to_all : callable
        ``all_to_all(sent, sent_offsets, received, received_offsets, timeout)``: sends bytes ``sent_offsets[r]`` to
        ``sent_offsets[r + 1]`` to rank r.
    rank, size : int
        This rank, and the number of ranks.
    device : str, optional
        Where this rank computes.
    timeout, workers
        As those of `threads`. Functions raise an exception after `timeout` seconds without the others.

    Returns
    -------
    Communicator

    Examples
    --------
    >>> from boscage.ranks import from_functions, sort
    >>> def all_gather(sent, received, timeout):
    ...     received[:] = sent
    >>> def all_to_all(sent, sent_offsets, received, received_offsets, timeout):
    ...     received[:] = sent
    >>> sort(from_functions(all_gather, all_to_all, rank=0, size=1), [3, 1, 2])
    array([1, 2, 3])
    """
    if not callable(all_gather) or not callable(all_to_all):
        raise TypeError("all_gather, all_to_all: not functions")
    rank, size = whole(rank, "rank", "int32"), whole(size, "size", "int32")
    at, timeout = place(device), real(timeout, "timeout")
    ends = _core.create_transport(where(at), all_gather, all_to_all, rank, size, timeout)
    return Communicator(ends, at, workers)


_unfinished: list[Any] = []  # messages after a time-out, with their buffers, which may still be read and written


class _Messages:
    """Moves bytes by messages between pairs of processes, so that a lost one is noticed by the time-out.

    Messages have buffers of their own: the caller frees its memory after a time-out, when messages may still come.
    """

    rank: int
    size: int

    def _receive(self, room: Any, source: int) -> Any:
        """Begins to receive an array of bytes, and returns the request."""
        raise NotImplementedError

    def _send(self, part: Any, to: int) -> Any:
        """Begins to send an array of bytes, and returns the request."""
        raise NotImplementedError

    def _are_done(self, requests: list[Any], timeout: float) -> bool:
        """Waits for all requests. False: some are not done after `timeout` seconds."""
        raise NotImplementedError

    def all_gather(self, sent: memoryview, received: memoryview, timeout: float) -> None:
        count, copy = len(sent), np.array(sent, np.uint8)
        self._exchange([copy] * self.size, received, [r * count for r in range(self.size + 1)], timeout)

    def all_to_all(
        self, sent: memoryview, sent_offsets: Any, received: memoryview, received_offsets: Any, timeout: float
    ) -> None:
        copy = np.array(sent, np.uint8)
        parts = [copy[sent_offsets[r] : sent_offsets[r + 1]] for r in range(self.size)]
        self._exchange(parts, received, received_offsets, timeout)

    def _exchange(self, parts: list[Any], received: memoryview, offsets: Any, timeout: float) -> None:
        arrived, requests = np.empty(len(received), np.uint8), []
        for step in range(1, self.size):
            to, source = (self.rank + step) % self.size, (self.rank - step) % self.size
            for at in range(offsets[source], offsets[source + 1], CHUNK):
                requests.append(self._receive(arrived[at : min(at + CHUNK, offsets[source + 1])], source))
            for at in range(0, len(parts[to]), CHUNK):
                requests.append(self._send(parts[to][at : at + CHUNK], to))
        arrived[offsets[self.rank] : offsets[self.rank + 1]] = parts[self.rank]
        if not self._are_done(requests, timeout):
            _unfinished.append((requests, parts, arrived))
            raise TimeoutError(f"rank {self.rank}: another rank did not arrive within {timeout:g} seconds")
        received[:] = memoryview(arrived)


class _MPI(_Messages):
    def __init__(self, comm: Any):
        from mpi4py import MPI

        self._mpi = MPI
        self._comm = comm.Dup()  # messages of the caller's stay apart
        self.rank, self.size = self._comm.Get_rank(), self._comm.Get_size()

    def _receive(self, room: Any, source: int) -> Any:
        return self._comm.Irecv([room, self._mpi.BYTE], source=source)

    def _send(self, part: Any, to: int) -> Any:
        return self._comm.Isend([part, self._mpi.BYTE], dest=to)

    def _are_done(self, requests: list[Any], timeout: float) -> bool:
        end, pause = time.monotonic() + timeout, 0.0
        while not self._mpi.Request.Testall(requests):
            if time.monotonic() > end:
                return False
            time.sleep(pause)
            pause = min(pause + 1e-6, 1e-3)
        return True


class _Torch(_Messages):
    """Over processes of torch.distributed, by a group of gloo: the caller's may move tensors of devices alone."""

    def __init__(self, group: Any, timeout: float):
        import torch
        import torch.distributed as distributed

        self._torch, self._distributed = torch, distributed
        self._ranks = distributed.get_process_group_ranks(group or distributed.group.WORLD)
        self.rank, self.size = self._ranks.index(distributed.get_rank()), len(self._ranks)
        # Only these processes make the group.
        self._group = distributed.new_group(
            self._ranks, timedelta(seconds=timeout), backend="gloo", use_local_synchronization=True
        )

    def _receive(self, room: Any, source: int) -> Any:
        return self._distributed.irecv(self._torch.from_numpy(room), self._ranks[source], self._group)

    def _send(self, part: Any, to: int) -> Any:
        return self._distributed.isend(self._torch.from_numpy(part), self._ranks[to], self._group)

    def _are_done(self, requests: list[Any], timeout: float) -> bool:
        """Waits in the order of requests, since gloo reports a message as done only to those who wait for it."""
        end = time.monotonic() + timeout
        for request in requests:
            left = max(end - time.monotonic(), 1e-3)
            try:
                request.wait(timedelta(seconds=left))
            except RuntimeError:
                if time.monotonic() < end:
                    raise  # a lost connection
                return False
        return True


def from_mpi(
    comm: Any = None, *, device: Any = None, timeout: float = TIMEOUT, workers: Optional[int] = None
) -> Communicator:
    """Makes this process's end of a communicator over one of mpi4py. Collective.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm, optional
        Default: ``MPI.COMM_WORLD``. It is duplicated.
    device, timeout, workers
        As those of `from_functions`.

    Returns
    -------
    Communicator

    Examples
    --------
    >>> from boscage.ranks import from_mpi, sort
    >>> sort(from_mpi(), [2.0, 1.0])    # doctest: +SKIP
    array([1., 2.])
    """
    if comm is None:
        from mpi4py import MPI

        comm = MPI.COMM_WORLD
    by = _MPI(comm)
    return from_functions(
        by.all_gather, by.all_to_all, by.rank, by.size, device=device, timeout=timeout, workers=workers
    )


def from_torch(
    group: Any = None, *, device: Any = None, timeout: float = TIMEOUT, workers: Optional[int] = None
) -> Communicator:
    """Makes this process's end of a communicator over a process group of torch.distributed. Collective.

    Parameters
    ----------
    group : torch.distributed.ProcessGroup, optional
        Default: the group of all processes. Its backend may be NCCL: a group of gloo with the same processes is made,
        which moves the bytes between hosts.
    device, timeout, workers
        As those of `from_functions`.

    Returns
    -------
    Communicator

    Examples
    --------
    >>> import torch.distributed    # doctest: +SKIP
    >>> from boscage.ranks import from_torch, sort
    >>> torch.distributed.init_process_group("nccl")    # doctest: +SKIP
    >>> sort(from_torch(), [2.0, 1.0])    # doctest: +SKIP
    array([1., 2.])
    """
    by = _Torch(group, real(timeout, "timeout"))
    return from_functions(
        by.all_gather, by.all_to_all, by.rank, by.size, device=device, timeout=timeout, workers=workers
    )
