#include "render/scene.h"

#include <math.h>
#include <stdlib.h>

#include "render/vector.h"

enum { BAND = 64 }; /* rows that one thread draws at once */

/* A vertex as the eye has it: right, up, forward; and on the picture, unless it is behind. */
struct corner {
    double a[3], x, y;
};

/* On a map x is east, y south and z up, which is left-handed: right is then top x forward. */
struct eye eye_look(const double at[3], const double direction[3], const double top[3])
{
    struct eye eye = {.scale = 1, .nearest = 1};
    for (int i = 0; i < 3; i++) {
        eye.at[i] = at[i];
        eye.forward[i] = direction[i];
    }
    normalise(eye.forward);
    cross(top, eye.forward, eye.right);
    normalise(eye.right);
    cross(eye.forward, eye.right, eye.up);
    return eye;
}

/* ---- from triangles to pixels ---- */

static void place(const struct sight *s, struct corner *c)
{
    double far = s->eye.parallel ? 1 : c->a[2];
    c->x = s->width * 0.5 + c->a[0] / far * s->eye.scale;
    c->y = s->height * 0.5 - c->a[1] / far * s->eye.scale;
}

static struct corner corner_of(const struct sight *s, const float *p)
{
    const struct eye *e = &s->eye;
    const double d[3] = {p[0] - e->at[0], p[1] - e->at[1], p[2] - e->at[2]};
    struct corner c = {.a = {dot(d, e->right), dot(d, e->up), dot(d, e->forward)}};
    if (e->parallel || c.a[2] >= e->nearest) place(s, &c);
    return c;
}

/* Larger is nearer, and it changes evenly over the picture. */
static double nearness(const struct sight *s, const struct corner *c)
{
    return s->eye.parallel ? -c->a[2] : 1 / c->a[2];
}

struct buffer {
    double *near;   /* of the band's pixels */
    int first, end; /* its rows */
};

static double least_of(double a, double b, double c) { return fmin(a, fmin(b, c)); }

static double most_of(double a, double b, double c) { return fmax(a, fmax(b, c)); }

static int clamp(double x, int least, int most) { return x < least ? least : x > most ? most : (int)x; }

static void fill(struct sight *s, struct buffer *b, uint32_t number, const struct corner *p, const struct corner *q,
                 const struct corner *r)
{
    double area = (q->x - p->x) * (r->y - p->y) - (r->x - p->x) * (q->y - p->y);
    if (!(area != 0)) return;
    int y0 = clamp(least_of(p->y, q->y, r->y) - 0.5, b->first, b->end);
    int y1 = clamp(most_of(p->y, q->y, r->y) + 1, b->first, b->end);
    int x0 = clamp(least_of(p->x, q->x, r->x) - 0.5, 0, s->width),
        x1 = clamp(most_of(p->x, q->x, r->x) + 1, 0, s->width);
    double np = nearness(s, p), nq = nearness(s, q), nr = nearness(s, r);
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++) {
            double dx = x + 0.5 - p->x, dy = y + 0.5 - p->y;
            double u = (dx * (r->y - p->y) - (r->x - p->x) * dy) / area;
            double v = ((q->x - p->x) * dy - dx * (q->y - p->y)) / area;
            if (u < 0 || v < 0 || u + v > 1) continue;
            double near = np + u * (nq - np) + v * (nr - np);
            double *there = &b->near[(int64_t)(y - b->first) * s->width + x];
            if (near <= *there) continue;
            *there = near;
            s->seen[(int64_t)y * s->width + x] = number;
        }
}

/* The piece of a triangle that is not too near: of its three edges, those that cross are cut. */
static void fill_clipped(struct sight *s, struct buffer *b, uint32_t number, const struct corner t[3])
{
    struct corner piece[4];
    int count = 0;
    for (int i = 0; i < 3; i++) {
        const struct corner *p = &t[i], *q = &t[(i + 1) % 3];
        bool here = p->a[2] >= s->eye.nearest, there = q->a[2] >= s->eye.nearest;
        if (here) piece[count++] = *p;
        if (here == there) continue;
        double w = (s->eye.nearest - p->a[2]) / (q->a[2] - p->a[2]);
        struct corner cut;
        for (int c = 0; c < 3; c++) cut.a[c] = p->a[c] + w * (q->a[c] - p->a[c]);
        cut.a[2] = s->eye.nearest;
        place(s, &cut);
        piece[count++] = cut;
    }
    for (int i = 2; i < count; i++) fill(s, b, number, &piece[0], &piece[i - 1], &piece[i]);
}

