/* Euclidean minimum spanning trees: Boruvka's rounds over the nearest points of other components. Edges are ordered by
 * (squared length, smaller point, greater point), so that the tree is one. Of the points equally near to a point the
 * one of the smallest id makes the first pair, whichever side of it the point is on. Source: March, Ram, Gray, Fast
 * Euclidean Minimum Spanning Tree (KDD 2010), with a tree for each point's search. */
#include <boscage/forest.h>
#include <boscage/kdtree.h>

#include "base/bits.h"
#include "forest/driver.h"

struct emst {
    bosc_ctx *ctx;
    const struct bi_forest_steps *steps;
    bosc_kdtree *tree;
    int64_t n, edges;
    struct bi_emst args;
    uint32_t *labels, *found;
    void *found2;
    uint64_t *pairs, *words; /* n - 1: the edges so far, and their squared lengths */
    int64_t *count;
};

static bosc_status take(struct emst *e, size_t size, void *at)
{
    return bi_forest_scratch(e->ctx, e->n, size, (void **)at);
}

static bosc_status take_all(struct emst *e)
{
    size_t size = e->args.wide ? 8 : 4;
    BI_TRY(take(e, sizeof(uint32_t), &e->labels));
    BI_TRY(take(e, sizeof(uint32_t), &e->args.other));
    BI_TRY(take(e, size, &e->args.dist2));
    BI_TRY(take(e, size, &e->args.bounds));
    BI_TRY(take(e, sizeof(uint32_t), &e->found));
    BI_TRY(take(e, size, &e->found2));
    BI_TRY(take(e, sizeof(uint64_t), &e->args.best));
    BI_TRY(take(e, sizeof(uint64_t), &e->args.pair));
    BI_TRY(take(e, sizeof(uint32_t), &e->args.parent));
    BI_TRY(take(e, 1, &e->args.keep));
    BI_TRY(take(e, sizeof(uint64_t), &e->pairs));
    BI_TRY(take(e, sizeof(uint64_t), &e->words));
    e->args.label = e->labels;
    e->args.found = e->found;
    e->args.found2 = e->found2;
    return bi_forest_scratch(e->ctx, 1, sizeof *e->count, (void **)&e->count);
}

/* Every point that does not know its nearest of another component looks for it. */
static bosc_status look(struct emst *e)
{
    const struct bi_forest_steps *steps = e->steps;
    BI_TRY(e->ctx->backend->fill(e->ctx, e->args.best, 0xff, (size_t)e->n * sizeof(uint64_t)));
    BI_TRY(steps->emst_keep(e->ctx, e->n, &e->args));
    BI_TRY(steps->emst_bound(e->ctx, e->n, &e->args));
    BI_TRY(bosc_kdtree_nearest_other(e->ctx, e->tree, e->labels, e->args.bounds, e->found, e->found2));
    return steps->emst_take(e->ctx, e->n, &e->args);
}

/* Adds the components' edges and joins what they join. */
static bosc_status join(struct emst *e)
{
    const struct bi_core_ops *core = e->ctx->backend->core;
    struct bi_flatten flatten = {e->args.parent};
    int64_t added;
    BI_TRY(e->ctx->backend->fill(e->ctx, e->args.pair, 0xff, (size_t)e->n * sizeof(uint64_t)));
    BI_TRY(e->steps->emst_tie(e->ctx, e->n, &e->args));
    BI_TRY(e->steps->emst_join(e->ctx, e->n, &e->args));
    BI_TRY(core->compact(e->ctx, 8, e->args.best, e->args.keep, e->n, e->words + e->edges, e->count));
    BI_TRY(core->compact(e->ctx, 8, e->args.pair, e->args.keep, e->n, e->pairs + e->edges, e->count));
    BI_TRY(e->steps->flatten(e->ctx, e->n, &flatten));
    BI_TRY(e->ctx->backend->copy(e->ctx, e->labels, e->args.parent, (size_t)e->n * sizeof(uint32_t)));
    BI_TRY(bi_read_back(e->ctx, &added, e->count, sizeof added));
    if (added == 0) return bi_fail(e->ctx, BOSC_ERR_INTERNAL, "a component has no edge to another");
    e->edges += added;
    return bi_progress(e->ctx, "emst", (double)e->edges / (double)(e->n - 1));
}

