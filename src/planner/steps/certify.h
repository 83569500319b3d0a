/* Certificates: proofs that all pairs of bodies are disjoint along a step. Each proof is a form linear in the rotation
 * matrix, so a quadratic form of the quaternion, that is positive along a piece of the step. A pair without a proof on
 * the whole step is tested on its halves, and their halves. */
#ifndef BI_PLANNER_STEPS_CERTIFY_H
#define BI_PLANNER_STEPS_CERTIFY_H

#include "base/atomic.h"
#include "planner/steps/closest.h"

/* ---- two bodies on a piece ---- */

/* A body of each side: hulls grown by radii. */
struct bi_planner_pair {
    struct bi_planner_hull robot, obstacle;
    double robot_radius, obstacle_radius;
    double reach; /* sum of the bounds of the distance of their points from the origin */
};

/* The center of a robot's ball along an arc, for comparison with many balls. */
struct bi_planner_swept {
    double turned[3][3], scales[3], size, length2, length;
};

BI_FN struct bi_planner_swept bi_planner_sweep(const struct bi_planner_arc *arc, const double *a)
{
    const double length2 = bi_planner_dot(a, a);
    struct bi_planner_swept swept = {{{0}}, {0}, arc->size, length2, bi_sqrt(length2)};
    for (int k = 0; k < 3; k++) {
        bi_planner_rotate(arc->m[k].r, a, swept.turned[k]);
        swept.scales[k] = arc->m[k].scale;
    }
    return swept;
}

/* True if the rotated ball about a is apart from the ball about b: |Ra - b|^2 > r^2, or |a|^2 + |b|^2 - r^2 - 2 b.Ra >
 * 0. */
BI_FN bool bi_planner_swept_apart(const struct bi_planner_swept *a, const double *b, double radii)
{
    double r = radii * (1 + 0x1p-48), b2 = bi_planner_dot(b, b), c[3];
    for (int k = 0; k < 3; k++) c[k] = (a->length2 + b2 - r * r) * a->scales[k] - 2 * bi_planner_dot(b, a->turned[k]);
    double size = (a->length + bi_sqrt(b2)) + r;
    return bi_planner_positive(c, BI_PLANNER_ERROR * (size * size) * a->size);
}

/* The same for an arc of length 0, whose three coefficients are equal. */
BI_FN bool bi_planner_static_balls_apart(const struct bi_planner_swept *a, const double *b, double radii)
{
    double r = radii * (1 + 0x1p-48), b2 = bi_planner_dot(b, b), size = (a->length + bi_sqrt(b2)) + r;
    double c = (a->length2 + b2 - r * r) * a->scales[0] - 2 * bi_planner_dot(b, a->turned[0]);
    return c - BI_PLANNER_ERROR * (size * size) * a->size > 0;
}

BI_FN bool bi_planner_balls_apart(const struct bi_planner_arc *arc, const double *a, const double *b, double radii)
{
    const struct bi_planner_swept swept = bi_planner_sweep(arc, a);
    return bi_planner_swept_apart(&swept, b, radii);
}

/* True if a fixed plane of normal n separates the bodies: n.Rv > n.w for all vertices v of the robot's and w of the
 * obstacle's. */
BI_FN bool bi_planner_fixed_plane_separates(const struct bi_planner_arc *arc, const struct bi_planner_pair *pair,
                                            const double *n)
{
    double length = bi_planner_length(n), error = BI_PLANNER_ERROR * length * pair->reach * arc->size;
    int32_t top = bi_planner_support(&pair->obstacle, n, -1);
    double h = bi_planner_dot(n, pair->obstacle.points + 3 * (int64_t)top), back[3][3];
    h += length * (pair->robot_radius + pair->obstacle_radius);
    for (int k = 0; k < 3; k++) bi_planner_rotate_back(arc->m[k].r, n, back[k]);
    for (int32_t v = 0; v < pair->robot.count; v++) {
        double c[3];
        for (int k = 0; k < 3; k++)
            c[k] = bi_planner_dot(back[k], pair->robot.points + 3 * (int64_t)v) - h * arc->m[k].scale;
        if (!bi_planner_positive(c, error)) return false;
    }
    return true;
}

