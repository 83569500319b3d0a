/* Boruvka's rounds over ranks with replicated components; points and edges are not replicated. In each round one
 * point per component, the nearest to another shard, queries for its nearest foreign point. The ranks then know an
 * upper bound of each component's shortest edge, and all points that may be as near query. */
#include "base/bits.h"
#include "core/call.h"
#include "ranks/emst/emst.h"

/* ---- components ---- */

enum { RECORD = 3 }; /* words; bi_ranks_record_words(true) */

bosc_status bi_ranks_emst_allocate(const struct bi_ranks_emst *e, int64_t count, int32_t ranks,
                                   struct bi_ranks_emst_components *c)
{
    bosc_ctx *ctx = e->ctx;
    const int64_t padded = bi_div_up(count, ranks) * ranks, edges = 2 * e->n, larger = edges > count ? edges : count;
    *c = (struct bi_ranks_emst_components){.count = count, .ranks = ranks, .each = bi_div_up(count, ranks)};
    BI_TRY(bi_scratch_of(ctx, padded, sizeof *c->best, &c->best));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *c->best_id, &c->best_id));
    BI_TRY(bi_scratch_of(ctx, padded, RECORD * sizeof *c->records, &c->records));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *c->others, &c->others));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *c->is_own, &c->is_own));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *c->parent, &c->parent));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *c->survives, &c->survives));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *c->next, &c->next));
    BI_TRY(bi_scratch_of(ctx, larger, 1, &c->flags));
    return bi_scratch_of(ctx, 1, sizeof *c->counter, &c->counter);
}

static struct bi_ranks_forest_edges edges_of(const struct bi_ranks_emst *e)
{
    return (struct bi_ranks_forest_edges){e->edges.keys, e->edges.ends, e->edges.ids, 0};
}

/* c->best = the length of the shortest of this rank's edges at each component; UINT64_MAX: none. */
static bosc_status find_shortest(const struct bi_ranks_emst *e, struct bi_ranks_emst_components *c)
{
    const struct bi_ranks_forest_choose choose = {edges_of(e), c->best, c->best_id};
    BI_TRY(e->ctx->backend->fill(e->ctx, c->best, 0xff, (size_t)(c->each * c->ranks) * sizeof *c->best));
    return e->steps->forest_min_key(e->ctx, e->edges.count, &choose);
}

bosc_status bi_ranks_emst_record_edges(const struct bi_ranks_emst *e, struct bi_ranks_emst_components *c)
{
    const struct bi_ranks_forest_choose choose = {edges_of(e), c->best, c->best_id};
    const struct bi_ranks_forest_record record = {edges_of(e), c->best, c->best_id, true, c->records};
    const size_t words = (size_t)(c->each * c->ranks) * RECORD;
    BI_TRY(e->ctx->backend->fill(e->ctx, c->records, 0xff, words * sizeof *c->records));
    BI_TRY(e->ctx->backend->fill(e->ctx, c->best_id, 0xff, (size_t)c->count * sizeof *c->best_id));
    BI_TRY(find_shortest(e, c));
    BI_TRY(e->steps->forest_min_id(e->ctx, e->edges.count, &choose));
    return e->steps->forest_write_records(e->ctx, e->edges.count, &record);
}

/* Relabels the components of points and of edges' ends by c->next. Drops edges within a component. */
static bosc_status relabel(struct bi_ranks_emst *e, struct bi_ranks_emst_components *c)
{
    const struct bi_ranks_emst_relabel_points rename = {e->points, c->next};
    BI_TRY(e->steps->emst_relabel_points(e->ctx, e->n, &rename));
    return bi_ranks_forest_relabel_edges(e->ctx, c->next, &e->edges, &e->spare, c->flags, c->counter);
}

