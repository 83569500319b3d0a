/* boscage emst, linkage, tour: the Euclidean minimum spanning tree of points, and what follows from it. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <boscage/tour.h>

#include "tool/commands/commands.h"
#include "tool/commands/points.h"
#include "tool/job.h"
#include "tool/options/values.h"
#include "tool/output/arrays.h"
#include "tool/output/report.h"
#include "tool/ranks.h"
#include "tool/tool.h"

enum { MOST_KICKS = 10000 }; /* of the library */

/* ---- the tree ---- */

/* The Euclidean minimum spanning tree of the points of a file. */
struct spanning_tree {
    const char *path;         /* of the file */
    bosc_array points, edges; /* edges: (n - 1, 2) i8 */
    bosc_array lengths, gaps; /* (n - 1) f8; gaps: only of boscage emst --gaps */
};

/* Reads the points, reports their number, and allocates the edges. Free the tree after a failure too. */
static int read_points(struct job *job, const char *path, struct spanning_tree *s)
{
    *s = (struct spanning_tree){.path = path};
    int code = points_read(job, path, &s->points);
    if (code) return code;
    int64_t n = s->points.shape[0], count = n > 0 ? n - 1 : 0;
    job_set_integer(job, "n", n);
    if (s->points.shape[1] > DIM_MAX)
        return report_error(EXIT_FAILED, "%s: the points have %lld coordinates, but a tree takes at most %d", path,
                            (long long)s->points.shape[1], DIM_MAX);
    s->edges = (bosc_array){.dtype = BOSC_I64, .rank = 2, .shape = {count, 2, 1, 1}};
    s->lengths = (bosc_array){.dtype = BOSC_F64, .rank = 1, .shape = {count, 1, 1, 1}};
    s->edges.data = job_alloc((size_t)n, 2 * sizeof(int64_t));
    s->lengths.data = s->edges.data ? job_alloc((size_t)n, sizeof(double)) : NULL;
    return s->lengths.data ? EXIT_DONE : EXIT_FAILED;
}

/* Returns the distance of the points that begin at elements a and b, by the operations of searches in k-d trees: in the
 * precision of the coordinates, in the order of the coordinates. Differences are multiplied by a power of two, so that
 * no square overflows. Returns infinity for a NaN coordinate, and for a length beyond all doubles. */
static double measure_edge(const bosc_array *points, int64_t a, int64_t b, int64_t dim)
{
    const bool single = points->dtype == BOSC_F32;
    double most = 0, square = 0;
    float square_f32 = 0;
    int exponent;
    /* 1. The largest difference. */
    for (int64_t c = 0; c < dim; c++) {
        const double gap = fabs(coordinate(points, a + c) - coordinate(points, b + c));
        if (!(gap < INFINITY)) return INFINITY;
        most = fmax(most, gap);
    }
    if (most == 0) return 0;
    frexp(most, &exponent);
    /* 2. The sum of squares, relative to it. */
    for (int64_t c = 0; c < dim; c++) {
        const double gap = ldexp(coordinate(points, a + c) - coordinate(points, b + c), -exponent);
        square = square + gap * gap;
        square_f32 = square_f32 + (float)gap * (float)gap;
    }
    return ldexp(sqrt(single ? (double)square_f32 : square), exponent);
}

/* True if all coordinates of the point that begins at element a are finite. */
static bool is_finite_point(const bosc_array *points, int64_t a, int64_t dim)
{
    int64_t c = 0;
    while (c < dim && isfinite(coordinate(points, a + c))) c++;
    return c == dim;
}

