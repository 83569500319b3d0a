/* Systems of coordinates in .prj files. Sources: OGC 01-009, well-known text of coordinate systems; ESRI, ArcInfo's
 * files of projections. */
#include "io/raster/prj.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "io/file/file.h"
#include "io/raster/projection.h"
#include "io/text/number.h"
#include "io/text/row.h"

/* ---- well-known text ---- */

static bool begins(const char *p, const char *end, const char *word)
{
    const size_t length = strlen(word);
    return (size_t)(end - p) >= length && memcmp(p, word, length) == 0;
}

static bool begins_any(const char *p, const char *end, const char *const *words)
{
    for (; *words; words++)
        if (begins(p, end, *words)) return true;
    return false;
}

/* Reads the number behind a name, metre",1, from the name on. False: malformed. */
static bool read_value(const char *p, const char *end, double *value)
{
    while (p < end && *p != '"') p++;
    if (end - p < 3 || p[1] != ',') return false;
    for (p += 2; p < end && isspace((unsigned char)*p);) p++;
    return bi_number_read(p, end, value) && isfinite(*value);
}

/* Returns the value behind the name at the first of these words; 0: there is none. */
static double find_value(const char *p, const char *end, const char *const *words)
{
    double value = 0;
    while (p < end && !begins_any(p, end, words)) p++;
    while (p < end && *p != '"') p++;
    return p < end && read_value(p + 1, end, &value) ? value : 0;
}

/* Returns the EPSG code of the system that begins at p, not one of its parts: AUTHORITY["EPSG","2263"]; 0: none. */
static int find_code(const char *p, const char *end)
{
    static const char *const words[] = {"AUTHORITY[\"EPSG\",", "ID[\"EPSG\",", NULL};
    int depth = 0;
    bool quoted = false;
    for (; p < end && (depth > 0 || *p != ']'); p++) {
        if (depth == 1 && !quoted && begins_any(p, end, words)) {
            double code = 0;
            while (p < end && *p != ',') p++;
            p += p + 1 < end && p[1] == '"' ? 2 : 1;
            return p < end && bi_number_read(p, end, &code) && code > 0 && code < 1e6 ? (int)code : 0;
        }
        quoted ^= *p == '"';
        if (!quoted) depth += (*p == '[') - (*p == ']');
        if (depth == 0 && *p == ']') break;
    }
    return 0;
}

static bool contains(const char *p, const char *end, const char *word)
{
    for (; p < end; p++)
        if (begins(p, end, word)) return true;
    return false;
}

/* Returns the last unit of a system, which is that of its axes; 0: none. first: stop at the first unit that is an angle
 * in degrees, since a length may follow: of heights. */
static double read_unit(const char *p, const char *end, bool first)
{
    double unit = 0, value;
    for (; p < end; p++) {
        if (!begins(p, end, "UNIT[\"")) continue;
        unit = read_value(p + 6, end, &value) && value > 0 ? value : 0;
        if (first && unit > 0 && unit < 0.02) break; /* a degree has 0.0175 radians, a grad 0.0157 */
    }
    return unit;
}

/* Returns the prime meridian in degrees; 0: none. Version 2 of the text may give it in another unit:
 * PRIMEM["Paris",2.5969213,ANGLEUNIT["grad",0.0157079632679489]]. */
static double read_meridian(const char *p, const char *end)
{
    static const char *const words[] = {"PRIMEM[", NULL};
    while (p < end && !begins_any(p, end, words)) p++;
    const char *close = p < end ? memchr(p, ']', (size_t)(end - p)) : NULL;
    const double unit = close ? read_unit(p, close, false) : 0;
    return find_value(p, end, words) * (unit > 0 ? unit * BI_RADIAN : 1);
}

