/* The layouts that find a key by slots hold the pairs that they are built from, in the same bytes everywhere. */
#include <math.h>

#include <boscage/device/hash_slots.h>

#include "support/arrays.h"
#include "hash/save.h"
#include "cases/hash/hash_data.h"

static const bosc_hash_layout layouts[] = {BOSC_HASH_PERFECT, BOSC_HASH_HYBRID,  BOSC_HASH_FKS,
                                           BOSC_HASH_CUCKOO,  BOSC_HASH_CHAINED, BOSC_HASH_ORDERED};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

/* A hash of all that a table keeps to find keys by. */
static uint64_t fingerprint(bosc_ctx *ctx, const bosc_hash *table)
{
    struct bi_hash_shape shape = table->shape;
    size_t bytes[BI_HASH_BLOCKS] = {0}, total = 0, at = 0;
    table->layout->plan(&table->opts, table->keys, &shape, bytes);
    for (int b = 0; b < BI_HASH_BLOCKS; b++) total += bytes[b];
    char *all = suite_alloc(total);
    for (int b = 0; b < BI_HASH_BLOCKS; b++) {
        if (bytes[b]) CHECK_OK(ctx, ctx->backend->copy(ctx, all + at, table->blocks[b].data, bytes[b]));
        at += bytes[b];
    }
    CHECK_OK(ctx, ctx->backend->sync(ctx));
    uint64_t print = bi_xxh3(all, total);
    free(all);
    return print;
}

/* All configurations make the same table of a trial. */
static void check_same(bosc_ctx *ctx, const bosc_hash *table, uint64_t *first)
{
    uint64_t print = fingerprint(ctx, table);
    if (*first == 0) *first = print;
    CHECK(*first == print);
}

static void check_found(bosc_ctx *ctx, const bosc_hash *table, const struct hash_pairs *p,
                        const struct reference_hash *oracle)
{
    int64_t m = p->n < 300 ? 300 : 2000;
    void *queries = hash_queries(p, 3, m);
    hash_check_pairs(ctx, table, oracle);
    hash_check_queries(ctx, table, oracle, queries, m);
    free(queries);
}

static void compare_pairs(bosc_ctx *ctx, bosc_hash_opts o, const struct hash_pairs *p, uint64_t *first,
                          bosc_hash_info *info)
{
    bosc_hash *table = NULL;
    o.size = sizeof o;
    struct reference_hash oracle = {.opts = o};
    int64_t bad;
    CHECK(reference_hash_insert(&oracle, p->keys, p->values, p->n, &bad));
    CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
    CHECK_OK(ctx, bosc_hash_build(ctx, table, p->keys, p->values, p->n));
    check_same(ctx, table, first);
    check_found(ctx, table, p, &oracle);
    *info = (bosc_hash_info){.size = sizeof *info};
    CHECK_OK(ctx, bosc_hash_get_info(ctx, table, info));
    reference_hash_clear(&oracle);
    bosc_hash_free(table);
}

static bosc_hash_info compare(bosc_ctx *ctx, bosc_hash_opts o, enum hash_pattern pattern, int64_t n, uint64_t *first)
{
    bosc_hash_info info;
    struct hash_pairs p = hash_make(pattern, &o, (uint64_t)n, n);
    compare_pairs(ctx, o, &p, first, &info);
    hash_free_pairs(&p);
    return info;
}

