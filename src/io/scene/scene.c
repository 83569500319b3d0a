/* Reads scenes: finds the files of the robot and the obstacle, and places the robot. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/scene/scene.h"
#include "io/file/file.h"
#include "io/mesh/faces.h"

/* ---- bodies ---- */

static bosc_status read_mesh(bi_mesh_fn read, const struct bi_bytes *in, struct bi_body *body, bosc_io_error *error)
{
    struct bi_body fresh = {.balls.data = NULL};
    bosc_status status = bi_mesh_parse(read, in, &fresh.vertices, &fresh.triangles, error);
    const double *x = fresh.vertices.data;
    for (int64_t i = 0; status == BOSC_OK && i < 3 * fresh.vertices.shape[0]; i++)
        if (!(x[i] - x[i] == 0))
            status = bi_io_fail(error, BOSC_ERR_DATA, "%s: vertex %lld is not finite", in->name, (long long)(i / 3));
    if (status == BOSC_OK)
        *body = fresh;
    else
        bi_body_free(&fresh);
    return status;
}

static bosc_status read_body(const char *path, int32_t level, struct bi_body *body, bosc_io_error *error)
{
    struct bi_file file;
    bosc_status status = bi_file_open(path, &file, error);
    if (status != BOSC_OK) return status;
    bi_mesh_fn mesh = bi_path_ends_in(path, ".txt") ? NULL : bi_mesh_reader_of(path, &file.bytes);
    if (bi_path_ends_in(path, ".txt"))
        status = bi_body_parse(&file.bytes, body, error);
    else if (bi_path_ends_in(path, ".sph"))
        status = bi_sph_parse(&file.bytes, level, body, error);
    else if (mesh)
        status = read_mesh(mesh, &file.bytes, body, error);
    else
        status = bi_io_fail(error, BOSC_ERR_FORMAT,
                            "%s: the ending is not one of .txt, .sph, .off, .obj, .ply, .stl, .glb", file.bytes.name);
    bi_file_close(&file);
    return status;
}

/* ---- folders ---- */

/* Allocates FOLDER/NAME; NULL: out of memory. */
static char *path_in(const char *folder, const char *name, const char *ending)
{
    size_t size = strlen(folder) + strlen(name) + strlen(ending) + 2;
    char *path = bi_io_alloc(size);
    if (path) snprintf(path, size, "%s/%s%s", folder, name, ending);
    return path;
}

/* Finds the file of a body in a folder: exactly one, of any known ending. */
static bosc_status find_body(const char *folder, const char *name, char **path, bosc_io_error *error)
{
    static const char *const endings[] = {".txt", ".sph", ".off", ".obj", ".ply", ".stl", ".glb"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        struct stat about;
        char *next = path_in(folder, name, endings[i]);
        if (!next) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", folder);
        if (stat(next, &about) != 0) {
            free(next);
            continue;
        }
        if (*path) {
            bosc_status status = bi_io_fail(error, BOSC_ERR_FORMAT, "%s: both %s and %s%s", folder,
                                            *path + strlen(folder) + 1, name, endings[i]);
            free(next);
            return status;
        }
        *path = next;
    }
    if (*path) return BOSC_OK;
    return bi_io_fail(error, BOSC_ERR_IO,
                      "%s: no file %s.txt, nor one of the endings .sph, .off, .obj, .ply, .stl, .glb", folder, name);
}

/* Sets origin and rotations. The robot rotates about its own origin, so the obstacle is moved by the opposite of the
 * robot's translation. A goal with another translation is left out, since the robot only rotates. */
static void apply_placements(struct bi_scene *scene, const struct bi_placement placements[2], int32_t count)
{
    const double *first = placements[0].translation, *second = placements[1].translation;
    double *x = scene->obstacle.vertices.data, *balls = scene->obstacle.balls.data;
    for (int64_t i = 0; x && i < scene->obstacle.vertices.shape[0]; i++)
        for (int c = 0; c < 3; c++) x[3 * i + c] -= first[c];
    for (int64_t i = 0; balls && i < scene->obstacle.balls.shape[0]; i++)
        for (int c = 0; c < 3; c++) balls[4 * i + c] -= first[c];
    memcpy(scene->origin, first, sizeof scene->origin);
    memcpy(scene->from, placements[0].rotation, sizeof scene->from);
    memcpy(scene->to, placements[1].rotation, sizeof scene->to);
    scene->has_from = true;
    scene->has_to = count == 2 && memcmp(first, second, sizeof scene->origin) == 0;
}

static bosc_status read_placements(const char *folder, struct bi_scene *scene, bosc_io_error *error)
{
    struct bi_placement placements[2];
    struct bi_file file;
    struct stat about;
    int32_t count = 0;
    char *path = path_in(folder, "transform", ".txt");
    if (!path) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", folder);
    bosc_status status = BOSC_OK;
    if (stat(path, &about) == 0) {
        status = bi_file_open(path, &file, error);
        if (status == BOSC_OK) {
            status = bi_placements_parse(&file.bytes, placements, &count, error);
            bi_file_close(&file);
        }
        if (status == BOSC_OK) apply_placements(scene, placements, count);
    }
    free(path);
    return status;
}

