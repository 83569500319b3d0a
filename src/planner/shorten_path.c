/* Certifies the steps of a path and removes rotations that its certified steps do not need. */
#include <string.h>

#include "planner/route_search.h"

bosc_status bi_planner_certify_path(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_path *path)
{
    int64_t n = path->count - 1;
    struct bi_block failures = {0};
    if (n <= 0) return BOSC_OK;
    BI_TRY(bi_planner_grow_block(ctx, &failures, 0, (size_t)n * 4));
    bosc_status status = bi_planner_certify_host(ctx, search->planner, bi_planner_path_at(path, 0),
                                                 bi_planner_path_at(path, 1), 4, n, failures.data);
    for (int64_t i = 0; i < n && status == BOSC_OK; i++)
        bi_planner_path_steps(path)[i] = ((uint32_t *)failures.data)[i] == UINT32_MAX;
    search->info.tested += n;
    bi_block_free(&ctx->host, &failures);
    return status;
}

/* Tests the steps from rotation `at` to those 1, 2, 3, 4, 5, 6, 8 ... ahead and to the last one. *next: the farthest
 * one
 * with a certified step, else the next one. */
static bosc_status find_farthest_step(bosc_ctx *ctx, struct bi_planner_search *search,
                                      const struct bi_planner_path *path, int64_t at, int64_t *next, bool *certified)
{
    enum { MOST = 48 }; /* steps tested at once; ahead grows by a third each, so 48 reach over 10^5 rotations; chosen */
    const int64_t last = path->count - 1;
    double from[4 * MOST], to[4 * MOST];
    int64_t goals[MOST];
    uint32_t failures[MOST];
    int n = 0;
    for (int64_t ahead = 1; n < MOST - 1 && at + ahead < last; ahead += ahead < 4 ? 1 : ahead / 3)
        goals[n++] = at + ahead;
    goals[n++] = last;
    for (int i = 0; i < n; i++) {
        memcpy(from + 4 * i, bi_planner_path_at(path, at), 32);
        memcpy(to + 4 * i, bi_planner_path_at(path, goals[i]), 32);
    }
    BI_TRY(bi_planner_certify_host(ctx, search->planner, from, to, 4, n, failures));
    search->info.tested += n;
    *next = at + 1;
    *certified = bi_planner_path_steps(path)[at];
    for (int i = 0; i < n; i++) {
        if (failures[i] != UINT32_MAX) continue;
        *next = goals[i];
        *certified = true;
    }
    return BOSC_OK;
}

bosc_status bi_planner_shorten_path(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_path *path)
{
    struct bi_planner_path shorter = {.count = 0};
    bosc_status status = bi_planner_path_add(ctx, &shorter, bi_planner_path_at(path, 0), false);
    for (int64_t at = 0, next; status == BOSC_OK && at < path->count - 1; at = next) {
        bool certified;
        status = find_farthest_step(ctx, search, path, at, &next, &certified);
        if (status == BOSC_OK) status = bi_planner_path_add(ctx, &shorter, bi_planner_path_at(path, next), certified);
    }
    if (status != BOSC_OK) {
        bi_planner_path_free(ctx, &shorter);
        return status;
    }
    bi_planner_path_free(ctx, path);
    *path = shorter;
    return BOSC_OK;
}
