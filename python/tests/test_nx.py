"""The backend of networkx against networkx."""

from decimal import Decimal
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import boscage.nx
from boscage.nx import backend


@pytest.fixture(autouse=True, scope="module")
def no_graph_is_small():
    """Small graphs too are converted, in the second call for components at the latest."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(boscage.nx, "FEW", 0)
        yield


@st.composite
def graphs(draw):
    kind = draw(st.sampled_from([nx.Graph, nx.MultiGraph]))
    graph = kind()
    names = st.sampled_from([*range(12), "a", "b", (1, 2)])
    graph.add_nodes_from(draw(st.lists(names, max_size=8)))
    for u, v, w in draw(st.lists(st.tuples(names, names, st.sampled_from([0, 1, 2, 2.5, -3, None])), max_size=40)):
        graph.add_edge(u, v, **({} if w is None else {"weight": w}), mark=(u, v))
    return graph


def total(graph, edges):
    return sum(edge[-1].get("weight", 1) for edge in edges)


@given(graphs(), st.booleans())
def test_spanning_edges(graph, minimum):
    function = nx.minimum_spanning_edges if minimum else nx.maximum_spanning_edges
    mine, theirs = list(function(graph, backend="boscage")), list(function(graph, backend="networkx"))
    assert mine == theirs  # Kruskal's algorithm breaks ties by the order of the edges, and so does this package


@given(graphs(), st.booleans(), st.booleans(), st.booleans())
def test_kruskal(graph, minimum, keys, data):
    function = nx.algorithms.tree.mst.kruskal_mst_edges
    options = {"minimum": minimum, "keys": keys, "data": data}
    ours, theirs = (list(function(graph, backend=name, **options)) for name in ("boscage", "networkx"))
    assert ours == theirs


def test_partitions_are_left_to_networkx():
    graph, function = nx.path_graph(3), nx.algorithms.tree.mst.kruskal_mst_edges
    with pytest.raises(NotImplementedError):
        function(graph, True, partition="part", backend="boscage")


@given(graphs())
def test_spanning_tree(graph):
    graph.graph["name"] = "it"
    mine, theirs = (nx.minimum_spanning_tree(graph, backend=name) for name in ("boscage", "networkx"))
    assert nx.utils.graphs_equal(mine, theirs) and type(mine) is type(theirs)


@given(graphs())
def test_components(graph):
    theirs = list(nx.connected_components(graph, backend="networkx"))
    for _ in range(3):
        assert list(nx.connected_components(graph, backend="boscage")) == theirs
    assert nx.number_connected_components(graph, backend="boscage") == len(theirs)
    if len(graph):
        assert nx.is_connected(graph, backend="boscage") == (len(theirs) == 1)
        node = next(iter(graph))
        assert nx.node_connected_component(graph, node, backend="boscage") == theirs[0]


def test_other_weights_are_left_to_networkx():
    from fractions import Fraction

    graph = nx.cycle_graph(4)
    for i, edge in enumerate(graph.edges):
        graph.edges[edge]["weight"] = Fraction(1, 3 + i) if i else 2**70
    assert total(graph, nx.minimum_spanning_edges(graph, backend="boscage")) == Fraction(1, 4) + Fraction(
        1, 5
    ) + Fraction(1, 6)


def test_small_graphs_are_not_worth_it(monkeypatch):
    monkeypatch.setattr(boscage.nx, "FEW", 1000)
    assert backend.should_run("minimum_spanning_tree", (nx.path_graph(3),), {}) is not True
    assert backend.should_run("minimum_spanning_tree", (nx.path_graph(5000),), {}) is True
    monkeypatch.setattr(boscage.nx._core, "Graph", None)  # which a conversion needs
    assert nx.minimum_spanning_tree(nx.path_graph(3), backend="boscage").number_of_edges() == 2


def test_the_first_traversal_is_that_of_networkx(monkeypatch):
    graph = nx.path_graph(5000)
    assert backend.should_run("is_connected", (graph,), {}) is not True
    with monkeypatch.context() as patch:
        patch.setattr(boscage.nx._core, "edges_components", None)
        assert nx.number_connected_components(graph, backend="boscage") == 1
        with nx.config.backend_priority(algos=["boscage"]):  # in which networkx dispatches calls of its own functions
            assert nx.is_connected(nx.path_graph(5000), backend="boscage")
    assert backend.should_run("is_connected", (graph,), {}) is True  # networkx has the converted graph by now
    assert nx.is_connected(graph, backend="boscage")
    graph.remove_edge(1000, 1001)
    assert backend.should_run("is_connected", (graph,), {}) is not True
    assert [nx.number_connected_components(graph, backend="boscage") for _ in range(3)] == [2, 2, 2]


def test_components_of_a_view_of_a_graph():
    graph = nx.Graph([(0, 1), (1, 2), (2, 3), (5, 6), (6, 6)])
    view = graph.subgraph([6, 5, 3, 2, 0])
    for _ in range(2):
        assert sorted(map(sorted, nx.connected_components(view, backend="boscage"))) == [[0], [2, 3], [5, 6]]


def test_errors():
    with pytest.raises(nx.NetworkXNotImplemented):
        nx.minimum_spanning_tree(nx.DiGraph([(0, 1)]), backend="boscage")
    with pytest.raises(ValueError):
        nx.minimum_spanning_tree(nx.path_graph(3), algorithm="guess", backend="boscage")
    for function in (nx.minimum_spanning_tree, nx.maximum_spanning_edges):
        with pytest.raises(nx.NetworkXNotImplemented):
            function(nx.DiGraph([(0, 1)]), algorithm="guess", backend="boscage")
    with pytest.raises(nx.NetworkXPointlessConcept):
        nx.is_connected(nx.Graph(), backend="boscage")
    for absent, error in ((7, KeyError), ("7", KeyError), ([0], TypeError)):  # as networkx's
        with pytest.raises(error):
            nx.node_connected_component(nx.path_graph(3), absent, backend="boscage")
    graph = nx.Graph()
    graph.add_edge(0, 1, weight=np.nan)
    with pytest.raises(ValueError):
        list(nx.minimum_spanning_edges(graph, backend="boscage"))
    assert list(nx.minimum_spanning_edges(graph, ignore_nan=True, backend="boscage")) == []


KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]
WEIGHTS = [
    [1],
    [0, 1],
    [1, 2, 3],
    [0.5, 1.5],
    [0.1, 0.2, 0.3],
    [1, 0.5],
    [True, 2],
    [np.float64(0.5), np.float64(0.1)],
    [np.float64(0.25), 1, 0.5, True],
    [1e-320, 1.0, 1e17, 3.0],
    [2**53, 1],
    [-1, 2],
    [np.inf, 1.0],
    [None],
]


def drawn(r, kind, weights):
    """A graph of shuffled names, with loops, or a view of some of its nodes."""
    n = int(r.choice([1, 2, 5, 12, 40]))
    names = [f"v{i}" if i % 3 else i for i in r.permutation(n).tolist()]
    graph = kind()
    graph.add_nodes_from(names[: 1 + n // 2])
    for u, v, w in r.integers(0, [n, n, len(weights)], (int(r.choice([0, n, 3 * n])), 3)).tolist():
        graph.add_edge(names[u], names[v], **({} if weights[w] is None else {"weight": weights[w]}))
    return graph.subgraph(list(graph)[1:]) if len(graph) > 3 and r.random() < 0.2 else graph


def outcome(call):
    """A result with its types and order, or the error."""
    try:
        found = call()
        found = list(found) if hasattr(found, "__next__") else found
    except Exception as error:
        return type(error), str(error)
    if isinstance(found, nx.Graph):
        return list(found.nodes(data=True)), list(found.edges(data=True))
    return listed(found)


def listed(found):
    if isinstance(found, dict):
        return dict, [(key, listed(value)) for key, value in found.items()]
    if isinstance(found, (list, tuple)):
        return type(found), [listed(value) for value in found]
    return type(found), found


def searches(r, nodes):
    """Calls of all functions of paths."""
    s, t, u = (nodes[i] for i in r.integers(0, len(nodes), 3).tolist())
    cutoff = [None, 0, 1, 2, 2.5, np.inf, -1][r.integers(0, 7)]
    weight = ["weight", "weight", None, "cost"][r.integers(0, 4)]
    reverse = bool(r.integers(0, 2))
    for name in ("dijkstra_path", "dijkstra_path_length", "bidirectional_dijkstra"):
        yield name, (s, t, weight)
    yield "single_source_dijkstra", (s, None, cutoff, weight)
    yield "single_source_dijkstra", (s, t, cutoff, weight)
    yield "multi_source_dijkstra", ({s, u}, None, cutoff, weight)
    yield "multi_source_dijkstra", ([s, u, s], t, cutoff, weight)
    for name in ("dijkstra_path", "dijkstra_path_length"):
        yield "single_source_" + name, (s, cutoff, weight)
        yield "multi_source_" + name, ([s, u], cutoff, weight)
        yield "all_pairs_" + name, (cutoff, weight)
    yield "all_pairs_dijkstra", (cutoff, weight)
    for name in ("shortest_path", "shortest_path_length"):
        yield "single_source_" + name, (s, cutoff)
        yield "all_pairs_" + name, (cutoff,)
        for ends in ((s, t), (s, None), (None, t), (None, None)):
            yield name, (*ends, weight)
        yield name, (s, None, weight, "bellman-ford")
    yield "bfs_edges", (s, reverse, cutoff)
    yield "bfs_tree", (s, reverse, cutoff)
    yield "bfs_predecessors", (s, cutoff)
    yield "bfs_successors", (s, cutoff)


@pytest.mark.filterwarnings("ignore:Note. conversions")
@pytest.mark.parametrize("kind", KINDS)
def test_paths_in_the_order_and_types_of_networkx(kind):
    r = np.random.default_rng(KINDS.index(kind))
    for weights in WEIGHTS * 4:
        graph = drawn(r, kind, weights)
        for name, given in searches(r, list(graph)):
            want, got = (outcome(lambda: getattr(nx, name)(graph, *given, backend=b)) for b in ("networkx", "boscage"))
            assert got == want, (name, given, weights)
            if r.random() < 0.3:
                assert outcome(lambda: getattr(boscage.nx, name)(graph, *given)) == want, name


def test_paths_of_many_equal_lengths():
    """Groups of nodes at one distance are ordered by arrays where they are large."""
    graph = nx.gnm_random_graph(1500, 9000, seed=1)
    graph.add_edges_from((edge for edge in graph.edges), weight=2)
    for call in (nx.single_source_dijkstra, nx.bfs_tree):
        want, got = (outcome(lambda: call(graph, 7, backend=b)) for b in ("networkx", "boscage"))
        assert got == want


def test_every_function_takes_a_graph_of_networkx():
    graph = nx.Graph([(0, 1), (1, 2)])
    assert boscage.nx.is_connected(graph) and boscage.nx.dijkstra_path_length(graph, 0, 2) == 2
    assert sorted(boscage.nx.minimum_spanning_tree(graph).edges) == [(0, 1), (1, 2)]
    with pytest.raises(TypeError, match="G: a graph of networkx is needed, not ndarray"):
        boscage.nx.dijkstra_path(np.eye(3), 0, 1)


@pytest.mark.filterwarnings("ignore:Note. conversions")
def test_limits_that_no_double_holds():
    """networkx compares them exactly."""
    graph = nx.DiGraph()
    graph.add_edge(0, 1, weight=0.1)
    for limit in (Fraction(1, 10), Fraction(2, 10), Decimal("0.1"), 10**400, "1"):
        want, got = (
            outcome(lambda: nx.single_source_dijkstra(graph, 0, None, limit, backend=b))
            for b in ("networkx", "boscage")
        )
        assert got == want, limit
    assert list(nx.bfs_edges(graph, 0, depth_limit=10**400, backend="boscage")) == [(0, 1)]


def test_functions_as_weights_are_refused():
    graph = nx.path_graph(3)
    for call, given in (
        (nx.dijkstra_path, {"source": 0, "target": 2, "weight": lambda *edge: 1}),
        (nx.bfs_edges, {"source": 0, "sort_neighbors": sorted}),
    ):
        with pytest.raises(NotImplementedError):
            call(graph, **given, backend="boscage")
    with pytest.raises(nx.NodeNotFound):
        nx.single_source_dijkstra_path_length(graph, "z", backend="boscage")


def test_lengths_are_added_as_networkx_adds_them():
    """In the type of the weights, integers exactly, and also beyond the largest double."""
    paths = [
        [np.float32(0.1)] * 50,
        [np.float16(0.1)] * 30,
        [2**53, 1, 1, 0.5],
        [2**53, 1, 1],
        [True, 2.5, 1],
        [np.float64(0.1)] * 30,
        [1e308, 1e308, 1e308],
    ]
    for weights in paths:
        graph = nx.Graph()
        graph.add_weighted_edges_from((i, i + 1, w) for i, w in enumerate(weights))
        with np.errstate(over="ignore"):
            want, got = (nx.single_source_dijkstra_path_length(graph, 0, backend=b) for b in ("networkx", "boscage"))
        assert got == want
