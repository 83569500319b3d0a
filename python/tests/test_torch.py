"""boscage.torch and boscage.atoms with tensors: results of NumPy's arrays, operators, gradients, compiled programs."""

import boscage.torch as ours
import numpy as np
import pytest
import torch
from torch.library import opcheck

from boscage import _torch_clouds
from boscage._torch_clouds import TensorClouds
from boscage.atoms import neighbor_lists, neighbour_list
from boscage.clouds import PointClouds

OPERATORS = torch.ops.boscage


def cloud(n, seed=0, dtype=torch.float64, dim=3):
    return torch.rand((n, dim), dtype=dtype, generator=torch.Generator().manual_seed(seed))


X, Y = cloud(40), cloud(15, 1)
OF_X, OF_Y = torch.arange(40) // 14, torch.arange(15) // 5
PADDED1, PADDED2 = cloud(33, 2).reshape(3, 11, 3), cloud(21, 3).reshape(3, 7, 3)
LENGTHS1, LENGTHS2 = torch.tensor([11, 0, 4]), torch.tensor([7, 3, 2])

CALLS = {
    "knn": lambda x, y, a, b, p, q: ours.knn(x, y, 3, a, b),
    "knn of a cloud": lambda x, y, a, b, p, q: ours.knn(x, y, 3),
    "radius": lambda x, y, a, b, p, q: ours.radius(x, y, 0.4, a, b, 3),
    "radius of all": lambda x, y, a, b, p, q: ours.radius(x, y, 0.4, a, b, 100),
    "knn_graph": lambda x, y, a, b, p, q: ours.knn_graph(x, 4, a),
    "knn_graph of a cloud": lambda x, y, a, b, p, q: ours.knn_graph(x, 4, loop=True),
    "radius_graph": lambda x, y, a, b, p, q: ours.radius_graph(x, 0.5, a, flow="target_to_source"),
    "nearest": lambda x, y, a, b, p, q: ours.nearest(x, y, a, b),
    "fps": lambda x, y, a, b, p, q: ours.fps(x, a, 0.3, False),
    "fps of a cloud": lambda x, y, a, b, p, q: ours.fps(x, ratio=0.3, random_start=False),
    "fps by a seed": lambda x, y, a, b, p, q: ours.fps(x, a, 0.3, seed=5),
    "knn_points": lambda x, y, a, b, p, q: ours.knn_points(p, q, K=3, return_nn=True),
    "ball_query": lambda x, y, a, b, p, q: ours.ball_query(p, q, K=4, radius=0.5),
    "distCUDA2": lambda x, y, a, b, p, q: ours.distCUDA2(x),
    "neighbor_lists": lambda x, y, a, b, p, q: neighbor_lists("ijSdDpP", x, 0.4, [0, 14, 28, 40], 1.5 * np.eye(3)),
}
BOUNDED = {"knn of a cloud", "knn_graph of a cloud", "nearest", "fps of a cloud"}
BOUNDED |= {"knn_points", "ball_query", "distCUDA2"}


def check_gradients(call, inputs):
    """First and second derivatives, along random directions."""
    assert torch.autograd.gradcheck(call, inputs, fast_mode=True)
    assert torch.autograd.gradgradcheck(call, inputs, fast_mode=True)


def arrays_of(answer):
    return answer if isinstance(answer, tuple) else (answer,)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", CALLS)
def test_same_as_numpy(name, dtype):
    inputs = [v.to(dtype) if v.is_floating_point() else v for v in (X, Y, OF_X, OF_Y, PADDED1, PADDED2)]
    plain = arrays_of(CALLS[name](*(v.numpy() for v in inputs)))
    for ours_, theirs in zip(arrays_of(CALLS[name](*inputs)), plain, strict=True):
        assert isinstance(ours_, torch.Tensor) and ours_.numpy().dtype == theirs.dtype
        assert np.array_equal(ours_.numpy(), theirs)


@pytest.mark.parametrize("name", CALLS)
def test_compiled(name):
    """One graph without breaks, and another one for sizes that vary."""
    torch._dynamo.reset()
    compiled = torch.compile(CALLS[name], fullgraph=True, backend="aot_eager")
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=name not in BOUNDED):
        for rows in (40, 40 if name == "neighbor_lists" else 33):
            inputs = X[:rows], Y, OF_X[:rows], OF_Y, PADDED1, PADDED2
            for now, plain in zip(arrays_of(compiled(*inputs)), arrays_of(CALLS[name](*inputs)), strict=True):
                assert torch.equal(now, plain)


