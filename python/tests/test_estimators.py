"""scikit-learn's classifiers, regressors, outlier factors, densities and trees on a sphere, with trees of this package."""

import copy
import pickle

import numpy as np
import pytest
import scipy.special
import sklearn.neighbors
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import boscage._density
import boscage.neighbors
from boscage.neighbors import BallTree, KDTree, KernelDensity

RNG = np.random.default_rng(5)
POINTS, QUERIES = RNG.random((150, 3)), RNG.random((40, 3))
LABELS, VALUES = (POINTS[:, 0] * 3).astype(int), POINTS @ [1.0, 2.0, 3.0]
EARTH = np.radians(np.column_stack([RNG.uniform(-90, 90, 400), RNG.uniform(-180, 180, 400)]))
KERNELS = ["gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"]


def both(name, *args, **options):
    return [getattr(module, name)(*args, **options) for module in (boscage.neighbors, sklearn.neighbors)]


@pytest.mark.parametrize("options", [{}, {"weights": "distance"}, {"p": 1}, {"metric": "chebyshev"}])
@pytest.mark.parametrize("algorithm", ["auto", "kd_tree", "ball_tree"])
def test_classifiers_and_regressors(options, algorithm):
    for name, target in (("Classifier", LABELS), ("Regressor", VALUES)):
        for kind, size in (("KNeighbors", {"n_neighbors": 4}), ("RadiusNeighbors", {"radius": 0.5})):
            ours, theirs = both(kind + name, algorithm=algorithm, **size, **options)
            a, b = (model.fit(POINTS, target).predict(QUERIES) for model in (ours, theirs))
            assert np.allclose(a, b)
            assert type(ours._tree).__module__.startswith("boscage")
            assert clone(ours).get_params() == theirs.get_params()
            assert np.allclose(pickle.loads(pickle.dumps(ours)).predict(QUERIES), a)
            if name == "Classifier":
                assert np.allclose(ours.predict_proba(QUERIES), theirs.predict_proba(QUERIES))


def test_local_outlier_factor():
    ours, theirs = both("LocalOutlierFactor", n_neighbors=10, algorithm="kd_tree")
    assert (ours.fit_predict(POINTS) == theirs.fit_predict(POINTS)).all()
    assert np.allclose(ours.negative_outlier_factor_, theirs.negative_outlier_factor_)
    ours, theirs = both("LocalOutlierFactor", n_neighbors=10, novelty=True, algorithm="kd_tree")
    assert np.allclose(ours.fit(POINTS).score_samples(QUERIES), theirs.fit(POINTS).score_samples(QUERIES))


@pytest.mark.parametrize("mode", ["connectivity", "distance"])
@pytest.mark.parametrize("include_self", [False, True])
def test_graphs(mode, include_self):
    for name, size in (("kneighbors_graph", 4), ("radius_neighbors_graph", 0.4)):
        a, b = both(name, POINTS, size, mode=mode, include_self=include_self)
        assert np.allclose(a.toarray(), b.toarray())
        model = boscage.neighbors.NearestNeighbors(n_neighbors=4, radius=0.4).fit(POINTS)
        a = getattr(boscage.neighbors, name)(model, size, mode=mode, include_self=include_self)
        assert np.allclose(a.toarray(), b.toarray())


