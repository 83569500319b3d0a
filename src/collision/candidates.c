/* Tests the pairs of triangles that share a voxel and whose boxes touch, each once. */
#include "collision/drivers.h"

/* Counts the candidates and lists them, sorted. */
static bosc_status find_candidates(bosc_ctx *ctx, struct bi_collision_frame *frame, struct bi_collision_tests *tests)
{
    const struct bi_collision_steps *steps = ctx->ops->collision->steps;
    int64_t entries = frame->info.entries;
    int a_bits = bi_bit_length((uint64_t)frame->soup.a_count);
    struct bi_collision_candidates found = {.soup = frame->soup,
                                            .keys = frame->keys,
                                            .triangles = frame->triangles,
                                            .entries = entries,
                                            .b_bits = tests->b_bits};
    BI_TRY(bi_scratch_of(ctx, entries + 1, sizeof *found.counts, &found.counts));
    BI_TRY(ctx->backend->fill(ctx, found.counts + entries, 0, sizeof *found.counts));
    BI_TRY_WITH_COST(ctx, BI_COLLISION_TEST_COST, steps->count_candidates(ctx, entries, &found));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, found.counts, entries + 1, found.counts));
    BI_TRY(bi_read_back(ctx, &tests->count, found.counts + entries, sizeof tests->count));
    frame->info.candidates = tests->count;
    if (tests->count == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, tests->count, sizeof *found.candidates, &found.candidates));
    BI_TRY_WITH_COST(ctx, BI_COLLISION_TEST_COST, steps->fill_candidates(ctx, entries, &found));
    tests->candidates = found.candidates;
    return ctx->backend->core->sort_keys(ctx, BOSC_U64, found.candidates, tests->count, found.candidates, 0,
                                         a_bits + tests->b_bits);
}

/* Tests the candidates by error bounds, then the undecided ones exactly. */
static bosc_status run_tests(bosc_ctx *ctx, struct bi_collision_tests *tests)
{
    const struct bi_collision_steps *steps = ctx->ops->collision->steps;
    tests->items = tests->count < BI_COLLISION_EXACT_ITEMS ? tests->count : BI_COLLISION_EXACT_ITEMS;
    BI_TRY(bi_scratch_of(ctx, tests->count, 1, &tests->is_kept));
    BI_TRY(bi_scratch_of(ctx, tests->items * BI_COLLISION_WORK, sizeof *tests->work, &tests->work));
    BI_TRY_WITH_COST(ctx, BI_COLLISION_TEST_COST, steps->test(ctx, tests->count, tests));
    return steps->test_exactly(ctx, tests->items, tests);
}

bosc_status bi_collision_test_candidates(bosc_ctx *ctx, struct bi_collision_frame *frame,
                                         const struct bi_memory *memory, struct bi_block *pairs)
{
    struct bi_collision_tests tests = {.soup = frame->soup,
                                       .b_bits = bi_bit_length((uint64_t)(frame->soup.count - frame->soup.a_count))};
    struct bi_collision_list list = {.soup = frame->soup, .b_bits = tests.b_bits};
    uint64_t *touching;
    void *count;
    if (frame->info.entries == 0) return BOSC_OK;
    BI_TRY(find_candidates(ctx, frame, &tests));
    if (tests.count == 0) return BOSC_OK;
    BI_TRY(run_tests(ctx, &tests));
    BI_TRY(bi_scratch_of(ctx, tests.count, sizeof *touching, &touching));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof frame->info.pairs, &count));
    BI_TRY(ctx->backend->core->compact(ctx, sizeof *touching, tests.candidates, tests.is_kept, tests.count, touching,
                                       count));
    BI_TRY(bi_read_back(ctx, &frame->info.pairs, count, sizeof frame->info.pairs));
    if (frame->info.pairs == 0) return BOSC_OK;
    BI_TRY(bi_block_reserve(ctx, memory, pairs, (size_t)frame->info.pairs * 2 * sizeof(uint32_t)));
    list.touching = touching;
    list.pairs = pairs->data;
    return ctx->ops->collision->steps->list(ctx, frame->info.pairs, &list);
}
