"""Parallel primitives: reductions, scans, splits, sorts, merges and searches, with the same bits on every backend.

Arrays are of NumPy, CuPy, PyTorch or JAX, of 32 or 64-bit integers or floats; results are of the same library. Sums of
floats follow one fixed tree, so they do not depend on the number of threads, nor on the backend.
"""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _core
from ._arrays import DTYPES, NUMPY, Space, place_for, raw, space_of
from ._convert import flags, integers, values_of
from ._numbers import whole
from ._where import Progress, where

__all__ = [
    "argsort",
    "bincount",
    "compact",
    "merge",
    "reduce",
    "scan",
    "searchsorted",
    "sort",
    "sort_pairs",
    "sort_points",
    "split",
]

OPERATIONS = {"sum": 0, "min": 1, "max": 2}


def _at(space: Space, device: Any, workers: Optional[int], progress: Progress = None) -> Any:
    return where(place_for(space, device), space.stream(), workers, progress)


def _numbers(x: Any, space: Space, name: str, ndim: int = 1) -> Any:
    """Numbers of a type of the library, without gaps."""
    if space is NUMPY:
        x = values_of(x, name)
        if x.dtype.name not in DTYPES:
            if x.dtype.kind not in "biuf" or x.dtype.itemsize > 8:
                raise TypeError(f"{name}: {x.dtype}; numbers of 32 or 64 bits are needed")
            x = x.astype({"f": np.float32, "u": np.uint32}.get(x.dtype.kind, np.int32))
    elif space.dtype_name(x) not in DTYPES:
        raise TypeError(f"{name}: {space.dtype_name(x)}; numbers of 32 or 64 bits are needed")
    x = space.asarray(x)
    if len(x.shape) != ndim:
        raise ValueError(f"{name}: not an array of {ndim} dimension{'s' * (ndim > 1)}")
    return x


def _ordered(x: Any, space: Space, name: str, ndim: int = 1) -> Any:
    """Numbers that the library orders as NumPy does: it puts NaNs with a sign bit, as of 0 / 0 on x86, first."""
    x = _numbers(x, space, name, ndim)
    return space.with_plain_nans(x) if space.dtype_name(x).startswith("float") else x


def _operation(op: str) -> int:
    if op not in OPERATIONS:
        raise ValueError(f"op: {op!r} is not one of {', '.join(OPERATIONS)}")
    return OPERATIONS[op]


def reduce(x: Any, op: str = "sum", *, device: Any = None, workers: Optional[int] = None) -> Any:
    """Reduces an array to one number.

    Parameters
    ----------
    x : array_like
        Numbers.
    op : {"sum", "min", "max"}
        Sums have the type of x; those of integers wrap.
    device, workers
        As those of `boscage.spatial.cKDTree`.

    Returns
    -------
    scalar of NumPy, or array of one element of another library

    Examples
    --------
    >>> from boscage.prims import reduce
    >>> reduce([3.0, 1.0, 2.0], "max").item()
    3.0
    """
    space = space_of(x)
    x = _numbers(x, space, "x")
    out = space.empty(1, space.dtype_name(x))
    _core.reduce(_at(space, device, workers), _operation(op), x, raw(out))
    return out[0] if space is NUMPY else space.give(out)


def scan(
    x: Any,
    op: str = "sum",
    *,
    exclusive: bool = False,
    heads: Any = None,
    device: Any = None,
    workers: Optional[int] = None,
) -> Any:
    """Scans an array: element i of the result combines the elements up to i.

    Parameters
    ----------
    x : array_like
        Numbers.
    op : {"sum", "min", "max"}
        As that of `reduce`.
    exclusive : bool
        Combines the elements before i; the first one is the identity.
    heads : array_like of bool, optional
        True where a segment begins; segments are scanned one by one.
    device, workers
        As those of `reduce`.

    Returns
    -------
    array of the type of x

    Examples
    --------
    >>> from boscage.prims import scan
    >>> scan([1, 2, 3, 4], exclusive=True)
    array([0, 1, 3, 6])
    >>> scan([1, 2, 3, 4], heads=[1, 0, 1, 0])
    array([1, 3, 3, 7])
    """
    space = space_of(x)
    x = _numbers(x, space, "x")
    if heads is not None:
        heads = flags(heads, space, "heads")
        if tuple(heads.shape) != tuple(x.shape):
            raise ValueError("heads: not as many as x")
    out = space.empty(int(x.shape[0]), space.dtype_name(x))
    _core.scan(_at(space, device, workers), _operation(op), bool(exclusive), x, heads, raw(out))
    return space.give(out)


