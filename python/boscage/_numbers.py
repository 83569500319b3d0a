"""Single numbers as arguments: a TypeError or a ValueError names the argument."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

LIMITS = {"int32": (-(2**31), 2**31), "int64": (-(2**63), 2**63), "uint64": (0, 2**64)}


def real(x: Any, name: str) -> float:
    """One real number as a float."""
    if type(x) is float or type(x) is np.float64:
        return float(x)
    kind = getattr(getattr(x, "dtype", None), "kind", None)
    if isinstance(x, (str, bytes)) or (kind is not None and kind in "cmMSU"):
        raise TypeError(f"{name}: {x!r} is not a number")
    try:
        return float(x)
    except TypeError:
        raise TypeError(f"{name}: {x!r} is not a number") from None
    except OverflowError as error:
        raise ValueError(f"{name}: {error}") from None


def length(x: Any, name: str) -> float:
    """One real number that is 0 or more, or infinite."""
    x = real(x, name)
    if not x >= 0:
        raise ValueError(f"{name}: {x:g} is not 0 or more")
    return x


def tolerance(x: Any) -> float:
    """The argument `eps` as a float; it is finite and not negative."""
    eps = real(x, "eps")
    if not 0 <= eps < float("inf"):
        raise ValueError(f"eps: {eps:g} is not 0 or more and finite")
    return eps


def whole(x: Any, name: str, dtype: str = "int64") -> int:
    """One integer that a type holds."""
    if type(x) is not int:
        try:
            x = operator.index(x)
        except TypeError:
            raise TypeError(f"{name}: {x!r} is not an integer") from None
    low, limit = LIMITS[dtype]
    if not low <= x < limit:
        raise ValueError(f"{name}: {x} is not in {low} to {limit - 1}")
    return x
