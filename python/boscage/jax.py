"""Neighbours of point clouds and of atoms in programs of JAX, under ``jit``, ``grad`` and ``vmap``.

Shapes of results follow from the arguments. Distances have gradients of every order. `knn`, `knn_points` and
`sample_farthest` are calls of XLA's FFI: compiled programs call the library on their own memory, device and stream. The
other functions leave the program by ``jax.pure_callback``, as all do with JAX before 0.5: arrays are copied to host
memory and back. ``vmap`` makes one call after the other. Without JAX the functions take and return arrays of NumPy.
"""

from __future__ import annotations

from typing import Any, Callable, Optional

import numpy as np

from . import _core, _where
from ._convert import refuse_mask
from ._numbers import length, real, whole
from ._padded import ball_query_padded, knn_padded
from .atoms import neighbor_matrix as _plain_matrix
from .clouds import PointClouds

try:
    import jax as _jax
except ImportError:
    _jax = None

__all__ = ["ball_query", "knn", "knn_points", "neighbor_matrix", "sample_farthest"]

_XP: Any = np if _jax is None else _jax.numpy


def _constant(x: Any) -> Any:
    return x if _jax is None or x is None else _jax.lax.stop_gradient(x)


def _call(call: Callable, shapes: list[tuple], *arrays: Optional[Any]) -> tuple:
    """Calls with arrays of NumPy; `shapes` are the shapes and types of the results. None stays."""
    if _jax is None:
        return tuple(call(*arrays))
    given = [k for k, x in enumerate(arrays) if x is not None]

    def run(*values: Any) -> tuple:
        full: list = [None] * len(arrays)
        for k, value in zip(given, values):
            full[k] = np.asarray(value)
        return tuple(np.asarray(x, s.dtype) for x, s in zip(call(*full), results))

    results = _results(*shapes)
    values = [_constant(_XP.asarray(arrays[k])) for k in given]
    return tuple(_jax.pure_callback(run, results, *values, vmap_method="sequential"))


_registered: Optional[list[str]] = None  # platforms of JAX whose programs call the library by the FFI


def _platforms() -> list[str]:
    """The platforms whose handlers JAX has. The first call registers them."""
    global _registered
    if _registered is None:
        found = []
        for ours, platform in (("cpu", "cpu"), ("cuda", "CUDA")) if hasattr(_jax, "ffi") else ():
            if ours == "cuda" and _core.backend_reason("cuda"):
                continue
            try:
                for name, handler in _core.ffi_handlers(ours).items():
                    _jax.ffi.register_ffi_target(f"boscage_{name}", handler, platform=platform)
                found.append(ours)
            except Exception:  # another version of the interface: by callbacks then
                pass
        _registered = found
    return _registered


def _in_program(name: str, results: list[Any], values: list[Any], attributes: dict[str, Any], plain: Callable) -> tuple:
    """Calls the library from the compiled program, or `plain` on platforms without its handlers."""

    def compiled(*values: Any) -> tuple:
        call = _jax.ffi.ffi_call(f"boscage_{name}", results, vmap_method="sequential")
        return tuple(call(*values, **attributes))

    platforms = _platforms()
    traced = any(isinstance(x, _jax.core.Tracer) for x in values)
    if traced and _jax.default_backend() != "cpu":  # the platform is known when the program is compiled
        return _jax.lax.platform_dependent(*values, default=plain, **dict.fromkeys(platforms, compiled))
    device = "cpu" if traced else next(iter(values[0].devices())).platform
    return (compiled if {"gpu": "cuda"}.get(device, device) in platforms else plain)(*values)


def _offsets(offsets: Any, n: int, name: str) -> Any:
    """Offsets as the FFI's calls read them: int64; without int64 each is a row of two int32, the lower word first."""
    offsets = _XP.asarray([0, n] if offsets is None else offsets)
    if offsets.ndim != 1 or offsets.shape[0] < 1 or offsets.dtype.kind not in "iu":
        raise ValueError(f"{name}: not a vector of integers")
    offsets = offsets.astype(_jax.dtypes.canonicalize_dtype(np.int64))
    return offsets if offsets.dtype == np.int64 else _XP.stack([offsets, offsets >> 31], 1)


def _results(*shapes: tuple) -> list[Any]:
    canonical = _jax.dtypes.canonicalize_dtype
    return [_jax.ShapeDtypeStruct(shape, canonical(dtype)) for shape, dtype in shapes]


def _threads() -> np.int64:
    return np.int64(_where.threads_of(None))


def _array(x: Any, name: str) -> Any:
    refuse_mask(x, name)
    x = _XP.asarray(x)
    if x.dtype.kind in "cmMSU":
        raise TypeError(f"{name}: real numbers are needed, not {x.dtype}")
    return x if x.dtype in (np.float32, np.float64) else x.astype(np.float64)


