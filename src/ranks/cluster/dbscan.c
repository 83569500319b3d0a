/* DBSCAN over ranks. Points go to the shards of a k-d tree. Each rank receives its halo, the points of other shards
 * within eps of its own, and clusters its points and halo by the parts of bosc_dbscan_compute: the counts of its own
 * points are complete, and core flags of the halo come from their ranks. Every pair of core points within eps is then
 * united on some rank. The ranks number the clusters together (sets.c), label their own points, and return the labels
 * to the rows. */
#include <boscage/ranks/cluster.h>

#include "ranks/cluster/cluster.h"
#include "ranks/exchange/slices.h"

/* Progress weight of the call, by row; estimated. */
enum { DBSCAN_ITEMS = 600 };

/* --- The halo ----------------------------------------------------------------------------------------------------- */

/* Finds the range of this shard's coordinates. An ordinary shard may be so as all of its coordinates are 0. */
static bosc_status find_magnitude(const struct bi_ranks_dbscan *s, int32_t *small, int32_t *large, int32_t *zero)
{
    const int64_t dim = s->tree->opts.dim;
    struct bi_ranks_kdtree_reach reach = bi_ranks_kdtree_reach_of(s->tree, &(struct bi_kdtree_rows){NULL, 0, dim});
    uint64_t *box;
    BI_TRY(bi_host_scratch(s->ctx, 2 * (size_t)dim * sizeof *box, (void **)&box));
    BI_TRY(bi_read_back(s->ctx, box, bi_ranks_kdtree_box_of(&reach, (uint32_t)s->comm->rank),
                        2 * (size_t)dim * sizeof *box));
    *small = s->tree->shard->magnitude == BI_KDTREE_SMALL;
    *large = s->tree->shard->magnitude == BI_KDTREE_LARGE;
    *zero = 1;
    for (int64_t i = 0; i < 2 * dim; i++) *zero &= bi_ranks_number_of_key(box[i], s->tree->opts.dtype) == 0;
    return BOSC_OK;
}

/* Finds the least id of an own row outside the periods; INT64_MAX: none. */
static bosc_status find_outside(const struct bi_ranks_dbscan *s, const void *rows, int64_t *outside)
{
    bosc_ctx *ctx = s->ctx;
    static const int64_t none = INT64_MAX; /* read by a queued copy */
    const bosc_kdtree_opts *o = &s->tree->opts;
    bool staged = false;
    const void *periods;
    struct bi_ranks_cluster_outside step = {.rows = {rows, s->own, o->dim}, .dtype = o->dtype, .dim = o->dim};
    BI_TRY(bi_stage_in(ctx, s->call.opts.periods, (size_t)o->dim * sizeof(double), &periods, &staged));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *step.bad, &step.bad));
    BI_TRY(ctx->backend->copy(ctx, step.bad, &none, sizeof none));
    step.periods = periods;
    step.ids = s->tree->ids.data;
    BI_TRY(s->steps->cluster_outside(ctx, s->own, &step));
    return bi_read_back(ctx, outside, step.bad, sizeof *outside);
}

/* Checks the points of all ranks: those outside the periods, and their magnitude. */
static bosc_status check_points(struct bi_ranks_dbscan *s, const void *rows, bosc_status local_status)
{
    struct facts {
        int64_t outside;
        int32_t small, large, zero;
    } own = {INT64_MAX, 0, 0, 1};
    const struct facts *all = s->comm->gather;
    bool small = false, zero_or_small = true, large = false;
    int64_t outside = INT64_MAX;
    if (s->own > 0) BI_IF_OK(local_status, find_magnitude(s, &own.small, &own.large, &own.zero));
    if (s->own > 0 && s->call.opts.periods) BI_IF_OK(local_status, find_outside(s, rows, &own.outside));
    BI_TRY(bi_comm_agree(s->ctx, s->comm, local_status));
    BI_TRY(bi_comm_all_gather(s->ctx, s->comm, &own, sizeof own, s->comm->gather));
    for (int32_t r = 0; r < s->comm->rank_count; r++) {
        small |= all[r].small;
        large |= all[r].large;
        zero_or_small &= all[r].small || all[r].zero;
        outside = all[r].outside < outside ? all[r].outside : outside;
    }
    s->ordinary = !large && !(small && zero_or_small);
    if (outside == INT64_MAX) return BOSC_OK;
    return bi_fail(s->ctx, BOSC_ERR_DATA, "points: row %lld is outside the periodic box", (long long)outside);
}

