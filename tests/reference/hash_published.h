/* Plain versions of the published builds of hash tables, one round or batch after the other. Hashes come in the order
 * in which the build has them; slots are numbered in the run or table; -1: an empty slot. */
#ifndef TESTS_REFERENCE_HASH_PUBLISHED_H
#define TESTS_REFERENCE_HASH_PUBLISHED_H

#include <stdbool.h>
#include <stdint.h>

#include <boscage/device/hash_slots.h>

/* HYBRID: a run of n keys in 576 slots, whose occupants are told. The seed that works, or 63. */
uint32_t reference_hash_hybrid(const bosc_hash_word *hashes, int n, int32_t key_bits, int32_t occupant[576]);

/* CUCKOO: n keys in `slots` slots and behind them 101 of the stash. The seed that works, or 63. *stashed: how many keys
 * are in the stash. */
uint32_t reference_hash_cuckoo(const bosc_hash_word *hashes, int n, int32_t key_bits, uint32_t functions, int slots,
                               int32_t *occupant, int *stashed);

/* CHAINED: the bucket of each key, from its two. */
void reference_hash_chained(const uint32_t *first, const uint32_t *second, int n, uint32_t buckets, uint32_t *chosen);

#endif
