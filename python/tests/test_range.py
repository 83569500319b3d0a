"""Reported distances as radii, and coordinates with squares out of range."""

import numpy as np
import pytest
import scipy.cluster.hierarchy
import scipy.spatial
from boscage.cluster.hierarchy import linkage
from boscage.neighbors import KernelDensity
from boscage.spatial import KDTree, VoxelGrid, emst


def points(seed, shape, scale, dtype):
    return ((np.random.default_rng(seed).random(shape) - 0.5) * scale).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("p", [1, 2, np.inf, 3])
def test_a_ball_of_a_distance_holds_its_point(dtype, p):
    x, q = points(0, (2000, 3), 1, dtype), points(1, (500, 3), 1, dtype)
    tree = KDTree(x)
    d, i = tree.query(q, k=5, p=p)
    for j in range(5):
        balls = tree.query_ball_point(q, d[:, j], p=p)
        assert all(row in ball for row, ball in zip(i[:, j].tolist(), balls))
        assert (tree.query_ball_point(q, d[:, j], p=p, return_length=True) >= j + 1).all()
    bounded, rows = tree.query(q, k=5, p=p, distance_upper_bound=d[:, 4])
    assert (bounded[:, 4] == np.inf).all() and (rows[:, :4] == i[:, :4]).all() and (bounded[:, :4] == d[:, :4]).all()
    other = KDTree(q)
    for r in d[:20, 2]:
        matrix = other.sparse_distance_matrix(tree, r, p=p, output_type="ndarray")
        assert (matrix["v"] <= r * (1 + (2e-7 if dtype == "float32" else 0))).all()
        assert other.count_neighbors(tree, r, p=p) == len(matrix) == sum(map(len, other.query_ball_tree(tree, r, p=p)))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_pairs_at_a_distance(dtype):
    x = points(2, (300, 3), 1, dtype)
    tree = KDTree(x)
    d, i = tree.query(x, k=2)
    for a in range(50):
        pair = (min(a, i[a, 1]), max(a, i[a, 1]))
        assert pair in tree.query_pairs(d[a, 1])
        assert pair in set(map(tuple, VoxelGrid(x, d[a, 1]).query_pairs(d[a, 1]).tolist()))


SCALES = [
    ("float32", 3e24),
    ("float32", 1e-23),
    ("float32", 1e37),
    ("float32", 1e-36),
    ("float32", 1e20),
    ("float64", 1e200),
    ("float64", 1e-200),
    ("float64", 1e307),
    ("float64", 1e-300),
    ("float64", 1e160),
]


@pytest.mark.parametrize("dtype, scale", SCALES)
def test_magnitudes(dtype, scale):
    unit = points(3, (400, 3), 1, "float64")
    x = (unit * scale).astype(dtype)
    exponent = -int(np.frexp(scale)[1])
    y = np.ldexp(x.astype(float), exponent)  # the same points, exactly, near 1
    rtol = 1e-6 if dtype == "float32" else 1e-13
    tree, near = KDTree(x), scipy.spatial.KDTree(y)
    for p in (1, 2, np.inf, 3):
        d, i = tree.query(x, k=4, p=p)
        want, rows = near.query(y, k=4, p=p)
        np.testing.assert_allclose(np.ldexp(np.asarray(d, float), exponent), want, rtol=rtol)
        assert (i == rows).mean() > 0.99
    r = float(np.ldexp(0.1, -exponent))
    assert tree.count_neighbors(tree, r) == near.count_neighbors(near, 0.1)
    assert tree.query_pairs(r) == near.query_pairs(0.1)
    assert {tuple(pair) for pair in VoxelGrid(x, r).query_pairs(r).tolist()} == near.query_pairs(0.1)
    z, expected = linkage(x), scipy.cluster.hierarchy.linkage(y, "single")
    np.testing.assert_allclose(np.ldexp(z[:, 2], exponent), expected[:, 2], rtol=rtol)
    np.testing.assert_array_equal(z[:, [0, 1, 3]], expected[:, [0, 1, 3]])
    np.testing.assert_allclose(np.sort(np.ldexp(emst(x)[1].astype(float), exponent)), expected[:, 2], rtol=rtol)


@pytest.mark.parametrize("scale", [2.0**-1000, 2.0**-600, 2.0**600])
@pytest.mark.parametrize("kernel", ["gaussian", "tophat", "exponential"])
def test_densities(kernel, scale):
    x = points(11, (200, 2), 1, "float64")
    near, far = (KernelDensity(bandwidth=0.1 * s, kernel=kernel).fit(x * s).score_samples(x * s) for s in (1, scale))
    np.testing.assert_allclose(far + 2 * np.log(scale), near, atol=1e-11)


