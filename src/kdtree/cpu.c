/* The CPU's table of fused operations of k-d trees. */
#include "kdtree/cpu_build.h"
#include "kdtree/cpu_query.h"

#include "core/cpu/level.h"
#include "core/steps.h"

#define BI_STEP BI_STEP_CPU
#include "kdtree/steps.def"
#undef BI_STEP

static const struct bi_kd_steps cpu_steps = {
#define BI_STEP(name, args_t) .name = cpu_step_##name,
#include "kdtree/steps.def"
#undef BI_STEP
};

static void cpu_blocks(const bosc_kdtree_opts *opts, int64_t n, size_t bytes[3])
{
    size_t size = bosc_dtype_size(opts->dtype), nodes = (size_t)bi_round_up((uint64_t)n, BI_KD_BLOCK);
    bytes[0] = nodes * (size_t)opts->dim * size;
    bytes[1] = nodes * sizeof(uint32_t);
    bytes[2] = bi_kd_index_bytes(opts, n);
}

static void cpu_bytes(const bosc_kdtree_opts *opts, int64_t n, int64_t *kept, int64_t *scratch)
{
    size_t bytes[3];
    cpu_blocks(opts, n, bytes);
    *kept = (int64_t)(bytes[0] + bytes[1] + bytes[2]);
    *scratch = bi_kd_cpu_build_scratch(opts, n);
}

static struct bi_kd_view cpu_view(const bosc_kdtree *tree)
{
    return (struct bi_kd_view){.points = tree->points.data,
                               .ids = tree->ids.data,
                               .nodes = tree->nodes,
                               .dtype = tree->opts.dtype,
                               .dim = tree->opts.dim,
                               .log2_block = BI_KD_LOG2_BLOCK,
                               .pitch = tree->opts.dim,
                               .id_stride = 1};
}

static bosc_status cpu_find_nan(bosc_ctx *ctx, bosc_dtype dtype, int32_t dim, const struct bi_kd_rows *rows,
                                int64_t *row)
{
    struct bi_kd_find_nan find = {*rows, dtype, dim, row};
    *row = INT64_MAX;
    return cpu_steps.find_nan(ctx, rows->n, &find);
}

static bool cpu_builds(const bosc_kdtree_opts *opts, int64_t n)
{
    (void)opts, (void)n;
    return true;
}

struct plain {
    const struct bi_kd_rows *rows;
    bosc_dtype dtype;
    int32_t dim;
    uint32_t *order;
};

static bool plain_less(const struct plain *p, uint32_t a, uint32_t b, int32_t c)
{
    int order = bi_kd_compare_rows(p->rows, p->dtype, p->dim, a, b, c);
    return order ? order < 0 : a < b;
}

static bosc_status cpu_build(bosc_ctx *ctx, bosc_kdtree *tree, const struct bi_kd_rows *rows)
{
    return bi_kd_cpu_build(ctx, tree, rows, cpu_view(tree));
}

/* One list of one segment: its references are spread around the median, which list `level % dim` gave. */
static void partition_list(const struct plain *p, struct bi_kd_range r, int level, const uint32_t *in, uint32_t *out,
                           uint32_t median)
{
    int32_t c = level % p->dim;
    int64_t less = r.begin, greater = bi_kd_mid(r) + 1;
    for (int64_t i = r.begin; i < r.end; i++) {
        if (in[i] == median) continue;
        if (plain_less(p, in[i], median, c))
            out[less++] = in[i];
        else
            out[greater++] = in[i];
    }
}

/* One level: in[p] becomes out[p]; lists that no later level needs have no `out`. */
static void partition_level(bosc_ctx *ctx, const struct plain *p, int64_t nodes, int32_t level,
                            const struct bi_kd_lists *lists)
{
    int32_t c = level % p->dim;
    int64_t segments = (int64_t)1 << level;
#pragma omp parallel for collapse(2) schedule(dynamic, 16) num_threads(ctx->threads)
    for (int64_t s = 0; s < segments; s++)
        for (int32_t l = 0; l < lists->used; l++) {
            struct bi_kd_range r = bi_kd_subtree(nodes, level, (uint64_t)s);
            if (r.begin >= r.end) continue;
            uint32_t median = lists->in[c][bi_kd_mid(r)];
            if (l == c) p->order[bi_kd_mid(r)] = median;
            if (!lists->out[l]) continue;
            if (l == c)
                for (int64_t i = r.begin; i < r.end; i++) lists->out[l][i] = lists->in[l][i];
            else
                partition_list(p, r, level, lists->in[l], lists->out[l], median);
        }
    (void)ctx;
}

