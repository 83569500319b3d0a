/* boscage cluster hdbscan and cut: clusters of points by density at all distances, and cuts of dendrograms. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <boscage/ranks/cluster.h>

#include "tool/commands/clusters.h"
#include "tool/commands/commands.h"
#include "tool/commands/points.h"
#include "tool/job.h"
#include "tool/options/values.h"
#include "tool/output/arrays.h"
#include "tool/output/report.h"
#include "tool/ranks.h"
#include "tool/tool.h"

enum { MIN_CLUSTER_SIZE = 5 }; /* the library's default */

/* ---- cluster hdbscan ---- */

/* The points of a file, their dendrogram and their clusters. */
struct hierarchy {
    const char *path;
    bosc_array points, z, labels, probabilities, scores, memberships;
    bosc_hdbscan *clustering; /* with --save or --membership */
    bosc_hdbscan_opts opts;
    bosc_hdbscan_info info;
};

static void free_hierarchy(struct hierarchy *s)
{
    bosc_array_free(&s->points);
    bosc_array_free(&s->z);
    bosc_array_free(&s->labels);
    bosc_array_free(&s->probabilities);
    bosc_array_free(&s->scores);
    bosc_array_free(&s->memberships);
    bosc_hdbscan_free(s->clustering);
}

static int read_options(const struct job *job, bosc_hdbscan_opts *opts)
{
    static const bosc_cluster_metric metrics[] = {BOSC_CLUSTER_MINKOWSKI, BOSC_CLUSTER_MINKOWSKI,
                                                  BOSC_CLUSTER_MINKOWSKI, BOSC_CLUSTER_HAVERSINE, BOSC_CLUSTER_COSINE};
    static const double orders[] = {2, 1, INFINITY, 2, 2};
    int selection = 0, metric = 0, code;
    opts->size = sizeof *opts;
    opts->min_cluster_size = MIN_CLUSTER_SIZE;
    if ((code = option_integer(job, OPT_MIN_CLUSTER_SIZE, 2, INT64_MAX, &opts->min_cluster_size)) ||
        (code = option_integer(job, OPT_MIN_SAMPLES, 1, INT64_MAX, &opts->min_samples)) ||
        (code = option_integer(job, OPT_MAX_CLUSTER_SIZE, 2, INT64_MAX, &opts->max_cluster_size)) ||
        (code = option_number(job, OPT_EPSILON, 0, &opts->epsilon)) ||
        (code = option_choice(job, OPT_METRIC, &metric)) || (code = option_choice(job, OPT_SELECTION, &selection)))
        return code;
    opts->metric = metrics[metric];
    opts->p = orders[metric];
    opts->selection = (bosc_hdbscan_selection)selection;
    opts->allow_single_cluster = job->value[OPT_ALLOW_SINGLE_CLUSTER] != NULL;
    if (metric != 0 && (job->value[OPT_SAVE] || job->value[OPT_MEMBERSHIP]))
        return report_error(EXIT_USAGE, "%s: of Euclidean distances only",
                            job->value[OPT_SAVE] ? "--save" : "--membership");
    if (opts->max_cluster_size && selection == BOSC_HDBSCAN_LEAF)
        return report_error(EXIT_USAGE, "--max-cluster-size: of no effect with --selection leaf");
    return EXIT_DONE;
}

