"""Neighbour lists of atoms, with the interfaces of ASE, matscipy and vesin, and for many systems in one call.

Cells may have any shape and be periodic along any of their vectors; cutoffs may be longer than the cell. Pairs nearer
than the cutoff come in ascending order of (i, j, S), where ``D = positions[j] - positions[i] + S @ cell``.
"""

from __future__ import annotations

import sys
from typing import Any, Callable, Optional

import numpy as np

from . import _core
from ._arrays import DTYPES, NUMPY, Space, address_of, place_for, space_of
from ._convert import integers, real_array, reals
from ._numbers import real, whole
from ._points import points_of
from ._where import Place, Progress, where

__all__ = ["NeighborList", "neighbor_list", "neighbor_lists", "neighbor_matrix", "neighbour_list"]

QUANTITIES = "ijSdDPp"


_LISTS: dict[tuple, Any] = {}  # lists whose memory the next call of the same kind uses again, on the same stream
_MOST_LISTS = 8
_MOST_WORDS = 2**24  # of 8 bytes, of a list that is kept: one for each pair, six for each atom; 128 MiB


def _readable(convert: Callable, x: Any, dtype: str, space: Space, name: str) -> Any:
    """An array in host memory, which the library also reads on a device, or on the device of a space."""
    own = space_of(x)
    x = convert(x, dtype, own, name)
    if own.at is None:
        return x
    return space.asarray(x, dtype) if own.name == space.name else own.host(x)


def _cells(cells: Any, pbc: Any, count: int, space: Space) -> tuple[Any, Any]:
    """Returns cells (count x 3 x 3) and their periodicity (count x 3), from one for all systems or one for each. None
    stands for no cells, and for periodicity along all vectors."""
    # 1. Cells.
    if cells is None:
        if pbc is not None and np.any(space_of(pbc).host(pbc)):
            raise ValueError("pbc: periodic systems need cells")
        return None, None
    box = _readable(reals, cells, "float64", space, "cells")
    if tuple(box.shape) not in ((3, 3), (count, 3, 3)):
        raise ValueError(f"cells: shape {tuple(box.shape)} is neither (3, 3) nor ({count}, 3, 3)")
    if len(box.shape) == 2 and count != 1:
        box = np.repeat(space_of(box).host(box)[None], count, axis=0)
    # 2. Periodicity.
    if pbc is True:
        return box, None
    flags = np.asarray(space_of(pbc).host(pbc), np.bool_)
    if flags.ndim > 2 or any(have not in (1, want) for have, want in zip(flags.shape[::-1], (3, count))):
        raise ValueError(f"pbc: shape {flags.shape} does not broadcast to ({count}, 3)")
    return box, np.ascontiguousarray(np.broadcast_to(flags, (count, 3)), np.uint8)


