/* Builds the constraints of a scene. */
#include "plan/handle.h"
#include "plan/builder.h"
#include "plan/scene.h"

static bosc_status read_scene(bosc_ctx *ctx, const bosc_plan_scene *scene, bosc_plan_scene *full)
{
    if (!scene) return bi_fail(ctx, BOSC_ERR_ARG, "scene: NULL");
    BI_TRY(bi_read_opts(ctx, "bosc_plan_scene", scene, full, sizeof *full));
    if (full->form_count < 0)
        return bi_fail(ctx, BOSC_ERR_ARG, "scene: form_count %lld is less than 0", (long long)full->form_count);
    if (full->form_count > BI_PLAN_MAX_CANDIDATES)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "scene: form_count %lld is over 2^22", (long long)full->form_count);
    if (full->form_count > 0 && !full->forms) return bi_fail(ctx, BOSC_ERR_ARG, "scene: forms NULL");
    BI_TRY(bi_check_aligned(ctx, "scene: forms", full->forms, sizeof *full->forms));
    for (int64_t k = 0; k < BI_PLAN_COEFFICIENTS * full->form_count; k++)
        if (!bi_plan_is_coordinate(full->forms[k]))
            return bi_fail(ctx, BOSC_ERR_DATA, "scene: form %lld holds %g, neither 0 nor of size 2^-110 to 2^100",
                           (long long)(k / BI_PLAN_COEFFICIENTS), full->forms[k]);
    return BOSC_OK;
}

/* Sets the order of candidates: balls, vertices with facets, facets with vertices, edges, forms. */
static bosc_status set_order(struct bi_plan_builder *m)
{
    const struct bi_plan_surface *r = &m->robot.surface, *o = &m->obstacle.surface;
    const int64_t counts[5] = {m->robot.ball_count * m->obstacle.ball_count, (int64_t)r->vertex_count * o->facet_count,
                               (int64_t)r->facet_count * o->vertex_count, (int64_t)r->edge_count * o->edge_count,
                               m->scene.form_count};
    int64_t starts[6] = {0};
    if ((m->robot.ball_count > 0 && o->facet_count > 0) || (m->obstacle.ball_count > 0 && r->facet_count > 0))
        return bi_fail(m->ctx, BOSC_ERR_DATA, "scene: balls can only meet balls");
    for (int k = 0; k < 5; k++) starts[k + 1] = starts[k] + counts[k];
    if (starts[5] > BI_PLAN_MAX_CANDIDATES)
        return bi_fail(m->ctx, BOSC_ERR_LIMIT, "scene: %lld pairs of features are over 2^22", (long long)starts[5]);
    m->order = (struct bi_plan_order){starts[1], starts[2], starts[3], starts[4], starts[5]};
    return BOSC_OK;
}

bosc_status bi_plan_number_features(struct bi_plan_builder *m)
{
    BI_TRY(bi_plan_read_side(m->ctx, m->host, "robot", &m->scene.robot, &m->robot));
    BI_TRY(bi_plan_read_side(m->ctx, m->host, "obstacle", &m->scene.obstacle, &m->obstacle));
    return set_order(m);
}

static bosc_status build_and_install(struct bi_plan_builder *m, bosc_plan *plan)
{
    BI_TRY(bi_plan_number_features(m));
    bi_progress_set_total(m->ctx, 3.0 * (double)m->order.count);
    BI_TRY(bi_plan_build_constraints(m));
    return bi_plan_install(m, plan);
}

/* Swaps the working blocks of the handle and the builder; the handle keeps them between builds. */
static void exchange_blocks(bosc_plan *plan, struct bi_plan_builder *m)
{
    struct bi_block *const blocks[BI_PLAN_WORK_BLOCKS] = {
        &m->signs,
        &m->needed,
        &m->refs,
        &m->slots,
        &m->rows.block,
        &m->offsets.block,
        &m->parts.block,
        &m->candidate_of.block,
        &m->hashes.block,
        &m->edge_facet.block,
        &m->facet_edge.block,
        &m->vertex_solid.block,
        &m->solid_vertex.block,
        &m->robot.numbers,
        &m->robot.doubles,
        &m->obstacle.numbers,
        &m->obstacle.doubles,
    };
    for (int b = 0; b < BI_PLAN_WORK_BLOCKS; b++) {
        const struct bi_block kept = plan->work[b];
        plan->work[b] = *blocks[b];
        *blocks[b] = kept;
    }
}

static struct bi_plan_builder init_builder(bosc_ctx *ctx, const bosc_plan *plan)
{
    return (struct bi_plan_builder){.ctx = ctx,
                                    .host = &plan->host,
                                    .keep_duplicates = plan->opts.keep_duplicates,
                                    .rows = {.item = BI_PLAN_ROW * sizeof(double)},
                                    .offsets = {.item = sizeof(int64_t)},
                                    .parts = {.item = sizeof(double)},
                                    .candidate_of = {.item = sizeof(int64_t)},
                                    .hashes = {.item = sizeof(uint64_t)},
                                    .edge_facet = {.item = 2 * sizeof(int32_t)},
                                    .facet_edge = {.item = 2 * sizeof(int32_t)},
                                    .vertex_solid = {.item = 2 * sizeof(int32_t)},
                                    .solid_vertex = {.item = 2 * sizeof(int32_t)}};
}

bosc_status bi_plan_begin_build(bosc_ctx *ctx, bosc_plan *plan, const bosc_plan_scene *scene, struct bi_plan_builder *m)
{
    *m = init_builder(ctx, plan);
    BI_TRY(read_scene(ctx, scene, &m->scene));
    exchange_blocks(plan, m);
    return BOSC_OK;
}

void bi_plan_end_build(bosc_plan *plan, struct bi_plan_builder *m) { exchange_blocks(plan, m); }

bosc_status bosc_plan_build(bosc_ctx *ctx, bosc_plan *plan, const bosc_plan_scene *scene)
{
    struct bi_plan_builder m;
    BI_ENTER(ctx);
    BI_TRY(bi_plan_check(ctx, plan));
    BI_TRY(bi_plan_begin_build(ctx, plan, scene, &m));
    bosc_status status = build_and_install(&m, plan);
    bi_plan_end_build(plan, &m);
    return status;
}
