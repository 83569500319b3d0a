/* The place of a raster. Codes are those of EPSG; common ones are known without PROJ. */
#include "io/raster/crs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/raster/heights.h"
#include "io/raster/projection.h"

/* ---- systems known without PROJ ---- */

/* True for UTM of WGS 84, ETRS89 and NAD83: metres, and within 0.1 % of the ground. */
static bool is_utm(int code)
{
    return (code >= 32601 && code <= 32660) || (code >= 32701 && code <= 32760) || (code >= 25828 && code <= 25838) ||
           (code >= 26901 && code <= 26923);
}

/* True for geographic systems from another prime meridian than Greenwich, some in grads. */
static bool has_own_meridian(int code)
{
    return (code >= 4801 && code <= 4821) || (code >= 4901 && code <= 4904) || code == 5229 || code == 8042 ||
           code == 8043;
}

/* Returns the unit of a system's axes: metres or degrees; 0: not known here. */
static double unit_of(bool geographic, int code)
{
    if (geographic) return has_own_meridian(code) ? 0 : 1;
    return code == BI_EPSG_WEB_MERCATOR || is_utm(code) ? 1 : 0;
}

/* Returns the unit of a common system of heights; 0: not known here. */
static double height_unit_of(int code)
{
    static const struct {
        int code;
        double unit;
    } systems[] = {{3855, 1},          {5773, 1},          {5798, 1}, /* EGM2008, EGM96, EGM84 */
                   {5714, 1},          {5715, -1},                    /* mean sea level: height, depth */
                   {5703, 1},          {8228, 0.3048},                /* NAVD88 */
                   {6360, BI_US_FOOT}, {5702, BI_US_FOOT},            /* NAVD88 and NGVD29 in US survey feet */
                   {5621, 1},          {5730, 1},          {9389, 1}, /* EVRF2007, EVRF2000, EVRF2019 */
                   {5783, 1},          {7837, 1},                     /* DHHN92, DHHN2016 */
                   {5720, 1},          {5701, 1},          {5709, 1}, {5728, 1}, {5729, 1}, /* France to Switzerland */
                   {6647, 1},          {5713, 1},          {5711, 1}, {6695, 1}}; /* Canada, Australia, Japan */
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
        if (systems[i].code == code) return systems[i].unit;
    return 0;
}

/* Names of units of bands, in metres. */
static const struct {
    const char *name;
    double metres;
} unit_types[] = {{"m", 1},
                  {"metre", 1},
                  {"meter", 1},
                  {"metres", 1},
                  {"meters", 1},
                  {"", 0},
                  {"ft", 0.3048},
                  {"foot", 0.3048},
                  {"feet", 0.3048},
                  {"ft-int", 0.3048},
                  {"US survey foot", BI_US_FOOT},
                  {"us-ft", BI_US_FOOT},
                  {"sfoot", BI_US_FOOT},
                  {"ftUS", BI_US_FOOT},
                  {"cm", 0.01},
                  {"dm", 0.1},
                  {"km", 1000},
                  {"fathom", 1.8288}};

double bi_height_factor(double height_unit) { return height_unit == 0 || isnan(height_unit) ? 1 : height_unit; }

double bi_unit_of_name(const char *name, size_t length, char unknown[BI_UNIT_NAME])
{
    size_t used = 0;
    for (size_t i = 0; i < sizeof unit_types / sizeof *unit_types; i++)
        if (strlen(unit_types[i].name) == length && memcmp(unit_types[i].name, name, length) == 0)
            return unit_types[i].metres;
    for (; used < length && used + 1 < BI_UNIT_NAME; used++)
        unknown[used] = name[used] >= ' ' && name[used] <= '~' ? name[used] : '?';
    unknown[used] = '\0';
    return NAN;
}

/* ---- the system of a map ---- */

/* Sets the unit, the meridian and the code that the file leaves out; from PROJ where they are not known here. False if
 * the place of the map is then still unknown. */
static bool complete_system(const struct bi_map *map, struct bi_crs *crs)
{
    char name[32];
    struct bi_crs found;
    const bool lacks_meridian = crs->geographic && has_own_meridian(map->code) && map->meridian == 0;
    if (crs->unit == 0 && !map->unit_unknown && (map->code || crs->geographic))
        crs->unit = unit_of(crs->geographic, map->code);
    const bool lacks_unit = crs->unit == 0 && !map->unit_unknown && map->code, lacks_code = map->text && !map->code;
    if (!lacks_unit && !lacks_meridian && !lacks_code) return true;
    snprintf(name, sizeof name, "EPSG:%d", map->code);
    if (!bi_proj_describe(map->code ? name : map->text, &found)) return !lacks_meridian && !lacks_unit;
    if (crs->unit == 0 && !map->unit_unknown) crs->unit = found.unit;
    crs->geographic = found.geographic;
    crs->code = found.code ? found.code : map->code;
    if (crs->meridian == 0) crs->meridian = found.meridian;
    if (crs->radius == 0) crs->radius = found.radius;
    return true;
}

