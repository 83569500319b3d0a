#include "reference/prims.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/tiles.h"
#include "support/suite.h"

static double get_real(bosc_dtype dtype, const void *array, int64_t i)
{
    return dtype == BOSC_F32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

static void set_real(bosc_dtype dtype, void *array, int64_t i, double x)
{
    if (dtype == BOSC_F32)
        ((float *)array)[i] = bi_canonical_f32((float)x);
    else
        ((double *)array)[i] = bi_canonical_f64(x);
}

static bool is_real(bosc_dtype dtype) { return dtype == BOSC_F32 || dtype == BOSC_F64; }

/* Returns an integer as 64 bits, sign-extended, which keeps wrapping sums and the order. */
static uint64_t get_integer(bosc_dtype dtype, const void *array, int64_t i)
{
    switch (dtype) {
    case BOSC_I32: return (uint64_t)(int64_t)((const int32_t *)array)[i];
    case BOSC_U32: return ((const uint32_t *)array)[i];
    default: return ((const uint64_t *)array)[i];
    }
}

static void set_integer(bosc_dtype dtype, void *array, int64_t i, uint64_t x)
{
    memcpy((char *)array + (size_t)i * bosc_dtype_size(dtype), &x, bosc_dtype_size(dtype));
}

static uint64_t integer_op(bosc_op op, bosc_dtype dtype, uint64_t a, uint64_t b)
{
    bool is_signed = dtype == BOSC_I32 || dtype == BOSC_I64;
    bool less = is_signed ? (int64_t)a < (int64_t)b : a < b;
    return op == BOSC_SUM ? a + b : (op == BOSC_MIN) == less ? a : b;
}

static uint64_t integer_identity(bosc_op op, bosc_dtype dtype)
{
    if (op == BOSC_SUM) return 0;
    bool least = op == BOSC_MAX;
    switch (dtype) {
    case BOSC_I32: return (uint64_t)(int64_t)(least ? INT32_MIN : INT32_MAX);
    case BOSC_I64: return (uint64_t)(least ? INT64_MIN : INT64_MAX);
    case BOSC_U32: return least ? 0 : UINT32_MAX;
    default: return least ? 0 : UINT64_MAX;
    }
}

/* Computes MIN or MAX of floats. */
static double real_op(bosc_op op, double a, double b)
{
    if (isnan(a) || isnan(b)) return NAN;
    bool less = a < b || (a == b && signbit(a) && !signbit(b));
    return (op == BOSC_MIN) == less ? a : b;
}

static double real_identity(bosc_op op) { return op == BOSC_SUM ? 0 : op == BOSC_MIN ? INFINITY : -INFINITY; }

/* State of a scan of any kind, an element at a time. */
struct running_scan {
    bosc_op op;
    bosc_dtype dtype;
    uint64_t integer;
    double real;
    bool any;
    struct bi_scan_f32 sum_f32;
    struct bi_scan_f64 sum_f64;
};

static void push_element(struct running_scan *r, const void *in, int64_t i, bool head)
{
    if (r->op == BOSC_SUM && r->dtype == BOSC_F32)
        r->real = bi_scan_push_f32(&r->sum_f32, ((const float *)in)[i], head);
    else if (r->op == BOSC_SUM && r->dtype == BOSC_F64)
        r->real = bi_scan_push_f64(&r->sum_f64, ((const double *)in)[i], head);
    else if (is_real(r->dtype))
        r->real = head || !r->any ? get_real(r->dtype, in, i) : real_op(r->op, r->real, get_real(r->dtype, in, i));
    else if (head || !r->any)
        r->integer = get_integer(r->dtype, in, i);
    else
        r->integer = integer_op(r->op, r->dtype, r->integer, get_integer(r->dtype, in, i));
    r->any = true;
}

void reference_scan(bosc_op op, bosc_scan_kind kind, bosc_dtype dtype, const void *in, const uint8_t *heads, int64_t n,
                    void *out)
{
    struct running_scan *r = suite_alloc(sizeof *r);
    memset(r, 0, sizeof *r);
    r->op = op;
    r->dtype = dtype;
    for (int64_t i = 0; i < n; i++) {
        bool head = heads && heads[i];
        if (kind == BOSC_EXCLUSIVE && is_real(dtype))
            set_real(dtype, out, i, i == 0 || head ? real_identity(op) : r->real);
        if (kind == BOSC_EXCLUSIVE && !is_real(dtype))
            set_integer(dtype, out, i, i == 0 || head ? integer_identity(op, dtype) : r->integer);
        push_element(r, in, i, head);
        if (kind == BOSC_INCLUSIVE && is_real(dtype)) set_real(dtype, out, i, r->real);
        if (kind == BOSC_INCLUSIVE && !is_real(dtype)) set_integer(dtype, out, i, r->integer);
    }
    free(r);
}

/* Sums the aligned block of 2^k elements at `begin`, by the tree of core/tiles.h. */
static double tree_sum(bosc_dtype dtype, const void *in, int64_t n, int64_t begin, int k)
{
    if (k == 0) return get_real(dtype, in, begin);
    int64_t half = (int64_t)1 << (k - 1);
    double left = tree_sum(dtype, in, n, begin, k - 1);
    if (begin + half >= n) return left;
    double right = tree_sum(dtype, in, n, begin + half, k - 1);
    return dtype == BOSC_F32 ? (double)((float)left + (float)right) : left + right;
}

void reference_reduce(bosc_op op, bosc_dtype dtype, const void *in, int64_t n, void *result)
{
    int k = 0;
    while ((int64_t)1 << k < n) k++;
    if (is_real(dtype)) {
        double x = real_identity(op);
        if (op == BOSC_SUM && n > 0) x = tree_sum(dtype, in, n, 0, k);
        for (int64_t i = 0; op != BOSC_SUM && i < n; i++)
            x = i == 0 ? get_real(dtype, in, 0) : real_op(op, x, get_real(dtype, in, i));
        set_real(dtype, result, 0, x);
    } else {
        uint64_t x = integer_identity(op, dtype);
        for (int64_t i = 0; i < n; i++) x = integer_op(op, dtype, x, get_integer(dtype, in, i));
        set_integer(dtype, result, 0, x);
    }
}

int64_t reference_compact(size_t item_size, const void *in, const uint8_t *keep, int64_t n, void *out)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        if (keep[i])
            memcpy((char *)out + (size_t)count++ * item_size, (const char *)in + (size_t)i * item_size, item_size);
    return count;
}

