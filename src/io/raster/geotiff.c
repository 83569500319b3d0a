/* Tags of GeoTIFF and GDAL. Sources: OGC 19-008, GeoTIFF 1.1; GDAL's tags for no-data values and for scale, offset and
 * unit of a band. */
#include "io/raster/geotiff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/raster/aux_file.h"
#include "io/raster/crs.h"
#include "io/raster/projection.h"
#include "io/text/number.h"

/* ---- tags ---- */

enum {
    TAG_PIXEL_SCALE = 33550,
    TAG_TIE_POINTS = 33922,
    TAG_TRANSFORMATION = 34264,
    TAG_GEO_KEYS = 34735,
    TAG_GEO_DOUBLES = 34736,
    TAG_METADATA = 42112,
    TAG_NO_DATA = 42113,
    KEY_MODEL_TYPE = 1024,
    KEY_RASTER_TYPE = 1025, /* 1: tie points are corners of cells, 2: their centres */
    KEY_GEOGRAPHIC_SYSTEM = 2048,
    KEY_ANGULAR_UNITS = 2054,
    KEY_ANGULAR_UNIT_SIZE = 2055, /* in radians */
    KEY_SEMI_MAJOR_AXIS = 2057,
    KEY_MERIDIAN_LONGITUDE = 2061, /* in the angular unit */
    KEY_PROJECTED_SYSTEM = 3072,
    KEY_LINEAR_UNITS = 3076,
    KEY_LINEAR_UNIT_SIZE = 3077, /* in metres */
    KEY_HEIGHT_SYSTEM = 4096,
    KEY_HEIGHT_UNITS = 4099,
    MODEL_PROJECTED = 1,
    MODEL_GEOGRAPHIC = 2,
    RASTER_POINTS = 2,
    USER_DEFINED = 32767,
    UNIT_METRE = 9001
};

/* Reads the values of a tag unknown to libtiff; false if it is missing or of another type. */
static bool get_values(TIFF *handle, uint32_t tag, TIFFDataType type, uint32_t *count, const void **values)
{
    const TIFFField *field = TIFFFindField(handle, tag, TIFF_ANY);
    if (!field || TIFFFieldDataType(field) != type || !TIFFFieldPassCount(field)) return false;
    if (TIFFFieldReadCount(field) != TIFF_VARIABLE2) return false;
    return TIFFGetField(handle, tag, count, values) == 1 && *count > 0 && *values;
}

/* Rounds to a value of binary16: 11 significant bits, multiples of 2^-24, infinite from 65,520. */
static double round_to_half(double x)
{
    int exponent;
    if (!isfinite(x)) return x;
    (void)frexp(x, &exponent);
    const int last = (exponent > -13 ? exponent : -13) - 11; /* exponent of the last bit */
    const double rounded = ldexp(nearbyint(ldexp(x, -last)), last);
    return fabs(rounded) < 65536 ? rounded : copysign(INFINITY, x);
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
    /* The writer rounded it to the type of samples. */
    if (type.kind == 'f' && type.width == 2) return round_to_half(none);
    return type.kind == 'f' && type.width == 4 ? (double)(float)none : none;
}

/* ---- scale, offset and unit: <Item name="SCALE" sample="0" role="scale">0.1</Item> in GDAL's metadata ---- */

/* Returns the position of a text; NULL: it does not occur. */
static const char *find_text(const char *p, const char *end, const char *text)
{
    const size_t length = strlen(text);
    while (p && (size_t)(end - p) >= length && memcmp(p, text, length) != 0)
        p = memchr(p + 1, text[0], (size_t)(end - p - 1));
    return p && (size_t)(end - p) >= length ? p : NULL;
}

/* Returns the content of the first item with `role` for a band, from 0, or for all bands; NULL if there is none. */
static const char *find_item(const char *text, size_t size, const char *role, int32_t band)
{
    const char *end = text + size;
    for (const char *p = text, *close; (p = find_text(p, end, "<Item")) != NULL; p = close) {
        double sample;
        close = memchr(p, '>', (size_t)(end - p));
        if (!close) break;
        const char *of_band = find_text(p, close, "sample=\"");
        const bool other =
            of_band && bi_number_read(of_band + strlen("sample=\""), close, &sample) && sample != (double)band;
        if (!other && find_text(p, close, role)) return close + 1;
    }
    return NULL;
}