/* Sets the unit of heights: the file's, that of the system of heights, or feet where the map has feet. */
static void complete_heights(const struct bi_map *map, const struct bi_crs *crs, bosc_heights *h)
{
    char name[32];
    struct bi_crs found = {0};
    h->height_unit = map->height_unit;
    if (h->height_unit == 0 && map->height_code) {
        snprintf(name, sizeof name, "EPSG:%d", map->height_code);
        h->height_unit = height_unit_of(map->height_code);
        if (h->height_unit == 0 && bi_proj_describe(name, &found)) h->height_unit = found.height_unit;
        if (h->height_unit == 0) h->height_unit = NAN;
    }
    const bool feet = !crs->geographic && crs->unit > 0.3 && crs->unit < 0.31;
    if (h->height_unit != 0 || !feet) return;
    h->height_unit = crs->unit;
    h->assumed |= BOSC_HEIGHTS_ASSUMED_HEIGHT_UNIT;
}

static void write_name(const struct bi_map *map, const struct bi_crs *crs, bosc_heights *h)
{
    if (crs->code && map->height_code)
        snprintf(h->crs, sizeof h->crs, "EPSG:%d+%d", crs->code, map->height_code);
    else if (crs->code)
        snprintf(h->crs, sizeof h->crs, "EPSG:%d", crs->code);
}

/* ---- distances on the ground ---- */

/* Converts a longitude and latitude on the Earth's ellipsoid to Cartesian coordinates, in metres from its centre. */
static void convert_to_cartesian(const double degrees[2], double position[3])
{
    const double longitude = degrees[0] / BI_RADIAN, latitude = degrees[1] / BI_RADIAN, sine = sin(latitude);
    const double normal = BI_EARTH_AXIS / sqrt(1 - BI_EARTH_ECCENTRICITY2 * sine * sine);
    position[0] = normal * cos(latitude) * cos(longitude);
    position[1] = normal * cos(latitude) * sin(longitude);
    position[2] = normal * (1 - BI_EARTH_ECCENTRICITY2) * sine;
}

/* Returns the distance of two near points of the globe: the chord, which is right beside a pole, too. Over a kilometre
 * it is shorter than the arc by 1e-9 of it, and rounded by 1e-12. */
