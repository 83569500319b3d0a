/* Parses and writes heights as TIFF. */
#include <math.h>
#include <stdlib.h>

#include "io/file/file.h"
#include "io/file/sink.h"
#include "io/raster/mask.h"
#include "io/raster/tiff.h"

/* About this many in a written strip: 256 KB of floats. More: better compression; less: less that a reader of some rows
 * must unpack. Not measured. */
enum { STRIP_SAMPLES = 1 << 16 };

/* ---- samples ---- */

static bool read_blocks(TIFF *handle, const struct bi_tiff_layout *l, const struct bi_tiff_blocks *b, char *buffer,
                        bosc_heights *h)
{
    const int64_t step = bi_tiff_sample_step(l);
    const char *first = buffer + (l->separate ? 0 : l->band * l->type.width);
    for (int64_t block = 0; block < b->count; block++) {
        const int64_t x = block % b->columns * b->across, y = block / b->columns * b->down;
        const int64_t columns = l->width - x < b->across ? l->width - x : b->across;
        if (!bi_io_set_done((double)y + (double)x / l->width * (double)b->down)) return false;
        if (!bi_tiff_unpack_block(handle, b, block, buffer)) return false;
        for (int64_t j = 0; j < b->down && y + j < l->height; j++)
            bi_samples_read_but(l->type, first + j * b->row_bytes, step, columns, l->none,
                                h->data + (y + j) * l->width + x);
    }
    return true;
}

/* Applies the tags: place, direction, scale, offset and the unit of heights. */
static void apply_tags(bosc_heights *h, const struct bi_geotiff *geo)
{
    double scale, offset;
    float *data = h->data;
    *h = geo->place;
    h->data = data;
    bi_heights_mirror(h, geo->to_north, geo->to_west);
    bi_geotiff_metres(geo, &scale, &offset);
    if (scale == 1 && offset == 0) return;
    for (int64_t i = 0; i < h->width * h->height; i++) h->data[i] = (float)((double)h->data[i] * scale + offset);
}

static bosc_status fail_damaged(const struct bi_tiff *t, bosc_io_error *error)
{
    return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: damaged TIFF: %s", t->name,
                      t->reason.text[0] ? t->reason.text : "truncated");
}

static bosc_status read_samples(struct bi_tiff *t, const struct bi_bytes *in, const bosc_heights_opts *opts,
                                bosc_heights *heights, bosc_io_error *error)
{
    /* 1. The layout, checked before memory is allocated. */
    struct bi_tiff_layout l;
    struct bi_tiff_blocks blocks;
    struct bi_geotiff geo;
    const char *reason = bi_tiff_read_layout(t, opts->band, &l, &geo);
    if (reason) return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: %s", in->name, reason);
    if (!bi_tiff_read_band_blocks(t->handle, &l, &blocks)) return fail_damaged(t, error);
    bosc_status status = bi_tiff_fit(t, &l, blocks.bytes, error);
    if (status == BOSC_OK) status = bi_geotiff_apply_beside(in->name, &geo, error);
    if (status == BOSC_OK) status = bi_heights_new(in->name, l.width, l.height, heights, error);
    if (status != BOSC_OK) return status;
    /* 2. The samples, block by block. */
    char *buffer = bi_io_alloc((size_t)blocks.bytes);
    if (!buffer) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", in->name);
    bi_io_phase(0.9, l.height);
    const bool whole = read_blocks(t->handle, &l, &blocks, buffer, heights);
    free(buffer);
    if (!whole) return fail_damaged(t, error);
    /* 3. The caller's value, the masks in the order of the file, then the tags. */
    bi_heights_clear_no_data(opts, heights);
    status = bi_mask_apply_inner(in, l.width, l.height, heights->data, error);
    if (status == BOSC_OK) status = bi_mask_apply_beside(in->name, l.width, l.height, heights->data, error);
    apply_tags(heights, &geo);
    return status;
}

bosc_status bi_heights_tiff(const struct bi_bytes *in, const bosc_heights_opts *opts, bosc_heights *heights,
                            bosc_io_error *error)
{
    struct bi_tiff t = {.name = in->name, .in = in, .size = in->size};
    if (!bi_tiff_open(&t, "rm")) /* m: no memory map */
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: not a TIFF: %s", in->name,
                          t.reason.text[0] ? t.reason.text : "out of memory");
    bosc_status status = read_samples(&t, in, opts, heights, error);
    if (status == BOSC_OK && bi_tiff_has_pages(&t)) heights->assumed |= BOSC_HEIGHTS_ASSUMED_PAGE;
    TIFFClose(t.handle);
    return status;
}

/* ---- writing ---- */

static bool write_rows(TIFF *handle, const bosc_heights *h)
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
    /* Write whole strips: libtiff's predictor changes single rows in place. */
    for (uint32_t y = 0, strip = 0; y < height; y += rows, strip++) {
        tmsize_t bytes = (tmsize_t)(height - y < rows ? height - y : rows) * (tmsize_t)width * 4;
        if (!bi_io_set_done((double)y * width * BI_TIFF_SAMPLE)) return false;
        if (TIFFWriteEncodedStrip(handle, strip, h->data + (size_t)y * width, bytes) != bytes) return false;
    }
    return TIFFFlush(handle) != 0;
}

bosc_status bi_tiff_write(struct bi_sink *sink, const bosc_heights *heights, bosc_io_error *error)
{
    struct bi_tiff t = {.name = sink->name};
    if (heights->width > INT32_MAX || heights->height > INT32_MAX)
        return bi_io_fail(error, BOSC_ERR_LIMIT, /* unreached: 8 GB of heights */
                          "%s: more columns or rows than a TIFF can have", sink->name);
    /* w8: BigTIFF, for offsets beyond 32 bits. */
    bool whole = bi_tiff_open(&t, heights->width * heights->height > (int64_t)1 << 29 ? "w8" : "w");
    if (whole) whole = write_rows(t.handle, heights);
    if (t.handle) TIFFClose(t.handle);
    if (whole && !t.no_memory) bi_sink_write_array(sink, t.out, t.size);
    free(t.out);
    if (whole && !t.no_memory) return BOSC_OK;
    return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", sink->name);
}
