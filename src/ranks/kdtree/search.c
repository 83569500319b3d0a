/* Searches over ranks: checks of queries, the shards that they reach, and the k nearest neighbours. */
#include "ranks/kdtree/search.h"

#include "base/radius.h"
#include "ranks/exchange/route.h"
#include "ranks/exchange/slices.h"

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
 * 1. A query goes to its owner, the rank of the shard whose box is nearest, which lists the nearest points there.
 * 2. If another shard's box is within the list's k-th distance, the owner queries that shard too, and merges its answer
 * into the list. This concerns queries near the bounds of shards. 3. Every rank reads the lists of its queries into the
 * caller's arrays. */

struct knn_call {
    bosc_ctx *ctx;
    const bosc_ranks_kdtree *tree;
    const struct bi_ranks_steps *steps;
    struct bi_kdtree_rows rows;
    int64_t k;
    bool within;
    double radius; /* if `within` */
    double p;      /* the order of distances; 0: squares */
    size_t id_size, dist2_size;
    void *ids, *dist2; /* the caller's */
    bool needs_dist2;  /* some rank's caller needs distances */
    struct bi_out id_out, dist2_out;
};

/* ---- the owner's lists ---- */

/* Answers queries by the own shard. dist2: NULL, or receives the distances. */
static bosc_status search_shard(const struct knn_call *s, const struct bi_kdtree_rows *queries, uint32_t *rows,
                                void *dist2)
{
    const struct bi_kdtree_rows *q = queries;
    if (q->n == 0) return BOSC_OK;
    if (s->p > 0) {
        const bosc_kdtree_query_opts opts = {.size = sizeof opts, .p = s->p};
        return bosc_kdtree_knn_metric(s->ctx, s->tree->shard, q->data, q->n, q->stride, s->k, &opts, rows, dist2);
    }
    return s->within
               ? bosc_kdtree_knn_within(s->ctx, s->tree->shard, q->data, q->n, q->stride, s->k, s->radius, rows, dist2)
               : bosc_kdtree_knn(s->ctx, s->tree->shard, q->data, q->n, q->stride, s->k, rows, dist2);
}

/* True if lists are found without distances, which no caller needs. The search writes lists in random order, and
 * distances would double the bytes. With at least a quarter as many queries as nodes, each k-th distance is computed
 * from the position of its node instead. The quarter is an estimate, not measured. */
static bool omits_distances(const struct knn_call *s, int64_t n)
{
    return s->ctx->ops->ranks->omits_distances && !s->needs_dist2 && s->tree->shard->magnitude == BI_KDTREE_ORDINARY &&
           4 * n >= s->tree->shard->nodes;
}

/* Finds the positions of the shard's rows. */
static bosc_status find_positions(const struct knn_call *s, struct bi_ranks_kdtree_lists *lists)
{
    uint32_t *positions;
    BI_TRY(bi_scratch_of(s->ctx, s->tree->shard->nodes, sizeof *positions, &positions));
    const struct bi_ranks_kdtree_positions step = {s->ctx->ops->kdtree->view(s->tree->shard), positions};
    lists->view = step.view;
    lists->positions = positions;
    return s->steps->kdtree_positions(s->ctx, s->tree->shard->nodes, &step);
}

/* Fills lists->rows, ids, and dist2 or positions, in scratch that the caller keeps. */
static bosc_status find_lists(const struct knn_call *s, struct bi_ranks_kdtree_lists *lists)
{
    bosc_ctx *ctx = s->ctx;
    const int64_t n = lists->queries.n, entries = n * s->k;
    if (n == 0) return BOSC_OK;
    BI_TRY(bi_scratch(ctx, (size_t)entries * s->id_size, &lists->ids));
    BI_TRY(bi_scratch_of(ctx, entries, sizeof *lists->rows, &lists->rows));
    if (!omits_distances(s, n)) BI_TRY(bi_scratch(ctx, (size_t)entries * s->dist2_size, &lists->dist2));
    BI_TRY(search_shard(s, &lists->queries, lists->rows, lists->dist2));
    if (!lists->dist2) BI_TRY(find_positions(s, lists));
    const struct bi_ranks_kdtree_row_ids row_ids = {lists->rows,     NULL,       lists->shard_ids,
                                                    lists->is_64bit, lists->ids, lists->is_64bit};
    return s->steps->kdtree_row_ids(ctx, entries, &row_ids);
}

