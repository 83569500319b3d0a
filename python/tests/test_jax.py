"""boscage.jax under jit, grad and vmap, against boscage.clouds and boscage.atoms."""

import boscage.jax as ours
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.test_util import check_grads

from boscage import atoms, clouds, prims
from boscage import torch as geometric
from boscage.spatial import emst, emst_replacements
from boscage.voxels import Voxels

RNG = np.random.default_rng(8)
X, Y = RNG.random((30, 3)), RNG.random((9, 3))
OF_X, OF_Y = np.array([0, 12, 12, 30]), np.array([0, 4, 5, 9])
P1, P2 = RNG.random((3, 6, 2)), RNG.random((3, 5, 2))
CELLS = 2 * np.eye(3) + 0.2 * RNG.random((2, 3, 3))


@pytest.fixture(autouse=True, params=[True, False], ids=["f8", "f4"])
def wide(request):
    with jax.enable_x64(request.param):
        yield request.param


def as_given(*arrays, wide):
    return [np.asarray(x, "f8" if wide else "f4") for x in arrays]


def same(ours_, theirs):
    return all(np.array_equal(np.asarray(a), b) for a, b in zip(ours_, theirs, strict=True))


@pytest.mark.parametrize("compiled", [False, True])
def test_same_as_numpy(wide, compiled):
    x, y, p1, p2, cells = as_given(X, Y, P1, P2, CELLS, wide=wide)
    run = jax.jit if compiled else lambda f: f
    found = run(lambda x, y: ours.knn(x, 4, y, OF_X, OF_Y, r=0.8))(x, y)
    assert same(found, clouds.PointClouds(x, OF_X).knn(4, y, OF_Y, r=0.8)) and found[0].dtype == x.dtype
    found = run(lambda x: ours.knn(x, 3, exclude_self=True))(x)
    assert same(found, clouds.PointClouds(x).knn(3, exclude_self=True))
    lengths = np.array([6, 0, 2]), np.array([2, 5, 0])
    dists, idx, _ = geometric.knn_points(p1, p2, *lengths, K=3)
    found = run(lambda p1, p2: ours.knn_points(p1, p2, *lengths, K=3))(p1, p2)
    assert same((found[0], np.maximum(found[1], 0)), (dists, idx))
    found = run(lambda p1, p2: ours.ball_query(p1, p2, K=3, radius=0.4))(p1, p2)
    assert same(found, geometric.ball_query(p1, p2, K=3, radius=0.4)[:2])
    found = run(lambda x: ours.sample_farthest(x, [3, 0, 5], OF_X))(x)
    assert same((found,), clouds.PointClouds(x, OF_X).sample_farthest([3, 0, 5])[1:])
    for box in (None, cells[0], cells):
        found = run(lambda x: ours.neighbor_matrix(x, 0.7, 8, [0, 12, 30], box))(x)
        assert same(found, atoms.neighbor_matrix(x, 0.7, 8, [0, 12, 30], box))


def test_gradients(wide):
    if not wide:  # differences are too coarse
        g = jax.grad(lambda x: ours.knn(x, 2, exclude_self=True)[0].sum())(X.astype("f4"))
        assert g.dtype == jnp.float32 and jnp.isfinite(g).all()
        return
    # Sums over neighbours, since finite differences may exchange two of them.
    for call, inputs in (
        (lambda x, y: ours.knn(x, 4, y, OF_X, OF_Y)[0][:4].sum(1), (X, Y)),
        (lambda x: ours.knn(x, 3, exclude_self=True)[0].sum(1), (X[:8],)),
        (lambda p, q: ours.knn_points(p, q, K=3)[0].sum(2), (P1, P2)),
        (lambda p, q: ours.ball_query(p, q, [6, 2, 0], None, K=3, radius=0.5)[0], (P1, P2)),
        (lambda x, c: finite(ours.neighbor_matrix(x, 0.9, 20, [0, 5, 12], c)[2]), (2 * X[:12], CELLS)),
        (lambda x, c: finite(ours.neighbor_matrix(x, 0.9, 20, None, c)[2]), (2 * X[:12], CELLS[0])),
        (lambda x: finite(ours.neighbor_matrix(x, 0.9, 20)[2]), (2 * X[:12],)),
    ):
        check_grads(call, inputs, order=1)
    check_grads(lambda p, q: ours.knn_points(p, q, K=3)[0].sum(2), (P1, P2), order=2)
    same_point = jax.grad(lambda x: finite(ours.neighbor_matrix(x, 1.0, 2)[2]).sum())(np.zeros((2, 3)))
    assert (same_point == 0).all()


def finite(x):
    return jnp.where(jnp.isfinite(x), x, 0)


OF_CALLS = {
    "knn": lambda x: ours.knn(x, 4, X[:9].astype(x.dtype), OF_X, OF_Y, r=0.8),
    "own points": lambda x: ours.knn(x, 3, None, OF_X, exclude_self=True),
    "padded": lambda x: ours.knn_points(x[None, :20], x[None], np.array([7]), np.array([11]), K=3),
    "samples": lambda x: (ours.sample_farthest(x, [3, 0, 5], OF_X, np.array([2, 12, 13])),),
}


