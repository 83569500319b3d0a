"""Structures over ranks: threads with a device each, or processes joined by MPI or PyTorch; with the answers of one.

All calls are collective: every rank makes them, in the same order, each with its slice of the data, of any size. The
slices in the order of the ranks are the input; row i of rank r has the number i + the rows of the ranks below r. A rank
receives the answers of its own queries.

A rank that is lost gives a `ConnectionError` on the others, at once for threads, after the time-out for processes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._arrays import DTYPES, NUMPY, Space, raw, space_of
from ._communicators import Communicator, from_functions, from_mpi, from_torch, run, threads
from ._convert import as_type, integers, reals
from ._numbers import real, whole
from ._points import points_of
from .prims import _numbers, _operation

__all__ = [
    "Communicator",
    "HashMap",
    "KDTree",
    "connected_components",
    "dbscan",
    "emst",
    "from_functions",
    "from_mpi",
    "from_torch",
    "hdbscan",
    "minimum_spanning_forest",
    "reduce",
    "run",
    "scan",
    "sort",
    "sort_pairs",
    "threads",
    "unique",
]

METRICS = {  # of bosc_cluster_metric, and p; None: a parameter
    "euclidean": (0, 2.0),
    "l2": (0, 2.0),
    "manhattan": (0, 1.0),
    "cityblock": (0, 1.0),
    "l1": (0, 1.0),
    "chebyshev": (0, np.inf),
    "minkowski": (0, None),
    "haversine": (1, 2.0),
    "cosine": (2, 2.0),
}
DUPLICATES = {"last": 0, "first": 1, "sum": 2, "min": 3}


class KDTree:
    """A k-d tree of the points of all ranks. Collective, as all its methods.

    Parameters
    ----------
    comm : Communicator
    data : array_like, shape (n, m)
        This rank's points, perhaps none; of one type on all ranks.

    Attributes
    ----------
    n, m : int
        Points of all ranks, and coordinates.
    first_row : int
        The number of this rank's first point.

    Examples
    --------
    >>> from boscage.ranks import KDTree, run
    >>> run(lambda comm: KDTree(comm, [[float(comm.rank)]]).query([[0.9]])[1].tolist(), 2)
    [[1], [1]]
    """

    def __init__(self, comm: Communicator, data: Any):
        space = space_of(data)
        points, self._dtype = points_of(data, None, space)
        self._comm, self.m = comm, int(points.shape[1])
        self._handle = _core.RanksKDTree(comm._at(space), comm._handle, DTYPES[self._dtype], self.m)
        self._build(points, space)

    def _build(self, points: Any, space: Space) -> None:
        self._handle.build(self._comm._at(space), points)
        about = self._handle.info(self._comm._at())
        self.n, self.first_row = about["n"], about["first_row"]

    def rebuild(self, data: Any) -> None:
        """Rebuilds the tree from other points, in its memory."""
        space = space_of(data)
        points, _ = points_of(data, self._dtype, space)
        self._build(points, space)

    def _queries(self, x: Any) -> tuple[Any, Space]:
        space = space_of(x)
        x, _ = points_of(x, self._dtype, space, "x")
        if int(x.shape[1]) != self.m:
            raise ValueError(f"x must consist of vectors of length {self.m} but has shape {tuple(x.shape)}")
        return x, space

    def _distances(self, squares: Any, space: Space) -> Any:
        return space.sqrt(squares)

    def query(self, x: Any, k: int = 1, distance_upper_bound: float = np.inf) -> tuple[Any, Any]:
        """Finds the nearest points, of all ranks, of this rank's queries.

        Parameters
        ----------
        x : array_like, shape (q, m)
        k : int
            The same on all ranks.
        distance_upper_bound : float
            More than 0. Only neighbours nearer than this count; the same on all ranks.

        Returns
        -------
        d, i : array, shape (q, k); (q,) for k = 1
            Distances, infinite where there is no neighbour, and numbers of points, `n` there.
        """
        x, space = self._queries(x)
        k, bound = whole(k, "k"), real(distance_upper_bound, "distance_upper_bound")
        if k < 1:
            raise ValueError("k must be an integer of 1 or more")
        if not bound > 0:
            raise ValueError(f"distance_upper_bound: {bound:g} is not more than 0")
        kind = np.dtype(self._dtype).type
        with np.errstate(over="ignore"):
            radius = float(np.nextafter(kind(bound), kind(-np.inf)))
        q = int(x.shape[0])
        ids, squares = space.empty((q, k), "int64"), space.empty((q, k), self._dtype)
        bounded = bound < np.inf
        self._handle.knn(self._comm._at(space), x, k, radius, bounded, raw(ids), raw(squares))
        d, ids = self._distances(squares, space), space.none_to(ids, self.n)
        return (d.reshape(q), ids.reshape(q)) if k == 1 else (d, ids)

    def query_ball_csr(self, x: Any, r: float, *, return_distance: bool = False) -> tuple[Any, ...]:
        """Finds the points, of all ranks, within r of this rank's queries.

        Parameters
        ----------
        x : array_like, shape (q, m)
        r : float
            The same on all ranks.
        return_distance : bool
            Returns distances too.

        Returns
        -------
        offsets, ids : array
            The points of query j are ``ids[offsets[j]:offsets[j + 1]]``, ascending.
        distances : array
        """
        x, space = self._queries(x)
        at, r = self._comm._at(space), real(r, "r")
        offsets = space.empty(int(x.shape[0]) + 1, "int64")
        self._handle.radius(at, x, r, raw(offsets), None, None)
        total = int(space.host(offsets)[-1])
        ids = space.empty(total, "int64")
        squares = space.empty(total, self._dtype) if return_distance else None
        self._handle.radius(at, x, r, raw(offsets), raw(ids), raw(squares))
        found = space.give(offsets), space.give(ids)
        return (*found, self._distances(squares, space)) if return_distance else found

    def verify(self) -> None:
        """Checks every node against all its ancestors, on any rank; raises a ValueError if the tree is damaged."""
        self._handle.verify(self._comm._at())

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        return f"<boscage.ranks.KDTree of {self.n} points in {self.m} dimensions, {self._comm.size} ranks>"


class HashMap:
    """A map of the integer keys of all ranks to values. Collective, as all its methods.

    Parameters
    ----------
    comm : Communicator
    keys : array_like of int64
        This rank's keys.
    values : array_like
        One number of 64 bits for each.
    duplicates : {"last", "first", "sum", "min"}
        What the value of a key is that comes several times, in the order of the ranks.

    Examples
    --------
    >>> from boscage.ranks import HashMap, run
    >>> run(lambda comm: HashMap(comm, [5, comm.rank], [1.5, 2.0], "sum").get([5, 9], -1).tolist(), 2)
    [[3.0, -1.0], [3.0, -1.0]]
    """

    def __init__(self, comm: Communicator, keys: Any, values: Any, duplicates: str = "last"):
        if duplicates not in DUPLICATES:
            raise ValueError(f"duplicates: {duplicates!r} is not one of {', '.join(DUPLICATES)}")
        self._comm, self._type = comm, None
        keys, values, space = self._pairs(keys, values)
        self._type = space.dtype_name(values)
        opts = (0, 64, 8, DUPLICATES[duplicates], DTYPES[self._type])
        self._handle = _core.RanksHash(comm._at(space), comm._handle, *opts)
        self._handle.build(comm._at(space), keys, values)

    def _pairs(self, keys: Any, values: Any) -> tuple[Any, Any, Space]:
        space = space_of(keys, values)
        keys = integers(keys, "int64", space, "keys")
        if space is NUMPY:
            kind = self._type or np.asarray(values).dtype.name
            kind = kind if kind in ("float64", "uint64") else "float64" if kind.startswith("float") else "int64"
            values = (reals if kind == "float64" else integers)(values, kind, NUMPY, "values")
        if space.dtype_name(values) not in ("int64", "uint64", "float64"):
            raise TypeError(f"values: {space.dtype_name(values)}; numbers of 64 bits are needed")
        if self._type not in (None, space.dtype_name(values)):  # arrays of other libraries keep their type
            raise TypeError(f"values: {space.dtype_name(values)}, but the map has {self._type}")
        if len(keys.shape) != 1 or tuple(values.shape) != tuple(keys.shape):
            raise ValueError("values: not one for each key")
        return keys, values, space

    def insert(self, keys: Any, values: Any) -> None:
        """Adds the pairs of all ranks."""
        keys, values, space = self._pairs(keys, values)
        self._handle.insert(self._comm._at(space), keys, values)

    def find(self, keys: Any) -> tuple[Any, Any]:
        """Looks this rank's keys up: values, zero where a key is absent, and which are present."""
        keys, space = _keys(keys)
        values, found = space.empty(int(keys.shape[0]), self._type), space.empty(int(keys.shape[0]), "uint8")
        self._handle.find(self._comm._at(space), keys, 8, raw(values), raw(found))
        return space.give(values), space.give(found) != 0

    def get(self, keys: Any, default: Any = 0) -> Any:
        """Looks this rank's keys up; `default` stands for absent ones."""
        default = as_type(np.asarray(default), self._type, "default", True)
        values, found = self.find(keys)
        return space_of(keys).choose(found, values, default.item())

    def discard(self, keys: Any) -> int:
        """Removes the keys that any rank names, and returns how many were there."""
        keys, space = _keys(keys)
        return self._handle.erase(self._comm._at(space), keys)

    def count(self) -> int:
        """Counts the keys of all ranks."""
        return self._handle.info(self._comm._at())["keys"]