/* Lists the pairs of an own row and a rank into whose halo it goes. */
static bosc_status find_halo(const struct bi_ranks_dbscan *s, const void *rows, struct bi_ranks_kdtree_pairs *pairs)
{
    bosc_ctx *ctx = s->ctx;
    const struct bi_kdtree_rows own = {rows, s->own, s->tree->opts.dim};
    struct bi_ranks_cluster_reach reach = {.shards = bi_ranks_kdtree_reach_of(s->tree, &own)};
    int64_t *offsets; /* counts and a final zero, then their exclusive sum */
    *pairs = (struct bi_ranks_kdtree_pairs){.count = 0};
    if (s->own == 0) return BOSC_OK;
    BI_TRY(bi_dbscan_make_metric(ctx, s->tree->shard, &s->call, s->ordinary, &reach.metric));
    reach.limit = bi_kdtree_measure_of(&reach.metric, s->call.eps);
    BI_TRY(bi_scratch_of(ctx, s->own + 1, sizeof *offsets, &offsets));
    BI_TRY(ctx->backend->fill(ctx, offsets + s->own, 0, sizeof *offsets));
    reach.shards.own = (uint32_t)s->comm->rank;
    reach.shards.counts = offsets;
    reach.shards.offsets = offsets;
    BI_TRY(s->steps->cluster_reach_count(ctx, s->own, &reach));
    BI_TRY(s->core_ops->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, offsets, s->own + 1, offsets));
    BI_TRY(bi_read_back(ctx, &pairs->count, offsets + s->own, sizeof pairs->count));
    BI_TRY(bi_scratch_of(ctx, pairs->count, sizeof *pairs->ranks, &pairs->ranks));
    BI_TRY(bi_scratch_of(ctx, pairs->count, sizeof *pairs->queries, &pairs->queries));
    reach.shards.ranks = pairs->ranks;
    reach.shards.queries = pairs->queries;
    return s->steps->cluster_reach_fill(ctx, s->own, &reach);
}

/* Allocates the arrays of all rows, and copies the own ones. */
static bosc_status allocate_rows(struct bi_ranks_dbscan *s, const void *own_rows)
{
    bosc_ctx *ctx = s->ctx;
    const int64_t dim = s->tree->opts.dim;
    const size_t size = bosc_dtype_size(s->tree->opts.dtype);
    s->rows = s->own + s->halo.x.received;
    if (s->rows >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "eps: %lld points of other ranks are within %g of those of this one",
                       (long long)s->halo.x.received, s->call.eps);
    BI_TRY(bi_scratch_of(ctx, s->rows * dim, size, &s->points));
    BI_TRY(bi_scratch_of(ctx, s->rows, sizeof *s->ids, &s->ids));
    BI_TRY(bi_scratch_of(ctx, s->rows, sizeof *s->core, &s->core));
    BI_TRY(bi_scratch_of(ctx, s->rows, sizeof *s->sets, &s->sets));
    if (s->own == 0) return BOSC_OK;
    BI_TRY(ctx->backend->copy(ctx, s->points, own_rows, (size_t)(s->own * dim) * size));
    return ctx->backend->copy(ctx, s->ids, s->tree->ids.data, (size_t)s->own * sizeof *s->ids);
}

/* Receives the points of the halo and their ids. */
static bosc_status receive_halo(struct bi_ranks_dbscan *s, const void *own_rows)
{
    const int64_t dim = s->tree->opts.dim;
    const size_t size = bosc_dtype_size(s->tree->opts.dtype);
    const bosc_status local_status = allocate_rows(s, own_rows);
    const struct bi_kdtree_rows points = {own_rows, s->own, dim}, ids = {s->tree->ids.data, s->own, 1};
    char *to = local_status == BOSC_OK ? (char *)s->points + (size_t)(s->own * dim) * size : NULL;
    BI_TRY(bi_ranks_kdtree_scatter_rows(s->ctx, s->comm, local_status, &s->halo, &points, dim, size, to));
    return bi_ranks_kdtree_scatter_rows(s->ctx, s->comm, BOSC_OK, &s->halo, &ids, 1, sizeof *s->ids, s->ids + s->own);
}

