/* Each allocation, copy and launch of each primitive fails in turn. */
#include <stdlib.h>
#include <string.h>

#include "support/faults.h"

enum { N = 40000, BUCKETS = 100, PATTERN = 0x5a };

/* Inputs, and the outputs of one call with their expected values. */
struct data {
    float *a;
    uint32_t *values, *buckets;
    uint8_t *flags;
    unsigned char *out, *more, *want, *want_more;
    size_t bytes, more_bytes;
    bosc_status (*call)(bosc_ctx *ctx, struct data *d);
};

static bosc_status reduce(bosc_ctx *ctx, struct data *d)
{
    return bosc_reduce(ctx, BOSC_SUM, BOSC_F32, d->a, N, d->out);
}

static bosc_status scan(bosc_ctx *ctx, struct data *d)
{
    return bosc_scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_F32, d->a, N, d->out);
}

static bosc_status scan_segmented(bosc_ctx *ctx, struct data *d)
{
    return bosc_scan_segmented(ctx, BOSC_MIN, BOSC_INCLUSIVE, BOSC_F32, d->a, d->flags, N, d->out);
}

static bosc_status compact(bosc_ctx *ctx, struct data *d)
{
    return bosc_compact(ctx, 4, d->a, d->flags, N, d->out, (int64_t *)(void *)d->more);
}

static bosc_status histogram(bosc_ctx *ctx, struct data *d)
{
    return bosc_histogram(ctx, d->buckets, N, BUCKETS, (int64_t *)(void *)d->out);
}

static bosc_status split(bosc_ctx *ctx, struct data *d)
{
    return bosc_split(ctx, 4, d->a, d->buckets, N, BUCKETS, d->out, (int64_t *)(void *)d->more);
}

static bosc_status sort_keys(bosc_ctx *ctx, struct data *d) { return bosc_sort_keys(ctx, BOSC_F32, d->a, N, d->out); }

static bosc_status sort_pairs(bosc_ctx *ctx, struct data *d)
{
    return bosc_sort_pairs(ctx, BOSC_F32, d->a, 4, d->values, N, d->out, d->more);
}

/* Values of 3 bytes. */
static bosc_status sort_records(bosc_ctx *ctx, struct data *d)
{
    return bosc_sort_pairs(ctx, BOSC_F32, d->a, 3, d->values, N, d->out, d->more);
}

static bosc_status split_by_sort(bosc_ctx *ctx, struct data *d)
{
    static int64_t offsets[70001];
    return bosc_split(ctx, 4, d->a, d->buckets, N, 70000, d->out, offsets);
}

static bosc_status merge(bosc_ctx *ctx, struct data *d)
{
    return bosc_merge(ctx, BOSC_U32, d->values, N / 2, d->values + N / 2, N / 2, d->out);
}

static bosc_status merge_pairs(bosc_ctx *ctx, struct data *d)
{
    return bosc_merge_pairs(ctx, BOSC_U32, 4, d->values, d->a, N / 2, d->values + N / 2, d->a, N / 2, d->out, d->more);
}

static bosc_status search_sorted(bosc_ctx *ctx, struct data *d)
{
    return bosc_search_sorted(ctx, BOSC_U32, d->values, N / 2, d->values, N / 2, (int64_t *)(void *)d->out);
}

static bosc_status sort_superkey(bosc_ctx *ctx, struct data *d)
{
    return bosc_sort_superkey(ctx, BOSC_F32, d->a, N / 2, 2, 1, (uint32_t *)(void *)d->out);
}

static bosc_status call(bosc_ctx *ctx, void *user)
{
    struct data *d = user;
    return d->call(ctx, d);
}

static void prepare(void *user)
{
    struct data *d = user;
    memset(d->out, PATTERN, d->bytes);
    memset(d->more, PATTERN, d->more_bytes);
}

static bool untouched(void *user)
{
    struct data *d = user;
    for (size_t i = 0; i < d->bytes; i++)
        if (d->out[i] != PATTERN) return false;
    for (size_t i = 0; i < d->more_bytes; i++)
        if (d->more[i] != PATTERN) return false;
    return true;
}

static bool right(void *user)
{
    struct data *d = user;
    return memcmp(d->out, d->want, d->bytes) == 0 && memcmp(d->more, d->want_more, d->more_bytes) == 0;
}

