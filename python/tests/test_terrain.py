"""Terrains and concurrent binary trees."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boscage.terrain import Camera, ConcurrentBinaryTree, Terrain


def heights(rows, columns, seed=0):
    return np.random.default_rng(seed).random((rows, columns)).cumsum(0).cumsum(1).astype(np.float32) % 7


def on_plane(p, a, b, c):
    """Barycentric coordinates of p, and the height of the triangle there."""
    m = np.array([b[:2] - a[:2], c[:2] - a[:2]]).T
    s, t = np.linalg.solve(m, p - a[:2])
    return (s, t, 1 - s - t), a[2] + s * (b[2] - a[2]) + t * (c[2] - a[2])


@given(st.integers(2, 12), st.integers(2, 12), st.floats(0, 4), st.integers(0, 1000))
def test_error_bound_and_coverage(rows, columns, error, seed):
    raster = heights(rows, columns, seed)
    terrain = Terrain(raster)
    terrain.select(error=error)
    vertices, triangles = terrain.mesh()
    points = vertices[triangles].astype(float)
    (ax, ay, _), (bx, by, _), (cx, cy, _) = points.transpose(1, 2, 0)
    area = ((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)) / 2
    assert (area > 0).all() and np.isclose(area.sum(), (rows - 1) * (columns - 1))
    assert terrain.measure()["max_error"] <= error * (1 + 1e-6)
    where = np.array([(x, y) for y in range(rows) for x in range(columns)], float)
    leaves, found = terrain.locate(where)
    assert (leaves >= 0).all() and np.abs(found - raster.ravel()).max() <= error * (1 + 1e-6) + 1e-5
    if error == 0:
        assert np.allclose(found, raster.ravel(), atol=1e-5)


def test_goals():
    terrain = Terrain(heights(65, 65), spacing=2.0)
    terrain.select(triangles=300)
    stats = terrain.measure()
    assert 0 < stats["triangles"] <= 300
    terrain.select(regions=[(0, 0, 20, 20, 0.0)])
    inside = np.array([(x, y) for y in range(0, 20, 2) for x in range(0, 20, 2)], float)
    assert np.allclose(terrain.locate(inside)[1], terrain.heights[:10, :10].ravel(), atol=1e-5)
    terrain.select(camera=Camera((0, 0, 5), (1, 1, -0.5), pixels=2))
    near, far = terrain.locate([[1.0, 1.0]])[0], terrain.locate([[126.0, 126.0]])[0]
    nodes = terrain.leaves()
    assert nodes[near[0]] >= nodes[far[0]]
    vertices, normals, triangles = terrain.mesh(normals=True)
    assert np.allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-5) and triangles.max() == len(vertices) - 1
    corners = terrain.corners()
    assert corners.shape == (len(nodes), 3) and corners.max() < 65 * 65
    beside = terrain.neighbours(np.arange(len(nodes)))
    for edge in range(3):
        here = np.flatnonzero(beside[:, edge] >= 0)
        assert (beside[beside[here, edge]] == here[:, None]).any(axis=1).all()


@st.composite
def histories(draw):
    depth = draw(st.integers(1, 8))
    return depth, draw(st.lists(st.lists(st.integers(0, 2), max_size=40), max_size=6))


@given(histories())
def test_cbt_against_a_set_of_nodes(history):
    depth, rounds = history
    tree, leaves = ConcurrentBinaryTree(depth), [1]
    for commands in rounds:
        commands = (commands + [0] * len(leaves))[: len(leaves)]
        command = dict(zip(leaves, commands))
        new = []
        for leaf in leaves:
            if command[leaf] == 1 and leaf.bit_length() <= depth:
                new += [2 * leaf, 2 * leaf + 1]
            elif (
                leaf > 1
                and 1 not in (command[leaf], command.get(leaf ^ 1))
                and leaf ^ 1 in command
                and 2 in (command[leaf], command[leaf ^ 1])
            ):
                new += [leaf // 2] if leaf % 2 == 0 else []
            else:
                new.append(leaf)
        old = len(leaves)
        leaves = new
        sources = tree.update(np.array(commands))
        assert len(sources) == len(leaves) and (sources < old).all()
        assert tree.leaves().tolist() == leaves and len(tree) == len(leaves)
    assert tree.find(leaves).tolist() == list(range(len(leaves))) and tree.find([2 ** (depth + 1)]).tolist() == [-1]
    assert tree.count([1]).tolist() == [len(leaves)]
    other = ConcurrentBinaryTree(depth)
    other.bits = tree.bits
    assert other.leaves().tolist() == leaves


@pytest.mark.parametrize(
    "make",
    [
        lambda: Terrain([1.0, 2.0]),
        lambda: Terrain([[1.0]]),
        lambda: Terrain([[0.0, np.nan], [0.0, 0.0]]),
        lambda: Terrain([[0.0, 1], [1, 0]], spacing=-1),
        lambda: Terrain([[0.0, 1], [1, 0]]).select(error=-1),
        lambda: Terrain([[0.0, 1], [1, 0]]).select(error=np.nan),
        lambda: Terrain([[0.0, 1], [1, 0]]).locate([1.0, 2.0]),
        lambda: ConcurrentBinaryTree(99),
        lambda: ConcurrentBinaryTree(3, 4),
        lambda: ConcurrentBinaryTree(-1),
        lambda: setattr(ConcurrentBinaryTree(3), "bits", [2]),
        lambda: Terrain([[0.0, 1], [1, 0]]).select(regions=[(0, 0, 1, 1, -1)]),
    ],
)
def test_bad_input(make):
    with pytest.raises((ValueError, TypeError)):
        make()


def test_heights_beyond_float32_are_named():
    heights = np.zeros((3, 3))
    heights[2, 1] = -1e300
    with pytest.raises(ValueError, match="heights: row 2, column 1 is -1e\\+300, beyond float32"):
        Terrain(heights)
    heights[2, 1] = np.inf
    with pytest.raises(ValueError, match="row 2, column 1 is infinite"):
        Terrain(heights)
    for shape in ((3,), (3, 3, 3)):
        with pytest.raises(ValueError, match="not an array of two dimensions"):
            Terrain(np.full(shape, 1e300))
