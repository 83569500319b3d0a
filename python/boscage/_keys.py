"""Keys of hash tables: arrays of many types as words of 32, 64 or 128 bits, equal where the keys are."""

from __future__ import annotations

import datetime
import math
import numbers
import threading
from typing import Any, Optional

import numpy as np

from ._arrays import NUMPY, Space, is_aligned
from ._convert import cast, values_and_mask, values_of

KINDS = "integers, floats, dates, strings and records of integers are"
WORDS = {np.dtype(name) for name in ("int32", "int64", "uint32", "uint64")}
FLOATS = {np.dtype(np.float32), np.dtype(np.float64)}
LONG = 16  # bytes of a string that fit in a word
_lock = threading.Lock()  # of the numbers of long strings


def has_nan(x: np.ndarray) -> bool:
    """True if floats have a NaN: only then is the sum of their squares one."""
    if x.size > 1000:  # BLAS may use threads of its own for more
        return bool(np.isnan(x).any())
    squares = np.vdot(x, x)  # measured with 100 numbers: 0.6 us, beside 1.3 of isnan
    return bool(squares != squares)


def as_float_words(x: np.ndarray) -> np.ndarray:
    """A copy of floats with one zero and one NaN."""
    words = x + x.dtype.type(0)  # -0 is 0
    if has_nan(words):
        words[np.isnan(words)] = np.nan
    return words


def are_words(keys: Any, types: set[np.dtype] = WORDS) -> bool:
    """True for arrays of NumPy without gaps, of integers of 32 or 64 bits, or of `types`: each key is a word."""
    return type(keys) is np.ndarray and keys.dtype in types and keys.flags.c_contiguous and is_aligned(keys)


def unhashable(dtype: Any, name: str = "keys") -> TypeError:
    return TypeError(f"{name}: {dtype}; {KINDS} hashed")


def strings_of(x: np.ndarray, name: str = "keys") -> Optional[np.ndarray]:
    """Objects as an array of type U or S if all are str, or all are bytes; else None."""
    kinds = set(map(type, x.ravel().tolist()))
    kind = "U" if all(issubclass(k, str) for k in kinds) else "S" if all(issubclass(k, bytes) for k in kinds) else None
    if kind is None:
        return None
    if _has_final_zeros(x):
        raise TypeError(f"{name}: a string ends in a zero, which arrays of strings do not hold")
    return x.astype(kind)


def _has_final_zeros(strings: np.ndarray) -> bool:
    """True if a string ends in a zero, which arrays of strings do not hold."""
    return any(s[-1:] in ("\0", b"\0") for s in strings.ravel().tolist() if isinstance(s, (str, bytes)))


def _equal_number(x: Any) -> Any:
    """A number of another type as an int of 64 bits, float or complex of equal value; None if there is none."""
    for kind in (int, float, complex):
        try:
            if (value := kind(x)) == x and (kind is not int or -(2**63) <= value < 2**64):
                return value
        except (TypeError, ValueError, ArithmeticError):
            pass
    return None


def _array_of(key: Any) -> Optional[np.ndarray]:
    """A Python object as an array of one element; None for objects of other types than keys."""
    if isinstance(key, datetime.datetime) and key.tzinfo is not None:
        return None
    if hasattr(key, "to_numpy"):
        key = key.to_numpy()
    elif isinstance(key, datetime.date):
        key = np.datetime64(key)
    elif isinstance(key, datetime.timedelta):
        key = np.timedelta64(key)
    elif isinstance(key, (str, bytes)) and key[-1:] in ("\0", b"\0"):
        return None
    elif isinstance(key, numbers.Number) and not isinstance(key, (bool, float, complex, np.generic)):
        key = _equal_number(key)
    if not isinstance(key, (bool, int, float, complex, str, bytes, np.generic)):
        return None
    one = np.asarray(key).reshape(1)
    return None if one.dtype.kind == "O" else one


