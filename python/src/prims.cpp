/* Sorting and merging, the parts of sorted unique values.
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

} // namespace

void bind_prims(nb::module_ &m)
{
    m.def("sort_keys", &sort_keys, "where"_a, "keys"_a, "sorted"_a);
    m.def("sort_pairs", &sort_pairs, "where"_a, "keys"_a, "values"_a, "sorted"_a, "moved"_a);
    m.def("compact", &compact, "where"_a, "values"_a, "keep"_a, "out"_a);
}
