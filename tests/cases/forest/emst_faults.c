/* Each allocation, copy and launch of bosc_emst_compute fails in turn. */
#include <stdlib.h>
#include <string.h>

#include "support/faults.h"
#include "cases/kdtree/kdtree_data.h"

enum { MOST = 300, FEW = 60 };

struct subject {
    struct reference_points points;
    int32_t id_bits;
    int64_t pairs[2 * MOST], right_pairs[2 * MOST];
    double dist2[MOST], right_dist2[MOST];
};

static bosc_status call(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    const struct reference_points *p = &s->points;
    return bosc_emst_compute(ctx, p->data, p->n, p->stride,
                             &(bosc_emst_opts){sizeof(bosc_emst_opts), p->dtype, p->dim, s->id_bits}, s->pairs,
                             s->dist2);
}

static void prepare(void *user)
{
    struct subject *s = user;
    memset(s->pairs, 0x77, sizeof s->pairs);
    memset(s->dist2, 0x77, sizeof s->dist2);
}

static bool untouched(void *user)
{
    struct subject *s = user;
    for (int i = 0; i < 2 * MOST; i++)
        if (s->pairs[i] != 0x7777777777777777) return false;
    return memcmp(s->pairs, s->dist2, sizeof s->dist2) == 0;
}

static bool right(void *user)
{
    struct subject *s = user;
    return memcmp(s->pairs, s->right_pairs, sizeof s->pairs) == 0 &&
           memcmp(s->dist2, s->right_dist2, sizeof s->dist2) == 0;
}

static void faults(bosc_ctx *ctx)
{
    /* The last trial joins copies. */
    for (int trial = 0; trial < 3; trial++) {
        const bool wide = trial == 1;
        struct suite_random r = {(uint64_t)trial};
        int64_t n = trial == 2 ? MOST : suite_slow(ctx) ? 20 : FEW;
        struct subject s = {.points =
                                kd_points(&r, wide ? BOSC_F64 : BOSC_F32, 2, n, 3, trial == 2 ? KD_EQUAL : KD_RANDOM),
                            .id_bits = wide ? 64 : 32};
        struct fault_sweep sweep = {
            .call = call, .prepare = prepare, .untouched = untouched, .right = right, .user = &s};
        prepare(&s);
        CHECK_OK(ctx, call(ctx, &s));
        memcpy(s.right_pairs, s.pairs, sizeof s.pairs);
        memcpy(s.right_dist2, s.dist2, sizeof s.dist2);
        CHECK(fault_sweep(ctx, &sweep) > 3);
        free((void *)s.points.data);
    }
}

static const struct suite_case suite_cases_emst_faults[] = {{"faults", faults, NULL}};
SUITE(emst_faults);