/* Reads well-known text, which begins at or behind p. */
static void read_wkt(const char *p, const char *end, struct bi_map *map)
{
    static const char *const compound[] = {"COMPD_CS[", "COMPOUNDCRS[", NULL};
    static const char *const geographic[] = {"GEOGCS[", "GEOGCRS[", "GEODCRS[", NULL};
    static const char *const projected[] = {"PROJCS[", "PROJCRS[", NULL};
    static const char *const vertical[] = {"VERT_CS[", "VERTCS[", "VERTCRS[", NULL};
    static const char *const ellipsoid[] = {"SPHEROID[", "ELLIPSOID[", NULL};
    const double degree = 1 / BI_RADIAN;
    /* 1. The system of the map, which is the first of a compound one; one of heights may follow. */
    if (begins_any(p, end, compound))
        while (p < end && !begins_any(p, end, geographic) && !begins_any(p, end, projected)) p++;
    const bool is_geographic = begins_any(p, end, geographic);
    const char *heights = p;
    while (heights < end && !begins_any(heights, end, vertical)) heights++;
    map->unit_unknown = true;
    if (!is_geographic && !begins_any(p, end, projected)) return;
    /* 2. The map. */
    map->model = is_geographic ? BI_MAP_GEOGRAPHIC : BI_MAP_PROJECTED;
    map->unit = read_unit(p, heights, is_geographic);
    if (is_geographic && map->unit == 0) map->unit = degree;
    if (is_geographic) map->unit *= BI_RADIAN;
    if (is_geographic && fabs(map->unit - 1) < 1e-6) map->unit = 1; /* of nine digits */
    map->unit_unknown = map->unit == 0;
    map->code = find_code(p, heights);
    if (contains(p, heights, "Web_Mercator") || contains(p, heights, "Pseudo-Mercator"))
        map->code = BI_EPSG_WEB_MERCATOR;
    map->true_scale = contains(p, heights, "Transverse_Mercator") || contains(p, heights, "Transverse Mercator");
    map->meridian = is_geographic ? read_meridian(p, heights) : 0;
    map->radius = find_value(p, heights, ellipsoid);
    /* 3. Heights. */
    if (heights == end) return;
    map->height_code = find_code(heights, end);
    map->height_unit = read_unit(heights, end, false);
    if (contains(heights, end, ",DOWN") || contains(heights, end, ",down")) map->height_unit = -map->height_unit;
    if (map->height_unit == 0 && map->height_code == 0) map->height_unit = NAN;
}

/* ---- ArcInfo's words ---- */

/* Returns a length in metres: METERS, FEET, or a number of units in a metre; 0: none, or not known. */
static double read_length(const struct bi_line *word)
{
    double count;
    if (bi_word_is_any_case(word, "meters")) return 1;
    if (bi_word_is_any_case(word, "feet")) return BI_US_FOOT;
    const bool good = bi_number_read(word->begin, word->end, &count) == word->end && count > 0 && isfinite(count);
    return good && isfinite(1 / count) ? 1 / count : 0;
}

/* True for projections that keep distances within 1 %. */
static bool has_true_scale(const struct bi_line *word)
{
    return bi_word_is_any_case(word, "utm") || bi_word_is_any_case(word, "transverse") ||
           bi_word_is_any_case(word, "stateplane");
}

/* Reads lines such as `Projection UTM`, `Units METERS` and `Zunits FEET`. Without units they are degrees or metres. */
static void read_arcinfo(const char *text, size_t size, struct bi_map *map)
{
    const struct bi_bytes in = {.name = "", .data = text, .size = size};
    struct bi_lines lines = bi_lines_begin(&in);
    struct bi_line line, key, word;
    bool geographic = false, in_degrees = true;
    double unit = 1;
    /* 1. The words. */
    while (bi_lines_next(&lines, &line)) {
        if (!bi_line_word(&line, &key) || !bi_line_word(&line, &word)) continue;
        if (bi_word_is_any_case(&key, "projection")) {
            geographic = bi_word_is_any_case(&word, "geographic");
            map->true_scale = has_true_scale(&word);
        } else if (bi_word_is_any_case(&key, "units")) {
            in_degrees = bi_word_is_any_case(&word, "dd");
            unit = read_length(&word);
        } else if (bi_word_is_any_case(&key, "zunits") && !bi_word_is_any_case(&word, "no")) {
            map->height_unit = read_length(&word);
            if (map->height_unit == 0) map->height_unit = NAN;
        }
    }
    /* 2. The map. */
    map->model = geographic ? BI_MAP_GEOGRAPHIC : BI_MAP_PROJECTED;
    map->custom = !geographic;
    map->unit = geographic ? in_degrees : unit;
    map->unit_unknown = map->unit == 0;
}

/* ---- both ---- */

void bi_prj_read(const char *text, size_t size, struct bi_map *map)
{
    static const char word[] = "projection";
    const char *p = text, *end = text + size;
    while (p < end && isspace((unsigned char)*p)) p++;
    if ((size_t)(end - p) >= sizeof word && strncasecmp(p, word, sizeof word - 1) == 0) {
        read_arcinfo(p, (size_t)(end - p), map);
        return;
    }
    map->text = text;
    read_wkt(p, end, map);
}
