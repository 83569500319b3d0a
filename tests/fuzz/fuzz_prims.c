/* Compares sequences of primitives with plain versions, on small arrays and on lengths near a tile. Each operation
 * reads a byte for its kind, one for the type, and some for the items. */
#include "reference/prims.c"
#include "fuzz.h"

enum { ITEMS = 5000, TABLE = 24 };

struct items {
    bosc_dtype dtype;
    int64_t n;
    uint64_t data[ITEMS], more[ITEMS];
    uint32_t bucket[ITEMS];
    uint8_t flags[ITEMS];
};

static uint64_t out[ITEMS], expected_out[ITEMS], out_values[ITEMS], expected_values[ITEMS];
static int64_t order[ITEMS], offsets[300], expected_offsets[300];

static void require_equal(const void *a, const void *b, size_t bytes)
{
    if (bytes && memcmp(a, b, bytes) != 0) abort();
}

static int64_t read_count(struct input *in)
{
    static const int64_t tiles[8] = {255, 256, 1023, 1024, 1025, 2049, 4095, 4097};
    uint32_t byte = next_byte(in);
    return byte < 192 ? byte : tiles[byte % 8];
}

/* Returns the bits of a value: a small number, an extreme of the type, a NaN of either sign, or any. */
static uint64_t read_bits(struct input *in, bosc_dtype dtype)
{
    static const uint64_t extremes_64[8] = {0,          UINT64_MAX,         (uint64_t)INT64_MAX, (uint64_t)INT64_MIN,
                                            0xffffffff, 0x7ff8000000000001, 0xfff0000000000000,  0x8000000080000000};
    static const uint32_t extremes_32[8] = {0,          UINT32_MAX, INT32_MAX,  0x80000000,
                                            0x7f800000, 0x7fc00001, 0xff800000, 0x00000001};
    uint32_t byte = next_byte(in);
    uint64_t bits = 0;
    float single = (float)(int)(byte % 32) / 8 - 1;
    double real = (double)single;
    if (byte < 160) {
        bits = (uint64_t)(int64_t)(byte % 16) - 4;
        if (dtype == BOSC_F32) memcpy(&bits, &single, sizeof single);
        if (dtype == BOSC_F64) memcpy(&bits, &real, sizeof real);
    } else if (byte < 208) {
        bits = bosc_dtype_size(dtype) == 4 ? extremes_32[byte % 8] : extremes_64[byte % 8];
    } else {
        for (int i = 0; i < 8; i++) bits = bits << 8 | next_byte(in);
    }
    return bits;
}

/* Reads items that repeat a table of values. */
static void read_items(struct input *in, struct items *t)
{
    static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64, BOSC_U32, BOSC_U64};
    uint64_t table[TABLE];
    uint32_t kind = next_byte(in), count = 1 + next_byte(in) % TABLE, step = 1 + next_byte(in);
    size_t size = bosc_dtype_size(t->dtype = dtypes[kind % 6]);
    t->n = read_count(in);
    for (uint32_t i = 0; i < count; i++) table[i] = read_bits(in, t->dtype);
    for (int64_t i = 0; i < t->n; i++) {
        uint64_t bits = table[(uint64_t)i * step % count];
        if (kind & 64) bits += (uint64_t)i / count;
        memcpy((char *)t->data + (size_t)i * size, &bits, size);
        t->more[i] = (uint64_t)i * 0x9e3779b97f4a7c15u;
        t->flags[i] = (uint8_t)(table[(uint64_t)i * 7 % count] >> 3 & (step | 1));
        t->bucket[i] = (uint32_t)(bits % 251);
    }
}

static void check_sums(bosc_ctx *ctx, const struct items *t, uint32_t what)
{
    size_t size = bosc_dtype_size(t->dtype), bytes = (size_t)t->n * size;
    bosc_op op = (bosc_op)(what / 8 % 3);
    bosc_scan_kind kind = (bosc_scan_kind)(what / 24 % 2);
    const uint8_t *heads = what / 48 % 2 ? t->flags : NULL;
    require_ok(bosc_reduce(ctx, op, t->dtype, t->data, t->n, out));
    reference_reduce(op, t->dtype, t->data, t->n, expected_out);
    require_equal(out, expected_out, size);
    if (heads)
        require_ok(bosc_scan_segmented(ctx, op, kind, t->dtype, t->data, heads, t->n, out));
    else
        require_ok(bosc_scan(ctx, op, kind, t->dtype, t->data, t->n, out));
    reference_scan(op, kind, t->dtype, t->data, heads, t->n, expected_out);
    require_equal(out, expected_out, bytes);
}

