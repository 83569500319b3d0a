/* Searches over ranks: checks of queries, the shards that they reach, and the k nearest neighbours. */
#include "ranks/kdtree/search.h"

#include "base/radius.h"

/* ---- queries and the shards that they reach ---- */

bosc_status bi_ranks_kdtree_check_queries(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const char *array,
                                          const void *data, const char *count_name, int64_t count, int64_t stride,
                                          struct bi_kdtree_rows *rows)
{
    BI_TRY(bi_ranks_kdtree_check(ctx, tree));
    BI_TRY(bi_kdtree_check_rows(ctx, tree->shard, array, data, count_name, count, stride, rows));
    if (count < (int64_t)UINT32_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_LIMIT, "%s: %lld of one rank; less than 2^32 - 1 can be searched for", count_name,
                   (long long)count);
}

bosc_status bi_ranks_kdtree_check_radius(bosc_ctx *ctx, double radius)
{
    return radius >= 0 ? BOSC_OK : bi_fail(ctx, BOSC_ERR_ARG, "radius: %g is not 0 or more", radius);
}

bosc_status bi_ranks_kdtree_same_radius(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_status local_status,
                                        double radius)
{
    const double *radii = tree->comm->gather;
    BI_TRY(bi_comm_agree(ctx, tree->comm, local_status));
    BI_TRY(bi_comm_all_gather(ctx, tree->comm, &radius, sizeof radius, tree->comm->gather));
    if (radii[0] != radius)
        local_status = bi_fail(ctx, BOSC_ERR_ARG, "radius: %g is not the %g of rank 0", radius, radii[0]);
    return bi_comm_agree(ctx, tree->comm, local_status);
}

double bi_ranks_kdtree_square(const bosc_ranks_kdtree *tree, double radius)
{
    const bool single = tree->opts.dtype == BOSC_F32;
    const double least = single ? 0x1p-126 : 0x1p-1022, square = bi_square_limit(radius, single);
    return square < least ? least : square;
}

struct bi_ranks_kdtree_reach bi_ranks_kdtree_reach_of(const bosc_ranks_kdtree *tree, const struct bi_kdtree_rows *rows)
{
    return (struct bi_ranks_kdtree_reach){.boxes = tree->boxes.data,
                                          .subtree_boxes =
                                              tree->subtrees_per_shard > 1 ? tree->subtree_boxes.data : NULL,
                                          .subtrees_per_shard = tree->subtrees_per_shard,
                                          .rank_count = (uint32_t)tree->comm->rank_count,
                                          .dim = tree->opts.dim,
                                          .dtype = tree->opts.dtype,
                                          .rows = *rows};
}

bosc_status bi_ranks_kdtree_find_pairs(bosc_ctx *ctx, struct bi_ranks_kdtree_reach *reach,
                                       struct bi_ranks_kdtree_pairs *pairs)
{
    const struct bi_ranks_steps *steps = ctx->ops->ranks->steps;
    const int64_t n = reach->rows.n;
    int64_t *offsets; /* counts and a final zero, then their exclusive scan */
    *pairs = (struct bi_ranks_kdtree_pairs){.count = 0};
    if (n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, n + 1, sizeof *offsets, &offsets));
    BI_TRY(ctx->backend->fill(ctx, offsets + n, 0, sizeof *offsets));
    reach->counts = offsets;
    reach->offsets = offsets;
    BI_TRY(steps->kdtree_reach_count(ctx, n, reach));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, offsets, n + 1, offsets));
    BI_TRY(bi_read_back(ctx, &pairs->count, offsets + n, sizeof pairs->count));
    BI_TRY(bi_scratch_of(ctx, pairs->count, sizeof *pairs->ranks, &pairs->ranks));
    BI_TRY(bi_scratch_of(ctx, pairs->count, sizeof *pairs->queries, &pairs->queries));
    reach->ranks = pairs->ranks;
    reach->queries = pairs->queries;
    return pairs->count ? steps->kdtree_reach_fill(ctx, n, reach) : BOSC_OK;
}

/* ---- the k nearest neighbours ----
 *
 * A query goes to the shard whose box is nearest. The k-th distance of that answer bounds the search; the query then
 * goes to all other shards whose boxes are within it. */

struct knn_call {
    bosc_ctx *ctx;
    const bosc_ranks_kdtree *tree;
    const struct bi_ranks_steps *steps;
    struct bi_kdtree_rows rows;
    int64_t k;
    bool within;
    double radius; /* if `within` */
    size_t dist2_size;
    void *ids, *dist2; /* the caller's */
    struct bi_out id_out, dist2_out;
    struct bi_ranks_kdtree_merge_knn merge; /* to scratch: (n x k) */
};

/* ---- one round of queries ---- */

/* Answers of a shard: rows of k. */
struct shard_answers {
    int64_t *ids;
    void *dist2;
};

