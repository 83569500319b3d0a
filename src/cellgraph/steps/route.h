/* Paths without stored edges: a search from both ends by A*, whose neighbours are found by flipping bits. Source: Hart,
 * Nilsson, Raphael, A Formal Basis for the Heuristic Determination of Minimum Cost Paths (1968).
 *
 * A flip changes the Hamming distance to the other end (the target) by one. So a vertex reached over g edges has g plus
 * its distance = the distance of the ends + 2 b, where its bucket b counts the flips away from the target. Round r
 * looks for a path of distance + 2 r edges: side 0 expands vertices less than half of these from its end (rounded up),
 * side 1 the others (rounded down); flips toward the target keep the bucket, flips away from it lead to bucket r at
 * most. Then a vertex reached by both sides, as far as each goes, is the middle of a path; without one no path is that
 * short. */
#ifndef BI_CELLGRAPH_STEPS_ROUTE_H
#define BI_CELLGRAPH_STEPS_ROUTE_H

#include "cellgraph/steps/lookup.h"

#define BI_CELLGRAPH_UNREACHED UINT32_MAX

/* One end's search. A vertex is listed in `toward` when it is reached, and in `away` once its flips toward the target
 * are made. Lists grow from the begin with vertices that this round expands, from the end with others, which wait. */
struct bi_cellgraph_side {
    const uint64_t *target; /* (words) the vector of the other end */
    uint32_t *buckets;      /* (vertices) BI_CELLGRAPH_UNREACHED at first */
    uint32_t *toward, *away;
    uint32_t *counts; /* entries of toward from the begin, from the end; of away from the begin, from the end */
    uint32_t limit;   /* vertices with fewer edges from this side's end are expanded */
};
enum {
    BI_CELLGRAPH_TOWARD, /* lists of odd number wait */
    BI_CELLGRAPH_TOWARD_WAIT,
    BI_CELLGRAPH_AWAY,
    BI_CELLGRAPH_AWAY_WAIT,
    BI_CELLGRAPH_ROUTE_LISTS
};

/* The search, and its present wave: the flips of one kind, toward or away, of the entries from `first` on of a list. */
struct bi_cellgraph_route {
    struct bi_cellgraph_view view;
    struct bi_cellgraph_dictionary dictionary;
    const uint8_t *mask; /* (vertices) 0 removes a vertex; NULL: none */
    struct bi_cellgraph_side side[2];
    uint32_t distance; /* of the ends */
    uint32_t round;
    int32_t which;  /* the wave's side */
    int32_t list;   /* the wave's list: BI_CELLGRAPH_TOWARD, ... */
    int64_t first;  /* the wave's first entry of the list */
    uint32_t *path; /* vertices, from end to end; BI_CELLGRAPH_UNREACHED at first */
    int64_t at;     /* entry of the path whose neighbour is looked for */
};

/* Finds the vertex that differs from v in the bits of word s. Returns -1 if there is none. */
BI_FN int64_t bi_cellgraph_find_flipped(const struct bi_cellgraph_route *a, int64_t v, int32_t s, uint64_t bits)
{
    const struct bi_cellgraph_dictionary *d = &a->dictionary;
    const uint64_t *x = bi_cellgraph_row(&a->view, v), word = x[s] ^ bits, seed = a->view.seeds[s];
    const uint64_t hash = a->view.hashes[v] - bi_cellgraph_hash(x[s], seed) + bi_cellgraph_hash(word, seed);
    const uint32_t wanted = bi_cellgraph_filter_bits(hash);
    if ((*bi_cellgraph_filter_word(d, hash) & wanted) != wanted) return -1;
    const uint64_t entry = hash >> (64 - d->index_bits);
    for (uint32_t q = d->starts[entry]; q < d->starts[entry + 1]; q++) {
        const uint64_t *y = bi_cellgraph_row(&a->view, d->order[q]);
        if (d->hashes[q] == hash && y[s] == word && bi_cellgraph_equal_except(x, y, a->view.shape.words, s))
            return d->order[q];
    }
    return -1;
}

/* Returns the number of edges between the side's own end and v, which the side has reached. */
BI_FN uint32_t bi_cellgraph_edges_to(const struct bi_cellgraph_route *a, const struct bi_cellgraph_side *side,
                                     int64_t v)
{
    const uint64_t *x = bi_cellgraph_row(&a->view, v);
    uint32_t left = 0;
    for (int32_t s = 0; s < a->view.shape.words; s++) left += (uint32_t)bi_popcount(x[s] ^ side->target[s]);
    return a->distance + 2 * side->buckets[v] - left;
}

