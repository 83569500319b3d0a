"""Models in scenes, collisions of meshes, cells between planes, and routes of rotations."""

import itertools
import pickle

import numpy as np
import pytest
import scipy.optimize

from boscage._where import Place
from boscage.arrangement import Arrangement
from boscage.collision import CollisionDetector, colliding_pairs
from boscage.geometric import GeometricHash, find_transform
from boscage.planner import Bodies, Planner, box

RNG = np.random.default_rng(7)


# --- geometric hashing ------------------------------------------------------------------------------------------------


def rotation(dim, seed):
    q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(dim, dim)))
    return q * np.append(np.sign(np.linalg.det(q)), np.ones(dim - 1))


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("kind", ["similarity", "rigid", "affine"])
def test_a_model_among_others(dim, kind):
    model = np.random.default_rng(1).random((40, dim))
    linear = rotation(dim, 2) * (1 if kind == "rigid" else 2.5)
    if kind == "affine":
        linear = linear @ (np.eye(dim) + np.triu(np.full((dim, dim), 0.3), 1))
    seen = np.random.default_rng(3).permutation(40)[:30]
    noise = np.random.default_rng(4).random((15, dim)) * 3
    scene = np.concatenate([noise, model[seen] @ linear.T + 1])
    match = GeometricHash(model, kind, seed=5).find(scene)
    assert match.found and match.inliers >= 30
    assert np.allclose(match.transform[:, :dim], linear, atol=0.02) and np.allclose(match.transform[:, dim], 1, atol=0.02)
    assert (match.rows[seen] == 15 + np.arange(30)).all()
    assert np.allclose(match.apply(model[seen]), scene[15:], atol=0.02)


def test_many_models():
    models = [RNG.random((n, 2)) for n in (12, 30, 20)]
    scene = np.concatenate([models[2] @ rotation(2, 1) + 5, models[0] * 2 - 3])
    table = GeometricHash(models)
    found = table.find_all(scene)
    assert sorted(match.model for match in found) == [0, 2] and len(table) == 3
    for match in found:
        assert len(match.rows) == len(models[match.model]) and match.inliers == len(match.rows)
    with pytest.raises(ValueError, match="most"):
        table.find_all(scene, 0)
    assert not GeometricHash(models, min_fraction=0.9).find(RNG.random((50, 2)) * 100).found
    table.rebuild(models[1])
    assert table.find(models[1]).inliers == 30
    twice = GeometricHash(models[1], instances=True).find_all(np.concatenate([models[1], models[1] + 10]))
    assert [match.model for match in twice] == [0, 0]
    assert sorted(np.concatenate([match.rows for match in twice]).tolist()) == list(range(60))


def test_transforms():
    stars = RNG.random((50, 2))
    assert find_transform(stars, stars * 3).inliers == 50
    with pytest.raises(ValueError, match="target"):
        find_transform(stars, RNG.random((50, 2)))
    for bad in (lambda: GeometricHash(stars, "mirror"), lambda: GeometricHash(stars[:, :1]), lambda: GeometricHash([])):
        with pytest.raises(ValueError, match="kind|models"):
            bad()
    with pytest.raises(ValueError, match="scene"):
        GeometricHash(stars).find(np.zeros((4, 3)))


# --- collisions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["rigid", "similarity", "affine"])
def test_transforms_of_tiny_points(kind):
    stars = RNG.random((40, 2))
    turned = stars @ [[0, 1], [-1, 0]] + [3, 4]
    small = find_transform(stars * 2.0**-190, turned * 2.0**-190, kind)
    np.testing.assert_allclose(small.transform[:, :2], [[0, -1], [1, 0]], atol=1e-9)
    with pytest.raises(ValueError, match="points: the largest coordinate is .*, less than 1e-60"):
        find_transform(stars * 1e-100, turned * 1e-100, kind)


