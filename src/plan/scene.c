/* Reads the bodies of a scene: checks them, numbers their vertices, edges and facets, and computes planes, shells and
 * the convexity of solids. These are in double: shells are bounds, and the other decisions need not be exact. */
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "core/carve.h"
#include "core/check.h"
#include "plan/builder.h"

enum { MAX_ELEMENTS = 1 << 24 }; /* of an input array: vertices of 384 MiB */

#define MARGIN 0x1p-40 /* relative; far above rounding errors */

/* ---- checks ---- */

bool bi_plan_is_coordinate(double x)
{
    double size = fabs(x);
    return size == 0 || (size >= 0x1p-110 && size <= 0x1p100);
}

static bosc_status check_list(bosc_ctx *ctx, const char *side, const char *name, const void *array, int64_t count)
{
    if (count < 0) return bi_fail(ctx, BOSC_ERR_ARG, "%s: %s %lld is less than 0", side, name, (long long)count);
    if (count > MAX_ELEMENTS)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "%s: %s %lld is over %d", side, name, (long long)count, MAX_ELEMENTS);
    if (count > 0 && !array) return bi_fail(ctx, BOSC_ERR_ARG, "%s: %s NULL", side, name);
    if ((uintptr_t)array % 8) return bi_fail(ctx, BOSC_ERR_ARG, "%s: %s not aligned to 8 bytes", side, name);
    return BOSC_OK;
}

static bosc_status check_coordinates(bosc_ctx *ctx, const char *side, const char *name, const double *array,
                                     int64_t count, int per_row)
{
    for (int64_t i = 0; i < count * per_row; i++) {
        if (!bi_plan_is_coordinate(array[i]))
            return bi_fail(ctx, BOSC_ERR_DATA, "%s: %s row %lld holds %g, neither 0 nor of size 2^-110 to 2^100", side,
                           name, (long long)(i / per_row), array[i]);
        if (per_row == 4 && i % 4 == 3 && array[i] < 0)
            return bi_fail(ctx, BOSC_ERR_DATA, "%s: ball %lld has the radius %g, less than 0", side, (long long)(i / 4),
                           array[i]);
    }
    return BOSC_OK;
}

static bosc_status check_offsets(bosc_ctx *ctx, const char *side, const char *name, const int64_t *offsets,
                                 int64_t count, int64_t least)
{
    if (offsets[0] != 0)
        return bi_fail(ctx, BOSC_ERR_DATA, "%s: %s begin with %lld, not 0", side, name, (long long)offsets[0]);
    for (int64_t i = 0; i < count; i++)
        if (offsets[i + 1] < offsets[i] || offsets[i + 1] - offsets[i] < least || offsets[i + 1] > MAX_ELEMENTS)
            return bi_fail(ctx, BOSC_ERR_DATA, "%s: %s [%lld] is %lld after %lld: less than %lld more, or over %d",
                           side, name, (long long)i + 1, (long long)offsets[i + 1], (long long)offsets[i],
                           (long long)least, MAX_ELEMENTS);
    return BOSC_OK;
}

static bosc_status check_vertices(bosc_ctx *ctx, const char *side, const char *name, const int64_t *list, int64_t n,
                                  int64_t vertex_count)
{
    for (int64_t i = 0; i < n; i++)
        if (list[i] < 0 || list[i] >= vertex_count)
            return bi_fail(ctx, BOSC_ERR_DATA, "%s: %s [%lld] is %lld, not one of %lld vertices", side, name,
                           (long long)i, (long long)list[i], (long long)vertex_count);
    return BOSC_OK;
}

