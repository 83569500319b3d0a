/* Euclidean minimum spanning trees over ranks. Points go to the shards of a k-d tree. Each rank computes the tree of
 * its shard and contracts it by the edges that no foreign edge can beat. Boruvka's rounds over the components of all
 * ranks find the remaining edges. The list of edges is sorted and distributed. */
#include "core/call.h"
#include "ranks/emst/emst.h"
#include "ranks/prims/sort.h"

/* ---- a rank's own work ----
 *
 * The spanning tree of its shard, since any other edge between its points is the longest of a cycle, and contraction by
 * edges shorter than all that may lead to other ranks. */

/* Allocates an empty list with room for `room` edges. */
static bosc_status allocate_edges(bosc_ctx *ctx, int64_t room, struct bi_ranks_list *list)
{
    BI_TRY(bi_ranks_forest_allocate_list(ctx, room, true, list));
    list->count = 0;
    return BOSC_OK;
}

static bosc_status allocate_arrays(struct bi_ranks_emst *e)
{
    bosc_ctx *ctx = e->ctx;
    const bosc_kdtree_opts *o = &e->tree->opts;
    BI_TRY(bi_scratch_of(ctx, e->n * o->dim, bosc_dtype_size(o->dtype), &e->rows));
    BI_TRY(bi_scratch_of(ctx, e->n, sizeof *e->all, &e->all));
    if (e->min_samples) BI_TRY(bi_scratch_of(ctx, e->n, e->single ? sizeof(float) : sizeof(double), &e->cores));
    BI_TRY(bi_scratch_of(ctx, e->n, sizeof *e->points.label, &e->points.label));
    BI_TRY(bi_scratch_of(ctx, e->n, sizeof *e->points.nearest_label, &e->points.nearest_label));
    BI_TRY(bi_scratch_of(ctx, e->n, sizeof *e->points.lower_bound, &e->points.lower_bound));
    BI_TRY(bi_scratch_of(ctx, e->n, 3 * sizeof *e->found.records, &e->found.records));
    BI_TRY(allocate_edges(ctx, 2 * e->n, &e->edges));
    return allocate_edges(ctx, 2 * e->n, &e->spare);
}

/* Bounds each point's distance to other shards, and computes the tree of the shard, as edges between points. */
static bosc_status compute_shard_tree(struct bi_ranks_emst *e)
{
    const struct bi_ranks_emst_init init = {bi_ranks_emst_reach_of(e, e->rows, e->n), e->points, e->single, e->cores};
    const struct bi_emst_lengths lengths = {.is_64bit = !e->single, .p = e->p, .has_cores = e->cores != NULL};
    const struct bi_ranks_emst_pair_ids pair_ids = {e->edges.ends, e->tree->ids.data, e->edges.ids};
    BI_TRY(e->steps->emst_init(e->ctx, e->n, &init));
    if (e->min_samples)
        BI_TRY(bi_emst_of_tree_mutual(e->ctx, e->tree->shard, e->n, e->min_samples, lengths, e->cores, e->edges.ends,
                                      e->edges.keys));
    else
        BI_TRY(bi_emst_of_tree(e->ctx, e->tree->shard, e->n, lengths, e->edges.ends, e->edges.keys));
    e->edges.count = e->n - 1;
    return e->steps->emst_pair_ids(e->ctx, e->edges.count, &pair_ids);
}

/* Runs Boruvka's rounds while some component's shortest edge is shorter than all that may lead to other ranks. blocks:
 * three, which last until queued work is done. */
static bosc_status contract_rounds(struct bi_ranks_emst *e, void **blocks, int64_t *count)
{
    struct bi_ranks_emst_components c;
    struct bi_ranks_emst_min_bounds min_bounds = {e->points, NULL};
    int64_t previous = 0;
    BI_TRY(bi_ranks_emst_allocate(e, e->n, 1, &c));
    BI_TRY(bi_scratch_of(e->ctx, e->n, sizeof *min_bounds.least_bound, &min_bounds.least_bound));
    const struct bi_ranks_emst_withhold withhold = {c.records, min_bounds.least_bound};
    c.is_unfinished = true;
    while (c.count != previous) { /* the last round contracts nothing */
        previous = c.count;
        BI_TRY(bi_ranks_emst_record_edges(e, &c));
        BI_TRY(e->ctx->backend->fill(e->ctx, min_bounds.least_bound, 0xff,
                                     (size_t)c.count * sizeof *min_bounds.least_bound));
        BI_TRY(e->steps->emst_min_bounds(e->ctx, e->n, &min_bounds));
        BI_TRY(e->steps->emst_withhold(e->ctx, c.count, &withhold));
        BI_TRY(bi_ranks_emst_reduce_records(e, NULL, &c, NULL, blocks));
        BI_TRY(bi_ranks_emst_merge_components(e, &c, &e->found));
    }
    *count = c.count;
    return BOSC_OK;
}