/* --- Clusters ----------------------------------------------------------------------------------------------------- */

/* Builds the tree of all rows, and finds the core points among them: those of the own rows are final. */
static bosc_status find_core(struct bi_ranks_dbscan *s)
{
    const bosc_kdtree_opts opts = bi_ranks_kdtree_shard_opts(&s->tree->opts);
    if (s->rows == 0) return BOSC_OK;
    BI_TRY(bosc_kdtree_create(s->ctx, &opts, &s->near));
    BI_TRY(bosc_kdtree_build(s->ctx, s->near, s->points, s->rows, 0));
    BI_TRY(bi_dbscan_make_metric(s->ctx, s->near, &s->call, s->ordinary, &s->nodes.metric));
    BI_TRY(bi_dbscan_prepare(s->ctx, s->near, &s->call, &s->nodes));
    BI_TRY(bi_dbscan_find_core(s->ctx, &s->call, s->rows, &s->nodes));
    const struct bi_ranks_cluster_nodes fetch = {.rows = s->nodes.rows, .node_core = s->nodes.core, .core = s->core};
    return s->steps->cluster_fetch_core(s->ctx, s->rows, &fetch);
}

/* Unites core points, given the flags of all rows, and names the sets. */
static bosc_status join_core(struct bi_ranks_dbscan *s)
{
    struct bi_ranks_cluster_nodes nodes = {
        .rows = s->nodes.rows, .node_core = s->nodes.core, .core = s->core, .sets = s->sets};
    if (s->rows == 0) return BOSC_OK;
    BI_TRY(s->steps->cluster_store_core(s->ctx, s->rows, &nodes));
    BI_TRY(bi_dbscan_join_core(s->ctx, s->rows, &s->nodes));
    nodes.parent = s->nodes.parent;
    nodes.least_row = s->nodes.least_row;
    return s->steps->cluster_fetch_sets(s->ctx, s->rows, &nodes);
}

/* Labels all rows. *labels: scratch; of the halo they may be those of later clusters. */
static bosc_status label_rows(struct bi_ranks_dbscan *s, uint32_t **labels)
{
    BI_TRY(bi_scratch_of(s->ctx, s->rows, sizeof **labels, labels));
    if (s->rows == 0) return BOSC_OK;
    BI_TRY(bi_dbscan_label_nodes(s->ctx, s->rows, &s->nodes));
    return bi_ranks_dbscan_scatter(s, s->nodes.cluster, s->nodes.rows, s->rows, *labels);
}

/* Counts the own points of each kind: counts[0]: core, counts[1]: noise. */
static bosc_status count_kinds(const struct bi_ranks_dbscan *s, const uint32_t *labels, int64_t counts[2])
{
    bosc_ctx *ctx = s->ctx;
    struct bi_ranks_cluster_kinds kinds = {.labels = labels, .core = s->core};
    int64_t *found;
    BI_TRY(bi_scratch_of(ctx, s->own, sizeof *kinds.is_core, &kinds.is_core));
    BI_TRY(bi_scratch_of(ctx, s->own, sizeof *kinds.is_noise, &kinds.is_noise));
    BI_TRY(bi_scratch_of(ctx, 2, sizeof *found, &found));
    BI_TRY(s->steps->cluster_kinds(ctx, s->own, &kinds));
    BI_TRY(s->core_ops->compact(ctx, 1, kinds.is_core, kinds.is_core, s->own, NULL, found));
    BI_TRY(s->core_ops->compact(ctx, 1, kinds.is_noise, kinds.is_noise, s->own, NULL, found + 1));
    return bi_read_back(ctx, counts, found, 2 * sizeof *counts);
}

/* --- Results ------------------------------------------------------------------------------------------------------ */

/* The caller's arrays, in reach. */
struct outputs {
    struct bi_out labels, core;
};

/* Allocates what the backend writes in place of the caller's arrays. */
static bosc_status stage_outputs(const struct bi_ranks_dbscan *s, struct outputs *out)
{
    bool staged = false;
    const size_t n = (size_t)s->n;
    BI_TRY(bi_stage_out(s->ctx, s->call.labels, n * (size_t)s->call.opts.label_bits / 8, &out->labels, &staged));
    return bi_stage_out(s->ctx, s->call.core, s->call.core ? n : 0, &out->core, &staged);
}