bosc_status bi_ranks_emst_reduce_records(const struct bi_ranks_emst *e, bosc_comm *comm,
                                         const struct bi_ranks_emst_components *c, int64_t *counts, void **blocks)
{
    const struct bi_ranks_forest_reduction reduction = {e->ctx,    comm,      c->count, true,  c->records,
                                                        c->others, c->is_own, counts,   blocks};
    return bi_ranks_forest_reduce_records(&reduction);
}

bosc_status bi_ranks_emst_merge_components(struct bi_ranks_emst *e, struct bi_ranks_emst_components *c,
                                           struct bi_ranks_emst_found *found)
{
    const int64_t count = c->count;
    const struct bi_ranks_forest_join join = {c->others, c->is_own, c->parent, c->survives, c->flags, c->is_unfinished};
    const struct bi_ranks_forest_number number = {c->others, c->parent, c->survives, c->next, c->is_unfinished};
    int64_t listed;
    uint32_t last;
    /* 1. Link the components and append the listed edges. 2. Number the roots by a prefix sum. 3. Relabel. */
    BI_TRY(e->steps->forest_join(e->ctx, count, &join));
    BI_TRY(e->core->compact(e->ctx, RECORD * sizeof *c->records, c->records, c->flags, count,
                            found->records + RECORD * found->count, c->counter));
    BI_TRY(bi_read_back(e->ctx, &listed, c->counter, sizeof listed));
    found->count += listed;
    BI_TRY(e->core->scan(e->ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_U32, c->survives, count, c->survives));
    BI_TRY(e->steps->forest_number(e->ctx, count, &number));
    BI_TRY(bi_read_back(e->ctx, &last, c->survives + (count - 1), sizeof last));
    c->count = last;
    c->each = bi_div_up(c->count, c->ranks);
    return relabel(e, c);
}

/* ---- queries between shards ----
 *
 * Points query the shards within their bounds for the nearest points of other components. */

enum query_selection {
    ONE_PER_COMPONENT, /* the point nearest to another shard, by its lower bound */
    ALL_POINTS
};

struct bi_ranks_kdtree_reach bi_ranks_emst_reach_of(const struct bi_ranks_emst *e, const void *rows, int64_t n)
{
    struct bi_ranks_kdtree_reach reach =
        bi_ranks_kdtree_reach_of(e->tree, &(struct bi_kdtree_rows){rows, n, e->tree->opts.dim});
    reach.search = BI_RANKS_OTHER;
    reach.p = e->p;
    reach.own = (uint32_t)e->comm->rank;
    return reach;
}

struct query_batch {
    struct bi_ranks_emst *e;
    const struct bi_ranks_emst_components *c;
    int64_t count;
    uint32_t *rows; /* the querying points */
    void *points, *bounds;
    void *cores; /* core distances; NULL: none */
    uint32_t *labels;
    uint64_t *best_answers; /* two words a query: the best answer */
};

static size_t dist2_size(const struct bi_ranks_emst *e) { return e->single ? sizeof(float) : sizeof(double); }

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

/* Selects the points whose nearest foreign point is unknown and possibly as near as their component's best edge. */
static bosc_status select_rows(struct query_batch *q, enum query_selection selection)
{
    const struct bi_ranks_emst *e = q->e;
    struct bi_ranks_emst_select select = {.points = e->points, .best = q->c->best};
    if (selection == ONE_PER_COMPONENT) BI_TRY(find_first_open(q, &select));
    BI_TRY(bi_scratch_of(e->ctx, e->n, 1, &select.is_query));
    BI_TRY(e->steps->emst_mark_queries(e->ctx, e->n, &select));
    BI_TRY(e->core->compact(e->ctx, sizeof *q->rows, e->all, select.is_query, e->n, q->rows, q->c->counter));
    return bi_read_back(e->ctx, &q->count, q->c->counter, sizeof q->count);
}

