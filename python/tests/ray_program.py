"""The program of test_ranks_ray.py: python/examples/ranks_ray.py on real actors. Prints passed checks."""

import os
import signal
import sys
import time

import numpy as np
import ranks_ray
import ray
from boscage import hashing, ranks, spatial

POINTS = np.random.default_rng(0).random((2000, 3))


def answer(comm, points, keys):
    return ranks.KDTree(comm, points).query(points, 4), ranks.unique(comm, comm.slice(keys))[0]


def check_answers(size):
    keys = np.random.default_rng(1).integers(0, 300, 1501)
    parts = [ray.put(part) for part in np.array_split(POINTS, size)]
    found = ranks_ray.run(answer, parts, keys)
    want = spatial.cKDTree(POINTS).query(POINTS, 4)
    for j in range(2):
        assert (np.concatenate([near[j] for near, _ in found]) == want[j]).all()
    assert (np.concatenate([codes for _, codes in found]) == hashing.factorize(keys)[0]).all()


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


def check_fails(program, error, **options):
    begin = time.monotonic()
    try:
        ranks_ray.run(program, np.array_split(POINTS, 3), **options)
    except error as raised:
        assert time.monotonic() - begin < 100, raised  # far below the default time-out
        return raised
    raise AssertionError(f"{program.__name__} raised nothing")


def main():
    with ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False, object_store_memory=100_000_000):
        check_answers(3)
        print("answers", flush=True)
        check_fails(raise_on_one, KeyError)
        print("raised", flush=True)
        check_fails(sleep_on_one, ConnectionError, timeout=2.0)
        print("late", flush=True)
        check_fails(kill_one, ConnectionError)
        print("lost", flush=True)
        check_answers(2)
        print("again", flush=True)


if __name__ == "__main__":
    sys.exit(main())
