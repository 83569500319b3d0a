/* State of a saved tree's load over ranks. */
#ifndef BI_RANKS_KDTREE_LOAD_H
#define BI_RANKS_KDTREE_LOAD_H

#include "ranks/kdtree/kdtree.h"
#include "kdtree/save.h"

enum { BI_RANKS_POINTS, BI_RANKS_IDS, BI_RANKS_INVERSE, BI_RANKS_COUNTS, BI_RANKS_ARRAYS };

struct bi_ranks_kdtree_loader {
    bosc_ctx *ctx;
    bosc_comm *comm;
    struct bi_loader loader; /* rank 0: the reader; other ranks: only its context */
    struct bi_kdtree_header header;
    struct bi_loaded arrays[BI_RANKS_ARRAYS]; /* this rank's share of the nodes, and of the rows */
    char *chunk;                              /* rank 0: the chunk being read */
    int64_t *at;       /* host, (ranks + 1) twice: offsets of sent bytes, and of received bytes */
    size_t host_bytes; /* of `at` and `chunk` */
};

/* True if duplicates were removed, so that the file has an inverse and counts. */
static inline bool bi_ranks_kdtree_is_deduplicated(const struct bi_ranks_kdtree_loader *r)
{
    return r->header.flags & BI_KDTREE_SAVE_DUPLICATES_REMOVED;
}

/* Returns the first of `count` nodes or rows of a rank: item i belongs to rank i x ranks / count. */
static inline int64_t bi_ranks_kdtree_chunk_begin(const struct bi_ranks_kdtree_loader *r, int64_t rank, int64_t count)
{
    const int64_t ranks = r->comm->rank_count;
    return (rank * count + ranks - 1) / ranks;
}

/* Builds the tree from the arrays. Takes scratch. */
bosc_status bi_ranks_kdtree_build_loaded(struct bi_ranks_kdtree_loader *r, bosc_ranks_kdtree *tree);

#endif
