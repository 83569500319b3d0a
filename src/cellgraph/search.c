/* Searches: levels and paths, and the packed rows that they read; and connected components. */
#include "cellgraph/drivers.h"
#include "core/call.h"

/* ---- searches ---- */

/* Writes the packed rows that searches read. */
static bosc_status write_rows(bosc_ctx *ctx, const bosc_cellgraph *graph, uint64_t *rows, uint32_t *neighbours)
{
    struct bi_cellgraph_arcs args = {.neighbours = neighbours};
    struct bi_mark mark = bi_arena_mark(ctx);
    BI_TRY(bi_cellgraph_build_adjacency(ctx, graph, &args));
    struct bi_cellgraph_packing packing = {args.offsets, rows};
    BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_pack, graph->vertices, &packing));
    bi_arena_rewind(ctx, mark);
    return BOSC_OK;
}

/* Stores what searches need: rows, or the dictionary of implied edges. */
static bosc_status store_rows(bosc_ctx *ctx, bosc_cellgraph *graph)
{
    if (graph->opts.implied_edges) {
        const struct bi_cellgraph_view view = bi_cellgraph_view_of(graph);
        struct bi_cellgraph_dictionary d;
        BI_TRY(bi_cellgraph_reserve_block(ctx, graph, BI_CELLGRAPH_DICTIONARY,
                                          bi_cellgraph_lay_out_dictionary(NULL, view.count, &d), 1));
        bi_cellgraph_lay_out_dictionary(graph->blocks[BI_CELLGRAPH_DICTIONARY].data, view.count, &d);
        BI_TRY(bi_cellgraph_fill_dictionary(ctx, &view, &d));
        return ctx->backend->sync(ctx);
    }
    BI_TRY(bi_cellgraph_reserve_block(ctx, graph, BI_CELLGRAPH_ROWS, graph->vertices, 8));
    BI_TRY(bi_cellgraph_reserve_block(ctx, graph, BI_CELLGRAPH_NEIGHBOURS, 2 * graph->edges, 4));
    BI_TRY(write_rows(ctx, graph, graph->blocks[BI_CELLGRAPH_ROWS].data, graph->blocks[BI_CELLGRAPH_NEIGHBOURS].data));
    return ctx->backend->sync(ctx);
}

bosc_status bosc_cellgraph_prepare(bosc_ctx *ctx, bosc_cellgraph *graph)
{
    BI_ENTER(ctx);
    BI_TRY(bi_cellgraph_check(ctx, graph));
    if (graph->prepared || (graph->opts.implied_edges && graph->vertices == 0)) return BOSC_OK;
    bosc_status status;
    BI_WITH_SCRATCH(ctx, status = store_rows(ctx, graph));
    graph->prepared = status == BOSC_OK;
    return status;
}

/* The rows of a prepared graph, or rows in scratch. */
static bosc_status get_rows(bosc_ctx *ctx, const bosc_cellgraph *graph, struct bi_cellgraph_search *search)
{
    uint64_t *rows = graph->blocks[BI_CELLGRAPH_ROWS].data;
    uint32_t *neighbours = graph->blocks[BI_CELLGRAPH_NEIGHBOURS].data;
    if (!graph->prepared) {
        BI_TRY(bi_scratch_of(ctx, graph->vertices, 8, &rows));
        BI_TRY(bi_scratch_of(ctx, 2 * graph->edges, 4, &neighbours));
        BI_TRY(write_rows(ctx, graph, rows, neighbours));
    }
    search->rows = rows;
    search->neighbours = neighbours;
    return BOSC_OK;
}

/* Allocates the arrays of the sides, and initialises the labels. */
static bosc_status reserve_sides(bosc_ctx *ctx, int64_t n, struct bi_cellgraph_search *search)
{
    for (int side = 0; side < search->sides; side++) {
        BI_TRY(bi_scratch_of(ctx, n, 8, &search->level_parent[side]));
        BI_TRY(bi_scratch_of(ctx, n, 4, &search->queue[side]));
        const struct bi_cellgraph_masked_words words = {search->mask, search->level_parent[side]};
        if (search->mask)
            BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_mask_word, n, &words));
        else
            BI_TRY(ctx->backend->fill(ctx, search->level_parent[side], 0xff, (size_t)n * 8));
    }
    return search->sides == 2 ? bi_scratch_of(ctx, n + 1, 4, &search->path) : BOSC_OK;
}

