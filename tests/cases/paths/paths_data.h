/* Graphs and calls for the cases of shortest paths. */
#ifndef TESTS_CASES_PATHS_PATHS_DATA_H
#define TESTS_CASES_PATHS_PATHS_DATA_H

#include "cases/forest/forest_data.h"
#include "reference/paths.h"

/* Weights of 0 or more: those of forests, without signs. Integers of the extreme kind are at most a third of their
 * type's range, and some are 0. */
static inline struct forest_graph paths_make(struct suite_random *r, enum forest_shape shape,
                                             enum forest_weights weights, bosc_dtype dtype, int64_t n)
{
    struct forest_graph g = forest_make(r, shape, weights, dtype, n);
    for (int64_t i = 0; i < g.e.m; i++) {
        switch (dtype) {
        case BOSC_F32: ((float *)g.w)[i] = fabsf(((float *)g.w)[i]); break;
        case BOSC_F64: ((double *)g.w)[i] = fabs(((double *)g.w)[i]); break;
        case BOSC_I32: ((int32_t *)g.w)[i] = abs(((int32_t *)g.w)[i] / 2); break;
        case BOSC_I64: ((int64_t *)g.w)[i] = llabs(((int64_t *)g.w)[i] / 2); break;
        default: break;
        }
        if ((dtype == BOSC_U64 || dtype == BOSC_I64) && weights == WEIGHTS_EXTREME) ((uint64_t *)g.w)[i] /= 3;
    }
    return g;
}

struct paths_outputs {
    uint64_t *distances;
    void *predecessors, *edges, *nearest;
    bosc_paths_info info;
};

static inline struct paths_outputs paths_outputs_of(int64_t n)
{
    return (struct paths_outputs){suite_alloc((size_t)n * 8),
                                  suite_alloc((size_t)n * 8),
                                  suite_alloc((size_t)n * 8),
                                  suite_alloc((size_t)n * 8),
                                  {.size = sizeof(bosc_paths_info)}};
}

static inline void paths_outputs_free(struct paths_outputs *o)
{
    free(o->distances);
    free(o->predecessors);
    free(o->edges);
    free(o->nearest);
}

static inline void paths_check(const struct paths_outputs *o, const struct reference_paths *right, int64_t n,
                               int32_t id_bits)
{
    CHECK_EQ(o->info.reached, right->reached);
    for (int64_t v = 0; v < n; v++) {
        CHECK_EQ(o->distances[v], right->distances[v]);
        CHECK_EQ(forest_id(o->predecessors, id_bits, v), right->predecessors[v]);
        CHECK_EQ(forest_id(o->edges, id_bits, v), right->edges[v]);
        CHECK_EQ(forest_id(o->nearest, id_bits, v), right->nearest[v]);
    }
}

#endif