/* Writes the received labels and core flags to the rows of this slice. */
static bosc_status write_outputs(const struct bi_ranks_dbscan *s, const struct outputs *out,
                                 struct bi_ranks_cluster_write *write)
{
    if (s->n == 0) return s->ctx->backend->sync(s->ctx);
    write->first = s->tree->row_begin;
    write->is_64bit = s->call.opts.label_bits == 64;
    write->out = out->labels.reachable;
    write->core_out = s->call.core ? out->core.reachable : NULL;
    BI_TRY(s->steps->cluster_write(s->ctx, s->n, write));
    BI_TRY(bi_stage_back(s->ctx, &out->labels));
    if (s->call.core) BI_TRY(bi_stage_back(s->ctx, &out->core));
    return s->ctx->backend->sync(s->ctx);
}

/* Sends ids, labels and core flags of the own points to the ranks of their rows, and writes them there. */
static bosc_status exchange_labels(const struct bi_ranks_dbscan *s, const struct bi_ranks_scatter *scatter,
                                   const uint32_t *labels)
{
    bosc_ctx *ctx = s->ctx;
    uint32_t *received[3] = {NULL, NULL, NULL};
    const uint32_t *sent[3] = {s->ids, labels, s->core};
    struct outputs out;
    bosc_status local_status = stage_outputs(s, &out);
    for (int i = 0; i < 3; i++)
        BI_IF_OK(local_status, bi_scratch_of(ctx, scatter->x.received, sizeof *received[i], &received[i]));
    for (int i = 0; i < 3; i++) {
        const struct bi_kdtree_rows rows = {sent[i], s->own, 1};
        BI_TRY(
            bi_ranks_kdtree_scatter_rows(ctx, s->comm, local_status, scatter, &rows, 1, sizeof *sent[i], received[i]));
        local_status = BOSC_OK;
    }
    struct bi_ranks_cluster_write write = {.ids = received[0], .labels = received[1], .core = received[2]};
    return bi_comm_agree(ctx, s->comm, bi_ranks_status_of_outputs(write_outputs(s, &out, &write)));
}

/* Returns the labels of the own points to the rows. */
static bosc_status return_labels(const struct bi_ranks_dbscan *s, const uint32_t *labels)
{
    struct bi_ranks_scatter scatter;
    uint32_t *owners = NULL;
    const bosc_status local_status = bi_ranks_dbscan_find_owners(s, s->ids, s->own, s->row_begins, &owners);
    bosc_status status = bi_ranks_kdtree_begin_scatter(s->ctx, s->comm, local_status, owners, NULL, s->own, &scatter);
    BI_IF_OK(status, exchange_labels(s, &scatter, labels));
    bi_exchange_end(s->ctx, &scatter.x);
    return status;
}

/* --- The call ----------------------------------------------------------------------------------------------------- */

/* Clusters the own points and the halo. */
static bosc_status cluster_rows(struct bi_ranks_dbscan *s, const void *own_rows, bosc_dbscan_info *info)
{
    struct bi_kdtree_rows flags = {NULL, s->own, 1};
    uint32_t *labels = NULL;
    int64_t counts[2] = {0, 0};
    /* 1. Core points, and those of the halo. */
    BI_TRY(receive_halo(s, own_rows));
    bosc_status local_status = find_core(s);
    flags.data = s->core;
    BI_TRY(bi_ranks_kdtree_scatter_rows(s->ctx, s->comm, local_status, &s->halo, &flags, 1, sizeof *s->core,
                                        s->core + s->own));
    /* 2. Sets, and the numbers of the clusters that they belong to. */
    local_status = join_core(s);
    BI_IF_OK(local_status, bi_scratch_of(s->ctx, s->rows + 1, sizeof *s->numbers, &s->numbers));
    BI_TRY(bi_ranks_dbscan_number(s, local_status, &info->clusters));
    s->nodes.numbers = s->numbers;
    /* 3. Labels. */
    local_status = label_rows(s, &labels);
    BI_IF_OK(local_status, count_kinds(s, labels, counts));
    BI_TRY(bi_comm_sum(s->ctx, s->comm, local_status, counts, 2));
    info->core = counts[0];
    info->noise = counts[1];
    info->border = s->tree->n - counts[0] - counts[1];
    return return_labels(s, labels);
}