static void draw_band(struct sight *s, const struct corner *corners, struct buffer *b)
{
    for (int64_t i = 0; i < (int64_t)(b->end - b->first) * s->width; i++) b->near[i] = -INFINITY;
    for (int64_t t = 0; t < s->scene.triangles; t++) {
        const uint32_t *v = s->scene.indices + 3 * t;
        const struct corner three[3] = {corners[v[0]], corners[v[1]], corners[v[2]]};
        int ahead = 0;
        for (int i = 0; i < 3; i++) ahead += s->eye.parallel || three[i].a[2] >= s->eye.nearest;
        if (ahead == 0) continue;
        if (ahead < 3) {
            fill_clipped(s, b, (uint32_t)t, three);
            continue;
        }
        if (most_of(three[0].y, three[1].y, three[2].y) < b->first) continue;
        if (least_of(three[0].y, three[1].y, three[2].y) > b->end) continue;
        fill(s, b, (uint32_t)t, &three[0], &three[1], &three[2]);
    }
}

bool sight_open(struct sight *sight, int width, int height, const struct eye *eye, const struct scene *scene)
{
    int64_t pixels = (int64_t)width * height;
    int bands = (height + BAND - 1) / BAND;
    struct corner *corners = malloc((size_t)scene->vertices * sizeof *corners);
    double *near = malloc((size_t)pixels * sizeof *near);
    *sight = (struct sight){.width = width, .height = height, .eye = *eye, .scene = *scene};
    sight->seen = malloc((size_t)pixels * sizeof *sight->seen);
    bool good = corners && near && sight->seen;
    if (good) {
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < scene->vertices; i++) corners[i] = corner_of(sight, scene->positions + 3 * i);
        for (int64_t i = 0; i < pixels; i++) sight->seen[i] = SCENE_NOTHING;
#pragma omp parallel for schedule(dynamic, 1)
        for (int band = 0; band < bands; band++) {
            struct buffer b = {.first = band * BAND, .end = band * BAND + BAND < height ? band * BAND + BAND : height};
            b.near = near + (int64_t)b.first * width;
            draw_band(sight, corners, &b);
        }
    }
    free(corners);
    free(near);
    if (!good) sight_close(sight);
    return good;
}

void sight_close(struct sight *sight)
{
    free(sight->seen);
    sight->seen = NULL;
}

/* ---- from pixels to triangles ---- */

struct ray sight_ray(const struct sight *sight, double x, double y)
{
    const struct eye *e = &sight->eye;
    double a = (x - sight->width * 0.5) / e->scale, b = (sight->height * 0.5 - y) / e->scale;
    struct ray ray;
    for (int i = 0; i < 3; i++) {
        double aside = a * e->right[i] + b * e->up[i];
        ray.origin[i] = e->at[i] + (e->parallel ? aside : 0);
        ray.way[i] = e->forward[i] + (e->parallel ? 0 : aside);
    }
    return ray;
}

/* Weights of the corners where the ray meets the plane of the triangle. Source: Moeller, Trumbore, Fast, Minimum
 * Storage Ray/Triangle Intersection (1997). */
static void meet(const struct ray *ray, const float *const corner[3], double weight[3])
{
    double e1[3], e2[3], from[3], p[3], q[3];
    for (int i = 0; i < 3; i++) {
        e1[i] = (double)corner[1][i] - corner[0][i];
        e2[i] = (double)corner[2][i] - corner[0][i];
        from[i] = ray->origin[i] - corner[0][i];
    }
    cross(ray->way, e2, p);
    cross(from, e1, q);
    double det = dot(e1, p);
    if (det == 0) det = 1e-300; /* seen edge-on: any place on it will do */
    weight[1] = dot(from, p) / det;
    weight[2] = dot(ray->way, q) / det;
    weight[0] = 1 - weight[1] - weight[2];
}

struct touch sight_touch(const struct sight *sight, int x, int y, uint32_t triangle)
{
    struct touch touch = {.edge = INFINITY, .size = INFINITY};
    double beside[3], below[3], sum = 0;
    const uint32_t *v = sight->scene.indices + 3 * (int64_t)triangle;
    const float *corner[3];
    for (int i = 0; i < 3; i++) corner[i] = sight->scene.positions + 3 * (int64_t)v[i];
    struct ray here = sight_ray(sight, x + 0.5, y + 0.5);
    struct ray right = sight_ray(sight, x + 1.5, y + 0.5), under = sight_ray(sight, x + 0.5, y + 1.5);
    meet(&here, corner, touch.weight);
    meet(&right, corner, beside);
    meet(&under, corner, below);
    for (int i = 0; i < 3; i++) { /* a weight falls to 0 towards the edge across, by so much a pixel */
        double across = beside[i] - touch.weight[i], down = below[i] - touch.weight[i];
        double slope = sqrt(across * across + down * down);
        if (slope > 0) touch.size = fmin(touch.size, 1 / slope);
        if (slope > 0) touch.edge = fmin(touch.edge, fabs(touch.weight[i]) / slope);
        touch.weight[i] = touch.weight[i] >= 0 ? fmin(touch.weight[i], 1) : 0;
        sum += touch.weight[i];
    }
    for (int i = 0; i < 3; i++) touch.weight[i] = sum > 0 ? touch.weight[i] / sum : 1.0 / 3;
    return touch;
}
