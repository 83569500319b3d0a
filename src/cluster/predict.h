/* Shared by predictions and memberships: models, and the nearest points of queries. */
#ifndef BI_CLUSTER_PREDICT_H
#define BI_CLUSTER_PREDICT_H

#include "cluster/cluster.h"
#include "cluster/steps/predict.h"

struct bi_predict_call {
    bosc_hdbscan_model model; /* full */
    bosc_hdbscan_opts opts;   /* full */
    const void *queries;
    int64_t query_count, stride;
};

/* Checks the pointers and numbers of the model; fills in the defaults. */
bosc_status bi_predict_check_model(bosc_ctx *ctx, const bosc_hdbscan_model *model, bosc_hdbscan_model *full);

/* Checks the queries and min_samples of a call with a full model; `out`: its output, of that name. */
bosc_status bi_predict_check_queries(bosc_ctx *ctx, const struct bi_predict_call *call, const char *name,
                                     const void *out);

/* Stages the arrays of the model, and checks them. args has n and count. Waits. */
bosc_status bi_predict_stage_model(bosc_ctx *ctx, const bosc_hdbscan_model *model, struct bi_hdbscan_predict *args);

/* Computes the squared core distances of the points of a tree, each of its min_samples-th neighbour. */
bosc_status bi_predict_compute_cores(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t min_samples, void *core);

/* Sets *args to the staged model and the nearest points of the queries, in scratch. */
bosc_status bi_predict_find_near(bosc_ctx *ctx, const struct bi_predict_call *call, struct bi_hdbscan_predict *args);

#endif
