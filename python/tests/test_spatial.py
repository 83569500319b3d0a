"""k-d trees, voxel grids and spanning trees against scipy and NumPy."""

import numpy as np
import pytest
import scipy.sparse.csgraph
import scipy.spatial
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import boscage
from boscage.spatial import KDTree, VoxelGrid, cKDTree, emst, emst_replacements, tour, tour_bound

NORMS = [1, 1.5, 2, 3, np.inf]


def clouds(least=1, dims=(1, 4)):
    """Points on a coarse lattice, so that ties and equal points are common, or spread out."""
    lattice = st.integers(-4, 4).map(float)
    spread = st.floats(-100, 100, width=32)
    return st.tuples(st.integers(least, 40), st.integers(*dims), st.sampled_from([lattice, spread])).flatmap(
        lambda s: hnp.arrays(np.float64, s[:2], elements=s[2])
    )


def distances(x, y, p, box=None):
    d = np.abs(x[:, None, :] - y[None, :, :])
    if box is not None:
        d = np.where(box > 0, np.minimum(d, np.abs(box - d)), d)
    return scipy.spatial.minkowski_distance(d, 0, p)


@given(clouds(), st.integers(1, 12), st.sampled_from(NORMS), st.integers(0, 2**31))
def test_query(points, k, p, seed):
    queries = np.random.default_rng(seed).choice(points.ravel(), (5, points.shape[1]))
    d, i = KDTree(points).query(queries, k=[*range(1, k + 1)], p=p)
    want = distances(queries, points, p)
    for row in range(len(queries)):
        n = min(k, len(points))
        assert np.allclose(d[row, :n], np.sort(want[row])[:n], rtol=1e-12, atol=1e-13)
        assert np.allclose(want[row, i[row, :n]], d[row, :n], rtol=1e-12, atol=1e-13)
        assert len(set(i[row, :n].tolist())) == n
        assert (d[row, n:] == np.inf).all() and (i[row, n:] == len(points)).all()


@given(clouds())
def test_ties_are_broken_by_row(points):
    d, i = KDTree(points).query(points, k=np.arange(1, len(points) + 1))
    order = np.lexsort((i, d))
    assert (order == np.arange(len(points))).all()


@given(clouds(), st.floats(0, 20), st.sampled_from(NORMS))
def test_balls(points, r, p):
    tree, theirs = cKDTree(points), scipy.spatial.cKDTree(points)
    assert [sorted(row) for row in theirs.query_ball_point(points, r, p=p)] == tree.query_ball_point(
        points, r, p=p
    ).tolist()
    assert tree.query_ball_point(points, r, p=p, return_length=True).tolist() == [
        len(row) for row in theirs.query_ball_point(points, r, p=p)
    ]
    assert tree.query_pairs(r, p=p) == theirs.query_pairs(r, p=p)


@given(clouds(), st.lists(st.floats(0, 30), min_size=1, max_size=5), st.sampled_from(NORMS), st.integers(0, 2**31))
def test_counts(points, radii, p, seed):
    tree, theirs = cKDTree(points), scipy.spatial.cKDTree(points)
    assert tree.count_neighbors(tree, radii, p=p).tolist() == theirs.count_neighbors(theirs, radii, p=p).tolist()
    weights = np.random.default_rng(seed).random(len(points))
    mine = tree.count_neighbors(tree, sorted(radii), p=p, weights=weights, cumulative=False)
    assert np.allclose(mine, theirs.count_neighbors(theirs, sorted(radii), p=p, weights=weights, cumulative=False))


@given(clouds(dims=(2, 3)), st.sampled_from(NORMS), st.floats(0.1, 4))
def test_periodic(points, p, r):
    box = np.array([7.0, 0.0, 9.0])[: points.shape[1]]
    points = np.where(box > 0, points % np.where(box > 0, box, 1), points)
    points = np.where((box > 0) & (points >= box), 0, points)  # where a remainder is rounded to the period
    tree, theirs = KDTree(points, boxsize=box), scipy.spatial.KDTree(points, boxsize=box)
    d, _ = tree.query(points + box, k=3, p=p)
    assert np.allclose(d, theirs.query(points + box, k=3, p=p)[0], atol=1e-9)
    d, _ = tree.query(points, k=3, p=p)
    n = min(3, len(points))
    assert np.allclose(d[:, :n], np.sort(distances(points, points, p, box))[:, :n], atol=1e-9)