def _differentiable(found: Any, formula: Callable, *arrays: Any) -> Any:
    """Numbers that were found, with the gradients of a formula for them."""
    if _jax is None:
        return found
    computed = formula(*arrays)
    # Numbers beyond the type have no gradient: infinity less infinity would be NaN.
    return found + _XP.where(_XP.isfinite(computed), computed - _constant(computed), 0)


def _squares(differences: Any, there: Any) -> Any:
    differences = _XP.where(_XP.isfinite(differences), differences, 0)  # of infinite points, for the gradient alone
    return _XP.where(there, (differences * differences).sum(-1), 0)


def _nearest(
    call: Callable, x: Any, y: Any, k: int, offsets: Any, query_offsets: Any, r: float, exclude_self: bool
) -> tuple[Any, Any]:
    """Neighbours of the queries y, or of x for None; by `call` without the FFI."""
    shape = ((x if y is None else y).shape[0], k)
    shapes = [(shape, x.dtype), (shape, np.int64)]

    def plain(*values: Any) -> tuple:
        rows, of, *queries = values
        queries = [queries[0], _lower_words(queries[1])] if queries else [rows, None]
        return _call(call, shapes, rows, queries[0], _lower_words(of), queries[1])

    if _jax is None or not _platforms() or k < 1 or x.shape[1] < 1:
        return _call(call, shapes, x, x if y is None else y, offsets, query_offsets)
    values = [x, _offsets(offsets, x.shape[0], "offsets")]
    if y is not None:
        if exclude_self:
            raise ValueError("exclude_self: for the points of the batch only")
        if y.shape[1] != x.shape[1]:
            raise ValueError(f"queries: {y.shape[1]} coordinates, but the batch has {x.shape[1]}")
        values += [y, _offsets(query_offsets, y.shape[0], "query_offsets")]
        if values[3].shape != values[1].shape:
            raise ValueError(f"query_offsets: {values[3].shape[0]} of them where {values[1].shape[0]} are needed")
    options = {"r": np.float64(r), "exclude_self": bool(exclude_self), "threads": _threads()}
    return _in_program("knn", _results(*shapes), [_constant(v) for v in values], options, plain)


def _lower_words(offsets: Any) -> Any:
    """The numbers of `_offsets` as a vector: the lower words."""
    return offsets if offsets.ndim == 1 else offsets[:, 0]


def knn(
    points: Any,
    k: int,
    queries: Any = None,
    offsets: Any = None,
    query_offsets: Any = None,
    *,
    r: float = np.inf,
    exclude_self: bool = False,
) -> tuple[Any, Any]:
    """Finds the k nearest points within r of each query, in the query's cloud.

    Arguments and results are those of `boscage.clouds.PointClouds` and its `knn`: squared distances, infinite where
    there are fewer points, and rows, -1 there. Gradients flow from distances to points and queries.

    Examples
    --------
    >>> import numpy as np
    >>> from boscage.jax import knn
    >>> dist2, ids = knn(np.array([[0.0], [1.0], [9.0]]), 2, np.array([[7.0]]))
    >>> dist2.tolist(), ids.tolist()
    ([[4.0, 36.0]], [[2, 1]])
    """
    k, r, x = whole(k, "k"), length(r, "r"), _array(points, "points")
    y = x if queries is None else _array(queries, "queries").astype(x.dtype)
    own = queries is None
    for rows, name in ((x, "points"), (y, "queries")):
        if rows.ndim != 2:
            raise ValueError(f"{name}: not an array of shape (n, m)")
    if own and query_offsets is not None:
        raise ValueError("query_offsets: without queries")

    def call(x: Any, y: Any, offsets: Any, query_offsets: Any) -> Any:
        return PointClouds(x, offsets).knn(k, *(() if own else (y, query_offsets)), r=r, exclude_self=exclude_self)

    dist2, ids = _nearest(call, x, None if own else y, k, offsets, query_offsets, r, exclude_self)
    return _differentiable(dist2, lambda x, y: _squares(y[:, None] - x[ids], ids >= 0), x, y), ids


class _Rows:
    """Padded clouds as rows of a batch. Rows behind the length of a cloud are a cloud of their own."""

    def __init__(self, p: Any, lengths: Any, dtype: Any):
        clouds, self.most, dim = p.shape
        first = _XP.arange(clouds) * self.most
        sizes = _XP.full(clouds, self.most) if lengths is None else _XP.asarray(lengths)
        self.there = _XP.arange(self.most) < sizes[:, None]
        self.rows = _XP.where(self.there[..., None], p, 0).reshape(clouds * self.most, dim).astype(dtype)
        ends = _XP.stack([first, first + sizes], 1).reshape(-1)
        self.offsets = _XP.append(ends, clouds * self.most).astype(ends.dtype)


