/* The interface between the drivers of spanning forests and the backends: requests, results, and the table of
 * operations. */
#ifndef BI_FOREST_FOREST_H
#define BI_FOREST_FOREST_H

#include <boscage/forest.h>

#include "base/step.h"
#include "core/call.h"
#include "graph/view.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BI_FOREST_NONE UINT32_MAX /* no vertex, no arc, no edge */
/* Limit on the vertices of lists without a graph: CUDA uses two bits of a component's number as flags. */
#define BI_FOREST_MOST_LISTED (INT64_C(1) << 30)

/* The edges that count, and their order: by (bi_msf_rank of the key, edge id), lightest first. Self loops, edges of a
 * rank above `limit` and edges excluded by a mask do not count. */
struct bi_msf_order {
    uint64_t flip;   /* all ones (of the key's size) for a maximum forest, else 0 */
    uint64_t number; /* the largest key of a number; keys above are NaN, and heaviest for either `flip` */
    uint64_t limit;  /* a rank; all ones (of the key's size) if there is no limit */
    const uint8_t *vertex_mask, *edge_mask; /* by vertex, by edge id, in the backend's memory; NULL: none excluded */
};

BI_FN uint64_t bi_msf_rank(const struct bi_msf_order *o, uint64_t key) { return key > o->number ? key : key ^ o->flip; }

/* Results that the driver needs; a backend may leave out the others. */
struct bi_msf_request {
    bool ids;        /* the list of edges */
    bool keys;       /* and their keys */
    bool sums;       /* the sums of their keys */
    bool labels;     /* the smallest vertex of each vertex's tree */
    uint32_t *edges; /* an array of the caller's that may receive the list directly; NULL: scratch */
};

/* A forest, in scratch under the caller's mark. Members that were not requested may be NULL. */
struct bi_msf_found {
    int64_t count;      /* edges */
    void *ids;          /* count edge ids, of the graph's size */
    void *keys;         /* count keys, in the graph's form: keys[i] belongs to ids[i] */
    bool ascending;     /* ids ascend; otherwise they are in any order */
    bool summed;        /* low and high are filled; otherwise the driver sums `keys` */
    uint64_t low, high; /* sums of the keys' low 32 bits and high 32 bits */
    uint32_t *labels;   /* n: the smallest vertex of each vertex's tree, the vertex itself if the mask excludes it.
                           May be NULL even if requested: the driver then derives them from ids */
};

struct bi_forest_steps;
struct bi_msf_rows;
struct bi_msf_entries;

/* One rank's share of a round over the rows of several ranks (ranks/forest). An edge is light up to (rank, id). */
struct bi_msf_share {
    uint64_t first; /* id of the graph's entry 0 among those of all ranks */
    uint64_t rank;
    uint32_t id; /* an entry of the graph */
    /* Not NULL: writes each vertex's lightest edge, and lists the light edges between vertices. Three words (rank, id,
     * other end) for 64-bit keys, else two (rank << 32 | other end, id); without an edge all bits are set. */
    uint64_t *records;
    /* Else: lists the heavy edges between two components, by these numbers of the vertices' components, BI_FOREST_NONE
     * for those without edges. lists_light: the light ones too. */
    const uint32_t *labels;
    bool lists_light;
    bool lists_vertices; /* of heavy edges too the ends are vertices */
    /* Room for `capacity` edges: rank << 32 | entry, and the ends. With 64-bit keys: the rank, and the id apart. */
    uint64_t *keys, *ends, *ids;
    int64_t capacity;
    int64_t listed; /* result: the number of edges to list; `capacity` at most are written */
};

/* A forest over ranks; each gathers the edges (ranks/forest/gathered.c). Keys of 32 bits. Every rank runs the same
 * rounds and finds the same edges. The numbers of components may differ. */
struct bi_msf_gathered {
    int64_t entries; /* of all ranks */
    uint64_t first;  /* id of the graph's entry 0 among them */
    bool two_levels; /* light edges, then heavy ones; else all are light */
    bool keys;       /* are requested in the end */
    /* Round 0: the other end of each vertex's lightest edge of all ranks, and if it is this rank's; its records. */
    const uint32_t *others;
    const uint8_t *is_own;
    const uint64_t *records;
    /* Of the backend, in scratch: as in struct bi_msf_state. */
    void *control;
    uint32_t *next, *pointer, *pools[2], *keys_by_id;
    void *best;
    uint8_t *marks;
};

/* The lists of a level of all ranks, one after the other: rank << 32 | entry, and the ends, which are vertices. */
struct bi_msf_gathered_lists {
    int32_t ranks;
    const void *const *table; /* (3 ranks + 1), host: the lists of keys, those of ends, and the begin of each */
    const int64_t *firsts;    /* (ranks), host: id of each rank's entry 0 */
    int64_t count;            /* edges */
};

