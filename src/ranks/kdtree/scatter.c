/* Items of distributed k-d trees that go to ranks, by a bucket of each. */
#include "ranks/kdtree/kdtree.h"
#include "ranks/steps/steps.h"

/* The deal's order; counts: (rank_count), and one more, host. */
static bosc_status order_items(bosc_ctx *ctx, int32_t ranks, const uint32_t *bucket, const uint32_t *rows, int64_t n,
                               uint32_t *order, int64_t *counts)
{
    int64_t *offsets;
    uint32_t *bad, *all;
    for (int32_t r = 0; r < ranks; r++) counts[r] = 0;
    if (n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, (int64_t)ranks + 1, sizeof *offsets, &offsets));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *bad, &bad));
    BI_TRY(ctx->backend->fill(ctx, bad, 0, sizeof *bad));
    if (!rows) {
        BI_TRY(bi_scratch_of(ctx, n, sizeof *all, &all));
        const struct bi_ranks_kdtree_iota iota = {all};
        BI_TRY(ctx->ops->dist->steps->kdtree_iota(ctx, n, &iota));
        rows = all;
    }
    BI_TRY(ctx->backend->core->split(ctx, sizeof *order, rows, bucket, n, ranks, order, offsets, bad));
    BI_TRY(ctx->backend->copy(ctx, counts, offsets, (size_t)(ranks + 1) * sizeof *counts));
    BI_TRY(ctx->backend->sync(ctx));
    for (int32_t r = 0; r < ranks; r++) counts[r] = counts[r + 1] - counts[r];
    return BOSC_OK;
}

static bosc_status order_with_scratch(bosc_ctx *ctx, int32_t ranks, const uint32_t *bucket, const uint32_t *rows,
                                      int64_t n, struct bi_ranks_deal *deal, int64_t *counts)
{
    if (!counts) return BOSC_ERR_NOMEM;
    BI_TRY(bi_scratch_of(ctx, n, sizeof *deal->order, &deal->order));
    BI_RETURN_WITH_SCRATCH(ctx, order_items(ctx, ranks, bucket, rows, n, deal->order, counts));
}

bosc_status bi_ranks_kdtree_deal(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const uint32_t *bucket,
                                 const uint32_t *rows, int64_t n, struct bi_ranks_deal *deal)
{
    const size_t bytes = (size_t)(comm->rank_count + 1) * sizeof(int64_t);
    int64_t *counts = NULL;
    *deal = (struct bi_ranks_deal){.order = NULL};
    if (local_status == BOSC_OK) {
        counts = bi_host_alloc(ctx, bytes);
        local_status = order_with_scratch(ctx, comm->rank_count, bucket, rows, n, deal, counts);
    }
    bosc_status status = bi_exchange_begin(ctx, comm, local_status, counts, &deal->x);
    bi_memory_release(&ctx->host, counts, bytes);
    return status;
}

static bosc_status pack(bosc_ctx *ctx, const struct bi_ranks_deal *deal, const struct bi_kdtree_rows *rows,
                        int64_t width, size_t size, void **packed)
{
    BI_TRY(bi_scratch_of(ctx, deal->x.sent * width, size, packed));
    const struct bi_ranks_kdtree_rows gather = {rows->data, *packed, deal->order, width, rows->stride, 0, size == 8};
    return deal->x.sent ? ctx->ops->dist->steps->kdtree_gather(ctx, deal->x.sent * width, &gather) : BOSC_OK;
}

static bosc_status send(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const struct bi_ranks_deal *deal,
                        const struct bi_kdtree_rows *rows, int64_t width, size_t size, void *received)
{
    void *packed = NULL;
    if (local_status == BOSC_OK) local_status = pack(ctx, deal, rows, width, size, &packed);
    return bi_exchange_items(ctx, comm, local_status, &deal->x, (size_t)width * size, packed, received);
}

bosc_status bi_ranks_kdtree_send(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                 const struct bi_ranks_deal *deal, const struct bi_kdtree_rows *rows, int64_t width,
                                 size_t size, void *received)
{
    BI_RETURN_WITH_SCRATCH(ctx, send(ctx, comm, local_status, deal, rows, width, size, received));
}
