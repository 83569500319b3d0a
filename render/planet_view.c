/* Builds a planet once; then fetches the selected mesh again for each goal, and draws it: land and sea lit by a sun,
 * behind a layer of air. All tones and weights are chosen by eye. */
#include "render/planet_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/memory.h"
#include "render/rasterize.h"
#include "render/vector.h"

/* ---- the planet and its mesh ---- */

/* Updates the highest sample; ties go to the smallest sample number. */
static void update_highest(struct planet_view *planet, float height, int64_t sample)
{
    if (planet->highest >= 0 && (height < planet->peak || (height == planet->peak && sample > planet->highest))) return;
    planet->highest = sample;
    planet->peak = height;
}

/* Reads a block of the file, whose columns may begin at another meridian. The block is read column range by column
 * range, at most two, since it may cross the file's last column. */
static bool read_rotated(struct planet_view *planet, int64_t row, int64_t column, int64_t rows, int64_t columns,
                         float *values)
{
    const int64_t width = planet->heights.width, begin = (column + planet->shift) % width;
    const int64_t left = begin + columns > width ? width - begin : columns, right = columns - left;
    if (right == 0) return bosc_heights_file_read(planet->file, row, begin, rows, columns, values) == 0;
    float *part = memory_allocate((size_t)(rows * left + rows * right), sizeof *part);
    bool good = part && bosc_heights_file_read(planet->file, row, begin, rows, left, part) == 0 &&
                bosc_heights_file_read(planet->file, row, 0, rows, right, part + rows * left) == 0;
    for (int64_t i = 0; i < rows && good; i++) {
        memcpy(values + i * columns, part + i * left, (size_t)left * sizeof *part);
        memcpy(values + i * columns + left, part + rows * left + i * right, (size_t)right * sizeof *part);
    }
    free(part);
    return good;
}

/* Callback of bosc_planet_build_tiles: reads a block of the file. The build reads every block, so `highest` covers
 * all. */
static int read_block(void *user, int64_t row, int64_t column, int64_t rows, int64_t columns, void *values)
{
    struct planet_view *planet = user;
    float *heights = values;
    if (!read_rotated(planet, row, column, rows, columns, heights)) return 1;
    for (int64_t i = 0; i < rows * columns; i++) {
        if (planet->factor != 0) heights[i] = (float)((double)heights[i] * planet->factor);
        update_highest(planet, heights[i], (row + i / columns) * planet->heights.width + column + i % columns);
    }
    return 0;
}

static bosc_status build_raster(bosc_ctx *ctx, struct planet_view *planet)
{
    const bosc_heights *h = &planet->heights;
    const bosc_planet_raster raster = {
        .size = sizeof raster, .heights = h->data, .width = h->width, .height = h->height, .dtype = BOSC_F32};
    for (int64_t i = 0; i < h->width * h->height; i++) update_highest(planet, h->data[i], i);
    return bosc_planet_build(ctx, planet->handle, &raster);
}

/* Tiles have 256 x 256 samples (chosen), halved until the cache holds 32 of them. */
static bosc_status build_tiles(bosc_ctx *ctx, struct planet_view *planet)
{
    bosc_planet_tiles tiles = {.size = sizeof tiles,
                               .read = read_block,
                               .user = planet,
                               .width = planet->heights.width,
                               .height = planet->heights.height,
                               .cache_bytes = planet->cache_bytes,
                               .tile = 256};
    while (32 * 4 * (int64_t)tiles.tile * tiles.tile > tiles.cache_bytes) tiles.tile /= 2;
    return bosc_planet_build_tiles(ctx, planet->handle, &tiles);
}

bosc_status planet_view_build(bosc_ctx *ctx, struct planet_view *planet, const bosc_planet_opts *opts)
{
    planet->highest = -1;
    bosc_status status = bosc_planet_create(ctx, opts, &planet->handle);
    if (status == BOSC_OK) status = planet->file ? build_tiles(ctx, planet) : build_raster(ctx, planet);
    planet->info.size = sizeof planet->info;
    if (status == BOSC_OK) status = bosc_planet_get_info(ctx, planet->handle, &planet->info);
    if (status != BOSC_OK) return status;
    const double detail = planet->info.low == planet->info.high && opts ? opts->detail_amplitude : 0;
    const bosc_heights *h = &planet->heights;
    planet->low = planet->info.low - detail;
    planet->high = planet->info.high + detail;
    planet->summit[0] = 90 - ((double)(planet->highest / h->width) + 0.5) * 180 / (double)h->height;
    planet->summit[1] = ((double)(planet->highest % h->width) + 0.5) * 360 / (double)h->width - 180;
    return BOSC_OK;
}

