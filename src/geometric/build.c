/* Builds the table of models. */
#include <math.h>

#include "core/call.h"
#include "geometric/drivers.h"

/* A build in progress. Its models and points are in the table's next copy. */
struct build {
    struct bi_geometric_plan plan;
    struct bi_geometric_choice choice;
    struct bi_geometric_model *models;
    int64_t *first; /* (count + 1) host: first basis of each model */
    double extent;  /* greatest extent of all points along an axis */
};

/* ---- scale of a model ---- */

/* Rotation invariants of the points' covariance matrix: trace, sum of the principal 2 x 2 minors, and determinant (of
 * 3-D points). */
struct invariants {
    double trace, minors, determinant;
};

static struct invariants compute_invariants(const double *points, int64_t n, int dim)
{
    double mean[3] = {0, 0, 0}, c[3][3] = {{0}};
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < dim; k++) mean[k] += points[dim * i + k] / (double)n;
    for (int64_t i = 0; i < n; i++) {
        double d[3];
        for (int k = 0; k < dim; k++) d[k] = points[dim * i + k] - mean[k];
        for (int k = 0; k < dim; k++)
            for (int l = k; l < dim; l++) c[k][l] += d[k] * d[l] / (double)n;
    }
    struct invariants s = {.trace = c[0][0] + c[1][1], .minors = c[0][0] * c[1][1] - c[0][1] * c[0][1]};
    if (dim == 2) return s;
    s.trace += c[2][2];
    s.minors += c[0][0] * c[2][2] - c[0][2] * c[0][2];
    s.minors += c[1][1] * c[2][2] - c[1][2] * c[1][2];
    s.determinant = c[0][0] * (c[1][1] * c[2][2] - c[1][2] * c[1][2]) -
                    c[0][1] * (c[0][1] * c[2][2] - c[1][2] * c[0][2]) +
                    c[0][2] * (c[0][1] * c[1][2] - c[1][1] * c[0][2]);
    return s;
}

/* Sets min_size and tolerance of a model from the covariance of its points: the size of a typical basis, and a share of
 * the standard deviation. False if the points coincide, or lie on a line or in a plane, and so make no basis. */
static bool estimate_scale(const double *points, const struct bi_geometric_form *form, double tolerance,
                           struct bi_geometric_model *model)
{
    /* Points; tolerances shrink with the spacing of more. Not measured. */
    enum { MANY = 256 };
    struct invariants s = compute_invariants(points, model->n, form->dim);
    /* The squared length, area or volume of a typical basis. */
    double product = form->corners == 2 ? s.trace : form->corners == 3 ? s.minors : s.determinant, least = s.trace;
    model->min_size = form->corners == 2 ? product : sqrt(product > 0 ? product : 0);
    if (form->corners == 4) least *= sqrt(s.trace);
    /* The default tolerance: 3 percent of the standard deviation, less for many points. A larger one finds noisier
     * scenes and has more votes by chance. Not measured. */
    model->tolerance = tolerance;
    if (tolerance == 0) {
        double share = model->n > MANY ? (double)MANY / (double)model->n : 1;
        model->tolerance =
            0.03 * sqrt(s.trace) * (form->dim == 3 && share < 1 ? bi_geometric_cube_root(share) : sqrt(share));
    }
    return model->min_size > least * 1e-12;
}

/* ---- the build ---- */

/* Returns the greatest extent of the points along an axis. */
static double compute_extent(const double *points, int64_t n, int dim)
{
    double low[3], high[3], most = 0;
    for (int k = 0; k < dim; k++) low[k] = high[k] = points[k];
    for (int64_t i = 1; i < n; i++)
        for (int k = 0; k < dim; k++) {
            double x = points[dim * i + k];
            if (x < low[k]) low[k] = x;
            if (x > high[k]) high[k] = x;
        }
    for (int k = 0; k < dim; k++)
        if (high[k] - low[k] > most) most = high[k] - low[k];
    return most;
}

static bosc_status fail_without_basis(bosc_ctx *ctx, const struct build *b, int64_t model)
{
    static const char *const more[] = {"", " or on a line", " or in a plane"};
    const char *where = more[b->plan.form.corners - 2];
    if (b->plan.count == 1)
        return bi_fail(ctx, BOSC_ERR_DATA, "points: they are in one place%s and make no basis", where);
    return bi_fail(ctx, BOSC_ERR_DATA, "points: those of model %lld are in one place%s and make no basis",
                   (long long)model, where);
}

/* Checks that the points of each model make bases, and sets the model's scale. */
static bosc_status estimate_scales(bosc_ctx *ctx, const bosc_geometric *table, struct build *b, const double *points)
{
    for (int64_t k = 0; k < b->plan.count; k++) {
        struct bi_geometric_model *model = b->models + k;
        if (!estimate_scale(points + b->plan.form.dim * model->first_point, &b->plan.form, table->opts.tolerance,
                            model))
            return fail_without_basis(ctx, b, k);
    }
    b->extent = compute_extent(points, b->plan.n, b->plan.form.dim);
    return BOSC_OK;
}

