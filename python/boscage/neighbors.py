"""Nearest neighbours with the interface of `sklearn.neighbors`.

The estimators are scikit-learn's own, with trees of this package in the place of theirs. They decide as before when a
tree serves (Minkowski metrics of few dimensions); the rest, such as sparse input and other metrics, is left to
scikit-learn.
"""

from __future__ import annotations

import sys
from typing import Any, Optional

import numpy as np
import sklearn.neighbors as _sklearn
from sklearn.base import BaseEstimator
from sklearn.neighbors import BallTree as _BallTree
from sklearn.neighbors import _kd_tree as _theirs
from sklearn.neighbors import kneighbors_graph as _kneighbors_graph
from sklearn.neighbors import radius_neighbors_graph as _radius_neighbors_graph

from . import _density, _sphere, spatial
from ._arrays import NUMPY
from ._convert import real_array, reals
from ._numbers import real, whole

__all__ = [
    "BallTree",
    "KDTree",
    "KDTree32",
    "KDTree64",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "KNeighborsTransformer",
    "KernelDensity",
    "LocalOutlierFactor",
    "NearestNeighbors",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "RadiusNeighborsTransformer",
    "kneighbors_graph",
    "radius_neighbors_graph",
]

ONE_LEAF = sys.maxsize // 4  # leaf size with which a tree of scikit-learn costs next to nothing

POWERS = {
    "euclidean": 2.0,
    "l2": 2.0,
    "p": None,
    "minkowski": None,
    "manhattan": 1.0,
    "cityblock": 1.0,
    "l1": 1.0,
    "chebyshev": np.inf,
    "infinity": np.inf,
}


def _power(metric: Any, parameters: dict[str, Any]) -> Optional[float]:
    """The p of a Minkowski metric; None for any other one."""
    name = (
        metric
        if isinstance(metric, str)
        else type(metric).__name__.rstrip("0123456789").removesuffix("Distance").lower()
    )
    if name not in POWERS or parameters.get("w") is not None:
        return None
    p = POWERS[name]
    if p is None:
        p = getattr(metric, "p", None) if not isinstance(metric, str) else parameters.get("p", 2)
        if not isinstance(metric, str) and np.size(getattr(metric, "w", ())):
            return None
    return None if p is None or p < 1 else float(p)


def _of_sklearn(name: str, doc: str) -> Any:
    """An attribute or method of scikit-learn's own tree, which no search uses."""
    return property(lambda tree: getattr(tree._sklearn_tree(), name), doc=doc)


