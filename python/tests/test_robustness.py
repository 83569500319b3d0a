"""Bad input, threads, pickles, interruptions, and arrays that outlive their owners."""

import _thread
import copy
import gc
import multiprocessing
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import boscage
from boscage import _core
from boscage.cluster.hierarchy import linkage
from boscage.clouds import PointClouds
from boscage.hamming import CellGraph, Trie
from boscage.hashing import HashMap, HashSet, MultiMap, factorize, unique
from boscage.sparse.csgraph import minimum_spanning_tree
from boscage.spatial import KDTree, VoxelGrid, cKDTree, emst
from boscage.terrain import ConcurrentBinaryTree, Terrain
from boscage.voxels import Voxels

RNG = np.random.default_rng(0)
POINTS = RNG.random((400, 3))
TREE = KDTree(POINTS)


@pytest.mark.parametrize(
    "call",
    [
        lambda: KDTree([1.0, 2.0]),
        lambda: KDTree([[np.nan]]),
        lambda: KDTree([[np.inf, 1]]),
        lambda: KDTree("points"),
        lambda: KDTree([["a"]]),
        lambda: KDTree(None),
        lambda: KDTree([[1j]]),
        lambda: KDTree([[1.0]], leafsize=0),
        lambda: KDTree(np.zeros((3, 0))),
        lambda: KDTree(np.zeros((3, 2000))),
        lambda: KDTree([[1.0]], boxsize=-1),
        lambda: KDTree([[1.0]], boxsize=[1, 2]),
        lambda: KDTree([[5.0]], boxsize=1),
        lambda: KDTree([[1.0]], device="gpu"),
        lambda: KDTree([[1.0]], device=3),
        lambda: KDTree([[1.0]], device="cuda:x"),
        lambda: KDTree([[1.0]], progress=3),
        lambda: KDTree([[1, 2], [3]]),
        lambda: KDTree([[object()]]),
        lambda: TREE.query([1.0, 2.0]),
        lambda: TREE.query(POINTS, k=0),
        lambda: TREE.query(POINTS, k=-1),
        lambda: TREE.query(POINTS, k=[0, 1]),
        lambda: TREE.query(POINTS, k=[]),
        lambda: TREE.query(POINTS, k=1.5),
        lambda: TREE.query(POINTS, k="3"),
        lambda: TREE.query(POINTS, p=0.5),
        lambda: TREE.query(POINTS, p=np.nan),
        lambda: TREE.query(POINTS, eps=-1),
        lambda: TREE.query(POINTS, eps=np.nan),
        lambda: TREE.query([[np.nan] * 3]),
        lambda: TREE.query(POINTS, workers=0),
        lambda: TREE.query(POINTS, workers=-5),
        lambda: TREE.query(POINTS * 1j),
        lambda: TREE.query(POINTS, distance_upper_bound=[1, 2, 3]),
        lambda: TREE.query(None),
        lambda: TREE.query(3.0),
        lambda: TREE.query_ball_point(POINTS, [1, 2]),
        lambda: TREE.query_ball_point(POINTS, "r"),
        lambda: TREE.query_pairs(1, output_type="list"),
        lambda: TREE.query_pairs("r"),
        lambda: TREE.query_pairs(1, p=0),
        lambda: TREE.query_ball_tree(POINTS, 1),
        lambda: TREE.query_ball_tree(KDTree([[1.0]]), 1),
        lambda: TREE.count_neighbors(TREE, [np.nan]),
        lambda: TREE.count_neighbors(TREE, 1, weights=[1, 2]),
        lambda: TREE.count_neighbors(TREE, [2, 1], cumulative=False),
        lambda: TREE.sparse_distance_matrix(TREE, 1, output_type="array"),
        lambda: TREE.rebuild([[1.0]]),
        lambda: TREE.query_box([[0, 0, 0]], [[1, 1, 1], [2, 2, 2]]),
        lambda: VoxelGrid(POINTS, 0),
        lambda: VoxelGrid(POINTS, np.nan),
        lambda: VoxelGrid(np.zeros((2, 4)), 1),
        lambda: VoxelGrid(POINTS, 1).query_pairs(-1),
        lambda: VoxelGrid(POINTS, 1).count([[1.0]], 1),
        lambda: emst([1.0]),
        lambda: emst([[np.nan]]),
        lambda: linkage(POINTS, "ward"),
        lambda: linkage([1.0, 2.0]),
        lambda: linkage([[np.nan], [1.0]]),
        lambda: linkage(np.zeros((0, 2))),
        lambda: HashMap([1, 2], [1]),
        lambda: HashMap([1j], [1]),
        lambda: HashMap([1], None),
        lambda: HashMap([1], ["x" * 99]),
        lambda: HashMap([1], [1], layout="flat"),
        lambda: HashMap([1], [1], load=7),
        lambda: HashMap([1], [1], duplicates="all"),
        lambda: HashMap([1, 1], [1, 2], duplicates="error"),
        lambda: HashMap([1], ["a"], duplicates="sum"),
        lambda: HashSet([1j]),
        lambda: HashSet([None]),
        lambda: factorize([[1]]),
        lambda: boscage.use("gpu"),
        lambda: boscage.use("cpu", threads=-1),
    ],
)
def test_bad_input_is_an_exception(call):
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    assert str(caught.value)


