/* Voxels of two scans for a network of sparse convolutions: means, the coarse voxels of a strided convolution, and the
 * kernel maps of both. */
#include <boscage/boscage.h>

#include <stdio.h>
#include <stdlib.h>

enum { SCANS = 2, EACH = 50000, N = SCANS * EACH, VOLUME = 27, CHILDREN = 8 };

/* Voxels of the scans, and those of half the resolution. */
struct pyramid {
    bosc_voxels *fine, *coarse;
    int32_t *coords;
    int64_t offsets[SCANS + 1], count, coarse_count;
};

/* Builds the coarse voxels: the coordinates of the fine ones are a batch of integers. */
static bosc_status halve(bosc_ctx *ctx, struct pyramid *p)
{
    const bosc_voxels_opts opts = {.size = sizeof opts, .dim = 3, .dtype = BOSC_I32, .cell = {2, 2, 2}};
    bosc_status status = bosc_voxels_create(ctx, &opts, &p->coarse);
    if (!status) status = bosc_voxels_list(ctx, p->fine, p->coords, NULL, NULL, p->offsets, N);
    if (!status) status = bosc_voxels_build(ctx, p->coarse, p->coords, p->count, 0, p->offsets, SCANS);
    if (!status) status = bosc_voxels_count(ctx, p->coarse, &p->coarse_count);
    return status;
}

/* Counts the entries of a map that hold a voxel: also, at the centre of a kernel, the voxel itself. */
static int64_t count_pairs(const int64_t *map, int64_t entries)
{
    int64_t count = 0;
    for (int64_t i = 0; i < entries; i++) count += map[i] >= 0;
    return count;
}

int main(void)
{
    /* 1. Points of two scans in a cube. */
    float *points = malloc(sizeof *points * 3 * N), *means = malloc(sizeof *means * 3 * N);
    int64_t *map = malloc(sizeof *map * VOLUME * N), pairs = 0, children = 0;
    const int64_t offsets[SCANS + 1] = {0, EACH, N};
    const bosc_voxels_opts opts = {.size = sizeof opts, .dim = 3, .cell = {.05, .05, .05}};
    const bosc_voxels_kernel halving = {.size = sizeof halving, .shape = {2, 2, 2}, .stride = {2, 2, 2}};
    struct pyramid p = {.coords = malloc(sizeof *p.coords * 3 * N)};
    bosc_ctx *ctx = NULL;
    bosc_status status = points && means && map && p.coords ? bosc_ctx_create(NULL, &ctx) : BOSC_ERR_NOMEM;
    if (!status) status = bosc_random_points(ctx, BOSC_RANDOM_POINTS_CLUSTERED, 1, N, 3, BOSC_F32, points);

    /* 2. Voxels, their means, and the map of a convolution with 27 weights. */
    if (!status) status = bosc_voxels_create(ctx, &opts, &p.fine);
    if (!status) status = bosc_voxels_build(ctx, p.fine, points, N, 0, offsets, SCANS);
    if (!status) status = bosc_voxels_count(ctx, p.fine, &p.count);
    if (!status) status = bosc_voxels_mean(ctx, p.fine, BOSC_F32, points, 3, 0, means, p.count);
    if (!status) status = bosc_voxels_kernel_map(ctx, p.fine, p.fine, NULL, map, p.count);
    if (!status) pairs = count_pairs(map, p.count * VOLUME);

    /* 3. Half the resolution, and the fine voxels in each coarse one. */
    if (!status) status = halve(ctx, &p);
    if (!status) status = bosc_voxels_kernel_map(ctx, p.fine, p.coarse, &halving, map, p.coarse_count);
    if (!status) children = count_pairs(map, p.coarse_count * CHILDREN);
    if (!status)
        printf("%d points are in %lld voxels, %lld pairs for a convolution\n%lld coarse voxels have %lld children\n", N,
               (long long)p.count, (long long)pairs, (long long)p.coarse_count, (long long)children);
    if (status) fprintf(stderr, "%s\n", ctx ? bosc_ctx_message(ctx) : bosc_status_text(status));
    bosc_voxels_free(p.fine);
    bosc_voxels_free(p.coarse);
    bosc_ctx_free(ctx);
    free(points);
    free(means);
    free(map);
    free(p.coords);
    return status != BOSC_OK;
}