class KDTree64:
    """k-d tree for fast nearest neighbours, with the interface of `sklearn.neighbors.KDTree`.

    Parameters
    ----------
    X : array_like, shape (n_samples, n_features)
        Points.
    leaf_size : int
        Of no effect.
    metric : str or DistanceMetric
        "euclidean", "manhattan", "chebyshev", or "minkowski" with the parameter `p`.
    sample_weight : array_like, optional
        For `kernel_density`.
    **kwargs
        Parameters of the metric.

    Examples
    --------
    >>> from boscage.neighbors import KDTree
    >>> tree = KDTree([[0.0, 0.0], [3.0, 4.0], [1.0, 0.0]])
    >>> tree.query([[0.0, 0.0]], k=2)
    (array([[0., 1.]]), array([[0, 2]]))
    >>> tree.query_radius([[0.0, 0.0]], r=2, count_only=True)
    array([2])
    """

    _dtype = "float64"
    _sklearn_class = _theirs.KDTree64
    valid_metrics = _sklearn.VALID_METRICS["kd_tree"]

    def __init__(
        self, X: Any, leaf_size: int = 40, metric: Any = "minkowski", sample_weight: Any = None, **kwargs: Any
    ):
        if leaf_size < 1:
            raise ValueError("leaf_size must be greater than or equal to 1")
        p = _power(metric, kwargs)
        if p is None:
            raise ValueError(f"metric {metric} is not valid for KDTree")
        points = reals(X, self._dtype, NUMPY, "X")
        if points.ndim != 2:
            raise ValueError("X should be a matrix")
        if points.size == 0:
            raise ValueError("X is an empty array")
        self._leaf_size, self._metric, self._kwargs, self._p = leaf_size, metric, kwargs, p
        self._weights = _weights(sample_weight, len(points))
        self._own: Any = None
        self._tree = spatial.cKDTree(points, dtype=self._dtype)

    @property
    def data(self) -> np.ndarray:
        return self._tree.data

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        """The points, for estimators of scikit-learn that are given a tree."""
        return np.array(self.data, dtype, copy=bool(copy) or dtype not in (None, self.data.dtype))

    def _rows(self, X: Any) -> np.ndarray:
        X = np.asarray(real_array(X, "X"), self._dtype)
        if not X.ndim or X.shape[-1] != self._tree.m:
            raise ValueError("query data dimension must match training data dimension")
        return X

    def query(
        self,
        X: Any,
        k: int = 1,
        return_distance: bool = True,
        dualtree: bool = False,
        breadth_first: bool = False,
        sort_results: bool = True,
    ) -> Any:
        """Finds the k nearest points: distances, and rows of the data, of shape (..., k).

        Parameters
        ----------
        X : array_like, shape (..., n_features)
        k : int
        return_distance : bool
            Else the rows alone are returned.
        dualtree, breadth_first, sort_results : bool
            Of no effect: answers are always sorted.
        """
        if isinstance(k, (bool, np.bool_)):
            raise TypeError("k: an integer is required")
        X, k = self._rows(X), whole(k, "k")
        if k > self._tree.n:
            raise ValueError("k must be less than or equal to the number of training points")
        d, i = self._tree.query(X, k=np.arange(1, k + 1), p=self._p)
        return (np.asarray(d, self._dtype), i) if return_distance else i

    def query_radius(
        self, X: Any, r: Any, return_distance: bool = False, count_only: bool = False, sort_results: bool = False
    ) -> Any:
        """Finds all points within r of each query.

        Parameters
        ----------
        X : array_like, shape (..., n_features)
        r : float, or array_like of shape (...,)
        return_distance : bool
            Returns distances too, after the rows.
        count_only : bool
            Returns numbers of points alone.
        sort_results : bool
            Sorts by distance; else by row.

        Returns
        -------
        array of int, or arrays of arrays of shape (...,)
        """
        if count_only and return_distance:
            raise ValueError("count_only and return_distance cannot both be true")
        if sort_results and not return_distance:
            raise ValueError("return_distance must be True if sort_results is True")
        X = self._rows(X)
        if count_only:
            return self._tree.query_ball_point(X, r, p=self._p, return_length=True)
        if not return_distance:
            offsets, ids = self._tree.query_ball_csr(X, r, p=self._p)
            return _arrays(offsets, ids).reshape(X.shape[:-1])
        offsets, ids, d = self._tree.query_ball_csr(X, r, p=self._p, return_distance=True)
        if sort_results:
            rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
            order = np.lexsort((d, rows))
            ids, d = ids[order], d[order]
        found = (_arrays(offsets, ids), _arrays(offsets, np.asarray(d, self._dtype)))
        return tuple(arrays.reshape(X.shape[:-1]) for arrays in found)

    def two_point_correlation(self, X: Any, r: Any, dualtree: bool = False) -> np.ndarray:
        """Counts pairs of a query and a point within each distance."""
        other = spatial.cKDTree(self._rows(X), dtype=self._dtype)
        return other.count_neighbors(self._tree, np.atleast_1d(real_array(r, "r")), p=self._p)

    def kernel_density(
        self,
        X: Any,
        h: float,
        kernel: str = "gaussian",
        atol: float = 0,
        rtol: float = 1e-8,
        breadth_first: bool = True,
        return_log: bool = False,
    ) -> np.ndarray:
        """Estimates the density: the sum of kernels around all points, at each query.

        Parameters
        ----------
        X : array_like, shape (..., n_features)
        h : float
            The width.
        kernel : str
            "gaussian", "tophat", "epanechnikov", "exponential", "linear" or "cosine".
        atol, rtol : float
            Of no effect: sums are exact but for rounding.
        breadth_first : bool
            Of no effect.
        return_log : bool
            Returns logarithms.

        Returns
        -------
        array of shape (...,)
        """
        if kernel not in _density.KERNELS:
            raise ValueError(f"kernel = '{kernel}' not recognized")
        X, h = self._rows(X), real(h, "h")
        if not h > 0:
            raise ValueError("bandwidth h must be positive")
        flat = X.reshape(-1, X.shape[-1])
        weights = self._weights
        is_mass = weights is None or (weights.min() >= 0 and weights.max() > 0)
        if self._p is None or not is_mass:  # scikit-learn answers for angles on a sphere, and for such weights
            tree = self._sklearn_tree()
            return tree.kernel_density(flat, h, kernel, atol, rtol, breadth_first, return_log).reshape(X.shape[:-1])
        logs = _density.log_density(self._tree, flat, h, kernel, self._p, weights).reshape(X.shape[:-1])
        return (logs if return_log else np.exp(logs)).astype(self._dtype, copy=False)

    def _sklearn_tree(self) -> Any:
        """scikit-learn's own tree of the points, made on first access."""
        if self._own is None:
            self._own = self._sklearn_class(
                self.data, self._leaf_size, self._metric, sample_weight=self._weights, **self._kwargs
            )
        return self._own

    get_arrays = _of_sklearn("get_arrays", "Points, rows, nodes and bounds of scikit-learn's own tree.")
    get_n_calls = _of_sklearn("get_n_calls", "Calls of the metric by scikit-learn's own tree.")
    reset_n_calls = _of_sklearn("reset_n_calls", "Sets the number of `get_n_calls` to 0.")
    get_tree_stats = _of_sklearn("get_tree_stats", "Numbers of its nodes trimmed, reached as leaves, and split.")
    idx_array = _of_sklearn("idx_array", "Rows of the data in the order of its leaves.")
    node_data = _of_sklearn("node_data", "Its nodes: first row, end, whether a leaf, radius.")
    node_bounds = _of_sklearn("node_bounds", "Its nodes' bounds: lows, and highs.")
    sample_weight = _of_sklearn("sample_weight", "The points' weights.")
    sum_weight = _of_sklearn("sum_weight", "The sum of the weights, or the number of points.")

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_own": None}

    def __repr__(self) -> str:
        shape = f"{self._tree.n} points in {self._tree.m} dimensions"
        return f"<boscage.neighbors.{type(self).__name__} of {shape}, p = {self._p}>"


