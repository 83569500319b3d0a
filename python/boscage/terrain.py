"""Adaptive triangle meshes of height rasters, and concurrent binary trees."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Sequence

import numpy as np

from . import _core
from ._arrays import NUMPY, Space, place_for, raw, space_of
from ._convert import integers, real_array, reals
from ._locks import reading, writing
from ._numbers import real, whole
from ._where import Progress, place, where

__all__ = ["Camera", "ConcurrentBinaryTree", "Terrain"]

COMMANDS = {"keep": 0, "split": 1, "merge": 2}


class Camera(NamedTuple):
    """Where a terrain is seen from; lengths are in the units of its spacing and heights.

    Attributes
    ----------
    position, direction, up : sequence of 3 floats
    fov : float
        The vertical angle of view in radians.
    pixels : float
        Error allowed on the screen.
    width, height : int
        Of the screen, in pixels.
    cull : bool
        Whatever is surely outside the view is as coarse as possible.
    """

    position: Sequence[float]
    direction: Sequence[float]
    up: Sequence[float] = (0.0, 0.0, 1.0)
    fov: float = 1.0
    pixels: float = 1.0
    width: int = 1920
    height: int = 1080
    cull: bool = False


class Terrain:
    """A raster of heights and its triangle mesh without cracks, refined to a requested error.

    Parameters
    ----------
    heights : array_like, shape (rows, columns)
        Finite; kept as float32.
    spacing : float, or tuple of two
        Distance of columns, and of rows where that is another.
    device, progress
        As those of `boscage.spatial.cKDTree`.

    Examples
    --------
    >>> import numpy as np
    >>> from boscage.terrain import Terrain
    >>> x, y = np.meshgrid(np.linspace(-2, 2, 65), np.linspace(-2, 2, 65))
    >>> terrain = Terrain(np.exp(-x * x - y * y))
    >>> terrain.select(error=0.05)
    >>> stats = terrain.measure()
    >>> stats["max_error"] <= 0.05, stats["triangles"] < 2 * 64 * 64
    (True, True)
    >>> vertices, triangles = terrain.mesh()
    >>> vertices.shape[1], triangles.shape == (stats["triangles"], 3)
    (3, True)
    """

    def __init__(self, heights: Any, spacing: Any = 1.0, *, device: Any = None, progress: Progress = None):
        self._spacing = tuple(real(s, "spacing") for s in (spacing if np.ndim(spacing) else (spacing, spacing)))
        if len(self._spacing) != 2 or not all(0 < s < np.inf for s in self._spacing):
            raise ValueError(f"spacing: {spacing} is not one or two numbers more than 0")
        self._space = space_of(heights)
        self._place = place_for(self._space, device)
        self._handle = _core.Terrain(self._at(), *self._spacing)
        self.rebuild(heights, progress=progress)

    def _at(self, space: Optional[Space] = None, progress: Progress = None) -> Any:
        return where(self._place, (space or self._space).stream(), None, progress)

    @writing
    def rebuild(self, heights: Any, *, progress: Progress = None) -> None:
        """Replaces the raster; the mesh becomes the coarsest one."""
        space = space_of(heights)
        given = real_array(heights, "heights") if space is NUMPY else heights
        with np.errstate(over="ignore"):
            heights = space.rows(given, "float32")
        if len(heights.shape) != 2:
            raise ValueError("heights: not an array of two dimensions")
        if space is NUMPY and given.dtype != np.float32 and (beyond := np.isinf(heights) & np.isfinite(given)).any():
            row, column = np.argwhere(beyond)[0]
            raise ValueError(f"heights: row {row}, column {column} is {given[row, column]:g}, beyond float32")
        self._handle.build(self._at(space, progress), heights)
        self._space, self._heights = space, heights

    @property
    def heights(self) -> Any:
        """The raster."""
        return self._heights

    @property
    def spacing(self) -> tuple[float, float]:
        return self._spacing  # type: ignore[return-value]

    def select(
        self,
        error: Optional[float] = None,
        *,
        triangles: int = 0,
        camera: Optional[Camera] = None,
        regions: Sequence[Any] = (),
        hysteresis: float = 0.0,
        progress: Progress = None,
    ) -> None:
        """Refines and coarsens the mesh to the requested error or size, in one pass.

        Parameters
        ----------
        error : float, optional
            The largest vertical distance of a sample from the mesh. Default: no bound; with a number of triangles, the
            smallest error that they allow.
        triangles : int
            The most triangles; 0: any number. The coarsest mesh has a few, also if this is less.
        camera : Camera, optional
            Errors are measured as seen by the camera.
        regions : sequence of (x0, y0, x1, y1, error)
            Rectangles with their own error bounds.
        hysteresis : float
            Leaves stay split down to this fraction below the bound.
        progress : callable, optional
            Called with the stage and the fraction done.
        """
        if error is None:
            error = 0.0 if triangles or camera else np.inf
        eye: tuple[Any, ...] = ()
        if camera is not None:
            vectors = [reals(v, "float64", NUMPY, f"camera.{field}") for field, v in zip(camera._fields, camera[:3])]
            if any(v.shape != (3,) for v in vectors):
                raise ValueError("camera: position, direction and up are of 3 numbers each")
            eye = (
                *np.concatenate(vectors).tolist(),
                real(camera.fov, "camera.fov"),
                real(camera.pixels, "camera.pixels"),
                whole(camera.width, "camera.width", "int32"),
                whole(camera.height, "camera.height", "int32"),
                bool(camera.cull),
            )
        places = reals(regions, "float64", NUMPY, "regions")
        if places.size and (places.ndim != 2 or places.shape[1] != 5):
            raise ValueError("regions: not rows of x0, y0, x1, y1 and error")
        error, hysteresis = real(error, "error"), real(hysteresis, "hysteresis")
        triangles = whole(triangles, "triangles")
        at = self._at(progress=progress)
        self._handle.select(at, error, triangles, eye, places if places.size else None, hysteresis)

    def update(self, commands: Any) -> None:
        """Splits and merges leaves by a command each: 0 keeps, 1 splits, 2 merges it."""
        space = space_of(commands)
        self._handle.update(self._at(space), integers(commands, "uint8", space, "commands"))

    @reading
    def mesh(self, normals: bool = False) -> tuple[Any, ...]:
        """Vertices (v, 3), optionally normals, and triangles (t, 3), counter-clockwise from above."""
        at = self._at()
        v, t = self._handle.get_mesh(at, None, None, None)
        vertices, triangles = self._space.empty((v, 3), "float32"), self._space.empty((t, 3), "uint32")
        normal = self._space.empty((v, 3), "float32") if normals else None
        self._handle.get_mesh(at, raw(vertices), raw(normal), raw(triangles))
        give = self._space.give
        return (give(vertices), give(normal), give(triangles)) if normals else (give(vertices), give(triangles))

    def measure(self) -> dict[str, Any]:
        """Leaves, vertices, triangles, depth, and the largest vertical distance of a sample from the mesh."""
        return self._handle.measure(self._at())

    def locate(self, points: Any) -> tuple[Any, Any]:
        """The leaves at points (x, y), -1 outside, and the heights of the mesh there, NaN outside.

        Examples
        --------
        >>> from boscage.terrain import Terrain
        >>> Terrain([[0.0, 1.0], [0.0, 1.0]]).locate([[0.25, 0.5], [5.0, 5.0]])[1]
        array([0.25,  nan])
        """
        space = space_of(points)
        points = reals(points, "float64", space, "points")
        if len(points.shape) != 2 or points.shape[1] != 2:
            raise ValueError("points: not rows of x and y")
        leaves, heights = space.empty(int(points.shape[0]), "int64"), space.empty(int(points.shape[0]), "float64")
        self._handle.locate(self._at(space), points, raw(leaves), raw(heights))
        return space.give(leaves), space.give(heights)

    @reading
    def leaves(self) -> Any:
        """The tree's leaf nodes, in order."""
        nodes = self._space.empty(self._handle.leaves(self._at()), "uint64")
        self._handle.decode(self._at(), 0, raw(nodes))
        return self._space.give(nodes)

    @reading
    def corners(self) -> Any:
        """For each leaf three samples (row * columns + column): the ends of its longest edge, and its right angle."""
        samples = self._space.empty((self._handle.leaves(self._at()), 3), "int64")
        self._handle.corners(self._at(), 0, raw(samples))
        return self._space.give(samples)

    def neighbours(self, leaves: Any) -> Any:
        """The leaves beside leaves, one an edge; -1 at the border."""
        space = space_of(leaves)
        leaves = integers(leaves, "int64", space, "leaves")
        out = space.empty((int(leaves.shape[0]), 3), "int64")
        self._handle.neighbours(self._at(space), leaves, raw(out))
        return space.give(out)

    @reading
    def __repr__(self) -> str:
        rows, columns = self._heights.shape
        leaves = self._handle.leaves(self._at())
        return f"<boscage.Terrain of {rows} x {columns} heights, {leaves} leaves, on {self._place}>"

    @reading
    def __getstate__(self) -> dict[str, Any]:
        return {
            "heights": self._space.host(self._heights),
            "spacing": self._spacing,
            "device": str(self._place),
            "leaves": self._space.host(self.leaves()),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        device = "cpu" if _core.backend_reason("cuda") else state["device"]
        self.__init__(state["heights"], state["spacing"], device=device)  # type: ignore[misc]
        goal = state["leaves"]
        while True:  # a level a round, down to the leaves that were saved
            nodes = self.leaves()
            split = ~np.isin(nodes, goal)
            if not split.any():
                break
            self.update(split)


class ConcurrentBinaryTree:
    """A binary tree as a bit field, whose leaves are split and merged all at once.

    Nodes are numbered as in a heap: 1 is the root, 2 k and 2 k + 1 are the children of k.

    Parameters
    ----------
    depth : int
        The deepest level, up to 36.
    level : int
        The nodes of this level are the first leaves.
    device : str, optional
        ``"cpu"`` or ``"cuda"``.

    Examples
    --------
    >>> from boscage.terrain import ConcurrentBinaryTree
    >>> tree = ConcurrentBinaryTree(depth=4, level=1)
    >>> tree.split([3])
    >>> tree.reduce()
    >>> tree.leaves()
    array([2, 6, 7], dtype=uint64)
    >>> len(tree)
    3
    """

    def __init__(self, depth: int, level: int = 0, *, device: Any = None):
        self._place = place(device)
        self._depth = whole(depth, "depth", "int32")
        self._handle = _core.ConcurrentBinaryTree(self._at(NUMPY), self._depth, whole(level, "level", "int32"))

    def _at(self, space: Space) -> Any:
        return where(self._place, space.stream())

    def _nodes(self, nodes: Any) -> tuple[Any, Space]:
        space = space_of(nodes)
        return integers(nodes, "uint64", space, "nodes"), space

    def split(self, nodes: Any) -> None:
        """Records that leaves are to be split, until the tree is reduced."""
        nodes, space = self._nodes(nodes)
        self._handle.split(self._at(space), nodes)

    def merge(self, nodes: Any) -> None:
        """Records that leaves are to be merged with their siblings, until the tree is reduced."""
        nodes, space = self._nodes(nodes)
        self._handle.merge(self._at(space), nodes)

    def reduce(self) -> None:
        """Applies the recorded splits and merges."""
        self._handle.reduce(self._at(NUMPY))

    def reset(self, level: int = 0) -> None:
        """Makes the nodes of a level the leaves."""
        self._handle.reset(self._at(NUMPY), whole(level, "level", "int32"))

    @writing
    def update(self, commands: Any) -> Any:
        """Applies a command to each leaf (0 keeps, 1 splits, 2 merges it), and reduces.

        Returns
        -------
        array of int64
            For each leaf the one that it was, or was split from; of two merged leaves the left one.

        Examples
        --------
        >>> from boscage.terrain import ConcurrentBinaryTree
        >>> ConcurrentBinaryTree(depth=3, level=1).update([0, 1])
        array([0, 1, 1])
        """
        space = space_of(commands)
        commands = integers(commands, "uint8", space, "commands")
        most = 2 * len(self)
        sources = space.empty(most, "int64")
        self._handle.update(self._at(space), commands, raw(sources))
        return space.give(sources)[: len(self)]

    @reading
    def leaves(self) -> np.ndarray:
        """The leaf nodes, in order."""
        nodes = np.empty(len(self), np.uint64)
        self._handle.decode(self._at(NUMPY), 0, nodes)
        return nodes

    def find(self, nodes: Any) -> Any:
        """The numbers of leaves; -1 for other nodes."""
        nodes, space = self._nodes(nodes)
        out = space.empty(int(nodes.shape[0]), "int64")
        self._handle.encode(self._at(space), nodes, raw(out))
        return space.give(out)

    def count(self, nodes: Any) -> Any:
        """The number of leaves below each node."""
        nodes, space = self._nodes(nodes)
        out = space.empty(int(nodes.shape[0]), "int64")
        self._handle.heap_read(self._at(space), nodes, raw(out))
        return space.give(out)

    @property
    def depth(self) -> int:
        return self._depth

    @property
    def bits(self) -> np.ndarray:
        """The bit field, 64 bits a word."""
        out = np.empty(((1 << self._depth) + 63) // 64, np.uint64)
        self._handle.get_bits(self._at(NUMPY), out)
        return out

    @bits.setter
    def bits(self, words: Any) -> None:
        self._handle.set_bits(self._at(NUMPY), integers(words, "uint64", NUMPY, "words"))

    def __len__(self) -> int:
        return self._handle.info(self._at(NUMPY))["leaves"]

    def __repr__(self) -> str:
        return f"<boscage.ConcurrentBinaryTree of depth {self._depth}, {len(self)} leaves, on {self._place}>"

    def __getstate__(self) -> dict[str, Any]:
        return {"depth": self._depth, "device": str(self._place), "bytes": self._handle.save(self._at(NUMPY))}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._depth = state["depth"]
        self._place = place("cpu" if _core.backend_reason("cuda") else state["device"])
        self._handle = _core.ConcurrentBinaryTree.load(self._at(NUMPY), state["bytes"])
