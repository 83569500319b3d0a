/* Writes tile sets of terrains. Source: OGC 22-025r4, 3D Tiles 1.1. */
#include "tool/commands/terrain_tiles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/commands/georeference.h"
#include "tool/commands/tile_frame.h"
#include "tool/commands/tile_levels.h"
#include "tool/job.h"
#include "tool/output/report.h"
#include "tool/output/staged_folder.h"

/* The extent of a tile and all tiles below it; low above high: it has no triangles, nor have these. */
struct box {
    double low[3], high[3];
};

static const struct box empty_box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static bool is_empty(const struct box *box) { return box->low[0] > box->high[0]; }

/* A tile set being written. */
struct tile_set {
    struct job *job;
    struct tile_frame frame;
    struct tile_pyramid pyramid;
    struct staged_folder folder;
    char *extras;                      /* of every file; the text of a JSON object */
    struct box *boxes;                 /* of all tiles, level by level */
    int64_t written, tiles, triangles; /* written, tiles: holes included */
    int64_t files;                     /* tiles with triangles */
    int64_t first_box[TERRAIN_TILE_LEVEL_MAX + 2], across[TERRAIN_TILE_LEVEL_MAX + 1], down[TERRAIN_TILE_LEVEL_MAX + 1];
    double errors[TERRAIN_TILE_LEVEL_MAX + 1]; /* bound of each level */
};

/* ---- names ---- */

enum { NAME_SIZE = 72 }; /* three numbers of 20 characters */
static const char index_name[] = "tileset.json";

static void write_tile_name(int64_t level, int64_t column, int64_t row, char name[NAME_SIZE])
{
    snprintf(name, NAME_SIZE, "%lld-%lld-%lld.glb", (long long)level, (long long)column, (long long)row);
}

/* True for the name of a file of a tile set. */
static bool is_tile_set_name(const char *name)
{
    const char *p = name;
    if (strcmp(name, index_name) == 0) return true;
    for (int i = 0; i < 3; i++) {
        const char *first = p;
        while (*p >= '0' && *p <= '9') p++;
        if (p == first || *p++ != (i < 2 ? '-' : '.')) return false;
    }
    return strcmp(p, "glb") == 0;
}

/* Reports an error of a file of the temporary folder, under the name of the target. */
static int report_file_error(const struct tile_set *set, bosc_status status, const bosc_io_error *error)
{
    const size_t length = strlen(set->folder.path);
    if (strncmp(error->text, set->folder.path, length) != 0) return report_io_error(status, error);
    return report_error(status_exit_code(status), "%s%s", set->folder.target, error->text + length);
}

/* ---- a tile ---- */

/* The arrays of a tile, and a bit for each sample of its square, row by row: 1 for its vertices. */
struct tile {
    int64_t column, row, width, height; /* of the square in samples */
    uint64_t *bits;
    int64_t *before; /* vertices before each word of bits */
    double *places;  /* (vertices x 3) */
    float *positions, *normals, *texture;
    uint32_t *indices;
    bosc_mesh mesh;
};

static void free_tile(struct tile *tile)
{
    free(tile->bits);
    free(tile->before);
    free(tile->places);
    free(tile->positions);
    free(tile->normals);
    free(tile->texture);
    free(tile->indices);
}

/* Returns the bit of a sample in the tile. */
static int64_t bit_of(const struct tile *tile, int64_t samples_across, uint32_t sample)
{
    return (sample / samples_across - tile->row) * tile->width + sample % samples_across - tile->column;
}

