/* Certificates: all pairs of bodies are proved to be apart along a step. A pair for which no proof is found on the
 * whole step is proved apart on halves of it, and halves of these. */
#ifndef BI_PLANNER_STEPS_CERTIFY_H
#define BI_PLANNER_STEPS_CERTIFY_H

#include "base/atomic.h"
#include "planner/steps/separate.h"

enum {
    BI_PLANNER_DEPTH = 12,      /* pieces are no shorter than 2^-12 of a step */
    BI_PLANNER_PIECES = 400,    /* of a step and a pair of bodies, at most */
    BI_PLANNER_PLACE_BITS = 20, /* of a fraction of a step */
};

struct bi_planner_steps_args {
    struct bi_planner_scene scene;
    const double *from, *to; /* (n x 4): of step i at i * stride */
    int64_t stride;
    uint32_t *places; /* (n), all bits set before: gets the first place without a proof, times 2^20 */
    uint8_t *certified;
    double *where; /* NULL: not asked for */
};

/* A piece of a step: number `index` of 2^level. */
struct bi_planner_piece {
    int32_t level, index;
};

/* To the piece behind one that is done with, in one of `level`; false behind the last. */
BI_FN bool bi_planner_next_piece(struct bi_planner_piece *piece, int32_t level)
{
    if (piece->level == level) return false;
    piece->index++;
    while (piece->level > level && piece->index % 2 == 0) {
        piece->index /= 2;
        piece->level--;
    }
    return piece->level > level;
}

/* Where it begins, and the place in the middle of it. */
BI_FN uint32_t bi_planner_begin_of(const struct bi_planner_piece *piece)
{
    return (uint32_t)piece->index << (BI_PLANNER_PLACE_BITS - piece->level);
}

BI_FN uint32_t bi_planner_place_of(const struct bi_planner_piece *piece)
{
    return (uint32_t)(2 * piece->index + 1) << (BI_PLANNER_PLACE_BITS - 1 - piece->level);
}

BI_FN void bi_planner_piece_of(const struct bi_planner_arc *arc, const struct bi_planner_piece *at,
                               struct bi_planner_arc *piece)
{
    double width = 1.0 / (double)(1 << at->level);
    bi_planner_arc_piece(arc, at->index * width, (at->index + 1) * width, piece);
}

BI_FN struct bi_planner_pair bi_planner_pair_of(const struct bi_planner_scene *s, int64_t a, int64_t b)
{
    const struct bi_planner_bodies *r = &s->robot, *o = &s->obstacle;
    struct bi_planner_pair pair = {{r->points + 3 * r->firsts[a], (int32_t)(r->firsts[a + 1] - r->firsts[a])},
                                   {o->points + 3 * o->firsts[b], (int32_t)(o->firsts[b + 1] - o->firsts[b])},
                                   r->radii[a],
                                   o->radii[b],
                                   r->reaches[a] + o->reaches[b]};
    return pair;
}

/* The first place in a piece of an arc, before `limit`, where a pair is not proved to be apart, though the balls around
 * them are not; else `limit`. The place does not depend on the limit. */
BI_FN uint32_t bi_planner_pair_place(const struct bi_planner_scene *s, const struct bi_planner_arc *arc,
                                     struct bi_planner_piece at, int64_t a, int64_t b, uint32_t limit)
{
    const double *ball = s->robot.bounds + 4 * a, *other = s->obstacle.bounds + 4 * b;
    struct bi_planner_pair pair = bi_planner_pair_of(s, a, b);
    const int32_t level = at.level;
    for (int pieces = 0; bi_planner_begin_of(&at) < limit; pieces++) {
        struct bi_planner_arc piece;
        bi_planner_piece_of(arc, &at, &piece);
        bool apart = at.level > level && bi_planner_balls_apart(&piece, ball, other, ball[3] + other[3]);
        enum bi_planner_verdict verdict = apart ? BI_PLANNER_APART : bi_planner_hulls_apart(&piece, &pair);
        if (verdict == BI_PLANNER_APART) {
            if (!bi_planner_next_piece(&at, level)) break;
        } else if (verdict == BI_PLANNER_TOUCHING || at.level == BI_PLANNER_DEPTH || pieces == BI_PLANNER_PIECES) {
            uint32_t place = bi_planner_place_of(&at);
            return place < limit ? place : limit;
        } else {
            at.level++;
            at.index *= 2;
        }
    }
    return limit;
}

/* How often a step is halved before bodies are compared, so that the ball of one does not move by much more than its
 * radius, nor a tenth of its distance from the origin: few others come near it then. It moves by 2 |a| sin of half the
 * angle. */
BI_FN int32_t bi_planner_first_level(const struct bi_planner_arc *arc, const double *ball)
{
    double square = arc->m[0].scale * arc->m[2].scale, dot = arc->m[1].scale, a2 = bi_planner_dot(ball, ball);
    double sweep2 = 4 * a2 * ((square - dot * dot) / square), width = 2 * ball[3] + 0.1 * bi_sqrt(a2);
    int32_t level = 0;
    for (double most2 = width * width; sweep2 > most2 && level < 4; most2 *= 4) level++;
    return level;
}

