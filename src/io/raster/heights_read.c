/* Reads heights: chooses the parser, and fills samples without a height. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/file/file.h"
#include "io/npy/npy.h"
#include "io/raster/aux_file.h"
#include "io/raster/heights.h"
#include "io/raster/mask.h"
#include "io/raster/world_file.h"

static const struct {
    const char *ending;
    enum bi_heights_format format;
} endings[] = {{".png", BI_HEIGHTS_PNG},  {".pgm", BI_HEIGHTS_PGM},   {".hgt", BI_HEIGHTS_HGT},
               {".tif", BI_HEIGHTS_TIFF}, {".tiff", BI_HEIGHTS_TIFF}, {".npy", BI_HEIGHTS_NPY},
               {".asc", BI_HEIGHTS_ASC}};

enum bi_heights_format bi_heights_format_of(const char *path, const struct bi_bytes *in)
{
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (bi_path_ends_in(path, endings[i].ending)) return endings[i].format;
    if (!in) return BI_HEIGHTS_UNKNOWN;
    if (bi_npy_is(in)) return BI_HEIGHTS_NPY;
    if (bi_bytes_begin(in, "\x89PNG", 4)) return BI_HEIGHTS_PNG;
    if (bi_bytes_begin(in, "P2", 2) || bi_bytes_begin(in, "P5", 2)) return BI_HEIGHTS_PGM;
    if (in->size >= 5 && strncasecmp(in->data, "ncols", 5) == 0) return BI_HEIGHTS_ASC;
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
static bosc_status fill_voids(const char *name, const bosc_heights *h, bosc_io_error *error)
{
    struct mean *means = bi_io_alloc((size_t)(h->width * h->height) * sizeof *means);
    if (!means) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", name);
    bi_io_phase(0.9, 4 * (double)h->width * (double)h->height);
    for (int round = 0; round < 2; round++) fill_once(h, means);
    free(means);
    return BOSC_OK;
}

/* Refuses infinite heights and empty rasters; fills, keeps or refuses the voids. */
static bosc_status check_and_fill(const char *name, bosc_heights_voids treatment, bosc_heights *h, bosc_io_error *error)
{
    int64_t all = h->width * h->height, voids = 0, first = -1, infinite = -1;
    for (int64_t i = 0; i < all; i++) {
        if (isnan(h->data[i]) && voids++ == 0) first = i;
        if (isinf(h->data[i]) && infinite < 0) infinite = i;
    }
    if (infinite >= 0)
        return bi_io_fail(error, BOSC_ERR_DATA, "%s: row %lld: a height is infinite or too large for a 32-bit float",
                          name, (long long)(infinite / h->width));
    if (voids == all) return bi_io_fail(error, BOSC_ERR_DATA, "%s: no sample has a height", name);
    if (voids && treatment == BOSC_HEIGHTS_REFUSE_VOIDS)
        return bi_io_fail(error, BOSC_ERR_DATA, "%s: row %lld, column %lld: no height; %lld of %lld samples have none",
                          name, (long long)(first / h->width), (long long)(first % h->width), (long long)voids,
                          (long long)all);
    h->voids = voids;
    return voids && treatment == BOSC_HEIGHTS_FILL_VOIDS ? fill_voids(name, h, error) : BOSC_OK;
}

bosc_status bosc_heights_fill(bosc_heights *heights, bosc_io_error *error)
{
    BI_IO_ENTER;
    int64_t all;
    if (!heights) return bi_io_fail(error, BOSC_ERR_ARG, "heights: NULL");
    if (heights->width < 1 || heights->height < 1 || __builtin_mul_overflow(heights->width, heights->height, &all) ||
        all > PTRDIFF_MAX / 8)
        return bi_io_fail(error, BOSC_ERR_ARG, "heights: %lld x %lld samples", (long long)heights->width,
                          (long long)heights->height);
    if (!heights->data) return bi_io_fail(error, BOSC_ERR_ARG, "heights: data is NULL");
    /* A copy is filled, so that a failure leaves the samples as they were. */
    bosc_heights copy = *heights;
    copy.data = bi_io_alloc((size_t)all * sizeof *copy.data);
    if (!copy.data) return bi_io_fail(error, BOSC_ERR_NOMEM, "heights: out of memory");
    memcpy(copy.data, heights->data, (size_t)all * sizeof *copy.data);
    bosc_status status = check_and_fill("heights", BOSC_HEIGHTS_FILL_VOIDS, &copy, error);
    status = bi_io_end(status, error);
    if (status == BOSC_OK) {
        memcpy(heights->data, copy.data, (size_t)all * sizeof *copy.data);
        heights->voids = copy.voids;
    }
    free(copy.data);
    return status;
}

/* ---- options ---- */