bosc_status planet_view_add_inset(bosc_ctx *ctx, struct planet_view *planet, const bosc_heights *h)
{
    const bosc_planet_inset inset = {.size = sizeof inset,
                                     .heights = h->data,
                                     .width = h->width,
                                     .height = h->height,
                                     .west = h->edges[0],
                                     .south = h->edges[1],
                                     .east = h->edges[2],
                                     .north = h->edges[3]};
    bosc_status status = bosc_planet_add_inset(ctx, planet->handle, &inset);
    if (status == BOSC_OK) status = bosc_planet_get_info(ctx, planet->handle, &planet->info);
    if (status != BOSC_OK) return status;
    planet->low = fmin(planet->low, planet->info.low);
    planet->high = fmax(planet->high, planet->info.high);
    for (int64_t i = 0; i < h->width * h->height; i++) {
        if (!(h->data[i] > planet->peak)) continue;
        planet->peak = h->data[i];
        planet->summit[0] =
            h->edges[3] - ((double)(i / h->width) + 0.5) / (double)h->height * (h->edges[3] - h->edges[1]);
        planet->summit[1] =
            h->edges[0] + ((double)(i % h->width) + 0.5) / (double)h->width * (h->edges[2] - h->edges[0]);
    }
    return BOSC_OK;
}

static void free_arrays(struct planet_view *planet)
{
    free(planet->vertices);
    free(planet->normals);
    free(planet->vertex_heights);
    free(planet->positions);
    free(planet->triangles);
}

/* Grows the arrays to the mesh and half as much again. */
static bosc_status reserve_mesh(struct planet_view *planet)
{
    const int64_t vertices = planet->info.vertices, triangles = planet->info.triangles;
    if (vertices <= planet->vertex_capacity && triangles <= planet->triangle_capacity) return BOSC_OK;
    free_arrays(planet);
    planet->vertex_capacity = vertices + vertices / 2;
    planet->triangle_capacity = triangles + triangles / 2;
    const size_t room = (size_t)planet->vertex_capacity;
    planet->vertices = memory_allocate(room * 3, sizeof(float));
    planet->normals = memory_allocate(room * 3, sizeof(float));
    planet->vertex_heights = memory_allocate(room, sizeof(float));
    planet->positions = memory_allocate(room * 3, sizeof(double));
    planet->triangles = memory_allocate((size_t)planet->triangle_capacity * 3, sizeof(uint32_t));
    if (planet->vertices && planet->normals && planet->vertex_heights && planet->positions && planet->triangles)
        return BOSC_OK;
    planet->vertex_capacity = planet->triangle_capacity = 0;
    return BOSC_ERR_NOMEM;
}

/* Fetches the mesh with its holes. */
static bosc_status fetch_whole_mesh(bosc_ctx *ctx, struct planet_view *planet, const double *origin)
{
    int64_t counts[2];
    planet->info.size = sizeof planet->info;
    bosc_status status = bosc_planet_get_info(ctx, planet->handle, &planet->info);
    if (status == BOSC_OK) status = reserve_mesh(planet);
    if (status == BOSC_OK)
        status = bosc_planet_get_mesh(ctx, planet->handle, origin, planet->vertices, planet->positions, planet->normals,
                                      planet->vertex_capacity, planet->triangles, planet->triangle_capacity, counts);
    if (status == BOSC_OK) status = bosc_ctx_sync(ctx);
    if (status != BOSC_OK) return status;
    /* The height of a vertex is its distance from the center, less the radius: colours follow from it. */
    for (int64_t i = 0; i < counts[0]; i++) {
        const double *p = planet->positions + 3 * i;
        planet->vertex_heights[i] = (float)(sqrt(dot(p, p)) - planet->info.radius);
    }
    memset(planet->origin, 0, sizeof planet->origin);
    if (origin) memcpy(planet->origin, origin, sizeof planet->origin);
    planet->mesh = (bosc_mesh){.vertices = counts[0],
                               .triangles = counts[1],
                               .positions = planet->vertices,
                               .normals = planet->normals,
                               .indices = planet->triangles};
    return BOSC_OK;
}

