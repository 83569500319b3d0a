/* World files: six numbers that map columns and rows to coordinates. They give no unit; a .prj beside them may.
 * Source: GDAL, documentation of the format. */
#include "io/raster/world_file.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/file/file.h"
#include "io/file/packed.h"
#include "io/raster/aux_file.h"
#include "io/raster/heights.h"
#include "io/raster/prj.h"
#include "io/text/number.h"

enum { PATH_SIZE = 4096, NUMBERS = BI_WORLD_NUMBERS };

enum {
    CELL_X = BI_WORLD_CELL_X,
    TURN_Y = BI_WORLD_TURN_Y,
    TURN_X = BI_WORLD_TURN_X,
    CELL_Y = BI_WORLD_CELL_Y,
    X = BI_WORLD_X,
    Y = BI_WORLD_Y
};

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

/* ---- the map ---- */

/* Guesses the unit of a map without a .prj: degrees if the cells have at most an arc minute and all coordinates are
 * longitudes and latitudes, otherwise metres. */
static void guess_unit(const double n[NUMBERS], const bosc_heights *h, struct bi_map *map)
{
    const double last_x = n[X] + n[CELL_X] * (double)(h->width - 1),
                 last_y = n[Y] + n[CELL_Y] * (double)(h->height - 1);
    const double cell = fmax(fabs(n[CELL_X]), fabs(n[CELL_Y]));
    const bool degrees =
        cell <= 1.001 / 60 && fmax(fabs(n[X]), fabs(last_x)) <= 360 && fmax(fabs(n[Y]), fabs(last_y)) <= 90;
    map->model = degrees ? BI_MAP_GEOGRAPHIC : BI_MAP_PROJECTED;
    map->unit = 1;
    map->unit_assumed = true;
}

/* Reads the system of the map from *text, or if that is NULL from the .prj of the raster, or guesses the unit where
 * there is none. *text receives a copy of the .prj, to be freed. */
static bosc_status read_system(const char *path, const double numbers[NUMBERS], const bosc_heights *h,
                               struct bi_map *map, char **text, bosc_io_error *error)
{
    char name[PATH_SIZE];
    const char *ending;
    size_t length;
    const size_t stem = stem_of(path, &ending, &length);
    /* 1. The system of an auxiliary file. */
    if (*text) {
        bi_prj_read(*text, strlen(*text), map);
        return BOSC_OK;
    }
    /* 2. The .prj. */
    for (int upper = 0; upper < 2 && strcmp(path, "-") != 0; upper++) {
        struct bi_file file;
        if (!make_name(path, stem, "prj", upper, name) || access(name, F_OK) != 0) continue;
        const bosc_status status = bi_file_open(name, &file, error);
        if (status != BOSC_OK) return status;
        *text = bi_io_alloc(file.bytes.size + 1);
        if (*text) {
            if (file.bytes.size) memcpy(*text, file.bytes.data, file.bytes.size);
            (*text)[file.bytes.size] = 0;
            bi_prj_read(*text, file.bytes.size, map);
        }
        bi_file_close(&file);
        return *text ? BOSC_OK : bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", name);
    }
    guess_unit(numbers, h, map);
    return BOSC_OK;
}

void bi_world_numbers_of_aux(const struct bi_aux *aux, double n[NUMBERS])
{
    const double *m = aux->map; /* at corners of cells */
    const double numbers[NUMBERS] = {m[1], m[4], m[2], m[5], m[0] + m[1] / 2, m[3] + m[5] / 2};
    memcpy(n, numbers, sizeof numbers);
}

bool bi_world_is_rotated(const double n[NUMBERS])
{
    return fabs(n[TURN_X]) > 1e-9 * fabs(n[CELL_X]) || fabs(n[TURN_Y]) > 1e-9 * fabs(n[CELL_Y]);
}

/* Reads the numbers of the map from an auxiliary file or a world file, whose name is set; *found: there is one. *text
 * receives the system of an auxiliary file, to be freed; NULL: there is none. */
