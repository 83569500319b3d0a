"""Spanning trees and components of sparse graphs, with the interface of `scipy.sparse.csgraph`."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components as _of_scipy

from .. import _core
from .._arrays import DTYPES, NUMPY, Space, place_for, raw, space_of
from .._where import Progress, where

__all__ = ["minimum_spanning_tree", "connected_components", "verify_spanning_tree"]

NAN_LAST = 2  # as a sort of the weights has it


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
        """The ends of each entry, of scipy's matrices: of 32 bits where the indices have them, which are not copied."""
        small = self.matrix.indices.dtype == np.int32
        v = np.ascontiguousarray(self.matrix.indices, np.int32 if small else np.int64)
        ids = np.uint32 if small else np.int64
        return np.repeat(np.arange(self.n, dtype=ids), np.diff(self.matrix.indptr)), v.view(ids)

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

        kind = csr_matrix if issparse(g.given) and not isinstance(g.given, sparray) else csr_array
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
