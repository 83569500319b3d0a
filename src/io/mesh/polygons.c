/* Cuts polygons into triangles: a fan where that covers the polygon, else by clipping ears. Signs are exact. Sources:
 * Meisters, Polygons Have Ears (1975); Held, FIST: Fast Industrial-Strength Triangulation of Polygons (2001).
 *
 * A polygon is seen along an axis in which its area is not much less than along its normal. Triangles of positive area
 * add up to the winding number of the polygon at each point. So if they do not overlap, they cover the polygon once,
 * and it does not cross itself; corners may touch edges, as those of a hole that a double edge joins to the outline.
 *
 * A tree of boxes finds the edges near a corner, and edges that touch. A polygon whose edges do not touch needs no
 * comparison of its triangles. Measured, 16,384 corners: a gear .07 s, a spiral, a comb or a star .5 to 1 s. The work
 * is O(k^2) where many edges or triangles are near each other, as if thousands of corners are on one line. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/orient.h"
#include "io/mesh/box_tree.h"
#include "io/mesh/faces.h"
#include "io/text/row.h"

enum {
    CORNERS_MAX = 1 << 14, /* of a polygon without a fan: bounds the quadratic cost of the worst ones; not measured */
    REFRESHES_MAX = 8,     /* times that all corners of a polygon are rated again; not measured */
    REPORT_STEPS = 64,     /* corners or triangles between two reports; not measured */
    EXPONENT_MAX = 200     /* beyond it coordinates are scaled, so that no product of four overflows or underflows */
};
static const double SMALLEST = 0x1p-100; /* coordinates below this share of the largest count as 0 */
/* A share of the largest coordinate: four times the rounding of a float, as distances are differences; not measured. */
static const double THIN = 0x1p-22;

static double smaller(double a, double b) { return b < a ? b : a; }
static double larger(double a, double b) { return b > a ? b : a; }

/* ---- lists ---- */

static bool add_polygon(struct bi_faces *faces, size_t corners, int64_t line)
{
    if (faces->polygon_count == faces->polygon_capacity) {
        size_t capacity = faces->polygon_capacity ? 2 * faces->polygon_capacity : BI_IO_MIN_CAPACITY;
        struct bi_polygon *grown = bi_io_realloc(faces->polygons, capacity * sizeof *grown);
        if (!grown) return false;
        faces->polygons = grown;
        faces->polygon_capacity = capacity;
    }
    faces->polygons[faces->polygon_count++] = (struct bi_polygon){faces->count / 3, corners, line};
    return true;
}

bool bi_faces_add(struct bi_faces *faces, const double *corners, size_t count, int64_t line)
{
    size_t more = count < 3 ? 0 : 3 * (count - 2);
    if (faces->capacity - faces->count < more) {
        size_t capacity = faces->count + more > 2 * faces->capacity ? faces->count + more : 2 * faces->capacity;
        uint32_t *grown = bi_io_realloc(faces->data, capacity * sizeof *grown);
        if (!grown) return false;
        faces->data = grown;
        faces->capacity = capacity;
    }
    if (count > 3 && !add_polygon(faces, count, line)) return false;
    for (size_t k = 2; k < count; k++) {
        faces->data[faces->count++] = (uint32_t)(int64_t)corners[0];
        faces->data[faces->count++] = (uint32_t)(int64_t)corners[k - 1];
        faces->data[faces->count++] = (uint32_t)(int64_t)corners[k];
    }
    return true;
}

void bi_faces_free(struct bi_faces *faces)
{
    free(faces->data);
    free(faces->polygons);
    *faces = (struct bi_faces){0};
}

/* ---- a polygon ---- */

/* Corner ratings, from the best ear on. */
enum rating {
    SPIKE,   /* the edges at it lie on each other, or it is given twice: its triangle has no area */
    EAR,     /* the triangle with both neighbours lies in the polygon */
    TOUCHED, /* the same, but a corner lies on its third side */
    FLAT,    /* it lies between its neighbours: its triangle has no area */
    NO_EAR
};

