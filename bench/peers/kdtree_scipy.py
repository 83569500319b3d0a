#!/usr/bin/env python3
"""scipy's cKDTree beside libboscage on the same points: kdtree_scipy.py LIBRARY [POINTS [QUERIES [DIM [THREADS]]]].

Times are the fastest of three; one thread is timed by the processor time that it takes. The distances of the neighbours
that both find are compared: ours are rounded to float, so of neighbours equally far within that either may be named.
"""
import ctypes
import sys
import time

try:
    import numpy as np
    from scipy.spatial import cKDTree
except ImportError as missing:
    sys.exit(f"kdtree_scipy: {missing}")

pointer, i32, i64, size_t = ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64, ctypes.c_size_t


class CtxOpts(ctypes.Structure):
    _fields_ = [("size", size_t), ("backend", i32), ("device", i32), ("threads", i32)]


class TreeOpts(ctypes.Structure):
    _fields_ = [("size", size_t), ("dtype", i32), ("dim", i32), ("builder", i32), ("duplicates", i32), ("id_bits", i32)]


class Boscage:
    """A context of the CPU and a tree in it."""

    def __init__(self, path, dim, threads):
        self.lib, self.ctx, self.tree = ctypes.CDLL(path), pointer(), pointer()
        opts = CtxOpts(size=ctypes.sizeof(CtxOpts), backend=1, threads=threads)
        assert self.lib.bosc_ctx_create(ctypes.byref(opts), ctypes.byref(self.ctx)) == 0
        opts = TreeOpts(size=ctypes.sizeof(TreeOpts), dim=dim, id_bits=64)
        assert self.lib.bosc_kdtree_create(self.ctx, ctypes.byref(opts), ctypes.byref(self.tree)) == 0

    def build(self, points):
        assert self.lib.bosc_kdtree_build(self.ctx, self.tree, pointer(points.ctypes.data), i64(len(points)),
                                          i64(0)) == 0

    def query(self, queries, k):
        ids, dist2 = np.empty((len(queries), k), "i8"), np.empty((len(queries), k), "f4")
        assert self.lib.bosc_kdtree_knn(self.ctx, self.tree, pointer(queries.ctypes.data), i64(len(queries)), i64(0),
                                        i64(k), pointer(ids.ctypes.data), pointer(dist2.ctypes.data)) == 0
        return np.sqrt(dist2.astype("f8")), ids


def fastest(run, clock):
    """The result, and the seconds of the fastest of three runs."""
    best = np.inf
    for _ in range(3):
        begin = clock()
        result = run()
        best = min(best, clock() - begin)
    return result, best


def main():
    given = [int(x) for x in sys.argv[2:]]
    n, m, dim, threads = given + [1 << 20, 1 << 20, 3, 1][len(given):]
    clock = time.process_time if threads == 1 else time.perf_counter
    random = np.random.default_rng(1)
    points, queries = random.random((n, dim), "f4"), random.random((m, dim), "f4")
    ours = Boscage(sys.argv[1], dim, threads)
    print(f"# {n} uniform points, {m} queries, dim {dim}, {threads} threads")
    print(f"{'':12} {'boscage':>12} {'scipy':>12} {'times':>8}")
    _, seconds = fastest(lambda: ours.build(points), clock)
    peer, others = fastest(lambda: cKDTree(points), clock)
    print(f"{'build':12} {1e3 * seconds:9.1f} ms {1e3 * others:9.1f} ms {others / seconds:8.1f}")
    for k in (1, 8):
        (near, ids), seconds = fastest(lambda: ours.query(queries, k), clock)
        (expected, _), others = fastest(lambda: peer.query(queries, k, workers=threads), clock)
        expected = expected.reshape(m, k)
        exact = np.sqrt(((points[ids].astype("f8") - queries[:, None, :].astype("f8")) ** 2).sum(axis=2))
        assert np.allclose(near, exact, rtol=1e-6, atol=0) and np.allclose(near, expected, rtol=1e-6, atol=0)
        print(f"{f'k={k}, Mq/s':12} {1e-6 * m / seconds:12.3f} {1e-6 * m / others:12.3f} {others / seconds:8.1f}")


if __name__ == "__main__":
    main()
