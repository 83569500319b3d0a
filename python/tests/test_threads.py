"""Threads that share structures: writers wait only for the readers before them, and no answer mixes two states."""

import multiprocessing
import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest
from boscage import _core
from boscage.hamming import CellGraph, Trie
from boscage.hashing import HashMap, HashSet, MultiMap
from boscage.spatial import KDTree, VoxelGrid
from boscage.terrain import ConcurrentBinaryTree, Terrain
from boscage.voxels import Voxels

RNG = np.random.default_rng(11)
FEW, MANY = RNG.random((150, 2)), RNG.random((400, 2))
SINGLE = MANY.astype(np.float32)
FIXED = KDTree(RNG.random((100, 2)))
QUERIES = RNG.random((20, 2))
SECONDS = 60  # at most


def same(a, b):
    return pickle.dumps(a) == pickle.dumps(b)


def share(structure, writes, reads, rounds=15):
    """Writers and readers share a structure: each answer of a reader is that of a state between two writes.

    The writes are a cycle of states. Each reader makes `rounds` rounds, while the writes go on.
    """
    answers = [[] for _ in reads]
    for write in writes:
        write(structure)
        for known, read in zip(answers, reads):
            known.append(read(structure))
    errors, done, end = [], threading.Event(), time.monotonic() + SECONDS

    def write_all():
        while not done.is_set():
            for write in writes:
                write(structure)

    def read_all(order):
        try:
            for _ in range(rounds):
                for i in order:
                    found = reads[i](structure)
                    assert any(same(found, known) for known in answers[i]), i
                if time.monotonic() > end:
                    break
        except BaseException as error:
            errors.append(error)

    order = list(range(len(reads)))
    readers = [threading.Thread(target=read_all, args=(o,)) for o in (order, order[::-1])]
    writer = threading.Thread(target=write_all)
    for thread in [writer, *readers]:
        thread.start()
    for thread in readers:
        thread.join()
    done.set()
    writer.join()
    assert not errors, errors[0]


@pytest.mark.parametrize("states", [(FEW, MANY), (FEW.astype(np.float32), SINGLE)])
def test_trees_that_are_rebuilt(states):
    tree = KDTree(states[0])
    reads = [
        lambda t: t.query(QUERIES, k=200),
        lambda t: t.query_ball_csr(QUERIES, 0.2, return_distance=True),
        lambda t: t.query_ball_point(QUERIES, 0.1),
        lambda t: t.query_ball_point(QUERIES, 0.1, p=0.5),
        lambda t: t.query_box(QUERIES, QUERIES + 0.2),
        lambda t: t.query_pairs(0.05, output_type="ndarray"),
        lambda t: t.query_pairs(0.05, p=1, output_type="ndarray"),
        lambda t: t.query_ball_tree(FIXED, 0.1),
        lambda t: FIXED.query_ball_tree(t, 0.1),
        lambda t: t.count_neighbors(FIXED, [0.1, 0.2]),
        lambda t: t.sparse_distance_matrix(t, 0.05, output_type="ndarray"),
        lambda t: FIXED.sparse_distance_matrix(t, 0.1, output_type="coo_matrix").shape,
        lambda t: t.maxes,
        lambda t: t.indices.sum(),
        lambda t: repr(t),
    ]
    share(tree, [lambda t, x=x: t.rebuild(x) for x in states], reads)


@pytest.mark.parametrize("make", [KDTree, lambda x: VoxelGrid(x, 0.1)])
def test_structures_whose_type_changes(make):
    single = FEW.astype(np.float32)
    queries = QUERIES.astype(np.float32)
    answers = [make(x).query_ball_csr(queries, 0.1) for x in (single, MANY)]
    for _ in range(10):
        shared, found = make(single), []
        readers = [
            threading.Thread(target=lambda: found.extend(shared.query_ball_csr(queries, 0.1) for _ in range(20)))
            for _ in range(2)
        ]
        for thread in readers:
            thread.start()
        shared.rebuild(MANY)
        for thread in readers:
            thread.join()
        assert len(found) == 40 and all(any(same(x, answer) for answer in answers) for x in found)


@pytest.mark.parametrize("states", [(FEW, MANY), (FEW.astype(np.float32), SINGLE)])
def test_grids_that_are_rebuilt(states):
    reads = [
        lambda g: g.voxels(),
        lambda g: g.count(None, 0.1),
        lambda g: g.count(QUERIES),
        lambda g: g.query_ball_csr(QUERIES, 0.1),
        lambda g: g.query_ball_csr(None, 0.1),
        lambda g: g.query_pairs(0.05),
        lambda g: g.components(0.03),
        lambda g: repr(g),
    ]
    share(VoxelGrid(states[0], 0.1), [lambda g, x=x: g.rebuild(x) for x in states], reads, 50)