/* Returns the number of an item; `otherwise` if there is none. */
static double read_item(const char *text, size_t size, const char *role, int32_t band, double otherwise)
{
    double value;
    const char *p = find_item(text, size, role, band);
    return p && bi_number_read(p, text + size, &value) && isfinite(value) ? value : otherwise;
}

/* Returns the unit of a band, <Item name="UNITTYPE" role="unittype">ft</Item>, in metres; 0: none; NaN: not known, and
 * `unknown` receives its name. */
static double read_unit_type(const char *text, size_t size, int32_t band, char unknown[BI_UNIT_NAME])
{
    const char *name = find_item(text, size, "role=\"unittype\"", band);
    const char *end = name ? memchr(name, '<', (size_t)(text + size - name)) : NULL;
    return end ? bi_unit_of_name(name, (size_t)(end - name), unknown) : 0;
}

static void read_metadata(TIFF *handle, int32_t band, struct bi_geotiff *geo, struct bi_map *map)
{
    uint32_t count = 0;
    const void *text = NULL;
    if (!get_values(handle, TAG_METADATA, TIFF_ASCII, &count, &text)) return;
    geo->scale = read_item(text, count, "role=\"scale\"", band, 1);
    geo->offset = read_item(text, count, "role=\"offset\"", band, 0);
    map->height_unit = read_unit_type(text, count, band, map->unit_name);
}

/* ---- position ---- */

/* The directory of GeoTIFF's keys. */
struct geo_keys {
    const uint16_t *keys;
    const double *doubles;
    uint32_t count, double_count;
};

/* Reads the directory; false if there is none. */
static bool read_geo_keys(TIFF *handle, struct geo_keys *k)
{
    const void *keys = NULL, *doubles = NULL;
    *k = (struct geo_keys){0};
    if (!get_values(handle, TAG_GEO_KEYS, TIFF_SHORT, &k->count, &keys)) return false;
    if (!get_values(handle, TAG_GEO_DOUBLES, TIFF_DOUBLE, &k->double_count, &doubles)) k->double_count = 0;
    k->keys = keys;
    k->doubles = doubles;
    return true;
}

/* Returns the value of a key that holds one short; `otherwise` if it is missing. */
static int read_geo_key(const struct geo_keys *k, int key, int otherwise)
{
    for (uint32_t i = 4; k->count >= 4 && i + 4 <= k->count; i += 4)
        if (k->keys[i] == key && k->keys[i + 1] == 0) return k->keys[i + 3];
    return otherwise;
}

/* Returns the first double of a key; 0 if it is missing or not finite. */
static double read_geo_double(const struct geo_keys *k, int key)
{
    for (uint32_t i = 4; k->count >= 4 && i + 4 <= k->count; i += 4)
        if (k->keys[i] == key && k->keys[i + 1] == TAG_GEO_DOUBLES && k->keys[i + 3] < k->double_count)
            return isfinite(k->doubles[k->keys[i + 3]]) ? k->doubles[k->keys[i + 3]] : 0;
    return 0;
}

/* Units of EPSG: lengths in metres; angles, whose codes are above 9100, in degrees. */
static const struct {
    int code;
    double unit;
} units[] = {{UNIT_METRE, 1},
             {9002, 0.3048},
             {9003, BI_US_FOOT},
             {9005, 0.3047972654},
             {9014, 1.8288},
             {9030, 1852},
             {9031, 1.0000135965},
             {9036, 1000},
             {9037, 0.9143917962},
             {9040, 0.914398414616029},
             {9041, 0.304799471538676},
             {9042, 20.1167651215526},
             {9084, 0.914398530744441},
             {9093, 1609.344},
             {9094, 0.304799710181509},
             {9095, 0.3048007491},
             {9096, 0.9144},
             {9101, BI_RADIAN},
             {9102, 1},
             {9103, 1.0 / 60},
             {9104, 1.0 / 3600},
             {9105, 0.9},
             {9106, 0.9},
             {9122, 1}};

