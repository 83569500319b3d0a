/* The refinement criterion: compares the error of a base with its bound. It depends on the base alone and is symmetric
 * in its ends, so both triangles at a base decide the same. */
#ifndef BI_PLANET_STEPS_CRITERION_H
#define BI_PLANET_STEPS_CRITERION_H

#include "base/atomic.h"
#include "base/elementary.h"
#include "base/bits.h"
#include "planet/planet.h"

/* The bound of errors: without a camera `error`; with one, errors e closer than e x scale are too large. */
struct bi_planet_limit {
    double error, scale;
};

/* A bosc_planet_goal, prepared by the driver. */
struct bi_planet_criterion {
    double eye[3], toward_eye[3]; /* of length 1 */
    double planes[5][3];          /* inward normals of planes through the eye */
    double sine, cosine; /* of the angle from the eye, at the center, within which the surface may be visible */
    double error;        /* the bound; with a camera, errors up to it are always accepted */
    struct bi_planet_limit split, merge; /* above it triangles are split; at or below it they are merged */
    int32_t level;
    bool has_camera, cull, horizon; /* cull: test the planes; horizon: test the horizon */
    bool never;                     /* no error is too large for the camera */
};

/* Margin of comparisons that must hold despite rounding. */
#define BI_PLANET_SURELY (1 + 0x1p-30)

/* A ball around the two triangles at a base. */
struct bi_planet_ball {
    double center[3], radius;
};

/* Its center is the middle of the base, its radius the length of the base and the error. */
BI_FN struct bi_planet_ball bi_planet_ball_of(const double p0[3], const double p1[3], double error)
{
    struct bi_planet_ball ball;
    double square = 0;
    for (int c = 0; c < 3; c++) {
        const double along = p1[c] - p0[c];
        ball.center[c] = 0.5 * (p0[c] + p1[c]);
        square += along * along;
    }
    ball.radius = bi_sqrt(square) + error;
    return ball;
}

/* True unless the ball lies outside one of the planes of the camera. */
BI_FN bool bi_planet_in_view(const struct bi_planet_criterion *a, const struct bi_planet_ball *ball)
{
    for (int i = 0; i < 5; i++) {
        double reach = ball->radius;
        for (int c = 0; c < 3; c++) reach += a->planes[i][c] * (ball->center[c] - a->eye[c]);
        if (reach < 0) return false;
    }
    return true;
}

/* True if a ball lies behind the horizon: its angle from the eye, less its angular radius, exceeds that of sine and
 * cosine. */
BI_FN bool bi_planet_is_hidden(const struct bi_planet_criterion *a, const struct bi_planet_ball *ball)
{
    double square = 0, toward = 0;
    for (int c = 0; c < 3; c++) {
        square += ball->center[c] * ball->center[c];
        toward += ball->center[c] * a->toward_eye[c];
    }
    /* Most balls lie within the horizon, which needs no square root. */
    if (a->cosine > 0 && toward > 0 && toward * toward > BI_PLANET_SURELY * (a->cosine * a->cosine) * square)
        return false;
    const double length = bi_sqrt(square);
    if (!(ball->radius < 0.7 * length)) return false; /* a ball of 44 degrees or more counts as visible; not measured */
    const double sine = ball->radius / length, cosine = bi_sqrt(1 - sine * sine);
    if (!(a->sine * cosine + a->cosine * sine > 0)) return false; /* half a turn or more */
    return toward < (a->cosine * cosine - a->sine * sine) * length;
}

/* True only if the middle of a base is farther from the eye than its length plus `more`. Compares squares: the square
 * of a sum is at most twice the sum of squares. */
BI_FN bool bi_planet_is_far(const struct bi_planet_criterion *a, const double p0[3], const double p1[3], double more)
{
    double away = 0, along = 0;
    for (int c = 0; c < 3; c++) {
        const double off = a->eye[c] - 0.5 * (p0[c] + p1[c]), step = p1[c] - p0[c];
        away += off * off;
        along += step * step;
    }
    return away > BI_PLANET_SURELY * 2 * (along + more * more);
}

