/* Draws robot and obstacle by two depth buffers; the nearer surface is shown. Shadows come from shadow maps: a point
 * deeper than the light's nearest surface is in shadow. Source: Williams, Casting Curved Shadows on Curved Surfaces
 * (1978). */
#include "render/pose.h"

#include <stdlib.h>
#include <string.h>

#include "render/memory.h"
#include "render/vector.h"

enum { SAMPLES = 2, MAP_SIDE = 1024 }; /* samples along the side of a pixel; texels along the side of a shadow map */

/* The robot at a rotation, with what the eye and the light see of it. */
struct posed_robot {
    float *positions, *normals;
    struct visibility eye, light;
};

/* ---- eyes ---- */

/* Returns an eye at a distance from `middle` in direction `side`, with z upwards and right-handed axes. */
static struct eye eye_from(const double middle[3], const double side[3], double distance)
{
    const double top[3] = {0, 0, 1};
    struct eye eye = {.nearest = distance / 1000};
    for (int i = 0; i < 3; i++) {
        eye.forward[i] = -side[i];
        eye.at[i] = middle[i] + distance * side[i];
    }
    cross(eye.forward, top, eye.right);
    normalise(eye.right);
    cross(eye.right, eye.forward, eye.up);
    return eye;
}

/* The visible ball: it holds the robot at every rotation, and the obstacle. An obstacle that is much larger, such as a
 * room, is cut off near the robot. */
struct view_ball {
    double middle[3], radius;
};

static struct view_ball fit_view(const struct shape *robot, const struct shape *obstacle)
{
    struct view_ball view = {.radius = robot->reach};
    double apart = sqrt(dot(obstacle->middle, obstacle->middle)), r = obstacle->radius;
    if (r > 4 * robot->reach || apart + robot->reach <= r || apart > 6 * robot->reach) {
        view.radius = fmax(view.radius, fmin(apart + r, 2.2 * robot->reach));
        return view;
    }
    if (apart + r <= robot->reach || apart == 0) {
        view.radius = fmax(robot->reach, r);
        return view;
    }
    view.radius = (apart + r + robot->reach) / 2;
    for (int i = 0; i < 3; i++) view.middle[i] = obstacle->middle[i] / apart * (view.radius - robot->reach);
    return view;
}

static const double eye_side[3] = {0.48, -0.78, 0.40}, light_side[3] = {-0.30, -0.52, 0.80};

bool stage_open(struct stage *stage, const struct shape *robot, const struct shape *obstacle, int width, int height)
{
    struct view_ball view = fit_view(robot, obstacle);
    /* 1. An eye with perspective, and a light with parallel rays, both aimed at the visible ball. */
    double towards_eye[3], towards_light[3];
    memcpy(towards_eye, eye_side, sizeof towards_eye);
    memcpy(towards_light, light_side, sizeof towards_light);
    normalise(towards_eye);
    normalise(towards_light);
    double radius = view.radius > 0 ? view.radius : 1, distance = 4.2 * radius;
    struct eye eye = eye_from(view.middle, towards_eye, distance);
    eye.scale = 0.47 * SAMPLES * (width < height ? width : height) * sqrt(distance * distance / (radius * radius) - 1);
    struct eye light = eye_from(view.middle, towards_light, distance);
    light.parallel = true;
    light.scale = 0.5 * MAP_SIDE / (1.6 * radius);
    *stage =
        (struct stage){.robot = robot, .obstacle = obstacle, .width = width, .height = height, .bias = 0.012 * radius};
    /* 2. Rasterise the obstacle for both: the result serves every rotation. */
    const bosc_mesh *m = &obstacle->mesh;
    const struct triangle_mesh mesh = {m->vertices, m->triangles, m->positions, m->indices};
    bool good = visibility_open(&stage->eye, width * SAMPLES, height * SAMPLES, &eye, &mesh) &&
                visibility_open(&stage->light, MAP_SIDE, MAP_SIDE, &light, &mesh);
    if (!good) stage_close(stage);
    return good;
}

