/* Heights of TIFFs, by libtiff. Source: Adobe, TIFF 6.0. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/geotiff.h"

enum {
    STRIP_SAMPLES = 1 << 16, /* written in one piece, about */
    MOST_RATIO = 1 << 14     /* bytes that one byte of a strong compression is taken for, at most */
};

/* A file in memory, read or written by libtiff, and its first complaint. */
struct tiff {
    const char *name;
    const char *in; /* NULL when writing */
    char *out;
    uint64_t size, capacity, at;
    bool no_memory;
    struct bi_reason reason;
    TIFF *handle;
};

static tmsize_t tiff_read(thandle_t user, void *to, tmsize_t count)
{
    struct tiff *t = user;
    uint64_t left = t->at < t->size ? t->size - t->at : 0;
    if ((uint64_t)count > left) count = (tmsize_t)left;
    if (count > 0) memcpy(to, (t->in ? t->in : t->out) + t->at, (size_t)count);
    t->at += (uint64_t)count;
    return count;
}

static tmsize_t tiff_write(thandle_t user, void *from, tmsize_t count)
{
    struct tiff *t = user;
    uint64_t end = t->at + (uint64_t)count;
    if (t->in || count <= 0) return 0;
    if (end > t->capacity) {
        uint64_t capacity = end + end / 2 + 4096;
        char *larger = bi_io_realloc(t->out, capacity);
        t->no_memory = t->no_memory || !larger;
        if (!larger) return 0;
        memset(larger + t->capacity, 0, capacity - t->capacity);
        t->out = larger;
        t->capacity = capacity;
    }
    memcpy(t->out + t->at, from, (size_t)count);
    t->at = end;
    if (end > t->size) t->size = end;
    return count;
}

static toff_t tiff_seek(thandle_t user, toff_t offset, int whence)
{
    struct tiff *t = user;
    t->at = offset + (whence == SEEK_CUR ? t->at : whence == SEEK_END ? t->size : 0);
    return t->at;
}

static int tiff_close(thandle_t user)
{
    (void)user;
    return 0;
}

static toff_t tiff_size(thandle_t user) { return ((struct tiff *)user)->size; }

static int keep_reason(TIFF *handle, void *user, const char *module, const char *format, va_list args)
{
    struct tiff *t = user;
    (void)handle;
    (void)module;
    if (!t->reason.text[0]) vsnprintf(t->reason.text, sizeof t->reason.text, format, args);
    return 1;
}

static int stay_silent(TIFF *handle, void *user, const char *module, const char *format, va_list args)
{
    (void)handle;
    (void)user;
    (void)module;
    (void)format;
    (void)args;
    return 1;
}

static bool open_tiff(struct tiff *t, const char *mode)
{
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options) return false;
    uint64_t most = (uint64_t)1 << 26;
    if (t->size < (uint64_t)PTRDIFF_MAX / MOST_RATIO - most) most += t->size * MOST_RATIO;
    if (t->in) TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)most);
    TIFFOpenOptionsSetErrorHandlerExtR(options, keep_reason, t);
    TIFFOpenOptionsSetWarningHandlerExtR(options, stay_silent, t);
    t->handle = TIFFClientOpenExt(t->name, mode, t, tiff_read, tiff_write, tiff_seek, tiff_close, tiff_size, NULL, NULL,
                                  options);
    TIFFOpenOptionsFree(options);
    return t->handle != NULL;
}

/* ---- what the file says of itself ---- */

struct layout {
    struct bi_sample_type type;
    uint32_t width, height;
    double none;
};

/* How many bytes one byte of a compressed file may stand for, at most; 0 for compressions that are not read. */
static int64_t ratio_of(int compression)
{
    switch (compression) {
    case COMPRESSION_NONE: return 1;
    case COMPRESSION_PACKBITS: return 64;
    case COMPRESSION_LZW: return 2731; /* 12 bits for at most 4,096 bytes */
    case COMPRESSION_ADOBE_DEFLATE:
    case COMPRESSION_DEFLATE: return 1032;
    case COMPRESSION_LZMA:
    case COMPRESSION_ZSTD:
    case COMPRESSION_LERC: return MOST_RATIO;
    default: return 0;
    }
}

