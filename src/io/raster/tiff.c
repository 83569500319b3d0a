/* TIFFs by libtiff, from bytes and into memory. Sources: Adobe, TIFF 6.0; OGC 19-008, GeoTIFF 1.1; GDAL's tags for
 * no-data values and for scale and offset of a band. */
#include "io/raster/tiff.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/file/file.h"
#include "io/text/number.h"

/* ---- GeoTIFF: tags ---- */

enum {
    TAG_PIXEL_SCALE = 33550,
    TAG_TIE_POINTS = 33922,
    TAG_TRANSFORMATION = 34264,
    TAG_GEO_KEYS = 34735,
    TAG_METADATA = 42112,
    TAG_NO_DATA = 42113,
    KEY_MODEL_TYPE = 1024, /* 1: projected, 2: geographic */
    KEY_ANGULAR_UNITS = 2054,
    KEY_LINEAR_UNITS = 3076,
    MODEL_GEOGRAPHIC = 2,
    UNIT_DEGREE = 9102,
    UNIT_METRE = 9001,
    UNIT_FOOT = 9002,
    UNIT_US_FOOT = 9003
};

/* Reads the values of a tag unknown to libtiff; false if it is missing or of another type. */
static bool get_values(TIFF *handle, uint32_t tag, TIFFDataType type, uint32_t *count, const void **values)
{
    const TIFFField *field = TIFFFindField(handle, tag, TIFF_ANY);
    if (!field || TIFFFieldDataType(field) != type || !TIFFFieldPassCount(field)) return false;
    if (TIFFFieldReadCount(field) != TIFF_VARIABLE2) return false;
    return TIFFGetField(handle, tag, count, values) == 1 && *count > 0 && *values;
}

/* Returns GDAL's no-data value, which is text; NaN: none. */
static double read_no_data(TIFF *handle, struct bi_sample_type type)
{
    uint32_t count;
    const void *text;
    double none;
    if (!get_values(handle, TAG_NO_DATA, TIFF_ASCII, &count, &text)) return NAN;
    const char *p = text, *end = p + count;
    while (p < end && *p == ' ') p++;
    if (!bi_number_read(p, end, &none)) return NAN;
    return type.kind == 'f' && type.width == 4 ? (double)(float)none : none;
}

/* ---- GeoTIFF: scale and offset: <Item name="SCALE" sample="0" role="scale">0.1</Item> in GDAL's metadata ---- */

/* Returns the number behind the first '>' after `role`; `otherwise` if there is none. */
static double read_item(const char *text, size_t size, const char *role, double otherwise)
{
    double value;
    size_t length = strlen(role);
    const char *p = text, *end = text + size;
    while (p && (size_t)(end - p) > length && memcmp(p, role, length) != 0)
        p = memchr(p + 1, role[0], (size_t)(end - p - 1));
    p = p ? memchr(p, '>', (size_t)(end - p)) : NULL;
    return p && bi_number_read(p + 1, end, &value) && isfinite(value) ? value : otherwise;
}

static void read_metadata(TIFF *handle, struct bi_geotiff *geo)
{
    uint32_t count = 0;
    const void *text = NULL;
    if (!get_values(handle, TAG_METADATA, TIFF_ASCII, &count, &text)) return;
    geo->scale = read_item(text, count, "role=\"scale\"", 1);
    geo->offset = read_item(text, count, "role=\"offset\"", 0);
}

/* ---- GeoTIFF: position ---- */

/* Returns the value of a key that holds one short; `otherwise` if it is missing. */
static int read_geo_key(const uint16_t *keys, uint32_t count, int key, int otherwise)
{
    for (uint32_t i = 4; count >= 4 && i + 4 <= count; i += 4)
        if (keys[i] == key && keys[i + 1] == 0) return keys[i + 3];
    return otherwise;
}

/* Affine map from columns and rows to model coordinates: x = east[0] column + east[1] row + east[2], y by `north`. */
struct affine_map {
    double east[3], north[3];
};

