"""Points on a sphere by latitude and longitude: distances along great circles by searches of unit vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

SLACK = 1e-15  # added to chords: rounding of unit vectors changes them by a few units of 2^-53


def unit_vectors(x: np.ndarray) -> np.ndarray:
    """Unit vectors of rows of latitude and longitude in radians."""
    latitudes, longitudes = x[:, 0], x[:, 1]
    flat = np.cos(latitudes)
    out = np.empty((len(x), 3))
    out[:, 0] = flat * np.cos(longitudes)
    out[:, 1] = flat * np.sin(longitudes)
    out[:, 2] = np.sin(latitudes)
    return out


def haversine(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Angles between rows of latitude and longitude, by scikit-learn's formula."""
    a = np.sin(0.5 * (x[..., 0] - y[..., 0]))
    b = np.sin(0.5 * (x[..., 1] - y[..., 1]))
    return 2 * np.arcsin(np.sqrt(a * a + np.cos(x[..., 0]) * np.cos(y[..., 0]) * b * b))


def chords(angles: Any) -> np.ndarray:
    """Lengths of chords, or a little more, so that no point at these angles is farther by rounding."""
    angles = np.asarray(angles, np.float64)
    return np.where(angles < np.pi, 2 * np.sin(0.5 * np.clip(angles, 0, np.pi)) + SLACK, 3.0) + np.where(
        angles < 0, -np.inf, 0
    )