static struct data make_data(void)
{
    struct suite_random r = {8};
    struct data d = {.bytes = N * 4, .more_bytes = N * 4};
    d.a = suite_alloc(N * sizeof *d.a);
    d.values = suite_alloc(N * sizeof *d.values);
    d.buckets = suite_alloc(N * sizeof *d.buckets);
    d.flags = suite_alloc(N);
    for (uint32_t i = 0; i < N; i++) {
        d.a[i] = (float)suite_unit(&r);
        d.values[i] = i;
        d.buckets[i] = (uint32_t)suite_below(&r, BUCKETS);
        d.flags[i] = suite_below(&r, 4) == 0;
    }
    d.out = suite_alloc(d.bytes);
    d.more = suite_alloc(d.more_bytes);
    d.want = suite_alloc(d.bytes);
    d.want_more = suite_alloc(d.more_bytes);
    return d;
}

static void free_data(struct data *d)
{
    void *all[] = {d->a, d->values, d->buckets, d->flags, d->out, d->more, d->want, d->want_more};
    for (int i = 0; i < 8; i++) free(all[i]);
}

static void sweep(bosc_ctx *ctx, bosc_status (*of)(bosc_ctx *, struct data *))
{
    struct data d = make_data();
    d.call = of;
    prepare(&d);
    CHECK_OK(ctx, of(ctx, &d));
    memcpy(d.want, d.out, d.bytes);
    memcpy(d.want_more, d.more, d.more_bytes);
    struct fault_sweep s = {.call = call, .prepare = prepare, .untouched = untouched, .right = right, .user = &d};
    s.may_pass_none = of == merge || of == merge_pairs || of == search_sorted;
    fault_sweep(ctx, &s);
    free_data(&d);
}

#define SWEEP(name) \
    static void sweep_##name(bosc_ctx *ctx) { sweep(ctx, name); }
SWEEP(reduce)
SWEEP(scan)
SWEEP(scan_segmented)
SWEEP(compact)
SWEEP(histogram)
SWEEP(split)
SWEEP(sort_keys)
SWEEP(sort_pairs)
SWEEP(sort_records)
SWEEP(split_by_sort)
SWEEP(merge)
SWEEP(merge_pairs)
SWEEP(search_sorted)
SWEEP(sort_superkey)

/* A second call of the same size allocates nothing: the context's scratch does not grow. */
static void scratch_is_kept(bosc_ctx *ctx)
{
    bosc_status (*const calls[])(bosc_ctx *, struct data *) = {reduce,    scan,        scan_segmented, compact,
                                                               histogram, split,       sort_keys,      sort_pairs,
                                                               merge,     merge_pairs, sort_superkey};
    struct data d = make_data();
    bosc_ctx_info before = {.size = sizeof before}, after = before;
    for (int i = 0; i < 11; i++) {
        if (suite_leaves_out()) continue;
        CHECK_OK(ctx, calls[i](ctx, &d));
        CHECK_OK(ctx, bosc_ctx_get_info(ctx, &before));
        CHECK_OK(ctx, calls[i](ctx, &d));
        CHECK_OK(ctx, bosc_ctx_get_info(ctx, &after));
        CHECK_EQ(before.scratch_bytes, after.scratch_bytes);
    }
    CHECK_OK(ctx, bosc_ctx_trim(ctx));
    CHECK_OK(ctx, bosc_ctx_get_info(ctx, &after));
    CHECK_EQ(after.scratch_bytes, 0);
    free_data(&d);
}

static const struct suite_case suite_cases_prims_faults[] = {
    {"reduce", sweep_reduce, NULL},
    {"scan", sweep_scan, NULL},
    {"scan_segmented", sweep_scan_segmented, NULL},
    {"compact", sweep_compact, NULL},
    {"histogram", sweep_histogram, NULL},
    {"split", sweep_split, NULL},
    {"sort_keys", sweep_sort_keys, NULL},
    {"sort_pairs", sweep_sort_pairs, NULL},
    {"sort_records", sweep_sort_records, NULL},
    {"split_by_sort", sweep_split_by_sort, NULL},
    {"merge", sweep_merge, NULL},
    {"merge_pairs", sweep_merge_pairs, NULL},
    {"search_sorted", sweep_search_sorted, NULL},
    {"sort_superkey", sweep_sort_superkey, NULL},
    {"scratch is kept", scratch_is_kept, NULL},
};
SUITE(prims_faults);
