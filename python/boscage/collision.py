"""Collisions of triangle meshes: all pairs of triangles that touch, exact, recomputed every frame."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _core
from ._arrays import DTYPES, NUMPY, Space, place_for, raw, space_of
from ._convert import integers, reals
from ._locks import reading, writing
from ._numbers import real
from ._where import Place, Progress, where

__all__ = ["CollisionDetector", "colliding_pairs"]


class CollisionDetector:
    """Finds the triangles of two meshes that touch, again and again in the same memory.

    Triangles are closed, and the test is exact: a common point suffices.

    Parameters
    ----------
    dtype : {"float32", "float64"}
        Of the vertices.
    cell : float
        Edge of a voxel; 0: chosen. Results do not depend on it.
    device : str, optional
        As that of `boscage.spatial.cKDTree`.

    Examples
    --------
    >>> from boscage.collision import CollisionDetector
    >>> corner = ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> upright = ([[0.2, 0.2, -1], [0.2, 0.2, 1], [0.3, 0.2, 1]], [[0, 1, 2]])
    >>> detector = CollisionDetector("float64")
    >>> detector.update(corner, upright)
    1
    >>> detector.pairs()
    array([[0, 0]])
    >>> detector.update(corner, upright, b_transform=[[1, 0, 0, 5], [0, 1, 0, 0], [0, 0, 1, 0]])
    0
    """

    def __init__(self, dtype: str = "float32", *, cell: float = 0.0, device: Any = None):
        self._dtype = np.dtype(dtype).name
        if self._dtype not in ("float32", "float64"):
            raise ValueError(f"dtype: {dtype!r} is neither 'float32' nor 'float64'")
        self._space: Space = NUMPY
        self._place = place_for(NUMPY, device)
        self._cell = real(cell, "cell")
        self._handle = self._make(self._place)

    def _make(self, place: Place) -> Any:
        return _core.Collision(where(place), DTYPES[self._dtype], 64, self._cell)

    def _mesh(self, mesh: Any, name: str, space: Space) -> tuple[Any, Any]:
        """The vertices and triangles of a pair of them, or of an object with `vertices` and `faces`, as of trimesh."""
        if hasattr(mesh, "vertices") and hasattr(mesh, "faces"):
            mesh = (np.asarray(mesh.vertices), np.asarray(mesh.faces))
        if not isinstance(mesh, (tuple, list)) or len(mesh) != 2:
            raise TypeError(f"{name}: neither vertices and triangles nor a mesh with `vertices` and `faces`")
        vertices = reals(mesh[0], self._dtype, space, f"{name}: vertices")
        triangles = integers(mesh[1], "int64", space, f"{name}: triangles")
        if len(vertices.shape) != 2 or vertices.shape[1] != 3:
            raise ValueError(f"{name}: vertices are not rows of 3 coordinates")
        if len(triangles.shape) != 2 or triangles.shape[1] != 3:
            raise ValueError(f"{name}: triangles are not rows of 3 vertices")
        return vertices, triangles

    @writing
    def update(
        self,
        a: Any,
        b: Any,
        *,
        a_transform: Any = None,
        b_transform: Any = None,
        workers: Optional[int] = None,
        progress: Progress = None,
    ) -> int:
        """Finds all pairs of a triangle of A and one of B that touch, in place of the earlier ones.

        Parameters
        ----------
        a, b : (vertices, triangles), or object with `vertices` and `faces`
            Vertices of shape (n, 3), and triangles of shape (t, 3) of their numbers. Arrays on a device stay there, and
            the pairs are found there.
        a_transform, b_transform : array_like, shape (3, 4) or (4, 4), optional
            Affine maps of the vertices.
        workers, progress
            As those of `boscage.spatial.cKDTree.query`.

        Returns
        -------
        int
            The number of pairs.
        """
        of = a[0] if isinstance(a, (tuple, list)) and len(a) == 2 else None
        space = space_of(of)
        at = place_for(space, self._place if space is NUMPY else None)
        first = (*self._mesh(a, "a", space), _affine(a_transform, "a_transform"))
        second = (*self._mesh(b, "b", space), _affine(b_transform, "b_transform"))
        if at != self._place:  # the device of the arrays
            self._handle, self._place = self._make(at), at
        self._handle.build(where(at, space.stream(), workers, progress), *first, *second)
        self._space = space
        return self._handle.info(where(self._place))["pairs"]

    @reading
    def pairs(self) -> Any:
        """Lists the pairs (triangle of A, triangle of B) of the last update, ascending: an array of shape (p, 2)."""
        at = where(self._place, self._space.stream())
        pairs = self._space.empty((self._handle.info(at)["pairs"], 2), "int64")
        self._handle.pairs(at, raw(pairs))
        return self._space.give(pairs)

    @reading
    def rows(self) -> tuple[Any, Any]:
        """Lists the same pairs as CSR rows: triangle i of A touches ``ids[offsets[i]:offsets[i + 1]]``."""
        at = where(self._place, self._space.stream())
        about = self._handle.info(at)
        offsets = self._space.empty(about["a_count"] + 1, "int64")
        ids = self._space.empty(about["pairs"], "int64")
        self._handle.rows(at, raw(offsets), None)
        self._handle.rows(at, raw(offsets), raw(ids))
        return self._space.give(offsets), self._space.give(ids)

    @reading
    def __repr__(self) -> str:
        pairs = self._handle.info(where(self._place))["pairs"]
        return f"<boscage.CollisionDetector with {pairs} pairs, on {self._place}>"


def _affine(transform: Any, name: str) -> Optional[np.ndarray]:
    if transform is None:
        return None
    transform = reals(transform, "float64", NUMPY, name)
    if transform.shape == (4, 4) and (transform[3] == [0, 0, 0, 1]).all():
        transform = transform[:3].copy()
    if transform.shape != (3, 4):
        raise ValueError(f"{name}: not an affine map of shape (3, 4) or (4, 4)")
    return transform


def colliding_pairs(a: Any, b: Any, *, device: Any = None, progress: Progress = None, **transforms: Any) -> Any:
    """Finds all pairs of a triangle of A and one of B that touch.

    Parameters
    ----------
    a, b, a_transform, b_transform, progress
        As those of `CollisionDetector.update`. Vertices of float32 stay so, all others become float64.
    device : str, optional
        As that of `CollisionDetector`.

    Returns
    -------
    array, shape (p, 2)
        Rows ascend.

    Examples
    --------
    >>> from boscage.collision import colliding_pairs
    >>> floor = ([[0, 0, 0], [9, 0, 0], [0, 9, 0]], [[0, 1, 2]])
    >>> fin = ([[1, 1, -1], [1, 1, 1], [2, 1, 1], [1, 1, 5]], [[0, 1, 2], [1, 2, 3]])
    >>> colliding_pairs(floor, fin)
    array([[0, 0]])
    """
    vertices = [mesh[0] if isinstance(mesh, (tuple, list)) and mesh else mesh for mesh in (a, b)]
    kinds = {str(getattr(getattr(x, "dtype", ""), "name", "")) for x in vertices}
    detector = CollisionDetector("float32" if kinds == {"float32"} else "float64", device=device)
    detector.update(a, b, progress=progress, **transforms)
    return detector.pairs()
