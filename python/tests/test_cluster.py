"""Clusters against scikit-learn's."""

import concurrent.futures
import os
import pickle
import resource
import signal
import threading

import numpy as np
import pytest
import scipy.cluster.hierarchy as scipys
import sklearn.cluster
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist, squareform
from sklearn.base import clone
from sklearn.datasets import make_blobs

from boscage._files import write_whole
from boscage.cluster import DBSCAN, HDBSCAN, approximate_predict, dbscan, friends_of_friends, hierarchy
from boscage.cluster import _dbscan, _hdbscan, all_points_membership_vectors, membership_vector, validity_index
from boscage.cluster.hierarchy import cut, cut_tree, linkage
from boscage.neighbors import BallTree

POINTS = np.random.default_rng(0).random((300, 3))
METRICS = ["euclidean", "l2", "cityblock", "manhattan", "l1", "chebyshev", "minkowski", "haversine", "cosine"]


def assert_equal(ours, theirs):
    assert ours.labels_.dtype == theirs.labels_.dtype and (ours.labels_ == theirs.labels_).all()
    assert (ours.core_sample_indices_ == theirs.core_sample_indices_).all()
    assert ours.components_.dtype == theirs.components_.dtype and ours.components_.shape == theirs.components_.shape
    assert (ours.components_ == theirs.components_).all()
    assert ours.n_features_in_ == theirs.n_features_in_


@given(st.integers(1, 80), st.sampled_from(METRICS), st.integers(1, 9), st.booleans(), st.integers(0, 2**31))
def test_equal_to_sklearn(n, metric, min_samples, weighted, seed):
    rng = np.random.default_rng(seed)
    m = 2 if metric == "haversine" else int(rng.integers(1, 5))
    X = rng.random((n, m)) * rng.choice([1, 3]) + (metric == "cosine")
    weights = rng.choice([0.25, 1, 2, -1], n) if weighted else None
    parameters = dict(
        eps=float(rng.choice([0.01, 0.1, 0.3, 0.9])),
        min_samples=min_samples,
        metric=metric,
        p=float(rng.choice([1, 2, 3])) if metric == "minkowski" else None,
    )
    theirs = sklearn.cluster.DBSCAN(**parameters).fit(X, sample_weight=weights)
    assert_equal(DBSCAN(**parameters).fit(X, sample_weight=weights), theirs)


@pytest.mark.parametrize(
    "X", [*((POINTS * 9).astype(x) for x in ("f4", "f8", ">f8", "f2", "i8", "u1")), POINTS[:, ::2]]
)
def test_searches_are_ours(X, monkeypatch):
    eps = 0.2 if X.max() < 1 else 1.25
    theirs = sklearn.cluster.DBSCAN(eps=eps, min_samples=4).fit(X)
    monkeypatch.setattr(_dbscan._sklearn.DBSCAN, "fit", None)
    assert_equal(DBSCAN(eps=eps, min_samples=4, n_jobs=-2).fit(X), theirs)


@pytest.mark.parametrize(
    "parameters, X",
    [
        ({"metric": "precomputed"}, np.abs(POINTS[:, :1] - POINTS[:, 0])),
        ({"metric": "canberra"}, POINTS),
        ({"metric": lambda x, y: abs(x[0] - y[0])}, POINTS[:60]),
        ({"metric": "minkowski", "p": 2, "metric_params": {"w": [1, 2, 3]}}, POINTS),
        ({"metric": "cosine"}, np.where(POINTS < 0.5, 0, POINTS)),  # some rows are zero
        ({}, csr_matrix(POINTS)),
    ],
)
def test_the_rest_is_sklearns(parameters, X):
    ours, theirs = DBSCAN(eps=0.1, **parameters).fit(X), sklearn.cluster.DBSCAN(eps=0.1, **parameters).fit(X)
    assert (ours.labels_ == theirs.labels_).all() and (ours.core_sample_indices_ == theirs.core_sample_indices_).all()


def test_function_and_estimator():
    core, labels = dbscan(POINTS, 0.1, min_samples=3)
    model = clone(DBSCAN(eps=0.1, min_samples=3))
    assert (model.fit_predict(POINTS) == labels).all() and (model.core_sample_indices_ == core).all()
    assert (pickle.loads(pickle.dumps(model)).labels_ == labels).all()
    assert len(labels) > len(core) > 0 and labels.min() == -1


