/* boscage kdtree build, verify and knn over ranks. Each rank holds a slice of the points and of the queries. */
#include "tool/commands/kdtree_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "tool/clock.h"
#include "tool/commands/points.h"
#include "tool/job.h"
#include "tool/output/arrays.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"
#include "tool/ranks.h"
#include "tool/tool.h"

/* ---- trees ---- */

static bosc_status build_slice(const struct rank *r, const struct ranks_tree *t, bosc_ranks_kdtree **tree)
{
    const bosc_array *points = &t->points.array;
    bosc_kdtree_opts opts = t->opts;
    int64_t at;
    const int64_t n = rank_slice(r, t->points.total, &at);
    opts.size = sizeof opts;
    opts.dtype = points->dtype;
    opts.dim = (int32_t)points->shape[1];
    bosc_status status = bosc_ranks_kdtree_create(r->ctx, r->comm, &opts, tree);
    return status == BOSC_OK ? bosc_ranks_kdtree_build(r->ctx, *tree, input_row(&t->points, at), n, 0) : status;
}

/* Loads this rank's part of a saved tree, or builds it. */
static bosc_status open_part(const struct rank *r, void *user)
{
    struct ranks_tree *t = user;
    bosc_ranks_kdtree **tree = &t->parts[r->number];
    bosc_ranks_kdtree_info info = {.size = sizeof info};
    bosc_status status =
        t->saved ? bosc_ranks_kdtree_load(r->ctx, r->comm, t->path, tree, r->error) : build_slice(r, t, tree);
    if (status == BOSC_OK) status = bosc_ranks_kdtree_get_info(r->ctx, *tree, &info);
    if (status == BOSC_OK && r->number == t->first) t->info = info;
    return status;
}

/* Reads the points of a file, or of a saved tree: every process reads a saved tree whole. */
static int read_tree_points(struct job *job, const struct ranks *ranks, const char *path, struct input_rows *points)
{
    if (!path_has_ending(path, ".bosc")) return ranks_read_points(job, ranks, path, points);
    int code = points_read(job, path, &points->array);
    points->first = 0;
    points->total = points->array.shape[0];
    return code;
}

static int open_tree(struct job *job, const struct ranks *ranks, const char *path, const bosc_kdtree_opts *opts,
                     bool saved, struct ranks_tree *t)
{
    *t = (struct ranks_tree){.path = path, .opts = *opts, .saved = saved, .first = ranks->first, .count = ranks->count};
    t->info.size = sizeof t->info;
    t->parts = job_alloc((size_t)ranks->count, sizeof *t->parts);
    if (!t->parts) return EXIT_FAILED;
    memset(t->parts, 0, (size_t)ranks->count * sizeof *t->parts);
    int code = saved ? EXIT_DONE : read_tree_points(job, ranks, path, &t->points);
    if (code) return code;
    double start = job_now();
    code = ranks_run(ranks, open_part, t);
    job_add_seconds(job, t->saved ? "read" : "build", start);
    return code;
}

int ranks_tree_open(struct job *job, const struct ranks *ranks, const char *path, const bosc_kdtree_opts *opts,
                    struct ranks_tree *t)
{
    return open_tree(job, ranks, path, opts, path_has_ending(path, ".bosc"), t);
}

int ranks_tree_build(struct job *job, const struct ranks *ranks, const char *path, struct ranks_tree *t)
{
    const bosc_kdtree_opts none = {0};
    return open_tree(job, ranks, path, &none, false, t);
}

void ranks_tree_close(struct ranks_tree *t)
{
    for (int32_t r = 0; t->parts && r < t->count; r++) bosc_ranks_kdtree_free(t->parts[r]);
    free(t->parts);
    bosc_array_free(&t->points.array);
}

/* ---- build, verify ---- */

static bosc_status save_part(const struct rank *r, void *user)
{
    const struct ranks_tree *t = user;
    return bosc_ranks_kdtree_save(r->ctx, r->comm, t->parts[r->number], t->output, r->error);
}

static bosc_status verify_part(const struct rank *r, void *user)
{
    const struct ranks_tree *t = user;
    return bosc_ranks_kdtree_verify(r->ctx, t->parts[r->number], NULL);
}

static void report_tree(struct job *job, const struct ranks_tree *t)
{
    job_set_integer(job, "nodes", t->info.nodes);
    job_set_integer(job, "depth", t->info.depth);
}

int build_over_ranks(struct job *job, const struct ranks *ranks, const bosc_kdtree_opts *opts)
{
    struct ranks_tree t;
    int code = ranks_tree_open(job, ranks, job->operands[0], opts, &t);
    t.output = job->value[OPT_OUTPUT];
    double start = job_now();
    if (!code) code = ranks_run(ranks, save_part, &t);
    job_add_seconds(job, "write", start);
    job_set_integer(job, "n", t.info.n);
    report_tree(job, &t);
    job_set_integer(job, "duplicates", t.info.n - t.info.nodes);
    ranks_tree_close(&t);
    return code;
}