static const char *get_layout(TIFF *handle, struct layout *layout, int *compression)
{
    uint16_t bits = 1, format = SAMPLEFORMAT_UINT, samples = 1, photometric = PHOTOMETRIC_MINISBLACK, packing = 1;
    uint16_t orientation = ORIENTATION_TOPLEFT;
    if (!TIFFGetField(handle, TIFFTAG_IMAGEWIDTH, &layout->width) ||
        !TIFFGetField(handle, TIFFTAG_IMAGELENGTH, &layout->height))
        return "the size is not given";
    TIFFGetFieldDefaulted(handle, TIFFTAG_BITSPERSAMPLE, &bits);
    TIFFGetFieldDefaulted(handle, TIFFTAG_SAMPLEFORMAT, &format);
    TIFFGetFieldDefaulted(handle, TIFFTAG_SAMPLESPERPIXEL, &samples);
    TIFFGetFieldDefaulted(handle, TIFFTAG_ORIENTATION, &orientation);
    TIFFGetFieldDefaulted(handle, TIFFTAG_COMPRESSION, &packing);
    TIFFGetField(handle, TIFFTAG_PHOTOMETRIC, &photometric);
    *compression = packing;
    if (samples != 1) return "more than one band; heights are one";
    if (photometric != PHOTOMETRIC_MINISBLACK) return "no heights: the samples are colours or masks";
    if (orientation != ORIENTATION_TOPLEFT) return "rows do not begin at the top left";
    bool real = format == SAMPLEFORMAT_IEEEFP, integer = format == SAMPLEFORMAT_INT || format == SAMPLEFORMAT_UINT;
    if (!real && !integer) return "samples are neither integers nor floats";
    if (bits != 32 && bits != 64 && (real || (bits != 8 && bits != 16)))
        return "samples have none of 8, 16, 32, 64 bits (floats: 32, 64)";
    layout->type = (struct bi_sample_type){real ? 'f' : format == SAMPLEFORMAT_INT ? 'i' : 'u', bits / 8};
    layout->none = bi_geotiff_no_data(handle, layout->type);
    return ratio_of(packing) ? NULL : "an unsupported compression";
}

/* ---- samples ---- */

static bool read_strips(TIFF *handle, const struct layout *l, char *buffer, tmsize_t capacity, bosc_heights *h)
{
    uint32_t rows = l->height;
    TIFFGetField(handle, TIFFTAG_ROWSPERSTRIP, &rows);
    if (rows == 0 || rows > l->height) rows = l->height;
    int64_t row_bytes = (int64_t)l->width * l->type.width;
    for (uint32_t y = 0, strip = 0; y < l->height; y += rows, strip++) {
        int64_t here = l->height - y < rows ? l->height - y : rows;
        if (here * row_bytes > capacity || !bi_io_reach(y)) return false;
        if (TIFFReadEncodedStrip(handle, strip, buffer, here * row_bytes) != here * row_bytes) return false;
        bi_samples_read_but(l->type, buffer, here * l->width, l->none, h->data + (int64_t)y * l->width);
        if (y > UINT32_MAX - rows) break;
    }
    return true;
}

static bool read_tiles(TIFF *handle, const struct layout *l, char *buffer, tmsize_t capacity, bosc_heights *h)
{
    uint32_t across = 0, down = 0;
    if (!TIFFGetField(handle, TIFFTAG_TILEWIDTH, &across) || !TIFFGetField(handle, TIFFTAG_TILELENGTH, &down))
        return false;
    if (across == 0 || down == 0 || (int64_t)across * down > capacity / l->type.width) return false;
    for (int64_t y = 0; y < l->height; y += down)
        for (int64_t x = 0; x < l->width; x += across) {
            if (!bi_io_reach((double)y + (double)x / l->width * down)) return false;
            uint32_t tile = TIFFComputeTile(handle, (uint32_t)x, (uint32_t)y, 0, 0);
            if (TIFFReadEncodedTile(handle, tile, buffer, capacity) != capacity) return false;
            int64_t columns = l->width - x < across ? l->width - x : across;
            for (int64_t j = 0; j < down && y + j < l->height; j++)
                bi_samples_read_but(l->type, buffer + j * across * l->type.width, columns, l->none,
                                    h->data + (y + j) * l->width + x);
        }
    return true;
}

/* Rows from north to south, samples from west to east. */
static void turn(bosc_heights *h, bool rows, bool columns)
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

static void place(bosc_heights *h, const struct bi_geotiff *geo)
{
    h->spacing = geo->spacing;
    h->spacing_y = geo->spacing_y;
    h->degrees = !isnan(geo->latitude);
    h->latitude = h->degrees ? geo->latitude : 0;
    turn(h, geo->to_north, geo->to_west);
    if (geo->scale == 1 && geo->offset == 0) return;
    for (int64_t i = 0; i < h->width * h->height; i++)
        h->data[i] = (float)((double)h->data[i] * geo->scale + geo->offset);
}

/* Whether a strip or tile is left out of the file, as GDAL does on request where all is empty. libtiff may take what
 * lies at the beginning for such a one. */
static bool is_sparse(TIFF *handle)
{
    uint32_t blocks = TIFFIsTiled(handle) ? TIFFNumberOfTiles(handle) : TIFFNumberOfStrips(handle), i = 0;
    while (i < blocks && TIFFGetStrileOffset(handle, i) != 0) i++;
    return i < blocks;
}

