"""Hierarchical clustering, with the interface of `scipy.cluster.hierarchy`.

`fcluster`, `cophenet` and `leaves_list` are scipy's own, which take linear time, or as long as their output is.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .. import _core
from .._arrays import DTYPES, NUMPY, place_for, space_of
from .._convert import real_array
from .._originals import may_answer
from .._where import Progress, where
from ..spatial import emst

__all__ = ["cophenet", "cut", "cut_tree", "fcluster", "leaves_list", "linkage", "single"]


def __getattr__(name: str) -> Any:
    if name in ("cophenet", "fcluster", "leaves_list"):
        import scipy.cluster.hierarchy

        return getattr(scipy.cluster.hierarchy, name)
    raise AttributeError(f"module 'boscage.cluster.hierarchy' has no attribute {name!r}")


# Limits between this package and scipy: estimates.
MANY_DIMENSIONS = 16  # in which all distances cost less than searches in a tree
FEW_OBSERVATIONS = 32  # below which the check for a range costs more than it saves
MOST_DISTANCES = 1 << 26  # in memory, 512 MiB: of 11,585 observations


def linkage(
    y: Any,
    method: str = "single",
    metric: Any = "euclidean",
    optimal_ordering: bool = False,
    *,
    device: Any = None,
    progress: Progress = None,
) -> np.ndarray:
    """Clusters hierarchically by single linkage: the dendrogram of the minimum spanning tree.

    Parameters
    ----------
    y : array_like
        Observations, shape (n, m), which are compared all with all in many dimensions only; or a condensed matrix of
        their distances, shape (n (n - 1) / 2,).
    method : {"single"}
        No other one.
    metric : str or callable
        Of observations: any of `scipy.spatial.distance.pdist`; but for "euclidean" all distances are computed by it.
    optimal_ordering : bool
        Leaves the order of the leaves to `scipy.cluster.hierarchy.optimal_leaf_ordering`.
    device, progress
        As those of `boscage.spatial.cKDTree`.

    Returns
    -------
    numpy.ndarray, shape (n - 1, 4)
        Merges, as scipy gives them: the two clusters, their distance, and the number of observations in the new one.

    Examples
    --------
    >>> from boscage.cluster.hierarchy import linkage
    >>> linkage([[0.0], [1.0], [5.0]])
    array([[0., 1., 1., 2.],
           [2., 3., 4., 3.]])
    """
    if method != "single":
        raise ValueError(f"method: {method!r}; this package has 'single' alone")
    space = space_of(y)
    if space.at is None:
        y = np.asarray(real_array(space.host(y) if space is not NUMPY else y, "y"), np.float64, order="C")
    if len(y.shape) not in (1, 2):
        raise ValueError("`y` must be 1 or 2 dimensional.")
    left = space.at is None and may_answer(device, progress)
    if left and len(y.shape) == 2 and metric == "euclidean" and _suits_scipy(y):
        return _of_scipy(y, optimal_ordering)
    if len(y.shape) == 2 and y.shape[0] == y.shape[1] != 0:
        _warn_of_distances(space.host(y))
    if len(y.shape) == 2 and metric == "euclidean":
        if y.shape[0] < 2:
            raise ValueError("The number of observations cannot be determined on an empty distance matrix.")
        pairs, lengths = emst(y, device=device, progress=progress)
        pairs, lengths, n = space.host(pairs), space.host(lengths), int(y.shape[0])
    else:
        y = _condensed(y, metric)
        if left and _has_scipy():
            return _of_scipy(y, optimal_ordering)
        pairs, lengths, n = _tree_of_distances(y, device, progress)
    z = np.empty((n - 1, 4))
    at = where(place_for(space, device), 0, None, progress)
    _core.linkage(at, np.ascontiguousarray(pairs), np.ascontiguousarray(lengths, np.float64), n, z)
    if optimal_ordering:
        from scipy.cluster.hierarchy import optimal_leaf_ordering

        return optimal_leaf_ordering(z, y)
    return z


def _warn_of_distances(y: np.ndarray) -> None:
    """Warns, as scipy does, of as many observations as coordinates that look like a matrix of distances."""
    if abs(y[0, -1] - y[-1, 0]) > 1e-5 or not np.allclose(np.diagonal(y), 0):
        return
    if (y >= 0).all() and np.allclose(y, y.T):
        from scipy.cluster.hierarchy import ClusterWarning

        text = "The symmetric non-negative hollow observation matrix looks suspiciously like an uncondensed distance"
        warnings.warn(text + " matrix", ClusterWarning, stacklevel=3)


def _suits_scipy(y: np.ndarray) -> bool:
    """True if all distances cost less than a tree of the observations: where there are many dimensions."""
    n = y.shape[0]
    if y.shape[1] < MANY_DIMENSIONS or n < FEW_OBSERVATIONS or n * (n - 1) // 2 > MOST_DISTANCES or not _has_scipy():
        return False
    with np.errstate(all="ignore"):  # of infinities and of differences that overflow
        return 1e-100 < np.abs(y - y[0]).max() < 1e100  # so that scipy's sums of squares hold the largest distances


def _condensed(y: Any, metric: Any) -> np.ndarray:
    """All distances: those given, or those of observations."""
    if y.ndim == 2:
        from scipy.spatial.distance import pdist

        y = pdist(y, metric)
    y = np.ascontiguousarray(y, np.float64)
    n = _observations(y)
    if n * (n - 1) // 2 != len(y) or not len(y):
        raise ValueError("The condensed distance matrix must have a length of n (n - 1) / 2, and at least 1")
    if not np.isfinite(y).all():
        raise ValueError("The condensed distance matrix must contain only finite values.")
    return y


def _observations(y: np.ndarray) -> int:
    return int((1 + np.sqrt(1 + 8 * len(y))) / 2)


def _has_scipy() -> bool:
    try:
        import scipy.cluster.hierarchy  # noqa: F401
    except ImportError:
        return False
    return True


def _of_scipy(y: np.ndarray, optimal_ordering: bool) -> np.ndarray:
    """scipy's own clusters, without the graph of all distances, which holds their ends too."""
    from scipy.cluster.hierarchy import linkage as of_scipy

    return of_scipy(y, "single", optimal_ordering=optimal_ordering)


