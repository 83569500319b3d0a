/* Divides a mesh into the convex solids that its triangles bound. Triangles belong to one solid if they share numbers
 * of vertices. Edges open by these numbers, as in an .stl or where vertices are split by face, are joined to open edges
 * of equal coordinates. So solids that touch stay apart if each is closed by its own numbers. */
#include <stdlib.h>
#include <string.h>

#include "io/scene/scene.h"

/* An edge of a triangle, between positions. */
struct edge {
    int64_t low, high, triangle;
};

/* A mesh being divided. */
struct solids {
    const double *vertices;
    int64_t vertex_count, triangle_count;
    uint32_t *triangles; /* without triangles with two corners of equal coordinates */
    int64_t *memory;     /* the arrays below, of one number per vertex; `first` has one more */
    int64_t *position;   /* the first vertex of equal coordinates */
    int64_t *root;       /* union-find forest: the parent of each vertex */
    int64_t *order;      /* at first vertices, sorted by coordinates; later the solid of each root */
    int64_t *component;  /* roots before open edges are joined */
    int64_t *count;      /* of the edges of a group, by root; 0 between groups */
    int64_t *first;      /* offsets of a counting sort */
    struct edge *edges;  /* sorted by low, then high, then triangle */
    struct edge *scratch;
    int64_t edge_count;
};

/* ---- positions ---- */

static int compare_positions(const double *a, const double *b)
{
    for (int c = 0; c < 3; c++)
        if (a[c] != b[c]) return a[c] < b[c] ? -1 : 1;
    return 0;
}

/* Restores the heap of vertices, whose root is the largest, below position `at`. */
static void sift_down(const struct solids *s, int64_t at, int64_t count)
{
    int64_t moved = s->order[at];
    for (int64_t child; (child = 2 * at + 1) < count; at = child) {
        const double *x = s->vertices + 3 * moved;
        if (child + 1 < count &&
            compare_positions(s->vertices + 3 * s->order[child], s->vertices + 3 * s->order[child + 1]) < 0)
            child++;
        if (compare_positions(s->vertices + 3 * s->order[child], x) <= 0) break;
        s->order[at] = s->order[child];
    }
    s->order[at] = moved;
}

/* Sets `position` by a heapsort of the vertices. */
static void find_positions(struct solids *s)
{
    int64_t n = s->vertex_count;
    for (int64_t i = 0; i < n; i++) s->order[i] = i;
    for (int64_t i = n / 2; i-- > 0;) sift_down(s, i, n);
    for (int64_t limit = n; limit-- > 1;) {
        int64_t largest = s->order[0];
        s->order[0] = s->order[limit];
        s->order[limit] = largest;
        sift_down(s, 0, limit);
    }
    for (int64_t begin = 0, end; begin < n; begin = end) {
        const double *x = s->vertices + 3 * s->order[begin];
        int64_t least = s->order[begin];
        for (end = begin + 1; end < n && compare_positions(s->vertices + 3 * s->order[end], x) == 0; end++)
            least = s->order[end] < least ? s->order[end] : least;
        for (int64_t i = begin; i < end; i++) s->position[s->order[i]] = least;
    }
}

/* Copies the triangles whose corners have three positions. */
static void copy_triangles(struct solids *s, const uint32_t *triangles, int64_t count)
{
    s->triangle_count = 0;
    for (int64_t t = 0; t < count; t++) {
        const uint32_t *v = triangles + 3 * t;
        const int64_t a = s->position[v[0]], b = s->position[v[1]], c = s->position[v[2]];
        if (a != b && b != c && c != a) memcpy(s->triangles + 3 * s->triangle_count++, v, 3 * sizeof *v);
    }
}

/* ---- edges ---- */