/* ---- queries near the bounds of shards ---- */

/* Queries that reach other shards. All arrays are scratch. */
struct boundary {
    struct bi_kdtree_rows rows;
    struct bi_ranks_kdtree_reach reach; /* of these rows */
    struct bi_ranks_kdtree_merge_knn merge;
};

/* Lists the queries that reach another shard. *order: their numbers; *count: how many. */
static bosc_status list_boundary(const struct knn_call *s, struct bi_ranks_kdtree_boundary *step, uint32_t *order,
                                 int64_t *count)
{
    const struct bi_core_ops *core = s->ctx->backend->core;
    const int64_t n = step->lists.queries.n;
    uint32_t *all;
    int64_t *found;
    BI_TRY(bi_scratch_of(s->ctx, n, sizeof *step->reaches, &step->reaches));
    BI_TRY(bi_scratch_of(s->ctx, n, sizeof *all, &all));
    BI_TRY(bi_scratch_of(s->ctx, 1, sizeof *found, &found));
    BI_TRY(s->steps->kdtree_boundary(s->ctx, n, step));
    BI_TRY(core->iota(s->ctx, sizeof *all, all, n));
    BI_TRY(core->compact(s->ctx, sizeof *all, all, step->reaches, n, order, found));
    return bi_read_back(s->ctx, count, found, sizeof *count);
}

/* Gathers the queries of lists->order, their k-th distances and their lists. */
static bosc_status gather_boundary(const struct knn_call *s, struct bi_ranks_kdtree_lists *lists,
                                   const void *all_farthest, struct boundary *b)
{
    bosc_ctx *ctx = s->ctx;
    const int64_t n = b->rows.n, dim = s->tree->opts.dim, entries = n * s->k;
    const size_t size = bosc_dtype_size(s->tree->opts.dtype);
    void *rows, *farthest;
    BI_TRY(bi_scratch_of(ctx, n * dim, size, &rows));
    BI_TRY(bi_scratch(ctx, (size_t)n * s->dist2_size, &farthest));
    BI_TRY(bi_scratch_of(ctx, entries, sizeof *lists->some_ids, &lists->some_ids));
    BI_TRY(bi_scratch(ctx, (size_t)entries * s->dist2_size, &lists->some_dist2));
    const struct bi_ranks_kdtree_rows gather = {lists->queries.data, rows, lists->order, dim, dim, 0, size == 8},
                                      limits = {all_farthest, farthest, lists->order, 1, 1, 0, s->dist2_size == 8};
    b->rows.data = rows;
    b->reach.rows = b->rows;
    b->reach.dist2 = farthest;
    b->merge = (struct bi_ranks_kdtree_merge_knn){
        .k = s->k, .to_ids = lists->some_ids, .to_dist2 = lists->some_dist2, .single = lists->single};
    if (n == 0) return BOSC_OK;
    BI_TRY(s->steps->kdtree_gather(ctx, n * dim, &gather));
    BI_TRY(s->steps->kdtree_gather(ctx, n, &limits));
    return s->steps->kdtree_load_lists(ctx, entries, lists);
}

