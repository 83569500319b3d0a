/* Scenes in Qt's data stream. */
#include "fuzz.h"
#include "io/scene/scene.h"

static void check_body(const struct bi_body *body, size_t size)
{
    int64_t vertices = body->vertices.shape[0];
    if (!body->balls.data && !body->triangles.data) abort();
    for (int64_t i = 0; body->balls.data && i < body->balls.shape[0]; i++)
        if (!(((const double *)body->balls.data)[4 * i + 3] > 0)) abort();
    for (int64_t i = 0; body->triangles.data && i < 3 * body->triangles.shape[0]; i++)
        if ((int64_t)((const uint32_t *)body->triangles.data)[i] >= vertices) abort();
    if ((size_t)vertices > size) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bi_bytes in = {.name = "F", .data = (const char *)data, .size = size};
    bosc_io_error error = {""};
    struct bi_scene scene = {.has_from = false};
    if (bi_arr_parse(&in, &scene, &error) != BOSC_OK) {
        if (scene.robot.balls.data || scene.robot.vertices.data || error.text[0] != 'F') abort();
        return 0;
    }
    check_body(&scene.robot, size);
    check_body(&scene.obstacle, size);
    bi_scene_free(&scene);
    return 0;
}
