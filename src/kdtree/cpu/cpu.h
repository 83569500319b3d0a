/* The layout of k-d trees on the CPU: coordinate-major blocks of 16 nodes, so that a leaf is scanned by vectors, and an
 * array of ids. The index is an implicit tree of the levels above the leaves, in level order: node h has children 2h +
 * 1 and 2h + 2, and stores its split value and the intervals of its sides in that coordinate. A leaf is a subtree of at
 * most BI_KDTREE_CPU_LEAF nodes; between two leaves lies one node of the levels above. */
#ifndef BI_KDTREE_CPU_CPU_H
#define BI_KDTREE_CPU_CPU_H

#include "core/cpu/level.h"
#include "kdtree/kdtree.h"
#include "kdtree/steps/metric_query.h"

enum { BI_KDTREE_CPU_LOG2_BLOCK = 4, BI_KDTREE_CPU_BLOCK = 1 << BI_KDTREE_CPU_LOG2_BLOCK, BI_KDTREE_CPU_LEAF = 32 };

/* Returns the number of levels above the leaves of a tree of n nodes; a range has at most half the nodes of its
 * parent. */
static inline int bi_kdtree_cpu_index_levels(int64_t n)
{
    int levels = 0;
    while ((n >> levels) > BI_KDTREE_CPU_LEAF) levels++;
    return levels;
}

/* --- Builds ------------------------------------------------------------------------------------------------------- */

/* The CPU's builder: the interface of its driver (build.c) and its hot loops (build_hot.c, a copy a level).
 *
 * Points are columns of ordered integer keys and a column of ids. The median of one column is selected exactly, through
 * a bracket from a sample; then all columns are split around it, which leaves a hole for the node. The tree is unique,
 * so neither samples nor the order within columns can change it. */

/* Key c of point i is keys[c * pitch + i - base], its id ids[i - base]. Keys are uint32 for types of 4 bytes, else
 * uint64. */
struct bi_kdtree_columns {
    void *keys;
    uint32_t *ids;
    int64_t pitch, base;
};

struct bi_kdtree_build_job {
    int32_t dim;
    bosc_dtype dtype;
    struct bi_kdtree_rows rows;
    struct bi_kdtree_columns here, there; /* levels alternate between the two */
    bosc_kdtree_view tree;
    uint64_t flat;                       /* bit c: all points share coordinate c, and all columns c hold its key */
    int16_t axes[BI_KDTREE_MOST_LEVELS]; /* of each level: the first coordinate that its superkeys can differ in */
    /* Of an order by extent alone, else NULL. nodes: the points, in place of rows. split_axes: by position, receives
     * the coordinate that each node above the leaves splits by: that of widest extent. */
    const bosc_kdtree_view *nodes;
    uint8_t *split_axes;
};

static inline bool bi_kdtree_is_flat(const struct bi_kdtree_build_job *job, int32_t c)
{
    return c < 64 && job->flat >> c & 1;
}

/* Points of a subtree that one thread builds in its cache: in three dimensions of F32 256 KB, with ids. More: fewer
 * passes over memory, until the cache of the second level is full. Other sizes are not measured. */
enum { BI_KDTREE_CPU_SUBTREE = 1 << 14 };

struct bi_kdtree_build_hot {
    /* Converts rows [r.begin, r.end) to columns. */
    void (*load_rows)(const struct bi_kdtree_build_job *job, const struct bi_kdtree_columns *to,
                      struct bi_kdtree_range r);
    /* The same for nodes [r.begin, r.end) of job->nodes; r.begin is the first of a block. */
    void (*load_nodes)(const struct bi_kdtree_build_job *job, const struct bi_kdtree_columns *to,
                       struct bi_kdtree_range r);
    /* is_flat: true if all points have one key in column c. flatten: copies the first key of one column to n positions
     * of another. */
    bool (*is_flat)(const struct bi_kdtree_build_job *job, const struct bi_kdtree_columns *in, int32_t c);
    void (*flatten)(const struct bi_kdtree_columns *in, int32_t c, const struct bi_kdtree_columns *to, int64_t n);
    /* Split a range of `from`, not empty, around its median into the same range of `to`: choose_median selects the
     * median (masks: a bit a point), then scatter_column moves each of columns 0 to dim, the last being the ids. */
    void (*choose_median)(const struct bi_kdtree_build_job *job, const struct bi_kdtree_columns *from,
                          const struct bi_kdtree_columns *to, struct bi_kdtree_range r, int level, uint16_t *masks);
    void (*scatter_column)(const struct bi_kdtree_build_job *job, const struct bi_kdtree_columns *from,
                           const struct bi_kdtree_columns *to, struct bi_kdtree_range r, int32_t column,
                           const uint16_t *masks);
    /* Builds the subtree of a range into the tree, alternating between `from` and `own`, a thread's columns. */
    void (*build_subtree)(const struct bi_kdtree_build_job *job, const struct bi_kdtree_columns *from,
                          const struct bi_kdtree_columns *own, struct bi_kdtree_range r, int level, uint16_t *masks);
    /* Copies the columns' point i to node i of the tree. */
    void (*write_node)(const struct bi_kdtree_build_job *job, const struct bi_kdtree_columns *from, int64_t i);
    /* Returns the bi_kdtree_class bits that some floats or doubles have; infinite ones count as beyond. */
    int (*classify)(const void *elements, int64_t count, double limit, double least);
};

