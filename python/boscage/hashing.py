"""Hash tables, built and queried in batches, and functions that use them.

`unique` and `isin` have the interface of NumPy, `factorize` that of pandas.
"""

from __future__ import annotations

from typing import Any, Iterator, Optional

import numpy as np

from . import _core
from ._arrays import DTYPES, NUMPY, Space, place_for, raw, space_of
from ._where import Progress, place, where

__all__ = ["HashMap", "MultiMap", "HashSet", "unique", "isin", "factorize"]

# Numbers of bosc_hash_layout.
LAYOUTS = {
    "auto": 0,
    "bucketed": 1,
    "perfect": 2,
    "hybrid": 3,
    "fks": 4,
    "cuckoo": 5,
    "chained": 6,
    "ordered": 7,
}
DUPLICATES = {"last": 0, "first": 1, "sum": 2, "min": 3, "error": 4}
NUMBERS = {"sum", "min"}


def _bits(keys: Any, space: Space) -> tuple[Any, np.dtype]:
    """Keys as words of 32, 64 or 128 bits, equal if the keys are equal; and the type of the keys."""
    dtype = space.dtype(keys)
    if space is not NUMPY:
        if dtype.kind not in "iu" or dtype.itemsize not in (4, 8):
            raise TypeError(f"keys: {dtype.name}; on a device they are integers of 32 or 64 bits")
        return space.asarray(keys), dtype
    keys = np.asarray(keys)
    if keys.dtype.kind in "iub":
        if keys.dtype.itemsize < 4:
            keys = keys.astype(np.int32)
    elif keys.dtype.kind == "f":
        keys = keys.astype(np.float32 if keys.dtype.itemsize < 4 else keys.dtype) + 0.0  # -0 is 0
        if keys.dtype.itemsize > 8:
            raise TypeError("keys: floats of more than 64 bits")
        nan = np.isnan(keys)
        if nan.any():
            keys[nan] = np.nan
    elif keys.dtype.kind in "mM":
        keys = keys.view(np.int64)
    elif keys.dtype.kind in "SU" and keys.dtype.itemsize <= 16:
        words = np.zeros(keys.shape, f"S{8 if keys.dtype.itemsize <= 8 else 16}")
        size = keys.dtype.itemsize
        words.view(np.uint8).reshape(keys.size, words.itemsize)[:, :size] = (
            np.ascontiguousarray(keys).view(np.uint8).reshape(keys.size, size)
        )
        return words, keys.dtype
    elif keys.dtype.kind == "V" and keys.dtype.itemsize in (4, 8, 16) and not keys.dtype.hasobject:
        pass
    else:
        raise TypeError(f"keys: {keys.dtype}; numbers, dates, and strings of up to 16 bytes can be hashed")
    return np.ascontiguousarray(keys), dtype


def _plain(words: Any) -> Any:
    """Words as an array that the extension takes: unsigned integers."""
    if not isinstance(words, np.ndarray) or words.dtype.kind in "iuf":
        return words
    size = words.dtype.itemsize
    if size == 16:
        return np.ascontiguousarray(words).view(np.uint64)
    return np.ascontiguousarray(words).view(f"u{size}")


