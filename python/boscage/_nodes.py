"""The nodes of a k-d tree with scipy's interface, created on first access. Searches do not use them."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np


class cKDTreeNode:
    """A node: a leaf of at most `leafsize` points, or a set of points that a coordinate separates from its sibling.

    Attributes
    ----------
    level : int
        Depth of the node; 0 for the root.
    split_dim : int
        Coordinate that the node is split by; -1 for a leaf.
    split : float
        Points of `greater` have at least this value there, those of `lesser` less.
    children : int
        Number of points.
    indices, data_points : numpy.ndarray
        Their rows, and the points themselves.
    lesser, greater : cKDTreeNode or None
        The two sides.
    """

    def __init__(self, data: Any = None, indices: Any = None, leafsize: int = 1, level: int = 0, start: int = 0):
        self.level = level
        self.split_dim = -1
        self.split = 0.0
        self.lesser: Optional[cKDTreeNode] = None
        self.greater: Optional[cKDTreeNode] = None
        self.start_idx = start
        self._data = np.empty((0, 1)) if data is None else data
        self.indices = np.empty(0, np.intp) if indices is None else indices
        self.end_idx = start + len(self.indices)
        if len(self.indices) > leafsize:
            self._cut(leafsize)

    @property
    def children(self) -> int:
        return len(self.indices)

    @property
    def data_points(self) -> np.ndarray:
        return self._data[self.indices]

    def _cut(self, leafsize: int) -> None:
        points = self.data_points
        widths = points.max(axis=0) - points.min(axis=0)
        dim = int(widths.argmax())
        if not widths[dim] > 0:
            return
        values = points[:, dim]
        split = np.partition(values, len(values) // 2)[len(values) // 2]
        if split == values.min():  # equal values stay together
            split = values[values > split].min()
        less = values < split
        self.split_dim, self.split = dim, float(split)
        first, second = self.indices[less], self.indices[~less]
        self.indices = np.concatenate([first, second])
        self.lesser = cKDTreeNode(self._data, first, leafsize, self.level + 1, self.start_idx)
        self.greater = cKDTreeNode(self._data, second, leafsize, self.level + 1, self.start_idx + len(first))

    def walk(self) -> Any:
        """This node and all below it, the lesser side first."""
        yield self
        if self.lesser is not None and self.greater is not None:
            yield from self.lesser.walk()
            yield from self.greater.walk()


class node:
    """A node as `KDTree.tree` shows it."""

    @staticmethod
    def _create(of: Optional[cKDTreeNode] = None) -> "node":
        if of is None:
            return node()
        return leafnode(of) if of.split_dim == -1 else innernode(of)

    def __init__(self, of: Optional[cKDTreeNode] = None):
        self._node = cKDTreeNode() if of is None else of

    def __lt__(self, other: object) -> bool:
        return id(self) < id(other)

    def __gt__(self, other: object) -> bool:
        return id(self) > id(other)

    def __le__(self, other: object) -> bool:
        return id(self) <= id(other)

    def __ge__(self, other: object) -> bool:
        return id(self) >= id(other)

    @property
    def children(self) -> int:
        return self._node.children


class leafnode(node):
    @property
    def idx(self) -> np.ndarray:
        return self._node.indices


class innernode(node):
    def __init__(self, of: cKDTreeNode):
        super().__init__(of)
        self.less = node._create(of.lesser)
        self.greater = node._create(of.greater)

    @property
    def split_dim(self) -> int:
        return self._node.split_dim

    @property
    def split(self) -> float:
        return self._node.split
