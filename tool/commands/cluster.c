/* boscage cluster dbscan and fof: clusters of points within a distance. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <boscage/ranks/cluster.h>

#include "render/cluster_picture.h"
#include "tool/commands/clusters.h"
#include "tool/commands/commands.h"
#include "tool/commands/points.h"
#include "tool/job.h"
#include "tool/options/values.h"
#include "tool/output/arrays.h"
#include "tool/output/report.h"
#include "tool/ranks.h"
#include "tool/tool.h"

enum { METRIC_EUCLIDEAN, METRIC_MANHATTAN, METRIC_CHEBYSHEV, METRIC_HAVERSINE, METRIC_COSINE };
enum { DEFAULT_MIN_SAMPLES = 5, PICTURE_WIDTH = 1600, PICTURE_LEAST = 100, PICTURE_MOST = 20000 };

/* The points of a file, and their clusters. */
struct clustering {
    const char *path;
    bosc_array points, labels, core;
    double periods[DIM_MAX];
    bosc_dbscan_opts opts;
    bosc_dbscan_info info;
};

static void free_clustering(struct clustering *s)
{
    bosc_array_free(&s->points);
    bosc_array_free(&s->labels);
    bosc_array_free(&s->core);
}

/* Reads the points, and allocates the outputs. */
static int read_points(struct job *job, struct clustering *s)
{
    s->path = job->operands[0];
    const int code = points_read(job, s->path, &s->points);
    if (code) return code;
    const int64_t n = s->points.shape[0];
    job_set_integer(job, "n", n);
    if (s->points.shape[1] > DIM_MAX)
        return report_error(EXIT_FAILED, "%s: the points have %lld coordinates, but a tree takes at most %d", s->path,
                            (long long)s->points.shape[1], DIM_MAX);
    s->opts.size = sizeof s->opts;
    s->info.size = sizeof s->info;
    s->opts.dtype = s->points.dtype;
    s->opts.dim = (int32_t)s->points.shape[1];
    s->labels = (bosc_array){.dtype = BOSC_I64, .rank = 1, .shape = {n, 1, 1, 1}};
    s->core = (bosc_array){.dtype = BOSC_I64, .rank = 1};
    s->labels.data = job_alloc((size_t)n, sizeof(int64_t));
    s->core.data = s->labels.data ? job_alloc((size_t)n, sizeof(int64_t)) : NULL;
    return s->core.data ? EXIT_DONE : EXIT_FAILED;
}

/* A clustering over ranks. */
struct shared_clustering {
    struct clustering *s;
    double eps;
    int64_t min_samples;
    uint8_t *flags;          /* of core points */
    bosc_dbscan_info *infos; /* of each rank: all equal */
};

static bosc_status cluster_slice(const struct rank *r, void *user)
{
    const struct shared_clustering *c = user;
    const struct clustering *s = c->s;
    int64_t begin, n = rank_slice(r, s->points.shape[0], &begin);
    bosc_dbscan_info info = {.size = sizeof info};
    const bosc_status status =
        bosc_ranks_dbscan_compute(r->ctx, r->comm, array_row(&s->points, begin), n, 0, c->eps, c->min_samples, &s->opts,
                                  array_row(&s->labels, begin), c->flags + begin, &info);
    c->infos[r->number] = info;
    rank_name_points(r, status, s->path);
    return status;
}

/* Each rank clusters a slice of the points. */
static int cluster_over_ranks(struct job *job, const struct ranks *ranks, struct shared_clustering *c)
{
    const int64_t n = c->s->points.shape[0];
    c->infos = ranks_alloc(ranks, sizeof *c->infos);
    int code = c->infos ? ranks_run(job, ranks, "cluster", cluster_slice, c) : EXIT_FAILED;
    if (!code) code = ranks_gather_slices(ranks, n, c->s->labels.data, sizeof(int64_t));
    if (!code) code = ranks_gather_slices(ranks, n, c->flags, 1);
    if (!code) c->s->info = c->infos[ranks->first];
    free(c->infos);
    return code;
}

