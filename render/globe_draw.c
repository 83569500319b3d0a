/* A planet's mesh becomes a picture: land and sea lit by a sun, below air that is thin from afar. */
#include <math.h>

#include "render/globe.h"
#include "render/scene.h"
#include "render/vector.h"

enum { SAMPLES = 2, LAND = 8 }; /* a pixel's side, in samples; colours of land */

/* The air's height, and how far one sees through it, in radii. */
static const double air = 0.0015, clear = 0.02;

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

struct look {
    const struct globe *globe;
    const struct sight *sight;
    struct paints paints;
    double sun[3], above; /* the eye's height over the sphere, in radii */
};

/* Space, or the sky: as much air as the ray meets where it comes nearest to the ground. */
static struct colour background(const struct look *l, double x, double y)
{
    const double radius = l->globe->info.radius, *eye = l->globe->origin;
    struct ray ray = sight_ray(l->sight, x, y);
    normalise(ray.way);
    const double along = -dot(eye, ray.way);
    double nearest = l->above;
    if (along > 0) nearest = sqrt(fmax(dot(eye, eye) - along * along, 0)) / radius - 1;
    const double glow = exp(-fmax(nearest, 0) / (4 * air)), inside = exp(-l->above / (4 * air));
    const double up = fmax(-along / sqrt(dot(eye, eye)), 0);
    const struct colour sky = colour_mix(l->paints.horizon, l->paints.zenith, fmin(1.3 * pow(up, 0.8), 1));
    const struct colour rim = colour_mix(l->paints.zenith, sky, inside);
    return colour_mix(l->paints.space, rim, glow * (0.35 + 0.65 * inside));
}

/* By height and steepness; water below the level of the sea. */
static struct colour surface_of(const struct look *l, double level, double steep)
{
    const struct paints *p = &l->paints;
    const double high = fmax(l->globe->high, 1e-30), low = fmin(l->globe->low, -1e-30);
    if (level <= 0 && l->globe->low < 0) return colour_mix(p->shallow, p->deep, fmin(3 * level / low, 1));
    const struct colour land = colour_along(p->land, LAND, fmin(fmax(level / high, 0), 1));
    return colour_mix(land, p->rock, 0.75 * fmin(fmax(steep, 0), 1));
}

/* A place of the mesh: where it is from the eye, its height, its normal and the direction upwards. */
struct spot {
    double at[3], level, normal[3], up[3];
};

static struct spot spot_of(const struct globe *g, uint32_t triangle, const struct touch *touch)
{
    struct spot s = {.level = 0};
    for (int i = 0; i < 3; i++) {
        const int64_t v = g->triangles[3 * (int64_t)triangle + i];
        const double weight = touch->weight[i];
        s.level += weight * (double)g->levels[v];
        for (int c = 0; c < 3; c++) {
            s.at[c] += weight * (double)g->vertices[3 * v + c];
            s.normal[c] += weight * (double)g->normals[3 * v + c];
        }
    }
    for (int c = 0; c < 3; c++) s.up[c] = g->origin[c] + s.at[c];
    normalise(s.up);
    normalise(s.normal);
    return s;
}

static struct colour sample_at(const void *look, int x, int y)
{
    const struct look *l = look;
    const uint32_t triangle = l->sight->seen[(int64_t)y * l->sight->width + x];
    if (triangle == SCENE_NOTHING) return background(l, x + 0.5, y + 0.5);
    const struct touch touch = sight_touch(l->sight, x, y, triangle);
    const struct spot s = spot_of(l->globe, triangle, &touch);
    const bool water = s.level <= 0 && l->globe->low < 0;
    const double *normal = water ? s.up : s.normal, lit = dot(normal, l->sun);
    const double sun = 1.7 * fmax(lit, 0), sky = 0.3 * fmin(fmax(dot(s.up, l->sun) + 0.3, 0.1), 1);
    struct colour colour = surface_of(l, s.level, (0.9 - dot(s.normal, s.up)) / 0.2);
    colour = (struct colour){(float)(colour.r * (sun + 0.80 * sky)), (float)(colour.g * (0.95 * sun + 0.95 * sky)),
                             (float)(colour.b * (0.85 * sun + 1.25 * sky))};
    const double distance = sqrt(dot(s.at, s.at)), slope = fmax(fabs(dot(s.at, s.up)) / distance, 0.02);
    const double way = fmin(distance / l->globe->info.radius, air / slope);
    return colour_mix(colour, l->paints.haze, (1 - exp(-way / clear)) * fmin(fmax(dot(s.up, l->sun) + 0.3, 0), 1));
}

/* How far the nearest vertex is. */
static double nearest_of(const struct globe *globe)
{
    double least = INFINITY;
    for (int64_t i = 0; i < globe->mesh.vertices; i++) {
        const float *p = globe->vertices + 3 * i;
        least = fmin(least, (double)p[0] * p[0] + (double)p[1] * p[1] + (double)p[2] * p[2]);
    }
    return fmax(sqrt(least), 1e-9 * globe->info.radius);
}

/* The camera's eye, at the mesh's origin. Axes of planets are right-handed, those of eye_look are not. */
static struct eye eye_of(const struct globe *globe, const bosc_planet_camera *camera)
{
    static const double here[3] = {0};
    struct eye eye = eye_look(here, camera->direction, camera->up);
    for (int c = 0; c < 3; c++) eye.right[c] = -eye.right[c];
    eye.scale = camera->height * SAMPLES * 0.5 / tan(camera->fov / 2);
    eye.nearest = 0.05 * nearest_of(globe);
    return eye;
}

bool globe_draw(const struct globe *globe, const bosc_planet_camera *camera, const double sun[3], struct canvas *canvas)
{
    struct sight sight = {0};
    struct look l = {.globe = globe, .sight = &sight, .paints = mix_paints(), .sun = {sun[0], sun[1], sun[2]}};
    const struct scene scene = {globe->mesh.vertices, globe->mesh.triangles, globe->vertices, globe->triangles};
    l.above = sqrt(dot(globe->origin, globe->origin)) / globe->info.radius - 1;
    normalise(l.sun);
    const struct eye eye = eye_of(globe, camera);
    bool good = sight_open(&sight, camera->width * SAMPLES, camera->height * SAMPLES, &eye, &scene) &&
                canvas_open(canvas, camera->width, camera->height, (struct colour){0, 0, 0});
    if (good) canvas_sample(canvas, SAMPLES, sample_at, &l);
    sight_close(&sight);
    return good;
}