bosc_status planet_view_fetch_mesh(bosc_ctx *ctx, struct planet_view *planet, const double *origin)
{
    const bosc_status status = fetch_whole_mesh(ctx, planet, origin);
    if (status != BOSC_OK || !planet->holes.counts) return status;
    if (planet_holes_mark(&planet->holes, planet->positions, planet->triangles, planet->mesh.triangles) < 0)
        return BOSC_ERR_NOMEM;
    return planet_view_cut_holes(planet, 0);
}

bosc_status planet_view_select(bosc_ctx *ctx, struct planet_view *planet, const bosc_planet_goal *goal)
{
    bosc_status status = bosc_planet_select(ctx, planet->handle, goal);
    for (int64_t before = -1; status == BOSC_OK && planet->holes.counts;) {
        status = fetch_whole_mesh(ctx, planet, NULL);
        if (status != BOSC_OK) break;
        const int64_t triangles = planet->mesh.triangles;
        const int64_t splits = planet_holes_mark(&planet->holes, planet->positions, planet->triangles, triangles);
        if (splits < 0) return BOSC_ERR_NOMEM;
        if (splits == 0 || triangles == before) break; /* the deepest triangles stay as they are */
        before = triangles;
        status = bosc_planet_update(ctx, planet->handle, planet->holes.commands, triangles);
    }
    return status == BOSC_OK ? bosc_ctx_sync(ctx) : status;
}

/* Does not move planet->positions: their last reader, planet_holes_mark, has run. */
bosc_status planet_view_cut_holes(struct planet_view *planet, int64_t first)
{
    bosc_mesh *mesh = &planet->mesh;
    uint32_t *indices = planet->triangles;
    int64_t triangles = 0, vertices = 0;
    if (!planet->holes.counts) return BOSC_OK;
    uint32_t *numbers = memory_allocate((size_t)mesh->vertices, sizeof *numbers);
    if (!numbers) return BOSC_ERR_NOMEM;
    /* 1. The triangles that remain, and their vertices. */
    memset(numbers, 0, (size_t)mesh->vertices * sizeof *numbers);
    for (int64_t t = 0; t < mesh->triangles; t++) {
        if (planet->holes.removed[first + t]) continue;
        for (int k = 0; k < 3; k++) numbers[indices[3 * t + k]] = 1;
        memmove(indices + 3 * triangles++, indices + 3 * t, 3 * sizeof *indices);
    }
    /* 2. New numbers of these vertices, in the same order. */
    for (int64_t v = 0; v < mesh->vertices; v++) {
        if (!numbers[v]) continue;
        memmove(planet->vertices + 3 * vertices, planet->vertices + 3 * v, 3 * sizeof *planet->vertices);
        memmove(planet->normals + 3 * vertices, planet->normals + 3 * v, 3 * sizeof *planet->normals);
        planet->vertex_heights[vertices] = planet->vertex_heights[v];
        numbers[v] = (uint32_t)vertices++;
    }
    for (int64_t i = 0; i < 3 * triangles; i++) indices[i] = numbers[indices[i]];
    mesh->vertices = vertices;
    mesh->triangles = triangles;
    free(numbers);
    return BOSC_OK;
}

void planet_view_close(struct planet_view *planet)
{
    planet_holes_close(&planet->holes);
    bosc_heights_free(&planet->heights);
    bosc_planet_free(planet->handle);
    bosc_heights_file_close(planet->file);
    free_arrays(planet);
}

/* ---- pictures ---- */

enum { SAMPLES = 2, LAND = 8 }; /* samples along the side of a pixel; colours of land */

/* Least scale height of the air in radii, as the Earth's; a planet with higher relief has more. The length of sight
 * after which 1/e of the light is left, in scale heights. */
static const double least_air = 0.0015, air_of_relief = 0.6, sight_length = 5;

/* Share of the highest height from which on all gentle slopes are snow: single peaks are far above other mountains. */
static const double snow_line = 0.7;

struct paints {
    struct colour land[LAND], rock, deep, shallow, haze, space, horizon, zenith;
};

