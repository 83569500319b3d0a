"""Hash tables, built and queried in batches, and functions that use them.

`unique` and `isin` have the interface of NumPy, `factorize` that of pandas.
"""

from __future__ import annotations

import sys
from typing import Any, Iterator, Optional

import numpy as np

from . import _core
from ._arrays import DTYPES, NUMPY, Space, place_for, raw, space_of
from ._convert import as_type, is_extension, is_text, values_and_mask, values_of
from ._keys import Keys, device_keys, plain, strings_of
from ._locks import reading
from ._numbers import real, whole
from ._objects import distinct_objects, found_objects
from ._originals import FEW, factorized_strings, isin_suits_numpy, may_answer
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
        self._keys: Optional[Keys] = None  # of NumPy's keys
        if self._space is NUMPY:
            self._keys, words = Keys.of(keys)
            self._key_type = self._keys.dtype
        else:
            words, self._key_type = device_keys(keys, self._space)
        bits = 8 * self._key_type.itemsize if self._keys is None else self._keys.bits
        self._value_type: Optional[np.dtype] = None
        size = 0
        if values is not None:
            values = self._values_in(values, int(words.shape[0]))
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
            real(load, "load"),
            whole(seed, "seed", "uint64"),
            bool(no_wait),
        )
        self._key_bits, self._value_size, self._multi = bits, size, self._kind == 1
        words = words if self._keys is None else plain(words)
        values = self._stored(values)
        self._handle.build(self._at(progress=progress), words, values)
        self._pairs = (words, values) if no_wait else None

    def wait(self) -> None:
        """Waits until a table of `no_wait` is built, and raises what went wrong, if no call has done so before."""
        self._handle.wait(self._at())
        self._pairs = None

    def _at(self, space: Optional[Space] = None, progress: Progress = None) -> Any:
        return where(self._place, (space or self._space).stream(), None, progress)

    def _values_in(self, values: Any, count: int) -> Any:
        if self._space is NUMPY:
            values = values_of(values, "values")
            if values.dtype.kind == "O":
                strings = strings_of(values, "values")
                values = values if strings is None else strings
            if self._value_type is not None and values.dtype != self._value_type:
                values = as_type(values, self._value_type, "values", True)
            values = np.asarray(values, order="C")
        else:
            have = self._space.dtype(values)
            if self._value_type is not None and not np.can_cast(have, self._value_type, "safe"):
                raise TypeError(f"values: {have} where {self._value_type} is needed")
            values = self._space.asarray(values, self._value_type)
        if len(values.shape) != 1 or int(values.shape[0]) != count:
            raise ValueError(f"values: shape {tuple(values.shape)} where ({count},) is needed")
        return values

    @staticmethod
    def _stored(values: Any) -> Any:
        if isinstance(values, np.ndarray) and values.dtype.kind not in "iufb":
            return values.view(np.uint8)
        return values

    def _empty_values(self, n: int, space: Space) -> tuple[Any, Any]:
        """An array for values, and the form of it that the extension writes to."""
        assert self._value_type is not None
        if space is NUMPY:
            values = np.empty(n, self._value_type)
            return values, self._stored(values)
        values = space.empty(n, self._value_type.name)
        return values, raw(values)

    def _keys_in(self, keys: Any) -> tuple[Any, Space]:
        """Words of keys to insert."""
        space = space_of(keys)
        if space is not NUMPY:
            return device_keys(keys, space, self._plain_type())[0].reshape(-1), space
        return plain(self._codec().encode(keys)), space

    def _queries(self, keys: Any) -> tuple[Any, Optional[np.ndarray], tuple[int, ...], Space]:
        """Words of keys to search for, a mask (None: all may be in the table), and the keys' shape."""
        space = space_of(keys)
        if space is not NUMPY:
            words, _ = device_keys(keys, space, self._plain_type())
            return words.reshape(-1), None, tuple(words.shape), space
        words, fits, shape = self._codec().look_up(keys)
        return plain(words), fits, shape, space

    def _codec(self) -> Keys:
        if self._keys is None:
            self._keys = Keys(np.empty(0, self._key_type))
        return self._keys

    def _plain_type(self) -> np.dtype:
        """The type of keys whose words are the keys themselves."""
        if self._keys is not None and self._keys.words != self._key_type:
            raise TypeError(f"keys: of another array library, where {self._key_type} of NumPy is needed")
        return self._key_type

    def _count(self, words: Any) -> int:
        return int(words.shape[0]) // (2 if self._key_bits == 128 else 1)

    def _insert(self, keys: Any, values: Any, progress: Progress) -> None:
        words, space = self._keys_in(keys)
        if values is not None:
            values = self._stored(self._values_in(values, self._count(words)))
        self._handle.insert(self._at(space, progress), words, values)

    def _erase(self, keys: Any) -> int:
        words, fits, _, space = self._queries(keys)
        return self._handle.erase(self._at(space), self._kept(words, fits))

    @staticmethod
    def _kept(words: Any, fits: Optional[np.ndarray]) -> Any:
        """The words of keys that can be in the table."""
        if fits is None or fits.all():
            return words
        return np.ascontiguousarray(words.reshape(len(fits), -1)[fits]).reshape(-1)

    def contains(self, keys: Any) -> Any:
        """True for the keys in the table: an array of bool in their shape. A key of another type may have its value."""
        words, fits, shape, space = self._queries(keys)
        found = space.empty(self._count(words), "uint8")
        self._handle.find(self._at(space), words, None, raw(found))
        if space is not NUMPY:
            return space.give(found).reshape(shape) != 0
        found = found.view(np.bool_)
        if fits is not None:
            found &= fits
        return found.reshape(shape)

    def _one(self, key: Any) -> Any:
        return self._codec().one(key) if space_of(key) is NUMPY else key

    def __contains__(self, key: Any) -> bool:
        return bool(self.contains(self._one(key)).reshape(-1)[0])

    def __len__(self) -> int:
        return self._handle.info(self._at())["keys"]

    def __iter__(self) -> Iterator[Any]:
        keys = self.keys()
        return iter(keys if self._key_type.kind in "mM" else keys.tolist())  # not all dates are some of Python's

    def keys(self) -> Any:
        """All keys, in the order of the table."""
        return self._out(keys=True)[0]

    @reading
    def _out(self, keys: bool = False, values: bool = False, counts: bool = False) -> tuple[Any, Any, Any]:
        about, space = self._handle.info(self._at()), self._space
        n, many = about["keys"], about["pairs" if self._multi else "keys"]
        if space is NUMPY or space.at is None:
            space = NUMPY
            key = np.empty(n, self._codec().words) if keys else None
            words = None if key is None else key.view(np.uint64 if self._key_bits == 128 else f"u{self._key_bits // 8}")
        else:
            key = words = space.empty(n, str(self._key_type)) if keys else None
        value, stored = self._empty_values(many, space) if values else (None, None)
        count = space.empty(n, "int64") if counts else None
        if n:
            self._handle.get_pairs(self._at(), raw(words), stored, raw(count))
        if isinstance(key, np.ndarray):
            key = self._codec().decode(key)
        return tuple(None if x is None else space.give(x) for x in (key, value, count))  # type: ignore[return-value]

    def info(self) -> dict[str, Any]:
        """Pairs, keys, slots, load factor, bytes of memory on its device, and the layout, never "auto"."""
        about = self._handle.info(self._at())
        return {**about, "layout": next(name for name, number in LAYOUTS.items() if number == about["layout"])}

    def __getstate__(self) -> dict[str, Any]:
        live = ("_handle", "_space", "_place", "_pairs")
        state = {name: value for name, value in self.__dict__.items() if name not in live}
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
        Integers, floats, dates, records of integers, or strings, also of pandas and as objects; of CuPy, PyTorch and
        JAX, integers of 32 and 64 bits. Other keys to insert need a value in the type of these.
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
        words, fits, shape, space = self._queries(keys)
        n = self._count(words)
        values, stored = self._empty_values(n, space)
        found = space.empty(n, "uint8")
        self._handle.find(self._at(space), words, stored, raw(found))
        values, found = space.give(values), space.give(found)
        there = found.view(np.bool_) if space is NUMPY else found != 0
        if fits is not None:
            values[~fits] = np.zeros((), values.dtype)
            there &= fits
        return values.reshape(shape), there.reshape(shape)

    def get(self, keys: Any, default: Any = 0) -> Any:
        """Values of keys; where a key is absent `default`, a value of their type, or 0: the zero of any type."""
        zero = type(default) is int and default == 0
        if not zero and space_of(keys) is NUMPY:
            default = as_type(np.asarray(default).reshape(1), self._value_type, "default", True)[0]
        values, found = self.find(keys)
        if isinstance(values, np.ndarray):
            if not zero:
                values[~found] = default
            return values
        return values * found + (found == 0) * default

    def __getitem__(self, keys: Any) -> Any:
        values, found = self.find(keys)
        if not bool(found.all()):
            if not isinstance(found, np.ndarray):
                raise KeyError("some keys")
            raise KeyError(values_and_mask(keys, "keys")[0].reshape(-1)[~found.reshape(-1)][:1].tolist()[0])
        return values if len(values.shape) else values[()]

    def insert(self, keys: Any, values: Any, *, progress: Progress = None) -> None:
        """Adds pairs; the pair in the table counts as the first of its key."""
        self._insert(keys, values, progress)

    def __setitem__(self, keys: Any, values: Any) -> None:
        keys = np.atleast_1d(values_of(keys, "keys")) if space_of(keys) is NUMPY else keys
        if np.ndim(values) == 0:
            values = np.full(len(keys), values)
        self._insert(keys, values, None)

    def erase(self, keys: Any) -> int:
        """Removes keys, and returns the number removed."""
        return self._erase(keys)

    def values(self) -> Any:
        """All values, in the order of `keys`."""
        return self._out(values=True)[1]

    def items(self) -> tuple[Any, Any]:
        """All keys and their values, in the order of the table."""
        return self._out(keys=True, values=True)[:2]


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
        words, fits, shape, space = self._queries(keys)
        counts = space.empty(self._count(words), "int64")
        self._handle.count(self._at(space), words, raw(counts))
        counts = space.give(counts)
        if fits is not None:
            counts[~fits] = 0
        return counts.reshape(shape)

    @reading
    def retrieve(self, keys: Any) -> tuple[Any, Any]:
        """All values of keys: those of key q are ``values[offsets[q]:offsets[q + 1]]``, in the order they came in."""
        words, fits, _, space = self._queries(keys)
        words = self._kept(words, fits)
        offsets = space.empty(self._count(words) + 1, "int64")
        at = self._at(space)
        self._handle.retrieve(at, words, raw(offsets), None)
        values, stored = self._empty_values(int(space.host(offsets)[-1]), space)
        self._handle.retrieve(at, words, raw(offsets), stored)
        if fits is not None:  # keys that cannot be in the table have no values
            offsets = offsets[np.append(0, np.cumsum(fits))]
        return space.give(offsets), space.give(values)

    def __getitem__(self, key: Any) -> Any:
        values = self.retrieve(self._one(key))[1]
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
        keys, values, counts = self._out(keys=True, values=True, counts=True)
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
        Numbers of 32 and 64 bits. Other types and few elements, if sorted, are left to NumPy. Objects need hashes if
        not sorted.
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
    host = may_answer(device, progress)
    if host and sorted and type(ar) is np.ndarray and ar.size < FEW:
        return np.unique(ar, return_index, return_inverse, return_counts, axis, equal_nan=equal_nan)
    if space_of(ar) is not NUMPY:
        return _unique_on_device(ar, return_index or return_inverse or return_counts, sorted, progress)
    if is_extension(ar) and ar.isna().any():
        raise TypeError(f"ar: {ar.dtype} with missing elements; factorize numbers the others")
    ar = np.asanyarray(ar)
    if not sorted and isinstance(ar, (np.ma.MaskedArray, np.matrix)):
        ar = values_of(ar, "ar")
    left = sorted and (ar.dtype.name not in DTYPES or (host and ar.size < FEW))
    if axis is not None or not equal_nan or type(ar) is not np.ndarray or left:
        return np.unique(ar, return_index, return_inverse, return_counts, axis, equal_nan=equal_nan)
    given = ar.dtype
    ar = values_of(ar, "ar")
    at = where(place(device), 0, None, progress)
    if not sorted:
        return _unsorted(ar, given, return_index, return_inverse, return_counts, at)
    flat = np.ascontiguousarray(ar).ravel()
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
    found = _of_sorted(ordered, places, ar.shape, return_index, return_inverse, return_counts, at)
    if given == ar.dtype:
        return found
    return (found[0].astype(given), *found[1:]) if isinstance(found, tuple) else found.astype(given)


