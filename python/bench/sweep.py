#!/usr/bin/env python3
"""Measures functions beside their originals, at sizes from 10 to 10^6 and on many shapes of input.

usage: sweep.py [--only WORD] [--shape WORD] [--sizes N,N,...] [--limit SECONDS] [--time SECONDS] [--budget SECONDS]
                [--processor-time] [--json FILE] [--results FILE --commit HASH --device TEXT]

A line is marked where the original is faster by more than 1.1 times and 2 microseconds; the program then ends with 1.
Times are the least of as many calls as take --time (0.02), at least two. Calls of the two alternate, and so does which
one is first, so that both see the same load and the same caches. A size is left out where a call is expected to take
more than --limit (0.5) seconds. After --budget (660) seconds the program ends, at the size that it has come to.
--processor-time sums the time of all threads, for loaded machines. Answers are not compared: python/tests and
compare.py do that.

--json writes all times as data, --results replaces the runs of a file of bench/results, from which
tools/make-performance makes a table. On an idle machine, in 12 minutes at most:

    sweep.py --results bench/results/sweep.json --commit $(git rev-parse --short HEAD) --device "CPU, idle cores"
"""

import argparse
import datetime
import functools
import gc
import json
import os
import platform
import sys
import time

import numpy as np
from rows import write_json

SIZES = [10, 100, 1000, 10_000, 100_000, 1_000_000]
CASES = []  # (name, shape, function of the size; most)


def case(name, *shapes, most=SIZES[-1]):
    """Registers a function of (shape, n) that returns two calls, ours and the original's, or three with a setup.

    A setup runs before each call, which gets its result.
    """

    def add(function):
        CASES.extend((name, shape, function, most) for shape in shapes)
        return function

    return add


def rng(n):
    return np.random.default_rng(n)


# --- k-d trees --------------------------------------------------------------------------------------------------------

CLOUDS = ("uniform 2-D", "uniform 3-D", "uniform 10-D", "plane z = 0", "line 3-D", "clusters", "ten places", "float32")
COUNTED = ("uniform 2-D", "uniform 3-D", "line 3-D", "axis 3-D", "plane z = 0", "clusters", "ten places", "one place")


def cloud(shape, n):
    random = rng(n)
    if shape == "plane z = 0":
        return np.c_[random.random((n, 2)), np.zeros(n)]
    if shape == "line 3-D":
        return np.linspace(0, 1, n)[:, None] * [1.0, 2.0, 3.0]
    if shape == "axis 3-D":
        return np.c_[random.random(n), np.zeros((n, 2))]
    if shape == "one place":
        return np.full((n, 3), 0.5)
    if shape == "clusters":
        return random.normal(size=(n, 3)) * 0.01 + random.integers(0, 10, (n, 1))
    if shape == "ten places":
        return random.integers(0, 10, (n, 1)) * [1.0, 2.0, 3.0]
    x = random.random((n, {"uniform 2-D": 2, "uniform 10-D": 10, "uniform 20-D": 20}.get(shape, 3)))
    return x.astype(np.float32) if shape == "float32" else x


def trees(shape, n):
    import scipy.spatial

    from boscage.spatial import cKDTree

    x = cloud(shape, n)
    return x, cKDTree(x), scipy.spatial.cKDTree(x)


def near(x):
    """A radius with about ten neighbours in a uniform cloud of the extent of x."""
    extent = np.ptp(x, axis=0)
    extent = extent[extent > 0]
    return float((10 * np.prod(extent) / len(x)) ** (1 / max(len(extent), 1)) / 2) if len(extent) else 1.0


@case("cKDTree", *CLOUDS)
def _(shape, n):
    import scipy.spatial

    from boscage.spatial import cKDTree

    x = cloud(shape, n)
    return lambda: cKDTree(x), lambda: scipy.spatial.cKDTree(x)


