"""Nearest neighbours of a scan: normals of a surface measured with noise, from the neighbours of each point."""

import sys

import numpy as np

from boscage.spatial import KDTree


def scan(n, rng):
    """Points on a torus, and its normals there."""
    a, b = rng.uniform(0, 2 * np.pi, (2, n))
    normal = np.stack([np.cos(a) * np.cos(b), np.sin(a) * np.cos(b), np.sin(b)], axis=1)
    centre = np.stack([np.cos(a), np.sin(a), np.zeros(n)], axis=1)
    return centre + 0.4 * normal + rng.normal(0, 0.003, (n, 3)), normal


def visible(points, normals, view):
    """True for points that face the viewer and have no part of the torus before them."""
    steps = np.linspace(0.1, 3, 60)[:, None]
    before = points[:, None] + steps * view
    x, y, z = before[..., 0], before[..., 1], before[..., 2]
    return (normals @ view > 0) & (np.hypot(np.hypot(x, y) - 1, z) > 0.39).all(axis=1)


def main(picture="scan_neighbours.png", n=20_000):
    points, normals = scan(n, np.random.default_rng(1))
    tree = KDTree(points)
    _, near = tree.query(points, k=24)
    around = points[near] - points[near].mean(axis=1, keepdims=True)
    found = np.linalg.eigh(around.transpose(0, 2, 1) @ around)[1][:, :, 0]  # the direction in which they spread least
    right = np.abs((found * normals).sum(axis=1))
    print(f"{n} points; the median normal is off by {np.degrees(np.arccos(min(np.median(right), 1))):.1f} degrees")

    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    light = np.clip(found * np.sign(found[:, 2:]) @ [0.3, 0.3, 0.9], 0, 1)
    figure = plt.figure(figsize=(6, 5))
    axes = figure.add_subplot(projection="3d", box_aspect=(1, 1, 0.3))
    seen = visible(points, normals, np.array([0.43, -0.75, 0.5]))  # others would show through gaps
    axes.scatter(*points[seen].T, c=light[seen], s=30, cmap="gray", alpha=1)
    axes.set_axis_off()
    figure.savefig(picture, dpi=110, bbox_inches="tight")
    return float(np.median(right))


if __name__ == "__main__":
    main(*sys.argv[1:2])
