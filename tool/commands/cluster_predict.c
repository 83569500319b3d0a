/* boscage cluster predict and validity: clusters of new points, and scores of clusters. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <boscage/cluster.h>

#include "tool/commands/clusters.h"
#include "tool/commands/commands.h"
#include "tool/commands/points.h"
#include "tool/job.h"
#include "tool/output/arrays.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"
#include "tool/tool.h"

/* ---- cluster predict ---- */

/* A saved clustering, and new points. */
struct prediction {
    bosc_hdbscan *clustering;
    bosc_hdbscan_model model;
    bosc_hdbscan_opts opts;
    bosc_hdbscan_info info;
    bosc_array points, labels, probabilities, memberships;
};

static void free_prediction(struct prediction *s)
{
    bosc_hdbscan_free(s->clustering);
    bosc_array_free(&s->points);
    bosc_array_free(&s->labels);
    bosc_array_free(&s->probabilities);
    bosc_array_free(&s->memberships);
}

/* Loads the clustering, and reads the points. */
static int read_inputs(struct job *job, struct prediction *s)
{
    const char *path = job->operands[1];
    bosc_io_error error;
    int code;
    /* 1. The clustering. */
    const double start = job_now();
    bosc_status status = bosc_hdbscan_load(job->ctx, job->operands[0], &s->clustering, &error);
    job_add_seconds(job, "read", start);
    if (status != BOSC_OK) return report_io_error(status, &error);
    s->model.size = sizeof s->model;
    s->opts.size = sizeof s->opts;
    s->info.size = sizeof s->info;
    status = bosc_hdbscan_get_model(job->ctx, s->clustering, &s->model, &s->opts, &s->info, NULL);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    s->opts.label_bits = 64;
    /* 2. The points, as its type. */
    if ((code = points_read(job, path, &s->points)) || (code = match_points(job, path, &s->points, s->opts.dtype)))
        return code;
    if (s->points.shape[1] != s->opts.dim)
        return report_error(EXIT_FAILED, "%s: %lld coordinates, but those of %s have %d", path,
                            (long long)s->points.shape[1], job->operands[0], (int)s->opts.dim);
    const int64_t n = s->points.shape[0];
    if ((code = clusters_allocate(&s->labels, BOSC_I64, 1, n, 1)) ||
        (code = clusters_allocate(&s->probabilities, BOSC_F64, 1, n, 1)))
        return code;
    return job->value[OPT_MEMBERSHIP] ? clusters_allocate(&s->memberships, BOSC_F64, 2, n, s->info.clusters)
                                      : EXIT_DONE;
}

/* Predicts clusters, and memberships if they are requested. */
static bosc_status predict(struct job *job, struct prediction *s)
{
    const int64_t n = s->points.shape[0];
    const double start = job_now();
    bosc_status status = bosc_hdbscan_predict(job->ctx, &s->model, &s->opts, s->points.data, n, 0, s->labels.data,
                                              s->probabilities.data);
    if (status == BOSC_OK && job->value[OPT_MEMBERSHIP])
        status = bosc_hdbscan_predict_memberships(job->ctx, &s->model, &s->opts, s->points.data, n, 0, s->info.clusters,
                                                  s->memberships.data);
    job_add_seconds(job, "predict", start);
    return status;
}

int run_cluster_predict(struct job *job)
{
    struct prediction s = {.clustering = NULL};
    int code = job_open(job);
    if (!code) code = read_inputs(job, &s);
    if (!code) {
        const bosc_status status = predict(job, &s);
        if (status != BOSC_OK) code = clusters_report_error(job, job->operands[1], status);
    }
    if (!code) {
        const char *paths[] = {job->value[OPT_OUTPUT], job->value[OPT_PROBABILITIES], job->value[OPT_MEMBERSHIP]};
        const int64_t *labels = s.labels.data, n = s.points.shape[0];
        int64_t noise = 0;
        for (int64_t i = 0; i < n; i++) noise += labels[i] < 0;
        job_set_integer(job, "n", n);
        job_set_integer(job, "clusters", s.info.clusters);
        job_set_integer(job, "noise", noise);
        code = arrays_write(job, paths, (const bosc_array[]){s.labels, s.probabilities, s.memberships}, 3);
    }
    free_prediction(&s);
    return code;
}

/* ---- cluster validity ---- */

/* Reads labels: one integer a point, also from a text as the tool writes it. *clusters = the greatest label and 1. */
static int read_labels(const char *path, int64_t n, bosc_array *labels, int64_t *clusters)
{
    bosc_io_error error;
    bosc_array read = {0};
    const bool text = path_is_text(path);
    int code = EXIT_DONE;
    bosc_status status = text ? bosc_points_read(path, &read, &error) : bosc_npy_read(path, &read, &error);
    if (status != BOSC_OK) return report_io_error(status, &error);
    if (text && read.shape[1] == 1) read.rank = 1;
    status = bosc_array_convert(path, &read, BOSC_F64, 1, &error);
    if (status != BOSC_OK)
        code = report_io_error(status, &error);
    else if (read.rank != 1 || read.shape[0] != n)
        code = report_error(EXIT_FAILED, "%s: not the labels of %lld points", path, (long long)n);
    if (!code) code = clusters_allocate(labels, BOSC_I64, 1, n, 1);
    for (int64_t i = 0; !code && i < n; i++) {
        const double label = ((const double *)read.data)[i];
        if (!(label >= -0x1p53 && label < (double)n && label == floor(label)))
            code = report_error(EXIT_FAILED, "%s: row %lld is no label below %lld", path, (long long)i, (long long)n);
        else
            ((int64_t *)labels->data)[i] = (int64_t)label;
        if (!code && (int64_t)label >= *clusters) *clusters = (int64_t)label + 1;
    }
    bosc_array_free(&read);
    return code;
}

int run_cluster_validity(struct job *job)
{
    bosc_array points = {.data = NULL}, labels = {.data = NULL}, scores = {.data = NULL};
    bosc_cluster_opts opts = {.size = sizeof opts};
    int64_t clusters = 0;
    double index = 0;
    /* 1. Points and labels. */
    int code = job_open(job);
    if (!code) code = points_read(job, job->operands[0], &points);
    if (!code) code = read_labels(job->operands[1], points.shape[0], &labels, &clusters);
    if (!code) code = clusters_allocate(&scores, BOSC_F64, 1, clusters, 1);
    /* 2. Scores. */
    if (!code) {
        opts.dtype = points.dtype;
        opts.dim = (int32_t)points.shape[1];
        opts.raw_distances = job->value[OPT_RAW_DISTANCES] != NULL;
        const double start = job_now();
        const bosc_status status = bosc_cluster_compute_validity(job->ctx, points.data, points.shape[0], 0, &opts,
                                                                 labels.data, clusters, scores.data, &index);
        job_add_seconds(job, "validity", start);
        if (status != BOSC_OK) code = clusters_report_error(job, job->operands[0], status);
    }
    /* 3. Results. */
    if (!code) {
        const char *paths[] = {job->value[OPT_OUTPUT]};
        job_set_integer(job, "n", points.shape[0]);
        job_set_integer(job, "clusters", clusters);
        job_set_number(job, "validity", index);
        code = arrays_write(job, paths, &scores, 1);
    }
    bosc_array_free(&points);
    bosc_array_free(&labels);
    bosc_array_free(&scores);
    return code;
}