def _keys(keys: Any) -> tuple[Any, Space]:
    space = space_of(keys)
    keys = integers(keys, "int64", space, "keys")
    if len(keys.shape) != 1:
        raise ValueError("keys: not an array of 1 dimension")
    return keys, space


def _slice(x: Any, name: str) -> tuple[Any, Space]:
    space = space_of(x)
    return _numbers(x, space, name), space


def reduce(comm: Communicator, x: Any, op: str = "sum") -> Any:
    """Reduces the slices of all ranks to one number, which all receive.

    Parameters
    ----------
    comm : Communicator
    x, op
        As those of `boscage.prims.reduce`.

    Returns
    -------
    scalar of NumPy, or array of one element of another library

    Examples
    --------
    >>> from boscage.ranks import reduce, run
    >>> run(lambda comm: int(reduce(comm, [comm.rank, 7], "max")), 2)
    [7, 7]
    """
    x, space = _slice(x, "x")
    out = space.empty(1, space.dtype_name(x))
    _core.ranks_reduce(comm._at(space), comm._handle, _operation(op), x, raw(out))
    return out[0] if space is NUMPY else space.give(out)


def scan(comm: Communicator, x: Any, op: str = "sum", *, exclusive: bool = False) -> Any:
    """Scans the slices of all ranks in their order.

    Parameters
    ----------
    comm : Communicator
    x, op, exclusive
        As those of `boscage.prims.scan`.

    Returns
    -------
    array
        The results of this rank's elements.

    Examples
    --------
    >>> from boscage.ranks import run, scan
    >>> run(lambda comm: scan(comm, [1, 1]).tolist(), 2)
    [[1, 2], [3, 4]]
    """
    x, space = _slice(x, "x")
    out = space.empty(int(x.shape[0]), space.dtype_name(x))
    _core.ranks_scan(comm._at(space), comm._handle, _operation(op), bool(exclusive), x, raw(out))
    return space.give(out)


