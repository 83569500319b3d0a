/* Euclidean spanning trees, dendrograms, tours.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

namespace
{

void emst(const Where &where, const In &points, const Out &pairs, const Out &dist2)
{
    bosc_emst_opts opts = {};
    opts.size = sizeof opts;
    opts.dtype = dtype_of(points, "points");
    Rows rows = rows_of(where, points, opts.dtype, -1, "points");
    opts.dim = static_cast<int32_t>(rows.dim);
    int64_t count = rows.n > 0 ? rows.n - 1 : 0;
    void *to = room(where, pairs, BOSC_I64, 2 * count, "pairs");
    void *d = room(where, dist2, distance_type(opts.dtype), count, "dist2");
    Call(where).run(
        [&](bosc_ctx *ctx) { return bosc_emst_compute(ctx, rows.data, rows.n, rows.stride, &opts, to, d); });
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

} // namespace

void bind_forest(nb::module_ &m)
{
    m.def("emst", &emst, "where"_a, "points"_a, "pairs"_a, "dist2"_a.none());
    m.def("linkage", &linkage, "where"_a, "pairs"_a, "lengths"_a, "n"_a, "z"_a);
    m.def("tour", &tour, "where"_a, "pairs"_a, "n"_a, "order"_a);
}
