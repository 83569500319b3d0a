/* Reads parts of heights on demand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/file/file.h"
#include "io/raster/heights_parts.h"

/* ---- opening ---- */

static void close_all(struct bosc_heights_file *f)
{
    bi_tiff_blocks_free(f->tiff);
    if (f->fd >= 0) close(f->fd);
    bi_file_close(&f->file);
    free(f->name);
    free(f);
}

static bosc_status open_file(const char *path, bosc_heights_encoding encoding, struct bosc_heights_file *f,
                             bosc_io_error *error)
{
    f->name = path ? bi_io_alloc(strlen(path) + 1) : NULL;
    if (path && !f->name) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", path);
    if (path) strcpy(f->name, path);
    bosc_status status = bi_file_open_head(f->name, &f->file, error);
    if (status == BOSC_OK) status = bi_heights_parts_open(f, encoding, error);
    if (status == BOSC_OK && (f->width < 1 || f->height < 1))
        status = bi_io_fail(error, BOSC_ERR_FORMAT, "%s: there are no samples", path);
    return status;
}

bosc_status bosc_heights_file_open(const char *path, bosc_heights_encoding encoding, bosc_heights_file **file,
                                   int64_t *width, int64_t *height, bosc_io_error *error)
{
    BI_IO_ENTER;
    if (encoding != BOSC_HEIGHTS_PLAIN && encoding != BOSC_HEIGHTS_TERRAIN_RGB)
        return bi_io_fail(error, BOSC_ERR_ARG, "encoding: %d is not an encoding of heights", (int)encoding);
    if (!file) return bi_io_fail(error, BOSC_ERR_ARG, "file: NULL");
    if (!width) return bi_io_fail(error, BOSC_ERR_ARG, "width: NULL");
    if (!height) return bi_io_fail(error, BOSC_ERR_ARG, "height: NULL");
    struct bosc_heights_file *fresh = bi_io_alloc(sizeof *fresh);
    if (!fresh) return bi_io_fail(error, BOSC_ERR_NOMEM, "out of memory");
    memset(fresh, 0, sizeof *fresh);
    fresh->fd = -1;
    const bosc_status status = bi_io_end(open_file(path, encoding, fresh, error), error);
    if (status != BOSC_OK) {
        close_all(fresh);
        return status;
    }
    *file = fresh;
    *width = fresh->width;
    *height = fresh->height;
    return BOSC_OK;
}

void bosc_heights_file_close(bosc_heights_file *file)
{
    if (file) close_all(file);
}

const char *bosc_heights_file_message(const bosc_heights_file *file) { return file ? file->error.text : ""; }

/* ---- reading ---- */

/* A part of the raster, and its range of lines and samples in the file. */
struct part {
    int64_t row, column, rows, columns;
    int64_t first_line, lines, begin, count;
    float *values;
};

/* Sets the range in the file, where rows may run northwards, columns westwards, and lines may be columns. */
static void locate_in_file(const struct bosc_heights_file *f, struct part *p)
{
    const bool fortran = f->samples.fortran;
    const int64_t row = f->to_north ? f->height - p->row - p->rows : p->row,
                  column = f->to_west ? f->width - p->column - p->columns : p->column;
    p->first_line = fortran ? column : row;
    p->lines = fortran ? p->columns : p->rows;
    p->begin = fortran ? row : column;
    p->count = fortran ? p->rows : p->columns;
}

/* Checks, scales and stores a sample, at its row and column in the part as stored in the file. */
static bosc_status store_sample(struct bosc_heights_file *f, const struct part *p, int64_t row, int64_t column, float z)
{
    const int64_t r = f->to_north ? p->rows - 1 - row : row, c = f->to_west ? p->columns - 1 - column : column;
    if (f->most && z > (float)f->most)
        return bi_io_fail(&f->error, BOSC_ERR_FORMAT, "%s: row %lld: %g is more than the maximum, %lld", f->name,
                          (long long)(p->row + r), (double)z, (long long)f->most);
    if (f->scale != 1 || f->offset != 0) z = (float)((double)z * f->scale + f->offset);
    p->values[r * p->columns + c] = z;
    if (isfinite(z)) return BOSC_OK;
    return bi_io_fail(&f->error, BOSC_ERR_DATA,
                      "%s: row %lld, column %lld: no height, or an infinite one; of parts none is filled in", f->name,
                      (long long)(p->row + r), (long long)(p->column + c));
}

static bosc_status read_line(struct bosc_heights_file *f, const struct part *p, int64_t i, char *buffer)
{
    const bool fortran = f->samples.fortran;
    const int64_t line = p->first_line + i, across = fortran ? f->height : f->width;
    float *values =
        (float *)(void *)(buffer + 16 * p->count); /* the buffer's first 16 bytes per sample are for conversion */
    bosc_status status =
        f->tiff ? bi_tiff_blocks_copy(f, line, p->begin, p->count, buffer, values)
                : bi_heights_parts_copy(f, f->samples.at + (size_t)((line * across + p->begin) * f->samples.width),
                                        p->count, buffer, values);
    for (int64_t j = 0; j < p->count && status == BOSC_OK; j++)
        status = store_sample(f, p, fortran ? j : i, fortran ? i : j, values[j]);
    return status;
}

static bosc_status read_part(struct bosc_heights_file *f, struct part *p)
{
    locate_in_file(f, p);
    bosc_status status = f->tiff ? bi_tiff_blocks_reserve(f, p->rows) : BOSC_OK;
    if (status != BOSC_OK) return status;
    char *buffer = bi_io_alloc((size_t)p->count * (16 + sizeof(float)));
    if (!buffer) return bi_io_fail(&f->error, BOSC_ERR_NOMEM, "%s: out of memory", f->name);
    for (int64_t i = 0; i < p->lines && status == BOSC_OK; i++) status = read_line(f, p, i, buffer);
    free(buffer);
    return status;
}

int bosc_heights_file_read(void *file, int64_t row, int64_t column, int64_t rows, int64_t columns, void *values)
{
    BI_IO_ENTER;
    struct bosc_heights_file *f = file;
    struct part p = {.row = row, .column = column, .rows = rows, .columns = columns, .values = values};
    if (!f) return 1;
    f->error.text[0] = 0;
    bosc_status status;
    if (row < 0 || rows < 1 || row > f->height - rows || column < 0 || columns < 1 || column > f->width - columns)
        status = bi_io_fail(&f->error, BOSC_ERR_ARG, "row, column: this part is not in %lld rows of %lld heights",
                            (long long)f->height, (long long)f->width);
    else if (!values)
        status = bi_io_fail(&f->error, BOSC_ERR_ARG, "values: NULL");
    else
        status = read_part(f, &p);
    return bi_io_end(status, &f->error) != BOSC_OK;
}
