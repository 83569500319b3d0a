/* The operations of k-d trees on the CPU. */
#include "kdtree/cpu/published/published.h"
#include "kdtree/cpu/build.h"
#include "kdtree/cpu/query.h"

#include <string.h>

#include "core/cpu/level.h"
#include "core/cpu/threads.h"
#include "core/steps.h"

#define BI_STEP BI_STEP_CPU
#define BI_QUICK_STEP BI_QUICK_STEP_CPU
#include "kdtree/steps/steps.def"
#undef BI_STEP

static const struct bi_kdtree_steps cpu_steps = {
#define BI_STEP(name, args_t) .name = cpu_step_##name,
#include "kdtree/steps/steps.def"
#undef BI_STEP
};

static void cpu_blocks(const bosc_kdtree_opts *opts, int64_t n, size_t bytes[3])
{
    size_t size = bosc_dtype_size(opts->dtype), nodes = (size_t)bi_round_up((uint64_t)n, BI_KDTREE_CPU_BLOCK);
    bytes[0] = nodes * (size_t)opts->dim * size;
    bytes[1] = nodes * sizeof(uint32_t);
    bytes[2] = bi_kdtree_cpu_index_bytes(opts, n);
}

static bosc_kdtree_view cpu_view(const bosc_kdtree *tree)
{
    return (bosc_kdtree_view){.points = tree->points.data,
                              .ids = tree->ids.data,
                              .nodes = tree->nodes,
                              .dtype = tree->opts.dtype,
                              .dim = tree->opts.dim,
                              .log2_block = BI_KDTREE_CPU_LOG2_BLOCK,
                              .pitch = tree->opts.dim,
                              .id_stride = 1};
}

/* True if rows begin to end - 1, which are contiguous, hold a NaN. */
static bool rows_have_nan(const bosc_ctx *ctx, const struct bi_kdtree_find_nan *find, int64_t begin, int64_t end)
{
    const int32_t dim = find->dim;
    if (find->dtype == BOSC_F32)
        return BI_LEVEL_PICK(ctx->level, bi_kdtree_build_hot32)
            ->has_nan((const float *)find->rows.data + begin * dim, (end - begin) * dim);
    return BI_LEVEL_PICK(ctx->level, bi_kdtree_build_hot64)
        ->has_nan((const double *)find->rows.data + begin * dim, (end - begin) * dim);
}

static bosc_status cpu_find_nan(bosc_ctx *ctx, bosc_dtype dtype, int32_t dim, const struct bi_kdtree_rows *rows,
                                int64_t *row)
{
    enum { CHUNK = 4096 };
    struct bi_kdtree_find_nan find = {*rows, dtype, dim, row};
    int any = 0;
    *row = INT64_MAX;
    if (rows->stride != dim) return cpu_steps.find_nan(ctx, rows->n, &find);
    const int64_t chunks = bi_div_up(rows->n, CHUNK);
    struct bi_batches p = bi_batches_of(ctx, chunks, (double)rows->n / (double)chunks);
    while (bi_next_batch(ctx, &p)) {
        BI_PARALLEL_OR(bi_thread_count_by_cost(ctx, (p.end - p.begin) * CHUNK / 4, dim), any, i, p.begin, p.end,
                       rows_have_nan(ctx, &find, i * CHUNK, (i + 1) * CHUNK < rows->n ? (i + 1) * CHUNK : rows->n));
    }
    BI_TRY(p.status);
    return any ? cpu_steps.find_nan(ctx, rows->n, &find) : BOSC_OK; /* finds the first row */
}

static bool cpu_builds(const bosc_kdtree_opts *opts, int64_t n)
{
    (void)opts, (void)n;
    return true;
}

static bosc_status cpu_build(bosc_ctx *ctx, bosc_kdtree *tree, const struct bi_kdtree_rows *rows, bool *missed)
{
    *missed = false;
    return bi_kdtree_cpu_build(ctx, tree, rows, cpu_view(tree));
}

enum {
    SIDE_BY_SIDE = 64 /* most segments of a level to process side by side, a batch of each at a time */
};

/* One level of presorted lists. The position of a rank in the level's own list determines its side. */
struct level {
    const struct bi_kdtree_lists *lists;
    uint8_t *side; /* by reference: 0 less, 1 the median, 2 greater */
    uint32_t *order;
    int32_t own;
    int level;
    int64_t segments;
    int64_t (*to)[3]; /* next position of each side, by list and segment, if segments are few */
};

static struct bi_kdtree_range segment(const struct level *l, int64_t s)
{
    return bi_kdtree_subtree(l->lists->n, l->level, (uint64_t)s);
}

