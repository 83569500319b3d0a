/* HDBSCAN* over ranks. The spanning tree under mutual reachability is found over ranks (ranks/emst). Then every rank
 * receives all of its edges, makes the dendrogram, selects the clusters, and writes the results of its own rows. Edges
 * arrive in the order of one context, so all results have its bits. */
#include <boscage/ranks/cluster.h>
#include <boscage/ranks/forest.h>

#include "cluster/hdbscan.h"
#include "ranks/exchange/slices.h"

/* Progress weight of the call, by row; estimated. */
enum { HDBSCAN_ITEMS = 800 };

/* A rank's call. */
struct hdbscan {
    bosc_ctx *ctx;
    bosc_comm *comm;
    const bosc_hdbscan_opts *opts; /* the caller's */
    bosc_hdbscan_opts full;
    struct bi_ranks_slices slices; /* of the rows */
    const void *points;
    int64_t n, stride;
    void *labels;
    double *probabilities, *outlier_scores;
    bosc_hdbscan_info *info;
};

/* --- Edges of all ranks ------------------------------------------------------------------------------------------- */

/* Edges of the spanning tree, in reach: this rank's or those of all ranks. */
struct edges {
    int64_t count;
    void *pairs; /* two uint32_t each */
    void *dist2; /* float for F32, else double */
};

/* Sends `count` items of `size` bytes to every rank. received: items of all ranks, in their order. */
static bosc_status send_to_all(const struct hdbscan *s, const struct bi_exchange *x, bosc_status local_status,
                               const void *items, int64_t count, size_t size, void *received)
{
    const size_t bytes = (size_t)count * size;
    char *copies = NULL;
    BI_IF_OK(local_status, bi_scratch_of(s->ctx, x->sent, size, (void **)&copies));
    for (int32_t r = 0; r < s->comm->rank_count && bytes > 0; r++)
        BI_IF_OK(local_status, s->ctx->backend->copy(s->ctx, copies + (size_t)r * bytes, items, bytes));
    return bi_exchange_items(s->ctx, s->comm, local_status, x, size, copies, received);
}

/* Replicates the edges: *all is in scratch. */
static bosc_status replicate_edges(const struct hdbscan *s, const struct bi_exchange *x, const struct edges *own,
                                   size_t dist2_size, struct edges *all)
{
    const size_t pair_size = 2 * sizeof(uint32_t);
    all->count = x->received;
    bosc_status local_status = bi_scratch_of(s->ctx, x->received, pair_size, &all->pairs);
    BI_IF_OK(local_status, bi_scratch_of(s->ctx, x->received, dist2_size, &all->dist2));
    BI_TRY_WITH_SCRATCH(s->ctx, send_to_all(s, x, local_status, own->pairs, own->count, pair_size, all->pairs));
    BI_RETURN_WITH_SCRATCH(s->ctx, send_to_all(s, x, BOSC_OK, own->dist2, own->count, dist2_size, all->dist2));
}

/* --- Results ------------------------------------------------------------------------------------------------------ */

/* Results of all rows, in scratch. Arrays that the caller does not want are NULL. */
struct results {
    void *labels;
    double *probabilities, *outlier_scores;
};

/* Makes the dendrogram of the edges of all ranks, and selects its clusters. */
static bosc_status select_clusters(const struct hdbscan *s, const struct edges *all, struct results *to,
                                   bosc_hdbscan_info *info)
{
    bosc_ctx *ctx = s->ctx;
    const int64_t total = s->slices.total;
    double *z;
    BI_TRY(bi_scratch_of(ctx, total, (size_t)s->full.label_bits / 8, &to->labels));
    if (s->probabilities) BI_TRY(bi_scratch_of(ctx, total, sizeof *to->probabilities, &to->probabilities));
    if (s->outlier_scores) BI_TRY(bi_scratch_of(ctx, total, sizeof *to->outlier_scores, &to->outlier_scores));
    BI_TRY(bi_scratch_of(ctx, total, 4 * sizeof *z, &z));
    if (total > 1) BI_TRY_WITH_SCRATCH(ctx, bi_hdbscan_link(ctx, &s->full, total, all->pairs, all->dist2, z));
    return bosc_hdbscan_select(ctx, z, total, s->opts, to->labels, to->probabilities, to->outlier_scores, info);
}

