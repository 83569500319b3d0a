/* Searches of neighbour lists on the CPU: atoms are searched around by threads, in turns, since rows differ in cost. */
#include "neighborlist/cpu/search.h"

#include "base/bits.h"
#include "base/fault.h"

/* COST: of a search, in simple items. TURN: atoms of a thread at once. Not measured. */
enum { COST = 512, TURN = 256 };

/* Runs a kernel on the positions of all turns. */
static bosc_status run_turns(bosc_ctx *ctx, int64_t n, const struct bi_neighborlist_search *a,
                             void (*kernel)(const struct bi_neighborlist_search *a, struct bi_span part))
{
    const int threads = bi_thread_count_by_cost(ctx, n, COST);
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "search: injected fault");
    struct bi_batches turns = bi_batches_of(ctx, bi_div_up(n, TURN), TURN);
    while (bi_next_batch(ctx, &turns))
        BI_PARALLEL_FOR(threads, (dynamic, 1), t, turns.begin, turns.end,
                        kernel(a, (struct bi_span){t * TURN, (t + 1) * TURN < n ? (t + 1) * TURN : n}));
    return turns.status;
}

bosc_status bi_neighborlist_cpu_count_rows(bosc_ctx *ctx, int64_t n, const void *args)
{
    return run_turns(ctx, n, args, BI_LEVEL_PICK(ctx->level, bi_neighborlist_search_kernels)->count);
}

bosc_status bi_neighborlist_cpu_fill_rows(bosc_ctx *ctx, int64_t n, const void *args)
{
    return run_turns(ctx, n, args, BI_LEVEL_PICK(ctx->level, bi_neighborlist_search_kernels)->fill);
}