@given(clouds(), st.floats(0.01, 3), st.floats(0.5, 20))
def test_bounds_and_epsilon(points, eps, bound):
    tree = KDTree(points)
    exact, near = tree.query(points, k=5)[0], tree.query(points, k=5, eps=eps)[0]
    finite = np.isfinite(exact)
    assert (near[finite] <= exact[finite] * (1 + eps) * (1 + 1e-12)).all()
    d, i = tree.query(points, k=5, distance_upper_bound=bound)
    assert (d == np.where(exact < bound, exact, np.inf)).all() and ((i == len(points)) == np.isinf(d)).all()
    each = np.linspace(0.1, bound, len(points))
    assert (
        tree.query(points, k=5, distance_upper_bound=each)[0] == np.where(exact < each[:, None], exact, np.inf)
    ).all()


@given(clouds(least=2), st.floats(0, 8))
def test_two_trees(points, r):
    half = len(points) // 2
    a, b = cKDTree(points[:half]), cKDTree(points[half:])
    c, d = scipy.spatial.cKDTree(points[:half]), scipy.spatial.cKDTree(points[half:])
    assert a.query_ball_tree(b, r) == [sorted(row) for row in c.query_ball_tree(d, r)]
    mine, theirs = (x.sparse_distance_matrix(y, r, output_type="dict") for x, y in ((a, b), (c, d)))
    assert mine.keys() == theirs.keys() and all(abs(mine[key] - theirs[key]) < 1e-9 for key in mine)


@given(clouds(), st.floats(-5, 5), st.floats(0, 5))
def test_boxes(points, low, side):
    offsets, ids = KDTree(points).query_box(
        np.full((1, points.shape[1]), low), np.full((1, points.shape[1]), low + side)
    )
    inside = ((points >= low) & (points <= low + side)).all(axis=1)
    assert ids.tolist() == np.flatnonzero(inside).tolist() and offsets.tolist() == [0, inside.sum()]


@pytest.mark.parametrize("r", [np.nan, [np.nan], [1, np.nan], [np.nan, 1]])
def test_radii_of_counts_are_numbers(r):
    tree = KDTree([[0.0, 1.0], [1.0, 1.0]])
    with pytest.raises(ValueError, match="^r: NaN"):
        tree.count_neighbors(tree, r)
    assert tree.count_neighbors(tree, []).tolist() == []
    assert tree.count_neighbors(tree, [1, 0.5]).tolist() == [4, 2]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_boxes_without_bounds_and_alone(dtype):
    tree = KDTree(np.array([[0, 5], [1, 6], [3, 7]], dtype))
    assert [x.tolist() for x in tree.query_box([-np.inf, 0], [1, np.inf])] == [[0, 2], [0, 1]]
    half_spaces = [[-np.inf, -np.inf], [0.1, -np.inf]], [[np.inf, 6.5], [np.inf, np.inf]]
    assert [x.tolist() for x in tree.query_box(*half_spaces)] == [[0, 2, 4], [0, 1, 1, 2]]
    for lows, highs, message in (
        ([np.nan, 0], [1, 1], "^lows must not be NaN"),
        ([[0, 0]], [[1, np.nan]], "^highs must not be NaN"),
        ([0, 0, 0], [1, 1], "^lows must consist of vectors of length 2"),
        ([0, 0], [1, 1, 1], "^highs must consist of vectors of length 2"),
        ([0, 0], [[1, 1]], "^lows and highs must be of one shape"),
    ):
        with pytest.raises(ValueError, match=message):
            tree.query_box(lows, highs)


def test_eps_is_named():
    tree = KDTree(np.zeros((3, 2)))
    for eps in (-1, np.nan, np.inf):
        for call in (tree.query, lambda x, eps: tree.query_ball_point(x, 1, eps=eps)):
            with pytest.raises(ValueError, match="^eps: .* is not 0 or more and finite"):
                call([[0, 0]], eps=eps)


def test_float32_is_kept():
    points = np.random.default_rng(1).random((500, 3), np.float32)
    tree = KDTree(points)
    assert tree.data.base is points and not tree.data.flags.writeable
    d, i = tree.query(points[:50] + np.float32(0.01), k=4)
    assert d.dtype == np.float64 and np.allclose(
        d, KDTree(points.astype(float)).query(points[:50] + np.float32(0.01), k=4)[0], rtol=1e-5
    )


def test_strided_rows_are_taken_as_they_are():
    wide = np.random.default_rng(2).random((300, 7))
    tree = KDTree(wide[:, :3])
    assert tree.data.base is wide
    assert (tree.query(wide[::2, 2:5], k=2)[1] == scipy.spatial.KDTree(wide[:, :3]).query(wide[::2, 2:5], k=2)[1]).all()
    for odd in (wide[:, ::2], wide.T[:3].T, np.asfortranarray(wide)[:, :3], wide[::-1, :3]):
        assert (KDTree(odd).query(odd, k=2)[0] == scipy.spatial.KDTree(odd).query(odd, k=2)[0]).all()