/* True if a plane of normal Rn, which turns with the robot, separates the bodies. */
BI_FN bool bi_planner_turning_plane_separates(const struct bi_planner_arc *arc, const struct bi_planner_pair *pair,
                                              const double *n)
{
    double length = bi_planner_length(n), error = BI_PLANNER_ERROR * length * pair->reach * arc->size;
    int32_t bottom = bi_planner_support(&pair->robot, n, 1);
    double h = bi_planner_dot(n, pair->robot.points + 3 * (int64_t)bottom), turned[3][3];
    h -= length * (pair->robot_radius + pair->obstacle_radius);
    for (int k = 0; k < 3; k++) bi_planner_rotate(arc->m[k].r, n, turned[k]);
    for (int32_t w = 0; w < pair->obstacle.count; w++) {
        double c[3];
        for (int k = 0; k < 3; k++)
            c[k] = h * arc->m[k].scale - bi_planner_dot(turned[k], pair->obstacle.points + 3 * (int64_t)w);
        if (!bi_planner_positive(c, error)) return false;
    }
    return true;
}

/* True if the plane parallel to a rotated edge K of the robot and an edge L of the obstacle separates the bodies: n =
 * RK x L, so n.Rv = L.R(v x K) and n.w = RK.(L x w). closest->edges holds: both edges are known. middle: the rotation
 * in the middle of the arc. False proves nothing. */
BI_FN bool bi_planner_edge_plane_separates(const struct bi_planner_arc *arc, const struct bi_planner_pair *pair,
                                           const struct bi_planner_closest *closest, const double *middle)
{
    const double *edge = closest->robot_edge, *other = closest->obstacle_edge;
    double turned[3][3], normal[3], crossed[3], along[3], moment[3];
    double lengths = bi_planner_length(edge) * bi_planner_length(other);
    double error = BI_PLANNER_ERROR * lengths * pair->reach * arc->size;
    double gap = lengths * (pair->robot_radius + pair->obstacle_radius); /* |n| <= the product of the lengths */
    /* Orient n towards the robot, as in the middle of the piece. */
    bi_planner_rotate(middle, edge, along);
    bi_planner_cross(along, other, normal);
    double sign = bi_planner_dot(normal, closest->normal) < 0 ? -1 : 1;
    for (int k = 0; k < 3; k++) bi_planner_rotate(arc->m[k].r, edge, turned[k]);
    for (int32_t v = 0; v < pair->robot.count; v++) {
        double above[3];
        bi_planner_cross(pair->robot.points + 3 * (int64_t)v, edge, crossed);
        for (int k = 0; k < 3; k++) {
            bi_planner_rotate(arc->m[k].r, crossed, along);
            above[k] = bi_planner_dot(other, along);
        }
        for (int32_t w = 0; w < pair->obstacle.count; w++) {
            double c[3];
            bi_planner_cross(other, pair->obstacle.points + 3 * (int64_t)w, moment);
            for (int k = 0; k < 3; k++)
                c[k] = sign * (above[k] - bi_planner_dot(turned[k], moment)) - gap * arc->m[k].scale;
            if (!bi_planner_positive(c, error)) return false;
        }
    }
    return true;
}

enum bi_planner_verdict { BI_PLANNER_APART, BI_PLANNER_UNDECIDED, BI_PLANNER_TOUCHING };

/* Tries the planes proposed by the closest points in the middle of the piece. APART is proved; TOUCHING is not. */
BI_FN enum bi_planner_verdict bi_planner_hulls_apart(const struct bi_planner_arc *arc,
                                                     const struct bi_planner_pair *pair)
{
    struct bi_planner_closest closest;
    double middle[9], back[3], radii = pair->robot_radius + pair->obstacle_radius;
    bi_planner_arc_middle(arc, middle);
    bi_planner_closest_points(&pair->robot, middle, &pair->obstacle, &closest);
    if (closest.touching || bi_planner_dot(closest.normal, closest.normal) <= radii * radii) return BI_PLANNER_TOUCHING;
    if (bi_planner_fixed_plane_separates(arc, pair, closest.normal)) return BI_PLANNER_APART;
    bi_planner_rotate_back(middle, closest.normal, back);
    if (bi_planner_turning_plane_separates(arc, pair, back)) return BI_PLANNER_APART;
    if (closest.edges && bi_planner_edge_plane_separates(arc, pair, &closest, middle)) return BI_PLANNER_APART;
    return BI_PLANNER_UNDECIDED;
}

