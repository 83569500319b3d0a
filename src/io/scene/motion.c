/* Reads paths of rotations, as text or .npy, and writes a robot that rotates among an obstacle as animated binary glTF.
 * Source: Khronos, glTF 2.0, 3.11. */
#include "io/scene/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/array.h"
#include "io/file/file.h"
#include "io/file/sink.h"
#include "io/mesh/mesh_write.h"

/* ---- paths: four numbers per row ---- */

bosc_status bi_rotations_check(const struct bi_bytes *in, const bosc_array *rotations, bosc_io_error *error)
{
    if (rotations->rank != 2 || rotations->shape[1] != 4)
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: a rotation is w,x,y,z, but the rows have %lld numbers", in->name,
                          (long long)(rotations->rank == 2 ? rotations->shape[1] : 1));
    const double *q = rotations->data;
    for (int64_t i = 0; i < rotations->shape[0]; i++, q += 4) {
        double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        if (!(fabs(length - 1) <= 1e-3))
            return bi_io_fail(error, BOSC_ERR_DATA, "%s: row %lld: no rotation: its length is %.6g, not 1", in->name,
                              (long long)i, length);
    }
    return BOSC_OK;
}

bosc_status bosc_rotations_read(const char *path, bosc_array *rotations, bosc_io_error *error)
{
    BI_IO_ENTER;
    bosc_array rows = {0};
    if (!rotations) return bi_io_fail(error, BOSC_ERR_ARG, "rotations: NULL");
    const struct bi_bytes in = {.name = path};
    bosc_status status = bosc_points_read(path, &rows, error);
    if (status == BOSC_OK) status = bi_array_convert(path, &rows, 0, BOSC_F64, false, error);
    if (status == BOSC_OK) status = bi_rotations_check(&in, &rows, error);
    status = bi_io_end(status, error);
    if (status == BOSC_OK)
        *rotations = rows;
    else
        bosc_array_free(&rows);
    return status;
}

/* ---- motions ---- */

enum { ROOT_NODE, OBSTACLE_NODE, ROBOT_NODE };

/* Keys as stored in the binary chunk: times, then quaternions x, y, z, w. Signs are chosen so that consecutive
 * quaternions have no negative dot product: interpolation takes the shorter arc. */
struct keys {
    const bosc_motion *motion;
    float *times, *rotations;
};

static size_t bytes_of_times(const bosc_motion *motion) { return (size_t)motion->keys * sizeof(float); }

/* Normalises a quaternion, scaled first so that no square overflows. False for zero and infinite ones. */
static bool normalise(const double *q, double unit[4])
{
    double most = 0, sum = 0;
    for (int c = 0; c < 4; c++) most = fmax(most, fabs(q[c]));
    if (!(most > 0 && most < INFINITY)) return false;
    for (int c = 0; c < 4; c++) {
        unit[c] = q[c] / most;
        sum += unit[c] * unit[c];
    }
    for (int c = 0; c < 4; c++) unit[c] /= sqrt(sum);
    return isfinite(sum);
}

static bool build_keys(struct keys *keys, const bosc_motion *motion)
{
    double last[4] = {1, 0, 0, 0}, next[4];
    *keys = (struct keys){.motion = motion};
    keys->times = bi_io_alloc(bytes_of_times(motion));
    keys->rotations = bi_io_alloc(4 * bytes_of_times(motion));
    if (!keys->times || !keys->rotations) return false;
    for (int64_t i = 0; i < motion->keys; i++) {
        keys->times[i] = (float)motion->times[i];
        double dot = 0;
        (void)normalise(motion->rotations + 4 * i, next);
        for (int c = 0; c < 4; c++) dot += last[c] * next[c];
        for (int c = 0; c < 4; c++) last[c] = dot < 0 ? -next[c] : next[c];
        for (int c = 0; c < 4; c++) keys->rotations[4 * i + c] = (float)last[(c + 1) % 4]; /* w last */
    }
    return true;
}

static void free_keys(struct keys *keys)
{
    free(keys->times);
    free(keys->rotations);
}

/* Appends views and accessors of the keys, and returns the animation; NULL: out of memory. */
static json_t *add_keys(const struct keys *keys, size_t offset, json_t *views, json_t *accessors)
{
    int view = (int)json_array_size(views), accessor = (int)json_array_size(accessors);
    int64_t count = keys->motion->keys;
    size_t bytes = bytes_of_times(keys->motion);
    json_t *times = bi_glb_accessor(view, BI_GLB_FLOAT, count, "SCALAR");
    json_t *range = json_pack("{s:[f], s:[f]}", "min", (double)keys->times[0], "max", (double)keys->times[count - 1]);
    bool good = times && range && json_object_update(times, range) == 0;
    json_decref(range);
    good = json_array_append_new(accessors, times) == 0 && good;
    good = good && json_array_append_new(accessors, bi_glb_accessor(view + 1, BI_GLB_FLOAT, count, "VEC4")) == 0 &&
           json_array_append_new(views, bi_glb_view(offset, bytes, 0)) == 0 &&
           json_array_append_new(views, bi_glb_view(offset + bytes, 4 * bytes, 0)) == 0;
    if (!good) return NULL;
    return json_pack("{s:s, s:[{s:i, s:i, s:s}], s:[{s:i, s:{s:i, s:s}}]}", "name", "path", "samplers", "input",
                     accessor, "output", accessor + 1, "interpolation", "LINEAR", "channels", "sampler", 0, "target",
                     "node", ROBOT_NODE, "path", "rotation");
}

/* Returns the nodes. The root makes z point up, as in .glb files of meshes; the robot has the rotation of its first
 * key. */