/* The sources of a search under its mask: all are present, or one is removed. */
enum sources { PRESENT, REMOVED };

/* Stages the mask, and reads whether it removes a source. */
static bosc_status read_mask(bosc_ctx *ctx, int64_t n, struct bi_cellgraph_search *search, enum sources *sources)
{
    bool staged = false;
    uint8_t source = 1;
    *sources = PRESENT;
    if (!search->mask) return BOSC_OK;
    BI_TRY(bi_stage_in(ctx, search->mask, (size_t)n, (const void **)&search->mask, &staged));
    for (int side = 0; side < search->sides && source; side++)
        BI_TRY(bi_read_back(ctx, &source, search->mask + search->source[side], 1));
    if (!source) *sources = REMOVED;
    return BOSC_OK;
}

/* Searches from search->source: labels in search->level_parent, or with implied edges search->path; extent in
 * *result. */
static bosc_status search_from(bosc_ctx *ctx, const bosc_cellgraph *graph, struct bi_cellgraph_search *search,
                               struct bi_cellgraph_search_result *result)
{
    enum sources sources;
    BI_TRY(read_mask(ctx, graph->vertices, search, &sources));
    *result = (struct bi_cellgraph_search_result){.junction = UINT32_MAX};
    if (graph->opts.implied_edges)
        return sources == REMOVED ? BOSC_OK : bi_cellgraph_find_route(ctx, graph, search, result);
    BI_TRY(reserve_sides(ctx, graph->vertices, search));
    if (sources == REMOVED) return BOSC_OK; /* nothing is reached */
    BI_TRY(get_rows(ctx, graph, search));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *result, &search->result));
    BI_TRY(ctx->ops->cellgraph->search(ctx, search));
    return bi_read_back(ctx, result, search->result, sizeof *result);
}

static bosc_status check_vertex(bosc_ctx *ctx, const bosc_cellgraph *graph, const char *name, int64_t vertex)
{
    if (vertex >= 0 && vertex < graph->vertices) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld is none of the %lld vertices", name, (long long)vertex,
                   (long long)graph->vertices);
}

/* Copies levels or parents of the labels to the caller's array. */
static bosc_status copy_half(bosc_ctx *ctx, const bosc_cellgraph *graph, const struct bi_cellgraph_search *search,
                             struct bi_out *out, int32_t shift)
{
    struct bi_cellgraph_half half = {search->level_parent[0], out->reachable, graph->opts.id_bits == 64, shift};
    if (out->bytes == 0) return BOSC_OK;
    BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_widen_half, graph->vertices, &half));
    return bi_stage_back(ctx, out);
}

/* Searches from one source, and copies the levels and parents out. */
static bosc_status find_levels(bosc_ctx *ctx, const bosc_cellgraph *graph, struct bi_cellgraph_search *search,
                               void *levels, void *parents, struct bi_cellgraph_search_result *result)
{
    size_t bytes = (size_t)graph->vertices * (size_t)graph->opts.id_bits / 8;
    struct bi_out out[2];
    bool staged = false;
    BI_TRY(bi_stage_out(ctx, levels, levels ? bytes : 0, &out[0], &staged));
    BI_TRY(bi_stage_out(ctx, parents, parents ? bytes : 0, &out[1], &staged));
    BI_TRY(search_from(ctx, graph, search, result));
    BI_TRY(copy_half(ctx, graph, search, &out[0], BI_CELLGRAPH_LEVEL_SHIFT));
    BI_TRY(copy_half(ctx, graph, search, &out[1], 0));
    return ctx->backend->sync(ctx);
}

