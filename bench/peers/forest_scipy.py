"""scipy's minimum_spanning_tree beside ours on one random graph, and its Euclidean tree (Delaunay triangulation, then
minimum_spanning_tree) beside ours on the same points; the weights are to be equal:
forest_scipy.py TOOL [vertices [edges [points]]], where TOOL is the program boscage."""
import json
import os
import subprocess
import sys
import tempfile
import time

try:
    import numpy
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import minimum_spanning_tree
    from scipy.spatial import Delaunay
except ImportError:
    sys.exit("forest_scipy: scipy is not installed")

if len(sys.argv) < 2:
    sys.exit(__doc__)
tool = os.path.abspath(sys.argv[1])
n, m, points = (int(a) for a in (sys.argv[2:] + ["1000000", "6000000", "100000"][len(sys.argv) - 2 :]))


def boscage(*arguments):
    text = subprocess.run([tool, *arguments, "--threads", "1", "--json"], stdout=subprocess.PIPE, check=True).stdout
    return json.loads(text)


def row(name, seconds, weight):
    print(f"{name:28} {1e3 * seconds:12.3f} ms   weight {weight:.10g}", flush=True)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    boscage("generate", "graph", "--n", str(n), "--m", str(m), "-o", "g.gr")
    ours = boscage("mst", "g.gr", "-o", "t.npy")
    row("boscage, graph", ours["seconds"]["build"], 0)
    row("boscage, forest", ours["seconds"]["forest"], ours["weight"])
    u, v, w = numpy.loadtxt("g.gr", dtype="i8", usecols=(1, 2, 3), comments=("c", "p"), unpack=True)
    u, v = numpy.minimum(u, v) - 1, numpy.maximum(u, v) - 1
    order = numpy.lexsort((w, v, u))
    u, v, w = u[order], v[order], w[order]
    first = numpy.concatenate(([True], (u[1:] != u[:-1]) | (v[1:] != v[:-1])))  # of parallel edges the lightest
    begin = time.perf_counter()
    graph = coo_matrix((w[first], (u[first], v[first])), shape=(n, n)).tocsr()
    row("scipy, graph", time.perf_counter() - begin, 0)
    begin = time.perf_counter()
    tree = minimum_spanning_tree(graph)
    row("scipy, forest", time.perf_counter() - begin, tree.sum())

    boscage("generate", "points", "--n", str(points), "--dim", "2", "--dtype", "f8", "-o", "p.npy")
    ours = boscage("emst", "p.npy", "-o", "e.npy")
    row("boscage, Euclidean tree", ours["seconds"]["tree"], ours["weight"])
    p = numpy.load("p.npy")
    begin = time.perf_counter()
    corners = Delaunay(p).simplices
    pairs = numpy.unique(numpy.sort(numpy.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [0, 2]]])), axis=0)
    lengths = numpy.linalg.norm(p[pairs[:, 0]] - p[pairs[:, 1]], axis=1)
    tree = minimum_spanning_tree(coo_matrix((lengths, pairs.T), shape=(points, points)).tocsr())
    row("scipy, Euclidean tree", time.perf_counter() - begin, tree.sum())
