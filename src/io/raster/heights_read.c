/* Reads heights: chooses the parser, and fills samples without a height. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/file.h"
#include "io/npy/npy.h"
#include "io/raster/heights.h"
#include "io/raster/world_file.h"

static const struct {
    const char *ending;
    enum bi_heights_format format;
} endings[] = {{".png", BI_HEIGHTS_PNG},  {".pgm", BI_HEIGHTS_PGM},   {".hgt", BI_HEIGHTS_HGT},
               {".tif", BI_HEIGHTS_TIFF}, {".tiff", BI_HEIGHTS_TIFF}, {".npy", BI_HEIGHTS_NPY}};

enum bi_heights_format bi_heights_format_of(const char *path, const struct bi_bytes *in)
{
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (bi_path_ends_in(path, endings[i].ending)) return endings[i].format;
    if (!in) return BI_HEIGHTS_UNKNOWN;
    if (bi_npy_is(in)) return BI_HEIGHTS_NPY;
    if (bi_bytes_begin(in, "\x89PNG", 4)) return BI_HEIGHTS_PNG;
    if (bi_bytes_begin(in, "P2", 2) || bi_bytes_begin(in, "P5", 2)) return BI_HEIGHTS_PGM;
    bool little = bi_bytes_begin(in, "II*\0", 4) || bi_bytes_begin(in, "II+\0", 4);
    bool big = bi_bytes_begin(in, "MM\0*", 4) || bi_bytes_begin(in, "MM\0+", 4);
    return little || big ? BI_HEIGHTS_TIFF : BI_HEIGHTS_UNKNOWN;
}

/* ---- samples without a height ---- */

/* Weighted sum over up to four neighbours of a sample. Heights are divided by 4, so that their sum cannot overflow. */
struct mean {
    float quarters, weight; /* sums of height / 4 / distance and of 1 / distance */
};

/* Sweeps a line from one end, and adds to each void the last height before it. */
static void sweep_line(const float *z, struct mean *means, int64_t count, int64_t step)
{
    int64_t last = -1;
    for (int64_t i = 0; i < count; i++) {
        if (!isnan(z[i * step])) {
            last = i;
        } else if (last >= 0) {
            float distance = (float)(i - last);
            means[i * step].quarters += z[last * step] / 4 / distance;
            means[i * step].weight += 1 / distance;
        }
    }
}

/* Fills each void that has a height in its row or column. */
static void fill_once(const bosc_heights *h, struct mean *means)
{
    int64_t w = h->width, n = h->height, all = w * n;
    memset(means, 0, (size_t)all * sizeof *means);
    /* 1. Sweep rows and columns in both directions. */
    for (int64_t y = 0; y < n && bi_io_advance((double)w); y++) {
        sweep_line(h->data + y * w, means + y * w, w, 1);
        sweep_line(h->data + y * w + w - 1, means + y * w + w - 1, w, -1);
    }
    for (int64_t x = 0; x < w && bi_io_advance((double)n); x++) {
        sweep_line(h->data + x, means + x, n, w);
        sweep_line(h->data + (n - 1) * w + x, means + (n - 1) * w + x, n, -w);
    }
    /* 2. Set the voids to the means. */
    for (int64_t i = 0; i < all; i++)
        if (isnan(h->data[i]) && means[i].weight > 0) h->data[i] = means[i].quarters / means[i].weight * 4;
}

/* Fills all voids in two rounds: after the first, every row or every column has a height. */
static bosc_status fill_voids(const struct bi_bytes *in, const bosc_heights *h, bosc_io_error *error)
{
    struct mean *means = bi_io_alloc((size_t)(h->width * h->height) * sizeof *means);
    if (!means) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", in->name);
    bi_io_phase(0.9, 4 * (double)h->width * (double)h->height);
    for (int round = 0; round < 2; round++) fill_once(h, means);
    free(means);
    return BOSC_OK;
}

/* Refuses infinite heights and empty rasters, and fills the voids. */
static bosc_status check_and_fill(const struct bi_bytes *in, bosc_heights *h, bosc_io_error *error)
{
    int64_t all = h->width * h->height, voids = 0, infinite = -1;
    for (int64_t i = 0; i < all; i++) {
        voids += isnan(h->data[i]);
        if (isinf(h->data[i]) && infinite < 0) infinite = i;
    }
    if (infinite >= 0)
        return bi_io_fail(error, BOSC_ERR_DATA, "%s: row %lld: a height is infinite or too large for a 32-bit float",
                          in->name, (long long)(infinite / h->width));
    if (voids == all) return bi_io_fail(error, BOSC_ERR_DATA, "%s: no sample has a height", in->name);
    h->voids = voids;
    return voids ? fill_voids(in, h, error) : BOSC_OK;
}

/* ---- formats ---- */

static bosc_status parse_format(enum bi_heights_format format, bosc_heights_encoding encoding,
                                const struct bi_bytes *in, bosc_heights *h, bosc_io_error *error)
{
    struct bi_heights_rows rows = {h, -1};
    switch (format) {
    case BI_HEIGHTS_PNG: return bi_heights_png(in, encoding, &rows, error);
    case BI_HEIGHTS_PGM: return bi_heights_pgm(in, &rows, error);
    case BI_HEIGHTS_HGT: return bi_heights_hgt(in, h, error);
    case BI_HEIGHTS_TIFF: return bi_heights_tiff(in, h, error);
    case BI_HEIGHTS_NPY: return bi_heights_npy(in, h, error);
    case BI_HEIGHTS_UNKNOWN: break;
    }
    return bi_io_fail(error, BOSC_ERR_FORMAT, BI_HEIGHTS_NO_FORMAT, in->name);
}

bosc_status bi_heights_parse(enum bi_heights_format format, bosc_heights_encoding encoding, const struct bi_bytes *in,
                             bosc_heights *heights, bosc_io_error *error)
{
    bosc_heights fresh = {0};
    if (encoding == BOSC_HEIGHTS_TERRAIN_RGB && format != BI_HEIGHTS_PNG)
        return bi_io_fail(error, BOSC_ERR_FORMAT, BI_HEIGHTS_NOT_PNG, in->name);
    bosc_status status = parse_format(format, encoding, in, &fresh, error);
    if (status == BOSC_OK) status = check_and_fill(in, &fresh, error);
    if (status == BOSC_OK)
        *heights = fresh;
    else
        bosc_heights_free(&fresh);
    return status;
}

bosc_status bosc_heights_read(const char *path, bosc_heights_encoding encoding, bosc_heights *heights,
                              bosc_io_error *error)
{
    BI_IO_ENTER;
    struct bi_file file;
    bosc_heights fresh = {0};
    if (encoding != BOSC_HEIGHTS_PLAIN && encoding != BOSC_HEIGHTS_TERRAIN_RGB)
        return bi_io_fail(error, BOSC_ERR_ARG, "encoding: %d is not an encoding of heights", (int)encoding);
    if (!heights) return bi_io_fail(error, BOSC_ERR_ARG, "heights: NULL");
    bosc_status status = bi_file_open(path, &file, error);
    if (status != BOSC_OK) return bi_io_end(status, error);
    status = bi_heights_parse(bi_heights_format_of(path, &file.bytes), encoding, &file.bytes, &fresh, error);
    bi_file_close(&file);
    if (status == BOSC_OK) status = bi_world_file_apply(path, &fresh, error);
    status = bi_io_end(status, error);
    if (status == BOSC_OK)
        *heights = fresh;
    else
        bosc_heights_free(&fresh);
    return status;
}
