/* Roadmaps: stored samples and their cell graph. */
#include "core/arena.h"
#include "plan/drivers.h"

enum { BATCH = 65536, MAX_ROWS = 1 << 22 }; /* the documented defaults */

static bosc_status check_plan(bosc_ctx *ctx, const bosc_plan *plan)
{
    BI_TRY(bi_plan_check(ctx, plan));
    return plan->info.constraints > 0 ? BOSC_OK : bi_fail(ctx, BOSC_ERR_ARG, "plan: no constraints");
}

bosc_status bosc_roadmap_create(bosc_ctx *ctx, const bosc_plan *plan, bosc_roadmap **roadmap)
{
    bosc_cellgraph *graph = NULL;
    BI_ENTER(ctx);
    BI_TRY(check_plan(ctx, plan));
    if (!roadmap) return bi_fail(ctx, BOSC_ERR_ARG, "roadmap: NULL");
    const bosc_cellgraph_opts opts = {.size = sizeof opts,
                                      .length = (int32_t)plan->info.constraints,
                                      .id_bits = plan->opts.id_bits,
                                      .keep_memory = 1};
    BI_TRY(bosc_cellgraph_create(ctx, &opts, &graph));
    const bosc_roadmap_info info = {
        .constraints = plan->info.constraints, .words = plan->info.words, .id_bits = plan->opts.id_bits};
    const bosc_status status = BI_NEW_HANDLE(ctx, roadmap, .graph = graph, .info = info);
    if (status != BOSC_OK) bosc_cellgraph_free(graph);
    return status;
}

void bosc_roadmap_free(bosc_roadmap *roadmap)
{
    if (!roadmap) return;
    bosc_cellgraph_free(roadmap->graph);
    bi_block_free(&roadmap->memory, &roadmap->rotations);
    bi_block_free(&roadmap->memory, &roadmap->next);
    bi_memory_release(&roadmap->host, roadmap, sizeof *roadmap);
}

const bosc_cellgraph *bosc_roadmap_graph(const bosc_roadmap *roadmap) { return roadmap ? roadmap->graph : NULL; }

bosc_status bosc_roadmap_get_info(bosc_ctx *ctx, const bosc_roadmap *roadmap, bosc_roadmap_info *info)
{
    bosc_cellgraph_info graph = {.size = sizeof graph};
    BI_ENTER(ctx);
    BI_TRY(bi_roadmap_check(ctx, roadmap));
    BI_TRY(BI_CHECK_INFO(ctx, info, bosc_roadmap_info));
    BI_TRY(bosc_cellgraph_get_info(ctx, roadmap->graph, &graph));
    bosc_roadmap_info full = roadmap->info;
    full.cells = graph.vertices;
    full.edges = graph.edges;
    full.bytes = graph.bytes + (int64_t)(roadmap->rotations.bytes + roadmap->next.bytes);
    bi_copy_info(info, &full, sizeof full);
    return BOSC_OK;
}

static bosc_status check_both(bosc_ctx *ctx, const bosc_roadmap *roadmap, const bosc_plan *plan)
{
    BI_TRY(bi_roadmap_check(ctx, roadmap));
    BI_TRY(bi_plan_check(ctx, plan));
    if (plan->info.constraints != roadmap->info.constraints)
        return bi_fail(ctx, BOSC_ERR_ARG, "plan: %lld constraints, but the roadmap has %lld",
                       (long long)plan->info.constraints, (long long)roadmap->info.constraints);
    return BOSC_OK;
}

bosc_status bosc_roadmap_reset(bosc_ctx *ctx, bosc_roadmap *roadmap, const bosc_plan *plan)
{
    BI_ENTER(ctx);
    BI_TRY(bi_roadmap_check(ctx, roadmap));
    BI_TRY(check_plan(ctx, plan));
    BI_TRY(bosc_cellgraph_reset(ctx, roadmap->graph, (int32_t)plan->info.constraints));
    roadmap->info = (bosc_roadmap_info){
        .constraints = plan->info.constraints, .words = plan->info.words, .id_bits = roadmap->info.id_bits};
    roadmap->sampling = BOSC_PLAN_CIRCLES;
    roadmap->seed = 0;
    roadmap->first = 0;
    return BOSC_OK;
}

