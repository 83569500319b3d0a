/* The operations of k-d trees on the CPU. */
#include <math.h>

#include "kdtree/cpu/cpu.h"
#include "kdtree/cpu/nearest_other.h"
#include "kdtree/steps/steps.h"

#include "core/cpu/level.h"
#include "core/cpu/threads.h"
#include "core/steps.h"

#define STEP_LIST "kdtree/steps/steps.def"
#define STEP_TABLE static const struct bi_kdtree_steps cpu_steps
#include "core/step_table.inc"

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

static uint32_t cpu_find_flat(const bosc_kdtree *tree) { return bi_kdtree_cpu_get_index(tree).facts->flat; }

/* Returns bi_kdtree_class bits of rows begin to end - 1, which are contiguous. */
static int classify_rows(const bosc_ctx *ctx, const struct bi_kdtree_find_beyond *find, int64_t begin, int64_t end)
{
    const int32_t dim = find->dim;
    if (find->dtype == BOSC_F32)
        return BI_LEVEL_PICK(ctx->level, bi_kdtree_build_hot32)
            ->classify((const float *)find->rows.data + begin * dim, (end - begin) * dim, find->limit, find->least);
    return BI_LEVEL_PICK(ctx->level, bi_kdtree_build_hot64)
        ->classify((const double *)find->rows.data + begin * dim, (end - begin) * dim, find->limit, find->least);
}

static bosc_status cpu_find_beyond(bosc_ctx *ctx, bosc_dtype dtype, int32_t dim, const struct bi_kdtree_rows *rows,
                                   double limit, struct bi_kdtree_findings *found)
{
    enum { CHUNK = 4096 };
    struct bi_kdtree_find_beyond find = {*rows, dtype, dim, limit, bi_kdtree_least_ordinary(dtype), found};
    int any = 0;
    *found = (struct bi_kdtree_findings){.beyond = INT64_MAX};
    if (rows->stride != dim) return cpu_steps.find_beyond(ctx, rows->n, &find);
    const int64_t chunks = bi_div_up(rows->n, CHUNK);
    struct bi_batches p = bi_batches_of(ctx, chunks, (double)rows->n / (double)chunks);
    while (bi_next_batch(ctx, &p)) {
        BI_PARALLEL_OR(bi_thread_count_by_cost(ctx, (p.end - p.begin) * CHUNK / 4, dim), any, i, p.begin, p.end,
                       classify_rows(ctx, &find, i * CHUNK, (i + 1) * CHUNK < rows->n ? (i + 1) * CHUNK : rows->n));
    }
    BI_TRY(p.status);
    found->tiny = any & BI_KDTREE_IS_TINY ? 1 : 0;
    if (!(any & BI_KDTREE_IS_BEYOND)) return BOSC_OK;
    return cpu_steps.find_beyond(ctx, rows->n, &find); /* finds the first row, if one is beyond and not just infinite */
}

static bosc_status cpu_build(bosc_ctx *ctx, bosc_kdtree *tree, const struct bi_kdtree_rows *rows,
                             enum bi_kdtree_outcome *outcome)
{
    *outcome = BI_KDTREE_BUILT;
    return bi_kdtree_cpu_build(ctx, tree, rows, cpu_view(tree));
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

/* Returns the loops for some blocks; NULL: they have no groups, or distances are roots of sums of powers. */
static const struct bi_kdtree_other_hot *select_other(const bosc_ctx *ctx, const struct bi_kdtree_blocks *blocks)
{
    if (!blocks->groups) return NULL;
    if (!(blocks->p > 0)) return BI_LEVEL_PICK(ctx->level, bi_kdtree_other_hot);
    if (blocks->p == 1) return BI_LEVEL_PICK(ctx->level, bi_kdtree_other_sum);
    return blocks->p == (double)INFINITY ? BI_LEVEL_PICK(ctx->level, bi_kdtree_other_largest) : NULL;
}

/* Searches by vectors of nodes, with a chunk of items a thread at a time: their costs differ. */
static bosc_status cpu_nearest_other(bosc_ctx *ctx, int64_t n, const void *args)
{
    enum { CHUNK = 64 }; /* items: fewer cost more, more balance less; estimated */
    const struct bi_kdtree_nearest_other_label *a = args;
    const bosc_dtype dtype = a->blocks.view.dtype;
    const struct bi_kdtree_other_hot *hot = select_other(ctx, &a->blocks);
    if (!hot) return cpu_steps.nearest_other_label(ctx, n, a);
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "nearest_other: injected fault");
    struct bi_batches p = bi_batches_of(ctx, n, 1);
    while (bi_next_batch(ctx, &p)) {
        const int threads = bi_thread_count_by_cost(ctx, p.end - p.begin, BI_STEP_COST);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
        for (int64_t i = p.begin; i < p.end; i += CHUNK)
            (dtype == BOSC_F32 ? hot->search_f32 : hot->search_f64)(a, i, i + CHUNK < p.end ? i + CHUNK : p.end);
    }
    return p.status;
}

