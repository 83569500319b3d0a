"""DBSCAN with the interface of `sklearn.cluster`.

The estimator is scikit-learn's own, with this package's search of dense points in the place of its lists of neighbours.
Sparse input, tables of distances, and metrics other than Minkowski's, haversine and cosine are left to scikit-learn.
"""

from __future__ import annotations

import warnings
from typing import Any, Optional

import numpy as np
import sklearn.cluster as _sklearn
from sklearn.utils.validation import _check_sample_weight

from .._arrays import NUMPY, place_for, space_of
from .._points import points_of
from .._where import where
from ..neighbors import POWERS
from ._friends import COSINE, HAVERSINE, MINKOWSKI, labels_of


def workers_of(n_jobs: Optional[int]) -> Optional[int]:
    """scipy's number of workers for scikit-learn's of jobs."""
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 has no meaning")
    return n_jobs if n_jobs is None or n_jobs > 0 else -1


class DBSCAN(_sklearn.DBSCAN):
    """Clusters points by density: the labels of `sklearn.cluster.DBSCAN`, without lists of neighbours.

    Parameters
    ----------
    eps, min_samples, metric, metric_params, p
        As scikit-learn's. float32 and float64 are kept as they are: distances of float32 are computed in float32.
    algorithm, leaf_size
        Used only where scikit-learn answers.
    n_jobs : int, optional
        Threads; negative: all. None: those of `boscage.use`.

    Attributes
    ----------
    core_sample_indices_, components_, labels_, n_features_in_
        As scikit-learn's. `fit` of an array on a GPU leaves them there.

    Examples
    --------
    >>> from boscage.cluster import DBSCAN
    >>> DBSCAN(eps=3, min_samples=2).fit([[1, 2], [2, 2], [2, 3], [8, 7], [8, 8], [25, 80]]).labels_
    array([ 0,  0,  0,  1,  1, -1])
    """

    def _own_metric(self, X: Any) -> Optional[tuple[int, float]]:
        """The metric of the extension and its p; None: scikit-learn answers."""
        parameters = self.metric_params or {}
        if hasattr(X, "toarray") or not isinstance(self.metric, str) or set(parameters) - {"p"}:
            return None
        if parameters and self.metric != "minkowski":  # scikit-learn refuses them
            return None
        if self.metric in ("haversine", "cosine"):
            return (HAVERSINE if self.metric == "haversine" else COSINE, 0.0)
        if self.metric not in POWERS or self.metric == "p":
            return None
        p = POWERS[self.metric]
        if "p" in parameters and self.p is not None:
            text = "Parameter p is found in metric_params. The corresponding parameter from __init__ is ignored."
            warnings.warn(text, SyntaxWarning, stacklevel=3)
        if p is None:
            p = parameters.get("p", 2 if self.p is None else self.p)
        return None if p < 1 else (MINKOWSKI, float(p))

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "DBSCAN":
        """Clusters points.

        Parameters
        ----------
        X : array_like, shape (n_samples, n_features)
            An array of NumPy, or of another library on its device; or what scikit-learn's takes.
        y
            Of no effect.
        sample_weight : array_like, shape (n_samples,), optional
            A point counts as its weight.
        """
        own = self._own_metric(X)
        if own is None:
            return super().fit(X, y, sample_weight)
        self._validate_params()
        space = space_of(X)
        if space is NUMPY:
            X = points = self._checked(X)
            if (own[0] == HAVERSINE and points.shape[1] != 2) or (own[0] == COSINE and not points.any(axis=1).all()):
                return super().fit(X, y, sample_weight)
            points, _ = points_of(points, None, space, "X")
        else:
            points, _ = points_of(X, None, space, "X")
            self.n_features_in_ = int(points.shape[1])
        weights = sample_weight
        if weights is not None:
            weights = _check_sample_weight(weights, points) if space is NUMPY else space.asarray(weights)
            weights = space.asarray(weights, "float64")
        at = where(place_for(space, None), space.stream(), workers_of(self.n_jobs))
        labels, core = labels_of(at, space, points, self.eps, self.min_samples, *own, None, weights)
        self.labels_ = labels
        rows = np.flatnonzero(space.host(core))
        self.core_sample_indices_ = rows if space is NUMPY else space.asarray(rows)
        if len(rows):
            self.components_ = X[self.core_sample_indices_]
        else:  # float64, as scikit-learn's
            self.components_ = space.give(space.empty((0, int(points.shape[1])), "float64"))
        return self

    def _checked(self, X: Any) -> np.ndarray:
        """Checks X as scikit-learn does, and notes the names of its columns."""
        try:
            from sklearn.utils.validation import validate_data
        except ImportError:  # before 1.6
            return self._validate_data(X)
        return validate_data(self, X)


def dbscan(
    X: Any,
    eps: float = 0.5,
    *,
    min_samples: int = 5,
    metric: Any = "minkowski",
    metric_params: Optional[dict] = None,
    algorithm: str = "auto",
    leaf_size: int = 30,
    p: Optional[float] = 2,
    sample_weight: Any = None,
    n_jobs: Optional[int] = None,
) -> tuple[Any, Any]:
    """Clusters points by density: the rows of the core points, and the labels. Parameters are those of `DBSCAN`.

    Examples
    --------
    >>> from boscage.cluster import dbscan
    >>> dbscan([[0.0], [1.0], [9.0]], eps=1, min_samples=2)
    (array([0, 1]), array([ 0,  0, -1]))
    """
    if sample_weight is not None and np.ndim(sample_weight) == 0:
        raise ValueError(f"sample_weight: {sample_weight!r} is not an array")
    model = DBSCAN(
        eps=eps,
        min_samples=min_samples,
        metric=metric,
        metric_params=metric_params,
        algorithm=algorithm,
        leaf_size=leaf_size,
        p=p,
        n_jobs=n_jobs,
    )
    model.fit(X, sample_weight=sample_weight)
    return model.core_sample_indices_, model.labels_
