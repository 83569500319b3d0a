/* Points from files, and trees: a saved tree serves wherever points do. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/tool.h"

const char *dtype_code(bosc_dtype dtype)
{
    switch (dtype) {
    case BOSC_F32: return "f4";
    case BOSC_F64: return "f8";
    case BOSC_I32: return "i4";
    case BOSC_I64: return "i8";
    case BOSC_U32: return "u4";
    case BOSC_U64: return "u8";
    case BOSC_U8: return "u1";
    case BOSC_I8: return "i1";
    case BOSC_I16: return "i2";
    case BOSC_U16: return "u2";
    }
    return "?";
}

double coordinate(const bosc_array *points, int64_t at)
{
    switch (points->dtype) {
    case BOSC_F32: return (double)((const float *)points->data)[at];
    case BOSC_F64: return ((const double *)points->data)[at];
    case BOSC_I32: return (double)((const int32_t *)points->data)[at];
    default: return (double)((const int64_t *)points->data)[at];
    }
}

/* The rows that a tree was built from. Rows that were removed as duplicates come back as the equal row that stayed. */
static int rows_of_tree(struct job *job, const char *path, const bosc_kdtree *tree, bosc_array *points)
{
    bosc_kdtree_info info = {.size = sizeof info};
    bosc_kdtree_get_info(job->ctx, tree, &info);
    size_t row = (size_t)info.dim * bosc_dtype_size(info.dtype);
    bool wide = info.id_bits == 64;
    char *nodes = job_alloc((size_t)info.nodes, row), *rows = job_alloc((size_t)info.n, row);
    void *inverse = job_alloc((size_t)info.n, wide ? 8 : 4);
    bosc_status status = BOSC_ERR_NOMEM;
    if (nodes && rows && inverse) {
        status = bosc_kdtree_get_nodes(job->ctx, tree, nodes, NULL);
        if (status == BOSC_OK) status = bosc_kdtree_get_duplicates(job->ctx, tree, inverse, NULL);
        if (status != BOSC_OK) say(EXIT_FAILED, "%s: %s", path, bosc_ctx_message(job->ctx));
    }
    for (int64_t i = 0; status == BOSC_OK && i < info.n; i++) {
        int64_t node = wide ? ((const int64_t *)inverse)[i] : ((const uint32_t *)inverse)[i];
        memcpy(rows + (size_t)i * row, nodes + (size_t)node * row, row);
    }
    free(nodes);
    free(inverse);
    if (status != BOSC_OK) {
        free(rows);
        return EXIT_FAILED;
    }
    *points = (bosc_array){.dtype = info.dtype, .rank = 2, .shape = {info.n, info.dim, 1, 1}, .data = rows};
    return EXIT_DONE;
}

static const bosc_slice whole = {.parts = 1};

/* The points as --dtype asks for them: rounded to the nearest ones, where that type is a float. */
static int convert_points(const struct job *job, const char *path, const bosc_slice *slice, bosc_array *points)
{
    bosc_io_error error;
    int type = 0, code = option_choice(job, OPT_DTYPE, &type);
    if (code || !job->value[OPT_DTYPE]) return code;
    bosc_status status = bosc_slice_convert(path, slice, points, (bosc_dtype)(type + 1), 1, &error);
    return status == BOSC_OK ? EXIT_DONE : say_io(status, &error);
}

int points_read(struct job *job, const char *path, bosc_array *points)
{
    bosc_io_error error;
    bosc_kdtree *tree = NULL;
    double start = job_now();
    bosc_status status = bosc_kdtree_or_points_read(job->ctx, path, job->value[OPT_COLUMNS], &tree, points, &error);
    int code = status == BOSC_OK ? EXIT_DONE : say_io(status, &error);
    if (tree) code = rows_of_tree(job, path, tree, points);
    if (!code) code = convert_points(job, path, &whole, points);
    bosc_kdtree_free(tree);
    job_seconds(job, "read", start);
    return code;
}

int points_read_slice(struct job *job, const char *path, bosc_slice *slice, bosc_array *points)
{
    bosc_io_error error;
    double start = job_now();
    bosc_status status = bosc_points_read_slice(path, job->value[OPT_COLUMNS], slice, points, &error);
    int code = status == BOSC_OK ? convert_points(job, path, slice, points) : say_io(status, &error);
    job_seconds(job, "read", start);
    return code;
}

