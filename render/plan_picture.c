/* Draws a planned path: the ball of rotations from four sides and six poses of the robot. */
#include "render/plan_picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/vector.h"

/* ---- the ball of rotations ----
 *
 * Sample points by depth, great circles, and a route as a polyline. */

enum { POINTS_MAX = 24000 }; /* samples drawn; chosen */

static const double pi = 3.14159265358979323846;

/* Viewpoint. */
enum ball_view { BALL_OBLIQUE, BALL_ALONG_X, BALL_ALONG_Y, BALL_ALONG_Z };

/* Projection of the ball onto a square of the canvas; lengths are in radii of the ball. */
struct lens {
    double right[3], up[3], forward[3];
    double x, y, radius; /* of the ball on the canvas */
    double distance;     /* of the eye; 0: parallel */
    double pixel;        /* width of a line of width 1 */
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

/* A point on the canvas; depth from -1, nearest, to 1; scale of the perspective. */
struct projected_point {
    double x, y, depth, scale;
};

static struct projected_point project_point(const struct lens *lens, const double v[3])
{
    struct projected_point p = {.depth = dot(v, lens->forward), .scale = 1};
    if (lens->distance > 0) p.scale = lens->distance / (lens->distance + p.depth);
    p.x = lens->x + lens->radius * p.scale * dot(v, lens->right);
    p.y = lens->y - lens->radius * p.scale * dot(v, lens->up);
    return p;
}

/* Maps a rotation to the ball of radius 1: the axis times angle / pi. */
static void map_to_ball(const double q[4], double v[3])
{
    double s = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), side = q[0] < 0 ? -1 : 1;
    double angle = 2 * atan2(s, fabs(q[0])) / pi;
    for (int c = 0; c < 3; c++) v[c] = s > 0 ? side * q[c + 1] / s * angle : 0;
}

/* ---- the ball: circles and axes ---- */

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

/* Draws the near or the far half of the great circle perpendicular to an axis. */
static void draw_circle(struct canvas *canvas, const struct lens *lens, int axis, bool near_half, struct colour colour)
{
    enum { SEGMENTS = 90 };
    struct projected_point last = {.scale = 0};
    for (int i = 0; i <= SEGMENTS; i++) {
        double a = 2 * pi * i / SEGMENTS, v[3] = {0, 0, 0};
        v[(axis + 1) % 3] = cos(a);
        v[(axis + 2) % 3] = sin(a);
        struct projected_point p = project_point(lens, v);
        bool in_half = (p.depth + last.depth < 0) == near_half;
        if (i && in_half)
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
        struct projected_point end = project_point(lens, v), middle = project_point(lens, origin);
        canvas_line(canvas, middle.x, middle.y, end.x, end.y, 1.1 * lens->pixel, colour, 0.5);
        double dx = end.x - lens->x, dy = end.y - lens->y, length = hypot(dx, dy);
        lettering_draw(canvas, end.x + dx / length * height - lettering_width(names[axis], height) / 2,
                       end.y + dy / length * height + height * 0.3, height, false, names[axis], colour);
    }
}

/* ---- the ball: samples ---- */

struct sample_point {
    double v[3], depth;
    bool is_free;
};

static int by_depth(const void *a, const void *b)
{
    double d = ((const struct sample_point *)b)->depth - ((const struct sample_point *)a)->depth;
    return d < 0 ? -1 : d > 0;
}

/* Draws the samples from far to near, far ones paler; a regular subset if there are more than POINTS_MAX. */
static bool draw_samples(struct canvas *canvas, const struct lens *lens, const struct rotation_ball *ball,
                         const struct paints *paints)
{
    int64_t n = ball->sample_count, count = n < POINTS_MAX ? n : POINTS_MAX;
    if (count == 0) return true;
    struct sample_point *points = malloc((size_t)count * sizeof *points);
    if (!points) return false;
    /* 1. Choose and project. */
    for (int64_t i = 0; i < count; i++) {
        int64_t sample = (int64_t)((double)i / (double)count * (double)n);
        map_to_ball(ball->samples + 4 * sample, points[i].v);
        points[i].depth = dot(points[i].v, lens->forward);
        points[i].is_free = ball->collides[sample] == 0;
    }
    qsort(points, (size_t)count, sizeof *points, by_depth);
    /* 2. Disc size from the mean spacing of points in a ball: the cube root of its volume, 4.19, over their number. */
    double spacing = lens->radius * cbrt(4.19 / (double)count),
           radius = fmin(fmax(0.13 * spacing, 0.9), 6 * lens->pixel);
    for (int64_t i = 0; i < count; i++) {
        struct projected_point p = project_point(lens, points[i].v);
        struct colour own = points[i].is_free ? paints->free_one : paints->forbidden;
        double fog = 0.62 * (p.depth + 1) / 2, alpha = points[i].is_free ? 0.75 : 0.3;
        canvas_disc(canvas, p.x, p.y, radius * p.scale * (points[i].is_free ? 1 : 0.9),
                    colour_mix(own, paints->ball, fog), alpha);
    }
    free(points);
    return true;
}

/* ---- the ball: the route ---- */