/* Appends a vertex to a list, from its begin, or from its end if it waits. */
BI_FN void bi_cellgraph_list_vertex(const struct bi_cellgraph_route *a, const struct bi_cellgraph_side *side,
                                    uint32_t *entries, int32_t list, bool waits, uint32_t v)
{
    const uint32_t at = bi_atomic_fetch_add_u32(&side->counts[list + waits], 1);
    entries[waits ? a->view.count - 1 - at : at] = v;
}

/* Lists a reached vertex for its flips toward the target; it waits from the side's limit on. */
BI_FN void bi_cellgraph_list_reached(const struct bi_cellgraph_route *a, const struct bi_cellgraph_side *side,
                                     int64_t v)
{
    bi_cellgraph_list_vertex(a, side, side->toward, BI_CELLGRAPH_TOWARD,
                             bi_cellgraph_edges_to(a, side, v) >= side->limit, (uint32_t)v);
}

/* Returns the vertex of an entry of a list. */
BI_FN uint32_t bi_cellgraph_listed(const struct bi_cellgraph_route *a, const struct bi_cellgraph_side *side,
                                   int32_t list, int64_t entry)
{
    const uint32_t *entries = list < BI_CELLGRAPH_AWAY ? side->toward : side->away;
    return entries[list & 1 ? a->view.count - 1 - entry : entry];
}

/* Flips letter i % length of entry i / length, if that is a flip of the wave's kind. Lists a neighbour that this side
 * reaches for the first time. */
BI_FN void bi_step_cellgraph_flip(const struct bi_cellgraph_route *a, int64_t i)
{
    const struct bi_cellgraph_side *side = &a->side[a->which];
    const int64_t length = a->view.shape.length, letter = i % length;
    const uint32_t v = bi_cellgraph_listed(a, side, a->list, a->first + i / length);
    const int32_t s = (int32_t)(letter / 64);
    const uint64_t bit = 1ull << (letter % 64);
    const bool is_toward = a->list < BI_CELLGRAPH_AWAY;
    if (letter == 0 && is_toward)
        bi_cellgraph_list_vertex(a, side, side->away, BI_CELLGRAPH_AWAY, side->buckets[v] >= a->round, v);
    if (((bi_cellgraph_row(&a->view, v)[s] ^ side->target[s]) & bit ? 1 : 0) != is_toward) return;
    const int64_t u = bi_cellgraph_find_flipped(a, v, s, bit);
    if (u < 0 || (a->mask && !a->mask[u]) || bi_atomic_load_u32(&side->buckets[u]) != BI_CELLGRAPH_UNREACHED) return;
    if (bi_atomic_cas_u32(&side->buckets[u], BI_CELLGRAPH_UNREACHED, side->buckets[v] + !is_toward))
        bi_cellgraph_list_reached(a, side, u);
}

/* Lists the end of side i, path[i] at first. */
BI_FN void bi_step_cellgraph_begin_side(const struct bi_cellgraph_route *a, int64_t i)
{
    const struct bi_cellgraph_side *side = &a->side[i];
    const uint32_t end = a->path[i];
    side->buckets[end] = 0;
    bi_cellgraph_list_reached(a, side, end);
    a->path[i] = BI_CELLGRAPH_UNREACHED;
}

/* Lowers the middle of the path to the vertex of a waiting entry of side 1, if side 0 reached it at its limit. */
BI_FN void bi_step_cellgraph_find_middle(const struct bi_cellgraph_route *a, int64_t i)
{
    const uint32_t v = bi_cellgraph_listed(a, &a->side[1], BI_CELLGRAPH_TOWARD_WAIT, a->first + i);
    if (a->side[0].buckets[v] != BI_CELLGRAPH_UNREACHED && bi_cellgraph_edges_to(a, &a->side[0], v) == a->side[0].limit)
        bi_atomic_min_u32(&a->path[a->side[0].limit], v);
}

/* Lowers the next vertex of the path to the neighbour by letter i, if it is one edge nearer to the end of the side. */
BI_FN void bi_step_cellgraph_descend(const struct bi_cellgraph_route *a, int64_t i)
{
    const struct bi_cellgraph_side *side = &a->side[a->which];
    const uint32_t v = a->path[a->at];
    const int64_t u = bi_cellgraph_find_flipped(a, v, (int32_t)(i / 64), 1ull << (i % 64));
    if (u >= 0 && side->buckets[u] != BI_CELLGRAPH_UNREACHED &&
        bi_cellgraph_edges_to(a, side, u) + 1 == bi_cellgraph_edges_to(a, side, v))
        bi_atomic_min_u32(&a->path[a->which == 0 ? a->at - 1 : a->at + 1], (uint32_t)u);
}

#endif