struct polygon {
    struct bi_numbers points; /* (n x 3) its corners */
    uint32_t n;
    double largest;                                     /* coordinate, by absolute value */
    int u, v;                                           /* axes in which it is counterclockwise */
    uint32_t *corners, *previous, *following, *clipped; /* (n) vertex numbers; ring of the rest; (n - 2 x 3) result */
    uint32_t capacity;                                  /* of these arrays, in corners */
    /* Of corners in the ring: the edge to the following one, and the rating; then of triangles. */
    struct bi_box_tree tree;
    double done; /* corners of earlier polygons */
    double work[BI_ORIENT2_WORK];
};

static const double *point(const struct polygon *p, uint32_t i) { return p->points.data + 3 * (size_t)i; }

static int orient(struct polygon *p, uint32_t a, uint32_t b, uint32_t c)
{
    return bi_orient2(p->work, point(p, a), point(p, b), point(p, c), p->u, p->v);
}

/* Copies the corners, so scaled that signs are exact. False: a coordinate is infinite. */
static bool gather_points(struct polygon *p, const double *vertices, const uint32_t *fan)
{
    double largest = 0;
    int exponent;
    double *to = p->points.data;
    for (uint32_t i = 0; i < p->n; i++) {
        const uint32_t vertex = i == 0 ? fan[0] : i == 1 ? fan[1] : fan[3 * (size_t)(i - 2) + 2];
        for (int c = 0; c < 3; c++) {
            double x = *to++ = vertices[3 * (size_t)vertex + c];
            if (!(fabs(x) <= largest)) largest = fabs(x);
        }
    }
    if (!isfinite(largest)) return false;
    frexp(largest, &exponent);
    if (exponent >= -EXPONENT_MAX && exponent <= EXPONENT_MAX) exponent = 0;
    p->largest = exponent ? scalbn(largest, -exponent) : largest;
    for (to = p->points.data; to < p->points.data + 3 * (size_t)p->n; to++) {
        if (exponent) *to = scalbn(*to, -exponent);
        if (fabs(*to) < SMALLEST * p->largest) *to = 0;
    }
    return true;
}

/* Computes the normal, whose length is twice the area, by Newell's method (Sutherland, Sproull, Schumacker 1974). Of a
 * polygon without area, such as a b c b, the sums of absolute values show where its corners extend. */
static void compute_normal(const struct polygon *p, double normal[3])
{
    const double *first = point(p, 0);
    double sizes[3] = {0};
    normal[0] = normal[1] = normal[2] = 0;
    for (uint32_t i = 1; i + 1 < p->n; i++) {
        double a[3], b[3];
        for (int c = 0; c < 3; c++) {
            a[c] = point(p, i)[c] - first[c];
            b[c] = point(p, i + 1)[c] - first[c];
        }
        for (int c = 0; c < 3; c++) {
            double part = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
            normal[c] += part;
            sizes[c] += fabs(part);
        }
    }
    if (normal[0] == 0 && normal[1] == 0 && normal[2] == 0) memcpy(normal, sizes, sizeof sizes);
}

/* True if the fan around corner 0 covers the polygon: triangles of positive area that turn by less than a circle. */
static bool is_fan(struct polygon *p)
{
    bool beyond = false; /* the fan has turned by more than half a circle */
    for (uint32_t k = 1; k + 1 < p->n; k++) {
        if (orient(p, 0, k, k + 1) <= 0) return false;
        if (k == 1) continue;
        int side = orient(p, 0, 1, k + 1);
        if (beyond && side >= 0) return false;
        beyond = side < 0;
    }
    return true;
}

/* ---- ears ---- */

static bool reserve_corners(struct polygon *p)
{
    if (p->n <= p->capacity) return true;
    size_t n = p->n;
    uint32_t *memory = bi_io_realloc(p->corners, 6 * n * sizeof *memory);
    if (!memory) return false;
    p->corners = memory;
    p->previous = memory + n;
    p->following = memory + 2 * n;
    p->clipped = memory + 3 * n;
    p->capacity = p->n;
    return true;
}

