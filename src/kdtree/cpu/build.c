/* The driver of the CPU's builder: level by level over all segments while they are large, then subtree by subtree in
 * cache. The first phase alternates between scratch columns and the blocks of the tree, such that it ends in the
 * scratch columns, before subtrees are written to the tree. */
#include "kdtree/cpu/cpu.h"

#include "core/cpu/threads.h"

struct plan {
    int levels;      /* of the first phase */
    int64_t largest; /* points of the largest subtree after them */
    int threads;
};

/* Plans levels until a subtree fits a thread's cache, and until each thread has four subtrees, so that one that lasts
 * longer costs a quarter of a thread's time at most. Up to 4,096 points one thread builds all. Not measured. */
static struct plan make_plan(int threads, int64_t n)
{
    struct plan plan = {0, n, threads};
    while ((n >> plan.levels) > BI_KDTREE_CPU_SUBTREE) plan.levels++;
    while (n > 4096 && plan.levels < 8 && (1 << plan.levels) < 4 * threads && (n >> plan.levels) > 64) plan.levels++;
    if (plan.levels == 0) plan.threads = 1;
    plan.largest = n >> plan.levels;
    return plan;
}

static size_t key_size(const bosc_kdtree_opts *opts) { return bosc_dtype_size(opts->dtype); }

/* Returns the bytes of columns of n points, including the rounding of two allocations. */
static int64_t columns_bytes(const bosc_kdtree_opts *opts, int64_t n)
{
    enum { SLACK = 512 };
    int64_t pitch = (int64_t)bi_round_up((uint64_t)n, BI_KDTREE_CPU_BLOCK);
    return pitch * (opts->dim * (int64_t)key_size(opts) + (int64_t)sizeof(uint32_t)) + SLACK;
}

static bosc_status allocate_columns(bosc_ctx *ctx, const bosc_kdtree_opts *opts, int64_t n,
                                    struct bi_kdtree_columns *columns)
{
    columns->pitch = (int64_t)bi_round_up((uint64_t)n, BI_KDTREE_CPU_BLOCK);
    columns->base = 0;
    BI_TRY(bi_scratch(ctx, (size_t)columns->pitch * (size_t)opts->dim * key_size(opts), &columns->keys));
    return bi_scratch(ctx, (size_t)columns->pitch * sizeof(uint32_t), (void **)&columns->ids);
}

/* Bytes of the masks of n points: a word for 16 points. Each segment of a level begins with a word of its own: the
 * masks of segment s begin at word r.begin / 16 + s. */
static size_t masks_bytes(int64_t n) { return ((size_t)n / 16 + 2) * sizeof(uint16_t); }

static size_t all_masks_bytes(int64_t n, const struct plan *plan)
{
    return masks_bytes(n) + sizeof(uint16_t) * ((size_t)1 << plan->levels);
}

int64_t bi_kdtree_cpu_build_scratch(const bosc_ctx *ctx, const bosc_kdtree_opts *opts, int64_t n)
{
    enum { SLACK = 512 };
    int64_t most = 0;
    if (opts->builder == BOSC_KDTREE_BROWN) return 0; /* only counts of pieces, which the driver includes */
    for (int32_t threads = 1; threads <= ctx->max_threads; threads++) { /* fewer threads have larger subtrees */
        struct plan plan = make_plan(threads, n);
        int64_t own = columns_bytes(opts, plan.largest) + (int64_t)sizeof(struct bi_kdtree_columns);
        int64_t bytes = plan.threads * own + (int64_t)all_masks_bytes(n, &plan);
        most = bytes > most ? bytes : most;
    }
    return columns_bytes(opts, n) + most + SLACK;
}

/* A level of the first phase. */
struct level {
    const struct bi_kdtree_build_hot *hot;
    const struct bi_kdtree_build_job *job;
    const struct bi_kdtree_columns *from, *to;
    uint16_t *masks;
    int level;
};

static void choose_segment_median(const struct level *l, int64_t s)
{
    struct bi_kdtree_range r = bi_kdtree_subtree(l->job->tree.nodes, l->level, (uint64_t)s);
    l->hot->choose_median(l->job, l->from, l->to, r, l->level, l->masks + r.begin / 16 + s);
}

static void scatter_segment_column(const struct level *l, int64_t s, int32_t column)
{
    struct bi_kdtree_range r = bi_kdtree_subtree(l->job->tree.nodes, l->level, (uint64_t)s);
    l->hot->scatter_column(l->job, l->from, l->to, r, column, l->masks + r.begin / 16 + s);
}

