/* A tour of a spanning tree: a depth-first walk by list ranking. The tree is walked twice: the first walk, from any arc
 * of each vertex on, tells parents, so that the second can take each vertex's children in order. Source: Tarjan and
 * Vishkin, An Efficient Parallel Biconnectivity Algorithm (1985), Euler tours. */
#include "base/bits.h"
#include "core/call.h"
#include "forest/drivers.h"

struct tour {
    bosc_ctx *ctx;
    const struct bi_forest_steps *steps;
    int64_t n, arcs;
    uint64_t *ends[2];
    uint32_t *names[2]; /* 2 i and 2 i + 1: the arcs of pair i */
    uint32_t *place_of, *twin, *next[2], *hops[2], *first, *last, *up;
};

static bosc_status take_all(struct tour *t)
{
    for (int k = 0; k < 2; k++) {
        BI_TRY(bi_scratch_of(t->ctx, t->arcs, sizeof(uint64_t), &t->ends[k]));
        BI_TRY(bi_scratch_of(t->ctx, t->arcs, sizeof(uint32_t), &t->names[k]));
        BI_TRY(bi_scratch_of(t->ctx, t->arcs, sizeof(uint32_t), &t->next[k]));
        BI_TRY(bi_scratch_of(t->ctx, t->arcs, sizeof(uint32_t), &t->hops[k]));
    }
    BI_TRY(bi_scratch_of(t->ctx, t->arcs, sizeof(uint32_t), &t->place_of));
    BI_TRY(bi_scratch_of(t->ctx, t->arcs, sizeof(uint32_t), &t->twin));
    BI_TRY(bi_scratch_of(t->ctx, t->n, sizeof(uint32_t), &t->first));
    BI_TRY(bi_scratch_of(t->ctx, t->n, sizeof(uint32_t), &t->last));
    return bi_scratch_of(t->ctx, t->n, sizeof(uint32_t), &t->up);
}

/* The arcs of all pairs; n - 1 pairs that join all vertices are a tree. */
static bosc_status read_pairs(struct tour *t, const void *pairs, bool wide)
{
    const struct bi_backend *backend = t->ctx->backend;
    int64_t bad = INT64_MAX, *place, parts;
    struct bi_msf_iota iota = {t->up};
    struct bi_tour_join_ends join = {t->ends[0], t->up};
    struct bi_flatten flat = {t->up};
    struct bi_msf_rows vertices = {.n = t->n};
    BI_TRY(bi_scratch_of(t->ctx, 1, sizeof bad, &place));
    BI_TRY(backend->copy(t->ctx, place, &bad, sizeof bad));
    struct bi_tour_arcs arcs = {pairs, wide, t->n, t->ends[0], t->names[0], place};
    BI_TRY(t->steps->tour_arcs(t->ctx, t->n - 1, &arcs));
    BI_TRY(bi_read_back(t->ctx, &bad, place, sizeof bad));
    if (bad != INT64_MAX)
        return bi_fail(t->ctx, BOSC_ERR_DATA, "pairs: row %lld does not name two of %lld vertices", (long long)bad,
                       (long long)t->n);
    BI_TRY(t->steps->msf_iota(t->ctx, t->n, &iota));
    BI_TRY(t->steps->tour_join_ends(t->ctx, t->arcs, &join));
    BI_TRY(t->steps->flatten(t->ctx, t->n, &flat));
    BI_TRY(bi_msf_count_roots(t->ctx, &vertices, t->up, &parts));
    if (parts == 1) return BOSC_OK;
    return bi_fail(t->ctx, BOSC_ERR_DATA, "pairs: no spanning tree: they leave %lld parts", (long long)parts);
}

static bosc_status sort_arcs(struct tour *t)
{
    struct bi_tour_rows rows = {t->ends[1], t->names[1], t->arcs, t->first, t->last, t->place_of};
    BI_TRY(t->ctx->backend->core->sort_pairs(t->ctx, BOSC_U64, t->ends[0], 4, t->names[0], t->arcs, t->ends[1],
                                             t->names[1], 0, 32 + bi_bit_length((uint64_t)t->n)));
    return t->steps->tour_rows(t->ctx, t->arcs, &rows);
}

/* hops[0] becomes the number of arcs from each to the end of the walk. */
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

/* order (n) = the vertices in the order of the walk. */
static bosc_status walk(struct tour *t, uint32_t *order)
{
    struct bi_tour_link link = {t->ends[1], t->names[1], t->place_of, t->first,
                                t->last,    t->twin,     t->next[0],  t->hops[0]};
    uint8_t *keep;
    void *count;
    BI_TRY(bi_scratch_of(t->ctx, t->arcs, 1, &keep));
    BI_TRY(bi_scratch_of(t->ctx, 1, sizeof(int64_t), &count));
    BI_TRY(t->steps->tour_link(t->ctx, t->arcs, &link));
    BI_TRY(rank_arcs(t));
    struct bi_tour_parents parents = {t->ends[1], t->twin, t->hops[0], t->up};
    BI_TRY(t->ctx->backend->fill(t->ctx, t->up, 0xff, (size_t)t->n * sizeof(uint32_t)));
    BI_TRY(t->steps->tour_parents(t->ctx, t->arcs, &parents));
    struct bi_tour_order again = {t->ends[1], t->twin, t->first, t->last, t->up, t->next[0], t->hops[0]};
    BI_TRY(t->steps->tour_order(t->ctx, t->arcs, &again));
    BI_TRY(rank_arcs(t));
    struct bi_tour_visit visit = {t->ends[1], t->twin, t->up, t->hops[0], t->arcs, t->next[0], keep};
    BI_TRY(t->steps->tour_visit(t->ctx, t->arcs, &visit));
    BI_TRY(t->ctx->backend->fill(t->ctx, order, 0, sizeof *order));
    return t->ctx->backend->core->compact(t->ctx, sizeof(uint32_t), visit.vertex, keep, t->arcs, order + 1, count);
}

static bosc_status make_tour(bosc_ctx *ctx, int64_t n, bool wide, const void *pairs, void *order)
{
    struct tour t = {.ctx = ctx, .steps = ctx->ops->forest->steps, .n = n, .arcs = 2 * (n - 1)};
    struct bi_out out;
    uint32_t *found;
    bool staged = false;
    size_t size = wide ? 8 : 4;
    BI_TRY(bi_stage_in(ctx, pairs, (size_t)t.arcs * size, &pairs, &staged));
    BI_TRY(bi_stage_out(ctx, order, (size_t)n * size, &out, &staged));
    BI_TRY(bi_scratch_of(t.ctx, n, sizeof *found, &found));
    BI_TRY(take_all(&t));
    if (n > 1) {
        BI_TRY(read_pairs(&t, pairs, wide));
        BI_TRY(sort_arcs(&t));
        BI_TRY(walk(&t, found));
    } else {
        BI_TRY(ctx->backend->fill(ctx, found, 0, sizeof *found));
    }
    struct bi_msf_copy_words widen = {found, out.reachable, false, wide};
    BI_TRY(t.steps->msf_copy_words(ctx, n, &widen));
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
    BI_RETURN_WITH_SCRATCH(ctx, make_tour(ctx, n, id_bits == 64, pairs, order));
}
