/* Reads samples that follow each other in a file. */
#include "io/file/bytes.h"
#include "io/npy/npy.h"
#include "io/raster/heights_parts.h"

bosc_status bi_heights_parts_copy(struct bosc_heights_file *f, size_t at, int64_t count, char *buffer, float *values)
{
    struct bi_backing_file unpacked = {.fd = f->fd, .size = SIZE_MAX};
    const struct bi_bytes rows = {.name = f->name, .backing = &unpacked};
    const struct bi_bytes *in = f->fd < 0 ? &f->file.bytes : &rows;
    /* 1. Read the elements behind the space for their converted values. */
    struct bi_npy line = f->samples;
    const int64_t native = (int64_t)bosc_dtype_size(line.dtype);
    char *elements = buffer + count * native;
    const int number = bi_bytes_copy(in, at, elements, (size_t)(count * line.width));
    if (number) return bi_bytes_fail(in, number, &f->error);
    /* 2. Convert them: byte order and half floats, then no-data values and the type. */
    line.fortran = false;
    line.shape[0] = line.shape[2] = line.shape[3] = 1;
    line.shape[1] = count;
    line.bytes = (size_t)(count * line.width);
    const bool plain = bi_npy_is_plain(&line);
    if (!plain && !bi_npy_gather(&line, elements, buffer)) return BOSC_ERR_CANCELLED;
    bi_samples_read_but((struct bi_sample_type){line.kind, (int)native}, plain ? elements : buffer, count, f->none,
                        values);
    return BOSC_OK;
}