static int cluster_alone(struct job *job, struct shared_clustering *c)
{
    struct clustering *s = c->s;
    const double start = job_now();
    const bosc_status status = bosc_dbscan_compute(job->ctx, s->points.data, s->points.shape[0], 0, c->eps,
                                                   c->min_samples, &s->opts, s->labels.data, c->flags, &s->info);
    job_add_seconds(job, "cluster", start);
    return status == BOSC_OK ? EXIT_DONE : clusters_report_error(job, s->path, status);
}

/* Finds the clusters, and lists the rows of the core points. */
static int find_clusters(struct job *job, const struct ranks *ranks, struct clustering *s, double eps,
                         int64_t min_samples)
{
    struct shared_clustering c = {.s = s, .eps = eps, .min_samples = min_samples};
    int64_t *rows = s->core.data, count = 0;
    c.flags = job_alloc((size_t)s->points.shape[0], 1);
    if (!c.flags) return EXIT_FAILED;
    const int code = ranks->count ? cluster_over_ranks(job, ranks, &c) : cluster_alone(job, &c);
    for (int64_t i = 0; i < s->points.shape[0] && !code; i++)
        if (c.flags[i]) rows[count++] = i;
    s->core.shape[0] = count;
    s->core.shape[1] = s->core.shape[2] = s->core.shape[3] = 1;
    free(c.flags);
    return code;
}

int clusters_allocate(bosc_array *array, bosc_dtype dtype, int32_t rank, int64_t rows, int64_t columns)
{
    *array = (bosc_array){.dtype = dtype, .rank = rank, .shape = {rows, columns, 1, 1}};
    array->data = job_alloc((size_t)rows * (size_t)columns, 8);
    return array->data ? EXIT_DONE : EXIT_FAILED;
}

int clusters_report_error(const struct job *job, const char *path, bosc_status status)
{
    static const char *const files[] = {"points: ", "queries: "}; /* arguments of the library's calls */
    static const char squares[] = "dist2: entry ";
    const char *message = bosc_ctx_message(job->ctx);
    for (int k = 0; k < 2; k++)
        if (strncmp(message, files[k], strlen(files[k])) == 0)
            return report_error(EXIT_FAILED, "%s: %s", path, message + strlen(files[k]));
    if (strncmp(message, squares, sizeof squares - 1) == 0)
        return report_error(
            EXIT_FAILED, "%s: the square of a distance is out of range; multiply the points by a power of two", path);
    return report_ctx_error(job->ctx, status);
}

int clusters_draw_picture(struct job *job, const bosc_array *points, const int64_t *labels)
{
    int64_t width = PICTURE_WIDTH;
    struct canvas canvas;
    bosc_io_error error;
    if (!job->value[OPT_PNG] || job->silent) return EXIT_DONE;
    const int code = option_integer(job, OPT_WIDTH, PICTURE_LEAST, PICTURE_MOST, &width);
    if (code) return code;
    const double start = job_now();
    if (!canvas_open(&canvas, (int)width, cluster_picture_height(points, (int)width), colour_of(0x101418)))
        return report_error(EXIT_FAILED, "out of memory");
    cluster_picture_draw(&canvas, points, labels);
    const bosc_status status = canvas_write(&canvas, job->value[OPT_PNG], &error);
    canvas_close(&canvas);
    job_add_seconds(job, "picture", start);
    return status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
}

int clusters_check_picture(const struct job *job)
{
    static const char *const endings[] = {".png", NULL};
    int64_t width;
    const int code = option_ending(job, OPT_PNG, endings);
    if (code) return code;
    if (job->value[OPT_WIDTH] && !job->value[OPT_PNG]) return report_error(EXIT_USAGE, "--width: needs --png");
    return option_integer(job, OPT_WIDTH, PICTURE_LEAST, PICTURE_MOST, &width);
}

/* Writes the arrays that have paths, and the picture. */
static int write_outputs(struct job *job, const struct clustering *s)
{
    const char *paths[] = {job->value[OPT_OUTPUT], job->value[OPT_CORE]};
    const int code = arrays_write(job, paths, (const bosc_array[]){s->labels, s->core}, 2);
    return code ? code : clusters_draw_picture(job, &s->points, s->labels.data);
}

/* ---- cluster dbscan ---- */

