"""Structures over ranks, which are threads of this process: the answers of one, and no hang when a rank is lost."""

import threading
import time
import warnings

import numpy as np
import pytest
from boscage import _core

import boscage.hashing
import boscage.spatial
from boscage import ranks
from boscage.cluster import DBSCAN, HDBSCAN
from boscage.ranks import run

POINTS = np.random.default_rng(0).random((2000, 3))
SIZES = [1, 2, 3, 5]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_trees(size, dtype):
    points = np.round(POINTS * 50).astype(dtype) / 50  # many equal distances
    queries = points[::7] + np.asarray(0.001, dtype)
    one = boscage.spatial.cKDTree(points)

    def program(comm):
        tree = ranks.KDTree(comm, comm.slice(points))
        tree.verify()
        assert tree.n == len(tree) == 2000 and tree.first_row == comm.bounds(2000)[0]
        mine = comm.slice(queries)
        near = tree.query(mine, 4)
        bounded = tree.query(mine, 4, distance_upper_bound=0.05)
        single = tree.query(mine)
        ball = tree.query_ball_csr(mine, 0.1, return_distance=True)
        tree.rebuild(comm.slice(points + 1))
        return near, bounded, single, ball, tree.query(mine + 1)[1]

    parts = run(program, size)
    for k, want in enumerate((one.query(queries, 4), one.query(queries, 4, distance_upper_bound=0.05), one.query(queries))):
        for j in range(2):
            assert (np.concatenate([part[k][j] for part in parts]) == want[j]).all()
    offsets, ids, d = one.query_ball_csr(queries, 0.1, return_distance=True)
    assert (np.concatenate([part[3][1] for part in parts]) == ids).all()
    assert (np.concatenate([part[3][2] for part in parts]) == d).all()
    assert (np.concatenate([np.diff(part[3][0]) for part in parts]) == np.diff(offsets)).all()
    again = boscage.spatial.cKDTree(points + 1).query(queries + 1)[1]
    assert (np.concatenate([part[4] for part in parts]) == again).all()


@pytest.mark.parametrize("size", SIZES)
def test_maps(size):
    rng = np.random.default_rng(1)
    keys, values = rng.integers(0, 500, 3000), rng.random(3000)
    queries = rng.integers(-5, 600, 700)
    for duplicates in ("last", "first", "sum", "min"):
        one = boscage.hashing.HashMap(keys, values, duplicates=duplicates)

        def program(comm):
            table = ranks.HashMap(comm, comm.slice(keys), comm.slice(values), duplicates)
            assert table.count() == len(one)
            found = table.get(comm.slice(queries), -1.0)
            removed = table.discard(comm.slice(np.arange(0, 50)))
            table.insert(comm.slice(np.arange(600, 620)), comm.slice(np.arange(20.0)))
            return found, removed, table.count(), table.find(np.array([605, 3]))

        parts = run(program, size)
        assert (np.concatenate([part[0] for part in parts]) == one.get(queries, -1.0)).all()
        gone = sum(key in one for key in range(50))
        assert all(part[1] == gone and part[2] == len(one) - gone + 20 for part in parts)
        assert all(part[3][0].tolist() == [5.0, 0.0] and part[3][1].tolist() == [True, False] for part in parts)


@pytest.mark.parametrize("size", SIZES)
def test_primitives(size):
    rng = np.random.default_rng(2)
    for x in (rng.random(5001), rng.integers(0, 99, 3000), rng.random(1).astype(np.float32), np.zeros(0)):

        def program(comm):
            mine = comm.slice(x)
            keys, rows = ranks.sort_pairs(comm, mine, np.arange(*comm.bounds(len(x))))
            return (
                ranks.sort(comm, mine),
                keys,
                rows,
                ranks.scan(comm, mine),
                ranks.scan(comm, mine, "max", exclusive=True),
                ranks.reduce(comm, mine),
            )

        parts = run(program, size)
        joined = [np.concatenate([part[k] for part in parts]) for k in range(5)]
        assert (joined[0] == np.sort(x)).all() and (joined[1] == np.sort(x)).all()
        assert (joined[2] == np.argsort(x, kind="stable")).all()
        assert (joined[3] == boscage.prims.scan(x)).all()
        assert (joined[4] == boscage.prims.scan(x, "max", exclusive=True)).all()
        assert len({float(part[5]) for part in parts} | {float(boscage.prims.reduce(x))}) == 1