void stage_close(struct stage *stage)
{
    visibility_close(&stage->eye);
    visibility_close(&stage->light);
}

static bool posed_robot_open(struct posed_robot *posed, const struct stage *stage, const double rotation[4])
{
    const bosc_mesh *m = &stage->robot->mesh;
    *posed = (struct posed_robot){.positions = memory_allocate((size_t)m->vertices, 3 * sizeof(float)),
                                  .normals = memory_allocate((size_t)m->vertices, 3 * sizeof(float))};
    if (!posed->positions || !posed->normals) return false;
    for (int64_t i = 0; i < m->vertices; i++) {
        quaternion_rotate(rotation, m->positions + 3 * i, posed->positions + 3 * i);
        quaternion_rotate(rotation, m->normals + 3 * i, posed->normals + 3 * i);
    }
    const struct triangle_mesh mesh = {m->vertices, m->triangles, posed->positions, m->indices};
    return visibility_open(&posed->eye, stage->eye.width, stage->eye.height, &stage->eye.eye, &mesh) &&
           visibility_open(&posed->light, MAP_SIDE, MAP_SIDE, &stage->light.eye, &mesh);
}

static void posed_robot_close(struct posed_robot *posed)
{
    visibility_close(&posed->eye);
    visibility_close(&posed->light);
    free(posed->positions);
    free(posed->normals);
}

/* ---- surfaces ---- */

/* The surface that a pixel shows, if any. */
struct pixel_surface {
    bool exists;
    double at[3], normal[3], depth;
};

static struct pixel_surface surface_at(const struct visibility *s, const float *normals, int x, int y)
{
    struct pixel_surface hit = {.exists = false};
    uint32_t t = s->triangle_ids[(int64_t)y * s->width + x];
    if (t == NO_TRIANGLE) return hit;
    struct surface_hit corners = pixel_hit(s, x, y, t);
    hit.exists = true;
    for (int k = 0; k < 3; k++) {
        int64_t v = s->mesh.indices[3 * (int64_t)t + k];
        for (int c = 0; c < 3; c++) {
            hit.at[c] += corners.weight[k] * (double)s->mesh.positions[3 * v + c];
            if (normals) hit.normal[c] += corners.weight[k] * (double)normals[3 * v + c];
        }
    }
    for (int c = 0; c < 3; c++) hit.depth += (hit.at[c] - s->eye.at[c]) * s->eye.forward[c];
    return hit;
}

/* Share of light at a point: the bilinear mean of the shadow tests of the four nearest texels. */
static double light_fraction(const struct visibility *light, const double at[3], double bias)
{
    double d[3], lit = 0;
    for (int c = 0; c < 3; c++) d[c] = at[c] - light->eye.at[c];
    double x = light->width * 0.5 + dot(d, light->eye.right) * light->eye.scale;
    double y = light->height * 0.5 - dot(d, light->eye.up) * light->eye.scale, depth = dot(d, light->eye.forward);
    for (int k = 0; k < 4; k++) {
        int i = (int)floor(x - 0.5) + k % 2, j = (int)floor(y - 0.5) + k / 2;
        double fx = x - 0.5 - floor(x - 0.5), fy = y - 0.5 - floor(y - 0.5);
        double weight = (k % 2 ? fx : 1 - fx) * (k / 2 ? fy : 1 - fy);
        bool inside = i >= 0 && j >= 0 && i < light->width && j < light->height;
        struct pixel_surface hit = inside ? surface_at(light, NULL, i, j) : (struct pixel_surface){.exists = false};
        if (!hit.exists || hit.depth > depth - bias) lit += weight;
    }
    return lit;
}

/* Shades a surface: key light with shadow, sky, a little light from the eye, and gloss (Blinn-Phong). Weights chosen
 * by eye. */
