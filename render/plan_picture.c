/* Draws a planned path: the ball of rotations from four sides and six poses of the robot. */
#include "render/plan_picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/lettering.h"

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
    x = draw_legend_entry(canvas, x, y, height, 0x17a398, "free");
    x = draw_legend_entry(canvas, x, y, height, 0xb0433f, "in collision");
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
    bool good = rotation_ball_draw(&p->ball, BALL_OBLIQUE, canvas, 24 * unit, 84 * unit, 764 * unit);
    for (int axis = 0; axis < 3 && good; axis++)
        good = rotation_ball_draw(&p->ball, (enum ball_view)(BALL_ALONG_X + axis), canvas, 790 * unit,
                                  (88 + 258 * axis) * unit, 246 * unit);
    if (good) draw_text(canvas, p, unit);
    good = good && draw_poses(canvas, p, unit);
    if (!good) canvas_close(canvas);
    return good;
}