/* Clusters the points of a tree over ranks. */
static bosc_status cluster_tree(struct bi_ranks_dbscan *s, bosc_dbscan_info *info)
{
    const int64_t dim = s->tree->opts.dim;
    struct bi_ranks_kdtree_pairs pairs = {.count = 0};
    void *rows = NULL;
    s->own = s->tree->end - s->tree->begin;
    bosc_status local_status = bi_scratch_of(s->ctx, s->own * dim, bosc_dtype_size(s->tree->opts.dtype), &rows);
    BI_IF_OK(local_status, bi_ranks_kdtree_fetch_rows(s->ctx, s->tree, rows));
    BI_TRY(check_points(s, rows, local_status));
    BI_TRY(bi_ranks_kdtree_gather_row_begins(s->ctx, s->tree, BOSC_OK, s->row_begins));
    local_status = find_halo(s, rows, &pairs);
    bosc_status status =
        bi_ranks_kdtree_begin_scatter(s->ctx, s->comm, local_status, pairs.ranks, pairs.queries, pairs.count, &s->halo);
    BI_IF_OK(status, cluster_rows(s, rows, info));
    bi_exchange_end(s->ctx, &s->halo.x);
    bosc_kdtree_free(s->near);
    return status;
}

/* Builds the tree of all points, or of their directions. */
static bosc_status build_tree(struct bi_ranks_dbscan *s, bosc_ranks_kdtree *tree, const void *points, int64_t stride)
{
    const struct bi_cluster_rows rows = bi_dbscan_rows(&s->call.opts, points, s->n, stride);
    const double *directions = NULL;
    bosc_status local_status = BOSC_OK;
    int64_t first;
    if (s->call.opts.metric == BOSC_CLUSTER_MINKOWSKI)
        return bosc_ranks_kdtree_build(s->ctx, tree, points, s->n, stride);
    BI_TRY(bi_comm_offset(s->ctx, s->comm, BOSC_OK, s->n, &first, NULL));
    if (s->n > 0) local_status = bi_cluster_make_directions(s->ctx, &rows, first, &directions);
    s->call.eps = bi_dbscan_chord(&s->call);
    BI_TRY(bi_comm_agree(s->ctx, s->comm, local_status));
    return bosc_ranks_kdtree_build(s->ctx, tree, directions, s->n, 0);
}

/* Fails on all ranks unless eps, p and the periods are those of rank 0. */
static bosc_status compare_numbers(const struct bi_ranks_dbscan *s, bosc_status local_status)
{
    enum { NUMBERS = BI_COMM_MESSAGE / sizeof(double) }; /* of one exchange */
    const bosc_dbscan_opts *o = &s->call.opts;
    const double *first = s->comm->gather; /* the numbers of rank 0 */
    BI_TRY(bi_comm_agree(s->ctx, s->comm, local_status));
    for (int32_t begin = -2; begin < o->dim; begin += NUMBERS) {
        double numbers[NUMBERS];
        for (int32_t i = 0; i < NUMBERS; i++) {
            const int32_t c = begin + i;
            numbers[i] = c == -2 ? s->call.eps : c == -1 ? o->p : c < o->dim && o->periods ? o->periods[c] : 0;
        }
        BI_TRY(bi_comm_all_gather(s->ctx, s->comm, numbers, sizeof numbers, s->comm->gather));
        for (int32_t i = 0; i < NUMBERS && local_status == BOSC_OK; i++)
            if (numbers[i] != first[i])
                local_status = bi_fail(s->ctx, BOSC_ERR_ARG, "%s: %g is not the %g of rank 0",
                                       begin + i == -2   ? "eps"
                                       : begin + i == -1 ? "opts: p"
                                                         : "opts: periods",
                                       numbers[i], first[i]);
    }
    return bi_comm_agree(s->ctx, s->comm, local_status);
}