class _Table:
    """Base of maps, multimaps and sets."""

    _kind = 0

    def _create(
        self,
        keys: Any,
        values: Any,
        duplicates: str,
        layout: str,
        load: float,
        seed: int,
        device: Any,
        progress: Progress,
        no_wait: bool = False,
    ) -> None:
        if duplicates not in DUPLICATES:
            raise ValueError(f"duplicates: {duplicates!r} is none of {sorted(DUPLICATES)}")
        if layout not in LAYOUTS:
            raise ValueError(f"layout: {layout!r} is none of {sorted(LAYOUTS)}")
        self._space = space_of(keys)
        self._place = place_for(self._space, device)
        words, self._key_type = _bits(keys, self._space)
        self._words = words.dtype if isinstance(words, np.ndarray) else None
        bits = 8 * (words.dtype.itemsize if self._words is not None else np.dtype(self._key_type).itemsize)
        self._value_type: Optional[np.dtype] = None
        size = 0
        if values is not None:
            values = self._values_in(values, len(words))
            self._value_type = self._space.dtype(values)
            size = self._value_type.itemsize
            if size > 64 or not size or self._value_type.hasobject:
                raise TypeError(f"values: {self._value_type}; items of 1 to 64 bytes can be stored")
            if duplicates in NUMBERS and self._value_type.name not in DTYPES:
                raise TypeError(
                    f"values: {self._value_type} cannot be added or compared; numbers of 32 and 64 bits can"
                )
        dtype = DTYPES.get(self._value_type.name, 0) if self._value_type is not None and duplicates in NUMBERS else 0
        self._handle = _core.HashTable(
            self._at(),
            LAYOUTS[layout],
            self._kind,
            bits,
            size,
            DUPLICATES[duplicates],
            dtype,
            float(load),
            int(seed),
            bool(no_wait),
        )
        self._key_bits, self._value_size, self._multi = bits, size, self._kind == 1
        words, values = _plain(words), self._stored(values)
        self._handle.build(self._at(progress=progress), words, values)
        self._pairs = (words, values) if no_wait else None

    def wait(self) -> None:
        """Waits until a table of `no_wait` is built, and raises what went wrong, if no call has done so before."""
        self._handle.wait(self._at())
        self._pairs = None

    def _at(self, space: Optional[Space] = None, progress: Progress = None) -> Any:
        return where(self._place, (space or self._space).stream(), None, progress)

    def _values_in(self, values: Any, count: int) -> Any:
        values = self._space.asarray(values, self._value_type)
        if len(values.shape) != 1 or int(values.shape[0]) != count:
            raise ValueError(f"values: shape {tuple(values.shape)} where ({count},) is needed")
        return values

    @staticmethod
    def _stored(values: Any) -> Any:
        if isinstance(values, np.ndarray) and values.dtype.kind not in "iufb":
            return values.view(np.uint8)
        return values

    def _keys_in(self, keys: Any) -> tuple[Any, tuple[int, ...], Space]:
        """Keys like those of the table."""
        space = space_of(keys)
        if space is NUMPY:
            keys = np.asarray(keys)
            want = np.dtype(self._key_type)
            if (
                keys.size
                and keys.dtype.kind not in want.kind
                and not np.can_cast(keys.dtype, want, "same_kind")
                and not (keys.dtype.kind in "iub" and want.kind in "iu" and (keys.astype(want) == keys).all())
            ):
                raise TypeError(f"keys: {keys.dtype} where {want} is needed")
            if keys.dtype.kind in "SU" and keys.dtype.itemsize > want.itemsize:
                raise TypeError(f"keys: {keys.dtype} where {want} is needed")
            if keys.dtype.kind in "iu" and keys.dtype != want and keys.size and (keys.astype(want) != keys).any():
                raise OverflowError(f"keys: out of the range of {want}")
            keys = keys.astype(want, copy=False)
        words, _ = _bits(keys, space)
        shape = tuple(words.shape)
        return _plain(words.reshape(-1)), shape, space

    def _count(self, words: Any) -> int:
        size = int(words.shape[0])
        return size // 2 if self._key_bits == 128 else size

    def _insert(self, keys: Any, values: Any, progress: Progress) -> None:
        words, shape, space = self._keys_in(keys)
        if values is not None:
            values = self._stored(self._values_in(values, self._count(words)))
        self._handle.insert(self._at(space, progress), words, values)

    def _erase(self, keys: Any) -> int:
        words, _, space = self._keys_in(keys)
        return self._handle.erase(self._at(space), words)

    def contains(self, keys: Any) -> Any:
        """True for the keys in the table: an array of bool in their shape."""
        words, shape, space = self._keys_in(keys)
        found = space.empty(self._count(words), "uint8")
        self._handle.find(self._at(space), words, None, raw(found))
        found = space.give(found).reshape(shape)
        return found.view(np.bool_) if space is NUMPY else found != 0

    def __contains__(self, key: Any) -> bool:
        return bool(self.contains(np.asarray(key, self._key_type).reshape(1))[0])

    def __len__(self) -> int:
        return self._handle.info(self._at())["keys"]

    def keys(self) -> Any:
        """All keys, in the order of the table."""
        return self._out(len(self), keys=True)[0]

    def _out(self, n: int, keys: bool = False, values: int = -1, counts: bool = False) -> tuple[Any, Any, Any]:
        space = self._space
        if space is NUMPY or space.at is None:
            space = NUMPY
            kind = self._words if self._words is not None else np.dtype(self._key_type)
            key = np.empty(n, kind) if keys else None
            value = np.empty(values, self._value_type) if values >= 0 else None
            plain = None if key is None else key.view(np.uint64 if self._key_bits == 128 else f"u{self._key_bits // 8}")
        else:
            key = plain = space.empty(n, str(self._key_type)) if keys else None
            value = space.empty(values, self._value_type.name) if values >= 0 else None  # type: ignore[union-attr]
        count = space.empty(n, "int64") if counts else None
        if n:
            stored = None if value is None else self._stored(value) if isinstance(value, np.ndarray) else raw(value)
            self._handle.get_pairs(self._at(), raw(plain), stored, raw(count))
        if isinstance(key, np.ndarray):
            key = self._back(key)
        return tuple(None if x is None else space.give(x) for x in (key, value, count))  # type: ignore[return-value]

    def _back(self, words: np.ndarray) -> np.ndarray:
        want = np.dtype(self._key_type)
        if want.kind in "SU" and words.dtype.itemsize != want.itemsize:
            rows = np.ascontiguousarray(words).view(np.uint8).reshape(len(words), words.itemsize)
            return np.ascontiguousarray(rows[:, : want.itemsize]).view(want).ravel()
        return words.view(want) if want.kind in "mMSU" else words.astype(want, copy=False)

    def info(self) -> dict[str, Any]:
        """Pairs, keys, slots, load factor, bytes of memory on its device, and the layout, never "auto"."""
        about = self._handle.info(self._at())
        return {**about, "layout": next(name for name, number in LAYOUTS.items() if number == about["layout"])}

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in self.__dict__.items() if name not in ("_handle", "_space", "_place", "_pairs")}
        return {**state, "bytes": self._handle.save(self._at()), "device": str(self._place)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        saved, device = state.pop("bytes"), state.pop("device")
        self.__dict__.update(state)
        self._space = NUMPY
        self._place = place("cpu" if _core.backend_reason("cuda") else device)
        self._pairs = None
        self._handle = _core.HashTable.load(self._at(), saved, self._key_bits, self._value_size, self._multi)

    def __repr__(self) -> str:
        kind = "" if self._value_type is None else f" to {self._value_type}"
        return f"<boscage.{type(self).__name__} of {len(self)} keys, {self._key_type}{kind}, on {self._place}>"


class HashMap(_Table):
    """A map from keys to values, built and queried in batches.

    Parameters
    ----------
    keys : array_like, shape (n,)
        Integers, floats, dates, or strings of up to 16 bytes; of CuPy, PyTorch and JAX, integers of 32 and 64 bits.
    values : array_like, shape (n,)
        Items of up to 64 bytes.
    duplicates : {"last", "first", "sum", "min", "error"}
        Treatment of several pairs with one key.
    layout : {"auto", "bucketed", "perfect", "hybrid", "fks", "cuckoo", "chained", "ordered"}
        Layout in memory. "auto" is "ordered" for maps and sets of up to 2^18 keys (2^19 if key and value take at most
        8 bytes), with keys of 32 or 64 bits, values of 4 or 8 bytes or none and a load factor of at most 0.9; else
        "bucketed", as for every `MultiMap`. `info` names the layout.
        "ordered" lists its pairs in the order of the keys' hashes.
    load : float
        Load factor, 0.5 to 0.97; 0: the default of the layout.
    seed : int
        Seed of the hash function. The same seed gives the same bytes on every machine.
    device : str, optional
        ``"cpu"`` or ``"cuda"``.
    progress : callable, optional
        Called with the stage and the fraction done while the table is built.
    no_wait : bool
        If true, a build from arrays on a device is only queued. Its errors are raised by the next call on the table, or
        by `wait`. Until then the arrays must not change; the table holds them until `wait`.

    Examples
    --------
    >>> from boscage.hashing import HashMap
    >>> price = HashMap([17, 4, 99], [1.5, 2.0, 0.25])
    >>> price[[99, 17]]
    array([0.25, 1.5 ])
    >>> price.get([4, 5], -1)
    array([ 2., -1.])
    >>> 17 in price
    True
    """

    def __init__(
        self,
        keys: Any,
        values: Any,
        *,
        duplicates: str = "last",
        layout: str = "auto",
        load: float = 0,
        seed: int = 0,
        device: Any = None,
        progress: Progress = None,
        no_wait: bool = False,
    ):
        if values is None:
            raise TypeError("values: None; a map without values is a HashSet")
        self._create(keys, values, duplicates, layout, load, seed, device, progress, no_wait)

    def find(self, keys: Any) -> tuple[Any, Any]:
        """Looks keys up: their values, zero where a key is absent, and which are present."""
        words, shape, space = self._keys_in(keys)
        n = self._count(words)
        values = np.empty(n, self._value_type) if space is NUMPY else space.empty(n, self._value_type.name)  # type: ignore
        found = space.empty(n, "uint8")
        self._handle.find(self._at(space), words, self._stored(values) if space is NUMPY else raw(values), raw(found))
        values, found = space.give(values), space.give(found)
        there = found.view(np.bool_) if space is NUMPY else found != 0
        return values.reshape(shape), there.reshape(shape)

    def get(self, keys: Any, default: Any = 0) -> Any:
        """Values of keys, `default` where a key is absent."""
        values, found = self.find(keys)
        if isinstance(values, np.ndarray):
            values[~found] = default
            return values
        return values * found + (found == 0) * default

    def __getitem__(self, keys: Any) -> Any:
        values, found = self.find(keys)
        if not bool(found.all()):
            absent = (
                np.asarray(keys).ravel()[~np.asarray(self._space.host(found)).ravel()]
                if isinstance(found, np.ndarray)
                else "some keys"
            )
            raise KeyError(absent[0].item() if isinstance(absent, np.ndarray) else absent)
        return values if len(values.shape) else values[()]

    def insert(self, keys: Any, values: Any, *, progress: Progress = None) -> None:
        """Adds pairs; the pair in the table counts as the first of its key."""
        self._insert(keys, values, progress)

    def __setitem__(self, keys: Any, values: Any) -> None:
        keys = np.atleast_1d(keys) if space_of(keys) is NUMPY else keys
        if np.ndim(values) == 0:
            values = np.full(len(keys), values)
        self._insert(keys, values, None)

    def erase(self, keys: Any) -> int:
        """Removes keys, and returns the number removed."""
        return self._erase(keys)

    def values(self) -> Any:
        """All values, in the order of `keys`."""
        return self._out(len(self), values=len(self))[1]

    def items(self) -> tuple[Any, Any]:
        """All keys and their values, in the order of the table."""
        n = len(self)
        return self._out(n, keys=True, values=n)[:2]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.keys().tolist())


