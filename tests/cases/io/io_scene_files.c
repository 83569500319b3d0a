/* Scenes on disk: folders, pairs of files, options; convex solids. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault.h"
#include "cases/plan/scene_data.h"
#include "support/bytes.h"
#include "support/paths.h"

static void put_bytes(const char *path, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    CHECK(f != NULL);
    CHECK(fwrite(bytes, 1, size, f) == size && fclose(f) == 0);
}

static void put(const char *path, const char *text) { put_bytes(path, text, strlen(text)); }

/* A new folder and the files that a case puts there. */
struct folder {
    char name[PATH_ROOM], files[8][128];
    int count;
};

static struct folder folder_make(void)
{
    struct folder f = {.count = 0};
    fresh_path(f.name, "");
    CHECK_EQ(mkdir(f.name, 0700), 0);
    return f;
}

static const char *folder_name(struct folder *f, const char *name)
{
    char *path = f->files[f->count++];
    size_t length = strlen(f->name);
    CHECK(length + strlen(name) + 2 < sizeof f->files[0]);
    memcpy(path, f->name, length);
    path[length] = '/';
    memcpy(path + length + 1, name, strlen(name) + 1);
    return path;
}

static const char *folder_put(struct folder *f, const char *name, const char *text)
{
    const char *path = folder_name(f, name);
    put(path, text);
    return path;
}

static void folder_clear(struct folder *f)
{
    while (f->count) unlink(f->files[--f->count]);
}

static void folder_remove(struct folder *f)
{
    folder_clear(f);
    CHECK_EQ(rmdir(f->name), 0);
}

static void check_fails(const char *path, bosc_status expected, const char *reason)
{
    bosc_io_error error = {""};
    bosc_scene scene = {.has_from = 7};
    CHECK_EQ(bosc_scene_read(path, NULL, &scene, &error), expected);
    CHECK(scene.has_from == 7 && !scene.plan.robot.vertices);
    if (!strstr(error.text, reason)) suite_fail(__FILE__, __LINE__, "\"%s\" lacks \"%s\"", error.text, reason);
}

#define TRIANGLE "3\n1 2 3\n1 0 0\n0 1 0\n1\n0 1 2\n"
#define SQUARE "OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n"
#define MOVED "1 0 0 1\n0 1 0 2\n0 0 1 3\n0 0 0 1\n"

