/* Draws a mesh of terrain: four samples a pixel, each shaded by the triangle that its ray hits. Light comes from the
 * raster of heights: sun with shadows, and the visible part of the sky. All tones and weights are chosen by eye. */
#include "render/terrain_shade.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/vector.h"

/* ---- light of the raster ---- */

/* Unit vector towards the sun: x east, y south, z up. */
static const double sun_direction[3] = {-0.48, -0.64, 0.6};

/* Computes the share of sun light per sample. Rays come from the north-west, as on printed maps. The height of the
 * shadow above a row is that of the row before, shifted and lowered; samples below it are dark, with a soft edge. */
static void cast_shadows(struct raster_light *g, float *shadow)
{
    const bosc_heights *h = g->heights;
    double aside = sun_direction[0] / -sun_direction[1] * h->spacing_y / h->spacing;
    double drop = h->spacing_y * sun_direction[2] / -sun_direction[1];
    double soft = 1.2 * drop;
    int64_t w = h->width;
    for (int64_t y = 0; y < h->height; y++) {
        const float *z = h->data + y * w;
        float *current = shadow + y % 2 * w, *previous = shadow + (y + 1) % 2 * w;
        for (int64_t x = 0; x < w; x++) {
            double from = (double)x + aside, fraction = from - floor(from), edge = z[x];
            int64_t i = (int64_t)floor(from);
            if (y > 0 && i >= 0 && i + 1 < w) edge = previous[i] + fraction * (previous[i + 1] - previous[i]) - drop;
            current[x] = (float)fmax(edge, z[x]);
            double under = (current[x] - z[x]) / soft;
            g->sun[y * w + x] = (float)(under > 1 ? 0 : 1 - under);
        }
    }
}

/* Box filter of 2 r + 1 samples along a line, in place. line: scratch, (count). */
static void blur_line(float *z, int64_t count, int64_t step, int64_t r, double *line)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        sum += z[i * step];
        line[i] = sum;
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t first = i > r ? i - r : 0, last = i + r < count ? i + r : count - 1;
        z[i * step] = (float)((line[last] - (first ? line[first - 1] : 0)) / (double)(last - first + 1));
    }
}

/* Scales the sky light by the height above the mean of a neighbourhood: valleys are darker than crests. */
static void scale_sky(struct raster_light *g, float *mean, double *line, int64_t r)
{
    const bosc_heights *h = g->heights;
    int64_t w = h->width, n = h->height;
    for (int64_t i = 0; i < w * n; i++) mean[i] = h->data[i];
    for (int64_t y = 0; y < n; y++) blur_line(mean + y * w, w, 1, r, line);
    for (int64_t x = 0; x < w; x++) blur_line(mean + x, n, w, r, line);
    for (int64_t i = 0; i < w * n; i++) {
        double above = (h->data[i] - mean[i]) / ((double)r * h->spacing);
        g->sky[i] *= (float)(above < -0.25 ? 0.55 : above > 0.1 ? 1.18 : 1 + 1.8 * above);
    }
}

/* Computes the light of a raster with both spacings set; *light keeps the pointer to it. Returns false if memory runs
 * out, with nothing left to free. */
bool raster_light_open(struct raster_light *light, const bosc_heights *heights)
{
    int64_t samples = heights->width * heights->height;
    int64_t longest = heights->width > heights->height ? heights->width : heights->height;
    *light = (struct raster_light){.heights = heights, .low = heights->data[0], .high = heights->data[0]};
    light->sun = malloc((size_t)samples * sizeof *light->sun);
    light->sky = malloc((size_t)samples * sizeof *light->sky);
    float *means = malloc((size_t)(samples + 2 * longest) * sizeof *means);
    double *line = malloc((size_t)longest * sizeof *line);
    bool good = light->sun && light->sky && means && line;
    /* 1. The range of heights, and the bottom of the block. */
    for (int64_t i = 0; i < samples && good; i++) {
        light->low = fmin(light->low, heights->data[i]);
        light->high = fmax(light->high, heights->data[i]);
        light->sky[i] = 1;
    }
    light->bottom =
        light->low - 0.02 * ((double)heights->width * heights->spacing + (double)heights->height * heights->spacing_y);
    /* 2. Shadows, then the sky at a fine and a coarse scale. */
    if (good) {
        cast_shadows(light, means);
        scale_sky(light, means, line, longest / 128 + 1);
        scale_sky(light, means, line, longest / 24 + 2);
    }
    free(means);
    free(line);
    if (!good) raster_light_close(light);
    return good;
}

void raster_light_close(struct raster_light *light)
{
    free(light->sun);
    free(light->sky);
    light->sun = light->sky = NULL;
}