def _nearest_padded(p1: Any, p2: Any, lengths1: Any, lengths2: Any, k: int) -> tuple[Any, Any]:
    """The k nearest rows of p2 for each row of p1, by the rows of one batch."""
    queries, points = _Rows(p1, lengths1, p2.dtype), _Rows(p2, lengths2, p2.dtype)

    def call(x: Any, y: Any, offsets: Any, query_offsets: Any) -> Any:
        return PointClouds(x, offsets).knn(k, y, query_offsets)

    dist2, ids = _nearest(call, points.rows, queries.rows, k, points.offsets, queries.offsets, np.inf, False)
    shape = (*p1.shape[:2], k)
    dist2, ids = dist2.reshape(shape), ids.reshape(shape)
    there = queries.there[..., None] & (ids >= 0)
    first = (_XP.arange(p2.shape[0]) * points.most)[:, None, None]
    return _XP.where(there, dist2, 0), _XP.where(there, ids - first, -1).astype(ids.dtype)


def _fits(p1: Any, p2: Any, lengths1: Any, lengths2: Any) -> bool:
    """True for padded clouds that a compiled program searches. The other ones are refused by the plain call."""
    same = p1.ndim == 3 and p2.ndim == 3 and p1.shape[0] == p2.shape[0] and p1.shape[2] == p2.shape[2]
    if _jax is None or not same or 0 in p1.shape + p2.shape or not _platforms():
        return False
    for p, lengths in ((p1, lengths1), (p2, lengths2)):
        if lengths is None or isinstance(lengths, _jax.core.Tracer):
            continue
        sizes = np.asarray(lengths)
        if sizes.shape != p.shape[:1] or sizes.dtype.kind not in "iu" or ((sizes < 0) | (sizes > p.shape[1])).any():
            return False
    return True


def _padded(
    call: Callable, p1: Any, p2: Any, lengths1: Any, lengths2: Any, k: int, find: Optional[Callable] = None
) -> tuple[Any, Any]:
    if k < 1:
        raise ValueError(f"K: {k} is less than 1")
    p1, p2 = _array(p1, "p1"), _array(p2, "p2")
    if p1.ndim != 3 or p2.ndim != 3:
        raise ValueError("p1, p2: not arrays of shape (clouds, rows, coordinates)")
    shape = (p1.shape[0], p1.shape[1], k)
    if find is None or not _fits(p1, p2, lengths1, lengths2):
        dists, idx = _call(call, [(shape, p2.dtype), (shape, np.int64)], p1, p2, lengths1, lengths2)
    else:
        dists, idx = find(p1, p2, lengths1, lengths2)

    def formula(p1: Any, p2: Any) -> Any:
        if p2.shape[1] == 0:
            return _XP.zeros(shape, p2.dtype)
        return _squares(p1[:, :, None] - p2[_XP.arange(p2.shape[0])[:, None, None], idx], idx >= 0)

    return _differentiable(dists, formula, p1, p2), idx


def knn_points(p1: Any, p2: Any, lengths1: Any = None, lengths2: Any = None, K: int = 1) -> tuple[Any, Any]:
    """Finds the K nearest rows of p2 for each row of p1, cloud by cloud, as PyTorch3D does.

    Parameters
    ----------
    p1, p2 : array, shape (clouds, P1, D) and (clouds, P2, D)
        Queries and points.
    lengths1, lengths2 : array of int, shape (clouds,), optional
        Rows of each cloud that count; by default all.
    K : int
        Neighbours.

    Returns
    -------
    dists, idx : arrays of shape (clouds, P1, K)
        Squared distances, 0 where there are fewer points, and rows of p2 in its cloud, -1 there.

    Examples
    --------
    >>> import numpy as np
    >>> from boscage.jax import knn_points
    >>> dists, idx = knn_points(np.array([[[0.0], [4.0]]]), np.array([[[1.0], [9.0]]]), K=2)
    >>> dists.tolist(), idx.tolist()
    ([[[1.0, 81.0], [9.0, 25.0]]], [[[0, 1], [0, 1]]])
    """
    k = whole(K, "K")
    return _padded(
        lambda *arrays: knn_padded(*arrays, k, False),
        p1,
        p2,
        lengths1,
        lengths2,
        k,
        lambda *arrays: _nearest_padded(*arrays, k),
    )


