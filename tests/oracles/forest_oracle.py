#!/usr/bin/env python3
"""Spanning forests and components of libboscage against networkx and scipy: forest_oracle.py LIBRARY [GRAPHS].

networkx takes zero weights and parallel edges as they are. scipy reads zeros as missing edges and adds parallel ones
up, so it gets positive weights and the lightest of parallel edges. Neither promises which of equal edges it takes: of
those the sorted weights of a forest are compared, and the edges themselves with Kruskal's algorithm by (weight, id).
"""
import ctypes
import sys

try:
    import networkx
    import numpy as np
    import scipy.sparse
    import scipy.sparse.csgraph
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

OK = 0
TYPES = {"f4": 1, "f8": 2, "i4": 3, "i8": 4, "u4": 5, "u8": 6}
pointer, i32, i64, u64, f64, size_t = (ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64, ctypes.c_uint64,
                                       ctypes.c_double, ctypes.c_size_t)


class CtxOpts(ctypes.Structure):
    _fields_ = [("size", size_t), ("backend", i32), ("device", i32), ("threads", i32), ("cpu_level", i32),
                ("reserved", i32), ("rest", pointer * 11)]


class GraphOpts(ctypes.Structure):
    _fields_ = [("size", size_t), ("weight", i32), ("id_bits", i32), ("arcs", i32), ("parallel", i32), ("nan", i32),
                ("drop_loops", i32), ("wide", i32), ("assume_valid", i32)]


class MsfOpts(ctypes.Structure):
    _fields_ = [("size", size_t), ("algorithm", i32), ("maximum", i32), ("vertex_mask", pointer),
                ("edge_mask", pointer), ("trees", i64), ("limit", pointer), ("keep_parallel", i32)]


class MsfInfo(ctypes.Structure):
    _fields_ = [("size", size_t), ("edges", i64), ("trees", i64), ("weight_low", u64), ("weight_high", i64),
                ("weight", f64), ("rounds", i32), ("rounds_recorded", i32), ("round", i64 * 80)]


class Library:
    def __init__(self, path, threads):
        self.lib = ctypes.CDLL(path)
        self.lib.bosc_ctx_message.restype = ctypes.c_char_p
        self.ctx = pointer()
        opts = CtxOpts(size=ctypes.sizeof(CtxOpts), backend=1, threads=threads)
        assert self.lib.bosc_ctx_create(ctypes.byref(opts), ctypes.byref(self.ctx)) == OK

    def must(self, status):
        if status != OK:
            raise RuntimeError(self.lib.bosc_ctx_message(self.ctx).decode())

    def graph(self, n, u, v, w):
        handle = pointer()
        opts = GraphOpts(size=ctypes.sizeof(GraphOpts), weight=TYPES[w.dtype.str[1:]], id_bits=64)
        self.must(self.lib.bosc_graph_create(self.ctx, ctypes.byref(opts), ctypes.byref(handle)))
        self.must(self.lib.bosc_graph_build(self.ctx, handle, pointer(u.ctypes.data), pointer(v.ctypes.data),
                                            pointer(w.ctypes.data), i64(n), i64(len(u))))
        return handle

    def forest(self, handle, n, m, algorithm, maximum):
        """Edge ids, labels, info."""
        ids, labels = np.empty(max(min(n - 1, m), 1), "i8"), np.empty(max(n, 1), "i8")
        opts = MsfOpts(size=ctypes.sizeof(MsfOpts), algorithm=algorithm, maximum=maximum)
        info = MsfInfo(size=ctypes.sizeof(MsfInfo))
        self.must(self.lib.bosc_msf_compute(self.ctx, handle, ctypes.byref(opts), pointer(ids.ctypes.data),
                                    pointer(labels.ctypes.data), ctypes.byref(info)))
        return ids[:info.edges], labels[:n], info

    def is_forest(self, handle, ids, maximum):
        opts = MsfOpts(size=ctypes.sizeof(MsfOpts), maximum=maximum)
        return self.lib.bosc_msf_verify(self.ctx, handle, ctypes.byref(opts), pointer(ids.ctypes.data), i64(len(ids)),
                                        None) == OK

    def components(self, handle, n):
        labels, count = np.empty(max(n, 1), "i8"), i64()
        self.must(self.lib.bosc_components_compute(self.ctx, handle, None, pointer(labels.ctypes.data), ctypes.byref(count)))
        return labels[:n], count.value

    def free(self, handle):
        self.lib.bosc_graph_free(handle)


def kruskal(n, u, v, w, maximum):
    """The ids of the one forest by (weight, id), ascending; and the smallest vertex of each vertex's tree."""
    root = list(range(n))

    def find(x):
        while root[x] != x:
            root[x] = root[root[x]]
            x = root[x]
        return x

    taken = []
    for i in sorted(range(len(u)), key=lambda i: (-w[i].item() if maximum else w[i].item(), i)):
        a, b = find(u[i]), find(v[i])
        if a != b:
            root[max(a, b)] = min(a, b)
            taken.append(i)
    return sorted(taken), [find(x) for x in range(n)]