static bosc_status span(struct emst *e)
{
    BI_TRY(take_all(e));
    struct bi_iota iota = {e->labels, false};
    BI_TRY(e->steps->iota(e->ctx, e->n, &iota));
    BI_TRY(e->ctx->backend->fill(e->ctx, e->args.other, 0xff, (size_t)e->n * sizeof(uint32_t)));
    while (e->edges < e->n - 1) {
        BI_TRY(look(e));
        BI_TRY(join(e));
    }
    return e->ctx->backend->core->sort_pairs(e->ctx, BOSC_U64, e->pairs, 8, e->words, e->edges, e->pairs, e->words, 0,
                                             64);
}

struct outputs {
    bool wide_ids;
    void *pairs, *dist2;
};

static bosc_status give(struct emst *e, const struct outputs *to)
{
    struct bi_out pairs, dist2;
    bool staged = false;
    size_t edges = (size_t)(e->n - 1), size = e->args.wide ? 8 : 4;
    BI_TRY(bi_stage_out(e->ctx, to->pairs, 2 * edges * (to->wide_ids ? 8 : 4), &pairs, &staged));
    BI_TRY(bi_stage_out(e->ctx, to->dist2, to->dist2 ? edges * size : 0, &dist2, &staged));
    struct bi_emst_write write = {e->pairs,     e->words,        to->wide_ids,
                                  e->args.wide, pairs.reachable, to->dist2 ? dist2.reachable : NULL};
    BI_TRY(e->steps->emst_write(e->ctx, e->edges, &write));
    BI_TRY(bi_stage_back(e->ctx, &pairs));
    if (to->dist2) BI_TRY(bi_stage_back(e->ctx, &dist2));
    return e->ctx->backend->sync(e->ctx);
}

static bosc_status check(bosc_ctx *ctx, bosc_dtype dtype, int32_t dim, int64_t n, int32_t id_bits,
                         const struct outputs *to)
{
    if (dtype != BOSC_F32 && dtype != BOSC_F64 && dtype != BOSC_I32 && dtype != BOSC_I64)
        return bi_fail(ctx, BOSC_ERR_ARG, "dtype: %d is none of F32, F64, I32, I64", (int)dtype);
    if (dim < 1 || dim > 1024) return bi_fail(ctx, BOSC_ERR_ARG, "dim: %d is not in 1 to 1024", (int)dim);
    if (id_bits != 32 && id_bits != 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "id_bits: %d is neither 32 nor 64", (int)id_bits);
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is less than 0", (long long)n);
    if (n > 1 && !to->pairs) return bi_fail(ctx, BOSC_ERR_ARG, "pairs: NULL");
    if ((uintptr_t)to->pairs % (uintptr_t)(id_bits / 8))
        return bi_fail(ctx, BOSC_ERR_ARG, "pairs: not aligned to elements of %d bits", (int)id_bits);
    if ((uintptr_t)to->dist2 % (dtype == BOSC_F32 ? 4 : 8))
        return bi_fail(ctx, BOSC_ERR_ARG, "dist2: not aligned to its elements");
    return BOSC_OK;
}

bosc_status bosc_emst(bosc_ctx *ctx, bosc_dtype dtype, int32_t dim, const void *points, int64_t n, int64_t stride,
                      int32_t id_bits, void *pairs, void *dist2)
{
    if (!ctx) return BOSC_ERR_ARG;
    bi_begin(ctx);
    struct outputs to = {id_bits == 64, pairs, dist2};
    BI_TRY(check(ctx, dtype, dim, n, id_bits, &to));
    struct emst e = {.ctx = ctx, .steps = bi_forest_steps_of(ctx), .n = n, .args = {.wide = dtype != BOSC_F32}};
    bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = dtype, .dim = dim, .id_bits = 32};
    BI_TRY(bosc_kdtree_create(ctx, &opts, &e.tree));
    bosc_status status = bosc_kdtree_build(ctx, e.tree, points, n, stride);
    if (status == BOSC_OK && n > 1) {
        struct bi_mark mark = bi_arena_mark(ctx);
        status = span(&e);
        if (status == BOSC_OK) status = give(&e, &to);
        bi_arena_rewind(ctx, mark);
    }
    bosc_kdtree_free(e.tree);
    return status;
}
