/* Sorts and merges: stable, in numerical order, with every bit of keys and values kept. */
#include <stdlib.h>
#include <string.h>

#include "support/arrays.h"
#include "reference/prims.h"

/* out[i] = items[order[i]] */
static void *permute(const void *items, size_t size, const int64_t *order, int64_t n)
{
    char *out = suite_alloc((size_t)n * size);
    for (int64_t i = 0; i < n; i++) memcpy(out + (size_t)i * size, (const char *)items + (size_t)order[i] * size, size);
    return out;
}

static void *numbered_items(size_t size, int64_t n)
{
    char *values = suite_alloc((size_t)n * size);
    for (int64_t i = 0; i < n; i++) {
        uint64_t value = (uint64_t)i * 0x100000001u;
        for (size_t at = 0; at < size; at += sizeof value, value += 0x9e3779b97f4a7c15u)
            memcpy(values + (size_t)i * size + at, &value, size - at < sizeof value ? size - at : sizeof value);
    }
    return values;
}

/* value_size 0: keys only. */
static void check_sort(bosc_ctx *ctx, bosc_dtype dtype, enum pattern pattern, size_t value_size, int64_t n,
                       bool in_place, bool on_device)
{
    if (suite_leaves_out()) return;
    size_t size = bosc_dtype_size(dtype), bytes = (size_t)n * size, value_bytes = (size_t)n * value_size;
    void *k = suite_alloc(bytes), *v = numbered_items(value_size, n);
    int64_t *order = suite_alloc((size_t)n * sizeof *order);
    /* 1. The expected order, and keys and values in it. */
    fill_numbers(dtype, pattern, (uint64_t)n, n, k);
    reference_order(dtype, k, n, order);
    void *want_keys = permute(k, size, order, n), *want_values = permute(v, value_size, order, n);
    struct array keys = array_make(ctx, k, bytes, on_device), values = array_make(ctx, v, value_bytes, on_device);
    struct array keys_out = array_make(ctx, NULL, bytes, on_device);
    struct array values_out = array_make(ctx, NULL, value_bytes, on_device);
    struct array *to = in_place ? &keys : &keys_out, *values_to = in_place ? &values : &values_out;
    /* 2. Sort pairs or keys, in place or to other arrays. */
    if (value_size)
        CHECK_OK(ctx, bosc_sort_pairs(ctx, dtype, keys.p, value_size, values.p, n, to->p, values_to->p));
    else
        CHECK_OK(ctx, bosc_sort_keys(ctx, dtype, keys.p, n, to->p));
    CHECK_OK(ctx, bosc_ctx_sync(ctx));
    /* 3. Compare; the input must be unchanged if it is not the output. */
    if (memcmp(array_get(ctx, to), want_keys, bytes) != 0 ||
        memcmp(array_get(ctx, values_to), want_values, value_bytes) != 0)
        suite_fail(__FILE__, __LINE__, "sort of %lld %s, pattern %d, values of %zu bytes, in place %d", (long long)n,
                   bosc_dtype_name(dtype), pattern, value_size, in_place);
    if (!in_place) CHECK(memcmp(array_get(ctx, &keys), k, bytes) == 0);
    array_free(ctx, &keys);
    array_free(ctx, &values);
    array_free(ctx, &keys_out);
    array_free(ctx, &values_out);
    free(k);
    free(v);
    free(order);
    free(want_keys);
    free(want_values);
}

static void sorts(bosc_ctx *ctx)
{
    int64_t sizes[256];
    int count = edge_sizes(suite_slow(ctx) ? 130 : 1100, sizes);
    for (int device = 0; device <= has_device_memory(ctx); device++)
        for (int t = 0; t < 6; t++)
            for (int s = 0; s < count; s += suite_slow(ctx) ? 5 : 1)
                check_sort(ctx, number_types[t], (enum pattern)(s % PATTERNS), (size_t)(s / 3 % 3) * 4, sizes[s], s % 2,
                           device);
}

static void sorts_of_patterns(bosc_ctx *ctx)
{
    for (int device = 0; device <= has_device_memory(ctx); device++)
        for (int t = 0; t < 6; t++)
            for (int p = 0; p < PATTERNS; p++)
                for (size_t value_size = 0; value_size <= 8; value_size += 4)
                    check_sort(ctx, number_types[t], (enum pattern)p, value_size, 1500, (p + t) % 2, device);
}

