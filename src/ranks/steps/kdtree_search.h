/* Steps of searches over ranks: the shards that a query must be sent to, and merges of their answers. */
#ifndef BI_RANKS_STEPS_KDTREE_SEARCH_H
#define BI_RANKS_STEPS_KDTREE_SEARCH_H

#include <math.h>

#include "base/atomic.h"
#include "base/bits.h"
#include "kdtree/order.h"
#include "kdtree/steps/metric.h"
#include "ranks/steps/kdtree_build.h"

/* ---- squared distances, of float (`single`) or double ---- */

BI_FN double bi_ranks_dist2(const void *dist2, bool single, int64_t i)
{
    return single ? (double)((const float *)dist2)[i] : ((const double *)dist2)[i];
}

BI_FN void bi_ranks_set_dist2(void *dist2, bool single, int64_t i, double x)
{
    if (single)
        ((float *)dist2)[i] = (float)x;
    else
        ((double *)dist2)[i] = x;
}

/* ---- the shards whose boxes a query reaches ---- */

enum bi_ranks_kdtree_search {
    BI_RANKS_KNN,    /* within `limit` and dist2, shards other than `own` */
    BI_RANKS_RADIUS, /* within `limit` */
    BI_RANKS_BOX,    /* rows are boxes: two rows each */
    BI_RANKS_OTHER   /* within dist2, shards other than `own`, unless all their points have the query's label */
};

struct bi_ranks_kdtree_reach {
    const uint64_t *boxes;         /* of the shards: see struct bosc_ranks_kdtree */
    const uint64_t *subtree_boxes; /* (subtrees_per_shard) boxes of each shard, some of them empty; NULL if that is 1 */
    int64_t subtrees_per_shard;
    uint32_t rank_count;
    int32_t dim;
    bosc_dtype dtype;
    double p; /* the order of distances, which `dist2` holds then; 0: squares, of order 2 */
    struct bi_kdtree_rows rows;
    enum bi_ranks_kdtree_search search;
    double limit;
    const void *dist2;            /* KNN, OTHER: by query; float for F32, else double */
    uint32_t own;                 /* KNN, OTHER: this rank */
    uint32_t *nearest_shard;      /* of kdtree_nearest_shard */
    const uint32_t *labels;       /* OTHER: by query */
    const uint32_t *shard_labels; /* OTHER: by rank; no query's label where the shard's labels differ */
    int64_t *counts;              /* of kdtree_reach_count: number of ranks by query */
    const int64_t *offsets;       /* of kdtree_reach_fill: offset of each query's pairs */
    uint32_t *ranks, *queries;
};

/* Boxes of the subtrees of a shard, in the format of the shards' boxes, except that high keys are complements: both
 * are then minima. The node after a subtree is in that subtree's box. Item i is coordinate i % dim of row i / dim. */
struct bi_ranks_kdtree_subtree_boxes {
    struct bi_ranks_kdtree_cuts points; /* dense */
    int32_t levels;                     /* of the partition */
    uint32_t first;                     /* first subtree of the shard */
    uint64_t *boxes;
};

BI_FN void bi_step_kdtree_subtree_boxes(const struct bi_ranks_kdtree_subtree_boxes *a, int64_t i)
{
    const int64_t dim = a->points.dim, row = i / dim, c = i - row * dim;
    const uint32_t subtree = bi_ranks_kdtree_part_of(&a->points, row, a->levels) >> 1;
    uint64_t *low = a->boxes + 2 * (int64_t)(subtree - a->first) * dim + c, *high = low + dim;
    const uint64_t key = bi_kdtree_key(a->points.rows.data, i, a->points.dtype);
    if (bi_atomic_load_u64(low) > key) bi_atomic_min_u64(low, key);
    if (bi_atomic_load_u64(high) > ~key) bi_atomic_min_u64(high, ~key);
}

/* Returns the number of an ordered key, as bosc_kdtree_number does. */
BI_FN double bi_ranks_number_of_key(uint64_t key, bosc_dtype dtype)
{
    switch (dtype) {
    case BOSC_F32: return (double)bi_f32_of_key((uint32_t)key);
    case BOSC_F64: return bi_f64_of_key(key);
    case BOSC_I32: return (double)(int32_t)((uint32_t)key ^ 0x80000000u);
    default: return (double)(int64_t)(key ^ 0x8000000000000000ull);
    }
}

