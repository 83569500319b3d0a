/* The partition of the in-order array among ranks. */
#include "base/bits.h"
#include "ranks/kdtree/kdtree.h"

enum { EXTRA_LEVELS = 3 }; /* chosen: shards then differ by about an eighth if the number of ranks is no power of two */

struct bi_ranks_kdtree_partition bi_ranks_kdtree_make_partition(int64_t nodes, int32_t rank_count)
{
    const int level = bi_bit_length((uint64_t)rank_count - 1);
    const bool is_power_of_two = (rank_count & (rank_count - 1)) == 0;
    return (struct bi_ranks_kdtree_partition){nodes, rank_count, is_power_of_two ? level : level + EXTRA_LEVELS};
}

int64_t bi_ranks_kdtree_first_subtree(const struct bi_ranks_kdtree_partition *partition, int64_t rank)
{
    const int64_t ranks = partition->rank_count;
    return ((2 * rank << partition->level) + ranks) / (2 * ranks); /* rounded to nearest */
}

struct bi_kdtree_range bi_ranks_kdtree_subtree_range(int64_t nodes, int level, int64_t i)
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

struct bi_kdtree_range bi_ranks_kdtree_part_range(const struct bi_ranks_kdtree_partition *partition, int64_t part)
{
    const int64_t j = part / 2;
    struct bi_kdtree_range subtree = bi_ranks_kdtree_subtree_range(partition->nodes, partition->level, j);
    if (part % 2 == 0) return subtree;
    const bool last = j + 1 == (int64_t)1 << partition->level;
    const int64_t next =
        last ? partition->nodes : bi_ranks_kdtree_subtree_range(partition->nodes, partition->level, j + 1).begin;
    return (struct bi_kdtree_range){subtree.end, next};
}

struct bi_kdtree_range bi_ranks_kdtree_shard_range(const struct bi_ranks_kdtree_partition *partition, int64_t rank)
{
    const int64_t first = bi_ranks_kdtree_first_subtree(partition, rank),
                  next = bi_ranks_kdtree_first_subtree(partition, rank + 1);
    return (struct bi_kdtree_range){bi_ranks_kdtree_part_range(partition, 2 * first).begin,
                                    bi_ranks_kdtree_part_range(partition, 2 * next - 1).end};
}
