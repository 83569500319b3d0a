/* Masks of GDAL: a further image in a TIFF whose samples are 0 where there is no height, or a TIFF beside a raster.
 * Sources: Adobe, TIFF 6.0 (NewSubfileType); GDAL, RFC 15: band masks. */
#include "io/raster/mask.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fault.h"
#include "io/file/file.h"
#include "io/raster/heights.h"
#include "io/raster/tiff.h"

/* The mask of a raster. */
struct mask {
    struct bi_tiff tiff; /* at the mask's image */
    const char *raster;  /* for messages */
    int64_t width, height;
    float *data; /* of the raster; NULL: only excluded samples are searched */
    int bits;    /* of a sample: 1 or 8 */
    struct bi_tiff_blocks blocks;
};

static bosc_status fail_damaged(const struct mask *m, bosc_io_error *error)
{
    if (m->tiff.number) return bi_bytes_fail(m->tiff.in, m->tiff.number, error);
    return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: damaged mask: %s", m->tiff.name,
                      m->tiff.reason.text[0] ? m->tiff.reason.text : "truncated");
}

/* Reads the layout. Returns NULL, or the reason why it is no mask of the raster. */
static const char *read_layout(struct mask *m)
{
    TIFF *handle = m->tiff.handle;
    uint32_t width = 0, height = 0;
    uint16_t bits = 1, samples = 1, planar = PLANARCONFIG_CONTIG;
    TIFFGetField(handle, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(handle, TIFFTAG_IMAGELENGTH, &height);
    TIFFGetFieldDefaulted(handle, TIFFTAG_BITSPERSAMPLE, &bits);
    TIFFGetFieldDefaulted(handle, TIFFTAG_SAMPLESPERPIXEL, &samples);
    TIFFGetFieldDefaulted(handle, TIFFTAG_PLANARCONFIG, &planar);
    if (width != m->width || height != m->height) return "the mask has another size than the raster";
    if (bits != 1 && bits != 8) return "the samples of the mask have neither 1 nor 8 bits";
    if (samples != 1 && planar != PLANARCONFIG_SEPARATE) return "the mask has more than one band";
    /* Blocks: one of several bands comes first, so its blocks have the lowest numbers. */
    m->bits = bits;
    /* A block is at most as large as the raster, or 64 MiB: the file's size does not bound a mask of equal samples. */
    const int64_t most = m->width * m->height > (int64_t)1 << 26 ? m->width * m->height : (int64_t)1 << 26;
    return bi_tiff_read_blocks(handle, width, height, bits, &m->blocks) && m->blocks.bytes <= most
               ? NULL
               : "the blocks of the mask have an invalid size";
}

/* Excludes the samples of a block whose mask is 0; samples NULL: all of them. False if a sample is excluded and there
 * are no data. */
static bool exclude_samples(const struct mask *m, int64_t block, const unsigned char *samples)
{
    const struct bi_tiff_blocks *b = &m->blocks;
    const int64_t x = block % b->columns * b->across, y = block / b->columns * b->down;
    for (int64_t j = 0; j < b->down && y + j < m->height; j++)
        for (int64_t i = 0; i < b->across && x + i < m->width; i++) {
            const unsigned char *row = samples ? samples + j * b->row_bytes : NULL;
            if (row && (m->bits == 8 ? row[i] : row[i / 8] >> (7 - i % 8) & 1)) continue;
            if (!m->data) return false;
            m->data[(y + j) * m->width + x + i] = NAN;
        }
    return true;
}

static bosc_status read_blocks(const struct mask *m, unsigned char *buffer, bosc_io_error *error)
{
    TIFF *handle = m->tiff.handle;
    for (int64_t block = 0; block < m->blocks.count; block++) {
        const bool left_out = TIFFGetStrileOffset(handle, (uint32_t)block) == 0; /* GDAL leaves blocks of zeros out */
        if (!left_out && !bi_tiff_unpack_block(handle, &m->blocks, block, buffer)) return fail_damaged(m, error);
        if (!exclude_samples(m, block, left_out ? NULL : buffer))
            return bi_io_fail(error, BOSC_ERR_DATA,
                              "%s: a mask excludes samples, which have no height; of parts none is filled in",
                              m->raster);
    }
    return BOSC_OK;
}

static bosc_status apply_mask(struct mask *m, bosc_io_error *error)
{
    const char *reason = read_layout(m);
    if (reason) return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: %s", m->tiff.name, reason);
    unsigned char *buffer = bi_io_alloc((size_t)m->blocks.bytes);
    if (!buffer) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", m->tiff.name);
    const bosc_status status = read_blocks(m, buffer, error);
    free(buffer);
    return status;
}

/* Moves to the mask among the images of a TIFF, which has the full resolution; false if there is none, or if a read
 * failed, which sets m->tiff.number. */
static bool find_inner_mask(struct mask *m)
{
    while (TIFFReadDirectory(m->tiff.handle)) {
        uint32_t kind = 0, width = 0, height = 0;
        TIFFGetField(m->tiff.handle, TIFFTAG_SUBFILETYPE, &kind);
        TIFFGetField(m->tiff.handle, TIFFTAG_IMAGEWIDTH, &width);
        TIFFGetField(m->tiff.handle, TIFFTAG_IMAGELENGTH, &height);
        const bool is_mask = (kind & FILETYPE_MASK) && !(kind & FILETYPE_REDUCEDIMAGE);
        if (is_mask && width == m->width && height == m->height) return true;
    }
    m->tiff.reason.text[0] = 0; /* a damaged image behind the first one is no mask */
    return false;
}

bosc_status bi_mask_apply_inner(const struct bi_bytes *in, int64_t width, int64_t height, float *data,
                                bosc_io_error *error)
{
    struct mask m = {.tiff = {.name = in->name, .in = in, .size = bi_bytes_total(in)},
                     .raster = in->name,
                     .width = width,
                     .height = height,
                     .data = data};
    if (!bi_tiff_open(&m.tiff, "rm")) /* m: no memory map */
        return m.tiff.number ? bi_bytes_fail(in, m.tiff.number, error)
                             : bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", in->name);
    bosc_status status = find_inner_mask(&m) ? apply_mask(&m, error) : BOSC_OK;
    if (status == BOSC_OK && m.tiff.number) status = bi_bytes_fail(in, m.tiff.number, error);
    TIFFClose(m.tiff.handle);
    return status;
}

bosc_status bi_mask_apply_beside(const char *path, int64_t width, int64_t height, float *data, bosc_io_error *error)
{
    char name[4096];
    struct bi_file file;
    const int length = snprintf(name, sizeof name, "%s.msk", path);
    if (strcmp(path, "-") == 0 || length >= (int)sizeof name || access(name, F_OK) != 0) return BOSC_OK;
    bosc_status status = bi_file_open(name, &file, error);
    if (status != BOSC_OK) return status;
    struct mask m = {.tiff = {.name = name, .in = &file.bytes, .size = bi_bytes_total(&file.bytes)},
                     .raster = path,
                     .width = width,
                     .height = height,
                     .data = data};
    if (bi_tiff_open(&m.tiff, "rm")) {
        status = apply_mask(&m, error);
        TIFFClose(m.tiff.handle);
    } else {
        status = bi_io_fail(error, BOSC_ERR_FORMAT, "%s: not a TIFF: %s", name,
                            m.tiff.reason.text[0] ? m.tiff.reason.text : "out of memory");
    }
    bi_file_close(&file);
    return status;
}
