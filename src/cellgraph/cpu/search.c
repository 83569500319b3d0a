/* Searches on the CPU: level by level, the vertices of a level distributed to the threads. */
#include <string.h>

#include "base/atomic.h"
#include "base/fault.h"
#include "cellgraph/cpu/cpu.h"
#include "cellgraph/steps/search.h"

/* A side of a search: queue[begin] to queue[end - 1] is its last level. */
struct side {
    uint32_t begin, end, depth;
};

enum {
    PARALLEL_FROM = BI_THREAD_ITEMS / 32, /* smaller levels are expanded by one thread; a vertex costs 30 to 60 ns */
    BLOCK = 64,      /* vertices expanded together, so that their memory accesses overlap; other sizes not measured */
    ARCS = 4 * BLOCK /* most arcs of a batch: four neighbours a vertex on average; more end the batch */
};

/* A thread's batch of arcs to v, each with the label that its source proposes. */
struct arc_batch {
    const struct bi_cellgraph_search *search;
    int which;
    bool alone;     /* single-threaded */
    uint32_t *tail; /* of the queue */
    uint32_t *junction;
    int arcs;
    uint32_t v[ARCS];
    uint64_t words[ARCS];
};

/* *to = min(*to, value); returns the old value. */
static uint64_t atomic_min(uint64_t *to, uint64_t value, bool alone)
{
    uint64_t current = __atomic_load_n(to, __ATOMIC_RELAXED);
    if (alone) {
        if (value < current) *to = value;
        return current;
    }
    while (value < current &&
           !__atomic_compare_exchange_n(to, &current, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return current;
}

/* Lowers the labels of the ends; appends newly reached vertices to the queue. */
static void update_ends(struct arc_batch *w)
{
    const struct bi_cellgraph_search *s = w->search;
    uint64_t *level_parent = s->level_parent[w->which];
    uint32_t fresh = 0, at; /* newly reached vertices are moved to the front of w->v */
    for (int k = 0; k < w->arcs; k++) {
        const uint32_t v = w->v[k];
        const bool first = atomic_min(&level_parent[v], w->words[k], w->alone) == UINT64_MAX;
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
        if (s->level_parent[1 - w->which][w->v[k]] != UINT64_MAX) bi_atomic_min_u32(w->junction, w->v[k]);
}

/* Collects the arcs of vertex u. */
static void collect_arcs(struct arc_batch *w, uint32_t u, uint64_t word)
{
    const struct bi_cellgraph_search *s = w->search;
    const uint64_t *level_parent = s->level_parent[w->which];
    const uint32_t count = s->rows[u] & ((1u << BI_CELLGRAPH_COUNT_BITS) - 1);
    if (count == 0) return; /* `neighbours` may be NULL */
    const uint32_t *to = s->neighbours + (s->rows[u] >> BI_CELLGRAPH_COUNT_BITS);
    for (uint32_t e = 0; e < count; e++) {
        __builtin_prefetch(&level_parent[to[e]], 1);
        w->v[w->arcs] = to[e];
        w->words[w->arcs++] = word;
        if (w->arcs == ARCS) update_ends(w);
    }
}

static void expand_block(struct arc_batch *w, const uint32_t *block, int64_t count, uint32_t level)
{
    const struct bi_cellgraph_search *s = w->search;
    w->arcs = 0;
    for (int64_t k = 0; k < count; k++) __builtin_prefetch(&s->rows[block[k]]);
    for (int64_t k = 0; k < count && s->neighbours; k++)
        __builtin_prefetch(&s->neighbours[s->rows[block[k]] >> BI_CELLGRAPH_COUNT_BITS]);
    for (int64_t k = 0; k < count; k++)
        collect_arcs(w, block[k], (uint64_t)level << BI_CELLGRAPH_LEVEL_SHIFT | block[k]);
    update_ends(w);
}

/* Expands a level; *tail counts the vertices in the queue. */
static void expand_level(const bosc_ctx *ctx, const struct bi_cellgraph_search *s, int which, const struct side *side,
                         uint32_t *tail, uint32_t *junction)
{
    const int64_t begin = side->begin, end = side->end;
    const bool alone = ctx->threads == 1 || end - begin <= PARALLEL_FROM;
    const uint32_t level = side->depth + 1;
#pragma omp parallel num_threads(ctx->threads) if (!alone)
    {
        struct arc_batch w;
        w.search = s;
        w.which = which;
        w.alone = alone;
        w.tail = tail;
        w.junction = junction;
#pragma omp for schedule(dynamic, 1) nowait
        for (int64_t i = begin; i < end; i += BLOCK)
            expand_block(&w, s->queue[which] + i, end - i < BLOCK ? end - i : BLOCK, level);
    }
}

static bosc_status expand(bosc_ctx *ctx, const struct bi_cellgraph_search *s, int which, struct side *side,
                          uint32_t *junction)
{
    uint32_t tail = side->end;
    expand_level(ctx, s, which, side, &tail, junction);
    const double vertices = side->end - side->begin;
    *side = (struct side){side->end, tail, side->depth + (tail > side->end)};
    return bi_progress_advance(ctx, 16 * vertices);
}

/* Searches from one or two sources until a side has no new vertex or the sides share one; writes the path and the
 * result. */
bosc_status bi_cellgraph_cpu_search(bosc_ctx *ctx, const struct bi_cellgraph_search *s)
{
    struct side sides[2] = {{0, 1, 0}, {0, 1, 0}};
    uint32_t junction = UINT32_MAX;
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "search: injected fault");
    for (int side = 0; side < s->sides; side++) {
        s->queue[side][0] = s->source[side];
        s->level_parent[side][s->source[side]] = s->source[side];
    }
    if (s->sides == 2 && s->source[0] == s->source[1]) junction = s->source[0];
    for (int which = 0; junction == UINT32_MAX; which = s->sides - 1 - which) {
        if (sides[0].begin == sides[0].end || sides[1].begin == sides[1].end) break;
        BI_TRY(expand(ctx, s, which, &sides[which], &junction));
    }
    *s->result = (struct bi_cellgraph_search_result){
        .reached = {sides[0].end, sides[1].end}, .depth = {sides[0].depth, sides[1].depth}, .junction = junction};
    for (int side = 0; side < s->sides && junction != UINT32_MAX; side++) bi_cellgraph_write_path(s, s->result, side);
    return BOSC_OK;
}