/* Splits the segments of a level in parallel over columns, while segments are few. */
static bosc_status split_by_columns(bosc_ctx *ctx, const struct level *l, int threads)
{
    int64_t segments = (int64_t)1 << l->level, columns = l->job->dim + 1;
    struct bi_batches p = bi_batches_of(ctx, segments, (double)l->job->rows.n / (double)segments / 2);
    while (bi_next_batch(ctx, &p)) {
        BI_PARALLEL_FOR(threads, (dynamic, 1), s, p.begin, p.end, choose_segment_median(l, s));
    }
    BI_TRY(p.status);
    p = bi_batches_of(ctx, segments * columns, (double)l->job->rows.n / (double)(segments * columns) / 2);
    while (bi_next_batch(ctx, &p)) {
        BI_PARALLEL_FOR(threads, (dynamic, 1), i, p.begin, p.end,
                        scatter_segment_column(l, i / columns, (int32_t)(i % columns)));
    }
    return p.status;
}

static void split_segment(const struct level *l, int64_t s)
{
    choose_segment_median(l, s);
    for (int32_t c = 0; c <= l->job->dim; c++) scatter_segment_column(l, s, c);
}

/* Splits the segments of a level, a thread each, whose masks then stay in its cache. */
static bosc_status split_by_segments(bosc_ctx *ctx, const struct level *l, int threads)
{
    int64_t segments = (int64_t)1 << l->level;
    struct bi_batches p = bi_batches_of(ctx, segments, (double)l->job->rows.n / (double)segments);
    while (bi_next_batch(ctx, &p)) {
        BI_PARALLEL_FOR(threads, (dynamic, 1), s, p.begin, p.end, split_segment(l, s));
    }
    return p.status;
}

/* Writes the nodes of the first phase, which are in the holes of the columns. */
static void write_upper_nodes(const struct bi_kdtree_build_hot *hot, const struct bi_kdtree_build_job *job,
                              const struct plan *plan)
{
    for (int level = 0; level < plan->levels; level++)
        for (int64_t s = 0; s < (int64_t)1 << level; s++)
            hot->write_node(job, &job->here, bi_kdtree_mid(bi_kdtree_subtree(job->tree.nodes, level, (uint64_t)s)));
}

static bosc_status load_all_rows(bosc_ctx *ctx, const struct bi_kdtree_build_hot *hot,
                                 const struct bi_kdtree_build_job *job, const struct bi_kdtree_columns *to, int threads)
{
    enum { CHUNK = 4096 };
    int64_t n = job->rows.n, chunks = bi_div_up(n, CHUNK);
    struct bi_batches p = bi_batches_of(ctx, chunks, chunks ? (double)n / (double)chunks : 1);
    while (bi_next_batch(ctx, &p)) {
        BI_PARALLEL_FOR(threads, (static), i, p.begin, p.end,
                        (job->nodes ? hot->load_nodes : hot->load_rows)(
                            job, to, (struct bi_kdtree_range){i * CHUNK, (i + 1) * CHUNK < n ? (i + 1) * CHUNK : n}));
    }
    return p.status;
}

/* Finds coordinates without extent: their columns hold one key everywhere, so no level moves or selects them. */
static void find_flat(const struct bi_kdtree_build_hot *hot, struct bi_kdtree_build_job *job, const struct plan *plan,
                      const struct bi_kdtree_columns *loaded, const struct bi_kdtree_columns *own)
{
    const struct bi_kdtree_columns *other = loaded == &job->here ? &job->there : &job->here;
    for (int32_t c = 0; job->rows.n > 1 && c < job->dim && c < 64; c++) {
        if (!hot->is_flat(job, loaded, c)) continue;
        if (plan->levels > 0) hot->flatten(loaded, c, other, job->rows.n);
        for (int t = 0; t < plan->threads; t++) hot->flatten(loaded, c, &own[t], plan->largest);
        job->flat |= (uint64_t)1 << c;
    }
    for (int level = 0; level < BI_KDTREE_MOST_LEVELS; level++) {
        int32_t c = level % job->dim;
        for (int32_t t = 1; bi_kdtree_is_flat(job, c) && t < job->dim; t++) c = bi_kdtree_cycle(c, job->dim);
        job->axes[level] = (int16_t)c;
    }
}

