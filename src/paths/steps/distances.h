/* The steps of a search: checks of rows and sources, rounds of Bellman-Ford, counts. */
#ifndef BI_PATHS_STEPS_DISTANCES_H
#define BI_PATHS_STEPS_DISTANCES_H

#include "paths/steps/rows.h"

/* ---- rows of the caller ---- */

/* Neighbours to 32 bits, weights to keys; either output may be NULL. *bad = the first arc to no vertex. */
struct bi_paths_convert {
    const void *neighbours, *weights;
    bool neighbours_64bit;
    bosc_dtype weight;
    uint64_t n;
    uint32_t *to;
    void *keys;
    int64_t *bad;
};

BI_FN void bi_step_paths_convert(const struct bi_paths_convert *a, int64_t arc)
{
    const uint64_t v = bi_word(a->neighbours, a->neighbours_64bit, arc);
    if (v >= a->n) bi_atomic_min_i64(a->bad, arc);
    if (a->to) a->to[arc] = v < a->n ? (uint32_t)v : 0;
    if (a->keys)
        bi_set_word(a->keys, bi_graph_has_64bit_keys(a->weight), arc, bi_graph_weight_key(a->weights, a->weight, arc));
}

enum { BI_PATHS_CHECK_ARCS = 1 << 10 }; /* arcs of an item of the checks: loops without branches, vectors on CPUs */

/* *bad = the first arc to no vertex. */
struct bi_paths_check_ends {
    const uint32_t *neighbours;
    int64_t arcs;
    uint32_t n;
    int64_t *bad;
};

BI_FN void bi_step_paths_check_ends(const struct bi_paths_check_ends *a, int64_t item)
{
    const int64_t begin = item * BI_PATHS_CHECK_ARCS;
    const int64_t end = begin + BI_PATHS_CHECK_ARCS < a->arcs ? begin + BI_PATHS_CHECK_ARCS : a->arcs;
    uint32_t most = 0;
    for (int64_t arc = begin; arc < end; arc++) most = a->neighbours[arc] > most ? a->neighbours[arc] : most;
    for (int64_t arc = begin; most >= a->n && arc < end; arc++)
        if (a->neighbours[arc] >= a->n) bi_atomic_min_i64(a->bad, arc);
}

/* *bad = the least id of an edge whose weight is negative or NaN. *large is lowered to 0 by a finite weight of more
 * than 2^990, as sums of 2^32 lighter ones do not overflow. */
struct bi_paths_check {
    struct bi_paths_rows rows;
    int64_t *bad, *large;
};

/* True if no double is negative, NaN or large; -0 counts as negative. By their bits, which have the same order. */
BI_FN bool bi_paths_are_plain(const uint64_t *bits, int64_t count)
{
    const uint64_t most = UINT64_C(0x7dd0000000000000); /* 2^990 */
    uint64_t signs = 0;
    for (int64_t i = 0; i < count; i++) signs |= bits[i] | (most - bits[i]);
    return signs >> 63 == 0;
}

BI_FN void bi_step_paths_check(const struct bi_paths_check *a, int64_t item)
{
    const struct bi_paths_rows *r = &a->rows;
    const int64_t begin = item * BI_PATHS_CHECK_ARCS;
    const int64_t end = begin + BI_PATHS_CHECK_ARCS < r->arcs ? begin + BI_PATHS_CHECK_ARCS : r->arcs;
    if (r->raw && bi_paths_are_plain((const uint64_t *)r->keys + begin, end - begin)) return;
    for (int64_t arc = begin; arc < end; arc++) {
        const uint64_t key = bi_word(r->keys, r->keys_64bit, arc);
        const double length = r->weight == BOSC_F64 ? bi_paths_f64_length(r, key) : 0;
        if (r->raw ? !(length >= 0) : key < r->zero_key || bi_graph_is_nan_key(r->weight, key))
            bi_atomic_min_i64(a->bad, (int64_t)bi_paths_edge_id(r, arc));
        else if (length > 0x1p990 && length <= BI_PATHS_LARGEST)
            bi_atomic_min_i64(a->large, 0);
    }
}

/* lengths[i] = the lengths of `count` arcs at equal steps of their index. */
struct bi_paths_sample {
    struct bi_paths_rows rows;
    double *lengths;
    int64_t count;
};

