"""The processes of test_ranks_mpi.py."""

import sys
import time

import numpy as np
from mpi4py import MPI

from boscage import ranks
from boscage._communicators import _MPI
from rank_answers import check_answers


def answers():
    comm = ranks.from_mpi(MPI.COMM_WORLD, workers=1)
    assert (comm.rank, comm.size) == (MPI.COMM_WORLD.Get_rank(), MPI.COMM_WORLD.Get_size())
    check_answers(comm)
    print("correct", flush=True)


def lost():
    comm = ranks.from_mpi(timeout=2.0, workers=1)
    comm.barrier()
    if comm.rank == 1:
        time.sleep(8)
    else:
        try:
            ranks.sort(comm, np.arange(100.0))
        except ConnectionError:
            print("noticed", flush=True)
    MPI.COMM_WORLD.Abort(1) if comm.rank == 1 else time.sleep(30)


def late():
    """Rank 1 comes after the time-out of rank 0, which uses its memory for something else by then."""
    world = MPI.COMM_WORLD
    messages, rank, count = _MPI(world), world.Get_rank(), 1 << 20
    sent, received = np.full(count, rank + 1, np.uint8), np.zeros(2 * count, np.uint8)
    if rank == 0:
        try:
            messages.all_gather(memoryview(sent), memoryview(received), 0.2)
        except TimeoutError:
            sent[:], received[:] = 9, 9
        world.Barrier()
    else:
        world.Barrier()
        messages.all_gather(memoryview(sent), memoryview(received), 60.0)
    world.Barrier()
    assert (received == (9 if rank == 0 else np.repeat([1, 2], count))).all()
    print("correct", flush=True)


{"answers": answers, "late": late, "lost": lost}[sys.argv[1]]()
