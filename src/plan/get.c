/* Copies constraints, candidates and edges out. */
#include "plan/handle.h"

/* A candidate: its kind, and its features in the caller's numbers. */
struct candidate {
    uint8_t kind;
    int64_t robot, obstacle;
};

/* Returns candidate k: the kinds are in the order of struct bi_plan_order, each row by row. */
static struct candidate candidate_at(const bosc_plan *plan, int64_t k)
{
    const struct bi_plan_order *o = &plan->logic.order;
    const struct bi_plan_lists *l = &plan->lists;
    if (k < o->vertex_facet) return (struct candidate){BOSC_PLAN_BALL, k / l->balls[1], k % l->balls[1]};
    if (k < o->facet_vertex) {
        k -= o->vertex_facet;
        return (struct candidate){BOSC_PLAN_VERTEX_FACET, l->vertices[0][k / l->facet_count[1]], k % l->facet_count[1]};
    }
    if (k < o->screw) {
        k -= o->facet_vertex;
        return (struct candidate){BOSC_PLAN_FACET_VERTEX, k / l->vertex_count[1],
                                  l->vertices[1][k % l->vertex_count[1]]};
    }
    if (k < o->form) {
        k -= o->screw;
        return (struct candidate){BOSC_PLAN_SCREW, k / l->edge_count[1], k % l->edge_count[1]};
    }
    return (struct candidate){BOSC_PLAN_FORM, k - o->form, k - o->form};
}

/* An output: the caller's array, which may be on a device, and the host array that is filled. */
struct output {
    void *user, *host;
    size_t size;
};

/* Allocates the host arrays, fills them item by item, and copies them to the caller. */
static bosc_status copy_outputs(bosc_ctx *ctx, const bosc_plan *plan, int64_t n, struct output *outputs, int count,
                                void (*fill)(const bosc_plan *plan, int64_t i, struct output *outputs))
{
    size_t bytes = 0, at = 0;
    void *memory = NULL;
    for (int k = 0; k < count; k++) bytes += (size_t)n * outputs[k].size;
    if (bytes == 0) return BOSC_OK;
    memory = bi_host_alloc(ctx, bytes);
    if (!memory) return BOSC_ERR_NOMEM;
    for (int k = 0; k < count; k++) {
        outputs[k].host = (char *)memory + at;
        at += (size_t)n * outputs[k].size;
    }
    bosc_status status = BOSC_OK;
    for (int64_t i = 0; i < n; i++) fill(plan, i, outputs);
    for (int k = 0; k < count && status == BOSC_OK; k++)
        if (outputs[k].user)
            status = ctx->backend->copy(ctx, outputs[k].user, outputs[k].host, (size_t)n * outputs[k].size);
    if (status == BOSC_OK) status = ctx->backend->sync(ctx);
    bi_memory_release(&ctx->host, memory, bytes);
    return status;
}

static void fill_constraint(const bosc_plan *plan, int64_t i, struct output *a)
{
    struct candidate c = candidate_at(plan, plan->lists.candidate_of[i]);
    for (int k = 0; k < BI_PLAN_COEFFICIENTS; k++)
        ((double *)a[0].host)[BI_PLAN_COEFFICIENTS * i + k] = plan->lists.rows[BI_PLAN_ROW * i + k];
    ((int64_t *)a[1].host)[i] = c.robot;
    ((int64_t *)a[2].host)[i] = c.obstacle;
    ((uint8_t *)a[3].host)[i] = c.kind;
}