static struct paints mix_paints(void)
{
    static const uint32_t land[LAND] = {0x5d7d48, 0x71894f, 0x8f9a61, 0xae9f72, 0xa48a68, 0x927a66, 0x9f9790, 0xf2f3f5};
    struct paints p = {.rock = colour_of(0x84776c),
                       .deep = colour_of(0x0f2a52),
                       .shallow = colour_of(0x2f7396),
                       .haze = colour_of(0xa9c4de),
                       .space = colour_of(0x04060c),
                       .horizon = colour_of(0xd5e3ee),
                       .zenith = colour_of(0x3f78b5)};
    for (int i = 0; i < LAND; i++) p.land[i] = colour_of(land[i]);
    return p;
}

/* All that shading a sample needs. */
struct planet_picture {
    const struct planet_view *planet;
    const struct visibility *visibility;
    struct paints paints;
    double sun[3], eye_height; /* over the sphere, in radii */
    double air_height;         /* scale height of the air, in radii */
};

/* Colour of a ray that misses the planet: space, or sky by the density of air where the ray is nearest to the
 * ground. */
static struct colour background(const struct planet_picture *l, double x, double y)
{
    const double radius = l->planet->info.radius, *eye = l->planet->origin;
    struct ray ray = pixel_ray(l->visibility, x, y);
    normalise(ray.direction);
    const double along = -dot(eye, ray.direction), ahead = fmax(along, 0);
    double nearest = l->eye_height;
    if (along > 0) nearest = sqrt(fmax(dot(eye, eye) - along * along, 0)) / radius - 1;
    const double thick = 4 * l->air_height; /* of the air that is seen, chosen by eye */
    const double glow = exp(-fmax(nearest, 0) / thick), inside = exp(-fmax(l->eye_height, 0) / thick);
    const double up = fmax(-along / sqrt(dot(eye, eye)), 0);
    const struct colour sky = colour_mix(l->paints.horizon, l->paints.zenith, fmin(1.3 * pow(up, 0.8), 1));
    const struct colour rim = colour_mix(l->paints.zenith, sky, inside);
    /* Air over the dark side does not glow. */
    double at[3];
    for (int c = 0; c < 3; c++) at[c] = eye[c] + ahead * ray.direction[c];
    const double day = fmin(fmax(dot(at, l->sun) / sqrt(dot(at, at)) + 0.3, 0), 1);
    return colour_mix(l->paints.space, rim, day * glow * (0.35 + 0.65 * inside));
}

/* Colour of the surface by height and steepness; water below sea level. */
static struct colour surface_colour(const struct planet_picture *l, double level, double steep)
{
    const struct paints *p = &l->paints;
    const double high = fmax(l->planet->high, 1e-30), low = fmin(l->planet->low, -1e-30);
    if (level <= 0 && l->planet->low < 0) return colour_mix(p->shallow, p->deep, fmin(3 * level / low, 1));
    const double height = fmin(fmax(level / (snow_line * high), 0), 1), bare = fmin(fmax(steep, 0), 1);
    const struct colour land = colour_along(p->land, LAND, height);
    /* Snow stays where the ground is not steep: below its line there is more of it in hollows and on ledges. */
    const double snow = fmin(fmax((height - 0.62) / 0.3 - 1.3 * bare + 0.25, 0), 1);
    return colour_mix(colour_mix(land, p->rock, 0.85 * bare), p->land[LAND - 1], snow);
}

/* A point of the mesh: position relative to the eye, height, normal and direction upwards. */
struct surface_point {
    double position[3], height, normal[3], up[3];
};

/* Interpolates the vertices of the triangle at the hit. */
static struct surface_point interpolate_hit(const struct planet_view *g, uint32_t triangle,
                                            const struct surface_hit *hit)
{
    struct surface_point s = {.height = 0};
    for (int i = 0; i < 3; i++) {
        const int64_t v = g->triangles[3 * (int64_t)triangle + i];
        const double weight = hit->weight[i];
        s.height += weight * (double)g->vertex_heights[v];
        for (int c = 0; c < 3; c++) {
            s.position[c] += weight * (double)g->vertices[3 * v + c];
            s.normal[c] += weight * (double)g->normals[3 * v + c];
        }
    }
    for (int c = 0; c < 3; c++) s.up[c] = g->origin[c] + s.position[c];
    normalise(s.up);
    normalise(s.normal);
    return s;
}