class MultiMap(_Table):
    """A map from keys to any number of values each.

    Parameters
    ----------
    keys, values, layout, load, seed, device, progress
        As those of `HashMap`.

    Examples
    --------
    >>> from boscage.hashing import MultiMap
    >>> orders = MultiMap([7, 3, 7], [10, 20, 30])
    >>> orders.count([7, 3, 1])
    array([2, 1, 0])
    >>> orders.retrieve([7, 1, 3])
    (array([0, 2, 2, 3]), array([10, 30, 20]))
    >>> orders[7]
    array([10, 30])
    """

    _kind = 1

    def __init__(
        self,
        keys: Any,
        values: Any,
        *,
        layout: str = "auto",
        load: float = 0,
        seed: int = 0,
        device: Any = None,
        progress: Progress = None,
    ):
        if values is None:
            raise TypeError("values: None; a map without values is a HashSet")
        self._create(keys, values, "last", layout, load, seed, device, progress)

    def count(self, keys: Any) -> Any:
        """The number of values of each key."""
        words, shape, space = self._keys_in(keys)
        counts = space.empty(self._count(words), "int64")
        self._handle.count(self._at(space), words, raw(counts))
        return space.give(counts).reshape(shape)

    def retrieve(self, keys: Any) -> tuple[Any, Any]:
        """All values of keys: those of key q are ``values[offsets[q]:offsets[q + 1]]``, in the order they came in."""
        words, _, space = self._keys_in(keys)
        offsets = space.empty(self._count(words) + 1, "int64")
        at = self._at(space)
        self._handle.retrieve(at, words, raw(offsets), None)
        total = int(space.host(offsets)[-1])
        values = np.empty(total, self._value_type) if space is NUMPY else space.empty(total, self._value_type.name)  # type: ignore
        self._handle.retrieve(at, words, raw(offsets), self._stored(values) if space is NUMPY else raw(values))
        return space.give(offsets), space.give(values)

    def __getitem__(self, key: Any) -> Any:
        values = self.retrieve(np.asarray(key, self._key_type).reshape(1))[1]
        if not len(values):
            raise KeyError(key)
        return values

    def insert(self, keys: Any, values: Any, *, progress: Progress = None) -> None:
        """Adds pairs, behind those of the table."""
        self._insert(keys, values, progress)

    def erase(self, keys: Any) -> int:
        """Removes keys with all their values, and returns the number removed."""
        return self._erase(keys)

    def items(self) -> tuple[Any, Any, Any]:
        """All keys, the number of values of each, and all values, grouped by key."""
        about = self.info()
        keys, values, counts = self._out(about["keys"], keys=True, values=about["pairs"], counts=True)
        return keys, counts, values


