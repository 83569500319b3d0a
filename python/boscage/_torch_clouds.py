"""Clouds, edges and samples of tensors. All arrays stay on their device, and few numbers travel to the host.

torch.py has the same calls for other libraries, and for PyTorch before 2.4: there offsets are made on the host.
"""

from __future__ import annotations

import math
from typing import Any, Optional

import numpy as np

from . import _core
from ._arrays import DTYPES, place_for, space_of
from ._numbers import whole
from .clouds import PointClouds, as_rows

_HANDLES: dict[tuple, Any] = {}  # batches whose memory the next call of the same kind uses again, on the same stream
_MOST_HANDLES = 8
_MOST_NUMBERS = 2**24  # coordinates of a batch that is kept


class _Reused(PointClouds):
    """A batch in the memory of an earlier one, so that it allocates nothing."""

    def __init__(self, points: Any, offsets: Any):
        self._space = space_of(points)
        self._place = place_for(self._space, None)
        points, self._dtype = self._points(points, "points", self._space)
        self._m = int(points.shape[1])
        self._key = self._place, self._space.stream(), self._dtype, self._m
        handle = _HANDLES.pop(self._key, None)
        self._handle = _core.Clouds(self._at(), DTYPES[self._dtype], self._m) if handle is None else handle
        self._build(points, offsets, self._space, None)

    def __enter__(self) -> "_Reused":
        return self

    def __exit__(self, *_: Any) -> None:
        """Keeps the memory. No more calls may follow."""
        if self.points.shape[0] * self._m <= _MOST_NUMBERS and len(_HANDLES) < _MOST_HANDLES:
            _HANDLES[self._key] = self._handle
        del self._handle


def _check_integers(torch: Any, x: Any, name: str) -> None:
    if x.dim() != 1 or x.is_floating_point() or x.is_complex() or x.dtype == torch.bool:
        raise ValueError(f"{name}: not a vector of integers")


class _Side:
    """Rows with the cloud of each, or the rows of one cloud."""

    def __init__(self, torch: Any, x: Any, batch: Any, name: str):
        self.torch, self.device, self.n, self.name, self.batch, self.least = torch, x.device, x.shape[0], name, batch, 1
        if batch is None:
            return
        _check_integers(torch, batch, name)
        if batch.shape[0] != self.n:
            raise ValueError(f"{name}: {batch.shape[0]} rows, but there are {self.n} points")
        self.least, self.batch = 0, batch.to(self.device, torch.int64).contiguous()

    def summary(self) -> Any:
        """The first number, the last one, and whether any number is less than the one before it."""
        b = self.batch
        return self.torch.stack((b[0], b[-1], (b[1:] < b[:-1]).any().to(b.dtype)))

    def check(self, first: int, last: int, descends: int) -> None:
        if first < 0 or descends:
            raise ValueError(f"{self.name}: numbers do not ascend from 0")
        self.least = last + 1

    def offsets(self, count: int) -> Any:
        """The first row of each cloud, then n."""
        if self.batch is None:
            return self.torch.tensor([0, self.n], device=self.device)
        return self.torch.searchsorted(self.batch, self.torch.arange(count + 1, device=self.device))


def _offsets(torch: Any, sides: list[_Side], size: Optional[int]) -> list[Any]:
    """The offsets of all sides, which get as many clouds: `size` or as many as the vectors have. One transfer."""
    given = [side for side in sides if side.batch is not None]
    filled = [side for side in given if side.n > 0]
    if filled:
        for side, numbers in zip(filled, torch.stack([side.summary() for side in filled]).tolist()):
            side.check(*numbers)
    count = max((side.least for side in given), default=1)
    if given and size is not None:
        for side in given:
            if whole(size, "batch_size") < side.least:
                raise ValueError(f"batch_size: {size} clouds, but {side.name} has {side.least}")
        count = size
    if count != 1 and len(given) != len(sides):
        raise ValueError(f"{', '.join(s.name for s in sides)}: only one is there, and it does not have one cloud")
    return [side.offsets(count) for side in sides]


