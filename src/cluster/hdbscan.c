/* HDBSCAN*: the condensed tree of a dendrogram by steps, the selection among its clusters on the host, and labels. */
#include <math.h>

#include "base/bits.h"
#include "cluster/condensed.h"
#include "cluster/dendrogram.h"
#include "cluster/directions.h"
#include "cluster/hdbscan.h"
#include "cluster/scale.h"
#include "cluster/steps/steps.h"
#include "core/check.h"

enum {
    MIN_CLUSTER_SIZE = 5,   /* the default, as scikit-learn's */
    SELECT_ITEMS = 40,      /* progress weight of bosc_hdbscan_select; estimated */
    COMPUTE_ITEMS = 600,    /* the same of bosc_hdbscan_compute */
    BESIDE = 80,            /* bytes a point: the dendrogram, edges and lengths, and the caller's outputs */
    LARGEST_EXPONENT = 500, /* of scaled points: squares of distances in 1,024 dimensions are below 2^1023 */
    MOST_EXPONENTS = 950    /* from the least to the largest: squares of scaled differences are 2^-1004 or more */
};

/* The caller's arrays. */
struct outputs {
    void *labels;
    double *probabilities, *outlier_scores;
    bosc_hdbscan_info *info;
    bool is_tree; /* no labels: the call writes the condensed tree or the dendrogram */
    int64_t *leaves;
    double *densities;
    bosc_hdbscan_cluster *clusters;
};

/* State of a call. */
struct hdbscan {
    bosc_ctx *ctx;
    const struct bi_cluster_steps *steps;
    const bosc_hdbscan_opts *opts; /* full */
    int64_t n, clusters;
    struct bi_hdbscan args;
};

/* --- Checks ------------------------------------------------------------------------------------------------------- */

bosc_status bi_hdbscan_check_opts(bosc_ctx *ctx, const bosc_hdbscan_opts *opts, bosc_hdbscan_opts *full)
{
    /* 1. Fill in the defaults. */
    BI_TRY(bi_read_opts(ctx, "bosc_hdbscan_opts", opts, full, sizeof *full));
    if (full->label_bits == 0) full->label_bits = 64;
    if (full->min_cluster_size == 0) full->min_cluster_size = MIN_CLUSTER_SIZE;
    if (full->min_samples == 0) full->min_samples = full->min_cluster_size;
    if (full->p == 0) full->p = 2;
    /* 2. Check the labels, the metric and the selection. */
    if (full->label_bits != 32 && full->label_bits != 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: label_bits %d is neither 32 nor 64", (int)full->label_bits);
    if ((int)full->metric < BOSC_CLUSTER_MINKOWSKI || full->metric > BOSC_CLUSTER_COSINE)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: metric %d is none of MINKOWSKI, HAVERSINE, COSINE", (int)full->metric);
    if (!(full->p >= 1)) return bi_fail(ctx, BOSC_ERR_ARG, "opts: p: %g is less than 1", full->p);
    if (full->p != 2 && full->metric != BOSC_CLUSTER_MINKOWSKI)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: p: %g, but metric is not MINKOWSKI", full->p);
    if (full->selection != BOSC_HDBSCAN_EOM && full->selection != BOSC_HDBSCAN_LEAF)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: selection %d is neither EOM nor LEAF", (int)full->selection);
    if (full->min_cluster_size < 2)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: min_cluster_size %lld is less than 2",
                       (long long)full->min_cluster_size);
    if (full->min_samples < 1)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: min_samples %lld is less than 1", (long long)full->min_samples);
    if (full->max_cluster_size < 0)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: max_cluster_size %lld is less than 0",
                       (long long)full->max_cluster_size);
    if (!(full->epsilon >= 0 && full->epsilon < (double)INFINITY))
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: epsilon %g is not finite, or less than 0", full->epsilon);
    return BOSC_OK;
}

bosc_status bi_hdbscan_check_euclidean(bosc_ctx *ctx, const bosc_hdbscan_opts *full)
{
    if (full->metric != BOSC_CLUSTER_MINKOWSKI)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: metric: predictions are under MINKOWSKI alone");
    return full->p == 2 ? BOSC_OK : bi_fail(ctx, BOSC_ERR_ARG, "opts: p: %g; predictions are under p 2", full->p);
}

