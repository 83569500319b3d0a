"""Functions of other libraries replaced by ours, in programs that do not know it."""

import itertools
import pickle
import subprocess
import sys

import networkx
import numpy as np
import pandas
import pytest
import scipy.cluster.hierarchy
import scipy.sparse
import scipy.sparse.csgraph
import scipy.spatial
import sklearn.cluster
import sklearn.neighbors

import boscage
import boscage.neighbors
import boscage.spatial

POINTS = np.random.default_rng(0).random((300, 2))
MANY = np.random.default_rng(1).integers(0, 1000, 60_000)
ORIGINALS = {
    module: {name: getattr(module, name) for name in names}
    for module, names in (
        (scipy.spatial, ("KDTree", "cKDTree")),
        (scipy.sparse.csgraph, ("breadth_first_order", "connected_components", "minimum_spanning_tree", "dijkstra", "shortest_path")),
        (scipy.cluster.hierarchy, ("linkage", "single")),
        (sklearn.neighbors, ("NearestNeighbors", "KernelDensity", "BallTree")),
        (sklearn.cluster, ("DBSCAN", "dbscan")),
        (np, ("unique", "isin")),
        (pandas, ("factorize",)),
    )
}


@pytest.fixture
def acceleration():
    with boscage.accelerate() as made:
        yield made
    for module, names in ORIGINALS.items():
        for name, original in names.items():
            assert getattr(module, name) is original


@pytest.mark.parametrize(
    "search",
    [
        lambda tree, other: tree.query(POINTS, workers=100_000),
        lambda tree, other: tree.query(POINTS[0], eps=-1),
        lambda tree, other: tree.query([["0.1", "0.2"]]),
        lambda tree, other: tree.query_pairs(float("nan")),
        lambda tree, other: tree.query_ball_point(POINTS[:3], 0.1, workers=100_000).tolist(),
        lambda tree, other: tree.query_ball_tree(other, float("nan")),
        lambda tree, other: tree.count_neighbors(other=other, r="0.1"),
        lambda tree, other: tree.sparse_distance_matrix(other, 0.1, output_type="box"),
    ],
)
def test_searches_that_trees_refuse(acceleration, search):
    for kind, other in itertools.product(("KDTree", "cKDTree"), repeat=2):
        answers = []
        for trees in (ORIGINALS[scipy.spatial], vars(scipy.spatial)):
            try:
                answers.append(search(trees[kind](POINTS), trees[other](POINTS[:50] + 0.01)))
            except Exception as error:
                answers.append((type(error), str(error)))
        np.testing.assert_equal(answers[1], answers[0])


def test_searches_of_the_original_after_a_refusal(acceleration):
    tree = scipy.spatial.KDTree(POINTS)
    assert tree.query(POINTS[7], eps=-1)[1] == 7
    assert [name for name, _ in acceleration.report().left] == ["scipy.spatial.KDTree.query"]
    assert type(pickle.loads(pickle.dumps(tree))) is boscage.spatial.KDTree
    tree.rebuild(POINTS[::-1])
    assert tree.query(POINTS[7], eps=-1)[1] == len(POINTS) - 8


def test_trees(acceleration):
    theirs = ORIGINALS[scipy.spatial]["KDTree"](POINTS)
    tree = scipy.spatial.KDTree(POINTS)
    assert isinstance(tree, boscage.spatial.KDTree)
    assert isinstance(tree, scipy.spatial.KDTree) and isinstance(theirs, scipy.spatial.KDTree)
    assert not isinstance(3, scipy.spatial.KDTree)
    assert (tree.query(POINTS, 3)[1] == theirs.query(POINTS, 3)[1]).all()
    assert type(pickle.loads(pickle.dumps(tree))) is boscage.spatial.KDTree

    class Derived(scipy.spatial.cKDTree):
        pass

    assert isinstance(Derived(POINTS), boscage.spatial.cKDTree) and Derived(POINTS).query(POINTS[0])[1] == 0
    with pytest.raises(ValueError, match="must be finite"):
        scipy.spatial.KDTree([[np.nan, 1.0]])
    report = acceleration.report()
    assert report.taken["scipy.spatial.KDTree"] == 1
    assert sum(count for (name, _), count in report.left.items() if name == "scipy.spatial.KDTree") == 1
    assert "scipy.spatial.KDTree" in str(report) and "sklearn.neighbors.KernelDensity" in report.replaced


def test_graphs_and_dendrograms(acceleration):
    graph = scipy.sparse.random_array((200, 200), density=0.03, rng=np.random.default_rng(2))
    for name in ("connected_components", "minimum_spanning_tree", "dijkstra", "shortest_path"):
        ours, theirs = getattr(scipy.sparse.csgraph, name), ORIGINALS[scipy.sparse.csgraph][name]
        a, b = ours(graph), theirs(graph)
        if name == "connected_components":
            assert a[0] == b[0]
        elif name == "minimum_spanning_tree":
            assert (a != b).nnz == 0
        else:
            assert np.allclose(a, b)
    linkage = ORIGINALS[scipy.cluster.hierarchy]["linkage"]
    for method in ("single", "average", "ward"):
        assert np.allclose(scipy.cluster.hierarchy.linkage(POINTS, method)[:, 2], linkage(POINTS, method)[:, 2])
    report = acceleration.report()
    assert report.taken["scipy.cluster.hierarchy.linkage"] == 1
    assert sum(count for (name, _), count in report.left.items() if name.endswith("linkage")) == 2


