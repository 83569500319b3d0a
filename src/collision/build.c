/* Finds a frame's collisions. Reads the meshes and drops triangles outside the common part of their boxes; assigns the
 * others to voxels; and tests the pairs that share a voxel and whose boxes touch, each once. */
#include <math.h>

#include "collision/handle.h"
#include "collision/steps/steps.h"

/* A frame, from the meshes to the pairs. */
struct frame {
    struct bi_collision_meshes meshes;
    struct bi_collision_region region;
    struct bi_collision_soup soup;
    struct bi_collision_grid grid;
    const double *extents;     /* of the soup's triangles */
    const uint64_t *keys;      /* of the entries, ascending */
    const uint32_t *triangles; /* of the entries */
    bosc_collision_info info;  /* results */
};

/* ---- meshes, and triangles near the common part ---- */

/* Stages the arrays of a mesh. */
static bosc_status stage_mesh(bosc_ctx *ctx, struct bi_collision_input *m, bool *staged)
{
    size_t size = m->is_f64 ? sizeof(double) : sizeof(float), index_size = m->indices_64bit ? 8 : 4;
    size_t elements = m->vertex_count ? (size_t)((m->vertex_count - 1) * m->stride + BI_COLLISION_DIM) : 0;
    BI_TRY(bi_stage_in(ctx, m->vertices, elements * size, &m->vertices, staged));
    return bi_stage_in(ctx, m->triangles, (size_t)m->triangle_count * 3 * index_size, &m->triangles, staged);
}

/* Transforms the vertices, and finds the boxes of both meshes. */
static bosc_status read_vertices(bosc_ctx *ctx, struct bi_collision_meshes *meshes)
{
    const struct bi_collision_input *mesh = meshes->mesh;
    int64_t vertices = mesh[0].vertex_count + mesh[1].vertex_count;
    BI_TRY(bi_scratch_of(ctx, vertices * BI_COLLISION_DIM, sizeof(double), &meshes->positions));
    BI_TRY(bi_scratch_of(ctx, BI_COLLISION_FOUND, sizeof(uint64_t), &meshes->found));
    BI_TRY(ctx->backend->fill(ctx, meshes->found, 0xff, BI_COLLISION_FOUND * sizeof(uint64_t)));
    for (int which = 0; which < 2; which++) {
        int64_t n = mesh[which].vertex_count;
        struct bi_collision_vertices read = {*meshes, n < BI_COLLISION_ITEMS ? n : BI_COLLISION_ITEMS, which};
        if (n > 0)
            BI_TRY_WITH_COST(ctx, (double)n / (double)read.items,
                             ctx->ops->collision->steps->vertices(ctx, read.items, &read));
    }
    return BOSC_OK;
}

/* Fails with the reason why the frame is rejected. */
static bosc_status report_bad_input(bosc_ctx *ctx, const struct bi_collision_meshes *meshes)
{
    static const char *const names[] = {"a", "b"};
    uint64_t bad[BI_COLLISION_LOW];
    BI_TRY(bi_read_back(ctx, bad, meshes->found, sizeof bad));
    for (int which = 0; which < 2; which++)
        if (bad[BI_COLLISION_BAD_VERTEX + which] != UINT64_MAX)
            return bi_fail(ctx, BOSC_ERR_DATA,
                           "%s: vertex %llu has a coordinate that is neither 0 nor from 2^-250 to 2^250 in size",
                           names[which], (unsigned long long)bad[BI_COLLISION_BAD_VERTEX + which]);
    int which = bad[BI_COLLISION_BAD_TRIANGLE] == UINT64_MAX;
    return bi_fail(ctx, BOSC_ERR_DATA, "%s: triangle %llu has a vertex that is not below %lld", names[which],
                   (unsigned long long)bad[BI_COLLISION_BAD_TRIANGLE + which],
                   (long long)meshes->mesh[which].vertex_count);
}

