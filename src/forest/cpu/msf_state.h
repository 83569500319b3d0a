/* The AUTO minimum spanning forest on the CPU:
 *
 * 1. One pass over the rows finds every vertex's lightest edge, and lists the light edges, up to a threshold from a
 *    sample. The lightest edges join all vertices that have edges into at most half as many components.
 * 2. Kruskal's algorithm processes the light edges between components, sorted.
 * 3. Now most vertices are in one component. Heavy edges are read only from the rows of the others. Kruskal's algorithm
 *    processes the edges between components, in several parts if there are many.
 *
 * Sources: Boruvka (1926); Osipov, Sanders, Singler, The Filter-Kruskal Minimum Spanning Tree Algorithm (2009). */
#ifndef BI_FOREST_CPU_MSF_STATE_H
#define BI_FOREST_CPU_MSF_STATE_H

#include <string.h>

#include "base/atomic.h"
#include "core/cpu/collectives.h"
#include "forest/forest.h"
#include "forest/steps/rows.h"

/* With more than DENSE edges per vertex, the lightest LIGHT per vertex are processed first. A forest has one edge per
 * vertex, so LIGHT exceeds 1. Less: more heavy edges are tested; more: more edges are sorted. DENSE exceeds LIGHT, or
 * the filter would exclude few. Not measured on the CPU. */
#define BI_MSF_CPU_LIGHT 1.8
#define BI_MSF_CPU_DENSE 2.5

/* Rows of one turn of a thread: 4 KB of offsets, so that turns are many and even. Not measured. */
enum { BI_MSF_CPU_ROWS = 1024 };

/* List positions that a thread allocates at a time: 64 KB of words and ends. More: fewer atomic additions, more
 * positions left empty. Not measured. */
enum { BI_MSF_CPU_CHUNK = 1 << 12 };

/* A list of edges. Short keys: words[i] = rank << 32 | id, and ids is NULL. Long keys: words[i] is the rank, ids[i]
 * the id. ends[i] = u << 32 | v; equal ends mean no edge. */
struct bi_msf_edge_list {
    int64_t count, capacity;
    uint64_t *words, *ends;
    uint32_t *ids;
    bool in_order; /* ids ascend */
};

/* Rows of a part of the graph. */
struct bi_msf_cpu_part {
    struct bi_msf_rows rows;
    uint32_t first, first_arc; /* of its entries, and of its arcs, in the whole */
};

struct bi_msf_cpu_state {
    bosc_ctx *ctx;
    struct bi_msf_rows rows; /* the first part's, but with the arcs of all. Of entries: no arrays */
    const struct bi_msf_cpu_part *parts;
    int part_count;
    bool loops; /* there are self loops */
    const struct bi_msf_request *request;
    const struct bi_msf_entries *entries; /* instead of rows; NULL: rows */

    uint64_t threshold; /* an edge is light up to this word (long keys: and, if words are equal, up to this id) */
    uint32_t threshold_id;
    struct bi_msf_edge_list list;

    uint32_t *choice;    /* n: the arc of each vertex's lightest edge, numbered in the whole, or BI_FOREST_NONE */
    uint32_t *next;      /* n: the vertex at its other end; then pointers to roots */
    uint32_t *component; /* n: the component of each vertex after the first round */
    uint32_t *joined;    /* union-find over components: a smaller component, or itself */
    int64_t components;  /* number after the first round */
    int64_t left;        /* number left now */

    int64_t found; /* edges of the forest: their ids, their keys if requested, and sums of the keys' halves */
    uint32_t *ids;
    void *keys;
    uint64_t low, high;
};

/* Returns the part that has an arc of the whole, whose number becomes that in the part. */
static inline const struct bi_msf_cpu_part *bi_msf_cpu_part_of(const struct bi_msf_cpu_state *m, uint32_t *arc)
{
    const struct bi_msf_cpu_part *p = m->parts;
    while (*arc - p->first_arc >= p->rows.arcs) p++;
    *arc -= p->first_arc;
    return p;
}

enum { BI_FOREST_CPU_MAX_SAMPLES = 512 };

