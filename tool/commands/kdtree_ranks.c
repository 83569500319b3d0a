/* boscage kdtree over ranks. Each rank holds a slice of the points and of the queries. */
#include "tool/commands/over_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "tool/commands/points.h"
#include "tool/commands/trees.h"
#include "tool/job.h"
#include "tool/output/arrays.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"
#include "tool/ranks.h"
#include "tool/tool.h"

/* ---- trees ---- */

/* A tree over ranks, saved or built of points. */
struct ranks_tree {
    const char *path, *output; /* file of the points or the tree; file to save the tree to */
    bool saved;
    bosc_kdtree_opts opts;
    struct input_rows points;
    int32_t first, count;      /* first rank of this process; number of ranks */
    bosc_ranks_kdtree **parts; /* (ranks): the shards; set for those of this process */
    bosc_ranks_kdtree_info info;
    bosc_ranks_kdtree_times times; /* of the first rank of this process */
};

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

enum tree_source { SAVED_TREE, POINTS };

/* Loads a saved tree, or builds one of the points of a file or of a saved tree. Close the tree after a failure too. */
static int open_tree(struct job *job, const struct ranks *ranks, const bosc_kdtree_opts *opts, enum tree_source source,
                     struct ranks_tree *t)
{
    *t = (struct ranks_tree){.path = job->operands[0],
                             .saved = source == SAVED_TREE,
                             .first = ranks->first,
                             .count = ranks->count,
                             .info = {.size = sizeof t->info}};
    if (opts) t->opts = *opts;
    t->parts = ranks_alloc(ranks, sizeof *t->parts);
    if (!t->parts) return EXIT_FAILED;
    int code = t->saved ? EXIT_DONE : read_tree_points(job, ranks, t->path, &t->points);
    return code ? code : ranks_run(job, ranks, t->saved ? "read" : "build", open_part, t);
}

static enum tree_source tree_source_of(const struct job *job)
{
    return path_has_ending(job->operands[0], ".bosc") ? SAVED_TREE : POINTS;
}

static void close_tree(struct ranks_tree *t)
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

static bosc_status read_times(const struct rank *r, void *user)
{
    struct ranks_tree *t = user;
    if (r->number != t->first) return BOSC_OK;
    t->times.size = sizeof t->times;
    return bosc_ranks_kdtree_get_times(r->ctx, t->parts[r->number], &t->times);
}

/* Verifies the tree of the published build on ranks, and reports the seconds of its stages. */
static int report_published_stages(struct job *job, const struct ranks *ranks, struct ranks_tree *t)
{
    int code = ranks_run(job, ranks, "verify", verify_part, t);
    if (!code) code = ranks_run(job, ranks, "verify", read_times, t);
    if (code) return code;
    const struct {
        const char *name;
        double seconds;
    } stages[] = {{"init", t->times.init},
                  {"sort", t->times.sort},
                  {"pivot", t->times.pivot},
                  {"merge", t->times.merge},
                  {"deduplicate", t->times.deduplicate},
                  {"partition", t->times.build},
                  {"shard", t->times.shard}};
    for (size_t k = 0; k < sizeof stages / sizeof stages[0]; k++)
        json_object_set_new(job->seconds, stages[k].name, json_real(stages[k].seconds));
    return EXIT_DONE;
}

int kdtree_build_over_ranks(struct job *job, const struct ranks *ranks, const bosc_kdtree_opts *opts)
{
    struct ranks_tree t;
    bosc_kdtree_opts own = *opts;
    /* The published build on several devices, which cannot be saved where it removes rows. */
    own.sort_halves = opts->builder == BOSC_KDTREE_BROWN && opts->duplicates == BOSC_KDTREE_DUPLICATES_KEEP &&
                      ranks->count > 1 && (ranks->count & (ranks->count - 1)) == 0;
    own.full_coordinates = own.sort_halves && job->value[OPT_FULL_COORDINATES];
    if (job->value[OPT_FULL_COORDINATES] && !own.sort_halves)
        return report_error(EXIT_USAGE,
                            "--full-coordinates: needs --builder brown, without --unique, and --ranks 2, 4, 8, ...");
    int code = open_tree(job, ranks, &own, tree_source_of(job), &t);
    t.output = job->value[OPT_OUTPUT];
    if (!code && own.sort_halves && !t.saved) code = report_published_stages(job, ranks, &t);
    if (!code) code = ranks_run(job, ranks, "write", save_part, &t);
    job_set_integer(job, "n", t.info.n);
    report_tree(job, &t);
    job_set_integer(job, "duplicates", t.info.n - t.info.nodes);
    close_tree(&t);
    return code;
}

int kdtree_verify_over_ranks(struct job *job, const struct ranks *ranks)
{
    struct ranks_tree t;
    int code = open_tree(job, ranks, NULL, tree_source_of(job), &t);
    if (!code) code = ranks_run(job, ranks, "verify", verify_part, &t);
    report_tree(job, &t);
    close_tree(&t);
    return code;
}

