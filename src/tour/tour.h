/* Tours of points: local search in windows of a tour, and lower bounds. Host code for both backends. */
#ifndef BI_TOUR_TOUR_H
#define BI_TOUR_TOUR_H

#include <boscage/tour.h>

#include "core/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Points and their nearest points. Coordinates are multiplied by a power of two, so that the greatest is below 1. */
struct bi_tour_space {
    int64_t n, dim;
    double *x;      /* (n, dim) */
    uint32_t *near; /* (n, k): the k nearest of each point, but itself; ascending by distance */
    int32_t k;
    int32_t exponent; /* the true length is the length in x times 2^exponent */
    size_t bytes;     /* of the block that x begins */
};

/* Reads the options and checks them with the other arguments. */
bosc_status bi_tour_check(bosc_ctx *ctx, const void *points, int64_t n, int64_t *stride,
                          const bosc_tour_search_opts *opts, bosc_tour_search_opts *full);

/* Reads n rows of points, drops copies of earlier ones, and finds at most k nearest points of each. A tour visits
 * copies one after the other, so they change no length.
 * rows (n): the rows to read; receives the s->n distinct ones, in the same order.
 * first (n): receives, for each row to read, the number of the point that equals it.
 * The caller frees the space, after a failure too. */
bosc_status bi_tour_open_space(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                               const bosc_tour_search_opts *opts, uint32_t *rows, uint32_t *first, int32_t k,
                               struct bi_tour_space *s);
void bi_tour_free_space(bosc_ctx *ctx, struct bi_tour_space *s);

double bi_tour_distance(const struct bi_tour_space *s, uint32_t a, uint32_t b);

/* ---- local search (cpu/window.c) ---- */

/* Arrays of a search. */
struct bi_tour_state {
    uint32_t *tour;     /* (n): the vertex at each position */
    uint32_t *position; /* (n): of each vertex */
    uint32_t *queue;    /* (n): vertices that wait for a search, in the range of their window */
    uint8_t *is_queued; /* (n): by vertex; 0 between searches */
};

/* Shortens the path in each of `windows` equal parts of the tour, by 2-opt and Or-opt moves until none is left. The
 * first and the last vertex of a part stay at their positions. Parts are searched side by side. */
void bi_tour_descend_windows(const bosc_ctx *ctx, const struct bi_tour_space *s, const struct bi_tour_state *t,
                             int64_t windows);

/* The same for the whole tour, by one thread. Returns true if it made a move. */
bool bi_tour_descend(const struct bi_tour_space *s, const struct bi_tour_state *t);

/* Random changes of a round: all rounds make `each` changes a vertex. */
struct bi_tour_kicks {
    int64_t each, round, rounds;
    uint64_t seed;
};

/* Changes the path in each part at random; a change stays if the descent after it gives a path that is not longer. The
 * parts have been descended. */
void bi_tour_kick_windows(const bosc_ctx *ctx, const struct bi_tour_space *s, const struct bi_tour_state *t,
                          int64_t windows, const struct bi_tour_kicks *kicks);

#ifdef __cplusplus
}
#endif
#endif
