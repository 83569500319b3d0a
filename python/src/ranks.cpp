/* Structures over the ranks of a communicator: threads of this process, or ranks joined by functions of Python.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

#include <algorithm>
#include <vector>

namespace
{

class Communicator;

/* A structure of one rank, which must not outlive its end of the communicator. */
struct Part {
    Communicator *comm = nullptr;
    virtual ~Part() = default;
    virtual void release() = 0; /* frees the rank's share */
};

/* One rank's end. */
class Communicator : public Lock
{
  public:
    bosc_comm *of = nullptr;
    std::vector<Part *> parts;
    ~Communicator() { close(); }

    /* Frees the rank's shares of structures, and the end: other ranks do not wait for it any longer. */
    void close()
    {
        for (Part *part : parts) {
            part->release();
            part->comm = nullptr;
        }
        parts.clear();
        bosc_comm *end = of;
        of = nullptr;
        nb::gil_scoped_release release;
        bosc_comm_free(end);
    }
};

/* A handle of the library that belongs to a communicator. */
template <class T, void (*FREE)(T *)> struct PartOf : Part {
    T *of = nullptr;
    void release() override
    {
        FREE(of);
        of = nullptr;
    }
    ~PartOf() override
    {
        if (comm) comm->parts.erase(std::find(comm->parts.begin(), comm->parts.end(), this));
        FREE(of);
    }
};

using Tree = PartOf<bosc_ranks_kdtree, bosc_ranks_kdtree_free>;
using Table = PartOf<bosc_ranks_hash, bosc_ranks_hash_free>;

/* A collective call: no other thread uses the rank's end. */
class Collective : public Writing
{
  public:
    Collective(const Where &where, Communicator &end) : Writing(where, end)
    {
        if (!end.of) throw nb::value_error("communicator: closed");
    }
};

/* The frame of a call of a structure. */
template <class P> Communicator &end_of(P &part)
{
    if (!part.comm || !part.of) throw nb::value_error("communicator: closed");
    return *part.comm;
}

template <class P, class F> void construct_part(P *self, const Where &where, Communicator &comm, F &&create)
{
    Collective call(where, comm);
    new (self) P;
    try {
        call.run([&](bosc_ctx *ctx) { return create(ctx, &self->of); });
        comm.parts.push_back(self);
        self->comm = &comm;
    } catch (...) {
        self->~P();
        throw;
    }
}

/* ---- communicators ---- */

bosc_comm_opts comm_opts(double timeout)
{
    auto opts = sized<bosc_comm_opts>();
    opts.timeout = timeout;
    return opts;
}

nb::list create_threads(const Where &where, int32_t count, double timeout)
{
    if (count < 1 || count > 4096) throw nb::value_error("count: not in 1 to 4096");
    std::vector<bosc_comm *> ends(static_cast<size_t>(count));
    const bosc_comm_opts opts = comm_opts(timeout);
    Call(where).run([&](bosc_ctx *ctx) { return bosc_comm_create_threads(ctx, count, &opts, ends.data()); });
    nb::list all;
    for (bosc_comm *end : ends) {
        auto comm = std::make_unique<Communicator>();
        comm->of = end;
        all.append(nb::cast(comm.release(), nb::rv_policy::take_ownership));
    }
    return all;
}

/* Functions of Python that move bytes between ranks. */
struct Transport {
    nb::object all_gather, all_to_all;
    int size;
};

nb::object view_of(const void *bytes, int64_t count, bool writable)
{
    char *at = static_cast<char *>(const_cast<void *>(bytes));
    char nothing = 0;
    PyObject *view = PyMemoryView_FromMemory(at ? at : &nothing, at ? count : 0, writable ? PyBUF_WRITE : PyBUF_READ);
    if (!view) throw nb::python_error();
    return nb::steal<nb::object>(view);
}

nb::tuple offsets_of(const int64_t *offsets, int size)
{
    nb::list list;
    for (int r = 0; r <= size; r++) list.append(offsets[r]);
    return nb::tuple(list);
}

