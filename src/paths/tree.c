/* The tree of shortest paths, from distances alone: so it does not depend on the search. */
#include "base/bits.h"
#include "paths/drivers.h"

/* Finds predecessors of the vertices whose distance only arcs of length 0 attain: a breadth-first search along arcs
 * that join vertices of one distance, from all vertices that have a predecessor. */
static bosc_status extend_tree(struct bi_paths_call *c, struct bi_paths_tree *t, uint64_t *counted, uint64_t *unrooted)
{
    bosc_ctx *ctx = c->ctx;
    const int64_t n = c->rows.n, items = bi_div_up(c->rows.arcs, BI_PATHS_ITEM_ARCS);
    struct bi_paths_search s = {.rows = c->rows, .mean_length = 1};
    struct bi_paths_flat flat = {.distances = t->distances, .predecessors = t->predecessors, .none = c->rows.none};
    uint32_t *all;
    void *count;
    s.rows.plateau = t->distances;
    s.rows.none = s.rows.bound = UINT64_MAX;
    BI_TRY(bi_scratch_of(ctx, n, sizeof *flat.hops, &flat.hops));
    BI_TRY(bi_scratch_of(ctx, n, 1, &flat.flags));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *all, &all));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *s.list, &s.list));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof s.count, &count));
    /* 1. Search from the vertices of the tree. */
    BI_TRY(c->steps->paths_find_flat(ctx, n, &flat));
    BI_TRY(ctx->backend->core->iota(ctx, sizeof *all, all, n));
    BI_TRY(ctx->backend->core->compact(ctx, sizeof *all, all, flat.flags, n, s.list, count));
    BI_TRY(bi_read_back(ctx, &s.count, count, sizeof s.count));
    s.distances = flat.hops;
    BI_TRY(bi_paths_run_search(ctx, &s, c->opts.algorithm));
    /* 2. Propose predecessors by the numbers of arcs. */
    t->hops = flat.hops;
    BI_TRY_WITH_COST(ctx, BI_PATHS_ITEM_ARCS, c->steps->paths_propose_flat(ctx, items, t));
    /* 3. Count the vertices without a predecessor. */
    flat.hops = NULL;
    flat.flags = NULL;
    flat.count = counted;
    BI_TRY(ctx->backend->fill(ctx, counted, 0, sizeof *counted));
    BI_TRY(c->steps->paths_find_flat(ctx, n, &flat));
    return bi_read_back(ctx, unrooted, counted, sizeof *unrooted);
}

static bosc_status find_tree(struct bi_paths_call *c, const uint64_t *distances, uint32_t *predecessors, bool has_tree,
                             uint64_t *unrooted)
{
    bosc_ctx *ctx = c->ctx;
    const int64_t n = c->rows.n;
    struct bi_paths_tree t = {.rows = c->rows,
                              .distances = distances,
                              .predecessors = predecessors,
                              .sources = c->sources,
                              .sources_64bit = c->id_bits == 64};
    struct bi_paths_flat flat = {.distances = distances, .predecessors = predecessors, .none = c->rows.none};
    *unrooted = 0;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *flat.count, &flat.count));
    BI_TRY(ctx->backend->fill(ctx, flat.count, 0, sizeof *flat.count));
    if (!has_tree) {
        BI_TRY(ctx->backend->fill(ctx, predecessors, 0xff, (size_t)n * sizeof *predecessors));
        BI_TRY(c->steps->paths_set_roots(ctx, c->source_count, &t));
        BI_TRY_WITH_COST(ctx, BI_PATHS_ITEM_ARCS,
                         c->steps->paths_propose(ctx, bi_div_up(c->rows.arcs, BI_PATHS_ITEM_ARCS), &t));
    }
    BI_TRY(c->steps->paths_find_flat(ctx, n, &flat));
    BI_TRY(bi_read_back(ctx, unrooted, flat.count, sizeof *unrooted));
    if (*unrooted == 0) return BOSC_OK;
    return extend_tree(c, &t, flat.count, unrooted);
}

bosc_status bi_paths_find_tree(struct bi_paths_call *c, const uint64_t *distances, uint32_t *predecessors,
                               bool has_tree, uint64_t *unrooted)
{
    BI_RETURN_WITH_SCRATCH(c->ctx, find_tree(c, distances, predecessors, has_tree, unrooted));
}

enum { MAX_JUMPS = 33 }; /* rounds: each doubles the distances to roots, fewer than 2^32 */

static bosc_status find_roots(struct bi_paths_call *c, uint32_t *above)
{
    bosc_ctx *ctx = c->ctx;
    struct bi_paths_jump jump = {.above = above};
    uint32_t moved = 1;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *jump.moved, &jump.moved));
    for (int round = 0; moved && round < MAX_JUMPS; round++) {
        BI_TRY(ctx->backend->fill(ctx, jump.moved, 0, sizeof moved));
        BI_TRY(c->steps->paths_jump(ctx, c->rows.n, &jump));
        BI_TRY(bi_read_back(ctx, &moved, jump.moved, sizeof moved));
    }
    return BOSC_OK;
}

bosc_status bi_paths_find_roots(struct bi_paths_call *c, uint32_t *above)
{
    BI_RETURN_WITH_SCRATCH(c->ctx, find_roots(c, above));
}
