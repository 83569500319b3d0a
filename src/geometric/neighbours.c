/* Neighbours of points: the bases of large models and of their scenes are made of them. */
#include "geometric/drivers.h"

const bosc_kdtree_opts bi_geometric_tree_opts = {
    .size = sizeof bi_geometric_tree_opts, .dtype = BOSC_F64, .dim = 2, .id_bits = 32, .assume_valid = 1};

static void release_tree(void *tree) { bosc_kdtree_free(tree); }

static bosc_status get_tree(bosc_ctx *ctx, bosc_kdtree **tree)
{
    *tree = ctx->kept.handle;
    if (*tree) return BOSC_OK;
    BI_TRY(bosc_kdtree_create(ctx, &bi_geometric_tree_opts, tree));
    ctx->kept = (struct bi_kept){*tree, release_tree};
    return BOSC_OK;
}

bosc_status bi_geometric_make_tree(bosc_ctx *ctx, const double *points, int64_t n, const bosc_kdtree **tree)
{
    bosc_kdtree *kept;
    BI_TRY(get_tree(ctx, &kept));
    *tree = kept;
    return bosc_kdtree_build(ctx, kept, points, n, 0);
}

bosc_status bi_geometric_reserve_tree(bosc_ctx *ctx, int64_t n, int64_t neighbours)
{
    bosc_kdtree *kept;
    if (!neighbours) return BOSC_OK;
    BI_TRY(get_tree(ctx, &kept));
    return bosc_kdtree_reserve(ctx, kept, n, n, neighbours + 1);
}

bosc_status bi_geometric_find_neighbours(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t rows,
                                         struct bi_geometric_choice *choice)
{
    const struct bi_geometric_steps *steps = ctx->ops->geometric->steps;
    int64_t width = choice->neighbours.count + 1;
    struct bi_geometric_drop_self others = {.count = choice->neighbours.count};
    BI_TRY(bi_scratch_of(ctx, rows * width, sizeof(uint32_t), &choice->neighbours.rows));
    others.rows = choice->neighbours.rows;
    if (choice->model) {
        BI_TRY(bosc_kdtree_knn_self(ctx, tree, width, others.rows, NULL));
    } else {
        BI_TRY(bi_scratch_of(ctx, rows, 2 * sizeof(double), &choice->base_points));
        BI_TRY(bi_scratch_of(ctx, rows, sizeof(uint32_t), &choice->self));
        BI_TRY(steps->base_points(ctx, rows, choice));
        BI_TRY(bosc_kdtree_knn(ctx, tree, choice->base_points, rows, 0, width, others.rows, NULL));
        others.self = choice->self;
    }
    return steps->drop_self(ctx, rows, &others);
}
