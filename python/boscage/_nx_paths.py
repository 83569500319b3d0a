"""Functions of networkx for shortest paths and breadth-first searches, with its results in its order and types."""

from __future__ import annotations

import math
from functools import cached_property
from itertools import chain
from typing import Any, Iterator, Optional

import numpy as np

from . import _core
from ._search_order import order_vertices
from ._where import place, where

FUNCTIONS = {
    "all_pairs_dijkstra": "as single_source_dijkstra",
    "all_pairs_dijkstra_path": "as single_source_dijkstra",
    "all_pairs_dijkstra_path_length": "as single_source_dijkstra",
    "all_pairs_shortest_path": "as bfs_edges",
    "all_pairs_shortest_path_length": "as bfs_edges",
    "bfs_edges": "without sort_neighbors; the order is networkx's",
    "bfs_predecessors": "as bfs_edges",
    "bfs_successors": "as bfs_edges",
    "bfs_tree": "as bfs_edges",
    "bidirectional_dijkstra": "networkx's own search from both ends, which visits few nodes",
    "dijkstra_path": "as single_source_dijkstra",
    "dijkstra_path_length": "as single_source_dijkstra",
    "multi_source_dijkstra": "as single_source_dijkstra",
    "multi_source_dijkstra_path": "as single_source_dijkstra",
    "multi_source_dijkstra_path_length": "as single_source_dijkstra",
    "shortest_path": "as single_source_dijkstra; between two nodes networkx's own search from both ends",
    "shortest_path_length": "as shortest_path",
    "single_source_dijkstra": "weights are names of attributes or None; paths, order and types are networkx's",
    "single_source_dijkstra_path": "as single_source_dijkstra",
    "single_source_dijkstra_path_length": "as single_source_dijkstra",
    "single_source_shortest_path": "as bfs_edges",
    "single_source_shortest_path_length": "as bfs_edges",
}


def exact(weights: list[Any]) -> bool:
    """True if conversion to double keeps the order of the weights."""
    kinds = set(map(type, weights))
    if kinds <= {float, np.float64}:
        return True
    if kinds == {int}:
        return min(weights) >= -(2**53) and max(weights) <= 2**53
    return all(
        type(w) in (float, int, bool)
        and (type(w) is float or -(2**53) <= w <= 2**53)
        or isinstance(w, (np.floating, np.integer))
        and abs(w) <= 2**53
        or isinstance(w, np.float64)
        for w in weights
    )


# --- searches ---------------------------------------------------------------------------------------------------------


class Rows:
    """The neighbours of each node in networkx's order."""

    def __init__(self, adjacency: Any, nodes: list[Any], number: dict[Any, int]):
        self.near = [adjacency[node] for node in nodes]
        degrees = np.fromiter(map(len, self.near), np.int64, len(nodes))
        self.offsets = np.append(0, np.cumsum(degrees))
        others = map(number.__getitem__, chain.from_iterable(self.near))
        self.heads = np.fromiter(others, np.int64, int(self.offsets[-1]))
        self.tails = np.repeat(np.arange(len(nodes)), degrees)


class Found:
    """Nodes reached from sources, in networkx's order, their distances and the tree of their paths."""

    def __init__(self, nodes: list[Any], order: np.ndarray, distances: list[Any], predecessors: Optional[np.ndarray]):
        self.reached = [nodes[i] for i in order.tolist()]
        self.distances = distances
        self._nodes, self._order, self._predecessors = nodes, order, predecessors

    def lengths(self) -> dict[Any, Any]:
        return dict(zip(self.reached, self.distances))

    @cached_property
    def _before(self) -> list[int]:
        """The number of the predecessor of each node of the order; -1 for sources."""
        return self._predecessors[self._order].tolist()  # type: ignore[index]

    def paths(self) -> dict[Any, list[Any]]:
        paths: dict[Any, list[Any]] = {}
        nodes = self._nodes
        for node, before in zip(self.reached, self._before):
            paths[node] = [node] if before < 0 else [*paths[nodes[before]], node]
        return paths

    def path_to(self, number: int) -> list[Any]:
        path = []
        while number >= 0:
            path.append(self._nodes[number])
            number = int(self._predecessors[number])  # type: ignore[index]
        return path[::-1]

    def edges(self) -> Iterator[tuple[Any, Any]]:
        nodes = self._nodes
        return ((nodes[before], node) for node, before in zip(self.reached, self._before) if before >= 0)


