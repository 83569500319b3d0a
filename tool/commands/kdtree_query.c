/* boscage kdtree knn, radius, box */
#include "tool/commands/points.h"
#include "tool/commands/commands.h"
#include "tool/commands/over_ranks.h"
#include "tool/commands/trees.h"
#include "tool/job.h"
#include "tool/options/values.h"
#include "tool/options/option_table.h"
#include "tool/output/arrays.h"
#include "tool/output/report.h"
#include "tool/ranks.h"
#include "tool/tool.h"

/* ---- knn and radius ---- */

/* A tree and its queries. */
struct tree_search {
    bosc_kdtree *tree;
    bosc_kdtree_info info;
    bosc_array queries;
    int64_t m;
};

static int open_search(struct job *job, struct tree_search *s)
{
    bosc_kdtree_opts opts = {0};
    const char *path = job->value[OPT_QUERIES];
    *s = (struct tree_search){.info = {.size = sizeof s->info}};
    int code = tree_read(job, job->operands[0], &opts, &s->tree);
    if (!code) code = points_read(job, path, &s->queries);
    if (code) return code;
    bosc_kdtree_get_info(job->ctx, s->tree, &s->info);
    s->m = s->queries.shape[0];
    if (s->queries.shape[1] != s->info.dim)
        return report_error(EXIT_FAILED, "%s: the queries have %lld coordinates, but the points have %d", path,
                            (long long)s->queries.shape[1], s->info.dim);
    return match_points(job, path, &s->queries, s->info.dtype);
}

static void close_search(struct tree_search *s)
{
    bosc_array_free(&s->queries);
    bosc_kdtree_free(s->tree);
}

/* Finds the k nearest of each query. distances: may be NULL. */
static bosc_status find_ids(struct job *job, const struct tree_search *s, int64_t k, double within, void *ids,
                            double *distances)
{
    const bool bounded = job->value[OPT_WITHIN];
    const void *queries = s->queries.data;
    const bosc_kdtree_query_opts opts = {
        .size = sizeof opts, .bounds = bounded ? &within : NULL, .bound_count = bounded};
    if (distances) return bosc_kdtree_knn_metric(job->ctx, s->tree, queries, s->m, 0, k, &opts, ids, distances);
    return bounded ? bosc_kdtree_knn_within(job->ctx, s->tree, queries, s->m, 0, k, within, ids, NULL)
                   : bosc_kdtree_knn(job->ctx, s->tree, queries, s->m, 0, k, ids, NULL);
}

/* Searches the k nearest of each query and writes ids, and with --distances distances. `within` is used with --within
 * alone. */
static int find_nearest(struct job *job, const struct tree_search *s, int64_t k, double within)
{
    int64_t entries;
    int code = tree_check_k(job, k, s->info.nodes);
    if (code) return code;
    if (__builtin_mul_overflow(s->m, k, &entries))
        return report_error(EXIT_FAILED, "-k: out of memory for %lld neighbours of %lld queries", (long long)k,
                            (long long)s->m);
    bosc_array ids = {.dtype = BOSC_I64, .rank = 2, .shape = {s->m, k, 1, 1}};
    bosc_array distances = {.dtype = BOSC_F64, .rank = 2, .shape = {s->m, k, 1, 1}};
    /* 1. Search. */
    code = EXIT_FAILED;
    const bool has_distances = job->value[OPT_DISTANCES];
    ids.data = job_alloc((size_t)entries, sizeof(int64_t));
    if (ids.data && has_distances) distances.data = job_alloc((size_t)entries, sizeof(double));
    if (ids.data && (distances.data || !has_distances)) {
        double start = job_now();
        const bosc_status status = find_ids(job, s, k, within, ids.data, distances.data);
        job_add_seconds(job, "search", start);
        code = status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
    }
    /* 2. Write. */
    if (!code) {
        const char *paths[] = {job->value[OPT_OUTPUT], job->value[OPT_DISTANCES]};
        widen_ids(s->info.id_bits, ids.data, entries);
        code = arrays_write(job, paths, (const bosc_array[]){ids, distances}, has_distances ? 2 : 1);
    }
    bosc_array_free(&ids);
    bosc_array_free(&distances);
    return code;
}

