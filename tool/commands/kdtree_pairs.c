/* boscage kdtree pairs */
#include <stdlib.h>

#include "tool/commands/trees.h"
#include "tool/commands/commands.h"
#include "tool/commands/over_ranks.h"
#include "tool/commands/points.h"
#include "tool/job.h"
#include "tool/options/values.h"
#include "tool/output/arrays.h"
#include "tool/output/report.h"
#include "tool/ranks.h"
#include "tool/tool.h"

enum { BATCH = 1 << 22 }; /* neighbours listed per call; chosen */

/* Points as queries to their own tree. */
struct neighbours {
    bosc_array points;
    bosc_kdtree *tree;
    double radius;
    int64_t n, *counts; /* (n): neighbours of each point, itself included */
    int64_t total, max_count;
};

static int count_neighbours(struct job *job, struct neighbours *a)
{
    a->counts = job_alloc((size_t)a->n, sizeof *a->counts);
    if (!a->counts) return EXIT_FAILED;
    double start = job_now();
    bosc_status status = bosc_kdtree_radius_count(job->ctx, a->tree, a->points.data, a->n, 0, a->radius, a->counts);
    job_add_seconds(job, "count", start);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    for (int64_t i = 0; i < a->n; i++) {
        a->total += a->counts[i];
        if (a->counts[i] > a->max_count) a->max_count = a->counts[i];
    }
    return EXIT_DONE;
}

/* Lists the pairs batch by batch: the search finds each pair twice, and its output would take twice the memory of the
 * pairs. */
static bosc_status list_pairs(struct job *job, const struct neighbours *a, int64_t *offsets, int64_t *ids,
                              int64_t *pairs)
{
    size_t row = (size_t)a->points.shape[1] * bosc_dtype_size(a->points.dtype);
    bosc_status status = BOSC_OK;
    for (int64_t first = 0, last = 0; first < a->n && status == BOSC_OK; first = last) {
        int64_t total = 0;
        /* As many points as have at most BATCH neighbours, but at least one. */
        do {
            offsets[last - first] = total;
            total += a->counts[last++];
        } while (last < a->n && total + a->counts[last] <= BATCH);
        offsets[last - first] = total;
        status = bosc_kdtree_radius(job->ctx, a->tree, (const char *)a->points.data + (size_t)first * row, last - first,
                                    0, a->radius, offsets, ids, NULL, total);
        if (status == BOSC_OK) pairs += 2 * list_later_neighbours(first, last - first, offsets, ids, pairs);
    }
    return status;
}

static int find_pairs(struct job *job, const struct neighbours *a, bosc_array *pairs)
{
    int64_t capacity = a->total < BATCH ? a->total : a->max_count > BATCH ? a->max_count : BATCH;
    int64_t *offsets = job_alloc((size_t)a->n + 1, sizeof *offsets);
    int64_t *ids = offsets ? job_alloc((size_t)capacity, sizeof *ids) : NULL;
    pairs->data = ids ? job_alloc((size_t)pairs->shape[0], 2 * sizeof(int64_t)) : NULL;
    int code = pairs->data ? EXIT_DONE : EXIT_FAILED;
    if (!code) {
        double start = job_now();
        bosc_status status = list_pairs(job, a, offsets, ids, pairs->data);
        job_add_seconds(job, "pairs", start);
        if (status != BOSC_OK) code = report_ctx_error(job->ctx, status);
    }
    free(offsets);
    free(ids);
    return code;
}

static int read_and_count(struct job *job, struct neighbours *a)
{
    bosc_kdtree_opts opts = {0};
    int code = points_read(job, job->operands[0], &a->points);
    if (code) return code;
    a->n = a->points.shape[0];
    code = tree_build(job, job->operands[0], &a->points, &opts, &a->tree);
    return code ? code : count_neighbours(job, a);
}

static int search_pairs(struct job *job, struct neighbours *a)
{
    bosc_array pairs = {.dtype = BOSC_I64, .rank = 2, .shape = {0, 2, 1, 1}};
    int code = read_and_count(job, a);
    if (!code) pairs.shape[0] = (a->total - count_own_neighbours(&a->points, 0, a->n, a->radius)) / 2;
    if (!code && job->value[OPT_OUTPUT]) {
        code = find_pairs(job, a, &pairs);
        if (!code) code = arrays_write(job, &job->value[OPT_OUTPUT], &pairs, 1);
    }
    job_set_integer(job, "n", a->n);
    job_set_integer(job, "pairs", pairs.shape[0]);
    bosc_kdtree_free(a->tree);
    bosc_array_free(&a->points);
    bosc_array_free(&pairs);
    free(a->counts);
    return code;
}

int run_kdtree_pairs(struct job *job)
{
    struct neighbours a = {.n = 0};
    struct ranks ranks;
    int code;
    if ((code = option_number(job, OPT_RADIUS, 0, &a.radius)) || (code = job_open(job))) return code;
    code = ranks_open(job, &ranks);
    if (!code) code = ranks.count ? kdtree_pairs_over_ranks(job, &ranks, a.radius) : search_pairs(job, &a);
    ranks_close(&ranks, code);
    return code;
}