@case("cKDTree.query k=1", *CLOUDS)
def _(shape, n):
    x, ours, theirs = trees(shape, n)
    return lambda: ours.query(x), lambda: theirs.query(x, workers=-1)


@case("cKDTree.query one point", "uniform 3-D")
def _(shape, n):
    x, ours, theirs = trees(shape, n)
    return lambda: ours.query(x[0], k=5), lambda: theirs.query(x[0], k=5)


@case("cKDTree.query k=8", *CLOUDS)
def _(shape, n):
    x, ours, theirs = trees(shape, n)
    return lambda: ours.query(x, k=8), lambda: theirs.query(x, k=8, workers=-1)


@case("cKDTree.query p=1, bound", "uniform 3-D", "line 3-D")
def _(shape, n):
    x, ours, theirs = trees(shape, n)
    r = near(x)
    options = {"k": 4, "p": 1, "distance_upper_bound": r}
    return lambda: ours.query(x, **options), lambda: theirs.query(x, workers=-1, **options)


for _p in (1, np.inf, 3):

    @case(f"cKDTree.query p={_p:g}", "uniform 3-D", "uniform 20-D", "clusters", "line 3-D", "float32", most=100_000)
    def _(shape, n, p=_p):
        x, ours, theirs = trees(shape, n)
        q = x[:5000]
        return lambda: ours.query(q, k=4, p=p), lambda: theirs.query(q, k=4, p=p, workers=-1)

    @case(f"cKDTree.query_ball_point p={_p:g}, lengths", "uniform 3-D", "clusters", "line 3-D", most=100_000)
    def _(shape, n, p=_p):
        x, ours, theirs = trees(shape, n)
        q, options = x[:5000], {"p": p, "return_length": True}
        r = near(x)
        return (
            lambda: ours.query_ball_point(q, r, **options),
            lambda: theirs.query_ball_point(q, r, workers=-1, **options),
        )


@case("cKDTree.query_ball_point", "uniform 2-D", "uniform 3-D", "plane z = 0", "line 3-D", "float32")
def _(shape, n):
    x, ours, theirs = trees(shape, n)
    r = near(x)
    return lambda: ours.query_ball_point(x, r), lambda: theirs.query_ball_point(x, r, workers=-1)


@case("cKDTree.query_ball_point lengths", "uniform 2-D", "uniform 3-D", "plane z = 0", "line 3-D")
def _(shape, n):
    x, ours, theirs = trees(shape, n)
    r = near(x)
    return (
        lambda: ours.query_ball_point(x, r, return_length=True),
        lambda: theirs.query_ball_point(x, r, return_length=True, workers=-1),
    )


@case("cKDTree.query_pairs", "uniform 2-D", "uniform 3-D", "plane z = 0", "line 3-D", "float32", "uniform 10-D")
def _(shape, n):
    x, ours, theirs = trees(shape, n)
    r = near(x)
    return (
        lambda: ours.query_pairs(r, output_type="ndarray"),
        lambda: theirs.query_pairs(r, output_type="ndarray"),
    )


@case("cKDTree.query_pairs tiny radius", "uniform 3-D", "plane z = 0", "line 3-D")
def _(shape, n):
    x, ours, theirs = trees(shape, n)
    return (
        lambda: ours.query_pairs(1e-9, output_type="ndarray"),
        lambda: theirs.query_pairs(1e-9, output_type="ndarray"),
    )


@case("cKDTree.query_pairs set", "uniform 3-D", most=100_000)
def _(shape, n):
    x, ours, theirs = trees(shape, n)
    r = near(x)
    return lambda: ours.query_pairs(r), lambda: theirs.query_pairs(r)


@case("cKDTree.query_ball_tree", "uniform 2-D", "uniform 3-D", "line 3-D")
def _(shape, n):
    x, ours, theirs = trees(shape, n)
    r = near(x)
    return lambda: ours.query_ball_tree(ours, r), lambda: theirs.query_ball_tree(theirs, r)


