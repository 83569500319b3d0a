/* A tour of a spanning tree: a depth-first walk by list ranking over its Euler tour. The first walk leaves each vertex
 * by any next arc and yields parents; the second then visits each vertex's children in order. Source: Tarjan and
 * Vishkin, An Efficient Parallel Biconnectivity Algorithm (1985). */
#include "base/bits.h"
#include "core/call.h"
#include "forest/drivers.h"

/* By arc, two buffers each: ends, arc_ids, next, hops. An arc's position is its index in the sorted list. */
struct tour {
    bosc_ctx *ctx;
    const struct bi_forest_steps *steps;
    int64_t n, arcs;
    uint64_t *ends[2];
    uint32_t *arc_ids[2]; /* 2 i and 2 i + 1: the arcs of pair i */
    uint32_t *position_of, *twin, *next[2], *hops[2], *first, *last, *up;
};

static bosc_status allocate_scratch(struct tour *t)
{
    for (int k = 0; k < 2; k++) {
        BI_TRY(bi_scratch_of(t->ctx, t->arcs, sizeof(uint64_t), &t->ends[k]));
        BI_TRY(bi_scratch_of(t->ctx, t->arcs, sizeof(uint32_t), &t->arc_ids[k]));
        BI_TRY(bi_scratch_of(t->ctx, t->arcs, sizeof(uint32_t), &t->next[k]));
        BI_TRY(bi_scratch_of(t->ctx, t->arcs, sizeof(uint32_t), &t->hops[k]));
    }
    BI_TRY(bi_scratch_of(t->ctx, t->arcs, sizeof(uint32_t), &t->position_of));
    BI_TRY(bi_scratch_of(t->ctx, t->arcs, sizeof(uint32_t), &t->twin));
    BI_TRY(bi_scratch_of(t->ctx, t->n, sizeof(uint32_t), &t->first));
    BI_TRY(bi_scratch_of(t->ctx, t->n, sizeof(uint32_t), &t->last));
    return bi_scratch_of(t->ctx, t->n, sizeof(uint32_t), &t->up);
}

/* Lists the arcs of all pairs. n - 1 pairs that connect all vertices are a tree. */
static bosc_status read_pairs(struct tour *t, const void *pairs, bool is_64bit)
{
    const struct bi_backend *backend = t->ctx->backend;
    int64_t bad = INT64_MAX, *position, components;
    struct bi_tour_join_ends join = {t->ends[0], t->up};
    struct bi_flatten flat = {t->up};
    struct bi_msf_rows vertices = {.n = t->n};
    BI_TRY(bi_scratch_of(t->ctx, 1, sizeof bad, &position));
    BI_TRY(backend->copy(t->ctx, position, &bad, sizeof bad));
    struct bi_tour_arcs arcs = {pairs, is_64bit, t->n, t->ends[0], t->arc_ids[0], position};
    BI_TRY(t->steps->tour_arcs(t->ctx, t->n - 1, &arcs));
    BI_TRY(bi_read_back(t->ctx, &bad, position, sizeof bad));
    if (bad != INT64_MAX)
        return bi_fail(t->ctx, BOSC_ERR_DATA, "pairs: row %lld does not name two of %lld vertices", (long long)bad,
                       (long long)t->n);
    BI_TRY(t->ctx->backend->core->iota(t->ctx, 4, t->up, t->n));
    BI_TRY(t->steps->tour_join_ends(t->ctx, t->arcs, &join));
    BI_TRY(t->steps->flatten(t->ctx, t->n, &flat));
    BI_TRY(bi_msf_count_roots(t->ctx, &vertices, t->up, &components));
    if (components == 1) return BOSC_OK;
    return bi_fail(t->ctx, BOSC_ERR_DATA, "pairs: no spanning tree: they leave %lld parts", (long long)components);
}

static bosc_status sort_arcs(struct tour *t)
{
    struct bi_tour_rows rows = {t->ends[1], t->arc_ids[1], t->arcs, t->first, t->last, t->position_of};
    BI_TRY(t->ctx->backend->core->sort_pairs(t->ctx, BOSC_U64, t->ends[0], 4, t->arc_ids[0], t->arcs, t->ends[1],
                                             t->arc_ids[1], 0, 32 + bi_bit_length((uint64_t)t->n)));
    return t->steps->tour_rows(t->ctx, t->arcs, &rows);
}

/* hops[0] becomes the number of arcs from each arc to the end of the walk; next and hops alternate between buffers. */
static bosc_status rank_arcs(struct tour *t)
{
    for (int64_t reach = 1; reach < t->arcs; reach *= 2) {
        struct bi_tour_jump jump = {t->next[0], t->hops[0], t->next[1], t->hops[1]};
        BI_TRY(t->steps->tour_jump(t->ctx, t->arcs, &jump));
        t->next[1] = t->next[0];
        t->hops[1] = t->hops[0];
        t->next[0] = jump.next_out;
        t->hops[0] = jump.hops_out;
    }
    return BOSC_OK;
}

