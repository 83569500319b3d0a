/* boscage hash match */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tool/commands/commands.h"
#include "tool/commands/points.h"
#include "tool/job.h"
#include "tool/options/values.h"
#include "tool/output/arrays.h"
#include "tool/output/report.h"
#include "tool/tool.h"

enum { PATH_LENGTH = 4096 };

/* The points of all models, concatenated: model k has points offsets[k] to offsets[k + 1] - 1 and the file names[k]. */
struct models {
    double *points;
    int64_t *offsets;
    char **names;
    int64_t count, dim;
};

static void free_models(struct models *m)
{
    for (int64_t k = 0; k < m->count && m->names; k++) free(m->names[k]);
    free(m->names);
    free(m->offsets);
    free(m->points);
}

/* Reallocates an array of `used` elements of `size` bytes with room for `more`. On failure reports the error and
 * returns NULL. */
static void *grow_array(void *array, int64_t used, int64_t more, size_t size)
{
    void *fresh = job_alloc((size_t)(used + more), size);
    if (fresh && used) memcpy(fresh, array, (size_t)used * size);
    if (fresh) free(array);
    return fresh;
}

/* Appends the points of a file as model m->count; all models have the same dimension. */
static int add_points(struct models *m, const char *path, const bosc_array *points)
{
    int64_t old = m->count ? m->offsets[m->count] : 0, n = points->shape[0], dim = points->shape[1];
    if (m->dim == 0 && (dim == 2 || dim == 3)) m->dim = dim;
    if (m->dim == 0)
        return report_error(EXIT_FAILED, "%s: the points have %lld coordinates, not 2 or 3", path, (long long)dim);
    if (dim != m->dim)
        return report_error(EXIT_FAILED, "%s: the points have %lld coordinates, not %d", path, (long long)dim,
                            (int)m->dim);
    double *longer = grow_array(m->points, old * dim, n * dim, sizeof *longer);
    if (!longer) return EXIT_FAILED;
    m->points = longer;
    for (int64_t i = 0; i < n * dim; i++) longer[old * dim + i] = coordinate(points, i);
    m->offsets[m->count] = old;
    m->offsets[m->count + 1] = old + n;
    return EXIT_DONE;
}

/* Adds the model of a file. The arrays double when their length is a power of two. */
static int add_model(struct job *job, struct models *m, const char *path)
{
    bosc_array points = {0};
    int code;
    if ((m->count & (m->count - 1)) == 0) {
        int64_t more = m->count ? m->count : 1;
        int64_t *offsets = grow_array(m->offsets, m->count ? m->count + 1 : 0, m->count ? more : 2, sizeof *offsets);
        if (!offsets) return EXIT_FAILED;
        m->offsets = offsets;
        char **names = grow_array(m->names, m->count, more, sizeof *names);
        if (!names) return EXIT_FAILED;
        m->names = names;
    }
    if ((code = points_read(job, path, &points))) return code;
    code = add_points(m, path, &points);
    bosc_array_free(&points);
    if (code) return code;
    size_t length = strlen(path) + 1;
    char *name = job_alloc(length, 1);
    if (!name) return EXIT_FAILED;
    m->names[m->count++] = memcpy(name, path, length);
    return EXIT_DONE;
}

/* Adds the models of a list: one file name a line. */
static int add_list(struct job *job, struct models *m, const char *path)
{
    char line[PATH_LENGTH];
    int code = EXIT_DONE;
    FILE *list = fopen(path, "r");
    if (!list) return report_error(EXIT_FAILED, "%s: %s", path, strerror(errno));
    while (!code && fgets(line, sizeof line, list)) {
        size_t length = strcspn(line, "\r\n");
        if (length == sizeof line - 1)
            code = report_error(EXIT_FAILED, "%s: a line is longer than a path can be", path);
        line[length] = 0;
        if (!code && length) code = add_model(job, m, line);
    }
    if (!code && ferror(list)) code = report_error(EXIT_FAILED, "%s: cannot be read", path);
    if (!code && m->count == 0) code = report_error(EXIT_FAILED, "%s: names no model", path);
    fclose(list);
    return code;
}

/* Returns a transform as rows of numbers. */
static json_t *transform_rows(const double *t, int64_t dim)
{
    json_t *rows = json_array();
    for (int64_t k = 0; k < dim; k++) {
        json_t *row = json_array();
        for (int64_t l = 0; l <= dim; l++) json_array_append_new(row, json_real(t[(dim + 1) * k + l]));
        json_array_append_new(rows, row);
    }
    return rows;
}

/* Finds one instance of one model. */
static int find_one(struct job *job, const bosc_geometric *table, const struct models *model,
                    const struct models *scene)
{
    bosc_geometric_match found = {.size = sizeof found};
    int64_t n = model->offsets[1], m = scene->offsets[1];
    double start = job_now();
    bosc_status status = bosc_geometric_find(job->ctx, table, scene->points, m, NULL, &found);
    job_add_seconds(job, "match", start);
    if (status != BOSC_OK)
        return report_error(status_exit_code(status), "%s: %s", job->operands[1], bosc_ctx_message(job->ctx));
    if (!found.found)
        return report_error(EXIT_FAILED, "%s: the model was not found: at best %lld of its %lld points match",
                            job->operands[1], (long long)found.inliers, (long long)n);
    job_set_integer(job, "n", n);
    job_set_integer(job, "m", m);
    job_set_json(job, "transform", transform_rows(found.transform, model->dim));
    job_set_integer(job, "votes", found.votes);
    job_set_integer(job, "inliers", found.inliers);
    job_set_number(job, "error", found.error);
    return EXIT_DONE;
}

