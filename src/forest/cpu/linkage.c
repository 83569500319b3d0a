/* Single linkage on few threads: clusters are merged by one edge after the other. A union-find by size finds the
 * clusters of an edge's ends. Its reads are random, so the items of later edges are prefetched. */
#include "core/call.h"
#include "forest/forest.h"

enum {
    FEW_THREADS = 4, /* more run the rounds of forest/linkage.c. Measured: docs/design/forest.md */
    FAR_AHEAD = 24,  /* edges from the prefetch of an end to its merge; other distances are not measured */
    AHEAD = 8,       /* the same of the end's parent */
    MERGE_COST = 4   /* progress weight; estimated */
};

/* The clusters. A root describes its cluster: number << 32 | vertices. */
struct clusters {
    uint32_t *parent; /* (n) */
    uint64_t *about;  /* (n) */
};

/* Returns the root of v. Path halving: Tarjan, van Leeuwen, Worst-Case Analysis of Set Union Algorithms (1984). */
static inline uint32_t find_root(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

static inline void prefetch_parents(const struct clusters *c, uint64_t ends)
{
    __builtin_prefetch(&c->parent[ends >> 32]);
    __builtin_prefetch(&c->parent[(uint32_t)ends]);
}

/* Prefetches what the parents lead to: mostly they are roots. */
static inline void prefetch_roots(const struct clusters *c, uint64_t ends)
{
    const uint32_t u = c->parent[ends >> 32], v = c->parent[(uint32_t)ends];
    __builtin_prefetch(&c->parent[u]);
    __builtin_prefetch(&c->parent[v]);
    __builtin_prefetch(&c->about[u]);
    __builtin_prefetch(&c->about[v]);
}

/* Merges the clusters of edge i; false: its ends are in one. */
static inline bool merge_edge(struct clusters *c, struct bi_linkage_merges *m, int64_t i)
{
    const uint32_t u = find_root(c->parent, (uint32_t)(m->ends[i] >> 32)),
                   v = find_root(c->parent, (uint32_t)m->ends[i]);
    const uint64_t one = c->about[u], two = c->about[v];
    const uint32_t size = (uint32_t)one + (uint32_t)two;
    const bool is_smaller = (uint32_t)one < (uint32_t)two;
    if (u == v) return false;
    m->clusters[0][i] = (uint32_t)(one >> 32);
    m->clusters[1][i] = (uint32_t)(two >> 32);
    m->sizes[i] = size;
    c->parent[is_smaller ? u : v] = is_smaller ? v : u;
    c->about[is_smaller ? v : u] = (uint64_t)(m->n + i) << 32 | size;
    return true;
}

/* Merges by the edges `begin` to `end` - 1, or up to one that closes a cycle: m->cycle. */
static void merge_edges(struct clusters *c, struct bi_linkage_merges *m, int64_t begin, int64_t end)
{
    const int64_t last = m->n - 2;
    for (int64_t i = begin; i < end; i++) {
        prefetch_parents(c, m->ends[i + FAR_AHEAD < last ? i + FAR_AHEAD : last]);
        prefetch_roots(c, m->ends[i + AHEAD < last ? i + AHEAD : last]);
        if (merge_edge(c, m, i)) continue;
        m->cycle = i;
        return;
    }
}

bool bi_linkage_cpu_prefers_merges(const bosc_ctx *ctx) { return ctx->threads <= FEW_THREADS; }

bosc_status bi_linkage_cpu_merge(bosc_ctx *ctx, struct bi_linkage_merges *m)
{
    struct clusters c;
    BI_TRY(bi_scratch_of(ctx, m->n, sizeof *c.parent, &c.parent));
    BI_TRY(bi_scratch_of(ctx, m->n, sizeof *c.about, &c.about));
    for (int64_t v = 0; v < m->n; v++) {
        c.parent[v] = (uint32_t)v;
        c.about[v] = (uint64_t)v << 32 | 1;
    }
    m->cycle = m->n - 1;
    struct bi_batches p = bi_batches_of(ctx, m->n - 1, MERGE_COST);
    while (m->cycle == m->n - 1 && bi_next_batch(ctx, &p)) merge_edges(&c, m, p.begin, p.end);
    return p.status;
}
