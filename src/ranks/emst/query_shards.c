/* Queries between shards: points query the shards within their bounds for the nearest points of other components. */
#include "core/call.h"
#include "ranks/emst/emst.h"
#include "kdtree/nearest_other_label.h"

struct query_batch {
    struct bi_ranks_emst *e;
    const struct bi_ranks_emst_components *c;
    int64_t count;
    uint32_t *rows; /* the querying points */
    void *points, *bounds;
    uint32_t *labels;
    uint64_t *best_answers; /* two words a query: the best answer */
};

static size_t dist2_size(const struct bi_ranks_emst *e) { return e->single ? sizeof(float) : sizeof(double); }

/* ---- the queries ---- */

/* Finds, by component, the first of the points with the least bound. */
static bosc_status find_first_open(const struct query_batch *q, struct bi_ranks_emst_select *select)
{
    const struct bi_ranks_emst *e = q->e;
    const int64_t count = q->c->count;
    BI_TRY(bi_scratch_of(e->ctx, count, sizeof *select->least_bound, &select->least_bound));
    BI_TRY(bi_scratch_of(e->ctx, count, sizeof *select->first, &select->first));
    BI_TRY(e->ctx->backend->fill(e->ctx, select->least_bound, 0xff, (size_t)count * sizeof *select->least_bound));
    BI_TRY(e->ctx->backend->fill(e->ctx, select->first, 0xff, (size_t)count * sizeof *select->first));
    BI_TRY(e->steps->emst_min_open_bounds(e->ctx, e->n, select));
    return e->steps->emst_first_open(e->ctx, e->n, select);
}

static bosc_status select_rows(struct query_batch *q, bool first)
{
    const struct bi_ranks_emst *e = q->e;
    struct bi_ranks_emst_select select = {.points = e->points, .best = q->c->best};
    if (first) BI_TRY(find_first_open(q, &select));
    BI_TRY(bi_scratch_of(e->ctx, e->n, 1, &select.is_query));
    BI_TRY(e->steps->emst_mark_queries(e->ctx, e->n, &select));
    BI_TRY(e->core->compact(e->ctx, sizeof *q->rows, e->all, select.is_query, e->n, q->rows, q->c->counter));
    return bi_read_back(e->ctx, &q->count, q->c->counter, sizeof q->count);
}

/* Writes the queries: coordinates, component, bound. */
static bosc_status write_queries(struct query_batch *q, bool first)
{
    const struct bi_ranks_emst *e = q->e;
    const int64_t dim = e->tree->opts.dim;
    const size_t size = bosc_dtype_size(e->tree->opts.dtype);
    BI_TRY(bi_scratch_of(e->ctx, e->n, sizeof *q->rows, &q->rows));
    BI_TRY_WITH_SCRATCH(e->ctx, select_rows(q, first));
    BI_TRY(bi_scratch_of(e->ctx, q->count * dim, size, &q->points));
    BI_TRY(bi_scratch_of(e->ctx, q->count, sizeof *q->labels, &q->labels));
    BI_TRY(bi_scratch_of(e->ctx, q->count, dist2_size(e), &q->bounds));
    BI_TRY(bi_scratch_of(e->ctx, q->count, 2 * sizeof *q->best_answers, &q->best_answers));
    const struct bi_ranks_kdtree_rows gather = {e->rows, q->points, q->rows, dim, dim, 0, size == 8};
    const struct bi_ranks_emst_queries write = {e->points, q->c->best, q->rows, e->single, q->labels, q->bounds};
    BI_TRY(e->ctx->backend->fill(e->ctx, q->best_answers, 0xff, (size_t)q->count * 2 * sizeof *q->best_answers));
    BI_TRY(e->steps->kdtree_gather(e->ctx, q->count * dim, &gather));
    return e->steps->emst_write_queries(e->ctx, q->count, &write);
}

/* ---- the shard's answers ---- */

struct received_batch {
    struct bi_kdtree_labelled_queries queries;
    void *points, *bounds;
    uint32_t *labels;
    uint64_t *answers;
};

static bosc_status allocate_received(const struct bi_ranks_emst *e, int64_t count, struct received_batch *a)
{
    const bosc_kdtree_opts *o = &e->tree->opts;
    BI_TRY(bi_scratch_of(e->ctx, count * o->dim, bosc_dtype_size(o->dtype), &a->points));
    BI_TRY(bi_scratch_of(e->ctx, count, sizeof *a->labels, &a->labels));
    BI_TRY(bi_scratch_of(e->ctx, count, dist2_size(e), &a->bounds));
    BI_TRY(bi_scratch_of(e->ctx, count, 2 * sizeof *a->answers, &a->answers));
    a->queries = (struct bi_kdtree_labelled_queries){{a->points, count, o->dim}, a->labels, a->bounds};
    return BOSC_OK;
}

static bosc_status answer_queries(const struct bi_ranks_emst *e, const struct received_batch *a)
{
    const int64_t count = a->queries.rows.n;
    struct bi_ranks_emst_answers step = {
        .single = e->single, .ids = e->tree->ids.data, .labels = e->points.label, .answers = a->answers};
    uint32_t *rows;
    void *dist2;
    if (count == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(e->ctx, count, sizeof *rows, &rows));
    BI_TRY(bi_scratch_of(e->ctx, count, dist2_size(e), &dist2));
    BI_TRY(bi_kdtree_query_other_label(e->ctx, e->tree->shard, e->points.label, &a->queries, rows, dist2));
    step.rows = rows;
    step.dist2 = dist2;
    return e->steps->emst_write_answers(e->ctx, count, &step);
}