/* Returns box r: its lowest keys, followed by its highest. */
BI_FN const uint64_t *bi_ranks_kdtree_box_of(const struct bi_ranks_kdtree_reach *a, uint32_t r)
{
    return a->boxes + 2 * (int64_t)r * a->dim;
}

/* Returns the signed distance of coordinate c of query i from a box; 0 inside. */
BI_FN double bi_ranks_kdtree_outside(const struct bi_ranks_kdtree_reach *a, int64_t i, const uint64_t *low, int32_t c)
{
    const uint64_t *high = low + a->dim;
    const int64_t at = i * a->rows.stride + c;
    const uint64_t key = bi_kdtree_key(a->rows.data, at, a->dtype);
    if (key >= low[c] && key <= high[c]) return 0;
    const double bound = bi_ranks_number_of_key(key < low[c] ? low[c] : high[c], a->dtype);
    const double x = bosc_kdtree_number(a->rows.data, at, a->dtype);
    return a->dtype == BOSC_F32 ? (double)((float)x - (float)bound) : x - bound;
}

/* Returns a lower bound of the measures from query i to points of a box. Measures grow with each gap; no distance of
 * order p is below its largest gap. */
BI_FN double bi_ranks_kdtree_box_measure(const struct bi_ranks_kdtree_reach *a, const struct bi_kdtree_metric *m,
                                         int64_t i, const uint64_t *low)
{
    double sum = 0;
    for (int32_t c = 0; c < a->dim; c++) {
        const double x = bosc_kdtree_number(a->rows.data, i * a->rows.stride + c, a->dtype);
        const double gap = bi_kdtree_least_gap(m, c, x, bi_ranks_number_of_key(low[c], a->dtype),
                                               bi_ranks_number_of_key(low[a->dim + c], a->dtype));
        sum = bi_kdtree_add_gap(m->kind, sum, gap);
    }
    return sum * m->shrink;
}

/* Returns the squared distance of query i from a box, with the operations of bosc_kdtree_dist2. Each rounds
 * monotonically, so the result never exceeds the computed distance of a point in the box. For other orders: a bound. */
BI_FN double bi_ranks_kdtree_box_dist2(const struct bi_ranks_kdtree_reach *a, int64_t i, const uint64_t *low)
{
    if (a->p > 0) {
        const struct bi_kdtree_metric m = bi_kdtree_metric_of_order(a->p);
        return bi_ranks_kdtree_box_measure(a, &m, i, low);
    }
    if (a->dtype == BOSC_F32) {
        float s = 0;
        for (int32_t c = 0; c < a->dim; c++) {
            const float d = (float)bi_ranks_kdtree_outside(a, i, low, c);
            s = s + d * d;
        }
        return (double)s;
    }
    double s = 0;
    for (int32_t c = 0; c < a->dim; c++) {
        const double d = bi_ranks_kdtree_outside(a, i, low, c);
        s = s + d * d;
    }
    return s;
}

BI_FN bool bi_ranks_kdtree_is_empty(const struct bi_ranks_kdtree_reach *a, const uint64_t *low)
{
    return low[0] > low[a->dim];
}

/* Returns the squared distance of query i from the nearest subtree box of shard r. If it exceeds `limit`, the result
 * is some greater value or infinity. */
BI_FN double bi_ranks_kdtree_shard_dist2(const struct bi_ranks_kdtree_reach *a, int64_t i, uint32_t r, double limit)
{
    double least = bi_ranks_kdtree_box_dist2(a, i, bi_ranks_kdtree_box_of(a, r));
    if (a->subtrees_per_shard == 1) return least;
    const bool is_far = least > limit;
    least = (double)INFINITY;
    if (is_far) return least;
    for (int64_t p = r * a->subtrees_per_shard; p < (r + 1) * a->subtrees_per_shard; p++) {
        const uint64_t *box = a->subtree_boxes + 2 * p * a->dim;
        if (bi_ranks_kdtree_is_empty(a, box)) continue;
        const double d = bi_ranks_kdtree_box_dist2(a, i, box);
        if (d < least) least = d;
    }
    return least;
}

