"""k-d trees, voxel grids, Euclidean spanning trees and tours of points.

`KDTree` and `cKDTree` have the interface of `scipy.spatial` and give the same answers.
"""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _core
from ._arrays import NUMPY, place_for, raw, space_of
from ._convert import integers
from ._kdtree import KDTree, cKDTree
from ._nodes import cKDTreeNode
from ._numbers import real, whole
from ._points import exponent_of, points_of, scaled
from ._voxelgrid import VoxelGrid
from ._where import Progress, where

__all__ = ["KDTree", "cKDTree", "cKDTreeNode", "VoxelGrid", "emst", "emst_replacements", "tour", "tour_bound"]

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


def emst_replacements(
    points: Any,
    pairs: Any,
    *,
    min_samples: int = 0,
    p: float = 2.0,
    device: Any = None,
    workers: Optional[int] = None,
    progress: Progress = None,
) -> tuple[Any, Any]:
    """Finds the best replacement of each edge of a spanning tree of points.

    It is the shortest other pair of points that joins what the tree without the edge leaves apart. The longer it is
    than the edge, the less the tree depends on small changes of the points.

    Parameters
    ----------
    points : array_like, shape (n, m)
        As in `emst`.
    pairs : array_like of int, shape (n - 1, 2)
        Rows of the points at both ends of each edge: any spanning tree.
    min_samples : int, default 0
        Not 0: lengths are under mutual reachability, as in `boscage.cluster.HDBSCAN`.
    p : float, default 2
        The order of Minkowski distances, 1 or more; others than 2 are computed in double.
    device, workers, progress
        As those of `cKDTree`.

    Returns
    -------
    replacements : array, shape (n - 1, 2)
        Rows i < j of the replacement of each edge, by (length, i, j). The only edge of two points has none: -1.
    lengths : array, shape (n - 1,)
        Infinite without a replacement. float64 unless p is 2.

    Raises
    ------
    ValueError
        If the pairs are no spanning tree, or if a squared length does not fit the type of the points.

    Examples
    --------
    >>> from boscage.spatial import emst, emst_replacements
    >>> points = [[0.0], [5.0], [1.0]]
    >>> pairs, lengths = emst(points)
    >>> emst_replacements(points, pairs)[1] - lengths
    array([4., 1.])
    """
    space = space_of(points)
    at = where(place_for(space, device), space.stream(), workers, progress)
    points, dtype = points_of(points, None, space, "points")
    count = max(int(points.shape[0]) - 1, 0)
    edges = integers(pairs, "int64", space, "pairs")
    if tuple(edges.shape) != (count, 2):
        raise ValueError(f"pairs: shape {tuple(edges.shape)} is not ({count}, 2)")
    replacements, samples, order = space.empty((count, 2), "int64"), whole(min_samples, "min_samples"), real(p, "p")
    lengths = space.empty(count, dtype if order == 2 else "float64")
    if order == 2:
        _core.emst_replacements(at, points, edges, samples, raw(replacements), raw(lengths))
        return space.give(replacements), space.sqrt(lengths)
    _core.emst_replacements_minkowski(at, points, edges, order, samples, raw(replacements), raw(lengths))
    return space.give(replacements), space.give(lengths)


def _host_points(points: Any) -> np.ndarray:
    """Points in host memory, float32 or float64. Masked arrays go as they are: masked elements are refused."""
    points = points if np.ma.isMaskedArray(points) else space_of(points).host(points)
    return points_of(points, None, NUMPY, "points")[0]


def tour(
    points: Any,
    *,
    kicks: int = 5,
    seed: int = 0,
    device: Any = None,
    workers: Optional[int] = None,
    progress: Progress = None,
) -> tuple[np.ndarray, float]:
    """Finds a short closed tour of points, by 2-opt and Or-opt moves and random changes.

    Parameters
    ----------
    points : array_like, shape (n, m)
        float32 and float64 are kept as they are, anything else becomes float64. Arrays on a device are copied.
    kicks : int
        Random changes a point, kept where they pay; 0: none, which takes about a tenth of the time.
    seed : int
        Of the random changes.
    device, workers, progress
        As those of `cKDTree`; the result is the same for all.

    Returns
    -------
    order : array, shape (n,)
        Rows in the order of the tour, beginning with 0.
    length : float
        Of the closed tour. `tour_bound` shows how much shorter another tour may be at most.

    Examples
    --------
    >>> from boscage.spatial import tour
    >>> order, length = tour([[0, 0], [1, 1], [1, 0], [0, 1]])
    >>> length
    4.0
    """
    kicks, seed = whole(kicks, "kicks"), whole(seed, "seed", "uint64")
    if kicks < 0:
        raise ValueError(f"kicks: {kicks} is less than 0")
    points = _host_points(points)
    at = where(place_for(NUMPY, device), NUMPY.stream(), workers, progress)
    pairs, _ = emst(points, device=device, workers=workers)
    order = np.empty(len(points), np.int64)
    _core.tour(at, pairs, len(points), order)
    return order, _core.improve_tour(at, points, kicks if kicks else -1, seed, order)


def tour_bound(
    points: Any, *, rounds: int = 60, device: Any = None, workers: Optional[int] = None, progress: Progress = None
) -> float:
    """Computes a lower bound of the lengths of all closed tours of points, by 1-trees under prices of vertices.

    Parameters
    ----------
    points : array_like, shape (n, m)
        As in `tour`.
    rounds : int
        Spanning trees, at least 1. More give a greater bound.
    device, workers, progress
        As those of `cKDTree`.

    Examples
    --------
    >>> from boscage.spatial import tour_bound
    >>> round(tour_bound([[0, 0], [1, 1], [1, 0], [0, 1]]), 6)
    4.0
    """
    rounds = whole(rounds, "rounds")
    if rounds < 1:
        raise ValueError(f"rounds: {rounds} is less than 1")
    at = where(place_for(NUMPY, device), NUMPY.stream(), workers, progress)
    return _core.tour_bound(at, _host_points(points), rounds)


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