/* ---- answers applied ---- */

/* Appends the edges found to this rank's edges. */
static bosc_status add_edges(struct query_batch *q, const struct bi_ranks_emst_apply *applied)
{
    struct bi_ranks_emst *e = q->e;
    struct bi_ranks_list *to = &e->edges;
    const uint64_t *from[] = {applied->words, applied->ends, applied->pairs};
    uint64_t *const out[] = {to->keys, to->ends, to->ids};
    int64_t added;
    for (int i = 0; i < 3; i++)
        BI_TRY(e->core->compact(e->ctx, sizeof *from[i], from[i], applied->found, q->count, out[i] + to->count,
                                q->c->counter));
    BI_TRY(bi_read_back(e->ctx, &added, q->c->counter, sizeof added));
    to->count += added;
    return BOSC_OK;
}

static bosc_status apply_answers(struct query_batch *q)
{
    const struct bi_ranks_emst *e = q->e;
    struct bi_ranks_emst_apply step = {.points = e->points,
                                       .best = q->c->best,
                                       .best_answers = q->best_answers,
                                       .rows = q->rows,
                                       .ids = e->tree->ids.data};
    if (q->count == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(e->ctx, q->count, sizeof *step.words, &step.words));
    BI_TRY(bi_scratch_of(e->ctx, q->count, sizeof *step.ends, &step.ends));
    BI_TRY(bi_scratch_of(e->ctx, q->count, sizeof *step.pairs, &step.pairs));
    BI_TRY(bi_scratch_of(e->ctx, q->count, 1, &step.found));
    BI_TRY(e->steps->emst_apply_answers(e->ctx, q->count, &step));
    return add_edges(q, &step);
}

/* Merges the answers of all shards, one shard after the other. */
static bosc_status merge_answers(struct query_batch *q, const struct bi_ranks_scatter *scatter, const uint64_t *answers)
{
    struct bi_ranks_emst_merge_answers step = {
        .order = scatter->order, .answers = answers, .best_answers = q->best_answers};
    for (int32_t r = 0; r < scatter->x.rank_count; r++) {
        step.first = scatter->x.sent_offsets[r];
        BI_TRY(q->e->steps->emst_merge_answers(q->e->ctx, scatter->x.sent_offsets[r + 1] - step.first, &step));
    }
    return apply_answers(q);
}

/* ---- the exchange ---- */

static bosc_status exchange_queries(struct query_batch *q, const struct bi_ranks_scatter *scatter,
                                    bosc_status *local_status)
{
    const struct bi_ranks_emst *e = q->e;
    const int64_t dim = e->tree->opts.dim, count = q->count;
    const size_t size = bosc_dtype_size(e->tree->opts.dtype);
    const struct bi_kdtree_rows points = {q->points, count, dim}, labels = {q->labels, count, 1},
                                bounds = {q->bounds, count, 1};
    struct received_batch here = {.points = NULL};
    uint64_t *answers = NULL;
    /* 1. Exchange the queries. 2. Answer them. 3. Return the answers and merge them. */
    *local_status = allocate_received(e, scatter->x.received, &here);
    if (*local_status == BOSC_OK) *local_status = bi_scratch_of(e->ctx, scatter->x.sent, 2 * sizeof *answers, &answers);
    BI_TRY(bi_ranks_kdtree_scatter_rows(e->ctx, e->comm, *local_status, scatter, &points, dim, size, here.points));
    BI_TRY(
        bi_ranks_kdtree_scatter_rows(e->ctx, e->comm, BOSC_OK, scatter, &labels, 1, sizeof *here.labels, here.labels));
    BI_TRY(bi_ranks_kdtree_scatter_rows(e->ctx, e->comm, BOSC_OK, scatter, &bounds, 1, dist2_size(e), here.bounds));
    BI_WITH_SCRATCH(e->ctx, *local_status = answer_queries(e, &here));
    BI_TRY(
        bi_exchange_replies(e->ctx, e->comm, *local_status, &scatter->x, 2 * sizeof *answers, here.answers, answers));
    *local_status = merge_answers(q, scatter, answers);
    return BOSC_OK;
}

static bosc_status query_shards(struct query_batch *q, const uint32_t *shard_labels, bool first,
                                bosc_status *local_status)
{
    const struct bi_ranks_emst *e = q->e;
    struct bi_ranks_kdtree_pairs pairs = {.count = 0};
    struct bi_ranks_scatter scatter;
    if (*local_status == BOSC_OK) *local_status = write_queries(q, first);
    struct bi_ranks_kdtree_reach reach = bi_ranks_emst_reach_of(e, q->points, q->count);
    reach.dist2 = q->bounds;
    reach.labels = q->labels;
    reach.shard_labels = shard_labels;
    if (*local_status == BOSC_OK) *local_status = bi_ranks_kdtree_find_pairs(e->ctx, &reach, &pairs);
    bosc_status status = bi_ranks_kdtree_begin_scatter(e->ctx, e->comm, *local_status, pairs.ranks, pairs.queries,
                                                       pairs.count, &scatter);
    if (status == BOSC_OK) status = exchange_queries(q, &scatter, local_status);
    bi_exchange_end(e->ctx, &scatter.x);
    return status;
}

bosc_status bi_ranks_emst_query_shards(struct bi_ranks_emst *e, const struct bi_ranks_emst_components *c,
                                       const uint32_t *shard_labels, bool first, bosc_status *local_status)
{
    struct query_batch q = {.e = e, .c = c};
    BI_RETURN_WITH_SCRATCH(e->ctx, query_shards(&q, shard_labels, first, local_status));
}