/* Finds the queries whose lists other shards may change. */
static bosc_status find_boundary(const struct knn_call *s, struct bi_ranks_kdtree_lists *lists, struct boundary *b)
{
    const int64_t n = lists->queries.n;
    uint32_t *order;
    void *farthest;
    b->rows = (struct bi_kdtree_rows){NULL, 0, s->tree->opts.dim};
    b->reach = bi_ranks_kdtree_reach_of(s->tree, &lists->queries);
    b->reach.search = BI_RANKS_KNN;
    b->reach.p = s->p;
    b->reach.own = (uint32_t)s->tree->comm->rank;
    b->reach.limit = s->within ? bi_ranks_kdtree_square(s->tree, s->radius) : (double)INFINITY;
    if (n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(s->ctx, n, sizeof *order, &order));
    BI_TRY(bi_scratch(s->ctx, (size_t)n * s->dist2_size, &farthest));
    b->reach.dist2 = farthest;
    struct bi_ranks_kdtree_boundary step = {*lists, b->reach, farthest, NULL};
    BI_TRY_WITH_SCRATCH(s->ctx, list_boundary(s, &step, order, &b->rows.n));
    lists->order = order;
    return gather_boundary(s, lists, farthest, b);
}

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
static bosc_status answer_queries(const struct knn_call *s, const void *queries, int64_t n,
                                  const struct shard_answers *a)
{
    uint32_t *rows;
    if (n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(s->ctx, n * s->k, sizeof *rows, &rows));
    BI_TRY(search_shard(s, &(struct bi_kdtree_rows){queries, n, s->tree->opts.dim}, rows, a->dist2));
    const struct bi_ranks_kdtree_row_ids row_ids = {rows, NULL, s->tree->ids.data, s->id_size == 8, a->ids, true};
    return s->steps->kdtree_row_ids(s->ctx, n * s->k, &row_ids);
}

/* Merges the answers of all shards, one shard after the other. */
static bosc_status merge_answers(const struct knn_call *s, const struct bi_ranks_scatter *scatter,
                                 const struct shard_answers *a, const struct boundary *b)
{
    struct bi_ranks_kdtree_merge_knn step = b->merge;
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
static bosc_status exchange_queries(const struct knn_call *s, const struct bi_ranks_scatter *scatter,
                                    const struct boundary *b, bosc_status *next)
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
    BI_TRY(bi_ranks_kdtree_scatter_rows(ctx, comm, local_status, scatter, &b->rows, dim, size, queries));
    BI_WITH_SCRATCH(ctx, local_status = answer_queries(s, queries, received, &here));
    BI_TRY(bi_exchange_replies(ctx, comm, local_status, &scatter->x, k * sizeof *here.ids, here.ids, back.ids));
    BI_TRY(bi_exchange_replies(ctx, comm, BOSC_OK, &scatter->x, k * s->dist2_size, here.dist2, back.dist2));
    *next = merge_answers(s, scatter, &back, b);
    return BOSC_OK;
}

/* Queries the other shards, and merges their answers into the lists. *next: as above. */
static bosc_status query_boundary(const struct knn_call *s, bosc_status local_status,
                                  struct bi_ranks_kdtree_lists *lists, bosc_status *next)
{
    struct boundary b;
    struct bi_ranks_kdtree_pairs pairs = {.count = 0};
    struct bi_ranks_scatter scatter;
    BI_IF_OK(local_status, find_boundary(s, lists, &b));
    BI_IF_OK(local_status, bi_ranks_kdtree_find_pairs(s->ctx, &b.reach, &pairs));
    bosc_status status = bi_ranks_kdtree_begin_scatter(s->ctx, s->tree->comm, local_status, pairs.ranks, pairs.queries,
                                                       pairs.count, &scatter);
    BI_IF_OK(status, exchange_queries(s, &scatter, &b, next));
    if (status == BOSC_OK && b.rows.n) BI_IF_OK(*next, s->steps->kdtree_store_lists(s->ctx, b.rows.n * s->k, lists));
    bi_exchange_end(s->ctx, &scatter.x);
    return status;
}

/* ---- all queries ---- */

