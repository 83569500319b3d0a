/* Adds rows to a list of distinct keys, through a hash table. The hashes of a block are computed first, as vectors. The
 * first row of a key stays: rows are visited from the last one back where the last pair of a key is to stay. */
#include "hash/cpu/reduce_in_order.h"

#include "hash/key.h"

enum {
    LINE = 64,       /* bytes */
    BLOCKS_AHEAD = 2 /* distance at which blocks are prefetched; measured: 2^17 rows take 5.5 ns each, without 7.4 */
};

struct slot {
    uint64_t key;
    uint32_t number;
};
BI_FN struct slot read_slot(const struct bi_hash_rows_in_order *j, int32_t bits, uint32_t at)
{
    if (bits == 32) return (struct slot){j->slots[at] >> 32, (uint32_t)j->slots[at]};
    return (struct slot){j->slots[2 * (size_t)at], (uint32_t)j->slots[2 * (size_t)at + 1]};
}
BI_FN void write_slot(const struct bi_hash_rows_in_order *j, int32_t bits, uint32_t at, struct slot x)
{
    if (bits == 32) {
        j->slots[at] = x.key << 32 | x.number;
    } else {
        j->slots[2 * (size_t)at] = x.key;
        j->slots[2 * (size_t)at + 1] = x.number;
    }
}

/* Writes the payload of row i to the list. */
BI_FN void write_payload(const struct bi_hash_rows_in_order *j, int32_t payload_bytes, uint32_t to, int64_t i)
{
    if (payload_bytes == 4)
        ((uint32_t *)j->list_payload)[to] = j->values ? ((const uint32_t *)j->values)[i] : (uint32_t)i;
    else if (payload_bytes == 8)
        ((uint64_t *)j->list_payload)[to] = ((const uint64_t *)j->values)[i];
}

/* True if a slot does not have a key. A slot with a key of 32 bits is key * 2^32 + number: less the key of the row and
 * 1, it is below 2^32 - 1 only if the keys are equal and the number is not 0. */
BI_FN bool is_other(const struct bi_hash_rows_in_order *j, int32_t bits, uint32_t at, uint64_t key)
{
    if (bits == 32) return j->slots[at] + ~(key << 32) >= UINT32_MAX;
    return (j->slots[2 * (size_t)at] != key) | (j->slots[2 * (size_t)at + 1] == 0);
}

/* Lists the rows of a block whose home does not have their key yet; returns how many they are. No branch depends on a
 * slot and none is written, so that the processor searches for many rows at a time. */
BI_FN int list_unknown_rows(const struct bi_hash_rows_in_order *j, int32_t bits, int64_t begin, int rows,
                            const uint32_t *home, uint8_t *unknown)
{
    int count = 0;
    for (int i = 0; i < rows; i++) {
        unknown[count] = (uint8_t)i;
        count += is_other(j, bits, home[i], bosc_hash_word_at(j->keys, begin + i, bits).low);
    }
    return count;
}

/* Adds up to BI_HASH_ROW_BLOCK rows to a list of `count` keys; where the last pair of a key stays, the last row first.
 * Returns its new number of keys; -1 if a key is too far from its slot. */
BI_FN int64_t add_block(const struct bi_hash_rows_in_order *j, int32_t bits, int32_t payload_bytes, int64_t begin,
                        int64_t end, int64_t count)
{
    uint32_t home[BI_HASH_ROW_BLOCK];
    uint8_t unknown[BI_HASH_ROW_BLOCK];
    /* 1. Compute the slots, and prefetch them. */
    for (int64_t i = begin; i < end; i++) {
        const bosc_hash_word key = bosc_hash_word_at(j->keys, i, bits);
        home[i - begin] = (uint32_t)(bosc_hash_of(key, bits, j->seed).low >> (bits - j->slot_bits));
    }
    for (int64_t i = 0; j->prefetches && i < end - begin; i++)
        __builtin_prefetch(j->slots + home[i] * (size_t)(bits / 32), 1);
    /* 2. Leave out the rows whose home has their key. */
    const int rows = list_unknown_rows(j, bits, begin, (int)(end - begin), home, unknown);
    /* 3. Find the other keys, or the empty slots where their searches end. */
    for (int k = 0; k < rows; k++) {
        const int row = unknown[j->last ? rows - 1 - k : k];
        const uint64_t key = bosc_hash_word_at(j->keys, begin + row, bits).low;
        uint32_t at = home[row];
        struct slot seen;
        while ((seen = read_slot(j, bits, at)).number != 0 && seen.key != key) at++;
        if (seen.number != 0) continue;
        if (at - home[row] >= BI_HASH_ROW_PROBES) return -1;
        bi_hash_store(j->list_keys, bits, count, (bosc_hash_word){key, 0});
        write_payload(j, payload_bytes, (uint32_t)count, begin + row);
        write_slot(j, bits, at, (struct slot){key, (uint32_t)++count});
    }
    return count;
}

/* Prefetches an array's items of the block that begins at a row: processors may not do so where blocks descend. */
BI_FN void prefetch_block(const void *array, size_t size, int64_t begin)
{
    const char *at = (const char *)array + (size_t)begin * size;
    for (size_t i = 0; i < BI_HASH_ROW_BLOCK * size; i += LINE) __builtin_prefetch(at + i);
}

/* Adds rows block by block, while the list has room; where the last pair of a key stays, the last block first. Returns
 * the number of keys, or -1. */
BI_FN int64_t add_rows_typed(const struct bi_hash_rows_in_order *j, int32_t bits, int32_t payload_bytes, int64_t begin,
                             int64_t end, int64_t count)
{
    while (begin < end && count >= 0) {
        const int64_t rows = end - begin < BI_HASH_ROW_BLOCK ? end - begin : BI_HASH_ROW_BLOCK,
                      from = j->last ? end - rows : begin, ahead = from - BLOCKS_AHEAD * BI_HASH_ROW_BLOCK;
        if (j->last && ahead >= 0) {
            prefetch_block(j->keys, (size_t)bits / 8, ahead);
            if (j->values) prefetch_block(j->values, (size_t)payload_bytes, ahead);
        }
        count = count + rows > j->room ? -1 : add_block(j, bits, payload_bytes, from, from + rows, count);
        begin += j->last ? 0 : rows;
        end -= j->last ? rows : 0;
    }
    return count;
}

int64_t BI_LEVEL_NAME(bi_hash_add_rows)(const struct bi_hash_rows_in_order *j, int64_t begin, int64_t end,
                                        int64_t count)
{
    if (j->key_bits == 32 && j->payload_bytes == 0) return add_rows_typed(j, 32, 0, begin, end, count);
    if (j->key_bits == 32 && j->payload_bytes == 4) return add_rows_typed(j, 32, 4, begin, end, count);
    if (j->key_bits == 32) return add_rows_typed(j, 32, 8, begin, end, count);
    if (j->payload_bytes == 0) return add_rows_typed(j, 64, 0, begin, end, count);
    if (j->payload_bytes == 4) return add_rows_typed(j, 64, 4, begin, end, count);
    return add_rows_typed(j, 64, 8, begin, end, count);
}