/* Sorts the edges by one end, stably, by counting. */
static void sort_by_end(struct solids *s, bool high)
{
    memset(s->first, 0, (size_t)(s->vertex_count + 1) * sizeof *s->first);
    for (int64_t i = 0; i < s->edge_count; i++) s->first[(high ? s->edges[i].high : s->edges[i].low) + 1]++;
    for (int64_t v = 0; v < s->vertex_count; v++) s->first[v + 1] += s->first[v];
    for (int64_t i = 0; i < s->edge_count; i++)
        s->scratch[s->first[high ? s->edges[i].high : s->edges[i].low]++] = s->edges[i];
    struct edge *sorted = s->scratch;
    s->scratch = s->edges;
    s->edges = sorted;
}

static void list_edges(struct solids *s)
{
    s->edge_count = 3 * s->triangle_count;
    for (int64_t i = 0; i < s->edge_count; i++) {
        const int64_t a = s->position[s->triangles[i]], b = s->position[s->triangles[i % 3 == 2 ? i - 2 : i + 1]];
        s->edges[i] = (struct edge){a < b ? a : b, a < b ? b : a, i / 3};
    }
    sort_by_end(s, true);
    sort_by_end(s, false);
}

/* Returns the end of the group of equal edges that begins at `begin`. */
static int64_t end_of_group(const struct solids *s, int64_t begin)
{
    int64_t end = begin + 1;
    while (end < s->edge_count && s->edges[end].low == s->edges[begin].low &&
           s->edges[end].high == s->edges[begin].high)
        end++;
    return end;
}

/* ---- union-find ---- */

/* Returns the root of a vertex, with path halving. */
static int64_t find_root(int64_t *root, int64_t v)
{
    while (root[v] != v) v = root[v] = root[root[v]];
    return v;
}

/* Unites two sets; the smaller root becomes the root. */
static void unite(int64_t *root, int64_t a, int64_t b)
{
    a = find_root(root, a);
    b = find_root(root, b);
    if (a < b)
        root[b] = a;
    else
        root[a] = b;
}

static int64_t first_corner(const struct solids *s, int64_t triangle) { return s->triangles[3 * triangle]; }

/* Joins the open edges of a group in pairs, in the order of the file, where solids follow each other. An edge is open
 * if its component has no other one in the group. */
static void join_open_edges(struct solids *s, int64_t begin, int64_t end)
{
    int64_t open = -1; /* a triangle whose edge waits for its mate */
    for (int64_t i = begin; i < end; i++) s->count[s->component[first_corner(s, s->edges[i].triangle)]]++;
    for (int64_t i = begin; i < end; i++) {
        const int64_t t = s->edges[i].triangle;
        if (s->count[s->component[first_corner(s, t)]] != 1) continue;
        if (open >= 0) unite(s->root, first_corner(s, open), first_corner(s, t));
        open = open >= 0 ? -1 : t;
    }
    for (int64_t i = begin; i < end; i++) s->count[s->component[first_corner(s, s->edges[i].triangle)]] = 0;
}

/* Finds an edge that does not belong to two triangles of its solid; -1: none. Sets the number of these triangles. */
static int64_t find_open_edge(struct solids *s, int64_t begin, int64_t end, int64_t *triangles)
{
    int64_t found = -1;
    for (int64_t i = begin; i < end; i++) s->count[find_root(s->root, first_corner(s, s->edges[i].triangle))]++;
    for (int64_t i = begin; i < end && found < 0; i++) {
        *triangles = s->count[find_root(s->root, first_corner(s, s->edges[i].triangle))];
        if (*triangles != 2) found = i;
    }
    for (int64_t i = begin; i < end; i++) s->count[find_root(s->root, first_corner(s, s->edges[i].triangle))] = 0;
    return found;
}