/* Prunes blocks by vectors of boxes and nodes. */
static bosc_status cpu_prune(bosc_ctx *ctx, int64_t n, const void *args)
{
    enum { CHUNK = 16 }; /* blocks; estimated */
    const struct bi_kdtree_prune *a = args;
    const bosc_dtype dtype = a->blocks.view.dtype;
    const struct bi_kdtree_other_hot *hot = select_other(ctx, &a->blocks);
    if (!hot) return cpu_steps.prune(ctx, n, a);
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "prune: injected fault");
    struct bi_batches p = bi_batches_of(ctx, n, 1);
    while (bi_next_batch(ctx, &p)) {
        const int threads = bi_thread_count_by_cost(ctx, p.end - p.begin, BI_STEP_COST);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
        for (int64_t i = p.begin; i < p.end; i += CHUNK)
            (dtype == BOSC_F32 ? hot->prune_f32 : hot->prune_f64)(a, i, i + CHUNK < p.end ? i + CHUNK : p.end);
    }
    return p.status;
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

/* Searches the tree, or its order by extent if there is one. */
static bosc_status search_tree(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query,
                               enum bi_kdtree_cpu_kind kind)
{
    BI_TRY(bi_kdtree_cpu_select_order(ctx, tree, query->rows.n, &tree));
    const bosc_kdtree_view view = cpu_view(tree);
    return bi_kdtree_cpu_search(ctx, tree, &view, query, kind);
}

static bosc_status cpu_knn(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    return search_tree(ctx, tree, query, BI_KDTREE_CPU_KNN);
}

static bosc_status cpu_radius_count(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    return search_tree(ctx, tree, query, BI_KDTREE_CPU_RADIUS_COUNT);
}

static bosc_status cpu_radius_fill(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    return search_tree(ctx, tree, query, BI_KDTREE_CPU_RADIUS_FILL);
}

static bool serves_any_tree(const bosc_kdtree *tree)
{
    (void)tree;
    return true;
}

static bosc_status cpu_box_count(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    return search_tree(ctx, tree, query, BI_KDTREE_CPU_BOX_COUNT);
}

static bosc_status cpu_box_fill(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    return search_tree(ctx, tree, query, BI_KDTREE_CPU_BOX_FILL);
}

const struct bi_kdtree_ops bi_kdtree_ops_cpu = {
    .steps = &cpu_steps,
    .blocks = cpu_blocks,
    .build_scratch = bi_kdtree_cpu_build_scratch,
    .find_beyond = cpu_find_beyond,
    .view = cpu_view,
    .find_flat = cpu_find_flat,
    .build = cpu_build,
    .remove_duplicates = bi_kdtree_cpu_remove_duplicates,
    .partition_by_superkey = bi_kdtree_cpu_partition_by_superkey,
    .store = cpu_store,
    .fetch = cpu_fetch,
    .make_index = cpu_make_index,
    .verify = cpu_verify,
    .knn = cpu_knn,
    .radius_count = cpu_radius_count,
    .radius_fill = cpu_radius_fill,
    .supports_boxes = serves_any_tree,
    .box_count = cpu_box_count,
    .box_fill = cpu_box_fill,
    .searches_orders = true,
    .searches_limits = true,
    .searches_self = true,
    .searches_later = serves_any_tree,
    .query_bytes = bi_kdtree_cpu_query_bytes,
    .order_bytes = bi_kdtree_cpu_order_bytes,
    .reserve_order = bi_kdtree_cpu_reserve_order,
    .order_nodes = bi_kdtree_cpu_order_nodes,
    .order_dim = BI_KDTREE_CPU_ORDERED_DIM,
    .nearest_other = cpu_nearest_other,
    .prune = cpu_prune,
};
