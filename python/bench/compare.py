#!/usr/bin/env python3
"""Measures the package beside scipy, scikit-learn, NumPy, pandas and networkx, in one run; every answer is compared.

usage: compare.py [--scale S] [--repeat R] [--only WORD] [--csv FILE]

--scale multiplies all sizes (1: those of the goals). Times are the least of R calls (3). A row whose answers differ
ends the program.
"""

import argparse
import csv
import gc
import os
import sys
import time

import numpy as np

ROWS = []


def row(function):
    ROWS.append(function)
    return function


def least(call, repeat):
    best, answer = np.inf, None
    for _ in range(repeat):
        answer = None
        gc.collect()
        begin = time.perf_counter()
        answer = call()
        best = min(best, time.perf_counter() - begin)
    return best, answer


def points(n, m=3, seed=0):
    return np.random.default_rng(seed).random((n, m))


def same(a, b):
    return np.array_equal(a, b)


@row
def kdtree_build(n):
    """KDTree of 1 M points, 3-D"""
    import scipy.spatial

    from boscage.spatial import KDTree

    x = points(int(1e6 * n))
    return (
        lambda: KDTree(x),
        "scipy KDTree",
        lambda: scipy.spatial.KDTree(x),
        lambda a, b: same(a.query(x[:1000])[1], b.query(x[:1000])[1]),
        4,
    )


@row
def kdtree_query(n):
    """query of 1 M points in 1 M, k = 8"""
    import scipy.spatial

    from boscage.spatial import KDTree

    x, q = points(int(1e6 * n)), points(int(1e6 * n), seed=1)
    mine, theirs = KDTree(x), scipy.spatial.KDTree(x)
    return (
        lambda: mine.query(q, k=8),
        "scipy workers=2",
        lambda: theirs.query(q, k=8, workers=2),
        lambda a, b: np.allclose(a[0], b[0], rtol=1e-12) and (a[1] == b[1]).mean() > 0.999999,
        4,
    )


@row
def kdtree_pairs(n):
    """query_pairs of 1 M points to an array, about 4 M pairs"""
    import scipy.spatial

    from boscage.spatial import KDTree

    x = points(int(1e6 * n))
    r = 0.0124 / n ** (1 / 3)
    mine, theirs = KDTree(x), scipy.spatial.KDTree(x)
    return (
        lambda: mine.query_pairs(r, output_type="ndarray"),
        "scipy KDTree",
        lambda: theirs.query_pairs(r, output_type="ndarray"),
        lambda a, b: same(a, b[np.lexsort((b[:, 1], b[:, 0]))]),
        5,
    )


@row
def kdtree_balls(n):
    """query_ball_point of 100 k points, lists"""
    import scipy.spatial

    from boscage.spatial import KDTree

    x = points(int(1e5 * n))
    r = 0.04 / n ** (1 / 3)
    mine, theirs = KDTree(x), scipy.spatial.KDTree(x)
    return (
        lambda: mine.query_ball_point(x, r),
        "scipy workers=2",
        lambda: theirs.query_ball_point(x, r, workers=2),
        lambda a, b: all(p == sorted(q) for p, q in zip(a, b)),
        None,
    )


@row
def neighbours(n):
    """NearestNeighbors.kneighbors of 200 k points, k = 10"""
    import sklearn.neighbors

    import boscage.neighbors

    x = points(int(2e5 * n))
    mine, theirs = (
        m.NearestNeighbors(n_neighbors=10, algorithm="kd_tree").fit(x) for m in (boscage.neighbors, sklearn.neighbors)
    )
    return (
        lambda: mine.kneighbors(x),
        "scikit-learn kd_tree",
        lambda: theirs.kneighbors(x),
        lambda a, b: np.allclose(a[0], b[0]),
        None,
    )


@row
def spanning_tree(n):
    """minimum_spanning_tree, 1 M vertices, 6 M edges"""
    import scipy.sparse
    import scipy.sparse.csgraph

    from boscage.sparse.csgraph import minimum_spanning_tree

    rng = np.random.default_rng(2)
    v, m = int(1e6 * n), int(6e6 * n)
    graph = scipy.sparse.csr_array((rng.random(m) + 1, (rng.integers(0, v, m), rng.integers(0, v, m))), shape=(v, v))
    return (
        lambda: minimum_spanning_tree(graph),
        "scipy csgraph",
        lambda: scipy.sparse.csgraph.minimum_spanning_tree(graph),
        lambda a, b: a.nnz == b.nnz and np.isclose(a.sum(), b.sum()),
        8,
    )


@row
def components(n):
    """connected_components, 1 M vertices, 1 M edges"""
    import scipy.sparse
    import scipy.sparse.csgraph

    from boscage.sparse.csgraph import connected_components

    rng = np.random.default_rng(3)
    v = int(1e6 * n)
    graph = scipy.sparse.csr_array((np.ones(v), (rng.integers(0, v, v), rng.integers(0, v, v))), shape=(v, v))
    return (
        lambda: connected_components(graph, directed=False),
        "scipy csgraph",
        lambda: scipy.sparse.csgraph.connected_components(graph, directed=False),
        lambda a, b: a[0] == b[0] and same(a[1], b[1]),
        None,
    )