/* Allocates the arrays, and fetches this rank's points in the order of their ids. */
static bosc_status fetch_points(struct bi_ranks_emst *e)
{
    BI_TRY(allocate_arrays(e));
    BI_TRY(e->ctx->backend->core->iota(e->ctx, sizeof *e->all, e->all, e->n));
    return bi_ranks_kdtree_fetch_rows(e->ctx, e->tree, e->rows);
}

/* Computes the tree of the shard, contracted by all edges that no foreign edge can beat. *count: the remaining
 * components. */
static bosc_status contract_shard(struct bi_ranks_emst *e, int64_t *count)
{
    void *blocks[3];
    bosc_status status;
    *count = 0;
    if (e->n == 0) return BOSC_OK;
    BI_TRY(compute_shard_tree(e));
    BI_WITH_SCRATCH(e->ctx, status = contract_rounds(e, blocks, count));
    if (status != BOSC_OK) (void)e->ctx->backend->sync(e->ctx); /* queued copies may read the blocks */
    return status;
}

/* ---- core distances ---- */

/* Lists the points whose core distances need a search; rows of many copies have 0. */
static bosc_status list_core_rows(const struct bi_ranks_emst *e, uint32_t **rows, void **points, int64_t *count)
{
    const int64_t dim = e->tree->opts.dim;
    const size_t size = bosc_dtype_size(e->tree->opts.dtype);
    if (e->n == 0) return BOSC_OK;
    BI_TRY(bi_emst_list_core_rows(e->ctx, e->tree->shard, e->min_samples, rows, count));
    if (!*rows) return BOSC_OK;
    BI_TRY(bi_scratch_of(e->ctx, *count * dim, size, points));
    const struct bi_ranks_kdtree_rows gather = {e->rows, *points, *rows, dim, dim, 0, size == 8};
    BI_TRY(e->ctx->backend->fill(e->ctx, e->cores, 0, (size_t)e->n * (e->single ? sizeof(float) : sizeof(double))));
    return e->steps->kdtree_gather(e->ctx, *count * dim, &gather);
}

/* Finds the core distances of this rank's points, by searches of all shards. */
static bosc_status find_cores(const struct bi_ranks_emst *e, bosc_status local_status)
{
    bosc_ctx *ctx = e->ctx;
    struct bi_ranks_emst_cores cores = {.k = e->min_samples, .single = e->single, .core = e->cores};
    int64_t count = e->n;
    void *points = e->rows, *dist2 = NULL;
    uint32_t *rows = NULL, *ids = NULL;
    /* 1. List the queries. */
    BI_IF_OK(local_status, list_core_rows(e, &rows, &points, &count));
    BI_IF_OK(local_status, bi_scratch_of(ctx, count, (size_t)cores.k * sizeof *ids, &ids));
    BI_IF_OK(local_status, bi_scratch_of(ctx, count, (size_t)cores.k * (e->single ? 4 : 8), &dist2));
    BI_TRY(bi_comm_agree(ctx, e->comm, local_status));
    /* 2. Search, and store the last distances. */
    const bosc_status status = bi_ranks_kdtree_knn_order(ctx, e->tree, points, count, cores.k, e->p, ids, dist2);
    if (status == BOSC_ERR_LIMIT && e->p > 0)
        return bi_fail(ctx, status, "points: a distance is more than a double holds"); /* the caller has no tree */
    BI_TRY(status);
    cores.rows = rows;
    cores.dist2 = dist2;
    return bi_comm_agree(ctx, e->comm, e->steps->emst_store_cores(ctx, count, &cores));
}

/* ---- the list of edges ---- */

struct emst {
    struct bi_ranks_emst local;
    struct bi_ranks_emst_found shared; /* edges of the rounds that this rank lists */
    bosc_emst_opts opts;
    double order;       /* 0: lengths are squared, of order 2 */
    const void *points; /* of this rank's slice; of an order: doubles, once converted */
    int64_t n, stride;
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
    if (e->p > 0) BI_TRY_WITH_SCRATCH(e->ctx, bi_emst_refuse_infinite(e->ctx, found->words, found->count));
    BI_RETURN_WITH_SCRATCH(e->ctx, sort_list(e->ctx, found));
}

