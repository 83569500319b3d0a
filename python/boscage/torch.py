"""Neighbours and samples of batches of point clouds: calls of PyTorch Geometric, PyTorch3D and simple-knn.

``batch`` vectors give the cloud of each row and ascend. Arrays are tensors of PyTorch, or those of NumPy, CuPy and JAX;
answers are of the same library, on the same device, and the same on all devices. Two differences: of points beyond
``max_num_neighbors`` the nearest stay, and `fps` samples no point twice.

Calls with tensors are operators of ``torch.library`` (``torch.ops.boscage``, PyTorch 2.4 or later) for
``torch.compile``. Distances have gradients. Edges of batches have a length that depends on the data, so a graph without
breaks needs ``torch._dynamo.config.capture_dynamic_output_shape_ops``.
"""

from __future__ import annotations

import numbers
from typing import Any, NamedTuple, Optional

import numpy as np

from . import _torch_operators
from ._arrays import Space, space_of
from ._convert import real_array, refuse_mask
from ._grid import grid_cluster, voxel_grid, voxel_mean
from ._numbers import length, real, whole
from ._padded import ball_query_padded, gather_padded, knn_padded
from ._torch_clouds import TensorClouds, sample
from .atoms import listed
from .clouds import PointClouds, as_rows, offsets_of

try:
    import torch as _torch
except ImportError:
    _torch = None

__all__ = [
    "ball_query",
    "distCUDA2",
    "fps",
    "grid_cluster",
    "knn",
    "knn_graph",
    "knn_points",
    "nearest",
    "radius",
    "radius_graph",
    "voxel_grid",
    "voxel_mean",
]


def _xp(space: Space) -> Any:
    """The module with the array functions of a space."""
    return getattr(space, "torch", None) or getattr(space, "xp", np)


def _offsets(space: Space, x: Any, batch: Any, size: Optional[int], name: str = "batch") -> np.ndarray:
    """The offsets of the clouds of x; without a batch vector all rows are one cloud."""
    if batch is None:
        return np.array([0, x.shape[0]])
    offsets = offsets_of(space.host(batch), size, name, "batch_size")
    if offsets[-1] != x.shape[0]:
        raise ValueError(f"{name}: {offsets[-1]} rows, but there are {x.shape[0]} points")
    return offsets


def _batches(
    x: Any, y: Any, batch_x: Any, batch_y: Any, size: Optional[int], names: tuple[str, str] = ("batch_x", "batch_y")
) -> tuple[PointClouds, Any, np.ndarray]:
    """The points x as a batch, and the queries y with their offsets; both have as many clouds."""
    space = space_of(x, y)
    x, y = as_rows(x, "points"), as_rows(y, "queries")
    of_x, of_y = _offsets(space, x, batch_x, size, names[0]), _offsets(space, y, batch_y, size, names[1])
    if batch_x is not None and batch_y is not None:  # clouds behind the last one of a side are empty there
        length = max(len(of_x), len(of_y))
        of_x, of_y = (np.pad(of, (0, length - len(of)), "edge") for of in (of_x, of_y))
    if len(of_x) != len(of_y):
        raise ValueError(f"{names[0]}, {names[1]}: only one is there, and it does not have one cloud")
    return PointClouds(x, of_x), y, of_y


def _edges(space: Space, ids: Any) -> tuple[Any, Any]:
    """The rows and the entries of a table of ids, without entries of -1."""
    there = ids >= 0
    rows = space.asarray(np.arange(ids.shape[0]))
    return (rows[:, None] + 0 * ids)[there], ids[there]


def _near(clouds: PointClouds, queries: tuple, k: int, r: Optional[float], exclude_self: bool) -> tuple[Any, Any]:
    """The rows and the entries of the k nearest of each query; with r those within it: all, by row, if no query has
    more than k."""
    space = clouds._space
    if r is None or int(space.host(clouds.count(r, *queries, exclude_self=exclude_self)).max(initial=0)) > k:
        largest = int(np.diff(space.host(clouds.offsets)).max(initial=0))
        limit = np.inf if r is None else r
        return _edges(space, clouds.knn(min(k, max(largest, 1)), *queries, r=limit, exclude_self=exclude_self)[1])
    rows, ids, _ = clouds.radius(r, *queries, exclude_self=exclude_self)
    pairs = space.pairs(rows, ids)
    return pairs[:, 0], pairs[:, 1]