/* Checks the number of points and the arrays that a call writes. */
static bosc_status check_outputs(bosc_ctx *ctx, const bosc_hdbscan_opts *o, int64_t n, const struct outputs *to)
{
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is less than 0", (long long)n);
    if (n > (int64_t)1 << 31)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld points; there may be 2^31 at most", (long long)n);
    if (n > 0 && !to->labels && !to->is_tree) return bi_fail(ctx, BOSC_ERR_ARG, "labels: NULL");
    BI_TRY(bi_check_aligned(ctx, "leaves", to->leaves, sizeof *to->leaves));
    BI_TRY(bi_check_aligned(ctx, "densities", to->densities, sizeof *to->densities));
    BI_TRY(bi_check_aligned(ctx, "clusters", to->clusters, sizeof(double)));
    BI_TRY(bi_check_aligned(ctx, "labels", to->labels, (size_t)o->label_bits / 8));
    BI_TRY(bi_check_aligned(ctx, "probabilities", to->probabilities, sizeof(double)));
    BI_TRY(bi_check_aligned(ctx, "outlier_scores", to->outlier_scores, sizeof(double)));
    return to->info ? bi_check_info(ctx, "info", "bosc_hdbscan_info", to->info->size, sizeof *to->info) : BOSC_OK;
}

bosc_status bi_hdbscan_check_arrays(bosc_ctx *ctx, const bosc_hdbscan_opts *full, int64_t n, void *labels,
                                    double *probabilities, double *outlier_scores, bosc_hdbscan_info *info)
{
    const struct outputs to = {
        .labels = labels, .probabilities = probabilities, .outlier_scores = outlier_scores, .info = info};
    return check_outputs(ctx, full, n, &to);
}

bosc_status bi_hdbscan_check_samples(bosc_ctx *ctx, const bosc_hdbscan_opts *o, int64_t n)
{
    if (n <= 0 || o->min_samples <= n) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "opts: min_samples %lld is more than %lld points", (long long)o->min_samples,
                   (long long)n);
}

struct bi_cluster_rows bi_hdbscan_rows(const void *points, int64_t n, int64_t stride, const bosc_hdbscan_opts *o)
{
    return (struct bi_cluster_rows){points, n, stride, o->dtype ? o->dtype : BOSC_F32, o->dim, o->metric};
}

bosc_status bi_hdbscan_check_rows(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                  const bosc_hdbscan_opts *o)
{
    const struct bi_cluster_rows rows = bi_hdbscan_rows(points, n, stride, o);
    return o->metric == BOSC_CLUSTER_MINKOWSKI ? BOSC_OK : bi_cluster_check_rows(ctx, &rows);
}

/* --- The condensed tree ------------------------------------------------------------------------------------------- */

/* Allocates the arrays by condensed cluster. */
static bosc_status allocate_clusters(struct hdbscan *h)
{
    struct bi_hdbscan *a = &h->args;
    BI_TRY(bi_scratch_of(h->ctx, h->clusters, sizeof *a->top, &a->top));
    BI_TRY(bi_scratch_of(h->ctx, h->clusters, sizeof *a->lowest, &a->lowest));
    BI_TRY(bi_scratch_of(h->ctx, h->clusters, sizeof *a->above, &a->above));
    BI_TRY(bi_scratch_of(h->ctx, h->clusters, sizeof *a->first_row, &a->first_row));
    BI_TRY(bi_scratch_of(h->ctx, h->clusters, sizeof *a->birth, &a->birth));
    BI_TRY(bi_scratch_of(h->ctx, h->clusters, sizeof *a->death, &a->death));
    BI_TRY(bi_scratch_of(h->ctx, h->clusters, sizeof *a->size, &a->size));
    return bi_scratch_of(h->ctx, h->clusters, sizeof *a->stability, &a->stability);
}

/* Finds the condensed clusters, numbered from the last merge down. */
static bosc_status find_clusters(struct hdbscan *h)
{
    struct bi_hdbscan *a = &h->args;
    const int64_t merges = h->n - 1;
    uint32_t count;
    BI_TRY(bi_scratch_of(h->ctx, merges, sizeof *a->cluster, &a->cluster));
    BI_TRY(bi_scratch_of(h->ctx, merges, sizeof *a->number, &a->number));
    BI_TRY(bi_scratch_of(h->ctx, merges, sizeof *a->big, &a->big));
    BI_TRY(h->steps->hdbscan_find_above(h->ctx, merges, a));
    BI_TRY(bi_dendrogram_find_tops(h->ctx, a));
    BI_TRY(h->steps->hdbscan_mark_tops(h->ctx, merges, a));
    BI_TRY(h->ctx->backend->core->scan(h->ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_U32, a->number, merges, a->number));
    BI_TRY(bi_read_back(h->ctx, &count, a->number + merges - 1, sizeof count));
    h->clusters = count;
    BI_TRY(allocate_clusters(h));
    BI_TRY(h->steps->hdbscan_list_tops(h->ctx, merges, a));
    BI_TRY(h->ctx->backend->fill(h->ctx, a->lowest, 0xff, (size_t)count * sizeof *a->lowest));
    BI_TRY(h->steps->hdbscan_number(h->ctx, merges, a));
    return h->steps->hdbscan_describe(h->ctx, count, a);
}