RADII = {
    "": lambda x: near(x) * np.array([0.5, 1.0]),
    " 1 radius": near,
    " 10 radii": lambda x: near(x) * np.linspace(0.1, 1, 10),
    " radius 0": lambda x: 0.0,
    " all": lambda x: 1e9,
    " p=1": lambda x: near(x) * np.array([0.5, 1.0]),
}
for _radii in RADII:

    @case("cKDTree.count_neighbors" + _radii, *COUNTED, most=100_000)
    def _(shape, n, radii=_radii):
        x, ours, theirs = trees(shape, n)
        r, p = RADII[radii](x), 1 if radii == " p=1" else 2
        return lambda: ours.count_neighbors(ours, r, p), lambda: theirs.count_neighbors(theirs, r, p)


@case("cKDTree.count_neighbors with weights", "uniform 3-D", "axis 3-D", most=100_000)
def _(shape, n):
    x, ours, theirs = trees(shape, n)
    r, w = near(x) * np.array([0.5, 1.0]), rng(n).random(n)
    return lambda: ours.count_neighbors(ours, r, weights=w), lambda: theirs.count_neighbors(theirs, r, weights=w)


@case("cKDTree.sparse_distance_matrix", "uniform 2-D", "uniform 3-D", "line 3-D")
def _(shape, n):
    x, ours, theirs = trees(shape, n)
    r = near(x)
    return (
        lambda: ours.sparse_distance_matrix(ours, r, output_type="coo_matrix"),
        lambda: theirs.sparse_distance_matrix(theirs, r, output_type="coo_matrix"),
    )


# --- scikit-learn -----------------------------------------------------------------------------------------------------


@case("NearestNeighbors.fit", "uniform 3-D", "float32")
def _(shape, n):
    import sklearn.neighbors

    import boscage.neighbors

    x = cloud(shape, n)
    ours, theirs = (
        m.NearestNeighbors(n_neighbors=5, algorithm="kd_tree") for m in (boscage.neighbors, sklearn.neighbors)
    )
    return lambda: ours.fit(x), lambda: theirs.fit(x)


@case("NearestNeighbors.kneighbors", "uniform 3-D", "float32", "line 3-D")
def _(shape, n):
    import sklearn.neighbors

    import boscage.neighbors

    x = cloud(shape, n)
    ours, theirs = (
        m.NearestNeighbors(n_neighbors=5, algorithm="kd_tree", n_jobs=-1).fit(x)
        for m in (boscage.neighbors, sklearn.neighbors)
    )
    return lambda: ours.kneighbors(x), lambda: theirs.kneighbors(x)


@case("neighbors.KDTree.query", "uniform 3-D", "line 3-D")
def _(shape, n):
    import sklearn.neighbors

    import boscage.neighbors

    x = cloud(shape, n)
    ours, theirs = boscage.neighbors.KDTree(x), sklearn.neighbors.KDTree(x)
    return lambda: ours.query(x, k=5), lambda: theirs.query(x, k=5)


@case("neighbors.KDTree.query_radius", "uniform 3-D", "line 3-D")
def _(shape, n):
    import sklearn.neighbors

    import boscage.neighbors

    x = cloud(shape, n)
    r = near(x)
    ours, theirs = boscage.neighbors.KDTree(x), sklearn.neighbors.KDTree(x)
    return lambda: ours.query_radius(x, r), lambda: theirs.query_radius(x, r)


@case("neighbors.KDTree.two_point_correlation", "uniform 3-D", "one place", most=10_000)
def _(shape, n):
    import sklearn.neighbors

    import boscage.neighbors

    x = cloud(shape, n)
    r = near(x) * np.array([0.5, 1.0])
    ours, theirs = boscage.neighbors.KDTree(x), sklearn.neighbors.KDTree(x)
    return lambda: ours.two_point_correlation(x, r), lambda: theirs.two_point_correlation(x, r)