/* Unites the vertices of each solid. Refuses open solids. */
static bosc_status connect_triangles(struct solids *s, const char *name, bosc_io_error *error)
{
    /* 1. Unite the corners of each triangle. */
    for (int64_t v = 0; v < s->vertex_count; v++) s->root[v] = v;
    for (int64_t t = 0; t < s->triangle_count; t++) {
        unite(s->root, s->triangles[3 * t], s->triangles[3 * t + 1]);
        unite(s->root, s->triangles[3 * t], s->triangles[3 * t + 2]);
    }
    /* 2. Join open edges. */
    for (int64_t v = 0; v < s->vertex_count; v++) s->component[v] = find_root(s->root, v);
    for (int64_t begin = 0, end; begin < s->edge_count; begin = end) {
        end = end_of_group(s, begin);
        join_open_edges(s, begin, end);
    }
    /* 3. Check that all solids are closed. */
    for (int64_t begin = 0, end; begin < s->edge_count; begin = end) {
        int64_t triangles = 0;
        end = end_of_group(s, begin);
        const int64_t open = find_open_edge(s, begin, end, &triangles);
        if (open < 0) continue;
        const double *a = s->vertices + 3 * s->edges[open].low, *b = s->vertices + 3 * s->edges[open].high;
        return bi_io_fail(error, BOSC_ERR_DATA,
                          "%s: not a closed solid: its edge from %g, %g, %g to %g, %g, %g belongs to %lld triangle%s, "
                          "not to two",
                          name, a[0], a[1], a[2], b[0], b[1], b[2], (long long)triangles, triangles == 1 ? "" : "s");
    }
    return BOSC_OK;
}

/* Numbers the solids in the order of their first triangles; returns their number. */
static int64_t number_solids(struct solids *s)
{
    int64_t solids = 0;
    for (int64_t i = 0; i < s->vertex_count; i++) s->order[i] = -1;
    for (int64_t t = 0; t < s->triangle_count; t++) {
        int64_t root = find_root(s->root, first_corner(s, t));
        if (s->order[root] < 0) s->order[root] = solids++;
    }
    return solids;
}

/* ---- facets ---- */

static int64_t solid_of(const struct solids *s, int64_t t) { return s->order[find_root(s->root, first_corner(s, t))]; }

/* Computes the mean of each solid's corners: (solids, 4), the last number counts its triangles. */
static void compute_middles(const struct solids *s, double *middles, int64_t solids)
{
    memset(middles, 0, (size_t)solids * 4 * sizeof *middles);
    for (int64_t t = 0; t < s->triangle_count; t++) {
        double *middle = middles + 4 * solid_of(s, t);
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 3; c++) middle[c] += s->vertices[3 * (int64_t)s->triangles[3 * t + k] + c] / 3;
        middle[3]++;
    }
    for (int64_t i = 0; i < solids; i++)
        for (int c = 0; c < 3; c++) middles[4 * i + c] /= middles[4 * i + 3];
}

/* True if a triangle is clockwise as seen from outside, that is, from the side opposite to the middle. */
static bool is_inward(const struct solids *s, const uint32_t *v, const double *middle)
{
    const double *a = s->vertices + 3 * (int64_t)v[0], *b = s->vertices + 3 * (int64_t)v[1],
                 *c = s->vertices + 3 * (int64_t)v[2];
    double u[3], w[3], m[3];
    for (int i = 0; i < 3; i++) {
        u[i] = b[i] - a[i];
        w[i] = c[i] - a[i];
        m[i] = a[i] - middle[i];
    }
    /* Signed volume of the tetrahedron over the triangle with its apex in the middle. */
    double volume =
        m[0] * (u[1] * w[2] - u[2] * w[1]) + m[1] * (u[2] * w[0] - u[0] * w[2]) + m[2] * (u[0] * w[1] - u[1] * w[0]);
    return volume < 0;
}

/* Scatters the triangles to their solids, counterclockwise. `next`: (solids + 1) offsets, advanced to the following
 * solid. */
static void scatter_facets(const struct solids *s, const double *middles, int64_t *next, int64_t *facets)
{
    for (int64_t t = 0; t < s->triangle_count; t++) {
        int64_t solid = solid_of(s, t), *facet = facets + 3 * next[solid]++;
        const uint32_t *v = s->triangles + 3 * t;
        bool inward = is_inward(s, v, middles + 4 * solid);
        facet[0] = v[0];
        facet[1] = v[inward ? 2 : 1];
        facet[2] = v[inward ? 1 : 2];
    }
}

