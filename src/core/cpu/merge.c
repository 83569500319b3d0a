/* Merges of sorted arrays in equal parts: a binary search on a diagonal of the merge matrix finds where a part begins
 * in both arrays (Green, McColl, Bader, GPU Merge Path, 2012).
 *
 * Ranks of queries among sorted keys: branch-free binary searches, several interleaved so that their memory accesses
 * overlap. */
#include <string.h>

#include "base/search.h"
#include "core/cpu/collectives.h"
#include "core/cpu/key_types.h"

enum { MERGE_GRAIN = BI_THREAD_ITEMS / 4 };

struct merge_job {
    const void *a_keys, *a_values, *b_keys, *b_values;
    int64_t na, nb;
    void *keys_out, *values_out;
};

/* Writes results [begin, end) of a merge. */
typedef void (*merge_fn)(const struct merge_job *m, int64_t begin, int64_t end);

/* Number of the first `diagonal` results that come from a. */
#define COUNT_FROM_A(kind, key_t)                                                                            \
    static int64_t count_from_a_##kind(const struct merge_job *m, int64_t diagonal)                          \
    {                                                                                                        \
        const key_t *a = m->a_keys, *b = m->b_keys;                                                          \
        int64_t low = diagonal > m->nb ? diagonal - m->nb : 0;                                               \
        int64_t high = diagonal < m->na ? diagonal : m->na;                                                  \
        BI_PARTITION_POINT(low, high, mid, ORDERED_##kind(a[mid]) <= ORDERED_##kind(b[diagonal - 1 - mid])); \
        return low;                                                                                          \
    }

/* Each step of a merge depends on the one before. CHAINS merges are interleaved to hide its latency. More
 * chains need more registers: 4 have 20 positions. Other numbers are not measured. */
enum { CHAINS = 4 };
struct chain {
    int64_t i, i_end, j, j_end, o;
};

/* Number of steps that all chains can make before one of their inputs may end. */
static int64_t safe_steps(const struct chain c[CHAINS])
{
    int64_t steps = INT64_MAX;
    for (int k = 0; k < CHAINS; k++) {
        if (c[k].i_end - c[k].i < steps) steps = c[k].i_end - c[k].i;
        if (c[k].j_end - c[k].j < steps) steps = c[k].j_end - c[k].j;
    }
    return steps;
}

/* A step of a chain, without branches on the keys. */
#define STEP(kind, key_t, c, VALUES)                               \
    do {                                                           \
        const key_t x = a[(c).i], y = b[(c).j];                    \
        const bool from_b = ORDERED_##kind(y) < ORDERED_##kind(x); \
        out[(c).o] = from_b ? y : x;                               \
        VALUES(v[(c).o] = *(from_b ? bv + (c).j : av + (c).i);)    \
        (c).i += !from_b;                                          \
        (c).j += from_b;                                           \
        (c).o++;                                                   \
    } while (0)

#define MERGE(kind, key_t, bytes, value_t, VALUES)                                                            \
    static void merge_##kind##_##bytes(const struct merge_job *m, int64_t begin, int64_t end)                 \
    {                                                                                                         \
        const key_t *a = m->a_keys, *b = m->b_keys;                                                           \
        key_t *out = m->keys_out;                                                                             \
        VALUES(const value_t *av = m->a_values; const value_t *bv = m->b_values; value_t *v = m->values_out;) \
        struct chain c[CHAINS];                                                                               \
        /* 1. Divide the results among the chains. */                                                         \
        for (int k = CHAINS - 1; k >= 0; k--) {                                                               \
            c[k].o = begin + bi_chunk_begin(end - begin, CHAINS, k);                                          \
            c[k].i = count_from_a_##kind(m, c[k].o);                                                          \
            c[k].j = c[k].o - c[k].i;                                                                         \
            c[k].i_end = k + 1 < CHAINS ? c[k + 1].i : count_from_a_##kind(m, end);                           \
            c[k].j_end = k + 1 < CHAINS ? c[k + 1].j : end - c[k].i_end;                                      \
        }                                                                                                     \
        /* 2. Interleaved steps; copies of the chains stay in registers. */                                   \
        for (int64_t steps; (steps = safe_steps(c)) > 0;) {                                                   \
            struct chain c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];                                          \
            for (; steps > 0; steps--) {                                                                      \
                STEP(kind, key_t, c0, VALUES);                                                                \
                STEP(kind, key_t, c1, VALUES);                                                                \
                STEP(kind, key_t, c2, VALUES);                                                                \
                STEP(kind, key_t, c3, VALUES);                                                                \
            }                                                                                                 \
            c[0] = c0, c[1] = c1, c[2] = c2, c[3] = c3;                                                       \
        }                                                                                                     \
        /* 3. Finish each chain. */                                                                           \
        for (int k = 0; k < CHAINS; k++) {                                                                    \
            struct chain d = c[k];                                                                            \
            while (d.i < d.i_end && d.j < d.j_end) STEP(kind, key_t, d, VALUES);                              \
            for (; d.i < d.i_end; d.i++, d.o++) {                                                             \
                out[d.o] = a[d.i];                                                                            \
                VALUES(v[d.o] = av[d.i];)                                                                     \
            }                                                                                                 \
            for (; d.j < d.j_end; d.j++, d.o++) {                                                             \
                out[d.o] = b[d.j];                                                                            \
                VALUES(v[d.o] = bv[d.j];)                                                                     \
            }                                                                                                 \
        }                                                                                                     \
    }
