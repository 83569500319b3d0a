/* Reductions, scans, sorts and ids over ranks equal those of one context for the whole input, bit for bit. */
#include "cases/ranks/ranks_data.h"
#include "support/counted.h"

struct problem {
    bosc_dtype dtype;
    enum pattern pattern;
    int64_t n;
    uint64_t seed;                    /* of the slices */
    bool on_device, in_place, hooked; /* hooked: with the caller's allocators, so that devices share no memory */
    const void *in;
    /* reduce, scan */
    bosc_op op;
    bosc_scan_kind kind;
    /* sort, unique */
    size_t value_size;
    const void *values;
    int32_t key_bits;
    int64_t count;
    /* what one context gives */
    const void *want, *want_values;
};

static void fail(const struct rank *r, const struct problem *p, const char *what)
{
    suite_fail(__FILE__, __LINE__, "%s: rank %d of %d, %lld %s, pattern %d, op %d, kind %d, values of %zu, seed %llu",
               what, (int)r->rank, (int)r->rank_count, (long long)p->n, bosc_dtype_name(p->dtype), p->pattern, p->op,
               p->kind, p->value_size, (unsigned long long)p->seed);
}

/* ---- reductions and scans ---- */

static void reduce_slice(struct rank *r)
{
    const struct problem *p = r->user;
    const size_t size = bosc_dtype_size(p->dtype);
    const struct ranks_trial_slice s = ranks_slice_of(r, p->seed, p->n);
    struct array in = ranks_array(r, p->in, size, s, p->on_device), out = array_make(r->ctx, NULL, size, p->on_device);
    CHECK_OK(r->ctx, bosc_ranks_reduce(r->ctx, r->comm, p->op, p->dtype, in.p, s.n, out.p));
    if (memcmp(array_get(r->ctx, &out), p->want, size) != 0) fail(r, p, "reduce");
    array_free(r->ctx, &in);
    array_free(r->ctx, &out);
}

static void scan_slice(struct rank *r)
{
    const struct problem *p = r->user;
    const size_t size = bosc_dtype_size(p->dtype);
    const struct ranks_trial_slice s = ranks_slice_of(r, p->seed, p->n);
    struct array in = ranks_array(r, p->in, size, s, p->on_device), out = ranks_array(r, NULL, size, s, p->on_device);
    struct array *to = p->in_place ? &in : &out;
    CHECK_OK(r->ctx, bosc_ranks_scan(r->ctx, r->comm, p->op, p->kind, p->dtype, in.p, s.n, to->p));
    if (!ranks_equals(r, to, p->want, size, s)) fail(r, p, "scan");
    if (!p->in_place) CHECK(ranks_equals(r, &in, p->in, size, s));
    array_free(r->ctx, &in);
    array_free(r->ctx, &out);
}

static void check_sums(bosc_ctx *ctx, struct problem p, int32_t ranks)
{
    if (suite_leaves_out()) return;
    const size_t size = bosc_dtype_size(p.dtype);
    void *in = suite_alloc((size_t)p.n * size), *want = suite_alloc((size_t)p.n * size + 8);
    fill_numbers(p.dtype, p.pattern, (uint64_t)p.n, p.n, in);
    p.in = in, p.want = want;
    CHECK_OK(ctx, bosc_reduce(ctx, p.op, p.dtype, in, p.n, want));
    ranks_run(ctx, ranks, 0, reduce_slice, &p);
    CHECK_OK(ctx, bosc_scan(ctx, p.op, p.kind, p.dtype, in, p.n, want));
    ranks_run(ctx, ranks, 0, scan_slice, &p);
    free(in);
    free(want);
}

/* Sizes around the edges of rows, of tiles, and of the slice that one rank scans. */
static void sums(bosc_ctx *ctx)
{
    static const int64_t lengths[] = {0, 1, 31, 1024, 1025, 4096, 4097, 5119, 5121, 6144, 20000};
    for (int k = 0; k < 11; k++)
        for (int t = 0; t < 6; t++)
            for (int o = 0; o < 3; o++) {
                const struct problem p = {.dtype = number_types[t],
                                          .pattern = (enum pattern)((k + t + o) % PATTERNS),
                                          .n = lengths[k],
                                          .seed = (uint64_t)((k + o) % 4),
                                          .on_device = (t + o) % 2 && has_device_memory(ctx),
                                          .in_place = k % 2,
                                          .op = (bosc_op)o,
                                          .kind = (k + t) % 2 ? BOSC_EXCLUSIVE : BOSC_INCLUSIVE};
                check_sums(ctx, p, ranks_sizes[(k + t + 2 * o) % 5]);
            }
}

