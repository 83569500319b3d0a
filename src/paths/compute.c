/* Shortest paths: stages the arguments, computes distances, the tree, its edges and its roots, and writes them. */
#include "base/bits.h"
#include "paths/drivers.h"

/* The caller's arrays; any may be NULL. */
struct outputs {
    void *distances, *predecessors, *edges, *nearest;
    bosc_paths_info *info;
};

static bosc_status check_outputs(struct bi_paths_call *c, const struct outputs *to)
{
    BI_TRY(bi_paths_check_array(c->ctx, "distances", to->distances, 64));
    BI_TRY(bi_paths_check_array(c->ctx, "predecessors", to->predecessors, c->id_bits));
    BI_TRY(bi_paths_check_array(c->ctx, "edges", to->edges, c->id_bits));
    BI_TRY(bi_paths_check_array(c->ctx, "nearest", to->nearest, c->id_bits));
    if (!to->info) return BOSC_OK;
    return bi_check_info(c->ctx, "info", "bosc_paths_info", to->info->size, sizeof *to->info);
}

/* *reached += the number of vertices with a distance. */
static bosc_status count_reached(struct bi_paths_call *c, const uint64_t *distances, int64_t *reached)
{
    bosc_ctx *ctx = c->ctx;
    struct bi_paths_count count = {.distances = distances, .none = c->rows.none, .n = c->rows.n};
    int64_t found;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *count.count, &count.count));
    BI_TRY(ctx->backend->fill(ctx, count.count, 0, sizeof *count.count));
    BI_TRY(c->steps->paths_count(ctx, bi_div_up(c->rows.n, BI_PATHS_ITEM_VERTICES), &count));
    BI_TRY(bi_read_back(ctx, &found, count.count, sizeof found));
    *reached += found;
    return BOSC_OK;
}

/* Computes the edges and the roots of the tree in scratch, each if its output is requested; sets *write to them. */
static bosc_status find_edges_and_roots(struct bi_paths_call *c, const struct outputs *to, const uint64_t *distances,
                                        struct bi_paths_write *write)
{
    bosc_ctx *ctx = c->ctx;
    const int64_t n = c->rows.n;
    uint32_t *roots;
    uint64_t *ids;
    if (to->edges) {
        BI_TRY(bi_scratch_of(ctx, n, sizeof *ids, &ids));
        struct bi_paths_tree t = {
            .rows = c->rows, .distances = distances, .predecessors = (uint32_t *)write->predecessors, .edges = ids};
        BI_TRY(ctx->backend->fill(ctx, ids, 0xff, (size_t)n * sizeof *ids));
        BI_TRY_WITH_COST(ctx, BI_PATHS_ITEM_ARCS,
                         c->steps->paths_choose_edges(ctx, bi_div_up(c->rows.arcs, BI_PATHS_ITEM_ARCS), &t));
        write->ids = ids;
    }
    if (to->nearest) {
        BI_TRY(bi_scratch_of(ctx, n, sizeof *roots, &roots));
        BI_TRY(ctx->backend->copy(ctx, roots, write->predecessors, (size_t)n * sizeof *roots));
        BI_TRY(bi_paths_find_roots(c, roots));
        write->roots = roots;
    }
    return BOSC_OK;
}

/* Runs one search, and writes the outputs, which the backend can reach; distances may also be the host's. All
 * allocations and checks precede the first write. */
