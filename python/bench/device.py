#!/usr/bin/env python3
"""Measures calls from CuPy's arrays beside the bare call of the extension on the same arrays, and CuPy's own tree.

usage: device.py [N]
"""

import sys
import time

import cupy
import numpy as np
from boscage import _core
from boscage.spatial import KDTree


def least(call, repeat=9):
    times = []
    for _ in range(repeat):
        cupy.cuda.Device().synchronize()
        begin = time.perf_counter()
        call()
        cupy.cuda.Device().synchronize()
        times.append(time.perf_counter() - begin)
    return min(times) * 1e3


def main(n=1_000_000, k=8):
    print(cupy.cuda.runtime.getDeviceProperties(0)["name"].decode(), "n", n, "k", k)
    rng = np.random.default_rng(0)
    for dtype in ("float32", "float64"):
        points, queries = (cupy.asarray(rng.random((n, 3)).astype(dtype)) for _ in range(2))
        tree = KDTree(points)
        at = _core.Where("cuda", 0, 0, 1)
        ids, d = cupy.empty((n, k), cupy.int64), cupy.empty((n, k), dtype)
        build, bare_build = least(lambda: tree.rebuild(points)), least(lambda: tree._handle.build(at, points))
        query = least(lambda: tree.query(queries, k=k))
        bare = least(lambda: tree._handle.knn(at, queries, k, np.inf, ids, d))
        found = tree.query(queries, k=k)
        assert (found[1] == ids).all()
        print(f"{dtype}: build {build:.3f} ms, bare {bare_build:.3f} ms; query {query:.3f} ms, bare {bare:.3f} ms")
    try:
        from cupyx.scipy.spatial import KDTree as Theirs

        theirs = Theirs(points)
        build, query = least(lambda: Theirs(points), 3), least(lambda: theirs.query(queries, k=k), 3)
        print(f"cupyx: build {build:.3f} ms, query {query:.3f} ms")
        assert cupy.allclose(theirs.query(queries, k=k)[0], found[0])
    except ImportError as error:
        print("no tree of CuPy:", error)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
