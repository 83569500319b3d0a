/* Particles in a box: every frame rebuilds the grid and lists collisions, the pairs closer than a diameter. At the end:
 * the clumps of particles that touch, and the largest number of neighbours of a particle. */
#include <boscage/boscage.h>

#include <stdio.h>
#include <stdlib.h>

enum { N = 20000, FRAMES = 5 };
static const double DIAMETER = 0.02;

/* Moves the particles, and keeps them in the unit cube. */
static void move_particles(float *points, const float *velocities)
{
    for (int i = 0; i < 3 * N; i++) {
        points[i] += 0.01f * (velocities[i] - 0.5f);
        if (points[i] < 0) points[i] = -points[i];
        if (points[i] > 1) points[i] = 2 - points[i];
    }
}

/* One frame: builds the grid, counts the pairs, then lists them. */
static bosc_status frame(bosc_ctx *ctx, bosc_voxelgrid *grid, const float *points, int number)
{
    int64_t count = 0;
    bosc_status status = bosc_voxelgrid_build(ctx, grid, points, N, 0);
    if (!status) status = bosc_voxelgrid_pairs(ctx, grid, DIAMETER, NULL, NULL, 0, &count);
    if (status) return status;
    uint32_t *pairs = malloc(sizeof *pairs * 2 * (size_t)(count + 1));
    float *dist2 = malloc(sizeof *dist2 * (size_t)(count + 1));
    status = pairs && dist2 ? BOSC_OK : BOSC_ERR_NOMEM;
    if (!status) status = bosc_voxelgrid_pairs(ctx, grid, DIAMETER, pairs, dist2, count, &count);
    if (!status) {
        float least = (float)(DIAMETER * DIAMETER);
        for (int64_t p = 0; p < count; p++) least = dist2[p] < least ? dist2[p] : least;
        printf("frame %d: %lld collisions, the closest at squared distance %.2g\n", number, (long long)count, least);
    }
    free(pairs);
    free(dist2);
    return status;
}

int main(void)
{
    float *points = malloc(sizeof *points * 3 * N), *velocities = malloc(sizeof *velocities * 3 * N);
    uint32_t *labels = malloc(sizeof *labels * N);
    int64_t *counts = malloc(sizeof *counts * N);
    bosc_ctx *ctx = NULL;
    bosc_voxelgrid *grid = NULL;
    bosc_voxelgrid_opts opts = {.size = sizeof opts, .dim = 3, .cell = DIAMETER, .id_bits = 32};
    int64_t clumps = 0, most = 1;

    bosc_status status = points && velocities && labels && counts ? bosc_ctx_create(NULL, &ctx) : BOSC_ERR_NOMEM;
    if (!status) status = bosc_random_points(ctx, BOSC_RANDOM_POINTS_UNIFORM, 1, N, 3, BOSC_F32, points);
    if (!status) status = bosc_random_points(ctx, BOSC_RANDOM_POINTS_UNIFORM, 2, N, 3, BOSC_F32, velocities);
    if (!status) status = bosc_voxelgrid_create(ctx, &opts, &grid);
    if (!status) status = bosc_voxelgrid_reserve(ctx, grid, N, 0); /* so that frames allocate nothing */
    for (int f = 0; f < FRAMES && !status; f++) {
        status = frame(ctx, grid, points, f);
        move_particles(points, velocities);
    }
    if (!status) status = bosc_voxelgrid_components(ctx, grid, DIAMETER, labels, &clumps);
    if (!status) status = bosc_voxelgrid_radius_count(ctx, grid, NULL, N, 0, DIAMETER, counts); /* itself among them */
    for (int i = 0; i < N && !status; i++) most = counts[i] > most ? counts[i] : most;
    if (!status)
        printf("%d particles touch in %lld clumps, one of them %lld others\n", N, (long long)clumps,
               (long long)most - 1);
    if (status) fprintf(stderr, "voxelgrid: %s %s\n", bosc_status_text(status), ctx ? bosc_ctx_message(ctx) : "");

    bosc_voxelgrid_free(grid);
    bosc_ctx_free(ctx);
    free(points);
    free(velocities);
    free(labels);
    free(counts);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