/* Values of any size, in place and not. */
static void sorts_of_records(bosc_ctx *ctx)
{
    static const size_t value_sizes[] = {1, 2, 3, 5, 6, 7, 9, 12, 16, 17, 24, 32, 48, 64, 100, 256, 300, 1000};
    static const int64_t sizes[] = {1, 2, 33, 700};
    for (int device = 0; device <= has_device_memory(ctx); device++)
        for (int v = 0; v < 18; v++)
            for (int s = 0; s < 4; s++)
                check_sort(ctx, number_types[(v + s) % 6], (enum pattern)((v + s) % PATTERNS), value_sizes[v], sizes[s],
                           (v + s) % 2, device);
    for (int v = 0; v < 18; v += 3)
        check_sort(ctx, number_types[v % 6], SMALL_INTEGERS, value_sizes[v], suite_slow(ctx) ? 3000 : 70001, v % 2,
                   has_device_memory(ctx));
}

/* Inputs for several threads, and outputs beyond the caches. */
static void large_sorts(bosc_ctx *ctx)
{
    static const enum pattern some[] = {RANDOM, SMALL_INTEGERS, SPECIAL};
    int64_t n = suite_slow(ctx) ? 3000 : 70001;
    for (int t = 0; t < 6; t++)
        check_sort(ctx, number_types[t], some[t / 2], (size_t)(t % 3) * 4, n + t, t % 2, has_device_memory(ctx));
}

/* Keys and values that begin at any element of a cache line. */
static void unaligned_sorts(bosc_ctx *ctx)
{
    int64_t n = suite_slow(ctx) ? 200 : 70000;
    uint32_t *memory = suite_alloc((size_t)(4 * n + 64) * sizeof *memory);
    int64_t *order = suite_alloc((size_t)n * sizeof *order);
    for (int shift = 0; shift < 16; shift += 7) {
        uint32_t *keys = memory + shift, *values = keys + n + 1, *keys_out = values + n + 2,
                 *values_out = keys_out + n + 3;
        fill_numbers(BOSC_U32, RANDOM, (uint64_t)shift, n, keys);
        for (int64_t i = 0; i < n; i++) values[i] = (uint32_t)i;
        reference_order(BOSC_U32, keys, n, order);
        CHECK_OK(ctx, bosc_sort_pairs(ctx, BOSC_U32, keys, 4, values, n, keys_out, values_out));
        for (int64_t i = 0; i < n; i++) CHECK(values_out[i] == order[i] && keys_out[i] == keys[order[i]]);
    }
    free(memory);
    free(order);
}

/* Keys that splitting into buckets separates badly: `low` random low bits, and one key in `one_of` with its top bit
 * set. Each is sorted with its number, so the result shows order and stability. */
static void check_hard(bosc_ctx *ctx, int64_t n, int low, uint64_t one_of)
{
    struct suite_random r = {(uint64_t)low};
    uint64_t *keys = suite_alloc((size_t)n * sizeof *keys), *out = suite_alloc((size_t)n * sizeof *out);
    uint64_t *numbers = suite_alloc((size_t)n * sizeof *numbers);
    for (int64_t i = 0; i < n; i++) {
        keys[i] = suite_next(&r) >> (64 - low) | (i > 0 && suite_below(&r, one_of) ? 0 : (uint64_t)1 << 63);
        numbers[i] = (uint64_t)i;
    }
    CHECK_OK(ctx, bosc_sort_pairs(ctx, BOSC_U64, keys, 8, numbers, n, out, numbers));
    for (int64_t i = 0; i < n; i++) {
        CHECK(out[i] == keys[numbers[i]]);
        CHECK(i == 0 || out[i - 1] < out[i] || (out[i - 1] == out[i] && numbers[i - 1] < numbers[i]));
    }
    free(keys);
    free(out);
    free(numbers);
}

static void hard_sorts(bosc_ctx *ctx)
{
    bool slow = suite_slow(ctx);
    check_hard(ctx, slow ? 3000 : 60000, 20, UINT64_MAX);
    check_hard(ctx, slow ? 3000 : 60000, 50, 2);
    check_hard(ctx, slow ? 3000 : 200000, 20, UINT64_MAX);
    check_hard(ctx, slow ? 3000 : 200000, 45, 3);
    check_hard(ctx, slow ? 3000 : 200000, 1, 1000);
}

