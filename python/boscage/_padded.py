"""Neighbours in batches of padded clouds: arrays of shape (clouds, rows, coordinates)."""

from __future__ import annotations

import re
from contextlib import contextmanager, nullcontext
from typing import Any, Iterator

import numpy as np

from ._arrays import NUMPY, Space, space_of
from .clouds import PointClouds


class _Rows:
    """The rows of padded clouds that count, as a batch."""

    def __init__(self, space: Space, x: Any, lengths: Any, name: str):
        clouds, most = int(x.shape[0]), int(x.shape[1])
        sizes = np.full(clouds, most) if lengths is None else np.asarray(space_of(lengths).host(lengths))
        if sizes.shape != (clouds,) or sizes.dtype.kind not in "iu" or (sizes < 0).any() or (sizes > most).any():
            raise ValueError(f"{name}: not {clouds} integers from 0 to {most}")
        self.sizes = sizes.astype(np.int64)
        self.offsets = np.append(0, np.cumsum(self.sizes))
        self.points = x.reshape(clouds * most, x.shape[2])
        self.back = None  # the row of the batch of each padded row, and whether there is one
        if lengths is not None and (sizes < most).any():
            column = np.arange(most)
            there = (column < self.sizes[:, None]).ravel()
            self.points = self.points[space.asarray(np.flatnonzero(there))]
            back = (self.offsets[:-1, None] + np.minimum(column, self.sizes[:, None])).ravel()
            self.back = space.asarray(back * there), space.asarray(there)
        self.shape = clouds, most

    def pad(self, space: Space, x: Any, absent: Any) -> Any:
        """Rows of a batch that is not empty, as rows of the padded clouds."""
        if self.back is not None:
            x = space.choose(self.back[1][:, None], x[self.back[0]], absent)
        return x.reshape(*self.shape, x.shape[1])


def _read(p1: Any, p2: Any, lengths1: Any, lengths2: Any) -> tuple[Space, _Rows, _Rows]:
    space = space_of(p1, p2)
    for p, name in ((p1, "p1"), (p2, "p2")):
        if np.ma.is_masked(p):
            raise TypeError(f"{name}: an array with missing elements")
    p1, p2 = (np.asarray(p) if space is NUMPY else p for p in (p1, p2))
    for p, name in ((p1, "p1"), (p2, "p2")):
        if len(p.shape) != 3 or p.shape[2] < 1:
            raise ValueError(f"{name}: not an array of shape (clouds, rows, coordinates)")
    if p1.shape[0] != p2.shape[0] or p1.shape[2] != p2.shape[2]:
        raise ValueError(f"p1, p2: shapes {tuple(p1.shape)} and {tuple(p2.shape)} do not fit")
    return space, _Rows(space, p1, lengths1, "lengths1"), _Rows(space, p2, lengths2, "lengths2")


@contextmanager
def _named(queries: _Rows, points: _Rows) -> Iterator[None]:
    """Errors of rows of a batch name the argument, the cloud, and the row in that."""
    try:
        yield
    except ValueError as error:
        found = re.fullmatch(r"(queries|points): row (\d+) (.*)", str(error))
        if not found:
            raise
        name, side = ("p1", queries) if found[1] == "queries" else ("p2", points)
        row = int(found[2])
        cloud = int(np.searchsorted(side.offsets, row, "right")) - 1
        raise ValueError(f"{name}: row {row - side.offsets[cloud]} of cloud {cloud} {found[3]}") from None


def _absent(space: Space, queries: _Rows, dtype: str, k: int) -> tuple[Any, Any]:
    """The answer where no rows count."""
    shape = (*queries.shape, k)
    return space.asarray(np.zeros(shape), dtype), space.asarray(np.full(shape, -1), "int64")


def _answer(space: Space, queries: _Rows, points: _Rows, dist2: Any, ids: Any, there: Any) -> tuple[Any, Any]:
    """Padded distances and rows, from rows of the batch."""
    first = space.asarray(np.repeat(points.offsets[:-1], queries.sizes))
    return (
        queries.pad(space, space.choose(there, dist2, 0), 0),
        queries.pad(space, space.choose(there, ids - first[:, None], -1), -1),
    )


def knn_padded(p1: Any, p2: Any, lengths1: Any, lengths2: Any, k: int, exclude_self: bool) -> tuple[Any, Any]:
    """The k nearest rows of p2 for each row of p1 by (distance, row). exclude_self: p1 is p2, and no row finds itself.

    Missing entries have distance 0 and row -1.
    """
    space, queries, points = _read(p1, p2, lengths1, lengths2)
    with nullcontext() if exclude_self else _named(queries, points):  # distCUDA2 has an array, named points
        clouds = PointClouds(points.points, points.offsets)
        if queries.offsets[-1] == 0:
            return _absent(space, queries, clouds._dtype, k)
        own = () if exclude_self else (queries.points, queries.offsets)
        dist2, ids = clouds.knn(k, *own, exclude_self=exclude_self)
    return _answer(space, queries, points, dist2, ids, ids >= 0)


def ball_query_padded(p1: Any, p2: Any, lengths1: Any, lengths2: Any, k: int, r: float) -> tuple[Any, Any]:
    """The first k rows of p2 nearer than r for each row of p1; missing entries have distance 0 and row -1."""
    space, queries, points = _read(p1, p2, lengths1, lengths2)
    with _named(queries, points):
        clouds = PointClouds(points.points, points.offsets)
    below = float(np.nextafter(np.dtype(clouds._dtype).type(r), -np.inf))  # distances up to this are less than r
    if below < 0 or queries.offsets[-1] == 0:
        return _absent(space, queries, clouds._dtype, k)
    with _named(queries, points):
        rows, ids, dist2 = clouds.radius(below, queries.points, queries.offsets)
    if ids.shape[0] == 0:
        return _absent(space, queries, clouds._dtype, k)
    column = space.asarray(np.arange(k))
    there = column < (rows[1:] - rows[:-1])[:, None]
    entry = space.choose(there, rows[:-1][:, None] + column, 0)
    return _answer(space, queries, points, dist2[entry], ids[entry], there)


def gather_padded(x: Any, idx: Any) -> Any:
    """The rows of clouds (clouds, rows, coordinates) that idx (clouds, queries, k) names; 0 for a row of -1."""
    space = space_of(x, idx)
    x = np.asarray(x) if space is NUMPY else x
    if x.shape[1] == 0:
        return space.asarray(np.zeros((*idx.shape, x.shape[2])), space.dtype_name(x))
    cloud = space.asarray(np.arange(int(x.shape[0])))[:, None, None]
    return x[cloud, idx * (idx >= 0)] * (idx >= 0)[..., None]