int verify_over_ranks(struct job *job, const struct ranks *ranks)
{
    struct ranks_tree t;
    const bosc_kdtree_opts none = {0};
    int code = ranks_tree_open(job, ranks, job->operands[0], &none, &t);
    double start = job_now();
    if (!code) code = ranks_run(ranks, verify_part, &t);
    job_add_seconds(job, "verify", start);
    report_tree(job, &t);
    ranks_tree_close(&t);
    return code;
}

/* ---- knn ---- */

/* Shared by the ranks of a process. */
struct knn_work {
    struct ranks_tree tree;
    struct input_rows queries;
    bosc_array ids, distances;
    int64_t k;
    bool is_bounded;
    double within;
};

/* Bytes of a squared distance. */
static size_t distance_size(const struct ranks_tree *t)
{
    return t->info.dtype == BOSC_F32 ? sizeof(float) : sizeof(double);
}

static bosc_status find_nearest(const struct rank *r, void *user)
{
    const struct knn_work *w = user;
    int64_t q;
    const int64_t m = rank_slice(r, w->queries.total, &q);
    int64_t *ids = (int64_t *)w->ids.data + q * w->k;
    char *dist2 = (char *)w->distances.data + (size_t)(q * w->k) * distance_size(&w->tree);
    const bosc_ranks_kdtree *tree = w->tree.parts[r->number];
    const void *queries = input_row(&w->queries, q);
    const bosc_status status =
        w->is_bounded ? bosc_ranks_kdtree_knn_within(r->ctx, tree, queries, m, 0, w->k, w->within, ids, dist2)
                      : bosc_ranks_kdtree_knn(r->ctx, tree, queries, m, 0, w->k, ids, dist2);
    if (status == BOSC_OK) widen_ids(w->tree.info.id_bits, ids, m * w->k);
    return status;
}

int ranks_read_queries(struct job *job, const struct ranks *ranks, const struct ranks_tree *t,
                       struct input_rows *queries)
{
    const char *path = job->value[OPT_QUERIES];
    int code = ranks_read_points(job, ranks, path, queries);
    if (code) return code;
    if (queries->array.shape[1] != t->info.dim)
        return report_error(EXIT_FAILED, "%s: the queries have %lld coordinates, but the points have %lld", path,
                            (long long)queries->array.shape[1], (long long)t->info.dim);
    return match_points(job, path, &queries->array, t->info.dtype);
}

static int search_nearest(struct job *job, const struct ranks *ranks, struct knn_work *w)
{
    int64_t m = w->queries.total, entries;
    if (__builtin_mul_overflow(m, w->k, &entries))
        return report_error(EXIT_FAILED, "-k: out of memory for %lld neighbours of %lld queries", (long long)w->k,
                            (long long)m);
    w->ids = (bosc_array){.dtype = BOSC_I64, .rank = 2, .shape = {m, w->k, 1, 1}};
    w->distances = (bosc_array){.dtype = BOSC_F64, .rank = 2, .shape = {m, w->k, 1, 1}};
    w->ids.data = job_alloc((size_t)entries, sizeof(int64_t));
    w->distances.data = w->ids.data ? job_alloc((size_t)entries, sizeof(double)) : NULL;
    if (!w->distances.data) return EXIT_FAILED;
    double start = job_now();
    int code = ranks_run(ranks, find_nearest, w);
    job_add_seconds(job, "search", start);
    if (!code) code = ranks_gather_array(ranks, &w->ids, (size_t)w->k * sizeof(int64_t));
    if (!code) code = ranks_gather_array(ranks, &w->distances, (size_t)w->k * distance_size(&w->tree));
    if (code || job->silent) return code;
    const char *paths[] = {job->value[OPT_OUTPUT], job->value[OPT_DISTANCES]};
    squares_to_distances(w->tree.info.dtype, w->distances.data, entries);
    return arrays_write(job, paths, (const bosc_array[]){w->ids, w->distances}, paths[1] ? 2 : 1);
}

int knn_over_ranks(struct job *job, const struct ranks *ranks, int64_t k, double within)
{
    struct knn_work w = {.k = k, .is_bounded = job->value[OPT_WITHIN] != NULL, .within = within};
    const bosc_kdtree_opts none = {0};
    int code = ranks_tree_open(job, ranks, job->operands[0], &none, &w.tree);
    if (!code) code = ranks_read_queries(job, ranks, &w.tree, &w.queries);
    if (!code) code = search_nearest(job, ranks, &w);
    job_set_integer(job, "n", w.tree.info.nodes);
    job_set_integer(job, "m", w.queries.total);
    job_set_integer(job, "k", k);
    ranks_tree_close(&w.tree);
    bosc_array_free(&w.queries.array);
    bosc_array_free(&w.ids);
    bosc_array_free(&w.distances);
    return code;
}