/* State of drawing the route. It is drawn twice, first the dark outline, so that no outline covers the line. */
struct pen {
    struct canvas *canvas;
    const struct lens *lens;
    const struct paints *paints;
    bool outline;
};

static void draw_segment(const struct pen *pen, const double a[3], const double b[3], bool certified)
{
    struct projected_point p = project_point(pen->lens, a), q = project_point(pen->lens, b);
    double width = (pen->outline ? 8.5 : 5) * pen->lens->pixel * (p.scale + q.scale) / 2;
    double fog = 0.2 * (p.depth + q.depth + 2) / 4;
    struct colour own = pen->outline ? pen->paints->edge : certified ? pen->paints->route : pen->paints->doubtful;
    canvas_line(pen->canvas, p.x, p.y, q.x, q.y, width, colour_mix(own, pen->paints->ball, fog), 1);
}

/* Marks a point where the route leaves the ball or enters it on the opposite side. */
static void draw_exit(const struct pen *pen, const double v[3])
{
    struct projected_point p = project_point(pen->lens, v);
    if (!pen->outline)
        canvas_ring(pen->canvas, p.x, p.y, 8 * pen->lens->pixel, 2.4 * pen->lens->pixel, pen->paints->edge, 0.9);
}

static void draw_route(const struct pen *pen, const struct rotation_ball *ball)
{
    double last[3], next[3], q[4];
    map_to_ball(ball->route, last);
    for (int64_t i = 0; i + 1 < ball->rotations; i++) {
        const double *a = ball->route + 4 * i, *b = a + 4;
        int segments = 1 + (int)(quaternion_angle(a, b) / (pi / 90));
        for (int k = 1; k <= segments; k++) {
            quaternion_slerp(a, b, (double)k / segments, q);
            map_to_ball(q, next);
            double apart = hypot(hypot(next[0] - last[0], next[1] - last[1]), next[2] - last[2]);
            if (apart < 0.5) { /* longer steps jump to the antipode: the same rotation */
                draw_segment(pen, last, next, ball->certified[i] != 0);
            } else {
                draw_exit(pen, last);
                draw_exit(pen, next);
            }
            memcpy(last, next, sizeof last);
        }
    }
}

/* Draws an end of the route, with its name above or below it. */
static void draw_end(const struct pen *pen, const double q[4], struct colour colour, const char *name, bool below)
{
    double v[3], height = fmax(15 * pen->lens->pixel, 9);
    map_to_ball(q, v);
    struct projected_point p = project_point(pen->lens, v);
    double radius = 9.5 * pen->lens->pixel;
    canvas_disc(pen->canvas, p.x, p.y, radius + 2 * pen->lens->pixel, colour_of(0xffffff), 1);
    canvas_disc(pen->canvas, p.x, p.y, radius, colour, 1);
    double width = lettering_width(name, height), x = p.x - width / 2;
    const double y = p.y + (below ? radius * 1.7 + height : -radius * 1.7);
    canvas_box(pen->canvas, x - 3, y - height - 3, x + width + 3, y + 4, colour_of(0xffffff), 0.75);
    lettering_draw(pen->canvas, x, y, height, false, name, colour);
}

/* Draws the ball into the square of an open canvas with top left corner (x, y): BALL_OBLIQUE with perspective, views
 * along an axis without. False: out of memory. */
static bool draw_ball(const struct rotation_ball *ball, enum ball_view view, struct canvas *canvas, double x, double y,
                      double side)
{
    /* 1. The ball: far half of the circles, samples, near half. */
    const struct paints paints = mix_paints();
    struct lens lens = lens_of(view, x, y, side);
    double outline = 0.46 * side;
    canvas_disc(canvas, lens.x, lens.y, outline, paints.ball, 1);
    for (int axis = 0; axis < 3; axis++) draw_circle(canvas, &lens, axis, false, paints.line);
    if (!draw_samples(canvas, &lens, ball, &paints)) return false;
    for (int axis = 0; axis < 3; axis++) draw_circle(canvas, &lens, axis, true, paints.line);
    canvas_ring(canvas, lens.x, lens.y, outline, 1.6 * lens.pixel, paints.line, 0.9);
    draw_axes(canvas, &lens, paints.edge);
    /* 2. The route. */
    if (ball->rotations < 1) return true;
    struct pen pen = {canvas, &lens, &paints, true};
    draw_route(&pen, ball);
    pen.outline = false;
    draw_route(&pen, ball);
    double a[3], b[3];
    const double *goal = ball->route + 4 * (ball->rotations - 1);
    map_to_ball(ball->route, a);
    map_to_ball(goal, b);
    const struct projected_point p = project_point(&lens, a), q = project_point(&lens, b);
    /* Names beside each other would overlap: about 60 x 45 pixels of a disc with its name. */
    const bool near = fabs(p.x - q.x) < 60 * lens.pixel && fabs(p.y - q.y) < 45 * lens.pixel;
    draw_end(&pen, ball->route, paints.from, "from", near && p.y > q.y);
    draw_end(&pen, goal, paints.to, "to", near && p.y <= q.y);
    return true;
}

/* ---- points along a route ---- */

