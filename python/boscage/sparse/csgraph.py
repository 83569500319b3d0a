"""Spanning trees, components, shortest paths and searches of sparse graphs, with the interface of `scipy.sparse.csgraph`."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components as _of_scipy
from scipy.sparse.csgraph import dijkstra as _dijkstra_of_scipy
from scipy.sparse.csgraph import shortest_path as _shortest_path_of_scipy

from .. import _core
from .._arrays import DTYPES, NUMPY, Space, place_for, raw, space_of
from .._where import Progress, where

__all__ = [
    "minimum_spanning_tree",
    "connected_components",
    "verify_spanning_tree",
    "dijkstra",
    "shortest_path",
    "breadth_first_order",
]

NO_PREDECESSOR = -9999  # as in scipy
NAN_LAST = 2  # as a sort of the weights has it


def _as_words(indices: Any) -> Any:
    """Indices or offsets of scipy's matrices: uint32 in place of int32, without a copy; others as int64."""
    if indices.dtype == np.int32:
        return np.ascontiguousarray(indices).view(np.uint32)
    return np.ascontiguousarray(indices, np.int64)


class _Csr:
    """The rows of a graph, of scipy or of CuPy, with float64 weights."""

    def __init__(self, csgraph: Any, weights: bool = True):
        self.given = csgraph
        if type(csgraph).__module__.startswith("cupyx"):
            matrix = csgraph.tocsr()
            self.space: Space = space_of(matrix.data)
        else:
            matrix = self._of_scipy(csgraph)
            self.space = NUMPY
        if len(matrix.shape) != 2:
            raise ValueError("compressed-sparse graph must be 2-D")
        if matrix.shape[0] != matrix.shape[1]:
            raise ValueError("compressed-sparse graph must be shape (N, N)")
        self.matrix = matrix
        self.n = int(matrix.shape[0])
        self.weights = None
        if weights:
            self.weights = self.space.asarray(matrix.data, "float64")

    @staticmethod
    def _of_scipy(csgraph: Any) -> Any:
        from scipy import sparse
        from scipy.sparse.csgraph import csgraph_from_dense, csgraph_from_masked

        if sparse.issparse(csgraph):
            matrix = csgraph.tocsr()
            if np.iscomplexobj(matrix):  # as scipy, with a ComplexWarning
                matrix = matrix.astype(np.float64)
            if csgraph.format == "bsr":
                matrix.eliminate_zeros()  # which fill its blocks
            return matrix
        if np.ma.isMaskedArray(csgraph):
            return csgraph_from_masked(csgraph)
        if hasattr(csgraph, "to_scipy_sparse"):
            return csgraph.to_scipy_sparse().tocsr()
        return csgraph_from_dense(csgraph)

    def edges(self) -> tuple[Any, Any]:
        """The ends of each entry, of scipy's matrices."""
        v = _as_words(self.matrix.indices)
        return np.repeat(np.arange(self.n, dtype=v.dtype), np.diff(self.matrix.indptr)), v

    def forest(self, at: Any) -> tuple[Any, Any]:
        """The entries of the forest, ascending, and the ends of its rows among them."""
        most = min(max(self.n - 1, 0), len(self.weights))
        if self.space is NUMPY:
            u, v = self.edges()
            ids = np.empty(most, u.dtype)
            ids = ids[: _core.edges_forest(at, u, v, self.weights, self.n, NAN_LAST, ids)]
            if len(ids) == len(self.weights):  # the graph is a forest
                return slice(None), self.matrix.indptr
            offsets = np.zeros(self.n + 1, np.int64)
            np.cumsum(np.bincount(u[ids], minlength=self.n), out=offsets[1:])
            return ids, offsets
        ids = self.space.empty(most, "int64")
        ids = ids[: self.graph(at).forest(at, False, raw(ids), None)[0]]
        return ids, self.space.xp.searchsorted(ids, self.offsets)  # type: ignore[attr-defined]

    @property
    def offsets(self) -> Any:
        return self.space.asarray(self.matrix.indptr, "int64")

    def components(self, at: Any, labels: bool) -> tuple[int, Any]:
        """The number of components, and the smallest vertex of each vertex's."""
        if self.space is NUMPY:
            u, v = self.edges()
            out = np.empty(self.n, u.dtype) if labels else None
            return _core.edges_components(at, u, v, self.n, out), out
        out = self.space.empty(self.n, "int64") if labels else None
        return self.graph(at).components(at, raw(out)), out

    def graph(self, at: Any) -> Any:
        graph = _core.Graph(at, DTYPES["float64"], nan=NAN_LAST)
        graph.build_rows(at, self.offsets, self.space.asarray(self.matrix.indices, "int64"), self.weights)
        return graph