BI_FN void bi_step_paths_sample(const struct bi_paths_sample *a, int64_t i)
{
    const int64_t arc = (int64_t)((double)i / (double)a->count * (double)a->rows.arcs);
    a->lengths[i] = bi_paths_arc_length(&a->rows, arc < a->rows.arcs ? arc : 0);
}

/* ---- sources ---- */

struct bi_paths_fill {
    uint64_t *words, word;
};

BI_FN void bi_step_paths_fill(const struct bi_paths_fill *a, int64_t i) { a->words[i] = a->word; }

/* Sets sources to distance 0. first[i] = 1 for one of several equal sources; *bad = the first that is no vertex. */
struct bi_paths_start {
    const void *sources;
    bool is_64bit;
    uint64_t n;
    uint64_t *distances;
    uint32_t *list;
    uint8_t *first;
    int64_t *bad;
};

BI_FN void bi_step_paths_start(const struct bi_paths_start *a, int64_t i)
{
    const uint64_t s = bi_word(a->sources, a->is_64bit, i);
    a->list[i] = (uint32_t)s;
    a->first[i] = 0;
    if (s >= a->n)
        bi_atomic_min_i64(a->bad, i);
    else
        a->first[i] = bi_atomic_fetch_min_u64(&a->distances[s], 0) != 0;
}

/* ---- rounds ---- */

/* Relaxes the arcs of list[i]; flags the vertices whose distance falls. */
struct bi_paths_relax {
    struct bi_paths_rows rows;
    uint64_t *distances;
    const uint32_t *list;
    uint32_t *changed; /* words, as neighbouring bytes of several threads race */
};

BI_FN void bi_step_paths_relax(const struct bi_paths_relax *a, int64_t i)
{
    const struct bi_paths_rows *r = &a->rows;
    const uint32_t u = a->list[i];
    const uint64_t from = bi_atomic_load_u64(&a->distances[u]);
    const int64_t end = bi_paths_row_begin(r, (int64_t)u + 1);
    for (int64_t arc = bi_paths_row_begin(r, u); arc < end; arc++) {
        const uint32_t v = r->neighbours[arc];
        const uint64_t sum = bi_paths_sum(r, from, u, arc);
        if (sum >= r->bound || sum >= bi_atomic_load_u64(&a->distances[v])) continue;
        if (sum < bi_atomic_fetch_min_u64(&a->distances[v], sum)) bi_atomic_store_u32(&a->changed[v], 1);
    }
}

/* keep[v] = 1 for changed vertices, whose flags are cleared. */
struct bi_paths_collect {
    uint32_t *changed;
    uint8_t *keep;
};

BI_FN void bi_step_paths_collect(const struct bi_paths_collect *a, int64_t v)
{
    a->keep[v] = (uint8_t)a->changed[v];
    a->changed[v] = 0;
}

/* ---- results ---- */

enum { BI_PATHS_ITEM_VERTICES = 64 };

/* *count = the vertices reached, BI_PATHS_ITEM_VERTICES an item. */
struct bi_paths_count {
    const uint64_t *distances;
    uint64_t none;
    int64_t n;
    uint64_t *count;
};

BI_FN void bi_step_paths_count(const struct bi_paths_count *a, int64_t item)
{
    const int64_t begin = item * BI_PATHS_ITEM_VERTICES;
    const int64_t end = begin + BI_PATHS_ITEM_VERTICES < a->n ? begin + BI_PATHS_ITEM_VERTICES : a->n;
    uint64_t reached = 0;
    for (int64_t v = begin; v < end; v++) reached += a->distances[v] < a->none;
    if (reached) bi_atomic_fetch_add_u64(a->count, reached);
}

/* *bad = the smallest vertex that only sums of 2^64 - 1 or more reach, or beyond a double. */
struct bi_paths_overflow {
    struct bi_paths_rows rows;
    const uint64_t *distances;
    int64_t *bad;
};

BI_FN void bi_step_paths_overflow(const struct bi_paths_overflow *a, int64_t item)
{
    struct bi_paths_walk w = bi_paths_walk_item(&a->rows, item);
    while (bi_paths_walk_next(&a->rows, &w)) {
        const uint32_t v = a->rows.neighbours[w.arc];
        const uint64_t none = a->rows.none;
        if (a->distances[v] == none && a->distances[w.row] != none &&
            bi_paths_arc_length(&a->rows, w.arc) <= BI_PATHS_LARGEST)
            bi_atomic_min_i64(a->bad, v);
    }
}

#endif