/* Computes the tree of points whose squared lengths do not fit their type: the edges, then their lengths. */
static int compute_far_tree(struct job *job, struct spanning_tree *s, const bosc_emst_opts *opts)
{
    const int64_t n = s->points.shape[0], dim = s->points.shape[1], *pairs = s->edges.data;
    double *lengths = s->lengths.data;
    const bosc_status status = bosc_emst_compute(job->ctx, s->points.data, n, 0, opts, s->edges.data, NULL);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    for (int64_t e = 0; e < s->lengths.shape[0]; e++) {
        const int64_t a = pairs[2 * e] * dim, b = pairs[2 * e + 1] * dim;
        lengths[e] = measure_edge(&s->points, a, b, dim);
        if (isinf(lengths[e]) && is_finite_point(&s->points, a, dim) && is_finite_point(&s->points, b, dim))
            return report_error(EXIT_FAILED, "%s: the length of edge %lld is more than a double holds", s->path,
                                (long long)e);
    }
    return EXIT_DONE;
}

static int compute_tree(struct job *job, struct spanning_tree *s)
{
    double start = job_now();
    static const char far[] = "points: the squared length";
    const bosc_emst_opts opts = {.size = sizeof opts, .dtype = s->points.dtype, .dim = (int32_t)s->points.shape[1]};
    bosc_status status =
        bosc_emst_compute(job->ctx, s->points.data, s->points.shape[0], 0, &opts, s->edges.data, s->lengths.data);
    int code = EXIT_DONE;
    if (status == BOSC_OK)
        squares_to_distances(s->points.dtype, s->lengths.data, s->lengths.shape[0]);
    else if (status == BOSC_ERR_LIMIT && strncmp(bosc_ctx_message(job->ctx), far, sizeof far - 1) == 0)
        code = compute_far_tree(job, s, &opts);
    else
        code = report_ctx_error(job->ctx, status);
    job_add_seconds(job, "tree", start);
    return code;
}

/* Reads the points and computes the tree. */
static int read_and_span(struct job *job, const char *path, struct spanning_tree *s)
{
    int code = read_points(job, path, s);
    return code ? code : compute_tree(job, s);
}

static void free_tree(struct spanning_tree *s)
{
    bosc_array_free(&s->points);
    bosc_array_free(&s->edges);
    bosc_array_free(&s->lengths);
    bosc_array_free(&s->gaps);
}

static bosc_status find_slice(const struct rank *r, void *user)
{
    const struct spanning_tree *s = user;
    const bosc_emst_opts opts = {.size = sizeof opts, .dtype = s->points.dtype, .dim = (int32_t)s->points.shape[1]};
    int64_t begin, n = rank_slice(r, s->points.shape[0], &begin);
    const bosc_status status =
        bosc_ranks_emst_compute(r->ctx, r->comm, array_row(&s->points, begin), n, 0, &opts, array_row(&s->edges, begin),
                                (char *)s->lengths.data + (size_t)begin * square_size(s->points.dtype), r->found);
    rank_name_points(r, status, s->path);
    return status;
}

/* Each rank holds a slice of the points, and room for as many edges. */
static int emst_over_ranks(struct job *job, const struct ranks *ranks, struct spanning_tree *s)
{
    int code = read_points(job, job->operands[0], s);
    int64_t total, n = code ? 0 : s->points.shape[0];
    if (!code) code = ranks_run(job, ranks, "tree", find_slice, s);
    if (!code) code = ranks_gather_rows(ranks, n, s->edges.data, 2 * sizeof(int64_t), &total);
    if (!code) code = ranks_gather_rows(ranks, n, s->lengths.data, square_size(s->points.dtype), &total);
    if (!code && !job->silent) squares_to_distances(s->points.dtype, s->lengths.data, s->lengths.shape[0]);
    return code;
}

/* ---- emst ---- */

/* Writes by how much the best replacement of each edge is longer than the edge; 0 where both are infinite. */
static void measure_gaps(const struct spanning_tree *s, const int64_t *replacements, double *gaps)
{
    const int64_t dim = s->points.shape[1];
    const double *lengths = s->lengths.data;
    for (int64_t e = 0; e < s->lengths.shape[0]; e++) {
        const int64_t a = replacements[2 * e], b = replacements[2 * e + 1];
        const double length = a < 0 ? INFINITY : measure_edge(&s->points, a * dim, b * dim, dim);
        gaps[e] = isinf(length) && isinf(lengths[e]) ? 0 : length - lengths[e];
    }
}