/* Reads the map; false if there is none. Without tie points the position is unknown: its northing is NaN. */
static bool read_map(TIFF *handle, struct affine_map *map)
{
    const void *values = NULL, *ties = NULL;
    uint32_t count = 0, tie_count = 0;
    if (get_values(handle, TAG_TRANSFORMATION, TIFF_DOUBLE, &count, &values) && count >= 8) {
        const double *m = values;
        *map = (struct affine_map){{m[0], m[1], m[3]}, {m[4], m[5], m[7]}};
        return true;
    }
    if (!get_values(handle, TAG_PIXEL_SCALE, TIFF_DOUBLE, &count, &values) || count < 2) return false;
    const double *scale = values, *tie = NULL;
    if (get_values(handle, TAG_TIE_POINTS, TIFF_DOUBLE, &tie_count, &ties) && tie_count >= 6) tie = ties;
    *map = (struct affine_map){{scale[0], 0, tie ? tie[3] - tie[0] * scale[0] : 0},
                               {0, -scale[1], tie ? tie[4] + tie[1] * scale[1] : NAN}};
    return true;
}

/* Returns the length in metres of a unit of the model; of a degree: along a meridian. 0: unknown unit. */
static double metres_of(const uint16_t *keys, uint32_t count, bool *degrees)
{
    const bool is_geographic = read_geo_key(keys, count, KEY_MODEL_TYPE, 0) == MODEL_GEOGRAPHIC;
    *degrees = is_geographic && read_geo_key(keys, count, KEY_ANGULAR_UNITS, UNIT_DEGREE) == UNIT_DEGREE;
    if (is_geographic) return *degrees ? BI_METRES_A_DEGREE : 0;
    int unit = read_geo_key(keys, count, KEY_LINEAR_UNITS, UNIT_METRE);
    return unit == UNIT_METRE ? 1 : unit == UNIT_FOOT ? 0.3048 : unit == UNIT_US_FOOT ? 1200.0 / 3937 : 0;
}

/* Reads the tags. Returns NULL, or the reason if rows do not run along west and east. Fields without a tag keep their
 * defaults: spacing 0 (unknown), latitude NaN (not in degrees, or unknown), scale 1. */
static const char *read_tags(TIFF *handle, struct bi_geotiff *geo)
{
    const void *keys = NULL;
    uint32_t key_count = 0, rows = 0;
    struct affine_map map;
    bool degrees = false;
    *geo = (struct bi_geotiff){.latitude = NAN, .scale = 1};
    /* 1. Direction of columns and rows. */
    read_metadata(handle, geo);
    if (!read_map(handle, &map)) return NULL;
    double across = map.east[0], down = map.north[1];
    /* Below 1e-9 it is rounding of doubles: across 2^20 samples less than 2^-9 of a sample. */
    if (fabs(map.east[1]) > 1e-9 * fabs(across) || fabs(map.north[0]) > 1e-9 * fabs(down)) return BI_HEIGHTS_ROTATED;
    geo->mapped = true;
    geo->to_west = across < 0;
    geo->to_north = down > 0;
    /* 2. Spacings in metres. */
    if (!get_values(handle, TAG_GEO_KEYS, TIFF_SHORT, &key_count, &keys)) return NULL;
    double metres = metres_of(keys, key_count, &degrees), shrink = 1;
    TIFFGetField(handle, TIFFTAG_IMAGELENGTH, &rows);
    if (degrees) {
        geo->latitude = map.north[2] + down * rows / 2;
        geo->latitude_assumed = !(fabs(geo->latitude) < 90);
        if (geo->latitude_assumed) geo->latitude = 0;
        shrink = bi_heights_shrink(geo->latitude);
    }
    double x = fabs(across) * metres * shrink, y = fabs(down) * metres;
    if (!(isfinite(x) && isfinite(y) && x > 0 && y > 0)) return NULL;
    geo->spacing = x;
    geo->spacing_y = y;
    geo->unit_assumed = !degrees && read_geo_key(keys, key_count, KEY_LINEAR_UNITS, 0) == 0;
    return NULL;
}

bool bi_geotiff_write_spacing(TIFF *handle, double spacing, double spacing_y)
{
    static const TIFFFieldInfo fields[] = {
        {TAG_PIXEL_SCALE, -1, -1, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, (char *)"ModelPixelScaleTag"},
        {TAG_GEO_KEYS, -1, -1, TIFF_SHORT, FIELD_CUSTOM, 1, 1, (char *)"GeoKeyDirectoryTag"}};
    const double scale[3] = {spacing, spacing_y, 0};
    /* Version 1.1.0 and three keys: a projected model, pixels are points, metres. */
    static const uint16_t keys[16] = {1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 2, KEY_LINEAR_UNITS, 0, 1, UNIT_METRE};
    return TIFFMergeFieldInfo(handle, fields, 2) == 0 && TIFFSetField(handle, TAG_PIXEL_SCALE, 3, scale) &&
           TIFFSetField(handle, TAG_GEO_KEYS, 16, keys);
}

