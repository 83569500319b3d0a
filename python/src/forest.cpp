/* Euclidean spanning trees, dendrograms, tours.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

namespace
{

/* min_samples: of mutual reachability; 0: a Euclidean tree */
void emst(const Where &where, const In &points, const Out &pairs, const Out &dist2, int64_t min_samples)
{
    auto opts = sized<bosc_emst_opts>();
    const Rows rows = described_rows(where, points, "points", opts);
    int64_t count = rows.n > 0 ? rows.n - 1 : 0;
    void *to = room(where, pairs, BOSC_I64, 2 * count, "pairs");
    void *d = room(where, dist2, distance_type(opts.dtype), count, "dist2");
    Call(where).run([&](bosc_ctx *ctx) {
        if (min_samples == 0) return bosc_emst_compute(ctx, rows.data, rows.n, rows.stride, &opts, to, d);
        return bosc_emst_compute_mutual(ctx, rows.data, rows.n, rows.stride, &opts, min_samples, to, d, nullptr);
    });
}

/* Under distances of order p, which `lengths` receives. */
void emst_minkowski(const Where &where, const In &points, double p, int64_t min_samples, const Out &pairs,
                    const Out &lengths)
{
    auto opts = sized<bosc_emst_opts>();
    const Rows rows = described_rows(where, points, "points", opts);
    int64_t count = rows.n > 0 ? rows.n - 1 : 0;
    void *to = room(where, pairs, BOSC_I64, 2 * count, "pairs");
    double *d = typed_room<double>(where, lengths, BOSC_F64, count, "lengths");
    Call(where).run([&](bosc_ctx *ctx) {
        return bosc_emst_compute_minkowski(ctx, rows.data, rows.n, rows.stride, &opts, p, min_samples, to, d, nullptr);
    });
}

/* Writes the best replacement of each edge, and its squared length. */
void emst_replacements(const Where &where, const In &points, const In &pairs, int64_t min_samples,
                       const Out &replacements, const Out &dist2)
{
    auto opts = sized<bosc_emst_opts>();
    const Rows rows = described_rows(where, points, "points", opts);
    int64_t count = rows.n > 0 ? rows.n - 1 : 0;
    const void *edges = elements(where, pairs, BOSC_I64, 2 * count, "pairs");
    void *to = room(where, replacements, BOSC_I64, 2 * count, "replacements");
    void *d = room(where, dist2, distance_type(opts.dtype), count, "dist2");
    Call(where).run([&](bosc_ctx *ctx) {
        return bosc_emst_find_replacements(ctx, rows.data, rows.n, rows.stride, &opts, min_samples, edges, to, d);
    });
}

/* The same under Minkowski distances, which are not squared. */
void emst_replacements_minkowski(const Where &where, const In &points, const In &pairs, double p, int64_t min_samples,
                                 const Out &replacements, const Out &lengths)
{
    auto opts = sized<bosc_emst_opts>();
    const Rows rows = described_rows(where, points, "points", opts);
    int64_t count = rows.n > 0 ? rows.n - 1 : 0;
    const void *edges = elements(where, pairs, BOSC_I64, 2 * count, "pairs");
    void *to = room(where, replacements, BOSC_I64, 2 * count, "replacements");
    double *d = typed_room<double>(where, lengths, BOSC_F64, count, "lengths");
    Call(where).run([&](bosc_ctx *ctx) {
        return bosc_emst_find_replacements_minkowski(ctx, rows.data, rows.n, rows.stride, &opts, p, min_samples, edges,
                                                     to, d);
    });
}

void linkage(const Where &where, const In &pairs, const In &lengths, int64_t n, const Out &z)
{
    int64_t count = n > 0 ? n - 1 : 0;
    const void *edges = elements(where, pairs, BOSC_I64, 2 * count, "pairs");
    const double *d = typed<double>(where, lengths, BOSC_F64, count, "lengths");
    double *to = typed_room<double>(where, z, BOSC_F64, 4 * count, "z");
    Call(where).run([&](bosc_ctx *ctx) { return bosc_linkage_compute(ctx, edges, d, n, nullptr, to); });
}

void tour(const Where &where, const In &pairs, int64_t n, const Out &order)
{
    const void *edges = elements(where, pairs, BOSC_I64, n > 0 ? 2 * (n - 1) : 0, "pairs");
    void *to = room(where, order, BOSC_I64, n, "order");
    Call(where).run([&](bosc_ctx *ctx) { return bosc_tour_compute(ctx, edges, n, nullptr, to); });
}

bosc_tour_search_opts search_opts(const In &points, const Rows &rows)
{
    auto opts = sized<bosc_tour_search_opts>();
    opts.dtype = dtype_of(points, "points");
    opts.dim = static_cast<int32_t>(rows.dim);
    return opts;
}

