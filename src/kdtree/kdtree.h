/* The structure of a k-d tree, and the table of fused operations that each backend implements. */
#ifndef BI_KDTREE_KDTREE_H
#define BI_KDTREE_KDTREE_H

#include <boscage/device/kdtree.h>

#include "core/call.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BI_KDTREE_NONE UINT32_MAX /* no id */

/* Cost of a search, in simple items of 1 to 2 ns: that of a small tree. More: more threads for few queries. */
enum { BI_KDTREE_SEARCH_ITEMS = 64 };

/* Results about the nodes that searches cache until the next build. */
struct bi_kdtree_query_cache {
    double *extents;               /* host: least and greatest of each coordinate (2 x dim); NULL until first used */
    struct bosc_kdtree *by_extent; /* `order` of the tree, once it was made; NULL: none */
    int64_t query_count;           /* queries so far, until the order is decided */
    bool order_decided;
};

/* Decides the order of nodes that serves many queries (cpu/order.c, cuda/search/select_order.cu). CUDA samples it
 * during builds, the CPU during searches after many queries. */
enum bi_kdtree_mixing {
    BI_KDTREE_NOT_SAMPLED,
    BI_KDTREE_SEPARATES, /* levels separate distant points */
    BI_KDTREE_MIXES,     /* some levels split by a coordinate of little extent */
    BI_KDTREE_UNEVEN     /* CUDA: a coordinate that points share is left out, so others are split unevenly: planes */
};

/* The range of the coordinates decides how searches measure: by plain squares in ORDINARY trees. */
enum bi_kdtree_magnitude {
    BI_KDTREE_ORDINARY,
    BI_KDTREE_SMALL, /* all coordinates are within bi_kdtree_least_ordinary, and some are not 0 */
    BI_KDTREE_LARGE  /* a finite one is beyond bi_kdtree_largest_ordinary */
};

/* The in-order array is kept in the backend's own layout (float4 records on CUDA, coordinate-major blocks on the CPU);
 * store and fetch convert. Kept are points, ids and a small index; inverse and counts if duplicates are removed. */
struct bosc_kdtree {
    const struct bi_kdtree_ops *ops;
    struct bi_memory memory, host;
    bosc_kdtree_opts opts; /* every field set, defaults filled in */
    int64_t n, nodes;
    struct bi_block points, ids, index;
    int32_t brackets;            /* CUDA: how the next build begins (cuda/sampled/sampled_build.cu) */
    int32_t builds_until_narrow; /* CUDA: builds that begin so before the next try of narrow brackets */
    int32_t narrow_interval;     /* CUDA: builds_until_narrow after the last failure of narrow brackets */
    bool rounds_doubles;         /* CUDA: every coordinate of the last build had a double that is no float */
    /* CUDA: the root's coordinate in the last build, and in the next ones (bi_kdtree_begin_at). On CPUs `next_first`
     * that is not 0 marks a shard (cpu/order.c). */
    int32_t first, next_first;
    bool overwritten;                /* during a build: blocks of the old tree may be overwritten */
    bool indexed;                    /* during a build: the builder has made the index */
    struct bi_block inverse, counts; /* if duplicates are removed: uint32 (n), uint32 (nodes) */
    bosc_kdtree_times times;
    struct bi_kdtree_query_cache query_cache;
    bool reserved;                      /* searches allocate nothing */
    enum bi_kdtree_magnitude magnitude; /* of the coordinates */
    enum bi_kdtree_mixing mixing;
    struct bosc_kdtree *order; /* the same nodes by extent; serves all builds; NULL: none yet */
    int64_t order_bytes;       /* of its blocks */
    /* Of an order alone: */
    bool by_extent; /* this handle is an order */
    bool is_made;   /* CUDA: `made` has completed, so that no search waits for it */
    void *made;     /* CUDA: an event behind its making */
};

/* Rows of the caller, reachable by the backend; stride in elements. */
struct bi_kdtree_rows {
    const void *data;
    int64_t n, stride;
};

/* Lists of ranks; `out` has the same capacity. */
struct bi_kdtree_lists {
    int32_t used; /* min(dim, depth) */
    int64_t n;
    uint32_t *in[32], *out[32];
};

/* Lists of references, which are numbers of rows: list[p] (p < used) is ordered by (superkey p, number). */
struct bi_kdtree_references {
    struct bi_kdtree_rows rows;
    bosc_dtype dtype;
    int32_t dim, used;       /* used: min(dim, levels that have a list) */
    int64_t n;               /* of each list; at most rows.n */
    int32_t level;           /* 0; 1 if the lists are already partitioned around the root */
    int32_t blocks, threads; /* of the published launch on a device; 0: the backend's own */
    uint32_t *list[32], *spare;
    void *nodes; /* scratch: the rows in the order of nodes; NULL if the backend does not make them */
};

/* Removal of duplicates from a list of `n` references, ordered by (superkey `first`, number): of references whose row
 * equals that of the previous one. */
