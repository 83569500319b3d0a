"""Batches of point clouds against NumPy."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import boscage.torch as geometric
from boscage._arrays import Space
from boscage.clouds import PointClouds, batch_offsets


@st.composite
def batches(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    sizes = draw(st.lists(st.integers(0, 90), min_size=1, max_size=5))
    queries = draw(st.lists(st.integers(0, 9), min_size=len(sizes), max_size=len(sizes)))
    dtype = draw(st.sampled_from(["float32", "float64"]))
    offsets, others = (np.concatenate([[0], np.cumsum(s)]) for s in (sizes, queries))
    grid = draw(st.booleans())  # many ties
    draws = [rng.integers(0, 4, (o[-1], 3)) if grid else rng.random((o[-1], 3)) for o in (offsets, others)]
    return draws[0].astype(dtype), offsets, draws[1].astype(dtype), others


def squares(x, y):
    d = x[:, None] - y[None]
    return (d[..., 0] * d[..., 0] + d[..., 1] * d[..., 1]) + d[..., 2] * d[..., 2]


@given(batches(), st.integers(1, 20), st.booleans(), st.sampled_from([0.0, 0.5, 1.0, np.inf]))
def test_searches(batch, k, own, r):
    points, offsets, queries, others = batch
    clouds = PointClouds(points, offsets)
    given_queries = () if own else (queries, others)
    if own:
        queries, others = points, offsets
    dist2, ids = clouds.knn(k, *given_queries, r=r, exclude_self=own)
    counts = clouds.count(r, *given_queries, exclude_self=own)
    rows, near, near2 = clouds.radius(r, *given_queries, exclude_self=own)
    assert dist2.dtype == points.dtype and ids.dtype == np.int64 and len(clouds) == len(offsets) - 1
    for c in range(len(clouds)):
        block = squares(queries[others[c] : others[c + 1]], points[offsets[c] : offsets[c + 1]])
        if own:
            np.fill_diagonal(block, np.inf)
        for i, line in enumerate(block, others[c]):
            order = np.argsort(line, kind="stable")
            order = order[(np.sqrt(line[order]) <= r) & (line[order] < np.inf)]
            few = order[:k]
            assert (ids[i, : len(few)] == few + offsets[c]).all() and (ids[i, len(few) :] == -1).all()
            assert (dist2[i, : len(few)] == line[few]).all() and np.isinf(dist2[i, len(few) :]).all()
            assert counts[i] == len(order) == rows[i + 1] - rows[i]
            assert (near[rows[i] : rows[i + 1]] == np.sort(order) + offsets[c]).all()
            assert (near2[rows[i] : rows[i + 1]] == line[np.sort(order)]).all()


@given(batches(), st.integers(0, 2**31))
def test_samples(batch, seed):
    points, offsets, _, _ = batch
    rng = np.random.default_rng(seed)
    sizes = np.diff(offsets)
    counts = rng.integers(0, sizes + 1)
    starts = offsets[:-1] + rng.integers(0, np.maximum(sizes, 1))
    starts[sizes == 0] = -5  # not read
    samples, ids = PointClouds(points, offsets).sample_farthest(counts, starts)
    assert (samples == np.concatenate([[0], np.cumsum(counts)])).all()
    for c in range(len(sizes)):
        cloud = points[offsets[c] : offsets[c + 1]]
        nearest, sample = np.full(len(cloud), np.inf, points.dtype), starts[c] - offsets[c]
        for id in ids[samples[c] : samples[c + 1]]:
            assert id == sample + offsets[c]
            nearest = np.minimum(nearest, squares(cloud, cloud[sample : sample + 1])[:, 0])
            nearest[sample] = -1
            sample = int(np.argmax(nearest))


def test_batch_offsets():
    assert batch_offsets([0, 0, 1, 3]).tolist() == [0, 2, 3, 3, 4]
    assert batch_offsets([], 2).tolist() == [0, 0, 0]
    for wrong in ([1, 0], [-1, 0], [[0]], [0.5]):
        with pytest.raises(ValueError, match="batch"):
            batch_offsets(wrong)
    with pytest.raises(ValueError, match="count"):
        batch_offsets([0, 4], 3)


def test_life():
    points = np.random.default_rng(1).random((30, 2))
    clouds = PointClouds(points, [0, 10, 30])
    again = pickle.loads(pickle.dumps(clouds))
    assert (again.knn(3)[1] == clouds.knn(3)[1]).all()
    clouds.rebuild(points[::-1][:20], [0, 0, 20])
    assert (clouds.knn(1)[1][:, 0] == np.arange(20)).all() and "2 clouds, 20 points" in repr(clouds)
    assert (PointClouds(points).sample_farthest(30)[1][:1] == 0).all()


def test_a_failed_rebuild_changes_nothing(monkeypatch):
    class Lists(Space):
        def give(self, x):
            return x.tolist()

    clouds = PointClouds(np.array([[0.0], [1.0], [5.0]]))
    monkeypatch.setattr("boscage.clouds.space_of", lambda *x: Lists())
    with pytest.raises(ValueError, match="NaN"):
        clouds.rebuild(np.array([[np.nan]]))
    assert isinstance(clouds.knn(2)[1], np.ndarray) and len(clouds.points) == 3
    clouds.rebuild(np.array([[0.0], [2.0]]))
    assert clouds.knn(2)[1] == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    "call, word",
    [
        (lambda c: c.knn(0), "k"),
        (lambda c: c.knn(1, r=-1), "^r: -1"),
        (lambda c: c.knn(1, [[0.0]], [0, 1, 1]), "queries"),
        (lambda c: c.knn(1, [[0.0, 0.0]]), "query_offsets"),
        (lambda c: c.knn(1, [[0.0, 0.0]], [0, 1, 2]), "queries"),
        (lambda c: c.knn(1, [[0.0, np.nan]], [0, 1, 1]), "queries"),
        (lambda c: c.knn(1, [[0.0, 0.0]], [0, 1, 1], exclude_self=True), "exclude_self"),
        (lambda c: c.knn(1, None, [0, 1, 1]), "query_offsets"),
        (lambda c: c.sample_farthest(11), "counts"),
        (lambda c: c.sample_farthest(2, [0, 0]), "starts"),
        (lambda c: c.sample_farthest([1, 1, 1]), "counts"),
        (lambda c: c.sample_farthest(1.5), "counts"),
        (lambda c: c.sample_farthest([1, -1]), "counts"),
        (lambda c: c.sample_farthest(1, [0.0, 10.0]), "starts"),
        (lambda c: c.rebuild(np.zeros((3, 3)), [0, 1, 3]), "points"),
        (lambda c: c.rebuild(np.zeros((3, 2)), [0, 1, 2]), "offsets"),
        (lambda c: PointClouds(np.zeros(3)), "points"),
        (lambda c: PointClouds(np.zeros((3, 2)), [[0, 3]]), "offsets"),
    ],
)
def test_refusals(call, word):
    with pytest.raises(ValueError, match=word):
        call(PointClouds(np.zeros((20, 2)), [0, 10, 20]))


def batch_of(offsets):
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def plain_edges(batch, k, r, skip_own=False):
    """Edges (query, neighbour) by (distance, row), the k nearest within r."""
    points, offsets, queries, others = batch
    edges = []
    for c in range(len(offsets) - 1):
        block = squares(queries[others[c] : others[c + 1]], points[offsets[c] : offsets[c + 1]])
        for i, line in enumerate(block):
            order = [j for j in np.argsort(line, kind="stable") if np.sqrt(line[j]) <= r and not (skip_own and i == j)]
            edges += [(i + others[c], j + offsets[c]) for j in order[:k]]
    return edges


@given(batches(), st.sampled_from([1, 3, 200]), st.sampled_from([0.5, 1.0]))
def test_torch_geometric(batch, k, r):
    points, offsets, queries, others = batch
    x, y, size = batch_of(offsets), batch_of(others), len(offsets) - 1
    found = geometric.knn(points, queries, k, x, y, batch_size=size)
    assert list(map(tuple, found.T)) == plain_edges(batch, k, np.inf)
    found = geometric.radius(points, queries, r, x, y, k, batch_size=size)
    assert sorted(map(tuple, found.T)) == sorted(plain_edges(batch, k, r))
    own = (points, offsets, points, offsets)
    for loop in (False, True):
        found = geometric.knn_graph(points, k, x, loop, batch_size=size)
        assert [(i, j) for j, i in found.T] == plain_edges(own, k, np.inf, not loop)
        found = geometric.radius_graph(points, r, x, loop, k, "target_to_source", batch_size=size)
        assert sorted(map(tuple, found.T)) == sorted(plain_edges(own, k, r, not loop))
    if (np.diff(offsets) > 0).all():
        found = geometric.nearest(queries, points, y, x) if len(y) else []
        assert list(enumerate(found)) == plain_edges(batch, 1, np.inf)


def test_torch_geometric_order_within_an_infinite_radius():
    x = np.array([0.0, 1.0, 5.0])
    assert geometric.radius(x, [4.0], np.inf)[1].tolist() == [0, 1, 2]  # by row, as for any radius
    assert geometric.radius(x, [4.0], np.inf, max_num_neighbors=2)[1].tolist() == [2, 1]  # the nearest


def test_torch_geometric_samples():
    rng = np.random.default_rng(2)
    points, batch = rng.random((30, 3)), np.repeat([0, 1, 3], 10)
    first = geometric.fps(points, batch, 0.25, False)
    assert first.tolist() == PointClouds(points, [0, 10, 20, 20, 30]).sample_farthest([3, 3, 0, 3])[1].tolist()
    drawn = geometric.fps(points, ptr=[0, 10, 20, 20, 30], ratio=1, seed=3)
    assert sorted(drawn) == list(range(30)) and (geometric.fps(points, batch, 1, seed=3) == drawn).all()
    assert sorted(geometric.fps(points, ratio=1)) == list(range(30))
    assert geometric.fps(points[:0], np.zeros(0, np.int64)).tolist() == []  # no cloud
    of_each = geometric.fps(points, ptr=[0, 10, 20, 30], ratio=[0.2, 0.5, 1.0], random_start=False)
    assert np.bincount(np.asarray(of_each) // 10).tolist() == [2, 5, 10]


def padded(seed, dtype):
    """Clouds of equal shape and the numbers of rows that count: all, some, none."""
    rng = np.random.default_rng(seed)
    p1, p2 = rng.integers(0, 4, (4, 6, 3)).astype(dtype), rng.integers(0, 4, (4, 9, 3)).astype(dtype)
    lengths = [(None, None), ([6, 0, 2, 3], [9, 4, 0, 1]), ([0] * 4, None), (None, [0] * 4)][seed % 4]
    return p1, p2, *lengths


def plain_padded(p1, p2, lengths1, lengths2, k, choose):
    """Distances and rows; choose(line) gives the rows of a query's neighbours in order."""
    dists, idx = np.zeros((*p1.shape[:2], k), p1.dtype), np.full((*p1.shape[:2], k), -1)
    for c in range(len(p1)):
        n1 = len(p1[c]) if lengths1 is None else lengths1[c]
        n2 = len(p2[c]) if lengths2 is None else lengths2[c]
        for i, line in enumerate(squares(p1[c, :n1], p2[c, :n2])):
            rows = choose(line)[:k]
            dists[c, i, : len(rows)], idx[c, i, : len(rows)] = line[rows], rows
    return dists, idx


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("seed", range(8))
def test_pytorch3d(seed, dtype):
    """The nearest rows, and the first ones nearer than a radius that equals some distances."""
    p1, p2, lengths1, lengths2 = padded(seed, dtype)
    dists, idx = plain_padded(p1, p2, lengths1, lengths2, 5, lambda line: np.argsort(line, kind="stable"))
    found = geometric.knn_points(p1, p2, lengths1, lengths2, K=5, return_nn=True)
    assert np.array_equal(found.dists, dists) and np.array_equal(found.idx, np.maximum(idx, 0))
    assert np.array_equal(found.knn, p2[np.arange(4)[:, None, None], np.maximum(idx, 0)])
    assert found.dists.dtype == dtype and geometric.knn_points(p1, p2).knn is None
    for radius in (2.0, 0.0):
        dists, idx = plain_padded(
            p1, p2, lengths1, lengths2, 3, lambda line: np.flatnonzero(np.sqrt(line) < radius)
        )
        found = geometric.ball_query(p1, p2, lengths1, lengths2, K=3, radius=radius)
        assert np.array_equal(found.dists, dists) and np.array_equal(found.idx, idx)
        near = p2[np.arange(4)[:, None, None], np.maximum(idx, 0)]
        assert np.array_equal(found.knn, np.where(idx[..., None] < 0, 0, near))