class _Search:
    """A list of the library in the space of its positions. The extension gets addresses of arrays, without the capsules
    of DLPack. As a context manager it keeps the memory for the next search, unless it has a skin; no more calls may
    follow."""

    def __init__(self, positions: Any, cutoff: Any, skin: float, half: bool, device: Any):
        self.space = space_of(positions)
        self.place: Place = place_for(self.space, device)
        self.positions, self.dtype = points_of(positions, None, self.space, "positions")
        if self.positions.shape[1] != 3:
            raise ValueError(f"positions: {self.positions.shape[1]} coordinates are not 3")
        cutoff = real(cutoff, "cutoff")
        self.at = where(self.place, self.space.stream())
        self.key = None if skin else (self.place, self.space.stream(), self.dtype, cutoff, bool(half))
        self.handle = _LISTS.pop(self.key, None)
        if self.handle is None:
            self.handle = _core.NeighborList(self.at, DTYPES[self.dtype], cutoff, real(skin, "skin"), bool(half))
        self.count = 0

    def __enter__(self) -> "_Search":
        return self

    def __exit__(self, failure: Any, *_: Any) -> None:
        if self.key is None:
            return
        if failure is None and self.count + 6 * int(self.positions.shape[0]) <= _MOST_WORDS:
            for oldest in list(_LISTS)[: 1 - _MOST_LISTS]:
                _LISTS.pop(oldest, None)
            _LISTS[self.key] = self.handle
        del self.handle

    def rows(self) -> tuple[int, int, int]:
        """The positions: their address, their number, and the elements from one to the next."""
        x = self.positions
        stride = x.strides[0] // x.itemsize if self.space is NUMPY and len(x) > 1 else 3
        return address_of(x), int(x.shape[0]), stride

    def build(self, cells: Any, pbc: Any, offsets: Any, progress: Progress = None) -> None:
        systems = 1
        if offsets is not None:
            offsets = _readable(integers, offsets, "int64", self.space, "offsets")
            if len(offsets.shape) != 1 or offsets.shape[0] < 2:
                raise ValueError("offsets: not an array of one dimension, of two numbers or more")
            systems = int(offsets.shape[0]) - 1
        box, flags = _cells(cells, pbc, systems, self.space)
        at = self.at if progress is None else where(self.place, self.space.stream(), None, progress)
        others = systems, address_of(offsets), address_of(box), address_of(flags)
        self.count = self.handle.build(at, *self.rows(), *others)

    def move(self, positions: Any) -> bool:
        """Replaces the positions by as many of the same type; False if the list must be built again."""
        self.positions, self.at = positions, where(self.place, self.space.stream())
        self.count = self.handle.move(self.at, *self.rows())
        return self.count >= 0

    def quantities(self, wanted: str) -> list[Any]:
        """Returns the arrays that the letters name."""
        unknown = set(wanted) - set(QUANTITIES)
        if unknown:
            raise ValueError(f"quantities: {unknown.pop()!r} is none of {', '.join(QUANTITIES)}")
        count, space, letters = self.count, self.space, wanted + "ij" * ("P" in wanted)
        shapes = (
            ("i", count, "int64"),
            ("j", count, "int64"),
            ("S", (count, 3), "int32"),
            ("d", count, self.dtype),
            ("D", (count, 3), self.dtype),
            ("p", int(self.positions.shape[0]) + 1, "int64"),
        )
        made = {k: space.empty(shape, dtype) for k, shape, dtype in shapes if k in letters}
        self.handle.write(self.at, count, *(address_of(made.get(k)) for k in "ijSdDp"))
        arrays = {k: space.give(x) for k, x in made.items()}
        if "P" in wanted:
            library = np if space is NUMPY else sys.modules[space.name]
            arrays["P"] = library.stack([arrays["i"], arrays["j"]], -1)
        return [arrays[k] for k in wanted]


def _answer(quantities: str, arrays: list[Any]) -> Any:
    return arrays[0] if len(quantities) == 1 else tuple(arrays)


def neighbor_lists(
    quantities: str,
    positions: Any,
    cutoff: float,
    offsets: Any = None,
    cells: Any = None,
    pbc: Any = True,
    *,
    half: bool = False,
    device: Any = None,
    progress: Progress = None,
) -> Any:
    """Lists the neighbours in many systems in one call.

    Parameters
    ----------
    quantities : str
        Letters of the arrays to return: ``i`` and ``j``, rows of `positions`; ``S``, shifts of cells (int32, three a
        pair); ``d``, distances; ``D``, vectors; ``p``, offsets of the rows of each atom, for CSR; ``P``, i and j.
    positions : array_like, shape (n, 3)
        Atoms of all systems. float32 and float64 are kept as they are, anything else becomes float64.
    cutoff : float
        Pairs with a distance less than this are listed.
    offsets : array_like of int64, shape (systems + 1,), optional
        The first atom of each system, then n. None: one system.
    cells : array_like, shape (3, 3) or (systems, 3, 3), optional
        Rows are the vectors. None: not periodic.
    pbc : array_like of bool, of a shape that broadcasts to (systems, 3)
        The vectors along which systems are periodic.
    half : bool
        Each pair once: i < j, or an atom and one of two opposite images of itself.
    device, progress
        As those of `boscage.spatial.cKDTree`.

    Returns
    -------
    array, or tuple of arrays
        From tensors of PyTorch, ``d`` and ``D`` have gradients of `positions` and `cells`, unless `device` or `progress`
        is set.

    Examples
    --------
    >>> from boscage.atoms import neighbor_lists
    >>> neighbor_lists("ij", [[0, 0, 0], [1, 0, 0], [0, 0, 0], [0, 0, 3]], cutoff=2, offsets=[0, 2, 4])
    (array([0, 1]), array([1, 0]))
    """
    if device is None and progress is None and hasattr(positions, "requires_grad"):
        from .torch import neighbor_tensors

        arrays = neighbor_tensors(quantities, positions, real(cutoff, "cutoff"), offsets, cells, pbc, bool(half))
        if arrays is not None:
            return _answer(quantities, arrays)
    return _answer(quantities, listed(quantities, positions, cutoff, offsets, cells, pbc, half, device, progress))


