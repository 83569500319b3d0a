/* Writes arrays as .npy, or as text by the ending of the path. */
#include <math.h>

#include "io/file/array.h"
#include "io/file/file.h"
#include "io/file/sink.h"
#include "io/mesh/mesh_write.h"
#include "io/raster/png.h"
#include "io/npy/npy.h"
#include "io/text/number.h"

enum {
    OUTPUTS_MAX = 16,  /* as boscage/io.h says */
    NUMBER_BYTES = 32, /* the longest number has 25 */
    /* Progress items of an element: bytes copied in the time that formatting takes. It affects the fraction only, where
     * text and other files are written together; not measured. */
    ELEMENT = 64
};

/* ---- text ---- */

static char *format_real(char *p, double x, bool single)
{
    if (!isnan(x)) return bi_number_write(p, x, single);
    for (const char *q = "nan"; *q;) *p++ = *q++;
    return p;
}

static char *format_element(char *p, const bosc_array *a, int64_t i)
{
    switch (a->dtype) {
    case BOSC_F32: return format_real(p, (double)((const float *)a->data)[i], true);
    case BOSC_F64: return format_real(p, ((const double *)a->data)[i], false);
    case BOSC_I8: return bi_signed_write(p, ((const int8_t *)a->data)[i]);
    case BOSC_I16: return bi_signed_write(p, ((const int16_t *)a->data)[i]);
    case BOSC_I32: return bi_signed_write(p, ((const int32_t *)a->data)[i]);
    case BOSC_I64: return bi_signed_write(p, ((const int64_t *)a->data)[i]);
    case BOSC_U8: return bi_integer_write(p, false, ((const uint8_t *)a->data)[i]);
    case BOSC_U16: return bi_integer_write(p, false, ((const uint16_t *)a->data)[i]);
    case BOSC_U32: return bi_integer_write(p, false, ((const uint32_t *)a->data)[i]);
    case BOSC_U64: return bi_integer_write(p, false, ((const uint64_t *)a->data)[i]);
    }
    return p; /* unreached: types have been checked */
}

static void write_table(struct bi_sink *sink, const bosc_array *a, char separator)
{
    int64_t columns = a->rank == 2 ? a->shape[1] : 1;
    int64_t unreported = 0;
    for (int64_t row = 0; row < a->shape[0] && !sink->error_number; row++, unreported += columns) {
        if (unreported >= BI_IO_REPORT_ROWS) {
            (void)bi_io_advance((double)unreported * ELEMENT); /* the next write fails if cancelled */
            unreported = 0;
        }
        for (int64_t c = 0; c < columns; c++) {
            char text[NUMBER_BYTES], *p = format_element(text, a, row * columns + c);
            *p++ = c + 1 < columns ? separator : '\n';
            bi_sink_write(sink, text, (size_t)(p - text));
        }
        if (columns == 0) bi_sink_write(sink, "\n", 1);
    }
}

/* ---- public functions ---- */

/* Returns the separator of a text file; 0: the path names no text. */
static char separator_of(const char *path)
{
    return !path                           ? 0
           : bi_path_ends_in(path, ".csv") ? ','
           : bi_path_ends_in(path, ".tsv") ? '\t'
           : bi_path_ends_in(path, ".txt") ? ' '
                                           : 0;
}

static bosc_status fill_text(struct bi_sink *sink, const void *array, bosc_io_error *error)
{
    (void)error;
    write_table(sink, array, separator_of(sink->name));
    return BOSC_OK;
}

static bosc_status fill_csv(struct bi_sink *sink, const void *array, bosc_io_error *error)
{
    (void)error;
    write_table(sink, array, ',');
    return BOSC_OK;
}