class HashSet(_Table):
    """A set of keys.

    Parameters
    ----------
    keys, layout, load, seed, device, progress, no_wait
        As those of `HashMap`.

    Examples
    --------
    >>> from boscage.hashing import HashSet
    >>> primes = HashSet([2, 3, 5, 7])
    >>> primes.contains([1, 2, 3])
    array([False,  True,  True])
    >>> primes.add([11, 3])
    >>> len(primes)
    5
    """

    def __init__(
        self,
        keys: Any,
        *,
        layout: str = "auto",
        load: float = 0,
        seed: int = 0,
        device: Any = None,
        progress: Progress = None,
        no_wait: bool = False,
    ):
        self._create(keys, None, "last", layout, load, seed, device, progress, no_wait)

    def add(self, keys: Any, *, progress: Progress = None) -> None:
        """Adds keys."""
        self._insert(keys, None, progress)

    def discard(self, keys: Any) -> int:
        """Removes keys, and returns the number removed."""
        return self._erase(keys)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.keys().tolist())


def _sortable(x: np.ndarray) -> bool:
    return x.dtype.name in DTYPES


def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Optional[int] = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
    device: Any = None,
    progress: Progress = None,
) -> Any:
    """Finds the distinct elements of an array, as `numpy.unique` does.

    Parameters
    ----------
    ar : array_like
        Numbers of 32 and 64 bits. Other types, and an `axis`, are left to NumPy.
    return_index, return_inverse, return_counts : bool
        Returns first occurrences, the place of each element among the distinct ones, and how often each occurs.
    axis : int, optional
        Left to NumPy.
    equal_nan : bool
        All NaNs are one.
    sorted : bool
        Ascending; else in the order of their first occurrences, by hashing.
    device : str, optional
        ``"cpu"`` or ``"cuda"``.
    progress : callable, optional
        Called with the stage and the fraction done.

    Returns
    -------
    array, or tuple of arrays

    Examples
    --------
    >>> from boscage.hashing import unique
    >>> unique([3, 1, 3, 2])
    array([1, 2, 3])
    >>> unique([30, 10, 30], return_inverse=True, sorted=False)
    (array([30, 10]), array([0, 1, 0]))
    """
    if space_of(ar) is not NUMPY:
        return _unique_on_device(ar, return_index or return_inverse or return_counts, sorted, progress)
    ar = np.asanyarray(ar)
    if axis is not None or not _sortable(ar) or not equal_nan or type(ar) is not np.ndarray:
        return np.unique(ar, return_index, return_inverse, return_counts, axis, equal_nan=equal_nan)
    at = where(place(device), 0, None, progress)
    flat = np.ascontiguousarray(ar).ravel()
    if not sorted:
        codes, values = _by_hash(flat, at)
        out = (values,)
        counts = np.bincount(codes, minlength=len(values)) if return_counts else None
        if return_index:
            first = np.full(len(values), len(flat), np.intp)
            np.minimum.at(first, codes, np.arange(len(flat)))
            out += (first,)
        if return_inverse:
            out += (codes.reshape(ar.shape),)
        if return_counts:
            out += (counts,)
        return out if len(out) > 1 else values
    if flat.dtype.kind == "f":
        nan = np.isnan(flat)
        if nan.any():
            flat = np.where(nan, np.nan, flat)  # one NaN, so that all go last together
    ordered = np.empty_like(flat)
    places = None
    if return_index or return_inverse:
        places = np.empty(len(flat), np.int64)
        _core.sort_pairs(at, flat, np.arange(len(flat)), ordered, places)
    else:
        _core.sort_keys(at, flat, ordered)
    return _of_sorted(ordered, places, ar.shape, return_index, return_inverse, return_counts, at)


