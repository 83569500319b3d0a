#include "render/arrangement_picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CORNERS = 64 /* of a clipped cell; more are cut off, which moves its node only */ };

/* The part of the plane that the picture shows. */
struct window {
    double low[2], high[2];
};

struct polygon {
    double corners[MAX_CORNERS][2];
    int count;
};

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Finds the box of most crossings, with a margin, in the proportions of the picture: a tenth of them may be outside on
 * each side. Without crossings: of the points of the lines next to the origin. False if memory ran out. */
static bool find_window(const struct canvas *canvas, const double *lines, int64_t n, struct window *w)
{
    const size_t bytes = (size_t)(n * (n + 1) / 2) * sizeof(double); /* crossings, or a point of each line */
    double *found[2] = {malloc(bytes), malloc(bytes)};
    const double size[2] = {canvas->width, canvas->height};
    double middle[2], scale = 0;
    size_t count = 0;
    if (!found[0] || !found[1]) {
        free(found[0]);
        free(found[1]);
        return false;
    }
    /* 1. The points. */
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++) {
            const double *a = lines + 3 * i, *b = lines + 3 * j, det = a[0] * b[1] - a[1] * b[0];
            const double x = (a[1] * b[2] - a[2] * b[1]) / det, y = (a[2] * b[0] - a[0] * b[2]) / det;
            if (!isfinite(x) || !isfinite(y)) continue;
            found[0][count] = x;
            found[1][count++] = y;
        }
    for (int64_t i = 0, none = count == 0; i < n && none; i++) {
        const double *a = lines + 3 * i, square = a[0] * a[0] + a[1] * a[1];
        found[0][count] = -a[0] * a[2] / square;
        found[1][count++] = -a[1] * a[2] / square;
    }
    /* 2. Their box, without the outer ones. */
    for (int c = 0; c < 2; c++) {
        qsort(found[c], count, sizeof(double), compare_numbers);
        const double low = found[c][count / 10], high = found[c][count - 1 - count / 10];
        middle[c] = (low + high) / 2;
        scale = fmax(scale, 1.6 * (high - low) / size[c]);
        free(found[c]);
    }
    if (!(scale > 0) || !isfinite(scale)) scale = 2 / size[0];
    for (int c = 0; c < 2; c++) {
        w->low[c] = middle[c] - scale * size[c] / 2;
        w->high[c] = middle[c] + scale * size[c] / 2;
    }
    return true;
}

/* Cuts off the part of a polygon on the other side of a line. */
static void clip(struct polygon *p, const double *line, double side)
{
    struct polygon out = {.count = 0};
    for (int i = 0; i < p->count; i++) {
        const double *a = p->corners[i], *b = p->corners[(i + 1) % p->count];
        const double at_a = side * (line[0] * a[0] + line[1] * a[1] + line[2]),
                     at_b = side * (line[0] * b[0] + line[1] * b[1] + line[2]);
        if (at_a >= 0 && out.count < MAX_CORNERS) memcpy(out.corners[out.count++], a, sizeof out.corners[0]);
        if ((at_a >= 0) != (at_b >= 0) && out.count < MAX_CORNERS) {
            const double t = at_a / (at_a - at_b);
            out.corners[out.count][0] = a[0] + t * (b[0] - a[0]);
            out.corners[out.count++][1] = a[1] + t * (b[1] - a[1]);
        }
    }
    *p = out;
}

/* A cell in the picture. */
struct node {
    double at[2];
    double size; /* the square root of the area of the part that the window shows; 0: none */
};

