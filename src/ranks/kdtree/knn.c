/* The k nearest neighbours over ranks. A query goes to the shard whose box is nearest; the k-th distance of its answer
 * bounds the search, and the query goes to all other shards whose boxes are no farther. */
#include "ranks/kdtree/search.h"

struct knn {
    bosc_ctx *ctx;
    const bosc_ranks_kdtree *tree;
    const struct bi_ranks_steps *steps;
    struct bi_kdtree_rows rows;
    int64_t k;
    bool within;
    double radius; /* of `within` */
    size_t dist2_size;
    void *ids, *dist2; /* the caller's */
    struct bi_out id_out, dist2_out;
    struct bi_ranks_kdtree_merge_knn merge; /* into scratch: (n x k) */
};

/* ---- one round of questions ---- */

/* What a shard answers: rows of k. */
struct answers {
    int64_t *ids;
    void *dist2;
};

static bosc_status take_answers(const struct knn *s, int64_t rows, struct answers *a)
{
    BI_TRY(bi_scratch_of(s->ctx, rows * s->k, sizeof *a->ids, &a->ids));
    return bi_scratch_of(s->ctx, rows * s->k, s->dist2_size, &a->dist2);
}

static bosc_status search_shard(const struct knn *s, const void *queries, int64_t n, const struct answers *a)
{
    bosc_ctx *ctx = s->ctx;
    uint32_t *rows;
    if (n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, n * s->k, sizeof *rows, &rows));
    BI_TRY(s->within ? bosc_kdtree_knn_within(ctx, s->tree->shard, queries, n, 0, s->k, s->radius, rows, a->dist2)
                     : bosc_kdtree_knn(ctx, s->tree->shard, queries, n, 0, s->k, rows, a->dist2));
    const struct bi_ranks_kdtree_names names = {rows, NULL, s->tree->ids.data, a->ids, true};
    return s->steps->kdtree_names(ctx, n * s->k, &names);
}

/* The answers of all shards, one after the other. */
static bosc_status merge(const struct knn *s, const struct bi_ranks_deal *deal, const struct answers *a)
{
    struct bi_ranks_kdtree_merge_knn step = s->merge;
    step.order = deal->order;
    step.ids = a->ids;
    step.dist2 = a->dist2;
    for (int32_t r = 0; r < deal->x.rank_count; r++) {
        const int64_t n = deal->x.sent_offsets[r + 1] - deal->x.sent_offsets[r];
        step.first = deal->x.sent_offsets[r];
        if (n) BI_TRY(s->steps->kdtree_merge_knn(s->ctx, n, &step));
    }
    return BOSC_OK;
}

/* `next` gets what failed on this rank alone at the end. */
static bosc_status ask_dealt(const struct knn *s, const struct bi_ranks_deal *deal, bosc_status *next)
{
    bosc_ctx *ctx = s->ctx;
    bosc_comm *comm = s->tree->comm;
    const int64_t dim = s->tree->opts.dim, received = deal->x.received;
    const size_t size = bosc_dtype_size(s->tree->opts.dtype), k = (size_t)s->k;
    struct answers here = {NULL, NULL}, back = {NULL, NULL};
    void *queries = NULL;
    bosc_status local_status = bi_scratch_of(ctx, received * dim, size, &queries);
    if (local_status == BOSC_OK) local_status = take_answers(s, received, &here);
    if (local_status == BOSC_OK) local_status = take_answers(s, deal->x.sent, &back);
    BI_TRY(bi_ranks_kdtree_send(ctx, comm, local_status, deal, &s->rows, dim, size, queries));
    BI_WITH_SCRATCH(ctx, local_status = search_shard(s, queries, received, &here));
    BI_TRY(bi_exchange_answers(ctx, comm, local_status, &deal->x, k * sizeof *here.ids, here.ids, back.ids));
    BI_TRY(bi_exchange_answers(ctx, comm, BOSC_OK, &deal->x, k * s->dist2_size, here.dist2, back.dist2));
    *next = merge(s, deal, &back);
    return BOSC_OK;
}

/* Sends pairs of ranks and queries (NULL: 0, 1, 2, ...), and merges what is answered. */
static bosc_status ask(const struct knn *s, bosc_status local_status, const struct bi_ranks_kdtree_pairs *pairs,
                       bosc_status *next)
{
    struct bi_ranks_deal deal;
    bosc_status status =
        bi_ranks_kdtree_deal(s->ctx, s->tree->comm, local_status, pairs->ranks, pairs->queries, pairs->count, &deal);
    if (status == BOSC_OK) status = ask_dealt(s, &deal, next);
    bi_exchange_end(s->ctx, &deal.x);
    return status;
}

static bosc_status search(const struct knn *s, bosc_status local_status, bosc_status *next)
{
    struct bi_ranks_kdtree_reach reach = bi_ranks_kdtree_reach_of(s->tree, &s->rows);
    struct bi_ranks_kdtree_pairs pairs = {.count = s->rows.n};
    if (local_status == BOSC_OK) local_status = bi_scratch_of(s->ctx, s->rows.n, sizeof *reach.home, &reach.home);
    if (local_status == BOSC_OK && s->rows.n) local_status = s->steps->kdtree_nearest(s->ctx, s->rows.n, &reach);
    pairs.ranks = reach.home;
    BI_TRY_WITH_SCRATCH(s->ctx, ask(s, local_status, &pairs, &local_status));
    reach.search = BI_RANKS_KNN;
    reach.k = s->k;
    reach.limit = s->within ? bi_ranks_kdtree_square(s->tree, s->radius) : (double)INFINITY;
    reach.dist2 = s->merge.to_dist2;
    if (local_status == BOSC_OK) local_status = bi_ranks_kdtree_find_pairs(s->ctx, &reach, &pairs);
    return ask(s, local_status, &pairs, next);
}

