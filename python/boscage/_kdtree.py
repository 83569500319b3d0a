"""k-d trees with the interface of scipy."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _core, _nodes
from ._arrays import DTYPES, NUMPY, Space, place_for, raw, space_of
from ._convert import real_array, reals
from ._graphs import NeighbourGraphs
from ._locks import emptied_on_failure, reading, writing
from ._nodes import cKDTreeNode
from ._numbers import real, tolerance, whole
from ._points import WIDER, converted, finite, frozen, is_below_one, norm, points_of, within_power
from ._where import Progress, where


class cKDTree(NeighbourGraphs):
    """k-d tree for quick look-ups of nearest neighbours, with the interface of `scipy.spatial.cKDTree`.

    Parameters
    ----------
    data : array_like, shape (n, m)
        Points, of NumPy, CuPy, PyTorch, JAX, or any library with DLPack. float32 and float64 are kept, and
        answers have the same precision; other types become float64. Finite, as in scipy.
    leafsize : int
        For `tree` alone; searches do not depend on it.
    compact_nodes, balanced_tree : bool
        Ignored: trees are always balanced.
    copy_data : bool
        Keeps a copy in `data`. (The tree has its own anyway.)
    boxsize : array_like or scalar, optional
        Periods of the coordinates, which are in [0, boxsize); 0: not periodic.
    device : str, optional
        Device of the tree: ``"cpu"``, ``"cuda"``, ``"cuda:1"``. Default: the array's; for NumPy that of `boscage.use`.
    dtype : {"float32", "float64"}, optional
        Precision to convert to.
    progress : callable, optional
        Called with the stage and the fraction done while the tree is built. An exception from it ends the call.

    Attributes
    ----------
    data : numpy.ndarray, shape (n, m)
        The points.
    n, m, leafsize : int
        Number of points, number of coordinates, and the argument.
    maxes, mins : numpy.ndarray, shape (m,)
        Extent of the points.
    boxsize : numpy.ndarray or None
    tree : cKDTreeNode
        Nodes with scipy's interface, made on demand.
    size : int
        Their number.
    device : str

    Examples
    --------
    >>> import numpy as np
    >>> from boscage.spatial import cKDTree
    >>> tree = cKDTree([[0, 0], [1, 0], [0, 2]])
    >>> tree.query([0.9, 0.1], k=2)
    (array([0.14142136, 0.90553851]), array([1, 0]))
    """

    _leafsize_default = 16

    def __init__(
        self,
        data: Any,
        leafsize: Optional[int] = None,
        compact_nodes: bool = True,
        copy_data: bool = False,
        balanced_tree: bool = True,
        boxsize: Any = None,
        *,
        device: Any = None,
        dtype: Optional[str] = None,
        workers: Optional[int] = None,
        progress: Progress = None,
    ):
        leafsize = self._leafsize_default if leafsize is None else whole(leafsize, "leafsize")
        if leafsize < 1:
            raise ValueError("leafsize must be at least 1")
        self._leafsize = leafsize
        self._space = space_of(data)
        self._place = place_for(self._space, device)
        self._boxsize = boxsize
        self._periods: Optional[np.ndarray] = None
        self._kept_dtype = None if dtype is None else np.dtype(dtype).name
        points, dtype = points_of(data, self._kept_dtype, self._space)
        if copy_data and self._space is NUMPY:
            points = points.copy()
        self._build(None, points, dtype, self._space, workers, progress)

    def _build(
        self, handle: Any, points: Any, dtype: str, space: Space, workers: Optional[int], progress: Progress
    ) -> None:
        """Builds a tree in a handle, or in a new one for None, and then replaces this one's."""
        n, m = map(int, points.shape)
        if self._boxsize is not None:
            self._set_box(space.host(points), m)
        at = where(self._place, space.stream(), workers, progress)
        if handle is None:
            handle = _core.KDTree(at, DTYPES[dtype], m)
        with emptied_on_failure(self, handle, at):
            handle.build(at, points)
        self._data, self._dtype, self._space = points, dtype, space
        self._n, self._m = n, m
        self._tree: Any = None
        self._twin = None
        self._handle = handle  # last: readers enter by it, and then find the rest

    def _forget(self, handle: Any, at: Any) -> None:
        if handle is getattr(self, "_handle", None) and handle.info(at)["n"] == 0:
            self._data = self._space.give(self._space.empty((0, self._m), self._dtype))
            self._n, self._tree, self._twin = 0, None, None

    def _set_box(self, points: np.ndarray, m: int) -> None:
        box = np.broadcast_to(reals(self._boxsize, "float64", NUMPY, "boxsize"), (m,)).copy()
        if not np.isfinite(box).all() or (box < 0).any():
            raise ValueError("boxsize must be finite and not negative")
        periodic = box > 0
        host = points[:, periodic]
        if (host >= box[periodic]).any():
            raise ValueError("Some input data are greater than the size of the periodic box.")
        if (host < 0).any():
            raise ValueError("Negative input data are outside of the periodic box.")
        self._boxsize = box
        self._periods = box if periodic.any() else None

    # --- attributes ---------------------------------------------------------------------------------------------------

    @property
    def data(self) -> Any:
        return frozen(self._data)

    @property
    def n(self) -> int:
        return self._n

    @property
    def m(self) -> int:
        return self._m

    @property
    def leafsize(self) -> int:
        return self._leafsize

    @property
    def boxsize(self) -> Optional[np.ndarray]:
        return frozen(self._boxsize)

    @property
    def device(self) -> str:
        return str(self._place)

    @property
    @reading
    def maxes(self) -> np.ndarray:
        host = self._space.host(self._data)
        return frozen(host.max(axis=0) if self._n else np.zeros(self._m))

    @property
    @reading
    def mins(self) -> np.ndarray:
        host = self._space.host(self._data)
        return frozen(host.min(axis=0) if self._n else np.zeros(self._m))

    @reading
    def _nodes(self) -> cKDTreeNode:
        if self._tree is None:
            self._tree = cKDTreeNode(self._space.host(self._data), np.arange(self._n), self._leafsize)
        return self._tree

    @property
    def tree(self) -> Any:
        return self._nodes()

    @property
    def indices(self) -> np.ndarray:
        return frozen(self._nodes().indices)

    @property
    def size(self) -> int:
        return sum(1 for _ in self._nodes().walk())

    def _build_weights(self, weights: Any) -> np.ndarray:
        weights = reals(weights, "float64", NUMPY, "weights")
        if weights.shape != (self._n,):
            raise ValueError("Number of weights differ from the number of data points")
        return np.array([weights[node.indices].sum() for node in self._nodes().walk()])

    @property
    @reading
    def nbytes(self) -> int:
        """Bytes of memory of the tree on its device, with those of its second tree for queries of float64."""
        return self._handle.info(where(self._place))["bytes"] + (0 if self._twin is None else self._twin.nbytes)

    def __len__(self) -> int:
        return self._n

    @reading
    def __repr__(self) -> str:
        box = "" if self._periods is None else f", boxsize={self._boxsize.tolist()}"
        shape = f"{self._n} points in {self._m} dimensions, {self._dtype}"
        return f"<boscage.{type(self).__name__} of {shape}, on {self._place}{box}>"

    @reading
    def __getstate__(self) -> dict[str, Any]:
        return {
            "data": self._space.host(self._data),
            "leafsize": self._leafsize,
            "boxsize": self._boxsize,
            "dtype": self._dtype,
            "kept_dtype": self._kept_dtype,
            "device": str(self._place),
            "tree": self._handle.save(where(self._place)),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._space = NUMPY
        self._data, self._leafsize, self._boxsize = state["data"], state["leafsize"], state["boxsize"]
        self._dtype, self._kept_dtype = state["dtype"], state["kept_dtype"]
        self._place = place_for(NUMPY, state["device"])
        if self._place.backend == "cuda" and _core.backend_reason("cuda"):
            self._place = place_for(NUMPY, "cpu")
        self._n, self._m = self._data.shape
        self._periods = self._boxsize if self._boxsize is not None and (self._boxsize > 0).any() else None
        self._handle = _core.KDTree.load(where(self._place), state["tree"])
        self._tree = self._twin = None

    # --- input --------------------------------------------------------------------------------------------------------

    def _queries(self, x: Any) -> tuple[Any, tuple[int, ...], Space]:
        """Queries as rows, their shape, and their space."""
        x, shape, space = self._rows(x, "x")
        if space is NUMPY:
            finite(x, "'x'")
        return x, shape, space

    def _rows(self, x: Any, name: str) -> tuple[Any, tuple[int, ...], Space]:
        """Vectors of the tree's dimension as rows, their shape, and their space."""
        space = space_of(x)
        if space is NUMPY:
            x = real_array(x, name)
            if type(x) is not np.ndarray:
                x = x.view(np.ndarray)
        shape = tuple(x.shape)
        if not shape or shape[-1] != self._m:
            raise ValueError(f"{name} must consist of vectors of length {self._m} but has shape {shape}")
        if len(shape) != 2:
            x = x.reshape(-1, self._m)
        return space.rows(x, self._dtype), shape[:-1], space

    def _each(self, values: Any, shape: tuple[int, ...], space: Space, name: str) -> Any:
        """One number for all queries, or one for each of them."""
        if type(values) is float or np.ndim(values) == 0:
            return np.array([real(values, name)])
        if space is NUMPY or space_of(values) is NUMPY:
            values = np.broadcast_to(reals(values, "float64", NUMPY, name), shape).ravel()
        return space.asarray(values, "float64")

    def _of_points(self, points: Any) -> Any:
        return type(self)(points, self._leafsize, boxsize=self._boxsize, device=self._place)

    # --- searches -----------------------------------------------------------------------------------------------------

    @reading
    def query(
        self,
        x: Any,
        k: Any = 1,
        eps: float = 0.0,
        p: float = 2.0,
        distance_upper_bound: Any = np.inf,
        workers: Optional[int] = None,
        *,
        progress: Progress = None,
    ) -> tuple[Any, Any]:
        """Finds the nearest points.

        Parameters
        ----------
        x : array_like, shape (..., m)
            Queries.
        k : int or sequence of int
            How many neighbours, or which of them, from 1.
        eps : float
            The i-th neighbour may be up to (1 + eps) times as far as the true one.
        p : float
            Minkowski norm, 1 or more; ``numpy.inf`` among them.
        distance_upper_bound : float or array_like
            Only neighbours nearer than this count; one number, or one a query.
        workers : int, optional
            Threads; -1: all. Answers do not depend on it.
        progress : callable, optional
            Called with the stage and the fraction done.

        Returns
        -------
        d : float or array
            Distances, ascending; infinity where there is no neighbour.
        i : int or array
            Rows of `data`; `n` where there is none. Of equal distances the smaller row comes first.

        Examples
        --------
        >>> from boscage.spatial import cKDTree
        >>> cKDTree([[0.0], [1.0], [3.0]]).query([[0.9], [9.0]], k=[1, 3], distance_upper_bound=5)
        (array([[0.1, 2.1],
               [inf, inf]]), array([[1, 2],
               [3, 3]]))
        """
        if k is None:
            raise ValueError("k must be an integer or a sequence of integers")
        tree = self._for_queries(x)
        rows, shape, space = tree._queries(x)
        ranks = None if np.ndim(k) == 0 else np.asarray(k)
        if ranks is not None and (ranks.ndim != 1 or ranks.size == 0 or ranks.dtype.kind not in "iu"):
            raise ValueError("k must be an integer or a sequence of integers")
        if isinstance(k, float) and k.is_integer():
            k = int(k)
        most = whole(k, "k") if ranks is None else int(ranks.max())
        if (most if ranks is None else int(ranks.min())) < 1:
            raise ValueError("k must be an integer of 1 or more")
        d, i = tree._knn(rows, most, eps, p, distance_upper_bound, shape, space, workers, progress)
        if ranks is not None and ranks.tolist() != list(range(1, most + 1)):
            d, i = d[:, ranks - 1].reshape(*shape, len(ranks)), i[:, ranks - 1].reshape(*shape, len(ranks))
        elif ranks is None and most == 1:
            d, i = d.reshape(shape), i.reshape(shape)
        else:
            d, i = d.reshape(*shape, most), i.reshape(*shape, most)
        if shape or d.ndim or space is not NUMPY:
            return d, i
        return float(d), self._scalar(i)

    @staticmethod
    def _scalar(i: Any) -> Any:
        return int(i)

    def _knn(
        self,
        rows: Any,
        k: int,
        eps: float,
        p: float,
        bound: Any,
        shape: tuple[int, ...],
        space: Space,
        workers: Optional[int],
        progress: Progress,
    ) -> tuple[Any, Any]:
        """The k nearest points of each query in `rows`: distances and rows of the data, (queries, k) each."""
        at = where(self._place, space.stream(), workers, progress)
        count = len(rows)
        ids = space.empty((count, k), "int64")
        bounded = np.ndim(bound) > 0 or not (bound is np.inf or real(bound, "distance_upper_bound") == np.inf)
        if (
            self._dtype == "float32"
            and p == 2
            and self._periods is None
            and not bounded
            and space.name != "cuda"
        ):
            d = self._float_knn(at, rows, count, k, ids, space)
        else:
            d = space.empty((count, k), "float64")
            bounds = None
            if bounded:
                bound = bound if space_of(bound) is NUMPY else space.host(bound)
                bound = reals(bound, "float64", NUMPY, "distance_upper_bound")
                bounds = self._each(self._below(bound, p), shape, space, "distance_upper_bound")
            self._handle.query_knn(
                at, rows, k, norm(p), tolerance(eps), self._periods, bounds, False, raw(ids), raw(d)
            )
            d = space.give(d)
        if bounded or k > self._n:
            return d, space.none_to(ids, self._n)
        return d, space.give(ids)

    def _float_knn(self, at: Any, rows: Any, count: int, k: int, ids: Any, space: Space) -> Any:
        """Distances, by squares of float32 if they are in its range."""
        d = space.empty((count, k), "float32")
        try:
            self._handle.knn(at, rows, k, np.inf, raw(ids), raw(d))
        except ValueError as error:
            if not str(error).startswith("dist2:"):
                raise
        else:
            return space.sqrt(d)
        distances = space.empty((count, k), "float64")
        self._handle.query_knn(at, rows, k, 2.0, 0.0, None, None, False, raw(ids), raw(distances))
        if space is NUMPY:
            return distances
        return space.asarray(converted(space.host(distances), "float32", "distances"), "float32")

    def _ball(
        self,
        rows: Any,
        radii: Any,
        p: float,
        eps: float,
        space: Space,
        workers: Optional[int],
        progress: Progress,
        distances: bool,
    ) -> tuple[Any, Any, Any]:
        """The points within the radius of each query in `rows`, as CSR rows: offsets, ids, and distances or None."""
        eps = tolerance(eps)
        if is_below_one(p, space) and self._space is NUMPY:
            found = self._ball(rows, radii * WIDER, 1.0, 0.0, space, workers, progress, False)
            return within_power(found, rows, self._data, radii, real(p, "p"), self._periods)
        at = where(self._place, space.stream(), workers, progress)
        offsets = space.empty(len(rows) + 1, "int64")
        search = self._handle.query_radius
        search(at, rows, radii, norm(p), eps, self._periods, False, raw(offsets), None, None)
        total = int(space.host(offsets)[-1])
        ids = space.empty(total, "int64")
        d = space.empty(total, "float64") if distances else None
        if total:
            search(at, rows, radii, norm(p), eps, self._periods, False, raw(offsets), raw(ids), raw(d))
        return space.give(offsets), space.give(ids), None if d is None else space.give(d)

    @reading
    def query_ball_csr(
        self,
        x: Any,
        r: Any,
        p: float = 2.0,
        eps: float = 0.0,
        workers: Optional[int] = None,
        *,
        return_distance: bool = False,
        progress: Progress = None,
    ) -> tuple[Any, ...]:
        """Finds all points within r of each query, as arrays on the queries' device.

        Parameters
        ----------
        x, r, p, eps, workers
            As those of `query_ball_point`.
        return_distance : bool
            Returns distances too.

        Returns
        -------
        offsets, ids : array
            The points of query q are ``ids[offsets[q]:offsets[q + 1]]``, ascending.
        distances : array
            In the order of ids.

        Examples
        --------
        >>> from boscage.spatial import cKDTree
        >>> cKDTree([[0.0], [1.0], [3.0]]).query_ball_csr([[0.5], [9.0], [2.0]], 1)
        (array([0, 2, 2, 4]), array([0, 1, 1, 2]))
        """
        tree = self._for_queries(x)
        rows, shape, space = tree._queries(x)
        radii = tree._each(r, shape, space, "r")
        found = tree._ball(rows, radii, p, eps, space, workers, progress, return_distance)
        return found if return_distance else found[:2]

    @reading
    def query_ball_point(
        self,
        x: Any,
        r: Any,
        p: float = 2.0,
        eps: float = 0.0,
        workers: Optional[int] = None,
        return_sorted: Optional[bool] = None,
        return_length: bool = False,
        *,
        progress: Progress = None,
    ) -> Any:
        """Finds all points within a distance of each query.

        Parameters
        ----------
        x : array_like, shape (..., m)
            Queries.
        r : array_like
            Distances, one for all queries or one for each: its shape must broadcast to that of the queries.
        p : float
            Minkowski norm, more than 0 for NumPy's arrays; 1 or more for those of other libraries.
        eps, workers, progress
            As those of `query`.
        return_sorted : bool, optional
            Of no effect: rows are always sorted.
        return_length : bool
            Returns the numbers of points in place of the points.

        Returns
        -------
        list, array of lists, int, or array of int
            Rows of `data`, ascending. Queries of CuPy, PyTorch and JAX get a list of their library's arrays, as CuPy's
            own trees give it.

        Examples
        --------
        >>> from boscage.spatial import cKDTree
        >>> cKDTree([[0.0], [1.0], [3.0]]).query_ball_point([2.0], 1.5)
        [1, 2]
        """
        tree = self._for_queries(x)
        rows, shape, space = tree._queries(x)
        radii = tree._each(r, shape, space, "r")
        if return_length and is_below_one(p, space):
            offsets, _, _ = tree._ball(rows, radii, p, eps, space, workers, progress, False)
            counts = np.diff(offsets).reshape(shape)
            return counts if shape else int(counts)
        if return_length:
            counts = space.empty(len(rows), "int64")
            at = where(self._place, space.stream(), workers, progress)
            p, eps = norm(p), tolerance(eps)
            tree._handle.query_radius_count(at, rows, radii, p, eps, tree._periods, False, raw(counts))
            counts = space.give(counts).reshape(shape)
            return counts if shape or space is not NUMPY else int(counts)
        if space is NUMPY and not is_below_one(p, space):
            at = where(self._place, 0, workers, progress)
            lists = tree._handle.radius_lists(at, rows, radii, norm(p), tolerance(eps), tree._periods)
        else:
            offsets, ids, _ = tree._ball(rows, radii, p, eps, space, workers, progress, False)
            lists = space.lists(offsets, ids)
        if not shape:
            return lists[0]
        if space is not NUMPY:
            return lists
        out = np.empty(len(lists), object)
        out[:] = lists
        return out.reshape(shape)

    @reading
    def query_box(self, lows: Any, highs: Any, workers: Optional[int] = None) -> tuple[Any, Any]:
        """Finds all points in closed boxes.

        Parameters
        ----------
        lows, highs : array_like, shape (q, m) or (m,)
            Corners of the boxes, or of one box; infinite where a box is not bounded.
        workers : int, optional
            Threads; -1: all.

        Returns
        -------
        offsets, ids : array
            The points of box q are ``ids[offsets[q]:offsets[q + 1]]``, ascending.

        Examples
        --------
        >>> from boscage.spatial import cKDTree
        >>> cKDTree([[0.0, 1.0], [1.0, 1.0], [3.0, 4.0]]).query_box([[0, 0]], [[2, 2]])
        (array([0, 2]), array([0, 1]))
        """
        tree = self._for_queries(lows, "lows")
        if tree is self:
            tree = self._for_queries(highs, "highs")
        lows, shape, _ = tree._rows(lows, "lows")
        highs, others, _ = tree._rows(highs, "highs")
        if shape != others or len(shape) > 1:
            raise ValueError("lows and highs must be of one shape: rows of corners, or the two corners of one box")
        for corners, name in ((lows, "lows"), (highs, "highs")):
            if np.isnan(corners).any():
                raise ValueError(f"{name} must not be NaN")
        boxes = np.stack([lows, highs], axis=1)
        at = where(self._place, 0, workers)
        offsets = np.empty(len(lows) + 1, np.int64)
        tree._handle.box(at, boxes, offsets, None)
        ids = np.empty(offsets[-1], np.int64)
        tree._handle.box(at, boxes, offsets, ids)
        return offsets, ids

    # --- beyond scipy's interface -------------------------------------------------------------------------------------

    @writing
    def rebuild(self, data: Any, *, workers: Optional[int] = None, progress: Progress = None) -> None:
        """Rebuilds the tree from other points, in its memory.

        Parameters
        ----------
        data : array_like, shape (n, m)
            As many coordinates as before; any number of points.
        workers, progress
            As those of `query`.

        Examples
        --------
        >>> from boscage.spatial import cKDTree
        >>> tree = cKDTree([[0.0], [1.0]])
        >>> tree.rebuild([[5.0], [6.0], [7.0]])
        >>> tree.query([9.0])
        (2.0, 2)
        """
        space = space_of(data)
        if space.at is not None and space.at != self._place:
            raise ValueError(f"data is on {space.at}, the tree on {self._place}")
        points, dtype = points_of(data, self._kept_dtype, space)
        if dtype != self._dtype and self._dtype == "float64":
            points, dtype = space.rows(points, "float64"), "float64"
        if points.shape[1] != self._m:
            raise ValueError(f"data has {points.shape[1]} coordinates, the tree {self._m}")
        handle = self._handle if dtype == self._dtype else None  # None: points of float64 in a tree of float32
        self._build(handle, points, dtype, space, workers, progress)

    def verify(self) -> None:
        """Checks every node against all its ancestors.

        Raises
        ------
        ValueError
            If the tree is damaged; the message says where.

        Examples
        --------
        >>> from boscage.spatial import cKDTree
        >>> cKDTree([[0.0], [1.0]]).verify()
        """
        self._handle.verify(where(self._place))


class KDTree(cKDTree):
    """k-d tree for quick look-ups of nearest neighbours, with the interface of `scipy.spatial.KDTree`.

    Its methods and parameters are those of `cKDTree`; as in scipy, `leafsize` is 10 by default, `tree` shows nodes in
    another form, and the row that a single query finds is a NumPy integer.

    Examples
    --------
    >>> import numpy as np
    >>> from boscage.spatial import KDTree
    >>> tree = KDTree(np.random.default_rng(0).random((1000, 3)))
    >>> d, i = tree.query([0.5, 0.5, 0.5], k=3)
    >>> bool((np.diff(d) >= 0).all())
    True
    >>> tree
    <boscage.KDTree of 1000 points in 3 dimensions, float64, on cpu>
    """

    _leafsize_default = 10

    node = _nodes.node
    leafnode = _nodes.leafnode
    innernode = _nodes.innernode

    @staticmethod
    def _scalar(i: Any) -> Any:
        return np.intp(i)

    @property
    def tree(self) -> Any:
        return _nodes.node._create(self._nodes())
