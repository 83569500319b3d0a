/* The primitives refuse bad arguments by name, before they write anything. */
#include <string.h>

#include "support/suite.h"

static const int bad_types[] = {0, -1, BOSC_U8, 8, 1000};
static const int64_t bad_counts[] = {-1, INT64_MIN, INT64_MAX, PTRDIFF_MAX / 4 + 1};

/* Arrays that calls may name; none may change. */
struct fixture {
    uint64_t a[8], b[8], c[8], d[8], before[32];
};

static void *odd(void *p) { return (char *)p + 1; }

static struct fixture make_fixture(void)
{
    struct fixture f;
    for (int i = 0; i < 8; i++) f.a[i] = f.b[i] = f.c[i] = f.d[i] = (uint64_t)i % 4;
    memcpy(f.before, f.a, sizeof f.a);
    return f;
}

static bool unchanged(const struct fixture *f)
{
    for (int i = 0; i < 8; i++)
        if (f->a[i] != f->before[i] || f->b[i] != f->before[i] || f->c[i] != f->before[i] || f->d[i] != f->before[i])
            return false;
    return true;
}

static void reduce(bosc_ctx *ctx)
{
    struct fixture f = make_fixture();
    CHECK_EQ(bosc_reduce(NULL, BOSC_SUM, BOSC_F32, f.a, 8, f.b), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_reduce(ctx, (bosc_op)3, BOSC_F32, f.a, 8, f.b), "op");
    CHECK_ARG(ctx, bosc_reduce(ctx, (bosc_op)-1, BOSC_F32, f.a, 8, f.b), "op");
    for (int i = 0; i < 5; i++)
        CHECK_ARG(ctx, bosc_reduce(ctx, BOSC_SUM, (bosc_dtype)bad_types[i], f.a, 8, f.b), "dtype");
    for (int i = 0; i < 4; i++) CHECK_ARG(ctx, bosc_reduce(ctx, BOSC_SUM, BOSC_F64, f.a, bad_counts[i], f.b), "n");
    CHECK_ARG(ctx, bosc_reduce(ctx, BOSC_MIN, BOSC_F32, NULL, 8, f.b), "in");
    CHECK_ARG(ctx, bosc_reduce(ctx, BOSC_MIN, BOSC_F32, odd(f.a), 4, f.b), "in");
    CHECK_ARG(ctx, bosc_reduce(ctx, BOSC_MIN, BOSC_F32, f.a, 8, NULL), "result");
    CHECK_ARG(ctx, bosc_reduce(ctx, BOSC_MIN, BOSC_F64, f.a, 8, odd(f.b)), "result");
    CHECK_ARG(ctx, bosc_reduce(ctx, BOSC_MIN, BOSC_F64, f.a, 8, f.a + 7), "result");
    CHECK(unchanged(&f));
}

static void scan(bosc_ctx *ctx)
{
    struct fixture f = make_fixture();
    CHECK_EQ(bosc_scan(NULL, BOSC_SUM, BOSC_INCLUSIVE, BOSC_F32, f.a, 8, f.b), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_scan(ctx, (bosc_op)3, BOSC_INCLUSIVE, BOSC_F32, f.a, 8, f.b), "op");
    CHECK_ARG(ctx, bosc_scan(ctx, (bosc_op)-2, BOSC_INCLUSIVE, BOSC_F32, f.a, 8, f.b), "op");
    CHECK_ARG(ctx, bosc_scan(ctx, BOSC_SUM, (bosc_scan_kind)2, BOSC_F32, f.a, 8, f.b), "kind");
    CHECK_ARG(ctx, bosc_scan(ctx, BOSC_SUM, (bosc_scan_kind)-1, BOSC_F32, f.a, 8, f.b), "kind");
    for (int i = 0; i < 5; i++)
        CHECK_ARG(ctx, bosc_scan(ctx, BOSC_SUM, BOSC_INCLUSIVE, (bosc_dtype)bad_types[i], f.a, 8, f.b), "dtype");
    for (int i = 0; i < 4; i++)
        CHECK_ARG(ctx, bosc_scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, f.a, bad_counts[i], f.b), "n");
    CHECK_ARG(ctx, bosc_scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, NULL, 8, f.b), "in");
    CHECK_ARG(ctx, bosc_scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, odd(f.a), 8, f.b), "in");
    CHECK_ARG(ctx, bosc_scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, f.a, 8, NULL), "out");
    CHECK_ARG(ctx, bosc_scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, f.a, 8, odd(f.b)), "out");
    CHECK_ARG(ctx, bosc_scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U64, f.a, 7, f.a + 1), "out");
    CHECK(unchanged(&f));
}

