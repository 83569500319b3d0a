#include "support/arrays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 64, GUARD_BYTE = 0xa5, FRESH_BYTE = 0x5a };

struct array array_make(bosc_ctx *ctx, const void *from, size_t bytes, bool on_device)
{
    struct array a = {.host = suite_alloc(bytes + GUARD), .bytes = bytes, .on_device = on_device};
    memset(a.host, FRESH_BYTE, bytes);
    memset(a.host + bytes, GUARD_BYTE, GUARD);
    if (from && bytes) memcpy(a.host, from, bytes);
    a.p = a.host;
    if (on_device) {
        CHECK_OK(ctx, bosc_ctx_alloc(ctx, bytes + GUARD, &a.p));
        CHECK_OK(ctx, bosc_ctx_copy(ctx, a.p, a.host, bytes + GUARD));
    }
    return a;
}

void *array_get(bosc_ctx *ctx, struct array *a)
{
    if (a->on_device) CHECK_OK(ctx, bosc_ctx_copy(ctx, a->host, a->p, a->bytes + GUARD));
    for (size_t i = 0; i < GUARD; i++) CHECK(a->host[a->bytes + i] == GUARD_BYTE);
    return a->host;
}

void array_free(bosc_ctx *ctx, struct array *a)
{
    if (a->on_device) bosc_ctx_release(ctx, a->p, a->bytes + GUARD);
    free(a->host);
}

bool has_device_memory(const bosc_ctx *ctx)
{
    bosc_ctx_info info = {.size = sizeof info};
    return bosc_ctx_get_info(ctx, &info) == BOSC_OK && info.backend == BOSC_BACKEND_CUDA;
}

static double special_real(struct suite_random *r)
{
    static const double values[] = {0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, 5e-324, 1e-45};
    return values[suite_below(r, sizeof values / sizeof values[0])];
}

/* Returns a special value, or writes random bits, perhaps a NaN, to `out` in one case of 16 and returns NAN. */
static double special_or_bits(struct suite_random *r, bosc_dtype dtype, void *out)
{
    if (suite_below(r, 16)) return special_real(r);
    uint64_t bits = suite_next(r) | (dtype == BOSC_F32 ? 0x7f800000 : 0x7ff0000000000000);
    memcpy(out, &bits, bosc_dtype_size(dtype));
    return NAN;
}

static uint64_t make_integer(struct suite_random *r, enum pattern pattern, int64_t n, int64_t i)
{
    switch (pattern) {
    case RANDOM: return suite_next(r);
    case FEW_VALUES: return suite_below(r, 5) * 0x123456789abcdef1u;
    case EQUAL: return 0xfedcba9876543210u;
    case ASCENDING: return (uint64_t)i * 3;
    case DESCENDING: return (uint64_t)(n - i) * 0x10001;
    case SMALL_INTEGERS: return suite_below(r, 1000);
    default: return suite_below(r, 2) ? UINT64_MAX : (uint64_t)INT64_MIN >> (suite_below(r, 2) * 32);
    }
}

static double make_real(struct suite_random *r, enum pattern pattern, int64_t n, int64_t i)
{
    switch (pattern) {
    case RANDOM: return (suite_unit(r) - 0.5) * 2000;
    case FEW_VALUES: return (double)suite_below(r, 5) - 2;
    case EQUAL: return 0.1;
    case ASCENDING: return (double)i * 0.25 - 3;
    case DESCENDING: return (double)(n - i) * 0.1;
    default: return (double)suite_below(r, 1000);
    }
}

void fill_numbers(bosc_dtype dtype, enum pattern pattern, uint64_t seed, int64_t n, void *out)
{
    struct suite_random r = {seed * 77 + pattern};
    for (int64_t i = 0; i < n; i++) {
        char *to = (char *)out + (size_t)i * bosc_dtype_size(dtype);
        if (dtype == BOSC_F32 || dtype == BOSC_F64) {
            double x = pattern == SPECIAL ? special_or_bits(&r, dtype, to) : make_real(&r, pattern, n, i);
            float f = (float)x;
            if (x == x) memcpy(to, dtype == BOSC_F32 ? (void *)&f : (void *)&x, bosc_dtype_size(dtype));
        } else {
            uint64_t x = make_integer(&r, pattern, n, i);
            memcpy(to, &x, bosc_dtype_size(dtype)); /* little-endian: the low bytes */
        }
    }
}

int edge_sizes(int64_t most, int64_t sizes[256])
{
    int count = 0;
    for (int64_t n = 0; n <= 70 && n <= most; n++) sizes[count++] = n;
    for (int64_t power = 128; power <= most; power *= 2)
        for (int64_t n = power - 1; n <= power + 1 && n <= most; n++) sizes[count++] = n;
    return count;
}