extern const struct bi_kdtree_build_hot bi_kdtree_build_hot32_v1, bi_kdtree_build_hot32_v3, bi_kdtree_build_hot32_v4;
extern const struct bi_kdtree_build_hot bi_kdtree_build_hot64_v1, bi_kdtree_build_hot64_v3, bi_kdtree_build_hot64_v4;

bosc_status bi_kdtree_cpu_build(bosc_ctx *ctx, bosc_kdtree *tree, const struct bi_kdtree_rows *rows,
                                bosc_kdtree_view view);
int64_t bi_kdtree_cpu_build_scratch(const bosc_ctx *ctx, const bosc_kdtree_opts *opts, int64_t n);

/* Builds the array of `order` from the nodes of a tree: each range is split by the coordinate of its widest extent.
 * split_axes: as in the job. */
bosc_status bi_kdtree_cpu_build_order(bosc_ctx *ctx, bosc_kdtree *order, const bosc_kdtree_view *nodes,
                                      bosc_kdtree_view view, uint8_t *split_axes);

/* --- Nearest nodes with other labels (nearest_other_hot.c) -------------------------------------------------------- */

struct bi_kdtree_nearest_other_label;
struct bi_kdtree_prune;

/* Search for items [begin, end) of a tree of floats, or of doubles, and prune blocks [begin, end) of one; with active
 * nodes and bounds. */
struct bi_kdtree_other_hot {
    void (*search_f32)(const struct bi_kdtree_nearest_other_label *a, int64_t begin, int64_t end);
    void (*search_f64)(const struct bi_kdtree_nearest_other_label *a, int64_t begin, int64_t end);
    void (*prune_f32)(const struct bi_kdtree_prune *a, int64_t begin, int64_t end);
    void (*prune_f64)(const struct bi_kdtree_prune *a, int64_t begin, int64_t end);
};

extern const struct bi_kdtree_other_hot bi_kdtree_other_hot_v1, bi_kdtree_other_hot_v3, bi_kdtree_other_hot_v4;

/* --- The published method (published/partition.c) ----------------------------------------------------------------- */

bosc_status bi_kdtree_cpu_remove_duplicates(bosc_ctx *ctx, const struct bi_kdtree_removal *removal);
bosc_status bi_kdtree_cpu_partition_by_superkey(bosc_ctx *ctx, struct bi_kdtree_references *references,
                                                uint32_t *order);

/* --- Searches ----------------------------------------------------------------------------------------------------- */

/* The CPU's searches: the interface of their driver (query.c) and their hot loops (query_f32_hot.c, query_f64_hot.c and
 * query_int_hot.c, and those of query_sum_hot.c, query_largest_hot.c and query_power_hot.c for other orders of
 * distances; a copy a level).
 *
 * Queries are sorted by the leaf that they fall into. Each scans its leaf, then ascends and scans near sibling
 * subtrees. Bounds are computed as in bosc_kdtree_walk, so pruning is exact. */

/* The index block. sides: four elements for each node above the leaves, in level order: the less side lies in
 * [low, split], the greater side in [beyond, high], in the coordinate of the node; the node is at `split`. begins: of
 * leaves (2^levels + 1). floors: the smallest id of each subtree of levels 0 to floor_levels. box: low and high of all
 * nodes, by coordinate.
 *
 * axes[h] is the coordinate of the sides of node h, one of the first BI_KDTREE_MOST_LEVELS. If the nodes of a subtree
 * are equal in the coordinate of its level, superkeys order them by the next coordinate in which they differ. The sides
 * then use that coordinate. Bit l of odd_levels is set if some node of level l has another coordinate than its level.
 *
 * Bit c of `flat` is set if all nodes share coordinate c, a finite number. No node splits by it. Queries with the same
 * coordinate c are searched without it, as its terms are +0 and change no bit of a sum. `flat` is 0 if all coordinates
 * are shared, or if there are more than BI_KDTREE_MOST_LEVELS. */