/* ---- queries ---- */

/* Reads --queries and converts them to the type of the tree. */
static int read_queries(struct job *job, const struct ranks *ranks, const struct ranks_tree *t,
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

static bosc_status find_nearest(const struct rank *r, void *user)
{
    const struct knn_work *w = user;
    int64_t q;
    const int64_t m = rank_slice(r, w->queries.total, &q);
    int64_t *ids = (int64_t *)w->ids.data + q * w->k;
    char *dist2 = (char *)w->distances.data + (size_t)(q * w->k) * square_size(w->tree.info.dtype);
    const bosc_ranks_kdtree *tree = w->tree.parts[r->number];
    const void *queries = input_row(&w->queries, q);
    const bosc_status status =
        w->is_bounded ? bosc_ranks_kdtree_knn_within(r->ctx, tree, queries, m, 0, w->k, w->within, ids, dist2)
                      : bosc_ranks_kdtree_knn(r->ctx, tree, queries, m, 0, w->k, ids, dist2);
    if (status == BOSC_OK) widen_ids(w->tree.info.id_bits, ids, m * w->k);
    return status;
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
    int code = ranks_run(job, ranks, "search", find_nearest, w);
    if (!code) code = ranks_gather_array(ranks, &w->ids, (size_t)w->k * sizeof(int64_t));
    if (!code) code = ranks_gather_array(ranks, &w->distances, (size_t)w->k * square_size(w->tree.info.dtype));
    if (code || job->silent) return code;
    const char *paths[] = {job->value[OPT_OUTPUT], job->value[OPT_DISTANCES]};
    squares_to_distances(w->tree.info.dtype, w->distances.data, entries);
    return arrays_write(job, paths, (const bosc_array[]){w->ids, w->distances}, paths[1] ? 2 : 1);
}

int kdtree_knn_over_ranks(struct job *job, const struct ranks *ranks, int64_t k, double within)
{
    struct knn_work w = {.k = k, .is_bounded = job->value[OPT_WITHIN] != NULL, .within = within};
    int code = open_tree(job, ranks, NULL, tree_source_of(job), &w.tree);
    if (!code) code = tree_check_k(job, k, w.tree.info.nodes);
    if (!code) code = read_queries(job, ranks, &w.tree, &w.queries);
    if (!code) code = search_nearest(job, ranks, &w);
    job_set_integer(job, "n", w.tree.info.nodes);
    job_set_integer(job, "m", w.queries.total);
    job_set_integer(job, "k", k);
    close_tree(&w.tree);
    bosc_array_free(&w.queries.array);
    bosc_array_free(&w.ids);
    bosc_array_free(&w.distances);
    return code;
}

/* ---- radius, box ---- */

/* Shared by the ranks of a process. */
struct rows_work {
    struct ranks_tree tree;
    struct input_rows queries; /* or boxes */
    bool is_box;
    double radius;                  /* unless is_box */
    int64_t **offsets;              /* (ranks): CSR offsets of the queries of each, from 0 */
    const int64_t *counts, *begins; /* of the ranks: pairs of each, and their exclusive sums */
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
    return w->is_box ? bosc_ranks_kdtree_box(r->ctx, tree, rows, m, offsets, ids, capacity)
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
    if (status == BOSC_OK) *r->found = w->offsets[r->number][m];
    return status;
}

static bosc_status list_slice(const struct rank *r, void *user)
{
    const struct rows_work *w = user;
    const int64_t begin = w->begins[r->number], pairs = w->counts[r->number];
    int64_t *ids = (int64_t *)w->ids.data + begin;
    char *dist2 =
        w->distances.data ? (char *)w->distances.data + (size_t)begin * square_size(w->tree.info.dtype) : NULL;
    const bosc_status status = search_slice(r, w, ids, dist2, pairs);
    if (status == BOSC_OK) widen_ids(w->tree.info.id_bits, ids, pairs);
    return status;
}

static int read_boxes(struct job *job, const struct ranks *ranks, struct rows_work *w)
{
    const char *path = job->value[OPT_BOXES];
    bosc_array *boxes = &w->queries.array;
    const int32_t dim = w->tree.info.dim;
    int code = boxes_check_ending(path, dim);
    if (!code) code = ranks_read_npy(job, ranks, path, &w->queries);
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
        const int64_t n = ranks_slice(ranks, r, m, &q);
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
    w->ids = (bosc_array){.dtype = BOSC_I64, .rank = 1, .shape = {pairs, 1, 1, 1}};
    w->distances = (bosc_array){.dtype = BOSC_F64, .rank = 1, .shape = {pairs, 1, 1, 1}};
    w->ids.data = job_alloc((size_t)pairs, sizeof(int64_t));
    if (w->ids.data && job->value[OPT_DISTANCES]) w->distances.data = job_alloc((size_t)pairs, sizeof(double));
    if (!w->ids.data || (job->value[OPT_DISTANCES] && !w->distances.data)) return EXIT_FAILED;
    int code = ranks_run(job, ranks, "search", list_slice, w);
    if (!code) code = ranks_gather_in_place(ranks, w->ids.data, sizeof(int64_t));
    if (!code && w->distances.data)
        code = ranks_gather_in_place(ranks, w->distances.data, square_size(w->tree.info.dtype));
    if (!code && w->distances.data && !job->silent) squares_to_distances(w->tree.info.dtype, w->distances.data, pairs);
    return code;
}

static int search_and_write(struct job *job, const struct ranks *ranks, struct rows_work *w)
{
    bosc_array offsets = {0};
    int code = ranks_run(job, ranks, "count", count_slice, w);
    if (!code) code = ranks_sum_counts(ranks);
    if (!code) code = gather_offsets(job, ranks, w, &offsets);
    if (!code && (job->value[OPT_OUTPUT] || job->value[OPT_DISTANCES])) code = gather_rows(job, ranks, w);
    const char *paths[] = {job->value[OPT_OFFSETS], job->value[OPT_OUTPUT], job->value[OPT_DISTANCES]};
    if (!code) code = arrays_write(job, paths, (const bosc_array[]){offsets, w->ids, w->distances}, 3);
    bosc_array_free(&offsets);
    return code;
}

/* Reads the tree and the queries or boxes, searches, and writes. */
static int search_over_ranks(struct job *job, const struct ranks *ranks, struct rows_work *w)
{
    w->counts = ranks->counts;
    w->begins = ranks->begins;
    int code = open_tree(job, ranks, NULL, tree_source_of(job), &w->tree);
    if (!code) code = w->is_box ? read_boxes(job, ranks, w) : read_queries(job, ranks, &w->tree, &w->queries);
    w->offsets = code ? NULL : ranks_alloc(ranks, sizeof *w->offsets);
    if (!code) code = w->offsets ? search_and_write(job, ranks, w) : EXIT_FAILED;
    for (int32_t r = 0; w->offsets && r < ranks->count; r++) free(w->offsets[r]);
    free(w->offsets);
    close_tree(&w->tree);
    bosc_array_free(&w->queries.array);
    bosc_array_free(&w->ids);
    bosc_array_free(&w->distances);
    return code;
}

int kdtree_radius_over_ranks(struct job *job, const struct ranks *ranks, double radius)
{
    return search_over_ranks(job, ranks, &(struct rows_work){.radius = radius});
}

int kdtree_box_over_ranks(struct job *job, const struct ranks *ranks)
{
    return search_over_ranks(job, ranks, &(struct rows_work){.is_box = true});
}

/* ---- pairs ---- */

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
    if (status == BOSC_OK) *r->found = f->offsets[n] - f->own;
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
    for (int32_t r = ranks->first; r < ranks->first + ranks->local; r++) ranks->counts[r] = w->found[r].count;
    int code = ranks_sum_counts(ranks);
    if (code) return code;
    int64_t *all = pairs->data = job_alloc((size_t)pairs->shape[0], 2 * sizeof *all);
    if (!all) return EXIT_FAILED;
    for (int32_t r = ranks->first; r < ranks->first + ranks->local; r++)
        memcpy(all + 2 * ranks->begins[r], w->found[r].pairs, (size_t)w->found[r].count * 2 * sizeof *all);
    if ((code = ranks_gather_in_place(ranks, all, 2 * sizeof *all)) || job->silent) return code;
    return arrays_write(job, &job->value[OPT_OUTPUT], pairs, 1);
}

