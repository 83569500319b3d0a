/* Ways: lists of rotations on the host. */
#include "planner/way.h"

#include <string.h>

#include "base/philox.h"

bosc_status bi_planner_grow(bosc_ctx *ctx, struct bi_block *block, size_t used, size_t bytes)
{
    if (bytes <= block->bytes) return BOSC_OK;
    if (bytes < 2 * block->bytes) bytes = 2 * block->bytes;
    void *fresh = bi_host_alloc(ctx, bytes);
    if (!fresh) return BOSC_ERR_NOMEM;
    if (used > 0) memcpy(fresh, block->data, used);
    bi_block_free(&ctx->host, block);
    *block = (struct bi_block){fresh, bytes};
    return BOSC_OK;
}

double bi_planner_unit(struct bi_planner_search *search)
{
    enum { STREAM = 0x6d656e64 };
    struct bi_philox words = bi_philox_at(search->planner->opts.seed, STREAM, search->counter++);
    return (double)(((uint64_t)words.v[0] << 32 | words.v[1]) >> 11) * 0x1p-53;
}

bosc_status bi_planner_way_add(bosc_ctx *ctx, struct bi_planner_way *way, const double *q, bool certified)
{
    size_t n = (size_t)way->count;
    BI_TRY(bi_planner_grow(ctx, &way->rotations, n * 32, (n + 1) * 32 < 2048 ? 2048 : (n + 1) * 32));
    BI_TRY(bi_planner_grow(ctx, &way->certified, n, n + 1 < 64 ? 64 : n + 1));
    double *to = bi_planner_way_at(way, way->count), sign = 1;
    if (way->count > 0) {
        const double *p = to - 4;
        sign = (p[0] * q[0] + p[1] * q[1]) + (p[2] * q[2] + p[3] * q[3]) < 0 ? -1 : 1;
        bi_planner_way_steps(way)[way->count - 1] = certified;
    }
    for (int k = 0; k < 4; k++) to[k] = sign * q[k];
    way->count++;
    return BOSC_OK;
}

void bi_planner_way_free(bosc_ctx *ctx, struct bi_planner_way *way)
{
    bi_block_free(&ctx->host, &way->rotations);
    bi_block_free(&ctx->host, &way->certified);
    way->count = 0;
}

bool bi_planner_way_certified(const struct bi_planner_way *way, int64_t *count)
{
    *count = 0;
    for (int64_t i = 0; i + 1 < way->count; i++) *count += bi_planner_way_steps(way)[i];
    return way->count > 0 && *count == way->count - 1;
}

double bi_planner_way_angle(const struct bi_planner_way *way)
{
    double sum = 0;
    for (int64_t i = 0; i + 1 < way->count; i++)
        sum += bi_planner_angle(bi_planner_way_at(way, i), bi_planner_way_at(way, i + 1));
    return sum;
}

bosc_status bi_planner_certify_way(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_way *way)
{
    int64_t n = way->count - 1;
    struct bi_block places = {0};
    if (n <= 0) return BOSC_OK;
    BI_TRY(bi_planner_grow(ctx, &places, 0, (size_t)n * 4));
    bosc_status status = bi_planner_certify_host(ctx, search->planner, bi_planner_way_at(way, 0),
                                                 bi_planner_way_at(way, 1), 4, n, places.data);
    for (int64_t i = 0; i < n && status == BOSC_OK; i++)
        bi_planner_way_steps(way)[i] = ((uint32_t *)places.data)[i] == UINT32_MAX;
    search->info.tested += n;
    bi_block_free(&ctx->host, &places);
    return status;
}

/* From rotation `at`: steps to those 1, 2, 4 ... further, and to the last one. */
static bosc_status farthest(bosc_ctx *ctx, struct bi_planner_search *search, const struct bi_planner_way *way,
                            int64_t at, int64_t *next, bool *certified)
{
    enum { MOST = 48 };
    const int64_t last = way->count - 1;
    double from[4 * MOST], to[4 * MOST];
    int64_t goals[MOST];
    uint32_t places[MOST];
    int n = 0;
    for (int64_t ahead = 1; n < MOST - 1 && at + ahead < last; ahead += ahead < 4 ? 1 : ahead / 3)
        goals[n++] = at + ahead;
    goals[n++] = last;
    for (int i = 0; i < n; i++) {
        memcpy(from + 4 * i, bi_planner_way_at(way, at), 32);
        memcpy(to + 4 * i, bi_planner_way_at(way, goals[i]), 32);
    }
    BI_TRY(bi_planner_certify_host(ctx, search->planner, from, to, 4, n, places));
    search->info.tested += n;
    *next = at + 1;
    *certified = bi_planner_way_steps(way)[at];
    for (int i = 0; i < n; i++) {
        if (places[i] != UINT32_MAX) continue;
        *next = goals[i];
        *certified = true;
    }
    return BOSC_OK;
}

bosc_status bi_planner_shorten(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_way *way)
{
    struct bi_planner_way shorter = {.count = 0};
    bosc_status status = bi_planner_way_add(ctx, &shorter, bi_planner_way_at(way, 0), false);
    for (int64_t at = 0, next; status == BOSC_OK && at < way->count - 1; at = next) {
        bool certified;
        status = farthest(ctx, search, way, at, &next, &certified);
        if (status == BOSC_OK) status = bi_planner_way_add(ctx, &shorter, bi_planner_way_at(way, next), certified);
    }
    if (status != BOSC_OK) {
        bi_planner_way_free(ctx, &shorter);
        return status;
    }
    bi_planner_way_free(ctx, way);
    *way = shorter;
    return BOSC_OK;
}
