"""Pairs of points, of one k-d tree or of two."""

from __future__ import annotations

from typing import Any, Iterator, Optional

import numpy as np

from . import _core
from ._arrays import DTYPES, NUMPY, raw, rows_of
from ._convert import reals
from ._locks import reading, reading_both
from ._numbers import real, tolerance
from ._points import WIDER, PointSet, is_below_one, norm, within_power
from ._where import Place, Progress, where

BLOCK = 1 << 20  # pairs for p < 1 that are in memory at once, about
GRID_POINTS = 256  # least points of a grid; measured: a tree is faster with 100, a grid with 1,000
MOST_PAIRS = 1 << 12  # of few points, for which an array has room before they are counted: 64 KB
ROOMY = 1 << 14  # points that have room for 64 pairs each: memory that is not written costs no time
SAMPLE = 1 << 10  # of more points, those whose neighbours are counted for an estimate of all pairs


class Pairs(PointSet):
    """Queries for pairs of points of k-d trees."""

    _handle: Any
    _place: Place
    _n: int
    _m: int
    _periods: Optional[np.ndarray]
    _data: Any
    _ball: Any

    def _same(self, other: Any) -> "Pairs":
        if not isinstance(other, Pairs):
            raise TypeError("other: not a tree of this package")
        if other._m != self._m:
            raise ValueError("Trees passed to this method have different dimensionality")
        if self._periods is not None or other._periods is not None:
            mine, others = (np.zeros(self._m) if t._periods is None else t._periods for t in (self, other))
            if (mine != others).any():
                raise ValueError("Trees passed to this method have different boxsizes")
        return other

    def _both(self, other: Any) -> tuple["Pairs", "Pairs"]:
        """This tree and another one, both in float64 if one of them is."""
        other = self._same(other)
        if other._dtype == self._dtype:
            return self, other
        return self._of_float64(), other._of_float64()

    def _pairs(
        self,
        other: Optional["Pairs"],
        r: float,
        p: float,
        eps: float,
        workers: Optional[int],
        progress: Progress,
        distances: bool,
    ) -> tuple[Any, Any, Any]:
        space = self._space
        at = where(self._place, space.stream(), workers, progress)
        of = None if other is None else other._handle
        r, eps = real(r, "r"), tolerance(eps)
        if is_below_one(p, space):
            found = self._pairs(other, r * WIDER, 1.0, 0.0, workers, progress, False)
            y = self._data if other is None else other._data
            return within_power(found, self._data, y, r, real(p, "p"), self._periods)
        p = norm(p)
        if r < 0:  # a ball without points, as in `query_ball_point`
            nothing = (space.asarray(np.zeros(size, t), t) for size, t in ((self._n + 1, "int64"), (0, "int64")))
            return *nothing, space.asarray(np.zeros(0), "float64") if distances else None
        offsets = space.empty(self._n + 1, "int64")
        self._handle.pairs(at, of, r, p, eps, self._periods, raw(offsets), None, None)
        total = int(space.host(offsets)[-1])
        ids = space.empty(total, "int64")
        d = space.empty(total, "float64") if distances else None
        if total:
            self._handle.pairs(at, of, r, p, eps, self._periods, raw(offsets), raw(ids), raw(d))
        return space.give(offsets), space.give(ids), None if d is None else space.give(d)

    @reading_both
    def query_ball_tree(
        self,
        other: "Pairs",
        r: float,
        p: float = 2.0,
        eps: float = 0.0,
        *,
        workers: Optional[int] = None,
        progress: Progress = None,
    ) -> list[list[int]]:
        """Finds, for each point, all points of another tree within a distance.

        Parameters
        ----------
        other : cKDTree
            The tree that is searched; may be this one.
        r, p, eps, workers, progress
            As those of `query_ball_point`.

        Returns
        -------
        list of lists
            For each row of `data` the rows of ``other.data``, ascending. Points of CuPy, PyTorch and JAX have arrays
            of theirs in place of lists.

        Examples
        --------
        >>> from boscage.spatial import cKDTree
        >>> cKDTree([[0.0], [5.0]]).query_ball_tree(cKDTree([[0.5], [1.0]]), 0.6)
        [[0], []]
        """
        tree, other = self._both(other)
        if self._space is NUMPY and (r := real(r, "r")) >= 0 and not is_below_one(p, NUMPY):
            at = where(self._place, 0, workers, progress)
            return tree._handle.pair_lists(at, other._handle, r, norm(p), tolerance(eps), self._periods)
        offsets, ids, _ = tree._pairs(other, r, p, eps, workers, progress, False)
        return self._space.lists(offsets, ids)

    def query_pairs(
        self,
        r: float,
        p: float = 2.0,
        eps: float = 0.0,
        output_type: str = "set",
        *,
        workers: Optional[int] = None,
        progress: Progress = None,
    ) -> Any:
        """Finds all pairs of points within a distance of each other.

        Parameters
        ----------
        r, p, eps, workers, progress
            As those of `query_ball_point`.
        output_type : {"set", "ndarray"}
            A set of tuples, or an array, which is much faster.

        Returns
        -------
        set of (int, int), or array of shape (pairs, 2)
            Rows i < j; those of an array ascend. The array is of the points' library, on their device (NumPy's for
            unknown libraries).

        Examples
        --------
        >>> from boscage.spatial import cKDTree
        >>> cKDTree([[0.0], [1.0], [1.5]]).query_pairs(1, output_type="ndarray")
        array([[0, 1],
               [1, 2]])
        """
        if output_type not in ("set", "ndarray"):
            raise ValueError("Invalid output type")
        found = self._few_pairs(r, p, eps, output_type, workers, progress) if self._n < GRID_POINTS else None
        return self._all_pairs(r, p, eps, output_type, workers, progress) if found is None else found

    def _few_pairs(
        self, r: float, p: float, eps: float, output_type: str, workers: Optional[int], progress: Progress
    ) -> Any:
        """Pairs of few points of NumPy, without calls that larger input pays for; None: other input."""
        r, eps = real(r, "r"), tolerance(eps)
        if self._space is not NUMPY or is_below_one(p, NUMPY) or not r >= 0:
            return None
        at, p, tree = where(self._place, 0, workers, progress), norm(p), self._handle
        if output_type == "set":
            return tree.pair_set(at, r, p, eps, self._periods)
        pairs = np.empty((min(self._n * (self._n - 1) // 2, MOST_PAIRS), 2), np.int64)
        count = tree.pair_array(at, r, p, eps, self._periods, pairs)
        if count > len(pairs):  # none are written
            return None
        pairs.resize((count, 2), refcheck=False)
        return pairs

    @reading
    def _all_pairs(
        self, r: float, p: float, eps: float, output_type: str, workers: Optional[int], progress: Progress
    ) -> Any:
        if self._grid_serves(r, p):
            pairs = self._grid_pairs(real(r, "r"), workers, progress)
            return pairs if output_type == "ndarray" else set(zip(*pairs.T.tolist()))
        offsets, ids, _ = self._pairs(None, r, p, eps, workers, progress, False)
        pairs = self._space.pairs(offsets, ids)
        return pairs if output_type == "ndarray" else set(zip(*self._space.host(pairs).T.tolist()))

    def _grid_serves(self, r: float, p: float) -> bool:
        """True if a voxel grid finds the same pairs, several times as fast."""
        few = self._n < GRID_POINTS
        if few or p != 2 or self._periods is not None or self._m > 3 or self._dtype != "float64":
            return False
        r = real(r, "r")
        host = self._space is NUMPY and 2.0**-500 < r < 2.0**500  # so that r * r neither over- nor underflows
        return host and all(c.max() - c.min() < 2.0**20 * r for c in self._data.T)  # NumPy is slow along short rows

    def _grid_pairs(self, r: float, workers: Optional[int], progress: Progress) -> np.ndarray:
        at = where(self._place, 0, workers, progress)
        grid = _core.VoxelGrid(at, DTYPES[self._dtype], self._m, r)
        grid.build(at, self._data)
        estimate = self._estimate_pairs(grid, at, r)
        try:
            pairs = np.empty((estimate, 2), np.intp)
        except (MemoryError, ValueError):  # more than memory, or an array, can hold
            pairs = np.empty((int(grid.pairs(at, r, None, None)), 2), np.intp)
        count = grid.pairs(at, r, pairs, None)
        if count > len(pairs):  # none are written
            del pairs  # before another array
            pairs = np.empty((count, 2), np.intp)
            grid.pairs(at, r, pairs, None)
        pairs.resize((count, 2), refcheck=False)
        return pairs

    def _estimate_pairs(self, grid: Any, at: Any, r: float) -> int:
        """The number of pairs, estimated; mostly too large, so that one search serves."""
        if self._n <= ROOMY:
            return 64 * self._n
        rows = np.ascontiguousarray(self._data[:: self._n // SAMPLE])
        counts = np.empty(len(rows), np.int64)
        grid.radius_count(at, rows, r, counts)
        mean = (counts.sum() - len(rows)) / len(rows)  # without the points themselves
        return int(max(mean, 0) / 2 * self._n * 1.25) + SAMPLE

    @reading_both
    def count_neighbors(
        self,
        other: "Pairs",
        r: Any,
        p: float = 2.0,
        weights: Any = None,
        cumulative: bool = True,
        *,
        workers: Optional[int] = None,
        progress: Progress = None,
    ) -> Any:
        """Counts pairs of points of two trees by their distance.

        Parameters
        ----------
        other : cKDTree
            May be this one; then each pair counts twice.
        r : float or array_like
            Distances; ascending if not cumulative.
        p, workers, progress
            As those of `query_ball_point`.
        weights : array_like, or tuple of two, optional
            Weights of the points of this tree and of the other; a pair counts their product.
        cumulative : bool
            Counts pairs within r; else those beyond the distance before it.

        Returns
        -------
        int, float, or array
            One number for each of r.

        Examples
        --------
        >>> from boscage.spatial import cKDTree
        >>> tree = cKDTree([[0.0], [1.0], [3.0]])
        >>> tree.count_neighbors(tree, [0, 1, 2, 3])
        array([3, 5, 7, 9])
        """
        tree, other = self._both(other)
        radii = reals(r, "float64", NUMPY, "r")
        flat = radii.ravel()
        order = None
        if not (flat[1:] >= flat[:-1]).all() or (flat.size == 1 and flat[0] != flat[0]):  # NaN is never in order
            if np.isnan(flat).any():
                raise ValueError("r: NaN")
            if not cumulative:
                raise ValueError("r must be non-decreasing for non-cumulative counting.")
            order = np.argsort(flat, kind="stable")
            flat = flat[order]
        mine, others = tree._two_weights(other, weights)
        weighted = weights is not None
        out = np.zeros(flat.shape, np.float64 if weighted else np.int64)
        if flat.size and is_below_one(p, self._space) and other._space is NUMPY:
            for bins, products in tree._binned_pairs(other, flat, real(p, "p"), mine, others, workers):
                out += np.bincount(bins, products, len(out)).astype(out.dtype, copy=False)
            out = np.cumsum(out) if cumulative else out
        elif flat.size:
            at = where(self._place, 0, workers, progress)
            tree._handle.count_pairs(
                at,
                other._handle,
                np.ascontiguousarray(flat),
                norm(p),
                self._periods,
                mine,
                others,
                bool(cumulative),
                None if weighted else out,
                out if weighted else None,
            )
        if order is not None:
            sorted_counts, out = out, np.empty_like(out)
            out[order] = sorted_counts
        if radii.ndim:
            return out.reshape(radii.shape)
        return out[0] if weighted else int(out[0])

    def _binned_pairs(
        self, other: "Pairs", radii: np.ndarray, p: float, mine: Any, others: Any, workers: Optional[int]
    ) -> Iterator[tuple[np.ndarray, Optional[np.ndarray]]]:
        """Pairs within the last radius by p < 1, in blocks: the first radius of each, and the product of weights."""
        at = where(self._place, 0, workers)
        reach = radii[-1:] * WIDER
        counts = np.empty(self._n, np.int64)
        if reach[0] < 0 or not self._n:
            return
        other._handle.query_radius_count(at, self._data, reach, 1.0, 0.0, self._periods, False, counts)
        blocks = np.cumsum(counts) // BLOCK
        for rows in np.split(np.arange(self._n), np.flatnonzero(np.diff(blocks)) + 1):
            offsets, ids, d = other._ball(
                self._data[rows[0] : rows[-1] + 1], radii[-1:], p, 0.0, NUMPY, workers, None, True
            )
            products = None
            if mine is not None or others is not None:
                left = 1.0 if mine is None else np.repeat(mine[rows], np.diff(offsets))
                products = np.broadcast_to(left * (1.0 if others is None else others[ids]), ids.shape)
            yield np.searchsorted(radii, d), products

    def _two_weights(self, other: "Pairs", weights: Any) -> tuple[Any, Any]:
        if weights is None:
            return None, None
        if isinstance(weights, tuple):
            mine, others = weights
        elif other is not self:
            raise ValueError("Two different trees are used. Specify weights for both in a tuple.")
        else:
            mine = others = weights
        pair = []
        for tree, w in ((self, mine), (other, others)):
            w = None if w is None else reals(w, "float64", NUMPY, "weights")
            if w is not None and w.shape != (tree._n,):
                raise ValueError("Number of weights differ from the number of data points")
            pair.append(w)
        return pair[0], pair[1]

    @reading_both
    def sparse_distance_matrix(
        self,
        other: "Pairs",
        max_distance: float,
        p: float = 2.0,
        output_type: str = "dok_matrix",
        *,
        workers: Optional[int] = None,
    ) -> Any:
        """Makes a sparse matrix of the distances up to a largest one.

        Parameters
        ----------
        other : cKDTree
            Its points are the columns.
        max_distance, p, workers
            As those of `query_ball_point`.
        output_type : {"dok_matrix", "coo_matrix", "dok_array", "coo_array", "dict", "ndarray"}
            Matrices and sparse arrays are scipy's. An "ndarray" has the fields i, j and v.

        Returns
        -------
        matrix, dict or numpy.ndarray

        Examples
        --------
        >>> from boscage.spatial import cKDTree
        >>> cKDTree([[0.0], [5.0]]).sparse_distance_matrix(cKDTree([[0.5], [4.0]]), 1, output_type="dict")
        {(0, 0): 0.5, (1, 1): 1.0}
        """
        if output_type not in ("dok_matrix", "coo_matrix", "dok_array", "coo_array", "dict", "ndarray"):
            raise ValueError("Invalid output type")
        tree, other = self._both(other)
        found = tree._pairs(other, real(max_distance, "max_distance"), p, 0.0, workers, None, True)
        offsets, j, v = map(self._space.host, found)
        small = max(self._n, other._n) < 2**31  # indices of 32 bits, as scipy's
        i = rows_of(offsets, np.int32 if small else np.intp)
        if output_type == "dict":
            return dict(zip(zip(i.tolist(), j.tolist()), v.tolist()))
        if output_type == "ndarray":
            out = np.empty(len(j), np.dtype([("i", np.intp), ("j", np.intp), ("v", np.float64)], align=True))
            out["i"], out["j"], out["v"] = i, j, v
            return out
        from scipy import sparse

        kind = sparse.coo_array if output_type.endswith("array") else sparse.coo_matrix
        found = kind((v, (i, j.astype(i.dtype, copy=False))), shape=(self._n, other._n))
        return found.todok() if output_type.startswith("dok") else found