def compact(x: Any, keep: Any, *, device: Any = None, workers: Optional[int] = None) -> Any:
    """Lists the elements with a flag, in order.

    Parameters
    ----------
    x : array_like
        Numbers.
    keep : array_like of bool
        One flag for each.
    device, workers
        As those of `reduce`.

    Returns
    -------
    array of the type of x

    Examples
    --------
    >>> from boscage.prims import compact
    >>> compact([5, 6, 7], [True, False, True])
    array([5, 7])
    """
    space = space_of(x)
    x, keep = _numbers(x, space, "x"), flags(keep, space, "keep")
    if tuple(keep.shape) != tuple(x.shape):
        raise ValueError("keep: not as many as x")
    out = space.empty(int(x.shape[0]), space.dtype_name(x))
    count = _core.compact(_at(space, device, workers), x, keep, raw(out))
    return space.give(out)[:count]


def bincount(x: Any, minlength: int = 0, *, device: Any = None, workers: Optional[int] = None) -> Any:
    """Counts equal numbers, as `numpy.bincount`.

    Parameters
    ----------
    x : array_like of int
        Below 2**28, and not negative.
    minlength : int
        Bins at least.
    device, workers
        As those of `reduce`.

    Returns
    -------
    array of int64

    Examples
    --------
    >>> from boscage.prims import bincount
    >>> bincount([0, 3, 3, 1])
    array([1, 1, 0, 2])
    """
    space = space_of(x)
    x = integers(x, "uint32", space, "x")
    if len(x.shape) != 1:
        raise ValueError("x: not an array of 1 dimension")
    at = _at(space, device, workers)
    bins = whole(minlength, "minlength")
    if bins < 0:
        raise ValueError(f"minlength: {bins} is less than 0")
    if int(x.shape[0]):
        most = space.empty(1, "uint32")
        _core.reduce(at, OPERATIONS["max"], x, raw(most))
        bins = max(bins, int(space.host(most)[0]) + 1)
    if bins > 2**28:
        raise ValueError(f"x, minlength: {bins} bins, more than 2**28")
    counts = space.empty(max(bins, 1), "int64")
    _core.histogram(at, x, raw(counts))
    return space.give(counts)[:bins]


