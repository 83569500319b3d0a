/* Sorts of items of any size, and splits into many buckets: both sort keys with their row numbers, then gather the
 * items. */
#include <string.h>

#include "base/bits.h"
#include "core/call.h"
#include "core/cpu/collectives.h"

enum { GRAIN = BI_THREAD_ITEMS / 4 };

/* Row numbers in an order: uint32_t, or uint64_t if is_64bit. */
struct order {
    void *rows;
    bool is_64bit;
};

/* Items of a constant size are copied by single instructions. */
#define GATHER(bytes)                                 \
    BI_PARALLEL_FOR(threads, (static), i, begin, end, \
                    memcpy(to + i * (bytes), from + (int64_t)order[i] * (bytes), (size_t)(bytes)))
#define DEFINE_GATHER(name, order_t)                                                                                \
    static void name(int threads, int64_t size, const char *from, const order_t *order, int64_t begin, int64_t end, \
                     char *to)                                                                                      \
    {                                                                                                               \
        switch (size) {                                                                                             \
        case 1: GATHER(1); break;                                                                                   \
        case 2: GATHER(2); break;                                                                                   \
        case 4: GATHER(4); break;                                                                                   \
        case 8: GATHER(8); break;                                                                                   \
        case 16: GATHER(16); break;                                                                                 \
        default: GATHER(size); break;                                                                               \
        }                                                                                                           \
    }
DEFINE_GATHER(gather_by_u32, uint32_t)
DEFINE_GATHER(gather_by_u64, uint64_t)

/* Sorts keys (n > 0) to keys_out, which may be keys; *order, in scratch, gets the row number of each. */
static bosc_status sort_with_rows(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n, void *keys_out,
                                  int first_bit, int last_bit, struct order *order)
{
    const size_t row = n > (int64_t)UINT32_MAX ? 8 : 4;
    order->is_64bit = row == 8;
    BI_TRY(bi_scratch(ctx, (size_t)n * row, &order->rows));
    BI_TRY(bi_cpu_iota(ctx, row, order->rows, n));
    return bi_radix_sort_pairs(ctx, dtype, keys, row, order->rows, n, keys_out, order->rows, first_bit, last_bit);
}

/* out[i] is item order[i] of `in`, which is another array. */
static bosc_status gather_items(bosc_ctx *ctx, size_t item_size, const void *in, const struct order *order, int64_t n,
                                void *out)
{
    struct bi_batches p = bi_batches_of(ctx, n, 1);
    while (bi_next_batch(ctx, &p)) {
        const int threads = bi_thread_count(ctx, p.end - p.begin, GRAIN);
        if (order->is_64bit)
            gather_by_u64(threads, (int64_t)item_size, in, order->rows, p.begin, p.end, out);
        else
            gather_by_u32(threads, (int64_t)item_size, in, order->rows, p.begin, p.end, out);
    }
    return p.status;
}

/* Copies items in batches, so that copies of large items report progress. */
static bosc_status copy_items(bosc_ctx *ctx, size_t item_size, const char *from, int64_t n, char *to)
{
    struct bi_batches p = bi_batches_of(ctx, n, 1);
    while (bi_next_batch(ctx, &p))
        memcpy(to + (size_t)p.begin * item_size, from + (size_t)p.begin * item_size,
               (size_t)(p.end - p.begin) * item_size);
    return p.status;
}

static bosc_status sort_records(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, size_t value_size,
                                const void *values, int64_t n, void *keys_out, void *values_out, int first_bit,
                                int last_bit)
{
    struct order order;
    void *to = values_out;
    if (values == values_out) BI_TRY(bi_scratch(ctx, (size_t)n * value_size, &to));
    BI_TRY(sort_with_rows(ctx, dtype, keys, n, keys_out, first_bit, last_bit, &order));
    BI_TRY(gather_items(ctx, value_size, values, &order, n, to));
    return to == values_out ? BOSC_OK : copy_items(ctx, value_size, to, n, values_out);
}

bosc_status bi_cpu_sort_pairs(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, size_t value_size, const void *values,
                              int64_t n, void *keys_out, void *values_out, int first_bit, int last_bit)
{
    if (n == 0) return BOSC_OK;
    if (value_size == 0 || value_size == 4 || value_size == 8)
        return bi_radix_sort_pairs(ctx, dtype, keys, value_size, values, n, keys_out, values_out, first_bit, last_bit);
    BI_RETURN_WITH_SCRATCH(
        ctx, sort_records(ctx, dtype, keys, value_size, values, n, keys_out, values_out, first_bit, last_bit));
}

/* Finds where buckets begin among sorted items: item i sets the offsets of the buckets after that of item i - 1, up to
 * its own. Item n, behind the last, sets the rest. */
static bosc_status find_offsets(bosc_ctx *ctx, const uint32_t *sorted, int64_t n, int64_t n_buckets, int64_t *offsets)
{
    struct bi_batches p = bi_batches_of(ctx, n + 1, 1 + (double)n_buckets / (double)(n + 1));
    while (bi_next_batch(ctx, &p)) {
        BI_PARALLEL_FOR(bi_thread_count(ctx, p.end - p.begin, GRAIN), (static), i, p.begin, p.end, {
            const int64_t from = i > 0 ? (int64_t)sorted[i - 1] + 1 : 0, to = i < n ? (int64_t)sorted[i] : n_buckets;
            for (int64_t b = from; b <= to; b++) offsets[b] = i;
        });
    }
    return p.status;
}

static bosc_status find_wrong_bucket(bosc_ctx *ctx, const uint32_t *bucket, int64_t n, int64_t n_buckets, bool *found)
{
    int wrong = 0;
    struct bi_batches p = bi_batches_of(ctx, n, 1);
    while (bi_next_batch(ctx, &p)) {
        BI_PARALLEL_OR(bi_thread_count(ctx, p.end - p.begin, GRAIN), wrong, i, p.begin, p.end, bucket[i] >= n_buckets);
    }
    *found = wrong;
    return p.status;
}

static bosc_status split_by_sort(bosc_ctx *ctx, size_t item_size, const void *in, const uint32_t *bucket, int64_t n,
                                 int64_t n_buckets, void *out, int64_t *offsets)
{
    struct order order;
    void *sorted;
    BI_TRY(bi_scratch(ctx, (size_t)n * sizeof *bucket, &sorted));
    BI_TRY(sort_with_rows(ctx, BOSC_U32, bucket, n, sorted, 0, bi_bit_length((uint64_t)n_buckets - 1), &order));
    BI_TRY(find_offsets(ctx, sorted, n, n_buckets, offsets));
    return gather_items(ctx, item_size, in, &order, n, out);
}

bosc_status bi_cpu_split_by_sort(bosc_ctx *ctx, size_t item_size, const void *in, const uint32_t *bucket, int64_t n,
                                 int64_t n_buckets, void *out, int64_t *offsets, uint32_t *bad)
{
    bool wrong;
    if (n == 0) {
        memset(offsets, 0, (size_t)(n_buckets + 1) * sizeof *offsets);
        return BOSC_OK;
    }
    BI_TRY(find_wrong_bucket(ctx, bucket, n, n_buckets, &wrong));
    if (wrong) {
        *bad = 1;
        return BOSC_OK;
    }
    BI_RETURN_WITH_SCRATCH(ctx, split_by_sort(ctx, item_size, in, bucket, n, n_buckets, out, offsets));
}
