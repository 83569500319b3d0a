"""Friends of friends."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from .. import _core
from .._arrays import NUMPY, Space, place_for, raw, space_of
from .._convert import reals
from .._numbers import real
from .._points import points_of
from .._where import Progress, where

MINKOWSKI, HAVERSINE, COSINE = 0, 1, 2  # metrics of the extension


def labels_of(
    at: Any,
    space: Space,
    points: Any,
    eps: float,
    min_samples: int = 1,
    metric: int = MINKOWSKI,
    p: float = 0.0,
    periods: Optional[np.ndarray] = None,
    weights: Any = None,
) -> tuple[Any, Any]:
    """Labels, and a flag of each core point."""
    n = int(points.shape[0])
    labels, core = space.empty(n, "int64"), space.empty(n, "uint8")
    _core.dbscan(at, points, eps, min_samples, metric, p, periods, weights, raw(labels), raw(core))
    return space.give(labels), space.give(core)


def friends_of_friends(
    points: Any,
    radius: float,
    *,
    boxsize: Any = None,
    device: Any = None,
    workers: Optional[int] = None,
    progress: Progress = None,
) -> Any:
    """Finds groups: the connected components of all pairs of points within a radius.

    Parameters
    ----------
    points : array_like, shape (n, m)
        float32 and float64 are kept as they are, anything else becomes float64.
    radius : float
        The linking length.
    boxsize : array_like or scalar, optional
        Periods of the coordinates, which are in [0, boxsize]; 0: not periodic.
    device, workers, progress
        As those of `boscage.spatial.cKDTree`.

    Returns
    -------
    array of int64, shape (n,)
        The group of each point. Groups are numbered by their first points.

    Examples
    --------
    >>> from boscage.cluster import friends_of_friends
    >>> friends_of_friends([[0.5], [5.0], [9.75]], 1)
    array([0, 1, 2])
    >>> friends_of_friends([[0.5], [5.0], [9.75]], 1, boxsize=10)
    array([0, 1, 0])
    """
    radius = real(radius, "radius")
    if not radius >= 0:
        raise ValueError(f"radius: {radius} is not 0 or more")
    space = space_of(points)
    at = where(place_for(space, device), space.stream(), workers, progress)
    points, _ = points_of(points, None, space, "points")
    periods = None
    if boxsize is not None:
        periods, m = reals(boxsize, "float64", NUMPY, "boxsize"), int(points.shape[1])
        if periods.shape not in ((), (1,), (m,)):
            raise ValueError(f"boxsize: of shape {periods.shape}, but the points have {m} coordinates")
        periods = np.broadcast_to(periods, (m,)).copy()
    return labels_of(at, space, points, radius, periods=periods)[0]