/* Its operations. */
struct bi_msf_gathered_ops {
    /* Returns the number of levels; entries: of all ranks. 0: too many edges to gather. */
    int (*levels)(int64_t n, int64_t entries);
    /* Allocates all arrays but those of round 0, in scratch. */
    bosc_status (*allocate)(bosc_ctx *, const struct bi_graph_view *, struct bi_msf_gathered *);
    /* Contracts by the edges of round 0. */
    bosc_status (*contract)(bosc_ctx *, const struct bi_graph_view *, const struct bi_msf_order *,
                            const struct bi_msf_gathered *);
    /* Gathers the lists of level 0 or 1. */
    bosc_status (*gather)(bosc_ctx *, const struct bi_msf_gathered *, const struct bi_msf_gathered_lists *, int level,
                          void *edges);
    /* Runs its rounds. edges: (count) of 16 bytes. */
    bosc_status (*run_rounds)(bosc_ctx *, const struct bi_graph_view *, const struct bi_msf_order *,
                              const struct bi_msf_gathered *, int level, int64_t count, void *edges);
    /* labels (n) = each vertex's component after level 0; BI_FOREST_NONE for one without edges. */
    bosc_status (*list_components)(bosc_ctx *, const struct bi_graph_view *, const struct bi_msf_gathered *,
                                   uint32_t *labels);
    /* Lists this rank's edges, with ids over all ranks of 64 bits, and keys if requested; labels: NULL, or (n) of the
     * trees. Waits. */
    bosc_status (*finish)(bosc_ctx *, const struct bi_graph_view *, const struct bi_msf_order *,
                          const struct bi_msf_gathered *, struct bi_msf_found *found, uint32_t *labels,
                          int32_t *rounds);
};

/* The outcome of a method that not every input admits. */
enum bi_forest_outcome {
    BI_FOREST_FOUND,     /* the results are written */
    BI_FOREST_TOO_LARGE, /* the input is, for this method; nothing was written */
    BI_FOREST_BAD_ENTRY  /* some entry is not an edge; nothing was written */
};

/* The merges of single linkage, in the order of the edges. */
struct bi_linkage_merges {
    int64_t n;
    const uint64_t *ends;  /* (n - 1): two vertices each */
    uint32_t *clusters[2]; /* (n - 1): the merged clusters; below n: vertices; n + s: the cluster of edge s */
    uint32_t *sizes;       /* (n - 1): vertices of the new cluster */
    int64_t cycle;         /* result: the first edge within a cluster, at which the merges end; n - 1: none */
};

/* Points of a spanning tree, of F32 or F64. */
struct bi_emst_prim {
    int64_t n;
    int32_t dim;
    bool is_64bit;
    const void *rows; /* (n x dim) */
    const void *core; /* (n): squared core distances; NULL: Euclidean lengths */
    /* (n - 1): results, in any order: smaller << 32 | greater, and the bits of the squared lengths. */
    uint64_t *pairs, *words;
};

/* A graph in parts: graphs of the same vertices, with some of its edges each. */
struct bi_msf_part {
    struct bi_graph_view view;
    struct bi_msf_order order; /* equal in all parts, but for the arrays of the masks */
    uint32_t first;            /* id of the part's entry 0 in the whole */
};
struct bi_msf_parts {
    const struct bi_msf_part *of;
    int32_t count; /* 1 or more */
    int64_t entries;
};

struct bi_forest_ops {
    const struct bi_forest_steps *steps;

    /* The AUTO algorithm, for a graph that it admits; otherwise the driver runs ATOMIC. Writes neither the graph nor
     * the caller's arrays, but for request->edges. *rounds = the number of Boruvka's rounds. */
    bool (*msf_admits)(const struct bi_graph_view *);
    bosc_status (*msf)(bosc_ctx *, const struct bi_graph_view *, const struct bi_msf_order *,
                       const struct bi_msf_request *, struct bi_msf_found *found, int32_t *rounds);

    /* The same of an edge list without a graph, with 32-bit ids and fewer than BI_FOREST_MOST_LISTED vertices. Checks
     * the entries. NULL: the driver builds a graph. */
    bosc_status (*msf_entries)(bosc_ctx *, const struct bi_msf_entries *, const struct bi_msf_request *,
                               struct bi_msf_found *found, int32_t *rounds);

    /* One rank's share of a round, for a graph that AUTO admits. NULL: the driver runs steps. Waits. */
    bosc_status (*msf_share)(bosc_ctx *, const struct bi_graph_view *, const struct bi_msf_order *,
                             struct bi_msf_share *);

    const struct bi_msf_gathered_ops *gathered; /* NULL: none */

    /* labels = the smallest vertex of each vertex's component, the vertex itself if the mask excludes it; *count = the
     * number of components. */
    bosc_status (*components)(bosc_ctx *, const struct bi_msf_rows *, uint32_t *labels, int64_t *count);

    /* The same of an edge list without a graph, already checked; only NaNs to be dropped may remain. weighed: weights
     * matter. */
    bosc_status (*components_entries)(bosc_ctx *, const struct bi_msf_entries *, bool weighed, uint32_t *labels,
                                      int64_t *count);