static bosc_status write_all(const char *const *paths, const bosc_array *arrays, int32_t count, bool texts,
                             bosc_io_error *error)
{
    struct bi_output outputs[OUTPUTS_MAX];
    if (!paths) return bi_io_fail(error, BOSC_ERR_ARG, "paths: NULL");
    if (!arrays) return bi_io_fail(error, BOSC_ERR_ARG, "arrays: NULL");
    if (count < 1 || count > OUTPUTS_MAX)
        return bi_io_fail(error, BOSC_ERR_ARG, "count: %d is not from 1 to %d", count, OUTPUTS_MAX);
    for (int32_t i = 0; i < count; i++) {
        bosc_status status = bi_array_check(&arrays[i], error);
        if (status != BOSC_OK) return status;
        bool text = texts && separator_of(paths[i]);
        if (text && arrays[i].rank > 2)
            return bi_io_fail(error, BOSC_ERR_ARG, "arrays: %s is a text, which has one dimension or two, not %d",
                              paths[i], (int)arrays[i].rank);
        size_t bytes = 0;
        bi_array_bytes(arrays[i].dtype, arrays[i].rank, arrays[i].shape, &bytes);
        double elements = (double)bytes / (double)bosc_dtype_size(arrays[i].dtype);
        outputs[i] = text ? (struct bi_output){paths[i], fill_text, &arrays[i], elements * ELEMENT}
                          : (struct bi_output){paths[i], bi_npy_fill, &arrays[i], (double)bytes};
    }
    return bi_outputs_write(outputs, count, error);
}

bosc_status bosc_arrays_write(const char *const *paths, const bosc_array *arrays, int32_t count, bosc_io_error *error)
{
    BI_IO_ENTER;
    return write_all(paths, arrays, count, true, error);
}

bosc_status bosc_npy_write_all(const char *const *paths, const bosc_array *arrays, int32_t count, bosc_io_error *error)
{
    BI_IO_ENTER;
    return write_all(paths, arrays, count, false, error);
}

bosc_status bosc_npy_write(const char *path, const bosc_array *array, bosc_io_error *error)
{
    BI_IO_ENTER;
    if (!array) return bi_io_fail(error, BOSC_ERR_ARG, "array: NULL");
    return write_all(&path, array, 1, false, error);
}

/* Writes the files that have a path. Rotations are quaternions, 4 numbers a row; the caller ensures that. The motion
 * is a mesh with an animation, as .glb. Its preparation accepts this ending and "-", standard output, only. The items
 * of a .npy are a rough bound, which affects the fraction of progress only. */
bosc_status bosc_route_write(const bosc_route_files *files, bosc_io_error *error)
{
    BI_IO_ENTER;
    struct bi_output outputs[3];
    int32_t count = 0;
    bosc_status status = BOSC_OK;
    if (!files) return bi_io_fail(error, BOSC_ERR_ARG, "files: NULL");
    const struct bi_rgb picture = {files->rgb, files->width, files->height};
    /* 1. The rotations. */
    if (files->path) {
        status = bi_array_check(files->rotations, error); /* not NULL, of one dimension or more */
        if (status == BOSC_OK && files->rotations->rank > 2)
            status = bi_io_fail(error, BOSC_ERR_ARG, "array: the rank is %d", (int)files->rotations->rank);
        const double elements = status == BOSC_OK ? (double)files->rotations->shape[0] * 4 : 0;
        bool csv = files->path[0] == '-' && !files->path[1], text = separator_of(files->path) != 0;
        outputs[count++] = (struct bi_output){files->path,
                                              csv    ? fill_csv
                                              : text ? fill_text
                                                     : bi_npy_fill,
                                              files->rotations, elements * ELEMENT};
    }
    /* 2. The picture and the motion. */
    if (files->png_path && status == BOSC_OK) {
        status = bi_rgb_check(&picture, error);
        outputs[count++] = (struct bi_output){files->png_path, bi_rgb_fill, &picture, bi_rgb_items(&picture)};
    }
    if (files->motion_path && status == BOSC_OK)
        status = bi_motion_prepare_output(files->motion_path, files->motion, &outputs[count++], error);
    /* 3. All files or none. */
    return status == BOSC_OK && count ? bi_outputs_write(outputs, count, error) : status;
}
