/* Shared by the CPU's searches. */
#ifndef BI_PATHS_CPU_SEARCH_H
#define BI_PATHS_CPU_SEARCH_H

#include "core/cpu/threads.h"
#include "paths/paths.h"

enum { BI_PATHS_HEAP_VERTICES = 1 << 10 }; /* graphs of up to this many vertices are searched by Dijkstra's algorithm */

/* All searches write predecessors if they are not NULL, except those of several threads. */

/* Dijkstra's algorithm with a heap of the vertices reached. Allocates scratch. */
bosc_status bi_paths_cpu_dijkstra(bosc_ctx *ctx, struct bi_paths_search *search);

/* Breadth-first search, level by level, from vertices at distance 0. Allocates scratch. */
bosc_status bi_paths_cpu_breadth_first(bosc_ctx *ctx, struct bi_paths_search *search);

enum {
    BI_PATHS_SHARED_ARCS = 4, /* arcs a vertex: graphs with fewer get one thread of two or three. Two lose with 2.4 and
                               * gain with 12 (docs/design/paths.md); means between them are not measured */
    BI_PATHS_MANY_THREADS = 4 /* threads that share all graphs; not measured */
};

/* Threads of a search. Fewer thread items, as tests set them, mean threads for every graph. */
BI_FN int bi_paths_cpu_threads(const bosc_ctx *ctx, const struct bi_paths_rows *r)
{
    const int threads = bi_thread_count(ctx, r->n, ctx->thread_items);
    const bool is_sparse = r->arcs / BI_PATHS_SHARED_ARCS < r->n;
    return is_sparse && threads < BI_PATHS_MANY_THREADS && ctx->thread_items >= BI_THREAD_ITEMS ? 1 : threads;
}

/* Requests the bounds of u's row from memory. */
BI_FN void bi_paths_prefetch_bounds(const struct bi_paths_rows *r, uint32_t u)
{
    __builtin_prefetch((const char *)r->offsets + ((size_t)u << (r->offsets_64bit ? 3 : 2)));
}

/* Requests the first arcs of u from memory. */
BI_FN void bi_paths_prefetch_arcs(const struct bi_paths_rows *r, uint32_t u)
{
    const size_t begin = (size_t)bi_paths_row_begin(r, u);
    __builtin_prefetch(r->neighbours + begin);
    if (!r->unweighted) __builtin_prefetch((const char *)r->keys + (begin << (r->keys_64bit ? 3 : 2)));
}

#endif