/* Checks the arrays of a side, from sizes to the vertices of facets. */
static bosc_status check_bodies(bosc_ctx *ctx, const char *side, const bosc_plan_bodies *b)
{
    BI_TRY(check_list(ctx, side, "balls", b->balls, b->ball_count));
    BI_TRY(check_list(ctx, side, "vertices", b->vertices, b->vertex_count));
    BI_TRY(check_list(ctx, side, "triangles", b->triangles, b->triangle_count));
    BI_TRY(check_list(ctx, side, "polytope_offsets", b->polytope_offsets, b->polytope_count));
    BI_TRY(check_coordinates(ctx, side, "balls", b->balls, b->ball_count, 4));
    BI_TRY(check_coordinates(ctx, side, "vertices", b->vertices, b->vertex_count, 3));
    BI_TRY(check_vertices(ctx, side, "triangles", b->triangles, 3 * b->triangle_count, b->vertex_count));
    if (b->polytope_count == 0) return BOSC_OK;
    BI_TRY(check_offsets(ctx, side, "polytope_offsets", b->polytope_offsets, b->polytope_count, 4));
    int64_t facets = b->polytope_offsets[b->polytope_count];
    BI_TRY(check_list(ctx, side, "facet_offsets", b->facet_offsets, facets));
    BI_TRY(check_offsets(ctx, side, "facet_offsets", b->facet_offsets, facets, 3));
    BI_TRY(check_list(ctx, side, "facet_vertices", b->facet_vertices, b->facet_offsets[facets]));
    return check_vertices(ctx, side, "facet_vertices", b->facet_vertices, b->facet_offsets[facets], b->vertex_count);
}

/* ---- planes of facets ---- */

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* n = (b - a) x (c - a) */
static void compute_normal(const double *a, const double *b, const double *c, double *n)
{
    double u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
    }
    for (int k = 0; k < 3; k++) n[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
}

/* Chooses the plane of a facet: its first vertex, and the two consecutive ones that make the largest triangle with
 * it. */
static void choose_plane(const double *vertices, const int32_t *ends, int32_t count, int32_t *plane)
{
    double most = -1, n[3];
    for (int32_t k = 1; k + 1 < count; k++) {
        compute_normal(vertices + 3 * ends[0], vertices + 3 * ends[k], vertices + 3 * ends[k + 1], n);
        if (!(dot(n, n) > most)) continue;
        most = dot(n, n);
        plane[0] = ends[0];
        plane[1] = ends[k];
        plane[2] = ends[k + 1];
    }
    if (count < 3)
        for (int k = 0; k < 3; k++) plane[k] = ends[k % count];
}

/* ---- numbering ---- */

/* A hash table of numbered features. */
struct table {
    int32_t *slots; /* -1: empty */
    uint64_t mask;
};

/* The arrays of a side while they are filled. */
struct numbering {
    double *vertices;
    int64_t *vertex_ids;      /* the first input vertex of each number */
    int32_t *vertex_of_input; /* numbers of the input vertices; -1: none yet */
    int32_t *edges, *facet_offsets, *facet_edges, *planes, *end_offsets, *ends, *solid_offsets;
    struct table vertex_table, edge_table;
    struct bi_plan_surface *surface;
    const double *input;
};

/* Returns the number of an input vertex; vertices of equal coordinates share one. */
static int32_t number_vertex(struct numbering *s, int64_t input)
{
    if (s->vertex_of_input[input] >= 0) return s->vertex_of_input[input];
    double p[3];
    uint64_t key = 0, bits;
    for (int c = 0; c < 3; c++) {
        p[c] = s->input[3 * input + c] + 0.0; /* turns -0 into 0, so that equal coordinates have equal bits */
        memcpy(&bits, &p[c], sizeof bits);
        key = bi_mix_u64(key ^ bits);
    }
    uint64_t at = key & s->vertex_table.mask;
    for (; s->vertex_table.slots[at] >= 0; at = (at + 1) & s->vertex_table.mask) {
        int32_t v = s->vertex_table.slots[at];
        const double *o = s->vertices + 3 * v;
        if (o[0] == p[0] && o[1] == p[1] && o[2] == p[2]) return s->vertex_of_input[input] = v;
    }
    int32_t fresh = s->surface->vertex_count++;
    memcpy(s->vertices + 3 * fresh, p, sizeof p);
    s->vertex_ids[fresh] = input;
    s->vertex_table.slots[at] = fresh;
    return s->vertex_of_input[input] = fresh;
}