@pytest.mark.parametrize(
    "parameters, X, weights, message",
    [
        ({"eps": 0}, POINTS, None, "'eps' parameter"),
        ({"eps": -1.0}, POINTS, None, "'eps' parameter"),
        ({"min_samples": 0}, POINTS, None, "'min_samples' parameter"),
        ({"metric": "nonsense"}, POINTS, None, "'metric' parameter"),
        ({"metric": "haversine"}, POINTS, None, "2 dimensions|Haversine"),
        ({}, np.where(POINTS > 0.99, np.nan, POINTS), None, "NaN"),
        ({}, POINTS, np.ones(7), "sample_weight"),
        ({"n_jobs": 0}, POINTS, None, "n_jobs == 0"),
        ({}, POINTS, np.full(300, np.nan), "NaN"),
        ({}, POINTS[0], None, "2D array"),
    ],
)
def test_refused(parameters, X, weights, message):
    with pytest.raises(ValueError, match=message):
        DBSCAN(**parameters).fit(X, sample_weight=weights)


def test_refused_of_the_function():
    with pytest.raises(ValueError, match="sample_weight"):
        dbscan(POINTS, sample_weight=1.5)
    with pytest.raises(ValueError, match="boxsize: of shape"):
        friends_of_friends(POINTS, 1, boxsize=[1, 2])


def test_no_core_points():
    X = POINTS.astype(np.float32)
    assert_equal(DBSCAN(eps=1e-9).fit(X), sklearn.cluster.DBSCAN(eps=1e-9).fit(X))


def test_an_order_of_a_metric_without_one_is_refused():
    for estimator in (sklearn.cluster.DBSCAN, DBSCAN):
        with pytest.raises((TypeError, ValueError)):
            estimator(metric="euclidean", metric_params={"p": 1}).fit(POINTS)


def test_friends_of_friends():
    x = np.random.default_rng(3).random((500, 2)) * 10
    gaps = np.abs(x[:, None] - x)
    near = np.hypot(*np.moveaxis(np.minimum(gaps, 10 - gaps), 2, 0)) <= 0.35
    labels = friends_of_friends(x, 0.35, boxsize=10)
    _, first = np.unique(labels, return_index=True)
    assert (np.diff(first) > 0).all()  # numbered by their first points
    assert (labels[:, None] == labels)[near].all()
    reach = near
    for _ in range(9):
        reach = reach @ reach
    assert (reach == (labels[:, None] == labels)).all()
    assert (friends_of_friends(x, 0.35) == DBSCAN(eps=0.35, min_samples=1).fit(x).labels_).all()
    for radius, box in ((-1, None), (np.nan, None), (1, -1), (1, [1, 2, 3])):
        with pytest.raises(ValueError):
            friends_of_friends(x, radius, boxsize=box)
    with pytest.raises(ValueError, match="row"):
        friends_of_friends(x, 1, boxsize=5)


BLOBS = make_blobs(400, centers=5, cluster_std=[0.3, 0.5, 1, 1, 2], random_state=4)[0]
# Mutual distances tie by nature, and the tree depends on the order of ties: these variants have one answer.
VARIANTS = [
    {},
    {"min_cluster_size": 12, "min_samples": 3},
    {"min_samples": 1, "cluster_selection_method": "leaf"},
    {"min_samples": 1, "cluster_selection_epsilon": 0.5},
    {"min_samples": 1, "max_cluster_size": 50},
    {"min_cluster_size": 150, "allow_single_cluster": True},
]


def first_rows(labels):
    """The labels, with clusters numbered by their first rows."""
    names = {}
    return np.array([x if x < 0 else names.setdefault(x, len(names)) for x in labels.tolist()])


@pytest.mark.parametrize("parameters", VARIANTS)
def test_hdbscan_equal_to_sklearn(parameters):
    theirs = sklearn.cluster.HDBSCAN(**parameters, store_centers="both", copy=True).fit(BLOBS)
    ours = HDBSCAN(**parameters, store_centers="both", copy=True).fit(BLOBS)
    assert (ours.labels_ == first_rows(theirs.labels_)).all() and ours.labels_.dtype == np.int64
    np.testing.assert_allclose(ours.probabilities_, theirs.probabilities_, rtol=1e-12)
    count = ours.labels_.max() + 1
    order = [theirs.labels_[ours.labels_ == k][0] for k in range(count)]
    np.testing.assert_allclose(ours.centroids_, theirs.centroids_[order])
    assert (ours.medoids_ == theirs.medoids_[order]).all()
    assert ours.n_features_in_ == 2
    assert (ours.dbscan_clustering(0.4) >= 0).sum() == (theirs.dbscan_clustering(0.4) >= 0).sum()


