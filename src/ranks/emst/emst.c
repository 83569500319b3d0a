/* Euclidean minimum spanning trees over ranks. Points go to the shards of a k-d tree. Each rank computes the tree of
 * its shard and contracts it by the edges that no foreign edge can beat. Boruvka's rounds over the components of all
 * ranks find the remaining edges. The list of edges is sorted and distributed. */
#include "core/call.h"
#include "ranks/prims/splitters.h"
#include "ranks/emst/emst.h"

struct emst {
    struct bi_ranks_emst local;
    struct bi_ranks_emst_found shared; /* this rank's share of the edges that the rounds found */
    bosc_emst_opts opts;
    int64_t n; /* points of this rank's slice */
    void *pairs, *dist2;
    int64_t count; /* result: edges of this rank */
};

/* Edges, as pairs of ids and lengths. */
struct edge_list {
    uint64_t *pairs, *words;
    int64_t count;
};

static bosc_status allocate_list(bosc_ctx *ctx, int64_t count, struct edge_list *list)
{
    list->count = count;
    BI_TRY(bi_scratch_of(ctx, count, sizeof *list->pairs, &list->pairs));
    return bi_scratch_of(ctx, count, sizeof *list->words, &list->words);
}

static bosc_status sort_list(bosc_ctx *ctx, const struct edge_list *l)
{
    if (l->count == 0) return BOSC_OK;
    return ctx->backend->core->sort_pairs(ctx, BOSC_U64, l->pairs, sizeof *l->words, l->words, l->count, l->pairs,
                                          l->words, 0, 64);
}

/* Lists the edges that this rank found, ascending. */
static bosc_status list_found(const struct emst *s, struct edge_list *found)
{
    const struct bi_ranks_emst *e = &s->local;
    const int64_t own = e->found.count;
    BI_TRY(allocate_list(e->ctx, own + s->shared.count, found));
    const struct bi_ranks_emst_split_records of_shard = {e->found.records, found->pairs, found->words};
    const struct bi_ranks_emst_split_records of_rounds = {s->shared.records, found->pairs + own, found->words + own};
    BI_TRY(e->steps->emst_split_records(e->ctx, own, &of_shard));
    BI_TRY(e->steps->emst_split_records(e->ctx, s->shared.count, &of_rounds));
    BI_RETURN_WITH_SCRATCH(e->ctx, sort_list(e->ctx, found));
}

/* ---- distribution of the edges ---- */

static bosc_status write_outputs(struct emst *s, const struct edge_list *list)
{
    bosc_ctx *ctx = s->local.ctx;
    struct bi_emst_outputs out;
    bosc_status local_status = bi_emst_stage(ctx, &s->opts, s->pairs, s->dist2, list->count, &out);
    if (local_status == BOSC_OK) BI_WITH_SCRATCH(ctx, local_status = sort_list(ctx, list));
    BI_TRY(bi_comm_agree(ctx, s->local.comm, local_status));
    s->count = list->count;
    return bi_comm_agree(ctx, s->local.comm, bi_emst_store(ctx, list->pairs, list->words, list->count, &out));
}

static bosc_status scatter_edges(struct emst *s, const int64_t *counts, const struct edge_list *found)
{
    bosc_ctx *ctx = s->local.ctx;
    bosc_comm *comm = s->local.comm;
    struct bi_exchange x;
    struct edge_list list = {.count = 0};
    bosc_status status = bi_exchange_begin(ctx, comm, BOSC_OK, counts, &x);
    if (status == BOSC_OK) {
        const bosc_status local_status = allocate_list(ctx, x.received, &list);
        status = bi_exchange_items(ctx, comm, local_status, &x, sizeof *list.pairs, found->pairs, list.pairs);
    }
    if (status == BOSC_OK)
        status = bi_exchange_items(ctx, comm, BOSC_OK, &x, sizeof *list.words, found->words, list.words);
    if (status == BOSC_OK) status = write_outputs(s, &list);
    bi_exchange_end(ctx, &x);
    return status;
}