/* Copies the results of this rank's rows to one of the caller's arrays. */
static bosc_status write_slice(const struct hdbscan *s, const void *from, size_t size, void *to)
{
    const size_t first = (size_t)s->slices.offsets[s->comm->rank];
    if (!to || s->n == 0) return BOSC_OK;
    return s->ctx->backend->copy(s->ctx, to, (const char *)from + first * size, (size_t)s->n * size);
}

static bosc_status write_results(const struct hdbscan *s, const struct results *from)
{
    BI_TRY(write_slice(s, from->labels, (size_t)s->full.label_bits / 8, s->labels));
    BI_TRY(write_slice(s, from->probabilities, sizeof *from->probabilities, s->probabilities));
    BI_TRY(write_slice(s, from->outlier_scores, sizeof *from->outlier_scores, s->outlier_scores));
    return s->ctx->backend->sync(s->ctx);
}

/* Selects the clusters on every rank, and writes the results once all ranks have them. */
static bosc_status label_rows(const struct hdbscan *s, const struct edges *all, bosc_hdbscan_info *info)
{
    struct results results = {.labels = NULL};
    BI_TRY(bi_comm_agree(s->ctx, s->comm, select_clusters(s, all, &results, info)));
    return bi_comm_agree(s->ctx, s->comm, bi_ranks_status_of_outputs(write_results(s, &results)));
}

/* --- The call ----------------------------------------------------------------------------------------------------- */

/* Finds the rows of the tree: the caller's, or their directions. */
static bosc_status make_rows(const struct hdbscan *s, bosc_emst_opts *tree, const void **points, int64_t *stride)
{
    const struct bi_cluster_rows rows = bi_hdbscan_rows(s->points, s->n, s->stride, &s->full);
    const double *directions = NULL;
    *tree = (bosc_emst_opts){.size = sizeof *tree, .dtype = s->full.dtype, .dim = s->full.dim, .id_bits = 32};
    *points = s->points;
    *stride = s->stride;
    if (s->full.metric == BOSC_CLUSTER_MINKOWSKI) return BOSC_OK;
    if (s->n > 0) BI_TRY(bi_cluster_make_directions(s->ctx, &rows, s->slices.offsets[s->comm->rank], &directions));
    tree->dtype = BOSC_F64;
    tree->dim = bi_cluster_direction_dim(s->full.metric, s->full.dim);
    *points = directions;
    *stride = 0;
    return BOSC_OK;
}

/* Finds this rank's part of the spanning tree: *own is in scratch. */
static bosc_status find_edges(const struct hdbscan *s, struct edges *own, size_t *dist2_size)
{
    bosc_emst_opts tree;
    const void *points = NULL;
    int64_t stride = 0;
    bosc_status local_status = make_rows(s, &tree, &points, &stride);
    *dist2_size = tree.dtype == BOSC_F32 || tree.dtype == 0 ? sizeof(float) : sizeof(double);
    BI_IF_OK(local_status, bi_scratch_of(s->ctx, s->n, 2 * sizeof(uint32_t), &own->pairs));
    BI_IF_OK(local_status, bi_scratch_of(s->ctx, s->n, *dist2_size, &own->dist2));
    BI_TRY(bi_comm_agree(s->ctx, s->comm, local_status));
    return bosc_ranks_emst_compute_mutual(s->ctx, s->comm, points, s->n, stride, &tree, s->full.min_samples, own->pairs,
                                          own->dist2, &own->count);
}

static bosc_status cluster_points(const struct hdbscan *s, bosc_hdbscan_info *info)
{
    struct edges own = {.count = 0}, all = {.count = 0};
    struct bi_exchange x;
    size_t dist2_size;
    /* 1. Find the tree. */
    BI_TRY(find_edges(s, &own, &dist2_size));
    if (s->slices.total == 0) return BOSC_OK;
    /* 2. Replicate its edges. */
    for (int32_t r = 0; r < s->comm->rank_count; r++) s->slices.counts[r] = own.count;
    bosc_status status = bi_exchange_begin(s->ctx, s->comm, BOSC_OK, s->slices.counts, &x);
    BI_IF_OK(status, replicate_edges(s, &x, &own, dist2_size, &all));
    bi_exchange_end(s->ctx, &x);
    /* 3. Select the clusters. */
    BI_IF_OK(status, label_rows(s, &all, info));
    return status;
}