def test_compiled_with_gradients():
    torch._dynamo.reset()
    p, q = PADDED1.clone().requires_grad_(), PADDED2.clone().requires_grad_()

    def loss(p, q):
        found = ours.knn_points(p, q, K=3, return_nn=True)
        return (found.dists.sqrt() + found.knn.sum(-1)).sum()

    expected = torch.autograd.grad(loss(p, q), (p, q))
    given = torch.autograd.grad(torch.compile(loss, fullgraph=True)(p, q), (p, q))
    assert all(torch.allclose(a, b) for a, b in zip(expected, given))


@pytest.mark.parametrize("lengths", [(None, None), (LENGTHS1, LENGTHS2)])
def test_gradients_of_padded_clouds(lengths):
    p, q = PADDED1.clone().requires_grad_(), PADDED2.clone().requires_grad_()
    for call in (
        lambda p, q: ours.knn_points(p, q, *lengths, K=4).dists,
        lambda p, q: ours.knn_points(p, q, *lengths, K=2, return_nn=True).knn,
        lambda p, q: ours.ball_query(p, q, *lengths, K=4, radius=0.5).dists,
        lambda p, q: ours.ball_query(p, q, *lengths, K=4, radius=0.5).knn,
    ):
        check_gradients(call, (p, q))
    assert not ours.knn_points(p, q).idx.requires_grad


def test_gradients_of_mean_distances():
    x = X[:9].clone().requires_grad_()
    check_gradients(ours.distCUDA2, (x,))


@pytest.mark.parametrize("half", [False, True])
def test_gradients_of_neighbour_lists(half):
    x = (3 * X[:12]).requires_grad_()
    cells = (3 * torch.eye(3, dtype=torch.float64) + 0.2 * PADDED1[:2, :3]).requires_grad_()
    one = cells[0].detach().requires_grad_()
    for call, inputs in (
        (lambda x, c: neighbor_lists("dD", x, 2.0, torch.tensor([0, 5, 12]), c, half=half), (x, cells)),
        (lambda x, c: neighbor_lists("d", x, 2.0, torch.tensor([0, 5, 12]), c, half=half), (x, one)),
        (lambda x, c: neighbor_lists("D", x, 2.0, None, c, [True, False, True], half=half), (x, one)),
        (lambda x: neighbor_lists("d", x, 2.0, half=half), (x,)),
    ):
        check_gradients(call, inputs)
    assert neighbor_lists("i", x, 2.0).dtype == torch.int64
    # Unit vectors at any scale of float32.
    small = X[:12, :3].float()
    wanted = None
    for scale in (1.0, 1e25, 1e-30):
        y = (small * scale).requires_grad_()
        gradient = torch.autograd.grad(neighbor_lists("d", y, 0.6 * scale, half=half).sum(), y)[0]
        wanted = gradient if wanted is None else wanted
        assert torch.allclose(gradient, wanted, atol=1e-4)
    # Atoms at one point have distance 0, whose gradient is taken as 0.
    same = torch.zeros((2, 3), dtype=torch.float64, requires_grad=True)
    assert torch.autograd.grad(neighbor_lists("d", same, 1.0).sum(), same)[0].eq(0).all()


@pytest.mark.parametrize("pbc, expected", [(None, []), (False, []), (True, [1, 0]), ([True, False, False], [1, 0])])
def test_periodicity_of_neighbour_lists(pbc, expected):
    x = torch.tensor([[0.1, 0.1, 0.1], [0.9, 0.1, 0.1]], dtype=torch.float64)
    for positions in (x, x.numpy(), x.clone().requires_grad_()):
        assert neighbor_lists("j", positions, 0.5, cells=np.eye(3), pbc=pbc).tolist() == expected


def test_neighbour_list_of_tensors():
    """matscipy's function has none, so the types are those of `neighbor_lists`."""
    i, j, shifts = neighbour_list("ijS", positions=X, cutoff=0.4)
    expected = neighbour_list("ijS", positions=X.numpy(), cutoff=0.4)
    assert i.dtype == j.dtype == torch.int64 and shifts.dtype == torch.int32
    assert all(np.array_equal(a, b) for a, b in zip((i, j, shifts), expected))


def test_forces_are_those_of_a_pair_potential():
    x = (2 * X[:20]).requires_grad_()
    cell = 2.5 * torch.eye(3, dtype=torch.float64)
    i, j, shifts, d = neighbor_lists("ijSd", x, 1.2, None, cell, half=True)
    forces = -torch.autograd.grad(((1.2 - d) ** 2).sum(), x)[0]
    vectors = (x[j] - x[i] + shifts.double() @ cell).detach()
    each = 2 * (1.2 - d.detach())[:, None] * vectors / d.detach()[:, None]
    assert torch.allclose(forces, torch.zeros_like(x).index_add(0, j, each).index_add(0, i, -each))
    assert torch.allclose(forces.sum(0), torch.zeros(3, dtype=torch.float64), atol=1e-12)


