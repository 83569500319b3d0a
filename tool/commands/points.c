/* Points, boxes and vectors from files. */
#include "tool/commands/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tool/job.h"
#include "tool/options/values.h"
#include "tool/output/arrays.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"
#include "tool/tool.h"

/* ---- types and offsets ---- */

int points_make_real(const char *path, bosc_array *points)
{
    bosc_io_error error;
    if (points->dtype == BOSC_F32 || points->dtype == BOSC_F64) return EXIT_DONE;
    const bosc_status status = bosc_array_convert(path, points, BOSC_F64, 1, &error);
    return status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
}

int offsets_read(struct job *job, const char *path, int64_t n, const char *rows, int64_t **offsets, int64_t *count)
{
    bosc_array input = {0};
    bosc_io_error error;
    /* 1. One group of all rows. */
    if (!path) {
        *count = 1;
        if (!(*offsets = job_alloc(2, sizeof **offsets))) return EXIT_FAILED;
        (*offsets)[0] = 0;
        (*offsets)[1] = n;
        return EXIT_DONE;
    }
    /* 2. Integers of a file. */
    const double start = job_now();
    bosc_status status = bosc_npy_read(path, &input, &error);
    job_add_seconds(job, "read", start);
    int code = status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
    const bool integers = input.dtype != BOSC_F32 && input.dtype != BOSC_F64;
    if (!code && (!integers || input.rank != 1 || input.shape[0] < 2))
        code = report_error(EXIT_FAILED, "%s: not two or more integers in one dimension", path);
    if (!code && (status = bosc_array_convert(path, &input, BOSC_I64, 0, &error)) != BOSC_OK)
        code = report_io_error(status, &error);
    if (!code && !(*offsets = job_alloc((size_t)input.shape[0], sizeof **offsets))) code = EXIT_FAILED;
    for (int64_t s = 0; s < input.shape[0] && !code; s++) (*offsets)[s] = ((const int64_t *)input.data)[s];
    *count = input.shape[0] - 1;
    bosc_array_free(&input);
    /* 3. Ascending from 0 to the number of rows. */
    for (int64_t s = 0; s <= *count && !code; s++) {
        const int64_t at = (*offsets)[s];
        const bool good = s == 0 ? at == 0 : at >= (*offsets)[s - 1] && (s < *count ? at <= n : at == n);
        if (!good)
            code = report_error(EXIT_FAILED, "%s: row %lld: the offsets do not ascend from 0 to %lld, the number of %s",
                                path, (long long)s, (long long)n, rows);
    }
    return code;
}

/* ---- points ---- */

/* Restores the rows that a tree was built from. A removed duplicate becomes the equal row that was kept. After a
 * failure, which is reported, *points is unchanged. */
