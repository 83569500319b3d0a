#include "render/terrain_holes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/memory.h"

int32_t *holes_count_voids(const bosc_heights *heights, float most)
{
    const int64_t w = heights->width, n = heights->height;
    int32_t *all = memory_allocate((size_t)((w + 1) * n), sizeof *all);
    for (int64_t y = 0; y < n && all; y++) {
        int32_t *counts = all + y * (w + 1);
        counts[0] = 0;
        for (int64_t x = 0; x < w; x++) counts[x + 1] = counts[x] + !(heights->data[y * w + x] <= most);
    }
    return all;
}

bool terrain_holes_open(struct terrain_holes *holes, const bosc_heights *heights)
{
    *holes = (struct terrain_holes){.width = heights->width, .height = heights->height};
    holes->counts = holes_count_voids(heights, INFINITY);
    return holes->counts != NULL;
}

void terrain_holes_close(struct terrain_holes *holes)
{
    free(holes->counts);
    free(holes->corners);
    free(holes->commands);
    free(holes->removed);
    *holes = (struct terrain_holes){.width = 0};
}

/* ---- samples of a triangle ---- */

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t greatest(int64_t a, int64_t b) { return a > b ? a : b; }

/* Narrows the columns of a row from `low` to `high` that an edge between (x, y) and (u, v) bounds. Coordinates are 0 or
 * more; those between samples are rounded inwards. */
static void bound_by_edge(int64_t row, int64_t x, int64_t y, int64_t u, int64_t v, int64_t *low, int64_t *high)
{
    if (row < least(y, v) || row > greatest(y, v)) return;
    if (y == v) {
        *low = least(*low, least(x, u));
        *high = greatest(*high, greatest(x, u));
        return;
    }
    const int64_t down = v > y ? v - y : y - v, along = v > y ? row - y : y - row;
    const int64_t at = x * down + along * (u - x); /* the column, times `down` */
    *low = least(*low, (at + down - 1) / down);
    *high = greatest(*high, at / down);
}

/* Counts the voids and all samples of a triangle, its border included. */
static void count_samples(const struct terrain_holes *h, const int64_t corners[3], int64_t *voids, int64_t *all)
{
    int64_t x[3], y[3];
    for (int k = 0; k < 3; k++) {
        x[k] = corners[k] % h->width;
        y[k] = corners[k] / h->width;
    }
    *voids = *all = 0;
    for (int64_t row = least(y[0], least(y[1], y[2])); row <= greatest(y[0], greatest(y[1], y[2])); row++) {
        int64_t low = INT64_MAX, high = -1;
        for (int k = 0; k < 3; k++) {
            const int next = (k + 1) % 3;
            bound_by_edge(row, x[k], y[k], x[next], y[next], &low, &high);
        }
        if (low > high) continue;
        const int32_t *counts = h->counts + row * (h->width + 1);
        *voids += counts[high + 1] - counts[low];
        *all += high - low + 1;
    }
}

enum hole_coverage terrain_holes_cover(const struct terrain_holes *h, const int64_t corners[3])
{
    int64_t voids, all;
    count_samples(h, corners, &voids, &all);
    if (voids == 0) return HOLE_NONE;
    return voids == all || all == 3 ? HOLE_REMOVED : HOLE_MIXED;
}

/* ---- the mesh ---- */

static bosc_status reserve_leaves(struct terrain_holes *h, int64_t leaves)
{
    if (leaves <= h->capacity) return BOSC_OK;
    free(h->corners);
    free(h->commands);
    free(h->removed);
    h->capacity = leaves + leaves / 2;
    h->corners = memory_allocate((size_t)h->capacity * 3, sizeof *h->corners);
    h->commands = memory_allocate((size_t)h->capacity, 1);
    h->removed = memory_allocate((size_t)h->capacity, 1);
    if (h->corners && h->commands && h->removed) return BOSC_OK;
    h->capacity = 0;
    return BOSC_ERR_NOMEM;
}

/* Marks the triangles with a void, and commands their splits where samples beside the corners have heights too. Returns
 * the number of splits. */
static int64_t mark_triangles(struct terrain_holes *h, int64_t leaves)
{
    int64_t splits = 0;
    h->triangles = 0;
    for (int64_t l = 0; l < leaves; l++) {
        const int64_t *corners = h->corners + 3 * l;
        h->commands[l] = BOSC_CBT_KEEP;
        if (corners[0] < 0) continue; /* outside the mesh */
        const enum hole_coverage coverage = terrain_holes_cover(h, corners);
        h->removed[h->triangles++] = coverage != HOLE_NONE;
        if (coverage != HOLE_MIXED) continue;
        h->commands[l] = BOSC_CBT_SPLIT;
        splits++;
    }
    return splits;
}

bosc_status terrain_holes_refine(bosc_ctx *ctx, bosc_terrain *terrain, struct terrain_holes *holes)
{
    for (int64_t before = -1;;) {
        bosc_cbt_info info = {.size = sizeof info};
        bosc_status status = bosc_cbt_get_info(ctx, bosc_terrain_get_tree(terrain), &info);
        if (status == BOSC_OK) status = reserve_leaves(holes, info.leaves);
        if (status == BOSC_OK) status = bosc_terrain_get_corners(ctx, terrain, 0, info.leaves, holes->corners);
        if (status == BOSC_OK) status = bosc_ctx_sync(ctx);
        if (status != BOSC_OK) return status;
        /* The deepest leaves stay as they are. */
        if (mark_triangles(holes, info.leaves) == 0 || info.leaves == before) return BOSC_OK;
        before = info.leaves;
        status = bosc_terrain_update(ctx, terrain, holes->commands, info.leaves);
        if (status == BOSC_OK) status = bosc_ctx_sync(ctx);
        if (status != BOSC_OK) return status;
    }
}

bool terrain_holes_cut(const struct terrain_holes *holes, bosc_mesh *mesh, float *positions, float *normals,
                       uint32_t *indices)
{
    uint32_t *numbers = memory_allocate((size_t)mesh->vertices, sizeof *numbers);
    int64_t triangles = 0, vertices = 0;
    if (!numbers) return false;
    /* 1. The triangles that remain, and their vertices. */
    memset(numbers, 0, (size_t)mesh->vertices * sizeof *numbers);
    for (int64_t t = 0; t < mesh->triangles; t++) {
        if (holes->removed[t]) continue;
        for (int k = 0; k < 3; k++) numbers[indices[3 * t + k]] = 1;
        memmove(indices + 3 * triangles++, indices + 3 * t, 3 * sizeof *indices);
    }
    /* 2. New numbers of these vertices, in the same order. */
    for (int64_t v = 0; v < mesh->vertices; v++) {
        if (!numbers[v]) continue;
        memmove(positions + 3 * vertices, positions + 3 * v, 3 * sizeof *positions);
        memmove(normals + 3 * vertices, normals + 3 * v, 3 * sizeof *normals);
        numbers[v] = (uint32_t)vertices++;
    }
    for (int64_t i = 0; i < 3 * triangles; i++) indices[i] = numbers[indices[i]];
    mesh->vertices = vertices;
    mesh->triangles = triangles;
    free(numbers);
    return true;
}
