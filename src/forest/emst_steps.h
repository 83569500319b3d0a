/* Steps of Euclidean spanning trees: every point keeps its nearest point of another component while it has one, and
 * every component takes the shortest of its points' edges. */
#ifndef BI_FOREST_EMST_STEPS_H
#define BI_FOREST_EMST_STEPS_H

#include <math.h>

#include "base/atomic.h"
#include "forest/graph_words.h"

/* One struct for all steps. Squared lengths are float, or double if `wide`; as words (their bits) they order as they
 * do, since none is negative. */
struct bi_emst {
    bool wide;
    const uint32_t *label; /* by point: a point of its component, the same for all */
    uint32_t *other;       /* by point: the nearest of another component; UINT32_MAX: not known */
    void *dist2, *bounds;  /* by point */
    const uint32_t *found; /* by point: what was looked for within the bounds */
    const void *found2;
    uint64_t *best, *pair; /* by component: the shortest length, and the first pair (smaller, greater) of it */
    uint32_t *parent;
    uint8_t *keep;
};

BI_FN uint64_t bi_emst_word(const void *dist2, bool wide, int64_t i)
{
    return wide ? bi_f64_bits(((const double *)dist2)[i]) : bi_f32_bits(((const float *)dist2)[i]);
}

/* Forgets neighbours that have joined the point's component; offers the others. */
BI_FN void bi_step_emst_keep(const struct bi_emst *a, int64_t i)
{
    uint32_t j = a->other[i];
    if (j != UINT32_MAX && a->label[j] != a->label[i])
        bi_lower_u64(&a->best[a->label[i]], bi_emst_word(a->dist2, a->wide, i));
    else
        a->other[i] = UINT32_MAX;
}

/* Who knows its neighbour need not look; the others need not look beyond what their component has. */
BI_FN void bi_step_emst_bound(const struct bi_emst *a, int64_t i)
{
    uint64_t best = a->best[a->label[i]];
    bool knows = a->other[i] != UINT32_MAX, none = best == UINT64_MAX;
    if (a->wide)
        ((double *)a->bounds)[i] = knows ? -1 : none ? (double)INFINITY : bi_f64_from_bits(best);
    else
        ((float *)a->bounds)[i] = knows ? -1 : none ? (float)INFINITY : bi_f32_from_bits((uint32_t)best);
}

BI_FN void bi_step_emst_take(const struct bi_emst *a, int64_t i)
{
    if (a->other[i] != UINT32_MAX || a->found[i] == UINT32_MAX) return;
    a->other[i] = a->found[i];
    if (a->wide)
        ((double *)a->dist2)[i] = ((const double *)a->found2)[i];
    else
        ((float *)a->dist2)[i] = ((const float *)a->found2)[i];
    bi_lower_u64(&a->best[a->label[i]], bi_emst_word(a->dist2, a->wide, i));
}

/* Of the shortest edges of a component the first, by (smaller point, greater point). A point's neighbour is the first
 * of the equally near ones, and so is its pair. */
BI_FN void bi_step_emst_tie(const struct bi_emst *a, int64_t i)
{
    uint32_t j = a->other[i], u = (uint32_t)i;
    if (j == UINT32_MAX || bi_emst_word(a->dist2, a->wide, i) != a->best[a->label[i]]) return;
    bi_lower_u64(&a->pair[a->label[i]], u < j ? (uint64_t)u << 32 | j : (uint64_t)j << 32 | u);
}

/* Components join whom their edge leads to; of two that chose one edge the smaller stays. */
BI_FN void bi_step_emst_join(const struct bi_emst *a, int64_t i)
{
    uint32_t c = (uint32_t)i;
    uint64_t pair = a->pair[c];
    a->keep[c] = 0;
    a->parent[c] = a->label[c];
    if (a->label[c] != c || pair == UINT64_MAX) return;
    uint32_t from = a->label[pair >> 32], to = a->label[(uint32_t)pair], other = from == c ? to : from;
    if (a->pair[other] == pair && c < other) return;
    a->parent[c] = other;
    a->keep[c] = 1;
}

/* Edge i to the caller's arrays. */
struct bi_emst_write {
    const uint64_t *pairs, *words;
    bool wide_ids, wide;
    void *out, *dist2; /* dist2 may be NULL */
};

BI_FN void bi_step_emst_write(const struct bi_emst_write *a, int64_t i)
{
    bi_set_word(a->out, a->wide_ids, 2 * i, a->pairs[i] >> 32);
    bi_set_word(a->out, a->wide_ids, 2 * i + 1, (uint32_t)a->pairs[i]);
    if (!a->dist2) return;
    if (a->wide)
        ((double *)a->dist2)[i] = bi_f64_from_bits(a->words[i]);
    else
        ((float *)a->dist2)[i] = bi_f32_from_bits((uint32_t)a->words[i]);
}

#endif
