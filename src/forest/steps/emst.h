/* Steps of Euclidean spanning trees: every point keeps its nearest point of another component while it has one, and
 * every component takes the shortest of its points' edges. */
#ifndef BI_FOREST_STEPS_EMST_H
#define BI_FOREST_STEPS_EMST_H

#include <math.h>

#include "base/atomic.h"
#include "base/words.h"

/* One struct for all steps. Squared lengths are float, or double if `wide`; as words (their bits) they order as they
 * do, since none is negative. Arrays are by point unless they say otherwise; a component is named by one of its points,
 * its root. */
struct bi_emst {
    bool wide;
    int32_t k;
    const uint32_t *near; /* k for each: the nearest points, itself among them, by (distance, point) */
    const void *near2;    /* and how far they are */
    uint8_t *at;          /* how many of them are known to be of its component */
    uint32_t *label;      /* its component */
    uint32_t *other;      /* the nearest point of another component; UINT32_MAX: not known */
    void *dist2;          /* how far that is; where it is not known, no point of another component is nearer */
    void *bounds;         /* how far to look for it; -1: not at all */
    const uint32_t *found;
    const void *found2;
    uint64_t *best, *pair;   /* by component: the shortest length, and the first pair (smaller, greater) of it */
    uint32_t *parent;        /* by component: the one it joins */
    uint32_t *roots;         /* by number, as those below */
    uint8_t *joins, *stays;  /* whether it joins another */
    uint64_t *pairs, *words; /* its edge */
    uint32_t *flag;          /* whether there is more to do */
    bool few;                /* only a few points of components without an edge look for one */
};

BI_FN uint64_t bi_emst_word(const void *dist2, bool wide, int64_t i)
{
    return wide ? bi_f64_bits(((const double *)dist2)[i]) : bi_f32_bits(((const float *)dist2)[i]);
}

BI_FN void bi_emst_set_word(void *dist2, bool wide, int64_t i, uint64_t word)
{
    if (wide)
        ((double *)dist2)[i] = bi_f64_from_bits(word);
    else
        ((float *)dist2)[i] = bi_f32_from_bits((uint32_t)word);
}

BI_FN void bi_emst_offer(const struct bi_emst *a, int64_t i)
{
    uint64_t word = bi_emst_word(a->dist2, a->wide, i), *best = &a->best[a->label[i]];
    if (word < bi_atomic_load_u64(best)) bi_atomic_min_u64(best, word);
}

/* Each point is a component. */
BI_FN void bi_step_emst_begin(const struct bi_emst *a, int64_t i)
{
    a->at[i] = 0;
    a->label[i] = a->roots[i] = (uint32_t)i;
    a->other[i] = UINT32_MAX;
    bi_emst_set_word(a->dist2, a->wide, i, 0);
}

/* Items are components. */
BI_FN void bi_step_emst_clear(const struct bi_emst *a, int64_t r)
{
    a->best[a->roots[r]] = a->pair[a->roots[r]] = UINT64_MAX;
}

/* A neighbour that has joined the point's component makes room for the next of its list; where the list ends, the next
 * one is at least as far away as the last. */
BI_FN void bi_step_emst_keep(const struct bi_emst *a, int64_t i)
{
    uint32_t j = a->other[i], own = a->label[i];
    if (j == UINT32_MAX || a->label[j] == own) {
        int32_t at = a->at[i];
        j = UINT32_MAX;
        for (; at < a->k && j == UINT32_MAX; at++) {
            uint32_t next = a->near[i * a->k + at];
            bi_emst_set_word(a->dist2, a->wide, i, bi_emst_word(a->near2, a->wide, i * a->k + at));
            if (next != UINT32_MAX && a->label[next] != own) j = next;
        }
        a->at[i] = (uint8_t)at;
        a->other[i] = j;
    }
    if (j != UINT32_MAX) bi_emst_offer(a, i);
}

