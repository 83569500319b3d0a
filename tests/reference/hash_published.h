/* Plain versions of the published builds of hash tables, by rounds or batches. Hashes are in the order of the build;
 * slots are numbered within the run or table; -1: an empty slot. */
#ifndef TESTS_REFERENCE_HASH_PUBLISHED_H
#define TESTS_REFERENCE_HASH_PUBLISHED_H

#include <stdbool.h>
#include <stdint.h>

#include <boscage/device/hash_slots.h>

/* HYBRID: a run of n keys in 576 slots. Sets the occupants; returns the seed that succeeds, or 63. */
uint32_t reference_hash_hybrid(const bosc_hash_word *hashes, int n, int32_t key_bits, int32_t occupant[576]);

/* CUCKOO: n keys in `slots` slots, followed by 101 slots of the stash. Returns the seed that succeeds, or 63.
 * *stashed: number of keys in the stash. */
uint32_t reference_hash_cuckoo(const bosc_hash_word *hashes, int n, int32_t key_bits, uint32_t functions, int slots,
                               int32_t *occupant, int *stashed);

/* CHAINED: chooses the bucket of each key: the one of its `functions` choices with the shortest chain, the first of
 * several. Keys arrive in `batches`; chains grow after each batch. */
void reference_hash_chained(const uint32_t *choices, int functions, int batches, int n, uint32_t buckets,
                            uint32_t *chosen);

#endif
