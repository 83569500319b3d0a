"""Voxels with the signatures of PyTorch Geometric; means of voxels with gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import NUMPY, space_of
from .clouds import as_rows
from .voxels import Voxels


def _column(x: Any, pos: Any, name: str, xp: Any) -> Any:
    """A number of each coordinate, beside pos."""
    try:
        x = np.asarray(x, pos.dtype) if xp is np else xp.as_tensor(x, dtype=pos.dtype, device=pos.device)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from None
    if x.ndim > 1 or (x.ndim == 1 and x.shape[0] not in (1, pos.shape[1])):
        raise ValueError(f"{name}: not a number, or one of each coordinate")
    return xp.broadcast_to(x, (pos.shape[1],))


def _whole(x: Any, xp: Any) -> Any:
    return x.astype(np.int64) if xp is np else x.long()


def _real(x: Any, xp: Any) -> Any:
    return x.astype(np.float64) if xp is np else x.double()


def _refuse_large(spans: list[float], dim: int) -> None:
    """Refuses grids whose voxel numbers are beyond int64. spans, in voxels from the start: the end in each dimension,
    then the least coordinates, then the greatest."""
    volume, reach = 1.0, 0.0
    for last, least, most in zip(spans[:dim], spans[dim : 2 * dim], spans[2 * dim :]):
        reach += (max(abs(least), abs(most)) + 1) * volume
        volume *= abs(last) + 1
    if not max(volume, reach) < 2.0**63:
        raise ValueError("size: the grid has 2^63 voxels or more")


def _points(pos: Any) -> tuple[Any, Any]:
    """pos as rows of float32 or float64, and the module of its arrays: numpy or torch."""
    space = space_of(pos)
    if space is not NUMPY and not hasattr(space, "torch"):
        raise TypeError(f"pos: an array of {space.name}, not of NumPy or PyTorch")
    xp = np if space is NUMPY else space.torch
    pos = as_rows(pos, "pos")
    if pos.dtype.kind not in "fiub" if xp is np else pos.is_complex():
        raise TypeError(f"pos: real numbers are needed, not {pos.dtype}")
    if pos.dtype not in (xp.float32, xp.float64):
        pos = pos.astype(np.float64) if xp is np else pos.double()
    return pos, xp


def _number(pos: Any, size: Any, start: Any, end: Any) -> tuple[Any, Any, Any]:
    """The numbers of `grid_cluster`, the number of voxels of the grid, and the module of the arrays."""
    # 1. Points, and edges of voxels.
    pos, xp = _points(pos)
    edges = _column(size, pos, "size", xp)
    if pos.shape[0] == 0:
        if not bool((edges > 0).all()):
            raise ValueError("size: not more than 0")
        return _whole(pos[:, 0], xp), 0, xp
    # 2. The grid. All checks are one transfer.
    least, most = (pos.min(0), pos.max(0)) if xp is np else (pos.amin(0), pos.amax(0))
    first = least if start is None else _column(start, pos, "start", xp)
    last = most if end is None else _column(end, pos, "end", xp)
    finite = {"pos": xp.isfinite(least) & xp.isfinite(most), "start": xp.isfinite(first), "end": xp.isfinite(last)}
    with np.errstate(all="ignore"):
        spans = [(x - first) / edges for x in (last, least, most)]
    flags = [(edges > 0).all(), *(x.all() for x in finite.values())]
    checks = [*(_real(x, xp).reshape(1) for x in flags), *(_real(x, xp) for x in spans)]
    has_edges, *found = xp.concatenate(checks).tolist()
    if not has_edges:
        raise ValueError("size: not more than 0")
    for name, is_finite in zip(finite, found):
        if not is_finite:
            raise ValueError(f"{name}: NaN or infinite")
    _refuse_large(found[len(finite) :], int(pos.shape[1]))
    # 3. The number of each point's voxel in it.
    counts = _whole((last - first) / edges, xp) + 1
    cells = _whole((pos - first) / edges, xp)
    number = cells[:, -1]
    for c in range(int(pos.shape[1]) - 2, -1, -1):
        number = number * counts[c] + cells[:, c]
    return number, counts.prod(), xp


def grid_cluster(pos: Any, size: Any, start: Any = None, end: Any = None) -> Any:
    """The number of each point's voxel in the grid from start to end; the first coordinate runs fastest.

    Parameters
    ----------
    pos : array or tensor, shape (n, m)
    size : float or sequence of m floats
        Edges of a voxel.
    start, end : float or sequence of m floats, optional
        By default the least and greatest coordinates.

    Returns
    -------
    array of int64, shape (n,)
        `boscage.voxels.Voxels` numbers occupied voxels without gaps.

    Examples
    --------
    >>> import numpy as np
    >>> from boscage.torch import grid_cluster
    >>> grid_cluster(np.array([[0.0, 0.0], [11.0, 9.0], [2.0, 8.0], [2.0, 2.0], [8.0, 3.0]]), [5, 5])
    array([0, 5, 3, 0, 1])
    """
    return _number(pos, size, start, end)[0]


def voxel_grid(pos: Any, size: Any, batch: Any = None, start: Any = None, end: Any = None) -> Any:
    """As `grid_cluster`, with voxels of their own for each cloud of ``batch``, those of cloud 0 first.

    Examples
    --------
    >>> import numpy as np
    >>> from boscage.torch import voxel_grid
    >>> voxel_grid(np.array([[0.0], [7.0], [1.0], [8.0]]), 5, [0, 0, 1, 1])
    array([0, 1, 2, 3])
    """
    number, count, xp = _number(pos, size, start, end)
    if batch is None:
        return number
    batch = np.asarray(batch) if xp is np else xp.as_tensor(batch, device=number.device)
    if batch.shape != number.shape:
        raise ValueError("batch: not a number for each point")
    is_integer = batch.dtype.kind in "iu" if xp is np else not (batch.is_floating_point() or batch.is_complex())
    if number.shape[0] and not is_integer:
        raise TypeError(f"batch: integers are needed, not {batch.dtype}")
    if number.shape[0]:
        least, most, voxels = xp.stack([_whole(x, xp) for x in (batch.min(), batch.max(), count)]).tolist()
        if least < 0:
            raise ValueError(f"batch: {least} is less than 0")
        if (most + 1) * voxels >= 2**63:
            raise ValueError(f"size: the grids of {most + 1} clouds have 2^63 voxels or more")
    return number + _whole(batch, xp) * count


_functions: dict[str, Any] = {}


def voxel_mean(voxels: Voxels, features: Any) -> Any:
    """The mean of the features of each voxel's points, with gradients of tensors.

    Parameters
    ----------
    voxels : boscage.voxels.Voxels
    features : array or tensor, shape (n, f)

    Returns
    -------
    array or tensor, shape (v, f)

    Examples
    --------
    >>> from boscage.torch import voxel_mean
    >>> from boscage.voxels import Voxels
    >>> voxel_mean(Voxels([[0.5], [3.5], [0.25]], 1.0), [[1.0], [2.0], [5.0]])
    array([[3.],
           [2.]])
    """
    if not isinstance(voxels, Voxels):
        raise TypeError(f"voxels: {type(voxels).__name__} where boscage.voxels.Voxels are needed")
    if not getattr(features, "requires_grad", False):
        return voxels.mean(features)
    if "mean" not in _functions:
        import torch

        class Mean(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, features: Any, of: Voxels) -> Any:
                ctx.of = of
                return of.mean(features.detach())

            @staticmethod
            @torch.autograd.function.once_differentiable
            def backward(ctx: Any, of_means: Any) -> Any:
                return ctx.of.mean_gradient(of_means.contiguous()), None

        _functions["mean"] = Mean
    return _functions["mean"].apply(features, voxels)