def touch(a, b):
    """True if two triangles have a common point: by a linear program over convex combinations."""
    equal = np.zeros((5, 6))
    equal[:3, :3], equal[:3, 3:] = a.T, -b.T
    equal[3, :3] = equal[4, 3:] = 1
    return scipy.optimize.linprog(np.zeros(6), A_eq=equal, b_eq=[0, 0, 0, 1, 1], bounds=(0, 1)).status == 0


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_collisions(dtype):
    a, b = (np.random.default_rng(k).random((30, 3)).astype(dtype) for k in (1, 2))
    faces = np.arange(30).reshape(10, 3)
    want = [[i, j] for i, j in itertools.product(range(10), range(10)) if touch(a[faces[i]], b[faces[j]])]
    assert 0 < len(want) < 100
    assert colliding_pairs((a, faces), (b, faces)).tolist() == want
    detector = CollisionDetector(dtype)
    assert detector.update((a, faces), (b, faces)) == len(want)
    offsets, ids = detector.rows()
    assert [[i, j] for i in range(10) for j in ids[offsets[i] : offsets[i + 1]]] == want
    moved = np.column_stack([np.eye(3), [0.3, 0.1, 0.0]])
    assert detector.update((a, faces), (b, faces), b_transform=moved) == len(
        colliding_pairs((a.astype(float), faces), (b.astype(float) + moved[:, 3], faces))
    )
    square = np.vstack([moved, [0, 0, 0, 1]])
    assert detector.update((a, faces), (b, faces), a_transform=square, b_transform=moved) > 0


def test_a_failed_update_on_another_device(monkeypatch):
    """The detector then names the device that its memory is on."""
    detector = CollisionDetector()
    other = Place("cpu", 1)
    monkeypatch.setattr("boscage.collision.place_for", lambda *_: other)
    monkeypatch.setattr(detector, "_make", lambda place: detector._handle)
    mesh = np.full((3, 3), np.nan), [[0, 1, 2]]
    with pytest.raises(ValueError):
        detector.update(mesh, mesh)
    assert detector._place == other


def test_meshes_with_faces():
    class Mesh:
        vertices = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
        faces = np.array([[0, 1, 2]])

    assert colliding_pairs(Mesh(), Mesh()).tolist() == [[0, 0]]
    for bad, error in (
        ((Mesh.vertices, [[0, 1, 9]]), ValueError),
        ((Mesh.vertices, [[0, 1]]), ValueError),
        ((Mesh.vertices, [[0.5, 1, 2]]), TypeError),
        ((Mesh.vertices[:, :2], [[0, 1, 2]]), ValueError),
        (3, TypeError),
    ):
        with pytest.raises(error):
            colliding_pairs(Mesh(), bad)
    with pytest.raises(ValueError, match="b_transform"):
        colliding_pairs(Mesh(), Mesh(), b_transform=np.eye(3))


