"""Clouds, edges and samples of tensors. All arrays stay on their device, and few numbers travel to the host.

The extension gets addresses of tensors, without the capsules of DLPack. torch.py has the same calls for other libraries,
and for PyTorch before 2.4: there offsets are made on the host.
"""

from __future__ import annotations

import math
import re
from typing import Any, Callable, Optional

import numpy as np

from . import _core
from ._arrays import DTYPES, place_for, space_of
from ._where import where

_HANDLES: dict[tuple, Any] = {}  # batches whose memory the next call of the same kind uses again, on the same stream
_ROOM: dict[tuple, float] = {}  # edges a query within a radius, of the last call of the same kind, and some more
_MOST_HANDLES = 8
_MOST_ROOM = 2**24  # edges for which a call makes room before it has counted them: 256 MiB
_MOST_NUMBERS = 2**24  # coordinates of a batch that is kept


def _check_integers(torch: Any, x: Any, name: str) -> None:
    if x.dim() != 1 or x.is_floating_point() or x.is_complex() or x.dtype == torch.bool:
        raise ValueError(f"{name}: not a vector of integers")


def _rows(torch: Any, x: Any, name: str, like: Any = None) -> Any:
    """Coordinates without gaps, of a type that the library has: that of `like`, and on its device, if it is given."""
    if x.dim() not in (1, 2):
        raise ValueError(f"{name}: not an array of shape (n, m) or (n,)")
    if x.is_complex() or x.layout != torch.strided:
        raise TypeError(f"{name}: real numbers in a dense tensor are needed, not {x.dtype} in {x.layout}")
    x = x.reshape(-1, 1) if x.dim() == 1 else x
    if x.shape[1] < 1:
        raise ValueError(f"{name}: not an array of shape (n, m)")
    if like is None:
        dtype, device = torch.float32 if x.dtype == torch.float32 else torch.float64, x.device
    else:
        dtype, device = like.dtype, like.device
        if x.shape[1] != like.shape[1]:
            raise ValueError(f"{name}: {x.shape[1]} coordinates, but the batch has {like.shape[1]}")
    if x.dtype != dtype or x.device != device or not x.is_contiguous() or x.is_neg():
        x = x.detach().to(device, dtype).contiguous().resolve_neg()
    return x


def _numbers(torch: Any, batch: Any, x: Any, name: str) -> Any:
    """The cloud of each row of x; None stays."""
    if batch is None:
        return None
    _check_integers(torch, batch, name)
    if batch.shape[0] != x.shape[0]:
        raise ValueError(f"{name}: {batch.shape[0]} rows, but there are {x.shape[0]} points")
    return batch.to(x.device, torch.int64).contiguous()


def _address(x: Any) -> int:
    return 0 if x is None else x.data_ptr()