static void scan_segmented(bosc_ctx *ctx)
{
    struct fixture f = make_fixture();
    const uint8_t *heads = (const uint8_t *)f.c;
#define SCAN(op, kind, dtype, in, h, n, out) bosc_scan_segmented(ctx, op, kind, dtype, in, h, n, out)
    CHECK_EQ(bosc_scan_segmented(NULL, BOSC_SUM, BOSC_INCLUSIVE, BOSC_F32, f.a, heads, 8, f.b), BOSC_ERR_ARG);
    CHECK_ARG(ctx, SCAN((bosc_op)3, BOSC_INCLUSIVE, BOSC_F32, f.a, heads, 8, f.b), "op");
    CHECK_ARG(ctx, SCAN(BOSC_SUM, (bosc_scan_kind)2, BOSC_F32, f.a, heads, 8, f.b), "kind");
    for (int i = 0; i < 5; i++)
        CHECK_ARG(ctx, SCAN(BOSC_SUM, BOSC_INCLUSIVE, (bosc_dtype)bad_types[i], f.a, heads, 8, f.b), "dtype");
    for (int i = 0; i < 4; i++)
        CHECK_ARG(ctx, SCAN(BOSC_SUM, BOSC_EXCLUSIVE, BOSC_F64, f.a, heads, bad_counts[i], f.b), "n");
    CHECK_ARG(ctx, SCAN(BOSC_SUM, BOSC_EXCLUSIVE, BOSC_F32, NULL, heads, 8, f.b), "in");
    CHECK_ARG(ctx, SCAN(BOSC_SUM, BOSC_EXCLUSIVE, BOSC_F32, f.a, NULL, 8, f.b), "heads");
    CHECK_ARG(ctx, SCAN(BOSC_SUM, BOSC_EXCLUSIVE, BOSC_F32, f.a, heads, 8, NULL), "out");
    CHECK_ARG(ctx, SCAN(BOSC_SUM, BOSC_EXCLUSIVE, BOSC_F64, f.a, heads, 7, f.a + 1), "out");
    CHECK_ARG(ctx, SCAN(BOSC_SUM, BOSC_EXCLUSIVE, BOSC_F64, f.a, heads, 8, f.c), "out");
#undef SCAN
    CHECK(unchanged(&f));
}

static void compact(bosc_ctx *ctx)
{
    struct fixture f = make_fixture();
    const uint8_t *keep = (const uint8_t *)f.c;
    int64_t *count = (int64_t *)f.d;
    CHECK_EQ(bosc_compact(NULL, 8, f.a, keep, 8, f.b, count), BOSC_ERR_ARG);
    static const size_t bad_sizes[] = {0, 257, 1000, SIZE_MAX, SIZE_MAX / 2};
    for (int i = 0; i < 5; i++) CHECK_ARG(ctx, bosc_compact(ctx, bad_sizes[i], f.a, keep, 8, f.b, count), "item_size");
    for (int i = 0; i < 4; i++) CHECK_ARG(ctx, bosc_compact(ctx, 8, f.a, keep, bad_counts[i], f.b, count), "n");
    CHECK_ARG(ctx, bosc_compact(ctx, 8, NULL, keep, 8, f.b, count), "in");
    CHECK_ARG(ctx, bosc_compact(ctx, 8, f.a, NULL, 8, f.b, count), "keep");
    CHECK_ARG(ctx, bosc_compact(ctx, 8, f.a, keep, 8, f.b, NULL), "count");
    CHECK_ARG(ctx, bosc_compact(ctx, 8, f.a, keep, 8, f.b, odd(count)), "count");
    CHECK_ARG(ctx, bosc_compact(ctx, 8, f.a, keep, 8, f.a, count), "out");
    CHECK_ARG(ctx, bosc_compact(ctx, 8, f.a, keep, 8, f.a + 4, count), "out");
    CHECK_ARG(ctx, bosc_compact(ctx, 8, f.a, keep, 8, f.c, count), "out");
    CHECK(unchanged(&f));
}

