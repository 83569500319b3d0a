/* Shortest paths along the rows of sparse matrices.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

#include <boscage/paths.h>

namespace
{

/* Computes paths along directed rows, from the nearest source or, with `each`, from each source on its own. Writes
 * `distances`, float64 with weights and uint64 without, `predecessors` and `nearest`, of the type of the neighbours.
 * Each may be None. They have n elements; with `each` a row of n for each source. */
void rows_paths(const Where &where, const In &offsets, const In &neighbours, const In &weights, const In &sources,
                bool each, const In &limit, const Out &distances, const Out &predecessors, const Out &nearest)
{
    const int64_t n = size_of(offsets) - 1, m = size_of(neighbours);
    const bosc_dtype ids = dtype_of(neighbours, "neighbours");
    if (n < 0) throw nb::value_error("offsets: none");
    if (ids != BOSC_U32 && ids != BOSC_I64) throw nb::type_error("neighbours: neither uint32 nor int64");
    auto graph = sized<bosc_graph_opts>();
    graph.weight = BOSC_F64;
    graph.id_bits = ids == BOSC_U32 ? 32 : 64;
    const bosc_dtype words = dtype_of(offsets, "offsets");
    if (words != BOSC_U32 && words != BOSC_I64) throw nb::type_error("offsets: neither uint32 nor int64");
    const void *starts = elements(where, offsets, words, n + 1, "offsets");
    const void *to = elements(where, neighbours, ids, m, "neighbours");
    const void *w = elements(where, weights, BOSC_F64, m, "weights");
    const void *from = elements(where, sources, ids, size_of(sources), "sources");
    /* A limit is in host memory, and of the type of distances. */
    const bosc_dtype numbers = w ? BOSC_F64 : BOSC_U64;
    auto opts = sized<bosc_paths_opts>();
    opts.each = each;
    opts.offset_bits = words == BOSC_U32 ? 32 : 64;
    if (limit.is_valid()) opts.limit = elements(Where(), limit, numbers, 1, "limit");
    const int64_t count = size_of(sources), calls = each ? count : 1;
    void *d = room(where, distances, numbers, calls * n, "distances");
    void *p = room(where, predecessors, ids, calls * n, "predecessors");
    void *s = room(where, nearest, ids, calls * n, "nearest");
    Call call(where);
    int64_t last = 0; /* of 32 bits too: the machine is little-endian */
    const int64_t word = opts.offset_bits / 8;
    call.run([&](bosc_ctx *ctx) {
        return bosc_ctx_copy(ctx, &last, static_cast<const char *>(starts) + n * word, static_cast<size_t>(word));
    });
    if (last != m) throw nb::value_error("offsets: the last one is not the number of neighbours");
    call.run([&](bosc_ctx *ctx) {
        return bosc_paths_compute_rows(ctx, &graph, starts, to, w, n, from, count, &opts, d, p, nullptr, s, nullptr);
    });
}

} // namespace

void bind_paths(nb::module_ &m)
{
    m.def("rows_paths", &rows_paths, "where"_a, "offsets"_a, "neighbours"_a, "weights"_a.none(), "sources"_a, "each"_a,
          "limit"_a.none(), "distances"_a.none(), "predecessors"_a.none(), "nearest"_a.none());
}