def _tree_of_distances(y: np.ndarray, device: Any, progress: Progress) -> tuple[Any, Any, int]:
    """The minimum spanning tree of the complete graph of all distances."""
    n = _observations(y)
    u, v = np.triu_indices(n, 1)
    at = where(place_for(space_of(y), device), 0, None, progress)
    graph = _core.Graph(at, DTYPES["float64"])
    graph.build(at, u, v, y, n)
    ids = np.empty(n - 1, np.int64)
    graph.forest(at, False, ids, None)
    return np.stack([u[ids], v[ids]], axis=1), y[ids], n


def single(y: Any) -> np.ndarray:
    """Clusters a condensed matrix of distances, or observations, by single linkage: `linkage` with its defaults.

    Examples
    --------
    >>> from boscage.cluster.hierarchy import single
    >>> single([1.0, 5.0, 4.0])
    array([[0., 1., 1., 2.],
           [2., 3., 4., 3.]])
    """
    return linkage(y)


def _dendrogram(Z: Any) -> np.ndarray:
    z = NUMPY.asarray(Z, np.float64)
    if z.ndim != 2 or z.shape[1] != 4:
        raise ValueError("Linkage matrix must have shape (n - 1, 4)")
    return z


def cut(Z: Any, distance: float, *, device: Any = None, progress: Progress = None) -> np.ndarray:
    """Cuts a dendrogram at a distance.

    Parameters
    ----------
    Z : array_like, shape (n - 1, 4)
        A dendrogram of `linkage`, or any of scipy's with distances that do not descend.
    distance : float
        Merges at this distance or less join clusters.
    device, progress
        As those of `boscage.spatial.cKDTree`.

    Returns
    -------
    numpy.ndarray of int64, shape (n,)
        The cluster of each observation. Clusters are numbered from 0 by their first rows.

    Examples
    --------
    >>> from boscage.cluster.hierarchy import cut, linkage
    >>> cut(linkage([[0.0], [5.0], [1.0]]), 1)
    array([0, 1, 0])
    """
    z = _dendrogram(Z)
    labels = np.empty(len(z) + 1, np.int64)
    _core.linkage_cut(where(place_for(NUMPY, device), 0, None, progress), z, len(labels), distance, labels)
    return labels


def cut_tree(Z: Any, n_clusters: Any = None, height: Any = None) -> np.ndarray:
    """Cuts a dendrogram into numbers of clusters, or at heights: `scipy.cluster.hierarchy.cut_tree`.

    Parameters
    ----------
    Z : array_like, shape (n - 1, 4)
        A dendrogram with distances that do not descend.
    n_clusters : array_like of int, optional
        Numbers of clusters: one for each column.
    height : array_like of float, optional
        Heights: merges below join clusters. Neither: every number of clusters from n down to 1.

    Returns
    -------
    numpy.ndarray of int64, shape (n, columns)
        The cluster of each observation. Clusters are numbered from 0 by their first rows.

    Examples
    --------
    >>> from boscage.cluster.hierarchy import cut_tree, linkage
    >>> cut_tree(linkage([[0.0], [5.0], [1.0]]), n_clusters=[1, 2])
    array([[0, 0],
           [0, 1],
           [0, 0]])
    """
    z = _dendrogram(Z).copy()
    n = len(z) + 1
    if height is not None and n_clusters is not None:
        raise ValueError("At least one of either height or n_clusters must be None")
    if height is not None:
        merges = np.searchsorted(z[:, 2], np.atleast_1d(height))
    elif n_clusters is not None:
        merges = n - np.searchsorted(np.arange(n), np.atleast_1d(n_clusters))
    else:
        merges = np.arange(n)
    if not (z[1:, 2] >= z[:-1, 2]).all() or np.isnan(z[:1, 2]).any():
        raise ValueError("Z: the distances descend, or one is NaN")
    z[:, 2] = np.arange(1, n)  # so that a distance is a number of merges
    return np.stack([cut(z, float(count)) for count in merges], axis=1)
