/* TIFFs by libtiff, from bytes and into memory. Source: Adobe, TIFF 6.0. */
#include "io/raster/tiff.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/file/file.h"

/* ---- input and output ---- */

/* Largest ratio accepted of LZMA, Zstandard and LERC, which document none. It bounds the memory that a small file can
 * claim: 16 KB a byte. Less refuses files of constant heights. */
enum { MOST_RATIO = 1 << 14 };

static tmsize_t tiff_read(thandle_t user, void *to, tmsize_t count)
{
    struct bi_tiff *t = user;
    uint64_t left = t->at < t->size ? t->size - t->at : 0;
    if ((uint64_t)count > left) count = (tmsize_t)left;
    if (count > 0 && !t->in) memcpy(to, t->out + t->at, (size_t)count);
    int number = count > 0 && t->in ? bi_bytes_copy(t->in, t->at, to, (size_t)count) : 0;
    if (number) {
        t->number = number;
        return 0;
    }
    t->at += (uint64_t)count;
    return count;
}

static tmsize_t tiff_write(thandle_t user, void *from, tmsize_t count)
{
    struct bi_tiff *t = user;
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
    struct bi_tiff *t = user;
    t->at = offset + (whence == SEEK_CUR ? t->at : whence == SEEK_END ? t->size : 0);
    return t->at;
}

static int tiff_close(thandle_t user)
{
    (void)user;
    return 0;
}

static toff_t tiff_size(thandle_t user) { return ((struct bi_tiff *)user)->size; }

static int store_reason(TIFF *handle, void *user, const char *module, const char *format, va_list args)
{
    struct bi_tiff *t = user;
    (void)handle;
    (void)module;
    if (!t->reason.text[0]) vsnprintf(t->reason.text, sizeof t->reason.text, format, args);
    return 1;
}

/* Stores the first warning of a tag that libtiff leaves out because its values are not all in the file. */
static int store_lost_tag(TIFF *handle, void *user, const char *module, const char *format, va_list args)
{
    static const char *const openings[] = {"IO error during reading of ", "Sanity check on size of ",
                                           "Out of memory reading of "}; /* of TIFFReadDirEntryOutputErr */
    struct bi_tiff *t = user;
    (void)handle;
    (void)module;
    for (size_t i = 0; i < sizeof openings / sizeof *openings; i++)
        if (!t->lost.text[0] && strncmp(format, openings[i], strlen(openings[i])) == 0) {
            const int length = snprintf(t->lost.text, sizeof t->lost.text, "damaged TIFF: ");
            vsnprintf(t->lost.text + length, sizeof t->lost.text - (size_t)length, format, args);
        }
    return 1;
}

bool bi_tiff_open(struct bi_tiff *t, const char *mode)
{
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options) return false;
    /* Limit allocations to a multiple of the file's size, plus 64 MiB. */
    uint64_t most = (uint64_t)1 << 26;
    if (t->size < (uint64_t)PTRDIFF_MAX / MOST_RATIO - most) most += t->size * MOST_RATIO;
    if (t->in) TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)most);
    TIFFOpenOptionsSetErrorHandlerExtR(options, store_reason, t);
    TIFFOpenOptionsSetWarningHandlerExtR(options, store_lost_tag, t);
    t->handle = TIFFClientOpenExt(t->name, mode, t, tiff_read, tiff_write, tiff_seek, tiff_close, tiff_size, NULL, NULL,
                                  options);
    TIFFOpenOptionsFree(options);
    return t->handle != NULL;
}

/* ---- layout ---- */

/* Returns the largest ratio of a compression; 0: unsupported. */
static int64_t largest_ratio(int compression)
{
    switch (compression) {
    case COMPRESSION_NONE: return 1;
    case COMPRESSION_PACKBITS: return 64; /* 2 bytes for at most 128 */
    case COMPRESSION_LZW: return 2731;    /* 12 bits for at most 4,096 bytes */
    case COMPRESSION_ADOBE_DEFLATE:
    case COMPRESSION_DEFLATE: return 1032; /* as zlib documents */
    case COMPRESSION_LZMA:
    case COMPRESSION_ZSTD:
    case COMPRESSION_LERC: return MOST_RATIO;
    default: return 0;
    }
}