/* ---- the call ---- */

/* Queries in reach, and room for answers: the last that can lack memory before the exchanges. */
static bosc_status prepare(struct knn *s, int64_t first)
{
    bosc_ctx *ctx = s->ctx;
    const int64_t entries = s->rows.n * s->k;
    const size_t id_size = (size_t)s->tree->opts.id_bits / 8;
    bool staged;
    BI_TRY(bi_ranks_kdtree_stage(ctx, s->tree, "queries", first, &s->rows));
    BI_TRY(bi_stage_out(ctx, s->ids, (size_t)entries * id_size, &s->id_out, &staged));
    BI_TRY(bi_stage_out(ctx, s->dist2, s->dist2 ? (size_t)entries * s->dist2_size : 0, &s->dist2_out, &staged));
    s->merge = (struct bi_ranks_kdtree_merge_knn){.k = s->k, .single = s->tree->opts.dtype == BOSC_F32};
    BI_TRY(bi_scratch_of(ctx, entries, sizeof *s->merge.to_ids, &s->merge.to_ids));
    BI_TRY(bi_scratch_of(ctx, entries, s->dist2_size, &s->merge.to_dist2));
    return entries ? s->steps->kdtree_empty_knn(ctx, entries, &s->merge) : BOSC_OK;
}

static bosc_status give(const struct knn *s)
{
    bosc_ctx *ctx = s->ctx;
    const int64_t entries = s->rows.n * s->k;
    const struct bi_ranks_resize_ids ids = {s->merge.to_ids, s->id_out.reachable, s->tree->opts.id_bits == 64};
    if (entries == 0) return BOSC_OK;
    BI_TRY(s->steps->resize_ids(ctx, entries, &ids));
    BI_TRY(bi_stage_back(ctx, &s->id_out));
    if (s->dist2) BI_TRY(ctx->backend->copy(ctx, s->dist2, s->merge.to_dist2, (size_t)entries * s->dist2_size));
    return ctx->backend->sync(ctx);
}

static bosc_status knn(struct knn *s, bosc_status local_status)
{
    bosc_comm *comm = s->tree->comm;
    int64_t first;
    BI_TRY(bi_comm_same(s->ctx, comm, local_status, "k", s->k));
    if (s->within) BI_TRY(bi_ranks_kdtree_same_radius(s->ctx, s->tree, BOSC_OK, s->radius));
    BI_TRY(bi_comm_offset(s->ctx, comm, BOSC_OK, s->rows.n, &first, NULL));
    local_status = prepare(s, first);
    if (s->tree->nodes) BI_TRY_WITH_SCRATCH(s->ctx, search(s, local_status, &local_status));
    BI_TRY(bi_comm_agree(s->ctx, comm, local_status));
    return bi_comm_agree(s->ctx, comm, give(s));
}

static bosc_status check_knn(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *queries, int64_t query_count,
                             int64_t stride, struct knn *s)
{
    const size_t id_size = (size_t)tree->opts.id_bits / 8;
    BI_TRY(bi_ranks_kdtree_check_queries(ctx, tree, "queries", queries, "query_count", query_count, stride, &s->rows));
    if (s->k < 1) return bi_fail(ctx, BOSC_ERR_ARG, "k: %lld is less than 1", (long long)s->k);
    if (query_count > 0 && s->k > INT64_MAX / 16 / query_count)
        return bi_fail(ctx, BOSC_ERR_ARG, "k: %lld queries of %lld neighbours are more than memory can hold",
                       (long long)query_count, (long long)s->k);
    if (query_count > 0 && !s->ids) return bi_fail(ctx, BOSC_ERR_ARG, "ids: NULL");
    BI_TRY(bi_check_aligned(ctx, "ids", s->ids, id_size));
    return bi_check_aligned(ctx, "dist2", s->dist2, s->dist2_size);
}

static struct knn begin(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, int64_t k, void *ids, void *dist2)
{
    return (struct knn){.ctx = ctx,
                        .tree = tree,
                        .steps = ctx->ops->dist->steps,
                        .k = k,
                        .dist2_size = bi_kdtree_dist2_size(tree->shard),
                        .ids = ids,
                        .dist2 = dist2};
}

static bosc_status run(struct knn *s, bosc_status local_status)
{
    if (local_status == BOSC_OK) bi_progress_set_total(s->ctx, 3 * (80 + (double)s->k) * (double)s->rows.n);
    BI_RETURN_WITH_SCRATCH(s->ctx, knn(s, local_status));
}

bosc_status bosc_ranks_kdtree_knn(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *queries,
                                  int64_t query_count, int64_t stride, int64_t k, void *ids, void *dist2)
{
    BI_ENTER(ctx);
    if (!tree) return bi_ranks_kdtree_check(ctx, tree);
    struct knn s = begin(ctx, tree, k, ids, dist2);
    return run(&s, check_knn(ctx, tree, queries, query_count, stride, &s));
}

bosc_status bosc_ranks_kdtree_knn_within(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *queries,
                                         int64_t query_count, int64_t stride, int64_t k, double radius, void *ids,
                                         void *dist2)
{
    BI_ENTER(ctx);
    if (!tree) return bi_ranks_kdtree_check(ctx, tree);
    struct knn s = begin(ctx, tree, k, ids, dist2);
    s.within = true;
    s.radius = radius;
    bosc_status local_status = check_knn(ctx, tree, queries, query_count, stride, &s);
    return run(&s, local_status == BOSC_OK ? bi_ranks_kdtree_check_radius(ctx, radius) : local_status);
}