static int search_pairs(struct job *job, const struct ranks *ranks, struct pairs_work *w, bosc_array *pairs)
{
    int code = ranks_run(job, ranks, "count", count_neighbours, w);
    if (!code) code = ranks_sum_counts(ranks);
    if (code) return code;
    pairs->shape[0] = ranks->begins[ranks->count] / 2; /* each pair was found from both ends */
    if (!job->value[OPT_OUTPUT]) return EXIT_DONE;
    code = ranks_run(job, ranks, "pairs", list_slice_pairs, w);
    return code ? code : gather_pairs(job, ranks, w, pairs);
}

int kdtree_pairs_over_ranks(struct job *job, const struct ranks *ranks, double radius)
{
    struct pairs_work w = {.radius = radius};
    bosc_array pairs = {.dtype = BOSC_I64, .rank = 2, .shape = {0, 2, 1, 1}};
    int code = open_tree(job, ranks, NULL, POINTS, &w.tree);
    w.found = ranks_alloc(ranks, sizeof *w.found);
    if (!w.found) code = EXIT_FAILED;
    if (!code) code = search_pairs(job, ranks, &w, &pairs);
    job_set_integer(job, "n", w.tree.info.n);
    job_set_integer(job, "pairs", pairs.shape[0]);
    for (int32_t r = 0; w.found && r < ranks->count; r++) {
        free(w.found[r].offsets);
        free(w.found[r].pairs);
    }
    free(w.found);
    close_tree(&w.tree);
    bosc_array_free(&pairs);
    return code;
}
