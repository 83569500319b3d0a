"""Hash tables, built and queried in batches, and functions that use them.

`unique` and `isin` have the interface of NumPy, `factorize` that of pandas.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Optional

import numpy as np

from . import _core
from ._arrays import DTYPES, NUMPY, name_of, place_for, raw, space_of
from ._convert import as_type, is_extension, listed, strings_of_pandas, values_and_mask, values_of
from ._keys import Keys, device_keys, has_nan, plain
from ._locks import reading
from ._numbered import (
    are_few_numbers,
    few_distinct,
    first_positions,
    numbered_few,
    numbered_in_range,
    numbered_strings,
)
from ._objects import distinct_objects, found_objects
from ._originals import FEW, found_by_comparing, found_by_pandas, isin_suits_numpy, may_answer
from ._operators import NO_DEFAULT, DictMethods, SetMethods, absent_key
from ._table import Table
from ._where import CPU, Progress, place, where

__all__ = ["HashMap", "MultiMap", "HashSet", "unique", "isin", "factorize"]


class HashMap(DictMethods, Table):
    """A map from keys to values, built and queried in batches.

    Parameters
    ----------
    keys : array_like, shape (n,); or a dict, without values
        Integers, floats, dates, records of integers, or strings, also of pandas and as objects; of CuPy, PyTorch and
        JAX, integers of 32 and 64 bits. Other keys to insert need a value in the type of these; objects have strings
        of any length.
    values : array_like, shape (n,) or (n, ...)
        Items, or rows of NumPy's arrays, of up to 64 bytes.
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
        values: Any = None,
        *,
        duplicates: str = "last",
        layout: str = "auto",
        load: float = 0,
        seed: int = 0,
        device: Any = None,
        progress: Progress = None,
        no_wait: bool = False,
    ):
        if values is None and isinstance(keys, Mapping):
            keys, values = list(keys.keys()), list(keys.values())
        if values is None:
            raise TypeError("values: None; a map without values is a HashSet")
        self._create(keys, values, duplicates, layout, load, seed, device, progress, no_wait)

    def find(self, keys: Any) -> tuple[Any, Any]:
        """Looks keys up: their values, zero where a key is absent, and which are present."""
        if self._are_plain(keys):
            values, found = np.empty((*keys.shape, *self._row), self._value_type), np.empty(keys.shape, np.bool_)
            self._handle.find(where(self._place), keys, self._stored(values), found)
            return values, found
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
        return values.reshape((*shape, *self._row)), there.reshape(shape)

    def _one_value(self, default: Any) -> Any:
        value = as_type(np.asarray(default), self._value_type, "default", True)
        if value.shape not in ((), self._row) and value.size != 1:
            raise ValueError(f"default: shape {value.shape} where {self._row} is needed")
        return value if value.shape == self._row else value.reshape(-1)[0]

    def get(self, keys: Any, default: Any = NO_DEFAULT) -> Any:
        """Values of keys, or `default` where a key is absent.

        Parameters
        ----------
        keys : array_like, or one key
        default : optional
            A value of their type. Without it an absent key of an array has 0, the zero of any type, and one key None.

        Examples
        --------
        >>> from boscage.hashing import HashMap
        >>> stock = HashMap([7, 8], [1, 2])
        >>> stock.get([8, 9]), stock.get([8, 9], -1), stock.get(9)
        (array([2, 0]), array([ 2, -1]), None)
        """
        values, found = self.find(keys)
        if isinstance(values, np.ndarray):
            if found.shape == () and (default is None or default is NO_DEFAULT):
                return values[()] if found else None
            if default is not NO_DEFAULT:
                values[~found] = self._one_value(default)
            return values[()]
        return values * found + (found == 0) * (0 if default is NO_DEFAULT else default)

    def __getitem__(self, keys: Any) -> Any:
        values, found = self.find(keys)
        if not bool(found.all()):
            raise absent_key(keys, found)
        return values if len(values.shape) else values[()]

    def insert(self, keys: Any, values: Any, *, progress: Progress = None) -> None:
        """Adds pairs; the pair in the table counts as the first of its key."""
        self._insert(keys, values, progress)

    def __setitem__(self, keys: Any, values: Any) -> None:
        keys = np.atleast_1d(values_of(keys, "keys")) if space_of(keys) is NUMPY else keys
        if np.ndim(values) == len(self._row):  # one for all keys
            values = np.broadcast_to(values, (len(keys), *self._row))
        self._insert(keys, values, None)

    def erase(self, keys: Any) -> int:
        """Removes keys, and returns the number removed."""
        return self._erase(keys)

    def values(self) -> Any:
        """All values, in the order of `keys`."""
        return self._out(values=True)[1]

    def items(self) -> list[tuple[Any, Any]]:
        """All pairs of a key and its value, in the order of the table, as those of a dict. `arrays` is faster.

        Examples
        --------
        >>> from boscage.hashing import HashMap
        >>> sorted(HashMap([7, 8], [1, 2]).items())
        [(7, 1), (8, 2)]
        """
        keys, values = self.arrays()
        host = self._space.host(values)
        return [*zip(self._listed(keys), host.tolist() if not self._row and host.dtype.kind in "biufcSU" else host)]

    def arrays(self) -> tuple[Any, Any]:
        """All keys and their values, in the order of the table: two arrays."""
        return self._out(keys=True, values=True)[:2]


