"""A backend of networkx: spanning trees, components, shortest paths and breadth-first searches of large graphs.

networkx finds it by its entry points. Select it for a call, ``nx.minimum_spanning_tree(G, backend="boscage")``, or
for all, ``nx.config.backend_priority.algos = ["boscage"]``.

Examples
--------
>>> import networkx as nx
>>> G = nx.Graph()
>>> G.add_weighted_edges_from([("a", "b", 3), ("b", "c", 1), ("a", "c", 2)])
>>> sorted(nx.minimum_spanning_tree(G, backend="boscage").edges)
[('a', 'c'), ('b', 'c')]
"""

from __future__ import annotations

from functools import cached_property, wraps
from itertools import count
from operator import itemgetter
from typing import Any, Iterator

import numpy as np

from . import _core, _nx_paths
from ._arrays import DTYPES
from ._nx_paths import Rows, exact
from ._where import place, where

__all__ = ["Graph", "backend", "get_info"]

FEW = 1000  # edges, below which networkx's own functions run; estimated
# Measured with random graphs of 10^3 to 10^5 edges: a conversion takes 1.6 to 6 times as long as a traversal.
TRAVERSALS = {
    "connected_components",
    "is_connected",
    "node_connected_component",
    "number_connected_components",
    "single_source_shortest_path_length",
}

FUNCTIONS = {
    "connected_components": "from the second call for a graph on, one union-find over all edges, in parallel",
    "is_connected": "as connected_components",
    "kruskal_mst_edges": "edges come in the order of Kruskal's algorithm",
    "maximum_spanning_edges": "any algorithm: edges come in the order of Kruskal's",
    "maximum_spanning_tree": "as maximum_spanning_edges",
    "minimum_spanning_edges": "any algorithm: edges come in the order of Kruskal's",
    "minimum_spanning_tree": "as minimum_spanning_edges",
    "node_connected_component": "as connected_components",
    "number_connected_components": "as connected_components",
    **_nx_paths.FUNCTIONS,
}


def get_info() -> dict[str, Any]:
    """Entry of the backend in networkx's documentation."""
    return {
        "backend_name": "boscage",
        "project": "boscage",
        "package": "boscage",
        "short_summary": "Spanning trees, components and shortest paths in parallel, on the CPU or a GPU.",
        "functions": {name: {"additional_docs": text} for name, text in FUNCTIONS.items()},
    }


class Graph:
    """A graph of networkx. The first function that needs its edges as arrays converts it."""

    __networkx_backend__ = "boscage"

    def __init__(self, of: Any):
        self.of = of
        self.traversals = 0  # calls for components so far

    @cached_property
    def nodes(self) -> list[Any]:
        return list(self.of)

    @cached_property
    def number(self) -> dict[Any, int]:
        return dict(zip(self.nodes, count()))

    @cached_property
    def edges(self) -> list[Any]:
        multi = self.of.is_multigraph()
        return list(self.of.edges(keys=True, data=True)) if multi else list(self.of.edges(data=True))

    @cached_property
    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        m, number = len(self.edges), self.number.__getitem__
        u, v = map(itemgetter(0), self.edges), map(itemgetter(1), self.edges)
        return np.fromiter(map(number, u), np.int64, m), np.fromiter(map(number, v), np.int64, m)

    @cached_property
    def rows(self) -> Rows:
        return Rows(self.of._adj, self.nodes, self.number)

    @cached_property
    def rows_back(self) -> Rows:
        """Predecessors of each node of a directed graph."""
        return Rows(self.of._pred, self.nodes, self.number) if self.is_directed() else self.rows

    @cached_property
    def is_small(self) -> bool:
        return self.of.number_of_edges() < FEW

    def count_traversal(self) -> bool:
        """Counts a call for components. True if networkx's own traversal answers it: the first, and in small graphs."""
        self.traversals += 1
        return self.traversals == 1 or self.is_small

    def is_directed(self) -> bool:
        return self.of.is_directed()

    def is_multigraph(self) -> bool:
        return self.of.is_multigraph()

    def graph(self, weights: Any = None) -> Any:
        at = where(place())
        graph = _core.Graph(at, DTYPES["float64"], nan=1)
        graph.build(at, *self.ends, weights, len(self.nodes))
        return graph

    @cached_property
    def components(self) -> tuple[int, np.ndarray]:
        """Their number, and each node's."""
        labels = np.empty(len(self.nodes), np.int64)
        rows = self.rows
        return _core.edges_components(where(place()), rows.tails, rows.heads, len(self.nodes), labels), labels