/* Hard shapes for quicksort. KILLER knows the keys that sort_words.inc samples (nine vectors of `lanes` keys)
 * and makes those equal and least that the median of medians comes from. */
enum shape { ORGAN_PIPE, TWO_VALUES, SAW, NEARLY_EQUAL, KILLER, SHAPES };

static void fill_killer(uint64_t *keys, int64_t n, int64_t lanes)
{
    int64_t *left = suite_alloc((size_t)n * sizeof *left);
    uint64_t least = 0;
    for (int64_t i = 0; i < n; i++) left[i] = i;
    while (n > 16 * lanes) {
        static const int64_t two_of_three[] = {0, 1, 3, 4};
        const int64_t step = n / 9;
        for (int s = 0; s < 4; s++)
            for (int64_t i = 0; i < lanes; i++) {
                int64_t *taken = &left[two_of_three[s] * step + (step - lanes) / 2 + i];
                keys[*taken] = least;
                *taken = -1;
            }
        least++;
        int64_t kept = 0;
        for (int64_t i = 0; i < n; i++)
            if (left[i] >= 0) left[kept++] = left[i];
        n = kept;
    }
    for (int64_t i = 0; i < n; i++) keys[left[i]] = least + (uint64_t)i;
    free(left);
}

/* Keys of `size` bytes. */
static void *shaped(enum shape shape, int64_t n, size_t size)
{
    struct suite_random r = {(uint64_t)n};
    uint64_t *keys = suite_alloc((size_t)n * sizeof *keys);
    if (shape == KILLER) fill_killer(keys, n, 64 / (int64_t)size);
    for (int64_t i = 0; i < n; i++) switch (shape) {
        case ORGAN_PIPE: keys[i] = (uint64_t)(i < n - i ? i : n - i); break;
        case TWO_VALUES: keys[i] = suite_below(&r, 2) ? UINT64_MAX : 0; break;
        case SAW: keys[i] = (uint64_t)(i % 1000) << (8 * size - 12); break;
        case NEARLY_EQUAL: keys[i] = suite_below(&r, 1000) ? 7 : suite_next(&r); break;
        default: break;
        }
    for (int64_t i = 0; i < n && size == 4; i++) {
        const uint32_t word = (uint32_t)keys[i];
        memcpy((char *)keys + size * (size_t)i, &word, size);
    }
    return keys;
}

/* Sorts keys alone, as numbers of a type. */
static void check_keys(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n, bool in_place, const char *what)
{
    const size_t size = bosc_dtype_size(dtype), bytes = (size_t)n * size;
    char *out = suite_alloc(bytes + 1);
    int64_t *order = suite_alloc((size_t)n * sizeof *order);
    reference_order(dtype, keys, n, order);
    void *want = permute(keys, size, order, n);
    if (in_place) memcpy(out, keys, bytes);
    out[bytes] = 77;
    CHECK_OK(ctx, bosc_sort_keys(ctx, dtype, in_place ? out : keys, n, out));
    if (memcmp(out, want, bytes) != 0 || out[bytes] != 77)
        suite_fail(__FILE__, __LINE__, "sort of %lld %s, %s, in place %d", (long long)n, bosc_dtype_name(dtype), what,
                   in_place);
    free(out);
    free(order);
    free(want);
}

static void check_shape(bosc_ctx *ctx, bosc_dtype dtype, enum shape shape, int64_t n, bool in_place)
{
    static const char *const names[] = {"organ pipe", "two values", "saw", "nearly equal", "killer"};
    if (suite_leaves_out()) return;
    void *keys = shaped(shape, n, bosc_dtype_size(dtype));
    check_keys(ctx, dtype, keys, n, in_place, names[shape]);
    free(keys);
}

static void sorts_of_shapes(bosc_ctx *ctx)
{
    static const int64_t sizes[] = {31, 129, 257, 600, 1025, 3000, 5000, 8000, 8192, 8193, 20000, 70000};
    const int count = suite_slow(ctx) ? 4 : 12;
    for (int t = 0; t < 6; t++)
        for (int s = 0; s < SHAPES; s++)
            for (int i = 0; i < count; i++) check_shape(ctx, number_types[t], (enum shape)s, sizes[i], (s + i) % 2);
}