/* Returns a unit of lengths in metres, or one of angles in degrees; NaN: not known here, or not of this kind. */
static double unit_of(bool angle, int code)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (units[i].code == code && (code > 9100) == angle) return units[i].unit;
    return NAN;
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

/* Reads an EPSG code; 0: none. user_defined: NULL, or set to true for a system with parameters of its own. */
static int read_code(const struct geo_keys *k, int key, bool *user_defined)
{
    const int code = read_geo_key(k, key, 0);
    if (user_defined && code == USER_DEFINED) *user_defined = true;
    return code == USER_DEFINED ? 0 : code;
}

/* Reads the systems and units of the map and of heights. */
static void read_systems(const struct geo_keys *k, struct bi_map *map)
{
    const int model = read_geo_key(k, KEY_MODEL_TYPE, 0), code = read_geo_key(k, KEY_PROJECTED_SYSTEM, 0);
    const bool geographic =
        model == MODEL_GEOGRAPHIC || (model == 0 && code == 0 && read_geo_key(k, KEY_GEOGRAPHIC_SYSTEM, 0) != 0);
    const int unit_key = geographic ? KEY_ANGULAR_UNITS : KEY_LINEAR_UNITS, unit = read_geo_key(k, unit_key, 0);
    /* 1. The map. Tools of several vendors write web Mercator under the code that it had before. */
    map->model = geographic ? BI_MAP_GEOGRAPHIC : BI_MAP_PROJECTED;
    map->code =
        read_code(k, geographic ? KEY_GEOGRAPHIC_SYSTEM : KEY_PROJECTED_SYSTEM, geographic ? NULL : &map->custom);
    if (map->code == 3785) map->code = BI_EPSG_WEB_MERCATOR;
    if (unit == USER_DEFINED)
        map->unit = geographic ? read_geo_double(k, KEY_ANGULAR_UNIT_SIZE) * BI_RADIAN
                               : read_geo_double(k, KEY_LINEAR_UNIT_SIZE);
    else if (unit)
        map->unit = unit_of(geographic, unit);
    map->unit_unknown = unit && !(map->unit > 0);
    if (map->unit_unknown || (model && model != MODEL_PROJECTED && model != MODEL_GEOGRAPHIC)) {
        map->unit = 0; /* a geocentric model has no plane */
        map->unit_unknown = true;
    }
    map->meridian = geographic ? read_geo_double(k, KEY_MERIDIAN_LONGITUDE) * (map->unit > 0 ? map->unit : 1) : 0;
    map->radius = read_geo_double(k, KEY_SEMI_MAJOR_AXIS);
    /* 2. Heights. The band's unit comes before that of its system. */
    const int height_unit = read_geo_key(k, KEY_HEIGHT_UNITS, 0);
    map->height_code = read_code(k, KEY_HEIGHT_SYSTEM, NULL);
    if (map->height_unit == 0 && height_unit) map->height_unit = unit_of(false, height_unit);
}

