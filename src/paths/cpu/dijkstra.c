/* Dijkstra's algorithm on the CPU, with a heap of four children a node: vertices leave it in the order of their
 * distances. Sources: Dijkstra (1959); Johnson, Priority Queues with Update and Finding Minimum Spanning Trees
 * (1975). */
#include "paths/cpu/search.h"

enum { CHILDREN = 4 };

struct heap {
    const uint64_t *distances;
    uint32_t *vertices; /* by position */
    uint32_t *position; /* by vertex; BI_PATHS_NONE: outside */
    uint32_t count;
};

/* Moves v up from a free position until its parent is no farther. */
static void sift_up(struct heap *h, uint32_t at, uint32_t v)
{
    while (at > 0) {
        const uint32_t parent = (at - 1) / CHILDREN, u = h->vertices[parent];
        if (h->distances[u] <= h->distances[v]) break;
        h->vertices[at] = u;
        h->position[u] = at;
        at = parent;
    }
    h->vertices[at] = v;
    h->position[v] = at;
}

/* Moves v down from a free position until no child is nearer. */
static void sift_down(struct heap *h, uint32_t at, uint32_t v)
{
    for (;;) {
        const uint32_t first = at * CHILDREN + 1;
        const uint32_t end = first + CHILDREN < h->count ? first + CHILDREN : h->count;
        uint32_t least = first;
        if (first >= h->count) break;
        for (uint32_t child = first + 1; child < end; child++)
            if (h->distances[h->vertices[child]] < h->distances[h->vertices[least]]) least = child;
        const uint32_t u = h->vertices[least];
        if (h->distances[u] >= h->distances[v]) break;
        h->vertices[at] = u;
        h->position[u] = at;
        at = least;
    }
    h->vertices[at] = v;
    h->position[v] = at;
}

static uint32_t pop(struct heap *h)
{
    const uint32_t v = h->vertices[0];
    h->position[v] = BI_PATHS_NONE;
    if (--h->count > 0) sift_down(h, 0, h->vertices[h->count]);
    return v;
}

bosc_status bi_paths_cpu_dijkstra(bosc_ctx *ctx, struct bi_paths_search *search)
{
    const struct bi_paths_rows *r = &search->rows;
    uint64_t *distances = search->distances;
    uint32_t *before = search->predecessors;
    struct heap h = {.distances = distances};
    search->has_tree = before != NULL;
    BI_TRY(bi_scratch_of(ctx, r->n, sizeof *h.vertices, &h.vertices));
    BI_TRY(bi_scratch_of(ctx, r->n, sizeof *h.position, &h.position));
    BI_TRY(ctx->backend->fill(ctx, h.position, 0xff, (size_t)r->n * sizeof *h.position));
    for (int64_t i = 0; i < search->count; i++) sift_up(&h, h.count++, search->list[i]);
    while (h.count > 0) {
        const uint32_t u = pop(&h);
        const int64_t end = bi_paths_row_begin(r, (int64_t)u + 1);
        for (int64_t arc = bi_paths_row_begin(r, u); arc < end; arc++) {
            const uint32_t v = r->neighbours[arc];
            const uint64_t sum = bi_paths_sum(r, distances[u], u, arc);
            if (sum >= r->bound) continue;
            if (before && sum == distances[v] && distances[u] < sum && u < before[v]) before[v] = u;
            if (sum >= distances[v]) continue;
            if (before) before[v] = distances[u] < sum ? u : BI_PATHS_NONE;
            distances[v] = sum;
            sift_up(&h, h.position[v] == BI_PATHS_NONE ? h.count++ : h.position[v], v);
        }
    }
    return bi_progress_advance(ctx, (double)r->n);
}
