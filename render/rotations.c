#include "render/rotations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/lettering.h"
#include "render/shape.h"
#include "render/vector.h"

enum { POINTS_MAX = 24000 };

static const double pi = 3.14159265358979323846;

/* An eye at the middle of a square; lengths of the ball's radius. */
struct lens {
    double right[3], up[3], forward[3];
    double x, y, radius; /* of the ball on the canvas */
    double distance;     /* of the eye; 0: parallel */
    double pixel;        /* what a line of width 1 takes */
};

static struct lens lens_of(enum ball_view view, double x, double y, double side)
{
    static const double axes[4][3][3] = {{{0.8480, 0.5299, 0}, {-0.2009, 0.3215, 0.9253}, {-0.4903, 0.7847, -0.3792}},
                                         {{0, 1, 0}, {0, 0, 1}, {-1, 0, 0}},
                                         {{-1, 0, 0}, {0, 0, 1}, {0, -1, 0}},
                                         {{1, 0, 0}, {0, 1, 0}, {0, 0, -1}}};
    struct lens lens = {.x = x + side / 2, .y = y + side / 2, .radius = 0.46 * side, .pixel = side / 760};
    memcpy(lens.right, axes[view][0], sizeof lens.right);
    memcpy(lens.up, axes[view][1], sizeof lens.up);
    memcpy(lens.forward, axes[view][2], sizeof lens.forward);
    lens.distance = view == BALL_OBLIQUE ? 4.5 : 0;
    if (lens.distance > 0) lens.radius *= sqrt(1 - 1 / (lens.distance * lens.distance));
    lens.pixel = fmax(lens.pixel, 0.55);
    return lens;
}

/* On the canvas; depth from -1, nearest, to 1. */
struct place {
    double x, y, depth, scale;
};

static struct place place_of(const struct lens *lens, const double v[3])
{
    struct place p = {.depth = dot(v, lens->forward), .scale = 1};
    if (lens->distance > 0) p.scale = lens->distance / (lens->distance + p.depth);
    p.x = lens->x + lens->radius * p.scale * dot(v, lens->right);
    p.y = lens->y - lens->radius * p.scale * dot(v, lens->up);
    return p;
}

/* A rotation's place in the ball of radius 1. */
static void ball_vector(const double q[4], double v[3])
{
    double s = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), side = q[0] < 0 ? -1 : 1;
    double angle = 2 * atan2(s, fabs(q[0])) / pi;
    for (int c = 0; c < 3; c++) v[c] = s > 0 ? side * q[c + 1] / s * angle : 0;
}

/* ---- the ball ---- */

struct paints {
    struct colour paper, ball, line, free_one, forbidden, route, doubtful, edge, from, to;
};

static struct paints mix_paints(void)
{
    return (struct paints){.paper = colour_of(0xf6f7f9),
                           .ball = colour_of(0xe9edf2),
                           .line = colour_of(0x8d99a6),
                           .free_one = colour_of(0x17a398),
                           .forbidden = colour_of(0xb0433f),
                           .route = colour_of(0xf08a24),
                           .doubtful = colour_of(0xd61f1f),
                           .edge = colour_of(0x27221c),
                           .from = colour_of(0x2b6cb0),
                           .to = colour_of(0x6b2fa0)};
}

/* The circle in which the plane across an axis cuts the surface: its near half, or the far one. */
static void draw_circle(struct canvas *canvas, const struct lens *lens, int axis, bool near_half, struct colour colour)
{
    enum { PIECES = 90 };
    struct place last = {.scale = 0};
    for (int i = 0; i <= PIECES; i++) {
        double a = 2 * pi * i / PIECES, v[3] = {0, 0, 0};
        v[(axis + 1) % 3] = cos(a);
        v[(axis + 2) % 3] = sin(a);
        struct place p = place_of(lens, v);
        bool here = (p.depth + last.depth < 0) == near_half;
        if (i && here)
            canvas_line(canvas, last.x, last.y, p.x, p.y, 1.1 * lens->pixel, colour, near_half ? 0.45 : 0.25);
        last = p;
    }
}

static void draw_axes(struct canvas *canvas, const struct lens *lens, struct colour colour)
{
    static const char *const names[] = {"x", "y", "z"};
    double height = fmax(15 * lens->pixel, 9);
    for (int axis = 0; axis < 3; axis++) {
        double v[3] = {0, 0, 0}, origin[3] = {0, 0, 0};
        if (fabs(lens->forward[axis]) > 0.99) continue;
        v[axis] = 1;
        struct place end = place_of(lens, v), middle = place_of(lens, origin);
        canvas_line(canvas, middle.x, middle.y, end.x, end.y, 1.1 * lens->pixel, colour, 0.5);
        double dx = end.x - lens->x, dy = end.y - lens->y, length = hypot(dx, dy);
        lettering_draw(canvas, end.x + dx / length * height - lettering_width(names[axis], height) / 2,
                       end.y + dy / length * height + height * 0.3, height, false, names[axis], colour);
    }
}

/* ---- samples ---- */

struct point {
    double v[3], depth;
    bool is_free;
};

static int by_depth(const void *a, const void *b)
{
    double d = ((const struct point *)b)->depth - ((const struct point *)a)->depth;
    return d < 0 ? -1 : d > 0;
}