static void print_match(const bosc_geometric_match *match, const struct models *models)
{
    int64_t n = models->offsets[match->model + 1] - models->offsets[match->model];
    printf("%s: %lld of %lld points, error %.6g:", models->names[match->model], (long long)match->inliers, (long long)n,
           match->error);
    for (int64_t k = 0; k < models->dim * (models->dim + 1); k++) printf(" %.9g", match->transform[k]);
    printf("\n");
}

static int report_matches(struct job *job, const struct models *models, const struct models *scene,
                          const bosc_geometric_match *matches, int64_t count)
{
    if (count == 0) return report_error(EXIT_FAILED, "%s: no model was found", job->operands[1]);
    json_t *all = json_array();
    for (int64_t k = 0; k < count; k++) {
        const bosc_geometric_match *m = &matches[k];
        if (!job->value[OPT_JSON] && !job->value[OPT_QUIET]) print_match(m, models);
        json_array_append_new(all, json_pack("{s:s, s:I, s:o, s:I, s:I, s:f}", "model", models->names[m->model],
                                             "number", (json_int_t)m->model, "transform",
                                             transform_rows(m->transform, models->dim), "votes", (json_int_t)m->votes,
                                             "inliers", (json_int_t)m->inliers, "error", m->error));
    }
    job_set_integer(job, "models", models->count);
    job_set_integer(job, "n", models->offsets[models->count]);
    job_set_integer(job, "m", scene->offsets[1]);
    job_set_integer(job, "found", count);
    job_set_json(job, "matches", all);
    return EXIT_DONE;
}

/* Finds several models or instances. */
static int find_many(struct job *job, const bosc_geometric *table, const struct models *models,
                     const struct models *scene)
{
    int64_t m = scene->offsets[1], capacity = job->value[OPT_INSTANCES] ? m : models->count, count = 0;
    bosc_geometric_match *matches = job_alloc((size_t)capacity, sizeof *matches);
    if (!matches) return EXIT_FAILED;
    matches->size = sizeof *matches;
    double start = job_now();
    bosc_status status = bosc_geometric_find_models(job->ctx, table, scene->points, m, NULL, matches, capacity, &count);
    job_add_seconds(job, "match", start);
    int code = EXIT_DONE;
    if (status != BOSC_OK)
        code = report_error(status_exit_code(status), "%s: %s", job->operands[1], bosc_ctx_message(job->ctx));
    else
        code = report_matches(job, models, scene, matches, count);
    free(matches);
    return code;
}

/* Builds the table of the models and searches the scene. */
static int match_models(struct job *job, bosc_geometric_opts *opts, const struct models *models,
                        const struct models *scene)
{
    bosc_geometric *table = NULL;
    bool is_single = !job->value[OPT_LIST] && !opts->instances;
    double start = job_now();
    bosc_status status = bosc_geometric_create(job->ctx, opts, &table);
    if (status == BOSC_OK && is_single)
        status = bosc_geometric_build(job->ctx, table, models->points, models->offsets[1]);
    else if (status == BOSC_OK)
        status = bosc_geometric_build_models(job->ctx, table, models->points, models->offsets, models->count);
    job_add_seconds(job, "build", start);
    int code = EXIT_DONE;
    if (status != BOSC_OK)
        code = report_error(status_exit_code(status), "%s: %s", job->operands[0], bosc_ctx_message(job->ctx));
    else
        code = is_single ? find_one(job, table, models, scene) : find_many(job, table, models, scene);
    bosc_geometric_free(table);
    return code;
}

static int read_options(const struct job *job, bosc_geometric_opts *opts)
{
    int64_t near = 0;
    int kind = 0, code;
    if ((code = option_choice(job, OPT_KIND, &kind)) || (code = option_seed(job, &opts->seed)) ||
        (code = option_integer(job, OPT_NEAR, 8, INT32_MAX, &near)) ||
        (code = option_integer(job, OPT_BASES, 1, 1 << 26, &opts->max_bases)) ||
        (code = option_integer(job, OPT_TRIES, 1, INT32_MAX, &opts->max_trials)) ||
        (code = option_number(job, OPT_TOLERANCE, 0, &opts->tolerance)) ||
        (code = option_number(job, OPT_FRACTION, 0, &opts->min_fraction)))
        return code;
    if (opts->min_fraction > 1) return report_error(EXIT_USAGE, "--fraction: %g is more than 1", opts->min_fraction);
    opts->kind = (bosc_geometric_kind)kind;
    opts->neighbours = (int32_t)near;
    opts->instances = job->value[OPT_INSTANCES] != NULL;
    opts->exclusive = job->value[OPT_EXCLUSIVE] != NULL;
    return EXIT_DONE;
}

int run_hash_match(struct job *job)
{
    struct models models = {0}, scene = {0};
    bosc_geometric_opts opts = {.size = sizeof opts};
    int code = read_options(job, &opts);
    if (!code) code = job_open(job);
    if (!code) code = (job->value[OPT_LIST] ? add_list : add_model)(job, &models, job->operands[0]);
    opts.dim = (int32_t)models.dim;
    scene.dim = models.dim;
    if (!code) code = add_model(job, &scene, job->operands[1]);
    if (!code) code = match_models(job, &opts, &models, &scene);
    free_models(&models);
    free_models(&scene);
    return code;
}
