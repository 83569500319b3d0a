/* Reads point sets: chooses the parser and checks the result. */
#include <string.h>

#include "io/mesh/points.h"
#include "io/file/array.h"
#include "io/file/file.h"
#include "io/mesh/faces.h"
#include "io/file/structure.h"
#include "io/npy/npy.h"
#include "io/text/number.h"
#include "io/text/row.h"
#include "io/text/text.h"

/* True for a line of a .obj that may come first: a keyword. */
static bool is_obj_keyword(const struct bi_line *word)
{
    static const char *const words[] = {"v", "vt", "vn", "vp", "o", "g", "s", "mtllib", "usemtl"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (bi_word_is(word, words[i])) return true;
    return false;
}

/* Returns the format of a text by its first line with content, and of a .pcd also by the comment before it. A line of
 * names of columns, such as `v x`, is the beginning of a .obj only if a number follows `v`. */
static enum bi_points_format format_of_text(const struct bi_bytes *in)
{
    struct bi_lines lines = bi_lines_begin(in);
    struct bi_line line, word;
    double number;
    if (bi_bytes_begin(in, "# .PCD", 6)) return BI_POINTS_PCD;
    if (bi_xyz_is_molecule(in)) return BI_POINTS_XYZ;
    if (!bi_lines_next_content(&lines, &line) || !bi_line_word(&line, &word)) return BI_POINTS_TEXT;
    if (bi_word_is(&word, "VERSION") || bi_word_is(&word, "FIELDS") || bi_word_is(&word, "COLUMNS"))
        return BI_POINTS_PCD;
    if (bi_off_is(in)) return BI_POINTS_OFF;
    if (!is_obj_keyword(&word)) return BI_POINTS_TEXT;
    if (*word.begin != 'v') return BI_POINTS_OBJ;
    return bi_line_word(&line, &word) && bi_number_read(word.begin, word.end, &number) == word.end ? BI_POINTS_OBJ
                                                                                                   : BI_POINTS_TEXT;
}

static enum bi_points_format format_of_bytes(const struct bi_bytes *in)
{
    if (bi_npy_is(in)) return BI_POINTS_NPY;
    if (bi_glb_is(in)) return BI_POINTS_GLB;
    if (bi_bytes_begin(in, "ply\n", 4) || bi_bytes_begin(in, "ply\r", 4)) return BI_POINTS_PLY;
    return format_of_text(in);
}

/* True if the first line with content begins with a number, or names columns above such a line. */
static bool begins_rows(const struct bi_bytes *in)
{
    struct bi_lines lines = bi_lines_begin(in);
    struct bi_line line, field;
    double number;
    if (!bi_lines_next_content(&lines, &line)) return false;
    char separator = bi_separator_of(line, false);
    if (bi_is_header(line, &lines, separator) && !bi_lines_next_content(&lines, &line)) return false;
    return bi_field_next(&line, separator, false, &field) &&
           bi_number_read(field.begin, field.end, &number) == field.end;
}

enum bi_points_format bi_points_format_of(const char *path, const struct bi_bytes *in)
{
    static const struct {
        const char *ending;
        enum bi_points_format format;
    } endings[] = {{".npy", BI_POINTS_NPY},  {".csv", BI_POINTS_TEXT}, {".tsv", BI_POINTS_TEXT},
                   {".txt", BI_POINTS_TEXT}, {".xyz", BI_POINTS_XYZ},  {".off", BI_POINTS_OFF},
                   {".ply", BI_POINTS_PLY},  {".pcd", BI_POINTS_PCD},  {".obj", BI_POINTS_OBJ},
                   {".glb", BI_POINTS_GLB}};
    if (strcmp(path, "-") == 0) return format_of_bytes(in);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (bi_path_ends_in(path, endings[i].ending)) return endings[i].format;
    const enum bi_points_format format = format_of_bytes(in);
    return format == BI_POINTS_TEXT && !begins_rows(in) ? BI_POINTS_UNKNOWN : format;
}

/* Returns the type of points that holds every value of a type; for u8 those below 2^63. */
static bosc_dtype type_of_points(bosc_dtype dtype)
{
    switch (dtype) {
    case BOSC_F32:
    case BOSC_F64:
    case BOSC_I64: return dtype;
    case BOSC_U32:
    case BOSC_U64: return BOSC_I64;
    default: return BOSC_I32;
    }
}

/* Converts an array to points. One dimension: each number is a point of one coordinate. */
static bosc_status convert_to_points(const struct bi_bytes *in, bosc_array *a, int64_t first, bosc_io_error *error)
{
    if (a->rank == 1) a->rank = 2;
    if (a->rank != 2)
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: points have two dimensions, (n, dim), but this array has %d",
                          in->name, (int)a->rank);
    if (a->shape[1] == 0) return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: the points have no coordinates", in->name);
    bosc_status status = bi_array_convert(in->name, a, first, type_of_points(a->dtype), false, error);
    return status == BOSC_OK ? bi_refuse_nan(in, a, first, error) : status;
}

