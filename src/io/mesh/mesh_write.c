/* Writes meshes. Sources: Turk, The PLY Polygon File Format (1994); the Wavefront manual. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/file.h"
#include "io/file/sink.h"
#include "io/mesh/glb.h"
#include "io/mesh/png.h"
#include "io/text/number.h"

enum {
    BINARY = 16,                /* progress items of a row: bytes copied in the time of writing it; assumed */
    TEXT = 256,                 /* the same for a row of text */
    PROGRESS_INTERVAL = 1 << 12 /* rows between two progress reports; chosen */
};

/* Reports progress before row i of an array, and returns true unless the sink failed. weight: progress items of a row.
 * */
static bool should_continue(const struct bi_sink *sink, int64_t i, int weight)
{
    if (i > 0 && i % PROGRESS_INTERVAL == 0)
        (void)bi_io_advance((double)PROGRESS_INTERVAL * weight); /* the next write fails if cancelled */
    return !sink->error_number;
}

static double rows_of(const bosc_mesh *mesh)
{
    return (double)mesh->vertices * (mesh->normals ? 2 : 1) + (double)mesh->triangles;
}

/* ---- .ply ---- */

static bosc_status write_ply(struct bi_sink *sink, const void *what, bosc_io_error *error)
{
    const bosc_mesh *mesh = what;
    static const char normals[] = "property float nx\nproperty float ny\nproperty float nz\n";
    char head[512];
    (void)error;
    snprintf(head, sizeof head,
             "ply\nformat binary_little_endian 1.0\nelement vertex %lld\nproperty float x\nproperty float y\n"
             "property float z\n%selement face %lld\nproperty list uchar %s vertex_indices\nend_header\n",
             (long long)mesh->vertices, mesh->normals ? normals : "", (long long)mesh->triangles,
             mesh->vertices <= INT32_MAX ? "int" : "uint");
    bi_sink_write(sink, head, strlen(head));
    for (int64_t i = 0; i < mesh->vertices && should_continue(sink, i, BINARY); i++) {
        bi_sink_write(sink, mesh->positions + 3 * i, 3 * sizeof(float));
        if (mesh->normals) bi_sink_write(sink, mesh->normals + 3 * i, 3 * sizeof(float));
    }
    for (int64_t i = 0; i < mesh->triangles && should_continue(sink, i, BINARY); i++) {
        bi_sink_write(sink, "\3", 1);
        bi_sink_write(sink, mesh->indices + 3 * i, 3 * sizeof(uint32_t));
    }
    return BOSC_OK;
}

/* ---- .obj ---- */

static void write_vectors(struct bi_sink *sink, const char *key, const float *x, int64_t count)
{
    char line[96];
    for (int64_t i = 0; i < count && should_continue(sink, i, TEXT); i++) {
        char *p = line + sprintf(line, "%s", key);
        for (int c = 0; c < 3; c++) {
            *p++ = ' ';
            p = bi_number_write(p, (double)x[3 * i + c], true);
        }
        *p++ = '\n';
        bi_sink_write(sink, line, (size_t)(p - line));
    }
}

static bosc_status write_obj(struct bi_sink *sink, const void *what, bosc_io_error *error)
{
    const bosc_mesh *mesh = what;
    char line[128];
    (void)error;
    write_vectors(sink, "v", mesh->positions, mesh->vertices);
    if (mesh->normals) write_vectors(sink, "vn", mesh->normals, mesh->vertices);
    for (int64_t i = 0; i < mesh->triangles && should_continue(sink, i, TEXT); i++) {
        const uint32_t *v = mesh->indices + 3 * i;
        long long a = v[0] + 1LL, b = v[1] + 1LL, c = v[2] + 1LL;
        int used = mesh->normals ? snprintf(line, sizeof line, "f %lld//%lld %lld//%lld %lld//%lld\n", a, a, b, b, c, c)
                                 : snprintf(line, sizeof line, "f %lld %lld %lld\n", a, b, c);
        bi_sink_write(sink, line, (size_t)used);
    }
    return BOSC_OK;
}