@pytest.mark.parametrize("dtype, far", [("float32", 1e30), ("float64", 1e250)])
def test_queries_far_outside(dtype, far):
    x = points(4, (100, 2), 1, dtype)
    d, i = KDTree(x).query(np.array([[far, 0.0], [0.25, 0.25]], dtype))
    want = scipy.spatial.KDTree(x.astype(float)).query([[0.25, 0.25]])
    assert i[1] == want[1][0]
    np.testing.assert_allclose(d, [far, want[0][0]], rtol=1e-6)


def test_mixed_scales():
    x = np.concatenate([points(5, (50, 2), 1e-200, "float64"), points(6, (50, 2), 1e200, "float64")])
    d, i = KDTree(x).query(x, k=2)
    near = scipy.spatial.KDTree(np.ldexp(x[:50], 660)).query(np.ldexp(x[:50], 660), k=2)
    np.testing.assert_array_equal(i[:50], near[1])
    np.testing.assert_allclose(np.ldexp(d[:50], 660), near[0], rtol=1e-13)
    with pytest.raises(ValueError, match="points: .* differ by too little"):
        emst(x)


def test_distances_that_do_not_fit():
    x = np.array([[1.7e308, 1.7e308], [-1.7e308, -1.7e308]])
    with pytest.raises(ValueError, match="tree: the distance of entry 1 is more than a double holds"):
        KDTree(x).query(x, k=2)
    with pytest.raises(ValueError, match="lengths: more than float64 holds"):
        linkage(x)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_linkage_near_the_largest_number(dtype):
    most = float(np.finfo(dtype).max)
    x = np.array([[-most, 0], [0, 0], [most / 2, 0], [most / 2, most / 8]], dtype)
    z = linkage(x)
    np.testing.assert_allclose(z[:, 2] / most, [0.125, 0.5, 1], rtol=1e-15)
    np.testing.assert_array_equal(z[:, [0, 1, 3]], [[2, 3, 2], [1, 4, 3], [0, 5, 4]])


def test_linkage_of_float32_of_all_scales():
    x = np.array([[0], [1e-30], [3e-30], [1e38]], "float32")
    np.testing.assert_allclose(linkage(x)[:, 2], [1e-30, 2e-30, 1e38], rtol=1e-6)


def test_a_rebuilt_grid_keeps_its_scale():
    x = points(8, (50, 3), 1e-200, "float64")
    grid = VoxelGrid(x, 1e-201)
    want = scipy.spatial.KDTree(np.ldexp(x, 660)).query_pairs(np.ldexp(3e-201, 660))
    assert {tuple(pair) for pair in grid.query_pairs(3e-201).tolist()} == want
    grid.rebuild(x[:30])
    assert {tuple(pair) for pair in grid.query_pairs(3e-201).tolist()} == {(i, j) for i, j in want if j < 30}
    assert grid.count(x[:1], 3e-201) == 1 + sum(0 in pair for pair in want if max(pair) < 30)


@pytest.mark.parametrize("n, crowd", [(10000, 0), (10000, 1200), (20000, 0), (20000, 400)])
def test_pairs_of_many_points(n, crowd):
    """Few points have room for 64 pairs each; of more the number is estimated from some. A crowd has more pairs."""
    x = points(9, (n, 3), 1, "float64")
    rows = np.flatnonzero(np.arange(len(x)) % (len(x) // 1024))[:crowd]
    x[rows] = x[:1] + points(10, (crowd, 3), 1e-4, "float64")
    pairs = KDTree(x).query_pairs(0.01, output_type="ndarray")
    want = scipy.spatial.cKDTree(x).query_pairs(0.01, output_type="ndarray")
    assert pairs.base is None and len(pairs) >= crowd * (crowd - 1) // 2
    np.testing.assert_array_equal(pairs, want[np.lexsort((want[:, 1], want[:, 0]))])


@pytest.mark.parametrize("estimate", [2**58, 2**62, 2**80])
def test_pairs_of_too_large_an_estimate(monkeypatch, estimate):
    """An estimate beyond memory, or beyond any array: the pairs are counted."""
    x = points(11, (9000, 2), 1, "float64")
    tree = KDTree(x)
    want = tree.query_pairs(0.005, output_type="ndarray")
    monkeypatch.setattr(KDTree, "_estimate_pairs", lambda *_: estimate)
    np.testing.assert_array_equal(tree.query_pairs(0.005, output_type="ndarray"), want)


@pytest.mark.parametrize("scale", [1e30, 1e-30, 1e-40, 3e37])
@pytest.mark.parametrize("dim", [1, 2, 3, 7])
def test_lengths_of_float32_edges_are_the_distances_of_searches(scale, dim):
    x = (np.random.default_rng(0).random((60, dim)) * scale).astype(np.float32)
    (pairs, lengths), tree = emst(x), KDTree(x)
    d, rows = tree.query(x, k=60)
    for (i, j), length in zip(pairs, lengths):
        assert d[i][rows[i] == j] == length and j in tree.query_ball_point(x[i], length)