bosc_status bi_heights_opts_read(const bosc_heights_opts *caller_opts, bosc_heights_opts *opts, bosc_io_error *error)
{
    const bosc_status status = bi_io_read_opts("bosc_heights_opts", caller_opts, opts, sizeof *opts, error);
    if (status != BOSC_OK) return status;
    if ((unsigned)opts->encoding > BOSC_HEIGHTS_TERRARIUM)
        return bi_io_fail(error, BOSC_ERR_ARG, "encoding: %d is not an encoding of heights", (int)opts->encoding);
    if ((unsigned)opts->voids > BOSC_HEIGHTS_REFUSE_VOIDS)
        return bi_io_fail(error, BOSC_ERR_ARG, "opts: voids: %d is not a treatment of voids", (int)opts->voids);
    if (opts->band < 0) return bi_io_fail(error, BOSC_ERR_ARG, "opts: band: %d is less than 0", (int)opts->band);
    if (opts->band && opts->encoding != BOSC_HEIGHTS_PLAIN)
        return bi_io_fail(error, BOSC_ERR_ARG, "opts: band: the encoding %s uses three bands",
                          bi_heights_encoding_name(opts->encoding));
    if (opts->has_no_data != 0 && opts->has_no_data != 1)
        return bi_io_fail(error, BOSC_ERR_ARG, "opts: has_no_data: %d is not 0 or 1", (int)opts->has_no_data);
    if (opts->has_no_data && !isfinite(opts->no_data))
        return bi_io_fail(error, BOSC_ERR_ARG, "opts: no_data: %g is not finite", opts->no_data);
    return BOSC_OK;
}

bosc_status bi_heights_opts_fit(enum bi_heights_format format, const bosc_heights_opts *opts, const char *name,
                                bosc_io_error *error)
{
    if (opts->encoding != BOSC_HEIGHTS_PLAIN && format != BI_HEIGHTS_PNG)
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: not a PNG; only a PNG can hold %s", name,
                          bi_heights_encoding_name(opts->encoding));
    if (opts->band > 1 && format != BI_HEIGHTS_PNG && format != BI_HEIGHTS_TIFF && format != BI_HEIGHTS_UNKNOWN)
        return bi_heights_fail_band(name, opts->band, 1, error);
    return BOSC_OK;
}

/* ---- formats ---- */

static bosc_status parse_format(enum bi_heights_format format, const bosc_heights_opts *opts, const struct bi_bytes *in,
                                bosc_heights *h, bosc_io_error *error)
{
    struct bi_heights_rows rows = {h, -1};
    switch (format) {
    case BI_HEIGHTS_PNG: return bi_heights_png(in, opts, &rows, error);
    case BI_HEIGHTS_PGM: return bi_heights_pgm(in, &rows, error);
    case BI_HEIGHTS_HGT: return bi_heights_hgt(in, h, error);
    case BI_HEIGHTS_ASC: return bi_heights_asc(in, &rows, error);
    case BI_HEIGHTS_TIFF: return bi_heights_tiff(in, opts, h, error); /* with its masks and scale */
    case BI_HEIGHTS_NPY: return bi_heights_npy(in, h, error);
    case BI_HEIGHTS_UNKNOWN: break;
    }
    return bi_io_fail(error, BOSC_ERR_FORMAT, BI_HEIGHTS_NO_FORMAT, in->name);
}

bosc_status bi_heights_parse(enum bi_heights_format format, const bosc_heights_opts *opts, const struct bi_bytes *in,
                             bosc_heights *heights, bosc_io_error *error)
{
    bosc_heights fresh = {0};
    bosc_status status = bi_heights_opts_fit(format, opts, in->name, error);
    if (status == BOSC_OK) status = parse_format(format, opts, in, &fresh, error);
    /* The caller's value, auxiliary values and masks decide which samples are voids. */
    if (status == BOSC_OK && format != BI_HEIGHTS_TIFF) bi_heights_clear_no_data(opts, &fresh);
    if (status == BOSC_OK && format != BI_HEIGHTS_TIFF) status = bi_aux_apply(in->name, opts, &fresh, error);
    if (status == BOSC_OK && format != BI_HEIGHTS_TIFF)
        status = bi_mask_apply_beside(in->name, fresh.width, fresh.height, fresh.data, error);
    if (status == BOSC_OK) status = check_and_fill(in->name, opts->voids, &fresh, error);
    if (status == BOSC_OK)
        *heights = fresh;
    else
        bosc_heights_free(&fresh);
    return status;
}

bosc_status bosc_heights_read_opts(const char *path, const bosc_heights_opts *caller_opts, bosc_heights *heights,
                                   bosc_io_error *error)
{
    BI_IO_ENTER;
    struct bi_file file;
    bosc_heights fresh = {0};
    bosc_heights_opts opts;
    bosc_status status = bi_heights_opts_read(caller_opts, &opts, error);
    if (status != BOSC_OK) return status;
    if (!heights) return bi_io_fail(error, BOSC_ERR_ARG, "heights: NULL");
    status = bi_file_open(path, &file, error);
    if (status != BOSC_OK) return bi_io_end(status, error);
    status = bi_heights_parse(bi_heights_format_of(path, &file.bytes), &opts, &file.bytes, &fresh, error);
    bi_file_close(&file);
    if (status == BOSC_OK) status = bi_world_file_apply(path, &fresh, error);
    status = bi_io_end(status, error);
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
    const bosc_heights_opts opts = {.size = sizeof opts, .encoding = encoding};
    return bi_io_end(bosc_heights_read_opts(path, &opts, heights, error), error);
}
