"""The processes of test_ranks_torch.py: torch_program.py WHAT RANK PROCESSES STORE."""

import os
import sys
import time

import numpy as np
import torch.distributed

from boscage import ranks
from boscage._communicators import _Torch
from rank_answers import check_answers


def answers(rank, size):
    comm = ranks.from_torch(workers=1)
    assert (comm.rank, comm.size) == (rank, size)
    check_answers(comm)
    print("correct", flush=True)
    torch.distributed.barrier()


def part(rank, size):
    """Some of the processes, in an order of their own."""
    group = torch.distributed.new_group([3, 1])
    if rank % 2:
        comm = ranks.from_torch(group, workers=1)
        assert (comm.rank, comm.size) == (torch.distributed.get_rank(group), 2)
        check_answers(comm)
    print("correct", flush=True)
    torch.distributed.barrier()


def lost(rank, size):
    comm = ranks.from_torch(timeout=2.0, workers=1)
    comm.barrier()
    if rank == 1:
        time.sleep(8)
    else:
        try:
            ranks.sort(comm, np.arange(100.0))
        except ConnectionError:
            print("noticed", flush=True)
    os._exit(0)


def late(rank, size):
    """Rank 1 comes after the time-out of rank 0, which uses its memory for something else by then."""
    messages, count = _Torch(None, 60.0), 1 << 20
    sent, received = np.full(count, rank + 1, np.uint8), np.zeros(2 * count, np.uint8)
    if rank == 0:
        try:
            messages.all_gather(memoryview(sent), memoryview(received), 0.2)
        except TimeoutError:
            sent[:], received[:] = 9, 9
        torch.distributed.barrier()
        time.sleep(2)
        assert (received == 9).all()
        print("correct", flush=True)
    else:
        torch.distributed.barrier()
        try:
            messages.all_gather(memoryview(sent), memoryview(received), 5.0)
            assert (received == np.repeat([1, 2], count)).all()
        except (RuntimeError, TimeoutError):
            pass  # gloo may end the connection at the other's time-out
    os._exit(0)


what, rank, size, store = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
torch.distributed.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=size)
{"answers": answers, "part": part, "lost": lost, "late": late}[what](rank, size)
