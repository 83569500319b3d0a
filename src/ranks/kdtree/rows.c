/* Searches by radius and by boxes over ranks: all points as CSR rows, in two calls (count, then fill). Queries go to
 * all shards that they reach; the rows of the shards are merged by id. */
#include "core/csr.h"
#include "ranks/exchange/slices.h"
#include "ranks/kdtree/search.h"

struct search_call {
    bosc_ctx *ctx;
    const bosc_ranks_kdtree *tree;
    const struct bi_ranks_steps *steps;
    struct bi_kdtree_rows rows; /* queries, or boxes of two adjacent rows */
    int64_t width;              /* elements of a query */
    bool boxes;
    double radius;
    int64_t *offsets; /* the caller's, as the arrays below */
    void *ids, *dist2;
    int64_t capacity;
    size_t dist2_size;
    bool is_fill; /* the second call */
    const int64_t *input_offsets;
    struct bi_out id_out, dist2_out;
    struct bi_ranks_kdtree_merge_rows merge;
    int64_t *row_offsets; /* scratch: offsets of the answer */
};

/* ---- the shard's answers ---- */

struct shard_rows {
    int64_t *offsets, *counts; /* of the received queries: CSR offsets, and lengths of the rows */
    int64_t *ids;
    void *dist2;
    int64_t total;
};

/* ids NULL: counts the entries; else fills them. */
static bosc_status query_shard(const struct search_call *s, const void *queries, int64_t n, int64_t *offsets,
                               uint32_t *ids, void *dist2, int64_t capacity)
{
    if (s->boxes) return bosc_kdtree_box(s->ctx, s->tree->shard, queries, n, offsets, ids, capacity);
    return bosc_kdtree_radius(s->ctx, s->tree->shard, queries, n, 0, s->radius, offsets, ids, dist2, capacity);
}

/* Counts the entries of each received query in this rank's shard. */
static bosc_status count_rows(const struct search_call *s, const void *queries, int64_t n, struct shard_rows *here)
{
    const struct bi_ranks_row_lengths lengths = {here->offsets, here->counts};
    if (n == 0) return BOSC_OK;
    BI_TRY(query_shard(s, queries, n, here->offsets, NULL, NULL, 0));
    BI_TRY(bi_read_back(s->ctx, &here->total, here->offsets + n, sizeof here->total));
    return s->steps->row_lengths(s->ctx, n, &lengths);
}

/* Fills the rows of received queries: ids over all ranks, and distances. */
static bosc_status fill_local_rows(const struct search_call *s, const void *queries, int64_t n,
                                   const struct shard_rows *here)
{
    bosc_ctx *ctx = s->ctx;
    uint32_t *rows;
    if (here->total == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, here->total, sizeof *rows, &rows));
    BI_TRY(query_shard(s, queries, n, here->offsets, rows, here->dist2, here->total));
    const struct bi_ranks_kdtree_row_ids row_ids = {rows,      NULL, s->tree->ids.data, s->tree->opts.id_bits == 64,
                                                    here->ids, true};
    return s->steps->kdtree_row_ids(ctx, here->total, &row_ids);
}

/* counts[r] = entries for rank r; (rank_count), host. */
static bosc_status count_entries(const struct search_call *s, const struct bi_exchange *x,
                                 const struct shard_rows *here, int64_t *counts)
{
    int64_t begin = 0, end = 0;
    if (!counts) return BOSC_ERR_NOMEM;
    for (int32_t r = 0; r < x->rank_count; r++, begin = end) { /* without queries `end` stays */
        const int64_t *at = here->offsets + x->received_offsets[r + 1];
        if (x->received_offsets[r + 1] > x->received_offsets[r]) BI_TRY(bi_read_back(s->ctx, &end, at, sizeof end));
        counts[r] = end - begin;
    }
    return BOSC_OK;
}

/* ---- the querying rank ---- */

/* Scans the counts of all answers to offsets. */
static bosc_status scan_counts(const struct search_call *s, const int64_t *counts, int64_t n, int64_t *answer_offsets)
{
    return s->ctx->backend->core->scan(s->ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, counts, n, answer_offsets);
}

