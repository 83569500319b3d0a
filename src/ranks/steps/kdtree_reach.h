/* Steps that find the shards which a query must be sent to: those whose boxes it reaches. */
#ifndef BI_RANKS_STEPS_KDTREE_REACH_H
#define BI_RANKS_STEPS_KDTREE_REACH_H

#include "base/atomic.h"
#include "kdtree/order.h"

enum bi_ranks_kdtree_search {
    BI_RANKS_KNN, /* within `limit` and the distance of the k-th neighbour so far, other shards than the first asked */
    BI_RANKS_RADIUS, /* within `limit` */
    BI_RANKS_BOX,    /* rows are boxes: two rows each */
    BI_RANKS_OTHER   /* within dist2, other shards than `own`, but for those whose points all have the query's label */
};

struct bi_ranks_kdtree_reach {
    const uint64_t *boxes; /* of the ranks: see struct bosc_ranks_kdtree */
    const uint64_t *parts; /* boxes of which each shard has part_count, some of them empty; of one: NULL */
    int64_t part_count;
    uint32_t rank_count;
    int32_t dim;
    bosc_dtype dtype;
    struct bi_kdtree_rows rows;
    enum bi_ranks_kdtree_search search;
    double limit;
    const void *dist2; /* of KNN: rows of k, of float for F32, else double; of OTHER: one for each */
    int64_t k;
    uint32_t *home;               /* of KNN: the rank that was asked first; kdtree_nearest finds it */
    uint32_t own;                 /* of OTHER */
    const uint32_t *labels;       /* of OTHER: of the queries */
    const uint32_t *shard_labels; /* of OTHER: by rank; one that no query has where labels differ */
    int64_t *counts;              /* of kdtree_reach_count: ranks by query */
    const int64_t *offsets;       /* of kdtree_reach_fill: where the pairs of a query begin */
    uint32_t *ranks, *queries;
};

/* Boxes of the parts of a shard, as those of shards are; but high keys are complements, so that both are minima. Item i
 * is coordinate i % dim of row i / dim. */
struct bi_ranks_kdtree_parts {
    struct bi_kdtree_rows rows;
    bosc_dtype dtype;
    int32_t dim;
    const uint32_t *pieces; /* of the rows */
    uint32_t first;         /* subtree of the shard */
    uint64_t *boxes;
};

BI_FN void bi_step_kdtree_parts(const struct bi_ranks_kdtree_parts *a, int64_t i)
{
    const int64_t row = i / a->dim, c = i - row * a->dim;
    uint64_t *low = a->boxes + 2 * (int64_t)((a->pieces[row] >> 1) - a->first) * a->dim + c, *high = low + a->dim;
    const uint64_t key = bi_kdtree_key(a->rows.data, i, a->dtype);
    if (bi_atomic_load_u64(low) > key) bi_atomic_min_u64(low, key);
    if (bi_atomic_load_u64(high) > ~key) bi_atomic_min_u64(high, ~key);
}

/* The number whose ordered key this is, as bosc_kdtree_number gives it. */
BI_FN double bi_ranks_number_of_key(uint64_t key, bosc_dtype dtype)
{
    switch (dtype) {
    case BOSC_F32: return (double)bi_f32_of_key((uint32_t)key);
    case BOSC_F64: return bi_f64_of_key(key);
    case BOSC_I32: return (double)(int32_t)((uint32_t)key ^ 0x80000000u);
    default: return (double)(int64_t)(key ^ 0x8000000000000000ull);
    }
}

/* The lowest keys of box r, before the highest ones. */
BI_FN const uint64_t *bi_ranks_kdtree_box_of(const struct bi_ranks_kdtree_reach *a, uint32_t r)
{
    return a->boxes + 2 * (int64_t)r * a->dim;
}

/* How far coordinate c of query i is outside of a box. */
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

/* The squared distance of query i from a box, as bosc_kdtree_dist2 computes it of points. Each of its operations rounds
 * monotonically, so it is not more than the computed distance of any point in the box. */
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

/* The squared distance of query i from the nearest part of shard r, or, if that is more than `limit`, something that is
 * more, or infinity. */