/* ---- TIFF: input and output ---- */

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

static int ignore_warning(TIFF *handle, void *user, const char *module, const char *format, va_list args)
{
    (void)handle;
    (void)user;
    (void)module;
    (void)format;
    (void)args;
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
    TIFFOpenOptionsSetWarningHandlerExtR(options, ignore_warning, t);
    t->handle = TIFFClientOpenExt(t->name, mode, t, tiff_read, tiff_write, tiff_seek, tiff_close, tiff_size, NULL, NULL,
                                  options);
    TIFFOpenOptionsFree(options);
    return t->handle != NULL;
}

/* ---- TIFF: layout ---- */

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

/* Sets *layout. Returns NULL, or the reason why the file holds no heights; *layout is then incomplete. bi_tiff_fit
 * checks the size, which may be 0, by layout->ratio. libtiff reports a codec that it lacks when it reads samples. */
static const char *read_layout(TIFF *handle, struct bi_tiff_layout *layout)
{
    uint16_t bits = 1, format = SAMPLEFORMAT_UINT, samples = 1, photometric = PHOTOMETRIC_MINISBLACK, compression = 1;
    uint16_t orientation = ORIENTATION_TOPLEFT;
    /* 1. The tags, or their defaults. */
    if (!TIFFGetField(handle, TIFFTAG_IMAGEWIDTH, &layout->width) ||
        !TIFFGetField(handle, TIFFTAG_IMAGELENGTH, &layout->height))
        return "the size is not given";
    TIFFGetFieldDefaulted(handle, TIFFTAG_BITSPERSAMPLE, &bits);
    TIFFGetFieldDefaulted(handle, TIFFTAG_SAMPLEFORMAT, &format);
    TIFFGetFieldDefaulted(handle, TIFFTAG_SAMPLESPERPIXEL, &samples);
    TIFFGetFieldDefaulted(handle, TIFFTAG_ORIENTATION, &orientation);
    TIFFGetFieldDefaulted(handle, TIFFTAG_COMPRESSION, &compression);
    TIFFGetField(handle, TIFFTAG_PHOTOMETRIC, &photometric);
    layout->ratio = largest_ratio(compression);
    /* 2. One band of heights, from the top left. */
    if (samples != 1) return "more than one band; heights are one";
    if (photometric != PHOTOMETRIC_MINISBLACK) return "no heights: the samples are colours or masks";
    if (orientation != ORIENTATION_TOPLEFT) return "rows do not begin at the top left";
    /* 3. The type of samples. */
    bool real = format == SAMPLEFORMAT_IEEEFP, integer = format == SAMPLEFORMAT_INT || format == SAMPLEFORMAT_UINT;
    if (!real && !integer) return "samples are neither integers nor floats";
    if (bits != 32 && bits != 64 && (real || (bits != 8 && bits != 16)))
        return "samples have none of 8, 16, 32, 64 bits (floats: 32, 64)";
    layout->type = (struct bi_sample_type){real ? 'f' : format == SAMPLEFORMAT_INT ? 'i' : 'u', bits / 8};
    layout->none = read_no_data(handle, layout->type);
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

const char *bi_tiff_read_layout(TIFF *handle, struct bi_tiff_layout *layout, struct bi_geotiff *geo)
{
    const char *reason = read_layout(handle, layout);
    if (!reason) reason = read_tags(handle, geo);
    if (!reason && is_sparse(handle))
        reason = "a sparse TIFF, which leaves blocks out; gdal_translate writes a whole one";
    return reason;
}

bosc_status bi_tiff_fit(const struct bi_tiff *t, const struct bi_tiff_layout *l, tmsize_t block, bosc_io_error *error)
{
    const uint64_t ratio = (uint64_t)l->ratio, most = t->size < UINT64_MAX / ratio ? t->size * ratio : UINT64_MAX;
    bosc_status status = bi_heights_fit(t->in, l->width, l->height, l->type.width, most, error);
    return status == BOSC_OK ? bi_heights_fit(t->in, block, 1, 1, most, error) : status;
}
