"""All cells into which planes divide space, or lines the plane; exact."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._arrays import NUMPY
from ._convert import reals
from ._where import Progress, place, where
from .hamming import CellGraph

__all__ = ["Arrangement"]


class Arrangement(CellGraph):
    """The cells between planes, and the walls between cells: a graph of vectors with a bit for each plane.

    Its vertices are the cells; two have an edge if they share a wall. Bit k of a cell is 1 where the sum of plane k is
    more than 0.

    Parameters
    ----------
    planes : array_like, shape (n, dim + 1)
        Row (a, ..., c) is the plane of the points x with ``a . x + c = 0``, of 1 to 3 dimensions. No two are equal.
    device, progress
        As those of `boscage.spatial.cKDTree`.

    Attributes
    ----------
    cells, walls, pieces, corners : int
        Parts of full dimension, of planes, of lines, and points.
    rank : int
        Of the planes' normals.

    Examples
    --------
    >>> from boscage.arrangement import Arrangement
    >>> lines = Arrangement([[1, 0, 0], [0, 1, 0], [1, 1, -1]])    # x = 0, y = 0, x + y = 1
    >>> lines.cells, lines.walls, lines.corners
    (7, 9, 3)
    >>> lines.locate([[0.25, 0.25], [-5.0, 9.0]])
    array([2, 5])
    """

    def __init__(self, planes: Any, *, device: Any = None, progress: Progress = None):
        planes = reals(planes, "float64", NUMPY, "planes")
        if planes.ndim != 2 or not len(planes) or planes.shape[1] < 2:
            raise ValueError("planes: not rows of coefficients")
        super().__init__(np.zeros((0, len(planes)), np.uint8), length=len(planes), device=place(device))
        self._planes = planes.copy()  # the caller may change its array
        self._planes.flags.writeable = False
        self._numbers = _core.arrangement(where(self._place, 0, None, progress), planes, self._handle)

    @property
    def planes(self) -> np.ndarray:
        return self._planes

    @property
    def cells(self) -> int:
        return self._numbers["cells"]

    @property
    def walls(self) -> int:
        return self._numbers["walls"]

    @property
    def pieces(self) -> int:
        return self._numbers["pieces"]

    @property
    def corners(self) -> int:
        return self._numbers["corners"]

    @property
    def rank(self) -> int:
        return self._numbers["rank"]

    def locate(self, points: Any) -> np.ndarray:
        """Finds the cells of points; -1 for a point whose signs, computed in float64, are of no cell, and for NaN. A
        point on a plane belongs to the side where its sum is below 0, if that is a cell."""
        points = reals(points, "float64", NUMPY, "points")
        if points.ndim != 2 or points.shape[1] != self._planes.shape[1] - 1:
            raise ValueError(f"points: not rows of {self._planes.shape[1] - 1} coordinates")
        with np.errstate(invalid="ignore"):
            sums = points @ self._planes[:, :-1].T + self._planes[:, -1]
        above, is_number = sums > 0, ~np.isnan(sums).any(axis=1)
        rows = {row.tobytes(): k for k, row in enumerate(np.packbits(self.vectors(), axis=1))}
        found = np.array([rows.get(row.tobytes(), -1) for row in np.packbits(above, axis=1)], np.int64)
        return np.where(is_number, found, -1)

    def __repr__(self) -> str:
        return f"<boscage.Arrangement of {len(self._planes)} planes, {self.cells} cells, on {self._place}>"

    def __reduce__(self) -> Any:
        return _restored, (self._planes, str(self._place))


def _restored(planes: np.ndarray, device: str) -> Arrangement:
    """An arrangement as it was pickled; on the CPU where its device is missing."""
    return Arrangement(planes, device="cpu" if _core.backend_reason("cuda") else device)