def test_the_extension_checks_what_it_gets():
    at, ids, d = _core.Where(), np.empty((2, 2), np.int64), np.empty((2, 2))
    tree = TREE._handle
    good = POINTS[:2]
    tree.query_knn(at, good, 2, 2.0, 0.0, None, None, False, ids, d)
    for wrong in (
        (ids[:1], d),
        (ids, d[:, :1]),
        (ids.astype(np.int32), d),
        (ids, d.astype(np.float32)),
        (np.empty((2, 4), np.int64)[:, ::2], d),
    ):
        with pytest.raises((ValueError, TypeError)):
            tree.query_knn(at, good, 2, 2.0, 0.0, None, None, False, *wrong)
    frozen = ids.copy()
    frozen.flags.writeable = False
    with pytest.raises(TypeError):
        tree.query_knn(at, good, 2, 2.0, 0.0, None, None, False, frozen, d)
    for wrong in (good[:, :2], good.astype(np.float32), good[:, ::-1], good.ravel()):
        with pytest.raises((ValueError, TypeError)):
            tree.query_knn(at, wrong, 2, 2.0, 0.0, None, None, False, ids, d)


def test_saved_bytes_are_checked():
    saved = TREE._handle.save(_core.Where())
    for damaged in (b"", saved[:-1], saved[:50], saved[:100] + b"x" + saved[101:]):
        with pytest.raises((ValueError, OSError)):
            _core.KDTree.load(_core.Where(), damaged)


