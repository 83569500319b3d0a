/* boscage kdtree knn over several ranks: each has a slice of the points and of the queries. */
#include <stdlib.h>

#include "tool/ranks.h"

/* What all ranks of the process work on. */
struct search_work {
    bosc_array points, queries, ids, distances;
    int64_t k;
};

static bosc_status find_nearest(const struct rank *r, void *user)
{
    const struct search_work *w = user;
    const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = w->points.dtype, .dim = (int32_t)w->points.shape[1]};
    int64_t p, q, n = rank_slice(r, w->points.shape[0], &p), m = rank_slice(r, w->queries.shape[0], &q);
    const size_t size = w->points.dtype == BOSC_F32 ? sizeof(float) : sizeof(double); /* of a squared distance */
    bosc_dist_kdtree *tree = NULL;
    bosc_status status = bosc_dist_kdtree_create(r->ctx, r->comm, &opts, &tree);
    if (status == BOSC_OK) status = bosc_dist_kdtree_build(r->ctx, tree, array_row(&w->points, p), n, 0);
    if (status == BOSC_OK)
        status =
            bosc_dist_kdtree_knn(r->ctx, tree, array_row(&w->queries, q), m, 0, w->k, (int64_t *)w->ids.data + q * w->k,
                                 (char *)w->distances.data + (size_t)(q * w->k) * size);
    bosc_dist_kdtree_free(tree);
    return status;
}

static int read_inputs(struct job *job, struct search_work *w)
{
    const char *path = job->value[OPT_QUERIES];
    if (path_ends_in(job->operands[0], ".bosc"))
        return say(EXIT_FAILED, "%s: a saved tree; ranks build theirs, of points", job->operands[0]);
    if (job->value[OPT_WITHIN]) return say(EXIT_USAGE, "--within: not over ranks");
    int code = points_read(job, job->operands[0], &w->points);
    if (!code) code = points_read(job, path, &w->queries);
    if (code) return code;
    if (w->queries.shape[1] != w->points.shape[1])
        return say(EXIT_FAILED, "%s: the queries have %lld coordinates, but the points have %lld", path,
                   (long long)w->queries.shape[1], (long long)w->points.shape[1]);
    return match_points(job, path, &w->queries, w->points.dtype);
}

static int search(struct job *job, const struct ranks *ranks, struct search_work *w)
{
    int64_t m = w->queries.shape[0], entries;
    if (__builtin_mul_overflow(m, w->k, &entries))
        return say(EXIT_FAILED, "-k: out of memory for %lld neighbours of %lld queries", (long long)w->k, (long long)m);
    w->ids = (bosc_array){.dtype = BOSC_I64, .rank = 2, .shape = {m, w->k, 1, 1}};
    w->distances = (bosc_array){.dtype = BOSC_F64, .rank = 2, .shape = {m, w->k, 1, 1}};
    w->ids.data = job_alloc((size_t)entries, sizeof(int64_t));
    w->distances.data = w->ids.data ? job_alloc((size_t)entries, sizeof(double)) : NULL;
    if (!w->distances.data) return EXIT_FAILED;
    double start = job_now();
    int code = ranks_run(ranks, find_nearest, w);
    job_seconds(job, "search", start);
    const size_t row = (size_t)w->k * (w->points.dtype == BOSC_F32 ? sizeof(float) : sizeof(double));
    if (!code) code = ranks_gather_array(ranks, &w->ids, (size_t)w->k * sizeof(int64_t));
    if (!code) code = ranks_gather_array(ranks, &w->distances, row);
    if (code || job->silent) return code;
    const char *paths[] = {job->value[OPT_OUTPUT], job->value[OPT_DISTANCES]};
    take_roots(w->points.dtype, w->distances.data, entries);
    return arrays_write(job, paths, (const bosc_array[]){w->ids, w->distances}, paths[1] ? 2 : 1);
}

int knn_over_ranks(struct job *job, const struct ranks *ranks, int64_t k)
{
    struct search_work w = {.k = k};
    int code = read_inputs(job, &w);
    if (!code) code = search(job, ranks, &w);
    job_integer(job, "n", code ? 0 : w.points.shape[0]);
    job_integer(job, "m", code ? 0 : w.queries.shape[0]);
    job_integer(job, "k", k);
    bosc_array_free(&w.points);
    bosc_array_free(&w.queries);
    bosc_array_free(&w.ids);
    bosc_array_free(&w.distances);
    return code;
}