def _are_tensors(*arrays: Any) -> bool:
    """True if an array is a tensor and there are operators for it."""
    return _OPERATORS is not None and any(isinstance(x, _torch.Tensor) for x in arrays)


def _tensors(*arrays: Any) -> list[Any]:
    """The arrays as tensors on the device of the first tensor; None stays."""
    device = next(x.device for x in arrays if isinstance(x, _torch.Tensor))
    return [x if x is None or isinstance(x, _torch.Tensor) else _torch.as_tensor(x, device=device) for x in arrays]


def _knn(x: Any, y: Any, k: int, batch_x: Any, batch_y: Any, size: Optional[int]) -> Any:
    clouds, y, of_y = _batches(x, y, batch_x, batch_y, size)
    return _xp(clouds._space).stack(_near(clouds, (y, of_y), k, None, False))


def _radius(x: Any, y: Any, r: float, batch_x: Any, batch_y: Any, most: int, size: Optional[int]) -> Any:
    clouds, y, of_y = _batches(x, y, batch_x, batch_y, size)
    return _xp(clouds._space).stack(_near(clouds, (y, of_y), most, r, False))


def _nearest(x: Any, y: Any, batch_x: Any, batch_y: Any) -> Any:
    clouds, x, of_x = _batches(y, x, batch_y, batch_x, None, ("batch_y", "batch_x"))
    ids = clouds.knn(1, x, of_x)[1]
    return ids.reshape(ids.shape[0])


def _knn_of_tensors(x: Any, y: Any, k: int, batch_x: Any, batch_y: Any, size: Optional[int]) -> Any:
    with TensorClouds(_torch, x, batch_x, ("batch_x", "batch_y"), size, y, batch_y) as clouds:
        return clouds.nearest(k, None, False, 0)


def _radius_of_tensors(x: Any, y: Any, r: float, batch_x: Any, batch_y: Any, most: int, size: Optional[int]) -> Any:
    with TensorClouds(_torch, x, batch_x, ("batch_x", "batch_y"), size, y, batch_y) as clouds:
        return clouds.within(r, most, False, 0)


def _graph_of_tensor(x: Any, k: int, r: Optional[float], batch: Any, loop: bool, flow: str, size: Optional[int]) -> Any:
    row = int(flow == "source_to_target")
    with TensorClouds(_torch, x, batch, ("batch",), size) as clouds:
        return clouds.nearest(k, None, not loop, row) if r is None else clouds.within(r, k, not loop, row)


def _nearest_of_tensors(x: Any, y: Any, batch_x: Any, batch_y: Any) -> Any:
    with TensorClouds(_torch, y, batch_y, ("batch_y", "batch_x"), None, x, batch_x) as clouds:
        return clouds.single_nearest()


def _fps_of_tensor(src: Any, batch: Any, ratio: float, size: Optional[int], ptr: Any, seed: Any) -> Any:
    return sample(_torch, src, batch, ratio, size, ptr, None if seed is None else int(seed))


def _count(batch_size: Any) -> Optional[int]:
    return None if batch_size is None else whole(batch_size, "batch_size")


def _most(max_num_neighbors: Any) -> int:
    most = whole(max_num_neighbors, "max_num_neighbors")
    if most < 1:
        raise ValueError(f"max_num_neighbors: {most} is less than 1")
    return most


