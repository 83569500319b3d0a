/* Questions between shards: points ask the shards whose boxes are near enough for their nearest points of other
 * components. */
#include "core/call.h"
#include "ranks/emst/emst.h"
#include "kdtree/nearest_other_label.h"

struct questions {
    struct bi_ranks_emst *e;
    const struct bi_ranks_emst_components *c;
    int64_t count;
    uint32_t *rows; /* who asks */
    void *points, *bounds;
    uint32_t *labels;
    uint64_t *nearest; /* two words a question: what is answered */
};

static size_t dist2_size(const struct bi_ranks_emst *e) { return e->single ? sizeof(float) : sizeof(double); }

/* ---- who asks ---- */

static bosc_status probe(const struct questions *q, struct bi_ranks_emst_asking *asking)
{
    const struct bi_ranks_emst *e = q->e;
    const int64_t count = q->c->count;
    BI_TRY(bi_scratch_of(e->ctx, count, sizeof *asking->nearest, &asking->nearest));
    BI_TRY(bi_scratch_of(e->ctx, count, sizeof *asking->first, &asking->first));
    BI_TRY(e->ctx->backend->fill(e->ctx, asking->nearest, 0xff, (size_t)count * sizeof *asking->nearest));
    BI_TRY(e->ctx->backend->fill(e->ctx, asking->first, 0xff, (size_t)count * sizeof *asking->first));
    BI_TRY(e->steps->emst_probe(e->ctx, e->n, asking));
    return e->steps->emst_probe_first(e->ctx, e->n, asking);
}

static bosc_status find_asking(struct questions *q, bool first)
{
    const struct bi_ranks_emst *e = q->e;
    struct bi_ranks_emst_asking asking = {.points = e->points, .best = q->c->best};
    if (first) BI_TRY(probe(q, &asking));
    BI_TRY(bi_scratch_of(e->ctx, e->n, 1, &asking.asks));
    BI_TRY(e->steps->emst_asks(e->ctx, e->n, &asking));
    BI_TRY(e->core->compact(e->ctx, sizeof *q->rows, e->all, asking.asks, e->n, q->rows, q->c->counted));
    return bi_read_back(e->ctx, &q->count, q->c->counted, sizeof q->count);
}

/* The questions by themselves. */
static bosc_status write_questions(struct questions *q, bool first)
{
    const struct bi_ranks_emst *e = q->e;
    const int64_t dim = e->tree->opts.dim;
    const size_t size = bosc_dtype_size(e->tree->opts.dtype);
    BI_TRY(bi_scratch_of(e->ctx, e->n, sizeof *q->rows, &q->rows));
    BI_TRY_WITH_SCRATCH(e->ctx, find_asking(q, first));
    BI_TRY(bi_scratch_of(e->ctx, q->count * dim, size, &q->points));
    BI_TRY(bi_scratch_of(e->ctx, q->count, sizeof *q->labels, &q->labels));
    BI_TRY(bi_scratch_of(e->ctx, q->count, dist2_size(e), &q->bounds));
    BI_TRY(bi_scratch_of(e->ctx, q->count, 2 * sizeof *q->nearest, &q->nearest));
    const struct bi_ranks_kdtree_rows gather = {e->rows, q->points, q->rows, dim, dim, 0, size == 8};
    const struct bi_ranks_emst_questions write = {e->points, q->c->best, q->rows, e->single, q->labels, q->bounds};
    BI_TRY(e->ctx->backend->fill(e->ctx, q->nearest, 0xff, (size_t)q->count * 2 * sizeof *q->nearest));
    BI_TRY(e->steps->kdtree_gather(e->ctx, q->count * dim, &gather));
    return e->steps->emst_questions(e->ctx, q->count, &write);
}

/* ---- the shard's answers ---- */

struct asked {
    struct bi_kdtree_labelled_queries queries;
    void *points, *bounds;
    uint32_t *labels;
    uint64_t *answers;
};

static bosc_status take_asked(const struct bi_ranks_emst *e, int64_t count, struct asked *a)
{
    const bosc_kdtree_opts *o = &e->tree->opts;
    BI_TRY(bi_scratch_of(e->ctx, count * o->dim, bosc_dtype_size(o->dtype), &a->points));
    BI_TRY(bi_scratch_of(e->ctx, count, sizeof *a->labels, &a->labels));
    BI_TRY(bi_scratch_of(e->ctx, count, dist2_size(e), &a->bounds));
    BI_TRY(bi_scratch_of(e->ctx, count, 2 * sizeof *a->answers, &a->answers));
    a->queries = (struct bi_kdtree_labelled_queries){{a->points, count, o->dim}, a->labels, a->bounds};
    return BOSC_OK;
}

static bosc_status answer(const struct bi_ranks_emst *e, const struct asked *a)
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
    return e->steps->emst_answers(e->ctx, count, &step);
}

/* ---- what is learned ---- */

