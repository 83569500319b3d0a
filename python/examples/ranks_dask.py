"""Ranks on the workers of a Dask cluster: `run` gives each partition of an array to a rank, on a worker of its own.

Dask schedules the ranks and moves their bytes from worker to worker; structures over ranks are those of
`boscage.ranks`. A rank posts its parts of an exchange on its worker, where the other ranks fetch them. A worker that is lost closes its
connections, so that the ranks that wait for it end at once, with a ConnectionError.
"""

import asyncio
import contextlib
import time
import uuid
from collections import defaultdict, deque

import numpy as np
from boscage import ranks
from distributed import get_worker, wait
from distributed.protocol import to_serialize
from distributed.utils import sync

END_SECONDS = 10  # for a message that a job has ended: a worker that does not answer keeps its posts
TIMEOUTS = TimeoutError, asyncio.TimeoutError  # one from Python 3.11 on; Dask raises the second


class Posts:
    """The parts that one rank has posted, by exchange and receiver. Only the event loop of the worker uses it."""

    def __init__(self):
        self.parts, self.changed, self.has_failed = {}, asyncio.Event(), False

    def post(self, number, parts):
        self.parts[number] = dict(enumerate(parts))
        self.notify()

    def fail(self):
        self.has_failed = True
        self.notify()

    def notify(self):
        self.changed.set()
        self.changed = asyncio.Event()

    async def take(self, number, receiver):
        while number not in self.parts:
            if self.has_failed:
                raise ConnectionError("a rank failed")
            await self.changed.wait()
        part = self.parts[number].pop(receiver)
        if not self.parts[number]:
            del self.parts[number]
        return part


class Office:
    """The posts of ranks on one worker, of jobs that have not ended."""

    def __init__(self):
        self.posts, self.ended = defaultdict(Posts), deque(maxlen=1000)

    def of(self, job, rank):
        if job in self.ended:
            raise ConnectionError("the other ranks have ended")
        return self.posts[job, rank]

    def end(self, job):
        self.ended.append(job)
        for key in [key for key in self.posts if key[0] == job]:
            self.posts.pop(key).fail()  # for a rank that still waits

    async def fetch(self, job, owner, number, receiver):
        return to_serialize(await self.of(job, owner).take(number, receiver))


def prepare_worker(dask_worker):
    """Lets other workers fetch the posts of ranks on this worker."""
    if not hasattr(dask_worker, "boscage_office"):
        dask_worker.boscage_office = Office()
        dask_worker.handlers["boscage_fetch"] = dask_worker.boscage_office.fetch


class Transport:
    """Moves bytes between the ranks of a job, as `boscage.ranks.from_functions` needs."""

    def __init__(self, job, rank, addresses):
        self.job, self.rank, self.addresses, self.number = job, rank, addresses, 0
        self.worker = get_worker()

    @property
    def posts(self):
        return self.worker.boscage_office.of(self.job, self.rank)

    def exchange(self, parts, timeout):
        """Sends parts[r] to rank r, and returns the parts of all ranks for this one."""

        async def fetch(owner, address):
            if owner == self.rank:
                return await self.posts.take(self.number, owner)
            call = self.worker.rpc(address).boscage_fetch
            return await call(job=self.job, owner=owner, number=self.number, receiver=self.rank)

        async def post_and_fetch():
            self.posts.post(self.number, parts)
            return await asyncio.wait_for(asyncio.gather(*map(fetch, range(len(parts)), self.addresses)), timeout)

        received = sync(self.worker.loop, post_and_fetch)
        self.number += 1
        return received

    def all_gather(self, sent, received, timeout):
        part = np.array(sent, np.uint8)  # others may read it after this call has ended
        received[:] = np.concatenate(self.exchange([part] * len(self.addresses), timeout)).data

    def all_to_all(self, sent, sent_offsets, received, received_offsets, timeout):
        sent, at = np.array(sent, np.uint8), sent_offsets
        parts = [sent[at[r] : at[r + 1]] for r in range(len(self.addresses))]
        received[:] = np.concatenate(self.exchange(parts, timeout)).data

    def fail(self):
        """Ends the calls of ranks that wait for this one."""

        async def fail_posts():
            if self.job not in self.worker.boscage_office.ended:
                self.posts.fail()

        sync(self.worker.loop, fail_posts)


def run_rank(program, part, arguments, job, rank, addresses, timeout):
    """Runs one rank, on its worker."""
    transport = Transport(job, rank, addresses)
    try:
        with ranks.from_functions(
            transport.all_gather,
            transport.all_to_all,
            rank,
            len(addresses),
            timeout=timeout,
            workers=transport.worker.state.nthreads,
        ) as comm:
            return program(comm, part, *arguments)
    except BaseException:
        transport.fail()
        raise