def listed(
    quantities: str,
    positions: Any,
    cutoff: float,
    offsets: Any,
    cells: Any,
    pbc: Any,
    half: bool,
    device: Any = None,
    progress: Progress = None,
) -> list[Any]:
    """The arrays of `neighbor_lists`."""
    with _Search(positions, cutoff, 0.0, half, device) as search:
        search.build(cells, pbc if cells is not None else None, offsets, progress)
        return search.quantities(quantities)


def neighbor_matrix(
    positions: Any,
    cutoff: float,
    width: int,
    offsets: Any = None,
    cells: Any = None,
    pbc: Any = True,
    *,
    device: Any = None,
    progress: Progress = None,
) -> tuple[Any, Any, Any, Any]:
    """Lists the neighbours in rows of equal width, for arrays of a fixed shape.

    Parameters
    ----------
    width : int
        Neighbours of each row; an atom with more keeps the first ones.
    positions, cutoff, offsets, cells, pbc, device, progress
        As those of `neighbor_lists`.

    Returns
    -------
    neighbors : array of int64, shape (n, width)
        -1 where there is none.
    shifts : array of int32, shape (n, width, 3)
    distances : array, shape (n, width)
        Infinite where there is no neighbour.
    counts : array of int64, shape (n,)
        Neighbours of each atom, also beyond the width.

    Examples
    --------
    >>> from boscage.atoms import neighbor_matrix
    >>> neighbors, shifts, distances, counts = neighbor_matrix([[0, 0, 0], [1, 0, 0]], cutoff=2, width=2)
    >>> neighbors, distances
    (array([[ 1, -1],
           [ 0, -1]]), array([[ 1., inf],
           [ 1., inf]]))
    """
    width = whole(width, "width")
    if width < 0:
        raise ValueError(f"width: {width} is less than 0")
    with _Search(positions, cutoff, 0.0, False, device) as search:
        search.build(cells, pbc if cells is not None else None, offsets, progress)
        space, n = search.space, int(search.positions.shape[0])
        shapes = ((n, width), "int64"), ((n, width, 3), "int32"), ((n, width), search.dtype), (n, "int64")
        arrays = [space.empty(shape, dtype) for shape, dtype in shapes]
        search.handle.padded(search.at, width, *map(address_of, arrays))
        neighbors, shifts, distances, counts = map(space.give, arrays)  # waits: another thread may then use the list
    return neighbors, shifts, distances, counts


def _longest(cutoff: Any, numbers: Any, n: int) -> tuple[float, Any]:
    """Returns the longest cutoff, and a function with the cutoff of pairs (i, j), or None if all are equal.

    `cutoff` is a number, a dict with the cutoff of each pair of elements, or a radius of each atom."""
    if isinstance(cutoff, dict):
        if numbers is None or len(numbers) != n:
            raise ValueError(f"numbers: not one for each of {n} atoms, but cutoff is a dict")
        from_symbol: dict[str, int] = {}
        if any(isinstance(x, str) for pair in cutoff for x in pair):
            from ase.data import atomic_numbers as from_symbol
        table = {}
        for pair, r in cutoff.items():
            a, b = (from_symbol[x] if isinstance(x, str) else int(x) for x in pair)
            table[a, b] = table[b, a] = float(r)
        kinds = np.asarray(numbers)
        elements = [k for pair in table for k in pair]
        if min(elements, default=0) < 0:
            raise ValueError(f"cutoff: {min(elements)} is not the number of an element")
        if kinds.size and kinds.min() < 0:
            raise ValueError(f"numbers: {kinds.min()} is not the number of an element")
        size = 1 + max(elements + [int(kinds.max()) if kinds.size else 0])
        matrix = np.full((size, size), -1.0)
        for pair, r in table.items():
            matrix[pair] = r
        return max(table.values(), default=0.0), lambda i, j: matrix[kinds[i], kinds[j]]
    if np.ndim(cutoff) == 0:
        return float(cutoff), None
    radii = np.asarray(real_array(cutoff, "cutoff"), np.float64)
    if radii.shape != (n,):
        raise ValueError(f"cutoff: shape {radii.shape} is not one radius for each of {n} atoms")
    return 2 * float(radii.max(initial=0.0)), lambda i, j: radii[i] + radii[j]


