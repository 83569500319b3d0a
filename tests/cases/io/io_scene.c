/* Scenes: bodies and placements as text, sphere trees, Qt streams. */
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault.h"
#include "cases/plan/scene_data.h"
#include "io/scene/scene.h"
#include "io/file/array.h"
#include "support/bytes.h"
#include "support/paths.h"

#define ROWS(parse, text, n, dim, ...) check_rows(parse, text, sizeof(text) - 1, n, dim, (const double[]){__VA_ARGS__})
#define REFUSED(parse, list) check_all_refused(parse, list, sizeof list / sizeof list[0])

static bosc_status body_vertices(const struct bi_bytes *in, bosc_array *array, bosc_io_error *error)
{
    struct bi_body body = {.balls.data = NULL};
    bosc_status status = bi_body_parse(in, &body, error);
    *array = body.vertices;
    CHECK(!body.balls.data);
    for (int64_t i = 0; status == BOSC_OK && i < 3 * body.triangles.shape[0]; i++)
        CHECK((int64_t)((const uint32_t *)body.triangles.data)[i] < body.vertices.shape[0]);
    bosc_array_free(&body.triangles);
    return status;
}

static bosc_status body_triangles(const struct bi_bytes *in, bosc_array *array, bosc_io_error *error)
{
    struct bi_body body = {.balls.data = NULL};
    bosc_status status = bi_body_parse(in, &body, error);
    if (status == BOSC_OK) CHECK_EQ(bosc_array_convert("t", &body.triangles, BOSC_F64, 0, NULL), BOSC_OK);
    *array = body.triangles;
    bosc_array_free(&body.vertices);
    return status;
}

#define THREE "3\n0 0 0\n1 0 0\n0 1 0\n"