/* Finds the triangles that overlap the common part of the boxes. */
static bosc_status find_near_triangles(bosc_ctx *ctx, struct frame *frame)
{
    const struct bi_collision_steps *steps = ctx->ops->collision->steps;
    struct bi_collision_near near = {.meshes = frame->meshes};
    int64_t a_triangles = near.meshes.mesh[0].triangle_count, n = a_triangles + near.meshes.mesh[1].triangle_count;
    struct bi_collision_summary summary = {.found = near.meshes.found, .b_first = a_triangles};
    uint32_t *ids;
    int64_t *count;
    BI_TRY(bi_scratch_of(ctx, n, 1, &near.is_kept));
    BI_TRY(bi_scratch_of(ctx, n, sizeof(uint32_t), &near.ids));
    BI_TRY(bi_scratch_of(ctx, n, sizeof(uint32_t), &ids));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *count, &count));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *summary.region, &summary.region));
    BI_TRY_WITH_COST(ctx, 4, steps->near(ctx, n, &near));
    BI_TRY(ctx->backend->core->compact(ctx, sizeof *ids, near.ids, near.is_kept, n, ids, count));
    summary.ids = ids;
    summary.count = count;
    BI_TRY(steps->summary(ctx, 1, &summary));
    BI_TRY(bi_read_back(ctx, &frame->region, summary.region, sizeof frame->region));
    if (frame->region.count < 0) return report_bad_input(ctx, &near.meshes);
    frame->soup = (struct bi_collision_soup){
        .ids = ids, .count = frame->region.count, .a_count = frame->region.a_count, .b_first = a_triangles};
    return BOSC_OK;
}

/* Gathers the corners and extents of the near triangles. */
static bosc_status gather_corners(bosc_ctx *ctx, struct frame *frame)
{
    struct bi_collision_gather gather = {.meshes = frame->meshes, .ids = frame->soup.ids};
    int64_t n = frame->soup.count;
    BI_TRY(bi_scratch_of(ctx, n * BI_COLLISION_CORNERS, sizeof(double), &gather.corners));
    BI_TRY(bi_scratch_of(ctx, n, sizeof(double), &gather.extents));
    BI_TRY_WITH_COST(ctx, 4, ctx->ops->collision->steps->gather(ctx, n, &gather));
    frame->soup.corners = gather.corners;
    frame->extents = gather.extents;
    return BOSC_OK;
}

/* ---- voxels ---- */

enum {
    CELL_EXTENTS = 2,    /* edge of a voxel in mean extents of a triangle; not measured */
    MAX_WIDTH = 1 << 20, /* voxels along a coordinate, but for one */
    TEST_COST = 32       /* cost of a test in simple items, for progress; estimated */
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

/* Chooses the caller's cell, or twice the mean extent of the triangles; limited so that the grid is not too wide. */
static bosc_status choose_cell(bosc_ctx *ctx, const struct frame *frame, double *cell)
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
    if (*cell == 0) *cell = 1; /* the common part is a point */
    while (width > MAX_WIDTH * *cell) *cell *= 2;
    return BOSC_OK;
}

/* Counts the voxels of the boxes; *voxels is -1 if there are too many. */
static bosc_status count_boxes(bosc_ctx *ctx, const struct frame *frame, int64_t *begins, int64_t *voxels)
{
    int64_t n = frame->soup.count, found[2]; /* all voxels; 1: a box has too many */
    struct bi_collision_count_boxes boxes = {frame->grid, frame->soup, begins, (uint64_t *)begins + n + 1};
    BI_TRY(ctx->backend->fill(ctx, begins + n, 0, sizeof found));
    BI_TRY_WITH_COST(ctx, 4, ctx->ops->collision->steps->count_boxes(ctx, n, &boxes));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, begins, n + 1, begins));
    BI_TRY(bi_read_back(ctx, found, begins + n, sizeof found));
    *voxels = found[1] == 0 && found[0] <= bi_collision_max_voxels(n) ? found[0] : -1;
    return BOSC_OK;
}