def test_pytorch3d_without_rows():
    p1, none = np.zeros((2, 3, 2)), np.zeros((2, 0, 2))
    found = geometric.knn_points(p1, none, K=2, return_nn=True)
    assert found.idx.shape == (2, 3, 2) and found.knn.shape == (2, 3, 2, 2) and not found.dists.any()
    assert geometric.knn_points(none, p1, K=2).idx.shape == (2, 0, 2)
    assert (geometric.ball_query(p1, none, K=2).idx == -1).all()


def test_mean_distances_of_simple_knn():
    points = np.random.default_rng(4).random((50, 3)).astype(np.float32)
    points[7] = points[3]  # a copy is a neighbour
    nearest = np.sort(squares(points, points) + np.diag(np.full(50, np.inf, np.float32)))[:, :3]
    found = geometric.distCUDA2(points)
    assert found.dtype == np.float32
    assert np.array_equal(found, (nearest[:, 0] + nearest[:, 1] + nearest[:, 2]) / np.float32(3))
    assert np.isinf(geometric.distCUDA2(points[:3])).all()


@pytest.mark.parametrize(
    "call, word",
    [
        (lambda p: geometric.knn_points(p, p, norm=1), "norm:"),
        (lambda p: geometric.knn_points(p, p, K=0), "K:"),
        (lambda p: geometric.knn_points(p[0], p), "p1:"),
        (lambda p: geometric.knn_points(p, p[:, :, :1]), "p1, p2:"),
        (lambda p: geometric.knn_points(p, p[:1]), "p1, p2:"),
        (lambda p: geometric.knn_points(p, p, [4, 1]), "lengths1:"),
        (lambda p: geometric.knn_points(p, p, None, [-1, 1]), "lengths2:"),
        (lambda p: geometric.knn_points(p, p, None, [1]), "lengths2:"),
        (lambda p: geometric.knn_points(p, p, None, [1.0, 2.0]), "lengths2:"),
        (lambda p: geometric.ball_query(p, p, radius=-1), "radius:"),
        (lambda p: geometric.ball_query(p, p, radius=np.nan), "radius:"),
        (lambda p: geometric.distCUDA2(p), "points"),
    ],
)
def test_pytorch3d_refusals(call, word):
    with pytest.raises(ValueError, match=word):
        call(np.zeros((2, 3, 2)))