/* Sums the stabilities of clusters over their merges, in ascending order. */
static bosc_status sum_stabilities(struct hdbscan *h)
{
    struct bi_hdbscan *a = &h->args;
    const struct bi_core_ops *core = h->ctx->backend->core;
    const int64_t merges = h->n - 1;
    uint32_t *numbers = a->number; /* free by now */
    int64_t *count;
    BI_TRY(bi_scratch_of(h->ctx, merges, sizeof *a->merge_at, &a->merge_at));
    BI_TRY(bi_scratch_of(h->ctx, merges, sizeof *a->cluster_at, &a->cluster_at));
    BI_TRY(bi_scratch_of(h->ctx, merges, sizeof *a->stability_at, &a->stability_at));
    BI_TRY(bi_scratch_of(h->ctx, merges, sizeof *a->heads, &a->heads));
    BI_TRY(bi_scratch_of(h->ctx, 1, sizeof *count, &count));
    BI_TRY(core->iota(h->ctx, 4, numbers, merges));
    BI_TRY(core->compact(h->ctx, sizeof *numbers, numbers, a->big, merges, a->merge_at, count));
    BI_TRY(bi_read_back(h->ctx, &a->merges, count, sizeof a->merges));
    BI_TRY(h->steps->hdbscan_gather(h->ctx, a->merges, a));
    BI_TRY(core->sort_pairs(h->ctx, BOSC_U32, a->cluster_at, sizeof *a->merge_at, a->merge_at, a->merges, a->cluster_at,
                            a->merge_at, 0, bi_bit_length((uint64_t)h->clusters)));
    BI_TRY(h->steps->hdbscan_measure(h->ctx, a->merges, a));
    BI_TRY(core->scan_segmented(h->ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_F64, a->stability_at, a->heads, a->merges,
                                a->stability_at));
    return h->steps->hdbscan_store_stability(h->ctx, a->merges, a);
}

/* --- Selection and labels ----------------------------------------------------------------------------------------- */

/* Selects clusters on the host, and stages the selection. */
static bosc_status select_clusters(struct hdbscan *h)
{
    struct bi_hdbscan *a = &h->args;
    const struct bi_backend *backend = h->ctx->backend;
    const size_t count = (size_t)h->clusters, bytes = count * sizeof(double);
    double *doubles;
    uint32_t *words, *selected;
    double *greatest;
    /* 1. Allocate the tree on the host, and its results on the backend. */
    BI_TRY(bi_host_scratch(h->ctx, 6 * bytes + count * (2 * sizeof *words + 1), (void **)&doubles));
    words = (void *)(doubles + 6 * count);
    struct bi_condensed tree = {.count = h->clusters,
                                .n = h->n,
                                .above = words,
                                .birth = doubles,
                                .death = doubles + count,
                                .size = doubles + 2 * count,
                                .stability = doubles + 3 * count,
                                .greatest = doubles + 4 * count,
                                .below = doubles + 5 * count,
                                .selected = words + count,
                                .marks = (uint8_t *)(words + 2 * count)};
    BI_TRY(bi_scratch_of(h->ctx, h->clusters, sizeof *selected, &selected));
    BI_TRY(bi_scratch_of(h->ctx, h->clusters, sizeof *greatest, &greatest));
    /* 2. Copy the condensed clusters to the host, and select. */
    BI_TRY(backend->copy(h->ctx, words, a->above, count * sizeof *words));
    BI_TRY(backend->copy(h->ctx, doubles, a->birth, bytes));
    BI_TRY(backend->copy(h->ctx, doubles + count, a->death, bytes));
    BI_TRY(backend->copy(h->ctx, doubles + 2 * count, a->size, bytes));
    BI_TRY(backend->copy(h->ctx, doubles + 3 * count, a->stability, bytes));
    BI_TRY(backend->sync(h->ctx));
    bi_condensed_select(&tree, h->opts);
    /* 3. Copy the results back. */
    a->root_density = tree.root_density;
    a->selected = selected;
    a->greatest = greatest;
    BI_TRY(backend->copy(h->ctx, selected, tree.selected, count * sizeof *selected));
    BI_TRY(backend->copy(h->ctx, greatest, tree.greatest, bytes));
    return backend->sync(h->ctx); /* the host's memory may be used again */
}

