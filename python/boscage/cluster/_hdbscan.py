"""HDBSCAN with the interface of `sklearn.cluster`, and the trees and scores of the hdbscan package.

The estimator is scikit-learn's own, with this package's dendrogram and selection. scikit-learn answers for sparse
input, tables of distances, `alpha` other than 1, and metrics other than Minkowski's, haversine and cosine.
"""

from __future__ import annotations

import math
import numbers
import warnings
from typing import Any, Optional

import numpy as np
import sklearn.cluster as _sklearn

from .. import _core
from .._arrays import NUMPY, Space, place_for, raw, space_of
from .._convert import integers, real_array, reals
from .._files import write_whole
from .._points import ORDINARY, exponent_of, points_of, scaled
from .._where import where
from ..neighbors import POWERS
from ..spatial import FAR
from ._dbscan import workers_of
from ._friends import COSINE, HAVERSINE, MINKOWSKI
from ._trees import CLUSTERS, CondensedTree, MinimumSpanningTree, SingleLinkageTree, dendrogram_of, merges_of

EUCLIDEAN = MINKOWSKI, 2.0
DTYPES = None, np.float32, np.float64, np.int32, np.int64  # by the number in the library
INFINITE, MISSING = -2, -3  # scikit-learn's labels of rows with infinities and with NaN
COPY = (
    "The default value of `copy` will change from False to True in 1.10."
    " Explicitly set a value for `copy` to silence this warning."
)


