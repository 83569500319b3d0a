/* The fast minimum spanning forest on the CPU:
 * 1. One pass over the rows finds every vertex's lightest edge, and lists the light edges of the graph: those up to a
 *    threshold that a sample gives. Lightest edges join the vertices into a quarter as many components, or fewer.
 * 2. Light edges between components are sorted, and Kruskal's algorithm takes what it can.
 * 3. Now most vertices are in one component. Edges that are not light are read only from the rows of the others; those
 *    between components go the same way, in as many parts as there need be.
 * Sources: Boruvka (1926); Osipov, Sanders, Singler, The Filter-Kruskal Minimum Spanning Tree Algorithm (2009). */
#ifndef BI_FOREST_CPU_MSF_H
#define BI_FOREST_CPU_MSF_H

#include <string.h>

#include "base/atomic.h"
#include "core/cpu/collectives.h"
#include "forest/forest.h"
#include "forest/cpu/samples.h"
#include "forest/steps/entries.h"
#include "forest/steps/rows.h"

/* Edges in any order, or sorted. Short keys: words[i] = rank << 32 | id, and ids is NULL. Long keys: the rank, and the
 * id. ends[i] = u << 32 | v; equal ends stand for no edge. */
struct bi_msf_edge_list {
    int64_t count, capacity;
    uint64_t *words, *ends;
    uint32_t *ids;
    bool in_order; /* ids ascend */
};

struct bi_msf_cpu {
    bosc_ctx *ctx;
    struct bi_msf_rows rows;
    bool loops; /* there are self loops */
    const struct bi_msf_want *want;
    const struct bi_msf_entries *entries; /* in place of rows; NULL: rows */

    uint64_t threshold; /* an edge is light up to this word (long keys: and this id of equal words) */
    uint32_t threshold_id;
    struct bi_msf_edge_list list;

    uint32_t *choice;    /* n: the place of each vertex's lightest edge, or none */
    uint32_t *next;      /* n: whom it leads to; then pointers to the roots */
    uint32_t *component; /* n: the number of each vertex's component after the first round */
    uint32_t *joined;    /* the components that Kruskal's algorithm joined: pointers to smaller ones */
    int64_t components;  /* after the first round */
    int64_t left;        /* now */

    int64_t found; /* edges of the forest: ids and (where wanted) keys, and sums of the halves of all keys */
    uint32_t *ids;
    void *keys;
    uint64_t low, high;
};

static inline uint64_t bi_msf_cpu_key(const struct bi_msf_cpu *m, uint64_t rank)
{
    return bi_msf_rank(&m->rows.order, rank); /* its own inverse */
}

/* Notes an edge of the forest at its number `at`. */
static inline void bi_msf_cpu_note(struct bi_msf_cpu *m, int64_t at, uint32_t id, uint64_t key)
{
    m->ids[at] = id;
    if (!m->keys) return;
    if (m->rows.wide_keys)
        ((uint64_t *)m->keys)[at] = key;
    else
        ((uint32_t *)m->keys)[at] = (uint32_t)key;
}

/* The root above v; pointers on the way are halved. */
static inline uint32_t bi_msf_cpu_root(uint32_t *parent, uint32_t v)
{
    uint32_t above = bi_atomic_load_u32(&parent[v]), far;
    while ((far = bi_atomic_load_u32(&parent[above])) != above) {
        bi_atomic_store_u32(&parent[v], far);
        v = far;
        above = bi_atomic_load_u32(&parent[v]);
    }
    return above;
}

/* Room in a list. */
bosc_status bi_msf_edge_list_take(bosc_ctx *ctx, bool long_keys, int64_t capacity, struct bi_msf_edge_list *list);

/* Moves edges to the front. */
static inline void bi_msf_edge_list_move(struct bi_msf_edge_list *list, int64_t to, int64_t from, int64_t count)
{
    if (to == from) return;
    memmove(list->words + to, list->words + from, (size_t)count * sizeof *list->words);
    memmove(list->ends + to, list->ends + from, (size_t)count * sizeof *list->ends);
    if (list->ids) memmove(list->ids + to, list->ids + from, (size_t)count * sizeof *list->ids);
}

/* The threshold of the lightest `share` (below 1) of all arcs, of the entries, or of the list. */
bosc_status bi_msf_cpu_sample(struct bi_msf_cpu *m, double share);
bosc_status bi_msf_cpu_sample_entries(struct bi_msf_cpu *m, double share);
bosc_status bi_msf_cpu_sample_list(struct bi_msf_cpu *m, double share);

/* The pass over the rows: choice and next; the list of light edges. *overflow: the list had no room, and only it is to
 * be made anew. */
bosc_status bi_msf_cpu_stream(struct bi_msf_cpu *m, bool *overflow);

/* Takes the lightest edges: components, and the number of them. */
bosc_status bi_msf_cpu_first_round(struct bi_msf_cpu *m);

/* Kruskal's algorithm over the list, which is lost. Its ends are components, or the table (not NULL) tells them. */
bosc_status bi_msf_cpu_kruskal(struct bi_msf_cpu *m, const uint32_t *table);

/* Room for what the caller wants of so many edges, and for the components of the vertices. */
bosc_status bi_msf_cpu_take_scratch(struct bi_msf_cpu *m, int64_t edges);

/* What the caller wants of the forest that was found; edge ids are below `ids`. */
bosc_status bi_msf_cpu_give(struct bi_msf_cpu *m, int64_t ids, struct bi_msf_found *found);

/* Lists the edges above the threshold that join components. The vertices' pointers are lost. */
bosc_status bi_msf_cpu_list_heavy(struct bi_msf_cpu *m);

#endif
