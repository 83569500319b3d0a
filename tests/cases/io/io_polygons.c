/* Polygons of meshes, cut into triangles that cover them once: the sum of the areas is the polygon's, whatever corner
 * comes first and in whatever format. */
#include <math.h>
#include <stdio.h>

#include "io/mesh/box_tree.h"
#include "io/mesh/faces.h"
#include "support/bytes.h"

enum { CORNERS_MAX = 64, TEXT_BYTES = 1 << 14 };

/* A plane polygon of known area, by the coordinates of its corners. */
struct outline {
    const char *name;
    double area; /* 0: must be refused */
    int corners;
    double at[CORNERS_MAX];
};

static const struct outline outlines[] = {
    {"square", 4, 4, {0, 0, 2, 0, 2, 2, 0, 2}},
    {"L", 3, 6, {0, 0, 2, 0, 2, 1, 1, 1, 1, 2, 0, 2}},
    {"arrow", 4, 4, {0, 0, 2, -2, 0, 2, -2, -2}},
    {"corner on a side", 4, 5, {0, 0, 1, 0, 2, 0, 2, 2, 0, 2}},
    {"comb", 10, 12, {0, 0, 5, 0, 5, 3, 4, 3, 4, 1, 3, 1, 3, 3, 2, 3, 2, 1, 1, 1, 1, 2, 0, 2}},
    {"spiral", 20, 12, {0, 0, 6, 0, 6, 5, 0, 5, 0, 2, 4, 2, 4, 3, 1, 3, 1, 4, 5, 4, 5, 1, 0, 1}},
    {"star", 0, 5, {0, 3, -2, -3, 3, 1, -3, 1, 2, -3}},
    {"bow tie", 0, 4, {0, 0, 2, 2, 2, 0, 0, 2}},
    {"lopsided bow tie", 0, 4, {0, 0, 3, 2, 3, 0, 0, 1}},
    {"twice round", 0, 6, {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1}},
    {"hole, joined by a double edge", 12, 10, {0, 0, 4, 0, 4, 4, 0, 4, 0, 0, 1, 1, 1, 3, 3, 3, 3, 1, 1, 1}},
    {"hole, joined at a corner", 12.5, 7, {0, 0, 4, 0, 4, 4, 0, 4, 0, 0, 1, 3, 3, 2}},
    {"spike", 4, 6, {0, 0, 2, 0, 2, 2, 0, 2, -1, 2, 0, 2}},
    {"corner given twice", 4, 5, {0, 0, 2, 0, 2, 0, 2, 2, 0, 2}},
    {"two squares at a corner", 2, 8, {0, 0, 1, 0, 1, 1, 2, 1, 2, 2, 1, 2, 1, 1, 0, 1}},
    {"inner loop", 0, 7, {0, 0, 4, 0, 4, 4, 0, 4, 0, 0, 3, 2, 1, 3}},
};
enum { OUTLINES = sizeof outlines / sizeof outlines[0] };

/* Places the corners, from `first` on and backwards if `back`, in a tilted plane scaled by `scale`. */
static void place(const struct outline *o, int first, bool back, double scale, double *points)
{
    for (int i = 0; i < o->corners; i++) {
        const double *c = o->at + 2 * ((first + (back ? o->corners - i : i)) % o->corners);
        points[3 * i] = scale * (c[0] + 2 * c[1]) + 5 * scale;
        points[3 * i + 1] = scale * (c[0] - c[1]);
        points[3 * i + 2] = scale * c[1];
    }
}

/* The area of the triangles, by their corners' numbers, in units of the outline. Sums sizes without signs. */
static double sum_areas(const bosc_array *vertices, const bosc_array *triangles, double scale)
{
    const uint32_t *t = triangles->data;
    double sum = 0;
    for (int64_t i = 0; i < triangles->shape[0]; i++, t += 3) {
        double a[3], b[3], square = 0;
        for (int c = 0; c < 3; c++) {
            const double *x = vertices->data;
            a[c] = (x[3 * t[1] + c] - x[3 * t[0] + c]) / scale;
            b[c] = (x[3 * t[2] + c] - x[3 * t[0] + c]) / scale;
        }
        for (int c = 0; c < 3; c++) {
            double part = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
            square += part * part;
        }
        sum += sqrt(square) / 2;
    }
    return sum / sqrt(11.0); /* (1, 1, 0) x (2, -1, 1) = (1, -1, -3) */
}