/* True if the points of one range of coordinates are not beyond the other in either axis. */
static bool ranges_overlap(const struct polygon *p, const double *const *a, int a_count, const double *const *b)
{
    for (int axis = 0; axis < 2; axis++) {
        const int c = axis ? p->v : p->u;
        double low = smaller(smaller(b[0][c], b[1][c]), b[2][c]), high = larger(larger(b[0][c], b[1][c]), b[2][c]);
        int below = 0, above = 0;
        for (int i = 0; i < a_count; i++) {
            below += a[i][c] <= low;
            above += a[i][c] >= high;
        }
        if (below == a_count || above == a_count) return false;
    }
    return true;
}

/* True if an edge i j touches the interior of a triangle of positive area: no line along the edge, or along the first
 * two sides of the triangle, separates them. The caller has compared them with the third side. */
static bool edge_touches(struct polygon *p, uint32_t i, uint32_t j, const uint32_t t[3])
{
    const double *const ends[2] = {point(p, i), point(p, j)};
    const double *const corners[3] = {point(p, t[0]), point(p, t[1]), point(p, t[2])};
    if (!ranges_overlap(p, ends, 2, corners)) return false;
    int left = 0, right = 0;
    for (int k = 0; k < 3; k++) {
        if (k < 2 && orient(p, t[k], t[k + 1], i) <= 0 && orient(p, t[k], t[k + 1], j) <= 0) return false;
        int side = orient(p, i, j, t[k]);
        left |= side > 0;
        right |= side < 0;
    }
    return left && right;
}

/* True if a corner on the line a b lies between them. */
static bool is_between(const struct polygon *p, uint32_t a, uint32_t b, uint32_t corner)
{
    const int c = point(p, a)[p->u] != point(p, b)[p->u] ? p->u : p->v;
    const double x = point(p, corner)[c];
    return x > smaller(point(p, a)[c], point(p, b)[c]) && x < larger(point(p, a)[c], point(p, b)[c]);
}

/* Reports the share of a polygon that is done; false if the caller cancelled. */
static bool report(const struct polygon *p, double share) { return bi_io_set_done(p->done + share * p->n); }

static struct bi_box box_of_edge(const struct polygon *p, uint32_t i)
{
    return bi_box_around(point(p, i), point(p, p->following[i]), p->u, p->v);
}

static struct bi_box_triangle triangle_of(const struct polygon *p, const uint32_t *t)
{
    return bi_box_triangle_of(point(p, t[0]), point(p, t[1]), point(p, t[2]), p->u, p->v);
}

static enum rating rate_corner(struct polygon *p, uint32_t corner)
{
    const uint32_t t[3] = {p->previous[corner], corner, p->following[corner]};
    const struct bi_box_tree *tree = &p->tree;
    int side = orient(p, t[0], t[1], t[2]);
    enum rating rating = EAR;
    if (side < 0) return NO_EAR;
    if (side == 0) return is_between(p, t[0], t[2], corner) ? FLAT : SPIKE;
    const struct bi_box_triangle triangle = triangle_of(p, t);
    for (uint32_t i = 0, known = t[0]; (i = bi_box_tree_next_touching(tree, i, &triangle)) < tree->leaves; i++) {
        if (i == t[0] || i == corner) continue; /* their edges are the triangle's */
        /* Sides of the edge's ends. Of the edge before, `known` is the end and `side` its side; at first there is none,
         * as t[0] is skipped. */
        const int begin = i == known ? side : orient(p, t[2], t[0], i);
        known = p->following[i];
        side = orient(p, t[2], t[0], known);
        if ((begin > 0 || side > 0) && edge_touches(p, i, known, t)) return NO_EAR;
        if (begin == 0 && i != t[2] && is_between(p, t[2], t[0], i)) rating = TOUCHED;
    }
    return rating;
}

/* Rates all corners of the ring. False if the caller cancelled. */
static bool rate_all(struct polygon *p, uint32_t from, double done)
{
    uint32_t i = from, count = 0;
    do {
        if (count++ % REPORT_STEPS == 0 && !report(p, done)) return false;
        bi_box_tree_set_rating(&p->tree, i, (uint8_t)rate_corner(p, i));
    } while ((i = p->following[i]) != from);
    bi_box_tree_build(&p->tree);
    return true;
}