static bosc_status read_map(const char *path, char name[PATH_SIZE], double n[NUMBERS], char **text, bool *found,
                            bosc_io_error *error)
{
    struct bi_aux aux;
    struct bi_file file;
    bosc_status status = bi_aux_read(path, 0, &aux, error);
    *text = aux.system;
    *found = status == BOSC_OK && aux.has_map;
    if (*found) {
        bi_world_numbers_of_aux(&aux, n);
        snprintf(name, PATH_SIZE, "%.4000s.aux.xml", path);
    }
    if (status != BOSC_OK || *found || !find_world_file(path, name)) return status;
    *found = true;
    status = bi_file_open(name, &file, error);
    if (status != BOSC_OK) return status;
    status = read_numbers(&file.bytes, n, error);
    bi_file_close(&file);
    return status;
}

/* Sets the place of heights whose map is read. */
static bosc_status apply_map(const char *path, const char *name, const double n[NUMBERS],
                             enum bosc_heights_source source, char **text, bosc_heights *h, bosc_io_error *error)
{
    if (bi_world_is_rotated(n)) return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: " BI_HEIGHTS_ROTATED, name);
    /* 1. The map, from centres of cells to corners, and its system. */
    struct bi_map map = {.x = n[X] - n[CELL_X] / 2,
                         .y = n[Y] - n[CELL_Y] / 2,
                         .cell_x = n[CELL_X],
                         .cell_y = n[CELL_Y],
                         .source = source};
    const bosc_status status = read_system(path, n, h, &map, text, error);
    if (status != BOSC_OK) return status;
    /* 2. The place. The raster's own unit of heights comes before that of the system. */
    const double own_unit = h->height_unit;
    const bool good = bi_map_apply(&map, h);
    if (own_unit != 0) {
        h->height_unit = own_unit;
        h->assumed &= ~BOSC_HEIGHTS_ASSUMED_HEIGHT_UNIT;
    }
    return good ? BOSC_OK : bi_io_fail(error, BOSC_ERR_FORMAT, "%s: the size of a cell is 0 m or infinite", name);
}

bosc_status bi_world_numbers_apply(const char *path, const double n[BI_WORLD_NUMBERS], bosc_heights *h,
                                   bosc_io_error *error)
{
    struct bi_aux aux;
    bosc_status status = bi_aux_read(path, 0, &aux, error);
    if (status == BOSC_OK) status = apply_map(path, path, n, BOSC_HEIGHTS_OWN_SPACING, &aux.system, h, error);
    free(aux.system);
    return status;
}

bosc_status bi_world_file_read(const char *path, bosc_heights *h, struct bi_world_changes *changes,
                               bosc_io_error *error)
{
    char name[PATH_SIZE], *text = NULL;
    double n[NUMBERS];
    bool found;
    const bool converted = h->height_unit != 0;
    *changes = (struct bi_world_changes){.factor = 1};
    if (h->source != BOSC_HEIGHTS_NO_SPACING || strcmp(path, "-") == 0) return BOSC_OK;
    bosc_status status = read_map(path, name, n, &text, &found, error);
    if (status == BOSC_OK && found) status = apply_map(path, name, n, BOSC_HEIGHTS_WORLD_FILE, &text, h, error);
    free(text);
    if (status != BOSC_OK || !found) return status;
    *changes =
        (struct bi_world_changes){n[CELL_Y] > 0, n[CELL_X] < 0, converted ? 1 : bi_height_factor(h->height_unit)};
    return BOSC_OK;
}

bosc_status bi_world_file_apply(const char *path, bosc_heights *h, bosc_io_error *error)
{
    struct bi_world_changes changes;
    bosc_status status = bi_world_file_read(path, h, &changes, error);
    if (status != BOSC_OK) return status;
    bi_heights_mirror(h, changes.to_north, changes.to_west);
    for (int64_t i = 0; changes.factor != 1 && i < h->width * h->height; i++) {
        h->data[i] = (float)((double)h->data[i] * changes.factor);
        if (isinf(h->data[i]))
            return bi_io_fail(error, BOSC_ERR_DATA, "%s: row %lld: a height is too large for a 32-bit float", path,
                              (long long)(i / h->width));
    }
    return BOSC_OK;
}