def test_hdbscan_is_ours(monkeypatch):
    monkeypatch.setattr(_hdbscan._sklearn.HDBSCAN, "fit", None)
    for X in (BLOBS, BLOBS.astype(np.float32), (BLOBS * 9).astype(int), BLOBS[::2, ::-1]):
        for parameters in ({}, {"metric": "l2"}, {"metric": "minkowski", "metric_params": {"p": 2}, "n_jobs": -2}):
            assert HDBSCAN(**parameters, copy=True).fit(X).labels_.max() > 0


def test_hdbscan_rows_that_are_not_finite():
    X = BLOBS.copy()
    X[7] = [np.inf, 1]
    X[9] = [-np.inf, np.inf]
    X[11] = [np.nan, np.inf]
    finite = np.isfinite(X).all(axis=1)
    clean = HDBSCAN(copy=True).fit(X[finite])
    ours = HDBSCAN(copy=True, store_centers="centroid").fit(X)
    assert (ours.labels_[[7, 9, 11]] == [-2, -2, -3]).all() and (ours.labels_[finite] == clean.labels_).all()
    assert (ours.probabilities_[[7, 9]] == 0).all() and np.isnan(ours.probabilities_[11])
    assert (ours.outlier_scores_[~finite] == 1).all() and (ours.outlier_scores_[finite] == clean.outlier_scores_).all()
    assert len(ours.centroids_) == clean.labels_.max() + 1
    z = ours.single_linkage_tree_.to_numpy()
    assert scipys.is_valid_linkage(z) and (z[-3:, 2] == np.inf).all()
    assert (ours.dbscan_clustering(0.4)[[7, 9, 11]] == [-2, -2, -3]).all()
    edges = ours.minimum_spanning_tree_.to_numpy()
    assert len(edges) == finite.sum() - 1 and not np.isin(edges[:, :2], [7, 9, 11]).any()


def test_hdbscan_the_rest_is_sklearns():
    distances = cdist(BLOBS, BLOBS)
    for X, parameters in (
        (distances, {"metric": "precomputed", "min_samples": 1}),
        (csr_matrix(BLOBS), {}),
        (BLOBS, {"metric": "canberra"}),
        (BLOBS, {"alpha": 0.5}),
        (BLOBS, {"metric": "minkowski", "metric_params": {"p": 3, "w": np.array([1.0, 2.0])}, "algorithm": "brute"}),
        (BLOBS * (BLOBS[:, :1] > 0), {"metric": "cosine", "algorithm": "brute"}),  # some rows are zero
        (BLOBS, {"metric": lambda x, y: abs(x - y).max()}),
    ):
        theirs = sklearn.cluster.HDBSCAN(**parameters, copy=True).fit(X)
        ours = HDBSCAN(**parameters, copy=True).fit(X)
        assert (ours.labels_ == first_rows(theirs.labels_)).all()
        assert (ours.probabilities_ == theirs.probabilities_).all()
        assert ((ours.outlier_scores_ >= 0) & (ours.outlier_scores_ <= 1)).all()
        if parameters.get("metric") == "precomputed":
            own = HDBSCAN(min_samples=1, copy=True).fit(BLOBS)  # no mutual distances tie
            np.testing.assert_allclose(ours.outlier_scores_, own.outlier_scores_, rtol=1e-9, atol=1e-12)
            with pytest.raises(AttributeError, match="exemplars_"):
                ours.exemplars_
        else:
            assert len(ours.exemplars_) == ours.labels_.max() + 1
        with pytest.raises(AttributeError, match="minimum_spanning_tree_"):
            ours.minimum_spanning_tree_