static int search_nearest(struct job *job, int64_t k, double within)
{
    struct tree_search s;
    int code = open_search(job, &s);
    if (!code) code = find_nearest(job, &s, k, within);
    job_set_integer(job, "n", s.info.nodes);
    job_set_integer(job, "m", s.m);
    job_set_integer(job, "k", k);
    close_search(&s);
    return code;
}

int run_kdtree_knn(struct job *job)
{
    int64_t k = 0;
    double within = 0;
    int code;
    if ((code = option_integer(job, OPT_K, 1, INT64_MAX, &k)) || (code = option_number(job, OPT_WITHIN, 0, &within)) ||
        (code = job_open(job)))
        return code;
    struct ranks ranks;
    code = ranks_open(job, &ranks);
    if (!code) code = ranks.count ? kdtree_knn_over_ranks(job, &ranks, k, within) : search_nearest(job, k, within);
    ranks_close(&ranks, code);
    return code;
}

/* Lists the ids, and the distances if requested, once the offsets are known. */
static int fill_rows(struct job *job, const struct tree_search *s, double radius, int64_t *offsets, bosc_array *ids,
                     bosc_array *distances)
{
    int64_t pairs = offsets[s->m];
    ids->shape[0] = distances->shape[0] = pairs;
    ids->data = job_alloc((size_t)pairs, sizeof(int64_t));
    if (ids->data && job->value[OPT_DISTANCES]) distances->data = job_alloc((size_t)pairs, sizeof(double));
    if (!ids->data || (job->value[OPT_DISTANCES] && !distances->data)) return EXIT_FAILED;
    double start = job_now();
    bosc_status status = bosc_kdtree_radius_metric(job->ctx, s->tree, s->queries.data, s->m, 0, &radius, 1, NULL,
                                                   offsets, ids->data, distances->data, pairs);
    job_add_seconds(job, "search", start);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    widen_ids(s->info.id_bits, ids->data, pairs);
    return EXIT_DONE;
}

/* Counts the neighbours, lists them if requested, and writes. */
static int find_within(struct job *job, const struct tree_search *s, double radius)
{
    bosc_array offsets = {.dtype = BOSC_I64, .rank = 1, .shape = {s->m + 1, 1, 1, 1}};
    bosc_array ids = {.dtype = BOSC_I64, .rank = 1, .shape = {0, 1, 1, 1}};
    bosc_array distances = {.dtype = BOSC_F64, .rank = 1, .shape = {0, 1, 1, 1}};
    offsets.data = job_alloc((size_t)s->m + 1, sizeof(int64_t));
    if (!offsets.data) return EXIT_FAILED;
    double start = job_now();
    bosc_status status =
        bosc_kdtree_radius(job->ctx, s->tree, s->queries.data, s->m, 0, radius, offsets.data, NULL, NULL, 0);
    job_add_seconds(job, "count", start);
    bool is_listed = job->value[OPT_OUTPUT] || job->value[OPT_DISTANCES];
    int code = status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
    if (!code && is_listed) code = fill_rows(job, s, radius, offsets.data, &ids, &distances);
    if (!code) {
        const char *paths[] = {job->value[OPT_OFFSETS], job->value[OPT_OUTPUT], job->value[OPT_DISTANCES]};
        job_set_integer(job, "pairs", ((const int64_t *)offsets.data)[s->m]);
        code = arrays_write(job, paths, (const bosc_array[]){offsets, ids, distances}, 3);
    }
    bosc_array_free(&offsets);
    bosc_array_free(&ids);
    bosc_array_free(&distances);
    return code;
}

static int search_within(struct job *job, double radius)
{
    struct tree_search s;
    int code = open_search(job, &s);
    if (!code) code = find_within(job, &s, radius);
    close_search(&s);
    return code;
}

