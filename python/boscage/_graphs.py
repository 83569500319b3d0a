"""The points of a k-d tree as its queries: neighbours of each point, and graphs of them."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._arrays import raw
from ._convert import real_array
from ._locks import reading
from ._numbers import tolerance, whole
from ._pairs import Pairs
from ._points import norm
from ._where import Progress, where


class NeighbourGraphs(Pairs):
    """Neighbours of the points of k-d trees among themselves."""

    def _below(self, bound: Any, p: float) -> np.ndarray:
        """The largest distances below a bound; roots of float32 are compared as float32."""
        single = self._dtype == "float32" and p == 2 and self._periods is None
        with np.errstate(over="ignore"):
            return np.nextafter(np.asarray(bound, np.float32 if single else np.float64), -np.inf).astype(np.float64)

    def _own_neighbours(self, k: Any, exclude_self: bool, eps: float, p: float, bound: Any, at: Any) -> tuple[Any, Any]:
        """The k nearest points of each point: ids, -1 where there is none, and distances."""
        k = whole(k, "k")
        if k < 1:
            raise ValueError("k must be an integer of 1 or more")
        limits = np.asarray(real_array(bound, "distance_upper_bound"))
        if limits.ndim > 1 or (limits.ndim == 1 and len(limits) != self._n):
            raise ValueError("distance_upper_bound: neither one number nor one for each point")
        bounds = None if np.isposinf(limits).all() else np.ravel(self._below(limits, p))
        ids = self._space.empty((self._n, k), "int64")
        distances = self._space.empty((self._n, k), "float64")
        self._handle.query_knn(
            at, None, k, norm(p), tolerance(eps), self._periods, bounds, bool(exclude_self), raw(ids), raw(distances)
        )
        return ids, distances

    @reading
    def query_self(
        self,
        k: int = 1,
        eps: float = 0.0,
        p: float = 2.0,
        distance_upper_bound: Any = np.inf,
        workers: Optional[int] = None,
        *,
        exclude_self: bool = True,
        progress: Progress = None,
    ) -> tuple[Any, Any]:
        """Finds the nearest points of each point of the tree.

        Faster than `query` with the tree's points, and a point that equals others is left out itself, by its row.

        Parameters
        ----------
        k : int
            Neighbours of each point.
        eps, p, distance_upper_bound, workers, progress
            As those of `query`.
        exclude_self : bool
            Leaves each point out of its own neighbours.

        Returns
        -------
        d : array, shape (n, k)
            Distances, ascending; infinity where there is no neighbour.
        i : array, shape (n, k)
            Rows of `data`; `n` where there is none. Of equal distances the smaller row comes first.

        Examples
        --------
        >>> from boscage.spatial import cKDTree
        >>> cKDTree([[0.0], [1.0], [3.0]]).query_self(k=1)
        (array([[1.],
               [1.],
               [2.]]), array([[1],
               [0],
               [1]]))
        """
        at = where(self._place, self._space.stream(), workers, progress)
        ids, distances = self._own_neighbours(k, exclude_self, eps, p, distance_upper_bound, at)
        return self._space.give(distances), self._space.none_to(ids, self._n)

    @reading
    def knn_graph(
        self,
        k: int,
        eps: float = 0.0,
        p: float = 2.0,
        distance_upper_bound: Any = np.inf,
        workers: Optional[int] = None,
        *,
        exclude_self: bool = True,
        output_type: str = "csr",
        progress: Progress = None,
    ) -> tuple[Any, Any, Any]:
        """Finds the graph of the nearest points of each point.

        Parameters
        ----------
        k, eps, p, distance_upper_bound, workers, exclude_self, progress
            As those of `query_self`.
        output_type : {"csr", "coo"}
            The form of the rows.

        Returns
        -------
        offsets or rows : array
            "csr": the neighbours of point i are ``ids[offsets[i]:offsets[i + 1]]``; "coo": the row of each entry.
        ids : array
            Rows of `data`, for each point by distance. Missing neighbours have no entry.
        distances : array
            In the order of ids.

        Examples
        --------
        >>> from boscage.spatial import cKDTree
        >>> cKDTree([[0.0], [1.0], [3.0]]).knn_graph(2, distance_upper_bound=2.5)
        (array([0, 1, 3, 4]), array([1, 0, 2, 1]), array([1., 1., 2., 2.]))
        """
        _check_form(output_type)
        at = where(self._place, self._space.stream(), workers, progress)
        ids, distances = self._own_neighbours(k, exclude_self, eps, p, distance_upper_bound, at)
        counts = np.full(self._n, k)
        ids, distances = self._space.give(ids).reshape(-1), self._space.give(distances).reshape(-1)
        there = self._space.host(ids) >= 0
        if not there.all():
            counts = there.reshape(self._n, k).sum(axis=1)
            rows = self._space.asarray(np.flatnonzero(there))
            ids, distances = ids[rows], distances[rows]
        return *self._rows_of_counts(counts, output_type), ids, distances

    def _rows_of_counts(self, counts: np.ndarray, output_type: str) -> tuple[Any, ...]:
        """Rows of entries, by their numbers: as offsets, or as a row for each entry."""
        if output_type == "coo":
            return (self._space.asarray(np.repeat(np.arange(self._n), counts)),)
        return (self._space.asarray(np.append(0, np.cumsum(counts))),)

    @reading
    def radius_graph(
        self,
        r: float,
        p: float = 2.0,
        eps: float = 0.0,
        workers: Optional[int] = None,
        *,
        exclude_self: bool = True,
        output_type: str = "csr",
        progress: Progress = None,
    ) -> tuple[Any, Any, Any]:
        """Finds the graph of the points within a distance of each point.

        Parameters
        ----------
        r, p, eps, workers, progress
            As those of `query_ball_point`.
        exclude_self, output_type
            As those of `knn_graph`.

        Returns
        -------
        offsets or rows, ids, distances : array
            As those of `knn_graph`, with the neighbours of each point in the order of their rows.

        Examples
        --------
        >>> from boscage.spatial import cKDTree
        >>> cKDTree([[0.0], [1.0], [3.0]]).radius_graph(2, output_type="coo")
        (array([0, 1, 1, 2]), array([1, 0, 2, 1]), array([1., 1., 2., 2.]))
        """
        _check_form(output_type)
        offsets, ids, distances = self._pairs(self, r, p, eps, workers, progress, True)
        counts = np.diff(self._space.host(offsets))
        if exclude_self:
            rows = np.repeat(np.arange(self._n), counts)
            others = self._space.host(ids) != rows
            counts = np.bincount(rows[others], minlength=self._n)
            kept = self._space.asarray(np.flatnonzero(others))
            ids, distances = ids[kept], distances[kept]
        return *self._rows_of_counts(counts, output_type), ids, distances


def _check_form(output_type: str) -> None:
    if output_type not in ("csr", "coo"):
        raise ValueError(f"output_type: {output_type!r} is neither 'csr' nor 'coo'")