/* Runs f with the GIL; its exception is reported and breaks the communicator. */
template <class F> int call_python(F &&f)
{
    nb::gil_scoped_acquire acquire;
    try {
        f();
        return 0;
    } catch (nb::python_error &error) {
        error.discard_as_unraisable("boscage.ranks: a function that moves data between ranks");
    } catch (const std::exception &) {
    }
    return 1;
}

int gather_bytes(void *user, const void *sent, size_t bytes, void *received, double timeout)
{
    Transport *by = static_cast<Transport *>(user);
    return call_python([&] {
        const int64_t count = static_cast<int64_t>(bytes);
        by->all_gather(view_of(sent, count, false), view_of(received, count * by->size, true), timeout);
    });
}

int exchange_bytes(void *user, const void *sent, const int64_t *sent_offsets, void *received,
                   const int64_t *received_offsets, double timeout)
{
    Transport *by = static_cast<Transport *>(user);
    return call_python([&] {
        by->all_to_all(view_of(sent, sent_offsets[by->size], false), offsets_of(sent_offsets, by->size),
                       view_of(received, received_offsets[by->size], true), offsets_of(received_offsets, by->size),
                       timeout);
    });
}

void release_transport(void *user)
{
    nb::gil_scoped_acquire acquire;
    delete static_cast<Transport *>(user);
}

Communicator *create_transport(const Where &where, const nb::object &all_gather, const nb::object &all_to_all,
                               int32_t rank, int32_t size, double timeout)
{
    auto comm = std::make_unique<Communicator>();
    auto by = std::make_unique<Transport>(Transport{all_gather, all_to_all, size});
    const bosc_comm_opts opts = comm_opts(timeout);
    auto transport = sized<bosc_comm_transport>();
    transport.user = by.get();
    transport.all_gather = gather_bytes;
    transport.all_to_all = exchange_bytes;
    transport.release = release_transport;
    Call(where).run([&](bosc_ctx *ctx) { return bosc_comm_create(ctx, &transport, rank, size, &opts, &comm->of); });
    by.release();
    return comm.release();
}

nb::dict comm_info(Communicator &comm)
{
    auto about = sized<bosc_comm_info>();
    Reading call(Where(), comm);
    if (!comm.of) throw nb::value_error("communicator: closed");
    call.run([&](bosc_ctx *ctx) { return bosc_comm_get_info(ctx, comm.of, &about); });
    nb::dict d;
    d["rank"] = about.rank;
    d["size"] = about.rank_count;
    d["exchanges"] = about.exchanges;
    d["bytes"] = about.bytes;
    d["seconds"] = about.seconds;
    d["broken"] = about.broken != 0;
    return d;
}

/* Frees the rank's end after the calls of other threads on it. */
void close_end(Communicator &comm)
{
    Hold hold(comm, Hold::CHANGE);
    comm.close();
}

void barrier(Communicator &comm, const Where &where)
{
    Collective call(where, comm);
    call.run([&](bosc_ctx *ctx) { return bosc_comm_barrier(ctx, comm.of); });
}

/* ---- k-d trees ---- */

bosc_ranks_kdtree_info tree_info(Call &call, Tree &tree)
{
    return described<bosc_ranks_kdtree_info, bosc_ranks_kdtree_get_info>(call, tree);
}

void create_tree(Tree *self, const Where &where, Communicator &comm, int dtype, int32_t dim)
{
    auto opts = sized<bosc_kdtree_opts>();
    opts.dtype = static_cast<bosc_dtype>(dtype);
    opts.dim = dim;
    construct_part(self, where, comm, [&](bosc_ctx *ctx, bosc_ranks_kdtree **of) {
        return bosc_ranks_kdtree_create(ctx, comm.of, &opts, of);
    });
}

void build_tree(Tree &tree, const Where &where, const In &points)
{
    Collective call(where, end_of(tree));
    bosc_ranks_kdtree_info about = tree_info(call, tree);
    Rows rows = rows_of(where, points, about.dtype, about.dim, "data");
    call.run([&](bosc_ctx *ctx) { return bosc_ranks_kdtree_build(ctx, tree.of, rows.data, rows.n, rows.stride); });
}