/* More keys than a thread sorts at once: groups, some of them large, and zeros of both signs. */
static void sorts_of_many_keys(bosc_ctx *ctx)
{
    static const bosc_dtype types[] = {BOSC_F32, BOSC_U32, BOSC_F64, BOSC_U64};
    static const bosc_dtype shaped_types[] = {BOSC_F32, BOSC_I32, BOSC_F64, BOSC_I64};
    if (suite_slow(ctx)) return;
    const int64_t n = ((int64_t)1 << 18) + 5;
    for (int p = 0; p < PATTERNS; p++)
        for (int t = 0; t < 4; t += 2)
            check_sort(ctx, types[t + (p % 2 == 0)], (enum pattern)p, 0, n + p, p % 3 == 0, false);
    for (int s = 0; s < SHAPES; s++)
        for (int t = 0; t < 4; t += 2) check_shape(ctx, shaped_types[t + s % 2], (enum shape)s, n - 5 * (s % 2), s % 2);
}

/* Doubles from a range of exponents: 0 for one of them, 2047 for all. With `zeros` one in eight is a zero. */
static void fill_doubles(double *keys, int64_t n, uint64_t exponents, bool zeros)
{
    struct suite_random r = {exponents + zeros};
    for (int64_t i = 0; i < n; i++) {
        const uint64_t sign = suite_next(&r) >> 63 << 63, fraction = suite_next(&r) >> 12;
        uint64_t bits = sign | (exponents ? suite_below(&r, exponents) : 1023) << 52 | fraction;
        if (zeros && suite_below(&r, 8) == 0) bits = sign;
        memcpy(&keys[i], &bits, sizeof bits);
    }
}

static void sorts_of_exponents(bosc_ctx *ctx)
{
    static const uint64_t exponents[] = {0, 2, 64, 2047};
    const int64_t sizes[] = {300, 5000, suite_slow(ctx) ? 700 : 150001};
    for (int e = 0; e < 4; e++)
        for (int s = 0; s < 3; s++)
            for (int zeros = 0; zeros < 2; zeros++) {
                if (suite_leaves_out()) continue;
                double *keys = suite_alloc((size_t)sizes[s] * sizeof *keys);
                fill_doubles(keys, sizes[s], exponents[e], zeros);
                check_keys(ctx, BOSC_F64, keys, sizes[s], zeros, "exponents");
                free(keys);
            }
}

/* Doubles with a single NaN or -0, at a position that no sample includes. */
static void sorts_of_one_odd_double(bosc_ctx *ctx)
{
    static const uint64_t odd[] = {0x7ff8000000000000u, 0xfff0000000000001u, 0x8000000000000000u};
    const int64_t sizes[] = {100, 200, 5000, suite_slow(ctx) ? 300 : 70000, suite_slow(ctx) ? 301 : 150001};
    for (int o = 0; o < 3; o++)
        for (int s = 0; s < 5; s++)
            for (int in_place = 0; in_place < 2; in_place++) {
                if (suite_leaves_out()) continue;
                double *keys = suite_alloc((size_t)sizes[s] * sizeof *keys);
                fill_doubles(keys, sizes[s], 64, false);
                keys[1] = 0;
                memcpy(&keys[sizes[s] / 2], &odd[o], sizeof odd[o]);
                check_keys(ctx, BOSC_F64, keys, sizes[s], in_place, "one odd double");
                free(keys);
            }
}

/* Zeros whose signs are removed and restored: in place, and too many for the stack. */
static void sorts_of_zeros(bosc_ctx *ctx)
{
    bosc_ctx_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_ctx_get_info(ctx, &info));
    if (suite_slow(ctx) || info.threads > 2) return;
    const int64_t n = (int64_t)3 << 18;
    struct suite_random r = {5};
    float *keys = suite_alloc((size_t)n * sizeof *keys);
    for (int64_t i = 0; i < n; i++) {
        const float sign = suite_below(&r, 2) ? -1.0f : 1.0f;
        keys[i] = suite_below(&r, 5) < 2 ? sign * 0.0f : sign * (float)(1 + suite_below(&r, 1 << 20));
    }
    for (int in_place = 0; in_place < 2; in_place++) check_keys(ctx, BOSC_F32, keys, n, in_place, "zeros");
    free(keys);
}

