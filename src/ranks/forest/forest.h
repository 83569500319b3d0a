/* Shared by the drivers of spanning forests over ranks: a rank's slice of a graph, Boruvka's rounds, labels. "Rank"
 * also means the order of a weight's key (bi_msf_rank).
 * `local_status`: this rank's own status, which is exchanged at the next agreement. */
#ifndef BI_RANKS_FOREST_FOREST_H
#define BI_RANKS_FOREST_FOREST_H

#include <boscage/ranks/forest.h>

#include "ranks/ranks.h"
#include "ranks/steps/steps.h"
#include "forest/drivers.h"

/* ---- local_edges.c ---- */

/* Outputs that a rank requests, as bits; CANNOT_GATHER: edges cannot be gathered on this rank (gathered.c). */
enum { BI_RANKS_REQUEST_LABELS = 1, BI_RANKS_REQUEST_SUM = 2, BI_RANKS_CANNOT_GATHER = 4 };

/* A rank's slice of the graph, and the data that all ranks share about it. */
struct bi_ranks_forest_slice {
    const bosc_graph *graph;
    struct bi_graph_view view;
    bosc_msf_opts opts;                                /* complete; masks are in reach after bi_ranks_forest_begin */
    struct bi_msf_rows rows;                           /* the graph's, ordered by the options */
    int64_t *entry_begins;                             /* (ranks + 1), host: the id of each rank's first entry */
    int64_t *sent_offsets, *received_offsets, *counts; /* (ranks + 1) each, host: buffers for exchanges */
    int64_t *requests;                                 /* (ranks + 1), host: bits of BI_RANKS_REQUEST_* */
    void **blocks;                                     /* (3, ranks + 1), host */
    int64_t first_entry, entries;                      /* of this rank; over all ranks */
    bool can_pool;                                     /* no rank lacks the method of pooled.c */
    size_t list_bytes;
};

/* Checks the graph and the options of this rank. Allocates nothing. */
bosc_status bi_ranks_forest_check(bosc_ctx *ctx, const bosc_graph *graph, const bosc_msf_opts *opts,
                                  struct bi_ranks_forest_slice *slice);

/* Begins a call: compares the arguments that must be equal, and numbers the edges over all ranks. Allocates scratch,
 * and host memory that bi_ranks_forest_end frees, after a failure too. */
bosc_status bi_ranks_forest_begin(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                  struct bi_ranks_forest_slice *slice);
void bi_ranks_forest_end(bosc_ctx *ctx, struct bi_ranks_forest_slice *slice);

/* Edges, each with the rank of its weight. */
struct bi_ranks_edges {
    struct bi_ranks_edge *edges;
    uint64_t *ranks;
    int64_t count;
};
bosc_status bi_ranks_forest_allocate_edges(bosc_ctx *ctx, int64_t count, struct bi_ranks_edges *list);

/* Indexes this rank's entries in a list of ascending ids over all ranks. Allocates *words, in scratch. */
bosc_status bi_ranks_forest_index(bosc_ctx *ctx, const struct bi_ranks_forest_slice *slice, const uint64_t *ids,
                                  int64_t count, struct bi_ranks_forest_word **words);

/* Fetches this rank's edges of ascending ids to list (room for count). found: (count): 1 where the edge is in the
 * graph and the options admit it, else 0; of equal ids only the first. words: their index. */
bosc_status bi_ranks_forest_fetch(bosc_ctx *ctx, const struct bi_ranks_forest_slice *slice,
                                  const struct bi_ranks_forest_word *words, const uint64_t *ids, int64_t count,
                                  struct bi_ranks_edges *list, uint8_t *found);

/* Sorts edges of ascending ids by (rank, id). */
bosc_status bi_ranks_forest_sort(bosc_ctx *ctx, const struct bi_ranks_forest_slice *slice,
                                 const struct bi_ranks_edges *from, struct bi_ranks_edges *to);

/* ---- rounds.c ---- */

/* Edges of a round; ids: NULL where keys contain them. */
struct bi_ranks_list {
    uint64_t *keys, *ends, *ids;
    int64_t count;
};
bosc_status bi_ranks_forest_allocate_list(bosc_ctx *ctx, int64_t count, bool with_ids, struct bi_ranks_list *list);