def knn(
    x: Any,
    y: Any,
    k: int,
    batch_x: Any = None,
    batch_y: Any = None,
    *,
    batch_size: Optional[int] = None,
) -> Any:
    """Finds for each row of y the k nearest rows of x, in the same cloud.

    Parameters
    ----------
    x, y : array, shape (n, m) and (q, m)
        Points and queries; vectors are points of one coordinate.
    k : int
        Neighbours.
    batch_x, batch_y : array of int, optional
        The cloud of each row, ascending.
    batch_size : int, optional
        Number of clouds.

    Returns
    -------
    array of int64, shape (2, edges)
        Rows of y, and their neighbours in x by distance; equally near ones by row.

    Examples
    --------
    >>> import numpy as np
    >>> from boscage.torch import knn
    >>> x = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    >>> knn(x, np.array([[-1.0, 0.0], [1.0, 0.0]]), 2, [0, 0, 0, 0], [0, 0])
    array([[0, 0, 1, 1],
           [0, 1, 2, 3]])
    """
    k, batch_size = whole(k, "k"), _count(batch_size)
    if _are_tensors(x, y):
        x, y, batch_x, batch_y = _tensors(x, y, batch_x, batch_y)
        return _OPERATORS.knn(x, y, k, batch_x, batch_y, batch_size)
    return _knn(x, y, k, batch_x, batch_y, batch_size)


def radius(
    x: Any,
    y: Any,
    r: float,
    batch_x: Any = None,
    batch_y: Any = None,
    max_num_neighbors: int = 32,
    *,
    batch_size: Optional[int] = None,
) -> Any:
    """Finds for each row of y the rows of x within r, in the same cloud: the nearest ``max_num_neighbors`` of them.

    Arguments and results are those of `knn`, but neighbours are by row, unless a row of y has more than
    ``max_num_neighbors``: then those of all rows are by distance.

    Examples
    --------
    >>> import numpy as np
    >>> from boscage.torch import radius
    >>> radius(np.array([0.0, 1.0, 5.0]), np.array([0.5, 4.0]), 1.0)
    array([[0, 0, 1],
           [0, 1, 2]])
    """
    r, most, batch_size = length(r, "r"), _most(max_num_neighbors), _count(batch_size)
    if _are_tensors(x, y):
        x, y, batch_x, batch_y = _tensors(x, y, batch_x, batch_y)
        return _OPERATORS.radius(x, y, r, batch_x, batch_y, most, batch_size)
    return _radius(x, y, r, batch_x, batch_y, most, batch_size)


def _make_graph(
    x: Any, k: int, r: Optional[float], batch: Any, loop: bool, flow: str, size: Optional[int]
) -> Any:
    """Checks the flow, and calls the operator for a tensor."""
    if flow not in ("source_to_target", "target_to_source"):
        raise ValueError(f"flow: {flow!r} is neither 'source_to_target' nor 'target_to_source'")
    size = _count(size)
    if _are_tensors(x):
        x, batch = _tensors(x, batch)
        return _OPERATORS.graph(x, k, r, batch, bool(loop), flow, size)
    return _graph(x, k, r, batch, loop, flow, size)


def _graph(x: Any, k: int, r: Optional[float], batch: Any, loop: bool, flow: str, size: Optional[int]) -> Any:
    space = space_of(x)
    x = as_rows(x, "points")
    clouds = PointClouds(x, _offsets(space, x, batch, size))
    rows, ids = _near(clouds, (), k, r, not loop)
    return _xp(space).stack([ids, rows] if flow == "source_to_target" else [rows, ids])


def knn_graph(
    x: Any,
    k: int,
    batch: Any = None,
    loop: bool = False,
    flow: str = "source_to_target",
    *,
    batch_size: Optional[int] = None,
) -> Any:
    """Makes the graph of the k nearest points of each point, in its cloud.

    Parameters
    ----------
    x, k, batch, batch_size
        As x, k, batch_x and batch_size of `knn`.
    loop : bool
        Counts a point among its neighbours.
    flow : str
        ``"source_to_target"``: edges lead from neighbours to points; ``"target_to_source"``: the other way.

    Returns
    -------
    array of int64, shape (2, edges)

    Examples
    --------
    >>> import numpy as np
    >>> from boscage.torch import knn_graph
    >>> knn_graph(np.array([0.0, 1.0, 5.0, 0.0, 3.0]), 1, [0, 0, 0, 1, 1])
    array([[1, 0, 1, 4, 3],
           [0, 1, 2, 3, 4]])
    """
    return _make_graph(x, whole(k, "k"), None, batch, loop, flow, batch_size)


