/* The fast builder: passes of up to 4 levels through global memory, then a block for each small subtree. */
#include <cmath>

#include "core/call.h"
#include "kdtree/cuda/sampled/multilevel_pass.cuh"

enum { MOST_PASSES = 8 };

struct plan {
    int32_t levels, passes; /* levels above the blocks' subtrees */
    int block_log;
    bi_kdtree_pass pass[MOST_PASSES];
    /* The most that a pass needs, in elements. */
    size_t segments, bins, list_bins, kept, side;
};

/* Nodes of the largest subtree of a level: with one more, sizes halve, rounded up. */
static int64_t largest_subtree(int64_t n, int level) { return bi_div_up(n + 1, (int64_t)1 << level) - 1; }

/* Many segments keep the device busy with a block each; and where there are few points, fewer launches are worth more
 * than narrow brackets. */
static uint32_t sample_size(int64_t points, uint32_t segments, int64_t n)
{
    bool small = segments >= 128 || n < 1 << 21;
    uint32_t most = small ? (uint32_t)BI_KDTREE_SMALL_SAMPLE : points >= 1 << 22 ? 1 << 17 : 1 << 16;
    while (most > points) most /= 2;
    return most;
}

/* Room of the side lists. A bracket is expected to hold deviations / sqrt(sample of the node) of a node's points; its
 * own scatter, a bin at either end, and a few points for small nodes come on top. */
static void plan_side(bi_kdtree_pass *pass)
{
    double left_out = 1 - (double)pass->samples / pass->largest;
    uint32_t first = 0;
    for (int j = 0; j < pass->levels; j++) {
        double points = (double)pass->largest / (1 << j), sample = (double)pass->samples / (1 << j);
        double inside = pass->deviations * sqrt(sample * (left_out > 0 ? left_out : 0)) + 4;
        double limit = points * (inside * (1 + 6.5 / sqrt(inside)) / sample + 0.008) + 96;
        pass->side_limit[j] = (uint32_t)fmin(limit, points + 1);
        pass->side_first[j] = first;
        first += pass->side_limit[j] << j;
    }
    pass->side_capacity = first;
}

