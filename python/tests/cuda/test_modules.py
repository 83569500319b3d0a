"""Modules on arrays of CuPy, PyTorch and JAX on a device: each answer has the bits of the CPU's for NumPy arrays."""

import os

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import boscage  # noqa: E402
import boscage.torch as pyg  # noqa: E402
import numpy as np  # noqa: E402
import pytest  # noqa: E402
from boscage import atoms, cluster, collision, hamming, hashing, planet, prims, ranks, spatial, terrain  # noqa: E402
from boscage.clouds import PointClouds  # noqa: E402
from boscage.cluster import hierarchy  # noqa: E402

RNG = np.random.default_rng(1)
POINTS = RNG.random((2000, 3))
FLOATS = POINTS.astype(np.float32)
KEYS = RNG.integers(0, 700, 3000)
CLOUDS = np.array([0, 700, 700, 701, 2000])
BATCH = np.repeat([0, 2, 3], [700, 1, 1299])
LETTERS = RNG.integers(0, 2, (600, 11)).astype(np.uint8)
HEIGHTS = RNG.random((33, 65)).astype(np.float32)
CELL = np.array([[9.0, 0, 0], [2, 8, 0], [1, 1, 7]])
ATOMS = RNG.random((300, 3)) @ CELL
PLACES = RNG.random((40, 2)) * 30

CASES = {}


def case(of):
    """Adds a case: a function of the conversion of NumPy arrays to those of a library, which returns answers."""
    CASES[of.__name__] = of
    return of


def libraries():
    import cupy
    import jax
    import torch

    jax.config.update("jax_enable_x64", True)
    return {
        "cupy": (cupy.asarray, cupy.asnumpy, cupy.ndarray),
        "torch": (lambda x: torch.as_tensor(x, device="cuda"), lambda x: x.cpu().numpy(), torch.Tensor),
        "jax": (jax.numpy.asarray, np.asarray, jax.Array),
    }


@case
def scans(a):
    for x in (KEYS, FLOATS[:, 0], POINTS[:, 0]):
        yield prims.reduce(a(x)).reshape(1)
        yield prims.scan(a(x))
        yield prims.sort(a(x))
        yield prims.argsort(a(x))
        yield prims.sort_pairs(a(x), a(np.arange(len(x))))
        yield prims.searchsorted(a(np.sort(x)), a(x[:99]))
        yield prims.merge(a(np.sort(x[:500])), a(np.sort(x[500:])))
    yield prims.compact(a(KEYS), a(KEYS % 3 == 0))
    yield prims.bincount(a(KEYS))
    yield prims.split(a(KEYS), a(KEYS % 7), 7)
    yield prims.sort_points(a(FLOATS))


@case
def trees(a):
    for points in (FLOATS, POINTS):
        tree = spatial.KDTree(a(points))
        yield tree.query_self(5, exclude_self=True)[1]
        yield tree.query(a(points[:50]), k=3, p=np.inf)[1]
        yield tree.query_ball_csr(a(points[:50]), 0.1)
        yield spatial.emst(a(points))[0]
        yield spatial.tour(a(points[:200]))


@case
def lengths(a):
    """Roots, which libraries round in different ways."""
    for points in (FLOATS, POINTS):
        yield spatial.emst(a(points))[1]
        yield spatial.KDTree(a(points)).query(a(points[:50]), k=4)[0]
        yield hierarchy.linkage(a(points[:500]))


@case
def batches(a):
    for points in (FLOATS, POINTS):
        clouds = PointClouds(a(points), CLOUDS)
        yield clouds.knn(4, exclude_self=True)
        yield clouds.knn(40, a(points[:100]), np.array([0, 30, 40, 60, 100]), r=0.2)
        yield clouds.count(0.1)
        yield clouds.radius(0.1)
        yield clouds.sample_farthest(np.array([9, 0, 1, 30]))


