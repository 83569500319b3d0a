/* Steps of the proof that a forest is minimum. A given edge has a position in the caller's list and, once sorted by
 * (rank of the key, id), a turn. A fault is the smallest edge id of its kind, or INT64_MAX if there is none. */
#ifndef BI_FOREST_STEPS_VERIFY_H
#define BI_FOREST_STEPS_VERIFY_H

#include "base/atomic.h"
#include "forest/steps/rows.h"

struct bi_msf_verify_faults {
    int64_t absent;   /* out of range, or not an edge that counts */
    int64_t repeated; /* given twice */
    int64_t cycle;    /* the heaviest of a cycle of given edges */
    int64_t apart;    /* an edge of the graph between two trees */
    int64_t lighter;  /* an edge of the graph lighter than a given edge on the path between its ends */
};

/* The first position of each id. An invalid id may be INT64_MAX itself and is reported as one less. */
struct bi_msf_verify_given {
    const void *ids;
    bool is_64bit;
    int64_t entries;
    uint32_t *position_of;
    struct bi_msf_verify_faults *faults;
};

BI_FN void bi_step_msf_verify_given(const struct bi_msf_verify_given *a, int64_t i)
{
    int64_t id = (int64_t)bi_word(a->ids, a->is_64bit, i);
    if (id < 0 || id >= a->entries)
        bi_atomic_min_i64(&a->faults->absent, id < INT64_MAX ? id : INT64_MAX - 1);
    else
        bi_atomic_min_u32(&a->position_of[id], (uint32_t)i);
}

/* Items are tiles of arcs. Finds the ends and rank of each given edge, and marks it as seen. */
struct bi_msf_verify_find {
    struct bi_msf_rows rows;
    const uint32_t *position_of;
    uint64_t *ends;
    void *ranks; /* of the keys' size */
    uint8_t *seen;
};

BI_FN void bi_step_msf_verify_find(const struct bi_msf_verify_find *a, int64_t tile)
{
    struct bi_msf_walk w = bi_msf_walk_tile(&a->rows, tile);
    do {
        uint32_t v = a->rows.neighbours[w.arc];
        if (v < w.row) continue;
        uint32_t position = a->position_of[bi_msf_arc_id(&a->rows, w.arc)];
        if (position == BI_FOREST_NONE || !bi_msf_arc_allowed(&a->rows, w.row, w.arc)) continue;
        a->ends[position] = (uint64_t)w.row << 32 | v;
        bi_set_word(a->ranks, a->rows.keys_64bit, position, bi_msf_arc_rank(&a->rows, w.arc));
        a->seen[position] = 1;
    } while (bi_msf_walk_on(&a->rows, &w));
}

/* Reports given ids that occur twice, and those not seen in the graph. */
struct bi_msf_verify_found {
    const void *ids;
    bool is_64bit;
    const uint32_t *position_of;
    const uint8_t *seen;
    struct bi_msf_verify_faults *faults;
};

BI_FN void bi_step_msf_verify_found(const struct bi_msf_verify_found *a, int64_t i)
{
    int64_t id = (int64_t)bi_word(a->ids, a->is_64bit, i);
    if (a->position_of[id] != (uint32_t)i)
        bi_atomic_min_i64(&a->faults->repeated, id);
    else if (!a->seen[i])
        bi_atomic_min_i64(&a->faults->absent, id);
}

/* out[i] = in[order[i]]. */
struct bi_msf_verify_gather {
    const void *in;
    const uint32_t *order;
    void *out;
    bool is_64bit;
};

BI_FN void bi_step_msf_verify_gather(const struct bi_msf_verify_gather *a, int64_t i)
{
    bi_set_word(a->out, a->is_64bit, i, bi_word(a->in, a->is_64bit, a->order[i]));
}

/* Lists both arcs of the edge whose turn is i; a self loop is not kept. */
struct bi_msf_verify_arcs {
    const uint64_t *ends;
    const uint32_t *order;
    int shift;
    uint64_t *arcs;
    uint32_t *turns;
    uint8_t *keep;
};

BI_FN void bi_step_msf_verify_arcs(const struct bi_msf_verify_arcs *a, int64_t i)
{
    uint64_t ends = a->ends[a->order[i]], u = ends >> 32, v = ends & UINT32_MAX;
    a->arcs[2 * i] = u << a->shift | v;
    a->arcs[2 * i + 1] = v << a->shift | u;
    a->turns[2 * i] = a->turns[2 * i + 1] = (uint32_t)i;
    a->keep[2 * i] = a->keep[2 * i + 1] = u != v;
}

/* An edge that no component chose closes a cycle. */
struct bi_msf_verify_unchosen {
    const uint8_t *chosen; /* by turn */
    const void *ids;       /* by turn */
    bool is_64bit;
    struct bi_msf_verify_faults *faults;
};

BI_FN void bi_step_msf_verify_unchosen(const struct bi_msf_verify_unchosen *a, int64_t i)
{
    if (!a->chosen[i]) bi_atomic_min_i64(&a->faults->cycle, (int64_t)bi_word(a->ids, a->is_64bit, i));
}

/* Packs turn and parent of each node into one word, so that a step up reads one word. */
struct bi_msf_verify_pack_nodes {
    const uint32_t *turns, *parents;
    uint64_t *nodes;
};