/* Returns the corner to clip: a spike or an ear, or else the best one; the first of these from a corner on. */
static uint32_t find_ear(const struct polygon *p, uint32_t from, enum rating *rating)
{
    const uint8_t least = bi_box_tree_least(&p->tree), most = least < EAR ? EAR : least;
    uint32_t best = bi_box_tree_next_rated(&p->tree, from, most);
    if (best == p->tree.leaves) best = bi_box_tree_next_rated(&p->tree, 0, most);
    *rating = (enum rating)bi_box_tree_rating(&p->tree, best);
    return best;
}

/* Links all corners to a ring. False: out of memory. */
static bool make_ring(struct polygon *p)
{
    if (!bi_box_tree_make(&p->tree, p->n)) return false;
    for (uint32_t i = 0; i < p->n; i++) {
        p->previous[i] = i ? i - 1 : p->n - 1;
        p->following[i] = i + 1 < p->n ? i + 1 : 0;
        bi_box_tree_set(&p->tree, i, box_of_edge(p, i), NO_EAR);
    }
    bi_box_tree_build(&p->tree);
    return true;
}

/* Removes a corner from the ring, and rates its neighbours again. */
static void remove_corner(struct polygon *p, uint32_t corner)
{
    const uint32_t neighbours[2] = {p->previous[corner], p->following[corner]};
    p->following[neighbours[0]] = neighbours[1];
    p->previous[neighbours[1]] = neighbours[0];
    bi_box_tree_clear(&p->tree, corner);
    bi_box_tree_update(&p->tree, corner);
    bi_box_tree_set(&p->tree, neighbours[0], box_of_edge(p, neighbours[0]), NO_EAR);
    bi_box_tree_update(&p->tree, neighbours[0]);
    for (int k = 0; k < 2; k++) {
        bi_box_tree_set_rating(&p->tree, neighbours[k], (uint8_t)rate_corner(p, neighbours[k]));
        bi_box_tree_update(&p->tree, neighbours[k]);
    }
}

enum cut { CUT, NOT_CUT, NO_MEMORY, CANCELLED };

/* True if two edges, which do not follow each other, have a common point. */
static bool edges_touch(struct polygon *p, uint32_t i, uint32_t k)
{
    const uint32_t j = p->following[i], l = p->following[k];
    return orient(p, i, j, k) * orient(p, i, j, l) <= 0 && orient(p, k, l, i) * orient(p, k, l, j) <= 0;
}

/* True if edges of the ring, of all corners, have no points in common but the corners between them. Then the polygon
 * winds once around its inside, so that triangles of positive area cannot overlap. */
static bool is_simple(struct polygon *p)
{
    const struct bi_box_tree *tree = &p->tree;
    for (uint32_t i = 0; i < p->n; i++) {
        const uint32_t j = p->following[i], after = p->following[j];
        const bool is_straight = orient(p, i, j, after) == 0;
        if (i % REPORT_STEPS == 0 && !report(p, 0)) return false;
        if (is_straight && !is_between(p, i, after, j)) return false;
        const struct bi_box_triangle edge = bi_box_triangle_of(point(p, i), point(p, j), point(p, j), p->u, p->v);
        for (uint32_t k = i + 1; (k = bi_box_tree_next_touching(tree, k, &edge)) < tree->leaves; k++)
            if (k != j && p->following[k] != i && edges_touch(p, i, k)) return false;
    }
    return true;
}

/* Clips ears until three corners are left. NOT_CUT: there is none. */
static enum cut clip_ears(struct polygon *p)
{
    uint32_t at = 0, count = 0;
    int refreshes = 0;
    /* 1. Rate the ring of all corners. */
    if (!rate_all(p, at, 0)) return CANCELLED;
    /* 2. Clip. Ratings other than those of the neighbours stay, except where corners touch. */
    while (count + 3 < p->n) {
        enum rating rating;
        const double done = (1 + (double)count / p->n) / 3;
        uint32_t ear = find_ear(p, at, &rating);
        if (count % REPORT_STEPS == 0 && !report(p, done)) return CANCELLED;
        if (rating == NO_EAR) {
            if (refreshes++ == REFRESHES_MAX) return NOT_CUT;
            if (!rate_all(p, at, done)) return CANCELLED;
            ear = find_ear(p, at, &rating);
            if (rating == NO_EAR) return NOT_CUT;
        }
        const uint32_t before = p->previous[ear], after = p->following[ear];
        memcpy(p->clipped + 3 * (size_t)count++, (const uint32_t[]){before, ear, after}, 3 * sizeof ear);
        remove_corner(p, ear);
        at = p->following[after]; /* skipping a corner makes fewer slivers */
    }
    /* 3. The last triangle. */
    const uint32_t before = p->previous[at], after = p->following[at];
    memcpy(p->clipped + 3 * (size_t)count, (const uint32_t[]){before, at, after}, 3 * sizeof at);
    return orient(p, before, at, after) >= 0 ? CUT : NOT_CUT;
}

