/* Few keys that fill many rows: numbering them without a sort equals a plain loop, and every build and every id is the
 * one that a sort gives. */
#include "cases/hash/hash_data.h"

enum { MAX_COMPARED = 10000000 /* rows times keys: the oracle compares each row with all keys before it */ };
enum repeats_pattern { CYCLE, MIXED, RUNS, LATE, LAST_ROW_NEW, REPEATS_PATTERNS };

/* Key number k of `distinct`, in any width. */
static bosc_hash_word key_of_number(int32_t bits, uint64_t k)
{
    bosc_hash_word key = {bosc_hash_mix64(k + 3), bosc_hash_mix64(k + 1000000)};
    if (k % 7 == 0) key = (bosc_hash_word){k, k};                         /* small numbers */
    if (k % 7 == 1) key = (bosc_hash_word){k << 48, bits == 128 ? k : 0}; /* high bits alone */
    if (bits < 128) key.high = 0;
    if (bits < 64) key.low = bosc_hash_mix32((uint32_t)k);
    return key;
}

/* Returns the number of the key of row i. */
static uint64_t number_of_row(enum repeats_pattern pattern, int64_t distinct, int64_t n, int64_t i,
                              struct suite_random *r)
{
    switch (pattern) {
    case CYCLE: return (uint64_t)(i % distinct);
    case RUNS: return (uint64_t)(i * distinct / n);
    case LATE: return i < n / 2 ? 0 : suite_below(r, (uint64_t)distinct);
    case LAST_ROW_NEW: return i == n - 1 ? (uint64_t)distinct - 1 : suite_below(r, (uint64_t)(distinct / 2 + 1));
    default: return suite_below(r, (uint64_t)distinct);
    }
}

static struct hash_pairs make_repeats(enum repeats_pattern pattern, const bosc_hash_opts *o, int64_t distinct,
                                      int64_t n)
{
    struct hash_pairs p = hash_make(HASH_SEQUENCE, o, (uint64_t)(n + distinct), n);
    struct suite_random r = {(uint64_t)(31 * n + distinct)};
    for (int64_t i = 0; i < n; i++)
        bi_hash_store(p.keys, p.key_bits, i, key_of_number(p.key_bits, number_of_row(pattern, distinct, n, i, &r)));
    return p;
}

/* Checks the numbers against searches among the distinct keys, and that each key is new, in the order of first rows. */
static void check_numbering(const struct hash_pairs *p, enum bi_hash_numbered requested,
                            const struct bi_hash_numbering *found)
{
    int64_t next = 0;
    uint32_t *last = suite_alloc((size_t)found->count * sizeof *last);
    for (int64_t i = 0; i < p->n; i++) {
        const bosc_hash_word key = bosc_hash_word_at(p->keys, i, p->key_bits);
        int64_t k = 0;
        while (k < next && !bi_hash_same(bosc_hash_word_at(found->keys, k, p->key_bits), key)) k++;
        if (k == next) {
            CHECK(next < found->count);
            CHECK(bi_hash_same(bosc_hash_word_at(found->keys, k, p->key_bits), key));
            CHECK_EQ(found->first_rows[k], i);
            next++;
        }
        last[k] = (uint32_t)i;
        if (requested == BI_HASH_ROW_NUMBERS) CHECK_EQ(found->numbers[i], k);
    }
    CHECK_EQ(next, found->count);
    if (requested == BI_HASH_LAST_ROWS) CHECK(memcmp(last, found->last_rows, (size_t)next * sizeof *last) == 0);
    free(last);
}

