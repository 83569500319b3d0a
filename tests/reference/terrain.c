#include "reference/terrain.h"

#include <math.h>
#include <stdlib.h>

struct edge {
    int64_t from, to, triangle;
    int which;
};

static int by_ends(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

static struct edge *list_edges(const struct reference_terrain *t, int64_t *count)
{
    struct edge *edges = malloc((size_t)(3 * t->n + 1) * sizeof *edges);
    *count = 0;
    for (int64_t i = 0; i < t->n; i++) {
        for (int k = 0; k < 3 && t->corners[3 * i] >= 0; k++)
            edges[(*count)++] = (struct edge){t->corners[3 * i + k], t->corners[3 * i + (k + 1) % 3], i, k};
    }
    qsort(edges, (size_t)*count, sizeof *edges, by_ends);
    return edges;
}

static bool on_border(const struct reference_terrain *t, const struct edge *e)
{
    int64_t ax = e->from % t->w, ay = e->from / t->w, bx = e->to % t->w, by = e->to / t->w;
    if (t->half && ax == ay && bx == by) return true;
    return (ax == bx && (ax == 0 || ax == t->w - 1)) || (ay == by && (ay == 0 || ay == t->h - 1));
}

/* Returns twice the area of a triangle. */
static int64_t double_area(const struct reference_terrain *t, int64_t i)
{
    const int64_t *c = t->corners + 3 * i;
    int64_t ax = c[0] % t->w, ay = c[0] / t->w;
    return (c[1] % t->w - ax) * (c[2] / t->w - ay) - (c[1] / t->w - ay) * (c[2] % t->w - ax);
}

static const struct edge *find_edge(const struct edge *edges, int64_t count, int64_t from, int64_t to)
{
    struct edge key = {from, to, 0, 0};
    return bsearch(&key, edges, (size_t)count, sizeof *edges, by_ends);
}

const char *reference_terrain_mesh(const struct reference_terrain *t)
{
    int64_t count, sum = 0;
    struct edge *edges = list_edges(t, &count);
    const char *wrong = NULL;
    for (int64_t i = 0; i < t->n && !wrong; i++) {
        if (t->corners[3 * i] < 0) continue;
        int64_t twice = double_area(t, i);
        if (twice <= 0) wrong = "a triangle is not counter-clockwise";
        sum += twice;
    }
    for (int64_t e = 0; e < count && !wrong; e++) {
        if (e > 0 && by_ends(edges + e - 1, edges + e) == 0) wrong = "an edge is in two triangles in one direction";
        bool other = find_edge(edges, count, edges[e].to, edges[e].from) != NULL;
        if (!other && !on_border(t, edges + e)) wrong = "an edge within the raster has one triangle";
        if (other && on_border(t, edges + e)) wrong = "an edge on the border has two triangles";
    }
    if (!wrong && sum != (t->half ? 1 : 2) * (t->w - 1) * (t->h - 1)) wrong = "the area is not that of the raster";
    free(edges);
    return wrong;
}

void reference_terrain_neighbours(const struct reference_terrain *t, int64_t *neighbours)
{
    int64_t count;
    struct edge *edges = list_edges(t, &count);
    for (int64_t i = 0; i < 3 * t->n; i++) neighbours[i] = -1;
    for (int64_t e = 0; e < count; e++) {
        const struct edge *other = find_edge(edges, count, edges[e].to, edges[e].from);
        neighbours[3 * edges[e].triangle + edges[e].which] = other ? other->triangle : -1;
    }
    free(edges);
}

double reference_terrain_error(const struct reference_terrain *t, const float *heights)
{
    return reference_terrain_error_in(t, heights, 0, 0, t->w - 1, t->h - 1);
}

static int64_t least(int64_t a, int64_t b, int64_t c) { return a < b ? (a < c ? a : c) : b < c ? b : c; }
static int64_t most(int64_t a, int64_t b, int64_t c) { return -least(-a, -b, -c); }

double reference_terrain_error_in(const struct reference_terrain *t, const float *heights, int64_t x0, int64_t y0,
                                  int64_t x1, int64_t y1)
{
    double largest = 0;
    for (int64_t i = 0; i < t->n; i++) {
        const int64_t *c = t->corners + 3 * i;
        if (c[0] < 0) continue;
        int64_t ax = c[0] % t->w, ay = c[0] / t->w, bx = c[1] % t->w, by = c[1] / t->w, cx = c[2] % t->w;
        int64_t cy = c[2] / t->w, twice = double_area(t, i);
        for (int64_t y = least(ay, by, cy); y <= most(ay, by, cy); y++) {
            for (int64_t x = least(ax, bx, cx); x <= most(ax, bx, cx); x++) {
                int64_t u = (bx - x) * (cy - y) - (by - y) * (cx - x), v = (cx - x) * (ay - y) - (cy - y) * (ax - x);
                if (u < 0 || v < 0 || u + v > twice || x < x0 || x > x1 || y < y0 || y > y1) continue;
                double z =
                    ((double)u * heights[c[0]] + (double)v * heights[c[1]] + (double)(twice - u - v) * heights[c[2]]) /
                    (double)twice;
                double error = fabs(z - heights[y * t->w + x]);
                largest = error > largest ? error : largest;
            }
        }
    }
    return largest;
}