static bool triangles_overlap(struct polygon *p, const uint32_t *t, const uint32_t *s)
{
    const double *const a[3] = {point(p, t[0]), point(p, t[1]), point(p, t[2])};
    const double *const b[3] = {point(p, s[0]), point(p, s[1]), point(p, s[2])};
    if (!ranges_overlap(p, a, 3, b)) return false;
    for (int swapped = 0; swapped < 2; swapped++) {
        const uint32_t *x = swapped ? s : t, *y = swapped ? t : s;
        for (int k = 0; k < 3; k++) {
            int beyond = 0;
            for (int i = 0; i < 3; i++) beyond += orient(p, x[k], x[(k + 1) % 3], y[i]) <= 0;
            if (beyond == 3) return false;
        }
    }
    return true;
}

/* NOT_CUT if two of the clipped triangles overlap; those without area cannot. */
static enum cut check_overlaps(struct polygon *p)
{
    const uint32_t triangles = p->n - 2;
    /* 1. The boxes of the triangles with an area, in place of the ring's. */
    if (!bi_box_tree_make(&p->tree, triangles)) return NO_MEMORY;
    for (uint32_t i = 0; i < triangles; i++) {
        const uint32_t *t = p->clipped + 3 * (size_t)i;
        if (orient(p, t[0], t[1], t[2]) != 0) bi_box_tree_set(&p->tree, i, triangle_of(p, t).box, 0);
    }
    bi_box_tree_build(&p->tree);
    /* 2. Each of them with the later ones. */
    for (uint32_t i = 0; (i = bi_box_tree_next_rated(&p->tree, i, 0)) < triangles; i++) {
        const uint32_t *t = p->clipped + 3 * (size_t)i;
        const struct bi_box_triangle triangle = triangle_of(p, t);
        if (i % REPORT_STEPS == 0 && !report(p, (2 + (double)i / p->n) / 3)) return CANCELLED;
        for (uint32_t k = i + 1; (k = bi_box_tree_next_touching(&p->tree, k, &triangle)) < p->tree.leaves; k++)
            if (triangles_overlap(p, t, p->clipped + 3 * (size_t)k)) return NOT_CUT;
    }
    return CUT;
}

/* True if all corners lie within the rounding of floats of one line, so that any triangles will do. */
static bool is_thin(const struct polygon *p)
{
    double longest = 0, along[3] = {0}, widest = 0;
    for (uint32_t i = 1; i < p->n; i++) {
        double d[3], square = 0;
        for (int c = 0; c < 3; c++) {
            d[c] = point(p, i)[c] - point(p, 0)[c];
            square += d[c] * d[c];
        }
        if (square <= longest) continue;
        longest = square;
        memcpy(along, d, sizeof along);
    }
    for (uint32_t i = 1; i < p->n; i++) {
        double square = 0;
        for (int c = 0; c < 3; c++) {
            const int d = (c + 1) % 3, e = (c + 2) % 3;
            double part = (point(p, i)[d] - point(p, 0)[d]) * along[e] - (point(p, i)[e] - point(p, 0)[e]) * along[d];
            square += part * part;
        }
        widest = larger(widest, square);
    }
    return sqrt(widest) <= THIN * p->largest * sqrt(longest);
}

/* ---- all polygons ---- */