/* Pairs of 4-byte keys, more than rows of them are ordered at once: words of keys and row numbers. */
static void sorts_of_many_pairs(bosc_ctx *ctx)
{
    static const bosc_dtype types[] = {BOSC_F32, BOSC_I32, BOSC_U32};
    if (suite_slow(ctx)) return;
    for (int p = 0; p < PATTERNS; p++)
        for (int t = 0; t < 3; t++)
            check_sort(ctx, types[t], (enum pattern)p, (size_t)((p + t) % 2 + 1) * 4, 8193 + 1000 * p * t,
                       (p + t) % 3 == 0, false);
    check_sort(ctx, BOSC_F32, SPECIAL, 4, 80000, false, false);
    check_sort(ctx, BOSC_U32, RANDOM, 4, 80000, true, false);
    bosc_ctx_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_ctx_get_info(ctx, &info));
    if (info.threads == 1) check_sort(ctx, BOSC_F32, SPECIAL, 4, ((int64_t)1 << 20) + 5, true, false);
}

/* Pairs of 4-byte keys and their numbers. */
static void check_numbered(bosc_ctx *ctx, bosc_dtype dtype, const uint32_t *keys, int64_t n, const char *what)
{
    const size_t bytes = (size_t)n * 4;
    uint32_t *numbers = numbered_items(4, n), *keys_out = suite_alloc(bytes), *numbers_out = suite_alloc(bytes);
    int64_t *order = suite_alloc((size_t)n * sizeof *order);
    reference_order(dtype, keys, n, order);
    void *want_keys = permute(keys, 4, order, n), *want_numbers = permute(numbers, 4, order, n);
    CHECK_OK(ctx, bosc_sort_pairs(ctx, dtype, keys, 4, numbers, n, keys_out, numbers_out));
    if (memcmp(keys_out, want_keys, bytes) != 0 || memcmp(numbers_out, want_numbers, bytes) != 0)
        suite_fail(__FILE__, __LINE__, "sort of %lld pairs, %s, %s", (long long)n, bosc_dtype_name(dtype), what);
    free(numbers);
    free(keys_out);
    free(numbers_out);
    free(order);
    free(want_keys);
    free(want_numbers);
}

/* Pairs grouped by their top bits: all but one key in `crowded` fall into one group, and vary in the bits of
 * `mask`; floats have zeros of both signs. */
static void check_crowd(bosc_ctx *ctx, bosc_dtype dtype, int64_t n, uint64_t crowded, uint32_t mask)
{
    static const uint32_t zeros[] = {0, 0x80000000u};
    if (suite_leaves_out()) return;
    struct suite_random r = {crowded ^ mask};
    uint32_t *keys = suite_alloc((size_t)n * sizeof *keys);
    for (int64_t i = 0; i < n; i++) {
        const uint32_t word = (uint32_t)suite_next(&r);
        keys[i] = suite_below(&r, crowded) ? word : (word & mask) | 0x3f800000u;
        if (dtype == BOSC_F32 && (keys[i] >> 23 & 255) == 255) keys[i] = zeros[word & 1];
    }
    check_numbered(ctx, dtype, keys, n, "a crowd");
    free(keys);
}

static void sorts_of_crowded_pairs(bosc_ctx *ctx)
{
    static const bosc_dtype types[] = {BOSC_F32, BOSC_I32, BOSC_U32};
    static const struct {
        int64_t n;
        uint64_t crowded;
        uint32_t mask;
    } crowds[] = {
        {140001, UINT64_MAX, 0}, /* groups are even */
        {140002, 2, 0xfffff},    /* too uneven for one thread */
        {200003, 10, 0xfffff},   /* more rows than are ordered at once */
        {140003, 9, 0x800ff},    /* more varying bits than a word holds beside the row */
        {140004, 9, 0},          /* none vary */
    };
    if (suite_slow(ctx)) return;
    for (int t = 0; t < 3; t++)
        for (int c = 0; c < 5; c++) check_crowd(ctx, types[t], crowds[c].n, crowds[c].crowded, crowds[c].mask);
}

