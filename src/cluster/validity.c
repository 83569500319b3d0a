/* Density-based validity of clusters (DBCV): trees of clusters by Prim's method, all clusters at once. */
#include <math.h>

#include "base/elementary.h"
#include "cluster/members.h"
#include "cluster/scale.h"
#include "cluster/steps/steps.h"
#include "core/check.h"

/* The results of a cluster on the host. */
struct measures {
    int64_t *begin;
    uint64_t *all, *within, *separation;
};

/* Allocates the arrays of the trees. */
static bosc_status allocate_trees(bosc_ctx *ctx, struct bi_cluster_validity *a)
{
    const int64_t count = a->m.count, clusters = a->m.clusters;
    BI_TRY(bi_scratch_of(ctx, count, sizeof *a->core, &a->core));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *a->distance, &a->distance));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *a->turn, &a->turn));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *a->parent, &a->parent));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *a->degree, &a->degree));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *a->inner, &a->inner));
    BI_TRY(bi_scratch_of(ctx, clusters, sizeof *a->last, &a->last));
    BI_TRY(bi_scratch_of(ctx, clusters, sizeof *a->next, &a->next));
    BI_TRY(bi_scratch_of(ctx, clusters, sizeof *a->least, &a->least));
    BI_TRY(bi_scratch_of(ctx, clusters, sizeof *a->all, &a->all));
    return bi_scratch_of(ctx, clusters, sizeof *a->within, &a->within);
}

/* Builds the spanning trees: one point of every cluster joins in each turn. */
static bosc_status build_trees(bosc_ctx *ctx, struct bi_cluster_validity *a, int64_t largest)
{
    const struct bi_cluster_steps *steps = ctx->ops->cluster->steps;
    const int64_t count = a->m.count, clusters = a->m.clusters;
    BI_TRY(ctx->backend->fill(ctx, a->least, 0xff, (size_t)clusters * sizeof *a->least));
    BI_TRY(ctx->backend->fill(ctx, a->next, 0xff, (size_t)clusters * sizeof *a->next));
    BI_TRY(steps->validity_begin(ctx, count, a));
    for (int64_t turn = 1; turn < largest; turn++) {
        a->now = (uint32_t)turn;
        BI_TRY(steps->validity_advance(ctx, count, a));
        BI_TRY(steps->validity_propose(ctx, count, a));
        BI_TRY(steps->validity_join(ctx, clusters, a));
    }
    BI_TRY_WITH_COST(ctx, (double)largest, steps->validity_attach(ctx, count, a));
    return BOSC_OK;
}

/* Finds the longest edges of the trees, and the separations of their inner points. */
static bosc_status measure_trees(bosc_ctx *ctx, struct bi_cluster_validity *a)
{
    const struct bi_cluster_steps *steps = ctx->ops->cluster->steps;
    const struct bi_core_ops *core = ctx->backend->core;
    const int64_t count = a->m.count;
    const size_t bytes = (size_t)a->m.clusters * sizeof *a->all;
    uint32_t *list;
    int64_t *found;
    BI_TRY(bi_scratch_of(ctx, count, sizeof *list, &list));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *found, &found));
    BI_TRY(ctx->backend->fill(ctx, a->all, 0xff, bytes));
    BI_TRY(ctx->backend->fill(ctx, a->within, 0xff, bytes));
    BI_TRY(steps->validity_mark(ctx, count, a));
    BI_TRY(steps->validity_measure(ctx, count, a));
    BI_TRY(core->iota(ctx, sizeof *list, a->degree, count)); /* degrees are used up */
    BI_TRY(core->compact(ctx, sizeof *list, a->degree, a->inner, count, list, found));
    BI_TRY(bi_read_back(ctx, &a->inner_count, found, sizeof a->inner_count));
    a->list = list;
    BI_TRY(steps->validity_clear(ctx, a->m.clusters, a));
    BI_TRY_WITH_COST(ctx, (double)count, steps->validity_separate(ctx, a->inner_count, a));
    return BOSC_OK;
}

