/* Checks that arguments are equal on all ranks; gathers the sizes of the ranks' slices. */
#include "ranks/exchange/slices.h"

#include <string.h>

enum { MAX_ARGUMENTS = BI_COMM_MESSAGE / 8 };

bosc_status bi_ranks_check_same(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                const struct bi_ranks_argument *arguments, int32_t count)
{
    int64_t values[MAX_ARGUMENTS];
    const int64_t *first = comm->gather; /* the values of rank 0 */
    for (int32_t i = 0; i < count; i++) values[i] = arguments[i].value;
    BI_TRY(bi_comm_agree(ctx, comm, local_status));
    BI_TRY(bi_comm_all_gather(ctx, comm, values, (size_t)count * sizeof *values, comm->gather));
    for (int32_t i = 0; i < count && local_status == BOSC_OK; i++)
        if (values[i] != first[i])
            local_status = bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld is not the %lld of rank 0", arguments[i].name,
                                   (long long)values[i], (long long)first[i]);
    return bi_comm_agree(ctx, comm, local_status);
}

bosc_status bi_ranks_check_same_number(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const char *name,
                                       double value)
{
    const double *first = comm->gather; /* the number of rank 0 */
    BI_TRY(bi_comm_agree(ctx, comm, local_status));
    BI_TRY(bi_comm_all_gather(ctx, comm, &value, sizeof value, comm->gather));
    if (value != *first)
        local_status = bi_fail(ctx, BOSC_ERR_ARG, "%s: %g is not the %g of rank 0", name, value, *first);
    return bi_comm_agree(ctx, comm, local_status);
}

static size_t slices_bytes(const struct bi_ranks_slices *s)
{
    return (2 * (size_t)s->rank_count + 1) * sizeof(int64_t);
}

bosc_status bi_ranks_slices_begin(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, int64_t n,
                                  struct bi_ranks_slices *s)
{
    *s = (struct bi_ranks_slices){.rank = comm->rank, .rank_count = comm->rank_count};
    s->offsets = local_status == BOSC_OK ? bi_host_alloc(ctx, slices_bytes(s)) : NULL;
    if (local_status == BOSC_OK && !s->offsets) local_status = BOSC_ERR_NOMEM;
    BI_TRY(bi_comm_agree(ctx, comm, local_status));
    s->counts = s->offsets + (s->rank_count + 1);
    BI_TRY(bi_comm_all_gather(ctx, comm, &n, sizeof n, s->counts));
    for (int32_t r = 0; r < s->rank_count; r++) {
        s->offsets[r] = s->total;
        s->total += s->counts[r];
    }
    s->offsets[s->rank_count] = s->total;
    memset(s->counts, 0, (size_t)s->rank_count * sizeof *s->counts);
    return BOSC_OK;
}

void bi_ranks_slices_end(bosc_ctx *ctx, struct bi_ranks_slices *s)
{
    bi_memory_release(&ctx->host, s->offsets, slices_bytes(s));
    *s = (struct bi_ranks_slices){0};
}
