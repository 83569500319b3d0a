/* Euclidean minimum spanning trees over ranks. Points go to the shards of a k-d tree; each rank finds the tree of its
 * shard and contracts it by the edges that no other rank can beat; Boruvka's rounds over the components of all ranks
 * find the others; and the list is sorted and dealt. */
#include "core/call.h"
#include "ranks/prims/splitters.h"
#include "ranks/emst/emst.h"

struct emst {
    struct bi_ranks_emst part;
    struct bi_ranks_emst_found shared; /* this rank's share of the edges that the rounds have found */
    bosc_emst_opts opts;
    int64_t n; /* points that this rank gave */
    void *pairs, *dist2;
    int64_t count; /* result: edges that it gets */
};

/* Edges by their pairs. */
struct list {
    uint64_t *pairs, *words;
    int64_t count;
};

static bosc_status take(bosc_ctx *ctx, int64_t count, struct list *list)
{
    list->count = count;
    BI_TRY(bi_scratch_of(ctx, count, sizeof *list->pairs, &list->pairs));
    return bi_scratch_of(ctx, count, sizeof *list->words, &list->words);
}

static bosc_status sort(bosc_ctx *ctx, const struct list *l)
{
    if (l->count == 0) return BOSC_OK;
    return ctx->backend->core->sort_pairs(ctx, BOSC_U64, l->pairs, sizeof *l->words, l->words, l->count, l->pairs,
                                          l->words, 0, 64);
}

/* The edges that this rank has found, ascending. */
static bosc_status list_found(const struct emst *s, struct list *found)
{
    const struct bi_ranks_emst *e = &s->part;
    const int64_t own = e->found.count;
    BI_TRY(take(e->ctx, own + s->shared.count, found));
    const struct bi_ranks_emst_split of_shard = {e->found.records, found->pairs, found->words};
    const struct bi_ranks_emst_split of_rounds = {s->shared.records, found->pairs + own, found->words + own};
    BI_TRY(e->steps->emst_split(e->ctx, own, &of_shard));
    BI_TRY(e->steps->emst_split(e->ctx, s->shared.count, &of_rounds));
    BI_RETURN_WITH_SCRATCH(e->ctx, sort(e->ctx, found));
}

/* ---- edges to their ranks ---- */

static bosc_status give(struct emst *s, const struct list *list)
{
    bosc_ctx *ctx = s->part.ctx;
    struct bi_emst_outputs out;
    bosc_status local_status = bi_emst_stage(ctx, &s->opts, s->pairs, s->dist2, list->count, &out);
    if (local_status == BOSC_OK) BI_WITH_SCRATCH(ctx, local_status = sort(ctx, list));
    BI_TRY(bi_comm_agree(ctx, s->part.comm, local_status));
    s->count = list->count;
    return bi_comm_agree(ctx, s->part.comm, bi_emst_give(ctx, list->pairs, list->words, list->count, &out));
}

static bosc_status deal(struct emst *s, const int64_t *counts, const struct list *found)
{
    bosc_ctx *ctx = s->part.ctx;
    bosc_comm *comm = s->part.comm;
    struct bi_exchange x;
    struct list list = {.count = 0};
    bosc_status status = bi_exchange_begin(ctx, comm, BOSC_OK, counts, &x);
    if (status == BOSC_OK) {
        const bosc_status local_status = take(ctx, x.received, &list);
        status = bi_exchange_items(ctx, comm, local_status, &x, sizeof *list.pairs, found->pairs, list.pairs);
    }
    if (status == BOSC_OK)
        status = bi_exchange_items(ctx, comm, BOSC_OK, &x, sizeof *list.words, found->words, list.words);
    if (status == BOSC_OK) status = give(s, &list);
    bi_exchange_end(ctx, &x);
    return status;
}

