/* Where the in-order array is cut. */
#include "base/bits.h"
#include "ranks/kdtree/kdtree.h"

enum { LEVELS_BELOW = 3 }; /* so that the shards of a number of ranks that is no power of two differ little */

struct bi_ranks_cuts bi_ranks_kdtree_cuts(int64_t nodes, int32_t rank_count)
{
    const int level = bi_bit_length((uint64_t)rank_count - 1);
    const bool power = (rank_count & (rank_count - 1)) == 0;
    return (struct bi_ranks_cuts){nodes, rank_count, power ? level : level + LEVELS_BELOW};
}

int64_t bi_ranks_kdtree_first_subtree(const struct bi_ranks_cuts *cuts, int64_t rank)
{
    const int64_t ranks = cuts->rank_count;
    return ((2 * rank << cuts->level) + ranks) / (2 * ranks); /* to the nearest */
}

struct bi_kdtree_range bi_ranks_kdtree_subtree(int64_t nodes, int level, int64_t i)
{
    struct bi_kdtree_range r = {0, nodes};
    for (int bit = level - 1; bit >= 0; bit--) {
        const int64_t mid = bi_kdtree_mid(r);
        if (!(i >> bit & 1))
            r.end = mid;
        else
            r.begin = mid < r.end ? mid + 1 : mid;
    }
    return r;
}

struct bi_kdtree_range bi_ranks_kdtree_piece(const struct bi_ranks_cuts *cuts, int64_t piece)
{
    const int64_t j = piece / 2;
    struct bi_kdtree_range subtree = bi_ranks_kdtree_subtree(cuts->nodes, cuts->level, j);
    if (piece % 2 == 0) return subtree;
    const bool last = j + 1 == (int64_t)1 << cuts->level;
    const int64_t next = last ? cuts->nodes : bi_ranks_kdtree_subtree(cuts->nodes, cuts->level, j + 1).begin;
    return (struct bi_kdtree_range){subtree.end, next};
}

struct bi_kdtree_range bi_ranks_kdtree_shard(const struct bi_ranks_cuts *cuts, int64_t rank)
{
    const int64_t first = bi_ranks_kdtree_first_subtree(cuts, rank),
                  next = bi_ranks_kdtree_first_subtree(cuts, rank + 1);
    return (struct bi_kdtree_range){bi_ranks_kdtree_piece(cuts, 2 * first).begin,
                                    bi_ranks_kdtree_piece(cuts, 2 * next - 1).end};
}
