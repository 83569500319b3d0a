/* Assigns triangles to voxels: chooses the cell, divides the voxels of all boxes into slices, and sorts the entries
 * of voxels that both meshes overlap. */
#include <math.h>

#include "collision/drivers.h"

enum {
    CELL_EXTENTS = 2,    /* edge of a voxel in mean extents of a triangle; chosen */
    MAX_WIDTH = 1 << 20, /* voxels along a coordinate, but for one */
    BITS_PER_VOXEL = 8,  /* of hashed tables; chosen */
    MIN_WORDS = 32       /* of a table */
};

static double max_width(const struct bi_collision_grid *g)
{
    double most = 0;
    for (int c = 0; c < BI_COLLISION_DIM; c++)
        if (g->high[c] - g->low[c] > most) most = g->high[c] - g->low[c];
    return most;
}

/* Sets the cell and all that depends on it. */
static void set_cell(struct bi_collision_grid *g, double cell)
{
    double far = 0;
    g->cell = cell;
    for (int c = 0; c < BI_COLLISION_DIM; c++) {
        g->size[c] = bi_collision_voxel_coordinate(g, c, g->high[c]) + 1;
        if (fabs(g->low[c]) > far) far = fabs(g->low[c]);
        if (fabs(g->high[c]) > far) far = fabs(g->high[c]);
    }
    g->half = 0.5 * cell + 0x1p-48 * (far + cell);
}

/* The caller's cell, or twice the mean extent of the triangles; limited so that the grid is not too wide. */
static bosc_status choose_cell(bosc_ctx *ctx, const struct bi_collision_frame *frame, double *cell)
{
    double width = max_width(&frame->grid);
    if (*cell == 0) {
        double sum;
        void *sum_at;
        BI_TRY(bi_scratch_of(ctx, 1, sizeof sum, &sum_at));
        BI_TRY(ctx->backend->core->reduce(ctx, BOSC_SUM, BOSC_F64, frame->extents, frame->soup.count, sum_at));
        BI_TRY(bi_read_back(ctx, &sum, sum_at, sizeof sum));
        *cell = CELL_EXTENTS * sum / (double)frame->soup.count;
    }
    if (*cell == 0) *cell = width / 256; /* all triangles are points */
    if (*cell > 2 * width) *cell = 2 * width;
    if (*cell == 0) *cell = 1;
    while (width > MAX_WIDTH * *cell) *cell *= 2;
    return BOSC_OK;
}

/* Counts the voxels of the boxes; *fits: they are not too many. */
static bosc_status count_boxes(bosc_ctx *ctx, const struct bi_collision_frame *frame, int64_t *begins, int64_t *voxels,
                               bool *fits)
{
    int64_t n = frame->soup.count, found[2]; /* all voxels; 1: a box has too many */
    struct bi_collision_count_boxes boxes = {frame->grid, frame->soup, begins, (uint64_t *)begins + n + 1};
    BI_TRY(ctx->backend->fill(ctx, begins + n, 0, sizeof found));
    BI_TRY_WITH_COST(ctx, 4, ctx->ops->collision->steps->count_boxes(ctx, n, &boxes));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, begins, n + 1, begins));
    BI_TRY(bi_read_back(ctx, found, begins + n, sizeof found));
    *voxels = found[0];
    *fits = found[1] == 0 && found[0] <= bi_collision_max_voxels(n);
    return BOSC_OK;
}

uint64_t bi_collision_table_words(int64_t voxels)
{
    uint64_t words = MIN_WORDS;
    while (words * 32 < (uint64_t)voxels * BITS_PER_VOXEL) words *= 2;
    return words;
}

/* Allocates two tables with a bit for each voxel, or shared by several. */
static bosc_status alloc_tables(bosc_ctx *ctx, struct bi_collision_grid *g, int64_t voxels)
{
    const uint64_t all = (uint64_t)(g->size[0] * g->size[1] * g->size[2]) / 32 + 1;
    uint64_t words = bi_collision_table_words(voxels), most = BI_COLLISION_DIRECT_FACTOR * words, direct = MIN_WORDS;
    while (direct < all && direct <= most) direct *= 2;
    if (direct >= all && direct <= most) words = direct;
    size_t bytes = words * sizeof(uint32_t);
    g->word_mask = words - 1;
    BI_TRY(bi_scratch(ctx, bytes, (void **)&g->a_bits));
    BI_TRY(bi_scratch(ctx, bytes, (void **)&g->b_bits));
    BI_TRY(ctx->backend->fill(ctx, g->a_bits, 0, bytes));
    return ctx->backend->fill(ctx, g->b_bits, 0, bytes);
}

