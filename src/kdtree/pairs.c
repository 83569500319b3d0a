/* Pairs of points within a distance, of one tree or of two: the nodes of the first are queries of the second. */
#include <math.h>

#include "core/call.h"
#include "core/csr.h"
#include "kdtree/metric.h"

struct pairs {
    const bosc_kdtree *tree, *searched;
    bool later; /* i < j */
    double radius;
    bosc_kdtree_query_opts opts;
};

static bosc_status stage_search(bosc_ctx *ctx, const struct pairs *s, struct bi_kdtree_metric_search *a)
{
    const void *radius;
    bool staged = false;
    *a = (struct bi_kdtree_metric_search){
        .view = s->searched->ops->view(s->searched), .later = s->later, .wide_ids = s->searched->opts.id_bits == 64};
    BI_TRY(bi_kdtree_stage_metric(ctx, "tree", s->tree, &s->opts, &a->metric));
    if (s->searched != s->tree) BI_TRY(bi_kdtree_stage_metric(ctx, "other", s->searched, &s->opts, &a->metric));
    BI_TRY(bi_stage_in(ctx, &s->radius, sizeof s->radius, &radius, &staged));
    a->bounds = radius;
    return bi_kdtree_place_nodes(ctx, s->tree, &a->metric, &a->queries, &a->numbers);
}

static bosc_status count_rows(bosc_ctx *ctx, void *pairs, int64_t *counts)
{
    const struct pairs *s = pairs;
    struct bi_kdtree_metric_search a;
    BI_TRY(stage_search(ctx, s, &a));
    a.counts = counts;
    BI_TRY_WITH_COST(ctx, BI_KDTREE_METRIC_ITEMS, s->tree->ops->steps->query_count(ctx, s->tree->nodes, &a));
    return BOSC_OK;
}

static bosc_status fill_rows(bosc_ctx *ctx, void *pairs, const struct bi_csr_rows *to)
{
    const struct pairs *s = pairs;
    struct bi_kdtree_metric_search a;
    BI_TRY(stage_search(ctx, s, &a));
    a.offsets = to->offsets;
    a.ids = to->columns[0];
    a.distances = to->columns[1];
    a.bad = to->bad;
    BI_TRY_WITH_COST(ctx, BI_KDTREE_METRIC_ITEMS, s->tree->ops->steps->query_fill(ctx, s->tree->nodes, &a));
    return BOSC_OK;
}

bosc_status bosc_kdtree_pairs(bosc_ctx *ctx, const bosc_kdtree *tree, const bosc_kdtree *other, double radius,
                              const bosc_kdtree_query_opts *opts, int64_t *offsets, void *ids, double *distances,
                              int64_t capacity)
{
    struct pairs s = {.tree = tree, .searched = other ? other : tree, .later = !other, .radius = radius};
    BI_ENTER(ctx);
    BI_TRY(bi_kdtree_check_has_rows(ctx, tree));
    BI_TRY(bi_kdtree_check_other(ctx, tree, s.searched));
    BI_TRY(bi_kdtree_check_pair_opts(ctx, tree, opts, &s.opts));
    if (!(radius >= 0)) return bi_fail(ctx, BOSC_ERR_ARG, "radius: %g is not 0 or more", radius);
    BI_TRY(bi_csr_check(ctx, tree->nodes, offsets, ids != NULL, capacity));
    BI_TRY(bi_check_aligned(ctx, "ids", ids, (size_t)s.searched->opts.id_bits / 8));
    BI_TRY(bi_check_aligned(ctx, "distances", distances, sizeof *distances));
    bi_progress_set_total(ctx, (16 + BI_KDTREE_METRIC_ITEMS) * (double)tree->nodes);
    if (!ids) BI_RETURN_WITH_SCRATCH(ctx, bi_csr_offsets(ctx, tree->nodes, count_rows, &s, offsets));
    const struct bi_csr_column columns[BI_CSR_COLUMNS] = {{ids, (size_t)s.searched->opts.id_bits / 8},
                                                          {distances, sizeof *distances}};
    BI_RETURN_WITH_SCRATCH(ctx, bi_csr_fill(ctx, tree->nodes, offsets, capacity, columns, fill_rows, &s));
}