/* robot, obstacle: set to the paths, which the caller frees; after a failure too. */
static bosc_status read_folder(const char *folder, int32_t level, struct bi_scene *scene, char **robot, char **obstacle,
                               bosc_io_error *error)
{
    bosc_status status = find_body(folder, "robot", robot, error);
    if (status == BOSC_OK) status = find_body(folder, "obstacle", obstacle, error);
    if (status == BOSC_OK) status = read_body(*robot, level, &scene->robot, error);
    if (status == BOSC_OK) status = read_body(*obstacle, level, &scene->obstacle, error);
    if (status == BOSC_OK) status = read_placements(folder, scene, error);
    return status;
}

/* ---- public functions ---- */

static bosc_status read_arr(const char *path, struct bi_scene *scene, bosc_io_error *error)
{
    struct bi_file file;
    bosc_status status = bi_file_open(path, &file, error);
    if (status != BOSC_OK) return status;
    status = bi_arr_parse(&file.bytes, scene, error);
    bi_file_close(&file);
    return status;
}

/* Checks the arguments, and completes the options if the caller's struct is an older, shorter one. */
static bosc_status check_arguments(const bosc_scene_opts *caller_opts, bosc_scene_opts *opts, const bosc_scene *scene,
                                   bosc_io_error *error)
{
    const bosc_status status = bi_io_read_opts("bosc_scene_opts", caller_opts, opts, sizeof *opts, error);
    if (status != BOSC_OK) return status;
    if (opts->level < 0) return bi_io_fail(error, BOSC_ERR_ARG, "opts: level: %d is less than 0", (int)opts->level);
    if (opts->robot_convex != 0 && opts->robot_convex != 1)
        return bi_io_fail(error, BOSC_ERR_ARG, "opts: robot_convex: %d is neither 0 nor 1", (int)opts->robot_convex);
    if (opts->obstacle_convex != 0 && opts->obstacle_convex != 1)
        return bi_io_fail(error, BOSC_ERR_ARG, "opts: obstacle_convex: %d is neither 0 nor 1",
                          (int)opts->obstacle_convex);
    if (!scene) return bi_io_fail(error, BOSC_ERR_ARG, "scene: NULL");
    return BOSC_OK;
}

/* Converts a body from a file for the planner; messages name both. */
static bosc_status convert_body(const char *path, const char *which, struct bi_body *body, bool convex,
                                bosc_plan_bodies *bodies, bosc_io_error *error)
{
    const size_t size = strlen(path) + strlen(which) + 3;
    char *name = bi_io_alloc(size);
    if (!name) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", path);
    snprintf(name, size, "%s: %s", path, which);
    const bosc_status status = bi_body_to_planner(name, body, convex, bodies, error);
    free(name);
    return status;
}

/* Moves the bodies that were read from these files into the caller's scene; frees them on failure. */
static bosc_status finish_scene(bosc_status status, const char *robot, const char *obstacle,
                                const bosc_scene_opts *opts, struct bi_scene *read, bosc_scene *scene,
                                bosc_io_error *error)
{
    bosc_scene fresh = {.plan.size = sizeof fresh.plan, .has_from = read->has_from, .has_to = read->has_to};
    memcpy(fresh.origin, read->origin, sizeof fresh.origin);
    memcpy(fresh.from, read->from, sizeof fresh.from);
    memcpy(fresh.to, read->to, sizeof fresh.to);
    if (status == BOSC_OK)
        status = convert_body(robot, "robot", &read->robot, opts->robot_convex, &fresh.plan.robot, error);
    if (status == BOSC_OK)
        status =
            convert_body(obstacle, "obstacle", &read->obstacle, opts->obstacle_convex, &fresh.plan.obstacle, error);
    bi_scene_free(read);
    status = bi_io_end(status, error);
    if (status == BOSC_OK)
        *scene = fresh;
    else
        bosc_scene_free(&fresh);
    return status;
}

bosc_status bosc_scene_read(const char *path, const bosc_scene_opts *caller_opts, bosc_scene *scene,
                            bosc_io_error *error)
{
    BI_IO_ENTER;
    struct stat about;
    struct bi_scene read = {.has_from = false};
    bosc_scene_opts opts;
    char *robot = NULL, *obstacle = NULL; /* paths in a folder */
    if (!path) return bi_io_fail(error, BOSC_ERR_ARG, "path: NULL");
    bosc_status status = check_arguments(caller_opts, &opts, scene, error);
    if (status != BOSC_OK) return status;
    bool folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    status = folder ? read_folder(path, opts.level, &read, &robot, &obstacle, error) : read_arr(path, &read, error);
    status = finish_scene(status, robot ? robot : path, obstacle ? obstacle : path, &opts, &read, scene, error);
    free(robot);
    free(obstacle);
    return status;
}

bosc_status bosc_scene_read_bodies(const char *robot, const char *obstacle, const bosc_scene_opts *caller_opts,
                                   bosc_scene *scene, bosc_io_error *error)
{
    BI_IO_ENTER;
    struct bi_scene read = {.has_from = false};
    bosc_scene_opts opts;
    if (!robot) return bi_io_fail(error, BOSC_ERR_ARG, "robot: NULL");
    if (!obstacle) return bi_io_fail(error, BOSC_ERR_ARG, "obstacle: NULL");
    bosc_status status = check_arguments(caller_opts, &opts, scene, error);
    if (status != BOSC_OK) return status;
    status = read_body(robot, opts.level, &read.robot, error);
    if (status == BOSC_OK) status = read_body(obstacle, opts.level, &read.obstacle, error);
    return finish_scene(status, robot, obstacle, &opts, &read, scene, error);
}