class MultiMap(Table):
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

    def arrays(self) -> tuple[Any, Any, Any]:
        """All keys, the number of values of each, and all values, grouped by key."""
        keys, values, counts = self._out(keys=True, values=True, counts=True)
        return keys, counts, values


class HashSet(SetMethods, Table):
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
    plainly = axis is None and equal_nan and not (return_index or return_inverse or return_counts)
    if host and plainly and not sorted:
        if are_few_numbers(ar):
            return numbered_few(ar, where(CPU))[1]
        if type(ar) is np.ndarray and (few := few_distinct(ar)) is not None:
            return few
    if space_of(ar) is not NUMPY:
        return _unique_on_device(ar, return_index or return_inverse or return_counts, sorted, progress)
    ar = listed(ar)
    strings = None if sorted else strings_of_pandas(ar)
    if strings is None and is_extension(ar) and ar.isna().any():
        raise TypeError(f"ar: {ar.dtype} with missing elements; factorize numbers the others")
    ar = np.asanyarray(ar) if strings is None else strings
    if not sorted and isinstance(ar, (np.ma.MaskedArray, np.matrix)):
        ar = values_of(ar, "ar")
    left = sorted and (name_of(ar.dtype) not in DTYPES or (host and ar.size < FEW))
    if axis is not None or not equal_nan or type(ar) is not np.ndarray or left:
        return np.unique(ar, return_index, return_inverse, return_counts, axis, equal_nan=equal_nan)
    given = ar.dtype
    ar = values_of(ar, "ar")
    at = where(place(device), 0, None, progress)
    if not sorted:
        return _unsorted(ar, given, return_index, return_inverse, return_counts, at, strings is not None, host)
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
    ar: np.ndarray,
    given: np.dtype,
    return_index: bool,
    return_inverse: bool,
    return_counts: bool,
    at: Any,
    strings: bool,
    host: bool,
) -> Any:
    """Distinct values in the order of their first occurrences."""
    flat = ar.reshape(-1)
    more = return_index or return_inverse or return_counts
    objects = distinct_objects(flat, more) if flat.dtype.kind == "O" else None
    codes, values = objects or _numbered(flat, at, "ar", host)
    if strings and not set(map(type, values.tolist())) <= {str}:
        raise TypeError("ar: strings with missing elements; factorize numbers the others")
    out = (values.astype(given, copy=False),)
    if return_index:
        out += (first_positions(codes, len(values)).astype(np.intp, copy=False),)
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


def _first_zero(values: np.ndarray) -> int:
    """The position of the first zero, which is there, mostly near the front."""
    for begin in range(0, len(values), 4096):
        zeros = values[begin : begin + 4096] == 0
        if zeros.any():
            return begin + int(zeros.argmax())
    raise AssertionError