static void histogram(bosc_ctx *ctx)
{
    struct fixture f = make_fixture();
    const uint32_t *bins = (const uint32_t *)f.a;
    int64_t *counts = (int64_t *)f.b;
    CHECK_EQ(bosc_histogram(NULL, bins, 8, 4, counts), BOSC_ERR_ARG);
    for (int i = 0; i < 4; i++) CHECK_ARG(ctx, bosc_histogram(ctx, bins, bad_counts[i], 4, counts), "n");
    CHECK_ARG(ctx, bosc_histogram(ctx, NULL, 8, 4, counts), "bins");
    CHECK_ARG(ctx, bosc_histogram(ctx, odd(f.a), 8, 4, counts), "bins");
    static const int64_t bad_bins[] = {0, -1, (1 << 28) + 1, INT64_MAX, INT64_MIN};
    for (int i = 0; i < 5; i++) CHECK_ARG(ctx, bosc_histogram(ctx, bins, 8, bad_bins[i], counts), "n_bins");
    CHECK_ARG(ctx, bosc_histogram(ctx, bins, 8, 4, NULL), "counts");
    CHECK_ARG(ctx, bosc_histogram(ctx, bins, 8, 4, odd(counts)), "counts");
    CHECK_ARG(ctx, bosc_histogram(ctx, bins, 16, 4, (int64_t *)f.a), "counts");
    CHECK_ARG(ctx, bosc_histogram(ctx, bins, 0, 4, NULL), "counts");
    CHECK(unchanged(&f));
}

static void split(bosc_ctx *ctx)
{
    struct fixture f = make_fixture();
    const uint32_t *bucket = (const uint32_t *)f.c;
    int64_t *offsets = (int64_t *)f.d;
    CHECK_EQ(bosc_split(NULL, 8, f.a, bucket, 8, 4, f.b, offsets), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_split(ctx, 0, f.a, bucket, 8, 4, f.b, offsets), "item_size");
    CHECK_ARG(ctx, bosc_split(ctx, (size_t)1 << 31, f.a, bucket, 8, 4, f.b, offsets), "item_size");
    CHECK_ARG(ctx, bosc_split(ctx, SIZE_MAX, f.a, bucket, 8, 4, f.b, offsets), "item_size");
    CHECK_ARG(ctx, bosc_split(ctx, INT32_MAX, f.a, bucket, INT64_MAX / 1000, 4, f.b, offsets), "n");
    for (int i = 0; i < 4; i++) CHECK_ARG(ctx, bosc_split(ctx, 8, f.a, bucket, bad_counts[i], 4, f.b, offsets), "n");
    CHECK_ARG(ctx, bosc_split(ctx, 8, NULL, bucket, 8, 4, f.b, offsets), "in");
    CHECK_ARG(ctx, bosc_split(ctx, 8, f.a, NULL, 8, 4, f.b, offsets), "bucket");
    CHECK_ARG(ctx, bosc_split(ctx, 8, f.a, odd(f.c), 8, 4, f.b, offsets), "bucket");
    static const int64_t bad_buckets[] = {0, -1, (int64_t)UINT32_MAX + 1, INT64_MAX};
    for (int i = 0; i < 4; i++)
        CHECK_ARG(ctx, bosc_split(ctx, 8, f.a, bucket, 8, bad_buckets[i], f.b, offsets), "n_buckets");
    CHECK_ARG(ctx, bosc_split(ctx, 8, f.a, bucket, 8, 4, NULL, offsets), "out");
    CHECK_ARG(ctx, bosc_split(ctx, 8, f.a, bucket, 8, 4, f.a, offsets), "out");
    CHECK_ARG(ctx, bosc_split(ctx, 8, f.a, bucket, 8, 4, f.c, offsets), "out");
    CHECK_ARG(ctx, bosc_split(ctx, 8, f.a, bucket, 8, 4, f.b, NULL), "offsets");
    CHECK_ARG(ctx, bosc_split(ctx, 8, f.a, bucket, 8, 4, f.b, odd(offsets)), "offsets");
    CHECK(unchanged(&f));
}