class KDTree32(KDTree64):
    """The same with coordinates and distances of 32 bits."""

    _dtype = "float32"
    _sklearn_class = _theirs.KDTree32


class KDTree(KDTree64):
    __doc__ = KDTree64.__doc__
    _sklearn_class = _theirs.KDTree


class BallTree(KDTree64):
    """A tree with the interface of `sklearn.neighbors.BallTree`: also of angles between points of a sphere.

    Parameters
    ----------
    X : array_like, shape (n_samples, n_features)
        Points; for "haversine" latitudes and longitudes in radians.
    leaf_size : int
        Of no effect.
    metric : str or DistanceMetric
        "haversine", or one of `KDTree`. For any other one a tree of scikit-learn is returned.
    sample_weight : array_like, optional
        For `kernel_density`.
    **kwargs
        Parameters of the metric.

    Examples
    --------
    >>> import numpy as np
    >>> from boscage.neighbors import BallTree
    >>> cities = np.radians([[52.5, 13.4], [48.9, 2.4], [41.9, 12.5]])
    >>> angles, rows = BallTree(cities, metric="haversine").query(np.radians([[50.1, 8.7]]), k=2)
    >>> rows, (6371 * angles).round()
    (array([[0, 1]]), array([[422., 474.]]))
    """

    _sklearn_class = _BallTree
    valid_metrics = _sklearn.VALID_METRICS["ball_tree"]

    def __new__(cls, X: Any = None, leaf_size: int = 40, metric: Any = "minkowski", *args: Any, **kwargs: Any) -> Any:
        parameters = {key: value for key, value in kwargs.items() if key != "sample_weight"}
        if X is not None and not _is_haversine(metric) and _power(metric, parameters) is None:
            return _BallTree(X, leaf_size, metric, *args, **kwargs)
        return super().__new__(cls)

    def __init__(
        self, X: Any, leaf_size: int = 40, metric: Any = "minkowski", sample_weight: Any = None, **kwargs: Any
    ):
        if not _is_haversine(metric):
            super().__init__(X, leaf_size, metric, sample_weight, **kwargs)
            self._angles = None
            return
        angles = reals(X, "float64", NUMPY, "X")
        if angles.ndim == 2 and angles.shape[1] != 2:
            raise ValueError("Haversine distance only valid in 2 dimensions")
        vectors = _sphere.unit_vectors(angles) if angles.size and angles.ndim == 2 else angles
        super().__init__(vectors, leaf_size, sample_weight=sample_weight)
        self._metric, self._p, self._angles = metric, None, angles

    @property
    def data(self) -> np.ndarray:
        if self._angles is None:
            return self._tree.data
        view = self._angles.view()
        view.flags.writeable = False
        return view

    def _rows(self, X: Any) -> np.ndarray:
        if self._angles is None:
            return super()._rows(X)
        X = np.asarray(real_array(X, "X"), np.float64)
        if not X.ndim or X.shape[-1] != 2:
            raise ValueError("query data dimension must match training data dimension")
        return X

    def query(
        self,
        X: Any,
        k: int = 1,
        return_distance: bool = True,
        dualtree: bool = False,
        breadth_first: bool = False,
        sort_results: bool = True,
    ) -> Any:
        """Finds the k nearest points, as `KDTree.query` does."""
        if self._angles is None:
            return super().query(X, k, return_distance, dualtree, breadth_first, sort_results)
        if isinstance(k, (bool, np.bool_)):
            raise TypeError("k: an integer is required")
        X, k = self._rows(X), whole(k, "k")
        if k > self._tree.n:
            raise ValueError("k must be less than or equal to the number of training points")
        flat = X.reshape(-1, 2)
        _, ids = self._tree.query(_sphere.unit_vectors(flat), k=np.arange(1, k + 1))
        d = _sphere.haversine(flat[:, np.newaxis], self._angles[ids])
        if (d[:, 1:] < d[:, :-1]).any():  # chords are rounded otherwise than angles
            order = np.argsort(d, axis=1, kind="stable")
            d, ids = np.take_along_axis(d, order, axis=1), np.take_along_axis(ids, order, axis=1)
        d, ids = d.reshape(*X.shape[:-1], k), ids.reshape(*X.shape[:-1], k)
        return (d, ids) if return_distance else ids

    def query_radius(
        self, X: Any, r: Any, return_distance: bool = False, count_only: bool = False, sort_results: bool = False
    ) -> Any:
        """Finds all points within r of each query, as `KDTree.query_radius` does."""
        if self._angles is None:
            return super().query_radius(X, r, return_distance, count_only, sort_results)
        if count_only and return_distance:
            raise ValueError("count_only and return_distance cannot both be true")
        if sort_results and not return_distance:
            raise ValueError("return_distance must be True if sort_results is True")
        X = self._rows(X)
        flat = X.reshape(-1, 2)
        radii = np.broadcast_to(reals(r, "float64", NUMPY, "r"), X.shape[:-1]).ravel()
        offsets, ids = self._tree.query_ball_csr(_sphere.unit_vectors(flat), _sphere.chords(radii))
        rows = np.repeat(np.arange(len(flat)), np.diff(offsets))
        d = _sphere.haversine(flat[rows], self._angles[ids])
        near = d <= radii[rows]
        rows, ids, d = rows[near], ids[near], d[near]
        counts = np.bincount(rows, minlength=len(flat))
        if count_only:
            return counts.reshape(X.shape[:-1])
        if sort_results:
            order = np.lexsort((d, rows))
            ids, d = ids[order], d[order]
        offsets = np.append(0, np.cumsum(counts))
        found = _arrays(offsets, ids).reshape(X.shape[:-1])
        return (found, _arrays(offsets, d).reshape(X.shape[:-1])) if return_distance else found

    def two_point_correlation(self, X: Any, r: Any, dualtree: bool = False) -> np.ndarray:
        """Counts pairs of a query and a point within each distance."""
        if self._angles is None:
            return super().two_point_correlation(X, r, dualtree)
        return np.array([self.query_radius(X, radius, count_only=True).sum() for radius in np.atleast_1d(r)])

    def __repr__(self) -> str:
        if self._angles is None:
            return super().__repr__()
        return f"<boscage.neighbors.BallTree of {self._tree.n} points on a sphere>"