/* Interpolates values of the raster's samples bilinearly at (x, y). */
static double interpolate_samples(const struct raster_light *light, const float *values, double x, double y)
{
    const bosc_heights *h = light->heights;
    double u = fmin(fmax(x / h->spacing, 0), (double)(h->width - 1));
    double v = fmin(fmax(y / h->spacing_y, 0), (double)(h->height - 1));
    int64_t i = (int64_t)u, j = (int64_t)v, i1 = i + 1 < h->width ? i + 1 : i, j1 = j + 1 < h->height ? j + 1 : j;
    const float *top = values + j * h->width, *bottom = values + j1 * h->width;
    double a = top[i] + (u - (double)i) * (top[i1] - top[i]);
    double b = bottom[i] + (u - (double)i) * (bottom[i1] - bottom[i]);
    return a + (v - (double)j) * (b - a);
}

enum { SAMPLES = 2 }; /* samples along the side of a pixel */

/* ---- colours ---- */

/* Computed once a picture: converting a colour takes three powers. */
struct paints {
    struct colour land[8], rock, sea, wire, haze, horizon, zenith, sun, top, bottom, earth, layer;
};

static struct paints mix_paints(void)
{
    static const uint32_t land[] = {0x6a8550, 0x7c9158, 0x97a067, 0xaea276, 0xa2896a, 0x917a66, 0x9b928b, 0xf2f3f5};
    struct paints p = {.rock = colour_of(0x84776c),
                       .sea = colour_of(0x2f6690),
                       .wire = colour_of(0x10121f),
                       .haze = colour_of(0xc9d9e6),
                       .horizon = colour_of(0xd5e3ee),
                       .zenith = colour_of(0x3f78b5),
                       .sun = colour_of(0xfff3d6),
                       .top = colour_of(0x2a3047),
                       .bottom = colour_of(0x0f1020),
                       .earth = colour_of(0x3a2f2a),
                       .layer = colour_of(0x7a6048)};
    for (int i = 0; i < 8; i++) p.land[i] = colour_of(land[i]);
    return p;
}

/* Colour of the surface by height and steepness: meadow, wood, bare ground, snow; rock if steep; water at sea level. */
static struct colour surface_colour(const struct paints *p, const struct raster_light *g, const double at[3],
                                    const double normal[3])
{
    double range = g->high > g->low ? g->high - g->low : 1, steep = (0.86 - normal[2]) / 0.2;
    if (at[2] <= 0 && g->low >= 0 && normal[2] > 0.9999) return p->sea;
    steep = steep < 0 ? 0 : steep > 1 ? 1 : steep;
    return colour_mix(colour_along(p->land, 8, (at[2] - g->low) / range), p->rock, steep * 0.75);
}

/* Lights a colour by the sun and the sky. */
static struct colour apply_light(const struct raster_light *g, struct colour surface, const double at[3],
                                 const double normal[3])
{
    double sun = 1.75 * fmax(dot(normal, sun_direction), 0) * interpolate_samples(g, g->sun, at[0], at[1]);
    double sky = 0.32 * interpolate_samples(g, g->sky, at[0], at[1]) * (0.6 + 0.4 * normal[2]);
    return colour_scale(surface, sun + 0.80 * sky, 0.94 * sun + 0.95 * sky, 0.80 * sun + 1.25 * sky);
}

/* ---- the block's sides ---- */

/* The mesh and, for VIEW_BLOCK, the sides of the block: two triangles below each border edge. */
struct block {
    struct triangle_mesh mesh;
    float *positions;
    uint32_t *indices;
    int64_t surface; /* number of triangles of the mesh; they precede those of the sides */
};

/* True if the edge from corner i (of 3 x triangles corners) to the next corner of its triangle lies on the border. */
static bool is_border_edge(const struct terrain_picture *r, int64_t i)
{
    const struct raster_light *g = r->light;
    const uint32_t *v = r->mesh->indices;
    const float *p = r->mesh->positions + 3 * (int64_t)v[i];
    const float *q = r->mesh->positions + 3 * (int64_t)v[i % 3 == 2 ? i - 2 : i + 1];
    float east = (float)((double)(g->heights->width - 1) * g->heights->spacing);
    float south = (float)((double)(g->heights->height - 1) * g->heights->spacing_y);
    return (p[0] == 0 && q[0] == 0) || (p[1] == 0 && q[1] == 0) || (p[0] == east && q[0] == east) ||
           (p[1] == south && q[1] == south);
}

