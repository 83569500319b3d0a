/* Steps that find the shards that a query must be sent to: those whose boxes it reaches. */
#ifndef BI_RANKS_STEPS_KDTREE_REACH_H
#define BI_RANKS_STEPS_KDTREE_REACH_H

#include "base/atomic.h"
#include "kdtree/order.h"

enum bi_ranks_kdtree_search {
    BI_RANKS_KNN,    /* within `limit` and the k-th distance so far; the nearest shard was queried already */
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
    struct bi_kdtree_rows rows;
    enum bi_ranks_kdtree_search search;
    double limit;
    const void *dist2; /* KNN: rows of k; OTHER: one each. float for F32, else double */
    int64_t k;
    uint32_t *nearest_shard;      /* KNN: the rank queried first, found by kdtree_nearest_shard */
    uint32_t own;                 /* OTHER: this rank */
    const uint32_t *labels;       /* OTHER: by query */
    const uint32_t *shard_labels; /* OTHER: by rank; no query's label where the shard's labels differ */
    int64_t *counts;              /* of kdtree_reach_count: number of ranks by query */
    const int64_t *offsets;       /* of kdtree_reach_fill: offset of each query's pairs */
    uint32_t *ranks, *queries;
};

/* Boxes of the subtrees of a shard, in the format of the shards' boxes, except that high keys are complements: both
 * are then minima. Item i is coordinate i % dim of row i / dim. */
struct bi_ranks_kdtree_subtree_boxes {
    struct bi_kdtree_rows rows;
    bosc_dtype dtype;
    int32_t dim;
    const uint32_t *parts; /* of the rows */
    uint32_t first;        /* first subtree of the shard */
    uint64_t *boxes;
};

BI_FN void bi_step_kdtree_subtree_boxes(const struct bi_ranks_kdtree_subtree_boxes *a, int64_t i)
{
    const int64_t row = i / a->dim, c = i - row * a->dim;
    uint64_t *low = a->boxes + 2 * (int64_t)((a->parts[row] >> 1) - a->first) * a->dim + c, *high = low + a->dim;
    const uint64_t key = bi_kdtree_key(a->rows.data, i, a->dtype);
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

/* Returns the distance of coordinate c of query i from a box; 0 inside. */
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

/* Returns the squared distance of query i from a box, with the operations of bosc_kdtree_dist2. Each rounds
 * monotonically, so the result never exceeds the computed distance of a point in the box. */
BI_FN double bi_ranks_kdtree_box_dist2(const struct bi_ranks_kdtree_reach *a, int64_t i, const uint64_t *low)
{
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

/* True if query box i intersects another box. */
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

BI_FN double bi_ranks_kdtree_limit(const struct bi_ranks_kdtree_reach *a, int64_t i)
{
    return a->dtype == BOSC_F32 ? (double)((const float *)a->dist2)[i] : ((const double *)a->dist2)[i];
}

BI_FN bool bi_ranks_kdtree_reaches_other(const struct bi_ranks_kdtree_reach *a, int64_t i, uint32_t r)
{
    const double limit = bi_ranks_kdtree_limit(a, i);
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
        if (r == a->nearest_shard[i]) return false;
        const double farthest = bi_ranks_kdtree_limit(a, i * a->k + a->k - 1);
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

#endif