@pytest.mark.parametrize("size", SIZES)
def test_keys_trees_and_clusters(size):
    keys = np.random.default_rng(3).integers(0, 300, 2000)
    parts = run(lambda comm: ranks.unique(comm, comm.slice(keys)), size)
    codes, distinct = boscage.hashing.factorize(keys)
    assert (np.concatenate([part[0] for part in parts]) == codes).all()
    assert (np.concatenate([part[1] for part in parts]) == distinct).all() and parts[0][2] == len(distinct)
    parts = run(lambda comm: ranks.emst(comm, comm.slice(POINTS)), size)
    pairs, lengths = boscage.spatial.emst(POINTS)
    assert (np.concatenate([part[0] for part in parts]) == pairs).all()
    assert (np.concatenate([part[1] for part in parts]) == lengths).all()
    parts = run(lambda comm: ranks.dbscan(comm, comm.slice(POINTS), 0.07, 5), size)
    model = DBSCAN(eps=0.07, min_samples=5).fit(POINTS)
    assert (np.concatenate([part[0] for part in parts]) == model.labels_).all()
    assert (np.flatnonzero(np.concatenate([part[1] for part in parts])) == model.core_sample_indices_).all()
    for p, samples in ((1, 0), (1.5, 4), (np.inf, 3)):
        parts = run(lambda comm: ranks.emst(comm, comm.slice(POINTS), p=p, min_samples=samples), size)
        model = HDBSCAN(min_cluster_size=2, min_samples=samples or 1, copy=True, metric="minkowski", metric_params={"p": p})
        heights = model.fit(POINTS).single_linkage_tree_.to_numpy()[:, 2]
        assert (np.sort(np.concatenate([part[1] for part in parts])) == heights).all()
    for metric, method in (("euclidean", "eom"), ("cosine", "leaf"), ("manhattan", "eom"), ("chebyshev", "leaf")):
        options = {"min_cluster_size": 6, "metric": metric, "cluster_selection_method": method}
        parts = run(lambda comm: ranks.hdbscan(comm, comm.slice(POINTS), min_samples=3, **options), size)
        model = HDBSCAN(min_samples=3, copy=True, **options).fit(POINTS)
        assert (np.concatenate([part[0] for part in parts]) == model.labels_).all()
        assert (np.concatenate([part[1] for part in parts]) == model.probabilities_).all()


@pytest.mark.parametrize("size", SIZES)
def test_graphs(size):
    import networkx

    rng = np.random.default_rng(4)
    edges, weights = rng.integers(0, 300, (500, 2)), rng.permutation(500).astype(float)
    graph = networkx.MultiGraph()
    graph.add_nodes_from(range(300))
    graph.add_weighted_edges_from((int(u), int(v), w) for (u, v), w in zip(edges, weights) if u != v)

    def program(comm):
        mine = comm.slice(edges), comm.slice(weights)
        forest = ranks.minimum_spanning_forest(comm, 300, *mine)
        largest = ranks.minimum_spanning_forest(comm, 300, *mine, maximum=True)
        return forest, largest, ranks.connected_components(comm, 300, mine[0])

    parts = run(program, size)
    for k, tree in enumerate((networkx.minimum_spanning_edges, networkx.maximum_spanning_edges)):
        want = sorted(weights.tolist().index(d["weight"]) for _, _, _, d in tree(graph))
        assert np.concatenate([part[k][0] for part in parts]).tolist() == want
        assert all(part[k][1] == weights[want].sum() for part in parts)
    assert all(part[2][0] == networkx.number_connected_components(graph) for part in parts)


# --- ranks that fail --------------------------------------------------------------------------------------------------


def test_an_exception_of_a_rank_reaches_the_caller_at_once():
    begin = time.monotonic()

    def program(comm):
        tree = ranks.KDTree(comm, comm.slice(POINTS))
        if comm.rank == 1:
            raise LookupError("rank 1 has lost its data")
        return tree.query(POINTS[:5])

    with pytest.raises(LookupError, match="rank 1"):
        run(program, 3)
    assert time.monotonic() - begin < 60


def test_a_rank_that_ends_early_is_lost():
    lost = []

    def program(comm):
        if comm.rank == 2:
            return
        with pytest.raises(ConnectionError):
            ranks.sort(comm, np.arange(10.0))
        lost.append(comm.info["broken"])

    run(program, 3)
    assert lost == [True, True]