/* Runs a step on the answers of each shard in turn. */
static bosc_status for_each_shard(const struct search_call *s, const struct bi_ranks_scatter *scatter, bi_step_fn step,
                                  struct bi_ranks_kdtree_merge_rows *args)
{
    for (int32_t r = 0; r < scatter->x.rank_count; r++) {
        const int64_t n = scatter->x.sent_offsets[r + 1] - scatter->x.sent_offsets[r];
        args->first = scatter->x.sent_offsets[r];
        if (n) BI_TRY(step(s->ctx, n, args));
    }
    return BOSC_OK;
}

/* Computes s->row_offsets from the counts of all answers: lengths of rows, then their scan in place. */
static bosc_status add_counts(struct search_call *s, const struct bi_ranks_scatter *scatter, const int64_t *counts)
{
    bosc_ctx *ctx = s->ctx;
    const int64_t n = s->rows.n;
    s->merge.order = scatter->order;
    s->merge.counts = counts;
    s->merge.lengths = s->row_offsets;
    BI_TRY(ctx->backend->fill(ctx, s->row_offsets, 0, (size_t)(n + 1) * sizeof *s->row_offsets));
    BI_TRY(for_each_shard(s, scatter, s->steps->kdtree_add_lengths, &s->merge));
    return ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, s->row_offsets, n + 1, s->row_offsets);
}

/* Checks the caller's offsets and arrays against the answer. */
static bosc_status check_offsets(struct search_call *s)
{
    bosc_ctx *ctx = s->ctx;
    const int64_t n = s->rows.n, none = INT64_MAX;
    struct bi_ranks_kdtree_same_lengths step = {s->input_offsets, s->row_offsets, NULL};
    int64_t total = 0, answer = 0, row = none; /* entries by the offsets; of the answer; a faulty row */
    /* 1. The offsets must ascend from 0. 2. The arrays must hold the rows. 3. Each row must be as long as its
     * answer. */
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *step.bad, &step.bad));
    BI_TRY(ctx->backend->copy(ctx, step.bad, &none, sizeof none));
    if (n) BI_TRY(ctx->backend->core->check_offsets(ctx, s->input_offsets, n, step.bad));
    BI_TRY(bi_read_back(ctx, &row, step.bad, sizeof row));
    BI_TRY(bi_read_back(ctx, &total, s->input_offsets + n, sizeof total));
    BI_TRY(bi_read_back(ctx, &answer, s->row_offsets + n, sizeof answer));
    if (row != none || (n == 0 && total != 0))
        return bi_fail(ctx, BOSC_ERR_ARG, "offsets: not ascending from 0 at query %lld", (long long)(n ? row : 0));
    if (!s->ids && answer)
        return bi_fail(ctx, BOSC_ERR_ARG, "ids: NULL, where other ranks fill their rows, and this one has %lld entries",
                       (long long)answer);
    if (s->ids && s->capacity < total)
        return bi_fail(ctx, BOSC_ERR_SPACE, "capacity: %lld entries, but the answer has %lld", (long long)s->capacity,
                       (long long)total);
    if (n) BI_TRY(s->steps->kdtree_same_lengths(ctx, n, &step));
    BI_TRY(bi_read_back(ctx, &row, step.bad, sizeof row));
    if (row == none) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "offsets: the row of query %lld is not as long as its answer", (long long)row);
}