static bosc_hash_opts options_of(int k, bosc_hash_layout layout)
{
    static const int32_t bits[] = {32, 64, 128}, sizes[] = {4, 0, 8, 1, 3, 12, 16, 64, 2};
    static const double loads[] = {0, 0.97, 0.5, 0.7, 0.95}, cuckoo[] = {0.97, 0.5, 0.91, 0, 0.25, 0.5};
    bosc_hash_opts o = {.layout = layout,
                        .key_bits = bits[k % 3],
                        .value_size = sizes[k % 9],
                        .load_factor = layout == BOSC_HASH_PERFECT ? loads[k % 5] : 0,
                        .seed = (uint64_t)k * 0x123456789abcdefull,
                        .counted = k % 7 == 3,
                        .duplicates = (bosc_hash_duplicates)(k % 4 == 1 ? BOSC_HASH_FIRST : BOSC_HASH_LAST)};
    if (layout == BOSC_HASH_CUCKOO) {
        o.functions = k % 3 ? 1 + k % 3 : 4;
        o.load_factor = cuckoo[k % 6];
    }
    if (layout == BOSC_HASH_CHAINED) {
        o.functions = k % 5 ? 2 + k % 3 : 0;
        o.go_left = k / 3 % 2;
    }
    if (k % 4 == 2) {
        o.kind = BOSC_HASH_MULTIMAP;
        o.counted = 0;
    }
    return o;
}

static void every_small_size(bosc_ctx *ctx)
{
    static uint64_t first[LAYOUTS * 256];
    int64_t sizes[256];
    int count = edge_sizes(suite_slow(ctx) ? 200 : 1100, sizes);
    for (int k = 0; k < LAYOUTS * count; k++) {
        if (suite_leaves_out()) continue;
        enum hash_pattern pattern = k % 2 ? HASH_RANDOM : (enum hash_pattern)(k / 2 % HASH_PATTERNS);
        compare(ctx, options_of(k / LAYOUTS, layouts[k % LAYOUTS]), pattern, sizes[k / LAYOUTS], &first[k]);
    }
}

/* Where another run, group or bit begins. */
static void sizes_at_run_borders(bosc_ctx *ctx)
{
    static const int64_t sizes[] = {408, 409, 410, 818, 819, 1227, 1228, 2048, 4095, 4096, 4097, 8192, 8193, 12289};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    static uint64_t first[LAYOUTS * SIZES];
    for (int k = 0; k < LAYOUTS * SIZES; k++) {
        if (suite_leaves_out() || (suite_slow(ctx) && sizes[k / LAYOUTS] > 4097)) continue;
        compare(ctx, options_of(k / LAYOUTS, layouts[k % LAYOUTS]), HASH_RANDOM, sizes[k / LAYOUTS], &first[k]);
    }
}

static void patterns(bosc_ctx *ctx)
{
    static uint64_t first[2][3 * LAYOUTS * HASH_PATTERNS]; /* of usual and of small sizes */
    for (int k = 0; k < 3 * LAYOUTS * HASH_PATTERNS; k++) {
        if (suite_leaves_out()) continue;
        int64_t n = suite_slow(ctx) ? 100 + 13 * k : 700 + 41 * k;
        compare(ctx, options_of(k, layouts[k / HASH_PATTERNS % LAYOUTS]), (enum hash_pattern)(k % HASH_PATTERNS), n,
                &first[suite_slow(ctx)][k]);
    }
}

static void sums(bosc_ctx *ctx)
{
    static uint64_t first[2][4 * LAYOUTS]; /* of usual and of small sizes */
    for (int k = 0; k < 4 * LAYOUTS; k++) {
        bosc_hash_opts o = {.layout = layouts[k % LAYOUTS],
                            .value_dtype = BOSC_F32,
                            .value_size = 4,
                            .duplicates = k / LAYOUTS % 2 ? BOSC_HASH_MIN : BOSC_HASH_SUM,
                            .counted = k / (2 * LAYOUTS)};
        compare(ctx, o, HASH_FEW, suite_slow(ctx) ? 200 : 2000, &first[suite_slow(ctx)][k]);
    }
}