/* Finds the gaps of the edges, if they are wanted. */
static int find_gaps(struct job *job, struct spanning_tree *s)
{
    if (!job->value[OPT_GAPS]) return EXIT_DONE;
    const int64_t n = s->points.shape[0];
    const bosc_emst_opts opts = {.size = sizeof opts, .dtype = s->points.dtype, .dim = (int32_t)s->points.shape[1]};
    double start = job_now();
    s->gaps = s->lengths; /* its type and shape */
    s->gaps.data = job_alloc((size_t)n, sizeof(double));
    int64_t *replacements = s->gaps.data ? job_alloc((size_t)n, 2 * sizeof(int64_t)) : NULL;
    if (!replacements) return EXIT_FAILED;
    const bosc_status status =
        bosc_emst_find_replacements(job->ctx, s->points.data, n, 0, &opts, 0, s->edges.data, replacements, NULL);
    if (status == BOSC_OK) measure_gaps(s, replacements, s->gaps.data);
    free(replacements);
    job_add_seconds(job, "gaps", start);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
}

/* Reports the weight and writes the edges. */
static int report_tree(struct job *job, const struct spanning_tree *s)
{
    const char *paths[] = {job->value[OPT_OUTPUT], job->value[OPT_LENGTHS], job->value[OPT_GAPS]};
    double weight = 0;
    bosc_status status = bosc_reduce(job->ctx, BOSC_SUM, BOSC_F64, s->lengths.data, s->lengths.shape[0], &weight);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    job_set_integer(job, "edges", s->edges.shape[0]);
    job_set_number(job, "weight", weight);
    return arrays_write(job, paths, (const bosc_array[]){s->edges, s->lengths, s->gaps}, 3);
}

int run_emst(struct job *job)
{
    struct spanning_tree tree = {0};
    struct ranks ranks;
    int code = job_open(job);
    if (code) return code;
    code = ranks_open(job, &ranks);
    if (!code && ranks.count && job->value[OPT_GAPS])
        code = report_error(EXIT_USAGE, "--gaps: not with --ranks or --devices");
    if (!code) code = ranks.count ? emst_over_ranks(job, &ranks, &tree) : read_and_span(job, job->operands[0], &tree);
    if (!code) code = find_gaps(job, &tree);
    if (!code && !job->silent) code = report_tree(job, &tree);
    free_tree(&tree);
    ranks_close(&ranks, code);
    return code;
}

/* ---- linkage ---- */

static int find_linkage(struct job *job, const struct spanning_tree *tree, bosc_array *z)
{
    *z = (bosc_array){.dtype = BOSC_F64, .rank = 2, .shape = {tree->edges.shape[0], 4, 1, 1}};
    z->data = job_alloc((size_t)z->shape[0], 4 * sizeof(double));
    if (!z->data) return EXIT_FAILED;
    double start = job_now();
    bosc_status status =
        bosc_linkage_compute(job->ctx, tree->edges.data, tree->lengths.data, tree->points.shape[0], NULL, z->data);
    job_add_seconds(job, "linkage", start);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
}

/* Builds a graph of the tree; edge ids are rows of the tree. */
static bosc_status build_tree_graph(struct job *job, const struct spanning_tree *tree, int64_t *ends,
                                    bosc_graph **graph)
{
    const bosc_graph_opts opts = {.size = sizeof opts, .weight = BOSC_F64};
    const int64_t *pairs = tree->edges.data;
    int64_t m = tree->edges.shape[0];
    for (int64_t i = 0; i < m; i++) {
        ends[i] = pairs[2 * i];
        ends[m + i] = pairs[2 * i + 1];
    }
    bosc_status status = bosc_graph_create(job->ctx, &opts, graph);
    if (status != BOSC_OK) return status;
    return bosc_graph_build(job->ctx, *graph, ends, ends + m, tree->lengths.data, tree->points.shape[0], m);
}