/* Allocates the entries; *entries: their number on this rank. */
static bosc_status prepare_rows(struct search_call *s, int64_t *entries)
{
    bosc_ctx *ctx = s->ctx;
    const size_t id_size = (size_t)s->tree->opts.id_bits / 8;
    bool staged;
    BI_TRY(check_offsets(s));
    BI_TRY(bi_read_back(ctx, entries, s->row_offsets + s->rows.n, sizeof *entries));
    BI_TRY(bi_stage_out(ctx, s->ids, (size_t)*entries * id_size, &s->id_out, &staged));
    BI_TRY(bi_stage_out(ctx, s->dist2, s->dist2 ? (size_t)*entries * s->dist2_size : 0, &s->dist2_out, &staged));
    s->merge.offsets = s->input_offsets;
    s->merge.to_ids = s->id_out.reachable;
    s->merge.to_dist2 = s->dist2_out.reachable;
    s->merge.is_64bit = id_size == 8;
    s->merge.single = s->tree->opts.dtype == BOSC_F32;
    BI_TRY(bi_scratch_of(ctx, s->rows.n, sizeof *s->merge.lengths, &s->merge.lengths));
    return s->rows.n ? ctx->backend->fill(ctx, s->merge.lengths, 0, (size_t)s->rows.n * sizeof *s->merge.lengths)
                     : BOSC_OK;
}

/* Merges the entries of all shards into the rows, and writes the outputs. */
static bosc_status merge_rows(struct search_call *s, const struct bi_ranks_scatter *scatter)
{
    BI_TRY(for_each_shard(s, scatter, s->steps->kdtree_merge_rows, &s->merge));
    BI_TRY(bi_stage_back(s->ctx, &s->id_out));
    BI_TRY(bi_stage_back(s->ctx, &s->dist2_out));
    return s->ctx->backend->sync(s->ctx);
}

/* Receives the entries of this rank's queries: by shard, then by query. */
static bosc_status move_entries(struct search_call *s, const struct bi_exchange *entries, const struct shard_rows *here,
                                bosc_status local_status)
{
    bosc_ctx *ctx = s->ctx;
    bosc_comm *comm = s->tree->comm;
    int64_t *ids = NULL;
    void *dist2 = NULL;
    BI_IF_OK(local_status, bi_scratch_of(ctx, entries->received, sizeof *ids, &ids));
    if (local_status == BOSC_OK && !s->boxes)
        local_status = bi_scratch_of(ctx, entries->received, s->dist2_size, &dist2);
    BI_TRY(bi_exchange_items(ctx, comm, local_status, entries, sizeof *ids, here->ids, ids));
    if (!s->boxes) BI_TRY(bi_exchange_items(ctx, comm, BOSC_OK, entries, s->dist2_size, here->dist2, dist2));
    s->merge.ids = ids;
    s->merge.dist2 = dist2;
    return BOSC_OK;
}

/* ---- both calls ---- */

static bosc_status fill_shard_rows(const struct search_call *s, const void *queries, int64_t n, struct shard_rows *here)
{
    BI_TRY(bi_scratch_of(s->ctx, here->total, sizeof *here->ids, &here->ids));
    if (!s->boxes) BI_TRY(bi_scratch_of(s->ctx, here->total, s->dist2_size, &here->dist2));
    BI_RETURN_WITH_SCRATCH(s->ctx, fill_local_rows(s, queries, n, here));
}

static bosc_status fill_answer(struct search_call *s, const struct bi_ranks_scatter *scatter, const void *queries,
                               struct shard_rows *here, int64_t sent)
{
    bosc_ctx *ctx = s->ctx;
    bosc_comm *comm = s->tree->comm;
    const size_t bytes = (size_t)comm->rank_count * sizeof(int64_t);
    int64_t *answer_offsets = NULL, own;
    struct bi_exchange entries;
    /* 1. Check the caller's arrays, and fill the rows of received queries. */
    bosc_status local_status = prepare_rows(s, &own);
    BI_IF_OK(local_status, bi_scratch_of(ctx, sent, sizeof *answer_offsets, &answer_offsets));
    if (local_status == BOSC_OK && sent) local_status = scan_counts(s, s->merge.counts, sent, answer_offsets);
    BI_IF_OK(local_status, fill_shard_rows(s, queries, scatter->x.received, here));
    s->merge.answer_offsets = answer_offsets;
    /* 2. Exchange the entries, and merge those of each shard into the rows of the queries. */
    int64_t *counts = local_status == BOSC_OK ? bi_host_alloc(ctx, bytes) : NULL;
    BI_IF_OK(local_status, count_entries(s, &scatter->x, here, counts));
    bosc_status status = bi_exchange_begin(ctx, comm, local_status, counts, &entries);
    BI_IF_OK(status, move_entries(s, &entries, here, BOSC_OK));
    BI_IF_OK(status, bi_comm_agree(ctx, comm, merge_rows(s, scatter)));
    bi_exchange_end(ctx, &entries);
    bi_memory_release(&ctx->host, counts, bytes);
    return status;
}