def test_estimators(acceleration):
    model = sklearn.neighbors.NearestNeighbors(n_neighbors=4).fit(POINTS)
    assert isinstance(model, boscage.neighbors.NearestNeighbors)
    theirs = ORIGINALS[sklearn.neighbors]["NearestNeighbors"](n_neighbors=4).fit(POINTS)
    assert (model.kneighbors(POINTS)[1] == theirs.kneighbors(POINTS)[1]).all()
    labels = sklearn.cluster.DBSCAN(eps=0.05).fit(POINTS).labels_
    assert (labels == ORIGINALS[sklearn.cluster]["DBSCAN"](eps=0.05).fit(POINTS).labels_).all()
    assert (sklearn.neighbors.kneighbors_graph(POINTS, 3) != ORIGINAL_GRAPH(POINTS, 3)).nnz == 0


ORIGINAL_GRAPH = sklearn.neighbors.kneighbors_graph


def test_keys(acceleration):
    unique, isin = ORIGINALS[np]["unique"], ORIGINALS[np]["isin"]
    factorize = ORIGINALS[pandas]["factorize"]
    assert (np.unique(MANY) == unique(MANY)).all()
    for a, b in zip(np.unique(MANY, return_inverse=True, return_counts=True), unique(MANY, return_inverse=True, return_counts=True)):
        assert (a == b).all()
    assert (np.isin(MANY, MANY[:50] + 1) == isin(MANY, MANY[:50] + 1)).all()
    assert all((a == b).all() for a, b in zip(pandas.factorize(MANY), factorize(MANY)))
    taken = acceleration.report().taken
    assert taken["numpy.unique"] == 2 and taken["numpy.isin"] == 1 and taken["pandas.factorize"] == 1
    np.unique([3, 1, 3]), np.unique(np.array(["a"])), np.unique(MANY.reshape(2, -1), axis=0)
    assert acceleration.report().taken["numpy.unique"] == 2


def test_networkx():
    before = list(networkx.config.backend_priority.algos)
    with boscage.accelerate("networkx"):
        assert networkx.config.backend_priority.algos[0] == "boscage"
    assert list(networkx.config.backend_priority.algos) == before
    with pytest.raises(ValueError, match="torch"):
        boscage.accelerate("torch")


@pytest.mark.parametrize("first_to_end", [0, 1])
def test_two_accelerations_end_in_any_order(first_to_end):
    before = list(networkx.config.backend_priority.algos)
    both = [boscage.accelerate(), boscage.accelerate("networkx", "scipy.spatial", "sklearn.neighbors")]
    both[first_to_end].undo()
    assert isinstance(scipy.spatial.KDTree(POINTS), boscage.spatial.KDTree)
    assert sklearn.neighbors.NearestNeighbors is boscage.neighbors.NearestNeighbors
    assert networkx.config.backend_priority.algos[0] == "boscage"
    both[1 - first_to_end].undo()
    for module, names in ORIGINALS.items():
        for name, original in names.items():
            assert getattr(module, name) is original
    assert list(networkx.config.backend_priority.algos) == before


PROGRAM = """
import sys
from scipy.spatial import KDTree
from scipy.cluster.hierarchy import linkage
import numpy
if __name__ == "__main__":
    tree = KDTree(numpy.random.default_rng(0).random((100, 3)))
    linkage(tree.data, "complete")
    print(type(tree).__module__, sys.argv[1:], tree.query([0.5, 0.5, 0.5])[1])
"""


def run(*arguments, **options):
    command = [sys.executable, "-m", "boscage", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, **options)


def test_programs(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    done = run("--report", script, "-x", "3")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("boscage._kdtree ['-x', '3']")
    assert "1 scipy.spatial.KDTree" in done.stderr and "scipy.cluster.hierarchy.linkage: left: " in done.stderr
    done = run("-m", "program", cwd=tmp_path)
    assert done.returncode == 0 and done.stdout.startswith("boscage._kdtree []") and done.stderr == ""
    assert "  scipy.spatial.cKDTree: replaced" in run("--report", script, "-x", "3").stderr  # and not called
    done = run("/dev/stdin", "a", input="import sys; print(__name__, sys.argv)")  # a pipe can be read once
    assert done.returncode == 0 and done.stdout == "__main__ ['/dev/stdin', 'a']\n"
    script.write_text("import sys; sys.exit(5)")
    assert run(script).returncode == 5
    assert run().returncode == 2 and "usage" in run().stderr and run("--help").returncode == 0
    assert run("-h").returncode == 0 and run("-h").stdout.startswith("usage")
    done = run(tmp_path / "none.py")
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "none.py" in done.stderr
