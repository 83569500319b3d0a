/* Writes bodies of triangles as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/sink.h"
#include "io/scene/scene.h"
#include "io/text/number.h"

static int64_t count_facets(const bosc_plan_bodies *b)
{
    return b->polytope_count > 0 ? b->polytope_offsets[b->polytope_count] : 0;
}

static void write_integers(struct bi_sink *sink, const int64_t *numbers, int count)
{
    char line[96], *p = line;
    for (int i = 0; i < count; i++) {
        p = bi_integer_write(p, false, (uint64_t)numbers[i]);
        *p++ = i + 1 < count ? ' ' : '\n';
    }
    bi_sink_write(sink, line, (size_t)(p - line));
}

/* Writes a body; facets become triangle fans around their first corners. */
static bosc_status fill_body(struct bi_sink *sink, const void *what, bosc_io_error *error)
{
    const bosc_plan_bodies *b = what;
    int64_t facets = count_facets(b), triangles = b->triangle_count;
    if (facets) triangles += b->facet_offsets[facets] - 2 * facets;
    (void)error;
    /* 1. The vertices. */
    write_integers(sink, &b->vertex_count, 1);
    for (int64_t i = 0; i < b->vertex_count; i++) {
        char line[96], *p = line;
        for (int c = 0; c < 3; c++) {
            p = bi_number_write(p, b->vertices[3 * i + c], false);
            *p++ = c < 2 ? ' ' : '\n';
        }
        bi_sink_write(sink, line, (size_t)(p - line));
    }
    /* 2. The triangles, and the fans of the facets. */
    write_integers(sink, &triangles, 1);
    for (int64_t t = 0; t < b->triangle_count; t++) write_integers(sink, b->triangles + 3 * t, 3);
    for (int64_t f = 0; f < facets; f++) {
        const int64_t *v = b->facet_vertices + b->facet_offsets[f];
        for (int64_t k = 2; k < b->facet_offsets[f + 1] - b->facet_offsets[f]; k++)
            write_integers(sink, (const int64_t[]){v[0], v[k - 1], v[k]}, 3);
    }
    return BOSC_OK;
}

static bosc_status check_body(const char *name, const bosc_plan_bodies *b, bosc_io_error *error)
{
    if (b->ball_count != 0) return bi_io_fail(error, BOSC_ERR_ARG, "scene: %s: balls are not written", name);
    if (b->vertex_count < 1 || !b->vertices || b->triangle_count < 0 || b->polytope_count < 0 ||
        b->triangle_count + count_facets(b) < 1)
        return bi_io_fail(error, BOSC_ERR_ARG, "scene: %s: no triangles", name);
    return BOSC_OK;
}

bosc_status bosc_scene_write(const char *folder, const bosc_plan_scene *scene, bosc_io_error *error)
{
    BI_IO_ENTER;
    if (!folder) return bi_io_fail(error, BOSC_ERR_ARG, "folder: NULL");
    if (!scene) return bi_io_fail(error, BOSC_ERR_ARG, "scene: NULL");
    size_t size = strlen(folder) + sizeof "/obstacle.txt";
    char *robot = NULL, *obstacle = NULL;
    bosc_status status = check_body("robot", &scene->robot, error);
    if (status == BOSC_OK) status = check_body("obstacle", &scene->obstacle, error);
    if (status != BOSC_OK) return status;
    robot = bi_io_alloc(size);
    obstacle = bi_io_alloc(size);
    if (robot && obstacle) {
        snprintf(robot, size, "%s/robot.txt", folder);
        snprintf(obstacle, size, "%s/obstacle.txt", folder);
        const struct bi_output outputs[2] = {{robot, fill_body, &scene->robot, 1},
                                             {obstacle, fill_body, &scene->obstacle, 1}};
        status = bi_outputs_write(outputs, 2, error);
    } else {
        status = bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", folder);
    }
    free(robot);
    free(obstacle);
    return status;
}
