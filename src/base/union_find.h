/* Concurrent union-find by compare-and-swap. parent[v] is a smaller item of the same set, or v itself, so that a root
 * is the smallest item of its set whatever the order of the unions. Source of the links: Sutton, Ben-Nun, Barak,
 * Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling (2018). */
#ifndef BI_BASE_UNION_FIND_H
#define BI_BASE_UNION_FIND_H

#include "base/atomic.h"

/* Returns the root of v. Path splitting: every item on the path then points to its grandparent. Source: van Leeuwen and
 * Tarjan, Worst-Case Analysis of Set Union Algorithms (1984). */
BI_FN uint32_t bi_uf_find(uint32_t *parent, uint32_t v)
{
    uint32_t at = bi_atomic_load_u32(&parent[v]), above;
    while ((above = bi_atomic_load_u32(&parent[at])) != at) {
        bi_atomic_store_u32(&parent[v], above);
        v = at;
        at = above;
    }
    return at;
}

/* Unites the sets of u and v: the smaller root becomes the parent of the larger. */
BI_FN void bi_uf_union(uint32_t *parent, uint32_t u, uint32_t v)
{
    uint32_t a = bi_uf_find(parent, u), b = bi_uf_find(parent, v);
    while (a != b) {
        uint32_t high = a > b ? a : b, low = a > b ? b : a;
        if (bi_atomic_cas_u32(&parent[high], high, low)) return;
        a = bi_uf_find(parent, high);
        b = bi_uf_find(parent, low);
    }
}

/* The same by Rem's algorithm: the item with the larger parent ascends, and a root is hooked below the other item's
 * parent. Most unions end before they reach a root. Sources: Dijkstra, A Discipline of Programming (1976); Patwary,
 * Blair, Manne, Experiments on Union-Find Algorithms (2010); with compare-and-swap: Dhulipala, Hong, Shun, ConnectIt
 * (2020). */
BI_FN void bi_uf_union_interleaved(uint32_t *parent, uint32_t u, uint32_t v)
{
    uint32_t high = bi_atomic_load_u32(&parent[u]), low = bi_atomic_load_u32(&parent[v]);
    while (high != low) {
        if (high < low) {
            const uint32_t item = u, its_parent = high;
            u = v;
            high = low;
            v = item;
            low = its_parent;
        }
        if (high == u) { /* a root, when its parent was read */
            if (bi_atomic_cas_u32(&parent[u], u, low)) return;
            high = bi_atomic_load_u32(&parent[u]);
        } else {
            const uint32_t above = bi_atomic_load_u32(&parent[high]);
            if (above != high) bi_atomic_store_u32(&parent[u], above);
            u = high;
            high = above;
        }
    }
}

/* Returns the root of v and stores it in parent[v]. On the way parent[v] follows the ascent, which shortens the paths
 * of concurrent calls below v. */
BI_FN uint32_t bi_uf_compress(uint32_t *parent, uint32_t v)
{
    uint32_t at = bi_atomic_load_u32(&parent[v]), above;
    while ((above = bi_atomic_load_u32(&parent[at])) != at) {
        bi_atomic_store_u32(&parent[v], above);
        at = above;
    }
    return at;
}

/* Passes of bi_uf_ascend over all items that suffice: each follows 64 parents, and 64^8 are more than 2^32. */
enum { BI_UF_ASCENT = 64, BI_UF_MAX_ASCENTS = 8 };

/* Sets parent[v] to the root of v, or to an ancestor BI_UF_ASCENT levels up, so that an item's work is bounded. Parents
 * may be any that make no cycle. Returns false if the root is farther up. */
BI_FN bool bi_uf_ascend(uint32_t *parent, uint32_t v)
{
    uint32_t at = bi_atomic_load_u32(&parent[v]), above = bi_atomic_load_u32(&parent[at]);
    for (int s = 0; s < BI_UF_ASCENT && above != at; s++) {
        at = above;
        above = bi_atomic_load_u32(&parent[at]);
    }
    bi_atomic_store_u32(&parent[v], at);
    return above == at;
}

/* A step that sets parent[v] to the root of v. */
struct bi_flatten {
    uint32_t *parent;
};

BI_FN void bi_step_flatten(const struct bi_flatten *a, int64_t v) { bi_uf_compress(a->parent, (uint32_t)v); }

#endif
