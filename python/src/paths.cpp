/* Shortest paths along the rows of sparse matrices.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

#include <boscage/paths.h>

namespace
{

bosc_dtype ids_of(const In &neighbours)
{
    const bosc_dtype ids = dtype_of(neighbours, "neighbours");
    if (ids != BOSC_U32 && ids != BOSC_I64) throw nb::type_error("neighbours: neither uint32 nor int64");
    return ids;
}

/* Offsets of n + 1 rows, of 32 or 64 bits. */
struct Offsets {
    int64_t n;
    int32_t bits;
    const void *words;

    Offsets(const Where &where, const In &offsets) : n(size_of(offsets) - 1)
    {
        const bosc_dtype type = dtype_of(offsets, "offsets");
        if (n < 0) throw nb::value_error("offsets: none");
        if (type != BOSC_U32 && type != BOSC_I64) throw nb::type_error("offsets: neither uint32 nor int64");
        bits = type == BOSC_U32 ? 32 : 64;
        words = elements(where, offsets, type, n + 1, "offsets");
    }

    /* Checks the last one: the library reads as many arcs. */
    void check(Call &call, int64_t m) const
    {
        int64_t last = 0; /* a word of 32 bits is its low part */
        const size_t size = static_cast<size_t>(bits) / 8;
        const char *from = static_cast<const char *>(words) + static_cast<size_t>(n) * size;
        call.run([&](bosc_ctx *ctx) { return bosc_ctx_copy(ctx, &last, from, size); });
        if (last != m) throw nb::value_error("offsets: the last one is not the number of neighbours");
    }
};

/* Computes paths along directed rows, from the nearest source or, with `each`, from each source on its own. Writes
 * `distances`, float64 with weights and uint64 without, `predecessors` and `nearest`, of the type of the neighbours.
 * Each may be None. They have n elements; with `each` a row of n for each source. */
void rows_paths(const Where &where, const In &offsets, const In &neighbours, const In &weights, const In &sources,
                bool each, const In &limit, const Out &distances, const Out &predecessors, const Out &nearest)
{
    const int64_t m = size_of(neighbours);
    const bosc_dtype ids = ids_of(neighbours);
    auto graph = sized<bosc_graph_opts>();
    graph.weight = BOSC_F64;
    graph.id_bits = ids == BOSC_U32 ? 32 : 64;
    const Offsets starts(where, offsets);
    const int64_t n = starts.n;
    const void *to = elements(where, neighbours, ids, m, "neighbours");
    const void *w = elements(where, weights, BOSC_F64, m, "weights");
    const void *from = elements(where, sources, ids, size_of(sources), "sources");
    /* A limit is in host memory, and of the type of distances. */
    const bosc_dtype numbers = w ? BOSC_F64 : BOSC_U64;
    auto opts = sized<bosc_paths_opts>();
    opts.each = each;
    opts.offset_bits = starts.bits;
    if (limit.is_valid()) opts.limit = elements(Where(), limit, numbers, 1, "limit");
    const int64_t count = size_of(sources), calls = each ? count : 1;
    void *d = room(where, distances, numbers, calls * n, "distances");
    void *p = room(where, predecessors, ids, calls * n, "predecessors");
    void *s = room(where, nearest, ids, calls * n, "nearest");
    Call call(where);
    starts.check(call, m);
    call.run([&](bosc_ctx *ctx) {
        return bosc_paths_compute_rows(ctx, &graph, starts.words, to, w, n, from, count, &opts, d, p, nullptr, s,
                                       nullptr);
    });
}

/* Lists the vertices that directed rows reach from a source in the order of a breadth-first search: `order` and
 * `predecessors`, or None, have n elements of the type of the neighbours. Returns the number of vertices listed. */
int64_t rows_order(const Where &where, const In &offsets, const In &neighbours, int64_t source, const Out &order,
                   const Out &predecessors)
{
    const bosc_dtype ids = ids_of(neighbours);
    const int64_t m = size_of(neighbours);
    const Offsets starts(where, offsets);
    auto graph = sized<bosc_graph_opts>();
    graph.id_bits = ids == BOSC_U32 ? 32 : 64;
    auto opts = sized<bosc_paths_opts>();
    opts.offset_bits = starts.bits;
    const void *to = elements(where, neighbours, ids, m, "neighbours");
    void *list = room(where, order, ids, starts.n, "order");
    void *p = room(where, predecessors, ids, starts.n, "predecessors");
    int64_t count = 0;
    Call call(where);
    starts.check(call, m);
    call.run([&](bosc_ctx *ctx) {
        return bosc_paths_order_rows(ctx, &graph, starts.words, to, starts.n, source, &opts, list, p, &count);
    });
    return count;
}

} // namespace

void bind_paths(nb::module_ &m)
{
    m.def("rows_order", &rows_order, "where"_a, "offsets"_a, "neighbours"_a, "source"_a, "order"_a,
          "predecessors"_a.none());
    m.def("rows_paths", &rows_paths, "where"_a, "offsets"_a, "neighbours"_a, "weights"_a.none(), "sources"_a, "each"_a,
          "limit"_a.none(), "distances"_a.none(), "predecessors"_a.none(), "nearest"_a.none());
}