struct bi_kdtree_cpu_facts {
    uint32_t odd_levels, flat;
    uint32_t flat_odd_levels; /* odd_levels of a tree whose levels of flat coordinates split by the next other one */
};
struct bi_kdtree_cpu_index {
    int levels, floor_levels;
    const void *sides, *box;
    const uint32_t *begins, *floors;
    const struct bi_kdtree_cpu_facts *facts;
    uint8_t *axes;
};

enum { BI_KDTREE_MOST_DIM = 1024 };

/* The making of the sides of an order by extent. Subtrees of level `stop` are made first, by threads, into boxes. */
enum {
    BI_KDTREE_ORDER_DIM = 4, /* dimensions of a tree with an order by extent, at most */
    BI_KDTREE_ORDER_STOP = 8 /* levels above the subtrees of threads: 256 subtrees */
};
struct bi_kdtree_cpu_order_sides {
    const bosc_kdtree_view *view;
    const struct bi_kdtree_cpu_index *index;
    const uint8_t *split_axes; /* by position of the node */
    int stop;
    void *boxes;      /* of the subtrees of level `stop`, in order: low and high of each coordinate */
    bool reads_boxes; /* boxes of level `stop` are false: computed; true: copied from `boxes` */
};

/* The coordinates that a search compares, renumbered 0 to dim - 1 (all but flat ones). */
struct bi_kdtree_searched_coordinates {
    int32_t dim;
    uint32_t odd_levels;                      /* levels with a node that splits by another one than usual[level] */
    uint8_t usual[BI_KDTREE_MOST_LEVELS];     /* renumbered, by level */
    uint8_t of_axis[BI_KDTREE_MOST_LEVELS];   /* renumbered, by coordinate */
    uint16_t coordinates[BI_KDTREE_MOST_DIM]; /* the coordinate of each number */
};

/* SLACK bounds the relative error of sums of up to 1024 powers of 16 at most, and of such powers of distances with
 * BI_KDTREE_POWER_ERROR; LEAST the absolute error, where powers are subnormal. */
#define BI_KDTREE_CPU_SLACK 0x1p-34
#define BI_KDTREE_CPU_LEAST 0x1p-1000

enum { BI_KDTREE_SORTED_LIST = 32 }; /* sorted list of neighbours, at most; longer ones are heaps */

/* A count of neighbours tests whether a subtree, of at least 2^LEVELS leaves, counts as a whole: after NODES nodes,
 * and NODES after a test that failed. Chosen so that counts of few neighbours cost as before. */
enum { BI_KDTREE_COUNTED_NODES = 256, BI_KDTREE_COUNTED_LEVELS = 2 };

/* A row is collected as bits if it has BITS_ROW ids, and one for each BITS_PER_ID rows of the tree. A word of bits is
 * read twice, in about 1 ns; the sort of an id takes some 10 ns (estimates). */
enum { BI_KDTREE_BITS_ROW = 128, BI_KDTREE_BITS_PER_ID = 512 };

/* Most ids of a tree whose long rows have distances by id: 1 MB a thread, a second-level cache. */
enum { BI_KDTREE_VALUES = 1 << 17 };

/* Limits of shared searches (nearby.inc). More: more queries share a list, which costs more to make and to read. Only
 * NEARBY_SHIFT is measured. POINTS times DIM coordinates of 8 bytes are 32 KB, a first-level cache; CANDIDATES are
 * twice the longest sorted list. */
enum {
    BI_KDTREE_NEARBY_DIM = 8,   /* dimensions */
    BI_KDTREE_NEARBY = 64,      /* leaves of a list, and its nodes above leaves */
    BI_KDTREE_NEARBY_RUN = 8,   /* least queries of a run */
    BI_KDTREE_NEARBY_SHIFT = 2, /* levels above the leaves of a run's subtree; measured: 0, 1, 3 are 0 to 3 % slower */
    BI_KDTREE_NEARBY_POINTS = 512, /* points of a batch */
    BI_KDTREE_NEARBY_MISSES = 3,   /* queries of a batch that may fail before the list is remade */
    BI_KDTREE_CANDIDATES = 64      /* of a query */
};