/* The documented figures of the layouts for random keys. */
static void figures(bosc_ctx *ctx)
{
    static const double loads[] = {0.5, 0.71, 0.8, 0.9, 0.95, 0.97};
    static uint64_t first[2][8]; /* of usual and of small sizes */
    int64_t n = suite_slow(ctx) ? 4000 : 33000;
    bosc_hash_info info;
    for (int k = 0; k < 6; k++) {
        bosc_hash_opts o = {.layout = BOSC_HASH_PERFECT, .load_factor = loads[k], .value_size = 4};
        info = compare(ctx, o, HASH_SEQUENCE, n, &first[suite_slow(ctx)][k]);
        CHECK(info.load_factor > loads[k] - 0.01 && info.load_factor <= loads[k]);
        CHECK_EQ(info.max_probes, 1);
        CHECK_EQ(info.linear, 0);
        CHECK_EQ(info.partitions, n > 32768 ? 32 : 2);
        CHECK(info.bytes < (int64_t)((double)n / loads[k] * 8 + (double)n * 0.70 + 1024));
    }
    bosc_hash_opts hybrid = {.layout = BOSC_HASH_HYBRID}, fks = {.layout = BOSC_HASH_FKS};
    info = compare(ctx, hybrid, HASH_RANDOM, suite_slow(ctx) ? 409 * 6 : 409 * 50, &first[suite_slow(ctx)][6]);
    CHECK(info.load_factor > 0.70 && info.max_probes == 3 && info.mean_probes > 1.7 && info.mean_probes < 1.95);
    CHECK_EQ(info.partitions, suite_slow(ctx) ? 6 : 50);
    CHECK_EQ(info.slots, info.partitions * 576);
    info = compare(ctx, fks, HASH_RANDOM, suite_slow(ctx) ? 2000 : 10000, &first[suite_slow(ctx)][7]);
    CHECK(info.load_factor > 0.22 && info.load_factor < 0.28 && info.max_probes == 1 && info.mean_probes == 1);
    CHECK(info.linear == 0 && info.reseeded > 0);
}

/* Small tables of FKS have room for the sum of squares that the first hash gives: none is read from end to end. */
static void tails(bosc_ctx *ctx)
{
    for (int k = 0; k < 100; k++) {
        if (suite_leaves_out()) continue;
        bosc_hash_opts o = {.size = sizeof o, .layout = BOSC_HASH_FKS, .seed = (uint64_t)k};
        bosc_hash *table = NULL;
        struct hash_pairs p = hash_make(HASH_RANDOM, &o, (uint64_t)k, 20 + k);
        CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
        CHECK_OK(ctx, bosc_hash_build(ctx, table, p.keys, NULL, p.n));
        CHECK_EQ(table->linear, 0);
        uint64_t number; /* of the hash that chose the runs */
        CHECK_OK(ctx, ctx->backend->copy(ctx, &number, table->blocks[BI_HASH_DESCRIPTORS].data, sizeof number));
        CHECK_OK(ctx, ctx->backend->sync(ctx));
        CHECK_EQ(number, 0);
        hash_free_pairs(&p);
        bosc_hash_free(table);
    }
}

/* n keys of 64 bits of one run, out of `runs`, under every hash that chooses runs. */
static struct hash_pairs colliding_keys(int64_t n, uint32_t runs)
{
    enum { HASHES = 5 };
    bosc_hash_opts o = {.key_bits = 64, .value_size = 4};
    struct hash_pairs p = hash_make(HASH_RANDOM, &o, 1, n);
    bosc_hash_word hash = {0, 0};
    for (int64_t i = 0; i < n; hash.low++) {
        uint32_t k = 0;
        while (k < HASHES && bosc_hash_below(bosc_hash_remix(hash, 64, BOSC_HASH_LINEAR + 1 + k), runs) == 0) k++;
        if (k == HASHES) bi_hash_store(p.keys, 64, i++, bi_hash_key_of(hash, 64, 0));
    }
    return p;
}

