/* What the drivers of spanning forests over ranks share: a rank's part of a graph, Boruvka's rounds, labels. */
#ifndef BI_RANKS_FOREST_FOREST_H
#define BI_RANKS_FOREST_FOREST_H

#include <boscage/ranks/forest.h>

#include "ranks/ranks.h"
#include "ranks/steps/steps.h"
#include "forest/drivers.h"

/* ---- forest_part.c ---- */

/* A rank's edges and what all ranks have to do with them. */
struct bi_ranks_part {
    const bosc_graph *graph;
    struct bi_graph_view view;
    bosc_msf_opts opts;                                 /* full; masks are in reach once the call has begun */
    struct bi_msf_rows rows;                            /* the graph's, in the order of the options */
    int64_t *firsts;                                    /* (ranks + 1), host: the id of each rank's first entry */
    int64_t *sent_offsets, *received_offsets, *numbers; /* (ranks + 1) each, host: for what a call exchanges */
    int64_t *wanted;                                    /* (ranks + 1), host: what each rank asks for */
    int64_t first, entries;                             /* firsts of this rank; over all ranks */
    size_t list_bytes;
};

/* Whether the graph and the options are good by themselves; nothing is taken. */
bosc_status bi_ranks_forest_check(bosc_ctx *ctx, const bosc_graph *graph, const bosc_msf_opts *opts,
                                  struct bi_ranks_part *part);

/* Begins the common part of a call: ranks compare what must be equal, and number their edges. Takes scratch, and host
 * memory that bi_ranks_forest_end frees, whether this fails or not. */
bosc_status bi_ranks_forest_begin(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, struct bi_ranks_part *part);
void bi_ranks_forest_end(bosc_ctx *ctx, struct bi_ranks_part *part);

/* Edges by themselves, each with the rank of its weight. */
struct bi_ranks_edges {
    struct bi_ranks_edge *edges;
    uint64_t *ranks;
    int64_t count;
};
bosc_status bi_ranks_forest_take_edges(bosc_ctx *ctx, int64_t count, struct bi_ranks_edges *list);

/* Finds this rank's entries in a list of ids over all ranks, which ascend. Takes *words, in scratch. */
bosc_status bi_ranks_forest_index(bosc_ctx *ctx, const struct bi_ranks_part *part, const uint64_t *ids, int64_t count,
                                  struct bi_ranks_forest_word **words);

/* Edges of this rank, of ascending ids over all ranks, to list (room for count). found: (count) becomes 1 where the
 * edge is in the graph as the options leave it, else 0; of equal ids at the first. words: their index. */
bosc_status bi_ranks_forest_fetch(bosc_ctx *ctx, const struct bi_ranks_part *part,
                                  const struct bi_ranks_forest_word *words, const uint64_t *ids, int64_t count,
                                  struct bi_ranks_edges *list, uint8_t *found);

/* Sorts edges of ascending ids by (rank, id). */
bosc_status bi_ranks_forest_sort(bosc_ctx *ctx, const struct bi_ranks_part *part, const struct bi_ranks_edges *from,
                                 struct bi_ranks_edges *to);

/* ---- forest_rounds.c ---- */

/* Edges of a round; ids NULL where keys have them. */
struct bi_ranks_list {
    uint64_t *keys, *ends, *ids;
    int64_t count;
};
bosc_status bi_ranks_forest_take_list(bosc_ctx *ctx, int64_t count, bool with_ids, struct bi_ranks_list *list);

/* This rank's edges whose entries an index has (NULL: all that the options let count) to *list, which has room for them
 * and is taken with ids or without. list->count becomes their number. */
bosc_status bi_ranks_forest_collect(bosc_ctx *ctx, const struct bi_ranks_part *part,
                                    const struct bi_ranks_forest_word *words, struct bi_ranks_list *list);

enum { BI_RANKS_FOREST_BYTES = 170 }; /* of scratch for each vertex, at most */

struct bi_ranks_rounds {
    int64_t n;                  /* vertices */
    bool wide;                  /* ranks take 64 bits */
    struct bi_ranks_list edges; /* of this rank, in any order; they are lost */
    struct bi_ranks_list spare; /* as much room; taken if it has no keys */
    uint64_t first;             /* what ids begin at that keys have */
    uint32_t *next;             /* 2 n: the tree of rounds: each round's components, by their numbers in the next one */
    uint64_t *records;          /* n: of the edges found, in any order, but the same on all ranks */
    uint64_t *nodes;            /* NULL, or 2 n: the tree of rounds with the edges' ranks, which are turns then */
    int64_t found;              /* results */
    int32_t count;
    int64_t begin[BI_RANKS_FOREST_LEVELS]; /* of each round's nodes */
};

/* Takes scratch for the results. */
bosc_status bi_ranks_forest_take_rounds(bosc_ctx *ctx, struct bi_ranks_rounds *rounds);

/* Runs all rounds. comm NULL: the edges are those of all ranks, and this one is alone. Waits. */
bosc_status bi_ranks_forest_run_rounds(bosc_ctx *ctx, bosc_comm *comm, const struct bi_ranks_part *part,
                                       bosc_status local_status, struct bi_ranks_rounds *rounds);

/* ---- forest_labels.c ---- */

/* parent[v] becomes v. */
bosc_status bi_ranks_forest_reset_labels(bosc_ctx *ctx, int64_t n, uint32_t *parent);

/* labels (n): the smallest vertex of each vertex's tree among those that the rounds have made. */
bosc_status bi_ranks_forest_label_rounds(bosc_ctx *ctx, const struct bi_ranks_rounds *rounds, uint32_t *labels);

/* parent[v] becomes the smallest vertex of v's component. */
bosc_status bi_ranks_forest_flatten(bosc_ctx *ctx, int64_t n, uint32_t *parent);

/* Labels (n) of this rank's components become those of the components of all ranks' edges. */
bosc_status bi_ranks_forest_merge_labels(bosc_ctx *ctx, bosc_comm *comm, const struct bi_ranks_part *part,
                                         bosc_status local_status, uint32_t *labels);

#endif