/* Writes the queries: coordinates, component, bound. */
static bosc_status write_queries(struct query_batch *q, enum query_selection selection)
{
    const struct bi_ranks_emst *e = q->e;
    const int64_t dim = e->tree->opts.dim;
    const size_t size = bosc_dtype_size(e->tree->opts.dtype);
    BI_TRY(bi_scratch_of(e->ctx, e->n, sizeof *q->rows, &q->rows));
    BI_TRY_WITH_SCRATCH(e->ctx, select_rows(q, selection));
    BI_TRY(bi_scratch_of(e->ctx, q->count * dim, size, &q->points));
    BI_TRY(bi_scratch_of(e->ctx, q->count, sizeof *q->labels, &q->labels));
    BI_TRY(bi_scratch_of(e->ctx, q->count, dist2_size(e), &q->bounds));
    if (e->cores) BI_TRY(bi_scratch_of(e->ctx, q->count, dist2_size(e), &q->cores));
    BI_TRY(bi_scratch_of(e->ctx, q->count, 2 * sizeof *q->best_answers, &q->best_answers));
    const struct bi_ranks_kdtree_rows gather = {e->rows, q->points, q->rows, dim, dim, 0, size == 8};
    const struct bi_ranks_emst_queries write = {e->points, q->c->best, q->rows,  e->single,
                                                q->labels, q->bounds,  e->cores, q->cores};
    BI_TRY(e->ctx->backend->fill(e->ctx, q->best_answers, 0xff, (size_t)q->count * 2 * sizeof *q->best_answers));
    BI_TRY(e->steps->kdtree_gather(e->ctx, q->count * dim, &gather));
    return e->steps->emst_write_queries(e->ctx, q->count, &write);
}

struct received_batch {
    struct bi_kdtree_labelled_queries queries;
    void *points, *bounds, *cores;
    uint32_t *labels;
    uint64_t *answers;
};

static bosc_status allocate_received(const struct bi_ranks_emst *e, int64_t count, struct received_batch *a)
{
    const bosc_kdtree_opts *o = &e->tree->opts;
    BI_TRY(bi_scratch_of(e->ctx, count * o->dim, bosc_dtype_size(o->dtype), &a->points));
    BI_TRY(bi_scratch_of(e->ctx, count, sizeof *a->labels, &a->labels));
    BI_TRY(bi_scratch_of(e->ctx, count, dist2_size(e), &a->bounds));
    if (e->cores) BI_TRY(bi_scratch_of(e->ctx, count, dist2_size(e), &a->cores));
    BI_TRY(bi_scratch_of(e->ctx, count, 2 * sizeof *a->answers, &a->answers));
    a->queries = (struct bi_kdtree_labelled_queries){{a->points, count, o->dim}, a->labels, a->bounds, a->cores};
    return BOSC_OK;
}

/* On the queried rank: finds the nearest point of another component for each query. */
static bosc_status answer_queries(struct bi_ranks_emst *e, const struct received_batch *a)
{
    const int64_t count = a->queries.rows.n;
    struct bi_ranks_emst_answers step = {
        .single = e->single, .ids = e->tree->ids.data, .labels = e->points.label, .answers = a->answers};
    uint32_t *rows;
    void *dist2;
    if (count == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(e->ctx, count, sizeof *rows, &rows));
    BI_TRY(bi_scratch_of(e->ctx, count, dist2_size(e), &dist2));
    BI_TRY(bi_kdtree_label_blocks(e->ctx, &e->order, e->points.label, &e->blocks));
    BI_TRY(bi_kdtree_query_other_label(e->ctx, &e->order, &e->blocks, &a->queries, rows, dist2));
    step.rows = rows;
    step.dist2 = dist2;
    return e->steps->emst_write_answers(e->ctx, count, &step);
}

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

/* Stores the answers' bounds and labels at their points, and adds the edges. */
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

