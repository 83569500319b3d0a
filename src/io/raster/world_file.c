/* World files: six numbers that map columns and rows to coordinates. They give no unit; a .prj beside them may.
 * Sources: GDAL, documentation of the format; OGC 01-009, well-known text of coordinate systems. */
#include "io/raster/world_file.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/file/file.h"
#include "io/file/packed.h"
#include "io/raster/heights.h"
#include "io/text/number.h"

enum { PATH_SIZE = 4096, NUMBERS = 6 };

/* The numbers in the order of the file: x = cell_x column + turn_x row + x, y = turn_y column + cell_y row + y, at the
 * centres of cells. */
enum world_number { CELL_X, TURN_Y, TURN_X, CELL_Y, X, Y };

/* ---- names ---- */

/* Writes the name with another ending, in lower or in upper case. False if it is too long. */
static bool make_name(const char *path, size_t stem, const char *ending, bool upper, char name[PATH_SIZE])
{
    const int length = snprintf(name, PATH_SIZE, "%.*s.%s", (int)stem, path, ending);
    if (length < 0 || length >= PATH_SIZE) return false;
    for (char *p = name + stem; *p; p++) *p = (char)(upper ? toupper((unsigned char)*p) : tolower((unsigned char)*p));
    return true;
}

/* Returns the length of a path without its ending, and without one of a packed file. */
static size_t stem_of(const char *path, const char **ending, size_t *ending_length)
{
    const size_t length = strlen(path) - bi_packed_ending(path);
    size_t stem = length;
    while (stem > 0 && path[stem - 1] != '.' && path[stem - 1] != '/') stem--;
    const bool found = stem > 1 && path[stem - 1] == '.' && path[stem - 2] != '/' && stem < length;
    *ending = path + stem;
    *ending_length = found ? length - stem : 0;
    return found ? stem - 1 : length;
}

/* Finds the world file of relief.tif: relief.tfw, relief.tifw or relief.wld. */
static bool find_world_file(const char *path, char name[PATH_SIZE])
{
    const char *ending;
    size_t length;
    const size_t stem = stem_of(path, &ending, &length);
    char endings[3][16] = {"wld", "", ""};
    if (length >= 1 && length < 12) {
        snprintf(endings[1], sizeof endings[1], "%c%cw", ending[0], ending[length - 1]);
        snprintf(endings[2], sizeof endings[2], "%.*sw", (int)length, ending);
    }
    for (int k = 1; k <= 3; k++)
        for (int upper = 0; upper < 2; upper++)
            if (*endings[k % 3] && make_name(path, stem, endings[k % 3], upper, name) && access(name, F_OK) == 0)
                return true;
    return false;
}

/* ---- content ---- */

static bosc_status read_numbers(const struct bi_bytes *in, double numbers[NUMBERS], bosc_io_error *error)
{
    const char *p = in->data, *end = p + in->size;
    for (int k = 0; k < NUMBERS; k++) {
        while (p < end && isspace((unsigned char)*p)) p++;
        const char *next = p < end ? bi_number_read(p, end, &numbers[k]) : NULL;
        if (!next || (next < end && !isspace((unsigned char)*next)) || !isfinite(numbers[k]))
            return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: not a world file: number %d of %d is missing or damaged",
                              in->name, k + 1, NUMBERS);
        p = next;
    }
    if (numbers[CELL_X] == 0 || numbers[CELL_Y] == 0)
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: the size of a cell is 0", in->name);
    return BOSC_OK;
}

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

/* Reads the value of a unit, metre",1, from its name on. 0: malformed. */
static double read_unit_value(const char *p, const char *end)
{
    double value;
    while (p < end && *p != '"') p++;
    if (end - p < 3 || p[1] != ',') return 0;
    for (p += 2; p < end && isspace((unsigned char)*p);) p++;
    return bi_number_read(p, end, &value) && value > 0 && isfinite(value) ? value : 0;
}