/* Selects edges to list: all that the options admit, or those of an index of entries, or only light or heavy ones. */
struct bi_ranks_forest_filter {
    const struct bi_ranks_forest_word *words; /* NULL: none */
    bool has_threshold;
    struct bi_ranks_forest_threshold threshold;
    /* By vertex: lists the heavy edges between two components, whose numbers become the ends. NULL: the light ones. */
    const uint32_t *labels;
    bool lists_vertices; /* by the backend's kernels: the ends are vertices with labels too */
};

/* Lists this rank's edges. Allocates the list, in scratch. */
bosc_status bi_ranks_forest_list_edges(bosc_ctx *ctx, const struct bi_ranks_forest_slice *slice,
                                       const struct bi_ranks_forest_filter *filter, struct bi_ranks_list *list);

/* Chooses the threshold of light edges by samples of all ranks: about 1.25 light edges a vertex. With few edges a
 * vertex all are light, and `has_threshold` is false. */
bosc_status bi_ranks_forest_choose_threshold(bosc_ctx *ctx, bosc_comm *comm, const struct bi_ranks_forest_slice *slice,
                                             bosc_status local_status, struct bi_ranks_forest_filter *filter);

/* Writes the records of this rank's lightest edge at each vertex, and lists its light edges in scratch. */
bosc_status bi_ranks_forest_choose_at_vertices(bosc_ctx *ctx, const struct bi_ranks_forest_slice *slice,
                                               const struct bi_ranks_forest_filter *filter, uint64_t *records,
                                               struct bi_ranks_list *list);

/* Lists the heavy edges between the components filter->labels, in scratch. */
bosc_status bi_ranks_forest_list_heavy(bosc_ctx *ctx, const struct bi_ranks_forest_slice *slice,
                                       const struct bi_ranks_forest_filter *filter, struct bi_ranks_list *list);

/* Relabels the edges' ends by `next` (NULL: they stay), and drops edges within a component. *spare: room for as many
 * edges; the lists are swapped. flags: (edges->count) scratch; counter: scratch of one number. */
bosc_status bi_ranks_forest_relabel_edges(bosc_ctx *ctx, const uint32_t *next, struct bi_ranks_list *edges,
                                          struct bi_ranks_list *spare, uint8_t *flags, int64_t *counter);

/* Records of this rank's lightest edge at each component, and results of all ranks. */
struct bi_ranks_forest_reduction {
    bosc_ctx *ctx;
    bosc_comm *comm; /* NULL: this rank alone */
    int64_t components;
    bool is_64bit;
    uint64_t *records;
    uint32_t *others; /* (components): the other end of the lightest edge; BI_FOREST_NONE: no edge */
    uint8_t *is_own;  /* (components): 1 on the rank that has this edge, else 0 */
    int64_t *counts;  /* (ranks), host: a buffer */
    void **blocks;    /* (3, ranks), host: a buffer, which lasts until queued work is done */
};

/* reduce.c: finds the lightest edges of all ranks. All ranks have agreed before. */
bosc_status bi_ranks_forest_reduce_records(const struct bi_ranks_forest_reduction *reduction);

enum { BI_RANKS_FOREST_BYTES = 170 }; /* scratch for each vertex, upper bound */

struct bi_ranks_rounds {
    int64_t n;                  /* vertices */
    bool is_64bit;              /* ranks have 64 bits */
    bool from_rows;             /* the edges are those of the slice's rows, not of the list below */
    struct bi_ranks_list edges; /* of this rank, in any order; overwritten */
    struct bi_ranks_list spare; /* as much room; allocated if `keys` is NULL */
    int64_t most_edges;         /* this rank's, at most */
    uint64_t first;             /* offset of the ids that keys contain */
    uint32_t *next;    /* 3 n: the tree of rounds: for each round's components, their numbers in the next round */
    uint64_t *records; /* of this rank's edges of the forest, in any order */
    uint64_t *nodes;   /* NULL, or 2 n: the tree of rounds with the edges' ranks, which are positions then */
    int64_t found;     /* results: edges of this rank, rounds, and nodes of all rounds */
    int32_t count;
    int64_t node_count;
    int64_t level_begin[BI_RANKS_FOREST_LEVELS]; /* offset of each round's nodes */
};