/* Items are components: whether one has no edge yet. */
BI_FN void bi_step_emst_lonely(const struct bi_emst *a, int64_t r)
{
    if (a->best[a->roots[r]] == UINT64_MAX) bi_atomic_or_u32(a->flag, 1);
}

/* Who knows its neighbour need not look; the others need not look beyond what their component has. */
BI_FN void bi_step_emst_bound(const struct bi_emst *a, int64_t i)
{
    uint64_t best = a->best[a->label[i]], word = bi_emst_word(a->dist2, a->wide, i);
    bool looks = a->other[i] == UINT32_MAX && word <= best;
    if (a->few)
        looks = looks && best == UINT64_MAX && (a->label[i] == (uint32_t)i || bi_mix_u32((uint32_t)i) % 64 == 0);
    double bound = !looks               ? -1
                   : best == UINT64_MAX ? (double)INFINITY
                   : a->wide            ? bi_f64_from_bits(best)
                                        : (double)bi_f32_from_bits((uint32_t)best);
    if (a->wide)
        ((double *)a->bounds)[i] = bound;
    else
        ((float *)a->bounds)[i] = (float)bound;
}

/* What was found, or that there is nothing within the bound. */
BI_FN void bi_step_emst_take(const struct bi_emst *a, int64_t i)
{
    uint64_t bound = bi_emst_word(a->bounds, a->wide, i);
    if (bound >> (a->wide ? 63 : 31)) return;
    a->other[i] = a->found[i];
    bool some = a->found[i] != UINT32_MAX;
    bi_emst_set_word(a->dist2, a->wide, i, some ? bi_emst_word(a->found2, a->wide, i) : bound + 1);
    if (some) bi_emst_offer(a, i);
}

/* Of the shortest edges of a component the first, by (smaller point, greater point). A point's neighbour is the first
 * of the equally near ones, and so is its pair. */
BI_FN void bi_step_emst_tie(const struct bi_emst *a, int64_t i)
{
    uint32_t j = a->other[i], u = (uint32_t)i;
    if (j == UINT32_MAX || bi_emst_word(a->dist2, a->wide, i) != a->best[a->label[i]]) return;
    bi_atomic_min_u64(&a->pair[a->label[i]], u < j ? (uint64_t)u << 32 | j : (uint64_t)j << 32 | u);
}

/* Items are components. They join whom their edge leads to; of two that chose one edge the smaller stays. */
BI_FN void bi_step_emst_join(const struct bi_emst *a, int64_t r)
{
    uint32_t c = a->roots[r];
    uint64_t pair = a->pair[c];
    uint32_t from = a->label[pair >> 32], to = a->label[(uint32_t)pair], other = from == c ? to : from;
    bool joins = a->pair[other] != pair || c > other;
    a->parent[c] = joins ? other : c;
    a->joins[r] = joins;
    a->stays[r] = !joins;
    a->pairs[r] = pair;
    a->words[r] = a->best[c];
}

/* Items are components: the parent becomes the root, or one that is much nearer to it. Trees may be as deep as there
 * are components. */
BI_FN void bi_step_emst_climb(const struct bi_emst *a, int64_t r)
{
    enum { STEPS = 64 };
    uint32_t *parent = &a->parent[a->roots[r]], at = bi_atomic_load_u32(parent),
             above = bi_atomic_load_u32(&a->parent[at]);
    for (int s = 0; s < STEPS && above != at; s++) {
        at = above;
        above = bi_atomic_load_u32(&a->parent[at]);
    }
    bi_atomic_store_u32(parent, at);
    if (above != at) bi_atomic_or_u32(a->flag, 1);
}

BI_FN void bi_step_emst_label(const struct bi_emst *a, int64_t i) { a->label[i] = a->parent[a->label[i]]; }

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
    bi_emst_set_word(a->dist2, a->wide, i, a->words[i]);
}

#endif