def _compute(G: Any, rows: Rows, weights: Any, sources: list[int], limit: Any) -> np.ndarray:
    """Distances as doubles, infinite where no path leads."""
    distances = np.empty(len(G.nodes), np.uint64 if weights is None else np.float64)
    begin = np.array(sources, np.int64)
    _core.rows_paths(where(place()), rows.offsets, rows.heads, weights, begin, False, limit, distances, None, None)
    if weights is not None:
        return distances
    return np.where(distances == np.iinfo(np.uint64).max, np.inf, distances.astype(np.float64))


class Lengths:
    """Searches of a graph by the weights of its edges; `usable` is False if networkx's own must run."""

    def __init__(self, G: Any, weight: Any):
        self._graph, self._rows = G, G.rows
        try:
            values = self._values(weight)
        except TypeError:  # which networkx's own raises
            values = [None]
        self.usable = exact(values)
        if not self.usable:
            return
        self._weights = np.array(values, np.float64)
        self._kinds = {int if kind is bool else kind for kind in set(map(type, values))}
        # networkx reaches nodes at infinity, and adds weights of other types in their own.
        self.usable = self._kinds <= {int, float, np.float64} and bool(
            (self._weights >= 0).all() and self._weights.sum() < 2.0**1000
        )
        self._values_of_arcs = values if len(self._kinds) > 1 else None

    def _values(self, weight: Any) -> list[Any]:
        data = chain.from_iterable(near.values() for near in self._rows.near)
        if not self._graph.is_multigraph():
            return [edge.get(weight, 1) for edge in data]
        return [min([edge.get(weight, 1) for edge in edges.values()]) for edges in data]

    def search(self, sources: list[Any], cutoff: Any, tree: bool) -> Optional[Found]:
        """None if networkx's own search must run."""
        if cutoff is not None and not (exact([cutoff]) and cutoff >= 0):
            return None
        G, rows = self._graph, self._rows
        numbers = [G.number[source] for source in dict.fromkeys(sources)]
        limit = None if cutoff is None else np.array([cutoff], float)
        distances = _compute(G, rows, self._weights, numbers, limit)
        mixed = len(self._kinds) > 1
        order, before = order_vertices(rows.tails, rows.heads, self._weights, distances, numbers, tree or mixed)
        lengths = distances[order]
        if int in self._kinds and len(lengths) and lengths[-1] >= 2**53:  # networkx adds integers exactly
            return None
        values = (lengths.astype(np.int64) if self._kinds <= {int} else lengths).tolist()
        values[: len(numbers)] = [0] * len(numbers)
        if self._kinds == {np.float64}:
            values[len(numbers) :] = map(np.float64, values[len(numbers) :])
        if mixed:
            values = self._in_types(values, order, before)
        return Found(G.nodes, order, values, before)

    def _in_types(self, values: list[float], order: np.ndarray, before: Any) -> list[Any]:
        """Each distance in the type in which the sum along its path has it."""
        numbers = [int, float, np.float64]  # a sum has the later of two types
        rank = {int: 0, bool: 0, float: 1, np.float64: 2}
        rows = self._rows
        arcs = np.flatnonzero(before[rows.heads] == rows.tails).tolist()
        into = dict(zip(rows.heads[arcs].tolist(), [rank[type(self._values_of_arcs[i])] for i in arcs]))  # type: ignore
        ranks = {-1: 0}
        out = []
        for vertex, previous, value in zip(order.tolist(), before[order].tolist(), values):
            ranks[vertex] = max(ranks[previous], into.get(vertex, 0) if previous >= 0 else 0)
            out.append(numbers[ranks[vertex]](value))
        return out


def _lengths_of(G: Any, weight: Any) -> Optional[Lengths]:
    lengths = Lengths(G, weight)
    return lengths if lengths.usable else None


def _levels(G: Any, source: Any, most: Any, rows: Optional[Rows] = None) -> Found:
    """A breadth-first search to the depth `most`."""
    rows = rows or G.rows
    limit = None
    if most is not None and most < len(G.nodes):
        limit = np.array([math.ceil(most) if most > 0 else 0], np.uint64)
    number = G.number[source]
    distances = _compute(G, rows, None, [number], limit)
    order, before = order_vertices(rows.tails, rows.heads, 1.0, distances, [number], True)
    return Found(G.nodes, order, distances[order].astype(np.int64).tolist(), before)