/* Shortens the tour in `order`; returns its length. kicks: as in bosc_tour_search_opts. */
double improve_tour(const Where &where, const In &points, int32_t kicks, uint64_t seed, const Out &order)
{
    Rows rows = rows_of(where, points, dtype_of(points, "points"), -1, "points");
    bosc_tour_search_opts opts = search_opts(points, rows);
    opts.kicks = kicks;
    opts.seed = seed;
    void *to = room(where, order, BOSC_I64, rows.n, "order");
    double length = 0;
    Call(where).run(
        [&](bosc_ctx *ctx) { return bosc_tour_improve(ctx, rows.data, rows.n, rows.stride, &opts, to, &length); });
    return length;
}

double tour_bound(const Where &where, const In &points, int32_t rounds)
{
    Rows rows = rows_of(where, points, dtype_of(points, "points"), -1, "points");
    bosc_tour_search_opts opts = search_opts(points, rows);
    opts.rounds = rounds;
    double bound = 0;
    Call(where).run([&](bosc_ctx *ctx) { return bosc_tour_bound(ctx, rows.data, rows.n, rows.stride, &opts, &bound); });
    return bound;
}

/* Edges (u[i], v[i]) of uint32 or int64, without a graph. */
struct Edges {
    bosc_graph_opts opts = sized<bosc_graph_opts>();
    const void *u, *v, *weights = nullptr;
    int64_t n, m;
    bosc_dtype ids;
    Edges(const Where &where, const In &from, const In &to, const In &w, int64_t vertices, int nan)
        : n(vertices), m(size_of(from)), ids(dtype_of(from, "u"))
    {
        if (ids != BOSC_U32 && ids != BOSC_I64) throw nb::type_error("u: neither uint32 nor int64");
        opts.id_bits = ids == BOSC_U32 ? 32 : 64;
        opts.nan = static_cast<bosc_graph_nan>(nan);
        u = elements(where, from, ids, m, "u");
        v = elements(where, to, ids, m, "v");
        if (!w.is_valid()) return;
        opts.weight = dtype_of(w, "weights");
        weights = elements(where, w, opts.weight, m, "weights");
    }
};

/* Writes the ids of the forest's edges to the front of `out` and returns their number. */
int64_t edges_forest(const Where &where, const In &u, const In &v, const In &weights, int64_t n, int nan,
                     const Out &out)
{
    Edges e(where, u, v, weights, n, nan);
    void *to = room(where, out, e.ids, n > 0 && n - 1 < e.m ? n - 1 : e.m, "edges");
    auto info = sized<bosc_msf_info>();
    Call(where).run([&](bosc_ctx *ctx) {
        return bosc_msf_compute_edges(ctx, &e.opts, nullptr, e.u, e.v, e.weights, n, e.m, to, nullptr, &info);
    });
    return info.edges;
}

int64_t edges_components(const Where &where, const In &u, const In &v, int64_t n, const Out &labels)
{
    Edges e(where, u, v, In(), n, 0);
    void *to = room(where, labels, e.ids, n, "labels");
    int64_t count = 0;
    Call(where).run([&](bosc_ctx *ctx) {
        return bosc_components_compute_edges(ctx, &e.opts, nullptr, e.u, e.v, nullptr, n, e.m, to, &count);
    });
    return count;
}

} // namespace

void bind_forest(nb::module_ &m)
{
    m.def("emst", &emst, "where"_a, "points"_a, "pairs"_a, "dist2"_a.none(), "min_samples"_a = 0);
    m.def("emst_minkowski", &emst_minkowski, "where"_a, "points"_a, "p"_a, "min_samples"_a, "pairs"_a, "lengths"_a);
    m.def("emst_replacements", &emst_replacements, "where"_a, "points"_a, "pairs"_a, "min_samples"_a, "replacements"_a,
          "dist2"_a);
    m.def("emst_replacements_minkowski", &emst_replacements_minkowski, "where"_a, "points"_a, "pairs"_a, "p"_a,
          "min_samples"_a, "replacements"_a, "lengths"_a);
    m.def("edges_forest", &edges_forest, "where"_a, "u"_a, "v"_a, "weights"_a, "n"_a, "nan"_a, "edges"_a);
    m.def("edges_components", &edges_components, "where"_a, "u"_a, "v"_a, "n"_a, "labels"_a.none());
    m.def("linkage", &linkage, "where"_a, "pairs"_a, "lengths"_a, "n"_a, "z"_a);
    m.def("tour", &tour, "where"_a, "pairs"_a, "n"_a, "order"_a);
    m.def("improve_tour", &improve_tour, "where"_a, "points"_a, "kicks"_a, "seed"_a, "order"_a);
    m.def("tour_bound", &tour_bound, "where"_a, "points"_a, "rounds"_a);
}