/* Sets the ranges of bases and entries of each model from the list of chosen bases. */
static bosc_status set_model_ranges(bosc_ctx *ctx, struct build *b, const struct bi_geometric_corners *list,
                                    int64_t bases)
{
    struct bi_geometric_count_bases counts = {.list = list, .bases = bases};
    b->first[0] = 0;
    b->first[b->plan.count] = bases;
    if (b->plan.count > 1) {
        size_t bytes = (size_t)(b->plan.count + 1) * sizeof *b->first;
        BI_TRY(bi_scratch_of(ctx, b->plan.count + 1, sizeof *counts.first, &counts.first));
        BI_TRY(ctx->ops->geometric->steps->count_bases(ctx, b->plan.count + 1, &counts));
        BI_TRY(ctx->backend->copy(ctx, b->first, counts.first, bytes));
        BI_TRY(ctx->backend->sync(ctx));
    }
    int64_t entry = 0;
    for (int64_t k = 0; k < b->plan.count; k++) {
        struct bi_geometric_model *model = b->models + k;
        model->first_basis = b->first[k];
        model->bases = b->first[k + 1] - b->first[k];
        model->first_entry = entry;
        entry += model->bases * model->points_per_basis;
        if (model->bases == 0) return fail_without_basis(ctx, b, k);
    }
    b->plan.entries = entry;
    return BOSC_OK;
}

/* Chooses candidate bases and keeps the large ones: *list (scratch), *bases of them. */
static bosc_status choose_bases(bosc_ctx *ctx, struct build *b, struct bi_geometric_corners **list, int64_t *bases)
{
    size_t bytes = (size_t)b->plan.count * sizeof *b->models;
    int64_t candidates = b->plan.candidates;
    struct bi_geometric_choice *choice = &b->choice;
    void *count;
    struct bi_geometric_model *models;
    BI_TRY(bi_scratch_of(ctx, b->plan.count, sizeof *models, &models));
    BI_TRY(ctx->backend->copy(ctx, models, b->models, bytes));
    choice->models = models;
    choice->model_count = b->plan.count;
    if (b->plan.neighbours) BI_TRY(bi_geometric_find_model_neighbours(ctx, &b->plan, 4 * b->extent, choice));
    BI_TRY(bi_scratch_of(ctx, candidates, sizeof **list, &choice->list));
    BI_TRY(bi_scratch_of(ctx, candidates, sizeof **list, list));
    BI_TRY(bi_scratch_of(ctx, candidates, 1, &choice->is_large));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *bases, &count));
    BI_TRY(ctx->ops->geometric->steps->choose_bases(ctx, candidates, choice));
    BI_TRY(ctx->backend->core->compact(ctx, sizeof **list, choice->list, choice->is_large, candidates, *list, count));
    BI_TRY(bi_read_back(ctx, bases, count, sizeof *bases));
    return set_model_ranges(ctx, b, *list, *bases);
}

/* Maps each entry to its basis: with several models a division cannot, since their bases differ in size. */
static bosc_status map_entries(bosc_ctx *ctx, bosc_geometric *table, int64_t bases)
{
    struct bi_geometric_entries map = {
        .list = table->list.data, .models = table->models.data, .basis_of = table->basis_of.data};
    return ctx->ops->geometric->steps->entries(ctx, bases, &map);
}

/* Stores the models and their bases in the table, and builds the grid of coordinates. table->vote_radius is set. The
 * counts of the table are 0 meanwhile, and the caller sets them after success. */
static bosc_status store_table(bosc_ctx *ctx, bosc_geometric *table, const struct build *b,
                               const struct bi_geometric_corners *list, int64_t bases)
{
    enum { GRID_ITEMS = 14 }; /* cost of an entry, in simple items; affects the fraction of progress only */
    int64_t dim = b->plan.form.dim, entries = b->plan.entries;
    size_t points = (size_t)(b->plan.n * dim) * sizeof(double), lists = (size_t)bases * sizeof *list;
    size_t models = (size_t)b->plan.count * sizeof *b->models;
    bool several = b->plan.count > 1;
    struct bi_geometric_coordinates c = {.rows = b->choice.neighbours.rows,
                                         .width = b->plan.neighbours + 1,
                                         .points_per_basis = b->models->points_per_basis,
                                         .form = b->plan.form,
                                         .outside = BI_GEOMETRIC_OUTSIDE};
    bi_progress_set_total(ctx, 2 * (double)b->plan.candidates + GRID_ITEMS * (double)entries);
    /* 1. Store points, models and bases. */
    BI_TRY(bi_block_reserve(ctx, &table->memory, &table->points, points));
    BI_TRY(bi_block_reserve(ctx, &table->memory, &table->models, models));
    BI_TRY(bi_block_reserve(ctx, &table->memory, &table->list, lists));
    if (several) BI_TRY(bi_block_reserve(ctx, &table->memory, &table->basis_of, (size_t)entries * sizeof(uint32_t)));
    BI_TRY(ctx->backend->copy(ctx, table->points.data, b->choice.points, points));
    BI_TRY(ctx->backend->copy(ctx, table->models.data, b->models, models));
    BI_TRY(ctx->backend->copy(ctx, table->list.data, list, lists));
    if (several) BI_TRY(map_entries(ctx, table, bases));
    /* 2. Compute the coordinates of all entries and build their grid. */
    c.points = table->points.data;
    c.models = table->models.data;
    c.list = table->list.data;
    c.basis_of = several ? table->basis_of.data : NULL;
    BI_TRY(bi_scratch_of(ctx, entries * dim, sizeof(float), &c.at));
    BI_TRY(ctx->ops->geometric->steps->coordinates(ctx, entries, &c));
    BI_TRY(bi_geometric_resize_grid(ctx, table, table->vote_radius));
    return bosc_voxelgrid_build(ctx, table->grid, c.at, entries, dim);
}