# --- weighted paths ---------------------------------------------------------------------------------------------------


def _original(name: str) -> Any:
    """networkx's own function."""
    import networkx as nx

    return getattr(nx, name).orig_func


def _check_sources(G: Any, sources: Any) -> None:
    import networkx as nx

    if not sources:
        raise ValueError("sources must not be empty")
    for source in sources:
        if source not in G.of:
            raise nx.NodeNotFound(f"Node {source} not found in graph")


def _dijkstra(G: Any, sources: Any, cutoff: Any, weight: Any, tree: bool) -> Optional[Found]:
    """A search; None if networkx's own must run."""
    lengths = _lengths_of(G, weight)
    return None if lengths is None else lengths.search(list(sources), cutoff, tree)


def multi_source_dijkstra(G: Any, sources: Any, target: Any = None, cutoff: Any = None, weight: Any = "weight") -> Any:
    import networkx as nx

    _check_sources(G, sources)
    if target in sources:
        return 0, [target]
    found = _dijkstra(G, sources, cutoff, weight, True)
    if found is None:
        return _original("multi_source_dijkstra")(G.of, sources, target, cutoff, weight)
    if target is None:
        return found.lengths(), found.paths()
    lengths = found.lengths()
    if target not in lengths:
        raise nx.NetworkXNoPath(f"No path to {target}.")
    return lengths[target], found.path_to(G.number[target])


def multi_source_dijkstra_path(G: Any, sources: Any, cutoff: Any = None, weight: Any = "weight") -> Any:
    return multi_source_dijkstra(G, sources, None, cutoff, weight)[1]


def multi_source_dijkstra_path_length(G: Any, sources: Any, cutoff: Any = None, weight: Any = "weight") -> Any:
    _check_sources(G, sources)
    found = _dijkstra(G, sources, cutoff, weight, False)
    if found is None:
        return _original("multi_source_dijkstra_path_length")(G.of, sources, cutoff, weight)
    return found.lengths()


def single_source_dijkstra(G: Any, source: Any, target: Any = None, cutoff: Any = None, weight: Any = "weight") -> Any:
    return multi_source_dijkstra(G, {source}, target, cutoff, weight)


def single_source_dijkstra_path(G: Any, source: Any, cutoff: Any = None, weight: Any = "weight") -> Any:
    return multi_source_dijkstra_path(G, {source}, cutoff, weight)


def single_source_dijkstra_path_length(G: Any, source: Any, cutoff: Any = None, weight: Any = "weight") -> Any:
    return multi_source_dijkstra_path_length(G, {source}, cutoff, weight)


def dijkstra_path(G: Any, source: Any, target: Any, weight: Any = "weight") -> Any:
    return multi_source_dijkstra(G, {source}, target, None, weight)[1]


def dijkstra_path_length(G: Any, source: Any, target: Any, weight: Any = "weight") -> Any:
    import networkx as nx

    if source not in G.of:
        raise nx.NodeNotFound(f"Node {source} not found in graph")
    if source == target:
        return 0
    found = _dijkstra(G, [source], None, weight, False)
    if found is None:
        return _original("dijkstra_path_length")(G.of, source, target, weight)
    lengths = found.lengths()
    if target not in lengths:
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return lengths[target]


def bidirectional_dijkstra(G: Any, source: Any, target: Any, weight: Any = "weight") -> Any:
    return _original("bidirectional_dijkstra")(G.of, source, target, weight)


def _each_node(G: Any, cutoff: Any, weight: Any, tree: bool, name: str) -> Iterator[tuple[Any, Any]]:
    """(node, search from it); networkx's own results of the function `name` where it must run."""
    lengths = _lengths_of(G, weight)
    for node in G.nodes:
        found = None if lengths is None else lengths.search([node], cutoff, tree)
        yield node, _original(name)(G.of, node, cutoff=cutoff, weight=weight) if found is None else found


def all_pairs_dijkstra(G: Any, cutoff: Any = None, weight: Any = "weight") -> Iterator[Any]:
    for node, found in _each_node(G, cutoff, weight, True, "single_source_dijkstra"):
        yield node, (found.lengths(), found.paths()) if isinstance(found, Found) else found


def all_pairs_dijkstra_path(G: Any, cutoff: Any = None, weight: Any = "weight") -> Iterator[Any]:
    for node, found in _each_node(G, cutoff, weight, True, "single_source_dijkstra_path"):
        yield node, found.paths() if isinstance(found, Found) else found