/* Finds the centre of gravity of the part of a cell that the window shows, and its size. */
static struct node find_node(const struct window *w, const double *lines, int64_t n, const uint64_t *vector)
{
    struct polygon p = {
        {{w->low[0], w->low[1]}, {w->high[0], w->low[1]}, {w->high[0], w->high[1]}, {w->low[0], w->high[1]}}, 4};
    struct node node = {.size = 0};
    double area = 0, sum[2] = {0}; /* twice of each */
    for (int64_t k = 0; k < n && p.count > 0; k++) clip(&p, lines + 3 * k, vector[k / 64] >> (k % 64) & 1 ? 1 : -1);
    for (int i = 0; i < p.count; i++) {
        const double *a = p.corners[i], *b = p.corners[(i + 1) % p.count];
        const double part = (a[0] - w->low[0]) * (b[1] - w->low[1]) - (b[0] - w->low[0]) * (a[1] - w->low[1]);
        area += part;
        for (int c = 0; c < 2; c++) sum[c] += part * (a[c] + b[c] - 2 * w->low[c]) / 3;
    }
    if (!(area > 0)) return node;
    for (int c = 0; c < 2; c++) node.at[c] = w->low[c] + sum[c] / area;
    node.size = sqrt(area / 2);
    return node;
}

static double column_of(const struct canvas *canvas, const struct window *w, double x)
{
    return (x - w->low[0]) / (w->high[0] - w->low[0]) * canvas->width;
}

static double row_of(const struct canvas *canvas, const struct window *w, double y)
{
    return (w->high[1] - y) / (w->high[1] - w->low[1]) * canvas->height;
}

static void connect(struct canvas *canvas, const struct window *w, const double *from, const double *to, double width,
                    struct colour colour)
{
    canvas_line(canvas, column_of(canvas, w, from[0]), row_of(canvas, w, from[1]), column_of(canvas, w, to[0]),
                row_of(canvas, w, to[1]), width, colour, 1);
}

/* Draws the part of a line that the window shows. */
static void draw_line(struct canvas *canvas, const struct window *w, const double *line)
{
    double ends[2][2];
    const int along = fabs(line[0]) > fabs(line[1]); /* the coordinate in which its ends are those of the window */
    for (int e = 0; e < 2; e++) {
        ends[e][along] = e ? w->high[along] : w->low[along];
        ends[e][1 - along] = -(line[along] * ends[e][along] + line[2]) / line[1 - along];
    }
    connect(canvas, w, ends[0], ends[1], 1.5, colour_of(0x6b7688));
}

bool arrangement_picture_draw(struct canvas *canvas, const double *lines, int64_t n, const uint64_t *vectors,
                              int64_t cells, const int64_t *walls, int64_t wall_count)
{
    struct window w;
    struct node *nodes = malloc((size_t)(cells > 0 ? cells : 1) * sizeof *nodes);
    const double radius = fmax(1.2, fmin(7, canvas->width / (6 * sqrt((double)cells))));
    if (!nodes || !find_window(canvas, lines, n, &w)) {
        free(nodes);
        return false;
    }
    for (int64_t i = 0; i < n; i++) draw_line(canvas, &w, lines + 3 * i);
    /* A disc has at most a quarter of its cell's width, so that small cells stay apart; .7 of a pixel can be seen. */
    const double pixels = canvas->width / (w.high[0] - w.low[0]);
    for (int64_t v = 0; v < cells; v++) nodes[v] = find_node(&w, lines, n, vectors + v * ((n + 63) / 64));
    for (int64_t e = 0; e < wall_count; e++) {
        const struct node *a = &nodes[walls[2 * e]], *b = &nodes[walls[2 * e + 1]];
        const double least = fmin(a->size, b->size);
        if (least > 0)
            connect(canvas, &w, a->at, b->at, fmax(0.6, fmin(radius / 4, least * pixels / 12)), colour_of(0x3d8fd1));
    }
    for (int64_t v = 0; v < cells; v++)
        if (nodes[v].size > 0)
            canvas_disc(canvas, column_of(canvas, &w, nodes[v].at[0]), row_of(canvas, &w, nodes[v].at[1]),
                        fmax(0.7, fmin(radius, nodes[v].size * pixels / 4)), colour_of(0xf2b84b), 1);
    free(nodes);
    return true;
}