/* Checks p and the periods, builds the tree and clusters its points. */
static bosc_status cluster_points(struct bi_ranks_dbscan *s, bosc_ranks_kdtree *tree, const void *points,
                                  int64_t stride, bosc_dbscan_info *info)
{
    struct bi_kdtree_metric unused;
    bosc_status local_status = s->row_begins ? BOSC_OK : BOSC_ERR_NOMEM;
    if (local_status == BOSC_OK)
        BI_WITH_SCRATCH(s->ctx, local_status = bi_dbscan_make_metric(s->ctx, tree->shard, &s->call, true, &unused));
    BI_TRY(compare_numbers(s, local_status));
    BI_TRY_WITH_SCRATCH(s->ctx, build_tree(s, tree, points, stride));
    s->tree = tree;
    if (tree->n == 0) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(s->ctx, cluster_tree(s, info));
}

/* Clusters the points of several ranks, by a tree that is freed. */
static bosc_status compute_over_ranks(struct bi_ranks_dbscan *s, const void *points, int64_t stride,
                                      bosc_dbscan_info *info)
{
    const bosc_kdtree_opts opts = bi_dbscan_tree_opts(&s->call.opts);
    const size_t list = (size_t)s->comm->rank_count + 1, bytes = 2 * list * sizeof *s->row_begins;
    bosc_ranks_kdtree *tree;
    s->steps = s->ctx->ops->ranks->steps;
    s->core_ops = s->ctx->backend->core;
    BI_TRY(bosc_ranks_kdtree_create(s->ctx, s->comm, &opts, &tree));
    s->row_begins = bi_host_alloc(s->ctx, bytes);
    s->set_begins = s->row_begins ? s->row_begins + list : NULL;
    const bosc_status status = cluster_points(s, tree, points, stride, info);
    if (status != BOSC_OK) (void)s->ctx->backend->sync(s->ctx); /* queued copies may read the lists */
    bi_memory_release(&s->ctx->host, s->row_begins, bytes);
    bosc_ranks_kdtree_free(tree);
    return status;
}

static bosc_status check_arguments(struct bi_ranks_dbscan *s, const void *points, int64_t stride,
                                   const bosc_dbscan_opts *opts)
{
    BI_TRY(bi_dbscan_check_opts(s->ctx, opts, &s->call.opts));
    BI_TRY(bi_dbscan_check_points(s->ctx, &s->call.opts, points, s->n, stride));
    if (s->call.opts.weights)
        return bi_fail(s->ctx, BOSC_ERR_ARG, "opts: weights: their sums would depend on the number of ranks");
    return bi_dbscan_check_call(s->ctx, &s->call, s->n);
}

/* Fails on all ranks unless the options and numbers are equal on all. */
static bosc_status compare_options(const struct bi_ranks_dbscan *s, bosc_status local_status)
{
    const bosc_dbscan_opts *o = &s->call.opts;
    const struct bi_ranks_argument shared[] = {{"opts: dtype", o->dtype},
                                               {"opts: dim", o->dim},
                                               {"opts: metric", o->metric},
                                               {"opts: label_bits", o->label_bits},
                                               {"min_samples", s->call.min_samples}};
    return bi_ranks_check_same(s->ctx, s->comm, local_status, shared, 5);
}

bosc_status bosc_ranks_dbscan_compute(bosc_ctx *ctx, bosc_comm *comm, const void *points, int64_t n, int64_t stride,
                                      double eps, int64_t min_samples, const bosc_dbscan_opts *opts, void *labels,
                                      uint8_t *core, bosc_dbscan_info *info)
{
    struct bi_ranks_dbscan s = {
        .ctx = ctx,
        .comm = comm,
        .n = n,
        .call = {.eps = eps, .min_samples = min_samples, .labels = labels, .core = core, .info = info}};
    bosc_dbscan_info found = {.size = sizeof found};
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    BI_TRY(compare_options(&s, check_arguments(&s, points, stride, opts)));
    if (comm->rank_count == 1)
        return bosc_dbscan_compute(ctx, points, n, stride, eps, min_samples, opts, labels, core, info);
    bi_progress_set_total(ctx, DBSCAN_ITEMS * (double)n);
    BI_TRY(compute_over_ranks(&s, points, stride, &found));
    if (info) bi_copy_info(info, &found, sizeof found);
    return BOSC_OK;
}
