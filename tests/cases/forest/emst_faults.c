/* Each allocation, copy and launch of bosc_emst_compute, bosc_emst_compute_mutual, bosc_emst_compute_minkowski,
 * bosc_emst_verify and bosc_emst_find_replacements fails in turn. */
#include <stdlib.h>
#include <string.h>

#include "support/faults.h"
#include "cases/kdtree/kdtree_data.h"

enum { MOST = 300, FEW = 60 };

struct subject {
    struct reference_points points;
    int32_t id_bits;
    int64_t min_samples;  /* 0: Euclidean lengths */
    double order;         /* of bosc_emst_compute_minkowski; 0: of squares */
    const int64_t *given; /* a tree to prove, with a wrong edge, or to replace; NULL: the call computes one */
    bool replaces;
    bosc_emst_fault fault, right_fault;
    int64_t pairs[2 * MOST], right_pairs[2 * MOST];
    double dist2[MOST], right_dist2[MOST], core[MOST], right_core[MOST];
};

static bosc_status call(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    const struct reference_points *p = &s->points;
    const bosc_emst_opts o = {sizeof o, p->dtype, p->dim, s->id_bits};
    if (s->replaces)
        return bosc_emst_find_replacements(ctx, p->data, p->n, p->stride, &o, s->min_samples, s->given, s->pairs,
                                           s->dist2);
    if (s->given) {
        const bosc_status status =
            bosc_emst_verify(ctx, p->data, p->n, p->stride, &o, s->min_samples, s->given, &s->fault);
        return status == BOSC_ERR_DATA ? BOSC_OK : status; /* the answer of these calls */
    }
    if (s->order > 0)
        return bosc_emst_compute_minkowski(ctx, p->data, p->n, p->stride, &o, s->order, s->min_samples, s->pairs,
                                           s->dist2, s->core);
    if (s->min_samples)
        return bosc_emst_compute_mutual(ctx, p->data, p->n, p->stride, &o, s->min_samples, s->pairs, s->dist2, s->core);
    return bosc_emst_compute(ctx, p->data, p->n, p->stride, &o, s->pairs, s->dist2);
}

static void prepare(void *user)
{
    struct subject *s = user;
    memset(s->pairs, 0x77, sizeof s->pairs);
    memset(s->dist2, 0x77, sizeof s->dist2);
    memset(s->core, 0x77, sizeof s->core);
    s->fault = (bosc_emst_fault){.size = sizeof s->fault, .row = 77};
}

static bool untouched(void *user)
{
    struct subject *s = user;
    for (int i = 0; i < 2 * MOST; i++)
        if (s->pairs[i] != 0x7777777777777777) return false;
    if (s->fault.row != 77) return false;
    return memcmp(s->pairs, s->dist2, sizeof s->dist2) == 0 && memcmp(s->pairs, s->core, sizeof s->core) == 0;
}

static bool right(void *user)
{
    struct subject *s = user;
    return memcmp(s->pairs, s->right_pairs, sizeof s->pairs) == 0 &&
           memcmp(s->dist2, s->right_dist2, sizeof s->dist2) == 0 &&
           memcmp(s->core, s->right_core, sizeof s->core) == 0 &&
           memcmp(&s->fault, &s->right_fault, sizeof s->fault) == 0;
}

static void faults(bosc_ctx *ctx)
{
    /* Trial 2 joins copies, trials 3, 5, 7 and 8 are under mutual reachability, trials 4 and 5 prove a tree. Trials 6
     * and 7 are of orders 1 and 3, trial 8 replaces edges of copies. */
    for (int trial = 0; trial < 9; trial++) {
        const bool wide = trial == 1;
        struct suite_random r = {(uint64_t)trial};
        int64_t n = trial == 2 || trial == 8 ? MOST : suite_slow(ctx) ? 20 : FEW;
        struct subject s = {.points = kd_points(&r, wide ? BOSC_F64 : BOSC_F32, 2, n, 3,
                                                trial == 2 || trial == 8 ? KD_EQUAL : KD_RANDOM),
                            .id_bits = wide || trial >= 4 ? 64 : 32,
                            .min_samples = trial == 3 || trial == 5 || trial >= 7 ? 4 : 0,
                            .order = trial == 6   ? 1
                                     : trial == 7 ? 3
                                                  : 0};
        int64_t path[2 * MOST]; /* no minimum tree of random points */
        for (int i = 0; i < 2 * MOST; i++) path[i] = (i + 1) / 2;
        struct fault_sweep sweep = {
            .call = call, .prepare = prepare, .untouched = untouched, .right = right, .user = &s};
        if (trial == 4 || trial == 5 || trial == 8) s.given = path;
        s.replaces = trial == 8;
        prepare(&s);
        CHECK_OK(ctx, call(ctx, &s));
        s.right_fault = s.fault;
        memcpy(s.right_pairs, s.pairs, sizeof s.pairs);
        memcpy(s.right_dist2, s.dist2, sizeof s.dist2);
        memcpy(s.right_core, s.core, sizeof s.core);
        CHECK(fault_sweep(ctx, &sweep) > 3);
        free((void *)s.points.data);
    }
}

static const struct suite_case suite_cases_emst_faults[] = {{"faults", faults, NULL}};
SUITE(emst_faults);