/* True if query box i intersects the box at `low`. */
BI_FN bool bi_ranks_kdtree_boxes_intersect(const struct bi_ranks_kdtree_reach *a, int64_t i, const uint64_t *low)
{
    const uint64_t *high = low + a->dim;
    const int64_t at = i * a->rows.stride;
    for (int32_t c = 0; c < a->dim; c++)
        if (bi_kdtree_key(a->rows.data, at + c, a->dtype) > high[c] ||
            bi_kdtree_key(a->rows.data, at + a->dim + c, a->dtype) < low[c])
            return false;
    return true;
}

/* True if query box i intersects a subtree box of shard r. */
BI_FN bool bi_ranks_kdtree_intersects(const struct bi_ranks_kdtree_reach *a, int64_t i, uint32_t r)
{
    bool intersects = bi_ranks_kdtree_boxes_intersect(a, i, bi_ranks_kdtree_box_of(a, r));
    if (!intersects || a->subtrees_per_shard == 1) return intersects;
    intersects = false;
    for (int64_t p = r * a->subtrees_per_shard; p < (r + 1) * a->subtrees_per_shard && !intersects; p++)
        intersects = bi_ranks_kdtree_boxes_intersect(a, i, a->subtree_boxes + 2 * p * a->dim);
    return intersects;
}

BI_FN bool bi_ranks_kdtree_reaches_other(const struct bi_ranks_kdtree_reach *a, int64_t i, uint32_t r)
{
    const double limit = bi_ranks_dist2(a->dist2, a->dtype == BOSC_F32, i);
    if (r == a->own || a->shard_labels[r] == a->labels[i]) return false;
    return bi_ranks_kdtree_shard_dist2(a, i, r, limit) <= limit;
}

BI_FN bool bi_ranks_kdtree_reaches(const struct bi_ranks_kdtree_reach *a, int64_t i, uint32_t r)
{
    if (bi_ranks_kdtree_is_empty(a, bi_ranks_kdtree_box_of(a, r))) return false;
    if (a->search == BI_RANKS_BOX) return bi_ranks_kdtree_intersects(a, i, r);
    if (a->search == BI_RANKS_OTHER) return bi_ranks_kdtree_reaches_other(a, i, r);
    double limit = a->limit;
    if (a->search == BI_RANKS_KNN) {
        if (r == a->own) return false;
        const double farthest = bi_ranks_dist2(a->dist2, a->dtype == BOSC_F32, i);
        if (farthest < limit) limit = farthest;
    }
    return bi_ranks_kdtree_shard_dist2(a, i, r, limit) <= limit;
}

/* nearest_shard[i] = the rank whose box is nearest, among those with points; the lowest of several. */
BI_FN void bi_step_kdtree_nearest_shard(const struct bi_ranks_kdtree_reach *a, int64_t i)
{
    uint32_t nearest = UINT32_MAX;
    double least = (double)INFINITY;
    for (uint32_t r = 0; r < a->rank_count; r++) {
        if (bi_ranks_kdtree_is_empty(a, bi_ranks_kdtree_box_of(a, r))) continue;
        const double d = bi_ranks_kdtree_shard_dist2(a, i, r, least);
        if (nearest != UINT32_MAX && d >= least) continue;
        nearest = r;
        least = d;
    }
    a->nearest_shard[i] = nearest;
}

BI_FN void bi_step_kdtree_reach_count(const struct bi_ranks_kdtree_reach *a, int64_t i)
{
    int64_t count = 0;
    for (uint32_t r = 0; r < a->rank_count; r++) count += bi_ranks_kdtree_reaches(a, i, r);
    a->counts[i] = count;
}

BI_FN void bi_step_kdtree_reach_fill(const struct bi_ranks_kdtree_reach *a, int64_t i)
{
    int64_t at = a->offsets[i];
    for (uint32_t r = 0; r < a->rank_count; r++) {
        if (!bi_ranks_kdtree_reaches(a, i, r)) continue;
        a->ranks[at] = r;
        a->queries[at++] = (uint32_t)i;
    }
}

/* ---- answers of shards ----
 *
 * A shard answers a query at most once, so the answers of one shard can be merged concurrently. Rows are merged from
 * the back, so that no entry is overwritten before it is read. */

/* Moves the distance of a merged row's entry `at`: from entry `from` of the row itself, or of the answers. */
BI_FN void bi_ranks_move_dist2(void *to_dist2, const void *dist2, bool single, int64_t at, bool is_old, int64_t from)
{
    bi_ranks_set_dist2(to_dist2, single, at, bi_ranks_dist2(is_old ? to_dist2 : dist2, single, from));
}