static void body(void)
{
    /* Malformed files: vertices, triangles, normals, in the order of the file. */
    static const struct malformed bad[] = {
        {"F:1: truncated before the number of vertices", "\n", 0},
        {"F:1: 'x' is not a number of vertices", "x", 0},
        {"F:1: '-1' is not a number of vertices", "-1", 0},
        {"F:1: '1.5' is not a number of vertices", "1.5", 0},
        {"F:1: '99999999999999999999' is not a number of vertices", "99999999999999999999", 0},
        {"F:1: no vertices", "0\n", 0},
        {"F:1: truncated: 1 vertices do not fit", "1\n", 0},
        {"F:1: truncated: 4611686018427387904 vertices", "4611686018427387904\n0 0 0\n", 0},
        {"F:1: truncated: 4444444444444444441 vertices", "4444444444444444441\n1\n", 0},
        {"F:1: truncated: 9 vertices", "9\n0 0 0\n0 0 0\n", 0},
        {"F:2: truncated in the vertices", "1 # one of three numbers\n0 0\n", 0},
        {"F:2: 'x' is not a number", "1\nx 0 0\n1\n0 0 0\n", 0},
        {"F:2: '1,2,3' is not a number", "1\n1,2,3\n1\n0 0 0\n", 0},
        {"F:2: NaN", "1\n0 nan 0\n1\n0 0 0\n", 0},
        {"F:2: NaN", "1\n-NaN 0 0\n1\n0 0 0\n", 0},
        {"F:2: 'inf' is not finite", "1\n0 0 inf\n1\n0 0 0\n", 0},
        {"F:2: '-infinity' is not finite", "1\n-infinity 0 0\n1\n0 0 0\n", 0},
        {"F:2: '1e400' is not finite", "1\n1e400 0 0\n1\n0 0 0\n", 0},
        {"F:2: '-1e999999999999' is not finite", "1\n0 -1e999999999999 0\n1\n0 0 0\n", 0},
        {"F:2: '0x1' is not a number", "1\n0 0x1 0\n1\n0 0 0\n", 0},
        {"F:2: '1e' is not a number", "1\n0 1e 0\n1\n0 0 0\n", 0},
        {"F:2: '.' is not a number", "1\n. 0 0\n1\n0 0 0\n", 0},
        {"F:2: '--1' is not a number", "1\n--1 0 0\n1\n0 0 0\n", 0},
        {"F:2: '1..2' is not a number", "1\n1..2 0 0\n1\n0 0 0\n", 0},
        {"F:2: '1f' is not a number", "1\n1f 0 0\n1\n0 0 0\n", 0},
        {"F:2: '1;' is not a number", "1\n1; 0 0\n1\n0 0 0\n", 0},
        {"F:2: '\"1\"' is not a number", "1\n\"1\" 0 0\n1\n0 0 0\n", 0},
        {"F:2: '?\?' is not a number", "1\n\xc3\xa9 0 0\n1\n0 0 0\n", 0},
        {"F:4: truncated before the number of triangles", THREE, 0},
        {"F:5: 'x' is not a number of triangles", THREE "x\n", 0},
        {"F:5: '-2' is not a number of triangles", THREE "-2\n0 1 2\n", 0},
        {"F:5: '1.0' is not a number of triangles", THREE "1.0\n0 1 2\n", 0},
        {"F:5: no triangles", THREE "0\n", 0},
        {"F:5: truncated: 2 triangles do not fit", THREE "2\n0 1 2", 0},
        {"F:5: truncated: 4611686018427387904 triangles", THREE "4611686018427387904\n0 1 2\n", 0},
        {"F:6: truncated in the triangles", THREE "1\n0 1  \n", 0},
        {"F:6: '3' is none of the vertices 0 to 2", THREE "1\n0 1 3\n", 0},
        {"F:6: '-1' is none of the vertices", THREE "1\n-1 1 2\n", 0},
        {"F:6: '1.0' is none of the vertices", THREE "1\n0 1.0 2\n", 0},
        {"F:6: 'a' is none of the vertices", THREE "1\na 1 2\n", 0},
        {"F:6: '4294967296' is none of the vertices", THREE "1\n4294967296 1 2\n", 0},
        {"F:6: '18446744073709551617' is none", THREE "1\n0 1 18446744073709551617\n", 0},
        {"F:7: '9' is none of the vertices", THREE "2\n0 1 2\n1 2 9\n", 0},
        {"F:7: truncated in the normals", THREE "1\n0 1 2\n0 0 1\n", 0},
        {"F:7: truncated in the normals", THREE "1\n0 1 2\n0 0 1 0 0 1 0 0\n", 0},
        {"F:7: 'x' is not a number", THREE "1\n0 1 2\n0 0 1 0 0 1 0 0 x\n", 0},
        {"F:7: 'x' is not", THREE "1\n0 1 2\n0 0 1 0 0 x 0 0 1\n", 0},
        {"F:7: '7' after the normals", THREE "1\n0 1 2\n0 0 1 0 0 1 0 0 1 7\n", 0},
        {"F:8: 'end' after the normals", THREE "1\n0 1 2\n0 0 1 0 0 1 0 0 1\nend\n", 0},
        {"F:7: 'end' is not a number", THREE "1\n0 1 2\nend\n", 0},
        {"F:1: 'OFF' is not a number of vertices", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", 0},
        {"F:1: '?\?\?\?\?\?\?\?' is not a number of vertices", "\0\0\0\2\0\0\0\1", 8},
    };
    REFUSED(body_vertices, bad);
    /* Comments, line ends and spacing; truncated and flipped bytes. */
    ROWS(body_vertices, "\xef\xbb\xbf# a body\r\n3 0 0 0\r\n1 0 .5 # c\r\n-1e-2 1 +0 1\r\n0 1 2", 3, 3, 0, 0, 0, 1, 0,
         .5, -1e-2, 1, 0);
    ROWS(body_triangles, THREE "2\n0 1 2 2\n1\n0\n", 2, 3, 0, 1, 2, 2, 1, 0);
    ROWS(body_triangles, THREE "1\n0 1 2\n0 0 1 0 0 1 0 0 1\n# end\n", 1, 3, 0, 1, 2);
    ROWS(body_triangles, THREE "1\n0 1 2\nnan -NaN inf 1e400 0 1 0 0 1\n", 1, 3, 0, 1, 2); /* normals are not read */
    static const char good[] = THREE "2\n0 1 2\n2 1 0\n";
    check_truncations(body_triangles, good, sizeof good - 1, sizeof good - 2);
    check_flips(body_triangles, good, sizeof good - 1, sizeof good - 1);
}

static bosc_status placements(const struct bi_bytes *in, bosc_array *array, bosc_io_error *error)
{
    struct bi_placement found[2];
    int32_t count = 0;
    bosc_array fresh = {0};
    bosc_status status = bi_placements_parse(in, found, &count, error);
    if (status != BOSC_OK) return status;
    CHECK_EQ(bi_array_new("p", BOSC_F64, 2, (const int64_t[]){count, 7}, &fresh, NULL), BOSC_OK);
    for (int32_t i = 0; i < count; i++) {
        const double *q = found[i].rotation;
        CHECK(fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1) < 1e-12);
        memcpy((double *)fresh.data + 7 * i, &found[i], 7 * sizeof(double));
    }
    *array = fresh;
    return BOSC_OK;
}