def test_a_rank_that_is_late_is_lost():
    def program(comm):
        if comm.rank == 0:
            time.sleep(2)
            return
        with pytest.raises(ConnectionError):
            comm.barrier()

    run(program, 2, timeout=0.3)


def test_bad_arguments_of_one_rank_fail_on_all_of_them():
    def program(comm):
        with pytest.raises(ValueError, match="eps"):
            ranks.dbscan(comm, comm.slice(POINTS), 0.1 if comm.rank == 0 else -1.0, 5)
        return ranks.reduce(comm, [1])  # the communicator stays usable

    assert run(program, 2) == [2, 2]


def test_closed_ends():
    comm = ranks.threads(1)[0]
    tree = ranks.KDTree(comm, POINTS)
    with comm:
        comm.barrier()
    for call in (comm.barrier, lambda: tree.query(POINTS[:2]), lambda: ranks.sort(comm, [1]), lambda: comm.info, tree.verify):
        with pytest.raises(ValueError, match="closed"):
            call()
    del comm, tree
    kept = ranks.KDTree(ranks.threads(1)[0], POINTS)  # keeps its communicator
    assert kept.query(POINTS[:3])[1].tolist() == [0, 1, 2]


def test_closing_waits_for_a_call_of_another_thread():
    comm, other = ranks.threads(2, timeout=2.0)
    begun, errors = threading.Event(), []

    def wait():
        begun.set()
        try:
            comm.barrier()  # ends by the time-out
        except ConnectionError as error:
            errors.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    begun.wait()
    time.sleep(0.5)
    begin = time.monotonic()
    comm.close()
    assert time.monotonic() - begin > 0.5
    thread.join()
    assert len(errors) == 1
    other.close()


@pytest.mark.parametrize(
    ("call", "error", "name"),
    [
        (lambda c: ranks.KDTree(c, POINTS).query(POINTS[:, :2]), ValueError, "x"),
        (lambda c: ranks.KDTree(c, POINTS).query(POINTS, 0), ValueError, "k"),
        (lambda c: ranks.KDTree(c, POINTS).query(POINTS, 1, np.nan), ValueError, "distance_upper_bound"),
        (lambda c: ranks.KDTree(c, POINTS).query(POINTS, 1, 0), ValueError, "distance_upper_bound"),
        (lambda c: ranks.KDTree(c, [1.0]), ValueError, "data"),
        (lambda c: ranks.hdbscan(c, POINTS, 1), ValueError, "min_cluster_size"),
        (lambda c: ranks.hdbscan(c, POINTS, 0), ValueError, "min_cluster_size"),
        (lambda c: ranks.hdbscan(c, POINTS, 5.5), TypeError, "min_cluster_size"),
        (lambda c: ranks.hdbscan(c, POINTS, min_samples=len(POINTS) + 1), ValueError, "min_samples"),
        (lambda c: ranks.hdbscan(c, POINTS, metric="hamming"), ValueError, "metric"),
        (lambda c: ranks.hdbscan(c, POINTS, metric="minkowski", p=0), ValueError, "opts: p"),
        (lambda c: ranks.emst(c, POINTS, p=0.5), ValueError, "p"),
        (lambda c: ranks.emst(c, POINTS, p=2, min_samples=-1), ValueError, "min_samples"),
        (lambda c: ranks.hdbscan(c, POINTS, cluster_selection_method="all"), ValueError, "cluster_selection_method"),
        (lambda c: ranks.threads(0), ValueError, "devices"),
        (lambda c: ranks.threads([]), ValueError, "devices"),
        (lambda c: ranks.threads(10**12), ValueError, "devices"),
        (lambda c: ranks.connected_components(c, 3.5, [[0, 1]]), TypeError, "n"),
        (lambda c: ranks.HashMap(c, [1], [1, 2]), ValueError, "values"),
        (lambda c: ranks.HashMap(c, [1], [1], "mean"), ValueError, "duplicates"),
        (lambda c: ranks.HashMap(c, [1.5], [1]), TypeError, "keys"),
        (lambda c: ranks.HashMap(c, [1], [1]).get([9], 1.5), TypeError, "default"),
        (lambda c: ranks.HashMap(c, [1], [1]).find(9), ValueError, "keys"),
        (lambda c: ranks.HashMap(c, [1], [1]).discard([[1, 2]]), ValueError, "keys"),
        (lambda c: ranks.unique(c, [[1, 2]]), ValueError, "keys"),
        (lambda c: ranks.reduce(c, [1], "product"), ValueError, "op"),
        (lambda c: ranks.sort(c, ["a"]), TypeError, "x"),
        (lambda c: ranks.sort_pairs(c, [1], [1, 2]), ValueError, "values"),
        (lambda c: ranks.minimum_spanning_forest(c, 3, [[0, 9]]), ValueError, "9"),
        (lambda c: ranks.minimum_spanning_forest(c, 3, [0, 1]), ValueError, "edges"),
        (lambda c: ranks.minimum_spanning_forest(c, 3, [[0, 1]], [1.0, 2.0]), ValueError, "weights"),
    ],
)
def test_bad_arguments(call, error, name):
    with pytest.raises(error, match=name):
        call(ranks.threads(1)[0])