/* Appends the side below the edge (p, q). */
static void add_side(struct block *b, uint32_t p, uint32_t q, double bottom)
{
    uint32_t first = (uint32_t)b->mesh.vertices;
    float *v = b->positions + 3 * b->mesh.vertices;
    memcpy(v, b->positions + 3 * (int64_t)p, 3 * sizeof *v);
    memcpy(v + 3, b->positions + 3 * (int64_t)q, 3 * sizeof *v);
    v[2] = v[5] = (float)bottom;
    const uint32_t two[6] = {p, q, first + 1, p, first + 1, first};
    memcpy(b->indices + 3 * b->mesh.triangles, two, sizeof two);
    b->mesh.vertices += 2;
    b->mesh.triangles += 2;
}

static bool block_open(struct block *b, const struct terrain_picture *r, bool sides)
{
    const bosc_mesh *m = r->mesh;
    int64_t border = 0, corners = m->triangles * 3;
    for (int64_t i = 0; i < corners && sides; i++) border += is_border_edge(r, i);
    b->positions = malloc((size_t)(m->vertices + 2 * border) * 3 * sizeof *b->positions);
    b->indices = malloc((size_t)(m->triangles + 2 * border) * 3 * sizeof *b->indices);
    if (!b->positions || !b->indices) return false;
    memcpy(b->positions, m->positions, (size_t)m->vertices * 3 * sizeof *b->positions);
    memcpy(b->indices, m->indices, (size_t)corners * sizeof *b->indices);
    b->mesh = (struct triangle_mesh){m->vertices, m->triangles, b->positions, b->indices};
    b->surface = m->triangles;
    for (int64_t i = 0; i < corners && border; i++)
        if (is_border_edge(r, i)) add_side(b, m->indices[i], m->indices[i % 3 == 2 ? i - 2 : i + 1], r->light->bottom);
    return true;
}

static void block_close(struct block *b)
{
    free(b->positions);
    free(b->indices);
}

/* Colour of a side: layers of earth, darker with depth and on the sides other than the southern one. */
static struct colour side_colour(const struct paints *p, const struct raster_light *g, const double at[3])
{
    double unit = g->low - g->bottom, z = (at[2] - g->bottom) / unit, east = at[0] / unit, south = at[1] / unit;
    double layer = 0.5 + 0.5 * sin(18 * z + 3 * sin(0.4 * east) + 2 * sin(0.34 * south)), depth = fmin(0.4 * z, 1);
    double light = at[1] > ((double)g->heights->height - 1.001) * g->heights->spacing_y ? 1 : 0.6;
    return colour_scale(colour_mix(p->earth, p->layer, (0.35 + 0.3 * layer) * depth), light, light, light);
}

/* ---- samples ---- */

/* All that shading a sample needs. */
struct shading {
    const struct terrain_picture *picture;
    struct block block;
    const struct visibility *visibility;
    struct paints paints;
    double diagonal; /* of the raster */
};

/* Colour of a ray that misses the mesh: a gradient, or the sky with the sun's glow for VIEW_FROM_CAMERA. */
static struct colour background(const struct shading *l, double x, double y)
{
    if (l->picture->view != VIEW_FROM_CAMERA)
        return colour_mix(l->paints.top, l->paints.bottom, y / l->visibility->height);
    struct ray ray = pixel_ray(l->visibility, x, y);
    double length = sqrt(dot(ray.direction, ray.direction));
    double up = ray.direction[2] / length, facing = 0;
    for (int i = 0; i < 3; i++) facing += ray.direction[i] / length * sun_direction[i];
    double t = up < 0 ? 0 : pow(up, 0.8);
    struct colour sky = colour_mix(l->paints.horizon, l->paints.zenith, fmin(1.3 * t, 1));
    return colour_mix(sky, l->paints.sun, facing > 0 ? 0.35 * pow(facing, 12) : 0);
}

/* Opacity of the triangle's edges at the hit; small triangles have none, since edges would cover them. */
static double wire_opacity(const struct shading *l, const struct surface_hit *hit)
{
    double cover = 0.5 * SAMPLES + 0.5 - hit->edge, plain = (hit->size / SAMPLES - 2.5) / 7;
    if (cover <= 0 || plain <= 0) return 0;
    return l->picture->wires * fmin(cover, 1) * fmin(plain, 1);
}

/* Returns the colour of a sample. The canvas averages the samples of a pixel, and calls this from several threads. x, y
 * and the lengths of the hit are in samples. */