def sort(comm: Communicator, x: Any) -> Any:
    """Sorts the numbers of all ranks: the results in the order of the ranks ascend; each rank keeps its size.

    Parameters
    ----------
    comm : Communicator
    x : array_like
        This rank's numbers.

    Returns
    -------
    array

    Examples
    --------
    >>> from boscage.ranks import run, sort
    >>> run(lambda comm: sort(comm, [[9, 1], [4, 0, 7]][comm.rank]).tolist(), 2)
    [[0, 1], [4, 7, 9]]
    """
    x, space = _slice(x, "x")
    out = space.empty(int(x.shape[0]), space.dtype_name(x))
    _core.ranks_sort(comm._at(space), comm._handle, x, None, raw(out), None)
    return space.give(out)


def sort_pairs(comm: Communicator, keys: Any, values: Any) -> tuple[Any, Any]:
    """Sorts keys of all ranks stably, and moves an integer with each.

    Parameters
    ----------
    comm : Communicator
    keys : array_like
        This rank's keys.
    values : array_like of int64
        As many.

    Returns
    -------
    keys, values : array

    Examples
    --------
    >>> from boscage.ranks import run, sort_pairs
    >>> run(lambda comm: sort_pairs(comm, [2 - comm.rank], [comm.rank])[1].tolist(), 2)
    [[1], [0]]
    """
    keys, space = _slice(keys, "keys")
    values = integers(values, "int64", space, "values")
    if tuple(values.shape) != tuple(keys.shape):
        raise ValueError("values: not as many as keys")
    n = int(keys.shape[0])
    out, moved = space.empty(n, space.dtype_name(keys)), space.empty(n, "int64")
    _core.ranks_sort(comm._at(space), comm._handle, keys, values, raw(out), raw(moved))
    return space.give(out), space.give(moved)