@pytest.mark.parametrize("name", OF_CALLS)
def test_calls_of_compiled_programs(wide, name, monkeypatch):
    """Programs call the library themselves, and find what callbacks find."""
    (x,) = as_given(X, wide=wide)
    program = jax.jit(OF_CALLS[name])
    text = program.lower(x).as_text()
    assert "boscage_" in text and "callback" not in text
    found = program(x), OF_CALLS[name](x), jax.jit(jax.vmap(OF_CALLS[name]))(np.stack([x, x]))
    monkeypatch.setattr(ours, "_registered", [])
    program = jax.jit(lambda x: OF_CALLS[name](x))
    assert "callback" in program.lower(x).as_text()
    expected = [np.asarray(a) for a in program(x)]
    assert same(found[0], expected) and same(found[1], expected)
    assert same([a[1] for a in found[2]], expected)
    assert [a.dtype for a in found[0]] == [a.dtype for a in expected]


def test_data_of_compiled_programs():
    """Errors of the library leave a program; padded rows are not read; lengths may be data."""
    program = jax.jit(lambda x: ours.knn(x, 2, None, OF_X)[1])
    with pytest.raises(Exception, match="points: row 3 holds a NaN"):
        program(np.where(X == X[3, 1], np.nan, X)).block_until_ready()
    program(X).block_until_ready()  # the next call is not affected
    padded = np.where(np.arange(6)[:, None] < 4, P1, np.nan)
    dists, idx = jax.jit(lambda p, n: ours.knn_points(p, p, n, n, K=2))(padded, np.array([4, 2, 0]))
    there = np.nan_to_num(padded).astype(dists.dtype)
    expected, rows, _ = geometric.knn_points(there, there, [4, 2, 0], [4, 2, 0], K=2)
    assert same((dists, np.maximum(idx, 0)), (expected, rows)) and (idx[2] == -1).all()
    with pytest.raises(ValueError, match="offsets: not a vector"):
        ours.knn(X, 1, None, [[0, 30]])
    with pytest.raises(ValueError, match="query_offsets: 2 of them where 4"):
        ours.knn(X, 1, Y, OF_X)
    with pytest.raises(ValueError, match="queries: 2 coordinates"):
        ours.knn(X, 1, Y[:, :2])
    with pytest.raises(ValueError, match="exclude_self"):
        ours.knn(X, 1, Y, exclude_self=True)


def test_vmap(wide):
    many = as_given(np.stack([X, X[::-1]]), wide=wide)[0]
    dist2, ids = jax.vmap(lambda x: ours.knn(x, 3, exclude_self=True))(many)
    for k in range(2):
        assert same((dist2[k], ids[k]), clouds.PointClouds(many[k]).knn(3, exclude_self=True))


@pytest.mark.parametrize(
    "call, word",
    [
        (lambda: ours.knn_points(P1, P2, K=0), "K:"),
        (lambda: ours.knn_points(P1[0], P2), "p1, p2:"),
        (lambda: ours.ball_query(P1, P2, radius=-1), "radius:"),
        (lambda: ours.knn(X, 1, Y, OF_X, OF_Y + 1), "offsets"),
        (lambda: ours.knn(X, 1, None, OF_X, OF_Y), "query_offsets:"),
        (lambda: ours.knn(X + 0j, 1), "points:"),
        (lambda: ours.knn(X[:, 0], 1), "points: not an array of shape"),
        (lambda: ours.knn(X, 1, Y[0]), "queries: not an array of shape"),
        (lambda: ours.knn_points(P1, P2 + 0j), "p2:"),
    ],
)
def test_refusals(call, word):
    with pytest.raises(Exception, match=word):
        jax.block_until_ready(call())


def test_arrays_of_both_precisions(wide):
    """Structures of JAX's arrays, which without numbers of 64 bits have offsets and pairs of NumPy."""
    (x,) = as_given(X, wide=wide)
    j = jnp.asarray(x)
    calls = (
        lambda x: clouds.PointClouds(x).knn(2),
        lambda x: clouds.PointClouds(x, OF_X).sample_farthest([2, 0, 3]),
        lambda x: [Voxels(x, 0.5, OF_X).coords, Voxels(x, 0.5).coarse(2).inverse],
        lambda x: [Voxels(x, 0.5).mean((x * 8).astype(np.int32))],
        lambda x: atoms.neighbor_lists("ijd", x, 0.4),
        lambda x: emst_replacements(x, emst(x)[0]),
        lambda x: [prims.argsort(x[:, 0])],
        lambda x: [geometric.knn(x, x, 2)],
    )
    for call in calls:
        for a, b in zip(call(j), call(x), strict=True):
            np.testing.assert_allclose(np.asarray(a), b, rtol=1e-6)


def test_numbers_beyond_the_type():
    """Where squares overflow or points are infinite, distances are those of NumPy, and gradients are 0."""
    x = RNG.random((10, 3)).astype(np.float32)
    far = x.copy()
    far[3] = np.inf
    for points in (x * np.float32(1e25), far):
        assert same(ours.knn(jnp.asarray(points), 2), clouds.PointClouds(points).knn(2))
        gradient = jax.grad(lambda x: ours.knn(x, 2)[0][0].sum())(jnp.asarray(points))
        assert np.isfinite(np.asarray(gradient)).all()
    found = ours.neighbor_matrix(jnp.asarray(x * np.float32(1e25)), 1e25, 3)
    assert same(found[2:3], atoms.neighbor_matrix(x * np.float32(1e25), 1e25, 3)[2:3])
