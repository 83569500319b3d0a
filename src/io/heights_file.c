/* Heights of which parts are read as they are needed: .npy, whose rows lie one after the other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/heights.h"

struct bosc_heights_file {
    struct bi_file file;
    struct bi_npy npy;
    char *name;
    bosc_io_error error; /* of the last part that could not be read */
};

static bosc_status read_header(const struct bi_bytes *in, struct bi_npy *npy, bosc_io_error *error)
{
    if (!bi_npy_is(in)) return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: parts are read of .npy files alone", in->name);
    bosc_status status = bi_npy_open(in, npy, error);
    if (status != BOSC_OK) return status;
    if (npy->rank != 2)
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: heights have two dimensions, but this array has %d", in->name,
                          npy->rank);
    if (npy->fortran)
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: parts are not read of an array in Fortran order", in->name);
    if (npy->shape[0] < 1 || npy->shape[1] < 1)
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: there are no samples", in->name);
    return BOSC_OK;
}

static bosc_status open_file(const char *path, struct bosc_heights_file *f, bosc_io_error *error)
{
    f->name = path ? bi_io_alloc(strlen(path) + 1) : NULL;
    if (path && !f->name) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", path);
    if (path) strcpy(f->name, path);
    bosc_status status = bi_file_open_head(f->name, &f->file, error);
    if (status != BOSC_OK) return status;
    status = read_header(&f->file.bytes, &f->npy, error);
    if (status != BOSC_OK) bi_file_close(&f->file);
    return status;
}

bosc_status bosc_heights_file_open(const char *path, bosc_heights_file **file, int64_t *width, int64_t *height,
                                   bosc_io_error *error)
{
    BI_IO_ENTER;
    if (!file) return bi_io_fail(error, BOSC_ERR_ARG, "file: NULL");
    if (!width) return bi_io_fail(error, BOSC_ERR_ARG, "width: NULL");
    if (!height) return bi_io_fail(error, BOSC_ERR_ARG, "height: NULL");
    struct bosc_heights_file *fresh = bi_io_alloc(sizeof *fresh);
    if (!fresh) return bi_io_fail(error, BOSC_ERR_NOMEM, "out of memory");
    memset(fresh, 0, sizeof *fresh);
    const bosc_status status = bi_io_end(open_file(path, fresh, error), error);
    if (status != BOSC_OK) {
        free(fresh->name);
        free(fresh);
        return status;
    }
    *file = fresh;
    *width = fresh->npy.shape[1];
    *height = fresh->npy.shape[0];
    return BOSC_OK;
}

void bosc_heights_file_close(bosc_heights_file *file)
{
    if (!file) return;
    bi_file_close(&file->file);
    free(file->name);
    free(file);
}

const char *bosc_heights_file_message(const bosc_heights_file *file) { return file ? file->error.text : ""; }

/* A part of a row, by way of a buffer for its elements and one for those as in memory. */
static bosc_status read_row(struct bosc_heights_file *f, int64_t row, int64_t column, int64_t columns, char *buffer,
                            float *values)
{
    const struct bi_npy *npy = &f->npy;
    const int64_t width = npy->width, native = (int64_t)bosc_dtype_size(npy->dtype);
    const size_t at = npy->at + (size_t)((row * npy->shape[1] + column) * width);
    char *elements = buffer + columns * native;
    const int number = bi_bytes_copy(&f->file.bytes, at, elements, (size_t)(columns * width));
    if (number) return bi_bytes_fail(&f->file.bytes, number, &f->error);
    const bool plain = bi_npy_is_plain(npy);
    struct bi_npy part = *npy;
    part.shape[0] = 1;
    part.shape[1] = columns;
    part.bytes = (size_t)(columns * width);
    if (!plain && !bi_npy_gather(&part, elements, buffer)) return BOSC_ERR_CANCELLED;
    bi_samples_read((struct bi_sample_type){npy->kind, (int)native}, plain ? elements : buffer, columns, values);
    for (int64_t c = 0; c < columns; c++)
        if (!isfinite(values[c]))
            return bi_io_fail(&f->error, BOSC_ERR_DATA,
                              "%s: row %lld, column %lld: no height, or an infinite one; of parts none is filled in",
                              f->name, (long long)row, (long long)(column + c));
    return BOSC_OK;
}

int bosc_heights_file_read(void *file, int64_t row, int64_t column, int64_t rows, int64_t columns, void *values)
{
    BI_IO_ENTER;
    struct bosc_heights_file *f = file;
    if (!f) return 1;
    const int64_t width = f->npy.shape[1], height = f->npy.shape[0];
    f->error.text[0] = 0;
    bosc_status status = BOSC_OK;
    if (row < 0 || rows < 1 || row > height - rows || column < 0 || columns < 1 || column > width - columns)
        status = bi_io_fail(&f->error, BOSC_ERR_ARG, "row, column: this part is not in %lld rows of %lld heights",
                            (long long)height, (long long)width);
    else if (!values)
        status = bi_io_fail(&f->error, BOSC_ERR_ARG, "values: NULL");
    if (status != BOSC_OK) return 1;
    char *buffer = bi_io_alloc((size_t)columns * 16);
    if (!buffer) status = bi_io_fail(&f->error, BOSC_ERR_NOMEM, "%s: out of memory", f->name);
    for (int64_t r = 0; r < rows && status == BOSC_OK; r++)
        status = read_row(f, row + r, column, columns, buffer, (float *)values + r * columns);
    free(buffer);
    return bi_io_end(status, &f->error) != BOSC_OK;
}
