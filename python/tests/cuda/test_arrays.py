"""Arrays of CuPy, PyTorch and JAX on a device: answers are the CPU's, and arrays of the same library and device."""

import os
import pickle
import subprocess
import sys

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import boscage  # noqa: E402
import numpy as np  # noqa: E402
import pytest  # noqa: E402
from boscage.cluster.hierarchy import linkage  # noqa: E402
from boscage.hamming import CellGraph, Trie, pack  # noqa: E402
from boscage.hashing import HashMap, HashSet, MultiMap, factorize, isin, unique  # noqa: E402
from boscage.spatial import KDTree, VoxelGrid, cKDTree, emst  # noqa: E402
from boscage.terrain import Terrain  # noqa: E402

RNG = np.random.default_rng(0)
POINTS = RNG.random((3000, 3))
KEYS = RNG.integers(0, 500, 4000)


class Library:
    def __init__(self, name):
        if name == "cupy":
            import cupy

            self.to, self.back, self.kind = cupy.asarray, cupy.asnumpy, cupy.ndarray
        elif name == "torch":
            import torch

            self.to = lambda x: torch.as_tensor(x, device="cuda")
            self.back, self.kind = lambda x: x.cpu().numpy(), torch.Tensor
        elif name == "jax":
            import jax

            jax.config.update("jax_enable_x64", True)
            self.to, self.back, self.kind = jax.numpy.asarray, np.asarray, jax.Array
        else:
            import cupy

            class Other:
                """A library known by __cuda_array_interface__ only."""

                def __init__(self, x):
                    self.x = cupy.asarray(x)
                    self.__cuda_array_interface__ = self.x.__cuda_array_interface__
                    self.shape = self.x.shape

            self.to, self.kind = Other, boscage._arrays.DeviceArray
            self.back = lambda x: cupy.asnumpy(cupy.asarray(x))

    def same(self, got, want):
        got = got if isinstance(got, tuple) else (got,)
        want = want if isinstance(want, tuple) else (want,)
        assert len(got) == len(want)
        for a, b in zip(got, want):
            assert isinstance(a, self.kind), type(a)
            a, b = self.back(a), np.asarray(b)
            assert a.shape == b.shape
            assert np.allclose(a, b, rtol=1e-6) if b.dtype.kind == "f" else (a == b).all()


@pytest.fixture(params=["cupy", "torch", "jax", "other"])
def lib(request):
    return Library(request.param)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_kdtree(lib, dtype):
    points = POINTS.astype(dtype)
    want, there = KDTree(points), lib.to(points)
    tree = KDTree(there)
    assert tree.device == "cuda:0"
    queries = lib.to(points[:100] + points.dtype.type(0.01))
    host = points[:100] + points.dtype.type(0.01)
    for k, options in ((1, {}), (5, {}), (40, {}), (5, {"p": 1}), (5, {"distance_upper_bound": 0.05})):
        lib.same(tree.query(queries, k=k, **options), want.query(host, k=k, **options))
    lib.same(tree.query(queries, k=[1, 2]), want.query(host, k=[1, 2]))
    lib.same(tree.query_ball_csr(queries, 0.1), want.query_ball_csr(host, 0.1))
    counts = want.query_ball_point(host, 0.1, return_length=True)
    lib.same(tree.query_ball_point(queries, 0.1, return_length=True), counts)
    balls, expected = tree.query_ball_point(queries, 0.1), want.query_ball_point(host, 0.1)
    assert len(balls) == len(expected)
    for got, ids in zip(balls, expected):
        assert isinstance(got, list if lib.kind is boscage._arrays.DeviceArray else lib.kind)
        assert (got if isinstance(got, list) else lib.back(got).tolist()) == ids
    pairs = tree.query_pairs(0.05, output_type="ndarray")
    pairs = pairs if isinstance(pairs, np.ndarray) else lib.back(pairs)
    assert (pairs == want.query_pairs(0.05, output_type="ndarray")).all()
    assert tree.query_pairs(0.05) == want.query_pairs(0.05)
    got = tree.query(host, k=3)  # host queries of a tree on a device: host answers
    assert isinstance(got[1], np.ndarray) and (got[1] == want.query(host, k=3)[1]).all()


def test_same_bits_as_the_cpu():
    import cupy

    for dtype in (np.float32, np.float64):
        points = POINTS.astype(dtype)
        a, b = cKDTree(points), cKDTree(cupy.asarray(points))
        assert a._handle.save(boscage._core.Where()) == b._handle.save(boscage._core.Where("cuda"))
        for p in (1, 2, 3, np.inf):
            got, want = b.query(cupy.asarray(points), k=4, p=p), a.query(points, k=4, p=p)
            assert (got[1].get() == want[1]).all()
            if dtype is np.float64:
                assert (got[0].get() == want[0]).all()


