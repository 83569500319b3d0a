/* Adds rows to a list of distinct keys, through a hash table. The hashes of a block are computed first, as vectors. */
#include "hash/cpu/reduce_in_order.h"

#include "hash/key.h"

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

/* Adds up to BI_HASH_ROW_BLOCK rows to a list of `count` keys. Returns its new number of keys; -1 if a key is too far
 * from its slot. */
BI_FN int64_t add_block(const struct bi_hash_rows_in_order *j, int32_t bits, int32_t payload_bytes, int64_t begin,
                        int64_t end, int64_t count)
{
    uint32_t home[BI_HASH_ROW_BLOCK];
    /* 1. Compute the slots, and prefetch them. */
    for (int64_t i = begin; i < end; i++) {
        const bosc_hash_word key = bosc_hash_word_at(j->keys, i, bits);
        home[i - begin] = (uint32_t)(bosc_hash_of(key, bits, j->seed).low >> (bits - j->slot_bits));
    }
    for (int64_t i = 0; j->prefetches && i < end - begin; i++)
        __builtin_prefetch(j->slots + home[i] * (size_t)(bits / 32), 1);
    /* 2. Find each key, or the empty slot where its search ends. */
    for (int64_t i = begin; i < end; i++) {
        const uint64_t key = bosc_hash_word_at(j->keys, i, bits).low;
        uint32_t at = home[i - begin];
        struct slot seen;
        while ((seen = read_slot(j, bits, at)).number != 0 && seen.key != key) at++;
        if (seen.number == 0) {
            if (at - home[i - begin] >= BI_HASH_ROW_PROBES) return -1;
            bi_hash_store(j->list_keys, bits, count, (bosc_hash_word){key, 0});
            write_payload(j, payload_bytes, (uint32_t)count, i);
            write_slot(j, bits, at, (struct slot){key, (uint32_t)++count});
        } else if (j->last) {
            write_payload(j, payload_bytes, seen.number - 1, i);
        }
    }
    return count;
}

/* Adds rows block by block, while the list has room. Returns the number of keys, or -1. */
BI_FN int64_t add_rows_typed(const struct bi_hash_rows_in_order *j, int32_t bits, int32_t payload_bytes, int64_t begin,
                             int64_t end, int64_t count)
{
    for (; begin < end && count >= 0; begin += BI_HASH_ROW_BLOCK) {
        const int64_t rows = end - begin < BI_HASH_ROW_BLOCK ? end - begin : BI_HASH_ROW_BLOCK;
        count = count + rows > j->room ? -1 : add_block(j, bits, payload_bytes, begin, begin + rows, count);
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