def test_rebuild_and_verify():
    rng = np.random.default_rng(3)
    tree = KDTree(rng.random((1000, 2)))
    for n in (10, 0, 3000):
        points = rng.random((n, 2))
        tree.rebuild(points)
        tree.verify()
        assert (
            tree.n == n
            and (tree.query([[0.5, 0.5]], k=[1])[0] == scipy.spatial.KDTree(points).query([[0.5, 0.5]], k=[1])[0]).all()
        )


@given(clouds(dims=(1, 3)), st.sampled_from([0.5, 1.0, 7.0]), st.just(0.0) | st.floats(1e-150, 6))
def test_voxel_grid(points, cell, r):
    grid, tree = VoxelGrid(points, cell), cKDTree(points)
    assert set(map(tuple, grid.query_pairs(r).tolist())) == tree.query_pairs(r)
    offsets, ids = grid.query_ball_csr(points, r)
    want = tree.query_ball_csr(points, r)
    assert offsets.tolist() == want[0].tolist() and ids.tolist() == want[1].tolist()
    assert grid.count(points, r).tolist() == np.diff(offsets).tolist()
    own = grid.query_ball_csr(None, r)
    assert own[0].tolist() == offsets.tolist() and own[1].tolist() == ids.tolist()
    assert grid.count(None, r).tolist() == np.diff(offsets).tolist()
    assert grid.count(None).tolist() == grid.count(points).tolist()
    coordinates, counts = grid.voxels()
    have, many = np.unique(np.floor(points / cell), axis=0, return_counts=True)
    assert (coordinates == have).all() and (counts == many).all()
    number, labels = grid.components(r)
    graph = np.zeros((len(points),) * 2)
    pairs = grid.query_pairs(r)
    graph[pairs[:, 0], pairs[:, 1]] = 1
    want = scipy.sparse.csgraph.connected_components(graph, directed=False)
    assert number == want[0] and (np.unique(labels, return_inverse=True)[1] == want[1]).all()


@given(clouds(dims=(1, 3)))
def test_emst(points):
    pairs, lengths = emst(points)
    assert pairs.shape == (len(points) - 1, 2) and (pairs[:, 0] < pairs[:, 1]).all()
    d = distances(points, points, 2) + 1  # so that distances of 0 are edges for scipy
    want = scipy.sparse.csgraph.minimum_spanning_tree(np.triu(d, 1)).sum() - (len(points) - 1)
    assert np.isclose(lengths.sum(), want, atol=1e-6)
    assert np.allclose(lengths, np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1))


@given(clouds(dims=(1, 3)), st.sampled_from(NORMS))
def test_emst_replacements(points, p):
    pairs, lengths = emst(points)
    replacements, longer = emst_replacements(points, pairs, p=p)
    assert p != 2 or (longer >= lengths).all()
    d = distances(points, points, p)
    for edge, (pair, replacement) in enumerate(zip(pairs, replacements)):
        others = np.delete(pairs, edge, axis=0)
        graph = scipy.sparse.coo_matrix((np.ones(len(others)), others.T), (len(points),) * 2)
        side = scipy.sparse.csgraph.connected_components(graph, directed=False)[1]
        across = np.triu(side[:, None] != side[None, :], 1)
        across[tuple(pair)] = False
        if not across.any():
            assert (replacement == -1).all() and longer[edge] == np.inf
            continue
        assert across[tuple(replacement)]
        assert np.isclose(longer[edge], d[across].min(), atol=1e-6)


def test_emst_replacements_refuses():
    points = [[0.0], [5.0], [1.0]]
    for pairs in ([[0, 1]], [[0, 1], [1, 0]], [[0, 1], [1, 3]]):
        for p in (1, 2):
            with pytest.raises(ValueError, match="pairs"):
                emst_replacements(points, pairs, p=p)
    for p in (0.5, np.nan):
        with pytest.raises(ValueError, match="p"):
            emst_replacements(points, [[0, 1], [1, 2]], p=p)
    with pytest.raises(TypeError, match="pairs"):
        emst_replacements(points, [[0.5, 1], [1, 2]])
    with pytest.raises(ValueError, match="min_samples"):
        emst_replacements(points, [[0, 1], [1, 2]], min_samples=4)
    mutual = emst_replacements(points, [[0, 1], [1, 2]], min_samples=3)[1]
    assert (mutual == 5).all()


@pytest.mark.parametrize("kind", [KDTree, cKDTree])
def test_attributes_cannot_be_set(kind):
    tree = kind([[0.0, 1.0]])
    for name in ("n", "m", "data", "leafsize", "boxsize", "maxes", "mins", "size", "tree", "device"):
        getattr(tree, name)
        with pytest.raises(AttributeError):
            setattr(tree, name, 1)