def split(
    x: Any, buckets: Any, bucket_count: int, *, device: Any = None, workers: Optional[int] = None
) -> tuple[Any, Any]:
    """Groups elements by bucket, those of a bucket in their order.

    Parameters
    ----------
    x : array_like
        Numbers, or rows of numbers.
    buckets : array_like of int
        One for each row, 0 to bucket_count - 1.
    bucket_count : int
        Number of buckets.
    device, workers
        As those of `reduce`.

    Returns
    -------
    out : array
        As x, with bucket 0 first.
    offsets : array of int64
        Bucket b has ``out[offsets[b]:offsets[b + 1]]``.

    Examples
    --------
    >>> from boscage.prims import split
    >>> split([10, 11, 12, 13], [1, 0, 1, 0], 3)
    (array([11, 13, 10, 12]), array([0, 2, 4, 4]))
    """
    space = space_of(x)
    x = space.asarray(values_of(x, "x") if space is NUMPY else x)
    buckets = integers(buckets, "uint32", space, "buckets")
    count = whole(bucket_count, "bucket_count")
    if not 1 <= count < 2**32:
        raise ValueError(f"bucket_count: {count} is not in 1 to 2**32 - 1")
    if not x.shape or tuple(buckets.shape) != (x.shape[0],):
        raise ValueError("buckets: not one for each row of x")
    if space is NUMPY and x.dtype.kind not in "biufcmMSUV":
        raise TypeError(f"x: {x.dtype}; items of a fixed size are needed")
    size = space.dtype(x).itemsize * int(np.prod(x.shape[1:], dtype=np.int64))
    out, offsets = space.empty(tuple(x.shape), space.dtype(x)), space.empty(count + 1, "int64")
    if size == 0:
        counts = np.bincount(space.host(buckets), minlength=count)
        if len(counts) > count:
            raise ValueError(f"buckets: one is not less than {count}")
        return space.give(out), space.asarray(np.append(0, np.cumsum(counts)))
    as_bytes = space is NUMPY and x.dtype.kind in "cmMSUV"
    given, written = (x.view(np.uint8), out.view(np.uint8)) if as_bytes else (x, raw(out))
    _core.split(_at(space, device, workers), given, size, buckets, written, raw(offsets))
    return space.give(out), space.give(offsets)


def sort(x: Any, *, device: Any = None, workers: Optional[int] = None, progress: Progress = None) -> Any:
    """Sorts numbers ascending, as `numpy.sort`; NaNs go last.

    Parameters
    ----------
    x : array_like
        Numbers.
    device, workers, progress
        As those of `boscage.spatial.cKDTree`.

    Returns
    -------
    array of the type of x; numbers of 8 and 16 bits become those of 32

    Examples
    --------
    >>> from boscage.prims import sort
    >>> sort([3, 1, 2])
    array([1, 2, 3])
    """
    space = space_of(x)
    x = _ordered(x, space, "x")
    out = space.empty(int(x.shape[0]), space.dtype_name(x))
    _core.sort_keys(_at(space, device, workers, progress), x, raw(out))
    return space.give(out)


def sort_pairs(
    keys: Any, values: Any, *, device: Any = None, workers: Optional[int] = None, progress: Progress = None
) -> tuple[Any, Any]:
    """Sorts keys stably, and moves an integer with each.

    Parameters
    ----------
    keys : array_like
        Numbers.
    values : array_like of int64
        As many.
    device, workers, progress
        As those of `sort`.

    Returns
    -------
    keys, values : array

    Examples
    --------
    >>> from boscage.prims import sort_pairs
    >>> sort_pairs([2.5, 1.5], [7, 8])
    (array([1.5, 2.5]), array([8, 7]))
    """
    space = space_of(keys)
    keys, values = _ordered(keys, space, "keys"), integers(values, "int64", space, "values")
    if tuple(values.shape) != tuple(keys.shape):
        raise ValueError("values: not as many as keys")
    out, moved = space.empty(int(keys.shape[0]), space.dtype_name(keys)), space.empty(int(keys.shape[0]), "int64")
    _core.sort_pairs(_at(space, device, workers, progress), keys, values, raw(out), raw(moved))
    return space.give(out), space.give(moved)


def argsort(x: Any, *, device: Any = None, workers: Optional[int] = None, progress: Progress = None) -> Any:
    """Finds the order that sorts an array, stably, as ``numpy.argsort(x, kind="stable")``.

    Parameters
    ----------
    x : array_like
        Numbers.
    device, workers, progress
        As those of `sort`.

    Returns
    -------
    array of int64

    Examples
    --------
    >>> from boscage.prims import argsort
    >>> argsort([3, 1, 2, 1])
    array([1, 3, 2, 0])
    """
    space = space_of(x)
    x = _ordered(x, space, "x")
    rows = space.asarray(np.arange(int(x.shape[0]), dtype=np.int64), "int64")
    return sort_pairs(x, rows, device=device, workers=workers, progress=progress)[1]