class TensorClouds:
    """The clouds of x, and queries y in them; without y each point of x is a query."""

    def __init__(
        self, torch: Any, x: Any, batch_x: Any, names: tuple, size: Optional[int], y: Any = None, batch_y: Any = None
    ):
        self.torch, self.names, self.size = torch, names, size
        # 1. Tensors that the library reads as they are. They must live until the calls are made.
        if y is x and batch_y is batch_x:  # searches of the batch's own points are faster
            y = batch_y = None
        self.x = x = _rows(torch, x, "points")
        self.y = y = None if y is None else _rows(torch, y, "queries", x)
        self.batch_x = _numbers(torch, batch_x, x, names[0])
        self.batch_y = None if y is None else _numbers(torch, batch_y, y, names[1])
        self.one_vector = y is not None and (batch_x is None) != (batch_y is None)
        if size is not None and size < 0 or self.one_vector and size not in (None, 1):
            self.refuse_size()
        # 2. The memory of an earlier batch, or new memory.
        space = space_of(x)
        place = place_for(space, None)
        self.at = where(place, space.stream())
        self.key = place, space.stream(), x.dtype, x.shape[1]
        self.handle = _HANDLES.pop(self.key, None)
        if self.handle is None:
            self.handle = _core.Clouds(self.at, DTYPES[space.dtype_name(x)], x.shape[1])
        # 3. The batch.
        self.n, self.q = x.shape[0], x.shape[0] if y is None else y.shape[0]
        self.search = (0, -1, 0) if y is None else (y.data_ptr(), self.q, _address(self.batch_y))
        self.count, self.smallest, self.largest = self.call(
            self.handle.build_at,
            x.data_ptr(),
            self.n,
            batch_x is None,
            _address(self.batch_x),
            -1 if size is None else size,
            _address(self.batch_y),
            0 if self.batch_y is None else self.q,
        )
        if self.one_vector and self.count != 1:
            self.refuse_size()

    def __enter__(self) -> "TensorClouds":
        return self

    def __exit__(self, *_: Any) -> None:
        """Keeps the memory. No more calls may follow."""
        if self.x.numel() <= _MOST_NUMBERS and len(_HANDLES) < _MOST_HANDLES:
            _HANDLES[self.key] = self.handle
        del self.handle

    def refuse_size(self, name: str = "") -> None:
        if self.one_vector:
            raise ValueError(f"{', '.join(self.names)}: only one is there, and it does not have one cloud")
        raise ValueError(f"batch_size: {self.size} clouds" + (f", but {name} has more" if name else ""))

    def call(self, method: Callable, *args: Any) -> Any:
        """Calls the extension. Errors of vectors name the caller's argument."""
        try:
            return method(self.at, *args)
        except ValueError as error:
            found = re.fullmatch(r"(queries: )?batch: (row \d+ is of cloud)?(.*)", str(error))
            if not found:
                raise
            name = self.names[1 if found[1] else 0]
            if found[2] and (self.one_vector or self.size is not None):
                self.refuse_size(name)
            raise ValueError(f"{name}: {found[2] or ''}{found[3]}") from None

    def find(self, method: Callable, *args: Any) -> None:
        if self.q:
            self.call(method, *self.search, *args)

    def empty(self, *shape: int) -> Any:
        return self.torch.empty(shape, dtype=self.torch.int64, device=self.x.device)

    def nearest(self, k: int, r: Optional[float], exclude_self: bool, row: int) -> Any:
        """Edges to the k nearest, by (distance, row); out[row] are the queries. Without r and with k points in each
        cloud all entries are there, and nothing is selected."""
        k = min(k, max(self.largest, 1))
        limit = math.inf if r is None else r
        out = self.empty(2, self.q * max(k, 0))
        self.find(self.handle.knn_edges_at, exclude_self, k, limit, row == 1, out.data_ptr())
        if r is None and self.smallest - exclude_self >= k:
            return out
        return out.index_select(1, (out[1 - row] >= 0).nonzero()[:, 0])

    def within(self, r: float, most: int, exclude_self: bool, row: int) -> Any:
        """Edges to all points within r, by row; to the `most` nearest of them if a query has more."""
        if self.q == 0:
            return self.empty(2, 0)
        # 1. Room for some more edges a query than the last call had; a call with too little finds their number.
        room = min(math.ceil(_ROOM.get(self.key, 0) * self.q), most * self.q, _MOST_ROOM)
        while True:
            flat = self.empty(2 * room)
            search = *self.search, exclude_self, r, most, row == 1
            total, longest = self.call(self.handle.edges_at, *search, flat.data_ptr(), room)
            if longest > most:
                return self.nearest(most, r, exclude_self, row)
            if total <= room:
                break
            room = total
        # 2. The edges stand at the beginning of the room. A result keeps no more than twice its memory.
        if len(_ROOM) >= _MOST_HANDLES and self.key not in _ROOM:
            _ROOM.clear()
        _ROOM[self.key] = 1.125 * total / self.q
        flat = flat[: 2 * total]
        return (flat if 2 * total >= room else flat.clone()).view(2, total)

    def single_nearest(self) -> Any:
        """The row of the nearest point of each query, or -1."""
        ids = self.empty(self.q)
        self.find(self.handle.knn_at, False, 1, math.inf, ids.data_ptr())
        return ids

    def sample(self, ratio: float, seed: Optional[int]) -> Any:
        """Farthest point samples of ceil(ratio n) points of each cloud; a seed draws the first ones."""
        draws = None if seed is None else np.random.default_rng(seed).random(self.count)
        address = 0 if draws is None else draws.ctypes.data
        most = math.ceil(ratio * self.n)  # of one cloud exactly
        ids = self.empty(most if self.batch_x is None else min(self.n, most + self.count))
        total = self.call(self.handle.sample_ratio_at, ratio, address, ids.data_ptr(), ids.shape[0])
        return ids[:total]


def sample(torch: Any, src: Any, batch: Any, ratio: float, size: Optional[int], ptr: Any, seed: Optional[int]) -> Any:
    """Farthest point samples of clouds that `batch` or the offsets `ptr` separate."""
    if ptr is None:
        with TensorClouds(torch, src, batch, ("batch",), size) as clouds:
            return clouds.sample(ratio, seed)
    if ptr.shape[:1] == (0,):
        raise ValueError("ptr: no offsets")
    _check_integers(torch, ptr, "ptr")
    src = _rows(torch, src, "points")
    of = ptr.to(src.device, torch.int64)
    first, last, descends = torch.stack((of[0], of[-1], (of[1:] < of[:-1]).any().to(of.dtype))).tolist()
    if first != 0 or last != src.shape[0] or descends:
        raise ValueError(f"ptr: does not ascend from 0 to {src.shape[0]}")
    batch = torch.repeat_interleave(of[1:] - of[:-1], output_size=src.shape[0])
    with TensorClouds(torch, src, batch, ("ptr",), of.shape[0] - 1) as clouds:
        return clouds.sample(ratio, seed)