int match_points(const struct job *job, const char *path, bosc_array *array, bosc_dtype type)
{
    bosc_io_error error;
    bool real = type == BOSC_F32 || type == BOSC_F64;
    bosc_status status = bosc_array_convert(path, array, type, job->value[OPT_DTYPE] != NULL, &error);
    if (status != BOSC_ERR_DATA) return status == BOSC_OK ? EXIT_DONE : say_io(status, &error);
    return say(EXIT_FAILED, "%s, the type of the points (--dtype %s %s)", error.text, real ? dtype_code(type) : "f8",
               real ? "rounds" : "reads both as f8");
}

void take_roots(bosc_dtype dtype, void *squares, int64_t count)
{
    double *d = squares;
    const float *f = squares;
    for (int64_t i = count; i-- > 0;) d[i] = sqrt(dtype == BOSC_F32 ? (double)f[i] : d[i]);
}

int arrays_write(struct job *job, const char *const *paths, const bosc_array *arrays, int count)
{
    bosc_io_error error;
    const char *wanted_paths[OPTION_COUNT];
    bosc_array wanted[OPTION_COUNT];
    int32_t found = 0;
    if (job->silent) return EXIT_DONE;
    for (int i = 0; i < count; i++) {
        if (!paths[i]) continue;
        wanted_paths[found] = paths[i];
        wanted[found++] = arrays[i];
    }
    if (!found) return EXIT_DONE;
    double start = job_now();
    bosc_status status = bosc_arrays_write(wanted_paths, wanted, found, &error);
    job_seconds(job, "write", start);
    return status == BOSC_OK ? EXIT_DONE : say_io(status, &error);
}

int tree_build(struct job *job, const char *path, const bosc_array *points, const bosc_kdtree_opts *opts,
               bosc_kdtree **tree)
{
    if (points->shape[1] > DIM_MAX)
        return say(EXIT_FAILED, "%s: the points have %lld coordinates, but a tree takes at most %d", path,
                   (long long)points->shape[1], DIM_MAX);
    bosc_kdtree_opts full = *opts;
    bosc_kdtree *fresh = NULL;
    double start = job_now();
    full.size = sizeof full;
    full.dtype = points->dtype;
    full.dim = (int32_t)points->shape[1];
    bosc_status status = bosc_kdtree_create(job->ctx, &full, &fresh);
    if (status == BOSC_OK) status = bosc_kdtree_build(job->ctx, fresh, points->data, points->shape[0], 0);
    job_seconds(job, "build", start);
    if (status == BOSC_OK) {
        *tree = fresh;
        return EXIT_DONE;
    }
    int code = say_ctx(job, status);
    bosc_kdtree_free(fresh);
    return code;
}

/* The type of a saved tree stays what it is. */
static int check_tree(const struct job *job, const char *path, const bosc_kdtree *tree)
{
    bosc_kdtree_info info = {.size = sizeof info};
    int type = 0, code = option_choice(job, OPT_DTYPE, &type);
    bosc_kdtree_get_info(job->ctx, tree, &info);
    if (code || !job->value[OPT_DTYPE] || info.dtype == (bosc_dtype)(type + 1)) return code;
    return say(EXIT_FAILED, "%s: a tree of %s, which --dtype cannot make one of %s", path, dtype_code(info.dtype),
               job->value[OPT_DTYPE]);
}

int tree_read(struct job *job, const char *path, const bosc_kdtree_opts *opts, bosc_kdtree **tree)
{
    bosc_io_error error;
    bosc_array points = {0};
    double start = job_now();
    bosc_status status = bosc_kdtree_or_points_read(job->ctx, path, job->value[OPT_COLUMNS], tree, &points, &error);
    job_seconds(job, "read", start);
    if (status != BOSC_OK) return say_io(status, &error);
    if (*tree) return check_tree(job, path, *tree);
    int code = convert_points(job, path, &whole, &points);
    if (!code) code = tree_build(job, path, &points, opts, tree);
    bosc_array_free(&points);
    return code;
}