static size_t write_off(char *text, const double *points, int n)
{
    int used = sprintf(text, "OFF\n%d 1 0\n", n);
    for (int i = 0; i < n; i++)
        used += sprintf(text + used, "%.17g %.17g %.17g\n", points[3 * i], points[3 * i + 1], points[3 * i + 2]);
    used += sprintf(text + used, "%d", n);
    for (int i = 0; i < n; i++) used += sprintf(text + used, " %d", i);
    return (size_t)used + (size_t)sprintf(text + used, "\n");
}

/* The face comes first, before its vertices. */
static size_t write_obj(char *text, const double *points, int n)
{
    int used = sprintf(text, "f");
    for (int i = 0; i < n; i++) used += sprintf(text + used, " %d", i + 1);
    used += sprintf(text + used, "\n");
    for (int i = 0; i < n; i++)
        used += sprintf(text + used, "v %.17g %.17g %.17g\n", points[3 * i], points[3 * i + 1], points[3 * i + 2]);
    return (size_t)used;
}

static int write_ply_header(char *text, const char *format, int n)
{
    return sprintf(text,
                   "ply\nformat %s 1.0\nelement face 1\nproperty list uchar int vertex_indices\nelement vertex %d\n"
                   "property double x\nproperty double y\nproperty double z\nend_header\n",
                   format, n);
}

static size_t write_ply(char *text, const double *points, int n)
{
    int used = write_ply_header(text, "ascii", n);
    used += sprintf(text + used, "%d", n);
    for (int i = 0; i < n; i++) used += sprintf(text + used, " %d", i);
    for (int i = 0; i < n; i++)
        used += sprintf(text + used, "\n%.17g %.17g %.17g", points[3 * i], points[3 * i + 1], points[3 * i + 2]);
    return (size_t)used + (size_t)sprintf(text + used, "\n");
}

static size_t write_binary_ply(char *text, const double *points, int n)
{
    size_t used = (size_t)write_ply_header(text, "binary_little_endian", n);
    text[used++] = (char)n;
    for (int32_t i = 0; i < n; i++, used += sizeof i) memcpy(text + used, &i, sizeof i);
    memcpy(text + used, points, (size_t)n * 3 * sizeof *points);
    return used + (size_t)n * 3 * sizeof *points;
}

static const struct {
    const char *name, *where; /* where: begins the reason of a refusal */
    bi_mesh_fn read;
    size_t (*write)(char *text, const double *points, int n);
} formats[] = {{"off", "F:", bi_off_read, write_off},
               {"obj", "F:1: a face crosses itself", bi_obj_read, write_obj},
               {"ply", "F:10: a face crosses itself", bi_ply_read, write_ply},
               {"binary ply", "F: face 0: a face crosses itself", bi_ply_read, write_binary_ply}};

/* Reads one outline, and checks the area or the refusal. */
static void check_outline(const struct outline *o, size_t format, int first, bool back, double scale)
{
    static char text[TEXT_BYTES];
    double points[3 * CORNERS_MAX];
    bosc_array vertices = {0}, triangles = {0};
    bosc_io_error error = {""};
    place(o, first, back, scale, points);
    struct bi_bytes in = {.name = "F", .data = text, .size = formats[format].write(text, points, o->corners)};
    bosc_status status = bi_mesh_parse(formats[format].read, &in, &vertices, &triangles, &error);
    if (o->area == 0) {
        if (status != BOSC_ERR_FORMAT || !suite_begins(error.text, formats[format].where))
            suite_fail(__FILE__, __LINE__, "%s, %s from corner %d: %d, '%s'", o->name, formats[format].name, first,
                       (int)status, error.text);
        bosc_array_free(&vertices);
        bosc_array_free(&triangles);
        return;
    }
    if (status != BOSC_OK) suite_fail(__FILE__, __LINE__, "%s from corner %d: %s", o->name, first, error.text);
    CHECK_EQ(triangles.shape[0], o->corners - 2);
    double area = sum_areas(&vertices, &triangles, scale);
    if (!(fabs(area - o->area) <= 1e-12 * o->area))
        suite_fail(__FILE__, __LINE__, "%s, %s from corner %d: %.17g for %.17g", o->name, formats[format].name, first,
                   area, o->area);
    bosc_array_free(&vertices);
    bosc_array_free(&triangles);
}

static void areas(void)
{
    static const double scales[] = {1, 0x1p-900, 0x1p-290, 0x1p-190, 0x1p190, 0x1p290, 0x1p900};
    enum { SCALES = sizeof scales / sizeof scales[0] };
    for (size_t i = 0; i < OUTLINES; i++)
        for (size_t format = 0; format < sizeof formats / sizeof formats[0]; format++)
            for (int first = 0; first < outlines[i].corners; first++)
                for (int k = 0; k < 2 * SCALES; k++) check_outline(&outlines[i], format, first, k % 2, scales[k / 2]);
}