static bosc_status write_offsets(const struct search_call *s)
{
    bosc_ctx *ctx = s->ctx;
    BI_TRY(ctx->backend->copy(ctx, s->offsets, s->row_offsets, (size_t)(s->rows.n + 1) * sizeof *s->offsets));
    return ctx->backend->sync(ctx);
}

static bosc_status allocate_memory(const struct search_call *s, const struct bi_ranks_scatter *scatter,
                                   struct shard_rows *here, void **queries, int64_t **counts)
{
    const int64_t received = scatter->x.received;
    BI_TRY(bi_scratch_of(s->ctx, received * s->width, bosc_dtype_size(s->tree->opts.dtype), queries));
    BI_TRY(bi_scratch_of(s->ctx, received + 1, sizeof *here->offsets, &here->offsets));
    BI_TRY(bi_scratch_of(s->ctx, received, sizeof *here->counts, &here->counts));
    return bi_scratch_of(s->ctx, scatter->x.sent, sizeof **counts, counts);
}

/* Queries the shards for the lengths of the rows; then writes the offsets, or fills the rows. */
static bosc_status exchange_queries(struct search_call *s, const struct bi_ranks_scatter *scatter)
{
    bosc_ctx *ctx = s->ctx;
    bosc_comm *comm = s->tree->comm;
    struct shard_rows here = {.total = 0};
    void *queries = NULL;
    int64_t *counts = NULL;
    bosc_status local_status = allocate_memory(s, scatter, &here, &queries, &counts);
    BI_TRY(bi_ranks_kdtree_scatter_rows(ctx, comm, local_status, scatter, &s->rows, s->width,
                                        bosc_dtype_size(s->tree->opts.dtype), queries));
    local_status = count_rows(s, queries, scatter->x.received, &here);
    BI_TRY(bi_exchange_replies(ctx, comm, local_status, &scatter->x, sizeof *counts, here.counts, counts));
    BI_TRY(bi_comm_agree(ctx, comm, add_counts(s, scatter, counts)));
    if (s->is_fill) return fill_answer(s, scatter, queries, &here, scatter->x.sent);
    return bi_comm_agree(ctx, comm, write_offsets(s));
}

static bosc_status search_shards(struct search_call *s, bosc_status local_status)
{
    struct bi_ranks_kdtree_reach reach = bi_ranks_kdtree_reach_of(s->tree, &s->rows);
    struct bi_ranks_kdtree_pairs pairs = {.count = 0};
    struct bi_ranks_scatter scatter;
    reach.search = s->boxes ? BI_RANKS_BOX : BI_RANKS_RADIUS;
    reach.limit = bi_ranks_kdtree_square(s->tree, s->radius);
    if (local_status == BOSC_OK && s->tree->nodes) local_status = bi_ranks_kdtree_find_pairs(s->ctx, &reach, &pairs);
    bosc_status status = bi_ranks_kdtree_begin_scatter(s->ctx, s->tree->comm, local_status, pairs.ranks, pairs.queries,
                                                       pairs.count, &scatter);
    BI_IF_OK(status, exchange_queries(s, &scatter));
    bi_exchange_end(s->ctx, &scatter.x);
    return status;
}

/* Stages queries and offsets, and allocates the answer's offsets. */
static bosc_status prepare(struct search_call *s, int64_t first)
{
    bosc_ctx *ctx = s->ctx;
    const size_t bytes = (size_t)(s->rows.n + 1) * sizeof *s->offsets;
    struct bi_kdtree_rows corners = {s->rows.data, 2 * s->rows.n, s->tree->opts.dim};
    const void *input_offsets = NULL;
    bool staged;
    BI_TRY(bi_ranks_kdtree_stage(ctx, s->tree, s->boxes ? "boxes" : "queries", (s->boxes ? 2 : 1) * first,
                                 bi_ranks_kdtree_may_have_nan(s->tree), s->boxes ? &corners : &s->rows));
    if (s->boxes) s->rows.data = corners.data;
    if (s->is_fill) BI_TRY(bi_stage_in(ctx, s->offsets, bytes, &input_offsets, &staged));
    s->input_offsets = input_offsets;
    return bi_scratch(ctx, bytes, (void **)&s->row_offsets);
}