def merge(a: Any, b: Any, *, device: Any = None, workers: Optional[int] = None) -> Any:
    """Merges two sorted arrays; of equal numbers those of `a` come first.

    Parameters
    ----------
    a, b : array_like
        Ascending numbers of one type.
    device, workers
        As those of `sort`.

    Returns
    -------
    array of their type

    Examples
    --------
    >>> from boscage.prims import merge
    >>> merge([1, 4], [2, 3, 9])
    array([1, 2, 3, 4, 9])
    """
    space = space_of(a, b)
    a, b = _ordered(a, space, "a"), _ordered(b, space, "b")
    if space.dtype_name(a) != space.dtype_name(b):
        raise TypeError(f"b: {space.dtype_name(b)}, but a is {space.dtype_name(a)}")
    out = space.empty(int(a.shape[0]) + int(b.shape[0]), space.dtype_name(a))
    _core.merge(_at(space, device, workers), a, b, raw(out))
    return space.give(out)


def _next_numbers(v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The least greater number of each, and a mask: true where the type has none."""
    if v.dtype.kind == "f":
        with np.errstate(over="ignore"):  # infinity is next to the greatest number
            following = np.nextafter(v, v.dtype.type(np.inf))
        return np.where(v == np.inf, v.dtype.type(np.nan), following), np.isnan(v)
    greatest = v == np.iinfo(v.dtype).max
    return v + (~greatest).astype(v.dtype), greatest


def searchsorted(a: Any, v: Any, side: str = "left", *, device: Any = None, workers: Optional[int] = None) -> Any:
    """Counts the smaller elements of a sorted array for each query, as `numpy.searchsorted`.

    Parameters
    ----------
    a : array_like
        Ascending numbers.
    v : array_like
        Queries of the same type, in any order.
    side : {"left", "right"}
        The first position where a query keeps the order, or the last one, for arrays of NumPy only. NaN is above all
        numbers.
    device, workers
        As those of `sort`.

    Returns
    -------
    array of int64

    Examples
    --------
    >>> from boscage.prims import searchsorted
    >>> searchsorted([1, 3, 3, 7], [3, 8, 0])
    array([1, 4, 0])
    """
    if side not in ("left", "right"):
        raise ValueError(f"side: {side!r} is neither 'left' nor 'right'")
    space = space_of(a, v)
    a, v = _ordered(a, space, "a"), _ordered(v, space, "v")
    if space.dtype_name(a) != space.dtype_name(v):
        raise TypeError(f"v: {space.dtype_name(v)}, but a is {space.dtype_name(a)}")
    if side == "right":
        if space is not NUMPY:
            raise NotImplementedError("side: 'right' is for arrays of NumPy")
        v, beyond = _next_numbers(v)
    ranks = space.empty(int(v.shape[0]), "int64")
    _core.search_sorted(_at(space, device, workers), a, v, raw(ranks))
    if side == "right":
        ranks[beyond] = len(a)
    return space.give(ranks)


def sort_points(points: Any, first: int = 0, *, device: Any = None, workers: Optional[int] = None) -> Any:
    """Finds the order of points by coordinate `first`, then by the next ones cyclically, then by row.

    Parameters
    ----------
    points : array_like, shape (n, m)
        Of float32, float64, int32 or int64.
    first : int
        A coordinate.
    device, workers
        As those of `sort`.

    Returns
    -------
    array of uint32, shape (n,)

    Examples
    --------
    >>> from boscage.prims import sort_points
    >>> sort_points([[1.0, 5.0], [1.0, 4.0], [0.0, 9.0]])
    array([2, 1, 0], dtype=uint32)
    """
    space = space_of(points)
    points = _ordered(points, space, "points", 2)
    order = space.empty(int(points.shape[0]), "uint32")
    _core.sort_superkey(_at(space, device, workers), points, whole(first, "first", "int32"), raw(order))
    return space.give(order)
