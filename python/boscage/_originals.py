"""Input for which the functions that this package replaces are faster: they answer it, with the same results."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

FEW = 1000  # elements, below which NumPy's `unique` and pandas' `factorize` of strings are faster
FEW_TESTS = 6  # of `isin`, with which NumPy compares all elements one after the other
FEW_COMPARED = 200  # elements and tests, up to which NumPy is faster
FEW_INTEGERS = 4096  # integers, up to which a look at their range costs a tenth of NumPy's time
MOST_IN_RANGES = 1 << 21  # elements and tests, up to which one thread with a table of a range is as fast as several
LONG = 16  # characters of a string, above which it is no key of a table by itself


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


def factorized_strings(values: np.ndarray, sort: bool) -> Optional[tuple[Any, Any]]:
    """The numbers that pandas gives few or long strings; None for others, or without pandas."""
    kind, size = values.dtype.kind, values.dtype.itemsize
    if kind not in "US" or (size <= (4 * LONG if kind == "U" else LONG) and len(values) >= FEW):
        return None
    try:
        import pandas
    except ImportError:
        return None
    codes, uniques = pandas.factorize(values.astype(object), sort=sort)
    return codes, uniques.astype(values.dtype)
