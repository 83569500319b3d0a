"""The order in which Dijkstra's algorithm with one queue finishes vertices, and its tree, from known distances."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

FEW = 64  # arcs of a group, below which a loop over them costs less than calls of NumPy; measured


class Arcs:
    """Arcs that attain the distances of their heads, in the order of the distances."""

    def __init__(self, rows: np.ndarray, heads: np.ndarray, lengths: Any, distances: np.ndarray, is_source: np.ndarray):
        reached = np.isfinite(distances)
        tight = reached[rows] & ~is_source[heads]
        tight &= distances[rows] + lengths == distances[heads]
        self.ids = np.flatnonzero(tight)
        self.tails, self.heads = rows[self.ids], heads[self.ids]
        self.distances = distances

    def of(self, group: np.ndarray) -> tuple["Arcs", np.ndarray]:
        """Arcs whose heads have a group (0 or more), sorted by group and then by row, and their groups."""
        number = group[self.heads]
        kept = np.flatnonzero(number >= 0)
        kept = kept[np.argsort(number[kept], kind="stable")]
        some = object.__new__(Arcs)
        some.ids, some.tails, some.heads = self.ids[kept], self.tails[kept], self.heads[kept]
        some.distances = self.distances
        return some, number[kept]

    def predecessors(self, position: np.ndarray, out: np.ndarray) -> None:
        """Writes the tail that is finished first of each head."""
        last_first = np.argsort(-position[self.tails], kind="stable")
        out[self.heads[last_first]] = self.tails[last_first]  # the last assignment remains


def order_vertices(
    rows: np.ndarray, heads: np.ndarray, lengths: Any, distances: np.ndarray, sources: list[int], tree: bool
) -> tuple[np.ndarray, Optional[np.ndarray]]:
    """Orders the vertices as a queue of (distance, number of the push) returns them.

    A vertex is pushed when a finished vertex first attains its distance. So among vertices of one distance those come
    first with the predecessor that was finished first, and then those earlier in its row.

    Parameters
    ----------
    rows, heads : array of int64, shape (m,)
        Arcs, by ascending row. A pair of vertices has one arc at most.
    lengths : array of float64, or float
        Those of the arcs, 0 or more.
    distances : array of float64, shape (n,)
        From the nearest source; infinite where none leads.
    sources : list of int
        Different ones, in the order of their pushes.
    tree : bool
        Whether predecessors are needed.

    Returns
    -------
    order, predecessors : array of int64
        Vertices reached; and for each vertex the one before it, or -1.
    """
    n = len(distances)
    # 1. Sort by distance. Positions of vertices whose distance no other has are final.
    reached = np.flatnonzero(np.isfinite(distances))
    order = reached[np.argsort(distances[reached], kind="stable")]
    sorted_distances = distances[order]
    starts = np.flatnonzero(np.diff(sorted_distances, prepend=-1.0))
    sizes = np.diff(starts, append=len(order))
    position = np.zeros(n, np.int64)
    position[order] = np.arange(len(order))
    tied = np.flatnonzero(sizes > 1)
    predecessors = np.full(n, -1, np.int64) if tree else None
    if len(tied) == 0 and not tree:
        return order, None
    is_source = np.zeros(n, bool)
    is_source[sources] = True
    arcs = Arcs(rows, heads, lengths, distances, is_source)
    # 2. Order the vertices of each shared distance, ascending: all earlier positions are final then.
    if len(tied):
        group = np.full(n, -1, np.int64)
        group[order] = np.repeat(np.where(sizes > 1, np.arange(len(sizes)), -1), sizes)
        _order_groups(*arcs.of(group), tied, starts[tied], position, sources)
        order[position[reached]] = reached
    # 3. The tree follows from the order.
    if predecessors is not None:
        arcs.predecessors(position, predecessors)
    return order, predecessors


def _order_groups(
    arcs: Arcs, group: np.ndarray, tied: np.ndarray, starts: np.ndarray, position: np.ndarray, sources: list[int]
) -> None:
    """Writes the positions of vertices that share their distance with others."""
    begins = np.searchsorted(group, tied).tolist()
    ends = np.searchsorted(group, tied, side="right").tolist()
    flat = arcs.distances[arcs.tails] == arcs.distances[arcs.heads]
    flats = np.append(0, np.cumsum(flat))
    last = np.empty(len(position), np.int64)
    # Single elements of a memoryview are read faster than those of an array.
    at, tails, heads = (memoryview(array) for array in (position, arcs.tails, arcs.heads))
    for number, start, begin, end in zip(tied.tolist(), starts.tolist(), begins, ends):
        is_first = number == 0
        if is_first or flats[begin] != flats[end]:
            members = _with_flat_arcs(arcs, position, flat, begin, end, sources if is_first else [])
        elif end - begin < FEW:
            pushes = sorted([(at[tails[i]], i) for i in range(begin, end)])
            members = dict.fromkeys([heads[i] for _, i in pushes])
        else:
            pushed = arcs.heads[begin:end][np.argsort(position[arcs.tails[begin:end]], kind="stable")]
            numbers = np.arange(end - begin)
            last[pushed[::-1]] = numbers[::-1]
            members = pushed[last[pushed] == numbers]
            position[members] = np.arange(start, start + len(members))
            continue
        for place, vertex in enumerate(members, start):
            at[vertex] = place


def _with_flat_arcs(
    arcs: Arcs, position: np.ndarray, flat: np.ndarray, begin: int, end: int, queue: list[int]
) -> list[int]:
    """The vertices of one distance, which arcs without length join: those pushed from smaller distances come first."""
    tails, heads, is_flat = (array[begin:end] for array in (arcs.tails, arcs.heads, flat))
    rising = np.flatnonzero(~is_flat)
    rising = rising[np.argsort(position[tails[rising]], kind="stable")]
    members = dict.fromkeys([*queue, *heads[rising].tolist()])
    following: dict[int, list[int]] = {}
    for i in np.flatnonzero(is_flat).tolist():
        following.setdefault(int(tails[i]), []).append(int(heads[i]))
    queue = list(members)
    for vertex in queue:  # which grows
        for head in following.get(vertex, ()):
            if head not in members:
                members[head] = None
                queue.append(head)
    return queue