def test_voxels_that_are_rebuilt():
    reads = [
        lambda v: v.coords,
        lambda v: v.counts,
        lambda v: v.firsts,
        lambda v: v.offsets,
        lambda v: v.inverse,
        lambda v: v.members(),
        lambda v: v.mean(),
        lambda v: v.kernel_map(),
    ]
    share(Voxels(FEW, 0.1), [lambda v, x=x: v.rebuild(x) for x in (FEW, MANY)], reads)


def test_maps_that_change():
    keys = np.arange(300)
    table = HashMap(keys[:100], keys[:100], layout="bucketed", load=0.5)
    reads = [
        lambda t: sorted(zip(*(x.tolist() for x in t.arrays()))),
        lambda t: sorted(t.keys().tolist()),
        lambda t: sorted(t.values().tolist()),
        lambda t: sorted(t),
        lambda t: t.get(keys, -1),
    ]
    writes = [lambda t: t.insert(keys[100:], keys[100:]), lambda t: t.erase(keys[100:])]
    share(table, writes, reads, 100)
    share(
        HashSet(keys[:100]), [lambda t: t.add(keys[100:]), lambda t: t.discard(keys[100:])], [reads[1], reads[3]], 100
    )


def test_multimaps_that_change():
    keys, more = np.arange(100) % 20, np.arange(200) % 50
    table = MultiMap(keys, np.arange(100))
    reads = [
        lambda t: [np.sort(x) for x in t.arrays()],
        lambda t: t.retrieve([3, 5, 25, 99]),
        lambda t: t.count([3, 25]),
    ]
    share(table, [lambda t: t.erase(np.arange(50)), lambda t: t.insert(more, more)], reads, 100)


def test_terrains_that_change():
    x, y = np.meshgrid(np.linspace(-2, 2, 65), np.linspace(-2, 2, 65))
    terrain = Terrain(np.exp(-x * x - y * y))
    reads = [
        lambda t: t.mesh(),
        lambda t: t.mesh(normals=True),
        lambda t: t.leaves(),
        lambda t: t.corners(),
        lambda t: t.measure(),
        lambda t: t.__getstate__()["leaves"],
    ]
    share(terrain, [lambda t: t.select(error=0.1), lambda t: t.select(error=0.001)], reads, 50)
    tree = ConcurrentBinaryTree(depth=12, level=2)
    share(tree, [lambda t: t.reset(3), lambda t: t.reset(9)], [lambda t: t.leaves()], 200)


def test_vectors_that_are_added():
    letters = RNG.integers(0, 2, (4000, 12))
    graph = CellGraph(letters[:20])
    errors = []

    def read():
        try:
            while not done.is_set():
                pairs, at = graph.pairs()
                assert len(pairs) == len(at)
                first, many = graph.vertices()
                offsets, neighbours, _ = graph.csr()
                assert len(first) == len(many) and offsets[-1] == len(neighbours)
                graph.vertex_of_rows(), graph.vectors(), graph.components(), graph.bfs(0), graph.shortest_path(0, 1)
                assert len(pickle.loads(pickle.dumps(graph))) >= 1
                ranks, _ = trie.pairs()
                assert ranks.shape[1] == 2
                offsets, ranks, _ = trie.neighbours(letters[:50])
                assert offsets[-1] == len(ranks)
                offsets, ranks = trie.matches(letters[:5], letters[:5] == 1)
                assert offsets[-1] == len(ranks)
                trie.keys(), trie.values(), trie.counts()
        except BaseException as error:
            errors.append(error)

    done, trie = threading.Event(), Trie(letters[:20])
    readers = [threading.Thread(target=read) for _ in range(2)]
    for thread in readers:
        thread.start()
    for begin in range(20, 1500, 10):
        graph.add(letters[begin : begin + 10])
        trie.insert(letters[begin : begin + 10])
        time.sleep(0.001)
    done.set()
    for thread in readers:
        thread.join()
    assert not errors, errors[0]


@pytest.mark.parametrize("rebuild", [lambda t: t.rebuild(MANY), lambda t: t._handle.build(_core.Where(), MANY)])
def test_writers_wait_only_for_readers_before_them(rebuild):
    points = RNG.random((20_000, 2))
    tree, done = KDTree(points), threading.Event()

    def read():
        while not done.is_set():
            tree._handle.verify(_core.Where()), tree.query(points[:2000], k=4, workers=1)

    readers = [threading.Thread(target=read) for _ in range(6)]
    writer = threading.Thread(target=lambda: [rebuild(tree) for _ in range(5)], daemon=True)
    for thread in [*readers, writer]:
        thread.start()
    writer.join(SECONDS)
    starved = writer.is_alive()
    done.set()
    for thread in [*readers, writer]:
        thread.join()
    assert not starved