/* The edges found, behind those that are there. */
static bosc_status add_edges(struct questions *q, const struct bi_ranks_emst_learn *learned)
{
    struct bi_ranks_emst *e = q->e;
    struct bi_ranks_list *to = &e->edges;
    const uint64_t *from[] = {learned->words, learned->ends, learned->pairs};
    uint64_t *const out[] = {to->keys, to->ends, to->ids};
    int64_t added;
    for (int i = 0; i < 3; i++)
        BI_TRY(e->core->compact(e->ctx, sizeof *from[i], from[i], learned->found, q->count, out[i] + to->count,
                                q->c->counted));
    BI_TRY(bi_read_back(e->ctx, &added, q->c->counted, sizeof added));
    to->count += added;
    return BOSC_OK;
}

static bosc_status learn(struct questions *q)
{
    const struct bi_ranks_emst *e = q->e;
    struct bi_ranks_emst_learn step = {
        .points = e->points, .best = q->c->best, .nearest = q->nearest, .rows = q->rows, .ids = e->tree->ids.data};
    if (q->count == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(e->ctx, q->count, sizeof *step.words, &step.words));
    BI_TRY(bi_scratch_of(e->ctx, q->count, sizeof *step.ends, &step.ends));
    BI_TRY(bi_scratch_of(e->ctx, q->count, sizeof *step.pairs, &step.pairs));
    BI_TRY(bi_scratch_of(e->ctx, q->count, 1, &step.found));
    BI_TRY(e->steps->emst_learn(e->ctx, q->count, &step));
    return add_edges(q, &step);
}

/* The answers of all shards, one after the other. */
static bosc_status merge(struct questions *q, const struct bi_ranks_deal *deal, const uint64_t *answers)
{
    struct bi_ranks_emst_merge step = {.order = deal->order, .answers = answers, .nearest = q->nearest};
    for (int32_t r = 0; r < deal->x.rank_count; r++) {
        step.first = deal->x.sent_offsets[r];
        BI_TRY(q->e->steps->emst_merge(q->e->ctx, deal->x.sent_offsets[r + 1] - step.first, &step));
    }
    return learn(q);
}

/* ---- the exchange ---- */

static bosc_status ask_dealt(struct questions *q, const struct bi_ranks_deal *deal, bosc_status *local_status)
{
    const struct bi_ranks_emst *e = q->e;
    const int64_t dim = e->tree->opts.dim, count = q->count;
    const size_t size = bosc_dtype_size(e->tree->opts.dtype);
    const struct bi_kdtree_rows points = {q->points, count, dim}, labels = {q->labels, count, 1},
                                bounds = {q->bounds, count, 1};
    struct asked here = {.points = NULL};
    uint64_t *answers = NULL;
    *local_status = take_asked(e, deal->x.received, &here);
    if (*local_status == BOSC_OK) *local_status = bi_scratch_of(e->ctx, deal->x.sent, 2 * sizeof *answers, &answers);
    BI_TRY(bi_ranks_kdtree_send(e->ctx, e->comm, *local_status, deal, &points, dim, size, here.points));
    BI_TRY(bi_ranks_kdtree_send(e->ctx, e->comm, BOSC_OK, deal, &labels, 1, sizeof *here.labels, here.labels));
    BI_TRY(bi_ranks_kdtree_send(e->ctx, e->comm, BOSC_OK, deal, &bounds, 1, dist2_size(e), here.bounds));
    BI_WITH_SCRATCH(e->ctx, *local_status = answer(e, &here));
    BI_TRY(bi_exchange_answers(e->ctx, e->comm, *local_status, &deal->x, 2 * sizeof *answers, here.answers, answers));
    *local_status = merge(q, deal, answers);
    return BOSC_OK;
}

static bosc_status ask(struct questions *q, const uint32_t *shard_labels, bool first, bosc_status *local_status)
{
    const struct bi_ranks_emst *e = q->e;
    struct bi_ranks_kdtree_pairs pairs = {.count = 0};
    struct bi_ranks_deal deal;
    if (*local_status == BOSC_OK) *local_status = write_questions(q, first);
    struct bi_ranks_kdtree_reach reach = bi_ranks_emst_reach_of(e, q->points, q->count);
    reach.dist2 = q->bounds;
    reach.labels = q->labels;
    reach.shard_labels = shard_labels;
    if (*local_status == BOSC_OK) *local_status = bi_ranks_kdtree_find_pairs(e->ctx, &reach, &pairs);
    bosc_status status =
        bi_ranks_kdtree_deal(e->ctx, e->comm, *local_status, pairs.ranks, pairs.queries, pairs.count, &deal);
    if (status == BOSC_OK) status = ask_dealt(q, &deal, local_status);
    bi_exchange_end(e->ctx, &deal.x);
    return status;
}

bosc_status bi_ranks_emst_ask(struct bi_ranks_emst *e, const struct bi_ranks_emst_components *c,
                              const uint32_t *shard_labels, bool first, bosc_status *local_status)
{
    struct questions q = {.e = e, .c = c};
    BI_RETURN_WITH_SCRATCH(e->ctx, ask(&q, shard_labels, first, local_status));
}