/* Keys chosen to collide in every run are found all the same. */
static void adversarial_keys(bosc_ctx *ctx)
{
    static uint64_t first[6];
    static struct hash_pairs hybrid, fks;
    bosc_hash_info info;
    if (!hybrid.n) {
        hybrid = colliding_keys(600, 2);
        fks = colliding_keys(33, 11);
    }
    bosc_hash_opts o = {.layout = BOSC_HASH_HYBRID, .key_bits = 64, .value_size = 4};
    compare_pairs(ctx, o, &hybrid, &first[0], &info);
    CHECK(info.linear == 2 && info.slots == 600 && info.max_probes == 600);
    o.layout = BOSC_HASH_FKS;
    compare_pairs(ctx, o, &fks, &first[1], &info);
    CHECK(info.linear == 11 && info.slots == 33 && info.max_probes == 33);
    for (int k = 0; k < 3; k++) {
        o = options_of(k, BOSC_HASH_PERFECT);
        o.kind = BOSC_HASH_MAP;
        info = compare(ctx, o, HASH_ONE_PARTITION, 2500, &first[2 + k]);
        CHECK(info.linear == 1 && info.max_probes == 2500);
    }
    o = options_of(1, BOSC_HASH_PERFECT);
    info = compare(ctx, o, HASH_ONE_PARTITION, 9000, &first[5]);
    CHECK(info.linear == 1 && info.max_probes == 9000);
}

/* The functions that kernels use find what bosc_hash_find finds. */
static void views(bosc_ctx *ctx)
{
    for (int k = 0; k < 3 * LAYOUTS && !has_device_memory(ctx); k++) {
        bosc_hash *table = NULL;
        bosc_hash_slots_view view;
        bosc_hash_opts o = options_of(4 * k, layouts[k % LAYOUTS]);
        int64_t n = 900, missing = 0;
        o.size = sizeof o;
        struct hash_pairs p = hash_make(HASH_SEQUENCE, &o, 1, n);
        CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
        CHECK_OK(ctx, bosc_hash_build(ctx, table, p.keys, p.values, n));
        CHECK_OK(ctx, bosc_hash_get_slots_view(ctx, table, &view));
        for (int64_t i = 0; i < 2 * n; i++) {
            bosc_hash_word key = {(uint64_t)i, 0};
            int64_t slot = bosc_hash_slots_look_up(&view, key);
            if (slot < 0) missing++;
            CHECK((slot >= 0) == (i < n));
            if (slot < 0) continue;
            const char *value = (const char *)p.values + i * o.value_size;
            CHECK(memcmp(bosc_hash_slots_value_at(&view, slot), value, (size_t)o.value_size) == 0);
        }
        CHECK_EQ(missing, n);
        hash_free_pairs(&p);
        bosc_hash_free(table);
    }
}

/* Changes a number of a saved table, under correct hashes: reading refuses it, or the table read can be queried
 * safely. */
static bool survives(bosc_ctx *ctx, const struct saved *f, size_t at, uint64_t word, const struct hash_pairs *p)
{
    struct saved bad = {suite_alloc(f->size), f->size, f->size, 0};
    bosc_hash *table = NULL;
    unsigned char found[64], *keys = suite_alloc((size_t)p->n * 16), *values = suite_alloc((size_t)p->n * 16);
    memcpy(bad.bytes, f->bytes, f->size);
    memcpy(bad.bytes + at, &word, sizeof word);
    saved_seal(bad.bytes, bad.size, saved_hash.header);
    bosc_status status = bosc_hash_read(ctx, saved_deliver, &bad, &table);
    if (status == BOSC_OK) {
        CHECK_OK(ctx, bosc_hash_find(ctx, table, p->keys, 64, values, found));
        CHECK_OK(ctx, bosc_hash_get_pairs(ctx, table, keys, values, NULL));
    } else {
        CHECK_EQ(status, BOSC_ERR_FORMAT);
    }
    bosc_hash_free(table);
    free(bad.bytes);
    free(keys);
    free(values);
    return status == BOSC_OK;
}