/* Returns 2 edge + (1: from its second end to its first). */
static int32_t number_edge(struct numbering *s, int32_t from, int32_t to)
{
    int32_t low = from < to ? from : to, high = from < to ? to : from;
    uint64_t at = bi_mix_u64(((uint64_t)(uint32_t)low << 32) | (uint32_t)high) & s->edge_table.mask;
    for (; s->edge_table.slots[at] >= 0; at = (at + 1) & s->edge_table.mask) {
        int32_t e = s->edge_table.slots[at];
        const int32_t *ends = s->edges + 2 * e;
        if (ends[0] == from && ends[1] == to) return 2 * e;
        if (ends[0] == to && ends[1] == from) return 2 * e + 1;
    }
    int32_t fresh = s->surface->edge_count++;
    s->edges[2 * fresh] = from;
    s->edges[2 * fresh + 1] = to;
    s->edge_table.slots[at] = fresh;
    return 2 * fresh;
}

/* Numbers a facet: its distinct corners, its edges and its plane. A corner equal to the one before it, or a last one
 * equal to the first, is dropped. */
static void number_facet(struct numbering *s, const int64_t *corners, int32_t count)
{
    int32_t f = s->surface->facet_count++, end = s->end_offsets[f], edge = s->facet_offsets[f], *ends = s->ends + end;
    for (int32_t k = 0; k < count; k++) {
        int32_t v = number_vertex(s, corners[k]);
        if (end == s->end_offsets[f] || s->ends[end - 1] != v) s->ends[end++] = v;
    }
    if (end - s->end_offsets[f] > 1 && s->ends[end - 1] == ends[0]) end--;
    int32_t distinct = end - s->end_offsets[f];
    for (int32_t k = 0; k < distinct; k++) s->facet_edges[edge++] = number_edge(s, ends[k], ends[(k + 1) % distinct]);
    s->end_offsets[f + 1] = end;
    s->facet_offsets[f + 1] = edge;
    choose_plane(s->vertices, ends, distinct, s->planes + 3 * f);
}

/* ---- shells ---- */

/* Returns a lower bound of the distance of a hull from the origin: the least product of its points with u / |u|. */
static double lower_bound(const double *vertices, const int32_t *ends, int32_t count, const double *u)
{
    double length = sqrt(dot(u, u)), least = HUGE_VAL, most = 0;
    if (!(length > 0)) return 0;
    for (int32_t k = 0; k < count; k++) {
        const double *v = vertices + 3 * ends[k];
        double size = fabs(v[0]) + fabs(v[1]) + fabs(v[2]);
        least = fmin(least, dot(u, v) / length);
        most = fmax(most, size);
    }
    return fmax(0, least - MARGIN * most);
}

/* Finds the point of a segment nearest to the origin, within rounding. */
static void nearest_on_segment(const double *a, const double *b, double *p)
{
    double d[3], t = 0;
    for (int k = 0; k < 3; k++) d[k] = b[k] - a[k];
    if (dot(d, d) > 0) t = fmin(1, fmax(0, -dot(a, d) / dot(d, d)));
    for (int k = 0; k < 3; k++) p[k] = a[k] + t * d[k];
}

/* Computes the shell of a hull: the best lower bound by the points nearest to the origin of its edges, and by an
 * axis. */
static struct bi_plan_shell compute_shell(const double *vertices, const int32_t *ends, int32_t count,
                                          const double *axis)
{
    struct bi_plan_shell s = {0, 0};
    for (int32_t k = 0; k < count; k++) {
        const double *v = vertices + 3 * ends[k];
        double u[3];
        s.high = fmax(s.high, sqrt(dot(v, v)) * (1 + MARGIN));
        nearest_on_segment(v, vertices + 3 * ends[(k + 1) % count], u);
        s.low = fmax(s.low, lower_bound(vertices, ends, count, u));
    }
    if (axis) {
        const double minus[3] = {-axis[0], -axis[1], -axis[2]};
        s.low = fmax(s.low, fmax(lower_bound(vertices, ends, count, axis), lower_bound(vertices, ends, count, minus)));
    }
    return s;
}

/* Computes the shells of vertices, edges and facets. */
static void compute_shells(struct bi_plan_side *side)
{
    const struct bi_plan_surface *s = &side->surface;
    for (int32_t v = 0; v < s->vertex_count; v++) side->vertex_shells[v] = compute_shell(s->vertices, &v, 1, NULL);
    for (int32_t e = 0; e < s->edge_count; e++)
        side->edge_shells[e] = compute_shell(s->vertices, s->edges + 2 * e, 2, NULL);
    for (int32_t f = 0; f < s->facet_count; f++) {
        const int32_t *p = side->planes + 3 * f;
        double n[3];
        compute_normal(s->vertices + 3 * p[0], s->vertices + 3 * p[1], s->vertices + 3 * p[2], n);
        side->facet_shells[f] = compute_shell(s->vertices, side->ends + side->end_offsets[f],
                                              side->end_offsets[f + 1] - side->end_offsets[f], n);
    }
}

