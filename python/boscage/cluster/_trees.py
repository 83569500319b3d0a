"""The trees of HDBSCAN, with the methods of the hdbscan package."""

from __future__ import annotations

from typing import Any

import numpy as np

MERGES = np.dtype([("left_node", np.intp), ("right_node", np.intp), ("value", "f8"), ("cluster_size", np.intp)])
CONDENSED = np.dtype([("parent", np.intp), ("child", np.intp), ("lambda_val", "f8"), ("child_size", np.intp)])
# The layout of bosc_hdbscan_cluster in the C library.
WORDS, DOUBLES = ("parent", "label", "points"), ("birth", "death", "stability")
CLUSTERS = np.dtype([(name, "i8") for name in WORDS] + [(name, "f8") for name in DOUBLES])


def merges_of(z: np.ndarray) -> np.ndarray:
    """A dendrogram in scipy's form as scikit-learn's array of records."""
    merges = np.empty(len(z), MERGES)
    for column, name in enumerate(MERGES.names):
        merges[name] = z[:, column]
    return merges


def dendrogram_of(merges: np.ndarray) -> np.ndarray:
    """The same in scipy's form."""
    return np.stack([merges[name].astype(np.float64) for name in MERGES.names], axis=1)


class CondensedTree:
    """The condensed tree: points leave clusters, and clusters are split.

    Rows are grouped by parents. Points are 0 to n - 1, clusters are n and more: the root is n.
    """

    def __init__(self, leaves: np.ndarray, densities: np.ndarray, clusters: np.ndarray):
        n, below = len(leaves), clusters[1:]
        rows = np.empty(n + len(below), CONDENSED)
        rows["parent"] = n + np.concatenate([leaves, below["parent"]])
        rows["child"] = np.arange(len(rows))
        rows["child"][n:] += 1  # the root is no child
        rows["lambda_val"] = np.concatenate([densities, below["birth"]])
        rows["child_size"] = np.concatenate([np.ones(n, np.intp), below["points"]])
        self._rows = rows[np.argsort(rows["parent"], kind="stable")]

    def to_numpy(self) -> np.ndarray:
        """The rows: parent, child, lambda_val (the density: 1 / distance) and child_size."""
        return self._rows.copy()

    def to_pandas(self) -> Any:
        """The rows as a data frame of pandas."""
        from pandas import DataFrame

        return DataFrame(self._rows)


class SingleLinkageTree:
    """The dendrogram under mutual reachability."""

    def __init__(self, merges: np.ndarray):
        self._merges = merges

    def to_numpy(self) -> np.ndarray:
        """The merges in scipy's form."""
        return dendrogram_of(self._merges)

    def to_pandas(self) -> Any:
        """The merges as a data frame of pandas: parent, left_child, right_child, distance and size."""
        from pandas import DataFrame

        count = len(self._merges)
        columns = [np.arange(count + 1, 2 * count + 1)] + [self._merges[name] for name in MERGES.names]
        return DataFrame(dict(zip(("parent", "left_child", "right_child", "distance", "size"), columns)))

    def get_clusters(self, cut_distance: float, min_cluster_size: int = 5) -> np.ndarray:
        """Labels of the clusters at a distance; smaller clusters are noise, -1."""
        from .hierarchy import cut

        labels = cut(self.to_numpy(), cut_distance)
        large = np.bincount(labels, minlength=1) >= min_cluster_size
        return np.where(large, np.cumsum(large) - 1, -1)[labels]


class MinimumSpanningTree:
    """The minimum spanning tree under mutual reachability."""

    def __init__(self, pairs: np.ndarray, lengths: np.ndarray):
        self._pairs, self._lengths = pairs, lengths

    def to_numpy(self) -> np.ndarray:
        """The edges: two rows of points, and their distance."""
        return np.column_stack([self._pairs.astype(np.float64), self._lengths])

    def to_pandas(self) -> Any:
        """The edges as a data frame of pandas: from, to and distance."""
        from pandas import DataFrame

        return DataFrame({"from": self._pairs[:, 0], "to": self._pairs[:, 1], "distance": self._lengths})
