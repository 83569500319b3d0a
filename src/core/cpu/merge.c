/* Merging in equal parts: where part p begins in both arrays is found by binary search on a diagonal of the merge
 * matrix. Source: Green, McColl, Bader, GPU Merge Path (2012). */
#include <string.h>

#include "core/cpu/collectives.h"
#include "core/cpu/key_types.h"

enum { GRAIN = BI_THREAD_ITEMS / 4 };

struct merge {
    const void *a_keys, *a_values, *b_keys, *b_values;
    int64_t na, nb;
    void *keys_out, *values_out;
};

/* The results [begin, end) of a merge. */
typedef void (*merge_fn)(const struct merge *m, int64_t begin, int64_t end);

/* How many of the first `diagonal` results come from a. */
#define SEARCH(kind, key_t)                                                      \
    static int64_t from_a_##kind(const struct merge *m, int64_t diagonal)        \
    {                                                                            \
        const key_t *a = m->a_keys, *b = m->b_keys;                              \
        int64_t low = diagonal > m->nb ? diagonal - m->nb : 0;                   \
        int64_t high = diagonal < m->na ? diagonal : m->na;                      \
        while (low < high) {                                                     \
            int64_t mid = low + (high - low) / 2;                                \
            if (ORDERED_##kind(a[mid]) <= ORDERED_##kind(b[diagonal - 1 - mid])) \
                low = mid + 1;                                                   \
            else                                                                 \
                high = mid;                                                      \
        }                                                                        \
        return low;                                                              \
    }

#define MERGE(kind, key_t, bytes, value_t, VALUES)                                                            \
    static void merge_##kind##_##bytes(const struct merge *m, int64_t begin, int64_t end)                     \
    {                                                                                                         \
        int64_t i = from_a_##kind(m, begin), j = begin - i, o = begin;                                        \
        int64_t i_end = from_a_##kind(m, end), j_end = end - i_end;                                           \
        const key_t *a = m->a_keys, *b = m->b_keys;                                                           \
        key_t *out = m->keys_out;                                                                             \
        VALUES(const value_t *av = m->a_values; const value_t *bv = m->b_values; value_t *v = m->values_out;) \
        while (i < i_end && j < j_end) { /* without branches on the keys */                                   \
            key_t x = a[i], y = b[j];                                                                         \
            bool from_b = ORDERED_##kind(y) < ORDERED_##kind(x);                                              \
            out[o] = from_b ? y : x;                                                                          \
            VALUES(v[o] = *(from_b ? bv + j : av + i);)                                                       \
            i += !from_b;                                                                                     \
            j += from_b;                                                                                      \
            o++;                                                                                              \
        }                                                                                                     \
        for (; i < i_end; i++, o++) {                                                                         \
            out[o] = a[i];                                                                                    \
            VALUES(v[o] = av[i];)                                                                             \
        }                                                                                                     \
        for (; j < j_end; j++, o++) {                                                                         \
            out[o] = b[j];                                                                                    \
            VALUES(v[o] = bv[j];)                                                                             \
        }                                                                                                     \
    }
#define MERGES(kind, key_t) SEARCH(kind, key_t) EACH_VALUE(MERGE, kind, key_t)
EACH_KEY(MERGES)

#define ROW(kind)                                            \
    {                                                        \
        merge_##kind##_0, merge_##kind##_4, merge_##kind##_8 \
    }
static const merge_fn merges[6][3] = {ROW(f32), ROW(f64), ROW(i32), ROW(i64), ROW(u32), ROW(u64)};

bosc_status bi_cpu_merge_pairs(bosc_ctx *ctx, bosc_dtype dtype, size_t value_size, const void *a_keys,
                               const void *a_values, int64_t na, const void *b_keys, const void *b_values, int64_t nb,
                               void *keys_out, void *values_out)
{
    struct merge m = {a_keys, a_values, b_keys, b_values, na, nb, keys_out, values_out};
    merge_fn merge = merges[dtype - 1][value_size / 4];
    struct bi_parts part = bi_parts_of(ctx, na + nb, 1);
    while (bi_next_part(ctx, &part)) {
        int64_t n = part.end - part.begin;
        int chunks = bi_thread_count(ctx, n, GRAIN);
#pragma omp parallel for schedule(static) num_threads(chunks)
        for (int p = 0; p < chunks; p++)
            merge(&m, part.begin + bi_chunk_begin(n, chunks, p), part.begin + bi_chunk_begin(n, chunks, p + 1));
    }
    return part.status;
}
