/* Statistics of the sample on the CPU. */
#include <string.h>

#include "cellgraph/cpu/cpu.h"

/* Counts pairs with equal hashes. */
static uint32_t equal_pairs(const struct bi_cellgraph_sample *sample, int32_t segment, uint32_t *largest)
{
    enum { SLOTS = 2 * BI_CELLGRAPH_CPU_SAMPLE };
    uint64_t hashes[SLOTS];
    uint16_t members[SLOTS]; /* sample vertices with the hash */
    uint32_t mask = 64, pairs = 0;
    while (mask < 2 * sample->count) mask *= 2;
    memset(members, 0, mask-- * sizeof *members);
    for (int64_t k = 0; k < sample->count; k++) {
        const uint64_t hash = bi_cellgraph_sample_hash(sample, k, segment);
        uint32_t slot = (uint32_t)(hash >> 32) & mask;
        while (members[slot] && hashes[slot] != hash) slot = (slot + 1) & mask;
        hashes[slot] = hash;
        pairs += members[slot]++;
        if (members[slot] > *largest) *largest = members[slot];
    }
    return pairs;
}

void bi_cellgraph_cpu_sample(const struct bi_cellgraph_view *view, struct bi_cellgraph_sample_stats *stats)
{
    const struct bi_cellgraph_sample sample = bi_cellgraph_sample_of(view, BI_CELLGRAPH_CPU_SAMPLE);
    for (int32_t g = 0; g < bi_cellgraph_segment_count(view->shape.words); g++)
        stats->pairs[g] = equal_pairs(&sample, g, &stats->largest[g]);
    for (int64_t k = 0; k < sample.count; k++) stats->leading += bi_cellgraph_common_prefix(&sample, k);
}
