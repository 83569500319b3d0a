"""Clusters against scikit-learn's."""

import pickle

import numpy as np
import pytest
import sklearn.cluster
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.base import clone

from boscage.cluster import DBSCAN, _dbscan, dbscan, friends_of_friends

POINTS = np.random.default_rng(0).random((300, 3))
METRICS = ["euclidean", "l2", "cityblock", "manhattan", "l1", "chebyshev", "minkowski", "haversine", "cosine"]


def assert_equal(ours, theirs):
    assert ours.labels_.dtype == theirs.labels_.dtype and (ours.labels_ == theirs.labels_).all()
    assert (ours.core_sample_indices_ == theirs.core_sample_indices_).all()
    assert ours.components_.shape == theirs.components_.shape and (ours.components_ == theirs.components_).all()
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


@pytest.mark.parametrize("X", [POINTS, POINTS.astype(np.float32), (POINTS * 9).astype(int), POINTS[:, ::2]])
def test_searches_are_ours(X, monkeypatch):
    theirs = sklearn.cluster.DBSCAN(eps=0.2, min_samples=4).fit(X)
    monkeypatch.setattr(_dbscan._sklearn.DBSCAN, "fit", None)
    assert_equal(DBSCAN(eps=0.2, min_samples=4, n_jobs=-2).fit(X), theirs)


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
        ({}, POINTS, np.full(300, np.nan), "NaN"),
        ({}, POINTS[0], None, "2D array"),
    ],
)
def test_refused(parameters, X, weights, message):
    with pytest.raises(ValueError, match=message):
        DBSCAN(**parameters).fit(X, sample_weight=weights)


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