def test_operators_are_as_their_schemas_say():
    p, q = PADDED1.clone().requires_grad_(), PADDED2.clone().requires_grad_()
    for operator, inputs in (
        (OPERATORS.knn, (X, Y, 3, OF_X, OF_Y, 3)),
        (OPERATORS.knn, (X, Y, 50, None, None, None)),
        (OPERATORS.radius, (X, Y, 0.5, None, None, 3, None)),
        (OPERATORS.graph, (X, 3, None, OF_X, False, "source_to_target", None)),
        (OPERATORS.graph, (X[:3], 3, None, None, False, "source_to_target", None)),
        (OPERATORS.nearest, (X, Y, None, None)),
        (OPERATORS.fps, (X, OF_X, 0.5, 3, None, None)),
        (OPERATORS.fps, (X, None, 0.5, None, torch.tensor([0, 10, 40]), torch.tensor([3]))),
        (OPERATORS.knn_points, (p, q, None, None, 3, False)),
        (OPERATORS.knn_points, (p, p, LENGTHS1, LENGTHS1, 3, True)),
        (OPERATORS.ball_query, (p, q, LENGTHS1, LENGTHS2, 3, 0.5)),
        (OPERATORS.neighbor_lists, ("DdijS", p[0], 0.5, None, torch.eye(3), torch.tensor(True), False)),
        (OPERATORS.neighbor_lists, ("pP", X, 0.5, torch.tensor([0, 10, 40]), None, None, True)),
    ):
        results = opcheck(operator.default, inputs)
        assert set(results.values()) == {"SUCCESS"}


def test_samples_follow_the_seed_of_torch():
    draws = []
    for seed in (7, 7, 8):
        torch.manual_seed(seed)
        draws.append(ours.fps(X, OF_X, 0.2).tolist())
    assert draws[0] == draws[1] != draws[2]
    generator = np.random.default_rng(3)
    assert ours.fps(X, OF_X, 0.2, seed=generator).shape == (9,)
    shares = torch.tensor([0.2, 0.5, 1.0])
    expected = ours.fps(X.numpy(), OF_X.numpy(), shares.numpy(), False)
    assert np.array_equal(ours.fps(X, OF_X, shares, False), expected)
    assert np.array_equal(ours.fps(X, OF_X, 0.2, seed=2**70), ours.fps(X.numpy(), OF_X.numpy(), 0.2, seed=2**70))


def test_other_inputs():
    """Lists and NumPy's arrays beside tensors, views with gaps, half precision, gradients that nobody needs."""
    assert torch.equal(ours.knn(X, Y.numpy(), 2, OF_X.tolist(), OF_Y.numpy()), ours.knn(X, Y, 2, OF_X, OF_Y))
    wide = torch.zeros((40, 6), dtype=torch.float64)
    wide[:, ::2] = X
    assert torch.equal(ours.knn_graph(wide[:, ::2], 3), ours.knn_graph(X, 3))
    assert torch.equal(ours.knn_graph(X.clone().requires_grad_(), 3), ours.knn_graph(X, 3))
    assert torch.equal(ours.knn_graph(X.half(), 3), ours.knn_graph(X.half().double(), 3))
    assert torch.equal(ours.knn(X, 2 * X, 2, OF_X, OF_X), ours.knn(X, 2 * X, 2, OF_X, OF_X.clone()))
    assert torch.equal(ours.nearest(X[:, 0], Y[:, 0]), ours.nearest(X[:, :1], Y[:, :1]))


BATCHES = {  # of points and queries
    "even": ([0] * 5 + [1] * 5, [0, 0, 1]),
    "empty": ([1] * 3 + [4] * 7, [0, 1, 4]),
    "more of queries": ([0] * 4 + [1] * 6, [0, 1, 7]),
    "more of points": ([0] * 4 + [9] * 6, [0, 0, 0]),
    "no queries": ([0] * 4 + [1] * 6, []),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int32])