def test_no_memory_is_memory_error():
    code = (
        "import resource, numpy as np, boscage.spatial as s; x = np.zeros((4_000_000, 2)); s.KDTree(x[:99_999]);"
        "used = int(open('/proc/self/statm').read().split()[0]) * 4096;"
        "resource.setrlimit(resource.RLIMIT_AS, (used + (20 << 20),) * 2)\n"
        "try: s.KDTree(x)\nexcept MemoryError as e: print('memory error')"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.stdout.strip() == "memory error", ran.stderr


STRUCTURES = {
    "tree": (lambda: KDTree(POINTS, boxsize=2), lambda s: s.query(POINTS, k=3)[1]),
    "ctree32": (lambda: cKDTree(POINTS.astype(np.float32)), lambda s: s.query(POINTS, k=3)[1]),
    "grid": (lambda: VoxelGrid(POINTS, 0.1), lambda s: s.query_pairs(0.1)),
    "map": (lambda: HashMap(np.arange(50), np.arange(50.0)), lambda s: s[np.arange(50)]),
    "strings": (lambda: HashMap(["a", "bc"], [1, 2]), lambda s: s[["bc", "a"]]),
    "multimap": (lambda: MultiMap(np.arange(50) % 7, np.arange(50)), lambda s: s.retrieve(np.arange(9))[1]),
    "set": (lambda: HashSet([3, 1]), lambda s: s.contains([1, 2, 3])),
    "cells": (lambda: CellGraph([[0, 1], [1, 1], [0, 1]]), lambda s: s.pairs()[0]),
    "words": (lambda: Trie(["tree", "trie"], alphabet="eirt"), lambda s: np.array(s.keys())),
    "terrain": (lambda: _terrain(), lambda s: s.mesh()[0]),
    "bits": (lambda: _bits(), lambda s: s.leaves()),
}


def _terrain():
    terrain = Terrain(RNG.random((20, 33)), spacing=(1, 2))
    terrain.select(error=0.4)
    return terrain


def _bits():
    tree = ConcurrentBinaryTree(6, 2)
    tree.update([1, 0, 2, 2])
    return tree


@pytest.mark.parametrize("name", STRUCTURES)
def test_pickles_and_copies(name):
    make, ask = STRUCTURES[name]
    structure = make()
    want = ask(structure)
    for other in (pickle.loads(pickle.dumps(structure)), copy.copy(structure), copy.deepcopy(structure)):
        assert type(other) is type(structure) and repr(other) == repr(structure)
        assert (ask(other) == want).all()
    assert repr(structure).startswith("<boscage.")


def test_arrays_outlive_their_owners():
    tree = KDTree(POINTS.copy())
    d, i = tree.query(POINTS, k=4)
    want = d.copy(), i.copy()
    table = HashMap(np.arange(1000), np.arange(1000))
    values = table[np.arange(1000)]
    data = tree.data
    del tree, table
    gc.collect()
    [np.full(10_000, 7.0) for _ in range(50)]
    assert (
        (d == want[0]).all() and (i == want[1]).all() and (values == np.arange(1000)).all() and (data == POINTS).all()
    )


def test_threads_share_a_structure():
    tree = KDTree(POINTS)
    want = tree.query(POINTS, k=5)[1]
    with ThreadPoolExecutor(8) as pool:
        for got in pool.map(lambda _: tree.query(POINTS, k=5, workers=1)[1], range(40)):
            assert (got == want).all()


def test_changes_wait_for_readers():
    sizes = [RNG.random((n, 2)) for n in (10, 2000, 500)]
    tree, table = KDTree(sizes[0]), HashSet(np.arange(10))
    stop = time.monotonic() + 1.5
    failures = []

    def read():
        try:
            while time.monotonic() < stop:
                d, i = tree.query([[0.5, 0.5]] * 20, k=[1, 3])
                assert np.isfinite(d).all() and (i < 2000).all()
                tree.query_pairs(0.01, output_type="ndarray")
                table.contains(np.arange(100))
        except Exception as error:
            if "offsets" not in str(error) and "space" not in str(error):  # the tree changed between two calls
                failures.append(error)

    def change():
        try:
            k = 0
            while time.monotonic() < stop:
                tree.rebuild(sizes[k % 3])
                table.add(np.arange(k % 50))
                k += 1
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=f) for f in (read, read, read, change)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not failures, failures


def test_the_gil_is_released():
    """Another thread runs while a call is in the library."""
    points = RNG.random((400_000, 3))
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.monotonic()
    KDTree(points, workers=1).query(points, k=4, workers=1)
    end = time.monotonic()
    done.set()
    thread.join()
    during = [t for t in ticks if begin < t < end]
    assert len(during) > 5


def test_progress_is_told_and_ends_calls():
    points = RNG.random((200_000, 3))
    told = []
    tree = KDTree(points, progress=lambda stage, fraction: told.append((stage, fraction)))
    assert told and told[-1] == ("kdtree_build", 1.0) and [f for _, f in told] == sorted(f for _, f in told)

    class Enough(Exception):
        pass

    def enough(stage, fraction):
        raise Enough(stage)

    with pytest.raises(Enough, match="kdtree_knn_metric|kdtree_knn"):
        tree.query(points, k=8, progress=enough)
    d, i = tree.query(points[:5])
    assert (i == np.arange(5)).all()

    def late(stage, fraction):
        if fraction == 1:
            raise Enough(stage)

    with pytest.raises(Enough):
        tree.query(points, k=8, progress=late)
    with pytest.raises(RuntimeError, match="progress"):
        tree.query(points, k=8, progress=lambda *_: tree.query(points[:1]))


