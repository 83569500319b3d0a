/* Searches by boxes: all points in each, as CSR rows. */
#include "core/call.h"
#include "core/csr.h"
#include "kdtree/handle.h"
#include "kdtree/steps/steps.h"

/* A box takes as long as so many simple items. */
enum { BOX_ITEMS = 64 };

/* A search in two calls. */
struct box_search {
    const bosc_kdtree *tree;
    int64_t count;
    struct bi_kdtree_rows corners; /* two for each box */
};

/* Arguments of the steps, with the corners in reach. */
static bosc_status stage(bosc_ctx *ctx, const struct box_search *s, struct bi_kdtree_box *args)
{
    struct bi_kdtree_rows corners = s->corners;
    bool staged = false;
    BI_TRY(bi_kdtree_stage_rows(ctx, s->tree, "boxes", &corners, &staged));
    *args = (struct bi_kdtree_box){
        .view = s->tree->ops->view(s->tree), .corners = corners.data, .wide_ids = s->tree->opts.id_bits == 64};
    return BOSC_OK;
}

static bosc_status count_rows(bosc_ctx *ctx, void *search, int64_t *counts)
{
    const struct box_search *s = search;
    struct bi_kdtree_box args;
    BI_TRY(stage(ctx, s, &args));
    args.counts = counts;
    BI_TRY_WEIGHED(ctx, BOX_ITEMS, s->tree->ops->steps->box_count(ctx, s->count, &args));
    return BOSC_OK;
}

static bosc_status fill_rows(bosc_ctx *ctx, void *search, const struct bi_csr_rows *to)
{
    const struct box_search *s = search;
    struct bi_kdtree_box args;
    BI_TRY(stage(ctx, s, &args));
    args.offsets = to->offsets;
    args.ids = to->columns[0];
    args.bad = to->bad;
    BI_TRY_WEIGHED(ctx, BOX_ITEMS, s->tree->ops->steps->box_fill(ctx, s->count, &args));
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
    bi_expect(ctx, (3 + BOX_ITEMS) * (double)box_count);
    if (!ids) BI_RETURN_WITH_SCRATCH(ctx, bi_csr_offsets(ctx, box_count, count_rows, &s, offsets));
    const struct bi_csr_column columns[BI_CSR_COLUMNS] = {{ids, (size_t)tree->opts.id_bits / 8}};
    BI_RETURN_WITH_SCRATCH(ctx, bi_csr_fill(ctx, box_count, offsets, capacity, columns, fill_rows, &s));
}
