/* Reads the bodies of a scene: checks, and the numbers of vertices, edges and facets. */
#include <math.h>
#include <string.h>

#include "core/check.h"
#include "plan/scene.h"
#include "plan/shape.h"

enum { MAX_CORNERS = 1 << 24 /* of facets, in all */ };

bool bi_plan_is_coordinate(double x)
{
    double size = fabs(x);
    return size == 0 || (size >= 0x1p-110 && size <= 0x1p100);
}

static bosc_status check_list(bosc_ctx *ctx, const char *side, const char *name, const void *array, int64_t count)
{
    if (count < 0) return bi_fail(ctx, BOSC_ERR_ARG, "%s: %s %lld is less than 0", side, name, (long long)count);
    if (count > MAX_CORNERS)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "%s: %s %lld is over %d", side, name, (long long)count, MAX_CORNERS);
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
        if (offsets[i + 1] < offsets[i] || offsets[i + 1] - offsets[i] < least || offsets[i + 1] > MAX_CORNERS)
            return bi_fail(ctx, BOSC_ERR_DATA, "%s: %s [%lld] is %lld after %lld: less than %lld more, or over %d",
                           side, name, (long long)i + 1, (long long)offsets[i + 1], (long long)offsets[i],
                           (long long)least, MAX_CORNERS);
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

/* A table of what was numbered, by the hash of what it is. */
struct table {
    int32_t *slots; /* -1: empty */
    uint64_t mask;
};

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15ull;
    return x ^ (x >> 29);
}

/* Where the arrays of a side are, and how far they are filled. */
struct numbering {
    double *vertices;
    int64_t *vertex_ids;
    int32_t *of_given; /* numbers of the given vertices; -1: none yet */
    int32_t *edges, *facet_offsets, *facet_edges, *planes, *end_offsets, *ends, *solid_offsets;
    struct table vertex_table, edge_table;
    struct bi_plan_surface *surface;
    const double *given;
};

static int32_t number_vertex(struct numbering *s, int64_t given)
{
    if (s->of_given[given] >= 0) return s->of_given[given];
    double p[3];
    uint64_t key = 0, bits;
    for (int c = 0; c < 3; c++) {
        p[c] = s->given[3 * given + c] + 0.0; /* no -0 */
        memcpy(&bits, &p[c], sizeof bits);
        key = mix(key ^ bits);
    }
    uint64_t at = key & s->vertex_table.mask;
    for (; s->vertex_table.slots[at] >= 0; at = (at + 1) & s->vertex_table.mask) {
        int32_t v = s->vertex_table.slots[at];
        const double *o = s->vertices + 3 * v;
        if (o[0] == p[0] && o[1] == p[1] && o[2] == p[2]) return s->of_given[given] = v;
    }
    int32_t fresh = s->surface->vertex_count++;
    memcpy(s->vertices + 3 * fresh, p, sizeof p);
    s->vertex_ids[fresh] = given;
    s->vertex_table.slots[at] = fresh;
    return s->of_given[given] = fresh;
}

/* 2 edge + (1: from its second end to its first). */
static int32_t number_edge(struct numbering *s, int32_t from, int32_t to)
{
    int32_t low = from < to ? from : to, high = from < to ? to : from;
    uint64_t at = mix(((uint64_t)(uint32_t)low << 32) | (uint32_t)high) & s->edge_table.mask;
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
    bi_plan_choose_plane(s->vertices, ends, distinct, s->planes + 3 * f);
}

/* Room for a side whose facets have so many corners. */
static bosc_status take_room(bosc_ctx *ctx, const struct bi_memory *host, const bosc_plan_bodies *b, int64_t corners,
                             int64_t facets, struct bi_plan_side *side, struct numbering *s)
{
    int64_t slots = 16, vertices = b->vertex_count < corners ? b->vertex_count : corners;
    while (slots < 2 * corners) slots *= 2;
    int64_t shells = vertices + corners + facets;
    BI_TRY(bi_block_reserve(ctx, host, &side->doubles,
                            (size_t)(3 * vertices + 2 * shells) * sizeof(double) + (size_t)vertices * 8 + 64));
    int64_t numbers =
        b->vertex_count + 2 * corners + 3 * (facets + 1) + 2 * corners + 3 * facets + b->polytope_count + 1 + 2 * slots;
    BI_TRY(bi_block_reserve(ctx, host, &side->numbers, (size_t)numbers * sizeof(int32_t)));
    double *d = side->doubles.data;
    int32_t *n = side->numbers.data;
    memset(n, 0xff, (size_t)numbers * sizeof *n);
    s->vertices = d, d += 3 * vertices;
    side->vertex_shells = (struct bi_plan_shell *)(void *)d, d += 2 * vertices;
    side->edge_shells = (struct bi_plan_shell *)(void *)d, d += 2 * corners;
    side->facet_shells = (struct bi_plan_shell *)(void *)d, d += 2 * facets;
    s->vertex_ids = (int64_t *)(void *)d;
    s->of_given = n, n += b->vertex_count;
    s->edges = n, n += 2 * corners;
    s->facet_offsets = n, n += facets + 1;
    s->end_offsets = n, n += facets + 1;
    s->facet_edges = n, n += corners;
    s->ends = n, n += corners;
    s->planes = n, n += 3 * facets;
    s->solid_offsets = n, n += b->polytope_count + 1;
    s->vertex_table = (struct table){n, (uint64_t)slots - 1}, n += slots;
    s->edge_table = (struct table){n, (uint64_t)slots - 1};
    s->facet_offsets[0] = s->end_offsets[0] = 0;
    return BOSC_OK;
}

bosc_status bi_plan_make_side(bosc_ctx *ctx, const struct bi_memory *host, const char *name, const bosc_plan_bodies *b,
                              struct bi_plan_side *side)
{
    struct numbering s = {.surface = &side->surface, .given = b->vertices};
    BI_TRY(check_bodies(ctx, name, b));
    int64_t solid_facets = b->polytope_count > 0 ? b->polytope_offsets[b->polytope_count] : 0;
    int64_t corners = 3 * b->triangle_count + (solid_facets > 0 ? b->facet_offsets[solid_facets] : 0);
    BI_TRY(take_room(ctx, host, b, corners, b->triangle_count + solid_facets, side, &s));
    for (int64_t t = 0; t < b->triangle_count; t++) number_facet(&s, b->triangles + 3 * t, 3);
    for (int64_t f = 0; f < solid_facets; f++)
        number_facet(&s, b->facet_vertices + b->facet_offsets[f],
                     (int32_t)(b->facet_offsets[f + 1] - b->facet_offsets[f]));
    s.solid_offsets[0] = 0;
    for (int64_t p = 0; p <= b->polytope_count; p++)
        s.solid_offsets[p] = (int32_t)(b->triangle_count + (p > 0 ? b->polytope_offsets[p] : 0));
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
    bi_plan_make_shells(side);
    return bi_plan_check_solids(ctx, name, side);
}
