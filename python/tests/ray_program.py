"""The program of test_ranks_workers.py: python/examples/ranks_ray.py on real actors. Prints passed checks."""

import sys

import numpy as np
import ranks_ray
import ray
import worker_ranks
from worker_ranks import KEYS, POINTS, answer, check_fails, kill_one, raise_on_one, sleep_on_one


def check_answers(size):
    parts = [ray.put(part) for part in np.array_split(POINTS, size)]
    worker_ranks.check_answers(ranks_ray.run(answer, parts, KEYS))


def main():
    with ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False, object_store_memory=100_000_000):
        check_answers(3)
        print("answers", flush=True)
        parts = np.array_split(POINTS, 3)
        check_fails(ranks_ray.run, KeyError, raise_on_one, parts)
        print("raised", flush=True)
        check_fails(ranks_ray.run, ConnectionError, sleep_on_one, parts, timeout=2.0)
        print("late", flush=True)
        check_fails(ranks_ray.run, ConnectionError, kill_one, parts)
        print("lost", flush=True)
        check_answers(2)
        print("again", flush=True)


if __name__ == "__main__":
    sys.exit(main())