/* Marks the vertices among the samples of the square and allocates the arrays. */
static int number_vertices(const struct tile_set *set, const struct tile_level *level, int64_t k, struct tile *tile)
{
    const int64_t w = set->pyramid.width, words = (tile->width * tile->height + 63) / 64;
    const uint32_t *corners = level->corners + 3 * level->first[k];
    const int64_t triangles = level->first[k + 1] - level->first[k];
    int64_t vertices = 0;
    tile->bits = job_alloc((size_t)words, sizeof *tile->bits);
    tile->before = tile->bits ? job_alloc((size_t)words, sizeof *tile->before) : NULL;
    if (!tile->before) return EXIT_FAILED;
    memset(tile->bits, 0, (size_t)words * sizeof *tile->bits);
    for (int64_t i = 0; i < 3 * triangles; i++) {
        const int64_t bit = bit_of(tile, w, corners[i]);
        tile->bits[bit / 64] |= (uint64_t)1 << bit % 64;
    }
    for (int64_t i = 0; i < words; i++) {
        tile->before[i] = vertices;
        vertices += __builtin_popcountll(tile->bits[i]);
    }
    tile->mesh = (bosc_mesh){.vertices = vertices, .triangles = triangles, .extras = set->extras};
    tile->places = job_alloc((size_t)vertices * 3, sizeof *tile->places);
    tile->positions = tile->places ? job_alloc((size_t)vertices * 3, sizeof *tile->positions) : NULL;
    tile->normals = tile->positions ? job_alloc((size_t)vertices * 3, sizeof *tile->normals) : NULL;
    tile->texture = tile->normals ? job_alloc((size_t)vertices * 2, sizeof *tile->texture) : NULL;
    tile->indices = tile->texture ? job_alloc((size_t)triangles * 3, sizeof *tile->indices) : NULL;
    return tile->indices ? EXIT_DONE : EXIT_FAILED;
}

/* Fills the arrays of vertices but the positions, and the box. */
static void place_vertices(const struct tile_set *set, struct tile *tile, struct box *box)
{
    const int64_t w = set->pyramid.width, h = set->pyramid.height, words = (tile->width * tile->height + 63) / 64;
    int64_t v = 0;
    *box = empty_box;
    for (int64_t i = 0; i < words; i++)
        for (uint64_t left = tile->bits[i]; left; left &= left - 1, v++) {
            const int64_t bit = 64 * i + __builtin_ctzll(left);
            const int64_t column = tile->column + bit % tile->width, row = tile->row + bit / tile->width;
            double *place = tile->places + 3 * v;
            tile_frame_place(&set->frame, row * w + column, place);
            tile_frame_normal(&set->frame, row * w + column, tile->normals + 3 * v);
            tile->texture[2 * v] = (float)((double)column / (double)(w - 1));
            tile->texture[2 * v + 1] = (float)((double)row / (double)(h - 1));
            for (int c = 0; c < 3; c++) {
                box->low[c] = fmin(box->low[c], place[c]);
                box->high[c] = fmax(box->high[c], place[c]);
            }
        }
    for (int c = 0; c < 3; c++) { /* a flat box would have no inside */
        if (box->high[c] - box->low[c] >= 2 * set->frame.grid) continue;
        box->low[c] -= set->frame.grid;
        box->high[c] += set->frame.grid;
    }
}

/* Fills positions relative to the middle of the box, and indices. The origin is a multiple of a power of two that the
 * grid divides, so differences are exact. */
static void fill_mesh(const struct tile_set *set, const struct tile_level *level, int64_t k, const struct box *box,
                      struct tile *tile)
{
    const uint32_t *corners = level->corners + 3 * level->first[k];
    double extent = set->frame.grid;
    for (int c = 0; c < 3; c++) extent = fmax(extent, box->high[c] - box->low[c]);
    int exponent;
    (void)frexp(extent, &exponent);
    const double unit = fmax(ldexp(1, exponent - 4), set->frame.grid); /* a 16th of the extent: few digits */
    for (int c = 0; c < 3; c++) tile->mesh.origin[c] = rint((box->low[c] + box->high[c]) / 2 / unit) * unit;
    for (int64_t i = 0; i < 3 * tile->mesh.vertices; i++)
        tile->positions[i] = (float)(tile->places[i] - tile->mesh.origin[i % 3]);
    for (int64_t i = 0; i < 3 * tile->mesh.triangles; i++) {
        const int64_t bit = bit_of(tile, set->pyramid.width, corners[i]);
        const uint64_t lower = tile->bits[bit / 64] & (((uint64_t)1 << bit % 64) - 1);
        tile->indices[i] = (uint32_t)(tile->before[bit / 64] + __builtin_popcountll(lower));
    }
    tile->mesh.positions = tile->positions;
    tile->mesh.normals = tile->normals;
    tile->mesh.texture = tile->texture;
    tile->mesh.indices = tile->indices;
}