static double ground_distance(const double from[2], const double to[2])
{
    double a[3], b[3];
    convert_to_cartesian(from, a);
    convert_to_cartesian(to, b);
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* Measures a step of 1 km along an axis of the map around its middle: scale = metres on the ground / metres of the map.
 * False if the map does not cover the middle. */
static bool measure_axis(const struct bi_projection *p, const double middle[2], double unit, int axis, double *scale)
{
    double from[2] = {middle[0], middle[1]}, to[2] = {middle[0], middle[1]}, places[2][2];
    const double half = 500 / unit; /* short beside the Earth, long beside the rounding of inverse projections */
    from[axis] -= half;
    to[axis] += half;
    if (!bi_projection_to_globe(p, from, &places[0][0], &places[0][1]) ||
        !bi_projection_to_globe(p, to, &places[1][0], &places[1][1]))
        return false;
    *scale = ground_distance(places[0], places[1]) / 1000;
    return *scale > 0 && isfinite(*scale);
}

/* Sets the scales of the map at its middle, along rows and columns, and the latitude. Scales within 1 % of 1 become 1:
 * those of UTM and of most national grids, whose distances are taken as they are. False if they cannot be computed. */
static bool measure_scales(const struct bi_map *map, const struct bi_crs *crs, bosc_heights *h, double scales[2])
{
    const double middle[2] = {(h->edges[0] + h->edges[2]) / 2, (h->edges[1] + h->edges[3]) / 2};
    double longitude, latitude;
    struct bi_projection p;
    if (!bi_projection_open(crs->code ? h->crs : map->text, &p)) return false;
    const bool good = measure_axis(&p, middle, crs->unit, 0, &scales[0]) &&
                      measure_axis(&p, middle, crs->unit, 1, &scales[1]) &&
                      bi_projection_to_globe(&p, middle, &longitude, &latitude);
    bi_projection_close(&p);
    if (good && (fabs(scales[0] - 1) > 0.01 || fabs(scales[1] - 1) > 0.01)) {
        h->latitude = latitude;
        h->ground_scale = scales[0];
    } else {
        scales[0] = scales[1] = 1;
    }
    return good;
}

/* ---- spacings ---- */

/* Sets the outer edges of the raster, in the unit of the map or in degrees from Greenwich. */
static void set_edges(const struct bi_map *map, const struct bi_crs *crs, bosc_heights *h)
{
    const double unit = crs->geographic ? crs->unit : 1, shift = crs->geographic ? crs->meridian : 0;
    const double x0 = map->x * unit + shift, x1 = (map->x + map->cell_x * (double)h->width) * unit + shift;
    const double y0 = map->y * unit, y1 = (map->y + map->cell_y * (double)h->height) * unit;
    if (!(isfinite(x0) && isfinite(x1) && isfinite(y0) && isfinite(y1))) return;
    h->edges[0] = fmin(x0, x1);
    h->edges[1] = fmin(y0, y1);
    h->edges[2] = fmax(x0, x1);
    h->edges[3] = fmax(y0, y1);
}

/* Sets the lengths in metres of the map's unit, along rows and columns. */
static void set_degree(const struct bi_map *map, const struct bi_crs *crs, bosc_heights *h, double metres[2])
{
    /* Another planet's radius differs by more than 1 % from the Earth's. */
    const bool earth = crs->radius == 0 || fabs(crs->radius / BI_EARTH_AXIS - 1) < 0.01;
    h->degrees = 1;
    h->latitude = (map->y + map->cell_y * (double)h->height / 2) * crs->unit;
    if (!(fabs(h->latitude) < 90)) {
        h->latitude = 0;
        h->assumed |= BOSC_HEIGHTS_ASSUMED_LATITUDE;
    }
    metres[1] = (earth ? BI_METRES_A_DEGREE : crs->radius / BI_RADIAN) * crs->unit;
    metres[0] = metres[1] * bi_heights_shrink(h->latitude);
}

static void set_map_unit(const struct bi_map *map, const struct bi_crs *crs, bosc_heights *h, double metres[2])
{
    double scales[2] = {1, 1};
    const bool named = h->crs[0] || map->text, has_edges = h->edges[0] < h->edges[2];
    const bool measured = !has_edges || (!named && !map->custom) || is_utm(crs->code) || map->true_scale ||
                          (named && measure_scales(map, crs, h, scales));
    if (!measured) h->assumed |= BOSC_HEIGHTS_ASSUMED_SCALE;
    if (map->unit_assumed) h->assumed |= BOSC_HEIGHTS_ASSUMED_UNIT;
    for (int axis = 0; axis < 2; axis++) metres[axis] = crs->unit * scales[axis];
}

bool bi_map_has_size(const struct bi_map *map)
{
    return map->cell_x != 0 && map->cell_y != 0 && isfinite(map->cell_x) && isfinite(map->cell_y);
}

bool bi_map_apply(const struct bi_map *map, bosc_heights *h)
{
    struct bi_map m = *map;
    double metres[2] = {0, 0};
    /* 1. The system. A map without a unit and a code is assumed to be in metres. */
    if (m.unit == 0 && !m.unit_unknown && !m.code && m.model != BI_MAP_GEOGRAPHIC && !m.text) {
        m.unit = 1;
        m.unit_assumed = true;
    }
    struct bi_crs crs = {.geographic = m.model == BI_MAP_GEOGRAPHIC,
                         .unit = m.unit,
                         .meridian = m.meridian,
                         .radius = m.radius,
                         .code = m.code};
    const bool placed = complete_system(&m, &crs);
    write_name(&m, &crs, h);
    h->radius = crs.radius;
    /* 2. Heights and edges. */
    complete_heights(&m, &crs, h);
    if (placed && (crs.unit > 0 || !crs.geographic)) set_edges(&m, &crs, h);
    /* 3. The spacings. */
    const bool has_size = bi_map_has_size(&m);
    h->source = has_size ? BOSC_HEIGHTS_UNKNOWN_UNIT : BOSC_HEIGHTS_NO_SIZE;
    if (!(crs.unit > 0)) return has_size;
    const int32_t before = h->assumed;
    if (crs.geographic)
        set_degree(&m, &crs, h, metres);
    else
        set_map_unit(&m, &crs, h, metres);
    if (crs.geographic && m.unit_assumed) h->assumed |= BOSC_HEIGHTS_ASSUMED_UNIT;
    h->spacing = fabs(m.cell_x) * metres[0];
    h->spacing_y = fabs(m.cell_y) * metres[1];
    if (h->spacing > 0 && h->spacing_y > 0 && isfinite(h->spacing) && isfinite(h->spacing_y)) {
        h->source = m.source;
        return true;
    }
    h->source = BOSC_HEIGHTS_NO_SIZE;
    h->spacing = h->spacing_y = h->latitude = h->ground_scale = 0;
    h->degrees = 0;
    h->assumed = before;
    return false;
}