/* Returns the share of a segment in batch p. */
static struct bi_kdtree_range part_of(const struct level *l, struct bi_kdtree_range r, const struct bi_batches *p)
{
    if (l->segments > SIDE_BY_SIDE) return r;
    int64_t end = r.begin + p->end;
    return (struct bi_kdtree_range){r.begin + p->begin < r.end ? r.begin + p->begin : r.end, end < r.end ? end : r.end};
}

/* Records the sides of a segment, writes its median to the order, and copies the list. */
static void record_sides(const struct level *l, int64_t s, const struct bi_batches *p)
{
    const struct bi_kdtree_range r = segment(l, s), part = part_of(l, r, p);
    const uint32_t *in = l->lists->in[l->own];
    uint32_t *out = l->lists->out[l->own];
    int64_t mid = bi_kdtree_mid(r);
    if (part.begin < part.end) l->order[mid] = in[mid];
    for (int64_t i = part.begin; i < part.end; i++) l->side[in[i]] = (uint8_t)((i >= mid) + (i > mid));
    for (int64_t i = part.begin; out && i < part.end; i++) out[i] = in[i];
}

/* Partitions a segment of another list around its median. */
static void partition_list(const struct level *l, int64_t task, const struct bi_batches *p)
{
    const int32_t list = (int32_t)(task / l->segments);
    const uint32_t *in = l->lists->in[list];
    uint32_t *out = l->lists->out[list];
    if (list == l->own || !out) return;
    const struct bi_kdtree_range r = segment(l, task % l->segments), part = part_of(l, r, p);
    int64_t first[3] = {r.begin, bi_kdtree_mid(r), bi_kdtree_mid(r) + 1};
    int64_t *to = l->segments > SIDE_BY_SIDE ? first : l->to[task];
    if (to != first && part.begin == r.begin) memcpy(to, first, sizeof first);
    for (int64_t i = part.begin; i < part.end; i++) out[to[l->side[in[i]]]++] = in[i];
}

/* Runs the tasks of a level: its segments, in one or more lists. If there are many, one after the other; if few, all
 * side by side, a batch of each at a time. Steps of batches are tasks, or positions of a segment. */
static bosc_status run_tasks(bosc_ctx *ctx, const struct level *l, int64_t lists,
                             void (*task)(const struct level *l, int64_t i, const struct bi_batches *p))
{
    const bool side_by_side = l->segments <= SIDE_BY_SIDE;
    const int64_t tasks = lists * l->segments, steps = side_by_side ? l->lists->n >> l->level : tasks;
    int chunk = l->segments < 1024 ? 1 : 16;
    struct bi_batches p = bi_batches_of(ctx, steps, (double)(lists * l->lists->n) / (double)steps);
    while (bi_next_batch(ctx, &p)) {
        const int64_t begin = side_by_side ? 0 : p.begin, end = side_by_side ? tasks : p.end;
#pragma omp parallel for schedule(dynamic, chunk) num_threads(ctx->threads)
        for (int64_t i = begin; i < end; i++) task(l, i, &p);
    }
    (void)chunk;
    return p.status;
}

/* Partitions level by level. Lists that no later level needs have no `out`. */
static bosc_status cpu_partition_by_rank(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_lists *lists,
                                         uint32_t *order)
{
    int depth = bi_kdtree_depth(lists->n);
    int32_t dim = tree->opts.dim;
    struct level l = {.lists = lists, .order = order};
    BI_TRY(bi_scratch_of(ctx, lists->n, 1, &l.side));
    BI_TRY(bi_scratch_of(ctx, (int64_t)lists->used * SIDE_BY_SIDE, sizeof *l.to, &l.to));
    for (int level = 0; level < depth; level++) {
        for (int32_t p = 0; p < lists->used; p++)
            if (bi_kdtree_next_use(p, level, dim) >= depth) lists->out[p] = NULL;
        l.own = level % dim;
        l.level = level;
        l.segments = (int64_t)1 << level;
        BI_TRY(run_tasks(ctx, &l, 1, record_sides));
        BI_TRY(run_tasks(ctx, &l, lists->used, partition_list));
        for (int32_t p = 0; p < lists->used; p++) {
            uint32_t *in = lists->in[p];
            lists->in[p] = lists->out[p];
            lists->out[p] = in;
        }
    }
    return BOSC_OK;
}