/* Allocates two tables of bits: one bit for each voxel of the grid if they fit, else several voxels share a bit. */
static bosc_status alloc_tables(bosc_ctx *ctx, struct bi_collision_grid *g, int64_t voxels)
{
    const uint64_t all = (uint64_t)(g->size[0] * g->size[1] * g->size[2]) / 32 + 1;
    uint64_t words = bi_collision_table_words(voxels), most = BI_COLLISION_DIRECT_FACTOR * words,
             direct = BI_COLLISION_MIN_WORDS;
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
static bosc_status fill_entries(bosc_ctx *ctx, struct frame *frame, struct bi_collision_slices *s, int64_t voxels)
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

/* Lists, sorted by voxel and mesh, the triangles that overlap each voxel of the common region. Voxels that only one
 * mesh overlaps are left out, as far as the tables of bits show. Triangles stay whole; only their ranges of voxels are
 * cut to the grid. Both meshes have near triangles. cell 0: chosen from the mean extent; a positive cell may be limited
 * or enlarged. info.cell receives the result: 2^-20 to 2 widths of the region, or 1 if that is a point. */
static bosc_status build_entries(bosc_ctx *ctx, struct frame *frame, double cell)
{
    struct bi_collision_grid *g = &frame->grid;
    int64_t n = frame->soup.count, voxels, *begins, a_voxels;
    /* 1. Choose the cell; enlarge it until the boxes have few enough voxels. */
    for (int c = 0; c < BI_COLLISION_DIM; c++) {
        g->low[c] = frame->region.low[c];
        g->high[c] = frame->region.high[c];
    }
    BI_TRY(bi_scratch_of(ctx, n + 2, sizeof *begins, &begins));
    BI_TRY_WITH_SCRATCH(ctx, choose_cell(ctx, frame, &cell));
    do {
        set_cell(g, cell);
        BI_TRY_WITH_SCRATCH(ctx, count_boxes(ctx, frame, begins, &voxels));
        cell *= 2;
    } while (voxels < 0);
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

/* ---- candidates ---- */

/* Counts the candidates and lists them, sorted. */
static bosc_status find_candidates(bosc_ctx *ctx, struct frame *frame, struct bi_collision_tests *tests)
{
    const struct bi_collision_steps *steps = ctx->ops->collision->steps;
    int64_t entries = frame->info.entries;
    int a_bits = bi_bit_length((uint64_t)frame->soup.a_count);
    struct bi_collision_candidates found = {.soup = frame->soup,
                                            .keys = frame->keys,
                                            .triangles = frame->triangles,
                                            .entries = entries,
                                            .b_bits = tests->b_bits};
    BI_TRY(bi_scratch_of(ctx, entries + 1, sizeof *found.counts, &found.counts));
    BI_TRY(ctx->backend->fill(ctx, found.counts + entries, 0, sizeof *found.counts));
    BI_TRY_WITH_COST(ctx, TEST_COST, steps->count_candidates(ctx, entries, &found));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, found.counts, entries + 1, found.counts));
    BI_TRY(bi_read_back(ctx, &tests->count, found.counts + entries, sizeof tests->count));
    frame->info.candidates = tests->count;
    if (tests->count == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, tests->count, sizeof *found.candidates, &found.candidates));
    BI_TRY_WITH_COST(ctx, TEST_COST, steps->fill_candidates(ctx, entries, &found));
    tests->candidates = found.candidates;
    return ctx->backend->core->sort_keys(ctx, BOSC_U64, found.candidates, tests->count, found.candidates, 0,
                                         a_bits + tests->b_bits);
}

/* Tests the candidates by error bounds, then the undecided ones exactly. */
static bosc_status run_tests(bosc_ctx *ctx, struct bi_collision_tests *tests)
{
    const struct bi_collision_steps *steps = ctx->ops->collision->steps;
    tests->items = tests->count < BI_COLLISION_EXACT_ITEMS ? tests->count : BI_COLLISION_EXACT_ITEMS;
    BI_TRY(bi_scratch_of(ctx, tests->count, 1, &tests->is_kept));
    BI_TRY(bi_scratch_of(ctx, tests->items * BI_COLLISION_WORK, sizeof *tests->work, &tests->work));
    BI_TRY_WITH_COST(ctx, TEST_COST, steps->test(ctx, tests->count, tests));
    return steps->test_exactly(ctx, tests->items, tests);
}