/* Numbers the selected clusters by their smallest rows, and counts noise. */
static bosc_status number_labels(struct hdbscan *h, bosc_hdbscan_info *info)
{
    struct bi_hdbscan *a = &h->args;
    const struct bi_core_ops *core = h->ctx->backend->core;
    uint32_t count;
    int64_t *noise;
    BI_TRY(bi_scratch_of(h->ctx, h->n, sizeof *a->noise, &a->noise));
    BI_TRY(bi_scratch_of(h->ctx, 1, sizeof *noise, &noise));
    BI_TRY(bi_scratch_of(h->ctx, h->n, sizeof *a->leaves, &a->leaves));
    BI_TRY(bi_scratch_of(h->ctx, h->n + 1, sizeof *a->is_first, &a->is_first));
    BI_TRY(h->ctx->backend->fill(h->ctx, a->is_first + h->n, 0, sizeof *a->is_first));
    BI_TRY(h->steps->hdbscan_find_leaving(h->ctx, h->n, a));
    BI_TRY(h->steps->hdbscan_mark_first(h->ctx, h->clusters, a));
    BI_TRY(core->scan(h->ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, a->is_first, h->n + 1, a->is_first));
    BI_TRY(core->compact(h->ctx, 1, a->noise, a->noise, h->n, NULL, noise));
    BI_TRY(bi_read_back(h->ctx, &info->noise, noise, sizeof info->noise));
    BI_TRY(bi_read_back(h->ctx, &count, a->is_first + h->n, sizeof count));
    info->clusters = count;
    info->condensed = h->clusters;
    return BOSC_OK;
}

/* Writes the results of all points: last, as outputs stay unchanged on a failure. */
static bosc_status write_results(struct hdbscan *h, const struct outputs *to)
{
    struct bi_hdbscan *a = &h->args;
    struct bi_out labels, probabilities, scores;
    const size_t n = (size_t)h->n;
    bool staged = false;
    BI_TRY(bi_stage_out(h->ctx, to->labels, n * (size_t)h->opts->label_bits / 8, &labels, &staged));
    BI_TRY(
        bi_stage_out(h->ctx, to->probabilities, to->probabilities ? n * sizeof(double) : 0, &probabilities, &staged));
    BI_TRY(bi_stage_out(h->ctx, to->outlier_scores, to->outlier_scores ? n * sizeof(double) : 0, &scores, &staged));
    a->is_64bit = h->opts->label_bits == 64;
    a->labels = labels.reachable;
    a->probabilities = to->probabilities ? probabilities.reachable : NULL;
    a->outlier_scores = to->outlier_scores ? scores.reachable : NULL;
    BI_TRY(h->steps->hdbscan_write(h->ctx, h->n, a));
    BI_TRY(bi_stage_back(h->ctx, &labels));
    if (to->probabilities) BI_TRY(bi_stage_back(h->ctx, &probabilities));
    if (to->outlier_scores) BI_TRY(bi_stage_back(h->ctx, &scores));
    return h->ctx->backend->sync(h->ctx);
}

/* Writes the condensed tree. */
static bosc_status write_tree(struct hdbscan *h, const struct outputs *to)
{
    struct bi_hdbscan *a = &h->args;
    struct bi_out leaves, densities, clusters;
    const size_t n = (size_t)h->n;
    bool staged = false;
    BI_TRY(bi_stage_out(h->ctx, to->leaves, to->leaves ? n * sizeof *to->leaves : 0, &leaves, &staged));
    BI_TRY(bi_stage_out(h->ctx, to->densities, to->densities ? n * sizeof *to->densities : 0, &densities, &staged));
    BI_TRY(bi_stage_out(h->ctx, to->clusters, to->clusters ? (size_t)h->clusters * sizeof *to->clusters : 0, &clusters,
                        &staged));
    a->leaves_of = to->leaves ? leaves.reachable : NULL;
    a->densities = to->densities ? densities.reachable : NULL;
    a->clusters = to->clusters ? clusters.reachable : NULL;
    BI_TRY(h->steps->hdbscan_write_leaving(h->ctx, h->n, a));
    if (to->clusters) BI_TRY(h->steps->hdbscan_write_cluster(h->ctx, h->clusters, a));
    if (to->leaves) BI_TRY(bi_stage_back(h->ctx, &leaves));
    if (to->densities) BI_TRY(bi_stage_back(h->ctx, &densities));
    if (to->clusters) BI_TRY(bi_stage_back(h->ctx, &clusters));
    return h->ctx->backend->sync(h->ctx);
}

