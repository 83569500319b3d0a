/* What a backend does in kernels of its own, rather than by steps: vertices, and the join over segments of words. */
#ifndef BI_CELLGRAPH_TEAM_H
#define BI_CELLGRAPH_TEAM_H

#include "cellgraph/steps.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A vertex is compared with so many that agree with it outside a segment: about what looking it up with each letter of
 * a word replaced takes. */
#ifdef BI_EMULATE /* small graphs should have more */
enum { BI_CELL_MATES = 64 };
#else
enum { BI_CELL_MATES = 256 };
#endif

/* The join: words are dealt to segments of `span` neighbours. For each segment, vertices are brought together by the
 * hash of the words outside it, and compared. A segment where too many agree is left to other means: its flag is
 * raised, `any_skewed` too, and then edges found in it are to be forgotten. */
struct bi_cell_segments {
    struct bi_cell_view view;
    struct bi_cell_found found;
    int32_t span, count;
    uint32_t *skewed;     /* (count, at most BI_CELL_SEGMENTS) flags, 0 before */
    uint32_t *any_skewed; /* 0 before */
    size_t max_bytes;     /* of scratch that should not be exceeded where it can be helped; 0: as the backend likes */
};

/* A word of a search: the level, and below it the smallest vertex that led there; all bits set before. */
enum { BI_CELL_LEVEL_SHIFT = 32 };

/* A search from one vertex or, from both ends of a way, from two: then the sides take turns, a level each. */
struct bi_cell_search {
    const uint64_t *rows; /* (vertices) BI_CELL_ROWS */
    const uint32_t *neighbours;
    uint32_t source[2];
    int32_t sides;      /* 1 or 2 */
    uint64_t *reach[2]; /* (vertices) words of each side; the sources' are set */
    uint32_t *queue[2]; /* (vertices) in the order of their levels; the sources are first */
    uint32_t *path;     /* sides == 2: room for the ways from where the sides meet to the sources: (vertices + 1) */
    struct bi_cell_searched *result;
};
struct bi_cell_searched {
    uint32_t reached[2], depth[2];
    uint32_t meeting; /* the smallest vertex in which the sides met, or UINT32_MAX */
};

/* Bytes of scratch, at most. */
struct bi_cell_sizes {
    int64_t unique, join;
};

struct bi_cellgraph_ops {
    struct bi_cell_sizes (*sizes)(const bosc_ctx *ctx, const struct bi_cell_shape *shape, int64_t n, int64_t max_bytes);
    /* Brings equal rows together: the graph gets its vertices. And looks at a sample of them, unless `seen` (host) is
     * NULL. */
    bosc_status (*unique)(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cell_rows *rows,
                          struct bi_cell_seen *seen);
    bosc_status (*join)(bosc_ctx *ctx, const struct bi_cell_segments *segments);
    bosc_status (*search)(bosc_ctx *ctx, const struct bi_cell_search *search);
    /* Of less than 2^32 - 1 edges; NULL: by steps. Puts those that were found into the graph's blocks in order. */
    bosc_status (*order)(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cell_found *found, int64_t edges);
    /* Writes all rows, and where they begin: arcs->offsets, and arcs->neighbours and arcs->positions unless NULL. */
    bosc_status (*rows)(bosc_ctx *ctx, const struct bi_cell_arcs *arcs, int64_t vertices, int32_t length);
};

extern const struct bi_cellgraph_ops bi_cellgraph_ops_cpu;
#ifdef BOSC_HAVE_CUDA
extern const struct bi_cellgraph_ops bi_cellgraph_ops_cuda;
#endif

/* The way from where the sides of a search met to the source of a side is written: to that of side 0 backwards, so that
 * the path is in order. */
BI_FN void bi_cell_trace(const struct bi_cell_search *s, const struct bi_cell_searched *r, int side)
{
    uint32_t at = r->meeting, to = r->depth[0];
    if (side == 0) s->path[to] = at;
    while (at != s->source[side]) {
        at = (uint32_t)s->reach[side][at];
        to = side == 0 ? to - 1 : to + 1;
        s->path[to] = at;
    }
}

#ifdef __cplusplus
}
#endif
#endif