/* Builds subtree s below the levels of the first phase, in a thread's columns. */
static void build_segment(const struct bi_kdtree_build_hot *hot, const struct bi_kdtree_build_job *job,
                          struct bi_kdtree_columns own, int levels, uint16_t *masks, int64_t s)
{
    struct bi_kdtree_range r = bi_kdtree_subtree(job->tree.nodes, levels, (uint64_t)s);
    own.base = r.begin;
    hot->build_subtree(job, &job->here, &own, r, levels, masks + r.begin / 16 + s);
}

/* Builds the in-order array: the node of a range is its exact median, in its middle; ties go by the rest of the
 * superkey and by id, so that the tree is unique. `given` has the points, and the addresses of the arrays of `tree`.
 * The caller releases the scratch; after a failure the arrays hold no tree. */
static bosc_status build_array(bosc_ctx *ctx, bosc_kdtree *tree, const struct bi_kdtree_build_job *given)
{
    const bosc_kdtree_opts *opts = &tree->opts;
    const struct bi_kdtree_build_hot *hot = key_size(opts) == 4 ? BI_LEVEL_PICK(ctx->level, bi_kdtree_build_hot32)
                                                                : BI_LEVEL_PICK(ctx->level, bi_kdtree_build_hot64);
    int64_t n = given->rows.n;
    struct plan plan = make_plan(ctx->threads, n);
    struct bi_kdtree_build_job job = *given;
    struct bi_kdtree_columns *own;
    uint16_t *masks;
    /* 1. Allocate all scratch. */
    BI_TRY(allocate_columns(ctx, opts, n, &job.here));
    BI_TRY(bi_scratch(ctx, sizeof *own * (size_t)plan.threads, (void **)&own));
    for (int t = 0; t < plan.threads; t++) BI_TRY(allocate_columns(ctx, opts, plan.largest, &own[t]));
    BI_TRY(bi_scratch(ctx, all_masks_bytes(n, &plan), (void **)&masks));
    job.there = (struct bi_kdtree_columns){tree->points.data, tree->ids.data, n, 0};
    /* 2. Load the points, into the columns from which the first phase ends in job.here. */
    const struct bi_kdtree_columns *first = plan.levels % 2 ? &job.there : &job.here;
    BI_TRY(load_all_rows(ctx, hot, &job, first, plan.threads));
    find_flat(hot, &job, &plan, first, own);
    /* 3. First phase: levels over all segments. */
    for (int level = 0; level < plan.levels; level++) {
        bool odd = level % 2 != plan.levels % 2;
        struct level l = {hot, &job, odd ? &job.there : &job.here, odd ? &job.here : &job.there, masks, level};
        BI_TRY((int64_t)1 << level >= 2 * plan.threads ? split_by_segments(ctx, &l, plan.threads)
                                                       : split_by_columns(ctx, &l, plan.threads));
    }
    /* 4. Subtrees, a thread each; then the upper nodes. */
    int64_t subtrees = (int64_t)1 << plan.levels;
    double levels_left = bi_kdtree_depth(n) - plan.levels;
    struct bi_batches p = bi_batches_of(ctx, subtrees, levels_left * (double)n / (double)subtrees);
    while (bi_next_batch(ctx, &p)) {
        BI_PARALLEL_FOR(plan.threads, (dynamic, 1), s, p.begin, p.end,
                        build_segment(hot, &job, own[bi_thread_of(plan.threads)], plan.levels, masks, s));
    }
    BI_TRY(p.status);
    write_upper_nodes(hot, &job, &plan);
    return BOSC_OK;
}

bosc_status bi_kdtree_cpu_build(bosc_ctx *ctx, bosc_kdtree *tree, const struct bi_kdtree_rows *rows,
                                bosc_kdtree_view view)
{
    const struct bi_kdtree_build_job job = {
        .dim = tree->opts.dim, .dtype = tree->opts.dtype, .rows = *rows, .tree = view};
    return build_array(ctx, tree, &job);
}

bosc_status bi_kdtree_cpu_build_order(bosc_ctx *ctx, bosc_kdtree *order, const bosc_kdtree_view *nodes,
                                      bosc_kdtree_view view, uint8_t *split_axes)
{
    const struct bi_kdtree_build_job job = {.dim = order->opts.dim,
                                            .dtype = order->opts.dtype,
                                            .rows = {NULL, nodes->nodes, order->opts.dim},
                                            .tree = view,
                                            .nodes = nodes,
                                            .split_axes = split_axes};
    return build_array(ctx, order, &job);
}
