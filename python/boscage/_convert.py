"""Arguments as arrays of a type that holds their values: else a TypeError that names the argument."""

from __future__ import annotations

from collections.abc import Iterator, Set, ValuesView
from typing import Any, Optional

import numpy as np

from ._arrays import NUMPY, Space, is_aligned, space_of


def is_extension(x: Any) -> bool:
    """True for arrays of pandas' own types: nullable, categorical, strings, with time zones."""
    dtype = getattr(x, "dtype", None)
    return dtype is not None and not isinstance(dtype, np.dtype) and hasattr(x, "isna")


def listed(x: Any) -> Any:
    """Sets, views of dicts and iterators as lists, in their order, and the keys of a hash table; other objects as they
    are."""
    if hasattr(x, "_handle") and hasattr(x, "keys"):
        return x.keys()
    return list(x) if isinstance(x, (Set, ValuesView, Iterator)) else x


def integers_of(numbers: Any) -> np.ndarray:
    """Integers of Python as an array of int64 or uint64 if one of them holds all, else as objects. NumPy makes floats
    of integers on both sides of 2^63."""
    try:
        return np.array(numbers, np.int64)
    except OverflowError:
        pass
    objects = np.array(numbers, object)
    fit = objects.min() >= 0 and objects.max() < 2**64  # NumPy before 2 wraps negative integers
    return np.array(numbers, np.uint64 if fit else object)


def strings_of_pandas(x: Any) -> Optional[np.ndarray]:
    """The objects of an array of pandas' strings, whose missing elements are no strings; None for other arrays."""
    if type(x).__module__.partition(".")[0] != "pandas" or type(getattr(x, "dtype", None)).__name__ != "StringDtype":
        return None
    return np.asarray(getattr(x, "array", x), object)


def values_and_mask(x: Any, name: str) -> tuple[np.ndarray, Optional[np.ndarray]]:
    """The values of an array, in host memory, aligned and in the byte order of the machine, and a mask of its missing
    elements, or None."""
    if type(x) is np.ndarray and x.dtype.isnative and is_aligned(x):
        return x, None
    mask, x = None, space_of(x).host(x) if space_of(x).at else x
    if isinstance(x, np.ma.MaskedArray):
        mask, x = (np.ma.getmaskarray(x) if np.ma.is_masked(x) else None), x.data
    elif is_extension(x):
        missing = np.asarray(x.isna())
        mask = missing if missing.any() else None
        kind = getattr(x.dtype, "numpy_dtype", None)  # of integers, floats and booleans with a mask
        if kind is not None and np.dtype(kind).kind in "biuf":
            x = x.to_numpy(dtype=kind, **({} if mask is None else {"na_value": np.dtype(kind).type(0)}))
    try:
        given = listed(x)
        x = np.asarray(given)
        if x.dtype.kind in "US" and isinstance(given, (list, tuple)):  # NumPy makes texts of numbers beside them
            objects = np.array(given, object)
            kinds = set(map(type, objects.ravel().tolist()))
            if not all(issubclass(kind, (str, bytes)) for kind in kinds):
                x = objects
        if x.dtype == np.float64 and isinstance(given, (list, tuple)) and x.size and x.max() >= 2.0**63:
            objects = np.array(given, object)
            if set(map(type, objects.ravel().tolist())) == {int}:
                x = integers_of(objects)
    except ValueError as error:  # of lists whose rows differ in length
        raise ValueError(f"{name}: {error}") from None
    return (x if x.dtype.isnative and is_aligned(x) else x.astype(x.dtype.newbyteorder("="))), mask


def values_of(x: Any, name: str) -> np.ndarray:
    """The values of an array without missing elements, aligned and in the byte order of the machine."""
    if type(x) is np.ndarray and x.dtype.isnative and is_aligned(x):
        return x
    values, mask = values_and_mask(x, name)
    if mask is not None:
        raise TypeError(f"{name}: an array with missing elements")
    return values