/* So many values of the top bits that a group holds at most one. */
static void sorts_of_many_groups(bosc_ctx *ctx)
{
    bosc_ctx_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_ctx_get_info(ctx, &info));
    if (suite_slow(ctx) || info.threads > 2) return;
    const int64_t n = (int64_t)3 << 20;
    struct suite_random r = {3};
    uint32_t *keys = suite_alloc((size_t)n * sizeof *keys);
    for (int64_t i = 0; i < n; i++) keys[i] = (uint32_t)(suite_below(&r, 800) * 5 << 20 | suite_next(&r) >> 44);
    check_numbered(ctx, BOSC_U32, keys, n, "many groups");
    free(keys);
}

static void check_merge(bosc_ctx *ctx, bosc_dtype dtype, enum pattern pattern, size_t value_size, int64_t na,
                        int64_t nb, bool on_device)
{
    if (suite_leaves_out()) return;
    size_t size = bosc_dtype_size(dtype), n = (size_t)(na + nb);
    char *k = suite_alloc(n * size), *v = numbered_items(value_size, na + nb);
    fill_numbers(dtype, pattern, (uint64_t)(na * 31 + nb), na + nb, k);
    CHECK_OK(ctx, bosc_sort_keys(ctx, dtype, k, na, k));
    CHECK_OK(ctx, bosc_sort_keys(ctx, dtype, k + (size_t)na * size, nb, k + (size_t)na * size));
    int64_t *order = suite_alloc(n * sizeof *order);
    reference_order(dtype, k, na + nb, order); /* stable: equal keys of a precede those of b */
    void *want_keys = permute(k, size, order, na + nb), *want_values = permute(v, value_size, order, na + nb);
    struct array a = array_make(ctx, k, (size_t)na * size, on_device);
    struct array b = array_make(ctx, k + (size_t)na * size, (size_t)nb * size, on_device);
    struct array a_values = array_make(ctx, v, (size_t)na * value_size, on_device);
    struct array b_values = array_make(ctx, v + (size_t)na * value_size, (size_t)nb * value_size, on_device);
    struct array keys = array_make(ctx, NULL, n * size, on_device);
    struct array values = array_make(ctx, NULL, n * value_size, on_device);
    if (value_size)
        CHECK_OK(ctx,
                 bosc_merge_pairs(ctx, dtype, value_size, a.p, a_values.p, na, b.p, b_values.p, nb, keys.p, values.p));
    else
        CHECK_OK(ctx, bosc_merge(ctx, dtype, a.p, na, b.p, nb, keys.p));
    CHECK_OK(ctx, bosc_ctx_sync(ctx));
    CHECK(memcmp(array_get(ctx, &keys), want_keys, n * size) == 0);
    CHECK(memcmp(array_get(ctx, &values), want_values, n * value_size) == 0);
    struct array *all[] = {&a, &b, &a_values, &b_values, &keys, &values};
    for (int i = 0; i < 6; i++) array_free(ctx, all[i]);
    free(k);
    free(v);
    free(order);
    free(want_keys);
    free(want_values);
}

static void merges(bosc_ctx *ctx)
{
    struct suite_random r = {9};
    for (int device = 0; device <= has_device_memory(ctx); device++)
        for (int t = 0; t < 6; t++)
            for (int i = 0; i < (suite_slow(ctx) ? 14 : 30); i++) {
                int64_t most = i % 3 == 0 ? 4 : i % 3 == 1 ? 70 : 1200;
                int64_t na = (int64_t)suite_below(&r, (uint64_t)most), nb = (int64_t)suite_below(&r, (uint64_t)most);
                check_merge(ctx, number_types[t], (enum pattern)(i % PATTERNS), (size_t)(i / 2 % 3) * 4,
                            i % 10 == 4 ? 0 : na, i % 10 == 7 ? 0 : nb, device);
            }
}