for _method in ("kneighbors_graph", "radius_neighbors", "radius_neighbors_graph"):

    @case("NearestNeighbors." + _method, "uniform 3-D", most=100_000)
    def _(shape, n, method=_method):
        import sklearn.neighbors

        import boscage.neighbors

        x = cloud(shape, n)
        options = {"n_neighbors": 5, "radius": near(x), "algorithm": "kd_tree", "n_jobs": -1}
        ours, theirs = (m.NearestNeighbors(**options).fit(x) for m in (boscage.neighbors, sklearn.neighbors))
        return lambda: getattr(ours, method)(x), lambda: getattr(theirs, method)(x)


for _transformer in ("KNeighborsTransformer", "RadiusNeighborsTransformer"):

    @case(_transformer, "uniform 3-D", most=100_000)
    def _(shape, n, name=_transformer):
        import sklearn.neighbors

        import boscage.neighbors

        x = cloud(shape, n)
        options = {"n_neighbors": 5} if name.startswith("K") else {"radius": near(x)}
        ours, theirs = (
            getattr(m, name)(algorithm="kd_tree", n_jobs=-1, **options) for m in (boscage.neighbors, sklearn.neighbors)
        )
        return lambda: ours.fit_transform(x), lambda: theirs.fit_transform(x)


# --- clusters ---------------------------------------------------------------------------------------------------------


@case("linkage", "uniform 2-D", "uniform 3-D", "uniform 10-D", "uniform 50-D", "line 3-D", "ten places", most=10_000)
def _(shape, n):
    import scipy.cluster.hierarchy

    from boscage.cluster.hierarchy import linkage

    x = rng(n).random((n, 50)) if shape == "uniform 50-D" else cloud(shape, n)
    return lambda: linkage(x), lambda: scipy.cluster.hierarchy.linkage(x)


@case("single of distances", "uniform 3-D", most=10_000)
def _(shape, n):
    import scipy.cluster.hierarchy
    import scipy.spatial.distance

    from boscage.cluster.hierarchy import single

    y = scipy.spatial.distance.pdist(cloud(shape, n))
    return lambda: single(y), lambda: scipy.cluster.hierarchy.single(y)


# --- graphs -----------------------------------------------------------------------------------------------------------


