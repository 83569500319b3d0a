"""scikit-learn's estimators with trees of this package, against brute force."""

import pickle

import numpy as np
import pytest
import sklearn.neighbors
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import boscage.neighbors
from boscage.neighbors import KDTree, KNeighborsTransformer, NearestNeighbors, RadiusNeighborsTransformer

POINTS = np.random.default_rng(0).random((120, 3))


@given(st.integers(2, 60), st.integers(1, 5), st.sampled_from([1, 1.5, 2, 3, np.inf]), st.integers(0, 2**31))
def test_equal_to_brute_force(n, m, p, seed):
    rng = np.random.default_rng(seed)
    points, queries = rng.random((n, m)), rng.random((7, m))
    k = int(rng.integers(1, n))
    mine = NearestNeighbors(n_neighbors=k, radius=0.4, algorithm="kd_tree", p=p).fit(points)
    brute = sklearn.neighbors.NearestNeighbors(n_neighbors=k, radius=0.4, algorithm="brute", p=p).fit(points)
    for X in (queries, None):
        a, b = mine.kneighbors(X), brute.kneighbors(X)
        assert np.allclose(a[0], b[0], atol=1e-7) and (a[1] == b[1]).all()
        a, b = (model.radius_neighbors(X, sort_results=True) for model in (mine, brute))
        assert all(np.allclose(x, y, atol=1e-7) for x, y in zip(a[0], b[0]))
        assert all(sorted(x) == sorted(y) for x, y in zip(a[1], b[1]))
    assert (mine.kneighbors_graph(queries) != brute.kneighbors_graph(queries)).nnz == 0
    assert (mine.radius_neighbors_graph(queries) != brute.radius_neighbors_graph(queries)).nnz == 0


def test_trees_are_ours():
    assert isinstance(NearestNeighbors(algorithm="kd_tree").fit(POINTS)._tree, KDTree.__base__)
    assert isinstance(NearestNeighbors(algorithm="auto").fit(POINTS)._tree, KDTree.__base__)
    few = NearestNeighbors(algorithm="kd_tree").fit(POINTS.astype(np.float32))
    assert few.kneighbors(POINTS[:2].astype(np.float32))[0].dtype == np.float64  # as scikit-learn's
    other = NearestNeighbors(algorithm="ball_tree", metric="canberra").fit(POINTS[:, :2])
    assert isinstance(other._tree, sklearn.neighbors.BallTree) and other.leaf_size == 30


@pytest.mark.parametrize(
    "transformer",
    [
        KNeighborsTransformer(n_neighbors=5, algorithm="kd_tree"),
        RadiusNeighborsTransformer(radius=0.3, algorithm="kd_tree"),
    ],
)
def test_transformers(transformer):
    theirs = getattr(sklearn.neighbors, type(transformer).__name__)(**transformer.get_params())
    assert np.allclose(transformer.fit_transform(POINTS).toarray(), theirs.fit_transform(POINTS).toarray())
    assert clone(transformer).get_params() == transformer.get_params()
    again = pickle.loads(pickle.dumps(transformer))
    assert (again.transform(POINTS[:5]) != transformer.transform(POINTS[:5])).nnz == 0
    labels = (POINTS[:, 0] > 0.5).astype(int)
    model = make_pipeline(transformer, sklearn.neighbors.KNeighborsClassifier(n_neighbors=3, metric="precomputed"))
    if isinstance(transformer, KNeighborsTransformer):
        assert model.fit(POINTS, labels).score(POINTS, labels) > 0.9


def test_tree():
    mine, theirs = KDTree(POINTS), sklearn.neighbors.KDTree(POINTS)
    for r in (0.1, np.linspace(0, 0.5, len(POINTS))):
        a, b = (t.query_radius(POINTS, r, return_distance=True, sort_results=True) for t in (mine, theirs))
        assert all((x == y).all() for x, y in zip(a[0], b[0])) and all(np.allclose(x, y) for x, y in zip(a[1], b[1]))
        assert (mine.query_radius(POINTS, r, count_only=True) == theirs.query_radius(POINTS, r, count_only=True)).all()
    assert (
        mine.two_point_correlation(POINTS[:9], [0.1, 0.5]) == theirs.two_point_correlation(POINTS[:9], [0.1, 0.5])
    ).all()
    assert np.allclose(mine.kernel_density(POINTS, 0.2), theirs.kernel_density(POINTS, 0.2))
    with pytest.raises(ValueError):
        mine.query(POINTS, k=121)
    with pytest.raises(ValueError):
        KDTree(POINTS, metric="haversine")
    with pytest.raises(ValueError):
        mine.query([[0.0]])


def test_a_bool_is_no_number_of_neighbors():
    for module in (boscage.neighbors, sklearn.neighbors):
        model = module.NearestNeighbors(n_neighbors=2, algorithm="kd_tree").fit(np.eye(5))
        with pytest.raises(TypeError, match="an integer is required"):
            model.kneighbors(np.eye(5), True)
        assert model.kneighbors(None, True)[0].shape == (5, 1)
