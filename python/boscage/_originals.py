"""Input for which the functions that this package replaces are faster: they answer it, with the same results."""

from __future__ import annotations

import sys
from typing import Any, Optional

import numpy as np

from ._where import Progress, place

# Limits below or above which the originals are faster: all are estimates, which depend on the machine.
FEW = 1000  # elements of `unique`
FEW_TESTS = 6  # of `isin`, with which NumPy compares all elements one after the other
FEW_OBJECTS = 1 << 14  # objects and strings of pandas, up to which a set of Python finds them before pandas' function
FEW_COMPARED = 200  # elements and tests
FEW_INTEGERS = 4096  # integers, up to which their range is not read: that costs as much as it may save
MOST_IN_RANGES = 1 << 21  # elements and tests, up to which one thread with a table of a range keeps up with several


def may_answer(device: Any, progress: Progress) -> bool:
    """True on the CPU where neither a device nor reports of progress are requested, which the originals lack."""
    return device is None and progress is None and place().backend == "cpu"


def found_by_pandas(elements: Any, tests: Any) -> Optional[np.ndarray]:
    """True for the elements that equal a test: of objects and strings of pandas by pandas' own function, of categories
    by `isin` of the categories. None if pandas is not loaded, for other arrays, and if some test is no str."""
    pandas = sys.modules.get("pandas")
    dtype = getattr(elements, "dtype", None)
    if pandas is None or dtype is None:
        return None
    if isinstance(dtype, getattr(pandas, "CategoricalDtype", ())):
        from .hashing import isin

        codes = np.asarray(getattr(elements, "cat", elements).codes)
        return np.append(isin(dtype.categories, tests), False)[codes]  # -1: a missing element
    if elements.size < FEW_OBJECTS or (isinstance(elements, np.ndarray) and dtype != object):
        return None
    if not isinstance(elements, np.ndarray) and type(dtype).__name__ != "StringDtype":
        return None
    words = tests.tolist() if hasattr(tests, "tolist") else tests
    if not isinstance(words, list) or not words or set(map(type, words)) != {str}:
        return None
    plain = isinstance(elements, np.ndarray)
    flat = np.asarray(elements).reshape(-1) if plain else elements  # a matrix would keep two dimensions
    found = pandas.Series(flat, dtype=object if plain else None, copy=False).isin(words)
    return np.array(found, bool).reshape(elements.shape)


def found_by_comparing(elements: Any, tests: Any) -> Optional[np.ndarray]:
    """True for the elements of an array that equal one of a few tests of its type. None for others.

    NumPy compares them the same way, after more checks.
    """
    if type(elements) is not np.ndarray or type(tests) is not np.ndarray or elements.dtype != tests.dtype:
        return None
    if not 0 < tests.size <= FEW_TESTS or tests.dtype.kind not in "biufSUmM" or not elements.ndim:
        return None
    first, *others = tests.reshape(-1)
    found = elements == first
    for test in others:
        found |= elements == test
    return found


def isin_suits_numpy(elements: Any, tests: Any) -> bool:
    """True for arrays of one type that NumPy compares exactly and faster.

    It does so with few tests, little input, and integers that it finds in a table of their range.
    """
    if type(elements) is not np.ndarray or type(tests) is not np.ndarray or elements.dtype != tests.dtype:
        return False
    kind, both = tests.dtype.kind, elements.size + tests.size
    if kind not in "biu":
        return kind in "fSUmM" and (tests.size <= FEW_TESTS or both <= FEW_COMPARED)
    if tests.size <= FEW_TESTS or both <= FEW_INTEGERS or (tests.dtype.itemsize == 1 and both <= MOST_IN_RANGES):
        return True
    return both <= MOST_IN_RANGES and int(tests.max()) - int(tests.min()) <= 6 * both