def _weights(sample_weight: Any, n: int) -> Optional[np.ndarray]:
    if sample_weight is None:
        return None
    weights = reals(sample_weight, "float64", NUMPY, "sample_weight")
    if weights.shape != (n,):
        raise ValueError(f"sample_weight: not one for each of {n} points")
    return weights


def _is_haversine(metric: Any) -> bool:
    name = metric if isinstance(metric, str) else type(metric).__name__.rstrip("0123456789").removesuffix("Distance")
    return name.lower() == "haversine"


def _arrays(offsets: np.ndarray, flat: np.ndarray) -> np.ndarray:
    """CSR rows as an array of arrays."""
    out = np.empty(len(offsets) - 1, object)
    at = offsets.tolist()
    for i in range(len(out)):
        out[i] = flat[at[i] : at[i + 1]]
    return out


class _Ours:
    """Replaces the tree after scikit-learn's checks, if it has chosen a tree."""

    leaf_size: int
    _tree: Any
    _fit_X: Any

    def _fit(self, X: Any, y: Any = None) -> Any:
        if isinstance(X, KDTree64):
            X = X.data
        if isinstance(getattr(X, "_tree", None), KDTree64):
            X = X._fit_X
        given, self.leaf_size = self.leaf_size, ONE_LEAF
        try:
            super()._fit(X, y)  # type: ignore[misc]
        finally:
            self.leaf_size = given
        if self._tree is not None:
            metric, parameters = self.effective_metric_, self.effective_metric_params_  # type: ignore[attr-defined]
            if _power(metric, parameters) is not None:
                points = np.asarray(self._fit_X)
                self._tree = KDTree64(points, given, metric, **parameters)  # of float64, as scikit-learn's
            elif metric == "haversine":
                self._tree = BallTree(np.asarray(self._fit_X), given, metric)
            else:
                super()._fit(X, y)  # type: ignore[misc]
        return self