@row
def paths_of_grid(n):
    """dijkstra, a grid of 1 M vertices"""
    import scipy.sparse
    import scipy.sparse.csgraph

    from boscage.sparse.csgraph import dijkstra

    side = int(1e3 * n**0.5)
    ids = np.arange(side * side).reshape(side, side)
    u, v = np.r_[ids[:, :-1].ravel(), ids[:-1].ravel()], np.r_[ids[:, 1:].ravel(), ids[1:].ravel()]
    lengths = np.random.default_rng(4).integers(80, 120, len(u)).astype(float)
    ends = np.r_[u, v], np.r_[v, u]
    graph = scipy.sparse.coo_array((np.r_[lengths, lengths], ends), shape=(side * side,) * 2).tocsr()
    return (
        lambda: dijkstra(graph, indices=0),
        "scipy csgraph",
        lambda: scipy.sparse.csgraph.dijkstra(graph, indices=0),
        same,
        5,
    )


@row
def single_linkage(n):
    """linkage of 10 k points, 3-D"""
    import scipy.cluster.hierarchy

    from boscage.cluster.hierarchy import linkage

    x = points(int(1e4 * n))
    return (
        lambda: linkage(x),
        "scipy linkage",
        lambda: scipy.cluster.hierarchy.linkage(x),
        lambda a, b: np.allclose(a, b),
        None,
    )


@row
def unique_values(n):
    """unique of 50 M int64, 1 M distinct"""
    from boscage.hashing import unique

    x = np.random.default_rng(4).integers(0, int(1e6 * n) + 1, int(5e7 * n)) * 7919
    return lambda: unique(x), "numpy.unique", lambda: np.unique(x), same, 5


@row
def unique_random(n):
    """unique of 50 M random int64"""
    from boscage.hashing import unique

    x = np.random.default_rng(4).integers(-(2**62), 2**62, int(5e7 * n))
    return lambda: unique(x), "numpy.unique", lambda: np.unique(x), same, 5


@row
def group_ids(n):
    """factorize of 10 M int64, 1 M distinct"""
    import pandas

    from boscage.hashing import factorize

    x = np.random.default_rng(5).integers(0, int(1e6 * n) + 1, int(1e7 * n)) * 104729
    return (
        lambda: factorize(x),
        "pandas.factorize",
        lambda: pandas.factorize(x),
        lambda a, b: same(a[0], b[0]) and same(a[1], b[1]),
        None,
    )


@row
def membership(n):
    """isin of 10 M int64 in 1 M"""
    from boscage.hashing import isin

    rng = np.random.default_rng(6)
    x, t = rng.integers(0, 2**40, int(1e7 * n)), rng.integers(0, 2**40, int(1e6 * n))
    return lambda: isin(x, t), "numpy.isin", lambda: np.isin(x, t), same, None


@row
def networkx_tree(n):
    """networkx minimum_spanning_tree, 100 k edges"""
    import networkx as nx

    rng = np.random.default_rng(7)
    m = int(1e5 * n)
    graph = nx.Graph()
    graph.add_weighted_edges_from(
        zip(rng.integers(0, m // 3, m).tolist(), rng.integers(0, m // 3, m).tolist(), rng.random(m).tolist())
    )
    return (
        lambda: nx.minimum_spanning_tree(graph, backend="boscage"),
        "networkx",
        lambda: nx.minimum_spanning_tree(graph, backend="networkx"),
        lambda a, b: a.edges == b.edges,
        None,
    )


def overhead():
    """Microseconds of a call of the extension, and of a query of one point, beside scipy's."""
    import scipy.spatial

    import boscage
    from boscage import _core
    from boscage.spatial import KDTree

    x, q = points(1000), points(1)
    with boscage.use("cpu", threads=1):
        tree, theirs, at = KDTree(x), scipy.spatial.KDTree(x), _core.Where("cpu", 0, 1)
        ids, d = np.empty((1, 1), np.int64), np.empty((1, 1))
        calls = {
            "extension, info": lambda: tree._handle.info(at),
            "extension, query": lambda: tree._handle.query_knn(at, q, 1, 2.0, 0.0, None, None, False, ids, d),
            "KDTree.query": lambda: tree.query(q),
            "scipy KDTree.query": lambda: theirs.query(q),
        }
        for name, call in calls.items():
            times = []
            for _ in range(5):
                begin = time.perf_counter()
                for _ in range(2000):
                    call()
                times.append((time.perf_counter() - begin) / 2000)
            print(f"{name:<24} {min(times) * 1e6:8.2f} us a call")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--csv")
    options = parser.parse_args()
    import boscage

    print(f"boscage {boscage.__version__}, {boscage.info()}, NumPy {np.__version__}, {os.cpu_count()} CPUs")
    out = []
    for function in ROWS:
        if options.only not in function.__name__:
            continue
        mine, name, theirs, check, goal = function(options.scale)
        t, a = least(mine, options.repeat)
        u, b = least(theirs, max(1, options.repeat - 1))
        if not check(a, b):
            sys.exit(f"{function.__name__}: the answers differ")
        said = f"{function.__doc__} (x {options.scale:g})" if options.scale != 1 else function.__doc__
        print(
            f"{said:<58} {t:9.4f} s {name:<22} {u:9.4f} s  {u / t:6.1f} x" + (f"  goal {goal} x" if goal else ""),
            flush=True,
        )
        out.append([function.__name__, said, options.scale, t, name, u, u / t, goal])
        del a, b, mine, theirs, check
    if not options.only:
        overhead()
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            csv.writer(file).writerows(
                [["row", "what", "scale", "seconds", "beside", "its seconds", "times", "goal"], *out]
            )


if __name__ == "__main__":
    main()
