/* Finds a frame's collisions: reads the meshes, and drops triangles outside the common part of their boxes. voxels.c
 * and candidates.c do the rest. */
#include "collision/drivers.h"

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
static bosc_status find_near_triangles(bosc_ctx *ctx, struct bi_collision_frame *frame)
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

/* Gathers their corners densely. */
static bosc_status gather_corners(bosc_ctx *ctx, struct bi_collision_frame *frame)
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

static bosc_status build_staged(bosc_ctx *ctx, bosc_collision *collision, struct bi_collision_frame *frame)
{
    bool staged = false;
    for (int which = 0; which < 2; which++) BI_TRY(stage_mesh(ctx, &frame->meshes.mesh[which], &staged));
    BI_TRY(read_vertices(ctx, &frame->meshes));
    BI_TRY(find_near_triangles(ctx, frame));
    frame->info.near_count = frame->soup.count;
    if (frame->soup.a_count > 0 && frame->soup.a_count < frame->soup.count) {
        BI_TRY(gather_corners(ctx, frame));
        BI_TRY(bi_collision_build_entries(ctx, frame, collision->opts.cell));
        BI_TRY(bi_collision_test_candidates(ctx, frame, &collision->memory, &collision->pairs));
    }
    if (staged) BI_TRY(ctx->backend->sync(ctx));
    collision->info = frame->info;
    return BOSC_OK;
}

static bosc_status build_or_clear(bosc_ctx *ctx, bosc_collision *collision, struct bi_collision_frame *frame)
{
    bosc_status status = build_staged(ctx, collision, frame);
    if (status != BOSC_OK && status != BOSC_ERR_DATA) collision->info = (bosc_collision_info){0};
    return status;
}

bosc_status bosc_collision_build(bosc_ctx *ctx, bosc_collision *collision, const bosc_collision_mesh *a,
                                 const bosc_collision_mesh *b)
{
    struct bi_collision_frame frame = {0};
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