@pytest.mark.parametrize(
    "call, word",
    [
        (lambda x: geometric.fps(x, ratio=0), "ratio"),
        (lambda x: geometric.fps(x, ratio=[0.5, 0.5]), "ratio: 2 numbers"),
        (lambda x: geometric.fps(x, ptr=[0, 5, 10], ratio=[0.5, 0.0]), "ratio"),
        (lambda x: geometric.knn_graph(x, 1, flow="up"), "flow"),
        (lambda x: geometric.knn(x, x, 1, [0] * 9), "batch_x:"),
        (lambda x: geometric.knn(x, x, 1, None, [1, 0] * 5), "batch_y:"),
        (lambda x: geometric.knn(x, x, 1, [0] * 9 + [1]), "batch_x, batch_y:"),
        (lambda x: geometric.knn(x, x, 1, [0] * 9 + [1], batch_size=1), "batch_size:"),
        (lambda x: geometric.nearest(x, x, [0] * 9), "batch_x:"),
        (lambda x: geometric.radius(x, x, -1.0), "^r: -1"),
        (lambda x: geometric.knn(x, 3.0, 1), "queries: not an array of shape"),
        (lambda x: geometric.knn_graph(3.0, 1), "points: not an array of shape"),
        (lambda x: geometric.fps([[x]]), "points: not an array of shape"),
        (lambda x: geometric.radius(x, x, 1.0, max_num_neighbors=0), "max_num_neighbors:"),
        (lambda x: geometric.fps(x, ptr=[0.0, 10.0]), "ptr:"),
        (lambda x: geometric.fps(x, ptr=[0, 9]), "ptr:"),
        (lambda x: geometric.fps(x, ptr=[0, 6, 5, 10]), "ptr:"),
    ],
)
def test_torch_geometric_refusals(call, word):
    with pytest.raises(ValueError, match=word):
        call(np.zeros((10, 3)))


def test_masked_points_are_refused():
    with pytest.raises(TypeError, match="missing"):
        PointClouds(np.ma.masked_array([[0.0], [1.0]], [[True], [False]]))
    masked = np.ma.masked_array([[0.0], [1.0]], [[True], [False]])
    for call, name in (
        (lambda: geometric.knn_graph(masked, 1), "points"),
        (lambda: geometric.knn(masked.data, masked, 1), "queries"),
        (lambda: geometric.fps(masked), "points"),
        (lambda: geometric.grid_cluster(masked, 1), "pos"),
        (lambda: geometric.knn_points(masked[None], masked.data[None]), "p1"),
    ):
        with pytest.raises(TypeError, match=f"^{name}: an array with missing"):
            call()