# --- arrangements -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "dim"), [(1, 1), (6, 1), (7, 2), (5, 3)])
def test_cells_between_planes(n, dim):
    planes = np.random.default_rng(n).normal(size=(n, dim + 1))
    cells = Arrangement(planes)
    binomials = [1, n, n * (n - 1) // 2, n * (n - 1) * (n - 2) // 6]
    assert cells.cells == sum(binomials[: dim + 1]) == len(cells) and cells.rank == min(n, dim)
    points = np.random.default_rng(1).normal(size=(500, dim)) * 3
    found = cells.locate(points)
    assert (found >= 0).all()
    assert (cells.vectors()[found] == (points @ planes[:, :dim].T + planes[:, dim] > 0)).all()
    assert cells.n_edges == cells.walls and cells.components()[0] == 1
    again = pickle.loads(pickle.dumps(cells))
    assert cells.__reduce__()[1][1] == "cpu" == str(again._place)  # the device is pickled too
    assert again.cells == cells.cells and f"of {n} planes, {len(cells)} cells" in repr(again) and (again.locate(points) == found).all()


def test_planes_are_a_copy():
    planes = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    cells = Arrangement(planes)
    found = cells.locate([[1.0, 1.0], [-1.0, 1.0]]).tolist()
    assert cells.locate([[np.nan, 1.0], [1.0, 1.0]]).tolist() == [-1, found[0]]
    planes[:] = -1
    assert cells.locate([[1.0, 1.0], [-1.0, 1.0]]).tolist() == found
    with pytest.raises(ValueError):
        cells.planes[0] = 3


def test_planes_that_are_refused():
    for bad in ([[1.0, 0.0], [2.0, 0.0]], [[0.0, 1.0]], [[1.0]], [], [[1.0, 0, 0, 0, 0]]):
        with pytest.raises(ValueError):
            Arrangement(bad)


# --- planning ---------------------------------------------------------------------------------------------------------


def slerp(p, q, t):
    p, q = p / np.linalg.norm(p), q / np.linalg.norm(q)
    if p @ q < 0:
        q = -q
    angle = np.arccos(min(p @ q, 1.0))
    return p if angle < 1e-9 else (np.sin((1 - t) * angle) * p + np.sin(t * angle) * q) / np.sin(angle)


def test_routes():
    arm, post = box([0, -0.05, -0.05], [1, 0.05, 0.05]), box([0.5, 0.3, -0.2], [0.8, 0.4, 0.2])
    planner = Planner(arm, [post, box([-0.8, -0.4, -0.2], [-0.5, -0.3, 0.2])])
    assert planner.info["obstacle_bodies"] == 2 and planner.info["cells"] > 0
    route = planner.route([1, 0, 0, 0], [0, 0, 0, 1])
    assert route.outcome == "certified" and route.certified.all() and route.angle > 3
    turns = [slerp(p, q, t) for p, q in zip(route.rotations, route.rotations[1:]) for t in np.linspace(0, 1, 20)]
    assert not planner.collides(turns).any()
    certified, fractions = planner.certify(route.rotations)
    assert certified.all() and (fractions == -1).all()
    hit = [np.cos(0.25), 0, 0, np.sin(0.25)]
    assert planner.collides([hit]).all() and planner.route(hit, [1, 0, 0, 0]).outcome == "start collides"
    assert planner.route([1, 0, 0, 0], hit).outcome == "goal collides"
    certified, fractions = planner.certify([[1, 0, 0, 0], [np.cos(0.6), 0, 0, np.sin(0.6)]])
    assert not certified.any() and (fractions >= 0).all()
    rotations, free, components = planner.cells()
    assert (planner.collides(rotations) == ~free).all() and ((components >= 0) == free).all()
    assert (planner.locate(rotations[:5]) == np.arange(5)).all()
    before = planner.info["rows"]
    planner.add([[1.0, 2.0, 3.0, 4.0]])
    assert planner.info["rows"] == before + 1


def test_balls_and_triangles():
    planner = Planner(Bodies(balls=[[1, 0, 0, 0.2]]), Bodies(balls=[[0, 1, 0, 0.2]]))
    quarter = [np.sqrt(0.5), 0, 0, np.sqrt(0.5)]
    assert planner.collides([quarter, [1, 0, 0, 0]]).tolist() == [True, False]
    planner.rebuild(
        Bodies([[0.5, 0, 0], [1, 0, 0], [1, 0.1, 0]], [[0, 1, 2]]), Bodies([[0, 0.7, -1], [0, 0.7, 1], [0.1, 0.8, 1]], [[0, 1, 2]])
    )
    assert planner.collides([quarter, [1, 0, 0, 0]]).tolist() == [True, False]
    joined = Bodies(balls=[[1, 0, 0, 1]]).union(Bodies(balls=[[2, 0, 0, 1]]))
    assert len(joined.balls) == 2


def test_scenes_that_are_refused():
    arm = box([0, 0, 0], [1, 1, 1])
    for bad in (
        lambda: Planner(arm, Bodies(balls=[[0, 0, 0, 1]])),
        lambda: Planner(arm, Bodies([[0, 0, 0]], [[0, 1, 2]])),
        lambda: Planner(arm, Bodies([[0, 0]])),
        lambda: Planner(arm, arm, sampling="grid"),
        lambda: Planner(arm, arm).route([0, 0, 0, 0], [1, 0, 0, 0]),
        lambda: Planner(arm, arm).route([1, 0, 0], [1, 0, 0]),
        lambda: Planner(arm, Bodies(arm.vertices, solids=[[[0, 1, 2]]])),
    ):
        with pytest.raises(ValueError):
            bad()
    with pytest.raises(TypeError):
        Planner(arm, [3])
    with pytest.raises(ValueError, match="start, goal"):
        Planner(arm, Bodies()).route([], [])
    with pytest.raises(TypeError, match="rotations: an array with missing"):
        Planner(arm, Bodies()).collides(np.ma.masked_array(np.ones((2, 4)), [[True] * 4, [False] * 4]))
    with pytest.raises(TypeError, match="solids"):
        Planner(arm, arm._replace(solids=[[[0, 1, 2.5]]]))


@pytest.mark.parametrize("corner", [-1, 3])
def test_a_union_of_bodies_with_vertices_of_others(corner):
    corners = np.eye(3)
    for bad in (Bodies(corners, triangles=[[0, 1, corner]]), Bodies(corners, solids=[[[0, 1, corner]]])):
        with pytest.raises(ValueError, match="triangles|solids"):
            box([0, 0, 0], [1, 1, 1]).union(bad, bad)