static bosc_status parse_npy(const struct bi_bytes *in, bosc_slice *slice, bosc_array *points, bosc_io_error *error)
{
    bosc_array array = {0};
    bosc_status status = bi_npy_parse_slice(in, slice, &array, error);
    if (status == BOSC_OK) status = convert_to_points(in, &array, slice ? slice->begin : 0, error);
    if (status == BOSC_OK)
        *points = array;
    else
        bosc_array_free(&array);
    return status;
}

static bosc_status parse_whole(enum bi_points_format format, const struct bi_bytes *in, const char *columns,
                               bosc_array *points, bosc_io_error *error)
{
    const struct bi_text_opts opts = {.columns = columns};
    switch (format) {
    case BI_POINTS_NPY: return parse_npy(in, NULL, points, error);
    case BI_POINTS_TEXT: return bi_text_parse(in, &opts, points, error);
    case BI_POINTS_XYZ: return bi_xyz_parse(in, columns, points, error);
    case BI_POINTS_OFF: return bi_off_parse(in, points, error);
    case BI_POINTS_PLY: return bi_ply_parse(in, points, error);
    case BI_POINTS_PCD: return bi_pcd_parse(in, points, error);
    case BI_POINTS_OBJ: return bi_obj_parse(in, points, error);
    case BI_POINTS_GLB: return bi_glb_parse(in, points, error);
    case BI_POINTS_UNKNOWN: break;
    }
    if (bi_structure_name(in))
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: a saved %s, not a file of points", in->name,
                          bi_structure_name(in));
    return bi_io_fail(error, BOSC_ERR_FORMAT,
                      "%s: the ending is not one of .npy, .csv, .tsv, .txt, .xyz, .off, .ply, .pcd, .obj, .glb",
                      in->name);
}

bosc_status bi_points_parse(enum bi_points_format format, const struct bi_bytes *in, const char *columns,
                            bosc_slice *slice, bosc_array *points, bosc_io_error *error)
{
    if (slice && format == BI_POINTS_NPY) return parse_npy(in, slice, points, error);
    bosc_status status = parse_whole(format, in, columns, points, error);
    if (status == BOSC_OK && slice) bi_array_trim_to_slice(points, slice);
    return status;
}

/* True if the parser of the format reads from the backing file. */
static bool reads_from_backing(enum bi_points_format format)
{
    return format == BI_POINTS_NPY || format == BI_POINTS_TEXT || format == BI_POINTS_XYZ;
}

static bosc_status read_points(const char *path, const char *columns, struct bi_file *file, bosc_slice *slice,
                               bosc_array *points, bosc_io_error *error)
{
    bosc_status status;
    do {
        enum bi_points_format format = bi_points_format_of(path, &file->bytes);
        status = reads_from_backing(format) ? BOSC_OK : bi_file_load(file, error);
        if (status == BOSC_OK) status = bi_points_parse(format, &file->bytes, columns, slice, points, error);
    } while (bi_file_reload(file, &status, error));
    return status;
}

static bosc_status read_slice(const char *path, const char *columns, bosc_slice *slice, bosc_array *points,
                              bosc_io_error *error)
{
    struct bi_file file;
    bosc_array fresh = {0};
    if (!points) return bi_io_fail(error, BOSC_ERR_ARG, "points: NULL");
    bosc_status status = bi_file_open_head(path, &file, error);
    if (status != BOSC_OK) return bi_io_end(status, error);
    status = read_points(path, columns, &file, slice, &fresh, error);
    bi_file_close(&file);
    return bi_array_end(status, &fresh, points, error);
}

bosc_status bosc_points_read_valid(const char *path, const char *columns, bosc_array *points, int64_t *skipped,
                                   bosc_io_error *error)
{
    BI_IO_ENTER;
    struct bi_file file;
    bosc_array fresh = {0};
    int64_t dropped = 0;
    if (!points) return bi_io_fail(error, BOSC_ERR_ARG, "points: NULL");
    bosc_status status = bi_file_open_head(path, &file, error);
    if (status != BOSC_OK) return bi_io_end(status, error);
    file.bytes.keeps_nan = true;
    status = read_points(path, columns, &file, NULL, &fresh, error);
    bi_file_close(&file);
    if (status == BOSC_OK) dropped = bi_array_drop_nan(&fresh);
    status = bi_array_end(status, &fresh, points, error);
    if (status == BOSC_OK && skipped) *skipped = dropped;
    return status;
}

