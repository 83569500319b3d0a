"""Times batches of clouds beside torch_cluster, and voxels beside Open3D, on the CPU.

usage: clouds.py [-t THREADS] [-r REPEATS] [--only voxels|clouds]
                 [--results FILE --commit HASH --device TEXT]

--results adds the rows to a file of bench/results, and needs --only. Peers are optional. Answers are compared:
distances and numbers of edges; the means of all points of voxels.

    clouds.py --only clouds -t 2 --results bench/results/clouds.json --commit $(git rev-parse --short HEAD)
    clouds.py --only voxels -t 2 --results bench/results/voxels.json --commit $(git rev-parse --short HEAD)
"""

import argparse
import importlib.util
import math

import boscage
import numpy as np
import rows

from boscage.voxels import voxel_down_sample


def voxels(options):
    """Means of the points of each voxel, of many points and of few in one."""
    if not importlib.util.find_spec("open3d"):
        print("open3d is not installed")
        return []
    import open3d

    made = []
    for n, size in ((1_000_000, 0.05), (10_000_000, 0.02), (10_000_000, 0.0056)):
        points = np.random.default_rng(0).random((n, 3))
        cloud = open3d.geometry.PointCloud(open3d.utility.Vector3dVector(points))
        ours, few = rows.median(lambda: voxel_down_sample(points, size), options.repeats)
        theirs, other = rows.median(lambda: cloud.voxel_down_sample(size), options.repeats)
        other = np.asarray(other.points)
        # Open3D's grid begins half a voxel before the least point, so the numbers of voxels differ by its borders.
        assert abs(len(few) - len(other)) < 0.1 * len(few) + 1000, (len(few), len(other))
        assert np.allclose(few.mean(0), other.mean(0), atol=0.01)
        name = f"uniform points, 3-D f64, {len(few):,} voxels"
        peer = f"Open3D {open3d.__version__}"
        made.append(rows.row("boscage.voxels.voxel_down_sample", name, n, ours, peer, theirs, threads=options.threads))
    return made


def clouds(options):
    """Edges of batches of clouds."""
    if not importlib.util.find_spec("torch_cluster"):
        print("torch_cluster is not installed")
        return []
    import boscage.torch as tensors
    import torch
    import torch_cluster

    made = []
    generator = torch.Generator().manual_seed(1)
    torch.set_num_threads(options.threads)
    for count, size, k in ((512, 64, 16), (64, 256, 16), (24, 2048, 16)):
        n = count * size
        x = torch.rand(n, 3, generator=generator)
        batch = torch.arange(count).repeat_interleave(size)
        r = (24 / size * 3 / 4 / math.pi) ** (1 / 3)  # of 24 neighbours
        calls = {
            f"knn_graph, k {k}": lambda module: module.knn_graph(x, k, batch),
            "radius_graph": lambda module: module.radius_graph(x, r, batch, max_num_neighbors=64),
            "fps, a quarter": lambda module: module.fps(x, batch, 0.25, random_start=False),
        }
        for name, call in calls.items():
            ours, found = rows.median(lambda: call(tensors), options.repeats)
            theirs, other = rows.median(lambda: call(torch_cluster), options.repeats)
            sizes = found.shape[-1], other.shape[-1]
            assert abs(sizes[0] - sizes[1]) <= 1e-4 * sizes[0] + 2, (name, sizes)
            if name.startswith("knn"):
                lengths = [((x[e[0]] - x[e[1]]) ** 2).sum(1).view(n, k).sort(1)[0] for e in (found, other)]
                assert torch.allclose(*lengths, 1e-5, 1e-7), name
            shape = f"{count} clouds of {size}, uniform 3-D f32"
            peer = f"torch_cluster {torch_cluster.__version__}"
            made.append(rows.row(f"boscage.torch.{name}", shape, n, ours, peer, theirs, threads=options.threads))
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("voxels", "clouds"))
    rows.add_arguments(parser)
    options = parser.parse_args()
    if options.results and not options.only:
        parser.error("--results: needs --only")
    method = f"python/bench/clouds.py: Python calls, medians of {options.repeats}; answers compared"
    with boscage.use("cpu", threads=options.threads):
        for name, measure in (("voxels", voxels), ("clouds", clouds)):
            if options.only in (None, name):
                rows.write_run(options, method, measure(options))


if __name__ == "__main__":
    main()