@pytest.mark.parametrize("metric", ["manhattan", "l1", "chebyshev", "minkowski", "haversine", "cosine"])
@pytest.mark.parametrize("seed", range(4))
def test_hdbscan_metrics(metric, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(90, 2 if metric == "haversine" else 3)) * 0.4 + rng.integers(0, 3, size=(90, 1))
    parameters = dict(metric=metric, min_samples=1, min_cluster_size=4, copy=True)  # no mutual distances tie
    if metric == "minkowski":
        parameters["metric_params"] = {"p": [1, 1.5, 3, 7][seed]}
    theirs = sklearn.cluster.HDBSCAN(**parameters, algorithm="brute" if metric == "cosine" else "auto").fit(X)
    ours = HDBSCAN(**parameters)
    assert ours._own_metric(X) is not None
    ours.fit(X)
    assert (ours.labels_ == first_rows(theirs.labels_)).all()
    np.testing.assert_allclose(ours.probabilities_, theirs.probabilities_, rtol=1e-6)
    if metric in ("haversine", "cosine"):
        with pytest.raises(AttributeError, match="minimum_spanning_tree_"):
            ours.minimum_spanning_tree_
        return
    edges = ours.minimum_spanning_tree_.to_numpy()
    heights = ours.single_linkage_tree_.to_numpy()[:, 2]
    np.testing.assert_array_equal(np.sort(edges[:, 2]), heights)


def test_hdbscan_centers_of_sklearn_have_our_labels():
    model = dict(metric="manhattan", store_centers="both", copy=True)
    theirs, ours = sklearn.cluster.HDBSCAN(**model).fit(BLOBS), HDBSCAN(**model).fit(BLOBS)
    order = [theirs.labels_[ours.labels_ == k][0] for k in range(ours.labels_.max() + 1)]
    assert order != sorted(order)
    assert (ours.centroids_ == theirs.centroids_[order]).all() and (ours.medoids_ == theirs.medoids_[order]).all()


def test_hdbscan_parameters_are_those_of_fit():
    model, changed = (HDBSCAN(min_cluster_size=12, copy=True).fit(BLOBS) for _ in range(2))
    changed.set_params(min_cluster_size=40, cluster_selection_method="leaf")
    assert (changed.condensed_tree_.to_numpy() == model.condensed_tree_.to_numpy()).all()


def test_hdbscan_trees():
    model = HDBSCAN(min_cluster_size=8, min_samples=4, copy=True).fit(BLOBS)
    n = len(BLOBS)
    # 1. The spanning tree and the dendrogram: those of all mutual distances.
    d = cdist(BLOBS, BLOBS)
    core = np.sort(d, axis=1)[:, 3]
    mutual = np.maximum(d, np.maximum.outer(core, core))
    np.fill_diagonal(mutual, 0)
    z = model.single_linkage_tree_.to_numpy()
    np.testing.assert_allclose(z[:, 2], scipys.linkage(squareform(mutual, checks=False))[:, 2], rtol=1e-12)
    edges = model.minimum_spanning_tree_.to_numpy()
    i, j = edges[:, :2].astype(int).T
    np.testing.assert_allclose(edges[:, 2], mutual[i, j], rtol=1e-12)
    np.testing.assert_allclose(np.sort(edges[:, 2]), z[:, 2], rtol=1e-12)
    # 2. The condensed tree: each point once, clusters of 8 and more, sizes add up.
    rows = model.condensed_tree_.to_numpy()
    points, clusters = rows[rows["child_size"] == 1], rows[rows["child_size"] > 1]
    assert (np.sort(points["child"]) == np.arange(n)).all() and rows["parent"].min() == n
    assert (clusters["child_size"] >= 8).all() and (clusters["child"] > clusters["parent"]).all()
    for child, size in zip(clusters["child"], clusters["child_size"]):
        assert rows["child_size"][rows["parent"] == child].sum() == size
    # 3. Exemplars: the points of greatest density of each leaf.
    exemplars = model.exemplars_
    assert len(exemplars) == model.labels_.max() + 1
    at = {tuple(x): k for k, x in enumerate(BLOBS.tolist())}
    for k, few in enumerate(exemplars):
        chosen = np.array([at[tuple(x)] for x in few.tolist()])
        assert len(chosen) and (model.labels_[chosen] == k).all() and (model.outlier_scores_[chosen] == 0).all()
    # 4. Data frames, cuts, and copies of the model.
    assert list(model.condensed_tree_.to_pandas().columns) == ["parent", "child", "lambda_val", "child_size"]
    assert len(model.single_linkage_tree_.to_pandas()) == len(model.minimum_spanning_tree_.to_pandas()) == n - 1
    labels = model.single_linkage_tree_.get_clusters(0.4)
    assert (labels == first_rows(model.dbscan_clustering(0.4))).all() and labels.min() == -1
    copy = pickle.loads(pickle.dumps(model))
    assert (copy.outlier_scores_ == model.outlier_scores_).all() and (copy.condensed_tree_.to_numpy() == rows).all()