/* Answers the received queries, and returns the lists to the caller's arrays. */
static bosc_status answer_owned(struct knn_call *s, const struct bi_ranks_route *route, const void *queries)
{
    const int64_t dim = s->tree->opts.dim;
    struct bi_ranks_kdtree_lists lists = {.queries = {queries, route->x.received, dim},
                                          .row_bytes = (size_t)dim * bosc_dtype_size(s->tree->opts.dtype),
                                          .k = s->k,
                                          .single = s->dist2_size == sizeof(float),
                                          .shard_ids = s->tree->ids.data,
                                          .is_64bit = s->id_size == 8};
    bosc_status local_status = find_lists(s, &lists);
    BI_TRY_WITH_SCRATCH(s->ctx, query_boundary(s, local_status, &lists, &local_status));
    struct bi_ranks_column columns[2] = {
        {.item_size = (size_t)s->k * s->id_size, .rows = s->id_out.reachable, .received = lists.ids},
        {.item_size = (size_t)s->k * s->dist2_size,
         .rows = s->dist2 ? s->dist2_out.reachable : NULL,
         .received = lists.dist2}};
    return bi_ranks_route_answer_columns(s->ctx, s->tree->comm, local_status, route, columns, s->needs_dist2 ? 2 : 1);
}

/* *owners = scratch: the rank of the nearest shard of each query. */
static bosc_status find_owners(struct knn_call *s, uint32_t **owners)
{
    BI_TRY(bi_ranks_kdtree_make_dense(s->ctx, s->tree, &s->rows));
    struct bi_ranks_kdtree_reach reach = bi_ranks_kdtree_reach_of(s->tree, &s->rows);
    BI_TRY(bi_scratch_of(s->ctx, s->rows.n, sizeof **owners, owners));
    reach.nearest_shard = *owners;
    reach.p = s->p;
    return s->rows.n ? s->steps->kdtree_nearest_shard(s->ctx, s->rows.n, &reach) : BOSC_OK;
}

static bosc_status search_shards(struct knn_call *s, bosc_status local_status)
{
    struct bi_ranks_route route;
    uint32_t *owners = NULL;
    void *queries;
    const size_t row = (size_t)s->tree->opts.dim * bosc_dtype_size(s->tree->opts.dtype);
    BI_IF_OK(local_status, find_owners(s, &owners));
    bosc_status status = bi_ranks_route_to_owners(s->ctx, s->tree->comm, local_status, owners, s->rows.n, &route);
    BI_IF_OK(status, bi_ranks_route_items(s->ctx, s->tree->comm, BOSC_OK, &route, row, s->rows.data, &queries));
    BI_IF_OK(status, answer_owned(s, &route, queries));
    bi_ranks_route_end(s->ctx, &route);
    return status;
}

/* ---- the call ---- */

/* Stages queries and outputs. */
static bosc_status prepare(struct knn_call *s, int64_t first)
{
    bosc_ctx *ctx = s->ctx;
    const size_t entries = (size_t)(s->rows.n * s->k);
    bool staged;
    BI_TRY(bi_ranks_kdtree_stage(ctx, s->tree, "queries", first, bi_ranks_kdtree_may_have_nan(s->tree), &s->rows));
    BI_TRY(bi_stage_out(ctx, s->ids, entries * s->id_size, &s->id_out, &staged));
    return bi_stage_out(ctx, s->dist2, s->dist2 ? entries * s->dist2_size : 0, &s->dist2_out, &staged);
}

/* Without nodes all lists are empty: ids are -1, or UINT32_MAX. */
static bosc_status empty_lists(const struct knn_call *s)
{
    const int64_t entries = s->rows.n * s->k;
    const struct bi_ranks_kdtree_empty_dist2 empty = {s->dist2_out.reachable, s->dist2_size == sizeof(float)};
    if (entries == 0) return BOSC_OK;
    BI_TRY(s->ctx->backend->fill(s->ctx, s->id_out.reachable, 0xff, (size_t)entries * s->id_size));
    return s->dist2 ? s->steps->kdtree_empty_dist2(s->ctx, entries, &empty) : BOSC_OK;
}