BI_FN double bi_ranks_kdtree_parts_dist2(const struct bi_ranks_kdtree_reach *a, int64_t i, uint32_t r, double limit)
{
    double least = bi_ranks_kdtree_box_dist2(a, i, bi_ranks_kdtree_box_of(a, r));
    if (a->part_count == 1) return least;
    const bool is_far = least > limit;
    least = (double)INFINITY;
    if (is_far) return least;
    for (int64_t p = r * a->part_count; p < (r + 1) * a->part_count; p++) {
        const uint64_t *part = a->parts + 2 * p * a->dim;
        if (bi_ranks_kdtree_is_empty(a, part)) continue;
        const double d = bi_ranks_kdtree_box_dist2(a, i, part);
        if (d < least) least = d;
    }
    return least;
}

/* Whether box i and another one meet. */
BI_FN bool bi_ranks_kdtree_boxes_meet(const struct bi_ranks_kdtree_reach *a, int64_t i, const uint64_t *low)
{
    const uint64_t *high = low + a->dim;
    const int64_t at = i * a->rows.stride;
    for (int32_t c = 0; c < a->dim; c++)
        if (bi_kdtree_key(a->rows.data, at + c, a->dtype) > high[c] ||
            bi_kdtree_key(a->rows.data, at + a->dim + c, a->dtype) < low[c])
            return false;
    return true;
}

/* Whether box i and a part of shard r meet. */
BI_FN bool bi_ranks_kdtree_meets(const struct bi_ranks_kdtree_reach *a, int64_t i, uint32_t r)
{
    bool meets = bi_ranks_kdtree_boxes_meet(a, i, bi_ranks_kdtree_box_of(a, r));
    if (!meets || a->part_count == 1) return meets;
    meets = false;
    for (int64_t p = r * a->part_count; p < (r + 1) * a->part_count && !meets; p++)
        meets = bi_ranks_kdtree_boxes_meet(a, i, a->parts + 2 * p * a->dim);
    return meets;
}

BI_FN double bi_ranks_kdtree_limit(const struct bi_ranks_kdtree_reach *a, int64_t i)
{
    return a->dtype == BOSC_F32 ? (double)((const float *)a->dist2)[i] : ((const double *)a->dist2)[i];
}

BI_FN bool bi_ranks_kdtree_reaches_other(const struct bi_ranks_kdtree_reach *a, int64_t i, uint32_t r)
{
    const double limit = bi_ranks_kdtree_limit(a, i);
    if (r == a->own || a->shard_labels[r] == a->labels[i]) return false;
    return bi_ranks_kdtree_parts_dist2(a, i, r, limit) <= limit;
}

BI_FN bool bi_ranks_kdtree_reaches(const struct bi_ranks_kdtree_reach *a, int64_t i, uint32_t r)
{
    if (bi_ranks_kdtree_is_empty(a, bi_ranks_kdtree_box_of(a, r))) return false;
    if (a->search == BI_RANKS_BOX) return bi_ranks_kdtree_meets(a, i, r);
    if (a->search == BI_RANKS_OTHER) return bi_ranks_kdtree_reaches_other(a, i, r);
    double limit = a->limit;
    if (a->search == BI_RANKS_KNN) {
        if (r == a->home[i]) return false;
        const double farthest = bi_ranks_kdtree_limit(a, i * a->k + a->k - 1);
        if (farthest < limit) limit = farthest;
    }
    return bi_ranks_kdtree_parts_dist2(a, i, r, limit) <= limit;
}

/* home[i] = the rank of which a box is nearest, of those that have points; the lowest of several. */
BI_FN void bi_step_kdtree_nearest(const struct bi_ranks_kdtree_reach *a, int64_t i)
{
    uint32_t home = UINT32_MAX;
    double nearest = (double)INFINITY;
    for (uint32_t r = 0; r < a->rank_count; r++) {
        if (bi_ranks_kdtree_is_empty(a, bi_ranks_kdtree_box_of(a, r))) continue;
        const double d = bi_ranks_kdtree_parts_dist2(a, i, r, nearest);
        if (home != UINT32_MAX && d >= nearest) continue;
        home = r;
        nearest = d;
    }
    a->home[i] = home;
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