/* ---- steps ---- */

enum {
    BI_PLANNER_DEPTH = 12,         /* pieces are at least 2^-12 of a step; not measured */
    BI_PLANNER_PIECES = 400,       /* of a pair of bodies in a piece of the first level, at most; not measured */
    BI_PLANNER_FRACTION_BITS = 20, /* of the fraction of a step */
};

struct bi_planner_steps_args {
    struct bi_planner_scene scene;
    const double *from, *to; /* (n x 4): of step i at i * stride */
    int64_t stride;
    uint32_t *failures; /* (n), initially UINT32_MAX: first fraction without a proof, times 2^20 */
    uint8_t *certified;
    double *where; /* NULL: not requested */
};

/* A piece of a step: number `index` of 2^level. */
struct bi_planner_piece {
    int32_t level, index;
};

/* Advances to the next piece within a piece of `level`; false after the last. */
BI_FN bool bi_planner_next_piece(struct bi_planner_piece *piece, int32_t level)
{
    if (piece->level == level) return false;
    piece->index++;
    /* Behind a second half, the next piece is behind its parent. */
    while (piece->level > level && piece->index % 2 == 0) {
        piece->index /= 2;
        piece->level--;
    }
    return piece->level > level;
}

/* The start and the middle of a piece, times 2^20. */
BI_FN uint32_t bi_planner_piece_start(const struct bi_planner_piece *piece)
{
    return (uint32_t)piece->index << (BI_PLANNER_FRACTION_BITS - piece->level);
}

BI_FN uint32_t bi_planner_piece_middle(const struct bi_planner_piece *piece)
{
    return (uint32_t)(2 * piece->index + 1) << (BI_PLANNER_FRACTION_BITS - 1 - piece->level);
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
    struct bi_planner_pair pair = {{r->points + 3 * r->offsets[a], (int32_t)(r->offsets[a + 1] - r->offsets[a])},
                                   {o->points + 3 * o->offsets[b], (int32_t)(o->offsets[b + 1] - o->offsets[b])},
                                   r->radii[a],
                                   o->radii[b],
                                   r->reaches[a] + o->reaches[b]};
    return pair;
}

/* Returns the first failure, before `limit`, of the proof for a pair in a piece of an arc; else `limit`. A failure is
 * the middle of a smallest piece without a proof, and does not depend on the limit. */
BI_FN uint32_t bi_planner_find_pair_failure(const struct bi_planner_scene *s, const struct bi_planner_arc *arc,
                                            struct bi_planner_piece at, int64_t a, int64_t b, uint32_t limit)
{
    const double *ball = s->robot.bounds + 4 * a, *other = s->obstacle.bounds + 4 * b;
    struct bi_planner_pair pair = bi_planner_pair_of(s, a, b);
    const int32_t level = at.level;
    for (int pieces = 0; bi_planner_piece_start(&at) < limit; pieces++) {
        struct bi_planner_arc piece;
        bi_planner_piece_of(arc, &at, &piece);
        bool apart = at.level > level && bi_planner_balls_apart(&piece, ball, other, ball[3] + other[3]);
        enum bi_planner_verdict verdict = apart ? BI_PLANNER_APART : bi_planner_hulls_apart(&piece, &pair);
        if (verdict == BI_PLANNER_APART) { /* go on; or fail; or halve the piece */
            if (!bi_planner_next_piece(&at, level)) break;
        } else if (verdict == BI_PLANNER_TOUCHING || at.level == BI_PLANNER_DEPTH || pieces == BI_PLANNER_PIECES) {
            uint32_t failure = bi_planner_piece_middle(&at);
            return failure < limit ? failure : limit;
        } else {
            at.level++;
            at.index *= 2;
        }
    }
    return limit;
}