static bosc_status finish_outputs(const struct knn_call *s)
{
    if (s->rows.n == 0) return BOSC_OK;
    BI_TRY(bi_stage_back(s->ctx, &s->id_out));
    BI_TRY(bi_stage_back(s->ctx, &s->dist2_out));
    return s->ctx->backend->sync(s->ctx);
}

/* True if one rank has all points, and its rows are their ids: the call is that of one context. */
static bool is_alone(const struct knn_call *s)
{
    return s->tree->comm->rank_count == 1 && s->id_size == sizeof(uint32_t) && s->tree->nodes > 0 &&
           s->tree->opts.duplicates == BOSC_KDTREE_DUPLICATES_KEEP;
}

/* Agrees on k and the radius, searches, and finishes the outputs. */
static bosc_status exchange_and_write(struct knn_call *s, bosc_status local_status)
{
    bosc_comm *comm = s->tree->comm;
    int64_t first, need_dist2 = s->dist2 && s->rows.n > 0;
    BI_TRY(bi_comm_check_equal(s->ctx, comm, local_status, "k", s->k));
    if (s->within) BI_TRY(bi_ranks_check_same_number(s->ctx, comm, BOSC_OK, "radius", s->radius));
    BI_TRY(bi_comm_offset(s->ctx, comm, BOSC_OK, s->rows.n, &first, NULL));
    BI_TRY(bi_comm_sum(s->ctx, comm, BOSC_OK, &need_dist2, 1));
    s->needs_dist2 = need_dist2 > 0;
    local_status = prepare(s, first);
    if (s->tree->nodes) {
        BI_TRY(search_shards(s, local_status));
        local_status = BOSC_OK;
    } else {
        BI_TRY(bi_comm_agree(s->ctx, comm, local_status));
        local_status = empty_lists(s);
    }
    BI_IF_OK(local_status, finish_outputs(s));
    return bi_comm_agree(s->ctx, comm, bi_ranks_status_of_outputs(local_status));
}

static bosc_status check_knn(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *queries, int64_t query_count,
                             int64_t stride, struct knn_call *s)
{
    BI_TRY(bi_ranks_kdtree_check_queries(ctx, tree, "queries", queries, "query_count", query_count, stride, &s->rows));
    if (s->k < 1) return bi_fail(ctx, BOSC_ERR_ARG, "k: %lld is less than 1", (long long)s->k);
    if (query_count > 0 && s->k > INT64_MAX / 16 / query_count)
        return bi_fail(ctx, BOSC_ERR_ARG, "k: %lld queries of %lld neighbours are more than memory can hold",
                       (long long)query_count, (long long)s->k);
    if (query_count > 0 && !s->ids) return bi_fail(ctx, BOSC_ERR_ARG, "ids: NULL");
    BI_TRY(bi_check_aligned(ctx, "ids", s->ids, s->id_size));
    return bi_check_aligned(ctx, "dist2", s->dist2, s->dist2_size);
}

static struct knn_call make_call(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, int64_t k, void *ids, void *dist2)
{
    return (struct knn_call){.ctx = ctx,
                             .tree = tree,
                             .steps = ctx->ops->ranks->steps,
                             .k = k,
                             .id_size = (size_t)tree->opts.id_bits / 8,
                             .dist2_size = bi_kdtree_dist2_size(tree->shard),
                             .ids = ids,
                             .dist2 = dist2};
}

static bosc_status run_call(struct knn_call *s, bosc_status local_status)
{
    if (local_status == BOSC_OK && is_alone(s)) return search_shard(s, &s->rows, s->ids, s->dist2);
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

bosc_status bi_ranks_kdtree_knn_order(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *queries,
                                      int64_t query_count, int64_t k, double p, void *ids, void *distances)
{
    struct knn_call s = make_call(ctx, tree, k, ids, distances);
    s.p = p;
    return run_call(&s, check_knn(ctx, tree, queries, query_count, 0, &s));
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
