/* What the reading of saved trees over ranks is made of. */
#ifndef BI_RANKS_KDTREE_LOAD_H
#define BI_RANKS_KDTREE_LOAD_H

#include "ranks/kdtree/kdtree.h"
#include "kdtree/save.h"

enum { BI_RANKS_POINTS, BI_RANKS_IDS, BI_RANKS_INVERSE, BI_RANKS_COUNTS, BI_RANKS_ARRAYS };

struct bi_ranks_kdtree_reading {
    bosc_ctx *ctx;
    bosc_comm *comm;
    struct bi_loader loader; /* of rank 0; of the others its context alone */
    struct bi_kdtree_header header;
    struct bi_loaded arrays[BI_RANKS_ARRAYS]; /* this rank's share of the nodes, and of the rows */
    char *slice;                              /* of rank 0 */
    int64_t *at;       /* host, (ranks + 1) twice: offsets of what rank 0 sends, and of what comes */
    size_t host_bytes; /* of both */
};

static inline bool bi_ranks_kdtree_lacks_rows(const struct bi_ranks_kdtree_reading *r)
{
    return r->header.flags & BI_KDTREE_SAVE_DUPLICATES_REMOVED;
}

/* The first of `count` nodes, or rows, of a rank: those of rank r are i x ranks / count == r. */
static inline int64_t bi_ranks_kdtree_share(const struct bi_ranks_kdtree_reading *r, int64_t rank, int64_t count)
{
    const int64_t ranks = r->comm->rank_count;
    return (rank * count + ranks - 1) / ranks;
}

/* Makes the tree of the arrays. Takes scratch. */
bosc_status bi_ranks_kdtree_build_read(struct bi_ranks_kdtree_reading *r, bosc_ranks_kdtree *tree);

#endif
