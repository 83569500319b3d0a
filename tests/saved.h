/* Saved structures in memory: what cases give to the functions that write and read them. */
#ifndef SAVED_H
#define SAVED_H

#include <stdlib.h>
#include <string.h>

#include "core/save.h"
#include "suite.h"

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

/* What a read of a damaged file must have given: no handle, and a message that begins so and holds the reason. */
static inline void saved_refused(bosc_ctx *ctx, bosc_status status, const void *handle, const char *begin,
                                 const char *reason)
{
    CHECK_STATUS(ctx, status, BOSC_ERR_FORMAT);
    CHECK(handle == NULL);
    if (!suite_begins(bosc_message(ctx), begin) || !strstr(bosc_message(ctx), reason))
        suite_fail(__FILE__, __LINE__, "\"%s\" does not begin with \"%s\" or lacks \"%s\"", bosc_message(ctx), begin,
                   reason);
}

/* Every truncation (or one of `every`), and every bit flipped; `check` reads the file and calls saved_refused. */
static inline void saved_damage(bosc_ctx *ctx, struct saved *f, size_t every,
                                void (*check)(bosc_ctx *ctx, struct saved *f, const char *reason))
{
    size_t whole = f->size;
    for (f->size = 0; f->size < whole; f->size += every) check(ctx, f, "it ends within its");
    f->size = whole;
    for (size_t bit = 0; bit < 8 * whole; bit += every) {
        f->bytes[bit / 8] ^= (char)(1 << bit % 8);
        check(ctx, f, "");
        f->bytes[bit / 8] ^= (char)(1 << bit % 8);
    }
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