struct bi_kdtree_removal {
    struct bi_kdtree_rows rows;
    bosc_dtype dtype;
    int32_t dim, first;
    int64_t n;
    const uint32_t *from;
    const void *keys; /* n: ordered keys of coordinate `first`; NULL: read the rows */
    uint32_t *to;     /* the kept ones; may be `from` */
    uint32_t *spare;  /* n */
    uint32_t *ranks;  /* n: number of kept references up to and including each position; may be NULL */
    int64_t *count;   /* number of kept references */
    int64_t *bad;     /* lowered to the smallest position out of order */
};

/* The findings of a pass over rows of floats or doubles. */
struct bi_kdtree_findings {
    int64_t beyond; /* first row with a NaN or a finite coordinate beyond a limit; INT64_MAX: none */
    uint32_t tiny;  /* 1: a coordinate is within +-bi_kdtree_least_ordinary but not 0; else 0 */
};

/* A batch of queries with its outputs, all reachable by the backend. */
struct bi_kdtree_query {
    struct bi_kdtree_rows rows;
    int64_t k;                        /* k nearest */
    bool within;                      /* only dist2 <= r2 */
    double r2;                        /* the largest squared distance within the radius, of the distance type */
    const double *limits;             /* r2 of each query, by row, -1: none counts; NULL: r2 (see searches_limits) */
    double radius;                    /* as the caller passes it; only drivers read it */
    void *ids;                        /* of tree->opts.id_bits */
    void *dist2;                      /* float for F32, else double; may be NULL */
    double order;                     /* 0: squares; else r2 and dist2 are distances of that order, in double */
    int64_t *counts;                  /* radius_count: one a query */
    const int64_t *offsets;           /* radius_fill: one more, ascending */
    int64_t *bad;                     /* radius_fill */
    bool later;                       /* radius_count, radius_fill: only ids above the row count */
    int64_t first_row;                /* `later`: the row of query 0 */
    bool self;                        /* every node is a query, of the row that its id names; rows.data is NULL */
    struct bi_kdtree_findings *found; /* knn, if checks_queries: receives the rows beyond the ordinary range */
};

/* Result of the backend's AUTO builder: a tree, or none, which the driver then builds from sorted lists (build.c). */
enum bi_kdtree_outcome { BI_KDTREE_BUILT, BI_KDTREE_NEEDS_LISTS };

struct bi_kdtree_steps; /* one bi_step_fn for each line of steps.def: see steps.h */

/* The driver reserves the blocks (of the sizes that `blocks` returns), sets nodes, and calls build or store, then
 * make_index. These allocate all scratch before they write to the tree's blocks (make_index needs none), so that a tree
 * survives a lack of scratch. Whoever writes next sets tree->overwritten first: on CUDA a launch may lack memory too
 * (bi_cuda_check), and a build may sort lists once its samples have failed. The driver changes ids by writing to the
 * ids of the view, the only copy. */
struct bi_kdtree_ops {
    const struct bi_kdtree_steps *steps;

    /* Bytes of the blocks points, ids and index for n nodes. */
    void (*blocks)(const bosc_kdtree_opts *opts, int64_t n, size_t bytes[3]);

    /* Returns the scratch of `build` for n reachable points; of partition_by_superkey if opts->builder is BROWN. */
    int64_t (*build_scratch)(const bosc_ctx *, const bosc_kdtree_opts *opts, int64_t n);

    /* Looks for coordinates beyond +-limit (INFINITY: for NaN). *found: on the host. Waits. Float types only. */
    bosc_status (*find_beyond)(bosc_ctx *, bosc_dtype, int32_t dim, const struct bi_kdtree_rows *, double limit,
                               struct bi_kdtree_findings *found);

    bosc_kdtree_view (*view)(const bosc_kdtree *);

    /* Returns, as bits, the coordinates that all nodes share, of the first BI_KDTREE_MOST_LEVELS; 0 if all are shared.
     * The caller then reads node 0 of the view in host memory. NULL: the backend does not know them. */
    uint32_t (*find_flat)(const bosc_kdtree *);

    /* True if `build` always needs lists for such trees; NULL: it never does. */
    bool (*needs_lists)(const bosc_kdtree_opts *opts);

    /* The AUTO builder: makes points and ids of tree->nodes = rows->n points, ids being row numbers. It needs lists if
     * it does not handle such trees, or if its sampling failed. */
    bosc_status (*build)(bosc_ctx *, bosc_kdtree *, const struct bi_kdtree_rows *, enum bi_kdtree_outcome *outcome);

    /* order[i] = the rank of node i. lists->in[p] (p < used, n ranks) is ordered by superkey p; list 0 is 0, 1, 2, ...
     * The medians of in[level % dim] of the segments of a level are its nodes, and the other lists are partitioned
     * stably around them, level by level. The position of a rank in its list determines its side; no coordinate is
     * read. Lists are overwritten. NULL if `build` never needs lists. */
    bosc_status (*partition_by_rank)(bosc_ctx *, const bosc_kdtree *, struct bi_kdtree_lists *lists, uint32_t *order);