static bosc_status read_samples(struct tiff *t, const struct bi_bytes *in, bosc_heights *heights, bosc_io_error *error)
{
    struct layout l;
    int compression = 0;
    struct bi_geotiff geo;
    const char *reason = get_layout(t->handle, &l, &compression);
    if (!reason) reason = bi_geotiff_read(t->handle, &geo);
    if (!reason && is_sparse(t->handle))
        reason = "a sparse TIFF, which leaves blocks out; gdal_translate writes a whole one";
    if (reason) return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: %s", in->name, reason);
    bool tiled = TIFFIsTiled(t->handle) != 0;
    tmsize_t capacity = tiled ? TIFFTileSize(t->handle) : TIFFStripSize(t->handle);
    uint64_t ratio = (uint64_t)ratio_of(compression);
    uint64_t most = in->size < UINT64_MAX / ratio ? in->size * ratio : UINT64_MAX;
    bosc_status status = bi_heights_fit(in, l.width, l.height, l.type.width, most, error);
    if (status == BOSC_OK) status = bi_heights_fit(in, capacity, 1, 1, most, error);
    if (status == BOSC_OK) status = bi_heights_new(in->name, l.width, l.height, heights, error);
    if (status != BOSC_OK) return status;
    char *buffer = bi_io_alloc((size_t)capacity);
    if (!buffer) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", in->name);
    bi_io_phase(0.9, l.height);
    bool whole = tiled ? read_tiles(t->handle, &l, buffer, capacity, heights)
                       : read_strips(t->handle, &l, buffer, capacity, heights);
    free(buffer);
    place(heights, &geo);
    if (whole) return BOSC_OK;
    return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: damaged TIFF: %s", in->name,
                      t->reason.text[0] ? t->reason.text : "truncated");
}

bosc_status bi_heights_tiff(const struct bi_bytes *in, bosc_heights *heights, bosc_io_error *error)
{
    struct tiff t = {.name = in->name, .in = in->data, .size = in->size};
    if (!open_tiff(&t, "rm"))
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: not a TIFF: %s", in->name,
                          t.reason.text[0] ? t.reason.text : "out of memory");
    bosc_status status = read_samples(&t, in, heights, error);
    TIFFClose(t.handle);
    return status;
}

/* ---- writing ---- */

static bool put_rows(TIFF *handle, const bosc_heights *h)
{
    uint32_t width = (uint32_t)h->width, height = (uint32_t)h->height;
    uint32_t rows = width < STRIP_SAMPLES ? STRIP_SAMPLES / width : 1;
    if (!TIFFSetField(handle, TIFFTAG_IMAGEWIDTH, width) || !TIFFSetField(handle, TIFFTAG_IMAGELENGTH, height) ||
        !TIFFSetField(handle, TIFFTAG_BITSPERSAMPLE, 32) || !TIFFSetField(handle, TIFFTAG_SAMPLESPERPIXEL, 1) ||
        !TIFFSetField(handle, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_IEEEFP) ||
        !TIFFSetField(handle, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK) ||
        !TIFFSetField(handle, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE) ||
        !TIFFSetField(handle, TIFFTAG_PREDICTOR, PREDICTOR_FLOATINGPOINT) ||
        !TIFFSetField(handle, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) ||
        !TIFFSetField(handle, TIFFTAG_ROWSPERSTRIP, rows))
        return false;
    double spacing_y = h->spacing_y > 0 ? h->spacing_y : h->spacing;
    if (h->spacing > 0 && !bi_geotiff_write_spacing(handle, h->spacing, spacing_y)) return false;
    /* By strips: single rows would be changed in place by the predictor. */
    for (uint32_t y = 0, strip = 0; y < height; y += rows, strip++) {
        tmsize_t bytes = (tmsize_t)(height - y < rows ? height - y : rows) * (tmsize_t)width * 4;
        if (!bi_io_reach((double)y * width * BI_TIFF_SAMPLE)) return false;
        if (TIFFWriteEncodedStrip(handle, strip, h->data + (size_t)y * width, bytes) != bytes) return false;
    }
    return TIFFFlush(handle) != 0;
}

bosc_status bi_tiff_write(struct bi_sink *sink, const bosc_heights *heights, bosc_io_error *error)
{
    struct tiff t = {.name = sink->name};
    if (heights->width > INT32_MAX || heights->height > INT32_MAX)
        return bi_io_fail(error, BOSC_ERR_LIMIT, /* unreached: 8 GB of heights */
                          "%s: more columns or rows than a TIFF can have", sink->name);
    bool whole = open_tiff(&t, heights->width * heights->height > (int64_t)1 << 29 ? "w8" : "w");
    if (whole) whole = put_rows(t.handle, heights);
    if (t.handle) TIFFClose(t.handle);
    if (whole && !t.no_memory) bi_sink_write_array(sink, t.out, t.size);
    free(t.out);
    if (whole && !t.no_memory) return BOSC_OK;
    return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", sink->name);
}