/* Every number of ranks, and slices of many kinds: short ones share a tile. */
static void slices(bosc_ctx *ctx)
{
    EACH_RANKS_SIZE(i)
    for (uint64_t seed = 0; seed < 8; seed++) {
        struct problem p = {.dtype = seed % 2 ? BOSC_F32 : BOSC_F64,
                            .pattern = seed % 3 ? RANDOM : SPECIAL,
                            .n = seed < 4 ? 4100 + (int64_t)seed : 12000,
                            .seed = seed,
                            .kind = seed & 4 ? BOSC_EXCLUSIVE : BOSC_INCLUSIVE};
        check_sums(ctx, p, ranks_sizes[i]);
    }
}

/* So many tiles that their sums have tiles as well. */
static void tiles_of_tiles(bosc_ctx *ctx)
{
    if (suite_slow(ctx)) return;
    struct problem p = {.dtype = BOSC_F32, .pattern = RANDOM, .n = 4096 * 1024 + 5000, .seed = 1};
    check_sums(ctx, p, 3);
    p.kind = BOSC_EXCLUSIVE;
    check_sums(ctx, p, 8);
    p.seed = 0;
    check_sums(ctx, p, 4);
}

/* As many exchanges as the header says. */
static void count_exchanges(struct rank *r)
{
    enum { N = 5000 };
    const int64_t own = r->rank ? 0 : N;
    double *numbers = suite_alloc(N * sizeof *numbers), sum;
    bosc_comm_info info = {.size = sizeof info};
    int64_t before = 0;
    for (int i = 0; i < N; i++) numbers[i] = i;
    for (int call = 0; call < 4; call++) {
        static const int64_t most[] = {7, 8, 14, 26};
        const int64_t n = call == 2 ? own / 2 : own;
        if (call < 2)
            CHECK_OK(r->ctx,
                     bosc_ranks_reduce(r->ctx, r->comm, call ? BOSC_SUM : BOSC_MIN, BOSC_F64, numbers, n, &sum));
        else
            CHECK_OK(r->ctx, bosc_ranks_scan(r->ctx, r->comm, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_F64, numbers, n, numbers));
        CHECK_OK(r->ctx, bosc_comm_get_info(r->ctx, r->comm, &info));
        CHECK_EQ(info.exchanges - before, most[call]);
        before = info.exchanges;
    }
    free(numbers);
}

static void exchanges(bosc_ctx *ctx) { EACH_RANKS_SIZE(i) ranks_run(ctx, ranks_sizes[i], 0, count_exchanges, NULL); }

/* ---- sorts ---- */

static void sort_slice(struct rank *r)
{
    const struct problem *p = r->user;
    const size_t size = bosc_dtype_size(p->dtype);
    const struct ranks_trial_slice s = ranks_slice_of(r, p->seed, p->n);
    struct array keys = ranks_array(r, p->in, size, s, p->on_device);
    struct array values = ranks_array(r, p->values, p->value_size, s, p->on_device);
    struct array keys_out = ranks_array(r, NULL, size, s, p->on_device);
    struct array values_out = ranks_array(r, NULL, p->value_size, s, p->on_device);
    struct array *to = p->in_place ? &keys : &keys_out, *values_to = p->in_place ? &values : &values_out;
    if (p->value_size)
        CHECK_OK(r->ctx, bosc_ranks_sort_pairs(r->ctx, r->comm, p->dtype, keys.p, p->value_size, values.p, s.n, to->p,
                                               values_to->p));
    else
        CHECK_OK(r->ctx, bosc_ranks_sort_keys(r->ctx, r->comm, p->dtype, keys.p, s.n, to->p));
    if (!ranks_equals(r, to, p->want, size, s)) fail(r, p, "keys");
    if (!ranks_equals(r, values_to, p->want_values, p->value_size, s)) fail(r, p, "values");
    if (!p->in_place) CHECK(ranks_equals(r, &keys, p->in, size, s));
    array_free(r->ctx, &keys);
    array_free(r->ctx, &values);
    array_free(r->ctx, &keys_out);
    array_free(r->ctx, &values_out);
}