#define UNIT "1 0 0 4\n0 1 0 5\n0 0 1 6\n0 0 0 1\n"
#define HALF_TURN(x, y, z) x " 0 0 0\n0 " y " 0 0\n0 0 " z " 0\n0 0 0 1\n"

static void transforms(void)
{
    /* Malformed files: incomplete matrices, numbers, matrices other than rotations, last rows. */
    static const struct malformed bad[] = {
        {"F:0: truncated in a matrix", "", 0},
        {"F:2: truncated in a matrix", "# nothing\n1 0 0", 0},
        {"F:4: truncated in a matrix", "1 0 0 4\n0 1 0 5\n0 0 1 6\n0 0 0\n", 0},
        {"F:6: truncated in a matrix", UNIT "# more\n1 0 0 0\n", 0},
        {"F:5: truncated in a matrix", UNIT "1\n", 0},
        {"F:8: truncated in a matrix", UNIT "1 0 0 4\n0 1 0 5\n0 0 1 6\n0 0 0\n", 0},
        {"F:9: '1' after the second matrix", UNIT UNIT "1\n", 0},
        {"F:9: 'x' after the second matrix", UNIT UNIT "x\n", 0},
        {"F:5: 'x' is not a number", UNIT "x\n", 0},
        {"F:1: 'x' is not a number", "x 0 0 0\n", 0},
        {"F:1: '1,0,0,0' is not a number", "1,0,0,0\n", 0},
        {"F:2: NaN", "1 0 0 0\nnan 1 0 0\n0 0 1 0\n0 0 0 1\n", 0},
        {"F:2: 'inf' is not finite", "1 0 0 0\n0 1 0 inf\n0 0 1 0\n0 0 0 1\n", 0},
        {"F:1: '1e999' is not finite", "1e999 0 0 0\n0 1 0 inf\n0 0 1 0\n0 0 0 1\n", 0},
        {"F:4: the matrix is no rotation: it scales", HALF_TURN("2", "1", "1"), 0},
        {"F:4: the matrix is no rotation: it scales", HALF_TURN("1", "1.001", "1"), 0},
        {"F:4: the matrix is no rotation: it scales", HALF_TURN("1", "1", "0"), 0},
        {"F:4: the matrix is no rotation: it scales", HALF_TURN("0", "0", "0"), 0},
        {"F:4: the matrix is no rotation: it scales", HALF_TURN("1e300", "1", "1"), 0},
        {"F:4: the matrix is no rotation: it scales", HALF_TURN("1", "1e200", "1"), 0},
        {"F:4: the matrix is no rotation: it scales", HALF_TURN("1", "1", "0.999"), 0},
        {"F:4: the matrix is no rotation: it scales", "1 1 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n", 0},
        {"F:4: the matrix is no rotation: it scales", "1 0 0 0\n0 1 .01 0\n0 0 1 0\n0 0 0 1\n", 0},
        {"F:4: the matrix is no rotation: it scales", "1 1 1 0\n1 1 1 0\n1 1 1 0\n0 0 0 1\n", 0},
        {"F:4: the matrix is no rotation: it mirrors", HALF_TURN("-1", "1", "1"), 0},
        {"F:4: the matrix is no rotation: it mirrors", HALF_TURN("1", "-1", "1"), 0},
        {"F:4: the matrix is no rotation: it mirrors", HALF_TURN("1", "1", "-1"), 0},
        {"F:4: the matrix is no rotation: it mirrors", HALF_TURN("-1", "-1", "-1"), 0},
        {"F:4: the matrix is no rotation: it mirrors", "0 1 0 0\n1 0 0 0\n0 0 1 0\n0 0 0 1\n", 0},
        {"F:8: the matrix is no rotation: it mirrors", UNIT HALF_TURN("1", "1", "-1"), 0},
        {"F:8: the matrix is no rotation: it scales", UNIT HALF_TURN("1", "1", "3"), 0},
        {"F:4: the last row", "1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 1 1\n", 0},
        {"F:4: the last row", "1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 2\n", 0},
        {"F:4: the last row", "1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 0\n", 0},
        {"F:4: the last row", "1 0 0 0\n0 1 0 0\n0 0 1 0\n1 2 3 1\n", 0},
        {"F:8: the last row", UNIT "1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 -1\n", 0},
        {"F:1: 'one' is not a number", "one 0 0 0\n", 0},
        {"F:3: '\?' is not a number", "1 0 0 0\n0 1 0 0\n\x80 0 1 0\n0 0 0 1\n", 0},
        {"F:1: '1/2' is not a number", "1/2 0 0 0\n", 0},
        {"F:1: '[1' is not a number", "[1 0 0 0]\n", 0},
        {"F:1: '1]' is not a number", "1] 0 0 0\n", 0},
        {"F:1: '1e+' is not a number", "1e+ 0 0 0\n", 0},
        {"F:1: 'e5' is not a number", "e5 0 0 0\n", 0},
        {"F:1: '-' is not a number", "- 0 0 0\n", 0},
        {"F:1: '0b1' is not a number", "0b1 0 0 0\n", 0},
        {"F:1: 'in' is not a number", "in 0 0 0\n", 0},
        {"F:1: 'infinit' is not a number", "infinit 0 0 0\n", 0},
        {"F:1: '1,5' is not a number", "1,5 0 0 0\n", 0},
        {"F:2: '1.0.0' is not a number", "1 0 0 0\n0 1.0.0 0 0\n", 0},
        {"F:5: truncated in a matrix", "1 0 0 0\n0 1 0 0\n0 0 1 0\n# 0 0 0 1\n0 0", 0},
    };
    const double half = 2 / sqrt(8);
    /* 1. Quaternions of half turns and of a quarter turn. */
    REFUSED(placements, bad);
    ROWS(placements, UNIT, 1, 7, 1, 0, 0, 0, 4, 5, 6);
    ROWS(placements, HALF_TURN("1", "-1", "-1") UNIT, 2, 7, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 4, 5, 6);
    ROWS(placements, HALF_TURN("-1", "1", "-1") HALF_TURN("-1", "-1", "1"), 2, 7, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0,
         0);
    ROWS(placements, "0 -1 0 0\n1 0 0 0\n0 0 1 0\n0 0 0 1\n", 1, 7, half, 0, 0, half, 0, 0, 0);
    /* 2. Truncated and flipped bytes. */
    check_truncations(placements, UNIT, sizeof UNIT - 1, sizeof UNIT - 2);
    check_flips(placements, UNIT, sizeof UNIT - 1, sizeof UNIT - 1);
}