/* ---- solids ---- */

/* True if the directed edge occurs once in the solid's facets, and once reversed. */
static bool is_shared(const struct bi_plan_surface *s, int32_t begin, int32_t end, int32_t edge)
{
    int32_t same = 0, opposite = 0;
    for (int32_t k = s->facet_offsets[begin]; k < s->facet_offsets[end]; k++) {
        same += s->facet_edges[k] == edge;
        opposite += s->facet_edges[k] == (edge ^ 1);
    }
    return same == 1 && opposite == 1;
}

/* Returns why the solid does not lie behind the plane of facet f, or NULL: no corner may be above it by more than 2^-30
 * of the size, and one must be below. */
static const char *reason_not_behind(const struct bi_plan_side *side, int32_t begin, int32_t end, int32_t f)
{
    const double *vertices = side->surface.vertices;
    const int32_t *p = side->planes + 3 * f;
    const double *a = vertices + 3 * p[0];
    double n[3], size = 0, least = 0, most = 0;
    compute_normal(a, vertices + 3 * p[1], vertices + 3 * p[2], n);
    double length = sqrt(dot(n, n));
    for (int32_t k = side->end_offsets[begin]; k < side->end_offsets[end]; k++) {
        double d[3], height;
        for (int c = 0; c < 3; c++) d[c] = vertices[3 * side->ends[k] + c] - a[c];
        height = dot(n, d) / length;
        size = fmax(size, sqrt(dot(d, d)));
        most = fmax(most, height);
        least = fmin(least, height);
    }
    const bool above = length > 0 && most > 0x1p-30 * size, below = length > 0 && least < -0x1p-30 * size;
    return above && below ? "not convex" : above ? "inside out" : below ? NULL : "flat";
}

/* Refuses open, nonconvex and flat solids. */
static bosc_status check_solids(bosc_ctx *ctx, const char *name, const struct bi_plan_side *side)
{
    const struct bi_plan_surface *s = &side->surface;
    for (int32_t p = 0; p < s->solid_count; p++) {
        int32_t begin = s->solid_offsets[p], end = s->solid_offsets[p + 1];
        for (int32_t f = begin; f < end; f++) {
            for (int32_t k = s->facet_offsets[f]; k < s->facet_offsets[f + 1]; k++)
                if (!is_shared(s, begin, end, s->facet_edges[k]))
                    return bi_fail(ctx, BOSC_ERR_DATA, "%s: polytope %d is not closed at facet %d", name, (int)p,
                                   (int)(f - s->solid_offsets[0]));
            const char *reason = reason_not_behind(side, begin, end, f);
            if (reason)
                return bi_fail(ctx, BOSC_ERR_DATA, "%s: polytope %d is %s at facet %d", name, (int)p, reason,
                               (int)(f - s->solid_offsets[0]));
        }
    }
    return BOSC_OK;
}

/* ---- a side ---- */

/* Sizes of a side before equal vertices are merged. */
struct side_sizes {
    int64_t vertices, corners, facets, solids, slots; /* corners: of all facets; also the most edges */
};

static void lay_out_doubles(struct bi_carver *c, const struct side_sizes *n, struct bi_plan_side *side,
                            struct numbering *s)
{
    const int64_t vertices = n->vertices < n->corners ? n->vertices : n->corners;
    BI_CARVE(c, s->vertices, 3 * vertices);
    BI_CARVE(c, side->vertex_shells, vertices);
    BI_CARVE(c, side->edge_shells, n->corners);
    BI_CARVE(c, side->facet_shells, n->facets);
    BI_CARVE(c, s->vertex_ids, vertices);
}