def _is_record(dtype: np.dtype) -> bool:
    """True if equal records have equal bytes: no floats, no gaps, and a size that can be a key's."""
    if dtype.hasobject or dtype.itemsize not in (4, 8, 16):
        return False
    if dtype.names is None:
        return dtype.subdtype is None
    fields = [dtype.fields[name][0] for name in dtype.names]  # type: ignore[index]
    return all(f.kind in "biumMSU" for f in fields) and sum(f.itemsize for f in fields) == dtype.itemsize


class Keys:
    """The type of a table's keys, and their conversion to words and back.

    Strings of up to 16 bytes of UTF-8 are words themselves, of 64 bits if none is longer than 8 bytes. Longer strings
    have numbers, in the order in which they came. If `grows`, objects have words of 128 bits, so that any string can
    join them.
    """

    def __init__(self, keys: np.ndarray, name: str = "keys", grows: bool = False):
        self.dtype = keys.dtype
        kind, size = keys.dtype.kind, keys.dtype.itemsize
        self.text = ""  # "U" or "S" for strings
        self._numbers: dict[bytes, int] = {}
        self._first: Optional[np.ndarray] = None  # strings in UTF-8 until they are encoded
        self.words: np.dtype
        if kind in "biu":
            self.words = np.dtype(np.int32) if size < 4 else keys.dtype
        elif kind == "f" and size <= 8:
            self.words = np.dtype(np.float32) if size < 4 else keys.dtype
        elif kind in "mM":
            self.words = np.dtype(np.int64)
        elif kind in "SUO":
            strings = strings_of(keys, name) if kind == "O" else keys
            if strings is None:
                raise unhashable("objects that are not all strings", name)
            self.text = strings.dtype.kind
            self._first = utf8(strings.reshape(-1))
            short = self._first.dtype.itemsize <= 8 and not (grows and kind == "O")
            self.words = np.dtype("S8" if short else "S16")
        elif kind == "V" and _is_record(keys.dtype):
            self.words = keys.dtype
        else:
            raise unhashable(keys.dtype, name)

    @classmethod
    def of_words(cls, dtype: np.dtype) -> "Keys":
        """Keys of a type of words, as `of` makes them."""
        out = cls.__new__(cls)
        out.dtype = out.words = dtype
        out.text, out._numbers, out._first = "", {}, None
        return out

    @classmethod
    def of(cls, keys: Any, name: str = "keys", grows: bool = False) -> tuple["Keys", np.ndarray]:
        """The keys' type and their words."""
        if are_words(keys):
            return cls.of_words(keys.dtype), keys.reshape(-1)
        keys = values_of(keys, name)
        out = cls(keys, name, grows)
        text, out._first = out._first, None
        if text is None:
            return out, out._plain_words(keys.reshape(-1))
        return out, out._words_of_text(text, True)[0]

    @property
    def bits(self) -> int:
        return 8 * self.words.itemsize

    # --- to words -----------------------------------------------------------------------------------------------------

    def encode(self, keys: Any, name: str = "keys") -> np.ndarray:
        """Words of keys for a table: every key has a value in the table's type."""
        keys = values_of(keys, name).reshape(-1)
        if not keys.size:
            return np.empty(0, self.words)
        words, fits = self._words(keys, True)
        if words is None:
            raise TypeError(f"{name}: {keys.dtype} where {self.dtype} is needed")
        if fits is not None and not fits.all():
            raise self._refusal(keys[~fits][0], name)
        return words

    def _refusal(self, key: Any, name: str) -> TypeError:
        """The error for a key that the table cannot hold."""
        key = key.item() if isinstance(key, (np.str_, np.bytes_)) else key
        if self.text and isinstance(key, str if self.text == "U" else bytes) and key[-1:] not in ("\0", b"\0"):
            size = len(key.encode("utf-8", "surrogatepass") if isinstance(key, str) else key)
            return TypeError(
                f"{name}: {key!r} has {size} bytes; strings of this table of {self.dtype} have at most "
                f"{self.words.itemsize}, those of a new table of objects any number"
            )
        return TypeError(f"{name}: {key!r} is not a key of this table of {self.dtype}")

    def look_up(self, keys: Any) -> tuple[np.ndarray, Optional[np.ndarray], tuple[int, ...]]:
        """Words of keys to search for, a mask (None: all may be in the table), and the keys' shape."""
        mask = None
        if type(keys) is not np.ndarray or not keys.dtype.isnative:
            keys, mask = values_and_mask(keys, "keys")
        shape, keys = keys.shape, keys.reshape(-1)
        words, fits = self._words(keys, False)
        if words is None:
            return np.zeros(keys.size, self.words), np.zeros(keys.size, bool), shape
        if mask is not None:
            fits = ~mask.reshape(-1) if fits is None else fits & ~mask.reshape(-1)
        return words, fits, shape

    def _words(self, keys: np.ndarray, add: bool) -> tuple[Optional[np.ndarray], Optional[np.ndarray]]:
        if keys.dtype == self.dtype and not self.text:
            return self._plain_words(keys), None
        if keys.dtype.kind == "O":
            return self._words_of_objects(keys, add)
        if self.text:
            return self._words_of_text(utf8(keys), add) if keys.dtype.kind == self.text else (None, None)
        found = cast(keys, self.dtype)
        if found is None:
            return None, None
        return self._plain_words(found[0]), found[1]

    def _plain_words(self, keys: np.ndarray) -> np.ndarray:
        kind = keys.dtype.kind
        if kind in "mM":
            return NUMPY.asarray(keys).view(np.int64)
        if kind == "f":
            return as_float_words(keys.astype(self.words, copy=False))
        return NUMPY.asarray(keys, self.words)

    def _words_of_text(self, text: np.ndarray, add: bool) -> tuple[np.ndarray, Optional[np.ndarray]]:
        """Words of strings in UTF-8."""
        words = text.astype(self.words, order="C")
        size = self.words.itemsize
        if text.dtype.itemsize < size or (text.dtype.itemsize == size and (size < LONG or self.text == "U")):
            return words, None
        # 1. Find strings without a word of their own: longer ones, and bytes in the form of a number.
        other = np.char.str_len(text) > size
        if size == LONG and self.text == "S":
            other |= _as_pairs(words)[:, 1] == _MARK
        if not other.any():
            return words, None
        if size < LONG:
            return words, ~other
        # 2. Replace them by their numbers.
        known = self._numbers
        if add:
            with _lock:
                found = [known.setdefault(s, len(known)) for s in text[other].tolist()]
        else:
            found = [known.get(s, -1) for s in text[other].tolist()]
        pairs = _as_pairs(words)
        pairs[other, 0], pairs[other, 1] = np.array(found, np.int64).view(np.uint64), _MARK
        fits = np.ones(len(words), bool)
        fits[other] = np.array(found) >= 0
        return words, None if add else fits

    def _words_of_objects(self, keys: np.ndarray, add: bool) -> tuple[Optional[np.ndarray], Optional[np.ndarray]]:
        """Words of objects, by their Python values; objects of other types are in no table."""
        if self.text and (add or not _has_final_zeros(keys)):
            strings = strings_of(keys)
            if strings is not None:
                return self._words(strings, add)
        words, fits = np.zeros(len(keys), self.words), np.zeros(len(keys), bool)
        for i, key in enumerate(keys.tolist()):
            one = _array_of(key)
            if one is not None:
                word, fit = self._words(one, add)
                if word is not None and (fit is None or fit[0]):
                    words[i], fits[i] = word[0], True
        return words, fits

    def one(self, key: Any) -> np.ndarray:
        """One key as an array of one element, for searches."""
        if type(key) is float and self.dtype.kind == "f":  # as NumPy compares a float of Python with an array
            with np.errstate(over="ignore"):
                held = np.array([key], self.dtype)
            if math.isfinite(key) and not np.isfinite(held[0]):  # beyond the type: as float64 it equals none
                return np.array([key])
            return held
        if isinstance(key, tuple) and self.dtype.names:
            try:
                record = np.array([key], self.dtype)
                if tuple(record[0]) == key:  # no field was rounded or cut
                    return record
            except (TypeError, ValueError, OverflowError):
                pass  # no record, thus in no table
        if type(key) is int:
            return np.array([key])
        if isinstance(key, list) or (isinstance(key, np.ndarray) and key.ndim):
            raise TypeError("key: an array where one key is needed")
        if isinstance(key, (np.generic, np.ndarray)):
            return np.asarray(key).reshape(1)
        held = np.empty(1, object)
        held[0] = key
        return held

    # --- and back -----------------------------------------------------------------------------------------------------

    def decode(self, words: np.ndarray) -> np.ndarray:
        """Keys of words, in the type of the table's keys; strings may need a longer one."""
        if not self.text:
            return words.view(self.dtype) if self.dtype.kind in "mM" else words.astype(self.dtype, copy=False)
        if self._numbers and len(words):
            words = np.ascontiguousarray(words)
            pairs = _as_pairs(words)
            numbered = pairs[:, 1] == _MARK
            texts = list(self._numbers)
            out = words.astype(object)
            out[numbered] = [texts[i] for i in pairs[numbered, 0].tolist()]
            words = out.astype("S")
        strings = words if self.text == "S" else _of_utf8(words)
        if self.dtype.kind == "O":
            return strings.astype(object)
        return strings.astype(self.dtype) if strings.dtype.itemsize <= self.dtype.itemsize else strings


