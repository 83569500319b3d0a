/* Steps of the proof that a forest is minimum, with vertices distributed over ranks. A rank's edges follow the rounds
 * over the input forest. The heaviest input edge on the path between an edge's ends is the heaviest that the ends'
 * components choose until they are one component. */
#ifndef BI_RANKS_STEPS_FOREST_PATH_MAX_H
#define BI_RANKS_STEPS_FOREST_PATH_MAX_H

#include "ranks/steps/forest_sharded.h"

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
