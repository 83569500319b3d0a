/* Arrays for cases, in host memory or in the context's, followed by guard bytes; and patterns to fill them. */
#ifndef TESTS_SUPPORT_ARRAYS_H
#define TESTS_SUPPORT_ARRAYS_H

#include "support/suite.h"

struct array {
    void *p;             /* for calls: host memory, or the context's */
    unsigned char *host; /* the contents and the guard */
    size_t bytes;
    bool on_device;
};

/* Creates an array with a copy of `from` (NULL: a pattern of bytes). */
struct array array_make(bosc_ctx *ctx, const void *from, size_t bytes, bool on_device);
/* Copies the contents to a->host, checks the guard, and returns a->host. */
void *array_get(bosc_ctx *ctx, struct array *a);
void array_free(bosc_ctx *ctx, struct array *a);

/* True if the context has memory other than host memory; cases then use arrays in both. */
bool has_device_memory(const bosc_ctx *ctx);

enum pattern { RANDOM, FEW_VALUES, EQUAL, ASCENDING, DESCENDING, SMALL_INTEGERS, SPECIAL, PATTERNS };

/* Writes n numbers of the type. SPECIAL: floats include zeros, infinities and NaNs of both signs. */
void fill_numbers(bosc_dtype dtype, enum pattern pattern, uint64_t seed, int64_t n, void *out);

/* Lists error-prone sizes up to `most`: all to 70, and around powers of two. Returns their number. */
int edge_sizes(int64_t most, int64_t sizes[256]);

static const bosc_dtype number_types[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64, BOSC_U32, BOSC_U64};

#endif