static bosc_status compute_search(struct bi_paths_call *c, const struct outputs *to, int64_t *reached)
{
    bosc_ctx *ctx = c->ctx;
    const int64_t n = c->rows.n;
    struct bi_paths_write write = {.is_64bit = c->id_bits == 64};
    uint64_t *distances, unrooted;
    uint32_t *predecessors = NULL;
    bool has_tree;
    /* 1. Distances and, by some searches, the tree. */
    BI_TRY(bi_scratch_of(ctx, n, sizeof *distances, &distances));
    if (to->predecessors || to->edges || to->nearest)
        BI_TRY(bi_scratch_of(ctx, n, sizeof *predecessors, &predecessors));
    BI_TRY(bi_paths_find_distances(c, distances, predecessors, &has_tree));
    if (to->info) BI_TRY(count_reached(c, distances, reached));
    /* 2. The tree, its edges and roots. */
    if (predecessors) {
        BI_TRY(bi_paths_find_tree(c, distances, predecessors, has_tree, &unrooted));
        write.predecessors = predecessors;
        BI_TRY(find_edges_and_roots(c, to, distances, &write));
    }
    /* 3. The outputs. */
    write.to = to->predecessors;
    write.edges = to->edges;
    write.nearest = to->nearest;
    if (predecessors) BI_TRY(c->steps->paths_write(ctx, n, &write));
    return to->distances && n > 0 ? ctx->backend->copy(ctx, to->distances, distances, (size_t)n * 8) : BOSC_OK;
}

/* Element i of an array, or NULL. */
static void *element_of(void *array, int64_t i, int32_t bits) { return array ? (char *)array + i * (bits / 8) : NULL; }

static bosc_status compute(struct bi_paths_call *c, const struct outputs *to)
{
    bosc_ctx *ctx = c->ctx;
    const int64_t n = c->rows.n, searches = c->opts.each ? c->source_count : 1;
    const size_t id_bytes = (size_t)searches * (size_t)n * ((size_t)c->id_bits / 8);
    bosc_paths_info full = {.size = sizeof full};
    struct bi_out predecessors, edges, nearest;
    bool staged = false;
    /* 1. Arrays and checks of all searches. */
    BI_TRY(bi_stage_out(ctx, to->predecessors, id_bytes, &predecessors, &staged));
    BI_TRY(bi_stage_out(ctx, to->edges, id_bytes, &edges, &staged));
    BI_TRY(bi_stage_out(ctx, to->nearest, id_bytes, &nearest, &staged));
    BI_TRY(bi_paths_check_data(c));
    /* 2. The searches. */
    const char *sources = c->sources;
    if (c->opts.each) c->source_count = 1;
    for (int64_t k = 0; k < searches; k++) {
        const struct outputs row = {element_of(to->distances, k * n, 64),
                                    element_of(to->predecessors ? predecessors.reachable : NULL, k * n, c->id_bits),
                                    element_of(to->edges ? edges.reachable : NULL, k * n, c->id_bits),
                                    element_of(to->nearest ? nearest.reachable : NULL, k * n, c->id_bits), to->info};
        c->first_source = k;
        c->sources = sources ? sources + k * (c->id_bits / 8) : NULL;
        BI_TRY_WITH_SCRATCH(ctx, compute_search(c, &row, &full.reached));
    }
    /* 3. The caller's arrays. */
    if (to->predecessors) BI_TRY(bi_stage_back(ctx, &predecessors));
    if (to->edges) BI_TRY(bi_stage_back(ctx, &edges));
    if (to->nearest) BI_TRY(bi_stage_back(ctx, &nearest));
    BI_TRY(ctx->backend->sync(ctx));
    if (to->info) bi_copy_info(to->info, &full, sizeof full);
    return BOSC_OK;
}

enum { ARC_COST = 6, VERTEX_COST = 12 }; /* items of progress: passes over arcs and vertices */

/* Returns the items of progress of all searches of a call. */
static double search_items(const struct bi_paths_call *c)
{
    const double one = ARC_COST * (double)c->rows.arcs + VERTEX_COST * (double)c->rows.n;
    return c->opts.each ? (double)c->source_count * one : one;
}

