/* Each allocation, copy and launch of the calls of HDBSCAN* and of cuts fails in turn. */
#include <stdlib.h>

#include "cases/kdtree/kdtree_data.h"
#include "support/faults.h"
#include "support/saved.h"

enum { N = 40, MIN_SIZE = 3, CLUSTERS = 2 * (N / MIN_SIZE) - 1 };

struct subject {
    struct reference_points points;
    bosc_hdbscan_opts opts;
    double z[4 * (N - 1)];
    bosc_kdtree *tree; /* these and below: of predictions */
    int64_t leaves[N], cluster_count, label_count;
    double densities[N];
    bosc_hdbscan_cluster clusters[CLUSTERS];
    struct {
        int64_t labels[N];
        int64_t count;
        double values[2][N];
        bosc_hdbscan_cluster clusters[CLUSTERS];
        double z[4 * (N - 1)], distances[N * (N - 1) / 2];
        double memberships[N * CLUSTERS];
        int64_t offsets[CLUSTERS + 1];
    } out;
};

static bosc_status compute(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    return bosc_hdbscan_compute(ctx, s->points.data, N, s->points.stride, &s->opts, s->out.labels, s->out.values[0],
                                s->out.values[1], NULL);
}

static bosc_status compute_linkage(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    return bosc_hdbscan_compute_linkage(ctx, s->points.data, N, s->points.stride, &s->opts, s->out.z);
}

static bosc_status select_clusters(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    return bosc_hdbscan_select(ctx, s->z, N, &s->opts, s->out.labels, s->out.values[0], s->out.values[1], NULL);
}

static bosc_status condense(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    return bosc_hdbscan_condense(ctx, s->z, N, &s->opts, s->out.labels, s->out.values[0], s->out.clusters, NULL);
}

static bosc_status cut(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    return bosc_linkage_cut(ctx, s->z, N, s->z[4 * (N / 2) + 2], s->out.labels, &s->out.count);
}

static bosc_status order(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    return bosc_linkage_order(ctx, s->z, N, s->out.labels);
}

static bosc_status cophenet(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    return bosc_linkage_cophenet(ctx, s->z, N, s->out.distances);
}

static void open_tree(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = s->points.dtype, .dim = s->points.dim};
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &opts, &s->tree));
    CHECK_OK(ctx, bosc_kdtree_build(ctx, s->tree, s->points.data, N, s->points.stride));
}

static void close_tree(void *user) { bosc_kdtree_free(((struct subject *)user)->tree); }

static bosc_hdbscan_model model_of(const struct subject *s)
{
    return (bosc_hdbscan_model){.size = sizeof(bosc_hdbscan_model),
                                .tree = s->tree,
                                .leaves = s->leaves,
                                .densities = s->densities,
                                .clusters = s->clusters,
                                .cluster_count = s->cluster_count};
}

static bosc_status predict(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    const bosc_hdbscan_model model = model_of(s);
    return bosc_hdbscan_predict(ctx, &model, &s->opts, s->points.data, N, s->points.stride, s->out.labels,
                                s->out.values[0]);
}

static bosc_status list_exemplars(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    const bosc_hdbscan_model model = model_of(s);
    return bosc_hdbscan_list_exemplars(ctx, &model, s->label_count, s->out.labels, s->out.offsets, &s->out.count);
}

static bosc_status compute_memberships(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    const bosc_hdbscan_model model = model_of(s);
    return bosc_hdbscan_compute_memberships(ctx, &model, s->label_count, s->out.memberships);
}

static bosc_status predict_memberships(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    const bosc_hdbscan_model model = model_of(s);
    return bosc_hdbscan_predict_memberships(ctx, &model, &s->opts, s->points.data, N, s->points.stride, s->label_count,
                                            s->out.memberships);
}

static bosc_status compute_centers(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    const bosc_cluster_opts o = {.size = sizeof o, .dtype = s->points.dtype, .dim = s->points.dim};
    int64_t labels[N];
    for (int i = 0; i < N; i++) labels[i] = i % 4 - 1;
    return bosc_cluster_compute_centers(ctx, s->points.data, N, s->points.stride, &o, labels, NULL, 3, s->out.values[0],
                                        s->out.labels);
}