def all_pairs_dijkstra_path_length(G: Any, cutoff: Any = None, weight: Any = "weight") -> Iterator[Any]:
    for node, found in _each_node(G, cutoff, weight, False, "single_source_dijkstra_path_length"):
        yield node, found.lengths() if isinstance(found, Found) else found


# --- breadth-first searches -------------------------------------------------------------------------------------------


def _is_search(G: Any, source: Any, most: Any) -> bool:
    """False if networkx's own function must run, also for its errors."""
    try:
        return source in G.number and (most is None or not math.isnan(most))
    except (TypeError, OverflowError):
        return False


def single_source_shortest_path(G: Any, source: Any, cutoff: Any = None) -> Any:
    if not _is_search(G, source, cutoff):
        return _original("single_source_shortest_path")(G.of, source, cutoff)
    return _levels(G, source, cutoff).paths()


def single_source_shortest_path_length(G: Any, source: Any, cutoff: Any = None) -> Any:
    if not _is_search(G, source, cutoff):
        return _original("single_source_shortest_path_length")(G.of, source, cutoff)
    return _levels(G, source, cutoff).lengths()


def all_pairs_shortest_path(G: Any, cutoff: Any = None) -> Iterator[Any]:
    for node in G.nodes:
        yield node, single_source_shortest_path(G, node, cutoff)


def all_pairs_shortest_path_length(G: Any, cutoff: Any = None) -> Iterator[Any]:
    for node in G.nodes:
        yield node, single_source_shortest_path_length(G, node, cutoff)


def bfs_edges(G: Any, source: Any, reverse: bool = False, depth_limit: Any = None, sort_neighbors: Any = None) -> Any:
    if sort_neighbors is not None or not _is_search(G, source, depth_limit):
        yield from _original("bfs_edges")(G.of, source, reverse, depth_limit, sort_neighbors)
    else:
        yield from _levels(G, source, depth_limit, G.rows_back if reverse else G.rows).edges()


def bfs_tree(G: Any, source: Any, reverse: bool = False, depth_limit: Any = None, sort_neighbors: Any = None) -> Any:
    import networkx as nx

    tree = nx.DiGraph()
    tree.add_node(source)
    tree.add_edges_from(bfs_edges(G, source, reverse, depth_limit, sort_neighbors))
    return tree


def bfs_predecessors(G: Any, source: Any, depth_limit: Any = None, sort_neighbors: Any = None) -> Iterator[Any]:
    for node, child in bfs_edges(G, source, False, depth_limit, sort_neighbors):
        yield child, node


def bfs_successors(G: Any, source: Any, depth_limit: Any = None, sort_neighbors: Any = None) -> Iterator[Any]:
    parent, children = source, []
    for node, child in bfs_edges(G, source, False, depth_limit, sort_neighbors):
        if node != parent:
            yield parent, children
            parent, children = node, []
        children.append(child)
    yield parent, children


# --- either -----------------------------------------------------------------------------------------------------------


def _searched(G: Any, source: Any, target: Any, weight: Any, method: Any, pairs: bool) -> Any:
    """The graph for networkx's function of any paths: this package's, if the function that it calls is here."""
    if method != "dijkstra" or source is None and target is not None and G.is_directed():
        return G.of
    if source is not None and target is not None and not (pairs and weight is not None):
        return G.of
    return G


def shortest_path(
    G: Any, source: Any = None, target: Any = None, weight: Any = None, method: str = "dijkstra"
) -> Any:
    graph = _searched(G, source, target, weight, method, False)
    return _original("shortest_path")(graph, source, target, weight, method)


def shortest_path_length(
    G: Any, source: Any = None, target: Any = None, weight: Any = None, method: str = "dijkstra"
) -> Any:
    graph = _searched(G, source, target, weight, method, True)
    return _original("shortest_path_length")(graph, source, target, weight, method)


def reason_against(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Optional[str]:
    """The reason if a function of this module cannot take these arguments."""
    position = {name: i for i, name in enumerate(globals()[name].__code__.co_varnames)}

    def argument(key: str, default: Any) -> Any:
        at = position.get(key)
        return kwargs.get(key, args[at] if at is not None and len(args) > at else default)

    if callable(argument("weight", None)):
        return "weights are names of attributes, or None, and no functions"
    if argument("sort_neighbors", None) is not None:
        return "neighbours come in the order of the graph"
    return None
