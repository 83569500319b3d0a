"""Shortest paths equal scipy's: distances to the bit, trees that attain them."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import csgraph as theirs

from boscage.sparse import csgraph as ours


def graph(seed, n=200, m=900, zeros=False, dtype=float):
    r = np.random.default_rng(seed)
    u, v = r.integers(0, n, m), r.integers(0, n, m)
    w = r.integers(0 if zeros else 1, 20, m) * 0.37
    matrix = sparse.coo_array((w.astype(dtype), (u, v)), shape=(n, n)).tocsr()
    return matrix


def check_tree(matrix, source, distances, predecessors):
    """Each predecessor attains the distance of its vertex by the lightest entry between them."""
    dense = {}
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    for i, j, w in zip(rows, matrix.indices, matrix.data):
        dense[i, j] = min(w, dense.get((i, j), np.inf))
    for v, p in enumerate(predecessors):
        if p == -9999:
            assert v == source or distances[v] == np.inf
        else:
            assert distances[p] + dense[p, v] == distances[v]


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("unweighted", [True, False])
def test_dijkstra(directed, unweighted):
    for seed in range(4):
        matrix = graph(seed, zeros=seed % 2 == 1)
        for indices in (0, [3, 5, 3], None, -1):
            want = theirs.dijkstra(matrix, directed, indices, unweighted=unweighted)
            got = ours.dijkstra(matrix, directed, indices, unweighted=unweighted)
            assert got.dtype == want.dtype and np.array_equal(got, want)
    distances, predecessors = ours.dijkstra(matrix, directed, [7], True, unweighted)
    assert predecessors.dtype == np.int32 and predecessors.shape == (1, 200)
    if not unweighted:
        both = matrix if directed else sparse.csr_array(sparse.coo_array(matrix) + sparse.coo_array(matrix.T))
        if directed:
            check_tree(both, 7, distances[0], predecessors[0])


def test_min_only_and_limit():
    matrix = graph(9, m=400)
    sources = [4, 100, 9]
    want = theirs.dijkstra(matrix, indices=sources, return_predecessors=True, min_only=True)
    got = ours.dijkstra(matrix, indices=sources, return_predecessors=True, min_only=True)
    assert np.array_equal(got[0], want[0])
    assert np.array_equal(got[2] == -9999, want[2] == -9999) and np.isin(got[2], [-9999, *sources]).all()
    every = theirs.dijkstra(matrix, indices=sources)
    reached = got[2] >= 0
    nearest = every[np.searchsorted(np.sort(sources), got[2][reached]), :]
    order = {s: k for k, s in enumerate(sources)}
    for v in np.flatnonzero(reached):
        assert every[order[got[2][v]], v] == got[0][v]
    assert nearest.shape[1] == 200
    for limit in (0, 1.11, 2.5, np.inf):
        assert np.array_equal(ours.dijkstra(matrix, indices=4, limit=limit), theirs.dijkstra(matrix, indices=4, limit=limit))


def test_shortest_path():
    dense = np.array([[0, 4, 1], [0, 0, 0], [0, 2, 0]], float)
    for method in ("auto", "D", "FW", "BF", "J"):
        assert np.array_equal(ours.shortest_path(dense, method), theirs.shortest_path(dense, method))
    negative = np.array([[0, -1, 0], [0, 0, 2], [0, 0, 0]], float)
    assert np.array_equal(ours.shortest_path(negative), theirs.shortest_path(negative))
    assert np.array_equal(ours.shortest_path(dense, indices=[1, 0]), theirs.shortest_path(dense, indices=[1, 0]))
    assert ours.shortest_path(np.zeros((3, 3)), indices=2).tolist() == [np.inf, np.inf, 0]


def test_indices_of_64_bits_and_shapes_of_sources():
    matrix = graph(5)
    wide = sparse.csr_array(matrix)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    for indices in (None, 3, [[1, 2], [3, 4]], np.zeros((0,), int)):
        narrow = ours.dijkstra(matrix, indices=indices, return_predecessors=True)
        for a, b in zip(ours.dijkstra(wide, indices=indices, return_predecessors=True), narrow):
            assert a.dtype == b.dtype and np.array_equal(a, b)
        assert narrow[0].shape == narrow[1].shape == (*np.shape(np.arange(200) if indices is None else indices), 200)
    sources = [3, 50]
    least = ours.dijkstra(wide, indices=sources, return_predecessors=True, min_only=True)
    assert [a.shape for a in least] == [(200,)] * 3 and [a.dtype for a in least[1:]] == [np.int32] * 2
    assert np.array_equal(least[0], ours.dijkstra(matrix, indices=sources).min(axis=0))


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("m", [150, 900])
def test_breadth_first_order(directed, m):
    for seed in range(4):
        matrix = graph(seed, m=m)
        if seed == 1:
            matrix = matrix.astype(np.int64)
        if seed == 2:
            matrix = matrix + matrix.T  # symmetric: its rows are those of its transpose
        if seed == 3:
            matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
        for start in (0, 77, 199):
            want = theirs.breadth_first_order(matrix, start, directed)
            got = ours.breadth_first_order(matrix, start, directed)
            for a, b in zip(got, want):
                assert a.dtype == b.dtype and np.array_equal(a, b)
            assert np.array_equal(ours.breadth_first_order(matrix, start, directed, False), want[0])
    dense = matrix.toarray()
    for a, b in zip(ours.breadth_first_order(dense, 5, directed), theirs.breadth_first_order(dense, 5, directed)):
        assert np.array_equal(a, b)
    for start in (-1, 200):
        with pytest.raises(ValueError, match="source"):
            ours.breadth_first_order(matrix, start)
    with pytest.raises(TypeError):
        ours.breadth_first_order(matrix, 0.5)


def test_limits_in_arcs():
    matrix = graph(3, m=500)
    for limit in (0, 1, 2.5, 1e30):
        got = ours.dijkstra(matrix, indices=[4, 9], unweighted=True, limit=limit)
        assert np.array_equal(got, theirs.dijkstra(matrix, indices=[4, 9], unweighted=True, limit=limit))


def test_symmetric_matrices_and_negative_lengths():
    matrix = graph(6, m=500)
    both = matrix + matrix.T
    assert np.array_equal(ours.dijkstra(both, False, 3), theirs.dijkstra(both, False, 3))
    matrix.data[7] = -1
    with pytest.warns(UserWarning, match="negative"):
        got = ours.dijkstra(matrix, indices=3)
    with pytest.warns(UserWarning, match="negative"):
        assert np.array_equal(got, theirs.dijkstra(matrix, indices=3))
    matrix.data[7] = np.nan
    assert np.array_equal(ours.dijkstra(matrix, indices=3), theirs.dijkstra(matrix, indices=3), equal_nan=True)


def test_bad_arguments():
    with pytest.raises(ValueError):
        ours.dijkstra(graph(1), indices=200)
    with pytest.raises(ValueError):
        ours.dijkstra(np.zeros((2, 3)))


def test_masked_arrays_take_the_method_of_scipy():
    lengths = np.ma.masked_invalid([[0, np.inf, 1], [0, 0, 2], [0, 0, 0]])
    assert (ours.shortest_path(lengths) == theirs.shortest_path(lengths)).all()
