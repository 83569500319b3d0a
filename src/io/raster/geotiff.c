/* Reads and writes tags of GeoTIFF. Sources: OGC 19-008, GeoTIFF 1.1; GDAL's tags for no-data values and for scale
 * and offset of a band. */
#include "io/raster/geotiff.h"
#include "io/text/number.h"

#include <math.h>
#include <string.h>

enum {
    TAG_PIXEL_SCALE = 33550,
    TAG_TIE_POINTS = 33922,
    TAG_TRANSFORMATION = 34264,
    TAG_GEO_KEYS = 34735,
    TAG_METADATA = 42112,
    TAG_NO_DATA = 42113,
    KEY_MODEL_TYPE = 1024, /* 1: projected, 2: geographic */
    KEY_LINEAR_UNITS = 3076,
    MODEL_GEOGRAPHIC = 2,
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

double bi_geotiff_no_data(TIFF *handle, struct bi_sample_type type)
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

/* ---- scale and offset: <Item name="SCALE" sample="0" role="scale">0.1</Item> in GDAL's metadata ---- */

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

/* ---- position ---- */

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
    *degrees = read_geo_key(keys, count, KEY_MODEL_TYPE, 0) == MODEL_GEOGRAPHIC;
    if (*degrees) return BI_METRES_A_DEGREE;
    int unit = read_geo_key(keys, count, KEY_LINEAR_UNITS, UNIT_METRE);
    return unit == UNIT_METRE ? 1 : unit == UNIT_FOOT ? 0.3048 : unit == UNIT_US_FOOT ? 1200.0 / 3937 : 0;
}

const char *bi_geotiff_read_tags(TIFF *handle, struct bi_geotiff *geo)
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
    if (fabs(map.east[1]) > 1e-9 * fabs(across) || fabs(map.north[0]) > 1e-9 * fabs(down)) /* assumed: rounding only */
        return "a rotated raster; warp it so that its rows run from west to east";
    geo->to_west = across < 0;
    geo->to_north = down > 0;
    /* 2. Spacings in metres. */
    if (!get_values(handle, TAG_GEO_KEYS, TIFF_SHORT, &key_count, &keys)) return NULL;
    double metres = metres_of(keys, key_count, &degrees), shrink = 1;
    TIFFGetField(handle, TIFFTAG_IMAGELENGTH, &rows);
    if (degrees) {
        geo->latitude = map.north[2] + down * rows / 2;
        if (!(fabs(geo->latitude) < 90)) geo->latitude = 0;
        shrink = bi_heights_shrink(geo->latitude);
    }
    double x = fabs(across) * metres * shrink, y = fabs(down) * metres;
    if (isfinite(x) && isfinite(y) && x > 0 && y > 0) geo->spacing = x, geo->spacing_y = y;
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