static bosc_status compute_validity(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    const bosc_cluster_opts o = {.size = sizeof o, .dtype = s->points.dtype, .dim = s->points.dim};
    int64_t labels[N];
    for (int i = 0; i < N; i++) labels[i] = i % 4 - 1;
    return bosc_cluster_compute_validity(ctx, s->points.data, N, s->points.stride, &o, labels, 3, s->out.values[0],
                                         &s->out.values[1][0]);
}

static void of_predictions(bosc_ctx *ctx)
{
    struct suite_random r = {7};
    struct subject s = {.points = kd_points(&r, BOSC_F32, 2, N, 3, KD_CLUSTERS)};
    bosc_hdbscan_info info = {.size = sizeof info};
    bosc_status (*const calls[])(bosc_ctx *, void *) = {predict, list_exemplars, compute_memberships,
                                                        predict_memberships};
    struct fault_sweep sweep = {
        .open = open_tree, .close = close_tree, .user = &s, .outputs = &s.out, .output_bytes = sizeof s.out};
    s.opts = (bosc_hdbscan_opts){.size = sizeof s.opts, .dim = 2, .min_cluster_size = MIN_SIZE};
    CHECK_OK(ctx, bosc_hdbscan_compute_linkage(ctx, s.points.data, N, s.points.stride, &s.opts, s.z));
    CHECK_OK(ctx, bosc_hdbscan_condense(ctx, s.z, N, &s.opts, s.leaves, s.densities, s.clusters, &info));
    s.cluster_count = info.condensed;
    s.label_count = info.clusters;
    for (int k = 0; k < 4; k++) {
        sweep.call = calls[k];
        fault_sweep(ctx, &sweep);
    }
    free((void *)s.points.data);
}

/* Creates a clustering, writes it and reads it back. */
static bosc_status save_and_load(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    bosc_hdbscan *made = NULL, *back = NULL;
    bosc_hdbscan_info info = {.size = sizeof info};
    struct saved bytes = {0};
    bosc_status status = bosc_hdbscan_create(ctx, s->points.data, N, s->points.stride, &s->opts, &made);
    if (status == BOSC_OK) status = bosc_hdbscan_write(ctx, made, saved_append, &bytes);
    if (status == BOSC_OK) status = bosc_hdbscan_read(ctx, saved_deliver, &bytes, &back);
    if (status == BOSC_OK) status = bosc_hdbscan_get_model(ctx, back, NULL, NULL, &info, NULL);
    if (status == BOSC_OK) s->out.count = info.clusters;
    bosc_hdbscan_free(made);
    bosc_hdbscan_free(back);
    free(bytes.bytes);
    return status;
}

static void sweep_calls(bosc_ctx *ctx, bosc_status (*const *calls)(bosc_ctx *, void *), int count)
{
    for (int trial = 0; trial < 2; trial++) {
        struct suite_random r = {(uint64_t)trial};
        struct subject s = {.points = kd_points(&r, trial ? BOSC_F64 : BOSC_F32, 2, N, 3, KD_CLUSTERS)};
        s.opts = (bosc_hdbscan_opts){
            .size = sizeof s.opts, .dtype = s.points.dtype, .dim = s.points.dim, .min_cluster_size = MIN_SIZE};
        CHECK_OK(ctx, bosc_hdbscan_compute_linkage(ctx, s.points.data, N, s.points.stride, &s.opts, s.z));
        for (int k = 0; k < count; k++) {
            struct fault_sweep sweep = {.call = calls[k], .user = &s, .outputs = &s.out, .output_bytes = sizeof s.out};
            fault_sweep(ctx, &sweep);
        }
        free((void *)s.points.data);
    }
}

static void of_points(bosc_ctx *ctx)
{
    bosc_status (*const calls[])(bosc_ctx *, void *) = {compute, compute_linkage, compute_centers, compute_validity,
                                                        save_and_load};
    sweep_calls(ctx, calls, 5);
}

static void of_dendrograms(bosc_ctx *ctx)
{
    bosc_status (*const calls[])(bosc_ctx *, void *) = {select_clusters, condense, cut, order, cophenet};
    sweep_calls(ctx, calls, 5);
}

static const struct suite_case suite_cases_hdbscan_faults[] = {
    {"of points", of_points, NULL},
    {"of dendrograms", of_dendrograms, NULL},
    {"of predictions", of_predictions, NULL},
};
SUITE(hdbscan_faults);