nb::dict describe_tree(Tree &tree, const Where &where)
{
    Collective call(where, end_of(tree));
    bosc_ranks_kdtree_info about = tree_info(call, tree);
    nb::dict d;
    d["n"] = about.n;
    d["begin"] = about.begin;
    d["end"] = about.end;
    d["own_n"] = about.own_n;
    d["first_row"] = about.first_row;
    d["bytes"] = about.bytes;
    return d;
}

/* radius: infinite: no bound. */
void tree_knn(Tree &tree, const Where &where, const In &queries, int64_t k, double radius, bool bounded, const Out &ids,
              const Out &dist2)
{
    Collective call(where, end_of(tree));
    bosc_ranks_kdtree_info about = tree_info(call, tree);
    Rows rows = rows_of(where, queries, about.dtype, about.dim, "x");
    void *id = room(where, ids, BOSC_I64, rows.n * k, "ids");
    void *d = room(where, dist2, distance_type(about.dtype), rows.n * k, "dist2");
    call.run([&](bosc_ctx *ctx) {
        return bounded ? bosc_ranks_kdtree_knn_within(ctx, tree.of, rows.data, rows.n, rows.stride, k, radius, id, d)
                       : bosc_ranks_kdtree_knn(ctx, tree.of, rows.data, rows.n, rows.stride, k, id, d);
    });
}

void tree_radius(Tree &tree, const Where &where, const In &queries, double radius, const Out &offsets, const Out &ids,
                 const Out &dist2)
{
    Collective call(where, end_of(tree));
    bosc_ranks_kdtree_info about = tree_info(call, tree);
    Rows rows = rows_of(where, queries, about.dtype, about.dim, "x");
    int64_t *starts = typed_room<int64_t>(where, offsets, BOSC_I64, rows.n + 1, "offsets");
    void *id = room(where, ids, BOSC_I64, size_of(ids), "ids");
    void *d = room(where, dist2, distance_type(about.dtype), size_of(ids), "dist2");
    call.run([&](bosc_ctx *ctx) {
        return bosc_ranks_kdtree_radius(ctx, tree.of, rows.data, rows.n, rows.stride, radius, starts, id, d,
                                        size_of(ids));
    });
}

void verify_tree(Tree &tree, const Where &where)
{
    Collective call(where, end_of(tree));
    call.run([&](bosc_ctx *ctx) { return bosc_ranks_kdtree_verify(ctx, tree.of, nullptr); });
}

/* ---- hash tables ---- */

void create_table(Table *self, const Where &where, Communicator &comm, int kind, int32_t key_bits, int64_t value_size,
                  int duplicates, int value_dtype)
{
    auto opts = sized<bosc_hash_opts>();
    opts.kind = static_cast<bosc_hash_kind>(kind);
    opts.key_bits = key_bits;
    opts.value_size = value_size;
    opts.duplicates = static_cast<bosc_hash_duplicates>(duplicates);
    opts.value_dtype = static_cast<bosc_dtype>(value_dtype);
    construct_part(self, where, comm, [&](bosc_ctx *ctx, bosc_ranks_hash **of) {
        return bosc_ranks_hash_create(ctx, comm.of, &opts, of);
    });
}

/* Keys are of 8 bytes, values of value_size. Builds or inserts. */
template <auto CHANGE> void change_table(Table &table, const Where &where, const In &keys, const In &values)
{
    Collective call(where, end_of(table));
    const int64_t n = size_of(keys);
    const void *key = items(where, keys, 8, n, "keys");
    const void *value =
        items(where, values, n ? values.is_valid() ? values.nbytes() / static_cast<size_t>(n) : 0 : 0, n, "values");
    call.run([&](bosc_ctx *ctx) { return CHANGE(ctx, table.of, key, value, n); });
}

int64_t erase_keys(Table &table, const Where &where, const In &keys)
{
    Collective call(where, end_of(table));
    const int64_t n = size_of(keys);
    int64_t erased = 0;
    const void *key = items(where, keys, 8, n, "keys");
    call.run([&](bosc_ctx *ctx) { return bosc_ranks_hash_erase(ctx, table.of, key, n, &erased); });
    return erased;
}

