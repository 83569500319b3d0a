/* Two scenes are looked at apart, and the nearer one is shown. Shadows are by maps: a point that lies deeper than what
 * the light sees there is in shadow. Source: Williams, Casting Curved Shadows on Curved Surfaces (1978). */
#include "render/pose.h"

#include <stdlib.h>
#include <string.h>

#include "render/memory.h"
#include "render/vector.h"

enum { SAMPLES = 2, MAP_SIDE = 1024 };

/* The robot at a rotation, as the eye and the light see it. */
struct actor {
    float *positions, *normals;
    struct sight eye, light;
};

/* ---- eyes ---- */

/* At a distance from the middle, with z upwards and axes right-handed. */
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

/* What is seen: the ball around the robot at all its rotations, and the obstacle; but of an obstacle that is much
 * larger, as a room is, only what is near. */
struct view {
    double middle[3], radius;
};

static struct view view_of(const struct shape *robot, const struct shape *obstacle)
{
    struct view view = {.radius = robot->reach};
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
    struct view view = view_of(robot, obstacle);
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
    const bosc_mesh *m = &obstacle->mesh;
    const struct scene scene = {m->vertices, m->triangles, m->positions, m->indices};
    bool good = sight_open(&stage->eye, width * SAMPLES, height * SAMPLES, &eye, &scene) &&
                sight_open(&stage->light, MAP_SIDE, MAP_SIDE, &light, &scene);
    if (!good) stage_close(stage);
    return good;
}

void stage_close(struct stage *stage)
{
    sight_close(&stage->eye);
    sight_close(&stage->light);
}

static bool actor_open(struct actor *actor, const struct stage *stage, const double rotation[4])
{
    const bosc_mesh *m = &stage->robot->mesh;
    *actor = (struct actor){.positions = memory_new((size_t)m->vertices, 3 * sizeof(float)),
                            .normals = memory_new((size_t)m->vertices, 3 * sizeof(float))};
    if (!actor->positions || !actor->normals) return false;
    for (int64_t i = 0; i < m->vertices; i++) {
        turn_vector(rotation, m->positions + 3 * i, actor->positions + 3 * i);
        turn_vector(rotation, m->normals + 3 * i, actor->normals + 3 * i);
    }
    const struct scene scene = {m->vertices, m->triangles, actor->positions, m->indices};
    return sight_open(&actor->eye, stage->eye.width, stage->eye.height, &stage->eye.eye, &scene) &&
           sight_open(&actor->light, MAP_SIDE, MAP_SIDE, &stage->light.eye, &scene);
}

static void actor_close(struct actor *actor)
{
    sight_close(&actor->eye);
    sight_close(&actor->light);
    free(actor->positions);
    free(actor->normals);
}

/* ---- surfaces ---- */

/* What a pixel of a sight shows, if anything. */
struct hit {
    bool any;
    double at[3], normal[3], depth;
};

static struct hit hit_of(const struct sight *s, const float *normals, int x, int y)
{
    struct hit hit = {.any = false};
    uint32_t t = s->seen[(int64_t)y * s->width + x];
    if (t == SCENE_NOTHING) return hit;
    struct touch touch = sight_touch(s, x, y, t);
    hit.any = true;
    for (int k = 0; k < 3; k++) {
        int64_t v = s->scene.indices[3 * (int64_t)t + k];
        for (int c = 0; c < 3; c++) {
            hit.at[c] += touch.weight[k] * (double)s->scene.positions[3 * v + c];
            if (normals) hit.normal[c] += touch.weight[k] * (double)normals[3 * v + c];
        }
    }
    for (int c = 0; c < 3; c++) hit.depth += (hit.at[c] - s->eye.at[c]) * s->eye.forward[c];
    return hit;
}

/* How much of the light's four nearest places is free of what the light sees before the point. */
static double lit_by(const struct sight *light, const double at[3], double bias)
{
    double d[3], free_ones = 0;
    for (int c = 0; c < 3; c++) d[c] = at[c] - light->eye.at[c];
    double x = light->width * 0.5 + dot(d, light->eye.right) * light->eye.scale;
    double y = light->height * 0.5 - dot(d, light->eye.up) * light->eye.scale, depth = dot(d, light->eye.forward);
    for (int k = 0; k < 4; k++) {
        int i = (int)floor(x - 0.5) + k % 2, j = (int)floor(y - 0.5) + k / 2;
        double fx = x - 0.5 - floor(x - 0.5), fy = y - 0.5 - floor(y - 0.5);
        double weight = (k % 2 ? fx : 1 - fx) * (k / 2 ? fy : 1 - fy);
        bool inside = i >= 0 && j >= 0 && i < light->width && j < light->height;
        struct hit hit = inside ? hit_of(light, NULL, i, j) : (struct hit){.any = false};
        if (!hit.any || hit.depth > depth - bias) free_ones += weight;
    }
    return free_ones;
}

