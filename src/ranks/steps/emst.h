/* Steps of Euclidean spanning trees over ranks. Components are numbered alike on all ranks. Squared lengths are kept as
 * words whose integer order is theirs. Edges and records are those of forests (steps/forest.h): an edge's rank is its
 * squared length, its id the pair of its points, smaller << 32 | greater. So edges are ordered as on one context. */
#ifndef BI_RANKS_STEPS_EMST_H
#define BI_RANKS_STEPS_EMST_H

#include "ranks/steps/forest.h"
#include "ranks/steps/kdtree_search.h"

BI_FN uint64_t bi_ranks_emst_word(bool single, double dist2)
{
    return single ? bi_f32_bits((float)dist2) : bi_f64_bits(dist2);
}

/* Returns the length of a word; infinity for UINT64_MAX. */
BI_FN double bi_ranks_emst_length(bool single, uint64_t word)
{
    if (word == UINT64_MAX) return (double)INFINITY;
    return single ? (double)bi_f32_from_bits((uint32_t)word) : bi_f64_from_bits(word);
}

/* A rank's points in the order of their ids. "Foreign" points belong to other ranks and other components. */
struct bi_ranks_emst_points {
    uint32_t *label;         /* component */
    uint32_t *nearest_label; /* component of the nearest foreign point; BI_FOREST_NONE: unknown */
    uint64_t *lower_bound;   /* no foreign point is nearer; UINT64_MAX: there is none */
};

/* Stores the core distance of query i, the last of its k distances, at its row. */
struct bi_ranks_emst_cores {
    const uint32_t *rows; /* NULL: 0, 1, 2, ... */
    const void *dist2;
    int64_t k;
    bool single;
    void *core;
};

BI_FN void bi_step_emst_store_cores(const struct bi_ranks_emst_cores *a, int64_t i)
{
    const int64_t row = a->rows ? (int64_t)a->rows[i] : i;
    bi_ranks_set_dist2(a->core, a->single, row, bi_ranks_dist2(a->dist2, a->single, i * a->k + a->k - 1));
}

/* Makes each point a component, and bounds its distance to foreign points by the nearest subtree box of another
 * shard, and by its core distance. */
struct bi_ranks_emst_init {
    struct bi_ranks_kdtree_reach reach;
    struct bi_ranks_emst_points points;
    bool single;
    const void *core; /* NULL: distances are Euclidean */
};

BI_FN void bi_step_emst_init(const struct bi_ranks_emst_init *a, int64_t i)
{
    uint64_t lower = UINT64_MAX;
    double nearest = (double)INFINITY;
    for (uint32_t r = 0; r < a->reach.rank_count; r++) {
        if (r == a->reach.own || bi_ranks_kdtree_is_empty(&a->reach, bi_ranks_kdtree_box_of(&a->reach, r))) continue;
        const double d = bi_ranks_kdtree_shard_dist2(&a->reach, i, r, nearest);
        if (d < nearest) nearest = d;
        lower = bi_ranks_emst_word(a->single, nearest);
    }
    if (a->core && lower != UINT64_MAX) {
        const uint64_t own = bi_ranks_emst_word(a->single, bi_ranks_dist2(a->core, a->single, i));
        lower = own > lower ? own : lower;
    }
    a->points.label[i] = (uint32_t)i;
    a->points.nearest_label[i] = BI_FOREST_NONE;
    a->points.lower_bound[i] = lower;
}

/* Translates pairs of rows to pairs of ids. */
struct bi_ranks_emst_pair_ids {
    const uint64_t *rows;
    const uint32_t *ids;
    uint64_t *pairs;
};

BI_FN void bi_step_emst_pair_ids(const struct bi_ranks_emst_pair_ids *a, int64_t i)
{
    const uint64_t u = (uint64_t)a->ids[a->rows[i] >> 32], v = (uint64_t)a->ids[(uint32_t)a->rows[i]];
    a->pairs[i] = u << 32 | v;
}

/* ---- within a shard ---- */

/* least_bound (by component): the minimum of its points' lower bounds. */
struct bi_ranks_emst_min_bounds {
    struct bi_ranks_emst_points points;
    uint64_t *least_bound;
};

