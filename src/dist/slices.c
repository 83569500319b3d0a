/* Arguments that ranks share, and slices. */
#include "dist/slices.h"

#include <string.h>

enum { MOST_ARGUMENTS = BI_COMM_MESSAGE / 8 };

bosc_status bi_dist_same(bosc_ctx *ctx, bosc_comm *comm, bosc_status mine, const struct bi_dist_argument *arguments,
                         int32_t count)
{
    int64_t values[MOST_ARGUMENTS];
    const int64_t *first = comm->gather; /* those of rank 0 */
    for (int32_t i = 0; i < count; i++) values[i] = arguments[i].value;
    BI_TRY(bi_comm_agree(ctx, comm, mine));
    BI_TRY(bi_comm_all_gather(ctx, comm, values, (size_t)count * sizeof *values, comm->gather));
    for (int32_t i = 0; i < count && mine == BOSC_OK; i++)
        if (values[i] != first[i])
            mine = bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld is not the %lld of rank 0", arguments[i].name,
                           (long long)values[i], (long long)first[i]);
    return bi_comm_agree(ctx, comm, mine);
}

static size_t bytes_of(const struct bi_dist_slices *s) { return (2 * (size_t)s->rank_count + 1) * sizeof(int64_t); }

bosc_status bi_dist_slices_begin(bosc_ctx *ctx, bosc_comm *comm, bosc_status mine, int64_t n, struct bi_dist_slices *s)
{
    *s = (struct bi_dist_slices){.rank = comm->rank, .rank_count = comm->rank_count};
    s->offsets = mine == BOSC_OK ? bi_host_alloc(ctx, bytes_of(s)) : NULL;
    if (mine == BOSC_OK && !s->offsets) mine = BOSC_ERR_NOMEM;
    BI_TRY(bi_comm_agree(ctx, comm, mine));
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

void bi_dist_slices_end(bosc_ctx *ctx, struct bi_dist_slices *s)
{
    bi_memory_release(&ctx->host, s->offsets, bytes_of(s));
    *s = (struct bi_dist_slices){0};
}