@pytest.mark.parametrize("boxsize", [None, 1.0])
@pytest.mark.parametrize("p", [0.3, 0.5, 0.9])
def test_powers_below_one(p, boxsize):
    points = np.random.default_rng(5).random((300, 2))
    others = points[:100] * 0.99
    ours, theirs = (of(points, boxsize=boxsize) for of in (cKDTree, scipy.spatial.cKDTree))
    ours2, theirs2 = (of(others, boxsize=boxsize) for of in (cKDTree, scipy.spatial.cKDTree))
    assert type(ours.count_neighbors(ours, 0.2)) is type(theirs.count_neighbors(theirs, 0.2)) is int
    assert ours.query_pairs(0.2, p=p) == theirs.query_pairs(0.2, p=p)
    assert ours.query_ball_tree(ours2, 0.2, p=p) == [sorted(x) for x in theirs.query_ball_tree(theirs2, 0.2, p=p)]
    for r in (0.2, np.linspace(0, 0.3, 100)):
        a, b = (t.query_ball_point(others, r, p=p, return_sorted=True) for t in (ours, theirs))
        assert a.tolist() == b.tolist()
        assert (ours.query_ball_point(others, r, p=p, return_length=True) == [len(x) for x in b]).all()
    a, b = (t.sparse_distance_matrix(u, 0.2, p=p).toarray() for t, u in ((ours, ours2), (theirs, theirs2)))
    assert np.allclose(a, b)


@pytest.mark.parametrize("boxsize", [None, 1.0])
@pytest.mark.parametrize("p", [0.3, 0.5, 0.9])
def test_counts_of_powers_below_one(p, boxsize, monkeypatch):
    monkeypatch.setattr("boscage._pairs.BLOCK", 1000)  # several blocks of pairs
    points = np.random.default_rng(6).random((300, 2))
    ours, theirs = (
        [of(x, boxsize=boxsize) for x in (points, points[:100] * 0.99)] for of in (cKDTree, scipy.spatial.cKDTree)
    )
    weights = np.arange(300.0), np.arange(100) + 0.5
    for radii in (0.2, [0.3, 0.1, -1.0], np.linspace(0, 0.3, 20), np.inf, []):
        a, b = (t[0].count_neighbors(t[1], radii, p=p) for t in (ours, theirs))
        assert np.array_equal(a, b) and np.shape(a) == np.shape(b)
        for w in (weights, (None, weights[1])):
            a, b = (t[0].count_neighbors(t[1], radii, p=p, weights=w) for t in (ours, theirs))
            assert np.allclose(a, b)
    a, b = (t[0].count_neighbors(t[0], [0.05, 0.2], p=p, cumulative=False) for t in (ours, theirs))
    assert (a == b).all()


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8"])
def test_tours_are_near_their_bound(dtype):
    points = (np.random.default_rng(3).random((500, 2)) * 1000).astype(dtype)
    order, length = tour(points)
    assert order[0] == 0 and (np.sort(order) == np.arange(500)).all()
    legs = points[order].astype(float) - points[np.roll(order, -1)].astype(float)
    assert length == pytest.approx(np.hypot(*legs.T).sum(), rel=1e-12)
    bound = tour_bound(points)
    assert bound <= length < 1.06 * bound
    walk = tour(points, kicks=0, workers=1)
    assert length < walk[1] and (tour(points, workers=1)[0] == order).all()
    assert (tour(points, seed=1)[0] != order).any()


def test_tours_of_few_points_and_bad_arguments():
    assert tour(np.zeros((0, 2)))[1] == 0 and tour_bound([[1.0, 2.0]]) == 0
    order, length = tour([[0.0], [5.0], [1.0]])
    assert length == 10 and 10 - 1e-9 < tour_bound([[0.0], [5.0], [1.0]]) <= 10
    with pytest.raises(ValueError, match="points"):
        tour([[np.nan, 1.0]])
    for call in (tour, tour_bound):
        with pytest.raises(TypeError, match="missing"):
            call(np.ma.masked_array([[1.0, 2.0], [3.0, 4.0]], [[True, False], [False, False]]))
    with pytest.raises(ValueError, match="kicks"):
        tour([[1.0, 2.0]], kicks=-1)
    with pytest.raises(ValueError, match="rounds"):
        tour_bound([[1.0]], rounds=0)


def test_whole_floats_and_many_workers():
    tree = KDTree(np.random.default_rng(0).random((50, 2)))
    assert tree.query(tree.data, k=2.0)[1].tolist() == tree.query(tree.data, k=2)[1].tolist()
    with pytest.raises(TypeError, match="k: 2.5 is not an integer"):
        tree.query(tree.data, k=2.5)
    with pytest.raises(ValueError, match="workers: 4097 is more than 4096"):
        tree.query(tree.data, workers=4097)
    with pytest.raises(ValueError, match="threads: 4097 is not in 0 to 4096"):
        boscage.use("cpu", threads=4097)
