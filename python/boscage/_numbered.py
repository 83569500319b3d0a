"""Numbers elements in the order of their first occurrences, and finds the distinct ones, without a table of the keys.

A dict numbers few elements, an array integers of a small range, and the hash table of the extension the words of
strings.
"""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _core
from ._keys import FLOATS, WORDS, as_float_words, utf8
from ._objects import distinct_objects

# Limits: all are estimates, which depend on the machine.
FEW = 100  # elements that a dict numbers faster than a hash table
FEW_STRINGS = 200  # strings, to find the distinct ones without codes
RANGES = 1 << 15, 1 << 21  # least and most integers, for which an array of their range is faster
FEWER = 16  # not of so small a range beside their number that the hash table stays in the caches
MOST_WORDS = 8  # of a string that is numbered word by word

NUMBERS = {*WORDS, *FLOATS}

_WORD = 8  # bytes of a word


def are_few_numbers(ar: Any) -> bool:
    """True for arrays of NumPy, not large and without gaps, whose numbers the table of the extension takes as they
    are."""
    few = type(ar) is np.ndarray and 0 < ar.size < RANGES[0]
    return few and ar.dtype in NUMBERS and ar.flags.c_contiguous and ar.flags.aligned


def numbered_few(numbers: np.ndarray, at: Any) -> tuple[np.ndarray, np.ndarray]:
    """Codes and the distinct ones of numbers that `are_few_numbers`. All NaNs are one, and -0 is 0."""
    flat = numbers.reshape(-1)
    if flat.dtype.kind == "f":
        flat = as_float_words(flat)
    codes, distinct = np.empty(flat.size, np.int64), np.empty_like(flat)
    count = _core.unique(at, flat, 8 * flat.itemsize, codes, distinct)
    distinct.resize(count, refcheck=False)
    return codes, distinct


def few_distinct(ar: np.ndarray) -> Optional[np.ndarray]:
    """The distinct elements of a small array of numbers, dates or strings, in the order of their first occurrences.

    None for larger arrays, other types, and floats with NaN, which a dict would keep several times.
    """
    kind, flat = ar.dtype.kind, ar.reshape(-1)
    few = FEW_STRINGS if kind in "SU" else FEW
    if flat.size > few or kind not in "biufmMSU" or (kind == "f" and ar.dtype.itemsize > _WORD):
        return None
    if kind in "mM":
        return np.array([*dict.fromkeys(flat.astype(np.int64).tolist())], np.int64).astype(ar.dtype)
    if kind == "f":
        flat = flat + flat.dtype.type(0)  # -0 is 0
        if np.isnan(flat).any():
            return None
    return np.array([*dict.fromkeys(flat.tolist())], ar.dtype)


def numbered_in_range(flat: np.ndarray) -> Optional[tuple[np.ndarray, np.ndarray]]:
    """Codes and the distinct integers or dates if an array of their range is small; else None."""
    least, most = RANGES
    if flat.dtype.kind not in "iumM" or not least <= flat.size <= most:
        return None
    numbers = flat.view(np.int64) if flat.dtype.kind in "mM" else flat
    low, high = int(numbers.min()), int(numbers.max())
    if not flat.size // FEWER < high - low <= 2 * flat.size:
        return None
    offsets = numbers - numbers.dtype.type(low) if numbers.dtype.itemsize == _WORD else numbers.astype(np.int64) - low
    offsets = offsets.view(np.int64)
    code_of = first_positions(offsets, high - low + 1)
    first = np.flatnonzero(code_of[offsets] == np.arange(flat.size))
    code_of[offsets[first]] = np.arange(len(first))
    return code_of[offsets], flat[first]


def first_positions(numbers: np.ndarray, count: int) -> np.ndarray:
    """The position of the first occurrence of each number below `count`; the size of the array for absent numbers.

    NumPy promises no order of assignments to equal indices, thus not that the last one stays: a minimum needs none.
    """
    first = np.full(count, numbers.size, np.int64)
    np.minimum.at(first, numbers, np.arange(numbers.size))  # has a fast loop for these types since NumPy 1.25
    return first


def numbered_strings(flat: np.ndarray, at: Any) -> Optional[tuple[np.ndarray, np.ndarray]]:
    """Codes and the distinct strings: of few strings by a dict, of others word by word.

    None for longer strings and for other types.
    """
    if flat.dtype.kind not in "SU":
        return None
    if flat.size <= FEW:
        found = distinct_objects(flat, True)
        return None if found is None else (found[0], found[1].astype(flat.dtype))
    text = utf8(flat)
    count = -(-text.dtype.itemsize // _WORD)
    if count > MOST_WORDS:
        return None
    # 1. Number the first two words of the strings, or all strings of one word.
    words = text.astype(f"S{count * _WORD}").view(np.uint64).reshape(flat.size, count)
    codes, distinct = np.empty(flat.size, np.int64), np.empty(min(count, 2) * flat.size, np.uint64)
    used = _core.unique(at, words[:, :2].reshape(-1), 64 * min(count, 2), codes, distinct)
    # 2. Number pairs of such a number and the next word.
    for i in range(2, count):
        pairs = np.stack((codes.view(np.uint64), words[:, i]), axis=1)
        used = _core.unique(at, pairs.reshape(-1), 128, codes, distinct)
    # 3. Find the first string of each number.
    return codes, flat[first_positions(codes, used)]