def test_other_structures(lib):
    if lib.kind is boscage._arrays.DeviceArray:
        pytest.skip("answers of this library need no more than a tree's")
    x = lib.to(POINTS.astype(np.float32))
    grid, want = VoxelGrid(x, 0.05), VoxelGrid(POINTS.astype(np.float32), 0.05)
    lib.same(grid.query_pairs(0.03), want.query_pairs(0.03))
    lib.same(grid.components(0.05)[1], want.components(0.05)[1])
    lib.same(emst(x)[0], emst(POINTS.astype(np.float32))[0])
    assert np.allclose(linkage(x), linkage(POINTS.astype(np.float32)))
    keys, values = lib.to(KEYS), lib.to(np.arange(4000.0))
    lib.same(factorize(keys), factorize(KEYS))
    table, plain = HashMap(keys, values), HashMap(KEYS, np.arange(4000.0))
    lib.same(table.find(keys)[0], plain.find(KEYS)[0])
    assert len(table) == len(plain) and 5 in table
    for layout in ("auto", "bucketed", "ordered"):
        table = HashMap(keys, values, layout=layout, no_wait=True)
        lib.same(table.find(keys)[0], plain.find(KEYS)[0])
        table = HashMap(keys, values, layout=layout, duplicates="error", no_wait=True)
        with pytest.raises(ValueError, match="its build failed"):
            table.wait()
        table.wait()
        assert len(table) == 0
    lib.same(MultiMap(keys, values).retrieve(keys), MultiMap(KEYS, np.arange(4000.0)).retrieve(KEYS))
    lib.same(HashSet(keys).contains(keys + 7), HashSet(KEYS).contains(KEYS + 7))
    lib.same(isin(keys, keys[:9]), isin(KEYS, KEYS[:9]))
    assert (lib.back(unique(keys)) == np.unique(KEYS)).all()
    heights = RNG.random((65, 65)).astype(np.float32)
    mesh, flat = Terrain(lib.to(heights)), Terrain(heights)
    for terrain in (mesh, flat):
        terrain.select(error=0.3)
    lib.same(mesh.mesh()[0], flat.mesh()[0])


def test_pairs_of_maps(lib):
    table, plain = HashMap(lib.to(KEYS), lib.to(np.arange(4000.0))), HashMap(KEYS, np.arange(4000.0))
    assert sorted(table.items()) == sorted(plain.items()) and sorted(table) == sorted(plain)


def test_numpy_on_the_device():
    letters = RNG.integers(0, 2, (500, 12))
    with boscage.use("cuda"):
        assert KDTree(POINTS).device == "cuda:0"
        assert (KDTree(POINTS).query(POINTS, k=3)[1] == KDTree(POINTS, device="cpu").query(POINTS, k=3)[1]).all()
        graph, trie = CellGraph(letters), Trie(letters)
    assert all((a == b).all() for a, b in zip(graph.pairs(), CellGraph(letters).pairs()))
    assert (trie.keys() == Trie(letters).keys()).all() and repr(graph).endswith("on cuda:0>")
    again = pickle.loads(pickle.dumps(graph))
    assert repr(again) == repr(graph)
    assert pack(letters).shape == (500, 1)


def test_queues_on_the_callers_stream():
    import cupy

    points = cupy.asarray(POINTS.astype(np.float32))
    tree = KDTree(points)
    want = tree.query(points, k=4)[1].get()
    for _ in range(5):
        stream = cupy.cuda.Stream(non_blocking=True)
        with stream:
            late = cupy.zeros_like(points)
            for _ in range(200):
                late = late * 0.5  # work that the queries must wait for
            late += points
            got = tree.query(late, k=4)[1]
        stream.synchronize()
        assert (got.get() == want).all()


def test_streams_may_go_before_the_package():
    code = (
        "import cupy, boscage.spatial as s; x = cupy.random.rand(999, 3)\n"
        "for i in range(9):\n"
        "    with cupy.cuda.Stream(non_blocking=True): d = s.KDTree(x).query(x, k=4)[0]\n"
        "    cupy.cuda.Device().synchronize()\n"
        "del d"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_arrays_of_jax_may_last_to_the_end():
    code = (
        "import os; os.environ['XLA_PYTHON_CLIENT_PREALLOCATE'] = 'false'\n"
        "import jax, boscage.spatial as s; x = jax.random.uniform(jax.random.key(0), (999, 3))\n"
        "kept = s.KDTree(x).query(x, k=4)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_arrays_in_the_wrong_place_are_refused():
    import cupy

    with pytest.raises(ValueError, match="device"):
        KDTree(POINTS).query(cupy.asarray(POINTS))
    with pytest.raises(ValueError, match="device"):
        KDTree(cupy.asarray(POINTS), device="cpu")


def test_cupys_own_tree():
    import cupy
    import cupyx.scipy.spatial

    points = cupy.asarray(POINTS)
    theirs = cupyx.scipy.spatial.KDTree(points)
    mine = KDTree(points)
    a, b = mine.query(points[:200] + 0.01, k=4), theirs.query(points[:200] + 0.01, k=4)
    assert cupy.allclose(a[0], b[0]) and (a[1] == b[1]).all()


def test_csgraph_of_cupy():
    import cupyx.scipy.sparse
    import scipy.sparse
    from boscage.sparse.csgraph import connected_components, minimum_spanning_tree

    graph = scipy.sparse.random(300, 300, 0.02, format="csr", random_state=1)
    there = cupyx.scipy.sparse.csr_matrix(graph)
    assert (minimum_spanning_tree(there).get() != minimum_spanning_tree(graph)).nnz == 0
    count, labels = connected_components(there)
    want = connected_components(graph)
    assert count == want[0] and (labels.get() == want[1]).all()