class HDBSCAN(_sklearn.HDBSCAN):
    """Clusters points of varying density, as `sklearn.cluster.HDBSCAN` does, with more attributes.

    Parameters
    ----------
    min_cluster_size, min_samples, cluster_selection_epsilon, max_cluster_size, cluster_selection_method
        As scikit-learn's: `min_samples` counts the point itself. The hdbscan package does not: there it is 1 less.
    allow_single_cluster, store_centers, metric, metric_params
        As scikit-learn's. This package answers for "euclidean", "manhattan", "chebyshev", "minkowski" with
        `metric_params={"p": p}`, "haversine" and "cosine".
    alpha, algorithm, leaf_size, copy
        Used only where scikit-learn answers.
    n_jobs : int, optional
        Threads; negative: all. None: those of `boscage.use`.

    Attributes
    ----------
    labels_, probabilities_, centroids_, medoids_, n_features_in_
        As scikit-learn's. Labels are numbered by the first rows of the clusters, whichever package answers. `fit` of an
        array on a GPU leaves labels and probabilities there, and computes in its type; else in float64.
    outlier_scores_ : array of float64, shape (n_samples,)
        GLOSH: 0 to 1, the largest for points far below the density of the nearest cluster.
    exemplars_ : list of numpy.ndarray
        For each cluster, the points of greatest density in each of the leaves below it.
    condensed_tree_, single_linkage_tree_, minimum_spanning_tree_
        Trees with `to_numpy` and `to_pandas`, as those of the hdbscan package. The last one is computed at its first
        use.

    Notes
    -----
    With `min_samples` of 3 and more, many edges of the tree have one point's core distance as their length. Clusters
    depend on the order of such ties: here by rows, the same on every machine. scikit-learn and the hdbscan package
    order them otherwise, each `algorithm` in its own way, so labels of points in no clear cluster differ. With
    `min_samples` 1 or 2 and distinct distances all agree.

    Densities are inverse distances, so distances below 2^-1024 count as equal. Multiply such points by a power of two.

    Examples
    --------
    >>> from boscage.cluster import HDBSCAN
    >>> x = [[0.0], [0.1], [0.3], [5.0], [5.1], [5.3], [20.0]]
    >>> HDBSCAN(min_cluster_size=3, min_samples=2, copy=True).fit(x).labels_
    array([ 0,  0,  0,  1,  1,  1, -1])
    """

    def _own_metric(self, X: Any) -> Optional[tuple[int, float]]:
        """The metric of the extension and its p; None: scikit-learn answers."""
        parameters = self.metric_params or {}
        if hasattr(X, "toarray") or self.alpha != 1 or not isinstance(self.metric, str):
            return None
        if set(parameters) - {"p"} or (parameters and self.metric != "minkowski"):
            return None
        if self.metric in ("haversine", "cosine"):
            own = (HAVERSINE if self.metric == "haversine" else COSINE), 2.0
            refused = ("kd_tree",) if self.metric == "haversine" else ("kd_tree", "ball_tree")  # by scikit-learn
            if self.algorithm in refused or not _has_directions(X, self.metric):
                return None
        elif self.metric in POWERS and self.metric != "p":
            p = POWERS[self.metric]
            p = parameters.get("p", 2) if p is None else p
            if not isinstance(p, numbers.Real) or not p >= 1:
                return None
            own = MINKOWSKI, float(p)
        else:
            return None
        # Medoids of the extension are by Euclidean distances.
        return None if own != EUCLIDEAN and self.store_centers in ("medoid", "both") else own

    def fit(self, X: Any, y: Any = None) -> "HDBSCAN":
        """Clusters points.

        Parameters
        ----------
        X : array_like, shape (n_samples, n_features)
            An array of NumPy, or of another library on its device; or what scikit-learn's takes.
        y
            Of no effect.
        """
        for name in ("_scores", "_tree", "_edges"):
            self.__dict__.pop(name, None)
        self._has_points = not (isinstance(self.metric, str) and self.metric == "precomputed")
        self._metric = own = self._own_metric(X)  # later changes of parameters wait for the next fit
        self._is_euclidean = own == EUCLIDEAN
        if own is None:
            super().fit(X)
            self._options = self._selection()
            self._number_clusters()
            return self
        self._validate_params()
        self._options = self._selection()
        if isinstance(self.copy, str):
            warnings.warn(COPY, FutureWarning, stacklevel=2)
        self._metric_params = self.metric_params or {}
        space = space_of(X)
        if space is NUMPY:
            self._raw_data = self._checked(X)
            self._fit_host(self._raw_data)
        else:
            points, _ = points_of(X, None, space, "X")
            self.n_features_in_ = int(points.shape[1])
            self._raw_data = points
            self._check_count(int(points.shape[0]))
            self.labels_, self.probabilities_, self._scores = self._cluster(points, space)
            if self.store_centers:
                self._store_centers(space.host(points), space.host(self.labels_), space.host(self.probabilities_))
        return self

    def _number_clusters(self) -> None:
        """Numbers the clusters of scikit-learn by their first rows, and orders their centers alike."""
        theirs = self.labels_
        self.labels_ = _numbered(theirs)
        order = np.empty(max(0, int(theirs.max()) + 1), np.intp)
        is_cluster = theirs >= 0
        order[self.labels_[is_cluster]] = theirs[is_cluster]
        if self.store_centers in ("centroid", "both"):
            self.centroids_ = self.centroids_[order]
        if self.store_centers in ("medoid", "both"):
            self.medoids_ = self.medoids_[order]

    def _checked(self, X: Any) -> np.ndarray:
        """Checks X as scikit-learn does, and notes the names of its columns."""
        try:
            from sklearn.utils.validation import validate_data
        except ImportError:  # before 1.6
            return self._validate_data(X, force_all_finite=False, dtype=np.float64)
        return validate_data(self, X, ensure_all_finite=False, dtype=np.float64)

    def _check_count(self, n: int) -> None:
        if n == 1:
            raise ValueError("n_samples=1 while HDBSCAN requires more than one sample")
        self._min_samples = self.min_cluster_size if self.min_samples is None else self.min_samples
        if self._min_samples > n:
            raise ValueError(f"min_samples ({self._min_samples}) must be at most the number of samples in X ({n})")

    def _fit_host(self, X: np.ndarray) -> None:
        """Clusters the finite rows, and labels the others."""
        with np.errstate(all="ignore"):  # of sums that overflow
            sums = X.sum(axis=1)
        finite = np.isfinite(sums)
        if not finite.all():
            finite |= np.isfinite(X).all(axis=1)
        rows = None if finite.all() else np.flatnonzero(finite)
        points = X if rows is None else X[rows]
        self._check_count(len(points))
        results = self._cluster(np.ascontiguousarray(points), NUMPY)
        if self.store_centers:
            self._store_centers(points, *results[:2])
        if rows is not None:
            missing = np.isnan(X).any(axis=1)[~finite]
            others = np.where(missing, MISSING, INFINITE), np.where(missing, np.nan, 0.0), np.ones(len(missing))
            results = tuple(_merged(finite, a, b) for a, b in zip(results, others))
            self._single_linkage_tree_ = merges_of(_with_rows(dendrogram_of(self._single_linkage_tree_), finite))
        self.labels_, self.probabilities_, self._scores = results

    def _cluster(self, points: Any, space: Space) -> tuple[Any, Any, Any]:
        """Labels, probabilities and outlier scores of finite points, and their dendrogram."""
        n = int(points.shape[0])
        at = where(place_for(space, None), space.stream(), workers_of(self.n_jobs))
        z = space.empty((n - 1, 4), "float64")
        _core.hdbscan_linkage(at, points, *self._metric, int(self._min_samples), raw(z))
        labels = space.empty(n, "int64")
        values = space.empty(n, "float64"), space.empty(n, "float64")
        _core.hdbscan_select(at, raw(z), n, *self._options, raw(labels), raw(values[0]), raw(values[1]))
        self._single_linkage_tree_ = merges_of(space.host(space.give(z)))
        return space.give(labels), space.give(values[0]), space.give(values[1])

    def _selection(self) -> tuple[int, bool, float, int, bool]:
        """The options of the extension: fit stores them, so that later changes of parameters wait for the next fit."""
        return (
            int(self.min_cluster_size),
            self.cluster_selection_method == "leaf",
            float(self.cluster_selection_epsilon),
            int(self.max_cluster_size or 0),
            bool(self.allow_single_cluster),
        )

    def _store_centers(self, points: np.ndarray, labels: np.ndarray, strengths: np.ndarray) -> None:
        """Stores the weighted means of clusters, and the points of the least weighted sums of distances."""
        count = int(labels.max(initial=-1)) + 1
        means = medoids = None
        if self.store_centers in ("centroid", "both"):
            means = self.centroids_ = np.empty((count, points.shape[1]))
        if self.store_centers in ("medoid", "both"):
            medoids = np.empty(count, np.int64)
        points = np.ascontiguousarray(points)
        _core.cluster_centers(_place(self), points, labels, strengths, count, means, medoids)
        if medoids is not None:
            self.medoids_ = np.array(points[medoids], np.float64)

    def save(self, path: Any) -> None:
        """Writes the clustering to a file that `boscage cluster predict`, the C library and `load` read.

        The file holds the points and the dendrogram. A fit under the Euclidean metric to finite points is saved.

        Parameters
        ----------
        path : path_like
            The file; its name ends in .bosc for the tool.

        Examples
        --------
        >>> import os, tempfile
        >>> from boscage.cluster import HDBSCAN, approximate_predict
        >>> x = [[0.0], [0.1], [0.3], [5.0], [5.1], [5.3], [20.0]]
        >>> path = os.path.join(tempfile.mkdtemp(), "model.bosc")
        >>> HDBSCAN(min_cluster_size=3, min_samples=2, copy=True).fit(x).save(path)
        >>> approximate_predict(HDBSCAN.load(path), [[0.2], [5.2]])[0]
        array([0, 1])
        """
        X = self._points()
        if X is None or not self._is_euclidean:
            raise ValueError("save: of fits to dense points under the Euclidean metric with alpha 1 only")
        X = np.ascontiguousarray(space_of(X).host(X))
        if not np.isfinite(X).all():
            raise ValueError("save: of finite points only")
        clustering = _core.Clustering(_place(self), X, int(self._min_samples), *self._options)
        write_whole(path, clustering.save(_place(self)))

    @classmethod
    def load(cls, path: Any) -> "HDBSCAN":
        """Reads a clustering that `save`, the tool or the C library has written.

        Parameters
        ----------
        path : path_like
            The file, which need not be trusted.

        Returns
        -------
        model : HDBSCAN
            Fitted, with the parameters of the fit.
        """
        at = where(place_for(NUMPY, None), 0, None)
        with open(path, "rb") as file:
            clustering = _core.Clustering.load(at, file.read())
        n, dim, dtype, samples, *options = clustering.describe(at)
        nodes, rows, z = np.empty((n, dim), DTYPES[dtype]), np.empty(n, np.int64), np.empty((max(0, n - 1), 4))
        clustering.fetch(at, nodes, rows, z)
        size, leaf, epsilon, most, single = options
        model = cls(
            min_cluster_size=size,
            min_samples=samples,
            cluster_selection_epsilon=epsilon,
            max_cluster_size=most or None,
            cluster_selection_method="leaf" if leaf else "eom",
            allow_single_cluster=single,
            copy=True,
        )
        model._has_points, model._is_euclidean, model._metric, model._metric_params = True, True, EUCLIDEAN, {}
        model._options, model._min_samples, model.n_features_in_ = tuple(options), samples, dim
        model._raw_data = np.empty((n, dim))
        model._raw_data[rows] = nodes
        labels, values = np.empty(n, np.int64), (np.empty(n), np.empty(n))
        _core.hdbscan_select(at, z, n, *options, labels, *values)
        model.labels_, model.probabilities_, model._scores = labels, *values
        model._single_linkage_tree_ = merges_of(z)
        return model

    def _condense(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The condensed tree of the extension: the cluster and the density at which each point leaves, and clusters."""
        if "_tree" not in self.__dict__:
            z = dendrogram_of(self._fitted("_single_linkage_tree_"))
            n = len(z) + 1
            leaves, densities = np.empty(n, np.int64), np.empty(n)
            clusters = np.empty(max(1, 2 * (n // self._options[0]) - 1), CLUSTERS)
            words = clusters.view(np.int64)
            count = _core.hdbscan_condense(_place(self), z, n, *self._options, leaves, densities, words)
            self._tree = leaves, densities, clusters[:count]
        return self._tree

    def _fitted(self, name: str) -> Any:
        """An attribute that fit sets."""
        if name not in self.__dict__:
            raise AttributeError(f"this HDBSCAN has no {name}: call fit first")
        return self.__dict__[name]

    def _points(self) -> Any:
        """The points of fit; None: distances were given."""
        self._fitted("labels_")
        return self._raw_data if self._has_points else None

    @property
    def condensed_tree_(self) -> CondensedTree:
        return CondensedTree(*self._condense())

    @property
    def single_linkage_tree_(self) -> SingleLinkageTree:
        return SingleLinkageTree(self._fitted("_single_linkage_tree_"))

    @property
    def minimum_spanning_tree_(self) -> MinimumSpanningTree:
        if "_edges" not in self.__dict__:
            X = self._points()
            if X is None or self._metric is None or self._metric[0] != MINKOWSKI:
                raise AttributeError("minimum_spanning_tree_: of dense points under Minkowski metrics only")
            space = space_of(X)
            rows = None
            if space is NUMPY:
                rows = np.flatnonzero(np.isfinite(X).all(axis=1))
                X = np.ascontiguousarray(X[rows])
            pairs, lengths = (self._edges_by_squares if self._is_euclidean else self._edges_of_order)(X, space)
            self._edges = pairs if rows is None else rows[pairs], lengths
        return MinimumSpanningTree(*self._edges)

    def _edges_of_order(self, X: Any, space: Space) -> tuple[np.ndarray, np.ndarray]:
        """The edges of the tree and their lengths, under the order of the metric."""
        n = int(X.shape[0])
        pairs, lengths = space.empty((n - 1, 2), "int64"), space.empty(n - 1, "float64")
        at = where(place_for(space, None), space.stream(), workers_of(self.n_jobs))
        _core.emst_minkowski(at, X, self._metric[1], int(self._min_samples), raw(pairs), raw(lengths))
        return space.host(space.give(pairs)), space.host(space.give(lengths))

    def _edges_by_squares(self, X: Any, space: Space) -> tuple[np.ndarray, np.ndarray]:
        """The same under the Euclidean metric, of points of any magnitude."""
        n = int(X.shape[0])
        pairs = space.empty((n - 1, 2), "int64")
        dist2 = space.empty(n - 1, "float32" if space.dtype_name(X) == "float32" else "float64")
        at = where(place_for(space, None), space.stream(), workers_of(self.n_jobs))
        exponent = 0
        try:
            _core.emst(at, X, raw(pairs), raw(dist2), int(self._min_samples))
        except ValueError as error:
            if not str(error).startswith(FAR):
                raise
            if space is not NUMPY:  # in the memory of the host, as doubles
                X, space = np.asarray(space.host(X), np.float64), NUMPY
                pairs, dist2 = np.empty((n - 1, 2), np.int64), np.empty(n - 1)
                at = _place(self)
            exponent = exponent_of(X)
            _core.emst(at, scaled(X, exponent, "X"), pairs, dist2, int(self._min_samples))
        pairs, dist2 = space.host(space.give(pairs)), space.host(space.give(dist2))
        return pairs, scaled(np.sqrt(dist2.astype(np.float64)), -exponent, "lengths")

    @property
    def outlier_scores_(self) -> Any:
        if "_scores" not in self.__dict__:  # scikit-learn has answered
            leaves, densities, clusters = self._condense()
            most = clusters["death"].copy()
            for c in range(len(clusters) - 1, 0, -1):  # each after its parent
                parent = clusters["parent"][c]
                most[parent] = max(most[parent], most[c])
            self._scores = _scores(densities, most[leaves])
        return self._scores

    @property
    def exemplars_(self) -> list[np.ndarray]:
        # By NumPy: `bosc_hdbscan_list_exemplars` needs a k-d tree, which fits of scikit-learn do not have.
        X = self._points()
        if X is None:
            raise AttributeError("exemplars_: of points only")
        X = X if hasattr(X, "toarray") else space_of(X).host(X)
        leaves, densities, clusters = self._condense()
        is_leaf = np.ones(len(clusters), bool)
        is_leaf[clusters["parent"][1:]] = False
        rows = np.flatnonzero(is_leaf[leaves] & (densities == clusters["death"][leaves]))
        labels = clusters["label"][leaves[rows]]
        return [X[rows[labels == k]] for k in range(int(clusters["label"].max()) + 1)]


def approximate_predict(clusterer: HDBSCAN, points_to_predict: Any) -> tuple[np.ndarray, np.ndarray]:
    """Predicts the clusters of new points, which stay as they are: `approximate_predict` of the hdbscan package.

    A point joins the nearest of its 2 `min_samples` nearest points, by mutual reachability. As in `fit` it counts
    itself among its `min_samples` neighbours. The hdbscan package counts one neighbour more for new points, so labels
    and probabilities may differ.

    Parameters
    ----------
    clusterer : HDBSCAN
        Fitted to dense points under the Euclidean metric.
    points_to_predict : array_like, shape (m, n_features)
        New points.

    Returns
    -------
    labels : numpy.ndarray of int64, shape (m,)
        The clusters; -1 for noise, -2 and -3 for rows with infinities and with NaN.
    probabilities : numpy.ndarray of float64, shape (m,)
        The strengths with which they belong to these.

    Examples
    --------
    >>> from boscage.cluster import HDBSCAN, approximate_predict
    >>> x = [[0.0], [0.1], [0.3], [5.0], [5.1], [5.3], [20.0]]
    >>> model = HDBSCAN(min_cluster_size=3, min_samples=2, copy=True).fit(x)
    >>> approximate_predict(model, [[0.2], [5.2]])[0]
    array([0, 1])
    """
    rows, _, tree = _tree_of(clusterer)
    q, finite = _queries(points_to_predict, rows.shape[1])
    rows, queries, tree, epsilon = _in_range(rows, np.ascontiguousarray(q[finite]), tree, clusterer._options[2])
    labels, values = np.empty(len(queries), np.int64), np.empty(len(queries))
    samples = int(clusterer._min_samples)
    _core.hdbscan_predict(_place(clusterer), rows, samples, epsilon, *tree, queries, labels, values)
    missing = np.isnan(q).any(axis=1)[~finite]
    others = np.where(missing, MISSING, INFINITE), np.where(missing, np.nan, 0.0)
    return _merged(finite, labels, others[0]), _merged(finite, values, others[1])


def all_points_membership_vectors(clusterer: HDBSCAN) -> np.ndarray:
    """Computes how strongly each point of `fit` belongs to each cluster: soft clustering, as in the hdbscan package.

    A membership is the product of two parts, scaled to the probability that the point is in any cluster: one falls with
    the distance to the exemplars of the cluster, the other with the density at which point and cluster join.

    Parameters
    ----------
    clusterer : HDBSCAN
        Fitted to dense points under the Euclidean metric.

    Returns
    -------
    memberships : numpy.ndarray of float64, shape (n, n_clusters)
        By label; 0 for rows with infinities or NaN. Columns of the hdbscan package follow its own numbers of clusters.

    Examples
    --------
    >>> from boscage.cluster import HDBSCAN, all_points_membership_vectors
    >>> x = [[0.0], [0.1], [0.3], [5.0], [5.1], [5.3], [20.0]]
    >>> model = HDBSCAN(min_cluster_size=3, min_samples=2, copy=True).fit(x)
    >>> all_points_membership_vectors(model).argmax(axis=1)
    array([0, 0, 0, 1, 1, 1, 1])
    """
    rows, finite, tree = _tree_of(clusterer)
    found = np.empty((len(rows), _label_count(tree)))
    _core.hdbscan_memberships(_place(clusterer), rows, *tree, found.shape[1], found)
    return _memberships(finite, found)


def membership_vector(clusterer: HDBSCAN, points_to_predict: Any) -> np.ndarray:
    """Computes how strongly new points belong to each cluster: `membership_vector` of the hdbscan package.

    New points count their neighbours as in `approximate_predict`, so values may differ from the package's.

    Parameters
    ----------
    clusterer : HDBSCAN
        Fitted to dense points under the Euclidean metric.
    points_to_predict : array_like, shape (m, n_features)
        New points.

    Returns
    -------
    memberships : numpy.ndarray of float64, shape (m, n_clusters)
        By label; 0 for rows with infinities or NaN.

    Examples
    --------
    >>> from boscage.cluster import HDBSCAN, membership_vector
    >>> x = [[0.0], [0.1], [0.3], [5.0], [5.1], [5.3], [20.0]]
    >>> model = HDBSCAN(min_cluster_size=3, min_samples=2, copy=True).fit(x)
    >>> membership_vector(model, [[0.2], [5.2]]).argmax(axis=1)
    array([0, 1])
    """
    rows, _, tree = _tree_of(clusterer)
    q, finite = _queries(points_to_predict, rows.shape[1])
    rows, queries, tree, _ = _in_range(rows, np.ascontiguousarray(q[finite]), tree, 0.0)
    found = np.empty((len(queries), _label_count(tree)))
    at, samples = _place(clusterer), int(clusterer._min_samples)
    _core.hdbscan_predict_memberships(at, rows, samples, *tree, queries, found.shape[1], found)
    return _memberships(finite, found)


def validity_index(
    X: Any,
    labels: Any,
    metric: str = "euclidean",
    d: Optional[int] = None,
    per_cluster_scores: bool = False,
    mst_raw_dist: bool = False,
    verbose: bool = False,
) -> Any:
    """Computes the density-based validity of clusters (DBCV): `hdbscan.validity.validity_index`.

    Parameters
    ----------
    X : array_like, shape (n, n_features)
        The points.
    labels : array_like, shape (n,)
        Their clusters; less than 0 for noise.
    metric : str
        "euclidean" or "l2".
    d, verbose
        Of no effect.
    per_cluster_scores : bool
        Return the scores of the clusters too.
    mst_raw_dist : bool
        Compare distances, without mutual reachability.

    Returns
    -------
    index : float
        -1 to 1: the mean of the scores by numbers of points, noise counted as 0. NaN for a single cluster.
    scores : numpy.ndarray of float64, shape (n_clusters,)
        With `per_cluster_scores`; 0 for labels of less than two points.

    Notes
    -----
    The score is a function of the spanning tree that is chosen where lengths tie, in the hdbscan package too: on lattices
    the order of the rows changes it. Both take Prim's tree from the first row and the lowest row of equal ones. The
    package sums core distances in another order, so that rounding may break a tie there; then the scores differ.

    Examples
    --------
    >>> from boscage.cluster import validity_index
    >>> x = [[0.0], [1.0], [2.0], [50.0], [51.0], [52.0]]
    >>> validity_index(x, [0, 0, 0, 1, 1, 1], mst_raw_dist=True) > 0.9
    True
    """
    if metric not in ("euclidean", "l2"):
        raise ValueError(f"metric: {metric!r} is not 'euclidean'")
    X = real_array(X, "X")
    X = np.asarray(X, X.dtype if X.dtype in (np.float32, np.float64) else np.float64, order="C")
    labels = integers(labels, "int64", NUMPY, "labels")
    if X.ndim != 2 or labels.shape != X.shape[:1]:
        raise ValueError(f"labels: of shape {labels.shape}, but X has the shape {X.shape}")
    count = int(labels.max(initial=-1)) + 1
    if count > len(X):
        raise ValueError(f"labels: up to {count - 1}, but X has {len(X)} rows")
    scores = np.empty(count)
    at = where(place_for(NUMPY, None), 0, None)
    index = _core.cluster_validity(at, X, labels, len(scores), bool(mst_raw_dist), scores)
    return (index, scores) if per_cluster_scores else index


def _has_directions(X: Any, metric: str) -> bool:
    """True if rows are latitudes and longitudes, or none is zero. scikit-learn answers for others, or refuses them."""
    shape = np.shape(X)
    if len(shape) != 2 or (metric == "haversine" and shape[1] != 2):
        return False
    if metric == "haversine" or space_of(X) is not NUMPY:
        return True
    try:
        return bool(np.any(np.asarray(X, np.float64) != 0, axis=1).all())
    except (TypeError, ValueError):
        return False


def _place(clusterer: HDBSCAN) -> Any:
    """The host, with the threads of a fitted model."""
    return where(place_for(NUMPY, None), 0, workers_of(clusterer.n_jobs))


def _tree_of(clusterer: HDBSCAN) -> tuple[np.ndarray, np.ndarray, tuple[np.ndarray, np.ndarray, np.ndarray, int]]:
    """The finite points of fit, which rows these are, and their condensed tree for the extension."""
    X = clusterer._points()
    if X is None or not clusterer._is_euclidean:
        raise ValueError("clusterer: fitted to dense points under the Euclidean metric only")
    X = np.asarray(space_of(X).host(X), np.float64)
    leaves, densities, clusters = clusterer._condense()
    finite = np.isfinite(X).all(axis=1)
    tree = np.ascontiguousarray(leaves[finite]), np.ascontiguousarray(densities[finite]), clusters.view(np.int64)
    return np.ascontiguousarray(X[finite]), finite, (*tree, len(clusters))


def _in_range(rows: np.ndarray, queries: np.ndarray, tree: tuple, epsilon: float) -> tuple:
    """Points, queries, their condensed tree and a length, times a power of two where squares would leave the range."""
    most = max(float(np.abs(x).max(initial=0)) for x in (rows, queries))
    if 2.0**-400 < most < 2.0**ORDINARY or not most:
        return rows, queries, tree, epsilon
    exponent = ORDINARY - math.frexp(most)[1]
    leaves, densities, words, count = tree
    clusters = words.view(CLUSTERS).copy()
    for name in ("birth", "death"):
        clusters[name] = np.ldexp(clusters[name], -exponent)
    tree = leaves, np.ldexp(densities, -exponent), clusters.view(np.int64), count
    points = (np.ascontiguousarray(np.ldexp(x, exponent)) for x in (rows, queries))
    with np.errstate(over="ignore", under="ignore"):
        length = float(np.ldexp(epsilon, exponent))
    return *points, tree, min(max(length, 5e-324), np.finfo(np.float64).max) if epsilon else 0.0  # 0 is none


def _label_count(tree: tuple[np.ndarray, np.ndarray, np.ndarray, int]) -> int:
    """The number of selected clusters."""
    return int(tree[2].view(CLUSTERS)["label"].max(initial=-1)) + 1


def _memberships(finite: np.ndarray, found: np.ndarray) -> np.ndarray:
    """The memberships of finite rows, and zeros for the others."""
    memberships = np.zeros((len(finite), found.shape[1]))
    memberships[finite] = found
    return memberships


def _queries(points: Any, dim: int) -> tuple[np.ndarray, np.ndarray]:
    """New points, and the finite rows of these."""
    q = reals(points, "float64", NUMPY, "points_to_predict")
    if q.ndim != 2 or q.shape[1] != dim:
        raise ValueError(f"points_to_predict: of shape {q.shape}, but the points have {dim} coordinates")
    return q, np.isfinite(q).all(axis=1)


def _scores(densities: np.ndarray, most: np.ndarray) -> np.ndarray:
    """1 less the density over the greatest one; 0 for a density that is the greatest, also if it is 0 or infinite."""
    scores = np.zeros(len(densities))
    below = densities < most
    infinite = np.isinf(most)
    scores[below & infinite] = 1
    some = below & ~infinite
    scores[some] = (most[some] - densities[some]) / most[some]
    return scores


def _numbered(labels: np.ndarray) -> np.ndarray:
    """Labels with clusters numbered by their first rows."""
    distinct, first = np.unique(labels, return_index=True)
    is_cluster = distinct >= 0
    numbers = distinct.copy()
    order = np.argsort(first[is_cluster])
    numbers[np.flatnonzero(is_cluster)[order]] = np.arange(len(order))
    return numbers[np.searchsorted(distinct, labels)]


def _merged(chosen: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a at chosen rows, b at the others."""
    merged = np.empty(len(chosen), a.dtype)
    merged[chosen], merged[~chosen] = a, b
    return merged


def _with_rows(z: np.ndarray, finite: np.ndarray) -> np.ndarray:
    """A dendrogram of the finite rows with the others, each merged at an infinite distance."""
    rows, others = np.flatnonzero(finite), np.flatnonzero(~finite)
    n, count = len(rows), len(others)
    ends = z[:, :2].astype(np.intp)
    out = np.empty((len(z) + count, 4))
    out[: len(z), :2] = np.where(ends < n, rows[np.minimum(ends, n - 1)], ends + count)
    out[: len(z), 2:] = z[:, 2:]
    out[len(z) :, 0] = others
    out[len(z) :, 1] = np.arange(count) + 2 * n + count - 2
    out[len(z) :, 2] = np.inf
    out[len(z) :, 3] = np.arange(count) + n + 1
    return out