/* Sorts the list over ranks; edge k goes to the rank that contributed point k. */
static bosc_status distribute_list(struct emst *s)
{
    bosc_ctx *ctx = s->local.ctx;
    bosc_comm *comm = s->local.comm;
    const int32_t ranks = comm->rank_count;
    const size_t bytes = ((size_t)ranks + 1) * sizeof(int64_t);
    struct bi_ranks_slices slices;
    struct edge_list found = {.count = 0};
    int64_t *splitters = NULL;
    bosc_status status = bi_ranks_slices_begin(ctx, comm, list_found(s, &found), s->n, &slices);
    if (status == BOSC_OK) {
        splitters = bi_host_alloc(ctx, bytes);
        for (int32_t r = 0; r <= ranks; r++)
            if (slices.offsets[r] == slices.total) slices.offsets[r] = slices.total - 1;
        status = bi_ranks_find_splitters(ctx, comm, splitters ? BOSC_OK : BOSC_ERR_NOMEM, &slices, BOSC_U64,
                                         found.pairs, found.count, splitters);
    }
    if (status == BOSC_OK) {
        for (int32_t r = 0; r < ranks; r++) slices.counts[r] = splitters[r + 1] - splitters[r];
        status = scatter_edges(s, slices.counts, &found);
    }
    bi_memory_release(&ctx->host, splitters, bytes);
    bi_ranks_slices_end(ctx, &slices);
    return status;
}

/* ---- the call ---- */

static bosc_status compute_tree(struct emst *s)
{
    int64_t components = 0;
    bosc_status local_status = bi_ranks_emst_fetch_points(&s->local);
    if (local_status == BOSC_OK) local_status = bi_ranks_emst_contract_shard(&s->local, &components);
    BI_TRY(bi_ranks_emst_run_rounds(&s->local, local_status, components, &s->shared));
    return distribute_list(s);
}

static bosc_status build_and_span(struct emst *s, bosc_ranks_kdtree *tree, const void *points, int64_t stride)
{
    struct bi_ranks_emst *e = &s->local;
    BI_TRY(bosc_ranks_kdtree_build(e->ctx, tree, points, s->n, stride));
    if (tree->n < 2) return BOSC_OK;
    e->tree = tree;
    e->n = tree->end - tree->begin;
    BI_RETURN_WITH_SCRATCH(e->ctx, compute_tree(s));
}

static bosc_status compute_over_ranks(struct emst *s, const void *points, int64_t stride)
{
    bosc_ctx *ctx = s->local.ctx;
    const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = s->opts.dtype, .dim = s->opts.dim, .id_bits = 32};
    bosc_ranks_kdtree *tree;
    BI_TRY(bosc_ranks_kdtree_create(ctx, s->local.comm, &opts, &tree));
    bosc_status status = build_and_span(s, tree, points, stride);
    bosc_ranks_kdtree_free(tree);
    return status;
}

static bosc_status check(struct emst *s, const bosc_emst_opts *opts)
{
    bosc_ctx *ctx = s->local.ctx;
    BI_TRY(bi_emst_check_opts(ctx, opts, &s->opts));
    return bi_emst_check_arrays(ctx, &s->opts, s->n, s->n, s->pairs, s->dist2);
}

static bosc_status compare_options(struct emst *s, bosc_status local_status)
{
    const struct bi_ranks_argument shared[] = {
        {"opts: dtype", s->opts.dtype}, {"opts: dim", s->opts.dim}, {"opts: id_bits", s->opts.id_bits}};
    return bi_ranks_check_same(s->local.ctx, s->local.comm, local_status, shared, 3);
}

bosc_status bosc_ranks_emst_compute(bosc_ctx *ctx, bosc_comm *comm, const void *points, int64_t n, int64_t stride,
                                    const bosc_emst_opts *opts, void *pairs, void *dist2, int64_t *count)
{
    struct emst s = {.local = {.ctx = ctx, .comm = comm}, .n = n, .pairs = pairs, .dist2 = dist2};
    bosc_status status;
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    BI_TRY(compare_options(&s, check(&s, opts)));
    s.local.steps = ctx->ops->dist->steps;
    s.local.core = ctx->backend->core;
    s.local.single = s.opts.dtype == BOSC_F32;
    bi_progress_set_total(ctx, 600 * (double)n);
    if (comm->rank_count > 1)
        status = compute_over_ranks(&s, points, stride);
    else
        status = bosc_emst_compute(ctx, points, n, stride, opts, pairs, dist2);
    if (status != BOSC_OK) return status;
    if (comm->rank_count == 1) s.count = n > 0 ? n - 1 : 0;
    if (count) *count = s.count;
    return BOSC_OK;
}