_MARK = np.uint64(2**64 - 1)  # the second half of the word of a number; UTF-8 has no byte of eight ones


def _as_pairs(words: np.ndarray) -> np.ndarray:
    """Words of 16 bytes as pairs of integers, in the same memory."""
    return words.view(np.uint64).reshape(*words.shape, 2)


def utf8(strings: np.ndarray) -> np.ndarray:
    """Strings in UTF-8, as an array of type S; bytes as they are."""
    if strings.dtype.kind == "S":
        return strings if strings.dtype.itemsize else strings.astype("S1")
    size = max(strings.dtype.itemsize // 4, 1)
    codes = np.ascontiguousarray(strings, f"U{size}").reshape(-1).view(np.uint32)
    if codes.size and codes.max() > 127:
        return np.char.encode(strings, "utf-8", "surrogatepass")
    return codes.astype(np.uint8).view(f"S{size}").reshape(strings.shape)


def _of_utf8(text: np.ndarray) -> np.ndarray:
    if text.size and np.ascontiguousarray(text).view(np.uint8).max() > 127:
        return np.char.decode(text, "utf-8", "surrogatepass")
    return text.astype("U")


def plain(words: np.ndarray) -> np.ndarray:
    """Words as an array that the extension takes: unsigned integers."""
    if words.dtype.kind in "iuf":
        return words
    size = words.dtype.itemsize
    return np.ascontiguousarray(words).view(np.uint64 if size == 16 else f"u{size}")


def device_keys(keys: Any, space: Space, want: Optional[np.dtype] = None) -> tuple[Any, np.dtype]:
    """Keys of another array library, integers of 32 or 64 bits, as `want` where that is given; and their type."""
    name = space.dtype_name(keys)
    if name not in ("int32", "int64", "uint32", "uint64"):
        raise TypeError(f"keys: {name}; on a device they are integers of 32 or 64 bits")
    have = np.dtype(name)
    if want is None or have == want:
        return space.asarray(keys), have
    if want.kind not in "iu" or not np.can_cast(have, want, "safe"):
        raise TypeError(f"keys: {name} where {want} is needed")
    return space.asarray(keys, want.name), want