const char *bi_geotiff_read(TIFF *handle, int32_t band, struct bi_geotiff *geo)
{
    struct geo_keys keys;
    struct affine_map affine;
    struct bi_map map = {.source = BOSC_HEIGHTS_OWN_SPACING};
    uint32_t rows = 0, columns = 0;
    *geo = (struct bi_geotiff){.scale = 1};
    /* 1. Direction of columns and rows. */
    read_metadata(handle, band, geo, &map);
    TIFFGetField(handle, TIFFTAG_IMAGELENGTH, &rows);
    TIFFGetField(handle, TIFFTAG_IMAGEWIDTH, &columns);
    geo->place = (bosc_heights){.width = columns, .height = rows, .height_unit = map.height_unit};
    memcpy(geo->place.unit_name, map.unit_name, sizeof map.unit_name);
    geo->unplaced = geo->place;
    if (!read_map(handle, &affine)) return NULL;
    map.cell_x = affine.east[0];
    map.cell_y = affine.north[1];
    /* Below 1e-9 it is rounding of doubles: across 2^20 samples less than 2^-9 of a sample. */
    if (fabs(affine.east[1]) > 1e-9 * fabs(map.cell_x) || fabs(affine.north[0]) > 1e-9 * fabs(map.cell_y))
        return BI_HEIGHTS_ROTATED;
    geo->to_west = map.cell_x < 0;
    geo->to_north = map.cell_y > 0;
    /* 2. Place, units and spacings. Tie points without keys are corners. */
    geo->has_map = true;
    geo->has_keys = read_geo_keys(handle, &keys);
    const double corner = geo->has_keys && read_geo_key(&keys, KEY_RASTER_TYPE, 0) == RASTER_POINTS ? 0.5 : 0;
    map.x = affine.east[2] - corner * map.cell_x;
    map.y = affine.north[2] - corner * map.cell_y;
    geo->numbers[BI_WORLD_CELL_X] = map.cell_x;
    geo->numbers[BI_WORLD_CELL_Y] = map.cell_y;
    geo->numbers[BI_WORLD_X] = map.x + map.cell_x / 2;
    geo->numbers[BI_WORLD_Y] = map.y + map.cell_y / 2;
    geo->place.source = bi_map_has_size(&map) ? BOSC_HEIGHTS_UNKNOWN_UNIT : BOSC_HEIGHTS_NO_SIZE;
    if (!geo->has_keys) return NULL;
    read_systems(&keys, &map);
    geo->map = map;
    (void)bi_map_apply(&map, &geo->place); /* false: the spacings are unknown */
    return NULL;
}

/* Sets the place by the map of an auxiliary file and the system of the tags. */
static bosc_status move_map(const char *path, struct bi_geotiff *geo, bosc_io_error *error)
{
    const double *n = geo->numbers;
    if (bi_world_is_rotated(n)) return bi_io_fail(error, BOSC_ERR_FORMAT, "%s.aux.xml: " BI_HEIGHTS_ROTATED, path);
    geo->map.cell_x = n[BI_WORLD_CELL_X];
    geo->map.cell_y = n[BI_WORLD_CELL_Y];
    geo->map.x = n[BI_WORLD_X] - n[BI_WORLD_CELL_X] / 2;
    geo->map.y = n[BI_WORLD_Y] - n[BI_WORLD_CELL_Y] / 2;
    geo->place = geo->unplaced;
    (void)bi_map_apply(&geo->map, &geo->place); /* as for the map of the tags */
    return BOSC_OK;
}

bosc_status bi_geotiff_apply_beside(const char *path, struct bi_geotiff *geo, bosc_io_error *error)
{
    struct bi_aux aux;
    if (!geo->has_map) return BOSC_OK; /* then the raster is one without a place of its own: bi_world_file_read */
    bosc_status status = bi_aux_read(path, 0, &aux, error);
    const bool has_system = aux.system != NULL;
    free(aux.system);
    if (status != BOSC_OK) return status;
    /* 1. The map. */
    if (aux.has_map) {
        bi_world_numbers_of_aux(&aux, geo->numbers);
        geo->to_west = geo->numbers[BI_WORLD_CELL_X] < 0;
        geo->to_north = geo->numbers[BI_WORLD_CELL_Y] > 0;
    }
    if (geo->place.source == BOSC_HEIGHTS_NO_SIZE && !aux.has_map) return BOSC_OK;
    /* 2. Its system: beside the raster, or that of the tags. */
    if (geo->has_keys && !has_system) return aux.has_map ? move_map(path, geo, error) : BOSC_OK;
    geo->place = geo->unplaced;
    return bi_world_numbers_apply(path, geo->numbers, &geo->place, error);
}

void bi_geotiff_metres(const struct bi_geotiff *geo, double *scale, double *offset)
{
    const double factor = bi_height_factor(geo->place.height_unit);
    *scale = geo->scale * factor;
    *offset = geo->offset * factor;
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