@pytest.mark.parametrize("calls", [0, 2, 1000])  # 1,000: the last call, when the build is done
@pytest.mark.parametrize("make", [KDTree, lambda x: VoxelGrid(x, 0.05), lambda x: Voxels(x, 0.05), PointClouds])
def test_ended_rebuilds_leave_nothing(make, calls):
    points = RNG.random((60_000, 3))
    structure, left = make(points), [calls]

    def end(stage, fraction):
        left[0] -= 1
        if left[0] < 0 or (calls == 1000 and fraction == 1):
            raise EndedError(stage)

    with pytest.raises(EndedError):
        structure.rebuild(points + 5, progress=end)
    if isinstance(structure, KDTree):
        assert len(structure) == 0 and structure.data.shape == (0, 3) and structure.query(points[0]) == (np.inf, 0)
    elif isinstance(structure, VoxelGrid):
        assert len(structure) == 0 and structure.query_pairs(9).shape == (0, 2)
    elif isinstance(structure, Voxels):
        assert len(structure) == 0 and structure.coords.shape == structure.mean().shape == (0, 3)
    else:
        assert structure.points.shape == (0, 3) and structure.knn(1)[1].shape == (0, 1)
    structure.rebuild(points[:100])
    assert "100 points" in repr(structure) or len(structure) == len(make(points[:100]))


class EndedError(Exception):
    pass


def test_interrupts():
    points = RNG.random((300_000, 3))
    tree = KDTree(points)
    timer = threading.Timer(0.3, _thread.interrupt_main)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background ignore it
    begin = time.monotonic()
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            for _ in range(200):
                tree.query(points, k=40, workers=1)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert time.monotonic() - begin < 60
    tree.verify()


def _child(queue):
    queue.put(TREE.query(POINTS, k=2)[1].sum())


def test_children_of_a_fork_work():
    TREE.query(POINTS)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_child, args=(queue,))
    child.start()
    assert queue.get(timeout=60) == TREE.query(POINTS, k=2)[1].sum()
    child.join()


def test_answers_do_not_depend_on_threads():
    points = RNG.random((20_000, 2))
    graph = np.triu(RNG.random((60, 60)) > 0.7) * RNG.random((60, 60))
    answers = []
    for threads in (1, 2, 8):
        with boscage.use("cpu", threads=threads):
            tree = KDTree(points)
            answers.append(
                [
                    tree.query(points, k=3),
                    emst(points),
                    unique((points[:, 0] * 99).astype(int)),
                    minimum_spanning_tree(graph).toarray(),
                    tree._handle.save(_core.Where()),
                ]
            )
    assert all(pickle.dumps(a) == pickle.dumps(answers[0]) for a in answers)


def test_use_is_restored():
    with boscage.use("cpu", threads=1) as inside:
        assert "threads=1" in repr(inside)
        with boscage.use("cpu", threads=2):
            pass
        assert KDTree([[0.0]]).device == "cpu"
    assert "threads=0" in repr(inside)
    if not boscage.device_count():
        with pytest.raises(RuntimeError, match="cuda"):
            boscage.use("cuda")
        with pytest.raises(RuntimeError, match="cuda"):
            KDTree([[0.0]], device="cuda")


def test_other_objects_with_arrays():
    class Wrapped:
        def __array__(self, dtype=None, copy=None):
            return np.asarray(POINTS, dtype)

    want = TREE.query(POINTS, k=2)[1]
    frozen = POINTS.copy()
    frozen.flags.writeable = False
    for data in (Wrapped(), POINTS.tolist(), memoryview(POINTS), frozen, POINTS.astype(">f8"), np.matrix(POINTS)):
        assert (KDTree(data).query(data, k=2)[1] == want).all()
