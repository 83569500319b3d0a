/* Paths of graphs without stored edges (steps/route.h). */
#include "cellgraph/drivers.h"
#include "cellgraph/steps/route.h"
#include "core/call.h"

/* For each list of a side: its entries, and how many of them are expanded. */
struct progress {
    uint32_t made[BI_CELLGRAPH_ROUTE_LISTS], expanded[BI_CELLGRAPH_ROUTE_LISTS];
};

static bosc_status read_counts(bosc_ctx *ctx, const struct bi_cellgraph_route *a, struct progress *p)
{
    return bi_read_back(ctx, p->made, a->side[a->which].counts, sizeof p->made);
}

/* Flips the letters of the next entries of a list, up to `end`. */
static bosc_status run_wave(bosc_ctx *ctx, struct bi_cellgraph_route *a, struct progress *p, int32_t list, uint32_t end)
{
    a->list = list;
    a->first = p->expanded[list];
    p->expanded[list] = end;
    return BI_CELLGRAPH_STEP(ctx, cellgraph_flip, ((int64_t)end - a->first) * a->view.shape.length, a);
}

/* Expands the entries that waited for this round, and the vertices that they reach below the limit. */
static bosc_status run_side(bosc_ctx *ctx, struct bi_cellgraph_route *a, int32_t which, struct progress *p)
{
    a->which = which;
    BI_TRY(read_counts(ctx, a, p));
    const uint32_t toward = p->made[BI_CELLGRAPH_TOWARD_WAIT], away = p->made[BI_CELLGRAPH_AWAY_WAIT];
    if (toward > p->expanded[BI_CELLGRAPH_TOWARD_WAIT]) BI_TRY(run_wave(ctx, a, p, BI_CELLGRAPH_TOWARD_WAIT, toward));
    if (away > p->expanded[BI_CELLGRAPH_AWAY_WAIT]) BI_TRY(run_wave(ctx, a, p, BI_CELLGRAPH_AWAY_WAIT, away));
    for (;;) {
        BI_TRY(read_counts(ctx, a, p));
        const int32_t list = p->made[BI_CELLGRAPH_TOWARD] > p->expanded[BI_CELLGRAPH_TOWARD] ? BI_CELLGRAPH_TOWARD
                             : p->made[BI_CELLGRAPH_AWAY] > p->expanded[BI_CELLGRAPH_AWAY]   ? BI_CELLGRAPH_AWAY
                                                                                             : BI_CELLGRAPH_ROUTE_LISTS;
        if (list == BI_CELLGRAPH_ROUTE_LISTS) return BOSC_OK;
        BI_TRY(run_wave(ctx, a, p, list, p->made[list]));
    }
}

/* True if the side has reached all vertices that it can. */
static bool is_exhausted(const struct progress *p)
{
    return p->made[BI_CELLGRAPH_TOWARD_WAIT] == p->expanded[BI_CELLGRAPH_TOWARD_WAIT] &&
           p->made[BI_CELLGRAPH_AWAY_WAIT] == p->expanded[BI_CELLGRAPH_AWAY_WAIT];
}

/* Allocates the arrays of both sides, and copies the vectors of the ends. */
static bosc_status reserve_route(bosc_ctx *ctx, const bosc_cellgraph *graph, const uint32_t source[2],
                                 struct bi_cellgraph_route *a)
{
    const int64_t n = graph->vertices, words = graph->shape.words;
    const size_t bytes = (size_t)words * 8;
    uint64_t *ends[2], *host;
    a->view = bi_cellgraph_view_of(graph);
    /* 1. The ends: a side's target is the other one. */
    BI_TRY(bi_host_scratch(ctx, 2 * bytes, (void **)&host));
    for (int k = 0; k < 2; k++) {
        BI_TRY(bi_scratch_of(ctx, words, 8, &ends[k]));
        BI_TRY(ctx->backend->copy(ctx, ends[k], bi_cellgraph_row(&a->view, source[k]), bytes));
        BI_TRY(bi_read_back(ctx, host + k * words, ends[k], bytes));
    }
    for (int64_t s = 0; s < words; s++) a->distance += (uint32_t)bi_popcount(host[s] ^ host[words + s]);
    /* 2. The sides. */
    for (int k = 0; k < 2; k++) {
        struct bi_cellgraph_side *side = &a->side[k];
        side->target = ends[1 - k];
        BI_TRY(bi_scratch_of(ctx, n, 4, &side->buckets));
        BI_TRY(bi_scratch_of(ctx, n, 4, &side->toward));
        BI_TRY(bi_scratch_of(ctx, n, 4, &side->away));
        BI_TRY(bi_scratch_of(ctx, BI_CELLGRAPH_ROUTE_LISTS, 4, &side->counts));
        BI_TRY(ctx->backend->fill(ctx, side->buckets, 0xff, (size_t)n * 4));
        BI_TRY(ctx->backend->fill(ctx, side->counts, 0, BI_CELLGRAPH_ROUTE_LISTS * 4));
    }
    /* 3. The path. */
    BI_TRY(bi_scratch_of(ctx, n + 2, 4, &a->path));
    BI_TRY(ctx->backend->fill(ctx, a->path, 0xff, (size_t)(n + 2) * 4));
    return ctx->backend->copy(ctx, a->path, source, 2 * sizeof *source);
}