def radius_graph(
    x: Any,
    r: float,
    batch: Any = None,
    loop: bool = False,
    max_num_neighbors: int = 32,
    flow: str = "source_to_target",
    *,
    batch_size: Optional[int] = None,
) -> Any:
    """Makes the graph of the points within r of each point: the nearest ``max_num_neighbors``. See `knn_graph`.

    Examples
    --------
    >>> import numpy as np
    >>> from boscage.torch import radius_graph
    >>> radius_graph(np.array([0.0, 1.0, 5.0]), 1.0)
    array([[1, 0],
           [0, 1]])
    """
    return _make_graph(x, _most(max_num_neighbors), length(r, "r"), batch, loop, flow, batch_size)


def nearest(x: Any, y: Any, batch_x: Any = None, batch_y: Any = None) -> Any:
    """Finds for each row of x the nearest row of y, in the same cloud; -1 where that has none.

    Examples
    --------
    >>> import numpy as np
    >>> from boscage.torch import nearest
    >>> nearest(np.array([-1.0, 2.0, 9.0]), np.array([0.0, 10.0]))
    array([0, 0, 1])
    """
    if _are_tensors(x, y):
        return _OPERATORS.nearest(*_tensors(x, y, batch_x, batch_y))
    return _nearest(x, y, batch_x, batch_y)


def fps(
    src: Any,
    batch: Any = None,
    ratio: float = 0.5,
    random_start: bool = True,
    *,
    batch_size: Optional[int] = None,
    ptr: Any = None,
    seed: Any = None,
) -> Any:
    """Samples ``ceil(ratio * n)`` points of each cloud of n, each the farthest from those before.

    Parameters
    ----------
    src : array, shape (n, m)
        Points.
    batch, batch_size
        As batch_x and batch_size of `knn`.
    ratio : float, or array of floats
        The share of points, more than 0 and at most 1; of all clouds, or one for each.
    random_start : bool
        Draws the first sample of each cloud; else it is the first point.
    ptr : array of int, optional
        Offsets of the clouds, in place of `batch`.
    seed : optional
        Of the draw, for ``numpy.random.default_rng``.

    Returns
    -------
    array of int64
        Rows of the samples, cloud after cloud.

    Examples
    --------
    >>> import numpy as np
    >>> from boscage.torch import fps
    >>> fps(np.array([0.0, 1.0, 9.0, 4.0]), ratio=0.75, random_start=False)
    array([0, 2, 3])
    """
    ratio, batch_size = _share(ratio), _count(batch_size)
    if _are_tensors(src) and (seed is None or isinstance(seed, numbers.Integral) and 0 <= seed < 2**63):
        if not random_start:
            seed = None
        elif seed is None:  # so that torch.manual_seed decides
            seed = _torch.randint(2**62, (1,), device="cpu")
        if isinstance(ratio, float):
            src, batch, ptr = _tensors(src, batch, ptr)
            seed = None if seed is None else _torch.as_tensor(seed)  # in host memory
            return _OPERATORS.fps(src, batch, ratio, batch_size, ptr, seed)
        seed = None if seed is None else int(seed)
    return _fps(src, batch, ratio, bool(random_start), batch_size, ptr, seed)


def _share(ratio: Any) -> Any:
    """A number, or an array of NumPy with one for each cloud."""
    if isinstance(ratio, (list, tuple)) or getattr(ratio, "shape", ()) not in ((), (1,)):
        ratio = real_array(space_of(ratio).host(ratio), "ratio").astype(np.float64)
        if ratio.ndim != 1 or not ((ratio > 0) & (ratio <= 1)).all():
            raise ValueError("ratio: not one number, more than 0 and at most 1, for each cloud")
        return ratio
    ratio = real(ratio, "ratio")
    if not 0 < ratio <= 1:
        raise ValueError(f"ratio: {ratio} is not more than 0 and at most 1")
    return ratio