static void sort_keys(bosc_ctx *ctx)
{
    struct fixture f = make_fixture();
    CHECK_EQ(bosc_sort_keys(NULL, BOSC_U64, f.a, 8, f.b), BOSC_ERR_ARG);
    for (int i = 0; i < 5; i++) CHECK_ARG(ctx, bosc_sort_keys(ctx, (bosc_dtype)bad_types[i], f.a, 8, f.b), "dtype");
    for (int i = 0; i < 4; i++) CHECK_ARG(ctx, bosc_sort_keys(ctx, BOSC_U64, f.a, bad_counts[i], f.b), "n");
    CHECK_ARG(ctx, bosc_sort_keys(ctx, BOSC_U64, NULL, 8, f.b), "keys");
    CHECK_ARG(ctx, bosc_sort_keys(ctx, BOSC_U64, odd(f.a), 7, f.b), "keys");
    CHECK_ARG(ctx, bosc_sort_keys(ctx, BOSC_U64, f.a, 8, NULL), "out");
    CHECK_ARG(ctx, bosc_sort_keys(ctx, BOSC_U64, f.a, 7, odd(f.b)), "out");
    CHECK_ARG(ctx, bosc_sort_keys(ctx, BOSC_U64, f.a, 7, f.a + 1), "out");
    CHECK_ARG(ctx, bosc_sort_keys(ctx, BOSC_U64, f.a + 1, 7, f.a), "out");
    CHECK_ARG(ctx, bosc_sort_keys(ctx, BOSC_F32, f.a, 8, (char *)f.a + 4), "out");
    CHECK(unchanged(&f));
}

static void sort_pairs(bosc_ctx *ctx)
{
    struct fixture f = make_fixture();
#define SORT(dtype, k, vs, v, n, ko, vo) bosc_sort_pairs(ctx, dtype, k, vs, v, n, ko, vo)
    CHECK_EQ(bosc_sort_pairs(NULL, BOSC_U64, f.a, 8, f.b, 8, f.c, f.d), BOSC_ERR_ARG);
    for (int i = 0; i < 5; i++) CHECK_ARG(ctx, SORT((bosc_dtype)bad_types[i], f.a, 8, f.b, 8, f.c, f.d), "dtype");
    static const size_t bad_sizes[] = {0, (size_t)1 << 31, SIZE_MAX / 2, SIZE_MAX};
    CHECK_ARG(ctx, SORT(BOSC_U64, f.a, 1000, f.b, INT64_MAX / 1000 + 1, f.c, f.d), "n");
    CHECK_ARG(ctx, SORT(BOSC_U64, f.a, 12, f.b, 4, f.c, (char *)f.b + 12), "values_out: overlaps");
    for (int i = 0; i < 4; i++) CHECK_ARG(ctx, SORT(BOSC_U64, f.a, bad_sizes[i], f.b, 8, f.c, f.d), "value_size");
    for (int i = 0; i < 4; i++) CHECK_ARG(ctx, SORT(BOSC_U64, f.a, 8, f.b, bad_counts[i], f.c, f.d), "n");
    CHECK_ARG(ctx, SORT(BOSC_U64, NULL, 8, f.b, 8, f.c, f.d), "keys");
    CHECK_ARG(ctx, SORT(BOSC_U64, f.a, 8, NULL, 8, f.c, f.d), "values");
    CHECK_ARG(ctx, SORT(BOSC_U64, f.a, 8, odd(f.b), 7, f.c, f.d), "values");
    CHECK_ARG(ctx, SORT(BOSC_U64, f.a, 8, f.b, 8, NULL, f.d), "keys_out");
    CHECK_ARG(ctx, SORT(BOSC_U64, f.a, 8, f.b, 8, f.b, f.d), "keys_out");
    CHECK_ARG(ctx, SORT(BOSC_U64, f.a, 8, f.b, 7, f.a + 1, f.d), "keys_out");
    CHECK_ARG(ctx, SORT(BOSC_U64, f.a, 8, f.b, 8, f.c, NULL), "values_out");
    CHECK_ARG(ctx, SORT(BOSC_U64, f.a, 8, f.b, 8, f.c, f.c), "values_out");
    CHECK_ARG(ctx, SORT(BOSC_U64, f.a, 8, f.b, 8, f.c, f.a), "values_out");
#undef SORT
    CHECK(unchanged(&f));
}