@case
def graph_learning(a):
    x, batch = a(FLOATS), a(BATCH)
    yield pyg.knn(x, x, 3, batch, batch)
    yield pyg.knn_graph(x, 4, batch)
    yield pyg.radius_graph(x, 0.1, batch)
    yield pyg.radius(x, a(FLOATS[:700]), 0.1, batch, a(BATCH[:700]), max_num_neighbors=4)
    yield pyg.nearest(a(FLOATS[:700]), x, a(BATCH[:700]), batch)
    yield pyg.fps(x, batch, 0.1, random_start=False)


@case
def neighbour_lists(a):
    for positions in (ATOMS, ATOMS.astype(np.float32)):
        for half in (False, True):
            yield atoms.neighbor_lists("ijSdDp", a(positions), 2.0, cells=CELL, pbc=True, half=half)
        yield atoms.neighbor_lists("ijS", a(positions), 2.0, a(np.array([0, 100, 300])), CELL, [True, False, True])
        yield atoms.neighbor_matrix(a(positions), 2.0, 9, None, a(CELL), a(np.array([True, False, True])))


@case
def tables(a):
    keys, values = a(KEYS), a(np.arange(3000) * 3)
    table = hashing.HashMap(keys, values)
    yield table.find(a(KEYS[::2] + 1))
    yield table.get(a(KEYS[::2] + 1), -7)
    table.insert(a(KEYS[:9] + 5000), a(np.arange(9)))
    yield table.erase(a(KEYS[:50])), len(table)
    yield hashing.MultiMap(keys, values).retrieve(a(KEYS[:99]))
    yield hashing.HashSet(keys).contains(a(KEYS + 7))
    yield hashing.factorize(keys)
    yield hashing.isin(keys, a(KEYS[:9]))
    for x in (KEYS, KEYS.astype(np.int32)):
        yield hashing.unique(a(x))


@case
def letters(a):
    words = hamming.pack(LETTERS)
    graph = hamming.CellGraph(a(words), length=11)
    yield graph.pairs(), graph.csr(), graph.components(), graph.bfs(0)
    trie = hamming.Trie(a(words), length=11)
    yield trie.find(a(words[:99])), trie.longest(a(words[:99])), trie.neighbours(a(words[:99])), trie.pairs()


@case
def clusters(a):
    for points in (FLOATS, POINTS):
        yield cluster.friends_of_friends(a(points), 0.06)
        yield cluster.HDBSCAN(min_cluster_size=5, copy=True).fit(a(points)).labels_
        yield cluster.DBSCAN(eps=0.08, min_samples=4).fit(a(points)).labels_


@case
def grids(a):
    for points in (FLOATS, POINTS):
        grid = spatial.VoxelGrid(a(points), 0.06)
        yield grid.query_pairs(0.06)
        yield grid.components(0.05)


@case
def surfaces(a):
    mesh = terrain.Terrain(a(HEIGHTS))
    mesh.select(error=0.2)
    yield mesh.mesh(), mesh.leaves(), mesh.locate(a(PLACES))
    ball = planet.Planet(a(HEIGHTS), radius=1e6)
    ball.select(triangles=3000)
    yield ball.mesh(), ball.heights(a(PLACES[:, 0]), a(PLACES[:, 1]))


@case
def meshes(a):
    corners = FLOATS[:300]
    faces = np.arange(300, dtype=np.uint32).reshape(-1, 3)
    detector = collision.CollisionDetector()
    yield detector.update((a(corners), a(faces)), (a(corners + np.float32(0.1)), a(faces)))
    yield detector.pairs(), detector.rows()


def flat(x):
    """The answers one by one."""
    if isinstance(x, (tuple, list)) or hasattr(x, "__next__"):
        for y in x:
            yield from flat(y)
    else:
        yield x


