/* Bodies and placements as text. */
#include "fuzz.h"
#include "io/scene/scene.h"

/* Parses a body, whose triangles and facets must refer to its vertices. */
static void read_body(const struct bi_bytes *in)
{
    bosc_io_error error = {""};
    struct bi_body body = {.balls.data = NULL};
    bosc_plan_bodies bodies = {.balls = NULL};
    if (bi_body_parse(in, &body, &error) != BOSC_OK) {
        if (body.vertices.data || body.triangles.data || error.text[0] != 'F') abort();
        return;
    }
    int64_t vertices = body.vertices.shape[0], triangles = body.triangles.shape[0];
    if ((size_t)vertices > in->size || (size_t)triangles > in->size) abort();
    const bool convex = vertices % 2 != 0;
    if (bi_body_to_planner("F", &body, convex, &bodies, &error) != BOSC_OK) { /* an open solid */
        if (!convex || bodies.vertices || error.text[0] != 'F') abort();
        bi_body_free(&body);
        return;
    }
    int64_t facets = bodies.polytope_count ? bodies.polytope_offsets[bodies.polytope_count] : bodies.triangle_count;
    const int64_t *corners = bodies.polytope_count ? bodies.facet_vertices : bodies.triangles;
    if (facets > triangles || (!convex && facets != triangles) || (convex && facets % 2 != 0)) abort();
    for (int64_t i = 0; i < 3 * facets; i++)
        if (corners[i] < 0 || corners[i] >= vertices) abort();
    bi_bodies_free(&bodies);
}

static void read_placements(const struct bi_bytes *in)
{
    bosc_io_error error = {""};
    struct bi_placement placements[2];
    int32_t count = 0;
    if (bi_placements_parse(in, placements, &count, &error) != BOSC_OK) {
        if (error.text[0] != 'F') abort();
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        const double *q = placements[i].rotation;
        double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        if (!(square > 0.999 && square < 1.001)) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bi_bytes in = {.name = "F", .data = (const char *)data, .size = size};
    read_body(&in);
    read_placements(&in);
    return 0;
}