/* Writes tile k of a level, unless all of it is a hole, and sets its box. */
static int write_tile(struct tile_set *set, const struct tile_level *level, int64_t number, int64_t k)
{
    const struct tile_pyramid *p = &set->pyramid;
    const int64_t column = k % level->across, row = k / level->across;
    struct tile tile = {.column = column * level->side, .row = row * level->side};
    struct box *box = set->boxes + set->first_box[number] + k;
    char name[NAME_SIZE], path[PATH_MAX + NAME_SIZE];
    bosc_io_error error;
    tile.width = (p->width - tile.column < level->side + 1 ? p->width - tile.column : level->side + 1);
    tile.height = (p->height - tile.row < level->side + 1 ? p->height - tile.row : level->side + 1);
    const bool has_triangles = level->first[k] < level->first[k + 1];
    int code = has_triangles ? number_vertices(set, level, k, &tile) : EXIT_DONE;
    *box = empty_box;
    if (!code && has_triangles) {
        place_vertices(set, &tile, box);
        fill_mesh(set, level, k, box, &tile);
        write_tile_name(number, column, row, name);
        snprintf(path, sizeof path, "%s/%s", set->folder.path, name);
        const bosc_status status = bosc_mesh_write(path, &tile.mesh, &error);
        if (status != BOSC_OK) code = report_file_error(set, status, &error);
    }
    free_tile(&tile);
    set->files += has_triangles;
    progress_step(set->job, "tiles", (double)++set->written / (double)set->tiles);
    return code;
}

/* ---- levels ---- */

/* Reports a level, whose mesh is the terrain's. */
static int report_level(struct tile_set *set, const struct tile_level *level, int64_t number, json_t *lines)
{
    struct job *job = set->job;
    bosc_terrain_stats stats = {.size = sizeof stats};
    const double start = job_now();
    const bosc_status status = bosc_terrain_measure(job->ctx, set->pyramid.terrain->handle, &stats);
    job_add_seconds(job, "measure", start);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    int64_t tiles = 0;
    for (int64_t k = 0; k < level->across * level->down; k++) tiles += level->first[k] < level->first[k + 1];
    json_array_append_new(lines, json_pack("{s:I, s:I, s:I, s:f, s:f}", "level", (json_int_t)number, "tiles",
                                           (json_int_t)tiles, "triangles", (json_int_t)level->triangles, "error",
                                           set->errors[number], "max_error", stats.max_error));
    if (!job->value[OPT_QUIET] && !job->value[OPT_JSON])
        printf("level %lld %9lld tiles, %9lld triangles, error %g, measured %g\n", (long long)number, (long long)tiles,
               (long long)level->triangles, set->errors[number], stats.max_error);
    return EXIT_DONE;
}

static int write_level(struct tile_set *set, int64_t number, json_t *lines)
{
    struct tile_level level = {0};
    /* On the curved Earth a quarter of the bound is for edges, which are chords. */
    const double bound = set->errors[number], share = set->frame.geographic ? 0.75 : 1;
    const struct tile_bounds bounds = {share * bound, set->frame.geographic ? bound / 4 : INFINITY};
    int code = tile_level_select(set->job, &set->pyramid, number, &bounds, &level);
    if (!code) code = report_level(set, &level, number, lines);
    const double start = job_now();
    for (int64_t k = 0; !code && k < level.across * level.down; k++) code = write_tile(set, &level, number, k);
    job_add_seconds(set->job, "write", start);
    set->triangles += level.triangles;
    tile_level_close(&level);
    return code;
}

/* ---- the index ---- */

static void add_box(struct box *box, const struct box *other)
{
    for (int c = 0; c < 3; c++) {
        box->low[c] = fmin(box->low[c], other->low[c]);
        box->high[c] = fmax(box->high[c], other->high[c]);
    }
}

/* Extends the boxes of all tiles by those below them. */
static void extend_boxes(struct tile_set *set)
{
    for (int64_t l = set->pyramid.last_level; l > 0; l--)
        for (int64_t k = 0; k < set->across[l] * set->down[l]; k++) {
            const int64_t column = k % set->across[l] / 2, row = k / set->across[l] / 2;
            add_box(set->boxes + set->first_box[l - 1] + row * set->across[l - 1] + column,
                    set->boxes + set->first_box[l] + k);
        }
}

