/* Steps of the proof over ranks that a forest is minimum. A fault is reported as the smallest edge id of its kind;
 * INT64_MAX if there is none. */
#ifndef BI_RANKS_STEPS_FOREST_VERIFY_H
#define BI_RANKS_STEPS_FOREST_VERIFY_H

#include "ranks/steps/forest_sharded.h"

/* Widens the caller's ids to 64 bits, and reports ids out of range. The id INT64_MAX is reported as one less, since it
 * means "none". */
struct bi_ranks_forest_read_ids {
    const void *ids;
    bool is_64bit;
    int64_t entries; /* over all ranks */
    uint64_t *out;
    int64_t *absent;
};

BI_FN void bi_step_forest_read_ids(const struct bi_ranks_forest_read_ids *a, int64_t i)
{
    const int64_t id = (int64_t)bi_word(a->ids, a->is_64bit, i);
    a->out[i] = (uint64_t)id;
    if (id < 0 || id >= a->entries) bi_atomic_min_i64(a->absent, id < INT64_MAX ? id : INT64_MAX - 1);
}

/* Checks ascending ids: each occurs once and was found in the graph. */
struct bi_ranks_forest_check_ids {
    const uint64_t *ids;
    const uint8_t *found;
    int64_t *absent, *repeated;
};

BI_FN void bi_step_forest_check_ids(const struct bi_ranks_forest_check_ids *a, int64_t i)
{
    if (i > 0 && a->ids[i] == a->ids[i - 1])
        bi_atomic_min_i64(a->repeated, (int64_t)a->ids[i]);
    else if (!a->found[i])
        bi_atomic_min_i64(a->absent, (int64_t)a->ids[i]);
}

/* Marks the positions that the rounds chose. */
struct bi_ranks_forest_mark_chosen {
    const uint64_t *records; /* of two words */
    uint8_t *chosen;
};

BI_FN void bi_step_forest_mark_chosen(const struct bi_ranks_forest_mark_chosen *a, int64_t i)
{
    a->chosen[bi_ranks_record_rank(bi_ranks_record_at(a->records, false, i), false)] = 1;
}

/* The input edges sorted by (rank, id): their positions replace ranks and ids. */
struct bi_ranks_forest_positions {
    const struct bi_ranks_edge *edges;
    uint64_t *keys, *ends;
};

BI_FN void bi_step_forest_positions(const struct bi_ranks_forest_positions *a, int64_t i)
{
    a->keys[i] = (uint64_t)i << 32 | (uint64_t)i;
    a->ends[i] = (uint64_t)a->edges[i].a << 32 | a->edges[i].b;
}

/* Edges that no component chose close a cycle. */
struct bi_ranks_forest_find_cycle {
    const uint8_t *chosen; /* by position */
    const struct bi_ranks_edge *edges;
    int64_t *cycle;
};

BI_FN void bi_step_forest_find_cycle(const struct bi_ranks_forest_find_cycle *a, int64_t i)
{
    if (!a->chosen[i]) bi_atomic_min_i64(a->cycle, (int64_t)a->edges[i].id);
}

/* Item: a tile of arcs. Both ends of an arc ascend the tree of rounds to their common node. The greatest position on
 * the two paths is that of the heaviest input edge between the ends (King 1997). */
struct bi_ranks_forest_path_max {
    struct bi_msf_rows rows;
    uint64_t first;
    int64_t level_begin[BI_RANKS_FOREST_LEVELS]; /* offset of each round's nodes */
    const uint64_t *nodes;
    const uint32_t *labels; /* of the input forest's trees */
    const struct bi_ranks_edge *edges;
    const uint64_t *ranks; /* by position */
    int64_t *apart, *lighter;
};

/* Returns the position of the heaviest input edge on the path from u to v, which are in one tree. */
BI_FN uint32_t bi_ranks_forest_heaviest(const struct bi_ranks_forest_path_max *a, uint32_t u, uint32_t v)
{
    uint32_t heaviest = 0;
    for (int level = 0; u != v; level++) {
        const uint64_t x = a->nodes[a->level_begin[level] + u], y = a->nodes[a->level_begin[level] + v];
        const uint32_t position = (uint32_t)((x > y ? x : y) >> 32);
        heaviest = position > heaviest ? position : heaviest;
        u = (uint32_t)x;
        v = (uint32_t)y;
    }
    return heaviest;
}

