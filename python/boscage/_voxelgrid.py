"""Voxel grids."""

from __future__ import annotations

import math
from typing import Any, Optional

import numpy as np

from . import _core
from ._arrays import DTYPES, NUMPY, Space, place_for, raw, space_of
from ._convert import real_array
from ._locks import emptied_on_failure, reading, writing
from ._numbers import real
from ._points import PointSet, points_of, scaled
from ._where import Progress, where


class VoxelGrid(PointSet):
    """Points in cubes of space, for neighbours and close pairs of points that move every frame.

    Parameters
    ----------
    data : array_like, shape (n, m)
        Points of 1 to 3 coordinates. float32 and float64 are kept as they are, anything else becomes float64.
    cell : float
        Edge of a voxel; near the radius of the searches makes them fast. Answers do not depend on it.
    device, progress
        As those of `cKDTree`.

    Examples
    --------
    >>> from boscage.spatial import VoxelGrid
    >>> grid = VoxelGrid([[0.0, 0.0], [0.5, 0.0], [9.0, 9.0]], cell=1.0)
    >>> grid.query_pairs(1.0)
    array([[0, 1]])
    >>> grid.components(1.0)
    (2, array([0, 0, 2]))
    """

    def __init__(self, data: Any, cell: float, *, device: Any = None, progress: Progress = None):
        self._space = space_of(data)
        self._place = place_for(self._space, device)
        self._cell = real(cell, "cell")
        points, self._dtype = points_of(data, None, self._space)
        self._m = int(points.shape[1])
        self._exponent = self._exponent_of_cell()
        self._build(self._new_handle(self._space, self._dtype), points, self._dtype, self._space, progress)

    def _at(self, space: Optional[Space] = None, progress: Progress = None) -> Any:
        return where(self._place, (space or self._space).stream(), None, progress)

    def _exponent_of_cell(self) -> int:
        """The power of two to multiply coordinates by, so that squares of distances like the cell's edge fit."""
        least, largest = (2.0**-40, 2.0**40) if self._dtype == "float32" else (2.0**-400, 2.0**400)
        ordinary = not (0 < self._cell < np.inf) or least < self._cell < largest
        return 0 if ordinary or self._space is not NUMPY else -math.frexp(self._cell)[1]

    def _new_handle(self, space: Space, dtype: str) -> Any:
        return _core.VoxelGrid(self._at(space), DTYPES[dtype], self._m, math.ldexp(self._cell, self._exponent))

    def _build(self, handle: Any, points: Any, dtype: str, space: Space, progress: Progress) -> None:
        with emptied_on_failure(self, handle, space):
            handle.build(self._at(space, progress), self._scaled(points, "data"))
        self._space, self.data, self._dtype, self._twin = space, points, dtype, None
        self._handle = handle  # last: readers enter by it, and then find the rest

    def _forget(self, handle: Any, space: Space) -> None:
        if handle is getattr(self, "_handle", None) and handle.info(self._at(space))["n"] == 0:
            self.data, self._twin = space.give(space.empty((0, self._m), self._dtype)), None
            self._space = space

    def _scaled(self, x: Any, name: str) -> Any:
        if not self._exponent:
            return x
        return scaled(np.asarray(x), self._exponent, name)

    def _radius(self, r: float) -> float:
        return float(scaled(np.asarray(real(r, "r")), self._exponent, "r"))

    @writing
    def rebuild(self, data: Any, *, progress: Progress = None) -> None:
        """Rebuilds the grid from other points, in its memory; points of float64 make it one of float64."""
        space = space_of(data)
        points, dtype = points_of(data, None, space)
        if points.shape[1] != self._m:
            raise ValueError(f"data has {points.shape[1]} coordinates, the grid {self._m}")
        handle = self._handle
        if self._dtype == "float64":
            points, dtype = space.rows(points, "float64"), "float64"
        elif dtype != self._dtype:
            handle = self._new_handle(space, dtype)
        self._build(handle, points, dtype, space, progress)

    @property
    def n(self) -> int:
        return int(self.data.shape[0])

    @property
    def m(self) -> int:
        return self._m

    @property
    def cell(self) -> float:
        return self._cell

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        return f"<boscage.VoxelGrid of {self.n} points in {self._m} dimensions, cell {self._cell}, on {self._place}>"

    @reading
    def __reduce__(self) -> Any:
        return (VoxelGrid, (self._space.host(self.data), self._cell))

    def _queries(self, x: Any) -> tuple[Any, int, Space]:
        if x is None:
            return None, self.n, self._space
        space = space_of(x)
        x = space.rows(real_array(x, "x") if space is NUMPY else x, self._dtype)
        if len(x.shape) != 2 or x.shape[1] != self._m:
            raise ValueError(f"x must consist of vectors of length {self._m} but has shape {tuple(x.shape)}")
        return self._scaled(x, "x"), int(x.shape[0]), space

    def _of_points(self, points: Any) -> "VoxelGrid":
        return VoxelGrid(points, self._cell, device=self._place)

    @reading
    def voxels(self) -> tuple[Any, Any]:
        """Lists the occupied voxels.

        Returns
        -------
        coordinates : array, shape (v, m)
            Ascending; a point x is in voxel ``floor(x / cell)``.
        counts : array, shape (v,)
            Points in each.

        Examples
        --------
        >>> from boscage.spatial import VoxelGrid
        >>> VoxelGrid([[0.0], [0.5], [2.5]], cell=1).voxels()
        (array([[0],
               [2]]), array([2, 1]))
        """
        count = self._handle.voxels(self._at(), None, None)
        coordinates = self._space.empty((count, self._m), "int64")
        counts = self._space.empty(count, "int64")
        self._handle.voxels(self._at(), raw(coordinates), raw(counts))
        return self._space.give(coordinates), self._space.give(counts)

    @reading
    def count(self, x: Any, r: Optional[float] = None, *, progress: Progress = None) -> Any:
        """Counts the points within r of each query; without r, those in its voxel.

        x : array_like, shape (q, m), or None
            The queries; None: the grid's own points, which takes less time than giving them.
        """
        grid = self if x is None else self._for_queries(x)
        x, n, space = grid._queries(x)
        counts = space.empty(n, "int64")
        at = self._at(space, progress)
        if r is None:
            grid._handle.voxel_count(at, x, raw(counts))
        else:
            grid._handle.radius_count(at, x, grid._radius(r), raw(counts))
        return space.give(counts)

    @reading
    def query_ball_csr(self, x: Any, r: float, *, progress: Progress = None) -> tuple[Any, Any]:
        """Finds all points within r of each query: ``ids[offsets[q]:offsets[q + 1]]``, ascending.

        x : as of `count`

        Examples
        --------
        >>> from boscage.spatial import VoxelGrid
        >>> VoxelGrid([[0.0], [0.5], [2.5]], cell=1).query_ball_csr([[2.0], [0.0]], 0.5)
        (array([0, 1, 3]), array([2, 0, 1]))
        """
        grid = self if x is None else self._for_queries(x)
        x, n, space = grid._queries(x)
        at = self._at(space, progress)
        offsets = space.empty(n + 1, "int64")
        grid._handle.radius(at, x, grid._radius(r), raw(offsets), None, None)
        ids = space.empty(int(space.host(offsets)[-1]), "int64")
        grid._handle.radius(at, x, grid._radius(r), raw(offsets), raw(ids), None)
        return space.give(offsets), space.give(ids)

    @reading
    def query_pairs(self, r: float, *, progress: Progress = None) -> Any:
        """Finds all pairs i < j within r of each other, ascending: an array of shape (pairs, 2)."""
        at = self._at(progress=progress)
        pairs = self._space.empty((self._handle.pairs(at, self._radius(r), None, None), 2), "int64")
        self._handle.pairs(at, self._radius(r), raw(pairs), None)
        return self._space.give(pairs)

    @reading
    def components(self, r: float, *, progress: Progress = None) -> tuple[int, Any]:
        """Finds the connected components of all pairs within r: their number, and the smallest row in each point's."""
        labels = self._space.empty(self.n, "int64")
        count = self._handle.components(self._at(progress=progress), self._radius(r), raw(labels))
        return count, self._space.give(labels)