@pytest.mark.parametrize(
    "parameters, X, message",
    [
        ({"min_cluster_size": 1}, BLOBS, "'min_cluster_size' parameter"),
        ({"min_samples": 0}, BLOBS, "'min_samples' parameter"),
        ({"min_samples": 401}, BLOBS, "min_samples .401. must be at most"),
        ({"cluster_selection_epsilon": -1.0}, BLOBS, "'cluster_selection_epsilon' parameter"),
        ({"cluster_selection_method": "best"}, BLOBS, "'cluster_selection_method' parameter"),
        ({"metric": "nonsense"}, BLOBS, "'metric' parameter"),
        ({"n_jobs": 0}, BLOBS, "n_jobs == 0"),
        ({}, BLOBS[:1], "n_samples=1"),
        ({}, BLOBS[0], "2D array"),
        ({}, np.full((9, 2), np.nan), "min_samples .5. must be at most"),
    ],
)
def test_hdbscan_refused(parameters, X, message):
    with pytest.raises(ValueError, match=message):
        HDBSCAN(**parameters, copy=True).fit(X)


@pytest.mark.parametrize("scale", [2.0**700, 2.0**-900])
def test_hdbscan_of_any_magnitude(scale):
    near, far = (HDBSCAN(min_samples=2, copy=True).fit(X) for X in (BLOBS, BLOBS * scale))
    assert (near.labels_ == far.labels_).all()
    heights = [model.single_linkage_tree_.to_numpy()[:, 2] for model in (near, far)]
    assert (heights[0] * scale == heights[1]).all()
    np.testing.assert_allclose(far.minimum_spanning_tree_.to_numpy()[:, 2].max(), heights[1][-1])


def test_hdbscan_before_fit():
    for name in ("labels_", "outlier_scores_", "condensed_tree_", "exemplars_", "minimum_spanning_tree_"):
        assert not hasattr(HDBSCAN(), name)
    assert clone(HDBSCAN(min_samples=3)).min_samples == 3


def test_predictions():
    model = HDBSCAN(min_cluster_size=15, min_samples=2, copy=True).fit(BLOBS)
    # 1. Points beside clustered ones are in their clusters, far ones are noise, and infinities and NaN are marked.
    near = BLOBS[model.probabilities_ == 1]
    labels, strengths = approximate_predict(model, near + 1e-9)
    assert (labels == model.labels_[model.probabilities_ == 1]).all() and (strengths > 0.9).all()
    labels, strengths = approximate_predict(model, [[1e6, 0], [np.inf, 0], [np.nan, 0]])
    assert labels.tolist() == [-1, -2, -3] and strengths[0] == strengths[1] == 0 and np.isnan(strengths[2])
    # 2. Infinite rows of the model change nothing.
    more = HDBSCAN(min_cluster_size=15, min_samples=2, copy=True).fit(np.insert(BLOBS, 5, np.inf, axis=0))
    for a, b in zip(approximate_predict(model, BLOBS[::3] + 0.01), approximate_predict(more, BLOBS[::3] + 0.01)):
        assert (a == b).all()
    assert len(approximate_predict(model, np.empty((0, 2)))[0]) == 0
    # 3. Refused.
    with pytest.raises(ValueError, match="points_to_predict"):
        approximate_predict(model, BLOBS[:, :1])
    with pytest.raises(ValueError, match="clusterer"):
        approximate_predict(HDBSCAN(metric="manhattan", copy=True).fit(BLOBS), BLOBS)
    with pytest.raises(AttributeError, match="fit"):
        approximate_predict(HDBSCAN(), BLOBS)


GROUPS = np.random.default_rng(5).normal(size=(180, 2)) + np.repeat([[0, 0], [9, 0], [18, 0]], 60, axis=0)


def test_memberships():
    model = HDBSCAN(min_cluster_size=10, copy=True).fit(GROUPS)
    own = all_points_membership_vectors(model)
    assert own.shape == (180, 3) and own.min() >= 0 and own.sum(axis=1).max() < 1 + 1e-9
    clustered = model.labels_ >= 0
    np.testing.assert_array_equal(own.argmax(axis=1)[clustered], model.labels_[clustered])
    new = membership_vector(model, [[0.1, 0], [9, 0.2], [18, 0], [500, 500], [np.nan, 0]])
    assert new.shape == (5, 3) and new[3].sum() < 0.5 and not new[4].any()
    np.testing.assert_array_equal(new[:3].argmax(axis=1), model.labels_[[np.hypot(*(GROUPS - [9 * k, 0]).T).argmin() for k in range(3)]])