def _of_sorted(
    ordered: np.ndarray, places: Any, shape: Any, return_index: bool, return_inverse: bool, return_counts: bool, at: Any
) -> Any:
    """Distinct values of an array that ascends, whose elements were at `places`."""
    first = np.empty(len(ordered), bool)
    first[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    if ordered.dtype.kind == "f" and len(ordered) and np.isnan(ordered[-1]):
        first[np.searchsorted(ordered, np.nan) + 1 :] = False
    values = np.empty_like(ordered)
    values = values[: _core.compact(at, ordered, first, values)].copy()
    out: tuple[Any, ...] = (values,)
    if return_index:
        out += (places[first],)
    if return_inverse:
        inverse = np.empty(len(ordered), np.intp)
        inverse[places] = np.cumsum(first) - 1
        out += (inverse.reshape(shape),)
    if return_counts:
        out += (np.diff(np.append(np.flatnonzero(first), len(ordered))),)
    return out if len(out) > 1 else values


def _unique_on_device(ar: Any, more: bool, ordered: bool, progress: Progress) -> Any:
    space = space_of(ar)
    if more:
        raise NotImplementedError("unique: of arrays on a device the distinct values alone; see factorize")
    values = factorize(ar, progress=progress)[1]
    if ordered and hasattr(values, "sort"):
        if space.name == "cupy":
            values.sort()
        else:
            values = values.sort()
            values = values[0] if isinstance(values, tuple) or hasattr(values, "values") else values
    return values


def _by_hash(flat: np.ndarray, at: Any) -> tuple[np.ndarray, np.ndarray]:
    """Codes by first occurrence, and the distinct values."""
    words, _ = _bits(flat, NUMPY)
    words = _plain(words)
    size = words.itemsize if words.ndim == 1 and len(words) == len(flat) else 16
    codes = np.empty(len(flat), np.int64)
    found = np.empty_like(words)
    count = _core.unique(at, words, 8 * size, codes, found) if len(flat) else 0
    values = found[: count * (2 if size == 16 else 1)]
    return codes, values.view(flat.dtype) if values.dtype.itemsize == flat.dtype.itemsize else values


def factorize(
    values: Any, sort: bool = False, use_na_sentinel: bool = True, *, device: Any = None, progress: Progress = None
) -> tuple[Any, Any]:
    """Numbers the distinct elements of an array, as `pandas.factorize` does.

    Parameters
    ----------
    values : array_like, shape (n,)
        Integers, floats, dates, or strings of up to 16 bytes; of CuPy, PyTorch and JAX, integers of 32 and 64 bits.
    sort : bool
        Numbers them in ascending order; else in that of their first occurrences.
    use_na_sentinel : bool
        NaN gets the number -1, and is no element.
    device : str, optional
        ``"cpu"`` or ``"cuda"``.
    progress : callable, optional
        Called with the stage and the fraction done.

    Returns
    -------
    codes : array of int64, shape (n,)
    uniques : array

    Examples
    --------
    >>> from boscage.hashing import factorize
    >>> factorize([7000000049, 12, 7000000049])
    (array([0, 1, 0]), array([7000000049,         12]))
    """
    space = space_of(values)
    if space is not NUMPY:
        words, dtype = _bits(values, space)
        at = where(place_for(space, device), space.stream(), None, progress)
        n = int(words.shape[0])
        codes, found = space.empty(n, "int64"), space.empty(n, dtype.name)
        count = _core.unique(at, words, 8 * dtype.itemsize, raw(codes), raw(found)) if n else 0
        return space.give(codes), space.give(found)[:count]
    values = np.asarray(values)
    if values.ndim != 1:
        raise ValueError("values: not of one dimension")
    at = where(place(device), 0, None, progress)
    words, dtype = _bits(values, NUMPY)
    plain = _plain(words)
    codes = np.empty(len(values), np.int64)
    found = np.empty_like(plain)
    size = words.dtype.itemsize
    count = _core.unique(at, plain, 8 * size, codes, found) if len(values) else 0
    found = found[: count * (2 if size == 16 else 1)]
    if dtype.kind in "SU":
        rows = np.ascontiguousarray(found).view(np.uint8).reshape(count, size)
        uniques = np.ascontiguousarray(rows[:, : dtype.itemsize]).view(dtype).ravel()
    else:
        uniques = found.view(words.dtype).astype(dtype, copy=False) if dtype.kind not in "mM" else found.view(dtype)
    uniques = uniques.copy()
    if sort:
        order = np.argsort(uniques, kind="stable")
        rank = np.empty(count, np.int64)
        rank[order] = np.arange(count)
        codes, uniques = rank[codes], uniques[order]
    if use_na_sentinel and dtype.kind in "fmM":
        missing = np.flatnonzero(np.isnan(uniques) if dtype.kind == "f" else np.isnat(uniques))
        for gone in missing.tolist():
            codes = np.where(codes == gone, -1, codes - (codes > gone))
            uniques = np.delete(uniques, gone)
    return codes, uniques


def isin(
    element: Any,
    test_elements: Any,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: Any = None,
    device: Any = None,
    progress: Progress = None,
) -> Any:
    """Finds the elements that occur in another array, as `numpy.isin` does.

    Parameters
    ----------
    element, test_elements : array_like
        Numbers, dates, or strings of up to 16 bytes. Other types are left to NumPy.
    assume_unique : bool
        Ignored.
    invert : bool
        True for the other elements.
    kind : str, optional
        Ignored.
    device : str, optional
        ``"cpu"`` or ``"cuda"``.
    progress : callable, optional
        Called with the stage and the fraction done.

    Returns
    -------
    array of bool
        In the shape of `element`.

    Examples
    --------
    >>> from boscage.hashing import isin
    >>> isin([[1, 2], [3, 4]], [4, 2, 9])
    array([[False,  True],
           [False,  True]])
    """
    space = space_of(element, test_elements)
    if space is not NUMPY:
        found = HashSet(test_elements, device=device, progress=progress).contains(element)
        return found == 0 if invert else found
    element, tests = np.asarray(element), np.asarray(test_elements).ravel()
    if not element.size or not tests.size:
        return np.full(element.shape, invert)
    dtype = np.result_type(element, tests)
    try:
        words, _ = _bits(np.empty(0, dtype), NUMPY)
    except TypeError:
        return np.isin(element, test_elements, assume_unique, invert, kind=kind)
    found = HashSet(tests.astype(dtype, copy=False), device=device, progress=progress).contains(
        element.astype(dtype, copy=False)
    )
    if dtype.kind == "f":
        found &= ~np.isnan(element)
    if dtype.kind in "mM":
        found &= ~np.isnat(element.astype(dtype))
    return ~found if invert else found