static void check_moves(bosc_ctx *ctx, const struct items *t, uint32_t what)
{
    static const size_t sizes[8] = {1, 2, 3, 4, 5, 8, 12, 16};
    size_t size = sizes[what / 8 % 8];
    int64_t n = t->n * (int64_t)size > (int64_t)sizeof t->data ? (int64_t)(sizeof t->data / size) : t->n, count;
    int64_t buckets = 1 + what / 64 * 83; /* 1 to 250 */
    uint32_t bucket[ITEMS];
    require_ok(bosc_compact(ctx, size, t->data, t->flags, n, out, &count));
    if (count != reference_compact(size, t->data, t->flags, n, expected_out)) abort();
    require_equal(out, expected_out, (size_t)count * size);
    for (int64_t i = 0; i < n; i++) bucket[i] = (uint32_t)(t->bucket[i] % buckets);
    require_ok(bosc_split(ctx, size, t->data, bucket, n, buckets, out, offsets));
    reference_split(size, t->data, bucket, n, buckets, expected_out, expected_offsets);
    require_equal(out, expected_out, (size_t)n * size);
    require_equal(offsets, expected_offsets, (size_t)(buckets + 1) * sizeof *offsets);
    require_ok(bosc_histogram(ctx, bucket, n, buckets, order));
    for (int64_t b = 0; b < buckets; b++)
        if (order[b] != offsets[b + 1] - offsets[b]) abort();
}

/* Computes keys and values in the order of the reference. */
static void sort_by_reference(const struct items *t, const void *keys, size_t value_size, void *sorted, void *values)
{
    size_t size = bosc_dtype_size(t->dtype);
    reference_order(t->dtype, keys, t->n, order);
    for (int64_t i = 0; i < t->n; i++) {
        memcpy((char *)sorted + (size_t)i * size, (const char *)keys + (size_t)order[i] * size, size);
        memcpy((char *)values + (size_t)i * value_size, (const char *)t->more + (size_t)order[i] * value_size,
               value_size);
    }
}

static void check_sorts(bosc_ctx *ctx, const struct items *t, uint32_t what)
{
    size_t size = bosc_dtype_size(t->dtype), bytes = (size_t)t->n * size, value_size = what / 8 % 2 ? 8 : 4;
    sort_by_reference(t, t->data, value_size, expected_out, expected_values);
    require_ok(bosc_sort_keys(ctx, t->dtype, t->data, t->n, out));
    require_equal(out, expected_out, bytes);
    require_ok(bosc_sort_pairs(ctx, t->dtype, t->data, value_size, t->more, t->n, out, out_values));
    require_equal(out, expected_out, bytes);
    require_equal(out_values, expected_values, (size_t)t->n * value_size);
}

/* Merging two sorted halves must equal sorting their concatenation. */
static void check_merges(bosc_ctx *ctx, const struct items *t, uint32_t what)
{
    static uint64_t halves[ITEMS];
    size_t size = bosc_dtype_size(t->dtype), bytes = (size_t)t->n * size, value_size = what / 8 % 2 ? 8 : 4;
    int64_t na = t->n * (what / 16) / 15, nb = t->n - na;
    const char *b = (const char *)halves + (size_t)na * size, *more = (const char *)t->more + (size_t)na * value_size;
    require_ok(bosc_sort_keys(ctx, t->dtype, t->data, na, halves));
    require_ok(bosc_sort_keys(ctx, t->dtype, (const char *)t->data + (size_t)na * size, nb, (char *)(uintptr_t)b));
    sort_by_reference(t, halves, value_size, expected_out, expected_values);
    require_ok(bosc_merge(ctx, t->dtype, halves, na, b, nb, out));
    require_equal(out, expected_out, bytes);
    require_ok(bosc_merge_pairs(ctx, t->dtype, value_size, halves, t->more, na, b, more, nb, out, out_values));
    require_equal(out, expected_out, bytes);
    require_equal(out_values, expected_values, (size_t)t->n * value_size);
}

static void check_superkey(bosc_ctx *ctx, const struct items *t, uint32_t what)
{
    static uint32_t perm[ITEMS], expected[ITEMS];
    int32_t dim = 1 + (int32_t)(what / 8 % 4), first = (int32_t)(what / 32) % dim;
    if (t->dtype == BOSC_U32 || t->dtype == BOSC_U64) return;
    require_ok(bosc_sort_superkey(ctx, t->dtype, t->data, t->n / dim, dim, first, perm));
    reference_superkey(t->dtype, t->data, t->n / dim, dim, first, expected);
    require_equal(perm, expected, (size_t)(t->n / dim) * sizeof *perm);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct items t;
    bosc_ctx *ctx = fuzz_context();
    struct input in = {data, size};
    for (int operations = 0; in.size && operations < 8; operations++) {
        uint32_t what = next_byte(&in);
        read_items(&in, &t);
        switch (what % 8) {
        case 0:
        case 1:
        case 2: check_sums(ctx, &t, what); break;
        case 3:
        case 4: check_moves(ctx, &t, what); break;
        case 5: check_sorts(ctx, &t, what); break;
        case 6: check_merges(ctx, &t, what); break;
        default: check_superkey(ctx, &t, what); break;
        }
    }
    return 0;
}