static void folders(void)
{
    struct folder f = folder_make();
    bosc_scene scene;
    check_fails(f.name, BOSC_ERR_IO, "no file robot.txt");
    folder_put(&f, "robot.txt", TRIANGLE);
    check_fails(f.name, BOSC_ERR_IO, "no file obstacle.txt");
    folder_put(&f, "obstacle.off", SQUARE);
    CHECK_EQ(bosc_scene_read(f.name, NULL, &scene, NULL), BOSC_OK);
    const bosc_plan_bodies *robot = &scene.plan.robot, *obstacle = &scene.plan.obstacle;
    CHECK(scene.plan.size == sizeof scene.plan && !scene.has_from && !scene.has_to && scene.plan.form_count == 0);
    CHECK(robot->vertex_count == 3 && robot->triangle_count == 1 && robot->ball_count == 0 && !robot->balls);
    CHECK(robot->vertices[1] == 2 && robot->triangles[2] == 2 && robot->polytope_count == 0);
    CHECK(obstacle->vertex_count == 4 && obstacle->triangle_count == 2 && obstacle->triangles[5] == 3);
    bosc_scene_free(&scene);
    CHECK(!scene.plan.robot.vertices && scene.plan.size == 0);
    /* one matrix: where it begins; two with one translation: where it ends too */
    const char *transform = folder_put(&f, "transform.txt", MOVED);
    CHECK_EQ(bosc_scene_read(f.name, NULL, &scene, NULL), BOSC_OK);
    CHECK(scene.has_from && !scene.has_to && scene.origin[0] == 1 && scene.origin[2] == 3 && scene.from[0] == 1);
    CHECK(scene.plan.obstacle.vertices[0] == -1 && scene.plan.obstacle.vertices[8] == -3);
    CHECK(scene.plan.robot.vertices[0] == 1);
    bosc_scene_free(&scene);
    put(transform, MOVED "1 0 0 1\n0 -1 0 2\n0 0 -1 3\n0 0 0 1\n");
    CHECK_EQ(bosc_scene_read(f.name, NULL, &scene, NULL), BOSC_OK);
    CHECK(scene.has_from && scene.has_to && scene.to[0] == 0 && scene.to[1] == 1);
    bosc_scene_free(&scene);
    put(transform, MOVED "1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n");
    CHECK_EQ(bosc_scene_read(f.name, NULL, &scene, NULL), BOSC_OK);
    CHECK(scene.has_from && !scene.has_to);
    bosc_scene_free(&scene);
    put(transform, "1\n");
    check_fails(f.name, BOSC_ERR_FORMAT, "transform.txt:1: truncated");
    folder_put(&f, "robot.sph", "1 1\n0 0 0 1 1\n");
    check_fails(f.name, BOSC_ERR_FORMAT, "both robot.txt and robot.sph");
    folder_clear(&f);
    folder_put(&f, "robot.sph", "2 1\n0 0 0 2 1\n0 0 0 1 1\n");
    folder_put(&f, "obstacle.sph", "1 1\n5 0 0 1 1\n");
    bosc_scene_opts opts = {.size = sizeof opts, .level = 1};
    CHECK_EQ(bosc_scene_read(f.name, &opts, &scene, NULL), BOSC_OK);
    CHECK(scene.plan.robot.ball_count == 1 && scene.plan.robot.balls[3] == 2 && !scene.plan.robot.vertices);
    CHECK(scene.plan.obstacle.ball_count == 1 && scene.plan.obstacle.balls[0] == 5);
    bosc_scene_free(&scene);
    folder_put(&f, "transform.txt", MOVED);
    CHECK_EQ(bosc_scene_read(f.name, NULL, &scene, NULL), BOSC_OK);
    CHECK(scene.plan.robot.balls[3] == 1 && scene.plan.obstacle.balls[0] == 4 && scene.plan.obstacle.balls[3] == 1);
    bosc_scene_free(&scene);
    opts.level = 2;
    bosc_io_error error;
    CHECK_EQ(bosc_scene_read(f.name, &opts, &scene, &error), BOSC_ERR_FORMAT);
    CHECK(strstr(error.text, "level 2 of a tree of 1 levels") != NULL);
    folder_clear(&f);
    folder_put(&f, "robot.off", "OFF\n3 1 0\n0 0 0\n1 0 inf\n0 1 0\n3 0 1 2\n");
    folder_put(&f, "obstacle.txt", TRIANGLE);
    check_fails(f.name, BOSC_ERR_DATA, "robot.off: vertex 1 is not finite");
    folder_remove(&f);
    check_fails("/nowhere/scene.arr", BOSC_ERR_IO, "cannot open");
}

static void files(void)
{
    struct folder f = folder_make();
    struct stream s = stream_scene();
    bosc_scene scene;
    const char *arr = folder_put(&f, "a.arr", "");
    put_bytes(arr, s.bytes, s.size);
    CHECK_EQ(bosc_scene_read(arr, NULL, &scene, NULL), BOSC_OK);
    CHECK(scene.has_from && scene.has_to && scene.plan.robot.ball_count == 1 &&
          scene.plan.obstacle.triangle_count == 1);
    bosc_scene_free(&scene);
    put_bytes(arr, s.bytes, s.size - 1);
    check_fails(arr, BOSC_ERR_FORMAT, "a.arr: byte");
    const char *robot = folder_put(&f, "r.txt", TRIANGLE), *obstacle = folder_put(&f, "o.off", SQUARE);
    CHECK_EQ(bosc_scene_read_bodies(robot, obstacle, NULL, &scene, NULL), BOSC_OK);
    CHECK(scene.plan.robot.triangle_count == 1 && scene.plan.obstacle.triangle_count == 2 && !scene.has_from);
    bosc_scene_free(&scene);
    bosc_io_error error = {""};
    CHECK_EQ(bosc_scene_read_bodies(robot, arr, NULL, &scene, &error), BOSC_ERR_FORMAT);
    CHECK(strstr(error.text, "a.arr: the ending is not one of .txt") != NULL);
    CHECK_EQ(bosc_scene_read_bodies(robot, "/nowhere/o.off", NULL, &scene, NULL), BOSC_ERR_IO);
    folder_remove(&f);
}

