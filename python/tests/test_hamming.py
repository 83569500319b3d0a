"""Cell graphs and tries against plain Python."""

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boscage.hamming import CellGraph, Trie, pack, unpack


@st.composite
def words(draw, least=1):
    bits = draw(st.integers(1, 4))
    length = draw(st.integers(1, 70))
    n = draw(st.integers(least, 25))
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    rows = rng.integers(0, 2**bits, (3, length))[rng.integers(0, 3, n)]
    changed = rng.random(n) < 0.7  # neighbours of each other, and equal ones
    rows[np.flatnonzero(changed), rng.integers(0, length, changed.sum())] = rng.integers(0, 2**bits, changed.sum())
    return rows, bits


def apart(a, b):
    return np.flatnonzero(np.asarray(a) != np.asarray(b))


@given(words())
def test_pack(given_rows):
    rows, bits = given_rows
    assert (unpack(pack(rows, bits), rows.shape[1], bits) == rows).all()


@given(words(), st.sampled_from(["auto", "heuristic", "trie", "zobrist", "join", "table"]))
def test_cell_graph(given_rows, method):
    rows, bits = given_rows
    if method == "table":
        rows = rows[:, : 26 // bits]
    graph = CellGraph(rows, letter_bits=bits, method=method)
    first = np.sort(np.unique(rows, axis=0, return_index=True)[1])
    want = [
        (int(i), int(j), int(apart(rows[i], rows[j])[0]))
        for i, j in itertools.combinations(first, 2)
        if len(apart(rows[i], rows[j])) == 1
    ]
    pairs, positions = graph.pairs()
    assert [(*pair, at) for pair, at in zip(pairs.tolist(), positions.tolist())] == want
    representatives, counts = graph.vertices()
    assert representatives.tolist() == first.tolist() and counts.sum() == len(rows)
    assert (rows[first][graph.vertex_of_rows()] == rows).all() and (graph.vectors() == rows[first]).all()
    offsets, neighbours, _ = graph.csr()
    assert offsets[-1] == 2 * len(want) == len(neighbours)


def test_table_needs_few_bits():
    with pytest.raises(ValueError, match="method: 'table' needs vectors of at most 26 bits, not 28"):
        CellGraph(["ACGTACGTACGTAC"], alphabet="ACGT", method="table")


@given(words(), words())
def test_adding_is_building(a, b):
    rows = a[0]
    more = np.tile(b[0], (1, 2 + rows.shape[1] // b[0].shape[1]))[:, : rows.shape[1]] % 2 ** a[1]
    graph = CellGraph(rows, letter_bits=a[1])
    graph.add(more)
    whole = CellGraph(np.concatenate([rows, more]), letter_bits=a[1])
    assert all((x == y).all() for x, y in zip(graph.pairs(), whole.pairs()))


def test_ways_through_the_cube():
    cube = np.array(list(itertools.product([0, 1], repeat=4)))
    graph = CellGraph(cube)
    levels, parents = graph.bfs(0)
    assert (levels == cube.sum(axis=1)).all() and graph.components()[0] == 1
    way = graph.shortest_path(0, 15)
    assert len(way) == 5 and all(len(apart(cube[a], cube[b])) == 1 for a, b in zip(way, way[1:]))
    mask = np.ones(16, bool)
    mask[levels == 2] = False
    assert graph.shortest_path(0, 15, mask) is None and graph.components(mask)[0] == 2


def test_paths_without_stored_edges():
    rows = np.random.default_rng(5).random((400, 10)) < 0.4
    graphs = [CellGraph(rows, implied_edges=implied) for implied in (False, True)]
    graphs.append(pickle.loads(pickle.dumps(graphs[1])))
    assert graphs[0].n_edges > 0 and graphs[1].n_edges == graphs[2].n_edges == 0
    for target in range(0, len(graphs[0]), 9):
        paths = [graph.shortest_path(0, target) for graph in graphs]
        paths = [None if path is None else path.tolist() for path in paths]
        assert paths[1:] == paths[:1] * 2
    for call in (graphs[1].pairs, graphs[1].csr, graphs[1].components, lambda: graphs[1].bfs(0)):
        with pytest.raises(ValueError, match="implied_edges"):
            call()
    for options in ({"letter_bits": 2}, {"method": "join"}):
        with pytest.raises(ValueError, match="implied_edges"):
            CellGraph(rows, implied_edges=True, **options)


@given(words(), words())
def test_trie(given_rows, others):
    rows, bits = given_rows
    length = rows.shape[1]
    trie = Trie(rows, letter_bits=bits)
    keys, first, counts = np.unique(rows, axis=0, return_index=True, return_counts=True)
    assert (trie.keys() == keys).all() and trie.values().tolist() == first.tolist()
    assert trie.counts().tolist() == counts.tolist()
    ranks, values = trie.find(rows)
    assert (keys[ranks] == rows).all() and (rows[values] == rows).all()
    asked = np.tile(others[0], (1, 2 + length // others[0].shape[1]))[:, :length] % 2**bits
    offsets, ranks, positions = trie.neighbours(asked)
    for q, query in enumerate(asked):
        want = [(r, int(apart(keys[r], query)[0])) for r in range(len(keys)) if len(apart(keys[r], query)) == 1]
        part = slice(offsets[q], offsets[q + 1])
        assert list(zip(ranks[part].tolist(), positions[part].tolist())) == want
    most, begins, ends = trie.longest(asked)
    for q, query in enumerate(asked):
        same = [len(list(itertools.takewhile(bool, (key == query).tolist()))) for key in keys]
        assert most[q] == max(same)
        assert [r for r in range(len(keys)) if same[r] == max(same)] == list(range(begins[q], ends[q]))
        begin, end = trie.prefix(asked[q : q + 1], most[q])
        assert (begin[0], end[0]) == (begins[q], ends[q])
    free = np.random.default_rng(0).random(asked.shape) < 0.9
    offsets, ranks = trie.matches(asked, free)
    for q in range(len(asked)):
        want = [r for r in range(len(keys)) if (free[q] | (keys[r] == asked[q])).all()]
        assert ranks[offsets[q] : offsets[q + 1]].tolist() == want
    assert trie.erase(rows[:3]) == len(np.unique(rows[:3], axis=0))
    trie.insert(rows[:3])
    assert (trie.keys() == keys).all()


@pytest.mark.parametrize(
    "make",
    [
        lambda: CellGraph([[0, 2]]),
        lambda: CellGraph(["ACX"], alphabet="ACGT"),
        lambda: CellGraph(["AC", "A"], alphabet="ACGT"),
        lambda: CellGraph([0, 1]),
        lambda: CellGraph([[0]], letter_bits=9),
        lambda: CellGraph([[0]], method="guess"),
        lambda: Trie([[-1]]),
        lambda: Trie([[0, 1]]).find([[0]]),
        lambda: Trie([[0, 1]], [1, 2]),
        lambda: CellGraph(["AA"], alphabet="AA"),
        lambda: CellGraph([[0, 1]]).bfs(7),
        lambda: CellGraph([[0, 1]]).shortest_path(0, 1),
        lambda: Trie([[0.5]]),
    ],
)
def test_bad_input(make):
    with pytest.raises((ValueError, TypeError)):
        make()


@pytest.mark.parametrize(
    "make, error, text",
    [
        (lambda: CellGraph(None), TypeError, "vectors: None"),
        (lambda: Trie(None, alphabet="AC"), TypeError, "vectors: None"),
        (lambda: CellGraph(["AC", "CA"]), TypeError, "vectors: strings; `alphabet` gives their letters"),
        (lambda: Trie(["AC"], alphabet="AC").insert(["AG"]), ValueError, "vectors: 'G' in row 0 is not in the"),
        (lambda: CellGraph([]), ValueError, "vectors: none, and no length"),
        (lambda: CellGraph([], alphabet="AC"), ValueError, "vectors: none, and no length"),
        (lambda: CellGraph(["AC", "CA", "A"], alphabet="ACGT"), ValueError, "vectors: row 2 has 1 letters, not 2"),
        (lambda: CellGraph(["AC", "A\xc9"], alphabet="ACGT"), ValueError, "vectors: a letter is not of ASCII"),
        (lambda: Trie(["AC"], alphabet="ACGT").prefix(["A", "ACC"]), ValueError, "vectors: row 1 has 3 letters"),
        (lambda: Trie([[0, 1]]).prefix([[0, 1, 1]]), ValueError, "vectors: rows of up to 2 letters"),
    ],
)
def test_messages(make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_letters_outside_the_alphabet_are_absent():
    trie = Trie(["AA", "AC"], [7, 8], alphabet="AC")
    assert [x.tolist() for x in trie.find(["zA", "AC", "GG", "AA"])] == [[-1, 1, -1, 0], [0, 8, 0, 7]]
    assert "AA" in trie and "Az" not in trie
    assert trie.erase(["zz", "AC", "zA"]) == 1 and "AA" in trie and "AC" not in trie


def test_prefixes_without_lengths():
    trie = Trie(["ACG", "AGG", "GGT", "ACT"], alphabet="ACGT")
    for prefixes in (["A", "AC", "GGT", "", "T"], [b"A", b"AC", b"GGT", b"", b"T"]):
        begins, ends = trie.prefix(prefixes)
        assert (begins.tolist(), ends.tolist()) == ([0, 0, 3, 0, 4], [3, 2, 4, 4, 4])
    begins, ends = Trie([[0, 1, 1], [1, 0, 1], [1, 1, 1]]).prefix([[1], [0]])
    assert (begins.tolist(), ends.tolist()) == ([1, 0], [3, 1])
    assert CellGraph([], length=4).n == 0


@pytest.mark.parametrize(
    "vectors, text",
    [([1, 2], "row 0 is of int"), ([["A", "C"]], "row 0 is of list"), (["AC", None], "row 1 is of NoneType")],
)
def test_rows_that_are_no_strings(vectors, text):
    with pytest.raises(TypeError, match=f"vectors: {text}"):
        CellGraph(vectors, alphabet="ACGT")