int run_kdtree_radius(struct job *job)
{
    double radius = 0;
    int code;
    enum option rows = job->value[OPT_OUTPUT] ? OPT_OUTPUT : OPT_DISTANCES;
    if (job->value[rows] && !job->value[OPT_OFFSETS])
        return report_error(EXIT_USAGE, "--offsets: is missing, but %s is given", option_flag(rows));
    if ((code = option_number(job, OPT_RADIUS, 0, &radius)) || (code = job_open(job))) return code;
    struct ranks ranks;
    code = ranks_open(job, &ranks);
    if (!code) code = ranks.count ? kdtree_radius_over_ranks(job, &ranks, radius) : search_within(job, radius);
    ranks_close(&ranks, code);
    return code;
}

/* ---- box ---- */

static int read_boxes(struct job *job, const bosc_kdtree_info *info, bosc_array *boxes)
{
    const char *path = job->value[OPT_BOXES];
    bosc_io_error error;
    double start = job_now();
    int code = boxes_check_ending(path, info->dim);
    if (code) return code;
    bosc_status status = bosc_npy_read(path, boxes, &error);
    job_add_seconds(job, "read", start);
    if (status != BOSC_OK) return report_io_error(status, &error);
    code = boxes_check(path, boxes, info->dim);
    if (!code) code = match_points(job, path, boxes, info->dtype);
    return code ? code : boxes_reject_nan(path, boxes, 0);
}

static int find_in_boxes(struct job *job, const bosc_kdtree *tree, const bosc_array *boxes, bosc_array *offsets,
                         bosc_array *ids)
{
    int64_t m = boxes->shape[0];
    *offsets = (bosc_array){.dtype = BOSC_I64, .rank = 1, .shape = {m + 1, 1, 1, 1}};
    offsets->data = job_alloc((size_t)m + 1, sizeof(int64_t));
    if (!offsets->data) return EXIT_FAILED;
    double start = job_now();
    bosc_status status = bosc_kdtree_box(job->ctx, tree, boxes->data, m, offsets->data, NULL, 0);
    job_add_seconds(job, "count", start);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    int64_t pairs = ((const int64_t *)offsets->data)[m];
    job_set_integer(job, "pairs", pairs);
    if (!job->value[OPT_OUTPUT]) return EXIT_DONE;
    *ids = (bosc_array){.dtype = BOSC_I64, .rank = 1, .shape = {pairs, 1, 1, 1}};
    ids->data = job_alloc((size_t)pairs, sizeof(int64_t));
    if (!ids->data) return EXIT_FAILED;
    start = job_now();
    status = bosc_kdtree_box(job->ctx, tree, boxes->data, m, offsets->data, ids->data, pairs);
    job_add_seconds(job, "search", start);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
}

/* Reads tree and boxes, searches, and writes offsets and ids. */
static int search_boxes(struct job *job)
{
    bosc_kdtree_opts opts = {0};
    bosc_kdtree_info info = {.size = sizeof info};
    bosc_kdtree *tree = NULL;
    bosc_array boxes = {0}, offsets = {0}, ids = {0};
    int code = tree_read(job, job->operands[0], &opts, &tree);
    if (code) return code;
    bosc_kdtree_get_info(job->ctx, tree, &info);
    code = read_boxes(job, &info, &boxes);
    if (!code) code = find_in_boxes(job, tree, &boxes, &offsets, &ids);
    if (!code) {
        widen_ids(info.id_bits, ids.data, ids.shape[0]);
        const char *paths[] = {job->value[OPT_OFFSETS], job->value[OPT_OUTPUT]};
        code = arrays_write(job, paths, (const bosc_array[]){offsets, ids}, 2);
    }
    bosc_kdtree_free(tree);
    bosc_array_free(&boxes);
    bosc_array_free(&offsets);
    bosc_array_free(&ids);
    return code;
}

int run_kdtree_box(struct job *job)
{
    struct ranks ranks;
    int code;
    if (job->value[OPT_OUTPUT] && !job->value[OPT_OFFSETS])
        return report_error(EXIT_USAGE, "--offsets: is missing, but -o is given");
    if ((code = job_open(job))) return code;
    code = ranks_open(job, &ranks);
    if (!code) code = ranks.count ? kdtree_box_over_ranks(job, &ranks) : search_boxes(job);
    ranks_close(&ranks, code);
    return code;
}