BI_FN void bi_step_emst_min_bounds(const struct bi_ranks_emst_min_bounds *a, int64_t i)
{
    bi_ranks_atomic_lower(&a->least_bound[a->points.label[i]], a->points.lower_bound[i]);
}

/* By component: withholds an edge that is not shorter than the component's bound, since a foreign edge may be
 * lighter. */
struct bi_ranks_emst_withhold {
    uint64_t *records;
    const uint64_t *least_bound;
};

BI_FN void bi_step_emst_withhold(const struct bi_ranks_emst_withhold *a, int64_t c)
{
    uint64_t *r = a->records + c * bi_ranks_record_words(true);
    if (r[0] >= a->least_bound[c]) r[0] = r[1] = r[2] = BI_RANKS_NO_EDGE; /* as a record without an edge */
}

/* ---- components ---- */

/* Points get the next round's numbers of their components. A nearest foreign point that is now in the same component
 * is forgotten. */
struct bi_ranks_emst_relabel_points {
    struct bi_ranks_emst_points points;
    const uint32_t *next;
};

BI_FN void bi_step_emst_relabel_points(const struct bi_ranks_emst_relabel_points *a, int64_t i)
{
    const uint32_t label = a->next[a->points.label[i]], nearest_label = a->points.nearest_label[i];
    a->points.label[i] = label;
    if (nearest_label != BI_FOREST_NONE)
        a->points.nearest_label[i] = a->next[nearest_label] == label ? BI_FOREST_NONE : a->next[nearest_label];
}

/* The minimum over ranks of each word, written for each rank. */
struct bi_ranks_emst_min_words {
    const uint64_t *words; /* (rank_count, each) */
    int64_t each;
    int32_t rank_count;
    uint64_t *out; /* (rank_count, each) */
};

BI_FN void bi_step_emst_min_words(const struct bi_ranks_emst_min_words *a, int64_t i)
{
    uint64_t least = a->words[i];
    for (int32_t k = 1; k < a->rank_count; k++)
        if (a->words[k * a->each + i] < least) least = a->words[k * a->each + i];
    for (int32_t k = 0; k < a->rank_count; k++) a->out[k * a->each + i] = least;
}

/* ---- queries: the nearest foreign point of another component ---- */

/* Selects the points to query for: their nearest foreign point is unknown and may be as near as the best edge of their
 * component. */
struct bi_ranks_emst_select {
    struct bi_ranks_emst_points points;
    const uint64_t *best;  /* by component */
    uint64_t *least_bound; /* by component: the least bound of such points */
    uint32_t *first;       /* by component: the first point with that bound; NULL: all points query */
    uint8_t *is_query;
};

BI_FN bool bi_ranks_emst_needs_query(const struct bi_ranks_emst_select *a, int64_t i)
{
    const uint64_t lower_bound = a->points.lower_bound[i];
    return a->points.nearest_label[i] == BI_FOREST_NONE && lower_bound != UINT64_MAX &&
           lower_bound <= a->best[a->points.label[i]];
}

BI_FN void bi_step_emst_min_open_bounds(const struct bi_ranks_emst_select *a, int64_t i)
{
    if (bi_ranks_emst_needs_query(a, i))
        bi_ranks_atomic_lower(&a->least_bound[a->points.label[i]], a->points.lower_bound[i]);
}

BI_FN void bi_step_emst_first_open(const struct bi_ranks_emst_select *a, int64_t i)
{
    const uint32_t c = a->points.label[i];
    if (bi_ranks_emst_needs_query(a, i) && a->points.lower_bound[i] == a->least_bound[c])
        bi_atomic_min_u32(&a->first[c], (uint32_t)i);
}

BI_FN void bi_step_emst_mark_queries(const struct bi_ranks_emst_select *a, int64_t i)
{
    a->is_query[i] = bi_ranks_emst_needs_query(a, i) && (!a->first || a->first[a->points.label[i]] == (uint32_t)i);
}