static struct colour shade(const struct stage *stage, const struct posed_robot *posed, const struct pixel_surface *hit,
                           struct colour paint)
{
    /* 1. The normal, turned towards the eye. */
    double n[3], to_eye[3];
    for (int c = 0; c < 3; c++) {
        n[c] = hit->normal[c];
        to_eye[c] = stage->eye.eye.at[c] - hit->at[c];
    }
    normalise(to_eye);
    double length = sqrt(dot(n, n)), side = dot(n, to_eye) < 0 ? -1 : 1;
    for (int c = 0; c < 3; c++) n[c] = length > 0 ? side * n[c] / length : to_eye[c];
    /* 2. Angles to the light and the half vector, and the shadow. */
    const double *forward = stage->light.eye.forward;
    double facing = fmax(-dot(n, forward), 0), half[3], gloss;
    for (int c = 0; c < 3; c++) half[c] = to_eye[c] - forward[c];
    normalise(half);
    gloss = pow(fmax(dot(n, half), 0), 40);
    double lit = facing > 0 ? light_fraction(&stage->light, hit->at, stage->bias) *
                                  light_fraction(&posed->light, hit->at, stage->bias)
                            : 0;
    double key = 1.15 * facing * lit, sky = 0.30 + 0.20 * n[2], front = 0.16 * fmax(dot(n, to_eye), 0);
    struct colour c =
        colour_scale(paint, key + 0.95 * sky + front, 0.97 * key + sky + front, 0.90 * key + 1.1 * sky + front);
    float shine = (float)(0.22 * gloss * lit);
    return (struct colour){c.r + shine, c.g + shine, c.b + shine};
}

/* ---- pictures ---- */

struct paints {
    struct colour robot, obstacle, high, low;
};

/* Shades a sample: the nearer surface; a robot behind an obstacle shines through. */
static struct colour shade_sample(const struct stage *stage, const struct posed_robot *posed, const struct paints *p,
                                  int x, int y)
{
    struct pixel_surface obstacle = surface_at(&stage->eye, stage->obstacle->mesh.normals, x, y);
    struct pixel_surface robot = surface_at(&posed->eye, posed->normals, x, y);
    struct colour behind = colour_mix(p->high, p->low, (double)y / stage->eye.height);
    if (!robot.exists && !obstacle.exists) return behind;
    struct colour front = obstacle.exists ? shade(stage, posed, &obstacle, p->obstacle) : behind;
    if (!robot.exists) return front;
    struct colour own = shade(stage, posed, &robot, p->robot);
    return obstacle.exists && obstacle.depth < robot.depth ? colour_mix(front, own, 0.5) : own;
}

static void draw_row(const struct stage *stage, const struct posed_robot *posed, const struct paints *p,
                     struct colour *pixels, int row)
{
    for (int i = 0; i < stage->width; i++) {
        struct colour sum = {0, 0, 0};
        for (int k = 0; k < SAMPLES * SAMPLES; k++) {
            struct colour c = shade_sample(stage, posed, p, i * SAMPLES + k % SAMPLES, row * SAMPLES + k / SAMPLES);
            sum = (struct colour){sum.r + fminf(c.r, 1), sum.g + fminf(c.g, 1), sum.b + fminf(c.b, 1)};
        }
        pixels[i] = colour_scale(sum, 1.0 / (SAMPLES * SAMPLES), 1.0 / (SAMPLES * SAMPLES), 1.0 / (SAMPLES * SAMPLES));
    }
}

bool stage_draw(const struct stage *stage, const double rotation[4], struct canvas *canvas, int x, int y)
{
    const struct paints paints = {colour_of(0xf08a24), colour_of(0xa9b4c0), colour_of(0xfdfdfc), colour_of(0xd9dee4)};
    struct posed_robot posed;
    bool good = posed_robot_open(&posed, stage, rotation);
    if (good) {
#pragma omp parallel for schedule(dynamic, 8)
        for (int row = 0; row < stage->height; row++)
            draw_row(stage, &posed, &paints, canvas->pixels + (int64_t)(y + row) * canvas->width + x, row);
    }
    posed_robot_close(&posed);
    return good;
}
