/* Memory for large arrays, refused where the system could only promise it. */
#ifndef RENDER_MEMORY_H
#define RENDER_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Memory for `count` elements of `size` bytes each, to be freed with free(); NULL where there is not enough. */
void *memory_new(size_t count, size_t size);

/* Bytes that the system can still give, swap included; -1 where it does not say. */
int64_t memory_left(void);

#endif