class TensorClouds:
    """The clouds of x, and queries y in them; without y each point of x is a query."""

    def __init__(
        self, torch: Any, x: Any, batch_x: Any, names: tuple, size: Optional[int], y: Any = None, batch_y: Any = None
    ):
        self.torch = torch
        if y is x and batch_y is batch_x:  # searches of the batch's own points are faster
            y = batch_y = None
        x, y = as_rows(x, "points"), None if y is None else as_rows(y, "queries")
        sides = [_Side(torch, x, batch_x, names[0])]
        shared = batch_y is batch_x and y is not None and y.shape[0] == x.shape[0]  # one vector for both sides
        if y is not None and not shared:
            sides.append(_Side(torch, y, batch_y, names[1]))
        of = _offsets(torch, sides, size)
        if shared:
            of = of * 2
        self.clouds = _Reused(x, of[0])
        queries = (y, of[1]) if y is not None else (None, None)
        self.queries, self.of_queries, self.q, _ = self.clouds._queries(*queries, False)
        self.single, self.n = batch_x is None, int(x.shape[0])

    def __enter__(self) -> "TensorClouds":
        return self

    def __exit__(self, *_: Any) -> None:
        self.clouds.__exit__()

    def sizes(self) -> tuple[int, int]:
        """Points of the smallest and of the largest cloud. One transfer, unless there is one cloud."""
        if self.single:
            return self.n, self.n
        of = self.clouds.offsets
        if of.shape[0] < 2:
            return 0, 0
        least, most = self.torch.stack((of[1:] - of[:-1]).aminmax()).tolist()
        return least, most

    def find(self, k: int, r: float, exclude_self: bool, ids: Any) -> None:
        c = self.clouds
        c._handle.knn(c._at(), self.queries, self.of_queries, exclude_self, k, r, ids, None)

    def empty(self, *shape: int) -> Any:
        return self.torch.empty(shape, dtype=self.torch.int64, device=self.clouds.points.device)

    def rows(self) -> Any:
        return self.torch.arange(self.q, device=self.clouds.points.device)

    def nearest(self, k: int, r: Optional[float], exclude_self: bool, row: int) -> Any:
        """Edges to the k nearest, by (distance, row); out[row] are the queries. Without r and with k points in each
        cloud all entries are there, and nothing is selected."""
        least, most = self.sizes()
        k = min(k, max(most, 1))
        if k >= 1 and r is None and least - exclude_self >= k:
            out = self.empty(2, self.q * k)
            self.find(k, math.inf, exclude_self, out[1 - row].view(self.q, k))
            out[row].view(self.q, k).copy_(self.rows()[:, None])
            return out
        ids = self.empty(self.q, max(k, 0))
        self.find(k, math.inf if r is None else r, exclude_self, ids)
        ids = ids.view(-1)
        entries = (ids >= 0).nonzero()[:, 0]
        out = self.empty(2, entries.shape[0])
        self.torch.div(entries, k, rounding_mode="floor", out=out[row])
        self.torch.index_select(ids, 0, entries, out=out[1 - row])
        return out

    def within(self, r: float, most: int, exclude_self: bool, row: int) -> Any:
        """Edges to all points within r, by row; to the `most` nearest of them if a query has more."""
        c, offsets = self.clouds, self.empty(self.q + 1)
        search = c._at(), self.queries, self.of_queries, exclude_self, r, offsets
        c._handle.radius(*search, None, None)
        if self.q == 0:
            return self.empty(2, 0)
        counts = offsets[1:] - offsets[:-1]
        longest, total = self.torch.stack((counts.max(), offsets[-1])).tolist()
        if longest > most:
            return self.nearest(most, r, exclude_self, row)
        out = self.empty(2, total)
        if total:
            c._handle.radius(*search, out[1 - row], None)
            out[row].copy_(self.torch.repeat_interleave(self.rows(), counts, output_size=total))
        return out

    def single_nearest(self) -> Any:
        """The row of the nearest point of each query, or -1."""
        ids = self.empty(self.q, 1)
        self.find(1, math.inf, False, ids)
        return ids.view(-1)


def sample(torch: Any, src: Any, batch: Any, ratio: float, size: Optional[int], ptr: Any, seed: Optional[int]) -> Any:
    """Farthest point samples of ceil(ratio n) points of each cloud; their first ones are drawn if there is a seed."""
    # 1. The clouds.
    src = as_rows(src, "points")
    if ptr is None:
        of = _offsets(torch, [_Side(torch, src, batch, "batch")], size)[0]
    else:
        if ptr.shape[:1] == (0,):
            raise ValueError("ptr: no offsets")
        _check_integers(torch, ptr, "ptr")
        of = ptr.to(src.device, torch.int64)
        first, last, descends = torch.stack((of[0], of[-1], (of[1:] < of[:-1]).any().to(of.dtype))).tolist()
        if first != 0 or last != src.shape[0] or descends:
            raise ValueError(f"ptr: does not ascend from 0 to {src.shape[0]}")
    sizes = of[1:] - of[:-1]
    # 2. The number of samples of each.
    given = torch.zeros_like(of)
    torch.cumsum((ratio * sizes.double()).ceil().long(), 0, out=given[1:])
    single = batch is None and ptr is None
    ids = of.new_empty(math.ceil(ratio * src.shape[0]) if single else int(given[-1]))
    # 3. Their first ones, and the others.
    starts = None
    if seed is not None:
        drawn = torch.as_tensor(np.random.default_rng(seed).random(sizes.shape[0])).to(src.device)
        starts = of[:-1] + torch.minimum((drawn * sizes).long(), (sizes - 1).clamp(min=0))
    with _Reused(src, of) as clouds:
        clouds._handle.sample_farthest(clouds._at(), given, starts, ids)
    return ids
