/* An octahedron falls through a saddle: every frame finds the pairs of triangles that touch. */
#include <boscage/boscage.h>

#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 200, VERTICES = (SIDE + 1) * (SIDE + 1), TRIANGLES = 2 * SIDE * SIDE, FRAMES = 5 };

/* A saddle over [-1, 1] x [-1, 1]. */
static void make_saddle(float *vertices, uint32_t *triangles)
{
    for (int v = 0; v < VERTICES; v++) {
        float x = (float)(v % (SIDE + 1) - SIDE / 2) / (SIDE / 2), y = (float)(v / (SIDE + 1) - SIDE / 2) / (SIDE / 2);
        vertices[3 * v] = x;
        vertices[3 * v + 1] = y;
        vertices[3 * v + 2] = (x * x - y * y) / 4;
    }
    for (int s = 0; s < SIDE * SIDE; s++) {
        int v = s / SIDE * (SIDE + 1) + s % SIDE;
        const int corners[6] = {v, v + 1, v + SIDE + 1, v + 1, v + SIDE + 2, v + SIDE + 1};
        for (int k = 0; k < 6; k++) triangles[6 * s + k] = (uint32_t)corners[k];
    }
}

/* One frame: builds, counts the pairs, then lists them. */
static bosc_status frame(bosc_ctx *ctx, bosc_collision *collision, const bosc_collision_mesh *saddle,
                         const bosc_collision_mesh *body, int number)
{
    int64_t count = 0;
    bosc_status status = bosc_collision_build(ctx, collision, saddle, body);
    if (!status) status = bosc_collision_pairs(ctx, collision, NULL, 0, &count);
    if (status) return status;
    uint32_t *pairs = malloc(sizeof *pairs * 2 * (size_t)(count + 1));
    if (!pairs) return BOSC_ERR_NOMEM;
    status = bosc_collision_pairs(ctx, collision, pairs, count, &count);
    if (!status && count > 0)
        printf("frame %d: %lld pairs; triangle %u of the saddle touches face %u\n", number, (long long)count,
               (unsigned)pairs[0], (unsigned)pairs[1]);
    free(pairs);
    return status;
}

/* Reserves memory for frames of up to twice the last one's size: they allocate nothing. */
static bosc_status reserve_twice(bosc_ctx *ctx, bosc_collision *collision)
{
    bosc_collision_info last = {.size = sizeof last};
    bosc_status status = bosc_collision_get_info(ctx, collision, &last);
    bosc_collision_sizes sizes = {.size = sizeof sizes,
                                  .vertices = VERTICES + 6,
                                  .triangles = TRIANGLES + 8,
                                  .near_count = 2 * last.near_count,
                                  .box_voxels = 2 * last.box_voxels,
                                  .entries = 2 * last.entries,
                                  .candidates = 2 * last.candidates,
                                  .pairs = 2 * last.pairs};
    return status ? status : bosc_collision_reserve(ctx, collision, &sizes);
}

int main(void)
{
    static const float corners[6][3] = {{.5f, 0, 0},  {-.5f, 0, 0}, {0, .5f, 0},
                                        {0, -.5f, 0}, {0, 0, .5f},  {0, 0, -.5f}};
    static const uint32_t faces[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                         {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    float *vertices = malloc(sizeof *vertices * 3 * VERTICES);
    uint32_t *triangles = malloc(sizeof *triangles * 3 * TRIANGLES);
    bosc_ctx *ctx = NULL;
    bosc_collision *collision = NULL;
    bosc_collision_opts opts = {.size = sizeof opts, .id_bits = 32};
    bosc_collision_mesh saddle = {.size = sizeof saddle,
                                  .vertices = vertices,
                                  .vertex_count = VERTICES,
                                  .triangles = triangles,
                                  .triangle_count = TRIANGLES};
    bosc_collision_mesh body = {
        .size = sizeof body, .vertices = corners, .vertex_count = 6, .triangles = faces, .triangle_count = 8};

    bosc_status status = vertices && triangles ? bosc_ctx_create(NULL, &ctx) : BOSC_ERR_NOMEM;
    if (!status) make_saddle(vertices, triangles);
    if (!status) status = bosc_collision_create(ctx, &opts, &collision);
    /* Each frame moves the body down by its transform alone. */
    for (int f = 0; f < FRAMES && !status; f++) {
        const double falls[12] = {1, 0, 0, 0.125, 0, 1, 0, 0.25, 0, 0, 1, 0.75 - 0.25 * f};
        body.transform = falls;
        status = frame(ctx, collision, &saddle, &body, f);
        if (!status && f == 2) status = reserve_twice(ctx, collision);
    }
    if (status) fprintf(stderr, "collision: %s\n", ctx ? bosc_ctx_message(ctx) : bosc_status_text(status));
    bosc_collision_free(collision);
    bosc_ctx_free(ctx);
    free(vertices);
    free(triangles);
    return status != BOSC_OK;
}