/* Labels the clusters that remain when the edges longer than a distance are removed, or the longest edges until
 * `clusters` remain. */
static int cut_tree(struct job *job, const struct spanning_tree *tree, int64_t clusters, double distance,
                    bosc_array *labels)
{
    bosc_msf_opts opts = {.size = sizeof opts, .trees = clusters};
    bosc_msf_info info = {.size = sizeof info};
    bosc_graph *graph = NULL;
    if (job->value[OPT_CUT]) opts.limit = &distance;
    *labels = (bosc_array){.dtype = BOSC_I64, .rank = 1, .shape = {tree->points.shape[0], 1, 1, 1}};
    labels->data = job_alloc((size_t)labels->shape[0], sizeof(int64_t));
    int64_t *ends = labels->data ? job_alloc((size_t)tree->edges.shape[0], 2 * sizeof *ends) : NULL;
    if (!ends) return EXIT_FAILED;
    double start = job_now();
    bosc_status status = build_tree_graph(job, tree, ends, &graph);
    if (status == BOSC_OK) status = bosc_msf_compute(job->ctx, graph, &opts, NULL, labels->data, &info);
    job_add_seconds(job, "cut", start);
    if (status == BOSC_OK) job_set_integer(job, "clusters", info.trees);
    bosc_graph_free(graph);
    free(ends);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
}

static int write_linkage(struct job *job, const bosc_array *z, const bosc_array *labels)
{
    const char *paths[2];
    bosc_array arrays[2];
    int count = 0;
    if (job->value[OPT_OUTPUT]) {
        arrays[count] = *z;
        paths[count++] = job->value[OPT_OUTPUT];
    }
    if (job->value[OPT_LABELS]) {
        arrays[count] = *labels;
        paths[count++] = job->value[OPT_LABELS];
    }
    return count > 0 ? arrays_write(job, paths, arrays, count) : EXIT_DONE;
}

/* Refuses invalid combinations of options. */
static int check_cut(const struct job *job)
{
    bool is_cut = job->value[OPT_CUT] || job->value[OPT_CLUSTERS];
    if (job->value[OPT_CUT] && job->value[OPT_CLUSTERS])
        return report_error(EXIT_USAGE, "--clusters: cannot be combined with --cut");
    if (job->value[OPT_LABELS] && !is_cut) return report_error(EXIT_USAGE, "--labels: needs --cut or --clusters");
    if (!job->value[OPT_OUTPUT] && !is_cut) return report_error(EXIT_USAGE, "-o: is missing");
    return EXIT_DONE;
}

int run_linkage(struct job *job)
{
    struct spanning_tree tree;
    bosc_array z = {0}, labels = {0};
    int64_t clusters = 0;
    double distance = 0;
    int code;
    if ((code = option_integer(job, OPT_CLUSTERS, 1, INT64_MAX, &clusters)) ||
        (code = option_number(job, OPT_CUT, 0, &distance)) || (code = check_cut(job)) || (code = job_open(job)))
        return code;
    code = read_and_span(job, job->operands[0], &tree);
    if (!code && job->value[OPT_OUTPUT]) code = find_linkage(job, &tree, &z);
    if (!code && (job->value[OPT_CUT] || clusters)) code = cut_tree(job, &tree, clusters, distance, &labels);
    if (!code) code = write_linkage(job, &z, &labels);
    free_tree(&tree);
    bosc_array_free(&z);
    bosc_array_free(&labels);
    return code;
}

/* ---- tour ---- */

/* Returns the distance of the points that begin at elements a and b. Where the sum of squares over- or underflows,
 * differences are multiplied by a power of two. */
static double measure_leg(const bosc_array *points, int64_t a, int64_t b, int64_t dim)
{
    double sum = 0, most = 0, scaled = 0;
    int exponent;
    for (int64_t c = 0; c < dim; c++) {
        const double d = coordinate(points, b + c) - coordinate(points, a + c);
        sum += d * d;
        most = fmax(most, fabs(d));
    }
    if (most == 0 || !isfinite(most) || (sum >= DBL_MIN && isfinite(sum))) return sqrt(sum);
    frexp(most, &exponent);
    for (int64_t c = 0; c < dim; c++) {
        const double d = ldexp(coordinate(points, b + c) - coordinate(points, a + c), -exponent);
        scaled += d * d;
    }
    return ldexp(sqrt(scaled), exponent);
}

