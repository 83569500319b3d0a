/* A plain hash table: pairs in an array sorted by key. */
#ifndef TESTS_REFERENCE_HASH_H
#define TESTS_REFERENCE_HASH_H

#include <stdbool.h>
#include <stdint.h>

#include <boscage/device/hash.h>

struct reference_pair {
    bosc_hash_word key;
    int64_t row; /* in the order in which pairs came */
    unsigned char value[64];
    int64_t count;
};

struct reference_hash {
    bosc_hash_opts opts;
    struct reference_pair *pairs; /* by (key, row); of a map one for each key */
    int64_t n, room, rows;
};

/* A map with ERROR: false, and nothing changes, if a key comes twice; *bad gets the first such row. */
bool reference_hash_insert(struct reference_hash *t, const void *keys, const void *values, int64_t n, int64_t *bad);
/* The number of keys removed. */
int64_t reference_hash_erase(struct reference_hash *t, const void *keys, int64_t n);
/* The first pair of the key, and the number of pairs that it came with; NULL and 0 if it is absent. */
const struct reference_pair *reference_hash_find(const struct reference_hash *t, bosc_hash_word key, int64_t *count);
int64_t reference_hash_keys(const struct reference_hash *t);
void reference_hash_clear(struct reference_hash *t);

#endif
