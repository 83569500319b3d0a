/* Primitives: reductions, scans, splits, sorts, merges, searches.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

namespace
{

void sort_keys(const Where &where, const In &keys, const Out &sorted)
{
    bosc_dtype dtype = dtype_of(keys, "keys");
    int64_t n = size_of(keys);
    const void *from = elements(where, keys, dtype, n, "keys");
    void *to = room(where, sorted, dtype, n, "sorted");
    Call(where).run([&](bosc_ctx *ctx) { return bosc_sort_keys(ctx, dtype, from, n, to); });
}

void sort_pairs(const Where &where, const In &keys, const In &values, const Out &sorted, const Out &moved)
{
    bosc_dtype dtype = dtype_of(keys, "keys");
    int64_t n = size_of(keys);
    const void *from = elements(where, keys, dtype, n, "keys");
    const void *value = elements(where, values, BOSC_I64, n, "values");
    void *to = room(where, sorted, dtype, n, "sorted"), *with = room(where, moved, BOSC_I64, n, "moved");
    Call(where).run(
        [&](bosc_ctx *ctx) { return bosc_sort_pairs(ctx, dtype, from, sizeof(int64_t), value, n, to, with); });
}

/* Writes the kept items to the front of `out` and returns their number. */
int64_t compact(const Where &where, const In &values, const In &keep, const Out &out)
{
    bosc_dtype dtype = dtype_of(values, "values");
    int64_t n = size_of(values), count = 0;
    const void *from = elements(where, values, dtype, n, "values");
    const uint8_t *flags = static_cast<const uint8_t *>(items(where, keep, 1, n, "keep"));
    void *to = room(where, out, dtype, n, "out");
    Call(where).run(
        [&](bosc_ctx *ctx) { return bosc_compact(ctx, bosc_dtype_size(dtype), from, flags, n, to, &count); });
    return count;
}

void reduce(const Where &where, int op, const In &values, const Out &result)
{
    bosc_dtype dtype = dtype_of(values, "values");
    int64_t n = size_of(values);
    const void *from = elements(where, values, dtype, n, "values");
    void *to = room(where, result, dtype, 1, "result");
    Call(where).run([&](bosc_ctx *ctx) { return bosc_reduce(ctx, static_cast<bosc_op>(op), dtype, from, n, to); });
}

/* heads: where segments begin; None: one segment. */
void scan(const Where &where, int op, bool exclusive, const In &values, const In &heads, const Out &out)
{
    bosc_dtype dtype = dtype_of(values, "values");
    int64_t n = size_of(values);
    const bosc_scan_kind kind = exclusive ? BOSC_EXCLUSIVE : BOSC_INCLUSIVE;
    const bosc_op as = static_cast<bosc_op>(op);
    const void *from = elements(where, values, dtype, n, "values");
    const uint8_t *begins = static_cast<const uint8_t *>(items(where, heads, 1, n, "heads"));
    void *to = room(where, out, dtype, n, "out");
    Call(where).run([&](bosc_ctx *ctx) {
        return begins ? bosc_scan_segmented(ctx, as, kind, dtype, from, begins, n, to)
                      : bosc_scan(ctx, as, kind, dtype, from, n, to);
    });
}

void histogram(const Where &where, const In &bins, const Out &counts)
{
    int64_t n = size_of(bins), n_bins = size_of(counts);
    const uint32_t *bin = typed<uint32_t>(where, bins, BOSC_U32, n, "bins");
    int64_t *to = typed_room<int64_t>(where, counts, BOSC_I64, n_bins, "counts");
    Call(where).run([&](bosc_ctx *ctx) { return bosc_histogram(ctx, bin, n, n_bins, to); });
}

/* Items of item_size bytes. */
void split(const Where &where, const In &values, size_t item_size, const In &buckets, const Out &out,
           const Out &offsets)
{
    int64_t n = size_of(buckets), n_buckets = size_of(offsets) - 1;
    const void *from = items(where, values, item_size, n, "values");
    const uint32_t *bucket = typed<uint32_t>(where, buckets, BOSC_U32, n, "buckets");
    void *to = item_room(where, out, item_size, n, "out");
    int64_t *begins = typed_room<int64_t>(where, offsets, BOSC_I64, n_buckets + 1, "offsets");
    Call(where).run([&](bosc_ctx *ctx) { return bosc_split(ctx, item_size, from, bucket, n, n_buckets, to, begins); });
}

void merge(const Where &where, const In &a, const In &b, const Out &out)
{
    bosc_dtype dtype = dtype_of(a, "a");
    int64_t na = size_of(a), nb = size_of(b);
    const void *first = elements(where, a, dtype, na, "a"), *second = elements(where, b, dtype, nb, "b");
    void *to = room(where, out, dtype, na + nb, "out");
    Call(where).run([&](bosc_ctx *ctx) { return bosc_merge(ctx, dtype, first, na, second, nb, to); });
}

void search_sorted(const Where &where, const In &keys, const In &queries, const Out &ranks)
{
    bosc_dtype dtype = dtype_of(keys, "keys");
    int64_t n = size_of(keys), count = size_of(queries);
    const void *key = elements(where, keys, dtype, n, "keys"),
               *query = elements(where, queries, dtype, count, "queries");
    int64_t *to = typed_room<int64_t>(where, ranks, BOSC_I64, count, "ranks");
    Call(where).run([&](bosc_ctx *ctx) { return bosc_search_sorted(ctx, dtype, key, n, query, count, to); });
}

void sort_superkey(const Where &where, const In &points, int32_t first, const Out &order)
{
    bosc_dtype dtype = dtype_of(points, "points");
    Rows rows = rows_of(where, points, dtype, -1, "points");
    const void *from = elements(where, points, dtype, rows.n * rows.dim, "points");
    uint32_t *to = typed_room<uint32_t>(where, order, BOSC_U32, rows.n, "order");
    Call(where).run([&](bosc_ctx *ctx) {
        return bosc_sort_superkey(ctx, dtype, from, rows.n, static_cast<int32_t>(rows.dim), first, to);
    });
}

} // namespace

void bind_prims(nb::module_ &m)
{
    m.def("sort_keys", &sort_keys, "where"_a, "keys"_a, "sorted"_a);
    m.def("sort_pairs", &sort_pairs, "where"_a, "keys"_a, "values"_a, "sorted"_a, "moved"_a);
    m.def("compact", &compact, "where"_a, "values"_a, "keep"_a, "out"_a);
    m.def("reduce", &reduce, "where"_a, "op"_a, "values"_a, "result"_a);
    m.def("scan", &scan, "where"_a, "op"_a, "exclusive"_a, "values"_a, "heads"_a.none(), "out"_a);
    m.def("histogram", &histogram, "where"_a, "bins"_a, "counts"_a);
    m.def("split", &split, "where"_a, "values"_a, "item_size"_a, "buckets"_a, "out"_a, "offsets"_a);
    m.def("merge", &merge, "where"_a, "a"_a, "b"_a, "out"_a);
    m.def("search_sorted", &search_sorted, "where"_a, "keys"_a, "queries"_a, "ranks"_a);
    m.def("sort_superkey", &sort_superkey, "where"_a, "points"_a, "first"_a, "order"_a);
}