static struct colour scaled(struct colour c, double r, double g, double b)
{
    return (struct colour){(float)(c.r * r), (float)(c.g * g), (float)(c.b * b)};
}

static struct colour shade(const struct stage *stage, const struct actor *actor, const struct hit *hit,
                           struct colour paint)
{
    double n[3], way[3];
    for (int c = 0; c < 3; c++) {
        n[c] = hit->normal[c];
        way[c] = stage->eye.eye.at[c] - hit->at[c];
    }
    normalise(way);
    double length = sqrt(dot(n, n)), side = dot(n, way) < 0 ? -1 : 1;
    for (int c = 0; c < 3; c++) n[c] = length > 0 ? side * n[c] / length : way[c];
    const double *forward = stage->light.eye.forward;
    double facing = fmax(-dot(n, forward), 0), half[3], gloss;
    for (int c = 0; c < 3; c++) half[c] = way[c] - forward[c];
    normalise(half);
    gloss = pow(fmax(dot(n, half), 0), 40);
    double lit =
        facing > 0 ? lit_by(&stage->light, hit->at, stage->bias) * lit_by(&actor->light, hit->at, stage->bias) : 0;
    double key = 1.15 * facing * lit, sky = 0.30 + 0.20 * n[2], front = 0.16 * fmax(dot(n, way), 0);
    struct colour c = scaled(paint, key + 0.95 * sky + front, 0.97 * key + sky + front, 0.90 * key + 1.1 * sky + front);
    float shine = (float)(0.22 * gloss * lit);
    return (struct colour){c.r + shine, c.g + shine, c.b + shine};
}

/* ---- pictures ---- */

struct paints {
    struct colour robot, obstacle, high, low;
};

/* One sample: the nearer of both; the robot through an obstacle before it, paler. */
static struct colour sample(const struct stage *stage, const struct actor *actor, const struct paints *p, int x, int y)
{
    struct hit obstacle = hit_of(&stage->eye, stage->obstacle->mesh.normals, x, y);
    struct hit robot = hit_of(&actor->eye, actor->normals, x, y);
    struct colour behind = colour_mix(p->high, p->low, (double)y / stage->eye.height);
    if (!robot.any && !obstacle.any) return behind;
    struct colour front = obstacle.any ? shade(stage, actor, &obstacle, p->obstacle) : behind;
    if (!robot.any) return front;
    struct colour own = shade(stage, actor, &robot, p->robot);
    return obstacle.any && obstacle.depth < robot.depth ? colour_mix(front, own, 0.5) : own;
}

static void draw_row(const struct stage *stage, const struct actor *actor, const struct paints *p,
                     struct colour *pixels, int row)
{
    for (int i = 0; i < stage->width; i++) {
        struct colour sum = {0, 0, 0};
        for (int k = 0; k < SAMPLES * SAMPLES; k++) {
            struct colour c = sample(stage, actor, p, i * SAMPLES + k % SAMPLES, row * SAMPLES + k / SAMPLES);
            sum = (struct colour){sum.r + fminf(c.r, 1), sum.g + fminf(c.g, 1), sum.b + fminf(c.b, 1)};
        }
        pixels[i] = scaled(sum, 1.0 / (SAMPLES * SAMPLES), 1.0 / (SAMPLES * SAMPLES), 1.0 / (SAMPLES * SAMPLES));
    }
}

bool stage_draw(const struct stage *stage, const double rotation[4], struct canvas *canvas, int x, int y)
{
    const struct paints paints = {colour_of(0xf08a24), colour_of(0xa9b4c0), colour_of(0xfdfdfc), colour_of(0xd9dee4)};
    struct actor actor;
    bool good = actor_open(&actor, stage, rotation);
    if (good) {
#pragma omp parallel for schedule(dynamic, 8)
        for (int row = 0; row < stage->height; row++)
            draw_row(stage, &actor, &paints, canvas->pixels + (int64_t)(y + row) * canvas->width + x, row);
    }
    actor_close(&actor);
    return good;
}