static bosc_status compute_levels(bosc_ctx *ctx, const bosc_cellgraph *graph, int64_t source, const uint8_t *mask,
                                  void *levels, void *parents, int64_t *reached, int64_t *depth)
{
    struct bi_cellgraph_search_result result;
    BI_TRY(bi_cellgraph_check_edges(ctx, graph));
    BI_TRY(check_vertex(ctx, graph, "source", source));
    BI_TRY(bi_check_aligned(ctx, "levels", levels, (size_t)graph->opts.id_bits / 8));
    BI_TRY(bi_check_aligned(ctx, "parents", parents, (size_t)graph->opts.id_bits / 8));
    struct bi_cellgraph_search search = {.sides = 1, .source = {(uint32_t)source, 0}, .mask = mask};
    bosc_status status;
    BI_WITH_SCRATCH(ctx, status = find_levels(ctx, graph, &search, levels, parents, &result));
    if (status == BOSC_OK && reached) *reached = result.reached[0];
    if (status == BOSC_OK && depth) *depth = result.depth[0];
    return status;
}

bosc_status bosc_cellgraph_levels(bosc_ctx *ctx, const bosc_cellgraph *graph, int64_t source, void *levels,
                                  void *parents, int64_t *reached, int64_t *depth)
{
    BI_ENTER(ctx);
    return compute_levels(ctx, graph, source, NULL, levels, parents, reached, depth);
}

bosc_status bosc_cellgraph_levels_masked(bosc_ctx *ctx, const bosc_cellgraph *graph, int64_t source,
                                         const uint8_t *vertex_mask, void *levels, void *parents, int64_t *reached,
                                         int64_t *depth)
{
    BI_ENTER(ctx);
    return compute_levels(ctx, graph, source, vertex_mask, levels, parents, reached, depth);
}

/* Searches from both ends, and copies up to `capacity` vertices of the path out. *length: 0 if there is none. */
static bosc_status find_path(bosc_ctx *ctx, const bosc_cellgraph *graph, struct bi_cellgraph_search *search, void *path,
                             int64_t capacity, int64_t *length)
{
    bool is_64bit = graph->opts.id_bits == 64, staged = false;
    struct bi_cellgraph_search_result result;
    struct bi_out out;
    BI_TRY(search_from(ctx, graph, search, &result));
    int64_t count = result.junction == UINT32_MAX ? 0 : (int64_t)result.depth[0] + result.depth[1] + 1;
    if (capacity > count) capacity = count;
    if (path && capacity > 0) {
        BI_TRY(bi_stage_out(ctx, path, (size_t)capacity * (is_64bit ? 8 : 4), &out, &staged));
        struct bi_cellgraph_ids ids = {search->path, out.reachable, is_64bit};
        BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_widen_id, capacity, &ids));
        BI_TRY(bi_stage_back(ctx, &out));
        BI_TRY(ctx->backend->sync(ctx));
    }
    *length = count;
    return BOSC_OK;
}

static bosc_status compute_path(bosc_ctx *ctx, const bosc_cellgraph *graph, int64_t from, int64_t to,
                                const uint8_t *mask, void *path, int64_t capacity, int64_t *length)
{
    BI_TRY(bi_cellgraph_check(ctx, graph));
    BI_TRY(check_vertex(ctx, graph, "from", from));
    BI_TRY(check_vertex(ctx, graph, "to", to));
    BI_TRY(bi_check_aligned(ctx, "path", path, (size_t)graph->opts.id_bits / 8));
    if (capacity < 0) return bi_fail(ctx, BOSC_ERR_ARG, "capacity: %lld is less than 0", (long long)capacity);
    if (!length) return bi_fail(ctx, BOSC_ERR_ARG, "length: NULL");
    struct bi_cellgraph_search search = {.sides = 2, .source = {(uint32_t)from, (uint32_t)to}, .mask = mask};
    BI_RETURN_WITH_SCRATCH(ctx, find_path(ctx, graph, &search, path, capacity, length));
}