void find_keys(Table &table, const Where &where, const In &queries, size_t value_size, const Out &values,
               const Out &found)
{
    Collective call(where, end_of(table));
    const int64_t n = size_of(queries);
    const void *key = items(where, queries, 8, n, "queries");
    void *value = item_room(where, values, value_size, n, "values");
    uint8_t *mask = static_cast<uint8_t *>(item_room(where, found, 1, n, "found"));
    call.run([&](bosc_ctx *ctx) { return bosc_ranks_hash_find(ctx, table.of, key, n, value, mask); });
}

nb::dict table_info(Table &table, const Where &where)
{
    Collective call(where, end_of(table));
    auto about = described<bosc_ranks_hash_info, bosc_ranks_hash_get_info>(call, table);
    nb::dict d;
    d["pairs"] = about.pairs;
    d["keys"] = about.keys;
    d["bytes"] = about.bytes;
    d["own_keys"] = about.own_keys;
    return d;
}

/* ---- primitives, forests, clusters ---- */

void reduce_slices(const Where &where, Communicator &comm, int op, const In &values, const Out &result)
{
    Collective call(where, comm);
    bosc_dtype dtype = dtype_of(values, "values");
    int64_t n = size_of(values);
    const void *from = elements(where, values, dtype, n, "values");
    void *to = room(where, result, dtype, 1, "result");
    call.run(
        [&](bosc_ctx *ctx) { return bosc_ranks_reduce(ctx, comm.of, static_cast<bosc_op>(op), dtype, from, n, to); });
}

void scan_slices(const Where &where, Communicator &comm, int op, bool exclusive, const In &values, const Out &out)
{
    Collective call(where, comm);
    bosc_dtype dtype = dtype_of(values, "values");
    int64_t n = size_of(values);
    const bosc_scan_kind kind = exclusive ? BOSC_EXCLUSIVE : BOSC_INCLUSIVE;
    const void *from = elements(where, values, dtype, n, "values");
    void *to = room(where, out, dtype, n, "out");
    call.run([&](bosc_ctx *ctx) {
        return bosc_ranks_scan(ctx, comm.of, static_cast<bosc_op>(op), kind, dtype, from, n, to);
    });
}

/* Moves a value of 8 bytes with each key, if there are values. */
void sort_slices(const Where &where, Communicator &comm, const In &keys, const In &values, const Out &sorted,
                 const Out &moved)
{
    Collective call(where, comm);
    bosc_dtype dtype = dtype_of(keys, "keys");
    int64_t n = size_of(keys);
    const void *from = elements(where, keys, dtype, n, "keys"), *value = items(where, values, 8, n, "values");
    void *to = room(where, sorted, dtype, n, "sorted"), *with = item_room(where, moved, 8, n, "moved");
    const bool pairs = values.is_valid();
    call.run([&](bosc_ctx *ctx) {
        return pairs ? bosc_ranks_sort_pairs(ctx, comm.of, dtype, from, 8, value, n, to, with)
                     : bosc_ranks_sort_keys(ctx, comm.of, dtype, from, n, to);
    });
}

/* (distinct keys first seen on this rank, distinct keys of all ranks). */
nb::tuple unique_keys(const Where &where, Communicator &comm, const In &keys, const Out &ids, const Out &unique)
{
    Collective call(where, comm);
    int64_t n = size_of(keys), count = 0, total = 0;
    const void *from = items(where, keys, 8, n, "keys");
    int64_t *id = typed_room<int64_t>(where, ids, BOSC_I64, n, "ids");
    void *to = item_room(where, unique, 8, n, "unique");
    call.run([&](bosc_ctx *ctx) { return bosc_ranks_unique(ctx, comm.of, from, n, 64, id, to, &count, &total); });
    return nb::make_tuple(count, total);
}

int64_t emst_slices(const Where &where, Communicator &comm, const In &points, const Out &pairs, const Out &dist2)
{
    Collective call(where, comm);
    auto opts = sized<bosc_emst_opts>();
    const Rows rows = described_rows(where, points, "points", opts);
    int64_t count = 0;
    void *to = room(where, pairs, BOSC_I64, 2 * rows.n, "pairs");
    void *d = room(where, dist2, distance_type(opts.dtype), rows.n, "dist2");
    call.run([&](bosc_ctx *ctx) {
        return bosc_ranks_emst_compute(ctx, comm.of, rows.data, rows.n, rows.stride, &opts, to, d, &count);
    });
    return count;
}