/* Reads an .obj; returns its status, and the number of triangles. */
static bosc_status read_text(const char *text, size_t size, int64_t *triangles, bosc_io_error *error)
{
    bosc_array vertices = {0}, faces = {0};
    struct bi_bytes in = {.name = "F", .data = text, .size = size};
    bosc_status status = bi_mesh_parse(bi_obj_read, &in, &vertices, &faces, error);
    *triangles = faces.shape[0];
    bosc_array_free(&vertices);
    bosc_array_free(&faces);
    return status;
}

/* Folded faces, faces without an area, and faces at infinity. */
static void shapes(void)
{
    static const struct {
        const char *text, *reason; /* NULL: read */
    } all[] = {
        {"v 0 0 0\nv 1 0 .5\nv 1 1 0\nv 0 1 .5\nf 1 2 3 4\n", NULL},               /* a saddle */
        {"v 0 0 0\nv 1 0 0\nv 1 1 2\nv 0 1 0\nf 1 2 3 4\n", NULL},                 /* folded */
        {"v 0 0 0\nv 1 1 1\nv 2 2 2\nv 3 3 3\nf 1 3 2 4\n", NULL},                 /* all on a line */
        {"v 5 5 5\nv 5 5 5\nv 5 5 5\nv 5 5 5\nf 1 2 3 4\n", NULL},                 /* a point */
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 3 2 1 2\n", NULL},                          /* there and back */
        {"v 1 1 0\nv 2 1 0\nv 2 1.0000001 0\nv 1 1.0000001 0\nf 1 3 2 4\n", NULL}, /* crosses, but is thin */
        {"v 1 1 0\nv 2 1 0\nv 2 1.001 0\nv 1 1.001 0\nf 1 3 2 4\n", "F:5: a face crosses itself"},
        {"v 1 1 0\nv 2 1 0\nv 2 inf 0\nv 1 2 0\nf 1 2 3 4\n", "F:5: a face with an infinite corner"},
        {"v 1 1 0\nv 2 1 0\nv 2 inf 0\nf 1 2 3\n", NULL}, /* triangles are not looked at */
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        bosc_io_error error = {""};
        int64_t triangles = 0;
        bosc_status status = read_text(all[i].text, strlen(all[i].text), &triangles, &error);
        if ((status == BOSC_OK) != !all[i].reason || (all[i].reason && !suite_begins(error.text, all[i].reason)))
            suite_fail(__FILE__, __LINE__, "face %d: %d, '%s'", (int)i, (int)status, error.text);
    }
}

/* A comb of many teeth, whose fan covers it not, and a convex polygon of as many corners. */
static void many_corners(void)
{
    enum { LARGE = 20000, ROOM = 64 * LARGE };
    char *text = malloc(ROOM);
    bosc_io_error error = {""};
    int64_t triangles = 0;
    if (!text) abort();
    for (int kind = 0; kind < 3; kind++) { /* comb, too large a comb, convex */
        const int n = kind == 0 ? 600 : LARGE;
        int used = 0;
        for (int i = 0; i < n; i++) {
            double x = i / 2, y = i % 2 ? 5 : (double)(i % 4);
            if (kind == 2) x = i - LARGE / 2, y = x * x;
            if (kind < 2 && i + 2 >= n) x = i + 2 == n ? n : 0, y = -1;
            used += sprintf(text + used, "v %.17g %.17g 0\n", x, y);
        }
        used += sprintf(text + used, "f");
        for (int i = 0; i < n; i++) used += sprintf(text + used, " %d", i + 1);
        used += sprintf(text + used, "\n");
        bosc_status status = read_text(text, (size_t)used, &triangles, &error);
        CHECK_EQ(status, kind == 1 ? BOSC_ERR_LIMIT : BOSC_OK);
        if (kind == 1) CHECK(strstr(error.text, "a face of more than 16384 corners that is not convex"));
        if (kind != 1) CHECK_EQ(triangles, n - 2);
    }
    free(text);
}

/* Polygons around a center, with corners at random distances: their area by the rule of the shoelace. */
static void rough_outlines(void)
{
    enum { CORNERS = 120, TRIALS = 60 };
    static char text[128 * CORNERS];
    struct suite_random r = {11};
    for (int trial = 0; trial < TRIALS; trial++) {
        const int n = 5 + (int)suite_below(&r, CORNERS - 4);
        double points[3 * CORNERS], twice = 0;
        bosc_array vertices = {0}, triangles = {0};
        bosc_io_error error = {""};
        for (int i = 0; i < n; i++) {
            const double angle = 6.283185307179586 * i / n, radius = 0.2 + suite_unit(&r);
            points[3 * i] = radius * cos(angle);
            points[3 * i + 1] = radius * sin(angle);
            points[3 * i + 2] = 0;
        }
        for (int i = 0, k = n - 1; i < n; k = i++)
            twice += points[3 * k] * points[3 * i + 1] - points[3 * i] * points[3 * k + 1];
        struct bi_bytes in = {.name = "F", .data = text, .size = write_off(text, points, n)};
        CHECK_EQ(bi_mesh_parse(bi_off_read, &in, &vertices, &triangles, &error), BOSC_OK);
        CHECK(fabs(sum_areas(&vertices, &triangles, 1) * sqrt(11.0) - twice / 2) < 1e-12 * twice);
        bosc_array_free(&vertices);
        bosc_array_free(&triangles);
    }
}