/* ---- distribution of the edges ---- */

static bosc_status write_outputs(struct emst *s, const struct edge_list *list)
{
    bosc_ctx *ctx = s->local.ctx;
    struct bi_emst_outputs out;
    bosc_status local_status = bi_emst_stage(ctx, &s->opts, s->pairs, s->dist2, list->count, &out);
    out.roots = s->order == 2;
    if (local_status == BOSC_OK) BI_WITH_SCRATCH(ctx, local_status = sort_list(ctx, list));
    BI_TRY(bi_comm_agree(ctx, s->local.comm, local_status));
    s->count = list->count;
    return bi_comm_agree(ctx, s->local.comm, bi_emst_store(ctx, list->pairs, list->words, list->count, &out));
}

/* Sends counts[r] edges of the sorted list to each rank r; every rank sorts and writes those it receives. */
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
    BI_IF_OK(status, bi_exchange_items(ctx, comm, BOSC_OK, &x, sizeof *list.words, found->words, list.words));
    BI_IF_OK(status, write_outputs(s, &list));
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
        for (int32_t r = 0; r <= ranks; r++) /* the edges are one fewer than the points */
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
    bosc_status local_status = fetch_points(&s->local);
    if (s->local.min_samples) {
        BI_TRY_WITH_SCRATCH(s->local.ctx, find_cores(&s->local, local_status));
        local_status = BOSC_OK; /* that of all ranks */
    }
    BI_IF_OK(local_status, contract_shard(&s->local, &components));
    BI_TRY(bi_ranks_emst_run_rounds(&s->local, local_status, components, &s->shared));
    return distribute_list(s);
}

/* Builds the k-d tree of all points. Fewer than 2 points have no edges. */
static bosc_status build_and_span(struct emst *s, bosc_ranks_kdtree *tree)
{
    struct bi_ranks_emst *e = &s->local;
    BI_TRY(bosc_ranks_kdtree_build(e->ctx, tree, s->points, s->n, s->stride));
    if (e->min_samples) BI_TRY(bi_emst_check_min_samples(e->ctx, e->min_samples, tree->n)); /* alike on all ranks */
    if (tree->n < 2) return BOSC_OK;
    e->tree = tree;
    e->n = tree->end - tree->begin;
    BI_RETURN_WITH_SCRATCH(e->ctx, compute_tree(s));
}

/* Converts the points to doubles, in scratch. */
static bosc_status convert_points(struct emst *s)
{
    const struct bi_ranks_emst *e = &s->local;
    const double *converted = NULL;
    bosc_status local_status = BOSC_OK;
    int64_t first;
    BI_TRY(bi_comm_offset(e->ctx, e->comm, BOSC_OK, s->n, &first, NULL));
    if (s->n > 0) local_status = bi_emst_convert_rows(e->ctx, s->points, s->n, s->stride, &s->opts, first, &converted);
    BI_TRY(bi_comm_agree(e->ctx, e->comm, local_status));
    s->points = converted;
    s->stride = 0;
    s->opts.dtype = BOSC_F64;
    return BOSC_OK;
}

static bosc_status span_points(struct emst *s)
{
    bosc_ctx *ctx = s->local.ctx;
    bosc_ranks_kdtree *tree;
    if (s->order > 0) BI_TRY(convert_points(s));
    s->local.single = s->opts.dtype == BOSC_F32;
    const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = s->opts.dtype, .dim = s->opts.dim, .id_bits = 32};
    BI_TRY(bosc_ranks_kdtree_create(ctx, s->local.comm, &opts, &tree));
    const bosc_status status = build_and_span(s, tree);
    bosc_ranks_kdtree_free(tree);
    return status;
}

static bosc_status compute_over_ranks(struct emst *s) { BI_RETURN_WITH_SCRATCH(s->local.ctx, span_points(s)); }

static bosc_status check(struct emst *s, const bosc_emst_opts *opts)
{
    bosc_ctx *ctx = s->local.ctx;
    BI_TRY(bi_emst_check_opts(ctx, opts, &s->opts));
    return bi_emst_check_arrays(ctx, &s->opts, s->n, s->n, s->pairs, s->dist2);
}

