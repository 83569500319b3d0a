#include "tool/commands/kdtree_rows_ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/clock.h"
#include "tool/commands/boxes.h"
#include "tool/commands/kdtree_ranks.h"
#include "tool/commands/points.h"
#include "tool/job.h"
#include "tool/output/arrays.h"
#include "tool/ranks.h"
#include "tool/tool.h"

/* Shared by the ranks of a process. */
struct rows_work {
    struct ranks_tree tree;
    struct input_rows queries; /* or boxes */
    double radius;             /* less than 0: boxes */
    int64_t **offsets;         /* (ranks): CSR offsets of the queries of each, from 0 */
    int64_t *counts, *begins;  /* (ranks), (ranks + 1): pairs of each rank, and their exclusive sums */
    bosc_array ids, distances;
};

/* Searches boxes or radii for this rank's queries; ids NULL: only counts. */
static bosc_status search_slice(const struct rank *r, const struct rows_work *w, void *ids, void *dist2,
                                int64_t capacity)
{
    int64_t q;
    const int64_t m = rank_slice(r, w->queries.total, &q);
    int64_t *offsets = w->offsets[r->number];
    const bosc_ranks_kdtree *tree = w->tree.parts[r->number];
    const void *rows = input_row(&w->queries, q);
    return w->radius < 0 ? bosc_ranks_kdtree_box(r->ctx, tree, rows, m, offsets, ids, capacity)
                         : bosc_ranks_kdtree_radius(r->ctx, tree, rows, m, 0, w->radius, offsets, ids, dist2, capacity);
}

static bosc_status count_slice(const struct rank *r, void *user)
{
    struct rows_work *w = user;
    int64_t q;
    const int64_t m = rank_slice(r, w->queries.total, &q);
    w->offsets[r->number] = malloc((size_t)(m + 1) * sizeof(int64_t));
    if (!w->offsets[r->number]) {
        snprintf(r->error->text, sizeof r->error->text, "out of memory for the offsets of %lld queries", (long long)m);
        return BOSC_ERR_NOMEM;
    }
    const bosc_status status = search_slice(r, w, NULL, NULL, 0);
    if (status == BOSC_OK) w->counts[r->number] = w->offsets[r->number][m];
    return status;
}

static bosc_status list_slice(const struct rank *r, void *user)
{
    const struct rows_work *w = user;
    const int64_t begin = w->begins[r->number], pairs = w->counts[r->number];
    const size_t size = w->tree.info.dtype == BOSC_F32 ? sizeof(float) : sizeof(double);
    int64_t *ids = (int64_t *)w->ids.data + begin;
    char *dist2 = w->distances.data ? (char *)w->distances.data + (size_t)begin * size : NULL;
    const bosc_status status = search_slice(r, w, ids, dist2, pairs);
    if (status == BOSC_OK) widen_ids(w->tree.info.id_bits, ids, pairs);
    return status;
}

static int read_boxes(struct job *job, const struct ranks *ranks, struct rows_work *w)
{
    const char *path = job->value[OPT_BOXES];
    bosc_array *boxes = &w->queries.array;
    const int32_t dim = w->tree.info.dim;
    int code = ranks_read_npy(job, ranks, path, &w->queries);
    if (!code) code = boxes_check(path, boxes, dim);
    if (!code) code = match_points(job, path, boxes, w->tree.info.dtype);
    return code ? code : boxes_reject_nan(path, boxes, w->queries.first);
}

/* Gathers the offsets of all queries on the first process. */
static int gather_offsets(struct job *job, const struct ranks *ranks, struct rows_work *w, bosc_array *all)
{
    const int64_t m = w->queries.total;
    *all = (bosc_array){.dtype = BOSC_I64, .rank = 1, .shape = {m, 1, 1, 1}};
    int64_t *offsets = all->data = job_alloc((size_t)m + 1, sizeof *offsets);
    if (!offsets) return EXIT_FAILED;
    for (int32_t r = ranks->first; r < ranks->first + ranks->local; r++) {
        int64_t q;
        const int64_t n = rank_slice(&(struct rank){.number = r, .count = ranks->count}, m, &q);
        for (int64_t i = 0; i < n; i++) offsets[q + i] = w->begins[r] + w->offsets[r][i];
    }
    int code = ranks_gather_array(ranks, all, sizeof *offsets);
    all->shape[0] = m + 1;
    offsets[m] = w->begins[ranks->count];
    job_set_integer(job, "pairs", offsets[m]);
    return code;
}

