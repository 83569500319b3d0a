/* Samples that lie in a file one after the other. */
#include "io/raster/heights_parts.h"

bosc_status bi_heights_parts_copy(struct bosc_heights_file *f, size_t at, int64_t count, char *buffer, float *values)
{
    struct bi_rest unpacked = {.fd = f->fd, .size = SIZE_MAX};
    const struct bi_bytes rows = {.name = f->name, .rest = &unpacked};
    const struct bi_bytes *in = f->fd < 0 ? &f->file.bytes : &rows;
    struct bi_npy line = f->samples;
    const int64_t native = (int64_t)bosc_dtype_size(line.dtype);
    char *elements = buffer + count * native;
    const int number = bi_bytes_copy(in, at, elements, (size_t)(count * line.width));
    if (number) return bi_bytes_fail(in, number, &f->error);
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
