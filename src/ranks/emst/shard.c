/* A rank's own work: the spanning tree of its shard, since any other edge between its points is the longest of a
 * cycle, and contraction by edges shorter than all that may lead to other ranks. */
#include "core/call.h"
#include "ranks/emst/emst.h"

static bosc_status allocate_list(bosc_ctx *ctx, int64_t room, struct bi_ranks_list *list)
{
    BI_TRY(bi_ranks_forest_allocate_list(ctx, room, true, list));
    list->count = 0;
    return BOSC_OK;
}

static bosc_status allocate_arrays(struct bi_ranks_emst *e)
{
    bosc_ctx *ctx = e->ctx;
    const bosc_kdtree_opts *o = &e->tree->opts;
    BI_TRY(bi_scratch_of(ctx, e->n * o->dim, bosc_dtype_size(o->dtype), &e->rows));
    BI_TRY(bi_scratch_of(ctx, e->n, sizeof *e->all, &e->all));
    BI_TRY(bi_scratch_of(ctx, e->n, sizeof *e->points.label, &e->points.label));
    BI_TRY(bi_scratch_of(ctx, e->n, sizeof *e->points.nearest_label, &e->points.nearest_label));
    BI_TRY(bi_scratch_of(ctx, e->n, sizeof *e->points.lower_bound, &e->points.lower_bound));
    BI_TRY(bi_scratch_of(ctx, e->n, 3 * sizeof *e->found.records, &e->found.records));
    BI_TRY(allocate_list(ctx, 2 * e->n, &e->edges));
    return allocate_list(ctx, 2 * e->n, &e->spare);
}

/* Fetches the shard's nodes as rows in the order of their ids. */
static bosc_status fetch_rows(struct bi_ranks_emst *e)
{
    bosc_ctx *ctx = e->ctx;
    const int64_t dim = e->tree->opts.dim;
    const size_t size = bosc_dtype_size(e->tree->opts.dtype);
    const struct bi_ranks_kdtree_iota iota = {e->all};
    struct bi_ranks_kdtree_rows scatter = {.out = e->rows, .width = dim, .stride = dim, .is_64bit = size == 8};
    void *nodes;
    uint32_t *order;
    BI_TRY(bi_scratch_of(ctx, e->n * dim, size, &nodes));
    BI_TRY(bi_scratch_of(ctx, e->n, sizeof *order, &order));
    BI_TRY(bosc_kdtree_get_nodes(ctx, e->tree->shard, nodes, order));
    scatter.in = nodes;
    scatter.order = order;
    BI_TRY(e->steps->kdtree_iota(ctx, e->n, &iota));
    return e->steps->kdtree_scatter(ctx, e->n * dim, &scatter);
}

struct bi_ranks_kdtree_reach bi_ranks_emst_reach_of(const struct bi_ranks_emst *e, const void *rows, int64_t n)
{
    struct bi_ranks_kdtree_reach reach =
        bi_ranks_kdtree_reach_of(e->tree, &(struct bi_kdtree_rows){rows, n, e->tree->opts.dim});
    reach.search = BI_RANKS_OTHER;
    reach.own = (uint32_t)e->comm->rank;
    return reach;
}

static bosc_status compute_shard_tree(struct bi_ranks_emst *e)
{
    const struct bi_ranks_emst_init init = {bi_ranks_emst_reach_of(e, e->rows, e->n), e->points, e->single};
    const struct bi_ranks_emst_pair_ids pair_ids = {e->edges.ends, e->tree->ids.data, e->edges.ids};
    BI_TRY(e->steps->emst_init(e->ctx, e->n, &init));
    BI_TRY(bi_emst_of_tree(e->ctx, e->tree->shard, e->n, !e->single, e->edges.ends, e->edges.keys));
    e->edges.count = e->n - 1;
    return e->steps->emst_pair_ids(e->ctx, e->edges.count, &pair_ids);
}

/* Runs Boruvka's rounds while some component's shortest edge is shorter than all that may lead to other ranks. */
static bosc_status contract_rounds(struct bi_ranks_emst *e, int64_t *count)
{
    struct bi_ranks_emst_components c;
    struct bi_ranks_emst_min_bounds min_bounds = {e->points, NULL};
    int64_t previous = 0;
    BI_TRY(bi_ranks_emst_allocate(e, e->n, 1, &c));
    BI_TRY(bi_scratch_of(e->ctx, e->n, sizeof *min_bounds.least_bound, &min_bounds.least_bound));
    const struct bi_ranks_emst_withhold withhold = {c.records, min_bounds.least_bound};
    c.is_unfinished = true;
    while (c.count != previous) {
        previous = c.count;
        BI_TRY(bi_ranks_emst_record_edges(e, &c));
        BI_TRY(e->ctx->backend->fill(e->ctx, min_bounds.least_bound, 0xff,
                                     (size_t)c.count * sizeof *min_bounds.least_bound));
        BI_TRY(e->steps->emst_min_bounds(e->ctx, e->n, &min_bounds));
        BI_TRY(e->steps->emst_withhold(e->ctx, c.count, &withhold));
        BI_TRY(bi_ranks_emst_merge_components(e, &c, 0, c.count, &e->found));
    }
    *count = c.count;
    return BOSC_OK;
}

bosc_status bi_ranks_emst_fetch_points(struct bi_ranks_emst *e)
{
    BI_TRY(allocate_arrays(e));
    if (e->n == 0) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(e->ctx, fetch_rows(e));
}

bosc_status bi_ranks_emst_contract_shard(struct bi_ranks_emst *e, int64_t *count)
{
    *count = 0;
    if (e->n == 0) return BOSC_OK;
    BI_TRY(compute_shard_tree(e));
    BI_RETURN_WITH_SCRATCH(e->ctx, contract_rounds(e, count));
}