static bosc_status exchange_queries(struct query_batch *q, const struct bi_ranks_scatter *scatter,
                                    bosc_status *local_status)
{
    struct bi_ranks_emst *e = q->e;
    const int64_t dim = e->tree->opts.dim, count = q->count;
    const size_t size = bosc_dtype_size(e->tree->opts.dtype);
    const struct bi_kdtree_rows points = {q->points, count, dim}, labels = {q->labels, count, 1},
                                bounds = {q->bounds, count, 1}, cores = {q->cores, count, 1};
    struct received_batch here = {.points = NULL};
    uint64_t *answers = NULL;
    /* 1. Exchange the queries. 2. Answer them. 3. Return the answers and merge them. */
    *local_status = allocate_received(e, scatter->x.received, &here);
    BI_IF_OK(*local_status, bi_scratch_of(e->ctx, scatter->x.sent, 2 * sizeof *answers, &answers));
    BI_TRY(bi_ranks_kdtree_scatter_rows(e->ctx, e->comm, *local_status, scatter, &points, dim, size, here.points));
    BI_TRY(
        bi_ranks_kdtree_scatter_rows(e->ctx, e->comm, BOSC_OK, scatter, &labels, 1, sizeof *here.labels, here.labels));
    BI_TRY(bi_ranks_kdtree_scatter_rows(e->ctx, e->comm, BOSC_OK, scatter, &bounds, 1, dist2_size(e), here.bounds));
    if (e->min_samples)
        BI_TRY(bi_ranks_kdtree_scatter_rows(e->ctx, e->comm, BOSC_OK, scatter, &cores, 1, dist2_size(e), here.cores));
    BI_WITH_SCRATCH(e->ctx, *local_status = answer_queries(e, &here));
    BI_TRY(
        bi_exchange_replies(e->ctx, e->comm, *local_status, &scatter->x, 2 * sizeof *answers, here.answers, answers));
    *local_status = merge_answers(q, scatter, answers);
    return BOSC_OK;
}

/* Selects and sends the queries. Each goes to all shards with a box within its bound. */
static bosc_status query_shards(struct query_batch *q, const uint32_t *shard_labels, enum query_selection selection,
                                bosc_status *local_status)
{
    const struct bi_ranks_emst *e = q->e;
    struct bi_ranks_kdtree_pairs pairs = {.count = 0};
    struct bi_ranks_scatter scatter;
    BI_IF_OK(*local_status, write_queries(q, selection));
    struct bi_ranks_kdtree_reach reach = bi_ranks_emst_reach_of(e, q->points, q->count);
    reach.dist2 = q->bounds;
    reach.labels = q->labels;
    reach.shard_labels = shard_labels;
    BI_IF_OK(*local_status, bi_ranks_kdtree_find_pairs(e->ctx, &reach, &pairs));
    bosc_status status = bi_ranks_kdtree_begin_scatter(e->ctx, e->comm, *local_status, pairs.ranks, pairs.queries,
                                                       pairs.count, &scatter);
    BI_IF_OK(status, exchange_queries(q, &scatter, local_status));
    bi_exchange_end(e->ctx, &scatter.x);
    return status;
}

/* Queries other shards for nearest foreign points. shard_labels: by rank, the one component of its points, or
 * BI_FOREST_NONE. Edges found are added to this rank's. *local_status: this rank's own status, before and after. */
static bosc_status query_other_shards(struct bi_ranks_emst *e, const struct bi_ranks_emst_components *c,
                                      const uint32_t *shard_labels, enum query_selection selection,
                                      bosc_status *local_status)
{
    struct query_batch q = {.e = e, .c = c};
    BI_RETURN_WITH_SCRATCH(e->ctx, query_shards(&q, shard_labels, selection, local_status));
}

/* ---- rounds ---- */

struct round_state {
    struct bi_ranks_emst *e;
    struct bi_ranks_emst_components c;
    uint32_t *shard_labels; /* by rank: the one component of its points, or BI_FOREST_NONE */
    uint32_t *label_range;  /* two: the least and the greatest label of this rank's points */
    int64_t *offsets;       /* (ranks + 1), host; then (3, ranks) pointers */
};

