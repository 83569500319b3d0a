/* Steps of the word-complement join by sorts: vertices sorted by the hash of their words outside a range. */
#ifndef BI_CELLGRAPH_STEPS_JOIN_H
#define BI_CELLGRAPH_STEPS_JOIN_H

#include "base/search.h"
#include "cellgraph/steps/lookup.h"

/* Longest run of vertices that is compared pair by pair: at most 32 comparisons a vertex. Longer: more comparisons;
 * less: more lookups of replaced letters. Not measured. */
enum { BI_CELLGRAPH_RUN = 64 };

struct bi_cellgraph_join {
    struct bi_cellgraph_probe probe; /* its dictionary is used for long runs only */
    int32_t begin, end;              /* range of words */
    int32_t shift;                   /* keys of a run agree from bit `shift` on */
    int64_t count;
    const uint32_t *members; /* (count) vertices */
    uint64_t *keys;          /* unsorted */
    const uint64_t *sorted;
    const uint32_t *order;
    uint8_t *long_heads;  /* at position p of `order`: a long run begins; later: p is in a long run */
    uint32_t *any_long;   /* 1: there is a long run */
    const uint32_t *runs; /* begins of the long runs */
    uint32_t *ends;       /* ends of the long runs */
    uint32_t *varying;    /* lower and upper half of the bits in which the words of a run differ */
    int64_t run_count;
};

BI_FN void bi_step_cellgraph_complement_hash(const struct bi_cellgraph_join *a, int64_t i)
{
    a->keys[i] = bi_cellgraph_complement_hash(&a->probe.view, a->members[i], a->begin, a->end);
}

/* Vertices are scattered in memory: prefetches two that will be compared. */
BI_FN void bi_cellgraph_prefetch_run(const struct bi_cellgraph_join *a, int64_t p)
{
#ifndef __CUDA_ARCH__
    if (p + 1 >= a->count || a->sorted[p] != a->sorted[p + 1]) return;
    __builtin_prefetch(bi_cellgraph_row(&a->probe.view, a->order[p]));
    __builtin_prefetch(bi_cellgraph_row(&a->probe.view, a->order[p + 1]));
#else
    (void)a, (void)p;
#endif
}

/* Compares the member at position p of a short run with the later ones; marks the begin of a long run. */
BI_FN void bi_step_cellgraph_compare_run(const struct bi_cellgraph_join *a, int64_t p)
{
    const struct bi_cellgraph_view *v = &a->probe.view;
    const uint64_t top = a->sorted[p] >> a->shift;
    int64_t begin = p, end = p + 1;
    bi_cellgraph_prefetch_run(a, p + 24); /* other distances are not measured */
    while (begin > 0 && p - begin < BI_CELLGRAPH_RUN && a->sorted[begin - 1] >> a->shift == top) begin--;
    while (end < a->count && end - begin <= BI_CELLGRAPH_RUN && a->sorted[end] >> a->shift == top) end++;
    const bool is_long = end - begin > BI_CELLGRAPH_RUN;
    a->long_heads[p] = is_long && begin == p;
    if (is_long) {
        bi_atomic_or_u32(a->any_long, 1);
        return;
    }
    if (end - p == 1) return;
    bi_atomic_fetch_add_u64(a->probe.found.compared, (uint64_t)(end - p - 1));
    for (int64_t j = p + 1; j < end; j++) {
        uint32_t x = a->order[p], y = a->order[j];
        if (a->sorted[p] != a->sorted[j]) continue;
        int64_t position =
            bi_cellgraph_single_difference(&v->shape, bi_cellgraph_row(v, x), bi_cellgraph_row(v, y), a->begin, a->end);
        if (position >= 0) bi_cellgraph_append_edge(&a->probe.found, x, y, (uint32_t)position);
    }
}

/* Finds the end of long run k. */
BI_FN void bi_step_cellgraph_run_end(const struct bi_cellgraph_join *a, int64_t k)
{
    const uint64_t top = a->sorted[a->runs[k]] >> a->shift;
    int64_t low = a->runs[k], high = a->count;
    BI_PARTITION_POINT(low, high, middle, a->sorted[middle] >> a->shift == top);
    a->ends[k] = (uint32_t)low;
}

/* The long run that contains position p, or -1. */
BI_FN int64_t bi_cellgraph_find_run(const struct bi_cellgraph_join *a, int64_t p)
{
    const int64_t run = bi_upper_bound_u32(a->runs, a->run_count, (uint32_t)p) - 1; /* the last that begins by p */
    return run >= 0 && p < (int64_t)a->ends[run] ? run : -1;
}

/* Marks the members of long runs. */
BI_FN void bi_step_cellgraph_in_long_run(const struct bi_cellgraph_join *a, int64_t p)
{
    a->long_heads[p] = bi_cellgraph_find_run(a, p) >= 0;
}

/* Collects the bits in which the words of a long run differ. */
BI_FN void bi_step_cellgraph_varying_bits(const struct bi_cellgraph_join *a, int64_t p)
{
    int64_t k = bi_cellgraph_find_run(a, p);
    if (k < 0) return;
    const struct bi_cellgraph_view *v = &a->probe.view;
    uint64_t bits = bi_cellgraph_row(v, a->order[p])[a->begin] ^ bi_cellgraph_row(v, a->order[a->runs[k]])[a->begin];
    bi_atomic_or_u32(&a->varying[2 * k], (uint32_t)bits);
    bi_atomic_or_u32(&a->varying[2 * k + 1], (uint32_t)(bits >> 32));
}

/* Looks up a member of a long run with each varying letter replaced. */
BI_FN void bi_step_cellgraph_probe_long_run(const struct bi_cellgraph_join *a, int64_t p)
{
    int64_t k = bi_cellgraph_find_run(a, p);
    if (k < 0) return;
    uint64_t varying = a->varying[2 * k] | (uint64_t)a->varying[2 * k + 1] << 32;
    uint64_t probes =
        bi_cellgraph_probe_letters(&a->probe, a->order[p], a->begin, a->sorted[p], varying, false, a->probe.view.count);
    bi_atomic_fetch_add_u64(a->probe.found.compared, probes);
}

#endif