bosc_status bosc_lattice_read(const char *path, double vectors[9], uint8_t periodic[3], int32_t *found,
                              bosc_io_error *error)
{
    BI_IO_ENTER;
    struct bi_file file;
    double cell[9] = {0};
    uint8_t flags[3] = {0};
    int32_t has_cell = 0;
    if (!vectors) return bi_io_fail(error, BOSC_ERR_ARG, "vectors: NULL");
    if (!periodic) return bi_io_fail(error, BOSC_ERR_ARG, "periodic: NULL");
    if (!found) return bi_io_fail(error, BOSC_ERR_ARG, "found: NULL");
    bosc_status status = bi_file_open_head(path, &file, error);
    if (status != BOSC_OK) return bi_io_end(status, error);
    /* 1. Read the cell. */
    do {
        has_cell = 0;
        status = bi_points_format_of(path, &file.bytes) == BI_POINTS_XYZ
                     ? bi_lattice_parse(&file.bytes, cell, flags, &has_cell, error)
                     : BOSC_OK;
    } while (bi_file_reload(&file, &status, error));
    bi_file_close(&file);
    /* 2. Store it. */
    if (status == BOSC_OK) *found = has_cell;
    if (status == BOSC_OK && has_cell) {
        memcpy(vectors, cell, sizeof cell);
        memcpy(periodic, flags, sizeof flags);
    }
    return bi_io_end(status, error);
}

bosc_status bosc_points_read_names(const char *path, bosc_names *names, bosc_io_error *error)
{
    BI_IO_ENTER;
    struct bi_file file;
    bosc_names fresh = {0};
    if (!names) return bi_io_fail(error, BOSC_ERR_ARG, "names: NULL");
    bosc_status status = bi_file_open_head(path, &file, error);
    if (status != BOSC_OK) return bi_io_end(status, error);
    do {
        const enum bi_points_format format = bi_points_format_of(path, &file.bytes);
        const bool text = format == BI_POINTS_TEXT || (format == BI_POINTS_XYZ && !bi_xyz_is_molecule(&file.bytes));
        status = text ? bi_text_names(&file.bytes, &fresh, error) : BOSC_OK;
    } while (bi_file_reload(&file, &status, error));
    bi_file_close(&file);
    status = bi_io_end(status, error);
    if (status == BOSC_OK) *names = fresh;
    return status;
}

bosc_status bosc_points_read(const char *path, bosc_array *points, bosc_io_error *error)
{
    BI_IO_ENTER;
    return read_slice(path, NULL, NULL, points, error);
}

bosc_status bosc_points_read_columns(const char *path, const char *columns, bosc_array *points, bosc_io_error *error)
{
    BI_IO_ENTER;
    return read_slice(path, columns, NULL, points, error);
}

bosc_status bosc_points_read_slice(const char *path, const char *columns, bosc_slice *slice, bosc_array *points,
                                   bosc_io_error *error)
{
    BI_IO_ENTER;
    bosc_status status = bi_slice_check(slice, error);
    return status == BOSC_OK ? read_slice(path, columns, slice, points, error) : status;
}

bosc_status bosc_kdtree_or_points_read(bosc_ctx *ctx, const char *path, const char *columns, bosc_kdtree **tree,
                                       bosc_array *points, bosc_io_error *error)
{
    BI_IO_ENTER;
    struct bi_file file;
    void *fresh = NULL;
    bosc_array array = {0};
    if (!ctx) return bi_io_fail(error, BOSC_ERR_ARG, "ctx: NULL");
    if (!tree) return bi_io_fail(error, BOSC_ERR_ARG, "tree: NULL");
    if (!points) return bi_io_fail(error, BOSC_ERR_ARG, "points: NULL");
    bosc_status status = bi_file_open_head(path, &file, error);
    if (status != BOSC_OK) return bi_io_end(status, error);
    /* Only one of `fresh` and `array` is set. */
    if (bi_structure_is(BI_STRUCTURE_kdtree, &file.bytes))
        status = bi_structure_parse(BI_STRUCTURE_kdtree, ctx, &file.bytes, &fresh, error);
    else
        status = read_points(path, columns, &file, NULL, &array, error);
    bi_file_close(&file);
    status = bi_io_end(status, error);
    if (status == BOSC_OK && fresh) *tree = fresh;
    if (status == BOSC_OK && !fresh) *points = array;
    if (status != BOSC_OK) bosc_kdtree_free(fresh);
    if (status != BOSC_OK) bosc_array_free(&array);
    return status;
}
