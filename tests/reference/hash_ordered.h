/* Plain build of the layout ORDERED of hash tables: inserts pairs one by one. */
#ifndef TESTS_REFERENCE_HASH_ORDERED_H
#define TESTS_REFERENCE_HASH_ORDERED_H

#include "reference/hash.h"

struct reference_ordered {
    int64_t size;   /* number of slots */
    int64_t bytes;  /* of the block, with the bytes behind the slots */
    bool linear;    /* true: as many slots as pairs */
    int64_t extra;  /* sum of slots read before the pairs' own */
    int64_t length; /* largest number of slots read by a look-up of a pair */
    unsigned char *slots;
    int64_t homes;
    uint32_t *directory; /* (homes), or NULL: 128-bit keys, and linear tables */
};

/* Builds the table of all pairs, with slots of `stride` bytes. The options of `pairs` have no default values. */
struct reference_ordered reference_ordered_of(const struct reference_hash *pairs, int64_t stride);
void reference_ordered_free(struct reference_ordered *r);

#endif
