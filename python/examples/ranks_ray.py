"""Ranks in actors of Ray: `run` gives each partition to a rank.

Ray places the ranks and moves their bytes from actor to actor; structures over ranks are those of `boscage.ranks`. A
rank posts its parts of an exchange, and the other ranks fetch them. Ray ends the calls of a lost actor, so that the ranks
that wait for it end at once, with a ConnectionError.
"""

import threading

import numpy as np
import ray
from boscage import ranks


@ray.remote(num_cpus=1, max_restarts=0)
class Rank:
    """One rank. Calls of `fetch` run in threads beside `run`."""

    def __init__(self, rank, size):
        self.rank, self.size, self.number = rank, size, 0
        self.parts, self.changed, self.has_failed = {}, threading.Condition(), False

    def fetch(self, number, receiver, timeout):
        """The part for another rank, when this rank has posted it."""
        with self.changed:
            is_there = self.changed.wait_for(lambda: number in self.parts or self.has_failed, timeout)
            if not is_there or number not in self.parts:
                raise ConnectionError(f"rank {self.rank} failed" if is_there else f"rank {self.rank} is late")
            part = self.parts[number].pop(receiver)
            if not self.parts[number]:
                del self.parts[number]
            return part

    def exchange(self, parts, timeout):
        """Sends parts[r] to rank r, and returns the parts of all ranks for this one."""
        with self.changed:
            self.parts[self.number] = dict(enumerate(parts))
            self.changed.notify_all()
        others = [r for r in range(self.size) if r != self.rank]
        calls = [self.peers[r].fetch.remote(self.number, self.rank, timeout) for r in others]
        received = dict(zip(others, ray.get(calls, timeout=timeout)))
        received[self.rank] = self.fetch(self.number, self.rank, timeout)
        self.number += 1
        return [received[r] for r in range(self.size)]

    def all_gather(self, sent, received, timeout):
        part = np.array(sent, np.uint8)  # others may read it after this call has ended
        received[:] = np.concatenate(self.exchange([part] * self.size, timeout)).data

    def all_to_all(self, sent, sent_offsets, received, received_offsets, timeout):
        sent, at = np.array(sent, np.uint8), sent_offsets
        parts = [sent[at[r] : at[r + 1]] for r in range(self.size)]
        received[:] = np.concatenate(self.exchange(parts, timeout)).data

    def run(self, peers, timeout, workers, program, part, *arguments):
        self.peers = peers
        functions = self.all_gather, self.all_to_all
        try:
            with ranks.from_functions(*functions, self.rank, self.size, timeout=timeout, workers=workers) as comm:
                return program(comm, part, *arguments)
        except BaseException:
            with self.changed:
                self.has_failed = True
                self.changed.notify_all()
            raise


def cause_of(error):
    """The exception that a rank raised; for a lost actor a ConnectionError."""
    if isinstance(error, ray.exceptions.RayTaskError):
        return error.cause or error
    return ConnectionError(f"a rank was lost: {error}")


def run(program, parts, *arguments, timeout=300.0, workers=1):
    """Runs ``program(comm, part, *arguments)`` on a rank for each part, an object or a reference of Ray to one.

    Each rank has a process and `workers` threads. Returns the results of the ranks.
    """
    # 1. an actor for each part; a thread of it for each of the others, and one for the program
    size = len(parts)
    peers = [Rank.options(max_concurrency=size + 1, num_cpus=workers).remote(rank, size) for rank in range(size)]
    try:
        calls = [p.run.remote(peers, timeout, workers, program, part, *arguments) for p, part in zip(peers, parts)]
        # 2. wait for all: a rank that fails or is lost ends the others
        ray.wait(calls, num_returns=size)
        results, errors = [], []
        for call in calls:
            try:
                results.append(ray.get(call))
            except ray.exceptions.RayError as error:
                errors.append(cause_of(error))
        if errors:  # the cause rather than its effects
            raise ([e for e in errors if not isinstance(e, ConnectionError)] or errors)[0]
        return results
    finally:
        for peer in peers:
            ray.kill(peer)


def nearest(comm, points, k):
    """Distances to the k nearest of all points, and their rows, for the points of one partition."""
    return ranks.KDTree(comm, points).query(points, k)


@ray.remote
def make_points(seed, n):
    return np.random.default_rng(seed).random((n, 3))


def main(workers=2, n=100_000):
    parts = [make_points.remote(seed, n // workers) for seed in range(workers)]
    rows = np.concatenate([rows for _, rows in run(nearest, parts, 4)])
    print(f"{n} points in {workers} actors: row 0 is next to {rows[0, 1:].tolist()}")
    return np.concatenate(ray.get(parts)), rows


if __name__ == "__main__":
    with ray.init(include_dashboard=False):
        main()
