"""Kernel density estimates by searches in k-d trees."""

from __future__ import annotations

import math
from typing import Any, Optional

import numpy as np

KERNELS = ("gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine")
DIGITS = 37.0  # exp(-37) is 2^-53: kernels below that fraction of the sum, divided by n, change no digit
BLOCK = 1 << 22  # pairs of a query and a point that are in memory at once, about


def _log_ball(n: int) -> float:
    """The logarithm of the volume of the unit ball in n dimensions."""
    return 0.5 * n * math.log(math.pi) - math.lgamma(0.5 * n + 1)


def _log_sphere(n: int) -> float:
    """The logarithm of the area of the unit sphere whose points have n + 1 coordinates."""
    return math.log(2 * math.pi) + _log_ball(n - 1)


def log_norm(kernel: str, h: float, d: int) -> float:
    """The logarithm of the factor that gives the kernel of width h in d dimensions the integral 1."""
    if kernel == "gaussian":
        integral = 0.5 * d * math.log(2 * math.pi)
    elif kernel == "tophat":
        integral = _log_ball(d)
    elif kernel == "epanechnikov":
        integral = _log_ball(d) + math.log(2.0 / (d + 2))
    elif kernel == "exponential":
        integral = _log_sphere(d - 1) + math.lgamma(d)
    elif kernel == "linear":
        integral = _log_ball(d) - math.log(d + 1)
    else:
        # By parts, the integral of r^n cos(pi r / 2) from 0 to 1, for n = d - 1. scikit-learn's lacks the last term of
        # odd n.
        inverse, moment = 2 / math.pi, 2 / math.pi - (d % 2 == 0) * (2 / math.pi) ** 2
        for n in range(2 + (d % 2 == 0), d, 2):
            moment = inverse - n * (n - 1) * inverse**2 * moment
        integral = math.log(moment) + _log_sphere(d - 1)
    return -integral - d * math.log(h)


def _log_kernel(kernel: str, x: np.ndarray) -> np.ndarray:
    """The logarithms of a kernel at distances in units of its width."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if kernel == "gaussian":
            return -0.5 * x * x
        if kernel == "exponential":
            return -x
        if kernel == "tophat":
            inside = np.zeros_like(x)
        elif kernel == "epanechnikov":
            inside = np.log(1 - x * x)
        elif kernel == "linear":
            inside = np.log(1 - x)
        else:
            inside = np.log(np.cos(0.5 * math.pi * x))
        return np.where(x < 1, inside, -np.inf)


def _reaches(kernel: str, h: float, nearest: np.ndarray, n: int) -> np.ndarray:
    """Distances beyond which all points together change no digit of the sum at queries so far from the nearest."""
    if kernel == "gaussian":
        return np.hypot(nearest, h * math.sqrt(2 * (DIGITS + math.log(n))))  # squares may leave the range
    if kernel == "exponential":
        return nearest + h * (DIGITS + math.log(n))
    return np.full(len(nearest), h)


def _log_sums(logs: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """The logarithm of the sum of exponentials in each CSR row; -infinity for an empty one."""
    out = np.full(len(offsets) - 1, -np.inf)
    full = np.flatnonzero(np.diff(offsets))
    if len(full):
        begins = offsets[:-1][full]
        most = np.maximum.reduceat(logs, begins)
        shift = np.where(np.isfinite(most), most, 0)
        with np.errstate(divide="ignore"):
            sums = np.add.reduceat(np.exp(logs - np.repeat(shift, np.diff(offsets)[full])), begins)
            out[full] = np.log(sums) + shift
    return out


def log_density(
    tree: Any, x: np.ndarray, h: float, kernel: str, p: float, weights: Optional[np.ndarray]
) -> np.ndarray:
    """The logarithm of the sum of kernels around all points of a `cKDTree` at each row of x, to the last digits.

    A kernel without an end is cut where the rest cannot change the sum; weights must be of a size.
    """
    if not len(x):
        return np.zeros(0)
    nearest = tree.query(x, p=p)[0]
    spread = 1.0 if weights is None else float(weights.max() / weights[weights > 0].min())
    radii = _reaches(kernel, h, nearest, tree.n * spread)
    counts = tree.query_ball_point(x, radii, p=p, return_length=True)
    with np.errstate(divide="ignore"):
        logs_of_weights = None if weights is None else np.log(weights)
    out = np.empty(len(x))
    begin, ends = 0, np.cumsum(counts)
    while begin < len(x):
        before = ends[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, before + BLOCK, side="right")))
        offsets, ids, d = tree.query_ball_csr(x[begin:end], radii[begin:end], p=p, return_distance=True)
        logs = _log_kernel(kernel, np.asarray(d, np.float64) / h)
        if logs_of_weights is not None:
            logs += logs_of_weights[ids]
        out[begin:end] = _log_sums(logs, offsets)
        begin = end
    return out + log_norm(kernel, h, tree.m)
