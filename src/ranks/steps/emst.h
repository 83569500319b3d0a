/* Steps of Euclidean spanning trees over ranks. Components are numbered alike on all ranks; squared lengths are words:
 * their bits, which order as they do. Edges and records are those of forests (forest_rounds.h): an edge's rank is its
 * squared length and its id the pair of its points, smaller << 32 | greater, so that edges are ordered as they are on
 * one context. */
#ifndef BI_RANKS_STEPS_EMST_H
#define BI_RANKS_STEPS_EMST_H

#include "ranks/steps/forest_rounds.h"
#include "ranks/steps/kdtree_merge.h"
#include "ranks/steps/kdtree_reach.h"

BI_FN uint64_t bi_ranks_emst_word(bool single, double dist2)
{
    return single ? bi_f32_bits((float)dist2) : bi_f64_bits(dist2);
}

/* The length of a word; infinity for UINT64_MAX. */
BI_FN double bi_ranks_emst_length(bool single, uint64_t word)
{
    if (word == UINT64_MAX) return (double)INFINITY;
    return single ? (double)bi_f32_from_bits((uint32_t)word) : bi_f64_from_bits(word);
}

/* The points of a rank, in the order of their ids. "Foreign" points are those of other ranks. */
struct bi_ranks_emst_points {
    uint32_t *label; /* component */
    uint32_t *other; /* that of the nearest foreign point of another component; BI_FOREST_NONE: not known */
    uint64_t *lower; /* no foreign point of another component is nearer; UINT64_MAX: there is none */
};

/* Each point is a component, and knows how far the nearest part of another shard is. */
struct bi_ranks_emst_alone {
    struct bi_ranks_kdtree_reach reach;
    struct bi_ranks_emst_points points;
    bool single;
};

BI_FN void bi_step_emst_alone(const struct bi_ranks_emst_alone *a, int64_t i)
{
    uint64_t lower = UINT64_MAX;
    double nearest = (double)INFINITY;
    for (uint32_t r = 0; r < a->reach.rank_count; r++) {
        if (r == a->reach.own || bi_ranks_kdtree_is_empty(&a->reach, bi_ranks_kdtree_box_of(&a->reach, r))) continue;
        const double d = bi_ranks_kdtree_parts_dist2(&a->reach, i, r, nearest);
        if (d < nearest) nearest = d;
        lower = bi_ranks_emst_word(a->single, nearest);
    }
    a->points.label[i] = (uint32_t)i;
    a->points.other[i] = BI_FOREST_NONE;
    a->points.lower[i] = lower;
}

/* Pairs of rows become pairs of ids. */
struct bi_ranks_emst_name {
    const uint64_t *rows;
    const int64_t *ids;
    uint64_t *pairs;
};

BI_FN void bi_step_emst_name(const struct bi_ranks_emst_name *a, int64_t i)
{
    const uint64_t u = (uint64_t)a->ids[a->rows[i] >> 32], v = (uint64_t)a->ids[(uint32_t)a->rows[i]];
    a->pairs[i] = u << 32 | v;
}

/* ---- within a shard ---- */

/* nearest (by component): no foreign point is nearer to a point of it. */
struct bi_ranks_emst_nearest {
    struct bi_ranks_emst_points points;
    uint64_t *nearest;
};

BI_FN void bi_step_emst_nearest(const struct bi_ranks_emst_nearest *a, int64_t i)
{
    bi_ranks_forest_lower(&a->nearest[a->points.label[i]], a->points.lower[i]);
}

/* Items are components: one whose edge is not shorter than all that may lead to other ranks has none yet. */
struct bi_ranks_emst_withhold {
    uint64_t *records;
    const uint64_t *nearest;
};

BI_FN void bi_step_emst_withhold(const struct bi_ranks_emst_withhold *a, int64_t c)
{
    uint64_t *r = a->records + c * bi_ranks_record_words(true);
    if (r[0] >= a->nearest[c]) r[1] = BI_RANKS_NO_EDGE;
}

/* ---- components ---- */

/* Items are components: each gets a number of its own among those of all ranks. */
struct bi_ranks_emst_number {
    uint32_t *next;
    uint32_t first;
};

BI_FN void bi_step_emst_number(const struct bi_ranks_emst_number *a, int64_t c) { a->next[c] = a->first + (uint32_t)c; }

/* Points get the next numbers of their components. */
struct bi_ranks_emst_rename {
    struct bi_ranks_emst_points points;
    const uint32_t *next;
};

BI_FN void bi_step_emst_rename(const struct bi_ranks_emst_rename *a, int64_t i)
{
    const uint32_t label = a->next[a->points.label[i]], other = a->points.other[i];
    a->points.label[i] = label;
    if (other != BI_FOREST_NONE) a->points.other[i] = a->next[other] == label ? BI_FOREST_NONE : a->next[other];
}

/* The least of what ranks know of components, written for each of them. */
struct bi_ranks_emst_least {
    const uint64_t *words; /* (rank_count, each) */
    int64_t each;
    int32_t rank_count;
    uint64_t *out; /* (rank_count, each) */
};

BI_FN void bi_step_emst_least(const struct bi_ranks_emst_least *a, int64_t i)
{
    uint64_t least = a->words[i];
    for (int32_t k = 1; k < a->rank_count; k++)
        if (a->words[k * a->each + i] < least) least = a->words[k * a->each + i];
    for (int32_t k = 0; k < a->rank_count; k++) a->out[k * a->each + i] = least;
}