@pytest.mark.parametrize("name", BATCHES)
def test_batch_vectors(name, dtype):
    """Vectors of every kind give what the same calls give for arrays of NumPy."""
    of_x, of_y = (torch.tensor(b, dtype=torch.int32 if dtype == torch.float32 else torch.int64) for b in BATCHES[name])
    x = (20 * torch.rand((10, 3), generator=torch.Generator().manual_seed(3))).to(dtype)
    y = x[: len(of_y)].flip(0)
    for size in (None, 11):
        for call in (
            lambda x, y, a, b: ours.knn(x, y, 3, a, b, batch_size=size),
            lambda x, y, a, b: ours.radius(x, y, 9.0, a, b, batch_size=size),
            lambda x, y, a, b: ours.radius(x, y, 12.0, a, b, 2, batch_size=size),
            lambda x, y, a, b: ours.radius_graph(x, 9.0, a, batch_size=size),
            lambda x, y, a, b: ours.knn_graph(x, 2, a, batch_size=size),
            lambda x, y, a, b: ours.knn_graph(x, 9, a, loop=True, batch_size=size),
            lambda x, y, a, b: ours.nearest(y, x, b, a),
            lambda x, y, a, b: ours.fps(x, a, 0.4, seed=5, batch_size=size),
            lambda x, y, a, b: ours.fps(x, a, 0.01, random_start=False, batch_size=size),
            lambda x, y, a, b: ours.fps(x, ptr=np.array([0, 0, 4, 10]), ratio=0.3, seed=5),
        ):
            found = call(x, y, of_x, of_y)
            expected = call(x.numpy(), y.numpy(), of_x.numpy(), of_y.numpy())
            assert found.dtype == torch.int64 and np.array_equal(found.numpy(), expected)


def test_views_are_read_as_they_look():
    """Gaps, lazy conjugates and other devices' numbers are resolved before addresses are passed."""
    wide = torch.rand((10, 6), dtype=torch.float64)
    for x in (wide[:, ::2], wide.T[:3].T, torch.complex(wide, wide)[:, :3].conj().imag):
        assert torch.equal(ours.knn_graph(x, 2), ours.knn_graph(x.clone().contiguous().resolve_neg(), 2))
    ids = ours.fps(wide, ratio=0.35)
    assert ids.shape == (4,) and ids.storage_offset() == 0


OWN_POINTS = {
    "knn": lambda x, y: ours.knn(x, y, 2, OF_X, OF_X),
    "knn of a cloud": lambda x, y: ours.knn(x, y, 2),
    "nearest": lambda x, y: ours.nearest(x, y, OF_X, OF_X),
    "nearest of a cloud": lambda x, y: ours.nearest(x, y),
}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", OWN_POINTS)
def test_points_that_are_their_own_queries(monkeypatch, name, compiled):
    """The batch searches for its own points where both arguments are one tensor, and so receives no queries."""
    queries, find = [], TensorClouds.find

    def record(self, *arguments):
        queries.append(self.y)
        find(self, *arguments)

    monkeypatch.setattr(TensorClouds, "find", record)
    torch._dynamo.reset()
    call = torch.compile(OWN_POINTS[name], fullgraph=True, backend="aot_eager") if compiled else OWN_POINTS[name]
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=name == "knn"):
        for x in (X, X.clone().requires_grad_(), X[:, 0]):
            assert torch.equal(call(x, x), call(x, x.clone()))
            own, other = queries
            assert own is None and other is not None
            queries.clear()


def test_room_for_edges_is_bounded(monkeypatch):
    """A call after one of dense points makes no room for as many edges of each query, and few kinds are remembered."""
    made, empty = [], TensorClouds.empty
    monkeypatch.setattr(TensorClouds, "empty", lambda self, *shape: made.append(shape) or empty(self, *shape))
    monkeypatch.setattr(_torch_clouds, "_MOST_ROOM", 50_000)
    dense, apart = torch.zeros(200, 3), torch.arange(3000.0)[:, None].repeat(1, 3)
    assert ours.radius_graph(dense, 1.0, max_num_neighbors=1000).shape == (2, 200 * 199)
    made.clear()
    assert ours.radius_graph(apart, 1.0, max_num_neighbors=1000).shape == (2, 0)
    assert made == [(2 * 50_000,)]
    for dim in range(1, 20):
        ours.radius_graph(torch.zeros(2, dim), 1.0)
    assert len(_torch_clouds._ROOM) <= _torch_clouds._MOST_HANDLES