def minimum_spanning_tree(
    csgraph: Any, overwrite: bool = False, *, device: Any = None, progress: Progress = None
) -> Any:
    """Finds a minimum spanning tree of an undirected graph, or one of each of its components.

    Parameters
    ----------
    csgraph : array_like or sparse matrix, shape (n, n)
        Weights of the edges, real. Entry (i, j) is an edge between i and j; of (i, j) and (j, i) the lighter one
        counts. Matrices of CuPy stay on their device.
    overwrite : bool
        Ignored.
    device : str, optional
        ``"cpu"`` or ``"cuda"``.
    progress : callable, optional
        Called with the stage and the fraction done.

    Returns
    -------
    csr_array or csr_matrix, shape (n, n)
        The graph's entries in the tree; ties go to the earlier entry. As in scipy, edges of
        weight 0 are not stored.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from boscage.sparse.csgraph import minimum_spanning_tree
    >>> minimum_spanning_tree(csr_array([[0, 8, 3], [0, 0, 5], [0, 0, 0]])).toarray()
    array([[0., 0., 3.],
           [0., 0., 5.],
           [0., 0., 0.]])
    """
    g = _Csr(csgraph)
    at = where(place_for(g.space, device), g.space.stream(), None, progress)
    return _selected(g, *g.forest(at))


def _selected(g: _Csr, ids: Any, offsets: Any) -> Any:
    """The matrix of some entries, which ascend."""
    if g.space is NUMPY:
        from scipy.sparse import csr_array, csr_matrix, issparse, sparray

        is_matrix = (issparse(g.given) and not isinstance(g.given, sparray)) or isinstance(g.given, np.matrix)
        kind = csr_matrix if is_matrix else csr_array
    else:
        from cupyx.scipy.sparse import csr_matrix as kind
    index = np.int32 if g.n < 2**31 - 1 else np.int64
    weights = g.weights[ids].copy() if isinstance(ids, slice) else g.weights[ids]
    tree = kind((weights, g.matrix.indices[ids].astype(index), offsets.astype(index)), shape=(g.n, g.n))
    if not weights.all():
        tree.eliminate_zeros()
    return tree


def connected_components(
    csgraph: Any,
    directed: bool = True,
    connection: str = "weak",
    return_labels: bool = True,
    *,
    device: Any = None,
    progress: Progress = None,
) -> Any:
    """Finds the connected components of a graph.

    Parameters
    ----------
    csgraph : array_like or sparse matrix, shape (n, n)
        Entry (i, j) is an edge between i and j.
    directed : bool
        Matters for strong components alone.
    connection : {"weak", "strong"}
        Strong components of a directed graph are left to scipy.
    return_labels : bool
        Returns the labels too.
    device, progress
        As those of `minimum_spanning_tree`.

    Returns
    -------
    n_components : int
    labels : array of int32, shape (n,)
        The component of each vertex; components are numbered in the order of their first vertices.

    Examples
    --------
    >>> from boscage.sparse.csgraph import connected_components
    >>> connected_components([[0, 0, 1], [0, 0, 0], [0, 0, 0]])
    (2, array([0, 1, 0], dtype=int32))
    """
    if connection.lower() not in ("weak", "strong"):
        raise ValueError("connection must be 'weak' or 'strong'")
    if directed and connection.lower() == "strong":
        return _of_scipy(csgraph, directed, connection, return_labels)
    g = _Csr(csgraph, weights=False)
    at = where(place_for(g.space, device), g.space.stream(), None, progress)
    count, labels = g.components(at, return_labels)
    if labels is None:
        return count
    xp: Any = np if g.space is NUMPY else g.space.xp  # type: ignore[attr-defined]
    number = xp.cumsum(labels == xp.arange(g.n), dtype=np.int32)
    return count, number[labels] - np.int32(1)