BI_FN void bi_step_forest_path_max(const struct bi_ranks_forest_path_max *a, int64_t tile)
{
    struct bi_msf_walk w = bi_msf_walk_tile(&a->rows, tile);
    do {
        const uint32_t v = a->rows.neighbours[w.arc];
        if (v <= w.row || !bi_msf_arc_allowed(&a->rows, w.row, w.arc)) continue;
        const uint64_t id = a->first + bi_msf_arc_id(&a->rows, w.arc);
        if (a->labels[w.row] != a->labels[v]) {
            bi_atomic_min_i64(a->apart, (int64_t)id);
            continue;
        }
        const uint64_t rank = bi_msf_arc_rank(&a->rows, w.arc);
        const uint32_t position = bi_ranks_forest_heaviest(a, w.row, v);
        if (rank < a->ranks[position] || (rank == a->ranks[position] && id < a->edges[position].id))
            bi_atomic_min_i64(a->lighter, (int64_t)id);
    } while (bi_msf_walk_on(&a->rows, &w));
}

/* ---- vertices distributed over ranks ----
 *
 * A rank's edges follow the rounds over the input forest. The heaviest input edge on the path between an edge's ends is
 * the heaviest that the ends' components choose until they are one component. */

/* The input edges of this rank, as edges of the rounds. */
struct bi_ranks_path_max_input {
    const struct bi_ranks_edge *input;
    const uint64_t *ranks;
    struct bi_ranks_forest_edges edges;
};

BI_FN void bi_step_path_max_input(const struct bi_ranks_path_max_input *a, int64_t i)
{
    const struct bi_ranks_edge *e = &a->input[i];
    a->edges.keys[i] = a->edges.ids ? a->ranks[i] : a->ranks[i] << 32 | (e->id - a->edges.first);
    a->edges.ends[i] = (uint64_t)e->a << 32 | e->b;
    if (a->edges.ids) a->edges.ids[i] = e->id;
}

/* Turns the records of this rank's components into the published triples: rank and id of the chosen edge, and the
 * number in the next round. */
struct bi_ranks_path_max_publish {
    uint64_t *records;
    const uint32_t *next;
};

BI_FN void bi_step_path_max_publish(const struct bi_ranks_path_max_publish *a, int64_t c)
{
    a->records[3 * c + 2] = a->next[c];
}

/* Updates the path maximum of an edge. It is finished when its ends are one component; then both are 0. */
struct bi_ranks_path_max_update {
    struct bi_ranks_forest_edges edges; /* ends are compact ids */
    const uint64_t *answers;            /* three words by compact id */
    uint64_t *heaviest;                 /* two words an edge: rank and id */
    int64_t *apart, *lighter;
};

BI_FN bool bi_ranks_path_max_less(uint64_t rank, uint64_t id, const uint64_t *heaviest)
{
    return rank < heaviest[0] || (rank == heaviest[0] && id < heaviest[1]);
}

BI_FN uint64_t bi_ranks_path_max_id(const struct bi_ranks_forest_edges *e, int64_t i)
{
    return e->ids ? e->ids[i] : e->first + (uint32_t)e->keys[i];
}

BI_FN void bi_step_path_max_update(const struct bi_ranks_path_max_update *a, int64_t i)
{
    const uint64_t *u = a->answers + 3 * (a->edges.ends[i] >> 32), *v = a->answers + 3 * (uint32_t)a->edges.ends[i];
    uint64_t *heaviest = a->heaviest + 2 * i;
    const uint64_t id = bi_ranks_path_max_id(&a->edges, i),
                   rank = a->edges.ids ? a->edges.keys[i] : a->edges.keys[i] >> 32;
    a->edges.ends[i] = 0;
    if (u == v) return;
    if (u[1] == BI_RANKS_NO_EDGE || v[1] == BI_RANKS_NO_EDGE) { /* one end's tree is complete */
        bi_atomic_min_i64(a->apart, (int64_t)id);
        return;
    }
    for (int side = 0; side < 2; side++) {
        const uint64_t *chosen = side ? v : u;
        if (bi_ranks_path_max_less(chosen[0], chosen[1], heaviest)) continue;
        heaviest[0] = chosen[0];
        heaviest[1] = chosen[1];
    }
    if (u[2] != v[2])
        a->edges.ends[i] = u[2] << 32 | v[2];
    else if (bi_ranks_path_max_less(rank, id, heaviest))
        bi_atomic_min_i64(a->lighter, (int64_t)id);
}

/* After the last round, edges whose ends differ connect two trees. */
BI_FN void bi_step_path_max_finish(const struct bi_ranks_path_max_update *a, int64_t i)
{
    if (a->edges.ends[i] >> 32 != (uint32_t)a->edges.ends[i])
        bi_atomic_min_i64(a->apart, (int64_t)bi_ranks_path_max_id(&a->edges, i));
}

#endif