static bosc_status allocate_answers(const struct knn_call *s, int64_t rows, struct shard_answers *a)
{
    BI_TRY(bi_scratch_of(s->ctx, rows * s->k, sizeof *a->ids, &a->ids));
    return bi_scratch_of(s->ctx, rows * s->k, s->dist2_size, &a->dist2);
}

/* On the queried rank: the k nearest points of its shard, as ids over all ranks. */
static bosc_status search_shard(const struct knn_call *s, const void *queries, int64_t n, const struct shard_answers *a)
{
    bosc_ctx *ctx = s->ctx;
    uint32_t *rows;
    if (n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, n * s->k, sizeof *rows, &rows));
    BI_TRY(s->within ? bosc_kdtree_knn_within(ctx, s->tree->shard, queries, n, 0, s->k, s->radius, rows, a->dist2)
                     : bosc_kdtree_knn(ctx, s->tree->shard, queries, n, 0, s->k, rows, a->dist2));
    const struct bi_ranks_kdtree_row_ids row_ids = {rows, NULL, s->tree->ids.data, a->ids, true};
    return s->steps->kdtree_row_ids(ctx, n * s->k, &row_ids);
}

/* Merges the answers of all shards, one shard after the other. */
static bosc_status merge_answers(const struct knn_call *s, const struct bi_ranks_scatter *scatter,
                                 const struct shard_answers *a)
{
    struct bi_ranks_kdtree_merge_knn step = s->merge;
    step.order = scatter->order;
    step.ids = a->ids;
    step.dist2 = a->dist2;
    for (int32_t r = 0; r < scatter->x.rank_count; r++) {
        const int64_t n = scatter->x.sent_offsets[r + 1] - scatter->x.sent_offsets[r];
        step.first = scatter->x.sent_offsets[r];
        if (n) BI_TRY(s->steps->kdtree_merge_knn(s->ctx, n, &step));
    }
    return BOSC_OK;
}

/* Exchanges queries and answers. *next: this rank's own status at the end. */
static bosc_status exchange_queries(const struct knn_call *s, const struct bi_ranks_scatter *scatter, bosc_status *next)
{
    bosc_ctx *ctx = s->ctx;
    bosc_comm *comm = s->tree->comm;
    const int64_t dim = s->tree->opts.dim, received = scatter->x.received;
    const size_t size = bosc_dtype_size(s->tree->opts.dtype), k = (size_t)s->k;
    struct shard_answers here = {NULL, NULL}, back = {NULL, NULL};
    void *queries = NULL;
    bosc_status local_status = bi_scratch_of(ctx, received * dim, size, &queries);
    BI_IF_OK(local_status, allocate_answers(s, received, &here));
    BI_IF_OK(local_status, allocate_answers(s, scatter->x.sent, &back));
    BI_TRY(bi_ranks_kdtree_scatter_rows(ctx, comm, local_status, scatter, &s->rows, dim, size, queries));
    BI_WITH_SCRATCH(ctx, local_status = search_shard(s, queries, received, &here));
    BI_TRY(bi_exchange_replies(ctx, comm, local_status, &scatter->x, k * sizeof *here.ids, here.ids, back.ids));
    BI_TRY(bi_exchange_replies(ctx, comm, BOSC_OK, &scatter->x, k * s->dist2_size, here.dist2, back.dist2));
    *next = merge_answers(s, scatter, &back);
    return BOSC_OK;
}

/* Sends queries to the ranks of the pairs (queries NULL: 0, 1, 2, ...), and merges the answers. */
static bosc_status query_pairs(const struct knn_call *s, bosc_status local_status,
                               const struct bi_ranks_kdtree_pairs *pairs, bosc_status *next)
{
    struct bi_ranks_scatter scatter;
    bosc_status status = bi_ranks_kdtree_begin_scatter(s->ctx, s->tree->comm, local_status, pairs->ranks,
                                                       pairs->queries, pairs->count, &scatter);
    BI_IF_OK(status, exchange_queries(s, &scatter, next));
    bi_exchange_end(s->ctx, &scatter.x);
    return status;
}

/* *next: this rank's own status at the end. */
static bosc_status search_shards(const struct knn_call *s, bosc_status local_status, bosc_status *next)
{
    struct bi_ranks_kdtree_reach reach = bi_ranks_kdtree_reach_of(s->tree, &s->rows);
    struct bi_ranks_kdtree_pairs pairs = {.count = s->rows.n};
    /* 1. Query the nearest shard. */
    BI_IF_OK(local_status, bi_scratch_of(s->ctx, s->rows.n, sizeof *reach.nearest_shard, &reach.nearest_shard));
    if (local_status == BOSC_OK && s->rows.n) local_status = s->steps->kdtree_nearest_shard(s->ctx, s->rows.n, &reach);
    pairs.ranks = reach.nearest_shard;
    BI_TRY_WITH_SCRATCH(s->ctx, query_pairs(s, local_status, &pairs, &local_status));
    /* 2. Query all other shards within the k-th distance so far. */
    reach.search = BI_RANKS_KNN;
    reach.k = s->k;
    reach.limit = s->within ? bi_ranks_kdtree_square(s->tree, s->radius) : (double)INFINITY;
    reach.dist2 = s->merge.to_dist2;
    BI_IF_OK(local_status, bi_ranks_kdtree_find_pairs(s->ctx, &reach, &pairs));
    return query_pairs(s, local_status, &pairs, next);
}