/* Returns {"box": center and half axes}. */
static json_t *pack_box(const struct box *b)
{
    double half[3];
    for (int c = 0; c < 3; c++) half[c] = (b->high[c] - b->low[c]) / 2;
    return json_pack("{s:[f,f,f, f,i,i, i,f,i, i,i,f]}", "box", (b->low[0] + b->high[0]) / 2,
                     (b->low[1] + b->high[1]) / 2, (b->low[2] + b->high[2]) / 2, half[0], 0, 0, 0, half[1], 0, 0, 0,
                     half[2]);
}

static double diagonal_of(const struct box *b)
{
    return sqrt(pow(b->high[0] - b->low[0], 2) + pow(b->high[1] - b->low[1], 2) + pow(b->high[2] - b->low[2], 2));
}

/* Returns a tile with all tiles below it; NULL: out of memory. */
static json_t *pack_tile(const struct tile_set *set, int64_t level, int64_t column, int64_t row)
{
    const bool is_last = level == set->pyramid.last_level;
    char name[NAME_SIZE];
    write_tile_name(level, column, row, name);
    json_t *tile = json_pack("{s:o, s:f, s:{s:s}}", "boundingVolume",
                             pack_box(set->boxes + set->first_box[level] + row * set->across[level] + column),
                             "geometricError", is_last ? 0.0 : set->errors[level], "content", "uri", name);
    if (!tile || is_last) return tile;
    json_t *children = json_array();
    bool good = json_object_set_new(tile, "children", children) == 0;
    for (int i = 0; i < 4 && good; i++) {
        const int64_t x = 2 * column + i % 2, y = 2 * row + i / 2;
        if (x >= set->across[level + 1] || y >= set->down[level + 1]) continue;
        if (is_empty(set->boxes + set->first_box[level + 1] + y * set->across[level + 1] + x)) continue;
        good = json_array_append_new(children, pack_tile(set, level + 1, x, y)) == 0;
    }
    if (good) return tile;
    json_decref(tile);
    return NULL;
}

/* Returns the root: the tile of level 0, or a tile without content above several. */
static json_t *pack_root(const struct tile_set *set, double error)
{
    const int64_t count = set->across[0] * set->down[0];
    struct box all = set->boxes[0];
    json_t *root, *children = count > 1 ? json_array() : NULL;
    bool good = true;
    for (int64_t k = 1; k < count; k++) add_box(&all, set->boxes + k);
    for (int64_t k = 0; k < count && children && good; k++)
        if (!is_empty(set->boxes + k))
            good = json_array_append_new(children, pack_tile(set, 0, k % set->across[0], k / set->across[0])) == 0;
    if (count > 1)
        root = json_pack("{s:o, s:f, s:o}", "boundingVolume", pack_box(&all), "geometricError", error, "children",
                         children);
    else
        root = pack_tile(set, 0, 0, 0);
    good = good && root && json_object_set_new(root, "refine", json_string("REPLACE")) == 0;
    if (good && set->frame.geographic) {
        json_t *matrix = json_array();
        good = json_object_set_new(root, "transform", matrix) == 0;
        for (int i = 0; i < 16 && good; i++) good = json_array_append_new(matrix, json_real(set->frame.matrix[i])) == 0;
    }
    if (good) return root;
    json_decref(root);
    return NULL;
}

static int write_index(struct tile_set *set)
{
    char path[PATH_MAX + NAME_SIZE];
    struct box all = set->boxes[0];
    /* 1. The object. The error without any tile is the size of the set. */
    extend_boxes(set);
    for (int64_t k = 0; k < set->across[0] * set->down[0]; k++) add_box(&all, set->boxes + k);
    const double error = fmax(diagonal_of(&all), 2 * set->errors[0]);
    json_t *object = json_pack("{s:{s:s, s:s, s:o}, s:f, s:o}", "asset", "version", "1.1", "generator",
                               "boscage " BOSC_VERSION_STRING, "extras", json_loads(set->extras, 0, NULL),
                               "geometricError", error, "root", pack_root(set, error));
    char *data = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(object);
    if (!data) return report_error(EXIT_FAILED, "out of memory for the index of the tiles");
    /* 2. The file. */
    snprintf(path, sizeof path, "%s/%s", set->folder.path, index_name);
    const char *const paths[] = {path};
    const bosc_text text = {data, (int64_t)strlen(data)};
    bosc_io_error failure;
    const bosc_status status = bosc_texts_write(paths, &text, 1, &failure);
    free(data);
    return status == BOSC_OK ? EXIT_DONE : report_file_error(set, status, &failure);
}