def test_a_bound_beyond_float32():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        d, _ = ranks.KDTree(ranks.threads(1)[0], np.zeros((1, 2), np.float32)).query([[0.0, 0.0]], 1, 1e300)
    assert d.tolist() == [0.0]


def test_devices():
    assert [c.size for c in ranks.threads(2)] == [2, 2] and ranks.threads(["cpu"])[0].device == "cpu"
    for bad, error in ((0, ValueError), (["cpu", "cuda:0"], ValueError), (["gpu"], ValueError), (5000, ValueError)):
        with pytest.raises(error):
            ranks.threads(bad)


# --- functions of the caller ------------------------------------------------------------------------------------------


class Boards:
    """Ranks that exchange bytes through shared lists."""

    def __init__(self, size):
        self.size, self.barrier = size, threading.Barrier(size)
        self.posted = [None] * size

    def end(self, rank):
        def swap(parts, timeout):
            self.posted[rank] = parts
            self.barrier.wait(timeout)
            found = [self.posted[r][rank] for r in range(self.size)]
            self.barrier.wait(timeout)
            return found

        def all_gather(sent, received, timeout):
            received[:] = b"".join(swap([bytes(sent)] * self.size, timeout))

        def all_to_all(sent, sent_offsets, received, received_offsets, timeout):
            parts = [bytes(sent[sent_offsets[r] : sent_offsets[r + 1]]) for r in range(self.size)]
            for r, part in enumerate(swap(parts, timeout)):
                received[received_offsets[r] : received_offsets[r + 1]] = part

        return ranks.from_functions(all_gather, all_to_all, rank, self.size, timeout=5.0, workers=1)


def over_boards(size, program):
    boards, out, errors = Boards(size), [None] * size, []

    def work(rank):
        try:
            out[rank] = program(boards.end(rank))
        except BaseException as error:
            errors.append(error)
            boards.barrier.abort()

    workers = [threading.Thread(target=work, args=(rank,)) for rank in range(size)]
    [w.start() for w in workers]
    [w.join() for w in workers]
    if errors:
        raise errors[0]
    return out


@pytest.mark.parametrize("size", [1, 2, 3])
def test_functions_of_the_caller(size):
    def program(comm):
        tree = ranks.KDTree(comm, comm.slice(POINTS))
        return tree.query(comm.slice(POINTS), 3)[1], ranks.sort(comm, comm.slice(POINTS[:, 0].copy()))

    parts = over_boards(size, program)
    assert (np.concatenate([p[0] for p in parts]) == boscage.spatial.cKDTree(POINTS).query(POINTS, 3)[1]).all()
    assert (np.concatenate([p[1] for p in parts]) == np.sort(POINTS[:, 0])).all()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_function_that_raises_breaks_the_communicator():
    def fail(*arguments):
        raise OSError("the network is down")

    comm = ranks.from_functions(fail, fail, 0, 2, timeout=1.0)
    with pytest.raises(ConnectionError):
        comm.barrier()
    assert comm.info["broken"]
    with pytest.raises(TypeError):
        ranks.from_functions(None, fail, 0, 2)
    with pytest.raises(ValueError):
        ranks.from_functions(fail, fail, 2, 2)


def test_private_handles_are_checked():
    with pytest.raises(ValueError):
        _core.create_threads(_core.Where(), 0, 1.0)
