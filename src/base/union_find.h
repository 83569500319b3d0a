/* Trees of a union by atomic compare-and-swap: `parent` points to smaller items of the same set, or to the item itself,
 * so that a root is the smallest item whatever the order of the joins. Source of the links: Sutton, Ben-Nun, Barak,
 * Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling (2018). */
#ifndef BI_BASE_UNION_FIND_H
#define BI_BASE_UNION_FIND_H

#include "base/atomic.h"

/* The root above v. Whoever is on the way points two steps up from now on. Source of the halving: van Leeuwen and
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

/* Joins the trees of u and v: the larger root gets the smaller as parent. */
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

/* The root above v, to which v points from now on; meanwhile it points to where the climb is, so that those below climb
 * less. */
BI_FN uint32_t bi_uf_compress(uint32_t *parent, uint32_t v)
{
    uint32_t at = bi_atomic_load_u32(&parent[v]), above;
    while ((above = bi_atomic_load_u32(&parent[at])) != at) {
        bi_atomic_store_u32(&parent[v], above);
        at = above;
    }
    return at;
}

/* parent[v] becomes the root. */
struct bi_flatten {
    uint32_t *parent;
};

BI_FN void bi_step_flatten(const struct bi_flatten *a, int64_t v) { bi_uf_compress(a->parent, (uint32_t)v); }

#endif
