/* boscage clouds knn, radius, sample: many clouds of points in one file. */
#include <boscage/clouds.h>
#include <math.h>
#include <stdlib.h>

#include "tool/commands/commands.h"
#include "tool/commands/points.h"
#include "tool/job.h"
#include "tool/options/option_table.h"
#include "tool/options/values.h"
#include "tool/output/arrays.h"
#include "tool/output/report.h"
#include "tool/tool.h"

/* The clouds of a file, and queries of them. */
struct cloud_search {
    bosc_array points, queries;
    int64_t *offsets, *query_offsets;
    int64_t count, m; /* clouds, queries */
    double scale;     /* power of two by which points, queries and radii are multiplied */
    bosc_clouds *clouds;
    bosc_clouds_queries around;
};

static void close_clouds(struct cloud_search *s)
{
    bosc_array_free(&s->points);
    bosc_array_free(&s->queries);
    free(s->offsets);
    free(s->query_offsets);
    bosc_clouds_free(s->clouds);
}

/* ---- input ---- */

/* Reads the queries and their clouds; without --queries they are the points. */
static int read_queries(struct job *job, struct cloud_search *s)
{
    const char *path = job->value[OPT_QUERIES];
    int64_t count;
    s->around = (bosc_clouds_queries){.size = sizeof s->around, .exclude_self = job->value[OPT_EXCLUDE_SELF] != NULL};
    s->m = s->points.shape[0];
    if (!path) return EXIT_DONE;
    /* 1. Points of the batch's type. */
    int code = points_read(job, path, &s->queries);
    if (code) return code;
    s->m = s->queries.shape[0];
    if (s->queries.shape[1] != s->points.shape[1])
        return report_error(EXIT_FAILED, "%s: the queries have %lld coordinates, but the points have %lld", path,
                            (long long)s->queries.shape[1], (long long)s->points.shape[1]);
    if ((code = match_points(job, path, &s->queries, s->points.dtype))) return code;
    /* 2. Their clouds. */
    if (!job->value[OPT_QUERY_CLOUDS] && s->count != 1)
        return report_error(EXIT_USAGE, "--query-clouds: is missing, but there are %lld clouds", (long long)s->count);
    code = offsets_read(job, job->value[OPT_QUERY_CLOUDS], s->m, "queries", &s->query_offsets, &count);
    if (!code && count != s->count)
        code = report_error(EXIT_FAILED, "%s: %lld clouds of queries, but %lld of points", job->value[OPT_QUERY_CLOUDS],
                            (long long)count, (long long)s->count);
    s->around.points = s->queries.data;
    s->around.count = s->m;
    s->around.offsets = s->query_offsets;
    return code;
}

/* Returns the largest magnitude of an array of floats or doubles; infinities do not count. */
static double find_largest(const bosc_array *a)
{
    const int64_t numbers = a->data ? a->shape[0] * a->shape[1] : 0;
    double largest = 0;
    for (int64_t i = 0; i < numbers; i++) {
        const double x =
            fabs(a->dtype == BOSC_F32 ? (double)((const float *)a->data)[i] : ((const double *)a->data)[i]);
        if (x > largest && x < INFINITY) largest = x;
    }
    return largest;
}

/* True if no square of a difference overflows, and squares of differences near the largest magnitude keep full
 * precision. The bounds are those of k-d trees. Squares in a tiny cloud beside an ordinary one may vanish. */
static bool is_ordinary(bosc_dtype dtype, double largest)
{
    if (dtype == BOSC_F32) return largest == 0 || (largest > 0x1p-40 && largest <= 0x1p57);
    return largest == 0 || (largest > 0x1p-459 && largest <= 0x1p505);
}

/* Multiplies doubles by a power of two. */
static void scale_array(bosc_array *a, double scale)
{
    for (int64_t i = 0; a->data && i < a->shape[0] * a->shape[1]; i++) ((double *)a->data)[i] *= scale;
}

/* Batches of clouds do not rescale squares. So if the largest magnitude is not ordinary, floats become doubles, and
 * doubles are scaled until it is about 2^500. */
static int make_ordinary(const char *path, struct cloud_search *s)
{
    bosc_io_error error;
    const double largest = fmax(find_largest(&s->points), find_largest(&s->queries));
    s->scale = 1;
    if (is_ordinary(s->points.dtype, largest)) return EXIT_DONE;
    if (s->points.dtype == BOSC_F32) {
        bosc_status status = bosc_array_convert(path, &s->points, BOSC_F64, 0, &error);
        if (status == BOSC_OK && s->queries.data) status = bosc_array_convert(path, &s->queries, BOSC_F64, 0, &error);
        s->around.points = s->queries.data;
        return status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
    }
    const int exponent = 500 - ilogb(largest);
    s->scale = ldexp(1, exponent < 1023 ? exponent : 1023);
    scale_array(&s->points, s->scale);
    scale_array(&s->queries, s->scale);
    return EXIT_DONE;
}