class NearestNeighbors(_Ours, _sklearn.NearestNeighbors):
    """`sklearn.neighbors.NearestNeighbors` with trees of this package. Answers equal those of brute force.

    Parameters
    ----------
    n_neighbors, radius, algorithm, leaf_size, metric, p, metric_params, n_jobs
        As those of scikit-learn.

    Examples
    --------
    >>> from boscage.neighbors import NearestNeighbors
    >>> model = NearestNeighbors(n_neighbors=2, algorithm="kd_tree").fit([[0.0], [1.0], [5.0]])
    >>> model.kneighbors([[4.0]])
    (array([[1., 3.]]), array([[2, 1]]))
    """


class KNeighborsTransformer(_Ours, _sklearn.KNeighborsTransformer):
    """`sklearn.neighbors.KNeighborsTransformer` with trees of this package.

    Examples
    --------
    >>> from boscage.neighbors import KNeighborsTransformer
    >>> KNeighborsTransformer(n_neighbors=1, algorithm="kd_tree").fit_transform([[0.0], [1.0], [5.0]]).nnz
    6
    """


class RadiusNeighborsTransformer(_Ours, _sklearn.RadiusNeighborsTransformer):
    """`sklearn.neighbors.RadiusNeighborsTransformer` with trees of this package.

    Examples
    --------
    >>> from boscage.neighbors import RadiusNeighborsTransformer
    >>> RadiusNeighborsTransformer(radius=1.0, algorithm="kd_tree").fit_transform([[0.0], [1.0], [5.0]]).nnz
    5
    """


class KNeighborsClassifier(_Ours, _sklearn.KNeighborsClassifier):
    """`sklearn.neighbors.KNeighborsClassifier` with trees of this package.

    Examples
    --------
    >>> from boscage.neighbors import KNeighborsClassifier
    >>> KNeighborsClassifier(n_neighbors=1).fit([[0.0], [1.0], [5.0]], ["a", "a", "b"]).predict([[4.0]])
    array(['b'], dtype='<U1')
    """


class KNeighborsRegressor(_Ours, _sklearn.KNeighborsRegressor):
    """`sklearn.neighbors.KNeighborsRegressor` with trees of this package.

    Examples
    --------
    >>> from boscage.neighbors import KNeighborsRegressor
    >>> KNeighborsRegressor(n_neighbors=2).fit([[0.0], [1.0], [5.0]], [1.0, 2.0, 3.0]).predict([[4.0]])
    array([2.5])
    """


class RadiusNeighborsClassifier(_Ours, _sklearn.RadiusNeighborsClassifier):
    """`sklearn.neighbors.RadiusNeighborsClassifier` with trees of this package.

    Examples
    --------
    >>> from boscage.neighbors import RadiusNeighborsClassifier
    >>> RadiusNeighborsClassifier(radius=2.0).fit([[0.0], [1.0], [5.0]], [7, 7, 8]).predict([[4.0]])
    array([8])
    """