/* Two tetrahedra, the second with opposite orientation, and an .stl file of one. */
#define CORNERS(x) #x " 0 0\n1" #x " 0 0\n" #x " 1 0\n" #x " 0 1\n"
#define SOLIDS "8\n" CORNERS(0) CORNERS(5) "8\n1 2 3\n4 6 5\n0 2 1\n4 5 7\n0 1 3\n5 6 7\n4 7 6\n0 2 3\n"
#define FACET(a, b, c) "facet normal 0 0 0\nouter loop\nvertex " a "\nvertex " b "\nvertex " c "\nendloop\nendfacet\n"
#define SOLID_STL                                                                                                \
    "solid\n" FACET("1 0 0", "0 1 0", "0 0 1") FACET("0 0 0", "0 1 0", "1 0 0") FACET("0 0 0", "1 0 0", "0 0 1") \
        FACET("0 0 0", "0 1 0", "0 0 1") "endsolid\n"

/* Six times the volume enclosed by facets: the sum of pyramids over them from the mean of the corners. Each facet must
 * be counterclockwise seen from outside. */
static double volume_of(const bosc_plan_bodies *b, int64_t polytope)
{
    int64_t begin = b->polytope_offsets[polytope], end = b->polytope_offsets[polytope + 1];
    double middle[3] = {0, 0, 0}, sum = 0;
    for (int64_t i = 3 * begin; i < 3 * end; i++) {
        CHECK(b->facet_vertices[i] >= 0 && b->facet_vertices[i] < b->vertex_count);
        for (int c = 0; c < 3; c++)
            middle[c] += b->vertices[3 * b->facet_vertices[i] + c] / (double)(3 * (end - begin));
    }
    for (int64_t f = begin; f < end; f++) {
        double p[3][3];
        CHECK(b->facet_offsets[f] == 3 * f && b->facet_offsets[f + 1] == 3 * f + 3);
        for (int k = 0; k < 9; k++)
            p[k / 3][k % 3] = b->vertices[3 * b->facet_vertices[3 * f + k / 3] + k % 3] - middle[k % 3];
        double volume = p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
                        p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
                        p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
        CHECK(volume > 0);
        sum += volume;
    }
    return sum;
}

static void solids(void)
{
    struct folder f = folder_make();
    const char *robot = folder_put(&f, "r.txt", SOLIDS), *obstacle = folder_put(&f, "o.stl", SOLID_STL);
    bosc_scene scene;
    bosc_scene_opts opts = {.size = sizeof opts, .robot_convex = 1, .obstacle_convex = 1};
    CHECK_EQ(bosc_scene_read_bodies(robot, obstacle, &opts, &scene, NULL), BOSC_OK);
    const bosc_plan_bodies *r = &scene.plan.robot, *o = &scene.plan.obstacle;
    CHECK(r->triangle_count == 0 && r->polytope_count == 2 && r->vertex_count == 8);
    CHECK(r->polytope_offsets[0] == 0 && r->polytope_offsets[1] == 4 && r->polytope_offsets[2] == 8);
    CHECK(fabs(volume_of(r, 0) - 10) < 1e-12 && fabs(volume_of(r, 1) - 10) < 1e-12);
    CHECK(o->polytope_count == 1 && o->polytope_offsets[1] == 4 && o->vertex_count == 12);
    CHECK(fabs(volume_of(o, 0) - 1) < 1e-12);
    bosc_scene_free(&scene);
    /* solids that touch have corners of equal coordinates */
    put(robot, "8\n" CORNERS(0) CORNERS(0) "8\n1 2 3\n4 6 5\n0 2 1\n4 5 7\n0 1 3\n5 6 7\n4 7 6\n0 2 3\n");
    CHECK_EQ(bosc_scene_read_bodies(robot, obstacle, &opts, &scene, NULL), BOSC_OK);
    CHECK(r->polytope_count == 2 && fabs(volume_of(r, 0) - 10) < 1e-12 && fabs(volume_of(r, 1) - 10) < 1e-12);
    bosc_scene_free(&scene);
    opts.robot_convex = 0;
    CHECK_EQ(bosc_scene_read_bodies(robot, obstacle, &opts, &scene, NULL), BOSC_OK);
    CHECK(scene.plan.robot.triangle_count == 8 && scene.plan.robot.polytope_count == 0);
    CHECK(scene.plan.obstacle.triangle_count == 0 && scene.plan.obstacle.polytope_count == 1);
    bosc_scene_free(&scene);
    folder_remove(&f);
}

