/* The steps of the proof of distances and predecessors. */
#ifndef BI_PATHS_STEPS_VERIFY_H
#define BI_PATHS_STEPS_VERIFY_H

#include "paths/steps/rows.h"

/* The first faults, in the backend's memory; INT64_MAX: none. */
struct bi_paths_faults {
    int64_t source;   /* a source that is not at distance 0, or has a predecessor */
    int64_t number;   /* a vertex with a distance that is none, or beyond the limit */
    int64_t arc;      /* an arc that leads to its vertex at less than the distance */
    int64_t vertex;   /* a vertex without distance, but with a predecessor; or whose predecessor is no vertex */
    int64_t loose;    /* a vertex that does not attain its distance from its predecessor */
    int64_t unrooted; /* a vertex from which predecessors do not lead to a source */
    uint64_t flat;    /* vertices at the distance of their predecessor */
};

struct bi_paths_proof {
    struct bi_paths_rows rows;
    const uint64_t *distances;
    const void *predecessors; /* the caller's, or NULL */
    bool is_64bit;            /* ids of the caller */
    const void *sources;
    uint32_t *above; /* n: predecessors with 32 bits; sources are their own; BI_PATHS_NONE */
    uint32_t *attained;
    struct bi_paths_faults *faults;
};

/* Reads vertex v's predecessor. Sources are set afterwards. */
BI_FN void bi_step_paths_verify_vertex(const struct bi_paths_proof *a, int64_t v)
{
    const uint64_t at = a->distances[v], none = a->is_64bit ? UINT64_MAX : UINT32_MAX;
    const bool reached = at != a->rows.none;
    if (reached && at >= a->rows.bound) bi_atomic_min_i64(&a->faults->number, v);
    if (!a->predecessors) return;
    const uint64_t p = bi_word(a->predecessors, a->is_64bit, v);
    a->attained[v] = 0;
    a->above[v] = p < (uint64_t)a->rows.n ? (uint32_t)p : BI_PATHS_NONE;
    if (reached ? p != none && p >= (uint64_t)a->rows.n : p != none) bi_atomic_min_i64(&a->faults->vertex, v);
}

BI_FN void bi_step_paths_verify_source(const struct bi_paths_proof *a, int64_t i)
{
    const uint32_t s = (uint32_t)bi_word(a->sources, a->is_64bit, i);
    if (a->distances[s] != 0) bi_atomic_min_i64(&a->faults->source, s);
    if (!a->predecessors) return;
    if (bi_word(a->predecessors, a->is_64bit, s) != (a->is_64bit ? UINT64_MAX : UINT32_MAX))
        bi_atomic_min_i64(&a->faults->source, s);
    bi_atomic_store_u32(&a->above[s], s);
    bi_atomic_store_u32(&a->attained[s], 1);
}

/* faults->arc: an arc that leads to less than a distance. Flags the vertices that attain their distance by an arc from
 * their predecessor. */
BI_FN void bi_step_paths_verify_arcs(const struct bi_paths_proof *a, int64_t item)
{
    const struct bi_paths_rows *r = &a->rows;
    struct bi_paths_walk w = bi_paths_walk_item(r, item);
    while (bi_paths_walk_next(r, &w)) {
        const uint32_t v = r->neighbours[w.arc];
        const uint64_t from = a->distances[w.row];
        if (from >= r->none) continue;
        const uint64_t sum = bi_paths_add(r, from, w.arc);
        if (sum < r->bound && sum < a->distances[v]) bi_atomic_min_i64(&a->faults->arc, w.arc);
        if (a->predecessors && sum == a->distances[v] && a->above[v] == w.row && v != w.row)
            bi_atomic_store_u32(&a->attained[v], 1);
    }
}

BI_FN void bi_step_paths_verify_attained(const struct bi_paths_proof *a, int64_t v)
{
    if (a->distances[v] == a->rows.none) return;
    if (!a->attained[v])
        bi_atomic_min_i64(&a->faults->loose, v);
    else if (a->above[v] != v && a->distances[a->above[v]] == a->distances[v])
        bi_atomic_fetch_add_u64(&a->faults->flat, 1);
}

/* After the jumps every vertex with a distance is below a source, the only vertices without predecessor. A cycle may
 * have become a vertex above itself. Without the caller's predecessors `above` is a tree: all vertices of it are
 * rooted. */
BI_FN void bi_step_paths_verify_roots(const struct bi_paths_proof *a, int64_t v)
{
    const uint32_t up = a->above[v];
    if (a->distances[v] >= a->rows.none) return;
    const bool rooted = a->predecessors
                            ? bi_word(a->predecessors, a->is_64bit, up) == (a->is_64bit ? UINT64_MAX : UINT32_MAX)
                            : up != BI_PATHS_NONE;
    if (!rooted) bi_atomic_min_i64(&a->faults->unrooted, v);
}

#endif