/* Checks the number of rows of all ranks. */
static bosc_status check_total(const struct hdbscan *s)
{
    if (s->slices.total > (int64_t)1 << 31)
        return bi_fail(s->ctx, BOSC_ERR_LIMIT, "n: %lld points of all ranks; there may be 2^31 at most",
                       (long long)s->slices.total);
    return bi_hdbscan_check_samples(s->ctx, &s->full, s->slices.total);
}

/* Clusters the points of several ranks. */
static bosc_status compute_over_ranks(struct hdbscan *s)
{
    bosc_hdbscan_info found = {.size = sizeof found};
    bosc_status status = bi_ranks_slices_begin(s->ctx, s->comm, BOSC_OK, s->n, &s->slices);
    BI_IF_OK(status, check_total(s)); /* alike on all ranks */
    found.noise = s->slices.total;
    if (status == BOSC_OK) BI_WITH_SCRATCH(s->ctx, status = cluster_points(s, &found));
    if (status == BOSC_OK && s->info) bi_copy_info(s->info, &found, sizeof found);
    bi_ranks_slices_end(s->ctx, &s->slices);
    return status;
}

static bosc_status check_arguments(struct hdbscan *s)
{
    BI_TRY(bi_hdbscan_check_opts(s->ctx, s->opts, &s->full));
    if (s->full.p != 2) return bi_fail(s->ctx, BOSC_ERR_ARG, "opts: p: %g; over ranks it is 2", s->full.p);
    BI_TRY(bi_hdbscan_check_arrays(s->ctx, &s->full, s->n, s->labels, s->probabilities, s->outlier_scores, s->info));
    return bi_hdbscan_check_rows(s->ctx, s->points, s->n, s->stride, &s->full);
}

/* Fails on all ranks unless epsilon is that of rank 0. */
static bosc_status compare_epsilon(const struct hdbscan *s)
{
    const double own = s->full.epsilon, *first = s->comm->gather;
    bosc_status local_status = BOSC_OK;
    BI_TRY(bi_comm_all_gather(s->ctx, s->comm, &own, sizeof own, s->comm->gather));
    if (own != *first)
        local_status = bi_fail(s->ctx, BOSC_ERR_ARG, "opts: epsilon: %g is not the %g of rank 0", own, *first);
    return bi_comm_agree(s->ctx, s->comm, local_status);
}

/* Fails on all ranks unless the options are equal on all. */
static bosc_status compare_options(const struct hdbscan *s, bosc_status local_status)
{
    const bosc_hdbscan_opts *o = &s->full;
    const struct bi_ranks_argument shared[] = {{"opts: dtype", o->dtype},
                                               {"opts: dim", o->dim},
                                               {"opts: metric", o->metric},
                                               {"opts: label_bits", o->label_bits},
                                               {"opts: selection", o->selection},
                                               {"opts: allow_single_cluster", o->allow_single_cluster != 0},
                                               {"opts: min_cluster_size", o->min_cluster_size},
                                               {"opts: min_samples", o->min_samples},
                                               {"opts: max_cluster_size", o->max_cluster_size}};
    BI_TRY(bi_ranks_check_same(s->ctx, s->comm, local_status, shared, 9));
    return compare_epsilon(s);
}

bosc_status bosc_ranks_hdbscan_compute(bosc_ctx *ctx, bosc_comm *comm, const void *points, int64_t n, int64_t stride,
                                       const bosc_hdbscan_opts *opts, void *labels, double *probabilities,
                                       double *outlier_scores, bosc_hdbscan_info *info)
{
    struct hdbscan s = {.ctx = ctx,
                        .comm = comm,
                        .opts = opts,
                        .points = points,
                        .n = n,
                        .stride = stride,
                        .labels = labels,
                        .probabilities = probabilities,
                        .outlier_scores = outlier_scores,
                        .info = info};
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    BI_TRY(compare_options(&s, check_arguments(&s)));
    if (comm->rank_count == 1)
        return bosc_hdbscan_compute(ctx, points, n, stride, opts, labels, probabilities, outlier_scores, info);
    bi_progress_set_total(ctx, HDBSCAN_ITEMS * (double)n);
    return compute_over_ranks(&s);
}