def ball_query(
    p1: Any, p2: Any, lengths1: Any = None, lengths2: Any = None, K: int = 500, radius: float = 0.2
) -> tuple[Any, Any]:
    """Finds the first K rows of p2 nearer than a radius for each row of p1, as PyTorch3D does. See `knn_points`.

    Examples
    --------
    >>> import numpy as np
    >>> from boscage.jax import ball_query
    >>> ball_query(np.array([[[0.0], [4.0]]]), np.array([[[2.0], [0.5]]]), K=2, radius=2.5)[1].tolist()
    [[[0, 1], [0, -1]]]
    """
    k, r = whole(K, "K"), length(radius, "radius")
    return _padded(lambda *arrays: ball_query_padded(*arrays, k, r), p1, p2, lengths1, lengths2, k)


def sample_farthest(points: Any, counts: Any, offsets: Any = None, starts: Any = None) -> Any:
    """Samples points of each cloud, each the farthest from those before.

    Arguments are those of `boscage.clouds.PointClouds` and its `sample_farthest`; `counts` is known to the compiler:
    an int, or one for each cloud.

    Returns
    -------
    array of int
        Rows of the samples, cloud after cloud.

    Examples
    --------
    >>> import numpy as np
    >>> from boscage.jax import sample_farthest
    >>> sample_farthest(np.array([[0.0], [1.0], [9.0], [4.0]]), 3).tolist()
    [0, 2, 3]
    """
    counts = np.asarray(counts)
    clouds = 1 if offsets is None else np.shape(offsets)[0] - 1
    total = int(counts.sum()) if counts.ndim else clouds * int(counts)

    def call(x: Any, offsets: Any, starts: Any) -> Any:
        return PointClouds(x, offsets).sample_farthest(counts, starts)[1:]

    x, shape = _array(points, "points"), ((total,), np.int64)
    plain = _jax is None or not _platforms() or x.ndim != 2 or x.shape[1] < 1 or counts.shape not in ((), (clouds,))
    if plain or counts.dtype.kind not in "iu" or (counts < 0).any():
        return _call(call, [shape], x, offsets, starts)[0]
    ends = np.append(0, np.cumsum(np.broadcast_to(counts, clouds)))
    values = [x, _offsets(offsets, x.shape[0], "offsets"), _offsets(ends, 0, "counts")]
    if starts is not None:
        values.append(_offsets(starts, 0, "starts"))

    def outside(x: Any, offsets: Any, _: Any, starts: Any = None) -> tuple:
        return _call(call, [shape], x, _lower_words(offsets), None if starts is None else _lower_words(starts))

    values, options = [_constant(v) for v in values], {"threads": _threads()}
    return _in_program("sample_farthest", _results(shape), values, options, outside)[0]


def neighbor_matrix(
    positions: Any, cutoff: float, width: int, offsets: Any = None, cells: Any = None, pbc: Any = True
) -> tuple[Any, Any, Any, Any]:
    """Lists the neighbours of atoms in rows of equal width.

    Arguments and results are those of `boscage.atoms.neighbor_matrix`. Gradients flow from distances to positions and
    cells.

    Examples
    --------
    >>> from boscage.jax import neighbor_matrix
    >>> neighbors, shifts, distances, counts = neighbor_matrix([[0.0, 0, 0], [1.0, 0, 0]], cutoff=2, width=2)
    >>> neighbors.tolist(), distances.tolist(), counts.tolist()
    ([[1, -1], [0, -1]], [[1.0, inf], [1.0, inf]], [1, 1])
    """
    x, cutoff, width = _array(positions, "positions"), real(cutoff, "cutoff"), whole(width, "width")
    box = None if cells is None else _array(cells, "cells")

    def call(x: Any, offsets: Any, cells: Any, pbc: Any) -> Any:
        return _plain_matrix(x, cutoff, width, offsets, cells, pbc if cells is not None else None)

    shape = (x.shape[0], width)
    types = [(shape, np.int64), ((*shape, 3), np.int32), (shape, x.dtype), (shape[:1], np.int64)]
    neighbors, shifts, distances, counts = _call(call, types, x, offsets, box, pbc)
    there = neighbors >= 0

    def formula(x: Any, box: Any) -> Any:
        """Distances, whose gradient is 0 for atoms at one point."""
        vectors = x[neighbors] - x[:, None]
        if box is not None and box.ndim == 3 and offsets is not None:
            systems = _XP.searchsorted(_XP.asarray(offsets)[1:], _XP.arange(x.shape[0]), side="right")
            vectors = vectors + (shifts[..., None] * box[systems][:, None]).sum(2)
        elif box is not None:
            vectors = vectors + (shifts[..., None] * box.reshape(3, 3)).sum(2)
        squares = _squares(vectors, there)
        return _XP.where(squares > 0, _XP.sqrt(_XP.where(squares > 0, squares, 1)), 0).astype(x.dtype)

    return neighbors, shifts, _differentiable(distances, formula, x, box), counts