def _to_integers(x: np.ndarray, want: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    if x.dtype.kind == "f":
        x = x.astype(np.float64) if x.dtype.itemsize < 8 else x
        low, limit = (0, 2) if want.kind == "b" else (np.iinfo(want).min, np.iinfo(want).max + 1)
        fits = (x >= float(low)) & (x < float(limit)) & (np.trunc(x) == x)
        return np.where(fits, x, 0).astype(want), fits
    y = x.astype(want)
    return y, (y.astype(x.dtype) == x) & ((y < 0) == (x < 0))


def _to_floats(x: np.ndarray, want: np.dtype, may_round: bool) -> tuple[np.ndarray, np.ndarray]:
    with np.errstate(over="ignore"):
        y = x.astype(want)
    if x.dtype.kind == "f":
        return y, (np.isfinite(y) | ~np.isfinite(x)) if may_round else ((y == x) | np.isnan(x))
    limit = 2.0 if x.dtype.kind == "b" else float(np.iinfo(x.dtype).max + 1)
    wide = y.astype(np.float64) if y.dtype.itemsize < 8 else y
    fits = np.isfinite(wide) & (wide < limit)
    return y, fits & (np.where(fits, wide, 0).astype(x.dtype) == x)


def cast(x: np.ndarray, want: Any, may_round: bool = False) -> Optional[tuple[np.ndarray, Optional[np.ndarray]]]:
    """Converts elements to a type.

    Parameters
    ----------
    x : numpy.ndarray
        In the byte order of the machine.
    want : dtype
    may_round : bool
        Floats may round to fewer bits.

    Returns
    -------
    array, and a mask of the elements whose value the type holds, or None for all of them; None instead of both where
    no value of the one type equals one of the other.
    """
    want = np.dtype(want)
    have = x.dtype
    if have == want:
        return x, None
    numbers = have.kind in "biuf" and want.kind in "biufc"
    rounds = have.kind in "iu" and want.kind == "f"  # NumPy calls a cast from i8 to f8 safe
    if numbers and want.kind != "c" and not rounds and np.can_cast(have, want, "safe"):
        return x.astype(want), None
    if have.kind == "c" and want.kind in "biuf":
        found = cast(x.real, want, may_round)
        assert found is not None
        y, fits = found
        return y, (x.imag == 0) if fits is None else fits & (x.imag == 0)
    if have.kind in "biufc" and want.kind == "c":
        y = x.astype(want)
        return y, None if may_round else (y == x) | np.isnan(x)
    if numbers:
        return _to_integers(x, want) if want.kind in "biu" else _to_floats(x, want, may_round)
    if have.kind == want.kind and have.kind in "mM":
        if not np.can_cast(have, want, "same_kind") and not np.can_cast(want, have, "same_kind"):
            return None
        y = x.astype(want)
        return y, (y.astype(have) == x) | (np.isnat(x) & np.isnat(y))
    if have.kind == want.kind and have.kind in "SU":
        y = x.astype(want)
        return y, y == x
    return None


def as_type(x: Any, want: Any, name: str, may_round: bool = False) -> np.ndarray:
    """An array of a type that holds all its values; `may_round`: floats may round to fewer bits."""
    x = values_of(x, name)
    if not x.size and x.dtype == np.float64:  # of an empty list
        return x.astype(want)
    found = cast(x, want, may_round)
    if found is None:
        raise TypeError(f"{name}: {x.dtype} where {np.dtype(want)} is needed")
    y, fits = found
    if fits is not None and not fits.all():
        raise TypeError(f"{name}: {x[~fits].flat[0]} is not a value of {np.dtype(want)}")
    return y


def integers(x: Any, dtype: str, space: Space, name: str) -> Any:
    """Integers as an array of a type, without gaps."""
    if space is not NUMPY and space_of(x) is NUMPY:
        return space.asarray(integers(x, dtype, NUMPY, name), dtype)
    if space is not NUMPY:
        have = _device_type(x, space, name)
        if have.kind not in "biu":
            raise TypeError(f"{name}: {have}; integers are needed")
        if not np.can_cast(have, dtype, "safe"):
            as_type(space.host(x), dtype, name)  # a check of the values
        return space.asarray(x, dtype)
    x = values_of(x, name)
    if x.dtype.kind not in "biu" and x.size:
        raise TypeError(f"{name}: {x.dtype}; integers are needed")
    return np.asarray(as_type(x, dtype, name), order="C")


def flags(x: Any, space: Space, name: str) -> Any:
    """Booleans, or the integers 0 and 1: of bool in host memory, of uint8 on a device."""
    if space is NUMPY:
        return integers(x, "bool", NUMPY, name)
    own = space_of(x)
    if own is NUMPY or own.dtype_name(x) != "bool":
        integers(own.host(x), "bool", NUMPY, name)  # a check of the values
    return integers(x, "uint8", space, name)


def _device_type(x: Any, space: Space, name: str) -> np.dtype:
    text = space.dtype_name(x)
    try:
        return np.dtype(text)
    except TypeError:
        raise TypeError(f"{name}: {text}; NumPy has no such type") from None


def refuse_mask(x: Any, name: str) -> None:
    """Refuses arrays of NumPy with missing elements."""
    if np.ma.is_masked(x):
        raise TypeError(f"{name}: an array with missing elements")


EXACT_INTEGERS = 2**53  # up to which float64 holds every integer


def refuse_rounding(x: np.ndarray, name: str) -> None:
    """Refuses integers that float64 may change."""
    if x.dtype.kind not in "iu" or x.itemsize < 8 or not x.size:
        return
    beyond = (x > EXACT_INTEGERS) | (x < -EXACT_INTEGERS if x.dtype.kind == "i" else False)
    if beyond.any():
        raise ValueError(f"{name}: {x[beyond].flat[0]} is beyond 2^53, so it may change as a float64")


def real_array(x: Any, name: str) -> np.ndarray:
    """Real numbers of any type."""
    x = values_of(x, name)
    if x.dtype.kind in "biuf":
        return x
    if x.dtype.kind == "c":
        raise TypeError(f"{name}: complex data; real numbers are needed")
    if x.dtype.kind == "O":
        if any(isinstance(value, (str, bytes)) for value in x.ravel().tolist()):
            raise TypeError(f"{name}: strings; numbers are needed")
        try:
            return x.astype(np.float64)
        except TypeError as error:
            raise TypeError(f"{name}: {error}") from None
        except (ValueError, OverflowError) as error:
            raise ValueError(f"{name}: {error}") from None
    raise TypeError(f"{name}: {x.dtype}; numbers are needed")


def reals(x: Any, dtype: str, space: Space, name: str) -> Any:
    """Real numbers as an array of a type of floats, without gaps."""
    if space is NUMPY:
        return np.asarray(real_array(x, name), dtype, order="C")
    refuse_complex(x, space, name)
    return space.asarray(x, dtype)


def refuse_complex(x: Any, space: Space, name: str) -> None:
    """Refuses complex numbers of another array library than NumPy."""
    if space.dtype_name(x).startswith("complex"):
        raise TypeError(f"{name}: complex data; real numbers are needed")
