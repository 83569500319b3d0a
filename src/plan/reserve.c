/* How much memory constraints and roadmaps take, and taking it beforehand. */
#include <string.h>

#include "base/bits.h"
#include "core/blocks.h"
#include "core/call.h"
#include "plan/drivers.h"
#include "plan/maker.h"
#include "plan/steps/touch.h"

/* ---- constraints ---- */

/* The most that a scene with these features can become: all candidates matter, none is like another, and all that can
 * touch does. */
static void set_most(struct bi_plan_maker *m, int64_t constraints)
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

static bosc_status reserve_lists(struct bi_plan_maker *m)
{
    struct bi_plan_list *const lists[] = {&m->rows,         &m->offsets,      &m->parts,
                                          &m->candidate_of, &m->hashes,       &m->edge_facet,
                                          &m->facet_edge,   &m->vertex_solid, &m->solid_vertex};
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++)
        BI_TRY(bi_block_reserve(m->ctx, m->host, &lists[k]->block, (size_t)lists[k]->count * lists[k]->item));
    return bi_plan_reserve_candidates(m);
}

/* Scratch of calls with n rotations: those and what becomes of them, staged; of circles, of which each may have one
 * row; of signs, and of workers for those that rounding may have decided. */
static int64_t scratch_of(const bosc_ctx *ctx, int64_t constraints, int64_t n)
{
    enum { SLACK = 1 << 20, OF_A_THREAD = 1 << 12, STAGED = 64, OF_CIRCLES = 112, OF_SIGNS = 8 };
    const int64_t words = (constraints + 63) / 64;
    const int64_t exact = 8 * bi_plan_exact_work(BI_PLAN_COEFFICIENTS * BI_PLAN_PARTS);
    const int64_t touch = BI_PLAN_TOUCH_WORK * (int64_t)sizeof(struct bi_exact) + exact + constraints;
    const int64_t groups = bi_div_up(n * words, 8), workers = groups < BI_PLAN_WORKERS ? groups : BI_PLAN_WORKERS;
    const int64_t touchers = n < BI_PLAN_TOUCH_WORKERS ? n : BI_PLAN_TOUCH_WORKERS;
    return n * (STAGED + OF_CIRCLES + OF_SIGNS + 17 * words) + workers * exact + touchers * touch + SLACK +
           OF_A_THREAD * (int64_t)ctx->threads;
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
    struct bi_plan_maker m;
    bosc_ctx *says = (bosc_ctx *)(uintptr_t)ctx; /* only its message is written */
    BI_ENTER(says);
    bosc_plan plan = {.host = says->host};
    BI_TRY(bi_plan_check_opts(says, opts, &plan.opts));
    BI_TRY(check_sizes(says, constraints, "n", n));
    BI_TRY(bi_plan_begin(says, &plan, scene, &m));
    bosc_status status = bi_plan_number(&m);
    if (status == BOSC_OK) {
        set_most(&m, constraints);
        if (kept) *kept = (int64_t)bi_plan_count_bytes(&m).device;
        if (scratch) *scratch = scratch_of(ctx, m.rows.count, n);
    }
    bi_plan_end(&plan, &m);
    for (int b = 0; b < BI_PLAN_WORK_BLOCKS; b++) bi_block_free(&plan.host, &plan.work[b]);
    return status;
}

static bosc_status reserve(bosc_ctx *ctx, bosc_plan *plan, struct bi_plan_maker *m, int64_t constraints, int64_t n)
{
    void *taken;
    BI_TRY(bi_plan_number(m));
    set_most(m, constraints);
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, (size_t)scratch_of(ctx, m->rows.count, n), &taken));
    BI_TRY(reserve_lists(m));
    return bi_plan_grow(ctx, plan, bi_plan_count_bytes(m));
}

