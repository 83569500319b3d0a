"""The points of a tree as its queries, and graphs of neighbours."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boscage.spatial import KDTree, cKDTree


def brute(points, k, p, bound, skip):
    """The k nearest of each point by (distance, row): distances, and rows with n where there is none."""
    n = len(points)
    gaps = np.abs(points[:, None].astype(float) - points[None])
    d = gaps.max(axis=2) if p == np.inf else (gaps**p).sum(axis=2) ** (1 / p)
    d = np.where(d < bound, d, np.inf)
    if skip:
        np.fill_diagonal(d, np.inf)
    order = np.argsort(d, axis=1, kind="stable")[:, :k]
    out = np.take_along_axis(d, order, axis=1)
    rows = np.where(np.isinf(out), n, order)
    pad = ((0, 0), (0, k - rows.shape[1]))
    return np.pad(out, pad, constant_values=np.inf), np.pad(rows, pad, constant_values=n)


@given(
    st.integers(1, 40),
    st.integers(1, 4),
    st.integers(1, 9),
    st.sampled_from([1, 2, 3, np.inf]),
    st.sampled_from(["float32", "float64"]),
    st.booleans(),
    st.sampled_from([np.inf, 0.75, 0.0]),
)
def test_equal_to_brute_force(n, m, k, p, dtype, skip, bound):
    points = (np.random.default_rng(n * m * k).integers(0, 4, (n, m)) / 4).astype(dtype)  # many are equal
    d, i = KDTree(points).query_self(k, p=p, distance_upper_bound=bound, exclude_self=skip)
    want = brute(points, k, p, bound, skip)
    assert np.allclose(d, want[0], rtol=1e-6) and (i == want[1]).all()


def test_self_is_the_row_and_not_a_point_at_distance_zero():
    points = np.zeros((50, 3), np.float32)
    _, i = KDTree(points).query_self(3)
    assert all(row not in found for row, found in enumerate(i.tolist()))
    assert i[49].tolist() == [0, 1, 2] and i[1].tolist() == [0, 2, 3]


def test_periods_and_a_bound_for_each_point():
    points = np.random.default_rng(3).random((200, 2))
    tree = KDTree(points, boxsize=1.0)
    d, i = tree.query(points, 6)
    ours = tree.query_self(5)
    assert (ours[0] == d[:, 1:]).all() and (ours[1] == i[:, 1:]).all()
    bounds = np.linspace(0, 0.2, 200)
    d, i = tree.query_self(5, distance_upper_bound=bounds)
    assert ((d < bounds[:, None]) | np.isinf(d)).all() and ((i == 200) == np.isinf(d)).all()
    assert (np.isfinite(d) == (ours[0] < bounds[:, None])).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("skip", [True, False])
def test_graphs(dtype, skip):
    points = np.random.default_rng(4).random((300, 3)).astype(dtype)
    tree = cKDTree(points)
    offsets, ids, d = tree.knn_graph(4, exclude_self=skip)
    want = tree.query_self(4, exclude_self=skip)
    assert (offsets == 4 * np.arange(301)).all() and (ids.reshape(300, 4) == want[1]).all()
    assert (d.reshape(300, 4) == want[0]).all()
    rows, others, _ = tree.knn_graph(4, exclude_self=skip, output_type="coo")
    assert (rows == np.repeat(np.arange(300), 4)).all() and (others == ids).all()
    offsets, ids, d = tree.radius_graph(0.15, exclude_self=skip)
    lists = tree.query_ball_point(points, 0.15)
    for row in range(300):
        want = [j for j in lists[row] if j != row or not skip]
        assert ids[offsets[row] : offsets[row + 1]].tolist() == want
    rows, others, lengths = tree.radius_graph(0.15, exclude_self=skip, output_type="coo")
    assert (rows == np.repeat(np.arange(300), np.diff(offsets))).all() and (others == ids).all()
    assert np.allclose(lengths, np.linalg.norm(points[rows] - points[others], axis=1), atol=1e-6) and (lengths == d).all()


def test_an_infinite_bound_of_one_point_leaves_those_of_others():
    tree = KDTree([[0.0], [1.0], [3.0]])
    assert tree.query_self(1, distance_upper_bound=[1.5, np.inf, 1.0])[1].ravel().tolist() == [1, 0, 3]


def test_missing_neighbours_are_no_entries():
    offsets, ids, d = KDTree([[0.0], [1.0], [9.0]]).knn_graph(5, distance_upper_bound=2)
    assert offsets.tolist() == [0, 1, 2, 2] and ids.tolist() == [1, 0] and d.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: t.query_self(0), "k must be"),
        (lambda t: t.query_self(1, distance_upper_bound=[1.0, 2.0]), "distance_upper_bound"),
        (lambda t: t.knn_graph(1, output_type="lists"), "output_type"),
        (lambda t: t.radius_graph(1, output_type="set"), "output_type"),
        (lambda t: t.query_self(1, p=0.5), "p:"),
        (lambda t: t.query_self(1, eps=-1), "eps"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call(KDTree([[0.0], [1.0], [5.0]]))


def test_empty_tree():
    tree = KDTree(np.zeros((0, 2)))
    assert tree.query_self(2)[1].shape == (0, 2) and tree.knn_graph(2)[0].tolist() == [0]
    assert tree.radius_graph(1.0)[0].tolist() == [0]
