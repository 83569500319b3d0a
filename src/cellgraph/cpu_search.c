/* Searches on the CPU: level by level, the vertices of a level dealt to the threads. */
#include "base/atomic.h"
#include "base/fault.h"
#include "cellgraph/cpu.h"

/* A side of a search: queue[begin] to queue[end - 1] is its last level. */
struct side {
    uint32_t begin, end, depth;
};

/* *to = min(*to, value); what it was before. */
static uint64_t lower(uint64_t *to, uint64_t value)
{
    uint64_t seen = __atomic_load_n(to, __ATOMIC_RELAXED);
    while (value < seen && !__atomic_compare_exchange_n(to, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return seen;
}

/* Goes from u to its neighbours; *tail counts the vertices in the queue. */
static void visit(const struct bi_cell_search *s, int which, uint32_t u, uint32_t level, uint32_t *tail,
                  uint32_t *meeting)
{
    const uint64_t word = (uint64_t)level << BI_CELL_LEVEL_SHIFT | u;
    const uint64_t first = s->rows[u] >> BI_CELL_COUNT_BITS;
    const uint32_t count = s->rows[u] & ((1u << BI_CELL_COUNT_BITS) - 1);
    for (uint32_t e = 0; e < count; e++) {
        const uint32_t v = s->neighbours[first + e];
        if (lower(&s->reach[which][v], word) != UINT64_MAX) continue;
        s->queue[which][__atomic_fetch_add(tail, 1, __ATOMIC_RELAXED)] = v;
        if (s->sides == 2 && s->reach[1 - which][v] != UINT64_MAX) bi_lower_u32(meeting, v);
    }
}

static void expand(const bosc_ctx *ctx, const struct bi_cell_search *s, int which, struct side *side, uint32_t *meeting)
{
    enum { FEW = 1024 }; /* vertices that are not worth waking threads for */
    uint32_t tail = side->end;
    int64_t begin = side->begin, end = side->end;
#pragma omp parallel for schedule(dynamic, 64) num_threads(ctx->threads) if (end - begin > FEW)
    for (int64_t i = begin; i < end; i++) visit(s, which, s->queue[which][i], side->depth + 1, &tail, meeting);
    (void)ctx;
    *side = (struct side){side->end, tail, side->depth + (tail > side->end)};
}

bosc_status bi_cell_cpu_search(bosc_ctx *ctx, const struct bi_cell_search *s)
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
        expand(ctx, s, which, &sides[which], &meeting);
    }
    *s->result = (struct bi_cell_searched){
        .reached = {sides[0].end, sides[1].end}, .depth = {sides[0].depth, sides[1].depth}, .meeting = meeting};
    for (int side = 0; side < s->sides && meeting != UINT32_MAX; side++) bi_cell_trace(s, s->result, side);
    return BOSC_OK;
}
