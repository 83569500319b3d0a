/* Shared by the cases of distributed primitives and tables: numbers of ranks, and the slices of their arrays. */
#ifndef TESTS_CASES_RANKS_RANKS_DATA_H
#define TESTS_CASES_RANKS_RANKS_DATA_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/call.h"
#include "support/arrays.h"
#include "support/ranks.h"

static const int32_t ranks_sizes[] = {1, 2, 3, 4, 8};
#define EACH_RANKS_SIZE(i) for (int i = 0; i < 5; i++)

/* A rank's slice of n items. */
struct ranks_trial_slice {
    int64_t begin, n;
};

/* Of every fifth seed one rank has all items, and of some others every second rank has none. */
static inline struct ranks_trial_slice ranks_slice_of(const struct rank *r, uint64_t seed, int64_t n)
{
    struct rank other = *r;
    int64_t begin, end, unused;
    ranks_slice(r, seed, n, &begin, &end);
    if (seed % 5 == 4) {
        begin = r->rank > r->rank_count / 2 ? n : 0;
        end = r->rank >= r->rank_count / 2 ? n : 0;
    } else if (seed % 3 == 2 && r->rank % 2) {
        begin = end;
    } else if (seed % 3 == 2 && ++other.rank < r->rank_count) {
        ranks_slice(&other, seed, n, &unused, &end);
    }
    return (struct ranks_trial_slice){begin, end - begin};
}

/* The slice's part of an array of items, or room for it. */
static inline struct array ranks_array(const struct rank *r, const void *all, size_t size, struct ranks_trial_slice s,
                                       bool on_device)
{
    return array_make(r->ctx, all ? (const char *)all + (size_t)s.begin * size : NULL, (size_t)s.n * size, on_device);
}

static inline bool ranks_equals(const struct rank *r, struct array *a, const void *all, size_t size,
                                struct ranks_trial_slice s)
{
    const void *own = array_get(r->ctx, a);
    return s.n == 0 || memcmp(own, (const char *)all + (size_t)s.begin * size, (size_t)s.n * size) == 0;
}

enum { RANKS_GUARD = 8, RANKS_FILL = 0x55 };

/* Allocates a rank's part of a host array of items, with a guard behind it, all bytes RANKS_FILL. */
static inline void *ranks_make_part(struct ranks_trial_slice s, size_t size)
{
    const size_t bytes = (size_t)s.n * size + RANKS_GUARD;
    return memset(suite_alloc(bytes), RANKS_FILL, bytes);
}

/* Checks that a part has the items of its slice, and that its guard is unchanged. */
static inline void ranks_check_part(const void *part, const void *all, size_t size, struct ranks_trial_slice s)
{
    const size_t bytes = (size_t)s.n * size;
    const unsigned char *guard = (const unsigned char *)part + bytes;
    CHECK(bytes == 0 || memcmp(part, (const char *)all + (size_t)s.begin * size, bytes) == 0);
    for (int i = 0; i < RANKS_GUARD; i++) CHECK_EQ(guard[i], RANKS_FILL);
}

/* Fills scratch memory, so that an answer that is not written does not look like 0. */
static inline void ranks_fill_scratch(bosc_ctx *ctx)
{
    enum { BYTES = 1 << 16 };
    void *memory;
    const struct bi_mark mark = bi_arena_mark(ctx);
    CHECK_OK(ctx, bi_scratch(ctx, BYTES, &memory));
    CHECK_OK(ctx, ctx->backend->fill(ctx, memory, 0x5a, BYTES));
    bi_arena_rewind(ctx, mark);
}

#endif