/* Plans the build and fills the table's next copy with the models and their points. */
static bosc_status prepare_build(bosc_ctx *ctx, bosc_geometric *table, const double *points, const int64_t *offsets,
                                 int64_t count, struct build *b)
{
    size_t size = (size_t)(offsets[count] * table->opts.dim) * sizeof *points;
    BI_TRY(bi_geometric_reserve_copies(ctx, table, (size_t)count * sizeof *b->models + size));
    b->models = bi_geometric_models_in(&table->next_copy);
    BI_TRY(bi_geometric_plan_build(ctx, &table->opts, offsets, count, &b->plan, b->models));
    double *copy = bi_geometric_points_in(&table->next_copy, count);
    BI_TRY(bi_geometric_fetch_points(ctx, "points", points, offsets[count], table->opts.dim, copy));
    BI_TRY(estimate_scales(ctx, table, b, copy));
    b->choice = (struct bi_geometric_choice){.form = b->plan.form, .n = b->plan.n, .seed = table->opts.seed};
    return BOSC_OK;
}

/* Builds the table. offsets, first: (count + 1), host. */
static bosc_status build_models(bosc_ctx *ctx, bosc_geometric *table, const double *points, const int64_t *offsets,
                                int64_t count, int64_t *first)
{
    bool staged = false;
    const void *reachable;
    struct bi_geometric_corners *list;
    int64_t bases;
    struct build b = {.first = first};
    BI_TRY(prepare_build(ctx, table, points, offsets, count, &b));
    BI_TRY(bi_stage_in(ctx, points, (size_t)(b.plan.n * b.plan.form.dim) * sizeof *points, &reachable, &staged));
    b.choice.points = reachable;
    BI_TRY(choose_bases(ctx, &b, &list, &bases));
    /* The data is good: the table is empty until its new content is complete. */
    table->count = table->n = table->bases = table->entries = table->largest = 0;
    struct bi_block copy = table->next_copy;
    table->next_copy = table->copy;
    table->copy = copy;
    table->neighbours = b.plan.neighbours;
    table->vote_radius = bi_geometric_vote_radius(&table->opts, table->neighbours);
    BI_TRY(store_table(ctx, table, &b, list, bases));
    BI_TRY(ctx->backend->sync(ctx));
    table->count = count;
    table->n = b.plan.n;
    table->largest = b.plan.largest;
    table->bases = bases;
    table->entries = b.plan.entries;
    return BOSC_OK;
}

bosc_status bosc_geometric_build(bosc_ctx *ctx, bosc_geometric *table, const double *points, int64_t n)
{
    int64_t offsets[2] = {0, n}, first[2];
    BI_ENTER(ctx);
    BI_TRY(bi_geometric_check(ctx, table));
    BI_TRY(bi_geometric_check_model(ctx, &table->opts, n));
    BI_TRY(bi_geometric_check_points(ctx, "points", points));
    BI_RETURN_WITH_SCRATCH(ctx, build_models(ctx, table, points, offsets, 1, first));
}

bosc_status bosc_geometric_build_models(bosc_ctx *ctx, bosc_geometric *table, const double *points,
                                        const int64_t *offsets, int64_t model_count)
{
    void *memory;
    BI_ENTER(ctx);
    BI_TRY(bi_geometric_check(ctx, table));
    BI_TRY(bi_geometric_check_count(ctx, offsets, model_count));
    BI_TRY(bi_geometric_check_points(ctx, "points", points));
    size_t bytes = (size_t)(model_count + 1) * sizeof *offsets;
    BI_TRY(bi_host_scratch(ctx, 2 * bytes, &memory));
    int64_t *copy = memory;
    BI_TRY(ctx->backend->copy(ctx, copy, offsets, bytes));
    BI_TRY(ctx->backend->sync(ctx));
    BI_TRY(bi_geometric_check_offsets(ctx, &table->opts, copy, model_count));
    BI_RETURN_WITH_SCRATCH(ctx, build_models(ctx, table, points, copy, model_count, copy + model_count + 1));
}