/* Labels the points of a dendrogram that the backend reaches. */
static bosc_status label_points(bosc_ctx *ctx, const double *z, int64_t n, const bosc_hdbscan_opts *opts,
                                const struct outputs *to, bosc_hdbscan_info *info)
{
    struct hdbscan h = {.ctx = ctx,
                        .steps = ctx->ops->cluster->steps,
                        .opts = opts,
                        .n = n,
                        .args = {.z = z, .n = n, .min_size = (double)opts->min_cluster_size}};
    BI_TRY(bi_dendrogram_link(ctx, &h.args));
    BI_TRY(find_clusters(&h));
    BI_TRY(sum_stabilities(&h));
    BI_TRY(select_clusters(&h));
    BI_TRY(number_labels(&h, info));
    return to->is_tree ? write_tree(&h, to) : write_results(&h, to);
}

/* Writes the results of one point, which is noise. */
static bosc_status label_one(bosc_ctx *ctx, const bosc_hdbscan_opts *opts, const struct outputs *to)
{
    const double zero = 0;
    const int64_t noise = -1;
    if (to->labels) BI_TRY(ctx->backend->copy(ctx, to->labels, &noise, (size_t)opts->label_bits / 8));
    if (to->leaves) BI_TRY(ctx->backend->copy(ctx, to->leaves, &noise, sizeof noise));
    if (to->densities) BI_TRY(ctx->backend->copy(ctx, to->densities, &zero, sizeof zero));
    if (to->probabilities) BI_TRY(ctx->backend->copy(ctx, to->probabilities, &zero, sizeof zero));
    if (to->outlier_scores) BI_TRY(ctx->backend->copy(ctx, to->outlier_scores, &zero, sizeof zero));
    return ctx->backend->sync(ctx);
}

/* Stages a dendrogram, and labels its points. */
static bosc_status select_staged(bosc_ctx *ctx, const double *z, int64_t n, const bosc_hdbscan_opts *opts,
                                 const struct outputs *to, bosc_hdbscan_info *info)
{
    const void *reachable;
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, z, 4 * (size_t)(n - 1) * sizeof *z, &reachable, &staged));
    return label_points(ctx, reachable, n, opts, to, info);
}

/* Checks the arguments, and selects clusters of the caller's dendrogram. */
static bosc_status select_of(bosc_ctx *ctx, const double *z, int64_t n, const bosc_hdbscan_opts *opts,
                             const struct outputs *to)
{
    bosc_hdbscan_opts full;
    BI_TRY(bi_hdbscan_check_opts(ctx, opts, &full));
    BI_TRY(check_outputs(ctx, &full, n, to));
    BI_TRY(bi_dendrogram_check(ctx, z, n));
    bosc_hdbscan_info found = {.size = sizeof found, .noise = n};
    bi_progress_set_total(ctx, SELECT_ITEMS * (double)n);
    if (n == 1) BI_TRY(label_one(ctx, &full, to));
    if (n > 1) BI_TRY_WITH_SCRATCH(ctx, select_staged(ctx, z, n, &full, to, &found));
    if (to->info) bi_copy_info(to->info, &found, sizeof found);
    return BOSC_OK;
}

bosc_status bosc_hdbscan_select(bosc_ctx *ctx, const double *z, int64_t n, const bosc_hdbscan_opts *opts, void *labels,
                                double *probabilities, double *outlier_scores, bosc_hdbscan_info *info)
{
    const struct outputs to = {
        .labels = labels, .probabilities = probabilities, .outlier_scores = outlier_scores, .info = info};
    BI_ENTER(ctx);
    return select_of(ctx, z, n, opts, &to);
}

bosc_status bosc_hdbscan_condense(bosc_ctx *ctx, const double *z, int64_t n, const bosc_hdbscan_opts *opts,
                                  int64_t *leaves, double *densities, bosc_hdbscan_cluster *clusters,
                                  bosc_hdbscan_info *info)
{
    const struct outputs to = {
        .info = info, .is_tree = true, .leaves = leaves, .densities = densities, .clusters = clusters};
    BI_ENTER(ctx);
    return select_of(ctx, z, n, opts, &to);
}

/* --- Points ------------------------------------------------------------------------------------------------------- */

