#!/usr/bin/env python3
"""Graph files of other programs are read by boscage(1), and its files by them: graph_files_oracle.py BOSCAGE.

scipy writes and reads Matrix Market, networkx edge lists. Forests and components are compared with scipy's.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import networkx
    import numpy as np
    import scipy.io
    import scipy.sparse
    import scipy.sparse.csgraph
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

TOOL = str(pathlib.Path(sys.argv[1]).resolve())


def tool(*arguments):
    done = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout) if "--json" in arguments else None


def random_matrix(r, symmetric, kind):
    """A square matrix of positive entries."""
    n = int(r.integers(1, 60))
    m = int(r.integers(0, 4 * n))
    rows, columns = r.integers(0, n, m), r.integers(0, n, m)
    if symmetric:
        rows, columns = np.maximum(rows, columns), np.minimum(rows, columns)
    at = np.unique(rows * n + columns)
    values = {"integer": r.integers(1, 1000, len(at)), "real": r.random(len(at)) + 1e-3,
              "pattern": np.ones(len(at), "i8")}[kind]
    matrix = scipy.sparse.coo_matrix((values, (at // n, at % n)), shape=(n, n))
    return matrix + scipy.sparse.tril(matrix, -1).T if symmetric else matrix


def check_matrix(folder, r, symmetric, kind):
    matrix = scipy.sparse.csr_matrix(random_matrix(r, symmetric, kind))
    path, forest = folder / "a.mtx", folder / "t.mtx"
    scipy.io.mmwrite(str(path), matrix, field=kind, precision=17, symmetry="symmetric" if symmetric else "general")
    told = tool("mst", path, "-o", forest, "--json")
    weight = scipy.sparse.csgraph.minimum_spanning_tree(matrix - scipy.sparse.diags(matrix.diagonal())).sum()
    count, of = scipy.sparse.csgraph.connected_components(matrix, directed=False)
    entries = scipy.sparse.tril(matrix).nnz if symmetric else matrix.nnz
    assert (told["n"], told["m"], told["components"]) == (matrix.shape[0], entries, count), told
    assert np.isclose(told["weight"], weight, rtol=1e-12), (told, weight)
    assert np.isclose(scipy.sparse.tril(scipy.sparse.csr_matrix(scipy.io.mmread(str(forest)))).sum(), weight, rtol=1e-12)
    tool("components", path, "-o", folder / "l.npy")
    labels = np.load(folder / "l.npy")
    assert (np.unique(labels, return_inverse=True)[1] == np.unique(of, return_inverse=True)[1]).all() or count == len(
        set(zip(labels.tolist(), of.tolist())))


def check_list(folder, r):
    graph = networkx.gnm_random_graph(int(r.integers(2, 50)), int(r.integers(1, 100)), seed=int(r.integers(1 << 30)))
    for _, _, data in graph.edges(data=True):
        data["weight"] = int(r.integers(-5, 50))
    networkx.write_weighted_edgelist(graph, folder / "a.el")
    told = tool("mst", folder / "a.el", "-o", folder / "t.npy", "--json")
    assert told["m"] == graph.number_of_edges()
    assert told["weight"] == sum(d["weight"] for *_, d in networkx.minimum_spanning_edges(graph))


def check_generated(folder, kind, seed):
    arguments = ("generate", "graph", "--kind", kind, "--n", 500, "--seed", seed, "--quiet", "-o")
    tool(*arguments, folder / "g.mtx")
    tool(*arguments, folder / "g.txt")
    edges = np.loadtxt(folder / "g.txt", dtype="i8", ndmin=2)
    matrix = scipy.sparse.coo_matrix(scipy.io.mmread(str(folder / "g.mtx")))
    n = matrix.shape[0]
    expected = scipy.sparse.coo_matrix((edges[:, 2], (edges[:, 0], edges[:, 1])), shape=(n, n))
    assert abs(scipy.sparse.csr_matrix(matrix) - scipy.sparse.csr_matrix(expected + expected.T)).nnz == 0
    graph = networkx.read_weighted_edgelist(folder / "g.txt", nodetype=int, create_using=networkx.MultiGraph)
    assert graph.number_of_edges() == len(edges)
    weight = sum(d["weight"] for *_, d in networkx.minimum_spanning_edges(graph, keys=False))
    assert tool("mst", folder / "g.mtx", "--json")["weight"] == weight


def main():
    count = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for seed in range(4):
            r = np.random.default_rng(seed)
            for symmetric in (False, True):
                for kind in ("integer", "real", "pattern"):
                    check_matrix(folder, r, symmetric, kind)
                    count += 1
            check_list(folder, r)
            count += 1
        for kind in ("random", "rmat", "ssca2", "grid", "road", "geometric"):
            check_generated(folder, kind, 3)
            count += 1
    print(f"{count} graphs")


if __name__ == "__main__":
    main()