#define MERGES(kind, key_t) COUNT_FROM_A(kind, key_t) EACH_VALUE(MERGE, kind, key_t)
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
    struct merge_job m = {a_keys, a_values, b_keys, b_values, na, nb, keys_out, values_out};
    merge_fn merge_chunk = merges[dtype - 1][value_size / 4];
    struct bi_batches batch = bi_batches_of(ctx, na + nb, 1);
    while (bi_next_batch(ctx, &batch)) {
        int64_t n = batch.end - batch.begin;
        int chunks = bi_thread_count(ctx, n, MERGE_GRAIN);
        BI_PARALLEL_FOR(chunks, (static), p, 0, chunks,
                        merge_chunk(&m, batch.begin + bi_chunk_begin(n, chunks, (int)p),
                                    batch.begin + bi_chunk_begin(n, chunks, (int)p + 1)));
    }
    return batch.status;
}

/* ---- searches ---- */

enum { SEARCH_GRAIN = BI_THREAD_ITEMS / 32, INTERLEAVED = 8 /* searches: near the 10 to 20 misses of a core */ };

/* Queries [begin, end). */
typedef void (*search_fn)(const void *keys, int64_t n, const void *queries, int64_t begin, int64_t end, int64_t *ranks);

#define SEARCH(kind, key_t)                                                                                 \
    static void search_##kind(const void *keys, int64_t n, const void *queries, int64_t begin, int64_t end, \
                              int64_t *ranks)                                                               \
    {                                                                                                       \
        const key_t *sorted = keys, *values = queries;                                                      \
        for (; begin < end; begin += INTERLEAVED) {                                                         \
            const int count = end - begin < INTERLEAVED ? (int)(end - begin) : INTERLEAVED;                 \
            key_t targets[INTERLEAVED];                                                                     \
            int64_t low[INTERLEAVED];                                                                       \
            for (int q = 0; q < count; q++) {                                                               \
                targets[q] = ORDERED_##kind(values[begin + q]);                                             \
                low[q] = 0;                                                                                 \
            }                                                                                               \
            for (int64_t left = n; left > 0;) { /* the rank is in low to low + left */                      \
                const int64_t half = left - left / 2;                                                       \
                for (int q = 0; q < count; q++)                                                             \
                    low[q] += ORDERED_##kind(sorted[low[q] + half - 1]) < targets[q] ? half : 0;            \
                left -= half;                                                                               \
            }                                                                                               \
            for (int q = 0; q < count; q++) ranks[begin + q] = low[q];                                      \
        }                                                                                                   \
    }
EACH_KEY(SEARCH)

static const search_fn searches[] = {search_f32, search_f64, search_i32, search_i64, search_u32, search_u64};

bosc_status bi_cpu_search_sorted(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n, const void *queries,
                                 int64_t query_count, int64_t *ranks)
{
    const search_fn search = searches[dtype - 1];
    struct bi_batches batch = bi_batches_of(ctx, query_count, 16);
    while (bi_next_batch(ctx, &batch)) {
        const int64_t count = batch.end - batch.begin;
        const int chunks = bi_thread_count(ctx, count, SEARCH_GRAIN);
        BI_PARALLEL_FOR(chunks, (static), p, 0, chunks,
                        search(keys, n, queries, batch.begin + bi_chunk_begin(count, chunks, p),
                               batch.begin + bi_chunk_begin(count, chunks, p + 1), ranks));
    }
    return batch.status;
}
