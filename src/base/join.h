/* Trees of a union by atomic compare-and-swap: `parent` points to smaller items of the same set, or to the item itself,
 * so that a root is the smallest item whatever the order of the joins. Source of the links: Sutton, Ben-Nun, Barak,
 * Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling (2018). */
#ifndef BI_BASE_JOIN_H
#define BI_BASE_JOIN_H

#include "base/atomic.h"

/* Joins the trees of u and v: the larger root gets the smaller as parent. */
BI_FN void bi_join(uint32_t *parent, uint32_t u, uint32_t v)
{
    uint32_t a = bi_peek(&parent[u]), b = bi_peek(&parent[v]);
    while (a != b) {
        uint32_t high = a > b ? a : b, low = a > b ? b : a, above = bi_peek(&parent[high]);
        if (above == low || (above == high && bi_swap(&parent[high], high, low))) return;
        a = bi_peek(&parent[bi_peek(&parent[high])]);
        b = bi_peek(&parent[low]);
    }
}

/* parent[v] becomes the root. */
struct bi_flatten {
    uint32_t *parent;
};

BI_FN void bi_step_flatten(const struct bi_flatten *a, int64_t v)
{
    uint32_t at = bi_peek(&a->parent[v]), above;
    while ((above = bi_peek(&a->parent[at])) != at) {
        bi_poke(&a->parent[v], above);
        at = above;
    }
}

#endif
