/* Carves one block of memory into arrays. One layout function calls BI_CARVE for each array in turn and runs twice:
 * without a base it only measures the block, with the block's base it sets the pointers. */
#ifndef BI_CORE_CARVE_H
#define BI_CORE_CARVE_H

#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"

enum { BI_CARVE_ALIGN = 64 }; /* bytes of a cache line: arrays share none */

struct bi_carver {
    char *base;  /* NULL: measure only */
    size_t used; /* bytes of the block */
};

/* Returns the next array of `count` elements of `size` bytes; NULL while measuring. */
static inline void *bi_carve(struct bi_carver *c, int64_t count, size_t size)
{
    void *array = c->base ? c->base + c->used : NULL;
    c->used += (size_t)bi_round_up((uint64_t)count * size, BI_CARVE_ALIGN);
    return array;
}

/* Sets a pointer to the next array of `count` elements of its type. */
#define BI_CARVE(carver, pointer, count) ((pointer) = bi_carve((carver), (count), sizeof *(pointer)))

#endif
