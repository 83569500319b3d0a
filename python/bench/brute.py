#!/usr/bin/env python3
"""Times the k nearest of many points beside brute force by PyTorch on a CUDA device: distances in tiles, then topk.

usage: brute.py [-n POINTS] [-k NEIGHBOURS] [-r REPEATS] [--results FILE --commit HASH --device TEXT]

Brute force runs once for all points, in the faster of two ways to compute distances. Neighbours of some queries are
compared, in double.

    brute.py --results bench/results/clouds.json --commit $(git rev-parse --short HEAD) --device "NVIDIA H200"
"""

import argparse
import time

import rows
import torch

from boscage.torch import knn

ENTRIES = 2**31  # distances of a tile: 8 GiB
SAMPLE = 1000  # queries whose neighbours are compared


def find_in_tiles(x, y, k, mode):
    """The k nearest of each query, without their order among equals."""
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
    """Asserts equal distances of neighbours, in double, for some queries; returns the share of equal rows."""
    some = torch.randperm(len(y), generator=torch.Generator().manual_seed(2))[:SAMPLE].to(y.device)
    ours, theirs = ((x[i[some]].double() - y[some, None].double()).norm(dim=2) for i in (ids, others))
    assert torch.allclose(ours.sort()[0], theirs.sort()[0], rtol=1e-3, atol=1e-6)
    assert (ours.sort()[0] <= theirs.sort()[0] + 1e-7).all()
    return float((ids[some].sort()[0] == others[some].sort()[0]).double().mean())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=1_000_000)
    parser.add_argument("-k", type=int, default=8)
    rows.add_arguments(parser)
    options = parser.parse_args()
    n, k = options.n, options.k
    generator = torch.Generator("cuda").manual_seed(1)
    x, y = (torch.rand(n, 3, generator=generator, device="cuda") for _ in range(2))
    # 1. The faster way, of one tile.
    modes = "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist"
    few = y[: max(ENTRIES // n, 1)]
    times = {mode: min(measure(lambda: find_in_tiles(x, few, k, mode))[0] for _ in range(3)) for mode in modes}
    best = min(times, key=times.get)
    print({mode: f"{t:.1f} ms a tile" for mode, t in times.items()})
    # 2. All points.
    ours, edges = rows.median(lambda: measure(lambda: knn(x, y, k))[1], options.repeats)
    theirs, others = measure(lambda: find_in_tiles(x, y, k, best))
    exact = others if best == modes[1] else find_in_tiles(x, y, k, modes[1])
    print("equal ids", compare(x, y, edges[1].view(n, k), exact))
    peer = f"torch.cdist and topk in tiles, PyTorch {torch.__version__}"
    made = [rows.row("boscage.torch.knn", f"{n:,} uniform queries, k {k}, 3-D f32", n, ours, peer, theirs)]
    checks = f"distances of {SAMPLE} queries compared"
    method = f"python/bench/brute.py: median of {options.repeats}, brute force once; {checks}"
    rows.write_run(options, method, made)


if __name__ == "__main__":
    main()
