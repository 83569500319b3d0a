/* Searches on the CPU: level by level, the vertices of a level distributed to the threads. */
#include <string.h>

#include "base/atomic.h"
#include "base/fault.h"
#include "cellgraph/cpu/cpu.h"
#include "cellgraph/steps/trace.h"

/* A side of a search: queue[begin] to queue[end - 1] is its last level. */
struct side {
    uint32_t begin, end, depth;
};

enum {
    FEW = 1024, /* vertices that are not worth waking threads for */
    BLOCK = 64, /* vertices of a level that are looked at together, so that what they ask for arrives meanwhile */
    ARCS = 256  /* the most arcs at once */
};

/* What a thread is about: arcs to v, each with the word of the vertex that it comes from. */
struct wave {
    const struct bi_cellgraph_search *search;
    int which;
    bool alone;     /* no other thread is there */
    uint32_t *tail; /* of the queue */
    uint32_t *meeting;
    int arcs;
    uint32_t v[ARCS];
    uint64_t words[ARCS];
};

/* *to = min(*to, value); what it was before. */
static uint64_t lower(uint64_t *to, uint64_t value, bool alone)
{
    uint64_t stats = __atomic_load_n(to, __ATOMIC_RELAXED);
    if (alone) {
        if (value < stats) *to = value;
        return stats;
    }
    while (value < stats && !__atomic_compare_exchange_n(to, &stats, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return stats;
}

/* The ends of the arcs get their words; those that were not reached before are put into the queue. */
static void arrive(struct wave *w)
{
    const struct bi_cellgraph_search *s = w->search;
    uint64_t *reach = s->reach[w->which];
    uint32_t fresh = 0, at;
    for (int k = 0; k < w->arcs; k++) {
        const uint32_t v = w->v[k];
        const bool first = lower(&reach[v], w->words[k], w->alone) == UINT64_MAX;
        w->v[fresh] = v;
        fresh += first;
    }
    w->arcs = 0;
    if (fresh == 0) return;
    if (w->alone) {
        at = *w->tail;
        *w->tail += fresh;
    } else {
        at = __atomic_fetch_add(w->tail, fresh, __ATOMIC_RELAXED);
    }
    memcpy(s->queue[w->which] + at, w->v, fresh * sizeof *w->v);
    for (uint32_t k = 0; k < fresh && s->sides == 2; k++)
        if (s->reach[1 - w->which][w->v[k]] != UINT64_MAX) bi_atomic_min_u32(w->meeting, w->v[k]);
}

/* Goes from vertex u to its neighbours. */
static void leave(struct wave *w, uint32_t u, uint64_t word)
{
    const struct bi_cellgraph_search *s = w->search;
    const uint64_t *reach = s->reach[w->which];
    const uint32_t count = s->rows[u] & ((1u << BI_CELLGRAPH_COUNT_BITS) - 1);
    if (count == 0) return; /* nor is there a list where there are no edges */
    const uint32_t *to = s->neighbours + (s->rows[u] >> BI_CELLGRAPH_COUNT_BITS);
    for (uint32_t e = 0; e < count; e++) {
        __builtin_prefetch(&reach[to[e]], 1);
        w->v[w->arcs] = to[e];
        w->words[w->arcs++] = word;
        if (w->arcs == ARCS) arrive(w);
    }
}

static void expand_block(struct wave *w, const uint32_t *block, int64_t count, uint32_t level)
{
    const struct bi_cellgraph_search *s = w->search;
    w->arcs = 0;
    for (int64_t k = 0; k < count; k++) __builtin_prefetch(&s->rows[block[k]]);
    for (int64_t k = 0; k < count && s->neighbours; k++)
        __builtin_prefetch(&s->neighbours[s->rows[block[k]] >> BI_CELLGRAPH_COUNT_BITS]);
    for (int64_t k = 0; k < count; k++) leave(w, block[k], (uint64_t)level << BI_CELLGRAPH_LEVEL_SHIFT | block[k]);
    arrive(w);
}

/* *tail counts the vertices in the queue. */
static void expand_level(const bosc_ctx *ctx, const struct bi_cellgraph_search *s, int which, const struct side *side,
                         uint32_t *tail, uint32_t *meeting)
{
    const int64_t begin = side->begin, end = side->end;
    const bool alone = ctx->threads == 1 || end - begin <= FEW;
    const uint32_t level = side->depth + 1;
#pragma omp parallel num_threads(ctx->threads) if (!alone)
    {
        struct wave w;
        w.search = s;
        w.which = which;
        w.alone = alone;
        w.tail = tail;
        w.meeting = meeting;
#pragma omp for schedule(dynamic, 1)
        for (int64_t i = begin; i < end; i += BLOCK)
            expand_block(&w, s->queue[which] + i, end - i < BLOCK ? end - i : BLOCK, level);
    }
}

static bosc_status expand(bosc_ctx *ctx, const struct bi_cellgraph_search *s, int which, struct side *side,
                          uint32_t *meeting)
{
    uint32_t tail = side->end;
    expand_level(ctx, s, which, side, &tail, meeting);
    const double vertices = side->end - side->begin;
    *side = (struct side){side->end, tail, side->depth + (tail > side->end)};
    return bi_progress_advance(ctx, 16 * vertices);
}

bosc_status bi_cellgraph_cpu_search(bosc_ctx *ctx, const struct bi_cellgraph_search *s)
{
    struct side sides[2] = {{0, 1, 0}, {0, 1, 0}};
    uint32_t meeting = UINT32_MAX;
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "search: injected fault");
    for (int side = 0; side < s->sides; side++) {
        s->queue[side][0] = s->source[side];
        s->reach[side][s->source[side]] = s->source[side];
    }
    if (s->sides == 2 && s->source[0] == s->source[1]) meeting = s->source[0];
    for (int which = 0; meeting == UINT32_MAX; which = s->sides - 1 - which) {
        if (sides[0].begin == sides[0].end || sides[1].begin == sides[1].end) break;
        BI_TRY(expand(ctx, s, which, &sides[which], &meeting));
    }
    *s->result = (struct bi_cellgraph_searched){
        .reached = {sides[0].end, sides[1].end}, .depth = {sides[0].depth, sides[1].depth}, .meeting = meeting};
    for (int side = 0; side < s->sides && meeting != UINT32_MAX; side++) bi_cellgraph_trace(s, s->result, side);
    return BOSC_OK;
}