static bosc_status sph_level(const struct bi_bytes *in, int32_t level, bosc_array *array, bosc_io_error *error)
{
    struct bi_body body = {.balls.data = NULL};
    bosc_status status = bi_sph_parse(in, level, &body, error);
    CHECK(!body.vertices.data && !body.triangles.data);
    *array = body.balls;
    return status;
}

static bosc_status sph(const struct bi_bytes *in, bosc_array *array, bosc_io_error *error)
{
    return sph_level(in, 0, array, error);
}

static bosc_status sph_root(const struct bi_bytes *in, bosc_array *array, bosc_io_error *error)
{
    return sph_level(in, 1, array, error);
}

static bosc_status sph_third(const struct bi_bytes *in, bosc_array *array, bosc_io_error *error)
{
    return sph_level(in, 3, array, error);
}

#define TREE "2 2\n0 0 0 2 1\n1 0 0 1.5 0\n-1 0 0 1.25 1\n"
#define ROOT "1 8\n0 0 0 1 1\n"

static void spheres(void)
{
    /* Malformed files: levels and children, sizes, nodes, numbers. */
    static const struct malformed bad[] = {
        {"F:0: no sphere tree", "", 0},
        {"F:1: no sphere tree", "# nothing\n", 0},
        {"F:1: the number of levels", "x 8\n", 0},
        {"F:1: the number of levels", "0 8\n", 0},
        {"F:1: the number of levels", "-1 8\n", 0},
        {"F:1: the number of levels", "65 1\n", 0},
        {"F:1: the number of levels", "1.0 8\n", 0},
        {"F:1: the number of levels", "99999999999999999999 8\n", 0},
        {"F:1: the number of levels", "+1 8\n0 0 0 1 1\n", 0},
        {"F:1: the number of children", "1\n0 0 0 1 1\n", 0},
        {"F:1: the number of children", "1 # 8\n0 0 0 1 1\n", 0},
        {"F:1: the number of children", "1 0\n0 0 0 1 1\n", 0},
        {"F:1: the number of children", "1 -8\n0 0 0 1 1\n", 0},
        {"F:1: the number of children", "1 x\n0 0 0 1 1\n", 0},
        {"F:1: the number of children", "1 8.5\n0 0 0 1 1\n", 0},
        {"F:1: the number of children", "1 99999999999999999999\n0 0 0 1 1\n", 0},
        {"F:1: more than two counts", "1 8 1\n0 0 0 1 1\n", 0},
        {"F:1: more than two counts", "1 8 0 0 0 1 1\n", 0},
        {"F: truncated: 2 levels of 8 children do not fit", "2 8\n0 0 0 1 1\n", 0},
        {"F: truncated: 64 levels of 8 children", "64 8\n0 0 0 1 1\n", 0},
        {"F: truncated: 64 levels of 1 children", "64 1\n0 0 0 1 1\n", 0},
        {"F: truncated: 2 levels of 4611686018427387904", "2 4611686018427387904\n0 0 0 1 1\n", 0},
        {"F: truncated: 3 levels of 3037000500", "3 3037000500\n0 0 0 1 1\n", 0},
        {"F:1: truncated in the nodes", "1 8\n", 0},
        {"F:2: truncated in the nodes", "2 1\n0.0000 0.0000 0.0000 1 1", 0},
        {"F:2: 4 numbers where x, y, z", "1 8\n0 0 0 1\n", 0},
        {"F:2: 6 numbers where x, y, z", "1 8\n0 0 0 1 1 1\n", 0},
        {"F:2: 1 numbers where x, y, z", "1 8\n0\n", 0},
        {"F:2: 'x' is not a number", "1 8\nx 0 0 1 1\n", 0},
        {"F:2: 'x' is not a number", "1 8\n0 0 0 1 x\n", 0},
        {"F:2: '0,0,0,1,1' is not a number", "1 8\n0,0,0,1,1\n", 0},
        {"F:2: NaN", "1 8\nnan 0 0 1 1\n", 0},
        {"F:2: NaN", "1 8\n0 0 0 nan 1\n", 0},
        {"F:2: a ball is not finite", "1 8\ninf 0 0 1 1\n", 0},
        {"F:2: a ball is not finite", "1 8\n0 -inf 0 1 1\n", 0},
        {"F:2: a ball is not finite", "1 8\n0 0 inf 1 1\n", 0},
        {"F:2: a ball is not finite", "1 8\n0 0 0 inf 1\n", 0},
        {"F:2: '1e999' is beyond", "1 8\n0 0 0 1e999 1\n", 0},
        {"F: no balls on the level", "1 8\n0 0 0 0 1\n", 0},
        {"F: no balls on the level", "1 8\n0 0 0 -1 1\n", 0},
        {"F: no balls on the level", "2 2\n0 0 0 2 1\n0 0 0 -1 0\n0 0 0 0 0\n", 0},
        {"F:3: 'Options' is not a number", "2 2\n0 0 0 2 1\nOptions :\n\tdepth : 3\n\tpause : FALSE\n", 0},
        {"F:4: 2 numbers where x, y, z", "2 2\n0 0 0 2 1\n1 0 0 1 0\n1 0 # 0 1 0\n", 0},
        {"F:4: 'abc' is not a number", "2 2\n0 0 0 2 1\n1 0 0 1 0\nabc 0 0 1 0\n", 0},
        {"F:4: NaN", "2 2\n0 0 0 2 1\n1 0 0 1 0\n0 0 nan 1 0\n", 0},
        {"F:3: truncated in the nodes", "2 2\n0 0 0 2 1.0000000000\n1 0 0 1 0.0000000000\n", 0},
        {"F:2: a ball is not finite", "1 8\n0 0 infinity 1 1\n", 0},
        {"F:2: '\?' is not a number", "1 8\n\xff 0 0 1 1\n", 0},
        {"F:2: '0x0' is not a number", "1 8\n0x0 0 0 1 1\n", 0},
    };
    REFUSED(sph, bad);
    /* Levels of good trees; nodes with a radius up to 0 are absent. */
    check_refused(sph_third, TREE, sizeof TREE - 1, "F: level 3 of a tree of 2 levels");
    ROWS(sph, TREE "Options :\n\tdepth : 3\n", 2, 4, 1, 0, 0, 1.5, -1, 0, 0, 1.25);
    ROWS(sph_root, TREE, 1, 4, 0, 0, 0, 2);
    ROWS(sph_third, "3 1\n0 0 0 2 1\n0 0 0 1.5 1\n# the last\r\n1 2 3 0.5 1\r\n", 1, 4, 1, 2, 3, 0.5);
    ROWS(sph, "2 2\n0 0 0 2 1\n0 0 0 0 0\n1 2 3 4 5\n", 1, 4, 1, 2, 3, 4);
    ROWS(sph, "2 2\n0 0 0 2 nan\n0 0 0 0 -inf\n1 2 3 4 1e400\n", 1, 4, 1, 2, 3, 4); /* flags are not read */
    /* Truncated and flipped bytes. */
    check_truncations(sph, TREE, sizeof TREE - 1, sizeof TREE - 3);
    check_flips(sph, TREE, sizeof TREE - 1, sizeof TREE - 1);
    check_flips(sph_root, ROOT, sizeof ROOT - 1, sizeof ROOT - 1);
}