/* dist2[i] = infinity. */
struct bi_ranks_kdtree_empty_dist2 {
    void *dist2;
    bool single;
};

BI_FN void bi_step_kdtree_empty_dist2(const struct bi_ranks_kdtree_empty_dist2 *a, int64_t i)
{
    bi_ranks_set_dist2(a->dist2, a->single, i, (double)INFINITY);
}

/* positions[r] = the node of row r. Item i is a node. */
struct bi_ranks_kdtree_positions {
    bosc_kdtree_view view;
    uint32_t *positions;
};

BI_FN void bi_step_kdtree_positions(const struct bi_ranks_kdtree_positions *a, int64_t i)
{
    a->positions[bosc_kdtree_id(&a->view, i)] = (uint32_t)i;
}

/* Lists of k rows of this shard, ordered by (distance, id): the answers to its queries. Distances are at hand, or
 * computed by the operations of the search. */
struct bi_ranks_kdtree_lists {
    struct bi_kdtree_rows queries;
    size_t row_bytes; /* of a query */
    int64_t k;
    uint32_t *rows; /* BI_KDTREE_NONE comes last */
    void *dist2;    /* or NULL */
    bool single;    /* distances are float */
    bosc_kdtree_view view;
    const uint32_t *positions; /* of the rows; if dist2 is NULL */
    /* Some lists, those of queries order[0], order[1], ..., with ids of all ranks, and the same in the answers. */
    const uint32_t *order;
    const void *shard_ids;
    int64_t *some_ids;
    void *some_dist2;
    void *ids;
    bool is_64bit; /* ids and shard_ids have 64 bits, else 32 */
};

/* Returns the distance of entry `at`, of query i. */
BI_FN double bi_ranks_kdtree_entry_dist2(const struct bi_ranks_kdtree_lists *a, int64_t i, int64_t at)
{
    if (a->dist2) return bi_ranks_dist2(a->dist2, a->single, at);
    if (a->rows[at] == BI_KDTREE_NONE) return (double)INFINITY;
    return bosc_kdtree_dist2(&a->view, a->positions[a->rows[at]],
                             (const char *)a->queries.data + (size_t)i * a->row_bytes);
}

/* farthest[i] = the k-th distance of list i; reaches[i] = 1 if another shard's box is within it. */
struct bi_ranks_kdtree_boundary {
    struct bi_ranks_kdtree_lists lists;
    struct bi_ranks_kdtree_reach reach; /* its dist2 is `farthest` */
    void *farthest;
    uint8_t *reaches;
};

BI_FN void bi_step_kdtree_boundary(const struct bi_ranks_kdtree_boundary *a, int64_t i)
{
    const struct bi_ranks_kdtree_lists *l = &a->lists;
    bool reaches = false;
    bi_ranks_set_dist2(a->farthest, l->single, i, bi_ranks_kdtree_entry_dist2(l, i, i * l->k + l->k - 1));
    for (uint32_t r = 0; r < a->reach.rank_count && !reaches; r++) reaches = bi_ranks_kdtree_reaches(&a->reach, i, r);
    a->reaches[i] = reaches;
}

/* Items of both are entries of the lists. */
BI_FN void bi_step_kdtree_load_lists(const struct bi_ranks_kdtree_lists *a, int64_t e)
{
    const int64_t query = a->order[e / a->k], at = query * a->k + e % a->k;
    a->some_ids[e] = a->rows[at] == BI_KDTREE_NONE ? -1 : (int64_t)bi_word(a->shard_ids, a->is_64bit, a->rows[at]);
    bi_ranks_set_dist2(a->some_dist2, a->single, e, bi_ranks_kdtree_entry_dist2(a, query, at));
}

BI_FN void bi_step_kdtree_store_lists(const struct bi_ranks_kdtree_lists *a, int64_t e)
{
    const int64_t at = a->order[e / a->k] * a->k + e % a->k;
    bi_set_word(a->ids, a->is_64bit, at, (uint64_t)a->some_ids[e]);
    if (a->dist2) bi_ranks_set_dist2(a->dist2, a->single, at, bi_ranks_dist2(a->some_dist2, a->single, e));
}

