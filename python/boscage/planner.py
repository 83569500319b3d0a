"""Motion planning in SO(3): routes of a robot that turns about a point, proved free of collision, or proofs of none."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Sequence

import numpy as np

from . import _core
from ._arrays import NUMPY
from ._convert import integers, reals
from ._locks import writing
from ._numbers import real, whole
from ._where import Progress, place, where

__all__ = ["Bodies", "Planner", "Route", "box"]

OUTCOMES = {
    1: "certified",
    2: "uncertified",
    3: "no route",
    4: "start collides",
    5: "goal collides",
    6: "proved no route",
}
SAMPLINGS = {"circles": 0, "uniform": 1}
WEIGHTS = {"cells": 0, "angle": 1}
SIDES = ((0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6))


class Bodies(NamedTuple):
    """The bodies of a robot or of obstacles: balls, or triangles and convex solids. All are closed.

    Attributes
    ----------
    vertices : array_like, shape (v, 3)
        Of triangles and solids.
    triangles : array_like, shape (t, 3)
        Numbers of vertices; surfaces without an inside.
    solids : sequence of sequences of facets
        Each facet lists the vertices around it, counterclockwise as seen from outside.
    balls : array_like, shape (b, 4)
        Centers and radii.

    Examples
    --------
    >>> from boscage.planner import Bodies, box
    >>> len(Bodies(balls=[[0, 0, 1, 0.5]]).balls), len(box([0, 0, 0], [1, 1, 1]).solids[0])
    (1, 6)
    """

    vertices: Any = ()
    triangles: Any = ()
    solids: Sequence[Sequence[Sequence[int]]] = ()
    balls: Any = ()

    def union(self, *others: "Bodies") -> "Bodies":
        """These bodies and others as one."""
        return Bodies._joined((self, *others))

    @staticmethod
    def _joined(parts: Sequence["Bodies"]) -> "Bodies":
        vertices, triangles, solids, balls = [], [], [], []
        base = 0
        for part in parts:
            own = _rows(part.vertices, 3, "float64", "vertices")
            numbers = _rows(part.triangles, 3, "int64", "triangles")
            _check_numbers(numbers, len(own), "triangles")
            _check_numbers(_corners(part.solids), len(own), "solids")
            triangles.append(numbers + base)
            solids += [[[base + v for v in facet] for facet in solid] for solid in part.solids]
            vertices.append(own)
            base += len(own)
            balls.append(_rows(part.balls, 4, "float64", "balls"))
        return Bodies(np.concatenate(vertices), np.concatenate(triangles), solids, np.concatenate(balls))

    def _arrays(self) -> tuple[np.ndarray, ...]:
        """The arrays of the extension."""
        facets = [facet for solid in self.solids for facet in solid]
        return (
            _rows(self.balls, 4, "float64", "balls").ravel(),
            _rows(self.vertices, 3, "float64", "vertices").ravel(),
            _rows(self.triangles, 3, "int64", "triangles").ravel(),
            np.append(0, np.cumsum([len(solid) for solid in self.solids])).astype(np.int64),
            np.append(0, np.cumsum([len(facet) for facet in facets])).astype(np.int64),
            _corners(self.solids),
        )


def _corners(solids: Any) -> np.ndarray:
    """The vertices of all facets, one facet after the other."""
    corners = [v for solid in solids for facet in solid for v in facet]
    return integers(corners, "int64", NUMPY, "solids") if corners else np.zeros(0, np.int64)


def _check_numbers(numbers: np.ndarray, count: int, name: str) -> None:
    """Refuses numbers that name no vertex of their own bodies: a union would give them one of other bodies."""
    if numbers.size and (numbers.min() < 0 or numbers.max() >= count):
        raise ValueError(f"{name}: numbers that are not in 0 to {count - 1}, of no vertex")


def _rows(x: Any, width: int, dtype: str, name: str) -> np.ndarray:
    if np.size(x) == 0:
        return np.zeros((0, width), dtype)
    x = integers(x, dtype, NUMPY, name) if dtype == "int64" else reals(x, dtype, NUMPY, name)
    if x.ndim != 2 or x.shape[1] != width:
        raise ValueError(f"{name}: not rows of {width} numbers but of shape {x.shape}")
    return x


def box(low: Any, high: Any) -> Bodies:
    """A solid box between two corners.

    Parameters
    ----------
    low, high : array_like of 3 floats

    Returns
    -------
    Bodies

    Examples
    --------
    >>> from boscage.planner import box
    >>> box([0, 0, 0], [1, 2, 3]).vertices[7]
    array([1., 2., 3.])
    """
    corners = np.array([reals(low, "float64", NUMPY, "low"), reals(high, "float64", NUMPY, "high")])
    if corners.shape != (2, 3):
        raise ValueError("low, high: not corners of 3 coordinates")
    vertices = np.array([[corners[c >> axis & 1, axis] for axis in range(3)] for c in range(8)])
    return Bodies(vertices=vertices, solids=[SIDES])


class Route(NamedTuple):
    """A route of rotations, or why there is none.

    Attributes
    ----------
    outcome : str
        "certified", "uncertified", "no route", "start collides", "goal collides" or "proved no route".
    rotations : array, shape (n, 4)
        Quaternions (w, x, y, z) from the start to the goal; empty without a route.
    certified : array of bool, shape (n - 1,)
        Whether the turn from each to the next one is proved free of collision.
    angle : float
        The total turn in radians.
    """

    outcome: str
    rotations: np.ndarray
    certified: np.ndarray
    angle: float


class Planner:
    """Plans how a robot turns about the origin among obstacles.

    A certified turn is free of collision in exact arithmetic, for the coordinates as given. Rotations are quaternions
    (w, x, y, z) of any length.

    Parameters
    ----------
    robot, obstacles : Bodies, or sequence of them
        Balls are tested against balls, triangles and solids against each other.
    forms : array_like, shape (f, 10), optional
        More constraints; see ``boscage/plan.h``.
    sampling : {"circles", "uniform"}
    lazy : bool
        Samples cells when a route first needs them.
    max_rows : int
        Rotations sampled at most; 0: 65,536.
    new_rate : float
        Sampling ends when fewer of a batch are new cells; 0: 0.01.
    seed : int
    device, progress
        As those of `boscage.spatial.cKDTree`.

    Examples
    --------
    >>> from boscage.planner import Planner, box
    >>> arm = box([0, -0.05, -0.05], [1, 0.05, 0.05])
    >>> post = box([0.5, 0.3, -0.2], [0.8, 0.4, 0.2])
    >>> planner = Planner(arm, post)
    >>> planner.collides([[1, 0, 0, 0.2]]), planner.collides([[1, 0, 0, 0]])
    (array([ True]), array([False]))
    >>> planner.route([1, 0, 0, 0], [0, 0, 0, 1]).outcome    # half a turn about z
    'certified'
    """

    def __init__(
        self,
        robot: Any,
        obstacles: Any,
        forms: Any = None,
        *,
        sampling: str = "circles",
        lazy: bool = False,
        max_rows: int = 0,
        new_rate: float = 0.0,
        seed: int = 0,
        device: Any = None,
        progress: Progress = None,
    ):
        if sampling not in SAMPLINGS:
            raise ValueError(f"sampling: {sampling!r} is not one of {', '.join(SAMPLINGS)}")
        self._place = place(device)
        self._handle = _core.Planner(
            where(self._place),
            SAMPLINGS[sampling],
            bool(lazy),
            whole(seed, "seed", "uint64"),
            whole(max_rows, "max_rows"),
            real(new_rate, "new_rate"),
        )
        self._build(robot, obstacles, forms, progress)

    def _build(self, robot: Any, obstacles: Any, forms: Any, progress: Progress) -> None:
        forms = np.zeros((0, 10)) if forms is None else _rows(forms, 10, "float64", "forms")
        scene = (_bodies(robot, "robot"), _bodies(obstacles, "obstacles"))
        self._handle.build(where(self._place, progress=progress), *(part._arrays() for part in scene), forms.ravel())

    @writing
    def rebuild(self, robot: Any, obstacles: Any, forms: Any = None, *, progress: Progress = None) -> None:
        """Replaces the scene, in the planner's memory."""
        self._build(robot, obstacles, forms, progress)

    @property
    def info(self) -> dict[str, int]:
        """Numbers of constraints, cells, free cells, their neighbours and components, and bytes."""
        return self._handle.info(where(self._place))

    @writing
    def collides(self, rotations: Any) -> np.ndarray:
        """Decides which rotations are in collision, exactly: an array of bool.

        rotations : array_like, shape (n, 4)
        """
        rotations = _rows(rotations, 4, "float64", "rotations")
        mask = np.empty(len(rotations), bool)
        self._handle.collides(where(self._place), rotations, mask)
        return mask

    @writing
    def add(self, rotations: Any) -> None:
        """Adds the cells of rotations.

        rotations : array_like, shape (n, 4)
        """
        self._handle.add(where(self._place), _rows(rotations, 4, "float64", "rotations"))

    @writing
    def locate(self, rotations: Any) -> np.ndarray:
        """Finds the cells of rotations; -1 where none was sampled.

        rotations : array_like, shape (n, 4)
        """
        rotations = _rows(rotations, 4, "float64", "rotations")
        cells = np.empty(len(rotations), np.int64)
        self._handle.locate(where(self._place), rotations, cells)
        return cells

    @writing
    def cells(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Lists the cells: a rotation in each, whether it is free, and the smallest cell of its component or -1."""
        count = self._handle.info(where(self._place))["cells"]
        rotations, free, components = np.empty((count, 4)), np.empty(count, bool), np.empty(count, np.int64)
        self._handle.get_cells(where(self._place), rotations, free, components)
        return rotations, free, components

    @writing
    def certify(self, rotations: Any) -> tuple[np.ndarray, np.ndarray]:
        """Proves turns free of collision: the shorter one between each rotation and the next.

        rotations : array_like, shape (n, 4)

        Returns
        -------
        certified : array of bool, shape (n - 1,)
        fractions : array, shape (n - 1,)
            Where the first part without a proof begins; -1 for certified turns.
        """
        rotations = _rows(rotations, 4, "float64", "rotations")
        steps = max(len(rotations) - 1, 0)
        certified, fractions = np.empty(steps, bool), np.empty(steps)
        self._handle.certify(where(self._place), rotations, certified, fractions)
        return certified, fractions

    @writing
    def route(
        self,
        start: Any,
        goal: Any,
        *,
        weights: str = "cells",
        keep_steps: bool = False,
        rounds: int = 0,
        max_boxes: int = 0,
        max_tested: int = 0,
        workers: Optional[int] = None,
        progress: Progress = None,
    ) -> Route:
        """Finds a route between two rotations.

        Parameters
        ----------
        start, goal : array_like of 4 floats
        weights : {"cells", "angle"}
            Through the fewest cells, or with the least angle.
        keep_steps : bool
            Keeps a rotation for each cell.
        rounds, max_boxes, max_tested : int
            Limits of the methods, as in ``bosc_planner_route_opts``: 0: chosen, -1: none.
        workers, progress
            As those of `boscage.spatial.cKDTree.query`.

        Returns
        -------
        Route
        """
        if weights not in WEIGHTS:
            raise ValueError(f"weights: {weights!r} is not one of {', '.join(WEIGHTS)}")
        ends = [reals(end, "float64", NUMPY, name) for end, name in ((start, "start"), (goal, "goal"))]
        if any(end.shape != (4,) for end in ends):
            raise ValueError("start, goal: not quaternions of 4 numbers")
        at = where(self._place, 0, workers, progress)
        found = self._handle.route(
            at,
            *ends,
            WEIGHTS[weights],
            bool(keep_steps),
            whole(rounds, "rounds", "int32"),
            whole(max_boxes, "max_boxes"),
            whole(max_tested, "max_tested"),
        )
        rotations = np.empty((found["rotations"], 4))
        certified = np.empty(max(found["rotations"] - 1, 0), bool)
        self._handle.get_route(at, rotations, certified)
        return Route(OUTCOMES[found["outcome"]], rotations, certified, found["angle"])

    def __repr__(self) -> str:
        about = self.info
        return f"<boscage.Planner of {about['constraints']} constraints, {about['cells']} cells, on {self._place}>"


def _bodies(given: Any, name: str) -> Bodies:
    if isinstance(given, Bodies):
        return given
    parts = list(given)
    if not all(isinstance(part, Bodies) for part in parts):
        raise TypeError(f"{name}: not Bodies")
    return Bodies._joined(parts) if parts else Bodies()