    /* The published method: lists without duplicates, and order[i] = the reference of node i. As partition_by_rank,
     * but references are compared with medians by superkey. Lists are overwritten; references->nodes is set. */
    bosc_status (*remove_duplicates)(bosc_ctx *, const struct bi_kdtree_removal *);
    bosc_status (*partition_by_superkey)(bosc_ctx *, struct bi_kdtree_references *, uint32_t *order);

    /* points[i] = row order[i] (NULL: i), ids[i] = ids ? ids[i] : order[i], for tree->nodes nodes. */
    bosc_status (*store)(bosc_ctx *, bosc_kdtree *, const struct bi_kdtree_rows *, const uint32_t *order,
                         const uint32_t *ids);

    /* The in-order points as rows of dim, and the ids; either may be NULL. Backend memory. */
    bosc_status (*fetch)(bosc_ctx *, const bosc_kdtree *, void *points, uint32_t *ids);

    /* Makes the index of searches (split values, boxes), after build or store. */
    bosc_status (*make_index)(bosc_ctx *, bosc_kdtree *);

    /* *node (backend memory) = a node out of order against an ancestor, or with a bad or repeated id: the smallest
     * such node, INT64_MAX if there is none. */
    bosc_status (*verify)(bosc_ctx *, const bosc_kdtree *, int64_t *node);

    bosc_status (*knn)(bosc_ctx *, const bosc_kdtree *, const struct bi_kdtree_query *);
    /* Counts go to `counts`; ids and distances to the rows between `offsets`, ascending by id. A row whose length is
     * not that of the answer is left unfinished, and *bad (backend memory, set to INT64_MAX by the driver) gets the
     * smallest such row. */
    bosc_status (*radius_count)(bosc_ctx *, const bosc_kdtree *, const struct bi_kdtree_query *);
    bosc_status (*radius_fill)(bosc_ctx *, const bosc_kdtree *, const struct bi_kdtree_query *);

    /* The three serve query->order 1 to BI_KDTREE_MOST_EXPONENT, and infinity; query->limits; query->self. */
    bool searches_orders, searches_limits, searches_self;
    /* True if radius_count and radius_fill serve query->later for such a tree. */
    bool (*searches_later)(const bosc_kdtree *);

    /* True if knn itself checks the queries (query->found), overlapping the search, and writes nothing if there is a
     * NaN or a coordinate beyond the ordinary range; NULL: never. */
    bool (*checks_queries)(const bosc_kdtree *, const struct bi_kdtree_query *);

    /* Returns the scratch of a knn with query_count queries and k neighbours, of reachable arrays. */
    size_t (*query_bytes)(const bosc_ctx *, const bosc_kdtree *, int64_t query_count, int64_t k);

    /* supports_self_knn: true if the backend searches the k nearest of every node faster than with rows as queries
     * (NULL: no). knn_self: that search, rows by id (query->rows.data is NULL). */
    bool (*supports_self_knn)(const bosc_kdtree *, int64_t k);
    bosc_status (*knn_self)(bosc_ctx *, const bosc_kdtree *, const struct bi_kdtree_query *);

    /* box_count, box_fill: nodes in boxes, as radius_count and radius_fill without distances; a row is the low corner
     * of a box, then the high one. supports_boxes: true if they are faster than the steps for such a tree (NULL:
     * no). */
    bool (*supports_boxes)(const bosc_kdtree *);
    bosc_status (*box_count)(bosc_ctx *, const bosc_kdtree *, const struct bi_kdtree_query *);
    bosc_status (*box_fill)(bosc_ctx *, const bosc_kdtree *, const struct bi_kdtree_query *);

    /* The other order of nodes (NULL: none). order_bytes: the most bytes that it adds to a tree of n nodes, and the
     * scratch of its making. reserve_order: allocates them. end_order: frees what an order holds beside its blocks
     * (NULL: nothing). */
    void (*order_bytes)(const bosc_ctx *, const bosc_kdtree_opts *, int64_t n, int64_t *kept, int64_t *scratch);
    bosc_status (*reserve_order)(bosc_ctx *, bosc_kdtree *, int64_t n);
    void (*end_order)(bosc_kdtree *order);

    /* Writes the nodes of a tree to the blocks points and ids of `order`, which the caller has allocated, by widest
     * extent, without an index. Trees have 2 to order_dim dimensions. order_run: nodes of the runs whose boxes the
     * order makes small; run r begins at order_run * r. 0: they are the subtrees of a balanced tree. */
    bosc_status (*order_nodes)(bosc_ctx *, const bosc_kdtree *, bosc_kdtree *order);
    int32_t order_dim, order_run;

    /* As the steps nearest_other_label and prune, by groups of boxes where there are some: for the trees and arguments
     * that they support, others go to the step. NULL: the step. */
    bosc_status (*nearest_other)(bosc_ctx *, int64_t n, const void *args);
    bosc_status (*prune)(bosc_ctx *, int64_t n, const void *args);
};

extern const struct bi_kdtree_ops bi_kdtree_ops_cpu;
#ifdef BOSC_HAVE_CUDA
extern const struct bi_kdtree_ops bi_kdtree_ops_cuda;
#endif

#ifdef __cplusplus
}
#endif
#endif
