"""The processes of test_ranks_mpi.py."""

import sys
import time

import numpy as np
from mpi4py import MPI

import boscage.hashing
import boscage.spatial
from boscage import ranks
from boscage._communicators import _MPI


def answers():
    comm = ranks.from_mpi(MPI.COMM_WORLD, workers=1)
    assert (comm.rank, comm.size) == (MPI.COMM_WORLD.Get_rank(), MPI.COMM_WORLD.Get_size())
    points = np.random.default_rng(0).random((3000, 3))
    tree = ranks.KDTree(comm, comm.slice(points))
    tree.verify()
    d, i = tree.query(comm.slice(points), 5)
    want = boscage.spatial.cKDTree(points).query(comm.slice(points), 5)
    assert (d == want[0]).all() and (i == want[1]).all()
    offsets, ids = tree.query_ball_csr(comm.slice(points), 0.05)
    want = boscage.spatial.cKDTree(points).query_ball_csr(comm.slice(points), 0.05)
    assert (offsets == want[0]).all() and (ids == want[1]).all()
    keys = np.random.default_rng(1).integers(0, 500, 4000)
    codes = ranks.unique(comm, comm.slice(keys))[0]
    assert (codes == comm.slice(boscage.hashing.factorize(keys)[0])).all()
    assert (ranks.sort(comm, comm.slice(keys)) == comm.slice(np.sort(keys))).all()
    assert ranks.reduce(comm, comm.slice(keys)) == keys.sum()
    pairs = ranks.emst(comm, comm.slice(points))[0]
    begin, end = comm.bounds(len(points))
    assert (pairs == boscage.spatial.emst(points)[0][begin:end]).all()
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