static int restore_points(struct job *job, const char *path, const bosc_kdtree *tree, bosc_array *points)
{
    bosc_kdtree_info info = {.size = sizeof info};
    bosc_kdtree_get_info(job->ctx, tree, &info);
    size_t row_size = (size_t)info.dim * bosc_dtype_size(info.dtype);
    bool is_64bit = info.id_bits == 64;
    char *nodes = job_alloc((size_t)info.nodes, row_size), *rows = job_alloc((size_t)info.n, row_size);
    void *inverse = job_alloc((size_t)info.n, is_64bit ? 8 : 4);
    /* 1. The nodes, and the node of each row. */
    bosc_status status = BOSC_ERR_NOMEM;
    if (nodes && rows && inverse) {
        status = bosc_kdtree_get_nodes(job->ctx, tree, nodes, NULL);
        if (status == BOSC_OK) status = bosc_kdtree_get_duplicates(job->ctx, tree, inverse, NULL);
        if (status != BOSC_OK) report_error(EXIT_FAILED, "%s: %s", path, bosc_ctx_message(job->ctx));
    }
    /* 2. Copy. */
    for (int64_t i = 0; status == BOSC_OK && i < info.n; i++) {
        int64_t node = is_64bit ? ((const int64_t *)inverse)[i] : ((const uint32_t *)inverse)[i];
        memcpy(rows + (size_t)i * row_size, nodes + (size_t)node * row_size, row_size);
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

int points_convert(const struct job *job, const char *path, const bosc_slice *slice, bosc_array *points)
{
    static const bosc_slice whole_file = {.parts = 1};
    bosc_io_error error;
    int type = 0, code = option_choice(job, OPT_DTYPE, &type);
    if (code || !job->value[OPT_DTYPE]) return code;
    bosc_status status =
        bosc_slice_convert(path, slice ? slice : &whole_file, points, (bosc_dtype)(type + 1), 1, &error);
    return status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
}

/* Adds to the number of rows left out. */
static void report_skipped(struct job *job, int64_t skipped)
{
    if (skipped == 0 && !json_object_get(job->results, "skipped")) return;
    job_set_integer(job, "skipped", json_integer_value(json_object_get(job->results, "skipped")) + skipped);
}

/* False for formats without columns. The bytes of standard input and of files of unknown endings show their format. */
static bool may_have_columns(const char *path)
{
    static const char *const endings[] = {".npy", ".off", ".ply", ".pcd", ".obj", ".glb", ".bosc"};
    for (size_t k = 0; k < sizeof endings / sizeof endings[0]; k++)
        if (path_has_ending(path, endings[k])) return false;
    return true;
}

/* Refuses --columns where no file of the job has any. */
static int check_columns(const struct job *job)
{
    const char *queries = job->value[OPT_QUERIES];
    if (!job->value[OPT_COLUMNS] || job->value[OPT_LIST] || (queries && may_have_columns(queries))) return EXIT_DONE;
    for (int i = 0; i < job->operand_count; i++)
        if (may_have_columns(job->operands[i])) return EXIT_DONE;
    return report_error(EXIT_USAGE, "--columns: %s has none: these are of .csv, .tsv, .txt and .xyz", job->operands[0]);
}

static bool is_regular_text(const char *path)
{
    struct stat info;
    return may_have_columns(path) && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* True if both lists have the same names, but in another order. */
static bool are_reordered(const bosc_names *a, const bosc_names *b)
{
    bool moved = false;
    for (int64_t i = 0; i < a->n && a->n == b->n; i++) {
        int64_t k = 0;
        while (k < b->n && strcmp(a->text + a->begins[i], b->text + b->begins[k]) != 0) k++;
        if (k == b->n) return false;
        moved |= k != i;
    }
    return moved;
}

/* Refuses queries whose names of columns are those of the points in another order, as columns are read in theirs. */
static int check_order(const struct job *job, const char *path)
{
    bosc_names names[2] = {{0}, {0}};
    const char *const files[] = {job->operands[0], path};
    bosc_io_error error;
    bosc_status status = BOSC_OK;
    if (job->value[OPT_COLUMNS] || path != job->value[OPT_QUERIES] || job->value[OPT_LIST]) return EXIT_DONE;
    for (int i = 0; i < 2 && status == BOSC_OK; i++)
        if (is_regular_text(files[i])) status = bosc_points_read_names(files[i], &names[i], &error);
    int code = status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
    if (!code && are_reordered(&names[0], &names[1]))
        code = report_error(EXIT_FAILED, "%s: names the columns of %s in another order; --columns gives it for both",
                            path, files[0]);
    for (int i = 0; i < 2; i++) bosc_names_free(&names[i]);
    return code;
}

int tree_or_points_read(struct job *job, const char *path, bosc_kdtree **tree, bosc_array *points)
{
    bosc_io_error error;
    const char *columns = job->value[OPT_COLUMNS];
    int64_t skipped = 0;
    if (check_columns(job)) return EXIT_USAGE;
    if (check_order(job, path)) return EXIT_FAILED;
    const double start = job_now();
    const bosc_status status = job->value[OPT_SKIP_NAN] && !path_has_ending(path, ".bosc") /* trees have no NaN */
                                   ? bosc_points_read_valid(path, columns, points, &skipped, &error)
                                   : bosc_kdtree_or_points_read(job->ctx, path, columns, tree, points, &error);
    job_add_seconds(job, "read", start);
    report_skipped(job, skipped);
    return status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
}

int points_read(struct job *job, const char *path, bosc_array *points)
{
    bosc_kdtree *tree = NULL;
    int code = tree_or_points_read(job, path, &tree, points);
    const double start = job_now();
    if (!code && tree) code = restore_points(job, path, tree, points);
    if (!code) code = points_convert(job, path, NULL, points);
    bosc_kdtree_free(tree);
    job_add_seconds(job, "read", start);
    return code;
}

int points_read_slice(struct job *job, const char *path, bosc_slice *slice, bosc_array *points)
{
    bosc_io_error error;
    bosc_kdtree *tree = NULL;
    if (job->value[OPT_SKIP_NAN]) {
        if (slice->parts > 1) return report_error(EXIT_USAGE, "--skip-nan: not for processes that read a part each");
        int code = tree_or_points_read(job, path, &tree, points);
        slice->begin = 0;
        slice->rows = code ? 0 : points->shape[0];
        return code ? code : points_convert(job, path, slice, points);
    }
    if (check_columns(job)) return EXIT_USAGE;
    if (check_order(job, path)) return EXIT_FAILED;
    double start = job_now();
    bosc_status status = bosc_points_read_slice(path, job->value[OPT_COLUMNS], slice, points, &error);
    int code = status == BOSC_OK ? points_convert(job, path, slice, points) : report_io_error(status, &error);
    job_add_seconds(job, "read", start);
    return code;
}

/* True for formats whose numbers are text without a type, which readers return as f8. */
static bool is_text(const char *path)
{
    return path_is_text(path) || path_has_ending(path, ".xyz") || path_has_ending(path, ".off") ||
           path_has_ending(path, ".obj");
}

/* Refuses numbers of a text whose last digits f8 may have lost. */
static int reject_rounded(const char *path, const bosc_array *array, bosc_dtype type)
{
    const double *x = array->data;
    for (int64_t i = 0; i < array->shape[0] * array->shape[1]; i++)
        if (fabs(x[i]) >= 0x1p53)
            return report_error(EXIT_FAILED,
                                "%s: row %lld: a number of 2^53 or more, which is not read as %s from text", path,
                                (long long)(i / array->shape[1]), dtype_code(type));
    return EXIT_DONE;
}

int match_points(const struct job *job, const char *path, bosc_array *array, bosc_dtype type)
{
    bosc_io_error error;
    bool real = type == BOSC_F32 || type == BOSC_F64, text = array->dtype == BOSC_F64 && is_text(path);
    if (text && !real && reject_rounded(path, array, type)) return EXIT_FAILED;
    bosc_status status = bosc_array_convert(path, array, type, text || job->value[OPT_DTYPE] != NULL, &error);
    if (status != BOSC_ERR_DATA) return status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
    return report_error(EXIT_FAILED, "%s, the type of the points (--dtype %s %s)", error.text,
                        real ? dtype_code(type) : "f8", real ? "rounds" : "reads both as f8");
}

/* ---- boxes ---- */

int boxes_check_ending(const char *path, int32_t dim)
{
    if (!is_text(path)) return EXIT_DONE;
    return report_error(EXIT_FAILED, "%s: boxes are read from .npy alone: (m, 2, %d), low and high corners", path,
                        (int)dim);
}

int boxes_check(const char *path, const bosc_array *boxes, int32_t dim)
{
    if (boxes->rank != 3 || boxes->shape[1] != 2)
        return report_error(EXIT_FAILED, "%s: the shape of the boxes is not (m, 2, %d)", path, (int)dim);
    if (boxes->shape[2] != dim)
        return report_error(EXIT_FAILED, "%s: the boxes have %lld coordinates, but the points have %d", path,
                            (long long)boxes->shape[2], (int)dim);
    return EXIT_DONE;
}

int boxes_reject_nan(const char *path, const bosc_array *boxes, int64_t first)
{
    const int64_t numbers = 2 * boxes->shape[2];
    for (int64_t i = 0; i < boxes->shape[0] * numbers; i++)
        if (isnan(coordinate(boxes, i)))
            return report_error(EXIT_FAILED, "%s: box %lld: NaN", path, (long long)(first + i / numbers));
    return EXIT_DONE;
}

/* ---- meshes ---- */

void meshes_note_axes(struct job *job, const char *a, const char *b)
{
    const bool turned = path_has_ending(a, ".glb");
    if (turned == path_has_ending(b, ".glb")) return;
    job_set_text(job, "axes", "z up");
    job_set_note(job, "axes", "%s was turned, as glTF has y up; %s was not", turned ? a : b, turned ? b : a);
}

/* ---- vectors ---- */

int vectors_read(struct job *job, const char *path, int64_t bits, bosc_vectors *vectors)
{
    bosc_io_error error;
    int alphabet = BOSC_ALPHABET_AUTO, ambiguity = 0, code; /* choices of --n: SKIP, LETTER */
    if ((code = option_choice(job, OPT_ALPHABET, &alphabet)) || (code = option_choice(job, OPT_N, &ambiguity)))
        return code;
    const bosc_vectors_opts opts = {.size = sizeof opts,
                                    .bits = (int32_t)bits,
                                    .alphabet = (bosc_alphabet)alphabet,
                                    .ambiguity = (bosc_ambiguity)(ambiguity + BOSC_AMBIGUITY_SKIP)};
    double start = job_now();
    bosc_status status = bosc_vectors_read(path, &opts, vectors, &error);
    job_add_seconds(job, "read", start);
    if (status == BOSC_ERR_ARG) return report_error(EXIT_USAGE, "--bits: is missing, but %s is packed", path);
    if (status != BOSC_OK) return report_io_error(status, &error);
    if (vectors->n < vectors->file_n)
        job_set_integer(job, "skipped",
                        json_integer_value(json_object_get(job->results, "skipped")) + vectors->file_n - vectors->n);
    return EXIT_DONE;
}

void vectors_to_rows(const bosc_vectors *vectors, int64_t *numbers, int64_t count)
{
    if (!vectors->file_rows) return;
    for (int64_t i = 0; i < count; i++)
        if (numbers[i] >= 0) numbers[i] = vectors->file_rows[numbers[i]];
}

int vectors_expand(const bosc_vectors *vectors, bosc_array *values)
{
    if (!vectors->file_rows) return EXIT_DONE;
    int64_t *rows = job_alloc((size_t)vectors->file_n, sizeof *rows), *from = values->data;
    if (!rows) return EXIT_FAILED;
    for (int64_t i = 0; i < vectors->file_n; i++) rows[i] = -1;
    for (int64_t i = 0; i < vectors->n; i++) rows[vectors->file_rows[i]] = from[i];
    free(from);
    values->data = rows;
    values->shape[0] = vectors->file_n;
    return EXIT_DONE;
}