static void number(bosc_ctx *ctx, const struct hash_pairs *p, bool expected)
{
    for (int k = 0; k < 3; k++) {
        const enum bi_hash_numbered requested = (enum bi_hash_numbered)k;
        struct bi_hash_numbering found;
        bool numbered = !expected;
        CHECK_OK(ctx, bosc_ctx_sync(ctx)); /* enters the backend */
        const struct bi_mark mark = bi_arena_mark(ctx);
        CHECK_OK(ctx, ctx->ops->hash->number_keys(ctx, p->key_bits, p->keys, p->n, requested, &found, &numbered));
        CHECK_EQ(numbered, expected);
        if (numbered) check_numbering(p, requested, &found);
        bi_arena_rewind(ctx, mark);
    }
}

/* Numbers of keys at which tables grow, and rows for one thread and for several. */
static void numbering(bosc_ctx *ctx)
{
    static const int64_t numbers[] = {1, 2, 10, 127, 128, 129, 256, 700}, rows[] = {1, 7, 600, 5000, 70001};
    if (!ctx->ops->hash->number_keys) return;
    for (int k = 0; k < 8 * 5 * REPEATS_PATTERNS; k++) {
        const bosc_hash_opts o = {.key_bits = 32 << k % 3};
        const int64_t distinct = numbers[k % 8], n = rows[k / 8 % 5];
        if (suite_leaves_out() || distinct > n || (n > 5000 && distinct > 100 && distinct * 64 > n) ||
            distinct * n > MAX_COMPARED)
            continue;
        struct hash_pairs p = make_repeats((enum repeats_pattern)(k / 40), &o, distinct, n);
        number(ctx, &p, true);
        hash_free_pairs(&p);
    }
}

/* Tables decline where keys are many, or collide by design. */
static void declined(bosc_ctx *ctx)
{
    if (!ctx->ops->hash->number_keys) return;
    for (int k = 0; k < 9; k++) {
        const bosc_hash_opts o = {.key_bits = 32 << k % 3};
        const int64_t n = k < 3 ? 50000 : 100000;
        struct hash_pairs p = make_repeats(CYCLE, &o, k < 3 ? n : 70, n);
        for (int64_t i = 0; k >= 6 && i < n; i++) /* products 0 to 69, whose top bits are 0 */
            bi_hash_store(p.keys, p.key_bits, i, (bosc_hash_word){(uint64_t)(i % 70) * 0xf1de83e19937733du, 0});
        number(ctx, &p, k >= 3 && k <= 6); /* 6: keys of 32 bits do not hold such products */
        hash_free_pairs(&p);
    }
}

/* Builds a table, inserts more of the same keys, and saves it. */
static struct saved build_and_save(bosc_ctx *ctx, const bosc_hash_opts *o, const struct hash_pairs *p)
{
    bosc_hash *table = NULL;
    CHECK_OK(ctx, bosc_hash_create(ctx, o, &table));
    CHECK_OK(ctx, bosc_hash_build(ctx, table, p->keys, p->values, p->n));
    CHECK_OK(ctx, bosc_hash_insert(ctx, table, p->keys, p->values, p->n / 3));
    struct saved saved = hash_save(ctx, table);
    bosc_hash_free(table);
    return saved;
}

static void compare_builds(bosc_ctx *ctx, bosc_hash_opts o, enum repeats_pattern pattern, int64_t distinct, int64_t n)
{
    struct hash_sorting_ops sorting;
    o.size = sizeof o;
    struct hash_pairs p = make_repeats(pattern, &o, distinct, n);
    struct saved found = build_and_save(ctx, &o, &p);
    const struct bi_ops *own = hash_use_sorts(ctx, &sorting);
    struct saved expected = build_and_save(ctx, &o, &p);
    ctx->ops = own;
    CHECK_EQ(found.size, expected.size);
    CHECK(memcmp(found.bytes, expected.bytes, found.size) == 0);
    free(found.bytes);
    free(expected.bytes);
    hash_free_pairs(&p);
}

