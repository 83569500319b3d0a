/* The steps that reduce parallel edges (see parallel.c). Weights are keys by position in the list. */
#ifndef BI_GRAPH_STEPS_PARALLEL_H
#define BI_GRAPH_STEPS_PARALLEL_H

#include "base/atomic.h"
#include "graph/weight_keys.h"

/* Marks the first edge of each run of equal keys. */
struct bi_graph_mark_heads {
    const uint64_t *keys;
    uint8_t *heads;
};

BI_FN void bi_step_graph_mark_heads(const struct bi_graph_mark_heads *a, int64_t k)
{
    a->heads[k] = k == 0 || a->keys[k - 1] != a->keys[k];
}

/* `least` is the running minimum of each run. positions[k] = k where it falls, else 0. After a maximum scan, the value
 * at the end of a run is the position of the run's minimum. */
struct bi_graph_lowered {
    const uint8_t *heads;
    int64_t count;
    const void *least;
    bool key_64bit, is_64bit;
    void *positions;
    uint8_t *keep;
};

BI_FN void bi_step_graph_mark_lowered(const struct bi_graph_lowered *a, int64_t k)
{
    bool lowered = a->heads[k] || bi_word(a->least, a->key_64bit, k) < bi_word(a->least, a->key_64bit, k - 1);
    bi_set_word(a->positions, a->is_64bit, k, lowered ? (uint64_t)k : 0);
}

BI_FN void bi_step_graph_keep_lowest(const struct bi_graph_lowered *a, int64_t k)
{
    if (k + 1 == a->count || a->heads[k + 1]) a->keep[bi_word(a->positions, a->is_64bit, k)] = 1;
}

/* The sum of two weights given as keys; *overflows is set if an integer does not fit. */
BI_FN uint64_t bi_graph_add_weights(bosc_dtype dtype, uint64_t a, uint64_t b, bool *overflows)
{
    uint64_t sum = a + b;
    switch (dtype) {
    case BOSC_F32: {
        float x = bi_f32_of_key((uint32_t)a) + bi_f32_of_key((uint32_t)b);
        return x != x ? bi_graph_nan_key(dtype) : bi_key_u32_of_f32(x);
    }
    case BOSC_F64: {
        double x = bi_f64_of_key(a) + bi_f64_of_key(b);
        return x != x ? bi_graph_nan_key(dtype) : bi_key_u64_of_f64(x);
    }
    case BOSC_U32: *overflows |= sum > UINT32_MAX; return sum & UINT32_MAX;
    case BOSC_U64: *overflows |= sum < a; return sum;
    case BOSC_I32: /* keys are weights plus 2^31 */
        sum -= 0x80000000u;
        *overflows |= sum > UINT32_MAX;
        return sum & UINT32_MAX;
    default: { /* keys are weights plus 2^63: adding b - 2^63 must move a in the direction of its sign */
        uint64_t half = 0x8000000000000000ull, moved = a + (b - half);
        *overflows |= b >= half ? moved < a : moved > a;
        return moved;
    }
    }
}

/* The sum of each run, at its head, in the order of the run. */
struct bi_graph_sum_run {
    const uint8_t *heads;
    int64_t count;
    const void *weights;
    bosc_dtype dtype;
    bool drop_nan;
    const void *ids;
    bool is_64bit;
    void *sums;
    uint8_t *keep;
    int64_t *bad; /* the smallest id of a sum that overflows; and of one that is NaN */
};

BI_FN void bi_step_graph_sum_run(const struct bi_graph_sum_run *a, int64_t k)
{
    bool key_64bit = bi_graph_has_64bit_keys(a->dtype), overflows = false;
    a->keep[k] = 0;
    if (!a->heads[k]) return;
    uint64_t sum = bi_word(a->weights, key_64bit, k);
    for (int64_t j = k + 1; j < a->count && !a->heads[j]; j++)
        sum = bi_graph_add_weights(a->dtype, sum, bi_word(a->weights, key_64bit, j), &overflows);
    bool is_nan = bi_graph_is_nan_key(a->dtype, sum);
    if (overflows) bi_atomic_min_i64(&a->bad[0], (int64_t)bi_word(a->ids, a->is_64bit, k));
    if (is_nan) bi_atomic_min_i64(&a->bad[1], (int64_t)bi_word(a->ids, a->is_64bit, k));
    bi_set_word(a->sums, key_64bit, k, sum);
    a->keep[k] = !(is_nan && a->drop_nan);
}

#endif
