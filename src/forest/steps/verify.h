/* Steps of the proof that a forest is minimum. Edges given have places in the caller's list; once sorted by (rank of
 * the key, id) they have turns. What is found wrong is the smallest edge id of its kind, none: INT64_MAX. */
#ifndef BI_FOREST_STEPS_VERIFY_H
#define BI_FOREST_STEPS_VERIFY_H

#include "base/atomic.h"
#include "forest/steps/rows.h"

struct bi_msf_verify_faults {
    int64_t absent;   /* out of range, or no edge that counts */
    int64_t repeated; /* stands twice */
    int64_t cycle;    /* the last of a cycle, by turns */
    int64_t apart;    /* an edge of the graph between two trees */
    int64_t lighter;  /* an edge of the graph before one between its ends */
};

/* The first place of each id. An id that no graph has may be INT64_MAX itself: it is told as one less. */
struct bi_msf_verify_given {
    const void *ids;
    bool wide;
    int64_t entries;
    uint32_t *place_of;
    struct bi_msf_verify_faults *faults;
};

BI_FN void bi_step_msf_verify_given(const struct bi_msf_verify_given *a, int64_t i)
{
    int64_t id = (int64_t)bi_word(a->ids, a->wide, i);
    if (id < 0 || id >= a->entries)
        bi_atomic_min_i64(&a->faults->absent, id < INT64_MAX ? id : INT64_MAX - 1);
    else
        bi_atomic_min_u32(&a->place_of[id], (uint32_t)i);
}

/* Tiles of arcs: ends and rank of each edge given, and that it is there. */
struct bi_msf_verify_find {
    struct bi_msf_rows rows;
    const uint32_t *place_of;
    uint64_t *ends;
    void *ranks; /* of the keys' size */
    uint8_t *seen;
};

BI_FN void bi_step_msf_verify_find(const struct bi_msf_verify_find *a, int64_t tile)
{
    struct bi_msf_walk w = bi_msf_walk_tile(&a->rows, tile);
    do {
        uint32_t v = a->rows.neighbours[w.place];
        if (v < w.row) continue;
        uint32_t place = a->place_of[bi_msf_arc_id(&a->rows, w.place)];
        if (place == BI_FOREST_NONE || !bi_msf_counts(&a->rows, w.row, w.place)) continue;
        a->ends[place] = (uint64_t)w.row << 32 | v;
        bi_set_word(a->ranks, a->rows.wide_keys, place, bi_msf_arc_rank(&a->rows, w.place));
        a->seen[place] = 1;
    } while (bi_msf_walk_on(&a->rows, &w));
}

struct bi_msf_verify_found {
    const void *ids;
    bool wide;
    const uint32_t *place_of;
    const uint8_t *seen;
    struct bi_msf_verify_faults *faults;
};

BI_FN void bi_step_msf_verify_found(const struct bi_msf_verify_found *a, int64_t i)
{
    int64_t id = (int64_t)bi_word(a->ids, a->wide, i);
    if (a->place_of[id] != (uint32_t)i)
        bi_atomic_min_i64(&a->faults->repeated, id);
    else if (!a->seen[i])
        bi_atomic_min_i64(&a->faults->absent, id);
}

/* out[i] = in[order[i]]. */
struct bi_msf_verify_pick {
    const void *in;
    const uint32_t *order;
    void *out;
    bool wide;
};

BI_FN void bi_step_msf_verify_pick(const struct bi_msf_verify_pick *a, int64_t i)
{
    bi_set_word(a->out, a->wide, i, bi_word(a->in, a->wide, a->order[i]));
}

/* Both arcs of the edge whose turn is i; none of a self loop. */
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

/* The edges that no component chose closed a cycle. */
struct bi_msf_verify_unchosen {
    const uint8_t *chosen; /* by turn */
    const void *ids;       /* by turn */
    bool wide;
    struct bi_msf_verify_faults *faults;
};

BI_FN void bi_step_msf_verify_unchosen(const struct bi_msf_verify_unchosen *a, int64_t i)
{
    if (!a->chosen[i]) bi_atomic_min_i64(&a->faults->cycle, (int64_t)bi_word(a->ids, a->wide, i));
}

/* Turn and parent of a component lie together, for the climb. */
struct bi_msf_verify_weave {
    const uint32_t *turns, *parents;
    uint64_t *nodes;
};

BI_FN void bi_step_msf_verify_weave(const struct bi_msf_verify_weave *a, int64_t i)
{
    a->nodes[i] = (uint64_t)a->turns[i] << 32 | a->parents[i];
}