/* Reads the points, and allocates the outputs. */
static int read_points(struct job *job, struct hierarchy *s)
{
    int code = points_read(job, s->path = job->operands[0], &s->points);
    if (code) return code;
    const int64_t n = s->points.shape[0], dim = s->points.shape[1];
    job_set_integer(job, "n", n);
    if (dim > DIM_MAX)
        return report_error(EXIT_FAILED, "%s: the points have %lld coordinates, but a tree takes at most %d", s->path,
                            (long long)dim, DIM_MAX);
    if (s->opts.metric == BOSC_CLUSTER_HAVERSINE && dim != 2)
        return report_error(EXIT_FAILED, "%s: %lld coordinates; haversine needs latitude and longitude", s->path,
                            (long long)dim);
    s->opts.dtype = s->points.dtype;
    s->opts.dim = (int32_t)dim;
    const int64_t samples = s->opts.min_samples ? s->opts.min_samples : s->opts.min_cluster_size;
    if (n > 0 && samples > n)
        return report_error(EXIT_FAILED, "%s: %lld points, but --min-samples is %lld%s", s->path, (long long)n,
                            (long long)samples, s->opts.min_samples ? "" : ", as --min-cluster-size");
    if ((code = clusters_allocate(&s->z, BOSC_F64, 2, n > 0 ? n - 1 : 0, 4)) ||
        (code = clusters_allocate(&s->labels, BOSC_I64, 1, n, 1)) ||
        (code = clusters_allocate(&s->probabilities, BOSC_F64, 1, n, 1)))
        return code;
    return clusters_allocate(&s->scores, BOSC_F64, 1, n, 1);
}

/* Computes the dendrogram; with --save or --membership that of a clustering, which is kept. */
static bosc_status compute_dendrogram(struct job *job, struct hierarchy *s)
{
    const int64_t n = s->points.shape[0];
    const double *z;
    if (!job->value[OPT_SAVE] && !job->value[OPT_MEMBERSHIP])
        return bosc_hdbscan_compute_linkage(job->ctx, s->points.data, n, 0, &s->opts, s->z.data);
    bosc_status status = bosc_hdbscan_create(job->ctx, s->points.data, n, 0, &s->opts, &s->clustering);
    if (status == BOSC_OK) status = bosc_hdbscan_get_model(job->ctx, s->clustering, NULL, NULL, NULL, &z);
    if (status == BOSC_OK && n > 1) status = bosc_ctx_copy(job->ctx, s->z.data, z, 4 * (size_t)(n - 1) * sizeof *z);
    return status == BOSC_OK ? bosc_ctx_sync(job->ctx) : status;
}

/* Computes the memberships of the points, and saves the clustering. */
static int use_clustering(struct job *job, struct hierarchy *s)
{
    bosc_hdbscan_model model = {.size = sizeof model};
    bosc_io_error error;
    bosc_status status;
    if (job->value[OPT_MEMBERSHIP]) {
        const int code = clusters_allocate(&s->memberships, BOSC_F64, 2, s->points.shape[0], s->info.clusters);
        if (code) return code;
        status = bosc_hdbscan_get_model(job->ctx, s->clustering, &model, NULL, NULL, NULL);
        if (status == BOSC_OK)
            status = bosc_hdbscan_compute_memberships(job->ctx, &model, s->info.clusters, s->memberships.data);
        if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    }
    if (!job->value[OPT_SAVE] || job->silent) return EXIT_DONE;
    const double start = job_now();
    status = bosc_hdbscan_save(job->ctx, s->clustering, job->value[OPT_SAVE], &error);
    job_add_seconds(job, "write", start);
    return status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
}

/* A clustering over ranks. */
struct shared_hierarchy {
    struct hierarchy *s;
    bosc_hdbscan_info *infos; /* of each rank: all equal */
};

static bosc_status cluster_slice(const struct rank *r, void *user)
{
    const struct shared_hierarchy *c = user;
    const struct hierarchy *s = c->s;
    int64_t begin, n = rank_slice(r, s->points.shape[0], &begin);
    bosc_hdbscan_info info = {.size = sizeof info};
    const bosc_status status = bosc_ranks_hdbscan_compute(
        r->ctx, r->comm, array_row(&s->points, begin), n, 0, &s->opts, array_row(&s->labels, begin),
        (double *)s->probabilities.data + begin, (double *)s->scores.data + begin, &info);
    c->infos[r->number] = info;
    rank_name_points(r, status, s->path);
    return status;
}

