/* Steps of the proof over ranks that a forest is minimum. What is found wrong is the smallest edge id of its kind;
 * none: INT64_MAX. */
#ifndef BI_RANKS_STEPS_FOREST_VERIFY_H
#define BI_RANKS_STEPS_FOREST_VERIFY_H

#include "ranks/steps/forest_rounds.h"

/* The caller's ids as 64-bit words. One that no graph has may be INT64_MAX itself: it is told as one less. */
struct bi_ranks_forest_given {
    const void *ids;
    bool wide;
    int64_t entries; /* over all ranks */
    uint64_t *out;
    int64_t *absent;
};

BI_FN void bi_step_forest_given(const struct bi_ranks_forest_given *a, int64_t i)
{
    const int64_t id = (int64_t)bi_word(a->ids, a->wide, i);
    a->out[i] = (uint64_t)id;
    if (id < 0 || id >= a->entries) bi_atomic_min_i64(a->absent, id < INT64_MAX ? id : INT64_MAX - 1);
}

/* Ids in ascending order: each stands once and was found in the graph. */
struct bi_ranks_forest_look {
    const uint64_t *ids;
    const uint8_t *found;
    int64_t *absent, *repeated;
};

BI_FN void bi_step_forest_look(const struct bi_ranks_forest_look *a, int64_t i)
{
    if (i > 0 && a->ids[i] == a->ids[i - 1])
        bi_atomic_min_i64(a->repeated, (int64_t)a->ids[i]);
    else if (!a->found[i])
        bi_atomic_min_i64(a->absent, (int64_t)a->ids[i]);
}

/* Which turns the rounds have found. */
struct bi_ranks_forest_mark {
    const uint64_t *records; /* narrow */
    uint8_t *chosen;
};

BI_FN void bi_step_forest_mark(const struct bi_ranks_forest_mark *a, int64_t i)
{
    a->chosen[bi_ranks_record_rank(bi_ranks_record_at(a->records, false, i), false)] = 1;
}

/* The edges given, in their order: the turns stand for ranks and ids. */
struct bi_ranks_forest_turns {
    const struct bi_ranks_edge *edges;
    uint64_t *keys, *ends;
};

BI_FN void bi_step_forest_turns(const struct bi_ranks_forest_turns *a, int64_t i)
{
    a->keys[i] = (uint64_t)i << 32 | (uint64_t)i;
    a->ends[i] = (uint64_t)a->edges[i].a << 32 | a->edges[i].b;
}

/* The edges that no component chose close a cycle. */
struct bi_ranks_forest_unchosen {
    const uint8_t *chosen; /* by turn */
    const struct bi_ranks_edge *edges;
    int64_t *cycle;
};

BI_FN void bi_step_forest_unchosen(const struct bi_ranks_forest_unchosen *a, int64_t i)
{
    if (!a->chosen[i]) bi_atomic_min_i64(a->cycle, (int64_t)a->edges[i].id);
}

/* Tiles of arcs: both ends climb the tree of rounds until they meet. The last turn on the two ways is that of the
 * heaviest edge given between the ends. */
struct bi_ranks_forest_climb {
    struct bi_msf_rows rows;
    uint64_t first;
    int64_t begin[BI_RANKS_FOREST_LEVELS]; /* of each round's nodes */
    const uint64_t *nodes;
    const uint32_t *labels; /* of the trees of the edges given */
    const struct bi_ranks_edge *edges;
    const uint64_t *ranks; /* by turn */
    int64_t *apart, *lighter;
};

BI_FN uint32_t bi_ranks_forest_heaviest(const struct bi_ranks_forest_climb *a, uint32_t u, uint32_t v)
{
    uint32_t heaviest = 0;
    for (int level = 0; u != v; level++) {
        const uint64_t x = a->nodes[a->begin[level] + u], y = a->nodes[a->begin[level] + v];
        const uint32_t turn = (uint32_t)((x > y ? x : y) >> 32);
        heaviest = turn > heaviest ? turn : heaviest;
        u = (uint32_t)x;
        v = (uint32_t)y;
    }
    return heaviest;
}

BI_FN void bi_step_forest_climb(const struct bi_ranks_forest_climb *a, int64_t tile)
{
    struct bi_msf_walk w = bi_msf_walk_tile(&a->rows, tile);
    do {
        const uint32_t v = a->rows.neighbours[w.place];
        if (v <= w.row || !bi_msf_counts(&a->rows, w.row, w.place)) continue;
        const uint64_t id = a->first + bi_msf_arc_id(&a->rows, w.place);
        if (a->labels[w.row] != a->labels[v]) {
            bi_atomic_min_i64(a->apart, (int64_t)id);
            continue;
        }
        const uint64_t rank = bi_msf_arc_rank(&a->rows, w.place);
        const uint32_t turn = bi_ranks_forest_heaviest(a, w.row, v);
        if (rank < a->ranks[turn] || (rank == a->ranks[turn] && id < a->edges[turn].id))
            bi_atomic_min_i64(a->lighter, (int64_t)id);
    } while (bi_msf_walk_on(&a->rows, &w));
}

#endif
