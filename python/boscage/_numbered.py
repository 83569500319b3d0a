"""Codes of elements by first occurrence, and the distinct elements, where that takes less than one hash table."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _core
from ._keys import utf8
from ._objects import distinct_objects

# Limits: all are estimates, which depend on the machine.
FEW = 48  # elements that a dict numbers faster than a hash table
FEW_STRINGS = 64
RANGES = 1 << 15, 1 << 21  # least and most integers, for which a table of their range is faster
WORDS = 8  # longer strings are not numbered word by word

_WORD = 8  # bytes


def few_distinct(ar: np.ndarray) -> Optional[np.ndarray]:
    """The distinct elements of few numbers, dates or strings, in the order of their first occurrences; None for
    others."""
    kind, flat = ar.dtype.kind, ar.reshape(-1)
    if flat.size > FEW or kind not in "biufmMSU" or (kind == "f" and ar.dtype.itemsize > _WORD):
        return None
    if kind in "mM":
        return np.array([*dict.fromkeys(flat.astype(np.int64).tolist())], np.int64).astype(ar.dtype)
    if kind == "f":
        flat = flat + flat.dtype.type(0)  # -0 is 0
        if np.isnan(flat).any():
            return None
    return np.array([*dict.fromkeys(flat.tolist())], ar.dtype)


def numbered_in_range(flat: np.ndarray) -> Optional[tuple[np.ndarray, np.ndarray]]:
    """Codes and the distinct integers or dates, if these are so near to each other that a table of their range is
    small; else None."""
    least, most = RANGES
    if flat.dtype.kind not in "iumM" or not least <= flat.size <= most:
        return None
    numbers = flat.view(np.int64) if flat.dtype.kind in "mM" else flat
    low, high = int(numbers.min()), int(numbers.max())
    if high - low > 2 * flat.size:
        return None
    offsets = numbers - numbers.dtype.type(low) if numbers.dtype.itemsize == _WORD else numbers.astype(np.int64) - low
    offsets, places = offsets.view(np.int64), np.arange(flat.size)
    table = np.empty(high - low + 1, np.int64)
    table[offsets[::-1]] = places[::-1]  # the last write stays: that of the first occurrence
    first = np.flatnonzero(table[offsets] == places)
    table[offsets[first]] = np.arange(len(first))
    return table[offsets], flat[first]


def numbered_strings(flat: np.ndarray, at: Any) -> Optional[tuple[np.ndarray, np.ndarray]]:
    """Codes and the distinct strings of few strings by a dict, of others word by word; else None."""
    if flat.dtype.kind not in "SU":
        return None
    if flat.size <= FEW_STRINGS:
        found = distinct_objects(flat, True)
        return None if found is None else (found[0], found[1].astype(flat.dtype))
    text = utf8(flat)
    count = -(-text.dtype.itemsize // _WORD)
    if count > WORDS:
        return None
    # 1. Number the first two words of the strings, or all strings of one word.
    words = text.astype(f"S{count * _WORD}").view(np.uint64).reshape(flat.size, count)
    codes, distinct = np.empty(flat.size, np.int64), np.empty(min(count, 2) * flat.size, np.uint64)
    used = _core.unique(at, words[:, :2].reshape(-1), 64 * min(count, 2), codes, distinct)
    # 2. Number pairs of such a number and the next word.
    for i in range(2, count):
        pairs = np.stack((codes.view(np.uint64), words[:, i]), axis=1)
        used = _core.unique(at, pairs.reshape(-1), 128, codes, distinct)
    # 3. Find the first string of each number: the last write stays.
    first = np.empty(used, np.int64)
    first[codes[::-1]] = np.arange(flat.size)[::-1]
    return codes, flat[first]
