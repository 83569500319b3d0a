/* Pairs reduced to one a key through one hash table, row by row (reduce_in_order.c). */
#ifndef BI_HASH_CPU_REDUCE_IN_ORDER_H
#define BI_HASH_CPU_REDUCE_IN_ORDER_H

#include "core/cpu/level.h"
#include "hash/hash.h"

enum {
    BI_HASH_ROW_BLOCK = 64,  /* rows whose slots are computed, and prefetched, before they are read; not measured */
    BI_HASH_ROW_PROBES = 256 /* slots from a key's own, above which keys collide by design, as in reduce_repeats.c */
};

/* A slot has a key and 1 + its number in the list; 0: the slot is empty. Keys of 32 bits share a word with it. */
struct bi_hash_rows_in_order {
    const void *keys, *values; /* values: NULL where the payload is row numbers */
    int32_t key_bits, payload_bytes;
    bool last; /* the last pair of a key stays, else the first */
    uint64_t seed;
    int slot_bits;
    bool prefetches;
    uint64_t *slots; /* (2^slot_bits + BI_HASH_ROW_PROBES + 1) of one word, or of two with keys of 64 bits */
    int64_t room;    /* of the list */
    void *list_keys, *list_payload;
};

/* Adds rows begin to end - 1 to a list of `count` keys. Where the last pair of a key stays, rows behind them have been
 * added before. Returns its new number of keys; -1 if the list has too little room, or a key is too far from its slot.
 */
#define BI_HASH_ADD_ROWS_DECLARE(level) \
    int64_t bi_hash_add_rows_##level(const struct bi_hash_rows_in_order *, int64_t begin, int64_t end, int64_t count);
BI_HASH_ADD_ROWS_DECLARE(v1)
#if defined(__x86_64__)
BI_HASH_ADD_ROWS_DECLARE(v3)
BI_HASH_ADD_ROWS_DECLARE(v4)
#endif

#endif