/* ---- the set ---- */

/* More than any range of heights, which are floats. Twice as much a level above stays finite, as JSON requires. */
static const double ERROR_MAX = 1e39;

/* Of heights: the positions of a tile reach a little more than half of it, and are floats. */
static const double RANGE_MAX = 6e38;

/* Sets the bounds: that of the last level, and twice as much for each level above. error: negative: the default. */
static void set_errors(struct tile_set *set, double range, double error)
{
    const bosc_heights *h = set->frame.heights;
    /* A flat raster on the curved Earth needs a bound above 0, or edges never suffice. */
    const double usual = fmax(range / 200, set->frame.geographic ? h->spacing_y / 100 : 0);
    const int64_t last = set->pyramid.last_level;
    const double unit = error > 0 ? error : usual; /* exact tiles have coarser ones above */
    for (int64_t l = last; l >= 0; l--) set->errors[l] = l == last && error >= 0 ? error : ldexp(unit, (int)(last - l));
}

/* Counts the tiles of all levels and allocates their boxes. */
static int count_tiles(struct tile_set *set)
{
    const struct tile_pyramid *p = &set->pyramid;
    for (int64_t l = 0; l <= p->last_level; l++) {
        set->across[l] = tile_level_count(p->width, p->side >> l);
        set->down[l] = tile_level_count(p->height, p->side >> l);
        set->first_box[l + 1] = set->first_box[l] + set->across[l] * set->down[l];
    }
    set->tiles = set->first_box[p->last_level + 1];
    set->boxes = job_alloc((size_t)set->tiles, sizeof *set->boxes);
    return set->boxes ? EXIT_DONE : EXIT_FAILED;
}

/* Writes all files and replaces the target. */
static int write_set(struct tile_set *set, json_t *lines)
{
    bosc_io_set_progress(NULL, NULL); /* the bar counts tiles, not the bytes of each */
    int code = staged_folder_open(set->job->value[OPT_OUTPUT], is_tile_set_name, &set->folder);
    for (int64_t l = set->pyramid.last_level; l >= 0 && !code; l--) code = write_level(set, l, lines);
    if (!code && set->files == 0)
        code = report_error(EXIT_FAILED, "%s: its voids leave no triangle of the mesh", set->job->operands[0]);
    if (!code) code = write_index(set);
    if (!code) code = staged_folder_commit(&set->folder);
    staged_folder_discard(&set->folder);
    return code;
}

int terrain_write_tiles(struct job *job, struct terrain_view *terrain, int64_t last_level, double range, double error)
{
    struct tile_set set = {.job = job};
    if (error > ERROR_MAX)
        return report_error(EXIT_USAGE, "--error: %s is more than %g with --tiles", job->value[OPT_ERROR], ERROR_MAX);
    if (range > RANGE_MAX)
        return report_error(EXIT_FAILED, "%s: the heights span %g, more than %g with --tiles", job->operands[0], range,
                            RANGE_MAX);
    json_t *lines = json_array();
    /* 1. The coordinates, the tiles, and the text that every file holds. */
    int code = tile_frame_open(&terrain->heights, &set.frame);
    if (!code) code = tile_pyramid_open(terrain, &set.frame, last_level, &set.pyramid);
    if (!code && set.pyramid.side >> last_level < 1)
        code = report_error(EXIT_USAGE, "--tiles: level %lld of this raster has less than one sample a tile",
                            (long long)last_level);
    if (!code) code = count_tiles(&set);
    if (!code && !(set.extras = georeference_text(job, &terrain->heights, 0)))
        code = report_error(EXIT_FAILED, "out of memory");
    /* 2. The files. */
    if (!code) {
        set_errors(&set, range, error);
        code = write_set(&set, lines);
    }
    job_set_json(job, "levels", lines);
    if (!code) {
        job_set_integer(job, "tiles", set.files);
        job_set_integer(job, "triangles", set.triangles);
        job_set_text(job, "placed", set.frame.geographic ? "on the Earth" : "in a plane");
    }
    free(set.extras);
    free(set.boxes);
    tile_pyramid_close(&set.pyramid);
    tile_frame_close(&set.frame);
    return code;
}