static json_t *build_nodes(const struct keys *keys)
{
    const float *q = keys->rotations;
    return json_pack("[{s:s, s:[i, i], s:[f, i, i, f]}, {s:s, s:i}, {s:s, s:i, s:[f, f, f, f]}]", "name", "scene",
                     "children", OBSTACLE_NODE, ROBOT_NODE, "rotation", -sqrt(0.5), 0, 0, sqrt(0.5), "name", "obstacle",
                     "mesh", 0, "name", "robot", "mesh", 1, "rotation", (double)q[0], (double)q[1], (double)q[2],
                     (double)q[3]);
}

static json_t *build_root(const struct keys *keys, size_t body_bytes)
{
    static const double stone[3] = {0.62, 0.60, 0.55}, orange[3] = {0.85, 0.33, 0.08};
    const bosc_motion *m = keys->motion;
    size_t obstacle = bi_glb_bytes_of(&m->obstacle), robot = bi_glb_bytes_of(&m->robot);
    json_t *views = json_array(), *accessors = json_array(), *first = NULL, *second = NULL, *animation = NULL;
    bool good = bi_glb_add_mesh(&m->obstacle, 0, 0, views, accessors, &first) &&
                bi_glb_add_mesh(&m->robot, obstacle, 1, views, accessors, &second) &&
                (animation = add_keys(keys, obstacle + robot, views, accessors)) != NULL;
    if (good)
        return json_pack("{s:{s:s, s:s}, s:i, s:[{s:[i]}], s:o, s:[{s:[o]}, {s:[o]}], s:[o, o], s:[o], s:[{s:I}], s:o,"
                         " s:o}",
                         "asset", "version", "2.0", "generator", "boscage " BOSC_VERSION_STRING, "scene", 0, "scenes",
                         "nodes", ROOT_NODE, "nodes", build_nodes(keys), "meshes", "primitives", first, "primitives",
                         second, "materials", bi_glb_material(stone, true), bi_glb_material(orange, true), "animations",
                         animation, "buffers", "byteLength", (json_int_t)body_bytes, "bufferViews", views, "accessors",
                         accessors);
    json_decref(first);
    json_decref(second);
    json_decref(views);
    json_decref(accessors);
    return NULL;
}

static bosc_status write_motion(struct bi_sink *sink, const void *what, bosc_io_error *error)
{
    const bosc_motion *motion = what;
    struct keys keys;
    size_t times = bytes_of_times(motion);
    size_t body_bytes = bi_glb_bytes_of(&motion->obstacle) + bi_glb_bytes_of(&motion->robot) + 5 * times;
    bosc_status status = build_keys(&keys, motion) ? BOSC_OK : BOSC_ERR_NOMEM;
    if (status == BOSC_OK)
        status = bi_glb_write_head(sink, build_root(&keys, body_bytes), body_bytes, error);
    else
        bi_io_fail(error, status, "%s: out of memory", sink->name);
    if (status == BOSC_OK) {
        bi_glb_write_mesh(sink, &motion->obstacle);
        bi_glb_write_mesh(sink, &motion->robot);
        bi_sink_write(sink, keys.times, times);
        bi_sink_write(sink, keys.rotations, 4 * times);
    }
    free_keys(&keys);
    return status;
}

static bosc_status check_motion(const bosc_motion *motion, bosc_io_error *error)
{
    double unit[4];
    if (!motion) return bi_io_fail(error, BOSC_ERR_ARG, "motion: NULL");
    bosc_status status = bi_mesh_check("robot", &motion->robot, error);
    if (status == BOSC_OK) status = bi_mesh_check("obstacle", &motion->obstacle, error);
    if (status != BOSC_OK) return status;
    if (motion->keys < 1 || motion->keys > INT32_MAX)
        return bi_io_fail(error, BOSC_ERR_ARG, "motion: %lld keys", (long long)motion->keys);
    if (!motion->times) return bi_io_fail(error, BOSC_ERR_ARG, "motion: times is NULL");
    if (!motion->rotations) return bi_io_fail(error, BOSC_ERR_ARG, "motion: rotations is NULL");
    for (int64_t i = 0; i < motion->keys; i++) {
        float previous = i ? (float)motion->times[i - 1] : -1.0f, at = (float)motion->times[i];
        if (!(motion->times[i] >= 0) || !(at > previous) || !isfinite(at))
            return bi_io_fail(error, BOSC_ERR_ARG, "motion: time %lld, %g, is not above that before, as a float",
                              (long long)i, motion->times[i]);
        if (!normalise(motion->rotations + 4 * i, unit))
            return bi_io_fail(error, BOSC_ERR_ARG, "motion: rotation %lld is none", (long long)i);
    }
    return BOSC_OK;
}

bosc_status bi_motion_prepare_output(const char *path, const bosc_motion *motion, struct bi_output *output,
                                     bosc_io_error *error)
{
    if (!path) return bi_io_fail(error, BOSC_ERR_ARG, "path: NULL");
    if (!bi_path_ends_in(path, ".glb") && !(path[0] == '-' && !path[1]))
        return bi_io_fail(error, BOSC_ERR_ARG, "path: %s does not end in .glb", path);
    *output = (struct bi_output){path, write_motion, motion, 0};
    bosc_status status = check_motion(motion, error);
    if (status == BOSC_OK)
        output->items = (double)(bi_glb_bytes_of(&motion->robot) + bi_glb_bytes_of(&motion->obstacle));
    return status;
}

bosc_status bosc_motion_write(const char *path, const bosc_motion *motion, bosc_io_error *error)
{
    BI_IO_ENTER;
    struct bi_output output;
    bosc_status status = bi_motion_prepare_output(path, motion, &output, error);
    return status == BOSC_OK ? bi_outputs_write(&output, 1, error) : status;
}