/* Returns the most frequent label of `samples` vertices spread over n (1 or more); of equals, the first to reach the
 * number. samples: up to BI_FOREST_CPU_MAX_SAMPLES. Counts in a hash table of twice as many slots. */
static inline uint32_t bi_forest_cpu_sampled_majority(const uint32_t *labels, int64_t n, int samples)
{
    enum { SLOTS = 2 * BI_FOREST_CPU_MAX_SAMPLES };
    _Static_assert(SLOTS == 1 << 10, "the hash has 10 bits");
    uint32_t label[SLOTS] = {0}, majority = 0;
    uint16_t count[SLOTS] = {0}, most = 0;
    for (int i = 0; i < samples; i++) {
        const uint32_t own = labels[(uint64_t)i * (uint64_t)n / (uint64_t)samples];
        uint32_t slot = own * 2654435761u >> 22; /* 2^32 over the golden ratio; the upper 10 bits (Knuth) */
        while (count[slot] && label[slot] != own) slot = (slot + 1) % SLOTS;
        label[slot] = own;
        if (++count[slot] <= most) continue;
        most = count[slot];
        majority = own;
    }
    return majority;
}

static inline uint64_t bi_msf_cpu_key(const struct bi_msf_cpu_state *m, uint64_t rank)
{
    return bi_msf_rank(&m->rows.order, rank); /* bi_msf_rank is its own inverse */
}

/* Stores edge number `at` of the forest. */
static inline void bi_msf_cpu_add_edge(struct bi_msf_cpu_state *m, int64_t at, uint32_t id, uint64_t key)
{
    m->ids[at] = id;
    if (m->keys) bi_set_word(m->keys, m->rows.keys_64bit, at, key);
}

/* Finds the root of v by path halving. */
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

/* Allocates a list. */
bosc_status bi_msf_edge_list_allocate(bosc_ctx *ctx, bool long_keys, int64_t capacity, struct bi_msf_edge_list *list);

/* Moves edges towards the front. */
static inline void bi_msf_edge_list_move(struct bi_msf_edge_list *list, int64_t to, int64_t from, int64_t count)
{
    if (to == from) return;
    memmove(list->words + to, list->words + from, (size_t)count * sizeof *list->words);
    memmove(list->ends + to, list->ends + from, (size_t)count * sizeof *list->ends);
    if (list->ids) memmove(list->ids + to, list->ids + from, (size_t)count * sizeof *list->ids);
}

/* Sample positions among `count` items: multiplicative (Fibonacci) hashing spreads them evenly. */
enum { BI_MSF_CPU_SAMPLES = 2048 };

static inline int64_t bi_msf_cpu_sample_index(int64_t i, int64_t count)
{
    return (int64_t)(((uint64_t)(i + 1) * 0x9e3779b97f4a7c15u >> 32) * (uint64_t)count >> 32);
}

/* Sets the threshold to the quantile `share` (below 1) of sampled arcs, entries or listed edges. */
bosc_status bi_msf_cpu_sample(struct bi_msf_cpu_state *m, double share);
bosc_status bi_msf_cpu_sample_entries(struct bi_msf_cpu_state *m, double share);
bosc_status bi_msf_cpu_sample_list(struct bi_msf_cpu_state *m, double share);

/* The pass over the rows: fills choice, next, and the list of light edges. If they are more than its capacity,
 * list.count exceeds it too, but is not their number: run the pass again with a list for all edges. */
bosc_status bi_msf_cpu_stream(struct bi_msf_cpu_state *m);

/* Kruskal's algorithm over the list, which is consumed. Its ends are components; with a table they are first mapped
 * through it. */
bosc_status bi_msf_cpu_kruskal(struct bi_msf_cpu_state *m, const uint32_t *table);

/* Allocates the results of at most `edges` edges, and the components of the vertices. */
bosc_status bi_msf_cpu_allocate_scratch(struct bi_msf_cpu_state *m, int64_t edges);

/* Fills *found with the requested results; edge ids are below `ids`. */
bosc_status bi_msf_cpu_write_result(struct bi_msf_cpu_state *m, int64_t ids, struct bi_msf_found *found);

#endif
