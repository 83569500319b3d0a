/* Sequences of primitives on small arrays and on some about as long as the tiles that they are cut into, beside plain
 * versions. Each takes a byte for what it is, one for its type, and some for the items. */
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

static uint64_t out[ITEMS], want[ITEMS], out_values[ITEMS], want_values[ITEMS];
static int64_t order[ITEMS], offsets[300], want_offsets[300];

static void same(const void *a, const void *b, size_t bytes)
{
    if (bytes && memcmp(a, b, bytes) != 0) abort();
}

static int64_t take_count(struct input *in)
{
    static const int64_t tiles[8] = {255, 256, 1023, 1024, 1025, 2049, 4095, 4097};
    uint32_t byte = take(in);
    return byte < 192 ? byte : tiles[byte % 8];
}

/* Bits of a value: a small number, an end of the type, a NaN of either sign, or any. */
static uint64_t take_bits(struct input *in, bosc_dtype dtype)
{
    static const uint64_t wide[8] = {0,          UINT64_MAX,         (uint64_t)INT64_MAX, (uint64_t)INT64_MIN,
                                     0xffffffff, 0x7ff8000000000001, 0xfff0000000000000,  0x8000000080000000};
    static const uint32_t narrow[8] = {0,          UINT32_MAX, INT32_MAX,  0x80000000,
                                       0x7f800000, 0x7fc00001, 0xff800000, 0x00000001};
    uint32_t byte = take(in);
    uint64_t bits = 0;
    float single = (float)(int)(byte % 32) / 8 - 1;
    double real = (double)single;
    if (byte < 160) {
        bits = (uint64_t)(int64_t)(byte % 16) - 4;
        if (dtype == BOSC_F32) memcpy(&bits, &single, sizeof single);
        if (dtype == BOSC_F64) memcpy(&bits, &real, sizeof real);
    } else if (byte < 208) {
        bits = bosc_dtype_size(dtype) == 4 ? narrow[byte % 8] : wide[byte % 8];
    } else {
        for (int i = 0; i < 8; i++) bits = bits << 8 | take(in);
    }
    return bits;
}

/* Items that repeat a table of values. */
static void take_items(struct input *in, struct items *t)
{
    static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64, BOSC_U32, BOSC_U64};
    uint64_t table[TABLE];
    uint32_t kind = take(in), count = 1 + take(in) % TABLE, step = 1 + take(in);
    size_t size = bosc_dtype_size(t->dtype = dtypes[kind % 6]);
    t->n = take_count(in);
    for (uint32_t i = 0; i < count; i++) table[i] = take_bits(in, t->dtype);
    for (int64_t i = 0; i < t->n; i++) {
        uint64_t bits = table[(uint64_t)i * step % count];
        if (kind & 64) bits += (uint64_t)i / count;
        memcpy((char *)t->data + (size_t)i * size, &bits, size);
        t->more[i] = (uint64_t)i * 0x9e3779b97f4a7c15u;
        t->flags[i] = (uint8_t)(table[(uint64_t)i * 7 % count] >> 3 & (step | 1));
        t->bucket[i] = (uint32_t)(bits % 251);
    }
}

static void sum_up(bosc_ctx *ctx, const struct items *t, uint32_t what)
{
    size_t size = bosc_dtype_size(t->dtype), bytes = (size_t)t->n * size;
    bosc_op op = (bosc_op)(what / 8 % 3);
    bosc_scan_kind kind = (bosc_scan_kind)(what / 24 % 2);
    const uint8_t *heads = what / 48 % 2 ? t->flags : NULL;
    must(bosc_reduce(ctx, op, t->dtype, t->data, t->n, out));
    reference_reduce(op, t->dtype, t->data, t->n, want);
    same(out, want, size);
    if (heads)
        must(bosc_scan_segmented(ctx, op, kind, t->dtype, t->data, heads, t->n, out));
    else
        must(bosc_scan(ctx, op, kind, t->dtype, t->data, t->n, out));
    reference_scan(op, kind, t->dtype, t->data, heads, t->n, want);
    same(out, want, bytes);
}

