/* A plain hash table: pairs in an array sorted by key. */
#ifndef TESTS_REFERENCE_HASH_H
#define TESTS_REFERENCE_HASH_H

#include <stdbool.h>
#include <stdint.h>

#include <boscage/device/hash.h>

struct reference_pair {
    bosc_hash_word key;
    int64_t row; /* order of insertion */
    unsigned char value[64];
    int64_t count;
};

struct reference_hash {
    bosc_hash_opts opts;
    struct reference_pair *pairs; /* by (key, row); in a map one per key */
    int64_t n, room, rows;
};

/* Inserts pairs. A map with ERROR: false, without a change, if a key is repeated; *bad: the first such row. */
bool reference_hash_insert(struct reference_hash *t, const void *keys, const void *values, int64_t n, int64_t *bad);
/* Returns the number of removed keys. */
int64_t reference_hash_erase(struct reference_hash *t, const void *keys, int64_t n);
/* Returns the first pair of the key and the number of inserted pairs with it; NULL and 0 if it is absent. */
const struct reference_pair *reference_hash_find(const struct reference_hash *t, bosc_hash_word key, int64_t *count);
int64_t reference_hash_keys(const struct reference_hash *t);
void reference_hash_clear(struct reference_hash *t);

#endif
