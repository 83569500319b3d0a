/* The table of trees on the CPU. Steps are compiled for each CPU level, since they count and search bits. */
#if defined(__AVX512F__) && defined(__AVX512CD__)
#include "cbt/cpu/decode_avx512.h" /* before the steps, which then use it */
#endif
#include "base/search.h"
#include "cbt/cpu/cpu.h"
#include "core/cpu/level.h"

#include "core/steps.h"

#define BI_STEP BI_STEP_CPU
#undef BI_STEP_COST
#define BI_STEP_COST 16 /* an item takes 5 to 200 ns (measured) */
#include "cbt/steps/steps.def"
#undef BI_STEP_COST
#define BI_STEP_COST 64 /* a block of 1,024 bits takes 20 to 50 ns (measured) */
#undef BI_STEP_WEIGHT
#define BI_STEP_WEIGHT 8
#include "cbt/cpu/steps.def"
#undef BI_STEP

static const struct bi_cbt_steps steps = {
#define BI_STEP(name, args_t) .name = cpu_step_##name,
#include "cbt/steps/steps.def"
#undef BI_STEP
};

static const struct bi_cbt_cpu_steps cpu_steps = {
#define BI_STEP(name, args_t) .name = cpu_step_##name,
#include "cbt/cpu/steps.def"
#undef BI_STEP
};

/* Calls the caller's function for the leaves of a block, and records the commands it returns. */
static void visit_block(const bosc_cbt_view *v, int64_t block, bosc_cbt_visit_fn visit, void *user)
{
    int64_t leaf = v->ranks[block];
    for (int64_t word = block * BI_CBT_WORDS; word < (block + 1) * BI_CBT_WORDS; word++) {
        for (uint64_t left = v->bits[word]; left; left &= left - 1, leaf++) {
            uint64_t position = (uint64_t)word * 64 + (uint64_t)bosc_cbt_trailing_zeros(left);
            uint64_t node = bosc_cbt_node(position, bosc_cbt_log2_size_at(v, position), v->depth);
            bosc_cbt_command command = visit(user, leaf, node);
            if (command == BOSC_CBT_SPLIT) bosc_cbt_mark_split(v, node);
            if (command == BOSC_CBT_MERGE) bosc_cbt_mark_merge(v, node);
        }
    }
}

static bosc_status for_each(bosc_ctx *ctx, const bosc_cbt_view *view, bosc_cbt_visit_fn visit, void *user)
{
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "for_each: injected fault");
    struct bi_batches p = bi_batches_of(ctx, bosc_cbt_leaf_count(view), BI_CBT_LEAF_ITEMS);
    while (bi_next_batch(ctx, &p)) { /* blocks whose first leaf is in the part */
        const int64_t first = bi_lower_bound_i64(view->ranks, view->blocks, p.begin);
        const int64_t end = bi_lower_bound_i64(view->ranks, view->blocks, p.end);
#pragma omp parallel for schedule(dynamic) num_threads(ctx->threads) if (end - first > 1)
        for (int64_t block = first; block < end; block++) visit_block(view, block, visit, user);
    }
    return p.status;
}

extern const struct bi_cbt_ops BI_LEVEL_NAME(bi_cbt_ops_cpu);
const struct bi_cbt_ops BI_LEVEL_NAME(bi_cbt_ops_cpu) = {.steps = &steps,
                                                         .cpu_steps = &cpu_steps,
                                                         .change_scratch = bi_cbt_cpu_scratch,
                                                         .install_scratch = bi_cbt_cpu_scratch,
                                                         .decode = bi_cbt_cpu_decode,
                                                         .change = bi_cbt_cpu_change,
                                                         .install = bi_cbt_cpu_install,
                                                         .for_each = for_each,
                                                         .for_each_in_heap = bi_cbt_cpu_for_each_in_heap,
                                                         .reduce_heap = bi_cbt_cpu_reduce_heap};