/* Far ones first and paler. Of very many, evenly chosen ones. */
static bool draw_samples(struct canvas *canvas, const struct lens *lens, const struct rotation_ball *ball,
                         const struct paints *paints)
{
    int64_t n = ball->sample_count, count = n < POINTS_MAX ? n : POINTS_MAX;
    if (count == 0) return true;
    struct point *points = malloc((size_t)count * sizeof *points);
    if (!points) return false;
    for (int64_t i = 0; i < count; i++) {
        int64_t sample = (int64_t)((double)i / (double)count * (double)n);
        ball_vector(ball->samples + 4 * sample, points[i].v);
        points[i].depth = dot(points[i].v, lens->forward);
        points[i].is_free = ball->collides[sample] == 0;
    }
    qsort(points, (size_t)count, sizeof *points, by_depth);
    double spacing = lens->radius * cbrt(4.19 / (double)count),
           radius = fmin(fmax(0.13 * spacing, 0.9), 6 * lens->pixel);
    for (int64_t i = 0; i < count; i++) {
        struct place p = place_of(lens, points[i].v);
        struct colour own = points[i].is_free ? paints->free_one : paints->forbidden;
        double fog = 0.62 * (p.depth + 1) / 2, alpha = points[i].is_free ? 0.75 : 0.3;
        canvas_disc(canvas, p.x, p.y, radius * p.scale * (points[i].is_free ? 1 : 0.9),
                    colour_mix(own, paints->ball, fog), alpha);
    }
    free(points);
    return true;
}

/* ---- the route ---- */

/* A piece of the route, twice: its edge first, so that no later piece's edge lies on it. */
struct pen {
    struct canvas *canvas;
    const struct lens *lens;
    const struct paints *paints;
    bool edge;
};

static void draw_piece(const struct pen *pen, const double a[3], const double b[3], bool certified)
{
    struct place p = place_of(pen->lens, a), q = place_of(pen->lens, b);
    double width = (pen->edge ? 8.5 : 5) * pen->lens->pixel * (p.scale + q.scale) / 2;
    double fog = 0.2 * (p.depth + q.depth + 2) / 4;
    struct colour own = pen->edge ? pen->paints->edge : certified ? pen->paints->route : pen->paints->doubtful;
    canvas_line(pen->canvas, p.x, p.y, q.x, q.y, width, colour_mix(own, pen->paints->ball, fog), 1);
}

/* Where the route leaves the ball, or comes back. */
static void draw_exit(const struct pen *pen, const double v[3])
{
    struct place p = place_of(pen->lens, v);
    if (!pen->edge)
        canvas_ring(pen->canvas, p.x, p.y, 8 * pen->lens->pixel, 2.4 * pen->lens->pixel, pen->paints->edge, 0.9);
}

static void draw_route(const struct pen *pen, const struct rotation_ball *ball)
{
    double last[3], next[3], q[4];
    ball_vector(ball->route, last);
    for (int64_t i = 0; i + 1 < ball->rotations; i++) {
        const double *a = ball->route + 4 * i, *b = a + 4;
        int pieces = 1 + (int)(turn_angle(a, b) / (pi / 90));
        for (int k = 1; k <= pieces; k++) {
            turn_between(a, b, (double)k / pieces, q);
            ball_vector(q, next);
            double apart = hypot(hypot(next[0] - last[0], next[1] - last[1]), next[2] - last[2]);
            if (apart < 0.5) {
                draw_piece(pen, last, next, ball->certified[i] != 0);
            } else {
                draw_exit(pen, last);
                draw_exit(pen, next);
            }
            memcpy(last, next, sizeof last);
        }
    }
}

static void draw_end(const struct pen *pen, const double q[4], struct colour colour, const char *name)
{
    double v[3], height = fmax(15 * pen->lens->pixel, 9);
    ball_vector(q, v);
    struct place p = place_of(pen->lens, v);
    double radius = 9.5 * pen->lens->pixel;
    canvas_disc(pen->canvas, p.x, p.y, radius + 2 * pen->lens->pixel, colour_of(0xffffff), 1);
    canvas_disc(pen->canvas, p.x, p.y, radius, colour, 1);
    double width = lettering_width(name, height), x = p.x - width / 2, y = p.y - radius * 1.7;
    canvas_box(pen->canvas, x - 3, y - height - 3, x + width + 3, y + 4, colour_of(0xffffff), 0.75);
    lettering_draw(pen->canvas, x, y, height, false, name, colour);
}

bool rotation_ball_draw(const struct rotation_ball *ball, enum ball_view view, struct canvas *canvas, double x,
                        double y, double side)
{
    const struct paints paints = mix_paints();
    struct lens lens = lens_of(view, x, y, side);
    double outline = 0.46 * side;
    canvas_disc(canvas, lens.x, lens.y, outline, paints.ball, 1);
    for (int axis = 0; axis < 3; axis++) draw_circle(canvas, &lens, axis, false, paints.line);
    if (!draw_samples(canvas, &lens, ball, &paints)) return false;
    for (int axis = 0; axis < 3; axis++) draw_circle(canvas, &lens, axis, true, paints.line);
    canvas_ring(canvas, lens.x, lens.y, outline, 1.6 * lens.pixel, paints.line, 0.9);
    draw_axes(canvas, &lens, paints.edge);
    if (ball->rotations < 1) return true;
    struct pen pen = {canvas, &lens, &paints, true};
    draw_route(&pen, ball);
    pen.edge = false;
    draw_route(&pen, ball);
    draw_end(&pen, ball->route, paints.from, "from");
    draw_end(&pen, ball->route + 4 * (ball->rotations - 1), paints.to, "to");
    return true;
}
