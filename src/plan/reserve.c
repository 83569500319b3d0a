/* Reports the memory of constraints and roadmaps, and reserves it before builds. */
#include <string.h>

#include "base/bits.h"
#include "core/arena.h"
#include "core/call.h"
#include "plan/drivers.h"
#include "plan/builder.h"
#include "plan/steps/logic.h"

/* ---- constraints ---- */

/* Sets the counts of the builder to upper bounds: no candidate is culled or merged, and all pairs may touch. */
static void set_upper_bounds(struct bi_plan_builder *m, int64_t constraints)
{
    const struct bi_plan_surface *r = &m->robot.surface, *o = &m->obstacle.surface;
    if (constraints == 0 || constraints > m->order.count) constraints = m->order.count;
    if (constraints > BI_PLAN_MAX_CONSTRAINTS) constraints = BI_PLAN_MAX_CONSTRAINTS;
    m->longest = BI_PLAN_COEFFICIENTS * BI_PLAN_PARTS;
    m->rows.count = m->candidate_of.count = m->hashes.count = constraints;
    m->offsets.count = BI_PLAN_COEFFICIENTS * constraints + 1;
    m->parts.count = m->longest * constraints;
    m->edge_facet.count = (int64_t)r->edge_count * o->facet_count;
    m->facet_edge.count = (int64_t)o->edge_count * r->facet_count;
    m->vertex_solid.count = (int64_t)r->vertex_count * o->solid_count;
    m->solid_vertex.count = (int64_t)o->vertex_count * r->solid_count;
}

static bosc_status reserve_lists(struct bi_plan_builder *m)
{
    struct bi_plan_list *const lists[] = {&m->rows,         &m->offsets,      &m->parts,
                                          &m->candidate_of, &m->hashes,       &m->edge_facet,
                                          &m->facet_edge,   &m->vertex_solid, &m->solid_vertex};
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++)
        BI_TRY(bi_block_reserve(m->ctx, m->host, &lists[k]->block, (size_t)lists[k]->count * lists[k]->item));
    return bi_plan_reserve_candidates(m);
}

/* Returns the scratch of calls with n rotations: staged arrays, circles (each may have a single row), signs, and
 * workers for exact signs. The constants are bytes a rotation: upper bounds with a margin. */
static int64_t scratch_bytes(const bosc_ctx *ctx, int64_t constraints, int64_t n)
{
    enum { SLACK = 1 << 20, THREAD_BYTES = 1 << 12, STAGED_BYTES = 64, CIRCLE_BYTES = 112, SIGN_BYTES = 8 };
    const int64_t words = (constraints + 63) / 64;
    const int64_t exact = 8 * bi_plan_exact_work(BI_PLAN_COEFFICIENTS * BI_PLAN_PARTS);
    const int64_t touch = BI_PLAN_TOUCH_WORK * (int64_t)sizeof(struct bi_exact) + exact + constraints;
    const int64_t groups = bi_div_up(n * words, 8), workers = groups < BI_PLAN_WORKERS ? groups : BI_PLAN_WORKERS;
    const int64_t touchers = n < BI_PLAN_TOUCH_WORKERS ? n : BI_PLAN_TOUCH_WORKERS;
    return n * (STAGED_BYTES + CIRCLE_BYTES + SIGN_BYTES + 17 * words) + workers * exact + touchers * touch + SLACK +
           THREAD_BYTES * (int64_t)ctx->threads;
}

static bosc_status check_sizes(bosc_ctx *ctx, int64_t constraints, const char *name, int64_t n)
{
    if (constraints < 0 || constraints > BI_PLAN_MAX_CONSTRAINTS)
        return bi_fail(ctx, BOSC_ERR_ARG, "constraints: %lld is not in 0 to %d", (long long)constraints,
                       BI_PLAN_MAX_CONSTRAINTS);
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld is less than 0", name, (long long)n);
    if (n >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "%s: %lld is not below 2^32 - 1", name, (long long)n);
    return BOSC_OK;
}

bosc_status bosc_plan_bytes(const bosc_ctx *ctx, const bosc_plan_opts *opts, const bosc_plan_scene *scene,
                            int64_t constraints, int64_t n, int64_t *kept, int64_t *scratch)
{
    struct bi_plan_builder m;
    bosc_ctx *mutable_ctx = (bosc_ctx *)(uintptr_t)ctx; /* only its message is written */
    BI_ENTER(mutable_ctx);
    bosc_plan plan = {.host = mutable_ctx->host};
    BI_TRY(bi_plan_check_opts(mutable_ctx, opts, &plan.opts));
    BI_TRY(check_sizes(mutable_ctx, constraints, "n", n));
    BI_TRY(bi_plan_begin_build(mutable_ctx, &plan, scene, &m));
    bosc_status status = bi_plan_number_features(&m);
    if (status == BOSC_OK) {
        set_upper_bounds(&m, constraints);
        if (kept) *kept = (int64_t)bi_plan_count_bytes(&m).device;
        if (scratch) *scratch = scratch_bytes(ctx, m.rows.count, n);
    }
    bi_plan_end_build(&plan, &m);
    for (int b = 0; b < BI_PLAN_WORK_BLOCKS; b++) bi_block_free(&plan.host, &plan.work[b]);
    return status;
}