/* Turns squared distances of scaled points into distances. */
static void make_distances(const struct cloud_search *s, double *distances, int64_t count)
{
    squares_to_distances(s->points.dtype, distances, count);
    for (int64_t i = 0; i < count && s->scale != 1; i++) distances[i] /= s->scale;
}

/* Reads the clouds and builds the batch. */
static int open_clouds(struct job *job, struct cloud_search *s)
{
    const char *path = job->operands[0];
    int code = points_read(job, path, &s->points);
    if (!code) code = points_make_real(path, &s->points);
    if (!code) code = offsets_read(job, job->value[OPT_CLOUDS], s->points.shape[0], "points", &s->offsets, &s->count);
    if (code) return code;
    job_set_integer(job, "n", s->points.shape[0]);
    job_set_integer(job, "clouds", s->count);
    if ((code = read_queries(job, s)) || (code = make_ordinary(path, s))) return code;
    const bosc_clouds_opts opts = {.size = sizeof opts, .dtype = s->points.dtype, .dim = (int32_t)s->points.shape[1]};
    const double start = job_now();
    bosc_status status = bosc_clouds_create(job->ctx, &opts, &s->clouds);
    if (status == BOSC_OK)
        status = bosc_clouds_build(job->ctx, s->clouds, s->points.data, s->points.shape[0], 0, s->offsets, s->count);
    job_add_seconds(job, "build", start);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
}

/* Refuses options that do not go together, opens the job, and builds the batch. */
static int open_search(struct job *job, struct cloud_search *s)
{
    if (job->value[OPT_QUERY_CLOUDS] && !job->value[OPT_QUERIES])
        return report_error(EXIT_USAGE, "--queries: is missing, but --query-clouds is given");
    if (job->value[OPT_EXCLUDE_SELF] && job->value[OPT_QUERIES])
        return report_error(EXIT_USAGE, "--exclude-self: not with --queries");
    int code = job_open(job);
    if (!code) code = open_clouds(job, s);
    if (!code) job_set_integer(job, "m", s->m);
    return code;
}

/* ---- knn ---- */

static int find_nearest(struct job *job, const struct cloud_search *s, int64_t k, double within)
{
    const char *paths[] = {job->value[OPT_OUTPUT], job->value[OPT_DISTANCES]};
    int64_t entries;
    if (__builtin_mul_overflow(s->m, k, &entries))
        return report_error(EXIT_FAILED, "-k: out of memory for %lld neighbours of %lld queries", (long long)k,
                            (long long)s->m);
    bosc_array ids = {.dtype = BOSC_I64, .rank = 2, .shape = {s->m, k, 1, 1}};
    bosc_array distances = {.dtype = BOSC_F64, .rank = 2, .shape = {s->m, k, 1, 1}};
    /* 1. Search. */
    int code = EXIT_FAILED;
    ids.data = job_alloc((size_t)entries, sizeof(int64_t));
    if (ids.data && paths[1]) distances.data = job_alloc((size_t)entries, sizeof(double));
    if (ids.data && (distances.data || !paths[1])) {
        const double start = job_now();
        const bosc_status status =
            bosc_clouds_knn(job->ctx, s->clouds, &s->around, k, within * s->scale, ids.data, distances.data);
        job_add_seconds(job, "search", start);
        code = status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
    }
    /* 2. Write. */
    if (!code && paths[1]) make_distances(s, distances.data, entries);
    if (!code) code = arrays_write(job, paths, (const bosc_array[]){ids, distances}, 2);
    bosc_array_free(&ids);
    bosc_array_free(&distances);
    return code;
}

int run_clouds_knn(struct job *job)
{
    struct cloud_search s = {.count = 0};
    int64_t k = 0;
    double within = INFINITY;
    int code = option_integer(job, OPT_K, 1, INT32_MAX, &k);
    if (!code) code = option_number(job, OPT_WITHIN, 0, &within);
    if (code) return code;
    code = open_search(job, &s);
    if (!code) code = find_nearest(job, &s, k, within);
    job_set_integer(job, "k", k);
    close_clouds(&s);
    return code;
}

/* ---- radius ---- */