bosc_status bosc_plan_get_constraints(bosc_ctx *ctx, const bosc_plan *plan, double *forms, uint8_t *kinds,
                                      int64_t *robot, int64_t *obstacle)
{
    BI_ENTER(ctx);
    BI_TRY(bi_plan_check(ctx, plan));
    BI_TRY(bi_check_aligned(ctx, "forms", forms, sizeof *forms));
    BI_TRY(bi_check_aligned(ctx, "robot", robot, sizeof *robot));
    BI_TRY(bi_check_aligned(ctx, "obstacle", obstacle, sizeof *obstacle));
    struct output outputs[] = {{forms, NULL, BI_PLAN_COEFFICIENTS * sizeof *forms},
                               {robot, NULL, sizeof *robot},
                               {obstacle, NULL, sizeof *obstacle},
                               {kinds, NULL, sizeof *kinds}};
    return copy_outputs(ctx, plan, plan->info.constraints, outputs, 4, fill_constraint);
}

static void fill_candidate(const bosc_plan *plan, int64_t i, struct output *a)
{
    struct candidate c = candidate_at(plan, i);
    bi_plan_ref ref = plan->lists.refs[i];
    ((int64_t *)a[0].host)[i] = c.robot;
    ((int64_t *)a[1].host)[i] = c.obstacle;
    ((int64_t *)a[2].host)[i] = ref >= 0 ? ref / 2 : -1;
    ((uint8_t *)a[3].host)[i] = c.kind;
    ((int8_t *)a[4].host)[i] = (int8_t)(ref >= 0                      ? 1 - 2 * (ref & 1)
                                        : ref == BI_PLAN_REF_ZERO     ? 0
                                        : ref == BI_PLAN_REF_POSITIVE ? 1
                                        : ref == BI_PLAN_REF_NEGATIVE ? -1
                                                                      : 2);
}

bosc_status bosc_plan_get_candidates(bosc_ctx *ctx, const bosc_plan *plan, uint8_t *kinds, int64_t *robot,
                                     int64_t *obstacle, int64_t *constraints, int8_t *signs)
{
    BI_ENTER(ctx);
    BI_TRY(bi_plan_check(ctx, plan));
    BI_TRY(bi_check_aligned(ctx, "robot", robot, sizeof *robot));
    BI_TRY(bi_check_aligned(ctx, "obstacle", obstacle, sizeof *obstacle));
    BI_TRY(bi_check_aligned(ctx, "constraints", constraints, sizeof *constraints));
    struct output outputs[] = {{robot, NULL, sizeof *robot},
                               {obstacle, NULL, sizeof *obstacle},
                               {constraints, NULL, sizeof *constraints},
                               {kinds, NULL, sizeof *kinds},
                               {signs, NULL, sizeof *signs}};
    return copy_outputs(ctx, plan, plan->info.candidates, outputs, 5, fill_candidate);
}

static void fill_robot_edge(const bosc_plan *plan, int64_t i, struct output *a)
{
    for (int k = 0; k < 2; k++)
        ((int64_t *)a->host)[2 * i + k] = plan->lists.vertices[0][plan->lists.edges[0][2 * i + k]];
}

static void fill_obstacle_edge(const bosc_plan *plan, int64_t i, struct output *a)
{
    for (int k = 0; k < 2; k++)
        ((int64_t *)a->host)[2 * i + k] = plan->lists.vertices[1][plan->lists.edges[1][2 * i + k]];
}

bosc_status bosc_plan_get_edges(bosc_ctx *ctx, const bosc_plan *plan, int64_t *robot, int64_t *obstacle)
{
    BI_ENTER(ctx);
    BI_TRY(bi_plan_check(ctx, plan));
    BI_TRY(bi_check_aligned(ctx, "robot", robot, sizeof *robot));
    BI_TRY(bi_check_aligned(ctx, "obstacle", obstacle, sizeof *obstacle));
    struct output of_robot = {robot, NULL, 2 * sizeof *robot}, of_obstacle = {obstacle, NULL, 2 * sizeof *obstacle};
    BI_TRY(copy_outputs(ctx, plan, plan->info.robot_edges, &of_robot, 1, fill_robot_edge));
    return copy_outputs(ctx, plan, plan->info.obstacle_edges, &of_obstacle, 1, fill_obstacle_edge);
}