def verify_spanning_tree(csgraph: Any, tree: Any, *, device: Any = None, progress: Progress = None) -> None:
    """Proves that a tree is a minimum spanning tree of a graph, or a forest one of each of its components.

    Parameters
    ----------
    csgraph : array_like or sparse matrix, shape (n, n)
        The graph, as `minimum_spanning_tree` takes it.
    tree : array_like or sparse matrix, shape (n, n)
        Entries (i, j) of the graph, or (j, i), with their weights. Any minimum spanning tree passes, whichever edges of
        equal weight it has. It must store edges of weight 0.
    device, progress
        As those of `minimum_spanning_tree`.

    Raises
    ------
    ValueError
        With the reason, if it is none.

    Examples
    --------
    >>> from boscage.sparse.csgraph import minimum_spanning_tree, verify_spanning_tree
    >>> graph = [[0, 8, 3], [0, 0, 5], [0, 0, 0]]
    >>> verify_spanning_tree(graph, minimum_spanning_tree(graph))
    >>> verify_spanning_tree(graph, [[0, 8, 3], [0, 0, 0], [0, 0, 0]])
    Traceback (most recent call last):
      ...
    ValueError: edge 2: it is not given, but lighter than an edge given between its ends
    """
    g, t = _Csr(csgraph), _Csr(tree)
    if g.space is not NUMPY or t.space is not NUMPY:
        raise TypeError("verify_spanning_tree: matrices in host memory are needed")
    if g.n != t.n:
        raise ValueError(f"tree: of {t.n} vertices, the graph of {g.n}")
    u, v, w = _edges(g)
    ids = _entries_of(u, v, w, *_edges(t), g.n)
    others = np.ones(len(u), bool)  # edges of the tree come first, so that they win against others of their weight
    others[ids] = False
    order = np.concatenate([ids, np.flatnonzero(others)])
    at = where(place_for(NUMPY, device), 0, None, progress)
    graph = _core.Graph(at, DTYPES["float64"], nan=NAN_LAST)
    graph.build(at, u[order], v[order], w[order], g.n)
    graph.verify(at, False, np.arange(len(ids)))


def _edges(g: _Csr) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Entries with the smaller vertex first."""
    u, v = (ends.astype(np.int64) for ends in g.edges())
    return np.minimum(u, v), np.maximum(u, v), g.weights  # type: ignore[return-value]


def _entries_of(u: Any, v: Any, w: Any, a: Any, b: Any, c: Any, n: int) -> np.ndarray:
    """For each edge (a, b) of weight c a different entry of the graph that is it."""
    order = np.lexsort((w, v, u))
    asked = np.lexsort((c, b, a))
    kind = np.dtype([("u", np.int64), ("v", np.int64), ("w", np.float64)])

    def records(*columns: Any) -> np.ndarray:
        out = np.empty(len(columns[0]), kind)
        out["u"], out["v"], out["w"] = columns
        return out

    have, want = records(u[order], v[order], w[order]), records(a[asked], b[asked], c[asked])
    at = np.searchsorted(have, want)
    repeat = np.arange(len(want)) - np.searchsorted(want, want)  # the i-th of equal ones is the i-th of the graph
    at = at + repeat
    bad = at >= len(have)
    bad[~bad] = have[at[~bad]] != want[~bad]
    if bad.any():
        first = want[bad][0]
        raise ValueError(f"tree: no entry of the graph is ({first['u']}, {first['v']}) with weight {first['w']}")
    return order[at]


# ---- shortest paths ----


def _rows_both_ways(matrix: Any) -> Any:
    """The rows of a matrix and of its transpose together: (offsets, neighbours, weights); a symmetric matrix has both."""
    other = matrix.T.tocsr()
    if all(np.array_equal(getattr(matrix, name), getattr(other, name)) for name in ("indptr", "indices", "data")):
        return matrix.indptr, matrix.indices, matrix.data
    begin, others = matrix.indptr.astype(np.int64), other.indptr.astype(np.int64)
    m = len(matrix.data)
    at = np.arange(m) + np.repeat(others[:-1], np.diff(begin))
    at_other = np.arange(m) + np.repeat(begin[1:], np.diff(others))
    neighbours, weights = np.empty(2 * m, matrix.indices.dtype), np.empty(2 * m)
    neighbours[at], neighbours[at_other] = matrix.indices, other.indices
    weights[at], weights[at_other] = matrix.data, other.data
    return begin + others, neighbours, weights


class _Paths:
    """The rows of a matrix of scipy, and paths along them."""

    def __init__(self, g: _Csr, directed: bool, unweighted: bool, at: Any):
        m = g.matrix
        offsets, neighbours, weights = (m.indptr, m.indices, g.weights) if directed else _rows_both_ways(m)
        self.offsets, self.neighbours = _as_words(offsets), _as_words(neighbours)
        self.weights = None if unweighted else np.ascontiguousarray(weights, np.float64)
        self.n, self.at = g.n, at

    def find(self, sources: np.ndarray, each: bool, limit: float, trees: int) -> list[np.ndarray]:
        """Distances, and with 1 or 2 trees predecessors, and the nearest sources; a row of each source, or one row."""
        ids, shape = self.neighbours.dtype, (len(sources) if each else 1, self.n)
        kind = np.uint64 if self.weights is None else np.float64
        distances, found = np.empty(shape, kind), [np.empty(shape, ids) for _ in range(trees)]
        most = None if limit == np.inf else np.array([limit if kind == np.float64 else min(limit, self.n)], kind)
        rows = self.offsets, self.neighbours, self.weights
        outputs = distances, *found, *[None] * (2 - trees)
        _core.rows_paths(self.at, *rows, sources.astype(ids), each, most, *outputs)
        return [_as_doubles(distances), *map(_of_ids, found)]


def _as_doubles(distances: np.ndarray) -> np.ndarray:
    """Distances in arcs as doubles, infinite where no path leads."""
    if distances.dtype == np.float64:
        return distances
    unreached = distances == np.iinfo(np.uint64).max
    doubles = distances.astype(np.float64)
    np.copyto(doubles, np.inf, where=unreached)
    return doubles


def _of_ids(ids: np.ndarray) -> np.ndarray:
    """Vertices as scipy's: of 32 bits. Ids of 32 bits are changed in place: none is their largest number."""
    if ids.dtype == np.uint32:
        return np.minimum(ids, np.uint32(2**32 + NO_PREDECESSOR), out=ids).view(np.int32)
    out = ids.astype(np.int32)
    out[out < 0] = NO_PREDECESSOR
    return out


