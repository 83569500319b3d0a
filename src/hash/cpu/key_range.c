/* Decides whether a table keeps the range of its keys. Sequential keys, or ids of a part of a larger set, fill a small
 * part of all numbers, and absent keys are often beyond them. Random keys fill nearly all: a sample shows it. */
#include "hash/cpu/key_range.h"

#include "hash/steps/steps.h"

void bi_hash_find_key_range_cpu(const bosc_ctx *ctx, const void *keys, int64_t n, int32_t key_bits,
                                struct bi_hash_key_range *range)
{
    enum { SAMPLE = 64, SHARE_BITS = 2 /* ranges of more than 1/4 of all numbers are not kept; estimates */ };
    const uint64_t all = key_bits == 32 ? UINT32_MAX : UINT64_MAX;
    const int64_t count = n < SAMPLE ? n : SAMPLE;
    uint64_t least = all, greatest = 0;
    range->known = false;
    if (key_bits > 64 || n == 0) return;
    for (int64_t k = 0; k < count; k++) {
        const uint64_t key = bosc_hash_word_at(keys, k * (n / count), key_bits).low;
        least = key < least ? key : least;
        greatest = key > greatest ? key : greatest;
    }
    if (greatest - least > all >> SHARE_BITS) return;
    BI_LEVEL_PICK(ctx->level, bi_hash_find_range)(keys, n, key_bits, range);
    range->known = true;
}