/* How lists are resolved: long ones by several blocks. */
static void plan_lists(bi_kdtree_pass *pass)
{
    pass->counted = pass->side_limit[0] > BI_KDTREE_LONG_LIST;
    pass->list_log = pass->counted ? 11 : 9;
    for (int j = 0; j < pass->levels; j++) {
        uint32_t limit = pass->side_limit[j], each = (uint32_t)bi_div_up(limit, BI_KDTREE_MOST_CHUNKS);
        each = limit <= BI_KDTREE_LONG_LIST  ? limit
               : each < BI_KDTREE_LIST_CHUNK ? (uint32_t)BI_KDTREE_LIST_CHUNK
                                             : each;
        pass->chunk_size[j] = each;
        pass->chunks[j] = (uint32_t)bi_div_up(limit, each);
    }
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* Half a bracket, in standard deviations of a sampled median. In clusters the points that a pivot puts on the wrong
 * side may all lie on one side of the next median, so that errors add up over the levels of a pass. On a line they do:
 * at the fourth level, wide brackets are of 5 deviations that count, narrow ones of 2.5. */
static const float narrow_brackets = 6.5f, wide_brackets = 14;

/* block_log: the largest that the device allows. */
static void plan_build(struct plan *plan, int64_t n, int block_log, float deviations)
{
    *plan = {};
    plan->block_log = block_log < BI_KDTREE_BLOCK_LOG ? block_log : BI_KDTREE_BLOCK_LOG;
    while (largest_subtree(n, plan->levels) > (int64_t)1 << plan->block_log) plan->levels++;
    if (plan->levels % BI_KDTREE_PASS_LEVELS == 1 && block_log > plan->block_log &&
        largest_subtree(n, plan->levels - 1) <= (int64_t)2 << plan->block_log) {
        plan->levels--;
        plan->block_log++;
    }
    plan->passes = (int32_t)bi_div_up(plan->levels, BI_KDTREE_PASS_LEVELS);
    int32_t level = 0;
    for (int q = 0; q < plan->passes; q++) {
        bi_kdtree_pass *pass = &plan->pass[q];
        pass->n = n;
        pass->level = level;
        pass->levels = (int32_t)bi_div_up(plan->levels - level, plan->passes - q);
        pass->segments = 1u << level;
        pass->largest = (uint32_t)largest_subtree(n, level);
        pass->samples = sample_size(pass->largest - 1, pass->segments, n);
        pass->sample_chunk = 8192;
        pass->sample_blocks = (uint32_t)bi_div_up(pass->samples, pass->sample_chunk);
        pass->deviations = deviations;
        plan_side(pass);
        plan_lists(pass);
        const size_t segments = pass->segments;
        plan->segments = segments;
        if (pass->sample_blocks > 1) plan->bins = segments * 8 * BI_KDTREE_BINS;
        if (pass->counted) plan->list_bins = segments * BI_KDTREE_CELLS * BI_KDTREE_LIST_BINS;
        for (int j = 0; j < pass->levels; j++)
            if (pass->chunks[j] > 1) plan->kept = larger(plan->kept, (segments << j) * pass->chunks[j]);
        plan->side = larger(plan->side, segments * pass->side_capacity);
        plan->side = larger(plan->side, segments * pass->samples * (16 / 8));
        level += pass->levels;
    }
}

/* Hands out chunks of one block of scratch memory; without memory it only counts. */
struct carver {
    char *memory;
    size_t used;

    template <class T> T *take(size_t count)
    {
        size_t at = used;
        used += bi_round_up(count * sizeof(T), 256);
        return memory ? reinterpret_cast<T *>(memory + at) : nullptr;
    }
};

struct build_memory {
    bi_kdtree_pass_memory work;
    bi_kdtree_array other; /* points between passes, beside `last` */
    bi_kdtree_array last;  /* points after the last pass, if the tree's own array is not one of vectors */
    bi_kdtree_ends *ends;
    size_t zeroed; /* bytes from work.cursors */
};

static void carve(struct carver *carver, const struct plan *plan, const bosc_kdtree_opts *opts, int64_t n,
                  struct build_memory *m)
{
    const int dim = opts->dim;
    const size_t points = plan->passes > 1 ? (size_t)n : 0;
    const size_t last = plan->passes > 0 && !bi_kdtree_keeps_vectors(opts) ? (size_t)n : 0;
    *m = {};
    m->work.failed = carver->take<uint32_t>(1);
    size_t begin = carver->used;
    m->work.cursors = carver->take<uint32_t>(plan->segments * BI_KDTREE_DESTINATIONS);
    m->work.boxes = carver->take<uint32_t>(plan->segments * 8);
    m->work.tickets = carver->take<uint32_t>(plan->segments);
    m->work.bins = carver->take<uint32_t>(plan->bins);
    m->work.arrivals = carver->take<uint32_t>(plan->segments * BI_KDTREE_PASS_LEVELS * BI_KDTREE_DESTINATIONS);
    m->work.list_tickets = carver->take<uint32_t>(plan->segments * BI_KDTREE_CELLS);
    m->work.list_bins = carver->take<uint32_t>(plan->list_bins);
    m->zeroed = carver->used - begin;
    m->work.segments = carver->take<uint2>(plan->segments);
    m->work.destinations = carver->take<uint2>(plan->segments * BI_KDTREE_DESTINATIONS);
    m->work.brackets = carver->take<float2>(plan->segments * BI_KDTREE_CELLS);
    m->work.pivots = carver->take<float>(plan->segments * BI_KDTREE_CELLS);
    m->work.kept = carver->take<uint32_t>(plan->kept);
    m->work.side.points = carver->take<char>(plan->side * bi_kdtree_point_bytes(dim));
    m->work.side.ids = carver->take<uint32_t>(dim == 3 ? 0 : plan->side);
    m->work.samples = static_cast<float4 *>(m->work.side.points);
    m->other.points = carver->take<char>(points * bi_kdtree_point_bytes(dim));
    m->other.ids = carver->take<uint32_t>(dim == 3 ? 0 : points);
    m->last.points = carver->take<char>(last * bi_kdtree_point_bytes(dim));
    m->last.ids = carver->take<uint32_t>(dim == 3 ? 0 : last);
    m->ends = carver->take<bi_kdtree_ends>(1);
}

int64_t bi_kdtree_cuda_build_scratch(const bosc_kdtree_opts *opts, int64_t n)
{
    size_t most = 0;
    for (int log = BI_KDTREE_BLOCK_LOG - 1; log <= BI_KDTREE_MOST_BLOCK_LOG; log++) {
        struct plan plan;
        struct build_memory memory;
        struct carver carver = {nullptr, 0};
        plan_build(&plan, n, log, wide_brackets);
        carve(&carver, &plan, opts, n, &memory);
        most = larger(most, carver.used);
    }
    return (int64_t)most;
}

template <int DIM, class KEYS>
static bosc_status run_passes(bosc_ctx *ctx, const struct plan *plan, const struct build_memory *m, const KEYS &keys,
                              bi_kdtree_source from, const bi_kdtree_array &last, const bi_kdtree_array &nodes,
                              int64_t n)
{
    BI_TRY(ctx->backend->fill(ctx, m->work.failed, 0, sizeof *m->work.failed));
    for (int q = 0; q < plan->passes; q++) {
        const bi_kdtree_array to = (plan->passes - q) % 2 ? last : m->other;
        BI_TRY(ctx->backend->fill(ctx, m->work.cursors, 0, m->zeroed));
        BI_TRY(bi_kdtree_run_sample_pivots<DIM>(ctx, plan->pass[q], keys, from, m->work));
        BI_TRY(bi_kdtree_run_partition_points<DIM>(ctx, plan->pass[q], keys, from, to, m->work));
        BI_TRY(bi_kdtree_run_resolve_medians<DIM>(ctx, plan->pass[q], keys, to, nodes, m->work));
        from = {nullptr, 0, to};
    }
    return bi_kdtree_run_subtree_blocks<DIM>(ctx, n, plan->levels, plan->block_log, keys, from, nodes, m->work.failed);
}

template <int DIM>
static bosc_status build_of(bosc_ctx *ctx, const bosc_kdtree *tree, const struct plan *plan,
                            const struct build_memory *m, const struct bi_kdtree_rows *rows)
{
    const bi_kdtree_array nodes = bi_kdtree_array_of(tree);
    /* Where the tree keeps vectors, the last pass writes to its array, and blocks work in place. */
    if (bi_kdtree_keeps_vectors(&tree->opts))
        return run_passes<DIM>(ctx, plan, m, bi_kdtree_float_keys{},
                               {static_cast<const float *>(rows->data), rows->stride, {}}, nodes, nodes, rows->n);
    const bi_kdtree_rounded_keys keys = {*rows, tree->opts.dtype, m->ends};
    BI_TRY(bi_kdtree_run_find_ends(ctx, keys, DIM, m->ends));
    return run_passes<DIM>(ctx, plan, m, keys, {}, m->last, nodes, rows->n);
}

static bosc_status build_in(bosc_ctx *ctx, bosc_kdtree *tree, const struct bi_kdtree_rows *rows, float deviations,
                            bool *missed)
{
    struct plan plan;
    struct build_memory memory;
    struct carver carver = {nullptr, 0};
    const int32_t dim = tree->opts.dim;
    void *scratch;
    plan_build(&plan, rows->n, bi_kdtree_block_log(ctx, dim), deviations);
    carve(&carver, &plan, &tree->opts, rows->n, &memory);
    BI_TRY(bi_scratch(ctx, carver.used, &scratch));
    carver = {static_cast<char *>(scratch), 0};
    carve(&carver, &plan, &tree->opts, rows->n, &memory);
    bosc_status status = dim == 2   ? build_of<2>(ctx, tree, &plan, &memory, rows)
                         : dim == 3 ? build_of<3>(ctx, tree, &plan, &memory, rows)
                                    : build_of<4>(ctx, tree, &plan, &memory, rows);
    uint32_t failed = 0;
    if (status == BOSC_OK && plan.passes > 0) status = bi_read_back(ctx, &failed, memory.work.failed, sizeof failed);
    *missed = failed != 0;
    return status;
}

bosc_status bi_kdtree_cuda_build(bosc_ctx *ctx, bosc_kdtree *tree, const struct bi_kdtree_rows *rows, bool *missed)
{
    *missed = false;
    if (rows->n == 0) return BOSC_OK;
    if (!tree->clustered) {
        BI_TRY_WITH_SCRATCH(ctx, build_in(ctx, tree, rows, narrow_brackets, missed));
        tree->clustered = *missed;
    }
    if (tree->clustered) {
        BI_TRY_WITH_SCRATCH(ctx, build_in(ctx, tree, rows, wide_brackets, missed));
        tree->clustered = !*missed;
    }
    return BOSC_OK;
}