/* Divides the edges of this round's path between the sides. */
static void set_limits(struct bi_cellgraph_route *a, uint32_t round)
{
    a->round = round;
    a->side[0].limit = (a->distance + 2 * round + 1) / 2;
    a->side[1].limit = (a->distance + 2 * round) / 2;
}

/* Searches until a vertex is in the middle of a path: *middle; BI_CELLGRAPH_UNREACHED if there is no path. A path has
 * fewer edges than the graph has vertices, which ends the rounds and keeps the middle inside a->path. */
static bosc_status find_middle(bosc_ctx *ctx, struct bi_cellgraph_route *a, uint32_t *middle)
{
    struct progress sides[2] = {{{0}, {0}}, {{0}, {0}}};
    *middle = BI_CELLGRAPH_UNREACHED;
    set_limits(a, 0);
    BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_begin_side, 2, a));
    for (uint32_t round = 0; a->distance + 2 * (int64_t)round < a->view.count; round++) {
        set_limits(a, round);
        for (int32_t k = 0; k < 2; k++)
            if (round > 0 || a->side[k].limit > 0) BI_TRY(run_side(ctx, a, k, &sides[k]));
        a->which = 1;
        BI_TRY(read_counts(ctx, a, &sides[1]));
        const uint32_t *made = sides[1].made, *expanded = sides[1].expanded;
        a->first = expanded[BI_CELLGRAPH_TOWARD_WAIT];
        BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_find_middle, (int64_t)made[BI_CELLGRAPH_TOWARD_WAIT] - a->first, a));
        BI_TRY(bi_read_back(ctx, middle, a->path + a->side[0].limit, sizeof *middle));
        if (*middle != BI_CELLGRAPH_UNREACHED || is_exhausted(&sides[0]) || is_exhausted(&sides[1])) return BOSC_OK;
    }
    return BOSC_OK;
}

bosc_status bi_cellgraph_find_route(bosc_ctx *ctx, const bosc_cellgraph *graph, struct bi_cellgraph_search *search,
                                    struct bi_cellgraph_search_result *result)
{
    struct bi_cellgraph_route a = {.mask = search->mask};
    /* 1. The dictionary, and the search. */
    BI_TRY(reserve_route(ctx, graph, search->source, &a));
    if (graph->prepared)
        bi_cellgraph_lay_out_dictionary(graph->blocks[BI_CELLGRAPH_DICTIONARY].data, graph->vertices, &a.dictionary);
    else
        BI_TRY(bi_cellgraph_build_dictionary(ctx, &a.view, &a.dictionary));
    BI_TRY(find_middle(ctx, &a, &result->junction));
    if (result->junction == BI_CELLGRAPH_UNREACHED) return BOSC_OK;
    /* 2. The path from the middle to both ends. */
    const int64_t middle = a.side[0].limit, edges = middle + a.side[1].limit, length = graph->shape.length;
    a.which = 0;
    for (a.at = middle; a.at > 0; a.at--) BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_descend, length, &a));
    a.which = 1;
    for (a.at = middle; a.at < edges; a.at++) BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_descend, length, &a));
    search->path = a.path;
    result->depth[0] = a.side[0].limit;
    result->depth[1] = a.side[1].limit;
    return BOSC_OK;
}