static void sort_slice_hooked(struct rank *r)
{
    struct counted *c = suite_alloc(sizeof *c);
    bosc_ctx *own = r->ctx;
    counted_open(c, own, 0);
    r->ctx = c->ctx;
    sort_slice(r);
    r->ctx = own;
    counted_close(c);
    free(c);
}

static void check_sort(bosc_ctx *ctx, struct problem p, int32_t ranks)
{
    if (suite_leaves_out()) return;
    const size_t size = bosc_dtype_size(p.dtype), value_size = p.value_size ? p.value_size : 1;
    char *keys = suite_alloc((size_t)p.n * size), *want = suite_alloc((size_t)p.n * size);
    char *values = suite_alloc((size_t)p.n * value_size), *want_values = suite_alloc((size_t)p.n * value_size);
    fill_numbers(p.dtype, p.pattern, (uint64_t)p.n + p.seed, p.n, keys);
    for (int64_t i = 0; i < p.n * (int64_t)value_size; i++)
        values[i] = (char)((uint64_t)(i / (int64_t)value_size) >> 8 * (i % (int64_t)value_size % 4));
    CHECK_OK(ctx, bosc_sort_pairs(ctx, p.dtype, keys, value_size, values, p.n, want, want_values));
    p.in = keys, p.values = values, p.want = want, p.want_values = want_values;
    ranks_run(ctx, ranks, 0, p.hooked ? sort_slice_hooked : sort_slice, &p);
    free(keys);
    free(want);
    free(values);
    free(want_values);
}

static void sorts(bosc_ctx *ctx)
{
    static const int64_t lengths[] = {0, 1, 2, 7, 100, 1000, 3001};
    static const size_t value_sizes[] = {0, 4, 8, 3, 24};
    for (int k = 0; k < 7; k++)
        for (int t = 0; t < 6; t++)
            for (int v = 0; v < 5; v++) {
                const struct problem p = {.dtype = number_types[t],
                                          .pattern = (enum pattern)((k + t + v) % PATTERNS),
                                          .n = lengths[k],
                                          .seed = (uint64_t)((k + v) % 3),
                                          .on_device = (t + v) % 2 && has_device_memory(ctx),
                                          .in_place = (k + v) % 2,
                                          .value_size = value_sizes[v]};
                check_sort(ctx, p, ranks_sizes[(k + 2 * t + v) % 5]);
            }
}

static void sorts_of_patterns(bosc_ctx *ctx)
{
    EACH_RANKS_SIZE(i)
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        const struct problem p = {.dtype = number_types[(pattern + i) % 6],
                                  .pattern = (enum pattern)pattern,
                                  .n = suite_slow(ctx) ? 1500 : 20000,
                                  .seed = (uint64_t)(pattern % 3),
                                  .value_size = 4};
        check_sort(ctx, p, ranks_sizes[i]);
    }
}

static void sorts_without_windows(bosc_ctx *ctx)
{
    static const int64_t lengths[] = {2, 7, 100, 700};
    for (int t = 0; t < 24; t++)
        for (int pattern = 0; pattern < PATTERNS; pattern++) {
            const struct problem p = {.dtype = number_types[t % 6],
                                      .pattern = (enum pattern)pattern,
                                      .n = lengths[t / 6],
                                      .seed = (uint64_t)(pattern % 3),
                                      .hooked = true,
                                      .value_size = pattern % 2 ? 8 : 0};
            check_sort(ctx, p, ranks_sizes[1 + (t + pattern) % 4]);
        }
}

/* More runs of keys of 4 bytes than are merged pair by pair; those of 8 bytes take five passes. */
static void sorts_of_many_ranks(bosc_ctx *ctx)
{
    if (suite_slow(ctx) || !ranks_share_memory()) return;
    const struct problem p = {.dtype = BOSC_U32, .pattern = RANDOM, .n = 5000, .seed = 2, .value_size = 8};
    const struct problem wide = {.dtype = BOSC_U64, .pattern = RANDOM, .n = 5000, .seed = 3, .value_size = 4};
    check_sort(ctx, p, 17);
    check_sort(ctx, wide, 17);
}