static bosc_status cpu_partition(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kd_rows *rows,
                                 struct bi_kd_lists *lists, uint32_t *order)
{
    struct plain p = {rows, tree->opts.dtype, tree->opts.dim, order};
    int depth = bi_kd_depth(lists->n);
    for (int level = 0; level < depth; level++) {
        for (int32_t l = 0; l < lists->used; l++)
            if (bi_kd_next_use(l, level, p.dim) >= depth) lists->out[l] = NULL;
        partition_level(ctx, &p, lists->n, level, lists);
        for (int32_t l = 0; l < lists->used; l++) {
            uint32_t *in = lists->in[l];
            lists->in[l] = lists->out[l];
            lists->out[l] = in;
        }
    }
    return BOSC_OK;
}

static bosc_status cpu_store(bosc_ctx *ctx, bosc_kdtree *tree, const struct bi_kd_rows *rows, const uint32_t *order,
                             const uint32_t *ids)
{
    struct bi_kd_view v = cpu_view(tree);
    uint32_t *node_ids = tree->ids.data;
    bool narrow = bosc_dtype_size(v.dtype) == 4;
#pragma omp parallel for schedule(static) num_threads(ctx->threads)
    for (int64_t i = 0; i < v.nodes; i++) {
        int64_t row = order ? order[i] : i;
        for (int32_t c = 0; c < v.dim; c++) {
            int64_t to = bi_kd_at(&v, i, c), from = row * rows->stride + c;
            if (v.dtype == BOSC_F32)
                ((float *)v.points)[to] = ((const float *)rows->data)[from] + 0.0f;
            else if (v.dtype == BOSC_F64)
                ((double *)v.points)[to] = ((const double *)rows->data)[from] + 0.0;
            else if (narrow)
                ((int32_t *)v.points)[to] = ((const int32_t *)rows->data)[from];
            else
                ((int64_t *)v.points)[to] = ((const int64_t *)rows->data)[from];
        }
        node_ids[i] = ids ? ids[i] : (uint32_t)row;
    }
    (void)ctx;
    return BOSC_OK;
}

static bosc_status cpu_fetch(bosc_ctx *ctx, const bosc_kdtree *tree, void *points, uint32_t *ids)
{
    struct bi_kd_view v = cpu_view(tree);
    bool narrow = bosc_dtype_size(v.dtype) == 4;
#pragma omp parallel for schedule(static) num_threads(ctx->threads)
    for (int64_t i = 0; i < v.nodes; i++) {
        for (int32_t c = 0; points && c < v.dim; c++) {
            int64_t from = bi_kd_at(&v, i, c), to = i * v.dim + c;
            if (narrow)
                ((uint32_t *)points)[to] = ((const uint32_t *)v.points)[from];
            else
                ((uint64_t *)points)[to] = ((const uint64_t *)v.points)[from];
        }
        if (ids) ids[i] = v.ids[i];
    }
    (void)ctx;
    return BOSC_OK;
}

static bosc_status cpu_make_index(bosc_ctx *ctx, bosc_kdtree *tree)
{
    struct bi_kd_view view = cpu_view(tree);
    bi_kd_cpu_make_index(ctx, tree, &view);
    return BOSC_OK;
}

static bosc_status cpu_verify(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t *node)
{
    struct bi_kd_check check = {.view = cpu_view(tree), .n = tree->n, .bad = node};
    BI_TRY(bi_scratch(ctx, (size_t)tree->n * sizeof(uint32_t), (void **)&check.owners));
    *node = INT64_MAX;
    BI_TRY(ctx->backend->fill(ctx, check.owners, 0xff, (size_t)tree->n * sizeof(uint32_t)));
    BI_TRY(cpu_steps.check_order(ctx, tree->nodes, &check));
    BI_TRY(cpu_steps.own_ids(ctx, tree->nodes, &check));
    return cpu_steps.check_ids(ctx, tree->nodes, &check);
}

static bosc_status cpu_knn(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kd_query *query)
{
    struct bi_kd_view view = cpu_view(tree);
    return bi_kd_cpu_knn(ctx, tree, &view, query);
}

static bosc_status cpu_radius_count(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kd_query *query)
{
    struct bi_kd_view view = cpu_view(tree);
    return bi_kd_cpu_radius_count(ctx, tree, &view, query);
}

static bosc_status cpu_radius_fill(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kd_query *query)
{
    struct bi_kd_view view = cpu_view(tree);
    return bi_kd_cpu_radius_fill(ctx, tree, &view, query);
}

const struct bi_kdtree_ops bi_kdtree_cpu = {
    .steps = &cpu_steps,
    .blocks = cpu_blocks,
    .bytes = cpu_bytes,
    .find_nan = cpu_find_nan,
    .view = cpu_view,
    .builds = cpu_builds,
    .build = cpu_build,
    .partition = cpu_partition,
    .store = cpu_store,
    .fetch = cpu_fetch,
    .make_index = cpu_make_index,
    .verify = cpu_verify,
    .knn = cpu_knn,
    .radius_count = cpu_radius_count,
    .radius_fill = cpu_radius_fill,
    .query_bytes = bi_kd_cpu_query_bytes,
};