def test_nan_in_padded_clouds():
    """The row is that of the argument, not that of the rows that count."""
    for array in (lambda x: x, lambda x: x.numpy()):
        for k, name in enumerate(("p1", "p2")):
            arrays = [PADDED1.clone(), PADDED2.clone()]
            arrays[k][2, 1, 0] = np.nan
            for call in (ours.knn_points, ours.ball_query):
                with pytest.raises(ValueError, match=f"^{name}: row 1 of cloud 2 holds a NaN"):
                    call(*map(array, arrays), LENGTHS1, LENGTHS2)
    with pytest.raises(ValueError, match="^points: row 1 holds a NaN"):
        ours.distCUDA2(torch.tensor([[0.0, 0, 0], [np.nan, 0, 0]]))


def test_dlpack():
    """Memory of tensors is read and written in its own place."""
    clouds = PointClouds(X)
    assert clouds.points.data_ptr() == X.data_ptr()
    dist2, ids = clouds.knn(2)
    assert np.from_dlpack(ids).ctypes.data == ids.data_ptr()
    assert torch.equal(torch.from_dlpack(PointClouds(np.from_dlpack(X)).knn(2)[0]), dist2)


@pytest.mark.parametrize(
    "call, word",
    [
        (lambda: ours.knn(X, Y, 0), "k"),
        (lambda: ours.knn(X, Y, 1, OF_X.flip(0), OF_Y), "batch_x"),
        (lambda: ours.knn(X, Y, 1, OF_X, OF_Y.flip(0)), "^batch_y: numbers do not ascend"),
        (lambda: ours.knn(X, Y, 1, OF_X[1:], OF_Y), "^batch_x: 39 rows"),
        (lambda: ours.knn(X, Y, 1, OF_X, OF_Y[1:]), "^batch_y: "),
        (lambda: ours.knn(X, Y, 1, OF_X), "^batch_x, batch_y: only one"),
        (lambda: ours.knn(X, Y, 1, None, OF_Y), "^batch_x, batch_y: only one"),
        (lambda: ours.knn(X, Y, 1, None, OF_Y, batch_size=3), "^batch_x, batch_y: only one"),
        (lambda: ours.knn(X, Y, 1, OF_X, OF_Y, batch_size=1), "^batch_size: 1 clouds"),
        (lambda: ours.knn_graph(X, 1, OF_X, batch_size=-1), "^batch_size: -1"),
        (lambda: ours.knn_graph(X, 1, OF_X - 1), "^batch: numbers do not ascend"),
        (lambda: ours.knn_graph(X, 1, OF_X * 2**40), "^batch: row"),
        (lambda: ours.knn_graph(X, 1, OF_X.double()), "^batch: not a vector"),
        (lambda: ours.knn_graph(X.to_sparse(), 1), "^points: real numbers in a dense"),
        (lambda: ours.knn_graph(X[:, :0], 1), "^points: not an array of shape"),
        (lambda: ours.knn(X, Y[:, :2], 1), "^queries: 2 coordinates"),
        (lambda: ours.knn_graph(torch.where(X == X[5], torch.nan, X), 1), "^points: row 5 holds a NaN"),
        (lambda: ours.radius(X, Y, -1.0), "^r: -1 is not"),
        (lambda: ours.radius_graph(X, float("nan")), "^r: nan is not"),
        (lambda: ours.knn_points(X, Y), "p1"),
        (lambda: ours.knn_points(PADDED1, PADDED2, LENGTHS2, LENGTHS1), "lengths2"),
        (lambda: ours.ball_query(PADDED1, PADDED2, radius=-1.0), "radius"),
        (lambda: ours.knn(X, Y, 1, batch_size=1.5), "batch_size"),
        (lambda: ours.radius_graph(X, 1.0, batch_size=1.5), "batch_size"),
        (lambda: ours.knn_graph(X + 0j, 1), "points"),
        (lambda: ours.fps(X, seed=-1), "seed"),
        (lambda: ours.knn(X, X[0, 0], 1), "queries: not an array of shape"),
        (lambda: ours.knn_graph(X[0, 0], 1), "points: not an array of shape"),
        (lambda: ours.fps(X[0, 0]), "points: not an array of shape"),
        (lambda: ours.fps(X, ptr=torch.tensor([0j, 40])), "ptr: not a vector"),
        (lambda: ours.fps(X, ptr=torch.tensor([], dtype=torch.int64)), "ptr: no offsets"),
        (lambda: ours.fps(X, seed="7"), "seed"),
        (lambda: neighbor_lists("ix", X, 1.0), "quantities"),
        (lambda: neighbor_lists("i", X[:, :2], 1.0), "positions"),
        (lambda: neighbor_lists("i", X, 1.0, torch.tensor([0, 41])), "systems"),
    ],
)
def test_refusals(call, word):
    with pytest.raises((TypeError, ValueError), match=word):
        call()