/* Each rank clusters a slice of the points. */
static int cluster_over_ranks(struct job *job, const struct ranks *ranks, struct hierarchy *s)
{
    const int64_t n = s->points.shape[0];
    struct shared_hierarchy c = {s, ranks_alloc(ranks, sizeof *c.infos)};
    int code = c.infos ? ranks_run(job, ranks, "cluster", cluster_slice, &c) : EXIT_FAILED;
    if (!code) code = ranks_gather_slices(ranks, n, s->labels.data, sizeof(int64_t));
    if (!code) code = ranks_gather_slices(ranks, n, s->probabilities.data, sizeof(double));
    if (!code) code = ranks_gather_slices(ranks, n, s->scores.data, sizeof(double));
    if (!code) s->info = c.infos[ranks->first];
    free(c.infos);
    return code;
}

/* Refuses options that need the dendrogram. */
static int check_ranks(const struct job *job, const struct ranks *ranks)
{
    const char *option = job->value[OPT_TREE]         ? "--tree"
                         : job->value[OPT_SAVE]       ? "--save"
                         : job->value[OPT_MEMBERSHIP] ? "--membership"
                                                      : NULL;
    return ranks->count && option ? report_error(EXIT_USAGE, "%s: not over ranks", option) : EXIT_DONE;
}

/* Computes the dendrogram, and selects its clusters. */
static int find_clusters(struct job *job, struct hierarchy *s)
{
    const int64_t n = s->points.shape[0];
    double start = job_now();
    s->info.size = sizeof s->info;
    bosc_status status = compute_dendrogram(job, s);
    job_add_seconds(job, "linkage", start);
    if (status != BOSC_OK) return clusters_report_error(job, s->path, status);
    start = job_now();
    status = bosc_hdbscan_select(job->ctx, s->z.data, n, &s->opts, s->labels.data, s->probabilities.data,
                                 s->scores.data, &s->info);
    job_add_seconds(job, "cluster", start);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
}

int run_cluster_hdbscan(struct job *job)
{
    struct hierarchy s = {.path = NULL};
    struct ranks ranks;
    int code;
    if ((code = read_options(job, &s.opts)) || (code = clusters_check_picture(job)) || (code = job_open(job)))
        return code;
    code = ranks_open(job, &ranks);
    if (!code) code = check_ranks(job, &ranks);
    if (!code) code = read_points(job, &s);
    if (!code) code = ranks.count ? cluster_over_ranks(job, &ranks, &s) : find_clusters(job, &s);
    if (!code && s.clustering) code = use_clustering(job, &s);
    if (!code && !job->silent) {
        const char *paths[] = {job->value[OPT_OUTPUT], job->value[OPT_PROBABILITIES], job->value[OPT_OUTLIERS],
                               job->value[OPT_TREE], job->value[OPT_MEMBERSHIP]};
        job_set_integer(job, "clusters", s.info.clusters);
        job_set_integer(job, "noise", s.info.noise);
        code =
            arrays_write(job, paths, (const bosc_array[]){s.labels, s.probabilities, s.scores, s.z, s.memberships}, 5);
    }
    if (!code && !job->silent) code = clusters_draw_picture(job, &s.points, s.labels.data);
    free_hierarchy(&s);
    ranks_close(&ranks, code);
    return code;
}

/* ---- cluster cut ---- */

/* Reads a dendrogram as doubles. */
static int read_dendrogram(struct job *job, const char *path, bosc_array *z)
{
    bosc_array read;
    int code = points_read(job, path, &read);
    if (code) return code;
    if (read.shape[1] == 4)
        code = clusters_allocate(z, BOSC_F64, 2, read.shape[0], 4);
    else
        code = report_error(EXIT_FAILED, "%s: %lld columns; a dendrogram has 4 (boscage linkage makes one of points)",
                            path, (long long)read.shape[1]);
    for (int64_t i = 0; !code && i < 4 * read.shape[0]; i++) ((double *)z->data)[i] = coordinate(&read, i);
    bosc_array_free(&read);
    return code;
}