def random_graph(r):
    n = int(r.integers(1, 40))
    m = int(r.integers(0, 4 * n))
    kind = r.choice(list(TYPES))
    u, v = r.integers(0, n, m), r.integers(0, n, m)
    if r.random() < 0.3 and m > 2:  # many parallel edges
        u[m // 2:], v[m // 2:] = v[:m - m // 2], u[:m - m // 2]
    least = 0 if kind[0] == "u" else -3
    choice = r.integers(0, 4)
    if choice == 0:
        w = np.full(m, least)
    elif choice == 1:
        w = r.integers(least, 4, m)
    elif choice == 2:
        w = r.permutation(m) + least
    elif kind[0] == "f":
        w = r.normal(size=m) * 10.0 ** r.integers(-20, 20)
    else:
        info = np.iinfo(kind)
        w = r.integers(info.min, info.max, m, dtype=kind, endpoint=True)
    return n, u.astype("i8"), v.astype("i8"), np.ascontiguousarray(w.astype(kind))


def check_networkx(n, u, v, w, ids, maximum):
    graph = networkx.MultiGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from((a, b, {"weight": x}) for a, b, x in zip(u.tolist(), v.tolist(), w.tolist()) if a != b)
    find = networkx.maximum_spanning_edges if maximum else networkx.minimum_spanning_edges
    weights = sorted(d["weight"] for _, _, d in find(graph, algorithm="kruskal", keys=False))
    assert weights == sorted(w[ids].tolist()), "networkx finds other weights"


def check_scipy(n, u, v, w, ids, labels, count):
    """The minimum forest of weights moved to be positive, and the components."""
    rank = np.unique(w, return_inverse=True)[1] + 1.0 if len(w) else w.astype("f8")
    lightest = {}
    for a, b, x in zip(u.tolist(), v.tolist(), rank.tolist()):
        key = (min(a, b), max(a, b))
        if a != b and x < lightest.get(key, np.inf):
            lightest[key] = x
    pairs = np.array(list(lightest), "i8").reshape(-1, 2)
    matrix = scipy.sparse.csr_matrix((list(lightest.values()), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    tree = scipy.sparse.csgraph.minimum_spanning_tree(matrix)
    assert sorted(tree.data) == sorted(rank[ids]), "scipy finds other weights"
    parts, of = scipy.sparse.csgraph.connected_components(matrix, directed=False)
    assert parts == count, "scipy finds another number of components"
    first = np.full(parts, n)
    np.minimum.at(first, of, np.arange(n))
    assert (first[of] == labels).all(), "scipy finds other components"


def check_total(w, ids, info):
    if w.dtype.kind == "f":
        assert np.isclose(info.weight, w[ids].sum(dtype="f8"), rtol=1e-12, atol=1e-12 * np.abs(w[ids]).sum(dtype="f8"))
    else:
        total = sum(w[ids].tolist())
        assert info.weight_high * 2 ** 64 + info.weight_low == total, "the sum is not exact"
        assert info.weight == float(total)


def check(library, r, n, u, v, w):
    handle = library.graph(n, u, v, w)
    for maximum in (0, 1):
        expected, trees = kruskal(n, u.tolist(), v.tolist(), w, maximum)
        for algorithm in (0, 1, 2):
            ids, labels, info = library.forest(handle, n, len(u), algorithm, maximum)
            assert ids.tolist() == expected and labels.tolist() == trees, f"algorithm {algorithm}: another forest"
            assert info.trees == n - len(ids)
            check_total(w, ids, info)
        check_networkx(n, u, v, w, ids, maximum)
        assert library.is_forest(handle, r.permutation(ids), maximum), "the forest is refused"
        others = np.setdiff1d(np.arange(len(u)), ids)
        if len(ids):
            assert not library.is_forest(handle, ids[1:].copy(), maximum), "a forest without an edge passes"
        if len(ids) and len(others):
            wrong = ids.copy()
            wrong[r.integers(len(ids))] = r.choice(others)
            assert not library.is_forest(handle, wrong, maximum), "a wrong edge passes"
            assert not library.is_forest(handle, np.append(ids, others[:1]), maximum), "an edge too many passes"
        if maximum == 0:
            found, count = library.components(handle, n)
            assert found.tolist() == trees and count == len(set(trees))
            check_scipy(n, u, v, w, ids, found, count)
    library.free(handle)


def check_large(library, seed):
    r = np.random.default_rng(seed)
    n, m = 50000, 200000
    u, v = r.integers(0, n, m), r.integers(0, n, m)
    w = r.integers(1, 1 << 20, m).astype("i4")
    handle = library.graph(n, u, v, w)
    ids, labels, info = library.forest(handle, n, m, 0, 0)
    assert library.is_forest(handle, ids, 0)
    order = np.lexsort((w, np.maximum(u, v), np.minimum(u, v)))
    a, b, x = np.minimum(u, v)[order], np.maximum(u, v)[order], w[order]
    first = np.append(True, (a[1:] != a[:-1]) | (b[1:] != b[:-1])) & (a != b)
    matrix = scipy.sparse.csr_matrix((x[first].astype("f8"), (a[first], b[first])), shape=(n, n))
    assert scipy.sparse.csgraph.minimum_spanning_tree(matrix).data.sum() == w[ids].sum() == info.weight
    count, of = scipy.sparse.csgraph.connected_components(matrix, directed=False)
    assert info.trees == count and len(np.unique(labels)) == count and (labels[u] == labels[v]).all()
    library.free(handle)


def main():
    libraries = [Library(sys.argv[1], threads) for threads in (1, 1, 1, 1, 1, 1, 1, 1, 2, 5)]
    graphs = int(sys.argv[2]) if len(sys.argv) > 2 else 1500
    for seed in range(graphs):
        r = np.random.default_rng(seed)
        graph = random_graph(r)
        try:
            check(libraries[seed % 10], r, *graph)
        except Exception:
            print(f"graph {seed}: n {graph[0]}\n{[a.tolist() for a in graph[1:]]} {graph[3].dtype}")
            raise
    for seed in range(4):
        check_large(libraries[seed - 4], seed)
    print(f"{graphs} small graphs and 4 large ones")


if __name__ == "__main__":
    main()
