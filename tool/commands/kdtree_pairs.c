/* boscage kdtree box, pairs */
#include <math.h>
#include <stdlib.h>

#include "tool/ranks.h"

int boxes_check(const char *path, const bosc_array *boxes, int32_t dim)
{
    if (boxes->rank != 3 || boxes->shape[1] != 2)
        return say(EXIT_FAILED, "%s: the shape of the boxes is not (m, 2, %d)", path, (int)dim);
    if (boxes->shape[2] != dim)
        return say(EXIT_FAILED, "%s: the boxes have %lld coordinates, but the points have %d", path,
                   (long long)boxes->shape[2], (int)dim);
    return EXIT_DONE;
}

int boxes_refuse_nan(const char *path, const bosc_array *boxes, int64_t first)
{
    const int64_t numbers = 2 * boxes->shape[2];
    for (int64_t i = 0; i < boxes->shape[0] * numbers; i++)
        if (isnan(coordinate(boxes, i)))
            return say(EXIT_FAILED, "%s: box %lld: NaN", path, (long long)(first + i / numbers));
    return EXIT_DONE;
}

static int read_boxes(struct job *job, const bosc_kdtree_info *info, bosc_array *boxes)
{
    const char *path = job->value[OPT_BOXES];
    bosc_io_error error;
    double start = job_now();
    bosc_status status = bosc_npy_read(path, boxes, &error);
    job_seconds(job, "read", start);
    if (status != BOSC_OK) return say_io(status, &error);
    int code = boxes_check(path, boxes, info->dim);
    if (!code) code = match_points(job, path, boxes, info->dtype);
    return code ? code : boxes_refuse_nan(path, boxes, 0);
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
    job_seconds(job, "count", start);
    if (status != BOSC_OK) return say_ctx(job, status);
    int64_t pairs = ((const int64_t *)offsets->data)[m];
    job_integer(job, "pairs", pairs);
    if (!job->value[OPT_OUTPUT]) return EXIT_DONE;
    *ids = (bosc_array){.dtype = BOSC_I64, .rank = 1, .shape = {pairs, 1, 1, 1}};
    ids->data = job_alloc((size_t)pairs, sizeof(int64_t));
    if (!ids->data) return EXIT_FAILED;
    start = job_now();
    status = bosc_kdtree_box(job->ctx, tree, boxes->data, m, offsets->data, ids->data, pairs);
    job_seconds(job, "search", start);
    return status == BOSC_OK ? EXIT_DONE : say_ctx(job, status);
}

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
        return say(EXIT_USAGE, "--offsets: is missing, but -o is given");
    if ((code = job_open(job))) return code;
    code = ranks_open(job, &ranks);
    if (!code) code = ranks.count ? rows_over_ranks(job, &ranks, -1) : search_boxes(job);
    ranks_close(&ranks, code);
    return code;
}

enum { BATCH = 1 << 22 }; /* neighbours that are looked at together */

/* Points as queries to their own tree, and how many neighbours each has, itself among them. */
struct neighbours {
    bosc_array points;
    bosc_kdtree *tree;
    double radius;
    int64_t n, *counts, total, most;
};

static int count_neighbours(struct job *job, struct neighbours *a)
{
    a->counts = job_alloc((size_t)a->n, sizeof *a->counts);
    if (!a->counts) return EXIT_FAILED;
    double start = job_now();
    bosc_status status = bosc_kdtree_radius_count(job->ctx, a->tree, a->points.data, a->n, 0, a->radius, a->counts);
    job_seconds(job, "count", start);
    if (status != BOSC_OK) return say_ctx(job, status);
    for (int64_t i = 0; i < a->n; i++) {
        a->total += a->counts[i];
        if (a->counts[i] > a->most) a->most = a->counts[i];
    }
    return EXIT_DONE;
}

/* Those at infinity are not their own neighbours, unless every distance counts. */
int64_t count_own_neighbours(const bosc_array *points, int64_t first, int64_t n, double radius)
{
    int64_t dim = points->shape[1], own = 0;
    double square = radius * radius;
    if (points->dtype == BOSC_F32) square = (double)((float)radius * (float)radius);
    if (isinf(square)) return n;
    for (int64_t i = first; i < first + n; i++) {
        bool finite = true;
        for (int64_t c = 0; c < dim && finite; c++) finite = isfinite(coordinate(points, i * dim + c));
        own += finite;
    }
    return own;
}

int64_t keep_later_neighbours(int64_t first, int64_t n, const int64_t *offsets, const int64_t *ids, int64_t *pairs)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = offsets[i]; e < offsets[i + 1]; e++) {
            if (ids[e] <= first + i) continue;
            pairs[2 * kept] = first + i;
            pairs[2 * kept++ + 1] = ids[e];
        }
    return kept;
}

/* Batch by batch, since twice as many neighbours are found as there are pairs. */
static bosc_status list_pairs(struct job *job, const struct neighbours *a, int64_t *offsets, int64_t *ids,
                              int64_t *pairs)
{
    size_t row = (size_t)a->points.shape[1] * bosc_dtype_size(a->points.dtype);
    bosc_status status = BOSC_OK;
    for (int64_t first = 0, last = 0; first < a->n && status == BOSC_OK; first = last) {
        int64_t total = 0;
        do {
            offsets[last - first] = total;
            total += a->counts[last++];
        } while (last < a->n && total + a->counts[last] <= BATCH);
        offsets[last - first] = total;
        status = bosc_kdtree_radius(job->ctx, a->tree, (const char *)a->points.data + (size_t)first * row, last - first,
                                    0, a->radius, offsets, ids, NULL, total);
        if (status == BOSC_OK) pairs += 2 * keep_later_neighbours(first, last - first, offsets, ids, pairs);
    }
    return status;
}

static int find_pairs(struct job *job, const struct neighbours *a, bosc_array *pairs)
{
    int64_t capacity = a->total < BATCH ? a->total : a->most > BATCH ? a->most : BATCH;
    int64_t *offsets = job_alloc((size_t)a->n + 1, sizeof *offsets);
    int64_t *ids = offsets ? job_alloc((size_t)capacity, sizeof *ids) : NULL;
    pairs->data = ids ? job_alloc((size_t)pairs->shape[0], 2 * sizeof(int64_t)) : NULL;
    int code = pairs->data ? EXIT_DONE : EXIT_FAILED;
    if (!code) {
        double start = job_now();
        bosc_status status = list_pairs(job, a, offsets, ids, pairs->data);
        job_seconds(job, "pairs", start);
        if (status != BOSC_OK) code = say_ctx(job, status);
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
    job_integer(job, "n", a->n);
    job_integer(job, "pairs", pairs.shape[0]);
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
    if (!code) code = ranks.count ? pairs_over_ranks(job, &ranks, a.radius) : search_pairs(job, &a);
    ranks_close(&ranks, code);
    return code;
}
