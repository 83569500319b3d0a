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

/* *reached = the number of vertices with a distance. */
static bosc_status count_reached(struct bi_paths_call *c, const uint64_t *distances, int64_t *reached)
{
    bosc_ctx *ctx = c->ctx;
    struct bi_paths_count count = {.distances = distances, .none = c->rows.none, .n = c->rows.n};
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *count.count, &count.count));
    BI_TRY(ctx->backend->fill(ctx, count.count, 0, sizeof *count.count));
    BI_TRY(c->steps->paths_count(ctx, bi_div_up(c->rows.n, BI_PATHS_ITEM_VERTICES), &count));
    return bi_read_back(ctx, reached, count.count, sizeof *reached);
}

/* Computes the tree, its edges and its roots in scratch, each if its output is requested; sets *write to them. */
static bosc_status find_trees(struct bi_paths_call *c, const struct outputs *to, const uint64_t *distances,
                              struct bi_paths_write *write)
{
    bosc_ctx *ctx = c->ctx;
    const int64_t n = c->rows.n;
    uint32_t *predecessors, *roots;
    uint64_t unrooted, *ids;
    if (!to->predecessors && !to->nearest && !to->edges) return BOSC_OK;
    /* 1. The tree, on which the others depend. */
    BI_TRY(bi_scratch_of(ctx, n, sizeof *predecessors, &predecessors));
    BI_TRY(bi_paths_find_tree(c, distances, predecessors, &unrooted));
    write->predecessors = predecessors;
    /* 2. Its edges. */
    if (to->edges) {
        BI_TRY(bi_scratch_of(ctx, n, sizeof *ids, &ids));
        struct bi_paths_tree t = {.rows = c->rows, .distances = distances, .predecessors = predecessors, .edges = ids};
        BI_TRY(ctx->backend->fill(ctx, ids, 0xff, (size_t)n * sizeof *ids));
        BI_TRY_WITH_COST(ctx, BI_PATHS_ITEM_ARCS,
                         c->steps->paths_choose_edges(ctx, bi_div_up(c->rows.arcs, BI_PATHS_ITEM_ARCS), &t));
        write->ids = ids;
    }
    /* 3. Its roots. */
    if (to->nearest) {
        BI_TRY(bi_scratch_of(ctx, n, sizeof *roots, &roots));
        BI_TRY(ctx->backend->copy(ctx, roots, predecessors, (size_t)n * sizeof *roots));
        BI_TRY(bi_paths_find_roots(c, roots));
        write->roots = roots;
    }
    return BOSC_OK;
}

/* All allocations and checks precede the first write to the caller's arrays. */
static bosc_status compute(struct bi_paths_call *c, const struct outputs *to)
{
    bosc_ctx *ctx = c->ctx;
    const int64_t n = c->rows.n;
    const size_t id_bytes = (size_t)n * (size_t)c->id_bits / 8, words = (size_t)n * sizeof(uint64_t);
    bosc_paths_info full = {.size = sizeof full};
    struct bi_out predecessors, edges, nearest;
    struct bi_paths_write write = {.is_64bit = c->id_bits == 64};
    uint64_t *distances;
    bool staged = false;
    /* 1. Distances. */
    BI_TRY(bi_scratch_of(ctx, n, sizeof *distances, &distances));
    BI_TRY(bi_stage_out(ctx, to->predecessors, id_bytes, &predecessors, &staged));
    BI_TRY(bi_stage_out(ctx, to->edges, id_bytes, &edges, &staged));
    BI_TRY(bi_stage_out(ctx, to->nearest, id_bytes, &nearest, &staged));
    BI_TRY(bi_paths_check_data(c));
    BI_TRY(bi_paths_find_distances(c, distances));
    if (to->info) BI_TRY(count_reached(c, distances, &full.reached));
    /* 2. The tree. */
    BI_TRY(find_trees(c, to, distances, &write));
    /* 3. The caller's arrays. */
    if (to->predecessors) write.to = predecessors.reachable;
    if (to->edges) write.edges = edges.reachable;
    if (to->nearest) write.nearest = nearest.reachable;
    if (write.to || write.edges || write.nearest) BI_TRY(c->steps->paths_write(ctx, n, &write));
    if (to->distances && n > 0) BI_TRY(ctx->backend->copy(ctx, to->distances, distances, words));
    if (to->predecessors) BI_TRY(bi_stage_back(ctx, &predecessors));
    if (to->edges) BI_TRY(bi_stage_back(ctx, &edges));
    if (to->nearest) BI_TRY(bi_stage_back(ctx, &nearest));
    BI_TRY(ctx->backend->sync(ctx));
    if (to->info) bi_copy_info(to->info, &full, sizeof full);
    return BOSC_OK;
}

enum { ARC_COST = 6, VERTEX_COST = 12 }; /* items of progress: passes over arcs and vertices */

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
    bi_progress_set_total(ctx, ARC_COST * (double)view.arcs + VERTEX_COST * (double)view.n);
    BI_RETURN_WITH_SCRATCH(ctx, compute(&c, &to));
}

/* ---- rows of the caller ---- */