/* The robot's balls of a stream. */
static bosc_status arr(const struct bi_bytes *in, bosc_array *array, bosc_io_error *error)
{
    struct bi_scene scene = {.has_from = false};
    bosc_status status = bi_arr_parse(in, &scene, error);
    if (status != BOSC_OK) return status;
    CHECK(scene.robot.balls.data || scene.robot.triangles.data);
    CHECK(scene.obstacle.balls.data || scene.obstacle.triangles.data);
    bosc_array balls = scene.robot.balls.data ? scene.robot.balls : scene.robot.vertices;
    if (scene.robot.balls.data)
        scene.robot.balls.data = NULL;
    else
        scene.robot.vertices.data = NULL;
    bi_scene_free(&scene);
    *array = balls;
    return BOSC_OK;
}

static void check_arr_refused(const struct stream *s, const char *reason)
{
    check_refused(arr, s->bytes, s->size, reason);
}

/* A stream of one ball and one triangle, with one fault. */
static void stream_faults(void)
{
    static const struct {
        const char *text, *reason;
    } numbers[] = {{"", "byte 12: a string that is no number"},
                   {"x", "byte 12: 'x' is not a number"},
                   {"1,5", "byte 12: '1,5' is not a number"},
                   {"1 ", "byte 12: '1 ' is not a number"},
                   {" 1", "byte 12: ' 1' is not a number"},
                   {"nan", "byte 12: NaN"},
                   {"NaN", "byte 12: NaN"},
                   {"sNaN", "byte 12: 'sNaN' is not a number"},
                   {"-inf", "byte 12: a number is not finite"},
                   {"Infinity", "byte 12: a number is not finite"},
                   {"1E+999", "byte 12: a number is not finite"},
                   {"1e", "byte 12: '1e' is not a number"},
                   {"0x10", "byte 12: '0x10' is not a number"},
                   {"--1", "byte 12: '--1' is not a number"},
                   {"1.2.3", "byte 12: '1.2.3' is not a number"},
                   {"1f", "byte 12: '1f' is not a number"},
                   {"1#", "byte 12: '1#' is not a number"},
                   {".", "byte 12: '.' is not a number"},
                   {"+", "byte 12: '+' is not a number"},
                   {"e7", "byte 12: 'e7' is not a number"}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct stream s = stream_begin(2);
        stream_balls(&s, 1, (const char *const[]){numbers[i].text, "0", "0", "1"}, 1);
        stream_triangle(&s, 0);
        stream_motion(&s, 0);
        check_arr_refused(&s, numbers[i].reason);
    }
    struct stream good = stream_scene();
    for (size_t i = 0; i < 20; i++) { /* a length that is odd, far too long, or the null string's */
        static const uint32_t lengths[] = {1, 3, 2049, 2050, 0x7ffffffe, 0xffffffff, 0xfffffffe, 5000, 0x80000000, 7,
                                           2, 6, 8,    10,   12,         14,         16,         18,   20,         22};
        struct stream s = good;
        stream_put(&s, 12, lengths[i]);
        bool survives = check_survives(arr, s.bytes, s.size);
        CHECK(survives == (lengths[i] == 10));
    }
    static const struct {
        size_t at;
        uint32_t value;
        const char *reason;
    } words[] = {{0, 0x7fffffff, "byte 0: more objects than the file can hold"},
                 {0, 0xffffffff, "byte 0: more objects than the file can hold"},
                 {0, 0, "byte 52: bytes after the end"},
                 {0, 3, "byte"},
                 {0, 1, "byte"},
                 {4, 2, "byte 4: the object's type is neither"},
                 {4, 0xffffffff, "byte 4: the object's type is neither"},
                 {4, 1, "byte"},
                 {8, 2, "byte"},
                 {8, 0, "byte"},
                 {8, 0x7fffffff, "byte 12: truncated: the object does not fit"},
                 {8, 0xffffffff, "byte 12: truncated: the object does not fit"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        struct stream s = good;
        stream_put(&s, words[i].at, words[i].value);
        check_arr_refused(&s, words[i].reason);
    }
    struct stream s = good;
    s.bytes[s.flags] = 2;
    check_arr_refused(&s, "a flag is neither 0 nor 1");
    s.bytes[s.flags] = 1;
    s.bytes[s.flags + 1] = 77;
    check_arr_refused(&s, "a flag is neither 0 nor 1");
    s.bytes[s.flags + 1] = 0;
    s.bytes[s.flags + 2] = 6;
    check_arr_refused(&s, "the colour is none of Qt's kinds");
    s = good;
    s.bytes[s.flags] = 0;
    check_arr_refused(&s, "F: nothing rotates");
    s = good;
    s.bytes[s.size++] = 0;
    check_arr_refused(&s, "bytes after the end");
    for (int i = 0; i < 6; i++) {
        s = good;
        memset(s.bytes + s.size - 48 + 8 * i, 0xff, 8);
        check_arr_refused(&s, "an angle is not finite");
    }
}

static void streams(void)
{
    struct stream s = stream_scene();
    check_rows(arr, s.bytes, s.size, 1, 4, (const double[]){-0.25, 0, 1e-7, 1});
    check_truncations(arr, s.bytes, s.size, s.size);
    check_flips(arr, s.bytes, s.size, 60);
    /* a node that a sphere tree has not; an object of both kinds; 88 digits, correctly rounded */
    s = stream_begin(3);
    stream_balls(
        &s, 2,
        (const char *const[]){"0", "0", "0", "-0.01",
                              "0.751587220554280337970210071448737040933648306274186216531927201026890020652493"
                              "06123456",
                              "2", "3", "4"},
        1);
    stream_triangle(&s, 1);
    stream_triangle(&s, 0);
    stream_motion(&s, 1.5);
    check_rows(arr, s.bytes, s.size, 1, 4, (const double[]){0.75158722055428033797, 2, 3, 4});
    struct bi_scene scene;
    const struct bi_bytes in = {.name = "F", .data = s.bytes, .size = s.size};
    CHECK_EQ(bi_arr_parse(&in, &scene, NULL), BOSC_OK);
    CHECK(scene.robot.triangles.shape[0] == 1 && scene.obstacle.triangles.shape[0] == 1 && !scene.obstacle.balls.data);
    CHECK(scene.has_from && scene.from[0] == 1 && scene.from[2] == 0);
    CHECK(scene.has_to && fabs(scene.to[0] - cos(0.75)) < 1e-15 && fabs(scene.to[2] + sin(0.75)) < 1e-15);
    bi_scene_free(&scene);
    bosc_scene_free(NULL);
    /* a tree whose nodes are all absent */
    s = stream_begin(2);
    stream_balls(&s, 1, (const char *const[]){"0", "0", "0", "0"}, 1);
    stream_triangle(&s, 0);
    stream_motion(&s, 0);
    check_arr_refused(&s, "F: nothing rotates");
    s = stream_begin(1);
    stream_triangle(&s, 1);
    stream_motion(&s, 0);
    check_arr_refused(&s, "F: no obstacle");
}

#ifdef BOSC_FAULTS
static void faults(void)
{
    struct stream s = stream_scene();
    static const char text[] = THREE "1\n0 1 2\n";
    const struct {
        parse_fn parse;
        const char *bytes;
        size_t size;
    } all[] = {{body_vertices, text, sizeof text - 1}, {sph, TREE, sizeof TREE - 1}, {arr, s.bytes, s.size}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct bi_bytes in = {.name = "F", .data = all[i].bytes, .size = all[i].size};
        bosc_status status = BOSC_ERR_NOMEM;
        for (int64_t k = 0; status != BOSC_OK; k++) {
            bosc_array array = {0};
            bosc_io_error error = {""};
            bi_fault_arm(BI_FAULT_ALLOC, k, true);
            status = all[i].parse(&in, &array, &error);
            bi_fault_disarm();
            if (status != BOSC_OK) CHECK(!array.data && strstr(error.text, "out of memory"));
            CHECK(status == BOSC_OK ? k > 0 : status == BOSC_ERR_NOMEM);
            bosc_array_free(&array);
        }
    }
}
#endif

static const struct suite_case suite_cases_io_scene[] = {
    {"body", NULL, body},       {"transforms", NULL, transforms},       {"spheres", NULL, spheres},
    {"streams", NULL, streams}, {"stream_faults", NULL, stream_faults},
#ifdef BOSC_FAULTS
    {"faults", NULL, faults},
#endif
};
SUITE(io_scene);