/* legs[i]: distance from the i-th vertex of the tour to the next. */
static void measure_legs(const bosc_array *points, const int64_t *order, double *legs)
{
    int64_t n = points->shape[0], dim = points->shape[1];
    for (int64_t i = 0; i < n; i++) {
        int64_t a = order[i] * dim, b = order[i + 1 < n ? i + 1 : 0] * dim;
        legs[i] = measure_leg(points, a, b, dim);
    }
}

static int find_tour(struct job *job, const struct spanning_tree *tree, bosc_array *order, double *length)
{
    int64_t n = tree->points.shape[0];
    double *legs = job_alloc((size_t)n, sizeof *legs);
    *order = (bosc_array){.dtype = BOSC_I64, .rank = 1, .shape = {n, 1, 1, 1}};
    order->data = legs ? job_alloc((size_t)n, sizeof(int64_t)) : NULL;
    int code = order->data ? EXIT_DONE : EXIT_FAILED;
    if (!code) {
        double start = job_now();
        bosc_status status = bosc_tour_compute(job->ctx, tree->edges.data, n, NULL, order->data);
        job_add_seconds(job, "tour", start);
        if (status == BOSC_OK) {
            measure_legs(&tree->points, order->data, legs);
            status = bosc_reduce(job->ctx, BOSC_SUM, BOSC_F64, legs, n, length);
        }
        code = status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
    }
    free(legs);
    return code;
}

/* Shortens the tour, and reports a lower bound of all tours. kicks: 0: none. */
static int improve_tour(struct job *job, const struct spanning_tree *tree, int64_t kicks, uint64_t seed,
                        bosc_array *order, double *length)
{
    const bosc_tour_search_opts opts = {.size = sizeof opts,
                                        .dtype = tree->points.dtype,
                                        .dim = (int32_t)tree->points.shape[1],
                                        .kicks = kicks ? (int32_t)kicks : -1,
                                        .seed = seed};
    const int64_t n = tree->points.shape[0];
    double bound = 0, start = job_now();
    bosc_status status = bosc_tour_improve(job->ctx, tree->points.data, n, 0, &opts, order->data, length);
    job_add_seconds(job, "improve", start);
    start = job_now();
    if (status == BOSC_OK) status = bosc_tour_bound(job->ctx, tree->points.data, n, 0, &opts, &bound);
    job_add_seconds(job, "bound", start);
    job_set_number(job, "bound", bound);
    if (status == BOSC_ERR_DATA) /* of the points: the order is the library's */
        return report_error(EXIT_FAILED, "%s: %s", tree->path, bosc_ctx_message(job->ctx));
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
}

int run_tour(struct job *job)
{
    struct spanning_tree tree;
    bosc_array order = {0};
    double length = 0;
    int64_t kicks = 5;
    uint64_t seed = 0;
    int code;
    if ((code = option_integer(job, OPT_KICKS, 0, MOST_KICKS, &kicks)) || (code = option_seed(job, &seed))) return code;
    if (job->value[OPT_KICKS] && !job->value[OPT_IMPROVE]) return report_error(EXIT_USAGE, "--kicks: needs --improve");
    if ((code = job_open(job))) return code;
    code = read_and_span(job, job->operands[0], &tree);
    if (!code) code = find_tour(job, &tree, &order, &length);
    if (!code && job->value[OPT_IMPROVE]) code = improve_tour(job, &tree, kicks, seed, &order, &length);
    if (!code) code = arrays_write(job, &job->value[OPT_OUTPUT], &order, 1);
    job_set_number(job, "length", length);
    free_tree(&tree);
    bosc_array_free(&order);
    return code;
}