bosc_status bosc_paths_compute(bosc_ctx *ctx, const bosc_graph *graph, const void *sources, int64_t source_count,
                               const bosc_paths_opts *opts, void *distances, void *predecessors, void *edges,
                               void *nearest, bosc_paths_info *info)
{
    const struct outputs to = {distances, predecessors, edges, nearest, info};
    struct bi_graph_view view;
    BI_ENTER(ctx);
    struct bi_paths_call c = {.ctx = ctx, .steps = ctx->ops->paths->steps};
    BI_TRY(bi_graph_view_of(ctx, graph, &view));
    c.id_bits = view.id_bits;
    BI_TRY(bi_paths_check_opts(&c, opts, view.weight, false));
    BI_TRY(bi_paths_check_sources(&c, sources, source_count, view.n));
    BI_TRY(check_outputs(&c, &to));
    bi_paths_set_rows(&c, &view);
    bi_progress_set_total(ctx, search_items(&c));
    BI_RETURN_WITH_SCRATCH(ctx, compute(&c, &to));
}

/* ---- rows of the caller ---- */

static bosc_status compute_rows(struct bi_paths_call *c, const void *offsets, const void *neighbours,
                                const void *weights, const struct outputs *to)
{
    BI_TRY(bi_paths_convert_rows(c, offsets, neighbours, weights));
    bi_progress_set_total(c->ctx, (double)c->rows.arcs + search_items(c));
    return compute(c, to);
}

bosc_status bosc_paths_compute_rows(bosc_ctx *ctx, const bosc_graph_opts *graph_opts, const void *offsets,
                                    const void *neighbours, const void *weights, int64_t n, const void *sources,
                                    int64_t source_count, const bosc_paths_opts *opts, void *distances,
                                    void *predecessors, void *edges, void *nearest, bosc_paths_info *info)
{
    const struct outputs to = {distances, predecessors, edges, nearest, info};
    BI_ENTER(ctx);
    struct bi_paths_call c = {.ctx = ctx, .steps = ctx->ops->paths->steps, .rows = {.n = n}};
    BI_TRY(bi_paths_check_rows(&c, graph_opts, opts, offsets, neighbours, !weights));
    BI_TRY(bi_paths_check_array(ctx, "weights", weights, 8 * (int32_t)bosc_dtype_size(c.rows.weight)));
    BI_TRY(bi_paths_check_sources(&c, sources, source_count, n));
    BI_TRY(check_outputs(&c, &to));
    BI_RETURN_WITH_SCRATCH(ctx, compute_rows(&c, offsets, neighbours, weights, &to));
}

/* ---- memory ---- */

enum { SLACK = 1 << 16 }; /* samples, words and alignments of the arrays */

bosc_status bosc_paths_bytes(const bosc_ctx *ctx, int64_t n, int64_t arcs, int64_t source_count, int64_t *bytes)
{
    bosc_ctx *messages = (bosc_ctx *)ctx; /* only its message is written */
    BI_ENTER(messages);
    if (n < 0 || n >= (int64_t)UINT32_MAX)
        return bi_fail(messages, BOSC_ERR_ARG, "n: %lld is not in [0, 2^32 - 1)", (long long)n);
    if (arcs < 0 || arcs >= (int64_t)1 << 41)
        return bi_fail(messages, BOSC_ERR_ARG, "arcs: %lld is not in [0, 2^41)", (long long)arcs);
    if (source_count < 0 || source_count >= (int64_t)UINT32_MAX)
        return bi_fail(messages, BOSC_ERR_ARG, "source_count: %lld is not in [0, 2^32 - 1)", (long long)source_count);
    if (!bytes) return bi_fail(messages, BOSC_ERR_ARG, "bytes: NULL");
    /* 1. Distances, three outputs, the tree, its roots and ids; sources, listed twice.
     * 2. The larger of two searches: the second, along arcs of length 0, also has hops, flags and two lists. */
    const int64_t results = n * (8 + 3 * 8 + 4 + 4 + 8) + source_count * (8 + 4 + 4 + 1);
    *bytes = results + n * (8 + 1 + 4 + 4) + ctx->ops->paths->search_bytes(ctx, n, arcs) + SLACK;
    return BOSC_OK;
}
