/* The sum reduction of the published heap (Dupuy 2020) on the CPU: level by level, from the bits up. */
#include "base/fault.h"
#include "cbt/cpu/cpu.h"
#include "core/cpu/threads.h"

enum { ITEMS = 1024 /* words a thread at least: less work than a barrier costs is not shared. Not measured */ };

bosc_status bi_cbt_cpu_reduce_heap(bosc_ctx *ctx, const struct bi_cbt_reduction *a)
{
    const bosc_cbt_heap_view *v = &a->view;
    const int64_t words = bi_cbt_bit_words(v->depth);
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "reduce_heap: injected fault");
#pragma omp parallel for num_threads(bi_thread_count(ctx, words, ITEMS))
    for (int64_t word = 0; word < words; word++) bi_cbt_change_bits(a, word);
    for (int32_t level = v->depth - 1; level >= 6; level--) {
        const struct bi_cbt_heap sums = bi_cbt_level_of(v, level);
        const int64_t n = bi_cbt_level_words(v->depth, level);
#pragma omp parallel for num_threads(bi_thread_count(ctx, n, ITEMS))
        for (int64_t i = 0; i < n; i++) bi_step_cbt_heap_level(&sums, i);
    }
    bi_cbt_reduce_top(v);
    return bi_progress_advance(ctx, 8 * (double)words);
}

/* Visits leaves, found by descending the sums, which do not change meanwhile. */
bosc_status bi_cbt_cpu_for_each_in_heap(bosc_ctx *ctx, const bosc_cbt_heap_view *view, bosc_cbt_visit_fn visit,
                                        void *user)
{
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "for_each: injected fault");
    struct bi_batches p = bi_batches_of(ctx, bosc_cbt_heap_leaf_count(view), BI_CBT_LEAF_ITEMS);
    while (bi_next_batch(ctx, &p)) {
#pragma omp parallel for schedule(dynamic, ITEMS / 8) num_threads(ctx->threads) if (p.end - p.begin > 1)
        for (int64_t leaf = p.begin; leaf < p.end; leaf++) {
            const uint64_t node = bosc_cbt_heap_leaf_node(view, leaf);
            const bosc_cbt_command command = visit(user, leaf, node);
            if (command == BOSC_CBT_SPLIT) bosc_cbt_heap_mark_split(view, node);
            if (command == BOSC_CBT_MERGE) bosc_cbt_heap_mark_merge(view, node);
        }
    }
    return p.status;
}