/* Query i belongs to row rows[i]. */
struct bi_ranks_emst_queries {
    struct bi_ranks_emst_points points;
    const uint64_t *best;
    const uint32_t *rows;
    bool single;
    uint32_t *labels;
    void *bounds;
    const void *core; /* by row: core distances; NULL: none */
    void *cores;      /* of the queries */
};

BI_FN void bi_step_emst_write_queries(const struct bi_ranks_emst_queries *a, int64_t i)
{
    const uint32_t label = a->points.label[a->rows[i]];
    a->labels[i] = label;
    bi_ranks_set_dist2(a->bounds, a->single, i, bi_ranks_emst_length(a->single, a->best[label]));
    if (a->core) bi_ranks_set_dist2(a->cores, a->single, i, bi_ranks_dist2(a->core, a->single, a->rows[i]));
}

/* An answer has two words: the squared distance, and the point's id << 32 | its component. Both are UINT64_MAX if no
 * point is within the bound. */
struct bi_ranks_emst_answers {
    const uint32_t *rows; /* of the points found; BI_KDTREE_NONE: none */
    const void *dist2;
    bool single;
    const uint32_t *ids;
    const uint32_t *labels;
    uint64_t *answers;
};

BI_FN void bi_step_emst_write_answers(const struct bi_ranks_emst_answers *a, int64_t i)
{
    const uint32_t row = a->rows[i];
    const bool none = row == BI_KDTREE_NONE;
    a->answers[2 * i] = none ? UINT64_MAX : bi_ranks_emst_word(a->single, bi_ranks_dist2(a->dist2, a->single, i));
    a->answers[2 * i + 1] = none ? UINT64_MAX : (uint64_t)a->ids[row] << 32 | a->labels[row];
}

/* Answer first + i of a shard belongs to query order[first + i]: best_answers of that query becomes the minimum. */
struct bi_ranks_emst_merge_answers {
    int64_t first;
    const uint32_t *order;
    const uint64_t *answers;
    uint64_t *best_answers; /* by query: two words */
};

BI_FN void bi_step_emst_merge_answers(const struct bi_ranks_emst_merge_answers *a, int64_t i)
{
    const uint64_t *from = a->answers + 2 * (a->first + i);
    uint64_t *to = a->best_answers + 2 * (int64_t)a->order[a->first + i];
    if (from[0] > to[0] || (from[0] == to[0] && from[1] >= to[1])) return;
    to[0] = from[0];
    to[1] = from[1];
}

/* Applies the answer of row rows[i]: its new bound, its nearest component, and the edge to it. */
struct bi_ranks_emst_apply {
    struct bi_ranks_emst_points points;
    const uint64_t *best, *best_answers;
    const uint32_t *rows;
    const uint32_t *ids;
    uint64_t *words, *ends, *pairs;
    uint8_t *found;
};

BI_FN void bi_step_emst_apply_answers(const struct bi_ranks_emst_apply *a, int64_t i)
{
    const uint32_t row = a->rows[i], label = a->points.label[row], nearest_label = (uint32_t)a->best_answers[2 * i + 1];
    const uint64_t word = a->best_answers[2 * i], bound = a->best[label];
    const uint64_t u = (uint64_t)a->ids[row], v = a->best_answers[2 * i + 1] >> 32;
    a->found[i] = word != UINT64_MAX;
    a->points.lower_bound[row] = word != UINT64_MAX ? word : bound == UINT64_MAX ? UINT64_MAX : bound + 1;
    if (word == UINT64_MAX) return;
    a->points.nearest_label[row] = nearest_label;
    a->words[i] = word;
    a->ends[i] = (uint64_t)label << 32 | nearest_label;
    a->pairs[i] = u < v ? u << 32 | v : v << 32 | u;
}

/* ---- the tree's edges ---- */

/* Splits records into pairs of ids and lengths. */
struct bi_ranks_emst_split_records {
    const uint64_t *records;
    uint64_t *pairs, *words;
};

BI_FN void bi_step_emst_split_records(const struct bi_ranks_emst_split_records *a, int64_t i)
{
    const uint64_t *r = bi_ranks_record_at(a->records, true, i);
    a->words[i] = r[0];
    a->pairs[i] = r[1];
}

#endif