/* Every treatment of repeated keys, in each layout that AUTO chooses, with and without values. */
static void builds(bosc_ctx *ctx)
{
    static const int64_t numbers[] = {1, 10, 129, 1500};
    static const bosc_dtype types[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64, BOSC_U32, BOSC_U64};
    static const int32_t sizes[] = {0, 4, 8, 12, 1};
    if (!ctx->ops->hash->number_keys) return;
    for (int k = 0; k < 240; k++) {
        bosc_hash_opts o = {.key_bits = 32 << k % 3,
                            .layout = k / 3 % 2 ? BOSC_HASH_AUTO : BOSC_HASH_BUCKETED,
                            .value_size = sizes[k / 6 % 5],
                            .seed = (uint64_t)k};
        if (suite_leaves_out()) continue;
        /* 1. Choose the treatment of repeats. */
        switch (k / 30 % 8) {
        case 1: o.duplicates = BOSC_HASH_FIRST; break;
        case 2: o.counted = 1; break;
        case 3: o.kind = BOSC_HASH_MULTIMAP; break;
        case 4:
        case 5:
            o.duplicates = k / 30 % 8 == 4 ? BOSC_HASH_SUM : BOSC_HASH_MIN;
            o.value_dtype = types[k % 6];
            o.value_size = (int32_t)bosc_dtype_size(o.value_dtype);
            break;
        default: break;
        }
        /* 2. Compare with a build that sorts. */
        const int64_t distinct = numbers[k % 4], n = k % 5 == 4 ? 40000 : 6000 + k;
        compare_builds(ctx, o, (enum repeats_pattern)(k / 7 % REPEATS_PATTERNS), distinct, n);
    }
}

/* The row of the first repeated key, under ERROR. */
static void refused(bosc_ctx *ctx)
{
    const bosc_hash_opts o = {.size = sizeof o, .key_bits = 64, .value_size = 4, .duplicates = BOSC_HASH_ERROR};
    struct hash_pairs p = make_repeats(CYCLE, &o, 10, 3000);
    bosc_hash *table = NULL;
    CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
    CHECK_STATUS(ctx, bosc_hash_build(ctx, table, p.keys, p.values, p.n), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "keys: row 10 "));
    bosc_hash_free(table);
    hash_free_pairs(&p);
}

static void ids(bosc_ctx *ctx)
{
    static const int64_t numbers[] = {1, 10, 129, 1500};
    for (int k = 0; k < 60; k++) {
        const bosc_hash_opts o = {.key_bits = 32 << k % 3};
        const int64_t distinct = suite_slow(ctx) ? 9 : numbers[k / 3 % 4];
        const int64_t n = suite_slow(ctx) ? 500 : distinct > 200 ? 6100 : 9000 + 41000 * (k % 2);
        if (suite_leaves_out()) continue;
        /* 1. Compute the ids. */
        struct hash_pairs p = make_repeats((enum repeats_pattern)(k / 12), &o, distinct, n);
        struct bi_hash_numbering found = {.count = 0};
        int64_t *to = suite_alloc((size_t)n * 8);
        uint32_t *numbered = suite_alloc((size_t)n * 4), *first = suite_alloc((size_t)n * 4);
        void *keys = suite_alloc((size_t)n * 16);
        CHECK_OK(ctx, bosc_hash_unique(ctx, p.keys, n, o.key_bits, to, keys, &found.count));
        /* 2. Compare them with a plain loop. */
        for (int64_t i = n - 1; i >= 0; i--) {
            CHECK(to[i] >= 0 && to[i] < found.count);
            numbered[i] = (uint32_t)to[i];
            first[to[i]] = (uint32_t)i;
        }
        found.keys = keys, found.numbers = numbered, found.first_rows = first;
        check_numbering(&p, BI_HASH_ROW_NUMBERS, &found);
        free(to);
        free(numbered);
        free(first);
        free(keys);
        hash_free_pairs(&p);
    }
}

