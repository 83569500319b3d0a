"""Voxelisation of point clouds: down-sampling, padded voxels of detectors, kernel maps of sparse convolutions."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _core
from ._arrays import DTYPES, NUMPY, Space, place_for, raw, space_of
from ._convert import real_array, refuse_complex, refuse_mask, refuse_rounding
from ._locks import emptied_on_failure, reading, reading_both, writing
from ._numbers import real, whole
from ._where import Progress, where

__all__ = ["Voxels", "voxel_down_sample", "voxelize"]


def _axes(x: Any, dim: int, name: str, fill: Any, integers: str = "") -> tuple[Any, Any, Any]:
    """A number for each of three coordinates, from one number or `dim` of them; of a type of integers or real."""
    if np.ndim(x) == 0:
        x = [x] * dim
    if np.ndim(x) != 1 or len(x) != dim:
        raise ValueError(f"{name}: not a number, or {dim} of them")
    a, b, c = [whole(v, name, integers) if integers else real(v, name) for v in x] + [fill] * (3 - dim)
    return a, b, c


def _most(x: Optional[int], name: str) -> int:
    """A limit; None: 0, which means none."""
    if x is None:
        return 0
    x = whole(x, name)
    if x < 1:
        raise ValueError(f"{name}: {x} is less than 1")
    return x


class Voxels:
    """The voxels of the points of one or many clouds, numbered in the order of their first points.

    A point x of a cloud is in the voxel ``floor((x - low) / cell)``, computed in the type of the points. Points with a
    NaN or an infinity, or outside ``shape``, are in no voxel.

    Parameters
    ----------
    points : array_like, shape (n, m)
        The points of all clouds, cloud after cloud, of 1 to 3 coordinates. float32 and int32 stay, anything else
        becomes float64. Arrays of CuPy, PyTorch and JAX stay on their device, and answers are theirs.
    cell : float or sequence of m floats
        Edges of a voxel.
    offsets : array_like of int, shape (c + 1,), optional
        Cloud i has the rows ``offsets[i]`` to ``offsets[i + 1] - 1``; by default all rows are one cloud.
    low : float or sequence of m floats
        The corner of voxel 0.
    shape : int or sequence of m ints, optional
        Voxels along each coordinate; by default any, also negative ones.
    max_points : int, optional
        Only the first points of a voxel count.
    max_voxels : int, optional
        Only the first voxels of a cloud stay.
    device : str, optional
        ``"cpu"``, ``"cuda"``, ``"cuda:N"``; by default that of the array, or the one in use.
    progress : callable, optional
        Called with (stage, fraction) during long calls.

    Attributes
    ----------
    coords : array of int32, shape (v, m)
    counts : array of int64, shape (v,)
        Points of each voxel, at most ``max_points``.
    firsts : array of int64, shape (v,)
        The first point of each voxel.
    offsets : array of int64, shape (c + 1,)
        Cloud i has the voxels ``offsets[i]`` to ``offsets[i + 1] - 1``.
    inverse : array of int64, shape (n,)
        The voxel of each point; -1: none.

    Examples
    --------
    >>> from boscage.voxels import Voxels
    >>> voxels = Voxels([[0.5, 0.5], [3.5, 0.0], [0.25, 0.75], [1.5, 0.5]], 1.0)
    >>> voxels.coords
    array([[0, 0],
           [3, 0],
           [1, 0]], dtype=int32)
    >>> voxels.inverse
    array([0, 1, 0, 2])
    >>> voxels.mean()
    array([[0.375, 0.625],
           [3.5  , 0.   ],
           [1.5  , 0.5  ]])
    >>> voxels.kernel_map((3, 1))
    array([[-1,  0,  2],
           [-1,  1, -1],
           [ 0,  2, -1]])
    """

    def __init__(
        self,
        points: Any,
        cell: Any,
        offsets: Any = None,
        *,
        low: Any = 0.0,
        shape: Any = None,
        max_points: Optional[int] = None,
        max_voxels: Optional[int] = None,
        device: Any = None,
        progress: Progress = None,
    ):
        self._space = space_of(points)
        self._place = place_for(self._space, device)
        points, self._dtype = self._rows(points, "points", self._space)
        self._m = int(points.shape[1])
        if not 1 <= self._m <= 3:
            raise ValueError(f"points: {self._m} coordinates are not 1 to 3")
        self._options = (
            _axes(cell, self._m, "cell", 0.0),
            _axes(low, self._m, "low", 0.0),
            (0, 0, 0) if shape is None else _axes(shape, self._m, "shape", 0, "int64"),
            _most(max_points, "max_points"),
            _most(max_voxels, "max_voxels"),
        )
        if shape is not None and min(self._options[2][: self._m]) < 1:
            raise ValueError("shape: less than 1")
        try:
            self._handle = _core.Voxels(self._at(), DTYPES[self._dtype], self._m, *self._options)
        except ValueError as error:
            raise ValueError(str(error).removeprefix("opts: ")) from None
        self._build(points, offsets, self._space, progress)

    def _at(self, progress: Progress = None) -> Any:
        return where(self._place, self._space.stream(), None, progress)

    def _rows(self, x: Any, name: str, space: Space, dtype: Optional[str] = None) -> tuple[Any, str]:
        if space is NUMPY:
            x = real_array(x, name)
            refuse_rounding(x, name)
        else:
            refuse_complex(x, space, name)
        if len(x.shape) != 2 or x.shape[1] < 1:
            raise ValueError(f"{name}: not an array of shape (n, m)")
        own = space.dtype_name(x)
        dtype = dtype or (own if own in ("float32", "int32") else "float64")
        return space.rows(x, dtype), dtype

    def _build(self, points: Any, offsets: Any, space: Space, progress: Progress) -> None:
        if offsets is not None:
            refuse_mask(offsets, "offsets")
            own = space_of(offsets)
            offsets = np.asarray(offsets) if own is NUMPY else offsets
            is_vector = len(offsets.shape) == 1 and offsets.shape[0] > 0
            if not is_vector or not own.dtype_name(offsets).startswith(("int", "uint")):
                raise ValueError("offsets: not a vector of integers")
            if not (space is NUMPY and own is not NUMPY):
                offsets = space.asarray(offsets, "int64")
        self._space = space
        with emptied_on_failure(self):
            self._handle.build(self._at(progress), points, offsets)
        about = self._handle.info(self._at())
        self._n, self._count, self._clouds = about["n"], about["voxels"], about["clouds"]
        self.points, self._given = points, offsets

    def _forget(self) -> None:
        about = self._handle.info(self._at())
        if about["n"] == 0:
            self._n, self._count, self._clouds = 0, 0, about["clouds"]
            self.points = self._space.give(self._space.empty((0, self._m), self._dtype))
            self._given = self._space.asarray(np.zeros(about["clouds"] + 1, np.int64), "int64")

    @writing
    def rebuild(self, points: Any, offsets: Any = None, *, progress: Progress = None) -> None:
        """Rebuilds the voxels from other points of the same type, in their memory."""
        space = space_of(points)
        if place_for(space, self._place) != self._place:
            raise ValueError("points: on another device than the voxels")
        points, _ = self._rows(points, "points", space, self._dtype)
        if points.shape[1] != self._m:
            raise ValueError(f"points: {points.shape[1]} coordinates, but the voxels have {self._m}")
        self._build(points, offsets, space, progress)

    def __len__(self) -> int:
        """The number of voxels."""
        return int(self._count)

    def __repr__(self) -> str:
        return f"<boscage.Voxels: {len(self)} of {self._n} points in {self._m} dimensions, on {self._place}>"

    @reading
    def __reduce__(self) -> Any:
        host = self._space.host
        given = None if self._given is None else np.asarray(host(self._given))
        options = (*(o[: self._m] for o in self._options[:3]), *self._options[3:])
        return (_restore, (host(self.points), given, options))

    @reading
    def _list(self, which: int, dtype: str) -> Any:
        shape = ((len(self), self._m), len(self), len(self), self._clouds + 1)[which]
        out = self._space.empty(shape, dtype)
        self._handle.list(self._at(), *(raw(out) if i == which else None for i in range(4)))
        return self._space.give(out)

    @property
    def coords(self) -> Any:
        return self._list(0, "int32")

    @property
    def counts(self) -> Any:
        return self._list(1, "int64")

    @property
    def firsts(self) -> Any:
        return self._list(2, "int64")

    @property
    def offsets(self) -> Any:
        return self._list(3, "int64")

    @property
    @reading
    def inverse(self) -> Any:
        ids = self._space.empty(self._n, "int64")
        self._handle.inverse(self._at(), raw(ids))
        return self._space.give(ids)

    @reading
    def members(self) -> tuple[Any, Any]:
        """The points of each voxel, as CSR rows.

        Returns
        -------
        rows : array of int64, shape (v + 1,)
            Voxel i has the entries ``rows[i]`` to ``rows[i + 1] - 1``.
        ids : array of int64
            Points, ascending in each voxel.

        Examples
        --------
        >>> from boscage.voxels import Voxels
        >>> Voxels([[0.5], [3.5], [0.25]], 1.0).members()
        (array([0, 2, 3]), array([0, 2, 1]))
        """
        rows, ids = self._space.empty(len(self) + 1, "int64"), self._space.empty(self._n, "int64")
        self._handle.members(self._at(), raw(rows), raw(ids))
        rows, ids = self._space.give(rows), self._space.give(ids)
        return rows, ids[: int(self._space.host(rows)[-1])]

    def _features(self, features: Any) -> tuple[Any, str, int]:
        if features is None:
            features = self.points
        space = space_of(features)
        if space is NUMPY and self._space is not NUMPY:
            features, space = self._space.asarray(np.asarray(features)), self._space
        features, dtype = self._rows(features, "features", space)
        if dtype == "int32":
            features, dtype = space.rows(features, "float64"), "float64"
        if features.shape[0] != self._n:
            raise ValueError(f"features: {features.shape[0]} rows, but there are {self._n} points")
        return features, dtype, int(features.shape[1])

    @reading
    def mean(self, features: Any = None, *, progress: Progress = None) -> Any:
        """The mean of the points of each voxel, or of their features.

        Parameters
        ----------
        features : array_like, shape (n, f), optional
            By default the points. float32 stays, anything else becomes float64.

        Returns
        -------
        array, shape (v, f)
            Sums are in double, in one fixed order: the same bits everywhere.

        Examples
        --------
        >>> from boscage.voxels import Voxels
        >>> Voxels([[0.5], [3.5], [0.25]], 1.0).mean([[1.0], [2.0], [5.0]])
        array([[3.],
               [2.]])
        """
        features, dtype, width = self._features(features)
        means = self._space.empty((len(self), width), dtype)
        self._handle.mean(self._at(progress), features, DTYPES[dtype], width, raw(means))
        return self._space.give(means)

    @reading
    def mean_gradient(self, of_means: Any) -> Any:
        """The gradient of features from that of their means: divided by the count of the voxel.

        Parameters
        ----------
        of_means : array_like, shape (v, f)

        Returns
        -------
        array, shape (n, f)
            0 for points that count in no voxel.

        Examples
        --------
        >>> from boscage.voxels import Voxels
        >>> Voxels([[0.5], [3.5], [0.25]], 1.0).mean_gradient([[1.0], [3.0]])
        array([[0.5],
               [3. ],
               [0.5]])
        """
        of_means, dtype = self._rows(of_means, "of_means", space_of(of_means))
        if dtype == "int32":
            of_means, dtype = self._space.rows(of_means, "float64"), "float64"
        if of_means.shape[0] != len(self):
            raise ValueError(f"of_means: {of_means.shape[0]} rows, but there are {len(self)} voxels")
        width = int(of_means.shape[1])
        if self._space is NUMPY:
            of_means = np.ascontiguousarray(of_means)
        of_features = self._space.empty((self._n, width), dtype)
        self._handle.mean_gradient(self._at(), of_means, DTYPES[dtype], width, raw(of_features))
        return self._space.give(of_features)

    @reading
    def nearest(self) -> Any:
        """The point of each voxel that is nearest to its centre; of equally near ones the first.

        Examples
        --------
        >>> from boscage.voxels import Voxels
        >>> Voxels([[0.75], [3.5], [0.5]], 1.0).nearest()
        array([2, 1])
        """
        ids = self._space.empty(len(self), "int64")
        self._handle.nearest(self._at(), self.points, raw(ids))
        return self._space.give(ids)

    @reading
    def pad(self, features: Any = None, rows: Optional[int] = None) -> Any:
        """The features of the first points of each voxel, with zeros for missing ones.

        Parameters
        ----------
        features : array_like, shape (n, f), optional
            By default the points.
        rows : int, optional
            Points of a voxel; by default ``max_points``.

        Returns
        -------
        array, shape (v, rows, f)

        Examples
        --------
        >>> from boscage.voxels import Voxels
        >>> Voxels([[0.5], [3.5], [0.25]], 1.0).pad(rows=2)
        array([[[0.5 ],
                [0.25]],
        <BLANKLINE>
               [[3.5 ],
                [0.  ]]])
        """
        rows = _most(rows, "rows") or self._options[3]
        if rows == 0:
            raise ValueError("rows: needed where max_points is not set")
        features, dtype, width = self._features(features)
        padded = self._space.empty((len(self), rows, width), dtype)
        self._handle.pad(self._at(), features, DTYPES[dtype], width, rows, raw(padded))
        return self._space.give(padded)

    @reading
    def coarse(self, stride: Any, *, progress: Progress = None) -> "Voxels":
        """The voxels of the voxels' coordinates divided by `stride`: those of a strided convolution.

        Examples
        --------
        >>> from boscage.voxels import Voxels
        >>> Voxels([[0.5], [3.5], [1.25], [2.0]], 1.0).coarse(2).coords
        array([[0],
               [1]], dtype=int32)
        """
        steps = _axes(stride, self._m, "stride", 1, "int32")[: self._m]
        if min(steps) < 1:
            raise ValueError("stride: less than 1")
        return Voxels(self.coords, steps, self.offsets, device=self._place, progress=progress)

    def kernel_map(
        self, shape: Any = 3, stride: Any = 1, dilation: Any = 1, out: Optional["Voxels"] = None
    ) -> Any:
        """The voxel at each offset of a kernel from each voxel of `out`, in the same cloud.

        Parameters
        ----------
        shape : int or sequence of m ints
            Offsets along each coordinate, 1 to 15: of an odd number s from ``-(s // 2)`` to ``s // 2``, of an even one
            from 0 to ``s - 1``.
        stride : int or sequence of m ints
            Coordinates of `out` are multiplied by it.
        dilation : int or sequence of m ints
            Offsets are multiplied by it.
        out : Voxels, optional
            By default these voxels, as in a submanifold convolution. ``coarse(stride)`` gives those of a strided one.

        Returns
        -------
        array of int64, shape (voxels of out, product of shape)
            Voxels of this, or -1; the offset of the last coordinate runs fastest.

        Examples
        --------
        >>> from boscage.voxels import Voxels
        >>> voxels = Voxels([[0.5], [3.5], [1.25], [2.0]], 1.0)
        >>> voxels.kernel_map(2, 2, out=voxels.coarse(2))
        array([[0, 2],
               [3, 1]])
        """
        out = self if out is None else out
        if not isinstance(out, Voxels):
            raise TypeError("out: not Voxels")
        return self._map(out, shape, stride, dilation)

    @reading_both
    def _map(self, out: "Voxels", shape: Any, stride: Any, dilation: Any) -> Any:
        sides, steps, gaps = (
            _axes(x, self._m, name, 1, "int32")
            for x, name in ((shape, "shape"), (stride, "stride"), (dilation, "dilation"))
        )
        if min(sides) < 1 or max(sides) > 15:
            raise ValueError("shape: not 1 to 15")
        volume = int(np.prod(sides[: self._m]))
        ids = self._space.empty((len(out), volume), "int64")
        self._handle.kernel_map(self._at(), out._handle, sides, steps, gaps, raw(ids))
        return self._space.give(ids)


def _restore(points: Any, offsets: Any, options: Any) -> Voxels:
    cell, low, shape, max_points, max_voxels = options
    return Voxels(
        points,
        cell,
        offsets,
        low=low,
        shape=None if shape[0] == 0 else shape,
        max_points=max_points or None,
        max_voxels=max_voxels or None,
    )


def voxel_down_sample(
    points: Any,
    cell: Any,
    offsets: Any = None,
    *,
    method: str = "mean",
    features: Any = None,
    low: Any = 0.0,
    device: Any = None,
    progress: Progress = None,
) -> Any:
    """One point for each voxel of edge `cell`, in the order of the first points of the voxels.

    Parameters
    ----------
    points, cell, offsets, low, device, progress
        As for `Voxels`. Open3D's grid begins half a cell below the least coordinates: ``low=points.min(0) - cell / 2``.
    method : {"mean", "first", "nearest"}
        The mean of the points, the first of them, or the one nearest to the centre of the voxel.
    features : array_like, shape (n, f), optional
        Reduced in place of the points.

    Returns
    -------
    array, shape (v, m) or (v, f)

    Examples
    --------
    >>> from boscage.voxels import voxel_down_sample
    >>> voxel_down_sample([[0.25, 0.5], [2.5, 2.5], [0.75, 0.5]], 1.0)
    array([[0.5, 0.5],
           [2.5, 2.5]])
    >>> voxel_down_sample([[0.25, 0.5], [2.5, 2.5], [0.75, 0.5]], 1.0, method="first")
    array([[0.25, 0.5 ],
           [2.5 , 2.5 ]])
    """
    if method not in ("mean", "first", "nearest"):
        raise ValueError(f"method: {method!r} is none of 'mean', 'first', 'nearest'")
    voxels = Voxels(points, cell, offsets, low=low, device=device, progress=progress)
    if method == "mean":
        return voxels.mean(features, progress=progress)
    from_rows = points if features is None else features
    refuse_mask(from_rows, "features")
    if space_of(from_rows) is NUMPY:
        from_rows = np.asarray(from_rows)
    if from_rows.shape[0] != voxels._n:
        raise ValueError(f"features: {from_rows.shape[0]} rows, but there are {voxels._n} points")
    return from_rows[voxels.firsts if method == "first" else voxels.nearest()]


def voxelize(
    points: Any,
    voxel_size: Any,
    coors_range: Any,
    max_points: int = 35,
    max_voxels: int = 20000,
    *,
    device: Any = None,
    progress: Progress = None,
) -> tuple[Any, Any, Any]:
    """Hard voxelisation of detectors, with the arguments, results and rules of mmdet3d's deterministic one.

    Parameters
    ----------
    points : array_like, shape (n, f)
        The first three columns are coordinates.
    voxel_size : sequence of 3 floats
    coors_range : sequence of 6 floats
        Least and greatest coordinates; the number of voxels is the rounded quotient.
    max_points, max_voxels : int
        The first points of a voxel, and the first voxels, stay.

    Returns
    -------
    voxels : array, shape (v, max_points, f)
        Points of each voxel, then zeros.
    coors : array of int32, shape (v, 3)
        In the order z, y, x.
    num_points : array of int64, shape (v,)

    Examples
    --------
    >>> import numpy as np
    >>> from boscage.voxels import voxelize
    >>> points = np.array([[0.5, 0.5, 0.5, 7.0], [9.0, 0.5, 0.5, 7.0], [0.25, 1.5, 0.5, 7.0]], np.float32)
    >>> voxels, coors, num_points = voxelize(points, (1, 1, 1), (0, 0, 0, 2, 2, 2), max_points=2)
    >>> coors
    array([[0, 0, 0],
           [0, 1, 0]], dtype=int32)
    >>> num_points
    array([1, 1])
    """
    size, box = np.asarray(voxel_size, np.float64), np.asarray(coors_range, np.float64)
    if size.shape != (3,) or not (np.isfinite(size) & (size > 0)).all():
        raise ValueError("voxel_size: not three positive numbers")
    if box.shape != (6,) or not np.isfinite(box).all() or not (box[3:] > box[:3]).all():
        raise ValueError("coors_range: not three numbers and three greater ones")
    refuse_mask(points, "points")
    if space_of(points) is NUMPY:
        points = np.asarray(points)
    if len(points.shape) != 2 or points.shape[1] < 3:
        raise ValueError("points: not rows of three coordinates or more")
    voxels = Voxels(
        points[:, :3],
        size,
        low=box[:3],
        shape=np.maximum(np.round((box[3:] - box[:3]) / size), 1).astype(np.int64),
        max_points=max_points,
        max_voxels=max_voxels,
        device=device,
        progress=progress,
    )
    coords = voxels.coords
    return voxels.pad(points), coords[:, [2, 1, 0]], voxels.counts