def same(a, b):
    return np.array_equal(a, b, equal_nan=b.dtype.kind == "f")


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("library", ["cupy", "torch", "jax"])
def test_module(library, name):
    to, back, kind = libraries()[library]
    want, got = list(flat(CASES[name](lambda x: x))), list(flat(CASES[name](to)))
    assert len(got) == len(want)
    for i, (a, b) in enumerate(zip(got, want)):
        a = back(a) if isinstance(a, kind) else a
        a, b = np.asarray(a), np.asarray(b)
        assert a.shape == b.shape, (i, a.shape, b.shape)
        assert np.allclose(a, b, 1e-6) if name == "lengths" else same(a, b), (i, a, b)


@pytest.mark.parametrize("name", CASES)
def test_module_on_the_device_in_use(name):
    want = list(flat(CASES[name](lambda x: x)))
    with boscage.use("cuda"):
        got = list(flat(CASES[name](lambda x: x)))
    for i, (a, b) in enumerate(zip(got, want)):
        assert same(np.asarray(a), np.asarray(b)), (i, a, b)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_programs_of_jax(dtype):
    """Compiled programs have the CPU's answers on their device, and report bad points."""
    libraries()
    import jax

    import boscage.jax as ours

    x, y = POINTS.astype(dtype), POINTS[:90].astype(dtype)
    of = np.array([0, 40, 40, 41, 90])
    program = jax.jit(lambda x, y: ours.knn(x, 4, y, CLOUDS, of, r=0.2))
    want = PointClouds(x, CLOUDS).knn(4, y, of, r=0.2)
    assert "cuda" in ours._platforms() and all(same(np.asarray(a), b) for a, b in zip(program(x, y), want))
    own = jax.jit(lambda x: ours.knn(x, 3, None, CLOUDS, exclude_self=True))(x)
    assert all(same(np.asarray(a), b) for a, b in zip(own, PointClouds(x, CLOUDS).knn(3, exclude_self=True)))
    rows = jax.jit(lambda x: ours.sample_farthest(x, [30, 0, 1, 50], CLOUDS))(x)
    assert same(np.asarray(rows), PointClouds(x, CLOUDS).sample_farthest([30, 0, 1, 50])[1])
    with pytest.raises(Exception, match="points: row 3 holds a NaN"):
        jax.block_until_ready(program(np.where(x == x[3, 1], np.nan, x).astype(dtype), y))
    assert all(same(np.asarray(a), b) for a, b in zip(program(x, y), want))


@pytest.mark.parametrize("library", ["numpy", "cupy", "torch"])
def test_ranks(library):
    count = boscage.device_count()
    to, back = (np.asarray, np.asarray) if library == "numpy" else libraries()[library][:2]

    def work(comm):
        def put(x):
            if library == "cupy":
                import cupy

                with cupy.cuda.Device(comm.rank):
                    return cupy.asarray(x)
            if library == "torch":
                import torch

                return torch.as_tensor(x, device=f"cuda:{comm.rank}")
            return to(x)

        points, keys = put(comm.slice(POINTS)), put(comm.slice(KEYS))
        tree = ranks.KDTree(comm, points)
        table = ranks.HashMap(comm, keys, put(comm.slice(np.arange(3000))))
        out = [*tree.query(points, k=4), *table.find(keys), ranks.sort(comm, keys), *ranks.unique(comm, keys)[:2]]
        return [back(x) for x in out] + [np.ravel(back(ranks.reduce(comm, keys)))]

    for devices in ([0], list(range(count))):
        parts = ranks.run(work, devices=devices)
        joined = [np.concatenate(p) for p in list(zip(*parts))[:5]]
        want = spatial.KDTree(POINTS).query(POINTS, k=4)
        assert (joined[1] == want[1]).all() and np.allclose(joined[0], want[0])
        assert joined[3].all() and (joined[2] == hashing.HashMap(KEYS, np.arange(3000)).find(KEYS)[0]).all()
        assert (joined[4] == np.sort(KEYS)).all() and all(p[-1] == KEYS.sum() for p in parts)