/* Edge k of the list goes to the rank that gave point k. */
static bosc_status deal_list(struct emst *s)
{
    bosc_ctx *ctx = s->part.ctx;
    bosc_comm *comm = s->part.comm;
    const int32_t ranks = comm->rank_count;
    const size_t bytes = ((size_t)ranks + 1) * sizeof(int64_t);
    struct bi_ranks_slices slices;
    struct list found = {.count = 0};
    int64_t *cuts = NULL;
    bosc_status status = bi_ranks_slices_begin(ctx, comm, list_found(s, &found), s->n, &slices);
    if (status == BOSC_OK) {
        cuts = bi_host_alloc(ctx, bytes);
        for (int32_t r = 0; r <= ranks; r++)
            if (slices.offsets[r] == slices.total) slices.offsets[r] = slices.total - 1;
        status = bi_ranks_find_cuts(ctx, comm, cuts ? BOSC_OK : BOSC_ERR_NOMEM, &slices, BOSC_U64, found.pairs,
                                    found.count, cuts);
    }
    if (status == BOSC_OK) {
        for (int32_t r = 0; r < ranks; r++) slices.counts[r] = cuts[r + 1] - cuts[r];
        status = deal(s, slices.counts, &found);
    }
    bi_memory_release(&ctx->host, cuts, bytes);
    bi_ranks_slices_end(ctx, &slices);
    return status;
}

/* ---- the call ---- */

static bosc_status span(struct emst *s)
{
    int64_t components = 0;
    bosc_status local_status = bi_ranks_emst_fetch(&s->part);
    if (local_status == BOSC_OK) local_status = bi_ranks_emst_contract(&s->part, &components);
    BI_TRY(bi_ranks_emst_run_rounds(&s->part, local_status, components, &s->shared));
    return deal_list(s);
}

static bosc_status build_and_span(struct emst *s, bosc_ranks_kdtree *tree, const void *points, int64_t stride)
{
    struct bi_ranks_emst *e = &s->part;
    BI_TRY(bosc_ranks_kdtree_build(e->ctx, tree, points, s->n, stride));
    if (tree->n < 2) return BOSC_OK;
    e->tree = tree;
    e->n = tree->end - tree->begin;
    BI_RETURN_WITH_SCRATCH(e->ctx, span(s));
}

static bosc_status over_ranks(struct emst *s, const void *points, int64_t stride)
{
    bosc_ctx *ctx = s->part.ctx;
    const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = s->opts.dtype, .dim = s->opts.dim, .id_bits = 32};
    bosc_ranks_kdtree *tree;
    BI_TRY(bosc_ranks_kdtree_create(ctx, s->part.comm, &opts, &tree));
    bosc_status status = build_and_span(s, tree, points, stride);
    bosc_ranks_kdtree_free(tree);
    return status;
}

static bosc_status check(struct emst *s, const bosc_emst_opts *opts)
{
    bosc_ctx *ctx = s->part.ctx;
    BI_TRY(bi_emst_check_opts(ctx, opts, &s->opts));
    return bi_emst_check_arrays(ctx, &s->opts, s->n, s->n, s->pairs, s->dist2);
}

static bosc_status agree(struct emst *s, bosc_status local_status)
{
    const struct bi_ranks_argument shared[] = {
        {"opts: dtype", s->opts.dtype}, {"opts: dim", s->opts.dim}, {"opts: id_bits", s->opts.id_bits}};
    return bi_ranks_same(s->part.ctx, s->part.comm, local_status, shared, 3);
}

bosc_status bosc_ranks_emst_compute(bosc_ctx *ctx, bosc_comm *comm, const void *points, int64_t n, int64_t stride,
                                    const bosc_emst_opts *opts, void *pairs, void *dist2, int64_t *count)
{
    struct emst s = {.part = {.ctx = ctx, .comm = comm}, .n = n, .pairs = pairs, .dist2 = dist2};
    bosc_status status;
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    BI_TRY(agree(&s, check(&s, opts)));
    s.part.steps = ctx->ops->dist->steps;
    s.part.core = ctx->backend->core;
    s.part.single = s.opts.dtype == BOSC_F32;
    bi_progress_set_total(ctx, 600 * (double)n);
    if (comm->rank_count > 1)
        status = over_ranks(&s, points, stride);
    else
        status = bosc_emst_compute(ctx, points, n, stride, opts, pairs, dist2);
    if (status != BOSC_OK) return status;
    if (comm->rank_count == 1) s.count = n > 0 ? n - 1 : 0;
    if (count) *count = s.count;
    return BOSC_OK;
}