static void move(bosc_ctx *ctx, const struct items *t, uint32_t what)
{
    static const size_t sizes[8] = {1, 2, 3, 4, 5, 8, 12, 16};
    size_t size = sizes[what / 8 % 8];
    int64_t n = t->n * (int64_t)size > (int64_t)sizeof t->data ? (int64_t)(sizeof t->data / size) : t->n, count;
    int64_t buckets = 1 + what / 64 * 83; /* 1 to 250 */
    uint32_t bucket[ITEMS];
    must(bosc_compact(ctx, size, t->data, t->flags, n, out, &count));
    if (count != reference_compact(size, t->data, t->flags, n, want)) abort();
    same(out, want, (size_t)count * size);
    for (int64_t i = 0; i < n; i++) bucket[i] = (uint32_t)(t->bucket[i] % buckets);
    must(bosc_split(ctx, size, t->data, bucket, n, buckets, out, offsets));
    reference_split(size, t->data, bucket, n, buckets, want, want_offsets);
    same(out, want, (size_t)n * size);
    same(offsets, want_offsets, (size_t)(buckets + 1) * sizeof *offsets);
    must(bosc_histogram(ctx, bucket, n, buckets, order));
    for (int64_t b = 0; b < buckets; b++)
        if (order[b] != offsets[b + 1] - offsets[b]) abort();
}

/* Keys and values in the order of the reference. */
static void arrange(const struct items *t, const void *keys, size_t value_size, void *sorted, void *values)
{
    size_t size = bosc_dtype_size(t->dtype);
    reference_order(t->dtype, keys, t->n, order);
    for (int64_t i = 0; i < t->n; i++) {
        memcpy((char *)sorted + (size_t)i * size, (const char *)keys + (size_t)order[i] * size, size);
        memcpy((char *)values + (size_t)i * value_size, (const char *)t->more + (size_t)order[i] * value_size,
               value_size);
    }
}

static void sort(bosc_ctx *ctx, const struct items *t, uint32_t what)
{
    size_t size = bosc_dtype_size(t->dtype), bytes = (size_t)t->n * size, value_size = what / 8 % 2 ? 8 : 4;
    arrange(t, t->data, value_size, want, want_values);
    must(bosc_sort_keys(ctx, t->dtype, t->data, t->n, out));
    same(out, want, bytes);
    must(bosc_sort_pairs(ctx, t->dtype, t->data, value_size, t->more, t->n, out, out_values));
    same(out, want, bytes);
    same(out_values, want_values, (size_t)t->n * value_size);
}

/* Two halves, each sorted, merge into what sorting gives of one behind the other. */
static void merge(bosc_ctx *ctx, const struct items *t, uint32_t what)
{
    static uint64_t halves[ITEMS];
    size_t size = bosc_dtype_size(t->dtype), bytes = (size_t)t->n * size, value_size = what / 8 % 2 ? 8 : 4;
    int64_t na = t->n * (what / 16) / 15, nb = t->n - na;
    const char *b = (const char *)halves + (size_t)na * size, *more = (const char *)t->more + (size_t)na * value_size;
    must(bosc_sort_keys(ctx, t->dtype, t->data, na, halves));
    must(bosc_sort_keys(ctx, t->dtype, (const char *)t->data + (size_t)na * size, nb, (char *)(uintptr_t)b));
    arrange(t, halves, value_size, want, want_values);
    must(bosc_merge(ctx, t->dtype, halves, na, b, nb, out));
    same(out, want, bytes);
    must(bosc_merge_pairs(ctx, t->dtype, value_size, halves, t->more, na, b, more, nb, out, out_values));
    same(out, want, bytes);
    same(out_values, want_values, (size_t)t->n * value_size);
}

static void superkey(bosc_ctx *ctx, const struct items *t, uint32_t what)
{
    static uint32_t perm[ITEMS], expected[ITEMS];
    int32_t dim = 1 + (int32_t)(what / 8 % 4), first = (int32_t)(what / 32) % dim;
    if (t->dtype == BOSC_U32 || t->dtype == BOSC_U64) return;
    must(bosc_sort_superkey(ctx, t->dtype, t->data, t->n / dim, dim, first, perm));
    reference_superkey(t->dtype, t->data, t->n / dim, dim, first, expected);
    same(perm, expected, (size_t)(t->n / dim) * sizeof *perm);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct items t;
    bosc_ctx *ctx = fuzz_context();
    struct input in = {data, size};
    for (int operations = 0; in.size && operations < 8; operations++) {
        uint32_t what = take(&in);
        take_items(&in, &t);
        switch (what % 8) {
        case 0:
        case 1:
        case 2: sum_up(ctx, &t, what); break;
        case 3:
        case 4: move(ctx, &t, what); break;
        case 5: sort(ctx, &t, what); break;
        case 6: merge(ctx, &t, what); break;
        default: superkey(ctx, &t, what); break;
        }
    }
    return 0;
}
