/* The layout ORDERED of hash tables by its definition: pairs are inserted one by one. */
#ifndef TESTS_REFERENCE_HASH_ORDERED_H
#define TESTS_REFERENCE_HASH_ORDERED_H

#include "reference/hash.h"

struct reference_ordered {
    int64_t size;   /* slots */
    int64_t bytes;  /* of the block: also behind the slots */
    bool linear;    /* as many slots as pairs */
    int64_t extra;  /* slots read before the pairs' own */
    int64_t length; /* slots that a look-up of a pair reads at most */
    unsigned char *slots;
    int64_t homes;
    uint32_t *directory; /* (homes), or NULL: of keys of 128 bits, and of linear tables */
};

/* The table of all pairs of `pairs`, of slots of `stride` bytes, by its options, which have no default left. */
struct reference_ordered reference_ordered_of(const struct reference_hash *pairs, int64_t stride);
void reference_ordered_free(struct reference_ordered *r);

#endif
