/* A look at the sample on the CPU. */
#include <string.h>

#include "base/fault.h"
#include "cellgraph/cpu.h"

/* Pairs whose hashes are equal. */
static uint32_t equal_pairs(const struct bi_cell_sample *sample, int32_t segment, uint32_t *largest)
{
    enum { SLOTS = 2 * BI_CELL_SAMPLES };
    uint64_t hashes[SLOTS];
    uint16_t members[SLOTS]; /* how many have the hash */
    uint32_t mask = 64, pairs = 0;
    while (mask < 2 * sample->count) mask *= 2;
    memset(members, 0, mask-- * sizeof *members);
    for (int64_t k = 0; k < sample->count; k++) {
        const uint64_t hash = bi_cell_sample_hash(sample, k, segment);
        uint32_t slot = (uint32_t)(hash >> 32) & mask;
        while (members[slot] && hashes[slot] != hash) slot = (slot + 1) & mask;
        hashes[slot] = hash;
        pairs += members[slot]++;
        if (members[slot] > *largest) *largest = members[slot];
    }
    return pairs;
}

bosc_status bi_cell_cpu_look(bosc_ctx *ctx, const struct bi_cell_sample *sample)
{
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "look: injected fault");
    *sample->seen = (struct bi_cell_seen){.leading = 0};
    for (int32_t g = 0; g < sample->segments; g++)
        sample->seen->pairs[g] = equal_pairs(sample, g, &sample->seen->largest[g]);
    for (int64_t k = 0; k < sample->count; k++) sample->seen->leading += bi_cell_leading(sample, k);
    return BOSC_OK;
}
