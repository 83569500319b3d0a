/* Paths: lists of rotations on the host. */
#include "planner/path.h"

#include <string.h>

bosc_status bi_planner_grow_block(bosc_ctx *ctx, struct bi_block *block, size_t used, size_t bytes)
{
    if (bytes <= block->bytes) return BOSC_OK;
    if (bytes < 2 * block->bytes) bytes = 2 * block->bytes; /* so that appending is linear in all */
    void *fresh = bi_host_alloc(ctx, bytes);
    if (!fresh) return BOSC_ERR_NOMEM;
    if (used > 0) memcpy(fresh, block->data, used);
    bi_block_free(&ctx->host, block);
    *block = (struct bi_block){fresh, bytes};
    return BOSC_OK;
}

bosc_status bi_planner_path_add(bosc_ctx *ctx, struct bi_planner_path *path, const double *q, bool certified)
{
    size_t n = (size_t)path->count;
    BI_TRY(bi_planner_grow_block(ctx, &path->rotations, n * 32, (n + 1) * 32 < 2048 ? 2048 : (n + 1) * 32));
    BI_TRY(bi_planner_grow_block(ctx, &path->certified, n, n + 1 < 64 ? 64 : n + 1));
    double *to = bi_planner_path_at(path, path->count), sign = 1;
    if (path->count > 0) {
        const double *p = to - 4;
        sign = (p[0] * q[0] + p[1] * q[1]) + (p[2] * q[2] + p[3] * q[3]) < 0 ? -1 : 1;
        bi_planner_path_steps(path)[path->count - 1] = certified;
    }
    for (int k = 0; k < 4; k++) to[k] = sign * q[k];
    path->count++;
    return BOSC_OK;
}

void bi_planner_path_free(bosc_ctx *ctx, struct bi_planner_path *path)
{
    bi_block_free(&ctx->host, &path->rotations);
    bi_block_free(&ctx->host, &path->certified);
    path->count = 0;
}

bool bi_planner_path_certified(const struct bi_planner_path *path, int64_t *count)
{
    *count = 0;
    for (int64_t i = 0; i + 1 < path->count; i++) *count += bi_planner_path_steps(path)[i];
    return path->count > 0 && *count == path->count - 1;
}

double bi_planner_path_angle(const struct bi_planner_path *path)
{
    double sum = 0;
    for (int64_t i = 0; i + 1 < path->count; i++)
        sum += bi_planner_angle(bi_planner_path_at(path, i), bi_planner_path_at(path, i + 1));
    return sum;
}