/* Exchanges items of `size` bytes, `each` for each rank. */
static bosc_status exchange_items(const struct round_state *s, size_t size, const void *sent, void *received)
{
    for (int64_t r = 0; r <= s->c.ranks; r++) s->offsets[r] = r * s->c.each * (int64_t)size;
    return bi_comm_all_to_all(s->e->ctx, s->e->comm, false, sent, s->offsets, received, s->offsets);
}

/* Reduces c.best to the minima over ranks. *local_status: this rank's own status; all ranks continue. */
static bosc_status reduce_lengths(struct round_state *s, bosc_status *local_status)
{
    const struct bi_ranks_emst *e = s->e;
    struct bi_ranks_emst_components *c = &s->c;
    uint64_t *received = c->records, *lengths = c->records + c->each * c->ranks; /* three words a component */
    const struct bi_ranks_emst_min_words least = {received, c->each, (int32_t)c->ranks, lengths};
    BI_TRY(bi_comm_agree(e->ctx, e->comm, *local_status));
    *local_status = exchange_items(s, sizeof *c->best, c->best, received);
    BI_IF_OK(*local_status, e->steps->emst_min_words(e->ctx, c->each, &least));
    BI_TRY(bi_comm_agree(e->ctx, e->comm, *local_status));
    *local_status = exchange_items(s, sizeof *c->best, lengths, c->best);
    return BOSC_OK;
}

/* *label = the component of all of this rank's points, if they are in one. */
static bosc_status find_shard_label(const struct round_state *s, uint32_t *label)
{
    const struct bi_ranks_emst *e = s->e;
    uint32_t range[2];
    *label = BI_FOREST_NONE;
    if (e->n == 0) return BOSC_OK;
    BI_TRY_WITH_SCRATCH(e->ctx, e->core->reduce(e->ctx, BOSC_MIN, BOSC_U32, e->points.label, e->n, s->label_range));
    BI_TRY_WITH_SCRATCH(e->ctx, e->core->reduce(e->ctx, BOSC_MAX, BOSC_U32, e->points.label, e->n, s->label_range + 1));
    BI_TRY(bi_read_back(e->ctx, range, s->label_range, sizeof range));
    if (range[0] == range[1]) *label = range[0];
    return BOSC_OK;
}

/* s->shard_labels = the labels found on all ranks. */
static bosc_status gather_shard_labels(const struct round_state *s, bosc_status *local_status)
{
    const struct bi_ranks_emst *e = s->e;
    uint32_t label = BI_FOREST_NONE;
    BI_IF_OK(*local_status, find_shard_label(s, &label));
    BI_TRY(bi_comm_agree(e->ctx, e->comm, *local_status));
    BI_TRY(bi_comm_all_gather(e->ctx, e->comm, &label, sizeof label, e->comm->gather));
    *local_status = e->ctx->backend->copy(e->ctx, s->shard_labels, e->comm->gather, (size_t)s->c.ranks * sizeof label);
    BI_IF_OK(*local_status, e->ctx->backend->sync(e->ctx));
    return BOSC_OK;
}

/* Finds a round's edges, as far as any component needs them. */
static bosc_status find_edges(struct round_state *s, bosc_status *local_status)
{
    BI_TRY(gather_shard_labels(s, local_status));
    BI_IF_OK(*local_status, find_shortest(s->e, &s->c));
    /* 1. One point per component queries: this bounds the shortest edge of every component. */
    BI_TRY(query_other_shards(s->e, &s->c, s->shard_labels, ONE_PER_COMPONENT, local_status));
    BI_IF_OK(*local_status, find_shortest(s->e, &s->c));
    /* 2. With the bounds of all ranks, all points within their bound query. */
    BI_TRY(reduce_lengths(s, local_status));
    return query_other_shards(s->e, &s->c, s->shard_labels, ALL_POINTS, local_status);
}

