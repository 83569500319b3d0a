/* What the parts of a graph's build share. */
#ifndef BI_FOREST_GRAPH_BUILD_H
#define BI_FOREST_GRAPH_BUILD_H

#include "forest/driver.h"

/* Edges as (key, id), see graph_steps.h; with room for every entry. */
struct bi_edge_list {
    uint64_t *keys;
    void *ids;
    int64_t count;
};

struct bi_graph_build {
    bosc_ctx *ctx;
    const struct bi_forest_steps *steps;
    bosc_graph *next;
    struct bi_entries entries;
    bool wide;
    int bits; /* of a vertex in a key */
    struct bi_edge_list edges, spare;
    bool ascending; /* ids of `edges` ascend for sure, as the list never had to be sorted */
    void *weights;  /* where weights are not the entries': keys by place in `edges` */
    void *result;   /* 64 bytes for what is read back */
};

/* Runs a step of the build. */
#define BI_GRAPH_STEP(b, name, n, args) ((b)->steps->name((b)->ctx, n, args))

/* The flags that a step raises over n items, of which `found` points at b->result. */
bosc_status bi_graph_clear_result(struct bi_graph_build *b, int byte);

/* The list that belongs to entries of which is[i] is not 0: ids and keys. list->ids has room for m. */
bosc_status bi_graph_take_list(struct bi_graph_build *b, const void *all_ids, const uint8_t *is,
                               struct bi_edge_list *list);

/* What is not in order: bits of enum BI_KEYS_FALL ... */
bosc_status bi_graph_check_order(struct bi_graph_build *b, const struct bi_edge_list *list, uint32_t *found);

/* Orders a list by key, stably, into another; `order` is what was not in order. */
bosc_status bi_graph_sort_by_key(struct bi_graph_build *b, const struct bi_edge_list *from,
                                 const struct bi_edge_list *to, uint32_t order);

/* b->edges of entries that are arcs, sorted by (key, id). */
bosc_status bi_graph_pair_arcs(struct bi_graph_build *b);

/* Keeps one of parallel edges, as the options say; b->edges is sorted by (key, id). */
bosc_status bi_graph_drop_parallel(struct bi_graph_build *b);

#endif