/* Makes the dendrogram of squared distances from the edges of a tree: the order of merges is that of the edges. */
static bosc_status link_squared(bosc_ctx *ctx, int64_t n, bosc_dtype dtype, const uint32_t *pairs, const void *dist2,
                                double *z)
{
    const bosc_linkage_opts linkage = {.size = sizeof linkage, .id_bits = 32};
    struct bi_hdbscan_lengths convert = {.dist2 = dist2};
    if (dtype != BOSC_F32 && dtype != 0) return bosc_linkage_compute(ctx, pairs, dist2, n, &linkage, z);
    BI_TRY(bi_scratch_of(ctx, n, sizeof *convert.lengths, &convert.lengths));
    BI_TRY(ctx->ops->cluster->steps->hdbscan_lengths(ctx, n - 1, &convert));
    return bosc_linkage_compute(ctx, pairs, convert.lengths, n, &linkage, z);
}

/* Computes the dendrogram of points, of squared distances. */
static bosc_status compute_squared(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                   const bosc_hdbscan_opts *o, double *z)
{
    const bosc_emst_opts tree = {.size = sizeof tree, .dtype = o->dtype, .dim = o->dim, .id_bits = 32};
    const bool is_f32 = o->dtype == BOSC_F32 || o->dtype == 0;
    uint32_t *pairs;
    void *dist2;
    BI_TRY(bi_scratch_of(ctx, 2 * n, sizeof *pairs, &pairs));
    BI_TRY(bi_scratch_of(ctx, n, is_f32 ? sizeof(float) : sizeof(double), &dist2));
    BI_TRY(bosc_emst_compute_mutual(ctx, points, n, stride, &tree, o->min_samples, pairs, dist2, NULL));
    return link_squared(ctx, n, o->dtype, pairs, dist2, z);
}

/* Computes the dendrogram of points. factor: multiplies the distances. */
static bosc_status compute_scaled(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                  const bosc_hdbscan_opts *o, const double factor[2], double *z)
{
    const struct bi_hdbscan_roots roots = {z, {factor[0], factor[1]}};
    BI_TRY(compute_squared(ctx, points, n, stride, o, z));
    return ctx->ops->cluster->steps->hdbscan_roots(ctx, n - 1, &roots);
}

/* As compute_scaled, for points with squares out of range: as doubles, times the power of two that brings the largest
 * exponent to LARGEST_EXPONENT. */
static bosc_status compute_far(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride, const bosc_hdbscan_opts *o,
                               double *z)
{
    bosc_hdbscan_opts doubles = *o;
    struct bi_hdbscan_rows a = {.stride = stride ? stride : o->dim, .dtype = o->dtype, .dim = o->dim};
    uint32_t exponents[2];
    double inverse[2];
    bool staged = false;
    doubles.dtype = BOSC_F64;
    if (a.dtype == 0) a.dtype = BOSC_F32;
    /* 1. The range of exponents. A difference of numbers is at least 2^-52 times the least of them. */
    BI_TRY(
        bi_stage_in(ctx, points, (size_t)((n - 1) * a.stride + o->dim) * bosc_dtype_size(a.dtype), &a.data, &staged));
    BI_TRY(bi_scratch_of(ctx, n * o->dim, sizeof *a.to, &a.to));
    BI_TRY(bi_cluster_find_exponents(ctx, n, &a, exponents));
    if (exponents[0] == 2047) return bi_fail(ctx, BOSC_ERR_LIMIT, "points: a coordinate is infinite");
    if (exponents[1] != UINT32_MAX && exponents[0] - exponents[1] > MOST_EXPONENTS)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "points: their magnitudes are from 2^%d to 2^%d, too far apart",
                       (int)exponents[1] - 1023, (int)exponents[0] - 1022);
    /* 2. The scaled rows. */
    const int exponent = LARGEST_EXPONENT + 1023 - (int)exponents[0];
    bi_cluster_split_power(exponent, a.factor);
    bi_cluster_split_power(-exponent, inverse);
    BI_TRY(ctx->ops->cluster->steps->hdbscan_scale(ctx, n, &a));
    return compute_scaled(ctx, a.to, n, 0, &doubles, inverse, z);
}

/* Converts the heights of a dendrogram of directions from squared chords, which have the order of the distances. An
 * angle is exact to some units in the last place, so each height is raised to those before it: heights do not descend.
 */
static bosc_status convert_chords(bosc_ctx *ctx, int64_t n, bosc_cluster_metric metric, double *z)
{
    const struct bi_cluster_steps *steps = ctx->ops->cluster->steps;
    struct bi_hdbscan_chords chords = {.z = z, .metric = metric};
    BI_TRY(bi_scratch_of(ctx, n - 1, sizeof *chords.heights, &chords.heights));
    BI_TRY(steps->hdbscan_chords(ctx, n - 1, &chords));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_MAX, BOSC_INCLUSIVE, BOSC_F64, chords.heights, n - 1, chords.heights));
    return steps->hdbscan_store_heights(ctx, n - 1, &chords);
}

