"""Clusters by single linkage: shapes that k-means cannot separate, from a Euclidean spanning tree."""

import sys

import numpy as np
from scipy.cluster.hierarchy import fcluster

from boscage.cluster.hierarchy import linkage


def shapes(n, rng):
    """Two rings, one inside the other, and two moons."""
    angle = rng.uniform(0, 2 * np.pi, n)
    which = rng.integers(0, 4, n)
    radius = np.array([1.0, 0.4, 0.8, 0.8])[which]
    angle = np.where(which == 2, angle / 2, np.where(which == 3, np.pi + angle / 2, angle))
    centre = np.array([[0, 0], [0, 0], [2.4, -0.2], [3.2, 0.2]])[which]
    return centre + radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], 1) + rng.normal(0, 0.03, (n, 2)), which


def main(picture="single_linkage.png", n=10_000):
    points, truth = shapes(n, np.random.default_rng(2))
    labels = fcluster(linkage(points), 4, "maxclust")
    pure = sum(np.bincount(truth[labels == label]).max() for label in np.unique(labels))
    print(f"{n} points in {len(np.unique(labels))} clusters; {pure} are with their own kind")

    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4))
    axes.scatter(*points.T, c=labels, s=2, cmap="tab10")
    axes.set_aspect("equal")
    axes.set_axis_off()
    figure.savefig(picture, dpi=110, bbox_inches="tight")
    return pure / n


if __name__ == "__main__":
    main(*sys.argv[1:2])