/* Agrees which of the two calls is made, and on the radius. */
static bosc_status agree_on_call(struct search_call *s, bosc_status local_status)
{
    bosc_comm *comm = s->tree->comm;
    int64_t fill_count = s->ids != NULL;
    BI_TRY(bi_comm_sum(s->ctx, comm, local_status, &fill_count, 1));
    s->is_fill = fill_count > 0;
    return bi_ranks_check_same_number(s->ctx, comm, BOSC_OK, "radius", s->radius);
}

static bosc_status run_call(struct search_call *s, bosc_status local_status)
{
    int64_t first;
    BI_TRY(agree_on_call(s, local_status));
    BI_TRY(bi_comm_offset(s->ctx, s->tree->comm, BOSC_OK, s->rows.n, &first, NULL));
    return search_shards(s, prepare(s, first));
}

static struct search_call make_call(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, int64_t *offsets, void *ids,
                                    void *dist2, int64_t capacity)
{
    return (struct search_call){.ctx = ctx,
                                .tree = tree,
                                .steps = ctx->ops->ranks->steps,
                                .width = tree->opts.dim,
                                .offsets = offsets,
                                .ids = ids,
                                .dist2 = ids ? dist2 : NULL,
                                .capacity = capacity,
                                .dist2_size = bi_kdtree_dist2_size(tree->shard)};
}

static bosc_status check_outputs(const struct search_call *s, int64_t query_count)
{
    BI_TRY(bi_csr_check(s->ctx, query_count, s->offsets, s->ids != NULL, s->capacity));
    BI_TRY(bi_check_aligned(s->ctx, "ids", s->ids, (size_t)s->tree->opts.id_bits / 8));
    return bi_check_aligned(s->ctx, "dist2", s->dist2, s->dist2_size);
}

bosc_status bosc_ranks_kdtree_radius(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *queries,
                                     int64_t query_count, int64_t stride, double radius, int64_t *offsets, void *ids,
                                     void *dist2, int64_t capacity)
{
    BI_ENTER(ctx);
    if (!tree) return bi_ranks_kdtree_check(ctx, tree);
    struct search_call s = make_call(ctx, tree, offsets, ids, dist2, capacity);
    s.radius = radius;
    bosc_status local_status =
        bi_ranks_kdtree_check_queries(ctx, tree, "queries", queries, "query_count", query_count, stride, &s.rows);
    BI_IF_OK(local_status, bi_ranks_kdtree_check_radius(ctx, radius));
    BI_IF_OK(local_status, check_outputs(&s, query_count));
    bi_progress_set_total(ctx, 200 * (double)s.rows.n);
    BI_RETURN_WITH_SCRATCH(ctx, run_call(&s, local_status));
}

bosc_status bosc_ranks_kdtree_box(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *boxes, int64_t box_count,
                                  int64_t *offsets, void *ids, int64_t capacity)
{
    BI_ENTER(ctx);
    if (!tree) return bi_ranks_kdtree_check(ctx, tree);
    struct search_call s = make_call(ctx, tree, offsets, ids, NULL, capacity);
    s.boxes = true;
    s.width = 2 * (int64_t)tree->opts.dim;
    bosc_status local_status =
        bi_ranks_kdtree_check_queries(ctx, tree, "boxes", boxes, "box_count", box_count, s.width, &s.rows);
    BI_IF_OK(local_status, check_outputs(&s, box_count));
    bi_progress_set_total(ctx, 200 * (double)s.rows.n);
    BI_RETURN_WITH_SCRATCH(ctx, run_call(&s, local_status));
}
