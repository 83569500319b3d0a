"""Random points, keys, words and relief by a counter-based generator: the same on every machine and backend.

Data depend on the seed and the row alone, so a longer array begins with a shorter one (but scans and relief).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._numbers import whole
from ._where import place, where

__all__ = ["bits", "heights", "keys", "points", "words"]

POINTS = (
    "uniform",
    "normal",
    "clustered",
    "sphere",
    "mixture",
    "plane",
    "line",
    "lidar",
    "lattice",
    "half_equal",
)
KEYS = ("distinct", "sequential", "multiples", "zipf", "equal")
HEIGHTS = ("mountains", "hills", "islands")


def _number(kind: str, kinds: tuple[str, ...]) -> int:
    if kind not in kinds:
        raise ValueError(f"kind: {kind!r} is not one of {', '.join(kinds)}")
    return kinds.index(kind)


def _size(n: Any, name: str) -> int:
    n = whole(n, name)
    if n < 0:
        raise ValueError(f"{name}: {n} is less than 0")
    return n


def bits(n: int, seed: int = 0, stream: int = 0) -> np.ndarray:
    """Makes random words of 32 bits by Philox.

    Parameters
    ----------
    n : int
    seed, stream : int
        The key, and the upper half of the counter.

    Returns
    -------
    array of uint32

    Examples
    --------
    >>> from boscage.random import bits
    >>> (bits(5) == bits(9)[:5]).all()
    np.True_
    """
    out = np.empty(_size(n, "n"), np.uint32)
    _core.random_bits(where(place()), whole(seed, "seed", "uint64"), whole(stream, "stream", "uint64"), out)
    return out


def points(n: int, dim: int = 3, kind: str = "uniform", seed: int = 0, dtype: str = "float64") -> np.ndarray:
    """Makes random points.

    Parameters
    ----------
    n, dim : int
        Points, and coordinates of each.
    kind : str
        "uniform", "normal", "clustered", "sphere", "mixture", "plane", "line", "lidar", "lattice" or "half_equal", as
        in ``boscage/random.h``.
    seed : int
    dtype : {"float32", "float64"}

    Returns
    -------
    array, shape (n, dim)

    Examples
    --------
    >>> from boscage.random import points
    >>> points(1000, 2, "sphere").shape
    (1000, 2)
    """
    dim = whole(dim, "dim", "int32")
    if not 1 <= dim <= 1024:
        raise ValueError(f"dim: {dim} is not in 1 to 1024")
    if np.dtype(dtype).name not in ("float32", "float64"):
        raise ValueError(f"dtype: {dtype!r} is neither 'float32' nor 'float64'")
    out = np.empty((_size(n, "n"), dim), dtype)
    _core.random_points(where(place()), _number(kind, POINTS), whole(seed, "seed", "uint64"), dim, out)
    return out


def keys(n: int, kind: str = "distinct", seed: int = 0) -> np.ndarray:
    """Makes random keys of 64 bits.

    Parameters
    ----------
    n : int
    kind : {"distinct", "sequential", "multiples", "zipf", "equal"}
    seed : int

    Returns
    -------
    array of uint64

    Examples
    --------
    >>> from boscage.random import keys
    >>> len(set(keys(1000).tolist()))
    1000
    """
    out = np.empty(_size(n, "n"), np.uint64)
    _core.random_keys(where(place()), _number(kind, KEYS), whole(seed, "seed", "uint64"), out)
    return out


def words(n: int, length: int, letters: int = 4, seed: int = 0, *, pairs: bool = False) -> np.ndarray:
    """Makes random words over an alphabet.

    Parameters
    ----------
    n, length : int
        Words, and letters of each.
    letters : int
        Of the alphabet, 2 to 256.
    seed : int
    pairs : bool
        Each odd word is the one before it with one letter replaced.

    Returns
    -------
    array of uint8, shape (n, length)

    Examples
    --------
    >>> from boscage.random import words
    >>> two = words(2, 30, pairs=True)
    >>> int((two[0] != two[1]).sum())
    1
    """
    length, letters = whole(length, "length", "int32"), whole(letters, "letters", "int32")
    if length < 1:
        raise ValueError(f"length: {length} is less than 1")
    out = np.empty((_size(n, "n"), length), np.uint8)
    _core.random_words(where(place()), int(bool(pairs)), whole(seed, "seed", "uint64"), length, letters, out)
    return out


def heights(width: int, height: int, kind: str = "mountains", seed: int = 0) -> np.ndarray:
    """Makes fractal relief in metres, for samples 30 m apart.

    Parameters
    ----------
    width, height : int
    kind : {"mountains", "hills", "islands"}
    seed : int

    Returns
    -------
    array of float32, shape (height, width)

    Examples
    --------
    >>> from boscage.random import heights
    >>> heights(65, 33).shape
    (33, 65)
    """
    width, height = _size(width, "width"), _size(height, "height")
    out = np.empty((height, width), np.float32)
    _core.random_heights(where(place()), _number(kind, HEIGHTS), whole(seed, "seed", "uint64"), width, height, out)
    return out