enum { POSES = 6, COLUMNS = 2 };

static const double degree = 3.14159265358979323846 / 180;

double route_angle(const double *route, int64_t rotations)
{
    double sum = 0;
    for (int64_t i = 0; i + 1 < rotations; i++) sum += quaternion_angle(route + 4 * i, route + 4 * i + 4);
    return sum;
}

void route_at(const double *route, int64_t rotations, double part, double q[4])
{
    double remaining = part * route_angle(route, rotations);
    memcpy(q, route + (part > 0 ? 4 * (rotations - 1) : 0), 4 * sizeof *q);
    for (int64_t i = 0; i + 1 < rotations && part > 0 && part < 1; i++) {
        double step = quaternion_angle(route + 4 * i, route + 4 * i + 4);
        if (remaining < step) {
            quaternion_slerp(route + 4 * i, route + 4 * i + 4, remaining / step, q);
            return;
        }
        remaining -= step;
    }
}

bosc_status plan_samples(bosc_ctx *ctx, const bosc_plan *plan, int64_t capacity, double *rotations, uint8_t *collides,
                         int64_t *count)
{
    bosc_plan_info info = {.size = sizeof info};
    const bosc_plan_sample_opts opts = {.size = sizeof opts, .sampling = BOSC_PLAN_UNIFORM, .limit = capacity};
    *count = 0;
    bosc_status status = bosc_plan_get_info(ctx, plan, &info);
    if (status != BOSC_OK || info.constraints == 0) return status;
    status = bosc_plan_sample(ctx, plan, &opts, capacity, rotations, NULL, NULL, count, NULL);
    return status == BOSC_OK ? bosc_plan_collides(ctx, plan, rotations, *count, 0, collides) : status;
}

/* ---- the picture ---- */

/* Draws an entry of the legend; returns the x of the next one. */
static double draw_legend_entry(struct canvas *canvas, double x, double y, double height, uint32_t colour,
                                const char *word)
{
    canvas_disc(canvas, x + height * 0.4, y - height * 0.45, height * 0.4, colour_of(colour), 1);
    lettering_draw(canvas, x + height * 1.2, y, height, false, word, colour_of(0x3a424c));
    return x + height * 1.2 + lettering_width(word, height) + height * 1.6;
}

/* Draws the title and the legend. */
static void draw_text(struct canvas *canvas, const struct plan_picture *p, double unit)
{
    double y = 58 * unit, height = 13 * unit, x = 36 * unit;
    lettering_draw(canvas, x, y, 21 * unit, false, p->title, colour_of(0x20262d));
    y = canvas->height - 22 * unit;
    if (p->ball.sample_count > 0) { /* none without constraints */
        x = draw_legend_entry(canvas, x, y, height, 0x17a398, "free");
        x = draw_legend_entry(canvas, x, y, height, 0xb0433f, "in collision");
    }
    x = draw_legend_entry(canvas, x, y, height, 0xf08a24, "certified steps");
    for (int64_t i = 0; i + 1 < p->ball.rotations; i++)
        if (!p->ball.certified[i]) {
            (void)draw_legend_entry(canvas, x, y, height, 0xd61f1f, "steps that are not");
            break;
        }
}

/* Draws the poses in two columns, each with the angle turned so far. */
static bool draw_poses(struct canvas *canvas, const struct plan_picture *p, double unit)
{
    struct stage stage;
    int side = (int)(246 * unit), gap = (int)(12 * unit),
        left = canvas->width - COLUMNS * (side + gap) - (int)(22 * unit);
    double total = route_angle(p->ball.route, p->ball.rotations);
    bool good = stage_open(&stage, p->robot, p->obstacle, side, side);
    if (!good) return false;
    for (int i = 0; i < POSES && good; i++) {
        double q[4], part = (double)i / (POSES - 1);
        char text[32];
        int x = left + i % COLUMNS * (side + gap), y = (int)(88 * unit) + i / COLUMNS * (side + gap);
        route_at(p->ball.route, p->ball.rotations, part, q);
        good = stage_draw(&stage, q, canvas, x, y);
        snprintf(text, sizeof text, "%d: %.0f degrees", i + 1, part * total / degree);
        lettering_draw(canvas, x + 10 * unit, y + side - 10 * unit, 11 * unit, false, text, colour_of(0x3a424c));
    }
    stage_close(&stage);
    return good;
}

bool plan_picture_draw(const struct plan_picture *p, int width, struct canvas *canvas)
{
    double unit = width / 1600.0;
    if (!canvas_open(canvas, width, width * 9 / 16, colour_of(0xf6f7f9))) return false;
    bool good = draw_ball(&p->ball, BALL_OBLIQUE, canvas, 24 * unit, 84 * unit, 764 * unit);
    for (int axis = 0; axis < 3 && good; axis++)
        good = draw_ball(&p->ball, (enum ball_view)(BALL_ALONG_X + axis), canvas, 790 * unit, (88 + 258 * axis) * unit,
                         246 * unit);
    if (good) draw_text(canvas, p, unit);
    good = good && draw_poses(canvas, p, unit);
    if (!good) canvas_close(canvas);
    return good;
}
