/* Arrays of cases: in host memory or in the context's, with guard bytes behind them; and patterns to fill them. */
#ifndef TESTS_SUPPORT_ARRAYS_H
#define TESTS_SUPPORT_ARRAYS_H

#include "support/suite.h"

struct array {
    void *p;             /* for calls: host memory, or the context's */
    unsigned char *host; /* the contents and the guard */
    size_t bytes;
    bool on_device;
};

/* An array with a copy of `from` (NULL: with a pattern of bytes). */
struct array array_make(bosc_ctx *ctx, const void *from, size_t bytes, bool on_device);
/* Brings the contents to a->host, checks the guard, and returns a->host. */
void *array_get(bosc_ctx *ctx, struct array *a);
void array_free(bosc_ctx *ctx, struct array *a);

/* Whether arrays in the context's memory differ from host arrays: cases try both then. */
bool has_device_memory(const bosc_ctx *ctx);

enum pattern { RANDOM, FEW_VALUES, EQUAL, ASCENDING, DESCENDING, SMALL_INTEGERS, SPECIAL, PATTERNS };

/* n numbers of the type. SPECIAL: among floats zeros of both signs, infinities, NaNs of both signs. */
void fill_numbers(bosc_dtype dtype, enum pattern pattern, uint64_t seed, int64_t n, void *out);

/* Sizes that are likely to go wrong up to `most`: all to 70, around powers of two. Returns their number. */
int edge_sizes(int64_t most, int64_t sizes[256]);

static const bosc_dtype number_types[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64, BOSC_U32, BOSC_U64};

#endif