static void lay_out_numbers(struct bi_carver *c, const struct side_sizes *n, struct numbering *s)
{
    BI_CARVE(c, s->vertex_of_input, n->vertices);
    BI_CARVE(c, s->edges, 2 * n->corners);
    BI_CARVE(c, s->facet_offsets, n->facets + 1);
    BI_CARVE(c, s->end_offsets, n->facets + 1);
    BI_CARVE(c, s->facet_edges, n->corners);
    BI_CARVE(c, s->ends, n->corners);
    BI_CARVE(c, s->planes, 3 * n->facets);
    BI_CARVE(c, s->solid_offsets, n->solids + 1);
    BI_CARVE(c, s->vertex_table.slots, n->slots);
    BI_CARVE(c, s->edge_table.slots, n->slots);
}

/* Allocates the arrays of a side; all numbers are -1. */
static bosc_status allocate_side(bosc_ctx *ctx, const struct bi_memory *host, struct side_sizes *n,
                                 struct bi_plan_side *side, struct numbering *s)
{
    struct bi_carver doubles = {NULL, 0}, numbers = {NULL, 0};
    for (n->slots = 16; n->slots < 2 * n->corners;) n->slots *= 2; /* load factor 1/2 at most */
    lay_out_doubles(&doubles, n, side, s);
    lay_out_numbers(&numbers, n, s);
    BI_TRY(bi_block_reserve(ctx, host, &side->doubles, doubles.used));
    BI_TRY(bi_block_reserve(ctx, host, &side->numbers, numbers.used));
    memset(side->numbers.data, 0xff, numbers.used);
    doubles = (struct bi_carver){side->doubles.data, 0};
    numbers = (struct bi_carver){side->numbers.data, 0};
    lay_out_doubles(&doubles, n, side, s);
    lay_out_numbers(&numbers, n, s);
    s->vertex_table.mask = s->edge_table.mask = (uint64_t)n->slots - 1;
    s->facet_offsets[0] = s->end_offsets[0] = 0;
    return BOSC_OK;
}

/* On entry *side must be zero but for its two blocks, which may have memory of an earlier build: the numbering counts
 * up from there. The caller owns the blocks, after a failure too. The side refers to the caller's balls. Vertices
 * without a facet get no number. Shells are distances from the origin, about which the robot turns. */
bosc_status bi_plan_read_side(bosc_ctx *ctx, const struct bi_memory *host, const char *name, const bosc_plan_bodies *b,
                              struct bi_plan_side *side)
{
    struct numbering s = {.surface = &side->surface, .input = b->vertices};
    BI_TRY(check_bodies(ctx, name, b));
    int64_t solid_facets = b->polytope_count > 0 ? b->polytope_offsets[b->polytope_count] : 0;
    int64_t corners = 3 * b->triangle_count + (solid_facets > 0 ? b->facet_offsets[solid_facets] : 0);
    struct side_sizes sizes = {.vertices = b->vertex_count,
                               .corners = corners,
                               .facets = b->triangle_count + solid_facets,
                               .solids = b->polytope_count};
    BI_TRY(allocate_side(ctx, host, &sizes, side, &s));
    /* 1. Number the facets: triangles, then those of polytopes. */
    for (int64_t t = 0; t < b->triangle_count; t++) number_facet(&s, b->triangles + 3 * t, 3);
    for (int64_t f = 0; f < solid_facets; f++)
        number_facet(&s, b->facet_vertices + b->facet_offsets[f],
                     (int32_t)(b->facet_offsets[f + 1] - b->facet_offsets[f]));
    for (int64_t p = 0; p <= b->polytope_count; p++)
        s.solid_offsets[p] = (int32_t)(b->triangle_count + (p > 0 ? b->polytope_offsets[p] : 0));
    /* 2. Store the arrays, compute the shells, and check the solids. */
    side->surface.solid_count = (int32_t)b->polytope_count;
    side->surface.vertices = s.vertices;
    side->surface.edges = s.edges;
    side->surface.facet_offsets = s.facet_offsets;
    side->surface.facet_edges = s.facet_edges;
    side->surface.solid_offsets = s.solid_offsets;
    side->vertex_ids = s.vertex_ids;
    side->planes = s.planes;
    side->end_offsets = s.end_offsets;
    side->ends = s.ends;
    side->balls = b->balls;
    side->ball_count = b->ball_count;
    compute_shells(side);
    return check_solids(ctx, name, side);
}