/* Under distances of order p, which `lengths` receives. */
int64_t emst_order_slices(const Where &where, Communicator &comm, const In &points, double p, int64_t min_samples,
                          const Out &pairs, const Out &lengths)
{
    Collective call(where, comm);
    auto opts = sized<bosc_emst_opts>();
    const Rows rows = described_rows(where, points, "points", opts);
    int64_t count = 0;
    void *to = room(where, pairs, BOSC_I64, 2 * rows.n, "pairs");
    double *d = typed_room<double>(where, lengths, BOSC_F64, rows.n, "lengths");
    call.run([&](bosc_ctx *ctx) {
        return bosc_ranks_emst_compute_minkowski(ctx, comm.of, rows.data, rows.n, rows.stride, &opts, p, min_samples,
                                                 to, d, &count);
    });
    return count;
}

int64_t dbscan_slices(const Where &where, Communicator &comm, const In &points, double eps, int64_t min_samples,
                      const Out &labels, const Out &core)
{
    Collective call(where, comm);
    auto opts = sized<bosc_dbscan_opts>();
    auto about = sized<bosc_dbscan_info>();
    const Rows rows = described_rows(where, points, "points", opts);
    void *label = room(where, labels, BOSC_I64, rows.n, "labels");
    uint8_t *mask = static_cast<uint8_t *>(item_room(where, core, 1, rows.n, "core"));
    call.run([&](bosc_ctx *ctx) {
        return bosc_ranks_dbscan_compute(ctx, comm.of, rows.data, rows.n, rows.stride, eps, min_samples, &opts, label,
                                         mask, &about);
    });
    return about.clusters;
}

/* Metrics are those of bosc_cluster_metric; min_samples 0: min_cluster_size. */
int64_t hdbscan_slices(const Where &where, Communicator &comm, const In &points, int metric, double p,
                       int64_t min_cluster_size, int64_t min_samples, bool leaf, double epsilon,
                       int64_t max_cluster_size, bool allow_single_cluster, const Out &labels, const Out &probabilities)
{
    Collective call(where, comm);
    HdbscanOptions s(min_cluster_size, leaf, epsilon, max_cluster_size, allow_single_cluster);
    auto about = sized<bosc_hdbscan_info>();
    const Rows rows = described_rows(where, points, "points", s.opts);
    s.opts.metric = static_cast<bosc_cluster_metric>(metric);
    s.opts.p = p;
    s.opts.min_samples = min_samples;
    void *label = room(where, labels, BOSC_I64, rows.n, "labels");
    double *to = typed_room<double>(where, probabilities, BOSC_F64, rows.n, "probabilities");
    call.run([&](bosc_ctx *ctx) {
        return bosc_ranks_hdbscan_compute(ctx, comm.of, rows.data, rows.n, rows.stride, &s.opts, label, to, nullptr,
                                          &about);
    });
    return about.clusters;
}

/* (edges of this rank, trees, weight) of the forest of all ranks' edges; ids go to the front of `edges`. */
nb::tuple forest_slices(const Where &where, Communicator &comm, Graph &graph, bool maximum, const Out &edges,
                        const Out &labels)
{
    Collective call(where, comm);
    bosc_graph_info about = described<bosc_graph_info, bosc_graph_get_info>(call, graph);
    auto opts = sized<bosc_msf_opts>();
    auto info = sized<bosc_msf_info>();
    opts.maximum = maximum;
    int64_t count = 0;
    const int64_t most = std::min(std::max<int64_t>(about.n - 1, 0), about.entries);
    void *id = room(where, edges, BOSC_I64, most, "edges"), *label = room(where, labels, BOSC_I64, about.n, "labels");
    call.run(
        [&](bosc_ctx *ctx) { return bosc_ranks_msf_compute(ctx, comm.of, graph.of, &opts, id, &count, label, &info); });
    return nb::make_tuple(count, info.trees, info.weight);
}

