/* Finds repeated keys in a sample of rows, so that builds of them do not begin with an attempt that repeats end. */
#include "hash/cpu/bucketed.h"

/* MIN_ROWS, SHARE: rows are worth a sample, and rows a sampled one, so that it costs little beside the build; measured
 * where keys are distinct: 1 to 3 %. BLOCK: sampled rows side by side, since equal keys may be neighbours. BLOCKS: at
 * most, spread over the rows: of 256 rows of k keys about 2^15 / k repeat another one. */
enum { MIN_ROWS = 256, SHARE = 8, BLOCK = 16, BLOCKS = 16, SLOT_BITS = 10 };

/* The sample: a hash table of rows, by linear probing. */
struct sample {
    const void *keys;
    uint32_t rows[1 << SLOT_BITS]; /* 1 + a row; 0: free */
};

/* Adds a row. Returns true if its key is there. */
BI_FN bool add_row(struct sample *s, int32_t bits, uint32_t row)
{
    const uint64_t key = bosc_hash_word_at(s->keys, row, bits).low;
    uint32_t at = (uint32_t)(key * 0x9e3779b97f4a7c15u >> (64 - SLOT_BITS));
    for (; s->rows[at]; at = (at + 1) % (1 << SLOT_BITS))
        if (bosc_hash_word_at(s->keys, s->rows[at] - 1, bits).low == key) return true;
    s->rows[at] = row + 1;
    return false;
}

BI_FN bool has_repeats(const void *keys, int64_t n, int32_t bits)
{
    struct sample s = {.keys = keys};
    const int64_t blocks = n / (SHARE * BLOCK) < BLOCKS ? n / (SHARE * BLOCK) : BLOCKS;
    for (int64_t b = 0; b < blocks; b++)
        for (int64_t row = n / blocks * b, end = row + BLOCK; row < end; row++)
            if (add_row(&s, bits, (uint32_t)row)) return true;
    return false;
}

bool bi_hash_has_repeats_cpu(const void *keys, int64_t n, int32_t key_bits)
{
    if (n < MIN_ROWS || n >= UINT32_MAX || key_bits > 64) return false;
    return key_bits == 32 ? has_repeats(keys, n, 32) : has_repeats(keys, n, 64);
}
