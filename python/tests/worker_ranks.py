"""Programs of ranks for dask_program.py and ray_program.py, with checks of their answers and errors."""

import os
import signal
import time

import numpy as np
from boscage import hashing, ranks, spatial

POINTS = np.random.default_rng(0).random((2000, 3))
KEYS = np.random.default_rng(1).integers(0, 300, 1501)


def answer(comm, points, keys):
    return ranks.KDTree(comm, points).query(points, 4), ranks.unique(comm, comm.slice(keys))[0]


def check_answers(found):
    """The results of `answer` on all ranks are those of one process."""
    want = spatial.cKDTree(POINTS).query(POINTS, 4)
    for j in range(2):
        assert (np.concatenate([near[j] for near, _ in found]) == want[j]).all()
    assert (np.concatenate([codes for _, codes in found]) == hashing.factorize(KEYS)[0]).all()


def raise_on_one(comm, points):
    comm.barrier()
    if comm.rank == 1:
        raise KeyError("rank one")
    return ranks.sort(comm, points[:, 0])


def sleep_on_one(comm, points):
    if comm.rank == 1:
        time.sleep(8)
    return ranks.sort(comm, points[:, 0])


def kill_one(comm, points):
    comm.barrier()
    if comm.rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return ranks.sort(comm, points[:, 0])


def stop_one(comm, points):
    """Stops the process of a rank, which keeps its connections."""
    comm.barrier()
    if comm.rank == 1:
        os.kill(os.getpid(), signal.SIGSTOP)
    return ranks.sort(comm, points[:, 0])


def check_fails(run, error, *arguments, **options):
    """Returns the error that a run over ranks raises in time."""
    begin = time.monotonic()
    try:
        run(*arguments, **options)
    except error as raised:
        assert time.monotonic() - begin < 100, raised  # far below the default time-out
        return raised
    raise AssertionError(f"{error.__name__} was not raised")