def _listed(
    quantities: str,
    positions: Any,
    cell: Any,
    pbc: Any,
    cutoff: Any,
    numbers: Any,
    self_interaction: bool,
    device: Any,
    integer: str,
) -> Any:
    """Returns the arrays of one system, after filters by the cutoffs of pairs. `integer`: the type of i, j and S in
    libraries whose arrays have `astype`."""
    # 1. The cutoff of the search. Without a positive one even atoms at distance 0 are no neighbours.
    longest, of_pair = _longest(cutoff, numbers, len(positions))
    if longest <= 0:
        longest, of_pair = np.finfo(np.float32).tiny, lambda i, j: 0.0
    # 2. The search.
    wanted = quantities
    if of_pair or self_interaction:
        wanted += "".join(k for k in "ijSd" if k not in quantities)
    with _Search(positions, longest, 0.0, False, device) as search:
        search.build(cell, pbc, None)
        made = dict(zip(wanted, search.quantities(wanted)))
    # 3. The atoms themselves, in order.
    if self_interaction:
        n = len(search.positions)
        zeros, row = np.zeros((n, 3)), np.arange(n)
        own = {"i": row, "j": row, "S": zeros, "d": zeros[:, 0], "D": zeros}
        made = {k: np.concatenate([x, own[k].astype(x.dtype)]) for k, x in made.items()}
        shifts = made["S"]
        order = np.lexsort((shifts[:, 2], shifts[:, 1], shifts[:, 0], made["j"], made["i"]))
        made = {k: x[order] for k, x in made.items()}
    # 4. The cutoffs of pairs.
    if of_pair is not None:
        near = made["d"] < of_pair(made["i"], made["j"])
        made = {k: x[near] for k, x in made.items()}
    made.update((k, made[k].astype(integer, copy=False)) for k in "ijS" if hasattr(made.get(k), "astype"))
    return _answer(quantities, [made[k] for k in quantities])


def _checked(quantities: str) -> str:
    if not quantities or set(quantities) - set("ijdDS"):
        raise ValueError(f"quantities: {quantities!r} is not made of i, j, d, D and S")
    return quantities


def neighbor_list(
    quantities: str, a: Any, cutoff: Any, self_interaction: bool = False, max_nbins: float = 1e6, *, device: Any = None
) -> Any:
    """`ase.neighborlist.neighbor_list`: lists the neighbours of atoms.

    Parameters
    ----------
    quantities : str
        Letters of the arrays to return: ``i`` and ``j``, numbers of atoms; ``d``, distances; ``D``, vectors; ``S``,
        shifts of cells (int64, as ASE's).
    a : ase.Atoms
        Or an object with `positions`, `cell`, `pbc` and, for a dict of cutoffs, `numbers`.
    cutoff : float, dict or sequence of float
        One for all pairs; one for each pair of elements, ``{("H", "O"): 1.2}``; or a radius of each atom.
    self_interaction : bool
        True: each atom is its own neighbour at distance 0.
    max_nbins : float
        Not needed: there are never more cells than atoms.
    device : str, optional
        As that of `boscage.spatial.cKDTree`.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from boscage.atoms import neighbor_list
    >>> chain = SimpleNamespace(positions=[[0, 0, 0], [1, 0, 0]], cell=2 * np.eye(3), pbc=[True, False, False])
    >>> neighbor_list("ijd", chain, cutoff=1.5)
    (array([0, 0, 1, 1]), array([1, 1, 0, 0]), array([1., 1., 1., 1.]))
    """
    return _listed(
        _checked(quantities),
        a.positions,
        np.asarray(a.cell, np.float64),
        a.pbc,
        cutoff,
        getattr(a, "numbers", None),
        bool(self_interaction),
        device,
        "int64",
    )


