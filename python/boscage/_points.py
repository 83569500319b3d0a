"""Checks and conversions of points for trees and grids."""

from __future__ import annotations

import math
from typing import Any, Optional

import numpy as np

from ._arrays import NUMPY, Space, name_of, space_of
from ._convert import real_array, refuse_complex
from ._numbers import real


def finite(x: np.ndarray, name: str) -> None:
    """Refuses NaN and infinities. A sum is finite only if all terms are, but finite terms may overflow it."""
    if x.size <= 1000:
        total = np.vdot(x, x)  # half the time of a sum
    else:
        with np.errstate(all="ignore"):
            total = x.sum()
    if math.isfinite(total):
        return
    if not np.isfinite(x).all():
        raise ValueError(f"{name} must be finite, check for nan or inf values")


def norm(p: float) -> float:
    p = real(p, "p")
    if not p >= 1:
        raise ValueError(f"p: {p} is not 1 or more")
    return p


WIDER = 1 + 1e-12  # times the radius for p = 1, so that rounding there loses no point for p < 1; not measured


def is_below_one(p: Any, space: Space) -> bool:
    """True for a p from 0 to 1, whose balls are within those of p = 1: searches filter these, in host memory."""
    return space is NUMPY and 0 < real(p, "p") < 1


def within_power(
    found: tuple[Any, Any, Any], x: np.ndarray, y: np.ndarray, radii: Any, p: float, periods: Any
) -> tuple[Any, Any, Any]:
    """Of CSR rows of neighbours of x in y those within the radius by p < 1: offsets, rows of y, distances."""
    offsets, ids, _ = found
    rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    gaps = np.abs(x[rows].astype(np.float64) - y[ids])
    if periods is not None:
        gaps = np.where(periods > 0, np.minimum(gaps, periods - gaps), gaps)
    d = (gaps**p).sum(axis=1) ** (1 / p)
    near = d <= np.broadcast_to(radii, len(offsets) - 1)[rows]
    counts = np.bincount(rows[near], minlength=len(offsets) - 1)
    return np.append(0, np.cumsum(counts)), ids[near], d[near]


def points_of(x: Any, dtype: Optional[str], space: Space, name: str = "data") -> tuple[Any, str]:
    """Points as rows of float32 or float64, and the type."""
    if space is NUMPY:
        if hasattr(x, "toarray"):
            raise TypeError(f"{name}: a sparse matrix; points are dense arrays")
        x = real_array(x, name)
    else:
        refuse_complex(x, space, name)
    dtype = dtype or space.dtype_name(x)
    if dtype not in ("float32", "float64"):
        dtype = "float64"
    x = space.rows(x, dtype) if len(x.shape) == 2 else space.asarray(x, dtype)
    if len(x.shape) != 2:
        raise ValueError(f"{name} must be 2 dimensions")
    if space is NUMPY:
        finite(x, name)
    return x, dtype


EXACT = {"float32", "float16", "bfloat16", "int8", "int16", "uint8", "uint16", "bool"}  # in float32


def rounds(x: Any, space: Space, name: str = "x") -> bool:
    """True if float32 does not hold all queries x. Values of arrays on a device are not read, their type decides."""
    if space is not NUMPY:
        return space.dtype_name(x) not in EXACT
    x = real_array(x, name)
    if name_of(x.dtype) in EXACT:
        return False
    with np.errstate(over="ignore"):
        return not ((x.astype(np.float32) == x) | (x != x)).all()


ORDINARY = 505  # squares of differences of float64 coordinates up to 2^505 fit, as in the C library


def exponent_of(x: np.ndarray) -> int:
    """The power of two that brings the largest number of float64 just below 2^ORDINARY."""
    most = max(float(x.max()), -float(x.min())) if x.size else 0.0
    return ORDINARY - math.frexp(most)[1]


def converted(x: np.ndarray, dtype: str, name: str) -> np.ndarray:
    """x of another type; refuses numbers that become infinite."""
    with np.errstate(over="ignore"):
        y = x.astype(dtype)
    if (np.isinf(y) & np.isfinite(x)).any():
        raise ValueError(f"{name}: more than {dtype} holds")
    return y


def scaled(x: np.ndarray, exponent: int, name: str) -> np.ndarray:
    """x times a power of two; refuses numbers that become infinite."""
    if not exponent:
        return x
    with np.errstate(over="ignore"):
        y = np.ldexp(x, exponent)
    if (np.isinf(y) & np.isfinite(x)).any():
        raise ValueError(f"{name}: more than {y.dtype.name} holds")
    return y


class PointSet:
    """Base of structures of points, which answer queries that float32 does not hold in float64."""

    _dtype: str
    _space: Space
    _twin: Any  # the same points in float64, built by the first search that needs it; None before
    data: Any

    def _of_points(self, points: Any) -> Any:
        """A structure of other points with the parameters of this one."""
        raise NotImplementedError

    def _of_float64(self) -> Any:
        """This structure, or for points of float32 its twin."""
        if self._dtype == "float64":
            return self
        if self._twin is None:
            self._twin = self._of_points(self._space.asarray(self.data, "float64"))
        return self._twin

    def _for_queries(self, x: Any, name: str = "x") -> Any:
        """The structure for these queries: one of float32 rounds none."""
        return self._of_float64() if self._dtype == "float32" and rounds(x, space_of(x), name) else self


def frozen(x: Any) -> Any:
    """A read-only view of a NumPy array: a tree does not notice changes of its points."""
    if not isinstance(x, np.ndarray):
        return x
    view = x.view()
    view.flags.writeable = False
    return view