/* Fills the arrays of `bodies`, which the caller frees even on failure. False: out of memory. */
static bool build_facets(struct solids *s, bosc_plan_bodies *bodies)
{
    int64_t solids = number_solids(s), m = s->triangle_count;
    int64_t *offsets = bi_io_alloc(((size_t)solids + 1) * sizeof *offsets);
    int64_t *next = bi_io_alloc(((size_t)solids + 1) * sizeof *next);
    int64_t *ends = bi_io_alloc(((size_t)m + 1) * sizeof *ends);
    int64_t *facets = bi_io_alloc((size_t)m * 3 * sizeof *facets);
    double *middles = bi_io_alloc((size_t)solids * 4 * sizeof *middles);
    bool good = offsets && next && ends && facets && middles;
    if (good) {
        /* 1. Count the triangles of each solid; the offsets are their exclusive prefix sums. */
        memset(offsets, 0, ((size_t)solids + 1) * sizeof *offsets);
        for (int64_t t = 0; t < m; t++) offsets[solid_of(s, t) + 1]++;
        for (int64_t i = 0; i < solids; i++) offsets[i + 1] += offsets[i];
        memcpy(next, offsets, ((size_t)solids + 1) * sizeof *next);
        for (int64_t t = 0; t <= m; t++) ends[t] = 3 * t;
        /* 2. Scatter the triangles, as facets of three vertices. */
        compute_middles(s, middles, solids);
        scatter_facets(s, middles, next, facets);
    }
    bodies->polytope_offsets = offsets;
    bodies->polytope_count = solids;
    bodies->facet_offsets = ends;
    bodies->facet_vertices = facets;
    free(next);
    free(middles);
    return good;
}

/* ---- the whole ---- */

/* False: out of memory. free_arrays frees the arrays, after a failure too. */
static bool allocate_arrays(struct solids *s)
{
    const size_t n = (size_t)s->vertex_count, m = (size_t)s->triangle_count;
    s->memory = bi_io_alloc((6 * n + 1) * sizeof *s->memory);
    s->triangles = bi_io_alloc(3 * m * sizeof *s->triangles);
    s->edges = bi_io_alloc(3 * m * sizeof *s->edges);
    s->scratch = bi_io_alloc(3 * m * sizeof *s->scratch);
    if (!s->memory || !s->triangles || !s->edges || !s->scratch) return false;
    s->position = s->memory;
    s->root = s->memory + n;
    s->order = s->memory + 2 * n;
    s->component = s->memory + 3 * n;
    s->count = s->memory + 4 * n;
    s->first = s->memory + 5 * n;
    memset(s->count, 0, n * sizeof *s->count);
    return true;
}

static void free_arrays(struct solids *s)
{
    free(s->memory);
    free(s->triangles);
    free(s->edges);
    free(s->scratch);
}

bosc_status bi_solids_build(const char *name, const struct bi_body *body, bosc_plan_bodies *bodies,
                            bosc_io_error *error)
{
    struct solids s = {.vertices = body->vertices.data,
                       .vertex_count = body->vertices.shape[0],
                       .triangle_count = body->triangles.shape[0]};
    bosc_status status = BOSC_ERR_NOMEM;
    bool good = allocate_arrays(&s);
    if (good) {
        find_positions(&s);
        copy_triangles(&s, body->triangles.data, body->triangles.shape[0]);
        list_edges(&s);
        status = s.triangle_count > 0
                     ? connect_triangles(&s, name, error)
                     : bi_io_fail(error, BOSC_ERR_DATA, "%s: no triangle has three different corners", name);
    }
    if (status == BOSC_OK) good = build_facets(&s, bodies);
    free_arrays(&s);
    return good ? status : bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", name);
}
