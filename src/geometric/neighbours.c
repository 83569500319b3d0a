/* Finds the neighbours of points, which make the bases of large models and of their scenes. */
#include "geometric/drivers.h"

enum { LEAST_DIM = 2, TREES = 3 }; /* dimensions 2 to 4: points, with one more coordinate for several models */

/* The context's trees, kept between calls; NULL: not created yet. */
struct trees {
    struct bi_memory host;
    bosc_kdtree *of_dim[TREES];
};

static void release_trees(void *kept)
{
    struct trees *trees = kept;
    for (int k = 0; k < TREES; k++) bosc_kdtree_free(trees->of_dim[k]);
    bi_memory_release(&trees->host, trees, sizeof *trees);
}

bosc_kdtree_opts bi_geometric_tree_opts(int32_t dim)
{
    return (bosc_kdtree_opts){
        .size = sizeof(bosc_kdtree_opts), .dtype = BOSC_F64, .dim = dim, .id_bits = 32, .assume_valid = 1};
}

/* Returns the context's tree of `dim` coordinates; creates it, and their list, at first use. */
static bosc_status get_kept_tree(bosc_ctx *ctx, int32_t dim, bosc_kdtree **tree)
{
    struct trees *trees = ctx->kept.handle;
    bosc_kdtree_opts opts = bi_geometric_tree_opts(dim);
    if (!trees) {
        BI_TRY(BI_NEW(ctx, &trees, .host = ctx->host));
        ctx->kept = (struct bi_cached_structure){trees, release_trees};
    }
    bosc_kdtree **kept = &trees->of_dim[dim - LEAST_DIM];
    if (!*kept) BI_TRY(bosc_kdtree_create(ctx, &opts, kept));
    *tree = *kept;
    return BOSC_OK;
}

bosc_status bi_geometric_build_tree(bosc_ctx *ctx, const double *points, int64_t n, int32_t dim,
                                    const bosc_kdtree **tree)
{
    bosc_kdtree *kept;
    BI_TRY(get_kept_tree(ctx, dim, &kept));
    *tree = kept;
    return bosc_kdtree_build(ctx, kept, points, n, 0);
}

int32_t bi_geometric_tree_dim(const struct bi_geometric_plan *plan) { return plan->form.dim + (plan->count > 1); }

bosc_status bi_geometric_reserve_tree(bosc_ctx *ctx, const struct bi_geometric_plan *plan)
{
    bosc_kdtree *kept;
    if (!plan->neighbours) return BOSC_OK;
    BI_TRY(get_kept_tree(ctx, bi_geometric_tree_dim(plan), &kept));
    return bosc_kdtree_reserve(ctx, kept, plan->n, plan->n, plan->neighbours + 1);
}

bosc_status bi_geometric_find_model_neighbours(bosc_ctx *ctx, const struct bi_geometric_plan *plan, double distance,
                                               struct bi_geometric_choice *choice)
{
    const struct bi_geometric_steps *steps = ctx->ops->geometric->steps;
    int64_t width = plan->neighbours + 1;
    const bosc_kdtree *tree;
    const double *points = choice->points;
    struct bi_geometric_drop_self others = {.count = plan->neighbours};
    choice->neighbours.count = plan->neighbours;
    BI_TRY(bi_scratch_of(ctx, plan->n * width, sizeof(uint32_t), &choice->neighbours.rows));
    if (plan->count > 1) {
        struct bi_geometric_separate_models set = {.points = choice->points,
                                                   .models = choice->models,
                                                   .model_count = plan->count,
                                                   .dim = plan->form.dim,
                                                   .distance = distance};
        BI_TRY(bi_scratch_of(ctx, plan->n * (set.dim + 1), sizeof *set.separated, &set.separated));
        BI_TRY(steps->separate_models(ctx, plan->n, &set));
        points = set.separated;
    }
    /* The width nearest points of a point include itself. */
    BI_TRY(bi_geometric_build_tree(ctx, points, plan->n, bi_geometric_tree_dim(plan), &tree));
    others.rows = choice->neighbours.rows;
    BI_TRY(bosc_kdtree_knn_self(ctx, tree, width, others.rows, NULL));
    return steps->drop_self(ctx, plan->n, &others);
}

bosc_status bi_geometric_find_scene_neighbours(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t rows,
                                               struct bi_geometric_choice *choice)
{
    const struct bi_geometric_steps *steps = ctx->ops->geometric->steps;
    int64_t width = choice->neighbours.count + 1, dim = choice->form.dim;
    struct bi_geometric_drop_self others = {.count = choice->neighbours.count};
    BI_TRY(bi_scratch_of(ctx, rows * width, sizeof(uint32_t), &choice->neighbours.rows));
    BI_TRY(bi_scratch_of(ctx, rows, (size_t)dim * sizeof(double), &choice->base_points));
    BI_TRY(bi_scratch_of(ctx, rows, sizeof(uint32_t), &choice->self));
    BI_TRY(steps->base_points(ctx, rows, choice));
    BI_TRY(bosc_kdtree_knn(ctx, tree, choice->base_points, rows, 0, width, choice->neighbours.rows, NULL));
    others.rows = choice->neighbours.rows;
    others.self = choice->self;
    return steps->drop_self(ctx, rows, &others);
}