/* Allocates scratch for the results. */
bosc_status bi_ranks_forest_allocate_rounds(bosc_ctx *ctx, struct bi_ranks_rounds *rounds);

/* Runs all rounds. comm NULL: this rank alone has all edges. Waits. */
bosc_status bi_ranks_forest_run_rounds(bosc_ctx *ctx, bosc_comm *comm, const struct bi_ranks_forest_slice *slice,
                                       bosc_status local_status, struct bi_ranks_rounds *rounds);

/* parent[v] becomes v. */
bosc_status bi_ranks_forest_reset_labels(bosc_ctx *ctx, int64_t n, uint32_t *parent);

/* labels (n): the smallest vertex in each vertex's tree of the rounds. */
bosc_status bi_ranks_forest_label_rounds(bosc_ctx *ctx, const struct bi_ranks_rounds *rounds, uint32_t *labels);

/* parent[v] becomes the smallest vertex of v's component. */
bosc_status bi_ranks_forest_flatten(bosc_ctx *ctx, int64_t n, uint32_t *parent);

/* Merges the labels (n) of this rank's components with those of all ranks. */
bosc_status bi_ranks_forest_merge_labels(bosc_ctx *ctx, bosc_comm *comm, const struct bi_ranks_forest_slice *slice,
                                         bosc_status local_status, uint32_t *labels);

/* ---- finish.c ---- */

/* A request for a forest, and its results. */
struct bi_ranks_forest_call {
    bosc_ctx *ctx;
    bosc_comm *comm;
    struct bi_ranks_forest_slice *slice;
    bool components_only; /* no edges, no sums, all edges that the options admit; equal on all ranks */
    bool sum, labels;     /* this rank requests them */
    int64_t requests;     /* of all ranks: bits of BI_RANKS_REQUEST_* */
    uint64_t *ids;        /* of this rank's edges in the forest, ascending */
    int64_t count;        /* number of ids */
    bool is_cut;          /* edges were cut to reach the requested number of trees */
    uint32_t *tree_of;    /* n: labels; NULL unless requested */
    bosc_msf_info info;
};

/* Shares the requests of all ranks: f->requests, and those of each in the slice's list. */
bosc_status bi_ranks_forest_share_requests(struct bi_ranks_forest_call *f, bosc_status local_status);

/* Sorts this rank's edges of the forest, cuts them to the requested number of trees, and sums the weights of all.
 * records: `count` of this rank's edges, in any order. Allocates scratch. With components_only counts them alone. */
bosc_status bi_ranks_forest_finish(struct bi_ranks_forest_call *f, const uint64_t *records, bool is_64bit,
                                   int64_t count);

/* The same of edges that ascend by id: ids over all ranks of 64 bits, and keys where a cut or a sum needs them. */
bosc_status bi_ranks_forest_finish_sorted(struct bi_ranks_forest_call *f, bosc_status local_status,
                                          struct bi_msf_found *found);

/* ---- pooled.c ---- */

/* True if this rank's backend has the method, and its graph admits it. */
bool bi_ranks_forest_can_pool(const bosc_ctx *ctx, const struct bi_graph_view *view);

/* Finds the forest on rank 0 with the threads of all ranks, which are threads on CPUs, and finishes it; the labels are
 * set unless it is cut. *is_found: false, on all ranks, where that is not possible. Allocates scratch. */
bosc_status bi_ranks_forest_pool(struct bi_ranks_forest_call *f, bool *is_found);

/* The same of the components' labels (n), in scratch, and their number. */
bosc_status bi_ranks_components_pool(bosc_ctx *ctx, bosc_comm *comm, const struct bi_ranks_forest_slice *slice,
                                     uint32_t **labels, int64_t *count, bool *is_found);

/* ---- gathered.c ---- */

/* Finds the forest by rounds over edges that every rank gathers from all, and finishes it; the labels are set unless
 * it is cut. *is_found: false, on all ranks, if the graph is too large, or ranks do not share memory. Allocates
 * scratch. */
bosc_status bi_ranks_forest_gather(struct bi_ranks_forest_call *f, bool *is_found);

#endif
