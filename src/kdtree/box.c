/* Searches by boxes: all points in each, as CSR rows. */
#include "core/call.h"
#include "core/csr.h"
#include "kdtree/handle.h"
#include "kdtree/steps/steps.h"

/* Cost of a box, in simple items; chosen. */
enum { BOX_ITEMS = 64 };

/* A search in two calls: count and fill. */
struct box_search {
    const bosc_kdtree *tree;
    int64_t count;
    struct bi_kdtree_rows corners; /* two for each box */
};

/* Stages the boxes as queries. */
static bosc_status stage_boxes(bosc_ctx *ctx, const struct box_search *s, struct bi_kdtree_query *query)
{
    struct bi_kdtree_rows corners = s->corners;
    bool staged = false;
    BI_TRY(bi_kdtree_stage_rows(ctx, s->tree, "boxes", &corners, &staged));
    *query = (struct bi_kdtree_query){.rows = {corners.data, s->count, 2 * corners.stride}};
    return BOSC_OK;
}

static bool supports_boxes(const bosc_kdtree *tree)
{
    return tree->ops->supports_boxes && tree->ops->supports_boxes(tree);
}

static struct bi_kdtree_box make_args(const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    return (struct bi_kdtree_box){.view = tree->ops->view(tree),
                                  .corners = query->rows.data,
                                  .counts = query->counts,
                                  .offsets = query->offsets,
                                  .ids = query->ids,
                                  .wide_ids = tree->opts.id_bits == 64,
                                  .bad = query->bad};
}

static bosc_status count_rows(bosc_ctx *ctx, void *search, int64_t *counts)
{
    const struct box_search *s = search;
    struct bi_kdtree_query query;
    BI_TRY(stage_boxes(ctx, s, &query));
    query.counts = counts;
    if (supports_boxes(s->tree)) return s->tree->ops->box_count(ctx, s->tree, &query);
    const struct bi_kdtree_box args = make_args(s->tree, &query);
    BI_TRY_WITH_COST(ctx, BOX_ITEMS, s->tree->ops->steps->box_count(ctx, s->count, &args));
    return BOSC_OK;
}

static bosc_status fill_rows(bosc_ctx *ctx, void *search, const struct bi_csr_rows *to)
{
    const struct box_search *s = search;
    struct bi_kdtree_query query;
    BI_TRY(stage_boxes(ctx, s, &query));
    query.offsets = to->offsets;
    query.ids = to->columns[0];
    query.bad = to->bad;
    if (supports_boxes(s->tree)) return s->tree->ops->box_fill(ctx, s->tree, &query);
    const struct bi_kdtree_box args = make_args(s->tree, &query);
    BI_TRY_WITH_COST(ctx, BOX_ITEMS, s->tree->ops->steps->box_fill(ctx, s->count, &args));
    return BOSC_OK;
}

bosc_status bosc_kdtree_box(bosc_ctx *ctx, const bosc_kdtree *tree, const void *boxes, int64_t box_count,
                            int64_t *offsets, void *ids, int64_t capacity)
{
    struct box_search s = {.tree = tree, .count = box_count};
    BI_ENTER(ctx);
    BI_TRY(bi_kdtree_check_tree(ctx, tree));
    const int32_t dim = tree->opts.dim;
    BI_TRY(bi_kdtree_check_rows(ctx, tree, "boxes", boxes, "box_count", box_count, 2 * (int64_t)dim, &s.corners));
    BI_TRY(bi_csr_check(ctx, box_count, offsets, ids != NULL, capacity));
    BI_TRY(bi_kdtree_check_answers(ctx, tree, ids, NULL));
    s.corners = (struct bi_kdtree_rows){boxes, 2 * box_count, dim};
    bi_progress_set_total(ctx, (3 + BOX_ITEMS) * (double)box_count);
    if (!ids) BI_RETURN_WITH_SCRATCH(ctx, bi_csr_offsets(ctx, box_count, count_rows, &s, offsets));
    const struct bi_csr_column columns[BI_CSR_COLUMNS] = {{ids, (size_t)tree->opts.id_bits / 8}};
    BI_RETURN_WITH_SCRATCH(ctx, bi_csr_fill(ctx, box_count, offsets, capacity, columns, fill_rows, &s));
}