/* Reserves space for `more` rows behind those of the roadmap. */
static bosc_status reserve_rows(bosc_ctx *ctx, bosc_roadmap *roadmap, int64_t more)
{
    struct bi_block *const blocks[] = {&roadmap->rotations, &roadmap->next};
    const size_t sizes[] = {4 * sizeof(double), sizeof(uint32_t)};
    size_t bytes[2], used[2];
    const int64_t rows = roadmap->info.rows;
    if (more > (int64_t)UINT32_MAX - 1 - rows)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld rows and %lld more are over 2^32 - 2", (long long)rows,
                       (long long)more);
    if (roadmap->next.bytes >= (size_t)(rows + more) * sizes[1] &&
        roadmap->rotations.bytes >= (size_t)(rows + more) * sizes[0])
        return BOSC_OK;
    for (int k = 0; k < 2; k++) {
        bytes[k] = (size_t)(rows + more + rows / 2) * sizes[k];
        used[k] = (size_t)rows * sizes[k];
    }
    return bi_blocks_grow(ctx, &roadmap->memory, blocks, 2, bytes, used);
}

static double *rotations_end(const bosc_roadmap *roadmap)
{
    return (double *)roadmap->rotations.data + 4 * roadmap->info.rows;
}

static uint32_t *next_end(const bosc_roadmap *roadmap) { return (uint32_t *)roadmap->next.data + roadmap->info.rows; }

/* Adds rotations behind the rows: their signs to the graph, then the rotations. */
static bosc_status add_rows(bosc_ctx *ctx, bosc_roadmap *roadmap, const bosc_plan *plan, const double *rotations,
                            int64_t n, int64_t stride)
{
    struct bi_plan_rows rows = {.stride = stride};
    const void *reachable;
    uint64_t *vectors;
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, rotations, (size_t)((n - 1) * stride + 4) * sizeof *rotations, &reachable, &staged));
    BI_TRY(bi_scratch_of(ctx, n * plan->forms.words, sizeof *vectors, &vectors));
    BI_TRY(bi_plan_evaluate_signs(ctx, plan, reachable, n, stride, vectors, NULL, "rotations"));
    BI_TRY(reserve_rows(ctx, roadmap, n));
    rows.from = reachable;
    rows.rotations = rotations_end(roadmap);
    BI_TRY(BI_PLAN_STEP(ctx, copy_rotation, n, &rows));
    BI_TRY(ctx->backend->fill(ctx, next_end(roadmap), 0xff, (size_t)n * sizeof(uint32_t)));
    BI_TRY(bosc_cellgraph_add(ctx, roadmap->graph, vectors, n, 0));
    roadmap->info.rows += n;
    return BOSC_OK;
}

bosc_status bosc_roadmap_add(bosc_ctx *ctx, bosc_roadmap *roadmap, const bosc_plan *plan, const double *rotations,
                             int64_t n, int64_t stride)
{
    BI_ENTER(ctx);
    BI_TRY(check_both(ctx, roadmap, plan));
    BI_TRY(bi_plan_check_rotations(ctx, "rotations", rotations, n, &stride));
    if (n == 0) return BOSC_OK;
    bi_progress_set_total(ctx, (double)n * (double)(10 + plan->forms.words));
    BI_RETURN_WITH_SCRATCH(ctx, add_rows(ctx, roadmap, plan, rotations, n, stride));
}

/* ---- exploring ---- */