def test_memberships_of_rows_that_are_not_finite():
    X = GROUPS.copy()
    X[7, 0], X[70, 1] = np.inf, np.nan
    model = HDBSCAN(min_cluster_size=10, copy=True).fit(X)
    own = all_points_membership_vectors(model)
    assert own.shape == (180, 3) and not own[[7, 70]].any()
    finite = np.isfinite(X).all(axis=1)
    np.testing.assert_array_equal(own[finite], all_points_membership_vectors(HDBSCAN(min_cluster_size=10, copy=True).fit(X[finite])))


@pytest.mark.parametrize("scale", [2.0**-1000, 2.0**-700, 2.0**530, 2.0**1000])
def test_predictions_at_any_scale(scale):
    X = np.random.default_rng(3).random((200, 2))
    q = np.random.default_rng(4).random((30, 2))
    models = [
        HDBSCAN(min_cluster_size=5, min_samples=2, cluster_selection_epsilon=0.01 * s, copy=True).fit(X * s)
        for s in (1, scale)
    ]
    near, far = (
        (
            *hdbscan_answers(model, q * s),
            all_points_membership_vectors(model),
            validity_index(X * s, model.labels_),
        )
        for model, s in zip(models, (1, scale))
    )
    assert near[0].max() > 0
    for a, b in zip(near, far):
        np.testing.assert_allclose(b, a, rtol=1e-9, atol=1e-12)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scale, epsilon, same", [(2.0**-1000, 1.0, 1.0), (2.0**1000, 1e-300, 0.0)])
def test_predictions_with_an_epsilon_far_from_the_scale(scale, epsilon, same):
    X = np.random.default_rng(3).random((200, 2))
    far = HDBSCAN(min_cluster_size=5, cluster_selection_epsilon=epsilon, copy=True).fit(X * scale)
    near = HDBSCAN(min_cluster_size=5, cluster_selection_epsilon=same, copy=True).fit(X)
    for a, b in zip(hdbscan_answers(far, X[:9] * scale), hdbscan_answers(near, X[:9])):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


def hdbscan_answers(model, q):
    return *approximate_predict(model, q), membership_vector(model, q)


def test_memberships_without_clusters():
    model = HDBSCAN(min_cluster_size=50, copy=True).fit(np.random.default_rng(5).random((60, 2)))
    assert all_points_membership_vectors(model).shape == (60, 0)
    assert membership_vector(model, [[0, 0]]).shape == (1, 0)


def test_memberships_refused():
    model = HDBSCAN(min_cluster_size=10, metric="manhattan", copy=True).fit(GROUPS)
    with pytest.raises(ValueError, match="Euclidean"):
        all_points_membership_vectors(model)
    with pytest.raises(ValueError, match="3 coordinates|have 2"):
        membership_vector(HDBSCAN(copy=True).fit(GROUPS), [[1, 2, 3]])


def test_models_are_pickled():
    model = HDBSCAN(min_cluster_size=10, store_centers="both", copy=True).fit(GROUPS)
    back = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(back.labels_, model.labels_)
    np.testing.assert_array_equal(back.medoids_, model.medoids_)
    np.testing.assert_array_equal(membership_vector(back, GROUPS[:9]), membership_vector(model, GROUPS[:9]))
    np.testing.assert_array_equal(back.condensed_tree_.to_numpy(), model.condensed_tree_.to_numpy())


def test_threads_save_to_one_path(tmp_path):
    """Each writes a file of its own before it replaces the last one. A file left by a killed process is in no way."""
    path, data = tmp_path / "model", [bytes([i]) * (1 << 20) for i in range(8)]
    (tmp_path / f"model.{os.getpid()}.{threading.get_ident()}.tmp").write_bytes(b"left")
    write_whole(path, b"first")
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda x: write_whole(path, x), data * 8))
    assert path.read_bytes() in data
    assert os.listdir(tmp_path) == ["model"]