class RadiusNeighborsRegressor(_Ours, _sklearn.RadiusNeighborsRegressor):
    """`sklearn.neighbors.RadiusNeighborsRegressor` with trees of this package.

    Examples
    --------
    >>> from boscage.neighbors import RadiusNeighborsRegressor
    >>> RadiusNeighborsRegressor(radius=2.0).fit([[0.0], [1.0], [5.0]], [1.0, 2.0, 3.0]).predict([[4.0]])
    array([3.])
    """


class LocalOutlierFactor(_Ours, _sklearn.LocalOutlierFactor):
    """`sklearn.neighbors.LocalOutlierFactor` with trees of this package.

    Examples
    --------
    >>> from boscage.neighbors import LocalOutlierFactor
    >>> LocalOutlierFactor(n_neighbors=2).fit_predict([[0.0], [1.0], [2.0], [50.0]])
    array([ 1,  1,  1, -1])
    """


class KernelDensity(_sklearn.KernelDensity):
    """`sklearn.neighbors.KernelDensity` with trees of this package: estimates are exact but for rounding.

    Parameters
    ----------
    bandwidth, algorithm, kernel, metric, atol, rtol, breadth_first, leaf_size, metric_params
        As those of scikit-learn; for other metrics than Minkowski's its own trees serve.

    Examples
    --------
    >>> from boscage.neighbors import KernelDensity
    >>> KernelDensity(bandwidth=1.0).fit([[0.0], [1.0]]).score_samples([[0.5]]).round(4)
    array([-1.0439])
    """

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "KernelDensity":
        """Builds the tree of the points X, with their weights."""
        parameters = self.metric_params or {}
        if _power(self.metric, parameters) is None:
            return super().fit(X, y, sample_weight)
        self._validate_params()
        given, self.leaf_size = self.leaf_size, ONE_LEAF
        try:
            super().fit(X, y, sample_weight)
        finally:
            self.leaf_size = given
        tree = self.tree_
        weights = None if sample_weight is None else np.asarray(tree.sample_weight)
        self.tree_ = KDTree64(np.asarray(tree.data), given, self.metric, weights, **parameters)
        return self


def _estimator(X: Any, **options: Any) -> Any:
    """X if it is an estimator, else one of this package that is fitted to it."""
    return X if isinstance(X, BaseEstimator) else NearestNeighbors(**options).fit(X)


def kneighbors_graph(
    X: Any,
    n_neighbors: int,
    *,
    mode: str = "connectivity",
    metric: Any = "minkowski",
    p: float = 2,
    metric_params: Optional[dict[str, Any]] = None,
    include_self: Any = False,
    n_jobs: Optional[int] = None,
) -> Any:
    """`sklearn.neighbors.kneighbors_graph` with trees of this package.

    Parameters
    ----------
    X, n_neighbors, mode, metric, p, metric_params, include_self, n_jobs
        As those of scikit-learn.

    Returns
    -------
    scipy.sparse.csr_matrix, shape (n_samples, n_samples)

    Examples
    --------
    >>> from boscage.neighbors import kneighbors_graph
    >>> kneighbors_graph([[0.0], [1.0], [5.0]], 1, mode="distance").toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 4., 0.]])
    """
    X = _estimator(X, n_neighbors=n_neighbors, metric=metric, p=p, metric_params=metric_params, n_jobs=n_jobs)
    return _kneighbors_graph(
        X, n_neighbors, mode=mode, metric=metric, p=p, metric_params=metric_params, include_self=include_self
    )


def radius_neighbors_graph(
    X: Any,
    radius: float,
    *,
    mode: str = "connectivity",
    metric: Any = "minkowski",
    p: float = 2,
    metric_params: Optional[dict[str, Any]] = None,
    include_self: Any = False,
    n_jobs: Optional[int] = None,
) -> Any:
    """`sklearn.neighbors.radius_neighbors_graph` with trees of this package.

    Parameters
    ----------
    X, radius, mode, metric, p, metric_params, include_self, n_jobs
        As those of scikit-learn.

    Returns
    -------
    scipy.sparse.csr_matrix, shape (n_samples, n_samples)

    Examples
    --------
    >>> from boscage.neighbors import radius_neighbors_graph
    >>> radius_neighbors_graph([[0.0], [1.0], [5.0]], 1.5, mode="connectivity").toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 0., 0.]])
    """
    X = _estimator(X, radius=radius, metric=metric, p=p, metric_params=metric_params, n_jobs=n_jobs)
    return _radius_neighbors_graph(
        X, radius, mode=mode, metric=metric, p=p, metric_params=metric_params, include_self=include_self
    )
