/* A mesh becomes a picture: four samples a pixel, each a ray that meets a triangle or none. */
#include "render/relief.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/relief_light.h"

enum { SAMPLES = 2 }; /* a pixel's side, in samples */

/* ---- colours ---- */

static struct colour scaled(struct colour c, double r, double g, double b)
{
    return (struct colour){(float)(c.r * r), (float)(c.g * g), (float)(c.b * b)};
}

/* Made once a picture: a colour takes three powers. */
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

/* By height and steepness: meadows, woods, bare ground, snow; rock where it is steep; water at the level of the sea. */
static struct colour surface_of(const struct paints *p, const struct ground *g, const double at[3],
                                const double normal[3])
{
    double range = g->high > g->low ? g->high - g->low : 1, steep = (0.86 - normal[2]) / 0.2;
    if (at[2] <= 0 && g->low >= 0 && normal[2] > 0.9999) return p->sea;
    steep = steep < 0 ? 0 : steep > 1 ? 1 : steep;
    return colour_mix(colour_along(p->land, 8, (at[2] - g->low) / range), p->rock, steep * 0.75);
}

static struct colour lit(const struct ground *g, struct colour surface, const double at[3], const double normal[3])
{
    double facing = 0;
    for (int i = 0; i < 3; i++) facing += normal[i] * relief_sun[i];
    double sun = 1.75 * fmax(facing, 0) * ground_at(g, g->sun, at[0], at[1]);
    double sky = 0.32 * ground_at(g, g->sky, at[0], at[1]) * (0.6 + 0.4 * normal[2]);
    return scaled(surface, sun + 0.80 * sky, 0.94 * sun + 0.95 * sky, 0.80 * sun + 1.25 * sky);
}

/* ---- the block's sides ---- */

/* A mesh and, around a block, its sides: two triangles below each edge of the border. */
struct block {
    struct scene scene;
    float *positions;
    uint32_t *indices;
    int64_t surface; /* triangles of the mesh, which stand first */
};

/* Whether the edge after corner i of the mesh's triangles, all of them counted through, lies on the border. */
static bool on_border(const struct relief *r, int64_t i)
{
    const struct ground *g = r->ground;
    const uint32_t *v = r->mesh->indices;
    const float *p = r->mesh->positions + 3 * (int64_t)v[i];
    const float *q = r->mesh->positions + 3 * (int64_t)v[i % 3 == 2 ? i - 2 : i + 1];
    float east = (float)((double)(g->heights->width - 1) * g->heights->spacing);
    float south = (float)((double)(g->heights->height - 1) * g->heights->spacing_y);
    return (p[0] == 0 && q[0] == 0) || (p[1] == 0 && q[1] == 0) || (p[0] == east && q[0] == east) ||
           (p[1] == south && q[1] == south);
}

static void add_side(struct block *b, uint32_t p, uint32_t q, double bottom)
{
    uint32_t first = (uint32_t)b->scene.vertices;
    float *v = b->positions + 3 * b->scene.vertices;
    memcpy(v, b->positions + 3 * (int64_t)p, 3 * sizeof *v);
    memcpy(v + 3, b->positions + 3 * (int64_t)q, 3 * sizeof *v);
    v[2] = v[5] = (float)bottom;
    const uint32_t two[6] = {p, q, first + 1, p, first + 1, first};
    memcpy(b->indices + 3 * b->scene.triangles, two, sizeof two);
    b->scene.vertices += 2;
    b->scene.triangles += 2;
}

static bool block_open(struct block *b, const struct relief *r, bool sides)
{
    const bosc_mesh *m = r->mesh;
    int64_t border = 0, corners = m->triangles * 3;
    for (int64_t i = 0; i < corners && sides; i++) border += on_border(r, i);
    b->positions = malloc((size_t)(m->vertices + 2 * border) * 3 * sizeof *b->positions);
    b->indices = malloc((size_t)(m->triangles + 2 * border) * 3 * sizeof *b->indices);
    if (!b->positions || !b->indices) return false;
    memcpy(b->positions, m->positions, (size_t)m->vertices * 3 * sizeof *b->positions);
    memcpy(b->indices, m->indices, (size_t)corners * sizeof *b->indices);
    b->scene = (struct scene){m->vertices, m->triangles, b->positions, b->indices};
    b->surface = m->triangles;
    for (int64_t i = 0; i < corners && border; i++)
        if (on_border(r, i)) add_side(b, m->indices[i], m->indices[i % 3 == 2 ? i - 2 : i + 1], r->ground->bottom);
    return true;
}

static void block_close(struct block *b)
{
    free(b->positions);
    free(b->indices);
}

/* Layers of earth, darker with depth and on the side that the sun is farther from. */
static struct colour side_of(const struct paints *p, const struct ground *g, const double at[3])
{
    double unit = g->low - g->bottom, z = (at[2] - g->bottom) / unit, east = at[0] / unit, south = at[1] / unit;
    double layer = 0.5 + 0.5 * sin(18 * z + 3 * sin(0.4 * east) + 2 * sin(0.34 * south)), depth = fmin(0.4 * z, 1);
    double light = at[1] > ((double)g->heights->height - 1.001) * g->heights->spacing_y ? 1 : 0.6;
    return scaled(colour_mix(p->earth, p->layer, (0.35 + 0.3 * layer) * depth), light, light, light);
}

/* ---- samples ---- */

struct look {
    const struct relief *relief;
    struct block block;
    const struct sight *sight;
    struct paints paints;
    double far; /* the raster's diagonal */
};