/* ---- ids ---- */

static void unique_slice(struct rank *r)
{
    const struct problem *p = r->user;
    const size_t size = (size_t)p->key_bits / 8;
    const struct ranks_trial_slice s = ranks_slice_of(r, p->seed, p->n);
    struct array keys = ranks_array(r, p->in, size, s, p->on_device), ids = ranks_array(r, NULL, 8, s, p->on_device);
    struct array distinct = ranks_array(r, NULL, size, s, p->on_device);
    int64_t count = -1, total = -1, before = 0;
    const int64_t *want = p->want;
    CHECK_OK(r->ctx, bosc_ranks_unique(r->ctx, r->comm, keys.p, s.n, p->key_bits, ids.p,
                                       p->in_place ? NULL : distinct.p, &count, p->in_place ? NULL : &total));
    if (!ranks_equals(r, &ids, want, 8, s)) fail(r, p, "ids");
    for (int64_t i = 0; i < s.begin; i++) /* ids ascend from 0 */
        if (want[i] >= before) before = want[i] + 1;
    int64_t behind = before;
    for (int64_t i = s.begin; i < s.begin + s.n; i++)
        if (want[i] >= behind) behind = want[i] + 1;
    CHECK_EQ(count, behind - before);
    if (!p->in_place) {
        CHECK_EQ(total, p->count);
        if (!ranks_equals(r, &distinct, NULL, size, (struct ranks_trial_slice){0, 0}) ||
            (count &&
             memcmp(distinct.host, (const char *)p->want_values + (size_t)before * size, (size_t)count * size) != 0))
            fail(r, p, "unique");
    }
    array_free(r->ctx, &keys);
    array_free(r->ctx, &ids);
    array_free(r->ctx, &distinct);
}

static void check_unique(bosc_ctx *ctx, struct problem p, int32_t ranks, uint64_t different)
{
    if (suite_leaves_out()) return;
    const size_t words = (size_t)p.key_bits / 32;
    uint32_t *keys = suite_alloc((size_t)p.n * words * 4 + 16), *distinct = suite_alloc((size_t)p.n * words * 4 + 16);
    int64_t *ids = suite_alloc((size_t)p.n * 8 + 8);
    struct suite_random random = {p.seed + 77};
    for (int64_t i = 0; i < p.n; i++) {
        const uint64_t key = suite_below(&random, different);
        for (size_t w = 0; w < words; w++) keys[(size_t)i * words + w] = w + 1 == words ? (uint32_t)key : 5;
    }
    CHECK_OK(ctx, bosc_hash_unique(ctx, keys, p.n, p.key_bits, ids, distinct, &p.count));
    p.in = keys, p.want = ids, p.want_values = distinct;
    ranks_run(ctx, ranks, 0, unique_slice, &p);
    free(keys);
    free(distinct);
    free(ids);
}

static void uniques(bosc_ctx *ctx)
{
    static const int64_t lengths[] = {0, 1, 50, 2000};
    static const uint64_t different[] = {1, 10, 1000, 1 << 30};
    for (int k = 0; k < 4; k++) EACH_RANKS_SIZE(i)
    for (int d = 0; d < 4; d++) {
        const struct problem p = {.dtype = BOSC_U32,
                                  .n = lengths[k],
                                  .seed = (uint64_t)((k + d) % 3),
                                  .on_device = (k + d + i) % 2 && has_device_memory(ctx),
                                  .in_place = (d + i) % 3 == 0,
                                  .key_bits = 32 << (k + i + d) % 3};
        check_unique(ctx, p, ranks_sizes[i], different[d]);
    }
}

static const struct suite_case suite_cases_ranks_prims[] = {
    {"reduce and scans", sums, NULL},
    {"reduce and scans of many slices", slices, NULL},
    {"scans of tiles of tiles", tiles_of_tiles, NULL},
    {"exchanges", exchanges, NULL},
    {"sorts", sorts, NULL},
    {"sorts of patterns", sorts_of_patterns, NULL},
    {"sorts without windows", sorts_without_windows, NULL},
    {"sorts of many ranks", sorts_of_many_ranks, NULL},
    {"unique", uniques, NULL},
};
SUITE(ranks_prims);