/* Replaces the fan of a polygon if it does not cover it. Returns the reason of a failure, or NULL. */
static const char *cut_polygon(struct polygon *p, uint32_t *fan, bosc_status *status)
{
    double normal[3];
    /* 1. The axis of most of the normal, then others in which the polygon is not much smaller. */
    compute_normal(p, normal);
    const double most = larger(larger(fabs(normal[0]), fabs(normal[1])), fabs(normal[2]));
    for (int turn = 0, first = fabs(normal[0]) == most ? 0 : fabs(normal[1]) == most ? 1 : 2; turn < 3; turn++) {
        const int axis = (first + turn) % 3;
        if (most == 0 || fabs(normal[axis]) < 0.5 * most) continue;
        p->u = normal[axis] > 0 ? (axis + 1) % 3 : (axis + 2) % 3;
        p->v = normal[axis] > 0 ? (axis + 2) % 3 : (axis + 1) % 3;
        /* 2. The fan, if it covers the polygon; else ears, in place of the fan. */
        if (is_fan(p)) return NULL;
        *status = p->n > CORNERS_MAX ? BOSC_ERR_LIMIT : BOSC_ERR_NOMEM;
        if (p->n > CORNERS_MAX) return "a face of more than 16384 corners that is not convex";
        if (!reserve_corners(p)) return "out of memory";
        enum cut cut = make_ring(p) ? CUT : NO_MEMORY;
        const bool simple = cut == CUT && is_simple(p);
        if (cut == CUT) cut = clip_ears(p);
        if (cut == CUT && !simple) cut = check_overlaps(p);
        if (cut == NO_MEMORY) return "out of memory";
        if (cut == CANCELLED) {
            *status = BOSC_ERR_CANCELLED;
            return "cancelled";
        }
        if (cut == NOT_CUT) continue;
        for (uint32_t i = 0; i < p->n; i++) p->corners[i] = i < 2 ? fan[i] : fan[3 * (size_t)(i - 2) + 2];
        for (size_t i = 0; i < 3 * (size_t)(p->n - 2); i++) fan[i] = p->corners[p->clipped[i]];
        return NULL;
    }
    *status = BOSC_ERR_FORMAT;
    return is_thin(p) ? NULL : "a face crosses itself, or is too far from flat to be cut into triangles";
}

/* Cuts one polygon, and reports a failure with its line. */
static bosc_status triangulate(struct polygon *p, const struct bi_polygon *polygon, struct bi_faces *faces,
                               const double *vertices, const struct bi_bytes *in, bosc_io_error *error)
{
    uint32_t *fan = faces->data + 3 * polygon->triangle;
    const char *reason = polygon->corners > UINT32_MAX ? "a face of 2^32 corners" : "out of memory";
    bosc_status status = polygon->corners > UINT32_MAX ? BOSC_ERR_LIMIT : BOSC_ERR_NOMEM;
    p->n = (uint32_t)polygon->corners;
    if (polygon->corners <= UINT32_MAX && bi_numbers_reserve(&p->points, 3 * polygon->corners)) {
        status = BOSC_ERR_DATA;
        reason = "a face with an infinite corner";
        if (gather_points(p, vertices, fan)) reason = cut_polygon(p, fan, &status);
    }
    if (!reason) return BOSC_OK;
    if (faces->binary)
        return bi_io_fail(error, status, "%s: face %lld: %s", in->name, (long long)polygon->line, reason);
    return bi_fail_at(in, polygon->line, status, error, "%s", reason);
}

bosc_status bi_faces_triangulate(struct bi_faces *faces, const double *vertices, const struct bi_bytes *in,
                                 bosc_io_error *error)
{
    struct polygon p = {.n = 0};
    bosc_status status = BOSC_OK;
    double corners = 0;
    if (faces->polygon_count == 0) return BOSC_OK;
    for (size_t i = 0; i < faces->polygon_count; i++) corners += (double)faces->polygons[i].corners;
    bi_io_phase(0.9, corners);
    for (size_t i = 0; i < faces->polygon_count && status == BOSC_OK; i++) {
        if (i % BI_IO_REPORT_LINES == 0 && !bi_io_set_done(p.done))
            status = BOSC_ERR_CANCELLED;
        else
            status = triangulate(&p, &faces->polygons[i], faces, vertices, in, error);
        p.done += (double)faces->polygons[i].corners;
    }
    bi_numbers_free(&p.points);
    bi_box_tree_free(&p.tree);
    free(p.corners);
    return status;
}
