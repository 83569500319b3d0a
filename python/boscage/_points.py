"""Checks and conversions of points for trees and grids."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._arrays import NUMPY, Space


def finite(x: np.ndarray, name: str) -> None:
    """Refuses NaN and infinities. A sum is finite only if all terms are, but finite terms may overflow it."""
    if x.size > 1000:
        with np.errstate(all="ignore"):
            if np.isfinite(x.sum()):
                return
    if not np.isfinite(x).all():
        raise ValueError(f"{name} must be finite, check for nan or inf values")


def norm(p: float) -> float:
    p = float(p)
    if not p >= 1:
        raise ValueError(f"p: {p} is not 1 or more")
    return p


def points_of(x: Any, dtype: Optional[str], space: Space, name: str = "data") -> tuple[Any, str]:
    """Points as rows of float32 or float64, and the type."""
    if space is NUMPY:
        if hasattr(x, "toarray"):
            raise TypeError(f"{name}: a sparse matrix; points are dense arrays")
        x = np.asarray(x)
        if x.dtype.kind == "c":
            raise TypeError("KDTree does not work with complex data")
    dtype = dtype or space.dtype_name(x)
    if dtype not in ("float32", "float64"):
        dtype = "float64"
    x = space.rows(x, dtype) if len(x.shape) == 2 else space.asarray(x, dtype)
    if len(x.shape) != 2:
        raise ValueError(f"{name} must be 2 dimensions")
    if space is NUMPY:
        x = np.asarray(x)
        finite(x, name)
    return x, dtype


def frozen(x: Any) -> Any:
    """A read-only view of a NumPy array: a tree does not notice changes of its points."""
    if not isinstance(x, np.ndarray):
        return x
    view = x.view()
    view.flags.writeable = False
    return view
