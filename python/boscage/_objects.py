"""Arrays of Python's objects, by the objects' own hashes."""

from __future__ import annotations

import datetime
import decimal
import fractions
import sys
from collections import defaultdict
from itertools import count
from typing import Any, Optional

import numpy as np

# Equal elements of these types have equal hashes. NumPy's numbers are not among them: np.float32(0.1) equals 0.1.
_TEXT = {str, bytes, type(None), np.str_, np.bytes_}
_PLAIN = _TEXT | {bool, int, float, complex, decimal.Decimal, fractions.Fraction}
_PLAIN |= {datetime.date, datetime.datetime, datetime.time, datetime.timedelta}


MANY = 1 << 14  # strings, from which on the hash table of pandas is faster than a dict: an estimate


def distinct_objects(flat: np.ndarray, with_codes: bool) -> Optional[tuple[Optional[np.ndarray], np.ndarray]]:
    """Codes by first occurrence, if requested, and the distinct objects; None if some object has no hash.

    All NaNs are one.
    """
    pandas = None if with_codes or flat.size < MANY else sys.modules.get("pandas")
    if pandas is not None and pandas.api.types.infer_dtype(flat, skipna=False) == "string":
        return None, pandas.unique(flat)
    objects, codes = flat.tolist(), None
    try:
        if with_codes:
            code_of: dict[Any, int] = defaultdict(count().__next__)
            codes = np.fromiter(map(code_of.__getitem__, objects), np.int64, len(objects))
        else:
            code_of = dict.fromkeys(objects, 0)
    except TypeError:
        return None
    distinct = np.fromiter(code_of, object, len(code_of))
    numbers = (float, complex, np.inexact)
    if not any(issubclass(kind, numbers) for kind in set(map(type, code_of))):
        return codes, distinct
    nan = [i for i, x in enumerate(code_of) if isinstance(x, numbers) and x != x]  # one for each object
    if len(nan) > 1:
        other = np.ones(len(distinct), bool)
        other[nan[1:]] = False
        renumbered = np.cumsum(other) - 1
        renumbered[nan] = renumbered[nan[0]]
        codes, distinct = None if codes is None else renumbered[codes], distinct[other]
    return codes, distinct


def found_objects(elements: np.ndarray, tests: np.ndarray) -> Optional[np.ndarray]:
    """True for the elements that equal a test. None if neither has objects, or if hashes do not decide."""
    kinds = elements.dtype.kind, tests.dtype.kind
    if "O" not in kinds or not set(kinds) <= set("OUSbiu"):
        return None
    objects, tested = elements.reshape(-1).tolist(), tests.reshape(-1).tolist()
    missing = getattr(sys.modules.get("pandas"), "NA", None)  # as pandas, which finds it by its identity
    types = set(map(type, tested)) - {type(missing)}
    if not types <= _PLAIN or not (types <= _TEXT or set(map(type, objects)) - {type(missing)} <= _PLAIN):
        return None
    try:
        # Without NaN, which equals nothing.
        held = set(tested) if types <= _TEXT else {x for x in tested if x is missing or x == x}
        return np.fromiter(map(held.__contains__, objects), bool, len(objects)).reshape(elements.shape)
    except (TypeError, ArithmeticError):  # of an object without a hash, or a signalling NaN
        return None