static struct colour background(const struct look *l, double x, double y)
{
    if (l->relief->view != RELIEF_EYE) return colour_mix(l->paints.top, l->paints.bottom, y / l->sight->height);
    struct ray ray = sight_ray(l->sight, x, y);
    double length = sqrt(ray.way[0] * ray.way[0] + ray.way[1] * ray.way[1] + ray.way[2] * ray.way[2]);
    double up = ray.way[2] / length, facing = 0;
    for (int i = 0; i < 3; i++) facing += ray.way[i] / length * relief_sun[i];
    double t = up < 0 ? 0 : pow(up, 0.8);
    struct colour sky = colour_mix(l->paints.horizon, l->paints.zenith, fmin(1.3 * t, 1));
    return colour_mix(sky, l->paints.sun, facing > 0 ? 0.35 * pow(facing, 12) : 0);
}

/* Edges of triangles, fainter where these are small: they would be all that one sees. */
static double wire_of(const struct look *l, const struct touch *touch)
{
    double cover = 0.5 * SAMPLES + 0.5 - touch->edge, plain = (touch->size / SAMPLES - 2.5) / 7;
    if (cover <= 0 || plain <= 0) return 0;
    return l->relief->wires * fmin(cover, 1) * fmin(plain, 1);
}

static struct colour sample_at(const void *look, int x, int y)
{
    const struct look *l = look;
    const struct relief *r = l->relief;
    uint32_t triangle = l->sight->seen[(int64_t)y * l->sight->width + x];
    if (triangle == SCENE_NOTHING) return background(l, x + 0.5, y + 0.5);
    struct touch touch = sight_touch(l->sight, x, y, triangle);
    double at[3] = {0}, normal[3] = {0}, length = 0, distance = 0;
    bool surface = triangle < l->block.surface;
    const uint32_t *v = l->block.indices + 3 * (int64_t)triangle;
    for (int c = 0; c < 3; c++) {
        for (int i = 0; i < 3; i++) {
            at[c] += touch.weight[i] * l->block.positions[3 * (int64_t)v[i] + c];
            if (surface) normal[c] += touch.weight[i] * r->mesh->normals[3 * (int64_t)v[i] + c];
        }
        length += normal[c] * normal[c];
        distance += (at[c] - l->sight->eye.at[c]) * (at[c] - l->sight->eye.at[c]);
    }
    if (!surface) return side_of(&l->paints, r->ground, at);
    for (int c = 0; c < 3; c++) normal[c] = length > 0 ? normal[c] / sqrt(length) : c == 2;
    struct colour colour = lit(r->ground, surface_of(&l->paints, r->ground, at, normal), at, normal);
    colour = colour_mix(colour, l->paints.wire, wire_of(l, &touch));
    if (r->view == RELIEF_EYE) {
        double haze = 1 - exp(-sqrt(distance) / l->far * 1.1);
        colour = colour_mix(colour, l->paints.haze, haze * haze);
    }
    return colour;
}

/* ---- views ---- */

/* The eye of a view; *height becomes that of the picture. */
static struct eye eye_of(const struct relief *r, int width, int *height)
{
    const struct ground *g = r->ground;
    const bosc_heights *h = g->heights;
    double x = (double)(h->width - 1) * h->spacing, y = (double)(h->height - 1) * h->spacing_y;
    const double middle[3] = {x / 2, y / 2, (g->low + g->high) / 2};
    const double north[3] = {0, -1, 0}, up[3] = {0, 0, 1}, down[3] = {0, 0, -1}, ahead[3] = {-0.42, -0.80, -0.62};
    if (r->view == RELIEF_EYE) {
        struct eye eye = r->eye;
        eye.scale *= *height * SAMPLES;
        return eye;
    }
    struct eye eye = r->view == RELIEF_ABOVE ? eye_look(middle, down, north) : eye_look(middle, ahead, up);
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < 8; i++) {
        const double d[3] = {(i & 1 ? x : 0) - middle[0], (i & 2 ? y : 0) - middle[1],
                             (i & 4 ? g->high : g->bottom) - middle[2]};
        double right = 0, top = 0;
        for (int c = 0; c < 3; c++) {
            right += d[c] * eye.right[c];
            top += d[c] * eye.up[c];
        }
        low[0] = fmin(low[0], right), high[0] = fmax(high[0], right);
        low[1] = fmin(low[1], top), high[1] = fmax(high[1], top);
    }
    double margin = r->view == RELIEF_ABOVE ? 1 : 1.06, across = (high[0] - low[0]) * margin;
    double tall = (high[1] - low[1] + (margin - 1) * (high[0] - low[0])) * width / across;
    *height = tall < 16 ? 16 : tall > 4 * width ? 4 * width : (int)(tall + 0.5);
    eye.parallel = true;
    eye.scale = width * SAMPLES / across;
    for (int c = 0; c < 3; c++) eye.at[c] += (low[0] + high[0]) / 2 * eye.right[c] + (low[1] + high[1]) / 2 * eye.up[c];
    return eye;
}

bool relief_draw(const struct relief *relief, int width, int height, struct canvas *canvas)
{
    struct sight sight = {0};
    struct look l = {.relief = relief, .sight = &sight, .paints = mix_paints()};
    const struct ground *g = relief->ground;
    struct eye eye = eye_of(relief, width, &height);
    l.far = hypot((double)g->heights->width * g->heights->spacing, (double)g->heights->height * g->heights->spacing_y);
    bool good = block_open(&l.block, relief, relief->view == RELIEF_SIDE) &&
                sight_open(&sight, width * SAMPLES, height * SAMPLES, &eye, &l.block.scene);
    if (good) good = canvas_open(canvas, width, height, (struct colour){0, 0, 0});
    if (good) canvas_sample(canvas, SAMPLES, sample_at, &l);
    sight_close(&sight);
    block_close(&l.block);
    return good;
}