/* Tests the candidates among the entries, and lists the touching pairs in the block. */
static bosc_status test_candidates(bosc_ctx *ctx, struct frame *frame, const struct bi_memory *memory,
                                   struct bi_block *pairs)
{
    struct bi_collision_tests tests = {.soup = frame->soup,
                                       .b_bits = bi_bit_length((uint64_t)(frame->soup.count - frame->soup.a_count))};
    struct bi_collision_list list = {.soup = frame->soup, .b_bits = tests.b_bits};
    uint64_t *touching;
    void *count;
    if (frame->info.entries == 0) return BOSC_OK;
    BI_TRY(find_candidates(ctx, frame, &tests));
    if (tests.count == 0) return BOSC_OK;
    BI_TRY(run_tests(ctx, &tests));
    BI_TRY(bi_scratch_of(ctx, tests.count, sizeof *touching, &touching));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof frame->info.pairs, &count));
    BI_TRY(ctx->backend->core->compact(ctx, sizeof *touching, tests.candidates, tests.is_kept, tests.count, touching,
                                       count));
    BI_TRY(bi_read_back(ctx, &frame->info.pairs, count, sizeof frame->info.pairs));
    if (frame->info.pairs == 0) return BOSC_OK;
    BI_TRY(bi_block_reserve(ctx, memory, pairs, (size_t)frame->info.pairs * 2 * sizeof(uint32_t)));
    list.touching = touching;
    list.pairs = pairs->data;
    return ctx->ops->collision->steps->list(ctx, frame->info.pairs, &list);
}

/* ---- the frame ---- */

/* Runs the phases of a frame. Without near triangles of both meshes there are no pairs. */
static bosc_status build_staged(bosc_ctx *ctx, bosc_collision *collision, struct frame *frame)
{
    bool staged = false;
    for (int which = 0; which < 2; which++) BI_TRY(stage_mesh(ctx, &frame->meshes.mesh[which], &staged));
    BI_TRY(read_vertices(ctx, &frame->meshes));
    BI_TRY(find_near_triangles(ctx, frame));
    frame->info.near_count = frame->soup.count;
    if (frame->soup.a_count > 0 && frame->soup.a_count < frame->soup.count) {
        BI_TRY(gather_corners(ctx, frame));
        BI_TRY(build_entries(ctx, frame, collision->opts.cell));
        BI_TRY(test_candidates(ctx, frame, &collision->memory, &collision->pairs));
    }
    if (staged) BI_TRY(ctx->backend->sync(ctx));
    collision->info = frame->info;
    return BOSC_OK;
}

static bosc_status build_or_clear(bosc_ctx *ctx, bosc_collision *collision, struct frame *frame)
{
    bosc_status status = build_staged(ctx, collision, frame);
    if (status != BOSC_OK && status != BOSC_ERR_DATA) collision->info = (bosc_collision_info){0};
    return status;
}

bosc_status bosc_collision_build(bosc_ctx *ctx, bosc_collision *collision, const bosc_collision_mesh *a,
                                 const bosc_collision_mesh *b)
{
    struct frame frame = {0};
    struct bi_collision_input *mesh = frame.meshes.mesh;
    BI_ENTER(ctx);
    BI_TRY(bi_collision_check(ctx, collision));
    BI_TRY(bi_collision_check_mesh(ctx, collision, "a", a, &mesh[0]));
    BI_TRY(bi_collision_check_mesh(ctx, collision, "b", b, &mesh[1]));
    int64_t triangles = mesh[0].triangle_count + mesh[1].triangle_count;
    if (triangles >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "b: %lld triangles of both meshes are not below 2^32 - 1",
                       (long long)triangles);
    frame.info.a_count = mesh[0].triangle_count;
    frame.info.b_count = mesh[1].triangle_count;
    bi_progress_set_total(ctx, (double)(mesh[0].vertex_count + mesh[1].vertex_count) + 40 * (double)triangles);
    BI_RETURN_WITH_SCRATCH(ctx, build_or_clear(ctx, collision, &frame));
}
