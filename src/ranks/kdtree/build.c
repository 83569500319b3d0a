/* The build: every point learns its piece of the in-order array, goes to the rank of the piece, and becomes a row of
 * that rank's shard. */
#include "base/clock.h"
#include "ranks/kdtree/kdtree.h"
#include "ranks/steps/steps.h"

/* ---- points ---- */

static bosc_status keep_firsts(bosc_ctx *ctx, bosc_ranks_kdtree *tree, const struct bi_ranks_points *points)
{
    const size_t bytes = (size_t)points->given * sizeof *points->firsts;
    BI_TRY(bi_block_reserve(ctx, &tree->memory, &tree->firsts, bytes));
    return bytes ? ctx->backend->copy(ctx, tree->firsts.data, points->firsts, bytes) : BOSC_OK;
}

/* Points, ids and pieces go to their ranks. */
static bosc_status move_points(bosc_ctx *ctx, bosc_ranks_kdtree *tree, const struct bi_ranks_points *points,
                               const uint32_t *pieces, int64_t nodes, const struct bi_ranks_deal *deal)
{
    const int64_t dim = tree->opts.dim, received = deal->x.received;
    const size_t size = bosc_dtype_size(tree->opts.dtype);
    const struct bi_kdtree_rows piece_rows = {pieces, points->rows.n, 1};
    struct bi_kdtree_rows id_rows = {points->ids, points->rows.n, 1};
    void *rows = NULL;
    int64_t *ids = NULL;
    bosc_status local_status = bi_scratch_of(ctx, received * dim, size, &rows);
    BI_TRY(bi_ranks_kdtree_send(ctx, tree->comm, local_status, deal, &points->rows, dim, size, rows));
    local_status = bi_ranks_kdtree_begin_install(ctx, tree, received);
    if (local_status == BOSC_OK && points->firsts) local_status = keep_firsts(ctx, tree, points);
    if (local_status == BOSC_OK && !points->ids) {
        local_status = bi_scratch_of(ctx, points->rows.n, sizeof *ids, &ids);
        const struct bi_ranks_global_ids number = {points->first, ids};
        if (local_status == BOSC_OK && points->rows.n)
            local_status = ctx->ops->dist->steps->global_ids(ctx, points->rows.n, &number);
        id_rows.data = ids;
    }
    BI_TRY(bi_ranks_kdtree_send(ctx, tree->comm, local_status, deal, &id_rows, 1, sizeof *ids, tree->ids.data));
    BI_TRY(bi_ranks_kdtree_send(ctx, tree->comm, BOSC_OK, deal, &piece_rows, 1, sizeof *pieces, tree->pieces.data));
    return bi_ranks_kdtree_install(ctx, tree, BOSC_OK, rows, points, nodes);
}

/* *bucket = the rank of each point. */
static bosc_status find_owners(bosc_ctx *ctx, const struct bi_ranks_cuts *cuts, const uint32_t *pieces, int64_t n,
                               uint32_t *host, uint32_t **bucket)
{
    const int64_t subtrees = (int64_t)1 << cuts->level;
    uint32_t *rank_of;
    for (int64_t r = 0, j = 0; r < cuts->rank_count; r++)
        while (j < bi_ranks_kdtree_first_subtree(cuts, r + 1)) host[j++] = (uint32_t)r;
    BI_TRY(bi_scratch_of(ctx, n, sizeof **bucket, bucket));
    BI_TRY(bi_scratch_of(ctx, subtrees, sizeof *rank_of, &rank_of));
    BI_TRY(ctx->backend->copy(ctx, rank_of, host, (size_t)subtrees * sizeof *rank_of));
    const struct bi_ranks_kdtree_owner owner = {pieces, rank_of, *bucket};
    if (n) BI_TRY(ctx->ops->dist->steps->kdtree_owner(ctx, n, &owner));
    return ctx->backend->sync(ctx); /* which has read `host` then */
}

static bosc_status deal_points(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, int64_t n, int64_t nodes,
                               const uint32_t *pieces, struct bi_ranks_deal *deal)
{
    const struct bi_ranks_cuts cuts = bi_ranks_kdtree_cuts(nodes, tree->comm->rank_count);
    const size_t bytes = sizeof(uint32_t) << cuts.level;
    uint32_t *host = bi_host_alloc(ctx, bytes), *bucket = NULL;
    bosc_status local_status = host ? find_owners(ctx, &cuts, pieces, n, host, &bucket) : BOSC_ERR_NOMEM;
    bi_memory_release(&ctx->host, host, bytes);
    return bi_ranks_kdtree_deal(ctx, tree->comm, local_status, bucket, NULL, n, deal);
}

/* ---- the call ---- */

bosc_status bi_ranks_kdtree_build_kept(bosc_ctx *ctx, bosc_ranks_kdtree *tree, bosc_status local_status,
                                       const struct bi_ranks_points *points, int64_t nodes)
{
    uint32_t *pieces = NULL;
    struct bi_ranks_deal deal;
    BI_TRY(bi_ranks_kdtree_select(ctx, tree, local_status, points, nodes, &pieces));
    bosc_status status = deal_points(ctx, tree, points->rows.n, nodes, pieces, &deal);
    if (status == BOSC_OK) status = move_points(ctx, tree, points, pieces, nodes, &deal);
    bi_exchange_end(ctx, &deal.x);
    return status;
}

static bosc_status build(bosc_ctx *ctx, bosc_ranks_kdtree *tree, struct bi_ranks_points *points,
                         bosc_status local_status)
{
    int64_t nodes = points->total;
    if (tree->side) return bi_ranks_kdtree_build_halves(ctx, tree, local_status, points);
    if (tree->opts.duplicates == BOSC_KDTREE_DUPLICATES_REMOVE) {
        BI_TRY(bi_ranks_kdtree_unique(ctx, tree, local_status, points, &nodes));
        local_status = BOSC_OK;
    }
    return bi_ranks_kdtree_build_kept(ctx, tree, local_status, points, nodes);
}

static bosc_status build_staged(bosc_ctx *ctx, bosc_ranks_kdtree *tree, struct bi_ranks_points *points,
                                bosc_status local_status)
{
    const int64_t n = local_status == BOSC_OK ? points->rows.n : 0;
    BI_TRY(bi_comm_offset(ctx, tree->comm, local_status, n, &points->first, &points->total));
    if (tree->opts.id_bits == 32 && points->total >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld points of all ranks; ids of 32 bits name less than 2^32 - 1",
                       (long long)points->total);
    points->given = n;
    local_status = bi_ranks_kdtree_stage(ctx, tree, "points", points->first, &points->rows);
    return build(ctx, tree, points, local_status);
}

static bosc_status check_build(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *points, int64_t n,
                               int64_t stride, struct bi_kdtree_rows *rows)
{
    BI_TRY(bi_ranks_kdtree_check(ctx, tree));
    BI_TRY(bi_kdtree_check_size(ctx, n));
    return bi_kdtree_check_rows(ctx, tree->shard, "points", points, "n", n, stride, rows);
}

bosc_status bosc_ranks_kdtree_build(bosc_ctx *ctx, bosc_ranks_kdtree *tree, const void *points, int64_t n,
                                    int64_t stride)
{
    struct bi_ranks_points given = {.since = bi_now()};
    BI_ENTER(ctx);
    if (!tree) return bi_ranks_kdtree_check(ctx, tree);
    bosc_status local_status = check_build(ctx, tree, points, n, stride, &given.rows);
    bi_progress_set_total(ctx, 80 * (double)given.rows.n);
    BI_RETURN_WITH_SCRATCH(ctx, build_staged(ctx, tree, &given, local_status));
}