static double cross(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* True if no axis and no line along a side of the triangle separates it from the box. Exact for small integers. */
static bool box_touches(const struct bi_box *box, const double t[3][2])
{
    for (int c = 0; c < 2; c++) {
        const double low = fmin(fmin(t[0][c], t[1][c]), t[2][c]), high = fmax(fmax(t[0][c], t[1][c]), t[2][c]);
        if (box->low[c] > high || box->high[c] < low) return false;
    }
    for (int k = 0; k < 3; k++) {
        bool beyond = true;
        for (int corner = 0; corner < 4; corner++) {
            const double at[2] = {corner & 1 ? box->high[0] : box->low[0], corner & 2 ? box->high[1] : box->low[1]};
            beyond &= cross(t[k], t[(k + 1) % 3], at) < 0;
        }
        if (beyond) return false;
    }
    return true;
}

/* A tree of boxes lists the boxes at a triangle and the items of a rating as a loop over all of them does. */
static void box_tree(void)
{
    enum { ITEMS = 200, SIDE = 40 };
    struct suite_random r = {3};
    struct bi_box_tree tree = {0};
    for (int trial = 0; trial < 60; trial++) {
        const uint32_t n = 1 + (uint32_t)suite_below(&r, ITEMS);
        struct bi_box boxes[ITEMS];
        bool present[ITEMS];
        uint8_t ratings[ITEMS];
        /* 1. Boxes, some cleared and some changed again after the tree is built. */
        CHECK(bi_box_tree_make(&tree, n));
        for (int round = 0; round < 2; round++) {
            for (uint32_t i = 0; i < n; i++) {
                if (round && suite_below(&r, 3)) continue;
                double a[2], b[2];
                for (int c = 0; c < 2; c++) {
                    a[c] = (double)suite_below(&r, SIDE);
                    b[c] = a[c] + (double)suite_below(&r, 5) - 2;
                }
                boxes[i] = bi_box_around(a, b, 0, 1);
                ratings[i] = (uint8_t)suite_below(&r, 6);
                present[i] = !round || suite_below(&r, 2);
                bi_box_tree_set(&tree, i, boxes[i], ratings[i]);
                if (!present[i]) bi_box_tree_clear(&tree, i);
                if (round) bi_box_tree_update(&tree, i);
            }
            if (!round) bi_box_tree_build(&tree);
        }
        /* 2. Triangles, some of them flat, and ratings. */
        for (int k = 0; k < 50; k++) {
            double t[3][2];
            for (int i = 0; i < 6; i++) t[i / 2][i % 2] = (double)suite_below(&r, SIDE);
            if (cross(t[0], t[1], t[2]) <= 0) memcpy(t[2], t[1], sizeof t[2]);
            const struct bi_box_triangle triangle = bi_box_triangle_of(t[0], t[1], t[2], 0, 1);
            const uint8_t most = (uint8_t)suite_below(&r, 6);
            uint32_t touching = 0, rated = 0;
            for (uint32_t i = 0; i < n; i++) {
                if (present[i] && box_touches(&boxes[i], t)) {
                    CHECK_EQ(bi_box_tree_next_touching(&tree, touching, &triangle), i);
                    touching = i + 1;
                }
                if (!present[i] || ratings[i] > most) continue;
                CHECK_EQ(bi_box_tree_next_rated(&tree, rated, most), i);
                rated = i + 1;
            }
            CHECK_EQ(bi_box_tree_next_touching(&tree, touching, &triangle), tree.leaves);
            CHECK_EQ(bi_box_tree_next_rated(&tree, rated, most), tree.leaves);
        }
    }
    bi_box_tree_free(&tree);
}

static const struct suite_case suite_cases_io_polygons[] = {
    {"areas", NULL, areas},
    {"shapes", NULL, shapes},
    {"many corners", NULL, many_corners},
    {"rough outlines", NULL, rough_outlines},
    {"box tree", NULL, box_tree},
};
SUITE(io_polygons);