/* Marks the voxels of A's boxes, finds the triangles of B in them, then those of A in voxels with triangles of B. */
static bosc_status fill_entries(bosc_ctx *ctx, struct bi_collision_frame *frame, struct bi_collision_slices *s,
                                int64_t voxels)
{
    const struct bi_collision_steps *steps = ctx->ops->collision->steps;
    int64_t b_slices = bi_div_up(voxels - s->a_voxels, BI_COLLISION_SLICE), slices = s->a_slices + b_slices, entries;
    BI_TRY(bi_scratch_of(ctx, slices + 1, sizeof *s->counts, &s->counts));
    BI_TRY(ctx->backend->fill(ctx, s->counts + slices, 0, sizeof *s->counts));
    BI_TRY_WITH_COST(ctx, BI_COLLISION_SLICE, steps->mark(ctx, s->a_slices, s));
    s->first = s->a_slices;
    BI_TRY_WITH_COST(ctx, BI_COLLISION_SLICE, steps->count_entries(ctx, b_slices, s));
    s->first = 0;
    BI_TRY_WITH_COST(ctx, BI_COLLISION_SLICE, steps->count_entries(ctx, s->a_slices, s));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, s->counts, slices + 1, s->counts));
    BI_TRY(bi_read_back(ctx, &entries, s->counts + slices, sizeof entries));
    BI_TRY(bi_scratch_of(ctx, entries, sizeof *s->keys, &s->keys));
    BI_TRY(bi_scratch_of(ctx, entries, sizeof *s->triangles, &s->triangles));
    frame->info.entries = entries;
    return entries ? steps->fill_entries(ctx, slices, s) : BOSC_OK;
}

/* Lists, sorted by voxel, the triangles that overlap each voxel of the common region. Triangles stay whole; only their
 * ranges of voxels are cut to the grid. The cell is at least 2^-20 and at most twice the width of the region. */
bosc_status bi_collision_build_entries(bosc_ctx *ctx, struct bi_collision_frame *frame, double cell)
{
    struct bi_collision_grid *g = &frame->grid;
    int64_t n = frame->soup.count, voxels, *begins, a_voxels;
    bool fits = false;
    /* 1. Choose the cell; enlarge it until the boxes have few enough voxels. */
    for (int c = 0; c < BI_COLLISION_DIM; c++) {
        g->low[c] = frame->region.low[c];
        g->high[c] = frame->region.high[c];
    }
    BI_TRY(bi_scratch_of(ctx, n + 2, sizeof *begins, &begins));
    BI_TRY_WITH_SCRATCH(ctx, choose_cell(ctx, frame, &cell));
    for (; !fits; cell *= 2) {
        set_cell(g, cell);
        BI_TRY_WITH_SCRATCH(ctx, count_boxes(ctx, frame, begins, &voxels, &fits));
    }
    frame->info.cell = g->cell;
    frame->info.box_voxels = voxels;
    /* 2. Entries: slices of the voxels of A, then of B. */
    BI_TRY(bi_read_back(ctx, &a_voxels, begins + frame->soup.a_count, sizeof a_voxels));
    BI_TRY(alloc_tables(ctx, g, voxels));
    struct bi_collision_slices slices = {.grid = *g,
                                         .soup = frame->soup,
                                         .begins = begins,
                                         .a_voxels = a_voxels,
                                         .a_slices = bi_div_up(a_voxels, BI_COLLISION_SLICE)};
    BI_TRY(fill_entries(ctx, frame, &slices, voxels));
    frame->keys = slices.keys;
    frame->triangles = slices.triangles;
    if (frame->info.entries == 0) return BOSC_OK;
    /* 3. Sort by voxel and mesh. */
    int bits = bi_bit_length((uint64_t)(g->size[0] * g->size[1] * g->size[2] - 1)) + 1;
    return ctx->backend->core->sort_pairs(ctx, BOSC_U64, slices.keys, sizeof(uint32_t), slices.triangles,
                                          frame->info.entries, slices.keys, slices.triangles, 0, bits);
}
