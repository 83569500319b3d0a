/* The CPU's searches, between their driver (query.c) and their hot loops (query_hot.c, one copy a level).
 *
 * Queries are sorted by the leaf they fall into. Each scans its own leaf, and then, from the leaf upward, goes into the
 * sibling subtrees that are near enough. Bounds are made as those of bosc_kdtree_walk, so that nothing is left out
 * wrongly.
 */
#ifndef BI_KDTREE_CPU_QUERY_H
#define BI_KDTREE_CPU_QUERY_H

#include "core/cpu/level.h"
#include "kdtree/cpu/cpu.h"

/* What the index block holds: four elements of the tree's type for each node above the leaves, in level order (the
 * less side lies in [low, split], the greater one in [beyond, high], in the coordinate of the level; the node itself
 * has `split`); where leaves begin (2^levels + 1); the smallest id of each subtree of levels 0 to floor_levels; and the
 * box of all nodes (low and high, by coordinate).
 *
 * Where the nodes of a subtree are equal in the coordinate of its level, superkeys order them by the next coordinate in
 * which they are not: the sides are of that one then. axes[h] is the coordinate of node h, and bit l of odd_levels
 * tells that it is not that of the level for some node of level l. It is one of the first BI_KDTREE_MOST_LEVELS.
 *
 * Bit c of `flat` tells that all nodes share coordinate c, a finite number: no node splits by it, and queries that have
 * it too are searched as if it were not there, for its terms are +0 and change no bit of a sum. It is 0 where all
 * coordinates are shared, and for more than BI_KDTREE_MOST_LEVELS of them. */
struct bi_kdtree_cpu_facts {
    uint32_t odd_levels, flat;
    uint32_t flat_odd_levels; /* as odd_levels, where a flat coordinate gives its levels to the next that is not */
};
struct bi_kdtree_cpu_index {
    int levels, floor_levels;
    const void *sides, *box;
    const uint32_t *begins, *floors;
    const struct bi_kdtree_cpu_facts *facts;
    uint8_t *axes;
};

enum { BI_KDTREE_MOST_DIM = 1024 };

/* The coordinates that a search looks at, as `dim` places. */
struct bi_kdtree_cpu_places {
    int32_t dim;
    uint32_t odd_levels;                      /* some of their nodes split by another place than `usual` tells */
    uint8_t usual[BI_KDTREE_MOST_LEVELS];     /* by level */
    uint8_t of_axis[BI_KDTREE_MOST_LEVELS];   /* by coordinate */
    uint16_t coordinates[BI_KDTREE_MOST_DIM]; /* by place */
};

enum { BI_KDTREE_SORTED_LIST = 32 }; /* up to so many neighbours are kept in order, more in a heap */

/* Lists of what is near a run of queries (nearby.inc): coordinates at most; leaves and nodes at most; the queries that
 * a list is made for, at least, which fall into one subtree SHIFT levels above the leaves; room for the points near a
 * batch; the queries of a batch that may miss before the list is made anew; nodes near a query, at most. */
enum {
    BI_KDTREE_NEARBY_DIM = 8,
    BI_KDTREE_NEARBY = 64,
    BI_KDTREE_NEARBY_RUN = 8,
    BI_KDTREE_NEARBY_SHIFT = 2,
    BI_KDTREE_NEARBY_ROOM = 512,
    BI_KDTREE_NEARBY_MISSES = 3,
    BI_KDTREE_CANDIDATES = 64
};

struct bi_kdtree_cpu_search {
    bosc_kdtree_view view;
    struct bi_kdtree_cpu_index index;
    struct bi_kdtree_cpu_places places;
    struct bi_kdtree_rows queries;
    const uint32_t *leaves, *order; /* the leaf of the i-th query to run (see locate), and its row */
    int64_t in_flat;                /* so many queries of the order share the flat coordinates */
    int64_t k, kept;                /* kept: min(k, nodes) */
    double limit;                   /* the largest distance that counts */
    int64_t *counts, *bad;
    const int64_t *offsets;
    void *ids, *dist2;
    bool wide_ids;
    void *heaps; /* of 16-byte entries, `kept` a thread, where kept > BI_KDTREE_SORTED_LIST */
};

struct bi_kdtree_query_hot {
    /* Makes the sides of nodes begin to end - 1 of a level, of which deeper ones are made. */
    void (*make_sides)(const bosc_kdtree_view *view, const struct bi_kdtree_cpu_index *index, int level, int64_t begin,
                       int64_t end);
    void (*make_box)(const bosc_kdtree_view *view, const struct bi_kdtree_cpu_index *index);
    /* The flat coordinates; the sides of nodes that split by one, whose points are all equal, become those of the usual
     * coordinate of `places`. */
    uint32_t (*find_flat)(const bosc_kdtree_view *view, const struct bi_kdtree_cpu_index *index);
    void (*leave_flat)(const bosc_kdtree_view *view, const struct bi_kdtree_cpu_index *index,
                       const struct bi_kdtree_cpu_places *places);
    /* leaves[i] of queries begin to end - 1; 2^levels more where a query does not share the flat coordinates. */
    void (*locate)(const struct bi_kdtree_cpu_search *a, int64_t begin, int64_t end, uint32_t *leaves);
    /* Runs queries begin to end - 1 of the order. */
    void (*knn)(const struct bi_kdtree_cpu_search *a, int64_t begin, int64_t end, int thread);
    void (*radius_count)(const struct bi_kdtree_cpu_search *a, int64_t begin, int64_t end, int thread);
    void (*radius_fill)(const struct bi_kdtree_cpu_search *a, int64_t begin, int64_t end, int thread);
};

/* By type: F32, F64, I32, I64. */
extern const struct bi_kdtree_query_hot bi_kdtree_query_hot_v1[4], bi_kdtree_query_hot_v3[4], bi_kdtree_query_hot_v4[4];

size_t bi_kdtree_cpu_index_bytes(const bosc_kdtree_opts *opts, int64_t n);
bosc_status bi_kdtree_cpu_make_index(bosc_ctx *ctx, bosc_kdtree *tree, const bosc_kdtree_view *view);
size_t bi_kdtree_cpu_query_bytes(const bosc_ctx *ctx, const bosc_kdtree *tree, int64_t query_count, int64_t k);

bosc_status bi_kdtree_cpu_knn(bosc_ctx *ctx, const bosc_kdtree *tree, const bosc_kdtree_view *view,
                              const struct bi_kdtree_query *query);
bosc_status bi_kdtree_cpu_radius_count(bosc_ctx *ctx, const bosc_kdtree *tree, const bosc_kdtree_view *view,
                                       const struct bi_kdtree_query *query);
bosc_status bi_kdtree_cpu_radius_fill(bosc_ctx *ctx, const bosc_kdtree *tree, const bosc_kdtree_view *view,
                                      const struct bi_kdtree_query *query);

#endif