/* ---- questions: which is the nearest foreign point of another component? ---- */

/* Who asks: points that do not know it, and to which it may be as near as the best that their component knows. */
struct bi_ranks_emst_asking {
    struct bi_ranks_emst_points points;
    const uint64_t *best; /* by component */
    uint64_t *nearest;    /* by component: the least `lower` of those points */
    uint32_t *first;      /* by component: the first of these; or NULL: all ask */
    uint8_t *asks;
};

BI_FN bool bi_ranks_emst_may_ask(const struct bi_ranks_emst_asking *a, int64_t i)
{
    const uint64_t lower = a->points.lower[i];
    return a->points.other[i] == BI_FOREST_NONE && lower != UINT64_MAX && lower <= a->best[a->points.label[i]];
}

BI_FN void bi_step_emst_probe(const struct bi_ranks_emst_asking *a, int64_t i)
{
    if (bi_ranks_emst_may_ask(a, i)) bi_ranks_forest_lower(&a->nearest[a->points.label[i]], a->points.lower[i]);
}

BI_FN void bi_step_emst_probe_first(const struct bi_ranks_emst_asking *a, int64_t i)
{
    const uint32_t c = a->points.label[i];
    if (bi_ranks_emst_may_ask(a, i) && a->points.lower[i] == a->nearest[c])
        bi_atomic_min_u32(&a->first[c], (uint32_t)i);
}

BI_FN void bi_step_emst_asks(const struct bi_ranks_emst_asking *a, int64_t i)
{
    a->asks[i] = bi_ranks_emst_may_ask(a, i) && (!a->first || a->first[a->points.label[i]] == (uint32_t)i);
}

/* Question i is that of row rows[i]. */
struct bi_ranks_emst_questions {
    struct bi_ranks_emst_points points;
    const uint64_t *best;
    const uint32_t *rows;
    bool single;
    uint32_t *labels;
    void *bounds;
};

BI_FN void bi_step_emst_questions(const struct bi_ranks_emst_questions *a, int64_t i)
{
    const uint32_t label = a->points.label[a->rows[i]];
    a->labels[i] = label;
    bi_ranks_set_dist2(a->bounds, a->single, i, bi_ranks_emst_length(a->single, a->best[label]));
}

/* An answer is two words: how far, and the point's id << 32 | component; both UINT64_MAX: there is none so near. */
struct bi_ranks_emst_answers {
    const uint32_t *rows; /* of the points found, or none */
    const void *dist2;
    bool single;
    const int64_t *ids;
    const uint32_t *labels;
    uint64_t *answers;
};

BI_FN void bi_step_emst_answers(const struct bi_ranks_emst_answers *a, int64_t i)
{
    const uint32_t row = a->rows[i];
    const bool none = row == BI_KDTREE_NONE;
    a->answers[2 * i] = none ? UINT64_MAX : bi_ranks_emst_word(a->single, bi_ranks_dist2(a->dist2, a->single, i));
    a->answers[2 * i + 1] = none ? UINT64_MAX : (uint64_t)a->ids[row] << 32 | a->labels[row];
}

/* Answer i of a shard, from `first` on, is that to question order[first + i]: nearest[...] becomes it if it is less. */
struct bi_ranks_emst_merge {
    int64_t first;
    const uint32_t *order;
    const uint64_t *answers;
    uint64_t *nearest; /* by question */
};

BI_FN void bi_step_emst_merge(const struct bi_ranks_emst_merge *a, int64_t i)
{
    const uint64_t *from = a->answers + 2 * (a->first + i);
    uint64_t *to = a->nearest + 2 * (int64_t)a->order[a->first + i];
    if (from[0] > to[0] || (from[0] == to[0] && from[1] >= to[1])) return;
    to[0] = from[0];
    to[1] = from[1];
}

/* What row rows[i] has learned, and the edge that it has now. */
struct bi_ranks_emst_learn {
    struct bi_ranks_emst_points points;
    const uint64_t *best, *nearest;
    const uint32_t *rows;
    const int64_t *ids;
    uint64_t *words, *ends, *pairs;
    uint8_t *found;
};

BI_FN void bi_step_emst_learn(const struct bi_ranks_emst_learn *a, int64_t i)
{
    const uint32_t row = a->rows[i], label = a->points.label[row], other = (uint32_t)a->nearest[2 * i + 1];
    const uint64_t word = a->nearest[2 * i], bound = a->best[label];
    const uint64_t u = (uint64_t)a->ids[row], v = a->nearest[2 * i + 1] >> 32;
    a->found[i] = word != UINT64_MAX;
    a->points.lower[row] = word != UINT64_MAX ? word : bound == UINT64_MAX ? UINT64_MAX : bound + 1;
    if (word == UINT64_MAX) return;
    a->points.other[row] = other;
    a->words[i] = word;
    a->ends[i] = (uint64_t)label << 32 | other;
    a->pairs[i] = u < v ? u << 32 | v : v << 32 | u;
}

/* ---- the tree's edges ---- */

/* Records by themselves. */
struct bi_ranks_emst_split {
    const uint64_t *records;
    uint64_t *pairs, *words;
};

BI_FN void bi_step_emst_split(const struct bi_ranks_emst_split *a, int64_t i)
{
    const uint64_t *r = bi_ranks_record_at(a->records, true, i);
    a->words[i] = r[0];
    a->pairs[i] = r[1];
}

#endif