void reference_split(size_t item_size, const void *in, const uint32_t *bucket, int64_t n, int64_t n_buckets, void *out,
                     int64_t *offsets)
{
    memset(offsets, 0, (size_t)(n_buckets + 1) * sizeof *offsets);
    for (int64_t i = 0; i < n; i++) offsets[bucket[i] + 1]++;
    for (int64_t b = 0; b < n_buckets; b++) offsets[b + 1] += offsets[b];
    int64_t *at = suite_alloc((size_t)n_buckets * sizeof *at);
    memcpy(at, offsets, (size_t)n_buckets * sizeof *at);
    for (int64_t i = 0; i < n; i++)
        memcpy((char *)out + (size_t)at[bucket[i]]++ * item_size, (const char *)in + (size_t)i * item_size, item_size);
    free(at);
}

/* Compares two elements (-1, 0, 1): floats as numbers, NaNs beyond the infinities, by their bits. */
static int compare_keys(bosc_dtype dtype, const void *array, int64_t a, int64_t b)
{
    if (is_real(dtype)) {
        double x = get_real(dtype, array, a), y = get_real(dtype, array, b);
        if (!isnan(x) && !isnan(y)) return x < y ? -1 : x > y;
        int side_x = isnan(x) ? (signbit(x) ? -1 : 1) : 0, side_y = isnan(y) ? (signbit(y) ? -1 : 1) : 0;
        if (side_x != side_y) return side_x < side_y ? -1 : 1;
        uint64_t bits_x = 0, bits_y = 0;
        size_t size = bosc_dtype_size(dtype);
        memcpy(&bits_x, (const char *)array + (size_t)a * size, size);
        memcpy(&bits_y, (const char *)array + (size_t)b * size, size);
        return bits_x == bits_y ? 0 : (bits_x < bits_y) == (side_x > 0) ? -1 : 1;
    }
    uint64_t x = get_integer(dtype, array, a), y = get_integer(dtype, array, b);
    if (x == y) return 0;
    return integer_op(BOSC_MIN, dtype, x, y) == x ? -1 : 1;
}

static struct {
    bosc_dtype dtype;
    const void *keys;
    int32_t dim, first;
} sorting;

static int by_superkey(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    for (int32_t i = 0; i < sorting.dim; i++) {
        int32_t c = (sorting.first + i) % sorting.dim;
        int order = compare_keys(sorting.dtype, sorting.keys, x * sorting.dim + c, y * sorting.dim + c);
        if (order) return order;
    }
    return x < y ? -1 : x > y;
}

static void sort_rows(bosc_dtype dtype, const void *points, int64_t n, int32_t dim, int32_t first, int64_t *order)
{
    for (int64_t i = 0; i < n; i++) order[i] = i;
    sorting.dtype = dtype;
    sorting.keys = points;
    sorting.dim = dim;
    sorting.first = first;
    qsort(order, (size_t)n, sizeof *order, by_superkey);
}

void reference_order(bosc_dtype dtype, const void *keys, int64_t n, int64_t *order)
{
    sort_rows(dtype, keys, n, 1, 0, order);
}

void reference_superkey(bosc_dtype dtype, const void *points, int64_t n, int32_t dim, int32_t first, uint32_t *perm)
{
    int64_t *order = suite_alloc((size_t)n * sizeof *order);
    sort_rows(dtype, points, n, dim, first, order);
    for (int64_t i = 0; i < n; i++) perm[i] = (uint32_t)order[i];
    free(order);
}