def test_models_are_saved(tmp_path):
    path = tmp_path / "model.bosc"
    model = HDBSCAN(min_cluster_size=10, min_samples=4, cluster_selection_method="leaf", copy=True).fit(GROUPS)
    model.save(path)
    back = HDBSCAN.load(path)
    assert {k: back.get_params()[k] for k in ("min_cluster_size", "min_samples", "cluster_selection_method")} == {
        "min_cluster_size": 10,
        "min_samples": 4,
        "cluster_selection_method": "leaf",
    }
    np.testing.assert_array_equal(back.labels_, model.labels_)
    np.testing.assert_array_equal(back.probabilities_, model.probabilities_)
    np.testing.assert_array_equal(back.outlier_scores_, model.outlier_scores_)
    np.testing.assert_array_equal(membership_vector(back, GROUPS[:9]), membership_vector(model, GROUPS[:9]))
    for a, b in zip(approximate_predict(back, GROUPS[::5] + 0.01), approximate_predict(model, GROUPS[::5] + 0.01)):
        np.testing.assert_array_equal(a, b)
    # A failed write leaves the file of before, and nothing beside it.
    before, limits = path.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
        with pytest.raises(OSError):
            model.save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]
    # Damaged files, and other metrics and rows.
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ValueError):
        HDBSCAN.load(path)
    with pytest.raises(ValueError, match="Euclidean"):
        HDBSCAN(metric="manhattan", copy=True).fit(GROUPS).save(path)
    with pytest.raises(ValueError, match="labels: up to"):
        validity_index(GROUPS, [2**40] + [0] * (len(GROUPS) - 1))
    with pytest.raises(ValueError, match="alpha 1"):
        HDBSCAN(alpha=0.5, copy=True).fit(GROUPS).save(path)
    with pytest.raises(ValueError, match="finite"):
        HDBSCAN(copy=True).fit(np.insert(GROUPS, 3, np.nan, axis=0)).save(path)


def test_centers():
    model = HDBSCAN(min_cluster_size=10, store_centers="both", copy=True).fit(GROUPS)
    for k in range(3):
        rows, weights = GROUPS[model.labels_ == k], model.probabilities_[model.labels_ == k]
        np.testing.assert_allclose(model.centroids_[k], np.average(rows, weights=weights, axis=0))
        sums = np.hypot(*(rows[:, None] - rows[None]).transpose(2, 0, 1)) @ weights
        np.testing.assert_array_equal(model.medoids_[k], rows[sums.argmin()])


def test_parameters_that_change_after_fit():
    model = HDBSCAN(min_cluster_size=10, copy=True).fit(GROUPS)
    tree, vectors = model.minimum_spanning_tree_.to_numpy(), all_points_membership_vectors(model)
    other = HDBSCAN(min_cluster_size=10, copy=True).fit(GROUPS)
    other.set_params(metric="precomputed", alpha=2.0, min_cluster_size=3)
    np.testing.assert_array_equal(other.minimum_spanning_tree_.to_numpy(), tree)
    np.testing.assert_array_equal(all_points_membership_vectors(other), vectors)
    assert len(other.exemplars_) == 3


def test_validity_index():
    labels = np.repeat([0, 1, 2], 60)
    index, scores = validity_index(GROUPS, labels, per_cluster_scores=True)
    assert index > 0.5 and np.isclose(index, scores.mean()) and validity_index(GROUPS, labels) == index
    assert validity_index(GROUPS, np.arange(180) % 3) < 0 < validity_index(GROUPS, labels, mst_raw_dist=True)
    noise = np.where(np.arange(180) % 60 < 6, -1, labels)
    assert 0 < validity_index(GROUPS, noise) < index  # noise counts as 0
    assert np.isnan(validity_index(GROUPS, np.zeros(180, int)))
    assert validity_index(GROUPS.astype(int).tolist(), labels) > 0