def unique(comm: Communicator, keys: Any) -> tuple[Any, Any, int]:
    """Numbers the distinct keys of all ranks by their first occurrence.

    Parameters
    ----------
    comm : Communicator
    keys : array_like of int64
        This rank's keys.

    Returns
    -------
    ids : array
        The number of each key.
    first : array
        The keys that occur first on this rank; the ranks' lists in their order are all keys by number.
    total : int
        Their number.

    Examples
    --------
    >>> from boscage.ranks import run, unique
    >>> run(lambda comm: unique(comm, [[7, 5, 7], [5, 8]][comm.rank])[0].tolist(), 2)
    [[0, 1, 0], [1, 2]]
    """
    keys, space = _keys(keys)
    n = int(keys.shape[0])
    ids, first = space.empty(n, "int64"), space.empty(n, "int64")
    count, total = _core.ranks_unique(comm._at(space), comm._handle, keys, raw(ids), raw(first))
    return space.give(ids), space.give(first)[:count], total


def emst(comm: Communicator, points: Any, *, p: float = 2, min_samples: int = 0) -> tuple[Any, Any]:
    """Finds the minimum spanning tree of the points of all ranks.

    Parameters
    ----------
    comm : Communicator
    points : array_like, shape (n, m)
        This rank's points.
    p : float, default 2
        The order of Minkowski distances, 1 or more; others than 2 are computed in double. The same on all ranks.
    min_samples : int, default 0
        Not 0: distances are under mutual reachability, computed in double. The same on all ranks.

    Returns
    -------
    pairs : array, shape (e, 2)
        This rank's part of the edges, by the numbers of points; the parts in the order of the ranks are the list that
        `boscage.spatial.emst` returns.
    lengths : array, shape (e,)

    Examples
    --------
    >>> from boscage.ranks import emst, run
    >>> run(lambda comm: emst(comm, [[[0.0], [5.0]], [[1.0]]][comm.rank])[0].tolist(), 2)
    [[[0, 2], [1, 2]], []]
    """
    space = space_of(points)
    points, dtype = points_of(points, None, space, "points")
    n, order, samples = int(points.shape[0]), real(p, "p"), whole(min_samples, "min_samples")
    pairs = space.empty((n, 2), "int64")
    if order != 2 or samples != 0:
        lengths = space.empty(n, "float64")
        at = comm._at(space)
        count = _core.ranks_emst_minkowski(at, comm._handle, points, order, samples, raw(pairs), raw(lengths))
        return space.give(pairs)[:count], space.give(lengths)[:count]
    squares = space.empty(n, dtype)
    count = _core.ranks_emst(comm._at(space), comm._handle, points, raw(pairs), raw(squares))
    return space.give(pairs)[:count], space.sqrt(squares)[:count]


