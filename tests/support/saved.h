/* Saved structures in memory, and checks of each: equal bytes on every configuration, exact round trips, detection
 * of damage and of forged content. */
#ifndef TESTS_SUPPORT_SAVED_H
#define TESTS_SUPPORT_SAVED_H

#include <stdlib.h>
#include <string.h>

#include "core/save.h"
#include "support/suite.h"

struct saved {
    char *bytes;
    size_t size, room, at; /* room: capacity; at: number of bytes read */
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

/* Corrects the hashes: that of the header, at offset `header`, which covers the bytes before it; and that of the
 * file, at the end. */
static inline void saved_seal(void *bytes, size_t size, size_t header)
{
    char *b = bytes;
    uint64_t hash = bi_xxh3(b, header);
    memcpy(b + header, &hash, sizeof hash);
    hash = bi_xxh3(b, size - sizeof hash);
    memcpy(b + size - sizeof hash, &hash, sizeof hash);
}

/* A structure that can be saved. */
struct saved_kind {
    const char *begin; /* start of messages of a refused read */
    size_t header;     /* offset of the header's hash */
    bosc_status (*write)(bosc_ctx *ctx, const void *handle, bosc_write_fn write, void *user);
    bosc_status (*read)(bosc_ctx *ctx, bosc_read_fn read, void *user, void **handle);
    void (*free)(void *handle);
};

/* Defines saved_<type>, the kind of bosc_<type> with a `struct header_type`; <type>_save, which returns the bytes of
 * a handle; and <type>_load, which reads them. */
#define SAVED_KIND(type, begin, header_type)                                                                           \
    static inline bosc_status saved_##type##_write(bosc_ctx *ctx, const void *handle, bosc_write_fn write, void *user) \
    {                                                                                                                  \
        return bosc_##type##_write(ctx, handle, write, user);                                                          \
    }                                                                                                                  \
    static inline bosc_status saved_##type##_read(bosc_ctx *ctx, bosc_read_fn read, void *user, void **handle)         \
    {                                                                                                                  \
        bosc_##type *typed = *handle;                                                                                  \
        bosc_status status = bosc_##type##_read(ctx, read, user, &typed);                                              \
        *handle = typed;                                                                                               \
        return status;                                                                                                 \
    }                                                                                                                  \
    static inline void saved_##type##_free(void *handle) { bosc_##type##_free(handle); }                               \
    static const struct saved_kind saved_##type = {begin, offsetof(struct header_type, hash), saved_##type##_write,    \
                                                   saved_##type##_read, saved_##type##_free};                          \
    __attribute__((unused)) static struct saved type##_save(bosc_ctx *ctx, const bosc_##type *handle)                  \
    {                                                                                                                  \
        return saved_of(ctx, &saved_##type, handle);                                                                   \
    }                                                                                                                  \
    __attribute__((unused)) static bosc_##type *type##_load(bosc_ctx *ctx, struct saved *f)                            \
    {                                                                                                                  \
        return saved_load(ctx, &saved_##type, f);                                                                      \
    }

/* Writes a handle to memory. */
struct saved saved_of(bosc_ctx *ctx, const struct saved_kind *kind, const void *handle);
/* Reads all bytes. */
void *saved_load(bosc_ctx *ctx, const struct saved_kind *kind, struct saved *f);

/* Checks that saving, reading and saving again gives equal bytes, `size` of them unless 0, and that a refused write
 * fails with BOSC_ERR_IO. Returns the handle that was read. */
void *saved_again(bosc_ctx *ctx, const struct saved_kind *kind, const void *handle, size_t size);

/* Checks that a read fails with BOSC_ERR_FORMAT, no handle, and a message with the kind's start and the reason. */
void saved_refused(bosc_ctx *ctx, const struct saved_kind *kind, struct saved *f, const char *reason);

/* Checks that truncations and flipped bits of the saved handle are refused: one of `every`. */
void saved_damage(bosc_ctx *ctx, const struct saved_kind *kind, const void *handle, size_t every);

/* A forged 32-bit word, under correct hashes. */
struct saved_lie {
    int at; /* index of the word in the file */
    uint32_t value;
    const char *reason; /* in the message; NULL: it may be read, if the handle can be used */
};

/* Checks that each forgery is refused, or read and used by `use` (may be NULL). */
void saved_lies(bosc_ctx *ctx, const struct saved_kind *kind, struct saved *f, const struct saved_lie *lies,
                size_t count, void (*use)(bosc_ctx *ctx, const void *handle));

/* Checks that the handle's bytes equal a golden file, written by the first version of the format. Returns the handle
 * read from it. If BOSC_GOLDEN names a folder, writes the file there, to start a new version. */
void *saved_golden(bosc_ctx *ctx, const struct saved_kind *kind, const void *handle, const char *name,
                   const unsigned char *bytes, size_t size);

#endif
