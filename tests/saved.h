/* Saved structures in memory: what cases give to the functions that write and read them. */
#ifndef SAVED_H
#define SAVED_H

#include <stdlib.h>
#include <string.h>

#include "core/save.h"

struct saved {
    char *bytes;
    size_t size, room, at; /* at: how many of them have been read */
};

/* A bosc_write_fn. */
static inline int saved_append(void *user, const void *bytes, size_t count)
{
    struct saved *s = user;
    if (s->size + count > s->room) {
        s->room = 2 * (s->size + count);
        s->bytes = realloc(s->bytes, s->room);
        if (!s->bytes) abort();
    }
    memcpy(s->bytes + s->size, bytes, count);
    s->size += count;
    return 0;
}

/* A bosc_read_fn. */
static inline int saved_deliver(void *user, void *bytes, size_t count)
{
    struct saved *s = user;
    if (s->size - s->at < count) return 1;
    memcpy(bytes, s->bytes + s->at, count);
    s->at += count;
    return 0;
}

/* Makes the hashes right again: that of the header, which lies at byte `header` behind what it is of, and that of the
 * whole, which lies at the end. */
static inline void saved_seal(void *bytes, size_t size, size_t header)
{
    char *b = bytes;
    uint64_t hash = bi_hash(b, header);
    memcpy(b + header, &hash, sizeof hash);
    hash = bi_hash(b, size - sizeof hash);
    memcpy(b + size - sizeof hash, &hash, sizeof hash);
}

#endif