def dbscan(comm: Communicator, points: Any, eps: float, min_samples: int) -> tuple[Any, Any]:
    """Finds the clusters of the points of all ranks by density.

    Parameters
    ----------
    comm : Communicator
    points : array_like, shape (n, m)
        This rank's points.
    eps, min_samples
        As those of `boscage.cluster.DBSCAN`.

    Returns
    -------
    labels : array
        Of this rank's points; -1: noise.
    core : array of bool

    Examples
    --------
    >>> from boscage.ranks import dbscan, run
    >>> run(lambda comm: dbscan(comm, [[comm.rank / 2], [9.0 * comm.rank]], 1.0, 2)[0].tolist(), 2)
    [[0, 0], [0, -1]]
    """
    space = space_of(points)
    points, _ = points_of(points, None, space, "points")
    labels, core = space.empty(int(points.shape[0]), "int64"), space.empty(int(points.shape[0]), "uint8")
    samples = whole(min_samples, "min_samples")
    _core.ranks_dbscan(comm._at(space), comm._handle, points, real(eps, "eps"), samples, raw(labels), raw(core))
    return space.give(labels), space.give(core) != 0


def _count(x: Any, name: str) -> int:
    """A count for the library, which checks it so that all ranks fail. -1 for 0, which would mean its default."""
    return whole(x, name) or -1


def hdbscan(
    comm: Communicator,
    points: Any,
    min_cluster_size: int = 5,
    min_samples: int | None = None,
    cluster_selection_epsilon: float = 0.0,
    max_cluster_size: int | None = None,
    metric: str = "euclidean",
    cluster_selection_method: str = "eom",
    allow_single_cluster: bool = False,
    p: float = 2,
) -> tuple[Any, Any]:
    """Finds the clusters of varying density of the points of all ranks.

    Parameters
    ----------
    comm : Communicator
    points : array_like, shape (n, m)
        This rank's points.
    min_cluster_size, min_samples, cluster_selection_epsilon, max_cluster_size, cluster_selection_method
        As those of `boscage.cluster.HDBSCAN`, and `allow_single_cluster`; the same on all ranks.
    metric : {"euclidean", "manhattan", "chebyshev", "minkowski", "haversine", "cosine", "l1", "l2", "cityblock"}
    p : float, default 2
        The order of "minkowski", 1 or more.

    Returns
    -------
    labels : array
        Of this rank's points; -1: noise.
    probabilities : array
        0 for noise.

    Examples
    --------
    >>> from boscage.ranks import hdbscan, run
    >>> x = [[[0.0], [0.2], [0.4], [9.0]], [[0.1], [9.1], [9.3]]]
    >>> run(lambda comm: hdbscan(comm, x[comm.rank], 3, 2)[0].tolist(), 2)
    [[0, 0, 0, 1], [0, 1, 1]]
    """
    if metric not in METRICS:
        raise ValueError(f"metric: {metric!r} is none of {', '.join(METRICS)}")
    if cluster_selection_method not in ("eom", "leaf"):
        raise ValueError(f"cluster_selection_method: {cluster_selection_method!r} is neither 'eom' nor 'leaf'")
    kind, order = METRICS[metric]
    # -1 for 0, which would mean the default: the library checks p so that all ranks fail.
    order = (real(p, "p") or -1.0) if order is None else order
    space = space_of(points)
    points, _ = points_of(points, None, space, "points")
    n = int(points.shape[0])
    labels, probabilities = space.empty(n, "int64"), space.empty(n, "float64")
    _core.ranks_hdbscan(
        comm._at(space),
        comm._handle,
        points,
        kind,
        order,
        _count(min_cluster_size, "min_cluster_size"),
        0 if min_samples is None else _count(min_samples, "min_samples"),
        cluster_selection_method == "leaf",
        real(cluster_selection_epsilon, "cluster_selection_epsilon"),
        0 if max_cluster_size is None else _count(max_cluster_size, "max_cluster_size"),
        bool(allow_single_cluster),
        raw(labels),
        raw(probabilities),
    )
    return space.give(labels), space.give(probabilities)