def graph(shape, n):
    """A graph of about n entries."""
    import scipy.sparse

    random = rng(n)
    if shape.startswith("path"):
        u, v, m = np.arange(n), np.arange(n) + 1, n + 1
    elif shape.startswith("grid"):
        side = max(int((n / 2) ** 0.5), 2)
        at = np.arange(side * side).reshape(side, side)
        u = np.concatenate([at[:, :-1].ravel(), at[:-1].ravel()])
        v, m = np.concatenate([at[:, 1:].ravel(), at[1:].ravel()]), side * side
    else:
        m = max(n // 4, 2)
        u, v = random.integers(0, m, n), random.integers(0, m, n)
    weights = {
        "equal": lambda: np.ones(len(u)),
        "ascending": lambda: np.arange(1.0, len(u) + 1),
        "descending": lambda: np.arange(len(u), 0.0, -1),
    }.get(shape.split()[-1], lambda: random.random(len(u)) + 1)()
    return scipy.sparse.csr_array((weights, (u, v)), shape=(m, m))


GRAPHS = ("random", "path equal", "path ascending", "path descending", "path random", "grid equal", "grid random")


@case("csgraph.minimum_spanning_tree", *GRAPHS)
def _(shape, n):
    import scipy.sparse.csgraph

    from boscage.sparse.csgraph import minimum_spanning_tree

    g = graph(shape, n)
    return lambda: minimum_spanning_tree(g), lambda: scipy.sparse.csgraph.minimum_spanning_tree(g)


@case("csgraph.connected_components", "random", "path equal", "grid equal")
def _(shape, n):
    import scipy.sparse.csgraph

    from boscage.sparse.csgraph import connected_components

    g = graph(shape, n)
    return lambda: connected_components(g, False), lambda: scipy.sparse.csgraph.connected_components(g, False)


def networkx_graph(shape, n):
    import networkx as nx

    g = graph(shape.replace(" again", ""), n).tocoo()
    out = nx.Graph()
    out.add_weighted_edges_from(zip(g.row.tolist(), g.col.tolist(), g.data.tolist()))
    return out


def register_networkx(name):
    @case("networkx " + name, "random", "path equal", "random again", most=100_000)
    def _(shape, n):
        import networkx as nx

        function, g = getattr(nx, name), networkx_graph(shape, n)
        run = (lambda g, backend: list(function(g, backend=backend))) if name.endswith("components") else function
        if name.startswith("number"):
            run = function
        if shape.endswith("again"):
            run(g, backend="boscage"), run(g, backend="boscage")
            return lambda: run(g, backend="boscage"), lambda: run(g, backend="networkx")

        def forget():
            g.__networkx_cache__.clear()
            return g

        return forget, lambda g: run(g, backend="boscage"), lambda g: run(g, backend="networkx")


for _name in (
    "minimum_spanning_tree",
    "maximum_spanning_tree",
    "connected_components",
    "number_connected_components",
    "is_connected",
):
    register_networkx(_name)


# --- tables -----------------------------------------------------------------------------------------------------------

COLUMNS = {
    "int64 random": lambda n: rng(n).integers(-(2**62), 2**62, n),
    "int64 dense": lambda n: rng(n).integers(0, n, n),
    "int64 of 10": lambda n: rng(n).integers(0, 10, n),
    "int64 of 1000": lambda n: rng(n).integers(0, 1000, n) * 7919,
    "int64 ascending": lambda n: np.arange(n),
    "int64 cycle": lambda n: np.arange(n) % 10,
    "int32 random": lambda n: rng(n).integers(-(2**31), 2**31, n).astype(np.int32),
    "int8": lambda n: rng(n).integers(-100, 100, n).astype(np.int8),
    "bool": lambda n: rng(n).random(n) < 0.5,
    "float64 random": lambda n: rng(n).random(n),
    "float64 of 10": lambda n: rng(n).integers(0, 10, n) / 8,
    "float64 with NaN": lambda n: np.where(rng(n).random(n) < 0.1, np.nan, rng(n).random(n)),
    "float32 random": lambda n: rng(n).random(n).astype(np.float32),
    "strings of 5": lambda n: rng(n).integers(10_000, 10_000 + max(n // 4, 1), n).astype("U5"),
    "strings of 20": lambda n: np.char.add("a prefix of 15 ", rng(n).integers(10_000, 99_999, n).astype("U5")),
    "dates": lambda n: rng(n).integers(0, max(n // 4, 1), n).astype("M8[s]"),
}


@functools.lru_cache(2 * len(COLUMNS))
def column(name, n):
    return COLUMNS[name](n)


WORDS = ("objects", "pandas str", "pandas string")


def words(shape, n, seed=0):
    """Strings of about n / 4 kinds, as one of WORDS."""
    import pandas

    keys = np.char.add("key", rng(n + seed).integers(0, max(n // 4, 1), n).astype("U7")).astype(object)
    return keys if shape == "objects" else pandas.Series(keys, dtype=shape.split()[1])


@case("unique unsorted beside pandas", *WORDS)
def _(shape, n):
    import pandas

    from boscage.hashing import unique

    x = words(shape, n)
    return lambda: unique(x, sorted=False), lambda: pandas.unique(x)


@case("factorize beside pandas", *WORDS)
def _(shape, n):
    import pandas

    from boscage.hashing import factorize

    x = words(shape, n)
    return lambda: factorize(x), lambda: pandas.factorize(x)


@case("isin beside pandas", *(f"{shape}, {tests}" for shape in WORDS for tests in (5, 300)))
def _(shape, n):
    import pandas

    from boscage.hashing import isin

    kind, tests = shape.split(", ")
    x, y = words(kind, n), words(kind, n, 1)[: int(tests)]
    series = pandas.Series(x)
    return lambda: isin(x, y), lambda: series.isin(y)


@case("HashMap beside dict", "int64 random", "strings of 5")
def _(shape, n):
    from boscage.hashing import HashMap

    keys, values = column(shape, n), np.arange(n)
    return lambda: HashMap(keys, values), lambda: dict(zip(keys.tolist(), values.tolist()))


@case("HashMap.get beside dict", "int64 random", "strings of 5")
def _(shape, n):
    from boscage.hashing import HashMap

    keys, values = column(shape, n), np.arange(n)
    table, plain = HashMap(keys, values), dict(zip(keys.tolist(), values.tolist()))

    def look_up():
        get = plain.get
        return np.array([get(key, 0) for key in keys.tolist()])

    return lambda: table.get(keys), look_up


@case("unique", *COLUMNS)
def _(shape, n):
    from boscage.hashing import unique

    x = column(shape, n)
    return lambda: unique(x), lambda: np.unique(x)


@case("unique with inverse", "int64 random", "int64 of 10", "float64 random", "int32 random")
def _(shape, n):
    from boscage.hashing import unique

    x = column(shape, n)
    return lambda: unique(x, return_inverse=True), lambda: np.unique(x, return_inverse=True)


@case("unique with counts", "int64 random", "int64 of 10", "float64 random", "int32 random")
def _(shape, n):
    from boscage.hashing import unique

    x = column(shape, n)
    return lambda: unique(x, return_counts=True), lambda: np.unique(x, return_counts=True)


@case("unique unsorted", *COLUMNS)
def _(shape, n):
    from boscage.hashing import unique

    x = column(shape, n)
    return lambda: unique(x, sorted=False), lambda: np.unique(x, **UNSORTED)


@case("factorize", *COLUMNS)
def _(shape, n):
    import pandas

    from boscage.hashing import factorize

    x = column(shape, n)
    theirs = x.astype(object) if x.dtype.kind == "U" else x  # as pandas holds strings
    return lambda: factorize(x), lambda: pandas.factorize(theirs)


TESTS = {"1 test": 1, "5 tests": 5, "100 tests": 100, "as many tests": None}


@case("isin", *(f"{column}, {tests}" for column in COLUMNS for tests in TESTS))
def _(shape, n):
    from boscage.hashing import isin

    name, tests = shape.split(", ")
    x, y = column(name, n), column(name, TESTS[tests] or n + 1)
    return lambda: isin(x, y), lambda: np.isin(x, y)


@case("HashSet beside distinct keys", "int64 of 10", "int64 of 1000", "int64 cycle", "float64 of 10", "int32 of 10")
def _(shape, n):
    from boscage.hashing import HashSet

    dtype = np.int32 if shape.startswith("int32") else np.int64
    x, distinct = column(shape.replace("int32", "int64"), n), rng(n).permutation(n)
    return lambda x=x.astype(dtype) if dtype == np.int32 else x: HashSet(x), lambda x=distinct.astype(dtype): HashSet(x)


UNSORTED = {"sorted": False} if np.lib.NumpyVersion(np.__version__) >= "2.3.0" else {}


# --- times ------------------------------------------------------------------------------------------------------------


def timed(call, setup, clock):
    gone = () if setup is None else (setup(),)
    begin = clock()
    call(*gone)
    return clock() - begin


def measure(calls, setup, least, clock):
    """The least time of each call; the calls alternate."""
    best = [np.inf] * len(calls)
    order = list(range(len(calls)))
    gc.collect()
    gc.disable()
    try:
        begin, rounds = clock(), 0
        while rounds < 2 or clock() - begin < least * len(calls):
            for i in order:
                best[i] = min(best[i], timed(calls[i], setup, clock))
            order.reverse()
            rounds += 1
    finally:
        gc.enable()
    return best


def sweep(cases, sizes, options):
    """Measures all cases, size by size; returns rows as those of bench/results."""
    clock = time.process_time if options.processor_time else time.perf_counter
    begin, rows, last = time.perf_counter(), [], {}
    for size in sizes:
        for name, shape, function, most in cases:
            before, taken = last.get((name, shape), (size, 0))
            if size > most or taken * size / before > options.limit:
                continue
            if time.perf_counter() - begin > options.budget:
                print(f"{options.budget:g} seconds are over: larger sizes than {size} and some of it are left out")
                return rows
            *setup, ours, theirs = function(shape, size)
            t, u = measure([ours, theirs], setup[0] if setup else None, options.time, clock)
            last[name, shape] = size, max(t, u)
            mark = "  SLOWER" if is_behind(t, u) else ""
            both = f"{t * 1e6:12.1f} us {u * 1e6:12.1f} us {t / max(u, 1e-9):7.2f}"
            print(f"{name:<34} {shape:<28} {size:>8} {both}{mark}", flush=True)
            times = {"ours": digits(t * 1e6), "peer": peer_of(name), "peer_time": digits(u * 1e6)}
            ratio = digits(times["peer_time"] / max(times["ours"], 1e-3))
            rows.append({"case": name, "shape": shape, "n": size, "unit": "us", **times, "ratio": ratio})
    return rows


def is_behind(ours, original):
    """True if the original is faster by more than 1.1 times and 2 microseconds; times are in seconds."""
    return ours > 1.1 * original and ours - original > 2e-6


def digits(x):
    return float(f"{x:.4g}")


def peer_of(name):
    """The original of a function."""
    if name.startswith("networkx"):
        return "networkx"
    if name.endswith(("beside pandas", "beside dict", "beside distinct keys")):
        return name.split("beside ")[1]
    if name.startswith("factorize"):
        return "pandas"
    if name.startswith(("unique", "isin")):
        return "NumPy"
    return "scikit-learn" if name.startswith(("Nearest", "neighbors", "KNeighbors", "RadiusNeighbors")) else "scipy"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json")
    parser.add_argument("--results")
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--device", default=f"{platform.machine()}, {os.cpu_count()} cores")
    parser.add_argument("--only", default="", help="part of a function's name")
    parser.add_argument("--shape", default="", help="part of a shape's name")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--limit", type=float, default=0.5)
    parser.add_argument("--time", type=float, default=0.02)
    parser.add_argument("--budget", type=float, default=660)
    parser.add_argument("--processor-time", action="store_true")
    options = parser.parse_args()
    import boscage  # noqa: F401

    cases = [case for case in CASES if options.only in case[0] and options.shape in case[1]]
    rows = sweep(cases, list(map(int, options.sizes.split(","))), options)
    versions = [f"{m.__name__} {m.__version__}" for m in sys.modules.values() if getattr(m, "__name__", "") in PEERS]
    clock = "processor time of all threads" if options.processor_time else "wall time"
    run = {
        "commit": options.commit,
        "date": datetime.date.today().isoformat(),
        "device": options.device,
        "method": f"python python/bench/sweep.py: {clock}, least of two calls or more in turn, load of the machine "
        f"{os.getloadavg()[0]:.1f}; {', '.join(sorted(versions))}",
        "rows": rows,
    }
    if options.json:
        write_json(options.json, run)
    if options.results:
        with open(options.results) as file:
            write_json(options.results, {**json.load(file), "runs": [run]})
    slower = sum(is_behind(row["ours"] / 1e6, row["peer_time"] / 1e6) for row in rows)
    print(f"{len(rows)} measured, {slower} slower than the original")
    return 1 if slower else 0


PEERS = ("numpy", "scipy", "sklearn", "pandas", "networkx")

if __name__ == "__main__":
    sys.exit(main())