/* Lists the ids, and the distances if requested, once the offsets are known. */
static int fill_rows(struct job *job, const struct cloud_search *s, double radius, int64_t *offsets, bosc_array *ids,
                     bosc_array *distances)
{
    const int64_t pairs = offsets[s->m];
    ids->shape[0] = distances->shape[0] = pairs;
    ids->data = job_alloc((size_t)pairs, sizeof(int64_t));
    if (ids->data && job->value[OPT_DISTANCES]) distances->data = job_alloc((size_t)pairs, sizeof(double));
    if (!ids->data || (job->value[OPT_DISTANCES] && !distances->data)) return EXIT_FAILED;
    const double start = job_now();
    const bosc_status status =
        bosc_clouds_radius(job->ctx, s->clouds, &s->around, radius, offsets, ids->data, distances->data, pairs);
    job_add_seconds(job, "search", start);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    if (distances->data) make_distances(s, distances->data, pairs);
    return EXIT_DONE;
}

/* Counts the neighbours, lists them if requested, and writes. */
static int find_within(struct job *job, const struct cloud_search *s, double radius)
{
    const char *paths[] = {job->value[OPT_OFFSETS], job->value[OPT_OUTPUT], job->value[OPT_DISTANCES]};
    bosc_array offsets = {.dtype = BOSC_I64, .rank = 1, .shape = {s->m + 1, 1, 1, 1}};
    bosc_array ids = {.dtype = BOSC_I64, .rank = 1, .shape = {0, 1, 1, 1}};
    bosc_array distances = {.dtype = BOSC_F64, .rank = 1, .shape = {0, 1, 1, 1}};
    offsets.data = job_alloc((size_t)s->m + 1, sizeof(int64_t));
    if (!offsets.data) return EXIT_FAILED;
    const double start = job_now();
    const bosc_status status = bosc_clouds_radius(job->ctx, s->clouds, &s->around, radius, offsets.data, NULL, NULL, 0);
    job_add_seconds(job, "count", start);
    int code = status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
    if (!code && (paths[1] || paths[2])) code = fill_rows(job, s, radius, offsets.data, &ids, &distances);
    if (!code) {
        job_set_integer(job, "pairs", ((const int64_t *)offsets.data)[s->m]);
        code = arrays_write(job, paths, (const bosc_array[]){offsets, ids, distances}, 3);
    }
    bosc_array_free(&offsets);
    bosc_array_free(&ids);
    bosc_array_free(&distances);
    return code;
}

int run_clouds_radius(struct job *job)
{
    struct cloud_search s = {.count = 0};
    double radius = 0;
    const enum option rows = job->value[OPT_OUTPUT] ? OPT_OUTPUT : OPT_DISTANCES;
    if (job->value[rows] && !job->value[OPT_OFFSETS])
        return report_error(EXIT_USAGE, "--offsets: is missing, but %s is given", option_flag(rows));
    int code = option_number(job, OPT_RADIUS, 0, &radius);
    if (code) return code;
    code = open_search(job, &s);
    if (!code) code = find_within(job, &s, radius * s.scale);
    close_clouds(&s);
    return code;
}

/* ---- sample ---- */

static int sample_clouds(struct job *job, const struct cloud_search *s, double ratio)
{
    const char *paths[] = {job->value[OPT_OUTPUT], job->value[OPT_OFFSETS]};
    bosc_array rows = {.dtype = BOSC_I64, .rank = 1, .shape = {s->points.shape[0], 1, 1, 1}};
    bosc_array offsets = {.dtype = BOSC_I64, .rank = 1, .shape = {s->count + 1, 1, 1, 1}};
    int64_t count = 0;
    int code = EXIT_FAILED;
    rows.data = job_alloc((size_t)rows.shape[0], sizeof(int64_t));
    offsets.data = job_alloc((size_t)offsets.shape[0], sizeof(int64_t));
    if (rows.data && offsets.data) {
        const double start = job_now();
        const bosc_status status =
            bosc_clouds_sample_ratio(job->ctx, s->clouds, ratio, NULL, offsets.data, rows.data, rows.shape[0], &count);
        job_add_seconds(job, "sample", start);
        code = status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
    }
    rows.shape[0] = count;
    job_set_integer(job, "samples", count);
    if (!code) code = arrays_write(job, paths, (const bosc_array[]){rows, offsets}, 2);
    bosc_array_free(&rows);
    bosc_array_free(&offsets);
    return code;
}

int run_clouds_sample(struct job *job)
{
    struct cloud_search s = {.count = 0};
    double ratio = 0;
    int code = option_number(job, OPT_RATIO, 0, &ratio);
    if (code) return code;
    if (!(ratio > 0 && ratio <= 1))
        return report_error(EXIT_USAGE, "--ratio: %g is not more than 0 and at most 1", ratio);
    code = job_open(job);
    if (!code) code = open_clouds(job, &s);
    if (!code) code = sample_clouds(job, &s, ratio);
    close_clouds(&s);
    return code;
}
