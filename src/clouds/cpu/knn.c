/* Searches around rows by threads, in turns, since rows differ in cost. */
#include "clouds/cpu/knn.h"

#include "base/bits.h"
#include "base/fault.h"
#include "core/call.h"

/* COST: of a search, in simple items. TURN: rows of a thread at once. Not measured. */
enum { COST = 128, TURN = 256 };

bosc_status bi_cpu_clouds_knn(bosc_ctx *ctx, int64_t n, const void *args, bool *served)
{
    const struct bi_clouds_query *a = args;
    *served = !a->view.is_f64 && a->view.dim == 3 && a->k <= BI_CLOUDS_SHORT;
    if (!*served) return BOSC_OK;
    const int threads = bi_thread_count_by_cost(ctx, n, COST);
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "knn: injected fault");
    struct bi_batches turns = bi_batches_of(ctx, bi_div_up(n, TURN), TURN);
    while (bi_next_batch(ctx, &turns))
        BI_PARALLEL_FOR(threads, (dynamic, 1), t, turns.begin, turns.end,
                        BI_LEVEL_PICK(ctx->level, bi_clouds_find_nearest)(
                            a, (struct bi_span){t * TURN, (t + 1) * TURN < n ? (t + 1) * TURN : n}));
    return turns.status;
}

bosc_status bi_cpu_clouds_radius(bosc_ctx *ctx, int64_t n, const void *args, bool fills, bool *served)
{
    const struct bi_clouds_query *a = args;
    *served = !a->view.is_f64 && a->view.dim == 3;
    if (!*served) return BOSC_OK;
    const int threads = bi_thread_count_by_cost(ctx, n, COST);
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "radius: injected fault");
    struct bi_batches turns = bi_batches_of(ctx, bi_div_up(n, TURN), TURN);
    while (bi_next_batch(ctx, &turns))
        BI_PARALLEL_FOR(threads, (dynamic, 1), t, turns.begin, turns.end,
                        BI_LEVEL_PICK(ctx->level, bi_clouds_find_within)(
                            a, (struct bi_span){t * TURN, (t + 1) * TURN < n ? (t + 1) * TURN : n}, fills));
    return turns.status;
}
