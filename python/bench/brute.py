#!/usr/bin/env python3
"""Times the k nearest of many points beside brute force by PyTorch on a CUDA device: distances in tiles, then topk.

usage: brute.py [-n POINTS] [-k NEIGHBOURS] [-r REPEATS] [--results FILE --commit HASH --device TEXT]

Brute force runs once for all points, with distances by products of matrices, which round: neighbours of some queries
are compared with those by differences, which take longer.

    brute.py --results bench/results/clouds.json --commit $(git rev-parse --short HEAD) --device "NVIDIA H200"
"""

import argparse
import time

import rows
import torch

from boscage.torch import knn

ENTRIES = 2**31  # distances of a tile: 8 GiB
SAMPLE = 1000  # queries whose neighbours are compared


def find_in_tiles(x, y, k, mode="use_mm_for_euclid_dist"):
    """The k nearest of each query."""
    tile = max(ENTRIES // len(x), 1)
    tiles = (torch.cdist(part, x, compute_mode=mode).topk(k, largest=False)[1] for part in y.split(tile))
    return torch.cat(list(tiles))


def measure(call):
    """The wall time in ms with a wait for the device, and the result."""
    torch.cuda.synchronize()
    begin = time.perf_counter()
    found = call()
    torch.cuda.synchronize()
    return 1e3 * (time.perf_counter() - begin), found


def compare(x, y, ids, others):
    """Asserts that the neighbours of some queries are the nearest. Returns the share of them that brute force found."""
    some = torch.randperm(len(y), generator=torch.Generator().manual_seed(2))[:SAMPLE].to(y.device)
    exact = find_in_tiles(x, y[some], ids.shape[1], "donot_use_mm_for_euclid_dist")
    ours, theirs = ((x[i].double() - y[some, None].double()).norm(dim=2).sort()[0] for i in (ids[some], exact))
    assert torch.allclose(ours, theirs, rtol=1e-6, atol=0)
    return float((ids[some, :, None] == others[some, None]).any(2).double().mean())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=1_000_000)
    parser.add_argument("-k", type=int, default=8)
    rows.add_arguments(parser)
    options = parser.parse_args()
    n, k = options.n, options.k
    generator = torch.Generator("cuda").manual_seed(1)
    x, y = (torch.rand(n, 3, generator=generator, device="cuda") for _ in range(2))
    ours, edges = rows.median(lambda: measure(lambda: knn(x, y, k))[1], options.repeats)
    find_in_tiles(x, y[:1000], k)
    theirs, others = measure(lambda: find_in_tiles(x, y, k))
    print("share of the nearest that brute force found:", compare(x, y, edges[1].view(n, k), others))
    peer = f"torch.cdist and topk in tiles, PyTorch {torch.__version__}"
    made = [rows.row("boscage.torch.knn", f"{n:,} uniform queries, k {k}, 3-D f32", n, ours, peer, theirs)]
    checks = f"distances of {SAMPLE} queries compared"
    method = f"python/bench/brute.py: median of {options.repeats}, brute force once; {checks}"
    rows.write_run(options, method, made)


if __name__ == "__main__":
    main()
