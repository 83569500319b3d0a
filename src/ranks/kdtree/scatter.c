/* Scatters rows of k-d trees to ranks, by a bucket for each row. */
#include "ranks/kdtree/kdtree.h"
#include "ranks/steps/steps.h"

/* Fills the scatter's order. counts: (rank_count + 1), host. */
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

static bosc_status allocate_and_order(bosc_ctx *ctx, int32_t ranks, const uint32_t *bucket, const uint32_t *rows,
                                      int64_t n, struct bi_ranks_scatter *scatter, int64_t *counts)
{
    if (!counts) return BOSC_ERR_NOMEM;
    BI_TRY(bi_scratch_of(ctx, n, sizeof *scatter->order, &scatter->order));
    BI_RETURN_WITH_SCRATCH(ctx, order_items(ctx, ranks, bucket, rows, n, scatter->order, counts));
}

bosc_status bi_ranks_kdtree_begin_scatter(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                          const uint32_t *bucket, const uint32_t *rows, int64_t n,
                                          struct bi_ranks_scatter *scatter)
{
    const size_t bytes = (size_t)(comm->rank_count + 1) * sizeof(int64_t);
    int64_t *counts = NULL;
    *scatter = (struct bi_ranks_scatter){.order = NULL};
    if (local_status == BOSC_OK) {
        counts = bi_host_alloc(ctx, bytes);
        local_status = allocate_and_order(ctx, comm->rank_count, bucket, rows, n, scatter, counts);
    }
    bosc_status status = bi_exchange_begin(ctx, comm, local_status, counts, &scatter->x);
    bi_memory_release(&ctx->host, counts, bytes);
    return status;
}

static bosc_status pack_rows(bosc_ctx *ctx, const struct bi_ranks_scatter *scatter, const struct bi_kdtree_rows *rows,
                             int64_t width, size_t size, void **packed)
{
    BI_TRY(bi_scratch_of(ctx, scatter->x.sent * width, size, packed));
    const struct bi_ranks_kdtree_rows gather = {rows->data, *packed, scatter->order, width, rows->stride, 0, size == 8};
    return scatter->x.sent ? ctx->ops->dist->steps->kdtree_gather(ctx, scatter->x.sent * width, &gather) : BOSC_OK;
}

static bosc_status send_rows(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                             const struct bi_ranks_scatter *scatter, const struct bi_kdtree_rows *rows, int64_t width,
                             size_t size, void *received)
{
    void *packed = NULL;
    if (local_status == BOSC_OK) local_status = pack_rows(ctx, scatter, rows, width, size, &packed);
    return bi_exchange_items(ctx, comm, local_status, &scatter->x, (size_t)width * size, packed, received);
}

bosc_status bi_ranks_kdtree_scatter_rows(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                         const struct bi_ranks_scatter *scatter, const struct bi_kdtree_rows *rows,
                                         int64_t width, size_t size, void *received)
{
    BI_RETURN_WITH_SCRATCH(ctx, send_rows(ctx, comm, local_status, scatter, rows, width, size, received));
}