static void merge(bosc_ctx *ctx)
{
    struct fixture f = make_fixture();
    CHECK_EQ(bosc_merge(NULL, BOSC_U64, f.a, 4, f.b, 4, f.c), BOSC_ERR_ARG);
    for (int i = 0; i < 5; i++) CHECK_ARG(ctx, bosc_merge(ctx, (bosc_dtype)bad_types[i], f.a, 4, f.b, 4, f.c), "dtype");
    for (int i = 0; i < 4; i++) {
        CHECK_ARG(ctx, bosc_merge(ctx, BOSC_U64, f.a, bad_counts[i], f.b, 4, f.c), "na");
        CHECK_ARG(ctx, bosc_merge(ctx, BOSC_U64, f.a, 4, f.b, bad_counts[i], f.c), "nb");
    }
    CHECK_ARG(ctx, bosc_merge(ctx, BOSC_U64, f.a, PTRDIFF_MAX / 8, f.b, PTRDIFF_MAX / 8, f.c), "nb");
    CHECK_ARG(ctx, bosc_merge(ctx, BOSC_U64, NULL, 4, f.b, 4, f.c), "a");
    CHECK_ARG(ctx, bosc_merge(ctx, BOSC_U64, f.a, 4, NULL, 4, f.c), "b");
    CHECK_ARG(ctx, bosc_merge(ctx, BOSC_U64, f.a, 4, odd(f.b), 4, f.c), "b");
    CHECK_ARG(ctx, bosc_merge(ctx, BOSC_U64, f.a, 4, f.b, 4, NULL), "out");
    CHECK_ARG(ctx, bosc_merge(ctx, BOSC_U64, f.a, 4, f.b, 4, f.a), "out");
    CHECK_ARG(ctx, bosc_merge(ctx, BOSC_U64, f.a, 4, f.b + 4, 4, f.b), "out");
    CHECK(unchanged(&f));
}

static void merge_pairs(bosc_ctx *ctx)
{
    struct fixture f = make_fixture();
    uint64_t k[8], v[8];
#define MERGE(dtype, vs, ak, av, na, bk, bv, nb, ko, vo) \
    bosc_merge_pairs(ctx, dtype, vs, ak, av, na, bk, bv, nb, ko, vo)
    CHECK_EQ(bosc_merge_pairs(NULL, BOSC_U64, 8, f.a, f.b, 4, f.c, f.d, 4, k, v), BOSC_ERR_ARG);
    for (int i = 0; i < 5; i++)
        CHECK_ARG(ctx, MERGE((bosc_dtype)bad_types[i], 8, f.a, f.b, 4, f.c, f.d, 4, k, v), "dtype");
    CHECK_ARG(ctx, MERGE(BOSC_U64, 0, f.a, f.b, 4, f.c, f.d, 4, k, v), "value_size");
    CHECK_ARG(ctx, MERGE(BOSC_U64, 5, f.a, f.b, 4, f.c, f.d, 4, k, v), "value_size");
    CHECK_ARG(ctx, MERGE(BOSC_U64, 8, f.a, f.b, -4, f.c, f.d, 4, k, v), "na");
    CHECK_ARG(ctx, MERGE(BOSC_U64, 8, f.a, f.b, 4, f.c, f.d, -1, k, v), "nb");
    CHECK_ARG(ctx, MERGE(BOSC_U64, 8, NULL, f.b, 4, f.c, f.d, 4, k, v), "a_keys");
    CHECK_ARG(ctx, MERGE(BOSC_U64, 8, f.a, NULL, 4, f.c, f.d, 4, k, v), "a_values");
    CHECK_ARG(ctx, MERGE(BOSC_U64, 8, f.a, f.b, 4, NULL, f.d, 4, k, v), "b_keys");
    CHECK_ARG(ctx, MERGE(BOSC_U64, 8, f.a, f.b, 4, f.c, NULL, 4, k, v), "b_values");
    CHECK_ARG(ctx, MERGE(BOSC_U64, 8, f.a, f.b, 4, f.c, f.d, 4, NULL, v), "keys_out");
    CHECK_ARG(ctx, MERGE(BOSC_U64, 8, f.a, f.b, 4, f.c, f.d, 4, k, NULL), "values_out");
    CHECK_ARG(ctx, MERGE(BOSC_U64, 8, f.a, f.b, 4, f.c, f.d, 4, f.b, v), "keys_out");
    CHECK_ARG(ctx, MERGE(BOSC_U64, 8, f.a, f.b, 4, f.c, f.d, 4, k, f.c), "values_out");
    CHECK_ARG(ctx, MERGE(BOSC_U64, 8, f.a, f.b, 4, f.c, f.d, 4, k, k), "values_out");
    CHECK_ARG(ctx, MERGE(BOSC_U64, 8, f.a, f.b, 4, f.c, f.d, 4, k, odd(v)), "values_out");
#undef MERGE
    CHECK(unchanged(&f));
}

