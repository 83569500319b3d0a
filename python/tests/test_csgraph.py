"""Spanning trees, components and dendrograms against scipy."""

import warnings

import numpy as np
import pytest
import scipy.cluster.hierarchy
import scipy.sparse
import scipy.sparse.csgraph
from hypothesis import given
from hypothesis import strategies as st

from boscage.cluster.hierarchy import linkage, single
from boscage.sparse.csgraph import connected_components, minimum_spanning_tree, verify_spanning_tree


@st.composite
def graphs(draw, weights=st.integers(1, 6)):
    n = draw(st.integers(1, 20))
    edges = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), weights), max_size=60))
    u, v, w = np.array(edges, float).reshape(-1, 3).T
    keep = np.unique(u * n + v, return_index=True)[1]
    return scipy.sparse.csr_array((w[keep], (u[keep].astype(int), v[keep].astype(int))), shape=(n, n))


@given(graphs())
def test_spanning_tree(graph):
    tree = minimum_spanning_tree(graph)
    want = scipy.sparse.csgraph.minimum_spanning_tree(graph)
    assert tree.sum() == want.sum() and tree.nnz == want.nnz and type(tree) is type(want)
    dense, from_tree = graph.toarray(), tree.toarray()
    assert (from_tree[from_tree != 0] == dense[from_tree != 0]).all()
    verify_spanning_tree(graph, tree)
    verify_spanning_tree(graph, want)
    assert (minimum_spanning_tree(dense) != tree).nnz == 0


@given(graphs(st.floats(0.5, 9)))
def test_wrong_trees_are_refused(graph):
    tree = minimum_spanning_tree(graph).tocoo()
    if tree.nnz:
        with pytest.raises(ValueError):
            verify_spanning_tree(
                graph, scipy.sparse.coo_array((tree.data[1:], (tree.row[1:], tree.col[1:])), tree.shape)
            )
        with pytest.raises(ValueError):
            verify_spanning_tree(graph, scipy.sparse.coo_array((tree.data + 1, (tree.row, tree.col)), tree.shape))


@given(graphs(), st.booleans(), st.sampled_from(["weak", "strong"]))
def test_components(graph, directed, connection):
    count, labels = connected_components(graph, directed, connection)
    want = scipy.sparse.csgraph.connected_components(graph, directed, connection)
    assert count == want[0] and (labels == want[1]).all() and labels.dtype == want[1].dtype
    assert connected_components(graph, directed, connection, return_labels=False) == want[0]


@given(st.integers(2, 40), st.integers(1, 3), st.integers(0, 2**31))
def test_linkage(n, m, seed):
    points = np.random.default_rng(seed).random((n, m))
    want = scipy.cluster.hierarchy.linkage(points)
    assert np.allclose(linkage(points), want)
    condensed = scipy.spatial.distance.pdist(points, "cityblock")
    want = scipy.cluster.hierarchy.linkage(condensed)
    assert (linkage(condensed) == want).all() and (single(condensed) == want).all()
    assert (linkage(points, metric="cityblock") == want).all()


def test_distances_are_not_copied_to_a_graph(monkeypatch):
    points = np.random.default_rng(3).random((60, 50))
    condensed = scipy.spatial.distance.pdist(points)
    graph = linkage(condensed, device="cpu")
    monkeypatch.setattr("boscage.cluster.hierarchy._core", None)
    assert (single(condensed) == scipy.cluster.hierarchy.single(condensed)).all()
    assert np.allclose(linkage(points), graph)  # many dimensions: trees of points are slower than all distances


@pytest.mark.parametrize("largest", [np.inf, 1.7e308])
def test_observations_out_of_range_are_refused_without_a_warning(largest):
    points = np.random.default_rng(4).random((60, 50))
    points[:2] = [[largest], [-largest]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="finite|differ by too little"):
            linkage(points)


def test_paths_whose_weights_ascend():
    for weights in (np.ones(3000), np.arange(1.0, 3001), np.arange(3000.0, 0, -1)):
        ends = np.arange(3000)
        path = scipy.sparse.coo_array((weights, (ends, ends + 1)), shape=(3001, 3001)).tocsr()
        tree = minimum_spanning_tree(path)
        assert (tree != path).nnz == 0
        assert not any(np.shares_memory(getattr(tree, x), getattr(path, x)) for x in ("data", "indices", "indptr"))


def test_kinds_of_matrices():
    graph = np.array([[0, 2, 0], [0, 0, 1], [4, 0, 0]], float)
    for make in (
        np.asarray,
        np.ma.masked_equal,
        scipy.sparse.csr_matrix,
        scipy.sparse.coo_array,
        scipy.sparse.csc_array,
        scipy.sparse.lil_array,
        scipy.sparse.dok_array,
    ):
        given_graph = make(graph, 0) if make is np.ma.masked_equal else make(graph)
        tree = minimum_spanning_tree(given_graph)
        assert tree.sum() == 3
    assert type(minimum_spanning_tree(scipy.sparse.csr_matrix(graph))) is scipy.sparse.csr_matrix


@pytest.mark.parametrize(
    "graph, error",
    [
        ([[1, 2]], ValueError),
        ([1, 2], ValueError),
        ("graph", (ValueError, TypeError)),
    ],
)
def test_bad_graphs(graph, error):
    with pytest.raises(error):
        minimum_spanning_tree(graph)


def test_imaginary_parts_are_dropped_with_a_warning():
    graph = np.array([[0, 8 + 1j, 3], [0, 0, 5], [0, 0, 0]])
    for make in (np.asarray, scipy.sparse.csr_array, scipy.sparse.coo_array):
        with pytest.warns(np.exceptions.ComplexWarning):
            tree = minimum_spanning_tree(make(graph))
        assert tree.dtype == np.float64 and tree.toarray().tolist() == [[0, 0, 3], [0, 0, 5], [0, 0, 0]]
        with pytest.warns(np.exceptions.ComplexWarning):
            assert connected_components(make(graph), directed=False)[0] == 1


@pytest.mark.parametrize("observations", [[[1.0, 2.0]], np.zeros((0, 2))])
def test_one_observation_is_refused(observations):
    for method in (linkage, scipy.cluster.hierarchy.linkage):
        with pytest.raises(ValueError, match="number of observations"):
            method(observations)


def test_zeros_that_fill_blocks_are_no_edges():
    """As from scipy 1.18 on."""
    graph = scipy.sparse.bsr_array(([[[0, 1], [0, 0]]], [1], [0, 1, 1]), shape=(4, 4))
    assert connected_components(graph)[0] == 3
    assert minimum_spanning_tree(graph).nnz == 1


def test_matrices_give_matrices():
    dense = np.array([[0, 1.0], [0, 0]])
    for kind in (np.asarray, np.asmatrix, scipy.sparse.csr_matrix, scipy.sparse.csr_array):
        ours, theirs = minimum_spanning_tree(kind(dense)), scipy.sparse.csgraph.minimum_spanning_tree(kind(dense))
        assert type(ours) is type(theirs)