struct bi_kdtree_cpu_search {
    bosc_kdtree_view view;
    struct bi_kdtree_cpu_index index;
    struct bi_kdtree_searched_coordinates searched;
    struct bi_kdtree_rows queries;
    const uint32_t *leaves, *order; /* the leaf of query i of the order (see locate), and its row */
    bool in_order;                  /* true: queries.data is in that order; false: by row */
    int64_t in_flat;                /* number of queries, first in the order, that share the flat coordinates */
    int64_t k, list_size;           /* list_size: min(k, nodes) */
    double limit;                   /* the largest distance that counts */
    const double *limits;           /* that of each query, by row; NULL: limit */
    /* For orders p other than 0, 1 and infinity. power: p, rounded up. certain: a factor; a distance is within the
     * limit if the sum of the gaps' powers is at most the limit's power times it. */
    struct bi_kdtree_metric metric;
    int32_t power;
    double certain;
    int64_t *counts, *bad;
    const int64_t *offsets;
    void *ids, *dist2;
    bool wide_ids, later; /* later: as in struct bi_kdtree_query, with first_row */
    int64_t first_row;
    void *heaps; /* list_size entries of 16 bytes a thread, if list_size > BI_KDTREE_SORTED_LIST */
    /* Rows of least_bits ids and more are collected as bits: bit_words a thread, all 0. values: distances of the ids of
     * all bits, for dist2. */
    uint64_t *bits;
    double *values;
    int64_t bit_words, least_bits;
};

/* Run queries begin to end - 1 of the order. */
struct bi_kdtree_search_loops {
    void (*knn)(const struct bi_kdtree_cpu_search *a, int64_t begin, int64_t end, int thread);
    void (*radius_count)(const struct bi_kdtree_cpu_search *a, int64_t begin, int64_t end, int thread);
    void (*radius_fill)(const struct bi_kdtree_cpu_search *a, int64_t begin, int64_t end, int thread);
};

struct bi_kdtree_query_hot {
    /* Makes the sides of nodes begin to end - 1 of a level; deeper levels exist already. */
    void (*make_sides)(const bosc_kdtree_view *view, const struct bi_kdtree_cpu_index *index, int level, int64_t begin,
                       int64_t end);
    void (*make_box)(const bosc_kdtree_view *view, const struct bi_kdtree_cpu_index *index);
    /* Makes the sides of subtree i of a level of an order by extent, and its box: low and high of each coordinate. */
    void (*make_order_sides)(const struct bi_kdtree_cpu_order_sides *o, int level, int64_t i, void *box);
    /* find_flat returns the flat coordinates. replace_flat_sides handles nodes that split by one, whose points are all
     * equal: they get sides of the usual coordinate. */
    uint32_t (*find_flat)(const bosc_kdtree_view *view, const struct bi_kdtree_cpu_index *index);
    void (*replace_flat_sides)(const bosc_kdtree_view *view, const struct bi_kdtree_cpu_index *index,
                               const struct bi_kdtree_searched_coordinates *searched);
    /* Finds leaves[i] of queries begin to end - 1, plus 2^levels if a query does not share the flat coordinates. */
    void (*locate)(const struct bi_kdtree_cpu_search *a, int64_t begin, int64_t end, uint32_t *leaves);
    struct bi_kdtree_search_loops squares; /* by squared distances */
    /* Boxes. A query is the low corner, with the high one behind it. */
    void (*box_count)(const struct bi_kdtree_cpu_search *a, int64_t begin, int64_t end, int thread);
    void (*box_fill)(const struct bi_kdtree_cpu_search *a, int64_t begin, int64_t end, int thread);
};