bosc_status bosc_plan_reserve(bosc_ctx *ctx, bosc_plan *plan, const bosc_plan_scene *scene, int64_t constraints,
                              int64_t n)
{
    struct bi_plan_maker m;
    BI_ENTER(ctx);
    BI_TRY(bi_plan_check(ctx, plan));
    BI_TRY(check_sizes(ctx, constraints, "n", n));
    BI_TRY(bi_plan_begin(ctx, plan, scene, &m));
    bosc_status status = reserve(ctx, plan, &m, constraints, n);
    bi_plan_end(plan, &m);
    return status;
}

/* ---- roadmaps ---- */

/* Vectors in a cube of any dimension have no more neighbours (Harper 1964). */
static int64_t most_edges(int64_t rows)
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
    return bosc_cellgraph_bytes(ctx, &opts, rows, edges ? edges : most_edges(rows), kept, scratch);
}

bosc_status bosc_roadmap_bytes(const bosc_ctx *ctx, int64_t constraints, int64_t rows, int64_t edges, int64_t *kept,
                               int64_t *scratch)
{
    int64_t of_graph, scratch_of_graph;
    bosc_ctx *says = (bosc_ctx *)(uintptr_t)ctx; /* only its message is written */
    BI_ENTER(says);
    BI_TRY(graph_bytes(says, constraints, rows, edges, &of_graph, &scratch_of_graph));
    if (kept) *kept = of_graph + rows * (4 * (int64_t)sizeof(double) + (int64_t)sizeof(uint32_t));
    if (scratch) *scratch = scratch_of_graph + scratch_of(ctx, constraints, rows);
    return BOSC_OK;
}

/* The graph's, for as many constraints. */
static bosc_status reserve_graph(bosc_ctx *ctx, bosc_roadmap *roadmap, int64_t constraints, int64_t rows, int64_t edges)
{
    const int64_t own = roadmap->info.constraints;
    char message[sizeof ctx->message];
    if (edges == 0) edges = most_edges(rows);
    if (roadmap->info.rows > 0) return bosc_cellgraph_reserve(ctx, roadmap->graph, rows, edges);
    BI_TRY(bosc_cellgraph_reset(ctx, roadmap->graph, (int32_t)constraints));
    bosc_status status = bosc_cellgraph_reserve(ctx, roadmap->graph, rows, edges);
    memcpy(message, ctx->message, sizeof message); /* which the next call clears */
    BI_TRY(bosc_cellgraph_reset(ctx, roadmap->graph, (int32_t)own));
    return status == BOSC_OK ? BOSC_OK : bi_fail(ctx, status, "%s", message);
}

bosc_status bosc_roadmap_reserve(bosc_ctx *ctx, bosc_roadmap *roadmap, int64_t constraints, int64_t rows, int64_t edges)
{
    int64_t of_graph, scratch;
    void *taken;
    BI_ENTER(ctx);
    BI_TRY(bi_roadmap_check(ctx, roadmap));
    BI_TRY(graph_bytes(ctx, constraints, rows, edges, &of_graph, &scratch));
    if (roadmap->info.rows > 0 && constraints > roadmap->info.constraints)
        return bi_fail(ctx, BOSC_ERR_ARG, "constraints: %lld are more than the %lld of the roadmap, which has rows",
                       (long long)constraints, (long long)roadmap->info.constraints);
    scratch += scratch_of(ctx, constraints, rows);
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, (size_t)scratch, &taken));
    struct bi_block *const blocks[] = {&roadmap->rotations, &roadmap->next};
    const size_t sizes[] = {4 * sizeof(double), sizeof(uint32_t)}, n = (size_t)rows, old = (size_t)roadmap->info.rows;
    const size_t bytes[] = {n * sizes[0], n * sizes[1]}, used[] = {old * sizes[0], old * sizes[1]};
    BI_TRY(bi_blocks_grow(ctx, &roadmap->memory, blocks, 2, bytes, used));
    return reserve_graph(ctx, roadmap, constraints, rows, edges);
}