static bosc_status reserve_build(bosc_ctx *ctx, bosc_plan *plan, struct bi_plan_builder *m, int64_t constraints,
                                 int64_t n)
{
    void *taken;
    BI_TRY(bi_plan_number_features(m));
    set_upper_bounds(m, constraints);
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, (size_t)scratch_bytes(ctx, m->rows.count, n), &taken));
    BI_TRY(reserve_lists(m));
    return bi_plan_grow_blocks(ctx, plan, bi_plan_count_bytes(m));
}

bosc_status bosc_plan_reserve(bosc_ctx *ctx, bosc_plan *plan, const bosc_plan_scene *scene, int64_t constraints,
                              int64_t n)
{
    struct bi_plan_builder m;
    BI_ENTER(ctx);
    BI_TRY(bi_plan_check(ctx, plan));
    BI_TRY(check_sizes(ctx, constraints, "n", n));
    BI_TRY(bi_plan_begin_build(ctx, plan, scene, &m));
    bosc_status status = reserve_build(ctx, plan, &m, constraints, n);
    bi_plan_end_build(plan, &m);
    return status;
}

/* ---- roadmaps ---- */

/* Returns the most edges between `rows` corners of a cube of any dimension (Harper 1964). */
static int64_t max_edges(int64_t rows)
{
    int64_t edges = 0;
    for (int64_t half = 1; half < rows; half *= 2) edges += rows / 2 + 1;
    return edges;
}

static bosc_status graph_bytes(bosc_ctx *ctx, int64_t constraints, int64_t rows, int64_t edges, int64_t *kept,
                               int64_t *scratch)
{
    const bosc_cellgraph_opts opts = {.size = sizeof opts, .length = (int32_t)constraints, .keep_memory = 1};
    BI_TRY(check_sizes(ctx, constraints, "rows", rows));
    if (constraints == 0) return bi_fail(ctx, BOSC_ERR_ARG, "constraints: 0");
    return bosc_cellgraph_bytes(ctx, &opts, rows, edges ? edges : max_edges(rows), kept, scratch);
}

bosc_status bosc_roadmap_bytes(const bosc_ctx *ctx, int64_t constraints, int64_t rows, int64_t edges, int64_t *kept,
                               int64_t *scratch)
{
    int64_t graph_kept, graph_scratch;
    bosc_ctx *mutable_ctx = (bosc_ctx *)(uintptr_t)ctx; /* only its message is written */
    BI_ENTER(mutable_ctx);
    BI_TRY(graph_bytes(mutable_ctx, constraints, rows, edges, &graph_kept, &graph_scratch));
    if (kept) *kept = graph_kept + rows * (4 * (int64_t)sizeof(double) + (int64_t)sizeof(uint32_t));
    if (scratch) *scratch = graph_scratch + scratch_bytes(ctx, constraints, rows);
    return BOSC_OK;
}

/* Reserves the graph's memory for this number of constraints. */
static bosc_status reserve_graph(bosc_ctx *ctx, bosc_roadmap *roadmap, int64_t constraints, int64_t rows, int64_t edges)
{
    const int64_t own = roadmap->info.constraints;
    char message[sizeof ctx->message];
    if (edges == 0) edges = max_edges(rows);
    if (roadmap->info.rows > 0) return bosc_cellgraph_reserve(ctx, roadmap->graph, rows, edges);
    BI_TRY(bosc_cellgraph_reset(ctx, roadmap->graph, (int32_t)constraints));
    bosc_status status = bosc_cellgraph_reserve(ctx, roadmap->graph, rows, edges);
    memcpy(message, ctx->message, sizeof message); /* the next call clears it */
    BI_TRY(bosc_cellgraph_reset(ctx, roadmap->graph, (int32_t)own));
    return status == BOSC_OK ? BOSC_OK : bi_fail(ctx, status, "%s", message);
}

bosc_status bosc_roadmap_reserve(bosc_ctx *ctx, bosc_roadmap *roadmap, int64_t constraints, int64_t rows, int64_t edges)
{
    int64_t graph_kept, scratch;
    void *taken;
    BI_ENTER(ctx);
    BI_TRY(bi_roadmap_check(ctx, roadmap));
    BI_TRY(graph_bytes(ctx, constraints, rows, edges, &graph_kept, &scratch));
    if (roadmap->info.rows > 0 && constraints > roadmap->info.constraints)
        return bi_fail(ctx, BOSC_ERR_ARG, "constraints: %lld are more than the %lld of the roadmap, which has rows",
                       (long long)constraints, (long long)roadmap->info.constraints);
    scratch += scratch_bytes(ctx, constraints, rows);
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, (size_t)scratch, &taken));
    struct bi_block *const blocks[] = {&roadmap->rotations, &roadmap->next};
    const size_t sizes[] = {4 * sizeof(double), sizeof(uint32_t)}, n = (size_t)rows, old = (size_t)roadmap->info.rows;
    const size_t bytes[] = {n * sizes[0], n * sizes[1]}, used[] = {old * sizes[0], old * sizes[1]};
    BI_TRY(bi_blocks_grow(ctx, &roadmap->memory, blocks, 2, bytes, used));
    return reserve_graph(ctx, roadmap, constraints, rows, edges);
}