BI_FN void bi_step_msf_verify_pack_nodes(const struct bi_msf_verify_pack_nodes *a, int64_t i)
{
    a->nodes[i] = (uint64_t)a->turns[i] << 32 | a->parents[i];
}

/* The packed node of each vertex's leaf; all ones if the vertex has no edges. */
struct bi_msf_verify_leaf_nodes {
    const uint32_t *leaf;
    const uint64_t *nodes;
    uint64_t *entry;
};

BI_FN void bi_step_msf_verify_leaf_nodes(const struct bi_msf_verify_leaf_nodes *a, int64_t v)
{
    a->entry[v] = a->leaf[v] == BI_FOREST_NONE ? UINT64_MAX : a->nodes[a->leaf[v]];
}

/* Items are tiles of arcs. Both ends of an arc ascend the tree of rounds in lock step to their common ancestor. The
 * greatest turn on the two paths is the heaviest given edge between the ends. */
enum { BI_MSF_VERIFY_LEVELS = 34 };

struct bi_msf_verify_compare_paths {
    struct bi_msf_rows rows;
    int64_t begin[BI_MSF_VERIFY_LEVELS + 2]; /* after the last level the limit is repeated */
    const uint64_t *entry, *nodes;
    const void *ids, *ranks; /* by turn */
    struct bi_msf_verify_faults *faults;
};

/* Ascends by packed nodes, turn << 32 | parent. Returns the turn, or BI_FOREST_NONE if the ends are in different trees:
 * one has no node in a round and the two parents differ. */
BI_FN uint32_t bi_msf_verify_heaviest(const struct bi_msf_verify_compare_paths *a, uint32_t u, uint32_t v)
{
    uint64_t node_u = a->entry[u], node_v = a->entry[v];
    uint32_t heaviest = 0;
    for (int level = 1;; level++) {
        uint32_t turn_u = (uint32_t)(node_u >> 32), turn_v = (uint32_t)(node_v >> 32),
                 greater = turn_u > turn_v ? turn_u : turn_v;
        uint32_t parent_u = (uint32_t)node_u, parent_v = (uint32_t)node_v,
                 nodes = (uint32_t)(a->begin[level + 1] - a->begin[level]);
        heaviest = greater > heaviest ? greater : heaviest;
        if (parent_u == parent_v) return heaviest; /* BI_FOREST_NONE if neither end has an edge */
        if (parent_u >= nodes || parent_v >= nodes) return BI_FOREST_NONE;
        node_u = a->nodes[a->begin[level] + parent_u];
        node_v = a->nodes[a->begin[level] + parent_v];
    }
}

/* The paths of a tile's edges are independent, so their first nodes are prefetched together. */
BI_FN void bi_msf_verify_prefetch(const struct bi_msf_verify_compare_paths *a, int64_t tile)
{
#ifndef __CUDA_ARCH__
    int64_t begin = tile * BI_MSF_ITEM_ARCS,
            end = begin + BI_MSF_ITEM_ARCS < a->rows.arcs ? begin + BI_MSF_ITEM_ARCS : a->rows.arcs;
    for (int64_t position = begin; position < end; position++)
        __builtin_prefetch(&a->entry[a->rows.neighbours[position]]);
    for (int64_t position = begin; position < end; position++) {
        uint32_t node = (uint32_t)a->entry[a->rows.neighbours[position]];
        if (node < a->begin[2] - a->begin[1]) __builtin_prefetch(&a->nodes[a->begin[1] + node]);
    }
#else
    (void)a, (void)tile;
#endif
}

/* Reports an arc between two trees, or one lighter than the heaviest given edge (at `turn`) between its ends. */
BI_FN void bi_msf_verify_compare(const struct bi_msf_verify_compare_paths *a, int64_t position, uint32_t turn)
{
    uint64_t id = bi_msf_arc_id(&a->rows, position);
    if (turn == BI_FOREST_NONE) {
        bi_atomic_min_i64(&a->faults->apart, (int64_t)id);
        return;
    }
    uint64_t rank = bi_msf_arc_rank(&a->rows, position), most = bi_word(a->ranks, a->rows.keys_64bit, turn);
    if (rank < most || (rank == most && id < bi_word(a->ids, a->rows.is_64bit, turn)))
        bi_atomic_min_i64(&a->faults->lighter, (int64_t)id);
}

BI_FN void bi_step_msf_verify_compare_paths(const struct bi_msf_verify_compare_paths *a, int64_t tile)
{
    struct bi_msf_walk w = bi_msf_walk_tile(&a->rows, tile);
    int64_t begin = w.arc;
    uint32_t turns[BI_MSF_ITEM_ARCS], edges = 0; /* a bit per arc of the tile */
    bi_msf_verify_prefetch(a, tile);
    do {
        uint32_t v = a->rows.neighbours[w.arc];
        if (v <= w.row || !bi_msf_arc_is_edge(&a->rows, w.row, w.arc)) continue;
        turns[w.arc - begin] = bi_msf_verify_heaviest(a, w.row, v);
        edges |= 1u << (w.arc - begin);
    } while (bi_msf_walk_on(&a->rows, &w));
    for (int k = 0; k < BI_MSF_ITEM_ARCS; k++)
        if (edges >> k & 1) bi_msf_verify_compare(a, begin + k, turns[k]);
}

#endif