bosc_status bosc_cellgraph_path(bosc_ctx *ctx, const bosc_cellgraph *graph, int64_t from, int64_t to, void *path,
                                int64_t capacity, int64_t *length)
{
    BI_ENTER(ctx);
    return compute_path(ctx, graph, from, to, NULL, path, capacity, length);
}

bosc_status bosc_cellgraph_path_masked(bosc_ctx *ctx, const bosc_cellgraph *graph, int64_t from, int64_t to,
                                       const uint8_t *vertex_mask, void *path, int64_t capacity, int64_t *length)
{
    BI_ENTER(ctx);
    return compute_path(ctx, graph, from, to, vertex_mask, path, capacity, length);
}

/* ---- components ---- */

/* The graph has a vertex. mask NULL: no vertex is removed. labels, count: each may be NULL. A removed vertex gets the
 * label with all bits set, and is not counted. */
static bosc_status find_components(bosc_ctx *ctx, const bosc_cellgraph *graph, const uint8_t *mask, void *labels,
                                   int64_t *count)
{
    struct bi_cellgraph_components args = {.edges = bi_cellgraph_edges_of(graph)};
    bool is_64bit = graph->opts.id_bits == 64, staged = false;
    int64_t n = graph->vertices, found, *count_at;
    struct bi_out out;
    /* 1. Stage the mask and the labels. */
    BI_TRY(bi_stage_in(ctx, mask, mask ? (size_t)n : 0, (const void **)&args.mask, &staged));
    BI_TRY(bi_stage_out(ctx, labels, labels ? (size_t)n * (is_64bit ? 8 : 4) : 0, &out, &staged));
    BI_TRY(bi_scratch_of(ctx, n, 4, &args.parent));
    BI_TRY(bi_scratch_of(ctx, n, 1, &args.roots));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof found, &count_at));
    /* 2. Unite the ends of all edges, and count the roots: without an output compact() changes only *count_at. */
    struct bi_flatten flatten = {args.parent};
    BI_TRY(ctx->backend->core->iota(ctx, 4, args.parent, n));
    BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_union_ends, graph->edges, &args));
    BI_TRY(BI_CELLGRAPH_STEP(ctx, flatten, n, &flatten));
    BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_is_root, n, &args));
    BI_TRY(ctx->backend->core->compact(ctx, 1, args.roots, args.roots, n, NULL, count_at));
    BI_TRY(bi_read_back(ctx, &found, count_at, sizeof found));
    /* 3. Write the labels. */
    if (labels) {
        if (mask) BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_mask_label, n, &args));
        struct bi_cellgraph_ids ids = {args.parent, out.reachable, is_64bit};
        BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_widen_id, n, &ids));
        BI_TRY(bi_stage_back(ctx, &out));
    }
    BI_TRY(ctx->backend->sync(ctx));
    if (count) *count = found;
    return BOSC_OK;
}

static bosc_status check_and_find(bosc_ctx *ctx, const bosc_cellgraph *graph, const uint8_t *mask, void *labels,
                                  int64_t *count)
{
    BI_TRY(bi_cellgraph_check_edges(ctx, graph));
    BI_TRY(bi_check_aligned(ctx, "labels", labels, (size_t)graph->opts.id_bits / 8));
    if (graph->vertices == 0) {
        if (count) *count = 0;
        return BOSC_OK;
    }
    bi_progress_set_total(ctx, 5 * (double)graph->vertices);
    BI_RETURN_WITH_SCRATCH(ctx, find_components(ctx, graph, mask, labels, count));
}

bosc_status bosc_cellgraph_components(bosc_ctx *ctx, const bosc_cellgraph *graph, void *labels, int64_t *count)
{
    BI_ENTER(ctx);
    return check_and_find(ctx, graph, NULL, labels, count);
}

bosc_status bosc_cellgraph_components_masked(bosc_ctx *ctx, const bosc_cellgraph *graph, const uint8_t *vertex_mask,
                                             void *labels, int64_t *count)
{
    BI_ENTER(ctx);
    return check_and_find(ctx, graph, vertex_mask, labels, count);
}
