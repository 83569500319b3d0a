/* The driver of the word-complement join: over segments of words by the backend's own means, and by sorts, word for
 * word, where there are none or too many vertices agree. */
#include "cellgraph/driver.h"

/* Bits by which the join sorts: runs of vertices that agree by chance have about one member more. */
static int join_bits(int64_t count) { return (bi_bit_length((uint64_t)count) + 7) / 8 * 8; }

/* The long runs of one word, whose varying letters are replaced. */
static bosc_status join_long_runs(bosc_ctx *ctx, struct bi_cell_join *join, const uint32_t *places)
{
    int64_t count = join->probe.view.count, *place;
    uint32_t *runs;
    if (!join->probe.dictionary.hashes) /* once for all words */
        BI_TRY(bi_cell_dictionary_of(ctx, &join->probe.view, &join->probe.dictionary));
    struct bi_mark mark = bi_arena_mark(ctx);
    BI_TRY(bi_cell_scratch(ctx, 1, sizeof *place, &place));
    BI_TRY(bi_cell_scratch(ctx, count, 4, &runs));
    BI_TRY(ctx->backend->core->compact(ctx, 4, places, join->long_heads, count, runs, place));
    BI_TRY(bi_read_back(ctx, &join->run_count, place, sizeof *place));
    join->runs = runs;
    BI_TRY(bi_cell_scratch(ctx, join->run_count, 4, &join->ends));
    BI_TRY(bi_cell_scratch(ctx, join->run_count, 8, &join->vary));
    BI_TRY(ctx->backend->fill(ctx, join->vary, 0, (size_t)join->run_count * 8));
    BI_TRY(BI_CELL_STEP(ctx, cell_run_end, join->run_count, join));
    BI_TRY(BI_CELL_STEP(ctx, cell_vary, count, join));
    BI_TRY(BI_CELL_STEP(ctx, cell_long_run, count, join));
    bi_arena_rewind(ctx, mark);
    return BOSC_OK;
}

/* Edges in words `begin` to `end` - 1, by sorts. */
static bosc_status join_words(bosc_ctx *ctx, const struct bi_cell_view *view, const struct bi_cell_found *found,
                              int32_t begin, int32_t end)
{
    struct bi_cell_join join = {.probe = {.view = *view, .found = *found}, .shift = 64 - join_bits(view->count)};
    struct bi_cell_iota iota;
    uint64_t *sorted;
    uint32_t *order, any_long;
    BI_TRY(bi_cell_scratch(ctx, view->count, 8, &join.keys));
    BI_TRY(bi_cell_scratch(ctx, view->count, 8, &sorted));
    BI_TRY(bi_cell_scratch(ctx, view->count, 4, &order));
    BI_TRY(bi_cell_scratch(ctx, view->count, 4, &iota.numbers));
    BI_TRY(bi_cell_scratch(ctx, view->count, 1, &join.long_heads));
    BI_TRY(bi_cell_scratch(ctx, 1, sizeof any_long, &join.any_long));
    join.sorted = sorted;
    join.order = order;
    BI_TRY(BI_CELL_STEP(ctx, cell_iota, view->count, &iota));
    for (join.word = begin; join.word < end; join.word++) {
        BI_TRY(bi_progress(ctx, "join", (double)join.word / view->shape.words));
        BI_TRY(ctx->backend->fill(ctx, join.any_long, 0, sizeof any_long));
        BI_TRY(BI_CELL_STEP(ctx, cell_rest, view->count, &join));
        BI_TRY(ctx->backend->core->sort_pairs(ctx, BOSC_U64, join.keys, 4, iota.numbers, view->count, sorted, order,
                                              join.shift, 64));
        BI_TRY(BI_CELL_STEP(ctx, cell_run, view->count, &join));
        BI_TRY(bi_read_back(ctx, &any_long, join.any_long, sizeof any_long));
        if (any_long) BI_TRY(join_long_runs(ctx, &join, iota.numbers));
    }
    return BOSC_OK;
}

const struct bi_cell_team *bi_cell_team_of(const bosc_ctx *ctx)
{
#ifdef BOSC_HAVE_CUDA
    if (ctx->backend->id == BOSC_BACKEND_CUDA) return &bi_cell_team_cuda;
#endif
    (void)ctx;
    return &bi_cell_team_cpu;
}

bosc_status bi_cell_join_all(bosc_ctx *ctx, const struct bi_cell_segments *segments)
{
    const struct bi_cell_team *team = bi_cell_team_of(ctx);
    if (!team->join) return join_words(ctx, &segments->view, &segments->found, 0, segments->view.shape.words);
    return team->join(ctx, segments);
}

/* Keeps the first `count` edges, less those of skewed segments. */
static bosc_status forget(bosc_ctx *ctx, const struct bi_cell_segments *segments, int64_t count)
{
    const struct bi_cell_found *found = &segments->found;
    struct bi_cell_keep keep = {.found = *found, .shape = segments->view.shape, .span = segments->span};
    struct bi_mark mark = bi_arena_mark(ctx);
    BI_TRY(bi_cell_scratch(ctx, count, 8, &keep.edges));
    BI_TRY(bi_cell_scratch(ctx, count, 4, &keep.positions));
    keep.skewed = segments->skewed;
    BI_TRY(ctx->backend->copy(ctx, keep.edges, found->edges, (size_t)count * 8));
    BI_TRY(ctx->backend->copy(ctx, keep.positions, found->positions, (size_t)count * 4));
    BI_TRY(ctx->backend->fill(ctx, found->count, 0, 8));
    BI_TRY(BI_CELL_STEP(ctx, cell_keep, count, &keep));
    bi_arena_rewind(ctx, mark);
    return BOSC_OK;
}

bosc_status bi_cell_join_skewed(bosc_ctx *ctx, const struct bi_cell_segments *segments, int64_t count)
{
    enum { CHUNK = 16 }; /* flags that are read back at once */
    uint32_t flags[CHUNK] = {0};
    int32_t words = segments->view.shape.words;
    BI_TRY(forget(ctx, segments, count));
    for (int32_t g = 0; g < segments->count; g++) {
        int32_t left = segments->count - g, begin = g * segments->span, end = begin + segments->span;
        if (g % CHUNK == 0)
            BI_TRY(bi_read_back(ctx, flags, segments->skewed + g,
                                sizeof(uint32_t) * (size_t)(left < CHUNK ? left : CHUNK)));
        if (!flags[g % CHUNK]) continue;
        struct bi_mark mark = bi_arena_mark(ctx);
        BI_TRY(join_words(ctx, &segments->view, &segments->found, begin, end < words ? end : words));
        bi_arena_rewind(ctx, mark);
    }
    return BOSC_OK;
}
