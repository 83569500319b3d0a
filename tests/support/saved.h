/* Saved structures in memory, and what holds for each of them: the same bytes everywhere, read back whole, and neither
 * damage nor malice goes unseen. */
#ifndef TESTS_SUPPORT_SAVED_H
#define TESTS_SUPPORT_SAVED_H

#include <stdlib.h>
#include <string.h>

#include "core/save.h"
#include "support/suite.h"

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

/* A structure that can be saved. */
struct saved_kind {
    const char *begin; /* what messages of a refused read begin with */
    size_t header;     /* where the hash of the header lies */
    bosc_status (*write)(bosc_ctx *ctx, const void *handle, bosc_write_fn write, void *user);
    bosc_status (*read)(bosc_ctx *ctx, bosc_read_fn read, void *user, void **handle);
    void (*free)(void *handle);
};

/* Defines saved_<type>, the kind of bosc_<type>, whose header is a `struct header_type`; <type>_save, which gives the
 * bytes of a handle; and <type>_load, which reads all of them. */
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

struct saved saved_of(bosc_ctx *ctx, const struct saved_kind *kind, const void *handle);
void *saved_load(bosc_ctx *ctx, const struct saved_kind *kind, struct saved *f);

/* Saves the handle, reads it back, saves that: the same bytes, `size` of them where that is not 0. A write that is
 * refused gives BOSC_ERR_IO. Returns what was read. */
void *saved_again(bosc_ctx *ctx, const struct saved_kind *kind, const void *handle, size_t size);

/* A read gives BOSC_ERR_FORMAT, no handle, and a message that begins as the kind's do and holds the reason. */
void saved_refused(bosc_ctx *ctx, const struct saved_kind *kind, struct saved *f, const char *reason);

/* Every truncation (or one of `every`), and every bit flipped, of the saved handle. */
void saved_damage(bosc_ctx *ctx, const struct saved_kind *kind, const void *handle, size_t every);

/* A lie with right hashes: which 32-bit word of the file, what it becomes, and what is said. */
struct saved_lie {
    int at;
    uint32_t value;
    const char *reason; /* NULL: it may be believed, if what was read can be used */
};

/* Each of them must be refused, or be read and used; `use` may be NULL. */
void saved_lies(bosc_ctx *ctx, const struct saved_kind *kind, struct saved *f, const struct saved_lie *lies,
                size_t count, void (*use)(bosc_ctx *ctx, const void *handle));

/* The handle's bytes are those of a golden file, which the first version of the format wrote; they are read, and what
 * was read is returned. With BOSC_GOLDEN in the environment the file is written to the folder that it names, to begin a
 * new version. */
void *saved_golden(bosc_ctx *ctx, const struct saved_kind *kind, const void *handle, const char *name,
                   const unsigned char *bytes, size_t size);

#endif