/* Reduces the records of all ranks, and contracts the components. *local_status: as above. */
static bosc_status contract_components(struct round_state *s, bosc_status *local_status,
                                       struct bi_ranks_emst_found *found)
{
    const struct bi_ranks_emst *e = s->e;
    BI_IF_OK(*local_status, bi_ranks_emst_record_edges(e, &s->c));
    BI_TRY(bi_comm_agree(e->ctx, e->comm, *local_status));
    BI_TRY(bi_ranks_emst_reduce_records(e, e->comm, &s->c, s->offsets, (void **)(s->offsets + s->c.ranks + 1)));
    *local_status = bi_ranks_emst_merge_components(s->e, &s->c, found);
    return BOSC_OK;
}

/* A tree of all points has one component left. */
static bosc_status run_rounds(struct round_state *s, bosc_status local_status, struct bi_ranks_emst_found *found)
{
    for (;;) {
        BI_TRY(bi_comm_agree(s->e->ctx, s->e->comm, local_status));
        if (s->c.count == 1) return BOSC_OK;
        BI_TRY(find_edges(s, &local_status));
        BI_TRY(contract_components(s, &local_status, found));
    }
}

/* Allocates the components of all ranks. This rank's are numbered from `first` on. */
static bosc_status init_rounds(struct round_state *s, int64_t components, int64_t first, int64_t count)
{
    const struct bi_ranks_emst *e = s->e;
    struct bi_ranks_number_from number = {.first = (uint32_t)first};
    BI_TRY(bi_scratch_of(e->ctx, e->comm->rank_count, sizeof *s->shard_labels, &s->shard_labels));
    BI_TRY(bi_scratch_of(e->ctx, 2, sizeof *s->label_range, &s->label_range));
    BI_TRY(bi_ranks_emst_allocate(e, components, e->comm->rank_count, &s->c));
    number.out = s->c.next;
    BI_TRY(e->steps->number_from(e->ctx, count, &number));
    return relabel(s->e, &s->c);
}

/* Makes the blocks of this rank's shard. */
static bosc_status make_blocks(struct bi_ranks_emst *e)
{
    if (e->n == 0) return BOSC_OK;
    BI_TRY(bi_kdtree_order_nodes(e->ctx, e->tree->shard, &e->order));
    BI_TRY(bi_kdtree_make_labelled_blocks(e->ctx, &e->order, &e->blocks));
    e->blocks.p = e->p;
    return e->min_samples ? bi_kdtree_set_cores(e->ctx, &e->order, e->cores, &e->blocks) : BOSC_OK;
}

bosc_status bi_ranks_emst_run_rounds(struct bi_ranks_emst *e, bosc_status local_status, int64_t count,
                                     struct bi_ranks_emst_found *found)
{
    const int32_t ranks = e->comm->rank_count;
    const size_t bytes = (size_t)(ranks + 1) * sizeof(int64_t) + 3 * (size_t)ranks * sizeof(void *),
                 record = RECORD * sizeof *found->records;
    struct round_state s = {.e = e};
    int64_t first, components;
    *found = (struct bi_ranks_emst_found){.count = 0};
    BI_TRY(bi_comm_offset(e->ctx, e->comm, local_status, count, &first, &components));
    local_status = bi_scratch_of(e->ctx, components, record, &found->records);
    if (local_status == BOSC_OK && !(s.offsets = bi_host_alloc(e->ctx, bytes))) local_status = BOSC_ERR_NOMEM;
    const struct bi_mark mark = bi_arena_mark(e->ctx);
    BI_IF_OK(local_status, init_rounds(&s, components, first, count));
    BI_IF_OK(local_status, make_blocks(e));
    const bosc_status status = run_rounds(&s, local_status, found);
    if (status != BOSC_OK) (void)e->ctx->backend->sync(e->ctx); /* queued copies may read the list of blocks */
    bi_arena_rewind(e->ctx, mark);
    bi_memory_release(&e->ctx->host, s.offsets, bytes);
    return status;
}