def _sources(indices: Any, n: int) -> np.ndarray:
    """The sources, as scipy checks them."""
    if indices is None:
        return np.arange(n)
    sources = np.array(indices, np.int64, copy=True).reshape(-1)
    sources[sources < 0] += n
    if np.any(sources < 0) or np.any(sources >= n):
        raise ValueError("indices out of range 0...N")
    return sources


def dijkstra(
    csgraph: Any,
    directed: bool = True,
    indices: Any = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    limit: float = np.inf,
    min_only: bool = False,
    *,
    device: Any = None,
    progress: Progress = None,
) -> Any:
    """Finds shortest paths in a graph without negative lengths.

    Parameters
    ----------
    csgraph : array_like or sparse matrix, shape (n, n)
        Entry (i, j) is the length of an arc from i to j. A graph with negative or NaN lengths is left to scipy.
    directed : bool
        If False, arcs are walked both ways.
    indices : array_like or int, optional
        The sources; all vertices if None.
    return_predecessors : bool
        Returns the predecessors too.
    unweighted : bool
        All lengths are 1.
    limit : float
        Vertices at larger distances are not reached.
    min_only : bool
        Paths begin at the nearest source.
    device, progress
        As those of `minimum_spanning_tree`.

    Returns
    -------
    dist_matrix : array, shape ([n_sources,] n)
        Distances; inf where no path leads.
    predecessors : array of int32, shape ([n_sources,] n)
        The vertex before the last arc of a path; -9999 for sources and without a path. Of equal paths the predecessor
        is the smallest, which may not be scipy's.
    sources : array of int32, shape (n,)
        With ``min_only``: the nearest source, or -9999.

    Examples
    --------
    >>> from boscage.sparse.csgraph import dijkstra
    >>> dijkstra([[0, 4, 1], [0, 0, 0], [0, 2, 0]], indices=0)
    array([0., 3., 1.])
    """
    g = _Csr(csgraph)
    if g.space is not NUMPY:
        raise TypeError("dijkstra: a matrix in host memory is needed")
    limit = float(limit)
    if not limit >= 0:
        return _dijkstra_of_scipy(csgraph, directed, indices, return_predecessors, unweighted, limit, min_only)
    at = where(place_for(NUMPY, device), 0, None, progress)
    try:
        return _find(_Paths(g, directed, unweighted, at), indices, return_predecessors, limit, min_only)
    except ValueError:
        if unweighted or _are_lengths(g):
            raise
        return _dijkstra_of_scipy(csgraph, directed, indices, return_predecessors, unweighted, limit, min_only)


