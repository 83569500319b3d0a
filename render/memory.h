/* Allocation of large arrays, refused if the system would only overcommit. */
#ifndef RENDER_MEMORY_H
#define RENDER_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Allocates `count` elements of `size` bytes, freed by free(); NULL if memory is short. */
void *memory_allocate(size_t count, size_t size);

/* Returns the available bytes, swap included; -1 if unknown. */
int64_t memory_available(void);

#endif