/* What the climb reads first of each vertex: its node's turn and parent, or none of both. */
struct bi_msf_verify_enter {
    const uint32_t *leaf;
    const uint64_t *nodes;
    uint64_t *entry;
};

BI_FN void bi_step_msf_verify_enter(const struct bi_msf_verify_enter *a, int64_t v)
{
    a->entry[v] = a->leaf[v] == BI_FOREST_NONE ? UINT64_MAX : a->nodes[a->leaf[v]];
}

/* Tiles of arcs: both ends climb the tree of rounds in lock step. The last turn on the two ways is that of the heaviest
 * edge given between the ends. */
enum { BI_MSF_VERIFY_LEVELS = 34 };

struct bi_msf_verify_climb {
    struct bi_msf_rows rows;
    int64_t begin[BI_MSF_VERIFY_LEVELS + 2]; /* after the last level: the end again */
    const uint64_t *entry, *nodes;
    const void *ids, *ranks; /* by turn */
    struct bi_msf_verify_faults *faults;
};

/* The turn, or none if the ends are apart: one has no node in a round and is not where the other is. */
BI_FN uint32_t bi_msf_verify_heaviest(const struct bi_msf_verify_climb *a, uint32_t u, uint32_t v)
{
    uint64_t nx = a->entry[u], ny = a->entry[v];
    uint32_t heaviest = 0;
    for (int level = 1;; level++) {
        uint32_t tx = (uint32_t)(nx >> 32), ty = (uint32_t)(ny >> 32), t = tx > ty ? tx : ty;
        uint32_t x = (uint32_t)nx, y = (uint32_t)ny, nodes = (uint32_t)(a->begin[level + 1] - a->begin[level]);
        heaviest = t > heaviest ? t : heaviest;
        if (x == y) return heaviest; /* none where neither has an edge */
        if (x >= nodes || y >= nodes) return BI_FOREST_NONE;
        nx = a->nodes[a->begin[level] + x];
        ny = a->nodes[a->begin[level] + y];
    }
}

/* The ways of a tile's edges are independent: what they read first is asked for early. */
BI_FN void bi_msf_verify_prefetch(const struct bi_msf_verify_climb *a, int64_t tile)
{
#ifndef __CUDA_ARCH__
    int64_t begin = tile * BI_MSF_ITEM_ARCS,
            end = begin + BI_MSF_ITEM_ARCS < a->rows.arcs ? begin + BI_MSF_ITEM_ARCS : a->rows.arcs;
    for (int64_t place = begin; place < end; place++) __builtin_prefetch(&a->entry[a->rows.neighbours[place]]);
    for (int64_t place = begin; place < end; place++) {
        uint32_t node = (uint32_t)a->entry[a->rows.neighbours[place]];
        if (node < a->begin[2] - a->begin[1]) __builtin_prefetch(&a->nodes[a->begin[1] + node]);
    }
#else
    (void)a, (void)tile;
#endif
}

BI_FN void bi_msf_verify_compare(const struct bi_msf_verify_climb *a, int64_t place, uint32_t turn)
{
    uint64_t id = bi_msf_arc_id(&a->rows, place);
    if (turn == BI_FOREST_NONE) {
        bi_atomic_min_i64(&a->faults->apart, (int64_t)id);
        return;
    }
    uint64_t rank = bi_msf_arc_rank(&a->rows, place), most = bi_word(a->ranks, a->rows.wide_keys, turn);
    if (rank < most || (rank == most && id < bi_word(a->ids, a->rows.wide, turn)))
        bi_atomic_min_i64(&a->faults->lighter, (int64_t)id);
}

BI_FN void bi_step_msf_verify_climb(const struct bi_msf_verify_climb *a, int64_t tile)
{
    struct bi_msf_walk w = bi_msf_walk_tile(&a->rows, tile);
    int64_t begin = w.place;
    uint32_t turns[BI_MSF_ITEM_ARCS], edges = 0; /* a bit for each place */
    bi_msf_verify_prefetch(a, tile);
    do {
        uint32_t v = a->rows.neighbours[w.place];
        if (v <= w.row || !bi_msf_there(&a->rows, w.row, w.place)) continue;
        turns[w.place - begin] = bi_msf_verify_heaviest(a, w.row, v);
        edges |= 1u << (w.place - begin);
    } while (bi_msf_walk_on(&a->rows, &w));
    for (int k = 0; k < BI_MSF_ITEM_ARCS; k++)
        if (edges >> k & 1) bi_msf_verify_compare(a, begin + k, turns[k]);
}

#endif