def _are_lengths(g: _Csr) -> bool:
    """True if no weight is negative or NaN."""
    return bool((g.weights >= 0).all())  # type: ignore[operator]


def _find(paths: _Paths, indices: Any, return_predecessors: bool, limit: float = np.inf, min_only: bool = False) -> Any:
    """The results of dijkstra."""
    sources = _sources(indices, paths.n)
    trees = (2 if min_only else 1) if return_predecessors else 0
    found = paths.find(sources, not min_only, limit, trees)
    shape = (paths.n,) if min_only else (*(sources.shape if indices is None else np.shape(indices)), paths.n)
    results = tuple(array.reshape(shape) for array in found)
    return results if return_predecessors else results[0]


def shortest_path(
    csgraph: Any,
    method: str = "auto",
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: Any = None,
    *,
    device: Any = None,
    progress: Progress = None,
) -> Any:
    """Finds shortest paths in a graph.

    Parameters
    ----------
    csgraph, directed, return_predecessors, unweighted, indices, device, progress
        As those of `dijkstra`.
    method : {"auto", "D", "FW", "BF", "J"}
        Other methods than "auto" and "D", and graphs with negative lengths, are left to scipy.
    overwrite : bool
        For scipy's "FW" alone.

    Returns
    -------
    dist_matrix, predecessors
        As those of `dijkstra`.

    Examples
    --------
    >>> from boscage.sparse.csgraph import shortest_path
    >>> shortest_path([[0, 4, 1], [0, 0, 0], [0, 2, 0]])
    array([[ 0.,  3.,  1.],
           [inf,  0., inf],
           [inf,  2.,  0.]])
    """
    # scipy's own method for masked arrays is "FW", which takes them otherwise than "D" does
    chosen = "FW" if method == "auto" and np.ma.isMaskedArray(csgraph) else method
    g = _Csr(csgraph) if chosen in ("auto", "D") else None
    if g is not None and g.space is NUMPY:
        at = where(place_for(NUMPY, device), 0, None, progress)
        try:
            return _find(_Paths(g, directed, unweighted, at), indices, return_predecessors)
        except ValueError:
            if unweighted or _are_lengths(g):
                raise
    return _shortest_path_of_scipy(csgraph, method, directed, return_predecessors, unweighted, overwrite, indices)


def breadth_first_order(
    csgraph: Any,
    i_start: int,
    directed: bool = True,
    return_predecessors: bool = True,
    *,
    device: Any = None,
    progress: Progress = None,
) -> Any:
    """Lists vertices in the order of a breadth-first search.

    Parameters
    ----------
    csgraph : array_like or sparse matrix, shape (n, n)
        Entry (i, j) is an arc from i to j.
    i_start : int
        The vertex where the search begins.
    directed : bool
        If False, arcs are walked both ways.
    return_predecessors : bool
        Returns the predecessors too.
    device, progress
        As those of `minimum_spanning_tree`.

    Returns
    -------
    node_array : array of int32
        The vertices reached, in scipy's order.
    predecessors : array of int32, shape (n,)
        The vertex from which the search reached each; -9999 for i_start and vertices not reached.

    Examples
    --------
    >>> from boscage.sparse.csgraph import breadth_first_order
    >>> breadth_first_order([[0, 0, 1], [0, 0, 0], [0, 1, 0]], 0)
    (array([0, 2, 1], dtype=int32), array([-9999,     2,     0], dtype=int32))
    """
    g = _Csr(csgraph, weights=False)
    if g.space is not NUMPY:
        raise TypeError("breadth_first_order: a matrix in host memory is needed")
    at = where(place_for(NUMPY, device), 0, None, progress)
    paths = _Paths(g, directed, True, at)
    order = np.empty(g.n, paths.neighbours.dtype)
    predecessors = np.empty_like(order) if return_predecessors else None
    count = _core.rows_order(at, paths.offsets, paths.neighbours, operator.index(i_start), order, predecessors)
    listed = _of_ids(order[:count])
    return listed if predecessors is None else (listed, _of_ids(predecessors))