/* Rows of k entries ordered by (distance, id); id -1 comes last. Row first + i of the answers belongs to query
 * order[first + i]. */
struct bi_ranks_kdtree_merge_knn {
    int64_t k, first;
    const uint32_t *order;
    const int64_t *ids; /* of the answers: rows of k */
    const void *dist2;
    int64_t *to_ids; /* of the queries */
    void *to_dist2;
    bool single; /* distances are float */
};

/* True if entry b of the answers precedes entry q of the queries. */
BI_FN bool bi_ranks_kdtree_precedes(const struct bi_ranks_kdtree_merge_knn *a, int64_t b, int64_t q)
{
    const double x = bi_ranks_dist2(a->dist2, a->single, b), y = bi_ranks_dist2(a->to_dist2, a->single, q);
    return x < y || (x == y && (uint64_t)a->ids[b] < (uint64_t)a->to_ids[q]);
}

BI_FN void bi_step_kdtree_merge_knn(const struct bi_ranks_kdtree_merge_knn *a, int64_t i)
{
    const int64_t from = (a->first + i) * a->k, to = (int64_t)a->order[a->first + i] * a->k;
    int64_t old = 0, added = 0;
    /* 1. Count the entries of the query's row and of the answer among the first k of both. 2. Merge them. */
    while (old + added < a->k)
        if (bi_ranks_kdtree_precedes(a, from + added, to + old))
            added++;
        else
            old++;
    for (int64_t at = to + a->k - 1; added > 0; at--) {
        const int64_t q = to + old - 1, b = from + added - 1;
        const bool is_old = old > 0 && bi_ranks_kdtree_precedes(a, b, q);
        a->to_ids[at] = is_old ? a->to_ids[q] : a->ids[b];
        bi_ranks_move_dist2(a->to_dist2, a->dist2, a->single, at, is_old, is_old ? q : b);
        old -= is_old;
        added -= !is_old;
    }
}

/* CSR rows whose entries ascend by id. Row first + i of the answers belongs to query order[first + i]. */
struct bi_ranks_kdtree_merge_rows {
    int64_t first;
    const uint32_t *order;
    const int64_t *counts, *answer_offsets; /* by answer: number of entries, and the offset of the first */
    const int64_t *ids;                     /* of the answers */
    const void *dist2;                      /* may be NULL */
    const int64_t *offsets;                 /* of the queries' rows */
    int64_t *lengths;                       /* entries in the queries' rows so far */
    void *to_ids;                           /* of 64 (`is_64bit`) or 32 bits */
    void *to_dist2;
    bool is_64bit, single;
};

BI_FN void bi_step_kdtree_add_lengths(const struct bi_ranks_kdtree_merge_rows *a, int64_t i)
{
    a->lengths[a->order[a->first + i]] += a->counts[a->first + i];
}

BI_FN void bi_step_kdtree_merge_rows(const struct bi_ranks_kdtree_merge_rows *a, int64_t i)
{
    const int64_t s = a->first + i, query = a->order[s], to = a->offsets[query], from = a->answer_offsets[s];
    int64_t old = a->lengths[query], added = a->counts[s];
    a->lengths[query] = old + added;
    for (int64_t at = to + old + added - 1; added > 0; at--) {
        const int64_t q = to + old - 1, b = from + added - 1;
        const bool is_old = old > 0 && bi_word(a->to_ids, a->is_64bit, q) > (uint64_t)a->ids[b];
        bi_set_word(a->to_ids, a->is_64bit, at, is_old ? bi_word(a->to_ids, a->is_64bit, q) : (uint64_t)a->ids[b]);
        if (a->to_dist2) bi_ranks_move_dist2(a->to_dist2, a->dist2, a->single, at, is_old, is_old ? q : b);
        old -= is_old;
        added -= !is_old;
    }
}

/* *bad becomes the lowest row whose input length differs from the answer's. */
struct bi_ranks_kdtree_same_lengths {
    const int64_t *input_offsets, *offsets;
    int64_t *bad;
};

BI_FN void bi_step_kdtree_same_lengths(const struct bi_ranks_kdtree_same_lengths *a, int64_t i)
{
    if (a->input_offsets[i + 1] - a->input_offsets[i] != a->offsets[i + 1] - a->offsets[i])
        bi_atomic_min_i64(a->bad, i);
}

#endif