/* Returns the number of times to halve a step before the tree is searched (at most 4), so that the ball moves by little
 * more than its diameter and a tenth of its distance from the origin, and few bodies are near. The ball moves by 2 |a|
 * times the sine of half the angle. BI_PLANNER_PIECES counts from this level on. The numbers are not measured. */
BI_FN int32_t bi_planner_first_level(const struct bi_planner_arc *arc, const double *ball)
{
    double square = arc->m[0].scale * arc->m[2].scale, dot = arc->m[1].scale, a2 = bi_planner_dot(ball, ball);
    double sweep2 = 4 * a2 * ((square - dot * dot) / square), width = 2 * ball[3] + 0.1 * bi_sqrt(a2);
    int32_t level = 0;
    for (double most2 = width * width; sweep2 > most2 && level < 4; most2 *= 4) level++;
    return level;
}

/* Returns the first failure, before `limit`, of a body against the whole obstacle in a piece. */
BI_FN uint32_t bi_planner_find_piece_failure(const struct bi_planner_scene *s, const struct bi_planner_arc *arc,
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
        if (node->body >= 0) limit = bi_planner_find_pair_failure(s, arc, *at, a, node->body, limit);
        i++;
    }
    return limit;
}

/* The same along the whole step. A failure of another body, *found, may end the search early: only later failures are
 * lost. */
BI_FN uint32_t bi_planner_find_body_failure(const struct bi_planner_scene *s, const struct bi_planner_arc *arc,
                                            int64_t a, uint32_t *found)
{
    struct bi_planner_piece at = {bi_planner_first_level(arc, s->robot.bounds + 4 * a), 0};
    uint32_t limit = UINT32_MAX;
    for (; at.index < 1 << at.level; at.index++) {
        uint32_t other = bi_atomic_load_u32(found);
        limit = other < limit ? other : limit;
        if (bi_planner_piece_start(&at) >= limit) break;
        limit = bi_planner_find_piece_failure(s, arc, &at, a, limit);
    }
    return limit;
}

/* Returns p'Mq, M given by the coefficients of ww, wx, wy, wz, xx, xy, xz, yy, yz, zz; *size: sum of their
 * magnitudes. */
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

/* True if a form is proved negative along the shorter arc between scaled p and q. */
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
    bi_planner_scale_quaternion(from, p);
    bi_planner_scale_quaternion(to, q);
    double dot = bi_planner_dot4(p, q);
    for (int k = 0; k < 4; k++) q[k] = dot < 0 ? -q[k] : q[k];
    for (int64_t f = 0; f < s->form_count; f++)
        if (!bi_planner_form_negative(s->forms + 10 * f, p, q, size)) return false;
    return true;
}

/* Item i: a step and a body of the robot; the last item of a step tests the forms. */
BI_FN void bi_step_planner_certify(const struct bi_planner_steps_args *a, int64_t i)
{
    int64_t items = a->scene.robot.count + 1, step = i / items, body = i % items;
    const double *from = a->from + step * a->stride, *to = a->to + step * a->stride;
    struct bi_planner_arc arc;
    uint32_t failure = UINT32_MAX;
    /* Failures of ambiguous arcs and of forms have no known fraction: the middle stands for them. */
    if (!bi_planner_arc_of(from, to, &arc)) {
        failure = 1u << (BI_PLANNER_FRACTION_BITS - 1);
    } else if (body == a->scene.robot.count) {
        if (!bi_planner_forms_negative(&a->scene, from, to, arc.size)) failure = 1u << (BI_PLANNER_FRACTION_BITS - 1);
    } else {
        failure = bi_planner_find_body_failure(&a->scene, &arc, body, &a->failures[step]);
    }
    if (failure != UINT32_MAX) bi_atomic_min_u32(&a->failures[step], failure);
}

BI_FN void bi_step_planner_verdict(const struct bi_planner_steps_args *a, int64_t i)
{
    bool certified = a->failures[i] == UINT32_MAX;
    if (a->certified) a->certified[i] = certified;
    if (a->where) a->where[i] = certified ? -1 : (double)a->failures[i] / (double)(1 << BI_PLANNER_FRACTION_BITS);
}

#endif