def _unsorted(
    ar: np.ndarray, given: np.dtype, return_index: bool, return_inverse: bool, return_counts: bool, at: Any
) -> Any:
    """Distinct values in the order of their first occurrences."""
    flat = ar.reshape(-1)
    more = return_index or return_inverse or return_counts
    codes, values = (distinct_objects(flat, more) if flat.dtype.kind == "O" else None) or _numbered(flat, at, "ar")
    out = (values.astype(given, copy=False),)
    if return_index:
        first = np.full(len(values), len(flat), np.intp)
        np.minimum.at(first, codes, np.arange(len(flat)))
        out += (first,)
    if return_inverse:
        out += (codes.reshape(ar.shape),)
    if return_counts:
        out += (np.bincount(codes, minlength=len(values)),)
    return out if len(out) > 1 else out[0]


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
    values.resize(_core.compact(at, ordered, first, values), refcheck=False)
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


def _ranks(order: np.ndarray) -> np.ndarray:
    """The position of each element in an order."""
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    return ranks


def _numbered(flat: np.ndarray, at: Any, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Codes by first occurrence, and the distinct values, of any type that can be hashed or sorted."""
    try:
        keys, words = Keys.of(flat, name)
    except TypeError:
        _, first, codes = np.unique(flat, return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")
        return _ranks(order)[codes.reshape(-1)], flat[first[order]]
    words = plain(words)
    codes, found = np.empty(len(flat), np.int64), np.empty_like(words)
    count = _core.unique(at, words, keys.bits, codes, found) if len(flat) else 0
    found = found[: count * (2 if keys.bits == 128 else 1)].view(keys.words)
    return codes, keys.decode(found).copy()


def factorize(
    values: Any, sort: bool = False, use_na_sentinel: bool = True, *, device: Any = None, progress: Progress = None
) -> tuple[Any, Any]:
    """Numbers the distinct elements of an array, as `pandas.factorize` does.

    Parameters
    ----------
    values : array_like, shape (n,)
        Integers, floats, dates, strings, and other types that NumPy sorts; of CuPy, PyTorch and JAX, integers of 32 and
        64 bits. Objects, arrays of pandas' own types, and few or long strings are left to pandas.
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
        words, dtype = device_keys(values, space)
        at = where(place_for(space, device), space.stream(), None, progress)
        n = int(words.shape[0])
        codes, found = space.empty(n, "int64"), space.empty(n, dtype.name)
        count = _core.unique(at, words, 8 * dtype.itemsize, raw(codes), raw(found)) if n else 0
        return space.give(codes), space.give(found)[:count]
    if is_extension(values) or getattr(getattr(values, "dtype", None), "kind", "") == "O":
        return _factorize_of_pandas(values, sort, use_na_sentinel)
    index = type(values).__module__.partition(".")[0] == "pandas"  # pandas then gives an Index
    given = values
    values = values_of(values, "values")
    dtype = given.dtype if isinstance(given, np.ndarray) else values.dtype
    if values.ndim != 1:
        raise ValueError("values: not of one dimension")
    if may_answer(device, progress) and (found := factorized_strings(values, sort)) is not None:
        return found[0], found[1].astype(dtype)
    codes, uniques = _numbered(values, where(place(device), 0, None, progress), "values")
    if sort:
        order = np.argsort(uniques, kind="stable")
        codes, uniques = _ranks(order)[codes], uniques[order]
    if use_na_sentinel and values.dtype.kind in "fcmM":
        missing = np.flatnonzero(np.isnat(uniques) if values.dtype.kind in "mM" else np.isnan(uniques))
        for gone in missing.tolist():
            codes = np.where(codes == gone, -1, codes - (codes > gone))
            uniques = np.delete(uniques, gone)
    if index:
        return codes, sys.modules["pandas"].Index(uniques)
    return codes, uniques.astype(dtype, copy=False)


def _factorize_of_pandas(values: Any, sort: bool, use_na_sentinel: bool) -> tuple[Any, Any]:
    """Objects and arrays of pandas' own types."""
    try:
        import pandas
    except ImportError:
        raise TypeError("values: objects, which pandas numbers, and it is not installed") from None
    return pandas.factorize(values, sort=sort, use_na_sentinel=use_na_sentinel)


def _common_type(a: np.ndarray, b: np.ndarray) -> Optional[np.dtype]:
    """The type of floats or dates that elements of two arrays are compared in; None: NumPy compares them."""
    try:
        dtype = np.result_type(a, b)
    except TypeError:
        return None
    dates = dtype.kind in "mM" and a.dtype.kind == b.dtype.kind
    return dtype if dates or (dtype.kind == "f" and dtype.itemsize <= 8) else None


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
        Numbers, dates, strings, or objects. Integers are compared exactly; other types are left to NumPy.
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
    host = may_answer(device, progress)
    if host and isin_suits_numpy(element, test_elements):
        return np.isin(element, test_elements, invert=invert)
    space = space_of(element, test_elements)
    if space is not NUMPY:
        found = HashSet(test_elements, device=device, progress=progress).contains(element)
        return found == 0 if invert else found
    text = is_text(element)
    elements, missing = (np.asarray(element, object), None) if text else values_and_mask(element, "element")
    tests, no_tests = values_and_mask(test_elements, "test_elements")
    if not is_extension(element):
        missing = None  # as NumPy, which ignores the masks of its own arrays
    tests = tests[~no_tests] if no_tests is not None and is_extension(test_elements) else tests.reshape(-1)
    if not elements.size or not tests.size:
        return np.full(elements.shape, invert)
    kinds = elements.dtype.kind, tests.dtype.kind
    integers = kinds[0] in "biu" and kinds[1] in "biu"  # compared exactly; other numbers in a type of both
    found = found_objects(elements, tests)
    if found is None and not integers and kinds not in (("U", "U"), ("S", "S")):
        dtype = _common_type(elements, tests)
        if dtype is None:
            return np.isin(element, test_elements, assume_unique, invert, kind=kind)
        elements, tests = elements.astype(dtype, copy=False), tests.astype(dtype, copy=False)
    if found is None and host and isin_suits_numpy(elements, tests):
        found = np.isin(elements, tests)
    elif found is None:
        found = HashSet(tests, device=device, progress=progress).contains(elements)
        if elements.dtype.kind in "fmM":
            found &= ~(np.isnan(elements) if elements.dtype.kind == "f" else np.isnat(elements))
    if missing is not None:
        found &= ~missing
    return np.logical_not(found, out=found) if invert else found