static void set_metric(struct clustering *s, int metric)
{
    if (metric == METRIC_MANHATTAN) s->opts.p = 1;
    if (metric == METRIC_CHEBYSHEV) s->opts.p = INFINITY;
    if (metric == METRIC_HAVERSINE) s->opts.metric = BOSC_CLUSTER_HAVERSINE;
    if (metric == METRIC_COSINE) s->opts.metric = BOSC_CLUSTER_COSINE;
}

int run_cluster_dbscan(struct job *job)
{
    struct clustering s = {.path = NULL};
    int64_t min_samples = DEFAULT_MIN_SAMPLES;
    double eps = 0;
    struct ranks ranks;
    int metric = METRIC_EUCLIDEAN, code;
    /* 1. Options. */
    if ((code = option_number(job, OPT_EPS, 0, &eps)) ||
        (code = option_integer(job, OPT_MIN_SAMPLES, 1, INT64_MAX, &min_samples)) ||
        (code = option_choice(job, OPT_METRIC, &metric)) || (code = clusters_check_picture(job)) ||
        (code = job_open(job)))
        return code;
    /* 2. Points and clusters. */
    code = ranks_open(job, &ranks);
    if (!code) code = read_points(job, &s);
    if (!code && metric == METRIC_HAVERSINE && s.opts.dim != 2)
        code = report_error(EXIT_FAILED, "%s: %d coordinates; haversine needs latitude and longitude", s.path,
                            (int)s.opts.dim);
    if (!code) {
        set_metric(&s, metric);
        code = find_clusters(job, &ranks, &s, eps, min_samples);
    }
    /* 3. Results. */
    if (!code && !job->silent) {
        job_set_integer(job, "clusters", s.info.clusters);
        job_set_integer(job, "core", s.info.core);
        job_set_integer(job, "border", s.info.border);
        job_set_integer(job, "noise", s.info.noise);
        code = write_outputs(job, &s);
    }
    free_clustering(&s);
    ranks_close(&ranks, code);
    return code;
}

/* ---- cluster fof ---- */

/* Reads --period: one number for all coordinates, or one each. */
static int read_periods(const struct job *job, struct clustering *s)
{
    const char *text = job->value[OPT_PERIOD];
    if (!text) return EXIT_DONE;
    const int32_t dim = s->opts.dim;
    const bool each = strchr(text, ',') != NULL;
    const int code = option_numbers(job, OPT_PERIOD, each ? dim : 1, s->periods);
    if (code) return code;
    for (int32_t c = 0; c < dim; c++) {
        if (!each) s->periods[c] = s->periods[0];
        if (s->periods[c] < 0) return report_error(EXIT_USAGE, "--period: %g is less than 0", s->periods[c]);
    }
    s->opts.periods = s->periods;
    return EXIT_DONE;
}

/* Returns the points of the largest group. */
static int64_t largest_group(const struct clustering *s)
{
    const int64_t *labels = s->labels.data;
    int64_t *sizes = s->core.data, largest = 0; /* rows of core points, which are no output here */
    memset(sizes, 0, (size_t)s->points.shape[0] * sizeof *sizes);
    for (int64_t i = 0; i < s->points.shape[0]; i++)
        if (labels[i] >= 0 && ++sizes[labels[i]] > largest) largest = sizes[labels[i]]; /* -1: an infinite point */
    return largest;
}

int run_cluster_fof(struct job *job)
{
    struct clustering s = {.path = NULL};
    double radius = 0;
    struct ranks ranks;
    int code;
    if ((code = option_number(job, OPT_RADIUS, 0, &radius)) || (code = clusters_check_picture(job)) ||
        (code = job_open(job)))
        return code;
    code = ranks_open(job, &ranks);
    if (!code) code = read_points(job, &s);
    if (!code) code = read_periods(job, &s);
    if (!code) code = find_clusters(job, &ranks, &s, radius, 1);
    if (!code && !job->silent) {
        job_set_integer(job, "groups", s.info.clusters);
        job_set_integer(job, "largest", largest_group(&s));
        code = write_outputs(job, &s);
    }
    free_clustering(&s);
    ranks_close(&ranks, code);
    return code;
}
