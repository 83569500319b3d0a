"""The program of test_ranks_workers.py: python/examples/ranks_dask.py on real workers. Prints passed checks."""

import os
import signal
import sys
import time

import dask
import dask.array
import ranks_dask
import worker_ranks
from distributed import Client, LocalCluster
from worker_ranks import KEYS, POINTS, answer, check_fails, kill_one, raise_on_one, sleep_on_one, stop_one


def check_answers(client, workers):
    for chunks in (667, 3), (100, 1):  # also more than there are workers
        found = ranks_dask.run(client, answer, dask.array.from_array(POINTS, chunks=chunks), KEYS)
        worker_ranks.check_answers(found)
    assert len(found) == workers
    few = dask.array.from_array(POINTS[:, 0], chunks=2000)
    assert ranks_dask.run(client, lambda comm, x: (comm.size, len(x)), few) == [(1, 2000)]


def check_no_posts(client, workers):
    assert all(client.run(lambda dask_worker: not dask_worker.boscage_office.posts).values())


def check_stopped(client, points):
    """A worker that hangs, with its connections open, in a rank and then before any: each run ends by its time-out."""
    stopped = sorted(client.nthreads())[1]
    process = client.run(os.getpid)[stopped]
    try:
        hung = check_fails(ranks_dask.run, ConnectionError, client, stop_one, points, timeout=5.0)
        assert f"rank 1: worker {stopped} did not end in 5 s" in str(hung), hung
        late = check_fails(ranks_dask.run, TimeoutError, client, answer, points, KEYS, timeout=5.0)
        assert stopped in str(late) and "did not answer in 5 s" in str(late), late
    finally:
        os.kill(process, signal.SIGCONT)


def main(workers=3):
    dask.config.set({"distributed.comm.timeouts.connect": "90s"})  # 30 are few on a busy machine
    where = dict(n_workers=workers, threads_per_worker=1, dashboard_address=None)
    with LocalCluster(**where) as cluster, Client(cluster) as client:
        client.wait_for_workers(workers)
        check_answers(client, workers)
        check_no_posts(client, workers)
        print("answers", flush=True)
        points = dask.array.from_array(POINTS, chunks=(2000 // workers, 3))
        check_fails(ranks_dask.run, KeyError, client, raise_on_one, points)
        print("raised", flush=True)
        check_fails(ranks_dask.run, ConnectionError, client, sleep_on_one, points, timeout=2.0)
        print("late", flush=True)
        lost = check_fails(ranks_dask.run, ConnectionError, client, kill_one, points)
        assert "was lost" in str(lost), lost
        print("lost", flush=True)
        while len(client.nthreads()) < workers:  # Dask starts another one
            time.sleep(0.1)
        check_answers(client, workers)
        check_no_posts(client, workers)
        found = ranks_dask.run(client, answer, points, KEYS)  # the array of the run that lost a worker
        worker_ranks.check_answers(found)
        print("again", flush=True)
        check_stopped(client, points)
        check_answers(client, workers)
        print("stopped", flush=True)


if __name__ == "__main__":
    sys.exit(main())