def _graph(comm: Communicator, n: int, edges: Any, weights: Any) -> tuple[Any, int]:
    """This rank's graph of all vertices and its own edges, and the number of these."""
    edges = integers(edges, "int64", NUMPY, "edges") if np.size(edges) else np.zeros((0, 2), np.int64)
    if edges.ndim != 2 or edges.shape[1] != 2:
        raise ValueError("edges: not rows of two vertices")
    weights = np.ones(len(edges)) if weights is None else reals(weights, "float64", NUMPY, "weights")
    if weights.shape != (len(edges),):
        raise ValueError("weights: not one for each edge")
    graph = _core.Graph(comm._at(), DTYPES["float64"])
    ends = np.ascontiguousarray(edges[:, 0]), np.ascontiguousarray(edges[:, 1])
    graph.build(comm._at(), *ends, weights, n)
    return graph, len(edges)


def minimum_spanning_forest(
    comm: Communicator, n: int, edges: Any, weights: Any = None, *, maximum: bool = False
) -> tuple[np.ndarray, float]:
    """Finds the minimum spanning forest of the edges of all ranks.

    Parameters
    ----------
    comm : Communicator
    n : int
        Vertices, the same on all ranks.
    edges : array_like of int, shape (m, 2)
        This rank's edges.
    weights : array_like, shape (m,), optional
    maximum : bool
        Finds the maximum forest.

    Returns
    -------
    edges : array of int64
        This rank's edges in the forest, by their numbers over all ranks, ascending.
    weight : float
        Of the whole forest.

    Examples
    --------
    >>> from boscage.ranks import minimum_spanning_forest, run
    >>> sides = [([[0, 1], [1, 2]], [1.0, 5.0]), ([[0, 2]], [2.0])]
    >>> run(lambda comm: minimum_spanning_forest(comm, 3, *sides[comm.rank])[0].tolist(), 2)
    [[0], [2]]
    """
    n = whole(n, "n")
    graph, m = _graph(comm, n, edges, weights)
    ids = np.empty(min(max(n - 1, 0), m), np.int64)
    count, _, weight = _core.ranks_forest(comm._at(), comm._handle, graph, bool(maximum), ids, None)
    return ids[:count], weight


def connected_components(comm: Communicator, n: int, edges: Any) -> tuple[int, np.ndarray]:
    """Finds the connected components of the edges of all ranks.

    Parameters
    ----------
    comm : Communicator
    n : int
        Vertices, the same on all ranks.
    edges : array_like of int, shape (m, 2)
        This rank's edges.

    Returns
    -------
    count : int
    labels : array of int64, shape (n,)
        The smallest vertex in the component of each vertex, the same on all ranks.

    Examples
    --------
    >>> from boscage.ranks import connected_components, run
    >>> run(lambda comm: connected_components(comm, 4, [[comm.rank, comm.rank + 1]])[0], 2)
    [2, 2]
    """
    n = whole(n, "n")
    graph, _ = _graph(comm, n, edges, None)
    labels = np.empty(n, np.int64)
    return _core.ranks_components(comm._at(), comm._handle, graph, labels), labels
