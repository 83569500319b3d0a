"""Meshes of planets, and pools of bisectors."""

import pickle

import numpy as np
import pytest

from boscage.bisectors import Bisectors
from boscage.planet import Planet
from boscage.terrain import Camera

RELIEF = (np.random.default_rng(0).random((45, 90)) * 3000).astype(np.float32)


def edges_of(triangles):
    return np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]).astype(np.int64)


def assert_closed(vertices, triangles):
    """Each edge comes once in each direction, and Euler's relation holds."""
    edges = edges_of(triangles)
    keys = np.sort(edges[:, 0] * 2**32 + edges[:, 1])
    assert (np.diff(keys) > 0).all() and (np.sort(edges[:, 1] * 2**32 + edges[:, 0]) == keys).all()
    assert len(vertices) - len(triangles) * 3 // 2 + len(triangles) == 2


def test_error_bound():
    planet = Planet(RELIEF, 1e6)
    for error in (2500.0, 1000.0):
        planet.select(error)
        vertices, triangles, normals = planet.mesh(normals=True)
        assert_closed(vertices, triangles)
        assert planet.measure()["max_error"] <= error
        outward = np.einsum("ij,ij->i", normals, vertices) > 0
        assert outward.mean() > 0.9 and np.allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-5)
    count = len(triangles)
    planet.select(triangles=count // 2)
    assert len(planet.mesh()[1]) <= count // 2
    assert planet.info["triangles"] == len(planet.nodes())
    planet.update(np.full(planet.info["triangles"], 1))
    assert_closed(*planet.mesh())


def test_cameras_and_origins():
    planet = Planet(RELIEF, 1e6, detail_amplitude=10.0)
    camera = planet.camera(10.0, 20.0, 500.0, heading=45.0, pitch=-10.0, pixels=4.0, cull=True)
    assert isinstance(camera, Camera) and camera.pixels == 4.0
    planet.select(camera=camera)
    vertices, triangles = planet.mesh()
    assert_closed(vertices, triangles)
    near, _ = planet.mesh(origin=camera.position)
    assert near.dtype == np.float32 and np.allclose(near + camera.position, vertices, atol=1.0)
    below = np.linalg.norm(camera.position) - 1e6 - 500
    assert np.isclose(planet.heights(10.0, 20.0), below, atol=1e-3)
    assert planet.heights([[0, 1], [2, 3]], 5).shape == (2, 2)


def test_insets_and_copies():
    planet = Planet(np.zeros((45, 90)), 1e6)
    planet.add_inset(np.full((64, 64), 900.0), [10, 10, 20, 20])
    assert planet.heights(15, 15) == 900 and planet.heights(-15, 15) == 0 and planet.info["insets"] == 1
    planet.select(300)
    again = pickle.loads(pickle.dumps(planet))
    assert (again.mesh()[0] == planet.mesh()[0]).all() and again.heights(15, 15) == 900
    planet.rebuild(RELIEF)
    assert planet.info["insets"] == 0 and planet.info["high"] == RELIEF.max()


def test_planets_that_are_refused():
    for bad in (
        lambda: Planet(np.zeros(5)),
        lambda: Planet([[np.nan]]),
        lambda: Planet(RELIEF, -1.0),
        lambda: Planet(RELIEF, depth=61),
        lambda: Planet(RELIEF, 1e6).add_inset(RELIEF, [0, 1, 2]),
        lambda: Planet(RELIEF, 1e6).add_inset(RELIEF, [5, 5, 1, 9]),
        lambda: Planet(RELIEF, 1e6).mesh(origin=[1, 2]),
        lambda: Planet(RELIEF, 1e6).select(-1.0),
    ):
        with pytest.raises(ValueError):
            bad()


def area(corners):
    a, b = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    return np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum() / 2


def test_bisectors():
    pool = Bisectors([[3, -1, -1], [0, -1, -1]], depth=40)
    rng = np.random.default_rng(1)
    for _ in range(12):
        pool.update(rng.integers(0, 3, len(pool)))
        roots, corners = pool.corners()
        assert area(corners[roots == 0]) == area(corners[roots == 1]) == 0.5
        near = pool.neighbours()
        leaves, sides = np.nonzero(near >= 0)
        other = near[leaves, sides]
        assert (near[other // 3, other % 3] == 3 * leaves + sides).all()
        centers = corners.mean(axis=1)
        assert (pool.locate(roots, centers) == np.arange(len(pool))).all()
        assert (pool.leaves_of(pool.nodes()) == np.arange(len(pool))).all()
    assert 0 < pool.deepest <= pool.depth == 40
    again = pickle.loads(pickle.dumps(pool))
    assert (again.nodes() == pool.nodes()).all()
    nodes = pool.nodes()
    pool.reset(3)
    assert len(pool) == 16 and pool.leaves_of(nodes[:1]).tolist() == [-1] or 16 <= nodes[0] < 32
    pool.set_nodes(nodes)
    assert (pool.nodes() == nodes).all()
    with pytest.raises(ValueError):
        pool.set_nodes(nodes[1:])


def test_commands_by_node_and_sources():
    pool = Bisectors(level=2)
    pool.split([5])
    sources = pool.update(return_sources=True)
    assert len(sources) == len(pool) > 4 and set(sources.tolist()) == {0, 1, 2, 3}
    pool.merge(pool.nodes())
    pool.update()
    assert len(pool) < len(sources)


def test_sources_of_many_splits():
    rng, pool = np.random.default_rng(3), Bisectors([[3, -1, -1], [0, -1, -1]])
    for _ in range(12):
        before = pool.nodes()
        pool.split(rng.choice(before, len(before) // 2 + 1))
        sources = pool.update(rng.integers(0, 3, len(before)), return_sources=True)
        after = pool.nodes()
        assert len(sources) == len(after) and sources.min() >= 0
        old = before[sources].tolist()
        assert all(x in (y, y >> 1) or y == x >> (x.bit_length() - y.bit_length()) for x, y in zip(after.tolist(), old))
    assert pool.deepest > 6


def test_pools_that_are_refused():
    for bad in (
        lambda: Bisectors(depth=61),
        lambda: Bisectors(depth=3, level=4),
        lambda: Bisectors([[0, 1, 5]]),
        lambda: Bisectors([[1, 2]]),
        lambda: Bisectors().locate([0, 0], [[0.1, 0.1]]),
    ):
        with pytest.raises(ValueError):
            bad()