/* Cuts at a distance; an error of the dendrogram names its file. */
static int cut_at(struct job *job, const char *path, const bosc_array *z, double distance, bosc_array *labels,
                  int64_t *count)
{
    const double start = job_now();
    const bosc_status status = bosc_linkage_cut(job->ctx, z->data, labels->shape[0], distance, labels->data, count);
    job_add_seconds(job, "cut", start);
    if (status == BOSC_OK) return EXIT_DONE;
    const char *message = bosc_ctx_message(job->ctx); /* "z: row 3 ..." */
    if (strncmp(message, "z: ", 3) == 0) return report_error(EXIT_FAILED, "%s: %s", path, message + 3);
    return report_ctx_error(job->ctx, status);
}

/* Cuts into a number of clusters: the merges of the last rows are undone. */
static int cut_into(struct job *job, const char *path, bosc_array *z, int64_t clusters, bosc_array *labels,
                    int64_t *count)
{
    double *merges = z->data;
    const int64_t n = labels->shape[0], kept = clusters < n ? n - clusters : 0;
    double distance = kept > 0 ? merges[4 * (kept - 1) + 2] : -1;
    if (distance != distance) distance = 0;                         /* the cut names the row */
    const int code = cut_at(job, path, z, distance, labels, count); /* checks the dendrogram too */
    if (code || *count == clusters || kept == 0) return code;
    /* Several merges are at the distance of the last one: numbers of rows take the place of distances. */
    for (int64_t t = 0; t < n - 1; t++) merges[4 * t + 2] = (double)(t + 1);
    return cut_at(job, path, z, (double)kept, labels, count);
}

/* Labels clusters of fewer points as noise, and numbers the others again. Returns the number of noise points. */
static int64_t remove_small(int64_t *labels, int64_t n, int64_t least, int64_t *sizes, int64_t *count)
{
    int64_t kept = 0, noise = 0;
    memset(sizes, 0, (size_t)n * sizeof *sizes);
    for (int64_t i = 0; i < n; i++) sizes[labels[i]]++;
    for (int64_t c = 0; c < *count; c++) sizes[c] = sizes[c] >= least ? kept++ : -1; /* the new label */
    for (int64_t i = 0; i < n; i++) {
        labels[i] = sizes[labels[i]];
        noise += labels[i] < 0;
    }
    *count = kept;
    return noise;
}

int run_cluster_cut(struct job *job)
{
    bosc_array z = {.data = NULL}, labels = {.data = NULL}, sizes = {.data = NULL};
    int64_t clusters = 0, least = 1, count = 0;
    double distance = 0;
    int code;
    /* 1. Options. */
    if (!job->value[OPT_CUT] == !job->value[OPT_CLUSTERS])
        return report_error(EXIT_USAGE, "--cut: either it or --clusters is needed");
    if ((code = option_number(job, OPT_CUT, 0, &distance)) ||
        (code = option_integer(job, OPT_CLUSTERS, 1, INT64_MAX, &clusters)) ||
        (code = option_integer(job, OPT_MIN_CLUSTER_SIZE, 1, INT64_MAX, &least)) || (code = job_open(job)))
        return code;
    /* 2. The dendrogram and its cut. */
    const char *path = job->operands[0];
    code = read_dendrogram(job, path, &z);
    const int64_t n = z.shape[0] + 1;
    if (!code) code = clusters_allocate(&labels, BOSC_I64, 1, n, 1);
    if (!code) code = clusters_allocate(&sizes, BOSC_I64, 1, n, 1);
    if (!code)
        code = clusters ? cut_into(job, path, &z, clusters, &labels, &count)
                        : cut_at(job, path, &z, distance, &labels, &count);
    /* 3. Results. */
    if (!code) {
        const int64_t noise = remove_small(labels.data, n, least, sizes.data, &count);
        const char *paths[] = {job->value[OPT_OUTPUT]};
        job_set_integer(job, "n", n);
        job_set_integer(job, "clusters", count);
        job_set_integer(job, "noise", noise);
        code = arrays_write(job, paths, &labels, 1);
    }
    bosc_array_free(&z);
    bosc_array_free(&labels);
    bosc_array_free(&sizes);
    return code;
}