static bosc_status check_explore_opts(bosc_ctx *ctx, const bosc_roadmap_explore_opts *opts,
                                      bosc_roadmap_explore_opts *full)
{
    BI_TRY(bi_read_opts(ctx, "bosc_roadmap_explore_opts", opts, full, sizeof *full));
    BI_TRY(bi_plan_check_sampling(ctx, full->sampling));
    if (full->reserved != 0) return bi_fail(ctx, BOSC_ERR_ARG, "opts: reserved %d is not 0", (int)full->reserved);
    if (full->batch < 0) return bi_fail(ctx, BOSC_ERR_ARG, "opts: batch %lld is less than 0", (long long)full->batch);
    if (full->max_rows < 0 || full->max_rows >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: max_rows %lld is not in 0 to 2^32 - 2", (long long)full->max_rows);
    if (full->new_rate != full->new_rate) return bi_fail(ctx, BOSC_ERR_ARG, "opts: new_rate is not a number");
    if (full->max_rows == 0) full->max_rows = MAX_ROWS;
    if (full->new_rate == 0) full->new_rate = 0.01;
    return BOSC_OK;
}

static bosc_status count_cells(bosc_ctx *ctx, const bosc_roadmap *roadmap, int64_t *cells)
{
    bosc_cellgraph_info info = {.size = sizeof info};
    BI_TRY(bosc_cellgraph_get_info(ctx, roadmap->graph, &info));
    *cells = info.vertices;
    return BOSC_OK;
}

/* Adds one batch; *rows: number of rows added, 0 if no circle fits. Each sample is a circle of rotations. It adds a row
 * for each arc between constraints. */
static bosc_status explore_batch(bosc_ctx *ctx, bosc_roadmap *roadmap, const bosc_plan *plan,
                                 const bosc_roadmap_explore_opts *opts, int64_t capacity, int64_t *rows)
{
    const bosc_plan_sample_opts sample = {
        .size = sizeof sample, .sampling = opts->sampling, .seed = opts->seed, .first = roadmap->first};
    struct bi_plan_sampled sampled;
    uint64_t *vectors;
    BI_TRY(reserve_rows(ctx, roadmap, capacity));
    BI_TRY(bi_scratch_of(ctx, capacity * plan->forms.words, sizeof *vectors, &vectors));
    BI_TRY(bi_plan_sample_rows(ctx, plan, &sample, capacity, rotations_end(roadmap), vectors, next_end(roadmap), 32,
                               roadmap->info.rows, &sampled));
    *rows = sampled.rows;
    if (*rows == 0) return BOSC_OK;
    BI_TRY(bosc_cellgraph_add(ctx, roadmap->graph, vectors, *rows, 0));
    roadmap->info.rows += *rows;
    roadmap->info.witnessed += sampled.witnessed;
    roadmap->first = sampled.last;
    return BOSC_OK;
}

/* max_rows counts all rows of the roadmap; at that many the call adds none. Batches before a failure stay. A call
 * with the seed and sampling of the last one continues its samples; others begin anew. A negative new_rate never
 * saturates. It also ends, without an error, where no circle fits in the remaining rows. NULL opts mean defaults. */
bosc_status bosc_roadmap_explore(bosc_ctx *ctx, bosc_roadmap *roadmap, const bosc_plan *plan,
                                 const bosc_roadmap_explore_opts *opts)
{
    bosc_roadmap_explore_opts full;
    int64_t old_cells, cells, rows;
    BI_ENTER(ctx);
    BI_TRY(check_both(ctx, roadmap, plan));
    BI_TRY(check_explore_opts(ctx, opts, &full));
    if (roadmap->seed != full.seed || roadmap->sampling != full.sampling) roadmap->first = 0;
    roadmap->seed = full.seed;
    roadmap->sampling = full.sampling;
    roadmap->info.batches = 0;
    roadmap->info.saturated = 0;
    bi_progress_set_total(ctx,
                          2 * (double)(full.max_rows > roadmap->info.rows ? full.max_rows - roadmap->info.rows : 0) *
                              (double)(5 + plan->forms.words));
    /* Add batches until few of their rows are new cells, or the limit is reached. The default batch doubles the
     * rows. */
    BI_TRY(count_cells(ctx, roadmap, &cells));
    while (!roadmap->info.saturated && roadmap->info.rows < full.max_rows) {
        int64_t batch = full.batch ? full.batch : roadmap->info.rows > BATCH ? roadmap->info.rows : BATCH;
        int64_t left = full.max_rows - roadmap->info.rows;
        /* The most rows of a circle, which crosses each constraint at most twice; so the last one fits. Uniform samples
         * have one row each. */
        int64_t spare = 2 * plan->info.constraints;
        int64_t capacity = batch < left - spare ? batch + spare : left;
        old_cells = cells;
        BI_TRY_WITH_SCRATCH(ctx, explore_batch(ctx, roadmap, plan, &full, capacity, &rows));
        if (rows == 0) break;
        BI_TRY(count_cells(ctx, roadmap, &cells));
        roadmap->info.batches++;
        roadmap->info.new_rate = (double)(cells - old_cells) / (double)rows;
        roadmap->info.saturated = roadmap->info.new_rate < full.new_rate;
    }
    return BOSC_OK;
}

/* ---- copying out ---- */

/* Widens `next` to 64 bits, in scratch. */
static bosc_status widen_next(bosc_ctx *ctx, const uint32_t *next, int64_t n, void **widened)
{
    struct bi_plan_rows rows = {.next = next};
    BI_TRY(bi_scratch_of(ctx, n, sizeof *rows.widened, &rows.widened));
    *widened = rows.widened;
    return BI_PLAN_STEP(ctx, widen_next, n, &rows);
}

static bosc_status copy_rows(bosc_ctx *ctx, const bosc_roadmap *roadmap, int64_t first, int64_t n, double *rotations,
                             void *next)
{
    const double *from = (const double *)roadmap->rotations.data + 4 * first;
    void *ids = (uint32_t *)roadmap->next.data + first;
    const bool waits =
        (rotations && !ctx->backend->reaches(ctx, rotations)) || (next && !ctx->backend->reaches(ctx, next));
    if (next && roadmap->info.id_bits == 64) BI_TRY(widen_next(ctx, ids, n, &ids));
    if (rotations) BI_TRY(ctx->backend->copy(ctx, rotations, from, (size_t)n * 4 * sizeof *rotations));
    if (next) BI_TRY(ctx->backend->copy(ctx, next, ids, (size_t)n * (size_t)roadmap->info.id_bits / 8));
    return waits ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_roadmap_get_rows(bosc_ctx *ctx, const bosc_roadmap *roadmap, int64_t first, int64_t n,
                                  double *rotations, void *next)
{
    BI_ENTER(ctx);
    BI_TRY(bi_roadmap_check(ctx, roadmap));
    if (first < 0 || first > roadmap->info.rows)
        return bi_fail(ctx, BOSC_ERR_ARG, "first: %lld is not in 0 to %lld", (long long)first,
                       (long long)roadmap->info.rows);
    if (n < 0 || n > roadmap->info.rows - first)
        return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is not in 0 to %lld", (long long)n,
                       (long long)(roadmap->info.rows - first));
    BI_TRY(bi_check_aligned(ctx, "rotations", rotations, sizeof *rotations));
    BI_TRY(bi_check_aligned(ctx, "next", next, (size_t)roadmap->info.id_bits / 8));
    if (n == 0) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(ctx, copy_rows(ctx, roadmap, first, n, rotations, next));
}

/* Copies the rotation of the first row of each cell. */
static bosc_status copy_cells(bosc_ctx *ctx, const bosc_roadmap *roadmap, int64_t cells, double *rotations)
{
    struct bi_plan_rows rows = {.from = roadmap->rotations.data, .stride = 4};
    struct bi_out out;
    void *ids;
    bool staged = false;
    BI_TRY(bi_stage_out(ctx, rotations, (size_t)cells * 4 * sizeof *rotations, &out, &staged));
    BI_TRY(bi_scratch_of(ctx, cells, (size_t)roadmap->info.id_bits / 8, &ids));
    BI_TRY(bosc_cellgraph_get_vertices(ctx, roadmap->graph, NULL, ids, NULL, NULL));
    rows.rotations = out.reachable;
    rows.rows = ids;
    rows.rows_are_64bit = roadmap->info.id_bits == 64;
    BI_TRY(BI_PLAN_STEP(ctx, copy_rotation, cells, &rows));
    BI_TRY(bi_stage_back(ctx, &out));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_roadmap_get_cells(bosc_ctx *ctx, const bosc_roadmap *roadmap, double *rotations)
{
    int64_t cells;
    BI_ENTER(ctx);
    BI_TRY(bi_roadmap_check(ctx, roadmap));
    BI_TRY(count_cells(ctx, roadmap, &cells));
    BI_TRY(bi_plan_check_array(ctx, "rotations", rotations, cells, sizeof *rotations));
    if (cells == 0) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(ctx, copy_cells(ctx, roadmap, cells, rotations));
}