/* Keys by ascending hash, each in runs of `run` rows; `late`: two keys near the end change places. */
static struct hash_pairs make_ascending(const bosc_hash_opts *o, int64_t n, int64_t run, bool late)
{
    struct hash_pairs p = hash_make(HASH_SEQUENCE, o, (uint64_t)(n + run), n);
    const int64_t keys = (n + run - 1) / run;
    const uint64_t spacing = (o->key_bits == 32 ? UINT32_MAX : UINT64_MAX) / (uint64_t)keys;
    for (int64_t i = 0; i < n; i++) {
        int64_t key = i / run;
        if (late && key >= keys - 3 && key < keys - 1) key = 2 * keys - 5 - key;
        const bosc_hash_word hash = {(uint64_t)key * spacing, 0};
        bi_hash_store(p.keys, p.key_bits, i, bi_hash_key_of(hash, p.key_bits, o->seed));
    }
    return p;
}

/* The same pairs in runs from the last one to the first: those of a key stay in order. */
static struct hash_pairs reverse_runs(const bosc_hash_opts *o, const struct hash_pairs *p, int64_t run)
{
    struct hash_pairs reversed = hash_make(HASH_SEQUENCE, o, 1, p->n);
    const size_t key_bytes = (size_t)p->key_bits / 8, value_bytes = (size_t)p->value_size;
    for (int64_t i = 0, to = p->n; i < p->n; i += run) {
        const int64_t rows = p->n - i < run ? p->n - i : run;
        to -= rows;
        memcpy((char *)reversed.keys + (size_t)to * key_bytes, (char *)p->keys + (size_t)i * key_bytes,
               (size_t)rows * key_bytes);
        memcpy((char *)reversed.values + (size_t)to * value_bytes, (char *)p->values + (size_t)i * value_bytes,
               (size_t)rows * value_bytes);
    }
    return reversed;
}

static struct saved save_multimap(bosc_ctx *ctx, const bosc_hash_opts *o, const struct hash_pairs *p)
{
    bosc_hash *table = NULL;
    CHECK_OK(ctx, bosc_hash_create(ctx, o, &table));
    CHECK_OK(ctx, bosc_hash_build(ctx, table, p->keys, p->values, p->n));
    struct saved saved = hash_save(ctx, table);
    bosc_hash_free(table);
    return saved;
}

/* Many rows whose hashes ascend are not sorted: the table is that of the same pairs in another order. So is the table
 * of rows that ascend but for one key near the end. */
static void ascending(bosc_ctx *ctx)
{
    static const int64_t runs[] = {3, 1 << 19, 4, 2};
    for (int k = 0; k < 8; k++) {
        const bosc_hash_opts o = {.size = sizeof o,
                                  .kind = BOSC_HASH_MULTIMAP,
                                  .key_bits = k / 2 % 2 ? 64 : 32,
                                  .value_size = k / 2 == 3 ? 12 : 4 << k / 2 % 2,
                                  .seed = (uint64_t)k * 77};
        const int64_t n = (1 << 20) + 5, run = runs[k / 2];
        if (k > 1 && (suite_leaves_out() || suite_emulated(ctx))) continue;
        struct hash_sorting_ops sorting;
        struct hash_pairs p = make_ascending(&o, n, run, k % 2), reversed = reverse_runs(&o, &p, run);
        const struct bi_ops *own = hash_use_sorts(ctx, &sorting); /* keys are not numbered */
        struct saved found = save_multimap(ctx, &o, &p), expected = save_multimap(ctx, &o, &reversed);
        ctx->ops = own;
        CHECK_EQ(found.size, expected.size);
        CHECK(memcmp(found.bytes, expected.bytes, found.size) == 0);
        free(found.bytes);
        free(expected.bytes);
        hash_free_pairs(&p);
        hash_free_pairs(&reversed);
    }
}

static const struct suite_case suite_cases_hash_repeats[] = {
    {"numbering", numbering, NULL}, {"declined", declined, NULL}, {"builds", builds, NULL},
    {"refused", refused, NULL},     {"ids", ids, NULL},           {"ascending", ascending, NULL},
};
SUITE(hash_repeats);