static struct colour shade_sample(const void *picture, int x, int y)
{
    const struct planet_picture *l = picture;
    const uint32_t triangle = l->visibility->triangle_ids[(int64_t)y * l->visibility->width + x];
    if (triangle == NO_TRIANGLE) return background(l, x + 0.5, y + 0.5);
    const struct surface_hit hit = pixel_hit(l->visibility, x, y, triangle);
    const struct surface_point s = interpolate_hit(l->planet, triangle, &hit);
    const bool water = s.height <= 0 && l->planet->low < 0;
    const double *normal = water ? s.up : s.normal, lit = dot(normal, l->sun);
    const double level = dot(normal, s.up), day = fmin(fmax(dot(s.up, l->sun) + 0.3, 0.1), 1);
    const double sun = 2.1 * fmax(lit, 0), sky = 0.26 * day * (0.4 + 0.6 * level);
    struct colour colour = surface_colour(l, s.height, (0.93 - level) / 0.22);
    colour = colour_scale(colour, sun + 0.80 * sky, 0.95 * sun + 0.95 * sky, 0.85 * sun + 1.25 * sky);
    /* Haze grows with the length of the line of sight inside the air. */
    const double distance = sqrt(dot(s.position, s.position)),
                 slope = fmax(fabs(dot(s.position, s.up)) / distance, 0.02);
    const double length = fmin(distance / l->planet->info.radius, l->air_height / slope);
    return colour_mix(colour, l->paints.haze,
                      (1 - exp(-length / (sight_length * l->air_height))) * fmin(fmax(dot(s.up, l->sun) + 0.3, 0), 1));
}

/* Distance of the nearest vertex, bounded away from 0. */
static double nearest_vertex(const struct planet_view *planet)
{
    double least = INFINITY;
    for (int64_t i = 0; i < planet->mesh.vertices; i++) {
        const float *p = planet->vertices + 3 * i;
        least = fmin(least, (double)p[0] * p[0] + (double)p[1] * p[1] + (double)p[2] * p[2]);
    }
    return fmax(sqrt(least), 1e-9 * planet->info.radius);
}

/* The eye of the camera, at the origin of the mesh. eye_look_along is left-handed, planets are right-handed: flip
 * `right`. */
static struct eye eye_of(const struct planet_view *planet, const bosc_planet_camera *camera)
{
    static const double here[3] = {0};
    struct eye eye = eye_look_along(here, camera->direction, camera->up);
    for (int c = 0; c < 3; c++) eye.right[c] = -eye.right[c];
    eye.scale = camera->height * SAMPLES * 0.5 / tan(camera->fov / 2);
    eye.nearest = 0.05 * nearest_vertex(planet);
    return eye;
}

void planet_view_light(const bosc_planet_camera *camera, double sun[3])
{
    double up[3], right[3];
    memcpy(up, camera->position, sizeof up);
    normalise(up);
    cross(camera->direction, camera->up, right);
    normalise(right);
    for (int c = 0; c < 3; c++) sun[c] = 0.36 * up[c] - 0.84 * right[c] + 0.1 * camera->up[c];
}

bool planet_view_draw(const struct planet_view *planet, const bosc_planet_camera *camera, const double sun[3],
                      struct canvas *canvas)
{
    struct visibility visibility = {0};
    struct planet_picture l = {
        .planet = planet, .visibility = &visibility, .paints = mix_paints(), .sun = {sun[0], sun[1], sun[2]}};
    const struct triangle_mesh mesh = {planet->mesh.vertices, planet->mesh.triangles, planet->vertices,
                                       planet->triangles};
    l.eye_height = sqrt(dot(planet->origin, planet->origin)) / planet->info.radius - 1;
    l.air_height = fmax(least_air, air_of_relief * planet->high / planet->info.radius);
    normalise(l.sun);
    const struct eye eye = eye_of(planet, camera);
    bool good = visibility_open(&visibility, camera->width * SAMPLES, camera->height * SAMPLES, &eye, &mesh) &&
                canvas_open(canvas, camera->width, camera->height, (struct colour){0, 0, 0});
    if (good) canvas_sample(canvas, SAMPLES, shade_sample, &l);
    visibility_close(&visibility);
    return good;
}