static void sort_superkey(bosc_ctx *ctx)
{
    struct fixture f = make_fixture();
    uint32_t *perm = (uint32_t *)f.b;
    static const int not_coordinates[] = {0, -1, BOSC_U32, BOSC_U64, BOSC_U8, 50};
    CHECK_EQ(bosc_sort_superkey(NULL, BOSC_F32, f.a, 4, 2, 0, perm), BOSC_ERR_ARG);
    for (int i = 0; i < 6; i++)
        CHECK_ARG(ctx, bosc_sort_superkey(ctx, (bosc_dtype)not_coordinates[i], f.a, 4, 2, 0, perm), "dtype");
    static const int32_t bad_dims[] = {0, -1, 1025, INT32_MAX, INT32_MIN};
    for (int i = 0; i < 5; i++) CHECK_ARG(ctx, bosc_sort_superkey(ctx, BOSC_F32, f.a, 4, bad_dims[i], 0, perm), "dim");
    CHECK_ARG(ctx, bosc_sort_superkey(ctx, BOSC_F32, f.a, 4, 2, 2, perm), "first");
    CHECK_ARG(ctx, bosc_sort_superkey(ctx, BOSC_F32, f.a, 4, 2, -1, perm), "first");
    for (int i = 0; i < 4; i++) CHECK_ARG(ctx, bosc_sort_superkey(ctx, BOSC_F32, f.a, bad_counts[i], 1, 0, perm), "n");
    CHECK_ARG(ctx, bosc_sort_superkey(ctx, BOSC_F32, f.a, UINT32_MAX, 1, 0, perm), "n");
    CHECK_ARG(ctx, bosc_sort_superkey(ctx, BOSC_F32, NULL, 4, 2, 0, perm), "points");
    CHECK_ARG(ctx, bosc_sort_superkey(ctx, BOSC_F32, odd(f.a), 4, 2, 0, perm), "points");
    CHECK_ARG(ctx, bosc_sort_superkey(ctx, BOSC_F32, f.a, 4, 2, 0, NULL), "perm");
    CHECK_ARG(ctx, bosc_sort_superkey(ctx, BOSC_F32, f.a, 4, 2, 0, odd(f.b)), "perm");
    CHECK_ARG(ctx, bosc_sort_superkey(ctx, BOSC_F32, f.a, 4, 2, 0, (uint32_t *)f.a), "perm");
    CHECK(unchanged(&f));
}

/* Without items all arrays are optional. */
static void accepts_no_items(bosc_ctx *ctx)
{
    int64_t count = -1, offsets[3] = {-1, -1, -1};
    CHECK_OK(ctx, bosc_scan(ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_F32, NULL, 0, NULL));
    CHECK_OK(ctx, bosc_scan_segmented(ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_F32, NULL, NULL, 0, NULL));
    CHECK_OK(ctx, bosc_compact(ctx, 4, NULL, NULL, 0, NULL, &count));
    CHECK_EQ(count, 0);
    CHECK_OK(ctx, bosc_split(ctx, 4, NULL, NULL, 0, 2, NULL, offsets));
    CHECK(offsets[0] == 0 && offsets[1] == 0 && offsets[2] == 0);
    CHECK_OK(ctx, bosc_histogram(ctx, NULL, 0, 1, &count));
    CHECK_OK(ctx, bosc_sort_keys(ctx, BOSC_F32, NULL, 0, NULL));
    CHECK_OK(ctx, bosc_sort_pairs(ctx, BOSC_F32, NULL, 4, NULL, 0, NULL, NULL));
    CHECK_OK(ctx, bosc_merge(ctx, BOSC_F32, NULL, 0, NULL, 0, NULL));
    CHECK_OK(ctx, bosc_merge_pairs(ctx, BOSC_F32, 8, NULL, NULL, 0, NULL, NULL, 0, NULL, NULL));
    CHECK_OK(ctx, bosc_sort_superkey(ctx, BOSC_F32, NULL, 0, 3, 0, NULL));
}

static const struct suite_case suite_cases_prims_args[] = {
    {"reduce", reduce, NULL},
    {"scan", scan, NULL},
    {"scan_segmented", scan_segmented, NULL},
    {"compact", compact, NULL},
    {"histogram", histogram, NULL},
    {"split", split, NULL},
    {"sort_keys", sort_keys, NULL},
    {"sort_pairs", sort_pairs, NULL},
    {"merge", merge, NULL},
    {"merge_pairs", merge_pairs, NULL},
    {"sort_superkey", sort_superkey, NULL},
    {"nothing", accepts_no_items, NULL},
};
SUITE(prims_args);