def brute_density(kernel, h, weights, queries):
    """Logarithms of the sums over all points, by the formulas, without the factor of the integral."""
    x = np.linalg.norm(queries[:, None] - POINTS[None], axis=2) / h
    with np.errstate(all="ignore"):
        logs = {
            "gaussian": -0.5 * x**2,
            "tophat": np.where(x < 1, 0, -np.inf),
            "epanechnikov": np.log(1 - x**2),
            "exponential": -x,
            "linear": np.log(1 - x),
            "cosine": np.where(x < 1, np.log(np.cos(np.pi / 2 * x)), -np.inf),
        }[kernel]
        logs = np.where(np.isnan(logs), -np.inf, logs)
        return scipy.special.logsumexp(logs, axis=1, b=1.0 if weights is None else weights[None])


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("h", [0.02, 0.3, 4.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_density(kernel, h, weighted):
    weights = np.linspace(0.1, 3, len(POINTS)) if weighted else None
    ours, theirs = both("KernelDensity", bandwidth=h, kernel=kernel)
    far = np.concatenate([QUERIES, [[9.0, -5.0, 2.0]]])
    a, b = (model.fit(POINTS, sample_weight=weights).score_samples(far) for model in (ours, theirs))
    assert isinstance(ours.tree_, boscage.neighbors.KDTree64)
    total = len(POINTS) if weights is None else weights.sum()
    want = brute_density(kernel, h, weights, far) + boscage._density.log_norm(kernel, h, 3) - np.log(total)
    assert np.allclose(a, want, rtol=1e-11, atol=1e-11)
    assert np.allclose(np.exp(a), np.exp(b), rtol=1e-5, atol=1e-8)  # theirs are rounded by differences of logarithms
    a = KDTree(POINTS, sample_weight=weights).kernel_density(far, h, kernel, return_log=True)
    assert np.allclose(a, want + np.log(total), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("m", range(1, 8))
def test_integral_of_a_kernel(kernel, m):
    r = (np.arange(400_000) + 0.5) / 10_000
    area = 2 * np.pi ** (m / 2) / scipy.special.gamma(m / 2)
    with np.errstate(divide="ignore"):
        heights = np.exp(boscage._density._log_kernel(kernel, r) + boscage._density.log_norm(kernel, 1.0, m))
    assert np.isclose((heights * r ** (m - 1)).sum() * area / 10_000, 1, rtol=1e-3)


@given(st.integers(1, 12), st.sampled_from([k for k in KERNELS if k != "cosine"]), st.floats(1e-3, 1e3))
def test_density_in_many_dimensions(m, kernel, h):
    points = np.random.default_rng(m).normal(size=(30, m)) * h
    models = both("KernelDensity", bandwidth=h, kernel=kernel)
    a, b = (model.fit(points).score_samples(points[:9]) for model in models)  # each at its own point at least
    assert np.allclose(a, b, rtol=1e-6, atol=1e-6)


def test_density_of_other_metrics_and_samples():
    ours, theirs = both("KernelDensity", bandwidth=0.3, metric="haversine", algorithm="ball_tree")
    assert np.allclose(ours.fit(EARTH).score_samples(EARTH[:9]), theirs.fit(EARTH).score_samples(EARTH[:9]))
    ours, theirs = both("KernelDensity", bandwidth=0.3)
    assert np.allclose(ours.fit(POINTS).sample(5, random_state=1), theirs.fit(POINTS).sample(5, random_state=1))
    assert np.isclose(ours.score(QUERIES), theirs.score(QUERIES))
    with pytest.raises(ValueError, match="kernel"):
        KDTree(POINTS).kernel_density(QUERIES, 1.0, "box")
    with pytest.raises(ValueError, match="positive"):
        KDTree(POINTS).kernel_density(QUERIES, 0.0)


# --- spheres ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("tree", "metric"), [(KDTree, "euclidean"), (BallTree, "haversine")])
def test_weights_for_other_numbers_of_points(tree, metric):
    for weights in ([1.0], [1.0, 2.0, 3.0], [[1.0], [2.0]]):
        with pytest.raises(ValueError, match="sample_weight"):
            tree([[0.0, 0.0], [1.0, 1.0]], metric=metric, sample_weight=weights)


def test_weights_without_a_positive_one_and_negative_ones():
    for weights in ([0.0, 0.0], [-1.0, 2.0]):
        ours, theirs = (tree([[0.0], [1.0]], sample_weight=weights) for tree in (KDTree, sklearn.neighbors.KDTree))
        assert np.allclose(ours.kernel_density([[0.9]], 0.5), theirs.kernel_density([[0.9]], 0.5))


def test_leaf_size_of_a_density():
    model = KernelDensity(leaf_size=7).fit([[0.0], [1.0]])
    assert model.leaf_size == 7
    with pytest.raises(ValueError, match="leaf_size"):
        KernelDensity(leaf_size=0).fit([[0.0], [1.0]])


def test_angles():
    ours, theirs = (module.BallTree(EARTH, metric="haversine") for module in (boscage.neighbors, sklearn.neighbors))
    queries = EARTH[::3] + 0.01
    for k in (1, 2, 7, 400):
        a, b = ours.query(queries, k), theirs.query(queries, k)
        assert np.allclose(a[0], b[0], atol=1e-12) and (np.diff(a[0], axis=1) >= 0).all()
        if k < 400:
            assert (a[1] == b[1]).all()
    for r in (0.0, 0.3, 3.0, 4.0, np.linspace(0, 3.2, len(queries))):
        a = ours.query_radius(queries, r, return_distance=True, sort_results=True)
        b = theirs.query_radius(queries, r, return_distance=True, sort_results=True)
        assert all(np.allclose(x, y, atol=1e-12) for x, y in zip(a[1], b[1]))
        assert all(sorted(x) == sorted(y) for x, y in zip(a[0], b[0]))
        assert (ours.query_radius(queries, r, count_only=True) == theirs.query_radius(queries, r, count_only=True)).all()
    assert (ours.two_point_correlation(queries, [0.1, 1.0]) == theirs.two_point_correlation(queries, [0.1, 1.0])).all()
    again = pickle.loads(pickle.dumps(ours))
    assert (again.query(queries, 3)[1] == ours.query(queries, 3)[1]).all()
    assert copy.copy(ours).data.shape == (400, 2) and "sphere" in repr(ours)


def test_close_points_on_a_sphere():
    """Metres apart, across the antimeridian and around a pole."""
    for center in ([0.5, np.pi], [np.pi / 2, 0.0], [-0.2, 1.0]):
        points = np.array(center) + np.random.default_rng(1).normal(0, 1e-7, (100, 2))
        a, b = (module.BallTree(points, metric="haversine").query(points, 3) for module in (boscage.neighbors, sklearn.neighbors))
        assert np.allclose(a[0], b[0], rtol=1e-6, atol=1e-15)


def test_estimators_on_a_sphere():
    ours, theirs = both("NearestNeighbors", n_neighbors=4, metric="haversine")
    a, b = ours.fit(EARTH).kneighbors(EARTH[:50]), theirs.fit(EARTH).kneighbors(EARTH[:50])
    assert np.allclose(a[0], b[0], atol=1e-12) and (a[1] == b[1]).all() and isinstance(ours._tree, BallTree)
    labels = (EARTH[:, 0] > 0).astype(int)
    ours, theirs = both("KNeighborsClassifier", metric="haversine", algorithm="ball_tree")
    assert (ours.fit(EARTH, labels).predict(EARTH + 0.01) == theirs.fit(EARTH, labels).predict(EARTH + 0.01)).all()


def test_other_ball_trees():
    assert isinstance(BallTree(POINTS, metric="canberra"), sklearn.neighbors.BallTree)
    assert (BallTree(POINTS).query(QUERIES, 3)[1] == KDTree(POINTS).query(QUERIES, 3)[1]).all()
    assert (BallTree(POINTS, metric="manhattan").query(QUERIES, 3)[1] == KDTree(POINTS, metric="l1").query(QUERIES, 3)[1]).all()
    with pytest.raises(ValueError, match="2 dimensions"):
        BallTree(POINTS, metric="haversine")
    with pytest.raises(ValueError, match="dimension"):
        BallTree(EARTH, metric="haversine").query(POINTS)
    with pytest.raises(ValueError, match="k must"):
        BallTree(EARTH, metric="haversine").query(EARTH, 401)
