"""Batches of point clouds: neighbours and farthest point samples of all clouds in one call."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _core
from ._arrays import DTYPES, NUMPY, Space, place_for, raw, space_of
from ._convert import real_array, refuse_complex, refuse_mask, refuse_rounding
from ._locks import emptied_on_failure, reading, writing
from ._numbers import length, whole
from ._where import Progress, where

__all__ = ["PointClouds", "batch_offsets"]


def batch_offsets(batch: Any, count: Optional[int] = None) -> np.ndarray:
    """Offsets of clouds from the cloud of each row, as PyTorch Geometric's ``batch`` vectors give it.

    Parameters
    ----------
    batch : array_like of int, shape (n,)
        Ascending numbers of clouds.
    count : int, optional
        Number of clouds; by default the last number and one more.

    Returns
    -------
    numpy.ndarray of int64, shape (count + 1,)

    Examples
    --------
    >>> from boscage.clouds import batch_offsets
    >>> batch_offsets([0, 0, 2])
    array([0, 2, 2, 3])
    """
    return offsets_of(batch, count, "batch", "count")


def offsets_of(batch: Any, count: Optional[int], name: str, count_name: str) -> np.ndarray:
    """As `batch_offsets`; errors name the arguments by `name` and `count_name`."""
    batch = space_of(batch).host(batch)
    if batch.ndim != 1 or (batch.size and batch.dtype.kind not in "iu"):
        raise ValueError(f"{name}: not a vector of integers")
    if batch.size and (batch[0] < 0 or (batch[1:] < batch[:-1]).any()):
        raise ValueError(f"{name}: numbers do not ascend from 0")
    least = int(batch[-1]) + 1 if batch.size else 0
    count = least if count is None else whole(count, count_name)
    if count < least:
        raise ValueError(f"{count_name}: {count} clouds, but {name} has {least}")
    return np.searchsorted(batch, np.arange(count + 1)).astype(np.int64)


def as_rows(x: Any, name: str) -> Any:
    """The points of a cloud as rows; vectors are points of one coordinate."""
    refuse_mask(x, name)
    x = np.asarray(x) if space_of(x) is NUMPY else x
    if len(x.shape) not in (1, 2):
        raise ValueError(f"{name}: not an array of shape (n, m) or (n,)")
    return x.reshape(-1, 1) if len(x.shape) == 1 else x


class PointClouds:
    """Many point clouds, searched and sampled in one call; answers equal those of one call a cloud.

    Parameters
    ----------
    points : array_like, shape (n, m)
        The points of all clouds, cloud after cloud. float32 stays, anything else becomes float64. Arrays of CuPy,
        PyTorch and JAX stay on their device, and answers are theirs.
    offsets : array_like of int, shape (c + 1,), optional
        Cloud i has the rows ``offsets[i]`` to ``offsets[i + 1] - 1``; by default all rows are one cloud.
    device : str, optional
        ``"cpu"``, ``"cuda"``, ``"cuda:N"``; by default that of the array, or the one in use.
    progress : callable, optional
        Called with (stage, fraction) during long calls.

    Examples
    --------
    >>> import numpy as np
    >>> from boscage.clouds import PointClouds
    >>> clouds = PointClouds(np.array([[0.0], [1.0], [5.0], [0.0], [2.0]]), [0, 3, 5])
    >>> dist2, ids = clouds.knn(2, exclude_self=True)
    >>> ids
    array([[ 1,  2],
           [ 0,  2],
           [ 1,  0],
           [ 4, -1],
           [ 3, -1]])
    >>> clouds.sample_farthest([2, 1])
    (array([0, 2, 3]), array([0, 2, 3]))
    """

    def __init__(self, points: Any, offsets: Any = None, *, device: Any = None, progress: Progress = None):
        self._space = space_of(points)
        self._place = place_for(self._space, device)
        points, self._dtype = self._points(points, "points", self._space)
        self._m = int(points.shape[1])
        self._handle = _core.Clouds(self._at(), DTYPES[self._dtype], self._m)
        self._build(points, offsets, self._space, progress)

    def _at(self, space: Optional[Space] = None, progress: Progress = None) -> Any:
        return where(self._place, (space or self._space).stream(), None, progress)

    def _points(self, x: Any, name: str, space: Space, dtype: Optional[str] = None) -> tuple[Any, str]:
        if space is NUMPY:
            x = real_array(x, name)
            refuse_rounding(x, name)
        else:
            refuse_complex(x, space, name)
        if len(x.shape) != 2 or x.shape[1] < 1:
            raise ValueError(f"{name}: not an array of shape (n, m)")
        dtype = dtype or ("float32" if space.dtype_name(x) == "float32" else "float64")
        return space.rows(x, dtype), dtype

    def _integers(self, x: Any, name: str, space: Space, least: int = 1) -> Any:
        refuse_mask(x, name)
        own = space_of(x)
        x = np.asarray(x) if own is NUMPY else x
        if len(x.shape) != 1 or x.shape[0] < least or not own.dtype_name(x).startswith(("int", "uint")):
            raise ValueError(f"{name}: not a vector of integers")
        if own is NUMPY and x.dtype == np.uint64 and (x >= 2**63).any():
            raise ValueError(f"{name}: {x.max()} is 2^63 or more")
        return x if space is NUMPY and own is not NUMPY else space.asarray(x, "int64")

    def _build(self, points: Any, offsets: Any, space: Space, progress: Progress) -> None:
        if offsets is None:
            offsets = np.array([0, points.shape[0]])
        offsets = self._integers(offsets, "offsets", space)
        with emptied_on_failure(self, space):
            self._handle.build(self._at(space, progress), points, offsets)
        self._space, self.points, self.offsets = space, points, offsets

    @writing
    def rebuild(self, points: Any, offsets: Any = None, *, progress: Progress = None) -> None:
        """Rebuilds the batch from other points of its type, in its memory."""
        space = space_of(points)
        if place_for(space, self._place) != self._place:
            raise ValueError("points: on another device than the batch")
        points, _ = self._points(points, "points", space, self._dtype)
        if points.shape[1] != self._m:
            raise ValueError(f"points: {points.shape[1]} coordinates, but the batch has {self._m}")
        self._build(points, offsets, space, progress)

    def _forget(self, space: Space) -> None:
        about = self._handle.info(self._at(space))
        if about["n"] == 0:
            self.points = space.give(space.empty((0, self._m), self._dtype))
            self.offsets = space.asarray(np.zeros(about["clouds"] + 1, np.int64), "int64")
            self._space = space

    def __len__(self) -> int:
        """The number of clouds."""
        return int(self.offsets.shape[0]) - 1

    def __repr__(self) -> str:
        n, m = self.points.shape
        return f"<boscage.PointClouds of {len(self)} clouds, {n} points in {m} dimensions, on {self._place}>"

    @reading
    def __reduce__(self) -> Any:
        return (PointClouds, (self._space.host(self.points), self._space.host(self.offsets)))

    def _queries(self, queries: Any, offsets: Any, exclude_self: bool) -> tuple[Any, Any, int, Space]:
        if queries is None:
            if offsets is not None:
                raise ValueError("query_offsets: without queries")
            return None, None, int(self.points.shape[0]), self._space
        if exclude_self:
            raise ValueError("exclude_self: for the points of the batch only")
        space = space_of(queries)
        queries, _ = self._points(queries, "queries", space, self._dtype)
        if queries.shape[1] != self._m:
            raise ValueError(f"queries: {queries.shape[1]} coordinates, but the batch has {self._m}")
        if offsets is None:
            if len(self) != 1:
                raise ValueError("query_offsets: needed for more clouds than one")
            offsets = np.array([0, queries.shape[0]])
        return queries, self._integers(offsets, "query_offsets", space), int(queries.shape[0]), space

    @reading
    def knn(
        self,
        k: int,
        queries: Any = None,
        query_offsets: Any = None,
        *,
        r: float = np.inf,
        exclude_self: bool = False,
        progress: Progress = None,
    ) -> tuple[Any, Any]:
        """Finds the k nearest points within r of each query, in the query's cloud.

        Parameters
        ----------
        k : int
            Neighbours of a query, at most.
        queries : array_like, shape (q, m), optional
            By default each point of the batch is a query.
        query_offsets : array_like of int, shape (c + 1,), optional
            The queries of each cloud; needed unless there is one cloud.
        r : float
            Only points within r count.
        exclude_self : bool
            Leaves each point out of its own row.

        Returns
        -------
        dist2 : array, shape (q, k)
            Squared distances, of the type of the points; infinite where there are fewer points.
        ids : array of int64, shape (q, k)
            Rows of the points, by (distance, row); -1 where there are fewer points.

        Examples
        --------
        >>> from boscage.clouds import PointClouds
        >>> PointClouds([[0.0], [1.0], [9.0]]).knn(1, [[7.0]], r=3)
        (array([[4.]]), array([[2]]))
        """
        k = whole(k, "k")
        queries, offsets, n, space = self._queries(queries, query_offsets, exclude_self)
        ids = space.empty((n, max(k, 0)), "int64")
        dist2 = space.empty((n, max(k, 0)), self._dtype)
        at = self._at(space, progress)
        self._handle.knn(at, queries, offsets, exclude_self, k, length(r, "r"), raw(ids), raw(dist2))
        return space.give(dist2), space.give(ids)

    @reading
    def count(
        self,
        r: float,
        queries: Any = None,
        query_offsets: Any = None,
        *,
        exclude_self: bool = False,
        progress: Progress = None,
    ) -> Any:
        """Counts the points within r of each query: an array of int64. Arguments are those of `knn`.

        Examples
        --------
        >>> from boscage.clouds import PointClouds
        >>> PointClouds([[0.0], [1.0], [9.0], [9.5]], [0, 2, 4]).count(1)
        array([2, 2, 2, 2])
        """
        queries, offsets, n, space = self._queries(queries, query_offsets, exclude_self)
        counts = space.empty(n, "int64")
        self._handle.radius_count(
            self._at(space, progress), queries, offsets, exclude_self, length(r, "r"), raw(counts)
        )
        return space.give(counts)

    @reading
    def radius(
        self,
        r: float,
        queries: Any = None,
        query_offsets: Any = None,
        *,
        exclude_self: bool = False,
        progress: Progress = None,
    ) -> tuple[Any, Any, Any]:
        """Finds all points within r of each query, as CSR rows. Arguments are those of `knn`.

        Returns
        -------
        rows : array of int64, shape (q + 1,)
            Query i has the entries ``rows[i]`` to ``rows[i + 1] - 1``.
        ids : array of int64
            Rows of the points, ascending for each query.
        dist2 : array
            Their squared distances.

        Examples
        --------
        >>> from boscage.clouds import PointClouds
        >>> PointClouds([[0.0], [1.0], [9.0], [9.5]], [0, 2, 4]).radius(1, exclude_self=True)
        (array([0, 1, 2, 3, 4]), array([1, 0, 3, 2]), array([1.  , 1.  , 0.25, 0.25]))
        """
        r = length(r, "r")
        queries, offsets, n, space = self._queries(queries, query_offsets, exclude_self)
        rows = space.empty(n + 1, "int64")
        at = self._at(space, progress)
        self._handle.radius(at, queries, offsets, exclude_self, r, raw(rows), None, None)
        total = int(space.host(space.give(rows))[-1]) if n else 0
        ids, dist2 = space.empty(total, "int64"), space.empty(total, self._dtype)
        if total:
            self._handle.radius(at, queries, offsets, exclude_self, r, raw(rows), raw(ids), raw(dist2))
        return space.give(rows), space.give(ids), space.give(dist2)

    @reading
    def sample_farthest(self, counts: Any, starts: Any = None, *, progress: Progress = None) -> tuple[Any, Any]:
        """Samples points of each cloud, each the farthest from those before; of equally far ones the first row.

        Parameters
        ----------
        counts : array_like of int, shape (c,), or int
            Samples of each cloud, at most as many as points.
        starts : array_like of int, shape (c,), optional
            The row of the first sample of each cloud; by default its first row.

        Returns
        -------
        offsets : array of int64, shape (c + 1,)
            The samples of each cloud.
        ids : array of int64
            Rows of the samples, in their order.

        Examples
        --------
        >>> from boscage.clouds import PointClouds
        >>> PointClouds([[0.0], [1.0], [9.0], [4.0]]).sample_farthest(3)
        (array([0, 3]), array([0, 2, 3]))
        """
        space, offsets = self._space, np.zeros(len(self) + 1, np.int64)
        counts = space_of(counts).host(counts)
        if counts.shape not in ((), (len(self),)) or (counts.size and counts.dtype.kind not in "iu"):
            raise ValueError(f"counts: not an integer, or {len(self)} of them")
        if (counts < 0).any():
            raise ValueError("counts: less than 0")
        np.cumsum(np.broadcast_to(counts.astype(np.int64), len(self)), out=offsets[1:])
        ids = space.empty(int(offsets[-1]), "int64")
        given = self._integers(offsets, "counts", space)
        if starts is not None:
            starts = self._integers(starts, "starts", space, least=0)
        try:
            self._handle.sample_farthest(self._at(None, progress), given, starts, raw(ids))
        except ValueError as error:
            text = str(error)
            raise ValueError(f"counts{text[7:]}" if text.startswith("offsets:") else text) from None
        return space.give(given), space.give(ids)