static void hostile(bosc_ctx *ctx)
{
    static const uint64_t words[] = {0, 63, 64, 1u << 12, UINT32_MAX, (uint64_t)1 << 40, (uint64_t)1 << 63, UINT64_MAX};
    struct suite_random r = {11};
    for (int k = 0; k < LAYOUTS; k++) {
        bosc_hash *table = NULL;
        bosc_hash_opts o = {.size = sizeof o, .layout = layouts[k], .key_bits = 64, .value_size = 8};
        int64_t n = 200, refused = 0, trials = suite_slow(ctx) ? 200 : 600;
        struct hash_pairs p = hash_make(HASH_RANDOM, &o, 1, n);
        CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
        CHECK_OK(ctx, bosc_hash_build(ctx, table, p.keys, p.values, n));
        struct saved f = hash_save(ctx, table);
        size_t first = sizeof(struct bi_hash_header), count = (f.size - first) / 8 - 1;
        for (int64_t i = 0; i < trials; i++) {
            uint64_t slot = i % 2 ? suite_below(&r, count)
                                  : suite_below(&r, layouts[k] == BOSC_HASH_CHAINED ? 102
                                                    : layouts[k] == BOSC_HASH_FKS   ? 69
                                                                                    : 4);
            uint64_t word = i % 3 ? words[suite_below(&r, 8)] : suite_next(&r) >> suite_below(&r, 64);
            if (!survives(ctx, &f, first + 8 * slot, word, &p)) refused++;
        }
        CHECK(refused > trials / 8);
        free(f.bytes);
        hash_free_pairs(&p);
        bosc_hash_free(table);
    }
}

static void arguments(bosc_ctx *ctx)
{
    bosc_hash *bucketed = NULL, *fks = NULL;
    bosc_hash_slots_view view;
    bosc_hash_view other;
    bosc_hash_opts o = {.size = sizeof o, .layout = BOSC_HASH_FKS};
    const bosc_hash_opts buckets = {.size = sizeof buckets, .layout = BOSC_HASH_BUCKETED};
    CHECK_OK(ctx, bosc_hash_create(ctx, &buckets, &bucketed));
    CHECK_OK(ctx, bosc_hash_create(ctx, &o, &fks));
    CHECK_EQ(bosc_hash_get_slots_view(NULL, fks, &view), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_hash_get_slots_view(ctx, NULL, &view), "table");
    CHECK_ARG(ctx, bosc_hash_get_slots_view(ctx, fks, NULL), "view");
    CHECK_ARG(ctx, bosc_hash_get_slots_view(ctx, bucketed, &view), "table");
    CHECK_ARG(ctx, bosc_hash_get_view(ctx, fks, &other), "table");
    CHECK_STATUS(ctx, bosc_hash_get_slots_view(ctx, fks, &view), BOSC_ERR_DATA);
    CHECK_OK(ctx, bosc_hash_build(ctx, fks, NULL, NULL, 0));
    CHECK_OK(ctx, bosc_hash_get_slots_view(ctx, fks, &view));
    bosc_hash_free(bucketed);
    bosc_hash_free(fks);
    o.layout = BOSC_HASH_PERFECT;
    static const double loads[] = {0.49, 0.971, 1, -1, INFINITY, NAN};
    for (int k = 0; k < 6; k++) {
        o.load_factor = loads[k];
        CHECK_ARG(ctx, bosc_hash_create(ctx, &o, &fks), "opts: load_factor");
    }
}

static const struct suite_case suite_cases_hash_layouts[] = {
    {"small", every_small_size, NULL},
    {"edges", sizes_at_run_borders, NULL},
    {"patterns", patterns, NULL},
    {"sums", sums, NULL},
    {"figures", figures, NULL},
    {"chosen", adversarial_keys, NULL},
    {"tails", tails, NULL},
    {"views", views, NULL},
    {"hostile", hostile, NULL},
    {"arguments", arguments, NULL},
};
SUITE(hash_layouts);
