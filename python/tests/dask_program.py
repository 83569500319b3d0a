"""The program of test_ranks_dask.py: python/examples/ranks_dask.py on real workers. Prints passed checks."""

import os
import signal
import sys
import time

import dask
import dask.array
import numpy as np
import ranks_dask
from boscage import hashing, ranks, spatial
from distributed import Client, LocalCluster

POINTS = np.random.default_rng(0).random((2000, 3))


def answer(comm, points, keys):
    return ranks.KDTree(comm, points).query(points, 4), ranks.unique(comm, comm.slice(keys))[0]


def check_answers(client, workers):
    keys = np.random.default_rng(1).integers(0, 300, 1501)
    for chunks in (667, 3), (100, 1):  # also more than there are workers
        found = ranks_dask.run(client, answer, dask.array.from_array(POINTS, chunks=chunks), keys)
        want = spatial.cKDTree(POINTS).query(POINTS, 4)
        for j in range(2):
            assert (np.concatenate([near[j] for near, _ in found]) == want[j]).all()
        assert (np.concatenate([codes for _, codes in found]) == hashing.factorize(keys)[0]).all()
    assert len(found) == workers
    few = dask.array.from_array(POINTS[:, 0], chunks=2000)
    assert ranks_dask.run(client, lambda comm, x: (comm.size, len(x)), few) == [(1, 2000)]


def check_no_posts(client, workers):
    assert all(client.run(lambda dask_worker: not dask_worker.boscage_office.posts).values())


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


def check_fails(client, workers, program, error, **options):
    begin = time.monotonic()
    try:
        ranks_dask.run(client, program, dask.array.from_array(POINTS, chunks=(2000 // workers, 3)), **options)
    except error as raised:
        assert time.monotonic() - begin < 100, raised  # far below the default time-out
        return raised
    raise AssertionError(f"{program.__name__} raised nothing")


def main(workers=3):
    dask.config.set({"distributed.comm.timeouts.connect": "90s"})  # 30 are few on a busy machine
    where = dict(n_workers=workers, threads_per_worker=1, dashboard_address=None)
    with LocalCluster(**where) as cluster, Client(cluster) as client:
        client.wait_for_workers(workers)
        check_answers(client, workers)
        check_no_posts(client, workers)
        print("answers", flush=True)
        check_fails(client, workers, raise_on_one, KeyError)
        print("raised", flush=True)
        check_fails(client, workers, sleep_on_one, ConnectionError, timeout=2.0)
        print("late", flush=True)
        lost = check_fails(client, workers, kill_one, ConnectionError)
        assert "was lost" in str(lost), lost
        print("lost", flush=True)
        while len(client.nthreads()) < workers:  # Dask starts another one
            time.sleep(0.1)
        check_answers(client, workers)
        check_no_posts(client, workers)
        print("again", flush=True)


if __name__ == "__main__":
    sys.exit(main())