/* Walks the tree in any order: the arc to a vertex's parent comes after its twin. */
static bosc_status find_parents(struct tour *t)
{
    struct bi_tour_link link = {t->ends[1], t->arc_ids[1], t->position_of, t->first,
                                t->last,    t->twin,       t->next[0],     t->hops[0]};
    BI_TRY(t->steps->tour_link(t->ctx, t->arcs, &link));
    BI_TRY(rank_arcs(t));
    struct bi_tour_parents parents = {t->ends[1], t->twin, t->hops[0], t->up};
    BI_TRY(t->ctx->backend->fill(t->ctx, t->up, 0xff, (size_t)t->n * sizeof(uint32_t)));
    return t->steps->tour_parents(t->ctx, t->arcs, &parents);
}

bosc_status bi_tour_root_tree(bosc_ctx *ctx, const void *pairs, bool is_64bit, int64_t n, struct bi_rooted_tree *tree)
{
    struct tour t = {.ctx = ctx, .steps = ctx->ops->forest->steps, .n = n, .arcs = 2 * (n - 1)};
    BI_TRY(allocate_scratch(&t));
    BI_TRY(read_pairs(&t, pairs, is_64bit));
    BI_TRY(sort_arcs(&t));
    BI_TRY(find_parents(&t));
    *tree = (struct bi_rooted_tree){t.ends[1], t.first, t.last, t.up};
    return BOSC_OK;
}

/* order (n) = the vertices in depth-first order. */
static bosc_status walk_tree(struct tour *t, uint32_t *order)
{
    uint8_t *keep;
    void *count;
    BI_TRY(bi_scratch_of(t->ctx, t->arcs, 1, &keep));
    BI_TRY(bi_scratch_of(t->ctx, 1, sizeof(int64_t), &count));
    /* 1. Parents; then the walk that visits children in order. */
    BI_TRY(find_parents(t));
    struct bi_tour_order again = {t->ends[1], t->twin, t->first, t->last, t->up, t->next[0], t->hops[0]};
    BI_TRY(t->steps->tour_order(t->ctx, t->arcs, &again));
    BI_TRY(rank_arcs(t));
    /* 2. Vertices in the order of their first visit, after the root 0. */
    struct bi_tour_visit visit = {t->ends[1], t->twin, t->up, t->hops[0], t->arcs, t->next[0], keep};
    BI_TRY(t->steps->tour_visit(t->ctx, t->arcs, &visit));
    BI_TRY(t->ctx->backend->fill(t->ctx, order, 0, sizeof *order));
    return t->ctx->backend->core->compact(t->ctx, sizeof(uint32_t), visit.vertex, keep, t->arcs, order + 1, count);
}

static bosc_status compute_tour(bosc_ctx *ctx, int64_t n, bool is_64bit, const void *pairs, void *order)
{
    struct tour t = {.ctx = ctx, .steps = ctx->ops->forest->steps, .n = n, .arcs = 2 * (n - 1)};
    struct bi_out out;
    uint32_t *found;
    bool staged = false;
    size_t size = is_64bit ? 8 : 4;
    BI_TRY(bi_stage_in(ctx, pairs, (size_t)t.arcs * size, &pairs, &staged));
    BI_TRY(bi_stage_out(ctx, order, (size_t)n * size, &out, &staged));
    BI_TRY(bi_scratch_of(t.ctx, n, sizeof *found, &found));
    BI_TRY(allocate_scratch(&t));
    if (n > 1) {
        BI_TRY(read_pairs(&t, pairs, is_64bit));
        BI_TRY(sort_arcs(&t));
        BI_TRY(walk_tree(&t, found));
    } else {
        BI_TRY(ctx->backend->fill(ctx, found, 0, sizeof *found));
    }
    BI_TRY(bi_graph_convert_words(ctx, found, false, out.reachable, is_64bit, n));
    BI_TRY(bi_stage_back(ctx, &out));
    return ctx->backend->sync(ctx);
}

bosc_status bosc_tour_compute(bosc_ctx *ctx, const void *pairs, int64_t n, const bosc_tour_opts *opts, void *order)
{
    bosc_tour_opts full;
    BI_ENTER(ctx);
    BI_TRY(bi_read_opts(ctx, "bosc_tour_opts", opts, &full, sizeof full));
    int32_t id_bits = full.id_bits ? full.id_bits : 64;
    BI_TRY(bi_forest_check_id_bits(ctx, id_bits));
    BI_TRY(bi_forest_check_tree(ctx, pairs, n, id_bits));
    if (n > 0 && !order) return bi_fail(ctx, BOSC_ERR_ARG, "order: NULL");
    if ((uintptr_t)order % (uintptr_t)(id_bits / 8))
        return bi_fail(ctx, BOSC_ERR_ARG, "order: not aligned to elements of %d bits", (int)id_bits);
    if (n == 0) return BOSC_OK;
    bi_progress_set_total(ctx, 110 * (double)n);
    BI_RETURN_WITH_SCRATCH(ctx, compute_tour(ctx, n, id_bits == 64, pairs, order));
}