/* ---- public functions ---- */

bosc_status bi_mesh_check(const char *name, const bosc_mesh *mesh, bosc_io_error *error)
{
    if (mesh->vertices < 1 || mesh->vertices > UINT32_MAX)
        return bi_io_fail(error, BOSC_ERR_ARG, "%s: %lld vertices are not from 1 to 4294967295", name,
                          (long long)mesh->vertices);
    if (mesh->triangles < 1 || mesh->triangles > PTRDIFF_MAX / 16)
        return bi_io_fail(error, BOSC_ERR_ARG, "%s: %lld triangles", name, (long long)mesh->triangles);
    if (!mesh->positions) return bi_io_fail(error, BOSC_ERR_ARG, "%s: positions is NULL", name);
    if (!mesh->indices) return bi_io_fail(error, BOSC_ERR_ARG, "%s: indices is NULL", name);
    if (mesh->map != 0 && mesh->map != 1) return bi_io_fail(error, BOSC_ERR_ARG, "%s: map is %d", name, (int)mesh->map);
    for (int64_t i = 0; i < mesh->vertices * 3; i++)
        if (!isfinite(mesh->positions[i]) || (mesh->normals && !isfinite(mesh->normals[i])))
            return bi_io_fail(error, BOSC_ERR_ARG, "%s: vertex %lld is not finite", name, (long long)(i / 3));
    for (int64_t i = 0; i < mesh->triangles * 3; i++)
        if (mesh->indices[i] >= mesh->vertices)
            return bi_io_fail(error, BOSC_ERR_ARG, "%s: triangle %lld has vertex %lld of %lld", name,
                              (long long)(i / 3), (long long)mesh->indices[i], (long long)mesh->vertices);
    return BOSC_OK;
}

/* Checks the arguments, and sets *output by the ending of the path. */
static bosc_status prepare_output(const char *path, const bosc_mesh *mesh, struct bi_output *output,
                                  bosc_io_error *error)
{
    if (!path) return bi_io_fail(error, BOSC_ERR_ARG, "path: NULL");
    if (!mesh) return bi_io_fail(error, BOSC_ERR_ARG, "mesh: NULL");
    bool glb = bi_path_ends_in(path, ".glb") || strcmp(path, "-") == 0, obj = bi_path_ends_in(path, ".obj");
    *output = (struct bi_output){path,
                                 glb                             ? bi_glb_fill
                                 : bi_path_ends_in(path, ".ply") ? write_ply
                                 : obj                           ? write_obj
                                                                 : NULL,
                                 mesh, rows_of(mesh) * (obj ? TEXT : BINARY)};
    if (!output->fill) return bi_io_fail(error, BOSC_ERR_ARG, "path: %s does not end in one of .glb, .ply, .obj", path);
    return bi_mesh_check("mesh", mesh, error);
}

bosc_status bosc_mesh_write(const char *path, const bosc_mesh *mesh, bosc_io_error *error)
{
    BI_IO_ENTER;
    struct bi_output output;
    bosc_status status = prepare_output(path, mesh, &output, error);
    return status == BOSC_OK ? bi_outputs_write(&output, 1, error) : status;
}

bosc_status bosc_mesh_and_png_write(const char *path, const bosc_mesh *mesh, const char *png_path, const uint8_t *rgb,
                                    int32_t width, int32_t height, bosc_io_error *error)
{
    BI_IO_ENTER;
    const struct bi_rgb picture = {rgb, width, height};
    struct bi_output outputs[2];
    bosc_status status = prepare_output(path, mesh, &outputs[0], error);
    if (status == BOSC_OK) status = bi_rgb_check(&picture, error);
    if (status == BOSC_OK && !png_path) status = bi_io_fail(error, BOSC_ERR_ARG, "png_path: NULL");
    outputs[1] = (struct bi_output){png_path, bi_rgb_fill, &picture, bi_rgb_items(&picture)};
    return status == BOSC_OK ? bi_outputs_write(outputs, 2, error) : status;
}
