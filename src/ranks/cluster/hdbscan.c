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

/* Edges of the spanning tree of all ranks, in reach and in their order. */
struct edges {
    void *pairs;   /* two uint32_t each */
    void *lengths; /* squared, float for F32, else double; under another p than 2: lengths, double */
};

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
    if (total > 1) BI_TRY_WITH_SCRATCH(ctx, bi_hdbscan_link(ctx, &s->full, total, all->pairs, all->lengths, z));
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

/* Finds the spanning tree: each rank receives its part at its position in the list of all, where row k has edge k. */
static bosc_status find_own_edges(const struct hdbscan *s, struct edges *all, size_t *length_size)
{
    const int64_t first = s->slices.offsets[s->comm->rank], samples = s->full.min_samples;
    const bool is_order = s->full.p != 2;
    bosc_emst_opts tree;
    const void *points = NULL;
    void *pairs = NULL, *lengths = NULL;
    int64_t stride = 0;
    bosc_status local_status = make_rows(s, &tree, &points, &stride);
    *length_size = !is_order && (tree.dtype == BOSC_F32 || tree.dtype == 0) ? sizeof(float) : sizeof(double);
    BI_IF_OK(local_status, bi_scratch_of(s->ctx, s->slices.total, 2 * sizeof(uint32_t), &all->pairs));
    BI_IF_OK(local_status, bi_scratch_of(s->ctx, s->slices.total, *length_size, &all->lengths));
    BI_TRY(bi_comm_agree(s->ctx, s->comm, local_status));
    if (s->n > 0) {
        pairs = (uint32_t *)all->pairs + 2 * first;
        lengths = (char *)all->lengths + (size_t)first * *length_size;
    }
    if (is_order)
        return bosc_ranks_emst_compute_minkowski(s->ctx, s->comm, points, s->n, stride, &tree, s->full.p, samples,
                                                 pairs, lengths, NULL);
    return bosc_ranks_emst_compute_mutual(s->ctx, s->comm, points, s->n, stride, &tree, samples, pairs, lengths, NULL);
}

static bosc_status cluster_points(const struct hdbscan *s, bosc_hdbscan_info *info)
{
    const struct bi_ranks_slices *slices = &s->slices;
    struct edges all = {NULL, NULL};
    size_t length_size;
    /* 1. Find the tree. */
    BI_TRY(find_own_edges(s, &all, &length_size));
    if (slices->total == 0) return BOSC_OK;
    /* 2. Replicate its edges, which are one fewer than the rows. */
    for (int32_t r = 0; r <= slices->rank_count; r++)
        if (slices->offsets[r] == slices->total) slices->offsets[r]--;
    BI_TRY(bi_comm_all_gather_blocks(s->ctx, s->comm, BOSC_OK, slices->offsets, 2 * sizeof(uint32_t), all.pairs));
    BI_TRY(bi_comm_all_gather_blocks(s->ctx, s->comm, BOSC_OK, slices->offsets, length_size, all.lengths));
    /* 3. Select the clusters. */
    return label_rows(s, &all, info);
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
    BI_TRY(bi_hdbscan_check_arrays(s->ctx, &s->full, s->n, s->labels, s->probabilities, s->outlier_scores, s->info));
    return bi_hdbscan_check_rows(s->ctx, s->points, s->n, s->stride, &s->full);
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
    BI_TRY(bi_ranks_check_same_number(s->ctx, s->comm, BOSC_OK, "opts: epsilon", o->epsilon));
    return bi_ranks_check_same_number(s->ctx, s->comm, BOSC_OK, "opts: p", o->p);
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