def convert_from_nx(graph: Any, **options: Any) -> Graph:
    return graph if isinstance(graph, Graph) else Graph(graph)


def convert_to_nx(result: Any, **options: Any) -> Any:
    return result.of if isinstance(result, Graph) else result


def _undirected(G: Graph) -> None:
    """The check of networkx's spanning trees, which they make after the dispatch to a backend."""
    if G.is_directed():
        import networkx as nx

        raise nx.NetworkXNotImplemented("not implemented for directed type")


# --- spanning trees ---------------------------------------------------------------------------------------------------


def _weights(G: Graph, weight: Any, ignore_nan: bool) -> Any:
    """The weights of all edges; None if networkx's own function must run."""
    values = [edge[-1].get(weight, 1) for edge in G.edges]
    if not exact(values):
        return None
    out = np.array(values, np.float64)
    nan = np.flatnonzero(np.isnan(out))
    if len(nan) and not ignore_nan:
        raise ValueError(f"NaN found as an edge weight. Edge {G.edges[nan[0]]}")
    return out


def _forest(G: Graph, minimum: bool, weights: np.ndarray) -> np.ndarray:
    """Edges of the spanning forest in the order in which Kruskal's algorithm takes them."""
    at = where(place())
    graph = G.graph(weights)
    about = graph.info(at)
    ids = np.empty(max(min(about["n"] - 1, about["m"]), 0), np.int64)
    ids = ids[: graph.forest(at, not minimum, ids, None)[0]]
    key = weights[ids] if minimum else -weights[ids]
    return ids[np.argsort(key, kind="stable")]


def _spanning_edges(
    G: Graph, minimum: bool, algorithm: Any, weight: Any, keys: bool, data: bool, ignore_nan: bool
) -> Iterator[Any]:
    """Edges, as the functions of networkx yield them."""
    weights = None if G.is_small else _weights(G, weight, ignore_nan)
    if weights is None:
        from networkx.algorithms.tree import mst

        # not minimum_spanning_edges: its call of kruskal_mst_edges would be dispatched back to this function
        theirs = {"kruskal": mst.kruskal_mst_edges, "prim": mst.prim_mst_edges}.get(algorithm, mst.boruvka_mst_edges)
        yield from theirs.orig_func(G.of, minimum=minimum, weight=weight, keys=keys, data=data, ignore_nan=ignore_nan)
        return
    for i in _forest(G, minimum, weights).tolist():
        edge = G.edges[i]
        ends = edge[:-1] if keys else edge[:2]
        yield (*ends, edge[-1]) if data else ends


def _check(G: Graph, algorithm: Any) -> None:
    _undirected(G)
    if algorithm not in ("kruskal", "prim", "boruvka", "borůvka"):
        raise ValueError(f"{algorithm} is not a valid choice for an algorithm.")
    if G.is_multigraph() and algorithm in ("boruvka", "borůvka"):
        import networkx as nx

        raise nx.NetworkXNotImplemented("not implemented for multigraph type")


def minimum_spanning_edges(
    G: Any,
    algorithm: str = "kruskal",
    weight: str = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
) -> Iterator[Any]:
    _check(G, algorithm)
    return _spanning_edges(G, True, algorithm, weight, keys, data, ignore_nan)


def maximum_spanning_edges(
    G: Any,
    algorithm: str = "kruskal",
    weight: str = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
) -> Iterator[Any]:
    _check(G, algorithm)
    return _spanning_edges(G, False, algorithm, weight, keys, data, ignore_nan)


def kruskal_mst_edges(
    G: Any,
    minimum: bool,
    weight: str = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
    partition: Any = None,
) -> Iterator[Any]:
    return _spanning_edges(G, minimum, "kruskal", weight, keys, data, ignore_nan)