int64_t component_slices(const Where &where, Communicator &comm, Graph &graph, const Out &labels)
{
    Collective call(where, comm);
    bosc_graph_info about = described<bosc_graph_info, bosc_graph_get_info>(call, graph);
    int64_t count = 0;
    void *label = room(where, labels, BOSC_I64, about.n, "labels");
    call.run(
        [&](bosc_ctx *ctx) { return bosc_ranks_components_compute(ctx, comm.of, graph.of, nullptr, label, &count); });
    return count;
}

void bind_communicators(nb::module_ &m)
{
    nb::class_<Communicator, Lock>(m, "Communicator")
        .def("info", &comm_info)
        .def("barrier", &barrier, "where"_a)
        .def("close", &close_end);
    m.def("create_threads", &create_threads, "where"_a, "count"_a, "timeout"_a);
    m.def("create_transport", &create_transport, "where"_a, "all_gather"_a, "all_to_all"_a, "rank"_a, "size"_a,
          "timeout"_a, nb::rv_policy::take_ownership);
}

} // namespace

void bind_ranks(nb::module_ &m)
{
    /* 1. Communicators and structures. */
    bind_communicators(m);
    nb::class_<Tree>(m, "RanksKDTree")
        .def("__init__", &create_tree, "where"_a, "comm"_a, "dtype"_a, "dim"_a, nb::keep_alive<1, 3>())
        .def("info", &describe_tree, "where"_a)
        .def("build", &build_tree, "where"_a, "points"_a)
        .def("knn", &tree_knn, "where"_a, "queries"_a, "k"_a, "radius"_a, "bounded"_a, "ids"_a, "dist2"_a)
        .def("radius", &tree_radius, "where"_a, "queries"_a, "radius"_a, "offsets"_a, "ids"_a.none(), "dist2"_a.none())
        .def("verify", &verify_tree, "where"_a);
    nb::class_<Table>(m, "RanksHash")
        .def("__init__", &create_table, "where"_a, "comm"_a, "kind"_a, "key_bits"_a, "value_size"_a, "duplicates"_a,
             "value_dtype"_a, nb::keep_alive<1, 3>())
        .def("info", &table_info, "where"_a)
        .def("build", &change_table<bosc_ranks_hash_build>, "where"_a, "keys"_a, "values"_a.none())
        .def("insert", &change_table<bosc_ranks_hash_insert>, "where"_a, "keys"_a, "values"_a.none())
        .def("erase", &erase_keys, "where"_a, "keys"_a)
        .def("find", &find_keys, "where"_a, "queries"_a, "value_size"_a, "values"_a.none(), "found"_a.none());

    /* 2. Functions of the slices of all ranks. */
    m.def("ranks_reduce", &reduce_slices, "where"_a, "comm"_a, "op"_a, "values"_a, "result"_a);
    m.def("ranks_scan", &scan_slices, "where"_a, "comm"_a, "op"_a, "exclusive"_a, "values"_a, "out"_a);
    m.def("ranks_sort", &sort_slices, "where"_a, "comm"_a, "keys"_a, "values"_a.none(), "sorted"_a, "moved"_a.none());
    m.def("ranks_unique", &unique_keys, "where"_a, "comm"_a, "keys"_a, "ids"_a, "unique"_a);
    m.def("ranks_emst", &emst_slices, "where"_a, "comm"_a, "points"_a, "pairs"_a, "dist2"_a);
    m.def("ranks_dbscan", &dbscan_slices, "where"_a, "comm"_a, "points"_a, "eps"_a, "min_samples"_a, "labels"_a,
          "core"_a.none());
    m.def("ranks_emst_minkowski", &emst_order_slices, "where"_a, "comm"_a, "points"_a, "p"_a, "min_samples"_a,
          "pairs"_a, "lengths"_a);
    m.def("ranks_hdbscan", &hdbscan_slices, "where"_a, "comm"_a, "points"_a, "metric"_a, "p"_a, "min_cluster_size"_a,
          "min_samples"_a, "leaf"_a, "epsilon"_a, "max_cluster_size"_a, "allow_single_cluster"_a, "labels"_a,
          "probabilities"_a);
    m.def("ranks_forest", &forest_slices, "where"_a, "comm"_a, "graph"_a, "maximum"_a, "edges"_a, "labels"_a.none());
    m.def("ranks_components", &component_slices, "where"_a, "comm"_a, "graph"_a, "labels"_a);
}
