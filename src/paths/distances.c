/* Distances: starts a search at the sources; and Bellman-Ford's rounds on steps and collectives. */
#include "base/bits.h"
#include "paths/drivers.h"

/* Rounds of Bellman-Ford until none changes a vertex. */
static bosc_status run_rounds(bosc_ctx *ctx, const struct bi_paths_search *s)
{
    const struct bi_paths_steps *steps = ctx->ops->paths->steps;
    const int64_t n = s->rows.n;
    int64_t count = s->count;
    struct bi_paths_relax relax = {.rows = s->rows, .distances = s->distances};
    struct bi_paths_collect collect;
    uint32_t *all, *list;
    void *counted;
    BI_TRY(bi_scratch_of(ctx, n, sizeof *all, &all));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *list, &list));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *relax.changed, &relax.changed));
    BI_TRY(bi_scratch_of(ctx, n, 1, &collect.keep));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof count, &counted));
    BI_TRY(ctx->backend->core->iota(ctx, sizeof *all, all, n));
    BI_TRY(ctx->backend->fill(ctx, relax.changed, 0, (size_t)n * sizeof *relax.changed));
    collect.changed = relax.changed;
    for (relax.list = s->list; count > 0; relax.list = list) {
        BI_TRY(steps->paths_relax(ctx, count, &relax));
        BI_TRY(steps->paths_collect(ctx, n, &collect));
        BI_TRY(ctx->backend->core->compact(ctx, sizeof *all, all, collect.keep, n, list, counted));
        BI_TRY(bi_read_back(ctx, &count, counted, sizeof count));
    }
    return BOSC_OK;
}

bosc_status bi_paths_run_search(bosc_ctx *ctx, struct bi_paths_search *search, bosc_paths_algorithm algorithm)
{
    if (search->count == 0) return BOSC_OK;
    const bool rounds = search->rows.offsets_64bit && !ctx->ops->paths->searches_64bit;
    if (algorithm == BOSC_PATHS_ROUNDS || rounds) BI_RETURN_WITH_SCRATCH(ctx, run_rounds(ctx, search));
    BI_RETURN_WITH_SCRATCH(ctx, ctx->ops->paths->search(ctx, search));
}

/* Lists the sources, each once, with distance 0; all other vertices are not reached. */
static bosc_status start_search(struct bi_paths_call *c, struct bi_paths_search *s)
{
    bosc_ctx *ctx = c->ctx;
    struct {
        int64_t bad, count;
    } host = {INT64_MAX, 0}, *device;
    struct bi_paths_fill fill = {s->distances, c->rows.none};
    struct bi_paths_start start = {
        .sources = c->sources, .is_64bit = c->id_bits == 64, .n = (uint64_t)c->rows.n, .distances = s->distances};
    BI_TRY(bi_scratch_of(ctx, c->source_count, sizeof *s->list, &s->list));
    BI_TRY(bi_scratch_of(ctx, c->source_count, sizeof *start.list, &start.list));
    BI_TRY(bi_scratch_of(ctx, c->source_count, 1, &start.first));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *device, &device));
    BI_TRY(c->steps->paths_fill(ctx, c->rows.n, &fill));
    if (c->source_count == 0) return BOSC_OK;
    start.bad = &device->bad;
    BI_TRY(ctx->backend->copy(ctx, device, &host, sizeof host));
    BI_TRY(c->steps->paths_start(ctx, c->source_count, &start));
    BI_TRY(ctx->backend->core->compact(ctx, sizeof *s->list, start.list, start.first, c->source_count, s->list,
                                       &device->count));
    BI_TRY(bi_read_back(ctx, &host, device, sizeof host));
    s->count = host.count;
    if (host.bad != INT64_MAX)
        return bi_fail(ctx, BOSC_ERR_DATA, "sources: number %lld is no vertex",
                       (long long)(c->first_source + host.bad));
    return BOSC_OK;
}

/* With a finite limit, below 2^64 - 1, a vertex at an overflowed distance is beyond it. */
bosc_status bi_paths_check_overflow(struct bi_paths_call *c, const uint64_t *distances)
{
    bosc_ctx *ctx = c->ctx;
    int64_t bad = INT64_MAX;
    struct bi_paths_overflow check = {.rows = c->rows, .distances = distances};
    const bool floats = c->rows.none != UINT64_MAX;
    const bool limited = c->opts.limit && (floats ? *(const double *)c->opts.limit <= BI_PATHS_LARGEST
                                                  : *(const uint64_t *)c->opts.limit < UINT64_MAX);
    if (!c->may_overflow || limited) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof bad, &check.bad));
    BI_TRY(ctx->backend->copy(ctx, check.bad, &bad, sizeof bad));
    BI_TRY_WITH_COST(ctx, BI_PATHS_ITEM_ARCS,
                     c->steps->paths_overflow(ctx, bi_div_up(c->rows.arcs, BI_PATHS_ITEM_ARCS), &check));
    BI_TRY(bi_read_back(ctx, &bad, check.bad, sizeof bad));
    if (bad == INT64_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_LIMIT, "vertex %lld: its distance is %s", (long long)bad,
                   floats ? "beyond the range of double" : "2^64 - 1 or more");
}

static bosc_status find_distances(struct bi_paths_call *c, struct bi_paths_search *s)
{
    bosc_ctx *ctx = c->ctx;
    const struct bi_paths_tree roots = {
        .predecessors = s->predecessors, .sources = c->sources, .sources_64bit = c->id_bits == 64};
    BI_TRY(start_search(c, s));
    if (s->predecessors) {
        BI_TRY(ctx->backend->fill(ctx, s->predecessors, 0xff, (size_t)c->rows.n * sizeof *s->predecessors));
        BI_TRY(c->steps->paths_set_roots(ctx, c->source_count, &roots));
    }
    BI_TRY(bi_paths_run_search(ctx, s, c->opts.algorithm));
    return bi_paths_check_overflow(c, s->distances);
}

bosc_status bi_paths_find_distances(struct bi_paths_call *c, uint64_t *distances, uint32_t *predecessors,
                                    bool *has_tree)
{
    struct bi_paths_search s = {.rows = c->rows,
                                .distances = distances,
                                .predecessors = predecessors,
                                .mean_length = c->mean_length,
                                .width = c->opts.width};
    bosc_status status;
    BI_WITH_SCRATCH(c->ctx, status = find_distances(c, &s));
    *has_tree = s.has_tree;
    return status;
}