static const char *fail_layout(struct bi_tiff_layout *layout, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static const char *fail_layout(struct bi_tiff_layout *layout, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(layout->reason.text, sizeof layout->reason.text, format, args);
    va_end(args);
    return layout->reason.text;
}

/* Sets *layout. Returns NULL, or the reason why the file holds no heights; *layout is then incomplete. bi_tiff_fit
 * checks the size, which may be 0, by layout->ratio. libtiff reports a codec that it lacks when it reads samples. */
static const char *read_layout(TIFF *handle, int32_t band, struct bi_tiff_layout *layout)
{
    uint16_t bits = 1, format = SAMPLEFORMAT_UINT, samples = 1, photometric = PHOTOMETRIC_MINISBLACK, compression = 1;
    uint16_t orientation = ORIENTATION_TOPLEFT, planes = PLANARCONFIG_CONTIG;
    /* 1. The tags, or their defaults. */
    if (!TIFFGetField(handle, TIFFTAG_IMAGEWIDTH, &layout->width) ||
        !TIFFGetField(handle, TIFFTAG_IMAGELENGTH, &layout->height))
        return "the size is not given";
    TIFFGetFieldDefaulted(handle, TIFFTAG_BITSPERSAMPLE, &bits);
    TIFFGetFieldDefaulted(handle, TIFFTAG_SAMPLEFORMAT, &format);
    TIFFGetFieldDefaulted(handle, TIFFTAG_SAMPLESPERPIXEL, &samples);
    TIFFGetFieldDefaulted(handle, TIFFTAG_ORIENTATION, &orientation);
    TIFFGetFieldDefaulted(handle, TIFFTAG_COMPRESSION, &compression);
    TIFFGetFieldDefaulted(handle, TIFFTAG_PLANARCONFIG, &planes);
    TIFFGetField(handle, TIFFTAG_PHOTOMETRIC, &photometric);
    layout->ratio = largest_ratio(compression);
    layout->band = band > 0 ? band - 1 : 0;
    layout->bands = samples;
    layout->separate = planes == PLANARCONFIG_SEPARATE;
    /* 2. One band of heights, from the top left. A chosen band may be one of a picture. */
    if (samples != 1 && !band)
        return fail_layout(layout, "%d bands; heights are one band: choose it (--band N)", (int)samples);
    if (band > samples) return fail_layout(layout, "no band %d: the file has %d", (int)band, (int)samples);
    const bool grey = photometric == PHOTOMETRIC_MINISBLACK || photometric == PHOTOMETRIC_MINISWHITE;
    if (!grey && !(band && photometric == PHOTOMETRIC_RGB)) return "no heights: the samples are colours or masks";
    if (orientation != ORIENTATION_TOPLEFT) return "rows do not begin at the top left";
    /* 3. The type of samples. */
    bool real = format == SAMPLEFORMAT_IEEEFP, integer = format == SAMPLEFORMAT_INT || format == SAMPLEFORMAT_UINT;
    if (!real && !integer) return "samples are neither integers nor floats";
    if (bits != 16 && bits != 32 && bits != 64 && (real || bits != 8))
        return "samples have none of 8, 16, 32, 64 bits (floats: 16, 32, 64)";
    layout->type = (struct bi_sample_type){real ? 'f' : format == SAMPLEFORMAT_INT ? 'i' : 'u', bits / 8};
    layout->none = bi_geotiff_no_data(handle, layout->type);
    return layout->ratio ? NULL : "an unsupported compression";
}

/* True if the file omits a strip or tile, as GDAL does on request for empty ones. libtiff may read the beginning of
 * the file instead. */
static bool is_sparse(TIFF *handle)
{
    uint32_t blocks = TIFFIsTiled(handle) ? TIFFNumberOfTiles(handle) : TIFFNumberOfStrips(handle), i = 0;
    while (i < blocks && TIFFGetStrileOffset(handle, i) != 0) i++;
    return i < blocks;
}

const char *bi_tiff_read_layout(const struct bi_tiff *t, int32_t band, struct bi_tiff_layout *layout,
                                struct bi_geotiff *geo)
{
    TIFF *handle = t->handle;
    const char *reason = t->lost.text[0] ? t->lost.text : read_layout(handle, band, layout);
    if (!reason) reason = bi_geotiff_read(handle, layout->band, geo);
    if (!reason && is_sparse(handle))
        reason = "a sparse TIFF, which leaves blocks out; gdal_translate writes a whole one";
    return reason;
}

bool bi_tiff_has_pages(struct bi_tiff *t)
{
    bool found = false;
    while (!found && TIFFReadDirectory(t->handle)) {
        uint32_t kind = 0;
        TIFFGetField(t->handle, TIFFTAG_SUBFILETYPE, &kind);
        found = !(kind & (FILETYPE_MASK | FILETYPE_REDUCEDIMAGE));
    }
    t->reason.text[0] = 0; /* a damaged image behind the first one is no page */
    return found;
}

int64_t bi_tiff_sample_step(const struct bi_tiff_layout *layout)
{
    return (int64_t)layout->type.width * (layout->separate ? 1 : layout->bands);
}

bool bi_tiff_read_blocks(TIFF *handle, uint32_t width, uint32_t height, int64_t bits, struct bi_tiff_blocks *b)
{
    uint32_t across = width, down = height;
    *b = (struct bi_tiff_blocks){.tiled = TIFFIsTiled(handle) != 0, .height = height};
    if (b->tiled) {
        if (!TIFFGetField(handle, TIFFTAG_TILEWIDTH, &across) || !TIFFGetField(handle, TIFFTAG_TILELENGTH, &down))
            return false;
    } else {
        TIFFGetField(handle, TIFFTAG_ROWSPERSTRIP, &down);
        if (down > height) down = height;
    }
    if (across == 0 || down == 0) return false;
    b->across = across;
    b->down = down;
    b->columns = (width + b->across - 1) / b->across;
    b->count = b->columns * ((height + b->down - 1) / b->down);
    b->row_bytes = (b->across * bits + 7) / 8;
    b->bytes = b->tiled ? TIFFTileSize(handle) : TIFFStripSize(handle);
    return b->bytes > 0 && b->row_bytes <= b->bytes / b->down &&
           b->count <= (b->tiled ? TIFFNumberOfTiles(handle) : TIFFNumberOfStrips(handle));
}

bool bi_tiff_read_band_blocks(TIFF *handle, const struct bi_tiff_layout *l, struct bi_tiff_blocks *b)
{
    if (!bi_tiff_read_blocks(handle, l->width, l->height, 8 * bi_tiff_sample_step(l), b)) return false;
    if (!l->separate) return true;
    b->first = (uint32_t)(l->band * b->count);
    return l->bands * b->count <= (b->tiled ? TIFFNumberOfTiles(handle) : TIFFNumberOfStrips(handle));
}

int64_t bi_tiff_rows_of(const struct bi_tiff_blocks *b, int64_t block)
{
    const int64_t left = b->height - block / b->columns * b->down;
    return !b->tiled && left < b->down ? left : b->down;
}

bool bi_tiff_unpack_block(TIFF *handle, const struct bi_tiff_blocks *b, int64_t block, void *to)
{
    const uint32_t number = b->first + (uint32_t)block;
    if (b->tiled) return TIFFReadEncodedTile(handle, number, to, b->bytes) == b->bytes;
    const tmsize_t bytes = (tmsize_t)(bi_tiff_rows_of(b, block) * b->row_bytes);
    return TIFFReadEncodedStrip(handle, number, to, bytes) == bytes;
}

bosc_status bi_tiff_fit(const struct bi_tiff *t, const struct bi_tiff_layout *l, tmsize_t block, bosc_io_error *error)
{
    const uint64_t ratio = (uint64_t)l->ratio, most = t->size < UINT64_MAX / ratio ? t->size * ratio : UINT64_MAX;
    bosc_status status = bi_heights_fit(t->in, l->width, l->height, (int64_t)l->type.width * l->bands, most, error);
    return status == BOSC_OK ? bi_heights_fit(t->in, block, 1, 1, most, error) : status;
}
