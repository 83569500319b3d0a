"""Geometric hashing: models of points in scenes of points, and the transforms between them.

A search counts votes for the bases of all models at once, so scenes may lack points and contain others.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Sequence

import numpy as np

from . import _core
from ._arrays import NUMPY
from ._convert import reals
from ._locks import reading, writing
from ._numbers import real, whole
from ._where import Progress, place, where

__all__ = ["GeometricHash", "Match", "find_transform"]

KINDS = {"similarity": 0, "affine": 1, "rigid": 2}


class Match(NamedTuple):
    """A model in a scene.

    Attributes
    ----------
    found : bool
        At least `min_fraction` of the model's points are in the scene.
    model : int
        Its number.
    transform : array, shape (dim, dim + 1)
        From the model to the scene: a linear map, and a translation in the last column.
    rows : array of int64
        The scene point of each model point; -1: none.
    inliers : int
        Model points with a scene point.
    error : float
        Root of the inliers' mean squared distance, in units of the scene.
    votes, trials : int
        Votes of its basis, and bases of the scene that were tried.
    """

    found: bool
    model: int
    transform: np.ndarray
    rows: np.ndarray
    inliers: int
    error: float
    votes: int
    trials: int

    def apply(self, points: Any) -> np.ndarray:
        """Points of the model in the scene."""
        points = reals(points, "float64", NUMPY, "points")
        return points @ self.transform[:, :-1].T + self.transform[:, -1]


class GeometricHash:
    """A table of models of points in the plane or in space, to find them in scenes.

    Parameters
    ----------
    models : array_like of shape (n, dim), or sequence of such arrays
        One model, or many; of 2 or 3 coordinates.
    kind : {"similarity", "affine", "rigid"}
        The transforms from a model to a scene. The first and the last have no reflections.
    tolerance : float, optional
        Largest distance of matched points, in units of the model. Default: from the extent of each model.
    min_fraction, stop_fraction : float, optional
        Fractions of a model's points that a match needs, and that end the search for it; 0.4 and 0.9.
    neighbours : int, optional
        Bases consist of a point and its nearest ones, at least 8 of them; for large models. Default: all points of
        models of up to 64, else 24.
    vote_radius, max_bases, max_trials
        As those of ``bosc_geometric_opts``; 0: chosen.
    instances : bool
        A model may be in a scene several times.
    exclusive : bool
        Later matches cannot use scene points of earlier ones.
    seed : int
        Of the choice of bases.
    device, progress
        As those of `boscage.spatial.cKDTree`.

    Examples
    --------
    >>> import numpy as np
    >>> from boscage.geometric import GeometricHash
    >>> model = np.random.default_rng(0).random((30, 2))
    >>> turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    >>> match = GeometricHash(model).find(3 * model[::-1] @ turn.T + [5, 7])
    >>> match.found, match.inliers, match.transform.round(3)
    (True, 30, array([[ 1.8, -2.4,  5. ],
           [ 2.4,  1.8,  7. ]]))
    """

    def __init__(
        self,
        models: Any,
        kind: str = "similarity",
        *,
        tolerance: float = 0.0,
        min_fraction: float = 0.0,
        stop_fraction: float = 0.0,
        neighbours: int = 0,
        vote_radius: float = 0.0,
        max_bases: int = 0,
        max_trials: int = 0,
        instances: bool = False,
        exclusive: bool = False,
        seed: int = 0,
        device: Any = None,
        progress: Progress = None,
    ):
        if kind not in KINDS:
            raise ValueError(f"kind: {kind!r} is not one of {', '.join(KINDS)}")
        points, offsets = _models(models)
        self._place, self._kind, self._dim = place(device), kind, points.shape[1]
        self._handle = _core.GeometricHash(
            where(self._place),
            KINDS[kind],
            self._dim,
            whole(neighbours, "neighbours", "int32"),
            real(tolerance, "tolerance"),
            real(vote_radius, "vote_radius"),
            whole(max_bases, "max_bases"),
            whole(max_trials, "max_trials"),
            real(min_fraction, "min_fraction"),
            real(stop_fraction, "stop_fraction"),
            whole(seed, "seed", "uint64"),
            bool(instances),
            bool(exclusive),
        )
        self._build(points, offsets, progress)

    def _build(self, points: np.ndarray, offsets: np.ndarray, progress: Progress) -> None:
        self._handle.build(where(self._place, progress=progress), points, offsets)
        self._offsets = offsets

    @writing
    def rebuild(self, models: Any, *, progress: Progress = None) -> None:
        """Replaces the models, in the table's memory."""
        points, offsets = _models(models)
        if points.shape[1] != self._dim:
            raise ValueError(f"models: points of {points.shape[1]} coordinates, the table has {self._dim}")
        self._build(points, offsets, progress)

    def _scene(self, scene: Any) -> np.ndarray:
        scene = reals(scene, "float64", NUMPY, "scene")
        if scene.ndim != 2 or scene.shape[1] != self._dim:
            raise ValueError(f"scene: not rows of {self._dim} coordinates but of shape {scene.shape}")
        return scene

    def _match(self, found: dict[str, Any], rows: np.ndarray) -> Match:
        size = self._offsets[found["model"] + 1] - self._offsets[found["model"]]
        transform = np.array(found["transform"]).reshape(self._dim, self._dim + 1)
        rest = {key: found[key] for key in ("found", "model", "inliers", "error", "votes", "trials")}
        return Match(transform=transform, rows=rows[:size].copy(), **rest)

    @reading
    def find(self, scene: Any, *, workers: Optional[int] = None, progress: Progress = None) -> Match:
        """Finds one of the models in a scene: the best of the first found.

        Parameters
        ----------
        scene : array_like, shape (n, dim)
        workers, progress
            As those of `boscage.spatial.cKDTree.query`.

        Returns
        -------
        Match
            With `found` false where no model is there.
        """
        scene = self._scene(scene)
        rows = np.full(self._handle.info(where(self._place))["largest"], -1, np.int64)
        return self._match(self._handle.find(where(self._place, 0, workers, progress), scene, rows), rows)

    @reading
    def find_all(
        self, scene: Any, most: Optional[int] = None, *, workers: Optional[int] = None, progress: Progress = None
    ) -> list[Match]:
        """Finds all models in a scene by one search, the best first.

        Parameters
        ----------
        scene : array_like, shape (n, dim)
        most : int, optional
            Matches at most. Default: the number of models; for `instances` 64.
        workers, progress
            As those of `find`.

        Returns
        -------
        list of Match

        Examples
        --------
        >>> import numpy as np
        >>> from boscage.geometric import GeometricHash
        >>> a, b = np.random.default_rng(1).random((2, 20, 2))
        >>> [match.model for match in GeometricHash([a, b]).find_all(np.concatenate([b + 4, a]))]
        [0, 1]
        """
        scene = self._scene(scene)
        about = self._handle.info(where(self._place))
        most = max(64, about["models"]) if most is None else whole(most, "most")
        if most < 1:
            raise ValueError(f"most: {most} is less than 1")
        rows = np.full((most, about["largest"]), -1, np.int64)
        found = self._handle.find_models(where(self._place, 0, workers, progress), scene, most, rows)
        return [self._match(match, row) for match, row in zip(found, rows)]

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @reading
    def __repr__(self) -> str:
        about = self._handle.info(where(self._place))
        sizes = f"{about['models']} models, {about['bases']} bases"
        return f"<boscage.GeometricHash of {sizes}, {self._kind}, on {self._place}>"