def test_readers_wait_only_for_writers_before_them():
    tree, done = KDTree(FEW), threading.Event()
    writers = [
        threading.Thread(target=lambda: [tree.rebuild(MANY) for _ in iter(done.is_set, True)]) for _ in range(4)
    ]
    reader = threading.Thread(target=lambda: [tree.query(QUERIES) for _ in range(20)], daemon=True)
    for thread in [*writers, reader]:
        thread.start()
    reader.join(SECONDS)
    starved = reader.is_alive()
    done.set()
    for thread in writers:
        thread.join()
    assert not starved


def test_two_trees_in_either_order():
    a, b, done = KDTree(FEW), KDTree(MANY), threading.Event()

    def count(x, y):
        for _ in range(50):
            x.count_neighbors(y, 0.1), x.query_ball_tree(y, 0.05)
            x._handle.pairs(_core.Where(), y._handle, 0.05, 2.0, 0.0, None, np.empty(x.n + 1, np.int64), None, None)

    def write(tree, points):
        while not done.is_set():
            tree.rebuild(points)

    readers = [threading.Thread(target=count, args=order, daemon=True) for order in ((a, b), (b, a))]
    writers = [threading.Thread(target=write, args=of, daemon=True) for of in ((a, FEW), (b, MANY))]
    for thread in readers + writers:
        thread.start()
    for thread in readers:
        thread.join(SECONDS)
    done.set()
    assert not any(thread.is_alive() for thread in readers)


def test_changes_from_a_progress_function_are_refused():
    tree, points, seen = KDTree(MANY), RNG.random((50_000, 2)), []

    def rebuild(stage, fraction):
        try:
            tree.rebuild(FEW, workers=1)
        except RuntimeError as error:
            seen.append(str(error))
            raise

    with pytest.raises(RuntimeError, match="uses the structure"):
        tree.query(points, k=50, progress=rebuild)
    assert len(seen) == 1 and tree.n == len(MANY)
    tree.rebuild(FEW)

    def query(stage, fraction):
        tree.query(QUERIES, workers=1)

    with pytest.raises(RuntimeError, match="uses the structure"):
        tree.rebuild(points, progress=query)
    tree.rebuild(FEW)
    assert same(tree.query(QUERIES), KDTree(FEW).query(QUERIES))


def _read_in_child(tree, queue):
    queue.put(tree.query(QUERIES)[1].sum())
    tree.rebuild(MANY)
    queue.put(tree.n)


def test_children_of_a_fork_wait_for_no_thread_of_the_parent():
    tree, fork = KDTree(RNG.random((20_000, 2))), multiprocessing.get_context("fork")
    done, queue = threading.Event(), fork.Queue()

    def read():
        while not done.is_set():
            tree.query(QUERIES)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for thread in readers:
        thread.start()
    try:
        for _ in range(5):
            child = fork.Process(target=_read_in_child, args=(tree, queue))
            child.start()
            assert queue.get(timeout=SECONDS) >= 0 and queue.get(timeout=SECONDS) == len(MANY)
            child.join()
    finally:
        done.set()
        for thread in readers:
            thread.join()


def test_a_call_that_forks_ends_in_the_child_too():
    points = RNG.random((200_000, 2))
    tree = KDTree(points)
    children = []

    def fork(stage, fraction):
        if not children:
            children.append(os.fork())
            if children[0] == 0:
                raise KeyboardInterrupt  # the child leaves the call, and then changes the tree

    def change():
        signal.alarm(SECONDS)
        tree.rebuild(FEW)
        return tree.n == len(FEW)

    try:
        tree.query(points, k=50, workers=1, progress=fork)
    finally:
        if children and children[0] == 0:
            try:
                os._exit(0 if change() else 1)
            finally:
                os._exit(2)
    assert len(children) == 1 and os.waitpid(children[0], 0)[1] == 0


def test_locked_methods_take_arguments_as_others_do():
    with pytest.raises(TypeError):
        KDTree.query()
    with pytest.raises(TypeError):
        KDTree.rebuild()
    assert same(KDTree.query(x=QUERIES, self=FIXED), FIXED.query(QUERIES))
    assert KDTree.query_ball_tree(FIXED, other=FIXED, r=0.1) == FIXED.query_ball_tree(FIXED, 0.1)