/* The same for lengths of an order. */
static bosc_status check_order(struct emst *s, const bosc_emst_opts *opts, double p)
{
    bosc_ctx *ctx = s->local.ctx;
    BI_TRY(bi_emst_check_opts(ctx, opts, &s->opts));
    BI_TRY(bi_emst_check_order(ctx, p));
    BI_TRY(bi_emst_check_arrays(ctx, &s->opts, s->n, s->n, s->pairs, NULL));
    BI_TRY(bi_check_aligned(ctx, "lengths", s->dist2, sizeof(double)));
    if (s->local.min_samples != 0) BI_TRY(bi_emst_check_min_samples(ctx, s->local.min_samples, 0));
    return bi_emst_check_rows(ctx, &s->opts, s->points, s->n, s->stride);
}

static bosc_status compare_options(struct emst *s, bosc_status local_status)
{
    const struct bi_ranks_argument shared[] = {{"opts: dtype", s->opts.dtype},
                                               {"opts: dim", s->opts.dim},
                                               {"opts: id_bits", s->opts.id_bits},
                                               {"min_samples", s->local.min_samples}};
    BI_TRY(bi_ranks_check_same(s->local.ctx, s->local.comm, local_status, shared, 4));
    return s->order > 0 ? bi_ranks_check_same_number(s->local.ctx, s->local.comm, BOSC_OK, "p", s->order) : BOSC_OK;
}

/* Computes the tree of one rank. */
static bosc_status compute_alone(struct emst *s)
{
    const int64_t samples = s->local.min_samples;
    if (s->order > 0)
        return bosc_emst_compute_minkowski(s->local.ctx, s->points, s->n, s->stride, &s->opts, s->order, samples,
                                           s->pairs, s->dist2, NULL);
    if (samples)
        return bosc_emst_compute_mutual(s->local.ctx, s->points, s->n, s->stride, &s->opts, samples, s->pairs, s->dist2,
                                        NULL);
    return bosc_emst_compute(s->local.ctx, s->points, s->n, s->stride, &s->opts, s->pairs, s->dist2);
}

/* Compares the arguments of all ranks, and computes the tree. */
static bosc_status compute(struct emst *s, bosc_status local_status, int64_t *count)
{
    bosc_ctx *ctx = s->local.ctx;
    const bool is_alone = s->local.comm->rank_count == 1;
    BI_TRY(compare_options(s, local_status));
    s->local.steps = ctx->ops->ranks->steps;
    s->local.core = ctx->backend->core;
    s->local.p = s->order == 2 ? 0 : s->order;
    bi_progress_set_total(ctx, (s->local.min_samples ? 700 : 600) * (double)s->n);
    if (is_alone) s->count = s->n > 0 ? s->n - 1 : 0;
    BI_TRY((is_alone ? compute_alone : compute_over_ranks)(s));
    if (count) *count = s->count;
    return BOSC_OK;
}

bosc_status bosc_ranks_emst_compute(bosc_ctx *ctx, bosc_comm *comm, const void *points, int64_t n, int64_t stride,
                                    const bosc_emst_opts *opts, void *pairs, void *dist2, int64_t *count)
{
    struct emst s = {.local = {.ctx = ctx, .comm = comm},
                     .points = points,
                     .n = n,
                     .stride = stride,
                     .pairs = pairs,
                     .dist2 = dist2};
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    return compute(&s, check(&s, opts), count);
}

bosc_status bosc_ranks_emst_compute_mutual(bosc_ctx *ctx, bosc_comm *comm, const void *points, int64_t n,
                                           int64_t stride, const bosc_emst_opts *opts, int64_t min_samples, void *pairs,
                                           void *dist2, int64_t *count)
{
    struct emst s = {.local = {.ctx = ctx, .comm = comm, .min_samples = min_samples},
                     .points = points,
                     .n = n,
                     .stride = stride,
                     .pairs = pairs,
                     .dist2 = dist2};
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    bosc_status local_status = check(&s, opts);
    BI_IF_OK(local_status, bi_emst_check_min_samples(ctx, min_samples, 0));
    return compute(&s, local_status, count);
}

bosc_status bosc_ranks_emst_compute_minkowski(bosc_ctx *ctx, bosc_comm *comm, const void *points, int64_t n,
                                              int64_t stride, const bosc_emst_opts *opts, double p, int64_t min_samples,
                                              void *pairs, double *lengths, int64_t *count)
{
    struct emst s = {.local = {.ctx = ctx, .comm = comm, .min_samples = min_samples},
                     .order = p,
                     .points = points,
                     .n = n,
                     .stride = stride,
                     .pairs = pairs,
                     .dist2 = lengths};
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    return compute(&s, check_order(&s, opts, p), count);
}