def _fps(
    src: Any, batch: Any, ratio: Any, random_start: bool, size: Optional[int], ptr: Any, seed: Any
) -> Any:
    space = space_of(src)
    src = as_rows(src, "points")
    offsets = _offsets(space, src, batch, size) if ptr is None else np.asarray(space.host(ptr))
    if offsets.ndim != 1 or not offsets.size or offsets.dtype.kind not in "iu":
        raise ValueError("ptr: not a vector of integers")
    offsets = offsets.astype(np.int64)
    sizes = np.diff(offsets)
    if offsets[0] != 0 or offsets[-1] != src.shape[0] or (sizes < 0).any():
        raise ValueError(f"ptr: does not ascend from 0 to {src.shape[0]}")
    if np.ndim(ratio) == 1 and len(ratio) != len(sizes):
        raise ValueError(f"ratio: {len(ratio)} numbers, but there are {len(sizes)} clouds")
    starts = None
    if random_start:
        try:
            drawn = np.random.default_rng(seed).random(len(sizes))
        except (TypeError, ValueError) as error:
            raise type(error)(f"seed: {error}") from None
        starts = offsets[:-1] + np.minimum((drawn * sizes).astype(np.int64), np.maximum(sizes - 1, 0))
    return PointClouds(src, offsets).sample_farthest(np.ceil(ratio * sizes).astype(np.int64), starts)[1]


class _KNN(NamedTuple):
    """Results of `knn_points` and `ball_query`."""

    dists: Any
    idx: Any
    knn: Any


def knn_points(
    p1: Any,
    p2: Any,
    lengths1: Any = None,
    lengths2: Any = None,
    norm: int = 2,
    K: int = 1,
    version: int = -1,
    return_nn: bool = False,
    return_sorted: bool = True,
) -> _KNN:
    """Finds the K nearest points of p2 for each point of p1, cloud by cloud.

    Parameters
    ----------
    p1, p2 : array, shape (clouds, P1, D) and (clouds, P2, D)
        Queries and points.
    lengths1, lengths2 : array of int, shape (clouds,), optional
        Rows of each cloud that count; by default all.
    norm : int
        2. PyTorch3D also has 1.
    K : int
        Neighbours.
    version, return_sorted : optional
        Not used: neighbours always ascend by distance, equally near ones by row.
    return_nn : bool
        Returns the neighbours themselves too.

    Returns
    -------
    (dists, idx, knn)
        Squared distances and rows of p2 in its cloud (clouds, P1, K), 0 where there are fewer points; the neighbours
        (clouds, P1, K, D) or None. Gradients flow to `p1` and `p2` from `dists` and `knn`.

    Examples
    --------
    >>> import numpy as np
    >>> from boscage.torch import knn_points
    >>> found = knn_points(np.array([[[0.0], [4.0]]]), np.array([[[1.0], [9.0]]]), K=2)
    >>> found.dists
    array([[[ 1., 81.],
            [ 9., 25.]]])
    >>> found.idx
    array([[[0, 1],
            [0, 1]]])
    """
    if norm != 2:
        raise ValueError(f"norm: {norm} is not 2")
    dists, idx = _find_padded(p1, p2, lengths1, lengths2, whole(K, "K"))
    idx = idx * (idx >= 0)
    return _KNN(dists, idx, gather_padded(p2, idx) if return_nn else None)


def ball_query(
    p1: Any,
    p2: Any,
    lengths1: Any = None,
    lengths2: Any = None,
    K: int = 500,
    radius: float = 0.2,
    return_nn: bool = True,
    skip_points_outside_cube: bool = False,
) -> _KNN:
    """Finds the first K rows of p2 nearer than a radius for each point of p1, cloud by cloud.

    Arguments and results are those of `knn_points`, but neighbours ascend by row, and missing ones have row -1.
    ``skip_points_outside_cube`` has no effect.

    Examples
    --------
    >>> import numpy as np
    >>> from boscage.torch import ball_query
    >>> ball_query(np.array([[[0.0], [4.0]]]), np.array([[[2.0], [0.5]]]), K=2, radius=2.5).idx
    array([[[ 0,  1],
            [ 0, -1]]])
    """
    dists, idx = _find_padded(p1, p2, lengths1, lengths2, whole(K, "K"), length(radius, "radius"))
    return _KNN(dists, idx, gather_padded(p2, idx) if return_nn else None)


