#include "tool/commands/kdtree_pairs_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "tool/clock.h"
#include "tool/commands/close_pairs.h"
#include "tool/commands/kdtree_ranks.h"
#include "tool/job.h"
#include "tool/output/arrays.h"
#include "tool/ranks.h"
#include "tool/tool.h"

/* Pairs found by a rank: those whose smaller row is in its slice. */
struct rank_pairs {
    int64_t *offsets; /* CSR offsets of the neighbours of its points, themselves included */
    int64_t own;      /* as count_own_neighbours */
    int64_t *pairs;
    int64_t count;
};

/* Shared by the ranks of a process. */
struct pairs_work {
    struct ranks_tree tree;
    double radius;
    struct rank_pairs *found; /* (ranks): set for those of this process */
    int64_t *counts, *begins; /* (ranks), (ranks + 1): pairs of each rank, and their exclusive sums */
};

static bosc_status report_no_memory(const struct rank *r, int64_t count, const char *what)
{
    snprintf(r->error->text, sizeof r->error->text, "out of memory for %lld %s", (long long)count, what);
    return BOSC_ERR_NOMEM;
}

static bosc_status count_neighbours(const struct rank *r, void *user)
{
    struct pairs_work *w = user;
    struct rank_pairs *f = &w->found[r->number];
    int64_t at;
    const int64_t n = rank_slice(r, w->tree.points.total, &at);
    f->offsets = malloc((size_t)(n + 1) * sizeof *f->offsets);
    if (!f->offsets) return report_no_memory(r, n, "offsets");
    f->own = count_own_neighbours(&w->tree.points.array, at - w->tree.points.first, n, w->radius);
    const bosc_status status = bosc_ranks_kdtree_radius(
        r->ctx, w->tree.parts[r->number], input_row(&w->tree.points, at), n, 0, w->radius, f->offsets, NULL, NULL, 0);
    if (status == BOSC_OK) w->counts[r->number] = f->offsets[n] - f->own;
    return status;
}

static bosc_status list_slice_pairs(const struct rank *r, void *user)
{
    const struct pairs_work *w = user;
    struct rank_pairs *f = &w->found[r->number];
    int64_t at;
    const int64_t n = rank_slice(r, w->tree.points.total, &at), total = f->offsets[n];
    int64_t *ids = malloc(total ? (size_t)total * sizeof *ids : 1);
    if (!ids) return report_no_memory(r, total, "neighbours");
    const bosc_status status =
        bosc_ranks_kdtree_radius(r->ctx, w->tree.parts[r->number], input_row(&w->tree.points, at), n, 0, w->radius,
                                 f->offsets, ids, NULL, total);
    for (int64_t i = 0; i < n && status == BOSC_OK; i++)
        for (int64_t e = f->offsets[i]; e < f->offsets[i + 1]; e++) f->count += ids[e] > at + i;
    f->pairs = status == BOSC_OK ? malloc(f->count ? (size_t)f->count * 2 * sizeof *ids : 1) : NULL;
    if (f->pairs) list_later_neighbours(at, n, f->offsets, ids, f->pairs);
    free(ids);
    return status == BOSC_OK && !f->pairs ? report_no_memory(r, f->count, "pairs") : status;
}

/* Gathers the pairs on the first process and writes them. */
static int gather_pairs(struct job *job, const struct ranks *ranks, struct pairs_work *w, bosc_array *pairs)
{
    for (int32_t r = ranks->first; r < ranks->first + ranks->local; r++) w->counts[r] = w->found[r].count;
    int code = ranks_exclusive_sums(ranks, w->counts, w->begins);
    if (code) return code;
    int64_t *all = pairs->data = job_alloc((size_t)pairs->shape[0], 2 * sizeof *all);
    if (!all) return EXIT_FAILED;
    for (int32_t r = ranks->first; r < ranks->first + ranks->local; r++)
        memcpy(all + 2 * w->begins[r], w->found[r].pairs, (size_t)w->found[r].count * 2 * sizeof *all);
    if ((code = ranks_gather_in_place(ranks, w->counts, all, 2 * sizeof *all)) || job->silent) return code;
    return arrays_write(job, &job->value[OPT_OUTPUT], pairs, 1);
}

static int search_pairs(struct job *job, const struct ranks *ranks, struct pairs_work *w, bosc_array *pairs)
{
    double start = job_now();
    int code = ranks_run(ranks, count_neighbours, w);
    job_add_seconds(job, "count", start);
    if (!code) code = ranks_exclusive_sums(ranks, w->counts, w->begins);
    if (code) return code;
    pairs->shape[0] = w->begins[ranks->count] / 2; /* each pair was found from both ends */
    if (!job->value[OPT_OUTPUT]) return EXIT_DONE;
    start = job_now();
    code = ranks_run(ranks, list_slice_pairs, w);
    job_add_seconds(job, "pairs", start);
    return code ? code : gather_pairs(job, ranks, w, pairs);
}

int pairs_over_ranks(struct job *job, const struct ranks *ranks, double radius)
{
    struct pairs_work w = {.radius = radius};
    bosc_array pairs = {.dtype = BOSC_I64, .rank = 2, .shape = {0, 2, 1, 1}};
    int code = ranks_tree_build(job, ranks, job->operands[0], &w.tree);
    w.found = job_alloc((size_t)ranks->count, sizeof *w.found);
    w.counts = w.found ? job_alloc(2 * (size_t)ranks->count + 1, sizeof *w.counts) : NULL;
    if (w.found) memset(w.found, 0, (size_t)ranks->count * sizeof *w.found);
    if (!w.counts) code = EXIT_FAILED;
    if (!code) {
        w.begins = w.counts + ranks->count;
        code = search_pairs(job, ranks, &w, &pairs);
    }
    job_set_integer(job, "n", w.tree.info.n);
    job_set_integer(job, "pairs", pairs.shape[0]);
    for (int32_t r = 0; w.found && r < ranks->count; r++) {
        free(w.found[r].offsets);
        free(w.found[r].pairs);
    }
    free(w.found);
    free(w.counts);
    ranks_tree_close(&w.tree);
    bosc_array_free(&pairs);
    return code;
}