/* Lists the ids and distances, and gathers them. */
static int gather_rows(struct job *job, const struct ranks *ranks, struct rows_work *w)
{
    const int64_t pairs = w->begins[ranks->count];
    const size_t size = w->tree.info.dtype == BOSC_F32 ? sizeof(float) : sizeof(double);
    w->ids = (bosc_array){.dtype = BOSC_I64, .rank = 1, .shape = {pairs, 1, 1, 1}};
    w->distances = (bosc_array){.dtype = BOSC_F64, .rank = 1, .shape = {pairs, 1, 1, 1}};
    w->ids.data = job_alloc((size_t)pairs, sizeof(int64_t));
    if (w->ids.data && job->value[OPT_DISTANCES]) w->distances.data = job_alloc((size_t)pairs, sizeof(double));
    if (!w->ids.data || (job->value[OPT_DISTANCES] && !w->distances.data)) return EXIT_FAILED;
    double start = job_now();
    int code = ranks_run(ranks, list_slice, w);
    job_add_seconds(job, "search", start);
    if (!code) code = ranks_gather_in_place(ranks, w->counts, w->ids.data, sizeof(int64_t));
    if (!code && w->distances.data) code = ranks_gather_in_place(ranks, w->counts, w->distances.data, size);
    if (!code && w->distances.data && !job->silent) squares_to_distances(w->tree.info.dtype, w->distances.data, pairs);
    return code;
}

static int search_and_write(struct job *job, const struct ranks *ranks, struct rows_work *w)
{
    bosc_array offsets = {0};
    double start = job_now();
    int code = ranks_run(ranks, count_slice, w);
    job_add_seconds(job, "count", start);
    if (!code) code = ranks_exclusive_sums(ranks, w->counts, w->begins);
    if (!code) code = gather_offsets(job, ranks, w, &offsets);
    if (!code && (job->value[OPT_OUTPUT] || job->value[OPT_DISTANCES])) code = gather_rows(job, ranks, w);
    const char *paths[] = {job->value[OPT_OFFSETS], job->value[OPT_OUTPUT], job->value[OPT_DISTANCES]};
    if (!code) code = arrays_write(job, paths, (const bosc_array[]){offsets, w->ids, w->distances}, 3);
    bosc_array_free(&offsets);
    return code;
}

int search_over_ranks(struct job *job, const struct ranks *ranks, double radius)
{
    struct rows_work w = {.radius = radius};
    const bosc_kdtree_opts none = {0};
    int code = ranks_tree_open(job, ranks, job->operands[0], &none, &w.tree);
    if (!code) code = radius < 0 ? read_boxes(job, ranks, &w) : ranks_read_queries(job, ranks, &w.tree, &w.queries);
    w.offsets = code ? NULL : job_alloc((size_t)ranks->count, sizeof *w.offsets);
    w.counts = w.offsets ? job_alloc(2 * (size_t)ranks->count + 1, sizeof *w.counts) : NULL;
    if (w.offsets) memset(w.offsets, 0, (size_t)ranks->count * sizeof *w.offsets);
    if (!code && !w.counts) code = EXIT_FAILED;
    if (!code) {
        w.begins = w.counts + ranks->count;
        code = search_and_write(job, ranks, &w);
    }
    for (int32_t r = 0; w.offsets && r < ranks->count; r++) free(w.offsets[r]);
    free(w.offsets);
    free(w.counts);
    ranks_tree_close(&w.tree);
    bosc_array_free(&w.queries.array);
    bosc_array_free(&w.ids);
    bosc_array_free(&w.distances);
    return code;
}