async def end_job(job, dask_worker):
    dask_worker.boscage_office.end(job)


def call_workers(client, timeout, function, *arguments, workers, **options):
    """`client.run`, which has no time-out of its own: a worker that hangs would hold it for ever."""

    async def call():
        return await client.run(function, *arguments, workers=workers, **options)

    try:
        return sync(client.loop, call, callback_timeout=timeout)
    except TIMEOUTS:
        raise TimeoutError(f"one of the workers {', '.join(workers)} did not answer in {timeout:g} s") from None


def check(client, futures, addresses):
    """Raises the error of a rank, its cause rather than its effects, or a ConnectionError for a lost worker.

    Returns the ranks that have not ended though another has failed.
    """
    waiting = [rank for rank, future in enumerate(futures) if future.status == "pending"]
    failed = [future.exception() for future in futures if future.status == "error"]
    lost = sorted(set(addresses) - set(client.nthreads()))
    causes = [error for error in failed if not isinstance(error, ConnectionError)]
    if lost:
        raise ConnectionError(f"rank {addresses.index(lost[0])}: worker {lost[0]} was lost")
    if failed and (causes or not waiting):
        raise (causes or failed)[0]
    return waiting if failed else []


def await_all(client, futures, addresses, timeout):
    """Waits for tasks, and looks for lost workers meanwhile: Dask itself would wait for their return.

    Once one has failed, the others have `timeout` seconds to end, since they wait for it no longer.
    """
    failed_at = None
    while any(future.status == "pending" for future in futures):
        try:
            wait(futures, timeout=0.5, return_when="FIRST_COMPLETED")
        except TIMEOUTS:
            pass
        waiting = check(client, futures, addresses)
        failed_at = failed_at or (time.monotonic() if waiting else None)
        if waiting and time.monotonic() > failed_at + timeout:
            rank = waiting[0]
            raise ConnectionError(f"rank {rank}: worker {addresses[rank]} did not end in {timeout:g} s after a failure")
        time.sleep(0.01)
    check(client, futures, addresses)


def hold(part):
    return part


def run(client, program, x, *arguments, timeout=300.0):
    """Runs ``program(comm, part, *arguments)`` on a rank for each partition of rows of a dask.array.

    Partitions are as many as workers at most; each rank has a worker of its own. Returns the results of the ranks.
    A worker has `timeout` seconds to answer and to take part in an exchange; partitions and programs may take longer.
    """
    # 1. a partition on each worker, before any rank: a rank keeps its thread from all other tasks
    addresses = sorted(client.nthreads())
    if x.numblocks[0] > len(addresses) or any(n > 1 for n in x.numblocks[1:]):
        x = x.rechunk({0: -(-x.shape[0] // len(addresses)), **{axis: -1 for axis in range(1, x.ndim)}})
    blocks = list(x.to_delayed().ravel())
    addresses = addresses[: len(blocks)]
    call_workers(client, timeout, prepare_worker, workers=addresses)
    # blocks of an earlier run may be bound to a worker that was lost, so only copies with new keys are bound
    parts = [
        client.submit(
            hold, client.compute(block, workers=[address], allow_other_workers=True),
            workers=[address], allow_other_workers=False, pure=False,
        )
        for block, address in zip(blocks, addresses)
    ]  # fmt: skip
    await_all(client, parts, addresses, timeout)
    # 2. a rank on each; a lost rank cannot be started again, since the others have gone on
    job = uuid.uuid4().hex
    futures = [
        client.submit(
            run_rank, program, part, arguments, job, rank, addresses, timeout,
            workers=[address], allow_other_workers=False, pure=False, retries=0,
        )
        for rank, (part, address) in enumerate(zip(parts, addresses))
    ]  # fmt: skip
    try:
        await_all(client, futures, addresses, timeout)
        return client.gather(futures)
    finally:
        client.cancel(futures)
        present = [a for a in addresses if a in client.nthreads()]
        with contextlib.suppress(*TIMEOUTS):
            call_workers(client, END_SECONDS, end_job, job, workers=present, on_error="ignore")


def nearest(comm, points, k):
    """Distances to the k nearest of all points, and their rows, for the points of one partition."""
    return ranks.KDTree(comm, points).query(points, k)


def main(workers=2, n=100_000):
    import dask.array
    from distributed import Client, LocalCluster

    where = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**where) as cluster, Client(cluster) as client:
        points = dask.array.random.default_rng(0).random((n, 3), chunks=(n // (4 * workers), 3)).persist()
        rows = np.concatenate([rows for _, rows in run(client, nearest, points, 4)])
        print(f"{n} points on {workers} workers: row 0 is next to {rows[0, 1:].tolist()}")
        return points.compute(), rows


if __name__ == "__main__":
    main()