double bi_prj_unit(const char *text, size_t size, bool *degrees)
{
    static const char *const compound[] = {"COMPD_CS[", "COMPOUNDCRS[", NULL};
    static const char *const geographic[] = {"GEOGCS[", "GEOGCRS[", "GEODCRS[", NULL};
    static const char *const projected[] = {"PROJCS[", "PROJCRS[", NULL};
    static const char *const vertical[] = {"VERT_CS[", "VERTCS[", "VERTCRS[", NULL};
    const double degree = 0.017453292519943295; /* in radians */
    const char *p = text, *end = text + size;
    double unit = 0;
    /* 1. The system of the map, which is the first of a compound one. */
    while (p < end && isspace((unsigned char)*p)) p++;
    if (begins_any(p, end, compound))
        while (p < end && !begins_any(p, end, geographic) && !begins_any(p, end, projected)) p++;
    const bool is_geographic = begins_any(p, end, geographic);
    *degrees = is_geographic;
    if (!is_geographic && !begins_any(p, end, projected)) return 0;
    /* 2. Its units. The last one, UNIT["metre",1], is that of the axes; a system of heights follows behind. */
    for (; p < end && !begins_any(p, end, vertical); p++) {
        if (!begins(p, end, "UNIT[\"")) continue;
        unit = read_unit_value(p + 6, end);
        if (is_geographic) *degrees = fabs(unit - degree) < 1e-6 * degree;
        if (is_geographic && *degrees) break; /* a length may follow: of heights */
    }
    return !is_geographic ? unit : *degrees ? BI_METRES_A_DEGREE : 0;
}

/* Guesses the unit of a map without a .prj: degrees if the cells have at most an arc minute and all coordinates are
 * longitudes and latitudes, otherwise metres. */
static double guess_unit(const double n[NUMBERS], const bosc_heights *h, bool *degrees)
{
    const double last_x = n[X] + n[CELL_X] * (double)(h->width - 1),
                 last_y = n[Y] + n[CELL_Y] * (double)(h->height - 1);
    const double cell = fmax(fabs(n[CELL_X]), fabs(n[CELL_Y]));
    *degrees = cell <= 1.001 / 60 && fmax(fabs(n[X]), fabs(last_x)) <= 360 && fmax(fabs(n[Y]), fabs(last_y)) <= 90;
    return *degrees ? BI_METRES_A_DEGREE : 1;
}

/* Reads the unit from the .prj of the raster, or guesses it where there is none. */
static bosc_status read_unit(const char *path, const double numbers[NUMBERS], bosc_heights *h, double *metres,
                             bool *degrees, bosc_io_error *error)
{
    char name[PATH_SIZE];
    const char *ending;
    size_t length;
    const size_t stem = stem_of(path, &ending, &length);
    for (int upper = 0; upper < 2; upper++) {
        struct bi_file file;
        if (!make_name(path, stem, "prj", upper, name) || access(name, F_OK) != 0) continue;
        const bosc_status status = bi_file_open(name, &file, error);
        if (status != BOSC_OK) return status;
        *metres = bi_prj_unit(file.bytes.data, file.bytes.size, degrees);
        bi_file_close(&file);
        return BOSC_OK;
    }
    *metres = guess_unit(numbers, h, degrees);
    h->assumed |= BOSC_HEIGHTS_ASSUMED_UNIT;
    return BOSC_OK;
}

bosc_status bi_world_file_apply(const char *path, bosc_heights *h, bosc_io_error *error)
{
    char name[PATH_SIZE];
    struct bi_file file;
    double n[NUMBERS], metres;
    bool degrees;
    if (h->source != BOSC_HEIGHTS_NO_SPACING || strcmp(path, "-") == 0 || !find_world_file(path, name)) return BOSC_OK;
    /* 1. The map. */
    bosc_status status = bi_file_open(name, &file, error);
    if (status != BOSC_OK) return status;
    status = read_numbers(&file.bytes, n, error);
    bi_file_close(&file);
    if (status != BOSC_OK) return status;
    if (fabs(n[TURN_X]) > 1e-9 * fabs(n[CELL_X]) || fabs(n[TURN_Y]) > 1e-9 * fabs(n[CELL_Y])) /* as for GeoTIFF */
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: " BI_HEIGHTS_ROTATED, name);
    /* 2. Its unit, and the spacings in metres. */
    status = read_unit(path, n, h, &metres, &degrees, error);
    if (status != BOSC_OK) return status;
    h->source = metres > 0 ? BOSC_HEIGHTS_WORLD_FILE : BOSC_HEIGHTS_UNKNOWN_UNIT;
    h->degrees = degrees;
    h->latitude = degrees ? n[Y] + n[CELL_Y] * (double)(h->height - 1) / 2 : 0;
    if (degrees && !(fabs(h->latitude) < 90)) {
        h->latitude = 0;
        h->assumed |= BOSC_HEIGHTS_ASSUMED_LATITUDE;
    }
    h->spacing_y = fabs(n[CELL_Y]) * metres;
    h->spacing = fabs(n[CELL_X]) * metres * (degrees ? bi_heights_shrink(h->latitude) : 1);
    if (metres > 0 && !(h->spacing > 0 && h->spacing_y > 0 && isfinite(h->spacing) && isfinite(h->spacing_y)))
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: the size of a cell is 0 m or infinite", name);
    bi_heights_mirror(h, n[CELL_Y] > 0, n[CELL_X] < 0);
    return BOSC_OK;
}