static struct colour shade_sample(const void *shading, int x, int y)
{
    const struct shading *l = shading;
    const struct terrain_picture *r = l->picture;
    uint32_t triangle = l->visibility->triangle_ids[(int64_t)y * l->visibility->width + x];
    if (triangle == NO_TRIANGLE) return background(l, x + 0.5, y + 0.5);
    /* 1. Interpolate position and normal of the hit. */
    struct surface_hit hit = pixel_hit(l->visibility, x, y, triangle);
    double at[3] = {0}, normal[3] = {0}, length = 0, distance = 0;
    bool surface = triangle < l->block.surface;
    const uint32_t *v = l->block.indices + 3 * (int64_t)triangle;
    for (int c = 0; c < 3; c++) {
        for (int i = 0; i < 3; i++) {
            at[c] += hit.weight[i] * l->block.positions[3 * (int64_t)v[i] + c];
            if (surface) normal[c] += hit.weight[i] * r->mesh->normals[3 * (int64_t)v[i] + c];
        }
        length += normal[c] * normal[c];
        distance += (at[c] - l->visibility->eye.at[c]) * (at[c] - l->visibility->eye.at[c]);
    }
    if (!surface) return side_colour(&l->paints, r->light, at);
    for (int c = 0; c < 3; c++) normal[c] = length > 0 ? normal[c] / sqrt(length) : c == 2;
    /* 2. Surface colour, light, edges, haze. */
    struct colour colour = apply_light(r->light, surface_colour(&l->paints, r->light, at, normal), at, normal);
    colour = colour_mix(colour, l->paints.wire, wire_opacity(l, &hit));
    if (r->view == VIEW_FROM_CAMERA) {
        double haze = 1 - exp(-sqrt(distance) / l->diagonal * 1.1);
        colour = colour_mix(colour, l->paints.haze, haze * haze);
    }
    return colour;
}

/* ---- views ---- */

/* Returns the eye of a view, its scale in samples. With a camera *height is an input; for other views it becomes the
 * height of the picture, 16 to 4 * width. The raster has at least two columns. */
static struct eye eye_of(const struct terrain_picture *r, int width, int *height)
{
    const struct raster_light *g = r->light;
    const bosc_heights *h = g->heights;
    double x = (double)(h->width - 1) * h->spacing, y = (double)(h->height - 1) * h->spacing_y;
    const double middle[3] = {x / 2, y / 2, (g->low + g->high) / 2};
    const double north[3] = {0, -1, 0}, up[3] = {0, 0, 1}, down[3] = {0, 0, -1}, ahead[3] = {-0.42, -0.80, -0.62};
    if (r->view == VIEW_FROM_CAMERA) {
        struct eye eye = r->eye;
        eye.scale *= *height * SAMPLES;
        return eye;
    }
    /* 1. Extent of the bounding box as the eye sees it. */
    struct eye eye =
        r->view == VIEW_FROM_ABOVE ? eye_look_along(middle, down, north) : eye_look_along(middle, ahead, up);
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < 8; i++) {
        const double d[3] = {(i & 1 ? x : 0) - middle[0], (i & 2 ? y : 0) - middle[1],
                             (i & 4 ? g->high : g->bottom) - middle[2]};
        const double right = dot(d, eye.right), top = dot(d, eye.up);
        low[0] = fmin(low[0], right), high[0] = fmax(high[0], right);
        low[1] = fmin(low[1], top), high[1] = fmax(high[1], top);
    }
    /* 2. Height and scale, so that the box with a margin fills the picture. */
    double margin = r->view == VIEW_FROM_ABOVE ? 1 : 1.06, across = (high[0] - low[0]) * margin;
    double tall = (high[1] - low[1] + (margin - 1) * (high[0] - low[0])) * width / across;
    *height = tall < 16 ? 16 : tall > 4 * width ? 4 * width : (int)(tall + 0.5);
    eye.parallel = true;
    eye.scale = width * SAMPLES / across;
    for (int c = 0; c < 3; c++) eye.at[c] += (low[0] + high[0]) / 2 * eye.right[c] + (low[1] + high[1]) / 2 * eye.up[c];
    return eye;
}

bool terrain_picture_draw(const struct terrain_picture *picture, int width, int height, struct canvas *canvas)
{
    struct visibility visibility = {0};
    struct shading l = {.picture = picture, .visibility = &visibility, .paints = mix_paints()};
    const struct raster_light *g = picture->light;
    struct eye eye = eye_of(picture, width, &height);
    l.diagonal =
        hypot((double)g->heights->width * g->heights->spacing, (double)g->heights->height * g->heights->spacing_y);
    bool good = block_open(&l.block, picture, picture->view == VIEW_BLOCK) &&
                visibility_open(&visibility, width * SAMPLES, height * SAMPLES, &eye, &l.block.mesh);
    if (good) good = canvas_open(canvas, width, height, (struct colour){0, 0, 0});
    if (good) canvas_sample(canvas, SAMPLES, shade_sample, &l);
    visibility_close(&visibility);
    block_close(&l.block);
    return good;
}