def _models(models: Any) -> tuple[np.ndarray, np.ndarray]:
    """The points of all models, and the offsets of each one's."""
    many = isinstance(models, (list, tuple)) and len(models) and np.ndim(models[0]) == 2
    listed: Sequence[Any] = models if many else [models]
    arrays = [reals(model, "float64", NUMPY, "models") for model in listed]
    dims = {array.shape[1] if array.ndim == 2 else -1 for array in arrays}
    if len(dims) != 1 or not dims <= {2, 3}:
        raise ValueError("models: not arrays of rows of 2 or 3 coordinates")
    offsets = np.append(0, np.cumsum([len(array) for array in arrays])).astype(np.int64)
    return np.ascontiguousarray(np.concatenate(arrays)), offsets


def find_transform(source: Any, target: Any, kind: str = "similarity", **options: Any) -> Match:
    """Finds the transform that brings points to others, as astroalign finds it between lists of stars.

    Parameters
    ----------
    source, target : array_like, shape (n, dim)
        Points; each may lack some of the other's.
    kind : {"similarity", "affine", "rigid"}
    **options
        Those of `GeometricHash`.

    Returns
    -------
    Match

    Raises
    ------
    ValueError
        If there is none.

    Examples
    --------
    >>> import numpy as np
    >>> from boscage.geometric import find_transform
    >>> stars = np.random.default_rng(0).random((50, 2))
    >>> seen = np.concatenate([stars[10:] * 2 + 1, np.random.default_rng(1).random((10, 2))])
    >>> match = find_transform(stars, seen)
    >>> match.inliers, (match.rows[10:] == np.arange(40)).all()
    (40, np.True_)
    """
    match = GeometricHash(source, kind, **options).find(target)
    if not match.found:
        raise ValueError("target: no transform brings enough points of the source to it")
    return match
