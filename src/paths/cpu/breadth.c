/* Breadth-first searches on the CPU, level by level. A vertex is written behind the list whether it is new or not, and
 * counted if it is: most branches on it would be mispredicted. */
#include <string.h>

#include "core/cpu/threads.h"
#include "paths/cpu/search.h"

enum {
    BOUNDS_AHEAD = 32,      /* vertices of the list between a visit and the prefetch of a row's bounds */
    ARCS_AHEAD = 16,        /* the same for its arcs, once its bounds are there */
    SHARED_LEVEL = 1 << 13, /* vertices of a level for which another thread pays */
    CHUNK = 64              /* vertices that a thread fetches from a level, or appends to the next, at once */
};

/* A list of vertices in the order of their levels, with a slot behind the last; its next level grows at `end`. */
struct levels {
    const struct bi_paths_rows *rows;
    uint64_t *distances;
    uint32_t *predecessors; /* NULL: none are written */
    uint32_t *vertices;     /* n + 1 */
    int64_t end, taken;
};

/* Requests rows of vertices ahead of `at` in the list. */
BI_FN void prefetch_rows(const struct bi_paths_rows *r, const uint32_t *vertices, int64_t at, int64_t end)
{
    if (at + BOUNDS_AHEAD < end) bi_paths_prefetch_bounds(r, vertices[at + BOUNDS_AHEAD]);
    if (at + ARCS_AHEAD < end) bi_paths_prefetch_arcs(r, vertices[at + ARCS_AHEAD]);
}

/* Visits the neighbours of vertices begin to end - 1 of the list; those not reached get the distance `level`. With a
 * tree the smallest vertex of the level before becomes the predecessor. */
BI_FN void visit(struct levels *l, int64_t begin, int64_t end, uint64_t level, bool offsets_64bit, bool tree)
{
    struct bi_paths_rows r = *l->rows;
    uint64_t *const distances = l->distances;
    uint32_t *const predecessors = l->predecessors;
    uint32_t *const vertices = l->vertices, *next = vertices + l->end;
    r.offsets_64bit = offsets_64bit;
    r.unweighted = true;
    for (; begin < end; begin++) {
        prefetch_rows(&r, vertices, begin, end);
        const int64_t row_end = bi_paths_row_begin(&r, (int64_t)vertices[begin] + 1);
        for (int64_t arc = bi_paths_row_begin(&r, vertices[begin]); arc < row_end; arc++) {
            const uint32_t v = r.neighbours[arc];
            const uint64_t at = distances[v];
            *next = v;
            next += at == UINT64_MAX;
            distances[v] = at < level ? at : level;
            if (!tree) continue;
            const uint32_t u = vertices[begin], before = predecessors[v];
            predecessors[v] = ((at >= level) & (u < before)) ? u : before;
        }
    }
    l->end = next - vertices;
}

static void visit_alone(struct levels *l, int64_t begin, int64_t end, uint64_t level)
{
    if (l->rows->offsets_64bit)
        l->predecessors ? visit(l, begin, end, level, true, true) : visit(l, begin, end, level, true, false);
    else
        l->predecessors ? visit(l, begin, end, level, false, true) : visit(l, begin, end, level, false, false);
}

