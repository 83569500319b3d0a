/* Finds copies of points, and builds a tree without them. A search for k points near each of m copies looks at all m,
 * as ids decide between equal distances: m^2 distances in all. */
#ifndef BI_KDTREE_COPIES_H
#define BI_KDTREE_COPIES_H

#include <stdbool.h>

#include <boscage/kdtree.h>

#ifdef __cplusplus
extern "C" {
#endif

/* *many: copies would cost searches around all points more time than the points themselves. A heuristic: it reads one
 * node of 16. Waits. */
bosc_status bi_kdtree_has_many_copies(bosc_ctx *ctx, const bosc_kdtree *tree, bool *many);

/* The rows of a tree, in scratch. A copy equals an earlier row in all coordinates (-0 equals 0) and is at distance 0 of
 * it. The others are kept. */
struct bi_kdtree_copies {
    uint32_t *first;            /* (nodes) of a copy: the smallest row at distance 0, which is kept */
    uint8_t *is_copy, *is_kept; /* (nodes) */
    uint32_t *kept_rows;        /* (kept) ascending */
    void *kept_points;          /* (kept x dim) */
    int64_t kept;
};

/* Finds the copies among the rows of a non-empty tree with 32-bit ids, whose duplicates are kept. Cost: a search around
 * each point. Waits. */
bosc_status bi_kdtree_find_copies(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_copies *copies);

/* bi_kdtree_find_copies in two calls, for a caller that changes is_kept between them. The former sets first, is_copy
 * and is_kept; the latter kept_rows, kept_points and kept. */
bosc_status bi_kdtree_mark_copies(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_copies *copies);
bosc_status bi_kdtree_list_kept(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_copies *copies);

/* Makes a tree of the kept rows; its ids are positions in kept_rows. The caller frees it. */
bosc_status bi_kdtree_build_kept(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_copies *copies,
                                 bosc_kdtree **kept);

#ifdef __cplusplus
}
#endif
#endif
