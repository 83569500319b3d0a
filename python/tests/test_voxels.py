"""Voxels of point clouds against NumPy, and against the programs whose names they have."""

import importlib.util
import pickle

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

import boscage.torch as geometric
from boscage.clouds import PointClouds
from boscage.voxels import Voxels, voxel_down_sample, voxelize


@st.composite
def batches(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    sizes = draw(st.lists(st.integers(0, 90), min_size=1, max_size=4))
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    dim = draw(st.integers(1, 3))
    points = rng.random((offsets[-1], dim)) * draw(st.sampled_from([2, 8])) - 1
    return points.astype(draw(st.sampled_from(["float32", "float64"]))), offsets


def numbered(points, offsets, cell):
    """The voxel of each point in the order of first points, and the voxels."""
    cloud = np.searchsorted(offsets, np.arange(len(points)), side="right") - 1
    cells = np.column_stack([cloud, np.floor(points / points.dtype.type(cell)).astype(np.int64)])
    voxels, first, inverse = np.unique(cells, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[inverse.reshape(-1)], voxels[order], first[order]


@given(batches(), st.sampled_from([0.5, 1.0, 3.0]))
def test_lists(batch, cell):
    points, offsets = batch
    inverse, cells, firsts = numbered(points, offsets, cell)
    voxels = Voxels(points, cell, offsets)
    assert len(voxels) == len(cells) and (voxels.inverse == inverse).all() and (voxels.firsts == firsts).all()
    assert voxels.coords.dtype == np.int32 and (voxels.coords == cells[:, 1:]).all()
    assert (voxels.counts == np.bincount(inverse, minlength=len(cells))).all()
    assert (voxels.offsets == np.searchsorted(cells[:, 0], np.arange(len(offsets)))).all()
    rows, ids = voxels.members()
    assert all((ids[rows[k] : rows[k + 1]] == np.flatnonzero(inverse == k)).all() for k in range(len(cells)))
    for method, chosen in (("mean", None), ("first", points[firsts])):
        few = voxel_down_sample(points, cell, offsets, method=method)
        assert few.dtype == points.dtype
        if chosen is None:
            chosen = [points[inverse == k].mean(0) for k in range(len(cells))]
            assert np.allclose(few, np.reshape(chosen, few.shape), atol=1e-6)
        else:
            assert (few == chosen).all()
    other = pickle.loads(pickle.dumps(voxels))
    assert (other.coords == voxels.coords).all() and (other.offsets == voxels.offsets).all()
    assert "of" in repr(voxels)


@given(batches())
def test_nearest(batch):
    points, offsets = batch
    voxels = Voxels(points, 1.0, offsets)
    centre = voxels.coords + 0.5
    ids, inverse = voxels.nearest(), voxels.inverse
    for k in range(len(voxels)):
        rows = np.flatnonzero(inverse == k)
        d = ((points[rows].astype(np.float64) - centre[k]) ** 2).sum(1)
        assert ids[k] in rows and np.isclose(((points[ids[k]].astype(np.float64) - centre[k]) ** 2).sum(), d.min())


def hard(points, size, box, max_points, max_voxels):
    """mmcv's loop over the points."""
    shape = np.round((box[3:] - box[:3]) / size).astype(int)
    voxels, coors, counts, seen = [], [], [], {}
    for p in points:
        at = np.floor((p[:3] - box[:3].astype("f4")) / size.astype("f4")).astype(int)
        if (at < 0).any() or (at >= shape).any():
            continue
        if tuple(at) not in seen:
            if len(voxels) >= max_voxels:
                continue
            seen[tuple(at)] = len(voxels)
            voxels.append(np.zeros((max_points, points.shape[1]), "f4"))
            coors.append(at[::-1])
            counts.append(0)
        k = seen[tuple(at)]
        if counts[k] < max_points:
            voxels[k][counts[k]] = p
            counts[k] += 1
    return np.array(voxels), np.array(coors), np.array(counts)


@given(st.integers(0, 2**31), st.integers(1, 6), st.sampled_from([7, 100]))
def test_voxelize(seed, max_points, max_voxels):
    rng = np.random.default_rng(seed)
    points = (rng.random((400, 5)) * 6 - 1).astype("f4")
    size, box = np.array([0.5, 1.0, 2.0]), np.array([0.0, 0.0, -0.5, 4.0, 4.0, 3.5])
    ours = voxelize(points, size, box, max_points, max_voxels)
    for a, b in zip(ours, hard(points, size, box, max_points, max_voxels)):
        assert a.shape == b.shape and (a == b).all()


@given(batches(), st.integers(1, 3), st.integers(1, 3))
def test_kernel_maps(batch, side, stride):
    points, offsets = batch
    voxels = Voxels(points, 1.0, offsets)
    out = voxels.coarse(stride)
    cloud = np.repeat(np.arange(len(offsets) - 1), np.diff(voxels.offsets))
    at = {(c, *p): k for k, (c, p) in enumerate(zip(cloud, voxels.coords.tolist()))}
    dim = points.shape[1]
    steps = np.indices([side] * dim).reshape(dim, -1).T - (side // 2 if side % 2 else 0)
    table = voxels.kernel_map(side, stride, out=out)
    of_out = np.repeat(np.arange(len(offsets) - 1), np.diff(out.offsets))
    for k, p in enumerate(out.coords.astype(np.int64) * stride):
        assert [at.get((of_out[k], *(p + s).tolist()), -1) for s in steps] == table[k].tolist()


def test_refusals():
    points = np.zeros((4, 2))
    for call, text in (
        (lambda: Voxels(np.zeros((4, 4)), 1), "points: 4 coordinates"),
        (lambda: Voxels(points, 0), "cell"),
        (lambda: Voxels(points, (1, 2, 3)), "cell: not a number, or 2"),
        (lambda: Voxels(points, 1, [0, 3]), "offsets"),
        (lambda: Voxels(points, 1, shape=0), "shape"),
        (lambda: Voxels(points, 1, max_points=0), "max_points: 0"),
        (lambda: Voxels(points, 1).mean(np.zeros((3, 1))), "features: 3 rows"),
        (lambda: Voxels(points, 1).mean_gradient(np.zeros((3, 1))), "of_means: 3 rows"),
        (lambda: Voxels(points, 1).pad(), "rows: needed"),
        (lambda: Voxels(points, 1).kernel_map(16), "shape: not 1 to 15"),
        (lambda: voxel_down_sample(points, 1, method="median"), "method: 'median'"),
        (lambda: voxelize(points, (1, 1, 1), (0, 0, 0, 1, 1, 1)), "points: not rows"),
        (lambda: voxelize(np.zeros((4, 3)), (1, 1), (0, 0, 0, 1, 1, 1)), "voxel_size"),
        (lambda: voxelize(np.zeros((4, 3)), (1, 1, np.inf), (0, 0, 0, 1, 1, 1)), "voxel_size"),
        (lambda: voxelize(np.zeros((4, 3)), (1, 1, 1), (0, 0, 0, 1, 1, np.inf)), "coors_range"),
        (lambda: Voxels(points, 1).coarse(0), "stride"),
        (lambda: geometric.grid_cluster(points, -1), "size"),
        (lambda: geometric.grid_cluster(points, [1, 1, 1]), "size: not a number"),
        (lambda: geometric.grid_cluster(np.zeros((4, 2, 2)), 1), "pos: not an array of shape"),
        (lambda: geometric.grid_cluster(np.full((4, 2), np.nan), 1), "pos: NaN"),
        (lambda: geometric.grid_cluster(points, 1, np.nan), "start: NaN"),
        (lambda: geometric.grid_cluster(points, 1, 0, [1, np.inf]), "end: NaN or infinite"),
        (lambda: geometric.voxel_grid(points, 1, [0, 0]), "batch"),
        (lambda: geometric.voxel_grid(points, 1, [0, 0, 1, -1]), "batch: -1 is less than 0"),
        (lambda: geometric.voxel_grid(np.eye(3), 1e-5, [0, 1, 2**50]), "size: the grids of"),
        (lambda: geometric.grid_cluster(np.eye(3), 1e-7), "size: the grid has"),
        (lambda: geometric.grid_cluster(np.eye(3) * 1e30, 0.5), "size: the grid has"),
        (lambda: geometric.grid_cluster(np.full((3, 1), 1e20), 1, 0, 1), "size: the grid has"),
        (lambda: Voxels(points, np.nan), "^cell"),
        (lambda: Voxels(points, 1, np.array([0, 2**63 + 4], np.uint64)), "offsets"),
        (lambda: Voxels(points, 1).kernel_map(3, 2**33), "stride: 8589934592 is not in"),
        (lambda: Voxels(np.array([[2**53 + 1]]), 1), "points: 9007199254740993 is beyond"),
        (lambda: voxel_down_sample([[0.0, 5.2e6], [1.0, 5.2e6]], 0.002), "points: row 0 is 2\\^31 voxels or more"),
    ):
        with pytest.raises(ValueError, match=text):
            call()
    with pytest.raises(TypeError, match="batch: integers"):
        geometric.voxel_grid(points, 1, [0.0, 0.0, 0.5, 1.0])
    with pytest.raises(TypeError, match="pos: real numbers"):
        geometric.grid_cluster(points + 0j, 1)
    with pytest.raises(TypeError, match="out: not Voxels"):
        Voxels(points, 1).kernel_map(out=3)
    with pytest.raises(TypeError, match="voxels: int"):
        geometric.voxel_mean(3, points)


def test_masked_arrays_are_refused():
    points = np.ma.masked_array(np.eye(3), np.eye(3) > 0)
    for call in (
        lambda: Voxels(points, 1),
        lambda: Voxels(np.eye(3), 1, np.ma.masked_array([0, 3], [1, 0])),
        lambda: voxel_down_sample(np.eye(3), 1, method="first", features=points),
        lambda: voxel_down_sample(np.eye(3), 1, method="nearest", features=points),
        lambda: voxelize(points, (1, 1, 1), (0, 0, 0, 1, 1, 1)),
        lambda: geometric.distCUDA2(points),
    ):
        with pytest.raises(TypeError, match="missing elements"):
            call()


def test_points_of_other_types():
    points = np.array([[0.5, 0.5], [3.5, 0.0], [0.25, 0.75]])
    for other in (points.astype(object), points.tolist(), points.astype(">f8"), pandas.DataFrame(points, dtype="Float64")):
        assert Voxels(other, 1).inverse.tolist() == [0, 1, 0]
        assert PointClouds(other).knn(1)[1].ravel().tolist() == [0, 1, 2]


def test_chosen_rows_keep_their_type():
    points = np.array([[2**30, 1], [3, 4], [2**30, 1]])
    for method in ("first", "nearest"):
        few = voxel_down_sample(points, 1, method=method)
        assert few.dtype == np.int64 and few.tolist() == [[2**30, 1], [3, 4]]
    far = np.array([[5e5, 5.2e6]]) + np.random.default_rng(0).random((50, 2))  # a map's coordinates
    assert len(voxel_down_sample(far, 1e-6, low=far.min(0))) == 50


def test_rebuild():
    voxels = Voxels([[0.5], [3.5]], 1.0)
    voxels.rebuild([[0.5], [0.25], [9.0]])
    assert len(voxels) == 2 and voxels.inverse.tolist() == [0, 0, 1]
    with pytest.raises(ValueError, match="points: 2 coordinates"):
        voxels.rebuild([[1.0, 2.0]])


@given(batches(), st.sampled_from([0.5, 2.0]))
def test_grid_cluster(batch, size):
    points, offsets = batch
    cells = np.floor((points - points.min(0, initial=0)) / points.dtype.type(size)) if len(points) else points
    ids = geometric.grid_cluster(points, size, start=points.min(0, initial=0) if len(points) else None)
    assert len(np.unique(ids)) == len(np.unique(cells, axis=0))
    both = geometric.voxel_grid(points, size, np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)))
    assert (np.diff([both[a:b].max() for a, b in zip(offsets, offsets[1:]) if b > a]) > 0).all()


if importlib.util.find_spec("torch"):

    def test_torch():
        import torch

        torch.manual_seed(1)
        points = torch.rand(60, 3, dtype=torch.float64) * 3
        voxels = Voxels(points, 1.0)
        assert isinstance(voxels.coords, torch.Tensor) and (voxels.mean() == voxel_down_sample(points, 1.0)).all()
        features = torch.rand(60, 2, dtype=torch.float64, requires_grad=True)
        assert torch.autograd.gradcheck(lambda f: geometric.voxel_mean(voxels, f), (features,))
        ids = geometric.voxel_grid(points, 1.0, torch.arange(60) // 30)
        assert ids.dtype == torch.int64 and ids.shape == (60,)
        assert (ids.numpy() == geometric.voxel_grid(points.numpy(), 1.0, np.arange(60) // 30)).all()
        size = torch.ones(3, dtype=torch.bfloat16)  # as tensors of a device, NumPy does not convert it
        assert (ids == geometric.voxel_grid(points, size, torch.arange(60) // 30)).all()
        # The same numbers in both libraries: edges of the points' type, and float64 for integers.
        borders = np.arange(100, dtype=np.float32) * np.float32(0.1)
        for pos, size in (borders, 0.1), (np.arange(9), 0.5), (np.arange(9), 1.5):
            ids = geometric.grid_cluster(torch.as_tensor(pos), size)
            assert (ids.numpy() == geometric.grid_cluster(pos, size)).all()


if importlib.util.find_spec("open3d"):

    def test_open3d():
        import open3d

        points = np.random.default_rng(3).random((3000, 3))
        cloud = open3d.geometry.PointCloud(open3d.utility.Vector3dVector(points))
        theirs = np.asarray(cloud.voxel_down_sample(0.1).points)
        ours = voxel_down_sample(points, 0.1, low=points.min(0) - 0.05)
        assert ours.shape == theirs.shape
        assert np.allclose(ours[np.lexsort(ours.T)], theirs[np.lexsort(theirs.T)], atol=1e-12)