def neighbour_list(
    quantities: str,
    atoms: Any = None,
    cutoff: Any = None,
    positions: Any = None,
    cell: Any = None,
    pbc: Any = None,
    numbers: Any = None,
    cell_origin: Any = None,
    *,
    device: Any = None,
) -> Any:
    """`matscipy.neighbours.neighbour_list`: as `neighbor_list`, of atoms or of arrays. i, j and S are int32;
    of tensors they have the types of `neighbor_lists`.

    Parameters
    ----------
    atoms : ase.Atoms, optional
        Or `positions`, `cell`, `pbc` and `numbers`. Without a cell or `pbc` the system is not periodic.
    cell_origin : array_like, optional
        Not needed: positions may be anywhere.

    Examples
    --------
    >>> from boscage.atoms import neighbour_list
    >>> neighbour_list("S", positions=[[0, 0, 0]], cell=[[1, 0, 0], [0, 9, 0], [0, 0, 9]], pbc=[1, 1, 1], cutoff=1.5)
    array([[-1,  0,  0],
           [ 1,  0,  0]], dtype=int32)
    """
    if cutoff is None:
        raise ValueError("cutoff: missing")
    if atoms is not None:
        arrays = {"positions": positions, "cell": cell, "pbc": pbc, "numbers": numbers, "cell_origin": cell_origin}
        for name, array in arrays.items():
            if array is not None:
                raise ValueError(f"{name}: given beside atoms")
        positions, cell, pbc, numbers = atoms.positions, np.asarray(atoms.cell, np.float64), atoms.pbc, atoms.numbers
    if positions is None:
        raise ValueError("positions: missing, as atoms are")
    return _listed(_checked(quantities), positions, cell, pbc, cutoff, numbers, False, device, "int32")


class NeighborList:
    """`vesin.NeighborList`: a calculator of neighbour lists, which keeps its list while atoms move less than a skin.

    Parameters
    ----------
    cutoff : float
    full_list : bool
        True: both (i, j) and (j, i).
    sorted, algorithm, n_threads
        Accepted; lists are always sorted, the algorithm is one, and `boscage.use` sets the threads.
    skin : float
        A list is kept until an atom moves by more than half of it.
    device : str, optional
        As that of `boscage.spatial.cKDTree`.

    Examples
    --------
    >>> from boscage.atoms import NeighborList
    >>> calculator = NeighborList(cutoff=1.5, full_list=False)
    >>> box = [[3, 0, 0], [0, 3, 0], [0, 0, 3]]
    >>> calculator.compute([[0, 0, 0], [1, 0, 0]], box, periodic=True, quantities="ijd")
    [array([0]), array([1]), array([1.])]
    """

    def __init__(
        self,
        *,
        cutoff: float,
        full_list: bool,
        sorted: bool = False,
        algorithm: str = "auto",
        skin: float = 0.0,
        n_threads: int = 0,
        device: Any = None,
    ):
        if algorithm.lower() not in ("auto", "brute_force", "cell_list"):
            raise ValueError(f"algorithm: {algorithm!r} is not 'auto', 'brute_force' or 'cell_list'")
        self.cutoff, self.full_list, self.sorted, self.skin = float(cutoff), bool(full_list), bool(sorted), float(skin)
        self.algorithm, self.n_threads = algorithm.lower(), whole(n_threads, "n_threads")
        if self.n_threads < 0:
            raise ValueError(f"n_threads must be zero or a positive integer, not {n_threads}")
        self._device = device
        self._search: Optional[_Search] = None
        self._key: Any = None  # of the search: all that it depends on but the points

    def compute(self, points: Any, box: Any, periodic: Any, quantities: str = "ij", copy: bool = True) -> list[Any]:
        """Lists the neighbours of points in a box.

        Parameters
        ----------
        points : array_like, shape (n, 3)
        box : array_like, shape (3, 3)
        periodic : bool, or three
        quantities : str
            Letters: ``i``, ``j``, ``P`` (both), ``S``, ``d``, ``D``.
        copy : bool
            Accepted: arrays are always fresh.
        """
        cell = np.asarray(space_of(box).host(box), np.float64).tobytes()
        flags = np.asarray(periodic, np.bool_).tobytes()
        key = cell, flags, self.cutoff, self.skin, self.full_list
        kept = self._search
        if kept is not None and self.skin > 0 and key == self._key and space_of(points).name == kept.space.name:
            moved, dtype = points_of(points, None, kept.space, "points")
            if dtype == kept.dtype and moved.shape == kept.positions.shape and kept.move(moved):
                return kept.quantities(quantities)
        with _Search(points, self.cutoff, self.skin, not self.full_list, self._device) as search:
            search.build(box, periodic, None)
            if self.skin > 0:
                self._search, self._key = search, key
            return search.quantities(quantities)