/* ---- the call ---- */

/* Stages queries and allocates room for answers; the last step that can lack memory before the exchanges. */
static bosc_status prepare(struct knn_call *s, int64_t first)
{
    bosc_ctx *ctx = s->ctx;
    const int64_t entries = s->rows.n * s->k;
    const size_t id_size = (size_t)s->tree->opts.id_bits / 8;
    bool staged;
    BI_TRY(bi_ranks_kdtree_stage(ctx, s->tree, "queries", first, bi_ranks_kdtree_may_have_nan(s->tree), &s->rows));
    BI_TRY(bi_stage_out(ctx, s->ids, (size_t)entries * id_size, &s->id_out, &staged));
    BI_TRY(bi_stage_out(ctx, s->dist2, s->dist2 ? (size_t)entries * s->dist2_size : 0, &s->dist2_out, &staged));
    s->merge = (struct bi_ranks_kdtree_merge_knn){.k = s->k, .single = s->tree->opts.dtype == BOSC_F32};
    BI_TRY(bi_scratch_of(ctx, entries, sizeof *s->merge.to_ids, &s->merge.to_ids));
    BI_TRY(bi_scratch_of(ctx, entries, s->dist2_size, &s->merge.to_dist2));
    return entries ? s->steps->kdtree_empty_knn(ctx, entries, &s->merge) : BOSC_OK;
}

static bosc_status write_outputs(const struct knn_call *s)
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

/* Agrees on k and the radius, searches, and writes the outputs. Without nodes all rows stay empty. */
static bosc_status exchange_and_write(struct knn_call *s, bosc_status local_status)
{
    bosc_comm *comm = s->tree->comm;
    int64_t first;
    BI_TRY(bi_comm_check_equal(s->ctx, comm, local_status, "k", s->k));
    if (s->within) BI_TRY(bi_ranks_kdtree_same_radius(s->ctx, s->tree, BOSC_OK, s->radius));
    BI_TRY(bi_comm_offset(s->ctx, comm, BOSC_OK, s->rows.n, &first, NULL));
    local_status = prepare(s, first);
    if (s->tree->nodes) BI_TRY_WITH_SCRATCH(s->ctx, search_shards(s, local_status, &local_status));
    BI_TRY(bi_comm_agree(s->ctx, comm, local_status));
    return bi_comm_agree(s->ctx, comm, write_outputs(s));
}

static bosc_status check_knn(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *queries, int64_t query_count,
                             int64_t stride, struct knn_call *s)
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

static struct knn_call make_call(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, int64_t k, void *ids, void *dist2)
{
    return (struct knn_call){.ctx = ctx,
                             .tree = tree,
                             .steps = ctx->ops->ranks->steps,
                             .k = k,
                             .dist2_size = bi_kdtree_dist2_size(tree->shard),
                             .ids = ids,
                             .dist2 = dist2};
}

static bosc_status run_call(struct knn_call *s, bosc_status local_status)
{
    if (local_status == BOSC_OK) bi_progress_set_total(s->ctx, 3 * (80 + (double)s->k) * (double)s->rows.n);
    BI_RETURN_WITH_SCRATCH(s->ctx, exchange_and_write(s, local_status));
}

bosc_status bosc_ranks_kdtree_knn(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *queries,
                                  int64_t query_count, int64_t stride, int64_t k, void *ids, void *dist2)
{
    BI_ENTER(ctx);
    if (!tree) return bi_ranks_kdtree_check(ctx, tree);
    struct knn_call s = make_call(ctx, tree, k, ids, dist2);
    return run_call(&s, check_knn(ctx, tree, queries, query_count, stride, &s));
}

bosc_status bosc_ranks_kdtree_knn_within(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *queries,
                                         int64_t query_count, int64_t stride, int64_t k, double radius, void *ids,
                                         void *dist2)
{
    BI_ENTER(ctx);
    if (!tree) return bi_ranks_kdtree_check(ctx, tree);
    struct knn_call s = make_call(ctx, tree, k, ids, dist2);
    s.within = true;
    s.radius = radius;
    bosc_status local_status = check_knn(ctx, tree, queries, query_count, stride, &s);
    return run_call(&s, local_status == BOSC_OK ? bi_ranks_kdtree_check_radius(ctx, radius) : local_status);
}
