"""k-d trees, voxel grids and Euclidean spanning trees of points.

`KDTree` and `cKDTree` have the interface of `scipy.spatial` and give the same answers.
"""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _core
from ._arrays import NUMPY, place_for, raw, space_of
from ._kdtree import KDTree, cKDTree
from ._nodes import cKDTreeNode
from ._points import exponent_of, points_of, scaled
from ._voxelgrid import VoxelGrid
from ._where import Progress, where

__all__ = ["KDTree", "cKDTree", "cKDTreeNode", "VoxelGrid", "emst"]

FAR = "points: the squared length"  # how the library's message begins for squares out of range


def emst(
    points: Any, *, device: Any = None, workers: Optional[int] = None, progress: Progress = None
) -> tuple[Any, Any]:
    """Finds the Euclidean minimum spanning tree of points.

    Parameters
    ----------
    points : array_like, shape (n, m)
        float32 and float64 are kept as they are, anything else becomes float64.
    device, workers, progress
        As those of `cKDTree`.

    Returns
    -------
    pairs : array, shape (n - 1, 2)
        Rows i < j of each edge; edges ascend by (i, j).
    lengths : array, shape (n - 1,)

    Examples
    --------
    >>> from boscage.spatial import emst
    >>> emst([[0.0], [5.0], [1.0]])
    (array([[0, 2],
           [1, 2]]), array([1., 4.]))
    """
    space = space_of(points)
    at = where(place_for(space, device), space.stream(), workers, progress)
    points, dtype = points_of(points, None, space, "points")
    count = max(int(points.shape[0]) - 1, 0)
    pairs = space.empty((count, 2), "int64")
    dist2 = space.empty(count, dtype)
    try:
        _core.emst(at, points, raw(pairs), raw(dist2))
    except ValueError as error:
        if space is not NUMPY or not str(error).startswith((FAR, "points: those of edge")):
            raise
        if dtype == "float32" and str(error).startswith(FAR):
            _core.emst(at, points, pairs, None)
            return pairs, _lengths_of_float32(points, pairs)
        return pairs, (_lengths_in_float64 if dtype == "float32" else _lengths_by_scaling)(at, points, pairs)
    return space.give(pairs), space.sqrt(dist2)


def _lengths_of_float32(points: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """The lengths of edges, by the operations of searches: sums of squares in float32, relative to the largest gap."""
    gaps = points[pairs[:, 0]].astype(np.float64) - points[pairs[:, 1]].astype(np.float64)
    exponents = np.frexp(np.abs(gaps).max(axis=1, initial=0))[1]
    scaled_gaps = np.ldexp(gaps, -exponents[:, np.newaxis]).astype(np.float32)
    squares = np.zeros(len(pairs), np.float32)
    for gap in scaled_gaps.T:
        squares = squares + gap * gap
    return np.ldexp(np.sqrt(squares.astype(np.float64)), exponents)


def _lengths_in_float64(at: Any, points: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Fills pairs; the lengths of float32 points whose squares only float64 holds."""
    dist2 = np.empty(len(pairs))
    _core.emst(at, points.astype(np.float64), pairs, dist2)
    return np.sqrt(dist2)


def _lengths_by_scaling(at: Any, points: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Fills pairs; the lengths of float64 points whose squares it does not hold, by a power of two."""
    exponent, dist2 = exponent_of(points), np.empty(len(pairs))
    _core.emst(at, scaled(points, exponent, "points"), pairs, dist2)
    near = pairs[dist2 < np.finfo(np.float64).tiny]
    if (points[near[:, 0]] != points[near[:, 1]]).any():
        raise ValueError("points: some differ by too little beside the largest coordinate")
    return scaled(np.sqrt(dist2), -exponent, "lengths")