/* The same by several threads: each fetches chunks of the level, and appends chunks to the next. */
static void visit_shared(struct levels *l, int64_t level_begin, int64_t level_end, uint64_t level)
{
    const struct bi_paths_rows *r = l->rows;
    uint32_t found[CHUNK];
    int64_t count = 0, begin;
    do {
        begin = level_begin + __atomic_fetch_add(&l->taken, (int64_t)CHUNK, __ATOMIC_RELAXED);
        const int64_t end = begin + CHUNK < level_end ? begin + CHUNK : level_end;
        for (; begin < end; begin++) {
            prefetch_rows(r, l->vertices, begin, level_end);
            const int64_t row_end = bi_paths_row_begin(r, (int64_t)l->vertices[begin] + 1);
            for (int64_t arc = bi_paths_row_begin(r, l->vertices[begin]); arc < row_end; arc++) {
                const uint32_t v = r->neighbours[arc];
                if (bi_atomic_load_u64(&l->distances[v]) != UINT64_MAX) continue;
                if (bi_atomic_fetch_min_u64(&l->distances[v], level) != UINT64_MAX) continue;
                found[count++] = v;
                if (count < CHUNK) continue;
                memcpy(l->vertices + __atomic_fetch_add(&l->end, count, __ATOMIC_RELAXED), found, sizeof found);
                count = 0;
            }
        }
    } while (begin < level_end);
    if (count == 0) return;
    memcpy(l->vertices + __atomic_fetch_add(&l->end, count, __ATOMIC_RELAXED), found, (size_t)count * sizeof *found);
}

bosc_status bi_paths_cpu_breadth_first(bosc_ctx *ctx, struct bi_paths_search *search)
{
    const struct bi_paths_rows *r = &search->rows;
    struct levels l = {
        .rows = r, .distances = search->distances, .predecessors = search->predecessors, .end = search->count};
    search->has_tree = search->predecessors != NULL;
    const int64_t grain = ctx->thread_items < SHARED_LEVEL ? ctx->thread_items : SHARED_LEVEL;
    const bool is_shared = bi_paths_cpu_threads(ctx, r) > 1;
    int64_t begin = 0;
    /* 1. The list: first the sources. */
    BI_TRY(bi_scratch_of(ctx, r->n + 1, sizeof *l.vertices, &l.vertices));
    memcpy(l.vertices, search->list, (size_t)search->count * sizeof *l.vertices);
    /* 2. One level after the other. */
    for (uint64_t level = 1; begin < l.end && level < r->bound; level++) {
        const int64_t end = l.end;
        const int threads = is_shared ? bi_thread_count(ctx, end - begin, grain) : 1;
        l.taken = 0;
        if (threads > 1) {
            BI_PARALLEL_FOR(threads, (static, 1), t, 0, threads, visit_shared(&l, begin, end, level));
            search->has_tree = false;
        } else
            visit_alone(&l, begin, end, level);
        BI_TRY(bi_progress_advance(ctx, (double)(end - begin)));
        begin = end;
    }
    return BOSC_OK;
}

/* Visits a level as `visit` does, in the order of one queue: the vertex that reaches another first is its
 * predecessor. */
BI_FN void visit_in_order(struct bi_paths_order *o, int64_t begin, int64_t end, bool offsets_64bit)
{
    struct bi_paths_rows r = o->rows;
    uint32_t *const predecessors = o->predecessors, *next = o->vertices + o->count;
    r.offsets_64bit = offsets_64bit;
    r.unweighted = true;
    for (; begin < end; begin++) {
        const uint32_t u = o->vertices[begin];
        prefetch_rows(&r, o->vertices, begin, end);
        const int64_t row_end = bi_paths_row_begin(&r, (int64_t)u + 1);
        for (int64_t arc = bi_paths_row_begin(&r, u); arc < row_end; arc++) {
            const uint32_t v = r.neighbours[arc], before = predecessors[v];
            const bool is_new = before == BI_PATHS_NONE;
            *next = v;
            next += is_new;
            predecessors[v] = before ^ ((before ^ u) & -(uint32_t)is_new);
        }
    }
    o->count = next - o->vertices;
}

bosc_status bi_paths_cpu_order(bosc_ctx *ctx, struct bi_paths_order *order)
{
    int64_t begin = 0;
    for (uint64_t level = 1; begin < order->count && level < order->rows.bound; level++) {
        const int64_t end = order->count;
        order->rows.offsets_64bit ? visit_in_order(order, begin, end, true) : visit_in_order(order, begin, end, false);
        BI_TRY(bi_progress_advance(ctx, (double)(end - begin)));
        begin = end;
    }
    return BOSC_OK;
}