def _find_padded(p1: Any, p2: Any, lengths1: Any, lengths2: Any, k: int, r: Optional[float] = None) -> tuple[Any, Any]:
    """The k nearest, or with r the first k within it; missing entries have row -1 and distance 0."""
    if k < 1:
        raise ValueError(f"K: {k} is less than 1")
    if _are_tensors(p1, p2):
        p1, p2, lengths1, lengths2 = _tensors(p1, p2, lengths1, lengths2)
        if r is None:
            return _OPERATORS.knn_points(p1, p2, lengths1, lengths2, k, False)
        return _OPERATORS.ball_query(p1, p2, lengths1, lengths2, k, r)
    if r is None:
        return knn_padded(p1, p2, lengths1, lengths2, k, False)
    return ball_query_padded(p1, p2, lengths1, lengths2, k, r)


def distCUDA2(points: Any) -> Any:
    """Computes the mean squared distance of each point to its 3 nearest neighbours, as simple-knn does.

    Parameters
    ----------
    points : array, shape (n, 3)
        A cloud; on any device.

    Returns
    -------
    array, shape (n,)
        Infinite for less than 4 points. Gradients flow to the points.

    Examples
    --------
    >>> from boscage.torch import distCUDA2
    >>> distCUDA2([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    array([1.        , 1.66666667, 1.66666667, 1.66666667])
    """
    if not _are_tensors(points):  # compilers of PyTorch do not trace NumPy's masks
        refuse_mask(points, "points")
    points = np.asarray(points) if space_of(points) is space_of() else points
    if len(points.shape) != 2:
        raise ValueError(f"points: shape {tuple(points.shape)} is not (n, 3)")
    x = points[None]
    find = _OPERATORS.knn_points if _are_tensors(points) else knn_padded
    dists, idx = find(x, x, None, None, 3, True)
    dists = space_of(points).choose(idx[0] >= 0, dists[0], np.inf)
    return (dists[:, 0] + dists[:, 1] + dists[:, 2]) / 3


def neighbor_tensors(
    quantities: str, positions: Any, cutoff: float, offsets: Any, cells: Any, pbc: Any, half: bool
) -> Optional[list[Any]]:
    """The arrays of `boscage.atoms.neighbor_lists` of tensors, by the operator; None without operators."""
    if _OPERATORS is None:
        return None
    pbc = None if cells is None or pbc is True else False if pbc is None else pbc  # None: True, for the operator
    offsets, cells, pbc = (x if x is None else _torch.as_tensor(x) for x in (offsets, cells, pbc))
    grows = [x for x in (positions, cells) if x is not None and x.requires_grad]
    wanted = "".join(dict.fromkeys(quantities + "ijSdD" * bool(grows and set(quantities) & set("dD"))))
    made = dict(zip(wanted, _OPERATORS.neighbor_lists(wanted, positions, cutoff, offsets, cells, pbc, half)))
    return [made[k] for k in quantities]


def _lists_of_tensors(
    quantities: str, positions: Any, cutoff: float, offsets: Any, cells: Any, pbc: Any, half: bool
) -> list[Any]:
    """The operator's kernel. Without `pbc` cells are periodic along all vectors."""
    return listed(quantities, positions, cutoff, offsets, cells, True if pbc is None else pbc, half)


_OPERATORS = _torch_operators.define(
    _torch,
    {
        "knn": _knn_of_tensors,
        "radius": _radius_of_tensors,
        "graph": _graph_of_tensor,
        "nearest": _nearest_of_tensors,
        "fps": _fps_of_tensor,
        "knn_points": knn_padded,
        "ball_query": ball_query_padded,
        "neighbor_lists": _lists_of_tensors,
    },
)