static void large_merges(bosc_ctx *ctx)
{
    int64_t n = suite_slow(ctx) ? 2000 : 70000;
    check_merge(ctx, BOSC_F32, RANDOM, 4, n, n + 13, has_device_memory(ctx));
    check_merge(ctx, BOSC_I64, FEW_VALUES, 8, n, n / 3, has_device_memory(ctx));
    check_merge(ctx, BOSC_U32, EQUAL, 4, 5, n, has_device_memory(ctx));
    check_merge(ctx, BOSC_F64, SPECIAL, 0, n, 1, has_device_memory(ctx));
}

static void check_superkey(bosc_ctx *ctx, bosc_dtype dtype, enum pattern pattern, int64_t n, int32_t dim, int32_t first,
                           bool on_device)
{
    if (suite_leaves_out()) return;
    size_t bytes = (size_t)n * (size_t)dim * bosc_dtype_size(dtype);
    void *p = suite_alloc(bytes);
    uint32_t *want = suite_alloc((size_t)n * sizeof *want);
    fill_numbers(dtype, pattern, (uint64_t)n, n * dim, p);
    reference_superkey(dtype, p, n, dim, first, want);
    struct array points = array_make(ctx, p, bytes, on_device);
    struct array perm = array_make(ctx, NULL, (size_t)n * sizeof *want, on_device);
    CHECK_OK(ctx, bosc_sort_superkey(ctx, dtype, points.p, n, dim, first, perm.p));
    CHECK_OK(ctx, bosc_ctx_sync(ctx));
    if (memcmp(array_get(ctx, &perm), want, (size_t)n * sizeof *want) != 0)
        suite_fail(__FILE__, __LINE__, "superkey %d of %lld points of %d %s, pattern %d", first, (long long)n, dim,
                   bosc_dtype_name(dtype), pattern);
    array_free(ctx, &points);
    array_free(ctx, &perm);
    free(p);
    free(want);
}

static void superkeys(bosc_ctx *ctx)
{
    static const int32_t dims[] = {1, 2, 3, 4, 5, 8, 17};
    int64_t sizes[256];
    int count = edge_sizes(suite_slow(ctx) ? 70 : 1100, sizes);
    for (int device = 0; device <= has_device_memory(ctx); device++)
        for (int t = 0; t < 4; t++)
            for (int s = 0; s < count; s += suite_slow(ctx) ? 6 : 1)
                check_superkey(ctx, number_types[t], (enum pattern)((s + t) % PATTERNS), sizes[s], dims[s % 7],
                               s % dims[s % 7], device);
}

static void large_superkeys(bosc_ctx *ctx)
{
    int64_t n = suite_slow(ctx) ? 1500 : 40000;
    check_superkey(ctx, BOSC_F32, RANDOM, n, 3, 1, has_device_memory(ctx));
    check_superkey(ctx, BOSC_F64, FEW_VALUES, n, 4, 3, has_device_memory(ctx));
    check_superkey(ctx, BOSC_I32, EQUAL, n, 2, 0, has_device_memory(ctx));
    check_superkey(ctx, BOSC_I64, DESCENDING, n + 1, 1, 0, has_device_memory(ctx));
    check_superkey(ctx, BOSC_I32, FEW_VALUES, suite_slow(ctx) ? 9000 : n, 2, 1,
                   has_device_memory(ctx)); /* three tiles */
}

static const struct suite_case suite_cases_prims_sorts[] = {
    {"sorts", sorts, NULL},
    {"sorts of patterns", sorts_of_patterns, NULL},
    {"sorts of records", sorts_of_records, NULL},
    {"large sorts", large_sorts, NULL},
    {"unaligned sorts", unaligned_sorts, NULL},
    {"hard sorts", hard_sorts, NULL},
    {"sorts of shapes", sorts_of_shapes, NULL},
    {"sorts of many keys", sorts_of_many_keys, NULL},
    {"sorts of exponents", sorts_of_exponents, NULL},
    {"sorts of one odd double", sorts_of_one_odd_double, NULL},
    {"sorts of zeros", sorts_of_zeros, NULL},
    {"sorts of many pairs", sorts_of_many_pairs, NULL},
    {"sorts of crowded pairs", sorts_of_crowded_pairs, NULL},
    {"sorts of many groups", sorts_of_many_groups, NULL},
    {"merges", merges, NULL},
    {"large merges", large_merges, NULL},
    {"superkeys", superkeys, NULL},
    {"large superkeys", large_superkeys, NULL},
};
SUITE(prims_sorts);