bosc_status bi_hdbscan_link(bosc_ctx *ctx, const bosc_hdbscan_opts *full, int64_t n, const uint32_t *pairs,
                            const void *lengths, double *z)
{
    const bool turns = full->metric != BOSC_CLUSTER_MINKOWSKI;
    const bool is_order = full->p != 2;
    const struct bi_hdbscan_roots roots = {z, {1, 1}};
    BI_TRY_WITH_SCRATCH(ctx, link_squared(ctx, n, turns || is_order ? BOSC_F64 : full->dtype, pairs, lengths, z));
    if (turns) return convert_chords(ctx, n, full->metric, z);
    if (is_order) return BOSC_OK;
    return ctx->ops->cluster->steps->hdbscan_roots(ctx, n - 1, &roots);
}

/* Computes the dendrogram of rows as directions. */
static bosc_status compute_angles(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                  const bosc_hdbscan_opts *o, double *z)
{
    const struct bi_cluster_rows rows = bi_hdbscan_rows(points, n, stride, o);
    bosc_hdbscan_opts directions = *o;
    const double *to;
    directions.dtype = BOSC_F64;
    directions.dim = bi_cluster_direction_dim(o->metric, o->dim);
    BI_TRY(bi_cluster_make_directions(ctx, &rows, 0, &to));
    BI_TRY_WITH_SCRATCH(ctx, compute_squared(ctx, to, n, 0, &directions, z));
    return convert_chords(ctx, n, o->metric, z);
}

/* Computes the dendrogram of points under distances of order o->p. */
static bosc_status compute_order(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                 const bosc_hdbscan_opts *o, double *z)
{
    const bosc_emst_opts tree = {.size = sizeof tree, .dtype = o->dtype, .dim = o->dim, .id_bits = 32};
    uint32_t *pairs;
    double *lengths;
    BI_TRY(bi_scratch_of(ctx, 2 * n, sizeof *pairs, &pairs));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *lengths, &lengths));
    BI_TRY(bosc_emst_compute_minkowski(ctx, points, n, stride, &tree, o->p, o->min_samples, pairs, lengths, NULL));
    return bi_hdbscan_link(ctx, o, n, pairs, lengths, z);
}

/* Computes the dendrogram of points, by compute_far if squares are out of range. */
static bosc_status compute_dendrogram(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                      const bosc_hdbscan_opts *o, double *z)
{
    const double one[2] = {1, 1};
    bosc_status status;
    if (o->metric != BOSC_CLUSTER_MINKOWSKI) BI_RETURN_WITH_SCRATCH(ctx, compute_angles(ctx, points, n, stride, o, z));
    if (o->p != 2) BI_RETURN_WITH_SCRATCH(ctx, compute_order(ctx, points, n, stride, o, z));
    BI_WITH_SCRATCH(ctx, status = compute_scaled(ctx, points, n, stride, o, one, z));
    if (status != BOSC_ERR_LIMIT || (o->dtype != 0 && o->dtype != BOSC_F32 && o->dtype != BOSC_F64)) return status;
    BI_RETURN_WITH_SCRATCH(ctx, compute_far(ctx, points, n, stride, o, z));
}

/* Checks the arguments and data of a call with fewer than two points: its spanning tree has no edge. */
static bosc_status check_few_points(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                    const bosc_hdbscan_opts *o)
{
    const bosc_emst_opts tree = {.size = sizeof tree, .dtype = o->dtype, .dim = o->dim};
    const struct bi_cluster_rows rows = bi_hdbscan_rows(points, n, stride, o);
    const double *to;
    if (n > 0 && o->metric != BOSC_CLUSTER_MINKOWSKI)
        BI_RETURN_WITH_SCRATCH(ctx, bi_cluster_make_directions(ctx, &rows, 0, &to));
    return bosc_emst_compute_mutual(ctx, points, n, stride, &tree, o->min_samples, NULL, NULL, NULL);
}

/* Computes the dendrogram of points in scratch, and labels the points. */
static bosc_status cluster_points(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                  const bosc_hdbscan_opts *o, const struct outputs *to, bosc_hdbscan_info *info)
{
    double *z;
    BI_TRY(bi_scratch_of(ctx, 4 * n, sizeof *z, &z));
    BI_TRY_WITH_SCRATCH(ctx, compute_dendrogram(ctx, points, n, stride, o, z));
    return label_points(ctx, z, n, o, to, info);
}