    /* The same of a short list, not checked. NULL: the driver checks first. */
    bosc_status (*components_entries_single_block)(bosc_ctx *, const struct bi_msf_entries *, bool weighed,
                                                   uint32_t *labels, int64_t *count, enum bi_forest_outcome *outcome);

    /* Single linkage by one edge after the other, where few threads make that faster than rounds. NULL: the driver runs
     * rounds. */
    bool (*prefers_merges)(const bosc_ctx *);
    bosc_status (*merge_clusters)(bosc_ctx *, struct bi_linkage_merges *);

    /* The spanning tree of points in many dimensions by all pairs, where admits_prim is true. prefers_prim samples the
     * points and needs no core distances. *is_preferred: false if searches are faster. NULL: the driver searches. */
    bool (*admits_prim)(int64_t n, int32_t dim);
    bosc_status (*prefers_prim)(bosc_ctx *, const struct bi_emst_prim *, bool *is_preferred);
    bosc_status (*grow_tree)(bosc_ctx *, const struct bi_emst_prim *);

    /* As msf, of a graph in parts, with ids of 32 bits in the whole. Each part is admitted, and all have fewer than
     * 2^32 - 1 arcs. NULL: neither this nor components_parts. */
    bosc_status (*msf_parts)(bosc_ctx *, const struct bi_msf_parts *, const struct bi_msf_request *,
                             struct bi_msf_found *found);

    /* As components, of a graph in parts. */
    bosc_status (*components_parts)(bosc_ctx *, const struct bi_msf_parts *, uint32_t *labels, int64_t *count);
};

extern const struct bi_forest_ops bi_forest_ops_cpu; /* cpu/table.c */
bool bi_msf_cpu_admits(const struct bi_graph_view *graph);
bosc_status bi_msf_cpu(bosc_ctx *ctx, const struct bi_graph_view *graph, const struct bi_msf_order *order,
                       const struct bi_msf_request *request, struct bi_msf_found *found, int32_t *rounds);
bosc_status bi_msf_cpu_entries(bosc_ctx *ctx, const struct bi_msf_entries *entries,
                               const struct bi_msf_request *request, struct bi_msf_found *found, int32_t *rounds);
bool bi_linkage_cpu_prefers_merges(const bosc_ctx *ctx);
bosc_status bi_linkage_cpu_merge(bosc_ctx *ctx, struct bi_linkage_merges *merges);
bool bi_emst_cpu_admits_prim(int64_t n, int32_t dim);
bosc_status bi_emst_cpu_prefers_prim(bosc_ctx *ctx, const struct bi_emst_prim *args, bool *is_preferred);
bosc_status bi_emst_cpu_grow(bosc_ctx *ctx, const struct bi_emst_prim *args);
bosc_status bi_msf_cpu_parts(bosc_ctx *ctx, const struct bi_msf_parts *parts, const struct bi_msf_request *request,
                             struct bi_msf_found *found);
bosc_status bi_components_cpu(bosc_ctx *ctx, const struct bi_msf_rows *rows, uint32_t *labels, int64_t *count);
bosc_status bi_components_cpu_parts(bosc_ctx *ctx, const struct bi_msf_parts *parts, uint32_t *labels, int64_t *count);
bosc_status bi_components_cpu_entries(bosc_ctx *ctx, const struct bi_msf_entries *entries, bool weighed,
                                      uint32_t *labels, int64_t *count);
#ifdef BOSC_HAVE_CUDA
extern const struct bi_forest_ops bi_forest_ops_cuda; /* cuda/table.cu */
bool bi_msf_cuda_admits(const struct bi_graph_view *graph);
bosc_status bi_msf_cuda(bosc_ctx *ctx, const struct bi_graph_view *graph, const struct bi_msf_order *order,
                        const struct bi_msf_request *request, struct bi_msf_found *found, int32_t *rounds);
bosc_status bi_msf_cuda_entries(bosc_ctx *ctx, const struct bi_msf_entries *entries,
                                const struct bi_msf_request *request, struct bi_msf_found *found, int32_t *rounds);
bosc_status bi_msf_cuda_share(bosc_ctx *ctx, const struct bi_graph_view *graph, const struct bi_msf_order *order,
                              struct bi_msf_share *share);
extern const struct bi_msf_gathered_ops bi_msf_gathered_ops_cuda;
bosc_status bi_components_cuda(bosc_ctx *ctx, const struct bi_msf_rows *rows, uint32_t *labels, int64_t *count);
bosc_status bi_components_cuda_entries(bosc_ctx *ctx, const struct bi_msf_entries *entries, bool weighed,
                                       uint32_t *labels, int64_t *count);
bosc_status bi_components_cuda_entries_single_block(bosc_ctx *ctx, const struct bi_msf_entries *entries, bool weighed,
                                                    uint32_t *labels, int64_t *count, enum bi_forest_outcome *outcome);
#endif

#ifdef __cplusplus
}
#endif
#endif