def _numbered(flat: np.ndarray, at: Any, name: str, host: bool) -> tuple[np.ndarray, np.ndarray]:
    """Codes by first occurrence, and the distinct values, of any type that can be hashed or sorted."""
    if host and (found := numbered_in_range(flat) or numbered_strings(flat, at)) is not None:
        return found
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
    values: Any,
    sort: bool = False,
    use_na_sentinel: bool = True,
    size_hint: Optional[int] = None,
    *,
    device: Any = None,
    progress: Progress = None,
) -> tuple[Any, Any]:
    """Numbers the distinct elements of an array, as `pandas.factorize` does.

    Parameters
    ----------
    values : array_like, shape (n,)
        Integers, floats, dates, strings, and other types that NumPy sorts; of CuPy, PyTorch and JAX, integers of 32 and
        64 bits. Objects and arrays of pandas' own types are left to pandas.
    sort : bool
        Numbers them in ascending order; else in that of their first occurrences.
    use_na_sentinel : bool
        NaN gets the number -1, and is no element.
    size_hint : int, optional
        Ignored.
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
    host = may_answer(device, progress)
    if host and not sort and are_few_numbers(values) and values.ndim == 1:
        codes, uniques = numbered_few(values, where(CPU))
        return _as_pandas(values, codes, uniques, use_na_sentinel) if uniques.dtype.kind == "f" else (codes, uniques)
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
    values = _plain_list(values)
    values = values_of(values, "values")
    if values.dtype.kind == "O":
        return _factorize_of_pandas(values, sort, use_na_sentinel)
    dtype = given.dtype if isinstance(given, np.ndarray) else values.dtype
    if values.ndim != 1:
        raise ValueError("values: not of one dimension")
    codes, uniques = _numbered(values, where(place(device), 0, None, progress), "values", host)
    if sort:
        order = np.argsort(uniques, kind="stable")
        codes, uniques = _ranks(order)[codes], uniques[order]
    codes, uniques = _as_pandas(values, codes, uniques, use_na_sentinel)
    if index:
        if uniques.dtype == np.float16:  # of which pandas has no Index
            uniques = uniques.astype(np.float32)
        return codes, sys.modules["pandas"].Index(uniques)
    return codes, uniques.astype(dtype, copy=False)


def _as_pandas(
    values: np.ndarray, codes: np.ndarray, uniques: np.ndarray, use_na_sentinel: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Codes and distinct values with the sign of the first zero; with the sentinel a missing value has the code -1."""
    kind = values.dtype.kind
    if kind == "f" and not uniques.all():
        uniques[np.flatnonzero(uniques == 0)] = values[_first_zero(values)]
    if not use_na_sentinel or kind not in "fcmM" or (kind == "f" and not has_nan(uniques)):
        return codes, uniques
    missing = np.flatnonzero(np.isnat(uniques) if kind in "mM" else np.isnan(uniques))
    for gone in missing.tolist():
        renumbered = np.arange(len(uniques))
        renumbered[gone] = -1
        renumbered[gone + 1 :] -= 1
        codes = renumbered[codes]
        uniques = np.concatenate((uniques[:gone], uniques[gone + 1 :]))
    return codes, uniques


def _plain_list(values: Any) -> Any:
    """Lists and tuples of several types as an array of objects, unless all are numbers; other values as they are.

    NumPy would turn objects beside strings to strings.
    """
    values = listed(values)
    if not isinstance(values, (list, tuple)):
        return values
    kinds = set(map(type, values))
    mixed = len(kinds) > 1 and not all(issubclass(kind, (int, float, np.number, np.bool_)) for kind in kinds)
    return np.fromiter(values, object, len(values)) if mixed else values


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
    if host and (found := found_by_comparing(element, test_elements)) is not None:
        return np.logical_not(found, out=found) if invert else found
    if host and isin_suits_numpy(element, test_elements):
        return np.isin(element, test_elements, invert=invert)
    element, test_elements = listed(element), listed(test_elements)
    space = space_of(element, test_elements)
    if space is not NUMPY:
        found = HashSet(test_elements, device=device, progress=progress).contains(element)
        return found == 0 if invert else found
    if host and (found := found_by_pandas(element, test_elements)) is not None:
        return np.logical_not(found, out=found) if invert else found
    elements, missing = strings_of_pandas(element), None
    if elements is None:
        elements, missing = values_and_mask(element, "element")
    tests, no_tests = strings_of_pandas(test_elements), None
    if tests is None:
        tests, no_tests = values_and_mask(test_elements, "test_elements")
    elif not set(map(type, tests.tolist())) <= {str}:  # some are missing
        tests = np.fromiter((x for x in tests.tolist() if isinstance(x, str)), object)
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