bosc_status bosc_hdbscan_compute(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                 const bosc_hdbscan_opts *opts, void *labels, double *probabilities,
                                 double *outlier_scores, bosc_hdbscan_info *info)
{
    const struct outputs to = {
        .labels = labels, .probabilities = probabilities, .outlier_scores = outlier_scores, .info = info};
    bosc_hdbscan_opts full;
    BI_ENTER(ctx);
    BI_TRY(bi_hdbscan_check_opts(ctx, opts, &full));
    BI_TRY(check_outputs(ctx, &full, n, &to));
    BI_TRY(bi_hdbscan_check_samples(ctx, &full, n));
    BI_TRY(bi_hdbscan_check_rows(ctx, points, n, stride, &full));
    bosc_hdbscan_info found = {.size = sizeof found, .noise = n};
    bi_progress_set_total(ctx, COMPUTE_ITEMS * (double)n);
    if (n > 1)
        BI_TRY_WITH_SCRATCH(ctx, cluster_points(ctx, points, n, stride, &full, &to, &found));
    else
        BI_TRY(check_few_points(ctx, points, n, stride, &full));
    if (n == 1) BI_TRY(label_one(ctx, &full, &to));
    if (info) bi_copy_info(info, &found, sizeof found);
    return BOSC_OK;
}

/* Computes the dendrogram in scratch, so that z stays unchanged on a failure. */
static bosc_status write_dendrogram(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                    const bosc_hdbscan_opts *o, double *z)
{
    double *made;
    BI_TRY(bi_scratch_of(ctx, 4 * n, sizeof *made, &made));
    BI_TRY_WITH_SCRATCH(ctx, compute_dendrogram(ctx, points, n, stride, o, made));
    BI_TRY(ctx->backend->copy(ctx, z, made, 4 * (size_t)(n - 1) * sizeof *z));
    return ctx->backend->sync(ctx);
}

bosc_status bosc_hdbscan_compute_linkage(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                         const bosc_hdbscan_opts *opts, double *z)
{
    const struct outputs none = {.is_tree = true};
    bosc_hdbscan_opts full;
    BI_ENTER(ctx);
    BI_TRY(bi_hdbscan_check_opts(ctx, opts, &full));
    BI_TRY(check_outputs(ctx, &full, n, &none));
    BI_TRY(bi_hdbscan_check_samples(ctx, &full, n));
    BI_TRY(bi_hdbscan_check_rows(ctx, points, n, stride, &full));
    if (n > 1 && !z) return bi_fail(ctx, BOSC_ERR_ARG, "z: NULL");
    BI_TRY(bi_check_aligned(ctx, "z", z, sizeof *z));
    bi_progress_set_total(ctx, (COMPUTE_ITEMS - SELECT_ITEMS) * (double)n);
    if (n > 1) BI_RETURN_WITH_SCRATCH(ctx, write_dendrogram(ctx, points, n, stride, &full, z));
    return check_few_points(ctx, points, n, stride, &full);
}

bosc_status bosc_hdbscan_bytes(const bosc_ctx *ctx, const bosc_hdbscan_opts *opts, int64_t n, int64_t *bytes)
{
    bosc_ctx *messages = (bosc_ctx *)ctx; /* only its message is written */
    const struct outputs none = {.is_tree = true};
    bosc_hdbscan_opts full;
    int64_t tree, linkage;
    BI_ENTER(messages);
    BI_TRY(bi_hdbscan_check_opts(messages, opts, &full));
    BI_TRY(check_outputs(messages, &full, n, &none));
    BI_TRY(bi_hdbscan_check_samples(messages, &full, n));
    const bool turns = full.metric != BOSC_CLUSTER_MINKOWSKI; /* rows become directions: copies of both, and heights */
    const int32_t dim = bi_cluster_direction_dim(full.metric, full.dim);
    const bool is_order = full.p != 2; /* rows become doubles, and queries of a general search */
    const bosc_emst_opts emst = {.size = sizeof emst, .dtype = turns || is_order ? BOSC_F64 : full.dtype, .dim = dim};
    BI_TRY(bosc_emst_bytes(ctx, &emst, n, full.min_samples, &tree));
    BI_TRY(bosc_linkage_bytes(ctx, NULL, n, &linkage));
    if (!bytes) return bi_fail(messages, BOSC_ERR_ARG, "bytes: NULL");
    *bytes = bi_max_i64(tree, linkage) + n * (BESIDE + (turns      ? 8 * (dim + full.dim + 1)
                                                        : is_order ? 40 * full.dim
                                                                   : 0));
    return BOSC_OK;
}