@pytest.mark.parametrize("seed", range(10))
def test_haversine_includes_a_reported_distance(seed):
    """DBSCAN and BallTree with the distance of a neighbour as the radius: the neighbour is within."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.5, 1.5, 2) + 10.0**-seed * rng.uniform(-1, 1, size=(30, 2)) * [0.05, 1]
    tree = BallTree(X, metric="haversine")
    distances, rows = tree.query(X, k=5)
    for c in range(1, 5):
        assert (tree.query_radius(X, distances[:, c], count_only=True) > c).all()
        for i in range(0, 30, 5):
            labels = DBSCAN(eps=distances[i, c], min_samples=2, metric="haversine").fit(X).labels_
            assert labels[i] == labels[rows[i, c]] >= 0


def test_validity_index_on_lattices():
    """The order of the rows chooses among the scores that hdbscan 0.8.44 has in the same 40 orders."""
    x = np.array([[i, j] for i in range(4) for j in range(4)], float)
    orders = [np.random.default_rng(seed).permutation(16) for seed in range(40)]
    scores = {round(float(validity_index(x[p], (x[p, 0] >= 2).astype(int))), 6) for p in orders}
    assert scores >= {-0.15717, -0.078585, -0.049645, 0.0, 0.255955, 0.314426, 0.372897}


@pytest.mark.parametrize(
    "labels, metric, message",
    [([0, 0], "euclidean", "labels"), (np.full(180, 180), "euclidean", "labels"), (np.zeros(180), "cosine", "metric")],
)
def test_validity_index_refused(labels, metric, message):
    with pytest.raises(ValueError, match=message):
        validity_index(GROUPS, labels, metric)


def test_missing_elements_and_text_are_refused():
    labels, model = np.repeat([0, 1, 2], 60), HDBSCAN(min_cluster_size=10, copy=True).fit(GROUPS)
    masked = np.ma.masked_array(GROUPS, np.arange(GROUPS.size).reshape(GROUPS.shape) == 5)
    for name, call in (
        ("X", lambda: validity_index(masked, labels)),
        ("X", lambda: validity_index(GROUPS.astype(str), labels)),
        ("labels", lambda: validity_index(GROUPS, np.ma.masked_equal(labels, 1))),
        ("labels", lambda: validity_index(GROUPS, labels + 0.5)),
        ("points_to_predict", lambda: approximate_predict(model, masked)),
        ("points_to_predict", lambda: membership_vector(model, masked)),
    ):
        with pytest.raises(TypeError, match=f"^{name}: "):
            call()
    whole = np.ma.masked_array(GROUPS)
    assert validity_index(whole, labels) == validity_index(GROUPS, labels)


@given(st.integers(2, 60), st.integers(0, 2**31))
def test_cuts(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.random((n, 2))
    z = linkage(x)
    t = float(z[rng.integers(0, n - 1), 2])
    assert (cut(z, t) == first_rows(scipys.fcluster(z, t, "distance"))).all()
    assert (cut_tree(z) == scipys.cut_tree(z)).all()
    counts = rng.integers(1, n, 3)  # scipy fills a later column of n clusters with zeros
    assert (cut_tree(z, n_clusters=counts) == scipys.cut_tree(z, n_clusters=counts)).all()
    heights = [0, np.nextafter(t, 9), 9]
    assert (cut_tree(z, height=heights) == scipys.cut_tree(z, height=heights)).all()
    assert (cut_tree(z, height=t) == cut_tree(z, n - int((z[:, 2] < t).sum()))).all()
    assert (cut_tree(z, 1) == 0).all() and cut_tree(z, 1).shape == (n, 1)


def test_cuts_of_infinite_distances():
    z = HDBSCAN(min_cluster_size=2, copy=True).fit([[0.0], [1.0], [np.inf], [3.0], [np.inf]]).single_linkage_tree_
    with np.errstate(all="raise"):
        assert cut_tree(z.to_numpy(), 3).T.tolist() == [[0, 0, 1, 0, 2]]


def test_names_of_scipy():
    z = hierarchy.linkage([[0.0], [5.0], [1.0]])
    assert hierarchy.fcluster(z, 1, "distance").tolist() == [1, 2, 1]
    assert hierarchy.cophenet(z).tolist() == [4, 1, 4] and sorted(hierarchy.leaves_list(z)) == [0, 1, 2]
    with pytest.raises(AttributeError, match="centroid"):
        hierarchy.centroid


def test_cuts_refused():
    z = linkage([[0.0], [1.0], [3.0]])
    with pytest.raises(ValueError, match="descend"):
        cut_tree(z * [1, 1, -1, 1])
    for row in range(2):
        with pytest.raises(ValueError, match="NaN"):
            cut_tree(np.where(np.arange(8).reshape(2, 4) == 4 * row + 2, np.nan, z), 2)
    with pytest.raises(ValueError, match="must be None"):
        cut_tree(z, 1, 1)
    with pytest.raises(ValueError, match="NaN"):
        cut(z, np.nan)
    with pytest.raises(ValueError, match="row 1"):
        cut(z[[0, 0]], 1)
    with pytest.raises(ValueError, match="shape"):
        cut(z[0], 1)
