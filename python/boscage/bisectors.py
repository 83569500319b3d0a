"""Pools of bisectors: triangle meshes refined by longest-edge bisection to level 60, without cracks."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _core
from ._arrays import NUMPY, place_for, raw, space_of
from ._convert import integers, reals
from ._locks import reading, writing
from ._numbers import whole
from ._where import where

__all__ = ["Bisectors"]

KEEP, SPLIT, MERGE = 0, 1, 2


class Bisectors:
    """The leaves of binary trees of triangles, one tree for each triangle of a mesh, that always conform.

    Nodes are numbered as in a heap: root r is node R + r, with R the least power of 2 that is not less than the number
    of roots; 2 k and 2 k + 1 are the children of k.

    Parameters
    ----------
    glued : array_like of int, shape (roots, 3), optional
        ``3 s + f`` where edge e of root r is glued to edge f of root s; -1 on the border. Edge 0 is the base, which is
        split. Default: one root with three borders.
    depth : int
        The deepest level, 60 at most.
    level : int
        The first leaves are the nodes of this level.
    device : str, optional
        As that of `boscage.spatial.cKDTree`.

    Examples
    --------
    >>> import numpy as np
    >>> from boscage.bisectors import Bisectors
    >>> square = Bisectors([[3, -1, -1], [0, -1, -1]])    # two triangles with a common base
    >>> square.split([2])
    >>> square.update()
    >>> square.nodes()
    array([4, 5, 6, 7], dtype=uint64)
    >>> square.corners()[1][0]
    array([[0. , 1. ],
           [0. , 0. ],
           [0.5, 0. ]])
    """

    def __init__(self, glued: Any = None, depth: int = 60, level: int = 0, *, device: Any = None):
        if glued is not None:
            glued = integers(glued, "int64", NUMPY, "glued")
            if glued.ndim != 2 or glued.shape[1] != 3 or not len(glued):
                raise ValueError("glued: not rows of 3 edges")
        roots = 1 if glued is None else len(glued)
        self._place = place_for(NUMPY, device)
        depth, level = whole(depth, "depth", "int32"), whole(level, "level", "int32")
        self._handle = _core.Bisectors(where(self._place), depth, level, glued, roots)

    def _info(self) -> dict[str, Any]:
        return self._handle.info(where(self._place))

    def __len__(self) -> int:
        return self._info()["leaves"]

    @property
    def depth(self) -> int:
        """The deepest level that leaves may have."""
        return self._info()["depth"]

    @property
    def deepest(self) -> int:
        """The level of the deepest leaf."""
        return self._info()["deepest"]

    def reset(self, level: int = 0) -> None:
        """Makes the nodes of a level the leaves."""
        self._handle.reset(where(self._place), whole(level, "level", "int32"))

    def split(self, nodes: Any) -> None:
        """Records splits of leaves, by their nodes; `update` applies them, and others that they need."""
        space = space_of(nodes)
        self._handle.split(where(self._place, space.stream()), integers(nodes, "uint64", space, "nodes"))

    def merge(self, nodes: Any) -> None:
        """Records merges of leaves, by their nodes; `update` applies them where no crack opens."""
        space = space_of(nodes)
        self._handle.merge(where(self._place, space.stream()), integers(nodes, "uint64", space, "nodes"))

    @writing
    def update(self, commands: Any = None, *, return_sources: bool = False) -> Optional[Any]:
        """Applies the recorded commands, and one for each leaf.

        Parameters
        ----------
        commands : array_like of int, optional
            For each leaf 0 (keep), 1 (split) or 2 (merge).
        return_sources : bool
            Returns, for each new leaf, the old leaf that it comes from.

        Returns
        -------
        array of int64, or None

        Examples
        --------
        >>> from boscage.bisectors import Bisectors
        >>> pool = Bisectors(level=1)
        >>> pool.update([1, 0], return_sources=True)
        array([0, 0, 1])
        """
        space = space_of(commands)
        commands = integers([] if commands is None else commands, "uint8", space, "commands")
        at = where(self._place, space.stream())
        if not return_sources:
            self._handle.update(at, commands, None)
            return None
        about = self._info()  # a split of a leaf splits at most 2 more of each level above
        sources = space.empty(2 * about["leaves"] + 4 * (about["deepest"] + 1) * (about["leaves"] + 1), "int64")
        self._handle.update(at, commands, raw(sources))
        return space.give(sources)[: len(self)]

    @reading
    def nodes(self) -> np.ndarray:
        """Lists the nodes of the leaves, in their order."""
        nodes = np.empty(self._info()["leaves"], np.uint64)
        self._handle.decode(where(self._place), 0, nodes)
        return nodes

    def leaves_of(self, nodes: Any) -> Any:
        """Finds the numbers of leaves by their nodes; -1 for a node that is no leaf."""
        space = space_of(nodes)
        nodes = integers(nodes, "uint64", space, "nodes")
        leaves = space.empty(tuple(nodes.shape), "int64")
        self._handle.encode(where(self._place, space.stream()), nodes, raw(leaves))
        return space.give(leaves)

    @reading
    def neighbours(self, leaves: Any = None) -> Any:
        """Finds the neighbours of leaves (default: of all): ``3 n + f`` at edge f of leaf n, -1 on the border."""
        space = space_of(leaves)
        leaves = integers(np.arange(self._info()["leaves"]) if leaves is None else leaves, "int64", space, "leaves")
        out = space.empty((int(leaves.shape[0]), 3), "int64")
        self._handle.neighbours(where(self._place, space.stream()), leaves, raw(out))
        return space.give(out)

    @reading
    def corners(self) -> tuple[np.ndarray, np.ndarray]:
        """Computes the root of each leaf, and its corners v0, v1, v2 as (x, y) in the root, of shape (leaves, 3, 2)."""
        count = self._info()["leaves"]
        roots, corners = np.empty(count, np.int64), np.empty((count, 3, 2))
        self._handle.corners(where(self._place), 0, roots, corners)
        return roots, corners

    def locate(self, roots: Any, points: Any) -> Any:
        """Finds the leaves at points (x, y) of roots; -1 outside.

        roots : array_like of int, shape (n,)
        points : array_like, shape (n, 2)
        """
        space = space_of(points)
        roots, points = integers(roots, "int64", space, "roots"), reals(points, "float64", space, "points")
        if len(points.shape) != 2 or points.shape[1] != 2 or tuple(roots.shape) != (points.shape[0],):
            raise ValueError("points: not rows of 2 coordinates, one for each root")
        leaves = space.empty(int(points.shape[0]), "int64")
        self._handle.locate(where(self._place, space.stream()), roots, points, raw(leaves))
        return space.give(leaves)

    def set_nodes(self, nodes: Any) -> None:
        """Replaces the leaves; a ValueError refuses nodes that leave a gap, or a crack."""
        self._handle.set_nodes(where(self._place), integers(nodes, "uint64", NUMPY, "nodes"))

    def __repr__(self) -> str:
        about = self._info()
        return f"<boscage.Bisectors of {about['leaves']} leaves to level {about['deepest']}, on {self._place}>"

    def __getstate__(self) -> dict[str, Any]:
        return {"device": str(self._place), "pool": self._handle.save(where(self._place))}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._place = place_for(NUMPY, "cpu" if _core.backend_reason("cuda") else state["device"])
        self._handle = _core.Bisectors.load(where(self._place), state["pool"])