/* The first place, before `limit`, of a body and all of the obstacle, in a piece. */
BI_FN uint32_t bi_planner_piece_place(const struct bi_planner_scene *s, const struct bi_planner_arc *arc,
                                      const struct bi_planner_piece *at, int64_t a, uint32_t limit)
{
    const double *ball = s->robot.bounds + 4 * a;
    struct bi_planner_arc piece;
    bi_planner_piece_of(arc, at, &piece);
    const struct bi_planner_swept swept = bi_planner_sweep(&piece, ball);
    for (int64_t i = 0; i < s->node_count;) {
        const struct bi_planner_node *node = &s->nodes[i];
        if (bi_planner_swept_apart(&swept, node->ball, ball[3] + node->ball[3])) {
            i = node->skip;
            continue;
        }
        if (node->body >= 0) limit = bi_planner_pair_place(s, arc, *at, a, node->body, limit);
        i++;
    }
    return limit;
}

/* The same along the whole step. What other bodies have found, *found, is as good a limit: it only ends the search
 * where nothing before it can come any more. */
BI_FN uint32_t bi_planner_body_place(const struct bi_planner_scene *s, const struct bi_planner_arc *arc, int64_t a,
                                     uint32_t *found)
{
    struct bi_planner_piece at = {bi_planner_first_level(arc, s->robot.bounds + 4 * a), 0};
    uint32_t limit = UINT32_MAX;
    for (; at.index < 1 << at.level; at.index++) {
        uint32_t other = bi_atomic_load_u32(found);
        limit = other < limit ? other : limit;
        if (bi_planner_begin_of(&at) >= limit) break;
        limit = bi_planner_piece_place(s, arc, &at, a, limit);
    }
    return limit;
}

/* q'Mq for p and q, of the coefficients of ww, wx, wy, wz, xx, xy, xz, yy, yz, zz. */
BI_FN double bi_planner_blossom(const double *m, const double *p, const double *q, double *size)
{
    double sum = 0;
    int e = 0;
    *size = 0;
    for (int i = 0; i < 4; i++)
        for (int j = i; j < 4; j++, e++) {
            double term = m[e] * (0.5 * (p[i] * q[j] + p[j] * q[i]));
            sum += term;
            *size += bi_is_negative(m[e]) ? -m[e] : m[e];
        }
    return sum;
}

/* Whether a form is negative all along the arc from p to q, which are scaled, on the shorter way. */
BI_FN bool bi_planner_form_negative(const double *m, const double *p, const double *q, double length2)
{
    double c[3], size;
    c[0] = -bi_planner_blossom(m, p, p, &size);
    c[1] = -bi_planner_blossom(m, p, q, &size);
    c[2] = -bi_planner_blossom(m, q, q, &size);
    return bi_planner_positive(c, BI_PLANNER_ERROR * size * length2);
}

BI_FN bool bi_planner_forms_negative(const struct bi_planner_scene *s, const double *from, const double *to,
                                     double size)
{
    double p[4], q[4];
    bi_planner_scaled(from, p);
    bi_planner_scaled(to, q);
    double dot = (p[0] * q[0] + p[1] * q[1]) + (p[2] * q[2] + p[3] * q[3]);
    for (int k = 0; k < 4; k++) q[k] = dot < 0 ? -q[k] : q[k];
    for (int64_t f = 0; f < s->form_count; f++)
        if (!bi_planner_form_negative(s->forms + 10 * f, p, q, size)) return false;
    return true;
}

/* Item i: step and body of the robot; the last one of a step has the forms. */
BI_FN void bi_step_planner_certify(const struct bi_planner_steps_args *a, int64_t i)
{
    int64_t items = a->scene.robot.count + 1, step = i / items, body = i % items;
    const double *from = a->from + step * a->stride, *to = a->to + step * a->stride;
    struct bi_planner_arc arc;
    uint32_t place = UINT32_MAX;
    if (!bi_planner_arc_of(from, to, &arc)) {
        place = 1u << (BI_PLANNER_PLACE_BITS - 1);
    } else if (body == a->scene.robot.count) {
        if (!bi_planner_forms_negative(&a->scene, from, to, arc.size)) place = 1u << (BI_PLANNER_PLACE_BITS - 1);
    } else {
        place = bi_planner_body_place(&a->scene, &arc, body, &a->places[step]);
    }
    if (place != UINT32_MAX) bi_atomic_min_u32(&a->places[step], place);
}

BI_FN void bi_step_planner_verdict(const struct bi_planner_steps_args *a, int64_t i)
{
    bool certified = a->places[i] == UINT32_MAX;
    if (a->certified) a->certified[i] = certified;
    if (a->where) a->where[i] = certified ? -1 : (double)a->places[i] / (double)(1 << BI_PLANNER_PLACE_BITS);
}

#endif