/* Offsets of 32 bits where they fit, as the searches of a graph read them. */
static bosc_status convert_offsets(struct bi_paths_call *c, const int64_t *offsets)
{
    bosc_ctx *ctx = c->ctx;
    struct bi_paths_rows *r = &c->rows;
    struct bi_graph_offsets_scan scan;
    int64_t *found;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *found, &found));
    BI_TRY(bi_graph_scan_offsets(ctx, offsets, true, r->n, found, &scan));
    if (scan.first != 0 || scan.bad != INT64_MAX)
        return bi_fail(ctx, BOSC_ERR_DATA, "offsets: number %lld does not ascend from 0",
                       scan.first != 0 ? 0 : (long long)scan.bad);
    r->arcs = (int64_t)scan.last;
    if (scan.last >= (uint64_t)1 << 40)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "offsets: %llu arcs, not less than 2^40", (unsigned long long)scan.last);
    r->offsets_64bit = scan.last >= UINT32_MAX;
    r->offsets = offsets;
    if (r->offsets_64bit) return BOSC_OK;
    uint32_t *words;
    BI_TRY(bi_scratch_of(ctx, r->n + 1, sizeof *words, &words));
    BI_TRY(bi_graph_convert_words(ctx, offsets, true, words, false, r->n + 1));
    r->offsets = words;
    return BOSC_OK;
}

/* Neighbours of 32 bits and weights as keys: the caller's arrays where they have that form. */
static bosc_status convert_arcs(struct bi_paths_call *c, const void *neighbours, const void *weights)
{
    bosc_ctx *ctx = c->ctx;
    struct bi_paths_rows *r = &c->rows;
    int64_t bad = INT64_MAX;
    bool staged = false;
    struct bi_paths_convert a = {.neighbours_64bit = c->id_bits == 64, .weight = r->weight, .n = (uint64_t)r->n};
    const size_t size = bosc_dtype_size(r->weight);
    if (r->arcs == 0) return BOSC_OK;
    if (!neighbours) return bi_fail(ctx, BOSC_ERR_ARG, "neighbours: NULL");
    /* 1. Choose the arrays to convert. */
    BI_TRY(bi_stage_in(ctx, neighbours, (size_t)r->arcs * (size_t)c->id_bits / 8, &a.neighbours, &staged));
    r->neighbours = a.neighbours;
    if (c->id_bits == 64) {
        BI_TRY(bi_scratch_of(ctx, r->arcs, sizeof *a.to, &a.to));
        r->neighbours = a.to;
    }
    if (!r->unweighted) {
        BI_TRY(bi_stage_in(ctx, weights, (size_t)r->arcs * size, &a.weights, &staged));
        r->keys = a.weights;
        if (r->weight != BOSC_U32 && r->weight != BOSC_U64) {
            BI_TRY(bi_scratch_of(ctx, r->arcs, size, &a.keys));
            r->keys = a.keys;
        }
    }
    /* 2. Convert and check. */
    BI_TRY(bi_scratch_of(ctx, 1, sizeof bad, &a.bad));
    BI_TRY(ctx->backend->copy(ctx, a.bad, &bad, sizeof bad));
    BI_TRY(c->steps->paths_convert(ctx, r->arcs, &a));
    BI_TRY(bi_read_back(ctx, &bad, a.bad, sizeof bad));
    if (bad == INT64_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_DATA, "neighbours: number %lld is no vertex", (long long)bad);
}

static bosc_status compute_rows(struct bi_paths_call *c, const int64_t *offsets, const void *neighbours,
                                const void *weights, const struct outputs *to)
{
    const void *reachable;
    bool staged = false;
    BI_TRY(bi_stage_in(c->ctx, offsets, (size_t)(c->rows.n + 1) * sizeof *offsets, &reachable, &staged));
    BI_TRY(convert_offsets(c, reachable));
    BI_TRY(convert_arcs(c, neighbours, weights));
    bi_progress_set_total(c->ctx, (ARC_COST + 1) * (double)c->rows.arcs + VERTEX_COST * (double)c->rows.n);
    return compute(c, to);
}

bosc_status bosc_paths_compute_rows(bosc_ctx *ctx, const bosc_graph_opts *graph_opts, const int64_t *offsets,
                                    const void *neighbours, const void *weights, int64_t n, const void *sources,
                                    int64_t source_count, const bosc_paths_opts *opts, void *distances,
                                    void *predecessors, void *edges, void *nearest, bosc_paths_info *info)
{
    const struct outputs to = {distances, predecessors, edges, nearest, info};
    const struct bi_graph_entries none = {.n = n};
    struct bi_graph_entries staged;
    bosc_graph_opts full;
    BI_ENTER(ctx);
    struct bi_paths_call c = {.ctx = ctx, .steps = ctx->ops->paths->steps, .rows = {.n = n}};
    BI_TRY(bi_graph_entries_of(ctx, graph_opts, &none, &full, &staged));
    c.id_bits = full.id_bits;
    BI_TRY(bi_paths_check_opts(&c, opts, full.weight, !weights));
    if (!offsets) return bi_fail(ctx, BOSC_ERR_ARG, "offsets: NULL");
    BI_TRY(bi_paths_check_array(ctx, "offsets", offsets, 64));
    BI_TRY(bi_paths_check_array(ctx, "neighbours", neighbours, full.id_bits));
    BI_TRY(bi_paths_check_array(ctx, "weights", weights, 8 * (int32_t)bosc_dtype_size(full.weight)));
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
