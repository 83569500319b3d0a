/* Shared by the parsers of heights: memory, rows, the check of a size, conversion of samples. */
#include "io/raster/heights.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fault.h"
#include "io/file/array.h"
#include "io/file/file.h"
#include "io/npy/npy.h"

void bosc_heights_free(bosc_heights *heights)
{
    if (!heights) return;
    free(heights->data);
    *heights = (bosc_heights){0};
}

bosc_status bi_heights_new(const char *name, int64_t width, int64_t height, bosc_heights *heights, bosc_io_error *error)
{
    bosc_array array;
    const int64_t shape[2] = {height, width};
    bosc_status status = bi_array_new(name, BOSC_F32, 2, shape, &array, error);
    if (status == BOSC_OK) *heights = (bosc_heights){.width = width, .height = height, .data = array.data};
    return status;
}

double bi_heights_shrink(double latitude) { return cos(latitude * (3.14159265358979323846 / 180)); }

bosc_status bi_heights_fit(const struct bi_bytes *in, int64_t width, int64_t height, int64_t bytes, uint64_t most,
                           bosc_io_error *error)
{
    int64_t all;
    if (width < 1 || height < 1) return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: there are no samples", in->name);
    if (!__builtin_mul_overflow(width, height, &all) && !__builtin_mul_overflow(all, bytes, &all) &&
        (uint64_t)all <= most)
        return BOSC_OK;
    return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: truncated: %lld x %lld samples do not fit in %zu bytes", in->name,
                      (long long)width, (long long)height, bi_bytes_total(in));
}

void bi_heights_mirror(bosc_heights *h, bool rows, bool columns)
{
    int64_t w = h->width, n = h->height;
    for (int64_t y = 0; rows && y < n / 2; y++)
        for (int64_t x = 0; x < w; x++) {
            float *a = h->data + y * w + x, *b = h->data + (n - 1 - y) * w + x, z = *a;
            *a = *b;
            *b = z;
        }
    for (int64_t y = 0; columns && y < n; y++)
        for (int64_t x = 0; x < w / 2; x++) {
            float *a = h->data + y * w + x, *b = h->data + y * w + w - 1 - x, z = *a;
            *a = *b;
            *b = z;
        }
}

/* ---- samples ---- */

#define CONVERT_SAMPLES(T)                                   \
    for (int64_t i = 0; i < count; i++) {                    \
        T x;                                                 \
        memcpy(&x, (const char *)from + i * step, sizeof x); \
        to[i] = (double)x == none ? (float)NAN : (float)x;   \
    }                                                        \
    break

/* Reads samples of IEEE 754 binary16, `step` bytes apart. Samples equal to `none` become NaN. */
static void read_halves(const void *from, int64_t step, int64_t count, double none, float *to)
{
    for (int64_t i = 0; i < count; i++) {
        uint16_t half;
        float x;
        memcpy(&half, (const char *)from + i * step, sizeof half);
        const uint32_t bits = bi_npy_convert_half(half);
        memcpy(&x, &bits, sizeof x);
        to[i] = (double)x == none ? (float)NAN : x;
    }
}

void bi_samples_read_but(struct bi_sample_type type, const void *from, int64_t step, int64_t count, double none,
                         float *to)
{
    switch (type.kind << 8 | type.width) {
    case 'f' << 8 | 2: read_halves(from, step, count, none, to); break;
    case 'f' << 8 | 4: CONVERT_SAMPLES(float);
    case 'f' << 8 | 8: CONVERT_SAMPLES(double);
    case 'i' << 8 | 1: CONVERT_SAMPLES(int8_t);
    case 'i' << 8 | 2: CONVERT_SAMPLES(int16_t);
    case 'i' << 8 | 4: CONVERT_SAMPLES(int32_t);
    case 'i' << 8 | 8: CONVERT_SAMPLES(int64_t);
    case 'u' << 8 | 1: CONVERT_SAMPLES(uint8_t);
    case 'u' << 8 | 2: CONVERT_SAMPLES(uint16_t);
    case 'u' << 8 | 4: CONVERT_SAMPLES(uint32_t);
    case 'u' << 8 | 8: CONVERT_SAMPLES(uint64_t);
    default: break; /* unreached: types have been checked */
    }
}

void bi_samples_read(struct bi_sample_type type, const void *from, int64_t count, float *to)
{
    bi_samples_read_but(type, from, type.width, count, NAN, to); /* NaN equals no sample */
}

/* ---- rows, parsed in order, in memory or in a file ---- */

bosc_status bi_heights_rows_begin(struct bi_heights_rows *rows, const char *name, int64_t width, int64_t height,
                                  bosc_io_error *error)
{
    const bosc_status status = bi_heights_new(name, width, rows->fd < 0 ? height : 1, rows->heights, error);
    if (status == BOSC_OK) rows->heights->height = height;
    return status;
}

float *bi_heights_row(const struct bi_heights_rows *rows, int64_t row)
{
    return rows->heights->data + (rows->fd < 0 ? row * rows->heights->width : 0);
}

bosc_status bi_heights_row_end(const struct bi_heights_rows *rows, const char *name, int64_t row, bosc_io_error *error)
{
    const size_t bytes = (size_t)rows->heights->width * sizeof(float);
    for (size_t done = 0; rows->fd >= 0 && done < bytes;) {
        const char *from = (const char *)rows->heights->data + done;
        const off_t at = (off_t)((size_t)row * bytes + done);
        const ssize_t written = bi_fault(BI_FAULT_WRITE) ? (errno = EIO, -1) : pwrite(rows->fd, from, bytes - done, at);
        if (written > 0) done += (size_t)written;
        if (written < 0 && errno != EINTR)
            return bi_io_fail(error, BOSC_ERR_IO, "%s: cannot be unpacked to a temporary file: %s", name,
                              strerror(errno));
    }
    return BOSC_OK;
}

const char *bi_heights_encoding_name(bosc_heights_encoding encoding)
{
    return encoding == BOSC_HEIGHTS_TERRARIUM ? "terrarium" : "terrain-RGB";
}

bosc_status bi_heights_fail_band(const char *name, int band, int bands, bosc_io_error *error)
{
    return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: no band %d: the file has %d", name, band, bands);
}

float bi_heights_no_data(const bosc_heights_opts *opts) { return opts->has_no_data ? (float)opts->no_data : NAN; }

void bi_heights_clear_no_data(const bosc_heights_opts *opts, bosc_heights *h)
{
    const float none = bi_heights_no_data(opts);
    for (int64_t i = 0; opts->has_no_data && i < h->width * h->height; i++)
        if (h->data[i] == none) h->data[i] = NAN;
}