def _spanning_tree(G: Any, minimum: bool, weight: Any, algorithm: str, ignore_nan: bool) -> Any:
    _check(G, algorithm)
    tree = G.of.__class__()
    tree.graph.update(G.of.graph)
    tree.add_nodes_from(G.of.nodes.items())
    tree.add_edges_from(_spanning_edges(G, minimum, algorithm, weight, True, True, ignore_nan))
    return tree


def minimum_spanning_tree(G: Any, weight: str = "weight", algorithm: str = "kruskal", ignore_nan: bool = False) -> Any:
    return _spanning_tree(G, True, weight, algorithm, ignore_nan)


def maximum_spanning_tree(G: Any, weight: str = "weight", algorithm: str = "kruskal", ignore_nan: bool = False) -> Any:
    return _spanning_tree(G, False, weight, algorithm, ignore_nan)


# --- components -------------------------------------------------------------------------------------------------------


def _traversed(G: Graph) -> Iterator[set[Any]]:
    """Components by networkx's own traversal: its `is_connected` would dispatch a call for them to this module."""
    import networkx as nx

    return nx.connected_components.orig_func(G.of)


def connected_components(G: Any) -> Iterator[set[Any]]:
    return _traversed(G) if G.count_traversal() else _sets(G)


def _sets(G: Graph) -> Iterator[set[Any]]:
    _, labels = G.components
    order = np.argsort(labels, kind="stable")
    starts = np.flatnonzero(np.diff(labels[order], prepend=-1)).tolist()
    places = order.tolist()
    for begin, end in zip(starts, starts[1:] + [len(places)]):
        yield {G.nodes[i] for i in places[begin:end]}


def number_connected_components(G: Any) -> int:
    if G.count_traversal():
        return sum(1 for _ in _traversed(G))
    return G.components[0]


def is_connected(G: Any) -> bool:
    if not len(G.of):
        import networkx as nx

        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    if G.count_traversal():
        return len(next(_traversed(G))) == len(G.of)
    return G.components[0] == 1


def node_connected_component(G: Any, n: Any) -> set[Any]:
    if G.count_traversal():
        import networkx as nx

        return nx.node_connected_component.orig_func(G.of, n)
    labels = G.components[1]
    return {G.nodes[i] for i in np.flatnonzero(labels == labels[G.number[n]]).tolist()}


# --- protocol of networkx ---------------------------------------------------------------------------------------------


def can_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """True if the backend gives the answer of networkx for these arguments; else the reason."""
    partition = args[6] if name == "kruskal_mst_edges" and len(args) > 6 else kwargs.get("partition")
    if partition is not None:
        return "partitions of the edges are not taken"
    if name in _nx_paths.FUNCTIONS:
        return _nx_paths.reason_against(name, args, kwargs) or True
    return name in FUNCTIONS


def should_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """True if the graph is large, and converted already or worth converting; else the reason."""
    graph = args[0] if args else kwargs.get("G")
    if graph is None or isinstance(graph, Graph):
        return True
    if graph.number_of_edges() < FEW:
        return "the graph is too small for it to matter"
    converted = getattr(graph, "__networkx_cache__", {}).get("backends", {}).get("boscage")
    return name not in TRAVERSALS or bool(converted) or "networkx's own traversal costs less than a conversion"


class backend:
    """The object that the entry point names."""

    Graph = Graph
    convert_from_nx = staticmethod(convert_from_nx)
    convert_to_nx = staticmethod(convert_to_nx)
    can_run = staticmethod(can_run)
    should_run = staticmethod(should_run)


def _converting(function: Any) -> Any:
    """The function for graphs of networkx too, as which networkx calls none: it converts them."""

    @wraps(function)
    def call(G: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(G, Graph):
            if not hasattr(G, "_adj"):
                raise TypeError(f"G: a graph of networkx is needed, not {type(G).__name__}")
            G = Graph(G)
        return function(G, *args, **kwargs)

    return call


for _name in FUNCTIONS:
    globals()[_name] = _converting(globals()[_name] if _name in globals() else getattr(_nx_paths, _name))
    setattr(backend, _name, staticmethod(globals()[_name]))