extern const struct bi_kdtree_query_hot bi_kdtree_query_f32_v1, bi_kdtree_query_f32_v3, bi_kdtree_query_f32_v4;
extern const struct bi_kdtree_query_hot bi_kdtree_query_f64_v1, bi_kdtree_query_f64_v3, bi_kdtree_query_f64_v4;
extern const struct bi_kdtree_query_hot bi_kdtree_query_i32_v1, bi_kdtree_query_i32_v3, bi_kdtree_query_i32_v4;
extern const struct bi_kdtree_query_hot bi_kdtree_query_i64_v1, bi_kdtree_query_i64_v3, bi_kdtree_query_i64_v4;
/* By distances of order 1, the sums of differences, and of order infinity, the largest ones. */
extern const struct bi_kdtree_search_loops bi_kdtree_sum_f32_v1, bi_kdtree_sum_f32_v3, bi_kdtree_sum_f32_v4;
extern const struct bi_kdtree_search_loops bi_kdtree_sum_f64_v1, bi_kdtree_sum_f64_v3, bi_kdtree_sum_f64_v4;
extern const struct bi_kdtree_search_loops bi_kdtree_sum_i32_v1, bi_kdtree_sum_i32_v3, bi_kdtree_sum_i32_v4;
extern const struct bi_kdtree_search_loops bi_kdtree_sum_i64_v1, bi_kdtree_sum_i64_v3, bi_kdtree_sum_i64_v4;
extern const struct bi_kdtree_search_loops bi_kdtree_largest_f32_v1, bi_kdtree_largest_f32_v3, bi_kdtree_largest_f32_v4;
extern const struct bi_kdtree_search_loops bi_kdtree_largest_f64_v1, bi_kdtree_largest_f64_v3, bi_kdtree_largest_f64_v4;
extern const struct bi_kdtree_search_loops bi_kdtree_largest_i32_v1, bi_kdtree_largest_i32_v3, bi_kdtree_largest_i32_v4;
extern const struct bi_kdtree_search_loops bi_kdtree_largest_i64_v1, bi_kdtree_largest_i64_v3, bi_kdtree_largest_i64_v4;

/* By distances of other orders up to BI_KDTREE_MOST_EXPONENT, from sums of powers of differences. */
extern const struct bi_kdtree_search_loops bi_kdtree_power_f32_v1, bi_kdtree_power_f32_v3, bi_kdtree_power_f32_v4;
extern const struct bi_kdtree_search_loops bi_kdtree_power_f64_v1, bi_kdtree_power_f64_v3, bi_kdtree_power_f64_v4;
extern const struct bi_kdtree_search_loops bi_kdtree_power_i32_v1, bi_kdtree_power_i32_v3, bi_kdtree_power_i32_v4;
extern const struct bi_kdtree_search_loops bi_kdtree_power_i64_v1, bi_kdtree_power_i64_v3, bi_kdtree_power_i64_v4;

size_t bi_kdtree_cpu_index_bytes(const bosc_kdtree_opts *opts, int64_t n);
bosc_status bi_kdtree_cpu_make_index(bosc_ctx *ctx, bosc_kdtree *tree, const bosc_kdtree_view *view);
bosc_status bi_kdtree_cpu_make_order_index(bosc_ctx *ctx, bosc_kdtree *order, const bosc_kdtree_view *view,
                                           const uint8_t *split_axes);
struct bi_kdtree_cpu_index bi_kdtree_cpu_get_index(const bosc_kdtree *tree);
size_t bi_kdtree_cpu_query_bytes(const bosc_ctx *ctx, const bosc_kdtree *tree, int64_t query_count, int64_t k);

/* --- The order of nodes that searches walk (order.c) -------------------------------------------------------------- */

/* Implement bi_kdtree_ops.order_bytes and reserve_order. */
void bi_kdtree_cpu_order_bytes(const bosc_ctx *ctx, const bosc_kdtree_opts *opts, int64_t n, int64_t *kept,
                               int64_t *scratch);
bosc_status bi_kdtree_cpu_reserve_order(bosc_ctx *ctx, bosc_kdtree *tree, int64_t n);

/* Implements bi_kdtree_ops.order_nodes, for up to BI_KDTREE_CPU_ORDERED_DIM dimensions: axes have 8 bits. */
enum { BI_KDTREE_CPU_ORDERED_DIM = 255 };
bosc_status bi_kdtree_cpu_order_nodes(bosc_ctx *ctx, const bosc_kdtree *tree, bosc_kdtree *order);

/* *searched = the tree, or its nodes by widest extent, which many queries make. */
bosc_status bi_kdtree_cpu_select_order(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t query_count,
                                       const bosc_kdtree **searched);

enum bi_kdtree_cpu_kind {
    BI_KDTREE_CPU_KNN,
    BI_KDTREE_CPU_RADIUS_COUNT,
    BI_KDTREE_CPU_RADIUS_FILL,
    BI_KDTREE_CPU_BOX_COUNT,
    BI_KDTREE_CPU_BOX_FILL
};

/* Runs a search of the array `view`. tree: of the same nodes, or their order by extent; it has the index. */
bosc_status bi_kdtree_cpu_search(bosc_ctx *ctx, const bosc_kdtree *tree, const bosc_kdtree_view *view,
                                 const struct bi_kdtree_query *query, enum bi_kdtree_cpu_kind kind);

#endif
