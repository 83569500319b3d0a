/* Steps of single-linkage dendrograms: Boruvka's rounds contract the tree, and each edge joins the chain of merges of
 * one supervertex. src/forest/linkage.c states the method. */
#ifndef BI_FOREST_STEPS_LINKAGE_H
#define BI_FOREST_STEPS_LINKAGE_H

#include "base/atomic.h"
#include "base/bits.h"
#include "base/union_find.h"
#include "forest/forest.h"

/* *bad: the first element that is NaN. */
struct bi_linkage_find_nan {
    const double *in;
    int64_t *bad;
};

BI_FN void bi_step_linkage_find_nan(const struct bi_linkage_find_nan *a, int64_t i)
{
    if (a->in[i] != a->in[i]) bi_atomic_min_i64(a->bad, i);
}

/* Arguments of the steps below. A rank is an edge's index in the order of (length, row). A node is a supervertex of
 * some round: 0 to n - 1 are the vertices, and the nodes of a round follow those of the round before. */
struct bi_linkage {
    const void *pairs;
    bool is_64bit;
    int64_t n;
    const uint32_t *row_of; /* by rank */
    int64_t *bad;           /* two: the lowest row of no vertex; the lowest rank that closes a cycle */

    /* The edges of a round, in the order of their ranks. */
    uint64_t *ends; /* two nodes of the round */
    uint32_t *ranks;
    uint8_t *keep; /* 1: no end chose the edge, so that it stays for the next round */

    /* Nodes: begin to end - 1 are those of the round. */
    int64_t begin, end;
    uint32_t *lightest;     /* the lowest rank among the node's edges; BI_FOREST_NONE: no edges */
    uint32_t *parent;       /* during a round: a node of the same component; then: the node of the next round */
    uint32_t *number;       /* of this round only: 1 for a root, then the inclusive sums */
    uint32_t *first, *last; /* of the node's chain: its first position, and the rank of its last edge */
    uint32_t *flag;         /* set if there is more to do */

    /* Edges, by rank. */
    uint32_t *side[2]; /* the node that chose the edge; the second one that did, or BI_FOREST_NONE */
    uint32_t *chain;   /* the node whose chain holds the edge */
    uint32_t *before;  /* the previous edge of its chain; BI_FOREST_NONE: it is the first */
    uint32_t *size;    /* vertices of the new cluster */

    /* Positions in the order of (chain, rank). */
    const uint32_t *chain_at, *rank_at;
    int64_t from;     /* the position of item 0 */
    uint32_t *joined; /* vertices that the edge adds to its chain; then the inclusive sums */

    const double *lengths; /* by rank */
    double *z;
};

/* Lists the edge of rank i. */
BI_FN void bi_step_linkage_list_edges(const struct bi_linkage *a, int64_t i)
{
    const int64_t row = a->row_of[i];
    const uint64_t u = bi_word(a->pairs, a->is_64bit, 2 * row), v = bi_word(a->pairs, a->is_64bit, 2 * row + 1);
    const bool ok = u < (uint64_t)a->n && v < (uint64_t)a->n;
    if (!ok) bi_atomic_min_i64(&a->bad[0], row);
    if (u == v) bi_atomic_min_i64(&a->bad[1], i);
    a->ends[i] = ok ? u << 32 | v : 0;
    a->ranks[i] = (uint32_t)i;
}

/* Proposes edge i to a node. */
BI_FN void bi_linkage_propose_to(uint32_t *lightest, uint32_t rank)
{
    if (rank < bi_atomic_load_u32(lightest)) bi_atomic_min_u32(lightest, rank);
}

BI_FN void bi_step_linkage_propose(const struct bi_linkage *a, int64_t i)
{
    const uint32_t u = (uint32_t)(a->ends[i] >> 32), v = (uint32_t)a->ends[i];
    if (u == v) return; /* closes a cycle */
    bi_linkage_propose_to(&a->lightest[u], a->ranks[i]);
    bi_linkage_propose_to(&a->lightest[v], a->ranks[i]);
}

/* A node that chose edge i joins the other end. If both ends chose it, the smaller one is the root. */
BI_FN void bi_step_linkage_choose(const struct bi_linkage *a, int64_t i)
{
    const uint32_t u = (uint32_t)(a->ends[i] >> 32), v = (uint32_t)a->ends[i], rank = a->ranks[i];
    const bool by_u = a->lightest[u] == rank, by_v = a->lightest[v] == rank;
    a->keep[i] = u != v && !by_u && !by_v;
    if (!by_u && !by_v) return;
    if (by_u && !(by_v && u < v)) a->parent[u] = v;
    if (by_v && !(by_u && v < u)) a->parent[v] = u;
    a->side[0][rank] = by_u ? u : v;
    a->side[1][rank] = by_u && by_v ? v : BI_FOREST_NONE;
}

/* Replaces a node's parent by the root, or by an ancestor (bi_uf_ascend); then the flag is set. Nodes without edges
 * are roots. */