/* A mesh as text: vertices, then faces of four corners, or of three. */
struct mesh_text {
    char vertices[8192], faces[4096];
    int vertex_count, face_count;
};

static void add_text(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void add_text(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    CHECK(vsnprintf(text + used, size - used, format, args) < (int)(size - used));
    va_end(args);
}

/* Adds a unit cube at (x, y, z), each face with four vertices of its own. `kind` is an index of `endings`. */
static const char *const endings[] = {".off", ".obj", ".ply", ".txt"};
static void add_split_cube(struct mesh_text *m, int kind, int x, int y, int z, int faces)
{
    static const int corners[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                      {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (int f = 0; f < faces; f++) {
        const int first = m->vertex_count + (kind == 1);
        for (int k = 0; k < 4; k++) {
            const int c = corners[f][k];
            add_text(m->vertices, sizeof m->vertices, "%s%d %d %d\n", kind == 1 ? "v " : "", x + (c & 1),
                     y + (c >> 1 & 1), z + (c >> 2));
        }
        if (kind == 3)
            add_text(m->faces, sizeof m->faces, "%d %d %d\n%d %d %d\n", first, first + 1, first + 2, first, first + 2,
                     first + 3);
        else
            add_text(m->faces, sizeof m->faces, "%s %d %d %d %d\n", kind == 1 ? "f" : "4", first, first + 1, first + 2,
                     first + 3);
        m->vertex_count += 4;
        m->face_count += kind == 3 ? 2 : 1;
    }
}

static void put_mesh(const char *path, int kind, const struct mesh_text *m)
{
    char head[256] = "", text[16384] = "";
    if (kind == 0) snprintf(head, sizeof head, "OFF\n%d %d 0\n", m->vertex_count, m->face_count);
    if (kind == 2)
        snprintf(head, sizeof head,
                 "ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\n"
                 "element face %d\nproperty list uchar int vertex_indices\nend_header\n",
                 m->vertex_count, m->face_count);
    if (kind == 3) snprintf(head, sizeof head, "%d\n", m->vertex_count);
    add_text(text, sizeof text, "%s%s", head, m->vertices);
    if (kind == 3) add_text(text, sizeof text, "%d\n", m->face_count);
    add_text(text, sizeof text, "%s", m->faces);
    put(path, text);
}

/* Solids with vertices split by face, alone and touching at a corner, an edge and a face. */
static void split_solids(void)
{
    static const int second[5][3] = {{5, 5, 5}, {1, 1, 1}, {1, 1, 0}, {1, 0, 0}, {0, 0, 0}};
    bosc_scene_opts opts = {.size = sizeof opts, .obstacle_convex = 1};
    for (int kind = 0; kind < 4; kind++)
        for (int k = 0; k < 5; k++) {
            struct folder f = folder_make();
            struct mesh_text m = {"", "", 0, 0};
            bosc_scene scene;
            bosc_io_error error = {""};
            char name[16];
            snprintf(name, sizeof name, "o%s", endings[kind]);
            const char *robot = folder_put(&f, "r.txt", TRIANGLE), *obstacle = folder_put(&f, name, "");
            add_split_cube(&m, kind, 0, 0, 0, 6);
            add_split_cube(&m, kind, second[k][0], second[k][1], second[k][2], 6);
            put_mesh(obstacle, kind, &m);
            if (bosc_scene_read_bodies(robot, obstacle, &opts, &scene, &error) != BOSC_OK)
                suite_fail(__FILE__, __LINE__, "%s %d: %s", endings[kind], k, error.text);
            const bosc_plan_bodies *o = &scene.plan.obstacle;
            CHECK(o->polytope_count == 2 && o->polytope_offsets[1] == 12 && o->polytope_offsets[2] == 24);
            CHECK(fabs(volume_of(o, 0) - 6) < 1e-12 && fabs(volume_of(o, 1) - 6) < 1e-12);
            bosc_scene_free(&scene);
            folder_remove(&f);
        }
}

/* Open solids are refused with their file, the body and an edge; triangles with two equal corners are left out. */
static void open_solids(void)
{
    static const char pole[] = "OFF\n5 5 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 0 1\n"
                               "3 0 2 1\n3 0 1 3\n3 3 4 0\n3 0 4 2\n3 1 2 4\n";
    struct folder f = folder_make();
    struct mesh_text m = {"", "", 0, 0};
    bosc_scene scene = {.has_from = 7};
    bosc_io_error error = {""};
    bosc_scene_opts opts = {.size = sizeof opts, .robot_convex = 1, .obstacle_convex = 1};
    const char *robot = folder_put(&f, "robot.txt", SOLIDS), *obstacle = folder_put(&f, "obstacle.off", "");
    /* 1. A cube without a face, as one of two files, in a folder, and as the robot. */
    add_split_cube(&m, 0, 0, 0, 0, 5);
    put_mesh(obstacle, 0, &m);
    CHECK_EQ(bosc_scene_read_bodies(robot, obstacle, &opts, &scene, &error), BOSC_ERR_DATA);
    CHECK(suite_begins(error.text, obstacle) && scene.has_from == 7);
    CHECK(strstr(error.text, "obstacle.off: obstacle: not a closed solid: its edge from 1, 1, 0 to 1, 0, 0 "));
    CHECK_EQ(bosc_scene_read(f.name, &opts, &scene, &error), BOSC_ERR_DATA);
    CHECK(strstr(error.text, "obstacle.off: obstacle: not a closed solid"));
    CHECK_EQ(bosc_scene_read_bodies(obstacle, robot, &opts, &scene, &error), BOSC_ERR_DATA);
    CHECK(strstr(error.text, "obstacle.off: robot: not a closed solid"));
    /* 2. Triangles with two equal corners. */
    put(obstacle, "OFF\n3 1 0\n0 0 0\n0 0 0\n0 1 0\n3 0 1 2\n");
    CHECK_EQ(bosc_scene_read_bodies(robot, obstacle, &opts, &scene, &error), BOSC_ERR_DATA);
    CHECK(strstr(error.text, "obstacle.off: obstacle: no triangle has three different corners"));
    put(obstacle, pole);
    CHECK_EQ(bosc_scene_read_bodies(robot, obstacle, &opts, &scene, NULL), BOSC_OK);
    const bosc_plan_bodies *o = &scene.plan.obstacle;
    CHECK(o->polytope_count == 1 && o->polytope_offsets[1] == 4 && fabs(volume_of(o, 0) - 1) < 1e-12);
    bosc_scene_free(&scene);
    folder_remove(&f);
}

/* Written scenes are read back: solids as solids, and a square as two triangles. */
static void written(void)
{
    struct folder f = folder_make();
    static const double corners[] = {0, 0, 0, 1, 0, 0, 1, 1, 1e-300, 0, 1. / 3, 0};
    static const int64_t triangle[] = {3, 1, 0}, offsets[] = {0, 1}, ends[] = {0, 4}, square[] = {0, 1, 2, 3};
    bosc_scene scene;
    bosc_scene_opts opts = {.size = sizeof opts, .obstacle_convex = 1};
    /* 1. A round trip: corners keep their bits. */
    bosc_plan_bodies surface = {.vertices = corners, .vertex_count = 4, .triangles = triangle, .triangle_count = 1};
    bosc_plan_bodies solid = {.vertices = corners,
                              .vertex_count = 4,
                              .polytope_offsets = offsets,
                              .polytope_count = 1,
                              .facet_offsets = ends,
                              .facet_vertices = square};
    bosc_plan_scene given = {.size = sizeof given, .robot = surface, .obstacle = solid};
    CHECK_EQ(bosc_scene_write(f.name, &given, NULL), BOSC_OK);
    folder_name(&f, "robot.txt");
    folder_name(&f, "obstacle.txt");
    CHECK_EQ(bosc_scene_read(f.name, NULL, &scene, NULL), BOSC_OK);
    const bosc_plan_bodies *r = &scene.plan.robot, *o = &scene.plan.obstacle;
    CHECK(r->vertex_count == 4 && memcmp(r->vertices, corners, sizeof corners) == 0);
    CHECK(r->triangle_count == 1 && memcmp(r->triangles, triangle, sizeof triangle) == 0);
    CHECK(o->triangle_count == 2 && memcmp(o->vertices, corners, sizeof corners) == 0);
    bosc_scene_free(&scene);
    /* 2. Solids stay solids. */
    put(f.files[1], SOLIDS);
    CHECK_EQ(bosc_scene_read(f.name, &opts, &scene, NULL), BOSC_OK);
    CHECK_EQ(bosc_scene_write(f.name, &scene.plan, NULL), BOSC_OK);
    bosc_scene_free(&scene);
    CHECK_EQ(bosc_scene_read(f.name, &opts, &scene, NULL), BOSC_OK);
    CHECK(o->polytope_count == 2 && o->polytope_offsets[1] == 4 && fabs(volume_of(o, 1) - 10) < 1e-12);
    bosc_scene_free(&scene);
    /* 3. Bad paths, missing arguments, bodies that a folder cannot hold. */
    CHECK_EQ(bosc_scene_write("/nowhere/folder", &given, NULL), BOSC_ERR_IO);
    CHECK_TEXT(bosc_scene_write(NULL, &given, error), "folder: NULL");
    CHECK_TEXT(bosc_scene_write(f.name, NULL, error), "scene: NULL");
    given.robot.ball_count = 1;
    CHECK_TEXT(bosc_scene_write(f.name, &given, error), "scene: robot: balls");
    given.robot = surface, given.obstacle.polytope_count = 0;
    CHECK_TEXT(bosc_scene_write(f.name, &given, error), "scene: obstacle: no triangles");
    folder_remove(&f);
}

static void rotations(void)
{
    struct folder f = folder_make();
    const char *path = folder_put(&f, "p.csv", "1,0,0,0\n0.6,0,0.8,0\n");
    bosc_array q = {0};
    CHECK_EQ(bosc_rotations_read(path, &q, NULL), BOSC_OK);
    CHECK(q.shape[0] == 2 && q.shape[1] == 4 && ((const double *)q.data)[6] == 0.8);
    bosc_array_free(&q);
    static const struct {
        const char *text, *reason;
    } bad[] = {{"", "no points"},
               {"1,0,0\n", "the rows have 3 numbers"},
               {"1,0,0,0,0\n", "the rows have 5 numbers"},
               {"1,0,0,0\n1,0,0,1\n", "row 1: no rotation: its length is 1.41421, not 1"},
               {"0,0,0,0\n", "row 0: no rotation"},
               {"inf,0,0,0\n", "row 0: no rotation"},
               {"1,0,0,nan\n", ":1: NaN"},
               {"1,0,0,0\n1,0,0\n", ":2: 3 numbers"},
               {"w,x,y,z\n1,0,0,q\n", ":2: 'q' is not a number"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        bosc_io_error error = {""};
        put(path, bad[i].text);
        CHECK(bosc_rotations_read(path, &q, &error) != BOSC_OK && !q.data);
        if (!strstr(error.text, bad[i].reason)) suite_fail(__FILE__, __LINE__, "%s: %s", error.text, bad[i].reason);
    }
    folder_remove(&f);
}

static void arguments(void)
{
    bosc_scene scene;
    bosc_scene_opts opts = {.size = 1};
    bosc_array q;
    CHECK_TEXT(bosc_scene_read(NULL, NULL, &scene, error), "path: NULL");
    CHECK_TEXT(bosc_scene_read("a", NULL, NULL, error), "scene: NULL");
    CHECK_TEXT(bosc_scene_read("a", &opts, &scene, error), "opts: size");
    opts = (bosc_scene_opts){.size = sizeof opts, .level = -1};
    CHECK_TEXT(bosc_scene_read("a", &opts, &scene, error), "opts: level: -1");
    opts = (bosc_scene_opts){.size = sizeof opts, .robot_convex = 2};
    CHECK_TEXT(bosc_scene_read("a", &opts, &scene, error), "opts: robot_convex: 2");
    opts = (bosc_scene_opts){.size = sizeof opts, .obstacle_convex = -1};
    CHECK_TEXT(bosc_scene_read_bodies("a", "b", &opts, &scene, error), "opts: obstacle_convex: -1");
    CHECK_TEXT(bosc_scene_read_bodies(NULL, "b", NULL, &scene, error), "robot: NULL");
    CHECK_TEXT(bosc_scene_read_bodies("a", NULL, NULL, &scene, error), "obstacle: NULL");
    CHECK_TEXT(bosc_scene_read_bodies("a", "b", NULL, NULL, error), "scene: NULL");
    CHECK_TEXT(bosc_rotations_read("a", NULL, error), "rotations: NULL");
    CHECK_TEXT(bosc_rotations_read(NULL, &q, error), "path: NULL");
    bosc_scene_free(NULL);
}

#ifdef BOSC_FAULTS
/* Memory and reads fail at every point of reading whole scenes. */
static void faults(void)
{
    struct folder f = folder_make();
    const char *robot = folder_put(&f, "robot.txt", SOLIDS);
    folder_put(&f, "obstacle.stl", SOLID_STL);
    folder_put(&f, "transform.txt", MOVED);
    bosc_scene_opts opts = {.size = sizeof opts, .obstacle_convex = 1};
    for (int kind = 0; kind < 2; kind++) {
        bosc_status status = BOSC_ERR_IO;
        for (int64_t k = 0; status != BOSC_OK; k++) {
            bosc_scene scene = {.has_from = 7};
            bi_fault_arm(kind ? BI_FAULT_READ : BI_FAULT_ALLOC, k, true);
            status = bosc_scene_read(f.name, &opts, &scene, NULL);
            bi_fault_disarm();
            CHECK(status == BOSC_OK || status == (kind ? BOSC_ERR_IO : BOSC_ERR_NOMEM));
            if (status == BOSC_OK)
                bosc_scene_free(&scene);
            else
                CHECK_EQ(scene.has_from, 7);
        }
    }
    put(robot, TRIANGLE);
    folder_remove(&f);
}
#endif

static const struct suite_case suite_cases_io_scene_files[] = {
    {"folders", NULL, folders},
    {"files", NULL, files},
    {"solids", NULL, solids},
    {"solids with vertices split by face", NULL, split_solids},
    {"solids that are not closed", NULL, open_solids},
    {"written", NULL, written},
    {"rotations", NULL, rotations},
    {"arguments", NULL, arguments},
#ifdef BOSC_FAULTS
    {"faults", NULL, faults},
#endif
};
SUITE(io_scene_files);