/* True if the error of a base exceeds a limit. Near bases get the costlier visibility tests last. */
BI_FN bool bi_planet_exceeds(const struct bi_planet_criterion *a, const struct bi_planet_limit *limit,
                             const double p0[3], const double p1[3], double error)
{
    if (!a->has_camera) return error > limit->error;
    if (error <= a->error || a->never) return false;
    if (bi_planet_is_far(a, p0, p1, error + error * limit->scale)) return false;
    const struct bi_planet_ball ball = bi_planet_ball_of(p0, p1, error);
    const double reach = ball.radius + error * limit->scale;
    double square = 0;
    for (int c = 0; c < 3; c++) square += (a->eye[c] - ball.center[c]) * (a->eye[c] - ball.center[c]);
    if (square >= reach * reach) return false;
    return !(a->horizon && bi_planet_is_hidden(a, &ball)) && !(a->cull && !bi_planet_in_view(a, &ball));
}

/* Item i: the command for leaf i. */
struct bi_planet_mark {
    struct bi_planet_criterion criterion;
    const struct bi_planet_leaf *leaves;
    const uint64_t *nodes;
    const uint32_t *neighbours; /* (leaves x 3) those of the pool, for fused operations */
    uint8_t *commands;
    const uint32_t *errors; /* measured errors: split the leaves above the bound, merge none; NULL: use estimates */
    bool splits_alone;      /* nothing is merged */
};

/* The command for a leaf by estimated errors. Leaves beyond the goal's level merge. */
BI_FN uint8_t bi_planet_command(const struct bi_planet_criterion *a, const struct bi_planet_leaf *leaf, uint64_t node)
{
    if (leaf->level > a->level) return BOSC_BISECTOR_MERGE;
    if (leaf->level < a->level && bi_planet_exceeds(a, &a->split, leaf->position[0], leaf->position[1], leaf->error))
        return BOSC_BISECTOR_SPLIT;
    if (leaf->level == 0) return BOSC_BISECTOR_KEEP;
    const double *near = leaf->position[node & 1 ? 0 : 1]; /* and position[3] are the ends of the parent's base */
    if (!bi_planet_exceeds(a, &a->merge, near, leaf->position[3], leaf->parent_error)) return BOSC_BISECTOR_MERGE;
    return BOSC_BISECTOR_KEEP;
}

BI_FN void bi_step_planet_mark(const struct bi_planet_mark *a, int64_t i)
{
    const struct bi_planet_leaf *leaf = a->leaves + i;
    if (!a->errors) {
        const uint8_t command = bi_planet_command(&a->criterion, leaf, a->nodes[i]);
        a->commands[i] = a->splits_alone && command == BOSC_BISECTOR_MERGE ? (uint8_t)BOSC_BISECTOR_KEEP : command;
    } else {
        const bool far = (double)bi_f32_from_bits(a->errors[i]) > a->criterion.error;
        a->commands[i] = far && leaf->level < a->criterion.level ? BOSC_BISECTOR_SPLIT : BOSC_BISECTOR_KEEP;
    }
}

/* Number of multiples of bounds: the upper 16 bits of a float, from 0 to those of infinity, 0x7f80. */
enum { BI_PLANET_MULTIPLES = 0x7f81 };

/* Counts leaves by the smallest multiple of the bounds, rounded down, that does not split them. Items are leaves. */
struct bi_planet_multiple_counts {
    struct bi_planet_criterion criterion;
    const struct bi_planet_leaf *leaves;
    uint32_t *counts; /* (BI_PLANET_MULTIPLES) without leaves that no multiple splits */
};

/* The smallest multiple that does not split a leaf; 0 if none splits it. */
BI_FN double bi_planet_least_multiple(const struct bi_planet_criterion *a, const struct bi_planet_leaf *leaf)
{
    double square = 0;
    if (leaf->level >= a->level) return 0;
    if (!a->has_camera) return leaf->error / a->split.error;
    if (leaf->error <= a->error) return 0;
    const struct bi_planet_ball ball = bi_planet_ball_of(leaf->position[0], leaf->position[1], leaf->error);
    if ((a->horizon && bi_planet_is_hidden(a, &ball)) || (a->cull && !bi_planet_in_view(a, &ball))) return 0;
    for (int c = 0; c < 3; c++) square += (a->eye[c] - ball.center[c]) * (a->eye[c] - ball.center[c]);
    /* bi_planet_exceeds compares the distance with radius + error x scale / multiple. */
    const double left = bi_sqrt(square) - ball.radius;
    return left > 0 ? leaf->error * a->split.scale / left : BI_INFINITY;
}

BI_FN void bi_step_planet_count_multiples(const struct bi_planet_multiple_counts *a, int64_t i)
{
    const double need = bi_planet_least_multiple(&a->criterion, a->leaves + i);
    if (need > 0) bi_atomic_fetch_add_u32(a->counts + (bi_f32_bits((float)need) >> 16), 1);
}

#endif