static bosc_status cpu_store(bosc_ctx *ctx, bosc_kdtree *tree, const struct bi_kdtree_rows *rows, const uint32_t *order,
                             const uint32_t *ids)
{
    bosc_kdtree_view v = cpu_view(tree);
    uint32_t *node_ids = tree->ids.data;
    bool is_32bit = bosc_dtype_size(v.dtype) == 4;
    struct bi_batches p = bi_batches_of(ctx, v.nodes, 1);
    while (bi_next_batch(ctx, &p)) {
#pragma omp parallel for schedule(static) num_threads(bi_thread_count_by_cost(ctx, p.end - p.begin, 2 + v.dim))
        for (int64_t i = p.begin; i < p.end; i++) {
            int64_t row = order ? order[i] : i;
            for (int32_t c = 0; c < v.dim; c++) {
                int64_t to = bosc_kdtree_element(&v, i, c), from = row * rows->stride + c;
                if (v.dtype == BOSC_F32)
                    ((float *)v.points)[to] = ((const float *)rows->data)[from] + 0.0f;
                else if (v.dtype == BOSC_F64)
                    ((double *)v.points)[to] = ((const double *)rows->data)[from] + 0.0;
                else if (is_32bit)
                    ((int32_t *)v.points)[to] = ((const int32_t *)rows->data)[from];
                else
                    ((int64_t *)v.points)[to] = ((const int64_t *)rows->data)[from];
            }
            node_ids[i] = ids ? ids[i] : (uint32_t)row;
        }
    }
    return p.status;
}

static bosc_status cpu_fetch(bosc_ctx *ctx, const bosc_kdtree *tree, void *points, uint32_t *ids)
{
    bosc_kdtree_view v = cpu_view(tree);
    bool is_32bit = bosc_dtype_size(v.dtype) == 4;
    struct bi_batches p = bi_batches_of(ctx, v.nodes, 1);
    while (bi_next_batch(ctx, &p)) {
#pragma omp parallel for schedule(static) num_threads(bi_thread_count_by_cost(ctx, p.end - p.begin, 2 + v.dim))
        for (int64_t i = p.begin; i < p.end; i++) {
            for (int32_t c = 0; points && c < v.dim; c++) {
                int64_t from = bosc_kdtree_element(&v, i, c), to = i * v.dim + c;
                if (is_32bit)
                    ((uint32_t *)points)[to] = ((const uint32_t *)v.points)[from];
                else
                    ((uint64_t *)points)[to] = ((const uint64_t *)v.points)[from];
            }
            if (ids) ids[i] = v.ids[i];
        }
    }
    return p.status;
}

static bosc_status cpu_make_index(bosc_ctx *ctx, bosc_kdtree *tree)
{
    bosc_kdtree_view view = cpu_view(tree);
    return bi_kdtree_cpu_make_index(ctx, tree, &view);
}

static bosc_status cpu_verify(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t *node)
{
    struct bi_kdtree_check check = {.view = cpu_view(tree), .n = tree->n, .bad = node};
    BI_TRY(bi_scratch(ctx, (size_t)tree->n * sizeof(uint32_t), (void **)&check.owners));
    *node = INT64_MAX;
    BI_TRY(ctx->backend->fill(ctx, check.owners, 0xff, (size_t)tree->n * sizeof(uint32_t)));
    BI_TRY(cpu_steps.check_order(ctx, tree->nodes, &check));
    BI_TRY(cpu_steps.own_ids(ctx, tree->nodes, &check));
    return cpu_steps.check_ids(ctx, tree->nodes, &check);
}

static bosc_status cpu_knn(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    bosc_kdtree_view view = cpu_view(tree);
    return bi_kdtree_cpu_knn(ctx, tree, &view, query);
}

static bosc_status cpu_radius_count(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    bosc_kdtree_view view = cpu_view(tree);
    return bi_kdtree_cpu_radius_count(ctx, tree, &view, query);
}

static bosc_status cpu_radius_fill(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    bosc_kdtree_view view = cpu_view(tree);
    return bi_kdtree_cpu_radius_fill(ctx, tree, &view, query);
}

const struct bi_kdtree_ops bi_kdtree_ops_cpu = {
    .steps = &cpu_steps,
    .blocks = cpu_blocks,
    .build_scratch = bi_kdtree_cpu_build_scratch,
    .find_nan = cpu_find_nan,
    .view = cpu_view,
    .builds = cpu_builds,
    .build = cpu_build,
    .partition_by_rank = cpu_partition_by_rank,
    .remove_duplicates = bi_kdtree_cpu_remove_duplicates,
    .partition_by_superkey = bi_kdtree_cpu_partition_by_superkey,
    .store = cpu_store,
    .fetch = cpu_fetch,
    .make_index = cpu_make_index,
    .verify = cpu_verify,
    .knn = cpu_knn,
    .radius_count = cpu_radius_count,
    .radius_fill = cpu_radius_fill,
    .query_bytes = bi_kdtree_cpu_query_bytes,
};