/* Returns the validity of a cluster. */
static double score_of(const struct measures *m, int64_t c)
{
    const int64_t size = m->begin[c + 1] - m->begin[c];
    const double sparseness = bi_f64_from_bits(~(m->within[c] == UINT64_MAX ? m->all[c] : m->within[c])),
                 separation = bi_f64_from_bits(m->separation[c]);
    if (size < 2) return 0;
    if (separation == (double)INFINITY || (separation == 0 && sparseness == 0)) return BI_QUIET_NAN;
    return (separation - sparseness) / (separation > sparseness ? separation : sparseness);
}

/* Computes the validities of clusters on the host, and their sum by numbers of points. */
static bosc_status compute_staged(bosc_ctx *ctx, struct bi_cluster_validity *a, double *scores, double *index)
{
    const size_t clusters = (size_t)a->m.clusters, bytes = clusters * sizeof(uint64_t);
    struct measures m = {.begin = NULL};
    double *found, factor[2];
    void *staged;
    int64_t largest = 1;
    /* 1. The members, at any scale: scores are ratios. The first position of each cluster. */
    BI_TRY(bi_members_gather(ctx, &a->m));
    BI_TRY(bi_cluster_make_ordinary(ctx, a->m.count, a->m.dim, a->m.x, factor));
    BI_TRY(bi_host_scratch(ctx, 5 * bytes + sizeof *m.begin, &staged));
    m.begin = staged;
    m.all = (uint64_t *)(m.begin + clusters + 1);
    m.within = m.all + clusters;
    m.separation = m.within + clusters;
    found = (void *)(m.separation + clusters);
    BI_TRY(bi_read_back(ctx, m.begin, a->m.begin, bytes + sizeof *m.begin));
    for (size_t c = 0; c < clusters; c++) largest = bi_max_i64(largest, m.begin[c + 1] - m.begin[c]);
    /* 2. Trees and separations. A turn is two passes; core distances and parents are at most one for each point. */
    bi_progress_set_total(ctx, (4 * (double)largest + (double)a->m.count) * (double)a->m.count);
    BI_TRY(allocate_trees(ctx, a));
    BI_TRY_WITH_COST(ctx, (double)largest, ctx->ops->cluster->steps->validity_core(ctx, a->m.count, a));
    BI_TRY(build_trees(ctx, a, largest));
    BI_TRY(measure_trees(ctx, a));
    BI_TRY(ctx->backend->copy(ctx, m.all, a->all, bytes));
    BI_TRY(ctx->backend->copy(ctx, m.within, a->within, bytes));
    BI_TRY(bi_read_back(ctx, m.separation, a->least, bytes));
    /* 3. Scores. */
    *index = 0;
    for (size_t c = 0; c < clusters; c++) {
        const int64_t size = m.begin[c + 1] - m.begin[c];
        found[c] = score_of(&m, (int64_t)c);
        if (size > 1) *index += (double)size / (double)a->m.n * found[c];
    }
    if (*index != *index) *index = BI_QUIET_NAN;
    if (scores) BI_TRY(ctx->backend->copy(ctx, scores, found, clusters * sizeof *scores));
    return ctx->backend->sync(ctx);
}

bosc_status bosc_cluster_compute_validity(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                          const bosc_cluster_opts *opts, const void *labels, int64_t clusters,
                                          double *scores, double *index)
{
    bosc_cluster_opts full;
    struct bi_cluster_validity a = {
        .m = {.points = points, .stride = stride, .labels = labels, .n = n, .clusters = clusters}};
    double found = 0;
    BI_ENTER(ctx);
    BI_TRY(bi_members_check(ctx, opts, &full, &a.m));
    BI_TRY(bi_check_aligned(ctx, "scores", scores, sizeof *scores));
    a.raw = full.raw_distances != 0;
    if (n > 0) BI_TRY_WITH_SCRATCH(ctx, compute_staged(ctx, &a, scores, &found));
    if (index) *index = found;
    return BOSC_OK;
}