BI_FN void bi_step_linkage_ascend(const struct bi_linkage *a, int64_t i)
{
    if (!bi_uf_ascend(a->parent, (uint32_t)(a->begin + i))) bi_atomic_or_u32(a->flag, 1);
}

BI_FN void bi_step_linkage_mark_roots(const struct bi_linkage *a, int64_t i)
{
    const int64_t node = a->begin + i;
    a->number[i] = a->parent[node] == (uint32_t)node && a->lightest[node] != BI_FOREST_NONE;
}

/* Sets a node's parent in the next round. */
BI_FN void bi_step_linkage_number(const struct bi_linkage *a, int64_t i)
{
    const int64_t node = a->begin + i;
    if (a->lightest[node] == BI_FOREST_NONE) return;
    a->parent[node] = (uint32_t)(a->end + a->number[a->parent[node] - a->begin] - 1);
}

/* The ends of edge i in the next round. */
BI_FN void bi_step_linkage_relabel(const struct bi_linkage *a, int64_t i)
{
    const uint32_t u = a->parent[a->ends[i] >> 32], v = a->parent[(uint32_t)a->ends[i]];
    if (u == v) bi_atomic_min_i64(&a->bad[1], a->ranks[i]);
    a->ends[i] = (uint64_t)u << 32 | v;
}

/* The chain of the edge of rank i: of the first node above it with heavier edges only. */
BI_FN void bi_step_linkage_find_chains(const struct bi_linkage *a, int64_t i)
{
    uint32_t node = a->parent[a->side[0][i]];
    while (a->lightest[node] < (uint32_t)i) node = a->parent[node];
    a->chain[i] = node;
}

/* The ends of chains, and the edge before each edge. Items are positions. */
BI_FN void bi_step_linkage_link_chains(const struct bi_linkage *a, int64_t p)
{
    const uint32_t chain = a->chain_at[p], rank = a->rank_at[p];
    const bool is_first = p == 0 || a->chain_at[p - 1] != chain, is_last = p == a->n - 2 || a->chain_at[p + 1] != chain;
    a->before[rank] = is_first ? BI_FOREST_NONE : a->rank_at[p - 1];
    if (is_first) a->first[chain] = (uint32_t)p;
    if (is_last) a->last[chain] = rank;
}

/* Vertices in the cluster of a node's whole chain. */
BI_FN uint32_t bi_linkage_size_of(const struct bi_linkage *a, uint32_t node)
{
    return node < (uint64_t)a->n ? 1 : a->size[a->last[node]];
}

/* Items are positions of chains of one round, those of earlier rounds are complete. The first edge of a chain joins two
 * nodes, any other one a node to the cluster of the edge before. */
BI_FN void bi_step_linkage_count_joined(const struct bi_linkage *a, int64_t i)
{
    const uint32_t rank = a->rank_at[a->from + i], second = a->side[1][rank];
    a->joined[i] =
        bi_linkage_size_of(a, a->side[0][rank]) + (second == BI_FOREST_NONE ? 0 : bi_linkage_size_of(a, second));
}

BI_FN void bi_step_linkage_store_sizes(const struct bi_linkage *a, int64_t i)
{
    const int64_t first = a->first[a->chain_at[a->from + i]] - a->from;
    a->size[a->rank_at[a->from + i]] = a->joined[i] - (first == 0 ? 0 : a->joined[first - 1]);
}

/* The name of the cluster of a node's whole chain. */
BI_FN uint32_t bi_linkage_cluster_of(const struct bi_linkage *a, uint32_t node)
{
    return node < (uint64_t)a->n ? node : (uint32_t)a->n + a->last[node];
}

/* Writes row i of scipy's form: smaller cluster, larger cluster, length, vertices. */
BI_FN void bi_step_linkage_write(const struct bi_linkage *a, int64_t i)
{
    const uint32_t before = a->before[i], x = bi_linkage_cluster_of(a, a->side[0][i]),
                   y = before == BI_FOREST_NONE ? bi_linkage_cluster_of(a, a->side[1][i]) : (uint32_t)a->n + before;
    a->z[4 * i] = (double)(x < y ? x : y);
    a->z[4 * i + 1] = (double)(x < y ? y : x);
    a->z[4 * i + 2] = a->lengths[i];
    a->z[4 * i + 3] = (double)a->size[i];
}

/* Writes row i of scipy's form, of merges in the order of the edges. */
struct bi_linkage_write_merge {
    const uint32_t *clusters[2], *sizes;
    const double *lengths;
    double *z;
};

BI_FN void bi_step_linkage_write_merge(const struct bi_linkage_write_merge *a, int64_t i)
{
    const uint32_t x = a->clusters[0][i], y = a->clusters[1][i];
    a->z[4 * i] = (double)(x < y ? x : y);
    a->z[4 * i + 1] = (double)(x < y ? y : x);
    a->z[4 * i + 2] = a->lengths[i];
    a->z[4 * i + 3] = (double)a->sizes[i];
}

#endif
